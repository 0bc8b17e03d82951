/*
** product.c: products of a CSR matrix with a vector or a matrix, by kernels/sparse/csr_product.cuh. A vector is
** multiplied by rows where all rows are short, which takes one launch; else in parts of equal work, and a second launch
** adds up the rows that several blocks took part in. Both read each entry once, next to each other.
*/
#include "cuda/sparse/sparse.h"

#include <string.h>

#define THREADS 256
#define SHORT 64 /* entries that a thread may take of a row before balanced parts are faster */

enum { BY_ROWS, BALANCED, WIDE };

typedef struct variant {
  uint8_t dtype, index, way, lanes, vec, items;
} variant;

/* The same struct is in csr_product.cuh. */
typedef struct product_params {
  const void *indptr, *indices, *data, *x;
  void *y;
  int64_t rows, columns, nnz, width;
  int64_t *carry_row;
  void *carry;
  int64_t tiles;
} product_params;

void ma_cuda_print_csr(ma_ctext *text, ma_dtype dtype, ma_dtype index) {
  bool wide = index == MA_INT64;
  ma_ctext_add(text, "typedef dt_%s dt;\ntypedef %s idx;\ntypedef %s uidx;\n#define OR %d\n", ma_cuda_suffix(dtype),
               wide ? "i8" : "i4", wide ? "u8" : "u4", dtype == MA_BOOL);
  ma_ctext_put(text, ma_embedded("csr.cuh"));
}

static void print_product(ma_ctext *text, const void *what) {
  static const char *const ways[] = { "BY_ROWS", "BALANCED", "WIDE" };
  const variant *v = what;
  ma_cuda_print_csr(text, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_add(text, "#define %s\n#define LANES %d\n#define VEC %d\n#define ITEMS %d\n", ways[v->way], v->lanes, v->vec,
               v->items);
  ma_ctext_put(text, ma_embedded("csr_product.cuh"));
}

static const ma_cuda_family families[] = { { "csr_rows", { "csr_rows" }, print_product, NULL },
                                           { "csr_merge", { "csr_merge", "csr_carry" }, print_product, NULL },
                                           { "csr_wide", { "csr_wide" }, print_product, NULL } };

/* A power of 2 from 1 to 32, at least n where it can be. */
static uint8_t lanes_for(int64_t n) {
  uint8_t lanes = 1;
  while (lanes < 32 && lanes < n) lanes = (uint8_t)(2 * lanes);
  return lanes;
}

static bool is_aligned(const void *p, size_t to) { return (uintptr_t)p % to == 0; }

/* Elements that csr_wide loads at once: 16 bytes, where every row begins at such an address. */
static uint8_t vec_for(const ma_sparse_product *p) {
  int size = ma_dtypes[p->a.dtype].itemsize, vec = 16 / size;
  while (vec > 1 &&
         (p->width % vec || !is_aligned(p->x, (size_t)(vec * size)) || !is_aligned(p->y, (size_t)(vec * size))))
    vec /= 2;
  return (uint8_t)vec;
}

static variant variant_of(const ma_sparse_product *p) {
  variant v;
  int64_t mean = (p->a.nnz + p->a.rows - 1) / p->a.rows;
  memset(&v, 0, sizeof v);
  v.dtype = (uint8_t)p->a.dtype;
  v.index = (uint8_t)p->a.index;
  v.vec = 1;
  if (p->width > 1) {
    v.way = WIDE;
    v.vec = vec_for(p);
    v.lanes = lanes_for((p->width + v.vec - 1) / v.vec);
    return v;
  }
  /* On an H100, a thread for 5 entries and two for 20 are best: 2.97 TB/s with 5 of float64. */
  v.lanes = lanes_for((mean + 9) / 10);
  v.way = p->a.longest > 0 && p->a.longest <= (int64_t)v.lanes * SHORT ? BY_ROWS : BALANCED;
  if (v.way == BALANCED) {
    v.lanes = 1;
    v.items = ma_dtypes[p->a.dtype].itemsize > 8 ? 5 : 7;
  }
  return v;
}

static int64_t bytes_of(const ma_sparse_product *p) {
  int64_t size = ma_dtypes[p->a.dtype].itemsize, index = ma_dtypes[p->a.index].itemsize;
  return p->a.nnz * (size + index) + p->a.rows * index + (p->a.rows + p->a.columns) * p->width * size;
}

static ma_status run_balanced(ma_stream *stream, const CUfunction *entry, const variant *v, product_params *p,
                              int64_t nbytes) {
  int64_t tile = (int64_t)THREADS * v->items;
  ma_buffer *carry;
  p->tiles = (p->rows + p->nnz + tile - 1) / tile;
  if (p->tiles > INT32_MAX)
    return ma_fail(MA_ERR_VALUE, "%lld rows and entries; a GPU takes fewer at once", (long long)(p->rows + p->nnz));
  MA_TRY(ma_cuda_scratch(stream, (size_t)p->tiles * 24, &carry));
  p->carry = carry->ptr;
  p->carry_row = (int64_t *)(void *)((char *)carry->ptr + p->tiles * 16);
  void *list[] = { p };
  ma_status status = ma_cuda_launch(stream, entry[0], (unsigned)p->tiles, THREADS, 0, list, "csr_merge", nbytes);
  if (status == MA_OK)
    status = ma_cuda_launch(stream, entry[1], (unsigned)((p->tiles + THREADS - 1) / THREADS), THREADS, 0, list,
                            "csr_carry", p->tiles * 24);
  ma_buffer_release(carry);
  return status;
}

/* csr_wide has one row of blocks for each LANES * VEC columns. */
static ma_status run_wide(ma_stream *stream, CUfunction entry, const variant *v, product_params *p, int64_t nbytes) {
  int64_t columns = (int64_t)v->lanes * v->vec, blocks = (p->rows + THREADS / 32 - 1) / (THREADS / 32);
  int64_t strips = (p->width + columns - 1) / columns;
  if (blocks > INT32_MAX || strips > 65535)
    return ma_fail(MA_ERR_VALUE, "a result of %lld by %lld; a GPU takes less at once", (long long)p->rows,
                   (long long)p->width);
  ma_launch launch = {
    .grid = { (uint32_t)blocks, (uint32_t)strips, 1 }, .block = { THREADS, 1, 1 }, .nargument = 1, .argument = { p }
  };
  (void)nbytes;
  return ma_cuda_launch_shape(stream, entry, &launch, "csr_wide");
}

static ma_status turned_product(ma_stream *stream, const ma_sparse_product *what) {
  ma_sparse_product p = *what;
  ma_buffer *memory;
  MA_TRY(ma_cuda_csr_turn(stream, &what->a, &p.a, &memory));
  p.transposed = false;
  ma_status status = ma_cuda_sparse_product(stream, &p);
  ma_buffer_release(memory);
  return status;
}

/* A transposed matrix is transposed first: adding to y where entries point would give other sums on each run. */
ma_status ma_cuda_sparse_product(ma_stream *stream, const ma_sparse_product *what) {
  const ma_csr *a = &what->a;
  const CUfunction *entry;
  MA_TRY(ma_cuda_enter(stream->device));
  if (what->transposed) return turned_product(stream, what);
  variant v = variant_of(what);
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &families[v.way], &v, sizeof v, &v, &entry));
  product_params p = { .indptr = a->indptr,
                       .indices = a->indices,
                       .data = a->data,
                       .x = what->x,
                       .y = what->y,
                       .rows = a->rows,
                       .columns = a->columns,
                       .nnz = a->nnz,
                       .width = what->width };
  int64_t nbytes = bytes_of(what);
  if (v.way == BALANCED) return run_balanced(stream, entry, &v, &p, nbytes);
  if (v.way == WIDE) return run_wide(stream, entry[0], &v, &p, nbytes);
  int64_t blocks = (a->rows * v.lanes + THREADS - 1) / THREADS;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld rows; a GPU takes fewer at once", (long long)a->rows);
  return ma_cuda_launch(stream, entry[0], (unsigned)blocks, THREADS, 0, (void *[]){ &p }, "csr_rows", nbytes);
}

ma_status ma_cuda_sparse_product_source(ma_dtype dtype, ma_dtype index, int way, char **source) {
  variant v = {
    .dtype = (uint8_t)dtype, .index = (uint8_t)index, .way = (uint8_t)way, .lanes = 8, .vec = 1, .items = 7
  };
  ma_ctext text = { 0 };
  if (way == WIDE) v.vec = (uint8_t)(16 / ma_dtypes[dtype].itemsize);
  if (ma_dtypes[dtype].itemsize > 8) v.items = 5;
  ma_cuda_print(&text, &families[way], &v);
  if (text.failed) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text");
  *source = text.bytes;
  return MA_OK;
}
