/*
** multiply.c: products of two sparse matrices, by kernels/sparse/csr_multiply.cuh: all products of two entries become
** entries of a COO matrix, which order.c sorts and adds up, in the same order on each run. More products than PIECE are
** made for some rows at a time. short.c makes rows of few products, and leaves the others to this file.
*/
#include "cuda/sparse/sparse.h"

#include <string.h>

#define THREADS 256
#define PART (8 * THREADS)       /* entries or products of a block, the same as in csr_order.cuh */
#define PIECE ((int64_t)1 << 27) /* products at a time: 24 bytes each with float64 */

typedef struct variant {
  uint8_t dtype, index, wide_keys;
} variant;

static void print_multiply(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_cuda_print_csr(text, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_put(text, v->wide_keys ? "typedef u8 key;\n" : "typedef u4 key;\n");
  ma_ctext_put(text, ma_embedded("csr_order.cuh"));
  ma_ctext_put(text, ma_embedded("csr_multiply.cuh"));
}

static const ma_cuda_family family = {
  "csr_multiply", { "multiply_count", "multiply_offsets", "multiply_expand" }, print_multiply, NULL
};

typedef struct job {
  ma_stream *stream;
  const ma_sparse *a, *b;
  multiply_params p;
  ma_csr_arrays *result;
  char *indptr; /* of the result */
  int64_t made; /* entries of the result before the rows that come next */
} job;

static ma_status launch(job *j, int entry, int64_t n, const char *name, int64_t nbytes, bool wide) {
  variant v = { (uint8_t)j->a->dtype, (uint8_t)j->a->index, wide };
  const CUfunction *function;
  int64_t blocks = (n + PART - 1) / PART;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld products; a GPU takes fewer at once", (long long)n);
  MA_TRY(ma_cuda_kernel(ma_cuda_state(j->stream), &family, &v, sizeof v, &v, &function));
  return ma_cuda_launch(j->stream, function[entry], (unsigned)blocks, THREADS, 0, (void *[]){ &j->p }, name, nbytes);
}

/* The products of the rows before `row`. */
static ma_status products_before(job *j, int64_t row, int64_t *n) {
  int64_t at = 0;
  size_t index = ma_dtypes[j->a->index].itemsize;
  int32_t narrow;
  const char *from = (const char *)j->a->indptr + (size_t)row * index;
  if (index == 8) MA_TRY(ma_cuda_peek_bytes(j->stream, &at, from, 8));
  else {
    MA_TRY(ma_cuda_peek_bytes(j->stream, &narrow, from, 4));
    at = narrow;
  }
  at = at < 1 ? 1 : at > j->a->nnz + 1 ? j->a->nnz + 1 : at;
  MA_TRY(ma_cuda_peek_bytes(j->stream, n, j->p.offsets + at - 1, sizeof *n));
  --*n;
  return MA_OK;
}

/* Finds the end of a piece of rows: there are at most PIECE products from `from` on, but at least one row. */
static ma_status end_of_piece(job *j, int64_t first, int64_t from, int64_t *end, int64_t *to) {
  int64_t low = first + 1, high = j->a->rows;
  if (j->p.all - from <= PIECE) {
    *end = high;
    *to = j->p.all;
    return MA_OK;
  }
  while (low < high) {
    int64_t middle = low + (high - low + 1) / 2, n;
    MA_TRY(products_before(j, middle, &n));
    if (n - from <= PIECE) low = middle;
    else high = middle - 1;
  }
  *end = low;
  return products_before(j, low, to);
}

/* Appends the entries of a piece to those before, which lie in j->result. */
static ma_status append(job *j, ma_csr_arrays *piece) {
  ma_array *to[] = { &j->result->indices, &j->result->data }, *more[] = { &piece->indices, &piece->data };
  for (int k = 0; k < 2; k++) {
    if (!to[k]->buffer) {
      *to[k] = *more[k];
      more[k]->buffer = NULL;
      continue;
    }
    ma_array whole = { .buffer = NULL };
    const void *old, *new;
    void *at;
    size_t size = ma_dtypes[to[k]->dtype].itemsize;
    if (more[k]->size == 0) continue;
    if (to[k]->size) MA_TRY(ma_array_read(to[k], j->stream, &old));
    MA_TRY(ma_array_read(more[k], j->stream, &new));
    MA_TRY(ma_cuda_csr_array(j->stream, (ma_dtype)to[k]->dtype, to[k]->size + more[k]->size, &whole, &at));
    ma_status status = MA_OK;
    if (to[k]->size) status = ma_cuda_memory_copy(j->stream, at, old, (size_t)to[k]->size * size, MA_COPY_WITHIN);
    if (status == MA_OK)
      status = ma_cuda_memory_copy(j->stream, (char *)at + (size_t)to[k]->size * size, new,
                                   (size_t)more[k]->size * size, MA_COPY_WITHIN);
    if (status != MA_OK) {
      ma_array_release(&whole);
      return status;
    }
    ma_array_release(to[k]);
    *to[k] = whole;
  }
  return MA_OK;
}

static ma_status make_piece(job *j, int64_t first, int64_t end, ma_csr_arrays *piece) {
  ma_dtype dtype = j->a->dtype;
  int64_t n = j->p.to - j->p.from, item = ma_dtypes[dtype].itemsize, index = ma_dtypes[j->a->index].itemsize;
  ma_coo_keys keys;
  ma_buffer *scratch;
  MA_TRY(ma_cuda_coo_keys(end - first, j->b->columns, &keys));
  MA_TRY(ma_cuda_scratch(j->stream, ma_cuda_coo_scratch(n) + 16 + (size_t)(n * item), &scratch));
  keys.scratch = scratch->ptr;
  j->p.shift = keys.shift;
  j->p.first_row = first;
  j->p.to_keys = ma_cuda_coo_keys_at(&keys, n);
  j->p.to_data = keys.scratch + ((ma_cuda_coo_scratch(n) + 15) & ~(size_t)15);
  ma_sparse products = { .kind = MA_SPARSE_ENTRIES,
                         .dtype = dtype,
                         .index = j->a->index,
                         .rows = end - first,
                         .columns = j->b->columns,
                         .nnz = n,
                         .data = j->p.to_data };
  ma_status status = launch(j, 2, n, "multiply_expand", n * (2 * item + index + (keys.wide ? 8 : 4)), keys.wide);
  if (status == MA_OK)
    status = ma_cuda_coo_finish(j->stream, &products, &keys, j->indptr + first * index, j->made, piece);
  ma_buffer_release(scratch);
  return status;
}

/* Writes a piece without products: each row ends where it begins. */
static ma_status make_nothing(job *j, int64_t first, int64_t end) {
  ma_program program;
  int64_t index = ma_dtypes[j->a->index].itemsize;
  ma_map map = { .program = &program, .space = { .ndim = 1, .noperand = 1, .shape = { end - first + 1 } } };
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_scalar(&program, j->a->index));
  map.space.stride[0][0] = index;
  map.scalar[0].i = j->made + 1;
  map.data[0] = j->indptr + first * index;
  return ma_cuda_map_run(j->stream, &map);
}

static ma_status multiply(job *j) {
  int64_t parts = (j->a->nnz + PART - 1) / PART, first = 0, end;
  MA_TRY(launch(j, 0, j->a->nnz, "multiply_count", j->a->nnz * 12, true));
  MA_TRY(ma_cuda_csr_scan(j->stream, j->a->dtype, j->a->index, true, j->p.counts, parts, &j->p.all));
  MA_TRY(launch(j, 1, j->a->nnz, "multiply_offsets", j->a->nnz * 20, true));
  for (j->p.from = 0; first < j->a->rows; first = end, j->p.from = j->p.to) {
    ma_csr_arrays piece = { .indptr = { .buffer = NULL } };
    MA_TRY(end_of_piece(j, first, j->p.from, &end, &j->p.to));
    ma_status status = j->p.to > j->p.from ? make_piece(j, first, end, &piece) : make_nothing(j, first, end);
    if (status == MA_OK && piece.data.buffer) {
      j->made += piece.data.size;
      status = ma_cuda_csr_fits(j->a->index, j->made);
      if (status == MA_OK) status = append(j, &piece);
    }
    ma_cuda_csr_drop(&piece);
    MA_TRY(status);
  }
  void *at;
  if (!j->result->indices.buffer) MA_TRY(ma_cuda_csr_array(j->stream, j->a->index, 0, &j->result->indices, &at));
  return j->result->data.buffer ? MA_OK : ma_cuda_csr_array(j->stream, j->a->dtype, 0, &j->result->data, &at);
}

ma_status ma_cuda_sparse_multiply_long(ma_stream *stream, const ma_sparse *a, const ma_sparse *b,
                                       const uint8_t *classes, uint32_t only, ma_csr_arrays *result) {
  size_t n = (size_t)a->nnz, parts = (n + PART - 1) / PART;
  ma_buffer *scratch;
  void *indptr;
  memset(result, 0, sizeof *result);
  MA_TRY(ma_cuda_scratch(stream, (n + parts + 2) * 8 + n * ma_dtypes[a->index].itemsize, &scratch));
  int64_t *at = scratch->ptr;
  job j = { .stream = stream, .a = a, .b = b, .result = result };
  j.p = (multiply_params){ .a_row = at + n + parts + 2,
                           .a_indices = a->indices,
                           .b_indptr = b->indptr,
                           .b_indices = b->indices,
                           .a_data = a->data,
                           .b_data = b->data,
                           .classes = classes,
                           .only = only,
                           .counts = at + n + 1,
                           .offsets = at,
                           .a_nnz = a->nnz,
                           .b_rows = b->rows,
                           .b_columns = b->columns,
                           .b_nnz = b->nnz };
  ma_status status = ma_cuda_csr_array(stream, a->index, a->rows + 1, &result->indptr, &indptr);
  j.indptr = indptr;
  if (status == MA_OK) status = ma_cuda_sparse_expand(stream, a, (void *)(uintptr_t)j.p.a_row);
  if (status == MA_OK) status = multiply(&j);
  if (status != MA_OK) ma_cuda_csr_drop(result);
  ma_buffer_release(scratch);
  return status;
}

ma_status ma_cuda_sparse_multiply_source(ma_dtype dtype, ma_dtype index, bool wide_keys, char **source) {
  variant v = { (uint8_t)dtype, (uint8_t)index, wide_keys };
  return ma_cuda_source(&family, &v, source);
}
