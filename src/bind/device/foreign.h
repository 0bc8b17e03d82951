/* foreign.h: memory of others as Lua hands it in, for the files that make arrays over it: memory.c, pointer.c,
** dlpack.c, gl.c, api.c. */
#ifndef MOONARRAY_BIND_FOREIGN_H
#define MOONARRAY_BIND_FOREIGN_H

#include "memory/foreign.h"
#include "bind/bind.h"

#pragma GCC visibility push(hidden)

/* What a Lua value says of the memory that it stands for. */
typedef struct ma_memory {
  const char *address;
  int64_t nbytes; /* -1: unknown */
  ma_dtype dtype; /* of what the pointer points to; MA_NDTYPE: unknown */
  bool readonly;
  int owner; /* stack slot, 0: none */
} ma_memory;

/* A light userdata, an FFI pointer or array, or an object with getPointer and getSize (LÖVE's Data). False: none of
** them. */
bool ma_lua_tomemory(lua_State *L, int index, ma_memory *memory);
/* The same, or an address as a number or an int64: pointer.c. Raises; `what` is the argument's name. May be NULL. */
void ma_lua_checkaddress(lua_State *L, int index, const char *what, ma_memory *memory);

/* Pushes an array over the memory that keeps the value at `owner` (0: none) until its last view goes. *watch (may be
** NULL, needs an owner) is the buffer while it lives: what takes the memory back by ma_lua_withdraw. */
ma_array *ma_lua_pushforeign(lua_State *L, const ma_foreign *foreign, int owner, ma_buffer **watch);
/* Makes `stream` wait for all work on the watched memory and every later use of it an error. *watch is NULL after
** it. */
ma_status ma_lua_withdraw(ma_buffer **watch, ma_stream *stream);

/* Fills an array that was just pushed from a managed tensor of DLPack (dlpack.c): raises and leaves the tensor the
** caller's. */
ma_array *ma_lua_pushdlpack(lua_State *L, void *managed, bool versioned, ma_stream *stream);

#pragma GCC visibility pop
#endif
