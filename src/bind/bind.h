/*
** bind.h: what the files of src/bind share. This folder is the only place that sees a lua_State.
**
** Every function that Lua can call is a C closure with two upvalues: (1) the ma_lua of its Lua state, (2) its ma_signature.
** Calls follow one rule (API.md 11): positional arguments in NumPy's order, then an optional last table whose keys are all
** strings, the options. ma_lua_args() turns either form into the same stack, so no function looks at options itself.
**
** The core returns a status; only this folder raises. Before anything is acquired every argument is checked; what must outlive
** an error is a userdata whose __gc is already safe (ma_lua_newarray makes an empty array first, the core then fills it).
*/
#ifndef MOONARRAY_BIND_H
#define MOONARRAY_BIND_H

#include "../moonarray.h"

#include <lua.h>
#include <lauxlib.h>

#pragma GCC visibility push(hidden)

/* One a Lua state, a userdata kept in the registry: what "current" means, and references to what is used often. */
typedef struct ma_lua {
  ma_device *device;                   /* NULL until the first use: `require` never opens CUDA */
  ma_stream *stream;
  ma_dtype default_dtype;
  int array_metatable;                 /* registry reference */
  char own_prefix[256];                /* chunk names that start so are ours: skipped when an error is placed */
} ma_lua;

/* "sum(a, axis?, dtype?, out?, keepdims?)": required names first, then optional ones, which are also the options.
** After a lone `;` names can be given as options only: "zeros(shape, dtype?; device?)". "..." as last name: loose arguments. */
#define MA_MAX_ARGS 16
typedef struct ma_signature {
  char name[48];                       /* "sum", "linalg.svd": errors say moonarray.<name> */
  uint8_t nrequired, npositional, nargs;
  bool loose;                          /* takes any number of arguments after nargs */
  const char *arg[MA_MAX_ARGS];
  char text[256];
} ma_signature;

typedef struct ma_function { const char *signature; lua_CFunction call; const char *doc; } ma_function;

/* state.c */
ma_lua *ma_lua_state(lua_State *L);                            /* of the running C closure (its first upvalue) */
ma_stream *ma_lua_stream(lua_State *L);                        /* the current stream; opens the default device at first use */
void ma_lua_register(lua_State *L, const ma_function *list);   /* adds closures to the table on top; list ends with {NULL} */

/* error.c: messages read "user.lua:12: moonarray.sum: what was found; what was wanted" */
int ma_lua_fail(lua_State *L, const char *format, ...) MA_PRINTF(2, 3);
void ma_lua_check(lua_State *L, ma_status status);             /* raises the core's message unless MA_OK */
const char *ma_lua_describe(lua_State *L, int index);          /* "a boolean", "float32 array (3, 4)", "the string 'abc'" */

/* args.c */
int ma_lua_args(lua_State *L);         /* stack becomes exactly nargs slots (nil: absent), then loose ones; returns their number */
ma_array *ma_lua_toarray(lua_State *L, int index);             /* NULL if it is no array */
ma_array *ma_lua_checkarray(lua_State *L, int index);          /* raises; a freed array says who freed it */
/* An operand: array, number, boolean, int64 cdata, complex scalar, or a table (becomes an array on the stack slot). */
void ma_lua_checkarg(lua_State *L, int index, ma_arg *arg);
/* As data: like checkarg, but always an array on the current device, in place of what was in the slot. */
ma_array *ma_lua_asarray(lua_State *L, int index, ma_dtype dtype);      /* MA_NDTYPE: as found */
int64_t ma_lua_checkint(lua_State *L, int index, const char *what);     /* a whole number */
int ma_lua_checkshape(lua_State *L, int index, int64_t *shape);         /* a number or a table of numbers; returns ndim */
uint32_t ma_lua_checkaxes(lua_State *L, int index, int ndim);           /* nil: all; a number; a table; as a bit mask */
ma_dtype ma_lua_checkdtype(lua_State *L, int index, ma_dtype fallback); /* nil: fallback */
bool ma_lua_optbool(lua_State *L, int index, bool fallback);
ma_device *ma_lua_optdevice(lua_State *L, int index);                   /* nil: the current device */

/* array.c */
ma_array *ma_lua_newarray(lua_State *L);                       /* pushes an empty array userdata: buffer NULL, metatable set */
void ma_lua_pushvalue(lua_State *L, ma_value value, ma_dtype dtype);    /* one element as a Lua value (API.md 5) */
bool ma_lua_tovalue(lua_State *L, int index, ma_value *value, ma_dtype *dtype, ma_weak *weak);   /* a Lua value as a scalar */
void ma_lua_wait(lua_State *L, ma_stream *stream);             /* synchronises and raises a recorded fault */

/* index.c: a[...] and a[...] = v, a(i, j) */
int ma_lua_index(lua_State *L);        /* __index for keys that are no method and no property: stack array, key */
int ma_lua_newindex(lua_State *L);
int ma_lua_call(lua_State *L);

/* What each file adds to the module's table (on top of the stack). */
void ma_open_array(lua_State *L);
void ma_open_create(lua_State *L);
void ma_open_shape(lua_State *L);      /* reshape, transpose ...: views */
void ma_open_dtype(lua_State *L);      /* promote_types, finfo ... */
void ma_open_ufunc(lua_State *L);
void ma_open_reduce(lua_State *L);
void ma_open_index(lua_State *L);
void ma_open_device(lua_State *L);
void ma_open_memory(lua_State *L);     /* frombuffer, data, host bytes for files */

#pragma GCC visibility pop
#endif
