/*
** fuse_plain.c: fused functions that compute with the results of reductions, such as x - x:mean(). No recording can
** hold them, since a reduction ends a program. So each call runs the function itself over the arrays, with operators
** deferred, and evaluates its results: row programs (run/row_program.c) make one kernel of them.
*/
#include "bind/kernel/fuse.h"
#include "compile/compile.h"
#include "program/loop.h"
#include "run/run.h"
#include "run/pending.h"

/* How the library runs during the call, and what to go back to. */
typedef struct manner {
  ma_lua *state;
  ma_device *device;
  ma_stream *stream;
  ma_dtype rule_dtype;
  bool defers, changes, at_once;
} manner;

ma_dtype ma_fuse_first(int narg, const ma_arg *arg) {
  for (int k = 0; k < narg; k++)
    if (arg[k].array) return (ma_dtype)arg[k].array->dtype;
  return MA_NDTYPE;
}

static void begin(lua_State *L, ma_stream *stream, ma_dtype first, manner *m) {
  m->state = ma_lua_state(L);
  m->rule_dtype = m->state->rule_dtype;
  m->state->rule_dtype = first;
  m->device = stream->device;
  m->stream = ma_lua_stream_of(L, m->device);
  m->changes = m->stream != stream;
  if (m->changes) {
    ma_lua_flush(L, "a change of stream");
    ma_lua_setstream(L, m->device, stream);
  }
  m->defers = m->state->deferral.on;
  m->state->deferral.on = m->defers || !ma_config_int(MA_CONFIG_SYNC);
  m->at_once = __atomic_exchange_n(&ma_compile_at_once, true, __ATOMIC_RELAXED);
}

static void end(lua_State *L, const manner *m) {
  __atomic_store_n(&ma_compile_at_once, m->at_once, __ATOMIC_RELAXED);
  m->state->deferral.on = m->defers;
  m->state->rule_dtype = m->rule_dtype;
  if (m->changes) ma_lua_setstream(L, m->device, m->stream);
  if (!m->defers || m->changes) ma_lua_flush(L, "the end of a fused function"); /* last, since it may raise */
}

/* Copies the array into slot `to`, where there is an array that is given or an empty one. */
static ma_status copy(ma_array *to, const ma_array *from, ma_stream *stream) {
  ma_program program;
  ma_dtype dtype = (ma_dtype)(to->buffer ? to->dtype : from->dtype);
  if (!ma_dtype_can_cast((ma_dtype)from->dtype, dtype, true))
    return ma_fail(MA_ERR_TYPE, "a result of dtype %s; out of dtype %s cannot take it by same_kind casting",
                   ma_dtypes[from->dtype].name, ma_dtypes[dtype].name);
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_cast(&program, ma_program_input(&program, (ma_dtype)from->dtype), dtype));
  return ma_run(&program, &from, NULL, &to, MA_ORDER_K, MA_RUN_DEFERS, stream);
}

static bool is_argument(const ma_array *array, int narg, const ma_arg *arg) {
  for (int k = 0; k < narg; k++)
    if (arg[k].array && arg[k].array->buffer == array->buffer) return true;
  return false;
}

/* The dtype of a result that is no array: of constants, if it is a number. */
static ma_dtype number_dtype(lua_State *L, int slot, ma_dtype first) {
  ma_arg arg = { .array = NULL };
  if (lua_type(L, slot) != LUA_TNUMBER || !ma_lua_tovalue(L, slot, &arg.value, &arg.dtype, &arg.weak)) return MA_NDTYPE;
  return ma_loop_constants(first, 1, &arg);
}

/* Pushes the array that receives result k; NULL, and nothing is pushed: it is made anew. */
static ma_array *push_given(lua_State *L, int out, int k, int nresult) {
  if (!out || lua_isnil(L, out)) return NULL;
  bool table = lua_istable(L, out);
  if (!table && nresult > 1) ma_lua_fail(L, "out is %s; wanted a table of %d arrays", ma_lua_describe(L, out), nresult);
  if (table) lua_rawgeti(L, out, k + 1);
  else lua_pushvalue(L, out);
  if (table && lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return NULL;
  }
  ma_array *array = ma_lua_toarray(L, -1);
  if (!array || !array->buffer) ma_lua_fail(L, "out[%d] is %s; wanted an array", k + 1, ma_lua_describe(L, -1));
  return array;
}

/* The slots that a call in protected mode works on. */
typedef struct call {
  const ma_signature *signature; /* of the fused function, for errors */
  int narg, out, nresult;
  const ma_arg *arg;
  ma_stream *stream;
} call;

/* Slots: the call, the function, its arguments, out or nil. Returns the results. */
static int run(lua_State *L) {
  call *c = lua_touserdata(L, 1);
  int out = c->narg + 3;
  ma_lua_room(L, 2 * MA_MAX_TRACE_RESULTS + c->narg + 4);
  lua_pushvalue(L, 2);
  for (int k = 0; k < c->narg; k++) lua_pushvalue(L, k + 3);
  int base = lua_gettop(L) - c->narg - 1;
  lua_call(L, c->narg, LUA_MULTRET);
  ma_lua_state(L)->running = c->signature;
  c->nresult = lua_gettop(L) - base;
  if (!c->nresult) ma_lua_fail(L, "the function returned nothing; wanted what was computed from the arguments");
  if (c->nresult > MA_MAX_TRACE_RESULTS) ma_lua_fail(L, "%d results; at most %d", c->nresult, MA_MAX_TRACE_RESULTS);
  ma_lua_room(L, MA_MAX_TRACE_RESULTS + 4);
  for (int k = 0; k < c->nresult; k++) {
    int slot = base + 1 + k;
    if (!ma_lua_toarray(L, slot) && lua_type(L, slot) != LUA_TNUMBER)
      ma_lua_fail(L, "result %d is %s; wanted what was computed from the arguments", k + 1, ma_lua_describe(L, slot));
    ma_dtype dtype = number_dtype(L, slot, ma_fuse_first(c->narg, c->arg));
    const ma_array *array = ma_lua_asarray_on(L, slot, dtype, c->stream->device);
    ma_array *given = push_given(L, out, k, c->nresult), *to = given;
    if (!given && !array->is_view && !is_argument(array, c->narg, c->arg)) {
      lua_pushvalue(L, slot);
    } else {
      if (!given) to = ma_lua_newarray(L);
      MA_LUA_TRY(L, copy(to, array, c->stream));
    }
    lua_replace(L, slot);
  }
  for (int k = 0; k < c->nresult; k++) {
    const ma_array *array = ma_lua_toarray(L, base + 1 + k);
    if (array->buffer->pending) MA_LUA_TRY(L, ma_pending_evaluate(array->buffer, "a fused function"));
  }
  return c->nresult;
}

int ma_fuse_plain(lua_State *L, const ma_signature *signature, int function, int narg, const ma_arg *arg, int out,
                  ma_stream *stream) {
  call c = { .signature = signature, .narg = narg, .arg = arg, .stream = stream };
  manner m;
  ma_lua_room(L, narg + 12);
  ma_rule_pushhandler(L, function, signature->name, false);
  int handler = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1)); /* the state */
  lua_pushcclosure(L, run, 1);
  lua_pushlightuserdata(L, &c);
  lua_pushvalue(L, function);
  for (int k = 0; k < narg; k++) lua_pushvalue(L, k + 2);
  if (out) lua_pushvalue(L, out);
  else lua_pushnil(L);
  begin(L, stream, ma_fuse_first(narg, arg), &m);
  int failed = lua_pcall(L, narg + 3, LUA_MULTRET, handler);
  end(L, &m);
  return failed ? lua_error(L) : c.nresult;
}
