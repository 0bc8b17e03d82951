/*
** record.c: the calls that a function makes while it is differentiated. The function runs over real arrays. Each call
** of the library over an array that is recorded, or over one whose elements the backward pass will read, goes to a
** handler of the Lua layer (lua/moonarray/grad), which runs it and notes what the backward pass needs.
**
** A buffer gets a number when an array over it is first noted. So whether a call concerns a recording is one look at
** each argument's buffer, and views need no notes: they share the number. The records are in bind/grad.
*/
#include "bind/kernel/fuse_entry.h"
#include "bind/lua/outside.h"
#include "bind/lua/tag.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 3, DEEPEST_LIST = 16 }; /* tables in tables; of objects, which may have circles, and of lists */

/* Fields of the table of handlers. `word`: by signature or class, true for a call that runs as it is, else the function
** that takes the call. `find` gives the word of a name for the first time. */
typedef enum handler { WORD = 1, FIND, ROW } handler;

/* ==== Which calls are noted ====================================================================================== */

static bool is_noted(lua_State *L, int index, int depth) {
  const ma_array *array = ma_lua_toarray(L, index);
  if (array) return array->buffer && array->buffer->recorded;
  if (lua_type(L, index) != LUA_TTABLE || depth == DEEPEST_LIST) return false;
  bool found = false;
  ma_lua_room(L, 4);
  for (lua_pushnil(L); !found && lua_next(L, index);) {
    found = (depth < DEEPEST || lua_type(L, -2) == LUA_TNUMBER) && is_noted(L, lua_gettop(L), depth + 1);
    lua_pop(L, found ? 2 : 1);
  }
  return found;
}

static bool any_noted(lua_State *L, int first, int last) {
  for (int k = first; k <= last; k++)
    if (is_noted(L, k, 0)) return true;
  return false;
}

static void push_handler(lua_State *L, const ma_lua *state, int which) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->records);
  lua_rawgeti(L, -1, which);
  lua_replace(L, -2);
}

/* Pushes what the handlers know the running closure by: "sum", "core.sort", ":sort" for a method apart, "fuse()" for a
** call of an object. */
static void push_name(lua_State *L, const ma_signature *signature) {
  const ma_class *class = signature ? NULL : lua_touserdata(L, lua_upvalueindex(4));
  if (class) lua_pushfstring(L, "%s()", class->name);
  else lua_pushfstring(L, "%s%s", signature->hidden ? "core." : signature->apart ? ":" : "", signature->name);
}

/* Pushes the word of the running closure. */
static void push_word(lua_State *L, const ma_lua *state) {
  const ma_signature *signature = lua_touserdata(L, lua_upvalueindex(2));
  void *key = signature ? (void *)signature : lua_touserdata(L, lua_upvalueindex(4));
  push_handler(L, state, WORD);
  lua_pushlightuserdata(L, key);
  lua_rawget(L, -2);
  if (!lua_isnil(L, -1)) {
    lua_replace(L, -2);
    return;
  }
  lua_pop(L, 1);
  push_handler(L, state, FIND);
  push_name(L, signature);
  lua_pushstring(L, signature ? signature->text : "");
  lua_call(L, 2, 1);
  lua_pushlightuserdata(L, key);
  lua_pushvalue(L, -2);
  lua_rawset(L, -4);
  lua_replace(L, -2);
}

/* Whether the calls of a function are noted, and the one that begins now is not being noted already. */
static bool takes_calls(ma_lua *state) {
  bool passes = state->passes;
  if (!ma_recording(state)) return false;
  state->passes = false;
  return !passes;
}

int ma_record_call(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  int n = lua_gettop(L);
  if (!ma_recording(state)) return -2;
  if (!takes_calls(state) || !any_noted(L, 1, n)) return -1;
  ma_lua_room(L, n + 8);
  push_word(L, state);
  if (lua_isboolean(L, -1)) {
    lua_settop(L, n);
    return -1;
  }
  lua_Debug frame;
  lua_pushlightuserdata(L, lua_touserdata(L, lua_upvalueindex(2)));
  lua_getstack(L, 0, &frame);
  lua_getinfo(L, "f", &frame);
  for (int k = 1; k <= n; k++) lua_pushvalue(L, k);
  lua_call(L, n + 2, LUA_MULTRET);
  return lua_gettop(L) - n;
}

/* Whether one of n operands is an object that has operations of its own, as a sparse matrix has. */
static bool has_own(lua_State *L, int first, int n) {
  for (int k = first; k < first + n; k++)
    if (lua_istable(L, k) && luaL_getmetafield(L, k, "__operation")) {
      lua_pop(L, 1);
      return true;
    }
  return false;
}

int ma_record_apply(lua_State *L, const ma_opcode *op, int nout, int first, int out, int dtype, int where,
                    int casting) {
  ma_lua *state = ma_lua_state(L);
  int nin = ma_ops[op[0]].nin, option[] = { out, dtype, where, casting }, top = lua_gettop(L);
  if (!takes_calls(state)) return 0;
  if (!any_noted(L, first, first + nin - 1) && !(out && any_noted(L, out, out))) return 0;
  if (has_own(L, first, nin)) return 0;
  ma_lua_room(L, nout * (nin + 8));
  for (int k = 0; k < nout; k++) {
    push_handler(L, state, ROW);
    lua_pushinteger(L, op[k]);
    for (int j = 0; j < 4; j++) {
      if (option[j]) lua_pushvalue(L, option[j]);
      else lua_pushnil(L);
    }
    for (int j = 0; j < nin; j++) lua_pushvalue(L, first + j);
    lua_call(L, nin + 5, 1);
  }
  return lua_gettop(L) - top;
}

/* ==== Functions that run with and without notes ================================================================== */

/* core.is_recording(): whether the calls of a function are noted now. */
static int push_recording(lua_State *L) {
  lua_pushboolean(L, ma_recording(ma_lua_state(L)));
  return 1;
}

/* core.set_handlers(handlers) */
static int set_handlers(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  if (state->records) luaL_unref(L, LUA_REGISTRYINDEX, state->records);
  state->records = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int ma_record_run(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  tracing tr;
  ma_tracing_begin(L, &tr);
  tr.records = true;
  state->tracing = &tr;
  ma_door_record(1);
  int failed = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  ma_door_record(-1);
  state->tracing = tr.outer;
  state->passes = false;
  lua_pushboolean(L, !failed);
  lua_insert(L, 1);
  return lua_gettop(L);
}

/* core.unrecorded(fn, ...): calls it while nothing is noted. */
static int call_unrecorded(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  tracing *before = state->tracing, *tr = before;
  while (tr && tr->records) tr = tr->outer;
  state->tracing = tr;
  int failed = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  state->tracing = before;
  return failed ? lua_error(L) : lua_gettop(L);
}

/* core.plainly(closure, ...): calls a closure of the core that the handlers were given. */
static int call_plainly(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  state->passes = ma_recording(state);
  int failed = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  state->passes = false; /* also where the closure failed before it asked */
  return failed ? lua_error(L) : lua_gettop(L);
}

/* core.arguments(signature, ...): a table of the arguments of a call by their names; absent ones are nil. */
static int name_arguments(lua_State *L) {
  const ma_signature *signature = lua_touserdata(L, 1);
  lua_remove(L, 1);
  ma_lua_arrange(L, signature);
  lua_createtable(L, 0, signature->nargs);
  for (int k = 0; k < signature->nargs; k++) {
    lua_pushvalue(L, k + 1);
    lua_setfield(L, -2, signature->arg[k]);
  }
  return 1;
}

/* core.outside_holds(list): whether all of what core.taken gave has the values that it had. */
static int push_holds(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushboolean(L, !ma_lua_findchanged(L, 1, false));
  return 1;
}

/* core.by_library(level): whether the library's own Lua code is at that level of calls, seen from the function that
** asks. */
static int is_by_library(lua_State *L) {
  lua_pushboolean(L, ma_lua_ownframe(L, (int)luaL_checkinteger(L, 1)));
  return 1;
}

/* ==== Rows ======================================================================================================== */

/* derivatives.def has a line for each row of ops.def, in any order: a row without one has no number here. */
enum {
#define DERIVATIVE(name, ...) LINE_##name,
#define CONSTANT DERIVATIVE
#define NONE DERIVATIVE
#include "kernels/derivatives.def"
};

static const struct {
  const char *word, *of[MA_MAX_ARITY];
} lines[] = {
#define DERIVATIVE(name, ...) { "rule", { __VA_ARGS__ } },
#define ANALYTIC(name, ...) { "analytic", { __VA_ARGS__ } },
#define PARTED(name, ...) { "parted", { __VA_ARGS__ } },
#define CONSTANT(name) { "constant", { NULL } },
#define NONE(name) { "none", { NULL } },
#include "kernels/derivatives.def"
};

static const uint16_t line_of[] = {
#define OP(name, ...) LINE_##name,
#include "kernels/ops.def"
};

/* core.derivative(op): the word of a row, its name, the number of its operands, and for each what flows to it, as text;
** a parted row has one text more. Nothing for a number that no row has. */
static int push_derivative(lua_State *L) {
  int op = (int)luaL_checkinteger(L, 1);
  if (op < 0 || op >= MA_NOP) return 0;
  lua_pushstring(L, lines[line_of[op]].word);
  lua_pushstring(L, ma_ops[op].name);
  lua_pushinteger(L, ma_ops[op].nin);
  for (int k = 0; k < MA_MAX_ARITY; k++) lua_pushstring(L, lines[line_of[op]].of[k]);
  return MA_MAX_ARITY + 3;
}

/* core.opcode(name): the row of that name, or nil. */
static int push_opcode(lua_State *L) {
  ma_opcode op = ma_op_named(luaL_checkstring(L, 1));
  if (op == MA_NOP) lua_pushnil(L);
  else lua_pushinteger(L, op);
  return 1;
}

/* core.outer_call(): the name of the function that the user called, or nil. */
static int push_outer(lua_State *L) {
  lua_pushstring(L, ma_traced_outer(L));
  return 1;
}

/* core.is_topic(topic): whether MOONARRAY_TRACE names it. core.print_line(topic, text) prints a line of it. */
static int is_topic(lua_State *L) {
  lua_pushboolean(L, ma_config_traces(luaL_checkstring(L, 1)));
  return 1;
}

static int print_line(lua_State *L) {
  ma_trace(luaL_checkstring(L, 1), "%s", luaL_checkstring(L, 2));
  return 0;
}

static void file(lua_State *L, const char *name, lua_CFunction call) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, call, 1);
  ma_lua_file(L, name);
}

/* core.record(): defines the other functions of this file, which are not loaded with the library. */
static int open_functions(lua_State *L) {
  static const luaL_Reg functions[] = {
    { "core.set_handlers", set_handlers },
    { "core.record_calls", ma_record_run },
    { "core.unrecorded", call_unrecorded },
    { "core.plainly", call_plainly },
    { "core.arguments", name_arguments },
    { "core.by_library", is_by_library },
    { "core.derivative", push_derivative },
    { "core.opcode", push_opcode },
    { "core.is_topic", is_topic },
    { "core.print_line", print_line },
    { "core.outer_call", push_outer },
    { "core.outside_holds", push_holds },
    { NULL, NULL },
  };
  for (const luaL_Reg *f = functions; f->name; f++) file(L, f->name, f->func);
  return 0;
}

void ma_open_record(lua_State *L) {
  file(L, "core.record", open_functions);
  file(L, "core.is_recording", push_recording);
}
