/* shared.c: shared memory in a source that is rewritten. Dynamic shared memory becomes a pointer that a launch sets.
** Static shared memory is kept; a check of its size is written behind it, because a GPU limits it and a CPU does
** not. */
#include "cpu/kernel/rewriter.h"

#include <ctype.h>
#include <string.h>

/* ==== Dynamic shared memory ====================================================================================== */

/* Reads `extern __shared__ T s[];` from its first token on. Returns false if it is something else. The caller frees the
** type. */
bool ma_cpu_read_dynamic(const rewriter *w, const char *at, dynamic *d) {
  ma_lex lex = { at, 1 };
  ma_token token, last = { 0 };
  bool is_extern = false, is_shared = false;
  memset(d, 0, sizeof *d);
  for (int n = 0; n < 64 && ma_lex_next(&lex, &token); n++) {
    unsigned is = token.kind == MA_TOKEN_NAME ? ma_cpu_meaning_of(w, &token) : 0;
    if (is & (IS_EXTERN | IS_SHARED)) {
      is_extern |= (is & IS_EXTERN) != 0;
      is_shared |= (is & IS_SHARED) != 0;
      continue;
    }
    if (token.kind == MA_TOKEN_NAME && ma_cpu_is_attribute(&token)) {
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
    ma_cpu_put_range(&d->type, last.start, last.start + last.size);
    ma_ctext_put(&d->type, " ");
    last = token;
  }
  return false;
}

void ma_cpu_put_dynamic(rewriter *w, const dynamic *d) {
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

/* The most static shared memory that a compiler for GPUs accepts in one kernel. Each declaration adds to those of the
** enclosing scopes. */
#define MOST_STATIC_SHARED "48 * 1024"

static void add_held(rewriter *w, const ma_token *name) {
  ma_ctext_add(&w->check, w->check.size ? " + sizeof(%.*s)" : "sizeof(%.*s)", (int)name->size, name->start);
}

/* Reads the names that __shared__ at `at` declares, if the declaration has the form T a[N], b; */
void ma_cpu_check_shared(rewriter *w, const char *at) {
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

void ma_cpu_put_shared_check(rewriter *w) {
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
