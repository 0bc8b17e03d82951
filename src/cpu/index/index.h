/* index.h: what the files about picks by positions share. */
#ifndef MA_CPU_INDEX_H
#define MA_CPU_INDEX_H

#include "cpu/cpu.h"

#pragma GCC visibility push(hidden)

#define MA_OUTSIDE INT64_MIN /* the offset of a pick out of range */

/* Elements may be unaligned, because several are moved as one, or because the memory is borrowed. */
#define MA_UNALIGNED __attribute__((aligned(1), may_alias))

/* Writes n picks at their offsets, in their order. The values are `stride` bytes apart. `holes` says that some picks
** are outside. */
typedef void ma_put_loop(const char *side, int64_t stride, char *array, const int64_t *offset, int n, bool holes);

/* combine.c: applies the operation of the scatter to old and new values, one pick after another. */
ma_status ma_cpu_combine(const ma_gather *g, const char *side, int64_t stride, char *array, const int64_t *offset,
                         int n, bool holes);

#pragma GCC visibility pop
#endif
