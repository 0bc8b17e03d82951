/*
** memory.c: arrays over foreign memory, and typed pointers to an array's own memory.
**
** An array over foreign memory keeps a Lua value, its owner, alive until the last view is gone. That may happen on
** another thread or in another Lua state, where the owner's state must not be used. So the buffer's release only puts
** the owner's key on a list, and the owner's state removes it at its next finaliser or frombuffer (ma_lua_sweep).
*/
#include "memory/wait.h"
#include "base/fork.h"
#include "bind/device/foreign.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define KEEPER_KEY "moonarray.keeper"

typedef struct owner {
  struct keeper *keeper;
  double key;        /* key of the Lua value in the keeper's table */
  bool held;         /* the value is a function that lets go of the memory, to be called */
  ma_buffer **watch; /* cleared when the buffer is freed; NULL: nobody watches */
  struct owner *next;
} owner;

/* Each Lua state that wraps foreign memory has one. It outlives the state while buffers refer to it. */
typedef struct keeper {
  int refs;    /* atomic: one for the Lua state, and one for each owner that is not on the list */
  double keys; /* number of keys given out */
  owner *dead; /* atomic stack of owners whose buffers were freed */
} keeper;

typedef struct keeper_ref {
  keeper *keeper;
} keeper_ref;

static pthread_mutex_t watching = PTHREAD_MUTEX_INITIALIZER; /* for all owners' `watch` and its target */
MA_FORK_GUARD(watching, MA_FORK_LEAF)
static int ndead; /* atomic: owners on all lists, so that a finaliser reads one word */

static void keeper_release(keeper *k) {
  if (__atomic_sub_fetch(&k->refs, 1, __ATOMIC_ACQ_REL) > 0) return;
  for (owner *o = k->dead, *next; o; o = next) {
    next = o->next;
    __atomic_sub_fetch(&ndead, 1, __ATOMIC_RELAXED);
    free(o);
  }
  free(k);
}

/* The buffer was freed, on any thread; its owner waits for its state. */
static void release_foreign(ma_buffer *buffer) {
  owner *o = buffer->owner;
  keeper *k = o->keeper;
  pthread_mutex_lock(&watching);
  if (o->watch) *o->watch = NULL;
  pthread_mutex_unlock(&watching);
  ma_foreign_settle(buffer);
  ma_buffer_free_header(buffer);
  __atomic_add_fetch(&ndead, 1, __ATOMIC_RELAXED);
  o->next = __atomic_load_n(&k->dead, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&k->dead, &o->next, o, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) continue;
  keeper_release(k);
}

bool ma_lua_borrowed(const ma_buffer *buffer) { return buffer->release == release_foreign; }

static int keeper_gc(lua_State *L) {
  keeper_ref *ref = lua_touserdata(L, 1);
  if (ref->keeper) keeper_release(ref->keeper);
  ref->keeper = NULL;
  return 0;
}

/* Calls the function of the hook "hold" on top of the stack and pops it. The memory goes now, which the collector may
** not look at for long. */
static void let_go(lua_State *L) {
  if (!lua_isfunction(L, -1) || lua_pcall(L, 0, 0, 0) != 0) lua_pop(L, 1);
}

/* Forgets the owners on the list. Their table, the keeper's environment, is on top of the stack. It raises nothing:
** setting an existing field to nil allocates nothing. */
static void sweep_list(lua_State *L, keeper *k) {
  for (owner *o = __atomic_exchange_n(&k->dead, NULL, __ATOMIC_ACQUIRE), *next; o; o = next) {
    next = o->next;
    if (o->held) {
      lua_pushnumber(L, o->key);
      lua_rawget(L, -2);
      let_go(L);
    }
    lua_pushnumber(L, o->key);
    lua_pushnil(L);
    lua_rawset(L, -3);
    __atomic_sub_fetch(&ndead, 1, __ATOMIC_RELAXED);
    free(o);
  }
}

void ma_lua_sweep(lua_State *L) {
  if (__atomic_load_n(&ndead, __ATOMIC_RELAXED) == 0) return;
  lua_getfield(L, LUA_REGISTRYINDEX, KEEPER_KEY);
  keeper_ref *ref = lua_touserdata(L, -1);
  if (ref && ref->keeper && __atomic_load_n(&ref->keeper->dead, __ATOMIC_RELAXED)) {
    lua_getfenv(L, -1);
    sweep_list(L, ref->keeper);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* Pushes the keeper's userdata, whose environment is the table of owners. */
static keeper *push_keeper(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, KEEPER_KEY);
  keeper_ref *ref = lua_touserdata(L, -1);
  if (ref) return ref->keeper;
  lua_pop(L, 1);
  ref = lua_newuserdata(L, sizeof *ref);
  ref->keeper = NULL;
  lua_newtable(L);
  lua_pushcfunction(L, keeper_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_newtable(L);
  lua_setfenv(L, -2);
  ref->keeper = calloc(1, sizeof *ref->keeper);
  if (!ref->keeper) ma_lua_fail(L, "out of memory: %d bytes for a record", (int)sizeof *ref->keeper);
  ref->keeper->refs = 1;
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, KEEPER_KEY);
  return ref->keeper;
}

/* Stores the owner in the table. Called when the buffer belongs to an array: this may raise for lack of memory, and
** then the array's finaliser frees the buffer. */
static void keep(lua_State *L, const owner *o, int index) {
  push_keeper(L);
  lua_getfenv(L, -1);
  lua_pushnumber(L, o->key);
  lua_pushvalue(L, index);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}

/* Pushes what keeps the memory of the value at `index`: the value, or the hook's function where the user may free the
** memory while the value is there, as LÖVE's Data:release does. */
static bool push_kept(lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TUSERDATA && ma_lua_pushhook(L, MA_HOOK_HOLD)) {
    lua_pushvalue(L, index);
    lua_call(L, 1, 1);
    if (lua_isfunction(L, -1)) return true;
    lua_pop(L, 1);
  }
  lua_pushvalue(L, index);
  return false;
}

/* Makes an owner that is not in the table yet. */
static owner *new_owner(lua_State *L) {
  keeper *k = push_keeper(L);
  lua_getfenv(L, -1);
  sweep_list(L, k);
  lua_pop(L, 2);
  owner *o = malloc(sizeof *o);
  if (!o) ma_lua_fail(L, "out of memory: %d bytes for a record", (int)sizeof *o);
  *o = (owner){ .keeper = k };
  return o;
}

ma_array *ma_lua_pushforeign(lua_State *L, const ma_foreign *foreign, int index, ma_buffer **watch) {
  ma_array *array = ma_lua_newarray(L);
  if (!index) {
    ma_lua_check(L, ma_foreign_array(foreign, NULL, NULL, array));
    return array;
  }
  bool held = push_kept(L, index);
  index = lua_gettop(L);
  owner *o = new_owner(L);
  keeper *k = o->keeper;
  ma_status status = ma_foreign_array(foreign, release_foreign, o, array);
  if (status != MA_OK) {
    free(o);
    if (held) let_go(L);
    ma_lua_check(L, status);
  }
  __atomic_add_fetch(&k->refs, 1, __ATOMIC_RELAXED);
  o->key = ++k->keys;
  o->held = held;
  o->watch = watch;
  if (watch) *watch = array->buffer;
  keep(L, o, index);
  lua_pop(L, 1);
  return array;
}

ma_status ma_lua_withdraw(ma_buffer **watch, ma_stream *stream) {
  ma_status status = MA_OK;
  pthread_mutex_lock(&watching);
  if (*watch) {
    owner *o = (*watch)->owner;
    status = ma_buffer_use(*watch, stream, true);
    ma_buffer_withdraw(*watch);
    o->watch = NULL;
    *watch = NULL;
  }
  pthread_mutex_unlock(&watching);
  return status;
}

/* ==== frombuffer ================================================================================================= */

/* Reads what LuaJIT's FFI or a Data object knows of its memory: address, bytes or nil, dtype or nil, readonly (the
** hook "address"). */
bool ma_lua_tomemory(lua_State *L, int index, ma_memory *m) {
  *m = (ma_memory){ NULL, -1, MA_NDTYPE, false, 0 };
  int type = lua_type(L, index);
  if (type == LUA_TLIGHTUSERDATA) {
    m->address = lua_touserdata(L, index);
    return true;
  }
  if (type != MA_LUA_TCDATA && type != LUA_TUSERDATA && type != LUA_TTABLE) return false;
  if (ma_lua_toarray(L, index) || !ma_lua_pushhook(L, MA_HOOK_ADDRESS)) return false;
  lua_pushvalue(L, index);
  lua_call(L, 1, 4);
  bool number = lua_type(L, -4) == LUA_TNUMBER, known = number || lua_type(L, -4) == LUA_TLIGHTUSERDATA;
  if (known) {
    m->address = number ? (const char *)(uintptr_t)lua_tonumber(L, -4) : lua_touserdata(L, -4);
    if (lua_type(L, -3) == LUA_TNUMBER) m->nbytes = (int64_t)lua_tonumber(L, -3);
    if (lua_type(L, -2) == LUA_TSTRING) ma_dtype_find(lua_tostring(L, -2), &m->dtype);
    m->readonly = lua_toboolean(L, -1);
    m->owner = index;
  }
  lua_pop(L, 4);
  return known;
}

static ma_memory check_memory(lua_State *L, int index) {
  ma_memory m = { NULL, -1, MA_NDTYPE, false, 0 };
  int type = lua_type(L, index);
  if (type == LUA_TSTRING) {
    size_t nbytes;
    m.address = lua_tolstring(L, index, &nbytes);
    m.nbytes = (int64_t)nbytes;
    m.readonly = true;
    m.owner = index;
  } else if (!ma_lua_tomemory(L, index, &m)) {
    ma_lua_fail(L, "buffer is %s; wanted a string, a pointer, or an object with getPointer and getSize",
                ma_lua_describe(L, index));
  }
  if (!m.address) ma_lua_fail(L, "buffer is a NULL pointer; wanted memory that is there");
  return m;
}

/* Reads the shape at `index`, and compares it with the available bytes. */
static int check_fit(lua_State *L, int index, const ma_memory *m, ma_dtype dtype, int64_t *shape, int64_t *size) {
  int64_t itemsize = ma_dtypes[dtype].itemsize;
  char text[256];
  int ndim = 1;
  if (!lua_isnil(L, index)) ndim = ma_lua_checkshape(L, index, shape);
  else if (m->nbytes < 0) ma_lua_fail(L, "no shape; a pointer does not say how much it points to");
  else if (m->nbytes % itemsize)
    ma_lua_fail(L, "%lld bytes; %s takes a multiple of %d", (long long)m->nbytes, ma_dtypes[dtype].name, (int)itemsize);
  else shape[0] = m->nbytes / itemsize;
  ma_lua_check(L, ma_shape_size(ndim, shape, (size_t)itemsize, size));
  if (m->nbytes >= 0 && *size * itemsize != m->nbytes)
    ma_lua_fail(L, "%lld bytes; %s of %s takes %lld", (long long)m->nbytes,
                ma_shape_print(ndim, shape, text, sizeof text), ma_dtypes[dtype].name, (long long)*size * itemsize);
  return ndim;
}

static void copy_in(lua_State *L, ma_array *array, const ma_memory *m) {
  ma_stream *stream = ma_lua_stream_of(L, ma_array_device(array));
  void *address;
  if (array->size == 0) return;
  ma_lua_check(L, ma_wait_check_array(array));
  MA_LUA_TRY(L, ma_array_write(array, stream, &address));
  size_t nbytes = (size_t)array->size * ma_dtypes[array->dtype].itemsize;
  ma_lua_check(L, stream->device->backend->memory.copy(stream, address, m->address, nbytes, MA_COPY_TO_DEVICE));
  ma_lua_check(L, stream->device->backend->stream.synchronize(stream));
}

/* Pushes a handle of the library's own, which keeps the memory when the user's handle is freed by a scope or by
** hand. */
static void push_holder(lua_State *L, const ma_array *array) { ma_array_view(ma_lua_newkept(L), array); }

static int memory_frombuffer(lua_State *L) {
  enum { BUFFER = 1, SHAPE, DTYPE, OWNER, DEVICE };
  int64_t shape[MA_MAX_NDIM], size;
  ma_lua_args(L);
  ma_memory m = check_memory(L, BUFFER);
  ma_dtype dtype = ma_lua_checkdtype(L, DTYPE, m.dtype != MA_NDTYPE ? m.dtype : ma_lua_state(L)->default_dtype);
  int ndim = check_fit(L, SHAPE, &m, dtype, shape, &size);
  ma_device *device = lua_isnil(L, DEVICE) ? ma_device_cpu() : ma_lua_optdevice(L, DEVICE);
  if (!ma_is_host(device)) {
    ma_array *array = ma_lua_newarray(L);
    MA_LUA_TRY(L, ma_array_new(array, device, dtype, ndim, shape));
    copy_in(L, array, &m);
    return 1;
  }
  if (!lua_isnil(L, OWNER)) m.owner = OWNER;
  ma_foreign foreign = {
    .device = device, .address = (void *)(uintptr_t)m.address, .dtype = dtype, .ndim = ndim, .readonly = m.readonly
  };
  memcpy(foreign.shape, shape, (size_t)ndim * sizeof *shape);
  ma_lua_pushforeign(L, &foreign, m.owner, NULL);
  return 1;
}

/* ==== data ======================================================================================================= */

static int memory_data(lua_State *L) {
  ma_lua_args(L);
  ma_array *array = ma_lua_checkarray(L, 1);
  ma_device *device = ma_array_device(array);
  const void *address;
  if (!ma_is_host(device)) ma_lua_fail(L, "an array on %s; its memory is not the CPU's: a:get():data()", device->name);
  if (!ma_array_is_contiguous(array))
    ma_lua_fail(L, "a view whose elements do not lie one after another; a:copy():data()");
  ma_lua_check(L, ma_wait_check_array(array));
  MA_LUA_TRY(L, ma_hazard_expose(array->buffer, ma_lua_stream_of(L, device)));
  if (array->readonly) MA_LUA_TRY(L, ma_array_read(array, NULL, &address));
  else MA_LUA_TRY(L, ma_array_write(array, NULL, (void **)(uintptr_t)&address));
  ma_lua_wait(L, ma_lua_stream_of(L, device));
  if (!ma_lua_pushhook(L, MA_HOOK_POINTER)) ma_lua_fail(L, "no ffi in this Lua; a typed pointer needs LuaJIT's");
  lua_pushnumber(L, (lua_Number)(uintptr_t)address);
  lua_pushstring(L, ma_dtypes[array->dtype].name);
  lua_pushboolean(L, array->readonly);
  push_holder(L, array);
  lua_call(L, 4, 1);
  return 1;
}

static const ma_function functions[] = {
  { "frombuffer(buffer, shape?, dtype?; owner?, device?)", memory_frombuffer,
    "An array of the CPU over the bytes of a string or behind a pointer: an FFI pointer or array, a light userdata, or "
    "an object with getPointer and getSize. Nothing is copied: a string's array is read-only, and `owner` (by default "
    "the buffer) lives as long as the array. With a GPU as `device` the bytes are copied there." },
  { ":data(a)", memory_data,
    "A typed FFI pointer to the elements, counted from 0. The array must be on the CPU and contiguous; it lives as "
    "long as the pointer." },
  { NULL, NULL, NULL },
};

void ma_open_memory(lua_State *L) {
  ma_lua_register(L, functions);
  ma_open_files(L);
}
