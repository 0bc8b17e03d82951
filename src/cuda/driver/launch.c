/* launch.c: launches a kernel, or the driver's own fill. MOONARRAY_DEBUG=2 times every launch, MOONARRAY_SYNC=1 waits
** for each, a timeline notes each. */
#include "base/inject.h"
#include "base/number.h"
#include "compile/prepare.h"
#include "cuda/cuda.h"

#include <stdio.h>
#include <string.h>

bool ma_cuda_times(void) { return ma_observe_now() >= MA_OBSERVE_PRINT; }

/* A divisor for n below 2^31. For d >= 1, s = ceil(log2 d) and mul = floor(2^32 (2^s - d) / d) + 1, n / d is (umulhi(n,
** mul) + n) >> s. */
ma_cuda_divisor ma_cuda_divide(uint32_t extent) {
  ma_cuda_divisor d = { extent, 0, 0 };
  while (((uint64_t)1 << d.shift) < extent) d.shift++;
  d.mul = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << d.shift) - extent)) / extent + 1);
  return d;
}

typedef enum start_kind { START_KERNEL, START_COOPERATIVE, START_FILL } start_kind;

typedef struct filling {
  CUdeviceptr to;
  size_t n;       /* values */
  unsigned bytes; /* of a value: 1, 2 or 4 */
  uint32_t value;
} filling;

/* A launch, with three extents of grid and block, which a fill has not. */
typedef struct start {
  CUfunction function;
  const uint32_t *grid, *block;
  unsigned shared;
  start_kind kind;
  bool own;
  void **parameters;
  const char *name;
  int64_t nbytes;
  const filling *filling; /* of START_FILL */
} start;

static CUresult fill(const ma_stream *stream, const filling *f) {
  if (f->bytes == 4) return ma_cu.cuMemsetD32Async(f->to, f->value, f->n, ma_cuda_queue(stream));
  if (f->bytes == 2) return ma_cu.cuMemsetD16Async(f->to, (unsigned short)f->value, f->n, ma_cuda_queue(stream));
  return ma_cu.cuMemsetD8Async(f->to, (unsigned char)f->value, f->n, ma_cuda_queue(stream));
}

static CUresult launch_otherwise(const ma_stream *stream, const start *s) {
  if (s->kind == START_FILL) return fill(stream, s->filling);
  return ma_cu.cuLaunchCooperativeKernel(s->function, s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1],
                                         s->block[2], s->shared, ma_cuda_queue(stream), s->parameters);
}

static inline CUresult launch(const ma_stream *stream, const start *s) {
  if (__builtin_expect(s->kind != START_KERNEL, 0)) return launch_otherwise(stream, s);
  return ma_cu.cuLaunchKernel(s->function, s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1], s->block[2],
                              s->shared, ma_cuda_queue(stream), s->parameters, NULL);
}

static ma_cuda_symbol call_of(const start *s) {
  if (s->kind == START_KERNEL) return MA_CU_cuLaunchKernel;
  if (s->kind == START_COOPERATIVE) return MA_CU_cuLaunchCooperativeKernel;
  return s->filling->bytes == 4   ? MA_CU_cuMemsetD32Async
         : s->filling->bytes == 2 ? MA_CU_cuMemsetD16Async
                                  : MA_CU_cuMemsetD8Async;
}

static ma_status launch_fail(const start *s, CUresult result) {
  if (ma_cuda_is_sticky(result)) return ma_cuda_lose(result); /* an earlier kernel's error, not this one's */
  ma_cuda_fail(call_of(s), result);
  return ma_fail_prefix(result == CUDA_ERROR_OUT_OF_MEMORY ? MA_ERR_MEMORY : MA_ERR_DEVICE, "%s, ", s->name);
}

static const char *print_extents(const uint32_t *n, char *text, size_t size) {
  if (n[2] > 1) snprintf(text, size, "%ux%ux%u", n[0], n[1], n[2]);
  else if (n[1] > 1) snprintf(text, size, "%ux%u", n[0], n[1]);
  else snprintf(text, size, "%u", n[0]);
  return text;
}

static ma_status timed(const ma_stream *stream, CUevent from, CUevent to, const start *s) {
  float ms = 0;
  char grid[40], block[40];
  MA_CU(cuEventRecord, to, ma_cuda_queue(stream));
  MA_CU(cuEventSynchronize, to);
  MA_CU(cuEventElapsedTime, &ms, from, to);
  if (s->kind == START_FILL) ma_print_error("moonarray: %-24s %15s %10.4f ms", s->name, stream->device->name, ms);
  else
    ma_print_error("moonarray: %-24s %8s x %-4s %10.4f ms", s->name, print_extents(s->grid, grid, sizeof grid),
                   print_extents(s->block, block, sizeof block), ms);
  if (s->nbytes > 0 && ms > 0) ma_print_error(" %8.1f GB/s", (double)s->nbytes / ms * 1e-6);
  fprintf(stderr, "\n");
  return MA_OK;
}

static ma_status launch_timed(const ma_stream *stream, const start *s) {
  CUevent from = NULL, to = NULL;
  MA_CU(cuEventCreate, &from, CU_EVENT_DEFAULT);
  CUresult result = ma_cu.cuEventCreate(&to, CU_EVENT_DEFAULT);
  if (result == CUDA_SUCCESS) result = ma_cu.cuEventRecord(from, ma_cuda_queue(stream));
  ma_status status;
  if (result != CUDA_SUCCESS) status = ma_cuda_fail(MA_CU_cuEventRecord, result);
  else {
    result = launch(stream, s);
    status = result == CUDA_SUCCESS ? timed(stream, from, to, s) : launch_fail(s, result);
  }
  ma_cu.cuEventDestroy(from);
  if (to) ma_cu.cuEventDestroy(to);
  return status;
}

static ma_status launch_noted(ma_stream *stream, const start *s) {
  ma_cuda_span span = ma_cuda_span_begin(stream);
  CUresult result = launch(stream, s);
  ma_cuda_span_end(stream, MA_TRACK_STREAM, span, s->name, s->nbytes);
  return result == CUDA_SUCCESS ? MA_OK : launch_fail(s, result);
}

/* ---- Copies: their lines are timed by the host's clock, between two waits ---- */

ma_cuda_watch ma_cuda_watch_begin(ma_stream *stream) {
  ma_cuda_watch w = { .how = stream->capture ? MA_OBSERVE_NOTHING : ma_observe_now() };
  if (__builtin_expect(w.how < MA_OBSERVE_PRINT, 1)) return w;
  if (w.how == MA_OBSERVE_SPAN) w.span = ma_cuda_span_begin(stream);
  else ma_cu.cuStreamSynchronize(ma_cuda_queue(stream));
  w.began = ma_nanoseconds();
  return w;
}

ma_status ma_cuda_watch_end(ma_stream *stream, const ma_cuda_watch *w, ma_status status, const char *name,
                            int64_t nbytes) {
  if (w->how == MA_OBSERVE_SPAN) ma_cuda_span_end(stream, MA_TRACK_COPY, w->span, name, nbytes);
  if (__builtin_expect(w->how != MA_OBSERVE_PRINT, 1) || status != MA_OK) return status;
  MA_CU(cuStreamSynchronize, ma_cuda_queue(stream));
  double ms = (double)(ma_nanoseconds() - w->began) * 1e-6;
  ma_print_error("moonarray: %-24s %15s %10.4f ms %8.1f GB/s\n", name, stream->device->name, ms,
                 ms > 0 ? (double)nbytes / ms * 1e-6 : 0);
  return MA_OK;
}

static ma_status begin(ma_stream *stream, const start *s) {
  if (__builtin_expect(ma_prepare.skips, 0)) return MA_OK;
  ma_observe watch = stream->capture ? MA_OBSERVE_NOTHING : ma_observe_now();
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, s->name));
  if (!stream->capture) ma_cuda_trail_note(stream, s->name, s->own);
  if (__builtin_expect(stream->collects != NULL, 0) && (watch == MA_OBSERVE_NOTHING || watch == MA_OBSERVE_SPAN) &&
      s->kind == START_KERNEL && !stream->capture &&
      ma_cuda_collect(stream, s->function, s->grid, s->block, s->shared, s->parameters, s->name))
    return MA_OK;
  if (__builtin_expect(watch >= MA_OBSERVE_PRINT, 0))
    return watch == MA_OBSERVE_PRINT ? launch_timed(stream, s) : launch_noted(stream, s);
  CUresult result = launch(stream, s);
  if (__builtin_expect(result != CUDA_SUCCESS, 0)) return launch_fail(s, result);
  if (__builtin_expect(watch == MA_OBSERVE_WAIT, 0)) {
    MA_CU(cuStreamSynchronize, ma_cuda_queue(stream));
    ma_cuda_trail_clear(stream->device, stream);
  }
  return MA_OK;
}

ma_status ma_cuda_launch(ma_stream *stream, CUfunction function, unsigned grid, unsigned block, unsigned shared,
                         void **parameters, const char *name, int64_t nbytes) {
  if (grid == 0) return MA_OK;
  const uint32_t blocks[3] = { grid, 1, 1 }, threads[3] = { block, 1, 1 };
  return begin(stream,
               &(start){ function, blocks, threads, shared, START_KERNEL, false, parameters, name, nbytes, NULL });
}

ma_status ma_cuda_launch_own(ma_stream *stream, CUfunction function, unsigned grid, unsigned block, unsigned shared,
                             void **parameters, const char *name, int64_t nbytes) {
  if (grid == 0) return MA_OK;
  const uint32_t blocks[3] = { grid, 1, 1 }, threads[3] = { block, 1, 1 };
  return begin(stream,
               &(start){ function, blocks, threads, shared, START_KERNEL, true, parameters, name, nbytes, NULL });
}

ma_status ma_cuda_launch_shape(ma_stream *stream, CUfunction function, const ma_launch *shape, const char *name) {
  start_kind kind = shape->cooperative ? START_COOPERATIVE : START_KERNEL;
  return begin(stream, &(start){ function, shape->grid, shape->block, shape->shared, kind, true,
                                 (void **)shape->argument, name, 0, NULL });
}

ma_status ma_cuda_fill(ma_stream *stream, void *to, size_t nbytes, const unsigned char *pattern) {
  filling f = { .to = (CUdeviceptr)(uintptr_t)to, .bytes = 4 };
  while ((f.to | nbytes) & (f.bytes - 1)) f.bytes /= 2;
  f.n = nbytes / f.bytes;
  memcpy(&f.value, pattern, sizeof f.value);
  if (f.n == 0) return MA_OK;
  return begin(stream, &(start){ .kind = START_FILL, .name = "fill", .nbytes = (int64_t)nbytes, .filling = &f });
}
