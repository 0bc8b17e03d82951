/*
** scan.c: running totals on the GPU.
*/
#include "cuda.h"

ma_status ma_cuda_scan(ma_stream *stream, const ma_scan *scan)
{
  return ma_fail(MA_ERR_DEVICE, "a scan on %s; it runs on the CPU so far", stream->device->name);
}
