/* outside.h: whether what a function takes from outside is what it was. */
#ifndef MOONARRAY_BIND_OUTSIDE_H
#define MOONARRAY_BIND_OUTSIDE_H

#include "bind/bind.h"

#pragma GCC visibility push(hidden)

/* The list is at a stack index that counts from the bottom. */
void ma_lua_pushoutside(lua_State *L, int list, int k); /* what the holder at k has now, with its place below */
/* The place of the first holder that has another value now; 0: none. may_end: one that has none is as good. */
int ma_lua_findchanged(lua_State *L, int list, bool may_end);

#pragma GCC visibility pop
#endif
