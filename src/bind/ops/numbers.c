/*
** numbers.c: calls with Lua values alone (ma_ufunc_numbers in src/ops/ufunc.c says of which dtypes these are).
*/
#include "bind/bind.h"

int ma_lua_applynumbers(lua_State *L, const ma_opcode *op, int nout, int first) {
  ma_arg arg[MA_MAX_ARITY];
  ma_value value[MA_MAX_OUTPUTS];
  ma_dtype dtype[MA_MAX_OUTPUTS];
  uint32_t plain = 0;
  bool element = false;
  for (int k = 0; k < ma_ops[op[0]].nin; k++) {
    arg[k].array = NULL;
    if (!ma_lua_tovalue(L, first + k, &arg[k].value, &arg[k].dtype, &arg[k].weak)) return 0;
    if (lua_type(L, first + k) == LUA_TNUMBER) plain |= 1u << k;
    element |= ma_lua_iselement(L, first + k);
  }
  MA_LUA_TRY(L, ma_ufunc_numbers(op, nout, arg, element ? MA_WEAK_NUMBERS : plain, value, dtype));
  for (int k = 0; k < nout; k++) (element ? ma_lua_pushelement : ma_lua_pushvalue)(L, value[k], dtype[k]);
  return nout;
}

/* Replaces the value at `index` by a CPU array without axes. */
static void make_array(lua_State *L, int index, ma_stream *stream) {
  ma_arg arg;
  void *memory;
  if (!ma_lua_tovalue(L, index, &arg.value, &arg.dtype, &arg.weak)) return;
  if (lua_type(L, index) == LUA_TNUMBER) ma_arg_widen(&arg);
  ma_array *array = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_new(array, ma_device_cpu(), arg.dtype, 0, NULL));
  MA_LUA_TRY(L, ma_array_write(array, stream, &memory));
  ma_value_store(memory, arg.dtype, arg.value);
  lua_replace(L, index);
}

int ma_lua_callwithnumbers(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  ma_stream *stream = state->streams[0], *plain = ma_device_null_stream(ma_device_cpu());
  bool element = false;
  for (int k = 2; k <= lua_gettop(L); k++) element |= ma_lua_iselement(L, k);
  make_array(L, 2, plain);
  state->streams[0] = plain; /* which records nothing */
  int failed = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  state->streams[0] = stream;
  if (failed) return lua_error(L);
  for (int k = 1; k <= lua_gettop(L); k++) {
    const ma_array *array = ma_lua_toarray(L, k);
    ma_value value;
    if (!array || !array->buffer || array->ndim) continue;
    MA_LUA_TRY(L, ma_array_item(array, plain, &value));
    (element ? ma_lua_pushelement : ma_lua_pushvalue)(L, value, (ma_dtype)array->dtype);
    lua_replace(L, k);
  }
  return lua_gettop(L);
}
