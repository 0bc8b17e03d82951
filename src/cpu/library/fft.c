/*
** fft.c: Fourier transforms by FFTW. A plan is for one transform. The transforms of a batch are divided among threads,
** because several threads may run a plan at once, but nothing else in FFTW. If only the double precision library is
** installed, it computes float32 too.
*/
#include "backend/fft.h"
#include "base/fork.h"
#include "cpu/library/library.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ESTIMATE = 1 << 6, UNALIGNED = 1 << 1, PRESERVE = 1 << 4 };

/* Addresses that FFTW's vector instructions need are multiples of this. A transform of up to so many bytes that lies
** elsewhere, such as a row of an odd number of pairs of float32, goes through memory of our own. */
#define ALIGNED 16

/* Two plans of FFTW's: one for any addresses, without vector instructions, and one for aligned addresses. Each is made
** when it is first needed. */
typedef struct plan {
  void *handle[2];
  void *tables;    /* of cosine.c for MA_FFT_COSINE, or NULL */
  ma_chirp *chirp; /* in place of FFTW's plans for the last axis, or NULL */
  bool single;     /* of fftwf */
  ma_fft inner;    /* the transform that FFTW makes: for MA_FFT_COSINE, of one row inside of it */
} plan;

static pthread_mutex_t planning = PTHREAD_MUTEX_INITIALIZER; /* also for plan.handle */
MA_FORK_GUARD(planning, MA_FORK_LEAF)

/* The number of elements of a transform on each side, and their bytes in the precision that is used. */
static void sizes(const ma_fft *fft, size_t real, int64_t *from, int64_t *to, size_t *from_item, size_t *to_item) {
  int64_t outer = 1, n = fft->n[fft->rank - 1];
  for (int d = 0; d < fft->rank - 1; d++) outer *= fft->n[d];
  *from = outer * (fft->kind == MA_FFT_TO_REAL ? n / 2 + 1 : n);
  *to = outer * (fft->kind == MA_FFT_TO_COMPLEX ? n / 2 + 1 : n);
  bool is_real = fft->kind == MA_FFT_TO_COMPLEX || fft->kind == MA_FFT_WHOLE || fft->kind == MA_FFT_COSINE;
  *from_item = is_real ? real : 2 * real;
  *to_item = fft->kind == MA_FFT_TO_REAL || fft->kind == MA_FFT_COSINE ? real : 2 * real;
}

static void steps(const ma_fft *fft, ma_fftw_dim *dim) {
  int64_t in = 1, out = 1;
  for (int d = fft->rank - 1; d >= 0; d--) {
    dim[d] = (ma_fftw_dim){ (ptrdiff_t)fft->n[d], (ptrdiff_t)in, (ptrdiff_t)out };
    bool last = d == fft->rank - 1;
    in *= last && fft->kind == MA_FFT_TO_REAL ? fft->n[d] / 2 + 1 : fft->n[d];
    out *= last && fft->kind == MA_FFT_TO_COMPLEX ? fft->n[d] / 2 + 1 : fft->n[d];
  }
}

/* Makes a plan. With ESTIMATE, FFTW reads no element, but the addresses must be valid, and they must differ for a
** transform that is not in place. */
static void *make(const ma_fft *fft, bool single, bool aligned) {
  ma_fftw_dim dim[MA_FFT_MAX_RANK];
  static _Alignas(64) ma_c128 from[4], to[4];
  int sign = fft->inverse ? 1 : -1;
  unsigned flags = ESTIMATE | (aligned ? 0 : UNALIGNED);
  steps(fft, dim);
  switch (fft->kind) {
  case MA_FFT_COMPLEX:
    return (single ? ma_cl.plan_c2cf : ma_cl.plan_c2c)(fft->rank, dim, 0, NULL, from, to, sign, flags);
  case MA_FFT_WHOLE:
  case MA_FFT_TO_COMPLEX: return (single ? ma_cl.plan_r2cf : ma_cl.plan_r2c)(fft->rank, dim, 0, NULL, from, to, flags);
  default:
    return (single ? ma_cl.plan_c2rf : ma_cl.plan_c2r)(fft->rank, dim, 0, NULL, from, to,
                                                       flags | (fft->rank == 1 ? PRESERVE : 0));
  }
}

/* A plan for the axes before the last one, in place on the complex side. */
static void *make_columns(const ma_fft *fft, bool single, bool aligned) {
  ma_fftw_dim dim[MA_FFT_MAX_RANK];
  static _Alignas(64) ma_c128 place[4];
  int64_t n = fft->n[fft->rank - 1], terms = fft->kind == MA_FFT_COMPLEX ? n : n / 2 + 1;
  int64_t step = fft->kind == MA_FFT_WHOLE ? n : terms;
  for (int d = fft->rank - 2; d >= 0; d--) {
    dim[d] = (ma_fftw_dim){ (ptrdiff_t)fft->n[d], (ptrdiff_t)step, (ptrdiff_t)step };
    step *= fft->n[d];
  }
  int sign = fft->kind == MA_FFT_TO_REAL || (fft->kind == MA_FFT_COMPLEX && fft->inverse) ? 1 : -1;
  ma_fftw_dim each = { (ptrdiff_t)terms, 1, 1 };
  unsigned flags = ESTIMATE | (aligned ? 0 : UNALIGNED);
  return (single ? ma_cl.plan_c2cf : ma_cl.plan_c2c)(fft->rank - 1, dim, 1, &each, place, place, sign, flags);
}

static ma_status make_chirp(plan *p) {
  pthread_mutex_lock(&planning);
  ma_status status = ma_cpu_chirp_new(&p->inner, p->single, &p->chirp);
  pthread_mutex_unlock(&planning);
  return status;
}

static ma_status find_handle(plan *p, bool aligned, void **handle) {
  *handle = NULL;
  if (p->chirp && p->inner.rank == 1) return MA_OK;
  pthread_mutex_lock(&planning);
  if (!p->handle[aligned]) p->handle[aligned] = (p->chirp ? make_columns : make)(&p->inner, p->single, aligned);
  *handle = p->handle[aligned];
  pthread_mutex_unlock(&planning);
  if (*handle) return MA_OK;
  return ma_fail(MA_ERR_LIBRARY, "FFTW made no plan for %lld elements along the last axis",
                 (long long)p->inner.n[p->inner.rank - 1]);
}

void ma_cpu_fft_plan_free(ma_device *device, void *made, bool there) {
  plan *p = made;
  pthread_mutex_lock(&planning);
  for (int k = 0; k < 2; k++)
    if (p->handle[k]) (p->single ? ma_cl.destroy_planf : ma_cl.destroy_plan)(p->handle[k]);
  ma_cpu_chirp_free(p->chirp);
  pthread_mutex_unlock(&planning);
  free(p->tables);
  free(p);
}

ma_status ma_cpu_fft_plan_new(ma_device *device, const ma_fft *fft, void **made) {
  void *handle;
  if (fft->dtype == MA_FLOAT16) return ma_fail(MA_ERR_LIBRARY, "FFTW has no half precision");
  bool single = fft->dtype == MA_COMPLEX64 && ma_cpu_need(MA_CPU_fftwf) == MA_OK;
  if (!single) MA_TRY(ma_cpu_need(MA_CPU_fftw));
  plan *p = calloc(1, sizeof *p);
  if (!p) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a plan");
  p->single = single;
  if (fft->kind == MA_FFT_COSINE) ma_cpu_cosine_inner(fft, &p->inner);
  else p->inner = *fft;
  ma_status status = ma_cpu_chirp_suits(&p->inner) ? make_chirp(p) : find_handle(p, true, &handle);
  if (status == MA_OK && fft->kind == MA_FFT_COSINE) status = ma_cpu_cosine_tables(fft, &p->tables);
  if (status != MA_OK) ma_cpu_fft_plan_free(device, p, true);
  else *made = p;
  return status;
}

typedef struct job {
  const ma_fft *fft;
  void *handle;          /* FFTW's plan */
  const ma_chirp *chirp; /* in place of it, or NULL */
  bool single;
  const char *from;
  char *to;
  bool widen; /* float32 in the double precision library */
  bool moved; /* through memory that is aligned */
  int64_t nfrom, nto;
  size_t from_item, to_item; /* bytes in the arrays */
} job;

/* Runs chirp.c for the last axis, and FFTW in place for the others. For a transform to reals, `from` is a copy of our
** own. */
static ma_status execute_chirp(const job *j, char *from, char *to) {
  int64_t rows = 1;
  bool wide = !j->single, back = j->fft->kind == MA_FFT_TO_REAL;
  for (int d = 0; d < j->fft->rank - 1; d++) rows *= j->fft->n[d];
  size_t real = wide ? 8 : 4, is_real = j->from_item == j->to_item / 2;
  size_t given = (size_t)(j->nfrom / rows) * (is_real ? real : 2 * real);
  size_t made = (size_t)(j->nto / rows) * (back ? real : 2 * real);
  if (back && rows > 1) (wide ? ma_cl.execute_c2c : ma_cl.execute_c2cf)(j->handle, from, from);
  for (int64_t r = 0; r < rows; r++) MA_TRY(ma_cpu_chirp_run(j->chirp, j->fft, from + r * given, to + r * made));
  if (!back && rows > 1) (wide ? ma_cl.execute_c2c : ma_cl.execute_c2cf)(j->handle, to, to);
  return MA_OK;
}

static ma_status execute(const job *j, void *from, void *to) {
  bool single = j->single;
  if (j->chirp) return execute_chirp(j, from, to);
  switch (j->fft->kind) {
  case MA_FFT_COMPLEX: (single ? ma_cl.execute_c2cf : ma_cl.execute_c2c)(j->handle, from, to); break;
  case MA_FFT_WHOLE:
  case MA_FFT_TO_COMPLEX: (single ? ma_cl.execute_r2cf : ma_cl.execute_r2c)(j->handle, from, to); break;
  default: (single ? ma_cl.execute_c2rf : ma_cl.execute_c2r)(j->handle, from, to);
  }
  return MA_OK;
}

static ma_status widened(const job *j, const float *from, float *to) {
  size_t nfrom = (size_t)j->nfrom * j->from_item / sizeof(float), nto = (size_t)j->nto * j->to_item / sizeof(float);
  double *wide = malloc((nfrom + nto) * sizeof *wide);
  if (!wide)
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for a transform in double precision",
                   (nfrom + nto) * sizeof *wide);
  for (size_t i = 0; i < nfrom; i++) wide[i] = from[i];
  ma_status status = execute(j, wide, wide + nfrom);
  for (size_t i = 0; i < nto && status == MA_OK; i++) to[i] = (float)wide[nfrom + i];
  free(wide);
  return status;
}

ma_status ma_cpu_fft_row(const void *given, void *from, void *to) {
  const job *j = given;
  return j->widen ? widened(j, from, to) : execute(j, from, to);
}

/* Two pieces of aligned memory for one transform, which the caller frees by the first. */
static ma_status aligned_pair(const job *j, void **from, void **to) {
  size_t given = ((size_t)j->nfrom * j->from_item + 63) & ~(size_t)63, made = (size_t)j->nto * j->to_item;
  if (posix_memalign(from, 64, given + made) != 0)
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for a row of a transform", given + made);
  *to = (char *)*from + given;
  return MA_OK;
}

static ma_status run_moved(const job *j, int64_t first, int64_t end) {
  size_t given = (size_t)j->nfrom * j->from_item, made = (size_t)j->nto * j->to_item;
  void *from = NULL, *to = NULL;
  ma_status status = MA_OK;
  MA_TRY(aligned_pair(j, &from, &to));
  for (int64_t b = first; b < end && status == MA_OK; b++) {
    memcpy(from, j->from + (size_t)b * given, given);
    status = execute(j, from, to);
    if (j->fft->kind == MA_FFT_WHOLE) ma_cpu_fft_fill(j->fft, to);
    memcpy(j->to + (size_t)b * made, to, made);
  }
  free(from);
  return status;
}

static ma_status run_range(void *context, int64_t first, int64_t end) {
  const job *j = context;
  if (j->moved) return run_moved(j, first, end);
  for (int64_t b = first; b < end; b++) {
    const char *from = j->from + (size_t)(b * j->nfrom) * j->from_item;
    char *to = j->to + (size_t)(b * j->nto) * j->to_item;
    if (j->widen) MA_TRY(widened(j, (const float *)(const void *)from, (float *)(void *)to));
    else MA_TRY(execute(j, (void *)(uintptr_t)from, to));
    if (j->fft->kind == MA_FFT_WHOLE) ma_cpu_fft_fill(j->fft, to);
  }
  return MA_OK;
}

/* The arguments of a slot. A graph keeps the plan while it lives (src/ops/fft.c). */
typedef struct asked {
  ma_fft fft;
  void *plan;
  const void *from;
  void *to;
} asked;

/* Whether every transform of the batch begins at an aligned address. All of them run the same plan, so that equal rows
** give equal bits. */
static bool is_aligned(const job *j) {
  uintptr_t bits = (uintptr_t)j->from | (uintptr_t)j->to;
  if (j->fft->batch > 1) bits |= (uintptr_t)j->nfrom * j->from_item | (uintptr_t)j->nto * j->to_item;
  return !j->widen && bits % ALIGNED == 0;
}

static ma_status run_now(ma_stream *stream, const void *given) {
  const asked *a = given;
  const ma_fft *fft = &a->fft;
  plan *p = a->plan;
  job j = { .fft = &p->inner, .chirp = p->chirp, .single = p->single, .from = a->from, .to = a->to };
  sizes(&p->inner, fft->dtype == MA_COMPLEX128 ? 8 : 4, &j.nfrom, &j.nto, &j.from_item, &j.to_item);
  j.widen = fft->dtype == MA_COMPLEX64 && !p->single;
  bool cosine = fft->kind == MA_FFT_COSINE, aligned = cosine || is_aligned(&j);
  j.moved = !aligned && !j.widen && !j.chirp && j.nfrom * (int64_t)j.from_item <= TUNE_FFT_MOVED &&
            j.nto * (int64_t)j.to_item <= TUNE_FFT_MOVED;
  MA_TRY(find_handle(p, aligned || j.moved, &j.handle));
  if (cosine) return ma_cpu_cosine(fft, &j, p->tables, a->from, a->to);
  int64_t grain = 16384 / (j.nfrom + 1) + 1;
  return ma_cpu_parallel(fft->batch, grain, run_range, &j);
}

static int64_t asked_bytes(const void *given) {
  const asked *a = given;
  int64_t nfrom, nto;
  size_t from_item, to_item;
  sizes(&a->fft, a->fft.dtype == MA_COMPLEX128 ? 8 : 4, &nfrom, &nto, &from_item, &to_item);
  return a->fft.batch * (nfrom * (int64_t)from_item + nto * (int64_t)to_item);
}

ma_status ma_cpu_fft_run(ma_stream *stream, const ma_fft *fft, void *plan, const void *from, void *to) {
  static const ma_task task = { .name = "fft", .run = run_now, .bytes = asked_bytes };
  return ma_cpu_submit(stream, &task, &(asked){ *fft, plan, from, to }, sizeof(asked));
}
