/* fold.c: ufunc.reduce and ufunc.accumulate in Lua: by a monoid where reduce.def has one, else from the first position
** of the axis to the last. */
#include "bind/ops/reduce.h"

/* The stack slots of reduce; accumulate has the first four. */
enum { FOLD_AXIS = 2, FOLD_DTYPE, FOLD_OUT, FOLD_KEEPDIMS, FOLD_INITIAL, FOLD_WHERE };

/* Without an axis, the first, as in NumPy; a 0-d array has none. */
static void default_axis(lua_State *L) {
  if (!lua_isnil(L, 2) || ma_lua_asarray(L, 1, MA_NDTYPE)->ndim == 0) return;
  lua_pushinteger(L, 1);
  lua_replace(L, 2);
}

int ma_lua_ufunc_reduce(lua_State *L, ma_opcode op) {
  ma_reduce_op reduce;
  default_axis(L);
  if (ma_reduce_of_op(op, &reduce)) {
    /* Narrow integers give narrow floats, as the ufunc does. */
    if (ma_reduces[reduce].flags & MA_REDF_FLOAT && lua_isnil(L, FOLD_DTYPE)) {
      const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE);
      ma_dtype loop;
      ma_lua_check(L, ma_fold_loop(op, a, MA_NDTYPE, &loop));
      ma_lua_pushdtype(L, loop);
      lua_replace(L, FOLD_DTYPE);
    }
    ma_lua_reduce_monoid(L, reduce);
    return 1;
  }
  ma_lua_check(L, ma_fold_check(op));
  const ma_array *a = ma_lua_asarray(L, 1, MA_NDTYPE);
  ma_stream *stream = ma_lua_streamfor(L, a);
  bool single = a->ndim == 0 && lua_isnil(L, 2);
  if (single) a = ma_lua_pushflat(L, a);
  int axis = single ? 0 : ma_lua_checkaxis(L, 2, a->ndim);
  bool keepdims = ma_lua_optbool(L, FOLD_KEEPDIMS, false) && !single;
  if (!lua_isnil(L, FOLD_INITIAL) || !lua_isnil(L, FOLD_WHERE))
    ma_lua_fail(L, "initial or where; %s is folded as it stands and takes neither", ma_ops[op].name);
  ma_dtype dtype = ma_lua_checkdtype(L, FOLD_DTYPE, MA_NDTYPE);
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_fold_run(op, a, axis, dtype, false, result, stream));
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
  ma_lua_check(L, ma_fold_check(op));
  ma_stream *stream = ma_lua_streamfor(L, a);
  ma_dtype dtype = ma_lua_checkdtype(L, FOLD_DTYPE, MA_NDTYPE);
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_fold_run(op, a, axis, dtype, true, result, stream));
  ma_lua_deliver(L, FOLD_OUT, result, axis, false, stream);
  return 1;
}

/* core.reduce_segments(name, rows, starts, dtype): the reduction of segments of each row of a matrix by the ufunc of
** that name; nil if it is folded in order. */
static int reduce_segments(lua_State *L) {
  ma_reduce_op reduce;
  const char *name = luaL_checkstring(L, 1);
  ma_opcode op = ma_op_named(name);
  if (op == MA_NOP || !ma_reduce_of_op(op, &reduce)) return 0;
  const ma_array *rows = ma_lua_checkarray(L, 2), *starts = ma_lua_checkarray(L, 3);
  if (rows->ndim != 2 || rows->shape[1] == 0 || starts->ndim != 1 || starts->dtype != MA_INT64 ||
      !ma_array_is_contiguous(starts))
    return ma_lua_fail(L, "rows %s and starts %s; wanted a matrix and a vector of int64", ma_lua_describe(L, 2),
                       ma_lua_describe(L, 3));
  ma_dtype dtype = ma_lua_checkdtype(L, 4, MA_NDTYPE);
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_reduce_segments(reduce, rows, starts, dtype, result, ma_lua_streamfor(L, rows)));
  return 1;
}

static const ma_function functions[] = { { "core.reduce_segments(name, rows, starts, dtype?)", reduce_segments, NULL },
                                         { NULL, NULL, NULL } };

void ma_open_fold(lua_State *L) { ma_lua_register(L, functions); }
