/* includes.c: finds the files that a text of the user includes, with their contents, for keys of caches. It looks
** beside the including file and in the folders of the options. A file is named as it is included, so that a key does
** not say where a machine has it. The compiler's own headers are covered by its version. */
#include "compile/lex.h"
#include "compile/compile.h"
#include "system/system.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_FILES 256
typedef struct search {
  ma_ctext *out;
  const char *const *option;
  int noption;
  int nfile;
  uint64_t seen[MOST_FILES]; /* hashes of paths */
} search;

static void add_file(search *s, const char *path, const char *name, size_t n);

static bool has_seen(search *s, const char *path) {
  uint64_t hash = ma_hash(path, strlen(path), 0);
  for (int i = 0; i < s->nfile; i++)
    if (s->seen[i] == hash) return true;
  if (s->nfile == MOST_FILES) return true;
  s->seen[s->nfile++] = hash;
  return false;
}

/* The folder that option `i` names. "-I" and "--include-path" may be separate options, before the folder. */
static const char *include_folder(const search *s, int i) {
  const char *o = s->option[i];
  if (!strcmp(o, "-I") || !strcmp(o, "--include-path")) return i + 1 < s->noption ? s->option[i + 1] : NULL;
  if (!strncmp(o, "-I=", 3)) return o + 3;
  if (!strncmp(o, "-I", 2)) return o + 2;
  return strncmp(o, "--include-path=", 15) ? NULL : o + 15;
}

/* With `folder` "" the name is the path. */
static bool add_included(search *s, const char *folder, const char *file, size_t n) {
  char path[PATH_MAX];
  struct stat st;
  if (n >= sizeof path ||
      snprintf(path, sizeof path, "%s%s%.*s", folder, *folder ? "/" : "", (int)n, file) >= (int)sizeof path)
    return false;
  if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return false;
  if (!has_seen(s, path)) add_file(s, path, file, n);
  return true;
}

/* Adds a file by the `n` bytes of its name: beside the including file if it is quoted, else from the user's folders. */
static void add_named(search *s, const char *folder, const char *file, size_t n, bool quoted) {
  bool found = ma_path_is_absolute(file) || (quoted && !*folder) ? add_included(s, "", file, n)
                                                                 : *folder && add_included(s, folder, file, n);
  for (int i = 0; i < s->noption && !found; i++) {
    const char *in = include_folder(s, i);
    found = in && *in && add_included(s, in, file, n);
  }
}

/* Adds an include that only a macro names. It is not searched: each time it counts as a different file. */
static void add_unknown(search *s) {
  static unsigned count;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  ma_ctext_add(s->out, "// unknown %lld.%09ld %ld %u\n", (long long)now.tv_sec, now.tv_nsec, (long)getpid(),
               __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED));
}

static void add_includes(search *s, const char *text, const char *folder) {
  ma_lex lex = { text, 1 };
  ma_token token;
  while (ma_lex_next(&lex, &token)) {
    if (token.kind != MA_TOKEN_DIRECTIVE) continue;
    const char *at = token.start + 1, *end = token.start + token.size;
    while (at < end && isblank((unsigned char)*at)) at++;
    if (end - at < 8 || strncmp(at, "include", 7)) continue;
    for (at += 7; at < end && isblank((unsigned char)*at); at++) continue;
    if (at < end && (*at == '"' || *at == '<'))
      add_named(s, folder, at + 1, strcspn(at + 1, *at == '"' ? "\"\n" : ">\n"), *at == '"');
    else if (!*folder) add_unknown(s);
  }
}

/* Reads --pre-include=FILE and -include=FILE, or the file as the next option. */
static void add_preincluded(search *s) {
  static const char *const names[] = { "--pre-include", "-include" };
  for (int i = 0; i < s->noption; i++)
    for (int k = 0; k < 2; k++) {
      size_t n = strlen(names[k]);
      const char *rest = s->option[i] + n;
      if (strncmp(s->option[i], names[k], n)) continue;
      const char *file = *rest == '=' ? rest + 1 : !*rest && i + 1 < s->noption ? s->option[i + 1] : NULL;
      if (file) add_named(s, "", file, strlen(file), true);
    }
}

static char *read_text(const char *path, size_t *size) {
  FILE *f = fopen(path, "rbe");
  if (!f) return NULL;
  size_t room = 1 << 14;
  char *bytes = malloc(room + 1);
  *size = 0;
  for (size_t n; bytes && (n = fread(bytes + *size, 1, room - *size, f)) > 0;) {
    *size += n;
    if (*size < room) continue;
    char *more = realloc(bytes, (room *= 2) + 1);
    if (!more) free(bytes);
    bytes = more;
  }
  fclose(f);
  if (bytes) bytes[*size] = 0;
  return bytes;
}

static void add_file(search *s, const char *path, const char *name, size_t n) {
  char folder[PATH_MAX];
  size_t size;
  char *bytes = read_text(path, &size);
  const char *slash = ma_path_last(path);
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  if (bytes) {
    ma_ctext_add(s->out, "// %.*s %016llx\n", (int)n, name, (unsigned long long)ma_hash(bytes, size, 0));
    add_includes(s, bytes, folder);
  }
  free(bytes);
}

void ma_includes_print(ma_ctext *out, const char *text, const char *const *option, int noption) {
  search *s = calloc(1, sizeof *s);
  if (!s) {
    out->failed = true;
    return;
  }
  s->out = out;
  s->option = option;
  s->noption = noption;
  add_preincluded(s);
  add_includes(s, text, "");
  free(s);
}
