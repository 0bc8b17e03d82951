/* product.c: matmul. lua/moonarray/functions/product.lua has the functions over it (dot, tensordot, einsum ...). */
#include "bind/bind.h"

#include "ops/linalg.h"

static const ma_array *operand(lua_State *L, int index, ma_device *device) {
  if (!ma_lua_toarray(L, index) && lua_type(L, index) != LUA_TTABLE)
    ma_lua_fail(L, "%s is %s; wanted an array (x * y multiplies by a scalar)", ma_lua_argname(L, index),
                ma_lua_describe(L, index));
  return ma_lua_asarray_on(L, index, MA_NDTYPE, device);
}

/* The operand in the dtype that the product is to be computed in. */
static const ma_array *cast_operand(lua_State *L, int index, ma_dtype dtype) {
  ma_dtype from = (ma_dtype)ma_lua_toarray(L, index)->dtype;
  if (!ma_dtype_can_cast(from, dtype, true))
    ma_lua_fail(L, "%s is %s; dtype = \"%s\" cannot take it by same_kind casting", ma_lua_argname(L, index),
                ma_lua_describe(L, index), ma_dtypes[dtype].name);
  return ma_lua_asarray(L, index, dtype);
}

static int product_matmul(lua_State *L) {
  enum { A = 1, B, OUT, DTYPE };
  ma_lua_args(L);
  ma_lua_account(L);
  ma_device *device = NULL;
  for (int k = A; k <= B && !device; k++)
    if (ma_lua_toarray(L, k)) device = ma_array_device(ma_lua_checkarray(L, k));
  if (!device) device = ma_lua_device(L);
  const ma_array *a = operand(L, A, device), *b = operand(L, B, device);
  if (!lua_isnil(L, DTYPE)) {
    ma_dtype dtype = ma_lua_checkdtype(L, DTYPE, MA_FLOAT64);
    a = cast_operand(L, A, dtype);
    b = cast_operand(L, B, dtype);
  }
  ma_array *result = ma_lua_optarray(L, OUT);
  if (result) lua_pushvalue(L, OUT);
  else result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_matmul_run(a, b, result, ma_lua_stream_of(L, device)));
  return 1;
}

static int product_set_tf32(lua_State *L) {
  ma_lua_args(L);
  if (lua_type(L, 1) != LUA_TBOOLEAN) return ma_lua_fail(L, "on is %s; wanted true or false", ma_lua_describe(L, 1));
  lua_pushboolean(L, ma_config_tf32(lua_toboolean(L, 1)));
  return 1;
}

static const ma_function functions[] = { { "matmul(a, b, out?; dtype?)", product_matmul,
                                           "The product of matrices: over the last two axes, the others broadcast; a "
                                           "vector in front is a row, behind a column. Every float, complex "
                                           "and integer dtype; 16-bit floats are summed in float32. By cuBLAS on a "
                                           "GPU, by OpenBLAS or another BLAS on the CPU." },
                                         { "cuda.set_tf32(on)", product_set_tf32,
                                           "Lets float32 products on a GPU use TF32 from now on: several times as "
                                           "fast, with errors near 5e-4 of the terms. Returns what was set." },
                                         { NULL, NULL, NULL } };

void ma_open_product(lua_State *L) { ma_lua_register(L, functions); }
