/* scope.h: the userdata of an array, and its place in the list of a scope, which frees its arrays. */
#ifndef MOONARRAY_BIND_SCOPE_H
#define MOONARRAY_BIND_SCOPE_H

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

void ma_lua_leaveslabs(ma_lua *state); /* array.c: removes a user; the last one frees the slabs */

/* Adds a new array to the innermost scope of the running coroutine, if there is one. Called only while state->scopes
** is not NULL. */
void ma_scope_join(lua_State *L, ma_lua *state, ma_lua_object *object);

static inline void ma_scope_leave(ma_lua_object *object) {
  ma_scope_link *link = &object->link;
  if (!link->scope) return;
  link->next->prev = link->prev;
  link->prev->next = link->next;
  link->scope = NULL;
  link->next = link->prev = NULL;
}

#pragma GCC visibility pop
#endif
