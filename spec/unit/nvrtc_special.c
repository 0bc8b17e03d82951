/*
** nvrtc_special.c: compiles, without a GPU, a kernel for every third special function in float32, for some in float16
** and for those of complex128, and holds that no other kernel has their text. usage: nvrtc_special [all | NAME | ptx]:
** for every function, or that function alone with its time, or the PTX of every function of floats (those that are
** ufuncs of `ma` too), each behind a line `==== NAME DTYPE`, for scripts/special_counts.lua.
*/
#include "ops/ops.h"
#include "cuda/kernels/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void die(const char *what) {
  fprintf(stderr, "%s: %s\n", what, ma_message());
  exit(1);
}

/* Seconds of the processor: other programs run beside this one. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The text of the kernel over 1000 contiguous elements. */
static char *source_of(ma_opcode op, ma_dtype dtype) {
  const ma_op_info *info = &ma_ops[op];
  ma_program program;
  int args[MA_MAX_ARITY];
  ma_program_clear(&program);
  for (int k = 0; k < info->nin; k++) args[k] = ma_program_input(&program, ma_sig_dtype((ma_sig)info->in[k], dtype));
  ma_program_output(&program, ma_program_emit(&program, op, dtype, args));
  ma_map map = { .program = &program, .space = { .ndim = 1, .noperand = 1 + info->nin, .shape = { 1000 } } };
  for (int k = 0; k < map.space.noperand; k++) {
    map.space.stride[k][0] = ma_dtypes[ma_map_operand_dtype(&program, k)].itemsize;
    map.data[k] = (void *)(uintptr_t)(0x10000000 + 0x10000000ull * (unsigned)k);
  }
  char *text;
  if (ma_cuda_map_source(&map, &text) != MA_OK) die(info->name);
  return text;
}

static double compile(const char *text, const char *name) {
  ma_image image;
  double start = now();
  if (ma_cuda_compile(text, 90, name, &image) != MA_OK) die(name);
  ma_image_free(&image);
  return now() - start;
}

/* An architecture that no GPU has is compiled to PTX for the one below. */
static void print_ptx(ma_opcode op, ma_dtype dtype) {
  ma_image image;
  char *text = source_of(op, dtype);
  if (ma_cuda_compile(text, 91, ma_ops[op].name, &image) != MA_OK) die(ma_ops[op].name);
  printf("==== %s %s\n%.*s\n", ma_ops[op].name, ma_dtypes[dtype].name, (int)image.size, (const char *)image.bytes);
  ma_image_free(&image);
  free(text);
}

static int print_all(void) {
  for (int op = 0; op < MA_NOP; op++) {
    if (op != MA_OP_i0 && (!(ma_ops[op].flags & MA_OPF_SPECIAL) || !ma_ops[op].body[MA_KIND_FLOAT])) continue;
    print_ptx((ma_opcode)op, MA_FLOAT32);
    print_ptx((ma_opcode)op, MA_FLOAT64);
  }
  return 0;
}

int main(int argc, char **argv) {
  static const ma_dtype dtypes[] = { MA_FLOAT32, MA_FLOAT16, MA_COMPLEX128 };
  int n = 0, slowest = 0;
  double most = 0;
  bool all = argc > 1 && !strcmp(argv[1], "all"), named = argc > 1 && !all;
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "ptx")) return print_all();
  char *plain = source_of(MA_OP_add, MA_FLOAT32);
  if (strstr(plain, "ma_sp_")) {
    fprintf(stderr, "the kernel of add has the text of special functions\n");
    return 1;
  }
  double add = compile(plain, "add");
  add = compile(plain, "add");
  free(plain);
  for (int op = 0; op < MA_NOP; op++)
    for (int d = 0; d < 3; d++) {
      const ma_op_info *info = &ma_ops[op];
      if (!(info->flags & MA_OPF_SPECIAL) || !info->body[ma_dtypes[dtypes[d]].kind]) continue;
      if (named ? strcmp(argv[1], info->name) : !all && op % (d == 1 ? 8 : 3)) continue;
      char *text = source_of((ma_opcode)op, dtypes[d]);
      double took = compile(text, info->name);
      if (took > most) most = took, slowest = op;
      if (named) printf("%s %s: %.3f s\n", info->name, ma_dtypes[dtypes[d]].name, took);
      free(text);
      n++;
    }
  printf("%d kernels compiled, the slowest in %.2f s (%s), add in %.3f s\n", n, most, ma_ops[slowest].name, add);
  return 0;
}
