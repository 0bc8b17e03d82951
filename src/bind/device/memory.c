/* memory.c: arrays over memory that Lua values stand for, and typed pointers to an array's own memory. */
//# create
#include "memory/wait.h"
#include "bind/array/foreign.h"

#include <string.h>

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
  ma_stream *stream = ma_lua_streamfor(L, array);
  void *address;
  if (array->size == 0) return;
  ma_lua_check(L, ma_wait_check_array(array));
  MA_LUA_TRY(L, ma_array_write(array, stream, &address));
  size_t nbytes = (size_t)array->size * ma_dtypes[array->dtype].itemsize;
  ma_lua_check(L, stream->device->backend->memory.copy(stream, address, m->address, nbytes, MA_COPY_TO_DEVICE));
  ma_lua_check(L, stream->device->backend->stream.synchronize(stream));
}

/* Pushes an array object of the library's own, which keeps the memory when a scope or the user frees the user's
** array. */
static void push_holder(lua_State *L, const ma_array *array) { ma_array_view(ma_lua_newkept(L), array); }

static int memory_frombuffer(lua_State *L) {
  enum { BUFFER = 1, SHAPE, DTYPE, OWNER, DEVICE };
  int64_t shape[MA_MAX_NDIM], size;
  if (ma_lua_makestructs(L, DTYPE, DEVICE)) return 1;
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
  ma_lua_pushdtype(L, (ma_dtype)array->dtype);
  lua_pushboolean(L, array->readonly);
  push_holder(L, array);
  lua_call(L, 4, 1);
  return 1;
}

static const ma_function functions[] = {
  //> frombuffer("\1\2\3", 3, "uint8")
  { "frombuffer(buffer: string|ffi.cdata*, shape?: integer|integer[], dtype?: dtype|struct; owner?: any, "
    "device?: string) -> array",
    memory_frombuffer,
    "An array of the CPU over the bytes of a string or behind a pointer: an FFI pointer or array, a light userdata, or "
    "an object with getPointer and getSize. Nothing is copied: a string's array is read-only, and `owner` (by default "
    "the buffer) lives as long as the array. With a GPU as `device` the bytes are copied there." },
  //# files
  //> :data: ma.ones(2, {device = "cpu"}):data()[1]
  { ":data(a: data) -> array", memory_data,
    "A typed FFI pointer to the elements, counted from 0. The array must be on the CPU and contiguous; it lives as "
    "long as the pointer." },
  { NULL, NULL, NULL },
};

void ma_open_memory(lua_State *L) { ma_lua_register(L, functions); }
