/* nvrtc.c: a pretended libnvrtc.so.13, which is the machine's C++ compiler: an image is a shared library (driver.c). */
#include "cuda/cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

#define PRETEND_PTX "// pretended PTX\n" /* driver.c has it too */
#define MOST_EXPRESSIONS 32
struct _nvrtcProgram {
  char *text, *log, *image;
  size_t size;
  int nexpression;
  char *expression[MOST_EXPRESSIONS];
};

#define PASS_NVRTC(name, parameters) EXPORT nvrtcResult name parameters
/* What a copy of this library under the name of another version claims to be; the last row is that of any other name. */
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
  (*program)->text = strdup(text);
  return 0;
}
PASS_NVRTC(nvrtcDestroyProgram, (nvrtcProgram * program))
{
  for (int i = 0; i < (*program)->nexpression; i++) free((*program)->expression[i]);
  free((*program)->text);
  free((*program)->log);
  free((*program)->image);
  free(*program);
  return 0;
}

PASS_NVRTC(nvrtcAddNameExpression, (nvrtcProgram program, const char *expression))
{
  if (program->nexpression < MOST_EXPRESSIONS) program->expression[program->nexpression++] = strdup(expression);
  return 0;
}
PASS_NVRTC(nvrtcGetLoweredName, (nvrtcProgram program, const char *expression, const char **lowered))
{
  static char name[32];
  int i = 0;
  while (i < program->nexpression && strcmp(program->expression[i], expression)) i++;
  snprintf(name, sizeof name, "expression%d", i);
  *lowered = name;
  return 0;
}

/* Statements of PTX that scalar.h has, as calls of pretend.h. */
static void write_text(FILE *f, const char *text) {
  static const struct {
    const char *ptx, *instead;
  } table[] = { { "asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x))", "y = pretend_from_half(x)" },
                { "asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x))", "y = pretend_to_half(x)" } };
  while (*text) {
    bool found = false;
    for (int i = 0; i < 2 && *text == 'a' && !found; i++)
      if (!strncmp(text, table[i].ptx, strlen(table[i].ptx))) {
        fputs(table[i].instead, f);
        text += strlen(table[i].ptx);
        found = true;
      }
    if (!strncmp(text, "extern __shared__", 17)) { /* T name[] becomes an array large enough */
      int n = (int)strcspn(text + 7, "[;");
      fprintf(f, "static __attribute__((aligned(16))) %.*s[65536]", n - 10, text + 17);
      text += 7 + n + strcspn(text + 7 + n, ";");
    } else if (!found) fputc(*text++, f);
  }
}

#define LAUNCHER                                                                                      \
  "extern \"C\" void pretend_%.*s(const unsigned *grid, const unsigned *block, void **parameters) { " \
  "pretend_launch(%.*s, grid, block, parameters); }\n"

/* Is it a kernel that expressions name? Then it has C++ linkage. */
static bool is_expression(nvrtcProgram program, const char *name, int n) {
  for (int i = 0; i < program->nexpression; i++) {
    const char *e = program->expression[i], *colon = strrchr(e, ':');
    if (colon) e = colon + 1;
    if (!strncmp(e, name, (size_t)n) && strchr("< ", e[n])) return true;
  }
  return false;
}

static bool is_template(const char *text, const char *at) {
  while (at > text && !strchr(";}{", at[-1]))
    if (!strncmp(--at, "template", 8)) return true;
  return false;
}

/* For each kernel of the preprocessed text, and each expression, a function that launches it. */
static void write_launchers(FILE *f, nvrtcProgram program, const char *text) {
  char name[32];
  for (const char *at = text; (at = strstr(at, "pretend_global void "));) {
    at += strlen("pretend_global void ");
    at += strspn(at, " \n");
    int n = (int)strcspn(at, "( \n");
    if (!is_expression(program, at, n) && !is_template(text, at)) fprintf(f, LAUNCHER, n, at, n, at);
  }
  for (int i = 0; i < program->nexpression; i++) {
    const char *e = program->expression[i];
    fprintf(f, LAUNCHER, snprintf(name, sizeof name, "expression%d", i), name, (int)strlen(e), e);
  }
}

static char *read_file(const char *path, size_t head, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  size_t n = (size_t)ftell(f);
  rewind(f);
  char *bytes = calloc(1, head + n + 1);
  *size = head + fread(bytes + head, 1, n, f);
  fclose(f);
  return bytes;
}

/* The text is preprocessed first, to see which kernels there are, and then compiled with their launchers. */
static bool compile(nvrtcProgram program, const char *folder, const char *options) {
  char path[100], command[3000];
  size_t size;
  snprintf(path, sizeof path, "%s/k.cpp", folder);
  FILE *f = fopen(path, "w");
  bool waits = strstr(program->text, "__sync") || strstr(program->text, "_sync(");
  const char *cluster = strstr(program->text, "#define CLUSTER ");
  fprintf(f, "#define PRETEND_WAITS %d\n#define PRETEND_CLUSTER %d\n#include \"pretend.h\"\n#line 1 \"kernel\"\n",
          waits, cluster ? atoi(cluster + strlen("#define CLUSTER ")) : 1);
  write_text(f, program->text);
  fclose(f);
  snprintf(command, sizeof command, "LD_LIBRARY_PATH= g++ -std=c++17 -E%s -I%s -o %s/k.ii %s/k.cpp 2>%s/log", options,
           PRETEND_FOLDER, folder, folder, folder);
  if (system(command)) return false;
  snprintf(path, sizeof path, "%s/k.ii", folder);
  char *text = read_file(path, 0, &size);
  f = fopen(path, "a");
  write_launchers(f, program, text);
  fclose(f);
  free(text);
  snprintf(command, sizeof command,
           "LD_LIBRARY_PATH= g++ -std=c++17 -O1 -w -shared -fPIC -fwrapv -fno-strict-aliasing -ffp-contract=off "
           "-Dpretend_global= -x c++ -o %s/k.so %s/k.ii 2>%s/log",
           folder, folder, folder);
  if (system(command)) return false;
  snprintf(path, sizeof path, "%s/k.so", folder);
  program->image = read_file(path, sizeof(size_t), &program->size);
  size = program->size - sizeof size;
  memcpy(program->image, &size, sizeof size);
  return true;
}

/* An image without a kernel, of which PRETEND_IDLE=1 (driver.c) asks nothing. */
static nvrtcResult compile_nothing(nvrtcProgram program) {
  program->log = strdup("");
  program->size = sizeof(size_t);
  program->image = calloc(1, program->size);
  return 0;
}

PASS_NVRTC(nvrtcCompileProgram, (nvrtcProgram program, int noption, const char *const *options))
{
  const char *idle = getenv("PRETEND_IDLE");
  if (idle && atoi(idle)) return compile_nothing(program);
  char folder[] = "/tmp/pretend-XXXXXX", path[100];
  if (!mkdtemp(folder)) return NVRTC_ERROR_COMPILATION;
  char own[2000] = "";
  /* -D and -I are the preprocessor's of both; the toolkit's headers are not for this compiler */
  for (int i = 0; i < noption; i++)
    if ((!strncmp(options[i], "-D", 2) || (!strncmp(options[i], "-I", 2) && !strstr(options[i], "/cuda/"))) &&
        !strchr(options[i], '\'')) {
      size_t n = strlen(own);
      snprintf(own + n, sizeof own - n, " '%s'", options[i]);
    }
  bool ok = compile(program, folder, own);
  size_t size;
  snprintf(path, sizeof path, "%s/log", folder);
  program->log = read_file(path, 0, &size);
  snprintf(path, sizeof path, "rm -rf %s", folder);
  return system(path) == 0 && ok ? 0 : NVRTC_ERROR_COMPILATION;
}
PASS_NVRTC(nvrtcGetProgramLogSize, (nvrtcProgram program, size_t *size))
{
  *size = strlen(program->log) + 1;
  return 0;
}
PASS_NVRTC(nvrtcGetProgramLog, (nvrtcProgram program, char *log))
{
  strcpy(log, program->log);
  return 0;
}
/* PTX is the image as text: two letters a byte. */
PASS_NVRTC(nvrtcGetPTXSize, (nvrtcProgram program, size_t *size))
{
  *size = 2 * program->size + sizeof PRETEND_PTX;
  return 0;
}
PASS_NVRTC(nvrtcGetPTX, (nvrtcProgram program, char *ptx))
{
  ptx = stpcpy(ptx, PRETEND_PTX);
  for (size_t k = 0; k < program->size; k++) {
    *ptx++ = (char)('a' + (program->image[k] >> 4 & 15));
    *ptx++ = (char)('a' + (program->image[k] & 15));
  }
  *ptx = 0;
  return 0;
}
PASS_NVRTC(nvrtcGetCUBINSize, (nvrtcProgram program, size_t *size))
{
  *size = program->size;
  return 0;
}
PASS_NVRTC(nvrtcGetCUBIN, (nvrtcProgram program, char *cubin))
{
  memcpy(cubin, program->image, program->size);
  return 0;
}
