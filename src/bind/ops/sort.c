/* sort.c: sorts, and what searches and histograms of lua/moonarray/functions are made of. */
//# sort
#include "bind/ops/ufunc.h"

#include "ops/sort.h"

#include <math.h>
#include <string.h>

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
  const ma_array *a = ma_lua_checkarray(L, 1);
  int axis = check_axis(L, 2, a);
  ma_sort ranks;
  check_ranks(L, 3, &ranks);
  ma_array *values = with_values ? ma_lua_newarray(L) : NULL;
  ma_array *positions = with_positions ? ma_lua_newarray(L) : NULL;
  MA_LUA_TRY(L, ma_sort_run(a, axis, &ranks, values, positions, ma_lua_streamfor(L, a)));
  return with_values + with_positions;
}

static int sort_copy(lua_State *L) { return sort_new(L, true, false); }
static int sort_positions(lua_State *L) { return sort_new(L, false, true); }
static int sort_both(lua_State *L) { return sort_new(L, true, true); }

/* ==== ma.sort, argsort, partition, argpartition ================================================================== */

/* Pushes the text of a number, "{1, {2, 3}}" of a list, or what else the value is. */
static const char *push_shown(lua_State *L, int index, int nested) {
  int n = lua_istable(L, index) && nested < 2 ? (int)lua_objlen(L, index) : 0;
  if (lua_type(L, index) == LUA_TNUMBER) return lua_pushfstring(L, "%f", lua_tonumber(L, index));
  if (!n) return lua_pushstring(L, ma_lua_describe(L, index)), lua_tostring(L, -1);
  lua_pushliteral(L, "{");
  for (int k = 1; k <= n && k <= 8; k++) {
    if (k > 1) lua_pushliteral(L, ", ");
    lua_rawgeti(L, index, k);
    push_shown(L, lua_gettop(L), nested + 1);
    lua_remove(L, -2);
    lua_concat(L, k > 1 ? 3 : 2);
  }
  lua_pushstring(L, n > 8 ? ", ...}" : "}");
  lua_concat(L, 2);
  return lua_tostring(L, -1);
}

static int fail_axis(lua_State *L, int slot, int ndim) {
  return ma_lua_fail(L, "axis %s of an array of %d axes; %s1 to %d, or negative from the end", push_shown(L, slot, 0),
                     ndim, lua_type(L, slot) == LUA_TNUMBER ? "" : "one number, ", ndim);
}

/* An array's axis, by default the last. An array without axes has none. */
static int last_axis(lua_State *L, int slot, const ma_array *a) {
  bool number = lua_type(L, slot) == LUA_TNUMBER;
  double axis = lua_isnil(L, slot) ? -1 : number ? lua_tonumber(L, slot) : 0;
  if (!a->ndim && axis == -1) return 0;
  if (axis != floor(axis) || axis == 0 || fabs(axis) > a->ndim) fail_axis(L, slot, a->ndim);
  return (int)axis + (axis < 0 ? a->ndim : -1);
}

static void check_kind(lua_State *L, int slot) {
  static const char *const kinds[] = { "quicksort", "heapsort", "mergesort", "stable" };
  const char *kind = lua_type(L, slot) == LUA_TSTRING ? lua_tostring(L, slot) : "";
  if (lua_isnil(L, slot)) return;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (!strcmp(kind, kinds[k])) return;
  ma_lua_fail(L, "%s for kind; quicksort, heapsort, mergesort or stable, all of them stable here",
              ma_lua_describe(L, slot));
}

/* Pushes the elements in the opposite order, by an operation that is its own inverse and keeps NaN: integers have all
** their bits changed. */
static ma_array *push_opposite(lua_State *L, const ma_array *a) {
  ma_kind kind = ma_dtypes[a->dtype].kind;
  bool whole = kind == MA_KIND_SIGNED || kind == MA_KIND_UNSIGNED;
  ma_opcode op = kind == MA_KIND_BOOL ? MA_DO_not : whole ? MA_DO_differing_bits : MA_DO_opposite;
  ma_arg arg[2] = { { .array = a }, { .dtype = (ma_dtype)a->dtype, .weak = MA_STRONG } };
  if (kind == MA_KIND_SIGNED) arg[1].value.i = -1;
  else arg[1].value.u = UINT64_MAX >> (64 - 8 * (whole ? ma_dtypes[a->dtype].itemsize : 1));
  ma_array *result = ma_lua_newarray(L);
  ma_lua_apply(L, &op, 1, arg, MA_NDTYPE, NULL, &result, ma_lua_streamfor(L, a));
  return result;
}

/* core.opposite(a) */
static int sort_opposite(lua_State *L) {
  push_opposite(L, ma_lua_checkarray(L, 1));
  return 1;
}

/* (a, k, axis, largest) -> values, positions of the first k; nothing where a sort of all elements is the way */
static int sort_top(lua_State *L) {
  const ma_array *a = ma_lua_checkarray(L, 1);
  int64_t k = (int64_t)luaL_checknumber(L, 2);
  int axis = (int)luaL_checknumber(L, 3) - 1;
  bool ran = false;
  ma_array *values = ma_lua_newarray(L), *positions = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_top_run(a, axis, k, lua_toboolean(L, 4), values, positions, &ran, ma_lua_streamfor(L, a)));
  return ran ? 2 : 0;
}

/* (a, keys, invert) -> which elements are among the keys; nothing where a search is the way */
static int sort_member(lua_State *L) {
  const ma_array *a = ma_lua_checkarray(L, 1), *keys = ma_lua_checkarray(L, 2);
  bool ran = false;
  ma_lua_checksame(L, a, keys);
  ma_array *mask = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_member_run(a, keys, lua_toboolean(L, 3), mask, &ran, ma_lua_streamfor(L, a)));
  return ran;
}

/* Pushes a sorted copy, or the positions of the elements in their order, which `to` gets unless it is NULL. */
static void push_order(lua_State *L, const ma_array *a, int axis, const ma_sort *ranks, bool positions, ma_array *to,
                       bool descending) {
  if (descending) a = push_opposite(L, a);
  ma_array *made = to ? to : ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_sort_run(a, axis, ranks, positions ? NULL : made, positions ? made : NULL, ma_lua_streamfor(L, a)));
  if (descending && !positions) push_opposite(L, made);
}

static int sort_along(lua_State *L, bool positions) {
  enum { A = 1, AXIS, KIND, OUT, DESCENDING, STABLE };
  bool descending = ma_lua_optbool(L, DESCENDING, false);
  ma_lua_optbool(L, STABLE, true); /* they all are */
  const ma_array *a = ma_lua_asarray(L, A, MA_NDTYPE);
  check_kind(L, KIND);
  int axis = last_axis(L, AXIS, a);
  ma_array *to = ma_lua_optarray(L, OUT);
  if (to && positions && ma_array_device(to) == ma_array_device(a)) {
    push_order(L, a, axis, NULL, true, to, descending);
    lua_pushvalue(L, OUT);
    return 1;
  }
  push_order(L, a, axis, NULL, positions, NULL, descending);
  return ma_lua_copyout(L, OUT);
}

static int sort_sort(lua_State *L) { return sort_along(L, false); }
static int sort_argsort(lua_State *L) { return sort_along(L, true); }

static int sort_self(lua_State *L) {
  enum { A = 1, AXIS, KIND, DESCENDING, STABLE };
  bool descending = ma_lua_optbool(L, DESCENDING, false);
  ma_lua_optbool(L, STABLE, true);
  ma_array *a = ma_lua_checkarray(L, A);
  check_kind(L, KIND);
  int axis = last_axis(L, AXIS, a);
  if (descending) {
    push_order(L, a, axis, NULL, false, NULL, true);
    ma_lua_assign(L, a, lua_gettop(L));
  } else {
    MA_LUA_TRY(L, ma_sort_run(a, axis, NULL, a, NULL, ma_lua_streamfor(L, a)));
  }
  lua_settop(L, A);
  return 1;
}

/* Adds a place, 1 .. n or negative from the end. More than a few are the same as all. */
static void add_rank(lua_State *L, int64_t kth, int64_t n, ma_sort *ranks, int *count) {
  if (kth == 0 || kth > n || kth < -n)
    ma_lua_fail(L, "kth is %lld of %lld elements; 1 to %lld, or negative from the end", (long long)kth, (long long)n,
                (long long)n);
  if (++*count <= MA_SORT_RANKS) ranks->rank[*count - 1] = kth < 0 ? n + kth : kth - 1;
}

/* Slot `index`: one place or a list of them along the axis. */
static void read_ranks(lua_State *L, int index, const ma_array *a, int axis, ma_sort *ranks) {
  int64_t n = a->ndim ? a->shape[axis] : 1;
  int count = 0, type = lua_type(L, index);
  const ma_array *list = ma_lua_toarray(L, index);
  if (list && ma_lua_checkarray(L, index)->ndim) {
    const void *memory;
    list = ma_lua_pushonhost(L, list, &memory);
    for (int64_t k = 0; k < list->size; k++) {
      ma_value value = ma_value_load((const char *)memory + k * list->stride[0], (ma_dtype)list->dtype);
      ma_lua_pushvalue(L, value, (ma_dtype)list->dtype);
      add_rank(L, ma_lua_checkint(L, -1, "kth"), n, ranks, &count);
      lua_pop(L, 1);
    }
  } else if (type == LUA_TTABLE) {
    for (int k = 1, all = (int)lua_objlen(L, index); k <= all; k++) {
      lua_rawgeti(L, index, k);
      add_rank(L, ma_lua_checkint(L, -1, "kth"), n, ranks, &count);
      lua_pop(L, 1);
    }
  } else {
    if (!list && type != LUA_TNUMBER && type != MA_LUA_TCDATA)
      ma_lua_fail(L, "kth is %s; wanted a number or a table of numbers", ma_lua_describe(L, index));
    add_rank(L, ma_lua_checkint(L, index, "kth"), n, ranks, &count);
  }
  ranks->nrank = count <= MA_SORT_RANKS ? count : 0;
}

/* Slots: a, kth, axis. */
static int partition_along(lua_State *L, bool positions) {
  ma_sort ranks;
  const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE);
  int axis = last_axis(L, 3, a);
  read_ranks(L, 2, a, axis, &ranks);
  push_order(L, a, axis, &ranks, positions, NULL, false);
  return 1;
}

static int sort_partition(lua_State *L) {
  partition_along(L, false);
  return ma_lua_copyout(L, 5);
}

static int sort_argpartition(lua_State *L) { return partition_along(L, true); }

static int sort_partition_self(lua_State *L) {
  ma_sort ranks;
  ma_array *a = ma_lua_checkarray(L, 1);
  int axis = last_axis(L, 3, a);
  read_ranks(L, 2, a, axis, &ranks);
  MA_LUA_TRY(L, ma_sort_run(a, axis, &ranks, a, NULL, ma_lua_streamfor(L, a)));
  lua_settop(L, 1);
  return 1;
}

/* ==== Searches, bins, counts ===================================================================================== */

/* core.search(sorted, values, right, sorter?): positions at which the values are inserted. */
static int sort_search(lua_State *L) {
  const ma_array *sorted = ma_lua_checkarray(L, 1), *values = ma_lua_checkarray(L, 2), *sorter = ma_lua_optarray(L, 4);
  bool right = lua_toboolean(L, 3);
  ma_lua_checkmeet(L, values, sorted);
  if (sorter) ma_lua_checkmeet(L, values, sorter);
  ma_array *positions = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_search_run(sorted, values, sorter, right, positions, ma_lua_streamfor(L, values)));
  return 1;
}

/* core.histogram(a, edges, uniform): counts for each bin. */
static int sort_histogram(lua_State *L) {
  const ma_array *a = ma_lua_checkarray(L, 1), *edges = ma_lua_checkarray(L, 2);
  bool uniform = lua_toboolean(L, 3);
  ma_lua_checkmeet(L, a, edges);
  ma_array *counts = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_histogram_run(a, edges, uniform, counts, ma_lua_streamfor(L, a)));
  return 1;
}

/* core.way(bins): 1 if they ascend, -1 if they descend, 0 if they do neither; a NaN does neither. Waits. */
static int sort_way(lua_State *L) {
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

/* Slot `index`: points of interp along one axis, in float64. */
static const ma_array *read_points(lua_State *L, int index, ma_device *device) {
  const ma_array *points = ma_lua_asarray_on(L, index, MA_FLOAT64, device);
  if (points->ndim == 1) return points;
  ma_array *flat = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_reshape(flat, points, 1, &points->size, ma_lua_streamfor(L, points)));
  lua_replace(L, index);
  return flat;
}

/* core.interp(x, xp, fp, left?, right?): the values of ma.interp without a period; nothing where fp is complex. What is
** no array becomes one beside the first that is one. */
static int sort_interp(lua_State *L) {
  enum { X = 1, XP, FP, LEFT };
  const char *const name[2] = { "left", "right" };
  double number[2];
  const double *end[2] = { NULL, NULL };
  ma_device *device = NULL;
  for (int k = X; k <= FP && !device; k++)
    if (ma_lua_toarray(L, k)) device = ma_array_device(ma_lua_checkarray(L, k));
  if (ma_dtypes[ma_lua_asarray_on(L, FP, MA_NDTYPE, device)->dtype].kind == MA_KIND_COMPLEX) return 0;
  const ma_array *x = ma_lua_asarray_on(L, X, MA_FLOAT64, device), *at = read_points(L, XP, device),
                 *value = read_points(L, FP, device);
  if (at->size != value->size || !at->size)
    return ma_lua_fail(L, "%lld positions and %lld values; as many, at least one", (long long)at->size,
                       (long long)value->size);
  for (int k = 0; k < 2; k++) {
    if (lua_isnoneornil(L, LEFT + k)) continue;
    number[k] = ma_lua_checknumber(L, LEFT + k, name[k]);
    end[k] = &number[k];
  }
  ma_lua_checkmeet(L, x, at);
  ma_lua_checkmeet(L, x, value);
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_interp_run(x, at, value, end, result, ma_lua_streamfor(L, x)));
  return 1;
}

static void read_bounds(lua_State *L, const ma_array *a, double bound[2]) {
  const void *memory;
  ma_array *two = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_extremes_run(a, two, ma_lua_streamfor(L, a)));
  ma_dtype dtype = (ma_dtype)ma_lua_pushonhost(L, two, &memory)->dtype;
  for (int k = 0; k < 2; k++) {
    ma_value value = ma_value_load((const char *)memory + k * ma_dtypes[dtype].itemsize, dtype);
    bound[k] = ma_value_cast(value, dtype, MA_FLOAT64).c.re;
  }
}

/* core.bounds(a): the least and the greatest element as numbers. Waits. */
static int sort_bounds(lua_State *L) {
  double bound[2];
  read_bounds(L, ma_lua_checkarray(L, 1), bound);
  lua_pushnumber(L, bound[0]);
  lua_pushnumber(L, bound[1]);
  return 2;
}

/* Slot `index`: the least number of places, 0 by default. */
static int64_t read_minlength(lua_State *L, int index) {
  if (lua_isnil(L, index)) return 0;
  double number = lua_type(L, index) == LUA_TNUMBER ? lua_tonumber(L, index) : -1;
  if (!(number >= 0 && number <= 0x1p53) || number != floor(number))
    ma_lua_fail(L, "minlength is %s; wanted a whole number from 0 on",
                lua_type(L, index) == LUA_TNUMBER ? lua_tostring(L, index) : ma_lua_describe(L, index));
  return (int64_t)number;
}

/* Slot `index`: real weights, one for each element, as float64 on the device of x. */
static const ma_array *read_weights(lua_State *L, int index, const ma_array *x) {
  ma_device *device = ma_array_device(x);
  const ma_array *weights = ma_lua_asarray_on(L, index, MA_NDTYPE, device);
  if (weights->ndim != 1 || weights->shape[0] != x->shape[0])
    ma_lua_fail(L, "weights of another shape than the elements; one a element");
  if (ma_dtypes[weights->dtype].kind == MA_KIND_COMPLEX) ma_lua_fail(L, "complex weights; real ones");
  if (ma_array_device(weights) != device) {
    ma_lua_pushon(L, weights, device);
    lua_replace(L, index);
  }
  return ma_lua_asarray(L, index, MA_FLOAT64);
}

static int sort_bincount(lua_State *L) {
  enum { X = 1, WEIGHTS, MINLENGTH };
  double bound[2] = { 0, -1 };
  const ma_array *x = ma_lua_asarray(L, X, MA_NDTYPE), *weights = NULL;
  if (x->ndim != 1) return ma_lua_fail(L, "an array of %d axes; 1", x->ndim);
  if (x->size && ma_dtypes[x->dtype].kind > MA_KIND_UNSIGNED)
    return ma_lua_fail(L, "dtype %s; integers; write ma.array(t, \"int64\") for a table of them",
                       ma_dtypes[x->dtype].name);
  x = ma_lua_asarray(L, X, MA_INT64);
  int64_t places = read_minlength(L, MINLENGTH);
  if (x->size) read_bounds(L, x, bound);
  if (bound[0] < 0) return ma_lua_fail(L, "an element %.0f; 0 and above", bound[0]);
  if (bound[1] >= (double)places) places = bound[1] < 0x1p62 ? (int64_t)bound[1] + 1 : INT64_C(1) << 62;
  if (!lua_isnil(L, WEIGHTS)) weights = read_weights(L, WEIGHTS, x);
  if (!x->size) {
    ma_dtype dtype = weights ? MA_FLOAT64 : MA_INT64;
    ma_array *none = ma_lua_pushnew(L, ma_array_device(x), dtype, 1, &places);
    MA_LUA_TRY(L, ma_array_fill(none, (ma_value){ .u = 0 }, MA_BOOL, ma_lua_streamfor(L, x)));
    return 1;
  }
  ma_array *sums = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_tally_run(x, weights, places, sums, ma_lua_streamfor(L, x)));
  return 1;
}

/* core.tally(x, places): how often each of 0 .. places - 1 occurs in int64 numbers, which are all of these. */
static int sort_tally(lua_State *L) {
  const ma_array *x = ma_lua_checkarray(L, 1);
  int64_t places = (int64_t)luaL_checknumber(L, 2);
  ma_array *sums = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_tally_run(x, NULL, places, sums, ma_lua_streamfor(L, x)));
  return 1;
}

/* core.extremes(a): an array of the least and the greatest element. */
static int sort_extremes(lua_State *L) {
  const ma_array *a = ma_lua_checkarray(L, 1);
  ma_array *two = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_extremes_run(a, two, ma_lua_streamfor(L, a)));
  return 1;
}

/* core.spread(two, dtype, bins): evenly spaced edges from two[1] to two[2]. */
static int sort_spread(lua_State *L) {
  const ma_array *two = ma_lua_checkarray(L, 1);
  ma_dtype dtype = ma_lua_checkdtype(L, 2, MA_FLOAT64);
  int64_t bins = ma_lua_checkint(L, 3, "bins");
  ma_array *edges = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_spread_run(two, dtype, bins, edges, ma_lua_streamfor(L, two)));
  return 1;
}

/* core.changes(sorted, equal_nan): where an element differs from the one before it. */
static int sort_changes(lua_State *L) {
  const ma_array *sorted = ma_lua_checkarray(L, 1);
  bool equal_nan = lua_toboolean(L, 2);
  ma_array *mask = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_changes_run(sorted, equal_nan, mask, ma_lua_streamfor(L, sorted)));
  return 1;
}

#define DIRECTIONS "ascending, with descending = true descending. Stable, and NaN comes last, either way. "

static const ma_function functions[] = {
  { "core.sort(a, axis, places?)", sort_copy, NULL },
  { "core.argsort(a, axis, places?)", sort_positions, NULL },
  { "core.sort_both(a, axis, places?)", sort_both, NULL },
  { "core.search(sorted, values, right, sorter?)", sort_search, NULL },
  { "core.histogram(a, edges, uniform)", sort_histogram, NULL },
  /* `arr`: a first argument `a` would make it a method too, and :sort is another function */
  //> sort({3, 1, 2})
  { "sort(arr: data, axis?: integer, kind?: string; out?: array, descending?: boolean, stable?: boolean) -> "
    "array",
    sort_sort, "A sorted copy, along an axis (the last): " DIRECTIONS "x:sort() sorts in place." },
  //> argsort({3, 1, 2})
  { "argsort(a: data, axis?: integer, kind?: string; out?: array, descending?: boolean, stable?: boolean) -> "
    "array",
    sort_argsort, "The positions of the elements in their order along an axis (the last): " DIRECTIONS },
  //> :sort: ma.array({3, 1, 2}):sort()
  { ":sort(a: data, axis?: integer, kind?: string; descending?: boolean, stable?: boolean) -> array", sort_self,
    "Sorts the array itself along an axis (the last), and returns it: " DIRECTIONS },
  //> :partition: ma.array({3, 1, 2}):partition(1)(1)
  { ":partition(a: data, kth: integer|integer[], axis?: integer, kind?: string) -> array", sort_partition_self,
    "Puts the array's kth element where a sort would, none after it smaller, none before greater; returns the array." },
  { "core.opposite(a)", sort_opposite, NULL },
  { "core.tally(x, places)", sort_tally, NULL },
  { "core.top(a, k, axis, largest)", sort_top, NULL },
  { "core.member(a, keys, invert?)", sort_member, NULL },
  //> partition: ma.partition({3, 1, 2}, 1)(1)
  { "partition(arr: data, kth: integer|integer[], axis?: integer, kind?: string; out?: array) -> array", sort_partition,
    "A copy whose kth element is where a sort would put it, none after it smaller, none before greater. "
    "x:partition() works in place." },
  //> argpartition: ma.argpartition({3, 1, 2}, 1)(1)
  { "argpartition(a: data, kth: integer|integer[], axis?: integer, kind?: string) -> array", sort_argpartition,
    "Positions that partition the array about its kth element along an axis (the last)." },
  { "core.interp(x, xp, fp, left?, right?)", sort_interp, NULL },
  { "core.extremes(a)", sort_extremes, NULL },
  { "core.bounds(a)", sort_bounds, NULL },
  { "core.way(bins)", sort_way, NULL },
  //# reduce
  //> bincount(ma.array({1, 2, 2, 5}, "int64"))
  { "bincount(x: data, weights?: data, minlength?: integer) -> array", sort_bincount,
    "How often each of the whole numbers 0, 1, 2 ... occurs, or the sum of its "
    "weights: position k + 1 is that of the number k. Waits." },
  { "core.spread(two, dtype, bins)", sort_spread, NULL },
  { "core.changes(sorted, equal_nan)", sort_changes, NULL },
  { NULL, NULL, NULL }
};

void ma_open_sort(lua_State *L) { ma_lua_register(L, functions); }
