/* ufunc.h: the object that a ufunc is to Lua, and what its calls share (ufunc.c, casting.c). */
#ifndef MA_BIND_UFUNC_H
#define MA_BIND_UFUNC_H

#include "bind/bind.h"

#pragma GCC visibility push(hidden)

typedef struct ma_ufunc {
  uint64_t magic;
  const char *name, *doc;
  uint8_t nin, nout;
  ma_opcode op[2];
  ma_lua *state;                 /* whose object it is */
  const ma_signature *signature; /* name(a, b, out?; dtype?, where?, casting?) */
} ma_ufunc;

typedef enum ma_casting { MA_CAST_NO, MA_CAST_SAFE, MA_CAST_SAME_KIND, MA_CAST_UNSAFE } ma_casting;

/* ma_ufunc_apply, tried again after a collection when memory is out; raises what remains. */
static inline void ma_lua_apply(lua_State *L, const ma_opcode *op, int nout, const ma_arg *arg, ma_dtype dtype,
                                const ma_array *where, ma_array *const *result, ma_stream *stream) {
  MA_LUA_TRY(L, ma_ufunc_apply(op, nout, arg, dtype, where, result, stream));
}

/* If one of the n operands from slot `first` on is an object of the Lua layer that has operations of its own (a sparse
** matrix), calls its metatable's __operation(name, operands ...) and returns 1: the result is on top. Else 0. */
static inline int ma_lua_delegate(lua_State *L, const char *name, int first, int n) {
  for (int k = first; k < first + n; k++) {
    if (lua_type(L, k) != LUA_TTABLE || !luaL_getmetafield(L, k, "__operation")) continue;
    lua_pushstring(L, name);
    for (int j = first; j < first + n; j++) lua_pushvalue(L, j);
    lua_call(L, n + 1, 1);
    return 1;
  }
  return 0;
}

/* casting.c */
ma_casting ma_lua_checkcasting(lua_State *L, int index);
const ma_array *ma_lua_checkwhere(lua_State *L, int index); /* a bool array; nil: NULL */
/* Stricter than same_kind: operands must reach the loop, and its results must reach `out`, by this casting. */
void ma_lua_checkstrict(lua_State *L, const ma_ufunc *u, const ma_arg *arg, ma_dtype dtype, ma_casting casting,
                        ma_array *const *result);
/* casting = "unsafe": operands are cast to a forced dtype first, and results are assigned, which casts anything. */
void ma_lua_applyunsafe(lua_State *L, const ma_ufunc *u, ma_arg *arg, ma_dtype dtype, const ma_array *where,
                        ma_array *const *result, ma_stream *stream);

#pragma GCC visibility pop
#endif
