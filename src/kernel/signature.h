/* signature.h: the parameters of a CUDA kernel, as its source declares them. */
#ifndef MOONARRAY_SIGNATURE_H
#define MOONARRAY_SIGNATURE_H

#include "ops/ops.h"

#pragma GCC visibility push(hidden)

typedef struct ma_kernel_param {
  uint8_t dtype;          /* of the value, or of what is pointed to; MA_NDTYPE: some other type */
  bool pointer, is_const; /* is_const: nothing is written through the pointer */
  bool any;               /* a pointer that takes every dtype: void *, char *, float2 *, struct s * */
  uint32_t size;          /* bytes of the argument; 0: unknown */
  char text[88];          /* "const float *x" */
} ma_kernel_param;

typedef struct ma_kernel_signature {
  bool found;     /* is it declared in the text? */
  bool c_linkage; /* extern "C" */
  bool strided;   /* the kernel is told the strides: arrays need not be contiguous */
  int nparam;     /* -1: unknown */
  char name[128];
  ma_kernel_param param[MA_MAX_KERNEL_PARAMS];
} ma_kernel_signature;

/* Finds `__global__ ... name(...)`. `name` is an identifier or a name expression, whose arguments stand for the
** template's parameters. Types are looked up through typedef, using, #define and the -D options. What it cannot tell is
** left unknown. */
void ma_kernel_signature_find(ma_kernel_signature *signature, const char *text, const char *name,
                              const char *const *option, int noption);
/* What the loaded kernel says is right: sizes that differ make a type unknown. */
void ma_kernel_signature_fit(ma_kernel_signature *signature, const ma_kernel *kernel);
/* "my_add(const float *x, float *y, int n)"; returns text. */
const char *ma_kernel_signature_print(const ma_kernel_signature *signature, char *text, size_t size);
/* Is it an identifier; or else could it be a name expression, such as "scale<float, 3>" or "&ns::table<int>"? */
bool ma_is_identifier(const char *name);
bool ma_is_name_expression(const char *name);

#pragma GCC visibility pop
#endif
