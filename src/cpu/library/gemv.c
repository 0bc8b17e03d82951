/*
** gemv.c: products of a matrix and a vector, and of two vectors, by BLAS's gemv. Each element of the matrix is used
** once, so gemm, which packs its operands first, takes several times as long. The matrix is cut by rows of the result,
** and a long dot product along itself, which has a loop of its own where its vectors are real and contiguous. The cuts
** depend only on the extents, so the bits do not depend on the number of threads.
*/
#include "cpu/library/gemv.h"

#include "cpu/library/library.h"
#include "cpu/map/wider.h"
#include "tuning.h"

#include <stdint.h>
#include <string.h>

#define DOT_PIECE 8192 /* elements of a piece of a dot product, at least */
#define MOST_PARTS 256 /* pieces of a dot product */

/* y[i] = sum over k of matrix[i, k] x[k]; steps in elements. */
typedef struct job {
  const ma_matmul *g;
  int matrix, vector; /* indices of the operands in g */
  int64_t rows, columns, ld, incx, incy;
  char trans;           /* 'T': rows of the matrix are contiguous */
  int64_t part, nparts; /* rows of a piece (columns, for a dot product); pieces of a product */
  ma_c128 *sums;        /* of the pieces of a dot product */
} job;

/* The sum of x[i] y[i]. It is 64 partial sums, and at the end halves of them are added to each other until one is
** left. */
#define SUMS 64
#define DOT(name, X)                                                              \
  FOR_AVX512 static X name(const X *restrict x, const X *restrict y, int64_t n) { \
    X sum[SUMS] = { 0 };                                                          \
    int64_t whole = n & ~(int64_t)(SUMS - 1);                                     \
    for (int64_t i = 0; i < whole; i += SUMS)                                     \
      for (int k = 0; k < SUMS; k++) sum[k] += x[i + k] * y[i + k];               \
    for (int64_t i = whole; i < n; i++) sum[i - whole] += x[i] * y[i];            \
    for (int half = SUMS / 2; half > 0; half /= 2)                                \
      for (int k = 0; k < half; k++) sum[k] += sum[k + half];                     \
    return sum[0];                                                                \
  }
DOT(dot_f4, float)
DOT(dot_f8, double)
#undef DOT

static void multiply(const job *j, int64_t rows, int64_t columns, const char *a, const char *x, void *y,
                     ma_blas_int incy) {
  static const float one_f = 1, zero_f = 0;
  static const double one_d = 1, zero_d = 0;
  static const ma_c64 one_c = { 1, 0 }, zero_c = { 0, 0 };
  static const ma_c128 one_z = { 1, 0 }, zero_z = { 0, 0 };
  bool t = j->trans == 'T';
  ma_blas_int m = (ma_blas_int)(t ? columns : rows), n = (ma_blas_int)(t ? rows : columns), ld = (ma_blas_int)j->ld,
              incx = (ma_blas_int)j->incx;
  size_t item = ma_dtypes[j->g->dtype].itemsize;
  if (rows == 1 && incx == 1 && t && j->g->dtype == MA_FLOAT64) {
    *(double *)y = dot_f8((const void *)a, (const void *)x, columns);
    return;
  }
  if (rows == 1 && incx == 1 && t && j->g->dtype == MA_FLOAT32) {
    *(float *)y = dot_f4((const void *)a, (const void *)x, columns);
    return;
  }
  /* Some releases multiply the old value by 0, even NaN. */
  if (incy == 1) memset(y, 0, (size_t)rows * item);
  else
    for (int64_t i = 0; i < rows; i++) memset((char *)y + i * incy * (int64_t)item, 0, item);
  switch (j->g->dtype) {
  case MA_FLOAT32:
    ma_cl.sgemv(&j->trans, &m, &n, &one_f, (const void *)a, &ld, (const void *)x, &incx, &zero_f, y, &incy, 1);
    break;
  case MA_FLOAT64:
    ma_cl.dgemv(&j->trans, &m, &n, &one_d, (const void *)a, &ld, (const void *)x, &incx, &zero_d, y, &incy, 1);
    break;
  case MA_COMPLEX64:
    ma_cl.cgemv(&j->trans, &m, &n, &one_c, (const void *)a, &ld, (const void *)x, &incx, &zero_c, y, &incy, 1);
    break;
  default: ma_cl.zgemv(&j->trans, &m, &n, &one_z, (const void *)a, &ld, (const void *)x, &incx, &zero_z, y, &incy, 1);
  }
}

static ma_status run_range(void *context, int64_t from, int64_t to) {
  const job *j = context;
  const ma_matmul *g = j->g;
  int64_t item = ma_dtypes[g->dtype].itemsize;
  for (int64_t i = from; i < to; i++) {
    char *data[3] = { g->data[0], g->data[1], g->data[2] };
    int64_t rest = i / j->nparts, first = i % j->nparts * j->part;
    for (int d = g->nbatch - 1; d >= 0; d--) {
      for (int k = 0; k < 3; k++) data[k] += rest % g->batch[d] * g->step[k][d] * item;
      rest /= g->batch[d];
    }
    if (j->sums) {
      int64_t n = j->columns - first < j->part ? j->columns - first : j->part;
      multiply(j, 1, n, data[j->matrix] + first * item, data[j->vector] + first * j->incx * item, &j->sums[i], 1);
    } else {
      int64_t n = j->rows - first < j->part ? j->rows - first : j->part;
      multiply(j, n, j->columns, data[j->matrix] + first * (j->trans == 'T' ? j->ld : 1) * item, data[j->vector],
               data[0] + first * j->incy * item, (ma_blas_int)j->incy);
    }
  }
  return MA_OK;
}

/* Adds partial sums in the order of the elements, in double precision. */
static void add_up(const job *j) {
  ma_c128 total = { 0, 0 };
  for (int64_t i = 0; i < j->nparts; i++) {
    ma_value part = ma_value_load(&j->sums[i], j->g->dtype);
    total.re += part.c.re;
    total.im += ma_dtypes[j->g->dtype].kind == MA_KIND_COMPLEX ? part.c.im : 0;
  }
  ma_value_store(j->g->data[0], j->g->dtype, (ma_value){ .c = total });
}

/* Describes the matrix for gemv. Returns false if gemv cannot read it, or would walk it badly. */
static bool name_matrix(job *j, int64_t row, int64_t column) {
  if (column == 1 && (row >= j->columns || j->rows == 1)) {
    j->trans = 'T';
    j->ld = j->rows == 1 ? j->columns : row;
    return true;
  }
  j->trans = 'N';
  j->ld = j->columns == 1 ? j->rows : column;
  return row == 1 && j->rows > 1 && j->ld >= j->rows;
}

static bool describe(job *j, const ma_matmul *g) {
  if (g->n == 1) {
    *j = (job){ .g = g, .matrix = 1, .vector = 2, .rows = g->m, .columns = g->k, .incx = g->row[2], .incy = g->row[0] };
    if (name_matrix(j, g->row[1], g->column[1])) return true;
  }
  if (g->m == 1) {
    *j = (job){
      .g = g, .matrix = 2, .vector = 1, .rows = g->n, .columns = g->k, .incx = g->column[1], .incy = g->column[0]
    };
    return name_matrix(j, g->column[2], g->row[2]);
  }
  return false;
}

bool ma_cpu_gemv(const ma_matmul *g, ma_status *status) {
  job j;
  ma_c128 sums[MOST_PARTS];
  int64_t count = 1;
  if ((g->m != 1 && g->n != 1) || !describe(&j, g)) return false;
  for (int d = 0; d < g->nbatch; d++) count *= g->batch[d];
  double work = (double)j.rows * (double)j.columns;
  bool ours = ma_cpu_openblas_is_there();
  if (!ours && work > 1e6) { /* another BLAS divides a large product itself */
    j.part = j.rows;
    j.nparts = 1;
    *status = run_range(&j, 0, count);
    return true;
  }
  if (count == 1 && j.rows == 1 && work >= 2 * DOT_PIECE) {
    j.part = work > (double)DOT_PIECE * MOST_PARTS ? (j.columns + MOST_PARTS - 1) / MOST_PARTS : DOT_PIECE;
    j.nparts = (j.columns + j.part - 1) / j.part;
    j.sums = sums;
  } else {
    j.part = ((j.trans == 'T' ? TUNE_THREAD_STEPS : TUNE_GEMV_TURNED) / j.columns + 16) & ~(int64_t)15;
    j.nparts = (j.rows + j.part - 1) / j.part;
  }
  bool alone = ours && work >= TUNE_GEMV_ALONE;
  if (alone) ma_cpu_openblas_alone(true);
  int64_t each = (int64_t)(work / (double)j.nparts) + 1;
  *status = ma_cpu_parallel(count * j.nparts, (j.sums ? TUNE_THREAD_STEPS / 2 : TUNE_THREAD_STEPS) / each + 1,
                            run_range, &j);
  if (alone) ma_cpu_openblas_alone(false);
  if (j.sums && *status == MA_OK) add_up(&j);
  return true;
}
