/* partial.c: the parts of a reduction that several processes have, for lua/moonarray/distributed/sharded. */
#include "bind/bind.h"

#include <string.h>

/* A reduction by its name in kernels/reduce/reduce.def, in slot 2. */
static ma_reduce_op check_op(lua_State *L) {
  const char *name = luaL_checkstring(L, 2);
  for (int op = 0; op < MA_NREDUCE; op++)
    if (!strcmp(ma_reduces[op].name, name)) return (ma_reduce_op)op;
  luaL_argerror(L, 2, "no such reduction");
  return MA_NREDUCE;
}

/* (name, op, leave_out, part, axis, keepdims, dtype, where or nil) -> an array of bytes, with one axis more for the
** bytes of each partial result */
static int reduce_part(lua_State *L) {
  ma_reduce_op op = check_op(L);
  const ma_array *part = ma_lua_checkarray(L, 4);
  const ma_reduce_options options = { .axes = ma_lua_checkaxes(L, 5, part->ndim),
                                      .keepdims = lua_toboolean(L, 6),
                                      .dtype = ma_lua_checkdtype(L, 7, MA_NDTYPE) };
  const ma_array *where = ma_lua_optarray(L, 8);
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_reduce_part(op, part, where, lua_toboolean(L, 3), &options, result, ma_lua_streamfor(L, part)));
  return 1;
}

/* (name, op, leave_out, parts, of, dtype, count, ddof, masked): parts behind each other along the first axis; `of`: the
** dtype of the elements; count: elements of all parts for each result */
static int reduce_merge(lua_State *L) {
  ma_reduce_op op = check_op(L);
  ma_array *parts = ma_lua_checkarray(L, 4);
  ma_dtype of = ma_lua_checkdtype(L, 5, MA_NDTYPE);
  const ma_reduce_options options = { .dtype = ma_lua_checkdtype(L, 6, MA_NDTYPE), .ddof = luaL_optnumber(L, 8, 0) };
  int64_t count = (int64_t)luaL_checknumber(L, 7);
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_reduce_merge(op, of, lua_toboolean(L, 3), lua_toboolean(L, 9), &options, parts, count, result,
                                  ma_lua_streamfor(L, parts)));
  return 1;
}

static const ma_function functions[] = {
  { "core.reduce_part(name, op, leave_out, part, axis?, keepdims?, dtype?, where?)", reduce_part, NULL },
  { "core.reduce_merge(name, op, leave_out, parts, of, dtype?, count?, ddof?, masked?)", reduce_merge, NULL },
  { NULL, NULL, NULL },
};

void ma_open_partial(lua_State *L) { ma_lua_register(L, functions); }
