/*
** peek.c: copies a few bytes to the host. A copy by the driver passes from the compute queue to a copy engine and back,
** which takes longer than the copy. A kernel that writes mapped host memory stays in the queue, and the host sees its
** mark at once.
*/
#include "cuda/cuda.h"
#include "tuning.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct ma_cuda_peek {
  pthread_mutex_t lock;
  uint64_t turn;
  char *host; /* the mark, then the bytes; unified addressing gives the device the same addresses */
};

typedef struct peek_params {
  const void *from;
  void *to;
  void *mark;
  uint64_t turn;
  uint32_t n;
} peek_params;

static void print_peek(ma_ctext *text, const void *what) { ma_ctext_put(text, ma_embedded("peek.cuh")); }

static ma_status get_peek(ma_cuda_device *d, ma_cuda_peek **result) {
  static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
  ma_status status = MA_OK;
  *result = __atomic_load_n(&d->peek, __ATOMIC_ACQUIRE);
  if (*result) return MA_OK;
  pthread_mutex_lock(&making);
  if (!d->peek) {
    ma_cuda_peek *made = calloc(1, sizeof *made);
    CUresult result_ = CUDA_SUCCESS;
    if (!made) status = ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for small copies");
    else if ((result_ = ma_cu.cuMemHostAlloc((void **)&made->host, MA_CUDA_MARK_BYTES + MA_CUDA_PEEK_BYTES,
                                             MA_CUDA_HOST_PORTABLE | MA_CUDA_HOST_MAPPED)) != CUDA_SUCCESS)
      status = ma_cuda_fail(MA_CU_cuMemHostAlloc, result_);
    if (status != MA_OK) free(made);
    else {
      memset(made->host, 0, MA_CUDA_MARK_BYTES);
      pthread_mutex_init(&made->lock, NULL);
      __atomic_store_n(&d->peek, made, __ATOMIC_RELEASE);
    }
  }
  *result = d->peek;
  pthread_mutex_unlock(&making);
  return status;
}

static ma_status wait_for(const ma_cuda_peek *peek, ma_stream *stream) {
  const uint64_t *mark = (const uint64_t *)(void *)peek->host;
  for (int spins = 0; __atomic_load_n(mark, __ATOMIC_ACQUIRE) != peek->turn; spins++)
    if (spins == TUNE_PEEK_SPIN) {
      MA_CU(cuStreamSynchronize, ma_cuda_queue(stream));
      return MA_OK;
    }
  return MA_OK;
}

/* Touches the target's pages while the device works: a new page costs a fault, and a distant cache line a wait. */
static void touch(char *to, size_t nbytes) {
  for (size_t i = 0; i < nbytes; i += 64) {
    if (i == 0 || ((uintptr_t)(to + i) & 4095) < 64) __atomic_fetch_or(to + i, 0, __ATOMIC_RELAXED);
    __builtin_prefetch(to + i, 1);
  }
}

static const ma_cuda_family family = { "peek", { "peek" }, print_peek, NULL };

ma_status ma_cuda_peek_begin(ma_cuda_device *d, void **mark, uint64_t *turn) {
  ma_cuda_peek *peek;
  MA_TRY(get_peek(d, &peek));
  pthread_mutex_lock(&peek->lock);
  *mark = peek->host;
  *turn = ++peek->turn;
  return MA_OK;
}

ma_status ma_cuda_peek_end(ma_stream *stream, ma_status launched, void *to, size_t nbytes) {
  ma_cuda_peek *peek = ma_cuda_state(stream)->peek;
  (void)ma_cuda_queue(stream); /* nobody else would send it */
  ma_status status = launched == MA_OK ? wait_for(peek, stream) : launched;
  if (status == MA_OK) memcpy(to, peek->host + MA_CUDA_MARK_BYTES, nbytes);
  pthread_mutex_unlock(&peek->lock);
  return status;
}

static ma_status copy_by_driver(ma_stream *stream, void *to, const void *from, size_t nbytes) {
  MA_CU(cuMemcpyDtoHAsync, to, (CUdeviceptr)(uintptr_t)from, nbytes, ma_cuda_queue(stream));
  MA_CU(cuStreamSynchronize, ma_cuda_queue(stream));
  ma_cuda_trail_clear(stream->device, stream);
  return MA_OK;
}

ma_status ma_cuda_peek_bytes(ma_stream *stream, void *to, const void *from, size_t nbytes) {
  ma_cuda_device *d = ma_cuda_state(stream);
  const CUfunction *entry;
  void *mark;
  uint64_t turn;
  MA_TRY(ma_cuda_kernel_general(d, &family, "", 0, NULL, &entry));
  if (!entry) return copy_by_driver(stream, to, from, nbytes);
  MA_TRY(ma_cuda_peek_begin(d, &mark, &turn));
  peek_params params = { from, (char *)mark + MA_CUDA_MARK_BYTES, mark, turn, (uint32_t)nbytes };
  void *list[] = { &params };
  ma_status status = ma_cuda_launch(stream, entry[0], 1, nbytes > 128 ? 256 : 32, 0, list, "peek", (int64_t)nbytes);
  touch(to, nbytes);
  status = ma_cuda_peek_end(stream, status, to, nbytes);
  if (status == MA_OK) ma_cuda_trail_clear(stream->device, stream);
  return status;
}

void ma_cuda_peek_forget(ma_cuda_device *d) {
  free(d->peek); /* its host memory was lost with the context */
  d->peek = NULL;
}

ma_status ma_cuda_peek_source(char **source) { return ma_cuda_source(&family, NULL, source); }
