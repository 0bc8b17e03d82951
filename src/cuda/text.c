/* text.c: text that grows, and the kernel texts that are embedded in the module. */
#include "cuda.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool grow(ma_cuda_text *text, size_t more) {
  if (text->failed) return false;
  if (text->size + more < text->room) return true;
  size_t room = (text->size + more) * 2 + 1024;
  char *bytes = realloc(text->bytes, room);
  if (!bytes) { ma_cuda_text_free(text); text->failed = true; return false; }
  text->bytes = bytes;
  text->room = room;
  return true;
}

static void put_bytes(ma_cuda_text *text, const char *bytes, size_t n) {
  if (!grow(text, n)) return;
  memcpy(text->bytes + text->size, bytes, n);
  text->size += n;
  text->bytes[text->size] = 0;
}

void ma_cuda_text_put(ma_cuda_text *text, const char *string) { put_bytes(text, string, strlen(string)); }

void ma_cuda_text_add(ma_cuda_text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (n < 0 || !grow(text, (size_t)n)) return;
  va_start(args, format);
  vsnprintf(text->bytes + text->size, text->room - text->size, format, args);
  va_end(args);
  text->size += (size_t)n;
}

void ma_cuda_text_free(ma_cuda_text *text) {
  free(text->bytes);
  memset(text, 0, sizeof *text);
}

/* ---- Embedded files ---- */

static const struct { const char *name, *text; } files[] = {
#define EMBED(name, text) {name, text},
#include "kernels.inc"
};

const char *ma_cuda_embedded(const char *name) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (!strcmp(files[i].name, name)) return files[i].text;
  return NULL;
}

void ma_cuda_print(ma_cuda_text *text, const ma_cuda_family *family, const void *what) {
  ma_cuda_text_put(text, ma_cuda_embedded("scalar.h"));
  ma_cuda_text_put(text, ma_cuda_embedded("prelude.cuh"));
  family->print(text, what);
}
