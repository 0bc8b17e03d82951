/*
** nvrtc_mathematics.c: which constants NVRTC computes the functions of mathematics with, without a GPU. They are not
** the same in all of its generations, so a kernel that one of them compiled may give other last bits than the same text
** by another. The table has a digest for each function, and for each generation that was at hand: where two differ, so
** do constants; where they are equal, the same constants may still be used in another order.
** usage: nvrtc_mathematics, or nvrtc_mathematics print for the digests of the NVRTC in use (CUDA_PATH names a folder
** with another)
*/
#include "cuda/cuda.h"
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
  { "sin", "double", 1, { 0x7400a780, 0x295d11dc, 0xd2554c27 } },
  { "cos", "double", 1, { 0x7400a780, 0x295d11dc, 0xd2554c27 } },
  { "tan", "double", 1, { 0x2309b48e, 0x2309b48e, 0x9a9637ee } },
  { "asin", "double", 1, { 0xe42d864a, 0xe42d864a, 0xe42d864a } },
  { "acos", "double", 1, { 0xc5a8c9f3, 0xc5a8c9f3, 0xc5a8c9f3 } },
  { "atan", "double", 1, { 0xe84653ec, 0xe84653ec, 0xe84653ec } },
  { "sinh", "double", 1, { 0x93f87bf1, 0x93f87bf1, 0x93f87bf1 } },
  { "cosh", "double", 1, { 0x960241e1, 0x960241e1, 0x960241e1 } },
  { "tanh", "double", 1, { 0x7fe333b8, 0x7fe333b8, 0x7fe333b8 } },
  { "asinh", "double", 1, { 0x4263f150, 0x4263f150, 0x4b1cef7f } },
  { "acosh", "double", 1, { 0x4263f150, 0x4263f150, 0xa59c706d } },
  { "atanh", "double", 1, { 0x542095d8, 0x542095d8, 0x542095d8 } },
  { "exp", "double", 1, { 0xacde0172, 0xacde0172, 0xacde0172 } },
  { "exp2", "double", 1, { 0xc85a196a, 0xc85a196a, 0xc85a196a } },
  { "expm1", "double", 1, { 0x59d6d99c, 0x59d6d99c, 0x59d6d99c } },
  { "log", "double", 1, { 0xe1209684, 0xe1209684, 0xe1209684 } },
  { "log2", "double", 1, { 0xa7de6502, 0xa7de6502, 0xa7de6502 } },
  { "log10", "double", 1, { 0x4396bd6b, 0x4396bd6b, 0x4396bd6b } },
  { "log1p", "double", 1, { 0x4263f150, 0x4263f150, 0x4263f150 } },
  { "cbrt", "double", 1, { 0x44cf74f5, 0x44cf74f5, 0x123f67ad } },
  { "sqrt", "double", 1, { 0x00000001, 0x00000001, 0x00000001 } },
  { "rsqrt", "double", 1, { 0x00000001, 0x00000001, 0x00000001 } },
  { "erf", "double", 1, { 0x24f229b2, 0x24f229b2, 0x24f229b2 } },
  { "erfc", "double", 1, { 0x424be02e, 0x424be02e, 0x424be02e } },
  { "lgamma", "double", 1, { 0x2e22d953, 0x5de290f1, 0x5de290f1 } },
  { "pow", "double", 2, { 0xa87593b4, 0xa87593b4, 0xa87593b4 } },
  { "atan2", "double", 2, { 0x3715f5b4, 0x3715f5b4, 0x3715f5b4 } },
  { "hypot", "double", 2, { 0x96e0d3f3, 0x96e0d3f3, 0x96e0d3f3 } },
  { "fmod", "double", 2, { 0xc266a6a6, 0xc266a6a6, 0xc266a6a6 } },
  { "sinf", "float", 1, { 0x45a7d5b4, 0x45a7d5b4, 0x45a7d5b4 } },
  { "cosf", "float", 1, { 0x45a7d5b4, 0x45a7d5b4, 0x45a7d5b4 } },
  { "tanf", "float", 1, { 0x711f53b3, 0x711f53b3, 0x711f53b3 } },
  { "asinf", "float", 1, { 0xa8ea787a, 0x3243a192, 0x3243a192 } },
  { "acosf", "float", 1, { 0x822191d3, 0xa3fceb58, 0xa3fceb58 } },
  { "atanf", "float", 1, { 0x261ce46c, 0xe943e7a9, 0xe943e7a9 } },
  { "sinhf", "float", 1, { 0x3662b590, 0x3662b590, 0xbfd33fa4 } },
  { "coshf", "float", 1, { 0xbbb3247d, 0xbbb3247d, 0x4a36c700 } },
  { "tanhf", "float", 1, { 0x24104997, 0x24104997, 0x24104997 } },
  { "asinhf", "float", 1, { 0xa926ebbc, 0xa926ebbc, 0x2e16efc3 } },
  { "acoshf", "float", 1, { 0xc255c276, 0xc255c276, 0x9635f31b } },
  { "atanhf", "float", 1, { 0x8c6be63a, 0x8c6be63a, 0x8c6be63a } },
  { "expf", "float", 1, { 0xc3fa1be5, 0xc3fa1be5, 0xc3fa1be5 } },
  { "exp2f", "float", 1, { 0x00000001, 0x00000001, 0x00000001 } },
  { "expm1f", "float", 1, { 0xa89db0dc, 0xa89db0dc, 0xa89db0dc } },
  { "logf", "float", 1, { 0x9e2faca4, 0x9e2faca4, 0x9e2faca4 } },
  { "log2f", "float", 1, { 0xc271b078, 0xc271b078, 0xc271b078 } },
  { "log10f", "float", 1, { 0x794051c1, 0x794051c1, 0x794051c1 } },
  { "log1pf", "float", 1, { 0x0b164ab9, 0x0b164ab9, 0x0b164ab9 } },
  { "cbrtf", "float", 1, { 0xe535bce8, 0xe535bce8, 0xc34d8cd3 } },
  { "sqrtf", "float", 1, { 0x00000001, 0x00000001, 0x00000001 } },
  { "rsqrtf", "float", 1, { 0x00000001, 0x00000001, 0x00000001 } },
  { "erff", "float", 1, { 0x974d2f9b, 0xf63064bd, 0xf63064bd } },
  { "erfcf", "float", 1, { 0x616219a0, 0x616219a0, 0x616219a0 } },
  { "lgammaf", "float", 1, { 0x9bb1b2ff, 0x9bb1b2ff, 0x9bb1b2ff } },
  { "powf", "float", 2, { 0xa837fd24, 0x55f6af85, 0x55f6af85 } },
  { "atan2f", "float", 2, { 0x5f2d4130, 0x5f2d4130, 0xbb00b5a6 } },
  { "hypotf", "float", 2, { 0x4f150a70, 0x4f150a70, 0x4f150a70 } },
  { "fmodf", "float", 2, { 0x8e276370, 0x8e276370, 0x8e276370 } },
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

int main(int argc, char **argv) {
  int column = 0, wrong = 0;
  bool print = argc > 1 && !strcmp(argv[1], "print");
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
  return wrong > 0;
}
