/* interpolate.c: B-splines and grids over arrays: checks, and the making of results. The Lua layer gives contiguous
** arrays. */
#include "ops/fields/interpolate.h"

#include <inttypes.h>

static ma_status take(const ma_array *a, ma_dtype dtype, int ndim, ma_stream *stream, const double **data) {
  const void *at;
  if (a->dtype != dtype || a->ndim != ndim || !ma_array_is_contiguous(a))
    return ma_fail(MA_ERR_TYPE, "%s of %d axes; %s of %d, contiguous, is wanted", ma_dtypes[a->dtype].name, a->ndim,
                   ma_dtypes[dtype].name, ndim);
  MA_TRY(ma_array_read(a, stream, &at));
  *data = at;
  return MA_OK;
}

static ma_status make(ma_array *result, const ma_array *like, ma_dtype dtype, int ndim, const int64_t *shape,
                      ma_stream *stream, void *data) {
  MA_TRY(ma_array_new(result, ma_array_device(like), dtype, ndim, shape));
  if (result->size == 0) return MA_OK;
  ma_status status = ma_array_write(result, stream, data);
  if (status != MA_OK) ma_array_release(result);
  return status;
}

/* ==== B-splines ================================================================================================== */

static ma_status open_spline(const ma_spline_of *s, ma_bspline *job, ma_stream *stream) {
  if (s->degree < 0 || s->degree > MA_SPLINE_DEGREES || s->nu < 0)
    return ma_fail(MA_ERR_VALUE, "a derivative of order %" PRId64 " of a spline of degree %" PRId64 "; degrees to %d",
                   s->nu, s->degree, MA_SPLINE_DEGREES);
  if (s->t->ndim != 1 || s->t->size < 2 * s->degree + 2)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " knots of degree %" PRId64 "; 2 k + 2 at least", s->t->size, s->degree);
  job->degree = (int32_t)s->degree;
  job->nu = s->nu > s->degree ? job->degree + 1 : (int32_t)s->nu;
  job->n = s->t->size - s->degree - 1;
  job->m = s->x->size;
  MA_TRY(take(s->t, MA_FLOAT64, 1, stream, &job->t));
  return take(s->x, MA_FLOAT64, 1, stream, &job->x);
}

static ma_status run_spline(const ma_bspline *job, const ma_array *t, ma_stream *stream) {
  return job->m == 0 ? MA_OK : ma_array_device(t)->backend->interpolate.bspline(stream, job);
}

ma_status ma_bspline_sums(const ma_spline_of *spline, const ma_array *rows, ma_array *to, ma_stream *stream) {
  ma_bspline job = { .count = 0 };
  ma_dtype dtype = rows->dtype == MA_COMPLEX128 ? MA_COMPLEX128 : MA_FLOAT64;
  to->buffer = NULL;
  MA_TRY(open_spline(spline, &job, stream));
  MA_TRY(take(rows, dtype, 2, stream, &job.rows));
  if (rows->shape[0] < job.n)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " rows for %" PRId64 " B-splines; as many", rows->shape[0], job.n);
  job.count = rows->shape[1] * (dtype == MA_COMPLEX128 ? 2 : 1);
  MA_TRY(make(to, rows, dtype, 2, (const int64_t[]){ job.m, rows->shape[1] }, stream, &job.to));
  ma_status status = to->size ? run_spline(&job, spline->t, stream) : MA_OK;
  if (status != MA_OK) ma_array_release(to);
  return status;
}

ma_status ma_bspline_basis(const ma_spline_of *spline, ma_array *const *two, ma_stream *stream) {
  ma_bspline job = { .count = 0 };
  two[0]->buffer = two[1]->buffer = NULL;
  MA_TRY(open_spline(spline, &job, stream));
  MA_TRY(make(two[0], spline->t, MA_INT64, 1, &job.m, stream, &job.first));
  ma_status status = make(two[1], spline->t, MA_FLOAT64, 2, (const int64_t[]){ job.degree + 1, job.m }, stream,
                          &job.basis);
  if (status == MA_OK) status = run_spline(&job, spline->t, stream);
  if (status == MA_OK) return MA_OK;
  ma_array_release(two[0]);
  if (two[1]->buffer) ma_array_release(two[1]);
  return status;
}

ma_status ma_bspline_bands(const ma_spline_of *spline, int64_t shift, int64_t lower, int64_t upper, ma_array *to,
                           ma_stream *stream) {
  ma_bspline job = { .shift = shift, .lower = lower, .width = lower + upper + 1 };
  to->buffer = NULL;
  if (lower < 0 || upper < 0 || lower > INT32_MAX || upper > INT32_MAX)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " and %" PRId64 " diagonals; 0 or more", lower, upper);
  MA_TRY(open_spline(spline, &job, stream));
  MA_TRY(make(to, spline->t, MA_FLOAT64, 2, (const int64_t[]){ job.m, job.width }, stream, &job.bands));
  ma_status status = run_spline(&job, spline->t, stream);
  if (status != MA_OK) ma_array_release(to);
  return status;
}

/* ==== Grids ====================================================================================================== */

ma_status ma_regular_run(const ma_array *points, const ma_array *rows, const ma_array *const *axis, bool nearest,
                         const double *fill, ma_array *to, ma_array *outside, ma_stream *stream) {
  ma_device *device = ma_array_device(points);
  bool is_complex = rows->dtype == MA_COMPLEX128;
  ma_regular job = { .nearest = nearest, .fills = fill != NULL, .fill = fill ? *fill : 0, .is_complex = is_complex };
  int64_t step = 1;
  to->buffer = NULL;
  if (outside) outside->buffer = NULL;
  MA_TRY(take(points, MA_FLOAT64, 2, stream, &job.points));
  MA_TRY(take(rows, is_complex ? MA_COMPLEX128 : MA_FLOAT64, 2, stream, &job.rows));
  if (points->shape[1] < 1 || points->shape[1] > MA_MAX_NDIM)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " axes of a grid; 1 to %d", points->shape[1], MA_MAX_NDIM);
  job.axes = (int32_t)points->shape[1];
  for (int k = job.axes - 1; k >= 0; k--) {
    MA_TRY(take(axis[k], MA_FLOAT64, 1, stream, &job.axis[k].x));
    job.axis[k].n = axis[k]->size;
    job.axis[k].stride = step;
    step *= axis[k]->size;
  }
  if (step == 0 || step != rows->shape[0])
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " rows for a grid of %" PRId64 "; as many, at least one", rows->shape[0],
                   step);
  job.n = points->shape[0];
  job.count = rows->shape[1] * (is_complex ? 2 : 1);
  MA_TRY(make(to, rows, (ma_dtype)rows->dtype, 2, (const int64_t[]){ job.n, rows->shape[1] }, stream, &job.to));
  ma_status status = outside ? make(outside, points, MA_BOOL, 1, &job.n, stream, &job.outside) : MA_OK;
  if (status == MA_OK && job.n > 0) {
    if (job.count > 0) status = device->backend->interpolate.regular(stream, &job);
  }
  if (status == MA_OK) return MA_OK;
  ma_array_release(to);
  if (outside && outside->buffer) ma_array_release(outside);
  return status;
}
