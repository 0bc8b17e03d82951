/*
** stencil_trace.c: records the function of a stencil by running it over accessors, each call of which is an input of a
** program. A number from outside becomes a scalar of the program, and an array an input of its own; what the function
** takes from outside is noted, so that the next call sees when it is another value.
*/
#include "bind/kernel/stencil.h"
#include "compile/body.h"

#include <math.h>
#include <string.h>

/* The part of a recording that ma.fuse does not have. Arguments of the tape are numbered by their place in `read`. */
typedef struct stencil_tracing {
  int nfield, ndim, nread, narray;
  uint32_t drawn;        /* bit k: array k is a draw */
  bool full;             /* more is read than a recording holds: it shows branches, and becomes no program */
  uint8_t *dtype;        /* of the fields, and of fields of structs behind them */
  uint32_t structs;      /* bit k: field k is an array of structs */
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
  ma_lua_check(L, ma_tape_input(&tr->tape, k, dtype, st->ndim, operand));
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

void ma_stencil_draw(lua_State *L, tracing *tr, ma_dtype dtype, ma_operand *operand) {
  stencil_tracing *st = tr->stencil;
  ma_stencil_read read;
  if (st->nfield + st->narray >= MA_STENCIL_FIELDS) ma_lua_fail(L, "more than %d arrays", MA_STENCIL_FIELDS);
  lua_rawgeti(L, LUA_REGISTRYINDEX, st->arrays);
  lua_pushinteger(L, tr->drawn->n);
  lua_rawseti(L, -2, ++st->narray);
  lua_pop(L, 1);
  st->drawn |= UINT32_C(1) << (st->narray - 1);
  memset(&read, 0, sizeof read);
  read.field = (uint8_t)(st->nfield + st->narray - 1);
  add_read(L, tr, &read, dtype, operand);
}

static int read_neighbour(lua_State *L);

static void push_reader(lua_State *L, const tracing *tr, int field) {
  lua_pushnumber(L, tr->id);
  lua_pushnumber(L, field);
  ma_lua_pushplain(L, "stencil(...)", false, read_neighbour, 2);
}

void ma_stencil_pushmember(lua_State *L, int view, int field, tracing *tr) {
  stencil_tracing *st = tr->stencil;
  int place = st->nfield + st->narray;
  if (place >= MA_STENCIL_FIELDS) ma_lua_fail(L, "more than %d arrays and fields of structs", MA_STENCIL_FIELDS);
  st->dtype[place] = ma_lua_checkarray(L, view)->dtype;
  lua_rawgeti(L, LUA_REGISTRYINDEX, st->arrays);
  lua_pushvalue(L, field);
  lua_rawseti(L, -2, ++st->narray);
  lua_pop(L, 1);
  push_reader(L, tr, place);
}

/* Raises the error for which the Lua layer makes C++ of the function. */
static int fail_beyond(lua_State *L, int axis) {
  ma_lua_where(L);
  lua_pushfstring(L, "moonarray.stencil: offset %d of a neighbour depends on elements", axis);
  lua_concat(L, 2);
  ma_lua_callcore(L, "beyond", 1, 0);
  return 0;
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
    if (ma_traced_at(L, d + 1)) return fail_beyond(L, d + 1);
    double offset = lua_type(L, d + 1) == LUA_TNUMBER ? lua_tonumber(L, d + 1) : NAN;
    if (!(offset == floor(offset) && fabs(offset) <= MA_STENCIL_OFFSET))
      return ma_lua_fail(L, "offset %d; wanted a whole number", d + 1);
    read.offset[d] = (int32_t)offset;
  }
  add_read(L, tr, &read, (ma_dtype)tr->stencil->dtype[read.field], &operand);
  ma_traced_push(L, tr->id, operand);
  return 1;
}

/* ==== What it takes from outside ================================================================================= */

/* Sets the scalars of a body, which are all the numbers of the list on top. */
static bool set_scalars(lua_State *L, ma_stencil_trace *trace) {
  ma_arg arg[MA_MAX_SCALARS];
  const ma_program *program = &trace->plan.program;
  bool fine = ma_captures_numbers(L, trace->nnumber, arg);
  for (int k = 0; k < program->nscalar && fine; k++)
    fine = ma_tape_convert(&arg[k], (ma_dtype)program->scalar_dtype[k], &trace->plan.scalar[k]) == MA_OK;
  return fine;
}

/* Sets the scalars that are numbers from outside. The trace's environment is on top. False: another trace is wanted. */
static bool set_numbers(lua_State *L, ma_stencil_trace *trace) {
  ma_arg arg[MA_MAX_TRACE_ARGS + MA_MOST_OUTSIDE], number[MA_MAX_TRACE_NUMBERS];
  const ma_fused *fused = trace->fused;
  const ma_fused_part *part = &fused->run[0];
  lua_getfield(L, -1, "numbers");
  if (trace->plan.program.body) {
    bool set = set_scalars(L, trace);
    lua_pop(L, 1);
    return set;
  }
  bool fine = ma_captures_numbers(L, trace->nnumber, arg + MA_MAX_TRACE_ARGS) && ma_fused_numbers(fused, arg, number) &&
              ma_fused_holds(fused, number);
  lua_pop(L, 1);
  for (int k = 0; k < part->program.nscalar && fine; k++)
    if (part->varies >> k & 1)
      fine = ma_tape_convert(&number[part->number[k]], (ma_dtype)part->program.scalar_dtype[k],
                             &trace->plan.scalar[k]) == MA_OK;
  return fine;
}

bool ma_stencil_trace_holds(lua_State *L, ma_stencil_trace *trace, bool *again) {
  int top = lua_gettop(L);
  *again = false;
  if (trace->again) return false;
  ma_lua_room(L, 12);
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, trace->index);
  lua_getfenv(L, -1);
  lua_rawgeti(L, -1, 0);
  bool same = ma_captures_hold(L);
  if (!same) ma_captures_change(L, top + 4, top + 1);
  lua_pop(L, 1);
  if (same && trace->changes) *again = !(same = set_numbers(L, trace));
  lua_settop(L, top);
  return same;
}

/* Whether the function takes all arrays of the list at `arrays` from outside. */
static bool all_captured(lua_State *L, int captures, int arrays, int narray) {
  for (int k = 1; k <= narray; k++) {
    lua_rawgeti(L, arrays, k);
    bool found = lua_isnumber(L, -1) /* a draw */ || lua_istable(L, -1) /* of structs */ ||
                 ma_captures_have(L, captures);
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
  } else if (lua_type(L, index) == LUA_TNUMBER && ma_lua_tovalue(L, index, &scalar.value, &scalar.dtype, &scalar.weak))
    ma_lua_check(L, ma_tape_number(&tr->tape, -1, &scalar, true, operand));
  else ma_lua_fail(L, "a result that is no array");
  if (operand->kind == MA_TRACED_REDUCE) ma_lua_fail(L, "a reduction");
  ma_lua_check(L, ma_tape_result(&tr->tape, operand));
}

/* The inputs that are read from fields, a bit each. */
static uint32_t field_reads(const stencil_tracing *st) {
  uint32_t fields = 0;
  for (int k = 0; k < st->nread; k++)
    if (st->read[k].field < st->nfield) fields |= 1u << k;
  return fields;
}

/* What a plan has of its stencil. */
static void begin_plan(ma_stencil_plan *plan, const recording *r) {
  plan->ndim = (uint8_t)r->st.ndim;
  plan->nfield = (uint8_t)r->st.nfield;
  plan->narray = (uint8_t)r->st.narray;
  plan->leave = r->s->leave;
  plan->compile = r->s->compile;
  plan->value = r->s->value;
  for (int d = 0; d < r->st.ndim; d++) plan->edge[d] = r->s->edge[r->s->nedge == 1 ? 0 : d];
}

static void write_plan(ma_stencil_plan *plan, const recording *r, const ma_fused_part *part) {
  begin_plan(plan, r);
  plan->drawn = r->st.drawn;
  ma_program_clone(&plan->program, &part->program);
  for (int j = 0; j < part->program.ninput; j++) plan->read[j] = r->st.read[part->input[j]];
  memcpy(plan->scalar, part->scalar, sizeof plan->scalar);
  ma_stencil_settle(plan);
}

/* Keeps what numbers from outside need that are scalars: the plan at `fused`, and `numbers`, the list on top, which it
** pops. The trace is in slot `trace`, its environment in `env`. */
static void keep_numbers(lua_State *L, ma_stencil_trace *trace, int env, int fused) {
  lua_setfield(L, env, "numbers");
  lua_pushvalue(L, fused);
  lua_setfield(L, env, "fused");
  trace->changes = true;
  trace->fused = lua_touserdata(L, fused);
}

/* Stand-ins of structs are in the list of arrays while the function runs, at -1 and down. */
static void add_standins(lua_State *L, const recording *r, int first) {
  for (int k = 0; k < r->st.nfield; k++) {
    if (!(r->st.structs >> k & 1)) continue;
    ma_structs_pushstandin(L, first + k, k, "stencil");
    lua_rawseti(L, -2, -1 - k);
  }
}

static void push_standin(lua_State *L, const recording *r, int k) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, r->st.arrays);
  lua_rawgeti(L, -1, -1 - k);
  lua_pushnil(L);
  lua_rawseti(L, -3, -1 - k);
  lua_remove(L, -2);
}

/* Arguments: the recording, the function, its form that branches on elements or nil, which has the dtype of the first
** field before its parameters, and what the form for numbers that change notes, or nil. Returns a trace. */
static int record(lua_State *L) {
  recording *r = lua_touserdata(L, 1);
  ma_operand result[MA_MAX_OUTPUTS];
  ma_lua_room(L, r->st.nfield + 16);
  bool chooses = !lua_isnil(L, 3);
  lua_pushvalue(L, chooses ? 3 : 2);
  if (chooses) lua_pushstring(L, ma_dtypes[r->st.dtype[0]].name);
  for (int k = 0; k < r->st.nfield; k++) {
    if (r->st.structs >> k & 1) push_standin(L, r, k);
    else push_reader(L, &r->tr, k);
  }
  r->tr.chooses = chooses;
  lua_call(L, r->st.nfield + chooses, LUA_MULTRET);
  int nresult = lua_gettop(L) - 4;
  if (nresult != r->s->nout || nresult > MA_MAX_OUTPUTS)
    return ma_lua_fail(L, "%d results; a program has at most %d", nresult, MA_MAX_OUTPUTS);
  for (int k = 0; k < nresult; k++) read_result(L, 5 + k, &r->tr, &result[k]);
  uint32_t uses = ma_rule_check(L, &r->tr, nresult, result, "stencil"), fields = field_reads(&r->st);
  if (r->st.full)
    return ma_lua_fail(L, "more than %d neighbours and arrays; a program has at most %d", MA_MAX_TRACE_ARGS,
                       MA_MAX_INPUTS);
  if (!chooses && fields && !(fields & uses)) /* the Lua layer looks at it */
    return ma_lua_fail(L, "no result uses a field");
  ma_fused *fused = lua_newuserdata(L, sizeof(ma_fused) + sizeof(ma_fused_part));
  memset(fused, 0, sizeof(ma_fused) + sizeof(ma_fused_part));
  r->tr.tape.full = ma_fused_make(&r->tr.tape, nresult, result, fused) != MA_OK;
  if (r->tr.tape.full) ma_lua_check(L, MA_ERR_VALUE); /* the message is set */
  int plan = lua_gettop(L), nnumber = 0;
  bool again = ma_captures_push(L, 2), changes = !lua_isnil(L, 4);
  if (changes) nnumber = ma_captures_part(L, 4); /* leaves the rest of the list, then the numbers */
  else lua_pushnil(L);
  lua_insert(L, -2);
  int captures = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, r->st.arrays);
  again |= !all_captured(L, captures, captures + 1, r->st.narray);
  lua_pushvalue(L, captures);
  lua_rawseti(L, captures + 1, 0);
  ma_stencil_trace *trace = lua_newuserdata(L, sizeof *trace);
  memset(trace, 0, sizeof *trace);
  trace->again = again;
  trace->nnumber = (uint8_t)nnumber;
  write_plan(&trace->plan, r, &fused->run[0]);
  lua_insert(L, captures + 1);
  if (r->tr.drawn) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, r->tr.draws);
    lua_setfield(L, captures + 2, "draws");
  }
  if (changes) {
    lua_pushvalue(L, captures - 1);
    keep_numbers(L, trace, captures + 2, plan);
  }
  lua_setfenv(L, captures + 1);
  return 1;
}

/* ==== Functions beyond selects =================================================================================== */

static const char *text_field(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  const char *text = lua_tostring(L, -1);
  lua_pop(L, 1); /* the table keeps it */
  return text;
}

/* The reads of the list on top: {field, offset ..., dtype =} each, which become a plan's inputs. */
static void take_reads(lua_State *L, ma_stencil_plan *plan, const recording *r) {
  int list = lua_gettop(L);
  for (int j = 0; j < plan->program.ninput; j++) {
    lua_rawgeti(L, list, j + 1);
    for (int d = 0; d <= r->st.ndim; d++) {
      lua_rawgeti(L, list + 1, d + 1);
      if (d) plan->read[j].offset[d - 1] = (int32_t)lua_tointeger(L, -1);
      else plan->read[j].field = (uint8_t)lua_tointeger(L, -1);
      lua_pop(L, 1);
    }
    lua_getfield(L, list + 1, "dtype");
    plan->program.input_dtype[j] = (uint8_t)ma_lua_checkdtype(L, -1, MA_NDTYPE);
    lua_pop(L, 2);
  }
}

/* Takes the fields that the body in slot 3 reads at offsets which it computes. Returns whether there are such. */
static bool take_reached(lua_State *L, ma_stencil_plan *plan) {
  lua_getfield(L, 3, "reached");
  int n = (int)lua_objlen(L, -1);
  if (n > MA_MAX_INPUTS) ma_lua_fail(L, "more than %d fields", MA_MAX_INPUTS);
  plan->nreach = (uint8_t)n;
  for (int k = 0; k < n; k++) {
    lua_rawgeti(L, -1, k + 1);
    plan->reach[k] = (uint8_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return n > 0;
}

/* The scalars of a body, numbers from outside: their dtypes are in the list on top. */
static void take_scalars(lua_State *L, ma_program *program) {
  int n = (int)lua_objlen(L, -1);
  if (n > MA_MAX_SCALARS) ma_lua_fail(L, "%d numbers from outside; at most %d", n, MA_MAX_SCALARS);
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, -1, k);
    ma_program_scalar(program, ma_lua_checkdtype(L, -1, MA_NDTYPE));
    lua_pop(L, 1);
  }
}

/* Pushes the list of what a body takes besides fields: its captures at 0, its scalars by the name `numbers`, then the
** list in slot 3's field "arrays": arrays from outside, and descriptions of what each run draws from. */
static void take_arrays(lua_State *L, ma_stencil_trace *trace, const recording *r) {
  lua_newtable(L);
  int env = lua_gettop(L);
  lua_getfield(L, 3, "numbers");
  trace->changes = !lua_isnil(L, -1);
  trace->again = ma_captures_push(L, 2);
  if (trace->changes) {
    lua_getfield(L, 3, "scalars");
    take_scalars(L, &trace->plan.program);
    lua_pop(L, 1);
    trace->nnumber = (uint8_t)ma_captures_part(L, env + 1);
    if (!set_scalars(L, trace)) ma_lua_fail(L, "a number from outside that is none any more");
    lua_setfield(L, env, "numbers");
  }
  lua_rawseti(L, env, 0);
  lua_settop(L, env);
  lua_getfield(L, 3, "arrays");
  int n = (int)lua_objlen(L, -1);
  if (r->st.nfield + n > MA_STENCIL_FIELDS) ma_lua_fail(L, "more than %d arrays", MA_STENCIL_FIELDS);
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, -1, k);
    if (lua_istable(L, -1)) {
      lua_getfield(L, -1, "place"); /* of structs; else it is made */
      trace->made |= (uint32_t)lua_isnil(L, -1) << (k - 1);
      lua_pop(L, 1);
    }
    lua_rawseti(L, -3, k);
  }
  lua_pop(L, 1);
  trace->plan.narray = (uint8_t)n;
}

/* Arguments: the recording, the function, and the table that lua/moonarray/element/body.lua makes. Returns a trace. */
static int take_body(lua_State *L) {
  recording *r = lua_touserdata(L, 1);
  ma_body body = ma_body_empty;
  ma_stencil_trace *trace = lua_newuserdata(L, sizeof *trace);
  memset(trace, 0, sizeof *trace);
  ma_program *program = &trace->plan.program;
  body.name = "stencil";
  body.preamble = text_field(L, 3, "preamble");
  body.operation = text_field(L, 3, "operation");
  body.reaches = take_reached(L, &trace->plan);
  lua_getfield(L, 3, "prints");
  trace->prints = body.once = lua_toboolean(L, -1);
  lua_getfield(L, 3, "checks");
  trace->checks = lua_toboolean(L, -1);
  begin_plan(&trace->plan, r);
  lua_getfield(L, 3, "reads");
  int nread = (int)lua_objlen(L, -1);
  if (nread > MA_MAX_INPUTS) return ma_lua_fail(L, "%d neighbours; at most %d", nread, MA_MAX_INPUTS);
  if (r->s->nout > MA_MAX_OUTPUTS) return ma_lua_fail(L, "%d results; at most %d", r->s->nout, MA_MAX_OUTPUTS);
  program->ninput = (uint8_t)nread;
  take_reads(L, &trace->plan, r);
  lua_getfield(L, 3, "results");
  program->noutput = body.nparam = (uint8_t)r->s->nout;
  for (int k = 0; k < r->s->nout; k++) {
    lua_rawgeti(L, -1, k + 1);
    program->output[k] = (uint8_t)(MA_REG_CODE + k);
    program->code[k].result = body.param[k].dtype = (uint8_t)ma_lua_checkdtype(L, -1, MA_NDTYPE);
    body.param[k].role = MA_PARAM_OUTPUT;
    lua_pop(L, 1);
  }
  ma_lua_check(L, ma_body_intern(&body, &program->body));
  lua_settop(L, 4);
  take_arrays(L, trace, r);
  lua_setfenv(L, 4);
  ma_stencil_settle(&trace->plan);
  return 1;
}

void ma_stencil_note(lua_State *L, int slot, const char *how) {
  static const char prefix[] = "moonarray.stencil: ";
  const char *why = lua_type(L, slot) == LUA_TSTRING ? lua_tostring(L, slot) : "an error that is no text";
  const char *at = strstr(why, prefix);
  if (at) why = at + strlen(prefix);
  if (ma_config_traces("fuse")) ma_trace("fuse", "stencil: no single program, runs %s: %s", how, why);
  lua_getfenv(L, 1);
  lua_pushfstring(L, "%s: %s", how, why);
  lua_setfield(L, -2, "form");
  lua_pop(L, 1);
}

/* Replaces the reason on top, for which a function is no program, by the trace of its form in C++, or leaves it there
** and returns NULL. */
static ma_stencil_trace *push_body(lua_State *L, recording *r, int first) {
  int why = lua_gettop(L);
  lua_getfenv(L, 1);
  lua_getfield(L, -1, "body");
  lua_pushvalue(L, why);
  lua_pushboolean(L, r->tr.tape.full);
  lua_pushinteger(L, r->st.ndim);
  lua_createtable(L, r->st.nfield, 0);
  for (int k = 0; k < r->st.nfield; k++) {
    if (r->st.structs >> k & 1) lua_pushvalue(L, first + k);
    else lua_pushstring(L, ma_dtypes[r->st.dtype[k]].name);
    lua_rawseti(L, -2, k + 1);
  }
  ma_captures_pushchanging(L);
  lua_call(L, 5, 1);
  if (!lua_istable(L, -1)) {
    lua_settop(L, why);
    return NULL;
  }
  ma_lua_pushplain(L, "stencil(...)", false, take_body, 0);
  lua_pushlightuserdata(L, r);
  lua_rawgeti(L, why + 1, 0);
  lua_pushvalue(L, why + 2);
  if (lua_pcall(L, 3, 1, 0)) {
    lua_settop(L, why);
    return NULL;
  }
  ma_stencil_note(L, why, "as C++");
  lua_replace(L, why);
  lua_settop(L, why);
  return lua_touserdata(L, why);
}

/* Makes the reason on top a trace of a function that cannot be recorded, so that the Lua layer runs it. */
static ma_stencil_trace *push_general(lua_State *L) {
  ma_stencil_note(L, -1, "by array operations");
  lua_pop(L, 1);
  ma_stencil_trace *trace = lua_newuserdata(L, sizeof *trace);
  memset(trace, 0, sizeof *trace);
  trace->general = true;
  return trace;
}

/* Calls `record` for fields from slot `first` on. Leaves what it gave on the stack: a trace, or an error.
** `changing`: with numbers from outside as scalars, if some have changed; without that, nothing is recorded. Returns 0
** for a trace. */
static int try_record(lua_State *L, recording *r, int first, bool changing) {
  ma_lua *state = ma_lua_state(L);
  int top = lua_gettop(L);
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, 0);
  if (changing) { /* the form, what it notes */
    if (!ma_rule_pushchanging(L, top + 2, top + 1, "stencil", true)) {
      lua_settop(L, top);
      return -1;
    }
  } else {
    ma_rule_pushform(L, top + 2, "stencil", true);
    lua_pushnil(L);
  }
  ma_rule_pushhandler(L, top + 2, "stencil", true);
  lua_replace(L, top + 1);
  ma_lua_pushplain(L, "stencil(...)", false, record, 0);
  lua_insert(L, top + 2);
  lua_pushlightuserdata(L, r);
  lua_insert(L, top + 3); /* the handler, record, the recording, the function, its form, what that notes */
  ma_tracing_begin(L, &r->tr);
  r->tr.stencil = &r->st;
  r->tr.may_draw = true;
  r->tr.draw_dtype = ma_draw_dtype((ma_dtype)r->st.dtype[0]);
  lua_newtable(L);
  add_standins(L, r, first);
  r->st.arrays = luaL_ref(L, LUA_REGISTRYINDEX);
  state->tracing = &r->tr;
  int failed = ma_draw_call(L, 4, 1, top + 1, "stencil", (ma_dtype)r->st.dtype[0]);
  state->tracing = r->tr.outer;
  luaL_unref(L, LUA_REGISTRYINDEX, r->st.arrays);
  luaL_unref(L, LUA_REGISTRYINDEX, r->tr.draws);
  lua_remove(L, top + 1);
  return failed;
}

ma_stencil_trace *ma_stencil_trace_push(lua_State *L, const ma_lua_stencil *s, int first, int n,
                                        const ma_array *const *field, const uint32_t *structs) {
  uint8_t dtype[MA_STENCIL_FIELDS];
  if (n > MA_STENCIL_FIELDS) {
    lua_pushfstring(L, "%d fields; at most %d", n, MA_STENCIL_FIELDS);
    return push_general(L);
  }
  for (int k = 0; k < n; k++) dtype[k] = field[k]->dtype;
  recording r;
  int failed = -1, reason = 0; /* the slot that says why no program has numbers from outside as scalars, if none has */
  ma_captures_allow(L, "stencil");
  for (int changing = 1; failed && changing >= 0; changing--) {
    memset(&r, 0, sizeof r);
    r.s = s;
    r.st.model = field[0];
    for (int k = 0; k < n; k++) r.st.structs |= structs[k] ? UINT32_C(1) << k : 0;
    r.st.nfield = n;
    r.st.ndim = r.st.model->ndim;
    r.st.dtype = dtype;
    failed = try_record(L, &r, first, changing);
    if (failed > 0 && changing) reason = lua_gettop(L);
  }
  if (failed && r.tr.refused) lua_error(L);
  ma_stencil_trace *trace = failed ? push_body(L, &r, first) : lua_touserdata(L, -1);
  if (!trace && r.st.structs) lua_error(L); /* array operations take the fields */
  if (!trace) trace = push_general(L);
  if (!reason) return trace;
  lua_insert(L, reason);                                         /* the trace, the reason */
  if (!trace->plan.program.body) ma_captures_keep(L, "stencil"); /* such numbers are constants from now on */
  lua_settop(L, reason);
  return trace;
}
