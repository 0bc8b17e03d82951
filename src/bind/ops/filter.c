/* filter.c: filters and interpolation as core.filter_..., for lua/moonarray/ndimage, which checks the arguments. The
** first argument of each is the name for errors. */
#include "bind/bind.h"

#include "ops/fields/filter.h"

#include <string.h>

/* The numbers of the table at `index`, in memory of a userdata that is pushed. NULL for nil. */
static double *numbers(lua_State *L, int index, int *count) {
  *count = 0;
  if (lua_isnil(L, index)) return NULL;
  luaL_checktype(L, index, LUA_TTABLE);
  *count = (int)lua_objlen(L, index);
  double *list = lua_newuserdata(L, sizeof *list * ((size_t)*count + 1));
  for (int k = 0; k < *count; k++) {
    lua_rawgeti(L, index, k + 1);
    list[k] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  return list;
}

/* core.filter_window(name, from, to, op, compute, offsets, weights?, symmetry, rank, modes, cval): a flat table of
** distances. */
static int filter_window(lua_State *L) {
  enum { NAME = 1, FROM, TO, OP, COMPUTE, OFFSETS, WEIGHTS, SYMMETRY, RANK, MODES, CVAL };
  const ma_array *from = ma_lua_checkarray(L, FROM);
  ma_array *to = ma_lua_checkarray(L, TO);
  ma_window w;
  int noffset, nweight, nmode;
  memset(&w, 0, sizeof w);
  w.op = (ma_filter_op)lua_tointeger(L, OP);
  w.compute = ma_lua_checkdtype(L, COMPUTE, MA_FLOAT64);
  w.symmetry = (int)lua_tointeger(L, SYMMETRY);
  w.rank = (int64_t)lua_tonumber(L, RANK);
  w.cval = lua_tonumber(L, CVAL);
  double *offsets = numbers(L, OFFSETS, &noffset);
  w.weight = numbers(L, WEIGHTS, &nweight);
  double *modes = numbers(L, MODES, &nmode);
  w.ntap = from->ndim ? noffset / from->ndim : 1;
  if (w.ntap < 1 || w.ntap > MA_FILTER_MOST_TAPS || nmode < from->ndim || (w.weight && nweight < w.ntap) ||
      (from->ndim && noffset % from->ndim) || w.rank < 0 || w.rank >= w.ntap)
    ma_lua_failas(L, lua_tostring(L, NAME), "a window of no places or of too many; wanted 1 to 2^20");
  int32_t *offset = lua_newuserdata(L, sizeof *offset * ((size_t)noffset + 1));
  for (int k = 0; k < noffset; k++) offset[k] = (int32_t)offsets[k];
  w.offset = offset;
  for (int d = 0; d < from->ndim; d++) w.mode[d] = (uint8_t)modes[d];
  MA_LUA_TRYAS(L, ma_filter_window(from, to, &w, ma_lua_streamfor(L, from)));
  lua_settop(L, TO);
  return 1;
}

/* core.filter_line(name, from, to, op, compute, axis, size, before, mode, cval) */
static int filter_line(lua_State *L) {
  enum { NAME = 1, FROM, TO, OP, COMPUTE, AXIS, SIZE, BEFORE, MODE, CVAL };
  const ma_array *from = ma_lua_checkarray(L, FROM);
  ma_array *to = ma_lua_checkarray(L, TO);
  ma_line_filter f;
  memset(&f, 0, sizeof f);
  f.op = (ma_filter_op)lua_tointeger(L, OP);
  f.compute = ma_lua_checkdtype(L, COMPUTE, MA_FLOAT64);
  f.size = (int64_t)lua_tonumber(L, SIZE);
  f.before = (int64_t)lua_tonumber(L, BEFORE);
  f.mode = (int)lua_tointeger(L, MODE);
  f.cval = lua_tonumber(L, CVAL);
  MA_LUA_TRYAS(L, ma_filter_line(from, to, ma_lua_checkaxis(L, AXIS, from->ndim), &f, ma_lua_streamfor(L, from)));
  lua_settop(L, TO);
  return 1;
}

/* core.filter_spline(name, data, axis, order, mode): in place */
static int filter_spline(lua_State *L) {
  enum { NAME = 1, DATA, AXIS, ORDER, MODE };
  ma_array *data = ma_lua_checkarray(L, DATA);
  ma_spline_filter f;
  memset(&f, 0, sizeof f);
  f.order = (int)lua_tointeger(L, ORDER);
  f.mode = (int)lua_tointeger(L, MODE);
  MA_LUA_TRYAS(L, ma_filter_spline(data, ma_lua_checkaxis(L, AXIS, data->ndim), &f, ma_lua_streamfor(L, data)));
  lua_settop(L, DATA);
  return 1;
}

/* core.filter_transform(name, from, to, order, mode, cval, pad, coordinates?, matrix?, shift?, before?): coordinates,
** or a matrix as a flat table and a shift; with `before` the matrix is the diagonal of one. */
static int filter_transform(lua_State *L) {
  enum { NAME = 1, FROM, TO, ORDER, MODE, CVAL, PAD, COORDINATES, MATRIX, SHIFT, BEFORE };
  const ma_array *from = ma_lua_checkarray(L, FROM), *coordinates = ma_lua_optarray(L, COORDINATES);
  ma_array *to = ma_lua_checkarray(L, TO);
  ma_transform t;
  int nmatrix, nshift, nbefore;
  memset(&t, 0, sizeof t);
  t.order = (int)lua_tointeger(L, ORDER);
  t.mode = (int)lua_tointeger(L, MODE);
  t.cval = lua_tonumber(L, CVAL);
  t.pad = lua_tonumber(L, PAD);
  double *matrix = numbers(L, MATRIX, &nmatrix), *shift = numbers(L, SHIFT, &nshift),
         *before = numbers(L, BEFORE, &nbefore);
  t.diagonal = before != NULL;
  bool small = from->ndim <= MA_TRANSFORM_MOST_AXES && to->ndim <= MA_TRANSFORM_MOST_AXES;
  if (!coordinates && small) {
    if (nshift != from->ndim || (before ? nmatrix != from->ndim || nbefore != nmatrix || to->ndim != nmatrix
                                        : nmatrix != from->ndim * to->ndim))
      ma_lua_failas(L, lua_tostring(L, NAME), "a matrix of another shape; wanted one for the axes of both images");
    for (int d = 0; d < from->ndim; d++) {
      t.shift[d] = shift[d];
      if (before) t.before[d] = before[d];
      for (int k = 0; k < to->ndim; k++) t.matrix[d][k] = !before ? matrix[d * to->ndim + k] : d == k ? matrix[d] : 0;
    }
  }
  MA_LUA_TRYAS(L, ma_filter_transform(from, coordinates, to, &t, ma_lua_streamfor(L, from)));
  lua_settop(L, TO);
  return 1;
}

static const ma_function functions[] = {
  { "core.filter_window(name, from, to, op, compute, offsets, weights?, symmetry?, rank?, modes?, cval?)",
    filter_window, NULL },
  { "core.filter_line(name, from, to, op, compute, axis, size, before, mode, cval)", filter_line, NULL },
  { "core.filter_spline(name, data, axis, order, mode)", filter_spline, NULL },
  { "core.filter_transform(name, from, to, order, mode, cval, pad, coordinates?, matrix?, shift?, before?)",
    filter_transform, NULL },
  { NULL, NULL, NULL }
};

void ma_open_filter(lua_State *L) { ma_lua_register(L, functions); }
