/* compile.c: a kernel's text becomes a shared library, by the machine's C++ compiler (compile.h). */
#include "compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static bool is_expression(const pretend_text *program, const char *name, int n) {
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
static void write_launchers(FILE *f, const pretend_text *program, const char *text) {
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
static bool compile(pretend_text *program, const char *folder, const char *options) {
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

bool pretend_compile(pretend_text *text, const char *options) {
  char folder[] = "/tmp/pretend-XXXXXX", path[100];
  size_t size;
  if (!mkdtemp(folder)) return false;
  bool ok = compile(text, folder, options);
  snprintf(path, sizeof path, "%s/log", folder);
  text->log = read_file(path, 0, &size);
  snprintf(path, sizeof path, "rm -rf %s", folder);
  return system(path) == 0 && ok;
}
