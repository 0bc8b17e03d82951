/* external.h: objects for memory and semaphores of other interfaces, for ma.cuda and the interface for C programs. */
#ifndef MOONARRAY_BIND_EXTERNAL_H
#define MOONARRAY_BIND_EXTERNAL_H

#include "bind/bind.h"
#include "memory/foreign.h"

#pragma GCC visibility push(hidden)

/* Push the object. They raise an error if the device is the CPU. */
void ma_lua_pushexternalmemory(lua_State *L, ma_device *device, const ma_external *external);
void ma_lua_pushexternalsemaphore(lua_State *L, ma_device *device, const ma_external *external);
/* Pushes an array over the memory whose object is at `index`. `foreign` has its dtype and shape; ndim -1: all of it. */
void ma_lua_pushexternalarray(lua_State *L, int index, uint64_t offset, ma_foreign *foreign);
/* Queues a wait for the semaphore whose object is at `index`, or its signal. */
void ma_lua_queuesemaphore(lua_State *L, int index, ma_stream *stream, bool signal, uint64_t value);

#pragma GCC visibility pop
#endif
