/*
** cudss.c: factors of sparse matrices by cuDSS. Factors have a handle of their own. It takes memory from the pool,
** where other work finds it counted and in order. cuDSS exchanges rows within blocks alone, and replaces a pivot near
** 0, so its factors may be those of another matrix. Such a matrix is left to the host.
*/
#include "cuda/library/cudss.h"
#include "backend/libraries.h"
#include "base/once.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
#define FUNCTION(name, result, parameters) result(*name) parameters;
#include "cuda/library/cudss.def"
} cudss;

static const char *const names[] = {
#define FUNCTION(name, result, parameters) "cudss" #name,
#include "cuda/library/cudss.def"
};

enum { NFUNCTION = sizeof names / sizeof *names };
_Static_assert(sizeof cudss == NFUNCTION * sizeof(void *), "a table of functions alone");

/* ---- The library ---- */

static char library_path[PATH_MAX];
static int version[3];

static ma_status open_library(void) {
  static const char *const files[] = { "libcudss.so.1", "libcudss.so.0" };
  char *path = library_path;
  int k = 0;
  while (k < 2 && !ma_cuda_find_file("cu12", files[k], path, sizeof library_path)) k++;
  if (k == 2)
    return ma_fail(MA_ERR_LIBRARY,
                   "cuDSS (%s) was not found; it factorises sparse matrices on the GPU: install NVIDIA's Python wheel "
                   "(pip install nvidia-cudss-cu13, or -cu12)",
                   files[0]);
  /* It needs both of these. If they are open already, it takes those. If one cannot be opened, dlopen reports it. */
  (void)ma_cuda_need_nvrtc();
  (void)ma_cuda_open(MA_CUDA_cublas);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return ma_fail(MA_ERR_LIBRARY, "cuDSS (%s) cannot be opened: %s", path, dlerror());
  for (k = 0; k < NFUNCTION; k++) {
    void *address = dlsym(library, names[k]);
    if (!address) return ma_fail(MA_ERR_LIBRARY, "%s has no %s; cuDSS 0.8 or newer is wanted", path, names[k]);
    memcpy((char *)&cudss + (size_t)k * sizeof address, &address, sizeof address);
  }
  for (k = 0; k < 3; k++) cudss.GetProperty(k, &version[k]);
  if (version[0] == 0 && version[1] < 8)
    return ma_fail(MA_ERR_LIBRARY, "%s is cuDSS 0.%d; 0.8 or newer is wanted", path, version[1]);
  ma_trace("linalg", "cuDSS %d.%d.%d from %s", version[0], version[1], version[2], path);
  return MA_OK;
}

static ma_status try_library(void) {
  ma_status status = open_library();
  if (status != MA_OK) ma_trace("linalg", "%s; the CPU does it", ma_message());
  return status;
}

static ma_status need(void) {
  static ma_once once = MA_ONCE;
  return ma_once_try(&once, try_library);
}

bool ma_cuda_cudss_look(ma_library_look *look) {
  look->title = "cuDSS";
  look->found = need() == MA_OK;
  if (!look->found) {
    snprintf(look->why, sizeof look->why, "%s", ma_message());
    return true;
  }
  snprintf(look->path, sizeof look->path, "%s", library_path);
  snprintf(look->version, sizeof look->version, "%d.%d.%d", version[0], version[1], version[2]);
  return true;
}

bool ma_cuda_factors_there(ma_device *device) {
  (void)device;
  return need() == MA_OK;
}

/* ---- Factors ---- */

typedef struct block {
  struct block *next;
  ma_buffer *buffer;
} block;

typedef struct factors {
  ma_stream *stream; /* of the call that runs */
  cudssHandle_t handle;
  cudssConfig_t config;
  cudssData_t data;
  cudssMatrix_t matrix;
  int type; /* cudaDataType of the elements */
  int64_t rows, nnz;
  block *blocks; /* what cuDSS holds of the pool */
  bool refused;  /* the pool had no memory; ma_message says why */
} factors;

/* cuDSS asks for blocks of 0 bytes too, and fails where one has an address. */
static int take_block(void *context, void **ptr, size_t size, cudaStream_t stream) {
  factors *f = context;
  *ptr = NULL;
  if (!size) return 0;
  block *made = malloc(sizeof *made);
  ma_status status = made ? ma_cuda_scratch(f->stream, size, &made->buffer)
                          : ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a block of factors");
  ma_trace("mem", "cuDSS takes %zu bytes on stream %p of %p: %s", size, (void *)stream, (void *)f->stream->handle,
           status == MA_OK ? "given" : ma_message());
  if (status != MA_OK) {
    f->refused = true;
    free(made);
    return 1;
  }
  made->next = f->blocks;
  f->blocks = made;
  *ptr = made->buffer->ptr;
  return 0;
}

static int return_block(void *context, void *ptr, size_t size, cudaStream_t stream) {
  factors *f = context;
  (void)size, (void)stream;
  block **at = &f->blocks;
  while (*at && (*at)->buffer->ptr != ptr) at = &(*at)->next;
  if (!*at) return ptr != NULL;
  block *found = *at;
  *at = found->next;
  ma_buffer_release(found->buffer);
  free(found);
  return 0;
}

static ma_status fail(const factors *f, const char *call, int status) {
  static const char *const statuses[] = { "SUCCESS",       "NOT_INITIALIZED",  "ALLOC_FAILED",   "INVALID_VALUE",
                                          "NOT_SUPPORTED", "EXECUTION_FAILED", "INTERNAL_ERROR", "IR_FAILED" };
  const char *name = status > 0 && status < (int)(sizeof statuses / sizeof *statuses) ? statuses[status] : "unknown";
  bool memory = status == MA_CUDSS_STATUS_ALLOC_FAILED;
  if (f->refused) return ma_fail(MA_ERR_MEMORY, "%s, for factors by cuDSS", ma_message());
  return ma_fail(memory ? MA_ERR_MEMORY : MA_ERR_LIBRARY,
                 "cudss%s: CUDSS_STATUS_%s (%d)%s, a matrix of %" PRId64 " x %" PRId64 " with %" PRId64 " entries",
                 call, name, status, memory ? ": out of memory" : "", f->rows, f->rows, f->nnz);
}

#define CUDSS(f, name, ...)                           \
  do {                                                \
    int status_ = cudss.name(__VA_ARGS__);            \
    if (status_ != 0) return fail(f, #name, status_); \
  } while (0)

void ma_cuda_factors_free(ma_device *device, void *made, bool there) {
  factors *f = made;
  if (there && ma_cuda_enter(device) == MA_OK) {
    if (f->matrix) cudss.MatrixDestroy(f->matrix);
    if (f->data) cudss.DataDestroy(f->handle, f->data);
    if (f->config) cudss.ConfigDestroy(f->config);
    if (f->handle) cudss.Destroy(f->handle);
  }
  while (f->blocks) return_block(f, f->blocks->buffer->ptr, 0, NULL);
  free(f);
}

/* Runs a phase with vectors of `count` columns; their memory is NULL where the phase does not use it. */
static ma_status execute(factors *f, int phase, int64_t count, const void *b, void *x, int *status) {
  cudssMatrix_t from = NULL, to = NULL;
  int type = f->type, layout = MA_CUDSS_LAYOUT_COL_MAJOR;
  *status = cudss.MatrixCreateDn(&from, f->rows, count, f->rows, b, type, layout);
  if (*status == 0) *status = cudss.MatrixCreateDn(&to, f->rows, count, f->rows, x, type, layout);
  bool runs = *status == 0;
  if (runs) *status = cudss.Execute(f->handle, phase, f->config, f->data, f->matrix, to, from);
  if (from) cudss.MatrixDestroy(from);
  if (to) cudss.MatrixDestroy(to);
  return *status == 0 ? MA_OK : fail(f, runs ? "Execute" : "MatrixCreateDn", *status);
}

static ma_status prepare(factors *f, const ma_sparse *a) {
  const cudssDeviceMemHandler_t memory = { f, take_block, return_block, "moonarray" };
  const int matching = MA_CUDSS_MATCHING_ALG_AUTO;
  CUDSS(f, Create, &f->handle);
  CUDSS(f, SetStream, f->handle, ma_cuda_queue(f->stream));
  CUDSS(f, SetDeviceMemHandler, f->handle, &memory);
  CUDSS(f, ConfigCreate, &f->config);
  CUDSS(f, ConfigSet, f->config, MA_CUDSS_CONFIG_MATCHING_ALG, &matching, sizeof matching);
  CUDSS(f, DataCreate, f->handle, &f->data);
  CUDSS(f, MatrixCreateCsr, &f->matrix, f->rows, f->rows, f->nnz, a->indptr, NULL, a->indices, a->data, MA_CUDA_R_32I,
        MA_CUDA_R_32I, f->type, MA_CUDSS_MTYPE_GENERAL, MA_CUDSS_MVIEW_FULL, MA_CUDSS_BASE_ONE);
  return MA_OK;
}

/* *sound: whether these are the factors of the matrix itself. */
static ma_status factorise(factors *f, bool *sound) {
  int status, info = 0, changed = 0;
  size_t written;
  ma_status result = execute(f, MA_CUDSS_PHASE_ANALYSIS, 1, NULL, NULL, &status);
  if (result == MA_OK) result = execute(f, MA_CUDSS_PHASE_FACTORIZATION, 1, NULL, NULL, &status);
  *sound = false;
  if (status == MA_CUDSS_STATUS_NOT_SUPPORTED || status == MA_CUDSS_STATUS_EXECUTION_FAILED) {
    ma_trace("linalg", "%s; the CPU does it", ma_message());
    return MA_OK;
  }
  if (result != MA_OK) return result;
  CUDSS(f, DataGet, f->handle, f->data, MA_CUDSS_DATA_INFO, &info, sizeof info, &written);
  CUDSS(f, DataGet, f->handle, f->data, MA_CUDSS_DATA_NPIVOTS, &changed, sizeof changed, &written);
  *sound = info == 0 && changed == 0;
  if (!*sound) ma_trace("linalg", "cuDSS changed %d pivots, info %d; the CPU does it", changed, info);
  return MA_OK;
}

static int type_of(ma_dtype dtype) {
  return dtype == MA_FLOAT32     ? CUDA_R_32F
         : dtype == MA_FLOAT64   ? CUDA_R_64F
         : dtype == MA_COMPLEX64 ? CUDA_C_32F
                                 : CUDA_C_64F;
}

ma_status ma_cuda_factors_make(ma_stream *stream, const ma_sparse *a, void **made) {
  bool sound = false;
  *made = NULL;
  MA_TRY(need());
  if (a->index != MA_INT32) return MA_OK;
  MA_TRY(ma_cuda_enter(stream->device));
  factors *f = calloc(1, sizeof *f);
  if (!f) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for factors");
  *f = (factors){ .stream = stream, .type = type_of(a->dtype), .rows = a->rows, .nnz = a->nnz };
  ma_status status = prepare(f, a);
  if (status == MA_OK) status = factorise(f, &sound);
  if (status == MA_OK && sound) *made = f;
  else ma_cuda_factors_free(stream->device, f, true);
  return status;
}

ma_status ma_cuda_factors_solve(ma_stream *stream, void *made, int64_t count, const void *b, void *x) {
  factors *f = made;
  int status;
  MA_TRY(ma_cuda_enter(stream->device));
  for (block *k = f->blocks; k; k = k->next) MA_TRY(ma_buffer_use(k->buffer, stream, true));
  f->stream = stream;
  CUDSS(f, SetStream, f->handle, ma_cuda_queue(stream));
  return execute(f, MA_CUDSS_PHASE_SOLVE, count, b, x, &status);
}
