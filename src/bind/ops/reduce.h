/* reduce.h: what the methods of ufuncs (fold.c) take of the reductions (reduce.c). */
#ifndef MA_BIND_REDUCE_H
#define MA_BIND_REDUCE_H

#include "bind/bind.h"

#pragma GCC visibility push(hidden)

/* The arguments lie in the slots of ufunc.reduce: (a, axis?, dtype?, out?, keepdims?, initial?, where?). Pushes the
** result. */
void ma_lua_reduce_monoid(lua_State *L, ma_reduce_op op);
/* (a, axis?, dtype?, out?) */
void ma_lua_scan_monoid(lua_State *L, ma_reduce_op op, const ma_array *a, int axis);
/* Pushes the elements in C order as one axis: a view if the strides allow it. */
const ma_array *ma_lua_pushflat(lua_State *L, const ma_array *a);
/* Assigns to `out` if it is given, and restores the axis for keepdims; leaves the result on top. */
void ma_lua_deliver(lua_State *L, int out, ma_array *result, int axis, bool keepdims, ma_stream *stream);
/* Registers what is in fold.c. */
void ma_open_fold(lua_State *L);

#pragma GCC visibility pop
#endif
