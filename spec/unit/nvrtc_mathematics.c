/*
** nvrtc_mathematics.c: which constants NVRTC computes the functions of mathematics with, without a GPU. They are not
** the same in all of its generations, so a kernel that one of them compiled may give other last bits than the same text
** by another. The table, mathematics.def, has a digest for each function, and for each generation that was at hand:
** where two differ, so do constants; where they are equal, the same constants may still be used in another order. And
** which functions the library finds in kernels.
** usage: nvrtc_mathematics, or nvrtc_mathematics print for the digests of the NVRTC in use (CUDA_PATH names a folder
** with another)
*/
#include "ops/ops.h"
#include "cuda/kernels/map.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define MOST 512
static const int versions[] = { 11080, 12090, 13000 };
#define NVERSION 3

static const struct row {
  const char *name, *type;
  int arguments;
  uint32_t digest[NVERSION];
} rows[] = {
#define MATHEMATICS(name, type, arguments, eleven, twelve, thirteen) \
  { #name, #type, arguments, { eleven, twelve, thirteen } },
#include "cuda/driver/mathematics.def"
};

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Whether a word of PTX is a constant: 0d3FF0000000000000, 0f3F800000. */
static bool is_constant(const char *word) {
  return (!strncmp(word, "0d", 2) && strlen(word) == 18) || (!strncmp(word, "0f", 2) && strlen(word) == 10);
}

/* Sums up the tables in a text of PTX and the set of its constants. The text is cut into words. */
static uint32_t digest_of(char *ptx) {
  static const char between[] = " \t\n,;(){}[]";
  char *found[MOST], *rest;
  int n = 0;
  uint64_t hash = 1;
  for (const char *at = ptx; (at = strstr(at, "= {")); at++) hash = ma_hash(at, strcspn(at, "}"), hash);
  for (char *word = strtok_r(ptx, between, &rest); word; word = strtok_r(NULL, between, &rest))
    if (n < MOST && is_constant(word)) found[n++] = word;
  qsort(found, (size_t)n, sizeof *found, by_text);
  for (int i = 0; i < n; i++)
    if (i == 0 || strcmp(found[i], found[i - 1])) hash = ma_hash(found[i], strlen(found[i]), hash);
  return (uint32_t)hash;
}

static uint32_t compile(const struct row *r) {
  static const char *const option[] = { "--gpu-architecture=compute_80", "--std=c++17", "--fmad=false" };
  char text[256];
  nvrtcProgram program;
  size_t size = 0;
  snprintf(text, sizeof text, "extern \"C\" __global__ void k(%s *o, %s x, %s y) { *o = %s(x%s); }", r->type, r->type,
           r->type, r->name, r->arguments == 2 ? ", y" : "");
  bool ok = !ma_cu.nvrtcCreateProgram(&program, text, r->name, 0, NULL, NULL) &&
            !ma_cu.nvrtcCompileProgram(program, 3, option) && !ma_cu.nvrtcGetPTXSize(program, &size);
  char *ptx = ok ? calloc(1, size + 1) : NULL;
  check(ptx && !ma_cu.nvrtcGetPTX(program, ptx) ? MA_OK : ma_fail(MA_ERR_LIBRARY, "%s did not compile", r->name));
  uint32_t digest = digest_of(ptx);
  free(ptx);
  ma_cu.nvrtcDestroyProgram(&program);
  return digest;
}

/* ==== What kernels call ==== */

#define CHECK(condition)                             \
  do {                                               \
    if (!(condition)) {                              \
      printf("line %d: %s\n", __LINE__, #condition); \
      exit(1);                                       \
    }                                                \
  } while (0)

static uint64_t bit_of(const char *name) {
  size_t k = 0;
  while (k < sizeof rows / sizeof *rows && strcmp(rows[k].name, name)) k++;
  return (uint64_t)1 << k;
}

static uint64_t calls(ma_opcode op, ma_dtype dtype) {
  ma_map map = { 0 };
  ma_program program;
  char *text;
  uint64_t functions;
  int arg[MA_MAX_ARITY];
  ma_program_clear(&program);
  for (int k = 0; k < ma_ops[op].nin; k++)
    arg[k] = ma_program_input(&program, ma_sig_dtype((ma_sig)ma_ops[op].in[k], dtype));
  ma_program_output(&program, ma_program_emit(&program, op, dtype, arg));
  map.program = &program;
  map.space.ndim = 1;
  map.space.shape[0] = 1000;
  map.space.noperand = program.noutput + program.ninput;
  for (int k = 0; k < map.space.noperand; k++)
    map.space.stride[k][0] = ma_dtypes[ma_map_operand_dtype(&program, k)].itemsize;
  check(ma_cuda_map_source(&map, &text));
  check(ma_cuda_module_calls(text, ma_ops[op].name, 80, NULL, &functions));
  free(text);
  return functions;
}

/* Kernels of the library, whose texts all have all functions, and texts that NVRTC does not take. */
static void say_calls(void) {
  uint64_t functions;
  CHECK(calls(MA_OP_add, MA_FLOAT64) == 0 && calls(MA_OP_sqrt, MA_FLOAT32) == 0);
  CHECK(calls(MA_OP_sin, MA_FLOAT64) == bit_of("sin") && calls(MA_OP_sin, MA_FLOAT16) == bit_of("sinf"));
  CHECK(calls(MA_OP_power, MA_FLOAT32) == bit_of("powf"));
  CHECK(calls(MA_OP_exp, MA_COMPLEX64) == (bit_of("exp") | bit_of("sin") | bit_of("cos")));
  check(ma_cuda_module_calls("wrong", "wrong", 80, NULL, &functions));
  CHECK(functions == bit_of("") - 1);
}

static void compare_generations(void) {
  CHECK(ma_cuda_same_mathematics(bit_of("sin"), 12, 12) && !ma_cuda_same_mathematics(bit_of("sin"), 12, 13));
  CHECK(ma_cuda_same_mathematics(bit_of("sinf") | bit_of("exp"), 11, 13));
  CHECK(ma_cuda_same_mathematics(bit_of("powf"), 12, 13) && !ma_cuda_same_mathematics(bit_of("powf"), 13, 11));
  CHECK(ma_cuda_same_mathematics(0, 12, 14) && !ma_cuda_same_mathematics(bit_of("exp"), 13, 14));
}

int main(int argc, char **argv) {
  int column = 0, wrong = 0;
  bool print = argc > 1 && !strcmp(argv[1], "print");
  compare_generations();
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  while (column < NVERSION && versions[column] != ma_cuda_nvrtc_version()) column++;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    uint32_t digest = compile(&rows[k]);
    if (print) printf("%s %s 0x%08x\n", rows[k].name, rows[k].type, digest);
    else if (column < NVERSION && digest != rows[k].digest[column])
      wrong += printf("%s of %s: 0x%08x; the table has 0x%08x\n", rows[k].name, rows[k].type, digest,
                      rows[k].digest[column]) > 0;
  }
  if (column == NVERSION) printf("skipped: NVRTC %d has no column in the table yet\n", ma_cuda_nvrtc_version());
  else if (!print) printf("%zu functions, %d with other constants\n", sizeof rows / sizeof *rows, wrong);
  if (!print) say_calls();
  return wrong > 0;
}
