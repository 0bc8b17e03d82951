/*
** nvrtc_product.c: compiles, without a GPU, the kernels of small products and small copies for the architectures that
** we promise. usage: nvrtc_product, or nvrtc_product print
*/
#include "ops/ops.h"
#include "cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  static const int archs[] = { 75, 80, 90, 100 };
  int ncompiled = 0;
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  for (int k = 0; k < 4; k++)
    for (int which = 0; which < 3; which++) {
      char *text;
      ma_image image;
      ma_status status = which == 2 ? ma_cuda_peek_source(&text)
                                    : ma_cuda_product_source(which ? MA_FLOAT64 : MA_FLOAT32, &text);
      if (status != MA_OK || ma_cuda_compile(text, archs[k], "product", &image) != MA_OK) {
        fprintf(stderr, "%s\n", ma_message());
        return 1;
      }
      if (argc > 1 && !strcmp(argv[1], "print")) printf("%s\n", text);
      free(text);
      ma_image_free(&image);
      ncompiled++;
    }
  printf("%d kernels compiled\n", ncompiled);
  return 0;
}
