/*
** csgraph.c: graphs on the CPU, for lua/moonarray/sparse/csgraph. The first argument of each function is the name for
** errors, and three arrays of a compressed matrix follow: indptr int64, indices int32, data float64. Results are
** written to arrays that Lua made, with positions from 1 on and 0 for none.
*/
#include "bind/bind.h"

#include "memory/graph.h"
#include "ops/csgraph/csgraph.h"
#include "ops/factors/run.h"

#include <math.h>

typedef struct csgraph_call {
  ma_compressed_arrays arrays;
  bool both; /* edges lead in both directions */
  ma_stream *stream;
  ma_pattern edges;
} csgraph_call;

static ma_array *host_array(lua_State *L, int k, ma_dtype dtype, int64_t size) {
  ma_array *a = ma_lua_checkarray(L, k);
  if (!ma_is_host(ma_array_device(a)) || a->dtype != dtype || a->size != size || !ma_array_is_contiguous(a))
    ma_lua_failas(L, lua_tostring(L, 1), "an array of another dtype, size or device than is wanted");
  return a;
}

/* Slots 2, 3, 4 are the graph's arrays, slot 5 is whether edges lead in both directions. */
static csgraph_call csgraph_of(lua_State *L) {
  csgraph_call c = {
    .arrays = { .start = ma_lua_checkarray(L, 2), .row = ma_lua_checkarray(L, 3), .value = ma_lua_checkarray(L, 4) }
  };
  c.arrays.rows = c.arrays.columns = c.arrays.start->size - 1;
  if (!ma_is_host(ma_array_device(c.arrays.start)) || !ma_is_host(ma_array_device(c.arrays.row)) ||
      !ma_is_host(ma_array_device(c.arrays.value)) || c.arrays.value->dtype != MA_FLOAT64)
    ma_lua_failas(L, lua_tostring(L, 1), "arrays that are not those of a graph on the CPU");
  c.both = lua_toboolean(L, 5);
  c.stream = ma_lua_streamfor(L, c.arrays.start);
  return c;
}

static ma_status open_csgraph(csgraph_call *c) {
  MA_TRY(ma_capture_refuse_work(c->stream, "a search of a graph"));
  MA_TRY(ma_pattern_open(&c->arrays, c->stream, &c->edges));
  if (!c->both) return MA_OK;
  ma_pattern both = { 0 };
  ma_status status = ma_csgraph_both(&c->edges, &both);
  ma_pattern_close(&c->edges);
  c->edges = both;
  return status;
}

static void close_csgraph(csgraph_call *c) {
  if (c->both) ma_csgraph_free(&c->edges);
  else ma_pattern_close(&c->edges);
}

/* Counts from 1; -1 becomes 0. */
static void count_from_one(int32_t *position, int64_t n) {
  for (int64_t k = 0; position && k < n; k++) position[k]++;
}

/* Opens the graph, gives the addresses of up to three results (NULL: not wanted), and does the work. */
#define MA_MOST_RESULTS 3
typedef ma_status csgraph_work(const ma_pattern *g, void *const *result, void *context);
static ma_status with_csgraph(csgraph_call *c, ma_array *const *array, csgraph_work *work, void *context) {
  void *result[MA_MOST_RESULTS] = { NULL };
  MA_TRY(open_csgraph(c));
  ma_status status = MA_OK;
  for (int k = 0; k < MA_MOST_RESULTS && status == MA_OK; k++)
    if (array[k]) status = ma_array_write(array[k], c->stream, &result[k]);
  if (status == MA_OK) status = work(&c->edges, result, context);
  close_csgraph(c);
  return status;
}

typedef struct components_job {
  bool strong;
  int32_t count;
} components_job;

static ma_status run_components(const ma_pattern *g, void *const *result, void *context) {
  components_job *job = context;
  MA_TRY(ma_csgraph_components(g, job->strong, result[0], &job->count));
  count_from_one(result[0], g->n);
  return MA_OK;
}

/* (name, indptr, indices, data, both, strong, labels) -> number of components */
static int csgraph_components(lua_State *L) {
  csgraph_call c = csgraph_of(L);
  components_job job = { .strong = lua_toboolean(L, 6) };
  ma_array *to[MA_MOST_RESULTS] = { host_array(L, 7, MA_INT32, c.arrays.rows) };
  MA_LUA_TRYAS(L, with_csgraph(&c, to, run_components, &job));
  lua_pushnumber(L, job.count);
  return 1;
}

typedef struct search_job {
  int32_t from, count;
  bool depth;
} search_job;

static ma_status run_search(const ma_pattern *g, void *const *result, void *context) {
  search_job *job = context;
  if (job->from < 0 || job->from >= g->n)
    return ma_fail(MA_ERR_INDEX, "node %d of a graph of %d nodes", job->from + 1, g->n);
  MA_TRY(ma_csgraph_search(g, job->from, job->depth, result[0], result[1], &job->count));
  count_from_one(result[0], job->count);
  count_from_one(result[1], g->n);
  return MA_OK;
}

/* (name, indptr, indices, data, both, from, depth, order, predecessors) -> number of nodes in `order` */
static int csgraph_search(lua_State *L) {
  csgraph_call c = csgraph_of(L);
  double from = luaL_checknumber(L, 6);
  search_job job = { .from = from >= 1 && from <= INT32_MAX ? (int32_t)from - 1 : -1, .depth = lua_toboolean(L, 7) };
  ma_array *to[MA_MOST_RESULTS] = { host_array(L, 8, MA_INT32, c.arrays.rows),
                                    host_array(L, 9, MA_INT32, c.arrays.rows) };
  MA_LUA_TRYAS(L, with_csgraph(&c, to, run_search, &job));
  lua_pushnumber(L, job.count);
  return 1;
}

static ma_status run_narrow(const ma_pattern *g, void *const *result, void *context) {
  MA_TRY(ma_csgraph_narrow(g, result[0]));
  count_from_one(result[0], g->n);
  return MA_OK;
}

/* (name, indptr, indices, data, both, order) */
static int csgraph_narrow(lua_State *L) {
  csgraph_call c = csgraph_of(L);
  ma_array *to[MA_MOST_RESULTS] = { host_array(L, 6, MA_INT32, c.arrays.rows) };
  MA_LUA_TRYAS(L, with_csgraph(&c, to, run_narrow, NULL));
  return 0;
}

static ma_status run_match(const ma_pattern *g, void *const *result, void *context) {
  MA_TRY(ma_csgraph_match(g, result[0]));
  count_from_one(result[0], g->n);
  return MA_OK;
}

/* (name, indptr, indices, data, both, columns, partners): the column of each row; of a matrix of so many columns */
static int csgraph_match(lua_State *L) {
  csgraph_call c = csgraph_of(L);
  c.both = false;
  c.arrays.rows = (int64_t)luaL_checknumber(L, 6);
  ma_array *to[MA_MOST_RESULTS] = { host_array(L, 7, MA_INT32, c.arrays.columns) };
  MA_LUA_TRYAS(L, with_csgraph(&c, to, run_match, NULL));
  return 0;
}

static ma_status run_tree(const ma_pattern *g, void *const *result, void *context) {
  return ma_csgraph_tree(g, context, result[0]);
}

static ma_status tree_of(csgraph_call *c, const ma_array *order, ma_array *const *to) {
  const void *address;
  MA_TRY(ma_array_read(order, c->stream, &address));
  return with_csgraph(c, to, run_tree, (void *)address);
}

/* (name, indptr, indices, data, both, order, kept): `order` has the edges by length */
static int csgraph_tree(lua_State *L) {
  csgraph_call c = csgraph_of(L);
  c.both = false;
  const ma_array *order = host_array(L, 6, MA_INT64, c.arrays.row->size);
  ma_array *to[MA_MOST_RESULTS] = { host_array(L, 7, MA_BOOL, c.arrays.row->size) };
  MA_LUA_TRYAS(L, tree_of(&c, order, to));
  return 0;
}

static ma_status run_paths(const ma_pattern *g, void *const *result, void *context) {
  ma_paths *p = context;
  int64_t rows = p->nearest ? 1 : p->count;
  for (int64_t k = 0; k < p->count; k++)
    if (p->from[k] < 0 || p->from[k] >= g->n)
      return ma_fail(MA_ERR_INDEX, "node %d of a graph of %d nodes", p->from[k] + 1, g->n);
  p->edges = g;
  p->length = result[0];
  p->before = result[1];
  p->source = result[2];
  MA_TRY(ma_csgraph_paths(p));
  count_from_one(p->before, rows * g->n);
  count_from_one(p->source, g->n);
  return MA_OK;
}

static ma_status paths_of(csgraph_call *c, const ma_array *from, ma_paths *p, ma_array *const *to) {
  const void *address;
  MA_TRY(ma_array_read(from, c->stream, &address));
  p->from = address;
  return with_csgraph(c, to, run_paths, p);
}

/* (name, indptr, indices, data, both, method, from, limit, nearest, lengths, predecessors?, sources?):
** `from` counts from 0 */
static int csgraph_paths(lua_State *L) {
  csgraph_call c = csgraph_of(L);
  int method = (int)luaL_checknumber(L, 6);
  ma_array *from = ma_lua_checkarray(L, 7);
  ma_paths p = { .method = (ma_path_method)method, .limit = luaL_checknumber(L, 8), .nearest = lua_toboolean(L, 9) };
  host_array(L, 7, MA_INT32, from->size);
  p.count = from->size;
  int64_t size = (p.nearest ? 1 : p.count) * c.arrays.rows;
  ma_array *to[MA_MOST_RESULTS] = { host_array(L, 10, MA_FLOAT64, size) };
  if (method < 0 || method >= MA_NPATH) ma_lua_failas(L, lua_tostring(L, 1), "a method that is not in the table");
  if (!lua_isnoneornil(L, 11)) to[1] = host_array(L, 11, MA_INT32, size);
  if (!lua_isnoneornil(L, 12)) to[2] = host_array(L, 12, MA_INT32, c.arrays.rows);
  MA_LUA_TRYAS(L, paths_of(&c, from, &p, to));
  return 0;
}

static ma_status all_paths_of(ma_array *lengths, ma_array *before, ma_stream *stream) {
  void *length, *predecessor = NULL;
  MA_TRY(ma_capture_refuse_work(stream, "a search of a graph"));
  MA_TRY(ma_array_write(lengths, stream, &length));
  if (before) MA_TRY(ma_array_write(before, stream, &predecessor));
  MA_TRY(ma_csgraph_all_paths((int32_t)lengths->shape[0], length, predecessor));
  count_from_one(predecessor, lengths->size);
  return MA_OK;
}

/* (name, lengths, predecessors?): lengths of edges become those of paths */
static int csgraph_all_paths(lua_State *L) {
  ma_array *lengths = ma_lua_checkarray(L, 2), *before = NULL;
  if (lengths->ndim != 2 || lengths->shape[0] != lengths->shape[1] || lengths->shape[0] > INT32_MAX)
    ma_lua_failas(L, lua_tostring(L, 1), "lengths that are not a square matrix");
  host_array(L, 2, MA_FLOAT64, lengths->size);
  if (!lua_isnoneornil(L, 3)) before = host_array(L, 3, MA_INT32, lengths->size);
  MA_LUA_TRYAS(L, all_paths_of(lengths, before, ma_lua_streamfor(L, lengths)));
  return 0;
}

static const ma_function functions[] = {
  { "core.csgraph_components(name, indptr, indices, data, both, strong, labels)", csgraph_components, NULL },
  { "core.csgraph_search(name, indptr, indices, data, both, from, depth, order, predecessors)", csgraph_search, NULL },
  { "core.csgraph_narrow(name, indptr, indices, data, both, order)", csgraph_narrow, NULL },
  { "core.csgraph_match(name, indptr, indices, data, both, columns, partners)", csgraph_match, NULL },
  { "core.csgraph_tree(name, indptr, indices, data, both, order, kept)", csgraph_tree, NULL },
  { "core.csgraph_paths(name, indptr, indices, data, both, method, sources, limit, nearest, lengths, predecessors?, "
    "nearest_sources?)",
    csgraph_paths, NULL },
  { "core.csgraph_all_paths(name, lengths, predecessors?)", csgraph_all_paths, NULL },
  { NULL, NULL, NULL },
};

void ma_open_csgraph(lua_State *L) { ma_lua_register(L, functions); }
