/* new.h: orders as Lua writes them, and new arrays in an order. */
#ifndef MOONARRAY_BIND_NEW_H
#define MOONARRAY_BIND_NEW_H

#include "bind/bind.h"

#pragma GCC visibility push(hidden)

/* One of the letters in `allowed`, a part of "CFAK"; nil: fallback. */
ma_order ma_lua_checkorder(lua_State *L, int index, ma_order fallback, const char *allowed);
/* Pushes a copy whose elements lie in the order. */
ma_array *ma_lua_pushcopyin(lua_State *L, const ma_array *from, ma_dtype dtype, ma_order order);
/* Pushes a new array of an order; `model` is asked for A and K, and may be NULL. */
ma_array *ma_lua_pushnewin(lua_State *L, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape,
                           ma_order order, const ma_array *model);

#pragma GCC visibility pop
#endif
