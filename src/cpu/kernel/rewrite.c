/*
** rewrite.c: rewrites CUDA C++ as C++ for the CPU. Most of CUDA is macros and functions (kernels/cpu/cpu_cuda.h). The
** rest is changed here token by token, with lines kept in place: dynamic shared memory, CUDA's headers, and the user's
** headers, which are inserted so that the text is complete. A construct that a CPU cannot run is an error with its
** line. Kernels and variables at file scope are recognised by their declarations, and the text ends with tables of
** them.
*/
#include "cpu/kernel/absent.h"
#include "cpu/kernel/header.h"
#include "cpu/kernel/rewriter.h"
#include "system/system.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ==== Writing ==================================================================================================== */

void ma_cpu_put_range(ma_ctext *out, const char *from, const char *to) {
  if (to > from) ma_ctext_add(out, "%.*s", (int)(to - from), from);
}

/* Removes the text but keeps its lines. */
static void put_lines(ma_ctext *out, const char *from, const char *to) {
  for (; from < to; from++)
    if (*from == '\n') ma_ctext_put(out, "\n");
}

void ma_cpu_put_line_mark(ma_ctext *out, int line, const char *name) {
  ma_ctext_add(out, "\n#line %d \"", line);
  for (; *name; name++)
    ma_ctext_add(out, *name == '"' || *name == '\\' ? "\\%c" : "%c", iscntrl((unsigned char)*name) ? '?' : *name);
  ma_ctext_put(out, "\"\n");
}

static const char *const waiting[] = { "__syncthreads*", "__syncwarp", "__shfl*",   "__ballot*",
                                       "__any_sync",     "__all_sync", "__match_*", "__reduce_*" };

static void note_waiting(rewriter *w, const ma_token *token) {
  for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
    if (ma_cpu_name_matches(token, waiting[i])) w->result->waits = true;
}

/* ==== Directives ================================================================================================= */

/* A macro that contains something to rewrite gets the meaning of the words in it. Names that a CPU lacks are
** replaced. */
static void define(rewriter *w, const ma_token *token, const char *at) {
  char *copy = strndup(at, (size_t)(token->start + token->size - at));
  if (!copy) {
    w->lacks_memory = true;
    return;
  }
  ma_cpu_note_indices_in(w, copy);
  ma_lex lex = { copy, 1 };
  ma_token name, part;
  unsigned is = 0;
  const char *done = copy;
  bool was_extern = false;
  ma_cpu_put_range(w->out, token->start, at);
  if (!ma_lex_next(&lex, &name)) name.size = 0;
  while (ma_lex_next(&lex, &part)) {
    if (part.kind == MA_TOKEN_STRING && was_extern && ma_token_is(&part, "\"C\"")) is |= IS_EXTERN_C;
    was_extern = ma_token_is(&part, "extern");
    if (part.kind != MA_TOKEN_NAME) continue;
    is |= ma_cpu_meaning_of(w, &part) & ~(unsigned)IS_EXTERN;
    note_waiting(w, &part);
    if (!ma_cpu_absent(&part)) continue;
    ma_cpu_put_range(w->out, done, part.start);
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
  if (directive_is(&at, "include")) return ma_cpu_include(w, token, at, where, taken);
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

/* Whether a variable is declared behind extern "C". In C++, `__device__ T x;` would be only a declaration there. */
static bool is_variable_of_c(const rewriter *w, const char *at) {
  ma_lex lex = { at, 1 };
  ma_token token;
  unsigned is = 0;
  while (ma_lex_next(&lex, &token)) {
    if (token.kind == MA_TOKEN_NAME) is |= ma_cpu_meaning_of(w, &token);
    else if (strchr("({};=[", *token.start))
      return (is & IS_VARIABLE) && !(is & IS_KERNEL) && strchr(";=[", *token.start);
  }
  return false;
}

/* Handles names with a meaning anywhere. If the text is changed, sets *past to the place where copying continues. */
static ma_status rewrite_name(rewriter *w, ma_lex *lex, const ma_token *token, const ma_token *before,
                              const place *where, const char **past) {
  ma_lex ahead = *lex;
  ma_token next;
  unsigned is = ma_cpu_meaning_of(w, token);
  const char *what = ma_cpu_absent(token);
  bool member = ma_token_is(before, ".") || ma_token_is(before, "->");
  note_waiting(w, token);
  if (what && !member) {
    if (w->conditional == 0)
      return ma_fail(MA_ERR_COMPILE, "%s:%d: '%.*s' (%s) is not available on a CPU", where->name, token->line,
                     (int)token->size, token->start, what);
    ma_ctext_put(w->out, "ma_unavailable_on_a_cpu_"); /* this is an error only if the condition of the #if holds */
  }
  if (is & (IS_EXTERN | IS_SHARED)) {
    dynamic d;
    bool found = ma_cpu_read_dynamic(w, token->start, &d);
    if (found) {
      ma_cpu_put_dynamic(w, &d);
      put_lines(w->out, token->start, d.end);
      while (lex->at < d.end && ma_lex_next(lex, &next)) {}
      *past = d.end;
      if (!w->st.brace) ma_cpu_restart(w);
    }
    w->lacks_memory |= d.type.failed;
    ma_ctext_free(&d.type);
    if (found) return MA_OK;
    if ((is & IS_SHARED) && !(is & IS_EXTERN) && !w->held_end && !ma_token_is(before, "extern"))
      ma_cpu_check_shared(w, token->start + token->size);
  }
  if (!ma_lex_next(&ahead, &next)) return MA_OK;
  if (ma_token_is(token, "static") && (ma_cpu_meaning_of(w, &next) & IS_SHARED)) *past = token->start + token->size;
  else if ((is & IS_SHARED) && ma_token_is(&next, "static")) {
    ma_cpu_put_range(w->out, token->start, token->start + token->size);
    *past = next.start + next.size;
    *lex = ahead;
  } else if (ma_token_is(token, "extern") && ma_token_is(&next, "\"C\"") && is_variable_of_c(w, ahead.at)) {
    *past = next.start + next.size;
    *lex = ahead;
  }
  return MA_OK;
}

ma_status ma_cpu_rewrite_text(rewriter *w, const char *text, const place *where) {
  ma_lex lex = { text, 1 };
  ma_token token, before = { 0 };
  const char *done = text;
  for (; ma_lex_next(&lex, &token); before = token) {
    const char *past = NULL;
    bool taken = false;
    ma_cpu_put_range(w->out, done, token.start);
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
    ma_cpu_note_indices(w, &token, &before);
    w->past = NULL;
    MA_TRY(ma_cpu_follow(w, &token));
    if (w->past) done = w->past;
    if (ma_token_is(&token, "}"))
      while (w->nheld && w->held[w->nheld - 1].brace > w->st.brace) w->nheld--;
    if (token.start == w->held_end) {
      done = token.start + 1;
      ma_ctext_put(w->out, ";");
      ma_cpu_put_shared_check(w);
    }
    if (w->rows.size && w->st.ntoken == 0) {
      done = token.start + token.size;
      ma_cpu_put_range(w->out, token.start, done);
      ma_cpu_put_rows(w);
    }
  }
  ma_ctext_put(w->out, done);
  return MA_OK;
}

/* ==== The whole ================================================================================================== */

static ma_status put_expressions(rewriter *w) {
  ma_cpu_put_line_mark(w->out, 1, "name expressions");
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

/* Writes the macros of the options behind the library's text, so that -DN=3 changes no name in it. */
static ma_status put_definitions(rewriter *w) {
  for (int k = 0; k < w->source->noption; k++) {
    int number = k + 1;
    const char *value = ma_cpu_option(w->source, &k, 'D'),
               *undefined = value ? NULL : ma_cpu_option(w->source, &k, 'U');
    if (!value && !undefined) continue;
    if (strpbrk(value ? value : undefined, "\n\r"))
      return ma_fail(MA_ERR_VALUE, "option %d has a line's end in it; wanted one line", number);
    int name = value ? (int)strcspn(value, "=") : 0;
    if (value) ma_cpu_note_indices_in(w, value);
    if (value) ma_ctext_add(w->out, "#define %.*s %s\n", name, value, value[name] ? value + name + 1 : "1");
    else ma_ctext_add(w->out, "#undef %s\n", undefined);
  }
  return MA_OK;
}

/* Rewrites the source's own text, with indices as locals of kernels or without. *again: they would not be found. */
static ma_status rewrite_own(const ma_module_source *source, ma_cpu_source *result, bool adds_indices, ma_ctext *own,
                             bool *again) {
  rewriter *w = calloc(1, sizeof *w);
  if (!w) return ma_fail(MA_ERR_MEMORY, "out of memory for the text of a module");
  w->source = source;
  w->result = result;
  w->adds_indices = adds_indices;
  w->out = own;
  ma_ctext_put(w->out, "#pragma GCC visibility push(hidden)\n");
  ma_cpu_put_line_mark(w->out, 1, "options");
  ma_status status = put_definitions(w);
  ma_cpu_put_line_mark(w->out, 1, source->name);
  place where = { source->name, ma_path_last(source->name) ? source->name : NULL, 0 };
  if (status == MA_OK) status = ma_cpu_rewrite_text(w, source->text, &where);
  if (status == MA_OK) status = put_expressions(w);
  own->failed |= w->rows.failed | w->check.failed | w->lacks_memory;
  *again = adds_indices && w->hides_locals;
  rewriter_free(w);
  free(w);
  return status;
}

/* Rewrites a source. The source's text is rewritten first, because it decides what precedes it. */
ma_status ma_cpu_rewrite(const ma_module_source *source, ma_cpu_source *result) {
  ma_ctext own = { 0 };
  bool again;
  memset(result, 0, sizeof *result);
  ma_status status = rewrite_own(source, result, true, &own, &again);
  if (status == MA_OK && again) {
    ma_ctext_free(&own);
    memset(result, 0, sizeof *result);
    status = rewrite_own(source, result, false, &own, &again);
  }
  if (status == MA_OK && !own.failed) {
    if (result->waits) ma_ctext_put(&result->text, "#define MA_WAITS\n");
    if (result->reads_thread) ma_ctext_put(&result->text, "#define MA_READS_THREAD\n");
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
  if (status != MA_OK) ma_ctext_free(&result->text);
  return status;
}
