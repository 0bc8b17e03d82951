/*
** params.h: the parameter lists of elementwise and reduction kernels, "float32 x, raw T y", as written, and what they come to
** for the arguments of one call.
*/
#ifndef MOONARRAY_PARAMS_H
#define MOONARRAY_PARAMS_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

/* One parameter as written. */
typedef struct ma_param_text {
  char name[32], type[32];             /* type: as written, "float32", "long long", "T" */
  uint8_t dtype;                       /* MA_NDTYPE: the type is a placeholder */
  bool raw, is_const;
} ma_param_text;

typedef struct ma_params {
  int nin, nout;                       /* inputs first, then outputs */
  ma_param_text param[MA_MAX_PARAMS];
} ma_params;

/*
** Parses and checks both lists; errors name the parameter. Refused as names: what is no C identifier, what starts with _ , i
** and n, C++'s keywords and this library's type names, a name used twice.
*/
ma_status ma_params_parse(ma_params *params, const char *in, const char *out);
/* Is `name` an identifier that a kernel may have? `what` begins the error: "a kernel's name". */
ma_status ma_params_check_name(const char *what, const char *name);

/* What a call gives for one parameter, as far as it shapes the kernel: bytes without padding, so that calls are compared by memcmp. */
typedef enum ma_given_form {
  MA_GIVEN_NOTHING,                    /* an output that is to be made */
  MA_GIVEN_ARRAY,
  MA_GIVEN_SCALAR,                     /* of a dtype of its own */
  MA_GIVEN_WEAK_INT, MA_GIVEN_WEAK_FLOAT, MA_GIVEN_WEAK_COMPLEX
} ma_given_form;
typedef struct ma_given { uint8_t form, dtype, ndim, contiguous; } ma_given;      /* ndim and contiguous: raw arrays alone, else 0 */

ma_given ma_params_given(const ma_param_text *param, const ma_arg *arg);   /* an arg with neither array nor buffer: see the form */
/*
** Fills body->nparam, param, ntype and type. A concrete type must be the array's dtype; a placeholder takes an array's first,
** else a typed scalar's, else the weak scalars' (int64, float64, complex128); outputs that are to be made take theirs from
** there. is_read of outputs is left to the caller (ma_body_reads).
*/
ma_status ma_params_resolve(const ma_params *params, const ma_given *given, ma_body *body);
/* The program of an interned body: its inputs, scalars and outputs by place. */
void ma_params_program(const ma_body *body, uint32_t id, ma_program *program);
/* Parameter k's scalar as the kernel takes it: converted to the resolved dtype; a weak integer that does not fit is an error. */
ma_status ma_params_scalar(const ma_body *body, int k, const ma_arg *arg, ma_value *value);

/* options.c: -DNAME=VALUE, -UNAME, -IFOLDER and --std=c++20 of elementwise and reduction kernels, as a body keeps them: one a line. */
#define MA_MAX_OPTIONS 64
ma_status ma_options_read(ma_ctext *lines, const char *const *option, int noption, const char *preamble);  /* at most MA_MAX_OPTIONS */
void ma_options_print(ma_ctext *text, const char *options);                /* definitions, as directives */
int ma_options_split(char *copy, const char **option);                     /* the others, within a copy of the lines; how many */
bool ma_body_reads_files(const ma_body *body);                             /* are there folders, a standard, or directives of inclusion? */

/* body.c: may `operation` read `name` before it has surely assigned it, or leave it unassigned? By a lexical rule that errs to yes. */
bool ma_body_reads(const char *operation, const char *name);

/* The text that was compiled last for a body, for its user to see. Keeping is best effort; the copy is the caller's to free, or NULL. */
void ma_body_keep_code(uint32_t id, const char *code);
char *ma_body_code(uint32_t id);

/* body_text.c: the parts of a body's text that both backends print. */
void ma_body_print_undefined(ma_ctext *text, const ma_body *body);
void ma_body_print_head(ma_ctext *text, const ma_body *body);              /* -D options, placeholders as types, the preamble */
/* The user's own lines, numbered as he wrote them; nothing if there are none. `part` names them in a compiler's message. */
void ma_body_print_part(ma_ctext *text, const ma_body *body, const char *part, const char *lines);
/* `auto _operation`: a lambda with the parameters but for raw ones in order, then i where it is used. `attribute`: of the lambda. */
void ma_body_print_operation(ma_ctext *text, const ma_body *body, const char *attribute);

#pragma GCC visibility pop
#endif
