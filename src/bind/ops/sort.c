/* sort.c: sorts, searches and histograms, for lua/moonarray/functions/sort.lua. */
#include "bind/bind.h"

#include "ops/sort.h"

static ma_stream *stream_for(lua_State *L, const ma_array *a) { return ma_lua_stream_of(L, ma_array_device(a)); }

/* Slot `index`: an axis; ignored for a 0-d array. */
static int check_axis(lua_State *L, int index, const ma_array *a) {
  return a->ndim ? ma_lua_checkaxis(L, index, a->ndim) : 0;
}

/* Slot `index`: a list of places from 1 on that matter, in any order, or nil. More than a few are the same as all. */
static void check_ranks(lua_State *L, int index, ma_sort *ranks) {
  ranks->nrank = 0;
  if (lua_isnoneornil(L, index)) return;
  luaL_checktype(L, index, LUA_TTABLE);
  size_t n = lua_objlen(L, index);
  for (size_t k = 1; k <= n && n <= MA_SORT_RANKS; k++) {
    lua_rawgeti(L, index, (int)k);
    ranks->rank[ranks->nrank++] = (int64_t)lua_tonumber(L, -1) - 1;
    lua_pop(L, 1);
  }
}

/* Arguments: a, axis, places. Pushes a sorted copy of a, the positions of its elements in that order, or both. */
static int sort_new(lua_State *L, bool with_values, bool with_positions) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *a = ma_lua_checkarray(L, 1);
  int axis = check_axis(L, 2, a);
  ma_sort ranks;
  check_ranks(L, 3, &ranks);
  ma_array *values = with_values ? ma_lua_newarray(L) : NULL;
  ma_array *positions = with_positions ? ma_lua_newarray(L) : NULL;
  MA_LUA_TRY(L, ma_sort_run(a, axis, &ranks, values, positions, stream_for(L, a)));
  return with_values + with_positions;
}

static int sort_copy(lua_State *L) { return sort_new(L, true, false); }
static int sort_positions(lua_State *L) { return sort_new(L, false, true); }
static int sort_both(lua_State *L) { return sort_new(L, true, true); }

/* Whether slot 1 is an array of some axes, and slots 3 to `last`, the options, are nil. */
static bool is_plain(lua_State *L, int last) {
  const ma_array *a = ma_lua_toarray(L, 1);
  bool plain = a && a->buffer && a->ndim;
  for (int slot = 3; plain && slot <= last; slot++) plain = lua_isnil(L, slot);
  return plain;
}

/* Slots: a, axis?, and options up to `last`: whether they are an array, a good axis or none, and nothing. */
static bool is_usual(lua_State *L, int last, int *axis) {
  if (!is_plain(L, last)) return false;
  const ma_array *a = ma_lua_toarray(L, 1);
  *axis = a->ndim - 1;
  if (lua_isnil(L, 2)) return true;
  double number = lua_type(L, 2) == LUA_TNUMBER ? lua_tonumber(L, 2) : 0;
  if (!(number >= 1 && number <= a->ndim) || number != (int)number) return false;
  *axis = (int)number - 1;
  return true;
}

/* ma.sort and argsort without options; the Lua layer has the others, and the errors. */
static int sort_usual(lua_State *L, bool positions, const char *other) {
  int n = ma_lua_args(L), axis;
  if (!is_usual(L, n, &axis)) return ma_lua_calllayer(L, other, n);
  ma_lua_account(L);
  const ma_array *a = ma_lua_toarray(L, 1);
  ma_array *made = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_sort_run(a, axis, NULL, positions ? NULL : made, positions ? made : NULL, stream_for(L, a)));
  return 1;
}

static int sort_sort(lua_State *L) { return sort_usual(L, false, "sort_any"); }
static int sort_argsort(lua_State *L) { return sort_usual(L, true, "argsort_any"); }

/* ma.partition and argpartition about one place along the last axis, without the other options. */
static int partition_usual(lua_State *L, bool positions, const char *other) {
  int n = ma_lua_args(L);
  const ma_array *a = ma_lua_toarray(L, 1);
  double kth = lua_type(L, 2) == LUA_TNUMBER ? lua_tonumber(L, 2) : 0;
  double most = is_plain(L, n) ? (double)a->shape[a->ndim - 1] : 0;
  if (!(kth >= -most && kth <= most) || kth == 0 || kth != (double)(int64_t)kth) return ma_lua_calllayer(L, other, n);
  ma_lua_account(L);
  ma_sort ranks = { .nrank = 1, .rank = { (int64_t)kth + (kth < 0 ? (int64_t)most : -1) } };
  ma_array *made = ma_lua_newarray(L);
  MA_LUA_TRY(L,
             ma_sort_run(a, a->ndim - 1, &ranks, positions ? NULL : made, positions ? made : NULL, stream_for(L, a)));
  return 1;
}

static int sort_partition(lua_State *L) { return partition_usual(L, false, "partition_any"); }
static int sort_argpartition(lua_State *L) { return partition_usual(L, true, "argpartition_any"); }

/* core.sort_in_place(a, axis, places?): sorts a and returns it. */
static int sort_in_place(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  ma_array *a = ma_lua_checkarray(L, 1);
  int axis = check_axis(L, 2, a);
  ma_sort ranks;
  check_ranks(L, 3, &ranks);
  MA_LUA_TRY(L, ma_sort_run(a, axis, &ranks, a, NULL, stream_for(L, a)));
  lua_settop(L, 1);
  return 1;
}

/* Checks that operands are on one device; the message says how to move one. */
static void check_device(lua_State *L, const ma_array *a, const ma_array *b) {
  ma_lua_check(L, ma_device_meet(ma_array_device(a), ma_array_device(b)));
}

/* core.search(sorted, values, right, sorter?): positions at which the values are inserted. */
static int sort_search(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *sorted = ma_lua_checkarray(L, 1), *values = ma_lua_checkarray(L, 2), *sorter = ma_lua_optarray(L, 4);
  bool right = lua_toboolean(L, 3);
  check_device(L, values, sorted);
  if (sorter) check_device(L, values, sorter);
  ma_array *positions = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_search_run(sorted, values, sorter, right, positions, stream_for(L, values)));
  return 1;
}

/* core.histogram(a, edges, uniform): counts for each bin. */
static int sort_histogram(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *a = ma_lua_checkarray(L, 1), *edges = ma_lua_checkarray(L, 2);
  bool uniform = lua_toboolean(L, 3);
  check_device(L, a, edges);
  ma_array *counts = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_histogram_run(a, edges, uniform, counts, stream_for(L, a)));
  return 1;
}

/* core.way(bins): 1 if they ascend, -1 if they descend, 0 if they do neither; a NaN does neither. Waits. */
static int sort_way(lua_State *L) {
  ma_lua_args(L);
  const ma_array *bins = ma_lua_checkarray(L, 1);
  const void *memory;
  bool up = true, down = true;
  const ma_array *host = ma_lua_pushonhost(L, bins, &memory);
  ma_dtype dtype = (ma_dtype)host->dtype;
  ma_kind kind = ma_dtypes[dtype].kind;
  if (host->ndim != 1 || kind == MA_KIND_COMPLEX) return ma_lua_fail(L, "bins that are no real vector");
  for (int64_t k = 0; k + 1 < host->size; k++) {
    const char *at = (const char *)memory + k * host->stride[0];
    ma_value a = ma_value_load(at, dtype), b = ma_value_load(at + host->stride[0], dtype);
    up &= kind == MA_KIND_FLOAT ? a.c.re <= b.c.re : kind == MA_KIND_SIGNED ? a.i <= b.i : a.u <= b.u;
    down &= kind == MA_KIND_FLOAT ? a.c.re >= b.c.re : kind == MA_KIND_SIGNED ? a.i >= b.i : a.u >= b.u;
  }
  lua_pushinteger(L, up ? 1 : down ? -1 : 0);
  return 1;
}

/* core.tally(numbers, places, weights?): counts, or sums of weights, of the numbers 0 .. places - 1. The caller has
** seen that no others are there. */
static int sort_tally(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *a = ma_lua_checkarray(L, 1), *weights = ma_lua_optarray(L, 3);
  int64_t places = ma_lua_checkint(L, 2, "places");
  if (weights) check_device(L, a, weights);
  ma_array *sums = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_tally_run(a, weights, places, sums, stream_for(L, a)));
  return 1;
}

/* Slots: x, xp, fp, left?, right?: float64 arrays on one device, and numbers. */
static int push_interpolated(lua_State *L) {
  ma_lua_account(L);
  const ma_array *x = ma_lua_checkarray(L, 1), *at = ma_lua_checkarray(L, 2), *value = ma_lua_checkarray(L, 3);
  const char *const name[2] = { "left", "right" };
  double number[2];
  const double *end[2] = { NULL, NULL };
  for (int k = 0; k < 2; k++) {
    if (lua_isnoneornil(L, 4 + k)) continue;
    number[k] = ma_lua_checknumber(L, 4 + k, name[k]);
    end[k] = &number[k];
  }
  check_device(L, x, at);
  check_device(L, x, value);
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_interp_run(x, at, value, end, result, stream_for(L, x)));
  return 1;
}

static int sort_interp(lua_State *L) {
  ma_lua_args(L);
  return push_interpolated(L);
}

/* A vector of real numbers, whose kind is `most` or one of those before it. */
static bool is_vector(lua_State *L, int index, ma_kind most) {
  const ma_array *array = ma_lua_toarray(L, index);
  return array && array->buffer && array->ndim == 1 && ma_dtypes[array->dtype].kind <= most;
}

static bool is_numeric(lua_State *L, int index) { return lua_isnil(L, index) || lua_type(L, index) == LUA_TNUMBER; }

/* interp of real vectors, all but the first of one size; the Lua layer has the others. */
static int sort_interp_plain(lua_State *L) {
  int n = ma_lua_args(L);
  bool plain = is_vector(L, 1, MA_KIND_FLOAT) && is_vector(L, 2, MA_KIND_FLOAT) && is_vector(L, 3, MA_KIND_FLOAT) &&
               is_numeric(L, 4) && is_numeric(L, 5) && lua_isnil(L, 6);
  int64_t points = plain ? ma_lua_toarray(L, 2)->size : 0;
  if (!points || ma_lua_toarray(L, 3)->size != points) return ma_lua_calllayer(L, "interp_any", n);
  for (int k = 1; k <= 3; k++) ma_lua_asarray(L, k, MA_FLOAT64);
  return push_interpolated(L);
}

static void read_bounds(lua_State *L, const ma_array *a, double bound[2]) {
  const void *memory;
  ma_array *two = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_extremes_run(a, two, stream_for(L, a)));
  ma_dtype dtype = (ma_dtype)ma_lua_pushonhost(L, two, &memory)->dtype;
  for (int k = 0; k < 2; k++) {
    ma_value value = ma_value_load((const char *)memory + k * ma_dtypes[dtype].itemsize, dtype);
    bound[k] = ma_value_cast(value, dtype, MA_FLOAT64).c.re;
  }
}

/* core.bounds(a): the least and the greatest element as numbers. Waits. */
static int sort_bounds(lua_State *L) {
  double bound[2];
  ma_lua_args(L);
  read_bounds(L, ma_lua_checkarray(L, 1), bound);
  lua_pushnumber(L, bound[0]);
  lua_pushnumber(L, bound[1]);
  return 2;
}

/* bincount of a vector of whole numbers, with real weights or without; the Lua layer has the others, and the errors. */
static int sort_bincount(lua_State *L) {
  enum { X = 1, WEIGHTS, MINLENGTH };
  double bound[2] = { -1, 0 };
  int n = ma_lua_args(L);
  bool plain = is_vector(L, X, MA_KIND_UNSIGNED) && lua_isnil(L, MINLENGTH) &&
               (lua_isnil(L, WEIGHTS) || is_vector(L, WEIGHTS, MA_KIND_FLOAT));
  const ma_array *x = plain ? ma_lua_asarray(L, X, MA_INT64) : NULL,
                 *weights = !plain || lua_isnil(L, WEIGHTS) ? NULL : ma_lua_asarray(L, WEIGHTS, MA_FLOAT64);
  plain = plain && x->size &&
          (!weights || (weights->size == x->size && ma_array_device(weights) == ma_array_device(x)));
  if (plain) read_bounds(L, x, bound);
  if (bound[0] < 0 || bound[1] > 0x1p53) return ma_lua_calllayer(L, "bincount_any", n);
  ma_array *sums = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_tally_run(x, weights, (int64_t)bound[1] + 1, sums, stream_for(L, x)));
  return 1;
}

/* core.extremes(a): an array of the least and the greatest element. */
static int sort_extremes(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *a = ma_lua_checkarray(L, 1);
  ma_array *two = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_extremes_run(a, two, stream_for(L, a)));
  return 1;
}

/* core.spread(two, dtype, bins): evenly spaced edges from two[1] to two[2]. */
static int sort_spread(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *two = ma_lua_checkarray(L, 1);
  ma_dtype dtype = ma_lua_checkdtype(L, 2, MA_FLOAT64);
  int64_t bins = ma_lua_checkint(L, 3, "bins");
  ma_array *edges = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_spread_run(two, dtype, bins, edges, stream_for(L, two)));
  return 1;
}

/* core.changes(sorted, equal_nan): where an element differs from the one before it. */
static int sort_changes(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *sorted = ma_lua_checkarray(L, 1);
  bool equal_nan = lua_toboolean(L, 2);
  ma_array *mask = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_changes_run(sorted, equal_nan, mask, stream_for(L, sorted)));
  return 1;
}

#define DIRECTIONS "ascending, with descending = true descending. Stable, and NaN comes last, either way. "

static const ma_function functions[] = {
  { "core.sort(a, axis, places?)", sort_copy, NULL },
  { "core.sort_in_place(a, axis, places?)", sort_in_place, NULL },
  { "core.argsort(a, axis, places?)", sort_positions, NULL },
  { "core.sort_both(a, axis, places?)", sort_both, NULL },
  { "core.search(sorted, values, right, sorter?)", sort_search, NULL },
  { "core.histogram(a, edges, uniform)", sort_histogram, NULL },
  { "core.tally(numbers, places, weights?)", sort_tally, NULL },
  { "sort(arr: data, axis?: integer|integer[], kind?: string; out?: array, descending?: boolean, stable?: boolean) -> "
    "array",
    sort_sort,
    "A sorted copy, along an axis (the last): " DIRECTIONS
    "x:sort() sorts in place. Example: ma.sort({2, 3, 1}, {descending = true}) "
    "--> [3. 2. 1.]" },
  { "argsort(a: data, axis?: integer|integer[], kind?: string; out?: array, descending?: boolean, stable?: boolean) -> "
    "array",
    sort_argsort,
    "The positions of the elements in their order along an axis (the last): " DIRECTIONS
    "Example: ma.argsort({2, 3, 1}, {descending = true}) --> [2 1 3]" },
  { "partition(arr: data, kth: integer|integer[], axis?: integer|integer[], kind?: string; out?: array) -> array",
    sort_partition,
    "A copy whose kth element is where a sort would put it, none after it smaller, none before greater. "
    "x:partition() works in place." },
  { "argpartition(a: data, kth: integer|integer[], axis?: integer|integer[], kind?: string) -> array",
    sort_argpartition, "Positions that partition the array about its kth element along an axis (the last)." },
  { "core.interp(x, xp, fp, left?, right?)", sort_interp, NULL },
  { "core.extremes(a)", sort_extremes, NULL },
  { "core.bounds(a)", sort_bounds, NULL },
  { "core.way(bins)", sort_way, NULL },
  { "interp(x: data, xp: data, fp: data, left?: number, right?: number, period?: number) -> array", sort_interp_plain,
    "Values at x of the piecewise linear function through the points (xp, fp), "
    "xp ascending." },
  { "bincount(x: data, weights?: data, minlength?: integer) -> array", sort_bincount,
    "How often each of the whole numbers 0, 1, 2 ... occurs, or the sum of its "
    "weights: position k + 1 is that of the number k. Waits." },
  { "core.spread(two, dtype, bins)", sort_spread, NULL },
  { "core.changes(sorted, equal_nan)", sort_changes, NULL },
  { NULL, NULL, NULL }
};

void ma_open_sort(lua_State *L) { ma_lua_register(L, functions); }
