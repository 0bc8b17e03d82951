/* pointer.c: addresses: a:ptr(), and cuda.from_pointer over memory that other code allocated. */
//# files
#include "bind/array/foreign.h"

#include <string.h>

/* ==== Addresses ================================================================================================== */

/* Reads a whole number or an int64, as a:ptr() and other libraries give addresses. */
static bool number_address(lua_State *L, int index, ma_memory *m) {
  ma_value value;
  ma_dtype dtype;
  ma_weak weak;
  int type = lua_type(L, index);
  *m = (ma_memory){ NULL, -1, MA_NDTYPE, false, 0 };
  if ((type != LUA_TNUMBER && type != MA_LUA_TCDATA) || !ma_lua_tovalue(L, index, &value, &dtype, &weak)) return false;
  bool whole = weak == MA_WEAK_INT || dtype == MA_UINT64;
  if (!whole || (dtype != MA_UINT64 && value.i < 0) || (type == LUA_TNUMBER && value.i > INT64_C(1) << 53))
    return false;
  m->address = (const char *)(uintptr_t)value.u;
  return true;
}

void ma_lua_checkaddress(lua_State *L, int index, const char *what, ma_memory *m) {
  if (number_address(L, index, m) || ma_lua_tomemory(L, index, m)) return;
  ma_lua_fail(L, "%s is %s; wanted an address: a whole number, an int64, an FFI pointer or a light userdata", what,
              ma_lua_describe(L, index));
}

/* ==== a:ptr() ==================================================================================================== */

static int pointer_ptr(lua_State *L) {
  ma_array *array = ma_lua_checkarray(L, 1);
  ma_stream *stream = ma_lua_streamfor(L, array);
  const void *address;
  MA_LUA_TRY(L, ma_hazard_expose(array->buffer, stream));
  if (array->readonly) MA_LUA_TRY(L, ma_array_read(array, stream, &address));
  else MA_LUA_TRY(L, ma_array_write(array, stream, (void **)(uintptr_t)&address));
  ma_stream_expose(stream);
  lua_pushnumber(L, (lua_Number)(uintptr_t)address);
  return 1;
}

/* ==== cuda.from_pointer ========================================================================================== */

static void check_strides(lua_State *L, int index, ma_foreign *f) {
  if (lua_isnil(L, index)) return;
  if (!lua_istable(L, index))
    ma_lua_fail(L, "strides is %s; wanted a table of bytes, one number an axis", ma_lua_describe(L, index));
  if ((int)lua_objlen(L, index) != f->ndim)
    ma_lua_fail(L, "%d strides; the shape has %d axes", (int)lua_objlen(L, index), f->ndim);
  for (int d = 0; d < f->ndim; d++) {
    lua_rawgeti(L, index, d + 1);
    f->stride[d] = ma_lua_checkint(L, -1, "a stride");
    lua_pop(L, 1);
  }
  f->strided = true;
}

/* Checks a size that the owner reports. */
static void check_room(lua_State *L, const ma_memory *m, const ma_foreign *f) {
  int64_t size;
  char text[256];
  ma_lua_check(L, ma_shape_size(f->ndim, f->shape, ma_dtypes[f->dtype].itemsize, &size));
  if (m->nbytes < 0 || f->strided || size * ma_dtypes[f->dtype].itemsize <= m->nbytes) return;
  ma_lua_fail(L, "%lld bytes; %s of %s takes %lld", (long long)m->nbytes,
              ma_shape_print(f->ndim, f->shape, text, sizeof text), ma_dtypes[f->dtype].name,
              (long long)size * ma_dtypes[f->dtype].itemsize);
}

static int pointer_from(lua_State *L) {
  enum { ADDRESS = 1, SHAPE, DTYPE, OWNER, DEVICE, STRIDES, READONLY, STREAM };
  ma_memory m;
  ma_lua_checkaddress(L, ADDRESS, "address", &m);
  if (!m.address) return ma_lua_fail(L, "address is NULL; wanted memory that is there");
  ma_foreign f = { .address = (void *)(uintptr_t)m.address };
  f.ndim = ma_lua_checkshape(L, SHAPE, f.shape);
  f.dtype = ma_lua_checkdtype(L, DTYPE, m.dtype != MA_NDTYPE ? m.dtype : ma_lua_state(L)->default_dtype);
  f.device = ma_lua_optdevice(L, DEVICE);
  check_strides(L, STRIDES, &f);
  check_room(L, &m, &f);
  f.readonly = ma_lua_optbool(L, READONLY, m.readonly);
  if (!lua_isnil(L, STREAM)) f.stream = ma_lua_optstream(L, STREAM);
  if (f.stream && f.stream->device != f.device)
    return ma_lua_fail(L, "stream is one of %s; wanted one of %s", f.stream->device->name, f.device->name);
  ma_lua_pushforeign(L, &f, lua_isnil(L, OWNER) ? m.owner : OWNER, NULL);
  return 1;
}

static const ma_function functions[] = {
  //> :ptr: type(ma.ones(2):ptr())
  { ":ptr(a: data) -> array", pointer_ptr,
    "The address of the first element as a number, of the GPU's memory for an array there, ready for work on the "
    "current stream. The array must "
    "outlive its use; other elements are a.strides bytes away." },
  //# -
  //> cuda.from_pointer: local owner = ma.ones(2)
  //>   return ma.cuda.from_pointer(owner:ptr(), 2, "float64", owner)
  { "cuda.from_pointer(address: integer, shape: integer|integer[], dtype?: dtype, owner?: userdata|table|string; "
    "device?: string, strides?: integer[], readonly?: boolean, stream?: stream) -> array",
    pointer_from,
    "An array over memory of the device that somebody else allocated: the address is a number, an int64, an FFI "
    "pointer or a light userdata. "
    "`owner` lives as long as the array; `strides` are bytes; `stream` is where work that fills the memory was "
    "queued." },
  { NULL, NULL, NULL },
};

void ma_open_pointer(lua_State *L) { ma_lua_register(L, functions); }
