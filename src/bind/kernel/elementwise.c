/* elementwise.c: ma.ElementwiseKernel. A kernel is a userdata that remembers recent combinations of argument types
** with the program for each. So a call that resembles an earlier one parses and resolves nothing. */
#include "compile/body.h"
#include "compile/lex.h"
#include "bind/kernel/kernel.h"
#include "kernel/body_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NRESOLVED 4

/* A combination of argument types, resolved. */
typedef struct resolved {
  ma_given given[MA_MAX_PARAMS];
  const ma_body *body; /* NULL: unused */
  ma_program program;
} resolved;

typedef struct kernel {
  uint64_t magic;
  const ma_signature *signature; /* of a call; the environment keeps it, and the texts */
  ma_params params;
  ma_body draft;             /* the texts, with types not resolved */
  bool reads[MA_MAX_PARAMS]; /* of outputs: the operation may read the old value */
  bool whole[MA_MAX_PARAMS]; /* of raw arrays: the texts use more than x[k] and x.size() */
  bool no_return, uses_index;
  int last, next;
  resolved resolved[NRESOLVED];
} kernel;

static const ma_class kernel_class;

/* ==== Construction ================================================================================================ */

/* The text in a slot; "" if it is absent. */
static const char *check_text(lua_State *L, int index, const char *fallback) {
  size_t n;
  if (lua_isnoneornil(L, index)) return fallback;
  if (lua_type(L, index) != LUA_TSTRING)
    ma_lua_fail(L, "%s is %s; wanted a string", ma_lua_argname(L, index), ma_lua_describe(L, index));
  const char *text = lua_tolstring(L, index, &n);
  if (strlen(text) != n) ma_lua_fail(L, "%s has a zero byte in it; wanted text", ma_lua_argname(L, index));
  return text;
}

static void read_texts(kernel *k) {
  const ma_body *b = &k->draft;
  const char *const texts[] = { b->operation, b->loop_prep, b->after_loop, b->preamble };
  for (int t = 0; t < 4; t++) k->uses_index |= ma_lex_mentions(texts[t], "i");
  for (int p = 0; p < k->params.nin + k->params.nout; p++) {
    const ma_param_text *param = &k->params.param[p];
    if (p >= k->params.nin && !param->raw) k->reads[p] = ma_body_reads(b->operation, param->name);
    for (int t = 0; t < 3 && param->raw; t++) k->whole[p] |= ma_params_whole(texts[t], param->name);
  }
}

/* "squared_diff(x, y, z?; size?, block_size?, stream?, out?)" */
static void push_signature_text(lua_State *L, const kernel *k) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  luaL_addstring(&buffer, k->draft.name);
  luaL_addchar(&buffer, '(');
  for (int p = 0; p < k->params.nin + k->params.nout; p++) {
    if (p) luaL_addstring(&buffer, ", ");
    luaL_addstring(&buffer, k->params.param[p].name);
    if (p >= k->params.nin) luaL_addchar(&buffer, '?');
  }
  luaL_addstring(&buffer, "; size?, block_size?, stream?, out?)");
  luaL_pushresult(&buffer);
}

enum {
  IN_PARAMS = 1,
  OUT_PARAMS,
  OPERATION,
  NAME,
  PREAMBLE,
  LOOP_PREP,
  AFTER_LOOP,
  NO_RETURN,
  OPTIONS,
  REDUCE_DIMS,
  RETURN_TUPLE,
  DERIVATIVE
};

static int make_kernel(lua_State *L) {
  const char *in = check_text(L, IN_PARAMS, ""), *out = check_text(L, OUT_PARAMS, ""),
             *name = check_text(L, NAME, "kernel");
  const char *operation = check_text(L, OPERATION, "");
  if (!lua_isnil(L, RETURN_TUPLE)) return ma_lua_fail(L, "return_tuple; several outputs are several values in Lua");
  ma_lua_check(L, ma_name_check("name", name));
  ma_lua_checkderivative(L, DERIVATIVE);
  const char *options = ma_lua_body_options(L, OPTIONS, check_text(L, PREAMBLE, ""));
  int anchor = lua_gettop(L);
  kernel *k = ma_lua_newobject(L, &kernel_class);
  ma_lua_check(L, ma_params_parse(&k->params, in, out));
  if (k->params.nout == 0) return ma_lua_fail(L, "no output among the parameters; wanted at least one in out_params");
  k->draft = ma_body_empty;
  k->draft.name = name;
  k->draft.operation = operation;
  k->draft.options = options;
  k->draft.preamble = check_text(L, PREAMBLE, "");
  k->draft.loop_prep = check_text(L, LOOP_PREP, "");
  k->draft.after_loop = check_text(L, AFTER_LOOP, "");
  k->no_return = ma_lua_optbool(L, NO_RETURN, false);
  read_texts(k);
  lua_newtable(L); /* the environment keeps the texts alive */
  for (int slot = IN_PARAMS; slot <= anchor; slot++) {
    lua_pushvalue(L, slot);
    lua_rawseti(L, -2, slot);
  }
  push_signature_text(L, k);
  k->signature = ma_lua_newsignature(L, lua_tostring(L, -1), false, NULL);
  lua_pop(L, 1);
  lua_setfenv(L, -2);
  return 1;
}

/* ==== Calls ====================================================================================================== */

/* Reads the arguments. Tables become arrays on the device of the other arrays. */
static ma_device *read_arguments(lua_State *L, const kernel *k, ma_arg *arg) {
  ma_device *device = NULL;
  for (int p = 0; p < k->params.nin + k->params.nout; p++) {
    arg[p].array = ma_lua_toarray(L, p + 1);
    arg[p].weak = MA_STRONG;
    if (arg[p].array && arg[p].array->buffer && !device) device = arg[p].array->buffer->device;
  }
  for (int p = 0; p < k->params.nin; p++) {
    if (arg[p].array && arg[p].array->buffer) continue;
    if (lua_isboolean(L, p + 1))
      arg[p] = (ma_arg){ .value = { .u = (uint64_t)lua_toboolean(L, p + 1) }, .dtype = MA_BOOL };
    else ma_lua_checkarg_on(L, p + 1, &arg[p], device ? device : ma_lua_device(L));
    if (arg[p].array && !device) device = arg[p].array->buffer->device;
  }
  return device;
}

/* Moves out = z, or out = {z, w}, into the slots of the outputs. */
static void spread_out(lua_State *L, const kernel *k, int out) {
  int nout = k->params.nout, first = k->params.nin + 1;
  if (lua_isnil(L, out)) return;
  if (nout > 1 && !lua_istable(L, out))
    ma_lua_fail(L, "out is %s; wanted a table of %d arrays", ma_lua_describe(L, out), nout);
  for (int j = 0; j < nout; j++) {
    if (lua_istable(L, out)) lua_rawgeti(L, out, j + 1);
    else lua_pushvalue(L, out);
    if (!lua_isnil(L, -1) && !lua_isnil(L, first + j))
      ma_lua_fail(L, "%s is given twice, by position and by out", k->params.param[first + j - 1].name);
    if (lua_isnil(L, -1)) lua_pop(L, 1);
    else lua_replace(L, first + j);
  }
}

static const resolved *resolve(lua_State *L, kernel *k, const ma_given *given) {
  int n = k->params.nin + k->params.nout;
  size_t size = (size_t)n * sizeof *given;
  for (int j = 0; j < NRESOLVED; j++) {
    const resolved *r = &k->resolved[(k->last + j) % NRESOLVED];
    if (!r->body || memcmp(r->given, given, size)) continue;
    k->last = (k->last + j) % NRESOLVED;
    return r;
  }
  ma_body body = k->draft;
  resolved *r = &k->resolved[k->next];
  uint32_t id;
  bool walks = false;
  ma_lua_check(L, ma_params_resolve(&k->params, given, &body));
  for (int p = 0; p < n; p++) {
    body.param[p].is_read = k->reads[p] && given[p].form != MA_GIVEN_NOTHING;
    walks |= body.param[p].role == MA_PARAM_INPUT || body.param[p].role == MA_PARAM_OUTPUT;
  }
  body.uses_index = k->uses_index || !walks;
  ma_lua_check(L, ma_body_intern(&body, &id));
  r->body = ma_body_get(id);
  memcpy(r->given, given, size);
  ma_params_program(r->body, id, &r->program);
  k->last = k->next;
  k->next = (k->next + 1) % NRESOLVED;
  return r;
}

static int call_arranged(lua_State *L, kernel *k) {
  int nin = k->params.nin, nout = k->params.nout, n = nin + nout, option = n + 1;
  ma_body_call call = { .size = -1, .block_size = 0 };
  ma_arg arg[MA_MAX_PARAMS];
  ma_given given[MA_MAX_PARAMS];
  spread_out(L, k, option + 3);
  ma_device *device = read_arguments(L, k, arg);
  if (!lua_isnil(L, option)) {
    call.size = ma_lua_checkint(L, option, "size");
    if (call.size < 0) ma_lua_fail(L, "size is %d; wanted at least 0", (int)call.size);
  }
  if (!lua_isnil(L, option + 1)) {
    int64_t threads = ma_lua_checkint(L, option + 1, "block_size");
    if (threads < 32 || threads > 1024 || threads % 32)
      ma_lua_fail(L, "block_size is %.0f; wanted a multiple of 32, up to 1024", (double)threads);
    call.block_size = (int)threads;
  }
  ma_stream *stream = device ? ma_lua_optstream_of(L, option + 2, device) : ma_lua_optstream(L, option + 2);
  ma_lua_room(L, nout + 4);
  for (int j = 0; j < nout; j++) {
    int p = nin + j;
    if (lua_isnil(L, p + 1)) {
      call.array[p] = ma_lua_newarray(L);
      given[p] = (ma_given){ MA_GIVEN_NOTHING, 0, 0, 0 };
      continue;
    }
    call.array[p] = ma_lua_checkarray(L, p + 1);
    lua_pushvalue(L, p + 1);
    arg[p].array = call.array[p];
    given[p] = ma_params_given(&k->params.param[p], &arg[p]);
  }
  for (int p = 0; p < nin; p++) {
    call.array[p] = (ma_array *)arg[p].array;
    given[p] = ma_params_given(&k->params.param[p], &arg[p]);
  }
  for (int p = 0; p < n; p++)
    if (k->whole[p]) ma_params_give_whole(&given[p], call.array[p]);
  const resolved *r = resolve(L, k, given);
  call.body = r->body;
  call.program = &r->program;
  for (int p = 0; p < nin; p++)
    if (r->body->param[p].role == MA_PARAM_SCALAR)
      ma_lua_check(L, ma_params_scalar(r->body, p, &arg[p], &call.scalar[r->body->param[p].place]));
  MA_LUA_TRY(L, ma_body_run(&call, stream));
  return k->no_return ? 0 : nout;
}

static int kernel_call(lua_State *L) {
  kernel *k = ma_lua_toclass(L, 1, &kernel_class);
  if (!k) return ma_lua_fail(L, "%s; wanted an ElementwiseKernel", ma_lua_describe(L, 1));
  lua_pushvalue(L, 1);
  lua_replace(L, lua_upvalueindex(3)); /* keeps the kernel alive while it runs */
  lua_remove(L, 1);
  ma_lua_arrange(L, k->signature);
  return call_arranged(L, k);
}

/* ==== Attributes ================================================================================================= */

static void push_params(lua_State *L, void *of, size_t place) {
  const ma_params *params = &((const kernel *)of)->params;
  lua_newtable(L);
  for (int p = 0; p < params->nin + params->nout; p++) {
    const ma_param_text *q = &params->param[p];
    lua_pushfstring(L, "%s%s%s %s", q->raw ? "raw " : "", q->is_const ? "const " : "", q->type, q->name);
    lua_rawseti(L, -2, p + 1);
  }
}

/* The text that was last compiled, without the part common to all kernels; "" before the first call. */
static void push_code(lua_State *L, void *of, size_t place) {
  const kernel *k = of;
  char *code = k->resolved[k->last].body ? ma_body_code(k->resolved[k->last].body->id) : NULL;
  lua_pushstring(L, code ? code : "");
  free(code);
}

static void push_name(lua_State *L, void *of, size_t place) { lua_pushstring(L, ((const kernel *)of)->draft.name); }

static void push_nargs(lua_State *L, void *of, size_t place) {
  lua_pushinteger(L, ((const kernel *)of)->params.nin + ((const kernel *)of)->params.nout);
}

static void push_text(lua_State *L, void *of) {
  lua_pushfstring(L, "<ElementwiseKernel '%s'>", ((const kernel *)of)->draft.name);
}

//> = elementwise_kernel | ma.ElementwiseKernel("T x", "T y", "y = 2 * x", "twice") | Called with arrays, which
//> \ broadcast.
//> + call(...): array
//> :prepare(...: any) -> preparation | Has what a call with these arguments needs compiled, without waiting.
//> elementwise_kernel:prepare: ma.await(elementwise_kernel:prepare(ma.ones(2))) == elementwise_kernel
static const ma_attribute attributes[] = {
  { "name", push_name, 0 },                                    //> . name: string | its name
  { "nin", ma_push_int, offsetof(kernel, params.nin) },        //> . nin: integer | the number of inputs
  { "nout", ma_push_int, offsetof(kernel, params.nout) },      //> . nout: integer | the number of outputs
  { "nargs", push_nargs, 0 },                                  //> . nargs: integer | both together
  { "params", push_params, 0 },                                //> . params: table | its parameters
  { "no_return", ma_push_flag, offsetof(kernel, no_return) },  //> . no_return: boolean | whether calls return nothing
  { "cached_code", push_code, 0 },             //> . cached_code: string | the text that was compiled last
  { "in_params", ma_push_kept, IN_PARAMS },    //> . in_params: string | as it was made
  { "out_params", ma_push_kept, OUT_PARAMS },  //> . out_params: string | as it was made
  { "operation", ma_push_kept, OPERATION },    //> . operation: string | as it was made
  { "preamble", ma_push_kept, PREAMBLE },      //> . preamble: string | as it was made
  { "loop_prep", ma_push_kept, LOOP_PREP },    //> . loop_prep: string | as it was made
  { "after_loop", ma_push_kept, AFTER_LOOP },  //> . after_loop: string | as it was made
  { "options", ma_push_kept, OPTIONS },        //> . options: string[] | the compiler's options
  { "derivative", ma_push_kept, DERIVATIVE },  //> . derivative: function | as it was made
  { NULL, NULL, 0 },
};

static const ma_class kernel_class = { .name = "ElementwiseKernel",
                                       .word = "kernel",
                                       .title = "moonarray.ElementwiseKernel",
                                       .magic = 0x6d61656c656d656eu,
                                       .size = sizeof(kernel),
                                       .attributes = attributes,
                                       .text = push_text,
                                       .call = kernel_call,
                                       .prepares = true };

static const ma_function functions[] = {
  //> ElementwiseKernel: ma.ElementwiseKernel("T x, T y", "T z", "z = x * y + 1", "product_1")(ma.array {1, 2}, 3)
  { "ElementwiseKernel(in_params: string, out_params: string, operation: string, name?: string; preamble?: string, "
    "loop_prep?: string, after_loop?: string, no_return?: boolean, options?: string[], reduce_dims?: boolean, "
    "return_tuple?: boolean, derivative?: function) -> elementwise_kernel",
    make_kernel,
    "A kernel from C++ text that is run for every element of broadcast arrays: k(x, y), k(x, y, z), k(x, {size = "
    "n}). ma.grad goes through it where derivative(g, z, x, y) gives for each input what flows to it, if g flows to "
    "the output z." },
  { NULL, NULL, NULL }
};

void ma_open_elementwise(lua_State *L) { ma_lua_register(L, functions); }
