/* nvrtc_filter.c: compiles, without a GPU, the filters of images, splines and transforms in their forms, for the
** architectures that we promise. usage: nvrtc_filter, or nvrtc_filter print */
#include "ops/ops.h"
#include "cuda/cuda.h"
#include "backend/filter.h"
#include "unit.h"

static int arch, nkernel, turn, place;
static bool print;

/* Every fourth text, each for one of the architectures. */
static bool wanted(void) { return (print && turn++ % 4 == 0) || turn++ % 16 == 4 * place; }

static void compile(char *text) {
  ma_image image;
  if (print) printf("%s\n", text);
  else {
    check(ma_cuda_compile(text, arch, "nvrtc_filter", &image));
    ma_image_free(&image);
  }
  free(text);
  nkernel++;
}

static const struct {
  ma_dtype from, to, compute;
} dtypes[] = {
  { MA_FLOAT32, MA_FLOAT32, MA_FLOAT32 }, { MA_UINT8, MA_INT16, MA_FLOAT64 },   { MA_FLOAT16, MA_BFLOAT16, MA_FLOAT32 },
  { MA_FLOAT64, MA_UINT64, MA_FLOAT64 },  { MA_INT64, MA_INT64, MA_INT64 },     { MA_UINT64, MA_UINT64, MA_UINT64 },
  { MA_BOOL, MA_FLOAT64, MA_FLOAT64 },    { MA_BFLOAT16, MA_BOOL, MA_FLOAT32 },
};

/* A box of n x n places, or n neighbours along an axis. */
static void windows(int which, ma_filter_op op, int n, bool box, int axis) {
  static int32_t offset[2 * 100];
  static double weight[100];
  ma_window w = { .op = op,
                  .from_dtype = dtypes[which].from,
                  .to_dtype = dtypes[which].to,
                  .ndim = 2,
                  .compute = dtypes[which].compute,
                  .shape = { 4000, 3000 },
                  .offset = offset,
                  .rank = box ? n * n / 2 : n / 2,
                  .mode = { n % 5, n % 5 } };
  bool whole = w.compute == MA_INT64 || w.compute == MA_UINT64;
  char *text;
  if ((whole && op == MA_FILTER_CORRELATE) || !wanted()) return;
  w.ntap = box ? n * n : n;
  w.weight = op == MA_FILTER_CORRELATE ? weight : NULL;
  w.symmetry = op == MA_FILTER_CORRELATE && !box && n % 2 ? (n % 4 == 1 ? 1 : -1) : 0;
  memset(offset, 0, sizeof offset);
  for (int k = 0; k < w.ntap; k++) {
    if (box) offset[2 * k] = k / n - n / 2, offset[2 * k + 1] = k % n - n / 2;
    else offset[2 * k + axis] = k - n / 2;
  }
  check(ma_cuda_window_source(&w, &text));
  compile(text);
}

static void compile_all(void) {
  static const int sizes[] = { 2, 3, 5, 9 };
  char *text;
  turn = 0;
  for (int which = 0; which < (int)(sizeof dtypes / sizeof *dtypes); which++) {
    for (int op = MA_FILTER_CORRELATE; op <= MA_FILTER_RANK; op++)
      for (int k = 0; k < 4; k++) windows(which, (ma_filter_op)op, sizes[k], true, 0);
    for (int axis = 0; axis < 2; axis++)
      for (int n = 3; n < 40; n += 11) windows(which, MA_FILTER_CORRELATE, n, false, axis);
    for (int op = MA_FILTER_MIN; op <= MA_FILTER_MEAN; op++) {
      bool mean = op == MA_FILTER_MEAN;
      if (op == MA_FILTER_RANK || (mean && dtypes[which].compute > MA_FLOAT64)) continue;
      for (int size = 4; size < 50; size += 15) {
        ma_line_filter f = { .op = (ma_filter_op)op,
                             .from_dtype = dtypes[which].from,
                             .to_dtype = dtypes[which].to,
                             .compute = mean ? MA_FLOAT64 : dtypes[which].compute,
                             .outer = 100,
                             .n = 4000,
                             .inner = size % 2 ? 1 : 300,
                             .size = size,
                             .before = size / 2,
                             .mode = size % 5 };
        if ((mean && (f.from_dtype == MA_INT64 || f.from_dtype == MA_UINT64)) || !wanted()) continue;
        check(ma_cuda_line_source(&f, &text));
        compile(text);
      }
    }
  }
  for (int form = 0; form < 12; form++) {
    static const int modes[] = { 3, 2, 5 };
    ma_spline_filter f = { .dtype = form % 2 ? MA_FLOAT32 : MA_FLOAT64,
                           .outer = 100,
                           .n = 4000,
                           .inner = form / 2 % 2 ? 1 : 300,
                           .order = 3,
                           .mode = modes[form / 4] };
    if (!wanted()) continue;
    check(ma_cuda_spline_source(&f, &text));
    compile(text);
  }
  for (int form = 0; form < 6 * 7 * 5; form++) {
    static const ma_dtype to[] = { MA_FLOAT32, MA_FLOAT64, MA_UINT8, MA_INT64, MA_FLOAT16, MA_BOOL, MA_UINT64 };
    int n = form / 16 + form % 16; /* those that are wanted lie 16 apart */
    ma_transform t = { .from_dtype = n % 2 ? MA_FLOAT32 : MA_FLOAT64,
                       .to_dtype = to[n % 7],
                       .ndim = 1 + (n + n / 2) % 4,
                       .order = (n + n / 4) % 6,
                       .mode = n % 7 };
    t.coordinates = n % 3 == 0 ? &t : NULL;
    t.coordinate_dtype = n % 5 ? MA_FLOAT64 : MA_FLOAT32;
    t.diagonal = n % 3 == 1;
    if (t.order == 5 && t.ndim == 4) t.ndim = 2;
    t.out_ndim = t.ndim;
    for (int d = 0; d < t.ndim; d++) t.shape[d] = t.out_shape[d] = 40;
    if (!wanted()) continue;
    check(ma_cuda_transform_source(&t, &text));
    compile(text);
  }
}

int main(int argc, char **argv) {
  static const int archs[] = { 75, 80, 90, 100 };
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  print = argc > 1;
  for (place = 0; place < (print ? 1 : 4); place++) {
    arch = archs[place];
    compile_all();
  }
  if (!print) printf("%d kernels\n", nkernel);
  return 0;
}
