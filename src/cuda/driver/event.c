/* event.c: events of the driver, and the launch of an empty kernel, with which costs of calls are compared. */
#include "base/inject.h"
#include "cuda/cuda.h"
#include "memory/graph.h"

#include <stdlib.h>

/* A reset of the device destroys the driver's event. The generation tells whether there was one since. */
typedef struct event {
  CUevent handle;
  const ma_device *device;
  uint32_t generation;
} event;

static ma_status enter(ma_device *device, const event *e) {
  if (e->generation != device->generation)
    return ma_fail(MA_ERR_DEVICE, "an event from before the reset of %s; make a new one", device->name);
  return ma_cuda_enter(device);
}

ma_status ma_cuda_event_create(ma_device *device, uint32_t flags, void **made) {
  MA_TRY(ma_inject(MA_INJECT_QUEUE, "an event"));
  MA_TRY(ma_cuda_enter(device));
  event *e = malloc(sizeof *e);
  if (!e) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for an event");
  e->device = device;
  e->generation = device->generation;
  CUresult result = ma_cu.cuEventCreate(&e->handle, (flags & MA_EVENT_DISABLE_TIMING ? CU_EVENT_DISABLE_TIMING : 0) |
                                                      (flags & MA_EVENT_BLOCKING ? CU_EVENT_BLOCKING_SYNC : 0));
  if (result != CUDA_SUCCESS) {
    free(e);
    return ma_cuda_fail(MA_CU_cuEventCreate, result);
  }
  *made = e;
  return MA_OK;
}

void ma_cuda_event_free(ma_device *device, void *freed) {
  event *e = freed;
  if (e->generation == device->generation && ma_cuda_enter(device) == MA_OK) ma_cu.cuEventDestroy(e->handle);
  free(e);
}

ma_status ma_cuda_event_record(ma_stream *stream, void *recorded) {
  const event *e = recorded;
  if (stream->capture) return ma_capture_refuse(stream);
  MA_TRY(enter(stream->device, e));
  MA_CU(cuEventRecord, e->handle, ma_cuda_queue(stream));
  return MA_OK;
}

ma_status ma_cuda_event_elapsed(ma_device *device, void *start, void *end, double *milliseconds) {
  const event *from = start, *to = end;
  float elapsed = 0;
  MA_TRY(ma_wait_check(false));
  MA_TRY(enter(device, from));
  MA_TRY(enter(device, to));
  int64_t began = ma_timeline_begin();
  MA_CU(cuEventSynchronize, from->handle);
  MA_CU(cuEventSynchronize, to->handle);
  ma_timeline_end(MA_TRACK_WAIT, began, "event", 0);
  MA_CU(cuEventElapsedTime, &elapsed, from->handle, to->handle);
  *milliseconds = elapsed;
  return MA_OK;
}

ma_status ma_cuda_event_synchronize(ma_device *device, void *waited) {
  const event *e = waited;
  MA_TRY(ma_wait_check(false));
  MA_TRY(enter(device, e));
  int64_t began = ma_timeline_begin();
  MA_CU(cuEventSynchronize, e->handle);
  ma_timeline_end(MA_TRACK_WAIT, began, "event", 0);
  return MA_OK;
}

ma_status ma_cuda_event_wait(ma_stream *stream, void *waited) {
  const event *e = waited;
  if (e->generation != e->device->generation) return MA_OK; /* the work was lost with the context */
  MA_TRY(ma_cuda_enter(stream->device));
  MA_CU(cuStreamWaitEvent, ma_cuda_queue(stream), e->handle, 0);
  return MA_OK;
}

ma_status ma_cuda_event_done(ma_device *device, void *asked, bool *done) {
  const event *e = asked;
  MA_TRY(enter(device, e));
  CUresult result = ma_cu.cuEventQuery(e->handle);
  *done = result == CUDA_SUCCESS;
  return *done || result == CUDA_ERROR_NOT_READY ? MA_OK : ma_cuda_fail(MA_CU_cuEventQuery, result);
}

static void print_nothing(ma_ctext *text, const void *what) {
  ma_ctext_put(text, "extern \"C\" __global__ void nothing() {}\n");
}

ma_status ma_cuda_stream_nothing(ma_stream *stream) {
  static const ma_cuda_family family = { "nothing", { "nothing" }, print_nothing, NULL };
  const CUfunction *entry;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, "", 0, NULL, &entry));
  return ma_cuda_launch(stream, entry[0], 1, 1, 0, NULL, "nothing", 0);
}
