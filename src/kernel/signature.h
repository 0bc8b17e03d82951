/* signature.h: the parameters of a CUDA kernel, as the source declares them. */
#ifndef MOONARRAY_SIGNATURE_H
#define MOONARRAY_SIGNATURE_H

#include "ops/ops.h"

#pragma GCC visibility push(hidden)

typedef struct ma_kernel_param {
  uint8_t dtype;          /* of the value, or of the pointer's target; MA_NDTYPE: another type */
  bool pointer, is_const; /* is_const: the pointer's target is const */
  bool any;               /* a pointer that takes every dtype: void *, char *, float2 *, struct s * */
  uint32_t size;          /* bytes of the argument; 0: unknown */
  char text[88];          /* "const float *x" */
} ma_kernel_param;

typedef struct ma_kernel_signature {
  bool found;     /* whether the text declares the kernel */
  bool c_linkage; /* extern "C" */
  bool strided;   /* the kernel takes strides, so arrays need not be contiguous */
  int nparam;     /* -1: unknown */
  char name[128];
  ma_kernel_param param[MA_MAX_KERNEL_PARAMS];
} ma_kernel_signature;

/* Finds `__global__ ... name(...)`. `name` is an identifier, or a name expression whose arguments replace the
** template's parameters. Types are resolved through typedef, using, #define and the -D options. A type that cannot
** be resolved stays unknown. */
void ma_kernel_signature_find(ma_kernel_signature *signature, const char *text, const char *name,
                              const char *const *option, int noption);
/* Compares with the loaded kernel, which is authoritative: a type whose size differs becomes unknown. */
void ma_kernel_signature_fit(ma_kernel_signature *signature, const ma_kernel *kernel);
/* "my_add(const float *x, float *y, int n)"; returns text. */
const char *ma_kernel_signature_print(const ma_kernel_signature *signature, char *text, size_t size);
/* Whether `name` is an identifier; whether it may be a name expression, such as "scale<float, 3>" or
** "&ns::table<int>". */
bool ma_is_identifier(const char *name);
bool ma_is_name_expression(const char *name);

#pragma GCC visibility pop
#endif
