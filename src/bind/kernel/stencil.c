/* stencil.c: stencils as objects that are called, for lua/moonarray/stencil.lua. A call compares its fields with those
** of the traces (stencil_trace.c), and runs the program of one; it allocates nothing but the results. */
#include "bind/array/index.h"
#include "bind/lua/noted.h"
#include "compile/prepare.h"
#include "bind/kernel/stencil.h"
#include "kernels/ndimage/edge.h"

#include <string.h>

#define LEAVE (MA_EDGE_CONSTANT + 1) /* not a rule of an axis: a plan replaces it */
#define MOST_TRACES 64               /* of one stencil; beyond that, it forgets all */

static ma_lua_stencil *check_stencil(lua_State *L) {
  ma_lua_stencil *s = lua_touserdata(L, 1); /* a light userdata has no length */
  if (!s || lua_objlen(L, 1) != sizeof *s || s->magic != MA_STENCIL_MAGIC)
    ma_lua_fail(L, "%s in place of the object; write object:run(...)", ma_lua_describe(L, 1));
  return s;
}

/* ==== Fields and traces ========================================================================================== */

static void check_field(lua_State *L, int slot, int k, const ma_array *first) {
  char has[256], wants[256];
  if (!ma_lua_toarray(L, slot)) ma_lua_fail(L, "field %d is %s; wanted an array", k, ma_lua_describe(L, slot));
  const ma_array *field = ma_lua_checkarray(L, slot);
  if (field->ndim < 1 || field->ndim > MA_STENCIL_NDIM)
    ma_lua_fail(L, "field %d has %d axes; wanted 1 to %d", k, field->ndim, MA_STENCIL_NDIM);
  if (!ma_array_has_shape(field, first->ndim, first->shape))
    ma_lua_fail(L, "field %d has shape %s; wanted %s, as field 1", k,
                ma_shape_print(field->ndim, field->shape, has, sizeof has),
                ma_shape_print(first->ndim, first->shape, wants, sizeof wants));
  if (ma_array_device(field) != ma_array_device(first))
    ma_lua_fail(L, "field %d is on %s; wanted %s, as field 1", k, ma_array_device(field)->name,
                ma_array_device(first)->name);
}

/* The array in that slot, or the model of structs, which stays on the stack. */
static const ma_array *take_field(lua_State *L, const ma_lua_stencil *s, int slot, uint32_t *structs) {
  const ma_array *array = ma_lua_toarray(L, slot);
  *structs = 0;
  if (array || !(array = ma_structs_model(L, slot, structs))) return array;
  if (s->leave) ma_lua_fail(L, "boundary \"leave\" with structs; wanted their fields, such as units.x");
  return array;
}

/* Checks the n fields from slot `first` on, and returns as many of them as a trace can have, and the numbers of their
** structs. */
static void check_fields(lua_State *L, const ma_lua_stencil *s, int first, int n, const ma_array **field,
                         uint32_t *structs) {
  int wanted = s->nparam ? s->nparam : 1; /* a function that reads none has the shape from one */
  if (n < 1) ma_lua_fail(L, "no field; wanted an array for each parameter of the function");
  if (wanted > 0 && n != wanted)
    ma_lua_fail(L, "%d field%s; wanted %d, as the function has %d parameter%s", n, n == 1 ? "" : "s", wanted, s->nparam,
                s->nparam == 1 ? "" : "s");
  for (int k = 0; k < n; k++) {
    uint32_t number;
    const ma_array *one = take_field(L, s, first + k, &number), *model = k ? field[0] : one;
    if (k < MA_STENCIL_FIELDS) {
      field[k] = one;
      structs[k] = number;
    }
    bool fine = one && one->buffer && one->ndim >= 1 && one->ndim <= MA_STENCIL_NDIM &&
                (!k ||
                 (one->buffer->device == model->buffer->device && ma_array_has_shape(one, model->ndim, model->shape)));
    if (!fine) check_field(L, number ? lua_gettop(L) : first + k, k + 1, model);
  }
  int ndim = field[0]->ndim;
  if (s->nedge > 1 && s->nedge != ndim)
    ma_lua_fail(L, "%d boundaries for fields of %d axes; wanted one for each axis", s->nedge, ndim);
  if (s->leave && s->nout > n)
    ma_lua_fail(L, "boundary \"leave\" with %d results of %d fields; wanted a field for each result", s->nout, n);
}

static bool fits(const ma_stencil_trace *t, const ma_array *const *field, const uint32_t *structs, int n) {
  if (t->nfield != n || t->ndim != field[0]->ndim) return false;
  for (int k = 0; k < n && k < MA_STENCIL_FIELDS; k++)
    if (t->dtype[k] != field[k]->dtype || t->structs[k] != structs[k]) return false;
  return true;
}

static void forget(lua_State *L, ma_lua_stencil *s) {
  lua_getfenv(L, 1);
  for (int k = 1; k <= s->ntrace; k++) {
    lua_pushnil(L);
    lua_rawseti(L, -2, k);
  }
  lua_pop(L, 1);
  s->first = NULL;
  s->ntrace = 0;
  s->dropped++;
}

/* Pushes the trace for the n fields, which begin at slot `first`. */
static ma_stencil_trace *push_trace(lua_State *L, ma_lua_stencil *s, int first, const ma_array *const *field,
                                    const uint32_t *structs, int n) {
  ma_stencil_trace *old = s->first;
  int stale = 0; /* the index of a trace that is of no use any more */
  uint32_t dropped = s->dropped;
  lua_getfenv(L, 1);
  while (old && !stale) {
    bool again = true, holds = fits(old, field, structs, n) && (old->general || ma_stencil_trace_holds(L, old, &again));
    if (s->dropped != dropped) break; /* a finaliser called this stencil while numbers were computed */
    if (holds) {
      lua_rawgeti(L, -1, old->index);
      lua_replace(L, -2);
      return old;
    }
    if (!again) stale = old->index;
    old = old->next;
  }
  ma_stencil_trace *made = ma_stencil_trace_push(L, s, first, n, field, structs);
  for (int k = 0; k < n; k++) /* the function may have freed one */
    if (k >= MA_STENCIL_FIELDS || !structs[k]) ma_lua_checkarray(L, first + k);
  /* or have called this stencil */
  for (old = s->first; old && !(old->index == stale && fits(old, field, structs, n));) old = old->next;
  made->nfield = (uint8_t)n;
  made->ndim = field[0]->ndim;
  for (int k = 0; k < n && k < MA_STENCIL_FIELDS; k++) {
    made->dtype[k] = field[k]->dtype;
    made->structs[k] = structs[k];
    made->has_structs |= structs[k] != 0;
  }
  made->plan.alone = made->plan.drawn || made->has_structs;
  if (!old && s->ntrace >= MOST_TRACES) forget(L, s);
  s->dropped += old != NULL;
  made->index = old ? old->index : ++s->ntrace;
  made->next = old ? old->next : s->first;
  ma_stencil_trace **place = &s->first;
  while (old && *place != old) place = &(*place)->next;
  *place = made;
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, made->index);
  lua_replace(L, -2);
  return made;
}

/* The core's positions do not reach longer axes. The Lua layer's array operations have no such limit. */
static bool is_long(const ma_array *field) {
  for (int d = 0; d < field->ndim; d++)
    if (field->shape[d] > MA_STENCIL_EXTENT) return true;
  return false;
}

/* Adds the arrays that the function uses to the fields, and checks them. Those that are draws are in `drawn`. The trace
** is in slot `trace`, and the first field in slot `first`. Arrays that are made for the run stay on the stack. */
static void gather(lua_State *L, int trace, int first, const ma_stencil_trace *t, const ma_array **field,
                   ma_drawn *drawn, ma_stream *stream) {
  char has[256], wants[256];
  ma_drawn taken[MA_MAX_TRACE_ARGS];
  if (!t->plan.narray) return;
  ma_lua_room(L, t->plan.narray + 8);
  lua_getfenv(L, trace);
  int list = lua_gettop(L);
  lua_getfield(L, list, "draws");
  if (!lua_isnil(L, -1)) ma_draws_take(L, list + 1, "stencil", stream, taken);
  for (int k = 0; k < t->plan.narray; k++) {
    lua_rawgeti(L, list, k + 1);
    if (t->plan.drawn >> k & 1) {
      drawn[k] = taken[lua_tointeger(L, -1)];
      lua_pop(L, 1);
      continue;
    }
    if (t->made >> k & 1) {
      field[t->nfield + k] = ma_draw_source(L, first);
      continue;
    }
    const ma_array *array = field[t->nfield + k] = lua_istable(L, -1) ? ma_structs_field(L, first)
                                                                      : ma_lua_checkarray(L, -1);
    if (array->ndim && !ma_array_has_shape(array, field[0]->ndim, field[0]->shape))
      ma_lua_fail(L, "an array of shape %s in the function; wanted %s, as the fields, or one of no axes",
                  ma_shape_print(array->ndim, array->shape, has, sizeof has),
                  ma_shape_print(field[0]->ndim, field[0]->shape, wants, sizeof wants));
    if (!t->has_structs) lua_pop(L, 1);
  }
  if (!t->made && !t->has_structs) lua_settop(L, list - 1);
}

static void free_made(const ma_stencil_trace *t, const ma_array *const *field) {
  for (int k = 0; k < t->plan.narray; k++)
    if (t->made >> k & 1) ma_draw_free(field[t->nfield + k]);
}

/* Raises the errors of gather for a trace that the Lua layer runs, whose operators would broadcast. The trace is on
** top. */
static void check_arrays(lua_State *L, int first, const ma_stencil_trace *t, const ma_array **field,
                         ma_stream *stream) {
  int top = lua_gettop(L);
  gather(L, top, first, t, field, NULL, stream);
  free_made(t, field);
  lua_settop(L, top);
}

/* ==== Calls ====================================================================================================== */

/* Replaces the table of options on top by its `out`. */
static void read_options(lua_State *L) {
  int slot = lua_gettop(L);
  lua_rawgeti(L, slot, 1);
  if (!lua_isnil(L, -1)) ma_lua_fail(L, "field %d is a table; wanted an array: ma.array{...} makes one", slot - 1);
  lua_pop(L, 1);
  lua_pushnil(L); /* the result: there is one option */
  lua_pushnil(L);
  while (lua_next(L, slot)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : ma_lua_describe(L, -2);
    if (strcmp(name, "out") != 0) ma_lua_fail(L, "no option %s; the option is out", name);
    lua_replace(L, slot + 1);
  }
  lua_replace(L, slot);
}

/* Pushes the results: new arrays, or those that `out` (a slot, or 0) names. */
static void push_results(lua_State *L, const ma_lua_stencil *s, int out, ma_array **result) {
  bool given = out && !lua_isnil(L, out), list = given && lua_istable(L, out);
  int n = list ? (int)lua_objlen(L, out) : 1;
  if (given && (n != s->nout || (!list && !ma_lua_toarray(L, out)))) {
    char found[64], wanted[64];
    snprintf(found, sizeof found, "%d arrays", n);
    snprintf(wanted, sizeof wanted, s->nout == 1 ? "an array" : "a table of %d arrays", s->nout);
    ma_lua_fail(L, "out is %s; wanted %s", list ? found : ma_lua_describe(L, out), wanted);
  }
  for (int k = 0; k < s->nout; k++) {
    if (!given) {
      result[k] = ma_lua_newarray(L);
      continue;
    }
    if (list) lua_rawgeti(L, out, k + 1);
    else lua_pushvalue(L, out);
    if (!ma_lua_toarray(L, -1)) ma_lua_fail(L, "out %d is %s; wanted an array", k + 1, ma_lua_describe(L, -1));
    result[k] = ma_lua_checkarray(L, -1);
  }
}

/* Calls the Lua layer: general(fields, out). */
static int call_general(lua_State *L, const ma_lua_stencil *s, int n, int out) {
  if (ma_prepares_kernel()) ma_lua_check(L, ma_prepare_end(MA_OK)); /* there is nothing to compile */
  for (int k = 0; k < n; k++)
    if (!ma_lua_toarray(L, 2 + k))
      ma_lua_fail(L, "structs in a function that runs by array operations; wanted their fields, such as units.x");
  lua_getfenv(L, 1);
  lua_getfield(L, -1, "general");
  lua_createtable(L, n, 0);
  for (int k = 0; k < n; k++) {
    lua_pushvalue(L, 2 + k);
    lua_rawseti(L, -2, k + 1);
  }
  if (out) lua_pushvalue(L, out);
  else lua_pushnil(L);
  lua_call(L, 2, s->nout);
  return s->nout;
}

/* Runs a trace's plan. Returns false if a GPU has no kernel for it, or if it is a body for which a compiler is missing:
** the Lua layer runs the function then, or raises an error if it has no other form. With `yields` it runs the function
** too while a thread compiles the kernel, so that no frame waits for that. */
static bool run_plan(lua_State *L, ma_stencil_trace *t, const ma_array *const *field, const ma_drawn *drawn,
                     ma_array *const *result, bool yields, ma_stream *stream) {
  bool body = t->plan.program.body != 0;
  yields = yields && !body && !t->plan.alone && !ma_prepare.on && !ma_gpu_is_bare();
  ma_prepare_work();
  ma_status status = ma_prepare_worked(ma_stencil_run(&t->plan, field, drawn, result, yields, stream));
  if (status == MA_OK) return true;
  bool may_lack = status == MA_ERR_LACK ? body || !t->plan.alone : body && status == MA_ERR_LIBRARY;
  if (!may_lack) MA_LUA_TRY(L, status);
  ma_lack_forget();
  if (yields) return false;
  if (!body) return !(t->general = t->lacks = true);
  lua_getfenv(L, 1);
  lua_getfield(L, -1, "absent");
  lua_pushstring(L, ma_message());
  lua_pushvalue(L, -1);
  lua_insert(L, -3);
  lua_call(L, 1, 0);
  ma_stencil_note(L, -1, "by array operations");
  lua_pop(L, 2);
  return !(t->general = true);
}

/* On the CPU what was printed is shown at once, and so is a position that was outside. */
static void show_found(lua_State *L, const ma_stencil_trace *t, ma_device *device) {
  if (t->prints && device == ma_device_cpu() && ma_lua_pushhook(L, MA_HOOK_WAITED)) lua_call(L, 0, 0);
  if (t->checks) ma_lua_picked(L, device);
}

static int call_now(lua_State *L) {
  ma_lua_stencil *s = check_stencil(L);
  const ma_array *field[MA_STENCIL_FIELDS];
  ma_drawn drawn[MA_STENCIL_FIELDS];
  ma_array *result[MA_MAX_OUTPUTS];
  uint32_t structs[MA_STENCIL_FIELDS];
  int n = lua_gettop(L) - 1, out = 0;
  if (n && lua_istable(L, -1) && !ma_lua_isdata(L, -1)) {
    out = n-- + 1;
    read_options(L);
  }
  ma_lua_room(L, s->nout + n + 20);
  check_fields(L, s, 2, n, field, structs);
  if (ma_recording(ma_lua_state(L))) return call_general(L, s, n, out);
  ma_stencil_trace *t = push_trace(L, s, 2, field, structs, n);
  ma_stream *stream = ma_lua_streamfor(L, field[0]);
  if (t->lacks) check_arrays(L, 2, t, field, stream);
  if (t->general || is_long(field[0])) return call_general(L, s, n, out);
  gather(L, lua_gettop(L), 2, t, field, drawn, stream);
  push_results(L, s, out, result);
  if (t->checks) ma_lua_pickingon(L, stream, "stencil");
  if (!run_plan(L, t, field, drawn, result, true, stream)) return call_general(L, s, n, out);
  free_made(t, field);
  show_found(L, t, stream->device);
  return s->nout;
}

static int stencil_call(lua_State *L) { return MA_LUA_NOTED(L, call_now); }

/* core.stencil_rule(dtype, fn, ...): fn(...), where the arguments stand for fields, the first of that dtype, and the
** errors are those of a rule. */
static int stencil_rule(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  tracing tr;
  ma_dtype first = ma_lua_checkdtype(L, 1, MA_NDTYPE);
  lua_remove(L, 1);
  ma_tracing_begin(L, &tr);
  tr.records = ma_recording(state);
  ma_lua_room(L, 12);
  ma_rule_pushhandler(L, 1, "stencil", true);
  lua_insert(L, 1);
  state->tracing = &tr;
  int failed = ma_draw_call(L, lua_gettop(L) - 2, LUA_MULTRET, 1, "stencil", first);
  state->tracing = tr.outer;
  return failed ? lua_error(L) : lua_gettop(L) - 1;
}

/* Pushes the arrays of the list at `slot`. */
static void push_list(lua_State *L, int slot, int n) {
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, slot, k);
    ma_lua_checkarray(L, -1);
  }
}

/* core.stencil_steps(s, here, there, steps): applies the stencil `steps` times, from `here` to `there`, then back, and
** so on. Returns false and does nothing if only the Lua layer can apply it. */
static int stencil_steps(lua_State *L) {
  ma_lua_stencil *s = check_stencil(L);
  const ma_array *field[2][MA_STENCIL_FIELDS];
  ma_drawn drawn[MA_STENCIL_FIELDS];
  ma_array *result[2][MA_MAX_OUTPUTS];
  uint32_t structs[MA_STENCIL_FIELDS];
  int n = (int)lua_objlen(L, 2);
  int64_t steps = ma_lua_checkint(L, 4, "steps");
  if (ma_recording(ma_lua_state(L))) {
    lua_pushboolean(L, false);
    return 1;
  }
  ma_lua_room(L, 4 * n + 20);
  push_list(L, 2, n);
  push_list(L, 3, n);
  check_fields(L, s, 5 + n, n, field[1], structs);
  check_fields(L, s, 5, n, field[0], structs);
  ma_stencil_trace *t = push_trace(L, s, 5, field[0], structs, n);
  bool general = t->general || is_long(field[0][0]);
  if (t->lacks) check_arrays(L, 5, t, field[0], ma_lua_streamfor(L, field[0][0]));
  lua_pushboolean(L, !general);
  if (general) return 1;
  lua_pushvalue(L, -2);
  for (int k = 0; k < n; k++) {
    ma_dtype made = ma_program_dtype(&t->plan.program, t->plan.program.output[k]), has = (ma_dtype)t->dtype[k];
    if (made != has)
      ma_lua_fail(L, "result %d is %s of a %s field; wanted one dtype, since a result becomes a field", k + 1,
                  ma_dtypes[made].name, ma_dtypes[has].name);
    result[1][k] = ma_lua_toarray(L, 5 + k);
    result[0][k] = ma_lua_toarray(L, 5 + n + k);
  }
  ma_stream *stream = ma_lua_streamfor(L, field[0][0]);
  int top = lua_gettop(L);
  if (t->checks) ma_lua_pickingon(L, stream, "stencil");
  for (int64_t step = 0; step < steps; step++) {
    if (step < 2 || t->made || t->plan.drawn) gather(L, top, 5, t, field[step & 1], drawn, stream);
    if (!run_plan(L, t, field[step & 1], drawn, result[step & 1], steps == 1, stream)) {
      lua_pushboolean(L, false);
      return 1;
    }
    free_made(t, field[step & 1]);
    lua_settop(L, top);
  }
  lua_pop(L, 1);
  show_found(L, t, stream->device);
  return 1;
}

/* ==== The object ================================================================================================= */

static int stencil_index(lua_State *L) {
  check_stencil(L);
  lua_getfenv(L, 1);
  lua_getfield(L, -1, "methods");
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  if (!lua_isnil(L, -1)) return 1;
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : ma_lua_describe(L, 2);
  return ma_lua_unknown(L, "stencil", "attribute", key, lua_gettop(L) - 1);
}

static int stencil_tostring(lua_State *L) {
  int n = check_stencil(L)->nout;
  lua_pushfstring(L, "moonarray stencil of %d result%s", n, n == 1 ? "" : "s");
  lua_getfenv(L, 1);
  lua_getfield(L, -1, "form"); /* of a function that is no single program */
  if (lua_isnil(L, -1)) lua_settop(L, -3);
  else lua_pushfstring(L, "%s, %s", lua_tostring(L, -3), lua_tostring(L, -1));
  return 1;
}

/* core.stencil(fn, nout, edges, value, environment, compile?): edges is a list of names, one or one for each axis.
** compile is a boolean, or nil for the background. The environment has the functions of the Lua layer (stencil.h). */
static int stencil_new(lua_State *L) {
  static const char *const names[] = {
    [MA_EDGE_NEAREST] = "nearest", [MA_EDGE_WRAP] = "wrap",         [MA_EDGE_REFLECT] = "reflect",
    [MA_EDGE_MIRROR] = "mirror",   [MA_EDGE_CONSTANT] = "constant", [LEAVE] = "leave"
  };
  ma_lua_stencil *s = lua_newuserdata(L, sizeof *s);
  *s = (ma_lua_stencil){ .magic = MA_STENCIL_MAGIC };
  s->nout = (int)ma_lua_checkint(L, 2, "out");
  s->nparam = ma_rule_parameters(L, 1);
  s->value = ma_lua_checknumber(L, 4, "value");
  s->compile = lua_isnil(L, 6) ? MA_COMPILE_LATER : lua_toboolean(L, 6) ? MA_COMPILE_NOW : MA_COMPILE_NEVER;
  int n = (int)lua_objlen(L, 3);
  s->nedge = (uint8_t)(n < 255 ? n : 255);
  for (int d = 0; d < n && d < MA_STENCIL_NDIM; d++) {
    lua_rawgeti(L, 3, d + 1);
    for (int k = 0; k <= LEAVE; k++)
      if (!strcmp(lua_tostring(L, -1), names[k])) s->edge[d] = (uint8_t)k;
    s->leave |= s->edge[d] == LEAVE;
    lua_pop(L, 1);
  }
  lua_pushvalue(L, 5);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, 0);
  lua_setfenv(L, -2);
  lua_pushvalue(L, lua_upvalueindex(3));
  lua_setmetatable(L, -2);
  return 1;
}

void ma_open_stencil(lua_State *L) {
  static const struct {
    const char *name;
    lua_CFunction call;
  } metamethods[] = { { "__call", stencil_call }, { "__index", stencil_index }, { "__tostring", stencil_tostring } };
  ma_lua_pushclosure(L, "stencil(s, here, there, steps)", false, stencil_steps, 0);
  ma_lua_file(L, "core.stencil_steps");
  ma_lua_pushplain(L, "stencil(...)", false, stencil_rule, 0);
  ma_lua_file(L, "core.stencil_rule");
  lua_newtable(L);
  for (size_t k = 0; k < sizeof metamethods / sizeof *metamethods; k++) {
    ma_lua_pushplain(L, "stencil(...)", false, metamethods[k].call, 0);
    lua_setfield(L, -2, metamethods[k].name);
  }
  lua_pushliteral(L, "moonarray stencil");
  lua_setfield(L, -2, "__metatable");
  ma_lua_define(L, "core.stencil(fn, nout, edges, value, environment, compile?)", NULL, stencil_new, 1);
  lua_pop(L, 1);
}
