/* memory.c: device memory, and copies between host and device. */
#include "base/inject.h"
#include "compile/prepare.h"
#include "cuda/cuda.h"
#include "memory/graph.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

/* ---- Blocks ---- */

ma_status ma_cuda_memory_alloc(ma_device *device, size_t nbytes, void **ptr) {
  CUdeviceptr address = 0;
  MA_TRY(ma_cuda_enter(device));
  MA_CU(cuMemAlloc, &address, nbytes ? nbytes : 1);
  *ptr = (void *)(uintptr_t)address;
  return MA_OK;
}

/* Frees a block. If the driver is gone because the process ends, its errors are ignored (DEINITIALIZED,
** CONTEXT_IS_DESTROYED). */
void ma_cuda_memory_free(ma_device *device, void *ptr) {
  ma_cuda_send_all(false);
  if (!ptr || ma_cuda_enter(device) != MA_OK) return;
  CUresult result = ma_cu.cuMemFree((CUdeviceptr)(uintptr_t)ptr);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_DEINITIALIZED && result != CUDA_ERROR_CONTEXT_IS_DESTROYED)
    ma_trace("mem", "cuMemFree_v2 of %p gave error %d", ptr, result);
}

ma_status ma_cuda_scratch(ma_stream *stream, size_t nbytes, ma_buffer **buffer) {
  MA_TRY(ma_buffer_new(stream->device, nbytes, buffer));
  ma_status status = ma_buffer_use(*buffer, stream, true);
  if (status != MA_OK) ma_buffer_release(*buffer);
  return status;
}

/* ---- Pinned memory ---- */

#define PAGE ((size_t)4096)

/* Pinned memory is pages of the process that are registered with the driver. Memory that the driver allocated would
** be unmapped when a context is destroyed, and CPU arrays over it would dangle. */
ma_status ma_cuda_host_alloc(ma_device *device, size_t nbytes, void **ptr) {
  size_t size = (nbytes + PAGE - 1) / PAGE * PAGE + (nbytes ? 0 : PAGE);
  void *made = NULL;
  MA_TRY(ma_inject(MA_INJECT_PINNED, "pinned memory"));
  MA_TRY(ma_cuda_enter(device));
  if (posix_memalign(&made, PAGE, size) != 0)
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes of pinned memory", nbytes);
  CUresult result = ma_cu.cuMemHostRegister(made, size, CU_MEMHOSTREGISTER_PORTABLE);
  if (result != CUDA_SUCCESS) {
    free(made);
    return ma_cuda_fail(MA_CU_cuMemHostRegister, result);
  }
  *ptr = made;
  return MA_OK;
}

/* Frees pinned pages. The device may still use them, so this waits. If the wait fails, the context that knew the pages
** is gone. */
void ma_cuda_host_free(ma_device *device, void *ptr) {
  ma_cuda_send_all(false);
  if (ptr && ma_cuda_enter(device) == MA_OK) {
    ma_cu.cuCtxSynchronize();
    ma_cu.cuMemHostUnregister(ptr);
  }
  free(ptr);
}

bool ma_cuda_memory_is_pinned(ma_device *device, const void *ptr) {
  unsigned type = 0;
  return ma_cuda_enter(device) == MA_OK &&
         ma_cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)ptr) ==
           CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_HOST;
}

/* ---- Copies ---- */

/* The driver's own copy. With pageable memory the asynchronous call returns once the driver has the bytes. */
static ma_status copy_direct(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind,
                             bool wait) {
  CUstream s = ma_cuda_queue(stream);
  if (kind == MA_COPY_TO_DEVICE) MA_CU(cuMemcpyHtoDAsync, (CUdeviceptr)(uintptr_t)to, from, nbytes, s);
  else if (!s) {
    MA_CU(cuMemcpyDtoH, to, (CUdeviceptr)(uintptr_t)from, nbytes);
    return MA_OK;
  } else MA_CU(cuMemcpyDtoHAsync, to, (CUdeviceptr)(uintptr_t)from, nbytes, s);
  if (wait || kind == MA_COPY_TO_HOST) MA_CU(cuStreamSynchronize, s);
  return MA_OK;
}

static ma_status copy(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind) {
  if (kind == MA_COPY_WITHIN) {
    MA_CU(cuMemcpyDtoDAsync, (CUdeviceptr)(uintptr_t)to, (CUdeviceptr)(uintptr_t)from, nbytes, ma_cuda_queue(stream));
    return MA_OK;
  }
  if (stream->capture)
    return kind == MA_COPY_TO_HOST ? ma_capture_refuse(stream) : ma_capture_constant(stream, to, from, nbytes);
  if (kind == MA_COPY_TO_HOST) MA_TRY(ma_wait_check(false));
  if (kind == MA_COPY_TO_HOST && nbytes <= MA_CUDA_PEEK_BYTES) return ma_cuda_peek_bytes(stream, to, from, nbytes);
  /* The driver reads pinned memory after its call returns, but the caller may write there when this call returns, so
  ** this waits. */
  if (ma_cuda_memory_is_pinned(stream->device, kind == MA_COPY_TO_DEVICE ? from : to))
    return copy_direct(stream, to, from, nbytes, kind, true);
  if (nbytes < TUNE_STAGE_BYTES) return copy_direct(stream, to, from, nbytes, kind, false);
  return ma_cuda_copy_staged(stream, to, from, nbytes, kind == MA_COPY_TO_HOST);
}

/* In a frame a copy of few bytes is a kernel of the list. An event before it would send the list without it. */
static ma_cuda_watch watch_copy(ma_stream *stream, size_t nbytes, ma_copy_kind kind) {
  bool listed = stream->collects && kind == MA_COPY_TO_HOST && nbytes <= MA_CUDA_PEEK_BYTES && ma_timeline_is_on();
  if (listed) return (ma_cuda_watch){ .how = MA_OBSERVE_NOTHING };
  return ma_cuda_watch_begin(stream);
}

static const char *const names[] = { "copy to device", "copy to host", "copy within" };

ma_status ma_cuda_memory_copy(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind) {
  if (nbytes == 0 || ma_prepare.skips) return MA_OK;
  MA_TRY(ma_inject(MA_INJECT_COPY, "a copy"));
  MA_TRY(ma_cuda_enter(stream->device));
  int64_t began = kind == MA_COPY_TO_HOST ? ma_timeline_begin() : 0;
  ma_cuda_watch watch = watch_copy(stream, nbytes, kind);
  ma_status status = copy(stream, to, from, nbytes, kind);
  if (status == MA_OK && kind == MA_COPY_TO_HOST) ma_cuda_trail_clear(stream->device, stream);
  ma_timeline_end(MA_TRACK_WAIT, began, names[kind], (int64_t)nbytes);
  return ma_cuda_watch_end(stream, &watch, status, names[kind],
                           kind == MA_COPY_WITHIN ? 2 * (int64_t)nbytes : (int64_t)nbytes);
}

static ma_status queue(const ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind) {
  if (kind == MA_COPY_TO_DEVICE)
    MA_CU(cuMemcpyHtoDAsync, (CUdeviceptr)(uintptr_t)to, from, nbytes, ma_cuda_queue(stream));
  else MA_CU(cuMemcpyDtoHAsync, to, (CUdeviceptr)(uintptr_t)from, nbytes, ma_cuda_queue(stream));
  return MA_OK;
}

ma_status ma_cuda_memory_copy_queued(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind) {
  ma_cuda_watch watch = { .how = MA_OBSERVE_NOTHING };
  if (nbytes == 0) return MA_OK;
  MA_TRY(ma_inject(MA_INJECT_COPY, "a copy"));
  MA_TRY(ma_cuda_enter(stream->device));
  if (ma_timeline_is_on()) watch = ma_cuda_watch_begin(stream);
  return ma_cuda_watch_end(stream, &watch, queue(stream, to, from, nbytes, kind), names[kind], (int64_t)nbytes);
}
