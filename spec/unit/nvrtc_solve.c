/*
** nvrtc_solve.c: compiles, without a GPU, the kernels of small systems for every dtype and size, for the architectures that we promise.
** usage: nvrtc_solve, or nvrtc_solve print
*/
#include "../../src/cuda/solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
  static const ma_dtype dtypes[] = { MA_FLOAT32, MA_FLOAT64, MA_COMPLEX64, MA_COMPLEX128 };
  static const int rows[] = { 3, 8, 13, 32 }, archs[] = { 75, 80, 90, 100 };
  int ncompiled = 0;
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: %s\n", ma_message());
    return 0;
  }
  for (int t = 0; t < 4; t++)
    for (int n = 0; n < 4; n++) {
      char *text;
      ma_image image;
      if (ma_cuda_solve_source(dtypes[t], rows[n], &text) != MA_OK || ma_cuda_compile(text, archs[(t + n) % 4], "solve", &image) != MA_OK) {
        fprintf(stderr, "%s\n", ma_message());
        return 1;
      }
      if (argc > 1 && !strcmp(argv[1], "print"))
        printf("%s\n", text);
      free(text);
      ma_image_free(&image);
      ncompiled++;
    }
  printf("%d kernels compiled\n", ncompiled);
  return 0;
}
