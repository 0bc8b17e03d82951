/* graph.h: what streams have of graphs: methods that graph.c defines. */
#ifndef MOONARRAY_BIND_GRAPH_H
#define MOONARRAY_BIND_GRAPH_H

#include "bind/bind.h"
#include "memory/graph.h"

#include <string.h>

#pragma GCC visibility push(hidden)

int ma_lua_begin_capture(lua_State *L);
int ma_lua_end_capture(lua_State *L);
int ma_lua_is_capturing(lua_State *L);
/* The number, from 1, of the generator of random numbers at `index` among the sources of what the stream records; a new
** one if need be. */
int ma_lua_graph_source(lua_State *L, ma_stream *stream, int index);

#pragma GCC visibility pop
#endif
