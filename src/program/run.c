/* run.c: runs a settled program. Its inputs are in memory and no pending program reads what it writes, so it takes
** buffers as they are. */
#include "program/operands.h"
#include "program/run.h"

#include <string.h>

ma_status ma_run_map(const ma_map *map, ma_stream *stream, bool may_decline, bool *ran) {
  const ma_backend *backend = stream->device->backend;
  *ran = true;
  if (ma_config_int(MA_CONFIG_VALIDATE) && stream->device != ma_device_cpu() && !stream->capture)
    return ma_validate_map(stream, map);
  if (!may_decline || !backend->map.attempt || ma_program_is_single(map->program)) return backend->map.run(stream, map);
  return backend->map.attempt(stream, map, ran);
}

ma_status ma_run_program(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_array *const *result, int ndim, const int64_t *shape, ma_stream *stream, bool may_decline,
                         bool *ran) {
  ma_map map;
  int64_t flip[MA_MAX_OPERANDS];
  int nresult = program->noutput, n = program->ninput, nall = n + nresult;
  map.program = program;
  map.space.noperand = nall;
  bool flat = true;
  for (int k = 0; k < nall; k++) {
    const ma_array *array = k < nresult ? result[k] : input[k - nresult];
    MA_TRY(ma_buffer_use(array->buffer, stream, k < nresult));
    map.data[k] = (char *)array->buffer->ptr + array->offset;
    flat = flat && ma_operand_is_packed(array, ndim, shape);
    map.space.stride[k][0] = ma_dtypes[array->dtype].itemsize;
  }
  if (flat) {
    map.space.ndim = 1;
    map.space.shape[0] = result[0]->size;
  } else {
    map.space.ndim = ndim;
    memcpy(map.space.shape, shape, (size_t)ndim * sizeof *shape);
    for (int k = 0; k < nall; k++)
      ma_operands_strides(k < nresult ? result[k] : input[k - nresult], ndim, shape, map.space.stride[k]);
    ma_space_collapse(&map.space, true, flip);
    for (int k = 0; k < nall; k++) map.data[k] = (char *)map.data[k] + flip[k];
  }
  for (int k = 0; k < program->nscalar; k++) map.scalar[k] = scalar[k];
  return ma_run_map(&map, stream, may_decline, ran);
}
