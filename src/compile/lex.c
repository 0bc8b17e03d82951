/* lex.c: tokens of C++ source, for facts about a user's text before it is compiled: the names in it, the parameters
** of its kernels, its dynamic shared memory. */
#include "compile/lex.h"
#include "program/program.h"

#include <ctype.h>
#include <string.h>

static bool is_name_start(char c) { return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 128; }
static bool is_name_part(char c) { return is_name_start(c) || isdigit((unsigned char)c); }

/* Advances by a character and counts lines. */
static void advance(ma_lex *lex) { lex->line += *lex->at++ == '\n'; }

static bool skip_comment(ma_lex *lex) {
  if (lex->at[0] != '/') return false;
  if (lex->at[1] == '/') {
    while (*lex->at && *lex->at != '\n') {
      if (lex->at[0] == '\\' && lex->at[1] == '\n') advance(lex);
      advance(lex);
    }
    return true;
  }
  if (lex->at[1] != '*') return false;
  lex->at += 2;
  while (*lex->at && !(lex->at[0] == '*' && lex->at[1] == '/')) advance(lex);
  if (*lex->at) lex->at += 2;
  return true;
}

static void skip_blank(ma_lex *lex) {
  for (;;) {
    if (isspace((unsigned char)*lex->at)) advance(lex);
    else if (lex->at[0] == '\\' && lex->at[1] == '\n') {
      advance(lex);
      advance(lex);
    } else if (!skip_comment(lex)) return;
  }
}

static void take_quoted(ma_lex *lex) {
  char quote = *lex->at++;
  while (*lex->at && *lex->at != quote && *lex->at != '\n') {
    if (*lex->at == '\\' && lex->at[1]) lex->at++;
    advance(lex);
  }
  if (*lex->at == quote) lex->at++;
}

/* Skips R"mark( ... )mark" after the R. */
static void take_raw_string(ma_lex *lex) {
  char end[20] = ")";
  size_t n = strcspn(lex->at + 1, "(");
  if (n > 16 || !lex->at[1 + n]) {
    take_quoted(lex);
    return;
  }
  memcpy(end + 1, lex->at + 1, n);
  strcpy(end + 1 + n, "\"");
  const char *stop = strstr(lex->at, end);
  stop = stop ? stop + strlen(end) : lex->at + strlen(lex->at);
  while (lex->at < stop) advance(lex);
}

static void take_number(ma_lex *lex) {
  const char *c = lex->at;
  while (is_name_part(*c) || *c == '.' || (*c == '\'' && is_name_part(c[1])) ||
         ((*c == '+' || *c == '-') && strchr("eEpP", c[-1])))
    c++;
  lex->at = c;
}

static void take_directive(ma_lex *lex) {
  while (*lex->at && *lex->at != '\n') {
    if (lex->at[0] == '\\' && lex->at[1] == '\n') advance(lex);
    else if (lex->at[0] == '/' && lex->at[1] == '*') {
      skip_comment(lex);
      continue;
    }
    if (*lex->at) advance(lex);
  }
}

static void take_punctuation(ma_lex *lex) {
  /* Only punctuation that a reader of declarations must not split. Two closing angle brackets stay two tokens. */
  static const char *const longer[] = { "...", "<<=", "::", "->", "==", "!=", "<=", ">=", "&&", "||", "<<",
                                        "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "++", "--" };
  for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
    size_t n = strlen(longer[i]);
    if (!strncmp(lex->at, longer[i], n)) {
      lex->at += n;
      return;
    }
  }
  lex->at++;
}

static bool is_line_start(const char *text, const char *at) {
  while (at > text && (at[-1] == ' ' || at[-1] == '\t')) at--;
  return at == text || at[-1] == '\n';
}

bool ma_lex_next(ma_lex *lex, ma_token *token) {
  const char *before = lex->at;
  skip_blank(lex);
  *token = (ma_token){ MA_TOKEN_END, lex->at, 0, lex->line };
  char c = *lex->at;
  if (!c) return false;
  if (is_name_start(c)) {
    while (is_name_part(*lex->at)) lex->at++;
    token->kind = MA_TOKEN_NAME;
    if (*lex->at == '"' && lex->at[-1] == 'R' && lex->at - token->start <= 3) {
      take_raw_string(lex);
      token->kind = MA_TOKEN_STRING;
    }
  } else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)lex->at[1]))) {
    take_number(lex);
    token->kind = MA_TOKEN_NUMBER;
  } else if (c == '"' || c == '\'') {
    take_quoted(lex);
    token->kind = MA_TOKEN_STRING;
  } else if (c == '#' && is_line_start(before, lex->at)) {
    take_directive(lex);
    token->kind = MA_TOKEN_DIRECTIVE;
  } else {
    take_punctuation(lex);
    token->kind = MA_TOKEN_PUNCTUATION;
  }
  token->size = (size_t)(lex->at - token->start);
  return true;
}

bool ma_token_is(const ma_token *token, const char *text) {
  return token->size == strlen(text) && !memcmp(token->start, text, token->size);
}

bool ma_lex_mentions(const char *text, const char *name) {
  ma_lex lex = { text, 1 };
  ma_token token;
  while (ma_lex_next(&lex, &token))
    if ((token.kind == MA_TOKEN_NAME && ma_token_is(&token, name))) return true;
    else if (token.kind == MA_TOKEN_DIRECTIVE) { /* a macro may hide it */ size_t n = strlen(name);
      for (const char *at = token.start; at + n <= token.start + token.size; at++)
        if (!strncmp(at, name, n) && (at == token.start || !is_name_part(at[-1])) && !is_name_part(at[n])) return true;
    }
  return false;
}
