/* blas.c: cuBLAS: a handle for each stream, and products of matrices. Each handle has its own workspace, as large as
** cuBLAS would allocate, so that products on several streams do not share one and graphs can record them. */
#include "cuda/cuda.h"

#include "backend/linalg.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* what cuBLAS recommends for compute capability 9.0; the next is for others */
#define WORKSPACE_HOPPER ((size_t)32 << 20)
#define WORKSPACE ((size_t)4 << 20)

typedef struct blas {
  struct blas *next;
  const ma_stream *stream;
  uint32_t generation; /* of the device; a reset frees the handle's memory */
  cublasHandle_t handle;
  CUdeviceptr workspace;
} blas;

/* Handles live as long as the process, like streams. A call holds the lock while it is queued. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static blas *handles;
static ma_cuda_span span; /* of the call that is queued */

ma_status ma_cuda_blas_fail(const char *call, int status, const char *shapes) {
  static const struct {
    int status;
    const char *name;
  } names[] = { { 1, "NOT_INITIALIZED" }, { 3, "ALLOC_FAILED" },   { 7, "INVALID_VALUE" },
                { 8, "ARCH_MISMATCH" },   { 11, "MAPPING_ERROR" }, { 13, "EXECUTION_FAILED" },
                { 14, "INTERNAL_ERROR" }, { 15, "NOT_SUPPORTED" }, { 16, "LICENSE_ERROR" } };
  const char *name = "unknown status";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].status == status) name = names[i].name;
  if (status == 3)
    return ma_fail(MA_ERR_MEMORY, "%s: CUBLAS_STATUS_%s (%d): out of memory%s%s", call, name, status,
                   *shapes ? ", " : "", shapes);
  return ma_fail(MA_ERR_LIBRARY, "%s: CUBLAS_STATUS_%s (%d)%s%s", call, name, status, *shapes ? ", " : "", shapes);
}

#define CUBLAS(name, ...)                                           \
  do {                                                              \
    int status_ = ma_cu.name(__VA_ARGS__);                          \
    if (status_ != 0) return ma_cuda_blas_fail(#name, status_, ""); \
  } while (0)

static ma_status fill(blas *b, const ma_stream *stream) {
  size_t nbytes = ma_cuda_state(stream)->arch >= 90 ? WORKSPACE_HOPPER : WORKSPACE;
  CUBLAS(cublasCreate, &b->handle);
  MA_CU(cuMemAlloc, &b->workspace, nbytes);
  CUBLAS(cublasSetStream, b->handle, ma_cuda_queue(stream));
  CUBLAS(cublasSetWorkspace, b->handle, (void *)(uintptr_t)b->workspace, nbytes);
  return MA_OK;
}

static ma_status make_locked(ma_stream *stream, blas **made) {
  blas *b = calloc(1, sizeof *b);
  if (!b) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a cuBLAS handle");
  ma_status status = fill(b, stream);
  if (status != MA_OK) {
    if (b->workspace) ma_cu.cuMemFree(b->workspace);
    if (b->handle) ma_cu.cublasDestroy(b->handle);
    free(b);
    return status;
  }
  b->stream = stream;
  b->generation = __atomic_load_n(&stream->device->generation, __ATOMIC_ACQUIRE);
  b->next = handles;
  *made = handles = b;
  return MA_OK;
}

ma_status ma_cuda_blas_begin(ma_stream *stream, cublasHandle_t *handle) {
  MA_TRY(ma_cuda_need(MA_CUDA_cublas));
  MA_TRY(ma_cuda_enter(stream->device));
  uint32_t generation = __atomic_load_n(&stream->device->generation, __ATOMIC_ACQUIRE);
  pthread_mutex_lock(&lock);
  blas *b = handles;
  while (b && (b->stream != stream || b->generation != generation)) b = b->next;
  ma_status status = b ? MA_OK : make_locked(stream, &b);
  if (status != MA_OK) pthread_mutex_unlock(&lock);
  else *handle = b->handle;
  if (status != MA_OK) return status;
  ma_cuda_hold(stream, 1);
  span = ma_cuda_span_begin(stream);
  return MA_OK;
}

void ma_cuda_blas_end(ma_stream *stream) {
  ma_cuda_span_end(stream, MA_TRACK_STREAM, span, "cuBLAS", 0);
  ma_cuda_hold(stream, -1);
  pthread_mutex_unlock(&lock);
}

/* ---- Products ---- */

typedef struct types {
  int data, compute;
  bool is_double;
} types;

static types types_of(ma_dtype dtype) {
  int fast = ma_config_tf32(-1) ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  switch (dtype) {
  case MA_FLOAT16: return (types){ CUDA_R_16F, CUBLAS_COMPUTE_32F, false };
  case MA_BFLOAT16: return (types){ CUDA_R_16BF, CUBLAS_COMPUTE_32F, false };
  case MA_FLOAT32: return (types){ CUDA_R_32F, fast, false };
  case MA_COMPLEX64: return (types){ CUDA_C_32F, fast, false };
  case MA_COMPLEX128: return (types){ CUDA_C_64F, CUBLAS_COMPUTE_64F, true };
  default: return (types){ CUDA_R_64F, CUBLAS_COMPUTE_64F, true };
  }
}

/* An operand as BLAS wants it: element (i, j) is at i + j * ld, or at j + i * ld if it is to be transposed. */
typedef struct side {
  int op;
  int64_t ld;
} side;
static side side_of(int64_t rows, int64_t row, int64_t column) {
  return row == 1 && column >= rows ? (side){ CUBLAS_OP_N, column } : (side){ CUBLAS_OP_T, row };
}

/* Products over one axis of a batch. BLAS computes in column order, so c = a b is computed there, or else the
** transposed product, which is the same in row order. */
static ma_status strided(cublasHandle_t handle, const ma_matmul *g, char *const *data, int64_t count,
                         const int64_t *step) {
  static const ma_c128 one_double = { 1, 0 }, zero_double = { 0, 0 };
  static const ma_c64 one_single = { 1, 0 }, zero_single = { 0, 0 };
  types t = types_of(g->dtype);
  const void *one = t.is_double ? (const void *)&one_double : &one_single,
             *zero = t.is_double ? (const void *)&zero_double : &zero_single;
  bool swapped = !(g->row[0] == 1 && g->column[0] >= g->m);
  int left = swapped ? 2 : 1, right = swapped ? 1 : 2;
  int64_t m = swapped ? g->n : g->m, n = swapped ? g->m : g->n, ldc = swapped ? g->row[0] : g->column[0];
  side a = swapped ? side_of(g->n, g->column[2], g->row[2]) : side_of(g->m, g->row[1], g->column[1]);
  side b = swapped ? side_of(g->k, g->column[1], g->row[1]) : side_of(g->k, g->row[2], g->column[2]);
  int status;
  bool large = m > INT32_MAX || n > INT32_MAX || g->k > INT32_MAX || a.ld > INT32_MAX || b.ld > INT32_MAX ||
               ldc > INT32_MAX || count > INT32_MAX;
  if (large && !ma_cu.cublasGemmStridedBatchedEx_64)
    return ma_fail(MA_ERR_LIBRARY, "extents beyond 2^31; this cuBLAS takes smaller ones (CUDA 12 has the larger)");
  if (large)
    status = ma_cu.cublasGemmStridedBatchedEx_64(handle, a.op, b.op, m, n, g->k, one, data[left], t.data, a.ld,
                                                 step[left], data[right], t.data, b.ld, step[right], zero, data[0],
                                                 t.data, ldc, step[0], count, t.compute, CUBLAS_GEMM_DEFAULT);
  else if (count == 1) /* for one product this function has faster kernels than the one for batches */
    status = ma_cu.cublasGemmEx(handle, a.op, b.op, (int)m, (int)n, (int)g->k, one, data[left], t.data, (int)a.ld,
                                data[right], t.data, (int)b.ld, zero, data[0], t.data, (int)ldc, t.compute,
                                CUBLAS_GEMM_DEFAULT);
  else
    status = ma_cu.cublasGemmStridedBatchedEx(handle, a.op, b.op, (int)m, (int)n, (int)g->k, one, data[left], t.data,
                                              (int)a.ld, step[left], data[right], t.data, (int)b.ld, step[right], zero,
                                              data[0], t.data, (int)ldc, step[0], (int)count, t.compute,
                                              CUBLAS_GEMM_DEFAULT);
  if (status == 0) return MA_OK;
  char shapes[160];
  snprintf(shapes, sizeof shapes, "%" PRId64 " products of %" PRId64 " x %" PRId64 " and %" PRId64 " x %" PRId64, count,
           g->m, g->k, g->k, g->n);
  return ma_cuda_blas_fail(count == 1 && !large ? "cublasGemmEx" : "cublasGemmStridedBatchedEx", status, shapes);
}

/* How the products over one axis of a batch are computed. `handle` NULL: there is no cuBLAS. */
static ma_status along(ma_stream *stream, cublasHandle_t handle, const ma_matmul *g, char *const *data, int64_t count,
                       const int64_t *step) {
  return handle ? strided(handle, g, data, count, step) : ma_cuda_tiles(stream, g, data, count, step);
}

/* All axes of a batch. The innermost one is walked by `along`, and the others by this function. */
static ma_status batches(ma_stream *stream, cublasHandle_t handle, const ma_matmul *g) {
  int64_t at[MA_MAX_NDIM] = { 0 }, inner = g->nbatch ? g->batch[g->nbatch - 1] : 1, step[3] = { 0 };
  int outer = g->nbatch ? g->nbatch - 1 : 0;
  size_t item = ma_dtypes[g->dtype].itemsize;
  char *data[3];
  for (int k = 0; k < 3; k++) {
    data[k] = g->data[k];
    if (g->nbatch) step[k] = g->step[k][outer];
  }
  for (;;) {
    MA_TRY(along(stream, handle, g, data, inner, step));
    int d = outer - 1;
    for (; d >= 0; d--) {
      for (int k = 0; k < 3; k++) data[k] += g->step[k][d] * (int64_t)item;
      if (++at[d] < g->batch[d]) break;
      for (int k = 0; k < 3; k++) data[k] -= g->step[k][d] * g->batch[d] * (int64_t)item;
      at[d] = 0;
    }
    if (d < 0) return MA_OK;
  }
}

ma_status ma_cuda_linalg_matmul(ma_stream *stream, const ma_matmul *g) {
  cublasHandle_t handle;
  if (ma_cuda_product_is_small(g)) return ma_cuda_product_small(stream, g);
  if (ma_dtypes[g->dtype].kind < MA_KIND_FLOAT || !ma_cuda_has(MA_CUDA_cublas)) return batches(stream, NULL, g);
  MA_TRY(ma_cuda_blas_begin(stream, &handle));
  ma_status status = batches(stream, handle, g);
  ma_cuda_blas_end(stream);
  return status;
}
