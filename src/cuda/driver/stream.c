/* stream.c: streams of the driver, and waits between them. */
#include "base/inject.h"
#include "cuda/cuda.h"

ma_status ma_cuda_stream_create(ma_device *device, uint32_t flags, int priority, void **handle) {
  CUstream made = NULL;
  MA_TRY(ma_inject(MA_INJECT_QUEUE, "a stream"));
  MA_TRY(ma_cuda_enter(device));
  MA_CU(cuStreamCreateWithPriority, &made, flags & MA_STREAM_NON_BLOCKING ? CU_STREAM_NON_BLOCKING : 0, priority);
  *handle = made;
  return MA_OK;
}

/* Records the stream's tail. The legacy null stream has no handle of its own: it is that of the current context. */
static ma_status record_tail(ma_stream *stream) {
  MA_TRY(ma_cuda_enter(stream->device));
  if (!stream->tail) {
    CUevent made = NULL;
    MA_TRY(ma_inject(MA_INJECT_QUEUE, "an event"));
    MA_CU(cuEventCreate, &made, CU_EVENT_DISABLE_TIMING);
    stream->tail = made;
  }
  MA_CU(cuEventRecord, stream->tail, ma_cuda_queue(stream));
  return MA_OK;
}

ma_status ma_cuda_stream_wait(ma_stream *stream, ma_stream *on) {
  if (!on->ended && !on->capture) MA_TRY(record_tail(on));
  MA_TRY(ma_cuda_enter(stream->device));
  MA_CU(cuStreamWaitEvent, ma_cuda_queue(stream), on->tail, 0);
  return MA_OK;
}

void ma_cuda_stream_expose(ma_stream *stream) { ma_cuda_hold(stream, 1); }

ma_status ma_cuda_stream_end(ma_stream *stream) { return record_tail(stream); }

/* Refuses a foreign stream of another context. Events must be recorded in the stream's own context, and the library
** uses the primary one. */
ma_status ma_cuda_stream_look(ma_stream *stream) {
  unsigned flags = 0;
  CUcontext context = NULL;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_CU(cuStreamGetCtx, ma_cuda_queue(stream), &context);
  if (context != ma_cuda_state(stream)->context)
    return ma_fail(MA_ERR_DEVICE, "the stream is of another device or context; wanted one of the primary context of %s",
                   stream->device->name);
  MA_CU(cuStreamGetFlags, ma_cuda_queue(stream), &flags);
  MA_CU(cuStreamGetPriority, ma_cuda_queue(stream), &stream->priority);
  if (flags & CU_STREAM_NON_BLOCKING) stream->flags |= MA_STREAM_NON_BLOCKING;
  return MA_OK;
}

ma_status ma_cuda_stream_priorities(ma_device *device, int *least, int *greatest) {
  MA_TRY(ma_cuda_enter(device));
  MA_CU(cuCtxGetStreamPriorityRange, least, greatest);
  return MA_OK;
}
