/* shape.c: views with another shape. No function here moves elements, except reshape, ravel and flatten if the
** strides allow no view. They are in C because programs call them between other operations all the time. */
//# shape
#include "bind/array/new.h"

#include <string.h>

/* Reads a number or a table of numbers in the slot, then the further arguments behind slot `nargs`; returns their
** count. */
static int read_numbers(lua_State *L, int index, int nargs, const char *what, int64_t *number) {
  int n = 0;
  if (lua_istable(L, index)) {
    n = (int)lua_objlen(L, index);
    if (lua_gettop(L) > nargs) return ma_lua_fail(L, "%s as a table and numbers behind it; one of the two", what);
    if (n > MA_MAX_NDIM) return ma_lua_fail(L, "%d numbers for %s; at most %d", n, what, MA_MAX_NDIM);
    for (int k = 0; k < n; k++) {
      lua_rawgeti(L, index, k + 1);
      number[k] = ma_lua_checkint(L, -1, what);
      lua_pop(L, 1);
    }
    return n;
  }
  if (!lua_isnil(L, index)) number[n++] = ma_lua_checkint(L, index, what);
  for (int k = nargs + 1; k <= lua_gettop(L); k++) {
    if (n == MA_MAX_NDIM)
      return ma_lua_fail(L, "more than %d numbers for %s; at most %d", MA_MAX_NDIM, what, MA_MAX_NDIM);
    number[n++] = ma_lua_checkint(L, k, what);
  }
  return n;
}

/* Converts positions (1-based, negative from the end) to distinct 0-based axes. */
static void check_axes(lua_State *L, int n, const int64_t *position, int ndim, int *axis) {
  uint32_t seen = 0;
  for (int k = 0; k < n; k++) {
    ma_lua_check(L, ma_shape_axis(position[k], ndim, &axis[k]));
    if (seen & (1u << axis[k])) ma_lua_fail(L, "axis %d twice; every axis once", axis[k] + 1);
    seen |= 1u << axis[k];
  }
}

static int read_axes(lua_State *L, int index, const char *what, int ndim, int *axis) {
  int64_t position[MA_MAX_NDIM];
  int n = read_numbers(L, index, lua_gettop(L), what, position);
  check_axes(L, n, position, ndim, axis);
  return n;
}

/* A reshape that copies may run out of memory; then it collects and tries again. */
static ma_array *push_reshape(lua_State *L, const ma_array *base, int ndim, const int64_t *shape) {
  ma_array *view = ma_lua_newarray(L);
  ma_status status;
  int tries = 0;
  do status = ma_array_reshape(view, base, ndim, shape, ma_lua_streamfor(L, base));
  while (ma_lua_retry(L, status, &tries));
  ma_lua_check(L, status);
  return view;
}

static int push_transposed(lua_State *L, const ma_array *base, const int *axes) {
  ma_array *view = ma_lua_newarray(L);
  ma_lua_check(L, ma_array_transpose(view, base, axes));
  return 1;
}

/* Fortran's order is C order of the transpose: transposes, reshapes to the reversed shape, transposes back. */
static int push_reshaped(lua_State *L, const ma_array *base, int ndim, const int64_t *shape, bool fortran) {
  int64_t reversed[MA_MAX_NDIM];
  if (!fortran) {
    push_reshape(L, base, ndim, shape);
    return 1;
  }
  for (int d = 0; d < ndim; d++) reversed[d] = shape[ndim - 1 - d];
  push_transposed(L, base, NULL);
  push_transposed(L, push_reshape(L, ma_lua_toarray(L, -1), ndim, reversed), NULL);
  ma_array *result = ma_lua_toarray(L, -1);
  result->is_view = result->buffer == base->buffer ? 1 : 0;
  return 1;
}

/* The array in slot 1; a table or a number becomes one. */
static ma_array *read_base(lua_State *L) { return ma_lua_asarray(L, 1, MA_NDTYPE); }

/* "A" means Fortran's order if the array lies in that order in memory, else C's. */
static bool is_fortran_order(ma_order order, const ma_array *base) {
  return order == MA_ORDER_F || (order == MA_ORDER_A && ma_array_is_fortran(base) && !ma_array_is_contiguous(base));
}

static int shape_reshape(lua_State *L) {
  int64_t shape[MA_MAX_NDIM];
  enum { NARG = 4 };
  const ma_array *base = read_base(L);
  bool fortran = is_fortran_order(ma_lua_checkorder(L, 3, MA_ORDER_C, "CFA"), base);
  int ndim = read_numbers(L, 2, NARG, "shape", shape);
  push_reshaped(L, base, ndim, shape, fortran);
  if (lua_isnil(L, 4)) return 1;
  const ma_array *result = ma_lua_toarray(L, -1);
  bool copied = result->buffer != base->buffer, copy = ma_lua_optbool(L, 4, false);
  if (copied && !copy) return ma_lua_fail(L, "copy = false; these strides allow no view of that shape");
  if (!copied && copy) ma_lua_pushcopyin(L, result, result->dtype, fortran ? MA_ORDER_F : MA_ORDER_C);
  return 1;
}

/* "K" takes the elements in their order in memory, as if all steps were positive. */
static int push_raveled(lua_State *L, const ma_array *base) {
  const int64_t all = -1;
  int axes[MA_MAX_NDIM];
  ma_order order = ma_lua_checkorder(L, 2, MA_ORDER_C, "CFAK");
  if (order == MA_ORDER_K) {
    ma_order_reading(base, axes);
    push_transposed(L, base, axes);
    base = ma_lua_toarray(L, -1);
  }
  return push_reshaped(L, base, 1, base->size ? &all : &base->size, is_fortran_order(order, base));
}

static int shape_ravel(lua_State *L) { return push_raveled(L, read_base(L)); }

static int shape_flatten(lua_State *L) {
  const ma_array *base = read_base(L);
  push_raveled(L, base);
  const ma_array *flat = ma_lua_toarray(L, -1);
  if (flat->buffer == base->buffer) ma_lua_pushcopyin(L, flat, (ma_dtype)flat->dtype, MA_ORDER_C);
  return 1;
}

static int shape_transpose(lua_State *L) {
  int64_t position[MA_MAX_NDIM];
  int axis[MA_MAX_NDIM];
  const ma_array *base = read_base(L);
  if (lua_isnil(L, 2)) return push_transposed(L, base, NULL);
  int n = read_numbers(L, 2, 2, "axes", position);
  if (n != base->ndim) return ma_lua_fail(L, "%d axes for an array of %d; every axis once", n, base->ndim);
  check_axes(L, n, position, base->ndim, axis);
  return push_transposed(L, base, axis);
}

static int shape_matrix_transpose(lua_State *L) {
  int axis[MA_MAX_NDIM];
  const ma_array *base = read_base(L);
  if (base->ndim < 2) return ma_lua_fail(L, "%s; at least two axes", ma_lua_describe(L, 1));
  for (int d = 0; d < base->ndim; d++) axis[d] = d;
  axis[base->ndim - 1] = base->ndim - 2;
  axis[base->ndim - 2] = base->ndim - 1;
  return push_transposed(L, base, axis);
}

static int shape_swapaxes(lua_State *L) {
  int axis[MA_MAX_NDIM], a, b;
  const ma_array *base = read_base(L);
  a = ma_lua_checkaxis(L, 2, base->ndim);
  b = ma_lua_checkaxis(L, 3, base->ndim);
  for (int d = 0; d < base->ndim; d++) axis[d] = d == a ? b : d == b ? a : d;
  return push_transposed(L, base, axis);
}

/* The axes that are not moved keep their order in the remaining places. */
static int shape_moveaxis(lua_State *L) {
  int source[MA_MAX_NDIM], destination[MA_MAX_NDIM], order[MA_MAX_NDIM], nsource, ndestination, next = 0;
  uint32_t moved = 0;
  const ma_array *base = read_base(L);
  nsource = read_axes(L, 2, "source", base->ndim, source);
  ndestination = read_axes(L, 3, "destination", base->ndim, destination);
  if (nsource != ndestination)
    return ma_lua_fail(L, "%d axes for source and %d for destination; as many of each", nsource, ndestination);
  memset(order, -1, sizeof order);
  for (int k = 0; k < nsource; k++) {
    order[destination[k]] = source[k];
    moved |= 1u << source[k];
  }
  for (int d = 0; d < base->ndim; d++) {
    if (order[d] >= 0) continue;
    while (moved & (1u << next)) next++;
    order[d] = next++;
  }
  return push_transposed(L, base, order);
}

static int shape_squeeze(lua_State *L) {
  int64_t shape[MA_MAX_NDIM];
  uint32_t axes = 0;
  int ndim = 0;
  const ma_array *base;
  ma_array *view;
  base = read_base(L);
  if (lua_isnil(L, 2))
    for (int d = 0; d < base->ndim; d++) axes |= (uint32_t)(base->shape[d] == 1) << d;
  else axes = ma_lua_checkaxes(L, 2, base->ndim);
  view = ma_lua_newarray(L);
  ma_array_view(view, base);
  for (int d = 0; d < base->ndim; d++) {
    if (!(axes & (1u << d))) {
      shape[ndim] = base->shape[d];
      view->stride[ndim++] = base->stride[d];
    } else if (base->shape[d] != 1) {
      return ma_lua_fail(L, "axis %d of %s; an axis of extent 1", d + 1, ma_lua_describe(L, 1));
    }
  }
  memcpy(view->shape, shape, ndim * sizeof *shape);
  view->ndim = (uint8_t)ndim;
  return 1;
}

static int shape_expand_dims(lua_State *L) {
  int64_t position[MA_MAX_NDIM];
  int axis[MA_MAX_NDIM], n, ndim, from = 0;
  uint32_t fresh = 0;
  const ma_array *base;
  ma_array *view;
  base = read_base(L);
  n = read_numbers(L, 2, lua_gettop(L), "axis", position);
  ndim = base->ndim + n;
  if (ndim > MA_MAX_NDIM) return ma_lua_fail(L, "%d axes; at most %d", ndim, MA_MAX_NDIM);
  check_axes(L, n, position, ndim, axis);
  for (int k = 0; k < n; k++) fresh |= 1u << axis[k];
  view = ma_lua_newarray(L);
  ma_array_view(view, base);
  for (int d = 0; d < ndim; d++) {
    bool is_new = fresh & (1u << d);
    view->shape[d] = is_new ? 1 : base->shape[from];
    view->stride[d] = is_new ? 0 : base->stride[from];
    from += !is_new;
  }
  view->ndim = (uint8_t)ndim;
  return 1;
}

static int shape_broadcast_to(lua_State *L) {
  int64_t shape[MA_MAX_NDIM];
  const ma_array *base;
  ma_array *view;
  int ndim;
  base = read_base(L);
  ndim = ma_lua_checkshape(L, 2, shape);
  view = ma_lua_newarray(L);
  ma_lua_check(L, ma_array_broadcast(view, base, ndim, shape));
  return 1;
}

/* Reverses the axes whose bit is set: the view starts at their last element and has a negative step. */
static int push_flipped(lua_State *L, const ma_array *base, uint32_t axes) {
  ma_array *view = ma_lua_newarray(L);
  ma_array_view(view, base);
  for (int d = 0; d < base->ndim; d++) {
    if (!(axes & 1u << d) || base->shape[d] == 0) continue;
    view->offset += (base->shape[d] - 1) * base->stride[d];
    view->stride[d] = -base->stride[d];
  }
  return 1;
}

static int shape_flip(lua_State *L) {
  const ma_array *base = read_base(L);
  return push_flipped(L, base, ma_lua_checkaxes(L, 2, base->ndim));
}

static int flip_one(lua_State *L, int axis) {
  const ma_array *base = read_base(L);
  if (base->ndim <= axis)
    return ma_lua_fail(L, "%s; at least %d ax%s", ma_lua_describe(L, 1), axis + 1, axis ? "es" : "is");
  return push_flipped(L, base, 1u << axis);
}

static int shape_flipud(lua_State *L) { return flip_one(L, 0); }
static int shape_fliplr(lua_State *L) { return flip_one(L, 1); }

/* core.pieces(a, counts): a list of views of an array along one axis, which follow each other. Element k of `counts`,
** contiguous int64, is the number of positions in view k. Waits for counts. */
static int shape_pieces(lua_State *L) {
  const void *memory;
  const ma_array *base = read_base(L), *given = ma_lua_checkarray(L, 2);
  if (base->ndim != 1 || given->ndim != 1 || given->dtype != MA_INT64 || !ma_array_is_contiguous(given))
    return ma_lua_fail(L, "%s; wanted an array along one axis, and int64 counts", ma_lua_describe(L, 1));
  int64_t n = given->size, at = 0;
  if (n > INT32_MAX) return ma_lua_fail(L, "%lld pieces; a table takes 2^31 - 1", (long long)n);
  ma_array *counts = ma_lua_pushonhost(L, given, &memory);
  ma_lua_room(L, 8);
  lua_createtable(L, (int)n, 0);
  for (int64_t k = 0; k < n; k++) {
    int64_t count = ((const int64_t *)memory)[k];
    if (count < 0 || count > base->size - at)
      return ma_lua_fail(L, "%lld elements behind %lld of %lld", (long long)count, (long long)at,
                         (long long)base->size);
    ma_array *piece = ma_lua_newarray(L);
    ma_array_view(piece, base);
    piece->size = piece->shape[0] = count;
    if (count) piece->offset += at * base->stride[0];
    lua_rawseti(L, -2, (int)k + 1);
    at += count;
  }
  ma_array_release(counts);
  return 1;
}

/* Broadcasts shapes without arrays; the result is a table of numbers. */
static int shape_broadcast_shapes(lua_State *L) {
  int64_t shape[MA_MAX_NDIM], other[MA_MAX_NDIM];
  int ndim = 0;
  for (int k = 1; k <= lua_gettop(L); k++)
    ma_lua_check(L, ma_shape_broadcast(&ndim, shape, ma_lua_checkshape(L, k, other), other));
  lua_createtable(L, ndim, 0);
  for (int d = 0; d < ndim; d++) {
    lua_pushnumber(L, (lua_Number)shape[d]);
    lua_rawseti(L, -2, d + 1);
  }
  return 1;
}

/* local h, w = a:dims() */
static int shape_dims(lua_State *L) {
  const ma_array *base = read_base(L);
  for (int d = 0; d < base->ndim; d++) lua_pushnumber(L, (lua_Number)base->shape[d]);
  return base->ndim;
}

static int shape_same_shape(lua_State *L) {
  const ma_array *a = ma_lua_checkarray(L, 1), *b = ma_lua_checkarray(L, 2);
  lua_pushboolean(L, a->ndim == b->ndim && !memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape));
  return 1;
}

/* ==== Shapes: tables that print as (2, 3) and compare by their extents ============================================ */

static int shape_tostring(lua_State *L) {
  luaL_Buffer text;
  int n = (int)lua_objlen(L, 1);
  luaL_buffinit(L, &text);
  luaL_addchar(&text, '(');
  for (int d = 1; d <= n; d++) {
    if (d > 1) luaL_addstring(&text, ", ");
    lua_rawgeti(L, 1, d);
    if (!lua_tostring(L, -1)) lua_pushliteral(L, "?"); /* the table was changed */
    luaL_addvalue(&text);
  }
  luaL_addstring(&text, n == 1 ? ",)" : ")");
  luaL_pushresult(&text);
  return 1;
}

static int shape_equal(lua_State *L) {
  size_t n = lua_objlen(L, 1);
  bool equal = n == lua_objlen(L, 2);
  for (int d = 1; d <= (int)n && equal; d++) {
    lua_rawgeti(L, 1, d);
    lua_rawgeti(L, 2, d);
    equal = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
  }
  lua_pushboolean(L, equal);
  return 1;
}

/* A position behind the last is nil, as in any table. */
static int shape_index(lua_State *L) {
  if (lua_type(L, 2) == LUA_TSTRING)
    return ma_lua_fail(L, "no field '%s' of a shape, which is a table of extents: a.shape[1], a:dims(), a.ndim, a.size",
                       lua_tostring(L, 2));
  if (lua_type(L, 2) != LUA_TNUMBER || !(lua_tonumber(L, 2) <= 0) || ma_lua_ownframe(L, 1)) return 0;
  return ma_lua_fail(L, "shape[%.14g]; axes count from 1: shape[1] is the first extent, shape[#shape] the last",
                     lua_tonumber(L, 2));
}

static int shape_call(lua_State *L) {
  return ma_lua_fail(L, "a call of a shape, which is a table; write a.shape, a.shape[1] or local h, w = a:dims()");
}

static void open_shapes(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->shapes);
  ma_lua_pushplain(L, ":shape(shape, key)", false, shape_index, 0);
  lua_setfield(L, -2, "__index");
  ma_lua_pushplain(L, ":shape(shape, key)", false, shape_call, 0);
  lua_setfield(L, -2, "__call");
  lua_pushcfunction(L, shape_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, shape_equal);
  lua_setfield(L, -2, "__eq");
  lua_pop(L, 1);
}

static const ma_function shape_functions[] = {
  //> reshape(ma.range(1, 6), {2, 3})
  { "reshape(a: data, shape?: integer|integer[]; order?: string, copy?: boolean, ...) -> array", shape_reshape,
    "The same elements in another shape, a view where the strides allow it (copy = false: else an error, true: never). "
    "One extent may be -1." },
  //> ravel({{1, 2}, {3, 4}})
  { "ravel(a: data, order?: string) -> array", shape_ravel,
    "All elements along one axis, a view where the strides allow it; order \"K\": as they lie in memory." },
  //> flatten({{1, 2}, {3, 4}})
  { "flatten(a: data, order?: string) -> array", shape_flatten, "A copy of all elements along one axis." },
  //> transpose({{1, 2, 3}, {4, 5, 6}})
  { "transpose(a: data, axes?: integer|integer[], ...) -> array", shape_transpose,
    "A view with the axes reversed, or in the order given." },
  //> permute_dims: ma.permute_dims(ma.ones({2, 3, 4}), {3, 1, 2}).shape[1]
  { "permute_dims(a: data, axes?: integer|integer[], ...) -> array", shape_transpose,
    "A view with the axes in the order given: transpose." },
  //> matrix_transpose({{1, 2}, {3, 4}})
  { "matrix_transpose(a: data) -> array", shape_matrix_transpose, "A view with the last two axes exchanged." },
  //> swapaxes({{1, 2}, {3, 4}}, 1, 2)
  { "swapaxes(a: data, axis1: integer, axis2: integer) -> array", shape_swapaxes, "A view with two axes exchanged." },
  //> moveaxis: ma.moveaxis(ma.ones({2, 3, 4}), 1, 3).shape[3]
  { "moveaxis(a: data, source: integer|integer[], destination: integer|integer[]) -> array", shape_moveaxis,
    "A view with some axes moved to new places, the others in order." },
  //> squeeze(ma.ones({1, 3}))
  { "squeeze(a: data, axis?: integer|integer[]) -> array", shape_squeeze,
    "A view without the axes of extent 1, or without those given." },
  //> expand_dims({1, 2}, 1)
  { "expand_dims(a: data, axis: integer|integer[]) -> array", shape_expand_dims,
    "A view with new axes of extent 1 at these positions of the result." },
  //> flip({1, 2, 3})
  { "flip(a: data, axis?: integer|integer[]) -> array", shape_flip,
    "A view with the order along these axes, or all, turned around." },
  //> flipud({{1, 2}, {3, 4}})
  { "flipud(a: data) -> array", shape_flipud, "A view with the rows in reverse order." },
  //> fliplr({{1, 2}, {3, 4}})
  { "fliplr(a: data) -> array", shape_fliplr, "A view with the columns in reverse order." },
  //> broadcast_to({1, 2}, {2, 2})
  { "broadcast_to(a: data, shape: integer|integer[]) -> array", shape_broadcast_to,
    "A read-only view that repeats the array to a larger shape." },
  //> broadcast_shapes: ma.broadcast_shapes({2, 1}, {3})[2]
  { "broadcast_shapes(...) -> integer[]", shape_broadcast_shapes,
    "The shape that arrays of these shapes broadcast to, as a table." },
  { "core.pieces(a, counts)", shape_pieces, NULL },
  //> dims: ma.ones({2, 3}):dims()
  { "dims(a: data) -> integer ...", shape_dims, "The extents as several numbers: `local h, w = a:dims()`." },
  //# logic
  //> same_shape(ma.ones(2), ma.zeros(2))
  { "same_shape(a: data, b: data) -> boolean", shape_same_shape,
    "Whether two arrays have the same shape, as a Lua boolean." },
  { NULL, NULL, NULL }
};

void ma_open_shape(lua_State *L) {
  ma_lua_register(L, shape_functions);
  open_shapes(L);
}
