/* linalg.c: factorisations as core.linalg_..., for lua/moonarray/linalg, which has the users' functions. The first
** argument of each is the name for errors. */
#include "bind/bind.h"

#include "ops/linalg.h"

static ma_array *matrices(lua_State *L, int index) {
  ma_array *a = ma_lua_checkarray(L, index);
  if (a->ndim < 2) {
    lua_pushfstring(L, "%s; wanted at least two axes", ma_lua_describe(L, index));
    ma_lua_failas(L, lua_tostring(L, 1), lua_tostring(L, -1));
  }
  return a;
}

/* A call that waited raises the fault that the device recorded. */
static void waited(lua_State *L, bool check, const ma_array *a) {
  if (check) ma_lua_checkfault(L, ma_lua_streamfor(L, a));
}

/* (name, a, check) -> l */
static int l_cholesky(lua_State *L) {
  const ma_array *a = matrices(L, 2);
  bool check = lua_toboolean(L, 3);
  ma_array *l = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_linalg_cholesky(l, a, check, ma_lua_streamfor(L, a)));
  waited(L, check, a);
  return 1;
}

/* (name, a) -> lu, pivots */
static int l_lu(lua_State *L) {
  const ma_array *a = matrices(L, 2);
  ma_array *lu = ma_lua_newarray(L), *pivot = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_linalg_lu(lu, pivot, a, ma_lua_streamfor(L, a)));
  return 2;
}

/* (name, lu, pivots, trans, b) -> x */
static int l_lu_solve(lua_State *L) {
  const ma_array *lu = matrices(L, 2), *pivot = ma_lua_checkarray(L, 3), *b = matrices(L, 5);
  ma_lua_checksame(L, lu, pivot);
  ma_lua_checksame(L, lu, b);
  ma_array *x = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_linalg_lu_solve(x, lu, pivot, *luaL_checkstring(L, 4), b, ma_lua_streamfor(L, lu)));
  return 1;
}

/* (name, a, b, check) -> x */
static int l_solve(lua_State *L) {
  const ma_array *a = matrices(L, 2), *b = matrices(L, 3);
  bool check = lua_toboolean(L, 4);
  ma_lua_checksame(L, a, b);
  ma_array *x = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_linalg_solve(x, a, b, check, ma_lua_streamfor(L, a)));
  waited(L, check, a);
  return 1;
}

/* (name, a, check) -> x */
static int l_inv(lua_State *L) {
  const ma_array *a = matrices(L, 2);
  bool check = lua_toboolean(L, 3);
  ma_array *x = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_linalg_inv(x, a, check, ma_lua_streamfor(L, a)));
  waited(L, check, a);
  return 1;
}

/* (name, a, b, lower, trans, unit, check) -> x */
static int l_triangular_solve(lua_State *L) {
  const ma_array *a = matrices(L, 2), *b = matrices(L, 3);
  bool lower = lua_toboolean(L, 4), unit = lua_toboolean(L, 6), check = lua_toboolean(L, 7);
  char trans = *luaL_checkstring(L, 5);
  ma_lua_checksame(L, a, b);
  ma_array *x = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_linalg_triangular_solve(x, a, b, lower, trans, unit, check, ma_lua_streamfor(L, a)));
  waited(L, check, a);
  return 1;
}

/* (name, a, columns) -> h, tau */
static int l_qr(lua_State *L) {
  const ma_array *a = matrices(L, 2);
  int64_t columns = (int64_t)luaL_checknumber(L, 3);
  ma_array *h = ma_lua_newarray(L), *tau = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_linalg_qr(h, tau, a, columns, ma_lua_streamfor(L, a)));
  return 2;
}

/* (name, h, tau): h becomes Q */
static int l_qr_form(lua_State *L) {
  ma_array *h = matrices(L, 2), *tau = ma_lua_checkarray(L, 3);
  MA_LUA_TRYAS(L, ma_linalg_qr_form(h, tau, ma_lua_streamfor(L, h)));
  lua_settop(L, 2);
  return 1;
}

/* (name, h, tau, b) -> Q^H b */
static int l_qr_apply(lua_State *L) {
  const ma_array *h = matrices(L, 2), *tau = ma_lua_checkarray(L, 3), *b = matrices(L, 4);
  ma_lua_checksame(L, h, b);
  ma_array *x = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_linalg_qr_apply(x, h, tau, b, ma_lua_streamfor(L, h)));
  return 1;
}

/* (name, a, job, check) -> s, or u, s, vh */
static int l_svd(lua_State *L) {
  const ma_array *a = matrices(L, 2);
  char job = *luaL_checkstring(L, 3);
  bool check = lua_toboolean(L, 4), vectors = job != 'N';
  ma_array *u = vectors ? ma_lua_newarray(L) : NULL, *s = ma_lua_newarray(L), *vh = vectors ? ma_lua_newarray(L) : NULL;
  MA_LUA_TRYAS(L, ma_linalg_svd(u, s, vh, a, job, check, ma_lua_streamfor(L, a)));
  waited(L, check, a);
  return vectors ? 3 : 1;
}

/* (name, a, vectors, lower, check) -> w, or w, v */
static int l_eigh(lua_State *L) {
  const ma_array *a = matrices(L, 2);
  bool vectors = lua_toboolean(L, 3), lower = lua_toboolean(L, 4), check = lua_toboolean(L, 5);
  ma_array *w = ma_lua_newarray(L), *v = vectors ? ma_lua_newarray(L) : NULL;
  MA_LUA_TRYAS(L, ma_linalg_eigh(w, v, a, lower, check, ma_lua_streamfor(L, a)));
  waited(L, check, a);
  return vectors ? 2 : 1;
}

/* (name, a, vectors, check) -> w, or w, v */
static int l_eig(lua_State *L) {
  const ma_array *a = matrices(L, 2);
  bool vectors = lua_toboolean(L, 3), check = lua_toboolean(L, 4);
  ma_array *w = ma_lua_newarray(L), *v = vectors ? ma_lua_newarray(L) : NULL;
  MA_LUA_TRYAS(L, ma_linalg_eig(w, v, a, check, ma_lua_streamfor(L, a)));
  waited(L, check, a);
  return vectors ? 2 : 1;
}

/* (name, bands, lower, b) -> x */
static int l_banded(lua_State *L) {
  const ma_array *bands = matrices(L, 2), *b = matrices(L, 4);
  int64_t lower = (int64_t)luaL_checknumber(L, 3);
  ma_lua_checksame(L, bands, b);
  ma_array *x = ma_lua_newarray(L);
  MA_LUA_TRYAS(L, ma_linalg_banded(x, bands, lower, b, ma_lua_streamfor(L, bands)));
  return 1;
}

/* core.linalg_signed(products, pivots), on the CPU. Each product belongs to a row of `pivots`. Changes the sign of the
** products whose rows tell of an odd number of exchanges, and returns the products. Both arrays are packed and new. */
static int l_signed(lua_State *L) {
  ma_array *products = ma_lua_checkarray(L, 1);
  const ma_array *pivots = ma_lua_checkarray(L, 2);
  const int64_t *pivot;
  void *data;
  ma_kind kind = ma_dtypes[products->dtype].kind;
  int parts = kind == MA_KIND_COMPLEX ? 2 : 1;
  int64_t n = pivots->ndim ? pivots->shape[pivots->ndim - 1] : 0;
  size_t part = ma_dtypes[products->dtype].itemsize / (size_t)parts;
  if (!ma_is_host(ma_array_device(products)) || kind < MA_KIND_FLOAT || pivots->dtype != MA_INT64 ||
      pivots->size != n * products->size)
    return ma_lua_fail(L, "products and pivots that do not go together");
  ma_stream *stream = ma_lua_streamfor(L, products);
  MA_LUA_TRY(L, ma_array_read(pivots, stream, (const void **)&pivot));
  MA_LUA_TRY(L, ma_array_write(products, stream, &data));
  uint8_t *last = (uint8_t *)data + part - 1; /* the byte with the sign, if the lowest comes first */
  for (int64_t k = 0; k < products->size; k++) {
    int64_t odd = 0;
    for (int64_t i = 0; i < n; i++) odd ^= pivot[k * n + i] != i + 1;
    for (int j = 0; j < parts; j++, last += part) *last ^= (uint8_t)(odd << 7);
  }
  lua_settop(L, 1);
  return 1;
}

static const ma_function linalg_functions[] = {
  { "core.linalg_cholesky(name, x, check?)", l_cholesky, NULL },
  { "core.linalg_lu(name, x)", l_lu, NULL },
  { "core.linalg_signed(products, pivots)", l_signed, NULL },
  { "core.linalg_lu_solve(name, lu, pivots, trans, b)", l_lu_solve, NULL },
  { "core.linalg_solve(name, x, b, check?)", l_solve, NULL },
  { "core.linalg_inv(name, x, check?)", l_inv, NULL },
  { "core.linalg_triangular_solve(name, x, b, lower?, trans?, unit?, check?)", l_triangular_solve, NULL },
  { "core.linalg_qr(name, x, columns)", l_qr, NULL },
  { "core.linalg_qr_form(name, h, tau)", l_qr_form, NULL },
  { "core.linalg_qr_apply(name, h, tau, b)", l_qr_apply, NULL },
  { "core.linalg_svd(name, x, job, check?)", l_svd, NULL },
  { "core.linalg_eigh(name, x, vectors?, lower?, check?)", l_eigh, NULL },
  { "core.linalg_banded(name, bands, lower, b)", l_banded, NULL },
  { "core.linalg_eig(name, x, vectors?, check?)", l_eig, NULL },
  { NULL, NULL, NULL },
};

void ma_open_linalg(lua_State *L) { ma_lua_registerplain(L, linalg_functions); }
