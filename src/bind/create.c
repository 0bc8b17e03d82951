/*
** create.c: arrays from nothing, from numbers and from nested tables. What is computed on the host is built in an array of the
** CPU and moved to the device as one block; long sequences are computed on the device.
*/
#include "bind.h"

#include <math.h>
#include <string.h>

static ma_array *push_new(lua_State *L, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape) {
  ma_array *array = ma_lua_newarray(L);
  ma_status status;
  int tries = 0;
  do status = ma_array_new(array, device, dtype, ndim, shape);
  while (__builtin_expect(status != MA_OK, 0) && ma_lua_retry(L, status, &tries));
  ma_lua_check(L, status);
  return array;
}

/* Replaces the CPU array on top by a copy on `device`, if that is another one. */
static ma_array *move_to(lua_State *L, ma_device *device) {
  ma_array *host = ma_lua_toarray(L, -1);
  if (ma_array_device(host) == device) return host;
  ma_array *array = ma_lua_newarray(L);
  ma_lua_check(L, ma_array_to(array, host, device, ma_lua_stream_of(L, device)));
  ma_array_release(host);
  lua_replace(L, -2);
  return array;
}

static void fill_with(lua_State *L, ma_array *array, int number) {
  ma_lua_check(L, ma_array_fill(array, (ma_value){ .i = number }, MA_INT64, ma_lua_stream_of(L, ma_array_device(array))));
}

/* ==== empty, zeros, ones, full =================================================================================== */

static ma_dtype default_dtype(lua_State *L) { return ma_lua_state(L)->default_dtype; }

/* Slots: shape, dtype?, device?. */
static ma_array *make_empty(lua_State *L) {
  int64_t shape[MA_MAX_NDIM];
  ma_lua_args(L);
  ma_device *device = ma_lua_optdevice(L, 3);
  ma_dtype dtype = ma_lua_checkdtype(L, 2, default_dtype(L));
  int ndim = ma_lua_checkshape(L, 1, shape);
  return push_new(L, device, dtype, ndim, shape);
}

static int create_empty(lua_State *L) {
  make_empty(L);
  return 1;
}

static int create_zeros(lua_State *L) {
  fill_with(L, make_empty(L), 0);
  return 1;
}

static int create_ones(lua_State *L) {
  fill_with(L, make_empty(L), 1);
  return 1;
}

/* The dtype of a fill value: an array's own, a scalar's as data. Tables become arrays. */
static ma_dtype value_dtype(lua_State *L, int index, ma_device *device) {
  if (ma_lua_toarray(L, index) || lua_istable(L, index)) return ma_lua_asarray_on(L, index, MA_NDTYPE, device)->dtype;
  return ma_lua_datadtype(L, index);
}

static int create_full(lua_State *L) {
  int64_t shape[MA_MAX_NDIM];
  ma_lua_args(L);
  ma_device *device = ma_lua_optdevice(L, 4);
  ma_dtype dtype = lua_isnil(L, 3) ? value_dtype(L, 2, device) : ma_lua_checkdtype(L, 3, MA_FLOAT64);
  int ndim = ma_lua_checkshape(L, 1, shape);
  ma_lua_assign(L, push_new(L, device, dtype, ndim, shape), 2);
  return 1;
}

/* Slots: a, then from `first` on dtype?, shape?, device?. */
static ma_array *make_like(lua_State *L, int first) {
  int64_t shape[MA_MAX_NDIM];
  const ma_array *model = ma_lua_asarray(L, 1, MA_NDTYPE);
  ma_dtype dtype = ma_lua_checkdtype(L, first, model->dtype);
  ma_device *device = lua_isnil(L, first + 2) ? ma_array_device(model) : ma_lua_optdevice(L, first + 2);
  if (lua_isnil(L, first + 1)) return push_new(L, device, dtype, model->ndim, model->shape);
  int ndim = ma_lua_checkshape(L, first + 1, shape);
  return push_new(L, device, dtype, ndim, shape);
}

static int create_empty_like(lua_State *L) {
  ma_lua_args(L);
  make_like(L, 2);
  return 1;
}

static int create_zeros_like(lua_State *L) {
  ma_lua_args(L);
  fill_with(L, make_like(L, 2), 0);
  return 1;
}

static int create_ones_like(lua_State *L) {
  ma_lua_args(L);
  fill_with(L, make_like(L, 2), 1);
  return 1;
}

static int create_full_like(lua_State *L) {
  ma_lua_args(L);
  ma_lua_assign(L, make_like(L, 3), 2);
  return 1;
}

/* ==== array, asarray and the typed scalars ======================================================================= */

/* Slots: object, dtype?, copy?, ndmin?, device?. Always a new array, unless copy = false and nothing has to change. */
static int create_array(lua_State *L) {
  int64_t shape[MA_MAX_NDIM];
  ma_lua_args(L);
  const ma_array *given = ma_lua_toarray(L, 1);
  ma_device *device = given && lua_isnil(L, 5) ? ma_array_device(ma_lua_checkarray(L, 1)) : ma_lua_optdevice(L, 5);
  ma_dtype dtype = ma_lua_checkdtype(L, 2, MA_NDTYPE);
  int ndmin = lua_isnil(L, 4) ? 0 : (int)ma_lua_checkint(L, 4, "ndmin");
  const ma_array *array = ma_lua_asarray_on(L, 1, dtype, device);
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(array));
  if (ma_array_device(array) != device) {
    ma_lua_check(L, ma_array_to(ma_lua_newarray(L), array, device, stream));
  } else if (array == given && ma_lua_optbool(L, 3, true)) {
    ma_lua_check(L, ma_array_copy(ma_lua_newarray(L), array, array->dtype, stream));
  } else {
    lua_pushvalue(L, 1);
  }
  array = ma_lua_toarray(L, -1);
  if (array->ndim >= ndmin) return 1;
  if (ndmin > MA_MAX_NDIM) return ma_lua_fail(L, "ndmin is %d; an array has at most %d axes", ndmin, MA_MAX_NDIM);
  for (int d = 0; d < ndmin; d++) shape[d] = d < ndmin - array->ndim ? 1 : array->shape[d - (ndmin - array->ndim)];
  ma_lua_check(L, ma_array_reshape(ma_lua_newarray(L), array, ndmin, shape, stream));
  return 1;
}

static int create_asarray(lua_State *L) {
  ma_lua_args(L);
  const ma_array *given = ma_lua_toarray(L, 1);
  ma_device *device = given && lua_isnil(L, 3) ? ma_array_device(ma_lua_checkarray(L, 1)) : ma_lua_optdevice(L, 3);
  const ma_array *array = ma_lua_asarray_on(L, 1, ma_lua_checkdtype(L, 2, MA_NDTYPE), device);
  if (ma_array_device(array) != device)
    ma_lua_check(L, ma_array_to(ma_lua_newarray(L), array, device, ma_lua_stream_of(L, ma_array_device(array))));
  else lua_pushvalue(L, 1);
  return 1;
}

/* ma.float32(v): upvalue 3 is the dtype. */
static int create_typed(lua_State *L) {
  ma_lua_args(L);
  ma_dtype dtype = (ma_dtype)lua_tointeger(L, lua_upvalueindex(3));
  const ma_array *given = ma_lua_toarray(L, 1);
  const ma_array *array = ma_lua_asarray(L, 1, dtype);
  if (array == given) ma_lua_check(L, ma_array_copy(ma_lua_newarray(L), array, dtype, ma_lua_stream_of(L, ma_array_device(array))));
  else lua_pushvalue(L, 1);
  return 1;
}

/* ==== Nested tables ============================================================================================== */

typedef struct nest {
  int ndim;                            /* axes of the result */
  int depth;                           /* of the tables; the axes behind it are those of arrays that are elements */
  int64_t shape[MA_MAX_NDIM];
  int64_t at[MA_MAX_NDIM];             /* 1-based place of the element looked at */
  bool numbers, booleans, integers, complexes, arrays;
  ma_dtype array_dtype;                /* promoted, of the arrays among the elements */
} nest;

/* "{2, 3}" */
static const char *print_place(const nest *nest, int depth, char *text, size_t size) {
  size_t n = (size_t)snprintf(text, size, "{");
  for (int d = 0; d < depth && n < size; d++) n += (size_t)snprintf(text + n, size - n, d ? ", %lld" : "%lld", (long long)nest->at[d]);
  if (n < size) snprintf(text + n, size - n, "}");
  return text;
}

static int fail_element(lua_State *L, const nest *nest, int depth, const char *wanted) {
  char place[MA_MAX_NDIM * 22];
  return ma_lua_fail(L, "element %s is %s; wanted %s", print_place(nest, depth, place, sizeof place), ma_lua_describe(L, -1), wanted);
}

/* The length of the table on top; one with names in it is no list. What follows key n in the table's order is enough to look
** at, so that long lists stay cheap. */
static int64_t list_length(lua_State *L, const nest *nest, int depth) {
  size_t n = lua_objlen(L, -1);
  if (n) lua_pushnumber(L, (double)n);
  else lua_pushnil(L);
  if (!lua_next(L, -2)) return (int64_t)n;
  lua_pop(L, 1);
  double key = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
  if (!(key >= 1 && key <= (double)n)) {
    char place[MA_MAX_NDIM * 22];
    ma_lua_fail(L, "a table with the key %s at %s; wanted a list without holes and names", ma_lua_describe(L, -1),
                print_place(nest, depth, place, sizeof place));
  }
  lua_pop(L, 1);
  return (int64_t)n;
}

/* The shape follows from the first element of each level. The table is on top; the stack is left as it was. */
static void find_shape(lua_State *L, nest *nest) {
  int top = lua_gettop(L);
  lua_pushvalue(L, -1);
  while (lua_istable(L, -1)) {
    if (nest->depth == MA_MAX_NDIM) ma_lua_fail(L, "tables nested more than %d deep; an array has at most so many axes", MA_MAX_NDIM);
    int64_t n = list_length(L, nest, nest->depth);
    nest->at[nest->depth] = 1;
    nest->shape[nest->depth++] = n;
    lua_rawgeti(L, -1, 1);
    lua_replace(L, -2);
  }
  nest->ndim = nest->depth;
  const ma_array *array = ma_lua_toarray(L, -1);
  if (array) {
    if (array->ndim + nest->depth > MA_MAX_NDIM)
      ma_lua_fail(L, "arrays of %d axes nested %d deep; an array has at most %d axes", array->ndim, nest->depth, MA_MAX_NDIM);
    for (int d = 0; d < array->ndim; d++) nest->shape[nest->ndim++] = array->shape[d];
  }
  lua_settop(L, top);
}

static void look_at_array(lua_State *L, nest *nest, const ma_array *array) {
  if (!array->buffer) fail_element(L, nest, nest->depth, "an array that is not freed");
  bool same = array->ndim == nest->ndim - nest->depth;
  for (int d = 0; same && d < array->ndim; d++) same = array->shape[d] == nest->shape[nest->depth + d];
  if (!same) fail_element(L, nest, nest->depth, "the shape of the first element");
  nest->array_dtype = nest->arrays ? ma_dtype_promote(nest->array_dtype, array->dtype) : (ma_dtype)array->dtype;
  nest->arrays = true;
}

/* Notes the kind of the element on top. */
static void look_at_leaf(lua_State *L, nest *nest) {
  const ma_array *array = ma_lua_toarray(L, -1);
  ma_value value;
  ma_dtype dtype;
  ma_weak weak;
  int type = lua_type(L, -1);
  if (array) {
    look_at_array(L, nest, array);
    return;
  }
  if (nest->ndim > nest->depth) fail_element(L, nest, nest->depth, "an array as the first element");
  if (type == LUA_TNUMBER) nest->numbers = true;
  else if (type == LUA_TBOOLEAN) nest->booleans = true;
  else if (!ma_lua_tovalue(L, -1, &value, &dtype, &weak)) fail_element(L, nest, nest->depth, "a number, a boolean or an array");
  else if (weak == MA_WEAK_COMPLEX) nest->complexes = true;
  else nest->integers = true;
}

/* Checks that the table on top is rectangular, and notes the kinds of its elements. */
static void look(lua_State *L, nest *nest, int level) {
  int64_t n = list_length(L, nest, level);
  char place[MA_MAX_NDIM * 22];
  if (n != nest->shape[level])
    ma_lua_fail(L, "a ragged table: %s has %lld elements; %lld are wanted, as in the first", print_place(nest, level, place, sizeof place),
                (long long)n, (long long)nest->shape[level]);
  luaL_checkstack(L, 4, "a deep table");
  bool leaves = level + 1 == nest->depth;
  for (int64_t i = 1; i <= n; i++) {
    nest->at[level] = i;
    lua_rawgeti(L, -1, (int)i);
    if (leaves && lua_type(L, -1) == LUA_TNUMBER && nest->ndim == nest->depth) nest->numbers = true;
    else if (leaves && lua_istable(L, -1))
      ma_lua_fail(L, "a ragged table: %s is a table; wanted a number, as the first element is one", print_place(nest, level + 1, place, sizeof place));
    else if (leaves) look_at_leaf(L, nest);
    else if (!lua_istable(L, -1)) fail_element(L, nest, level + 1, "a table, as the first element is one");
    else look(L, nest, level + 1);
    lua_pop(L, 1);
  }
}

/* What the elements together become: bool below int64 cdata below numbers below complex. */
static ma_dtype nest_dtype(lua_State *L, const nest *nest) {
  ma_dtype real = default_dtype(L), dtype = real;
  if (nest->complexes) dtype = real == MA_FLOAT64 ? MA_COMPLEX128 : MA_COMPLEX64;
  else if (nest->numbers) dtype = real;
  else if (nest->integers) dtype = MA_INT64;
  else if (nest->booleans) dtype = MA_BOOL;
  else if (nest->arrays) return nest->array_dtype;
  return nest->arrays ? ma_dtype_promote(dtype, nest->array_dtype) : dtype;
}

/* Stores the scalar on top at `memory`, as assignment would. */
static void store_leaf(lua_State *L, const nest *nest, void *memory, ma_dtype dtype) {
  ma_value value = { .u = 0 };
  ma_dtype from = MA_INT64;
  ma_weak weak = MA_STRONG;
  char place[MA_MAX_NDIM * 22];
  ma_kind kind = ma_dtypes[dtype].kind;
  ma_lua_tovalue(L, -1, &value, &from, &weak);
  if (weak == MA_WEAK_COMPLEX && kind != MA_KIND_COMPLEX) {
    snprintf(place, sizeof place, "a number for dtype %s", ma_dtypes[dtype].name);
    fail_element(L, nest, nest->depth, place);
  }
  if (weak == MA_WEAK_INT && kind != MA_KIND_BOOL) {
    ma_status status = ma_value_weak(value, weak, dtype, &value);
    if (status != MA_OK) ma_fail_prefix(status, "element %s: ", print_place(nest, nest->depth, place, sizeof place));
    ma_lua_check(L, status);
  } else {
    value = ma_value_cast(value, from, dtype);
  }
  ma_value_store(memory, dtype, value);
}

/* Writes the scalars of the table on top to host memory in C order; places of arrays are skipped. Returns what follows. */
static char *store(lua_State *L, nest *nest, int level, char *memory, ma_dtype dtype, size_t step) {
  int64_t n = nest->shape[level];
  bool leaves = level + 1 == nest->depth;
  for (int64_t i = 1; i <= n; i++) {
    nest->at[level] = i;
    lua_rawgeti(L, -1, (int)i);
    if (!leaves) {
      memory = store(L, nest, level + 1, memory, dtype, step);
    } else {
      bool number = lua_type(L, -1) == LUA_TNUMBER;
      if (number && dtype == MA_FLOAT64) *(double *)(void *)memory = lua_tonumber(L, -1);
      else if (number && dtype == MA_FLOAT32) *(float *)(void *)memory = (float)lua_tonumber(L, -1);
      else if (!ma_lua_toarray(L, -1)) store_leaf(L, nest, memory, dtype);
      memory += step;
    }
    lua_pop(L, 1);
  }
  return memory;
}

/* Copies the arrays among the elements into their places of `whole`. */
static void place_arrays(lua_State *L, nest *nest, int level, const ma_array *whole, int64_t offset) {
  for (int64_t i = 1; i <= nest->shape[level]; i++) {
    int64_t here = offset + (i - 1) * whole->stride[level];
    lua_rawgeti(L, -1, (int)i);
    const ma_array *element = ma_lua_toarray(L, -1);
    if (level + 1 < nest->depth) {
      place_arrays(L, nest, level + 1, whole, here);
    } else if (element) {
      ma_array *view = ma_lua_newarray(L);
      ma_array_view(view, whole);
      view->offset = here;
      view->ndim = element->ndim;
      view->size = element->size;
      for (int d = 0; d < element->ndim; d++) {
        view->shape[d] = element->shape[d];
        view->stride[d] = whole->stride[nest->depth + d];
      }
      ma_lua_check(L, ma_array_assign(view, element, ma_lua_stream_of(L, ma_array_device(whole))));
      ma_array_release(view);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
}

ma_array *ma_lua_fromtable(lua_State *L, int index, ma_dtype dtype, ma_device *device) {
  nest nest;
  memset(&nest, 0, sizeof nest);
  if (index < 0) index += lua_gettop(L) + 1;
  luaL_checkstack(L, 2 * MA_MAX_NDIM + 8, "a deep table");
  lua_pushvalue(L, index);
  find_shape(L, &nest);
  look(L, &nest, 0);
  if (dtype == MA_NDTYPE) dtype = nest_dtype(L, &nest);
  size_t step = ma_dtypes[dtype].itemsize;
  for (int d = nest.depth; d < nest.ndim; d++) step *= (size_t)nest.shape[d];
  bool only_arrays = nest.arrays && !nest.numbers && !nest.booleans && !nest.integers && !nest.complexes;
  ma_array *array = push_new(L, only_arrays ? device : ma_device_cpu(), dtype, nest.ndim, nest.shape);
  if (!only_arrays && array->size) {
    void *memory = NULL;
    ma_lua_check(L, ma_array_write(array, &memory));
    lua_pushvalue(L, -2);
    store(L, &nest, 0, memory, dtype, step);
    lua_pop(L, 1);
  }
  array = move_to(L, device);
  if (nest.arrays) {
    lua_pushvalue(L, -2);
    place_arrays(L, &nest, 0, array, array->offset);
    lua_pop(L, 1);
  }
  lua_remove(L, -2);
  return array;
}

/* ==== Sequences ================================================================================================== */

#define SEQUENCE_BLOCK 16384

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

/* A short CPU array of elements 0, 1 ... of a sequence, moved to `device`. */
static ma_array *push_short(lua_State *L, const sequence *s, int64_t n, ma_dtype dtype, ma_device *device) {
  ma_array *host = push_new(L, ma_device_cpu(), dtype, 1, &n);
  void *memory = NULL;
  size_t itemsize = ma_dtypes[dtype].itemsize;
  if (n) ma_lua_check(L, ma_array_write(host, &memory));
  for (int64_t i = 0; i < n; i++)
    ma_value_store((char *)memory + (size_t)i * itemsize, dtype, ma_value_cast(sequence_value(s, i), s->whole ? MA_INT64 : MA_FLOAT64, dtype));
  return move_to(L, device);
}

/* i = high + low by broadcasting a column of block starts over a row of places; then start + i * step. */
static void sequence_program(ma_program *program, const sequence *s, ma_dtype dtype, ma_value *scalar) {
  ma_dtype loop = s->whole ? MA_INT64 : MA_FLOAT64;
  ma_program_clear(program);
  int pair[2] = { ma_program_input(program, MA_INT64), ma_program_input(program, MA_INT64) };
  int i = ma_program_cast(program, ma_program_emit(program, MA_OP_add, MA_INT64, pair), loop);
  int product[2] = { i, ma_program_scalar(program, loop) };
  int sum[2] = { ma_program_emit(program, MA_OP_multiply, loop, product), ma_program_scalar(program, loop) };
  ma_program_output(program, ma_program_cast(program, ma_program_emit(program, MA_OP_add, loop, sum), dtype));
  scalar[0] = scalar[1] = (ma_value){ .c = { 0, 0 } };
  if (s->whole) scalar[0].i = s->stride, scalar[1].i = s->first;
  else scalar[0].c.re = s->step, scalar[1].c.re = s->start;
}

/* rows x width elements of the sequence from element `from` on, into `result` at the same place. */
static void run_sequence(lua_State *L, const sequence *s, ma_array *result, const ma_array *row, int64_t from, int64_t rows, int64_t width) {
  ma_program program;
  ma_value scalar[2];
  ma_device *device = ma_array_device(result);
  int top = lua_gettop(L);
  int64_t itemsize = ma_dtypes[result->dtype].itemsize;
  const sequence starts = { .whole = true, .first = from, .stride = SEQUENCE_BLOCK };
  ma_array *column = push_short(L, &starts, rows, MA_INT64, device);
  column->ndim = 2;                    /* (rows, 1) */
  column->shape[1] = 1;
  column->stride[1] = sizeof(int64_t);
  ma_array *places = ma_lua_newarray(L);
  ma_array_view(places, row);
  places->size = places->shape[0] = width;
  ma_array *part = ma_lua_newarray(L);
  ma_array_view(part, result);
  part->offset += from * itemsize;
  part->ndim = 2;
  part->shape[0] = rows, part->shape[1] = width;
  part->stride[0] = width * itemsize, part->stride[1] = itemsize;
  part->size = rows * width;
  sequence_program(&program, s, result->dtype, scalar);
  const ma_array *input[2] = { column, places };
  ma_lua_check(L, ma_program_run(&program, input, scalar, &part, ma_lua_stream_of(L, device)));
  for (int k = top + 1; k <= lua_gettop(L); k++) ma_array_release(ma_lua_toarray(L, k));
  lua_settop(L, top);
}

static ma_array *push_sequence(lua_State *L, const sequence *s, int64_t n, ma_dtype dtype, ma_device *device) {
  if (n <= SEQUENCE_BLOCK) return push_short(L, s, n, dtype, device);
  const sequence count = { .whole = true, .first = 0, .stride = 1 };
  ma_array *result = push_new(L, device, dtype, 1, &n);
  ma_array *row = push_short(L, &count, SEQUENCE_BLOCK, MA_INT64, device);
  int64_t rows = n / SEQUENCE_BLOCK, rest = n % SEQUENCE_BLOCK;
  run_sequence(L, s, result, row, 0, rows, SEQUENCE_BLOCK);
  if (rest) run_sequence(L, s, result, row, n - rest, 1, rest);
  ma_array_release(row);
  lua_pop(L, 1);
  return result;
}

/* A bound or step: whole numbers keep all 64 bits. */
typedef struct bound { bool whole; int64_t integer; double number; } bound;

static bound read_bound(lua_State *L, int index, int64_t fallback) {
  ma_value value;
  ma_dtype dtype;
  ma_weak weak;
  if (lua_isnil(L, index)) return (bound){ true, fallback, (double)fallback };
  if (ma_lua_tovalue(L, index, &value, &dtype, &weak) && weak == MA_WEAK_INT) return (bound){ true, value.i, (double)value.i };
  double number = ma_lua_checknumber(L, index, ma_lua_argname(L, index));
  if (!isfinite(number)) ma_lua_fail(L, "%s is %g; wanted a finite number", ma_lua_argname(L, index), number);
  return (bound){ number == 0, 0, number };            /* -0 is whole */
}

/* Slots 4 and 5: dtype?, device?. `n` elements, fewer than 1: none. */
static int push_arithmetic(lua_State *L, bound first, bound step, bool whole, double n) {
  const sequence s = { whole, first.integer, step.integer, first.number, step.number };
  if (n >= 0x1p53) return ma_lua_fail(L, "a sequence of %g elements; at most 2^53", n);
  int64_t length = n > 0 ? (int64_t)n : 0;
  ma_device *device = ma_lua_optdevice(L, 5);
  ma_dtype dtype = ma_lua_checkdtype(L, 4, whole ? MA_INT64 : default_dtype(L));
  if (dtype == MA_BOOL && length > 2) return ma_lua_fail(L, "dtype bool for %lld elements; at most 2", (long long)length);
  push_sequence(L, &s, length, dtype, device);
  return 1;
}

static bound read_step(lua_State *L) {
  bound step = read_bound(L, 3, 1);
  if (step.number == 0) ma_lua_fail(L, "step is 0; wanted another number");
  return step;
}

/* Slots: start, stop?, step?: the end is left out. */
static int create_arange(lua_State *L) {
  ma_lua_args(L);
  bound first = read_bound(L, 1, 0), stop = read_bound(L, 2, 0), step = read_step(L);
  if (lua_isnil(L, 2)) stop = first, first = (bound){ true, 0, 0 };
  bool whole = first.whole && stop.whole && step.whole;
  double n = ceil((stop.number - first.number) / step.number);
  if (whole) {                         /* exact where a double is not */
    __int128 span = (__int128)stop.integer - first.integer, by = step.integer;
    n = (span > 0) == (by > 0) && span != 0 ? (double)((span + by - (by > 0 ? 1 : -1)) / by) : 0;
  }
  return push_arithmetic(L, first, step, whole, n);
}

/* Slots: lo, hi, step?: what `for i = lo, hi, step` visits. A step that reaches hi but for rounding reaches it. */
static int create_range(lua_State *L) {
  ma_lua_args(L);
  bound first = read_bound(L, 1, 0), last = read_bound(L, 2, 0), step = read_step(L);
  bool whole = first.whole && last.whole && step.whole;
  double n = floor((last.number - first.number) / step.number * (1 + 0x1p-50)) + 1;
  if (whole) {
    __int128 span = (__int128)last.integer - first.integer, by = step.integer;
    n = span == 0 || (span > 0) == (by > 0) ? (double)(span / by + 1) : 0;
  }
  return push_arithmetic(L, first, step, whole, n);
}

static void set_last(lua_State *L, const ma_array *array, double value) {
  ma_array *last = ma_lua_newarray(L);
  ma_array_view(last, array);
  last->offset += (array->size - 1) * array->stride[0];
  last->ndim = 0;
  last->size = 1;
  ma_lua_check(L, ma_array_fill(last, (ma_value){ .c = { value, 0 } }, MA_FLOAT64, ma_lua_stream_of(L, ma_array_device(array))));
  ma_array_release(last);
  lua_pop(L, 1);
}

/* Integer dtypes take the floor, as in NumPy: numbers are made in float64 first. */
static void floor_to(lua_State *L, ma_dtype dtype) {
  ma_arg arg = { .array = ma_lua_toarray(L, -1) };
  const ma_opcode op = MA_OP_floor;
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(arg.array));
  ma_array *down = ma_lua_newarray(L);
  ma_lua_check(L, ma_ufunc_apply(&op, 1, &arg, MA_NDTYPE, NULL, &down, stream));
  ma_lua_check(L, ma_array_copy(ma_lua_newarray(L), down, dtype, stream));
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/* Slots: start, stop, num?, endpoint?, retstep?, dtype?, device?. */
static int create_linspace(lua_State *L) {
  ma_lua_args(L);
  bound first = read_bound(L, 1, 0), last = read_bound(L, 2, 0);
  int64_t n = lua_isnil(L, 3) ? 50 : ma_lua_checkint(L, 3, "num");
  bool endpoint = ma_lua_optbool(L, 4, true), retstep = ma_lua_optbool(L, 5, false);
  ma_dtype dtype = ma_lua_checkdtype(L, 6, default_dtype(L));
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

/* ==== What is filed ============================================================================================== */

static const ma_function functions[] = {
  { "empty(shape, dtype?; device?)", create_empty, "An array whose elements are not set." },
  { "zeros(shape, dtype?; device?)", create_zeros, "An array of zeros." },
  { "ones(shape, dtype?; device?)", create_ones, "An array of ones." },
  { "full(shape, fill_value, dtype?; device?)", create_full, "An array of one value." },
  { "empty_like(a, dtype?; shape?, device?)", create_empty_like, "An array of the shape and dtype of another, not set." },
  { "zeros_like(a, dtype?; shape?, device?)", create_zeros_like, "Zeros in the shape and dtype of another array." },
  { "ones_like(a, dtype?; shape?, device?)", create_ones_like, "Ones in the shape and dtype of another array." },
  { "full_like(a, fill_value, dtype?; shape?, device?)", create_full_like, "One value in the shape and dtype of another array." },
  { "array(object, dtype?; copy?, ndmin?, device?)", create_array, "An array from nested tables, a number or another array." },
  { "asarray(object, dtype?; device?)", create_asarray, "Like array, but an array that fits already is returned itself." },
  { "arange(start, stop?, step?, dtype?; device?)", create_arange, "Numbers from start up to stop, which is left out." },
  { "range(lo, hi, step?, dtype?; device?)", create_range, "Numbers from lo to hi, both ends taken, as `for i = lo, hi, step`." },
  { "linspace(start, stop, num?, endpoint?, retstep?, dtype?; device?)", create_linspace, "num numbers at equal distances from start to stop." },
  { NULL, NULL, NULL }
};

/* ma.float32 and the like; the functions are taken as dtypes too. */
static void define_casts(lua_State *L) {
  for (int t = 0; t < MA_NDTYPE; t++) {
    char text[48], doc[96];
    snprintf(text, sizeof text, "%s(value)", ma_dtypes[t].name);
    snprintf(doc, sizeof doc, "A typed scalar, or a copy of an array or a table, of dtype %s.", ma_dtypes[t].name);
    lua_pushinteger(L, t);
    ma_lua_define(L, text, doc, create_typed, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, ma_lua_state(L)->casts);
    lua_insert(L, -2);
    lua_pushinteger(L, t);
    lua_rawset(L, -3);
    lua_pop(L, 1);
  }
}

void ma_open_create(lua_State *L) {
  ma_lua_register(L, functions);
  define_casts(L);
}
