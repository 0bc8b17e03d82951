/*
** staging.c: large copies between pageable memory and a GPU. The driver copies pageable memory through one small buffer
** with one thread. Here several threads fill or empty a ring of pinned pieces while the device copies other pieces.
**
** A piece belongs to one thread from the wait for its slot until it passes the slot on; threads share nothing else.
** Pieces end at the boundaries of large pages of the host: new memory is cleared at its first touch, page by page, and
** two threads in one page would clear it twice.
*/
#include "base/threads.h"
#include "cuda/cuda.h"
#include "tuning.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_BYTES ((size_t)2 << 20) /* a large page */
#define NSLOT 16

struct ma_cuda_staging {
  pthread_mutex_t lock;
  char *slot[NSLOT];
  CUevent done[NSLOT]; /* the device's last use of the slot; waiting for a new event returns at once */
};

/* One copy. */
typedef struct transfer {
  ma_cuda_staging *staging;
  ma_device *device;
  CUstream stream;
  char *host;
  CUdeviceptr place;
  size_t nbytes, first, piece; /* bytes of the first piece; bytes of later pieces but the last */
  bool to_host;
  int count;       /* pieces */
  int next;        /* atomic: pieces are taken in order, or two users of a slot could wait for each other */
  int turn[NSLOT]; /* atomic: the piece that may use the slot */
  int failed;      /* atomic: the CUresult */
  int symbol;      /* of the first failure */
} transfer;

/* ---- The ring: one for each device, made by the first large copy ---- */

static void staging_free(ma_cuda_staging *s) {
  for (int i = 0; i < NSLOT; i++) {
    if (s->done[i]) ma_cu.cuEventDestroy(s->done[i]);
    if (s->slot[i]) ma_cu.cuMemFreeHost(s->slot[i]);
  }
  free(s);
}

static ma_status staging_fill(ma_cuda_staging *s) {
  for (int i = 0; i < NSLOT; i++) {
    MA_CU(cuMemHostAlloc, (void **)&s->slot[i], SLOT_BYTES, MA_CUDA_HOST_PORTABLE);
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
    if (status == MA_OK) {
      pthread_mutex_init(&s->lock, NULL);
      d->staging = s;
    } else if (s) staging_free(s);
  }
  *result = d->staging;
  pthread_mutex_unlock(&making);
  return status;
}

void ma_cuda_staging_forget(ma_cuda_device *d) {
  free(d->staging); /* its slots and events were lost with the context */
  d->staging = NULL;
}

static int copiers(void) {
  int n = ma_cpu_threads();
  return n > TUNE_STAGE_THREADS ? TUNE_STAGE_THREADS : n;
}

/* ---- Pieces ---- */

static void cut(transfer *t, int threads) {
  size_t each = t->nbytes / (size_t)(2 * threads);
  t->piece = SLOT_BYTES;
  while (t->piece > TUNE_STAGE_PIECE && t->piece > each) t->piece /= 2;
  t->first = t->piece - ((size_t)(uintptr_t)t->host & (t->piece - 1));
  if (t->first > t->nbytes) t->first = t->nbytes;
  t->count = 1 + (int)((t->nbytes - t->first + t->piece - 1) / t->piece);
}

static size_t piece_start(const transfer *t, int i) { return i ? t->first + (size_t)(i - 1) * t->piece : 0; }

static size_t piece_bytes(const transfer *t, int i) {
  size_t start = piece_start(t, i), end = piece_start(t, i + 1);
  return (end < t->nbytes ? end : t->nbytes) - start;
}

static bool has_failed(const transfer *t) { return __atomic_load_n(&t->failed, __ATOMIC_RELAXED) != 0; }

static bool note(transfer *t, CUresult result, int symbol) {
  int none = 0;
  if (result == CUDA_SUCCESS) return true;
  if (__atomic_compare_exchange_n(&t->failed, &none, (int)result, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    t->symbol = symbol;
  return false;
}

/* Queues the device's part of piece i, whose slot belongs to this thread, and passes the slot to `next`. */
static void queue(transfer *t, int i, int next) {
  int k = i % NSLOT;
  char *slot = t->staging->slot[k];
  CUdeviceptr place = t->place + piece_start(t, i);
  if (t->to_host) {
    if (!note(t, ma_cu.cuMemcpyDtoHAsync(slot, place, piece_bytes(t, i), t->stream), MA_CU_cuMemcpyDtoHAsync)) return;
  } else if (!note(t, ma_cu.cuMemcpyHtoDAsync(place, slot, piece_bytes(t, i), t->stream), MA_CU_cuMemcpyHtoDAsync))
    return;
  if (note(t, ma_cu.cuEventRecord(t->staging->done[k], t->stream), MA_CU_cuEventRecord))
    __atomic_store_n(&t->turn[k], next, __ATOMIC_RELEASE);
}

/* Does the host's part of piece i, when the device has finished with the slot. */
static void move(transfer *t, int i) {
  int k = i % NSLOT;
  char *slot = t->staging->slot[k], *host = t->host + piece_start(t, i);
  while (__atomic_load_n(&t->turn[k], __ATOMIC_ACQUIRE) != i) {
    if (has_failed(t)) return;
    sched_yield();
  }
  if (!note(t, ma_cu.cuEventSynchronize(t->staging->done[k]), MA_CU_cuEventSynchronize)) return;
  if (!t->to_host) {
    memcpy(slot, host, piece_bytes(t, i));
    queue(t, i, i + NSLOT);
    return;
  }
  memcpy(host, slot, piece_bytes(t, i));
  if (i + NSLOT < t->count) queue(t, i + NSLOT, i + NSLOT);
}

/* The part of one copier: all pieces that no other one takes. */
static ma_status take_pieces(void *context, int64_t first, int64_t last) {
  transfer *t = context;
  CUresult result = ma_cu.cuCtxSetCurrent(((ma_cuda_device *)t->device->state)->context);
  if (note(t, result, MA_CU_cuCtxSetCurrent))
    for (int i; !has_failed(t) && (i = __atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED)) < t->count;) move(t, i);
  return MA_OK;
}

/* Copies from or to pageable memory. A copy to the host is complete on return. */
ma_status ma_cuda_copy_staged(ma_stream *stream, void *to, const void *from, size_t nbytes, bool to_host) {
  ma_cuda_staging *s;
  MA_TRY(staging_get(ma_cuda_state(stream), &s));
  transfer t = { .staging = s,
                 .device = stream->device,
                 .stream = ma_cuda_queue(stream),
                 .nbytes = nbytes,
                 .to_host = to_host,
                 .host = to_host ? to : (char *)from,
                 .place = (CUdeviceptr)(uintptr_t)(to_host ? from : to) };
  int threads = copiers();
  cut(&t, threads);
  pthread_mutex_lock(&s->lock);
  for (int i = 0; i < NSLOT; i++) t.turn[i] = i;
  for (int i = 0; to_host && i < NSLOT && i < t.count; i++)
    if (note(&t, ma_cu.cuEventSynchronize(s->done[i]), MA_CU_cuEventSynchronize)) queue(&t, i, i);
  ma_status status = ma_cpu_parallel(threads < t.count ? threads : t.count, 1, take_pieces, &t);
  if (t.failed) ma_cu.cuStreamSynchronize(ma_cuda_queue(stream)); /* so that no slot stays in use */
  pthread_mutex_unlock(&s->lock);
  return t.failed ? ma_cuda_fail((ma_cuda_symbol)t.symbol, (CUresult)t.failed) : status;
}
