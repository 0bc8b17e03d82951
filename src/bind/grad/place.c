/*
** place.c: where arrays lie in their buffers, for lua/moonarray/grad/tape.lua. A place is a Lua string: two arrays over
** one buffer show the same elements in the same order if their places are equal.
*/
#include "bind/grad/place.h"
#include "bind/array/life.h"

#include <stdlib.h>
#include <string.h>

/* What the bytes of a place are. */
typedef struct place {
  int32_t dtype, ndim;
  int64_t offset, shape[MA_MAX_NDIM], stride[MA_MAX_NDIM];
} place;

/* Pushes the place that begins with p, of these extents and steps. */
static void push_bytes(lua_State *L, place *p, const int64_t *shape, const int64_t *stride) {
  size_t n = (size_t)p->ndim * sizeof *p->shape;
  /* cppcheck-suppress uninitvar */ /* as many are filled as there are axes */
  memcpy(p->shape, shape, n);
  /* cppcheck-suppress uninitvar */        /* the same */
  memcpy((char *)p->shape + n, stride, n); /* behind the extents that there are */
  lua_pushlstring(L, (const char *)p, offsetof(place, shape) + 2 * n);
}

void ma_place_push(lua_State *L, const ma_array *array) {
  place p;
  p.dtype = array->dtype;
  p.ndim = array->ndim;
  p.offset = array->offset;
  push_bytes(L, &p, array->shape, array->stride);
}

static void read_place(lua_State *L, int index, place *p) {
  const char *bytes = luaL_checkstring(L, index);
  size_t head = offsetof(place, shape);
  memcpy(p, bytes, head);
  size_t n = (size_t)p->ndim * sizeof *p->shape;
  memcpy(p->shape, bytes + head, n);
  memcpy(p->stride, bytes + head + n, n);
}

static uint32_t last;

uint32_t ma_place_number(void) { return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED); }

uint32_t ma_place_latest(void) { return __atomic_load_n(&last, __ATOMIC_RELAXED); }

/* core.place(array, note, aside): the number of its buffer, its place, and a count that rises as it is written; nothing
** for another value, or where the buffer has no number. `note`: gives it one. `aside`: where the array goes from its
** scope, which then does not free it. */
static int push_where(lua_State *L) {
  ma_array *array = ma_lua_toarray(L, 1);
  if (!array || !array->buffer) return 0;
  if (!array->buffer->recorded) {
    if (!lua_toboolean(L, 2)) return 0;
    array->buffer->recorded = ma_place_number();
  }
  if (lua_isuserdata(L, 3)) ma_scope_setaside(array, 3, L);
  lua_pushnumber(L, array->buffer->recorded);
  ma_place_push(L, array);
  lua_pushnumber(L, __atomic_load_n(&array->buffer->writes, __ATOMIC_RELAXED));
  return 3;
}

static bool repeats_along(const place *p, int d) { return p->shape[d] > 1 && p->stride[d] == 0; }

/* Whether two positions of a place may be one element, apart from axes along which all are: an axis steps over less
** than what the axes of shorter steps reach. */
static bool overlaps(const place *p) {
  int axis[MA_MAX_NDIM], n = 0; /* those that step, by their steps */
  int64_t reach = ma_dtypes[p->dtype].itemsize;
  for (int d = 0; d < p->ndim; d++) {
    if (p->shape[d] < 2 || repeats_along(p, d)) continue;
    int k = n++;
    for (; k > 0 && llabs(p->stride[axis[k - 1]]) > llabs(p->stride[d]); k--) axis[k] = axis[k - 1];
    axis[k] = d;
  }
  for (int k = 0; k < n; k++) {
    int64_t step = llabs(p->stride[axis[k]]);
    if (step < reach) return true;
    reach += (p->shape[axis[k]] - 1) * step;
  }
  return false;
}

/* core.place_of(place): a table of it: dtype, itemsize, shape, the bytes that it reaches from `low` to `high`, the axes
** along which an element repeats or nil, and whether elements are in several places otherwise. */
static int describe_place(lua_State *L) {
  place p;
  int nrepeat = 0;
  read_place(L, 1, &p);
  int64_t low = p.offset, high = p.offset + ma_dtypes[p.dtype].itemsize;
  lua_createtable(L, 0, 8);
  lua_createtable(L, p.ndim, 0);
  lua_newtable(L);
  for (int d = 0; d < p.ndim; d++) {
    int64_t far = (p.shape[d] - 1) * p.stride[d];
    if (p.shape[d]) *(far < 0 ? &low : &high) += far;
    lua_pushnumber(L, (double)p.shape[d]);
    lua_rawseti(L, -3, d + 1);
    if (!repeats_along(&p, d)) continue;
    lua_pushinteger(L, d + 1);
    lua_rawseti(L, -2, ++nrepeat);
  }
  if (!nrepeat) lua_pushnil(L), lua_replace(L, -2);
  lua_setfield(L, -3, "repeats");
  lua_setfield(L, -2, "shape");
  ma_lua_pushdtype(L, (ma_dtype)p.dtype);
  lua_setfield(L, -2, "dtype");
  lua_pushinteger(L, ma_dtypes[p.dtype].itemsize);
  lua_setfield(L, -2, "itemsize");
  lua_pushnumber(L, (double)low);
  lua_setfield(L, -2, "low");
  lua_pushnumber(L, (double)high);
  lua_setfield(L, -2, "high");
  lua_pushboolean(L, overlaps(&p));
  lua_setfield(L, -2, "overlaps");
  return 1;
}

/* core.slim(place): the place of the same elements without axes of one element. */
static int push_slim(lua_State *L) {
  place p, slim;
  read_place(L, 1, &p);
  int n = 0;
  int64_t shape[MA_MAX_NDIM], stride[MA_MAX_NDIM];
  for (int d = 0; d < p.ndim; d++) {
    if (p.shape[d] == 1) continue;
    shape[n] = p.shape[d];
    stride[n++] = p.stride[d];
  }
  slim = (place){ .dtype = p.dtype, .ndim = n, .offset = p.offset };
  push_bytes(L, &slim, shape, stride);
  return 1;
}

/* core.fits(array, place): whether it has the place's dtype and shape, and the place has each element once. */
static int is_fitting(lua_State *L) {
  const ma_array *array = ma_lua_checkarray(L, 1);
  place p;
  read_place(L, 2, &p);
  bool fits = array->dtype == p.dtype && array->ndim == p.ndim;
  for (int d = 0; fits && d < p.ndim; d++) fits = array->shape[d] == p.shape[d] && !repeats_along(&p, d);
  lua_pushboolean(L, fits && !overlaps(&p));
  return 1;
}

/* core.part(flat, place, low, keeps): the view of an array of one axis, which holds the bytes of a buffer from `low`
** on, that a place is. An axis along which elements repeat has extent 1. The view has the place's dtype, so that one of
** real parts shows floats of complex numbers; `keeps`: it has that of the array. */
static int view_part(lua_State *L) {
  const ma_array *flat = ma_lua_checkarray(L, 1);
  bool keeps = lua_toboolean(L, 4);
  place p;
  read_place(L, 2, &p);
  ma_array *view = ma_lua_newarray(L);
  ma_array_view(view, flat);
  if (!keeps) view->dtype = (ma_dtype)p.dtype;
  view->ndim = (uint8_t)p.ndim;
  view->size = 1;
  view->offset = flat->offset + p.offset - (int64_t)lua_tonumber(L, 3);
  for (int d = 0; d < p.ndim; d++) {
    view->shape[d] = repeats_along(&p, d) ? 1 : p.shape[d];
    view->stride[d] = p.stride[d];
    view->size *= view->shape[d];
  }
  return 1;
}

const luaL_Reg ma_place_functions[] = {
  { "core.place", push_where }, { "core.place_of", describe_place }, { "core.fits", is_fitting },
  { "core.part", view_part },   { "core.slim", push_slim },          { NULL, NULL },
};
