/* map.c: runs a settled program. Its inputs are in memory and no pending program reads what it writes, so it takes
** buffers as they are. */
#include "program/operands.h"
#include "program/map.h"

#include <string.h>

ma_status ma_run_map(const ma_map *map, ma_stream *stream, bool may_decline, bool *ran) {
  const ma_backend *backend = stream->device->backend;
  *ran = true;
  if (!ma_is_host(stream->device) && ma_config_int(MA_CONFIG_VALIDATE) && !stream->capture)
    return ma_validate_map(stream, map);
  if (!may_decline || !backend->map.attempt || ma_program_is_single(map->program)) return backend->map.run(stream, map);
  return backend->map.attempt(stream, map, ran);
}

static inline int64_t stride_along(const ma_array *array, int d, int ndim, int64_t extent) {
  int at = d - (ndim - array->ndim);
  return at >= 0 && array->shape[at] == extent ? array->stride[at] : 0;
}

/* Sets the axes of a map whose result is in C order without gaps: they stay in their order, and are merged. */
static void add_axes_in_order(ma_map *map, const ma_array *const *input, ma_array *const *result, int ndim,
                              const int64_t *shape) {
  int nresult = map->program->noutput, nall = map->space.noperand, last = -1;
  int64_t step[MA_MAX_OPERANDS];
  for (int d = 0; d < ndim; d++) {
    int64_t extent = shape[d];
    if (extent == 1) continue;
    bool joins = last >= 0;
    for (int k = 0; k < nall; k++) {
      step[k] = stride_along(k < nresult ? result[k] : input[k - nresult], d, ndim, extent);
      joins = joins && map->space.stride[k][last] == step[k] * extent;
    }
    if (!joins) last++;
    map->space.shape[last] = joins ? map->space.shape[last] * extent : extent;
    for (int k = 0; k < nall; k++) map->space.stride[k][last] = step[k];
  }
  map->space.ndim = last + 1;
  if (last >= 0) return;
  map->space.ndim = 1;
  map->space.shape[0] = 1;
  for (int k = 0; k < nall; k++) map->space.stride[k][0] = 0;
}

/* Sets the axes of a map whose operands are not all in C order without gaps. */
static void add_axes(ma_map *map, const ma_array *const *input, ma_array *const *result, int ndim,
                     const int64_t *shape) {
  int64_t flip[MA_MAX_OPERANDS];
  int nresult = map->program->noutput, nall = map->space.noperand;
  if (ma_operand_is_packed(result[0], ndim, shape)) {
    add_axes_in_order(map, input, result, ndim, shape);
    return;
  }
  map->space.ndim = ndim;
  memcpy(map->space.shape, shape, (size_t)ndim * sizeof *shape);
  for (int k = 0; k < nall; k++)
    ma_operands_strides(k < nresult ? result[k] : input[k - nresult], ndim, shape, map->space.stride[k]);
  ma_space_collapse(&map->space, true, flip);
  for (int k = 0; k < nall; k++) map->data[k] = (char *)map->data[k] + flip[k];
}

ma_status ma_run_program(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_array *const *result, int ndim, const int64_t *shape, bool flat, ma_stream *stream,
                         bool may_decline, bool *ran) {
  ma_map map;
  int nresult = program->noutput, n = program->ninput;
  map.program = program;
  map.space.noperand = n + nresult;
  map.space.ndim = 1;
  map.space.shape[0] = result[0]->size;
  for (int k = 0; k < nresult; k++) MA_TRY(ma_map_add(&map, k, result[k], true, stream));
  for (int k = 0; k < n; k++) MA_TRY(ma_map_add(&map, nresult + k, input[k], false, stream));
  if (!flat) add_axes(&map, input, result, ndim, shape);
  for (int k = 0; flat && k < nresult + n; k++) ma_map_set_step(&map, k, k < nresult ? result[k] : input[k - nresult]);
  ma_map_set_numbers(&map, program->nscalar, scalar);
  return ma_run_map(&map, stream, may_decline, ran);
}
