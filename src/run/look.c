/* look.c: gathers the facts about a run, and finds its way in ways.def. */
#include "run/look.h"
#include "program/operands.h"

int ma_ways_traced;

enum { /* for the rows of ways.def */
#define FACT(name) name = MA_FACT_##name,
#include "run/ways.def"
};

static const struct {
  uint32_t asked, has; /* asked: what the row has and what it lacks */
  const char *name, *text;
} ways[] = {
#define WAY(name, has, lacks, text) { (has) | (lacks), has, #name, text },
#include "run/ways.def"
};

ma_way ma_way_of(uint32_t facts) {
  int way = 0; /* the last row always applies */
  while ((facts & ways[way].asked) != ways[way].has) way++;
  return (ma_way)way;
}

void ma_way_print(ma_way way, const ma_program *program, int64_t size) {
  if (__atomic_load_n(&ma_ways_traced, __ATOMIC_RELAXED) == 0)
    __atomic_store_n(&ma_ways_traced, ma_config_traces("way") ? 1 : -1, __ATOMIC_RELAXED);
  const char *op = program->body     ? "kernel"
                   : program->ncode  ? ma_ops[program->code[program->ncode - 1].op].name
                   : program->ninput ? "copy"
                                     : "fill";
  ma_trace("way", "%s: %s of %lld elements: %s", ways[way].name, op, (long long)size, ways[way].text);
}

/* ==== Looking ==================================================================================================== */

/* The arrays are not all on the stream's device. */
static ma_status look_at_devices(ma_look *l, int n, const ma_array *const *input, int nresult, ma_array *const *result,
                                 ma_stream **stream) {
  ma_device *device = NULL;
  MA_TRY(ma_operands_device(n, input, nresult, result, &device));
  if (!device || device == (*stream)->device) return MA_OK;
  *stream = ma_device_null_stream(device);
  l->facts |= HERE;
  for (int k = 0; k < n + nresult; k++) {
    const ma_array *array = k < n ? input[k] : result[k - n];
    if (array->buffer && array->buffer->device != device) l->facts &= ~HERE;
  }
  return MA_OK;
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
  if (buffer->readers) facts |= READ;
  if (buffer->pending) facts |= HOLDS;
  if (facts && buffer->movable && !ma_array_folds(to) && ma_hazard_covers(to) && !shares_buffer(nresult, result, k))
    facts |= COVERS;
  return facts;
}

/* Whether a glance shows that none of the facts of a given result holds. */
static inline bool is_free(int n, const ma_array *const *input, const ma_array *to) {
  const ma_buffer *buffer = to->buffer;
  bool free = !buffer->readers && !buffer->pending;
  for (int k = 0; k < n; k++)
    free = free && (input[k] == to || (input[k]->buffer != buffer && input[k]->buffer->movable && buffer->movable));
  return free;
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

ma_status ma_look_at(ma_look *l, const ma_program *program, const ma_array *const *input, ma_array *const *result,
                     ma_stream **stream) {
  int n = program->ninput, nresult = program->noutput;
  const ma_device *device = (*stream)->device;
  const ma_array *first = n ? input[0] : NULL;
  uint32_t facts = MADE | HERE | (n ? MOVABLE : 0) | (nresult == 1 ? ONE : 0);
  bool flat = true, alike = true;
  for (int k = 0; k < n; k++) {
    const ma_array *array = input[k];
    const ma_buffer *buffer = array->buffer;
    if (buffer->pending) facts |= WAITS;
    if (!buffer->movable) facts &= ~MOVABLE;
    if (buffer->device != device) facts &= ~HERE;
    if (ma_operand_is_packed(array, first->ndim, first->shape)) continue;
    flat = false;
    alike = alike && (k == 0 || ma_array_has_shape(array, first->ndim, first->shape));
  }
  for (int k = nresult == 1 && !result[0]->buffer; k < nresult; k++) {
    const ma_array *array = result[k];
    if (!array->buffer) continue;
    facts &= ~MADE;
    if (!first) first = array;
    if (array->buffer->device != device) facts &= ~HERE;
    if (ma_operand_is_packed(array, first->ndim, first->shape)) continue;
    flat = false;
    alike = alike && ma_array_has_shape(array, first->ndim, first->shape);
  }
  l->facts = facts;
  l->flat = flat;
  l->alike = alike;
  if (!(facts & HERE)) MA_TRY(look_at_devices(l, n, input, nresult, result, stream));
  if (!first) {
    l->ndim = 0;
    l->size = 1;
    l->shape = l->broadcast;
  } else if (alike) {
    l->ndim = first->ndim;
    l->size = first->size;
    l->shape = first->shape;
  } else {
    if (!(facts & MADE) || !broadcast(l, n, input))
      MA_TRY(ma_operands_shape(n, input, nresult, result, &l->ndim, l->broadcast));
    l->shape = l->broadcast;
    MA_TRY(ma_shape_size(l->ndim, l->shape, 1, &l->size));
  }
  facts = l->facts;
  if (l->size == 0) facts |= EMPTY;
  if (ma_defer_is_small(*stream, l->size)) facts |= SMALL;
  if ((facts & (MADE | ONE)) == ONE && !is_free(n, input, result[0])) facts |= ma_look_result(n, input, 1, result, 0);
  /* the fact that is dear to find matters neither to what is small nor to what is free */
  bool decided = (facts & (MADE | SMALL | WAITS)) == (MADE | SMALL) ||
                 (facts & (MADE | ONE | WAITS | OVERLAPS | READ | HOLDS)) == ONE;
  if (!decided && ma_is_deferring() && !(*stream)->capture) facts |= DEFERS;
  l->facts = facts;
  return MA_OK;
}
