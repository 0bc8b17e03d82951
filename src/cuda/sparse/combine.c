/* combine.c: an operation on two sparse matrices, entry by entry, by kernels/sparse/csr_combine.cuh. */
#include "cuda/sparse/sparse.h"

#include "memory/graph.h"

#include <string.h>

#define THREADS 256
#define PART (8 * THREADS) /* entries of a block, the same as in csr_order.cuh */

typedef struct variant {
  uint16_t op;
  uint8_t dtype, index, result, met; /* met: the list is that of the first matrix */
} variant;

static void print_combine(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_cuda_print_csr_op(text, (ma_opcode)v->op, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_add(text, "typedef dt_%s dt_to;\ntypedef u8 key;\n#define MET %d\n", ma_cuda_suffix((ma_dtype)v->result),
               v->met);
  ma_ctext_put(text, ma_embedded("csr_order.cuh"));
  ma_ctext_put(text, ma_embedded("csr_combine.cuh"));
}

enum { MOVE, ROWS, MEET, MERGE = MEET, COUNT };
/* One for the union, and one where the list is that of the first matrix. */
static const ma_cuda_family families[] = {
  { "csr_combine", { "combine_move", "combine_rows", "combine_merge", "combine_count" }, print_combine, NULL },
  { "csr_combine", { "combine_move", "combine_rows", "combine_meet" }, print_combine, NULL }
};

static ma_status launch(ma_stream *stream, CUfunction function, combine_params *p, int64_t n, int64_t per_block,
                        const char *name, int64_t nbytes) {
  int64_t blocks = (n + per_block - 1) / per_block;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld entries; a GPU takes fewer at once", (long long)n);
  return ma_cuda_launch(stream, function, (unsigned)blocks, THREADS, 0, (void *[]){ p }, name, nbytes);
}

static ma_status find(ma_stream *stream, const ma_sparse_combine *c, bool met, const CUfunction **entry) {
  variant v;
  memset(&v, 0, sizeof v);
  v.op = (uint16_t)c->op;
  v.dtype = (uint8_t)c->a.dtype;
  v.index = (uint8_t)c->a.index;
  v.result = (uint8_t)c->result;
  v.met = met;
  return ma_cuda_kernel(ma_cuda_state(stream), &families[met], &v, sizeof v, &v, entry);
}

/* Makes the result of the list's n entries, `nnz` of which stay. */
static ma_status move(ma_stream *stream, const ma_sparse_combine *c, const CUfunction *entry, combine_params *p,
                      int64_t nnz, ma_csr_arrays *result) {
  int64_t n = p->a_nnz + p->b_nnz;
  int64_t size = ma_dtypes[c->result].itemsize + ma_dtypes[c->a.index].itemsize;
  MA_TRY(ma_cuda_csr_array(stream, c->a.index, p->rows + 1, &result->indptr, &p->to_indptr));
  MA_TRY(ma_cuda_csr_array(stream, c->a.index, nnz, &result->indices, &p->to_indices));
  MA_TRY(ma_cuda_csr_array(stream, c->result, nnz, &result->data, &p->to_data));
  if (nnz) MA_TRY(launch(stream, entry[MOVE], p, n, PART, "combine_move", n / 8 + 2 * nnz * size));
  return launch(stream, entry[ROWS], p, p->rows + 1, THREADS, "combine_rows",
                3 * p->rows * ma_dtypes[c->a.index].itemsize);
}

/* The union of both lists. */
static ma_status merge(ma_stream *stream, const ma_sparse_combine *c, combine_params *p, ma_csr_arrays *result) {
  const CUfunction *entry;
  int64_t all = p->a_nnz + p->b_nnz, parts = (all + PART - 1) / PART, nnz;
  int64_t size = ma_dtypes[c->a.dtype].itemsize + ma_dtypes[c->a.index].itemsize;
  MA_TRY(find(stream, c, false, &entry));
  MA_TRY(
    launch(stream, entry[MERGE], p, p->a_nnz > p->b_nnz ? p->a_nnz : p->b_nnz, PART, "combine_merge", 2 * all * size));
  MA_TRY(launch(stream, entry[COUNT], p, all, PART, "combine_count", all * ma_dtypes[c->a.index].itemsize));
  MA_TRY(ma_cuda_csr_scan(stream, c->a.dtype, c->a.index, true, p->counts, parts, &nnz));
  return move(stream, c, entry, p, nnz, result);
}

/* Keeps the entries of a that meet one of b's. *alone says that there is no result, because an entry of b gives
** something by itself. */
static ma_status meet(ma_stream *stream, const ma_sparse_combine *c, combine_params *p, ma_csr_arrays *result,
                      bool *alone) {
  const CUfunction *entry;
  int64_t parts = (p->a_nnz + PART - 1) / PART, seen[2];
  int64_t size = ma_dtypes[c->a.dtype].itemsize + ma_dtypes[c->a.index].itemsize;
  p->alone = p->counts + parts + 1;
  MA_TRY(find(stream, c, true, &entry));
  MA_CU(cuMemsetD8Async, (CUdeviceptr)(uintptr_t)p->alone, 0, sizeof *p->alone, ma_cuda_queue(stream));
  MA_TRY(launch(stream, entry[MEET], p, p->a_nnz > p->b_nnz ? p->a_nnz : p->b_nnz, PART, "combine_meet",
                (p->a_nnz + p->b_nnz) * size));
  MA_TRY(ma_cuda_csr_offsets(stream, c->a.dtype, c->a.index, true, p->counts, parts));
  MA_TRY(ma_cuda_peek_bytes(stream, seen, p->counts + parts, sizeof seen));
  *alone = seen[1] != 0;
  if (*alone) return MA_OK;
  p->columns = (void *)(uintptr_t)p->a_indices; /* not written from here on */
  p->b_nnz = 0;                                 /* the list is a's alone */
  return move(stream, c, entry, p, seen[0], result);
}

static size_t round_up(size_t n) { return (n + 15) & ~(size_t)15; }

/* Scratch memory for a list of n entries, with columns of its own or without. */
static ma_status make_list(ma_stream *stream, const ma_sparse_combine *c, int64_t n, bool with_columns,
                           combine_params *p, ma_buffer **scratch) {
  size_t parts = (size_t)(n + PART - 1) / PART, words = parts * (PART / 32);
  size_t values = round_up((size_t)n * ma_dtypes[c->result].itemsize),
         columns = with_columns ? round_up((size_t)n * ma_dtypes[c->a.index].itemsize) : 0;
  MA_TRY(ma_cuda_scratch(stream, values + columns + words * 8 + (parts + 2) * 8, scratch));
  char *at = (*scratch)->ptr;
  p->values = at;
  p->columns = at + values;
  p->kept = (uint32_t *)(void *)(at + values + columns);
  p->before = p->kept + words;
  p->counts = (int64_t *)(void *)(p->before + words);
  return MA_OK;
}

ma_status ma_cuda_sparse_combine(ma_stream *stream, const ma_sparse_combine *c, ma_csr_arrays *result) {
  bool alone = true;
  ma_status status = MA_OK;
  ma_buffer *scratch;
  MA_TRY(ma_cuda_enter(stream->device));
  if (c->a.nnz + c->b.nnz == 0) return ma_cuda_csr_empty(stream, c->result, c->a.index, c->a.rows, result);
  if (stream->capture) return ma_capture_refuse(stream);
  memset(result, 0, sizeof *result);
  combine_params p = { .a_indptr = c->a.indptr,
                       .a_indices = c->a.indices,
                       .b_indptr = c->b.indptr,
                       .b_indices = c->b.indices,
                       .a_data = c->a.data,
                       .b_data = c->b.data,
                       .rows = c->a.rows,
                       .a_nnz = c->a.nnz,
                       .b_nnz = c->b.nnz };
  if (ma_op_gives_zero(c->op)) {
    MA_TRY(make_list(stream, c, p.a_nnz, false, &p, &scratch));
    status = meet(stream, c, &p, result, &alone);
    ma_buffer_release(scratch);
  }
  if (status == MA_OK && alone) {
    status = make_list(stream, c, p.a_nnz + p.b_nnz, true, &p, &scratch);
    if (status != MA_OK) return status;
    status = merge(stream, c, &p, result);
    ma_buffer_release(scratch);
  }
  if (status != MA_OK) ma_cuda_csr_drop(result);
  return status;
}

ma_status ma_cuda_sparse_combine_source(ma_opcode op, ma_dtype dtype, ma_dtype index, ma_dtype result, char **source) {
  variant v;
  memset(&v, 0, sizeof v);
  v = (variant){ (uint16_t)op, (uint8_t)dtype, (uint8_t)index, (uint8_t)result, ma_op_gives_zero(op) };
  return ma_cuda_source(&families[v.met], &v, source);
}
