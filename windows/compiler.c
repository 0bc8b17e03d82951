/*
** compiler.c: c++.exe for the specs under Wine. It hands its words to the g++ of mingw-w64 on this system, through
** windows/shell, and waits for the end. So kernels for the CPU compile as they do on a Windows with MinGW.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* A word for the shell, in quotes. A path of drive Z: is a path of this system, C: lies in Wine's folder. */
static void put(FILE *to, const char *word) {
  fputs(" '", to);
  for (const char *at = word; *at; at++) {
    if (strchr("CZcz", *at) && at[1] == ':' && (at[2] == '/' || at[2] == '\\')) {
      if (*at == 'C' || *at == 'c') fprintf(to, "%s/drive_c", getenv("WINEPREFIX"));
      at += 2;
    }
    if (*at == '\'') fputs("'\\''", to);
    else fputc(*at == '\\' && at[1] != '"' ? '/' : *at, to);
  }
  fputc('\'', to);
}

static int show(const char *path, FILE *to) {
  FILE *from = fopen(path, "rb");
  char bytes[4096];
  size_t n;
  if (!from) return 1;
  while ((n = fread(bytes, 1, sizeof bytes, from)) > 0) fwrite(bytes, 1, n, to);
  return fclose(from);
}

int main(int argc, char **argv) {
  static const char *const endings[] = { ".in", ".out", ".err", ".done" };
  const char *folder = getenv("MOONARRAY_SPEC_SHELL");
  char name[600], path[700], run[700];
  int code = 255;
  if (!folder) return fputs("c++: windows/test runs this program\n", stderr), 255;
  snprintf(name, sizeof name, "%s/cxx-%lu-%lu", folder, GetCurrentProcessId(), GetTickCount());
  snprintf(path, sizeof path, "%s.in", name);
  fclose(fopen(path, "wb"));
  snprintf(path, sizeof path, "%s.new", name);
  snprintf(run, sizeof run, "%s.run", name);
  FILE *to = fopen(path, "wb");
  if (!to) return fprintf(stderr, "c++: no %s\n", path), 255;
  fputs("exec x86_64-w64-mingw32-g++-posix", to);
  for (int i = 1; i < argc; i++) put(to, argv[i]);
  fclose(to);
  rename(path, run);
  snprintf(path, sizeof path, "%s.done", name);
  while (GetFileAttributesA(path) == INVALID_FILE_ATTRIBUTES) Sleep(10);
  FILE *done = fopen(path, "rb");
  if (!done || fscanf(done, "%d", &code) != 1) code = 255;
  if (done) fclose(done);
  snprintf(path, sizeof path, "%s.out", name);
  show(path, stdout);
  snprintf(path, sizeof path, "%s.err", name);
  show(path, stderr);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    snprintf(path, sizeof path, "%s%s", name, endings[i]);
    remove(path);
  }
  return code;
}
