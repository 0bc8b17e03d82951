/* layout.c: views that look at memory otherwise, and where arrays lie in memory beside each other. */
//# shape
#include "bind/bind.h"

#include <string.h>

/* Slots: a, dtype?. */
static int layout_view(lua_State *L) {
  if (lua_type(L, 2) == LUA_TNUMBER || lua_type(L, 2) == LUA_TTABLE) /* Torch's view */
    return ma_lua_fail(L, "dtype is %s; wanted a dtype as a string (a view of another shape is a:reshape(2, 3))",
                       ma_lua_describe(L, 2));
  const ma_array *base = ma_lua_checkarray(L, 1);
  ma_dtype dtype = ma_lua_checkdtype(L, 2, (ma_dtype)base->dtype);
  ma_lua_check(L, ma_array_reinterpret(ma_lua_newarray(L), base, dtype));
  return 1;
}

/* A table of whole numbers, or one. */
static int read_strides(lua_State *L, int index, int64_t *stride) {
  if (!lua_istable(L, index)) {
    stride[0] = ma_lua_checkint(L, index, "strides");
    return 1;
  }
  int n = (int)lua_objlen(L, index);
  if (n > MA_MAX_NDIM) return ma_lua_fail(L, "%d strides; an array has at most %d axes", n, MA_MAX_NDIM);
  for (int k = 0; k < n; k++) {
    lua_rawgeti(L, index, k + 1);
    stride[k] = ma_lua_checkint(L, -1, "a stride");
    lua_pop(L, 1);
  }
  return n;
}

/* Slots: x, shape?, strides?, writeable?. */
static int layout_as_strided(lua_State *L) {
  int64_t shape[MA_MAX_NDIM], stride[MA_MAX_NDIM];
  const ma_array *base = ma_lua_checkarray(L, 1);
  int ndim = base->ndim, nstride = base->ndim;
  memcpy(shape, base->shape, (size_t)ndim * sizeof *shape);
  memcpy(stride, base->stride, (size_t)ndim * sizeof *stride);
  if (!lua_isnil(L, 2)) ndim = ma_lua_checkshape(L, 2, shape);
  if (!lua_isnil(L, 3)) nstride = read_strides(L, 3, stride);
  if (ndim != nstride) return ma_lua_fail(L, "%d extents and %d strides; wanted as many", ndim, nstride);
  bool writeable = ma_lua_optbool(L, 4, true);
  ma_array *view = ma_lua_newarray(L);
  ma_lua_check(L, ma_array_strided(view, base, ndim, shape, stride));
  if (view->readonly & MA_REPEATS && !lua_isnil(L, 4) && writeable)
    return ma_lua_fail(L, "writeable for a view whose elements share memory; write to the array itself");
  if (!writeable) view->readonly |= MA_REPEATS;
  return 1;
}

/* ==== For lua/moonarray/struct ==================================================================================== */

/* core.field(rows, dtype, offset, shape): what lies at `offset` in each row of bytes along the last axis. */
static int layout_field(lua_State *L) {
  int64_t shape[MA_MAX_NDIM];
  const ma_array *rows = ma_lua_checkarray(L, 1);
  ma_dtype dtype = ma_lua_checkdtype(L, 2, MA_UINT8);
  int n = ma_lua_checkshape(L, 4, shape);
  ma_lua_check(L, ma_array_field(ma_lua_newarray(L), rows, dtype, ma_lua_checkint(L, 3, "offset"), n, shape));
  return 1;
}

/* ==== For lua/moonarray/functions/layout.lua; no address leaves the core ========================================== */

/* core.gap(a, b): the bytes from a's first element to b's first element; nil if the arrays cannot have a byte in
** common, because one ends before the other begins. */
static int layout_gap(lua_State *L) {
  const ma_array *a = ma_lua_checkarray(L, 1), *b = ma_lua_checkarray(L, 2);
  if (!ma_array_spans_meet(a, b)) return 0;
  intptr_t apart = a->buffer == b->buffer ? 0 : (intptr_t)((uintptr_t)b->buffer->ptr - (uintptr_t)a->buffer->ptr);
  lua_pushnumber(L, (double)(apart + b->offset - a->offset));
  return 1;
}

/* core.is_whole(a): is it all of its buffer, and no view of a part? */
static int layout_is_whole(lua_State *L) {
  const ma_array *a = ma_lua_checkarray(L, 1);
  lua_pushboolean(L, a->offset == 0 && (size_t)a->size * ma_dtypes[a->dtype].itemsize == a->buffer->nbytes);
  return 1;
}

static const ma_function functions[] = {
  //> view: ma.array({1, 2}, "float32"):view("int32")
  { "view(a: data, dtype?: dtype) -> array", layout_view,
    "The same memory seen as another dtype; of another width, the last axis becomes longer or shorter." },
  //> lib.stride_tricks.as_strided(ma.range(1, 4), {3, 2}, {8, 8})
  { "lib.stride_tricks.as_strided(x: data, shape?: integer|integer[], strides?: integer[]; writeable?: boolean) -> "
    "array",
    layout_as_strided,
    "A view of any shape and strides (in bytes) that stays in the array's memory; where elements share memory it is "
    "read-only." },
  { "core.field(rows, dtype, offset, shape)", layout_field, NULL },
  { "core.gap(a, b)", layout_gap, NULL },
  { "core.is_whole(a)", layout_is_whole, NULL },
  { NULL, NULL, NULL }
};

void ma_open_layout(lua_State *L) { ma_lua_register(L, functions); }
