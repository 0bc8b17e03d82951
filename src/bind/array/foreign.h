/* foreign.h: memory that Lua values stand for, and arrays over it. */
#ifndef MOONARRAY_BIND_FOREIGN_H
#define MOONARRAY_BIND_FOREIGN_H

#include "memory/foreign.h"
#include "bind/bind.h"

#pragma GCC visibility push(hidden)

/* The memory that a Lua value stands for. */
typedef struct ma_memory {
  const char *address;
  int64_t nbytes; /* -1: unknown */
  ma_dtype dtype; /* of the pointer's target; MA_NDTYPE: unknown */
  bool readonly;
  int owner; /* stack slot, or 0 */
} ma_memory;

/* device/memory.c: reads a light userdata, an FFI pointer or array, or an object with getPointer and getSize (LÖVE's
** Data). False for any other value. */
bool ma_lua_tomemory(lua_State *L, int index, ma_memory *memory);
/* The same, or an address as a number or an int64 (pointer.c). Raises errors; `what` is the argument's name. The
** address may be NULL. */
void ma_lua_checkaddress(lua_State *L, int index, const char *what, ma_memory *memory);

/* Makes the empty array on top of the stack one over the memory. It keeps the value at `owner` (0: none) until its
** last view is gone. *watch (may be NULL, needs an owner) becomes the buffer, and NULL when that is freed;
** ma_lua_withdraw uses it to take the memory back. */
void ma_lua_overforeign(lua_State *L, ma_array *array, const ma_foreign *foreign, int owner, ma_buffer **watch);
static inline ma_array *ma_lua_pushforeign(lua_State *L, const ma_foreign *foreign, int owner, ma_buffer **watch) {
  ma_array *array = ma_lua_newarray(L);
  ma_lua_overforeign(L, array, foreign, owner, watch);
  return array;
}
/* Makes `stream` wait for all work on the watched memory, and every later use of it an error. Sets *watch to NULL. */
ma_status ma_lua_withdraw(ma_buffer **watch, ma_stream *stream);

/* Fills a new array from a managed tensor of DLPack (dlpack.c). If it raises an error, the caller keeps the tensor. */
ma_array *ma_lua_pushdlpack(lua_State *L, void *managed, bool versioned, ma_stream *stream);

#pragma GCC visibility pop
#endif
