/* external.h: memory and semaphores of other interfaces, such as Vulkan's, for the group external of slots.def. */
#ifndef MOONARRAY_EXTERNAL_H
#define MOONARRAY_EXTERNAL_H

#include "moonarray.h"

/*
** TYPE(NAME, name in Lua, windows, memory, semaphore, counts): the types of handles. `windows`: it is a HANDLE of
** Windows, else a file descriptor. `memory` and `semaphore`: whether it is a handle of these.
** `counts`: a semaphore with a value, which rises. include/moonarray.h has the same names in the same order.
*/
#define MA_EXTERNAL_TYPES(TYPE)                      \
  TYPE(OPAQUE_FD, "opaque_fd", 0, 1, 1, 0)           \
  TYPE(OPAQUE_WIN32, "opaque_win32", 1, 1, 1, 0)     \
  TYPE(D3D12_RESOURCE, "d3d12_resource", 1, 1, 0, 0) \
  TYPE(D3D12_FENCE, "d3d12_fence", 1, 0, 1, 1)       \
  TYPE(TIMELINE_FD, "timeline_fd", 0, 0, 1, 1)       \
  TYPE(TIMELINE_WIN32, "timeline_win32", 1, 0, 1, 1)

typedef enum ma_external_type {
#define TYPE(NAME, ...) MA_EXTERNAL_##NAME,
  MA_EXTERNAL_TYPES(TYPE)
#undef TYPE
    MA_NEXTERNAL
} ma_external_type;

typedef struct ma_external_facts {
  const char *name;
  bool windows, memory, semaphore, counts;
} ma_external_facts;
extern const ma_external_facts ma_external_types[MA_NEXTERNAL]; /* memory/external.c */

/* A handle that stays its owner's: what takes a file descriptor over is given a duplicate. */
typedef struct ma_external {
  ma_external_type type;
  int fd;
  void *handle;   /* Windows'; one of `fd` and `handle` is read */
  uint64_t size;  /* memory: bytes of the whole allocation */
  bool dedicated; /* memory: it was allocated for one buffer or image alone */
} ma_external;

/* How other interfaces tell which GPU it is. */
typedef struct ma_identity {
  bool has_uuid, has_luid; /* a driver may lack both; only Windows has LUIDs */
  uint8_t uuid[16], luid[8];
} ma_identity;

#endif
