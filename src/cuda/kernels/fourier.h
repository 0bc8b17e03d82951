/* fourier.h: plans of transforms without cuFFT. */
#ifndef MOONARRAY_FOURIER_H
#define MOONARRAY_FOURIER_H

#include "backend/fft.h"

#pragma GCC visibility push(hidden)

typedef struct ma_fourier ma_fourier;

/* Fails for lengths that it does not have, behind the message that says why there is no cuFFT. */
ma_status ma_cuda_fourier_new(ma_device *device, const ma_fft *fft, ma_fourier **made);
void ma_cuda_fourier_free(ma_fourier *fourier, bool there);
/* `from` may be overwritten if the transform is to reals. */
ma_status ma_cuda_fourier_run(ma_stream *stream, ma_fourier *fourier, void *from, void *to);
/* The kernel's text, to compile it without a device. */
ma_status ma_cuda_fourier_source(ma_dtype dtype, char **source);

#pragma GCC visibility pop
#endif
