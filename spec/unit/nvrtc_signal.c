/*
** nvrtc_signal.c: compiles, without a GPU, the kernels of signals: weights, recursive filters of several orders and
** sections, peaks, transforms, for the architectures that we promise. usage: nvrtc_signal, or nvrtc_signal print
*/
#include "backend/signal.h"
#include "cuda/cuda.h"
#include "cuda/kernels/fourier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOURIER 100

static int ncompiled;
static bool print;

static int compile(int which, ma_dtype dtype, int order, int sections, bool small) {
  static const int archs[] = { 75, 80, 90, 100, 120 };
  char *text;
  ma_image image;
  ma_status status = which == FOURIER ? ma_cuda_fourier_source(dtype, &text)
                                      : ma_cuda_signal_source(which, dtype, order, sections, small, &text);
  if (status != MA_OK || ma_cuda_compile(text, archs[ncompiled % 5], "signal", &image) != MA_OK) {
    fprintf(stderr, "%s\n", ma_message());
    return 1;
  }
  if (print) printf("%s\n", text);
  free(text);
  ma_image_free(&image);
  ncompiled++;
  return 0;
}

int main(int argc, char **argv) {
  static const ma_dtype dtypes[] = { MA_FLOAT32, MA_FLOAT64, MA_COMPLEX64, MA_COMPLEX128 };
  int failed = 0;
  print = argc > 1 && !strcmp(argv[1], "print");
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  failed += compile(0, MA_INT64, 0, 0, false) + compile(3, MA_FLOAT64, 0, 0, false);
  for (int k = 0; k < 4 && !failed; k++) {
    failed += compile(0, dtypes[k], 0, 0, false) + compile(2, dtypes[k], 40, 0, false);
    failed += compile(1, dtypes[k], 4, 0, k % 2) + compile(1, dtypes[k], 16, 8, false) +
              compile(1, dtypes[k], 1, 0, false);
  }
  for (int k = 0; k < 10 && !failed; k++) failed += compile(FOURIER, dtypes[2 + k / 5], 0, 0, false);
  if (failed) return 1;
  printf("%d kernels compiled\n", ncompiled);
  return 0;
}
