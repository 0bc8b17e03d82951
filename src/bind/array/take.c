/*
** take.c: functions that pick and store by positions or conditions: take, put, compress, extract, choose, select,
** take_along_axis, put_along_axis, iadd_at.
*/
//# indexing
#include "bind/array/index.h"

#include <string.h>

/* ==== Arguments =================================================================================================== */

static int nested_shape(lua_State *L, int index, int64_t *shape) {
  int ndim = 0;
  lua_pushvalue(L, index);
  while (lua_istable(L, -1)) {
    if (ndim == MA_MAX_NDIM)
      ma_lua_fail(L, "positions in tables more than %d deep; that is the most axes an array has", MA_MAX_NDIM);
    shape[ndim] = (int64_t)lua_objlen(L, -1);
    if (shape[ndim++] == 0) break;
    lua_rawgeti(L, -1, 1);
    lua_replace(L, -2);
  }
  lua_pop(L, 1);
  return ndim;
}

static int64_t *read_positions(lua_State *L, int index, int ndim, const int64_t *shape, int64_t *to) {
  if (ndim == 0) {
    *to = ma_lua_checkposition(L, index);
    return to + 1;
  }
  if (!lua_istable(L, index) || (int64_t)lua_objlen(L, index) != shape[0])
    ma_lua_fail(L, "positions in tables of different lengths; they need one shape");
  ma_lua_room(L, 2);
  for (int i = 1; i <= (int)shape[0]; i++) {
    lua_rawgeti(L, index, i);
    to = read_positions(L, lua_gettop(L), ndim - 1, shape + 1, to);
    lua_pop(L, 1);
  }
  return to;
}

ma_array *ma_lua_checkpositions(lua_State *L, int index, ma_device *device) {
  int64_t shape[MA_MAX_NDIM], size;
  if (ma_lua_toarray(L, index)) return ma_lua_checkarray(L, index);
  int type = lua_type(L, index);
  if (type != LUA_TTABLE && type != LUA_TNUMBER && type != MA_LUA_TCDATA)
    ma_lua_fail(L, "%s is %s; wanted positions: a number, a table or an integer array", ma_lua_argname(L, index),
                ma_lua_describe(L, index));
  int ndim = nested_shape(L, index, shape);
  ma_lua_check(L, ma_shape_size(ndim, shape, sizeof(int64_t), &size));
  int64_t *host = lua_newuserdata(L, (size_t)size * sizeof *host + 1);
  read_positions(L, index, ndim, shape, host);
  ma_array *array = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_index_from_host(array, device, host, ndim, shape, ma_lua_stream_of(L, device)));
  lua_replace(L, index);
  lua_pop(L, 1);
  return array;
}

ma_index_mode ma_lua_optmode(lua_State *L, int index) {
  static const char *const names[] = { "raise", "wrap", "clip" };
  const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : lua_isnil(L, index) ? "raise" : "";
  for (int mode = MA_MODE_RAISE; mode <= MA_MODE_CLIP; mode++)
    if (!strcmp(text, names[mode])) return (ma_index_mode)mode;
  ma_lua_fail(L, "mode is %s; wanted \"raise\", \"wrap\" or \"clip\"", ma_lua_describe(L, index));
  return MA_MODE_RAISE;
}

/* Pushes all elements as one axis: a view if the strides allow it. */
static ma_array *push_flat(lua_State *L, const ma_array *array, ma_stream *stream) {
  ma_array *flat = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_reshape(flat, array, 1, (int64_t[]){ -1 }, stream));
  return flat;
}

/* Returns the result on top, or copies it into the array in slot `out`. */
static int finish(lua_State *L, int out, const ma_array *result, ma_stream *stream) {
  ma_array *to = ma_lua_optarray(L, out);
  if (!to) return 1;
  char found[200], wanted[200];
  if (to->ndim != result->ndim || memcmp(to->shape, result->shape, sizeof(int64_t) * result->ndim) != 0)
    ma_lua_fail(L, "out has shape %s; the result has %s", ma_shape_print(to->ndim, to->shape, found, sizeof found),
                ma_shape_print(result->ndim, result->shape, wanted, sizeof wanted));
  MA_LUA_TRY(L, ma_array_assign(to, result, stream));
  lua_pushvalue(L, out);
  return 1;
}

/* Fills items: whole axes up to `axis`, then `index`. Returns their number. */
static int items_on_axis(ma_item *item, int axis, const ma_array *index) {
  for (int d = 0; d < axis; d++)
    item[d] = (ma_item){ .kind = MA_ITEM_RANGE, .open = MA_OPEN_LO | MA_OPEN_HI, .step = 1 };
  item[axis] = (ma_item){ .kind = MA_ITEM_ARRAY, .array = index };
  return axis + 1;
}

/* Pushes the elements of `array` at `positions` along an axis, or in C order over all if the slot is nil; in the memory
** of `to`, which may be NULL, where this is possible. */
static ma_array *push_taken(lua_State *L, const ma_array *array, const ma_array *positions, int axis_slot,
                            ma_index_mode mode, const ma_array *to, const char *function) {
  ma_item item[MA_MAX_NDIM];
  ma_device *device = ma_array_device(array);
  ma_stream *stream = ma_lua_stream_of(L, device);
  int axis = 0;
  if (lua_isnil(L, axis_slot)) array = push_flat(L, array, stream);
  else axis = ma_lua_checkaxis(L, axis_slot, array->ndim);
  int n = items_on_axis(item, axis, positions);
  ma_array *result = ma_lua_newarray(L);
  if (to) ma_array_view(result, to);
  ma_lua_picking(L, device, function);
  MA_LUA_TRY(L, ma_index_get(result, array, item, n, mode, stream));
  ma_lua_picked(L, device);
  return result;
}

/* ==== take, put =================================================================================================== */

static void refuse_mask(lua_State *L, const ma_array *positions) {
  if (positions->dtype == MA_BOOL) ma_lua_fail(L, "a mask as positions; a[mask] or compress takes one");
}

static int l_take(lua_State *L) {
  ma_array *array = ma_lua_checkarray(L, 1);
  ma_index_mode mode = ma_lua_optmode(L, 5);
  ma_array *positions = ma_lua_checkpositions(L, 2, ma_array_device(array));
  refuse_mask(L, positions);
  const ma_array *to = ma_lua_optarray(L, 4), *result = push_taken(L, array, positions, 3, mode, to, "take");
  if (to && result->buffer == to->buffer) return lua_pushvalue(L, 4), 1;
  return finish(L, 4, result, ma_lua_streamfor(L, array));
}

/* Pushes `count` values: more are cut, fewer are repeated. NULL: there are none. */
static ma_array *push_cycle(lua_State *L, ma_array *values, int64_t count, ma_stream *stream) {
  ma_array *flat = push_flat(L, values, stream);
  if (flat->size == count || flat->size == 1) return flat;
  if (flat->size == 0) return NULL;
  ma_array *result = ma_lua_newarray(L);
  if (flat->size > count) {
    ma_item item = { .kind = MA_ITEM_RANGE, .lo = 1, .hi = count, .step = 1 };
    ma_lua_check(L, ma_index_view(result, flat, &item, 1));
    return result;
  }
  int64_t *host = lua_newuserdata(L, (size_t)count * sizeof *host);
  for (int64_t i = 0; i < count; i++) host[i] = i % flat->size + 1;
  ma_array *index = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_index_from_host(index, ma_array_device(flat), host, 1, &count, stream));
  ma_item item = { .kind = MA_ITEM_ARRAY, .array = index };
  MA_LUA_TRY(L, ma_index_get(result, flat, &item, 1, MA_MODE_RAISE, stream));
  return result;
}

static int l_put(lua_State *L) {
  ma_array *array = ma_lua_checkarray(L, 1), *target = array;
  ma_device *device = ma_array_device(array);
  ma_stream *stream = ma_lua_stream_of(L, device);
  ma_index_mode mode = ma_lua_optmode(L, 4);
  ma_array *positions = ma_lua_checkpositions(L, 2, device);
  refuse_mask(L, positions);
  ma_array *values = ma_lua_asarray_on(L, 3, ma_lua_toarray(L, 3) ? MA_NDTYPE : (ma_dtype)array->dtype, device);
  ma_lua_check(L, ma_device_meet(device, ma_array_device(values)));
  positions = push_flat(L, positions, stream);
  values = push_cycle(L, values, positions->size, stream);
  if (values && array->readonly) ma_lua_fail(L, "a read-only array; copy() makes one that may be written");
  if (values && positions->size > 0) {
    target = push_flat(L, array, stream); /* a copy if the strides allow no view; then it is copied back at the end */
    ma_item item = { .kind = MA_ITEM_ARRAY, .array = positions };
    ma_arg arg = { .array = values, .dtype = (ma_dtype)values->dtype };
    ma_lua_picking(L, device, "put");
    MA_LUA_TRY(L, ma_index_set(target, &item, 1, &arg, -1, mode, stream));
    if (target->buffer != array->buffer) {
      ma_array *shaped = ma_lua_newarray(L);
      MA_LUA_TRY(L, ma_array_reshape(shaped, target, array->ndim, array->shape, stream));
      MA_LUA_TRY(L, ma_array_assign(array, shaped, stream));
    }
    ma_lua_picked(L, device);
  }
  lua_pushvalue(L, 1);
  return 1;
}

static int l_iadd_at(lua_State *L) {
  ma_lua_ufunc_at(L, MA_DO_sum);
  lua_pushvalue(L, 1);
  return 1;
}

/* ==== take_along_axis, put_along_axis ============================================================================= */

static int axis_or_last(lua_State *L, int slot, const ma_array *array) {
  if (!lua_isnil(L, slot)) return ma_lua_checkaxis(L, slot, array->ndim);
  if (array->ndim == 0) ma_lua_fail(L, "a 0-d array; it has no axis");
  return array->ndim - 1;
}

static int l_take_along_axis(lua_State *L) {
  ma_array *array = ma_lua_checkarray(L, 1);
  ma_device *device = ma_array_device(array);
  int axis = axis_or_last(L, 3, array);
  ma_array *positions = ma_lua_checkpositions(L, 2, device);
  ma_array *result = ma_lua_newarray(L);
  ma_lua_picking(L, device, "take_along_axis");
  MA_LUA_TRY(L, ma_index_get_along(result, array, positions, axis, MA_MODE_RAISE, ma_lua_stream_of(L, device)));
  ma_lua_picked(L, device);
  return 1;
}

static int l_put_along_axis(lua_State *L) {
  ma_array *array = ma_lua_checkarray(L, 1);
  ma_device *device = ma_array_device(array);
  int axis = axis_or_last(L, 4, array);
  ma_array *positions = ma_lua_checkpositions(L, 2, device);
  ma_arg value;
  ma_lua_checkvalue(L, 3, array, &value);
  ma_lua_picking(L, device, "put_along_axis");
  MA_LUA_TRY(L, ma_index_set_along(array, positions, axis, &value, ma_lua_stream_of(L, device)));
  ma_lua_picked(L, device);
  lua_pushvalue(L, 1);
  return 1;
}

/* ==== Conditions ================================================================================================== */

/* The condition in the slot as a bool array: non-zero elements are true. */
static ma_array *check_condition(lua_State *L, int slot, ma_device *device) {
  ma_array *condition = ma_lua_asarray_on(L, slot, MA_NDTYPE, device);
  if (condition->dtype == MA_BOOL) return condition;
  ma_opcode code = MA_DO_is_nonzero;
  ma_arg arg[2] = { { .array = condition, .dtype = (ma_dtype)condition->dtype },
                    { .dtype = MA_INT64, .weak = MA_WEAK_INT } };
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_ufunc_apply(&code, 1, arg, MA_NDTYPE, NULL, &result, ma_lua_streamfor(L, condition)));
  lua_replace(L, slot);
  return result;
}

/* Pushes the elements of `array` where the condition, which has one axis, is true. */
static ma_array *push_compressed(lua_State *L, int condition_slot, const ma_array *array, int axis_slot,
                                 const char *function) {
  ma_device *device = ma_array_device(array);
  ma_array *condition = check_condition(L, condition_slot, device);
  if (condition->ndim != 1) ma_lua_fail(L, "a condition of %d axes; wanted one axis", condition->ndim);
  int64_t extent = lua_isnil(L, axis_slot) ? array->size : array->shape[ma_lua_checkaxis(L, axis_slot, array->ndim)];
  /* A mask, as a[mask] takes it. */
  if (condition->size == extent) return push_taken(L, array, condition, axis_slot, MA_MODE_RAISE, NULL, function);
  ma_array *positions = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_index_nonzero(positions, condition, ma_lua_streamfor(L, condition)));
  return push_taken(L, array, positions, axis_slot, MA_MODE_RAISE, NULL, function);
}

static int compress(lua_State *L, int condition, int array) {
  ma_array *from = ma_lua_checkarray(L, array);
  ma_array *result = push_compressed(L, condition, from, 3, "compress");
  return finish(L, 4, result, ma_lua_streamfor(L, from));
}

static int l_compress(lua_State *L) {
  ma_lua_asarray(L, 2, MA_NDTYPE);
  return compress(L, 1, 2);
}

static int l_compress_method(lua_State *L) { return compress(L, 2, 1); }

static int l_extract(lua_State *L) {
  ma_array *array = ma_lua_asarray(L, 2, MA_NDTYPE);
  ma_array *condition = ma_lua_asarray_on(L, 1, MA_NDTYPE, ma_array_device(array));
  push_flat(L, condition, ma_lua_streamfor(L, condition));
  lua_replace(L, 1);
  lua_pushnil(L);
  push_compressed(L, 1, array, lua_gettop(L), "extract");
  return 1;
}

/* Pushes where(condition, x, y). */
static ma_array *push_where(lua_State *L, int condition_slot, const ma_arg *x, const ma_arg *y, ma_device *device) {
  ma_opcode code = MA_DO_choose;
  ma_array *condition = check_condition(L, condition_slot, device);
  ma_arg arg[3] = { { .array = condition, .dtype = MA_BOOL }, *x, *y };
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_ufunc_apply(&code, 1, arg, MA_NDTYPE, NULL, &result, ma_lua_streamfor(L, condition)));
  return result;
}

/* Reads a choice: an operand, or a Lua boolean as data. */
static void check_choice(lua_State *L, int slot, ma_arg *arg, ma_device *device) {
  if (lua_isboolean(L, slot)) ma_lua_asarray_on(L, slot, MA_BOOL, device);
  memset(arg, 0, sizeof *arg);
  ma_lua_checkarg_on(L, slot, arg, device);
  if (arg->array) arg->dtype = (ma_dtype)arg->array->dtype;
}

/* The device of the first array in the slots, else the current one. */
static ma_device *device_among(lua_State *L, int first, int last) {
  for (int slot = first; slot <= last; slot++)
    if (ma_lua_toarray(L, slot)) return ma_array_device(ma_lua_checkarray(L, slot));
  return ma_lua_device(L);
}

static int list_slot(lua_State *L, int slot) {
  if (!lua_istable(L, slot))
    ma_lua_fail(L, "%s is %s; wanted a table of arrays", ma_lua_argname(L, slot), ma_lua_describe(L, slot));
  return (int)lua_objlen(L, slot);
}

static int l_select(lua_State *L) {
  int n = list_slot(L, 1);
  if (list_slot(L, 2) != n)
    ma_lua_fail(L, "%d conditions and %d choices; wanted as many of both", n, (int)lua_objlen(L, 2));
  if (n == 0) ma_lua_fail(L, "no conditions; wanted one at least");
  if (lua_isnil(L, 3)) {
    lua_pushinteger(L, 0);
    lua_replace(L, 3);
  }
  lua_rawgeti(L, 1, 1);
  ma_device *device = device_among(L, 4, 4);
  lua_settop(L, 3);
  /* The first true condition decides, so it is applied last; slot 3 has the result so far. */
  for (int k = n; k >= 1; k--) {
    ma_arg x, y;
    lua_rawgeti(L, 1, k);
    lua_rawgeti(L, 2, k);
    check_choice(L, 5, &x, device);
    check_choice(L, 3, &y, device);
    push_where(L, 4, &x, &y, device);
    lua_replace(L, 3);
    lua_settop(L, 3);
  }
  return 1;
}

/* Stacks the choices along a new first axis, in one dtype, broadcast to the common shape of choices and positions. */
static ma_array *push_stacked(lua_State *L, int list, int n, const ma_array *positions, int *ndim, int64_t *shape) {
  ma_device *device = ma_array_device(positions);
  uint32_t dtypes = 0;
  ma_array **choices = ma_lua_pushlist(L, list, n, MA_NDTYPE, device);
  *ndim = 0;
  ma_lua_check(L, ma_shape_broadcast(ndim, shape, positions->ndim, positions->shape));
  for (int k = 1; k <= n; k++) {
    ma_array *choice = choices[k - 1];
    ma_lua_check(L, ma_device_meet(device, ma_array_device(choice)));
    dtypes |= 1u << choice->dtype;
    ma_lua_check(L, ma_shape_broadcast(ndim, shape, choice->ndim, choice->shape));
  }
  if (*ndim == MA_MAX_NDIM) ma_lua_fail(L, "choices of %d axes; at most %d", MA_MAX_NDIM, MA_MAX_NDIM - 1);
  int64_t full[MA_MAX_NDIM] = { n };
  memcpy(full + 1, shape, sizeof(int64_t) * (size_t)*ndim);
  ma_array *stacked = ma_lua_newarray(L);
  ma_stream *stream = ma_lua_stream_of(L, device);
  MA_LUA_TRY(L, ma_array_new(stacked, device, ma_dtype_promote_set(dtypes), *ndim + 1, full));
  for (int k = 1; k <= n; k++) {
    ma_item item = { .kind = MA_ITEM_POSITION, .lo = k };
    ma_arg arg = { .array = choices[k - 1] };
    MA_LUA_TRY(L, ma_index_set(stacked, &item, 1, &arg, -1, MA_MODE_RAISE, stream));
  }
  return stacked;
}

static int l_choose(lua_State *L) {
  ma_array *positions = ma_lua_checkpositions(L, 1, device_among(L, 1, 1));
  ma_device *device = ma_array_device(positions);
  ma_stream *stream = ma_lua_stream_of(L, device);
  ma_index_mode mode = ma_lua_optmode(L, 4);
  int64_t shape[MA_MAX_NDIM];
  int ndim, n = list_slot(L, 2);
  if (n == 0) ma_lua_fail(L, "no choices; wanted one at least");
  ma_array *stacked = push_stacked(L, 2, n, positions, &ndim, shape);
  ma_array *wide = ma_lua_newarray(L), *index = ma_lua_newarray(L), *layer = ma_lua_newarray(L),
           *result = ma_lua_newarray(L);
  ma_item front[2] = { { .kind = MA_ITEM_NEWAXIS }, { .kind = MA_ITEM_REST } },
          one = { .kind = MA_ITEM_POSITION, .lo = 1 };
  ma_lua_check(L, ma_array_broadcast(wide, positions, ndim, shape));
  ma_lua_check(L, ma_index_view(index, wide, front, 2));
  ma_lua_picking(L, device, "choose");
  MA_LUA_TRY(L, ma_index_get_along(layer, stacked, index, 0, mode, stream));
  ma_lua_picked(L, device);
  ma_lua_check(L, ma_index_view(result, layer, &one, 1));
  return finish(L, 3, result, stream);
}

static const ma_function functions[] = {
  //> take(ma.array {10, 20, 30}, {1, 3})
  { "take(a: data, indices: integer|integer[]|array, axis?: integer|integer[], out?: array, mode?: string) -> array",
    l_take,
    "Elements of a at positions along an axis (of all elements in C order without one). mode: \"raise\"; \"wrap\" goes "
    "round (0 is the last); \"clip\" stops at the ends." },
  //> put: ma.array({1, 2, 3}):put({1, 3}, {7, 9})
  { "put(a: data, indices: integer|integer[]|array, values: data, mode?: string) -> array", l_put,
    "Stores values at positions of a, counted in C order; values are repeated as needed. Changes and returns a." },
  //> iadd_at: ma.zeros(3):iadd_at(ma.index {1, 1, 3}, 1)
  { "iadd_at(a: data, indices: integer|integer[]|array, b: data) -> array", l_iadd_at,
    "Adds b to a[indices], once for every time that a position occurs. Changes and returns a." },
  //> take_along_axis(ma.array {{3, 1}, {2, 4}}, {{2}, {1}}, 2)
  { "take_along_axis(a: data, indices: integer|integer[]|array, axis?: integer|integer[]) -> array", l_take_along_axis,
    "Elements of a at positions that run along one axis (the last) and match the others: the inverse of argsort and "
    "argmax." },
  //> put_along_axis: local a = ma.zeros({2, 2})
  //>   ma.put_along_axis(a, {{2}, {1}}, 5, 2)
  //>   return a
  { "put_along_axis(a: data, indices: integer|integer[]|array, values: data, axis?: integer|integer[]) -> array",
    l_put_along_axis, "Stores values where take_along_axis would read. Changes and returns a." },
  //> compress({true, false, true}, {1, 2, 3})
  { "compress(condition: data, a: data, axis?: integer|integer[], out?: array) -> array", l_compress,
    "The slices of a along an axis where the condition is true." },
  //> :compress: ma.range(1, 3):compress {true, false, true}
  { ":compress(a: data, condition: data, axis?: integer|integer[], out?: array) -> array", l_compress_method,
    "The slices of a along an axis where the condition is true." },
  //> extract(ma.array {true, false, true}, {1, 2, 3})
  { "extract(condition: data, arr: data) -> array", l_extract,
    "The elements of arr, in C order, where the condition is true." },
  //> select({ma.array {true, false}}, {{1, 2}}, 9)
  { "select(condlist: data[], choicelist: data, default?: data) -> array", l_select,
    "For each element the choice of the first condition that is true, else the default (0)." },
  //> choose({1, 2, 1}, {{1, 2, 3}, {10, 20, 30}})
  { "choose(a: data, choices: data[], out?: array, mode?: string) -> array", l_choose,
    "For each element of a, a position in the table of choices, that choice's element." },
  { NULL, NULL, NULL },
};

void ma_open_take(lua_State *L) { ma_lua_register(L, functions); }
