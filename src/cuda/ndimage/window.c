/* window.c: filters over windows of any shape on a GPU. A window along one axis takes along.c's kernels. */
#include "cuda/ndimage/filter.h"
#include "kernels/ndimage/network.h"

#include <stdlib.h>
#include <string.h>

#define MOST_TAPS 64 /* places whose distances are parameters */
#define MOST_OFFSETS 512
#define BIG ((int64_t)1 << 31)

/* Everything that the text depends on; compared as bytes. */
typedef struct variant {
  uint8_t from, to, compute, op, ndim, ntap, weights, big, rank, nine;
} variant;

/* The window over joined axes. */
typedef struct joined {
  int ndim;
  int64_t shape[MA_MAX_NDIM];
  int axis[MA_MAX_NDIM]; /* the window's axis; -1: no place lies beyond it */
} joined;

static joined join(const ma_window *w) {
  joined j = { .ndim = 0 };
  for (int d = 0; d < w->ndim; d++) {
    int axis = ma_window_reaches(w, d) ? d : -1;
    if (axis < 0 && j.ndim && j.axis[j.ndim - 1] < 0) j.shape[j.ndim - 1] *= w->shape[d];
    else {
      j.shape[j.ndim] = w->shape[d];
      j.axis[j.ndim++] = axis;
    }
  }
  if (j.ndim == 0) {
    j.ndim = 1;
    j.shape[0] = 1;
    j.axis[0] = -1;
  }
  return j;
}

/* ==== One axis =================================================================================================== */

/* Whether the taps are neighbours along one axis in an order that along.cuh knows. */
static bool as_along(const ma_window *w, ma_along *a) {
  int axis = -1;
  if (w->op == MA_FILTER_RANK || (w->op != MA_FILTER_CORRELATE && w->weight) || w->ntap > MA_ALONG_MOST) return false;
  for (int d = 0; d < w->ndim; d++)
    if (ma_window_reaches(w, d)) {
      if (axis >= 0) return false;
      axis = d;
    }
  if (axis < 0) axis = w->ndim - 1;
  if (axis < 0 || w->ntap < 2) return false;
  int32_t first = w->offset[axis], second = w->offset[w->ndim + axis], low = first;
  bool last_first = second < first;
  if (last_first) low = second;
  for (int k = 0; k < w->ntap; k++) {
    int32_t wanted = !last_first ? low + k : k == 0 ? low + w->ntap - 1 : low + k - 1;
    if (w->offset[k * w->ndim + axis] != wanted) return false;
  }
  *a = (ma_along){ .op = w->op,
                   .from_dtype = w->from_dtype,
                   .to_dtype = w->to_dtype,
                   .compute = w->compute,
                   .outer = 1,
                   .n = w->shape[axis],
                   .inner = 1,
                   .count = w->ntap,
                   .symmetry = w->symmetry,
                   .mode = w->mode[axis],
                   .last_first = last_first,
                   .before = -low,
                   .cval = w->cval,
                   .weight = w->weight,
                   .from = w->from,
                   .to = w->to };
  for (int d = 0; d < axis; d++) a->outer *= w->shape[d];
  for (int d = axis + 1; d < w->ndim; d++) a->inner *= w->shape[d];
  return true;
}

/* ==== Text ======================================================================================================= */

static void print_network(ma_ctext *text, int n, int rank) {
  ma_network net;
  ma_network_make(&net, n, rank);
  ma_ctext_put(text, "#define NETWORK(v)");
  for (int k = 0; k < net.ncomparator; k++) {
    ma_comparator c = net.comparator[k];
    ma_ctext_add(text, " { const KEY a = v[%d], b = v[%d];", c.low, c.high);
    if (c.keep & 1) ma_ctext_add(text, " v[%d] = a < b ? a : b;", c.low);
    if (c.keep & 2) ma_ctext_add(text, " v[%d] = a < b ? b : a;", c.high);
    ma_ctext_put(text, " }");
  }
  ma_ctext_add(text, "\n#define RANKED(v) v[%d]\n", rank);
}

static void print_keys(ma_ctext *text, ma_dtype compute) {
  switch (compute) {
  case MA_FLOAT32:
    ma_ctext_put(text, "typedef u4 KEY;\n#define BITS 32\n#define ENCODE(x) ma_order_f4(__float_as_uint(x))\n"
                       "#define DECODE(k) __uint_as_float(ma_unorder_f4(k))\n");
    break;
  case MA_FLOAT64:
    ma_ctext_put(text, "typedef u8 KEY;\n#define BITS 64\n#define ENCODE(x) "
                       "ma_order_f8((u8)__double_as_longlong(x))\n"
                       "#define DECODE(k) __longlong_as_double((long long)ma_unorder_f8(k))\n");
    break;
  case MA_INT64:
    ma_ctext_put(text, "typedef u8 KEY;\n#define BITS 64\n#define ENCODE(x) ma_order_i8((u8)(x))\n"
                       "#define DECODE(k) ((T)ma_unorder_i8(k))\n");
    break;
  default:
    ma_ctext_put(text, "typedef u8 KEY;\n#define BITS 64\n#define ENCODE(x) (x)\n#define DECODE(k) (k)\n");
    break;
  }
}

static void print_window(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_cuda_filter_head(text, (ma_dtype)v->from, (ma_dtype)v->to, (ma_dtype)v->compute);
  ma_ctext_add(text,
               "#define NDIM %d\n#define NTAP %d\n#define OP %d\n#define WEIGHTS %d\n#define BIG %d\n#define NINE "
               "%d\n",
               v->ndim, v->ntap, v->op, v->weights, v->big, v->nine);
  if (v->op == MA_FILTER_RANK) {
    ma_ctext_put(text, ma_embedded("order.h"));
    print_keys(text, (ma_dtype)v->compute);
    if (v->ntap) print_network(text, v->ntap, v->rank);
  }
  ma_ctext_put(text, ma_embedded("window.cuh"));
}

static const ma_cuda_family family = { "filter_window", { "window_filter" }, print_window, NULL };

static int32_t offset_of(const ma_window *w, const joined *j, int k, int d) {
  return j->axis[d] < 0 ? 0 : w->offset[k * w->ndim + j->axis[d]];
}

/* Whether the places are 3 x 3 neighbours, row by row. */
static bool is_square(const ma_window *w, const joined *j) {
  if (w->ntap != 9 || j->ndim != 2) return false;
  for (int k = 0; k < 9; k++)
    if (offset_of(w, j, k, 0) != offset_of(w, j, 0, 0) + k / 3 ||
        offset_of(w, j, k, 1) != offset_of(w, j, 0, 1) + k % 3)
      return false;
  return true;
}

static variant variant_of(const ma_window *w, const joined *j) {
  variant v;
  int64_t total = 1;
  memset(&v, 0, sizeof v);
  for (int d = 0; d < j->ndim; d++) total *= j->shape[d];
  v.from = (uint8_t)w->from_dtype;
  v.to = (uint8_t)w->to_dtype;
  v.compute = (uint8_t)w->compute;
  v.op = (uint8_t)w->op;
  v.ndim = (uint8_t)j->ndim;
  v.ntap = w->ntap <= MOST_TAPS && w->ntap * j->ndim <= MOST_OFFSETS ? (uint8_t)w->ntap : 0;
  if (v.op == MA_FILTER_RANK && v.ntap < 2) v.ntap = 0;
  v.weights = w->weight != NULL;
  v.big = total >= BIG;
  if (v.op == MA_FILTER_RANK && v.ntap) v.rank = (uint8_t)w->rank;
  v.nine = v.op == MA_FILTER_RANK && v.ntap && v.rank == 4 && !v.big && is_square(w, j);
  return v;
}

/* ==== Launching ================================================================================================== */

/* Packs the bytes of `struct window` in window.cuh, in its order. */
typedef struct packer {
  _Alignas(8) char bytes[4096];
  size_t size;
} packer;

static void pack(packer *p, const void *from, size_t size, size_t align) {
  p->size = (p->size + align - 1) / align * align;
  memcpy(p->bytes + p->size, from, size);
  p->size += size;
}

static int64_t step_of(const ma_window *w, const joined *j, int k) {
  int64_t step = 0;
  for (int d = 0; d < j->ndim; d++) step = step * j->shape[d] + offset_of(w, j, k, d);
  return step;
}

static void pack_axes(packer *p, const ma_window *w, const joined *j) {
  int64_t low[MA_MAX_NDIM], high[MA_MAX_NDIM];
  int32_t mode[MA_MAX_NDIM];
  for (int d = 0; d < j->ndim; d++) {
    int32_t least = 0, most = 0;
    for (int k = 0; k < w->ntap; k++) {
      int32_t offset = offset_of(w, j, k, d);
      if (offset < least) least = offset;
      if (offset > most) most = offset;
    }
    low[d] = -least;
    high[d] = j->shape[d] - most;
    mode[d] = j->axis[d] < 0 ? 0 : w->mode[j->axis[d]];
  }
  size_t n = (size_t)j->ndim;
  int32_t ntap = w->ntap;
  pack(p, j->shape, n * 8, 8);
  pack(p, low, n * 8, 8);
  pack(p, high, n * 8, 8);
  pack(p, mode, n * 4, 4);
  pack(p, &ntap, 4, 4);
  pack(p, &w->cval, 8, 8);
}

/* Packs the weights and distances of a few places. Elements that are compared as 64-bit integers have no weights. */
static void pack_few(packer *p, const ma_window *w, const joined *j, bool big) {
  for (int k = 0; k < w->ntap; k++) {
    double weight = w->weight ? w->weight[k] : 0;
    if (w->compute == MA_FLOAT32) pack(p, &(float){ (float)weight }, 4, 4);
    else pack(p, &weight, 8, 8);
  }
  for (int k = 0; k < w->ntap; k++) {
    int64_t step = step_of(w, j, k);
    if (big) pack(p, &step, 8, 8);
    else pack(p, &(int32_t){ (int32_t)step }, 4, 4);
  }
  for (int k = 0; k < w->ntap; k++)
    for (int d = 0; d < j->ndim; d++) pack(p, &(int16_t){ (int16_t)offset_of(w, j, k, d) }, 2, 2);
}

/* Puts weights and distances into device memory. */
static ma_status pack_many(packer *p, const ma_window *w, const joined *j, ma_stream *stream, ma_buffer **memory) {
  size_t n = (size_t)w->ntap, ndim = (size_t)j->ndim, size = n * (8 + 8 + 4 * ndim);
  char *host = malloc(size);
  if (!host) return ma_fail(MA_ERR_MEMORY, "out of memory for a window of %d places", w->ntap);
  double *weight = (double *)(void *)host;
  int64_t *step = (int64_t *)(void *)(weight + n);
  int32_t *offset = (int32_t *)(void *)(step + n);
  for (int k = 0; k < w->ntap; k++) {
    weight[k] = w->weight ? w->weight[k] : 0;
    step[k] = step_of(w, j, k);
    for (int d = 0; d < j->ndim; d++) offset[k * j->ndim + d] = offset_of(w, j, k, d);
  }
  ma_status status = ma_cuda_scratch(stream, size, memory);
  if (status == MA_OK) {
    char *at = (*memory)->ptr;
    status = ma_cuda_memory_copy(stream, at, host, size, MA_COPY_TO_DEVICE);
    void *parts[] = { at, at + n * 8, at + n * 16 };
    pack(p, parts, sizeof parts, 8);
    if (status != MA_OK) ma_buffer_release(*memory);
  }
  free(host);
  return status;
}

static bool fits_short(const ma_window *w) {
  for (int k = 0; k < w->ntap * w->ndim; k++)
    if (w->offset[k] > INT16_MAX || w->offset[k] < INT16_MIN) return false;
  return true;
}

ma_status ma_cuda_filter_window(ma_stream *stream, const ma_window *w) {
  ma_along a;
  if (as_along(w, &a)) return ma_cuda_along(stream, &a);
  joined j = join(w);
  variant v = variant_of(w, &j);
  packer p = { .size = 0 };
  ma_buffer *memory = NULL;
  const CUfunction *entry;
  unsigned blocks = 0;
  int64_t total = 1;
  if (v.ntap && !fits_short(w)) v.ntap = v.rank = v.nine = 0;
  for (int d = 0; d < j.ndim; d++) total *= j.shape[d];
  int64_t bytes = total * (ma_dtypes[w->from_dtype].itemsize + ma_dtypes[w->to_dtype].itemsize);
  if (v.nine) total = j.shape[0] * ((j.shape[1] + 3) / 4); /* threads, of four results each */
  MA_TRY(ma_cuda_filter_blocks(total, MA_THREADS, &blocks));
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  pack(&p, &w->from, 8, 8);
  pack(&p, &w->to, 8, 8);
  pack(&p, &total, 8, 8);
  pack(&p, &w->rank, 8, 8);
  pack_axes(&p, w, &j);
  if (v.ntap) pack_few(&p, w, &j, v.big);
  else MA_TRY(pack_many(&p, w, &j, stream, &memory));
  ma_status status = ma_cuda_launch(stream, entry[0], blocks, MA_THREADS, 0, (void *[]){ p.bytes }, "window", bytes);
  if (memory) ma_buffer_release(memory);
  return status;
}

ma_status ma_cuda_window_source(const ma_window *w, char **source) {
  ma_along a;
  if (as_along(w, &a)) return ma_cuda_along_source(&a, source);
  joined j = join(w);
  variant v = variant_of(w, &j);
  return ma_cuda_source(&family, &v, source);
}
