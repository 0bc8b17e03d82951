/* nvrtc_spatial.c: compiles, without a GPU, the kernels of distances: every metric, with and without weights, of
** trees and of banded systems, for the
** architectures that we promise. usage: nvrtc_spatial, or nvrtc_spatial print */
#include "backend/spatial.h"
#include "cuda/library/solver.h"
#include "nvrtc.h"

int main(int argc, char **argv) {
  if (!begin_unit(argc, argv)) return 0;
  for (int metric = 0; metric < MA_NMETRIC; metric++)
    for (int form = 0; form < 2; form++) {
      char *text;
      check(ma_cuda_pairs_source(metric % 2 == form ? MA_FLOAT32 : MA_FLOAT64, (ma_metric)metric, form, metric % 3 == 0,
                                 metric % 4 ? 1 << 14 : 100, &text));
      compile_in_turn(text, "pairs");
    }
  for (int t = 0; t < 2; t++) {
    char *text;
    check(ma_cuda_tree_source(t ? MA_FLOAT32 : MA_FLOAT64, &text));
    compile_in_turn(text, "tree");
  }
  for (int k = 0; k < 4; k++) {
    static const uint8_t variants[][2] = { { 1, 1 }, { 3, 3 }, { 5, 4 }, { 0, 2 } };
    ma_ctext text = { 0 };
    ma_cuda_print(&text, &ma_cuda_banded_family, variants[k]);
    compile_in_turn(text.bytes, "banded");
  }
  printf("%d kernels compiled\n", nkernel);
  return 0;
}
