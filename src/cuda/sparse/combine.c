/* combine.c: an operation on two sparse matrices, entry by entry, by kernels/sparse/csr_combine.cuh. */
#include "cuda/sparse/sparse.h"

#include "memory/graph.h"

#include <string.h>

#define THREADS 256
#define PART (8 * THREADS) /* entries of a block, the same as in csr_order.cuh */

typedef struct variant {
  uint16_t op;
  uint8_t dtype, index, result;
} variant;

/* The same struct is in csr_combine.cuh. */
typedef struct combine_params {
  const void *a_indptr, *a_indices, *b_indptr, *b_indices, *a_data, *b_data;
  void *columns, *values;
  uint32_t *kept, *before;
  int64_t *counts;
  void *to_indptr, *to_indices, *to_data;
  int64_t rows, a_nnz, b_nnz;
} combine_params;

static void print_combine(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_program program;
  int args[2];
  ma_program_clear(&program);
  for (int k = 0; k < 2; k++) args[k] = ma_program_input(&program, (ma_dtype)v->dtype);
  ma_program_output(&program, ma_program_emit(&program, (ma_opcode)v->op, (ma_dtype)v->dtype, args));
  ma_print_program(text, &program);
  ma_cuda_print_csr(text, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_add(text, "typedef dt_%s dt_to;\ntypedef u8 key;\n", ma_cuda_suffix((ma_dtype)v->result));
  ma_ctext_put(text, ma_embedded("csr_order.cuh"));
  ma_ctext_put(text, ma_embedded("csr_combine.cuh"));
}

static const ma_cuda_family family = {
  "csr_combine", { "combine_merge", "combine_count", "combine_move", "combine_rows" }, print_combine, NULL
};

static ma_status launch(ma_stream *stream, CUfunction function, combine_params *p, int64_t n, int64_t per_block,
                        const char *name, int64_t nbytes) {
  int64_t blocks = (n + per_block - 1) / per_block;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld entries; a GPU takes fewer at once", (long long)n);
  return ma_cuda_launch(stream, function, (unsigned)blocks, THREADS, 0, (void *[]){ p }, name, nbytes);
}

static ma_status combine(ma_stream *stream, const ma_sparse_combine *c, combine_params *p, ma_csr_arrays *result) {
  variant v;
  const CUfunction *entry;
  int64_t all = p->a_nnz + p->b_nnz, parts = (all + PART - 1) / PART, nnz;
  int64_t size = ma_dtypes[c->a.dtype].itemsize + ma_dtypes[c->a.index].itemsize;
  memset(&v, 0, sizeof v);
  v.op = (uint16_t)c->op;
  v.dtype = (uint8_t)c->a.dtype;
  v.index = (uint8_t)c->a.index;
  v.result = (uint8_t)c->result;
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  MA_TRY(launch(stream, entry[0], p, p->a_nnz > p->b_nnz ? p->a_nnz : p->b_nnz, PART, "combine_merge", 2 * all * size));
  MA_TRY(launch(stream, entry[1], p, all, PART, "combine_count", all * ma_dtypes[c->a.index].itemsize));
  MA_TRY(ma_cuda_csr_scan(stream, c->a.dtype, c->a.index, true, p->counts, parts, &nnz));
  MA_TRY(ma_cuda_csr_array(stream, c->a.index, p->rows + 1, &result->indptr, &p->to_indptr));
  MA_TRY(ma_cuda_csr_array(stream, c->a.index, nnz, &result->indices, &p->to_indices));
  MA_TRY(ma_cuda_csr_array(stream, c->result, nnz, &result->data, &p->to_data));
  MA_TRY(launch(stream, entry[2], p, all, THREADS, "combine_move", (all + nnz) * size));
  return launch(stream, entry[3], p, p->rows + 1, THREADS, "combine_rows", 3 * p->rows * 4);
}

static size_t round_up(size_t n) { return (n + 15) & ~(size_t)15; }

ma_status ma_cuda_sparse_combine(ma_stream *stream, const ma_sparse_combine *c, ma_csr_arrays *result) {
  size_t all = (size_t)(c->a.nnz + c->b.nnz), parts = (all + PART - 1) / PART, words = parts * (PART / 32);
  size_t values = round_up(all * ma_dtypes[c->result].itemsize),
         columns = round_up(all * ma_dtypes[c->a.index].itemsize);
  ma_buffer *scratch;
  MA_TRY(ma_cuda_enter(stream->device));
  if (all == 0) return ma_cuda_csr_empty(stream, c->result, c->a.index, c->a.rows, result);
  if (stream->capture) return ma_capture_refuse(stream);
  memset(result, 0, sizeof *result);
  MA_TRY(ma_cuda_scratch(stream, values + columns + words * 8 + (parts + 1) * 8, &scratch));
  char *at = scratch->ptr;
  combine_params p = { .a_indptr = c->a.indptr,
                       .a_indices = c->a.indices,
                       .b_indptr = c->b.indptr,
                       .b_indices = c->b.indices,
                       .a_data = c->a.data,
                       .b_data = c->b.data,
                       .columns = at + values,
                       .values = at,
                       .kept = (uint32_t *)(void *)(at + values + columns),
                       .before = (uint32_t *)(void *)(at + values + columns + words * 4),
                       .counts = (int64_t *)(void *)(at + values + columns + words * 8),
                       .rows = c->a.rows,
                       .a_nnz = c->a.nnz,
                       .b_nnz = c->b.nnz };
  ma_status status = combine(stream, c, &p, result);
  if (status != MA_OK) ma_cuda_csr_drop(result);
  ma_buffer_release(scratch);
  return status;
}

ma_status ma_cuda_sparse_combine_source(ma_opcode op, ma_dtype dtype, ma_dtype index, ma_dtype result, char **source) {
  variant v;
  ma_ctext text = { 0 };
  memset(&v, 0, sizeof v);
  v = (variant){ (uint16_t)op, (uint8_t)dtype, (uint8_t)index, (uint8_t)result };
  ma_cuda_print(&text, &family, &v);
  if (text.failed) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text");
  *source = text.bytes;
  return MA_OK;
}
