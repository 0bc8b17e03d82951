/*
** module.c: luaopen_moonarray_core, the only exported symbol. It opens no device, and needs neither ffi nor debug nor
** io. A second call in a Lua state (by a test runner or a hot reload that emptied package.loaded) returns the same
** table.
*/
#include "base/owner.h"
#include "bind/array/life.h"
#include "bind/files/files.h"
#include "bind/kernel/fuse.h"
#include "bind/lua/noted.h"

#include <stdio.h>
#include <string.h>

/* ==== Functions for the Lua layer ================================================================================= */

/* The closures of core.def. Upvalue 3: the Lua function, which gets the declared slots, then further arguments. */
static int call_lua(lua_State *L) {
  const ma_signature *signature = lua_touserdata(L, lua_upvalueindex(2));
  ma_lua_checkflags(L, signature);
  lua_pushvalue(L, lua_upvalueindex(3));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* The closures of core.named: upvalue 3 gets the arguments as they are. */
static int call_upvalue(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(3));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

static int call_named(lua_State *L) { return MA_LUA_NOTED(L, call_upvalue); }

/* The same for core.elementwise: given numbers alone, it gives numbers. */
static int call_elementwise(lua_State *L) {
  ma_lua_checkflags(L, lua_touserdata(L, lua_upvalueindex(2)));
  int n = lua_gettop(L), nresult = -1;
  bool numbers = ma_lua_arenumbers(L, 1, n);
  lua_pushvalue(L, lua_upvalueindex(3));
  lua_insert(L, 1);
  if (numbers) return ma_lua_callwithnumbers(L);
  if (ma_lua_state(L)->tracing) nresult = ma_lua_state(L)->standin->numbers(L, n);
  if (nresult >= 0) return nresult;
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

static int define(lua_State *L, lua_CFunction call) {
  const char *signature = luaL_checkstring(L, 1), *doc = luaL_optstring(L, 2, "");
  luaL_checktype(L, 3, LUA_TFUNCTION);
  lua_settop(L, 3);
  ma_lua_define(L, signature, doc, call, 1);
  ma_lua_setlayered(L, signature);
  return 1;
}

/* core.def(signature, doc, fn): adds fn to the library, as a method too if it is one, and returns the closure. */
static int core_def(lua_State *L) { return define(L, call_lua); }

/* core.elementwise(signature, doc, fn): the same for a function of the elements of its first argument. */
static int core_elementwise(lua_State *L) { return define(L, call_elementwise); }

/* core.named(name, fn): a function that calls fn, whose errors carry the name. With a signature in place of the name,
** fn gets the declared arguments. */
static int core_named(lua_State *L) {
  char text[160];
  const char *name = luaL_checkstring(L, 1);
  bool declared = strchr(name, '(');
  snprintf(text, sizeof text, declared ? "%s" : "%s(...)", name);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  if (declared) ma_lua_pushclosure(L, text, false, call_lua, 1);
  else ma_lua_pushplain(L, text, false, call_named, 1);
  ma_lua_setlayered(L, text);
  return 1;
}

/* core.fail(name, text): raises an error of ma.<name>; name nil: of the running function. */
static int core_fail(lua_State *L) { return ma_lua_failas(L, luaL_optstring(L, 1, NULL), luaL_checkstring(L, 2)); }

/* core.describe(value): "a float32 array (3, 4)", for messages. */
static int core_describe(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushstring(L, ma_lua_describe(L, 1));
  return 1;
}

static int core_is_array(lua_State *L) {
  lua_pushboolean(L, ma_lua_toarray(L, 1) || ma_lua_istraced(L, 1));
  return 1;
}

static int core_is_number(lua_State *L) {
  lua_pushboolean(L, ma_lua_arenumbers(L, 1, 1));
  return 1;
}

static int core_is_callable(lua_State *L) {
  lua_pushboolean(L, ma_lua_iscallable(L, 1));
  return 1;
}

/* core.wants_plain(option): whether a function of elements is to run in its plain form. */
static int core_wants_plain(lua_State *L) {
  lua_settop(L, 1);
  if (!lua_isnil(L, 1) && !lua_isboolean(L, 1))
    return ma_lua_failas(L, NULL, lua_pushfstring(L, "plain is %s; wanted a boolean", ma_lua_describe(L, 1)));
  lua_pushboolean(L, lua_isnil(L, 1) ? ma_config_int(MA_CONFIG_PLAIN) != 0 : lua_toboolean(L, 1));
  return 1;
}

static ma_hook check_hook(lua_State *L) {
  static const char *const names[MA_NHOOK + 1] = { "tostring",     "int64",  "push_int64", "pointer", "flat",
                                                   "address",      "hold",   "later",      "unknown", "record",
                                                   "push_element", "waited", NULL };
  return (ma_hook)luaL_checkoption(L, 1, NULL, names);
}

/* core.hook(name): the function, or nil. */
static int core_hook(lua_State *L) {
  if (!ma_lua_pushhook(L, check_hook(L))) lua_pushnil(L);
  return 1;
}

/* core.set_hook(name, fn): nil takes it away. */
static int core_set_hook(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  ma_hook hook = check_hook(L);
  if (!lua_isnil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  luaL_unref(L, LUA_REGISTRYINDEX, state->hook[hook]);
  state->hook[hook] = lua_isnil(L, 2) ? LUA_NOREF : luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static const luaL_Reg core_functions[] = {
  { "def", core_def },
  { "elementwise", core_elementwise },
  { "named", core_named },
  { "fail", core_fail },
  { "wants_plain", core_wants_plain },
  { "describe", core_describe },
  { "is_array", core_is_array },
  { "is_number", core_is_number },
  { "is_callable", core_is_callable },
  { "strict", ma_lua_strict },
  { "unknown", ma_lua_unknownkey },
  { "nearest", ma_lua_nearestname },
  { "set_hook", core_set_hook },
  { "hook", core_hook },
  { "own", ma_lua_own },
  { "collect_step", ma_lua_collectstep },
  { NULL, NULL },
};

/* ==== Closing ==================================================================================================== */

/* Reports a position out of range in work that no call waited for. The GPU may not have run the kernel yet, so this
** waits. Streams live as long as the process. */
static void report_left(const ma_lua *state, ma_stream *stream) {
  ma_fault fault = { .set = false };
  const ma_backend *backend = stream->device->backend;
  /* The stream may belong to another state by now, and record a graph there. */
  if (ma_stream_wait(NULL, stream) != MA_OK || backend->fault.take(stream, state->owner, &fault) != MA_OK || !fault.set)
    return;
  char found[100], wanted[80];
  ma_fault_print(&fault, found, sizeof found, wanted, sizeof wanted);
  fprintf(stderr, "moonarray: moonarray.%s: %s was outside of 1..%lld, and nothing waited to be told\n", fault.function,
          found, (long long)fault.extent);
}

static int close_state(lua_State *L) {
  ma_lua *state = lua_touserdata(L, 1);
  for (int id = 0; id < MA_MAX_GPUS; id++)
    if (state->picked[id]) report_left(state, state->picked[id]);
  ma_deferral_end(&state->deferral);
  ma_owner_free(state->owner);
  state->owner = 0;
  ma_lua_leaveplace(state);
  ma_lua_leaveslabs(state);
  return 0;
}

/* ==== Opening ==================================================================================================== */

static void (*const parts[])(lua_State *L) = {
#define PART(name) ma_open_##name,
#include "bind/parts.def"
#undef PART
};

/* Runs with the state as its upvalue, as all functions of the library do. */
static int open_library(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  state->standin = &ma_traced_standin;
  state->door = ma_lua_door;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->core);
  for (const luaL_Reg *f = core_functions; f->name; f++) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, f->func, 1);
    lua_setfield(L, -2, f->name);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->library);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "library");
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) parts[k](L);
  lua_pushliteral(L, MA_VERSION);
  lua_setfield(L, -2, "version");
  lua_settop(L, 1);
  return 1;
}

#pragma GCC visibility push(default)
int luaopen_moonarray_core(lua_State *L);
#pragma GCC visibility pop

int luaopen_moonarray_core(lua_State *L) {
  const ma_lua *state = ma_lua_open(L, close_state);
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->core);
  lua_pushliteral(L, "library");
  lua_rawget(L, -2);
  if (!lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return 1;
  }
  lua_pop(L, 2);
  lua_pushcclosure(L, open_library, 1);
  lua_call(L, 0, 1);
  return 1;
}
