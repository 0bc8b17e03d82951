/*
** nvrtc_random.c: compiles, without a GPU, the draws of every distribution in every dtype that it may have, for the
** architectures that we promise. usage: nvrtc_random, or nvrtc_random print
*/
#include "cuda/cuda.h"
#include "backend/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int nkernel;

static void compile(const ma_random *random, int arch, bool print) {
  char *text;
  ma_image image;
  if (ma_cuda_random_source(random, &text) != MA_OK || ma_cuda_compile(text, arch, "nvrtc_random", &image) != MA_OK) {
    fprintf(stderr, "%s\n", ma_message());
    exit(1);
  }
  if (print) printf("%s\n", text);
  ma_image_free(&image);
  free(text);
  nkernel++;
}

/* One element's draws, which kernels in Lua call. */
static void compile_elements(int arch, bool print) {
  static const char *const parts[] = { "scalar.h", "prelude.cuh", "random.h", "element.h" };
  ma_ctext text = { 0 };
  ma_image image;
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) ma_ctext_put(&text, ma_embedded(parts[k]));
  ma_ctext_put(&text, "MA_KERNEL elements(double *x, float *y, int64_t *z, const ma_random_cell *cell) {\n"
                      "  ma_drawing d = ma_drawing_of(1, 2, 3, cell, threadIdx.x);\n"
                      "  for (u4 t = 0; t < 3; t++) {\n"
                      "    x[t] = ma_element_uniform_d(d, t) + ma_element_normal_d(d, t);\n"
                      "    y[t] = ma_element_uniform_f(d, t, 11) + ma_element_normal_f(d, t);\n"
                      "    z[t] = ma_element_integer(d, t, z[0], z[1]);\n"
                      "  }\n}\n");
  if (text.failed || ma_cuda_compile(text.bytes, arch, "elements", &image) != MA_OK) {
    fprintf(stderr, "%s\n", ma_message());
    exit(1);
  }
  if (print) printf("%s\n", text.bytes);
  ma_image_free(&image);
  ma_ctext_free(&text);
  nkernel++;
}

/* Block forms in every dtype on one architecture; the others in one dtype on all. */
static void compile_all(int arch, bool all, bool print) {
  compile_elements(arch, print);
  for (int kind = 0; kind < MA_NRANDOM; kind++)
    for (int dtype = 0; dtype < MA_NDTYPE; dtype++) {
      ma_kind k = ma_dtypes[dtype].kind;
      bool real = k == MA_KIND_FLOAT, block = ma_randoms[kind].block;
      if (k == MA_KIND_COMPLEX || (block && real == (kind == MA_RANDOM_integers))) continue;
      if (!all && dtype != (kind == MA_RANDOM_integers ? MA_INT64 : MA_FLOAT32)) continue;
      if (!all && !block && (kind + arch / 5) % 4) continue; /* a compile starts slowly */
      if (!block && dtype != (all && kind % 2 ? MA_INT64 : MA_FLOAT32)) continue;
      ma_random random = { .kind = (ma_random_kind)kind, .dtype = (ma_dtype)dtype };
      ma_random_bounds(&random.job, 0, 10);
      compile(&random, arch, print);
      if (!all || block) {
        static const ma_random_cell cell;
        random.job.cell = &cell;
        compile(&random, arch, print);
        random.job.cell = NULL;
      }
      ma_random_bounds(&random.job, 0, 0);
      random.job.param[1] = 1; /* standard */
      if (kind == MA_RANDOM_uniform || kind == MA_RANDOM_normal) compile(&random, arch, print);
      if (kind == MA_RANDOM_integers && ma_dtypes[dtype].itemsize == 8) compile(&random, arch, print);
    }
}

int main(int argc, char **argv) {
  static const int archs[] = { 75, 80, 100 };
  bool print = argc > 1 && !strcmp(argv[1], "print");
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  compile_all(90, true, print);
  for (size_t k = 0; k < sizeof archs / sizeof *archs; k++) compile_all(archs[k], false, false);
  printf("%d kernels compiled\n", nkernel);
  return 0;
}
