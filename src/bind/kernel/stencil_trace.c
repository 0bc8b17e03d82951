/*
** stencil_trace.c: records the function of a stencil by running it over accessors, each call of which is an input of a
** program. A number from outside becomes a scalar of the program, and an array an input of its own; the function's
** upvalues are noted, so that the next call sees when one of them is another value.
*/
#include "bind/kernel/stencil.h"

#include <math.h>
#include <string.h>

/* The part of a recording that ma.fuse does not have. Arguments of the graph are numbered by their place in `read`. */
typedef struct stencil_tracing {
  int nfield, ndim, nread, narray;
  bool full;             /* more is read than a recording holds: it shows branches, and becomes no program */
  const uint8_t *dtype;  /* of the fields */
  const ma_array *model; /* a field */
  int arrays;            /* registry reference of the list of arrays that the function uses */
  ma_stencil_read read[MA_MAX_TRACE_ARGS];
} stencil_tracing;

/* ==== Inputs ===================================================================================================== */

static bool same_read(const ma_stencil_read *a, const ma_stencil_read *b) {
  return a->field == b->field && !memcmp(a->offset, b->offset, sizeof a->offset);
}

/* Adds an input, or finds an equal one. */
static void add_read(lua_State *L, tracing *tr, const ma_stencil_read *read, ma_dtype dtype, ma_operand *operand) {
  stencil_tracing *st = tr->stencil;
  int k = 0;
  while (k < st->nread && !same_read(&st->read[k], read)) k++;
  if (k == MA_MAX_TRACE_ARGS) {
    st->full = true;
    k--; /* it stands for all that follow */
  } else if (k == st->nread) st->read[st->nread++] = *read;
  ma_lua_check(L, ma_graph_input(&tr->graph, k, dtype, st->ndim, operand));
}

bool ma_stencil_capture(lua_State *L, int index, tracing *tr, ma_operand *operand) {
  stencil_tracing *st = tr->stencil;
  if (!ma_lua_toarray(L, index)) return false;
  const ma_array *array = ma_lua_checkarray(L, index);
  ma_stencil_read read;
  int k = 1;
  if (array->ndim && !ma_array_has_shape(array, st->model->ndim, st->model->shape)) return false;
  lua_pushvalue(L, index);
  lua_rawgeti(L, LUA_REGISTRYINDEX, st->arrays);
  for (; k <= st->narray; k++) {
    lua_rawgeti(L, -1, k);
    bool same = lua_rawequal(L, -1, -3);
    lua_pop(L, 1);
    if (same) break;
  }
  if (st->nfield + k > MA_STENCIL_FIELDS) ma_lua_fail(L, "more than %d arrays", MA_STENCIL_FIELDS);
  if (k > st->narray) {
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, ++st->narray);
  }
  lua_pop(L, 2);
  memset(&read, 0, sizeof read);
  read.field = (uint8_t)(st->nfield + k - 1);
  add_read(L, tr, &read, (ma_dtype)array->dtype, operand);
  return true;
}

/* u(1, 0): upvalue 3 is the recording's id, 4 the field. Wrong offsets are reported by the Lua layer, which runs the
** function after any failure. */
static int read_neighbour(lua_State *L) {
  tracing *tr = ma_lua_state(L)->tracing;
  ma_operand operand;
  ma_stencil_read read;
  double id = lua_tonumber(L, lua_upvalueindex(3));
  memset(&read, 0, sizeof read);
  while (tr && tr->id != (uint32_t)id) tr = tr->outer;
  if (!tr) return ma_lua_fail(L, "a field of a stencil that has returned; it can be read while the function runs");
  read.field = (uint8_t)lua_tonumber(L, lua_upvalueindex(4));
  if (lua_gettop(L) != tr->stencil->ndim) return ma_lua_fail(L, "wanted an offset for each axis");
  for (int d = 0; d < tr->stencil->ndim; d++) {
    double offset = lua_type(L, d + 1) == LUA_TNUMBER ? lua_tonumber(L, d + 1) : NAN;
    if (!(offset == floor(offset) && fabs(offset) <= MA_STENCIL_OFFSET))
      return ma_lua_fail(L, "offset %d; wanted a whole number", d + 1);
    read.offset[d] = (int32_t)offset;
  }
  add_read(L, tr, &read, (ma_dtype)tr->stencil->dtype[read.field], &operand);
  ma_traced_push(L, tr->id, operand);
  return 1;
}

/* ==== Upvalues =================================================================================================== */

/* Describes the value on top, and pops it. */
static void take_watch(lua_State *L, ma_watch *watch) {
  watch->type = (uint8_t)lua_type(L, -1);
  watch->number = 0;
  watch->pointer = NULL;
  if (watch->type == LUA_TNUMBER) watch->number = lua_tonumber(L, -1);
  else if (watch->type == LUA_TBOOLEAN) watch->number = lua_toboolean(L, -1);
  else if (watch->type == LUA_TSTRING) watch->pointer = lua_tostring(L, -1);
  else watch->pointer = lua_topointer(L, -1);
  lua_pop(L, 1);
}

/* Numbers are compared by their bits, so that NaN equals itself and -0 is not 0. */
static bool same_watch(const ma_watch *a, const ma_watch *b) {
  uint64_t x, y;
  memcpy(&x, &a->number, sizeof x);
  memcpy(&y, &b->number, sizeof y);
  return a->type == b->type && a->pointer == b->pointer && x == y;
}

static bool is_lua_function(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TFUNCTION && !lua_iscfunction(L, index);
}

/* Notes the upvalues of the function on top, and those of its upvalues that are functions; `watch` NULL: counts. */
static int find_watches(lua_State *L, ma_watch *watch) {
  int n = 0;
  for (int i = 1; i < 255 && is_lua_function(L, -1) && lua_getupvalue(L, -1, i); i++) {
    for (int j = 1; j < 255 && is_lua_function(L, -1) && lua_getupvalue(L, -1, j); j++, n++) {
      ma_watch found = { .upvalue = (uint8_t)i, .inner = (uint8_t)j };
      take_watch(L, &found);
      if (watch) watch[n] = found;
    }
    ma_watch found = { .upvalue = (uint8_t)i };
    take_watch(L, &found);
    if (watch) watch[n] = found;
    n++;
  }
  return n;
}

bool ma_stencil_trace_holds(lua_State *L, const ma_stencil_trace *trace) {
  bool same = true;
  if (trace->again) return false;
  if (!trace->nwatch) return true;
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, 0);
  for (int k = 0; k < trace->nwatch && same; k++) {
    const ma_watch *w = &trace->watch[k];
    ma_watch now;
    lua_getupvalue(L, -1, w->upvalue);
    if (w->inner && !(is_lua_function(L, -1) && lua_getupvalue(L, -1, w->inner))) lua_pushnil(L);
    take_watch(L, &now);
    if (w->inner) lua_pop(L, 1);
    same = same_watch(&now, w);
  }
  lua_pop(L, 2);
  return same;
}

/* Whether all arrays of the list on top are upvalues. */
static bool all_watched(lua_State *L, const ma_stencil_trace *trace, int narray) {
  for (int a = 1; a <= narray; a++) {
    bool found = false;
    lua_rawgeti(L, -1, a);
    for (int k = 0; k < trace->nwatch; k++) found |= trace->watch[k].pointer == lua_topointer(L, -1);
    lua_pop(L, 1);
    if (!found) return false;
  }
  return true;
}

/* ==== Recording ================================================================================================== */

/* What a protected call records; its argument. */
typedef struct recording {
  const ma_lua_stencil *s;
  tracing tr;
  stencil_tracing st;
} recording;

static void read_result(lua_State *L, int index, tracing *tr, ma_operand *operand) {
  ma_arg scalar = { .array = NULL };
  const traced *t = ma_traced_at(L, index);
  if (t && t->id == tr->id) *operand = t->operand;
  else if (ma_lua_toarray(L, index)) {
    if (!ma_stencil_capture(L, index, tr, operand)) ma_lua_fail(L, "an array of another shape");
  } else if (lua_type(L, index) == LUA_TNUMBER &&
             ma_lua_tovalue(L, index, &scalar.value, &scalar.dtype, &scalar.weak)) {
    ma_lua_check(L, ma_graph_number(&tr->graph, -1, &scalar, true, operand));
    ma_lua_check(L, ma_graph_cast(&tr->graph, *operand, ma_lua_state(L)->default_dtype, operand));
  } else ma_lua_fail(L, "a result that is no array");
  if (operand->kind == MA_TRACED_REDUCE) ma_lua_fail(L, "a reduction");
}

/* The inputs that are read from fields, a bit each. */
static uint32_t field_reads(const stencil_tracing *st) {
  uint32_t fields = 0;
  for (int k = 0; k < st->nread; k++)
    if (st->read[k].field < st->nfield) fields |= 1u << k;
  return fields;
}

static void write_plan(ma_stencil_plan *plan, const recording *r, const ma_fused_part *part) {
  memcpy(&plan->program, &part->program, sizeof plan->program);
  plan->ndim = (uint8_t)r->st.ndim;
  plan->nfield = (uint8_t)r->st.nfield;
  plan->narray = (uint8_t)r->st.narray;
  plan->leave = r->s->leave;
  plan->compile = r->s->compile;
  plan->value = r->s->value;
  for (int d = 0; d < r->st.ndim; d++) plan->edge[d] = r->s->edge[r->s->nedge == 1 ? 0 : d];
  for (int j = 0; j < part->program.ninput; j++) plan->read[j] = r->st.read[part->input[j]];
  memcpy(plan->scalar, part->scalar, sizeof plan->scalar);
  ma_stencil_settle(plan);
}

/* Arguments: the recording, the function. Returns a trace. */
static int record(lua_State *L) {
  recording *r = lua_touserdata(L, 1);
  ma_operand result[MA_MAX_OUTPUTS];
  ma_lua_room(L, r->st.nfield + 16);
  lua_pushvalue(L, 2);
  for (int k = 0; k < r->st.nfield; k++) {
    lua_pushnumber(L, r->tr.id);
    lua_pushnumber(L, k);
    ma_lua_pushplain(L, "stencil(...)", false, read_neighbour, 2);
  }
  lua_call(L, r->st.nfield, LUA_MULTRET);
  int nresult = lua_gettop(L) - 2;
  if (nresult != r->s->nout || nresult > MA_MAX_OUTPUTS) return ma_lua_fail(L, "%d results", nresult);
  for (int k = 0; k < nresult; k++) read_result(L, 3 + k, &r->tr, &result[k]);
  uint32_t uses = ma_rule_check(L, &r->tr, nresult, result, "stencil"), fields = field_reads(&r->st);
  if (r->st.full) return ma_lua_fail(L, "more than %d neighbours", MA_MAX_TRACE_ARGS);
  if (fields && !(fields & uses)) return ma_lua_fail(L, "no result uses a field"); /* the Lua layer looks at it */
  ma_fused *fused = lua_newuserdata(L, sizeof(ma_fused) + sizeof(ma_fused_part));
  memset(fused, 0, sizeof(ma_fused) + sizeof(ma_fused_part));
  ma_lua_check(L, ma_fused_make(&r->tr.graph, nresult, result, fused));
  lua_pushvalue(L, 2);
  int nwatch = find_watches(L, NULL);
  size_t size = sizeof(ma_stencil_trace) + (size_t)nwatch * sizeof(ma_watch);
  ma_stencil_trace *trace = lua_newuserdata(L, size);
  memset(trace, 0, size);
  write_plan(&trace->plan, r, &fused->run[0]);
  lua_rawgeti(L, LUA_REGISTRYINDEX, r->st.arrays);
  lua_pushvalue(L, -1);
  lua_setfenv(L, -3);
  lua_pushvalue(L, 2);
  trace->nwatch = nwatch;
  find_watches(L, trace->watch);
  lua_pop(L, 1);
  trace->again = !all_watched(L, trace, r->st.narray);
  lua_pop(L, 1);
  return 1;
}

/* A trace of a function that cannot be recorded, so that the Lua layer runs it. */
static ma_stencil_trace *push_general(lua_State *L) {
  ma_stencil_trace *trace = lua_newuserdata(L, sizeof *trace);
  memset(trace, 0, sizeof *trace);
  trace->general = true;
  return trace;
}

ma_stencil_trace *ma_stencil_trace_push(lua_State *L, const ma_lua_stencil *s, int first, int n) {
  ma_lua *state = ma_lua_state(L);
  uint8_t dtype[MA_STENCIL_FIELDS];
  if (n > MA_STENCIL_FIELDS) return push_general(L);
  recording r = { .s = s };
  for (int k = 0; k < n; k++) dtype[k] = ma_lua_toarray(L, first + k)->dtype;
  r.st.model = ma_lua_toarray(L, first);
  r.st.nfield = n;
  r.st.ndim = r.st.model->ndim;
  r.st.dtype = dtype;
  ma_tracing_begin(L, &r.tr);
  r.tr.stencil = &r.st;
  lua_newtable(L);
  r.st.arrays = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, 0);
  lua_replace(L, -2);
  ma_rule_pushhandler(L, lua_gettop(L), "stencil", true);
  lua_insert(L, -2); /* the handler, the function */
  int handler = lua_gettop(L) - 1;
  ma_lua_pushplain(L, "stencil(...)", false, record, 0);
  lua_insert(L, -2);
  lua_pushlightuserdata(L, &r);
  lua_insert(L, -2);
  state->tracing = &r.tr;
  int failed = ma_rule_call(L, 2, 1, handler, "stencil");
  state->tracing = r.tr.outer;
  luaL_unref(L, LUA_REGISTRYINDEX, r.st.arrays);
  lua_remove(L, handler);
  if (!failed) return lua_touserdata(L, -1);
  if (r.tr.refused) lua_error(L);
  if (ma_config_traces("fuse"))
    ma_trace("fuse", "stencil: no single program: %s", lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "");
  lua_pop(L, 1);
  return push_general(L);
}
