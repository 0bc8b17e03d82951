/*
** rewrite.c: a CUDA C++ source made into C++ for the CPU. Most of CUDA is macros and functions
** (kernels/cpu/cpu_cuda.h); what is not is changed here, token by token, lines staying where they are: dynamic shared
** memory, headers of CUDA, and headers of the user's own, which are put in place so that the text is all there is to
** compile. What a CPU cannot do is an error with its line. Kernels and variables of file scope are found by their
** declarations, and tables of them end the text.
*/
#include "compile/lex.h"
#include "compile/compile.h"
#include "cpu/kernel/absent.h"
#include "cpu/kernel/header.h"
#include "cpu/kernel/rewrite.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_SCOPE 32
#define MAX_MACRO 32
#define MAX_ONCE 64
#define MAX_INCLUDE 32
#define MAX_FILE ((long)16 << 20)

/* What is said of a name at the beginning of a declaration. */
enum {
  IS_KERNEL = 1,
  IS_EXTERN_C = 2,
  IS_VARIABLE = 4,
  IS_SHARED = 8,
  IS_TEMPLATE = 16,
  IS_EXTERN = 32,
  IS_NAMESPACE = 64,
  IS_TYPE = 128
};

typedef struct statement { /* the declaration of namespace scope that is being read */
  unsigned is;
  int ntoken, paren, angle, bracket, brace;
  bool is_function, assigned;
  ma_token last, name; /* the last name; what the function or the variable is called */
} statement;

typedef struct rewriter {
  const ma_module_source *source;
  ma_cpu_source *result;
  ma_ctext *out, rows; /* rows: of the tables, to be written after the declaration */
  int nrow;
  statement st;
  struct {
    bool extern_c;
    ma_token name;
  } scope[MAX_SCOPE];
  int nscope;
  /* of the user's: #define KERNEL extern "C" __global__ */
  struct {
    ma_token name;
    unsigned is;
  } macro[MAX_MACRO];
  int nmacro;
  char *once[MAX_ONCE]; /* paths of files with #pragma once */
  int nonce;
  char *file[MAX_INCLUDE * 8]; /* texts of headers: tokens point into them */
  int nfile;
  int ndynamic, conditional; /* open #if's */
  /* the static shared memory of the scopes that are open */
  struct {
    int number, brace;
  } held[MAX_SCOPE];
  int nheld, nshared;
  bool lacks_memory;    /* of a part of the text */
  const char *held_end; /* the semicolon behind which `check` is to be written */
  ma_ctext check;
} rewriter;

typedef struct place {
  const char *name, *path;
  int depth;
} place; /* where a text comes from */

static ma_status rewrite_text(rewriter *w, const char *text, const place *where);

/* ==== Names ====================================================================================================== */

static const char *const waiting[] = { "__syncthreads*", "__syncwarp", "__shfl*",   "__ballot*",
                                       "__any_sync",     "__all_sync", "__match_*", "__reduce_*" };

static const struct {
  const char *name;
  unsigned is;
} meaning[] = {
  { "__global__", IS_KERNEL },    { "MA_KERNEL", IS_KERNEL | IS_EXTERN_C },
  { "__device__", IS_VARIABLE },  { "__constant__", IS_VARIABLE },
  { "__managed__", IS_VARIABLE }, { "__shared__", IS_SHARED },
  { "template", IS_TEMPLATE },    { "extern", IS_EXTERN },
  { "namespace", IS_NAMESPACE },  { "typedef", IS_TYPE },
  { "using", IS_TYPE },           { "friend", IS_TYPE },
};

/* Words that have parentheses without being functions. */
static const char *const attribute[] = { "__launch_bounds__", "__maxnreg__", "__attribute__", "__align__",
                                         "alignas",           "decltype",    "__declspec",    "__builtin_align__" };

static bool is_attribute(const ma_token *token) {
  for (size_t i = 0; i < sizeof attribute / sizeof *attribute; i++)
    if (ma_token_is(token, attribute[i])) return true;
  return false;
}

static unsigned meaning_of(const rewriter *w, const ma_token *token) {
  for (size_t i = 0; i < sizeof meaning / sizeof *meaning; i++)
    if (ma_token_is(token, meaning[i].name)) return meaning[i].is;
  for (int i = 0; i < w->nmacro; i++)
    if (w->macro[i].name.size == token->size && !memcmp(w->macro[i].name.start, token->start, token->size))
      return w->macro[i].is;
  return 0;
}

static void note_waiting(rewriter *w, const ma_token *token) {
  for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
    if (ma_cpu_name_matches(token, waiting[i])) w->result->waits = true;
}

/* ==== Writing ==================================================================================================== */

static void put_range(ma_ctext *out, const char *from, const char *to) {
  if (to > from) ma_ctext_add(out, "%.*s", (int)(to - from), from);
}

/* What stood there is gone, its lines are not. */
static void put_lines(ma_ctext *out, const char *from, const char *to) {
  for (; from < to; from++)
    if (*from == '\n') ma_ctext_put(out, "\n");
}

static void put_line_mark(ma_ctext *out, int line, const char *name) {
  ma_ctext_add(out, "\n#line %d \"", line);
  for (; *name; name++)
    ma_ctext_add(out, *name == '"' || *name == '\\' ? "\\%c" : "%c", iscntrl((unsigned char)*name) ? '?' : *name);
  ma_ctext_put(out, "\"\n");
}

/* ==== Declarations of namespace scope ============================================================================ */

static void put_qualified(const rewriter *w, ma_ctext *out, const ma_token *name) {
  for (int i = 0; i < w->nscope; i++)
    if (w->scope[i].name.size) ma_ctext_add(out, "%.*s::", (int)w->scope[i].name.size, w->scope[i].name.start);
  ma_ctext_add(out, "%.*s", (int)name->size, name->start);
}

static void end_declarator(rewriter *w) {
  statement *s = &w->st;
  if (!s->assigned) s->name = s->last;
  if ((s->is & (IS_VARIABLE | IS_TEMPLATE | IS_SHARED | IS_TYPE)) != IS_VARIABLE || (s->is & IS_EXTERN) ||
      s->is_function || !s->name.size)
    return;
  w->result->has_globals = true;
  ma_ctext_put(&w->rows, " static ma_global_row ma_row_");
  ma_ctext_add(&w->rows, "%d(\"", ++w->nrow);
  put_qualified(w, &w->rows, &s->name);
  ma_ctext_add(&w->rows, "\", &%.*s, sizeof %.*s);", (int)s->name.size, s->name.start, (int)s->name.size,
               s->name.start);
}

static void put_kernel(rewriter *w) {
  statement *s = &w->st;
  int n = (int)s->name.size;
  bool extern_c = (s->is & IS_EXTERN_C) != 0;
  for (int i = 0; i < w->nscope; i++) extern_c |= w->scope[i].extern_c;
  if (!(s->is & IS_KERNEL) || (s->is & IS_TEMPLATE) || !s->is_function || !extern_c) return;
  ma_ctext_add(&w->rows, MA_COMPILE_ADDED "ma_row_%d(MA_KERNEL_ENTRY(\"%.*s\", %.*s));", ++w->nrow, n, s->name.start, n,
               s->name.start);
}

/* What was found in the declaration that ends here is told right behind it. */
static void put_rows(rewriter *w) {
  if (w->rows.bytes) ma_ctext_put(w->out, w->rows.bytes);
  w->out->failed |= w->rows.failed;
  ma_ctext_free(&w->rows);
  ma_ctext_free(&w->check);
}

static void restart(rewriter *w) { memset(&w->st, 0, sizeof w->st); }

static ma_status open_brace(rewriter *w) {
  statement *s = &w->st;
  bool linkage = (s->is & IS_EXTERN_C) && s->ntoken == 3; /* extern, "C" and this brace */
  if ((s->is & IS_NAMESPACE) || linkage) {
    if (w->nscope == MAX_SCOPE)
      return ma_fail(MA_ERR_COMPILE, "%s: namespaces more than %d deep", w->source->name, MAX_SCOPE);
    w->scope[w->nscope].extern_c = linkage;
    memset(&w->scope[w->nscope].name, 0, sizeof(ma_token));
    if (!linkage && !ma_token_is(&s->last, "namespace")) w->scope[w->nscope].name = s->last;
    w->nscope++;
    restart(w);
    return MA_OK;
  }
  if (!s->assigned) put_kernel(w);
  s->brace = 1;
  return MA_OK;
}

static void read_name(rewriter *w, const ma_token *token) {
  statement *s = &w->st;
  unsigned is = meaning_of(w, token);
  /* a macro without its semicolon went before */
  if (is && s->is_function && !s->assigned) {
    restart(w);
    s->ntoken = 1;
  }
  s->is |= is;
  if (!is && !s->assigned) s->last = *token;
  else if (is & IS_NAMESPACE) s->last = *token;
}

static ma_status read_punctuation(rewriter *w, const ma_token *token) {
  statement *s = &w->st;
  char c = token->size == 1 ? *token->start : 0;
  bool open = !s->is_function && !s->assigned; /* the name is still to come */
  switch (c) {
  case '(':
    if (open && s->last.size && !is_attribute(&s->last)) {
      s->is_function = true;
      s->name = s->last;
    }
    s->paren = 1;
    break;
  case '[': s->bracket = 1; break;
  case '<':
    if (open && !ma_token_is(&s->last, "operator")) s->angle = 1;
    break;
  case '=':
    if (open && !ma_token_is(&s->last, "operator")) {
      s->name = s->last;
      s->assigned = true;
    }
    break;
  case ',':
    if (!s->is_function) {
      end_declarator(w);
      s->assigned = false;
    }
    break;
  case ';':
    end_declarator(w);
    restart(w);
    break;
  case '{': return open_brace(w);
  case '}':
    if (w->nscope > 0) w->nscope--;
    restart(w);
    break;
  default: break;
  }
  return MA_OK;
}

/* Follows a token at namespace scope, or in what is passed over there: parentheses, brackets, template arguments,
** bodies. */
static ma_status follow(rewriter *w, const ma_token *token) {
  statement *s = &w->st;
  char c = token->kind == MA_TOKEN_PUNCTUATION && token->size == 1 ? *token->start : 0;
  s->ntoken++;
  if (s->brace) {
    s->brace += (c == '{') - (c == '}');
    if (!s->brace && s->is_function && !s->assigned) restart(w);
    return MA_OK;
  }
  if (s->paren) {
    s->paren += (c == '(') - (c == ')');
    return MA_OK;
  }
  if (s->bracket) {
    s->bracket += (c == '[') - (c == ']');
    return MA_OK;
  }
  if (s->angle) {
    s->angle += (c == '<') - (c == '>');
    return MA_OK;
  }
  if (token->kind == MA_TOKEN_NAME) read_name(w, token);
  else if (token->kind == MA_TOKEN_STRING && (s->is & IS_EXTERN) && ma_token_is(token, "\"C\""))
    s->is = (s->is & ~(unsigned)IS_EXTERN) | IS_EXTERN_C;
  else if (token->kind == MA_TOKEN_PUNCTUATION) return read_punctuation(w, token);
  return MA_OK;
}

/* ==== Dynamic shared memory ====================================================================================== */

typedef struct dynamic {
  ma_token name;
  ma_ctext type;
  const char *rest, *end;
} dynamic; /* rest: further extents, up to the semicolon at `end` */

/* extern __shared__ T s[]; from its first token on: is it one? The caller frees the type. */
static bool read_dynamic(const rewriter *w, const char *at, dynamic *d) {
  ma_lex lex = { at, 1 };
  ma_token token, last = { 0 };
  bool is_extern = false, is_shared = false;
  memset(d, 0, sizeof *d);
  for (int n = 0; n < 64 && ma_lex_next(&lex, &token); n++) {
    unsigned is = token.kind == MA_TOKEN_NAME ? meaning_of(w, &token) : 0;
    if (is & (IS_EXTERN | IS_SHARED)) {
      is_extern |= (is & IS_EXTERN) != 0;
      is_shared |= (is & IS_SHARED) != 0;
      continue;
    }
    if (token.kind == MA_TOKEN_NAME && is_attribute(&token)) {
      int depth = 0;
      while (ma_lex_next(&lex, &token) && (depth += (*token.start == '(') - (*token.start == ')')) > 0) {}
      continue;
    }
    if (*token.start == '[') {
      if (!last.size || !is_extern || !is_shared || !ma_lex_next(&lex, &token) || *token.start != ']') return false;
      d->name = last;
      d->rest = lex.at;
      while (ma_lex_next(&lex, &token) && *token.start != ';')
        if (*token.start == ',' || *token.start == '=') return false;
      d->end = token.start;
      return token.kind != MA_TOKEN_END;
    }
    if (strchr(";={}()", *token.start)) return false;
    put_range(&d->type, last.start, last.start + last.size);
    ma_ctext_put(&d->type, " ");
    last = token;
  }
  return false;
}

static void put_dynamic(rewriter *w, const dynamic *d) {
  const char *type = d->type.bytes ? d->type.bytes : "";
  int nrest = (int)(d->end - d->rest), nname = (int)d->name.size;
  bool at_file = w->st.brace == 0;
  while (nrest > 0 && isspace((unsigned char)d->rest[nrest - 1])) nrest--;
  ma_ctext_add(w->out, "%s%s (*%.*s)%.*s", at_file ? "static thread_local " : "", type, nname, d->name.start, nrest,
               d->rest);
  if (!at_file) ma_ctext_add(w->out, " = (%s (*)%.*s)ma_dynamic_shared", type, nrest, d->rest);
  else {
    w->ndynamic++;
    ma_ctext_add(w->out, "; static ma_dynamic_hook ma_dynamic_%d([] { %.*s = (%s (*)%.*s)ma_dynamic_shared; })",
                 w->ndynamic, nname, d->name.start, type, nrest, d->rest);
  }
}

/* ==== Static shared memory ======================================================================================= */

/* A GPU's compiler refuses more than this in one kernel. Each declaration adds to those of the scopes around it. */
#define MOST_STATIC_SHARED "48 * 1024"

static void add_held(rewriter *w, const ma_token *name) {
  ma_ctext_add(&w->check, w->check.size ? " + sizeof(%.*s)" : "sizeof(%.*s)", (int)name->size, name->start);
}

/* The names that __shared__ at `at` declares, if it is of the plain kind: T a[N], b; */
static void check_shared(rewriter *w, const char *at) {
  ma_lex lex = { at, 1 };
  ma_token token, last = { 0 };
  int depth = 0;
  for (int n = 0; n < 256 && ma_lex_next(&lex, &token); n++) {
    char c = token.kind == MA_TOKEN_PUNCTUATION && token.size == 1 ? *token.start : 0;
    if (token.kind == MA_TOKEN_DIRECTIVE || c == '{' || c == '}') break;
    if (depth == 0 && (c == '[' || c == ',' || c == ';') && last.size) {
      add_held(w, &last);
      last.size = 0;
    }
    if (depth == 0 && c == ';') {
      w->held_end = token.start;
      return;
    }
    depth += (c == '(' || c == '[' || (c == '<' && last.size)) - (c == ')' || c == ']' || (c == '>' && depth > 0));
    if (token.kind == MA_TOKEN_NAME && depth == 0) last = token;
  }
  ma_ctext_free(&w->check);
}

static void put_check(rewriter *w) {
  int number = ++w->nshared, around = w->nheld ? w->held[w->nheld - 1].number : 0;
  w->held_end = NULL;
  ma_ctext_add(w->out, MA_COMPILE_CHECK "%d = %s", number, w->check.bytes ? w->check.bytes : "0");
  if (around) ma_ctext_add(w->out, " + ma_held_%d", around);
  ma_ctext_add(w->out,
               "; static_assert(ma_held_%d <= " MOST_STATIC_SHARED
               ", \"a kernel has at most 48 KB of static __shared__ memory, as on a GPU; "
               "extern __shared__ may have more\"); static_assert((1));",
               number);
  ma_ctext_free(&w->check);
  if (w->nheld == MAX_SCOPE) return;
  w->held[w->nheld].number = number;
  w->held[w->nheld++].brace = w->st.brace;
}

/* ==== Headers ==================================================================================================== */

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
  FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
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

/* A header of the user's own: beside the file that asks for it, or in one of the -I folders. */
static char *find_header(rewriter *w, const char *name, bool quoted, const place *where, char *path, size_t size) {
  const char *slash = where->path ? strrchr(where->path, '/') : NULL;
  if (name[0] == '/') {
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
  put_line_mark(w->out, 1, path);
  MA_TRY(rewrite_text(w, text, &inside));
  put_line_mark(w->out, line + 1, where->name);
  return MA_OK;
}

/* *taken: the directive is not to be copied. */
static ma_status include(rewriter *w, const ma_token *token, const char *at, const place *where, bool *taken) {
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
    put_line_mark(w->out, 1, name);
    ma_ctext_put(w->out, embedded);
    put_line_mark(w->out, token->line + 1, where->name);
    return MA_OK;
  }
  if (ma_cpu_header_is_here(name)) return MA_OK;
  *taken = false;
  const char *instead = w->conditional == 0 ? ma_cpu_header_absent(name) : NULL;
  if (instead)
    return ma_fail(MA_ERR_COMPILE, "%s:%d: %s is not there on a CPU; wanted %s", where->name, token->line, name,
                   instead);
  ma_ctext_put(w->out, "\n#pragma GCC visibility push(default)");
  put_line_mark(w->out, token->line, where->name);
  ma_ctext_add(w->out, "%.*s\n#pragma GCC visibility pop", (int)token->size, token->start);
  put_line_mark(w->out, token->line + 1, where->name);
  *taken = true;
  return MA_OK;
}

/* ==== Directives ================================================================================================= */

/* A macro that hides what matters here: what its text mentions is taken for what the macro is. Names that a CPU lacks
** are spoilt. */
static void define(rewriter *w, const ma_token *token, const char *at) {
  char *copy = strndup(at, (size_t)(token->start + token->size - at));
  if (!copy) {
    w->lacks_memory = true;
    return;
  }
  ma_lex lex = { copy, 1 };
  ma_token name, part;
  unsigned is = 0;
  const char *done = copy;
  bool was_extern = false;
  put_range(w->out, token->start, at);
  if (!ma_lex_next(&lex, &name)) name.size = 0;
  while (ma_lex_next(&lex, &part)) {
    if (part.kind == MA_TOKEN_STRING && was_extern && ma_token_is(&part, "\"C\"")) is |= IS_EXTERN_C;
    was_extern = ma_token_is(&part, "extern");
    if (part.kind != MA_TOKEN_NAME) continue;
    is |= meaning_of(w, &part) & ~(unsigned)IS_EXTERN;
    note_waiting(w, &part);
    if (!ma_cpu_absent(&part)) continue;
    put_range(w->out, done, part.start);
    ma_ctext_put(w->out, "ma_unavailable_on_a_cpu_");
    done = part.start;
  }
  ma_ctext_put(w->out, done);
  if (name.size && (is & (IS_KERNEL | IS_SHARED | IS_VARIABLE)) && w->nmacro < MAX_MACRO) {
    name.start = at + (name.start - copy); /* the token outlives the copy */
    w->macro[w->nmacro].name = name;
    w->macro[w->nmacro++].is = is;
  }
  free(copy);
}

static bool directive_is(const char **at, const char *name) {
  size_t n = strlen(name);
  if (strncmp(*at, name, n) != 0 || isalnum((unsigned char)(*at)[n]) || (*at)[n] == '_') return false;
  *at += n;
  return true;
}

static ma_status directive(rewriter *w, const ma_token *token, const place *where, bool *taken) {
  const char *at = token->start + 1;
  *taken = false;
  while (*at == ' ' || *at == '\t') at++;
  if (directive_is(&at, "include")) return include(w, token, at, where, taken);
  if (directive_is(&at, "if") || directive_is(&at, "ifdef") || directive_is(&at, "ifndef")) w->conditional++;
  else if (directive_is(&at, "endif")) w->conditional -= w->conditional > 0;
  else if (directive_is(&at, "define")) {
    define(w, token, at);
    *taken = true;
  } else if (directive_is(&at, "pragma")) {
    at += strspn(at, " \t");
    if (!directive_is(&at, "once")) return MA_OK;
    *taken = true;
    if (where->path && w->nonce < MAX_ONCE && (w->once[w->nonce] = strdup(where->path))) w->nonce++;
  }
  return MA_OK;
}

/* ==== The text =================================================================================================== */

/* past extern "C": __device__ T x; would be a declaration to C++ */
static bool is_variable_of_c(const rewriter *w, const char *at) {
  ma_lex lex = { at, 1 };
  ma_token token;
  unsigned is = 0;
  while (ma_lex_next(&lex, &token)) {
    if (token.kind == MA_TOKEN_NAME) is |= meaning_of(w, &token);
    else if (strchr("({};=[", *token.start))
      return (is & IS_VARIABLE) && !(is & IS_KERNEL) && strchr(";=[", *token.start);
  }
  return false;
}

/* Names that mean something wherever they stand. Sets *past to where the copying goes on, if the text is changed. */
static ma_status rewrite_name(rewriter *w, ma_lex *lex, const ma_token *token, const ma_token *before,
                              const place *where, const char **past) {
  ma_lex ahead = *lex;
  ma_token next;
  unsigned is = meaning_of(w, token);
  const char *what = ma_cpu_absent(token);
  bool member = ma_token_is(before, ".") || ma_token_is(before, "->");
  note_waiting(w, token);
  if (what && !member) {
    if (w->conditional == 0)
      return ma_fail(MA_ERR_COMPILE, "%s:%d: '%.*s' (%s) is not available on a CPU", where->name, token->line,
                     (int)token->size, token->start, what);
    ma_ctext_put(w->out, "ma_unavailable_on_a_cpu_"); /* an error only where the condition holds */
  }
  if (is & (IS_EXTERN | IS_SHARED)) {
    dynamic d;
    bool found = read_dynamic(w, token->start, &d);
    if (found) {
      put_dynamic(w, &d);
      put_lines(w->out, token->start, d.end);
      while (lex->at < d.end && ma_lex_next(lex, &next)) {}
      *past = d.end;
      if (!w->st.brace) restart(w);
    }
    w->lacks_memory |= d.type.failed;
    ma_ctext_free(&d.type);
    if (found) return MA_OK;
    if ((is & IS_SHARED) && !(is & IS_EXTERN) && !w->held_end && !ma_token_is(before, "extern"))
      check_shared(w, token->start + token->size);
  }
  if (!ma_lex_next(&ahead, &next)) return MA_OK;
  if (ma_token_is(token, "static") && (meaning_of(w, &next) & IS_SHARED)) *past = token->start + token->size;
  else if ((is & IS_SHARED) && ma_token_is(&next, "static")) {
    put_range(w->out, token->start, token->start + token->size);
    *past = next.start + next.size;
    *lex = ahead;
  } else if (ma_token_is(token, "extern") && ma_token_is(&next, "\"C\"") && is_variable_of_c(w, ahead.at)) {
    *past = next.start + next.size;
    *lex = ahead;
  }
  return MA_OK;
}

static ma_status rewrite_text(rewriter *w, const char *text, const place *where) {
  ma_lex lex = { text, 1 };
  ma_token token, before = { 0 };
  const char *done = text;
  for (; ma_lex_next(&lex, &token); before = token) {
    const char *past = NULL;
    bool taken = false;
    put_range(w->out, done, token.start);
    done = token.start;
    if (token.kind == MA_TOKEN_DIRECTIVE) {
      MA_TRY(directive(w, &token, where, &taken));
      if (taken) { done = token.start + token.size; }
      continue;
    }
    if (token.kind == MA_TOKEN_NAME) MA_TRY(rewrite_name(w, &lex, &token, &before, where, &past));
    if (past) {
      done = past;
      continue;
    }
    MA_TRY(follow(w, &token));
    if (ma_token_is(&token, "}"))
      while (w->nheld && w->held[w->nheld - 1].brace > w->st.brace) w->nheld--;
    if (token.start == w->held_end) {
      done = token.start + 1;
      ma_ctext_put(w->out, ";");
      put_check(w);
    }
    if (w->rows.size && w->st.ntoken == 0) {
      done = token.start + token.size;
      put_range(w->out, token.start, done);
      put_rows(w);
    }
  }
  ma_ctext_put(w->out, done);
  return MA_OK;
}

/* ==== The whole ================================================================================================== */

static ma_status put_expressions(rewriter *w) {
  put_line_mark(w->out, 1, "name expressions");
  for (int i = 0; i < w->source->nexpression; i++) {
    const char *e = w->source->expression[i];
    bool ok = *e != 0;
    for (const char *c = e; *c; c++) ok &= isprint((unsigned char)*c) && !strchr(";{}#\"'\\", *c);
    if (!ok) return ma_fail(MA_ERR_VALUE, "'%.100s'; wanted a name expression of C++ such as scale<float>", e);
    if (*e == '&')
      ma_ctext_add(w->out, "static ma_global_row ma_row_%d(\"%s\", %s, sizeof(*%s));\n", ++w->nrow, e + 1, e, e);
    else ma_ctext_add(w->out, "static ma_kernel_row ma_row_%d(MA_KERNEL_ENTRY(\"%s\", %s));\n", ++w->nrow, e, e);
  }
  return MA_OK;
}

static void rewriter_free(rewriter *w) {
  for (int i = 0; i < w->nonce; i++) free(w->once[i]);
  for (int i = 0; i < w->nfile; i++) free(w->file[i]);
  ma_ctext_free(&w->rows);
  ma_ctext_free(&w->check);
}

/* The options' macros, behind our own text, so that -DN=3 changes no name of ours. */
static ma_status put_definitions(rewriter *w) {
  for (int k = 0; k < w->source->noption; k++) {
    int number = k + 1;
    const char *value = ma_cpu_option(w->source, &k, 'D'),
               *undefined = value ? NULL : ma_cpu_option(w->source, &k, 'U');
    if (!value && !undefined) continue;
    if (strpbrk(value ? value : undefined, "\n\r"))
      return ma_fail(MA_ERR_VALUE, "option %d has a line's end in it; wanted one line", number);
    int name = value ? (int)strcspn(value, "=") : 0;
    if (value) ma_ctext_add(w->out, "#define %.*s %s\n", name, value, value[name] ? value + name + 1 : "1");
    else ma_ctext_add(w->out, "#undef %s\n", undefined);
  }
  return MA_OK;
}

/* The text is made first, since it decides over what stands in front of it. */
ma_status ma_cpu_rewrite(const ma_module_source *source, ma_cpu_source *result) {
  ma_ctext own = { 0 };
  rewriter *w = calloc(1, sizeof *w);
  memset(result, 0, sizeof *result);
  if (!w) return ma_fail(MA_ERR_MEMORY, "out of memory for the text of a module");
  w->source = source;
  w->result = result;
  w->out = &own;
  ma_ctext_put(w->out, "#pragma GCC visibility push(hidden)\n");
  put_line_mark(w->out, 1, "options");
  ma_status status = put_definitions(w);
  put_line_mark(w->out, 1, source->name);
  place where = { source->name, strchr(source->name, '/') ? source->name : NULL, 0 };
  if (status == MA_OK) status = rewrite_text(w, source->text, &where);
  if (status == MA_OK) status = put_expressions(w);
  own.failed |= w->rows.failed | w->check.failed | w->lacks_memory;
  if (status == MA_OK && !own.failed) {
    ma_cpu_header_print(&result->text, own.bytes, NULL);
    if (source->prelude || result->wants_complex) {
      ma_ctext_put(&result->text, ma_embedded("scalar.h"));
      ma_ctext_put(&result->text, ma_embedded("prelude.cuh"));
    }
    if (result->wants_complex) {
      ma_ctext_put(&result->text, ma_embedded("user.cuh"));
      ma_ctext_put(&result->text, ma_embedded("complex.cuh"));
    }
    ma_ctext_put(&result->text, own.bytes);
  }
  if (status == MA_OK && (own.failed || result->text.failed))
    status = ma_fail(MA_ERR_MEMORY, "out of memory for the text of a module");
  ma_ctext_free(&own);
  rewriter_free(w);
  free(w);
  if (status != MA_OK) ma_ctext_free(&result->text);
  return status;
}
