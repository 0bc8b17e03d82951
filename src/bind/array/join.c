/* join.c: joins arrays. concatenate and stack are in C because loops call them; related functions are Lua code over
** them. */
//# shape
#include "bind/bind.h"

#include <stdio.h>
#include <string.h>

ma_array **ma_lua_pushlist(lua_State *L, int list, int n, ma_dtype dtype, ma_device *device) {
  ma_array **array;
  for (int k = 1; k <= n && !device; k++) {
    lua_rawgeti(L, list, k);
    if (ma_lua_toarray(L, -1)) device = ma_array_device(ma_lua_checkarray(L, -1));
    lua_pop(L, 1);
  }
  lua_createtable(L, n, 0);
  array = lua_newuserdata(L, (size_t)(n ? n : 1) * sizeof(ma_array *));
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, list, k);
    array[k - 1] = ma_lua_asarray_on(L, -1, dtype, device);
    lua_rawseti(L, -3, k);
  }
  return array;
}

#define FEW 8 /* arrays that are kept on the stack, without a table */

/* Pushes the arrays of the table in slot 1, all accessible from the device of the first: up to FEW of them, else a
** table and its pointers. */
static ma_array **read_parts(lua_State *L, int *n, ma_array **few, ma_device **device) {
  ma_array **part = few;
  if (!lua_istable(L, 1)) ma_lua_fail(L, "%s; wanted a table of arrays, {a, b}", ma_lua_describe(L, 1));
  *n = (int)lua_objlen(L, 1);
  if (*n == 0) ma_lua_fail(L, "an empty table; at least one array");
  bool all = *n <= FEW; /* are arrays */
  for (int k = 1, top = lua_gettop(L); k <= *n && all; k++) {
    lua_rawgeti(L, 1, k);
    few[k - 1] = ma_lua_toarray(L, -1);
    all = few[k - 1] && few[k - 1]->buffer;
    if (!all) lua_settop(L, top);
  }
  if (!all) part = ma_lua_pushlist(L, 1, *n, MA_NDTYPE, NULL);
  *device = ma_array_device(part[0]);
  for (int k = 2; k <= *n; k++) ma_lua_check(L, ma_device_meet(*device, ma_array_device(part[k - 1])));
  return part;
}

static ma_dtype common_dtype(int n, ma_array *const *part) {
  uint32_t dtypes = 0;
  for (int k = 0; k < n; k++) dtypes |= 1u << part[k]->dtype;
  return ma_dtype_promote_set(dtypes);
}

/* Raises an error for two parts that do not fit. */
static int fail_parts(lua_State *L, const ma_array *first, int k, const ma_array *part, const char *wanted) {
  char one[128], other[128];
  return ma_lua_fail(L, "array 1 is a %s array %s, array %d is a %s array %s; %s", ma_dtypes[first->dtype].name,
                     ma_shape_print(first->ndim, first->shape, one, sizeof one), k, ma_dtypes[part->dtype].name,
                     ma_shape_print(part->ndim, part->shape, other, sizeof other), wanted);
}

/* The array in the slot `out` if it fits, else a new one, which is pushed. */
static ma_array *push_result(lua_State *L, int out, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape) {
  ma_array *result;
  ma_status status;
  int tries = 0;
  if (!lua_isnil(L, out)) {
    result = ma_lua_checkarray(L, out);
    if (result->ndim != ndim || memcmp(result->shape, shape, ndim * sizeof *shape)) {
      char text[128];
      ma_lua_fail(L, "out is %s; shape %s", ma_lua_describe(L, out), ma_shape_print(ndim, shape, text, sizeof text));
    }
    if (result->readonly) ma_lua_fail(L, "out is read-only; an array that can be written");
    lua_pushvalue(L, out);
    return result;
  }
  result = ma_lua_newarray(L);
  do status = ma_array_new(result, device, dtype, ndim, shape);
  while (ma_lua_retry(L, status, &tries));
  ma_lua_check(L, status);
  return result;
}

/* result[..., start : start + extent, ...] = part; with extent 0 the axis is dropped (for stack). */
static ma_status put_part(const ma_array *result, int axis, int64_t start, int64_t extent, const ma_array *part,
                          ma_stream *stream) {
  ma_array view;
  ma_status status;
  ma_array_view(&view, result);
  view.offset += start * view.stride[axis];
  view.size = part->size;
  if (extent) {
    view.shape[axis] = extent;
  } else {
    view.ndim--;
    memmove(view.shape + axis, view.shape + axis + 1, (view.ndim - axis) * sizeof *view.shape);
    memmove(view.stride + axis, view.stride + axis + 1, (view.ndim - axis) * sizeof *view.stride);
  }
  status = part->size ? ma_array_assign(&view, part, stream) : MA_OK;
  ma_array_release(&view);
  return status;
}

static void check_cast(lua_State *L, int n, ma_array *const *part, const ma_array *result) {
  for (int k = 1; k <= n; k++) {
    ma_dtype from = part[k - 1]->dtype;
    if (!ma_dtype_can_cast(from, result->dtype, true))
      ma_lua_fail(L, "array %d is %s and the result %s; a cast that keeps the kind", k, ma_dtypes[from].name,
                  ma_dtypes[result->dtype].name);
  }
}

/* Whether all parts were put into a new result, not one of the caller's, which may share memory with a part. */
static bool joined_at_once(lua_State *L, const ma_array *result, int axis, int n, ma_array *const *part) {
  bool ran = false;
  if (!lua_isnil(L, 3)) return false;
  MA_LUA_TRY(L, ma_join_run(result, axis, n, part, &ran, ma_lua_streamfor(L, result)));
  return ran;
}

/* Each part becomes all of its elements along one axis, and stays in a table that is pushed. */
static void flatten_parts(lua_State *L, int n, ma_array **part) {
  lua_createtable(L, n, 0);
  for (int k = 0; k < n; k++) {
    ma_array *flat = ma_lua_newarray(L);
    ma_stream *stream = ma_lua_streamfor(L, part[k]);
    MA_LUA_TRY(L, ma_array_reshape(flat, part[k], 1, &part[k]->size, stream));
    part[k] = flat;
    lua_rawseti(L, -2, k + 1);
  }
}

/* concatenate(arrays, axis?, out?, dtype?) */
static int join_concatenate(lua_State *L) {
  int64_t shape[MA_MAX_NDIM], start = 0;
  char wanted[64];
  int n, axis;
  ma_device *device;
  ma_array *few[FEW], **part;
  const ma_array *first, *result;
  part = read_parts(L, &n, few, &device);
  if (lua_type(L, 2) == LUA_TSTRING && !strcmp(lua_tostring(L, 2), "none")) {
    flatten_parts(L, n, part);
    lua_pushnil(L);
    lua_replace(L, 2);
  }
  first = part[0];
  if (first->ndim == 0) return ma_lua_fail(L, "arrays of no axis; at least one (stack makes a new one)");
  axis = lua_isnil(L, 2) ? 0 : ma_lua_checkaxis(L, 2, first->ndim);
  memcpy(shape, first->shape, first->ndim * sizeof *shape);
  for (int k = 2; k <= n; k++) {
    const ma_array *next = part[k - 1];
    bool fits = next->ndim == first->ndim;
    for (int d = 0; fits && d < next->ndim; d++) fits = d == axis || next->shape[d] == first->shape[d];
    if (!fits) {
      snprintf(wanted, sizeof wanted, "extents that agree but along axis %d", axis + 1);
      return fail_parts(L, first, k, next, wanted);
    }
    shape[axis] += next->shape[axis];
  }
  result = push_result(L, 3, device, ma_lua_checkdtype(L, 4, common_dtype(n, part)), first->ndim, shape);
  check_cast(L, n, part, result);
  if (joined_at_once(L, result, axis, n, part)) return 1;
  for (int k = 1; k <= n; k++) {
    const ma_array *next = part[k - 1];
    if (next->size) MA_LUA_TRY(L, put_part(result, axis, start, next->shape[axis], next, ma_lua_stream_of(L, device)));
    start += next->shape[axis];
  }
  return 1;
}

/* stack(arrays, axis?, out?, dtype?) */
static int join_stack(lua_State *L) {
  int64_t shape[MA_MAX_NDIM + 1];
  int n, axis;
  ma_device *device;
  ma_array *few[FEW], **part;
  const ma_array *first, *result;
  part = read_parts(L, &n, few, &device);
  first = part[0];
  for (int k = 2; k <= n; k++) {
    const ma_array *next = part[k - 1];
    if (next->ndim != first->ndim || memcmp(next->shape, first->shape, next->ndim * sizeof *shape))
      return fail_parts(L, first, k, next, "one shape");
  }
  axis = lua_isnil(L, 2) ? 0 : ma_lua_checkaxis(L, 2, first->ndim + 1);
  memcpy(shape, first->shape, axis * sizeof *shape);
  shape[axis] = n;
  memcpy(shape + axis + 1, first->shape + axis, (first->ndim - axis) * sizeof *shape);
  result = push_result(L, 3, device, ma_lua_checkdtype(L, 4, common_dtype(n, part)), first->ndim + 1, shape);
  check_cast(L, n, part, result);
  if (joined_at_once(L, result, axis, n, part)) return 1;
  for (int k = 1; k <= n; k++)
    MA_LUA_TRY(L, put_part(result, axis, k - 1, 0, part[k - 1], ma_lua_stream_of(L, device)));
  return 1;
}

/* (a, counts, each): a copy in which axis d is counts[d] times as long, by repeats of each element, or of all. */
static int join_repeated(lua_State *L) {
  int64_t times[MA_MAX_NDIM];
  const ma_array *array = ma_lua_checkarray(L, 1);
  bool each = lua_toboolean(L, 3);
  if (ma_lua_checkshape(L, 2, times) != array->ndim) return ma_lua_fail(L, "counts that are not one an axis");
  ma_array *copy = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_repeat(copy, array, times, each, ma_lua_streamfor(L, array)));
  return 1;
}

static const ma_function join_functions[] = {
  //> concatenate({{1, 2}, {3}})
  { "concatenate(arrays: data[], axis?: integer|integer[], out?: array, dtype?: dtype) -> array", join_concatenate,
    "One array of several, put one behind the other along an axis; axis = \"none\": all elements along one." },
  //> concat({{1, 2}, {3}})
  { "concat(arrays: data[], axis?: integer|integer[], out?: array, dtype?: dtype) -> array", join_concatenate,
    "One array of several, put one behind the other along an axis: concatenate." },
  //> stack({{1, 2}, {3, 4}})
  { "stack(arrays: data[], axis?: integer|integer[], out?: array, dtype?: dtype) -> array", join_stack,
    "One array of several of one shape, side by side along a new axis." },
  { "core.repeated(a, counts, each)", join_repeated, NULL },
  { NULL, NULL, NULL }
};

void ma_open_join(lua_State *L) { ma_lua_register(L, join_functions); }
