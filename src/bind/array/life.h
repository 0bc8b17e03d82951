/* life.h: the life of an array's userdata, and the scopes that free arrays. */
#ifndef MOONARRAY_BIND_LIFE_H
#define MOONARRAY_BIND_LIFE_H

#include "bind/lua/tag.h"

#pragma GCC visibility push(hidden)

void ma_lua_leaveslabs(ma_lua *state); /* removes a user; the last one frees the slabs */
int ma_lua_array_gc(lua_State *L);     /* __gc of arrays; upvalue 1: the state */

typedef struct ma_scope {
  ma_lua *state;
  struct ma_scope *next, *prev; /* open scopes of all coroutines, newest first */
  lua_State *thread;            /* NULL: closed */
  ma_scope_link made, spared;   /* arrays to free; arrays that were found among the results */
  bool iterates, aside;         /* aside: no scope that was opened, but arrays that were taken out of some */
  /* Of arrays that are aside, a ring for each scope that they come from, which is a scope too: `next` is that scope's
  ** next one, `prev` that of those aside with it, and `lent` where both begin. */
  struct ma_scope *lent, *from, *owner;
  int line;
  char source[LUA_IDSIZE];  /* where it was opened, for errors about its arrays */
  char by[LUA_IDSIZE + 80]; /* who frees them, once it has freed some */
} ma_scope;

/* Moves an array that is in a scope to those aside, in a slot (core.scope_aside). */
void ma_scope_setaside(ma_array *array, int index, lua_State *L);

/* The innermost scope of the running coroutine, or NULL. */
ma_scope *ma_scope_of(lua_State *L, ma_lua *state);

static inline void ma_scope_append(ma_scope_link *head, ma_scope_link *link) {
  link->prev = head->prev;
  link->next = head;
  head->prev->next = link;
  head->prev = link;
}

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
