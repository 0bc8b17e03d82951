/* fft.h: Fourier transforms over the last axes of arrays: the types that cross to a backend (cuFFT, FFTW). Any axis,
** lengths and norms are arithmetic on arrays in lua/moonarray/fft.lua. */
#ifndef MOONARRAY_FFT_H
#define MOONARRAY_FFT_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

#define MA_FFT_MAX_RANK 3

typedef enum ma_fft_kind { MA_FFT_COMPLEX, MA_FFT_TO_COMPLEX, MA_FFT_TO_REAL, MA_FFT_COSINE, MA_FFT_WHOLE } ma_fft_kind;

/*
** `batch` transforms of n[0] x ... x n[rank - 1] elements, not normalised: sum of x exp(-+ 2 pi i jk / n). The complex
** side of a real transform has n[rank - 1] / 2 + 1 elements along its last axis. MA_FFT_WHOLE is one of reals too, with
** all n[rank - 1] terms. MA_FFT_COSINE is a cosine or sine transform of rows of reals, times `scale`; `first` is the
** factor of the ends of an orthogonal one. The struct is the key of a plan: it is compared as bytes, so every byte is
** set.
*/
typedef struct ma_fft {
  int32_t kind;    /* ma_fft_kind */
  int32_t dtype;   /* of the complex side: complex64, complex128, or float16 for pairs (GPU only, n powers of two) */
  int32_t inverse; /* 1: the exponent has the sign + */
  int32_t rank;
  int64_t n[MA_FFT_MAX_RANK];
  int64_t batch;
  int32_t type, sine; /* of MA_FFT_COSINE: 1 to 4, 4 for even n; whether it is a sine transform */
  double scale, first;
} ma_fft;

#pragma GCC visibility pop
#endif
