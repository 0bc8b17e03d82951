/* fused_leaves.c: the draws of a fused function are made where its program reads them, and not as arrays before. Such a
** program runs as a stencil that reads no neighbours, since stencils have draws for inputs on both backends. */
#include "compile/compile.h"
#include "kernel/trace.h"
#include "memory/memory.h"

#include <string.h>

#define NDIM MA_STENCIL_NDIM

void ma_fused_leaves(ma_fused *plan, int draw, int ndraw, ma_stencil_plan *leaves) {
  const ma_fused_part *part = &plan->run[plan->nrun - 1];
  int nfield = 0, narray = 0;
  if (part->reduce >= 0) return;
  memset(leaves, 0, sizeof *leaves);
  for (int k = 0; k < part->program.ninput; k++) nfield += part->input[k] < draw || part->input[k] >= draw + ndraw;
  if (nfield == part->program.ninput) return;
  bool none = nfield == 0; /* then some array stands for the shape */
  leaves->nfield = (uint8_t)(nfield + none);
  nfield = 0;
  for (int k = 0; k < part->program.ninput; k++) {
    bool drawn = part->input[k] >= draw && part->input[k] < draw + ndraw;
    if (drawn) leaves->drawn |= UINT32_C(1) << narray;
    leaves->read[k].field = (uint8_t)(drawn ? leaves->nfield + narray++ : nfield++);
  }
  leaves->narray = (uint8_t)narray;
  leaves->ndim = NDIM;
  ma_program_clone(&leaves->program, &part->program);
  ma_stencil_settle(leaves);
  plan->leaves = leaves;
}

/* Axes of fields and results that are walked together. */
typedef struct axes {
  int ndim;
  int64_t shape[MA_MAX_NDIM];
  int n;
  ma_array *array[MA_STENCIL_FIELDS]; /* views without a reference */
} axes;

/* Adds a view of an array with the shape of all. Returns false if it has not, or lies in another order than C's. */
static bool add_view(axes *a, ma_array *view, const ma_array *array, int ndim, const int64_t *shape) {
  int64_t last = INT64_MAX;
  *view = *array;
  for (int d = 0; d < ndim; d++) {
    int own = d - (ndim - array->ndim);
    bool repeated = own < 0 || array->shape[own] != shape[d];
    view->shape[d] = shape[d];
    view->stride[d] = repeated ? 0 : array->stride[own];
    if (repeated || shape[d] == 1) continue;
    if (view->stride[d] > last || view->stride[d] < 0) return false;
    last = view->stride[d];
  }
  view->ndim = (uint8_t)ndim;
  a->array[a->n++] = view;
  return true;
}

/* Whether axes d and d + 1 are one. */
static bool are_one(const axes *a, int d) {
  for (int k = 0; k < a->n; k++)
    if (a->array[k]->stride[d] != a->array[k]->stride[d + 1] * a->shape[d + 1]) return false;
  return a->shape[d] * a->shape[d + 1] <= MA_STENCIL_EXTENT;
}

static void copy_axis(axes *a, int to, int from) {
  a->shape[to] = a->shape[from];
  for (int k = 0; k < a->n; k++) a->array[k]->stride[to] = a->array[k]->stride[from];
}

/* Merges axes until there are three, with leading ones of extent 1. Returns false if there are more, or longer ones. */
static bool merge(axes *a, int ndim, const int64_t *shape) {
  int n = 0;
  memcpy(a->shape, shape, (size_t)ndim * sizeof *shape);
  for (int d = 0; d < ndim; d++)
    if (shape[d] != 1) copy_axis(a, n++, d);
  for (int d = n - 2; d >= 0; d--) {
    if (!are_one(a, d)) continue;
    int64_t extent = a->shape[d] * a->shape[d + 1];
    for (int e = d; e + 1 < n; e++) copy_axis(a, e, e + 1);
    a->shape[d] = extent;
    n--;
  }
  if (n > NDIM) return false;
  for (int d = NDIM - 1; d >= 0; d--) {
    int from = d - (NDIM - n);
    if (from >= 0) copy_axis(a, d, from);
    else a->shape[d] = 1;
    for (int k = 0; k < a->n && from < 0; k++) a->array[k]->stride[d] = 0;
  }
  for (int k = 0; k < a->n; k++) ma_array_set_shape(a->array[k], NDIM, a->shape, a->array[0]->size);
  for (int d = 0; d < NDIM; d++)
    if (a->shape[d] > MA_STENCIL_EXTENT) return false;
  return true;
}

/* The fields: what the part reads besides draws, or an array that stands for the shape. Returns false if there are
** none, or if they are on other devices. */
static bool add_fields(axes *a, ma_array *view, const ma_fused_part *part, const ma_stencil_plan *leaves,
                       const ma_fused_call *call, int ndim, const int64_t *shape, const ma_stream *stream) {
  int place[MA_MAX_INPUTS], n = 0;
  for (int k = 0; k < part->program.ninput; k++)
    if (part->input[k] < call->draw || part->input[k] >= call->draw + call->ndraw) place[n++] = part->input[k];
  for (int k = 0; k < MA_MAX_TRACE_ARGS && n < leaves->nfield; k++)
    if (call->given >> k & 1) place[n++] = k;
  for (int k = 0; k < n; k++) {
    const ma_array *array = call->argument[place[k]].array;
    if (ma_array_device(array) != stream->device || !add_view(a, &view[k], array, ndim, shape)) return false;
  }
  return n > 0;
}

/* Given results have the shape, and memory of their own. */
static bool add_results(axes *a, ma_array *view, int n, ma_array *const *result, int ndim, const int64_t *shape) {
  for (int k = 0; k < n; k++) {
    if (!result[k]->buffer) continue;
    if (!ma_array_has_shape(result[k], ndim, shape)) return false;
    for (int j = 0; j < a->n; j++)
      if (ma_array_overlaps(result[k], a->array[j])) return false;
    if (!add_view(a, &view[k], result[k], ndim, shape)) return false;
  }
  return true;
}

/* Gives a new result, which is packed, the shape of all. */
static void finish(ma_array *result, const ma_array *made, int ndim, const int64_t *shape) {
  int64_t step = ma_dtypes[made->dtype].itemsize;
  *result = *made;
  ma_array_set_shape(result, ndim, shape, made->size);
  for (int d = ndim - 1; d >= 0; d--) {
    result->stride[d] = step;
    step *= shape[d];
  }
}

ma_status ma_fused_run_leaves(const ma_fused *plan, const ma_fused_call *call, int ndim, const int64_t *shape,
                              const ma_value *scalar, ma_array *const *result, ma_stream *stream, bool *done) {
  const ma_fused_part *part = &plan->run[plan->nrun - 1];
  ma_stencil_plan *leaves = plan->leaves;
  ma_array view[MA_MAX_INPUTS + 1], out[MA_MAX_OUTPUTS], *to[MA_MAX_OUTPUTS];
  const ma_array *field[MA_STENCIL_FIELDS] = { NULL };
  ma_drawn drawn[MA_MAX_INPUTS];
  axes a = { .n = 0 };
  int64_t size = 1;
  for (int d = 0; d < ndim; d++) size *= shape[d];
  *done = size && add_fields(&a, view, part, leaves, call, ndim, shape, stream) &&
          add_results(&a, out, part->program.noutput, result, ndim, shape);
  if (!*done) return MA_OK;
  a.array[0]->size = size;
  if (!(*done = merge(&a, ndim, shape))) return MA_OK;
  for (int k = 0; k < leaves->nfield; k++) field[k] = &view[k];
  for (int k = 0, n = 0; k < part->program.ninput; k++)
    if (part->input[k] >= call->draw && part->input[k] < call->draw + call->ndraw)
      drawn[n++] = call->drawn[part->input[k] - call->draw];
  for (int k = 0; k < part->program.noutput; k++) {
    to[k] = &out[k];
    if (!result[k]->buffer) out[k] = (ma_array){ .buffer = NULL };
  }
  memcpy(leaves->scalar, scalar, part->program.nscalar * sizeof *scalar);
  ma_status status = ma_stencil_run(leaves, field, drawn, to, ma_compile_yields(), stream);
  if (status == MA_ERR_LACK) { /* draws as arrays, and single operations, need kernels that there are more likely */
    ma_lack_forget();
    *done = false;
    return MA_OK;
  }
  MA_TRY(status);
  for (int k = 0; k < part->program.noutput; k++)
    if (!result[k]->buffer) finish(result[k], &out[k], ndim, shape);
  return MA_OK;
}
