/*
** external.c: objects for memory and semaphores that Vulkan or Direct3D made and that the program exported as a handle.
** Memory gives arrays over it until it is closed; semaphores order the work of both sides.
*/
#include "bind/array/foreign.h"
#include "bind/device/external.h"
#include "system/system.h"

#include <limits.h>
#include <string.h>

typedef struct memory {
  uint64_t magic;
  ma_device *device;
  ma_buffer *buffer; /* NULL: closed */
  ma_external_type type;
} memory;

typedef struct semaphore {
  uint64_t magic;
  ma_semaphore core;
} semaphore;

static const ma_class memory_class, semaphore_class;

/* ==== Handles ==================================================================================================== */

static bool is_kind(int type, bool is_memory) {
  return is_memory ? ma_external_types[type].memory : ma_external_types[type].semaphore;
}

static ma_external_type check_type(lua_State *L, int index, bool is_memory) {
  const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
  for (int k = 0; text && k < MA_NEXTERNAL; k++)
    if (is_kind(k, is_memory) && !strcmp(text, ma_external_types[k].name)) return (ma_external_type)k;
  lua_pushstring(L, "");
  for (int k = 0; k < MA_NEXTERNAL; k++) {
    if (!is_kind(k, is_memory)) continue;
    lua_pushfstring(L, "%s'%s'", *lua_tostring(L, -1) ? ", " : "", ma_external_types[k].name);
    lua_concat(L, 2);
  }
  ma_lua_fail(L, "type is %s; wanted one of %s", ma_lua_describe(L, index), lua_tostring(L, -1));
}

static void check_handle(lua_State *L, int index, ma_external *e) {
  if (ma_external_types[e->type].windows) {
    ma_memory at;
    ma_lua_checkaddress(L, index, "handle", &at);
    if (!at.address) ma_lua_fail(L, "handle is NULL; wanted a HANDLE of Windows");
    e->handle = (void *)(uintptr_t)at.address;
    return;
  }
  int64_t fd = ma_lua_checkint(L, index, "handle");
  if (fd < 0 || fd > INT_MAX) ma_lua_fail(L, "handle %lld; wanted a file descriptor", (long long)fd);
  e->fd = (int)fd;
}

/* The GPU that is meant: the memory never belongs to the CPU device. */
static ma_device *check_device(lua_State *L, int index) {
  return lua_isnil(L, index) ? ma_lua_device(L) : ma_lua_optdevice(L, index);
}

/* Whether the device and the system take such a handle. */
static void check_taken(lua_State *L, const ma_device *device, const ma_external *e) {
  const ma_external_facts *type = &ma_external_types[e->type];
  bool windows = ma_system.id == MA_SYSTEM_WINDOWS;
  if (!device->backend->external.open_memory && ma_device_count("cuda") < 1)
    ma_lua_fail(L, "no GPU: %s; external memory and semaphores are imported by CUDA's driver", ma_device_why_not());
  if (!device->backend->external.open_memory)
    ma_lua_fail(L, "the device %s; external memory and semaphores are imported on a GPU: device = 'cuda:0'",
                device->name);
  if (type->windows != windows)
    ma_lua_fail(L, "type '%s', which is a handle of %s; wanted one of %s", type->name,
                windows ? "POSIX systems" : "Windows", windows ? "Windows" : "this system, such as 'opaque_fd'");
}

void ma_lua_pushexternalmemory(lua_State *L, ma_device *device, const ma_external *e) {
  check_taken(L, device, e);
  if (e->size < 1 || e->size > INT64_MAX)
    ma_lua_fail(L, "size %lld; wanted the bytes of the whole allocation", (long long)e->size);
  memory *m = ma_lua_newobject(L, &memory_class);
  m->device = device;
  m->type = e->type;
  ma_lua_check(L, ma_external_memory(device, e, &m->buffer));
}

void ma_lua_pushexternalsemaphore(lua_State *L, ma_device *device, const ma_external *e) {
  check_taken(L, device, e);
  semaphore *s = ma_lua_newobject(L, &semaphore_class);
  ma_lua_check(L, ma_semaphore_open(device, e, &s->core));
}

static int open_memory(lua_State *L) {
  enum { HANDLE = 1, TYPE, SIZE, DEDICATED, DEVICE };
  ma_external e = { .type = check_type(L, TYPE, true), .dedicated = ma_lua_optbool(L, DEDICATED, false) };
  check_handle(L, HANDLE, &e);
  int64_t size = lua_isnil(L, SIZE) ? 0 : ma_lua_checkint(L, SIZE, "size");
  e.size = size < 0 ? 0 : (uint64_t)size;
  ma_lua_pushexternalmemory(L, check_device(L, DEVICE), &e);
  return 1;
}

static int open_semaphore(lua_State *L) {
  enum { HANDLE = 1, TYPE, DEVICE };
  ma_external e = { .type = check_type(L, TYPE, false) };
  check_handle(L, HANDLE, &e);
  ma_lua_pushexternalsemaphore(L, check_device(L, DEVICE), &e);
  return 1;
}

/* ==== Memory ===================================================================================================== */

static void fail_closed(lua_State *L, const char *what) { ma_lua_fail(L, "%s that was closed; import it again", what); }

void ma_lua_pushexternalarray(lua_State *L, int index, uint64_t offset, ma_foreign *f) {
  const memory *m = ma_lua_toclass(L, index, &memory_class);
  if (!m) ma_lua_fail(L, "%s; wanted external memory", ma_lua_describe(L, index));
  if (!m->buffer) fail_closed(L, "external memory");
  f->device = m->device;
  if (f->ndim < 0) {
    f->ndim = 1;
    f->shape[0] = offset < m->buffer->nbytes
                    ? (int64_t)((m->buffer->nbytes - offset) / (size_t)ma_dtypes[f->dtype].itemsize)
                    : 0;
  }
  ma_array *array = ma_lua_newarray(L);
  ma_lua_check(L, ma_foreign_within(m->buffer, offset, f, array));
}

static int memory_array(lua_State *L) {
  enum { SELF = 1, SHAPE, DTYPE, OFFSET };
  ma_lua_self(L, &memory_class);
  ma_foreign f = { .dtype = ma_lua_checkdtype(L, DTYPE, MA_FLOAT32), .ndim = -1 };
  if (!lua_isnil(L, SHAPE)) f.ndim = ma_lua_checkshape(L, SHAPE, f.shape);
  int64_t offset = lua_isnil(L, OFFSET) ? 0 : ma_lua_checkint(L, OFFSET, "offset");
  if (offset < 0) return ma_lua_fail(L, "offset %lld; wanted bytes from 0", (long long)offset);
  ma_lua_pushexternalarray(L, SELF, (uint64_t)offset, &f);
  return 1;
}

static int memory_close(lua_State *L) {
  memory *m = ma_lua_self(L, &memory_class);
  if (!m->buffer) return 0;
  ma_lua_flush(L, "external memory is closed");
  ma_lua_check(L, ma_external_take_back(m->buffer));
  ma_buffer_release(m->buffer);
  m->buffer = NULL;
  return 0;
}

static void release_memory(void *of) {
  memory *m = of;
  ma_buffer_release(m->buffer);
  m->buffer = NULL;
}

static void push_size(lua_State *L, void *of, size_t place) {
  const memory *m = of;
  if (m->buffer) lua_pushnumber(L, (double)m->buffer->nbytes);
  else lua_pushnil(L);
}

static void push_type(lua_State *L, void *of, size_t place) {
  lua_pushstring(L, ma_external_types[*(ma_external_type *)(void *)((char *)of + place)].name);
}

/* Whether the pointer at that place is set. */
static void push_whether(lua_State *L, void *of, size_t place) {
  lua_pushboolean(L, *(void **)(void *)((char *)of + place) != NULL);
}

static void push_memory_text(lua_State *L, void *of) {
  const memory *m = of;
  lua_pushfstring(L, "<external memory %s, %s>", ma_external_types[m->type].name, m->device->name);
}

//> = external_memory | - | Memory that Vulkan or Direct3D allocated.
static const ma_attribute memory_attributes[] = {
  { "device", ma_push_device, offsetof(memory, device) },  //> . device: string | the GPU
  { "type", push_type, offsetof(memory, type) },           //> . type: string | the type of its handle
  { "size", push_size, 0 },                                //> . size: integer? | its bytes; nil once it is closed
  { "is_open", push_whether, offsetof(memory, buffer) },   //> . is_open: boolean | whether it was not closed
  { NULL, NULL, 0 },
};
static const ma_method memory_methods[] = {
  //> :array(shape?: integer|integer[], dtype?: dtype, offset?: integer) -> array | An array over it, from `offset`
  //> \ bytes on; without a shape up to its end.
  //> external external_memory:array external_memory:close: local memory = ma.cuda.external_memory(fd,
  //> \ {type = "opaque_fd", size = 4096})
  //>   local a = memory:array({32, 32}, "float32"):fill(0)
  //>   memory:close()
  //>   return a.shape, memory.is_open
  //> > (32, 32) false
  { ":array(memory, shape?, dtype?; offset?)", memory_array },
  //> :close() | Waits for the work on it and lets go of it. Its arrays cannot be used afterwards.
  { ":close(memory)", memory_close },
  { NULL, NULL },
};

static const ma_class memory_class = { .name = "cuda.external_memory",
                                       .word = "memory",
                                       .title = "moonarray external memory",
                                       .magic = 0x6d61657874656d65u,
                                       .size = sizeof(memory),
                                       .methods = memory_methods,
                                       .attributes = memory_attributes,
                                       .text = push_memory_text,
                                       .release = release_memory };

/* ==== Semaphores ================================================================================================= */

void ma_lua_queuesemaphore(lua_State *L, int index, ma_stream *stream, bool signal, uint64_t value) {
  semaphore *s = ma_lua_toclass(L, index, &semaphore_class);
  if (!s) ma_lua_fail(L, "%s; wanted an external semaphore", ma_lua_describe(L, index));
  if (!s->core.handle) fail_closed(L, "an external semaphore");
  if (!stream) stream = ma_lua_stream_of(L, s->core.device);
  ma_lua_flush(L, signal ? "a signal" : "a wait for a semaphore");
  ma_lua_check(L, ma_semaphore_queue(&s->core, stream, signal, value));
}

/* wait and signal: (semaphore, value?, stream?). */
static int queue(lua_State *L, bool signal) {
  const semaphore *s = ma_lua_self(L, &semaphore_class);
  const ma_external_facts *type = &ma_external_types[s->core.type];
  if (!type->counts && !lua_isnil(L, 2))
    return ma_lua_fail(L, "value is %s; a semaphore of type '%s' has none", ma_lua_describe(L, 2), type->name);
  int64_t value = type->counts ? ma_lua_checkint(L, 2, "value") : 0;
  if (value < 0) return ma_lua_fail(L, "value %lld; wanted 0 or more", (long long)value);
  ma_stream *stream = s->core.handle ? ma_lua_optstream_of(L, 3, s->core.device) : NULL;
  ma_lua_queuesemaphore(L, 1, stream, signal, (uint64_t)value);
  lua_settop(L, 1);
  return 1;
}
static int semaphore_wait(lua_State *L) { return queue(L, false); }
static int semaphore_signal(lua_State *L) { return queue(L, true); }

static void release_semaphore(void *of) { ma_semaphore_close(&((semaphore *)of)->core); }

static int semaphore_close(lua_State *L) {
  release_semaphore(ma_lua_self(L, &semaphore_class));
  return 0;
}

static void push_semaphore_text(lua_State *L, void *of) {
  const ma_semaphore *s = &((const semaphore *)of)->core;
  lua_pushfstring(L, "<external semaphore %s, %s>", ma_external_types[s->type].name, s->device->name);
}

//> = external_semaphore | - | A semaphore of Vulkan or a fence of Direct3D.
static const ma_attribute semaphore_attributes[] = {
  { "device", ma_push_device, offsetof(semaphore, core.device) },  //> . device: string | the GPU
  { "type", push_type, offsetof(semaphore, core.type) },           //> . type: string | the type of its handle
  { "is_open", push_whether, offsetof(semaphore, core.handle) },   //> . is_open: boolean | whether it was not closed
  { NULL, NULL, 0 },
};
static const ma_method semaphore_methods[] = {
  //> :wait(value?: integer, stream?: stream) -> external_semaphore | Later work of the stream waits for the value.
  //> external external_semaphore:wait external_semaphore:signal external_semaphore:close: local semaphore =
  //> \ ma.cuda.external_semaphore(semaphore_fd, {type = "timeline_fd"})
  //>   semaphore:wait(1)
  //>   ma.ones(3):isub(1)
  //>   semaphore:signal(2)
  //>   semaphore:close()
  //>   return semaphore.is_open
  //> > false
  { ":wait(semaphore, value?; stream?)", semaphore_wait },
  //> :signal(value?: integer, stream?: stream) -> external_semaphore | Signals the value behind the stream's work.
  { ":signal(semaphore, value?; stream?)", semaphore_signal },
  //> :close() | Waits for what was queued and lets go of it.
  { ":close(semaphore)", semaphore_close },
  { NULL, NULL },
};

static const ma_class semaphore_class = { .name = "cuda.external_semaphore",
                                          .word = "semaphore",
                                          .title = "moonarray external semaphore",
                                          .magic = 0x6d61657874736d70u,
                                          .size = sizeof(semaphore),
                                          .methods = semaphore_methods,
                                          .attributes = semaphore_attributes,
                                          .text = push_semaphore_text,
                                          .release = release_semaphore };

static const ma_function functions[] = {
  //> external cuda.external_memory: ma.cuda.external_memory(fd,
  //> \ {type = "opaque_fd", size = 4096}):array({32, 32}).shape
  //> > (32, 32)
  { "cuda.external_memory(handle: integer|ffi.cdata*; type?: string, size?: integer, dedicated?: boolean, "
    "device?: string) -> external_memory",
    open_memory,
    "Memory that Vulkan or Direct3D allocated and exported: memory:array(shape, dtype) is an array over it. type: "
    "'opaque_fd', 'opaque_win32' or 'd3d12_resource'. size: bytes of the whole allocation. dedicated: it was allocated "
    "for one buffer alone. The handle stays yours." },
  //> external cuda.external_semaphore: ma.cuda.external_semaphore(semaphore_fd, {type = "timeline_fd"}).type
  //> > timeline_fd
  { "cuda.external_semaphore(handle: integer|ffi.cdata*; type?: string, device?: string) -> external_semaphore",
    open_semaphore,
    "A semaphore of Vulkan or a fence of Direct3D: semaphore:wait(value) and semaphore:signal(value) order a stream's "
    "work with that of the other side. type: 'timeline_fd', 'timeline_win32', 'd3d12_fence', or 'opaque_fd' and "
    "'opaque_win32', which have no values." },
  { NULL, NULL, NULL },
};

void ma_open_external(lua_State *L) { ma_lua_register(L, functions); }
