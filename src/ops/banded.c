/* banded.c: banded systems. */
#include "ops/linalg.h"

#include <inttypes.h>

ma_status ma_linalg_banded(ma_array *x, const ma_array *bands, int64_t lower, const ma_array *b, ma_stream *stream) {
  ma_array work = { .buffer = NULL };
  ma_device *device = ma_array_device(bands);
  void *band = NULL, *right = NULL;
  x->buffer = NULL;
  if (bands->ndim != 2 || b->ndim != 2 || bands->shape[0] != b->shape[0] || bands->dtype != MA_FLOAT64 ||
      b->dtype != MA_FLOAT64 || lower < 0 || lower >= bands->shape[1] || bands->shape[1] > 128)
    return ma_fail(MA_ERR_VALUE, "bands of %d axes and right sides of %d; float64 matrices of the same rows are wanted",
                   bands->ndim, b->ndim);
  MA_TRY(ma_array_copy(&work, bands, MA_FLOAT64, stream));
  ma_status status = ma_array_copy(x, b, MA_FLOAT64, stream);
  if (status == MA_OK && x->size > 0) {
    status = ma_array_write(&work, stream, &band);
    if (status == MA_OK) status = ma_array_write(x, stream, &right);
    ma_banded system = { .n = b->shape[0],
                         .lower = lower,
                         .upper = bands->shape[1] - lower - 1,
                         .columns = b->shape[1],
                         .bands = band,
                         .b = right };
    if (status == MA_OK) status = device->backend->linalg.banded(stream, &system);
  }
  ma_array_release(&work);
  if (status != MA_OK) ma_array_release(x);
  return status;
}
