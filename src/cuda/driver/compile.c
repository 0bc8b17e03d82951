/*
** compile.c: compiles text by NVRTC, without a device. The result is a cubin if this NVRTC knows the architecture, else
** PTX for its highest architecture, which the driver compiles further. Products and sums are not contracted, so both
** devices give the same bits. No CUDA headers are included, so compiling is fast.
*/
#include "compile/compile.h"
#include "compile/source.h"
#include "cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text and the NVRTC that compiles it. */
typedef struct job {
  const ma_cuda_nvrtc *nvrtc;
  const char *text, *name;
  const ma_module_source *source; /* NULL: a text of the library's own */
  nvrtcProgram program;
} job;

#define NRTC(name, ...)                                  \
  do {                                                   \
    nvrtcResult result_ = nvrtc->api->name(__VA_ARGS__); \
    if (result_ != NVRTC_SUCCESS) {                      \
      status = nvrtc_fail(nvrtc, #name, result_);        \
      goto done;                                         \
    }                                                    \
  } while (0)

static ma_status nvrtc_fail(const ma_cuda_nvrtc *nvrtc, const char *call, nvrtcResult result) {
  return ma_fail(MA_ERR_LIBRARY, "%s: %s (%d)", call, nvrtc->api->nvrtcGetErrorString(result), result);
}

/* Finds the newest architecture up to `wanted` that NVRTC knows, and the highest of all. */
static ma_status known_archs(const ma_cuda_nvrtc *nvrtc, int wanted, bool *exact, int *highest) {
  int count = 0, archs[256];
  *exact = false;
  *highest = 0;
  nvrtcResult result = nvrtc->api->nvrtcGetNumSupportedArchs(&count);
  if (result == NVRTC_SUCCESS && count <= 256) result = nvrtc->api->nvrtcGetSupportedArchs(archs);
  if (result != NVRTC_SUCCESS) return nvrtc_fail(nvrtc, "nvrtcGetSupportedArchs", result);
  for (int i = 0; i < count; i++) {
    if (archs[i] == wanted) *exact = true;
    if (archs[i] <= wanted && archs[i] > *highest) *highest = archs[i];
  }
  if (*highest == 0)
    return ma_fail(MA_ERR_LIBRARY, "%s does not compile for compute capability %d.%d any more; an older CUDA is wanted",
                   nvrtc->file, wanted / 10, wanted % 10);
  return MA_OK;
}

static ma_status compile_fail(const job *j) {
  size_t size = 0;
  char *log = NULL;
  if (j->nvrtc->api->nvrtcGetProgramLogSize(j->program, &size) == NVRTC_SUCCESS && size) log = calloc(1, size + 1);
  if (log) j->nvrtc->api->nvrtcGetProgramLog(j->program, log);
  ma_status status = ma_compile_fail(j->name, j->text, log);
  free(log);
  return status;
}

static ma_status take_image(const job *j, ma_image *image) {
  const ma_cuda_nvrtc *nvrtc = j->nvrtc;
  ma_status status = MA_OK;
  if (image->kind == MA_IMAGE_CUBIN) NRTC(nvrtcGetCUBINSize, j->program, &image->size);
  else NRTC(nvrtcGetPTXSize, j->program, &image->size);
  image->bytes = malloc(image->size ? image->size : 1);
  if (!image->bytes) {
    status = ma_fail(MA_ERR_MEMORY, "out of memory for a compiled kernel");
    goto done;
  }
  if (image->kind == MA_IMAGE_CUBIN) NRTC(nvrtcGetCUBIN, j->program, image->bytes);
  else NRTC(nvrtcGetPTX, j->program, image->bytes);
done:
  if (status != MA_OK) ma_image_free(image);
  return status;
}

/* Appends the lowered names to the image, each with a 0, and their size in the last four bytes. Both kinds of image
** know their own size. */
static ma_status append_names(const job *j, ma_image *image) {
  const ma_cuda_nvrtc *nvrtc = j->nvrtc;
  const ma_module_source *source = j->source;
  ma_status status = MA_OK;
  uint32_t total = 0;
  for (int i = 0; i < source->nexpression; i++) {
    const char *name;
    NRTC(nvrtcGetLoweredName, j->program, source->expression[i], &name);
    total += (uint32_t)strlen(name) + 1;
  }
  char *bytes = realloc(image->bytes, image->size + 1 + total + sizeof total);
  if (!bytes) {
    status = ma_fail(MA_ERR_MEMORY, "out of memory for a compiled kernel");
    goto done;
  }
  image->bytes = bytes;
  bytes[image->size++] = 0;
  for (int i = 0; i < source->nexpression; i++) {
    const char *name;
    NRTC(nvrtcGetLoweredName, j->program, source->expression[i], &name);
    strcpy(bytes + image->size, name);
    image->size += strlen(name) + 1;
  }
  memcpy(bytes + image->size, &total, sizeof total);
  image->size += sizeof total;
done:
  if (status != MA_OK) ma_image_free(image);
  return status;
}

static ma_status option_fail(const job *j) {
  char log[1024] = "";
  size_t size = 0;
  if (j->nvrtc->api->nvrtcGetProgramLogSize(j->program, &size) == NVRTC_SUCCESS && size <= sizeof log)
    j->nvrtc->api->nvrtcGetProgramLog(j->program, log);
  return ma_fail(MA_ERR_COMPILE, "kernel %s did not compile: %s", j->name,
                 *log ? log : "an option that NVRTC does not take");
}

/* Standard headers that CUDA C++ often includes but NVRTC lacks; most of their contents are builtins of NVRTC. The
** integer types are those of kernels/scalar.h. */
#define STDINT                                                                                                         \
  "#pragma once\ntypedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;\n" \
  "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t; typedef unsigned long "  \
  "long uint64_t;\n"                                                                                                   \
  "typedef long long intptr_t; typedef unsigned long long uintptr_t;\n"
#define STDDEF "#pragma once\ntypedef long ptrdiff_t;\n#ifndef NULL\n#define NULL 0\n#endif\n"
#define MATH                                                                                                     \
  "#pragma once\n#ifndef M_PI\n#define M_PI 3.14159265358979323846\n#endif\n#ifndef INFINITY\n#define INFINITY " \
  "__int_as_float(0x7f800000)\n#endif\n"                                                                         \
  "#ifndef NAN\n#define NAN __int_as_float(0x7fffffff)\n#endif\n"
#define NHEADER 9
static const char *const header_names[NHEADER] = { "stdint.h", "cstdint", "stddef.h", "cstddef",         "math.h",
                                                   "cmath",    "stdio.h", "cstdio",   "cupy/complex.cuh" };
static const char *const headers[NHEADER] = { STDINT, "#include <stdint.h>\n", STDDEF, "#include <stddef.h>\n",
                                              MATH,   "#include <math.h>\n",   "",     "" };

/* CuPy's header of complex numbers is the library's own text. It is long, so it is made only if the text may include
** it. */
static ma_status create(job *j) {
  static const char *const complex[] = { "scalar.h", "prelude.cuh", "user.cuh", "complex.cuh" };
  const ma_cuda_nvrtc *nvrtc = j->nvrtc;
  const char *contents[NHEADER];
  ma_ctext own = { 0 };
  ma_status status = MA_OK;
  bool has_complex = strstr(j->text, "complex.cuh") != NULL;
  memcpy(contents, headers, sizeof contents);
  ma_ctext_put(&own, "#pragma once\n");
  for (size_t i = 0; has_complex && i < sizeof complex / sizeof *complex; i++)
    ma_ctext_put(&own, ma_embedded(complex[i]));
  contents[NHEADER - 1] = own.bytes;
  if (own.failed) {
    status = ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's headers");
    goto done;
  }
  NRTC(nvrtcCreateProgram, &j->program, j->text, j->name, j->source ? has_complex ? NHEADER : NHEADER - 1 : 0, contents,
       header_names);
done:
  ma_ctext_free(&own);
  return status;
}

static ma_status compile(job *j, const char *const *option, int noption) {
  const ma_cuda_nvrtc *nvrtc = j->nvrtc;
  ma_status status = MA_OK;
  MA_TRY(create(j));
  for (int i = 0; j->source && i < j->source->nexpression; i++)
    NRTC(nvrtcAddNameExpression, j->program, j->source->expression[i]);
  nvrtcResult result = nvrtc->api->nvrtcCompileProgram(j->program, noption, option);
  if (result == NVRTC_ERROR_COMPILATION) status = compile_fail(j);
  else if (result == NVRTC_ERROR_INVALID_OPTION) status = option_fail(j);
  else if (result != NVRTC_SUCCESS) status = nvrtc_fail(nvrtc, "nvrtcCompileProgram", result);
done:
  return status;
}

/* Which image is wanted for an architecture: any that runs there, or the one that is said. */
typedef enum wish { ANY, CUBIN, PTX } wish;

static ma_status choose_arch(const ma_cuda_nvrtc *nvrtc, int arch, wish wish, bool *cubin, int *highest) {
  bool exact;
  MA_TRY(known_archs(nvrtc, arch, &exact, highest));
  if (wish != ANY && !exact)
    return ma_fail(MA_ERR_LIBRARY, "%s does not compile for compute capability %d.%d", nvrtc->file, arch / 10,
                   arch % 10);
  *cubin = exact && wish != PTX;
  return MA_OK;
}

/* `option[0]` is reserved for the architecture. */
static ma_status build(job *j, int arch, wish wish, const char **option, int noption, ma_image *image) {
  char arch_option[40];
  bool cubin = false;
  int highest;
  MA_TRY(ma_compile_begin(j->name));
  MA_TRY(choose_arch(j->nvrtc, arch, wish, &cubin, &highest));
  image->kind = cubin ? MA_IMAGE_CUBIN : MA_IMAGE_PTX;
  int64_t began = ma_nanoseconds();
  snprintf(arch_option, sizeof arch_option, "--gpu-architecture=%s_%d", cubin ? "sm" : "compute",
           cubin ? arch : highest);
  option[0] = arch_option;
  ma_status status = compile(j, option, noption);
  if (status == MA_OK) status = take_image(j, image);
  if (status == MA_OK && j->source) status = append_names(j, image);
  if (j->program) j->nvrtc->api->nvrtcDestroyProgram(&j->program);
  MA_TRY(status);
  ma_timeline_end(MA_TRACK_COMPILATION, began, j->name, 0);
  ma_trace("jit", "%s: compiled for %s in %.1f ms, %zu bytes", j->name, arch_option + 19,
           (double)(ma_nanoseconds() - began) * 1e-6, image->size);
  return MA_OK;
}

ma_status ma_cuda_need_compiler(const char *name, int arch) {
  char why[700];
  ma_status status = ma_cuda_need_nvrtc();
  if (status == MA_OK) return status;
  snprintf(why, sizeof why, "%s", ma_message());
  return ma_fail(
    status, "no kernel%s%s is compiled for compute capability %d.%d, and %s; where it is, record it: %s=record:FILE",
    name ? " " : "", name ? name : "", arch / 10, arch % 10, why, ma_config_name(MA_CONFIG_BUNDLE));
}

/* The NVRTC that a path names, or, if that is NULL, the one that is found. */
static ma_status need(const char *path, const char *name, int arch, const ma_cuda_nvrtc **nvrtc) {
  if (path) return ma_cuda_open_nvrtc(path, nvrtc);
  MA_TRY(ma_cuda_need_compiler(name, arch));
  *nvrtc = ma_cuda_found_nvrtc();
  return MA_OK;
}

static ma_status compile_own(const ma_cuda_nvrtc *nvrtc, const char *text, int arch, wish wish, const char *name,
                             ma_image *image) {
  const char *option[] = { NULL, "--std=c++17", "--fmad=false", "--disable-warnings", "--minimal" };
  job j = { .nvrtc = nvrtc, .text = text, .name = name };
  return build(&j, arch, wish, option, nvrtc->version >= 12040 ? 5 : 4, image);
}

static bool sets_standard(const ma_module_source *source) {
  for (int i = 0; i < source->noption; i++)
    if (!strncmp(source->option[i], "--std", 5) || !strncmp(source->option[i], "-std", 4)) return true;
  return false;
}

static ma_status compile_source(const ma_cuda_nvrtc *nvrtc, const char *text, int arch, wish wish,
                                const ma_module_source *source, ma_image *image) {
  const char **option = malloc(sizeof *option * (size_t)(source->noption + 8));
  job j = { .nvrtc = nvrtc, .text = text, .name = source->name, .source = source };
  int n = 1;
  if (!option) return ma_fail(MA_ERR_MEMORY, "out of memory for %d options", source->noption);
  if (!sets_standard(source)) option[n++] = "--std=c++17";
  if (source->prelude) option[n++] = "--fmad=false";
  for (int i = 0; i < source->noption; i++) option[n++] = source->option[i];
  for (int i = 0; i < nvrtc->ninclude; i++) option[n++] = nvrtc->include[i];
  ma_status status = build(&j, arch, wish, option, n, image);
  free(option);
  return status;
}

ma_status ma_cuda_compile(const char *text, int arch, const char *name, ma_image *image) {
  const ma_cuda_nvrtc *nvrtc;
  memset(image, 0, sizeof *image);
  MA_TRY(need(NULL, name, arch, &nvrtc));
  return compile_own(nvrtc, text, arch, ANY, name, image);
}

ma_status ma_cuda_compile_source(const char *text, int arch, const ma_module_source *source, ma_image *image) {
  const ma_cuda_nvrtc *nvrtc;
  memset(image, 0, sizeof *image);
  MA_TRY(need(NULL, source->name, arch, &nvrtc));
  return compile_source(nvrtc, text, arch, ANY, source, image);
}

/* `compiler` is the file of an NVRTC. Without a text it only says whether the compiler could, and its version. */
ma_status ma_cuda_module_compile(const char *text, const char *name, const ma_module_source *source, int arch, bool ptx,
                                 const char *compiler, ma_image *image, int *maker) {
  wish wish = ptx ? PTX : CUBIN;
  const ma_cuda_nvrtc *nvrtc;
  bool cubin;
  int highest;
  memset(image, 0, sizeof *image);
  *maker = 0;
  MA_TRY(need(compiler, name, arch, &nvrtc));
  *maker = nvrtc->version;
  if (!text) return choose_arch(nvrtc, arch, wish, &cubin, &highest);
  return source ? compile_source(nvrtc, text, arch, wish, source, image)
                : compile_own(nvrtc, text, arch, wish, name, image);
}

/* ---- Keys and salts in the cache ---- */

const char *ma_cuda_salt(int arch, char *salt, size_t size) {
  snprintf(salt, size, "c++17 fmad=false sm_%d", arch); /* the options above */
  return salt;
}

static void add_strings(ma_ctext *text, const char *kind, const char *const *string, int n) {
  for (int i = 0; i < n; i++) ma_ctext_add(text, "// %s %zu %s\n", kind, strlen(string[i]), string[i]);
}

/* Prints the key: lines that describe the compilation, and the text. Headers, the toolkit's too, are in it by content:
** where they lie is not, so that an image is found by a machine that has them elsewhere. */
ma_status ma_cuda_source_key(const ma_module_source *s, const ma_ctext *text, ma_ctext *key) {
  const char **option = malloc(sizeof *option * (size_t)(s->noption + MA_CUDA_INCLUDES));
  if (!option) return ma_fail(MA_ERR_MEMORY, "out of memory for %d options", s->noption);
  for (int i = 0; i < s->noption; i++) option[i] = s->option[i];
  ma_ctext_add(key, "// module %s %d\n", s->name, s->prelude);
  add_strings(key, "option", s->option, s->noption);
  add_strings(key, "expression", s->expression, s->nexpression);
  ma_includes_print(key, s->text, option, s->noption + ma_cuda_include_options(option + s->noption));
  ma_ctext_put(key, text->bytes);
  free(option);
  return key->failed ? ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's key") : MA_OK;
}
