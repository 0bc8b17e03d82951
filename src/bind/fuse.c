/*
** fuse.c: ma.fuse and the traced values that stand in for arrays and numbers while a function is recorded (src/trace.c has the
** graph). A fused function is a userdata; its environment keeps the Lua function (at 0) and its traces (from 1 on). A call compares
** the kinds of its arguments with those of the last trace first, and allocates nothing but the results.
*/
#include "bind.h"
#include "../trace.h"

#include <ctype.h>
#include <string.h>

#define TRACED_MAGIC 0x6d61747261636564u
#define FUSED_MAGIC 0x6d615f6675736564u
#define MAX_TRACES 256                 /* of one function; then it starts anew */
#define MAX_DEPTH 100                  /* fused functions inside each other: LuaJIT does not bound the C stack */

/* One lives on the C stack for as long as the function runs; calls inside calls form a chain. */
typedef struct tracing {
  struct tracing *outer;
  uint32_t id;
  int depth, inside;                   /* traces around this one; calls of fused functions in it that are its part */
  ma_graph graph;
} tracing;

typedef struct traced {
  uint64_t magic;
  uint32_t id;                         /* of its tracing */
  ma_operand operand;
} traced;

/* A trace, a userdata of its own, and what the arguments must be. */
typedef struct entry {
  struct entry *next;
  int index, narg;
  bool uses_ndim;
  uint8_t kind[MA_MAX_TRACE_ARGS], ndim[MA_MAX_TRACE_ARGS];
  ma_fused plan;
} entry;

typedef struct fused {
  uint64_t magic;
  const ma_signature *signature;       /* for the name; never collected */
  entry *first, *last;                 /* last: the one that was used last */
  int ntrace;
} fused;

/* Kinds of arguments: an array's dtype, or a number's. */
#define KIND_NUMBER 0x20
#define KIND_STRONG 0x40
#define KIND_OBJECT 0x80               /* a cdata or a complex scalar: no number of Lua's own */

/* ==== Errors ===================================================================================================== */

static traced *to_traced(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_objlen(L, index) != sizeof(traced)) return NULL;
  traced *t = lua_touserdata(L, index);
  return t->magic == TRACED_MAGIC ? t : NULL;
}

bool ma_lua_istraced(lua_State *L, int index) {
  return to_traced(L, index) != NULL;
}

/* The name of the closure of ours on top of the stack, which is popped; NULL if it is none or has none. */
static const char *name_of_closure(lua_State *L, const ma_lua *state) {
  const char *name = NULL;
  if (lua_iscfunction(L, -1) && lua_getupvalue(L, -1, 1)) {
    bool ours = lua_touserdata(L, -1) == state;
    lua_pop(L, 1);
    if (ours && lua_getupvalue(L, -1, 2)) {
      const ma_signature *signature = lua_type(L, -1) == LUA_TLIGHTUSERDATA ? lua_touserdata(L, -1) : NULL;
      if (signature) name = signature->name;
      lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
  return name;
}

/* The outermost function of ours between here and the user's code: `unwrap` where cumsum was met inside of it. */
static const char *outer_call(lua_State *L) {
  const ma_lua *state = ma_lua_state(L);
  const char *name = NULL;
  size_t n = strlen(state->own_prefix);
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame) && lua_getinfo(L, "Sf", &frame); level++) {
    const char *found = name_of_closure(L, state);
    if (found) name = found;
    if (*frame.what != 'C' && !(n && !strncmp(frame.source, state->own_prefix, n))) break;
  }
  return name;
}

static int fail_use(lua_State *L, const char *name, const char *text) {
  ma_lua_where(L);
  if (name) lua_pushfstring(L, "moonarray.%s: %s", name, text);
  else lua_pushfstring(L, "moonarray: %s", text);
  lua_concat(L, 2);
  return lua_error(L);
}

#define RETURNED "a value of a fused function that has returned; values live while the function runs"

int ma_lua_failtraced(lua_State *L) {
  if (!ma_lua_state(L)->tracing) return fail_use(L, outer_call(L), RETURNED);
  return fail_use(L, outer_call(L), "cannot be part of a fused function; element-wise operations can, and reductions at the end");
}

/* x.shape, x[1], tostring(x). */
static int fail_attribute(lua_State *L, const char *what, const char *why) {
  return fail_use(L, outer_call(L), lua_pushfstring(L, "%s inside a fused function; %s", what, why));
}

/* ==== Traced values ============================================================================================== */

static tracing *tracing_of(lua_State *L, const traced *t) {
  tracing *found = ma_lua_state(L)->tracing;
  while (found && found->id != t->id) found = found->outer;
  if (!found) fail_use(L, outer_call(L), RETURNED);
  return found;
}

static void push_traced(lua_State *L, uint32_t id, ma_operand operand) {
  traced *t = lua_newuserdata(L, sizeof *t);
  *t = (traced){ TRACED_MAGIC, id, operand };
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->traced_metatable);
  lua_setmetatable(L, -2);
}

/* The tracing that the first traced value among n slots belongs to, or NULL. */
static tracing *find_tracing(lua_State *L, int first, int n) {
  for (int k = first; k < first + n; k++) {
    const traced *t = to_traced(L, k);
    if (t) return tracing_of(L, t);
  }
  return NULL;
}

static void read_operand(lua_State *L, int index, tracing *tr, ma_operand *operand) {
  ma_arg scalar = { .array = NULL };
  const traced *t = to_traced(L, index);
  if (t) {
    if (tracing_of(L, t) != tr) ma_lua_fail(L, "a value of another fused function; pass it as an argument");
    if (t->operand.kind == MA_TRACED_REDUCE) ma_lua_fail(L, "the result of a reduction; a reduction ends a fused function: return it");
    *operand = t->operand;
    return;
  }
  if (ma_lua_toarray(L, index)) ma_lua_fail(L, "an array that is no argument of the fused function; pass it as one");
  if (lua_istable(L, index)) ma_lua_fail(L, "a table beside an argument of a fused function; pass it as an argument too");
  if (!ma_lua_tovalue(L, index, &scalar.value, &scalar.dtype, &scalar.weak))
    ma_lua_fail(L, "%s is %s; wanted an array or a number", ma_lua_argname(L, index), ma_lua_describe(L, index));
  ma_lua_check(L, ma_graph_number(&tr->graph, -1, &scalar, lua_type(L, index) == LUA_TNUMBER, operand));
}

static bool read_where(lua_State *L, int slot, tracing *tr, ma_operand *where) {
  if (!slot || lua_isnil(L, slot)) return false;
  if (!to_traced(L, slot) && !ma_lua_toarray(L, slot)) ma_lua_fail(L, "where is %s; wanted a bool array", ma_lua_describe(L, slot));
  read_operand(L, slot, tr, where);
  if (where->kind != MA_TRACED_NODE || ma_graph_dtype(&tr->graph, *where) != MA_BOOL) ma_lua_fail(L, "where is no bool; wanted a bool array");
  return true;
}

static void refuse(lua_State *L, int slot, const char *what) {
  if (slot && !lua_isnil(L, slot)) ma_lua_fail(L, "%s inside a fused function; only the fused function itself takes it", what);
}

int ma_lua_trace_apply(lua_State *L, const ma_opcode *op, int nout, int first, int out, int dtype, int where, int casting) {
  ma_operand operand[MA_MAX_ARITY], mask, made[MA_MAX_OUTPUTS];
  int nin = ma_ops[op[0]].nin;
  tracing *tr = find_tracing(L, first, nin);
  if (!tr && where) tr = find_tracing(L, where, 1);
  if (!tr && out) tr = find_tracing(L, out, 1);
  if (!tr) return 0;
  refuse(L, out, "out");
  refuse(L, casting, "casting");
  for (int k = 0; k < nin; k++) {
    bool boolean = lua_isboolean(L, first + k) && casting;        /* core.apply, which has no casting, takes them as data */
    if (boolean) ma_lua_fail(L, "%s is a boolean; Lua's ==, < and not see no elements: write x:eq(0), x:lt(y)", ma_lua_argname(L, first + k));
    read_operand(L, first + k, tr, &operand[k]);
  }
  ma_dtype forced = dtype ? ma_lua_checkdtype(L, dtype, MA_NDTYPE) : MA_NDTYPE;
  bool masked = read_where(L, where, tr, &mask);
  ma_lua_check(L, ma_graph_apply(&tr->graph, op, nout, operand, forced, masked ? &mask : NULL, made));
  for (int k = 0; k < nout; k++) push_traced(L, tr->id, made[k]);
  return nout;
}

/* A number of the program, or a Lua number. */
static bool is_number(lua_State *L, int index) {
  const traced *t = to_traced(L, index);
  return t ? t->operand.kind == MA_TRACED_NUMBER : lua_type(L, index) == LUA_TNUMBER;
}

int ma_lua_trace_operator(lua_State *L, ma_opcode op) {
  int nin = ma_ops[op].nin;
  tracing *tr = find_tracing(L, 1, nin);
  if (!tr) return 0;
  if (!is_number(L, 1) || (nin > 1 && !is_number(L, 2))) {
    for (int k = 1; k <= nin; k++)
      if (lua_isboolean(L, k)) ma_lua_fail(L, "%s is a boolean; Lua's ==, < and not see no elements: write x:eq(0), x:lt(y)", ma_lua_argname(L, k));
    return ma_lua_trace_apply(L, &op, 1, 1, 0, 0, 0, 0);
  }
  ma_operand operand[2], made;
  for (int k = 0; k < 2; k++) {
    read_operand(L, nin > 1 ? k + 1 : 1, tr, &operand[k]);
    if (!tr->graph.number[operand[k].id].plain)
      ma_lua_fail(L, "a complex number or an int64 in arithmetic of numbers alone; compute it before the call");
  }
  ma_lua_check(L, ma_graph_arithmetic(&tr->graph, op, operand[0], operand[1], &made));
  push_traced(L, tr->id, made);
  return 1;
}

/* A number as data has the default dtype as in ma.asarray(2). */
static ma_dtype data_dtype(lua_State *L, const ma_number *number) {
  ma_dtype real = ma_lua_state(L)->default_dtype;
  if (number->weak == MA_WEAK_COMPLEX) return real == MA_FLOAT64 ? MA_COMPLEX128 : MA_COMPLEX64;
  return number->plain ? real : (ma_dtype)number->dtype;
}

int ma_lua_trace_cast(lua_State *L, ma_dtype dtype) {
  ma_operand operand;
  tracing *tr = find_tracing(L, 1, 1);
  read_operand(L, 1, tr, &operand);
  if (dtype == MA_NDTYPE && operand.kind == MA_TRACED_NUMBER) dtype = data_dtype(L, &tr->graph.number[operand.id]);
  if (dtype != MA_NDTYPE) ma_lua_check(L, ma_graph_cast(&tr->graph, operand, dtype, &operand));
  push_traced(L, tr->id, operand);
  return 1;
}

/* ==== Reductions ================================================================================================= */

static void read_axes(lua_State *L, int slot, ma_traced_reduce *reduce) {
  reduce->naxis = 255;
  if (lua_isnil(L, slot)) return;
  if (lua_type(L, slot) != LUA_TTABLE) {
    reduce->naxis = 1;
    reduce->axis[0] = ma_lua_checkint(L, slot, "axis");
    return;
  }
  int n = (int)lua_objlen(L, slot);
  if (n > MA_MAX_NDIM) ma_lua_fail(L, "%d axes; an array has at most %d", n, MA_MAX_NDIM);
  for (int k = 0; k < n; k++) {
    lua_rawgeti(L, slot, k + 1);
    reduce->axis[k] = ma_lua_checkint(L, -1, "axis");
    lua_pop(L, 1);
  }
  reduce->naxis = (uint8_t)n;
}

static void read_reduce_options(lua_State *L, const ma_lua_reduction *r, ma_traced_reduce *reduce) {
  ma_weak weak;
  ma_dtype dtype;
  read_axes(L, r->axis, reduce);
  reduce->keepdims = r->keepdims && ma_lua_optbool(L, r->keepdims, false);
  reduce->dtype = (uint8_t)(r->dtype ? ma_lua_checkdtype(L, r->dtype, MA_NDTYPE) : MA_NDTYPE);
  reduce->ddof = 0;
  if (r->ddof && !lua_isnil(L, r->ddof)) reduce->ddof = ma_lua_checknumber(L, r->ddof, "ddof");
  if (r->correction && !lua_isnil(L, r->correction)) {
    if (!lua_isnil(L, r->ddof)) ma_lua_fail(L, "ddof and correction; they are two names of one argument");
    reduce->ddof = ma_lua_checknumber(L, r->correction, "correction");
  }
  reduce->has_initial = r->initial && !lua_isnil(L, r->initial);
  if (!reduce->has_initial) return;
  if (!ma_lua_tovalue(L, r->initial, &reduce->initial, &dtype, &weak))
    ma_lua_fail(L, "initial is %s; inside a fused function it is a number", ma_lua_describe(L, r->initial));
  reduce->initial_dtype = (uint8_t)dtype;
}

static ma_operand apply(lua_State *L, tracing *tr, ma_opcode op, ma_operand a, ma_operand b, ma_operand c) {
  ma_operand operand[MA_MAX_ARITY] = { a, b, c }, made = a;
  ma_lua_check(L, ma_graph_apply(&tr->graph, &op, 1, operand, MA_NDTYPE, NULL, &made));
  return made;
}

/* NaN is replaced, or left out by a mask, in front of the reduction. */
static void settle_nan(lua_State *L, tracing *tr, const ma_lua_reduction *r, ma_operand *value, ma_operand *mask, bool *masked) {
  if (ma_dtypes[ma_graph_dtype(&tr->graph, *value)].kind < MA_KIND_FLOAT) return;
  if (r->nan_as_0 || r->nan_as_1) {
    ma_operand number;
    ma_arg scalar = { .value = { .i = r->nan_as_1 }, .dtype = MA_INT64, .weak = MA_WEAK_INT };
    ma_lua_check(L, ma_graph_number(&tr->graph, -1, &scalar, true, &number));
    *value = apply(L, tr, MA_OP_where, apply(L, tr, MA_OP_isnan, *value, *value, *value), number, *value);
  } else if (r->nan_left_out) {
    ma_operand isnan = apply(L, tr, MA_OP_isnan, *value, *value, *value), valid = apply(L, tr, MA_OP_logical_not, isnan, isnan, isnan);
    *mask = *masked ? apply(L, tr, MA_OP_logical_and, valid, *mask, valid) : valid;
    *masked = true;
  }
}

int ma_lua_trace_reduce(lua_State *L, const ma_lua_reduction *r) {
  ma_traced_reduce reduce;
  ma_operand value, mask, made;
  tracing *tr = find_tracing(L, 1, 1);
  if (!tr && r->where) tr = find_tracing(L, r->where, 1);
  if (!tr) return 0;
  read_operand(L, 1, tr, &value);
  refuse(L, r->out, "out");
  if (r->answers && lua_isnil(L, r->axis) && lua_isnil(L, r->keepdims))
    return ma_lua_fail(L, "a Lua boolean of what is not computed yet; with an axis, or {keepdims = false}, the result is an array");
  if (r->nan_left_out && ma_reduces[r->op].flags & MA_REDF_POSITION) return ma_lua_failtraced(L);
  read_reduce_options(L, r, &reduce);
  bool everything = r->where && lua_isboolean(L, r->where) && lua_toboolean(L, r->where);
  bool masked = !everything && read_where(L, r->where, tr, &mask);
  if (masked && !reduce.has_initial && !(ma_reduces[r->op].flags & MA_REDF_EMPTY))
    return ma_lua_fail(L, "where without initial; %s has no identity, so initial must say what nothing gives", ma_reduces[r->op].name);
  if (value.kind == MA_TRACED_NUMBER)
    ma_lua_check(L, ma_graph_cast(&tr->graph, value, data_dtype(L, &tr->graph.number[value.id]), &value));
  settle_nan(L, tr, r, &value, &mask, &masked);
  reduce.op = (uint8_t)r->op;
  reduce.node = value.id;
  reduce.mask = masked ? mask.id : 255;
  ma_lua_check(L, ma_graph_reduce(&tr->graph, &reduce, &made));
  push_traced(L, tr->id, made);
  return 1;
}

/* ==== Metamethods of traced values =============================================================================== */

static bool is_identifier(const char *text) {
  if (!isalpha((unsigned char)*text) && *text != '_') return false;
  while (isalnum((unsigned char)*text) || *text == '_') text++;
  return !*text;
}

static int push_part(lua_State *L, tracing *tr, ma_operand operand, ma_opcode op) {
  push_traced(L, tr->id, apply(L, tr, op, operand, operand, operand));
  return 1;
}

/* Upvalue 2: the methods of arrays, where an attribute is a number. */
static int traced_index(lua_State *L) {
  const traced *t = to_traced(L, 1);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
  if (!t) return fail_use(L, NULL, "no value of a fused function");
  tracing *tr = tracing_of(L, t);
  if (!key || !is_identifier(key)) return fail_attribute(L, "an index", "elements and parts cannot be taken there: one trace serves all shapes");
  if (t->operand.kind == MA_TRACED_REDUCE)
    return fail_attribute(L, lua_pushfstring(L, "x.%s of the result of a reduction", key), "a reduction ends a fused function: return it");
  if (t->operand.kind == MA_TRACED_NUMBER)
    return fail_attribute(L, lua_pushfstring(L, "%s of a number", key), "numbers have no attributes and no methods");
  if (!strcmp(key, "dtype")) {
    lua_pushstring(L, ma_dtypes[ma_graph_dtype(&tr->graph, t->operand)].name);
    return 1;
  }
  if (!strcmp(key, "ndim")) {
    lua_pushinteger(L, ma_graph_ndim(&tr->graph, t->operand));
    return 1;
  }
  if (!strcmp(key, "real")) return push_part(L, tr, t->operand, MA_OP_real);
  if (!strcmp(key, "imag")) return push_part(L, tr, t->operand, MA_OP_imag);
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(2));
  if (lua_type(L, -1) == LUA_TNUMBER) return fail_attribute(L, lua_pushfstring(L, "x.%s", key), "it is not known there: one trace serves all shapes");
  if (!lua_isnil(L, -1)) return 1;
  return fail_attribute(L, lua_pushfstring(L, "no attribute '%s'", key), "dtype, ndim, real, imag and element-wise methods are there");
}

static int traced_newindex(lua_State *L) { return fail_attribute(L, "an assignment", "nothing is changed there: write ma.where(mask, value, x)"); }
static int traced_call(lua_State *L) { return fail_attribute(L, "x(...)", "elements have no values yet"); }
static int traced_len(lua_State *L) { return fail_attribute(L, "#x", "extents are not known there: one trace serves all shapes"); }
static int traced_tostring(lua_State *L) { return fail_attribute(L, "tostring", "a value is not computed yet"); }
static int traced_concat(lua_State *L) { return fail_attribute(L, "..", "a value is not computed yet"); }
static int traced_compare(lua_State *L) {
  return fail_attribute(L, "< or <=", "it sees no elements: write x:lt(y), x:le(y), x:gt(y) or x:ge(y)");
}

/* ==== Arguments of a call ======================================================================================== */

static fused *check_fused(lua_State *L) {
  fused *f = lua_type(L, 1) == LUA_TUSERDATA && lua_objlen(L, 1) == sizeof(fused) ? lua_touserdata(L, 1) : NULL;
  if (!f || f->magic != FUSED_MAGIC) {
    fail_use(L, "fuse", lua_pushfstring(L, "%s in place of the fused function; write f:clear()", ma_lua_describe(L, 1)));
    return NULL;
  }
  return f;
}

/* Is the value on top of the stack a table of options? Its keys are strings. */
static bool has_options(lua_State *L) {
  if (lua_type(L, -1) != LUA_TTABLE) return false;
  lua_pushnil(L);
  if (!lua_next(L, -2)) return true;
  bool named = lua_type(L, -2) == LUA_TSTRING;
  lua_pop(L, 2);
  return named;
}

/* Leaves `out` in the place of the table on top; returns the stream, NULL: the current one. */
static ma_stream *read_options(lua_State *L) {
  ma_stream *stream = NULL;
  int table = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    if (strcmp(name, "out") && strcmp(name, "stream")) ma_lua_fail(L, "no option '%s'; the options are out, stream", name);
    if (!strcmp(name, "stream")) stream = ma_lua_optstream(L, -1);
    lua_pop(L, 1);
  }
  lua_getfield(L, table, "out");
  lua_replace(L, table);
  return stream;
}

/* Everything but an array: a table becomes one, in its slot. */
static uint8_t read_scalar(lua_State *L, int slot, ma_arg *arg, ma_device *device) {
  if (lua_isnil(L, slot)) ma_lua_fail(L, "argument %d is nil; wanted an array or a number", slot - 1);
  if (lua_isboolean(L, slot)) ma_lua_fail(L, "argument %d is a boolean; wanted an array or a number", slot - 1);
  if (ma_lua_toarray(L, slot)) ma_lua_checkarray(L, slot);        /* a freed one: the error says so */
  if (lua_type(L, slot) == LUA_TTABLE) {
    arg->array = ma_lua_asarray_on(L, slot, MA_NDTYPE, device);
    arg->weak = MA_STRONG;
    return arg->array->dtype;
  }
  if (!ma_lua_tovalue(L, slot, &arg->value, &arg->dtype, &arg->weak))
    ma_lua_fail(L, "argument %d is %s; wanted an array or a number", slot - 1, ma_lua_describe(L, slot));
  uint8_t object = lua_type(L, slot) == LUA_TNUMBER ? 0 : KIND_OBJECT;
  return (uint8_t)(object | (arg->weak == MA_STRONG ? KIND_STRONG | (unsigned)arg->dtype : KIND_NUMBER | (unsigned)arg->weak));
}

/* Slots 2 .. narg + 1. Returns the device of the arrays, NULL without any. */
static ma_device *read_arguments(lua_State *L, int narg, ma_arg *arg, uint8_t *kind) {
  ma_device *device = NULL;
  bool all = true;
  for (int k = 0; k < narg; k++) {
    const ma_array *array = ma_lua_toarray(L, k + 2);
    arg[k].array = array && array->buffer ? array : NULL;
    if (!arg[k].array) {
      all = false;
      continue;
    }
    arg[k].weak = MA_STRONG;
    kind[k] = array->dtype;
    if (!device) device = array->buffer->device;
  }
  for (int k = 0; k < narg && !all; k++)
    if (!arg[k].array) kind[k] = read_scalar(L, k + 2, &arg[k], device ? device : ma_lua_device(L));
  return device;
}

/* ==== Tracing ==================================================================================================== */

static void describe_kinds(lua_State *L, int narg, const ma_arg *arg) {
  static const char *const weak[] = { "", "integer", "float", "complex number" };
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  luaL_addchar(&buffer, '(');
  for (int k = 0; k < narg; k++) {
    if (k) luaL_addstring(&buffer, ", ");
    luaL_addstring(&buffer, arg[k].array ? ma_dtypes[arg[k].array->dtype].name
                                         : arg[k].weak != MA_STRONG ? weak[arg[k].weak] : ma_dtypes[arg[k].dtype].name);
    if (arg[k].array) luaL_addstring(&buffer, " array");
  }
  luaL_addchar(&buffer, ')');
  luaL_pushresult(&buffer);
}

/* Pushes a traced value for each argument. */
static void push_arguments(lua_State *L, tracing *tr, int narg, const ma_arg *arg, const uint8_t *kind) {
  for (int k = 0; k < narg; k++) {
    ma_operand operand;
    if (arg[k].array) ma_lua_check(L, ma_graph_input(&tr->graph, k, (ma_dtype)arg[k].array->dtype, arg[k].array->ndim, &operand));
    else ma_lua_check(L, ma_graph_number(&tr->graph, k, &arg[k], !(kind[k] & KIND_OBJECT), &operand));
    push_traced(L, tr->id, operand);
  }
}

static void read_result(lua_State *L, int index, int number, tracing *tr, ma_operand *operand) {
  ma_arg scalar = { .array = NULL };
  const traced *t = to_traced(L, index);
  if (t && t->id == tr->id) *operand = t->operand;
  else if (ma_lua_toarray(L, index)) ma_lua_fail(L, "result %d is an array that is no argument of the fused function; pass it as one", number);
  else if (lua_isboolean(L, index) || !ma_lua_tovalue(L, index, &scalar.value, &scalar.dtype, &scalar.weak))
    ma_lua_fail(L, "result %d is %s; wanted what was computed from the arguments", number, ma_lua_describe(L, index));
  else ma_lua_check(L, ma_graph_number(&tr->graph, -1, &scalar, lua_type(L, index) == LUA_TNUMBER, operand));
}

static const char *why_new(const fused *f, bool failed) {
  return !f->ntrace ? "the first call" : failed ? "a number of another kind of value" : "other dtypes, kinds of numbers or axes";
}

static void forget(lua_State *L, fused *f) {
  f->first = f->last = NULL;
  f->ntrace = 0;
  lua_getfenv(L, 1);
  lua_createtable(L, 1, 0);
  lua_rawgeti(L, -2, 0);
  lua_rawseti(L, -2, 0);
  lua_setfenv(L, 1);
  lua_pop(L, 1);
}

/* Files the plan of the results on top of the stack. */
static entry *file_trace(lua_State *L, fused *f, tracing *tr, int narg, const ma_arg *arg, const uint8_t *kind, int nresult, const ma_operand *result) {
  size_t size = sizeof(entry) + (size_t)ma_fused_parts(nresult, result) * sizeof(ma_fused_part);
  entry *e = lua_newuserdata(L, size);
  memset(e, 0, size);
  ma_lua_check(L, ma_fused_make(&tr->graph, nresult, result, &e->plan));
  e->narg = narg;
  e->uses_ndim = tr->graph.uses_ndim;
  memcpy(e->kind, kind, (size_t)narg);
  for (int k = 0; k < narg; k++) e->ndim[k] = arg[k].array ? arg[k].array->ndim : 0;
  if (f->ntrace >= MAX_TRACES) forget(L, f);
  e->index = f->ntrace + 1;
  lua_getfenv(L, 1);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, e->index);
  lua_pop(L, 1);                       /* the entry stays on the stack */
  e->next = f->first;
  f->first = f->last = e;
  f->ntrace = e->index;
  return e;
}

/* Runs the Lua function over stand-ins; leaves the new entry on the stack. An error of the function passes as it is. */
static entry *trace(lua_State *L, fused *f, int narg, const ma_arg *arg, const uint8_t *kind, const char *reason) {
  ma_lua *state = ma_lua_state(L);
  ma_operand result[MA_MAX_TRACE_RESULTS];
  tracing tr;
  tr.outer = state->tracing;
  tr.id = ++state->ntraced;
  tr.depth = tr.outer ? tr.outer->depth + 1 : 1;
  tr.inside = 0;
  if (tr.depth > MAX_DEPTH) ma_lua_fail(L, "%d fused functions traced inside each other; at most %d", tr.depth, MAX_DEPTH);
  ma_graph_clear(&tr.graph);
  luaL_checkstack(L, narg + 8, "too many arguments");
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, 0);
  lua_replace(L, -2);
  int base = lua_gettop(L) - 1;
  push_arguments(L, &tr, narg, arg, kind);
  state->tracing = &tr;
  int failed = lua_pcall(L, narg, LUA_MULTRET, 0);
  state->tracing = tr.outer;
  state->running = f->signature;
  if (failed) {
    lua_error(L);
    return NULL;
  }
  int nresult = lua_gettop(L) - base;
  if (!nresult) ma_lua_fail(L, "the function returned nothing; wanted what was computed from the arguments");
  if (nresult > MA_MAX_TRACE_RESULTS) ma_lua_fail(L, "%d results; at most %d", nresult, MA_MAX_TRACE_RESULTS);
  for (int k = 0; k < nresult; k++) read_result(L, base + 1 + k, k + 1, &tr, &result[k]);
  lua_settop(L, base);
  entry *e = file_trace(L, f, &tr, narg, arg, kind, nresult, result);
  if (ma_config_traces("fuse")) {
    describe_kinds(L, narg, arg);
    ma_trace("fuse", "%s%s: traced for %s; launches: %d, results: %d", f->signature->name, lua_tostring(L, -1), reason, e->plan.nrun, nresult);
    lua_pop(L, 1);
  }
  return e;
}

/* ==== Calls ====================================================================================================== */

static bool fits(const entry *e, int narg, const ma_arg *arg, const uint8_t *kind) {
  if (e->narg != narg || memcmp(e->kind, kind, (size_t)narg)) return false;
  for (int k = 0; k < narg && e->uses_ndim; k++)
    if (arg[k].array && arg[k].array->ndim != e->ndim[k]) return false;
  return true;
}

static bool holds(const entry *e, int narg, const ma_arg *arg, const uint8_t *kind, ma_arg *number, bool *failed) {
  if (!fits(e, narg, arg, kind)) return false;
  if (!e->plan.varies) return true;
  ma_fused_numbers(&e->plan, arg, number);
  if (ma_fused_holds(&e->plan, number)) return true;
  *failed = true;
  return false;
}

/* The trace for these arguments, with the numbers of this call; NULL without one. *failed: the guards of one said no. */
static entry *find_trace(fused *f, int narg, const ma_arg *arg, const uint8_t *kind, ma_arg *number, bool *failed) {
  *failed = false;
  if (f->last && holds(f->last, narg, arg, kind, number, failed)) return f->last;
  for (entry *e = f->first; e; e = e->next)
    if (e != f->last && holds(e, narg, arg, kind, number, failed)) return f->last = e;
  return NULL;
}

/* Pushes the results: what `out` (a slot, 0 for none) names, or new arrays. */
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
    if (!result[k] || !result[k]->buffer) ma_lua_fail(L, "out[%d] is %s; wanted an array", k + 1, ma_lua_describe(L, -1));
  }
}

/* With a traced value among the arguments the function is a part of another one. */
static int call_inside(lua_State *L, tracing *tr, int narg) {
  if (++tr->inside > MAX_DEPTH) return ma_lua_fail(L, "%d fused functions inside each other; at most %d", tr->inside, MAX_DEPTH);
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, 0);
  lua_replace(L, 1);
  lua_settop(L, narg + 1);
  lua_call(L, narg, LUA_MULTRET);
  tr->inside--;
  return lua_gettop(L);
}

static int fused_call(lua_State *L) {
  fused *f = check_fused(L);
  ma_arg arg[MA_MAX_TRACE_ARGS], number[MA_MAX_TRACE_NUMBERS];
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
  if (!narg) return ma_lua_fail(L, "no arguments; wanted arrays or numbers");
  if (narg > MA_MAX_TRACE_ARGS) return ma_lua_fail(L, "%d arguments; at most %d", narg, MA_MAX_TRACE_ARGS);
  tracing *tr = state->tracing ? find_tracing(L, 2, narg) : NULL;
  if (tr) {
    if (out && !lua_isnil(L, out)) return ma_lua_fail(L, "out inside a fused function; only the outer one takes it");
    return call_inside(L, tr, narg);
  }
  ma_device *device = read_arguments(L, narg, arg, kind);
  entry *e = find_trace(f, narg, arg, kind, number, &failed);
  if (e) {                             /* a finaliser may clear the traces while this one is in use */
    lua_getfenv(L, 1);
    lua_rawgeti(L, -1, e->index);
  } else {
    e = trace(L, f, narg, arg, kind, why_new(f, failed));
    for (int k = 0; k < narg; k++)     /* the function may have freed one */
      if (arg[k].array) ma_lua_checkarray(L, k + 2);
    if (e->plan.varies) ma_fused_numbers(&e->plan, arg, number);
  }
  if (!stream) stream = device ? ma_lua_stream_of(L, device) : ma_lua_stream(L);
  luaL_checkstack(L, MA_MAX_TRACE_RESULTS + 4, "too many results");
  int nresult = e->plan.nresult, tries = 0;
  push_results(L, out, nresult, result);
  ma_status status;
  do status = ma_fused_run(&e->plan, arg, number, result, stream);
  while (__builtin_expect(status != MA_OK, 0) && ma_lua_retry(L, status, &tries));
  ma_lua_check(L, status);
  return nresult;
}

/* ==== The object ================================================================================================= */

static void add_run(lua_State *L, luaL_Buffer *buffer, const ma_fused_part *run) {
  char text[8192];
  if (run->reduce >= 0) {
    snprintf(text, sizeof text, "-- %s of\n", ma_reduces[run->reduce].name);
    luaL_addstring(buffer, text);
  }
  ma_program_print(&run->program, text, sizeof text);
  luaL_addstring(buffer, text);
}

/* The programs of all traces, the newest first. */
static void push_programs(lua_State *L, const fused *f) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (const entry *e = f->first; e; e = e->next)
    for (int k = 0; k < e->plan.nrun; k++) add_run(L, &buffer, &e->plan.run[k]);
  luaL_pushresult(&buffer);
}

static int fused_clear(lua_State *L) {
  forget(L, check_fused(L));
  lua_settop(L, 1);
  return 1;
}

static int fused_index(lua_State *L) {
  const fused *f = check_fused(L);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (!strcmp(key, "traces")) lua_pushinteger(L, f->ntrace);
  else if (!strcmp(key, "name")) lua_pushstring(L, f->signature->name);
  else if (!strcmp(key, "cached_code")) push_programs(L, f);
  else if (!strcmp(key, "clear")) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, fused_clear, 1);
  } else return fail_use(L, "fuse", lua_pushfstring(L, "no attribute '%s'; a fused function has name, traces, cached_code and clear", key));
  return 1;
}

static int fused_tostring(lua_State *L) {
  const fused *f = check_fused(L);
  lua_pushfstring(L, "<fused function '%s', %d trace%s>", f->signature->name, f->ntrace, f->ntrace == 1 ? "" : "s");
  return 1;
}

/* fuse(fn, name?) */
static int fuse_new(lua_State *L) {
  ma_lua_args(L);
  if (lua_type(L, 1) != LUA_TFUNCTION) return ma_lua_fail(L, "%s; wanted a Lua function of arrays", ma_lua_describe(L, 1));
  size_t n = 4;
  const char *name = "fuse";
  if (!lua_isnil(L, 2)) name = lua_type(L, 2) == LUA_TSTRING ? lua_tolstring(L, 2, &n) : "";
  if (!is_identifier(name) || strlen(name) != n || n > 63)
    return ma_lua_fail(L, "name is %s; wanted an identifier of at most 63 letters", ma_lua_describe(L, 2));
  fused *f = lua_newuserdata(L, sizeof *f);
  *f = (fused){ FUSED_MAGIC, NULL, NULL, NULL, 0 };
  lua_createtable(L, 1, 0);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, 0);
  lua_setfenv(L, -2);
  f->signature = ma_lua_newsignature(L, lua_pushfstring(L, "%s(...)", name), false);
  lua_pop(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->fused_metatable);
  lua_setmetatable(L, -2);
  return 1;
}

static const ma_function functions[] = {
  { "fuse(fn, name?)", fuse_new, "A function of arrays as one kernel: recorded once for each combination of dtypes, element-wise operations with reductions at the end." },
  { NULL, NULL, NULL }
};

typedef struct metamethod { const char *name; lua_CFunction call; } metamethod;

static void set_metamethods(lua_State *L, int reference, const metamethod *list, const char *type) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
  for (; list->name; list++) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->methods);
    lua_pushcclosure(L, list->call, 2);
    lua_setfield(L, -2, list->name);
  }
  lua_pushstring(L, type);
  lua_setfield(L, -2, "__metatable");
}

void ma_open_fuse(lua_State *L) {
  static const metamethod of_traced[] = {
    { "__index", traced_index }, { "__newindex", traced_newindex }, { "__call", traced_call }, { "__len", traced_len },
    { "__tostring", traced_tostring }, { "__concat", traced_concat }, { "__lt", traced_compare }, { "__le", traced_compare }, { NULL, NULL },
  };
  static const metamethod of_fused[] = { { "__call", fused_call }, { "__index", fused_index }, { "__tostring", fused_tostring }, { NULL, NULL } };
  static const char *const shared[] = { "__add", "__sub", "__mul", "__div", "__mod", "__pow", "__unm" };
  const ma_lua *state = ma_lua_state(L);
  set_metamethods(L, state->traced_metatable, of_traced, "moonarray traced value");
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->array_metatable);
  for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
    lua_getfield(L, -1, shared[k]);
    lua_setfield(L, -3, shared[k]);
  }
  lua_pop(L, 2);
  set_metamethods(L, state->fused_metatable, of_fused, "moonarray fused function");
  lua_pop(L, 1);
  ma_lua_register(L, functions);
}
