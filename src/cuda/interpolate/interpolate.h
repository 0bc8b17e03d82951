/* interpolate.h: the slots of splines and grids (interpolate.c). */
#ifndef MOONARRAY_CUDA_INTERPOLATE_H
#define MOONARRAY_CUDA_INTERPOLATE_H

#include "backend/interpolate.h"
#include "cuda/cuda.h"

#pragma GCC visibility push(hidden)

ma_status ma_cuda_bspline(ma_stream *stream, const ma_bspline *spline);
ma_status ma_cuda_regular(ma_stream *stream, const ma_regular *grid);

#pragma GCC visibility pop
#endif
