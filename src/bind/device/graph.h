/* graph.h: methods of streams that record graphs, for stream.c; graph.c defines them. */
#ifndef MOONARRAY_BIND_GRAPH_H
#define MOONARRAY_BIND_GRAPH_H

#include "bind/bind.h"
#include "memory/graph.h"

#include <string.h>

#pragma GCC visibility push(hidden)

int ma_lua_begin_capture(lua_State *L);
int ma_lua_end_capture(lua_State *L);
int ma_lua_is_capturing(lua_State *L);
/* The 1-based number of the random generator at `index` among the sources of the graph that the stream records. Adds
** it if it is new. */
int ma_lua_graph_source(lua_State *L, ma_stream *stream, int index);

#pragma GCC visibility pop
#endif
