/*
** nvrtc.c: a pretended libnvrtc.so.13, which is the machine's C++ compiler (compile.c). With PRETEND_LATE=1 it compiles
** nothing, and PTX is the text itself, which the driver compiles when a program asks for it (module.c). With
** PRETEND_OPEN_MS=n it takes so many milliseconds to tell its version.
*/
#include "compile.h"
#include "cuda/cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct _nvrtcProgram {
  pretend_text as;
};

static bool is_set(const char *name) {
  const char *value = getenv(name);
  return value && atoi(value);
}

#define PASS_NVRTC(name, parameters) EXPORT nvrtcResult name parameters
/* What a copy of this library under the name of another version claims to be. The last row is for any other name. */
typedef struct claim {
  const char *file;
  int major, minor, narch, arch[5];
} claim;
static const claim *what_it_is(void) {
  static const claim claims[] = { { "libnvrtc.so.11.2", 11, 8, 3, { 75, 80, 90 } },
                                  { "libnvrtc.so.12", 12, 8, 5, { 75, 80, 90, 100, 120 } },
                                  { "", 13, 0, 4, { 75, 80, 90, 99 } } };
  Dl_info info;
  const claim *c = claims;
  const char *name = dladdr(claims, &info) ? strrchr(info.dli_fname, '/') : NULL;
  while (*c->file && !(name && !strcmp(name + 1, c->file))) c++;
  return c;
}

PASS_NVRTC(nvrtcVersion, (int *major, int *minor))
{
  const char *ms = getenv("PRETEND_OPEN_MS");
  if (ms) usleep((useconds_t)atoi(ms) * 1000);
  *major = what_it_is()->major;
  *minor = what_it_is()->minor;
  return 0;
}
EXPORT const char *nvrtcGetErrorString(nvrtcResult result) { return "pretended"; }
PASS_NVRTC(nvrtcGetNumSupportedArchs, (int *count))
{
  *count = what_it_is()->narch;
  return 0;
}
PASS_NVRTC(nvrtcGetSupportedArchs, (int *archs))
{
  memcpy(archs, what_it_is()->arch, (size_t)what_it_is()->narch * sizeof *archs);
  return 0;
}
PASS_NVRTC(nvrtcCreateProgram, (nvrtcProgram * program, const char *text, const char *name, int nheader,
                                const char *const *headers, const char *const *names))
{
  *program = calloc(1, sizeof **program);
  (*program)->as.text = strdup(text);
  return 0;
}
PASS_NVRTC(nvrtcDestroyProgram, (nvrtcProgram * program))
{
  for (int i = 0; i < (*program)->as.nexpression; i++) free((*program)->as.expression[i]);
  free((*program)->as.text);
  free((*program)->as.log);
  free((*program)->as.image);
  free(*program);
  return 0;
}

PASS_NVRTC(nvrtcAddNameExpression, (nvrtcProgram program, const char *expression))
{
  if (program->as.nexpression < MOST_EXPRESSIONS)
    program->as.expression[program->as.nexpression++] = strdup(expression);
  return 0;
}
PASS_NVRTC(nvrtcGetLoweredName, (nvrtcProgram program, const char *expression, const char **lowered))
{
  static char name[32];
  int i = 0;
  while (i < program->as.nexpression && strcmp(program->as.expression[i], expression)) i++;
  snprintf(name, sizeof name, "expression%d", i);
  *lowered = name;
  return 0;
}

/* An image without a kernel, of which PRETEND_IDLE=1 (driver.c) asks nothing, and PRETEND_LATE=1 of a cubin. */
static nvrtcResult compile_nothing(nvrtcProgram program) {
  program->as.log = strdup("");
  program->as.size = sizeof(size_t);
  program->as.image = calloc(1, program->as.size);
  return 0;
}

PASS_NVRTC(nvrtcCompileProgram, (nvrtcProgram program, int noption, const char *const *options))
{
  if (is_set("PRETEND_IDLE") || is_set("PRETEND_LATE")) return compile_nothing(program);
  char own[2000] = "";
  /* -D and -I are the preprocessor's of both; the toolkit's headers are not for this compiler */
  for (int i = 0; i < noption; i++)
    if ((!strncmp(options[i], "-D", 2) || (!strncmp(options[i], "-I", 2) && !strstr(options[i], "/cuda/"))) &&
        !strchr(options[i], '\'')) {
      size_t n = strlen(own);
      snprintf(own + n, sizeof own - n, " '%s'", options[i]);
    }
  return pretend_compile(&program->as, own) ? 0 : NVRTC_ERROR_COMPILATION;
}
PASS_NVRTC(nvrtcGetProgramLogSize, (nvrtcProgram program, size_t *size))
{
  *size = strlen(program->as.log) + 1;
  return 0;
}
PASS_NVRTC(nvrtcGetProgramLog, (nvrtcProgram program, char *log))
{
  strcpy(log, program->as.log);
  return 0;
}
/* PTX is the image as text, two letters a byte, or the kernel's own text. */
PASS_NVRTC(nvrtcGetPTXSize, (nvrtcProgram program, size_t *size))
{
  *size = is_set("PRETEND_LATE") ? strlen(program->as.text) + sizeof PRETEND_LATE
                                 : 2 * program->as.size + sizeof PRETEND_PTX;
  return 0;
}
PASS_NVRTC(nvrtcGetPTX, (nvrtcProgram program, char *ptx))
{
  if (is_set("PRETEND_LATE")) {
    strcpy(stpcpy(ptx, PRETEND_LATE), program->as.text);
    return 0;
  }
  ptx = stpcpy(ptx, PRETEND_PTX);
  for (size_t k = 0; k < program->as.size; k++) {
    *ptx++ = (char)('a' + (program->as.image[k] >> 4 & 15));
    *ptx++ = (char)('a' + (program->as.image[k] & 15));
  }
  *ptx = 0;
  return 0;
}
PASS_NVRTC(nvrtcGetCUBINSize, (nvrtcProgram program, size_t *size))
{
  *size = program->as.size;
  return 0;
}
PASS_NVRTC(nvrtcGetCUBIN, (nvrtcProgram program, char *cubin))
{
  memcpy(cubin, program->as.image, program->as.size);
  return 0;
}
