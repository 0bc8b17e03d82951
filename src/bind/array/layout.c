/* layout.c: the order of elements in memory, flags and base, and views that look at memory otherwise. */
#include "bind/array/layout.h"

#include <string.h>

static const char letters[] = "CFAK"; /* as in ma_order */

ma_order ma_lua_checkorder(lua_State *L, int index, ma_order fallback, const char *allowed) {
  if (lua_isnil(L, index)) return fallback;
  size_t length = 0;
  const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : "";
  if (length == 1 && strchr(allowed, *text)) return (ma_order)(strchr(letters, *text) - letters);
  char wanted[64] = "";
  for (size_t n = 0, at = 0; allowed[n]; n++)
    at += (size_t)snprintf(wanted + at, sizeof wanted - at, "%s\"%c\"",
                           !n               ? ""
                           : allowed[n + 1] ? ", "
                                            : " or ",
                           allowed[n]);
  ma_lua_fail(L, "order is %s; wanted %s", ma_lua_describe(L, index), wanted);
}

ma_array *ma_lua_pushcopyin(lua_State *L, const ma_array *from, ma_dtype dtype, ma_order order) {
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(from));
  ma_array *copy = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_copy_in(copy, from, dtype, order, stream));
  return copy;
}

ma_array *ma_lua_pushnewin(lua_State *L, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape,
                           ma_order order, const ma_array *model) {
  int axes[MA_MAX_NDIM];
  ma_array *array = ma_lua_pushnew(L, device, dtype, ndim, shape);
  if (order == MA_ORDER_C) return array;
  ma_order_axes(order, model, ndim, axes);
  ma_array_lay_out(array, axes);
  return array;
}

/* ==== Attributes ================================================================================================= */

void ma_lua_pushflags(lua_State *L, const ma_array *array) {
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

void ma_lua_pushbase(lua_State *L, const ma_array *array) {
  if (array->is_view) ma_lua_check(L, ma_array_whole(ma_lua_newarray(L), array));
  else lua_pushnil(L);
}

/* ==== Views ====================================================================================================== */

/* Slots: a, dtype?. */
static int layout_view(lua_State *L) {
  ma_lua_args(L);
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
  ma_lua_args(L);
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

static const ma_function functions[] = {
  { "view(a, dtype?)", layout_view,
    "The same memory seen as another dtype; of another width, the last axis becomes longer or shorter." },
  { "lib.stride_tricks.as_strided(x, shape?, strides?; writeable?)", layout_as_strided,
    "A view of any shape and strides (in bytes) that stays in the array's memory; where elements share memory it is "
    "read-only." },
  { NULL, NULL, NULL }
};

void ma_open_layout(lua_State *L) { ma_lua_register(L, functions); }
