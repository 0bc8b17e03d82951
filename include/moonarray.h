/*
** moonarray.h: moonarray's arrays for C and C++ programs that embed Lua. The program links nothing: the functions are a
** table that the Lua module provides at run time.
**
**     const moonarray_api *ma = moonarray_get_api(L);
**     if (!ma) { fprintf(stderr, "%s\n", lua_tostring(L, -1)); ... }
**
** Functions return 0, or -1 with the reason in ma->message(). None of them raises a Lua error. "Pushes" means that a
** successful call pushes a value onto the stack of L. As in Lua itself, each thread must use a Lua state of its own.
*/
#ifndef MOONARRAY_API_H
#define MOONARRAY_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <lua.h>

/* The version that this header came with. That of the library is ma->version. */
#define MOONARRAY_VERSION_MAJOR 0
#define MOONARRAY_VERSION_MINOR 2
#define MOONARRAY_VERSION_PATCH 0
#define MOONARRAY_VERSION "0.2.0"
#define MOONARRAY_VERSION_AT_LEAST(major, minor, patch)                                            \
  (MOONARRAY_VERSION_MAJOR * 1000000 + MOONARRAY_VERSION_MINOR * 1000 + MOONARRAY_VERSION_PATCH >= \
   (major)*1000000 + (minor)*1000 + (patch))

/* The table only grows: a program works with every library whose version is at least that of its header. */
#define MOONARRAY_ABI_VERSION 2
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
  MOONARRAY_COMPLEX128 /* real and imaginary parts alternate */
} moonarray_dtype;

/* DLPack's numbers. */
typedef enum moonarray_device { MOONARRAY_CPU = 1, MOONARRAY_CUDA = 2 } moonarray_device;

typedef enum moonarray_access { MOONARRAY_READ, MOONARRAY_WRITE } moonarray_access;

/* Memory and the form of its elements. Set all of it to zero before filling it in. */
typedef struct moonarray_tensor {
  void *data;    /* address of the element at position (1, 1, ...); on a GPU an address of its memory */
  int32_t dtype; /* moonarray_dtype */
  int32_t ndim;
  int32_t device;    /* moonarray_device */
  int32_t device_id; /* CUDA's number of the GPU; 0 on the CPU */
  int32_t readonly;
  int32_t strided; /* 0: C order; push and create then ignore `stride` */
  int64_t shape[MOONARRAY_MAX_NDIM];
  int64_t stride[MOONARRAY_MAX_NDIM]; /* bytes */
  void *stream;                       /* CUstream (cudaStream_t); NULL is the null stream; always NULL on the CPU */
  void *reserved[4];
} moonarray_tensor;

/* Handles of memory and semaphores that Vulkan or Direct3D exported. */
typedef enum moonarray_external_type {
  MOONARRAY_OPAQUE_FD, /* memory, or a semaphore without a value */
  MOONARRAY_OPAQUE_WIN32,
  MOONARRAY_D3D12_RESOURCE,
  MOONARRAY_D3D12_FENCE,
  MOONARRAY_TIMELINE_FD,
  MOONARRAY_TIMELINE_WIN32
} moonarray_external_type;

/* Set all of it to zero before filling it in. The handle stays yours: close it when you like. */
typedef struct moonarray_external {
  int32_t type;      /* moonarray_external_type */
  int32_t device_id; /* CUDA's number of the GPU; identity says which it is */
  int32_t fd;        /* of the types that end with FD */
  int32_t dedicated; /* memory: it was allocated for one buffer or image alone */
  void *handle;      /* of the other types: a HANDLE of Windows */
  uint64_t size;     /* memory: bytes of the whole allocation */
  void *reserved[4];
} moonarray_external;

/* What Vulkan (VkPhysicalDeviceIDProperties) and Direct3D (AdapterLuid) call the GPU. */
typedef struct moonarray_identity {
  uint8_t uuid[16], luid[8];
  int32_t has_uuid, has_luid; /* only Windows has LUIDs */
} moonarray_identity;

typedef struct moonarray_api {
  uint32_t abi_version;
  uint32_t size;       /* bytes of this table in the library */
  const char *version; /* "0.2.0" */

  /* The reason why the last call on this thread failed; valid until the next call. */
  const char *(*message)(void);

  int (*is_array)(lua_State *L, int index);

  /*
  ** Describes the array at `index`, with its memory ready for work on `tensor->stream`, which receives the current
  ** stream of the array's device. Queue your work on it before Lua uses the array again. On the CPU the memory can be
  ** used at once. MOONARRAY_WRITE is an error for a read-only array.
  */
  int (*get)(lua_State *L, int index, moonarray_access access, moonarray_tensor *tensor);

  /*
  ** Pushes an array over your memory. `release(context)` is called once, on any thread, when the last view is gone and
  ** no queued work uses the memory. NULL: the memory outlives the Lua state. If push fails, `release` is not called. On
  ** a GPU, work that you queued on `tensor->stream` earlier runs before Lua's work on the array.
  */
  int (*push)(lua_State *L, const moonarray_tensor *tensor, void (*release)(void *context), void *context);

  /* Pushes a new array in the library's own memory, in C order, with undefined contents, and fills in `data`,
  ** `stride` and `stream`. */
  int (*create)(lua_State *L, moonarray_tensor *tensor);

  /* The current stream of a device. */
  int (*stream)(lua_State *L, moonarray_device device, int device_id, void **stream);

  /* Waits for that stream's work, and reports a fault in it. */
  int (*synchronize)(lua_State *L, moonarray_device device, int device_id);

  /* Exports the array as a DLManagedTensorVersioned (versioned = 0: a DLManagedTensor). You own it and must call its
  ** deleter. */
  int (*to_dlpack)(lua_State *L, int index, int versioned, void **managed);

  /* Pushes an array over such a tensor, and takes it over. On failure you still own it. */
  int (*from_dlpack)(lua_State *L, void *managed, int versioned);

  /* The names of the GPU in other interfaces. */
  int (*identity)(lua_State *L, int device_id, moonarray_identity *identity);

  /* Push the objects of ma.cuda.external_memory and ma.cuda.external_semaphore. */
  int (*external_memory)(lua_State *L, const moonarray_external *external);
  int (*external_semaphore)(lua_State *L, const moonarray_external *external);

  /* Pushes an array in C order over the memory whose object is at `index`, `offset` bytes from its beginning. It reads
  ** dtype, ndim and shape of the tensor. The array keeps the memory. */
  int (*external_array)(lua_State *L, int index, uint64_t offset, const moonarray_tensor *tensor);

  /* Lua's later work on the current stream waits until the semaphore whose object is at `index` has the value; Lua's
  ** work so far is followed by the signal. Types without a value ignore it. The host waits for neither. */
  int (*external_wait)(lua_State *L, int index, uint64_t value);
  int (*external_signal)(lua_State *L, int index, uint64_t value);
} moonarray_api;

#ifdef __cplusplus /* clang++ -Wold-style-cast warns of C's */
#define MOONARRAY_CAST(type, x) static_cast<type>(x)
#else
#define MOONARRAY_CAST(type, x) ((type)(x))
#endif

/* Loads the module (`require "moonarray.core"`). On failure returns NULL and pushes the reason. */
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
  api = MOONARRAY_CAST(const moonarray_api *, lua_type(L, -1) == LUA_TLIGHTUSERDATA ? lua_touserdata(L, -1) : NULL);
  lua_pop(L, 1);
  if (!api) {
    lua_pushstring(L, "moonarray: the installed module has no C interface; wanted one as new as moonarray.h");
    return NULL;
  }
  if (api->abi_version < MOONARRAY_ABI_VERSION || api->size < sizeof(moonarray_api)) {
    lua_pushfstring(L, "moonarray: the installed module has version %d of the C interface; moonarray.h has %d",
                    MOONARRAY_CAST(int, api->abi_version), MOONARRAY_ABI_VERSION);
    return NULL;
  }
  return api;
}

#ifdef __cplusplus
}
#endif
#endif
