/* nvrtc.h: what the units share that compile kernels by NVRTC without a GPU, or print their texts. */
#include "cuda/cuda.h"
#include "unit.h"

static const int archs[] = { 75, 80, 90, 100 }; /* that we promise */
static int arch = 75, nkernel;
static bool print;

/* Frees the text. */
static inline void compile_text(char *text, const char *name) {
  ma_image image;
  if (print) printf("%s\n", text);
  else {
    check(ma_cuda_compile(text, arch, name, &image));
    ma_image_free(&image);
  }
  free(text);
  nkernel++;
}

/* The same, for each architecture in turn. */
static inline void compile_in_turn(char *text, const char *name) {
  arch = archs[nkernel % 4];
  compile_text(text, name);
}

/* Reads the command line; false if there is no NVRTC, which is said. */
static inline bool begin_unit(int argc, char **argv) {
  print = argc > 1 && !strcmp(argv[1], "print");
  if (ma_cuda_need_nvrtc() == MA_OK) return true;
  printf("skipped: for GPUs: %s\n", ma_message());
  return false;
}

/* Calls compile_all(0 .. 3) for the four architectures, or prints what the first one gets. */
static inline void compile_for_each(void (*compile_all)(int place)) {
  for (int i = 0; i < 4; i++) {
    arch = archs[i];
    nkernel = 0;
    compile_all(i);
    fprintf(print ? stderr : stdout, "sm_%d: %d kernels compiled\n", arch, nkernel);
    if (print) return;
  }
}
