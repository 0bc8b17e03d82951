/* position.c: functions that return positions, and diagonals: index, nonzero and its variants, unravel_index,
** ravel_multi_index, diagonal, fill_diagonal. Positions are 1-based. */
//# indexing
#include "bind/array/index.h"

#include <stdlib.h>
#include <string.h>

/* ma.index{1, 3, 5} */
static int l_index(lua_State *L) {
  ma_array *array = ma_lua_checkpositions(L, 1, ma_lua_device(L));
  ma_kind kind = ma_dtypes[array->dtype].kind;
  if (kind != MA_KIND_SIGNED && kind != MA_KIND_UNSIGNED)
    ma_lua_fail(L, "%s; positions are integers (astype(\"int64\")), and a mask is an index already",
                ma_lua_describe(L, 1));
  lua_settop(L, 1);
  return 1;
}

/* ==== nonzero ===================================================================================================== */

/* Pushes the C-order positions of the non-zero elements. */
static ma_array *push_flatnonzero(lua_State *L, const ma_array *array) {
  ma_array *flat = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_index_nonzero(flat, array, ma_lua_streamfor(L, array)));
  return flat;
}

static int push_nonzero(lua_State *L, const ma_array *array) {
  if (array->ndim == 0) ma_lua_fail(L, "a 0-d array; it has no positions (ravel() gives it an axis)");
  ma_array *flat = push_flatnonzero(L, array);
  ma_lua_room(L, array->ndim + 2);
  for (int d = 0; d < array->ndim && array->ndim > 1; d++) {
    ma_array *along = ma_lua_newarray(L);
    MA_LUA_TRY(L, ma_index_unravel(along, flat, array->ndim, array->shape, d, ma_lua_streamfor(L, array)));
  }
  return array->ndim;
}

static int l_nonzero(lua_State *L) { return push_nonzero(L, ma_lua_asarray(L, 1, MA_NDTYPE)); }

static int l_flatnonzero(lua_State *L) {
  push_flatnonzero(L, ma_lua_asarray(L, 1, MA_NDTYPE));
  return 1;
}

static int l_argwhere(lua_State *L) {
  ma_array *array = ma_lua_asarray(L, 1, MA_NDTYPE), *flat = push_flatnonzero(L, array);
  if (array->ndim == 1) { /* these positions are the column */
    flat->ndim = 2;
    flat->shape[1] = 1;
    flat->stride[1] = sizeof(int64_t);
    return 1;
  }
  ma_array *result = ma_lua_newarray(L);
  ma_device *device = ma_array_device(array);
  ma_stream *stream = ma_lua_stream_of(L, device);
  MA_LUA_TRY(L, ma_array_new(result, device, MA_INT64, 2, (int64_t[]){ flat->size, array->ndim }));
  for (int d = 0; d < array->ndim; d++) {
    ma_item item[2] = { { .kind = MA_ITEM_REST }, { .kind = MA_ITEM_POSITION, .lo = d + 1 } };
    ma_array *column = ma_lua_newarray(L);
    ma_lua_check(L, ma_index_view(column, result, item, 2));
    MA_LUA_TRY(L, ma_index_unravel(column, flat, array->ndim, array->shape, d, stream));
    lua_pop(L, 1);
  }
  return 1;
}

/* ==== unravel_index, ravel_multi_index ============================================================================ */

/* Reads order?; true for Fortran's. */
static bool opt_fortran(lua_State *L, int slot) {
  const char *text = lua_type(L, slot) == LUA_TSTRING ? lua_tostring(L, slot) : lua_isnil(L, slot) ? "C" : "";
  if (strcmp(text, "C") != 0 && strcmp(text, "F") != 0)
    ma_lua_fail(L, "order is %s; wanted \"C\" or \"F\"", ma_lua_describe(L, slot));
  return text[0] == 'F';
}

static void reverse(int n, int64_t *shape) {
  for (int d = 0; d < n / 2; d++) {
    int64_t other = shape[n - 1 - d];
    shape[n - 1 - d] = shape[d];
    shape[d] = other;
  }
}

static void set_negative(lua_State *L, int ndim, const int64_t *shape) {
  for (int d = 0; d < ndim; d++)
    if (shape[d] < 0) ma_lua_fail(L, "extent %d; extents are not negative", (int)shape[d]);
}

/* Checks positions on the device: gathers one byte, broadcast to `shape`, at each index, which records positions
** outside. */
static void check_inside(lua_State *L, int n, ma_array *const *index, const int64_t *shape, ma_device *device,
                         const char *function) {
  ma_stream *stream = ma_lua_stream_of(L, device);
  ma_array *byte = ma_lua_newarray(L), *everywhere = ma_lua_newarray(L), *read = ma_lua_newarray(L);
  ma_item item[MA_MAX_NDIM];
  MA_LUA_TRY(L, ma_array_new(byte, device, MA_UINT8, 0, NULL));
  MA_LUA_TRY(L, ma_array_fill(byte, (ma_value){ .u = 0 }, MA_UINT8, stream));
  ma_lua_check(L, ma_array_broadcast(everywhere, byte, n, shape));
  for (int k = 0; k < n; k++) item[k] = (ma_item){ .kind = MA_ITEM_ARRAY, .array = index[k] };
  ma_lua_picking(L, device, function);
  MA_LUA_TRY(L, ma_index_get(read, everywhere, item, n, MA_MODE_RAISE, stream));
  ma_lua_picked(L, device);
  ma_array_release(read);
  lua_pop(L, 3);
}

static int unravel_number(lua_State *L, int ndim, const int64_t *shape, int64_t size, bool fortran) {
  int64_t at, position[MA_MAX_NDIM];
  ma_lua_check(L, ma_index_position(ma_lua_checkposition(L, 1), size, 1, &at));
  for (int d = ndim - 1; d >= 0; d--) {
    position[d] = at % shape[d] + 1;
    at /= shape[d];
  }
  for (int d = 0; d < ndim; d++) lua_pushnumber(L, (lua_Number)position[fortran ? ndim - 1 - d : d]);
  return ndim;
}

static int l_unravel_index(lua_State *L) {
  int64_t shape[MA_MAX_NDIM], size;
  int ndim = ma_lua_checkshape(L, 2, shape);
  bool fortran = opt_fortran(L, 3);
  if (fortran) reverse(ndim, shape);
  set_negative(L, ndim, shape);
  ma_lua_check(L, ma_shape_size(ndim, shape, 1, &size));
  ma_lua_room(L, ndim + 8);
  if (!ma_lua_toarray(L, 1) && !lua_istable(L, 1)) return unravel_number(L, ndim, shape, size, fortran);
  ma_array *index = ma_lua_checkpositions(L, 1, ma_lua_device(L));
  ma_device *device = ma_array_device(index);
  if (index->size > 0) check_inside(L, 1, &index, &size, device, "unravel_index");
  for (int d = 0; d < ndim; d++) {
    ma_array *along = ma_lua_newarray(L);
    MA_LUA_TRY(L, ma_index_unravel(along, index, ndim, shape, fortran ? ndim - 1 - d : d, ma_lua_stream_of(L, device)));
  }
  return ndim;
}

/* Whether all positions are numbers; then the result is a number. */
static bool all_numbers(lua_State *L, int slot, int n) {
  bool all = true;
  for (int k = 1; k <= n && all; k++) {
    lua_rawgeti(L, slot, k);
    all = lua_type(L, -1) == LUA_TNUMBER || lua_type(L, -1) == MA_LUA_TCDATA;
    lua_pop(L, 1);
  }
  return all;
}

static int ravel_numbers(lua_State *L, int n, const int64_t *shape, ma_index_mode mode, bool fortran) {
  int64_t at = 0;
  for (int k = 0; k < n; k++) {
    int64_t extent = shape[k], offset;
    lua_rawgeti(L, 1, fortran ? n - k : k + 1);
    int64_t position = ma_lua_checkposition(L, -1);
    lua_pop(L, 1);
    if (mode == MA_MODE_RAISE || extent == 0)
      ma_lua_check(L, ma_index_position(position, extent, (fortran ? n - 1 - k : k) + 1, &offset));
    else if (mode == MA_MODE_WRAP) offset = ((position - 1) % extent + extent) % extent;
    else offset = position < 1 ? 0 : position > extent ? extent - 1 : position - 1;
    at = at * extent + offset;
  }
  lua_pushnumber(L, (lua_Number)(at + 1));
  return 1;
}

static int l_ravel_multi_index(lua_State *L) {
  int64_t shape[MA_MAX_NDIM], size;
  ma_array *index[MA_MAX_NDIM];
  int ndim = ma_lua_checkshape(L, 2, shape);
  ma_index_mode mode = ma_lua_optmode(L, 3);
  bool fortran = opt_fortran(L, 4);
  set_negative(L, ndim, shape);
  ma_lua_check(L, ma_shape_size(ndim, shape, 1, &size));
  if (!lua_istable(L, 1) || (int)lua_objlen(L, 1) != ndim || ndim == 0)
    ma_lua_fail(L, "multi_index is %s of %d; wanted a table with positions for each of %d axes", ma_lua_describe(L, 1),
                lua_istable(L, 1) ? (int)lua_objlen(L, 1) : 0, ndim);
  if (fortran) reverse(ndim, shape);
  if (all_numbers(L, 1, ndim)) return ravel_numbers(L, ndim, shape, mode, fortran);
  ma_lua_room(L, 2 * ndim + 8);
  ma_device *device = NULL;
  for (int k = 1; k <= ndim && !device; k++) {
    lua_rawgeti(L, 1, k);
    if (ma_lua_toarray(L, -1)) device = ma_array_device(ma_lua_checkarray(L, -1));
    lua_pop(L, 1);
  }
  if (!device) device = ma_lua_device(L);
  for (int k = 0; k < ndim; k++) {
    lua_rawgeti(L, 1, fortran ? ndim - k : k + 1);
    index[k] = ma_lua_checkpositions(L, lua_gettop(L), device);
    if (index[k]->dtype == MA_BOOL) ma_lua_fail(L, "a mask as positions; wanted integers");
  }
  if (mode == MA_MODE_RAISE) check_inside(L, ndim, index, shape, device, "ravel_multi_index");
  ma_array *result = NULL;
  for (int k = 0; k < ndim; k++) {
    ma_array *next = ma_lua_newarray(L);
    MA_LUA_TRY(L, ma_index_ravel(next, result, index[k], shape[k], mode, ma_lua_stream_of(L, device)));
    result = next;
  }
  return 1;
}

/* ==== Diagonals =================================================================================================== */

/* Makes elements (i, i + offset) of two axes one axis at the end; takes a reference. */
static void diagonal_view(ma_array *view, const ma_array *base, int64_t offset, int first, int second) {
  int64_t rows = base->shape[first], columns = base->shape[second];
  int64_t skip_rows = offset < 0 ? -offset : 0, skip_columns = offset > 0 ? offset : 0;
  int64_t n = rows - skip_rows < columns - skip_columns ? rows - skip_rows : columns - skip_columns;
  int ndim = 0;
  if (n < 0) n = 0;
  ma_array_view(view, base);
  for (int d = 0; d < base->ndim; d++) {
    if (d == first || d == second) continue;
    view->shape[ndim] = base->shape[d];
    view->stride[ndim++] = base->stride[d];
  }
  view->shape[ndim] = n;
  view->stride[ndim++] = base->stride[first] + base->stride[second];
  view->ndim = (uint8_t)ndim;
  if (n > 0) view->offset += skip_rows * base->stride[first] + skip_columns * base->stride[second];
  view->size = 1;
  for (int d = 0; d < ndim; d++) view->size *= view->shape[d];
}

static int axis_or(lua_State *L, int slot, int ndim, int fallback) {
  return lua_isnil(L, slot) ? fallback : ma_lua_checkaxis(L, slot, ndim);
}

static int l_diagonal(lua_State *L) {
  ma_array *base = ma_lua_checkarray(L, 1);
  int64_t offset = lua_isnil(L, 2) ? 0 : ma_lua_checkint(L, 2, "offset");
  if (base->ndim < 2) ma_lua_fail(L, "an array of %d axes; a diagonal needs two", base->ndim);
  int first = axis_or(L, 3, base->ndim, 0), second = axis_or(L, 4, base->ndim, 1);
  if (first == second) ma_lua_fail(L, "axis %d twice; a diagonal needs two axes", first + 1);
  if (offset > INT64_C(1) << 48 || offset < -(INT64_C(1) << 48)) ma_lua_fail(L, "offset beyond any array");
  diagonal_view(ma_lua_newarray(L), base, offset, first, second);
  return 1;
}

/* Stores the value in slot 2 on the diagonal (i, i, i ...) of `base`. */
static void fill_view(lua_State *L, ma_array *view, ma_arg *arg) {
  ma_item all = { .kind = MA_ITEM_REST };
  MA_LUA_TRY(L, ma_index_set(view, &all, 1, arg, -1, MA_MODE_RAISE, ma_lua_streamfor(L, view)));
}

static int l_fill_diagonal(lua_State *L) {
  ma_array *base = ma_lua_checkarray(L, 1);
  ma_arg arg;
  bool wrap = ma_lua_optbool(L, 3, false);
  if (base->ndim < 2) ma_lua_fail(L, "an array of %d axes; a diagonal needs two", base->ndim);
  for (int d = 1; d < base->ndim && base->ndim > 2; d++)
    if (base->shape[d] != base->shape[0])
      ma_lua_fail(L, "more than two axes of different extents; they need to be equal");
  ma_lua_checkvalue(L, 2, base, &arg);
  ma_array *view = ma_lua_newarray(L);
  if (base->ndim == 2) diagonal_view(view, base, 0, 0, 1);
  else {
    int64_t stride = 0;
    for (int d = 0; d < base->ndim; d++) stride += base->stride[d];
    ma_array_view(view, base);
    view->ndim = 1;
    view->size = base->shape[0];
    view->stride[0] = stride;
  }
  fill_view(L, view, &arg);
  int64_t step = base->shape[1] + 1; /* in a tall matrix the diagonal starts again, one row below its end */
  for (int64_t row = step; wrap && base->ndim == 2 && step > 1 && row < base->shape[0]; row += step) {
    ma_item below = { .kind = MA_ITEM_RANGE, .lo = row + 1, .hi = -1, .step = 1 };
    ma_array *rest = ma_lua_newarray(L), *next = ma_lua_newarray(L);
    ma_lua_check(L, ma_index_view(rest, base, &below, 1));
    diagonal_view(next, rest, 0, 0, 1);
    fill_view(L, next, &arg);
    lua_pop(L, 2);
  }
  lua_pushvalue(L, 1);
  return 1;
}

static const ma_function functions[] = {
  //> index: ma.range(10, 50, 10)[ma.index {1, 3, 5}]
  { "index(positions: integer|integer[]|array) -> array", l_index,
    "Positions as an int64 array, for a[ma.index{1, 3, 5}]." },
  //> nonzero({0, 3, 4})
  { "nonzero(a: data) -> array ...", l_nonzero, "The positions of the elements that are not zero: one array an axis." },
  //> flatnonzero({0, 3, 4})
  { "flatnonzero(a: data) -> array", l_flatnonzero,
    "The positions, counted in C order, of the elements that are not zero." },
  //> argwhere({0, 3, 4})
  { "argwhere(a: data) -> array", l_argwhere,
    "The positions of the elements that are not zero: a row an element, a column an axis." },
  //> unravel_index({2, 6}, {2, 3})
  { "unravel_index(indices: integer|integer[]|array, shape: integer|integer[], order?: string) -> array ...",
    l_unravel_index,
    "Positions counted in C order (order \"F\": Fortran's) as one result an axis: arrays, or numbers for a number." },
  //> ravel_multi_index({{1, 2}, {2, 3}}, {2, 3})
  { "ravel_multi_index(multi_index: data[], dims: integer|integer[], mode?: string, order?: string) -> array",
    l_ravel_multi_index,
    "A table with positions for each axis as positions counted in C order (order \"F\": Fortran's)." },
  //> diagonal(ma.array {{1, 2}, {3, 4}})
  { "diagonal(a: data, offset?: integer, axis1?: integer, axis2?: integer) -> array", l_diagonal,
    "The elements (i, i + offset) of two axes (the first two) as a view whose last axis they are." },
  //> fill_diagonal: local a = ma.zeros({2, 2})
  //>   ma.fill_diagonal(a, 3)
  //>   return a
  { "fill_diagonal(a: data, val: data, wrap?: boolean) -> array", l_fill_diagonal,
    "Stores a value on the main diagonal; with wrap a tall matrix's diagonal starts again below. Changes and returns "
    "a." },
  { NULL, NULL, NULL },
};

void ma_open_index(lua_State *L) {
  ma_lua_register(L, functions);
  ma_open_take(L);
  lua_pushvalue(L, lua_upvalueindex(1)); /* no signature: errors carry the name of the calling Lua function */
  lua_pushcclosure(L, ma_lua_along, 1);
  ma_lua_file(L, "core.along");
  lua_pushliteral(L, "_");
  ma_lua_file(L, "newaxis");
}
