/* traced.c: traced values, which stand in for arrays and numbers while a function is recorded (src/kernel/trace.c
** has the tape): their operators, functions and reductions, and errors for everything that cannot be recorded. */
#include "bind/kernel/fuse.h"
#include "program/loop.h"

#include <ctype.h>
#include <string.h>

#define TRACED_MAGIC 0x6d61747261636564u

/* ==== Errors ===================================================================================================== */

traced *ma_traced_at(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_objlen(L, index) != sizeof(traced)) return NULL;
  traced *t = lua_touserdata(L, index);
  return t->magic == TRACED_MAGIC ? t : NULL;
}

static bool is_traced(lua_State *L, int index) { return ma_traced_at(L, index) != NULL; }

/* The name of the library's closure on top of the stack, which is popped; NULL if it is another function or has no
** name. */
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

/* The outermost function of the library between here and the user's code: `unwrap` if cumsum was called inside of
** it. */
const char *ma_traced_outer(lua_State *L) {
  const ma_lua *state = ma_lua_state(L);
  const char *name = NULL;
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame) && lua_getinfo(L, "Sf", &frame); level++) {
    if (lua_tocfunction(L, -1) == ma_record_run) { /* beyond it is who differentiates */
      lua_pop(L, 1);
      break;
    }
    const char *found = name_of_closure(L, state);
    if (found) name = found;
    if (*frame.what != 'C' && !ma_lua_isown(state, frame.source)) break;
  }
  return name;
}

int ma_traced_fail(lua_State *L, const char *name, const char *text) {
  ma_lua_where(L);
  if (name) lua_pushfstring(L, "moonarray.%s: %s", name, text);
  else lua_pushfstring(L, "moonarray: %s", text);
  lua_concat(L, 2);
  return lua_error(L);
}

#define RETURNED "a value of a fused function that has returned; values live while the function runs"

#define PARTS "element-wise operations can, and reductions at the end"

static int fail_traced(lua_State *L) {
  if (!ma_lua_state(L)->tracing) return ma_traced_fail(L, ma_traced_outer(L), RETURNED);
  return ma_traced_fail(L, ma_traced_outer(L), "cannot be part of a fused function; " PARTS);
}

/* For x.shape, x[1], tostring(x): in the user's function, or in one of the library that looks at them. */
static int fail_attribute(lua_State *L, const char *what, const char *why) {
  const char *name = ma_traced_outer(L);
  return ma_traced_fail(L, name,
                        name
                          ? lua_pushfstring(L, "cannot be part of a fused function, since it asks for %s; " PARTS, what)
                          : lua_pushfstring(L, "%s inside a fused function; %s", what, why));
}

/* ==== Traced values ============================================================================================== */

static tracing *tracing_of(lua_State *L, const traced *t) {
  tracing *found = ma_lua_state(L)->tracing;
  while (found && found->id != t->id) found = found->outer;
  if (!found) ma_traced_fail(L, ma_traced_outer(L), RETURNED);
  return found;
}

void ma_tracing_begin(lua_State *L, tracing *tr) {
  ma_lua *state = ma_lua_state(L);
  tr->outer = state->tracing;
  tr->id = ++state->ntraced;
  tr->depth = tr->outer ? tr->outer->depth + 1 : 1;
  tr->inside = tr->ntest = 0;
  tr->stencil = NULL;
  tr->reduced = tr->elementwise = tr->chooses = tr->refused = tr->may_draw = tr->records = false;
  tr->narg = tr->ndim = 0;
  tr->drawn = NULL;
  tr->narray = tr->slot = 0;
  tr->arrays = LUA_NOREF;
  tr->draws = LUA_NOREF;
  tr->site = 0;
  tr->turn = 0;
  ma_tape_clear(&tr->tape);
}

void ma_traced_push(lua_State *L, uint32_t id, ma_operand operand) {
  traced *t = lua_newuserdata(L, sizeof *t);
  *t = (traced){ TRACED_MAGIC, id, operand };
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->traced_metatable);
  lua_setmetatable(L, -2);
}

tracing *ma_traced_tracing(lua_State *L, int first, int n) {
  for (int k = first; k < first + n; k++) {
    const traced *t = ma_traced_at(L, k);
    if (t) return tracing_of(L, t);
  }
  return NULL;
}

int ma_traced_dtype(lua_State *L) {
  const traced *t = ma_traced_at(L, 1);
  const ma_array *array = ma_lua_toarray(L, 1);
  if (t) {
    const ma_tape *tape = &tracing_of(L, t)->tape;
    bool node = t->operand.kind == MA_TRACED_NODE, number = t->operand.kind == MA_TRACED_NUMBER;
    ma_dtype dtype = node     ? ma_tape_dtype(tape, t->operand)
                     : number ? (ma_dtype)tape->number[t->operand.id].dtype
                              : MA_NDTYPE;
    lua_pushstring(L, node || dtype == MA_BOOL ? ma_dtypes[dtype].name : "");
    int weak = number ? tape->number[t->operand.id].weak : MA_STRONG;
    if (weak == MA_WEAK_INT || weak == MA_WEAK_FLOAT) lua_pushstring(L, weak == MA_WEAK_INT ? "int" : "float");
    else lua_pushnil(L);
    lua_pushboolean(L, true);
    return 3;
  } else if (array) ma_lua_pushdtype(L, (ma_dtype)array->dtype);
  else lua_pushnil(L);
  return 1;
}

/* The operand of an array from outside; false if the value is none that can be an input. */
static bool capture(lua_State *L, int index, tracing *tr, ma_operand *operand) {
  return tr->stencil ? ma_stencil_capture(L, index, tr, operand) : ma_fuse_capture(L, index, tr, operand);
}

static void read_operand(lua_State *L, int index, tracing *tr, ma_operand *operand) {
  ma_arg scalar = { .array = NULL };
  const traced *t = ma_traced_at(L, index);
  if (t) {
    if (tracing_of(L, t) != tr) ma_lua_fail(L, "a value of another fused function; pass it as an argument");
    if (t->operand.kind == MA_TRACED_REDUCE) {
      tr->reduced = true;
      ma_lua_fail(L, "the result of a reduction; a reduction ends a recording: return it");
    }
    *operand = t->operand;
    return;
  }
  if (capture(L, index, tr, operand)) return;
  if (ma_lua_toarray(L, index)) ma_lua_fail(L, "an array of another shape than the fields; wanted theirs, or no axes");
  if (lua_istable(L, index))
    ma_lua_fail(L, "a table beside an argument of a fused function; pass it as an argument too");
  if (!ma_lua_tovalue(L, index, &scalar.value, &scalar.dtype, &scalar.weak))
    ma_lua_fail(L, "%s is %s; wanted an array or a number", ma_lua_argname(L, index), ma_lua_describe(L, index));
  ma_lua_check(L, ma_tape_number(&tr->tape, -1, &scalar, lua_type(L, index) == LUA_TNUMBER, operand));
}

static bool read_where(lua_State *L, int slot, tracing *tr, ma_operand *where) {
  if (!slot || lua_isnil(L, slot)) return false;
  if (!ma_traced_at(L, slot) && !ma_lua_toarray(L, slot))
    ma_lua_fail(L, "where is %s; wanted a bool array", ma_lua_describe(L, slot));
  read_operand(L, slot, tr, where);
  if (where->kind != MA_TRACED_NODE || ma_tape_dtype(&tr->tape, *where) != MA_BOOL)
    ma_lua_fail(L, "where is no bool; wanted a bool array");
  return true;
}

static void refuse(lua_State *L, int slot, const char *what) {
  if (slot && !lua_isnil(L, slot))
    ma_lua_fail(L, "%s inside a fused function; only the fused function itself takes it", what);
}

/* Whether it is a boolean, or one that the function computes from numbers alone. */
static bool is_boolean(lua_State *L, int index, const tracing *tr) {
  const traced *t = ma_traced_at(L, index);
  return t ? t->operand.kind == MA_TRACED_NUMBER && tr->tape.number[t->operand.id].dtype == MA_BOOL
           : lua_isboolean(L, index);
}

static void refuse_booleans(lua_State *L, int first, int n, const tracing *tr) {
  for (int k = first; k < first + n; k++)
    if (is_boolean(L, k, tr))
      ma_lua_fail(L, "%s is a boolean; Lua's ==, < and not see no elements: write x:eq(0), x:lt(y)",
                  ma_lua_argname(L, k));
}

/* Whether a value is neither an array nor a table, and would not become an array. */
static bool is_alone(lua_State *L, int index) {
  const traced *t = ma_traced_at(L, index);
  return t ? t->operand.kind == MA_TRACED_NUMBER : ma_lua_arenumbers(L, index, index);
}

static int trace_apply(lua_State *L, const ma_opcode *op, int nout, int first, int out, int dtype, int where,
                       int casting) {
  ma_operand operand[MA_MAX_ARITY], mask, made[MA_MAX_OUTPUTS];
  int nin = ma_ops[op[0]].nin;
  tracing *tr = ma_traced_tracing(L, first, nin);
  if (!tr && where) tr = ma_traced_tracing(L, where, 1);
  if (!tr && out) tr = ma_traced_tracing(L, out, 1);
  if (!tr) return ma_record_apply(L, op, nout, first, out, dtype, where, casting);
  refuse(L, out, "out");
  refuse(L, casting, "casting");
  bool alone = true;
  for (int k = first; k < first + nin; k++) alone &= is_alone(L, k);
  if (casting && !alone)
    refuse_booleans(L, first, nin, tr); /* core.operation, without casting, takes booleans as data */
  for (int k = 0; k < nin; k++) read_operand(L, first + k, tr, &operand[k]);
  ma_dtype forced = dtype ? ma_lua_checkdtype(L, dtype, MA_NDTYPE) : MA_NDTYPE;
  bool chooses = forced == MA_NDTYPE && ma_loop_chooses(op[0]) && operand[0].kind == MA_TRACED_NODE;
  if (chooses && ma_lua_isprograms(L, "where")) ma_lua_check(L, ma_tape_constants(&tr->tape, 2, operand + 1, &forced));
  bool masked = read_where(L, where, tr, &mask);
  ma_lua_check(L, ma_tape_apply(&tr->tape, op, nout, operand, forced, masked ? &mask : NULL, made));
  ma_rule_note(L, tr, op[0], made[0]);
  for (int k = 0; k < nout; k++) ma_traced_push(L, tr->id, made[k]);
  return nout;
}

/* Whether it is a number of the program, or a Lua number. */
static bool is_number(lua_State *L, int index) {
  const traced *t = ma_traced_at(L, index);
  return t ? t->operand.kind == MA_TRACED_NUMBER : lua_type(L, index) == LUA_TNUMBER;
}

/* The operator of a table on the right that has one of its own, such as a vector of elements. Returns the number of
** results, 0 for another value. */
static int operate_table(lua_State *L, ma_opcode op) {
  const char *metamethod = NULL;
  switch (op) {
#define OPERATOR(name, event, ...) \
  case MA_OP_##name:               \
    metamethod = event;            \
    break;
#include "kernels/ops.def"
  default: break;
  }
  if (!metamethod || !lua_istable(L, 2) || !luaL_getmetafield(L, 2, metamethod)) return 0;
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 1);
  return 1;
}

static int trace_operator(lua_State *L, ma_opcode op) {
  int nin = ma_ops[op].nin;
  tracing *tr = ma_traced_tracing(L, 1, nin);
  if (!tr) return ma_record_apply(L, &op, 1, 1, 0, 0, 0, 0);
  if (nin > 1 && operate_table(L, op)) return 1;
  if (!is_number(L, 1) || (nin > 1 && !is_number(L, 2))) {
    refuse_booleans(L, 1, nin, tr);
    return trace_apply(L, &op, 1, 1, 0, 0, 0, 0);
  }
  ma_operand operand[2], made;
  for (int k = 0; k < 2; k++) {
    read_operand(L, nin > 1 ? k + 1 : 1, tr, &operand[k]);
    if (!tr->tape.number[operand[k].id].plain)
      ma_lua_fail(L,
                  "a boolean, a complex number or an int64 in arithmetic of numbers alone; compute it before the call");
  }
  ma_lua_check(L, ma_tape_arithmetic(&tr->tape, op, operand[0], operand[1], &made));
  ma_traced_push(L, tr->id, made);
  return 1;
}

/* The dtype of a number among numbers alone. */
static ma_dtype number_dtype(const ma_number *number) { return number->plain ? MA_FLOAT64 : (ma_dtype)number->dtype; }

static int trace_numbers(lua_State *L, int n) {
  tracing *tr = ma_traced_tracing(L, 2, n);
  for (int k = 2; k < n + 2 && tr; k++)
    if (!lua_isnil(L, k) && !is_alone(L, k)) tr = NULL;
  if (!tr) return -1;
  bool before = tr->elementwise;
  tr->elementwise = true;
  int failed = lua_pcall(L, n, LUA_MULTRET, 0);
  tr->elementwise = before;
  if (failed) return lua_error(L);
  return lua_gettop(L);
}

/* A number as data has the default dtype, as in ma.asarray(2). */
static ma_dtype data_dtype(lua_State *L, const ma_number *number) {
  ma_dtype real = ma_lua_state(L)->default_dtype;
  if (number->weak == MA_WEAK_COMPLEX) return real == MA_FLOAT64 ? MA_COMPLEX128 : MA_COMPLEX64;
  return number->plain ? real : (ma_dtype)number->dtype;
}

static int trace_cast(lua_State *L, ma_dtype dtype) {
  ma_operand operand;
  tracing *tr = ma_traced_tracing(L, 1, 1);
  read_operand(L, 1, tr, &operand);
  bool number = operand.kind == MA_TRACED_NUMBER;
  if (number && tr->elementwise && dtype == MA_NDTYPE) {
    lua_settop(L, 1);
    return 1;
  }
  if (dtype == MA_NDTYPE && number) dtype = data_dtype(L, &tr->tape.number[operand.id]);
  if (dtype != MA_NDTYPE) ma_lua_check(L, ma_tape_cast(&tr->tape, operand, dtype, &operand));
  ma_traced_push(L, tr->id, operand);
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
  reduce->initial_weak = (uint8_t)weak;
}

static ma_operand apply(lua_State *L, tracing *tr, ma_opcode op, ma_operand a, ma_operand b, ma_operand c) {
  ma_operand operand[MA_MAX_ARITY] = { a, b, c }, made = a;
  ma_lua_check(L, ma_tape_apply(&tr->tape, &op, 1, operand, MA_NDTYPE, NULL, &made));
  return made;
}

/* Before the reduction, NaN is replaced, or is left out by a mask. */
static void settle_nan(lua_State *L, tracing *tr, const ma_lua_reduction *r, ma_operand *value, ma_operand *mask,
                       bool *masked) {
  if (ma_dtypes[ma_tape_dtype(&tr->tape, *value)].kind < MA_KIND_FLOAT) return;
  if (r->nan_as_0 || r->nan_as_1) {
    ma_operand number;
    ma_arg scalar = { .value = { .i = r->nan_as_1 }, .dtype = MA_INT64, .weak = MA_WEAK_INT };
    ma_lua_check(L, ma_tape_number(&tr->tape, -1, &scalar, true, &number));
    *value = apply(L, tr, MA_DO_choose, apply(L, tr, MA_DO_is_nan, *value, *value, *value), number, *value);
  } else if (r->nan_left_out) {
    ma_operand isnan = apply(L, tr, MA_DO_is_nan, *value, *value, *value),
               valid = apply(L, tr, MA_DO_not, isnan, isnan, isnan);
    *mask = *masked ? apply(L, tr, MA_DO_both, valid, *mask, valid) : valid;
    *masked = true;
  }
}

static int trace_reduce(lua_State *L, const ma_lua_reduction *r) {
  ma_traced_reduce reduce;
  ma_operand value, mask, made;
  tracing *tr = ma_traced_tracing(L, 1, 1);
  if (!tr && r->where) tr = ma_traced_tracing(L, r->where, 1);
  if (!tr) return 0;
  read_operand(L, 1, tr, &value);
  refuse(L, r->out, "out");
  if (r->answers && lua_isnil(L, r->axis) && lua_isnil(L, r->keepdims))
    return ma_lua_fail(
      L, "a Lua boolean of what is not computed yet; with an axis, or {keepdims = false}, the result is an array");
  if (r->nan_left_out && ma_reduces[r->op].flags & MA_REDF_POSITION) return fail_traced(L);
  read_reduce_options(L, r, &reduce);
  bool everything = r->where && lua_isboolean(L, r->where) && lua_toboolean(L, r->where);
  bool masked = !everything && read_where(L, r->where, tr, &mask);
  if (masked && !reduce.has_initial && !(ma_reduces[r->op].flags & MA_REDF_EMPTY))
    return ma_lua_fail(L, "where without initial; %s has no identity, so initial must say what nothing gives",
                       ma_reduces[r->op].name);
  if (value.kind == MA_TRACED_NUMBER)
    ma_lua_check(L, ma_tape_cast(&tr->tape, value, data_dtype(L, &tr->tape.number[value.id]), &value));
  settle_nan(L, tr, r, &value, &mask, &masked);
  reduce.op = (uint8_t)r->op;
  reduce.node = value.id;
  reduce.mask = masked ? mask.id : 255;
  ma_lua_check(L, ma_tape_reduce(&tr->tape, &reduce, &made));
  ma_traced_push(L, tr->id, made);
  return 1;
}

/* ==== Metamethods of traced values =============================================================================== */

bool ma_lua_isidentifier(const char *text) {
  if (!isalpha((unsigned char)*text) && *text != '_') return false;
  while (isalnum((unsigned char)*text) || *text == '_') text++;
  return !*text;
}

static int push_part(lua_State *L, tracing *tr, ma_operand operand, ma_opcode op) {
  ma_traced_push(L, tr->id, apply(L, tr, op, operand, operand, operand));
  return 1;
}

/* Upvalue 2: the methods of arrays; a number stands for an attribute. */
static int traced_index(lua_State *L) {
  const traced *t = ma_traced_at(L, 1);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
  if (!t) return ma_traced_fail(L, NULL, "no value of a fused function");
  tracing *tr = tracing_of(L, t);
  if (!key || !ma_lua_isidentifier(key))
    return fail_attribute(L, "an index", "elements and parts cannot be taken there: one trace serves all shapes");
  if (t->operand.kind == MA_TRACED_REDUCE) {
    tr->reduced = true;
    return fail_attribute(L, lua_pushfstring(L, "x.%s of the result of a reduction", key),
                          "a reduction ends a recording: return it");
  }
  if (t->operand.kind == MA_TRACED_NUMBER && tr->elementwise && !strcmp(key, "dtype")) {
    ma_lua_pushdtype(L, number_dtype(&tr->tape.number[t->operand.id]));
    return 1;
  }
  if (t->operand.kind == MA_TRACED_NUMBER)
    return fail_attribute(L, lua_pushfstring(L, "%s of a number", key), "numbers have no attributes and no methods");
  if (!strcmp(key, "dtype")) {
    ma_lua_pushdtype(L, ma_tape_dtype(&tr->tape, t->operand));
    return 1;
  }
  if (!strcmp(key, "ndim")) {
    lua_pushinteger(L, ma_tape_ndim(&tr->tape, t->operand));
    return 1;
  }
  if (!strcmp(key, "real")) return push_part(L, tr, t->operand, MA_DO_real_part);
  if (!strcmp(key, "imag")) return push_part(L, tr, t->operand, MA_DO_imaginary_part);
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(2));
  if (lua_type(L, -1) == LUA_TNUMBER)
    return fail_attribute(L, lua_pushfstring(L, "x.%s", key), "it is not known there: one trace serves all shapes");
  if (!lua_isnil(L, -1) || ma_lua_latermethod(L)) return 1;
  return fail_attribute(L, lua_pushfstring(L, "no attribute '%s'", key),
                        "dtype, ndim, real, imag and element-wise methods are there");
}

static int traced_newindex(lua_State *L) {
  return fail_attribute(L, "an assignment", "nothing is changed there: write ma.where(mask, value, x)");
}
static int traced_call(lua_State *L) { return fail_attribute(L, "x(...)", "elements have no values yet"); }
static int traced_len(lua_State *L) {
  return fail_attribute(L, "#x", "extents are not known there: one trace serves all shapes");
}

/* For print(x), which C++ can say. */
static int traced_tostring(lua_State *L) {
  if (ma_traced_outer(L)) return fail_attribute(L, "tostring", "");
  ma_lua_where(L);
  lua_pushliteral(L, "moonarray: tostring inside a fused function; a value is not computed yet");
  lua_concat(L, 2);
  ma_lua_callcore(L, "beyond", 1, 0);
  return 0;
}
static int traced_concat(lua_State *L) { return fail_attribute(L, "..", "a value is not computed yet"); }
static int traced_compare(lua_State *L) {
  return fail_attribute(L, "< or <=", "it sees no elements: write x:lt(y), x:le(y), x:gt(y) or x:ge(y)");
}

/* Of two values; beside anything else == calls no metamethod (lua/moonarray/element looks for that). */
static int traced_equal(lua_State *L) {
  return fail_attribute(L, "== or ~=", "it sees no elements: write x:eq(y) or x:ne(y)");
}

/* core.array_element(value): the stand-in of an array from outside in the function that is recorded; the value itself
** if there is none. */
static int array_element(lua_State *L) {
  tracing *tr = ma_lua_state(L)->tracing;
  ma_operand operand;
  lua_settop(L, 1);
  if (tr && tr->may_draw && capture(L, 1, tr, &operand)) ma_traced_push(L, tr->id, operand);
  return 1;
}

/* core.struct_element(view, field): in the function that is recorded, the stand-in of a field of structs, or what it
** calls for the elements of one. */
static int struct_element(lua_State *L) {
  tracing *tr = ma_lua_state(L)->tracing;
  ma_operand operand;
  if (!tr) return ma_lua_fail(L, "a struct of a function that has returned; structs live while the function runs");
  if (tr->stencil) ma_stencil_pushmember(L, 1, 2, tr);
  else {
    ma_fuse_member(L, 1, 2, tr, &operand);
    ma_traced_push(L, tr->id, operand);
  }
  return 1;
}

/* core.outside_element(value, place): the stand-in of a number from outside; place counts from 0. */
static int outside_element(lua_State *L) {
  tracing *tr = ma_lua_state(L)->tracing;
  ma_arg number = { .array = NULL };
  ma_operand operand;
  int place = (int)lua_tointeger(L, 2);
  if (!tr || place >= MA_MOST_OUTSIDE) return ma_lua_fail(L, "more than %d numbers from outside", MA_MOST_OUTSIDE);
  ma_lua_tovalue(L, 1, &number.value, &number.dtype, &number.weak);
  ma_lua_check(L, ma_tape_outside(&tr->tape, MA_MAX_TRACE_ARGS + place, &number, &operand));
  ma_traced_push(L, tr->id, operand);
  return 1;
}

const ma_lua_standin ma_traced_standin = {
  .is = is_traced,
  .fail = fail_traced,
  .fail_draw = ma_draw_refuse,
  .apply = trace_apply,
  .operate = trace_operator,
  .numbers = trace_numbers,
  .cast = trace_cast,
  .reduce = trace_reduce,
  .record = ma_record_call,
};

void ma_open_traced(lua_State *L) {
  static const luaL_Reg of_traced[] = {
    { "__index", traced_index },       { "__newindex", traced_newindex },
    { "__call", traced_call },         { "__len", traced_len },
    { "__tostring", traced_tostring }, { "__concat", traced_concat },
    { "__lt", traced_compare },        { "__le", traced_compare },
    { "__eq", traced_equal },          { NULL, NULL },
  };
  static const char *const shared[] = {
#define OPERATOR(op, metamethod, ...) metamethod,
#include "kernels/ops.def"
  };
  ma_lua_pushplain(L, "fuse(...)", false, array_element, 0);
  ma_lua_file(L, "core.array_element");
  ma_lua_pushplain(L, "fuse(...)", false, struct_element, 0);
  ma_lua_file(L, "core.struct_element");
  ma_lua_pushplain(L, "fuse(...)", false, outside_element, 0);
  ma_lua_file(L, "core.outside_element");
  const ma_lua *state = ma_lua_state(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->traced_metatable);
  for (const luaL_Reg *m = of_traced; m->name; m++) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->methods);
    lua_pushcclosure(L, m->func, 2);
    lua_setfield(L, -2, m->name);
  }
  lua_pushliteral(L, "moonarray traced value");
  lua_setfield(L, -2, "__metatable");
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->array_metatable);
  for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
    lua_getfield(L, -1, shared[k]);
    lua_setfield(L, -3, shared[k]);
  }
  lua_pop(L, 2);
}
