/*
** bind/index.h: what the files about indices share: an index as it was written, before it meets an array.
*/
#ifndef MOONARRAY_BIND_INDEX_H
#define MOONARRAY_BIND_INDEX_H

#include "bind/bind.h"

#pragma GCC visibility push(hidden)

/* Parsed once and kept for texts; on the C stack for tables. */
typedef struct ma_index {
  uint8_t nitem;
  bool positions; /* nothing but positions: with one an axis, an element */
  bool arrays;    /* holds arrays: a copy, not a view */
  ma_item item[MA_MAX_ITEMS];
} ma_index;

/* index_text.c */
/* The index that a text writes: "2:5, -1, ..., _". Parsed at most once as long as the cache (256 texts) has it. */
const ma_index *ma_lua_textindex(lua_State *L, int key);
/* The same if it was used lately, else NULL. Of the string's own address in the Lua state. */
const ma_index *ma_lua_recenttext(const ma_lua *state, const char *text);

/* take.c */
/* Positions as an argument: an integer array as it is; a number or a (nested) table becomes one on `device`. */
ma_array *ma_lua_checkpositions(lua_State *L, int index, ma_device *device);
ma_index_mode ma_lua_optmode(lua_State *L, int index); /* nil: raise */
void ma_open_take(lua_State *L);

/* index.c */
/* The index that a Lua value writes: *room where it is not a text. What it refers to is on the stack at `key`. */
const ma_index *ma_lua_checkindex(lua_State *L, int key, ma_index *room);
int64_t ma_lua_checkposition(lua_State *L, int index); /* a whole number, or an error that says what a position is */
/* The value that is stored, at `index`; a table becomes an array of `base`'s dtype in that slot. */
void ma_lua_checkvalue(lua_State *L, int index, const ma_array *base, ma_arg *arg);
/* After a gather or scatter: on a device that has finished already, a position out of range is raised at once. */
void ma_lua_picked(lua_State *L, ma_device *device);
void ma_lua_pickingon(lua_State *L, ma_stream *stream, const char *function);
/* before: the name that such an error carries */
void ma_lua_picking(lua_State *L, ma_device *device, const char *function);

#pragma GCC visibility pop
#endif
