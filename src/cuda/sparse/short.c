/*
** short.c: products of two sparse matrices: rows are divided into classes by their products (csr_classes.cuh). Rows of
** up to 512 are made by csr_short.cuh, of some classes in one launch; rows of up to 4096, or 2048 with complex128, by
** csr_block.cuh, a block for each. Longer rows are left to multiply.c.
*/
#include "cuda/sparse/sparse.h"

#include "memory/graph.h"

#include <string.h>

#define THREADS 256
#define CLASSES 10 /* none, up to 8, 16 ... 512, BLOCKED, more; the same in csr_classes.cuh */
#define BLOCKED 8
#define LONG (CLASSES - 1)
#define NUMBERS 4096 /* products of a row of class BLOCKED, at most */

typedef struct variant {
  uint8_t dtype, index, lanes, each, wide_tags;
} variant;

static void print_classes(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_cuda_print_csr(text, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_put(text, "typedef u8 key;\n");
  ma_ctext_put(text, ma_embedded("csr_order.cuh"));
  ma_ctext_put(text, ma_embedded("csr_classes.cuh"));
}

static void print_short(ma_ctext *text, const void *what) {
  const variant *v = what;
  print_classes(text, what);
  ma_ctext_add(text, "typedef %s tag;\n#define LANES %d\n#define EACH %d\n", v->wide_tags ? "u8" : "u4", v->lanes,
               v->each);
  ma_ctext_put(text, ma_embedded("csr_short.cuh"));
}

static void print_block(ma_ctext *text, const void *what) {
  const variant *v = what;
  print_classes(text, what);
  ma_ctext_put(text, v->wide_tags ? "typedef u8 tag;\n" : "typedef u4 tag;\n");
  ma_ctext_put(text, ma_embedded("csr_block.cuh"));
}

enum { COUNT, FILL };
static const ma_cuda_family row_family = { "csr_short", { "short_count", "short_fill" }, print_short, NULL };
static const ma_cuda_family block_family = { "csr_block", { "block_count", "block_fill" }, print_block, NULL };
enum { CLASSIFY, LONG_COUNT, LONG_COPY };
static const ma_cuda_family class_family = {
  "csr_classes", { "short_classes", "long_count", "long_copy" }, print_classes, NULL
};

/* The classes from .. to are taken by one launch, in places for rows of class `to`. */
typedef struct range {
  uint32_t from, to;
} range;

typedef struct job {
  ma_stream *stream;
  const ma_sparse *a, *b;
  short_params p;
  uint32_t counts[CLASSES];
  range launches[CLASSES];
  int nlaunch;
} job;

static ma_status launch(job *j, CUfunction function, int64_t n, int64_t per_block, int64_t threads, const char *name,
                        int64_t nbytes) {
  int64_t blocks = (n + per_block - 1) / per_block;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld rows; a GPU takes fewer at once", (long long)n);
  return ma_cuda_launch(j->stream, function, (unsigned)blocks, (unsigned)threads, 0, (void *[]){ &j->p }, name, nbytes);
}

/* Chooses how many lanes take a row, each with some products. They are few, because a warp waits for four rows as long
** as for one. */
static variant variant_of(ma_dtype dtype, ma_dtype index, int places, bool wide_tags) {
  variant v;
  int lanes = places < 32 ? 8 : places > 128 ? 32 : places / 4;
  memset(&v, 0, sizeof v);
  v.dtype = (uint8_t)dtype;
  v.index = (uint8_t)index;
  v.lanes = (uint8_t)lanes;
  v.each = (uint8_t)(places / lanes);
  v.wide_tags = wide_tags;
  return v;
}

/* Makes the rows of the classes from .. to. `entry` is COUNT or FILL. */
static ma_status run_rows(job *j, int entry, range r) {
  int places = 4 << r.to;
  /* Tags of 32 bits have room for a column and a number of a product. */
  variant v = variant_of(j->a->dtype, j->a->index, places, j->b->columns > INT32_MAX / places);
  const CUfunction *function;
  int64_t size = ma_dtypes[j->a->dtype].itemsize + ma_dtypes[j->a->index].itemsize, threads = v.each <= 4 ? 256 : 128;
  MA_TRY(ma_cuda_kernel(ma_cuda_state(j->stream), &row_family, &v, sizeof v, &v, &function));
  j->p.from = r.from;
  j->p.to = r.to;
  return launch(j, function[entry], j->p.rows, threads / v.lanes, threads, entry == FILL ? "short_fill" : "short_count",
                j->a->nnz * size);
}

/* Makes the rows of class BLOCKED. */
static ma_status run_blocks(job *j, int entry) {
  variant v = variant_of(j->a->dtype, j->a->index, 8, j->b->columns > UINT32_MAX / NUMBERS);
  const CUfunction *function;
  int64_t size = ma_dtypes[j->a->dtype].itemsize + ma_dtypes[j->a->index].itemsize;
  if (j->counts[BLOCKED] == 0) return MA_OK;
  MA_TRY(ma_cuda_kernel(ma_cuda_state(j->stream), &block_family, &v, sizeof v, &v, &function));
  return launch(j, function[entry], j->counts[BLOCKED], 1, THREADS, entry == FILL ? "block_fill" : "block_count",
                j->a->nnz * size);
}

static ma_status find_class_family(job *j, const CUfunction **function) {
  variant v = variant_of(j->a->dtype, j->a->index, 8, false);
  return ma_cuda_kernel(ma_cuda_state(j->stream), &class_family, &v, sizeof v, &v, function);
}

static ma_status classify(job *j) {
  const CUfunction *function;
  MA_TRY(find_class_family(j, &function));
  MA_CU(cuMemsetD8Async, (CUdeviceptr)(uintptr_t)j->p.counts, 0, sizeof j->counts, ma_cuda_queue(j->stream));
  MA_TRY(launch(j, function[CLASSIFY], j->p.rows, THREADS, THREADS, "short_classes",
                j->a->nnz * ma_dtypes[j->a->index].itemsize));
  return ma_cuda_peek_bytes(j->stream, j->counts, j->p.counts, sizeof j->counts);
}

/* Decides which classes share a launch. A launch takes the rows of smaller classes too, if those are so few that a
** launch of their own would take longer: every launch passes over all rows. */
static void plan(job *j) {
  uint32_t class = BLOCKED;
  while (--class > 0) {
    if (!j->counts[class]) continue;
    range r = { class, class };
    int64_t warps = class > 3 ? (int64_t)1 << (class - 3) : 1;
    while (r.from > 1 && j->counts[r.from - 1] * warps * 8 < j->p.rows) r.from--;
    j->launches[j->nlaunch++] = r;
    class = r.from;
  }
}

static ma_status last_of(ma_stream *stream, ma_dtype index, const char *indptr, int64_t rows, int64_t *nnz) {
  int32_t narrow = 0;
  size_t size = ma_dtypes[index].itemsize;
  if (size == 8) MA_TRY(ma_cuda_peek_bytes(stream, nnz, indptr + (size_t)rows * 8, 8));
  else {
    MA_TRY(ma_cuda_peek_bytes(stream, &narrow, indptr + (size_t)rows * 4, 4));
    *nnz = (uint32_t)narrow; /* is_counted: there are not more */
  }
  --*nnz;
  return ma_cuda_csr_fits(index, *nnz);
}

/* Makes the rows. Their lengths are at j->p.to_indptr, except those of the last class, which are rows of `longs`. */
static ma_status make_rows(job *j, const ma_csr_arrays *longs, ma_csr_arrays *result) {
  ma_dtype index = j->a->index, dtype = j->a->dtype;
  const CUfunction *function;
  void *indptr;
  int64_t nnz;
  MA_TRY(find_class_family(j, &function));
  for (int k = 0; k < j->nlaunch; k++) MA_TRY(run_rows(j, COUNT, j->launches[k]));
  MA_TRY(run_blocks(j, COUNT));
  if (longs->data.buffer) {
    j->p.long_nnz = longs->data.size;
    MA_TRY(ma_array_read(&longs->indptr, j->stream, &j->p.long_indptr));
    if (j->p.long_nnz) MA_TRY(ma_array_read(&longs->indices, j->stream, &j->p.long_indices));
    if (j->p.long_nnz) MA_TRY(ma_array_read(&longs->data, j->stream, &j->p.long_data));
    MA_TRY(launch(j, function[LONG_COUNT], j->p.rows, THREADS, THREADS, "long_count", j->p.rows));
  }
  MA_TRY(ma_cuda_csr_array(j->stream, index, j->a->rows + 1, &result->indptr, &indptr));
  MA_TRY(ma_cuda_csr_ends(j->stream, index, j->a->rows + 1, j->p.to_indptr, indptr));
  MA_TRY(last_of(j->stream, index, indptr, j->a->rows, &nnz));
  j->p.to_indptr = indptr;
  MA_TRY(ma_cuda_csr_array(j->stream, index, nnz, &result->indices, &j->p.to_indices));
  MA_TRY(ma_cuda_csr_array(j->stream, dtype, nnz, &result->data, &j->p.to_data));
  for (int k = 0; k < j->nlaunch; k++) MA_TRY(run_rows(j, FILL, j->launches[k]));
  MA_TRY(run_blocks(j, FILL));
  if (j->p.long_nnz == 0) return MA_OK;
  return launch(j, function[LONG_COPY], j->p.long_nnz, 8 * THREADS, THREADS, "long_copy",
                2 * j->p.long_nnz * (ma_dtypes[dtype].itemsize + ma_dtypes[index].itemsize));
}

/* Whether 32 bits can count the result's entries: at most 2^31 in rows of the last class, and as many in others. */
static bool is_counted(const job *j) {
  int64_t most = (int64_t)j->counts[BLOCKED] * NUMBERS;
  for (int class = 1; class < BLOCKED; class ++) most += (int64_t)j->counts[class] * (4 << class);
  return j->a->index == MA_INT64 || most <= INT32_MAX;
}

static ma_status multiply(job *j, ma_csr_arrays *result) {
  ma_csr_arrays longs = { .indptr = { .buffer = NULL } };
  MA_TRY(classify(j));
  plan(j);
  if ((j->counts[LONG] && !j->nlaunch && !j->counts[BLOCKED]) || !is_counted(j))
    return ma_cuda_sparse_multiply_long(j->stream, j->a, j->b, NULL, 0, result);
  if (j->counts[LONG]) MA_TRY(ma_cuda_sparse_multiply_long(j->stream, j->a, j->b, j->p.classes, LONG, &longs));
  ma_status status = make_rows(j, &longs, result);
  ma_cuda_csr_drop(&longs);
  if (status != MA_OK) ma_cuda_csr_drop(result);
  return status;
}

ma_status ma_cuda_sparse_multiply(ma_stream *stream, const ma_sparse *a, const ma_sparse *b, ma_csr_arrays *result,
                                  bool *sorted) {
  size_t lengths = ((size_t)(a->rows + 1) * ma_dtypes[a->index].itemsize + 15) & ~(size_t)15;
  ma_buffer *scratch;
  *sorted = true;
  MA_TRY(ma_cuda_enter(stream->device));
  if (a->nnz == 0 || b->nnz == 0) return ma_cuda_csr_empty(stream, a->dtype, a->index, a->rows, result);
  if (stream->capture) return ma_capture_refuse(stream);
  memset(result, 0, sizeof *result);
  MA_TRY(ma_cuda_scratch(stream, 64 + 2 * lengths + (size_t)a->rows, &scratch));
  char *at = scratch->ptr;
  job j = { .stream = stream, .a = a, .b = b };
  j.p = (short_params){ .a_indptr = a->indptr,
                        .a_indices = a->indices,
                        .b_indptr = b->indptr,
                        .b_indices = b->indices,
                        .a_data = a->data,
                        .b_data = b->data,
                        .counts = (uint32_t *)(void *)at,
                        .classes = (uint8_t *)at + 64 + 2 * lengths,
                        .list = at + 64 + lengths,
                        .to_indptr = at + 64,
                        .rows = a->rows,
                        .a_nnz = a->nnz,
                        .b_rows = b->rows,
                        .b_columns = b->columns,
                        .b_nnz = b->nnz };
  ma_status status = multiply(&j, result);
  ma_buffer_release(scratch);
  return status;
}

ma_status ma_cuda_sparse_short_source(ma_dtype dtype, ma_dtype index, int most, bool wide_tags, char **source) {
  variant v = variant_of(dtype, index, most, wide_tags);
  return ma_cuda_source(most > 512 ? &block_family : &row_family, &v, source);
}
