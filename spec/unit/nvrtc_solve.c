/*
** nvrtc_solve.c: compiles, without a GPU, the kernels of linear algebra: small systems of every dtype and size, and
** what stands around the libraries' calls, for the architectures that we promise. usage: nvrtc_solve, or nvrtc_solve
** print
*/
#include "cuda/library/solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ncompiled;
static bool print;

static void compile(char *text, const char *name) {
  static const int archs[] = { 75, 80, 90, 100 };
  ma_image image;
  if (print) printf("%s\n", text);
  if (ma_cuda_compile(text, archs[(ncompiled + ncompiled / 4) % 4], name, &image) != MA_OK) {
    fprintf(stderr, "%s\n", ma_message());
    exit(1);
  }
  free(text);
  ma_image_free(&image);
  ncompiled++;
}

int main(int argc, char **argv) {
  static const ma_dtype dtypes[] = { MA_FLOAT32, MA_FLOAT64, MA_COMPLEX64, MA_COMPLEX128 };
  static const int rows[] = { 3, 8, 13, 32 };
  static const ma_cuda_family *const families[] = { &ma_cuda_order_rows, &ma_cuda_move_rows, &ma_cuda_probe };
  print = argc > 1 && !strcmp(argv[1], "print");
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  for (int f = 0; f < 3; f++)
    for (uint8_t size = 4; size <= 16; size = (uint8_t)(2 * size)) {
      ma_ctext text = { 0 };
      ma_cuda_print(&text, families[f], &size);
      compile(text.bytes, families[f]->name);
    }
  for (int t = 0; t < 4; t++) {
    uint8_t dtype = (uint8_t)dtypes[t];
    ma_ctext jacobi = { 0 };
    ma_cuda_print(&jacobi, &ma_cuda_jacobi, &dtype);
    compile(jacobi.bytes, "jacobi");
    for (int n = 0; n < 4; n++) {
      char *text;
      if (ma_cuda_solve_source(dtypes[t], rows[n], &text) != MA_OK) {
        fprintf(stderr, "%s\n", ma_message());
        return 1;
      }
      compile(text, "solve");
      if (ma_cuda_cholesky_source(dtypes[t], rows[n], &text) != MA_OK) {
        fprintf(stderr, "%s\n", ma_message());
        return 1;
      }
      compile(text, "cholesky");
    }
  }
  printf("%d kernels compiled\n", ncompiled);
  return 0;
}
