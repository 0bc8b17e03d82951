/* transform.c: values of splines at places of an image on a GPU. */
#include "cuda/ndimage/filter.h"

#include <string.h>

/* Everything that the text depends on; compared as bytes. */
typedef struct variant {
  uint8_t from, to, coordinates, ndim, out_ndim, order, mode, kind, big, tiled, each;
} variant;

static void print_transform(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_ctext_put(text, ma_embedded("edge.h"));
  ma_ctext_add(text, "#define MA_SPLINE_REAL %s\n#define BIG %d\n", ma_cuda_compute_name((ma_dtype)v->from), v->big);
  ma_ctext_put(text, ma_embedded("spline.h"));
  ma_ctext_add(text, "typedef %s T;\ntypedef dt_%s result;\n#define CUT(x) ma_near_%s(x)\n",
               ma_cuda_compute_name((ma_dtype)v->from), ma_cuda_suffix((ma_dtype)v->to),
               ma_cuda_suffix((ma_dtype)v->to));
  ma_ctext_add(text, "#define NDIM %d\n#define OUT_NDIM %d\n#define ORDER %d\n#define MODE %d\n#define KIND %d\n",
               v->ndim, v->out_ndim, v->order, v->mode, v->kind);
  ma_ctext_add(text, "#define EACH %d\n#define TILED %d\ntypedef %s COORDINATE;\n", v->each, v->tiled,
               ma_cuda_compute_name((ma_dtype)v->coordinates));
  ma_ctext_put(text, ma_embedded("transform.cuh"));
}

static const ma_cuda_family family = { "transform", { "transform_image" }, print_transform, NULL };

/* How many values a thread makes: enough for many reads at once, but few enough for its registers. */
static int each_of(const variant *v) {
  if (v->tiled) return v->order == 1 ? 8 : 4;
  if (v->kind != 0 || v->order != 1 || v->big) return 1;
  return v->ndim <= 2 ? 4 : v->ndim == 3 ? 2 : 1;
}

static variant variant_of(const ma_transform *t) {
  variant v;
  memset(&v, 0, sizeof v);
  v.from = (uint8_t)t->from_dtype;
  v.to = (uint8_t)t->to_dtype;
  v.kind = t->coordinates ? 0 : t->diagonal ? 2 : 1;
  v.coordinates = (uint8_t)(t->coordinates ? t->coordinate_dtype : MA_FLOAT64);
  v.ndim = (uint8_t)t->ndim;
  v.out_ndim = (uint8_t)t->out_ndim;
  v.order = (uint8_t)t->order;
  v.mode = (uint8_t)t->mode;
  int64_t size = 1;
  for (int d = 0; d < t->ndim; d++) size *= t->shape[d];
  v.big = size >= INT64_C(1) << 31;
  int64_t columns = t->out_shape[t->out_ndim - 1], rows = t->out_ndim > 1 ? t->out_shape[t->out_ndim - 2] : 0;
  v.tiled = v.kind == 2 && columns >= MA_TRANSFORM_WIDE / 2 && rows >= MA_TRANSFORM_WIDE / 4 && columns < INT32_MAX &&
            rows < INT32_MAX;
  v.each = (uint8_t)each_of(&v);
  return v;
}

/* The number of blocks: one for each tile of the last two axes at each position before them, or one for so many
** consecutive values. */
static ma_status blocks_of(const ma_transform *t, const variant *v, int64_t total, unsigned *blocks) {
  if (!v->tiled) return ma_cuda_filter_blocks(total, (int64_t)MA_THREADS * v->each, blocks);
  int64_t tiles = total > 0, high = MA_THREADS / MA_TRANSFORM_WIDE * v->each;
  for (int d = 0; d < t->out_ndim; d++)
    tiles *= d < t->out_ndim - 2    ? t->out_shape[d]
             : d == t->out_ndim - 2 ? (t->out_shape[d] + high - 1) / high
                                    : (t->out_shape[d] + MA_TRANSFORM_WIDE - 1) / MA_TRANSFORM_WIDE;
  return ma_cuda_filter_blocks(tiles, 1, blocks);
}

/* Packs the bytes of `struct transform` in transform.cuh, in its order. */
typedef struct packer {
  _Alignas(8) char bytes[2048];
  size_t size;
} packer;

static void pack(packer *p, const void *from, size_t count) {
  memcpy(p->bytes + p->size, from, count * 8);
  p->size += count * 8;
}

ma_status ma_cuda_filter_transform(ma_stream *stream, const ma_transform *t) {
  variant v = variant_of(t);
  const CUfunction *entry;
  unsigned blocks = 0;
  packer p = { .size = 0 };
  int64_t total = 1, from = 1;
  for (int d = 0; d < t->out_ndim; d++) total *= t->out_shape[d];
  for (int d = 0; d < t->ndim; d++) from *= t->shape[d];
  MA_TRY(blocks_of(t, &v, total, &blocks));
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  pack(&p, &t->from, 1);
  pack(&p, &t->to, 1);
  if (v.kind == 0) pack(&p, &t->coordinates, 1);
  else {
    for (int d = 0; d < t->ndim; d++)
      pack(&p, v.kind == 1 ? &t->matrix[d][0] : &t->matrix[d][d], v.kind == 1 ? (size_t)t->out_ndim : 1);
    pack(&p, t->shift, (size_t)t->ndim);
    pack(&p, t->before, (size_t)t->ndim);
  }
  pack(&p, &total, 1);
  pack(&p, t->shape, (size_t)t->ndim);
  pack(&p, t->out_shape, (size_t)t->out_ndim);
  pack(&p, &t->cval, 1);
  pack(&p, &t->pad, 1);
  return ma_cuda_launch(stream, entry[0], blocks, MA_THREADS, 0, (void *[]){ p.bytes }, "transform",
                        from * ma_dtypes[t->from_dtype].itemsize + total * ma_dtypes[t->to_dtype].itemsize +
                          (t->coordinates ? total * t->ndim * ma_dtypes[t->coordinate_dtype].itemsize : 0));
}

ma_status ma_cuda_transform_source(const ma_transform *t, char **source) {
  variant v = variant_of(t);
  return ma_cuda_source(&family, &v, source);
}
