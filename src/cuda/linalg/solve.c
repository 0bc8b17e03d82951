/* solve.c: many small systems by one kernel, which takes matrices and right sides in any layout. cuBLAS's
** getrfBatched and getrsBatched need copies, lists of addresses and pivots in memory, and take several times as
** long. */
#include "cuda/linalg/small.h"
#include "cuda/library/solver.h"

/* The same struct is in kernels/linalg/solve.cuh. */
typedef struct solve_params {
  void *x;
  const void *a, *b;
  int32_t *info;
  int64_t count, x_step, x_row, x_column, a_step, a_row, a_column, b_step, b_row, b_column;
  int32_t n, right, by_columns;
} solve_params;

/* Threads of a block, such that the tiles of two blocks fit in the shared memory of every GPU. */
static int threads_of(const ma_small_variant *v) { return ma_dtypes[v->dtype].itemsize == 16 ? 64 : 128; }

static void print_solve(ma_ctext *text, const void *what) { ma_small_print(text, what, threads_of(what), "solve.cuh"); }

static const ma_cuda_family solve_family = { "solve", { "solve" }, print_solve, NULL };

ma_status ma_cuda_linalg_solve(ma_stream *stream, const ma_linalg_systems *s) {
  ma_small_variant v = ma_small_variant_of(s->dtype, s->rows);
  /* for the most rows, which serves all */
  const ma_small_variant general = ma_small_variant_of(s->dtype, MA_LINALG_SMALL);
  const CUfunction *entry;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel_either(ma_cuda_state(stream), &solve_family, &v, &general, sizeof v, &entry));
  int per_block = threads_of(&v) / v.rows;
  int64_t blocks = (s->count + per_block - 1) / per_block;
  if (blocks > INT32_MAX)
    return ma_fail(MA_ERR_VALUE, "%lld matrices; at most 2^31 times %d", (long long)s->count, per_block);
  solve_params p = { .x = s->data[0],
                     .a = s->data[1],
                     .b = s->data[2],
                     .info = s->info,
                     .count = s->count,
                     .x_step = s->step[0],
                     .x_row = s->row[0],
                     .x_column = s->column[0],
                     .a_step = s->step[1],
                     .a_row = s->row[1],
                     .a_column = s->column[1],
                     .b_step = s->step[2],
                     .b_row = s->row[2],
                     .b_column = s->column[2],
                     .n = (int32_t)s->rows,
                     .right = (int32_t)s->right,
                     .by_columns = ma_magnitude(s->row[1]) < ma_magnitude(s->column[1]) };
  return ma_cuda_launch(stream, entry[0], (unsigned)blocks, (unsigned)threads_of(&v), 0, (void *[]){ &p }, "solve",
                        s->count * s->rows * (s->rows + 2 * s->right) * ma_dtypes[s->dtype].itemsize);
}

ma_status ma_cuda_solve_source(ma_dtype dtype, int64_t rows, char **source) {
  ma_small_variant v = ma_small_variant_of(dtype, rows);
  return ma_cuda_source(&solve_family, &v, source);
}
