/* fold.c: ufunc.reduce and ufunc.accumulate in Lua: by a monoid where reduce.def has one, else from the first position
** of the axis to the last. */
#include "bind/ops/reduce.h"
#include "program/loop.h"

#include <math.h>
#include <string.h>

/* The stack slots of reduce; accumulate has the first four. */
enum { FOLD_AXIS = 2, FOLD_DTYPE, FOLD_OUT, FOLD_KEEPDIMS, FOLD_INITIAL, FOLD_WHERE };

/* Without an axis, the first, as in NumPy; a 0-d array has none. */
static void default_axis(lua_State *L) {
  if (!lua_isnil(L, 2) || ma_lua_asarray(L, 1, MA_NDTYPE)->ndim == 0) return;
  lua_pushinteger(L, 1);
  lua_replace(L, 2);
}

static void check_foldable(lua_State *L, ma_opcode op) {
  const ma_op_info *info = &ma_ops[op];
  if (info->nin != 2)
    ma_lua_fail(L, "%s takes %d operand%s; a fold needs two", info->name, info->nin, info->nin == 1 ? "" : "s");
  if (info->in[0] != MA_SIG_T || info->in[1] != MA_SIG_T || info->out != MA_SIG_T)
    ma_lua_fail(L, "%s gives another dtype than it takes; a fold needs one dtype", info->name);
}

/* Position i of an axis of `base`, without that axis, as a view on the C stack that needs no release. */
static void borrow_slice(ma_array *slice, const ma_array *base, int axis, int64_t i) {
  *slice = *base;
  slice->offset += i * base->stride[axis];
  slice->ndim--;
  slice->size = base->shape[axis] ? base->size / base->shape[axis] : 0;
  memmove(slice->shape + axis, base->shape + axis + 1, (size_t)(slice->ndim - axis) * sizeof *slice->shape);
  memmove(slice->stride + axis, base->stride + axis + 1, (size_t)(slice->ndim - axis) * sizeof *slice->stride);
}

/* Folds an operation without a monoid from the first position to the last, one call for each: to[i] = to[i-1] op
** a[i]. With `running` false, all write to one `to`. */
static void fold(lua_State *L, ma_opcode op, const ma_array *a, int axis, ma_array *to, bool running,
                 ma_stream *stream) {
  ma_array part, before, after, *result = &after;
  double identity = 0;
  bool begins = !running && ma_op_begins(op) && ma_op_identity(op, &identity);
  for (int64_t i = 0; i < a->shape[axis]; i++) {
    borrow_slice(&part, a, axis, i);
    if (running) borrow_slice(&after, to, axis, i);
    else after = *to;
    if (i == 0 && begins) {
      ma_arg arg[2] = { { .value = { .i = (int64_t)identity }, .dtype = MA_INT64, .weak = MA_WEAK_INT },
                        { .array = &part } };
      MA_LUA_TRY(L, ma_ufunc_apply(&op, 1, arg, MA_NDTYPE, NULL, &result, stream));
    } else if (i == 0) {
      MA_LUA_TRY(L, ma_array_assign(&after, &part, stream));
    } else {
      ma_arg arg[2] = { { .array = &before }, { .array = &part } };
      MA_LUA_TRY(L, ma_ufunc_apply(&op, 1, arg, MA_NDTYPE, NULL, &result, stream));
    }
    before = after;
  }
}

/* Pushes the array in the loop's dtype. As in NumPy, any cast to the given dtype is allowed here. */
static const ma_array *push_operand(lua_State *L, ma_opcode op, const ma_array *a, ma_dtype dtype, ma_stream *stream) {
  if (dtype != MA_NDTYPE && dtype != (ma_dtype)a->dtype) a = ma_lua_pushcopy(L, a, dtype);
  ma_arg arg[2] = { { .array = a }, { .array = a } };
  ma_dtype loop;
  ma_lua_check(L, ma_loop_find(op, arg, dtype, &loop));
  ma_array *operand = ma_lua_newarray(L);
  if (loop == a->dtype) ma_array_view(operand, a);
  else MA_LUA_TRY(L, ma_array_copy(operand, a, loop, stream));
  return operand;
}

int ma_lua_ufunc_reduce(lua_State *L, ma_opcode op) {
  ma_reduce_op reduce;
  default_axis(L);
  if (ma_reduce_of_op(op, &reduce)) {
    /* Narrow integers give narrow floats, as the ufunc does. */
    if (ma_reduces[reduce].flags & MA_REDF_FLOAT && lua_isnil(L, FOLD_DTYPE)) {
      const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE);
      ma_arg arg[2] = { { .array = a }, { .array = a } };
      ma_dtype loop;
      ma_lua_check(L, ma_loop_find(op, arg, MA_NDTYPE, &loop));
      ma_lua_pushdtype(L, loop);
      lua_replace(L, FOLD_DTYPE);
    }
    ma_lua_reduce_monoid(L, reduce);
    return 1;
  }
  check_foldable(L, op);
  const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE);
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(a));
  bool single = a->ndim == 0 && lua_isnil(L, 2);
  if (single) a = ma_lua_pushflat(L, a);
  int axis = single ? 0 : ma_lua_checkaxis(L, 2, a->ndim);
  bool keepdims = ma_lua_optbool(L, FOLD_KEEPDIMS, false) && !single;
  if (!lua_isnil(L, FOLD_INITIAL) || !lua_isnil(L, FOLD_WHERE))
    ma_lua_fail(L, "initial or where; %s is folded as it stands and takes neither", ma_ops[op].name);
  double identity;
  bool begins = ma_op_identity(op, &identity);
  if (a->shape[axis] == 0 && !begins)
    ma_lua_fail(L, "zero-size array to reduction operation %s which has no identity", ma_ops[op].name);
  a = push_operand(L, op, a, ma_lua_checkdtype(L, FOLD_DTYPE, MA_NDTYPE), stream);
  ma_array first, *result = ma_lua_newarray(L);
  borrow_slice(&first, a, axis, 0);
  MA_LUA_TRY(L, ma_array_new(result, ma_array_device(a), a->dtype, first.ndim, first.shape));
  ma_value nothing = { .c = { identity, 0 } };
  if (a->shape[axis] == 0) MA_LUA_TRY(L, ma_array_fill(result, nothing, MA_FLOAT64, stream));
  fold(L, op, a, axis, result, false, stream);
  ma_lua_deliver(L, FOLD_OUT, result, axis, keepdims, stream);
  return 1;
}

int ma_lua_ufunc_accumulate(lua_State *L, ma_opcode op) {
  ma_reduce_op reduce;
  default_axis(L);
  const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE);
  if (a->ndim == 0) ma_lua_fail(L, "a 0-d array; %s.accumulate needs an axis", ma_ops[op].name);
  int axis = ma_lua_checkaxis(L, 2, a->ndim);
  if (ma_reduce_of_op(op, &reduce) && ma_reduces[reduce].flags & MA_REDF_SCAN) {
    ma_lua_scan_monoid(L, reduce, a, axis);
    return 1;
  }
  check_foldable(L, op);
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(a));
  a = push_operand(L, op, a, ma_lua_checkdtype(L, FOLD_DTYPE, MA_NDTYPE), stream);
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_array_new(result, ma_array_device(a), a->dtype, a->ndim, a->shape));
  fold(L, op, a, axis, result, true, stream);
  ma_lua_deliver(L, FOLD_OUT, result, axis, false, stream);
  return 1;
}

/* core.reduce_segments(name, rows, starts, dtype): the reduction of segments of each row of a matrix by the ufunc of
** that name; nil if it is folded in order. */
static int reduce_segments(lua_State *L) {
  ma_reduce_op reduce;
  ma_lua_account(L);
  const char *name = luaL_checkstring(L, 1);
  int op = 0;
  while (op < MA_NOP && strcmp(ma_ops[op].name, name)) op++;
  if (op == MA_NOP || !ma_reduce_of_op((ma_opcode)op, &reduce)) return 0;
  const ma_array *rows = ma_lua_checkarray(L, 2), *starts = ma_lua_checkarray(L, 3);
  if (rows->ndim != 2 || rows->shape[1] == 0 || starts->ndim != 1 || starts->dtype != MA_INT64 ||
      !ma_array_is_contiguous(starts))
    return ma_lua_fail(L, "rows %s and starts %s; wanted a matrix and a vector of int64", ma_lua_describe(L, 2),
                       ma_lua_describe(L, 3));
  ma_dtype dtype = ma_lua_checkdtype(L, 4, MA_NDTYPE);
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_reduce_segments(reduce, rows, starts, dtype, result, ma_lua_stream_of(L, ma_array_device(rows))));
  return 1;
}

static const ma_function functions[] = { { "core.reduce_segments(name, rows, starts, dtype?)", reduce_segments, NULL },
                                         { NULL, NULL, NULL } };

void ma_open_fold(lua_State *L) { ma_lua_register(L, functions); }
