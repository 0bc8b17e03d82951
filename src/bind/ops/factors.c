/*
** factors.c: factors of sparse matrices, for lua/moonarray/sparse/linalg. The first argument of each function is the
** name for errors. Arrays are contiguous; those of factors_ functions are of the CPU, where Lua brings them.
*/
#include "bind/bind.h"

#include "ops/factors/kept.h"
#include "ops/factors/run.h"

/* (name, indptr, indices, data, n, order, threshold, incomplete, drop, fill) -> eight arrays, or the number of the
** first pivot that is 0 */
static int factors_make(lua_State *L) {
  ma_compressed_arrays a = { .start = ma_lua_checkarray(L, 2),
                             .row = ma_lua_checkarray(L, 3),
                             .value = ma_lua_checkarray(L, 4) };
  a.rows = a.columns = (int64_t)luaL_checknumber(L, 5);
  if (!ma_is_host(ma_array_device(a.start)) || !ma_is_host(ma_array_device(a.row)) ||
      !ma_is_host(ma_array_device(a.value)))
    ma_lua_failas(L, lua_tostring(L, 1), "arrays of a GPU; wanted arrays of the CPU");
  int kind = (int)luaL_checknumber(L, 6);
  ma_factor_options options = { .threshold = luaL_checknumber(L, 7),
                                .incomplete = lua_toboolean(L, 8),
                                .drop = luaL_checknumber(L, 9),
                                .fill = luaL_checknumber(L, 10) };
  ma_array *to[MA_NFACTOR_ARRAYS];
  int32_t singular;
  if (kind < 0 || kind >= MA_NORDER) ma_lua_failas(L, lua_tostring(L, 1), "an order that is not in the table");
  luaL_checkstack(L, MA_NFACTOR_ARRAYS, NULL);
  for (int k = 0; k < MA_NFACTOR_ARRAYS; k++) to[k] = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_factor_run(&a, (ma_order_kind)kind, options, ma_lua_streamfor(L, a.value), to, &singular));
  if (!singular) return MA_NFACTOR_ARRAYS;
  lua_pushnumber(L, singular);
  return 1;
}

/* ---- Factors that a device keeps ---- */

#define KEPT_METATABLE "moonarray.sparse.factors"

static int kept_collect(lua_State *L) {
  ma_kept_factors **kept = ma_lua_toobject(L, 1, KEPT_METATABLE);
  if (kept && *kept) ma_kept_factors_free(*kept);
  if (kept) *kept = NULL;
  return 0;
}

/* (array) -> whether its device computes factors */
static int kept_there(lua_State *L) {
  lua_pushboolean(L, ma_kept_factors_there(ma_array_device(ma_lua_checkarray(L, 1))));
  return 1;
}

/* (name, indptr, indices, data, n) -> factors; nothing where the CPU is to do it */
static int kept_factor(lua_State *L) {
  lua_Number n = luaL_checknumber(L, 5);
  ma_sparse_parts a = { .indptr = ma_lua_checkarray(L, 2),
                        .indices = ma_lua_checkarray(L, 3),
                        .data = ma_lua_checkarray(L, 4),
                        .rows = (int64_t)n,
                        .columns = (int64_t)n };
  ma_device *device = ma_array_device(a.data);
  if (ma_array_device(a.indptr) != device || ma_array_device(a.indices) != device)
    ma_lua_failas(L, lua_tostring(L, 1), "arrays of several devices; wanted one");
  ma_kept_factors **kept = lua_newuserdata(L, sizeof(void *));
  *kept = NULL;
  lua_getfield(L, LUA_REGISTRYINDEX, KEPT_METATABLE);
  lua_setmetatable(L, -2);
  MA_LUA_TRYAS(L, ma_kept_factors_new(&a, ma_lua_stream_of(L, device), kept));
  return *kept ? 1 : 0;
}

/* (name, factors, b) -> x; each row of b is a right side */
static int kept_solve(lua_State *L) {
  ma_kept_factors **kept = ma_lua_toobject(L, 2, KEPT_METATABLE);
  const ma_array *b = ma_lua_checkarray(L, 3);
  if (!kept || !*kept) ma_lua_failas(L, lua_tostring(L, 1), "something that is no factors");
  ma_array *x = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_kept_factors_solve(*kept, b, x, ma_lua_streamfor(L, b)));
  return 1;
}

static const ma_function functions[] = {
  { "core.factors_make(name, indptr, indices, data, n, order, threshold, incomplete, drop, fill)", factors_make, NULL },
  { "core.kept_there(a)", kept_there, NULL },
  { "core.kept_factor(name, indptr, indices, data, n)", kept_factor, NULL },
  { "core.kept_solve(name, factors, b)", kept_solve, NULL },
  { NULL, NULL, NULL },
};

void ma_open_factors(lua_State *L) {
  lua_newtable(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, kept_collect, 1);
  lua_setfield(L, -2, "__gc");
  lua_pushliteral(L, "moonarray factors of a sparse matrix");
  lua_setfield(L, -2, "__metatable");
  lua_setfield(L, LUA_REGISTRYINDEX, KEPT_METATABLE);
  ma_lua_register(L, functions);
}
