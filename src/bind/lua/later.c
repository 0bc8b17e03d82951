/*
** later.c: functions that are made when a program first asks for them. The library has a thousand, and a program uses a
** few dozen. If each had a closure, a signature and names, the collector would take longer to visit them than many
** an operation. So a function that was not asked for yet is a small record that the collector does not look at.
**
** A name is that of the library's table or of a method, or "core.name". What a program or the Lua layer stored under
** it in the meantime stays.
*/
#include "bind/bind.h"

#include <stdio.h>
#include <string.h>

struct ma_lua_waiting {
  struct ma_lua_waiting *next;
  const char *name; /* of `n` bytes */
  size_t n;
  ma_lua_maker make; /* NULL: made already */
  const void *of;
};

static struct ma_lua_waiting **bucket_of(ma_lua *state, const char *name, size_t n) {
  return &state->waiting[ma_hash(name, n, 0) % MA_WAITING_BUCKETS];
}

void ma_lua_postpone(lua_State *L, const char *name, size_t n, ma_lua_maker make, const void *of) {
  ma_lua *state = ma_lua_state(L);
  struct ma_lua_waiting *w = ma_lua_keepmemory(L, sizeof *w), **at = bucket_of(state, name, n);
  *w = (struct ma_lua_waiting){ .next = *at, .name = name, .n = n, .make = make, .of = of };
  *at = w;
}

static int run_maker(lua_State *L) {
  const struct ma_lua_waiting *w = lua_touserdata(L, 1);
  lua_settop(L, 0);
  w->make(L, w->of);
  return 0;
}

/* After an error for lack of memory, the function stays to be made later. */
static void make_now(lua_State *L, struct ma_lua_waiting *w) {
  ma_lua *state = ma_lua_state(L);
  bool before = state->keeps_names;
  luaL_checkstack(L, 3, "for a function of the library");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, run_maker, 1);
  lua_pushlightuserdata(L, w);
  state->keeps_names = true;
  int status = lua_pcall(L, 1, 0, 0);
  state->keeps_names = before;
  if (status) lua_error(L);
  w->make = NULL;
}

bool ma_lua_summon(lua_State *L, const char *name) {
  size_t n = strlen(name);
  bool any = false;
  for (struct ma_lua_waiting *w = *bucket_of(ma_lua_state(L), name, n); w; w = w->next) {
    if (!w->make || w->n != n || memcmp(w->name, name, n)) continue;
    make_now(L, w);
    any = true;
  }
  return any;
}

void ma_lua_summonall(lua_State *L) {
  for (int k = 0; k < MA_WAITING_BUCKETS; k++)
    for (struct ma_lua_waiting *w = ma_lua_state(L)->waiting[k]; w; w = w->next)
      if (w->make) make_now(L, w);
}

/* core.summon(name): makes what waits under the name; whether there was any. core.summon(): makes all. */
static int core_summon(lua_State *L) {
  if (lua_gettop(L) == 0) ma_lua_summonall(L);
  else lua_pushboolean(L, lua_type(L, 1) == LUA_TSTRING && ma_lua_summon(L, lua_tostring(L, 1)));
  return lua_gettop(L) ? 1 : 0;
}

/* __index of core. */
static int core_index(lua_State *L) {
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  char name[64];
  if (!strcmp(key, "functions")) {
    ma_lua_summonall(L);
    return ma_lua_pushdocuments(L);
  }
  snprintf(name, sizeof name, "core.%s", key);
  if (!ma_lua_summon(L, name)) return 0;
  lua_settop(L, 2);
  lua_rawget(L, 1);
  return 1;
}

static void set_function(lua_State *L, const char *name, lua_CFunction function) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
}

void ma_open_later(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->core);
  set_function(L, "summon", core_summon);
  lua_createtable(L, 0, 1);
  set_function(L, "__index", core_index);
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}
