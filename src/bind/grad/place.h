/* place.h: where arrays lie in their buffers, as records of ma.grad have it. */
#ifndef MOONARRAY_BIND_PLACE_H
#define MOONARRAY_BIND_PLACE_H

#include "bind/bind.h"

#pragma GCC visibility push(hidden)

void ma_place_push(lua_State *L, const ma_array *array); /* pushes it, as a string */
uint32_t ma_place_number(void);                          /* the next buffer's number */
uint32_t ma_place_latest(void);                          /* the one that was given last */
extern const luaL_Reg ma_place_functions[];              /* of the core, that know nothing of records */

#pragma GCC visibility pop
#endif
