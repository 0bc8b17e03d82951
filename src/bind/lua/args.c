/* args.c: the calling convention of all functions: positional arguments, options by name, and checks of single
** arguments. A correct call allocates nothing: names are compared by address, because signatures hold interned
** strings. */
#include "bind/lua/tag.h"

#include <math.h>
#include <string.h>

/* ==== Positional arguments and options =========================================================================== */

/* Lists the names from `first` on in the error; 0 if required arguments may be named too. */
static int fail_names_from(lua_State *L, const ma_signature *signature, int first, const char *found) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  luaL_addstring(&buffer, found);
  luaL_addstring(&buffer, signature->nargs <= first        ? "; it has no options"
                          : first || !signature->nrequired ? "; the options are "
                                                           : "; the arguments are ");
  for (int i = first; i < signature->nargs; i++) {
    if (i > first) luaL_addstring(&buffer, ", ");
    luaL_addstring(&buffer, signature->arg[i]);
  }
  luaL_pushresult(&buffer);
  return ma_lua_failas(L, signature->name, lua_tostring(L, -1));
}

static int fail_names(lua_State *L, const ma_signature *signature, const char *found) {
  return fail_names_from(L, signature, signature->nrequired, found);
}

/* Whether the value is a table of options: all keys are strings, or it is empty. A table with both kinds of keys is
** refused. A table with a metatable is an object, such as a sparse matrix. */
static bool is_options(lua_State *L, int index, const ma_signature *signature) {
  if (lua_getmetatable(L, index)) {
    lua_pop(L, 1);
    return false;
  }
  lua_pushnil(L);
  if (!lua_next(L, index)) return true;
  lua_pop(L, 1);
  bool named = lua_type(L, -1) == LUA_TSTRING;
  if (named) { /* bind_options reports the others */
    lua_pop(L, 1);
    return true;
  }
  while (!named && lua_next(L, index)) {
    lua_pop(L, 1);
    named = lua_type(L, -1) == LUA_TSTRING;
  }
  if (named) fail_names(L, signature, "a table with both positions and names; options have names alone");
  return false;
}

/* Pushes "1, 2, 3" of the numbers in slots 1 to n. */
static const char *push_numbers(lua_State *L, int n) {
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  for (int k = 1; k <= n; k++) {
    lua_pushnumber(L, lua_tonumber(L, k));
    if (k > 1) luaL_addstring(&text, ", ");
    luaL_addvalue(&text);
  }
  luaL_pushresult(&text);
  return lua_tostring(L, -1);
}

static int leading_numbers(lua_State *L) {
  int n = 0;
  while (lua_type(L, n + 1) == LUA_TNUMBER) n++;
  return n;
}

/* A frequent mistake is a shape without braces, as in ma.zeros(2, 3): then a number stands where the dtype belongs. */
static void check_shape_apart(lua_State *L, const ma_signature *signature) {
  int dtype = signature->dtype;
  if (dtype > 0 && !strcmp(signature->arg[dtype - 1], "size") && lua_type(L, dtype) == LUA_TNUMBER &&
      lua_type(L, dtype + 1) == LUA_TNUMBER)
    ma_lua_failas(L, signature->name,
                  lua_pushfstring(L, "size in several numbers; wanted one table, {%s, %s}", lua_tostring(L, dtype),
                                  lua_tostring(L, dtype + 1)));
  int n = leading_numbers(L), last = signature->nrequired - 1; /* `last` numbers follow the shape */
  if (n < 2 || !signature->nargs) return;
  if (!strcmp(signature->arg[0], "object"))
    ma_lua_failas(
      L, signature->name,
      lua_pushfstring(L, "%d numbers; wanted one table of them: ma.%s({%s})", n, signature->name, push_numbers(L, n)));
  if (strcmp(signature->arg[0], "shape") || last > 1 || n < last + 2) return;
  const char *shape = push_numbers(L, n - last);
  ma_lua_failas(L, signature->name,
                lua_pushfstring(L,
                                last ? "a shape in several numbers; wanted one table: ma.%s({%s}, %s)"
                                     : "a shape in several numbers; wanted one table: ma.%s({%s})",
                                signature->name, shape, last ? lua_tostring(L, n) : ""));
}

/* The slot of the argument `name`, from `first` on. */
static int find_option(const ma_signature *signature, const char *name, int first) {
  for (int i = first; i < signature->nargs; i++)
    if (signature->arg[i] == name) return i;
  return -1;
}

/* Moves the options of the table on top into their slots and pops it. They may name arguments from `first` on.
** Returns a bit for each slot. */
static uint32_t bind_options(lua_State *L, const ma_signature *signature, int first) {
  int table = lua_gettop(L);
  uint32_t bound = 0;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      fail_names(L, signature, "a table with both positions and names; options have names alone");
    const char *name = lua_tostring(L, -2);
    int slot = find_option(signature, name, first);
    if (slot < 0)
      fail_names_from(L, signature, first,
                      lua_pushfstring(L, "no %s '%s'", first || !signature->nrequired ? "option" : "argument", name));
    if (!lua_isnil(L, slot + 1)) fail_names(L, signature, lua_pushfstring(L, "%s is given twice", name));
    lua_replace(L, slot + 1);
    bound |= 1u << slot;
  }
  lua_settop(L, table - 1);
  return bound;
}

static int fail_missing(lua_State *L, const ma_signature *signature, int slot) {
  const char *name = signature->arg[slot];
  return ma_lua_failas(L, signature->name,
                       lua_pushfstring(L, "no argument '%s'; the call is %s", name, signature->text));
}

static int fail_count(lua_State *L, const ma_signature *signature, int n) {
  check_shape_apart(L, signature);
  if (signature->nargs && !strcmp(signature->arg[0], "arrays") && ma_lua_toarray(L, 1))
    ma_lua_failas(L, signature->name,
                  lua_pushfstring(L, "%d arguments; wanted one table of arrays: ma.%s({a, b})", n, signature->name));
  if (!strcmp(signature->name, "view") && lua_type(L, 2) == LUA_TNUMBER)
    ma_lua_failas(L, "view",
                  lua_pushfstring(L, "%d arguments; at most %d: %s (a view of another shape is a:reshape(2, 3))", n,
                                  signature->npositional, signature->text));
  bool options = signature->nargs > signature->npositional;
  lua_pushfstring(L, "%d arguments; at most %d: %s", n, signature->npositional, signature->text);
  if (options)
    lua_pushfstring(L, "%s (what follows `;` goes into a table: {%s = ...})", lua_tostring(L, -1),
                    signature->arg[signature->npositional]);
  return ma_lua_failas(L, signature->name, lua_tostring(L, -1));
}

/* A method whose first argument is not an array was called with a dot. */
static void check_self(lua_State *L, const ma_signature *signature) {
  if (ma_lua_arrayat(L, 1) || ma_lua_istraced(L, 1)) return;
  const char *name = signature->name;
  ma_lua_failas(L, name, lua_pushfstring(L, "%s in place of the array; write a:%s()", ma_lua_describe(L, 1), name));
}

/* Whether a string behind the required arguments names a dtype: zeros({2, 3}, "float32"), arange(5, "int8"). */
static bool is_dtype_name(lua_State *L, int index, const ma_signature *signature) {
  ma_dtype dtype;
  return signature->dtype >= signature->nrequired && index > signature->nrequired && index != signature->dtype + 1 &&
         lua_type(L, index) == LUA_TSTRING && ma_dtype_spelt(lua_tostring(L, index), &dtype);
}

/* Spreads `have` positional arguments, and the `above` values above them, over nargs slots. */
static void spread(lua_State *L, const ma_signature *signature, int have, int above) {
  int missing = signature->nargs - (have < signature->npositional ? have : signature->npositional);
  int place = signature->nargs - missing + 1;
  if (!missing) return;
  if (missing > LUA_MINSTACK / 2) ma_lua_room(L, missing);
  if (!above && have <= signature->npositional) {
    lua_settop(L, signature->nargs);
    return;
  }
  if (above == 1 && have <= signature->npositional) { /* the usual call with options: moves one value up */
    lua_settop(L, signature->nargs + 1);
    lua_pushvalue(L, have + 1);
    lua_replace(L, signature->nargs + 1);
    lua_pushnil(L);
    lua_replace(L, have + 1);
    return;
  }
  while (missing--) {
    lua_pushnil(L);
    lua_insert(L, place);
  }
}

/* f{a = x, b = y}: one table with all arguments by name. A key that is the name of a required argument tells it from
** data, as objects have metatables. */
static bool is_named_call(lua_State *L, const ma_signature *signature) {
  bool named = false;
  if (lua_getmetatable(L, 1)) {
    lua_pop(L, 1);
    return false;
  }
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) {
      lua_pop(L, 1);
      return false;
    }
    int slot = find_option(signature, lua_tostring(L, -1), 0);
    named |= slot >= 0 && slot < signature->nrequired;
  }
  return named;
}

static int arrange_named(lua_State *L, const ma_signature *signature) {
  lua_settop(L, signature->nargs + 1);
  lua_pushvalue(L, 1);
  lua_replace(L, signature->nargs + 1);
  lua_pushnil(L);
  lua_replace(L, 1);
  bind_options(L, signature, 0);
  for (int i = 0; i < signature->nrequired; i++)
    if (lua_isnil(L, i + 1)) fail_missing(L, signature, i);
  return signature->nargs;
}

int ma_lua_arrange(lua_State *L, const ma_signature *signature) {
  int n = lua_gettop(L), nargs = signature->nargs;
  ma_lua *state = ma_lua_state(L);
  state->running = signature;
  state->given = UINT32_MAX;
  ma_deferral_current = &state->deferral;
  if (n == 1 && signature->nrequired == 1 &&
      (ma_lua_arrayat(L, 1) || (!signature->method && lua_type(L, 1) == LUA_TNUMBER))) { /* a:sum(), ma.zeros(3) */
    if (nargs > 1) lua_settop(L, nargs);
    state->given = 1;
    return nargs;
  }
  if (signature->method) check_self(L, signature);
  if (n && lua_type(L, 1) == LUA_TTABLE) ma_lua_refusecolon(L, signature);
  if (n == 1 && signature->nrequired > 0 && lua_type(L, 1) == LUA_TTABLE && is_named_call(L, signature))
    return arrange_named(L, signature);
  bool options = n > signature->nrequired && lua_type(L, n) == LUA_TTABLE && is_options(L, n, signature);
  if (options) n--;
  bool trailing = n > 0 && is_dtype_name(L, n, signature); /* stays in place, below the options */
  if (trailing) n--;
  while (n > signature->npositional && !signature->loose) {
    if (!lua_isnil(L, n)) return fail_count(L, signature, n);
    lua_remove(L, n--);
  }
  spread(L, signature, n, options + trailing);
  uint32_t given = n < 32 ? (1u << n) - 1 : UINT32_MAX;
  if (signature->dtype > 0 && lua_type(L, signature->dtype + 1) == LUA_TNUMBER) check_shape_apart(L, signature);
  if (options) given |= bind_options(L, signature, signature->nrequired);
  if (trailing) {
    given |= 1u << signature->dtype;
    if (!lua_isnil(L, signature->dtype + 1)) fail_names(L, signature, "dtype is given twice");
    lua_replace(L, signature->dtype + 1);
  }
  for (int i = 0; i < signature->nrequired; i++)
    if (lua_isnil(L, i + 1)) return fail_missing(L, signature, i);
  state->given = given;
  return nargs;
}

void ma_lua_arrangehere(lua_State *L) { ma_lua_arrange(L, lua_touserdata(L, lua_upvalueindex(2))); }

/* ==== Single arguments =========================================================================================== */

ma_array *ma_lua_checkarray(lua_State *L, int index) {
  ma_array *array = ma_lua_arrayat(L, index);
  if (!array && ma_lua_istraced(L, index)) ma_lua_failtraced(L);
  if (!array) ma_lua_fail(L, "%s is %s; wanted an array", ma_lua_argname(L, index), ma_lua_describe(L, index));
  if (!array->buffer) ma_lua_fail(L, "%s", ma_lua_describe(L, index));
  return array;
}

ma_array *ma_lua_optarray(lua_State *L, int index) {
  return lua_isnoneornil(L, index) ? NULL : ma_lua_checkarray(L, index);
}

void ma_lua_checkmeet(lua_State *L, const ma_array *a, const ma_array *b) {
  ma_lua_check(L, ma_device_meet(ma_array_device(a), ma_array_device(b)));
}

void ma_lua_checksame(lua_State *L, const ma_array *a, const ma_array *b) {
  if (ma_array_device(a) == ma_array_device(b)) return;
  ma_device_apart(ma_array_device(a), ma_array_device(b));
  ma_lua_failas(L, lua_tostring(L, 1), ma_message());
}

ma_array *ma_lua_checkbeside(lua_State *L, int index, const ma_array *first) {
  ma_array *array = ma_lua_checkarray(L, index);
  ma_lua_checkmeet(L, first, array);
  return array;
}

double ma_lua_checknumber(lua_State *L, int index, const char *what) {
  ma_value value;
  ma_dtype dtype;
  ma_weak weak;
  if (lua_type(L, index) == LUA_TNUMBER) return lua_tonumber(L, index);
  if (lua_type(L, index) == MA_LUA_TCDATA && ma_lua_tovalue(L, index, &value, &dtype, &weak) && weak != MA_WEAK_COMPLEX)
    return ma_value_cast(value, dtype, MA_FLOAT64).c.re;
  if (ma_lua_istraced(L, index)) ma_lua_failtraced(L);
  ma_array *array = ma_lua_toarray(L, index);
  if (array && ma_lua_checkarray(L, index)->size == 1 && ma_dtypes[array->dtype].kind != MA_KIND_COMPLEX) {
    MA_LUA_TRY(L, ma_array_item(array, ma_lua_streamfor(L, array), &value));
    return ma_value_cast(value, array->dtype, MA_FLOAT64).c.re;
  }
  ma_lua_fail(L, "%s is %s; wanted a number", what, ma_lua_describe(L, index));
  return 0;
}

/* The usual argument: a whole Lua number. */
static bool is_whole(lua_State *L, int index, int64_t *value) {
  if (lua_type(L, index) != LUA_TNUMBER) return false;
  double number = lua_tonumber(L, index);
  if (!(fabs(number) < 0x1p63)) return false;
  *value = (int64_t)number;
  return (double)*value == number;
}

int64_t ma_lua_checkint(lua_State *L, int index, const char *what) {
  ma_value value;
  if (is_whole(L, index, &value.i)) return value.i;
  int type = lua_type(L, index);
  if (type == MA_LUA_TCDATA) {
    ma_dtype dtype;
    ma_weak weak;
    if (ma_lua_tovalue(L, index, &value, &dtype, &weak) && dtype == MA_INT64) return value.i;
  }
  if (type != LUA_TNUMBER && ma_lua_istraced(L, index)) ma_lua_failtraced(L);
  if (type != LUA_TNUMBER && !ma_lua_toarray(L, index))
    ma_lua_fail(L, "%s is %s; wanted a whole number", what, ma_lua_describe(L, index));
  double number = ma_lua_checknumber(L, index, what);
  if (!(fabs(number) < 0x1p63) || number != floor(number))
    ma_lua_fail(L, "%s is %.14g; wanted a whole number", what, isnan(number) ? NAN : number);
  return (int64_t)number;
}

/* A frequent mistake: ma.zeros{3, dtype = "int8"}. A name comes behind the n extents. */
static void check_no_names(lua_State *L, int index, int n, const char *what) {
  if (n) lua_pushinteger(L, n);
  else lua_pushnil(L);
  if (!lua_next(L, index)) return;
  if (lua_type(L, -2) == LUA_TSTRING)
    ma_lua_fail(L, "%s has the name '%s'; wanted extents alone, and options in a table behind them: {2, 3}, {%s = ...}",
                what, lua_tostring(L, -2), lua_tostring(L, -2));
  lua_pop(L, 2);
}

int ma_lua_checkshape(lua_State *L, int index, int64_t *shape) {
  if (is_whole(L, index, shape)) return 1;
  const char *what = ma_lua_argname(L, index);
  if (lua_type(L, index) != LUA_TTABLE) {
    if (lua_type(L, index) != LUA_TNUMBER && !ma_lua_toarray(L, index) && lua_type(L, index) != MA_LUA_TCDATA &&
        !ma_lua_istraced(L, index))
      ma_lua_fail(L, "%s is %s; wanted a whole number, or a table of them such as {2, 3}", what,
                  ma_lua_describe(L, index));
    shape[0] = ma_lua_checkint(L, index, what);
    return 1;
  }
  size_t ndim = lua_objlen(L, index);
  if (ndim > MA_MAX_NDIM) ma_lua_fail(L, "%s has %d extents; at most %d axes", what, (int)ndim, MA_MAX_NDIM);
  for (size_t i = 0; i < ndim; i++) {
    lua_rawgeti(L, index, (int)i + 1);
    shape[i] = ma_lua_checkint(L, -1, what);
    lua_pop(L, 1);
  }
  check_no_names(L, index, (int)ndim, what);
  return (int)ndim;
}

static int axis_of(lua_State *L, int index, const char *what, int ndim) {
  int axis = 0;
  ma_lua_check(L, ma_shape_axis(ma_lua_checkint(L, index, what), ndim, &axis));
  return axis;
}

int ma_lua_checkaxis(lua_State *L, int index, int ndim) { return axis_of(L, index, ma_lua_argname(L, index), ndim); }

uint32_t ma_lua_checkaxes(lua_State *L, int index, int ndim) {
  const char *what = ma_lua_argname(L, index);
  if (lua_isnoneornil(L, index)) return (1u << ndim) - 1;
  if (lua_type(L, index) != LUA_TTABLE) return 1u << axis_of(L, index, what, ndim);
  uint32_t axes = 0;
  int n = (int)lua_objlen(L, index);
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, index, i);
    uint32_t bit = 1u << axis_of(L, -1, what, ndim);
    if (axes & bit) ma_lua_fail(L, "%s names axis %d twice; each axis once", what, (int)lua_tointeger(L, -1));
    axes |= bit;
    lua_pop(L, 1);
  }
  return axes;
}

static ma_dtype dtype_named(lua_State *L, const char *name) {
  const ma_lua *state = ma_lua_state(L);
  ma_dtype dtype;
  for (int t = MA_NDTYPE - 1; t >= 0; t--) /* from the end, where the floats are */
    if (state->dtype_names[t] == name) return (ma_dtype)t;
  if (ma_dtype_spelt(name, &dtype)) return dtype;
  lua_newtable(L);
  for (int i = 0; i < MA_NDTYPE; i++) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, ma_dtypes[i].name);
  }
  const char *nearest = ma_dtype_meant(name);
  if (!nearest) nearest = ma_lua_nearest(L, lua_gettop(L), name);
  if (nearest) ma_lua_fail(L, "no dtype '%s'; did you mean '%s'?", name, nearest);
  ma_lua_fail(L, "no dtype '%s'; wanted one such as 'float32', 'int64', 'bool', 'complex128'", name);
  return dtype;
}

/* The function ma.float32 is accepted as its dtype. */
static bool dtype_of_cast(lua_State *L, int index, ma_dtype *dtype) {
  if (lua_type(L, index) != LUA_TFUNCTION) return false;
  lua_pushvalue(L, index);
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->casts);
  lua_insert(L, -2);
  lua_rawget(L, -2);
  bool found = lua_type(L, -1) == LUA_TNUMBER;
  if (found) *dtype = (ma_dtype)lua_tointeger(L, -1);
  lua_pop(L, 2);
  return found;
}

ma_dtype ma_lua_checkdtype(lua_State *L, int index, ma_dtype fallback) {
  ma_dtype dtype = fallback;
  int type = lua_type(L, index);
  if (type <= LUA_TNIL) return fallback;
  if (type == LUA_TSTRING) return dtype_named(L, lua_tostring(L, index));
  if (!dtype_of_cast(L, index, &dtype)) {
    ma_lua_fail(L, "%s is %s; wanted a dtype as a string, such as 'float32'", ma_lua_argname(L, index),
                ma_lua_describe(L, index));
  }
  return dtype;
}

bool ma_lua_optbool(lua_State *L, int index, bool fallback) {
  if (lua_isnoneornil(L, index)) return fallback;
  if (!lua_isboolean(L, index))
    ma_lua_fail(L, "%s is %s; wanted true or false", ma_lua_argname(L, index), ma_lua_describe(L, index));
  return lua_toboolean(L, index);
}

void ma_lua_checkflags(lua_State *L, const ma_signature *signature) {
  for (uint32_t flags = signature->flags; flags; flags &= flags - 1) ma_lua_optbool(L, __builtin_ctz(flags) + 1, false);
}

/* ==== Devices and streams ========================================================================================= */

ma_device *ma_lua_optdevice(lua_State *L, int index) {
  if (lua_isnoneornil(L, index)) return ma_lua_device(L);
  ma_device *device = ma_lua_todevice(L, index);
  if (device) return device;
  if (lua_type(L, index) != LUA_TSTRING)
    ma_lua_fail(L, "%s is %s; wanted a device such as 'cpu' or 'cuda:0'", ma_lua_argname(L, index),
                ma_lua_describe(L, index));
  ma_lua_check(L, ma_device_get(lua_tostring(L, index), &device));
  return device;
}

ma_stream *ma_lua_openstream(lua_State *L, const ma_lua_stream_object *object) {
  if (!object->stream) ma_lua_fail(L, "stream %d was closed; wanted an open one", (int)object->id);
  return object->stream;
}

ma_stream *ma_lua_optstream(lua_State *L, int index) {
  if (lua_isnoneornil(L, index)) return ma_lua_stream(L);
  const ma_lua_stream_object *object = ma_lua_tostream(L, index);
  if (object) return ma_lua_openstream(L, object);
  ma_lua_fail(L, "%s is %s; wanted a stream such as moonarray.Stream.null", ma_lua_argname(L, index),
              ma_lua_describe(L, index));
  return NULL;
}

ma_stream *ma_lua_optstream_of(lua_State *L, int index, ma_device *device) {
  ma_stream *stream = lua_isnil(L, index) ? ma_lua_stream_of(L, device) : ma_lua_optstream(L, index);
  if (stream->device != device)
    ma_lua_fail(L, "a stream of %s and arrays on %s; wanted both of one device", stream->device->name, device->name);
  return stream;
}

ma_stream *ma_lua_checkstream(lua_State *L) {
  const ma_lua_stream_object *object = ma_lua_tostream(L, 1);
  if (object) return ma_lua_openstream(L, object);
  ma_lua_fail(L, "%s in place of the stream; write stream:method()", ma_lua_describe(L, 1));
  return NULL;
}
