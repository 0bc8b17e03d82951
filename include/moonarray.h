/*
** moonarray.h: moonarray's arrays for C and C++ programs that embed Lua. Nothing is linked: the functions are a table
** that the Lua module hands out at run time.
**
**     const moonarray_api *ma = moonarray_get_api(L);
**     if (!ma) { fprintf(stderr, "%s\n", lua_tostring(L, -1)); ... }
**
** Functions return 0, or -1 with the reason in ma->message(). None of them raises a Lua error. "Pushes" means on the
** stack of L, on success alone. A thread uses a Lua state of its own, as in Lua itself.
*/
#ifndef MOONARRAY_API_H
#define MOONARRAY_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <lua.h>

/* The table only grows: a program runs with every library whose version is at least that of its header. */
#define MOONARRAY_ABI_VERSION 1
#define MOONARRAY_MAX_NDIM 16

typedef enum moonarray_dtype {
  MOONARRAY_BOOL,
  MOONARRAY_INT8,
  MOONARRAY_INT16,
  MOONARRAY_INT32,
  MOONARRAY_INT64,
  MOONARRAY_UINT8,
  MOONARRAY_UINT16,
  MOONARRAY_UINT32,
  MOONARRAY_UINT64,
  MOONARRAY_FLOAT16,
  MOONARRAY_BFLOAT16,
  MOONARRAY_FLOAT32,
  MOONARRAY_FLOAT64,
  MOONARRAY_COMPLEX64,
  MOONARRAY_COMPLEX128 /* real and imaginary part in turn */
} moonarray_dtype;

/* DLPack's numbers */
typedef enum moonarray_device { MOONARRAY_CPU = 1, MOONARRAY_CUDA = 2 } moonarray_device;

typedef enum moonarray_access { MOONARRAY_READ, MOONARRAY_WRITE } moonarray_access;

/* Memory and what lies in it. Zero all of it before filling it in. */
typedef struct moonarray_tensor {
  void *data;    /* of the element at position (1, 1, ...); on a GPU an address of its memory */
  int32_t dtype; /* moonarray_dtype */
  int32_t ndim;
  int32_t device;    /* moonarray_device */
  int32_t device_id; /* CUDA's number of the GPU; 0 on the CPU */
  int32_t readonly;
  int32_t strided; /* 0: C order, and push and create do not look at `stride` */
  int64_t shape[MOONARRAY_MAX_NDIM];
  int64_t stride[MOONARRAY_MAX_NDIM]; /* bytes */
  void *stream; /* CUstream (cudaStream_t); NULL is the null stream, and what there is on the CPU */
  void *reserved[4];
} moonarray_tensor;

typedef struct moonarray_api {
  uint32_t abi_version;
  uint32_t size;       /* of this table in the library */
  const char *version; /* "0.1.0" */

  /* Why the last call on this thread failed; valid until the next one. */
  const char *(*message)(void);

  int (*is_array)(lua_State *L, int index);

  /*
  ** What the array at `index` is, with its memory ready for work on `tensor->stream`, which is filled in: the current
  ** stream of the array's device. Until the array is used from Lua again, queue your work there. On the CPU the memory
  ** can be used at once. MOONARRAY_WRITE is an error on a read-only array.
  */
  int (*get)(lua_State *L, int index, moonarray_access access, moonarray_tensor *tensor);

  /*
  ** Pushes an array over your memory. `release(context)` is called once, on any thread, when the last view is gone and
  ** no queued work uses the memory any more; NULL: the memory outlives the Lua state. If push fails it is not called.
  ** On a GPU, what you queued on `tensor->stream` before comes before what Lua does with the array.
  */
  int (*push)(lua_State *L, const moonarray_tensor *tensor, void (*release)(void *context), void *context);

  /* Pushes a new array of the library's own memory, in C order, contents undefined; `data`, `stride` and `stream` are
  ** then filled in. */
  int (*create)(lua_State *L, moonarray_tensor *tensor);

  /* The stream on which work for a device is queued now. */
  int (*stream)(lua_State *L, moonarray_device device, int device_id, void **stream);

  /* Waits for that stream's work, and tells of a fault in it. */
  int (*synchronize)(lua_State *L, moonarray_device device, int device_id);

  /* The array as a DLManagedTensorVersioned (versioned = 0: a DLManagedTensor), which is yours: end it by its
  ** deleter. */
  int (*to_dlpack)(lua_State *L, int index, int versioned, void **managed);

  /* Pushes an array over such a tensor, which is the library's from then on; if it fails, it is still yours. */
  int (*from_dlpack)(lua_State *L, void *managed, int versioned);
} moonarray_api;

/* Loads the module (`require "moonarray.core"`). NULL on failure, with the reason pushed. */
static inline const moonarray_api *moonarray_get_api(lua_State *L) {
  const moonarray_api *api;
  lua_getfield(L, LUA_GLOBALSINDEX, "require");
  lua_pushstring(L, "moonarray.core");
  if (lua_pcall(L, 1, 1, 0) != 0) return NULL;
  if (lua_type(L, -1) == LUA_TTABLE) {
    lua_pushstring(L, "api");
    lua_rawget(L, -2);
    lua_remove(L, -2);
  }
  api = (const moonarray_api *)(lua_type(L, -1) == LUA_TLIGHTUSERDATA ? lua_touserdata(L, -1) : NULL);
  lua_pop(L, 1);
  if (!api) {
    lua_pushstring(L, "moonarray: the installed module has no C interface; wanted one as new as moonarray.h");
    return NULL;
  }
  if (api->abi_version < MOONARRAY_ABI_VERSION || api->size < sizeof(moonarray_api)) {
    lua_pushfstring(L, "moonarray: the installed module has version %d of the C interface; moonarray.h has %d",
                    (int)api->abi_version, MOONARRAY_ABI_VERSION);
    return NULL;
  }
  return api;
}

#ifdef __cplusplus
}
#endif
#endif
