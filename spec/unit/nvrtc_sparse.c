/* nvrtc_sparse.c: compiles, without a GPU, the kernels of sparse matrices for every dtype and both index dtypes, for
** the architectures that we promise. usage: nvrtc_sparse, or nvrtc_sparse print */
#include "cuda/sparse/sparse.h"
#include "nvrtc.h"

int main(int argc, char **argv) {
  static const ma_dtype dtypes[] = { MA_BOOL,    MA_INT8,    MA_UINT16,    MA_INT64,
                                     MA_FLOAT32, MA_FLOAT64, MA_COMPLEX64, MA_COMPLEX128 };
  if (!begin_unit(argc, argv)) return 0;
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
    for (int way = 0; way < 5; way++) {
      char *text;
      check(
        ma_cuda_sparse_product_source(dtypes[k], (k + (size_t)way) % 2 ? MA_INT32 : MA_INT64, way / 2, way % 2, &text));
      compile_in_turn(text, "product");
    }
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
    char *text;
    check(ma_cuda_sparse_order_source(dtypes[k], k % 2 ? MA_INT32 : MA_INT64, k % 3 == 0, &text));
    compile_in_turn(text, "order");
    check(ma_cuda_sparse_multiply_source(dtypes[k], k % 2 ? MA_INT32 : MA_INT64, k % 3 != 0, &text));
    compile_in_turn(text, "multiply");
    check(ma_cuda_sparse_short_source(dtypes[k], k % 2 ? MA_INT32 : MA_INT64, 8 << k % 7, k % 3 == 0, &text));
    compile_in_turn(text, "short");
    check(ma_cuda_sparse_short_source(dtypes[k], k % 2 ? MA_INT64 : MA_INT32, 4096, k % 2, &text));
    compile_in_turn(text, "block");
    check(ma_cuda_sparse_look_source(dtypes[k], k % 2 ? MA_INT32 : MA_INT64, &text));
    compile_in_turn(text, "look");
    for (int kind = 0; kind < MA_NMAKE; kind++) {
      if (kind == MA_MAKE_COLUMNS) continue; /* by others */
      check(ma_cuda_sparse_make_source(dtypes[k], (k + (size_t)kind) % 2 ? MA_INT32 : MA_INT64, kind, &text));
      compile_in_turn(text, "made");
    }
    check(ma_cuda_sparse_striped_source(dtypes[k], &text));
    compile_in_turn(text, "striped");
    check(ma_cuda_sparse_sampled_source(dtypes[k], k % 2 ? MA_INT32 : MA_INT64, &text));
    compile_in_turn(text, "sampled");
    check(ma_cuda_sparse_extreme_source(k % 3 ? MA_OP_maximum : MA_OP_fmin, dtypes[k], k % 2 ? MA_INT32 : MA_INT64,
                                        k % 3 == 0, k % 2, &text));
    compile_in_turn(text, "extreme");
    check(ma_cuda_sparse_combine_source(k % 3 ? MA_OP_multiply : MA_OP_not_equal, dtypes[k],
                                        k % 2 ? MA_INT32 : MA_INT64, k % 3 ? dtypes[k] : MA_BOOL, &text));
    compile_in_turn(text, "combine");
    if (dtypes[k] < MA_FLOAT32) continue;
    check(ma_cuda_sparse_triangle_source(dtypes[k], k % 2 ? MA_INT32 : MA_INT64, k % 3, k % 4 < 2, &text));
    compile_in_turn(text, "triangle");
  }
  printf("%d kernels compiled\n", nkernel);
  return 0;
}
