/* signature.c: what is read of kernels' declarations: types by name, alias, macro, option and template argument; what
** is left unknown. */
#include "kernel/signature.h"

#include <stdio.h>
#include <string.h>

static int wrong;

/* "float32* const" and so on, for comparison. */
static void describe(const ma_kernel_param *p, char *text, size_t size) {
  snprintf(text, size, "%s%s%s%s:%u", p->is_const ? "const " : "",
           p->dtype < MA_NDTYPE ? ma_dtypes[p->dtype].name : "?", p->pointer ? "*" : "", p->any ? "any" : "", p->size);
}

static const char *const options[] = { "-DREAL=float", "-D", "WIDE=double", "--define-macro=INDEX=long long" };

static void check_kernel(const char *text, const char *name, const char *wanted) {
  static ma_kernel_signature s;
  char found[2000] = "";
  ma_kernel_signature_find(&s, text, name, options, 4);
  if (!s.found) strcpy(found, "none");
  else if (s.nparam < 0) strcpy(found, "unknown");
  for (int i = 0; s.found && i < s.nparam; i++) {
    if (i) strcat(found, ", ");
    describe(&s.param[i], found + strlen(found), 64);
  }
  if (s.found && s.c_linkage) strcat(found, " C");
  if (!strcmp(found, wanted)) return;
  printf("%s in %s\n  found  %s\n  wanted %s\n", name, text, found, wanted);
  wrong++;
}

static void check_param(const char *param, const char *wanted) {
  char text[1000];
  snprintf(
    text, sizeof text,
    "typedef double real; using word = unsigned int; typedef const float *cfp; typedef float *fp;\n#define HALF half\n"
    "namespace a { struct s { int x; }; }\n__global__ void k(%s) { if (1 < 2) return; }",
    param);
  check_kernel(text, "k", wanted);
}

static const struct {
  const char *param, *wanted;
} params[] = { { "", "" },
               { "void", "" },
               { "int n", "int32:4" },
               { "const int", "int32:4" },
               { "unsigned n", "uint32:4" },
               { "unsigned long long n", "uint64:8" },
               { "long long int unsigned n", "uint64:8" },
               { "long n", "int64:8" },
               { "short int n", "int16:2" },
               { "unsigned char", "uint8:1" },
               { "signed char c", "int8:1" },
               { "bool b", "bool:1" },
               { "size_t n", "uint64:8" },
               { "int64_t a, uint32_t b, std::int8_t c", "int64:8, uint32:4, int8:1" },
               { "float16 *x", "float16*:8" },
               { "const float *__restrict__ x", "const float32*:8" },
               { "float const *x", "const float32*:8" },
               { "float *const x", "float32*:8" },
               { "const float* __restrict__ x, float* y", "const float32*:8, float32*:8" },
               { "double x[]", "float64*:8" },
               { "const int x[4]", "const int32*:8" },
               { "void *p", "?*any:8" },
               { "const void *p", "const ?*any:8" },
               { "char *p", "int8*any:8" },
               { "unsigned char *p", "uint8*:8" },
               { "float **rows", "float32*any:8" },
               { "struct params p", "?:0" },
               { "a::s p, const a::s *q", "?:0, const ?*any:8" },
               { "float4 v", "?:16" },
               { "const float4 *v", "const ?*any:8" },
               { "float2 z", "complex64:8" },
               { "dim3 d", "?:12" },
               { "cuDoubleComplex z", "complex128:16" },
               { "complex<float> z, thrust::complex<double> *w", "complex64:8, complex128*:8" },
               { "const cuda::std::complex<float> *z", "const complex64*:8" },
               { "real x, const real *y", "float64:8, const float64*:8" },
               { "word n", "uint32:4" },
               { "cfp x", "const float32*:8" },
               { "const fp x", "float32*:8" },
               { "HALF *h", "float16*:8" },
               { "REAL r, WIDE *w, INDEX i", "float32:4, float64*:8, int64:8" },
               { "__nv_bfloat16 *b", "bfloat16*:8" },
               { "int n = 3, float x = f(1, 2)", "int32:4, float32:4" },
               { "float (*rows)[4]", "?*any:8" },
               { "const float (&x)[3]", "?:0" },
               { "int &n", "?:0" },
               { "unknown_t x, unknown_t *y", "?:0, ?*any:8" },
               { "vec<float, 3> v, int n", "?:0, int32:4" },
               { "const __grid_constant__ int n", "int32:4" },
               { "/* the number, of (all */ int n // x)\n, float y", "int32:4, float32:4" },
               { "unsigned", "uint32:4" },
               { "float volatile *x", "float32*:8" },
               { "[[maybe_unused]] int n", "int32:4" },
               { "bfloat16 x, complex64 z, float64 y", "bfloat16:2, complex64:8, float64:8" } };

int main(void) {
  static const char scale[] = "namespace ns { template <typename T, class U, int N = 2>\n__launch_bounds__(256, 2) "
                              "__global__ void scale(T *x, const U *y, T by, int n) {} }";
  for (size_t i = 0; i < sizeof params / sizeof *params; i++) check_param(params[i].param, params[i].wanted);
  check_kernel("extern \"C\" __global__ void k(int n);", "k", "int32:4 C");
  check_kernel(
    "extern \"C\" { __device__ void f(float x) { { } } __global__ void k(int n) { } } __global__ void g(float x);", "k",
    "int32:4 C");
  check_kernel(
    "extern \"C\" { __device__ void f(float x) { { } } __global__ void k(int n) { } } __global__ void g(float x);", "g",
    "float32:4");
  check_kernel("extern \"C\" __global__ void __launch_bounds__(64) k(int n) {}", "k", "int32:4 C");
  check_kernel("extern \"C\" __global__ __attribute__((noinline)) void k(int n) {}", "k", "int32:4 C");
  check_kernel("#define KERNEL extern \"C\" __global__ void\nKERNEL k(int n) {}", "k", "int32:4 C");
  check_kernel("MA_KERNEL k(const int64 *x, int64 n) {}", "k", "const int64*:8, int64:8 C");
  check_kernel(
    "// __global__ void k(int n)\nconst char *s = \"__global__ void k(int n)\"; __global__ void k(float x) {}", "k",
    "float32:4");
  check_kernel("__global__ void k(int n); __global__ void k(int n) {}", "k", "int32:4");
  check_kernel("#if A\n__global__ void k(float *x, int n) {}\n#else\n__global__ void k(double *x, int n) {}\n#endif",
               "k", "?*any:8, int32:4");
  check_kernel("__global__ void k(float *x); __global__ void k(float *x, int n);", "k", "unknown");
  check_kernel("void k(int n) {}", "k", "none");
  check_kernel("__global__ void k2(int n) {}", "k", "none");
  check_kernel("__global__ void k(int n", "k", "none");
  check_kernel("__global__", "k", "none");
  check_kernel("", "k", "none");
  check_kernel("typedef A B; typedef B A; __global__ void k(A a) {}", "k", "?:0");
  check_kernel("#define T T\n__global__ void k(T a) {}", "k", "?:0");
  check_kernel(scale, "ns::scale<float, double, 3>", "float32*:8, const float64*:8, float32:4, int32:4");
  check_kernel(scale, "scale<unsigned long long, complex<float>>", "uint64*:8, const complex64*:8, uint64:8, int32:4");
  check_kernel(scale, "&ns::scale<REAL, const float *>", "float32*:8, float32*any:8, float32:4, int32:4");
  check_kernel(scale, "scale", "?*any:8, const ?*any:8, ?:0, int32:4");
  check_kernel(scale, "scale<", "none");
  check_kernel("template <class T> __global__ void f(T x) {} template <> __global__ void f<int>(int x) {}", "f<int>",
               "int32:4");
  static const char *const good[] = { "a", "_a9", "ns::scale<float, 3>", "&table<int>", "(f<a>)", "f<(int)3>" },
                           *const bad[] = { "", "a;b", "a{", "1a", "a\"", "a)(", "a\nb", "/*", "a//b", "<a>", "a)" };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    if (!ma_is_name_expression(good[i])) {
      printf("refused: %s\n", good[i]);
      wrong++;
    }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (ma_is_name_expression(bad[i])) {
      printf("taken: %s\n", bad[i]);
      wrong++;
    }
  printf(wrong ? "%d wrong\n" : "signatures agree\n", wrong);
  return wrong != 0;
}
