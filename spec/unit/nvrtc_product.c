/*
** nvrtc_product.c: compiles, without a GPU, the kernels of products and of small copies for the architectures that we
** promise. usage: nvrtc_product, or nvrtc_product print, or nvrtc_product tiles DTYPE FORM: prints one text of tiles
*/
#include "ops/ops.h"
#include "cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ncompiled;
static bool prints;

static void compile(char *text, ma_status status) {
  static const int archs[] = { 75, 80, 90, 100, 120 };
  for (int k = 0; k < 5; k++) {
    ma_image image;
    if (status == MA_OK) status = ma_cuda_compile(text, archs[k], "product", &image);
    if (status != MA_OK) {
      fprintf(stderr, "%s\n", ma_message());
      exit(1);
    }
    ma_image_free(&image);
    ncompiled++;
  }
  if (prints) printf("%s\n", text);
  free(text);
}

/* Those of float32, float64 and int64, and one form of each other dtype. */
static void compile_tiles(void) {
  static const ma_dtype all[] = { MA_FLOAT32, MA_FLOAT64, MA_INT64 },
                        others[] = { MA_FLOAT16, MA_BFLOAT16, MA_COMPLEX64, MA_COMPLEX128, MA_INT32 };
  char *text = NULL;
  for (int d = 0; d < 3; d++)
    for (int which = 0;; which++) {
      ma_status status = ma_cuda_tiles_source(all[d], which, &text);
      if (!text) break;
      compile(text, status);
    }
  for (int d = 0; d < 5; d++) {
    ma_status status = ma_cuda_tiles_source(others[d], d, &text);
    compile(text, status);
  }
}

int main(int argc, char **argv) {
  char *text = NULL;
  if (argc == 4) {
    if (ma_cuda_tiles_source((ma_dtype)atoi(argv[2]), atoi(argv[3]), &text) == MA_OK && text) printf("%s\n", text);
    free(text);
    return 0;
  }
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  prints = argc > 1 && !strcmp(argv[1], "print");
  for (int which = 0; which < 3; which++) {
    ma_status status = which == 2 ? ma_cuda_peek_source(&text)
                                  : ma_cuda_product_source(which ? MA_FLOAT64 : MA_FLOAT32, &text);
    compile(text, status);
  }
  compile_tiles();
  printf("%d kernels compiled\n", ncompiled);
  return 0;
}
