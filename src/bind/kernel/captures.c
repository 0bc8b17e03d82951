/*
** captures.c: what the function of ma.fuse or ma.stencil takes from outside (lua/moonarray/captures.lua finds it). A
** list of it has a holder, a key and a value by turns, in which the list itself stands for nil; a call compares.
*/
#include "bind/kernel/fuse.h"

#include <string.h>

bool ma_captures_push(lua_State *L, int function) {
  function = function < 0 ? lua_gettop(L) + 1 + function : function;
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->core);
  lua_getfield(L, -1, "taken");
  lua_remove(L, -2);
  lua_pushvalue(L, function);
  lua_call(L, 1, 2);
  bool again = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return again;
}

/* Numbers are compared by their bits, so that NaN equals itself and -0 is not 0. */
static bool same_value(lua_State *L, int a, int b) {
  if (lua_type(L, a) != LUA_TNUMBER || lua_type(L, b) != LUA_TNUMBER) return lua_rawequal(L, a, b);
  double number[2] = { lua_tonumber(L, a), lua_tonumber(L, b) };
  uint64_t bits[2];
  memcpy(bits, number, sizeof bits);
  return bits[0] == bits[1];
}

/* Whether the holder at k still has its value; the list is on top. */
static bool holds_at(lua_State *L, int k) {
  int list = lua_gettop(L);
  lua_rawgeti(L, list, k);
  lua_rawgeti(L, list, k + 1);
  if (lua_type(L, -2) == LUA_TFUNCTION) {
    if (!lua_getupvalue(L, -2, (int)lua_tonumber(L, -1))) lua_pushnil(L);
  } else {
    lua_rawget(L, -2);
  }
  lua_rawgeti(L, list, k + 2);
  bool none = lua_rawequal(L, -1, list);
  bool same = none ? lua_isnil(L, -2) : same_value(L, -1, -2);
  lua_settop(L, list);
  return same;
}

bool ma_captures_hold(lua_State *L) {
  if (!lua_istable(L, -1)) return true;
  int n = (int)lua_objlen(L, -1);
  for (int k = 1; k < n; k += 3)
    if (!holds_at(L, k)) return false;
  return true;
}

bool ma_captures_have(lua_State *L, int list) {
  if (!lua_istable(L, list)) return false;
  int n = (int)lua_objlen(L, list);
  for (int k = 3; k <= n; k += 3) {
    lua_rawgeti(L, list, k);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 1);
    if (same) return true;
  }
  return false;
}
