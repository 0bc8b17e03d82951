/*
** fuse.c: ma.fuse. A fused function is a userdata; its environment holds the Lua function (at 0) and its traces (from 1
** on), which fuse_trace.c records. A call compares its argument kinds with those of the last trace first, and allocates
** nothing but the results.
*/
#include "bind/kernel/fuse_entry.h"
#include "compile/prepare.h"

#include <string.h>

/* ==== Arguments of a call ======================================================================================== */

static const ma_class fused_class;

static ma_fuse *check_fused(lua_State *L) {
  ma_fuse *f = ma_lua_toclass(L, 1, &fused_class);
  if (!f)
    ma_traced_fail(L, "fuse",
                   lua_pushfstring(L, "%s in place of the fused function; write f:clear()", ma_lua_describe(L, 1)));
  return f;
}

bool ma_lua_isdata(lua_State *L, int index) {
  if (!luaL_getmetafield(L, index, "is_data")) return false;
  lua_pop(L, 1);
  return true;
}

/* Whether the value on top is a table of options: its keys are strings. */
static bool has_options(lua_State *L) {
  if (lua_type(L, -1) != LUA_TTABLE || ma_lua_isdata(L, -1)) return false;
  lua_pushnil(L);
  if (!lua_next(L, -2)) return true;
  bool named = lua_type(L, -2) == LUA_TSTRING;
  lua_pop(L, 2);
  return named;
}

/* Replaces the table of options on top by its `out`; returns its stream, NULL: the current one. */
static ma_stream *read_options(lua_State *L) {
  ma_stream *stream = NULL;
  int table = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    if (strcmp(name, "out") && strcmp(name, "stream"))
      ma_lua_fail(L, "no option '%s'; the options are out, stream", name);
    if (!strcmp(name, "stream")) stream = ma_lua_optstream(L, -1);
    lua_pop(L, 1);
  }
  lua_getfield(L, table, "out");
  lua_replace(L, table);
  return stream;
}

/* Reads an argument that is not an array. A table becomes an array in its slot. */
static uint8_t read_scalar(lua_State *L, int slot, ma_arg *arg, ma_device *device) {
  if (lua_isnil(L, slot)) ma_lua_fail(L, "argument %d is nil; wanted an array or a number", slot - 1);
  if (lua_isboolean(L, slot)) ma_lua_fail(L, "argument %d is a boolean; wanted an array or a number", slot - 1);
  if (ma_lua_toarray(L, slot)) ma_lua_checkarray(L, slot); /* raises the error for a freed array */
  if (ma_lua_isdata(L, slot))
    ma_lua_fail(L, "argument %d is %s; wanted an array or a number", slot - 1, ma_lua_describe(L, slot));
  if (lua_type(L, slot) == LUA_TTABLE) {
    arg->array = ma_lua_asarray_on(L, slot, MA_NDTYPE, device);
    arg->weak = MA_STRONG;
    return arg->array->dtype;
  }
  if (!ma_lua_tovalue(L, slot, &arg->value, &arg->dtype, &arg->weak))
    ma_lua_fail(L, "argument %d is %s; wanted an array or a number", slot - 1, ma_lua_describe(L, slot));
  uint8_t object = lua_type(L, slot) == LUA_TNUMBER ? 0 : MA_FUSE_OBJECT;
  return (uint8_t)(object | (arg->weak == MA_STRONG ? MA_FUSE_STRONG | (unsigned)arg->dtype
                                                    : MA_FUSE_NUMBER | (unsigned)arg->weak));
}

/* Reads an argument that may be an array of structs. Its model stays on the stack. */
static const ma_array *read_structs(lua_State *L, int slot, ma_arg *arg) {
  uint32_t number;
  const ma_array *model = ma_structs_model(L, slot, &number);
  if (model) arg->value.i = number;
  return model;
}

/* Reads slots 2 .. narg + 1. Returns the device of the arrays, NULL if there are none. */
static ma_device *read_arguments(lua_State *L, int narg, ma_arg *arg, uint8_t *kind) {
  ma_device *device = NULL;
  bool all = true;
  for (int k = 0; k < narg; k++) {
    const ma_array *array = ma_lua_toarray(L, k + 2);
    bool structs = !array && (array = read_structs(L, k + 2, &arg[k]));
    arg[k].array = array && array->buffer ? array : NULL;
    if (!arg[k].array) {
      all = false;
      continue;
    }
    arg[k].weak = MA_STRONG;
    kind[k] = (uint8_t)(array->dtype | (structs ? MA_FUSE_STRUCTS : 0));
    if (!device) device = array->buffer->device;
  }
  for (int k = 0; k < narg && !all; k++)
    if (!arg[k].array) kind[k] = read_scalar(L, k + 2, &arg[k], device ? device : ma_lua_device(L));
  return device;
}

/* ==== Calls ====================================================================================================== */

static bool fits(const ma_fuse_entry *e, int narg, const ma_arg *arg, const uint8_t *kind) {
  if (e->narg != narg || memcmp(e->kind, kind, (size_t)narg)) return false;
  for (int k = 0; k < narg && e->uses_ndim; k++)
    if (arg[k].array && arg[k].array->ndim != e->ndim[k]) return false;
  for (int k = 0; k < narg && e->has_structs; k++)
    if (ma_fuse_isstructs(kind[k]) && e->structs[k] != arg[k].value.i) return false;
  return true;
}

static bool holds(lua_State *L, const ma_fuse_entry *e, int narg, ma_arg *arg, const uint8_t *kind, ma_arg *number,
                  bool *failed) {
  if (!fits(e, narg, arg, kind)) return false;
  if (!e->plan.varies && !e->changes) return true;
  if (ma_fuse_outside(L, e, arg) && ma_fused_numbers(&e->plan, arg, number) && ma_fused_holds(&e->plan, number) &&
      (!e->changes || ma_fused_fits(&e->plan, number)))
    return true;
  *failed = true;
  return false;
}

/* The trace for these arguments, with the numbers of this call; NULL: there is none. *failed: the guards of a trace
** refused the numbers. */
static ma_fuse_entry *find_trace(lua_State *L, ma_fuse *f, int narg, ma_arg *arg, const uint8_t *kind, ma_arg *number,
                                 bool *failed) {
  uint32_t dropped = f->dropped; /* a finaliser may clear the traces while numbers are computed */
  *failed = false;
  if (f->last && holds(L, f->last, narg, arg, kind, number, failed) && f->dropped == dropped) return f->last;
  for (ma_fuse_entry *e = f->dropped == dropped ? f->first : NULL; e; e = e->next) {
    bool found = e != f->last && holds(L, e, narg, arg, kind, number, failed);
    if (f->dropped != dropped) return NULL;
    if (found) return f->last = e;
  }
  return NULL;
}

/* Adds the arrays that the function takes from outside, and fields of structs, which are the last arguments. The
** entry is in slot `entry`. Leaves them on the stack. Sets the device if there is none. */
static void add_arrays(lua_State *L, const ma_fuse_entry *e, int entry, ma_arg *arg, ma_device **device) {
  ma_lua_room(L, e->narray + 8);
  lua_getfenv(L, entry);
  lua_rawgeti(L, -1, 5);
  int list = lua_gettop(L);
  for (int k = 0; k < e->narray; k++) {
    lua_rawgeti(L, list, k + 1);
    ma_arg *to = &arg[MA_MAX_TRACE_ARGS - 1 - k];
    *to = (ma_arg){ .weak = MA_STRONG };
    to->array = lua_istable(L, -1) ? ma_structs_field(L, 2) : ma_lua_checkarray(L, -1);
    if (!*device) *device = ma_array_device(to->array);
  }
}

/* Describes a call: its arrays, and the draws that it takes. The entry is in slot `entry`. */
static void describe_call(lua_State *L, const ma_fuse *f, const ma_fuse_entry *e, int entry, int narg,
                          ma_fused_call *call, ma_drawn *drawn, ma_stream *stream) {
  for (int k = 0; k < MA_MAX_TRACE_ARGS; k++)
    if (k < narg ? call->argument[k].array != NULL : k >= MA_MAX_TRACE_ARGS - e->narray) call->given |= 1u << k;
  if (!e->ndraw) return;
  lua_getfenv(L, entry);
  lua_rawgeti(L, -1, 2);
  ma_draws_take(L, lua_gettop(L), f->signature->name, stream, drawn);
  call->draw = narg;
  call->ndraw = e->ndraw;
  call->drawn = drawn;
}

/* Pushes the results: those that `out` (a slot, or 0) names, or new arrays. */
static void push_results(lua_State *L, int out, int nresult, ma_array **result) {
  bool one = out && !lua_isnil(L, out) && !lua_istable(L, out);
  if (one && nresult > 1) ma_lua_fail(L, "out is %s; wanted a table of %d arrays", ma_lua_describe(L, out), nresult);
  for (int k = 0; k < nresult; k++) {
    if (one) lua_pushvalue(L, out);
    else if (out && lua_istable(L, out)) lua_rawgeti(L, out, k + 1);
    else lua_pushnil(L);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      result[k] = ma_lua_newarray(L);
      continue;
    }
    result[k] = ma_lua_toarray(L, -1);
    if (!result[k] || !result[k]->buffer)
      ma_lua_fail(L, "out[%d] is %s; wanted an array", k + 1, ma_lua_describe(L, -1));
  }
}

static const char *why_new(const ma_fuse *f, bool failed, bool stale) {
  return stale        ? "another value from outside"
         : !f->ntrace ? "the first call"
         : failed     ? "a number of another kind of value"
                      : "other dtypes, kinds of numbers or axes";
}

/* The dtype of the first argument that stands for an array. */
static ma_dtype first_inside(lua_State *L, const tracing *tr, int narg) {
  for (int k = 2; k < narg + 2; k++) {
    const traced *t = ma_traced_at(L, k);
    if (t && t->operand.kind == MA_TRACED_NODE) return ma_tape_dtype(&tr->tape, t->operand);
  }
  return MA_NDTYPE;
}

/* If an argument is a traced value, the function becomes part of another fused function. What the recording has of it
** is put back also if it fails, since the outer function may go on. */
static int call_inside(lua_State *L, const ma_fuse *f, tracing *tr, int narg) {
  ma_lua *state = ma_lua_state(L);
  ma_dtype before = tr->tape.first, rule_dtype = state->rule_dtype, first = first_inside(L, tr, narg);
  bool chooses = tr->chooses;
  if (tr->inside == MA_MOST_NESTED)
    return ma_lua_fail(L, "%d fused functions inside each other; at most %d", tr->inside + 1, MA_MOST_NESTED);
  lua_settop(L, narg + 1);
  ma_lua_room(L, 8);
  bool form = ma_fuse_pushform(L, f);
  ma_rule_pushhandler(L, lua_gettop(L), f->signature->name, false);
  lua_insert(L, 2);
  lua_replace(L, 1); /* the form, the handler, the arguments */
  lua_pushvalue(L, 1);
  lua_insert(L, 3);
  tr->chooses |= form;
  tr->inside++;
  tr->tape.first = state->rule_dtype = first;
  int failed = lua_pcall(L, narg, LUA_MULTRET, 2);
  tr->tape.first = before;
  state->rule_dtype = rule_dtype;
  tr->inside--;
  if (!failed) return lua_gettop(L) - 2;
  tr->chooses = chooses;
  return lua_error(L);
}

/* Of a call that prepares (compile/prepare.h): runs it, unless nothing can be compiled for it. Its results are new. */
static int fused_prepare(lua_State *L, const ma_fused *plan, const ma_fused_call *call, ma_array **result,
                         ma_stream *stream) {
  if (ma_is_host(stream->device) && !plan->leaves) return 0;
  MA_LUA_TRY(L, ma_fused_run(plan, call, result, stream));
  for (int k = 0; k < plan->nresult; k++)
    MA_LUA_TRY(L, ma_pending_evaluate(result[k]->buffer, "a call prepares its kernel"));
  return 0;
}

/* The function itself over the arguments, operation by operation. `out`: a slot, or 0. */
static int call_unfused(lua_State *L, const ma_fuse *f, int narg, int out) {
  if (out && !lua_isnil(L, out))
    return ma_lua_fail(L, "out in a function that is differentiated; take what the call returns");
  lua_settop(L, narg + 1);
  ma_fuse_pushform(L, f);
  lua_replace(L, 1);
  lua_call(L, narg, LUA_MULTRET);
  return lua_gettop(L);
}

static int fused_call(lua_State *L) {
  ma_fuse *f = check_fused(L);
  ma_arg arg[MA_MAX_TRACE_ARGS + MA_MOST_OUTSIDE], number[MA_MAX_TRACE_NUMBERS];
  uint8_t kind[MA_MAX_TRACE_ARGS];
  ma_array *result[MA_MAX_TRACE_RESULTS];
  bool failed;
  ma_stream *stream = NULL;
  ma_lua *state = ma_lua_state(L);
  state->running = f->signature;
  int narg = lua_gettop(L) - 1, out = 0;
  if (narg && has_options(L)) {
    stream = read_options(L);
    out = narg-- + 1;
  }
  if (ma_prepares_kernel()) out = 0;
  if (!narg) return ma_lua_fail(L, "no arguments; wanted arrays or numbers");
  if (f->nparam > 0 && narg > f->nparam) /* one without parameters is constant, whatever it gets */
    return ma_lua_fail(L, "%d argument%s; the function has %d parameter%s", narg, narg == 1 ? "" : "s", f->nparam,
                       f->nparam == 1 ? "" : "s");
  if (narg > MA_MAX_TRACE_ARGS) return ma_lua_fail(L, "%d arguments; at most %d", narg, MA_MAX_TRACE_ARGS);
  if (ma_recording(state)) return call_unfused(L, f, narg, out);
  tracing *tr = state->tracing ? ma_traced_tracing(L, 2, narg) : NULL;
  if (tr) {
    if (out && !lua_isnil(L, out)) return ma_lua_fail(L, "out inside a fused function; only the outer one takes it");
    return call_inside(L, f, tr, narg);
  }
  ma_device *device = read_arguments(L, narg, arg, kind);
  ma_fuse_entry *e = find_trace(L, f, narg, arg, kind, number, &failed);
  bool stale = e && !ma_fuse_isfresh(L, e);
  if (e && !stale) { /* a finaliser may clear the traces during the run */
    lua_getfenv(L, 1);
    lua_rawgeti(L, -1, e->index);
  } else {
    if (stale && !e->again && !f->formed) ma_fuse_change(L, e);
    int index = stale ? ma_fuse_drop(L, f, e) : 0;
    e = ma_fuse_trace(L, f, index, narg, arg, kind, why_new(f, failed, stale));
    for (int k = 0; k < narg; k++) /* the function may have freed one */
      if (arg[k].array && !ma_fuse_isstructs(kind[k])) ma_lua_checkarray(L, k + 2);
    if (!ma_fuse_outside(L, e, arg) || (e->plan.varies && !ma_fused_numbers(&e->plan, arg, number)))
      ma_lua_check(L, MA_ERR_VALUE);
  }
  int entry = lua_gettop(L);
  if (e->narray) add_arrays(L, e, entry, arg, &device);
  if (!stream) stream = device ? ma_lua_stream_of(L, device) : ma_lua_stream(L);
  if (e->plain) {
    lua_getfenv(L, entry);
    lua_rawgeti(L, -1, 4);
    return ma_fuse_plain(L, f->signature, lua_gettop(L), narg, arg, out, stream);
  }
  ma_fused_call call = { .argument = arg, .number = number };
  ma_drawn drawn[MA_MAX_TRACE_ARGS];
  ma_lua_room(L, MA_MAX_TRACE_RESULTS + 8);
  describe_call(L, f, e, entry, narg, &call, drawn, stream);
  state->running = f->signature;
  push_results(L, out, e->plan.nresult, result);
  if (ma_prepares_kernel()) return fused_prepare(L, &e->plan, &call, result, stream);
  MA_LUA_TRY(L, ma_fused_run(&e->plan, &call, result, stream));
  return e->plan.nresult;
}

/* ==== The object ================================================================================================= */

static void add_run(lua_State *L, luaL_Buffer *buffer, const ma_fused_part *run) {
  char text[16384];
  if (run->reduce >= 0) {
    snprintf(text, sizeof text, "-- %s of\n", ma_reduces[run->reduce].name);
    luaL_addstring(buffer, text);
  }
  ma_program_print(&run->program, text, sizeof text);
  luaL_addstring(buffer, text);
}

/* Pushes the programs of all traces, newest first. */
static void push_programs(lua_State *L, void *of, size_t place) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (const ma_fuse_entry *e = ((const ma_fuse *)of)->first; e; e = e->next)
    if (e->plain) luaL_addstring(&buffer, e->body ? "-- C++\n" : "-- reductions within it: plain operators\n");
    else
      for (int k = 0; k < e->plan.nrun; k++) add_run(L, &buffer, &e->plan.run[k]);
  luaL_pushresult(&buffer);
}

static int fused_clear(lua_State *L) {
  ma_fuse_forget(L, check_fused(L));
  lua_settop(L, 1);
  return 1;
}

static int fused_captures(lua_State *L) {
  check_fused(L);
  return ma_captures_list(L);
}

static void push_name(lua_State *L, void *of, size_t place) {
  lua_pushstring(L, ((const ma_fuse *)of)->signature->name);
}

static void push_text(lua_State *L, void *of) {
  const ma_fuse *f = of;
  lua_getfenv(L, 1);
  lua_getfield(L, -1, "slower"); /* of a function that is no program */
  const char *slower = lua_tostring(L, -1);
  lua_pushfstring(L, "<fused function '%s', %d trace%s%s%s>", f->signature->name, f->ntrace, f->ntrace == 1 ? "" : "s",
                  slower ? ", " : "", slower ? slower : "");
}

//> = fused | ma.fuse(function(x) return x + 1 end) | A function whose operators run as one kernel.
//> + call(...): any
//> :prepare(...: any) -> preparation | Has what a call with these arguments needs compiled, without waiting.
//> fused:prepare: ma.await(fused:prepare(ma.ones(2))) == fused
static const ma_method methods[] = {
  //> :clear() -> fused | Forgets its traces.
  //> fused:clear: fused(ma.ones(2))
  //>   print(fused.traces)
  //>   return fused:clear().traces
  { ":clear(f)", fused_clear },
  //> :captures() -> table | What the function takes from outside: present values by names such as "config.speed".
  //> fused:captures: next(fused:captures()) == nil
  { ":captures(f)", fused_captures },
  { NULL, NULL },
};
static const ma_attribute attributes[] = {
  { "traces", ma_push_int, offsetof(ma_fuse, ntrace) },  //> . traces: integer | how often the function was traced
  { "name", push_name, 0 },                              //> . name: string | its name
  { "cached_code", push_programs, 0 },                   //> . cached_code: string | the programs
  { NULL, NULL, 0 },
};
static const ma_class fused_class = { .name = "fuse",
                                      .word = "f",
                                      .title = "moonarray fused function",
                                      .magic = 0x6d615f6675736564u,
                                      .size = sizeof(ma_fuse),
                                      .methods = methods,
                                      .attributes = attributes,
                                      .text = push_text,
                                      .call = fused_call,
                                      .prepares = true };

/* The function in its plain form, which the Lua layer calls for each element: core.plain.fuse(fn, name). */
static int new_plain(lua_State *L, const char *name) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->core);
  lua_getfield(L, -1, "plain");
  lua_getfield(L, -1, "fuse");
  lua_pushvalue(L, 1);
  lua_pushstring(L, name);
  lua_call(L, 2, 1);
  return 1;
}

/* Pushes a fused function of that in slot 1, and its environment. */
static ma_fuse *push_fused(lua_State *L, int nparam) {
  ma_fuse *f = ma_lua_newobject(L, &fused_class);
  f->nparam = nparam;
  lua_createtable(L, 1, 1);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, 0);
  return f;
}

static int end_fused(lua_State *L, ma_fuse *f, const char *name) {
  lua_setfenv(L, -2);
  f->signature = ma_lua_newsignature(L, lua_pushfstring(L, "%s(...)", name), false, NULL);
  lua_pop(L, 1);
  return 1;
}

/* core.fused_form(fn, form, name): a fused function that records `form`, again when what fn takes from outside is
** another value. */
static int fused_form(lua_State *L) {
  ma_fuse *f = push_fused(L, -1);
  f->formed = true;
  lua_pushvalue(L, 2);
  lua_setfield(L, -2, "form");
  return end_fused(L, f, luaL_checkstring(L, 3));
}

/* A device function of ma.jit, made of a function of Lua, stands for that one. */
static void take_device(lua_State *L) {
  if (lua_type(L, 1) != LUA_TTABLE || !lua_getmetatable(L, 1)) return;
  lua_pushliteral(L, "fn");
  lua_rawget(L, 1);
  if (lua_isfunction(L, -1)) lua_replace(L, 1);
}

/* fuse(fn, name?; kernel_name?, plain?, captures?) */
static int fuse_new(lua_State *L) {
  int top = lua_gettop(L);
  take_device(L);
  lua_settop(L, top);
  if (lua_type(L, 1) != LUA_TFUNCTION)
    return ma_lua_fail(L, "%s; wanted a Lua function of arrays", ma_lua_describe(L, 1));
  size_t n = 4;
  const char *name = "fuse";
  if (!lua_isnil(L, 3)) { /* CuPy's word */
    if (!lua_isnil(L, 2)) return ma_lua_fail(L, "name and kernel_name; they are two names of one argument");
    lua_pushvalue(L, 3);
    lua_replace(L, 2);
  }
  if (!lua_isnil(L, 2)) name = lua_type(L, 2) == LUA_TSTRING ? lua_tolstring(L, 2, &n) : "";
  if (!ma_lua_isidentifier(name) || strlen(name) != n || n > 63)
    return ma_lua_fail(L, "name is %s; wanted an identifier of at most 63 letters", ma_lua_describe(L, 2));
  if (!lua_isnil(L, 4) && !lua_isboolean(L, 4))
    return ma_lua_fail(L, "plain is %s; wanted a boolean", ma_lua_describe(L, 4));
  ma_captures_check(L, name, 1, 5);
  if (lua_isnil(L, 4) ? ma_config_int(MA_CONFIG_PLAIN) != 0 : lua_toboolean(L, 4)) return new_plain(L, name);
  ma_fuse *f = push_fused(L, ma_rule_parameters(L, 1));
  lua_pushvalue(L, 5);
  lua_setfield(L, -2, "allowed");
  return end_fused(L, f, name);
}

static const ma_function functions[] = {
  //> fuse: ma.fuse(function(x, y) return (x - y) ^ 2 end)(ma.array {1, 2}, ma.array {3, 5})
  { "fuse(fn: function, name?: string; kernel_name?: string, plain?: boolean, captures?: string[]) -> fused", fuse_new,
    "A function of arrays as one kernel: recorded once for each combination of "
    "dtypes, element-wise operations with reductions at the end. kernel_name is CuPy's word for name. "
    "plain = true calls the function for each element instead, as Lua, for a debugger. captures lists the names that "
    "the function may take from outside, such as \"config.speed\"; another one is an error." },
  { NULL, NULL, NULL }
};

void ma_open_fuse(lua_State *L) {
  ma_open_traced(L);
  ma_open_operation(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, ma_traced_dtype, 1);
  ma_lua_file(L, "core.element_dtype");
  ma_lua_pushplain(L, "fuse(...)", false, fused_form, 0);
  ma_lua_file(L, "core.fused_form");
  ma_lua_register(L, functions);
}
