/*
** draws.c: random numbers in functions that ma.fuse and ma.stencil record. Each place where the function draws is an
** input of its program: an array of a draw that each run makes anew (lua/moonarray/element/draws.lua). The list of a
** recording describes the draws, in the order in which the function makes them.
*/
#include "bind/kernel/fuse.h"

#include <string.h>

ma_dtype ma_draw_dtype(ma_dtype first) { return ma_dtypes[first].kind == MA_KIND_FLOAT ? first : MA_FLOAT64; }

/* Pushes {kind, dtype, from, to, generator}. */
static void push_description(lua_State *L, const char *kind, ma_dtype dtype, int from, int to, int generator) {
  lua_createtable(L, 5, 0);
  lua_pushstring(L, kind);
  lua_rawseti(L, -2, 1);
  lua_pushstring(L, ma_dtypes[dtype].name);
  lua_rawseti(L, -2, 2);
  const int slot[3] = { from, to, generator };
  for (int k = 0; k < 3; k++) {
    if (slot[k]) lua_pushvalue(L, slot[k]);
    else lua_pushboolean(L, false);
    lua_rawseti(L, -2, 3 + k);
  }
}

/* Appends the description on top to the list of a recording of ma.fuse, and makes its input. */
static void add_argument(lua_State *L, tracing *tr, ma_dtype dtype, ma_operand *operand) {
  int place = tr->narg + tr->ndraw;
  if (place >= MA_MAX_TRACE_ARGS)
    ma_lua_fail(L, "more than %d arguments and random numbers; split the function", MA_MAX_TRACE_ARGS);
  if (tr->draws == LUA_NOREF) {
    lua_createtable(L, 1, 0);
    tr->draws = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, tr->draws);
  lua_insert(L, -2);
  lua_rawseti(L, -2, tr->ndraw + 1);
  lua_pop(L, 1);
  ma_lua_check(L, ma_tape_input(&tr->tape, place, dtype, tr->ndim, operand));
}

void ma_draw_push(lua_State *L, const char *kind, int from, int to, int generator) {
  tracing *tr = ma_lua_state(L)->tracing;
  ma_dtype dtype = strcmp(kind, "integers") ? tr->draw_dtype : MA_INT64;
  ma_operand operand;
  ma_lua_room(L, 10);
  push_description(L, kind, dtype, from, to, generator);
  if (tr->stencil) ma_stencil_draw(L, tr, dtype, &operand);
  else add_argument(L, tr, dtype, &operand);
  tr->ndraw++;
  ma_traced_push(L, tr->id, operand);
}

void ma_draw_free(const ma_array *drawn) { ma_lua_freearray((ma_array *)drawn, "by the run that drew it"); }

ma_array *ma_draw_make(lua_State *L, int first, int n) {
  for (int k = 0; k < n; k++) lua_pushvalue(L, first + k);
  ma_lua_callcore(L, "draw", n + 1, 1);
  return ma_lua_checkarray(L, -1);
}

/* core.draw_element(kind, from?, to?, generator?): the stand-in of a draw; nil outside of a recorded function. */
static int draw_element(lua_State *L) {
  const ma_lua *state = ma_lua_state(L);
  lua_settop(L, 4);
  if (!state->tracing || !state->tracing->may_draw) return 0;
  bool bounded = !lua_isnil(L, 2);
  ma_draw_push(L, lua_tostring(L, 1), bounded ? 2 : 0, bounded ? 3 : 0, lua_isnil(L, 4) ? 0 : 4);
  return 1;
}

void ma_open_draws(lua_State *L) {
  ma_lua_pushplain(L, "jit(...)", false, draw_element, 0);
  ma_lua_file(L, "core.draw_element");
}
