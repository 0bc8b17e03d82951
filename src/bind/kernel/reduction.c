/*
** reduction.c: ma.ReductionKernel, a reduction with map, combination and last step in the user's C++. The object is a
** callable userdata. It keeps the resolved types of the last call, so a call with the same types passes directly to the
** core.
*/
#include "base/number.h"
#include "compile/body.h"
#include "compile/lex.h"
#include "bind/kernel/kernel.h"
#include "kernel/body_reduce.h"
#include "kernel/params.h"

#include <stdio.h>
#include <string.h>

#define MOST_ARGUMENTS (MA_MAX_ARGS - 4) /* besides axis, keepdims, out, stream */

/* The environment of the userdata holds the strings and the signature. */
typedef struct kernel {
  uint64_t magic;
  ma_params params;
  ma_body text; /* the texts; types are resolved in a copy */
  const ma_signature *signature;
  /* the types of the last call, to which `program` belongs. No body: there was no call yet */
  ma_given given[MA_MAX_PARAMS];
  ma_program program;
} kernel;

static const ma_class kernel_class;

static kernel *check_kernel(lua_State *L) {
  kernel *k = ma_lua_toclass(L, 1, &kernel_class);
  if (!k) ma_lua_fail(L, "%s; wanted a ReductionKernel", ma_lua_describe(L, 1));
  return k;
}

/* ==== Construction ================================================================================================ */

enum { IN = 1, OUT, MAP, REDUCE, POST_MAP, IDENTITY, NAME, REDUCE_TYPE, PREAMBLE, OPTIONS, DERIVATIVE };

static const char *check_text(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TSTRING)
    ma_lua_fail(L, "%s is %s; wanted text", ma_lua_argname(L, index), ma_lua_describe(L, index));
  const char *text = lua_tostring(L, index);
  if (strlen(text) != lua_objlen(L, index)) ma_lua_fail(L, "%s has a zero byte; wanted text", ma_lua_argname(L, index));
  return text;
}

static const char *opt_text(lua_State *L, int index, const char *fallback) {
  if (!lua_isnil(L, index)) return check_text(L, index);
  lua_pushstring(L, fallback);
  lua_replace(L, index);
  return lua_tostring(L, index);
}

/* Converts a number to text. */
static const char *identity_text(lua_State *L) {
  if (lua_type(L, IDENTITY) == LUA_TNUMBER) {
    double x = lua_tonumber(L, IDENTITY);
    if (x != x) lua_pushliteral(L, "NAN");
    else if (x - x != 0) lua_pushstring(L, x > 0 ? "INFINITY" : "-INFINITY");
    else {
      char text[40];
      ma_print(text, sizeof text, "%.17g", x);
      lua_pushstring(L, text);
    }
    lua_replace(L, IDENTITY);
  }
  const char *text = opt_text(L, IDENTITY, "");
  return text[strspn(text, " \t\r\n")] ? text : "";
}

/* Pushes "l2norm(x, axis?, keepdims?, out?; stream?)". */
static const char *push_signature(lua_State *L, const kernel *k) {
  static const char *const own[] = { "axis", "keepdims", "out", "stream", "dtype" };
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  luaL_addstring(&buffer, k->text.name);
  luaL_addchar(&buffer, '(');
  for (int i = 0; i < k->params.nin; i++) {
    luaL_addstring(&buffer, k->params.param[i].name);
    for (size_t j = 0; j < sizeof own / sizeof *own; j++)
      if (!strcmp(k->params.param[i].name, own[j])) luaL_addchar(&buffer, '_');
    luaL_addstring(&buffer, ", ");
  }
  luaL_addstring(&buffer, "axis?, keepdims?, out?; stream?)");
  luaL_pushresult(&buffer);
  return lua_tostring(L, -1);
}

static void check_params(lua_State *L, const ma_params *params) {
  int arrays = 0;
  if (params->nin > MOST_ARGUMENTS)
    ma_lua_fail(L, "%d inputs; a reduction has at most %d", params->nin, MOST_ARGUMENTS);
  for (int k = 0; k < params->nin; k++) arrays += !params->param[k].raw;
  if (!arrays) ma_lua_fail(L, "in_params has no array to walk; wanted one that is not raw");
  if (!params->nout) ma_lua_fail(L, "out_params is empty; a reduction has an output");
  for (int k = params->nin; k < params->nin + params->nout; k++) {
    if (params->param[k].raw)
      ma_lua_fail(L, "output '%s' is raw; a reduction writes its own element", params->param[k].name);
    if (!strcmp(params->param[k].name, "a"))
      ma_lua_fail(L, "an output is called 'a', as is what post_map is given; choose another name");
  }
}

/* Replaces a table of named arguments by a copy with moonarray's names for CuPy's. */
static void take_cupy_names(lua_State *L) {
  static const struct {
    const char *cupy, *ours;
  } names[] = {
    { "map_expr", "map" },
    { "reduce_expr", "reduce" },
    { "post_map_expr", "post_map" },
  };
  bool any = false;
  if (lua_gettop(L) != 1 || !lua_istable(L, 1)) return;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    lua_pushstring(L, names[k].cupy);
    lua_rawget(L, 1);
    any |= !lua_isnil(L, -1);
    lua_pop(L, 1);
  }
  if (!any) return;
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    lua_pushvalue(L, -2);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
      if (strcmp(name, names[k].cupy)) continue;
      lua_pop(L, 1);
      lua_pushstring(L, names[k].ours);
      lua_pushvalue(L, -1);
      lua_rawget(L, 1);
      if (!lua_isnil(L, -1)) ma_lua_fail(L, "both %s and %s, which are one argument", names[k].ours, name);
      lua_pop(L, 1);
    }
    lua_pushvalue(L, -2);
    lua_rawset(L, 2);
  }
  lua_remove(L, 1);
}

static int new_kernel(lua_State *L) {
  take_cupy_names(L);
  ma_lua_arrangehere(L);
  kernel *k = ma_lua_newobject(L, &kernel_class);
  int at = lua_gettop(L);
  k->text = (ma_body){ .is_reduction = true, .operation = "", .loop_prep = "", .after_loop = "" };
  k->text.map = check_text(L, MAP);
  k->text.reduce = check_text(L, REDUCE);
  k->text.post_map = check_text(L, POST_MAP);
  k->text.identity = identity_text(L);
  k->text.name = opt_text(L, NAME, "reduction");
  k->text.reduce_type = opt_text(L, REDUCE_TYPE, "");
  k->text.preamble = opt_text(L, PREAMBLE, "");
  k->text.options = ma_lua_body_options(L, OPTIONS, k->text.preamble);
  ma_lua_check(L, ma_name_check("the kernel's name", k->text.name));
  ma_lua_check(L, ma_params_parse(&k->params, check_text(L, IN), check_text(L, OUT)));
  check_params(L, &k->params);
  ma_lua_checkderivative(L, DERIVATIVE);
  lua_createtable(L, DERIVATIVE + 1, 0);
  for (int i = IN; i <= DERIVATIVE; i++) {
    lua_pushvalue(L, i);
    lua_rawseti(L, -2, i);
  }
  k->signature = ma_lua_newsignature(L, push_signature(L, k), false, NULL);
  lua_rawseti(L, -2, DERIVATIVE + 1);
  lua_setfenv(L, at);
  return 1;
}

/* ==== Types ====================================================================================================== */

/* A dtype, a placeholder, or a C++ type whose size only the compiler knows. */
static uint8_t reduce_dtype(const ma_body *body) {
  static const struct {
    const char *name;
    ma_dtype dtype;
  } names[] = {
    { "bool", MA_BOOL },
    { "bool_", MA_BOOL },
    { "int", MA_INT32 },
    { "unsigned", MA_UINT32 },
    { "unsigned int", MA_UINT32 },
    { "long long", MA_INT64 },
    { "unsigned long long", MA_UINT64 },
    { "float", MA_FLOAT32 },
    { "double", MA_FLOAT64 },
    { "complex<float>", MA_COMPLEX64 },
    { "complex<double>", MA_COMPLEX128 },
  };
  ma_dtype dtype;
  if (!*body->reduce_type) {
    for (int k = 0; k < body->nparam; k++)
      if (body->param[k].role == MA_PARAM_OUTPUT) return body->param[k].dtype;
  }
  for (int k = 0; k < body->ntype; k++)
    if (!strcmp(body->type[k].name, body->reduce_type)) return body->type[k].dtype;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (!strcmp(names[k].name, body->reduce_type)) return (uint8_t)names[k].dtype;
  return ma_dtype_find(body->reduce_type, &dtype) ? (uint8_t)dtype : MA_NDTYPE;
}

/* Finds the program for the types of the call; if they are unchanged, it is the last one. */
static void resolve(lua_State *L, kernel *k, const ma_given *given) {
  size_t size = (size_t)(k->params.nin + k->params.nout) * sizeof *given;
  if (k->program.body && !memcmp(given, k->given, size)) return;
  ma_body body = k->text;
  uint32_t id = 0;
  ma_lua_check(L, ma_params_resolve(&k->params, given, &body));
  body.reduce_dtype = reduce_dtype(&body);
  if (body.reduce_dtype != MA_NDTYPE) body.reduce_type = "";
  body.uses_index = ma_lex_mentions(body.map, "i") ||
                    (strchr(body.preamble, '#') && ma_lex_mentions(body.preamble, "i"));
  ma_lua_check(L, ma_body_intern(&body, &id));
  ma_params_program(ma_body_get(id), id, &k->program);
  memcpy(k->given, given, size);
}

/* ==== Calls ====================================================================================================== */

/* Reads the inputs; tables and numbers are accepted as elsewhere. Returns the device of the arrays. */
static ma_device *read_inputs(lua_State *L, const kernel *k, ma_arg *arg) {
  ma_device *device = NULL;
  for (int i = 0; i < k->params.nin && !device; i++) {
    const ma_array *array = ma_lua_toarray(L, i + 1);
    if (array && array->buffer) device = array->buffer->device;
  }
  if (!device) device = ma_lua_device(L);
  for (int i = 0; i < k->params.nin; i++) {
    if (lua_isboolean(L, i + 1))
      arg[i] = (ma_arg){ .value = { .u = (uint64_t)lua_toboolean(L, i + 1) }, .dtype = MA_BOOL, .weak = MA_STRONG };
    else ma_lua_checkarg_on(L, i + 1, &arg[i], device);
    if (arg[i].array) ma_lua_check(L, ma_device_meet(device, arg[i].array->buffer->device));
  }
  return device;
}

/* The arguments as the program's inputs, scalars and raw arrays, with the number of axes of the inputs. */
typedef struct operands {
  const ma_array *input[MA_MAX_INPUTS];
  ma_value scalar[MA_MAX_SCALARS];
  ma_raw raw[MA_MAX_RAW];
} operands;

static int sort_operands(lua_State *L, const kernel *k, const ma_arg *arg, ma_stream *stream, operands *to) {
  const ma_body *body = ma_body_get(k->program.body);
  int ndim = 0;
  for (int i = 0; i < k->params.nin; i++) {
    const ma_param *p = &body->param[i];
    if (p->role == MA_PARAM_SCALAR) ma_lua_check(L, ma_params_scalar(body, i, &arg[i], &to->scalar[p->place]));
    else if (p->role == MA_PARAM_INPUT) {
      to->input[p->place] = arg[i].array;
      if (arg[i].array->ndim > ndim) ndim = arg[i].array->ndim;
    } else {
      ma_raw *raw = &to->raw[p->place];
      raw->ndim = arg[i].array->ndim;
      raw->size = arg[i].array->size;
      memcpy(raw->shape, arg[i].array->shape, sizeof raw->shape);
      memcpy(raw->stride, arg[i].array->stride, sizeof raw->stride);
      MA_LUA_TRY(L, ma_array_read(arg[i].array, stream, (const void **)&raw->data));
    }
  }
  if (!k->program.ninput) ma_lua_fail(L, "no array among the arguments; wanted one to reduce");
  return ndim;
}

/* __call of the object. Slot 1: the kernel. */
static int call_kernel(lua_State *L) {
  kernel *k = check_kernel(L);
  int nin = k->params.nin, nout = k->params.nout;
  ma_arg arg[MA_MAX_PARAMS];
  ma_given given[MA_MAX_PARAMS];
  ma_array *result[MA_MAX_OUTPUTS];
  operands operands;
  lua_pushvalue(L, 1);
  lua_replace(L, lua_upvalueindex(3)); /* keeps the kernel alive while the stack has only the arguments */
  lua_remove(L, 1);
  ma_lua_arrange(L, k->signature);
  lua_pushvalue(L, lua_upvalueindex(3));
  if (nout > MA_MAX_OUTPUTS) return ma_lua_fail(L, "%d outputs; a kernel has at most %d", nout, MA_MAX_OUTPUTS);
  ma_device *device = read_inputs(L, k, arg);
  ma_stream *stream = ma_lua_optstream_of(L, nin + 4, device);
  bool keepdims = ma_lua_optbool(L, nin + 2, false);
  ma_lua_room(L, nout + 4);
  ma_lua_pushresults(L, nin + 3, nout, result);
  for (int i = 0; i < nout; i++) arg[nin + i] = (ma_arg){ .array = result[i] };
  for (int i = 0; i < nin + nout; i++) {
    const char *name = k->params.param[i].name;
    given[i] = ma_params_given(&k->params.param[i], &arg[i]);
    if (k->params.param[i].raw && (ma_params_whole(k->text.map, name) || ma_params_whole(k->text.post_map, name)))
      ma_params_give_whole(&given[i], arg[i].array);
  }
  resolve(L, k, given);
  uint32_t axes = ma_lua_checkaxes(L, nin + 1, sort_operands(L, k, arg, stream, &operands));
  MA_LUA_TRY(
    L, ma_body_reduce(&k->program, operands.input, operands.scalar, operands.raw, axes, keepdims, result, stream));
  return nout;
}

/* ==== Attributes ================================================================================================= */

/* The user's texts as they were last compiled, with the types of the last call; nil before the first call. */
static void push_code(lua_State *L, void *of, size_t place) {
  const kernel *k = of;
  ma_ctext text = { 0 };
  if (!k->program.body) {
    lua_pushnil(L);
    return;
  }
  ma_body_print_functions(&text, ma_body_get(k->program.body));
  if (text.failed) ma_lua_fail(L, "out of memory for a kernel's text");
  char *copy = lua_newuserdata(L, text.size); /* the collector frees it after an error */
  size_t size = text.size;
  memcpy(copy, text.bytes, size);
  ma_ctext_free(&text);
  lua_pushlstring(L, copy, size);
}

static void push_nargs(lua_State *L, void *of, size_t place) {
  lua_pushinteger(L, ((const kernel *)of)->params.nin + ((const kernel *)of)->params.nout);
}

static void push_text(lua_State *L, void *of) {
  lua_pushfstring(L, "<ReductionKernel '%s'>", ((const kernel *)of)->text.name);
}

//> = reduction_kernel | ma.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total") | Called with arrays.
//> + call(...): array
//> :prepare(...: any) -> preparation | Has what a call with these arguments needs compiled, without waiting.
//> reduction_kernel:prepare: ma.await(reduction_kernel:prepare(ma.ones(2))) == reduction_kernel
static const ma_attribute attributes[] = {
  { "name", ma_push_kept, NAME },                          //> . name: string | its name
  { "in_params", ma_push_kept, IN },                       //> . in_params: string | as it was made
  { "out_params", ma_push_kept, OUT },                     //> . out_params: string | as it was made
  { "map", ma_push_kept, MAP },                            //> . map: string | as it was made
  { "reduce", ma_push_kept, REDUCE },                      //> . reduce: string | as it was made
  { "post_map", ma_push_kept, POST_MAP },                  //> . post_map: string | as it was made
  { "map_expr", ma_push_kept, MAP },                       //> . map_expr: string | the same under CuPy's name
  { "reduce_expr", ma_push_kept, REDUCE },                 //> . reduce_expr: string | the same under CuPy's name
  { "post_map_expr", ma_push_kept, POST_MAP },             //> . post_map_expr: string | the same under CuPy's name
  { "identity", ma_push_kept, IDENTITY },                  //> . identity: string | as it was made
  { "reduce_type", ma_push_kept, REDUCE_TYPE },            //> . reduce_type: string | as it was made
  { "preamble", ma_push_kept, PREAMBLE },                  //> . preamble: string | as it was made
  { "options", ma_push_kept, OPTIONS },                    //> . options: string[] | the compiler's options
  { "derivative", ma_push_kept, DERIVATIVE },              //> . derivative: function | as it was made
  { "cached_code", push_code, 0 },                         //> . cached_code: string | the text that was compiled last
  { "nin", ma_push_int, offsetof(kernel, params.nin) },    //> . nin: integer | the number of inputs
  { "nout", ma_push_int, offsetof(kernel, params.nout) },  //> . nout: integer | the number of outputs
  { "nargs", push_nargs, 0 },                              //> . nargs: integer | both together
  { NULL, NULL, 0 },
};

static const ma_class kernel_class = { .name = "ReductionKernel",
                                       .word = "kernel",
                                       .title = "moonarray ReductionKernel",
                                       .magic = 0x6d61726564756374u,
                                       .size = sizeof(kernel),
                                       .attributes = attributes,
                                       .text = push_text,
                                       .call = call_kernel,
                                       .prepares = true };

static const ma_function functions[] = {
  //> ReductionKernel: local squares = ma.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")
  //>   return squares(ma.array {1, 2, 3})
  { "ReductionKernel(in_params: string, out_params: string, map: string, reduce: string, post_map: string, identity?: "
    "string|number, name?: string; reduce_type?: string, preamble?: string, options?: string[], derivative?: function) "
    "-> reduction_kernel",
    new_kernel,
    "A reduction whose map, combination and last step are C++: called k(x, ..., axis?, {keepdims =, out =}), on every "
    "device. reduce is associative and commutative. ma.grad goes through it where derivative(g, y, x ...) gives for "
    "each input what flows to it, if g flows to the output y; behind the inputs it gets the call's axis and options." },
  { NULL, NULL, NULL },
};

void ma_open_reduction(lua_State *L) { ma_lua_registerplain(L, functions); }
