/* sequence.c: arange, range and linspace. */
//# create
#include "bind/bind.h"

#include <math.h>

/* A sequence of whole numbers that becomes one of floats is computed in floats, if doubles hold all numbers exactly. */
static ma_sequence as_floats(const ma_sequence *s, int64_t n, ma_dtype dtype) {
  const double most = 0x1p52;
  double start = (double)s->first, step = (double)s->stride;
  if (!s->whole || (dtype != MA_FLOAT64 && dtype != MA_FLOAT32) || fabs(start) > most || fabs(step) > most ||
      fabs(step) * (double)n > most)
    return *s;
  return (ma_sequence){ .start = start, .step = step };
}

static ma_array *push_sequence(lua_State *L, const ma_sequence *given, int64_t n, ma_dtype dtype, ma_device *device) {
  ma_sequence s = as_floats(given, n, dtype);
  ma_array *result = ma_lua_pushnew(L, device, dtype, 1, &n);
  MA_LUA_TRY(L, ma_array_fill_sequence(result, &s, ma_lua_stream_of(L, device)));
  return result;
}

/* A bound or step. A whole number keeps all 64 bits of an int64 or uint64. */
typedef struct bound {
  bool whole;
  __int128 integer;
  double number;
} bound;

static bound read_bound(lua_State *L, int index, int64_t fallback) {
  ma_value value;
  ma_dtype dtype;
  ma_weak weak;
  if (lua_isnil(L, index)) return (bound){ true, fallback, (double)fallback };
  if (ma_lua_tovalue(L, index, &value, &dtype, &weak) && ma_weak_is_whole(weak))
    return weak == MA_WEAK_INT ? (bound){ true, value.i, (double)value.i } : (bound){ true, value.u, (double)value.u };
  double number = ma_lua_checknumber(L, index, ma_lua_argname(L, index));
  if (!isfinite(number))
    ma_lua_fail(L, "%s is %g; wanted a finite number", ma_lua_argname(L, index), isnan(number) ? NAN : number);
  return (bound){ number == 0, 0, number }; /* -0 counts as whole */
}

/* Slots 4 and 5: dtype?, device?. Makes `n` elements, or none if n < 1. A whole sequence with numbers beyond int64 is
** uint64, whose numbers are computed as wrapped int64. */
static int push_arithmetic(lua_State *L, bound first, bound step, bool whole, double n) {
  if (n >= 0x1p53) return ma_lua_fail(L, "a sequence of %g elements; at most 2^53", n);
  int64_t length = n > 0 ? (int64_t)n : 0;
  ma_device *device = ma_lua_optdevice(L, 5);
  __int128 last = first.integer + (length > 0 ? length - 1 : 0) * step.integer,
           most = first.integer > last ? first.integer : last;
  bool wide = whole && length > 0 && most > INT64_MAX;
  ma_dtype dtype = ma_lua_checkdtype(L, 4, wide ? MA_UINT64 : whole ? MA_INT64 : ma_lua_state(L)->default_dtype);
  if (wide && ma_dtypes[dtype].kind >= MA_KIND_FLOAT) whole = wide = false;
  ma_value unused;
  if (whole && !wide && length > 0) { /* the first and the last element are the extremes */
    ma_lua_check(L, ma_value_weak((ma_value){ .i = (int64_t)first.integer }, MA_WEAK_INT, dtype, &unused));
    ma_lua_check(L, ma_value_weak((ma_value){ .i = (int64_t)last }, MA_WEAK_INT, dtype, &unused));
  }
  if (wide && (dtype != MA_UINT64 || first.integer < 0 || last < 0))
    return ma_lua_fail(L, "whole numbers up to %.20g for dtype %s; uint64 has those from 0 to 2^64 - 1", (double)most,
                       ma_dtypes[dtype].name);
  const ma_sequence s = { whole,       (int64_t)first.integer, (int64_t)step.integer, first.number,
                          step.number, .closed = false };
  if (dtype == MA_BOOL && length > 2)
    return ma_lua_fail(L, "dtype bool for %lld elements; at most 2", (long long)length);
  push_sequence(L, &s, length, dtype, device);
  return 1;
}

static bound read_step(lua_State *L) {
  bound step = read_bound(L, 3, 1);
  if (step.number == 0) ma_lua_fail(L, "step is 0; wanted another number");
  return step;
}

/* Slots: start, stop, step. The end is excluded. */
static int sequence_arange(lua_State *L) {
  bound first = read_bound(L, 1, 0), stop = read_bound(L, 2, 0), step = read_step(L);
  if (lua_isnil(L, 2)) stop = first, first = (bound){ true, 0, 0 };
  bool whole = first.whole && stop.whole && step.whole;
  double n = ceil((stop.number - first.number) / step.number);
  if (whole) { /* exact where a double is not */
    __int128 span = stop.integer - first.integer, by = step.integer;
    __int128 count = (span + by - (by > 0 ? 1 : -1)) / by;
    n = (span > 0) == (by > 0) && span != 0 ? (double)count : 0;
  }
  return push_arithmetic(L, first, step, whole, n);
}

/* Slots: lo, hi, step?: the numbers that `for i = lo, hi, step` visits. If only rounding keeps a step from reaching
** hi, hi is included. */
static int sequence_range(lua_State *L) {
  bound first = read_bound(L, 1, 0), last = read_bound(L, 2, 0), step = read_step(L);
  bool whole = first.whole && last.whole && step.whole;
  double n = floor((last.number - first.number) / step.number * (1 + 0x1p-50)) + 1;
  if (whole) {
    __int128 span = last.integer - first.integer, by = step.integer;
    __int128 count = span / by + 1;
    n = span == 0 || (span > 0) == (by > 0) ? (double)count : 0;
  }
  return push_arithmetic(L, first, step, whole, n);
}

/* Rounds down to an integer dtype, as NumPy does: elements are computed in float64 first. */
static void floor_to(lua_State *L, ma_dtype dtype) {
  ma_arg arg = { .array = ma_lua_toarray(L, -1) };
  const ma_opcode op = MA_DO_round_down;
  ma_stream *stream = ma_lua_streamfor(L, arg.array);
  ma_array *down = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_ufunc_apply(&op, 1, &arg, MA_NDTYPE, NULL, &down, stream));
  ma_lua_pushcopy(L, down, dtype);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/* Slots: start, stop, num?, endpoint?, retstep?, dtype?, device?. */
static int sequence_linspace(lua_State *L) {
  bound first = read_bound(L, 1, 0), last = read_bound(L, 2, 0);
  int64_t n = lua_isnil(L, 3) ? 50 : ma_lua_checkint(L, 3, "num");
  bool endpoint = ma_lua_optbool(L, 4, true), retstep = ma_lua_optbool(L, 5, false);
  ma_dtype dtype = ma_lua_checkdtype(L, 6, ma_lua_state(L)->default_dtype);
  ma_device *device = ma_lua_optdevice(L, 7);
  if (n < 0) return ma_lua_fail(L, "num is %lld; wanted 0 or more", (long long)n);
  int64_t steps = endpoint ? n - 1 : n;
  const ma_sequence s = { .start = first.number,
                          .step = steps > 0 ? (last.number - first.number) / (double)steps : NAN,
                          .closed = endpoint,
                          .last = last.number };
  const ma_sequence one = { .start = first.number };
  bool whole = ma_dtypes[dtype].kind < MA_KIND_FLOAT;
  push_sequence(L, steps > 0 ? &s : &one, n, whole ? MA_FLOAT64 : dtype, device);
  if (whole) floor_to(L, dtype);
  if (!retstep) return 1;
  lua_pushnumber(L, s.step);
  return 2;
}

static const ma_function functions[] = {
  //> arange(2, 10, 3)
  { "arange(start: number, stop?: number, step?: number, dtype?: dtype; device?: string) -> array", sequence_arange,
    "Numbers from start up to stop, which is left out." },
  //> range(2, 8, 3)
  { "range(lo: number, hi: number, step?: number, dtype?: dtype; device?: string) -> array", sequence_range,
    "Numbers from lo to hi, both ends taken, as `for i = lo, hi, step`." },
  { "core.linspace(start, stop, num?, endpoint?, retstep?, dtype?, device?)", sequence_linspace, NULL },
  { NULL, NULL, NULL }
};

void ma_open_sequence(lua_State *L) { ma_lua_register(L, functions); }
