/* spatial.h: the slots of distances and neighbours. */
#ifndef MA_CUDA_SPATIAL_H
#define MA_CUDA_SPATIAL_H

#include "backend/spatial.h"

#pragma GCC visibility push(hidden)

ma_status ma_cuda_pairs(ma_stream *stream, const ma_pairs *pairs);
ma_status ma_cuda_nearest(ma_stream *stream, const ma_nearest *query);
ma_status ma_cuda_within(ma_stream *stream, const ma_within *query);

#pragma GCC visibility pop
#endif
