/*
** linalg.c: linear algebra by BLAS and LAPACK. Products are cut into tiles for the backend's threads, which call
** OpenBLAS with one thread each: old releases divide a matrix of 1000 x 1000 badly over many cores. Another BLAS
** divides a large product itself.
*/
#include "backend/linalg.h"

#include "cpu/library/gemv.h"
#include "cpu/cpu.h"
#include "cpu/library/integers.h"
#include "cpu/library/library.h"
#include "cpu/map/wider.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <inttypes.h>
#include <string.h>

/* An operand as BLAS wants it: element (i, j) is at i + j * ld, or at j + i * ld if it is to be transposed. */
typedef struct side {
  char op;
  ma_blas_int ld;
} side;

static side side_of(int64_t rows, int64_t row, int64_t column) {
  return row == 1 && column >= rows ? (side){ 'N', column } : (side){ 'T', row };
}

typedef struct job {
  const ma_matmul *g;
  side a, b;
  int left, right;          /* operand of g on each side */
  ma_blas_int m, n, k, ldc; /* extents of a tile */
  int across, down;         /* tiles of a product along m, along n */
  int64_t most_m, most_n;   /* extents of the whole */
  bool small;
} job;

#define NAME(x) x##_f4
#define X float
#include "cpu/library/products_loops.h"
#define NAME(x) x##_f8
#define X double
#include "cpu/library/products_loops.h"

static bool is_small(const ma_matmul *g) {
  return g->m <= TUNE_PRODUCT_SMALL && g->n <= TUNE_PRODUCT_SMALL && g->k <= TUNE_PRODUCT_SMALL &&
         (g->dtype == MA_FLOAT32 || g->dtype == MA_FLOAT64);
}

/* Cuts a product into tiles. A small product is one tile. With few threads each gets one tile, because packing costs
** anew for each tile. With many threads each gets about four, so that a slow thread delays little. */
static void cut(job *j, double work, int threads) {
  int64_t wanted = threads < 2 || work < 2e6                       ? 1
                   : work < 2e7 || threads <= TUNE_PRODUCT_THREADS ? threads
                                                                   : 4 * threads,
          most_across = j->m / TUNE_PRODUCT_TILE, most_down = j->n / TUNE_PRODUCT_TILE;
  j->across = j->down = 1;
  j->most_m = j->m, j->most_n = j->n;
  while (j->across * j->down < wanted && (j->across < most_across || j->down < most_down))
    if (j->down >= most_down || (j->across < most_across && j->m / j->across >= j->n / j->down)) j->across++;
    else j->down++;
  j->m = ((j->most_m + j->across - 1) / j->across + 15) & ~(int64_t)15;
  j->n = ((j->most_n + j->down - 1) / j->down + 15) & ~(int64_t)15;
}

static bool is_integer(const ma_matmul *g) { return ma_dtypes[g->dtype].kind < MA_KIND_FLOAT; }

static ma_status multiply_integers(const job *j, int64_t m, int64_t n, char *const *data) {
  return ma_cpu_multiply_integers(&(ma_cpu_integers){ .a = data[j->left],
                                                      .b = data[j->right],
                                                      .c = data[0],
                                                      .m = m,
                                                      .n = n,
                                                      .k = j->k,
                                                      .row = j->a.op == 'N' ? 1 : j->a.ld,
                                                      .column = j->a.op == 'N' ? j->a.ld : 1,
                                                      .down = j->b.op == 'N' ? 1 : j->b.ld,
                                                      .across = j->b.op == 'N' ? j->b.ld : 1,
                                                      .ld = j->ldc,
                                                      .itemsize = ma_dtypes[j->g->dtype].itemsize });
}

static void multiply(const job *j, ma_blas_int m, ma_blas_int n, char *const *data) {
  static const float one_f = 1, zero_f = 0;
  static const double one_d = 1, zero_d = 0;
  static const ma_c64 one_c = { 1, 0 }, zero_c = { 0, 0 };
  static const ma_c128 one_z = { 1, 0 }, zero_z = { 0, 0 };
  const void *a = data[j->left], *b = data[j->right];
  void *c = data[0];
  if (j->small) {
    if (j->g->dtype == MA_FLOAT32) multiply_f4(j, (int)m, (int)n, (int)j->k, a, b, c);
    else multiply_f8(j, (int)m, (int)n, (int)j->k, a, b, c);
    return;
  }
  switch (j->g->dtype) {
  case MA_FLOAT32:
    ma_cl.sgemm(&j->a.op, &j->b.op, &m, &n, &j->k, &one_f, a, &j->a.ld, b, &j->b.ld, &zero_f, c, &j->ldc, 1, 1);
    break;
  case MA_FLOAT64:
    ma_cl.dgemm(&j->a.op, &j->b.op, &m, &n, &j->k, &one_d, a, &j->a.ld, b, &j->b.ld, &zero_d, c, &j->ldc, 1, 1);
    break;
  case MA_COMPLEX64:
    ma_cl.cgemm(&j->a.op, &j->b.op, &m, &n, &j->k, &one_c, a, &j->a.ld, b, &j->b.ld, &zero_c, c, &j->ldc, 1, 1);
    break;
  default: ma_cl.zgemm(&j->a.op, &j->b.op, &m, &n, &j->k, &one_z, a, &j->a.ld, b, &j->b.ld, &zero_z, c, &j->ldc, 1, 1);
  }
}

/* ==== Long sums ================================================================================================== */

/* A product whose result is small and whose sums are long is cut along the sums. The parts depend on the extents alone,
** so the bits do not depend on threads. */
#define LONG_PART 8192
#define LONG_PARTS 64
#define LONG_RESULT 4096 /* elements of the result, at most */

typedef struct parts {
  const job *j;
  int64_t part, count;
  void *partial; /* a result of each part */
} parts;

static ma_status part_range(void *context, int64_t first, int64_t last) {
  const parts *p = context;
  job j = *p->j;
  int64_t item = ma_dtypes[j.g->dtype].itemsize, k = j.k;
  j.ldc = j.m;
  for (int64_t i = first; i < last; i++) {
    int64_t at = i * p->part;
    char *data[3] = { (char *)p->partial + i * j.m * j.n * item, p->j->g->data[1], p->j->g->data[2] };
    data[j.left] += at * (j.a.op == 'N' ? j.a.ld : 1) * item;
    data[j.right] += at * (j.b.op == 'N' ? 1 : j.b.ld) * item;
    j.k = k - at < p->part ? k - at : p->part;
    multiply(&j, j.m, j.n, data);
  }
  return MA_OK;
}

static void add_parts(const parts *p, int64_t n, bool wide) {
  for (int64_t i = 1; i < p->count; i++)
    if (wide)
      for (int64_t e = 0; e < n; e++) ((double *)p->partial)[e] += ((const double *)p->partial)[i * n + e];
    else
      for (int64_t e = 0; e < n; e++) ((float *)p->partial)[e] += ((const float *)p->partial)[i * n + e];
}

static bool is_long(const job *j) { return j->k >= 2 * LONG_PART && j->m * j->n <= LONG_RESULT; }

static ma_status multiply_long(const job *j) {
  const ma_matmul *g = j->g;
  int64_t item = ma_dtypes[g->dtype].itemsize, count = j->k / LONG_PART < LONG_PARTS ? j->k / LONG_PART : LONG_PARTS;
  int64_t part = (j->k + count - 1) / count;
  parts p = { .j = j, .part = part, .count = (j->k + part - 1) / part };
  ma_buffer *memory;
  bool complex = ma_dtypes[g->dtype].kind == MA_KIND_COMPLEX;
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(p.count * j->m * j->n * item), &memory));
  p.partial = memory->ptr;
  ma_cpu_openblas_alone(true);
  ma_status status = ma_cpu_parallel(p.count, 1, part_range, &p);
  ma_cpu_openblas_alone(false);
  add_parts(&p, j->m * j->n * (complex ? 2 : 1), item == (complex ? 16 : 8));
  for (int64_t i = 0; i < j->n; i++)
    memcpy((char *)g->data[0] + i * j->ldc * item, (char *)p.partial + i * j->m * item, (size_t)(j->m * item));
  ma_buffer_release(memory);
  return status;
}

/* ==== Tiles ====================================================================================================== */

static ma_status run_range(void *context, int64_t from, int64_t to) {
  const job *j = context;
  const ma_matmul *g = j->g;
  int64_t item = ma_dtypes[g->dtype].itemsize;
  for (int64_t i = from; i < to; i++) {
    char *data[3] = { g->data[0], g->data[1], g->data[2] };
    int64_t rest = i / (j->across * j->down), tile = i % (j->across * j->down), row = tile % j->across * j->m,
            column = tile / j->across * j->n;
    if (row >= j->most_m || column >= j->most_n) continue; /* earlier tiles cover the rest */
    for (int d = g->nbatch - 1; d >= 0; d--) {
      for (int k = 0; k < 3; k++) data[k] += rest % g->batch[d] * g->step[k][d] * item;
      rest /= g->batch[d];
    }
    data[0] += (row + column * j->ldc) * item;
    data[j->left] += row * (j->a.op == 'N' ? 1 : j->a.ld) * item;
    data[j->right] += column * (j->b.op == 'N' ? j->b.ld : 1) * item;
    int64_t m = j->most_m - row < j->m ? j->most_m - row : j->m, n = j->most_n - column;
    if (n > j->n) n = j->n;
    if (is_integer(g)) MA_TRY(multiply_integers(j, m, n, data));
    else multiply(j, m, n, data);
  }
  return MA_OK;
}

/* Multiplies. BLAS computes in column order, so c is computed there, or else its transpose, which is the same in row
** order. */
static ma_status multiply_now(ma_stream *stream, const void *matmul) {
  const ma_matmul *g = matmul;
  bool swapped = !(g->row[0] == 1 && g->column[0] >= g->m);
  if (g->m > INT32_MAX || g->n > INT32_MAX || g->k > INT32_MAX || g->row[1] > INT32_MAX || g->row[2] > INT32_MAX ||
      g->column[1] > INT32_MAX || g->column[2] > INT32_MAX || g->row[0] > INT32_MAX || g->column[0] > INT32_MAX)
    return ma_fail(MA_ERR_VALUE,
                   "matrices of %" PRId64 " x %" PRId64 " and %" PRId64 " x %" PRId64
                   "; this BLAS takes extents and steps below 2^31",
                   g->m, g->k, g->k, g->n);
  ma_status status;
  bool small = is_small(g), blas = !is_integer(g);
  if (!small && blas && ma_cpu_gemv(g, &status)) return status;
  job j = { .g = g, .left = swapped ? 2 : 1, .right = swapped ? 1 : 2, .k = g->k, .small = small };
  j.m = swapped ? g->n : g->m;
  j.n = swapped ? g->m : g->n;
  j.ldc = swapped ? g->row[0] : g->column[0];
  j.a = swapped ? side_of(g->n, g->column[2], g->row[2]) : side_of(g->m, g->row[1], g->column[1]);
  j.b = swapped ? side_of(g->k, g->column[1], g->row[1]) : side_of(g->k, g->row[2], g->column[2]);
  int64_t count = 1;
  for (int d = 0; d < g->nbatch; d++) count *= g->batch[d];
  double work = (double)g->m * (double)g->n * (double)g->k;
  bool ours = !blas || ma_cpu_openblas_is_there(); /* who divides it among threads */
  if (ours && blas && !small && count == 1 && is_long(&j)) return multiply_long(&j);
  cut(&j, ours ? work : 0, ma_cpu_threads());
  int64_t tiles = (int64_t)j.across * j.down;
  if (!ours && work > 1e6) return run_range(&j, 0, count);
  bool alone = ours && blas && work > 1e5; /* it uses one thread for smaller ones anyway */
  if (alone) ma_cpu_openblas_alone(true);
  status = ma_cpu_parallel(count * tiles, (int64_t)(1e5 / (work / (double)tiles + 1)) + 1, run_range, &j);
  if (alone) ma_cpu_openblas_alone(false);
  return status;
}

static int64_t matmul_bytes(const void *job) {
  const ma_matmul *g = job;
  int64_t elements[3] = { g->m * g->n, g->m * g->k, g->k * g->n };
  for (int operand = 0; operand < 3; operand++)
    for (int d = 0; d < g->nbatch; d++)
      if (g->step[operand][d]) elements[operand] *= g->batch[d];
  return (elements[0] + elements[1] + elements[2]) * ma_dtypes[g->dtype].itemsize;
}

ma_status ma_cpu_linalg_matmul(ma_stream *stream, const ma_matmul *g) {
  static const ma_task task = { .name = "matmul", .run = multiply_now, .bytes = matmul_bytes };
  if (!is_integer(g)) MA_TRY(ma_cpu_need(MA_CPU_blas));
  return ma_cpu_submit(stream, &task, g, sizeof *g);
}
