/* libraries.c: what is found of BLAS, LAPACK, FFTW and NVIDIA's libraries resolves whole; what is not says how to get
** it. */
#include "ops/ops.h"
#include "cpu/library/library.h"
#include "cuda/cuda.h"

#include <stdio.h>
#include <string.h>

static int passed, failed;

static void check(const char *what, ma_status status, const char *file) {
  bool ok = status == MA_OK ? *file != '\0' : strstr(ma_message(), "found;") || strstr(ma_message(), "wanted");
  printf("%-10s %s\n", what, status == MA_OK ? file : ma_message());
  passed += ok;
  failed += !ok;
}

int main(void) {
  ma_cuda_need_driver(NULL); /* the others are of a version that it supports, where there is one */
#define LIBRARY(id, title)                                \
  {                                                       \
    ma_status status = ma_cpu_need(MA_CPU_##id);          \
    check(#id, status, ma_cpu_library_path(MA_CPU_##id)); \
  }
#include "cpu/library/symbols.def"
#define LIBRARY(id, title, wheel, after)                    \
  if (MA_CUDA_##id > MA_CUDA_nvrtc) {                       \
    ma_status status = ma_cuda_need(MA_CUDA_##id);          \
    check(#id, status, ma_cuda_library_path(MA_CUDA_##id)); \
  }
#include "cuda/driver/symbols.def"
  if (ma_cpu_need(MA_CPU_blas) == MA_OK) {
    const ma_blas_int n = 2;
    const double one = 1, zero = 0, a[4] = { 1, 2, 3, 4 };
    double c[4] = { 0 };
    ma_cl.dgemm("N", "T", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n, 1, 1);
    bool ok = c[0] == 10 && c[1] == 14 && c[2] == 14 && c[3] == 20;
    passed += ok;
    failed += !ok;
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
