/* transform.c: values of splines at places of an image on the CPU. Diagonal matrices (zoom, shift) take what each axis
** contributes from tables; other places are computed one by one. */
#include "cpu/cpu.h"
#include "cpu/ndimage/ndimage.h"
#include "backend/filter.h"
#include "cpu/submit.h"
#include "kernels/ndimage/spline.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

#define MOST_POINTS 7776 /* 6^5: over all axes but the last */
#define OUTSIDE INT64_MIN

/* What a place along an axis takes. */
typedef struct point {
  bool inside;
  int64_t at[MA_SPLINE_MOST];
  double weight[MA_SPLINE_MOST];
} point;

typedef struct plan {
  const ma_transform *t;
  int64_t count, rows;
  int64_t stride[MA_TRANSFORM_MOST_AXES]; /* in elements */
  point *table[MA_TRANSFORM_MOST_AXES];   /* diagonal matrices: by the position in the result */
  int npoint;                             /* over all axes but the last */
  ma_window_loop *combine;
  ma_row_loop *store;
} plan;

#define T float
#define NAMED(name) name##_f4
#include "cpu/ndimage/transform_loop.h"
#define T double
#define NAMED(name) name##_f8
#include "cpu/ndimage/transform_loop.h"

static ma_status run_values(void *context, int64_t first, int64_t last) {
  const plan *p = context;
  _Alignas(64) double block[MA_BLOCK];
  size_t size = ma_dtypes[p->t->to_dtype].itemsize;
  for (int64_t i = first; i < last; i += MA_BLOCK) {
    int64_t n = last - i < MA_BLOCK ? last - i : MA_BLOCK;
    if (p->t->from_dtype == MA_FLOAT32) values_f4(p, (float *)(void *)block, i, n);
    else values_f8(p, block, i, n);
    p->store((char *)p->t->to + (size_t)i * size, block, n);
  }
  return MA_OK;
}

static ma_status run_rows(void *context, int64_t first, int64_t last) {
  const plan *p = context;
  const ma_transform *t = p->t;
  size_t size = ma_dtypes[t->from_dtype].itemsize, n = (size_t)p->npoint;
  size_t in = (size_t)(t->shape[t->ndim - 1] + 7) / 8 * 8, out = (size_t)t->out_shape[t->ndim - 1];
  char *memory = malloc(n * 16 + (2 * in + out) * size);
  if (!memory) return ma_fail(MA_ERR_MEMORY, "out of memory for a row of %lld elements", (long long)out);
  const void **rows = (const void **)(void *)memory;
  double *weights = (double *)(void *)(memory + n * 8);
  char *row = memory + n * 16, *constant = row + in * size, *result = constant + in * size;
  for (size_t i = 0; i < in; i++)
    if (size == 4) ((float *)(void *)constant)[i] = (float)t->cval;
    else ((double *)(void *)constant)[i] = t->cval;
  for (int64_t k = first; k < last; k++) {
    int64_t at[MA_TRANSFORM_MOST_AXES] = { 0 }, rest = k;
    for (int d = t->ndim - 2; d >= 0; d--) {
      at[d] = rest % t->out_shape[d];
      rest /= t->out_shape[d];
    }
    if (size == 4)
      row_f4(p, (float *)(void *)result, (float *)(void *)row, (float *)(void *)constant, rows, weights, at);
    else row_f8(p, (double *)(void *)result, (double *)(void *)row, (double *)(void *)constant, rows, weights, at);
    p->store((char *)t->to + (size_t)k * out * ma_dtypes[t->to_dtype].itemsize, result, (int64_t)out);
  }
  free(memory);
  return MA_OK;
}

static ma_status make_tables(plan *p) {
  const ma_transform *t = p->t;
  for (int d = 0; d < t->ndim; d++) {
    if (!(p->table[d] = malloc((size_t)t->out_shape[d] * sizeof *p->table[d])))
      return ma_fail(MA_ERR_MEMORY, "out of memory for the places of %lld elements", (long long)t->out_shape[d]);
    for (int64_t i = 0; i < t->out_shape[d]; i++) {
      point *q = &p->table[d][i];
      double place = ((double)i + t->before[d]) * t->matrix[d][d] + t->shift[d] + t->pad;
      q->inside = ma_spline_place(place, t->shape[d], t->order, t->mode, q->at, q->weight);
    }
  }
  return MA_OK;
}

static ma_status run_transform(ma_stream *stream, const void *job) {
  const ma_transform *t = job;
  plan p = { .t = t, .count = 1, .rows = 1, .npoint = 1 };
  ma_status status = MA_OK;
  for (int d = 0; d < t->out_ndim; d++) p.count *= t->out_shape[d];
  for (int64_t d = t->ndim - 1, stride = 1; d >= 0; stride *= t->shape[d--]) p.stride[d] = stride;
  for (int d = 0; d < t->ndim - 1; d++) p.npoint *= t->order + 1;
  p.store = ma_row_store(t->from_dtype, t->to_dtype, true);
  p.combine = ma_window_find(MA_FILTER_CORRELATE, t->from_dtype);
  if (p.npoint > MOST_POINTS)
    return ma_fail(MA_ERR_VALUE, "%d points of a spline for each element; wanted at most %d", p.npoint, MOST_POINTS);
  if (!t->diagonal) return ma_cpu_parallel(p.count, TUNE_THREAD_SLOW, run_values, &p);
  p.rows = p.count / t->out_shape[t->ndim - 1];
  status = make_tables(&p);
  if (status == MA_OK) status = ma_cpu_parallel(p.rows, TUNE_THREAD_SLOW / t->out_shape[t->ndim - 1], run_rows, &p);
  for (int d = 0; d < t->ndim; d++) free(p.table[d]);
  return status;
}

static int64_t transform_bytes(const void *job) {
  const ma_transform *t = job;
  int64_t from = 1, to = 1;
  for (int d = 0; d < t->ndim; d++) from *= t->shape[d];
  for (int d = 0; d < t->out_ndim; d++) to *= t->out_shape[d];
  return from * ma_dtypes[t->from_dtype].itemsize + to * ma_dtypes[t->to_dtype].itemsize +
         (t->coordinates ? to * t->ndim * ma_dtypes[t->coordinate_dtype].itemsize : 0);
}

MA_CPU_SLOT(ma_cpu_filter_transform, ma_transform, .name = "transform", .run = run_transform, .bytes = transform_bytes)
