/*
** reduce.c: reductions on the GPU.
*/
#include "cuda.h"

ma_status ma_cuda_reduce(ma_stream *stream, const ma_reduction *reduction)
{
  return ma_fail(MA_ERR_DEVICE, "a reduction on %s; it runs on the CPU so far", stream->device->name);
}
