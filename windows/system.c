/* system.c: words and places of Windows. */
#include "system/system.h"

#include <cpuid.h>
#include <stdlib.h>
#include <windows.h>

static const char *const compilers[] = { "c++", "g++", "clang++", "zig c++", "python -m ziglang c++", NULL };

const ma_system_words ma_system = {
  .id = MA_SYSTEM_WINDOWS,
  .list = ';',
  .separators = "/\\",
  .program_ending = ".exe",
  .object_ending = ".dll",
  .program_folders = "",
  .cache = { { "LOCALAPPDATA", "/moonarray" }, { "USERPROFILE", "/.cache/moonarray" } },
  .no_cache = "(no LOCALAPPDATA)",
  .temporary = { "TEMP", "TMP" },
  .temporary_folder = "",
  .compilers = compilers,
  .install = "put the folder of MinGW-w64's g++ or of zig in PATH, or pip install ziglang",
  .stack = 132 << 10, /* Windows gives each byte memory at once */
};

bool ma_path_is_absolute(const char *path) {
  char first = path[0];
  bool drive = (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
  return first == '/' || first == '\\' || (drive && path[1] == ':' && (path[2] == '/' || path[2] == '\\'));
}

const char *ma_path_last(const char *path) {
  const char *last = NULL;
  for (const char *at = path; *at; at++)
    if (*at == '/' || *at == '\\') last = at;
  return last;
}

void ma_system_processor(char *name, size_t size, uint64_t *features) {
  unsigned word[12] = { 0 }, feature[6] = { 0 };
  for (unsigned k = 0; k < 3; k++)
    __get_cpuid(0x80000002 + k, &word[4 * k], &word[4 * k + 1], &word[4 * k + 2], &word[4 * k + 3]);
  const char *brand = (const char *)word;
  while (*brand == ' ') brand++;
  snprintf(name, size, "%.*s", (int)(sizeof word - (size_t)(brand - (const char *)word)), *brand ? brand : "CPU");
  __get_cpuid(1, &feature[0], &feature[1], &feature[2], &feature[3]);
  unsigned rest;
  __get_cpuid_count(7, 0, &rest, &feature[4], &feature[5], &rest);
  feature[1] = 0; /* the number of the processor that answers */
  *features = ma_hash(feature, sizeof feature, 1);
}

int ma_system_duplicate(int fd) {
  errno = EBADF;
  return -1;
}

/* ==== The end of the process ===================================================================================== */

static void (*called)(int status);
static void ended(void) { called(-1); }

void ma_system_at_exit(void (*call)(int status)) {
  called = call;
  atexit(ended);
}

/* What may be written there is for its lists of rights to say. */
bool ma_system_has_modes(int fd) { return false; }
bool ma_system_group_is_private(unsigned user, unsigned group) { return false; }
