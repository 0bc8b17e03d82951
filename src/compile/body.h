/*
** body.h: texts of the user's kernels, which both backends print and compile: names, options, what a body reads, its
** parts as C++.
*/
#ifndef MOONARRAY_BODY_H
#define MOONARRAY_BODY_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* ==== body.c: text that a user wrote, in place of a program's instructions ======================================== */

#define MA_MAX_PARAMS 24 /* of an elementwise or reduction kernel */
#define MA_MAX_RAW 8
typedef enum ma_param_role { MA_PARAM_INPUT, MA_PARAM_SCALAR, MA_PARAM_RAW, MA_PARAM_OUTPUT } ma_param_role;

/* One parameter of a body, its type known. */
typedef struct ma_param {
  char name[32];
  uint8_t role, dtype;
  uint8_t place;            /* its number among the program's inputs, scalars, raw arrays or outputs */
  uint8_t is_output;        /* of a raw array: it may be written */
  uint8_t is_read;          /* of an output: the body may read its old value, or leave it as it is */
  uint8_t ndim, contiguous; /* of a raw array: what shapes the text; contiguous ones are of any ndim */
} ma_param;

/*
** A kernel definition with every type resolved: all that shapes a text beside the layout of operands. Interned by
** content: the same bytes have the same id, for the life of the process. Inputs, scalars and outputs have the names
** that the program gives their dtypes by place. Strings are never NULL.
*/
typedef struct ma_body {
  uint32_t id; /* from 1 */
  uint8_t nparam, ntype;
  bool uses_index; /* `i` is among the names in the texts, so operands have an index to follow them */
  bool is_reduction;
  ma_param param[MA_MAX_PARAMS];
  /* placeholders: T is float32 */
  struct {
    char name[32];
    uint8_t dtype;
  } type[MA_MAX_PARAMS];
  const char *name, *preamble, *options;
  const char *operation, *loop_prep, *after_loop; /* elementwise */
  const char *map, *reduce, *post_map, *identity; /* reductions; identity "": none */
  uint8_t reduce_dtype; /* of a and b; MA_NDTYPE: reduce_type names a C++ type of the preamble */
  const char *reduce_type;
} ma_body;

ma_status ma_body_intern(const ma_body *body, uint32_t *id); /* copies the strings */
const ma_body *ma_body_get(uint32_t id);                     /* without a lock */

/* name.c: is `name` an identifier that a kernel may have? `what` begins the error: "a kernel's name". */
ma_status ma_name_check(const char *what, const char *name);
bool ma_name_is_identifier(const char *name);

/* options.c: -DNAME=VALUE, -UNAME, -IFOLDER and --std=c++20 of elementwise and reduction kernels, as a body keeps them:
** one a line. */
#define MA_MAX_OPTIONS 64
/* at most MA_MAX_OPTIONS */
ma_status ma_options_read(ma_ctext *lines, const char *const *option, int noption, const char *preamble);
void ma_options_print(ma_ctext *text, const char *options); /* definitions, as directives */
int ma_options_split(char *copy, const char **option);      /* the others, within a copy of the lines; how many */
bool ma_body_reads_files(const ma_body *body); /* are there folders, a standard, or directives of inclusion? */

/* body.c: may `operation` read `name` before it has surely assigned it, or leave it unassigned? By a lexical rule that
** errs to yes. */
bool ma_body_reads(const char *operation, const char *name);

/* The text that was compiled last for a body, for its user to see. Keeping is best effort; the copy is the caller's to
** free, or NULL. */
void ma_body_keep_code(uint32_t id, const char *code);
char *ma_body_code(uint32_t id);

/* body_text.c: the parts of a body's text that both backends print. */
void ma_body_print_undefined(ma_ctext *text, const ma_body *body);
void ma_body_print_head(ma_ctext *text, const ma_body *body); /* -D options, placeholders as types, the preamble */
/* The user's own lines, numbered as he wrote them; nothing if there are none. `part` names them in a compiler's
** message. */
void ma_body_print_part(ma_ctext *text, const ma_body *body, const char *part, const char *lines);
/* `auto _operation`: a lambda with the parameters but for raw ones in order, then i where it is used. `attribute`: of
** the lambda. */
void ma_body_print_operation(ma_ctext *text, const ma_body *body, const char *attribute);

/* ==== body_reduce_text.c: the user's texts of a reduction as functions =========================================== */

/*
** Puts the placeholders, the preamble, and
**   value, ma_hold(x), ma_unhold(v)      a partial result as plain bytes, and the user's reduce type
**   struct ma_extra                      the scalars s0 ..., raw arrays w0 ..., n, and kept: the number of results
**   ma_user_map(extra, x0 ..., i)        i: where the body uses the index
**   ma_user_merge(a, b), ma_user_identity(), ma_user_finish(extra, a, y0 &, ...)
** user.cuh stands in front. ma_body_print_reduction adds the instance of reduce.h.
*/
void ma_body_print_functions(ma_ctext *text, const ma_body *body);
void ma_body_print_reduction(ma_ctext *text, const ma_body *body);
const char *ma_body_type(ma_dtype dtype); /* its name in C++: "float32", "complex<float>" */
/* bytes of a partial result, or what a type of the preamble may have at most */
int ma_body_partial(const ma_body *body);

#pragma GCC visibility pop
#endif
