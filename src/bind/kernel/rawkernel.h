/* rawkernel.h: the objects behind RawKernel and RawModule, for rawkernel.c and rawfields.c. */
#ifndef MA_BIND_RAWKERNEL_H
#define MA_BIND_RAWKERNEL_H

#include "bind/kernel/kernel.h"
#include "compile/source.h"

#pragma GCC visibility push(hidden)

/* A module that is loaded on a device. After a reset the device has a later generation, and the source is loaded
** again. */
typedef struct opened {
  struct opened *next;
  ma_device *device;
  void *handle;
  uint32_t generation;
} opened;

/* A global of the module that an array shows. Every kernel of the module may use it, so every launch announces that
** use. */
typedef struct global {
  struct global *next;
  ma_buffer *buffer;
} global;

/* The source and its loaded modules. Its strings are stored behind it. */
typedef struct shared_module {
  int refs; /* atomic */
  bool cooperative;
  ma_module_source source;
  opened *opened;
  global *globals;
} shared_module;

/* A kernel on one device. */
typedef struct loaded {
  struct loaded *next;
  ma_kernel kernel;
  ma_kernel_signature signature;
  uint32_t generation;
} loaded;

typedef struct raw_kernel {
  uint64_t magic;
  shared_module *module;
  loaded *last; /* the kernel on the device that ran it last; head of the list */
  char name[128];
  char checks[32]; /* name in a fault of a kernel that checks positions; "": it does not check */
} raw_kernel;

typedef struct raw_module {
  uint64_t magic;
  shared_module *module;
} raw_module;

void ma_module_release(shared_module *m);
loaded *ma_kernel_on(lua_State *L, raw_kernel *k, ma_device *device); /* loads it there at the first use */

/* rawkernel.c and rawfields.c */
int ma_kernel_call(lua_State *L);
extern const ma_method ma_kernel_methods[], ma_module_methods[];
extern const ma_class ma_kernel_class, ma_module_class;

#pragma GCC visibility pop
#endif
