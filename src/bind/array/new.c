/* new.c: new arrays on the stack: unset, in an order, copies, and on another device. */
#include "bind/array/new.h"

#include <stdio.h>
#include <string.h>

static const char letters[] = "CFAK"; /* as in ma_order */

ma_order ma_lua_checkorder(lua_State *L, int index, ma_order fallback, const char *allowed) {
  if (lua_isnil(L, index)) return fallback;
  size_t length = 0;
  const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : "";
  if (length == 1 && strchr(allowed, *text)) return (ma_order)(strchr(letters, *text) - letters);
  char wanted[64] = "";
  for (size_t n = 0, at = 0; allowed[n]; n++)
    at += (size_t)snprintf(wanted + at, sizeof wanted - at, "%s\"%c\"",
                           !n               ? ""
                           : allowed[n + 1] ? ", "
                                            : " or ",
                           allowed[n]);
  ma_lua_fail(L, "order is %s; wanted %s", ma_lua_describe(L, index), wanted);
}

ma_array *ma_lua_pushnew(lua_State *L, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape) {
  ma_array *array = ma_lua_newarray(L);
  ma_status status;
  int tries = 0;
  do status = ma_array_new(array, device, dtype, ndim, shape);
  while (__builtin_expect(status != MA_OK, 0) && ma_lua_retry(L, status, &tries));
  ma_lua_check(L, status);
  return array;
}

ma_array *ma_lua_pushnewin(lua_State *L, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape,
                           ma_order order, const ma_array *model) {
  int axes[MA_MAX_NDIM];
  ma_array *array = ma_lua_pushnew(L, device, dtype, ndim, shape);
  if (order == MA_ORDER_C) return array;
  ma_order_axes(order, model, ndim, axes);
  ma_array_lay_out(array, axes);
  return array;
}

void ma_lua_pushresults(lua_State *L, int out, int n, ma_array **result) {
  if (lua_isnil(L, out)) {
    for (int k = 0; k < n; k++) result[k] = ma_lua_newarray(L);
    return;
  }
  if (n == 1) {
    result[0] = ma_lua_checkarray(L, out);
    lua_pushvalue(L, out);
    return;
  }
  if (!lua_istable(L, out)) ma_lua_fail(L, "out is %s; wanted a table of %d arrays", ma_lua_describe(L, out), n);
  for (int k = 0; k < n; k++) {
    lua_rawgeti(L, out, k + 1);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      result[k] = ma_lua_newarray(L);
      continue;
    }
    result[k] = ma_lua_toarray(L, -1);
    if (!result[k] || !result[k]->buffer)
      ma_lua_fail(L, "out[%d] is %s; wanted an array", k + 1, ma_lua_describe(L, -1));
  }
}

ma_array *ma_lua_pushcopy(lua_State *L, const ma_array *from, ma_dtype dtype) {
  ma_stream *stream = ma_lua_streamfor(L, from);
  ma_array *copy = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_copy(copy, from, dtype, stream));
  return copy;
}

ma_array *ma_lua_pushcopyin(lua_State *L, const ma_array *from, ma_dtype dtype, ma_order order) {
  ma_stream *stream = ma_lua_streamfor(L, from);
  ma_array *copy = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_copy_in(copy, from, dtype, order, stream));
  return copy;
}

void ma_lua_pushon(lua_State *L, const ma_array *from, ma_device *device) {
  if (device == ma_device_cpu()) ma_lua_accounthost(L, from->size * ma_dtypes[from->dtype].itemsize);
  ma_stream *stream = ma_lua_streamfor(L, from);
  ma_array *copy = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_to(copy, from, device, stream));
  if (device == ma_device_cpu() && ma_array_device(from) != device) ma_lua_checkfault(L, stream);
}

ma_array *ma_lua_moveto(lua_State *L, ma_device *device) {
  ma_array *host = ma_lua_toarray(L, -1);
  if (ma_array_device(host) == device) return host;
  ma_array *array = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_to(array, host, device, ma_lua_stream_of(L, device)));
  ma_array_release(host);
  lua_replace(L, -2);
  return array;
}
