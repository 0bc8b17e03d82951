/*
** indices.c: indices of threads and blocks in a source that is rewritten. A kernel gets them as a parameter in front of
** its own, and as locals around its body:
**
**   __global__ void f(MA_INDICES, int n) { MA_INDEX_LOCALS ... MA_INDEX_END }
**
** so that a compiler sees a loop over threads. Other functions read thread_local variables. A body in which such locals
** would not be found (a lambda that captures nothing, a class) is left as it is, and so are all kernels of its module.
*/
#include "cpu/kernel/rewriter.h"

#include <string.h>

static const char *const of_places[] = { "threadIdx", "blockIdx", "blockDim", "gridDim", "assert" };
static const char *const of_classes[] = { "struct", "class", "union", "friend" };
static const char *const before_lambdas[] = { "return", "else", "do", "case", "throw", "co_return" };

#define MENTIONS(table, token) mentions(table, sizeof table / sizeof *table, token)

static bool mentions(const char *const *table, size_t n, const ma_token *token) {
  for (size_t i = 0; i < n; i++)
    if (ma_token_is(token, table[i])) return true;
  return false;
}

/* Whether a thread's own index is asked for. Those of the block are always set. */
static bool is_of_thread(const ma_token *token) {
  return ma_token_is(token, "threadIdx") || ma_token_is(token, "assert");
}

static bool in_kernel(const rewriter *w) {
  return (w->st.is & IS_KERNEL) && w->st.is_function && !w->st.assigned && w->st.brace > 0;
}

/* Whether `[` begins a lambda that does not capture all that it names. */
static bool is_narrow_lambda(const ma_token *token, const ma_token *before) {
  ma_lex lex = { token->start + token->size, 1 };
  ma_token first, next;
  bool subscript = before->kind == MA_TOKEN_NAME ? !MENTIONS(before_lambdas, before)
                                                 : before->size && strchr(")]", *before->start) != NULL;
  if (!ma_token_is(token, "[") || subscript || !ma_lex_next(&lex, &first) || !ma_lex_next(&lex, &next)) return false;
  return !((ma_token_is(&first, "=") || ma_token_is(&first, "&")) &&
           (ma_token_is(&next, "]") || ma_token_is(&next, ",")));
}

/* Notes what a token means for the indices of threads. */
void ma_cpu_note_indices(rewriter *w, const ma_token *token, const ma_token *before) {
  bool inside = in_kernel(w);
  if (is_of_thread(token) && (!inside || ma_token_is(before, "::"))) w->result->reads_thread = true;
  if (inside && (MENTIONS(of_classes, token) || is_narrow_lambda(token, before))) w->hides_locals = true;
  if (ma_token_is(token, "friend")) w->hides_locals = true;
  if ((w->st.is & IS_KERNEL) && w->st.paren && MENTIONS(of_places, token)) w->hides_locals = true;
}

/* The same for the text of a macro. */
void ma_cpu_note_indices_in(rewriter *w, const char *text) {
  ma_lex lex = { text, 1 };
  ma_token token, before = { 0 };
  for (; ma_lex_next(&lex, &token); before = token) {
    if (is_of_thread(&token)) w->result->reads_thread = true;
    if (MENTIONS(of_classes, &token) || is_narrow_lambda(&token, &before)) w->hides_locals = true;
  }
}

/* Writes the parameter, behind the parenthesis that opens those of a kernel. */
void ma_cpu_put_indices(rewriter *w, const ma_token *token) {
  ma_lex lex = { token->start + token->size, 1 };
  ma_token first, next;
  bool known = ma_lex_next(&lex, &first) && first.kind != MA_TOKEN_DIRECTIVE;
  bool none = known && ma_token_is(&first, ")");
  bool one = known && !none && ma_lex_next(&lex, &next) && ma_token_is(&next, ")");
  /* a name alone may be a macro that stands for nothing */
  if (!known || (one && !ma_token_is(&first, "void"))) w->hides_locals = true;
  if (!w->adds_indices) return;
  ma_ctext_put(w->out, none || one ? "(" MA_COMPILE_INDICES : "(" MA_COMPILE_INDICES ", ");
  w->past = one ? first.start + first.size : token->start + token->size;
}

/* Writes the locals, behind the brace that opens a kernel's body, or their end in front of the one that closes it. */
void ma_cpu_put_locals(rewriter *w, const ma_token *token) {
  if (!w->adds_indices) return;
  if (*token->start == '}') ma_ctext_put(w->out, MA_COMPILE_END);
  else {
    ma_ctext_put(w->out, "{" MA_COMPILE_LOCALS);
    w->past = token->start + token->size;
  }
}
