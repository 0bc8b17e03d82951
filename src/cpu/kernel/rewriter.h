/*
** rewriter.h: the state of rewriting a source, and functions of the files that do it.
**
**  rewrite.c       tokens one by one, directives, the whole text
**  declaration.c   declarations of namespace scope: kernels, variables, namespaces
**  shared.c        shared memory: dynamic (a pointer), static (its size is checked)
**  include.c       headers, which are inserted
**  indices.c       indices of threads, which kernels get as locals
*/
#ifndef MA_CPU_REWRITER_H
#define MA_CPU_REWRITER_H

#include "compile/lex.h"
#include "compile/compile.h"
#include "cpu/kernel/rewrite.h"

#pragma GCC visibility push(hidden)

#define MAX_SCOPE 32
#define MAX_MACRO 32
#define MAX_ONCE 64
#define MAX_INCLUDE 32

/* Meanings of words at the start of a declaration. */
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

typedef struct statement { /* the current declaration at namespace scope */
  unsigned is;
  int ntoken, paren, angle, bracket, brace;
  bool is_function, assigned;
  ma_token last, name; /* the last name; the name of the function or variable */
} statement;

typedef struct rewriter {
  const ma_module_source *source;
  ma_cpu_source *result;
  ma_ctext *out, rows; /* rows: of the tables, written behind the declaration */
  int nrow;
  statement st;
  struct {
    bool extern_c;
    ma_token name;
  } scope[MAX_SCOPE];
  int nscope;
  /* Macros of the user's: #define KERNEL extern "C" __global__ */
  struct {
    ma_token name;
    unsigned is;
  } macro[MAX_MACRO];
  int nmacro;
  char *once[MAX_ONCE]; /* paths of files with #pragma once */
  int nonce;
  char *file[MAX_INCLUDE * 8]; /* texts of headers, into which tokens point */
  int nfile;
  int ndynamic, conditional; /* open #if's */
  /* Static shared memory of the open scopes. */
  struct {
    int number, brace;
  } held[MAX_SCOPE];
  int nheld, nshared;
  bool lacks_memory;    /* for a part of the text */
  bool adds_indices;    /* to kernels, as locals */
  bool hides_locals;    /* those locals would not be found, or a kernel's parameters are not understood */
  const char *past;     /* where copying continues behind a token that was changed */
  const char *held_end; /* the semicolon behind which `check` is written */
  ma_ctext check;
} rewriter;

typedef struct place {
  const char *name, *path;
  int depth;
} place; /* the origin of a text */

/* rewrite.c */
/* Rewrites a text, the module's or a header's, to w->out. */
ma_status ma_cpu_rewrite_text(rewriter *w, const char *text, const place *where);
void ma_cpu_put_range(ma_ctext *out, const char *from, const char *to);
void ma_cpu_put_line_mark(ma_ctext *out, int line, const char *name);

/* declaration.c */
unsigned ma_cpu_meaning_of(const rewriter *w, const ma_token *token); /* IS_..., also for macros of the text */
bool ma_cpu_is_attribute(const ma_token *token); /* a word with parentheses that is not a function */
/* Follows a token at namespace scope, or in a skipped part there: parentheses, brackets, template arguments, bodies. */
ma_status ma_cpu_follow(rewriter *w, const ma_token *token);
void ma_cpu_restart(rewriter *w); /* a declaration may begin here */
/* Writes the rows of the tables for the declaration that ends here. */
void ma_cpu_put_rows(rewriter *w);

/* shared.c */
typedef struct dynamic {
  ma_token name;
  ma_ctext type;
  const char *rest, *end;
} dynamic; /* rest: further extents, up to the semicolon at `end` */
/* Whether `extern __shared__ T s[];` is at `at`. The caller frees the type. */
bool ma_cpu_read_dynamic(const rewriter *w, const char *at, dynamic *d);
void ma_cpu_put_dynamic(rewriter *w, const dynamic *d);
/* Reads the names that __shared__ at `at` declares, for ma_cpu_put_shared_check behind their semicolon. */
void ma_cpu_check_shared(rewriter *w, const char *at);
void ma_cpu_put_shared_check(rewriter *w);

/* indices.c */
/* Notes what a token, or the text of a macro, means for the indices of threads. */
void ma_cpu_note_indices(rewriter *w, const ma_token *token, const ma_token *before);
void ma_cpu_note_indices_in(rewriter *w, const char *text);
/* Writes a kernel's parameter for indices at "(", and their locals at the braces of its body. */
void ma_cpu_put_indices(rewriter *w, const ma_token *token);
void ma_cpu_put_locals(rewriter *w, const ma_token *token);

/* include.c */
/* Handles #include at `at`. *taken: the directive must not be copied. */
ma_status ma_cpu_include(rewriter *w, const ma_token *token, const char *at, const place *where, bool *taken);

#pragma GCC visibility pop
#endif
