/* params.h: the parameter lists of elementwise and reduction kernels, such as "float32 x, raw T y", and their
** resolution for the arguments of a call. */
#ifndef MOONARRAY_PARAMS_H
#define MOONARRAY_PARAMS_H

#include "ops/ops.h"
#include "compile/body.h"

#pragma GCC visibility push(hidden)

/* One parameter as it was written. */
typedef struct ma_param_text {
  char name[32], type[32]; /* type: as it was written: "float32", "long long", "T" */
  uint8_t dtype;           /* MA_NDTYPE: the type is a placeholder */
  bool raw, is_const;
} ma_param_text;

typedef struct ma_params {
  int nin, nout; /* inputs first, then outputs */
  ma_param_text param[MA_MAX_PARAMS];
} ma_params;

/* Parses and checks both lists; errors name the parameter. A name must be a C identifier that does not start with _
** and is used once. The names i and n, C++'s keywords and the library's type names are refused. */
ma_status ma_params_parse(ma_params *params, const char *in, const char *out);

/* What a call gives for one parameter, as far as the kernel depends on it. The struct has no padding, so calls are
** compared by memcmp. */
typedef enum ma_given_form {
  MA_GIVEN_NOTHING, /* an output to make */
  MA_GIVEN_ARRAY,
  MA_GIVEN_SCALAR, /* with a dtype of its own */
  MA_GIVEN_WEAK_INT,
  MA_GIVEN_WEAK_FLOAT,
  MA_GIVEN_WEAK_COMPLEX
} ma_given_form;
typedef struct ma_given {
  uint8_t form, dtype, ndim, contiguous;
} ma_given; /* ndim and contiguous: for raw arrays, else 0 */

/* The form of an argument. If its array has no buffer, it is an output to make. */
ma_given ma_params_given(const ma_param_text *param, const ma_arg *arg);
/* Whether a text uses more of a raw array than name[k] and name.size(), which are all that a contiguous one has. If so,
** the array is given whole: with its extents and steps. */
bool ma_params_whole(const char *text, const char *name);
void ma_params_give_whole(ma_given *given, const ma_array *array);
/*
** Fills body->nparam, param, ntype and type. A concrete type must be the array's dtype. A placeholder takes the dtype
** of an array, else that of a typed scalar, else that of the weak scalars (int64, float64, complex128). Outputs to make
** take the resolved type. The caller sets is_read of outputs (ma_body_reads).
*/
ma_status ma_params_resolve(const ma_params *params, const ma_given *given, ma_body *body);
/* The program of an interned body, with inputs, scalars and outputs by place. */
void ma_params_program(const ma_body *body, uint32_t id, ma_program *program);
/* The scalar for parameter k, converted to the resolved dtype. A weak integer that does not fit is an error. */
ma_status ma_params_scalar(const ma_body *body, int k, const ma_arg *arg, ma_value *value);

#pragma GCC visibility pop
#endif
