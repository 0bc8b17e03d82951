/* signal.h: the slots of signals (signal.c). */
#ifndef MOONARRAY_CUDA_SIGNAL_H
#define MOONARRAY_CUDA_SIGNAL_H

#include "backend/signal.h"
#include "cuda/cuda.h"

#pragma GCC visibility push(hidden)

ma_status ma_cuda_correlate(ma_stream *stream, const ma_correlate *correlate);
ma_status ma_cuda_upfirdn(ma_stream *stream, const ma_upfirdn *upfirdn);
ma_status ma_cuda_recurrence(ma_stream *stream, const ma_recurrence *recurrence);
ma_status ma_cuda_peaks(ma_stream *stream, const ma_peaks *peaks);

#pragma GCC visibility pop
#endif
