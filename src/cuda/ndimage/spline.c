/* spline.c: coefficients of splines, and values of splines at places, on a GPU. */
#include "cuda/ndimage/filter.h"
#include "kernels/ndimage/spline.h"

#include <math.h>
#include <string.h>

#define LINES 32 /* of a warp, if lines lie along the last axis */
#define THREADS 128
#define PIECE 256 /* elements of a line that a thread makes, if the line is cut */

/* Everything that the text depends on; compared as bytes. */
typedef struct variant {
  uint8_t dtype, mode, rows;
} variant;

static void print_spline(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_ctext_put(text, ma_embedded("edge.h"));
  ma_ctext_put(text, ma_embedded("spline.h"));
  ma_ctext_add(text, "typedef %s T;\n#define MODE %d\n#define ROWS %d\n", ma_cuda_compute_name((ma_dtype)v->dtype),
               v->mode, v->rows);
  ma_ctext_put(text, ma_embedded("spline.cuh"));
}

static const ma_cuda_family family = { "spline", { "forwards", "backwards" }, print_spline, NULL };

static variant variant_of(const ma_spline_filter *f) {
  variant v;
  memset(&v, 0, sizeof v);
  v.dtype = (uint8_t)f->dtype;
  v.mode = (uint8_t)f->mode;
  v.rows = f->inner == 1 && f->outer > 1;
  return v;
}

ma_status ma_cuda_filter_spline(ma_stream *stream, const ma_spline_filter *f) {
  variant v = variant_of(f);
  const CUfunction *entry;
  ma_buffer *between;
  unsigned blocks = 0;
  double pole[2];
  int npole = ma_spline_poles(f->order, pole);
  int64_t lines = f->outer * f->inner, size = ma_dtypes[f->dtype].itemsize;
  if (f->n == 1) return MA_OK;
  struct {
    void *data, *between;
    int64_t outer, n, inner, lines, piece, pieces, warm;
    double z, gain, power;
  } job = { .data = f->data, .outer = f->outer, .n = f->n, .inner = f->inner, .lines = lines, .piece = PIECE };
  job.pieces = (f->n + PIECE - 1) / PIECE;
  if (v.rows) MA_TRY(ma_cuda_filter_blocks((lines + LINES - 1) / LINES * job.pieces, 1, &blocks));
  else MA_TRY(ma_cuda_filter_blocks(lines * job.pieces, THREADS, &blocks));
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  MA_TRY(ma_cuda_scratch(stream, (size_t)(lines * f->n * size), &between));
  job.between = between->ptr;
  ma_status status = MA_OK;
  for (int k = 0; k < npole && status == MA_OK; k++) {
    job.z = pole[k];
    job.gain = k == 0 ? ma_spline_gain(npole, pole) : 1;
    job.power = pow(pole[k], (double)(f->mode == MA_EDGE_MIRROR ? f->n - 1 : f->n));
    /* after so many elements the influence of the state at the begin is below a rounding of the dtype */
    job.warm = (int64_t)ceil(log(size == 4 ? 1e-9 : 1e-18) / log(fabs(pole[k])));
    for (int way = 0; way < 2 && status == MA_OK; way++)
      status = ma_cuda_launch(stream, entry[way], blocks, v.rows ? LINES : THREADS, 0, (void *[]){ &job },
                              way == 0 ? "spline filter" : "spline filter back", 2 * lines * f->n * size);
  }
  ma_buffer_release(between);
  return status;
}

ma_status ma_cuda_spline_source(const ma_spline_filter *f, char **source) {
  variant v = variant_of(f);
  return ma_cuda_source(&family, &v, source);
}
