/* rawkernel.h: what rawkernel.c and rawfields.c share: the objects behind RawKernel and RawModule. */
#ifndef MA_BIND_RAWKERNEL_H
#define MA_BIND_RAWKERNEL_H

#include "bind/kernel/kernel.h"
#include "compile/source.h"

#pragma GCC visibility push(hidden)

#define KERNEL_MAGIC 0x6d616b65726e656cu
#define MODULE_MAGIC 0x6d616d6f64756c65u
#define KERNEL_TYPE "moonarray.RawKernel"
#define MODULE_TYPE "moonarray.RawModule"

/* generation: of the device. After a reset it is not the device's any more, and the source is loaded again. */
typedef struct opened {
  struct opened *next;
  ma_device *device;
  void *handle;
  uint32_t generation;
} opened;

/* A global of a load that arrays show: every kernel of the module may use it, so every launch announces that. */
typedef struct global {
  struct global *next;
  ma_buffer *buffer;
} global;

/* The source and its loads. Its strings lie behind it. */
typedef struct shared_module {
  int refs; /* atomic */
  bool cooperative;
  ma_module_source source;
  opened *opened;
  global *globals;
} shared_module;

/* One kernel on one device. */
typedef struct loaded {
  struct loaded *next;
  ma_kernel kernel;
  ma_kernel_signature signature;
  uint32_t generation;
} loaded;

typedef struct raw_kernel {
  uint64_t magic;
  shared_module *module;
  loaded *last; /* of the device that ran it last; the head of the list */
  char name[128];
  char checks[32]; /* it looks at positions, and this is its name in a fault; "": it does not */
} raw_kernel;

typedef struct raw_module {
  uint64_t magic;
  shared_module *module;
} raw_module;

void ma_module_release(shared_module *m);
loaded *ma_kernel_on(lua_State *L, raw_kernel *k, ma_device *device); /* loaded there, at the first use */
void *ma_raw_object(lua_State *L, int index, size_t size, uint64_t magic);
raw_kernel *ma_lua_checkkernel(lua_State *L, int index);
raw_module *ma_lua_checkmodule(lua_State *L, int index);

/* rawfields.c: the metamethods; of the first of each, upvalue 3 is the table of methods */
int ma_kernel_index(lua_State *L);
int ma_kernel_newindex(lua_State *L);
int ma_kernel_tostring(lua_State *L);
int ma_kernel_gc(lua_State *L);
int ma_module_index(lua_State *L);
int ma_module_tostring(lua_State *L);
int ma_module_gc(lua_State *L);

#pragma GCC visibility pop
#endif
