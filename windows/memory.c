/*
** memory.c: memory whose address is a multiple of more than 16, and which free takes as any other. Windows' C library
** wants another function for that. So malloc and its kin are these for the whole library.
*/
#include "windows/posix.h"

#include <malloc.h>
#include <windows.h>

#define LEAST 16 /* what malloc promises */

void *malloc(size_t size) { return _aligned_malloc(size ? size : 1, LEAST); }

void *calloc(size_t n, size_t size) {
  size_t whole;
  if (__builtin_mul_overflow(n, size, &whole)) return NULL;
  void *memory = malloc(whole);
  return memory ? memset(memory, 0, whole) : NULL;
}

void *realloc(void *memory, size_t size) { return _aligned_realloc(memory, size ? size : 1, LEAST); }
void free(void *memory) { _aligned_free(memory); }

void *aligned_alloc(size_t alignment, size_t size) {
  return _aligned_malloc(size ? size : 1, alignment > LEAST ? alignment : LEAST);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = aligned_alloc(alignment, size);
  return *memory ? 0 : ENOMEM;
}

char *strndup(const char *text, size_t most) {
  size_t n = strnlen(text, most);
  char *copy = malloc(n + 1);
  if (!copy) return NULL;
  memcpy(copy, text, n);
  copy[n] = 0;
  return copy;
}

char *strdup(const char *text) { return strndup(text, strlen(text)); }

char *stpcpy(char *to, const char *from) {
  size_t n = strlen(from);
  return (char *)memcpy(to, from, n + 1) + n;
}

void *memmem(const void *in, size_t room, const void *what, size_t size) {
  const char *at = in;
  for (; size <= room; at++, room--)
    if (!memcmp(at, what, size)) return (void *)at;
  return NULL;
}

/* ==== Pages ====================================================================================================== */

void *mmap(void *at, size_t size, int protection, int flags, int fd, int64_t offset) {
  void *memory = VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  return memory ? memory : MAP_FAILED;
}

int munmap(void *memory, size_t size) { return VirtualFree(memory, 0, MEM_RELEASE) ? 0 : -1; }

int mprotect(void *memory, size_t size, int protection) {
  DWORD before, wanted = protection == PROT_NONE   ? PAGE_NOACCESS
                         : protection & PROT_WRITE ? PAGE_READWRITE
                                                   : PAGE_READONLY;
  return VirtualProtect(memory, size, wanted, &before) ? 0 : -1;
}
