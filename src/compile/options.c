/*
** options.c: compiler options of elementwise and reduction kernels. A body keeps them one a line: -DNAME=VALUE, -UNAME,
** -IFOLDER, --std=c++20, then "// path hash" for each file that the preamble includes, so that a changed header makes
** another body. Definitions become directives after the library's text, which they therefore cannot change. The other
** options are passed to the compiler.
*/
#include "compile/lex.h"
#include "compile/compile.h"
#include "compile/body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  char ours;
} valued[] = {
  { "--define-macro", 'D' },
  { "--undefine-macro", 'U' },
  { "--include-path", 'I' },
  { "-D", 'D' },
  { "-U", 'U' },
  { "-I", 'I' },
};

static ma_status add_valued(ma_ctext *lines, char kind, const char *value) {
  char name[40];
  if (!*value)
    return ma_fail(MA_ERR_VALUE, "option -%c with nothing behind it; wanted -%c%s", kind, kind,
                   kind == 'I' ? "FOLDER" : "NAME");
  if (kind != 'I') {
    snprintf(name, sizeof name, "%.*s", kind == 'D' ? (int)strcspn(value, "=") : (int)strlen(value), value);
    MA_TRY(ma_name_check("the name that an option defines", name));
    if (value[strlen(value) - 1] == '\\')
      return ma_fail(MA_ERR_VALUE, "option '-%c%.80s' ends in a backslash; wanted one line", kind, value);
  }
  ma_ctext_add(lines, "-%c%s\n", kind, value);
  return MA_OK;
}

/* The library's text is C++17, so an older standard is replaced by C++17. */
static bool add_standard(ma_ctext *lines, const char *option) {
  option += option[0] == '-' && option[1] == '-';
  if (strncmp(option, "-std=c++", 8)) return false;
  int year = atoi(option + 8);
  if (strlen(option) != 10 || strspn(option + 8, "0123456789") != 2) return false;
  if (year > 17 && year < 90) ma_ctext_add(lines, "--std=c++%02d\n", year);
  return true;
}

static ma_status add_option(ma_ctext *lines, const char *const *option, int noption, int *k) {
  const char *o = option[*k];
  if (strpbrk(o, "\n\r")) return ma_fail(MA_ERR_VALUE, "option %d has a line's end in it; wanted one line", *k + 1);
  for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
    size_t n = strlen(valued[i].name);
    if (strncmp(o, valued[i].name, n)) continue;
    if (!o[n] && *k + 1 < noption) return add_valued(lines, valued[i].ours, option[++*k]);
    if (o[1] == '-' && o[n] && o[n] != '=') continue;
    return add_valued(lines, valued[i].ours, o + n + (o[n] == '=' && (o[1] == '-' || valued[i].ours == 'I')));
  }
  if (add_standard(lines, o)) return MA_OK;
  return ma_fail(MA_ERR_VALUE,
                 "option '%.100s'; this kind of kernel takes -DNAME=VALUE, -UNAME, -IFOLDER and --std=c++20, and no "
                 "option that changes "
                 "its arithmetic, which has the same bits on both devices (a RawKernel takes every option)",
                 o);
}

ma_status ma_options_read(ma_ctext *lines, const char *const *option, int noption, const char *preamble) {
  for (int k = 0; k < noption; k++) MA_TRY(add_option(lines, option, noption, &k));
  if (strstr(preamble, "include")) ma_includes_print(lines, preamble, option, noption);
  return lines->failed ? ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's options") : MA_OK;
}

void ma_options_print(ma_ctext *text, const char *options) {
  for (const char *at = options; *at; at += *at == '\n') {
    int n = (int)strcspn(at, "\n"), name = (int)strcspn(at, "=\n");
    if (n > 2 && *at == '-' && at[1] == 'U') ma_ctext_add(text, "#undef %.*s\n", n - 2, at + 2);
    if (n > 2 && *at == '-' && at[1] == 'D')
      ma_ctext_add(text, "#define %.*s %.*s\n", name - 2, at + 2, name < n ? n - name - 1 : 1,
                   name < n ? at + name + 1 : "1");
    at += n;
  }
}

int ma_options_split(char *copy, const char **option) {
  int n = 0;
  for (char *save = NULL, *at = strtok_r(copy, "\n", &save); at && n < MA_MAX_OPTIONS; at = strtok_r(NULL, "\n", &save))
    if (*at == '-' && at[1] != 'D' && at[1] != 'U') option[n++] = at;
  return n;
}

bool ma_body_reads_files(const ma_body *body) {
  for (const char *at = body->options; *at; at += *at == '\n') {
    if (*at == '-' && (at[1] == 'I' || at[1] == '-')) return true;
    at += strcspn(at, "\n");
  }
  ma_lex lex = { body->preamble, 1 };
  ma_token token;
  while (ma_lex_next(&lex, &token)) {
    if (token.kind != MA_TOKEN_DIRECTIVE) continue;
    const char *at = token.start + 1;
    if (!strncmp(at + strspn(at, " \t"), "include", 7)) return true;
  }
  return false;
}
