/* product.c: matmul, dot, inner, outer. lua/moonarray/functions/product.lua has tensordot, kron and others. */
//# products
#include "bind/ops/ufunc.h"
#include "ops/linalg.h"
#include "tuning.h"

static const ma_array *operand(lua_State *L, int index, ma_device *device) {
  if (!ma_lua_toarray(L, index) && lua_type(L, index) != LUA_TTABLE)
    ma_lua_fail(L, "%s is %s; wanted an array (x * y multiplies by a scalar)", ma_lua_argname(L, index),
                ma_lua_describe(L, index));
  return ma_lua_asarray_on(L, index, MA_NDTYPE, device);
}

/* The operand in the dtype that the product is to be computed in. */
static const ma_array *cast_operand(lua_State *L, int index, ma_dtype dtype) {
  ma_dtype from = (ma_dtype)ma_lua_toarray(L, index)->dtype;
  if (!ma_dtype_can_cast(from, dtype, true))
    ma_lua_fail(L, "%s is %s; dtype = \"%s\" cannot take it by same_kind casting", ma_lua_argname(L, index),
                ma_lua_describe(L, index), ma_dtypes[dtype].name);
  return ma_lua_asarray(L, index, dtype);
}

/* ==== axes ======================================================================================================= */

/* Reads entry k of `axes`: `count` axes of an array of ndim, which the order of the view puts last. `order` becomes
** the view's axes. */
static void read_moved(lua_State *L, int axes, int k, int count, int ndim, int *order) {
  bool used[MA_MAX_NDIM] = { false };
  int last[2], n = 0;
  lua_rawgeti(L, axes, k);
  bool number = lua_type(L, -1) == LUA_TNUMBER;
  if ((!number && lua_type(L, -1) != LUA_TTABLE) || (number ? 1 : (int)lua_objlen(L, -1)) != count)
    ma_lua_fail(L, "axes[%d] is %s; wanted a table of %d ax%s", k, ma_lua_describe(L, -1), count,
                count == 1 ? "is" : "es");
  for (int i = 0; i < count; i++) {
    if (!number) lua_rawgeti(L, -1, i + 1);
    ma_lua_check(L, ma_shape_axis(ma_lua_checkint(L, -1, "axes"), ndim, &last[i]));
    if (!number) lua_pop(L, 1);
    if (used[last[i]]) ma_lua_fail(L, "axes[%d] names axis %d twice; each axis once", k, last[i] + 1);
    used[last[i]] = true;
  }
  lua_pop(L, 1);
  for (int d = 0; d < ndim; d++)
    if (!used[d]) order[n++] = d;
  for (int i = 0; i < count; i++) order[n++] = last[i];
}

static int matrix_axes(const ma_array *a) { return a->ndim < 2 ? a->ndim : 2; }

static ma_array *push_transposed(lua_State *L, const ma_array *a, const int *order) {
  ma_array *view = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_transpose(view, a, order));
  return view;
}

/* a @ b along given axes: views have the axes of the matrices last, and the result's axes are moved to their places. */
static int multiply_along(lua_State *L, const ma_array *a, const ma_array *b, int out, int axes, ma_stream *stream) {
  int order[MA_MAX_NDIM], back[MA_MAX_NDIM];
  if (lua_type(L, axes) != LUA_TTABLE)
    ma_lua_fail(L, "axes is %s; wanted a table of axes for each operand and the result", ma_lua_describe(L, axes));
  int count = matrix_axes(a) + matrix_axes(b) - 2, given = (int)lua_objlen(L, axes);
  if (a->ndim == 0 || b->ndim == 0) ma_lua_fail(L, "a 0-d array; wanted vectors or matrices");
  if (given != 3 && (given != 2 || count > 0))
    ma_lua_fail(L, "axes of %d operands; wanted those of both and of the result", given);
  read_moved(L, axes, 1, matrix_axes(a), a->ndim, order);
  a = push_transposed(L, a, order);
  read_moved(L, axes, 2, matrix_axes(b), b->ndim, order);
  b = push_transposed(L, b, order);
  ma_array *result = ma_lua_optarray(L, out);
  if (result) {
    if (given == 3) read_moved(L, axes, 3, count < result->ndim ? count : result->ndim, result->ndim, order);
    MA_LUA_TRY(L, ma_matmul_run(a, b, given == 3 ? push_transposed(L, result, order) : result, stream));
    lua_pushvalue(L, out);
    return 1;
  }
  result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_matmul_run(a, b, result, stream));
  if (given == 2) return 1;
  read_moved(L, axes, 3, count, result->ndim, order);
  for (int d = 0; d < result->ndim; d++) back[order[d]] = d;
  push_transposed(L, result, back);
  return 1;
}

/* ==== Calls ====================================================================================================== */

static int product_matmul(lua_State *L) {
  enum { A = 1, B, OUT, DTYPE, AXES };
  if (ma_lua_delegate(L, "matmul", 1, 2)) return 1;
  ma_device *device = NULL;
  for (int k = A; k <= B && !device; k++)
    if (ma_lua_toarray(L, k)) device = ma_array_device(ma_lua_checkarray(L, k));
  if (!device) device = ma_lua_device(L);
  const ma_array *a = operand(L, A, device), *b = operand(L, B, device);
  if (!lua_isnil(L, DTYPE)) {
    ma_dtype dtype = ma_lua_checkdtype(L, DTYPE, MA_FLOAT64);
    a = cast_operand(L, A, dtype);
    b = cast_operand(L, B, dtype);
  }
  if (!lua_isnil(L, AXES)) return multiply_along(L, a, b, OUT, AXES, ma_lua_stream_of(L, device));
  ma_array *result = ma_lua_optarray(L, OUT);
  if (result) lua_pushvalue(L, OUT);
  else result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_matmul_run(a, b, result, ma_lua_stream_of(L, device)));
  return 1;
}

/* Slots 1 and 2 as arrays on one device: what is no array goes where the other one is. */
static void read_both(lua_State *L, const ma_array **a, const ma_array **b) {
  int first = ma_lua_toarray(L, 1) ? 1 : 2;
  ma_device *device = ma_array_device(ma_lua_asarray(L, first, MA_NDTYPE));
  ma_lua_asarray_on(L, 3 - first, MA_NDTYPE, device);
  *a = ma_lua_toarray(L, 1);
  *b = ma_lua_toarray(L, 2);
}

/* Pushes the array in slot `out`, or a new one where that is 0 or nil. */
static ma_array *push_result(lua_State *L, int out) {
  ma_array *result = out ? ma_lua_optarray(L, out) : NULL;
  if (!result) return ma_lua_newarray(L);
  lua_pushvalue(L, out);
  return result;
}

static int push_product(lua_State *L, const ma_array *a, const ma_array *b, int out) {
  MA_LUA_TRY(L, ma_matmul_run(a, b, push_result(L, out), ma_lua_streamfor(L, a)));
  return 1;
}

static int push_multiple(lua_State *L, const ma_array *a, const ma_array *b, int out) {
  const ma_opcode multiply = MA_DO_product;
  ma_arg arg[2] = { { .array = a }, { .array = b } };
  ma_array *result = push_result(L, out);
  ma_lua_apply(L, &multiply, 1, arg, MA_NDTYPE, NULL, &result, ma_lua_streamfor(L, a));
  return 1;
}

static ma_array *push_shaped(lua_State *L, const ma_array *array, int ndim, const int64_t *shape) {
  ma_array *view = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_reshape(view, array, ndim, shape, ma_lua_streamfor(L, array)));
  return view;
}

static ma_array *push_matrix(lua_State *L, const ma_array *array, int64_t rows, int64_t columns) {
  int64_t shape[2] = { rows, columns };
  return push_shaped(L, array, 2, shape);
}

/* The sum of products over the last axis of a and an axis of b, as a product of two matrices. */
static int push_contracted(lua_State *L, const ma_array *a, const ma_array *b, int axis) {
  int order[MA_MAX_NDIM] = { axis }, last = a->ndim - 1, ndim = last + b->ndim - 1, n = 0;
  int64_t shape[2 * MA_MAX_NDIM], k = b->shape[axis];
  char of_a[80], of_b[80];
  if (a->shape[last] != k)
    return ma_lua_fail(L, "axis %d of %s and axis %d of %s; wanted axes of one length", last + 1,
                       ma_shape_print(a->ndim, a->shape, of_a, sizeof of_a), axis + 1,
                       ma_shape_print(b->ndim, b->shape, of_b, sizeof of_b));
  if (ndim > MA_MAX_NDIM) return ma_lua_fail(L, "shape has %d extents; at most %d axes", ndim, MA_MAX_NDIM);
  int64_t rows = 1, columns = 1;
  for (int d = 0; d < last; d++) rows *= shape[n++] = a->shape[d];
  for (int d = 0, at = 1; d < b->ndim; d++) {
    if (d == axis) continue;
    order[at++] = d;
    columns *= shape[n++] = b->shape[d];
  }
  push_product(L, push_matrix(L, a, rows, k), push_matrix(L, push_transposed(L, b, order), k, columns), 0);
  push_shaped(L, ma_lua_toarray(L, -1), ndim, shape);
  return 1;
}

static int product_dot(lua_State *L) {
  enum { OUT = 3 };
  const ma_array *a, *b;
  read_both(L, &a, &b);
  if (!a->ndim || !b->ndim) push_multiple(L, a, b, 0);
  else if ((a->ndim <= 2 && b->ndim <= 2) || b->ndim == 1) return push_product(L, a, b, OUT);
  else push_contracted(L, a, b, b->ndim - 2);
  return ma_lua_copyout(L, OUT);
}

static int product_inner(lua_State *L) {
  const ma_array *a, *b;
  read_both(L, &a, &b);
  if (!a->ndim || !b->ndim) return push_multiple(L, a, b, 0);
  if (b->ndim > 2 || a->shape[a->ndim - 1] != b->shape[b->ndim - 1]) return push_contracted(L, a, b, b->ndim - 1);
  return push_product(L, a, b->ndim == 2 ? push_transposed(L, b, NULL) : b, 0);
}

static int product_outer(lua_State *L) {
  const ma_array *a, *b;
  read_both(L, &a, &b);
  return push_multiple(L, push_matrix(L, a, a->size, 1), push_matrix(L, b, 1, b->size), 3);
}

/* core.horner(p, x): the values of a polynomial at few places, the highest power first, by one product and one sum a
** coefficient; nothing where operators are to do it. */
static int product_horner(lua_State *L) {
  if (ma_lua_istraced(L, 1) || ma_lua_istraced(L, 2)) return 0;
  const ma_array *p = ma_lua_checkarray(L, 1), *x = ma_lua_checkarray(L, 2);
  if (p->ndim != 1 || p->dtype != x->dtype || ma_dtypes[x->dtype].kind != MA_KIND_FLOAT ||
      x->size >= TUNE_POLY_VALUES || !ma_array_is_contiguous(x) || !ma_is_host(ma_array_device(x)) ||
      !ma_is_host(ma_array_device(p)))
    return 0;
  ma_stream *stream = ma_lua_streamfor(L, x);
  if (stream->capture) return 0; /* a graph reads the coefficients at each launch */
  ma_array *y = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_horner(p, x, y, stream));
  return 1;
}

static int product_set_tf32(lua_State *L) {
  if (lua_type(L, 1) != LUA_TBOOLEAN) return ma_lua_fail(L, "on is %s; wanted true or false", ma_lua_describe(L, 1));
  lua_pushboolean(L, ma_config_tf32(lua_toboolean(L, 1)));
  return 1;
}

static const ma_function functions[] = {
  //> matmul({{1, 2}, {3, 4}}, {{1, 0}, {0, 1}})
  { "matmul(a: data, b: data, out?: array; dtype?: dtype, axes?: integer|integer[]) -> array", product_matmul,
    "The product of matrices: over the last two axes, the others broadcast; a "
    "vector in front is a row, behind a column. axes: where the matrices "
    "lie in each operand and the result, as in {{1, 2}, {1, 2}, {1, 2}}. "
    "Every float, complex "
    "and integer dtype; 16-bit floats are summed in float32. By cuBLAS on a "
    "GPU, by OpenBLAS or another BLAS on the CPU." },
  //> dot({1, 2}, {3, 4})
  { "dot(a: data, b: data, out?: array) -> array", product_dot,
    "The product of vectors and matrices as numpy.dot has it: of vectors a "
    "number (0-d), of matrices matmul, with a 0-d operand a multiple; else the "
    "sum over the last axis of a and the axis before the last of b." },
  //> inner({1, 2}, {3, 4})
  { "inner(a: data, b: data) -> array", product_inner, "The sum over the last axes of both." },
  //> outer({1, 2}, {3, 4})
  { "outer(a: data, b: data, out?: array) -> array", product_outer, "a[i] b[j] of two vectors; others are flattened." },
  { "core.horner(p, x)", product_horner, NULL },
  //# -
  //> cuda.set_tf32(false)
  { "cuda.set_tf32(on: boolean) -> boolean", product_set_tf32,
    "Lets float32 products on a GPU use TF32 from now on: several times as "
    "fast, with errors near 5e-4 of the terms. Returns what was set." },
  { NULL, NULL, NULL }
};

void ma_open_product(lua_State *L) { ma_lua_register(L, functions); }
