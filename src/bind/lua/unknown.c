/*
** unknown.c: names that are not there: the nearest one, what lua/moonarray/unknown.lua knows of names of other
** libraries, and the tables of functions that raise errors for unknown names.
*/
#include "base/distance.h"
#include "bind/lua/tag.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *ma_lua_nearest(lua_State *L, int index, const char *name) {
  const char *nearest = NULL;
  size_t n = strlen(name);
  int best = n < 3 ? 0 : n < 5 ? 1 : n < 8 ? 2 : 3;
  if (index < 0) index += lua_gettop(L) + 1;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) continue;
    const char *candidate = lua_tostring(L, -1);
    int distance = strcasecmp(name, candidate) ? ma_edit_distance(name, candidate) : 0;
    bool better = distance < best || (distance == best && (!nearest || strcmp(candidate, nearest) < 0));
    if (distance <= best && better) best = distance, nearest = candidate;
  }
  return nearest; /* the table keeps it alive */
}

/* core.nearest(names, name): the key of the table that is near enough to be meant, or nil. */
int ma_lua_nearestname(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushstring(L, ma_lua_nearest(L, 1, luaL_checkstring(L, 2)));
  return 1;
}

#define LISTED 16
static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Pushes "; there are a, b, c" with the names in the table, or "" if there are many. */
static void push_names(lua_State *L, const char *before, int index) {
  const char *name[LISTED] = { NULL };
  size_t n = 0;
  luaL_Buffer text;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING || *lua_tostring(L, -1) == '_') continue;
    if (n == LISTED) {
      lua_pop(L, 1);
      n = 0;
      break;
    }
    name[n++] = lua_tostring(L, -1);
  }
  qsort(name, n, sizeof *name, by_name);
  luaL_buffinit(L, &text);
  for (size_t k = 0; k < n; k++) {
    luaL_addstring(&text, k ? ", " : before);
    luaL_addstring(&text, name[k]);
  }
  luaL_pushresult(&text);
}

/* Pushes the Lua layer's advice about a name, or nil. */
static void push_advice(lua_State *L, const char *place, const char *name, const char *nearest) {
  if (!ma_lua_pushhook(L, MA_HOOK_UNKNOWN)) {
    lua_pushnil(L);
    return;
  }
  lua_pushstring(L, place);
  lua_pushstring(L, name);
  lua_pushstring(L, nearest);
  lua_call(L, 3, 1);
}

/* `names` are searched for the nearest; those of `listed` are shown if none is near. */
static MA_RAISES int raise_unknown(lua_State *L, const char *place, const char *what, const char *name, int names,
                                   int listed) {
  luaL_checkstack(L, 2 * LISTED, "for the names that there are");
  const char *nearest = ma_lua_nearest(L, names, name);
  push_advice(L, place, name, nearest);
  if (lua_isstring(L, -1)) lua_pushfstring(L, "; %s", lua_tostring(L, -1));
  else if (nearest) lua_pushfstring(L, "; did you mean '%s'?", nearest);
  else push_names(L, strcmp(what, "function") ? "; it has " : "; there are ", listed);
  ma_lua_where(L);
  lua_pushfstring(L, "moonarray%s%s: no %s '%s'", *place ? "." : "", place, what, name);
  lua_pushvalue(L, -3);
  lua_concat(L, 3);
  lua_error(L);
  __builtin_unreachable();
}

int ma_lua_unknown(lua_State *L, const char *place, const char *what, const char *name, int index) {
  if (index < 0) index += lua_gettop(L) + 1;
  raise_unknown(L, place, what, name, index, index);
}

static void add_names(lua_State *L, int names, int from) {
  lua_pushnil(L);
  while (lua_next(L, from)) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, names);
  }
}

/* Pushes a new table with the names of the table at `from`; returns its stack index. */
int ma_lua_pushnames(lua_State *L, int from) {
  luaL_checkstack(L, 8, "for names");
  lua_newtable(L);
  int names = lua_gettop(L);
  add_names(L, names, from);
  return names;
}

void ma_lua_addname(lua_State *L, int names, const char *name) {
  lua_pushboolean(L, 1);
  lua_setfield(L, names, name);
}

/* Upvalue 3: the place. */
static int unknown_field(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  return ma_lua_unknown(L, lua_tostring(L, lua_upvalueindex(3)), "field", lua_tostring(L, 2), 1);
}

void ma_lua_setrecord(lua_State *L, const char *place) {
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushnil(L);
  lua_pushstring(L, place);
  lua_pushcclosure(L, unknown_field, 3);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

/* core.unknown(place, key, methods, fields?): for the __index of an object of the Lua layer, which calls it for a key
** that it has not. The library's own code gets nil: a field of an object may be absent. */
int ma_lua_unknownkey(lua_State *L) {
  const char *place = luaL_checkstring(L, 1);
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 4);
  if (lua_type(L, 2) != LUA_TSTRING || ma_lua_ownframe(L, 2)) return 0;
  int names = ma_lua_pushnames(L, 3);
  if (lua_istable(L, 4)) add_names(L, names, 4);
  raise_unknown(L, place, "attribute", lua_tostring(L, 2), names, 3);
}

static bool push_method(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->methods);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  lua_replace(L, -2);
  if (!lua_isnil(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

bool ma_lua_latermethod(lua_State *L) {
  if (ma_lua_summon(L, lua_tostring(L, 2)) && push_method(L)) return true;
  if (!ma_lua_pushhook(L, MA_HOOK_LATER)) return false;
  lua_pushvalue(L, 2);
  lua_call(L, 1, 0);
  return push_method(L);
}

/* ==== Tables of functions ========================================================================================= */

static int unknown_name(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING || !ma_lua_pushmodule(L, 1)) return 0;
  if (!*lua_tostring(L, -1) && ma_lua_summon(L, lua_tostring(L, 2))) { /* of the library itself */
    lua_pushvalue(L, 2);
    lua_rawget(L, 1);
    if (!lua_isnil(L, -1)) return 1;
    lua_pop(L, 1);
  }
  return ma_lua_unknown(L, lua_tostring(L, -1), "function", lua_tostring(L, 2), 1);
}

/* ma.fft(a), ma{1, 2} */
static int call_module(lua_State *L) {
  if (!ma_lua_pushmodule(L, 1)) lua_pushliteral(L, "");
  const char *name = lua_tostring(L, -1), *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;
  lua_pushstring(L, last);
  lua_rawget(L, 1);
  if (!*name) ma_lua_failas(L, NULL, "a call of the library itself; write ma.array{1, 2, 3} or another function of it");
  lua_pushfstring(L, "a call of a table of functions; write moonarray.%s.%s(...)", name,
                  lua_isfunction(L, -1) || lua_isuserdata(L, -1) ? last : "NAME");
  return ma_lua_failas(L, name, lua_tostring(L, -1));
}

void ma_lua_setmodule(lua_State *L, const char *name, size_t n) {
  if (!lua_getmetatable(L, -1)) lua_newtable(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, unknown_name, 1);
  lua_setfield(L, -2, "__index");
  lua_getfield(L, -1, "__call");
  if (lua_isnil(L, -1)) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, call_module, 1);
    lua_setfield(L, -3, "__call");
  }
  lua_pop(L, 1);
  lua_pushlightuserdata(L, (void *)&ma_lua_modulekey);
  lua_pushlstring(L, name, n);
  lua_rawset(L, -3);
  lua_setmetatable(L, -2);
}

int ma_lua_strict(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const char *name = luaL_optstring(L, 2, "");
  lua_settop(L, 2);
  lua_pushvalue(L, 1);
  ma_lua_setmodule(L, name, strlen(name));
  return 1;
}

void ma_lua_refusecolon(lua_State *L, const ma_signature *signature) {
  if (signature->hidden || !ma_lua_pushmodule(L, 1)) return;
  ma_lua_failas(L, signature->name,
                lua_pushfstring(L, "a call with a colon; wanted a dot: ma.%s(...)", signature->name));
}
