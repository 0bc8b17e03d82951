/* new.c: a new buffer: of the graph that records, if it has one that is free, else of the pool that serves. */
#include "memory/graph.h"

ma_status ma_buffer_new(ma_device *device, size_t nbytes, ma_buffer **buffer) {
  bool recording = __atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED) != 0;
  if (recording && ma_capture_reuse(device, nbytes, buffer)) return MA_OK;
  MA_TRY(ma_pool_serve(device, nbytes, buffer));
  ma_status status = recording ? ma_capture_own(*buffer) : MA_OK;
  if (status != MA_OK) ma_buffer_release(*buffer);
  return status;
}
