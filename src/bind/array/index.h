/* bind/index.h: an index as it was written, before it is applied to an array; shared by the files about indices. */
#ifndef MOONARRAY_BIND_INDEX_H
#define MOONARRAY_BIND_INDEX_H

#include "bind/bind.h"

#pragma GCC visibility push(hidden)

/* Texts are parsed once and cached; the index of a table is on the C stack. */
typedef struct ma_index {
  uint8_t nitem;
  bool positions; /* it has only positions; with one for each axis it is an element */
  bool arrays;    /* it has arrays: the result is a copy, not a view */
  ma_item item[MA_MAX_ITEMS];
} ma_index;

/* index_text.c */
/* The index that a text writes: "2:5, -1, ..., _". It is parsed once while it is in the cache of 256 texts. */
const ma_index *ma_lua_textindex(lua_State *L, int key);
/* A text or an attribute's name that was used lately, else NULL. The address of the interned string identifies it. */
const struct ma_recent_text *ma_lua_recenttext(const ma_lua *state, const char *text);
/* Adds a text to the recent texts: with its index, or if that is NULL, with an attribute's place. */
void ma_lua_noterecent(ma_lua *state, const char *text, const ma_index *index, int attribute);

/* take.c */
/* Positions as an argument: an integer array is taken as it is; a number or a nested table becomes an array on
** `device`. */
ma_array *ma_lua_checkpositions(lua_State *L, int index, ma_device *device);
ma_index_mode ma_lua_optmode(lua_State *L, int index); /* nil: raise */
void ma_open_take(lua_State *L);

/* index.c */
/* a whole number; any other value raises an error that says what a position is */
int64_t ma_lua_checkposition(lua_State *L, int index);
/* The value to store, at `index`. A table is replaced by an array of `base`'s dtype. */
void ma_lua_checkvalue(lua_State *L, int index, const ma_array *base, ma_arg *arg);
/* Called after a gather or scatter. If the device has finished already, a position out of range is an error now. */
void ma_lua_picked(lua_State *L, ma_device *device);
/* Before a gather or scatter on `stream`: sets the name of the function that such an error carries. */
void ma_lua_pickingon(lua_State *L, ma_stream *stream, const char *function);
/* The same for the current stream of `device`. */
void ma_lua_picking(lua_State *L, ma_device *device, const char *function);

#pragma GCC visibility pop
#endif
