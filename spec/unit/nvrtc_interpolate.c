/* nvrtc_interpolate.c: compiles, without a GPU, the kernels of splines of several degrees and of grids, for the
** architectures that we promise. usage: nvrtc_interpolate, or nvrtc_interpolate print */
#include "backend/interpolate.h"
#include "cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  static const int archs[] = { 75, 80, 90, 100 }, kinds[][2] = { { 0, 0 }, { 3, 0 }, { 5, 0 }, { 0, 1 }, { 0, 3 } };
  bool print = argc > 1 && !strcmp(argv[1], "print");
  int count = (int)(sizeof kinds / sizeof *kinds);
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  for (int k = 0; k < count; k++) {
    char *text;
    ma_image image;
    if (ma_cuda_interpolate_source(kinds[k][0], kinds[k][1], &text) != MA_OK ||
        ma_cuda_compile(text, archs[k % 4], "interpolate", &image) != MA_OK) {
      fprintf(stderr, "%s\n", ma_message());
      return 1;
    }
    if (print) printf("%s\n", text);
    free(text);
    ma_image_free(&image);
  }
  printf("%d kernels compiled\n", count);
  return 0;
}
