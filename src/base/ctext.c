/* ctext.c: C and CUDA C++ text that grows, the kernel texts that are embedded in the module, and a hash for keys of
** kernels. */
#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool grow(ma_ctext *text, size_t more) {
  if (text->failed) return false;
  if (text->size + more < text->room) return true;
  size_t room = (text->size + more) * 2 + 1024;
  char *bytes = realloc(text->bytes, room);
  if (!bytes) {
    ma_ctext_free(text);
    text->failed = true;
    return false;
  }
  text->bytes = bytes;
  text->room = room;
  return true;
}

static void put_bytes(ma_ctext *text, const char *bytes, size_t n) {
  if (!grow(text, n)) return;
  memcpy(text->bytes + text->size, bytes, n);
  text->size += n;
  text->bytes[text->size] = 0;
}

void ma_ctext_put(ma_ctext *text, const char *string) { put_bytes(text, string, strlen(string)); }

void ma_ctext_add(ma_ctext *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = ma_vprint(NULL, 0, format, args);
  va_end(args);
  if (n < 0 || !grow(text, (size_t)n)) return;
  va_start(args, format);
  ma_vprint(text->bytes + text->size, text->room - text->size, format, args);
  va_end(args);
  text->size += (size_t)n;
}

void ma_ctext_free(ma_ctext *text) {
  free(text->bytes);
  memset(text, 0, sizeof *text);
}

/* ---- Embedded files ---- */

static const struct {
  const char *name, *text;
} files[] = {
#define EMBED(name, text) { name, text },
#include "kernels.inc"
};

const char *ma_embedded(const char *name) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (!strcmp(files[i].name, name)) return files[i].text;
  return NULL;
}

const char *ma_embedded_end(const char *text, const char *at) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    size_t n = strlen(files[i].text);
    for (const char *p = text; (p = strstr(p, files[i].text)) && p <= at; p += n)
      if (at < p + n) return p + n;
  }
  return NULL;
}

/* ---- Hash ---- */

/* Multiplies and folds, eight bytes at a time. It need not resist attacks: keys are compared too, and the cache
** folder belongs to the user. */
static inline uint64_t fold(uint64_t a, uint64_t b) {
  __uint128_t p = (__uint128_t)a * b;
  return (uint64_t)p ^ (uint64_t)(p >> 64);
}

uint64_t ma_hash(const void *bytes, size_t size, uint64_t seed) {
  const unsigned char *p = bytes;
  uint64_t h = seed ^ 0xa0761d6478bd642fu, word;
  size_t n = size;
  for (; n >= 8; n -= 8, p += 8) {
    memcpy(&word, p, 8);
    h = fold(h ^ word, 0xe7037ed1a0b428dbu) + 0x8ebc6af09c88c6e3u;
  }
  word = 0;
  memcpy(&word, p, n);
  h = fold(h ^ word, 0x589965cc75374cc3u ^ size);
  return fold(h ^ 0x1d8e4e27c47d124fu, 0xeb44accab455d165u);
}
