/*
** outside.c: whether what a function takes from outside is what it was (lua/moonarray/captures/init.lua finds it). A
** list of it has a holder, a key and a value by turns, in which the list itself stands for nil. A function as a holder
** has its upvalues by their numbers, and a table its fields.
*/
#include "bind/lua/outside.h"

#include <string.h>

/* Numbers are compared by their bits, so that NaN equals itself and -0 is not 0. */
static bool same_value(lua_State *L, int a, int b) {
  if (lua_type(L, a) != LUA_TNUMBER || lua_type(L, b) != LUA_TNUMBER) return lua_rawequal(L, a, b);
  double number[2] = { lua_tonumber(L, a), lua_tonumber(L, b) };
  uint64_t bits[2];
  memcpy(bits, number, sizeof bits);
  return bits[0] == bits[1];
}

void ma_lua_pushoutside(lua_State *L, int list, int k) {
  lua_rawgeti(L, list, k);
  lua_rawgeti(L, list, k + 1);
  if (lua_type(L, -2) == LUA_TFUNCTION) {
    if (!lua_getupvalue(L, -2, (int)lua_tonumber(L, -1))) lua_pushnil(L);
  } else {
    lua_rawget(L, -2);
  }
}

static bool holds_at(lua_State *L, int list, int k, bool may_end) {
  int top = lua_gettop(L);
  ma_lua_pushoutside(L, list, k);
  lua_rawgeti(L, list, k + 2);
  bool same = lua_rawequal(L, -1, list) ? lua_isnil(L, -2) : same_value(L, -1, -2) || (may_end && lua_isnil(L, -2));
  lua_settop(L, top);
  return same;
}

int ma_lua_findchanged(lua_State *L, int list, bool may_end) {
  int n = (int)lua_objlen(L, list);
  for (int k = 1; k < n; k += 3)
    if (!holds_at(L, list, k, may_end)) return k;
  return 0;
}
