/* map.h: runs of settled programs. A program is settled if its inputs are in memory and no pending program still
** reads what it writes. */
#ifndef MOONARRAY_PROGRAM_MAP_H
#define MOONARRAY_PROGRAM_MAP_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* Whether the program is one operation and casts, which cannot run stepwise. */
static inline bool ma_program_is_single(const ma_program *program) {
  int n = 0;
  for (int k = 0; k < program->ncode; k++) n += program->code[k].op != MA_CAST;
  return n < 2 && program->noutput == 1;
}
/* Runs the map. With `may_decline` it does not wait for the compiler: if the kernel is not compiled, it does
** nothing, sets *ran to false, and a thread compiles the kernel. */
ma_status ma_run_map(const ma_map *map, ma_stream *stream, bool may_decline, bool *ran);
/* The same for arrays. The results have `shape`; the inputs are broadcast to it. `flat`: it is known that all are in C
** order without gaps. */
ma_status ma_run_program(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_array *const *result, int ndim, const int64_t *shape, bool flat, ma_stream *stream,
                         bool may_decline, bool *ran);

/* Adds an operand to a map. */
static inline ma_status ma_map_add(ma_map *map, int k, const ma_array *array, bool write, ma_stream *stream) {
  MA_TRY(ma_buffer_use(array->buffer, stream, write));
  map->data[k] = (char *)array->buffer->ptr + array->offset;
  return MA_OK;
}
/* The step of an operand of a map of one axis, without gaps. */
static inline void ma_map_set_step(ma_map *map, int k, const ma_array *array) {
  map->space.stride[k][0] = ma_dtypes[array->dtype].itemsize;
}

/* Sets the numbers of a map. */
static inline void ma_map_set_numbers(ma_map *map, int n, const ma_value *scalar) {
  if (n) map->scalar[0] = scalar[0]; /* there is seldom another */
  for (int k = 1; k < n; k++) map->scalar[k] = scalar[k];
}

/* ma_run_program for one result and arrays that are all in C order without gaps. It waits for the compiler. */
static inline __attribute__((always_inline)) ma_status ma_run_flat(const ma_program *program,
                                                                   const ma_array *const *input, const ma_value *scalar,
                                                                   ma_array *result, ma_stream *stream) {
  ma_map map;
  bool ran;
  map.program = program;
  map.space.noperand = 1 + program->ninput;
  map.space.ndim = 1;
  map.space.shape[0] = result->size;
  MA_TRY(ma_map_add(&map, 0, result, true, stream));
  ma_map_set_step(&map, 0, result);
  for (int k = 0; k < program->ninput; k++) {
    MA_TRY(ma_map_add(&map, 1 + k, input[k], false, stream));
    ma_map_set_step(&map, 1 + k, input[k]);
  }
  ma_map_set_numbers(&map, program->nscalar, scalar);
  return ma_is_host(stream->device) ? stream->device->backend->map.run(stream, &map)
                                    : ma_run_map(&map, stream, false, &ran);
}

#pragma GCC visibility pop
#endif
