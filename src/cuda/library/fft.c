/* fft.c: Fourier transforms by cuFFT, or where it is not found by kernels/fourier.c. A plan's work area is allocated
** from the pool for each run, so plans of large transforms hold little memory. */
#include "cuda/cuda.h"
#include "cuda/kernels/fourier.h"

#include "backend/fft.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct plan {
  ma_fourier *own; /* NULL: cuFFT's */
  int handle;
  size_t work;
} plan;

static const char *describe(const ma_fft *fft, char *text, size_t size) {
  int at = snprintf(text, size, "%" PRId64 " transforms of ", fft->batch);
  for (int d = 0; d < fft->rank && at < (int)size; d++)
    at += snprintf(text + at, size - (size_t)at, d ? " x %" PRId64 : "%" PRId64, fft->n[d]);
  return text;
}

static ma_status fail(const char *call, int result, const ma_fft *fft) {
  static const char *const names[] = { "CUFFT_SUCCESS",      "CUFFT_INVALID_PLAN",  "CUFFT_ALLOC_FAILED",
                                       "CUFFT_INVALID_TYPE", "CUFFT_INVALID_VALUE", "CUFFT_INTERNAL_ERROR",
                                       "CUFFT_EXEC_FAILED",  "CUFFT_SETUP_FAILED",  "CUFFT_INVALID_SIZE" };
  const char *name = result > 0 && result < (int)(sizeof names / sizeof *names) ? names[result] : "an unknown status";
  char text[160];
  if (result == CUFFT_ALLOC_FAILED)
    return ma_fail(MA_ERR_MEMORY, "%s: %s (%d): out of memory, %s", call, name, result,
                   describe(fft, text, sizeof text));
  return ma_fail(MA_ERR_LIBRARY, "%s: %s (%d), %s", call, name, result, describe(fft, text, sizeof text));
}

#define CUFFT(fft, name, ...)                           \
  do {                                                  \
    int result_ = ma_cu.name(__VA_ARGS__);              \
    if (result_ != 0) return fail(#name, result_, fft); \
  } while (0)

static int type_of(const ma_fft *fft) {
  static const int types[3][2] = { { CUFFT_C2C, CUFFT_Z2Z }, { CUFFT_R2C, CUFFT_D2Z }, { CUFFT_C2R, CUFFT_Z2D } };
  return types[fft->kind][fft->dtype == MA_COMPLEX128];
}

static ma_status make(const ma_fft *fft, plan *p) {
  long long n[MA_FFT_MAX_RANK];
  for (int d = 0; d < fft->rank; d++) n[d] = fft->n[d];
  CUFFT(fft, cufftSetAutoAllocation, p->handle, 0);
  if (fft->dtype == MA_FLOAT16) {
    CUFFT(fft, cufftXtMakePlanMany, p->handle, fft->rank, n, NULL, 1, 0, CUDA_C_16F, NULL, 1, 0, CUDA_C_16F, fft->batch,
          &p->work, CUDA_C_16F);
    return MA_OK;
  }
  CUFFT(fft, cufftMakePlanMany64, p->handle, fft->rank, n, NULL, 1, 0, NULL, 1, 0, type_of(fft), fft->batch, &p->work);
  return MA_OK;
}

static ma_status make_by_library(const ma_fft *fft, plan *p) {
  MA_TRY(ma_cuda_need(MA_CUDA_cufft));
  int result = ma_cu.cufftCreate(&p->handle);
  ma_status status = result ? fail("cufftCreate", result, fft) : make(fft, p);
  if (status != MA_OK && !result) ma_cu.cufftDestroy(p->handle);
  return status;
}

ma_status ma_cuda_fft_plan_new(ma_device *device, const ma_fft *fft, void **made) {
  MA_TRY(ma_cuda_enter(device));
  plan *p = calloc(1, sizeof *p);
  if (!p) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a plan");
  bool own = !ma_cuda_has(MA_CUDA_cufft);
  ma_status status = !own                       ? make_by_library(fft, p)
                     : fft->dtype == MA_FLOAT16 ? ma_lack() /* the caller has float32 */
                                                : ma_cuda_fourier_new(device, fft, &p->own);
  if (status != MA_OK) free(p);
  else *made = p;
  return status;
}

void ma_cuda_fft_plan_free(ma_device *device, void *made, bool there) {
  plan *p = made;
  there = there && ma_cuda_enter(device) == MA_OK;
  if (p->own) ma_cuda_fourier_free(p->own, there);
  else if (there) ma_cu.cufftDestroy(p->handle);
  free(p);
}

static ma_status execute(const ma_fft *fft, int handle, void *from, void *to) {
  bool forward = !fft->inverse;
  int sign = forward ? CUFFT_FORWARD : CUFFT_INVERSE;
  if (fft->dtype == MA_FLOAT16) {
    CUFFT(fft, cufftXtExec, handle, from, to, sign);
    return MA_OK;
  }
  switch (type_of(fft)) {
  case CUFFT_C2C: CUFFT(fft, cufftExecC2C, handle, from, to, sign); break;
  case CUFFT_Z2Z: CUFFT(fft, cufftExecZ2Z, handle, from, to, sign); break;
  case CUFFT_R2C: CUFFT(fft, cufftExecR2C, handle, from, to); break;
  case CUFFT_D2Z: CUFFT(fft, cufftExecD2Z, handle, from, to); break;
  case CUFFT_C2R: CUFFT(fft, cufftExecC2R, handle, from, to); break;
  default: CUFFT(fft, cufftExecZ2D, handle, from, to);
  }
  return MA_OK;
}

ma_status ma_cuda_fft_run(ma_stream *stream, const ma_fft *fft, void *made, const void *from, void *to) {
  plan *p = made;
  ma_buffer *work = NULL;
  MA_TRY(ma_cuda_enter(stream->device));
  if (p->own) return ma_cuda_fourier_run(stream, p->own, (void *)(uintptr_t)from, to);
  CUFFT(fft, cufftSetStream, p->handle, ma_cuda_queue(stream));
  if (p->work) {
    MA_TRY(ma_cuda_scratch(stream, p->work, &work));
    int result = ma_cu.cufftSetWorkArea(p->handle, work->ptr);
    if (result) {
      ma_buffer_release(work);
      return fail("cufftSetWorkArea", result, fft);
    }
  }
  ma_cuda_span span = ma_cuda_span_begin(stream);
  ma_status status = execute(fft, p->handle, (void *)(uintptr_t)from, to);
  ma_cuda_span_end(stream, MA_TRACK_STREAM, span, "cuFFT", 0);
  if (work) ma_buffer_release(work);
  return status;
}
