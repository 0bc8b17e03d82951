/* object.c: metatables of the library's objects (devices, streams, events, graphs, pools ...): methods by name, and
** errors for writes. */
#include "bind/bind.h"

void ma_lua_pushmethods(lua_State *L, const ma_method *methods, size_t n) {
  lua_newtable(L);
  for (size_t k = 0; k < n; k++) {
    ma_lua_pushclosure(L, methods[k].signature, false, methods[k].call, 0);
    lua_setfield(L, -2, methods[k].name);
  }
}

static int refuse_write(lua_State *L) {
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : lua_typename(L, lua_type(L, 2));
  ma_lua_where(L);
  lua_pushfstring(L, "moonarray: an assignment to '%s' of %s; its attributes can be read alone", key,
                  ma_lua_describe(L, 1));
  lua_concat(L, 2);
  return lua_error(L);
}

static void set_function(lua_State *L, const char *name, lua_CFunction function) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
}

void ma_lua_settype(lua_State *L, const ma_object_type *type) {
  ma_lua_pushplain(L, type->index_signature, false, type->index, 1);
  lua_setfield(L, -2, "__index");
  set_function(L, "__newindex", refuse_write);
  set_function(L, "__tostring", type->tostring);
  if (type->gc) set_function(L, "__gc", type->gc);
  lua_pushstring(L, type->name);
  lua_setfield(L, -2, "__metatable");
}
