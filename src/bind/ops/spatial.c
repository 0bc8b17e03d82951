/* spatial.c: distances, for lua/moonarray/spatial. The first argument of each function is the name for errors. */
#include "bind/bind.h"

#include "ops/spatial.h"

static void one_device(lua_State *L, const ma_array *a, const ma_array *b) {
  if (ma_array_device(a) == ma_array_device(b)) return;
  ma_device_apart(ma_array_device(a), ma_array_device(b));
  ma_lua_failas(L, lua_tostring(L, 1), ma_message());
}

/* (name, x, metric, p, y or nil, weights or nil) -> distances; without y those of the pairs i < j of rows */
static int spatial_pairs(lua_State *L) {
  ma_lua_args(L);
  ma_lua_account(L);
  const ma_array *x = ma_lua_checkarray(L, 2), *y = ma_lua_optarray(L, 5), *weights = ma_lua_optarray(L, 6);
  ma_metric metric = ma_metric_find(luaL_checkstring(L, 3));
  double p = luaL_checknumber(L, 4);
  if (metric == MA_NMETRIC) ma_lua_failas(L, lua_tostring(L, 1), "a metric that is not in the table");
  if (y) one_device(L, x, y);
  if (weights) one_device(L, x, weights);
  ma_array *to = ma_lua_newarray(L);
  int tries = 0;
  ma_status status;
  do status = ma_pairs_run(x, y, metric, p, weights, to, ma_lua_stream_of(L, ma_array_device(x)));
  while (ma_lua_retry(L, status, &tries));
  if (status != MA_OK) ma_lua_failas(L, lua_tostring(L, 1), ma_message());
  return 1;
}

static const ma_function functions[] = {
  { "core.spatial_pairs(name, x, metric, p, y?, weights?)", spatial_pairs, NULL }, { NULL, NULL, NULL }
};

void ma_open_spatial(lua_State *L) { ma_lua_register(L, functions); }
