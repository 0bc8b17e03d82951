/*
** state.c: the data that moonarray keeps for a Lua state, its current device and streams.
**
** No lua_State is stored: the first `require` may run in a coroutine that is collected later. Everything belongs to one
** userdata in the registry, which is also the first upvalue of every closure.
*/
#include "base/owner.h"
#include "bind/bind.h"

#include <string.h>

#define STATE_KEY "moonarray.state"

static int new_table_reference(lua_State *L) {
  lua_newtable(L);
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

/* `close` finalises the first object that the library made, which a closing state finalises last. */
static void set_close(lua_State *L, lua_CFunction close) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
}

ma_lua *ma_lua_open(lua_State *L, lua_CFunction close) {
  lua_getfield(L, LUA_REGISTRYINDEX, STATE_KEY);
  ma_lua *state = lua_touserdata(L, -1);
  if (state) return state;
  lua_pop(L, 1);
  state = lua_newuserdata(L, sizeof *state);
  memset(state, 0, sizeof *state);
  set_close(L, close);
  state->owner = ma_owner_new();
  state->users = 1;
  state->default_dtype = MA_FLOAT64;
  state->rule_dtype = MA_NDTYPE;
  ma_deferral_start(&state->deferral, ma_config_int(MA_CONFIG_FUSE) && !ma_config_int(MA_CONFIG_SYNC));
  state->array_metatable = new_table_reference(L);
  state->complex_metatable = new_table_reference(L);
  state->ufunc_metatable = new_table_reference(L);
  state->traced_metatable = new_table_reference(L);
  state->methods = new_table_reference(L);
  state->library = new_table_reference(L);
  state->core = new_table_reference(L);
  state->functions = LUA_NOREF;
  state->signatures = new_table_reference(L);
  state->shapes = new_table_reference(L);
  state->casts = new_table_reference(L);
  state->used_methods = new_table_reference(L);
  for (int t = 0; t < MA_NDTYPE; t++) {
    lua_pushstring(L, ma_dtypes[t].name);
    state->dtype_names[t] = lua_tostring(L, -1);
    state->dtype_strings[t] = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  for (int i = 0; i < MA_NHOOK; i++) state->hook[i] = LUA_NOREF;
  ma_lua_startcollecting(state);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, STATE_KEY);
  return state;
}

void ma_lua_callcore(lua_State *L, const char *name, int n, int nresult) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->core);
  lua_getfield(L, -1, name);
  lua_replace(L, -2);
  lua_insert(L, -1 - n);
  lua_call(L, n, nresult);
}

/* ==== Names that are read often =================================================================================== */

void ma_lua_pushdtype(lua_State *L, ma_dtype dtype) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->dtype_strings[dtype]);
}

void ma_lua_pushdevice(lua_State *L, const ma_device *device) {
  int *string = &ma_lua_state(L)->device_strings[ma_lua_streamslot(device)]; /* 0: not yet */
  if (!*string) {
    lua_pushstring(L, device->name);
    *string = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, *string);
}

/* ==== The current device and stream =============================================================================== */

ma_device *ma_lua_device(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  if (!state->device) {
    ma_device *device = NULL;
    ma_lua_check(L, ma_device_default(&device));
    state->device = device;
  }
  return state->device;
}

ma_stream *ma_lua_stream(lua_State *L) { return ma_lua_stream_of(L, ma_lua_device(L)); }

/* The pool prefers blocks that this stream used last. */
void ma_lua_use(lua_State *L, ma_device *device) {
  ma_lua_state(L)->device = device;
  __atomic_store_n(&device->hint, ma_lua_stream_of(L, device), __ATOMIC_RELAXED);
}

bool ma_lua_pushhook(lua_State *L, ma_hook hook) {
  int reference = ma_lua_state(L)->hook[hook];
  if (reference == LUA_NOREF) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
  return true;
}

/* NULL: the null stream. */
void ma_lua_setstream(lua_State *L, ma_device *device, ma_stream *stream) {
  ma_lua_state(L)->streams[ma_lua_streamslot(device)] = stream;
}

void ma_lua_flush(lua_State *L, const char *why) {
  ma_lua *state = ma_lua_state(L);
  if (state->deferral.open.next == &state->deferral.open) return;
  ma_deferral_current = &state->deferral;
  MA_LUA_TRY(L, ma_pending_finish(why));
}
