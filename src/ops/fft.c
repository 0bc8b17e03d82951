/*
** fft.c: Fourier transforms of arrays, and the cache of plans. Making a plan takes up to milliseconds, and a plan holds
** tables in device memory. So the cache keeps the last used plans, by default 16, for all streams and Lua states of the
** process.
*/
#include "ops/ops.h"
#include "ops/fft.h"
#include "base/fork.h"
#include "memory/graph.h"
#include "run/substitute.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  struct entry *next; /* in order of use, the most recent first */
  ma_device *device;
  ma_fft key;
  void *plan;
  uint32_t generation; /* of the device: a reset frees the plan's memory */
  int users;           /* calls that run it or wait to run it, and graphs that recorded it */
  pthread_mutex_t turn;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_BODY)
static entry *entries;
static ma_fft_cache_stats stats = { .limit = 16 };

static bool is_stale(const entry *e) {
  return e->generation != __atomic_load_n(&e->device->generation, __ATOMIC_ACQUIRE);
}

static void trim_locked(void) {
  int64_t kept = 0;
  for (entry **at = &entries; *at;) {
    entry *e = *at;
    if (e->users || (kept < stats.limit && !is_stale(e))) {
      kept++;
      at = &e->next;
      continue;
    }
    *at = e->next;
    e->device->backend->fft.plan_free(e->device, e->plan, !is_stale(e));
    pthread_mutex_destroy(&e->turn);
    free(e);
    stats.size--;
  }
}

static bool is_same(const ma_fft *a, const ma_fft *b) {
  return a->kind == b->kind && a->dtype == b->dtype && a->inverse == b->inverse && a->rank == b->rank &&
         a->batch == b->batch && a->type == b->type && a->sine == b->sine && a->scale == b->scale &&
         a->first == b->first && memcmp(a->n, b->n, sizeof a->n) == 0;
}

/* Takes the plan for `key`, moves it to the front and adds a user. *taken stays NULL if there is none and `make` is
** false. */
static ma_status take_locked(ma_device *device, const ma_fft *key, bool make, entry **taken) {
  for (entry **at = &entries; *at; at = &(*at)->next) {
    entry *e = *at;
    if (e->device != device || is_stale(e) || !is_same(&e->key, key)) continue;
    *at = e->next;
    e->next = entries;
    entries = e;
    stats.hits++;
    e->users++;
    *taken = e;
    return MA_OK;
  }
  if (!make) return MA_OK;
  entry *e = calloc(1, sizeof *e);
  if (!e) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a plan");
  uint32_t generation = __atomic_load_n(&device->generation, __ATOMIC_ACQUIRE);
  ma_status status = device->backend->fft.plan_new(device, key, &e->plan);
  if (status != MA_OK) {
    free(e);
    return status;
  }
  e->device = device;
  e->generation = generation;
  e->key = *key;
  e->users = 1;
  pthread_mutex_init(&e->turn, NULL);
  e->next = entries;
  entries = e;
  stats.misses++;
  stats.size++;
  trim_locked();
  *taken = e;
  return MA_OK;
}

static void let_go(void *taken) {
  entry *e = taken;
  pthread_mutex_lock(&lock);
  if (--e->users == 0) trim_locked();
  pthread_mutex_unlock(&lock);
}

/* Runs the plan of the stream's device. A graph that records it keeps the plan, and the plan's work area, like all
** memory made while recording. */
static ma_status run_here(ma_stream *stream, const ma_fft *fft, const void *from, void *to) {
  entry *e = NULL;
  pthread_mutex_lock(&lock);
  ma_status status = take_locked(stream->device, fft,
                                 !stream->capture || stream->device->backend->fft.plans_while_recording, &e);
  pthread_mutex_unlock(&lock);
  if (status == MA_OK && !e)
    return ma_capture_refuse_work(stream, "a Fourier transform whose plan is not kept (fft.get_plan_cache)");
  if (status != MA_OK) return status;
  pthread_mutex_lock(&e->turn);
  status = stream->device->backend->fft.run(stream, fft, e->plan, from, to);
  pthread_mutex_unlock(&e->turn);
  if (status == MA_OK && stream->capture) return ma_capture_keep(stream->capture, e, let_go);
  let_go(e);
  return status;
}

/* Bytes of the reals or of the terms that a transform reads, or those that it writes. */
static size_t bytes_of(const ma_fft *fft, bool read) {
  bool reals = fft->kind == (read ? MA_FFT_TO_COMPLEX : MA_FFT_TO_REAL);
  bool half = fft->kind == (read ? MA_FFT_TO_REAL : MA_FFT_TO_COMPLEX);
  size_t n = (size_t)fft->batch * ma_dtypes[fft->dtype].itemsize / (reals ? 2 : 1);
  for (int d = 0; d < fft->rank; d++) n *= (size_t)(half && d == fft->rank - 1 ? fft->n[d] / 2 + 1 : fft->n[d]);
  return n;
}

static ma_status run_on_cpu(ma_stream *stream, const ma_fft *fft, const void *from, void *to) {
  ma_copied part[2];
  ma_copies copies = { 0, part };
  MA_TRY(ma_substitute_begin(stream, "a Fourier transform", (ma_dtype)fft->dtype));
  ma_copies_add(&copies, from, (const char *)from + bytes_of(fft, true), false);
  ma_copies_add(&copies, to, (const char *)to + bytes_of(fft, false), true);
  ma_status status = ma_copies_make(&copies, stream);
  if (status == MA_OK)
    status = run_here(ma_device_null_stream(ma_device_cpu()), fft, ma_copies_host(&copies, from),
                      ma_copies_host(&copies, to));
  return ma_copies_finish(&copies, status, stream);
}

/* Whether the CPU's plan serves in place of one that could not be had: it has all lengths, but no pairs of halves. */
static bool is_lacking(ma_status status, const ma_fft *fft) {
  return __builtin_expect(status == MA_ERR_LACK, 0) && fft->dtype != MA_FLOAT16;
}

static ma_status run_plan(ma_stream *stream, const ma_fft *fft, const void *from, void *to) {
  ma_status status = run_here(stream, fft, from, to);
  return is_lacking(status, fft) ? run_on_cpu(stream, fft, from, to) : status;
}

/* ==== Over arrays ================================================================================================ */

static bool is_real(ma_fft_kind kind) { return kind == MA_FFT_TO_COMPLEX || kind == MA_FFT_WHOLE; }

static ma_status check(const ma_array *from, ma_fft_kind kind, int rank) {
  ma_kind wanted = is_real(kind) ? MA_KIND_FLOAT : MA_KIND_COMPLEX;
  if (ma_dtypes[from->dtype].kind != wanted || ma_dtypes[from->dtype].itemsize < 4)
    return ma_fail(MA_ERR_TYPE, "a %s array; this transform takes %s", ma_dtypes[from->dtype].name,
                   wanted == MA_KIND_FLOAT ? "float32 or float64" : "complex64 or complex128");
  if (rank < 1 || rank > MA_FFT_MAX_RANK || rank > from->ndim)
    return ma_fail(MA_ERR_VALUE, "%d axes of an array of %d; 1 to %d are wanted", rank, from->ndim, MA_FFT_MAX_RANK);
  return MA_OK;
}

/* Describes the plan for the last `rank` axes of an array, and the result's shape. */
static ma_status describe(const ma_array *from, ma_fft_kind kind, bool inverse, int rank, int64_t last, ma_fft *fft,
                          int64_t *shape) {
  ma_device *device = ma_array_device(from);
  if (kind == MA_FFT_WHOLE && !device->backend->fft.of_reals)
    return ma_fail(MA_ERR_TYPE, "real elements to transform on %s; complex ones are wanted", device->name);
  bool is_double = ma_dtypes[from->dtype].itemsize > (is_real(kind) ? 4 : 8);
  int first = from->ndim - rank;
  int64_t *end = &shape[from->ndim - 1];
  memset(fft, 0, sizeof *fft);
  fft->kind = (int32_t)kind;
  fft->dtype = is_double ? MA_COMPLEX128 : MA_COMPLEX64;
  fft->inverse = inverse;
  fft->rank = rank;
  fft->batch = 1;
  memcpy(shape, from->shape, from->ndim * sizeof *shape);
  for (int d = 0; d < from->ndim; d++)
    if (d < first) fft->batch *= shape[d];
    else fft->n[d - first] = shape[d];
  if (kind == MA_FFT_TO_COMPLEX) *end = *end / 2 + 1;
  if (kind == MA_FFT_TO_REAL) {
    if (last / 2 + 1 != *end)
      return ma_fail(MA_ERR_VALUE, "%" PRId64 " complex elements for %" PRId64 " real ones; %" PRId64 " are wanted",
                     *end, last, last / 2 + 1);
    fft->n[rank - 1] = *end = last;
  }
  for (int d = 0; d < rank; d++)
    if (fft->n[d] < 1)
      return ma_fail(MA_ERR_VALUE, "%" PRId64 " elements to transform; at least 1 is wanted", fft->n[d]);
  return MA_OK;
}

static ma_status transform(const ma_array *from, ma_fft_kind kind, bool inverse, int rank, int64_t last,
                           ma_array *result, ma_stream *stream) {
  int64_t shape[MA_MAX_NDIM];
  ma_fft fft;
  MA_TRY(describe(from, kind, inverse, rank, last, &fft, shape));
  ma_dtype dtype = (ma_dtype)fft.dtype;
  MA_TRY(ma_array_new(result, ma_array_device(from), kind == MA_FFT_TO_REAL ? ma_dtype_real(dtype) : dtype, from->ndim,
                      shape));
  const void *source;
  void *target;
  ma_status status = MA_OK;
  if (fft.batch > 0) {
    status = ma_array_read(from, stream, &source);
    if (status == MA_OK) status = ma_array_write(result, stream, &target);
    if (status == MA_OK) status = run_plan(stream, &fft, source, target);
  }
  if (status != MA_OK) ma_array_release(result);
  return status;
}

/* Whether the library can take the elements where they are: without gaps, and on a GPU at an address that suits a pair
** of them. */
static bool is_in_place(const ma_array *a) {
  if (!ma_array_is_contiguous(a)) return false;
  uintptr_t pair = ma_dtypes[a->dtype].itemsize * (ma_dtypes[a->dtype].kind == MA_KIND_COMPLEX ? 1 : 2);
  return ma_is_host(ma_array_device(a)) || ((uintptr_t)a->buffer->ptr + (uintptr_t)a->offset) % pair == 0;
}

/* Transforms an array into a new one. The library needs elements without gaps, and may overwrite the input of a
** transform to reals. */
ma_status ma_fft_run(const ma_array *from, ma_fft_kind kind, bool inverse, int rank, int64_t last, ma_array *result,
                     ma_stream *stream) {
  ma_array copy;
  result->buffer = NULL;
  MA_TRY(check(from, kind, rank));
  bool kept = kind != MA_FFT_TO_REAL || (rank == 1 && ma_array_device(from)->backend->fft.of_reals);
  if (kept && is_in_place(from)) return transform(from, kind, inverse, rank, last, result, stream);
  MA_TRY(ma_array_copy(&copy, from, (ma_dtype)from->dtype, stream));
  ma_status status = transform(&copy, kind, inverse, rank, last, result, stream);
  ma_array_release(&copy);
  return status;
}

/* Runs a plan from the array, or its contiguous copy, into `result`, which is released if that fails. */
static ma_status run_into(const ma_fft *fft, const ma_array *given, ma_array *result, ma_stream *stream) {
  ma_array from = { .buffer = NULL };
  const void *source;
  void *target;
  ma_status status = MA_OK;
  if (is_in_place(given)) ma_array_view(&from, given);
  else status = ma_array_copy(&from, given, (ma_dtype)given->dtype, stream);
  if (status == MA_OK) status = ma_array_read(&from, stream, &source);
  if (status == MA_OK) status = ma_array_write(result, stream, &target);
  if (status == MA_OK) status = run_plan(stream, fft, source, target);
  ma_array_release(&from);
  if (status != MA_OK) ma_array_release(result);
  return status;
}

ma_status ma_fft_cosine(const ma_array *given, int type, bool sine, double scale, double first, ma_array *result,
                        bool *done, ma_stream *stream) {
  ma_fft fft;
  result->buffer = NULL;
  *done = ma_array_device(given)->backend->fft.of_reals && given->size > 0;
  if (!*done) return MA_OK;
  memset(&fft, 0, sizeof fft);
  fft.kind = MA_FFT_COSINE;
  fft.dtype = given->dtype == MA_FLOAT64 ? MA_COMPLEX128 : MA_COMPLEX64;
  fft.rank = 1;
  fft.n[0] = given->shape[given->ndim - 1];
  fft.batch = given->size / fft.n[0];
  fft.type = type;
  fft.sine = sine;
  fft.scale = scale;
  fft.first = first;
  MA_TRY(ma_array_new(result, ma_array_device(given), (ma_dtype)given->dtype, given->ndim, given->shape));
  return run_into(&fft, given, result, stream);
}

ma_status ma_fft_keep(const ma_array *like, ma_fft_kind kind, bool inverse, int rank, int64_t last, void **plan,
                      ma_stream *stream) {
  int64_t shape[MA_MAX_NDIM];
  entry *e = NULL;
  ma_fft fft;
  MA_TRY(check(like, kind, rank));
  MA_TRY(describe(like, kind, inverse, rank, last, &fft, shape));
  if (stream->capture && !stream->device->backend->fft.plans_while_recording)
    return ma_capture_refuse_work(stream, "a plan of a Fourier transform");
  pthread_mutex_lock(&lock);
  ma_status status = take_locked(ma_array_device(like), &fft, true, &e);
  if (is_lacking(status, &fft)) {
    ma_lack_forget();
    status = take_locked(ma_device_cpu(), &fft, true, &e);
  }
  pthread_mutex_unlock(&lock);
  *plan = e;
  return status;
}

void ma_fft_let_go(void *plan) { let_go(plan); }

static ma_status check_half(const ma_array *from, int rank) {
  if (from->dtype != MA_FLOAT16 || from->ndim < 2 || from->shape[from->ndim - 1] != 2)
    return ma_fail(MA_ERR_TYPE,
                   "a %s array of %d axes; wanted float16, real and imaginary parts along a last axis of 2",
                   ma_dtypes[from->dtype].name, from->ndim);
  if (rank < 1 || rank > MA_FFT_MAX_RANK || rank > from->ndim - 1)
    return ma_fail(MA_ERR_VALUE, "%d axes of an array of %d; 1 to %d are wanted", rank, from->ndim - 1,
                   MA_FFT_MAX_RANK);
  for (int d = from->ndim - 1 - rank; d < from->ndim - 1; d++)
    if (from->shape[d] < 1 || from->shape[d] & (from->shape[d] - 1))
      return ma_fail(MA_ERR_VALUE, "%" PRId64 " elements to transform in half precision; a power of two is wanted",
                     from->shape[d]);
  return MA_OK;
}

ma_status ma_fft_run_half(const ma_array *given, bool inverse, int rank, ma_array *result, ma_stream *stream) {
  ma_fft fft;
  result->buffer = NULL;
  MA_TRY(check_half(given, rank));
  memset(&fft, 0, sizeof fft);
  fft.kind = MA_FFT_COMPLEX;
  fft.dtype = MA_FLOAT16;
  fft.inverse = inverse;
  fft.rank = rank;
  fft.batch = 1;
  int first = given->ndim - 1 - rank;
  for (int d = 0; d < given->ndim - 1; d++)
    if (d < first) fft.batch *= given->shape[d];
    else fft.n[d - first] = given->shape[d];
  MA_TRY(ma_array_new(result, ma_array_device(given), MA_FLOAT16, given->ndim, given->shape));
  if (fft.batch == 0) return MA_OK;
  return run_into(&fft, given, result, stream);
}

/* ==== The cache's controls ======================================================================================= */

void ma_fft_cache_statistics(ma_fft_cache_stats *now) {
  pthread_mutex_lock(&lock);
  *now = stats;
  pthread_mutex_unlock(&lock);
}

void ma_fft_cache_limit(int64_t plans) {
  pthread_mutex_lock(&lock);
  stats.limit = plans;
  trim_locked();
  pthread_mutex_unlock(&lock);
}

void ma_fft_cache_clear(void) {
  pthread_mutex_lock(&lock);
  int64_t limit = stats.limit;
  stats.limit = 0;
  trim_locked();
  stats = (ma_fft_cache_stats){ .limit = limit, .size = stats.size };
  pthread_mutex_unlock(&lock);
}
