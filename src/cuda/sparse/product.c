/*
** product.c: products of a CSR matrix with a vector or a matrix, by kernels/sparse/csr_product.cuh. Some threads of a
** warp take a row, or a warp does, or a block takes the entries of its rows together. If a matrix may have rows that
** are much longer, these are listed, and a second launch takes them in chunks: a matrix of which the longest row is
** known and short needs one launch.
*/
#include "cuda/sparse/sparse.h"

#include <string.h>

#define THREADS 256
#define SHORT 32       /* entries that a thread of a vector's product takes of a row; longer rows are listed */
#define WIDE_SHORT 512 /* entries that a warp of a matrix's product takes */

enum { BY_ROWS, WIDE, STREAM };

typedef struct variant {
  uint8_t dtype, index, way, lanes, vec, list, order, ones;
} variant;

static int limit_of(const variant *v) { return v->way == WIDE ? WIDE_SHORT : v->lanes * SHORT; }

static void print_product(ma_ctext *text, const void *what) {
  static const char *const ways[] = { "BY_ROWS", "WIDE", "STREAM" };
  const variant *v = what;
  ma_cuda_print_csr(text, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_add(text,
               "#define %s\n#define LANES %d\n#define VEC %d\n#define LIST %d\n#define LIMIT %d\n#define CHUNK %d\n"
               "#define ORDER %d\n#define ONES %d\n",
               ways[v->way], v->lanes, v->vec, v->list, limit_of(v), MA_CSR_CHUNK, v->order, v->ones);
  ma_ctext_put(text, ma_embedded("csr_long.cuh"));
  ma_ctext_put(text, ma_embedded("csr_product.cuh"));
}

/* By way and list. */
static const ma_cuda_family families[3][2] = { { { "csr_rows", { "csr_rows" }, print_product, NULL },
                                                 { "csr_rows", { "csr_rows", "csr_long" }, print_product, NULL } },
                                               { { "csr_wide", { "csr_wide" }, print_product, NULL },
                                                 { "csr_wide", { "csr_wide", "csr_wide_long" }, print_product, NULL } },
                                               { { "csr_stream", { "csr_stream" }, print_product, NULL } } };

static bool is_aligned(const void *p, size_t to) { return (uintptr_t)p % to == 0; }

/* How many elements csr_wide loads at once: 16 bytes of them, if every row begins at a multiple of 16. */
static uint8_t vec_for(const ma_sparse_product *p) {
  size_t size = (size_t)ma_dtypes[p->a.dtype].itemsize, vec = 16 / size;
  while (vec > 1 && ((size_t)p->width % vec || !is_aligned(p->x, vec * size) || !is_aligned(p->y, vec * size)))
    vec /= 2;
  return (uint8_t)vec;
}

/* Whether the matrix may have rows that are listed. */
static bool has_long(const ma_sparse_product *p, const variant *v) {
  return (p->a.longest <= 0 || p->a.longest > limit_of(v)) && p->a.nnz > limit_of(v);
}

/* Chooses how many threads take a row. For rows that are alike, a thread for 5 entries is best on an H100 (2.96 TB/s
** with float64). The loads of longer rows do not lie together well enough, so such rows are streamed if none is long.
** If there may be long rows, more threads a row leave fewer of them to the list: a thread for 4 entries of a mean
** row. */
static variant variant_of(const ma_sparse_product *p) {
  variant v;
  int64_t mean = (p->a.nnz + p->a.rows - 1) / p->a.rows;
  memset(&v, 0, sizeof v);
  v.dtype = (uint8_t)p->a.dtype;
  v.index = (uint8_t)p->a.index;
  v.order = p->a.order != NULL;
  v.ones = p->x == NULL;
  v.vec = 1;
  if (p->width > 1) {
    v.way = WIDE;
    v.vec = vec_for(p);
    v.lanes = ma_cuda_csr_lanes((p->width + v.vec - 1) / v.vec);
  } else v.lanes = ma_cuda_csr_lanes((mean + 9) / 10);
  v.list = has_long(p, &v);
  if (v.way == BY_ROWS && v.list) {
    v.lanes = ma_cuda_csr_lanes((mean + 3) / 4);
    v.list = has_long(p, &v);
  }
  if (v.way == BY_ROWS && !v.list && mean > 8) {
    v.way = STREAM;
    v.lanes = ma_cuda_csr_lanes((mean + 5) / 6);
  }
  return v;
}

static int64_t bytes_of(const ma_sparse_product *p) {
  int64_t size = ma_dtypes[p->a.dtype].itemsize, index = ma_dtypes[p->a.index].itemsize;
  int64_t entry = size + (p->x ? index : 0) + (p->a.order ? index : 0);
  return p->a.nnz * entry + p->a.rows * index + (p->a.rows + (p->x ? p->a.columns : 0)) * p->width * size;
}

typedef struct work {
  ma_stream *stream;
  const CUfunction *entry;
  variant v;
  product_params p;
  int64_t nbytes;
} work;

/* csr_wide has one row of blocks for each LANES * VEC columns. */
static ma_status launch(work *w, int entry, int64_t blocks, int64_t strips) {
  static const char *const names[3][2] = { { "csr_rows", "csr_long" },
                                           { "csr_wide", "csr_wide_long" },
                                           { "csr_stream", "" } };
  if (blocks > INT32_MAX || strips > 65535)
    return ma_fail(MA_ERR_VALUE, "a result of %lld by %lld; a GPU takes less at once", (long long)w->p.rows,
                   (long long)w->p.width);
  const char *name = names[w->v.way][entry];
  if (strips == 1)
    return ma_cuda_launch(w->stream, w->entry[entry], (unsigned)blocks, THREADS, 0, (void *[]){ &w->p }, name,
                          w->nbytes);
  ma_launch shape = {
    .grid = { (uint32_t)blocks, (uint32_t)strips, 1 }, .block = { THREADS, 1, 1 }, .nargument = 1, .argument = { &w->p }
  };
  return ma_cuda_launch_shape(w->stream, w->entry[entry], &shape, name);
}

static ma_status run(work *w) {
  bool wide = w->v.way == WIDE;
  int64_t per_block = THREADS / (wide ? 32 : w->v.lanes), columns = (int64_t)w->v.lanes * w->v.vec;
  int64_t strips = wide ? (w->p.width + columns - 1) / columns : 1;
  ma_buffer *memory = NULL;
  if (w->v.list)
    MA_TRY(ma_cuda_csr_list(w->stream, w->p.nnz, limit_of(&w->v), (size_t)w->p.width * 16, (size_t)strips, &w->p.list,
                            &memory));
  ma_status status = launch(w, 0, (w->p.rows + per_block - 1) / per_block, strips);
  if (status == MA_OK && w->v.list) {
    int64_t most = 8 * (int64_t)ma_cuda_state(w->stream)->sm_count, blocks = (w->p.list.capacity + 7) / 8;
    w->nbytes = 0; /* counted by the first launch */
    status = launch(w, 1, blocks < most ? blocks : most, strips);
  }
  if (memory) ma_buffer_release(memory);
  return status;
}

/* ==== Matrices that are not by rows ============================================================================== */

static void print_striped(ma_ctext *text, const void *what) {
  ma_cuda_print_csr(text, (ma_dtype)((const variant *)what)->dtype, MA_INT32);
  ma_ctext_put(text, ma_embedded("csr_striped.cuh"));
}

static const ma_cuda_family striped_family = { "csr_striped", { "csr_striped" }, print_striped, NULL };

/* y = A x of a matrix by diagonals. Each thread has an element of y, and adds the diagonals in their order. */
static ma_status striped(ma_stream *stream, const ma_sparse_product *what) {
  const ma_sparse *a = &what->a;
  size_t n = (size_t)a->nnz * 8;
  const CUfunction *entry;
  ma_buffer *lists;
  variant v;
  memset(&v, 0, sizeof v);
  v.dtype = (uint8_t)a->dtype;
  int64_t blocks = (a->rows * what->width + THREADS - 1) / THREADS, size = ma_dtypes[a->dtype].itemsize;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld rows; a GPU takes fewer at once", (long long)a->rows);
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &striped_family, &v, sizeof v, &v, &entry));
  MA_TRY(ma_cuda_scratch(stream, 2 * n + 8, &lists));
  striped_params p = {
    lists->ptr, (const int64_t *)lists->ptr + a->nnz, a->data, what->x, what->y, a->rows, a->columns, a->nnz, a->length,
    what->width
  };
  ma_status status = n ? ma_cuda_memory_copy(stream, lists->ptr, a->offsets, n, MA_COPY_TO_DEVICE) : MA_OK;
  if (status == MA_OK && n)
    status = ma_cuda_memory_copy(stream, (char *)lists->ptr + n, a->places, n, MA_COPY_TO_DEVICE);
  if (status == MA_OK)
    status = ma_cuda_launch(stream, entry[0], (unsigned)blocks, THREADS, 0, (void *[]){ &p }, "csr_striped",
                            (a->nnz * a->length + 2 * a->rows * what->width) * size);
  ma_buffer_release(lists);
  return status;
}

/* Turns entries or blocks into rows first. The host waits for that. */
static ma_status made_product(ma_stream *stream, const ma_sparse_product *what) {
  const ma_sparse *a = &what->a;
  bool blocks = a->kind == MA_SPARSE_BLOCKS;
  ma_sparse_make unblock = {
    .kind = MA_MAKE_UNBLOCK, .a = *a, .rows = a->rows * a->height, .columns = a->columns * a->width
  };
  ma_csr_arrays made;
  int64_t wrong;
  ma_sparse_product p = *what;
  MA_TRY(blocks ? ma_cuda_sparse_make(stream, &unblock, &made, &wrong) : ma_cuda_sparse_order(stream, a, true, &made));
  if (blocks) {
    p.a.rows = unblock.rows;
    p.a.columns = unblock.columns;
  }
  p.a.kind = MA_SPARSE_ROWS;
  p.a.nnz = made.data.size;
  ma_status status = ma_array_read(&made.indptr, stream, &p.a.indptr);
  if (status == MA_OK && p.a.nnz) status = ma_array_read(&made.indices, stream, &p.a.indices);
  if (status == MA_OK && p.a.nnz) status = ma_array_read(&made.data, stream, &p.a.data);
  if (status == MA_OK) status = ma_cuda_sparse_product(stream, &p);
  ma_cuda_csr_drop(&made);
  return status;
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

/* Multiplies. A transposed matrix is transposed first, because adding to y wherever entries point would give other sums
** on each run. Lua keeps the transpose of the positions, so this happens only within a recorded graph. */
ma_status ma_cuda_sparse_product(ma_stream *stream, const ma_sparse_product *what) {
  const ma_sparse *a = &what->a;
  MA_TRY(ma_cuda_enter(stream->device));
  if (a->kind == MA_SPARSE_DIAGONALS) return striped(stream, what);
  if (a->kind != MA_SPARSE_ROWS) return made_product(stream, what);
  if (what->transposed) return turned_product(stream, what);
  work w = { .stream = stream,
             .v = variant_of(what),
             .p = { .indptr = a->indptr,
                    .indices = a->indices,
                    .order = a->order,
                    .data = a->data,
                    .x = what->x,
                    .y = what->y,
                    .rows = a->rows,
                    .columns = a->columns,
                    .nnz = a->nnz,
                    .width = what->width },
             .nbytes = bytes_of(what) };
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &families[w.v.way][w.v.list], &w.v, sizeof w.v, &w.v, &w.entry));
  return run(&w);
}

ma_status ma_cuda_sparse_product_source(ma_dtype dtype, ma_dtype index, int way, bool list, char **source) {
  variant v = { .dtype = (uint8_t)dtype,
                .index = (uint8_t)index,
                .way = (uint8_t)way,
                .lanes = 8,
                .vec = (uint8_t)(way == WIDE ? 16 / ma_dtypes[dtype].itemsize : 1),
                .list = list,
                .order = list,
                .ones = way != WIDE && dtype % 3 == 0 };
  return ma_cuda_source(&families[v.way][list], &v, source);
}

ma_status ma_cuda_sparse_striped_source(ma_dtype dtype, char **source) {
  variant v = { .dtype = (uint8_t)dtype };
  return ma_cuda_source(&striped_family, &v, source);
}
