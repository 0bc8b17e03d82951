/*
** map_general.cuh: the general form of an elementwise kernel: one operation over operands of any dtype of a list, of
** any strides and any number of axes. It runs where the exact form (map.cuh) is compiled nowhere, with the same bits.
** The text before this file, which src/cuda/general/map_general.c prints, has the program, general.cuh, and:
**   MAP_INPUTS(X)    X(k, dtype) for each input, of the dtype in which the program takes it
**   MAP_RESULT       the dtype of the program's result
**   MAP_BLOCK        the threads of a block
*/

/* ==== Parameters: map_general.c has the same structs ==== */

struct operand {
  char *p; /* NULL: the value in `bits`, of the dtype in which the program takes it */
  u8 bits;
  i4 dtype, stride[GENERAL_NDIM];
};

#define MAP_OPERAND(k, type) operand in##k;
struct params {
  u4 n, naxis;
  divisor extent[GENERAL_NDIM];
  operand result;
  MAP_INPUTS(MAP_OPERAND)
};

template <class T> static __device__ __forceinline__ typename T::reg value_of(u8 bits) {
  return T::load(*(const typename T::mem *)&bits);
}

/* ==== The kernel: a thread for each element ==== */

#define MAP_OFFSET(k, type) i4 at##k = 0;
#define MAP_ADVANCE(k, type) at##k += (i4)x * p.in##k.stride[d];
#define MAP_ARGUMENT(k, type) \
  , p.in##k.p ? load_##type(p.in##k.p + at##k, p.in##k.dtype) : value_of<dt_##type>(p.in##k.bits)

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
  GENERAL_PASTE(dt_, MAP_RESULT)::reg value;
  program(none MAP_INPUTS(MAP_ARGUMENT), value);
  GENERAL_PASTE(store_, MAP_RESULT)(p.result.p + at, value, p.result.dtype);
}
