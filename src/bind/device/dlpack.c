/* dlpack.c: exchanges arrays with other libraries by DLPack. A capsule owns an exported tensor until it is consumed,
** like Python's capsule, which is then renamed "used_dltensor". */
//# files
#include "files/dlpack.h"
#include "bind/array/foreign.h"

#include <string.h>

typedef struct capsule {
  uint64_t magic;
  void *managed; /* NULL: consumed */
  bool versioned;
} capsule;

static const ma_class capsule_class;

/* ==== Export ====================================================================================================== */

/* 1, "1.1", {1, 0}: the versioned form; 0 or {0, 8}: the unversioned one. */
static bool check_version(lua_State *L, int index) {
  if (lua_isnil(L, index)) return true;
  if (lua_istable(L, index)) lua_rawgeti(L, index, 1);
  else lua_pushvalue(L, index);
  double major = lua_isnumber(L, -1) ? lua_tonumber(L, -1) : -1;
  lua_pop(L, 1);
  if (!(major >= 0 && major < 1e6))
    ma_lua_fail(L, "version is %s; wanted 1 or 0, the major version of DLPack", ma_lua_describe(L, index));
  return major >= 1;
}

static int dlpack_to(lua_State *L) {
  enum { ARRAY = 1, STREAM, VERSION };
  ma_array *array = ma_lua_checkarray(L, ARRAY);
  bool versioned = check_version(L, VERSION);
  ma_device *device = ma_array_device(array);
  ma_stream *stream = lua_isnil(L, STREAM) ? ma_lua_stream_of(L, device) : ma_lua_optstream(L, STREAM);
  if (stream->device != device)
    return ma_lua_fail(L, "stream is one of %s; the array is on %s", stream->device->name, device->name);
  capsule *c = ma_lua_newobject(L, &capsule_class);
  c->versioned = versioned;
  MA_LUA_TRY(L, ma_dlpack_export(array, stream, versioned, &c->managed));
  return 1;
}

/* ==== Import ====================================================================================================== */

ma_array *ma_lua_pushdlpack(lua_State *L, void *managed, bool versioned, ma_stream *stream) {
  ma_array *array = ma_lua_newarray(L);
  ma_lua_check(L, ma_dlpack_import(managed, versioned, stream, array));
  return array;
}

/* The form that a pointer's type names: "cdata<struct DLManagedTensorVersioned *>: 0x...". */
static int form_of_type(lua_State *L, int index) {
  if (lua_type(L, index) != MA_LUA_TCDATA) return -1;
  lua_getglobal(L, "tostring");
  lua_pushvalue(L, index);
  lua_call(L, 1, 1);
  const char *text = lua_tostring(L, -1);
  int form = text && strstr(text, "DLManagedTensorVersioned") ? 1 : text && strstr(text, "DLManagedTensor") ? 0 : -1;
  lua_pop(L, 1);
  return form;
}

/* Reads a foreign address of a tensor, and its form: from the option, from the pointer's type, or from the tensor's
** first bytes. */
static void *check_managed(lua_State *L, int index, int option, bool *versioned) {
  ma_memory m;
  ma_lua_checkaddress(L, index, "source", &m);
  if (!m.address)
    ma_lua_fail(L, "source is NULL; wanted a capsule, or the address of a DLManagedTensor or DLManagedTensorVersioned");
  if ((uintptr_t)m.address % sizeof(void *))
    ma_lua_fail(L, "source is the address %p; a managed tensor is at a multiple of %d", (const void *)m.address,
                (int)sizeof(void *));
  int form = form_of_type(L, index);
  *versioned = !lua_isnil(L, option) ? ma_lua_optbool(L, option, true)
               : form >= 0           ? form == 1
                                     : ma_dlpack_is_versioned(m.address);
  return (void *)(uintptr_t)m.address;
}

static void import(lua_State *L, void *managed, bool versioned, int stream_option) {
  ma_device *device;
  ma_stream *stream = lua_isnil(L, stream_option) ? NULL : ma_lua_optstream(L, stream_option);
  if (stream) {
    ma_lua_check(L, ma_dlpack_device(managed, versioned, &device));
    if (stream->device != device)
      ma_lua_fail(L, "stream is one of %s; the tensor is on %s", stream->device->name, device->name);
  }
  ma_lua_pushdlpack(L, managed, versioned, stream);
}

static int dlpack_from(lua_State *L) {
  enum { SOURCE = 1, COPY, STREAM, VERSIONED, DEVICE };
  bool copy = ma_lua_optbool(L, COPY, false), versioned;
  capsule *c = ma_lua_toclass(L, SOURCE, &capsule_class);
  if (ma_lua_toarray(L, SOURCE)) {
    ma_array_view(ma_lua_newarray(L), ma_lua_checkarray(L, SOURCE));
  } else if (c) {
    if (!c->managed) return ma_lua_fail(L, "a capsule that was consumed before; a tensor is taken once");
    import(L, c->managed, c->versioned, STREAM);
    c->managed = NULL;
  } else {
    void *managed = check_managed(L, SOURCE, VERSIONED, &versioned);
    import(L, managed, versioned, STREAM);
  }
  ma_array *shared = ma_lua_toarray(L, -1);
  ma_device *device = lua_isnil(L, DEVICE) ? ma_array_device(shared) : ma_lua_optdevice(L, DEVICE);
  if (device != ma_array_device(shared)) {
    if (!copy && !lua_isnil(L, COPY))
      return ma_lua_fail(L, "copy = false and a tensor on %s; on %s it is a copy", ma_array_device(shared)->name,
                         device->name);
    ma_lua_pushon(L, shared, device);
    ma_array_release(shared);
    return 1;
  }
  if (!copy) return 1;
  ma_lua_pushcopy(L, shared, (ma_dtype)shared->dtype);
  ma_array_release(shared);
  return 1;
}

/* ==== The capsule ================================================================================================ */

static int push_address(lua_State *L, const capsule *c) {
  if (!c->managed) return ma_lua_fail(L, "a capsule that was consumed; its tensor is somebody else's");
  lua_pushnumber(L, (lua_Number)(uintptr_t)c->managed);
  return 1;
}

static int capsule_ptr(lua_State *L) { return push_address(L, ma_lua_self(L, &capsule_class)); }

static int capsule_release(lua_State *L) {
  capsule *c = ma_lua_self(L, &capsule_class);
  push_address(L, c);
  c->managed = NULL;
  return 1;
}

static void release(void *of) {
  capsule *c = of;
  if (c->managed) ma_dlpack_delete(c->managed, c->versioned);
  c->managed = NULL;
}

static void push_text(lua_State *L, void *of) {
  const capsule *c = of;
  lua_pushfstring(L, "<DLPack capsule, %s%s>", c->versioned ? "DLManagedTensorVersioned" : "DLManagedTensor",
                  c->managed ? "" : ", consumed");
}

static void push_consumed(lua_State *L, void *of, size_t place) { lua_pushboolean(L, !((const capsule *)of)->managed); }

//> = capsule | ma.ones(2):to_dlpack() | An array for another library, by DLPack.
static const ma_attribute attributes[] = {
  { "consumed", push_consumed, 0 },
  { "versioned", ma_push_flag, offsetof(capsule, versioned) },
  { NULL, NULL, 0 },
};
static const ma_method methods[] = {
  //> :ptr() -> integer | The address of the DLManagedTensor.
  //> capsule:ptr: type(capsule:ptr())
  { ":ptr(capsule?)", capsule_ptr },
  //> :release() -> integer | The same, and gives it away: who takes it frees it.
  //> capsule:release: local form = "struct { uint32_t major, minor; void *context; void (*deleter)(void *); } *"
  //>   local tensor = require("ffi").cast(form, capsule:release())
  //>   local major = tensor.major
  //>   tensor.deleter(tensor)
  //>   return major
  { ":release(capsule?)", capsule_release },
  { NULL, NULL },
};
static const ma_class capsule_class = { .name = "capsule",
                                        .word = "capsule",
                                        .title = "moonarray capsule",
                                        .magic = 0x6d6163617073756cu,
                                        .size = sizeof(capsule),
                                        .methods = methods,
                                        .attributes = attributes,
                                        .text = push_text,
                                        .release = release };

static const ma_function functions[] = {
  //> to_dlpack from_dlpack :dlpack: ma.from_dlpack(ma.ones(2):to_dlpack())
  { "to_dlpack(a: data; stream?: stream, version?: integer) -> capsule", dlpack_to,
    "A capsule with a managed tensor of DLPack over the array's memory, ready for work on `stream`: capsule:ptr() is "
    "its address, "
    "capsule:release() gives it away. version = 0 makes the form before DLPack 1.0." },
  { ":dlpack(a: data; stream?: stream, version?: integer) -> capsule", dlpack_to, "The same as to_dlpack." },
  { "from_dlpack(source: any; copy?: boolean, stream?: stream, versioned?: boolean, device?: string) -> array",
    dlpack_from,
    "An array over a DLPack tensor: a capsule, an array, or the address of a DLManagedTensor or "
    "DLManagedTensorVersioned. Nothing is copied unless "
    "copy = true, or device names another; the tensor's deleter is called when the last view goes." },
  { NULL, NULL, NULL },
};

void ma_open_dlpack(lua_State *L) { ma_lua_register(L, functions); }
