/* include.c: headers in a source that is rewritten. The user's headers, and those that the module brings, are
** inserted, so that the text is complete. Headers of CUDA are removed; the compiler's own stay. */
#include "cpu/kernel/absent.h"
#include "cpu/kernel/header.h"
#include "cpu/kernel/rewriter.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILE ((long)16 << 20)

const char *ma_cpu_option(const ma_module_source *source, int *k, char letter) {
  const char *option = source->option[*k], *name = letter == 'D'   ? "--define-macro"
                                                   : letter == 'U' ? "--undefine-macro"
                                                                   : "--include-path";
  size_t n = option[0] == '-' && option[1] == letter ? 2 : !strncmp(option, name, strlen(name)) ? strlen(name) : 0;
  if (!n || (n > 2 && option[n] && option[n] != '=')) return NULL;
  if (option[n]) return option + n + (option[n] == '=');
  return *k + 1 < source->noption ? source->option[++*k] : NULL;
}

static char *read_file(const char *path) {
  struct stat st;
  FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rbe") : NULL;
  if (!f) return NULL;
  char *bytes = NULL;
  long n = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  if (n >= 0 && n <= MAX_FILE && fseek(f, 0, SEEK_SET) == 0 && (bytes = calloc(1, (size_t)n + 1)) &&
      fread(bytes, 1, (size_t)n, f) != (size_t)n) {
    free(bytes);
    bytes = NULL;
  }
  fclose(f);
  return bytes;
}

/* Finds a header of the user's: beside the including file, or in one of the -I folders. */
static char *find_header(rewriter *w, const char *name, bool quoted, const place *where, char *path, size_t size) {
  const char *slash = where->path ? ma_path_last(where->path) : NULL;
  if (ma_path_is_absolute(name)) {
    snprintf(path, size, "%s", name);
    return read_file(path);
  }
  if (quoted && slash) {
    snprintf(path, size, "%.*s/%s", (int)(slash - where->path), where->path, name);
    char *text = read_file(path);
    if (text) return text;
  }
  for (int k = 0; k < w->source->noption; k++) {
    const char *folder = ma_cpu_option(w->source, &k, 'I');
    if (!folder) continue;
    snprintf(path, size, "%s/%s", folder, name);
    char *text = read_file(path);
    if (text) return text;
  }
  return NULL;
}

static ma_status put_header(rewriter *w, char *text, const char *path, const place *where, int line) {
  for (int i = 0; i < w->nonce; i++)
    if (!strcmp(w->once[i], path)) {
      free(text);
      return MA_OK;
    }
  if (where->depth == MAX_INCLUDE || w->nfile == (int)(sizeof w->file / sizeof *w->file)) {
    free(text);
    return ma_fail(MA_ERR_COMPILE, "%s:%d: headers include each other more than %d deep, or are too many", where->name,
                   line, MAX_INCLUDE);
  }
  w->file[w->nfile++] = text;
  place inside = { path, path, where->depth + 1 };
  ma_cpu_put_line_mark(w->out, 1, path);
  MA_TRY(ma_cpu_rewrite_text(w, text, &inside));
  ma_cpu_put_line_mark(w->out, line + 1, where->name);
  return MA_OK;
}

/* *taken: the directive must not be copied. */
ma_status ma_cpu_include(rewriter *w, const ma_token *token, const char *at, const place *where, bool *taken) {
  char name[512], path[1200];
  while (*at == ' ' || *at == '\t') at++;
  char close = *at == '<' ? '>' : '"';
  if (*at != '<' && *at != '"') return MA_OK;
  size_t n = strcspn(at + 1, close == '>' ? ">\n" : "\"\n");
  if (at[1 + n] != close || n == 0 || n >= sizeof name) return MA_OK;
  snprintf(name, sizeof name, "%.*s", (int)n, at + 1);
  char *text = find_header(w, name, close == '"', where, path, sizeof path);
  const char *embedded = text ? NULL : ma_embedded(name);
  *taken = true;
  if (!text && !strcmp(name, "cupy/complex.cuh")) {
    w->result->wants_complex = true;
    return MA_OK;
  }
  if (text) return put_header(w, text, path, where, token->line);
  if (embedded) {
    ma_cpu_put_line_mark(w->out, 1, name);
    ma_ctext_put(w->out, embedded);
    ma_cpu_note_indices_in(w, embedded);
    ma_cpu_put_line_mark(w->out, token->line + 1, where->name);
    return MA_OK;
  }
  if (ma_cpu_header_is_here(name)) return MA_OK;
  *taken = false;
  const char *instead = w->conditional == 0 ? ma_cpu_header_absent(name) : NULL;
  if (instead)
    return ma_fail(MA_ERR_COMPILE, "%s:%d: %s is not there on a CPU; wanted %s", where->name, token->line, name,
                   instead);
  w->result->reads_thread = true; /* a header that is not seen here may */
  ma_ctext_put(w->out, "\n#pragma GCC visibility push(default)");
  ma_cpu_put_line_mark(w->out, token->line, where->name);
  ma_ctext_add(w->out, "%.*s\n#pragma GCC visibility pop", (int)token->size, token->start);
  ma_cpu_put_line_mark(w->out, token->line + 1, where->name);
  *taken = true;
  return MA_OK;
}
