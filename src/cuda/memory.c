/*
** memory.c: blocks of device memory and copies between host and device.
**
** The driver moves pageable memory through one small buffer of its own with one thread; above STAGE_FROM bytes we do it better: a bounded
** ring of pinned pieces, filled or emptied by several threads while the device moves the other pieces.
*/
#include "../inject.h"
#include "cuda.h"
#include "../graph.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define STAGE_FROM  ((size_t)1 << 20)
#define PIECE_BYTES ((size_t)4 << 20)
#define NPIECE      4
#define MAX_COPIERS 8

struct ma_cuda_staging {
  pthread_mutex_t lock;
  char *piece[NPIECE];
  CUevent done[NPIECE];                /* the device's last use of the piece; waiting for a fresh event returns at once */
};

/* ---- Blocks ---- */

ma_status ma_cuda_alloc(ma_device *device, size_t nbytes, void **ptr) {
  CUdeviceptr address = 0;
  MA_TRY(ma_cuda_enter(device));
  MA_CU(cuMemAlloc, &address, nbytes ? nbytes : 1);
  *ptr = (void *)(uintptr_t)address;
  return MA_OK;
}

/* Nobody can act on a failure here, and at exit the driver may be gone (DEINITIALIZED, CONTEXT_IS_DESTROYED): both are quiet. */
void ma_cuda_free(ma_device *device, void *ptr) {
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

/* ---- The staging area: one a device, made at the first large copy ---- */

static void staging_free(ma_cuda_staging *s) {
  for (int i = 0; i < NPIECE; i++) {
    if (s->done[i]) ma_cu.cuEventDestroy(s->done[i]);
    if (s->piece[i]) ma_cu.cuMemFreeHost(s->piece[i]);
  }
  free(s);
}

static ma_status staging_fill(ma_cuda_staging *s) {
  for (int i = 0; i < NPIECE; i++) {
    MA_CU(cuMemHostAlloc, (void **)&s->piece[i], PIECE_BYTES, 0);
    MA_CU(cuEventCreate, &s->done[i], CU_EVENT_DISABLE_TIMING);
  }
  return MA_OK;
}

static ma_status staging_get(ma_cuda_device *d, ma_cuda_staging **result) {
  static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
  ma_status status = MA_OK;
  pthread_mutex_lock(&making);
  if (!d->staging) {
    ma_cuda_staging *s = calloc(1, sizeof *s);
    status = s ? staging_fill(s) : ma_fail(MA_ERR_MEMORY, "out of memory for the staging area");
    if (status == MA_OK) { pthread_mutex_init(&s->lock, NULL); d->staging = s; }
    else if (s) staging_free(s);
  }
  *result = d->staging;
  pthread_mutex_unlock(&making);
  return status;
}

static int copiers(void) {
#ifdef _OPENMP
  int wanted = (int)ma_config_int(MA_CONFIG_NUM_THREADS), have = omp_get_num_procs();
  int n = wanted > 0 && wanted < have ? wanted : have;
  return n > MAX_COPIERS ? MAX_COPIERS : n < 1 ? 1 : n;
#else
  return 1;
#endif
}

/* memcpy by several threads: one alone neither fills the bus nor takes the page faults of fresh memory fast enough. */
static void copy_parallel(char *to, const char *from, size_t nbytes, int threads) {
  size_t part = ((nbytes + (size_t)threads - 1) / (size_t)threads + 4095) & ~(size_t)4095;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int i = 0; i < threads; i++) {
    size_t start = part * (size_t)i;
    if (start < nbytes) memcpy(to + start, from + start, nbytes - start < part ? nbytes - start : part);
  }
}

static ma_status stage_to_device(ma_cuda_staging *s, CUdeviceptr to, const char *from, size_t nbytes, CUstream stream) {
  int threads = copiers();
  for (size_t at = 0, k = 0; at < nbytes; at += PIECE_BYTES, k = (k + 1) % NPIECE) {
    size_t n = nbytes - at < PIECE_BYTES ? nbytes - at : PIECE_BYTES;
    MA_CU(cuEventSynchronize, s->done[k]);
    copy_parallel(s->piece[k], from + at, n, threads);
    MA_CU(cuMemcpyHtoDAsync, to + at, s->piece[k], n, stream);
    MA_CU(cuEventRecord, s->done[k], stream);
  }
  return MA_OK;
}

static ma_status stage_to_host(ma_cuda_staging *s, char *to, CUdeviceptr from, size_t nbytes, CUstream stream) {
  int threads = copiers();
  size_t count = (nbytes + PIECE_BYTES - 1) / PIECE_BYTES;
  for (size_t i = 0; i < count + NPIECE - 1; i++) {
    if (i < count) {                   /* queue piece i ... */
      size_t at = i * PIECE_BYTES, n = nbytes - at < PIECE_BYTES ? nbytes - at : PIECE_BYTES, k = i % NPIECE;
      MA_CU(cuEventSynchronize, s->done[k]);
      MA_CU(cuMemcpyDtoHAsync, s->piece[k], from + at, n, stream);
      MA_CU(cuEventRecord, s->done[k], stream);
    }
    if (i >= NPIECE - 1) {             /* ... and empty the oldest of those in flight */
      size_t j = i - (NPIECE - 1), at = j * PIECE_BYTES, n = nbytes - at < PIECE_BYTES ? nbytes - at : PIECE_BYTES;
      MA_CU(cuEventSynchronize, s->done[j % NPIECE]);
      copy_parallel(to + at, s->piece[j % NPIECE], n, threads);
    }
  }
  return MA_OK;
}

void ma_cuda_staging_forget(ma_cuda_device *d) {
  free(d->staging);                    /* its pieces and events went with the context */
  d->staging = NULL;
}

/* ---- Pinned memory ---- */

#define PAGE ((size_t)4096)

/* The process' own pages, made known to the driver: what the driver allocates itself is unmapped when a context is destroyed,
** and a CPU array over it would point to nothing. */
ma_status ma_cuda_host_alloc(ma_device *device, size_t nbytes, void **ptr) {
  size_t size = (nbytes + PAGE - 1) / PAGE * PAGE + (nbytes ? 0 : PAGE);
  void *made = NULL;
  MA_TRY(ma_inject(MA_INJECT_PINNED, "pinned memory"));
  MA_TRY(ma_cuda_enter(device));
  if (posix_memalign(&made, PAGE, size) != 0) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes of pinned memory", nbytes);
  CUresult result = ma_cu.cuMemHostRegister(made, size, CU_MEMHOSTREGISTER_PORTABLE);
  if (result != CUDA_SUCCESS) {
    free(made);
    return ma_cuda_fail(MA_CU_cuMemHostRegister, result);
  }
  *ptr = made;
  return MA_OK;
}

/* The device may be at work on the pages. A failure means that the context which knew them is gone. */
void ma_cuda_host_free(ma_device *device, void *ptr, size_t nbytes) {
  if (ptr && ma_cuda_enter(device) == MA_OK) {
    ma_cu.cuCtxSynchronize();
    ma_cu.cuMemHostUnregister(ptr);
  }
  free(ptr);
}

bool ma_cuda_host_is_pinned(ma_device *device, const void *ptr) {
  unsigned type = 0;
  return ma_cuda_enter(device) == MA_OK &&
         ma_cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)ptr) == CUDA_SUCCESS && type == CU_MEMORYTYPE_HOST;
}

/* ---- Copies ---- */

/* The driver's own path. From pageable memory the asynchronous call returns once the bytes are in the driver's hands. */
static ma_status copy_direct(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind, bool wait) {
  CUstream s = stream->handle;
  if (kind == MA_COPY_TO_DEVICE) MA_CU(cuMemcpyHtoDAsync, (CUdeviceptr)(uintptr_t)to, from, nbytes, s);
  else if (!s) { MA_CU(cuMemcpyDtoH, to, (CUdeviceptr)(uintptr_t)from, nbytes); return MA_OK; }
  else MA_CU(cuMemcpyDtoHAsync, to, (CUdeviceptr)(uintptr_t)from, nbytes, s);
  if (wait || kind == MA_COPY_TO_HOST) MA_CU(cuStreamSynchronize, s);
  return MA_OK;
}

static ma_status copy_staged(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind) {
  ma_cuda_staging *s;
  MA_TRY(staging_get(ma_cuda_state(stream), &s));
  pthread_mutex_lock(&s->lock);
  ma_status status = kind == MA_COPY_TO_DEVICE ? stage_to_device(s, (CUdeviceptr)(uintptr_t)to, from, nbytes, stream->handle)
                                               : stage_to_host(s, to, (CUdeviceptr)(uintptr_t)from, nbytes, stream->handle);
  if (status != MA_OK) ma_cu.cuStreamSynchronize(stream->handle);   /* no piece is left in use */
  pthread_mutex_unlock(&s->lock);
  return status;
}

static ma_status copy(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind) {
  if (kind == MA_COPY_WITHIN) {
    MA_CU(cuMemcpyDtoDAsync, (CUdeviceptr)(uintptr_t)to, (CUdeviceptr)(uintptr_t)from, nbytes, stream->handle);
    return MA_OK;
  }
  if (stream->capture) return kind == MA_COPY_TO_HOST ? ma_capture_refuse(stream) : ma_capture_constant(stream, to, from, nbytes);
  if (kind == MA_COPY_TO_HOST && nbytes <= MA_CUDA_PEEK_BYTES) return ma_cuda_peek_bytes(stream, to, from, nbytes);
  /* The driver reads pinned memory after its call returned, and the caller may write there as soon as ours does. */
  if (ma_cuda_host_is_pinned(stream->device, kind == MA_COPY_TO_DEVICE ? from : to)) return copy_direct(stream, to, from, nbytes, kind, true);
  if (nbytes < STAGE_FROM) return copy_direct(stream, to, from, nbytes, kind, false);
  return copy_staged(stream, to, from, nbytes, kind);
}

ma_status ma_cuda_copy(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind) {
  static const char *const names[] = { "copy to device", "copy to host", "copy within" };
  double began;
  if (nbytes == 0) return MA_OK;
  MA_TRY(ma_inject(MA_INJECT_COPY, "a copy"));
  MA_TRY(ma_cuda_enter(stream->device));
  bool watched = ma_cuda_watch_begin(stream, &began);
  MA_TRY(copy(stream, to, from, nbytes, kind));
  if (kind == MA_COPY_TO_HOST) ma_cuda_trail_clear(stream->device, stream);
  return watched ? ma_cuda_watch_end(stream, began, names[kind], kind == MA_COPY_WITHIN ? 2 * (int64_t)nbytes : (int64_t)nbytes) : MA_OK;
}

ma_status ma_cuda_copy_queued(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind) {
  if (nbytes == 0) return MA_OK;
  MA_TRY(ma_inject(MA_INJECT_COPY, "a copy"));
  MA_TRY(ma_cuda_enter(stream->device));
  if (kind == MA_COPY_TO_DEVICE) MA_CU(cuMemcpyHtoDAsync, (CUdeviceptr)(uintptr_t)to, from, nbytes, stream->handle);
  else MA_CU(cuMemcpyDtoHAsync, to, (CUdeviceptr)(uintptr_t)from, nbytes, stream->handle);
  return MA_OK;
}
