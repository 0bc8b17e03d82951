/* signal.c: the parts of ma.signal that are in C, for lua/moonarray/signal. */
#include "bind/bind.h"

#include "ops/fields/signal.h"

#include <string.h>

static ma_stream *stream_for(lua_State *L, const ma_array *a) { return ma_lua_stream_of(L, ma_array_device(a)); }

/* Slot `index` as an array on the first one's device. */
static const ma_array *beside(lua_State *L, int index, const ma_array *first) {
  const ma_array *a = ma_lua_checkarray(L, index);
  ma_lua_check(L, ma_device_meet(ma_array_device(first), ma_array_device(a)));
  return a;
}

static int signal_correlate(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *a = ma_lua_checkarray(L, 1), *taps = beside(L, 2, a);
  bool part = !lua_isnoneornil(L, 3);
  int64_t before = part ? ma_lua_checkint(L, 3, "before") : 0, count = part ? ma_lua_checkint(L, 4, "count") : -1;
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_correlate_run(a, taps, before, count, result, stream_for(L, a)));
  return 1;
}

/* ==== ma.convolve and ma.correlate =============================================================================== */

/* Sums of fewer products, or fewer sums, are formed here at once; the Lua layer has faster ways for more. */
#define FEW_TAPS 16
#define FEW_SUMS 1024

/* Both vectors on the CPU, of the same dtype of those that can be summed as they are. */
static bool are_plain(const ma_array *a, const ma_array *v) {
  return a && v && a->buffer && v->buffer && a->ndim == 1 && v->ndim == 1 && a->dtype == v->dtype && a->size &&
         v->size && (a->dtype == MA_INT64 || a->dtype == MA_FLOAT32 || a->dtype == MA_FLOAT64) &&
         ma_is_host(ma_array_device(a)) && ma_array_device(v) == ma_array_device(a) && ma_array_is_contiguous(a);
}

/* Of the n + m - 1 sums of vectors of n >= m: the first one that the mode takes, and their number; false: no mode. */
static bool read_mode(lua_State *L, int slot, const char *fallback, int64_t n, int64_t m, int64_t *first,
                      int64_t *count) {
  const char *mode = lua_isnil(L, slot) ? fallback : lua_type(L, slot) == LUA_TSTRING ? lua_tostring(L, slot) : "";
  bool full = !strcmp(mode, "full"), same = !strcmp(mode, "same");
  *first = full ? 1 : same ? (m - 1) / 2 + 1 : m;
  *count = full ? n + m - 1 : same ? n : n - m + 1;
  return full || same || !strcmp(mode, "valid");
}

/* Slots: a, v, mode?. Pushes the sums, or returns false for what the Lua layer has. `turns`: v is reversed. */
static bool push_sums(lua_State *L, const ma_array *a, const ma_array *v, const char *fallback, bool turns) {
  int64_t first, count;
  if (!are_plain(a, v) || a->size < v->size || !read_mode(L, 3, fallback, a->size, v->size, &first, &count) ||
      count < v->size || (v->size > FEW_TAPS && count > FEW_SUMS))
    return false;
  ma_stream *stream = stream_for(L, a);
  ma_lua_account(L);
  if (turns || !ma_array_is_contiguous(v)) {
    ma_array *view = ma_lua_newarray(L), *taps = ma_lua_newarray(L);
    ma_array_view(view, v);
    if (turns) {
      view->offset += (v->size - 1) * v->stride[0];
      view->stride[0] = -v->stride[0];
    }
    MA_LUA_TRY(L, ma_array_copy(taps, view, (ma_dtype)v->dtype, stream));
    v = taps;
  }
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_correlate_run(a, v, v->size - first, count, result, stream));
  return true;
}

static int signal_convolve_plain(lua_State *L) {
  int n = ma_lua_args(L);
  const ma_array *a = ma_lua_toarray(L, 1), *v = ma_lua_toarray(L, 2);
  bool swaps = a && v && v->size > a->size;
  return push_sums(L, swaps ? v : a, swaps ? a : v, "full", true) ? 1 : ma_lua_calllayer(L, "convolve_any", n);
}

static int signal_correlate_plain(lua_State *L) {
  int n = ma_lua_args(L);
  bool made = push_sums(L, ma_lua_toarray(L, 1), ma_lua_toarray(L, 2), "valid", false);
  return made ? 1 : ma_lua_calllayer(L, "correlate_any", n);
}

static int signal_upfirdn(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *a = ma_lua_checkarray(L, 1), *taps = beside(L, 2, a);
  int64_t up = ma_lua_checkint(L, 3, "up"), down = ma_lua_checkint(L, 4, "down");
  int64_t first = ma_lua_checkint(L, 5, "first"), count = ma_lua_checkint(L, 6, "count");
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_upfirdn_run(a, taps, up, down, first, count, result, stream_for(L, a)));
  return 1;
}

static int signal_recurrence(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *a = ma_lua_checkarray(L, 1), *coefficients = beside(L, 2, a);
  const ma_array *powers = lua_isnil(L, 3) ? NULL : beside(L, 3, a);
  const ma_array *start = lua_isnil(L, 4) ? NULL : beside(L, 4, a);
  int64_t sections = ma_lua_checkint(L, 5, "sections");
  bool with_end = lua_toboolean(L, 6);
  ma_array *result = ma_lua_newarray(L), *end = with_end ? ma_lua_newarray(L) : NULL;
  if (sections < 0 || sections > 4096) return ma_lua_fail(L, "%d sections; 0 to 4096", (int)sections);
  MA_LUA_TRY(L, ma_recurrence_run(a, coefficients, powers, start, (int)sections, result, end, stream_for(L, a)));
  return 1 + with_end;
}

static int signal_prominences(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *x = ma_lua_checkarray(L, 1), *peaks = beside(L, 2, x);
  int64_t window = ma_lua_checkint(L, 3, "wlen");
  ma_array *three[3];
  for (int k = 0; k < 3; k++) three[k] = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_prominences_run(x, peaks, window, three, stream_for(L, x)));
  return 3;
}

static int signal_widths(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *x = ma_lua_checkarray(L, 1), *peaks = beside(L, 2, x), *given[3];
  double part = ma_lua_checknumber(L, 3, "rel_height");
  ma_array *four[4];
  for (int k = 0; k < 3; k++) given[k] = beside(L, 4 + k, x);
  for (int k = 0; k < 4; k++) four[k] = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_widths_run(x, peaks, part, given, four, stream_for(L, x)));
  return 4;
}

/* core.signal_maxima(x): places, and if stretches of equal elements are among them their first and last ones. */
static int signal_maxima(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *x = ma_lua_checkarray(L, 1);
  ma_array *three[3];
  bool plateaus;
  for (int k = 0; k < 3; k++) three[k] = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_maxima_run(x, three, &plateaus, stream_for(L, x)));
  if (!plateaus) lua_pop(L, 2);
  return plateaus ? 3 : 1;
}

static int signal_apart(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *peaks = ma_lua_checkarray(L, 1), *order = beside(L, 2, peaks);
  double distance = ma_lua_checknumber(L, 3, "distance");
  ma_array *keep = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_apart_run(peaks, order, distance, keep, stream_for(L, peaks)));
  return 1;
}

#define ACCURACY                                                                                                      \
  "Whole numbers are exact and wrap as their dtype does. Two vectors of floats with 1024 elements or more go by "     \
  "Fourier transforms in float64: then an error is small beside the product of both vectors' norms (2^-52 times the " \
  "logarithm of the length), and inf gives nan. "

static const ma_function functions[] = {
  { "convolve(a: data, v: data, mode?: string) -> array", signal_convolve_plain,
    "The sums of products of two vectors, one of them reversed, at every overlap: all n + m - 1 of them (mode "
    "\"full\"), as many as the longer has (\"same\"), or those without its ends (\"valid\"). " ACCURACY
    "Example: ma.convolve({1, 2, 3}, {0, 1, 0.5}) --> [0. 1. 2.5 4. 1.5]" },
  { "correlate(a: data, v: data, mode?: string) -> array", signal_correlate_plain,
    "The sums over j of a[k + j] times the conjugate of v[j], at every overlap that the mode takes: \"valid\" (the "
    "default), \"same\" or \"full\". " ACCURACY
    "Example: ma.correlate({1, 2, 3}, {0, 1, 0.5}, \"same\") --> [2. 3.5 3. ]" },
  { "core.signal_correlate(a, taps, before?, count?)", signal_correlate, NULL },
  { "core.signal_upfirdn(a, taps, up, down, first, count)", signal_upfirdn, NULL },
  { "core.signal_recurrence(a, coefficients, powers?, start?, sections?, with_end?)", signal_recurrence, NULL },
  { "core.signal_prominences(x, peaks, wlen)", signal_prominences, NULL },
  { "core.signal_widths(x, peaks, rel_height, prominences, left, right)", signal_widths, NULL },
  { "core.signal_maxima(x)", signal_maxima, NULL },
  { "core.signal_apart(peaks, order, distance)", signal_apart, NULL },
  { NULL, NULL, NULL }
};

void ma_open_signal(lua_State *L) { ma_lua_register(L, functions); }
