/*
** general.cuh: elements of any dtype of a list, for the general forms of kernels. The text before it, which
** src/cuda/general/general.c prints, has:
**   GENERAL_DTYPES(X, t)    X(number, dtype, t) for each dtype that an array may have
**   GENERAL_REGISTERS(X)    X(dtype) for each dtype that the kernel computes with, once
**   GENERAL_CALL            how the functions are called: __forceinline__ or __noinline__
**   GENERAL_NDIM            the most axes that there may be
*/

/* An element as a register of dtype `type`, by the rule of casts; and back. */
#define GENERAL_LOAD_CASE(number, from, type) \
  case number:                                \
    return ma_to_##type(dt_##from::load(*(const dt_##from::mem *)p));
#define GENERAL_STORE_CASE(number, to, type)                \
  case number:                                              \
    *(dt_##to::mem *)p = dt_##to::store(ma_to_##to(value)); \
    break;
#define GENERAL_ACCESS(type)                                                                   \
  static __device__ GENERAL_CALL dt_##type::reg load_##type(const char *p, int dtype) {        \
    switch (dtype) { GENERAL_DTYPES(GENERAL_LOAD_CASE, type) }                                 \
    return dt_##type::reg();                                                                   \
  }                                                                                            \
  static __device__ GENERAL_CALL void store_##type(char *p, dt_##type::reg value, int dtype) { \
    switch (dtype) { GENERAL_DTYPES(GENERAL_STORE_CASE, type) }                                \
  }
GENERAL_REGISTERS(GENERAL_ACCESS)
#define GENERAL_PASTE_(a, b) a##b
#define GENERAL_PASTE(a, b) GENERAL_PASTE_(a, b)
