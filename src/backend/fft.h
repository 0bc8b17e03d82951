/*
** fft.h: Fourier transforms over the last axes of arrays: what crosses to a backend (cuFFT, FFTW), and the cache of
** plans. The rest (any axis, lengths, norms) is arithmetic on arrays in lua/moonarray/fft.lua.
*/
#ifndef MOONARRAY_FFT_H
#define MOONARRAY_FFT_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

#define MA_FFT_MAX_RANK 3

typedef enum ma_fft_kind { MA_FFT_COMPLEX, MA_FFT_TO_COMPLEX, MA_FFT_TO_REAL } ma_fft_kind;

/*
** `batch` transforms of n[0] x ... x n[rank - 1] elements, without a factor: sum of x exp(-+ 2 pi i jk / n). The
** complex side of a real transform holds n[rank - 1] / 2 + 1 elements along its last axis. Plain bytes, all set: it is
** the key of a plan.
*/
typedef struct ma_fft {
  int32_t kind;  /* ma_fft_kind */
  int32_t dtype; /* of the complex side: complex64, complex128, or float16 for pairs of it (a GPU's, n powers of two) */
  int32_t inverse; /* the sign of the exponent is + */
  int32_t rank;
  int64_t n[MA_FFT_MAX_RANK];
  int64_t batch;
} ma_fft;

typedef struct ma_fft_table {
  ma_status (*plan_new)(ma_device *device, const ma_fft *fft, void **plan);
  /* not `there`: a reset of the device took what it held */
  void (*plan_free)(ma_device *device, void *plan, bool there);
  bool plans_while_recording; /* plan_new is harmless while a stream records */
  /* One call at a time a plan. `from` may be overwritten where the kind is MA_FFT_TO_REAL. */
  ma_status (*run)(ma_stream *stream, const ma_fft *fft, void *plan, const void *from, void *to);
} ma_fft_table;

extern const ma_fft_table ma_cpu_fft, ma_cuda_fft;

#pragma GCC visibility pop
#endif
