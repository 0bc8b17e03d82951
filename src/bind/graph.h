/* graph.h: what streams have of graphs: methods that graph.c defines. */
#ifndef MOONARRAY_BIND_GRAPH_H
#define MOONARRAY_BIND_GRAPH_H

#include "bind.h"
#include "../graph.h"

#include <string.h>

#pragma GCC visibility push(hidden)

int ma_lua_begin_capture(lua_State *L);
int ma_lua_end_capture(lua_State *L);
int ma_lua_is_capturing(lua_State *L);

#pragma GCC visibility pop
#endif
