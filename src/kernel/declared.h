/*
** declared.h: reading declarations of C++ in a kernel's source: stretches of text, tokens of these, and types, whose
** names are followed through typedef, using, #define, -D and template arguments (declared.c).
*/
#ifndef MOONARRAY_DECLARED_H
#define MOONARRAY_DECLARED_H

#include "compile/lex.h"
#include "ops/ops.h"

#include <string.h>

#pragma GCC visibility push(hidden)

/* A stretch of source. */
typedef struct ma_span {
  const char *from, *to;
} ma_span;

/* What a type is, on the way through its names. */
typedef struct ma_declared {
  int dtype, pointers;
  bool is_const, any;
  uint32_t size;
} ma_declared;

typedef struct ma_finder {
  const char *text;
  const char *const *option;
  int noption;
  ma_span header, arguments; /* "typename T, int N" of the template, and "float, 3" of the expression */
  bool has_macros;           /* of kernels: names other than __global__ may begin one */
} ma_finder;

/* A place among the tokens of a span: the token that was read last, and the text behind it. */
typedef struct ma_cursor {
  ma_lex lex;
  const char *end;
  ma_token token;
} ma_cursor;

static inline ma_cursor ma_cursor_of(ma_span s) { return (ma_cursor){ { s.from, 1 }, s.to, { 0 } }; }

static inline bool ma_cursor_next(ma_cursor *in) {
  return ma_lex_next(&in->lex, &in->token) && in->token.start < in->end;
}
static inline bool ma_cursor_is(const ma_cursor *in, const char *text) { return ma_token_is(&in->token, text); }

static inline bool ma_cursor_peek_is(const ma_cursor *in, const char *text) {
  ma_cursor ahead = *in;
  return ma_cursor_next(&ahead) && ma_cursor_is(&ahead, text);
}

/* Past the bracket that closes the one that is the current token. Only angle brackets end at a semicolon: a comparison
** has none to match. */
bool ma_cursor_skip(ma_cursor *in, const char *open, const char *close);
/* The next part of a list that commas divide at the outermost level; false after the last. */
bool ma_cursor_part(ma_span *rest, ma_span *part);

static inline bool ma_span_is(ma_span s, const ma_token *name) {
  return (size_t)(s.to - s.from) == name->size && !memcmp(s.from, name->start, name->size);
}

static inline ma_span ma_span_of(const ma_token *t) { return (ma_span){ t->start, t->start + t->size }; }

bool ma_span_has(ma_span s, const char *text);

/* What the name stands for: an argument of the template, a macro, a typedef. */
bool ma_find_alias(const ma_finder *f, ma_span name, ma_span *body);
/* `const unsigned long long *__restrict__ x = 0`: the type, and the parameter's name if it has one. */
ma_declared ma_declared_read(const ma_finder *f, ma_span s, int depth, ma_span *name);

#pragma GCC visibility pop
#endif
