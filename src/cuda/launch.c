/* launch.c: one kernel launch, and looking at it: MOONARRAY_DEBUG=2 times each, MOONARRAY_SYNC=1 waits for each. */
#include "cuda.h"

#include <stdio.h>

enum { WATCH_UNKNOWN, WATCH_NOTHING, WATCH_WAIT, WATCH_TIME };

static int watching(void) {
  static int mode;
  if (__builtin_expect(mode == WATCH_UNKNOWN, 0))
    mode = ma_config_int(MA_CONFIG_DEBUG) >= 2 ? WATCH_TIME : ma_config_int(MA_CONFIG_SYNC) ? WATCH_WAIT : WATCH_NOTHING;
  return mode;
}

/* For n below 2^31 and d >= 1: with s = ceil(log2 d) and mul = floor(2^32 (2^s - d) / d) + 1, n / d = (umulhi(n, mul) + n) >> s. */
ma_cuda_divisor ma_cuda_divide(uint32_t extent) {
  ma_cuda_divisor d = {extent, 0, 0};
  while (((uint64_t)1 << d.shift) < extent) d.shift++;
  d.mul = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << d.shift) - extent)) / extent + 1);
  return d;
}

static ma_status timed(ma_stream *stream, CUevent start, CUevent end, const char *name, unsigned grid, unsigned block, int64_t nbytes) {
  float ms = 0;
  MA_CU(cuEventRecord, end, stream->handle);
  MA_CU(cuEventSynchronize, end);
  MA_CU(cuEventElapsedTime, &ms, start, end);
  fprintf(stderr, "moonarray: %-24s %8u x %-4u %10.4f ms", name, grid, block, ms);
  if (nbytes > 0 && ms > 0) fprintf(stderr, " %8.1f GB/s", (double)nbytes / ms * 1e-6);
  fprintf(stderr, "\n");
  return MA_OK;
}

static ma_status launch_timed(ma_stream *stream, CUfunction function, unsigned grid, unsigned block, unsigned shared, void **parameters,
                              const char *name, int64_t nbytes) {
  CUevent start = NULL, end = NULL;
  MA_CU(cuEventCreate, &start, CU_EVENT_DEFAULT);
  CUresult result = ma_cu.cuEventCreate(&end, CU_EVENT_DEFAULT);
  if (result == CUDA_SUCCESS) result = ma_cu.cuEventRecord(start, stream->handle);
  ma_status status;
  if (result != CUDA_SUCCESS) status = ma_cuda_fail(MA_CU_cuEventRecord, result);
  else {
    result = ma_cu.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, stream->handle, parameters, NULL);
    status = result == CUDA_SUCCESS ? timed(stream, start, end, name, grid, block, nbytes) : ma_cuda_fail(MA_CU_cuLaunchKernel, result);
  }
  ma_cu.cuEventDestroy(start);
  if (end) ma_cu.cuEventDestroy(end);
  return status;
}

ma_status ma_cuda_launch(ma_stream *stream, CUfunction function, unsigned grid, unsigned block, unsigned shared, void **parameters,
                         const char *name, int64_t nbytes) {
  if (grid == 0) return MA_OK;
  int mode = watching();
  if (__builtin_expect(mode == WATCH_TIME, 0)) return launch_timed(stream, function, grid, block, shared, parameters, name, nbytes);
  CUresult result = ma_cu.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, stream->handle, parameters, NULL);
  if (__builtin_expect(result != CUDA_SUCCESS, 0)) {
    ma_cuda_fail(MA_CU_cuLaunchKernel, result);
    return ma_fail_prefix(result == CUDA_ERROR_OUT_OF_MEMORY ? MA_ERR_MEMORY : MA_ERR_DEVICE, "%s, ", name);
  }
  if (__builtin_expect(mode == WATCH_WAIT, 0)) MA_CU(cuStreamSynchronize, stream->handle);
  return MA_OK;
}
