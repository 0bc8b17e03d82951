/*
** ready.h: what the CPU finds out about a program before it runs: its plan (block.c), and whether few elements need
** none. It is noted beside a program that is kept (run/kept.h), and made for each run of another.
*/
#ifndef MOONARRAY_CPU_READY_H
#define MOONARRAY_CPU_READY_H

#include "cpu/cpu.h"

#pragma GCC visibility push(hidden)

typedef struct ma_ready_operand {
  uint8_t place;      /* in the map */
  uint8_t step, unit; /* bytes from element to element for the loop, and in memory; step 0: the number */
  uint8_t mask;       /* bits of unaligned addresses */
  bool loaded;        /* a bool, whose byte may be any: it is packed first */
} ma_ready_operand;

typedef struct ma_ready {
  /* One instruction over one or two operands, arrays and at most one number, in the form that they have in memory. */
  bool plain;
  bool several; /* more instructions or operands of that kind */
  bool moves;   /* a copy or a fill */
  bool quick;   /* plain, and nothing is loaded */
  ma_ready_operand to, x, y;
  ma_loop *loop;
  bool halves;                 /* it may run over the bits of 16-bit floats (halves.c) */
  bool direct[MA_MAX_OUTPUTS]; /* the loop of this output may write directly to the array */
  ma_plan plan; /* last: that of a kept program has memory for its own steps, and behind them the program */
} ma_ready;

/* That of a program, which is found or is made in `here`, for runs over n elements. `repeated`: as in ma_plan_make. */
const ma_ready *ma_cpu_ready(const ma_program *program, int64_t n, uint32_t repeated, ma_ready *here);

/* small.c: runs a map of few elements; false: it did not. */
bool ma_cpu_small(const ma_ready *ready, const ma_map *map);
/* halves.c: whether the bits alone give the result; makes such a run one over integers, in `as_bits` with the program
** `bits`; false: it cannot. */
bool ma_cpu_has_halves(const ma_program *program);
bool ma_cpu_halves(const ma_map *map, ma_map *as_bits, ma_program *bits);

#pragma GCC visibility pop
#endif
