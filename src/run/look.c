/* look.c: the parts of a look at the arrays of a run that few runs need, and the names of ways (ways.def). */
#include "run/look.h"

int ma_ways_traced;

enum { /* for the rows of ways.def */
#define FACT(name) name = MA_FACT_##name,
#include "run/ways.def"
};

static const struct {
  const char *name, *text;
} ways[] = {
#define WAY(name, has, lacks, text) { #name, text },
#include "run/ways.def"
};

const char *ma_way_name(const ma_program *program) {
  if (program->body) return "kernel";
  return program->ncode ? ma_ops[program->code[program->ncode - 1].op].name : program->ninput ? "copy" : "fill";
}

void ma_way_print(ma_way way, const char *op, int64_t size) {
  if (__atomic_load_n(&ma_ways_traced, __ATOMIC_RELAXED) == 0)
    __atomic_store_n(&ma_ways_traced, ma_config_traces("way") ? 1 : -1, __ATOMIC_RELAXED);
  ma_trace("way", "%s: %s of %lld elements: %s", ways[way].name, op, (long long)size, ways[way].text);
}

/* ==== Looking ==================================================================================================== */

ma_status ma_look_elsewhere(ma_look *l, const ma_program *program, const ma_array *const *input,
                            ma_array *const *result, ma_stream **stream) {
  int n = program->ninput, nresult = program->noutput;
  ma_device *device = NULL;
  MA_TRY(ma_operands_device(n, input, nresult, result, &device));
  if (!device || device == (*stream)->device) return MA_OK;
  *stream = ma_device_null_stream(device);
  l->facts &= ~(uint32_t)AWAY;
  for (int k = 0; k < n + nresult; k++) {
    const ma_array *array = k < n ? input[k] : result[k - n];
    if (array->buffer && array->buffer->device != device) l->facts |= AWAY;
  }
  return MA_OK;
}

uint32_t ma_look_results(int nresult, ma_array *const *result, const ma_array **first, const ma_device *device,
                         uint32_t facts) {
  for (int k = 0; k < nresult; k++) {
    if (!result[k]->buffer) continue;
    if (!*first) *first = result[k];
    facts = (facts & ~(uint32_t)MADE) | ma_look_one(result[k], *first, device);
  }
  return facts;
}

static bool shares_buffer(int nresult, ma_array *const *result, int k) {
  for (int j = 0; j < nresult; j++)
    if (j != k && result[j]->buffer == result[k]->buffer) return true;
  return false;
}

/* Whether writing result k while the inputs are read would change an input or another result. */
static bool overlaps(int n, const ma_array *const *input, int nresult, ma_array *const *result, int k) {
  const ma_array *to = result[k];
  for (int j = 0; j < n; j++)
    if (ma_array_overlaps(to, input[j]) && !ma_operands_same(to, input[j])) return true;
  for (int j = 0; j < nresult; j++)
    if (j != k && result[j]->buffer && ma_array_overlaps(to, result[j])) return true;
  return false;
}

/* The one rule of when memory may be written: `place` in ways.def. */
uint32_t ma_look_result(int n, const ma_array *const *input, int nresult, ma_array *const *result, int k) {
  const ma_array *to = result[k];
  const ma_buffer *buffer = to->buffer;
  uint32_t facts = overlaps(n, input, nresult, result, k) ? OVERLAPS : 0;
  if (buffer->readers && !ma_hazard_is_apart(to)) facts |= READ;
  if (buffer->pending) facts |= HOLDS;
  if (facts && buffer->movable && !ma_array_folds(to) && ma_hazard_covers(to) && !shares_buffer(nresult, result, k))
    facts |= COVERS;
  return facts;
}

/* The broadcast shape of arrays that are not alike; false: there is none. */
static bool broadcast(ma_look *l, int n, const ma_array *const *input) {
  int64_t *shape = l->broadcast;
  l->ndim = 0;
  for (int k = 0; k < n; k++)
    if (input[k]->ndim > l->ndim) l->ndim = input[k]->ndim;
  for (int d = 0; d < l->ndim; d++) shape[d] = 1;
  for (int k = 0; k < n; k++) {
    const ma_array *array = input[k];
    int64_t *at = shape + l->ndim - array->ndim;
    for (int d = 0; d < array->ndim; d++) {
      if (at[d] == 1) at[d] = array->shape[d];
      else if (array->shape[d] != 1 && array->shape[d] != at[d]) return false;
    }
  }
  return true;
}

ma_status ma_look_apart(ma_look *l, const ma_program *program, const ma_array *const *input, ma_array *const *result) {
  int n = program->ninput, nresult = program->noutput;
  if (!(l->facts & MADE) || !broadcast(l, n, input))
    MA_TRY(ma_operands_shape(n, input, nresult, result, &l->ndim, l->broadcast));
  l->shape = l->broadcast;
  return ma_shape_size(l->ndim, l->shape, 1, &l->size);
}
