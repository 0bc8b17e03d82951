/* body.h: texts of the user's kernels, which both backends print and compile. */
#ifndef MOONARRAY_BODY_H
#define MOONARRAY_BODY_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* ==== body.c: text of the user in place of a program's instructions =============================================== */

#define MA_MAX_PARAMS 24 /* limit for an elementwise or reduction kernel */
#define MA_MAX_RAW 8
typedef enum ma_param_role { MA_PARAM_INPUT, MA_PARAM_SCALAR, MA_PARAM_RAW, MA_PARAM_OUTPUT } ma_param_role;

/* One parameter of a body, with its type resolved. */
typedef struct ma_param {
  char name[32];
  uint8_t role, dtype;
  uint8_t place;            /* its number among the program's inputs, scalars, raw arrays or outputs */
  uint8_t is_output;        /* the body may write the raw array */
  uint8_t is_read;          /* of an output: the body may read its old value, or may leave it unassigned */
  uint8_t ndim, contiguous; /* of a raw array, as far as the text depends on it: a contiguous one may have any ndim */
} ma_param;

/*
** A kernel definition with all types resolved: everything that the text depends on but the layout of operands. Bodies
** are interned: the same definition has the same id for the life of the process. Inputs, scalars and outputs are
** numbered as in the program. Strings are never NULL.
*/
typedef struct ma_body {
  uint32_t id; /* from 1 */
  uint8_t nparam, ntype;
  bool uses_index; /* the texts use the name `i`, so one more operand gives the index */
  bool is_reduction;
  bool reaches; /* of a stencil: the operation may read `reach` (kernels/stencil/reach.h) */
  bool once;    /* of a stencil: it does more than give results, so that each element must be computed once */
  ma_param param[MA_MAX_PARAMS];
  /* Placeholders, such as T for float32. */
  struct {
    char name[32];
    uint8_t dtype;
  } type[MA_MAX_PARAMS];
  const char *name, *preamble, *options;
  const char *operation, *loop_prep, *after_loop; /* of an elementwise kernel */
  const char *map, *reduce, *post_map, *identity; /* of a reduction; identity "": none */
  uint8_t reduce_dtype; /* dtype of partial results; MA_NDTYPE: reduce_type names a C++ type of the preamble */
  const char *reduce_type;
} ma_body;

extern const ma_body ma_body_empty;                          /* each text is "" */
ma_status ma_body_intern(const ma_body *body, uint32_t *id); /* copies the strings */
const ma_body *ma_body_get(uint32_t id);                     /* takes no lock */

/* name.c: fails unless a kernel may use `name` as an identifier. `what` begins the error: "a kernel's name". */
ma_status ma_name_check(const char *what, const char *name);
bool ma_name_is_identifier(const char *name);

/* options.c: -DNAME=VALUE, -UNAME, -IFOLDER and --std=c++20 of elementwise and reduction kernels. A body keeps them
** one a line. */
#define MA_MAX_OPTIONS 64
/* Fails for more than MA_MAX_OPTIONS. */
ma_status ma_options_read(ma_ctext *lines, const char *const *option, int noption, const char *preamble);
void ma_options_print(ma_ctext *text, const char *options); /* prints -D and -U as directives */
/* Splits a copy of the lines into the other options. Returns their number. */
int ma_options_split(char *copy, const char **option);
bool ma_body_reads_files(const ma_body *body); /* whether the body has folders, a standard, or #include */

/* body.c: whether `operation` may read `name` before it assigns it, or may leave it unassigned. A lexical rule; when
** in doubt, true. */
bool ma_body_reads(const char *operation, const char *name);

/* Keeps the text that was last compiled for a body, if memory allows. */
void ma_body_keep_code(uint32_t id, const char *code);
/* A copy of that text, which the caller frees; NULL: none. */
char *ma_body_code(uint32_t id);

/* body_text.c: parts of a body's text that both backends print. */
void ma_body_print_undefined(ma_ctext *text, const ma_body *body);
void ma_body_print_head(ma_ctext *text, const ma_body *body); /* -D options, placeholders as types, the preamble */
/* Prints a text of the user with #line numbers; nothing if it is empty. `part` names it in messages of the compiler. */
void ma_body_print_part(ma_ctext *text, const ma_body *body, const char *part, const char *lines);
/* Prints `auto _operation`: a lambda with the parameters in order, without raw arrays, then `i` if it is used.
** `attribute` is the lambda's. */
void ma_body_print_operation(ma_ctext *text, const ma_body *body, const char *attribute);

/* ==== body_reduce_text.c: the texts of a reduction as functions =================================================== */

/*
** Prints the placeholders, the preamble, and
**   value, ma_hold(x), ma_unhold(v)      a partial result as plain bytes, and its conversion from and to the reduce
**     type
**   struct ma_extra                      the scalars s0 ..., raw arrays w0 ..., n, and kept: the number of results
**   ma_user_map(extra, x0 ..., i)        with `i` if the body uses the index
**   ma_user_merge(a, b), ma_user_identity(), ma_user_finish(extra, a, y0 &, ...)
** The caller prints user.cuh first. ma_body_print_reduction adds the instance of reduce.h.
*/
void ma_body_print_functions(ma_ctext *text, const ma_body *body);
void ma_body_print_reduction(ma_ctext *text, const ma_body *body);
const char *ma_body_type(ma_dtype dtype); /* the name in C++: "float32", "complex<float>" */
/* Bytes of a partial result; for a type of the preamble, the limit. */
int ma_body_partial(const ma_body *body);

#pragma GCC visibility pop
#endif
