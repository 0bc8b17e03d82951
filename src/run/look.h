/*
** look.h: one look at the operands and results of a program gathers the facts from which the way of its run follows.
** ways.def has the facts and the ways.
*/
#ifndef MOONARRAY_LOOK_H
#define MOONARRAY_LOOK_H

#include "run/pending.h"

#pragma GCC visibility push(hidden)

enum {
#define FACT(name) MA_BIT_##name,
#include "run/ways.def"
};
enum {
#define FACT(name) MA_FACT_##name = 1 << MA_BIT_##name,
#include "run/ways.def"
};

typedef enum ma_way {
#define WAY(name, has, lacks, text) MA_WAY_##name,
#include "run/ways.def"
  MA_NWAY
} ma_way;

typedef struct ma_look {
  uint32_t facts;
  bool alike, flat; /* all arrays have one shape; and are in C order without gaps */
  int ndim;
  int64_t size;
  const int64_t *shape; /* the broadcast shape: that of an array, or `broadcast` */
  int64_t broadcast[MA_MAX_NDIM];
} ma_look;

/* Looks at the arrays. Replaces the stream by one of their device, if that is another. */
ma_status ma_look_at(ma_look *look, const ma_program *program, const ma_array *const *input, ma_array *const *result,
                     ma_stream **stream);
/* The facts of the given result k; the look has those of a single one. */
uint32_t ma_look_result(int n, const ma_array *const *input, int nresult, ma_array *const *result, int k);
ma_way ma_way_of(uint32_t facts);
extern int ma_ways_traced; /* atomic; -1: no; 0: it is not known yet */
void ma_way_print(ma_way way, const ma_program *program, int64_t size);
/* Prints the way that a run takes, for MOONARRAY_TRACE=way. */
static inline void ma_way_trace(ma_way way, const ma_program *program, int64_t size) {
  if (__builtin_expect(__atomic_load_n(&ma_ways_traced, __ATOMIC_RELAXED) >= 0, 0)) ma_way_print(way, program, size);
}

/* write.c: runs a program with one result, which is made; a few elements at once. `axes`: the order of the result's
** axes, or NULL. */
ma_status ma_program_run_small(ma_look *look, const ma_program *program, const ma_array *const *input,
                               const ma_value *scalar, ma_array *const *result, const int *axes, ma_stream *stream);
/* straight.c: leaves the result of a program pending whose operands have one shape and lie in C order, so that its
** layout is C order too; false: they do not, or there is no memory. */
bool ma_record_straight(const ma_look *look, const ma_program *program, const ma_array *const *input,
                        const ma_value *scalar, ma_array *result, ma_stream *stream);

#pragma GCC visibility pop
#endif
