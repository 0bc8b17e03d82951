/* interpolate.c: the parts of ma.interpolate that are in C, for lua/moonarray/interpolate. */
#include "bind/bind.h"

#include "ops/fields/interpolate.h"

/* Slots 1 to 4: knots, degree, points, order of the derivative. */
static ma_spline_of spline_of(lua_State *L) {
  const ma_array *t = ma_lua_checkarray(L, 1);
  int64_t degree = ma_lua_checkint(L, 2, "k"), nu = ma_lua_checkint(L, 4, "nu");
  return (ma_spline_of){ .t = t, .x = ma_lua_checkbeside(L, 3, t), .degree = degree, .nu = nu };
}

static int bspline_sums(lua_State *L) {
  ma_spline_of spline = spline_of(L);
  const ma_array *rows = ma_lua_checkbeside(L, 5, spline.t);
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_bspline_sums(&spline, rows, result, ma_lua_streamfor(L, spline.t)));
  return 1;
}

static int bspline_basis(lua_State *L) {
  ma_spline_of spline = spline_of(L);
  ma_array *two[2];
  for (int k = 0; k < 2; k++) two[k] = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_bspline_basis(&spline, two, ma_lua_streamfor(L, spline.t)));
  return 2;
}

static int bspline_bands(lua_State *L) {
  ma_spline_of spline = spline_of(L);
  int64_t shift = ma_lua_checkint(L, 5, "shift"), lower = ma_lua_checkint(L, 6, "lower");
  int64_t upper = ma_lua_checkint(L, 7, "upper");
  ma_array *result = ma_lua_newarray(L);
  MA_LUA_TRY(L, ma_bspline_bands(&spline, shift, lower, upper, result, ma_lua_streamfor(L, spline.t)));
  return 1;
}

/* core.regular_grid(points, rows, axes, nearest, fill?, with_outside?): axes is a list of arrays. */
static int regular_grid(lua_State *L) {
  const ma_array *points = ma_lua_checkarray(L, 1), *rows = ma_lua_checkbeside(L, 2, points), *axis[MA_MAX_NDIM];
  luaL_checktype(L, 3, LUA_TTABLE);
  bool nearest = lua_toboolean(L, 4), fills = !lua_isnil(L, 5), with_outside = lua_toboolean(L, 6);
  double fill = fills ? ma_lua_checknumber(L, 5, "fill") : 0;
  int64_t axes = (int64_t)lua_objlen(L, 3);
  if (points->ndim != 2 || points->shape[1] != axes || axes > MA_MAX_NDIM)
    return ma_lua_fail(L, "%d axes of a grid; wanted as many as the points have coordinates", (int)axes);
  luaL_checkstack(L, MA_MAX_NDIM + 4, "a grid");
  for (int k = 0; k < axes; k++) {
    lua_rawgeti(L, 3, k + 1);
    axis[k] = ma_lua_checkbeside(L, lua_gettop(L), points);
  }
  ma_array *result = ma_lua_newarray(L), *outside = with_outside ? ma_lua_newarray(L) : NULL;
  MA_LUA_TRY(
    L, ma_regular_run(points, rows, axis, nearest, fills ? &fill : NULL, result, outside, ma_lua_streamfor(L, points)));
  return 1 + with_outside;
}

static const ma_function functions[] = {
  { "core.bspline_sums(t, k, points, nu, rows)", bspline_sums, NULL },
  { "core.bspline_basis(t, k, points, nu)", bspline_basis, NULL },
  { "core.bspline_bands(t, k, points, nu, shift, lower, upper)", bspline_bands, NULL },
  { "core.regular_grid(points, rows, axes, nearest, fill?, with_outside?)", regular_grid, NULL },
  { NULL, NULL, NULL }
};

void ma_open_interpolate(lua_State *L) { ma_lua_register(L, functions); }
