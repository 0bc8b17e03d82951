/*
** structs.c: arrays of structs among the arguments of ma.fuse and ma.stencil (lua/moonarray/struct/element.lua). Such
** an argument counts as an array by its model, the field that comes first. The function gets a stand-in, whose fields
** become arrays of the recording: what says which is a table {place =, name =}, from which each run takes the array.
*/
#include "bind/kernel/fuse.h"

const ma_array *ma_structs_model(lua_State *L, int slot, uint32_t *number) {
  int top = lua_gettop(L);
  if (lua_type(L, slot) != LUA_TUSERDATA || !ma_lua_pushheld(L, slot)) return NULL;
  lua_getfield(L, top + 1, "bytes");
  if (lua_isnil(L, -1)) {
    lua_settop(L, top);
    return NULL;
  }
  lua_settop(L, top + 1);
  ma_lua_callcore(L, "struct_model", 1, 2);
  *number = (uint32_t)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return ma_lua_checkarray(L, -1);
}

void ma_structs_pushstandin(lua_State *L, int object, int place, const char *name) {
  lua_pushvalue(L, object);
  lua_pushinteger(L, place);
  lua_pushstring(L, name);
  ma_lua_callcore(L, "struct_standin", 3, 1);
}

const ma_array *ma_structs_field(lua_State *L, int first) {
  int top = lua_gettop(L);
  lua_getfield(L, top, "place");
  lua_pushvalue(L, first + (int)lua_tointeger(L, -1));
  lua_getfield(L, top, "name");
  ma_lua_callcore(L, "struct_field", 2, 1);
  lua_replace(L, top);
  lua_settop(L, top);
  return ma_lua_checkarray(L, top);
}
