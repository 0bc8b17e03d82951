/* fft.h: Fourier transforms over the last axes of arrays: the types that cross to a backend (cuFFT, FFTW). Any axis,
** lengths and norms are arithmetic on arrays in lua/moonarray/fft.lua. */
#ifndef MOONARRAY_FFT_H
#define MOONARRAY_FFT_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

#define MA_FFT_MAX_RANK 3

typedef enum ma_fft_kind { MA_FFT_COMPLEX, MA_FFT_TO_COMPLEX, MA_FFT_TO_REAL } ma_fft_kind;

/*
** `batch` transforms of n[0] x ... x n[rank - 1] elements, not normalised: sum of x exp(-+ 2 pi i jk / n). The complex
** side of a real transform has n[rank - 1] / 2 + 1 elements along its last axis. The struct is the key of a plan: it is
** compared as bytes, so every byte is set.
*/
typedef struct ma_fft {
  int32_t kind;    /* ma_fft_kind */
  int32_t dtype;   /* of the complex side: complex64, complex128, or float16 for pairs (GPU only, n powers of two) */
  int32_t inverse; /* 1: the exponent has the sign + */
  int32_t rank;
  int64_t n[MA_FFT_MAX_RANK];
  int64_t batch;
} ma_fft;

typedef struct ma_fft_table {
  ma_status (*plan_new)(ma_device *device, const ma_fft *fft, void **plan);
  /* `there` is false after a reset of the device, which destroyed what the plan held there. */
  void (*plan_free)(ma_device *device, void *plan, bool there);
  bool plans_while_recording; /* plan_new may be called while a stream records */
  /* A plan runs one call at a time. MA_FFT_TO_REAL may overwrite `from`. */
  ma_status (*run)(ma_stream *stream, const ma_fft *fft, void *plan, const void *from, void *to);
} ma_fft_table;

extern const ma_fft_table ma_cpu_fft, ma_cuda_fft;

#pragma GCC visibility pop
#endif
