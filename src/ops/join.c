/* join.c: arrays that are put beside each other by one call of the backend. */
#include "backend/join.h"

#include "ops/ops.h"

/* Whether the part's elements lie in memory as they will in the result. */
static bool is_plain(const ma_array *part, const ma_array *result) {
  return part->dtype == result->dtype && !part->buffer->pending && ma_array_is_contiguous(part) &&
         ma_array_device(part) == ma_array_device(result);
}

ma_status ma_join_run(const ma_array *result, int axis, int n, ma_array *const *part, bool *ran, ma_stream *stream) {
  ma_join join = { .rows = 1 };
  int item = ma_dtypes[result->dtype].itemsize;
  int64_t before = 0;
  void *to;
  const ma_backend *backend = ma_array_device(result)->backend;
  *ran = false;
  if (n < 2 || result->size == 0 || !ma_array_is_contiguous(result)) return MA_OK;
  for (int k = 0; k < n; k++)
    if (!is_plain(part[k], result)) return MA_OK;
  for (int d = 0; d < axis; d++) join.rows *= result->shape[d];
  join.pitch = result->size / join.rows * item;
  ma_array target;
  ma_array_view(&target, result);
  ma_status status = ma_array_write(&target, stream, &to);
  ma_array_release(&target);
  MA_TRY(status);
  for (int k = 0; k < n;) {
    int64_t width = 0;
    for (join.count = 0; k < n && join.count < MA_JOIN_PARTS; k++) {
      if (part[k]->size == 0) continue;
      join.chunk[join.count] = part[k]->size / join.rows * item;
      MA_TRY(ma_array_read(part[k], stream, &join.from[join.count]));
      width += join.chunk[join.count++];
    }
    join.to = (char *)to + before;
    before += width;
    if (join.count == 0) break;
    MA_TRY(backend->index.join(stream, &join, ran));
    if (!*ran) return MA_OK;
  }
  return MA_OK;
}
