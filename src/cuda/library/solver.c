/*
** solver.c: cuSOLVER: a handle for each stream, the memory of a call, and small steps around it. A handle is held while
** its call is queued. The memory returns to the pool when the call returns, because later work on the stream follows
** it.
*/
#include "cuda/library/solver.h"

#include "memory/graph.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ma_solver_handle {
  struct ma_solver_handle *next;
  const ma_stream *stream;
  uint32_t generation; /* of the device; a reset frees the handle's memory */
  pthread_mutex_t lock;
  cusolverDnHandle_t handle;
  cusolverDnParams_t params;
  gesvdjInfo_t jacobi;
  syevjInfo_t rotations;
} ma_solver_handle;

/* Handles live as long as the process, like streams. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ma_solver_handle *handles;

/* ---- Failures ---- */

static const char *shapes_of(const ma_solver *s, char *text, size_t size) {
  const ma_matrices *a = s->a, *b = s->b;
  int n = snprintf(text, size, "%" PRId64 " %s of %" PRId64 " x %" PRId64 " %s", a->count,
                   a->count == 1 ? "matrix" : "matrices", a->rows, a->columns, ma_dtypes[s->dtype].name);
  if (b && n > 0 && (size_t)n < size)
    snprintf(text + n, size - (size_t)n, ", right sides of %" PRId64 " x %" PRId64, b->rows, b->columns);
  return text;
}

static ma_status fail(const char *call, int status, const char *shapes) {
  static const char *const names[] = { "SUCCESS",          "NOT_INITIALIZED", "ALLOC_FAILED",
                                       "INVALID_VALUE",    "ARCH_MISMATCH",   "MAPPING_ERROR",
                                       "EXECUTION_FAILED", "INTERNAL_ERROR",  "MATRIX_TYPE_NOT_SUPPORTED",
                                       "NOT_SUPPORTED",    "ZERO_PIVOT",      "INVALID_LICENSE" };
  const char *name = status > 0 && status < (int)(sizeof names / sizeof *names) ? names[status] : "unknown status";
  if (status == 2)
    return ma_fail(MA_ERR_MEMORY, "%s: CUSOLVER_STATUS_%s (%d): out of memory, %s", call, name, status, shapes);
  return ma_fail(MA_ERR_LIBRARY, "%s: CUSOLVER_STATUS_%s (%d), %s", call, name, status, shapes);
}

/* Callers give the name for float64: cusolverDnDorgqr becomes cusolverDnCungqr for complex64. */
static const char *name_of(const ma_solver *s, const char *call, char *name, size_t size) {
  static const char *const of_complex[][2] = { { "orgqr", "ungqr" }, { "ormqr", "unmqr" }, { "syevj", "heevj" } };
  bool is_complex = ma_solver_is_complex(s), is_double = s->real_item == 8;
  int n = snprintf(name, size, "%s", call), at = strncmp(call, "cublasD", 7) == 0        ? 6
                                                 : strncmp(call, "cusolverDnD", 11) == 0 ? 10
                                                                                         : 0;
  if (at == 0 || n < 0 || (size_t)n >= size) return name;
  name[at] = is_complex ? (is_double ? 'Z' : 'C') : is_double ? 'D' : 'S';
  for (size_t i = 0; is_complex && i < sizeof of_complex / sizeof *of_complex; i++) {
    char *found = strstr(name, of_complex[i][0]);
    if (found) memcpy(found, of_complex[i][1], strlen(of_complex[i][1]));
  }
  return name;
}

ma_status ma_solver_fail(const ma_solver *s, const char *call, int status) {
  char shapes[160], name[80];
  return fail(name_of(s, call, name, sizeof name), status, shapes_of(s, shapes, sizeof shapes));
}

ma_status ma_solver_blas_fail(const ma_solver *s, const char *call, int status) {
  char shapes[160], name[80];
  return ma_cuda_blas_fail(name_of(s, call, name, sizeof name), status, shapes_of(s, shapes, sizeof shapes));
}

ma_status ma_solver_check_int(const ma_solver *s, const char *call, int n, const int64_t *extent) {
  char shapes[160];
  for (int i = 0; i < n; i++)
    if (extent[i] > INT32_MAX)
      return ma_fail(MA_ERR_VALUE, "%s; %s takes extents, steps and batches below 2^31",
                     shapes_of(s, shapes, sizeof shapes), call);
  return MA_OK;
}

/* ---- Handles ---- */

#define CREATE(name, ...)                                      \
  do {                                                         \
    int status_ = ma_cu.name(__VA_ARGS__);                     \
    if (status_ != 0) return fail(#name, status_, "a handle"); \
  } while (0)

static ma_status fill(ma_solver_handle *h) {
  CREATE(cusolverDnCreate, &h->handle);
  CREATE(cusolverDnCreateParams, &h->params);
  CREATE(cusolverDnCreateGesvdjInfo, &h->jacobi);
  CREATE(cusolverDnXgesvdjSetSortEig, h->jacobi, 1);
  CREATE(cusolverDnCreateSyevjInfo, &h->rotations);
  return MA_OK;
}

static ma_status make_locked(const ma_stream *stream, ma_solver_handle **made) {
  ma_solver_handle *h = calloc(1, sizeof *h);
  if (!h) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a cuSOLVER handle");
  ma_status status = fill(h);
  if (status != MA_OK) {
    if (h->rotations) ma_cu.cusolverDnDestroySyevjInfo(h->rotations);
    if (h->jacobi) ma_cu.cusolverDnDestroyGesvdjInfo(h->jacobi);
    if (h->params) ma_cu.cusolverDnDestroyParams(h->params);
    if (h->handle) ma_cu.cusolverDnDestroy(h->handle);
    free(h);
    return status;
  }
  pthread_mutex_init(&h->lock, NULL);
  h->stream = stream;
  h->generation = __atomic_load_n(&stream->device->generation, __ATOMIC_ACQUIRE);
  h->next = handles;
  *made = handles = h;
  return MA_OK;
}

static ma_status take_handle(ma_stream *stream, ma_solver_handle **taken) {
  uint32_t generation = __atomic_load_n(&stream->device->generation, __ATOMIC_ACQUIRE);
  pthread_mutex_lock(&lock);
  ma_solver_handle *h = handles;
  while (h && (h->stream != stream || h->generation != generation)) h = h->next;
  ma_status status = h ? MA_OK : make_locked(stream, &h);
  pthread_mutex_unlock(&lock);
  if (status != MA_OK) return status;
  pthread_mutex_lock(&h->lock);
  int result = ma_cu.cusolverDnSetStream(h->handle, ma_cuda_queue(stream));
  if (result != 0) {
    pthread_mutex_unlock(&h->lock);
    return fail("cusolverDnSetStream", result, "a handle");
  }
  *taken = h;
  return MA_OK;
}

/* ---- A call ---- */

void ma_solver_open(ma_solver *s, ma_stream *stream, ma_dtype dtype, const ma_matrices *a, const ma_matrices *b) {
  bool is_double = dtype == MA_FLOAT64 || dtype == MA_COMPLEX128, is_complex = ma_dtypes[dtype].kind == MA_KIND_COMPLEX;
  int real = is_double ? CUDA_R_64F : CUDA_R_32F;
  *s = (ma_solver){ .stream = stream,
                    .dtype = dtype,
                    .a = a,
                    .b = b,
                    .real = real,
                    .type = !is_complex ? real
                            : is_double ? CUDA_C_64F
                                        : CUDA_C_32F,
                    .item = ma_dtypes[dtype].itemsize,
                    .real_item = is_double ? 8 : 4 };
}

ma_status ma_solver_begin(ma_solver *s, ma_stream *stream, ma_dtype dtype, const ma_matrices *a, const ma_matrices *b) {
  ma_solver_open(s, stream, dtype, a, b);
  MA_TRY(ma_capture_refuse_work(stream, "a factorisation"));
  /* Opened here, because its functions are chosen by dtype before they are called; cuSOLVER opens it in any case. */
  MA_TRY(ma_cuda_need(MA_CUDA_cublas));
  MA_TRY(ma_cuda_need(MA_CUDA_cusolver));
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(take_handle(stream, &s->held));
  ma_cuda_hold(stream, 1);
  s->handle = s->held->handle;
  s->params = s->held->params;
  s->jacobi = s->held->jacobi;
  s->rotations = s->held->rotations;
  return MA_OK;
}

ma_status ma_solver_end(ma_solver *s, ma_status status) {
  for (int i = 0; i < s->nblock; i++) ma_buffer_release(s->block[i]);
  free(s->host);
  if (!s->held) return status;
  ma_cuda_hold(s->stream, -1);
  pthread_mutex_unlock(&s->held->lock);
  return status;
}

ma_status ma_solver_scratch(ma_solver *s, size_t nbytes, void **ptr) {
  if (s->nblock == MA_SOLVER_MOST)
    return ma_fail(MA_ERR_INTERNAL, "a solver with more than %d blocks of memory", MA_SOLVER_MOST);
  MA_TRY(ma_cuda_scratch(s->stream, nbytes ? nbytes : 1, &s->block[s->nblock]));
  *ptr = s->block[s->nblock++]->ptr;
  return MA_OK;
}

ma_status ma_solver_workspace(ma_solver *s, size_t device, size_t host) {
  if (device > s->device_bytes || !s->device) {
    MA_TRY(ma_solver_scratch(s, device, &s->device));
    s->device_bytes = device;
  }
  if (host > s->host_bytes) {
    free(s->host);
    s->host_bytes = 0;
    s->host = malloc(host);
    if (!s->host) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes of host memory for cuSOLVER", host);
    s->host_bytes = host;
  }
  return MA_OK;
}

int ma_solver_op(const ma_solver *s, char trans) {
  return trans == 'N' ? CUBLAS_OP_N : trans == 'C' && ma_solver_is_complex(s) ? CUBLAS_OP_C : CUBLAS_OP_T;
}

/* ---- Small steps ---- */

typedef struct address_params {
  void *to;
  uint64_t first;
  int64_t step, count;
} address_params;

static void print_addresses(ma_ctext *text, const void *what) {
  ma_ctext_put(text, "struct address_params { unsigned long long *to, first; long long step, count; };\n"
                     "extern \"C\" __global__ void addresses(address_params p) {\n"
                     "  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < p.count; i += gridDim.x * 256ll) "
                     "p.to[i] = p.first + i * p.step;\n"
                     "}\n");
}

ma_status ma_solver_addresses(ma_solver *s, void *first, int64_t step, int64_t count, void ***addresses) {
  static const ma_cuda_family family = { "addresses", { "addresses" }, print_addresses, NULL };
  const CUfunction *entry;
  void *to;
  MA_TRY(ma_solver_scratch(s, (size_t)count * sizeof(void *), &to));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(s->stream), &family, "", 0, NULL, &entry));
  address_params params = { to, (uint64_t)(uintptr_t)first, step * (int64_t)s->item, count };
  void *list[] = { &params };
  int64_t blocks = (count + 255) / 256;
  MA_TRY(ma_cuda_launch(s->stream, entry[0], (unsigned)(blocks < 65536 ? blocks : 65536), 256, 0, list, "addresses",
                        count * 8));
  *addresses = to;
  return MA_OK;
}

ma_status ma_solver_map(ma_stream *stream, const ma_program *program, int64_t axis0, int64_t axis1, int64_t axis2,
                        void *const *data, const int64_t (*step)[3], const ma_value *scalar) {
  ma_map map = { .program = program,
                 .space = {
                   .ndim = 3, .noperand = program->noutput + program->ninput, .shape = { axis0, axis1, axis2 } } };
  int64_t flip[MA_MAX_OPERANDS];
  for (int k = 0; k < map.space.noperand; k++)
    for (int d = 0; d < 3; d++) map.space.stride[k][d] = step[k][d];
  for (int i = 0; i < program->nscalar; i++) map.scalar[i] = scalar[i];
  ma_space_collapse(&map.space, true, flip);
  for (int k = 0; k < map.space.noperand; k++) map.data[k] = (char *)data[k] + flip[k];
  return ma_cuda_map_run(stream, &map);
}

ma_status ma_solver_copy(ma_solver *s, bool adjoint, int64_t rows, int64_t columns, int64_t count, void *to, int64_t ld,
                         int64_t step, const void *from, int64_t from_ld, int64_t from_step) {
  ma_program program;
  int64_t item = (int64_t)s->item;
  ma_program_clear(&program);
  int x = ma_program_input(&program, s->dtype);
  if (adjoint && ma_solver_is_complex(s)) x = ma_program_emit(&program, MA_DO_conjugate, s->dtype, (int[]){ x });
  ma_program_output(&program, x);
  int64_t steps[2][3] = { { step * item, ld * item, item },
                          { from_step * item, adjoint ? item : from_ld * item, adjoint ? from_ld * item : item } };
  return ma_solver_map(s->stream, &program, count, columns, rows, (void *[]){ to, (void *)(uintptr_t)from }, steps,
                       NULL);
}
