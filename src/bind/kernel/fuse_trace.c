/*
** fuse_trace.c: records a function of ma.fuse by running it over traced values (traced.c), and files what is run in its
** place: a plan of programs, or C++ where it is no program, or the function itself (fuse_plain.c).
*/
#include "bind/kernel/fuse_entry.h"

#include <string.h>

static void describe_kinds(lua_State *L, int narg, const ma_arg *arg) {
  static const char *const weak[] = { "", "integer", "integer beyond int64", "float", "complex number" };
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  luaL_addchar(&buffer, '(');
  for (int k = 0; k < narg; k++) {
    if (k) luaL_addstring(&buffer, ", ");
    luaL_addstring(&buffer, arg[k].array               ? ma_dtypes[arg[k].array->dtype].name
                            : arg[k].weak != MA_STRONG ? weak[arg[k].weak]
                                                       : ma_dtypes[arg[k].dtype].name);
    if (arg[k].array) luaL_addstring(&buffer, " array");
  }
  luaL_addchar(&buffer, ')');
  luaL_pushresult(&buffer);
}

/* Pushes a traced value for each argument. */
static void push_arguments(lua_State *L, tracing *tr, int narg, const ma_arg *arg, const uint8_t *kind,
                           const char *name) {
  for (int k = 0; k < narg; k++) {
    ma_operand operand;
    if (ma_fuse_isstructs(kind[k])) {
      ma_structs_pushstandin(L, k + 2, k, name);
      continue;
    }
    if (arg[k].array)
      ma_lua_check(L, ma_tape_input(&tr->tape, k, (ma_dtype)arg[k].array->dtype, arg[k].array->ndim, &operand));
    else ma_lua_check(L, ma_tape_number(&tr->tape, k, &arg[k], !(kind[k] & MA_FUSE_OBJECT), &operand));
    ma_traced_push(L, tr->id, operand);
  }
}

static void read_result(lua_State *L, int index, int number, tracing *tr, ma_operand *operand) {
  ma_arg scalar = { .array = NULL };
  const traced *t = ma_traced_at(L, index);
  if (t && t->id == tr->id) *operand = t->operand;
  else if (ma_fuse_capture(L, index, tr, operand)) return;
  else if (lua_isboolean(L, index) || !ma_lua_tovalue(L, index, &scalar.value, &scalar.dtype, &scalar.weak))
    ma_lua_fail(L, "result %d is %s; wanted what was computed from the arguments", number, ma_lua_describe(L, index));
  else ma_lua_check(L, ma_tape_number(&tr->tape, -1, &scalar, lua_type(L, index) == LUA_TNUMBER, operand));
  ma_lua_check(L, ma_tape_result(&tr->tape, operand));
}

bool ma_fuse_pushform(lua_State *L, const ma_fuse *f) {
  lua_getfenv(L, 1);
  if (f->formed) {
    lua_getfield(L, -1, "form");
    lua_replace(L, -2);
    return true;
  }
  lua_rawgeti(L, -1, 0);
  lua_replace(L, -2);
  bool chooses = ma_rule_pushform(L, lua_gettop(L), f->signature->name, false);
  lua_remove(L, chooses ? -2 : -1);
  return chooses;
}

/* Says that no program runs, which is slower, and keeps it for the text of the object in that slot. */
static void note_slower(lua_State *L, int object, const char *how, const char *why) {
  const ma_fuse *f = lua_touserdata(L, object);
  if (ma_config_traces("fuse")) ma_trace("fuse", "%s: no program, runs %s: %s", f->signature->name, how, why);
  lua_getfenv(L, object);
  lua_pushfstring(L, "%s: %s", how, why);
  lua_setfield(L, -2, "slower");
  lua_pop(L, 1);
}

#define PLAIN "in plain operators"

/* Says that the C++ of a function has no compiler. Upvalues: 3 the object, 4 why it is no program. */
static int note_absent(lua_State *L) {
  note_slower(L, lua_upvalueindex(3), PLAIN, lua_tostring(L, lua_upvalueindex(4)));
  return 0;
}

/* Stores what runs in place of a program: the function on top, which it pops. */
static ma_fuse_entry *file_plain(lua_State *L, ma_fuse *f, tracing *tr, int index, int narg, const ma_arg *arg,
                                 const uint8_t *kind) {
  ma_fuse_entry *e = ma_fuse_file(L, f, tr, index, narg, arg, kind, 0, NULL, 0);
  lua_createtable(L, 4, 0);
  lua_pushvalue(L, -3);
  lua_rawseti(L, -2, 4);
  lua_setfenv(L, -2);
  lua_remove(L, -2);
  return e;
}

/* Pushes a list of {dtype =, weak =, structs =} for the arguments. */
static void push_types(lua_State *L, int narg, const ma_arg *arg, const uint8_t *kind) {
  lua_createtable(L, narg, 0);
  for (int k = 0; k < narg; k++) {
    lua_createtable(L, 0, 2);
    lua_pushstring(L, ma_dtypes[arg[k].array ? (ma_dtype)arg[k].array->dtype : arg[k].dtype].name);
    lua_setfield(L, -2, "dtype");
    if (!arg[k].array && arg[k].weak != MA_STRONG) {
      lua_pushstring(L, ma_weak_is_whole(arg[k].weak) ? "int" : "float");
      lua_setfield(L, -2, "weak");
    }
    if (ma_fuse_isstructs(kind[k])) {
      lua_pushvalue(L, k + 2);
      lua_setfield(L, -2, "structs");
    }
    lua_rawseti(L, -2, k + 1);
  }
}

/* Stores the C++ of a function for which the error on top says why it is no program, which goes over to plain operators
** where there is no compiler. Returns NULL if it has none. */
static ma_fuse_entry *file_body(lua_State *L, ma_fuse *f, tracing *tr, int index, int narg, const ma_arg *arg,
                                const uint8_t *kind) {
  int why = lua_gettop(L);
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, 0);
  lua_replace(L, -2);
  lua_pushvalue(L, why);
  lua_pushboolean(L, tr->tape.full);
  lua_pushstring(L, f->signature->name);
  push_types(L, narg, arg, kind);
  ma_captures_pushchanging(L);
  ma_fuse_pushform(L, f);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, why);
  ma_lua_pushplain(L, "fuse(...)", false, note_absent, 2);
  ma_lua_callcore(L, "fuse_body", 8, 2);
  if (lua_isnil(L, -2)) {
    lua_settop(L, why);
    return NULL;
  }
  lua_insert(L, -2);
  ma_fuse_entry *e = file_plain(L, f, tr, index, narg, arg, kind);
  e->body = true;
  int notes = lua_gettop(L) - 1; /* of the body; the entry is behind them */
  lua_getfenv(L, -1);
  ma_fuse_note(L, e, notes + 2, lua_isnil(L, notes) ? 0 : notes);
  lua_pop(L, 1);
  lua_remove(L, notes);
  note_slower(L, 1, "as C++", lua_tostring(L, why));
  return e;
}

/* Pushes the function in the form for numbers from outside that change, with what it notes below, or nothing. */
static bool push_changing(lua_State *L, const ma_fuse *f) {
  int top = lua_gettop(L);
  if (f->formed) return false;
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, 0);
  bool found = ma_rule_pushchanging(L, top + 2, top + 1, f->signature->name, false);
  if (found) { /* the environment, the function, the form, what it notes */
    lua_replace(L, top + 1);
    lua_replace(L, top + 2);
  } else lua_settop(L, top);
  return found;
}

/* Whether the results make a plan. Numbers that are no constants may be too many. */
static bool makes_plan(lua_State *L, tracing *tr, int nresult, const ma_operand *result) {
  size_t size = sizeof(ma_fused) + (size_t)ma_fused_parts(nresult, result) * sizeof(ma_fused_part);
  ma_fused *plan = lua_newuserdata(L, size);
  memset(plan, 0, size);
  bool made = ma_fused_make(&tr->tape, nresult, result, plan) == MA_OK;
  lua_pop(L, 1);
  return made;
}

/* Sets of which dtype the draws of a recording are, and the most axes of its arrays. */
static void prepare_draws(tracing *tr, int narg, const ma_arg *arg) {
  ma_dtype first = ma_fuse_first(narg, arg);
  for (int k = 0; k < narg; k++)
    if (arg[k].array && arg[k].array->ndim > tr->ndim) tr->ndim = arg[k].array->ndim;
  tr->draw_dtype = first == MA_NDTYPE ? MA_FLOAT64 : ma_draw_dtype(first);
  tr->may_draw = true;
  tr->narg = narg;
}

/* Runs the function on top over stand-ins. Its results, or its error, are then behind slot `base`, where its draws are
** if there are any; the slot before that has the arrays that it takes from outside. Returns what lua_pcall does. */
static int record(lua_State *L, const ma_fuse *f, tracing *tr, int narg, const ma_arg *arg, const uint8_t *kind,
                  int *base) {
  ma_lua *state = ma_lua_state(L);
  lua_newtable(L);
  lua_insert(L, -2);
  ma_rule_pushhandler(L, lua_gettop(L), f->signature->name, false);
  lua_insert(L, -2); /* the list of arrays, the handler, the function */
  *base = lua_gettop(L) - 1;
  push_arguments(L, tr, narg, arg, kind, f->signature->name);
  prepare_draws(tr, narg, arg);
  lua_pushvalue(L, *base - 1);
  tr->arrays = luaL_ref(L, LUA_REGISTRYINDEX);
  state->tracing = tr;
  int failed = ma_draw_call(L, narg, LUA_MULTRET, *base, f->signature->name, ma_fuse_first(narg, arg));
  state->tracing = tr->outer;
  state->running = f->signature;
  luaL_unref(L, LUA_REGISTRYINDEX, tr->arrays);
  tr->slot = *base - 1;
  if (tr->draws != LUA_NOREF) { /* in place of the handler */
    lua_rawgeti(L, LUA_REGISTRYINDEX, tr->draws);
    luaL_unref(L, LUA_REGISTRYINDEX, tr->draws);
    lua_replace(L, *base);
  }
  return failed;
}

/* Stores the function itself, which runs over the arrays in each call, since it is no program. */
static ma_fuse_entry *file_form(lua_State *L, ma_fuse *f, tracing *tr, int index, int narg, const ma_arg *arg,
                                const uint8_t *kind, const char *why) {
  ma_fuse_pushform(L, f);
  ma_fuse_entry *e = file_plain(L, f, tr, index, narg, arg, kind);
  note_slower(L, 1, PLAIN, why);
  return e;
}

/* What runs in place of a program where the function raised the error on top. */
static ma_fuse_entry *file_failed(lua_State *L, ma_fuse *f, tracing *tr, int base, int index, int narg,
                                  const ma_arg *arg, const uint8_t *kind) {
  if (tr->reduced && tr->drawn && !tr->refused)
    ma_lua_fail(L, "random numbers in a function that computes with the result of a reduction; draw them before, and "
                   "give them as an argument");
  if (tr->reduced && !tr->refused) {
    lua_settop(L, base - 1);
    return file_form(L, f, tr, index, narg, arg, kind, "it computes with the result of a reduction");
  }
  ma_fuse_entry *e = tr->refused ? NULL : file_body(L, f, tr, index, narg, arg, kind);
  if (!e && tr->tape.full && !tr->refused && !tr->drawn)
    return file_form(L, f, tr, index, narg, arg, kind, lua_tostring(L, -1));
  if (!e) lua_error(L);
  return e;
}

/* Where the results are no plan: the C++ of the function, or the function itself. Neither of them draws. */
static ma_fuse_entry *file_full(lua_State *L, ma_fuse *f, tracing *tr, int index, int narg, const ma_arg *arg,
                                const uint8_t *kind) {
  tr->tape.full = true;
  lua_pushstring(L, ma_message());
  ma_fuse_entry *e = file_body(L, f, tr, index, narg, arg, kind);
  if (!e && tr->drawn) ma_lua_fail(L, "%s", lua_tostring(L, -1));
  return e ? e : file_form(L, f, tr, index, narg, arg, kind, lua_tostring(L, -1));
}

static ma_fuse_entry *trace(lua_State *L, ma_fuse *f, int index, int narg, const ma_arg *arg, const uint8_t *kind,
                            const char *reason, bool constant);

/* Records a function with constants in place of numbers from outside. The reason on top says why no program has them as
** scalars; its C++ may have them all the same. `base`: a slot, behind which the entry is then. */
static ma_fuse_entry *trace_constant(lua_State *L, ma_fuse *f, int base, int index, int narg, const ma_arg *arg,
                                     const uint8_t *kind, const char *reason) {
  lua_replace(L, base + 1);
  lua_settop(L, base + 1);
  ma_fuse_entry *e = trace(L, f, index, narg, arg, kind, reason, true);
  lua_insert(L, base + 1);
  lua_settop(L, base + 2);
  if (!e->body) ma_captures_keep(L, f->signature->name);
  lua_settop(L, base + 1);
  return e;
}

/* `constant`: numbers from outside are constants of a program. */
static ma_fuse_entry *trace(lua_State *L, ma_fuse *f, int index, int narg, const ma_arg *arg, const uint8_t *kind,
                            const char *reason, bool constant) {
  ma_operand result[MA_MAX_TRACE_RESULTS];
  tracing tr;
  int base;
  ma_tracing_begin(L, &tr);
  if (tr.depth > MA_MOST_NESTED)
    ma_lua_fail(L, "%d fused functions traced inside each other; at most %d", tr.depth, MA_MOST_NESTED);
  ma_lua_room(L, narg + 12);
  ma_captures_allow(L, f->signature->name);
  int before = lua_gettop(L), outside = !constant && push_changing(L, f) ? before + 1 : 0;
  tr.chooses = outside || ma_fuse_pushform(L, f);
  int failed = record(L, f, &tr, narg, arg, kind, &base), nresult = lua_gettop(L) - base;
  if (outside && !failed && nresult && nresult <= MA_MAX_TRACE_RESULTS) {
    for (int k = 0; k < nresult; k++) read_result(L, base + 1 + k, k + 1, &tr, &result[k]);
    failed = !makes_plan(L, &tr, nresult, result);
  }
  if (outside && failed) return trace_constant(L, f, before, index, narg, arg, kind, reason);
  if (failed) return file_failed(L, f, &tr, base, index, narg, arg, kind);
  if (!nresult) ma_lua_fail(L, "the function returned nothing; wanted what was computed from the arguments");
  if (nresult > MA_MAX_TRACE_RESULTS) ma_lua_fail(L, "%d results; at most %d", nresult, MA_MAX_TRACE_RESULTS);
  for (int k = 0; k < nresult; k++) read_result(L, base + 1 + k, k + 1, &tr, &result[k]);
  ma_rule_check(L, &tr, nresult, result, f->signature->name);
  lua_settop(L, base);
  ma_fuse_entry *e = ma_fuse_file(L, f, &tr, index, narg, arg, kind, nresult, result, outside);
  if (!e) return file_full(L, f, &tr, index, narg, arg, kind);
  if (ma_config_traces("fuse")) {
    describe_kinds(L, narg, arg);
    ma_trace("fuse", "%s%s: traced for %s; launches: %d, results: %d", f->signature->name, lua_tostring(L, -1), reason,
             e->plan.nrun, nresult);
    lua_pop(L, 1);
  }
  return e;
}

ma_fuse_entry *ma_fuse_trace(lua_State *L, ma_fuse *f, int index, int narg, const ma_arg *arg, const uint8_t *kind,
                             const char *reason) {
  return trace(L, f, index, narg, arg, kind, reason, false);
}
