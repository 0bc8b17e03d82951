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

/* The memory of an argument on the host: rows of so many columns. */
static const void *rows_at(lua_State *L, int index, ma_dtype dtype, int64_t columns, int64_t *count) {
  const ma_array *given = ma_lua_checkarray(L, index);
  const void *memory;
  if (given->dtype != dtype || given->ndim != 2 || (columns && given->shape[1] != columns) ||
      !ma_array_is_contiguous(given))
    ma_lua_failas(L, lua_tostring(L, 1), "a triangulation whose arrays have another shape");
  *count = given->shape[0];
  ma_lua_pushonhost(L, given, &memory);
  return memory;
}

/* (name, points, corners) -> the cells of a triangulation, and the four numbers of its box; arrays on the host */
static int spatial_cells(lua_State *L) {
  int64_t count = 0;
  ma_box box = { { 0, 0 }, { 0, 0 } };
  ma_triangles m = { .points = rows_at(L, 2, MA_FLOAT64, 2, &m.npoint) };
  m.corners = rows_at(L, 3, MA_INT32, 3, &count);
  m.count = (int32_t)count;
  ma_array *cells = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_triangles_cells(&m, &box, cells));
  lua_pushnumber(L, box.low.x);
  lua_pushnumber(L, box.low.y);
  lua_pushnumber(L, box.size.x);
  lua_pushnumber(L, box.size.y);
  return 5;
}

/* (name, points, corners, across, cells, the four numbers, queries) -> found, weights; ma_triangles_locate says what
** they are. It waits. */
static int spatial_locate(lua_State *L) {
  int64_t count = 0, across = 0, ncell = 0, nquery = 0;
  ma_triangles m = { .box = { { luaL_checknumber(L, 6), luaL_checknumber(L, 7) },
                              { luaL_checknumber(L, 8), luaL_checknumber(L, 9) } } };
  m.points = rows_at(L, 2, MA_FLOAT64, 2, &m.npoint);
  m.corners = rows_at(L, 3, MA_INT32, 3, &count);
  m.across = rows_at(L, 4, MA_INT32, 3, &across);
  m.cells = rows_at(L, 5, MA_INT32, 0, &ncell);
  const ma_point *queries = rows_at(L, 10, MA_FLOAT64, 2, &nquery);
  m.count = (int32_t)(across < count ? across : count);
  m.ncell = (int32_t)ncell;
  ma_array *found = ma_lua_newarray(L), *weights = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_triangles_locate(&m, queries, nquery, found, weights));
  return 2;
}

static const ma_function functions[] = {
  { "core.spatial_pairs(name, x, metric, p, y?, weights?)", spatial_pairs, NULL },
  { "core.spatial_nearest(name, points, boxes, positions, p, queries, k, bound, eps, none)", spatial_nearest, NULL },
  { "core.spatial_within(name, points, boxes, positions, p, queries, radii, offsets?, total?, later?)", spatial_within,
    NULL },
  { "core.spatial_delaunay(name, points)", spatial_delaunay, NULL },
  { "core.spatial_cells(name, points, corners)", spatial_cells, NULL },
  { "core.spatial_locate(name, points, corners, across, cells, x, y, width, height, queries)", spatial_locate, NULL },
  { NULL, NULL, NULL },
};

void ma_open_spatial(lua_State *L) { ma_lua_register(L, functions); }
