/*
** splice.h: the builder of programs. All code that puts instructions together uses it. It finds equal instructions and
** keeps the limits of a program. It builds the program of a call, a program that is bound to the memory it reads, and
** programs that are taken into another.
*/
#ifndef MOONARRAY_SPLICE_H
#define MOONARRAY_SPLICE_H

#include "memory/handle.h"
#include "program/program.h"

#include <string.h>

#pragma GCC visibility push(hidden)

/* ==== Parts of every program ====================================================================================== */

static inline bool ma_program_fits(int ninput, int nscalar, int ncode) {
  return ninput <= MA_MAX_INPUTS && nscalar <= MA_MAX_SCALARS && ncode <= MA_MAX_CODE;
}

/* Whether the program is one operation and casts, which cannot run stepwise. A draw can: it becomes an array. */
static inline bool ma_program_is_single(const ma_program *program) {
  int n = 0;
  for (int k = 0; k < program->ncode; k++)
    n += program->code[k].op == MA_CAST ? 0 : ma_op_draws(program->code[k].op) ? 2 : 1;
  return n < 2 && program->noutput == 1;
}

/* An instruction for one operation in a loop dtype; the caller sets its arguments. */
static inline ma_instr ma_instr_of(ma_opcode op, ma_dtype loop) {
  op = ma_op_of_width(op, loop);
  return (ma_instr){ .op = (uint16_t)op,
                     .dtype = (uint8_t)loop,
                     .result = (uint8_t)ma_sig_dtype((ma_sig)ma_ops[op].out, loop) };
}

static inline ma_instr ma_instr_cast(ma_dtype from, ma_dtype to) {
  return (ma_instr){ .op = MA_CAST, .dtype = (uint8_t)from, .result = (uint8_t)to };
}

/* A copy of the instruction with its registers renumbered. */
static inline ma_instr ma_instr_renamed(const ma_instr *instr, const uint8_t *reg) {
  ma_instr renamed = *instr;
  for (int a = 0; a < ma_ops[instr->op].nin; a++) renamed.arg[a] = reg[instr->arg[a]];
  return renamed;
}

/* The register of an equal instruction, which is added if there is none. -1: there is none, and there is no room or
** `grow` is false. */
static inline int ma_code_add(ma_instr *code, uint8_t *ncode, ma_instr instr, bool grow) {
  int k = 0;
  for (; k < *ncode; k++)
    if (!memcmp(&code[k], &instr, sizeof instr)) return MA_REG_CODE + k;
  if (!grow || !ma_program_fits(0, 0, k + 1)) return -1;
  code[k] = instr;
  *ncode = (uint8_t)(k + 1);
  return MA_REG_CODE + k;
}

/* ==== The program of a call ====================================================================================== */

typedef struct ma_call {
  ma_program program;
  const ma_array *input[MA_MAX_INPUTS];
  ma_value scalar[MA_MAX_SCALARS];
} ma_call;

static inline int ma_call_input(ma_call *call, const ma_array *array) {
  for (int k = 0; k < call->program.ninput; k++) /* x * x reads x once */
    if (call->input[k] == array) return k;
  call->input[call->program.ninput] = array;
  return ma_program_input(&call->program, (ma_dtype)array->dtype);
}

static inline int ma_call_scalar(ma_call *call, ma_dtype dtype, ma_value value) {
  call->scalar[call->program.nscalar] = value;
  return ma_program_scalar(&call->program, dtype);
}

/* ==== Bound programs ============================================================================================= */

/* A program without outputs, together with its operands, which all have one shape. Its owner provides the arrays;
** the counts say how much of them is used. */
typedef struct ma_bound {
  uint8_t ndim, ninput, nscalar, ncode;
  bool merges; /* equal numbers are one, so that what is taken in twice is computed once */
  uint8_t input_dtype[MA_MAX_INPUTS], scalar_dtype[MA_MAX_SCALARS];
  ma_reading *reading; /* by input; the builder sets only buffer and offset */
  int64_t *step;       /* bytes by input and axis; ninput * ndim */
  ma_value *scalar;
  ma_instr *code;
} ma_bound;

/* These functions return a register. -1: there is no room, or `grow` is false and the term does not exist yet. */

static inline int ma_bound_input(ma_bound *to, ma_buffer *buffer, int64_t offset, uint8_t dtype, const int64_t *step,
                                 bool grow) {
  int ndim = to->ndim, k = 0;
  for (; k < to->ninput; k++) {
    int d = 0;
    if (to->reading[k].buffer != buffer || to->reading[k].offset != offset || to->input_dtype[k] != dtype) continue;
    while (d < ndim && to->step[k * ndim + d] == step[d]) d++;
    if (d == ndim) return k;
  }
  if (!grow || !ma_program_fits(k + 1, 0, 0)) return -1;
  to->ninput++;
  to->input_dtype[k] = dtype;
  to->reading[k].buffer = buffer;
  to->reading[k].offset = offset;
  for (int d = 0; d < ndim; d++) to->step[k * ndim + d] = step[d];
  return k;
}

/* Equal scalars share a place only when all places are taken. So the text of a kernel does not depend on whether
** values happen to be equal. */
static inline int ma_bound_scalar(ma_bound *to, uint8_t dtype, ma_value value, bool grow) {
  int n = to->nscalar;
  bool fits = grow && ma_program_fits(0, n + 1, 0);
  if (__builtin_expect(!fits || to->merges, 0)) {
    size_t used = ma_dtypes[dtype].kind == MA_KIND_COMPLEX ? sizeof value : sizeof value.u;
    for (int k = 0; k < n; k++)
      if (to->scalar_dtype[k] == dtype && !memcmp(&to->scalar[k], &value, used)) return MA_REG_SCALAR + k;
    if (!fits) return -1;
  }
  to->scalar_dtype[n] = dtype;
  to->scalar[n] = value;
  to->nscalar++;
  return MA_REG_SCALAR + n;
}

static inline int ma_bound_instr(ma_bound *to, ma_instr instr) {
  return ma_code_add(to->code, &to->ncode, instr, true);
}

/* Adds the scalars and instructions of a program whose inputs have their registers in reg[] already, and sets reg[]
** for them. */
bool ma_splice_code(ma_bound *to, int nscalar, const uint8_t *scalar_dtype, const ma_value *scalar, int ncode,
                    const ma_instr *code, uint8_t *reg, bool grow);
/* Adds a whole program over the same shape; reg[] receives the new registers. If there is no room, parts that were
** added stay. */
bool ma_splice(ma_bound *to, const ma_bound *from, uint8_t *reg, bool grow);
/* Writes a bound program into a cleared program. */
void ma_bound_program(const ma_bound *bound, ma_program *program);

#pragma GCC visibility pop
#endif
