/* signal.c: the parts of ma.signal that are in C, for lua/moonarray/signal. */
#include "bind/ops/ufunc.h"
#include "ops/fields/signal.h"
#include "tuning.h"

#include <string.h>

static int signal_correlate(lua_State *L) {
  const ma_array *a = ma_lua_checkarray(L, 1), *taps = ma_lua_checkbeside(L, 2, a);
  bool part = !lua_isnoneornil(L, 3);
  int64_t before = part ? ma_lua_checkint(L, 3, "before") : 0, count = part ? ma_lua_checkint(L, 4, "count") : -1;
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_correlate_run(a, taps, before, count, result, ma_lua_streamfor(L, a)));
  return 1;
}

/* ==== Vectors that slide over each other ========================================================================= */

/* Slot `index`: a vector of one element at least, moved to `device` unless that is NULL. */
static const ma_array *read_vector(lua_State *L, int index, ma_device *device) {
  const ma_array *a = ma_lua_asarray_on(L, index, MA_NDTYPE, device);
  if (device && ma_array_device(a) != device) {
    ma_lua_pushon(L, a, device);
    lua_replace(L, index);
    a = ma_lua_toarray(L, index);
  }
  if (a->ndim == 0) {
    int64_t one = 1;
    ma_array *view = ma_lua_newarray(L);
    MA_LUA_TRY(L, ma_array_reshape(view, a, 1, &one, ma_lua_streamfor(L, a)));
    lua_replace(L, index);
    a = view;
  }
  if (a->ndim != 1) ma_lua_fail(L, "%s has %d axes; wanted one", ma_lua_argname(L, index), a->ndim);
  if (!a->size) ma_lua_fail(L, "%s is empty; wanted one element at least", ma_lua_argname(L, index));
  return a;
}

/* Of the n + m - 1 sums of vectors of n >= m elements: the first one that the mode takes, and their number. */
static void read_mode(const char *mode, int64_t n, int64_t m, int64_t *first, int64_t *count) {
  bool full = !strcmp(mode, "full"), same = !strcmp(mode, "same");
  *first = full ? 1 : same ? (m - 1) / 2 + 1 : m;
  *count = full ? n + m - 1 : same ? n : n - m + 1;
}

/* Whether the CPU forms the sums by one pass over memory, with all products of a block in the cache. The Lua layer has
** faster ways for more. */
static bool are_few(const ma_array *a, int64_t m, int64_t count) {
  return ma_is_host(ma_array_device(a)) && count >= m && (m <= TUNE_SUMS_TAPS || count <= TUNE_SUMS_FEW);
}

static void push_backwards(lua_State *L, const ma_array *a) {
  ma_array *view = ma_lua_newarray(L);
  ma_array_view(view, a);
  view->offset += (a->size - 1) * a->stride[0];
  view->stride[0] = -a->stride[0];
}

/* core.signal_slide(a, v, mode, turns): reads the operands of ma.convolve (turns: v is taken backwards) and of
** ma.correlate (v is conjugated), and gives the sums of products where they are few. Where they are many, nil, and the
** longer vector, the shorter one, the dtype of the sums, the first one, their number, and whether the vectors changed
** places, so that correlate's sums are to be taken backwards. */
static int signal_slide(lua_State *L) {
  enum { A = 1, V, MODE, TURNS };
  lua_settop(L, TURNS);
  bool turns = lua_toboolean(L, TURNS);
  const char *mode = lua_isnil(L, MODE) ? (turns ? "full" : "valid") : lua_tostring(L, MODE);
  if (lua_type(L, MODE) > LUA_TNIL && lua_type(L, MODE) != LUA_TSTRING) mode = NULL;
  if (!mode || (strcmp(mode, "full") && strcmp(mode, "same") && strcmp(mode, "valid")))
    return ma_lua_fail(L, "%s for mode; full, same or valid", ma_lua_describe(L, MODE));
  const ma_array *a = read_vector(L, A, NULL), *v = read_vector(L, V, ma_array_device(a));
  ma_dtype dtype = ma_dtype_promote((ma_dtype)a->dtype, (ma_dtype)v->dtype);
  int64_t first, count;
  int of_a = A, of_v = V;
  if (!turns && ma_dtypes[v->dtype].kind == MA_KIND_COMPLEX) {
    const ma_opcode conjugate = MA_DO_conjugate;
    ma_arg arg = { .array = v };
    ma_array *result = ma_lua_newarray(L);
    ma_lua_apply(L, &conjugate, 1, &arg, MA_NDTYPE, NULL, &result, ma_lua_streamfor(L, v));
    lua_replace(L, V);
    v = result;
  }
  bool swaps = v->size > a->size;
  if (swaps) {
    const ma_array *other = a;
    a = v, v = other, of_a = V, of_v = A;
  }
  read_mode(mode, a->size, v->size, &first, &count);
  if (are_few(a, v->size, count)) {
    ma_array *sums = ma_lua_newarray(L);
    MA_LUA_TRY(L, ma_sums_run(a, v, turns, dtype, first, count, sums, ma_lua_streamfor(L, a)));
    if (swaps && !turns) push_backwards(L, sums);
    return 1;
  }
  lua_pushnil(L);
  lua_pushvalue(L, of_a);
  lua_pushvalue(L, of_v);
  ma_lua_pushdtype(L, dtype);
  lua_pushnumber(L, (double)first);
  lua_pushnumber(L, (double)count);
  lua_pushboolean(L, swaps);
  return 7;
}

static int signal_upfirdn(lua_State *L) {
  const ma_array *a = ma_lua_checkarray(L, 1), *taps = ma_lua_checkbeside(L, 2, a);
  int64_t up = ma_lua_checkint(L, 3, "up"), down = ma_lua_checkint(L, 4, "down");
  int64_t first = ma_lua_checkint(L, 5, "first"), count = ma_lua_checkint(L, 6, "count");
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_upfirdn_run(a, taps, up, down, first, count, result, ma_lua_streamfor(L, a)));
  return 1;
}

static int signal_recurrence(lua_State *L) {
  const ma_array *a = ma_lua_checkarray(L, 1), *coefficients = ma_lua_checkbeside(L, 2, a);
  const ma_array *powers = lua_isnil(L, 3) ? NULL : ma_lua_checkbeside(L, 3, a);
  const ma_array *start = lua_isnil(L, 4) ? NULL : ma_lua_checkbeside(L, 4, a);
  int64_t sections = ma_lua_checkint(L, 5, "sections");
  bool with_end = lua_toboolean(L, 6);
  ma_array *result = ma_lua_newarray(L), *end = with_end ? ma_lua_newarray(L) : NULL;
  if (sections < 0 || sections > 4096) return ma_lua_fail(L, "%d sections; 0 to 4096", (int)sections);
  MA_LUA_TRY(L, ma_recurrence_run(a, coefficients, powers, start, (int)sections, result, end, ma_lua_streamfor(L, a)));
  return 1 + with_end;
}

static int signal_prominences(lua_State *L) {
  const ma_array *x = ma_lua_checkarray(L, 1), *peaks = ma_lua_checkbeside(L, 2, x);
  int64_t window = ma_lua_checkint(L, 3, "wlen");
  ma_array *three[3];
  for (int k = 0; k < 3; k++) three[k] = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_prominences_run(x, peaks, window, three, ma_lua_streamfor(L, x)));
  return 3;
}

static int signal_widths(lua_State *L) {
  const ma_array *x = ma_lua_checkarray(L, 1), *peaks = ma_lua_checkbeside(L, 2, x), *given[3];
  double part = ma_lua_checknumber(L, 3, "rel_height");
  ma_array *four[4];
  for (int k = 0; k < 3; k++) given[k] = ma_lua_checkbeside(L, 4 + k, x);
  for (int k = 0; k < 4; k++) four[k] = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_widths_run(x, peaks, part, given, four, ma_lua_streamfor(L, x)));
  return 4;
}

/* core.signal_maxima(x): places, and if stretches of equal elements are among them their first and last ones. */
static int signal_maxima(lua_State *L) {
  const ma_array *x = ma_lua_checkarray(L, 1);
  ma_array *three[3];
  bool plateaus;
  for (int k = 0; k < 3; k++) three[k] = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_maxima_run(x, three, &plateaus, ma_lua_streamfor(L, x)));
  if (!plateaus) lua_pop(L, 2);
  return plateaus ? 3 : 1;
}

static int signal_apart(lua_State *L) {
  const ma_array *peaks = ma_lua_checkarray(L, 1), *order = ma_lua_checkbeside(L, 2, peaks);
  double distance = ma_lua_checknumber(L, 3, "distance");
  ma_array *keep = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_apart_run(peaks, order, distance, keep, ma_lua_streamfor(L, peaks)));
  return 1;
}

static const ma_function functions[] = {
  { "core.signal_correlate(a, taps, before?, count?)", signal_correlate, NULL },
  { "core.signal_upfirdn(a, taps, up, down, first, count)", signal_upfirdn, NULL },
  { "core.signal_recurrence(a, coefficients, powers?, start?, sections?, with_end?)", signal_recurrence, NULL },
  { "core.signal_prominences(x, peaks, wlen)", signal_prominences, NULL },
  { "core.signal_widths(x, peaks, rel_height, prominences, left, right)", signal_widths, NULL },
  { "core.signal_maxima(x)", signal_maxima, NULL },
  { "core.signal_apart(peaks, order, distance)", signal_apart, NULL },
  { NULL, NULL, NULL }
};

static const ma_function plain[] = { { "core.signal_slide(a, v, mode?, turns?)", signal_slide, NULL },
                                     { NULL, NULL, NULL } };

void ma_open_signal(lua_State *L) {
  ma_lua_register(L, functions);
  ma_lua_registerplain(L, plain);
}
