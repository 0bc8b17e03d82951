/* array.c: the userdata of an array: its attributes, its life, and the methods that move values into and out of it. */
//# devices
#include "bind/array/index.h"
#include "bind/lua/noted.h"
#include "bind/array/life.h"

#include <ctype.h>
#include <string.h>

/* ==== Freeing ==================================================================================================== */

static int array_free(lua_State *L) {
  char by[LUA_IDSIZE + 32] = "by free";
  lua_Debug frame;
  ma_array *array = ma_lua_toarray(L, 1);
  if (!array && ma_lua_istraced(L, 1)) return ma_lua_failtraced(L);
  if (!array) return ma_lua_fail(L, "%s; wanted an array", ma_lua_describe(L, 1));
  if (!array->buffer) return 0;
  if (ma_lua_userframe(L, &frame, MA_NEAR_FRAMES))
    snprintf(by, sizeof by, "at %s:%d", frame.short_src, frame.currentline);
  ma_lua_freearray(array, by);
  ma_lua_sweep(L);
  return 0;
}

/* ==== Attributes ================================================================================================= */

static void push_extents(lua_State *L, const ma_array *array, const int64_t *extent) {
  lua_createtable(L, array->ndim, 0);
  for (int d = 0; d < array->ndim; d++) {
    lua_pushnumber(L, (double)extent[d]);
    lua_rawseti(L, -2, d + 1);
  }
}

static void push_shape(lua_State *L, const ma_array *array) {
  push_extents(L, array, array->shape);
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->shapes);
  lua_setmetatable(L, -2);
}

static void push_strides(lua_State *L, const ma_array *array) { push_extents(L, array, array->stride); }
static void push_dtype(lua_State *L, const ma_array *array) { ma_lua_pushdtype(L, (ma_dtype)array->dtype); }
static void push_ndim(lua_State *L, const ma_array *array) { lua_pushinteger(L, array->ndim); }
static void push_size(lua_State *L, const ma_array *array) { lua_pushnumber(L, (double)array->size); }
static void push_itemsize(lua_State *L, const ma_array *array) { lua_pushinteger(L, ma_dtypes[array->dtype].itemsize); }
static void push_nbytes(lua_State *L, const ma_array *array) {
  lua_pushnumber(L, (double)array->size * ma_dtypes[array->dtype].itemsize);
}
static void push_device(lua_State *L, const ma_array *array) { ma_lua_pushdevice(L, ma_array_device(array)); }
static void push_contiguous(lua_State *L, const ma_array *array) { lua_pushboolean(L, ma_array_is_contiguous(array)); }
static void push_readonly(lua_State *L, const ma_array *array) { lua_pushboolean(L, array->readonly); }

static void push_transposed(lua_State *L, const ma_array *array) {
  ma_lua_check(L, ma_array_transpose(ma_lua_newarray(L), array, NULL));
}

static void push_matrix_transposed(lua_State *L, const ma_array *array) {
  int axes[MA_MAX_NDIM], n = array->ndim;
  if (n < 2) ma_lua_fail(L, "%d axes; mT swaps the last two of at least 2", n);
  for (int d = 0; d < n; d++) axes[d] = d < n - 2 ? d : 2 * n - 3 - d;
  ma_lua_check(L, ma_array_transpose(ma_lua_newarray(L), array, axes));
}

static void push_real(lua_State *L, const ma_array *array) {
  ma_array *view = ma_lua_newarray(L);
  if (ma_dtypes[array->dtype].kind == MA_KIND_COMPLEX) MA_LUA_TRY(L, ma_array_part(view, array, false));
  else ma_array_view(view, array);
}

static void push_imag(lua_State *L, const ma_array *array) {
  ma_array *part = ma_lua_newarray(L);
  ma_device *device = ma_array_device(array);
  if (ma_dtypes[array->dtype].kind == MA_KIND_COMPLEX) {
    MA_LUA_TRY(L, ma_array_part(part, array, true));
    return;
  }
  MA_LUA_TRY(L, ma_array_new(part, device, array->dtype, array->ndim, array->shape));
  MA_LUA_TRY(L, ma_array_fill(part, (ma_value){ .u = 0 }, MA_BOOL, ma_lua_stream_of(L, device)));
  part->readonly = MA_CONSTANT;
}

static void push_flags(lua_State *L, const ma_array *array) {
  const struct {
    const char *name;
    bool value;
  } flags[] = {
    { "c_contiguous", ma_array_is_contiguous(array) },
    { "f_contiguous", ma_array_is_fortran(array) },
    { "owndata", !array->is_view },
    { "writeable", !array->readonly },
  };
  lua_createtable(L, 0, sizeof flags / sizeof *flags);
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
    lua_pushboolean(L, flags[k].value);
    lua_setfield(L, -2, flags[k].name);
  }
  ma_lua_setrecord(L, "flags");
}

static void push_base(lua_State *L, const ma_array *array) {
  if (array->is_view) ma_lua_check(L, ma_array_whole(ma_lua_newarray(L), array));
  else lua_pushnil(L);
}

/* The array is in slot 1. */
static void push_flat(lua_State *L, const ma_array *array) {
  (void)array;
  ma_lua_pushhook(L, MA_HOOK_FLAT);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
}

//> = array | ma.ones({2, 2}) | A CPU's or a GPU's memory seen through a shape. Indexing: a["2:5, :, -1"],
//> \ a[ {{2, 5}, {}, -1} ], a[mask] and a[ma.index{1, 3}] are arrays; a[1] is an element or a view; a(2, 3) is one
//> \ element.
//> . [integer]: any | an element, or a view of the other axes
//> . [string]: part
//> . [table]: part
//> . [array]: part
//> + add(data): array
//> + sub(data): array
//> + mul(data): array
//> + div(data): array
//> + mod(data): array
//> + pow(data): array
//> + concat(string|number): string
//> + unm: array
//> + len: integer
//> + call(...: integer): scalar
static const struct {
  const char *name;
  void (*push)(lua_State *L, const ma_array *array);
} attributes[] = {
  { "shape", push_shape },               //> . shape: integer[] | the extents
  { "dtype", push_dtype },               //> . dtype: dtype | of the elements
  { "ndim", push_ndim },                 //> . ndim: integer | the axes
  { "size", push_size },                 //> . size: integer | the elements
  { "T", push_transposed },              //> . T: array | with the axes in the opposite order
  { "mT", push_matrix_transposed },      //> . mT: array | with the last two axes exchanged
  { "real", push_real },                 //> . real: array | the real parts
  { "imag", push_imag },                 //> . imag: array | the imaginary parts
  { "device", push_device },             //> . device: string | where they are
  { "itemsize", push_itemsize },         //> . itemsize: integer | bytes of an element
  { "nbytes", push_nbytes },             //> . nbytes: integer | bytes of all elements
  { "strides", push_strides },           //> . strides: integer[] | bytes from one element to the next along each axis
  { "is_contiguous", push_contiguous },  //> . is_contiguous: boolean | whether the elements lie one after another
  { "readonly", push_readonly },         //> . readonly: boolean | whether writes fail
  { "flags", push_flags },               //> . flags: table | c_contiguous, f_contiguous, owndata and writeable
  { "base", push_base },                 //> . base: array? | of a view the array whose memory it sees
  { "flat", push_flat },                 //> . flat: flat | the elements in C order
};

/* "sum2" may be an attribute; "2:5", "..." and "_" are indices. */
static bool is_identifier(const char *text) {
  if (!isalpha((unsigned char)*text) && !(*text == '_' && text[1])) return false;
  while (isalnum((unsigned char)*text) || *text == '_') text++;
  return !*text;
}

static int unknown_attribute(lua_State *L, const char *name) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->methods);
  return ma_lua_unknown(L, "array", "attribute", name, lua_gettop(L));
}

static int read_attribute(lua_State *L, int which) {
  const ma_array *array = ma_lua_arrayat(L, 1);
  attributes[which].push(L, array && array->buffer ? array : ma_lua_checkarray(L, 1));
  return 1;
}

/* Keeps the method on top under its name in slot 2, where lua/moonarray/attribute.lua finds it without asking again. */
static void keep_method(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->used_methods);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* Upvalue 3: the methods; a number stands for an attribute. */
static int array_index(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return ma_lua_index(L);
  ma_lua *state = ma_lua_state(L);
  const char *name = lua_tostring(L, 2);
  const struct ma_recent_text *recent = ma_lua_recenttext(state, name);
  if (recent && recent->index) return ma_lua_index(L);
  if (recent) return read_attribute(L, recent->attribute);
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(3));
  int type = lua_type(L, -1);
  if (type == LUA_TNUMBER) {
    int which = (int)lua_tointeger(L, -1);
    ma_lua_noterecent(state, name, NULL, which);
    return read_attribute(L, which);
  }
  if (type == LUA_TNIL) {
    lua_settop(L, 2);
    if (!is_identifier(name)) return ma_lua_index(L);
    if (!ma_lua_latermethod(L)) return unknown_attribute(L, name);
  }
  keep_method(L);
  return 1;
}

/* core.array_methods(): the methods by name, without attributes. Upvalue 3: the methods. */
static int array_methods(lua_State *L) {
  lua_settop(L, 0);
  ma_lua_summonall(L);
  lua_newtable(L);
  lua_pushnil(L);
  while (lua_next(L, lua_upvalueindex(3))) {
    if (lua_type(L, -1) == LUA_TNUMBER) {
      lua_pop(L, 1);
      continue;
    }
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, 1);
  }
  return 1;
}

/* core.set_array_index(fn, methods): makes fn(array, key) the __index. The one in C adds methods to `methods`. */
static int set_array_index(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  lua_rawseti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->used_methods);
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->array_metatable);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "__index");
  return 0;
}

static int array_newindex(lua_State *L) {
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
  if (!name || !is_identifier(name)) return ma_lua_newindex(L);
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(3));
  if (lua_isnil(L, -1) && !ma_lua_latermethod(L)) return unknown_attribute(L, name);
  if (!strcmp(name, "shape")) return ma_lua_fail(L, "shape cannot be set; write a:reshape(...)");
  if (!strcmp(name, "dtype")) return ma_lua_fail(L, "dtype cannot be set; write a:astype(...)");
  return ma_lua_fail(L, "%s cannot be set; elements are set by a[...] = value", name);
}

static int array_len(lua_State *L) {
  const ma_array *array = ma_lua_checkarray(L, 1);
  if (!array->ndim) return ma_lua_fail(L, "a 0-d array has no length; a:item() is its value");
  lua_pushnumber(L, (double)array->shape[0]);
  return 1;
}

/* ==== Text ======================================================================================================= */

static int print_array(lua_State *L) {
  const ma_array *array = ma_lua_toarray(L, 1);
  if (array && array->buffer && ma_lua_pushhook(L, MA_HOOK_TOSTRING)) {
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    return 1;
  }
  lua_pushstring(L, ma_lua_describe(L, 1));
  return 1;
}

static int array_tostring(lua_State *L) { return MA_LUA_NOTED(L, print_array); }

static int array_concat(lua_State *L) {
  if (ma_lua_toarray(L, 1) && ma_lua_toarray(L, 2))
    return ma_lua_fail(L, "two arrays; .. makes text: write ma.concatenate({a, b})");
  lua_getglobal(L, "tostring");
  for (int i = 1; i <= 2; i++) {
    int type = lua_type(L, i);
    if (type != LUA_TSTRING && type != LUA_TNUMBER && !ma_lua_toarray(L, i))
      return ma_lua_fail(L, "%s; .. takes a string or a number beside an array", ma_lua_describe(L, i));
    lua_pushvalue(L, i); /* tostring converts a copy of the number */
    if (!ma_lua_toarray(L, i)) continue;
    lua_pop(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->array_metatable);
    lua_getfield(L, -1, "__tostring");
    lua_replace(L, -2);
    lua_pushvalue(L, i);
    lua_call(L, 1, 1);
  }
  lua_concat(L, 2);
  return 1;
}

static int array_compare(lua_State *L) {
  return ma_lua_fail(L, "Lua's < and <= see no elements; write a:lt(b), a:le(b), a:gt(b) or a:ge(b)");
}

/* ==== Writing ==================================================================================================== */

static int array_assign(lua_State *L) {
  ma_lua_assign(L, ma_lua_checkarray(L, 1), 2);
  lua_settop(L, 1);
  return 1;
}

static int array_fill(lua_State *L) {
  ma_array *array = ma_lua_checkarray(L, 1);
  const ma_array *value = ma_lua_toarray(L, 2);
  if (value ? value->ndim : lua_istable(L, 2))
    return ma_lua_fail(L, "%s; fill takes one value, assign a whole array", ma_lua_describe(L, 2));
  ma_lua_assign(L, array, 2);
  lua_settop(L, 1);
  return 1;
}

/* ==== Registration ================================================================================================ */

static const ma_function functions[] = {
  //> free: local a = ma.ones(2)
  //>   a:free()
  //>   return a
  { "free(a: data)", array_free, "Drops this handle; the memory goes with the last view. Twice is harmless." },
  //# indexing
  //> fill: ma.zeros(2):fill(4)
  { "fill(a: data, value: data) -> array", array_fill, "Sets every element; returns the array." },
  { "core.set_array_index(fn, methods)", set_array_index, NULL },
  //> assign: ma.zeros(2):assign({1, 2})
  { "assign(a: data, value: data) -> array", array_assign,
    "Copies a number, a table or an array of any device into the array; returns it." },
  { NULL, NULL, NULL }
};

static const struct {
  const char *name, *signature;
  lua_CFunction call;
} metamethods[] = {
  { "__index", ":index(a, key)", array_index },     { "__newindex", ":index(a, key, value)", array_newindex },
  { "__call", ":index(a, ...)", ma_lua_call },      { "__len", ":len(a)", array_len },
  { "__tostring", ":tostring(a)", array_tostring }, { "__concat", ":concat(a, b)", array_concat },
  { "__lt", ":less(a, b)", array_compare },         { "__le", ":less_equal(a, b)", array_compare },
};

static void set_metamethods(lua_State *L, ma_lua *state) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->array_metatable);
  for (size_t i = 0; i < sizeof metamethods / sizeof *metamethods; i++) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->methods);
    ma_lua_pushplain(L, metamethods[i].signature, false, metamethods[i].call, 1);
    lua_setfield(L, -2, metamethods[i].name);
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, ma_lua_array_gc, 1);
  lua_setfield(L, -2, "__gc");
  lua_pushliteral(L, "moonarray array");
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

/* core.array_index: the __index that this file defines. lua/moonarray/attribute.lua puts one of its own before it. */
static void file_index(lua_State *L, ma_lua *state) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->array_metatable);
  lua_getfield(L, -1, "__index");
  ma_lua_file(L, "core.array_index");
  lua_pop(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->methods);
  ma_lua_pushplain(L, "core.array_methods()", false, array_methods, 1);
  ma_lua_file(L, "core.array_methods");
}

void ma_open_array(lua_State *L) {
  ma_lua *state = ma_lua_state(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->methods);
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    lua_pushinteger(L, (lua_Integer)i);
    lua_setfield(L, -2, attributes[i].name);
  }
  lua_pop(L, 1);
  set_metamethods(L, state);
  file_index(L, state);
  ma_lua_register(L, functions);
}
