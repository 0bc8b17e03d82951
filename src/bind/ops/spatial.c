/*
** spatial.c: distances and neighbours, for lua/moonarray/spatial. The first argument of each function is the name for
** errors.
*/
#include "bind/bind.h"

#include "ops/fields/delaunay.h"
#include "ops/fields/spatial.h"

/* (name, x, metric, p, y or nil, weights or nil) -> distances; without y those of the pairs i < j of rows */
static int spatial_pairs(lua_State *L) {
  const ma_array *x = ma_lua_checkarray(L, 2), *y = ma_lua_optarray(L, 5), *weights = ma_lua_optarray(L, 6);
  ma_metric metric = ma_metric_find(luaL_checkstring(L, 3));
  double p = luaL_checknumber(L, 4);
  if (metric == MA_NMETRIC) ma_lua_failas(L, lua_tostring(L, 1), "a metric that is not in the table");
  if (y) ma_lua_checksame(L, x, y);
  if (weights) ma_lua_checksame(L, x, weights);
  ma_array *to = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_pairs_run(x, y, metric, p, weights, to, ma_lua_streamfor(L, x)));
  return 1;
}

/* Slots 2, 3, 4 are the arrays of a tree, and 5 is p. */
static ma_tree_arrays tree_of(lua_State *L) {
  ma_tree_arrays a = { .points = ma_lua_checkarray(L, 2),
                       .boxes = ma_lua_checkarray(L, 3),
                       .positions = ma_lua_checkarray(L, 4),
                       .p = luaL_checknumber(L, 5) };
  a.device = ma_array_device(a.points);
  ma_lua_checksame(L, a.points, a.boxes);
  ma_lua_checksame(L, a.points, a.positions);
  return a;
}

/* (name, points, boxes, positions, p, queries, k, bound, eps, none) -> distances, positions */
static int spatial_nearest(lua_State *L) {
  ma_tree_arrays tree = tree_of(L);
  const ma_array *queries = ma_lua_checkarray(L, 6);
  int64_t k = (int64_t)luaL_checknumber(L, 7), none = (int64_t)luaL_checknumber(L, 10);
  double bound = luaL_checknumber(L, 8), eps = luaL_checknumber(L, 9);
  ma_lua_checksame(L, tree.points, queries);
  ma_array *distances = ma_lua_newarray(L), *found = ma_lua_newarray(L);
  MA_LUA_TRYAS(L,
               ma_nearest_run(&tree, queries, k, bound, eps, none, distances, found, ma_lua_stream_of(L, tree.device)));
  return 2;
}

/* (name, points, boxes, positions, p, queries, radii) -> counts; with (offsets, total) -> positions; a last true: of
** points behind the query's own alone */
static int spatial_within(lua_State *L) {
  ma_tree_arrays tree = tree_of(L);
  const ma_array *queries = ma_lua_checkarray(L, 6), *radii = ma_lua_checkarray(L, 7), *offsets = ma_lua_optarray(L, 8);
  int64_t total = offsets ? (int64_t)luaL_checknumber(L, 9) : 0;
  ma_lua_checksame(L, tree.points, queries);
  ma_lua_checksame(L, tree.points, radii);
  if (offsets) ma_lua_checksame(L, tree.points, offsets);
  bool later = lua_toboolean(L, 10);
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRYAS(L,
               ma_within_run(&tree, queries, radii, offsets, total, later, result, ma_lua_stream_of(L, tree.device)));
  return 1;
}

/* (name, points) -> corners, across, twins; ma_delaunay says what they are. points: (n, 2), contiguous float64. It
** waits. */
static int spatial_delaunay(lua_State *L) {
  const void *memory;
  const ma_array *points = ma_lua_checkarray(L, 2);
  if (points->ndim != 2 || points->shape[1] != 2 || points->dtype != MA_FLOAT64 || !ma_array_is_contiguous(points))
    ma_lua_failas(L, lua_tostring(L, 1), "points that are no matrix of two columns");
  ma_array *host = ma_lua_pushonhost(L, points, &memory);
  ma_array *corners = ma_lua_newarray(L), *across = ma_lua_newarray(L), *twins = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_delaunay(memory, points->shape[0], corners, across, twins));
  ma_array_release(host);
  return 3;
}

static const ma_function functions[] = {
  { "core.spatial_pairs(name, x, metric, p, y?, weights?)", spatial_pairs, NULL },
  { "core.spatial_nearest(name, points, boxes, positions, p, queries, k, bound, eps, none)", spatial_nearest, NULL },
  { "core.spatial_within(name, points, boxes, positions, p, queries, radii, offsets?, total?, later?)", spatial_within,
    NULL },
  { "core.spatial_delaunay(name, points)", spatial_delaunay, NULL },
  { NULL, NULL, NULL },
};

void ma_open_spatial(lua_State *L) { ma_lua_register(L, functions); }
