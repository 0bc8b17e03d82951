/* declaration.c: declarations at namespace scope in a source that is rewritten. It recognises kernels and variables,
** and writes a row of a table behind each declaration, through which they are found in the compiled object. */
#include "cpu/kernel/rewriter.h"

#include <string.h>

/* ==== Names ====================================================================================================== */

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

static const char *const attribute[] = { "__launch_bounds__", "__maxnreg__", "__attribute__", "__align__",
                                         "alignas",           "decltype",    "__declspec",    "__builtin_align__" };

bool ma_cpu_is_attribute(const ma_token *token) {
  for (size_t i = 0; i < sizeof attribute / sizeof *attribute; i++)
    if (ma_token_is(token, attribute[i])) return true;
  return false;
}

unsigned ma_cpu_meaning_of(const rewriter *w, const ma_token *token) {
  for (size_t i = 0; i < sizeof meaning / sizeof *meaning; i++)
    if (ma_token_is(token, meaning[i].name)) return meaning[i].is;
  for (int i = 0; i < w->nmacro; i++)
    if (w->macro[i].name.size == token->size && !memcmp(w->macro[i].name.start, token->start, token->size))
      return w->macro[i].is;
  return 0;
}

/* ==== Declarations at namespace scope ============================================================================= */

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

/* Writes the rows for the declaration that ends here. */
void ma_cpu_put_rows(rewriter *w) {
  if (w->rows.bytes) ma_ctext_put(w->out, w->rows.bytes);
  w->out->failed |= w->rows.failed;
  ma_ctext_free(&w->rows);
  ma_ctext_free(&w->check);
}

void ma_cpu_restart(rewriter *w) { memset(&w->st, 0, sizeof w->st); }

static ma_status open_brace(rewriter *w, const ma_token *token) {
  statement *s = &w->st;
  bool linkage = (s->is & IS_EXTERN_C) && s->ntoken == 3; /* extern, "C" and this brace */
  if ((s->is & IS_NAMESPACE) || linkage) {
    if (w->nscope == MAX_SCOPE)
      return ma_fail(MA_ERR_COMPILE, "%s: namespaces more than %d deep", w->source->name, MAX_SCOPE);
    w->scope[w->nscope].extern_c = linkage;
    memset(&w->scope[w->nscope].name, 0, sizeof(ma_token));
    if (!linkage && !ma_token_is(&s->last, "namespace")) w->scope[w->nscope].name = s->last;
    w->nscope++;
    ma_cpu_restart(w);
    return MA_OK;
  }
  if (!s->assigned) put_kernel(w);
  if (!s->assigned && s->is_function && (s->is & IS_KERNEL)) ma_cpu_put_locals(w, token);
  s->brace = 1;
  return MA_OK;
}

static void read_name(rewriter *w, const ma_token *token) {
  statement *s = &w->st;
  unsigned is = ma_cpu_meaning_of(w, token);
  /* the words before it are a macro that has no semicolon */
  if (is && s->is_function && !s->assigned) {
    ma_cpu_restart(w);
    s->ntoken = 1;
  }
  s->is |= is;
  if (!is && !s->assigned) s->last = *token;
  else if (is & IS_NAMESPACE) s->last = *token;
}

static ma_status read_punctuation(rewriter *w, const ma_token *token) {
  statement *s = &w->st;
  char c = token->size == 1 ? *token->start : 0;
  bool open = !s->is_function && !s->assigned; /* the name has not been read yet */
  switch (c) {
  case '(':
    if (open && s->last.size && !ma_cpu_is_attribute(&s->last)) {
      s->is_function = true;
      s->name = s->last;
      if (s->is & IS_KERNEL) ma_cpu_put_indices(w, token);
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
    /* it may be an instantiation of a kernel */
    if ((s->is & IS_TEMPLATE) && s->is_function && !(s->is & IS_KERNEL)) w->hides_locals = true;
    ma_cpu_restart(w);
    break;
  case '{': return open_brace(w, token);
  case '}':
    if (w->nscope > 0) w->nscope--;
    ma_cpu_restart(w);
    break;
  default: break;
  }
  return MA_OK;
}

/* Follows a token at namespace scope, or in a skipped part there: parentheses, brackets, template arguments, bodies. */
ma_status ma_cpu_follow(rewriter *w, const ma_token *token) {
  statement *s = &w->st;
  char c = token->kind == MA_TOKEN_PUNCTUATION && token->size == 1 ? *token->start : 0;
  s->ntoken++;
  if (s->brace) {
    s->brace += (c == '{') - (c == '}');
    if (s->brace || !s->is_function || s->assigned) return MA_OK;
    if (s->is & IS_KERNEL) ma_cpu_put_locals(w, token);
    ma_cpu_restart(w);
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
