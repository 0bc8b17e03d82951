/* spatial.c: distances of vectors in the rows of matrices. */
#include "ops/spatial.h"
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

static ma_status packed(ma_array *pack, const ma_array *from, ma_stream *stream) {
  if (!ma_array_is_contiguous(from)) return ma_array_copy(pack, from, (ma_dtype)from->dtype, stream);
  ma_array_view(pack, from);
  return MA_OK;
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
  if (!device->backend->spatial.pairs)
    return ma_fail(MA_ERR_DEVICE, "distances on %s; that device has none", device->name);
  MA_TRY(check(x, y ? y : x, weights));
  int64_t m = x->shape[0], n = y ? y->shape[0] : m, shape[2] = { triangle ? m * (m - 1) / 2 : m, n };
  ma_pairs job = {
    .dtype = (ma_dtype)x->dtype, .metric = metric, .m = m, .n = n, .k = x->shape[1], .p = p, .triangle = triangle
  };
  MA_TRY(ma_array_new(to, device, (ma_dtype)x->dtype, triangle ? 1 : 2, shape));
  if (to->size == 0) return MA_OK;
  ma_status status = packed(&rows, x, stream);
  if (status == MA_OK && y) status = packed(&others, y, stream);
  if (status == MA_OK && weights) status = packed(&weight, weights, stream);
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
