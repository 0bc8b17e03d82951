/*
** overlap.c: where arrays lie in memory beside each other, for lua/moonarray/functions/layout.lua. No address leaves
** the core.
*/
#include "bind/bind.h"

/* core.gap(a, b): the bytes from a's first element to b's; nil if by their ends alone the arrays cannot have a byte in
** common. */
static int overlap_gap(lua_State *L) {
  ma_lua_args(L);
  const ma_array *a = ma_lua_checkarray(L, 1), *b = ma_lua_checkarray(L, 2);
  if (!ma_array_overlaps(a, b)) return 0;
  intptr_t apart = a->buffer == b->buffer ? 0 : (intptr_t)((uintptr_t)b->buffer->ptr - (uintptr_t)a->buffer->ptr);
  lua_pushnumber(L, (double)(apart + b->offset - a->offset));
  return 1;
}

/* core.is_whole(a): is it all of its buffer, and no view of a part? */
static int overlap_is_whole(lua_State *L) {
  ma_lua_args(L);
  const ma_array *a = ma_lua_checkarray(L, 1);
  lua_pushboolean(L, a->offset == 0 && (size_t)a->size * ma_dtypes[a->dtype].itemsize == a->buffer->nbytes);
  return 1;
}

static const ma_function functions[] = {
  { "core.gap(a, b)", overlap_gap, NULL },
  { "core.is_whole(a)", overlap_is_whole, NULL },
  { NULL, NULL, NULL },
};

void ma_open_overlap(lua_State *L) { ma_lua_register(L, functions); }
