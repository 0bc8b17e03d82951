/* cudss.h: factors of sparse matrices by cuDSS, and the declarations of its header. */
#ifndef MOONARRAY_CUDA_CUDSS_H
#define MOONARRAY_CUDA_CUDSS_H

#include "backend/sparse.h"
#include "cuda/cuda.h"

#pragma GCC visibility push(hidden)

typedef int cudssStatus_t, cudssConfigParam_t, cudssDataParam_t, cudssMatrixType_t, cudssMatrixViewType_t,
  cudssIndexBase_t, cudssLayout_t, libraryPropertyType, cudaDataType_t; /* enums in NVIDIA's headers */
typedef struct cudssContext *cudssHandle_t;
typedef struct cudssMatrix *cudssMatrix_t;
typedef struct cudssData *cudssData_t;
typedef struct cudssConfig *cudssConfig_t;
typedef CUstream cudaStream_t;
typedef struct cudssDeviceMemHandler_t {
  void *ctx;
  int (*device_alloc)(void *ctx, void **ptr, size_t size, cudaStream_t stream);
  int (*device_free)(void *ctx, void *ptr, size_t size, cudaStream_t stream);
  char name[64];
} cudssDeviceMemHandler_t;

enum {
#define CONSTANT(name, value) MA_##name = (value),
#include "cuda/library/cudss.def"
};

bool ma_cuda_cudss_look(struct ma_library_look *look); /* returns true */

#pragma GCC visibility pop
#endif
