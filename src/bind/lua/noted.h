/* noted.h: calls of the program on a timeline. */
#ifndef MOONARRAY_BIND_NOTED_H
#define MOONARRAY_BIND_NOTED_H

#include "bind/bind.h"
#include "timeline/timeline.h"

#pragma GCC visibility push(hidden)

/* Runs call(L) as what the running closure does, and notes it if a timeline is on. The second is for closures without a
** signature. */
#define MA_LUA_NOTED(L, call) MA_LUA_NOTEDAS(L, call, NULL)
#define MA_LUA_NOTEDAS(L, call, name) (__builtin_expect(ma_timeline_is_on(), 0) ? ma_lua_noted(L, call, name) : call(L))
int ma_lua_noted(lua_State *L, lua_CFunction call, const char *name);

#pragma GCC visibility pop
#endif
