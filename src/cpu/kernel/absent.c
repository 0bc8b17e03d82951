/* absent.c: functions and headers of CUDA that the CPU has only in part or not at all, by name. */
#include "cpu/kernel/absent.h"

#include <string.h>

/* A name that ends with * matches every name with that beginning. */
bool ma_cpu_name_matches(const ma_token *token, const char *name) {
  size_t n = strlen(name);
  return name[n - 1] == '*' ? token->size >= n - 1 && !memcmp(token->start, name, n - 1) : ma_token_is(token, name);
}

static const struct {
  const char *name, *what;
} unavailable[] = {
  { "asm", "inline PTX" },
  { "__asm__", "inline PTX" },
  { "__asm", "inline PTX" },
  { "wmma", "tensor cores" },
  { "mma_sync", "tensor cores" },
  { "load_matrix_sync", "tensor cores" },
  { "store_matrix_sync", "tensor cores" },
  { "tex1DLayered*", "layers of textures" },
  { "tex2DLayered*", "layers of textures" },
  { "texCubemap*", "cube maps" },
  { "tex1DLod*", "mipmaps" },
  { "tex2DLod*", "mipmaps" },
  { "tex3DLod*", "mipmaps" },
  { "tex1DGrad*", "mipmaps" },
  { "tex2DGrad*", "mipmaps" },
  { "tex3DGrad*", "mipmaps" },
  { "tex2Dgather*", "gathers of textures" },
  { "surf1DLayered*", "layers of surfaces" },
  { "surf2DLayered*", "layers of surfaces" },
  { "surfCubemap*", "cube maps" },
  { "__activemask", "which lanes run together is known to the hardware alone; pass a mask" },
  { "this_grid", "blocks that wait for each other" },
  { "grid_group", "blocks that wait for each other" },
  { "this_cluster", "clusters" },
  { "cluster_group", "clusters" },
  { "__cluster_dims__", "clusters" },
  { "cooperative_groups", "cooperative groups" },
  { "__shfl", "implicit warp synchrony; __shfl_sync takes a mask" },
  { "__shfl_up", "implicit warp synchrony; __shfl_up_sync takes a mask" },
  { "__shfl_down", "implicit warp synchrony; __shfl_down_sync takes a mask" },
  { "__shfl_xor", "implicit warp synchrony; __shfl_xor_sync takes a mask" },
  { "__any", "implicit warp synchrony; __any_sync takes a mask" },
  { "__all", "implicit warp synchrony; __all_sync takes a mask" },
  { "__ballot", "implicit warp synchrony; __ballot_sync takes a mask" },
};

const char *ma_cpu_absent(const ma_token *token) {
  for (size_t i = 0; i < sizeof unavailable / sizeof *unavailable; i++)
    if (ma_cpu_name_matches(token, unavailable[i].name)) return unavailable[i].what;
  return NULL;
}

/* ==== Headers ==================================================================================================== */

/* kernels/cpu/cpu_cuda.h and its families have the contents of these headers. */
static const char *const satisfied[] = {
  "cuda.h",
  "cuda_runtime.h",
  "cuda_runtime_api.h",
  "device_launch_parameters.h",
  "device_functions.h",
  "device_atomic_functions.h",
  "math_functions.h",
  "math_constants.h",
  "vector_types.h",
  "vector_functions.h",
  "driver_types.h",
  "host_defines.h",
  "builtin_types.h",
  "device_types.h",
  "crt/*",
  "sm_*",
  "assert.h",
  "cassert",
  "nvrtc.h",
  "channel_descriptor.h",
};

#define NO_OTHER "a kernel without it, or a GPU"
#define HALF                                                                                                           \
  "float in its place; float16 and bfloat16 arrays are read and written by an ElementwiseKernel, whose types float16 " \
  "and bfloat16 compute as float"
#define COMPLEX "#include <cupy/complex.cuh>, which has complex<float> and complex<double> on both devices"
static const struct {
  const char *name, *instead;
} missing[] = {
  { "cuda_fp16.h", HALF },
  { "cuda_fp16.hpp", HALF },
  { "cuda_bf16.h", HALF },
  { "cuda_bf16.hpp", HALF },
  { "cuda_fp8.h", NO_OTHER },
  { "mma.h", NO_OTHER },
  { "cooperative_groups.h", "__syncthreads, __syncwarp and the functions that end in _sync, or a GPU" },
  { "cooperative_groups/*", NO_OTHER },
  { "curand_kernel.h", "random numbers from ma.random as an argument, or a GPU" },
  { "cuComplex.h", COMPLEX },
  { "cub/*", NO_OTHER },
  { "thrust/complex.h", COMPLEX },
  { "thrust/*", NO_OTHER },
  { "cuda/*", "a standard header of C++, such as <cstdint> or <limits>, or a GPU" },
  { "cupy/*", NO_OTHER },
  { "cuda_pipeline.h", NO_OTHER },
  { "texture_fetch_functions.h", NO_OTHER },
  { "surface_functions.h", NO_OTHER },
};

static bool header_matches(const char *name, const char *pattern) {
  ma_token token = { MA_TOKEN_NAME, name, strlen(name), 0 };
  return ma_cpu_name_matches(&token, pattern);
}

bool ma_cpu_header_is_here(const char *name) {
  for (size_t i = 0; i < sizeof satisfied / sizeof *satisfied; i++)
    if (header_matches(name, satisfied[i])) return true;
  return false;
}

const char *ma_cpu_header_absent(const char *name) {
  for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
    if (header_matches(name, missing[i].name)) return missing[i].instead;
  return NULL;
}
