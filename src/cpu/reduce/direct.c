/* direct.c: the reduction of a few elements to one (backend/direct.h): what along.c does for a row. */
#include "backend/direct.h"
#include "base/inject.h"
#include "cpu/cpu.h"
#include "cpu/map/ready.h"
#include "cpu/reduce/monoid.h"
#include "cpu/submit.h"

#include <string.h>

/* Whether elements must be packed or cast before they are reduced. */
static bool prepares(const ma_direct *d) { return d->apart || d->loop != d->folded; }

/* Casts and packs the elements. */
static bool prepare(const ma_direct *d, void *to) {
  ma_program program;
  ma_map map;
  int64_t step = ma_dtypes[d->folded].itemsize;
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_cast(&program, ma_program_input(&program, d->loop), d->folded));
  map.program = &program;
  map.data[0] = to;
  map.data[1] = (void *)d->from;
  map.space.noperand = 2;
  map.space.ndim = d->apart ? d->space.ndim : 1;
  for (int k = map.space.ndim - 1; k >= 0; k--) {
    map.space.shape[k] = d->apart ? d->space.shape[k] : d->n;
    map.space.stride[0][k] = step;
    map.space.stride[1][k] = d->apart ? d->space.stride[0][k] : ma_dtypes[d->loop].itemsize;
    step *= map.space.shape[k];
  }
  ma_ready own;
  return ma_cpu_small(ma_cpu_ready(&program, d->n, 0, &own), &map);
}

/* Whether all elements are in one span. */
static bool reduces(const ma_direct *d) {
  size_t value = ma_cpu_monoid(d->reduce, d->folded, false)->value,
         unit = prepares(d) ? ma_dtypes[d->loop].itemsize : value;
  if (d->n > red_span(1, d->n) * RED_CHUNK || (uintptr_t)d->from % (unit < 8 ? unit : 8)) return false;
  return !prepares(d) || d->n * (int)value <= MA_DIRECT_APART;
}

static ma_status reduce(ma_stream *stream, const void *job) {
  _Alignas(MA_ALIGN) char packed[MA_DIRECT_APART];
  const ma_direct *d = job;
  const ma_monoid *monoid = ma_cpu_monoid(d->reduce, d->folded, false);
  _Alignas(16) char total[MA_MAX_PARTIAL], chunk[MA_MAX_PARTIAL], out[sizeof(ma_c128)];
  const char *from = d->from;
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a reduction"));
  if (prepares(d)) {
    if (!prepare(d, packed)) return ma_fail(MA_ERR_INTERNAL, "a small reduction whose elements cannot be packed");
    from = packed;
  }
  for (int r = 0; r < d->n; r += RED_CHUNK) {
    const char *values = from + (size_t)r * monoid->value;
    int n = d->n - r < RED_CHUNK ? d->n - r : RED_CHUNK;
    monoid->total(r ? chunk : total, values, NULL, n, r, r ? total : NULL);
    if (r) monoid->merge(total, total, chunk, 1);
  }
  ma_finish finish = { d->n, 0, d->result, d->reduce == MA_REDUCE_std, false };
  monoid->finish(out, total, 1, &finish);
  memcpy(d->to, out, ma_dtypes[d->result].itemsize); /* this dtype has the same form in memory and in a register */
  return MA_OK;
}

static const char *name_of(const void *job) { return ma_reduces[((const ma_direct *)job)->reduce].name; }

static int64_t bytes_of(const void *job) {
  const ma_direct *d = job;
  return (int64_t)d->n * ma_dtypes[d->loop].itemsize;
}

/* A stream that records gets a program instead, which a graph can keep. */
ma_status ma_cpu_map_direct(ma_stream *stream, const ma_direct *d, bool *ran) {
  static const ma_task task = { .name_of = name_of, .run = reduce, .bytes = bytes_of };
  *ran = !stream->capture && reduces(d);
  return *ran ? ma_cpu_submit(stream, &task, d, sizeof *d) : MA_OK;
}
