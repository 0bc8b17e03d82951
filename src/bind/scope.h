/*
** scope.h: the userdata of an array: what the core sees of it, then its place among the arrays that a scope will free.
*/
#ifndef MOONARRAY_BIND_SCOPE_H
#define MOONARRAY_BIND_SCOPE_H

#include "bind.h"

#pragma GCC visibility push(hidden)

/* A ring of arrays; its head lies in the scope. scope == NULL: in none. */
typedef struct ma_scope_link {
  struct ma_scope_link *next, *prev;
  struct ma_scope *scope;
} ma_scope_link;

typedef struct ma_lua_object {
  ma_array array;                      /* first: ma_lua_toarray gives its address */
  ma_scope_link link;
} ma_lua_object;

/* Adds a new array to the innermost scope of the running coroutine, if it has one. Only while state->scopes is not NULL. */
void ma_scope_join(lua_State *L, ma_lua *state, ma_lua_object *object);

static inline void ma_scope_leave(ma_lua_object *object) {
  ma_scope_link *link = &object->link;
  if (!link->scope) return;
  link->next->prev = link->prev;
  link->prev->next = link->next;
  link->scope = NULL;
}

#pragma GCC visibility pop
#endif
