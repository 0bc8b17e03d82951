/*
** cudss.c: a pretended libcudss.so.1: dense elimination in host memory, with rows exchanged nowhere, and a pivot near 0
** replaced and counted, as cuDSS does where its blocks hold no other. It takes its memory from the handler that it is
** given, also blocks of 0 bytes, which must have no address, and refuses what breaks the order of calls.
** pretend_cudss_live counts what was made and not yet destroyed; after pretend_cudss_fail(n, status) the nth call from
** then on gives that status.
*/
#include "cuda/library/cudss.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define TINY 1e-13
enum { INVALID = 3 };

struct cudssContext {
  cudaStream_t stream;
  cudssDeviceMemHandler_t memory;
};
struct cudssConfig {
  int matching;
};
struct cudssMatrix {
  int64_t rows, columns, nnz;
  const int32_t *start, *indices; /* NULL: dense */
  void *values;
  int type;
};
struct cudssData {
  double complex *lu; /* of the handler's memory */
  size_t size;
  int64_t n;
  int phase, changed; /* the last phase that is done */
};

static int live, fails_in, fails_with;

static int call(void) { return fails_in > 0 && --fails_in == 0 ? fails_with : 0; }

EXPORT int pretend_cudss_live(void);
EXPORT int pretend_cudss_live(void) { return live; }
EXPORT void pretend_cudss_fail(int n, int status);
EXPORT void pretend_cudss_fail(int n, int status) {
  fails_in = n;
  fails_with = status;
}

#define FUNCTION(name, result, parameters) EXPORT result cudss##name parameters;
#include "cuda/library/cudss.def"

/* Makes an object unless the call is to fail. */
static void *make(int *status, size_t size) {
  *status = call();
  void *made = *status ? NULL : calloc(1, size);
  live += made != NULL;
  return made;
}

static int destroy(void *object) {
  if (!object) return INVALID;
  free(object);
  live--;
  return 0;
}

cudssStatus_t cudssGetProperty(libraryPropertyType property, int *value) {
  *value = property == 0;
  return 0;
}

cudssStatus_t cudssCreate(cudssHandle_t *handle) {
  int status;
  *handle = make(&status, sizeof **handle);
  return status;
}
cudssStatus_t cudssDestroy(cudssHandle_t handle) { return destroy(handle); }
cudssStatus_t cudssSetStream(cudssHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return call();
}
cudssStatus_t cudssSetDeviceMemHandler(cudssHandle_t handle, const cudssDeviceMemHandler_t *memory) {
  handle->memory = *memory;
  return call();
}

cudssStatus_t cudssConfigCreate(cudssConfig_t *config) {
  int status;
  *config = make(&status, sizeof **config);
  return status;
}
cudssStatus_t cudssConfigSet(cudssConfig_t config, cudssConfigParam_t what, const void *value, size_t size) {
  if (what != MA_CUDSS_CONFIG_MATCHING_ALG || size != sizeof config->matching) return INVALID;
  memcpy(&config->matching, value, size);
  return call();
}
cudssStatus_t cudssConfigDestroy(cudssConfig_t config) { return destroy(config); }

cudssStatus_t cudssDataCreate(cudssHandle_t handle, cudssData_t *data) {
  int status;
  (void)handle;
  *data = make(&status, sizeof **data);
  return status;
}
cudssStatus_t cudssDataDestroy(cudssHandle_t handle, cudssData_t data) {
  const cudssDeviceMemHandler_t *m = &handle->memory;
  if (data->lu && m->device_free(m->ctx, data->lu, data->size, handle->stream) != 0) return INVALID;
  return destroy(data);
}
cudssStatus_t cudssDataGet(cudssHandle_t handle, cudssData_t data, cudssDataParam_t what, void *value, size_t size,
                           size_t *written) {
  (void)handle;
  if (data->phase < MA_CUDSS_PHASE_FACTORIZATION || size != sizeof(int)) return INVALID;
  *(int *)value = what == MA_CUDSS_DATA_NPIVOTS ? data->changed : 0;
  *written = sizeof(int);
  return call();
}

cudssStatus_t cudssMatrixCreateCsr(cudssMatrix_t *matrix, int64_t rows, int64_t columns, int64_t nnz, const void *start,
                                   const void *end, const void *indices, const void *values, cudaDataType_t offset_type,
                                   cudaDataType_t index_type, cudaDataType_t value_type, cudssMatrixType_t kind,
                                   cudssMatrixViewType_t view, cudssIndexBase_t base) {
  int status;
  if (end || offset_type != MA_CUDA_R_32I || index_type != MA_CUDA_R_32I || kind != MA_CUDSS_MTYPE_GENERAL ||
      view != MA_CUDSS_MVIEW_FULL || base != MA_CUDSS_BASE_ONE)
    return INVALID;
  *matrix = make(&status, sizeof **matrix);
  if (*matrix)
    **matrix = (struct cudssMatrix){ rows, columns, nnz, start, indices, (void *)(uintptr_t)values, value_type };
  return status;
}
cudssStatus_t cudssMatrixCreateDn(cudssMatrix_t *matrix, int64_t rows, int64_t columns, int64_t ld, const void *values,
                                  cudaDataType_t type, cudssLayout_t layout) {
  int status;
  if (ld != rows || layout != MA_CUDSS_LAYOUT_COL_MAJOR) return INVALID;
  *matrix = make(&status, sizeof **matrix);
  if (*matrix) **matrix = (struct cudssMatrix){ rows, columns, 0, NULL, NULL, (void *)(uintptr_t)values, type };
  return status;
}
cudssStatus_t cudssMatrixDestroy(cudssMatrix_t matrix) { return destroy(matrix); }

/* ---- Phases ---- */

static double complex get(int type, const void *values, int64_t k) {
  switch (type) {
  case CUDA_R_32F: return ((const float *)values)[k];
  case CUDA_R_64F: return ((const double *)values)[k];
  case CUDA_C_32F: return ((const float complex *)values)[k];
  default: return ((const double complex *)values)[k];
  }
}

static void set(int type, void *values, int64_t k, double complex value) {
  switch (type) {
  case CUDA_R_32F: ((float *)values)[k] = (float)creal(value); break;
  case CUDA_R_64F: ((double *)values)[k] = creal(value); break;
  case CUDA_C_32F: ((float complex *)values)[k] = (float complex)value; break;
  default: ((double complex *)values)[k] = value;
  }
}

static int analyse(cudssHandle_t handle, cudssData_t data, cudssMatrix_t a) {
  const cudssDeviceMemHandler_t *m = &handle->memory;
  void *made;
  data->n = a->rows;
  data->size = (size_t)(a->rows * a->rows) * sizeof *data->lu;
  if (m->device_alloc(m->ctx, &made, 0, handle->stream) != 0 || made) return MA_CUDSS_STATUS_ALLOC_FAILED;
  if (m->device_alloc(m->ctx, &made, data->size, handle->stream) != 0) return MA_CUDSS_STATUS_ALLOC_FAILED;
  data->lu = made;
  return 0;
}

static int factorise(cudssData_t data, cudssMatrix_t a) {
  int64_t n = data->n;
  double complex *lu = data->lu;
  memset(lu, 0, data->size);
  data->changed = 0;
  for (int64_t i = 0; i < n; i++)
    for (int32_t k = a->start[i] - 1; k < a->start[i + 1] - 1; k++)
      lu[i * n + a->indices[k] - 1] += get(a->type, a->values, k);
  for (int64_t j = 0; j < n; j++) {
    if (cabs(lu[j * n + j]) < TINY) {
      lu[j * n + j] = TINY;
      data->changed++;
    }
    for (int64_t i = j + 1; i < n; i++) {
      if (lu[i * n + j] == 0) continue;
      lu[i * n + j] /= lu[j * n + j];
      for (int64_t k = j + 1; k < n; k++) lu[i * n + k] -= lu[i * n + j] * lu[j * n + k];
    }
  }
  return 0;
}

static int solve(cudssData_t data, cudssMatrix_t x, cudssMatrix_t b) {
  int64_t n = data->n;
  double complex *y = calloc((size_t)n, sizeof *y);
  if (!y || !x->values || !b->values) return INVALID;
  for (int64_t c = 0; c < x->columns; c++) {
    for (int64_t i = 0; i < n; i++) {
      y[i] = get(b->type, b->values, c * n + i);
      for (int64_t k = 0; k < i; k++) y[i] -= data->lu[i * n + k] * y[k];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
      for (int64_t k = i + 1; k < n; k++) y[i] -= data->lu[i * n + k] * y[k];
      y[i] /= data->lu[i * n + i];
      set(x->type, x->values, c * n + i, y[i]);
    }
  }
  free(y);
  return 0;
}

cudssStatus_t cudssExecute(cudssHandle_t handle, int phase, cudssConfig_t config, cudssData_t data, cudssMatrix_t a,
                           cudssMatrix_t x, cudssMatrix_t b) {
  int status = call();
  if (status) return status;
  if (config->matching != MA_CUDSS_MATCHING_ALG_AUTO || a->rows != x->rows || a->rows != b->rows ||
      x->columns != b->columns || x->type != a->type || b->type != a->type)
    return INVALID;
  switch (phase) {
  case MA_CUDSS_PHASE_ANALYSIS: status = analyse(handle, data, a); break;
  case MA_CUDSS_PHASE_FACTORIZATION:
    status = data->phase == MA_CUDSS_PHASE_ANALYSIS ? factorise(data, a) : INVALID;
    break;
  case MA_CUDSS_PHASE_SOLVE: status = data->phase >= MA_CUDSS_PHASE_FACTORIZATION ? solve(data, x, b) : INVALID; break;
  default: status = INVALID;
  }
  if (status == 0) data->phase = phase;
  return status;
}
