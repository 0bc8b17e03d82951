/* tag.h: the userdata of arrays, devices and streams, which are told by their tags. */
#ifndef MOONARRAY_BIND_TAG_H
#define MOONARRAY_BIND_TAG_H

#include "bind/bind.h"

#pragma GCC visibility push(hidden)

/* A ring of arrays, whose head is in the scope. scope == NULL: the array is in no scope. */
typedef struct ma_scope_link {
  struct ma_scope_link *next, *prev;
  struct ma_scope *scope;
} ma_scope_link;

/* 320 bytes, so that each object begins a cache line. Unused objects form a list of their Lua state through
** link.next. */
typedef struct ma_lua_object {
  ma_scope_link link;
  ma_array array; /* ma_lua_toarray gives its address */
} ma_lua_object;

/*
** The userdata is this small box: LuaJIT allocates userdata of more than 200 bytes by a slow path, and the collector's
** pace depends on their size. The box's finaliser returns the object to a free list, so code that uses an array pointer
** must keep its userdata alive.
*/
#define MA_BOX_MAGIC UINT64_C(0x6d61617272617962)
typedef struct ma_lua_box {
  uint64_t magic;
  ma_lua_object *object; /* after the finaliser: a shared object of a freed array */
} ma_lua_box;

/* As ma_lua_toarray, inlined for the most frequent callers. */
static inline ma_array *ma_lua_arrayat(lua_State *L, int index) {
  const ma_lua_box *box = lua_touserdata(L, index);
  if (!box || lua_objlen(L, index) != sizeof *box) return NULL; /* 0 for a light userdata */
  return box->magic == MA_BOX_MAGIC ? &box->object->array : NULL;
}

static inline ma_lua_object *ma_lua_objectof(ma_array *array) {
  return (ma_lua_object *)((char *)array - offsetof(ma_lua_object, array));
}

/* The name of who freed an array is stored in place of its extents; this value of `readonly` says so. */
#define MA_FREED 2

#define MA_DEVICE_MAGIC 0x6d61646576696365u
typedef struct ma_lua_device_object {
  uint64_t magic;
  ma_device *device;
} ma_lua_device_object;
ma_device *ma_lua_todevice(lua_State *L, int index); /* NULL if it is not a device */

#define MA_STREAM_MAGIC 0x6d61737472656161u
typedef struct ma_lua_stream_object {
  uint64_t magic;
  ma_stream *stream; /* NULL: closed */
  uint32_t id;       /* 0: a null stream, or a stream that this object must not close */
} ma_lua_stream_object;
ma_lua_stream_object *ma_lua_tostream(lua_State *L, int index);                 /* NULL if it is not a stream */
ma_stream *ma_lua_openstream(lua_State *L, const ma_lua_stream_object *object); /* raises if it was closed (args.c) */

extern const char ma_lua_modulekey; /* its address is the key of a module's name in its metatable */
/* Pushes the name of a module, "linalg", or "" of the library itself; false and nothing if the value is none. */
bool ma_lua_pushmodule(lua_State *L, int index);

#pragma GCC visibility pop
#endif
