/*
** ufunc.c: operations on arrays in Lua: a callable object for each row of ops.def, the operators of arrays, the methods
** of the same names, and the in-place forms. `a + b` and `ma.add(a, b, {out = c})` are the most frequent calls: they
** check their operands and pass them directly to the core.
*/
#include "program/loop.h"
#include "bind/lua/noted.h"
#include "bind/lua/tag.h"
#include "bind/ops/ufunc.h"

#include <math.h>
#include <string.h>

#define UFUNC_MAGIC 0x6d615f7566756e63u

static ma_ufunc *to_ufunc(lua_State *L, int index) {
  ma_ufunc *u = lua_touserdata(L, index);
  if (!u || lua_objlen(L, index) != sizeof *u) return NULL; /* 0 for a light userdata */
  return u->magic == UFUNC_MAGIC ? u : NULL;
}

/* ==== Operands and results ======================================================================================= */

static bool is_inexact(const ma_arg *arg) {
  if (arg->array) return ma_dtypes[arg->array->dtype].kind >= MA_KIND_FLOAT;
  return arg->weak == MA_WEAK_COMPLEX || (arg->weak == MA_WEAK_FLOAT && arg->value.c.re != 0);
}

/* -0 is read as a float, to keep its sign. Beside integers alone it becomes the integer 0, like any whole number. */
static void settle_zero(ma_arg *arg, int nin) {
  for (int k = 0; k < nin; k++) {
    if (arg[k].array || arg[k].weak != MA_WEAK_FLOAT || arg[k].value.c.re != 0) continue;
    bool inexact = false, any = false;
    for (int j = 0; j < nin; j++) inexact |= is_inexact(&arg[j]), any |= arg[j].array != NULL;
    if (inexact || !any) continue;
    arg[k] = (ma_arg){ .array = NULL, .value = { .i = 0 }, .dtype = MA_INT64, .weak = MA_WEAK_INT };
  }
}

/* Reads `nin` operands from slot `first` on; tables become arrays on the device of the other arrays. Returns that
** device's stream. */
static ma_stream *read_operands(lua_State *L, const ma_lua *state, int first, int nin, ma_arg *arg) {
  ma_device *device = NULL;
  int narray = 0;
  for (int k = 0; k < nin; k++) {
    const ma_array *array = ma_lua_arrayat(L, first + k);
    arg[k].array = array;
    if (!array || !array->buffer) continue;
    arg[k].weak = MA_STRONG;
    if (!device) device = array->buffer->device;
    narray++;
  }
  if (device && narray == nin) return ma_lua_stream_in(state, device);
  if (!device) device = ma_lua_device(L);
  for (int k = 0; k < nin; k++)
    if (!arg[k].array || !arg[k].array->buffer) ma_lua_checkarg_on(L, first + k, &arg[k], device);
  settle_zero(arg, nin);
  return ma_lua_stream_in(state, device);
}

/* ==== Calls ====================================================================================================== */

/* Whether out and the options behind it are nil. */
static bool asks_nothing(lua_State *L, int out, uint32_t given) {
  for (int k = out; given && k < out + 4; k++)
    if (!lua_isnil(L, k)) return false;
  return true;
}

/* The stack is arranged: operands, out, dtype, where, casting. Slots without a bit in `given` are nil. */
static int call_arranged(lua_State *L, const ma_ufunc *u, uint32_t given) {
  ma_arg arg[MA_MAX_ARITY];
  ma_array *result[MA_MAX_OUTPUTS];
  int out = u->nin + 1;
  if (u->state->tracing) {
    int traced = u->state->standin->apply(L, u->op, u->nout, 1, out, out + 1, out + 2, out + 3);
    if (traced) return traced;
  }
  if (ma_lua_delegate(L, u->name, 1, u->nin)) return 1;
  if (asks_nothing(L, out, given >> u->nin) && ma_lua_applynumbers(L, u->op, u->nout, 1)) return u->nout;
  ma_stream *stream = read_operands(L, u->state, 1, u->nin, arg);
  if (!(given >> out)) {
    ma_lua_pushresults(L, out, u->nout, result);
    ma_lua_apply(L, u->op, u->nout, arg, MA_NDTYPE, NULL, result, stream);
    return u->nout;
  }
  ma_dtype dtype = ma_lua_checkdtype(L, out + 1, MA_NDTYPE);
  const ma_array *where = ma_lua_checkwhere(L, out + 2);
  bool plain = lua_isnil(L, out + 3);
  ma_casting casting = plain ? MA_CAST_SAME_KIND : ma_lua_checkcasting(L, out + 3);
  ma_lua_pushresults(L, out, u->nout, result);
  int top = lua_gettop(L);
  if (casting == MA_CAST_UNSAFE) {
    ma_lua_applyunsafe(L, u, arg, dtype, where, result, stream);
    lua_settop(L, top);
    return u->nout;
  }
  if (casting != MA_CAST_SAME_KIND) ma_lua_checkstrict(L, u, arg, dtype, casting, result);
  ma_lua_apply(L, u->op, u->nout, arg, dtype, where, result, stream);
  return u->nout;
}

/* __call of the object. Slot 1: the ufunc. */
static int call_object(lua_State *L) {
  const ma_ufunc *u = to_ufunc(L, 1);
  if (!u) return ma_lua_fail(L, "%s; wanted a ufunc", ma_lua_describe(L, 1));
  lua_remove(L, 1);
  ma_lua_arrange(L, u->signature);
  return call_arranged(L, u, ma_lua_state(L)->given);
}

static int ufunc_call(lua_State *L) {
  const ma_ufunc *u = to_ufunc(L, 1);
  return MA_LUA_NOTEDAS(L, call_object, u ? u->name : NULL);
}

/* a:add(b). Upvalue 3: the ufunc. */
static int ufunc_method(lua_State *L) {
  return call_arranged(L, lua_touserdata(L, lua_upvalueindex(3)), ma_lua_state(L)->given);
}

/* a + b. __unm gets its operand twice. */
static int operate(lua_State *L) {
  const ma_ufunc *u = lua_touserdata(L, lua_upvalueindex(3));
  ma_arg arg[MA_MAX_ARITY];
  if (u->state->tracing && u->state->standin->operate(L, u->op[0])) return 1;
  if (ma_lua_delegate(L, u->name, 1, u->nin)) return 1;
  ma_stream *stream = read_operands(L, u->state, 1, u->nin, arg);
  ma_array *result = ma_lua_newarray_in(L, u->state);
  MA_LUA_TRY(L, ma_ufunc_operator(u->op[0], arg, result, stream));
  return 1;
}

static int ufunc_operator(lua_State *L) { return MA_LUA_NOTED(L, operate); }

/* a:iadd(b, {where = m}) writes into a and returns it. */
static int ufunc_in_place(lua_State *L) {
  const ma_ufunc *u = lua_touserdata(L, lua_upvalueindex(3));
  ma_arg arg[MA_MAX_ARITY];
  ma_array *array = ma_lua_checkarray(L, 1);
  ma_stream *stream = read_operands(L, u->state, 1, u->nin, arg);
  ma_lua_apply(L, u->op, 1, arg, MA_NDTYPE, ma_lua_checkwhere(L, 3), &array, stream);
  lua_settop(L, 1);
  return 1;
}

/* ==== reduce, accumulate, outer, at ============================================================================== */

static int ufunc_reduce(lua_State *L) {
  return ma_lua_ufunc_reduce(L, ((const ma_ufunc *)lua_touserdata(L, lua_upvalueindex(3)))->op[0]);
}

static int ufunc_accumulate(lua_State *L) {
  return ma_lua_ufunc_accumulate(L, ((const ma_ufunc *)lua_touserdata(L, lua_upvalueindex(3)))->op[0]);
}

static int ufunc_at(lua_State *L) {
  return ma_lua_ufunc_at(L, ((const ma_ufunc *)lua_touserdata(L, lua_upvalueindex(3)))->op[0]);
}

/* The first operand gets an axis of extent 1 for each axis of the second. */
static int ufunc_outer(lua_State *L) {
  const ma_ufunc *u = lua_touserdata(L, lua_upvalueindex(3));
  const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE), *b = ma_lua_asarray(L, 2, MA_NDTYPE);
  int64_t shape[2 * MA_MAX_NDIM];
  int ndim = a->ndim + b->ndim;
  if (ndim > MA_MAX_NDIM)
    return ma_lua_fail(L, "%d and %d axes; the result has at most %d", a->ndim, b->ndim, MA_MAX_NDIM);
  for (int d = 0; d < ndim; d++) shape[d] = d < a->ndim ? a->shape[d] : 1;
  ma_array *view = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_reshape(view, a, ndim, shape, ma_lua_streamfor(L, a)));
  lua_replace(L, 1);
  return call_arranged(L, u, UINT32_MAX);
}

//> = ufunc | ma.add | An elementwise operation: ma.add(a, b), and its methods.
//> . name: string | its name
//> . nin: integer | the number of inputs
//> . nout: integer | the number of outputs
//> . nargs: integer | both together
//> . types: string[] | the dtypes that it has loops for
//> . identity: any | what no elements reduce to
//> :reduce(a: data, axis?: integer|integer[], dtype?: dtype, out?: array, keepdims?: boolean) -> array | Reduces by it.
//> ufunc:reduce: ufunc.reduce({{1, 2}, {3, 4}}, 1)
//> :accumulate(a: data, axis?: integer, dtype?: dtype, out?: array) -> array | All partial results.
//> ufunc:accumulate: ufunc.accumulate({1, 2, 3})
//> :reduceat(a: data, indices: data, axis?: integer, dtype?: dtype, out?: array) -> array | Reduces slices.
//> ufunc:reduceat: ufunc.reduceat({1, 2, 3, 4}, {1, 3})
//> :outer(a: data, b: data) -> array | Every pair of elements.
//> ufunc:outer: ufunc.outer({1, 2}, {10, 20, 30})
//> :at(a: array, indices: data, b?: data) | Works in place, once for each index.
//> ufunc:at: local a = ma.zeros(3)
//>   ufunc.at(a, ma.array({1, 1, 3}, "int64"), 1)
//>   return a
//> + call(data, data?, array|table|nil): array
static const struct {
  const char *name, *arguments;
  lua_CFunction call;
} ufunc_methods[] = {
  { "reduce", "(a, axis?, dtype?, out?, keepdims?, initial?, where?)", ufunc_reduce },
  { "accumulate", "(a, axis?, dtype?, out?)", ufunc_accumulate },
  { "outer", "(a, b, out?; dtype?, where?, casting?)", ufunc_outer },
  { "at", "(a, indices, b?)", ufunc_at },
};

/* ==== Attributes of the object =================================================================================== */

static void push_identity(lua_State *L, const ma_ufunc *u) {
  double value;
  if (u->nout != 1 || !ma_op_identity(u->op[0], &value)) lua_pushnil(L);
  else if (ma_ops[u->op[0]].out == MA_SIG_BOOL) lua_pushboolean(L, value != 0);
  else lua_pushnumber(L, value);
}

/* Pushes "float32,float32->float32" for each loop. */
static void push_types(lua_State *L, const ma_ufunc *u) {
  const ma_op_info *info = &ma_ops[u->op[0]];
  lua_newtable(L);
  for (int t = 0, n = 0; t < MA_NDTYPE; t++) {
    ma_dtype loop = (ma_dtype)t;
    bool fixed = (info->flags & MA_OPF_DOUBLE && t != MA_FLOAT64 && t != MA_COMPLEX128) ||
                 (info->flags & MA_OPF_TRUE_DIVIDE && ma_dtypes[t].kind < MA_KIND_FLOAT);
    if (!info->body[ma_dtypes[t].kind] || fixed) continue;
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (int k = 0; k < u->nin; k++) {
      if (k) luaL_addchar(&buffer, ',');
      luaL_addstring(&buffer, ma_dtypes[ma_sig_dtype((ma_sig)info->in[k], loop)].name);
    }
    for (int k = 0; k < u->nout; k++) {
      luaL_addstring(&buffer, k ? "," : "->");
      luaL_addstring(&buffer, ma_dtypes[ma_sig_dtype((ma_sig)ma_ops[u->op[k]].out, loop)].name);
    }
    luaL_pushresult(&buffer);
    lua_rawseti(L, -2, ++n);
  }
}

/* reduceat is in lua/moonarray/functions/reduceat.lua: core.reduceat(ufunc) makes the method. */
static void push_reduceat(lua_State *L) {
  lua_getfenv(L, 1);
  lua_pushvalue(L, 1);
  ma_lua_callcore(L, "reduceat", 1, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "reduceat");
}

/* Makes the closure of a method once, and keeps it in the environment of the ufunc (slot 1). */
static bool push_ufunc_method(lua_State *L, const ma_ufunc *u, const char *name) {
  if (!strcmp(name, "reduceat")) return push_reduceat(L), true;
  for (size_t k = 0; k < sizeof ufunc_methods / sizeof *ufunc_methods; k++) {
    if (strcmp(name, ufunc_methods[k].name)) continue;
    char text[160];
    snprintf(text, sizeof text, "%s.%s%s", u->name, name, ufunc_methods[k].arguments);
    lua_getfenv(L, 1);
    lua_pushvalue(L, 1);
    ma_lua_pushclosure(L, text, false, ufunc_methods[k].call, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, name);
    return true;
  }
  return false;
}

static int ufunc_index(lua_State *L) {
  const ma_ufunc *u = to_ufunc(L, 1);
  if (!u || lua_type(L, 2) != LUA_TSTRING)
    return ma_lua_fail(L, "%s as a key; a ufunc has name, nin, nout, doc, types ...", ma_lua_describe(L, 2));
  const char *key = lua_tostring(L, 2);
  lua_getfenv(L, 1);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  if (!lua_isnil(L, -1)) return 1;
  if (!strcmp(key, "identity")) push_identity(L, u);
  else if (!strcmp(key, "types")) push_types(L, u);
  else if (u->nout != 1 || (u->nin != 2 && strcmp(key, "at")) || !push_ufunc_method(L, u, key))
    return ma_lua_unknown(L, u->name, "attribute", key, 3);
  return 1;
}

static int ufunc_tostring(lua_State *L) {
  const ma_ufunc *u = to_ufunc(L, 1);
  lua_pushfstring(L, "<ufunc '%s'>", u ? u->name : "?");
  return 1;
}

/* ==== Operations without an object (where, clip, real ...), for the Lua layer ===================================== */

/* Makes the boolean in a slot an array on the device of the first array among the operands. */
static void place_boolean(lua_State *L, int slot, int first, int last) {
  ma_device *device = NULL;
  for (int k = first; k <= last && !device; k++)
    if (ma_lua_toarray(L, k)) device = ma_array_device(ma_lua_checkarray(L, k));
  ma_lua_asarray_on(L, slot, MA_BOOL, device);
}

/* fn(out, dtype, where, operands ...), as core.operation makes it. Booleans are data. Upvalue 2: the opcode. */
static int call_operation(lua_State *L) {
  enum { OUT = 1, DTYPE, WHERE, FIRST };
  ma_opcode op = (ma_opcode)lua_tointeger(L, lua_upvalueindex(2));
  ma_lua *state = ma_lua_state(L);
  int last = FIRST - 1 + ma_ops[op].nin;
  ma_arg arg[MA_MAX_ARITY];
  ma_array *result;
  bool noted = state->passes; /* who notes the call has looked at its arguments */
  lua_settop(L, last);
  state->passes = false;
  if (state->tracing && !noted && state->standin->apply(L, &op, 1, FIRST, OUT, DTYPE, WHERE, 0)) return 1;
  bool plain = lua_isnil(L, OUT) && lua_isnil(L, DTYPE) && lua_isnil(L, WHERE);
  if (plain && ma_lua_applynumbers(L, &op, 1, FIRST)) return 1;
  if (lua_isnil(L, OUT) && ma_lua_delegate(L, ma_ops[op].name, FIRST, last - FIRST + 1)) return 1;
  for (int k = FIRST; k <= last; k++)
    if (lua_isboolean(L, k)) place_boolean(L, k, FIRST, last);
  ma_stream *stream = read_operands(L, state, FIRST, ma_ops[op].nin, arg);
  ma_dtype dtype = ma_lua_checkdtype(L, DTYPE, MA_NDTYPE);
  if (plain && state->rule_dtype != MA_NDTYPE && ma_loop_chooses(op) && ma_lua_isprograms(L, "where"))
    dtype = ma_loop_constants(state->rule_dtype, 2, arg + 1);
  const ma_array *where = ma_lua_checkwhere(L, WHERE);
  ma_lua_pushresults(L, OUT, 1, &result);
  ma_lua_apply(L, &op, 1, arg, dtype, where, &result, stream);
  return 1;
}

/* core.operation(name): the function that applies an operation of ops.def. It has no signature: errors carry the name
** of the calling Lua function. */
static int core_operation(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  ma_opcode op = ma_op_named(name);
  if (op == MA_NOP) return ma_lua_fail(L, "no operation '%s' in ops.def", name);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushinteger(L, op);
  lua_pushcclosure(L, call_operation, 2);
  return 1;
}

/* ==== Registration ================================================================================================ */

typedef struct row {
  const char *name;
  ma_opcode op[2];
  const char *doc;
} row;
static const row rows[] = {
#define OP(name, ...) { #name, { MA_OP_##name, MA_OP_##name }, NULL },
#define UFUNC2(name, first, second, doc) { #name, { MA_OP_##first, MA_OP_##second }, doc },
#include "kernels/ops.def"
};

/* Another name of a ufunc, or of the method of it. */
typedef struct alias {
  const char *name, *of;
} alias;
static const alias aliases[] = {
#define ALIAS(name, of) { #name, #of },
#define METHOD ALIAS
#include "kernels/ops.def"
};

static const struct {
  const char *metamethod, *of;
} operators[] = {
#define OPERATOR(op, metamethod, ...) { metamethod, #op },
#include "kernels/ops.def"
};

static const alias in_place[] = {
#define OPERATOR(op, metamethod, in_place, value) { in_place, #op },
#include "kernels/ops.def"
};

static void set_string(lua_State *L, const char *key, const char *value) {
  lua_pushstring(L, value);
  lua_setfield(L, -2, key);
}

/* The environment holds the plain attributes, and methods once they were used. */
static void set_environment(lua_State *L, ma_ufunc *u, const char *signature) {
  lua_newtable(L);
  u->signature = ma_lua_newsignature(L, signature, false, NULL);
  set_string(L, "name", u->name);
  set_string(L, "doc", u->doc);
  lua_pushinteger(L, u->nin);
  lua_setfield(L, -2, "nin");
  lua_pushinteger(L, u->nout);
  lua_setfield(L, -2, "nout");
  lua_pushinteger(L, u->nin + u->nout);
  lua_setfield(L, -2, "nargs");
  lua_setfenv(L, -2);
}

/* Pushes the object. `text` is its signature, `name` what messages call it. */
static ma_ufunc *push_ufunc(lua_State *L, const char *name, const char *text, const ma_opcode *op, const char *doc) {
  ma_lua *state = ma_lua_state(L);
  const ma_op_info *info = &ma_ops[op[0]];
  ma_ufunc *u = lua_newuserdata(L, sizeof *u);
  *u = (ma_ufunc){ UFUNC_MAGIC, name, doc ? doc : info->doc, info->nin, doc ? 2 : 1, { op[0], op[1] }, state, NULL };
  set_environment(L, u, text);
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->ufunc_metatable);
  lua_setmetatable(L, -2);
  return u;
}

/* The signatures of ufuncs of one operand and of two, of those of ma.special, and of operators in place. Scripts that
** write for editors read these lines. */
#define OPTIONS_OF "out?: array; dtype?: dtype, where?: array, casting?: string)"
#define ONE_OPERAND "%s(a: data, " OPTIONS_OF
#define TWO_OPERANDS "%s(a: data, b: data, " OPTIONS_OF
#define OF_SPECIAL "special.%s(%s, " OPTIONS_OF
#define IN_PLACE "%s(a: data, b: data, where?: array) -> array"
#define IN_PLACE_DOC "%s(a, b) written into a, which is returned."

static void make_ufunc(lua_State *L, const void *of) {
  const row *r = of;
  const char *name = r->name;
  const ma_opcode *op = r->op;
  lua_pushfstring(L, ma_ops[op[0]].nin == 2 ? TWO_OPERANDS : ONE_OPERAND, name);
  const char *text = lua_tostring(L, -1);
  ma_ufunc *u = push_ufunc(L, name, text, op, r->doc);
  ma_lua_document(L, name, u->signature, u->doc);
  lua_pushvalue(L, -1);
  ma_lua_pushclosure(L, text, true, ufunc_method, 1);
  ma_lua_addmethod(L, name);
  ma_lua_file(L, name);
  lua_pop(L, 1);
}

/* A ufunc of ma.special: it is no method of arrays. */
static void define_special(lua_State *L, const row *r) {
  lua_pushfstring(L, OF_SPECIAL, r->name, ma_ops[r->op[0]].arguments);
  ma_ufunc *u = push_ufunc(L, r->name, lua_tostring(L, -1), r->op, r->doc);
  ma_lua_document(L, u->signature->name, u->signature, u->doc);
  ma_lua_file(L, u->signature->name);
  lua_pop(L, 1);
}

/* Pushes ma[name]. */
static void push_library_field(lua_State *L, const char *name) {
  ma_lua_summon(L, name);
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->library);
  lua_getfield(L, -1, name);
  lua_replace(L, -2);
}

static void make_alias(lua_State *L, const void *of) {
  const alias *a = of;
  push_library_field(L, a->of);
  ma_lua_file(L, a->name);
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->methods);
  lua_getfield(L, -1, a->of);
  ma_lua_addmethod(L, a->name);
  lua_pop(L, 1);
  ma_lua_documentalias(L, a->name, a->of);
}

static void define_operators(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->array_metatable);
  for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
    char text[64];
    snprintf(text, sizeof text, "%s(a, b)", operators[k].of);
    push_library_field(L, operators[k].of);
    ma_lua_pushplain(L, text, false, ufunc_operator, 1);
    lua_setfield(L, -2, operators[k].metamethod);
  }
  lua_pop(L, 1);
}

static void make_in_place(lua_State *L, const void *of) {
  const alias *a = of;
  char text[64], doc[64];
  snprintf(text, sizeof text, IN_PLACE, a->name);
  snprintf(doc, sizeof doc, IN_PLACE_DOC, a->of);
  push_library_field(L, a->of);
  ma_lua_define(L, text, doc, ufunc_in_place, 1);
  lua_pop(L, 1);
}

static void set_metamethods(lua_State *L) {
  static const struct {
    const char *name;
    lua_CFunction call;
  } metamethods[] = {
    { "__call", ufunc_call },
    { "__index", ufunc_index },
    { "__tostring", ufunc_tostring },
  };
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->ufunc_metatable);
  for (size_t k = 0; k < sizeof metamethods / sizeof *metamethods; k++) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, metamethods[k].call, 1);
    lua_setfield(L, -2, metamethods[k].name);
  }
  lua_pushliteral(L, "moonarray ufunc");
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

static void define_rows(lua_State *L, bool special) {
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    int flags = ma_ops[rows[k].op[0]].flags;
    if (!(flags & MA_OPF_SPECIAL) == special || (!rows[k].doc && flags & MA_OPF_INTERNAL)) continue;
    if (special) define_special(L, &rows[k]);
    else ma_lua_postpone(L, rows[k].name, strlen(rows[k].name), make_ufunc, &rows[k]);
  }
}

/* core.special(): defines the special functions, which are not loaded with the library. */
static int core_special(lua_State *L) {
  define_rows(L, true);
  return 0;
}

static void define_core(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, core_operation, 1);
  ma_lua_file(L, "core.operation");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, core_special, 1);
  ma_lua_file(L, "core.special");
}

void ma_open_ufunc(lua_State *L) {
  set_metamethods(L);
  define_rows(L, false);
  for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++)
    ma_lua_postpone(L, aliases[k].name, strlen(aliases[k].name), make_alias, &aliases[k]);
  for (size_t k = 0; k < sizeof in_place / sizeof *in_place; k++)
    if (in_place[k].name) ma_lua_postpone(L, in_place[k].name, strlen(in_place[k].name), make_in_place, &in_place[k]);
  define_operators(L);
  define_core(L);
}
