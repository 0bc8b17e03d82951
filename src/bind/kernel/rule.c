/* rule.c: functions that ma.fuse and ma.stencil run over stand-ins, and that treat these as elements: in Lua's
** branches or in Lua's own functions. This file makes the errors for them. */
#include "bind/kernel/fuse.h"

#include <string.h>

/* ==== Lua's own errors ============================================================================================ */

#define FIELD "a field is read by a call with an offset for each axis: u(0) is the element, u(1) the next one"
#define FUNCTIONS "Lua's own functions see no elements: write ma.maximum, ma.floor and their like, of ma"

/* The texts that an error must both contain, and the hint that it gets. */
static const struct {
  const char *error, *and;
  bool stencil; /* only in a stencil */
  const char *hint;
} hints[] = {
  { "number expected, got userdata", "", false, FUNCTIONS },
  { "cannot convert 'userdata'", "", false, FUNCTIONS },
  { "attempt to compare", "userdata", false,
    "Lua's <, <=, > and >= see no elements: write x:lt(y), x:le(y), x:gt(y) or x:ge(y), with ma.where" },
  { "'for' ", "must be a number", false, "the bounds of a loop are numbers of Lua; elements are not known yet" },
  { "attempt to ", "function value", true, FIELD },
  { "attempt to compare", "function", true, FIELD },
  { "number expected, got function", "", true, FIELD },
};

/* NULL: the error is another one. */
static const char *hint_for(const char *error, bool stencil) {
  if (strstr(error, "moonarray.") || strstr(error, "moonarray: ")) return NULL;
  for (size_t k = 0; k < sizeof hints / sizeof *hints; k++)
    if (strstr(error, hints[k].error) && strstr(error, hints[k].and) && (stencil || !hints[k].stencil))
      return hints[k].hint;
  return NULL;
}

/* The message behind "user.lua:12: ". */
static const char *behind_place(const char *error) {
  for (const char *at = error; (at = strchr(at, ':')); at++) {
    size_t n = strspn(at + 1, "0123456789");
    if (n && !strncmp(at + 1 + n, ": ", 2)) return at + n + 3;
  }
  return error;
}

static bool is_library(lua_State *L, const lua_Debug *frame) { /* of the frame whose function is on top */
  bool ours = *frame->what != 'C' && ma_lua_isown(ma_lua_state(L), frame->source);
  if (lua_iscfunction(L, -1) && lua_getupvalue(L, -1, 1)) {
    ours = lua_touserdata(L, -1) == ma_lua_state(L);
    lua_pop(L, 1);
  }
  return ours;
}

/* Pushes "user.lua:12: ", the innermost place in the function at `index` or in what it calls. A tail call leaves no
** frame; then it is the place where the function begins. */
static void push_place(lua_State *L, int index) {
  lua_Debug frame;
  for (int level = 1; lua_getstack(L, level, &frame) && lua_getinfo(L, "Slf", &frame); level++) {
    bool library = is_library(L, &frame);
    lua_pop(L, 1);
    if (library) break;
    if (frame.currentline <= 0) continue;
    lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
    return;
  }
  lua_pushvalue(L, index);
  if (lua_isfunction(L, -1) && lua_getinfo(L, ">S", &frame) && *frame.what != 'C') {
    lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.linedefined);
    return;
  }
  ma_lua_where(L);
}

void ma_rule_refuse(const ma_lua *state) {
  for (tracing *tr = state->tracing; tr; tr = tr->outer) tr->refused = true;
}

/* The handler of an error. Upvalues: 3 the function, 4 the name for messages, 5 whether it is that of a stencil. */
static int explain(lua_State *L) {
  const char *error = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : NULL;
  const char *hint = error ? hint_for(error, lua_toboolean(L, lua_upvalueindex(5))) : NULL;
  lua_settop(L, 1);
  if (!hint) return 1;
  ma_rule_refuse(ma_lua_state(L));
  push_place(L, lua_upvalueindex(3));
  lua_pushfstring(L, "moonarray.%s: %s; %s", lua_tostring(L, lua_upvalueindex(4)), behind_place(error), hint);
  lua_concat(L, 2);
  return 1;
}

void ma_rule_pushhandler(lua_State *L, int function, const char *name, bool stencil) {
  lua_pushvalue(L, function);
  lua_pushstring(L, name);
  lua_pushboolean(L, stencil);
  ma_lua_pushplain(L, "fuse(...)", false, explain, 3);
}

/* ==== Results ===================================================================================================== */

void ma_rule_note(lua_State *L, tracing *tr, ma_opcode op, ma_operand made) {
  lua_Debug frame;
  if (ma_ops[op].out != MA_SIG_BOOL || tr->ntest == MA_MOST_TESTS) return;
  if (!ma_lua_userframe(L, &frame, MA_NEAR_FRAMES)) return;
  int node = made.id + (made.kind == MA_TRACED_NUMBER ? MA_MAX_TRACE_NODES : 0);
  for (int k = 0; k < tr->ntest; k++)
    if (tr->test[k].node == node) return;
  traced_test *test = &tr->test[tr->ntest++];
  test->node = node;
  test->line = frame.currentline;
  memcpy(test->source, frame.short_src, sizeof test->source);
}

/* Raises "user.lua:12: moonarray.name: text", with the place of the comparison. */
static void fail_test(lua_State *L, tracing *tr, int node, const char *name, const char *text) {
  int k = 0;
  while (k < tr->ntest && tr->test[k].node != node) k++;
  if (k < tr->ntest) lua_pushfstring(L, "%s:%d: ", tr->test[k].source, tr->test[k].line);
  else ma_lua_where(L);
  lua_pushfstring(L, "moonarray.%s: %s", name, text);
  lua_concat(L, 2);
  lua_error(L);
}

#define BRANCHES                                                                                                  \
  "Lua's if, and, or, not and == see no elements in a function whose text is out of reach: write ma.where(mask, " \
  "a, b), or give the text"

uint32_t ma_rule_check(lua_State *L, tracing *tr, int nresult, const ma_operand *result, const char *name) {
  uint32_t uses;
  int test = ma_tape_unused(&tr->tape, nresult, result, &uses);
  if (tr->chooses || (test < 0 && (uses || tr->stencil || !ma_tape_computes(&tr->tape)))) return uses;
  tr->refused = true;
  if (test >= 0) fail_test(L, tr, test, name, "a comparison that no result uses; " BRANCHES);
  return (uint32_t)ma_lua_fail(L, "no result uses an argument, though the function computes with them; " BRANCHES);
}

/* ==== Forms ======================================================================================================= */

/* Pushes what core.element_rule gives for the function in that slot. `changing`: a slot, or 0. */
static void push_rule(lua_State *L, int function, const char *name, bool stencil, int changing, int nresult) {
  lua_pushstring(L, name);
  lua_pushvalue(L, function);
  lua_pushboolean(L, stencil);
  if (changing) lua_pushvalue(L, changing);
  ma_lua_callcore(L, "element_rule", 3 + (changing != 0), nresult);
}

bool ma_rule_pushchanging(lua_State *L, int function, int env, const char *name, bool stencil) {
  int top = lua_gettop(L);
  lua_getfield(L, env, "changing");
  if (!lua_istable(L, -1)) {
    lua_settop(L, top);
    return false;
  }
  push_rule(L, function, name, stencil, top + 1, 2);
  lua_remove(L, top + 1);
  bool found = !lua_isnil(L, -2);
  if (!found) lua_settop(L, top);
  return found;
}

bool ma_rule_pushform(lua_State *L, int function, const char *name, bool stencil) {
  push_rule(L, function, name, stencil, 0, 1);
  return !lua_isnil(L, -1);
}

/* ==== Parameters ================================================================================================== */

int ma_rule_parameters(lua_State *L, int index) {
  int top = lua_gettop(L), n = -1;
  if (!lua_isfunction(L, index)) return -1;
  lua_pushvalue(L, index);
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  if (lua_istable(L, -1)) lua_getfield(L, -1, "debug");
  if (lua_istable(L, -1)) lua_getfield(L, -1, "getinfo");
  if (lua_isfunction(L, -1)) {
    lua_pushvalue(L, top + 1);
    lua_pushliteral(L, "u");
    if (!lua_pcall(L, 2, 1, 0) && lua_istable(L, -1)) {
      lua_getfield(L, -1, "isvararg");
      lua_getfield(L, -2, "nparams"); /* of LuaJIT and Lua 5.2; nil in Lua 5.1 */
      if (lua_isnumber(L, -1) && !lua_toboolean(L, -2)) n = (int)lua_tointeger(L, -1);
    }
  }
  lua_settop(L, top);
  return n;
}
