/*
** nvrtc_random.c: compiles, without a GPU, the draws of every distribution in every dtype that it may have, for the
** architectures that we promise; and programs that draw, whose neighbours share their words. usage: nvrtc_random, or
** nvrtc_random print
*/
#include "cuda/cuda.h"
#include "cuda/kernels/map.h"
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
      if (all && !block && kind % 3 == 0) {
        static const double one = 1;
        random.job.array[0] = &one;
        compile(&random, arch, print);
        random.job.array[0] = NULL;
      }
      ma_random_bounds(&random.job, 0, 0);
      random.job.param[1] = 1; /* standard */
      if (kind == MA_RANDOM_uniform || kind == MA_RANDOM_normal) compile(&random, arch, print);
      if (kind == MA_RANDOM_integers && ma_dtypes[dtype].itemsize == 8) compile(&random, arch, print);
    }
}

/* ==== Programs that draw ========================================================================================== */

/* draw * s2 + s2 over n elements, whose results lie `step` elements apart, as the places do. */
static void make_map(ma_map *map, ma_program *program, ma_opcode op, ma_dtype dtype, int64_t n, int step) {
  int size = ma_dtypes[dtype].itemsize;
  ma_program_clear(program);
  int args[3] = { ma_program_input(program, dtype), ma_program_scalar(program, MA_INT64),
                  ma_program_scalar(program, MA_INT64) };
  int pair[2] = { ma_program_emit(program, op, dtype, args), ma_program_scalar(program, dtype) };
  pair[0] = ma_program_emit(program, MA_DO_product, dtype, pair);
  ma_program_output(program, ma_program_emit(program, MA_DO_sum, dtype, pair));
  *map = (ma_map){ .program = program, .space = { .ndim = 1, .noperand = 2, .shape = { n } } };
  map->space.stride[0][0] = map->space.stride[1][0] = step * size;
  map->data[0] = (void *)(uintptr_t)0x10000000;
  map->data[1] = (void *)MA_PLACES;
}

/* The products of words of 32 bits in the PTX of a text: a block of words takes 20. */
static int count_products(char *text, const char *name) {
  ma_image image;
  int n = 0;
  if (ma_cuda_compile(text, 91, name, &image) != MA_OK) { /* which no GPU has: PTX for the one below */
    fprintf(stderr, "%s\n", ma_message());
    exit(1);
  }
  for (const char *at = image.bytes; (at = strstr(at, "mul.wide.u32")); at++) n++;
  ma_image_free(&image);
  free(text);
  nkernel++;
  return n;
}

static void expect(const char *what, ma_dtype dtype, int found, int wanted) {
  if (found == wanted) return;
  fprintf(stderr, "%s of %s: %d products; wanted %d\n", what, ma_dtypes[dtype].name, found, wanted);
  exit(1);
}

static void compile_programs(ma_opcode op, ma_dtype dtype) {
  ma_program program;
  ma_map map;
  char *text;
  make_map(&map, &program, op, dtype, 1000, 1);
  if (ma_cuda_map_source(&map, &text) != MA_OK) exit(1);
  expect("neighbours", dtype, count_products(text, "neighbours"), 20);
  make_map(&map, &program, op, dtype, 1000, 3);
  if (ma_cuda_map_source(&map, &text) != MA_OK) exit(1);
  expect("one element", dtype, count_products(text, "one element"), 20);
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
  for (int dtype = MA_FLOAT32; dtype <= MA_FLOAT64; dtype++) {
    compile_programs(MA_DO_draw_uniform, (ma_dtype)dtype);
    compile_programs(MA_DO_draw_normal, (ma_dtype)dtype);
  }
  printf("%d kernels compiled\n", nkernel);
  return 0;
}
