/*
** mathematics.c: which functions of mathematics a kernel calls, and whether two generations of NVRTC compute them
** alike. Their last bits are NVRTC's, so a kernel that calls none of those that differ is the same from either.
**
** NVRTC itself says what a kernel calls, however the calls are written: it compiles the text once more to PTX, with
** functions under these names that are declared alone. Those that the kernel needs stay open in the PTX.
*/
#include "cuda/cuda.h"

#include <ctype.h>
#include <string.h>

#define OPEN "ma_open_"

/* Major versions of NVRTC, in the order of the columns. */
static const int generations[] = { 11, 12, 13 };
#define NGENERATION (int)(sizeof generations / sizeof *generations)

typedef struct row {
  const char *name, *type;
  int arguments;
  uint32_t digest[NGENERATION];
} row;
static const row rows[] = {
#define MATHEMATICS(name, type, arguments, eleven, twelve, thirteen) \
  { #name, #type, arguments, { eleven, twelve, thirteen } },
#include "cuda/driver/mathematics.def"
};
#define NROW (int)(sizeof rows / sizeof *rows)
_Static_assert(NROW <= 53, "a set of functions passes Lua as a number");

static int column_of(int major) {
  int k = NGENERATION - 1;
  while (k >= 0 && generations[k] != major) k--;
  return k;
}

bool ma_cuda_same_mathematics(uint64_t functions, int major, int other) {
  int a = column_of(major), b = column_of(other);
  if (major == other) return true;
  for (int k = 0; k < NROW; k++)
    if (functions >> k & 1 && (a < 0 || b < 0 || rows[k].digest[a] != rows[k].digest[b])) return false;
  return true;
}

/* ==== What a kernel calls ==== */

/* In C++ a name of double is one of float too, and integers become double. */
#define TEXT                                                                                                       \
  "#define MA_OPEN1(name) extern \"C\" __device__ double ma_open_##name(double); extern \"C\" __device__ float "   \
  "ma_open_##name##f(float); template <class T> static __device__ double ma_any_##name(T x) { return "             \
  "ma_open_##name(x); } static __device__ float ma_any_##name(float x) { return ma_open_##name##f(x); }\n"         \
  "#define MA_OPEN2(name) extern \"C\" __device__ double ma_open_##name(double, double); extern \"C\" __device__ " \
  "float ma_open_##name##f(float, float); template <class T, class S> static __device__ double "                   \
  "ma_any_##name(T x, S y) { return ma_open_##name(x, y); } static __device__ float ma_any_##name(float x, float " \
  "y) { return ma_open_##name##f(x, y); }\n"

static void put_open(ma_ctext *text) {
  ma_ctext_put(text, TEXT);
  for (int k = 0; k < NROW; k++)
    if (!strcmp(rows[k].type, "double")) ma_ctext_add(text, "MA_OPEN%d(%s)\n", rows[k].arguments, rows[k].name);
  for (int k = 0; k < NROW; k++)
    ma_ctext_add(text, "#define %s %s%s\n", rows[k].name, strcmp(rows[k].type, "double") ? OPEN : "ma_any_",
                 rows[k].name);
}

/* Whether PTX has the name, which a longer name may begin with. */
static bool has_name(const char *ptx, const char *name) {
  size_t n = strlen(name);
  for (; (ptx = strstr(ptx, OPEN)); ptx += strlen(OPEN)) {
    const char *end = ptx + strlen(OPEN) + n;
    if (!strncmp(ptx + strlen(OPEN), name, n) && !isalnum((unsigned char)*end) && *end != '_') return true;
  }
  return false;
}

static uint64_t functions_in(const char *ptx) {
  uint64_t functions = 0;
  for (int k = 0; k < NROW; k++)
    if (has_name(ptx, rows[k].name)) functions |= (uint64_t)1 << k;
  return functions;
}

/* A text that does not compile so may call anything. */
ma_status ma_cuda_module_calls(const char *text, const char *name, int arch, const char *compiler,
                               uint64_t *functions) {
  ma_ctext open = { 0 };
  ma_image image;
  int maker;
  put_open(&open);
  ma_ctext_put(&open, text);
  *functions = ((uint64_t)1 << NROW) - 1;
  ma_status status = open.failed ? ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text") : MA_OK;
  if (status == MA_OK &&
      ma_cuda_module_compile(open.bytes, name, NULL, arch, true, compiler, &image, &maker) == MA_OK) {
    *functions = functions_in(image.bytes);
    ma_image_free(&image);
  }
  ma_ctext_free(&open);
  return status;
}
