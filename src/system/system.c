/* system.c: words and places of POSIX systems. */
#include "system/system.h"

#include <stdio.h>
#include <string.h>

static const char *const compilers[] = { "c++", "g++", "clang++", NULL };
static const char *const flags[] = { "-fPIC", NULL }, *const none[] = { NULL };

const ma_system_words ma_system = {
  .id = MA_SYSTEM_POSIX,
  .list = ':',
  .separators = "/",
  .program_ending = "",
  .object_ending = ".so",
  .program_folders = "/usr/bin:/bin",
  .cache = { { "XDG_CACHE_HOME", "/moonarray" }, { "HOME", "/.cache/moonarray" } },
  .no_cache = "(no $HOME)",
  .temporary = { "TMPDIR" },
  .temporary_folder = "/tmp",
  .compilers = compilers,
  .install = "install the package g++",
  .compiler_flags = flags,
  .gcc_flags = none,
  .stack = 580 << 10,
};

bool ma_path_is_absolute(const char *path) { return path[0] == '/'; }

const char *ma_path_last(const char *path) { return strrchr(path, '/'); }

/* The value of a line "name : value" without its end. */
static const char *value_of(char *line) {
  char *colon = strchr(line, ':');
  if (!colon) return NULL;
  colon += strspn(colon, ": \t");
  colon[strcspn(colon, "\n")] = 0;
  return colon;
}

void ma_system_processor(char *name, size_t size, uint64_t *features) {
  char line[8192];
  bool named = false;
  FILE *file = fopen("/proc/cpuinfo", "re");
  snprintf(name, size, "CPU");
  *features = 0;
  if (!file) return;
  while (!(named && *features) && fgets(line, sizeof line, file)) {
    if (!*features && (!strncmp(line, "flags", 5) || !strncmp(line, "Features", 8)))
      *features = ma_hash(line, strlen(line), 1);
    const char *value = !named && !strncmp(line, "model name", 10) ? value_of(line) : NULL;
    if (value) snprintf(name, size, "%s", value);
    named |= value != NULL;
  }
  fclose(file);
}
