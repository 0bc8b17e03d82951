/* dlpack.c: exchanges arrays with other libraries by DLPack. A capsule owns an exported tensor until it is consumed,
** like Python's capsule, which is then renamed "used_dltensor". */
#include "files/dlpack.h"
#include "bind/array/foreign.h"

#include <string.h>

#define CAPSULE_MAGIC 0x6d6163617073756cu
#define CAPSULE_METATABLE "moonarray.capsule"

typedef struct capsule {
  uint64_t magic;
  void *managed; /* NULL: consumed */
  bool versioned;
} capsule;

static capsule *to_capsule(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_objlen(L, index) != sizeof(capsule)) return NULL;
  capsule *c = lua_touserdata(L, index);
  return c->magic == CAPSULE_MAGIC ? c : NULL;
}

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
  capsule *c = lua_newuserdata(L, sizeof *c);
  *c = (capsule){ CAPSULE_MAGIC, NULL, versioned };
  lua_getfield(L, LUA_REGISTRYINDEX, CAPSULE_METATABLE);
  lua_setmetatable(L, -2);
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
  capsule *c = to_capsule(L, SOURCE);
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

static capsule *check_capsule(lua_State *L) {
  capsule *c = to_capsule(L, 1);
  if (!c) ma_lua_fail(L, "%s in place of the capsule; write capsule:method()", ma_lua_describe(L, 1));
  return c;
}

static int push_address(lua_State *L, const capsule *c) {
  if (!c->managed) return ma_lua_fail(L, "a capsule that was consumed; its tensor is somebody else's");
  lua_pushnumber(L, (lua_Number)(uintptr_t)c->managed);
  return 1;
}

static int capsule_ptr(lua_State *L) { return push_address(L, check_capsule(L)); }

static int capsule_release(lua_State *L) {
  capsule *c = check_capsule(L);
  push_address(L, c);
  c->managed = NULL;
  return 1;
}

static int capsule_gc(lua_State *L) {
  capsule *c = to_capsule(L, 1);
  if (c && c->managed) ma_dlpack_delete(c->managed, c->versioned);
  if (c) c->managed = NULL;
  return 0;
}

static int capsule_tostring(lua_State *L) {
  const capsule *c = to_capsule(L, 1);
  lua_pushfstring(L, "<DLPack capsule, %s%s>", c && c->versioned ? "DLManagedTensorVersioned" : "DLManagedTensor",
                  c && c->managed ? "" : ", consumed");
  return 1;
}

/* Upvalue 3: the methods. */
static int capsule_index(lua_State *L) {
  const capsule *c = to_capsule(L, 1);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(3));
  if (!lua_isnil(L, -1)) return 1;
  if (c && !strcmp(key, "consumed")) lua_pushboolean(L, c->managed == NULL);
  else if (c && !strcmp(key, "versioned")) lua_pushboolean(L, c->versioned);
  else {
    int names = ma_lua_pushnames(L, lua_upvalueindex(3));
    ma_lua_addname(L, names, "consumed");
    ma_lua_addname(L, names, "versioned");
    return ma_lua_unknown(L, "capsule", "attribute", key, names);
  }
  return 1;
}

static void set_metatable(lua_State *L) {
  static const ma_object_type type = { "moonarray capsule", ":capsule(capsule, key)", capsule_index, capsule_tostring,
                                       capsule_gc };
  static const ma_method methods[] = { { "ptr", ":ptr(capsule?)", capsule_ptr },
                                       { "release", ":release(capsule?)", capsule_release } };
  lua_newtable(L);
  ma_lua_pushmethods(L, methods, sizeof methods / sizeof *methods);
  ma_lua_settype(L, &type);
  lua_setfield(L, LUA_REGISTRYINDEX, CAPSULE_METATABLE);
}

static const ma_function functions[] = {
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

void ma_open_dlpack(lua_State *L) {
  set_metatable(L);
  ma_lua_register(L, functions);
}
