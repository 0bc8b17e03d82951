/* sequence.c: arange, range and linspace. Short sequences, and the CPU's of the most frequent dtypes, are made on the
** host. Other long ones are made on the device, of one short array of numbers from 0 on: element i is number
** i / WIDTH^2 of it, times WIDTH^2, and number i / WIDTH % WIDTH, times WIDTH, and number i % WIDTH. */
#include "base/threads.h"
#include "bind/bind.h"

#include <math.h>

#define WIDTH 1024
#define MOST ((int64_t)WIDTH * WIDTH * WIDTH) /* elements that are made at once */

/* Element i is start + i * step, in int64 if `whole`, else in float64. */
typedef struct sequence {
  bool whole;
  int64_t first, stride;
  double start, step;
} sequence;

static ma_value sequence_value(const sequence *s, int64_t i) {
  ma_value value = { .c = { 0, 0 } };
  if (s->whole) value.i = s->first + i * s->stride;
  else value.c.re = s->start + (double)i * s->step;
  return value;
}

static bool is_plain(const sequence *s, ma_dtype dtype) {
  return s->whole ? dtype == MA_INT64 || dtype == MA_INT32 : dtype == MA_FLOAT64 || dtype == MA_FLOAT32;
}

/* A sequence of whole numbers that are to become floats is one of floats, if a double holds each of them and each
** product of a place and the stride. */
static sequence as_floats(const sequence *s, int64_t n, ma_dtype dtype) {
  const double most = 0x1p52;
  double start = (double)s->first, step = (double)s->stride;
  if (!s->whole || (dtype != MA_FLOAT64 && dtype != MA_FLOAT32) || fabs(start) > most || fabs(step) > most ||
      fabs(step) * (double)n > most)
    return *s;
  return (sequence){ .start = start, .step = step };
}

#define GROUP 8     /* elements that the compiler makes vectors of */
#define GRAIN 32768 /* elements that are worth another thread */
#define WRITE(type, number, by, at_group, element)                 \
  {                                                                \
    type *to = w->memory;                                          \
    number offset[GROUP];                                          \
    for (int k = 0; k < GROUP; k++) offset[k] = (number)k * (by);  \
    for (; i + GROUP <= last; i += GROUP) {                        \
      const number at = at_group;                                  \
      for (int k = 0; k < GROUP; k++) to[i + k] = (type)(element); \
    }                                                              \
    for (const int k = 0; i < last; i++) {                         \
      const number at = at_group;                                  \
      to[i] = (type)(element);                                     \
    }                                                              \
    break;                                                         \
  }

typedef struct writing {
  const sequence *s;
  void *memory;
  ma_dtype dtype;
} writing;

/* The most frequent dtypes. A number of a place below 2^53 is exact as a double, and so is the sum. */
static ma_status write_plain(void *context, int64_t i, int64_t last) {
  const writing *w = context;
  const uint64_t first = (uint64_t)w->s->first, stride = (uint64_t)w->s->stride;
  const double start = w->s->start, step = w->s->step;
  switch (w->dtype) {
  case MA_INT64: WRITE(int64_t, uint64_t, stride, first + (uint64_t)i * stride, at + offset[k])
  case MA_INT32: WRITE(int32_t, uint32_t, (uint32_t)stride, (uint32_t)(first + (uint64_t)i * stride), at + offset[k])
  case MA_FLOAT64: WRITE(double, double, 1, (double)i, start + (at + offset[k]) * step)
  case MA_FLOAT32: WRITE(float, double, 1, (double)i, start + (at + offset[k]) * step)
  default: break;
  }
  return MA_OK;
}

/* Makes a short CPU array with elements 0, 1 ... of a sequence, and moves it to `device`. */
static ma_array *push_short(lua_State *L, const sequence *s, int64_t n, ma_dtype dtype, ma_device *device) {
  ma_array *host = ma_lua_pushnew(L, ma_device_cpu(), dtype, 1, &n);
  void *memory = NULL;
  size_t itemsize = ma_dtypes[dtype].itemsize;
  if (n) MA_LUA_TRY(L, ma_array_write(host, NULL, &memory));
  if (is_plain(s, dtype)) ma_lua_check(L, ma_cpu_parallel(n, GRAIN, write_plain, &(writing){ s, memory, dtype }));
  else
    for (int64_t i = 0; i < n; i++)
      ma_value_store((char *)memory + (size_t)i * itemsize, dtype,
                     ma_value_cast(sequence_value(s, i), s->whole ? MA_INT64 : MA_FLOAT64, dtype));
  return ma_lua_moveto(L, device);
}

static int combine(ma_program *program, ma_opcode op, ma_dtype loop, int x, int y) {
  const int pair[2] = { x, y };
  return ma_program_emit(program, op, loop, pair);
}

/* i = from + (high * WIDTH + middle) * WIDTH + low; the element is start + i * step. */
static void sequence_program(ma_program *program, const sequence *s, int64_t from, ma_dtype dtype, ma_value *scalar) {
  ma_dtype loop = s->whole ? MA_INT64 : MA_FLOAT64;
  ma_program_clear(program);
  int i = ma_program_input(program, MA_INT64);
  int middle = ma_program_input(program, MA_INT64), low = ma_program_input(program, MA_INT64);
  int width = ma_program_scalar(program, MA_INT64), begin = ma_program_scalar(program, MA_INT64);
  int step = ma_program_scalar(program, loop), start = ma_program_scalar(program, loop);
  i = combine(program, MA_OP_add, MA_INT64, combine(program, MA_OP_multiply, MA_INT64, i, width), middle);
  i = combine(program, MA_OP_add, MA_INT64, combine(program, MA_OP_multiply, MA_INT64, i, width), low);
  i = ma_program_cast(program, combine(program, MA_OP_add, MA_INT64, i, begin), loop);
  i = combine(program, MA_OP_add, loop, combine(program, MA_OP_multiply, loop, i, step), start);
  ma_program_output(program, ma_program_cast(program, i, dtype));
  for (int k = 0; k < 4; k++) scalar[k] = (ma_value){ .c = { 0, 0 } };
  scalar[0].i = WIDTH;
  scalar[1].i = from;
  if (s->whole) scalar[2].i = s->stride, scalar[3].i = s->first;
  else scalar[2].c.re = s->step, scalar[3].c.re = s->start;
}

/* Writes elements of the sequence, from element `from` on, to the same places of `result`: as many as shape says. */
static void run_sequence(lua_State *L, const sequence *s, ma_array *result, const ma_array *numbers, int64_t from,
                         const int64_t *shape) {
  ma_program program;
  ma_value scalar[4];
  ma_array *input[3], *part;
  const int top = lua_gettop(L);
  int64_t step = ma_dtypes[result->dtype].itemsize;
  ma_array_view(part = ma_lua_newarray(L), result);
  part->offset += from * step;
  part->ndim = 3;
  part->size = shape[0] * shape[1] * shape[2];
  for (int d = 2; d >= 0; step *= shape[d--]) part->shape[d] = shape[d], part->stride[d] = step;
  for (int k = 0; k < 3; k++) {
    ma_array_view(input[k] = ma_lua_newarray(L), numbers);
    input[k]->ndim = 3;
    input[k]->size = part->size;
    for (int d = 0; d < 3; d++) input[k]->shape[d] = shape[d], input[k]->stride[d] = d == k ? (int64_t)sizeof step : 0;
  }
  sequence_program(&program, s, from, result->dtype, scalar);
  const ma_array *const inputs[3] = { input[0], input[1], input[2] };
  ma_lua_check(L, ma_program_run(&program, inputs, scalar, &part, ma_lua_stream_of(L, ma_array_device(result))));
  for (int k = top + 1; k <= lua_gettop(L); k++) ma_array_release(ma_lua_toarray(L, k));
  lua_settop(L, top);
}

static ma_array *push_sequence(lua_State *L, const sequence *given, int64_t n, ma_dtype dtype, ma_device *device) {
  const sequence floats = as_floats(given, n, dtype), *s = &floats, count = { .whole = true, .stride = 1 };
  bool at_once = ma_is_host(device) && is_plain(s, dtype) && !ma_lua_stream_of(L, device)->capture;
  if (n <= WIDTH || at_once) return push_short(L, s, n, dtype, device);
  ma_array *result = ma_lua_pushnew(L, device, dtype, 1, &n);
  ma_array *numbers = push_short(L, &count, WIDTH, MA_INT64, device);
  for (int64_t from = 0, left; (left = n - from) > 0;) {
    int64_t shape[3] = { 1, 1, left };
    if (left >= MOST) shape[0] = shape[1] = shape[2] = WIDTH;
    else if (left >= (int64_t)WIDTH * WIDTH) shape[0] = left / (WIDTH * WIDTH), shape[1] = shape[2] = WIDTH;
    else if (left >= WIDTH) shape[1] = left / WIDTH
    , shape[2] = WIDTH;
    run_sequence(L, s, result, numbers, from, shape);
    from += shape[0] * shape[1] * shape[2];
  }
  ma_array_release(numbers);
  lua_pop(L, 1);
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

/* Slots 4 and 5: dtype?, device?. Makes `n` elements, none if n < 1. Whole sequences beyond int64 are uint64, whose
** bits wrap in int64. */
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
  const sequence s = { whole, (int64_t)first.integer, (int64_t)step.integer, first.number, step.number };
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
  ma_lua_args(L);
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
  ma_lua_args(L);
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

static void set_last(lua_State *L, const ma_array *array, double value) {
  ma_array *last = ma_lua_newarray(L);
  ma_array_view(last, array);
  last->offset += (array->size - 1) * array->stride[0];
  last->ndim = 0;
  last->size = 1;
  MA_LUA_TRY(
    L, ma_array_fill(last, (ma_value){ .c = { value, 0 } }, MA_FLOAT64, ma_lua_stream_of(L, ma_array_device(array))));
  ma_array_release(last);
  lua_pop(L, 1);
}

/* Rounds down to an integer dtype, as NumPy does: elements are computed in float64 first. */
static void floor_to(lua_State *L, ma_dtype dtype) {
  ma_arg arg = { .array = ma_lua_toarray(L, -1) };
  const ma_opcode op = MA_OP_floor;
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(arg.array));
  ma_array *down = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_ufunc_apply(&op, 1, &arg, MA_NDTYPE, NULL, &down, stream));
  ma_lua_pushcopy(L, down, dtype);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/* Slots: start, stop, num?, endpoint?, retstep?, dtype?, device?. */
static int sequence_linspace(lua_State *L) {
  ma_lua_args(L);
  bound first = read_bound(L, 1, 0), last = read_bound(L, 2, 0);
  int64_t n = lua_isnil(L, 3) ? 50 : ma_lua_checkint(L, 3, "num");
  bool endpoint = ma_lua_optbool(L, 4, true), retstep = ma_lua_optbool(L, 5, false);
  ma_dtype dtype = ma_lua_checkdtype(L, 6, ma_lua_state(L)->default_dtype);
  ma_device *device = ma_lua_optdevice(L, 7);
  if (n < 0) return ma_lua_fail(L, "num is %lld; wanted 0 or more", (long long)n);
  int64_t steps = endpoint ? n - 1 : n;
  const sequence s = { .start = first.number, .step = steps > 0 ? (last.number - first.number) / (double)steps : NAN };
  const sequence one = { .start = first.number };
  bool whole = ma_dtypes[dtype].kind < MA_KIND_FLOAT;
  ma_array *array = push_sequence(L, steps > 0 ? &s : &one, n, whole ? MA_FLOAT64 : dtype, device);
  if (endpoint && n > 1) set_last(L, array, last.number);
  if (whole) floor_to(L, dtype);
  if (!retstep) return 1;
  lua_pushnumber(L, s.step);
  return 2;
}

static const ma_function functions[] = { { "arange(start, stop?, step?, dtype?; device?)", sequence_arange,
                                           "Numbers from start up to stop, which is left out." },
                                         { "range(lo, hi, step?, dtype?; device?)", sequence_range,
                                           "Numbers from lo to hi, both ends taken, as `for i = lo, hi, step`." },
                                         { "core.linspace(start, stop, num?, endpoint?, retstep?, dtype?, device?)",
                                           sequence_linspace, NULL },
                                         { NULL, NULL, NULL } };

void ma_open_sequence(lua_State *L) { ma_lua_register(L, functions); }
