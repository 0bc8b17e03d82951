/*
** linalg.c: linear algebra by BLAS and LAPACK. The library's own threads divide one large product; small ones of a batch are
** divided here.
*/
#include "../linalg.h"

#include "lapack.h"
#include "library.h"

#include <inttypes.h>

/* An operand as BLAS names it: element (i, j) at i + j ld, or at j + i ld for its transpose. */
typedef struct side { char op; int ld; } side;

static side side_of(int64_t rows, int64_t row, int64_t column)
{
  return row == 1 && column >= rows ? (side){ 'N', (int)column } : (side){ 'T', (int)row };
}

typedef struct job {
  const ma_matmul *g;
  side a, b;
  int left, right;                     /* which operand of g stands on which side */
  int m, n, k, ldc;
} job;

static void multiply(const job *j, char *const *data)
{
  static const float one_f = 1, zero_f = 0;
  static const double one_d = 1, zero_d = 0;
  static const ma_c64 one_c = { 1, 0 }, zero_c = { 0, 0 };
  static const ma_c128 one_z = { 1, 0 }, zero_z = { 0, 0 };
  const void *a = data[j->left], *b = data[j->right];
  void *c = data[0];
  switch (j->g->dtype) {
  case MA_FLOAT32: ma_cl.sgemm(&j->a.op, &j->b.op, &j->m, &j->n, &j->k, &one_f, a, &j->a.ld, b, &j->b.ld, &zero_f, c, &j->ldc, 1, 1); break;
  case MA_FLOAT64: ma_cl.dgemm(&j->a.op, &j->b.op, &j->m, &j->n, &j->k, &one_d, a, &j->a.ld, b, &j->b.ld, &zero_d, c, &j->ldc, 1, 1); break;
  case MA_COMPLEX64: ma_cl.cgemm(&j->a.op, &j->b.op, &j->m, &j->n, &j->k, &one_c, a, &j->a.ld, b, &j->b.ld, &zero_c, c, &j->ldc, 1, 1); break;
  default: ma_cl.zgemm(&j->a.op, &j->b.op, &j->m, &j->n, &j->k, &one_z, a, &j->a.ld, b, &j->b.ld, &zero_z, c, &j->ldc, 1, 1);
  }
}

static ma_status run_range(void *context, int64_t from, int64_t to)
{
  const job *j = context;
  const ma_matmul *g = j->g;
  int64_t item = ma_dtypes[g->dtype].itemsize;
  for (int64_t i = from; i < to; i++) {
    char *data[3] = { g->data[0], g->data[1], g->data[2] };
    int64_t rest = i;
    for (int d = g->nbatch - 1; d >= 0; d--) {
      for (int k = 0; k < 3; k++) data[k] += rest % g->batch[d] * g->step[k][d] * item;
      rest /= g->batch[d];
    }
    multiply(j, data);
  }
  return MA_OK;
}

/* c in the order of columns, or its transpose, which is the same in the order of rows. */
static ma_status cpu_matmul(ma_stream *stream, const ma_matmul *g)
{
  bool swapped = !(g->row[0] == 1 && g->column[0] >= g->m);
  MA_TRY(ma_cpu_need(MA_CPU_blas));
  if (g->m > INT32_MAX || g->n > INT32_MAX || g->k > INT32_MAX || g->row[1] > INT32_MAX || g->row[2] > INT32_MAX || g->column[1] > INT32_MAX ||
      g->column[2] > INT32_MAX || g->row[0] > INT32_MAX || g->column[0] > INT32_MAX)
    return ma_fail(MA_ERR_VALUE, "matrices of %" PRId64 " x %" PRId64 " and %" PRId64 " x %" PRId64 "; this BLAS takes extents and steps below 2^31",
                   g->m, g->k, g->k, g->n);
  job j = { .g = g, .left = swapped ? 2 : 1, .right = swapped ? 1 : 2, .k = (int)g->k };
  j.m = (int)(swapped ? g->n : g->m);
  j.n = (int)(swapped ? g->m : g->n);
  j.ldc = (int)(swapped ? g->row[0] : g->column[0]);
  j.a = swapped ? side_of(g->n, g->column[2], g->row[2]) : side_of(g->m, g->row[1], g->column[1]);
  j.b = swapped ? side_of(g->k, g->column[1], g->row[1]) : side_of(g->k, g->row[2], g->column[2]);
  int64_t count = 1;
  for (int d = 0; d < g->nbatch; d++) count *= g->batch[d];
  double work = (double)g->m * (double)g->n * (double)g->k;
  return work > 1e6 ? run_range(&j, 0, count) : ma_cpu_parallel(count, (int64_t)(1e5 / (work + 1)) + 1, run_range, &j);
}

const ma_linalg_table ma_cpu_linalg = {
  .matmul = cpu_matmul,
  .cholesky = ma_lapack_cholesky, .lu = ma_lapack_lu, .lu_solve = ma_lapack_lu_solve, .qr = ma_lapack_qr, .qr_form = ma_lapack_qr_form,
  .qr_apply = ma_lapack_qr_apply, .triangular_solve = ma_lapack_triangular_solve, .svd = ma_lapack_svd, .eigh = ma_lapack_eigh, .eig = ma_lapack_eig,
};
