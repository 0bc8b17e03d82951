/* solver.h: one call of cuSOLVER, its handle, its memory and its errors. factor.c has LU, Cholesky and QR, svd.c
** singular values, eigen.c eigenvalues, orthonormal.c a check that some eigenvectors and singular vectors need. */
#ifndef MOONARRAY_CUDA_SOLVER_H
#define MOONARRAY_CUDA_SOLVER_H

#include "cuda/cuda.h"

#include "backend/linalg.h"

#pragma GCC visibility push(hidden)

#define MA_SOLVER_MOST 12 /* blocks of device memory in one call, at most */

typedef struct ma_solver {
  ma_stream *stream;
  ma_dtype dtype;
  int type, real;           /* cudaDataType of the elements, and of their real parts */
  size_t item, real_item;   /* bytes */
  const ma_matrices *a, *b; /* for messages; b may be NULL */
  struct ma_solver_handle *held;
  cusolverDnHandle_t handle;
  cusolverDnParams_t params;
  gesvdjInfo_t jacobi;   /* for singular values */
  syevjInfo_t rotations; /* for eigenvalues */
  void *device, *host;   /* workspaces of the X functions, and their sizes */
  size_t device_bytes, host_bytes;
  void *probe; /* of ma_solver_orthonormal */
  size_t probe_bytes;
  int nblock;
  ma_buffer *block[MA_SOLVER_MOST];
} ma_solver;

/* Takes the stream's handle; other threads wait for it until ma_solver_end. Refused while a graph is recorded. On
** failure nothing is held. */
ma_status ma_solver_begin(ma_solver *s, ma_stream *stream, ma_dtype dtype, const ma_matrices *a, const ma_matrices *b);
ma_status ma_solver_end(ma_solver *s, ma_status status); /* returns `status` */
/* As ma_solver_begin, for work that only cuBLAS does: device memory and messages without a handle. It may be
** recorded. */
void ma_solver_open(ma_solver *s, ma_stream *stream, ma_dtype dtype, const ma_matrices *a, const ma_matrices *b);

ma_status ma_solver_fail(const ma_solver *s, const char *call, int status);
ma_status ma_solver_blas_fail(const ma_solver *s, const char *call, int status);
#define MA_CUSOLVER(s, name, ...)                               \
  do {                                                          \
    int status_ = ma_cu.name(__VA_ARGS__);                      \
    if (status_ != 0) return ma_solver_fail(s, #name, status_); \
  } while (0)

ma_status ma_solver_scratch(ma_solver *s, size_t nbytes, void **ptr);    /* freed at the end of the call */
ma_status ma_solver_workspace(ma_solver *s, size_t device, size_t host); /* makes both at least this large */
/* Fails unless all extents are below 2^31, as the functions without an X need. */
ma_status ma_solver_check_int(const ma_solver *s, const char *call, int n, const int64_t *extent);
/* An array of the addresses first, first + step elements ..., for the batched functions. */
ma_status ma_solver_addresses(ma_solver *s, void *first, int64_t step, int64_t count, void ***addresses);
/* to(i, j) = from(i, j), or the conjugate of from(j, i); rows and columns are those of `to`. */
ma_status ma_solver_copy(ma_solver *s, bool adjoint, int64_t rows, int64_t columns, int64_t count, void *to, int64_t ld,
                         int64_t step, const void *from, int64_t from_ld, int64_t from_step);
/* Runs a program over at most three axes; steps are in bytes, with the outputs first. */
ma_status ma_solver_map(ma_stream *stream, const ma_program *program, int64_t axis0, int64_t axis1, int64_t axis2,
                        void *const *data, const int64_t (*step)[3], const ma_value *scalar);

/* orthonormal.c. *orthonormal: whether the columns of all matrices of the n (at most 2) `q` are orthonormal to
** within 4 eps times their number. Waits. */
ma_status ma_solver_orthonormal(ma_solver *s, int n, const ma_matrices *q, bool *orthonormal);
ma_status ma_solver_norm(ma_solver *s, const void *x, int64_t n, double *norm); /* Frobenius norm of n reals. Waits. */

/* jacobi.c: whether ma_solver_jacobi accepts the matrices for job 'N', 'S' or 'A'. Does not wait. */
bool ma_solver_jacobi_takes(const ma_solver *s, char job);
/* The decomposition, with the arguments of slot svd. Does not wait. */
ma_status ma_solver_jacobi(ma_solver *s, char job, void *values, const ma_matrices *u, const ma_matrices *vh,
                           int32_t *info);

/* Kernels around the libraries' calls, for the test that compiles them. Each is printed for an element size, jacobi
** for a dtype. */
extern const ma_cuda_family ma_cuda_order_rows, ma_cuda_move_rows, ma_cuda_probe, ma_cuda_jacobi;

static inline void *ma_solver_matrix(const ma_solver *s, const ma_matrices *a, int64_t k) {
  return (char *)a->data + (size_t)(k * a->step) * s->item;
}
/* Whether the matrices are contiguous, as the batched functions need: they take no list of addresses. */
static inline bool ma_solver_is_packed(const ma_matrices *a) { return a->count == 1 || a->step == a->ld * a->columns; }
static inline int64_t ma_solver_least(const ma_matrices *a) { return a->rows < a->columns ? a->rows : a->columns; }
static inline bool ma_solver_is_complex(const ma_solver *s) { return s->item != s->real_item; }
/* 'N', 'T', 'C' */
int ma_solver_op(const ma_solver *s, char trans);

/* Chooses the function for the dtype; elements are passed as void *. */
#define MA_BY_DTYPE(s, type, f32, f64, c64, c128) \
  ((s)->dtype == MA_FLOAT32     ? (type)ma_cu.f32 \
   : (s)->dtype == MA_FLOAT64   ? (type)ma_cu.f64 \
   : (s)->dtype == MA_COMPLEX64 ? (type)ma_cu.c64 \
                                : (type)ma_cu.c128)

/* factor.c */
/* banded.c */
extern const ma_cuda_family ma_cuda_banded_family;
/* solve.c */
/* The kernel's text; the caller frees it. */
ma_status ma_cuda_solve_source(ma_dtype dtype, int64_t rows, char **source);
/* cholesky.c */
/* Factors of matrices of at most MA_LINALG_SMALL rows, as the slot. What is above the diagonals stays. */
ma_status ma_cuda_cholesky_small(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int32_t *info);
ma_status ma_cuda_cholesky_source(ma_dtype dtype, int64_t rows, char **source);
/* svd.c */
/* eigen.c */

#pragma GCC visibility pop
#endif
