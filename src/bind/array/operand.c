/* operand.c: arguments that are arrays or become arrays: operands, data, and values that are assigned. */
#include "bind/lua/tag.h"

void ma_lua_checkarg_on(lua_State *L, int index, ma_arg *arg, ma_device *device) {
  arg->array = ma_lua_toarray(L, index);
  arg->weak = MA_STRONG;
  if (arg->array) {
    if (!arg->array->buffer) ma_lua_checkarray(L, index);
    return;
  }
  int type = lua_type(L, index);
  if (type == LUA_TTABLE) {
    arg->array = ma_lua_asarray_on(L, index, MA_NDTYPE, device);
    return;
  }
  if (type == LUA_TBOOLEAN)
    ma_lua_fail(L, "%s is a boolean; Lua's ==, < and not see no elements: write x:eq(0), x:lt(y)",
                ma_lua_argname(L, index));
  if (ma_lua_istraced(L, index)) ma_lua_failtraced(L);
  if (!ma_lua_tovalue(L, index, &arg->value, &arg->dtype, &arg->weak))
    ma_lua_fail(L, "%s is %s; wanted an array or a number", ma_lua_argname(L, index), ma_lua_describe(L, index));
}

void ma_lua_checkarg(lua_State *L, int index, ma_arg *arg) { ma_lua_checkarg_on(L, index, arg, NULL); }

ma_dtype ma_lua_datadtype(lua_State *L, int index) {
  ma_value value;
  ma_dtype dtype, real = ma_lua_state(L)->default_dtype;
  ma_weak weak;
  if (!ma_lua_tovalue(L, index, &value, &dtype, &weak))
    ma_lua_fail(L, "%s is %s; wanted an array, a number or a table", ma_lua_argname(L, index),
                ma_lua_describe(L, index));
  if (weak == MA_WEAK_COMPLEX) return real == MA_FLOAT64 ? MA_COMPLEX128 : MA_COMPLEX64;
  return weak == MA_STRONG || lua_type(L, index) == MA_LUA_TCDATA ? dtype : real;
}

static ma_array *scalar_array(lua_State *L, int index, ma_dtype dtype, ma_device *device) {
  if (ma_lua_iselement(L, index))
    ma_lua_fail(L, "%s is one element of code that runs in its plain form; only functions of single elements take it",
                ma_lua_argname(L, index));
  if (dtype == MA_NDTYPE) dtype = ma_lua_datadtype(L, index);
  ma_array *array = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_new(array, device, dtype, 0, NULL));
  ma_lua_assign(L, array, index);
  return array;
}

static ma_array *cast_array(lua_State *L, const ma_array *from, ma_dtype dtype) {
  ma_array *array = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_copy(array, from, dtype, ma_lua_streamfor(L, from)));
  return array;
}

ma_array *ma_lua_asarray_on(lua_State *L, int index, ma_dtype dtype, ma_device *device) {
  ma_array *array = ma_lua_arrayat(L, index);
  if (index < 0) index += lua_gettop(L) + 1;
  if (!array && ma_lua_istraced(L, index)) ma_lua_failtraced(L);
  if (array) {
    if (!array->buffer) ma_lua_checkarray(L, index);
    if (dtype == MA_NDTYPE || array->dtype == dtype) return array;
    array = cast_array(L, array, dtype);
  } else {
    if (!device) device = ma_lua_device(L);
    array = lua_type(L, index) == LUA_TTABLE ? ma_lua_fromtable(L, index, dtype, device)
                                             : scalar_array(L, index, dtype, device);
  }
  lua_replace(L, index);
  return array;
}

int ma_lua_copyout(lua_State *L, int out) {
  if (lua_isnil(L, out)) return 1;
  ma_lua_assign(L, ma_lua_checkarray(L, out), lua_gettop(L));
  lua_pushvalue(L, out);
  return 1;
}

ma_array *ma_lua_asarray(lua_State *L, int index, ma_dtype dtype) { return ma_lua_asarray_on(L, index, dtype, NULL); }

static void assign_scalar(lua_State *L, ma_array *to, int index) {
  ma_value value;
  ma_dtype from;
  ma_weak weak;
  ma_kind kind = ma_dtypes[to->dtype].kind;
  if (!ma_lua_tovalue(L, index, &value, &from, &weak))
    ma_lua_fail(L, "a value that is %s; wanted a number, a boolean, an array or a table", ma_lua_describe(L, index));
  if (weak == MA_WEAK_COMPLEX && kind != MA_KIND_COMPLEX)
    ma_lua_fail(L, "a complex number; an array of dtype %s takes real ones", ma_dtypes[to->dtype].name);
  if (ma_weak_is_whole(weak) && kind != MA_KIND_BOOL) {
    ma_lua_check(L, ma_value_weak(value, weak, to->dtype, &value));
    from = to->dtype;
  }
  MA_LUA_TRY(L, ma_array_fill(to, value, from, ma_lua_streamfor(L, to)));
}

void ma_lua_assign(lua_State *L, ma_array *to, int index) {
  const ma_array *from = ma_lua_toarray(L, index);
  if (!from && lua_type(L, index) != LUA_TTABLE) {
    assign_scalar(L, to, index);
    return;
  }
  if (from) ma_lua_checkarray(L, index);
  else from = ma_lua_asarray_on(L, index, to->dtype, ma_array_device(to));
  ma_device *device = ma_array_device(to);
  if (ma_is_host(device)) device = ma_array_device(from); /* the GPU makes copies to the host */
  MA_LUA_TRY(L, ma_array_assign(to, from, ma_lua_stream_of(L, device)));
}
