/* table.c: arrays from nested tables, in two passes. The first finds the shape, checks that the table is rectangular
** and notes the kinds of its elements. The second stores the elements. Errors name the place of an element, as in
** {2, 3}. */
#include "bind/bind.h"

#include <math.h>
#include <string.h>

#define FEW 16 /* numbers of a short list */

typedef struct nest {
  int ndim;  /* axes of the result */
  int depth; /* depth of the tables; the axes behind it are those of arrays that are elements */
  int64_t shape[MA_MAX_NDIM];
  int64_t at[MA_MAX_NDIM]; /* 1-based place of the current element */
  /* kinds of elements found; wide: an integer beyond int64 */
  bool numbers, booleans, integers, wide, negative, complexes, arrays, typed;
  ma_dtype array_dtype; /* promoted dtype of the arrays among the elements */
  ma_dtype typed_dtype; /* and of those that keep their dtype, of code in its plain form */
} nest;

/* "{2, 3}" */
static const char *print_place(const nest *nest, int depth, char *text, size_t size) {
  size_t n = (size_t)snprintf(text, size, "{");
  for (int d = 0; d < depth && n < size; d++)
    n += (size_t)snprintf(text + n, size - n, d ? ", %lld" : "%lld", (long long)nest->at[d]);
  if (n < size) snprintf(text + n, size - n, "}");
  return text;
}

static int fail_element(lua_State *L, const nest *nest, int depth, const char *wanted) {
  char place[MA_MAX_NDIM * 22];
  return ma_lua_fail(L, "element %s is %s; wanted %s", print_place(nest, depth, place, sizeof place),
                     ma_lua_describe(L, -1), wanted);
}

/* The length of the table on top, which must be a list. Looking at the key behind n in the table's order is enough,
** so long lists are checked fast. */
static int64_t list_length(lua_State *L, const nest *nest, int depth) {
  size_t n = lua_objlen(L, -1);
  if (n) lua_pushnumber(L, (double)n);
  else lua_pushnil(L);
  if (!lua_next(L, -2)) return (int64_t)n;
  lua_pop(L, 1);
  double key = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
  if (!(key >= 1 && key <= (double)n)) {
    char place[MA_MAX_NDIM * 22];
    const char *found = ma_lua_describe(L, -1);
    if (depth == 0 && luaL_getmetafield(L, -2, "__name")) /* an object, such as a vector or a grid */
      ma_lua_fail(L, "%s; wanted an array, a number or a list", ma_lua_describe(L, -3));
    if (depth == 0) ma_lua_fail(L, "a table that has %s as a key; wanted a list without holes and names", found);
    ma_lua_fail(L, "a table that has %s as a key at %s; wanted a list without holes and names", found,
                print_place(nest, depth, place, sizeof place));
  }
  lua_pop(L, 1);
  return (int64_t)n;
}

/* Finds the shape from the first element of each level. The table is on top; the stack is restored. */
static void find_shape(lua_State *L, nest *nest) {
  int top = lua_gettop(L);
  lua_pushvalue(L, -1);
  while (lua_istable(L, -1)) {
    if (nest->depth == MA_MAX_NDIM)
      ma_lua_fail(L, "tables nested more than %d deep; an array has at most so many axes", MA_MAX_NDIM);
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
      ma_lua_fail(L, "arrays of %d axes nested %d deep; an array has at most %d axes", array->ndim, nest->depth,
                  MA_MAX_NDIM);
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
  else if (!ma_lua_tovalue(L, -1, &value, &dtype, &weak))
    fail_element(L, nest, nest->depth, "a number, a boolean or an array");
  else if (weak == MA_STRONG) {
    nest->typed_dtype = nest->typed ? ma_dtype_promote(nest->typed_dtype, dtype) : dtype;
    nest->typed = true;
  } else if (weak == MA_WEAK_COMPLEX) nest->complexes = true;
  else if (weak == MA_WEAK_WIDE) nest->wide = true;
  else nest->integers = true, nest->negative |= value.i < 0;
}

/* Checks that the table on top is rectangular, and notes the kinds of its elements. */
static void look(lua_State *L, nest *nest, int level) {
  int64_t n = list_length(L, nest, level);
  char place[MA_MAX_NDIM * 22];
  if (n != nest->shape[level])
    ma_lua_fail(L, "a ragged table: %s has %lld elements; %lld are wanted, as in the first",
                print_place(nest, level, place, sizeof place), (long long)n, (long long)nest->shape[level]);
  ma_lua_room(L, 4);
  bool leaves = level + 1 == nest->depth;
  for (int64_t i = 1; i <= n; i++) {
    nest->at[level] = i;
    lua_rawgeti(L, -1, (int)i);
    if (leaves && lua_type(L, -1) == LUA_TNUMBER && nest->ndim == nest->depth) nest->numbers = true;
    else if (leaves && lua_istable(L, -1))
      ma_lua_fail(L, "a ragged table: %s is a table; wanted a number, as the first element is one",
                  print_place(nest, level + 1, place, sizeof place));
    else if (leaves) look_at_leaf(L, nest);
    else if (!lua_istable(L, -1)) fail_element(L, nest, level + 1, "a table, as the first element is one");
    else look(L, nest, level + 1);
    lua_pop(L, 1);
  }
}

/* The common dtype of the elements: bool < int64 cdata < numbers < complex. */
static ma_dtype nest_dtype(lua_State *L, const nest *nest) {
  ma_dtype real = ma_lua_state(L)->default_dtype, dtype = real;
  if (nest->complexes) dtype = real == MA_FLOAT64 ? MA_COMPLEX128 : MA_COMPLEX64;
  else if (nest->numbers) dtype = real;
  else if (nest->wide) dtype = nest->negative ? MA_FLOAT64 : MA_UINT64; /* as in NumPy: no integer dtype holds both */
  else if (nest->integers) dtype = MA_INT64;
  else if (nest->booleans) dtype = MA_BOOL;
  else if (nest->typed) dtype = nest->typed_dtype;
  else if (nest->arrays) return nest->array_dtype;
  if (nest->typed) dtype = ma_dtype_promote(dtype, nest->typed_dtype);
  return nest->arrays ? ma_dtype_promote(dtype, nest->array_dtype) : dtype;
}

/* Stores the scalar on top at `memory`, as an assignment would. */
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
  if (ma_weak_is_whole(weak) && kind != MA_KIND_BOOL) {
    ma_status status = ma_value_weak(value, weak, dtype, &value);
    if (status != MA_OK) ma_fail_prefix(status, "element %s: ", print_place(nest, nest->depth, place, sizeof place));
    ma_lua_check(L, status);
  } else {
    value = ma_value_cast(value, from, dtype);
  }
  ma_value_store(memory, dtype, value);
}

/* Writes the scalars of the table on top to host memory in C order, and skips the places of arrays. Returns the
** address behind them. */
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
      double value = number ? lua_tonumber(L, -1) : 0;
      if (value != value) value = NAN; /* as in value.c */
      if (number && dtype == MA_FLOAT64) *(double *)(void *)memory = value;
      else if (number && dtype == MA_FLOAT32) *(float *)(void *)memory = (float)value;
      else if (!ma_lua_toarray(L, -1)) store_leaf(L, nest, memory, dtype);
      memory += step;
    }
    lua_pop(L, 1);
  }
  return memory;
}

/* Copies the arrays among the elements to their places in `whole`. */
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
      MA_LUA_TRY(L, ma_array_assign(view, element, ma_lua_streamfor(L, whole)));
      ma_array_release(view);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
}

ma_array *ma_lua_fromnumbers(lua_State *L, int index, ma_dtype dtype) {
  double number[FEW];
  size_t n = lua_objlen(L, index);
  int top = lua_gettop(L);
  if (dtype == MA_NDTYPE) dtype = ma_lua_state(L)->default_dtype;
  if (n == 0 || n > FEW || (dtype != MA_FLOAT64 && dtype != MA_FLOAT32)) return NULL;
  for (size_t i = 0; i < n; i++) lua_rawgeti(L, index, (int)i + 1);
  bool plain = true;
  for (size_t i = 0; i < n && plain; i++) {
    plain = lua_type(L, top + 1 + (int)i) == LUA_TNUMBER;
    number[i] = lua_tonumber(L, top + 1 + (int)i);
  }
  lua_settop(L, top);
  lua_pushinteger(L, (lua_Integer)n);
  if (!plain || lua_next(L, index)) { /* a key behind the last: a name, or what list_length tells of */
    lua_settop(L, top);
    return NULL;
  }
  int64_t length = (int64_t)n;
  void *memory = NULL;
  ma_array *array = ma_lua_pushnew(L, ma_device_cpu(), dtype, 1, &length);
  MA_LUA_TRY(L, ma_array_write(array, NULL, &memory));
  for (size_t i = 0; i < n; i++) {
    double value = number[i] == number[i] ? number[i] : NAN; /* as in value.c */
    if (dtype == MA_FLOAT64) ((double *)memory)[i] = value;
    else ((float *)memory)[i] = (float)value;
  }
  return array;
}

ma_array *ma_lua_fromtable(lua_State *L, int index, ma_dtype dtype, ma_device *device) {
  if (index < 0) index += lua_gettop(L) + 1;
  ma_lua_room(L, 2 * MA_MAX_NDIM + 8);
  if (ma_lua_fromnumbers(L, index, dtype)) return ma_lua_moveto(L, device);
  nest nest;
  memset(&nest, 0, sizeof nest);
  lua_pushvalue(L, index);
  find_shape(L, &nest);
  look(L, &nest, 0);
  if (dtype == MA_NDTYPE) dtype = nest_dtype(L, &nest);
  size_t step = ma_dtypes[dtype].itemsize;
  for (int d = nest.depth; d < nest.ndim; d++) step *= (size_t)nest.shape[d];
  bool only_arrays = nest.arrays && !nest.numbers && !nest.booleans && !nest.integers && !nest.wide &&
                     !nest.complexes && !nest.typed;
  ma_array *array = ma_lua_pushnew(L, only_arrays ? device : ma_device_cpu(), dtype, nest.ndim, nest.shape);
  if (!only_arrays && array->size) {
    void *memory = NULL;
    MA_LUA_TRY(L, ma_array_write(array, NULL, &memory));
    lua_pushvalue(L, -2);
    store(L, &nest, 0, memory, dtype, step);
    lua_pop(L, 1);
  }
  array = ma_lua_moveto(L, device);
  if (nest.arrays) {
    lua_pushvalue(L, -2);
    place_arrays(L, &nest, 0, array, array->offset);
    lua_pop(L, 1);
  }
  lua_remove(L, -2);
  return array;
}
