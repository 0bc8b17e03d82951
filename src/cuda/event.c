/* event.c: events of the driver, and the launch of an empty kernel, beside which the cost of every call is measured. */
#include "../inject.h"
#include "cuda.h"
#include "../graph.h"

ma_status ma_cuda_event_new(ma_device *device, uint32_t flags, void **event) {
  CUevent made = NULL;
  MA_TRY(ma_inject(MA_INJECT_QUEUE, "an event"));
  MA_TRY(ma_cuda_enter(device));
  MA_CU(cuEventCreate, &made, (flags & MA_EVENT_DISABLE_TIMING ? CU_EVENT_DISABLE_TIMING : 0) | (flags & MA_EVENT_BLOCKING ? CU_EVENT_BLOCKING_SYNC : 0));
  *event = made;
  return MA_OK;
}

void ma_cuda_event_free(ma_device *device, void *event) {
  if (ma_cuda_enter(device) == MA_OK) ma_cu.cuEventDestroy(event);
}

ma_status ma_cuda_event_record(ma_stream *stream, void *event) {
  if (stream->capture) return ma_capture_refuse(stream);
  MA_TRY(ma_cuda_enter(stream->device));
  MA_CU(cuEventRecord, event, stream->handle);
  return MA_OK;
}

ma_status ma_cuda_event_elapsed(ma_device *device, void *start, void *end, double *milliseconds) {
  float elapsed = 0;
  MA_TRY(ma_cuda_enter(device));
  MA_CU(cuEventSynchronize, start);
  MA_CU(cuEventSynchronize, end);
  MA_CU(cuEventElapsedTime, &elapsed, start, end);
  *milliseconds = elapsed;
  return MA_OK;
}

ma_status ma_cuda_event_synchronize(ma_device *device, void *event) {
  MA_TRY(ma_cuda_enter(device));
  MA_CU(cuEventSynchronize, event);
  return MA_OK;
}

ma_status ma_cuda_event_wait(ma_stream *stream, void *event) {
  MA_TRY(ma_cuda_enter(stream->device));
  MA_CU(cuStreamWaitEvent, stream->handle, event, 0);
  return MA_OK;
}

ma_status ma_cuda_event_done(ma_device *device, void *event, bool *done) {
  MA_TRY(ma_cuda_enter(device));
  CUresult result = ma_cu.cuEventQuery(event);
  *done = result == CUDA_SUCCESS;
  return *done || result == CUDA_ERROR_NOT_READY ? MA_OK : ma_cuda_fail(MA_CU_cuEventQuery, result);
}

static void print_nothing(ma_ctext *text, const void *what) {
  ma_ctext_put(text, "extern \"C\" __global__ void nothing() {}\n");
}

ma_status ma_cuda_nothing(ma_stream *stream) {
  static const ma_cuda_family family = { "nothing", { "nothing" }, print_nothing, NULL };
  const CUfunction *entry;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, "", 0, NULL, &entry));
  return ma_cuda_launch(stream, entry[0], 1, 1, 0, NULL, "nothing", 0);
}
