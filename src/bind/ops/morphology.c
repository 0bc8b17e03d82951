/* morphology.c: binary morphology and labels, for lua/moonarray/ndimage. */
#include "bind/bind.h"

#include "ops/fields/morphology.h"

/* core.binary(a, runs, erode, border, centred, iterations, mask?): a dilation or an erosion. */
static int morphology_binary(lua_State *L) {
  const ma_array *a = ma_lua_checkarray(L, 1), *runs = ma_lua_checkarray(L, 2), *mask = ma_lua_optarray(L, 7);
  ma_binary_options options = { lua_toboolean(L, 3), lua_toboolean(L, 4), lua_toboolean(L, 5),
                                ma_lua_checkint(L, 6, "iterations") };
  ma_array *to = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_binary_run(a, mask, runs, &options, to, ma_lua_streamfor(L, a)));
  return 1;
}

/* core.label(a, links, joined, dtype): labels, and their number. */
static int morphology_label(lua_State *L) {
  const ma_array *a = ma_lua_checkarray(L, 1), *links = ma_lua_checkarray(L, 2);
  bool joined = lua_toboolean(L, 3);
  ma_dtype dtype = ma_lua_checkdtype(L, 4, MA_INT32);
  ma_array *to = ma_lua_newarray(L), *count = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_label_run(a, links, joined, dtype, to, count, ma_lua_streamfor(L, a)));
  return 2;
}

/* core.flood(seed, links, joined, inverted, mask?): the components of the mask that have a seed. */
static int morphology_flood(lua_State *L) {
  const ma_array *seed = ma_lua_checkarray(L, 1), *links = ma_lua_checkarray(L, 2), *mask = ma_lua_optarray(L, 5);
  bool joined = lua_toboolean(L, 3), inverted = lua_toboolean(L, 4);
  ma_array *to = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_flood_run(seed, mask, links, joined, inverted, to, ma_lua_streamfor(L, seed)));
  return 1;
}

/* Pushes the ranges {first, last} of one box, or false for an empty one. */
static void push_box(lua_State *L, const int64_t *box, int ndim) {
  if (box[1] == 0) {
    lua_pushboolean(L, false);
    return;
  }
  lua_createtable(L, ndim, 0);
  for (int d = 0; d < ndim; d++) {
    lua_createtable(L, 2, 0);
    lua_pushnumber(L, (double)box[2 * d]);
    lua_rawseti(L, -2, 1);
    lua_pushnumber(L, (double)box[2 * d + 1]);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, d + 1);
  }
}

/* core.boxes(labels, count): a list of the box of each label: the ranges of its positions along each axis. Waits. */
static int morphology_boxes(lua_State *L) {
  const void *memory;
  const ma_array *labels = ma_lua_checkarray(L, 1);
  int64_t count = ma_lua_checkint(L, 2, "count");
  if (count > INT32_MAX) return ma_lua_fail(L, "%lld labels; a table takes 2^31 - 1", (long long)count);
  ma_array *boxes = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_boxes_run(labels, count, boxes, ma_lua_streamfor(L, labels)));
  ma_array *host = ma_lua_pushonhost(L, boxes, &memory);
  ma_array_release(boxes);
  ma_lua_room(L, 8);
  lua_createtable(L, (int)count, 0);
  for (int64_t k = 0; k < count; k++) {
    push_box(L, (const int64_t *)memory + k * 2 * labels->ndim, labels->ndim);
    lua_rawseti(L, -2, (int)k + 1);
  }
  ma_array_release(host);
  return 1;
}

/* core.distances(a, sampling, places): distances, and with `places` the offset of the nearest false element. */
static int morphology_distances(lua_State *L) {
  double sampling[MA_MAX_NDIM];
  const ma_array *a = ma_lua_checkarray(L, 1);
  bool with_places = lua_toboolean(L, 3);
  luaL_checktype(L, 2, LUA_TTABLE);
  for (int d = 0; d < a->ndim; d++) {
    lua_rawgeti(L, 2, d + 1);
    sampling[d] = ma_lua_checknumber(L, -1, "sampling");
    lua_pop(L, 1);
  }
  ma_array *distances = ma_lua_newarray(L), *places = with_places ? ma_lua_newarray(L) : NULL;
  MA_LUA_TRY(L, ma_distance_run(a, sampling, distances, places, ma_lua_streamfor(L, a)));
  return 1 + with_places;
}

/* core.groups(labels, first, count, values?, centres?, inner?, extent?): sums over the elements of each label. */
static int morphology_groups(lua_State *L) {
  const ma_array *labels = ma_lua_checkarray(L, 1), *values = ma_lua_optarray(L, 4), *centres = ma_lua_optarray(L, 5);
  ma_group_options options = { .first = ma_lua_checkint(L, 2, "first"), .count = ma_lua_checkint(L, 3, "count") };
  if (!lua_isnil(L, 6)) {
    options.inner = ma_lua_checkint(L, 6, "inner");
    options.extent = ma_lua_checkint(L, 7, "extent");
  }
  ma_array *sums = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_groups_run(labels, values, centres, &options, sums, ma_lua_streamfor(L, labels)));
  return 1;
}

static const ma_function functions[] = {
  { "core.binary(a, runs, erode, border, centred, iterations, mask?)", morphology_binary, NULL },
  { "core.label(a, links, joined, dtype)", morphology_label, NULL },
  { "core.flood(seed, links, joined, inverted, mask?)", morphology_flood, NULL },
  { "core.boxes(labels, count)", morphology_boxes, NULL },
  { "core.distances(a, sampling, places)", morphology_distances, NULL },
  { "core.groups(labels, first, count, values?, centres?, inner?, extent?)", morphology_groups, NULL },
  { NULL, NULL, NULL }
};

void ma_open_morph(lua_State *L) { ma_lua_register(L, functions); }
