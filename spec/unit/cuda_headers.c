/*
** cuda_headers.c: where a CUDA toolkit is installed, the compiler holds every line of src/cuda/symbols.def against NVIDIA's own
** headers: prototypes by type, constants by value.
*/
#include <stddef.h>
#include <stdio.h>

/* A toolkit may be installed without some of the libraries' headers. */
#if __has_include(<cuda.h>) && __has_include(<cuda_runtime.h>) && __has_include(<nvrtc.h>) && __has_include(<cudaProfiler.h>) && __has_include(<cufft.h>) && \
    __has_include(<cublas_v2.h>) && __has_include(<cuda_fp16.h>) && __has_include(<cusolverDn.h>) && __has_include(<curand.h>)
#include <cuda.h>
#include <cudaProfiler.h>
#include <nvrtc.h>
#include <cufft.h>
#include <cufftXt.h>
#include <cublas_v2.h>
#include <cusolverDn.h>
#include <curand.h>
#define FOUND 1
#elif __has_include("/usr/local/cuda/include/cuda.h") && __has_include("/usr/local/cuda/include/cuda_runtime.h") && \
    __has_include("/usr/local/cuda/include/nvrtc.h") && \
    __has_include("/usr/local/cuda/include/cudaProfiler.h") && __has_include("/usr/local/cuda/include/cufft.h") && \
    __has_include("/usr/local/cuda/include/cublas_v2.h") && __has_include("/usr/local/cuda/include/cuda_fp16.h") && \
    __has_include("/usr/local/cuda/include/cusolverDn.h") && \
    __has_include("/usr/local/cuda/include/curand.h")
#include "/usr/local/cuda/include/cuda.h"
#include "/usr/local/cuda/include/cudaProfiler.h"
#include "/usr/local/cuda/include/nvrtc.h"
#include "/usr/local/cuda/include/cufft.h"
#include "/usr/local/cuda/include/cufftXt.h"
#include "/usr/local/cuda/include/cublas_v2.h"
#include "/usr/local/cuda/include/cusolverDn.h"
#include "/usr/local/cuda/include/curand.h"
#define FOUND 1
#endif

/* cudaGL.h includes OpenGL's header; without one the two prototypes are repeated. */
#ifdef FOUND
#if __has_include(<cudaGL.h>) && __has_include(<GL/gl.h>)
#include <cudaGL.h>
#elif __has_include("/usr/local/cuda/include/cudaGL.h") && __has_include(<GL/gl.h>)
#include "/usr/local/cuda/include/cudaGL.h"
#else
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *resource, unsigned id, unsigned flags);
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *resource, unsigned id, unsigned target, unsigned flags);
#endif
#endif

#ifdef FOUND
#define SYMBOL(library, name, exported, result, parameters) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&exported), result (*) parameters), "symbols.def: " #exported " has another prototype");
#if CUDA_VERSION < 12080
#define OPTIONAL(library, name, exported, result, parameters)
#endif
#define CONSTANT(name, value) _Static_assert(name == value, "symbols.def: " #name " has another value");
#include "../../src/cuda/symbols.def"
_Static_assert(sizeof(CUDA_MEMCPY2D) == 128 && offsetof(CUDA_MEMCPY2D, srcPitch) == 48 && offsetof(CUDA_MEMCPY2D, WidthInBytes) == 112, "cuda.h: CUDA_MEMCPY2D");
_Static_assert(sizeof(CUmemPoolProps) == 88 && offsetof(CUmemPoolProps, location) == 8 && offsetof(CUmemPoolProps, maxSize) == 24, "cuda.h: CUmemPoolProps");
_Static_assert(sizeof(CUmemAccessDesc) == 12 && offsetof(CUmemAccessDesc, flags) == 8, "cuda.h: CUmemAccessDesc");
_Static_assert(sizeof(CUDA_ARRAY_DESCRIPTOR) == 24 && offsetof(CUDA_ARRAY_DESCRIPTOR, NumChannels) == 20, "cuda.h: CUDA_ARRAY_DESCRIPTOR");
#define ATTRIBUTE(name, driver, value) _Static_assert(driver == value, "attributes.def: " #driver " has another value");
#include "../../src/cuda/attributes.def"
/* src/cuda/cuda.h has these enums as int and this pointer as an integer. */
_Static_assert(sizeof(CUresult) == sizeof(int) && sizeof(CUdevice_attribute) == sizeof(int) && sizeof(nvrtcResult) == sizeof(int), "enums are ints");
_Static_assert(__builtin_types_compatible_p(CUdeviceptr, unsigned long long) && __builtin_types_compatible_p(CUdevice, int), "integers");
#endif

int main(void) {
#ifdef FOUND
  printf("symbols.def agrees with CUDA %d.%d\n", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
#else
  printf("skipped: not all of CUDA's headers are here\n");
#endif
  return 0;
}
