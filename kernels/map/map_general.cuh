/*
** map_general.cuh: the general form of an elementwise kernel: one operation over operands of any dtype of a list, of
** any strides and any number of axes. It runs where the exact form (map.cuh) is compiled nowhere, with the same bits.
** The text before this file, which src/cuda/kernels/map_general.c prints, has the program, and:
**   MAP_DTYPES(X, t)    X(number, dtype, t) for each dtype that an operand may have in memory
**   MAP_REGISTERS(X)    X(dtype) for each dtype that the program computes with, once
**   MAP_INPUTS(X)       X(k, dtype) for each input, of the dtype in which the program takes it
**   MAP_RESULT          the dtype of the program's result
**   MAP_NDIM, MAP_BLOCK the most axes that there may be; the threads of a block
*/

/* ==== Parameters: map_general.c has the same structs ==== */

struct operand {
  char *p; /* NULL: the value in `bits`, of the dtype in which the program takes it */
  u8 bits;
  i4 dtype, stride[MAP_NDIM];
};

#define MAP_OPERAND(k, type) operand in##k;
struct params {
  u4 n, naxis;
  divisor extent[MAP_NDIM];
  operand result;
  MAP_INPUTS(MAP_OPERAND)
};

/* ==== Elements: from memory to a register of another dtype by the rule of casts, and back ==== */

#define MAP_CASE_LOAD(number, from, type) \
  case number:                            \
    return ma_to_##type(dt_##from::load(*(const dt_##from::mem *)p));
#define MAP_CASE_STORE(number, to, type)                    \
  case number:                                              \
    *(dt_##to::mem *)p = dt_##to::store(ma_to_##to(value)); \
    break;
#define MAP_ACCESS(type)                                                                     \
  static __device__ MAP_CALL dt_##type::reg load_##type(const char *p, u8 bits, int dtype) { \
    if (!p) return dt_##type::load(*(const dt_##type::mem *)&bits);                          \
    switch (dtype) { MAP_DTYPES(MAP_CASE_LOAD, type) }                                       \
    return dt_##type::reg();                                                                 \
  }                                                                                          \
  static __device__ MAP_CALL void store_##type(char *p, dt_##type::reg value, int dtype) {   \
    switch (dtype) { MAP_DTYPES(MAP_CASE_STORE, type) }                                      \
  }
#define MAP_CALL __forceinline__
MAP_REGISTERS(MAP_ACCESS)
#define MAP_STORE_(type) store_##type
#define MAP_STORE(type) MAP_STORE_(type)
#define MAP_REG_(type) dt_##type::reg
#define MAP_REG(type) MAP_REG_(type)

/* ==== The kernel: a thread for each element ==== */

#define MAP_OFFSET(k, type) i4 at##k = 0;
#define MAP_ADVANCE(k, type) at##k += (i4)x * p.in##k.stride[d];
#define MAP_ARGUMENT(k, type) , load_##type(p.in##k.p ? p.in##k.p + at##k : NULL, p.in##k.bits, p.in##k.dtype)

MA_KERNEL __launch_bounds__(MAP_BLOCK) map(const params p) {
  u4 q = blockIdx.x * (u4)MAP_BLOCK + threadIdx.x;
  if (q >= p.n) return;
  i4 at = 0;
  MAP_INPUTS(MAP_OFFSET)
#pragma unroll 1
  for (int d = (int)p.naxis - 1; d >= 0; d--) {
    u4 x = q;
    if (d) q = divmod(q, p.extent[d], x);
    at += (i4)x * p.result.stride[d];
    MAP_INPUTS(MAP_ADVANCE)
  }
  const scalars none = scalars();
  MAP_REG(MAP_RESULT) value;
  program(none MAP_INPUTS(MAP_ARGUMENT), value);
  MAP_STORE(MAP_RESULT)(p.result.p + at, value, p.result.dtype);
}
