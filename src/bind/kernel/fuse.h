/* fuse.h: what fuse.c and traced.c share: the function that is being recorded, and the values that stand in for its
** arguments. */
#ifndef MA_BIND_FUSE_H
#define MA_BIND_FUSE_H

#include "bind/bind.h"
#include "kernel/trace.h"

#pragma GCC visibility push(hidden)

/* One lives on the C stack for as long as the function runs; calls inside calls form a chain. */
typedef struct tracing {
  struct tracing *outer;
  uint32_t id;
  int depth, inside; /* traces around this one; calls of fused functions in it that are its part */
  ma_graph graph;
} tracing;

typedef struct traced {
  uint64_t magic;
  uint32_t id; /* of its tracing */
  ma_operand operand;
} traced;

typedef struct ma_metamethod {
  const char *name;
  lua_CFunction call;
} ma_metamethod;

traced *ma_traced_at(lua_State *L, int index); /* NULL: no traced value */
void ma_traced_push(lua_State *L, uint32_t id, ma_operand operand);
tracing *ma_traced_tracing(lua_State *L, int first, int n); /* that of the first traced value among n slots, or NULL */
int ma_traced_fail(lua_State *L, const char *name, const char *text); /* raises "moonarray.name: text" */
bool ma_lua_isidentifier(const char *text);
/* Each with the state and the methods of arrays as upvalues; `type` is what the metatable is called. Leaves the
** metatable on the stack. */
void ma_lua_setmetamethods(lua_State *L, int reference, const ma_metamethod *list, const char *type);
void ma_open_traced(lua_State *L);

#pragma GCC visibility pop
#endif
