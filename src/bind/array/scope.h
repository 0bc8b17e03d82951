/*
** scope.h: the userdata of an array, and its place among the arrays that a scope will free.
*/
#ifndef MOONARRAY_BIND_SCOPE_H
#define MOONARRAY_BIND_SCOPE_H

#include "bind/bind.h"

#pragma GCC visibility push(hidden)

/* A ring of arrays; its head lies in the scope. scope == NULL: in none. */
typedef struct ma_scope_link {
  struct ma_scope_link *next, *prev;
  struct ma_scope *scope;
} ma_scope_link;

/* 320 bytes, so that each begins a cache line; an unused one is in the list of its Lua state by link.next. */
typedef struct ma_lua_object {
  ma_scope_link link;
  ma_array array; /* ma_lua_toarray gives its address */
} ma_lua_object;

/*
** The userdata itself is this box: userdata of more than 200 bytes come from a slow part of LuaJIT's allocator, and the
** collector's pace goes by their size. Its finaliser gives the object back, so whoever holds an array pointer holds the
** userdata too.
*/
#define MA_BOX_MAGIC UINT64_C(0x6d61617272617962)
typedef struct ma_lua_box {
  uint64_t magic;
  ma_lua_object *object; /* after the finaliser: one that all share, of a freed array */
} ma_lua_box;

/* As ma_lua_toarray, where it is called most. */
static inline ma_array *ma_lua_arrayat(lua_State *L, int index) {
  const ma_lua_box *box = lua_touserdata(L, index);
  if (!box || lua_objlen(L, index) != sizeof *box) return NULL; /* of a light userdata it is 0 */
  return box->magic == MA_BOX_MAGIC ? &box->object->array : NULL;
}

static inline ma_lua_object *ma_lua_objectof(ma_array *array) {
  return (ma_lua_object *)((char *)array - offsetof(ma_lua_object, array));
}

void ma_lua_leaveslabs(ma_lua *state); /* array.c: a user fewer; the last one frees them */

/* Adds a new array to the innermost scope of the running coroutine, if it has one. Only while state->scopes is not
** NULL. */
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
