/* held.c: objects of the Lua layer that hold arrays, and what the core does with them: structs of C as dtypes, and
** arrays of structs (lua/moonarray/struct). They are userdata, whose `#` Lua asks for, with a table as environment. */
#include "bind/bind.h"

#define HELD_MAGIC UINT64_C(0x6d6168656c64)

bool ma_lua_pushheld(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_objlen(L, index) != sizeof(uint64_t)) return false;
  if (*(const uint64_t *)lua_touserdata(L, index) != HELD_MAGIC) return false;
  lua_getfenv(L, index);
  return true;
}

/* core.hold(class, table): an object with this metatable. */
static int core_hold(lua_State *L) {
  uint64_t *object = lua_newuserdata(L, sizeof *object);
  *object = HELD_MAGIC;
  lua_pushvalue(L, 1);
  lua_setmetatable(L, -2);
  lua_pushvalue(L, 2);
  lua_setfenv(L, -2);
  return 1;
}

/* core.held(value): the table of such an object, or nothing. */
static int core_held(lua_State *L) { return lua_gettop(L) > 0 && ma_lua_pushheld(L, 1); }

/* ==== Structs ===================================================================================================== */

/* Calls core.<name> with the n values on top, if it is there; else pops them. One result. */
static bool call_core(lua_State *L, const char *name, int n) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->core);
  lua_pushstring(L, name);
  lua_rawget(L, -2);
  lua_replace(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pop(L, n + 1);
    return false;
  }
  lua_insert(L, -n - 1);
  lua_call(L, n, 1);
  return true;
}

bool ma_lua_makestructs(lua_State *L, int dtype, int nargs) {
  if (!ma_lua_pushheld(L, dtype)) return false;
  const ma_signature *signature = lua_touserdata(L, lua_upvalueindex(2));
  lua_pop(L, 1);
  ma_lua_room(L, nargs + 4);
  lua_pushstring(L, signature->name);
  lua_pushvalue(L, dtype);
  for (int k = 1; k <= nargs; k++) lua_pushvalue(L, k);
  if (!call_core(L, "make_structs", nargs + 2)) return false;
  if (!lua_isnil(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

bool ma_lua_tostructs(lua_State *L, int index) {
  bool held = ma_lua_pushheld(L, index);
  if (held) lua_getfield(L, -1, "bytes");
  else if (lua_type(L, index) != MA_LUA_TCDATA) return false;
  else {
    lua_pushvalue(L, index);
    if (!call_core(L, "struct_bytes", 1)) return false;
  }
  bool found = !lua_isnil(L, -1);
  if (found) lua_replace(L, index);
  lua_pop(L, held + !found);
  return found;
}

static const ma_function functions[] = {
  { "core.hold(class, table)", core_hold, NULL },
  { "core.held(value)", core_held, NULL },
  { NULL, NULL, NULL },
};

void ma_open_held(lua_State *L) { ma_lua_registerplain(L, functions); }
