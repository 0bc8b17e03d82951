/*
** nvrtc_stencil.c: compiles, without a GPU, stencils of 1 to 3 axes with every edge and dtype, for the architectures
** that we promise. usage: nvrtc_stencil; nvrtc_stencil print shows the texts; nvrtc_stencil image FILE [axes [open]]
** writes the image of a large star, for cuobjdump.
*/
#include "backend/random.h"
#include "compile/body.h"
#include "ops/ops.h"
#include "cuda/cuda.h"
#include "kernels/ndimage/edge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ma_program program;

/* A sum of the neighbours at distance 1 along `ndim` axes and the element itself. */
static ma_stencil star(int ndim, ma_dtype dtype, int64_t n, int edge, bool leave, int misaligned) {
  ma_stencil s = { .program = &program };
  int sum = 0;
  ma_program_clear(&program);
  for (int d = 0; d < 3; d++) {
    s.shape[d] = d < 3 - ndim ? 1 : n;
    s.edge[d] = (uint8_t)edge;
    s.low[d] = s.high[d] = d >= 3 - ndim;
  }
  for (int j = 0; j <= 2 * ndim; j++) {
    int reg = ma_program_input(&program, dtype);
    if (j) s.read[j].offset[2 - (j - 1) / 2] = j % 2 ? -1 : 1;
    sum = j ? ma_program_emit(&program, MA_OP_add, dtype, (int[]){ sum, reg }) : reg;
  }
  ma_program_output(&program, sum);
  s.leave = leave;
  s.nfield = 1;
  int64_t size = ma_dtypes[dtype].itemsize;
  s.field[0] = (ma_stencil_field){ (const char *)(uintptr_t)(0x10000000 + misaligned * size),
                                   { n * n * size, n * size, size },
                                   dtype,
                                   { .i = 0 },
                                   { 0 } };
  s.result[0] = (ma_stencil_result){ (char *)(uintptr_t)0x20000000, { n * n * size, n * size, size } };
  return s;
}

/* The same star over shifted views: the field is two elements longer, and nothing is outside of it. */
static ma_stencil open_star(int ndim, ma_dtype dtype, int64_t n) {
  ma_stencil s = star(ndim, dtype, n, MA_EDGE_NEAREST, false, 0);
  int64_t step = ma_dtypes[dtype].itemsize;
  s.open = true;
  for (int d = 2; d >= 0; d--) {
    if (d >= 3 - ndim) {
      s.field[0].data += step;
      s.shape[d] = n - 2;
    }
    s.result[0].stride[d] = d == 2 ? step : s.result[0].stride[d + 1] * s.shape[d + 1];
    step *= n;
  }
  return s;
}

/* Of all that a program can hold: a square of 25 neighbours. */
static ma_stencil full_square(ma_dtype dtype, int64_t n) {
  ma_stencil s = star(2, dtype, n, MA_EDGE_NEAREST, false, 0);
  ma_program_clear(&program);
  for (int j = 0; j < MA_MAX_INPUTS; j++) {
    ma_program_input(&program, dtype);
    s.read[j] = (ma_stencil_read){ 0, { 0, j / 5 % 5 - 2, j % 5 - 2 } };
  }
  for (int k = 0; k < MA_MAX_SCALARS; k++) ma_program_scalar(&program, dtype);
  int reg = 0;
  for (int k = 0; k < MA_MAX_CODE; k++)
    reg = ma_program_emit(&program, k % 2 ? MA_OP_multiply : MA_OP_add, dtype,
                          (int[]){ reg, 1 + k % (MA_MAX_INPUTS + MA_MAX_SCALARS - 1) });
  ma_program_output(&program, reg);
  for (int d = 1; d < 3; d++) s.low[d] = s.high[d] = 2;
  return s;
}

/* A star whose sum is multiplied by a draw, which is a field of its own. */
static ma_stencil drawing_star(int ndim, ma_dtype dtype, ma_random_kind kind, int64_t n, bool leave) {
  ma_stencil s = star(ndim, dtype, n, MA_EDGE_WRAP, leave, 0);
  bool whole = kind == MA_RANDOM_integers;
  ma_dtype drawn = whole ? MA_INT64 : dtype;
  int reg = program.output[0], random = ma_program_input(&program, drawn);
  if (whole) random = ma_program_cast(&program, random, dtype);
  program.output[0] = (uint8_t)ma_program_emit(&program, MA_OP_multiply, dtype, (int[]){ reg, random });
  s.read[program.ninput - 1].field = 1;
  s.nfield = 2;
  s.field[1].dtype = drawn;
  s.field[1].drawn = (ma_drawn){ .kind = (uint8_t)kind, .dtype = drawn, .key = 5, .span = 6 };
  return s;
}

/* A text in place of instructions, whose loop runs as often as an element says; its result is cast. It reads float64
** at an offset that it computes, if `reaches`. */
static ma_stencil text_of_star(int ndim, ma_dtype dtype, int64_t n, int edge, bool leave, bool reaches) {
  ma_body body = ma_body_empty;
  ma_stencil s = star(ndim, dtype, n, edge, leave, 0);
  body.name = "stencil";
  body.preamble = "struct jit_neighbours { double v0; };\n"
                  "static __device__ __forceinline__ double turns(const jit_neighbours &near) {\n"
                  "  double x = near.v0, n = 0;\n  while (x > 1) { x = x / 2; n = n + 1; }\n  return n;\n}\n";
  body.operation = "const jit_neighbours near = {(double)v0}; y0 = turns(near);";
  if (reaches) {
    s.nreach = 1;
    body.preamble = "struct jit_neighbours { double v0; const ma_reach *reach; };\n";
    body.operation = "const jit_neighbours near = {(double)v0, &reach}; y0 = "
                     "*(const double *)ma_reach_at(near.reach, 0, 0, (i8)near.v0, -(i8)near.v0);";
    body.reaches = true;
  }
  body.nparam = 1;
  body.param[0] = (ma_param){ .role = MA_PARAM_OUTPUT, .dtype = MA_FLOAT64 };
  program.ncode = 0;
  program.output[0] = MA_REG_CODE;
  program.code[0].result = (uint8_t)dtype;
  if (ma_body_intern(&body, &program.body) != MA_OK) exit(1);
  return s;
}

static void compile(const ma_stencil *s, int arch, bool print, const char *file) {
  char *text;
  ma_image image;
  if (ma_cuda_stencil_source(s, &text) != MA_OK ||
      (!print && ma_cuda_compile(text, arch, "stencil", &image) != MA_OK)) {
    fprintf(stderr, "%s\n", ma_message());
    exit(1);
  }
  if (print) printf("%s\n", strstr(text, "edge.h:"));
  if (file) {
    FILE *out = fopen(file, "wb");
    if (!out || fwrite(image.bytes, 1, image.size, out) != image.size) exit(1);
    fclose(out);
  }
  if (!print) ma_image_free(&image);
  free(text);
}

int main(int argc, char **argv) {
  static const int64_t extent[4] = { 0, 1 << 24, 8192, 512 };
  bool print = argc > 1 && !strcmp(argv[1], "print");
  int n = 0;
  if (argc > 2 && !strcmp(argv[1], "image")) {
    int axes = argc > 3 ? atoi(argv[3]) : 3, n = axes == 2 ? 8192 : 512;
    ma_stencil s = argc > 4 ? open_star(axes, MA_FLOAT32, n) : star(axes, MA_FLOAT32, n, MA_EDGE_NEAREST, false, 0);
    compile(&s, 90, false, argv[2]);
    return 0;
  }
  if (!print && ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  for (int k = 0; k < 6; k++) {
    static const ma_dtype dtypes[] = { MA_FLOAT64, MA_FLOAT32, MA_FLOAT16, MA_BFLOAT16, MA_FLOAT32, MA_FLOAT64 };
    ma_random_kind kind = k % 3 == 2 ? MA_RANDOM_integers : k % 3 ? MA_RANDOM_normal : MA_RANDOM_uniform;
    ma_stencil s = drawing_star(1 + k % 3, dtypes[k], kind, extent[1 + k % 3], k % 2);
    compile(&s, 90, print, NULL);
    n++;
  }
  for (int dtype = 0; dtype < MA_NDTYPE; dtype++) {
    ma_stencil s = star(1 + dtype % 3, (ma_dtype)dtype, extent[1 + dtype % 3], dtype % 5, dtype % 4 == 0, dtype % 2);
    compile(&s, 90, print, NULL);
    n++;
  }
  for (int dtype = 0; dtype < MA_NDTYPE; dtype += 3) {
    ma_stencil s = open_star(2 + dtype % 2, (ma_dtype)dtype, extent[2 + dtype % 2]);
    compile(&s, (int[]){ 75, 80, 90, 100, 120 }[dtype / 3 % 5], print, NULL);
    n++;
  }
  for (int edge = 0; edge < 5; edge++) {
    ma_stencil s = star(2, MA_FLOAT32, edge % 2 ? 100 : 4096, edge, false, 0);
    compile(&s, (int[]){ 75, 80, 90, 100, 120 }[edge], print, NULL);
    n++;
  }
  for (int place = 0; place < 2; place++, n++) {
    ma_stencil s = full_square(place ? MA_FLOAT64 : MA_FLOAT32, place ? 4096 : 100);
    compile(&s, place ? 90 : 75, print, NULL);
  }
  for (int edge = 0; edge < 5; edge++, n++) {
    static const ma_dtype dtypes[] = { MA_FLOAT64, MA_FLOAT32, MA_UINT8, MA_BFLOAT16, MA_INT64 };
    ma_stencil s = text_of_star(1 + edge % 3, dtypes[edge], extent[1 + edge % 3], edge, edge == 1, false);
    compile(&s, (int[]){ 75, 80, 90, 100, 120 }[edge], print, NULL);
    s = text_of_star(1 + edge % 3, MA_FLOAT64, extent[1 + edge % 3], edge, false, true);
    compile(&s, (int[]){ 75, 80, 90, 100, 120 }[edge], print, NULL);
  }
  printf("%d kernels compiled\n", n);
  return 0;
}
