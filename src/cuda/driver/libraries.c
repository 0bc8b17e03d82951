/* libraries.c: NVIDIA's libraries for show_config. */
#include "cuda/cuda.h"

#include "backend/libraries.h"
#include "cuda/library/cudss.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* property: (0 major, 1 minor, 2 patch; result). */
static const struct {
  ma_cuda_library which;
  const char *title, *property;
} rows[] = {
  { MA_CUDA_nvrtc, "NVRTC", NULL },
  { MA_CUDA_cublas, "cuBLAS", "cublasGetProperty" },
  { MA_CUDA_cusolver, "cuSOLVER", "cusolverGetProperty" },
  { MA_CUDA_cufft, "cuFFT", "cufftGetProperty" },
  { MA_CUDA_curand, "cuRAND", "curandGetProperty" },
};

static void say_version(const char *path, const char *name, char *text, size_t size) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  int (*property)(int, int *) = handle ? (int (*)(int, int *))dlsym(handle, name) : NULL;
  int part[3] = { 0 };
  for (int i = 0; property && i < 3; i++)
    if (property(i, &part[i]) != 0) property = NULL;
  if (property) snprintf(text, size, "%d.%d.%d", part[0], part[1], part[2]);
}

bool ma_cuda_info_library(int k, ma_library_look *look) {
  static bool (*const others[])(ma_library_look *) = { ma_cuda_cudss_look, ma_cuda_nccl_look };
  const int n = sizeof rows / sizeof *rows, nothers = sizeof others / sizeof *others;
  if (k >= n + nothers) return false;
  memset(look, 0, sizeof *look);
  if (k >= n) return others[k - n](look);
  ma_cuda_library which = rows[k].which;
  look->title = rows[k].title;
  look->found = ma_cuda_open(which) == MA_OK;
  if (!look->found) {
    snprintf(look->why, sizeof look->why, "%s", ma_message());
    return true;
  }
  snprintf(look->path, sizeof look->path, "%s", ma_cuda_library_path(which));
  if (rows[k].property) say_version(look->path, rows[k].property, look->version, sizeof look->version);
  else
    snprintf(look->version, sizeof look->version, "%d.%d", ma_cuda_nvrtc_version() / 1000,
             ma_cuda_nvrtc_version() % 1000 / 10);
  return true;
}
