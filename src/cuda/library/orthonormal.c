/*
** orthonormal.c: checks whether the columns of Q are orthonormal. It estimates |Q^H Q - 1| with a few random vectors z:
** the expected length of Q^H (Q z) - z is the Frobenius norm, for the cost of reading Q twice. Some routines of
** cuSOLVER return vectors that are not orthonormal, without an error, if the input underflows inside (a matrix of
** ones).
*/
#include "cuda/library/solver.h"

#include <float.h>
#include <math.h>

#define PROBES 4

typedef struct probe_params {
  void *z, *rest;
  uint64_t nz, all;
} probe_params;

static void print_probe(ma_ctext *text, const void *what) {
  ma_ctext_put(text, *(const uint8_t *)what == 8 ? "typedef double real;\n" : "typedef float real;\n");
  ma_ctext_put(
    text, "struct params { real *z, *rest; unsigned long long nz, all; };\n"
          "MA_KERNEL probe(const params p) {\n"
          "  for (unsigned long long i = blockIdx.x * 256ull + threadIdx.x; i < p.all; i += gridDim.x * 256ull) {\n"
          "    unsigned long long k = i % p.nz, h = (k + 1) * 0x9e3779b97f4a7c15ull;\n"
          "    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;\n"
          "    h = (h ^ h >> 27) * 0x94d049bb133111ebull;\n"
          "    real x = (real)((int)(h >> 32)) * (real)8.0654618e-10;\n" /* sqrt(3) / 2^31: variance 1 */
          "    p.rest[i] = x;\n"
          "    if (i < p.nz) p.z[i] = x;\n"
          "  }\n"
          "}\n");
}

const ma_cuda_family ma_cuda_probe = { "probe", { "probe" }, print_probe, NULL };

/* Draws z, and makes `count` copies of it in `rest`. */
static ma_status draw(ma_solver *s, void *z, void *rest, int64_t nz, int64_t count) {
  const CUfunction *entry;
  uint8_t size = (uint8_t)s->real_item;
  MA_TRY(ma_cuda_kernel(ma_cuda_state(s->stream), &ma_cuda_probe, &size, 1, &size, &entry));
  probe_params p = { z, rest, (uint64_t)nz, (uint64_t)(nz * count) };
  int64_t blocks = (nz * count + 255) / 256;
  return ma_cuda_launch(s->stream, entry[0], (unsigned)(blocks < 4096 ? blocks : 4096), 256, 0, (void *[]){ &p },
                        "probe", nz * count * size);
}

static ma_status norm_locked(ma_solver *s, cublasHandle_t handle, const char *x, int64_t n, double *norm) {
  *norm = 0;
  for (int64_t piece = 1 << 30, at = 0; at < n; at += piece) { /* cuBLAS takes at most 2^31 - 1 */
    double part = 0;
    float single = 0;
    int status = ma_cu.cublasNrm2Ex(handle, (int)(n - at < piece ? n - at : piece), x + (size_t)at * s->real_item,
                                    s->real, 1, s->real_item == 8 ? (void *)&part : &single, s->real, s->real);
    if (status) return ma_solver_blas_fail(s, "cublasNrm2Ex", status);
    *norm = hypot(*norm, s->real_item == 8 ? part : single);
  }
  return MA_OK;
}

ma_status ma_solver_norm(ma_solver *s, const void *x, int64_t n, double *norm) {
  cublasHandle_t handle;
  MA_TRY(ma_cuda_blas_begin(s->stream, &handle));
  ma_status status = norm_locked(s, handle, x, n, norm);
  ma_cuda_blas_end(s->stream);
  return status;
}

/* rest = Q^H (Q z) - rest, matrix by matrix. */
static ma_status apply_locked(ma_solver *s, cublasHandle_t handle, const ma_matrices *q, const void *z, void *y,
                              void *rest) {
  static const ma_c64 single[3] = { { 1, 0 }, { -1, 0 }, { 0, 0 } };
  static const ma_c128 wide[3] = { { 1, 0 }, { -1, 0 }, { 0, 0 } };
  bool is_double = s->real_item == 8;
  const void *one = is_double ? (const void *)&wide[0] : &single[0],
             *minus = is_double ? (const void *)&wide[1] : &single[1];
  const void *zero = is_double ? (const void *)&wide[2] : &single[2];
  int rows = (int)q->rows, columns = (int)q->columns, ld = (int)q->ld,
      compute = is_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
  int status = ma_cu.cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, rows, PROBES, columns, one, q->data,
                                                s->type, ld, q->step, z, s->type, columns, 0, zero, y, s->type, rows,
                                                q->rows * PROBES, (int)q->count, compute, CUBLAS_GEMM_DEFAULT);
  if (status == 0)
    status = ma_cu.cublasGemmStridedBatchedEx(handle, ma_solver_op(s, 'C'), CUBLAS_OP_N, columns, PROBES, rows, one,
                                              q->data, s->type, ld, q->step, y, s->type, rows, q->rows * PROBES, minus,
                                              rest, s->type, columns, q->columns * PROBES, (int)q->count, compute,
                                              CUBLAS_GEMM_DEFAULT);
  return status ? ma_solver_blas_fail(s, "cublasGemmStridedBatchedEx", status) : MA_OK;
}

/* z, the rest of one matrix, and room for Q z. */
typedef struct probe {
  char *z, *rest, *y;
  int64_t nz;
} probe;

/* Places the rests of all matrices in a row, so that one norm and one wait suffice. */
static ma_status lay_out(ma_solver *s, int n, const ma_matrices *q, probe *p, int64_t *rests) {
  int64_t reals = PROBES * (ma_solver_is_complex(s) ? 2 : 1), all = 0;
  *rests = 0;
  for (int i = 0; i < n; i++) {
    p[i].nz = q[i].columns * reals;
    *rests += p[i].nz * q[i].count;
    all += p[i].nz + q[i].rows * reals * q[i].count;
  }
  size_t wanted = (size_t)(*rests + all) * s->real_item;
  if (wanted > s->probe_bytes) {
    MA_TRY(ma_solver_scratch(s, wanted, &s->probe));
    s->probe_bytes = wanted;
  }
  char *rest = s->probe, *other = rest + (size_t)*rests * s->real_item;
  for (int i = 0; i < n; i++) {
    p[i].rest = rest;
    p[i].z = other;
    p[i].y = other + (size_t)p[i].nz * s->real_item;
    rest += (size_t)(p[i].nz * q[i].count) * s->real_item;
    other = p[i].y + (size_t)(q[i].rows * reals * q[i].count) * s->real_item;
  }
  return MA_OK;
}

ma_status ma_solver_orthonormal(ma_solver *s, int n, const ma_matrices *q, bool *orthonormal) {
  double epsilon = s->real_item == 8 ? DBL_EPSILON : FLT_EPSILON, defect = 0, limit = 0;
  probe p[2];
  int64_t rests;
  cublasHandle_t handle;
  *orthonormal = false;
  for (int i = 0; i < n; i++) {
    double columns = (double)(q[i].columns > 16 ? q[i].columns : 16);
    if (q[i].ld > INT32_MAX || q[i].columns > INT32_MAX || q[i].count > INT32_MAX) return MA_OK;
    limit += columns * columns * (double)q[i].count;
  }
  MA_TRY(lay_out(s, n, q, p, &rests));
  for (int i = 0; i < n; i++) MA_TRY(draw(s, p[i].z, p[i].rest, p[i].nz, q[i].count));
  MA_TRY(ma_cuda_blas_begin(s->stream, &handle));
  ma_status status = MA_OK;
  for (int i = 0; i < n && status == MA_OK; i++) status = apply_locked(s, handle, &q[i], p[i].z, p[i].y, p[i].rest);
  if (status == MA_OK) status = norm_locked(s, handle, s->probe, rests, &defect);
  ma_cuda_blas_end(s->stream);
  *orthonormal = status == MA_OK && defect <= 4 * epsilon * sqrt(limit * PROBES * (ma_solver_is_complex(s) ? 2 : 1));
  return status;
}
