/* nvrtc_sort.c: compiles, without a GPU, the sorts of every dtype and form, searches and counts by bins, for the
** architectures that we promise. usage: nvrtc_sort, or nvrtc_sort print */
#include "ops/ops.h"
#include "backend/join.h"
#include "backend/sort.h"
#include "nvrtc.h"

/* Every dtype and form in turn; all of float32 for the oldest and the newest. */
static bool wanted(int turn, ma_dtype dtype, int place) {
  return (dtype == MA_FLOAT32 && place % 3 == 0) || turn % 40 == place * 10;
}

static void compile_all(int place) {
  char *text;
  int turn = 0;
  for (int weighted = 0; weighted < 2; weighted++) {
    check(ma_cuda_histogram_source(weighted ? MA_FLOAT64 : MA_INT64, MA_UINT8, &text));
    compile_text(text, "nvrtc_sort");
  }
  check(ma_cuda_histogram_source(MA_FLOAT64, MA_INT16, &text));
  compile_text(text, "nvrtc_sort");
  for (int wide = 1; wide <= 16; wide *= 2) {
    check(ma_cuda_join_source(wide, &text));
    compile_text(text, "nvrtc_sort");
  }
  for (int dtype = 0; dtype < MA_NDTYPE; dtype++) {
    if (wanted(turn++, (ma_dtype)dtype, place)) {
      check(ma_cuda_sequence_source(dtype % 2, (ma_dtype)dtype, &text));
      compile_text(text, "nvrtc_sort");
    }
    for (int form = 0; form < 8; form++)
      if (wanted(turn++, (ma_dtype)dtype, place)) {
        static const int64_t n[] = { 0, 1 << 28, 1 << 30, 1 << 16 };
        check(ma_cuda_sort_source((ma_dtype)dtype, form < 2, form & 1, n[form / 2], &text));
        compile_text(text, "nvrtc_sort");
      }
    for (int edge = 0; edge < 5; edge++) {
      static const ma_dtype edges[] = { MA_FLOAT32, MA_FLOAT64, MA_NDTYPE, MA_BOOL, MA_INT8 };
      if (ma_dtypes[dtype].kind == MA_KIND_COMPLEX && edge != 2 && edge != 4) continue;
      if (!wanted(turn++, (ma_dtype)dtype, place)) continue;
      check(ma_cuda_histogram_source((ma_dtype)dtype, edges[edge], &text));
      compile_text(text, "nvrtc_sort");
    }
  }
}

int main(int argc, char **argv) {
  if (begin_unit(argc, argv)) compile_for_each(compile_all);
  return 0;
}
