/*
** create.c: new arrays: unset, of one value, from data of another kind, and the typed scalars. table.c reads nested
** tables; sequence.c makes ranges. Data of the host becomes a CPU array first, which is moved to the device as one
** block.
*/
//# create
#include "bind/array/new.h"
#include "bind/lua/tag.h"

static void fill_with(lua_State *L, ma_array *array, int number) {
  MA_LUA_TRY(L, ma_array_fill(array, (ma_value){ .i = number }, MA_INT64, ma_lua_streamfor(L, array)));
}

/* ==== empty, zeros, ones, full =================================================================================== */

static ma_dtype default_dtype(lua_State *L) { return ma_lua_state(L)->default_dtype; }

/* Slots: shape, dtype?, order?, device?. */
static ma_array *make_empty(lua_State *L) {
  int64_t shape[MA_MAX_NDIM];
  ma_device *device = ma_lua_optdevice(L, 4);
  ma_dtype dtype = ma_lua_checkdtype(L, 2, default_dtype(L));
  ma_order order = ma_lua_checkorder(L, 3, MA_ORDER_C, "CF");
  int ndim = ma_lua_checkshape(L, 1, shape);
  return ma_lua_pushnewin(L, device, dtype, ndim, shape, order, NULL);
}

static int create_empty(lua_State *L) {
  if (ma_lua_makestructs(L, 2, 4)) return 1;
  make_empty(L);
  return 1;
}

static int create_zeros(lua_State *L) {
  if (ma_lua_makestructs(L, 2, 4)) return 1;
  fill_with(L, make_empty(L), 0);
  return 1;
}

static int create_ones(lua_State *L) {
  fill_with(L, make_empty(L), 1);
  return 1;
}

/* The dtype of a fill value: an array's own, a scalar's as data. Tables become arrays. */
static ma_dtype value_dtype(lua_State *L, int index, ma_device *device) {
  if (ma_lua_toarray(L, index) || lua_istable(L, index)) return ma_lua_asarray_on(L, index, MA_NDTYPE, device)->dtype;
  return ma_lua_datadtype(L, index);
}

static int create_full(lua_State *L) {
  int64_t shape[MA_MAX_NDIM];
  ma_device *device = ma_lua_optdevice(L, 5);
  ma_order order = ma_lua_checkorder(L, 4, MA_ORDER_C, "CF");
  ma_dtype dtype = lua_isnil(L, 3) ? value_dtype(L, 2, device) : ma_lua_checkdtype(L, 3, MA_FLOAT64);
  int ndim = ma_lua_checkshape(L, 1, shape);
  ma_lua_assign(L, ma_lua_pushnewin(L, device, dtype, ndim, shape, order, NULL), 2);
  return 1;
}

/* Slots: a, then from `first` on dtype?, order?, shape?, device?. */
static ma_array *make_like(lua_State *L, int first) {
  int64_t shape[MA_MAX_NDIM];
  const ma_array *model = ma_lua_asarray(L, 1, MA_NDTYPE);
  ma_dtype dtype = ma_lua_checkdtype(L, first, model->dtype);
  ma_order order = ma_lua_checkorder(L, first + 1, MA_ORDER_K, "CFAK");
  ma_device *device = lua_isnil(L, first + 3) ? ma_array_device(model) : ma_lua_optdevice(L, first + 3);
  if (lua_isnil(L, first + 2)) return ma_lua_pushnewin(L, device, dtype, model->ndim, model->shape, order, model);
  int ndim = ma_lua_checkshape(L, first + 2, shape);
  return ma_lua_pushnewin(L, device, dtype, ndim, shape, order, model);
}

static int create_empty_like(lua_State *L) {
  make_like(L, 2);
  return 1;
}

static int create_zeros_like(lua_State *L) {
  fill_with(L, make_like(L, 2), 0);
  return 1;
}

static int create_ones_like(lua_State *L) {
  fill_with(L, make_like(L, 2), 1);
  return 1;
}

static int create_full_like(lua_State *L) {
  ma_lua_assign(L, make_like(L, 3), 2);
  return 1;
}

/* ==== array, asarray and the typed scalars ======================================================================= */

/* NumPy's copy = True, None (where it is needed) and False (an error where it is needed). */
typedef enum copying { COPY_ALWAYS, COPY_NEEDED, COPY_NEVER } copying;

static copying read_copy(lua_State *L, int slot, copying fallback) {
  return lua_isnil(L, slot) ? fallback : ma_lua_optbool(L, slot, true) ? COPY_ALWAYS : COPY_NEVER;
}

/* The object in slot 1 as an array of a dtype, order and device, pushed. */
static void push_made(lua_State *L, ma_device *device, ma_dtype dtype, ma_order order, copying copy) {
  const ma_array *given = ma_lua_toarray(L, 1);
  ma_device *own = given ? ma_array_device(ma_lua_checkarray(L, 1)) : NULL;
  bool cast = given && dtype != MA_NDTYPE && given->dtype != dtype;
  if (order == MA_ORDER_A && (cast || copy != COPY_ALWAYS)) order = MA_ORDER_K; /* as NumPy: any order is good */
  bool fits = given && !cast && own == device && ma_array_in_order(given, order);
  if (fits && copy != COPY_ALWAYS) {
    lua_pushvalue(L, 1);
    return;
  }
  if (copy == COPY_NEVER)
    ma_lua_fail(L, "copy = false for %s; another dtype, order or device, or what is no array, needs a copy",
                ma_lua_describe(L, 1));
  if (given && own == device) {
    ma_lua_pushcopyin(L, given, dtype == MA_NDTYPE ? (ma_dtype)given->dtype : dtype, order);
    return;
  }
  const ma_array *array = ma_lua_asarray_on(L, 1, dtype, device);
  if (ma_array_device(array) != device) ma_lua_pushon(L, array, device);
  else lua_pushvalue(L, 1);
  array = ma_lua_toarray(L, -1);
  if (!ma_array_in_order(array, order)) ma_lua_pushcopyin(L, array, (ma_dtype)array->dtype, order);
}

/* Slots: object, dtype?, copy?, order?, ndmin?, device?. */
static int create_array(lua_State *L) {
  int64_t shape[MA_MAX_NDIM];
  if (lua_gettop(L) == 1 && lua_type(L, 1) == LUA_TTABLE) { /* ma.array{1, 2, 3} */
    ma_lua_state(L)->running = lua_touserdata(L, lua_upvalueindex(2));
    if (ma_is_host(ma_lua_device(L)) && ma_lua_fromnumbers(L, 1, MA_NDTYPE)) return 1;
  }
  ma_lua_arrangehere(L);
  ma_dtype dtype = ma_lua_checkdtype(L, 2, MA_NDTYPE);
  ma_order order = ma_lua_checkorder(L, 4, MA_ORDER_K, "CFAK");
  int ndmin = lua_isnil(L, 5) ? 0 : (int)ma_lua_checkint(L, 5, "ndmin");
  push_made(L, ma_lua_optdevice(L, 6), dtype, order, read_copy(L, 3, COPY_ALWAYS));
  const ma_array *array = ma_lua_toarray(L, -1);
  if (array->ndim >= ndmin) return 1;
  if (ndmin > MA_MAX_NDIM) return ma_lua_fail(L, "ndmin is %d; an array has at most %d axes", ndmin, MA_MAX_NDIM);
  for (int d = 0; d < ndmin; d++) shape[d] = d < ndmin - array->ndim ? 1 : array->shape[d - (ndmin - array->ndim)];
  ma_array *deep = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_reshape(deep, array, ndmin, shape, ma_lua_streamfor(L, array)));
  return 1;
}

/* Slots: object, dtype?, order?, device?, copy?. */
static int push_asarray(lua_State *L, ma_device *device) {
  ma_dtype dtype = ma_lua_checkdtype(L, 2, MA_NDTYPE);
  if (ma_lua_istraced(L, 1) && lua_isnil(L, 4)) return ma_lua_state(L)->standin->cast(L, dtype);
  push_made(L, device, dtype, ma_lua_checkorder(L, 3, MA_ORDER_K, "CFAK"), read_copy(L, 5, COPY_NEEDED));
  return 1;
}

static int create_asarray(lua_State *L) { return push_asarray(L, ma_lua_optdevice(L, 4)); }

/* Whether slot 1 is an array that may be used, and slot 2, a dtype, says nothing. */
static bool is_operand(lua_State *L) {
  const ma_array *array = ma_lua_arrayat(L, 1);
  return array && array->buffer && lua_isnoneornil(L, 2);
}

/* core.asarray: makes operands of the Lua layer. A value that is no array becomes an array on the current device. */
static int core_asarray(lua_State *L) {
  if (is_operand(L) && lua_gettop(L) <= 2) { /* as it is nearly always called */
    lua_settop(L, 1);
    return 1;
  }
  ma_lua_arrangehere(L);
  bool stays = ma_lua_toarray(L, 1) && lua_isnil(L, 4);
  return push_asarray(L, stays ? ma_array_device(ma_lua_checkarray(L, 1)) : ma_lua_optdevice(L, 4));
}

/* The device of the first array from slot `first` on; NULL without an array. Stand-ins have no device. A freed array is
** passed over: the code that uses it raises the error. */
static ma_device *device_from(lua_State *L, int first) {
  for (int k = first; k <= lua_gettop(L); k++) {
    const ma_array *array = ma_lua_istraced(L, k) ? NULL : ma_lua_toarray(L, k);
    if (array && array->buffer) return ma_array_device(array);
  }
  return NULL;
}

/* core.device_of(...): the device of the first array among operands, or nothing. */
static int core_device_of(lua_State *L) {
  const ma_device *device = device_from(L, 1);
  if (device) ma_lua_pushdevice(L, device);
  return device != NULL;
}

/* core.beside(object, dtype?, ...): an operand as an array, in slot 1. An array stays on its device; another value
** becomes an array on the device of the first array among the others. NULL for a traced value, which stays as it is. */
static const ma_array *read_beside(lua_State *L) {
  if (is_operand(L)) return ma_lua_arrayat(L, 1);
  ma_dtype dtype = ma_lua_checkdtype(L, 2, MA_NDTYPE);
  if (ma_lua_istraced(L, 1)) {
    ma_lua_state(L)->standin->cast(L, dtype);
  } else {
    ma_device *device = ma_lua_toarray(L, 1) ? ma_array_device(ma_lua_checkarray(L, 1)) : device_from(L, 3);
    push_made(L, device ? device : ma_lua_device(L), dtype, MA_ORDER_K, COPY_NEEDED);
  }
  if (lua_gettop(L) > 1) lua_replace(L, 1); /* a traced number may be left where it is */
  return ma_lua_istraced(L, 1) ? NULL : ma_lua_toarray(L, 1);
}

static int core_beside(lua_State *L) {
  read_beside(L);
  lua_settop(L, 1);
  return 1;
}

/* core.operand(object, dtype?, ...): the same, and after the array its dtype, ndim, size, device and is_contiguous.
** These are what a function of the Lua layer asks of an operand; all of them together take less time than one
** attribute. A traced value comes alone. */
static int core_operand(lua_State *L) {
  const ma_array *array = read_beside(L);
  lua_settop(L, 1);
  if (!array) return 1;
  ma_lua_pushdtype(L, (ma_dtype)array->dtype);
  lua_pushinteger(L, array->ndim);
  lua_pushnumber(L, (double)array->size);
  ma_lua_pushdevice(L, ma_array_device(array));
  lua_pushboolean(L, ma_array_is_contiguous(array));
  return 6;
}

/* core.contiguous(a): the array itself if it is in C order without gaps, else such a copy on its device. */
static int core_contiguous(lua_State *L) {
  const ma_array *array = ma_lua_checkarray(L, 1);
  if (ma_array_in_order(array, MA_ORDER_C)) lua_pushvalue(L, 1);
  else ma_lua_pushcopyin(L, array, (ma_dtype)array->dtype, MA_ORDER_C);
  return 1;
}

/* Slots: object, order?, device?. */
static int create_copy(lua_State *L) {
  if (ma_lua_istraced(L, 1) && lua_isnil(L, 3)) return ma_lua_state(L)->standin->cast(L, MA_NDTYPE);
  push_made(L, ma_lua_optdevice(L, 3), MA_NDTYPE, ma_lua_checkorder(L, 2, MA_ORDER_C, "CFAK"), COPY_ALWAYS);
  return 1;
}

/* An element of code in its plain form stays one. */
static int push_cast(lua_State *L, int index, ma_dtype dtype) {
  ma_arg arg;
  ma_lua_tovalue(L, index, &arg.value, &arg.dtype, &arg.weak);
  ma_lua_pushelement(L, ma_value_cast(arg.value, arg.dtype, dtype), dtype);
  return 1;
}

/* ma.float32(v): upvalue 3 is the dtype. */
static int create_typed(lua_State *L) {
  ma_dtype dtype = (ma_dtype)lua_tointeger(L, lua_upvalueindex(3));
  if (ma_lua_istraced(L, 1)) return ma_lua_state(L)->standin->cast(L, dtype);
  if (ma_lua_iselement(L, 1)) return push_cast(L, 1, dtype);
  const ma_array *given = ma_lua_toarray(L, 1);
  const ma_array *array = ma_lua_asarray(L, 1, dtype);
  if (array == given) ma_lua_pushcopy(L, array, dtype);
  else lua_pushvalue(L, 1);
  return 1;
}

/* ==== Registration ================================================================================================ */

static const ma_function functions[] = {
  //> empty: ma.empty({2, 3}).shape[2]
  { "empty(shape: integer|integer[], dtype?: dtype|struct, order?: string; device?: string) -> array", create_empty,
    "An array whose elements are not set." },
  //> zeros({2, 3})
  { "zeros(shape: integer|integer[], dtype?: dtype|struct, order?: string; device?: string) -> array", create_zeros,
    "An array of zeros." },
  //> ones({2, 2}, "int32")
  { "ones(shape: integer|integer[], dtype?: dtype, order?: string; device?: string) -> array", create_ones,
    "An array of ones." },
  //> full({2, 2}, 7)
  { "full(shape: integer|integer[], fill_value: data, dtype?: dtype, order?: string; device?: string) -> array",
    create_full, "An array of one value." },
  //> empty_like: ma.empty_like(ma.ones(3, "int8")).dtype
  { "empty_like(a: data, dtype?: dtype, order?: string; shape?: integer|integer[], device?: string) -> array",
    create_empty_like, "An array of the shape and dtype of another, not set." },
  //> zeros_like(ma.range(1, 3))
  { "zeros_like(a: data, dtype?: dtype, order?: string; shape?: integer|integer[], device?: string) -> array",
    create_zeros_like, "Zeros in the shape and dtype of another array." },
  //> ones_like(ma.range(1, 3))
  { "ones_like(a: data, dtype?: dtype, order?: string; shape?: integer|integer[], device?: string) -> array",
    create_ones_like, "Ones in the shape and dtype of another array." },
  //> full_like(ma.range(1, 3), 9)
  { "full_like(a: data, fill_value: data, dtype?: dtype, order?: string; shape?: integer|integer[], device?: string) "
    "-> array",
    create_full_like, "One value in the shape and dtype of another array." },
  //> asarray({1, 2, 3}, "int64")
  { "asarray(object: data, dtype?: dtype, order?: string; device?: string, copy?: boolean) -> array", create_asarray,
    "Like array, but an array that fits already, on that device, is returned itself, and with copy = false only such a "
    "one is taken." },
  //> copy(ma.range(1, 3))
  { "copy(object: data, order?: string; device?: string) -> array", create_copy,
    "A new array of the current device, or of `device`, of the same elements, by rows; order \"F\": by columns, \"A\" "
    "or "
    "\"K\": as the array lies. The method a:copy() stays on the array's device." },
  { "core.contiguous(a)", core_contiguous, NULL },
  { NULL, NULL, NULL }
};

static const ma_function plain[] = {
  //> array({{1, 2}, {3, 4}}, "float32")
  { "array(object: data, dtype?: dtype; copy?: boolean, order?: string, ndmin?: integer, device?: string) -> array",
    create_array,
    "An array of the current device, or of `device`, from nested tables, a number or an array of any device; a copy, "
    "but "
    "with copy = false." },
  { "core.asarray(object, dtype?, order?; device?, copy?)", core_asarray, NULL },
  { "core.device_of(...)", core_device_of, NULL },
  { "core.beside(object, dtype?, ...)", core_beside, NULL },
  { "core.operand(object, dtype?, ...)", core_operand, NULL },
  { NULL, NULL, NULL }
};

/* ma.float32 and the like; these functions are also accepted as dtypes. */
#define CAST "%s(value: data) -> array"
#define CAST_DOC "A typed scalar, or a copy of an array or a table, of dtype %s."

static void define_casts(lua_State *L) {
  for (int t = 0; t < MA_NDTYPE; t++) {
    char text[48], doc[96];
    snprintf(text, sizeof text, CAST, ma_dtypes[t].name);
    snprintf(doc, sizeof doc, CAST_DOC, ma_dtypes[t].name);
    lua_pushinteger(L, t);
    ma_lua_define(L, text, doc, create_typed, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->casts);
    lua_insert(L, -2);
    lua_pushinteger(L, t);
    lua_rawset(L, -3);
    lua_pop(L, 1);
  }
}

void ma_open_create(lua_State *L) {
  ma_lua_register(L, functions);
  ma_lua_registerplain(L, plain);
  define_casts(L);
}
