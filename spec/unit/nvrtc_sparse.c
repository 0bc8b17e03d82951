/* nvrtc_sparse.c: compiles, without a GPU, the kernels of sparse matrices for every dtype and both index dtypes, for
** the architectures that we promise. usage: nvrtc_sparse, or nvrtc_sparse print */
#include "cuda/sparse/sparse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ncompiled;
static bool print;

static void check(ma_status status) {
  if (status == MA_OK) return;
  fprintf(stderr, "%s\n", ma_message());
  exit(1);
}

static void compile(char *text, const char *name) {
  static const int archs[] = { 75, 80, 90, 100 };
  ma_image image;
  if (print) printf("%s\n", text);
  check(ma_cuda_compile(text, archs[ncompiled % 4], name, &image));
  free(text);
  ma_image_free(&image);
  ncompiled++;
}

int main(int argc, char **argv) {
  static const ma_dtype dtypes[] = { MA_BOOL,    MA_INT8,    MA_UINT16,    MA_INT64,
                                     MA_FLOAT32, MA_FLOAT64, MA_COMPLEX64, MA_COMPLEX128 };
  print = argc > 1 && !strcmp(argv[1], "print");
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
    for (int way = 0; way < 5; way++) {
      char *text;
      check(
        ma_cuda_sparse_product_source(dtypes[k], (k + (size_t)way) % 2 ? MA_INT32 : MA_INT64, way / 2, way % 2, &text));
      compile(text, "product");
    }
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
    char *text;
    check(ma_cuda_sparse_order_source(dtypes[k], k % 2 ? MA_INT32 : MA_INT64, k % 3 == 0, &text));
    compile(text, "order");
    check(ma_cuda_sparse_multiply_source(dtypes[k], k % 2 ? MA_INT32 : MA_INT64, k % 3 != 0, &text));
    compile(text, "multiply");
    check(ma_cuda_sparse_short_source(dtypes[k], k % 2 ? MA_INT32 : MA_INT64, &text));
    compile(text, "short");
    check(ma_cuda_sparse_combine_source(k % 3 ? MA_OP_multiply : MA_OP_not_equal, dtypes[k],
                                        k % 2 ? MA_INT32 : MA_INT64, k % 3 ? dtypes[k] : MA_BOOL, &text));
    compile(text, "combine");
    if (dtypes[k] < MA_FLOAT32) continue;
    check(ma_cuda_sparse_triangle_source(dtypes[k], k % 2 ? MA_INT32 : MA_INT64, k % 3, k % 4 < 2, &text));
    compile(text, "triangle");
  }
  printf("%d kernels compiled\n", ncompiled);
  return 0;
}
