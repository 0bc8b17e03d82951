/* lex.h: tokens of C++, for the user's texts. */
#ifndef MOONARRAY_COMPILE_LEX_H
#define MOONARRAY_COMPILE_LEX_H

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* Tokens of C++. Comments and white space are skipped. A directive with its continued lines is one token. */
typedef enum ma_token_kind {
  MA_TOKEN_END,
  MA_TOKEN_NAME,
  MA_TOKEN_NUMBER,
  MA_TOKEN_STRING,
  MA_TOKEN_PUNCTUATION,
  MA_TOKEN_DIRECTIVE
} ma_token_kind;
typedef struct ma_token {
  ma_token_kind kind;
  const char *start;
  size_t size;
  int line;
} ma_token; /* line: 1-based */
typedef struct ma_lex {
  const char *at;
  int line;
} ma_lex; /* start with {text, 1}; the text is terminated by a 0 */
/* False at the end. "::", "->", "..." and "<<=" are single tokens; ">" is always a token by itself. */
bool ma_lex_next(ma_lex *lex, ma_token *token);
bool ma_token_is(const ma_token *token, const char *text);
bool ma_lex_mentions(const char *text, const char *name); /* whether `name` is a name in the text */

#pragma GCC visibility pop
#endif
