/* interpolate.c: kernels of B-splines and grids on a GPU. */
#include "backend/interpolate.h"
#include "cuda/cuda.h"

typedef struct variant {
  int16_t degree, axes;
} variant;

static void print(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_ctext_put(text, "#define MA_LANES 1\n");
  ma_ctext_put(text, ma_embedded("bspline.h"));
  ma_ctext_put(text, ma_embedded("regular.h"));
  ma_ctext_add(text, v->axes ? "#define AXES %d\n" : "#define DEGREE %d\n", v->axes ? v->axes : v->degree);
  ma_ctext_put(text, ma_embedded("interpolate.cuh"));
}

static const ma_cuda_family spline = { "bspline", { "spline_values", "spline_basis" }, print, NULL },
                            grid = { "regular", { "regular_grid" }, print, NULL };

static ma_status launch(ma_stream *stream, const ma_cuda_family *family, variant v, int which, int64_t threads,
                        void *job, const char *name, int64_t bytes) {
  const CUfunction *entry;
  int64_t blocks = (threads + MA_THREADS - 1) / MA_THREADS;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld blocks of a kernel; at most 2^31", (long long)blocks);
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), family, &v, sizeof v, &v, &entry));
  return ma_cuda_launch(stream, entry[which], (unsigned)blocks, MA_THREADS, 0, (void *[]){ job }, name, bytes);
}

ma_status ma_cuda_interpolate_bspline(ma_stream *stream, const ma_bspline *given) {
  ma_bspline job = *given;
  int64_t columns = job.to ? job.count : job.first ? job.degree + 2 : job.width;
  return launch(stream, &spline, (variant){ .degree = (int16_t)job.degree }, job.to == NULL,
                job.to ? job.m * job.count : job.m, &job, "splines", job.m * 8 * (1 + columns));
}

ma_status ma_cuda_interpolate_regular(ma_stream *stream, const ma_regular *given) {
  ma_regular job = *given;
  return launch(stream, &grid, (variant){ .axes = (int16_t)job.axes }, 0, job.n * job.count, &job, "grid",
                job.n * 8 * (job.axes + job.count));
}

ma_status ma_cuda_interpolate_source(int degree, int axes, char **source) {
  variant v = { .degree = (int16_t)degree, .axes = (int16_t)axes };
  return ma_cuda_source(axes ? &grid : &spline, &v, source);
}
