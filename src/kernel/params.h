/*
** params.h: the parameter lists of elementwise and reduction kernels, "float32 x, raw T y", as written, and what they
** come to for the arguments of one call.
*/
#ifndef MOONARRAY_PARAMS_H
#define MOONARRAY_PARAMS_H

#include "ops/ops.h"
#include "compile/body.h"

#pragma GCC visibility push(hidden)

/* One parameter as written. */
typedef struct ma_param_text {
  char name[32], type[32]; /* type: as written, "float32", "long long", "T" */
  uint8_t dtype;           /* MA_NDTYPE: the type is a placeholder */
  bool raw, is_const;
} ma_param_text;

typedef struct ma_params {
  int nin, nout; /* inputs first, then outputs */
  ma_param_text param[MA_MAX_PARAMS];
} ma_params;

/*
** Parses and checks both lists; errors name the parameter. Refused as names: what is no C identifier, what starts with
** _ , i and n, C++'s keywords and this library's type names, a name used twice.
*/
ma_status ma_params_parse(ma_params *params, const char *in, const char *out);

/* What a call gives for one parameter, as far as it shapes the kernel: bytes without padding, so that calls are
** compared by memcmp. */
typedef enum ma_given_form {
  MA_GIVEN_NOTHING, /* an output that is to be made */
  MA_GIVEN_ARRAY,
  MA_GIVEN_SCALAR, /* of a dtype of its own */
  MA_GIVEN_WEAK_INT,
  MA_GIVEN_WEAK_FLOAT,
  MA_GIVEN_WEAK_COMPLEX
} ma_given_form;
typedef struct ma_given {
  uint8_t form, dtype, ndim, contiguous;
} ma_given; /* ndim and contiguous: raw arrays alone, else 0 */

/* an arg with neither array nor buffer: see the form */
ma_given ma_params_given(const ma_param_text *param, const ma_arg *arg);
/*
** Fills body->nparam, param, ntype and type. A concrete type must be the array's dtype; a placeholder takes an array's
** first, else a typed scalar's, else the weak scalars' (int64, float64, complex128); outputs that are to be made take
** theirs from there. is_read of outputs is left to the caller (ma_body_reads).
*/
ma_status ma_params_resolve(const ma_params *params, const ma_given *given, ma_body *body);
/* The program of an interned body: its inputs, scalars and outputs by place. */
void ma_params_program(const ma_body *body, uint32_t id, ma_program *program);
/* Parameter k's scalar as the kernel takes it: converted to the resolved dtype; a weak integer that does not fit is an
** error. */
ma_status ma_params_scalar(const ma_body *body, int k, const ma_arg *arg, ma_value *value);

#pragma GCC visibility pop
#endif
