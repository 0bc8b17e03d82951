/*
** join.c: several arrays as one. concatenate and stack are C because loops call them; the rest of the family is Lua over them.
*/
#include "bind.h"

#include <string.h>

/* Takes the table in slot 1 apart: each part is an array in a slot of its own behind `top`, so that Lua keeps it. */
static int read_parts(lua_State *L, int top, ma_device **device)
{
  int n;
  if (!lua_istable(L, 1))
    return ma_lua_fail(L, "%s; a table of arrays", ma_lua_describe(L, 1));
  n = (int)lua_objlen(L, 1);
  if (n == 0)
    return ma_lua_fail(L, "an empty table; at least one array");
  luaL_checkstack(L, n + 8, "too many arrays");
  *device = NULL;
  for (int k = 1; k <= n; k++) {
    lua_rawgeti(L, 1, k);
    if (ma_lua_toarray(L, top + k) && !*device)
      *device = ma_array_device(ma_lua_checkarray(L, top + k));
  }
  for (int k = 1; k <= n; k++) {
    const ma_array *part = ma_lua_asarray_on(L, top + k, MA_NDTYPE, *device);
    if (!*device)
      *device = ma_array_device(part);
    if (!ma_device_reaches(*device, ma_array_device(part)))
      return ma_lua_fail(L, "array 1 is on %s and array %d on %s; one device (x:to(\"%s\") moves one)", (*device)->name, k,
        ma_array_device(part)->name, (*device)->name);
  }
  return n;
}

static ma_dtype common_dtype(lua_State *L, int top, int n)
{
  uint32_t dtypes = 0;
  for (int k = 1; k <= n; k++)
    dtypes |= 1u << ma_lua_toarray(L, top + k)->dtype;
  return ma_dtype_promote_set(dtypes);
}

/* The array in the slot of `out` if it fits, else a new one, pushed. */
static ma_array *push_result(lua_State *L, int out, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape)
{
  ma_array *result;
  ma_status status;
  int tries = 0;
  if (!lua_isnil(L, out)) {
    result = ma_lua_checkarray(L, out);
    if (result->ndim != ndim || memcmp(result->shape, shape, ndim * sizeof *shape)) {
      char text[128];
      ma_lua_fail(L, "out is %s; shape %s", ma_lua_describe(L, out), ma_shape_print(ndim, shape, text, sizeof text));
    }
    if (result->readonly)
      ma_lua_fail(L, "out is read-only; an array that can be written");
    lua_pushvalue(L, out);
    return result;
  }
  result = ma_lua_newarray(L);
  do
    status = ma_array_new(result, device, dtype, ndim, shape);
  while (ma_lua_retry(L, status, &tries));
  ma_lua_check(L, status);
  return result;
}

/* result[..., start : start + extent, ...] = part; with extent 0 the axis is dropped (stack). */
static ma_status put_part(const ma_array *result, int axis, int64_t start, int64_t extent, const ma_array *part, ma_stream *stream)
{
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

static void check_cast(lua_State *L, int top, int n, const ma_array *result)
{
  for (int k = 1; k <= n; k++) {
    ma_dtype from = ma_lua_toarray(L, top + k)->dtype;
    if (!ma_dtype_can_cast(from, result->dtype, true))
      ma_lua_fail(L, "array %d is %s and the result %s; a cast that keeps the kind", k, ma_dtypes[from].name,
        ma_dtypes[result->dtype].name);
  }
}

/* concatenate(arrays, axis?, out?, dtype?) */
static int join_concatenate(lua_State *L)
{
  int64_t shape[MA_MAX_NDIM], start = 0;
  int top = ma_lua_args(L), n, axis;
  ma_device *device;
  const ma_array *first, *result;
  lua_settop(L, top);
  n = read_parts(L, top, &device);
  first = ma_lua_toarray(L, top + 1);
  if (first->ndim == 0)
    return ma_lua_fail(L, "arrays of no axis; at least one (stack makes a new one)");
  axis = lua_isnil(L, 2) ? 0 : ma_lua_checkaxis(L, 2, first->ndim);
  memcpy(shape, first->shape, first->ndim * sizeof *shape);
  for (int k = 2; k <= n; k++) {
    const ma_array *part = ma_lua_toarray(L, top + k);
    bool fits = part->ndim == first->ndim;
    for (int d = 0; fits && d < part->ndim; d++)
      fits = d == axis || part->shape[d] == first->shape[d];
    if (!fits)
      return ma_lua_fail(L, "array 1 is %s, array %d is %s; extents that agree but along axis %d", ma_lua_describe(L, top + 1), k,
        ma_lua_describe(L, top + k), axis + 1);
    shape[axis] += part->shape[axis];
  }
  result = push_result(L, 3, device, ma_lua_checkdtype(L, 4, common_dtype(L, top, n)), first->ndim, shape);
  check_cast(L, top, n, result);
  for (int k = 1; k <= n; k++) {
    const ma_array *part = ma_lua_toarray(L, top + k);
    if (part->size)
      MA_LUA_TRY(L, put_part(result, axis, start, part->shape[axis], part, ma_lua_stream_of(L, device)));
    start += part->shape[axis];
  }
  return 1;
}

/* stack(arrays, axis?, out?, dtype?) */
static int join_stack(lua_State *L)
{
  int64_t shape[MA_MAX_NDIM + 1];
  int top = ma_lua_args(L), n, axis;
  ma_device *device;
  const ma_array *first, *result;
  lua_settop(L, top);
  n = read_parts(L, top, &device);
  first = ma_lua_toarray(L, top + 1);
  for (int k = 2; k <= n; k++) {
    const ma_array *part = ma_lua_toarray(L, top + k);
    if (part->ndim != first->ndim || memcmp(part->shape, first->shape, part->ndim * sizeof *shape))
      return ma_lua_fail(L, "array 1 is %s, array %d is %s; one shape", ma_lua_describe(L, top + 1), k, ma_lua_describe(L, top + k));
  }
  axis = lua_isnil(L, 2) ? 0 : ma_lua_checkaxis(L, 2, first->ndim + 1);
  memcpy(shape, first->shape, axis * sizeof *shape);
  shape[axis] = n;
  memcpy(shape + axis + 1, first->shape + axis, (first->ndim - axis) * sizeof *shape);
  result = push_result(L, 3, device, ma_lua_checkdtype(L, 4, common_dtype(L, top, n)), first->ndim + 1, shape);
  check_cast(L, top, n, result);
  for (int k = 1; k <= n; k++)
    MA_LUA_TRY(L, put_part(result, axis, k - 1, 0, ma_lua_toarray(L, top + k), ma_lua_stream_of(L, device)));
  return 1;
}

static const ma_function join_functions[] = {
  { "concatenate(arrays, axis?, out?, dtype?)", join_concatenate, "One array of several, put one behind the other along an axis." },
  { "concat(arrays, axis?, out?, dtype?)", join_concatenate, "One array of several, put one behind the other along an axis: concatenate." },
  { "stack(arrays, axis?, out?, dtype?)", join_stack, "One array of several of one shape, side by side along a new axis." },
  { NULL, NULL, NULL }
};

void ma_open_join(lua_State *L)
{
  ma_lua_register(L, join_functions);
}
