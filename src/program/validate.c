/* validate.c: MOONARRAY_VALIDATE=1 repeats every elementwise program of a GPU on the CPU, over copies of its
** operands, and compares the results. It waits for each result, so it is only for finding faults. */
#include "program/arrange.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes from an operand's lowest to its highest element. */
typedef struct extent {
  int64_t low, size;
  char *host, *result;
} extent;

static void find_extent(const ma_map *map, int k, size_t itemsize, extent *e) {
  int64_t high;
  ma_space_reach(&map->space, k, itemsize, &e->low, &high);
  e->size = high - e->low;
}

static ma_dtype operand_dtype(const ma_program *program, int k) {
  return k < program->noutput ? ma_program_dtype(program, program->output[k])
                              : (ma_dtype)program->input_dtype[k - program->noutput];
}

/* Whether two values agree. Results of transcendental functions may differ by a few units in the last place, others not
** at all. */
static bool agrees(const char *a, const char *b, ma_dtype dtype) {
  static const double epsilon[MA_NDTYPE] = {
    [MA_FLOAT16] = 0x1p-10,   [MA_BFLOAT16] = 0x1p-7, [MA_FLOAT32] = 0x1p-23,
    [MA_COMPLEX64] = 0x1p-23, [MA_FLOAT64] = 0x1p-52, [MA_COMPLEX128] = 0x1p-52
  };
  if (memcmp(a, b, ma_dtypes[dtype].itemsize) == 0) return true;
  if (epsilon[dtype] == 0) return false;
  ma_c128 x = ma_value_load(a, dtype).c, y = ma_value_load(b, dtype).c;
  if ((isnan(x.re) || isnan(x.im)) && (isnan(y.re) || isnan(y.im))) return true;
  double size = fmax(hypot(x.re, x.im), hypot(y.re, y.im));
  return hypot(x.re - y.re, x.im - y.im) <= 64 * epsilon[dtype] * size;
}

/* Compares output k over all elements. */
static ma_status compare(const ma_map *map, int k, const extent *e) {
  const ma_space *s = &map->space;
  ma_dtype dtype = operand_dtype(map->program, k);
  int64_t at[MA_MAX_NDIM] = { 0 }, offset = -e->low;
  for (;;) {
    if (!agrees(e->host + offset, e->result + offset, dtype)) {
      char text[1000];
      ma_program_print(map->program, text, sizeof text);
      ma_c128 cpu = ma_value_load(e->host + offset, dtype).c, gpu = ma_value_load(e->result + offset, dtype).c;
      if (ma_dtypes[dtype].kind < MA_KIND_FLOAT)
        return ma_fail(MA_ERR_INTERNAL, "%lld on the device, %lld on the CPU, of dtype %s, by the program\n%s",
                       (long long)ma_value_load(e->result + offset, dtype).i,
                       (long long)ma_value_load(e->host + offset, dtype).i, ma_dtypes[dtype].name, text);
      return ma_fail(MA_ERR_INTERNAL,
                     "%.17g%+.17gi on the device, %.17g%+.17gi on the CPU, of dtype %s, by the program\n%s", gpu.re,
                     gpu.im, cpu.re, cpu.im, ma_dtypes[dtype].name, text);
    }
    int d = s->ndim - 1;
    for (; d >= 0; d--) {
      offset += s->stride[k][d];
      if (++at[d] < s->shape[d]) break;
      offset -= s->stride[k][d] * s->shape[d];
      at[d] = 0;
    }
    if (d < 0) return MA_OK;
  }
}

static ma_status copy_operand(ma_stream *stream, const ma_map *map, int k, const extent *e, char **host) {
  *host = malloc((size_t)e->size);
  if (!*host) return ma_fail(MA_ERR_MEMORY, "out of memory: MOONARRAY_VALIDATE copies every operand");
  return stream->device->backend->memory.copy(stream, *host, (char *)map->data[k] + e->low, (size_t)e->size,
                                              MA_COPY_TO_HOST);
}

ma_status ma_validate_map(ma_stream *stream, const ma_map *map) {
  extent e[MA_MAX_OPERANDS] = { { 0 } };
  ma_map mirror = *map;
  ma_status status = MA_OK;
  int nout = map->program->noutput;
  uint64_t places = (uint64_t)ma_program_places(map->program) << nout; /* have no memory */
  /* Outputs are copied too, because bytes between their elements must stay. */
  for (int k = 0; k < map->space.noperand && status == MA_OK; k++) {
    if (places >> k & 1) continue;
    find_extent(map, k, ma_dtypes[operand_dtype(map->program, k)].itemsize, &e[k]);
    status = copy_operand(stream, map, k, &e[k], &e[k].host);
    mirror.data[k] = e[k].host - e[k].low;
  }
  if (status == MA_OK) status = stream->device->backend->map.run(stream, map);
  if (status == MA_OK) status = ma_device_cpu()->backend->map.run(ma_device_null_stream(ma_device_cpu()), &mirror);
  for (int k = 0; k < nout && status == MA_OK; k++) {
    status = copy_operand(stream, map, k, &e[k], &e[k].result);
    if (status == MA_OK) status = compare(map, k, &e[k]);
  }
  for (int k = 0; k < map->space.noperand; k++) {
    free(e[k].host);
    free(e[k].result);
  }
  return status;
}
