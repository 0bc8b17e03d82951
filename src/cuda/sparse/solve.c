/*
** solve.c: systems of a triangular matrix, by kernels/sparse/csr_solve.cuh, which needs no analysis of the matrix: a
** row waits for those that it reads. cuSPARSE's solver looks at the matrix first, which takes longer than a few
** solutions. Of a matrix with short rows a thread takes each, else a warp.
*/
#include "cuda/sparse/sparse.h"

#define THREADS 256
#define SHORT 32 /* entries of a row, on average, up to which a thread takes it */

typedef struct variant {
  uint8_t dtype, index, lower, unit;
} variant;

static void print_solve(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_cuda_print_csr(text, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_add(text, "#define LOWER %d\n#define UNIT %d\n", v->lower, v->unit);
  ma_ctext_put(text, ma_embedded("csr_solve.cuh"));
}

static const ma_cuda_family family = {
  "csr_solve", { "csr_solve", "csr_solve_short", "csr_singular" }, print_solve, NULL
};

static ma_status set(ma_stream *stream, void *at, unsigned char value, size_t nbytes) {
  MA_CU(cuMemsetD8Async, (CUdeviceptr)(uintptr_t)at, value, nbytes, ma_cuda_queue(stream));
  return MA_OK;
}

/* Whether a thread takes a row. */
static bool is_short(const ma_sparse_triangle *t) { return t->width == 1 && t->a.nnz <= SHORT * t->a.rows; }

/* Solves. `ready` has 4 words in front (among them the next row to take, and a bad row), and behind them an element or
** a word for each row. */
static ma_status solve(ma_stream *stream, const ma_sparse_triangle *t, const ma_sparse *a, bool lower, uint32_t *ready,
                       size_t nbytes) {
  variant v = { (uint8_t)a->dtype, (uint8_t)a->index, lower, t->unit };
  const CUfunction *entry;
  solve_params p = { a->indptr, a->indices, a->data, t->x, ready + 4, ready, t->info, a->rows, a->nnz, t->width };
  void *list[] = { &p };
  bool by_thread = is_short(t);
  int64_t per_block = by_thread ? THREADS : THREADS / 32, size = ma_dtypes[a->dtype].itemsize;
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  MA_TRY(set(stream, ready, by_thread ? 0xff : 0, nbytes));
  MA_TRY(set(stream, by_thread ? ready : ready + 1, by_thread ? 0 : 0xff, sizeof *ready));
  MA_TRY(ma_cuda_launch(stream, entry[by_thread], (unsigned)((a->rows + per_block - 1) / per_block), THREADS, 0, list,
                        by_thread ? "csr_solve_short" : "csr_solve",
                        a->nnz * (size + ma_dtypes[a->index].itemsize) + 2 * a->rows * t->width * size));
  return ma_cuda_launch(stream, entry[2], 1, 1, 0, list, "csr_singular", 0);
}

ma_status ma_cuda_sparse_triangle(ma_stream *stream, const ma_sparse_triangle *t) {
  ma_buffer *ready, *memory = NULL;
  ma_sparse a = t->a;
  MA_TRY(ma_cuda_enter(stream->device));
  if (a.rows == 0) return set(stream, t->info, 0, sizeof *t->info);
  if (a.rows > INT32_MAX - 2)
    return ma_fail(MA_ERR_VALUE, "a triangular matrix of %lld rows; a GPU takes fewer than 2^31", (long long)a.rows);
  if (t->transposed) MA_TRY(ma_cuda_csr_turn(stream, &t->a, &a, &memory));
  size_t nbytes = 16 + (size_t)a.rows * (is_short(t) ? ma_dtypes[a.dtype].itemsize : sizeof(uint32_t));
  ma_status status = ma_cuda_scratch(stream, nbytes, &ready);
  if (status == MA_OK) {
    status = solve(stream, t, &a, t->lower != t->transposed, ready->ptr, nbytes);
    ma_buffer_release(ready);
  }
  if (memory) ma_buffer_release(memory);
  return status;
}

ma_status ma_cuda_sparse_triangle_source(ma_dtype dtype, ma_dtype index, bool lower, bool unit, char **source) {
  variant v = { (uint8_t)dtype, (uint8_t)index, lower, unit };
  return ma_cuda_source(&family, &v, source);
}
