/*
** cuda_headers.c: where a CUDA toolkit is installed, the compiler holds every line of src/cuda/driver/symbols.def, and
** of src/cuda/library/cudss.def, against NVIDIA's own headers: prototypes by type, constants by value.
*/
#include <stddef.h>
#include <stdio.h>

/* The Makefile adds the toolkit's folder to those that the compiler looks in. A toolkit may be installed without some
** of the libraries' headers, or of those that they include: each library is compared where its own are whole. */
#if __has_include(<cuda.h>) && __has_include(<cudaProfiler.h>)
#define FOUND 1
#include <cuda.h>
#include <cudaProfiler.h>
#define CHECK_driver CHECK
#define VALUE_driver VALUE
#if __has_include(<cudaGL.h>) && __has_include(<GL/gl.h>)
#include <cudaGL.h>
#else /* cudaGL.h includes OpenGL's header; without one the two prototypes are repeated */
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *resource, unsigned id, unsigned flags);
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *resource, unsigned id, unsigned target, unsigned flags);
#endif
#endif

#if defined(FOUND) && __has_include(<nvrtc.h>)
#include <nvrtc.h>
#define CHECK_nvrtc CHECK
#define VALUE_nvrtc VALUE
#define NVRTC "NVRTC "
_Static_assert(sizeof(nvrtcResult) == sizeof(int), "src/cuda/cuda.h has this enum as int");
#else
#define CHECK_nvrtc IGNORE
#define VALUE_nvrtc IGNORE
#define NVRTC ""
#endif

#if defined(FOUND) && __has_include(<cublas_v2.h>) && __has_include(<cublas_api.h>) && \
    __has_include(<driver_types.h>) && \
    __has_include(<cuComplex.h>) && __has_include(<cuda_fp16.h>) && __has_include(<cuda_bf16.h>) && \
    __has_include(<library_types.h>) && __has_include(<vector_types.h>)
#include <cublas_v2.h>
#define CHECK_cublas CHECK
#define VALUE_cublas VALUE
#define CUBLAS "cuBLAS "
#else
#define CHECK_cublas IGNORE
#define VALUE_cublas IGNORE
#define CUBLAS ""
#endif

#if defined(FOUND) && __has_include(<cusolverDn.h>) && __has_include(<cusolver_common.h>) && \
    __has_include(<cublas_v2.h>) && \
    __has_include(<driver_types.h>) && __has_include(<library_types.h>) && __has_include(<cuda_fp16.h>) && \
    __has_include(<cuda_bf16.h>)
#include <cusolverDn.h>
#define CHECK_cusolver CHECK
#define VALUE_cusolver VALUE
#define CUSOLVER "cuSOLVER "
#else
#define CHECK_cusolver IGNORE
#define VALUE_cusolver IGNORE
#define CUSOLVER ""
#endif

/* These two include the runtime's header. */
#if defined(FOUND) && __has_include(<cufft.h>) && __has_include(<cufftXt.h>) && __has_include(<cudalibxt.h>) && \
    __has_include(<cuda_runtime.h>)
#include <cufft.h>
#include <cufftXt.h>
#define CHECK_cufft CHECK
#define VALUE_cufft VALUE
#define CUFFT "cuFFT "
#else
#define CHECK_cufft IGNORE
#define VALUE_cufft IGNORE
#define CUFFT ""
#endif

#if defined(FOUND) && __has_include(<curand.h>) && __has_include(<cuda_runtime.h>)
#include <curand.h>
#define CHECK_curand CHECK
#define VALUE_curand VALUE
#define CURAND "cuRAND "
#else
#define CHECK_curand IGNORE
#define VALUE_curand IGNORE
#define CURAND ""
#endif

/* cuDSS comes by itself. Its prototypes are those of 1.0 on. */
#if defined(FOUND) && __has_include(<cudss.h>) && __has_include(<cuda_runtime.h>)
#include <cudss.h>
#define CUDSS "cuDSS "
#if CUDSS_VERSION_MAJOR >= 1
#define FUNCTION(name, result, parameters)                                                     \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&cudss##name), result(*) parameters), \
                 "cudss.def: cudss" #name " has another prototype");
#endif
#define CONSTANT(name, value) _Static_assert(name == value, "cudss.def: " #name " has another value");
#include "cuda/library/cudss.def"
_Static_assert(sizeof(cudssDeviceMemHandler_t) == 88 && offsetof(cudssDeviceMemHandler_t, name) == 24, "cudss.h");
#else
#define CUDSS ""
#endif

#ifdef FOUND
#define IGNORE(...)
#define CHECK(exported, result, parameters)                                                 \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&exported), result(*) parameters), \
                 "symbols.def: " #exported " has another prototype");
#define VALUE(name, value) _Static_assert(name == value, "symbols.def: " #name " has another value");
#define SYMBOL(library, name, exported, result, parameters) CHECK_##library(exported, result, parameters)
#if CUDA_VERSION < 12080
#define OPTIONAL(library, name, exported, result, parameters)
#endif
#define CONSTANT(library, name, value) VALUE_##library(name, value)
#include "cuda/driver/symbols.def"
_Static_assert(sizeof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC) == 104 &&
                 offsetof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, handle) == 8 &&
                 offsetof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, size) == 24 &&
                 offsetof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, flags) == 32,
               "cuda.h: CUDA_EXTERNAL_MEMORY_HANDLE_DESC");
_Static_assert(sizeof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC) == 88 &&
                 offsetof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC, flags) == 16,
               "cuda.h: CUDA_EXTERNAL_MEMORY_BUFFER_DESC");
_Static_assert(sizeof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) == 96 &&
                 offsetof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, handle) == 8 &&
                 offsetof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, flags) == 24,
               "cuda.h: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC");
_Static_assert(sizeof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS) == 144 &&
                 offsetof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, flags) == 72 &&
                 sizeof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS) == 144 &&
                 offsetof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, flags) == 72,
               "cuda.h: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS");
_Static_assert(sizeof(CUDA_MEMCPY2D) == 128 && offsetof(CUDA_MEMCPY2D, srcPitch) == 48 &&
                 offsetof(CUDA_MEMCPY2D, WidthInBytes) == 112,
               "cuda.h: CUDA_MEMCPY2D");
_Static_assert(sizeof(CUDA_ARRAY3D_DESCRIPTOR) == 40 && offsetof(CUDA_ARRAY3D_DESCRIPTOR, Flags) == 32,
               "cuda.h: CUDA_ARRAY3D_DESCRIPTOR");
_Static_assert(sizeof(CUDA_MEMCPY3D) == 200 && offsetof(CUDA_MEMCPY3D, srcPitch) == 72 &&
                 offsetof(CUDA_MEMCPY3D, dstArray) == 144 && offsetof(CUDA_MEMCPY3D, WidthInBytes) == 176,
               "cuda.h: CUDA_MEMCPY3D");
_Static_assert(sizeof(CUDA_RESOURCE_DESC) == 144 && offsetof(CUDA_RESOURCE_DESC, res.linear.sizeInBytes) == 24 &&
                 offsetof(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes) == 40 &&
                 offsetof(CUDA_RESOURCE_DESC, flags) == 136,
               "cuda.h: CUDA_RESOURCE_DESC");
_Static_assert(sizeof(CUDA_TEXTURE_DESC) == 104 && offsetof(CUDA_TEXTURE_DESC, borderColor) == 40,
               "cuda.h: CUDA_TEXTURE_DESC");
#if CUDA_VERSION >= 12000 /* as cuGraphAddKernelNode_v2 takes it */
_Static_assert(sizeof(CUDA_KERNEL_NODE_PARAMS) == 72 && offsetof(CUDA_KERNEL_NODE_PARAMS, sharedMemBytes) == 32 &&
                 offsetof(CUDA_KERNEL_NODE_PARAMS, kernelParams) == 40 && offsetof(CUDA_KERNEL_NODE_PARAMS, ctx) == 64,
               "collect.h: CUDA_KERNEL_NODE_PARAMS");
#endif
_Static_assert(sizeof(CUmemPoolProps) == 88 && offsetof(CUmemPoolProps, location) == 8 &&
                 offsetof(CUmemPoolProps, maxSize) == 24,
               "cuda.h: CUmemPoolProps");
_Static_assert(sizeof(CUmemAccessDesc) == 12 && offsetof(CUmemAccessDesc, flags) == 8, "cuda.h: CUmemAccessDesc");
_Static_assert(sizeof(CUDA_ARRAY_DESCRIPTOR) == 24 && offsetof(CUDA_ARRAY_DESCRIPTOR, NumChannels) == 20,
               "cuda.h: CUDA_ARRAY_DESCRIPTOR");
#define ATTRIBUTE(name, driver, value) _Static_assert(driver == value, "attributes.def: " #driver " has another value");
#include "cuda/driver/attributes.def"
/* src/cuda/cuda.h has these enums as int and this pointer as an integer. */
_Static_assert(sizeof(CUresult) == sizeof(int) && sizeof(CUdevice_attribute) == sizeof(int), "enums are ints");
_Static_assert(__builtin_types_compatible_p(CUdeviceptr, unsigned long long) &&
                 __builtin_types_compatible_p(CUdevice, int),
               "integers");
#endif

int main(void) {
#ifdef FOUND
  printf("symbols.def agrees with CUDA %d.%d: driver " NVRTC CUBLAS CUSOLVER CUFFT CURAND CUDSS "\n",
         CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
#else
  printf("skipped: no headers of a GPU's toolkit here\n");
#endif
  return 0;
}
