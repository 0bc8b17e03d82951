/* nvrtc_morphology.c: compiles, without a GPU, the kernels of morphology and labels for images of several numbers of
** axes, for the architectures that we promise. usage: nvrtc_morphology, or nvrtc_morphology print */
#include "cuda/ndimage/morphology.h"
#include "unit.h"

static int nkernel;
static bool print;

static void compile(char *text, int arch) {
  ma_image image;
  if (print) printf("%s\n", text);
  else {
    check(ma_cuda_compile(text, arch, "nvrtc_morphology", &image));
    ma_image_free(&image);
  }
  free(text);
  nkernel++;
}

int main(int argc, char **argv) {
  static const int archs[] = { 75, 80, 90, 100 };
  static const int axes[] = { 1, 2, 3, 5, 16 };
  char *text;
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  print = argc > 1 && strcmp(argv[1], "print") == 0;
  for (int a = 0; a < 4; a++)
    for (int d = a % 2; d < 5; d += 2) {
      check(ma_cuda_binary_source(axes[d], &text));
      compile(text, archs[a]);
      check(ma_cuda_label_source(axes[d], d == 2, &text));
      compile(text, archs[a]);
      check(ma_cuda_groups_source(d & 1, d > 2 ? MA_FLOAT32 : MA_FLOAT64, (a + d) % 4, &text));
      compile(text, archs[a]);
      check(ma_cuda_distance_source(&text));
      compile(text, archs[a]);
    }
  if (!print) printf("%d kernels compiled\n", nkernel);
  return 0;
}
