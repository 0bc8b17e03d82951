/* spatial.c: distances of vectors in the rows of matrices. */
#include "ops/fields/spatial.h"
#include "ops/ops.h"

#include <inttypes.h>
#include <string.h>

static const char *const names[MA_NMETRIC] = {
#define METRIC(name, step, finish) #name,
#include "kernels/spatial/metrics.h"
};

ma_metric ma_metric_find(const char *name) {
  int k = 0;
  while (k < MA_NMETRIC && strcmp(names[k], name) != 0) k++;
  return (ma_metric)k;
}

static ma_status check(const ma_array *x, const ma_array *y, const ma_array *weights) {
  if (x->ndim != 2 || y->ndim != 2 || x->shape[1] != y->shape[1])
    return ma_fail(MA_ERR_VALUE,
                   "operands of %d and %d axes with %" PRId64 " and %" PRId64
                   " components; wanted two matrices of equally long rows",
                   x->ndim, y->ndim, x->ndim ? x->shape[x->ndim - 1] : 0, y->ndim ? y->shape[y->ndim - 1] : 0);
  if ((x->dtype != MA_FLOAT32 && x->dtype != MA_FLOAT64) || y->dtype != x->dtype ||
      (weights && weights->dtype != x->dtype))
    return ma_fail(MA_ERR_TYPE, "%s and %s; one dtype is wanted, float32 or float64", ma_dtypes[x->dtype].name,
                   ma_dtypes[y->dtype].name);
  if (weights && (weights->ndim != 1 || weights->size != x->shape[1]))
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " weights of %" PRId64 " components; wanted one for each", weights->size,
                   x->shape[1]);
  return MA_OK;
}

ma_status ma_pairs_run(const ma_array *x, const ma_array *y, ma_metric metric, double p, const ma_array *weights,
                       ma_array *to, ma_stream *stream) {
  ma_array rows = { .buffer = NULL }, others = { .buffer = NULL }, weight = { .buffer = NULL };
  ma_device *device = ma_array_device(x);
  bool triangle = y == NULL;
  to->buffer = NULL;
  MA_TRY(check(x, y ? y : x, weights));
  int64_t m = x->shape[0], n = y ? y->shape[0] : m, shape[2] = { triangle ? m * (m - 1) / 2 : m, n };
  ma_pairs job = {
    .dtype = (ma_dtype)x->dtype, .metric = metric, .m = m, .n = n, .k = x->shape[1], .p = p, .triangle = triangle
  };
  MA_TRY(ma_array_new(to, device, (ma_dtype)x->dtype, triangle ? 1 : 2, shape));
  if (to->size == 0) return MA_OK;
  ma_status status = ma_array_packed(&rows, x, (ma_dtype)x->dtype, stream);
  if (status == MA_OK && y) status = ma_array_packed(&others, y, (ma_dtype)y->dtype, stream);
  if (status == MA_OK && weights) status = ma_array_packed(&weight, weights, (ma_dtype)weights->dtype, stream);
  if (status == MA_OK) status = ma_array_read(&rows, stream, &job.x);
  job.y = job.x;
  if (status == MA_OK && y) status = ma_array_read(&others, stream, &job.y);
  if (status == MA_OK && weights) status = ma_array_read(&weight, stream, &job.weights);
  if (status == MA_OK) status = ma_array_write(to, stream, &job.to);
  if (status == MA_OK) status = device->backend->spatial.pairs(stream, &job);
  ma_array_release(&rows);
  ma_array_release(&others);
  ma_array_release(&weight);
  if (status != MA_OK) ma_array_release(to);
  return status;
}

/* ==== k-d trees ================================================================================================== */

/* Takes the operands of a tree. The Lua layer has made them: they are contiguous, and of one device. */
static ma_status tree_of(const ma_tree_arrays *a, ma_stream *stream, ma_tree *tree) {
  int64_t leaves = a->points->ndim == 3 ? a->points->shape[0] : 0, leaf = leaves ? a->points->shape[2] : 0;
  const void *positions;
  *tree = (ma_tree){ .dtype = (ma_dtype)a->points->dtype, .p = a->p, .leaf = (int32_t)leaf };
  while (tree->levels < MA_TREE_LEVELS - 1 && INT64_C(1) << tree->levels < leaves) tree->levels++;
  if (leaves != INT64_C(1) << tree->levels || leaves > INT64_C(1) << 29 || leaf < 1 || leaf > 4096 ||
      (tree->dtype != MA_FLOAT32 && tree->dtype != MA_FLOAT64) || a->boxes->dtype != tree->dtype ||
      a->positions->dtype != MA_INT64 || a->positions->size != leaves * leaf ||
      a->boxes->size != 4 * leaves * a->points->shape[1] || !ma_array_is_contiguous(a->points) ||
      !ma_array_is_contiguous(a->boxes) || !ma_array_is_contiguous(a->positions) || !(a->p >= 1))
    return ma_fail(MA_ERR_VALUE, "arrays of %" PRId64 " leaves; wanted those of a tree", leaves);
  tree->axes = (int32_t)a->points->shape[1];
  MA_TRY(ma_array_read(a->points, stream, &tree->points));
  MA_TRY(ma_array_read(a->boxes, stream, &tree->boxes));
  MA_TRY(ma_array_read(a->positions, stream, &positions));
  tree->positions = positions;
  return MA_OK;
}

static ma_status check_queries(const ma_tree_arrays *a, const ma_array *queries) {
  if (queries->ndim != 2 || a->points->ndim != 3 || queries->shape[1] != a->points->shape[1] ||
      queries->dtype != a->points->dtype || !ma_array_is_contiguous(queries))
    return ma_fail(MA_ERR_VALUE, "queries of %d axes; wanted a matrix with as many columns as the tree has axes",
                   queries->ndim);
  return MA_OK;
}

ma_status ma_nearest_run(const ma_tree_arrays *a, const ma_array *queries, int64_t k, double bound, double eps,
                         int64_t none, ma_array *distances, ma_array *found, ma_stream *stream) {
  ma_nearest job = { .count = queries->shape[0], .k = k, .none = none, .bound = bound, .eps = eps };
  void *to = NULL;
  distances->buffer = found->buffer = NULL;
  MA_TRY(check_queries(a, queries));
  int64_t shape[2] = { job.count, k };
  ma_status status = ma_array_new(distances, a->device, (ma_dtype)queries->dtype, 2, shape);
  if (status == MA_OK) status = ma_array_new(found, a->device, MA_INT64, 2, shape);
  if (status == MA_OK && distances->size > 0) {
    status = tree_of(a, stream, &job.tree);
    if (status == MA_OK) status = ma_array_read(queries, stream, &job.queries);
    if (status == MA_OK) status = ma_array_write(distances, stream, &job.distances);
    if (status == MA_OK) status = ma_array_write(found, stream, &to);
    job.found = to;
    if (status == MA_OK) status = a->device->backend->spatial.nearest(stream, &job);
  }
  if (status == MA_OK) return MA_OK;
  ma_array_release(distances);
  ma_array_release(found);
  return status;
}

ma_status ma_within_run(const ma_tree_arrays *a, const ma_array *queries, const ma_array *radii,
                        const ma_array *offsets, int64_t total, bool later, ma_array *result, ma_stream *stream) {
  ma_within job = { .count = queries->shape[0], .later = later };
  const void *offset = NULL;
  void *to = NULL;
  result->buffer = NULL;
  MA_TRY(check_queries(a, queries));
  if (radii->size != job.count || radii->dtype != queries->dtype || !ma_array_is_contiguous(radii) ||
      (offsets && (offsets->size != job.count || offsets->dtype != MA_INT64 || !ma_array_is_contiguous(offsets))))
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " radii of %" PRId64 " queries; wanted one for each", radii->size,
                   job.count);
  MA_TRY(ma_array_new(result, a->device, MA_INT64, 1, offsets ? &total : &job.count));
  if (result->size == 0) return MA_OK;
  ma_status status = tree_of(a, stream, &job.tree);
  if (status == MA_OK) status = ma_array_read(queries, stream, &job.queries);
  if (status == MA_OK) status = ma_array_read(radii, stream, &job.radii);
  if (status == MA_OK && offsets) status = ma_array_read(offsets, stream, &offset);
  if (status == MA_OK) status = ma_array_write(result, stream, &to);
  job.offsets = offset;
  *(offsets ? &job.found : &job.counts) = to;
  if (status == MA_OK) status = a->device->backend->spatial.within(stream, &job);
  if (status != MA_OK) ma_array_release(result);
  return status;
}
