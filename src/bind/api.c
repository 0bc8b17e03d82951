/* api.c: the functions of include/moonarray.h. A host program calls them outside of any function of the library and
** expects no Lua error. So each call puts its arguments into a record and runs a closure over it through lua_pcall. */
#include "include/moonarray.h"
#include "files/dlpack.h"
#include "bind/array/foreign.h"
#include "bind/device/external.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)MOONARRAY_BOOL == (int)MA_BOOL && (int)MOONARRAY_INT64 == (int)MA_INT64 &&
                 (int)MOONARRAY_UINT64 == (int)MA_UINT64 && (int)MOONARRAY_BFLOAT16 == (int)MA_BFLOAT16 &&
                 (int)MOONARRAY_COMPLEX128 == (int)MA_COMPLEX128 && MA_NDTYPE == 15,
               "the header's dtypes are ours");
_Static_assert(MOONARRAY_MAX_NDIM == MA_MAX_NDIM && (int)MOONARRAY_CPU == MA_DL_CPU &&
                 (int)MOONARRAY_CUDA == MA_DL_CUDA,
               "the header's numbers are ours");
#define TYPE(NAME, ...) \
  _Static_assert((int)MOONARRAY_##NAME == (int)MA_EXTERNAL_##NAME, "the header's types of handles are ours");
MA_EXTERNAL_TYPES(TYPE)
#undef TYPE

static __thread char last[600];

typedef struct request {
  moonarray_tensor *tensor;
  moonarray_access access;
  void (*release)(void *context);
  void *context;
  moonarray_device device;
  int device_id;
  void **result;
  void *managed;
  int versioned;
  const moonarray_external *external;
  moonarray_identity *identity;
  uint64_t value; /* of a semaphore, or an offset */
} request;

/* ==== Streams and devices of the host ============================================================================ */

static ma_device *check_device(lua_State *L, int type, int id) {
  char name[32];
  ma_device *device = NULL;
  if (type == MOONARRAY_CPU) return ma_device_cpu();
  if (type != MOONARRAY_CUDA) ma_lua_fail(L, "device %d; wanted MOONARRAY_CPU (1) or MOONARRAY_CUDA (2)", type);
  snprintf(name, sizeof name, "cuda:%d", id);
  ma_lua_check(L, ma_device_get(name, &device));
  return device;
}

/* Makes later work of Lua wait for the work that is queued on `stream` now. */
static ma_stream *come_after(lua_State *L, ma_device *device, void *handle) {
  ma_stream *current = ma_lua_stream_of(L, device), *stream = NULL;
  if (ma_is_host(device) || handle == current->handle) return current;
  ma_lua_check(L, ma_stream_wrap(device, handle, &stream));
  ma_status status = ma_stream_wait(current, stream);
  if (stream->flags & MA_STREAM_FOREIGN) ma_stream_close(stream);
  ma_lua_check(L, status);
  return current;
}

/* ==== The calls: slot 1 is the request, slot 2 the array, if there is one ======================================== */

static request *check_request(lua_State *L) { return lua_touserdata(L, 1); }

static void check_tensor(lua_State *L, const moonarray_tensor *t) {
  if (t->dtype < 0 || t->dtype >= MA_NDTYPE) ma_lua_fail(L, "dtype %d; wanted one of moonarray_dtype", (int)t->dtype);
  if (t->ndim < 0 || t->ndim > MA_MAX_NDIM)
    ma_lua_fail(L, "%d axes; an array has at most %d", (int)t->ndim, MA_MAX_NDIM);
}

static void tell(const ma_array *array, const void *address, ma_stream *stream, moonarray_tensor *t) {
  const ma_device *device = ma_array_device(array);
  bool host = ma_is_host(device);
  memset(t, 0, sizeof *t);
  t->data = (void *)(uintptr_t)address;
  t->dtype = array->dtype;
  t->ndim = array->ndim;
  t->device = host ? MOONARRAY_CPU : MOONARRAY_CUDA;
  t->device_id = host ? 0 : device->id;
  t->readonly = array->readonly != 0;
  t->strided = !ma_array_is_contiguous(array);
  memcpy(t->shape, array->shape, array->ndim * sizeof *t->shape);
  memcpy(t->stride, array->stride, array->ndim * sizeof *t->stride);
  t->stream = host ? NULL : ma_stream_expose(stream);
}

static int call_get(lua_State *L) {
  request *r = check_request(L);
  ma_array *array = ma_lua_checkarray(L, 2);
  ma_stream *stream = ma_lua_streamfor(L, array);
  const void *address;
  MA_LUA_TRY(L, ma_hazard_expose(array->buffer, stream));
  if (r->access == MOONARRAY_READ) MA_LUA_TRY(L, ma_array_read(array, stream, &address));
  else MA_LUA_TRY(L, ma_array_write(array, stream, (void **)(uintptr_t)&address));
  tell(array, address, stream, r->tensor);
  return 0;
}

typedef struct guest {
  void (*release)(void *context);
  void *context;
} guest;

static void release_guest(ma_buffer *buffer) {
  guest g = *(guest *)buffer->owner;
  free(buffer->owner);
  ma_foreign_settle(buffer);
  ma_buffer_free_header(buffer);
  if (g.release) g.release(g.context);
}

static int call_push(lua_State *L) {
  const request *r = check_request(L);
  const moonarray_tensor *t = r->tensor;
  check_tensor(L, t);
  ma_device *device = check_device(L, t->device, t->device_id);
  ma_foreign f = { .device = device,
                   .address = t->data,
                   .dtype = (ma_dtype)t->dtype,
                   .ndim = t->ndim,
                   .strided = t->strided,
                   .readonly = t->readonly };
  memcpy(f.shape, t->shape, sizeof f.shape);
  memcpy(f.stride, t->stride, sizeof f.stride);
  f.stream = come_after(L, device, t->stream);
  ma_array *array = ma_lua_newarray(L);
  guest *g = malloc(sizeof *g);
  if (!g) return ma_lua_fail(L, "out of memory: %d bytes for a record", (int)sizeof *g);
  *g = (guest){ r->release, r->context };
  ma_status status = ma_foreign_array(&f, release_guest, g, array);
  if (status != MA_OK) free(g);
  ma_lua_check(L, status);
  return 1;
}

static int call_create(lua_State *L) {
  const request *r = check_request(L);
  moonarray_tensor *t = r->tensor;
  check_tensor(L, t);
  ma_device *device = check_device(L, t->device, t->device_id);
  ma_array *array = ma_lua_pushnew(L, device, (ma_dtype)t->dtype, t->ndim, t->shape);
  ma_stream *stream = ma_lua_stream_of(L, device);
  void *address;
  MA_LUA_TRY(L, ma_hazard_expose(array->buffer, stream));
  MA_LUA_TRY(L, ma_array_write(array, stream, &address));
  tell(array, address, stream, t);
  return 1;
}

static int call_stream(lua_State *L) {
  const request *r = check_request(L);
  ma_device *device = check_device(L, r->device, r->device_id);
  *r->result = ma_is_host(device) ? NULL : ma_stream_expose(ma_lua_stream_of(L, device));
  return 0;
}

static int call_synchronize(lua_State *L) {
  const request *r = check_request(L);
  ma_lua_flush(L, "synchronize");
  ma_lua_wait(L, ma_lua_stream_of(L, check_device(L, r->device, r->device_id)));
  return 0;
}

static int call_to_dlpack(lua_State *L) {
  const request *r = check_request(L);
  ma_array *array = ma_lua_checkarray(L, 2);
  MA_LUA_TRY(L, ma_dlpack_export(array, ma_lua_streamfor(L, array), r->versioned != 0, r->result));
  return 0;
}

static int call_from_dlpack(lua_State *L) {
  const request *r = check_request(L);
  if (!r->managed) return ma_lua_fail(L, "a NULL pointer; wanted a managed tensor");
  ma_lua_pushdlpack(L, r->managed, r->versioned != 0, NULL);
  return 1;
}

static int call_identity(lua_State *L) {
  const request *r = check_request(L);
  ma_device *device = check_device(L, MOONARRAY_CUDA, r->device_id);
  ma_identity found;
  ma_lua_check(L, device->backend->info.identity(device, &found));
  *r->identity = (moonarray_identity){ .has_uuid = found.has_uuid, .has_luid = found.has_luid };
  memcpy(r->identity->uuid, found.uuid, sizeof found.uuid);
  memcpy(r->identity->luid, found.luid, sizeof found.luid);
  return 0;
}

/* What the host describes, for memory or a semaphore, and its device. */
static ma_device *check_external(lua_State *L, bool is_memory, ma_external *external) {
  const moonarray_external *e = check_request(L)->external;
  bool known = e->type >= 0 && e->type < MA_NEXTERNAL;
  if (!known || !(is_memory ? ma_external_types[e->type].memory : ma_external_types[e->type].semaphore))
    ma_lua_fail(L, "type %d; wanted one of moonarray_external_type for %s", (int)e->type,
                is_memory ? "memory" : "a semaphore");
  *external = (ma_external){
    .type = (ma_external_type)e->type, .fd = e->fd, .handle = e->handle, .size = e->size, .dedicated = e->dedicated != 0
  };
  return check_device(L, MOONARRAY_CUDA, e->device_id);
}

static int call_external_memory(lua_State *L) {
  ma_external external;
  ma_device *device = check_external(L, true, &external);
  ma_lua_pushexternalmemory(L, device, &external);
  return 1;
}

static int call_external_semaphore(lua_State *L) {
  ma_external external;
  ma_device *device = check_external(L, false, &external);
  ma_lua_pushexternalsemaphore(L, device, &external);
  return 1;
}

static int call_external_array(lua_State *L) {
  const request *r = check_request(L);
  check_tensor(L, r->tensor);
  ma_foreign f = { .dtype = (ma_dtype)r->tensor->dtype, .ndim = r->tensor->ndim };
  memcpy(f.shape, r->tensor->shape, sizeof f.shape);
  ma_lua_pushexternalarray(L, 2, r->value, &f);
  return 1;
}

static int call_external_wait(lua_State *L) {
  ma_lua_queuesemaphore(L, 2, NULL, false, check_request(L)->value);
  return 0;
}

static int call_external_signal(lua_State *L) {
  ma_lua_queuesemaphore(L, 2, NULL, true, check_request(L)->value);
  return 0;
}

/* ==== Calls from C ================================================================================================ */

typedef enum call {
  GET,
  PUSH,
  CREATE,
  STREAM,
  SYNCHRONIZE,
  TO_DLPACK,
  FROM_DLPACK,
  IDENTITY,
  MEMORY,
  SEMAPHORE,
  ARRAY,
  WAIT,
  SIGNAL,
  NCALL
} call;
static const struct {
  const char *signature;
  lua_CFunction run;
  int nresult;
} calls[NCALL] = {
  [GET] = { ":get(request, a?)", call_get, 0 },
  [PUSH] = { ":push(request)", call_push, 1 },
  [CREATE] = { ":create(request)", call_create, 1 },
  [STREAM] = { ":stream(request)", call_stream, 0 },
  [SYNCHRONIZE] = { ":synchronize(request)", call_synchronize, 0 },
  [TO_DLPACK] = { ":to_dlpack(request, a?)", call_to_dlpack, 0 },
  [FROM_DLPACK] = { ":from_dlpack(request)", call_from_dlpack, 1 },
  [IDENTITY] = { ":identity(request)", call_identity, 0 },
  [MEMORY] = { ":external_memory(request)", call_external_memory, 1 },
  [SEMAPHORE] = { ":external_semaphore(request)", call_external_semaphore, 1 },
  [ARRAY] = { ":external_array(request, memory?)", call_external_array, 1 },
  [WAIT] = { ":external_wait(request, semaphore?)", call_external_wait, 0 },
  [SIGNAL] = { ":external_signal(request, semaphore?)", call_external_signal, 0 },
};
static char keys[NCALL]; /* their addresses are the keys of the closures in the registry */

static int fail(const char *text) {
  snprintf(last, sizeof last, "%s", text);
  return -1;
}

/* index 0: no array. */
static int invoke(lua_State *L, call which, request *r, int index) {
  if (index < 0 && index > LUA_REGISTRYINDEX) index += lua_gettop(L) + 1;
  if (!lua_checkstack(L, 8)) return fail("moonarray: the Lua stack is full");
  lua_pushlightuserdata(L, &keys[which]);
  lua_rawget(L, LUA_REGISTRYINDEX);
  if (!lua_isfunction(L, -1)) {
    lua_pop(L, 1);
    return fail("moonarray: the module is not loaded in this Lua state");
  }
  lua_pushlightuserdata(L, r);
  if (index) lua_pushvalue(L, index);
  if (!lua_pcall(L, index ? 2 : 1, calls[which].nresult, 0)) return 0;
  const char *text = lua_tostring(L, -1);
  fail(text ? text : "moonarray: an error that is no text");
  lua_pop(L, 1);
  return -1;
}

static const char *api_message(void) { return last; }

static int api_is_array(lua_State *L, int index) {
  const ma_array *array = ma_lua_toarray(L, index);
  return array && array->buffer;
}

static int api_get(lua_State *L, int index, moonarray_access access, moonarray_tensor *tensor) {
  request r = { .access = access, .tensor = tensor };
  return invoke(L, GET, &r, index);
}

static int api_push(lua_State *L, const moonarray_tensor *tensor, void (*release)(void *context), void *context) {
  request r = { .tensor = (moonarray_tensor *)(uintptr_t)tensor, .release = release, .context = context };
  return invoke(L, PUSH, &r, 0);
}

static int api_create(lua_State *L, moonarray_tensor *tensor) {
  request r = { .tensor = tensor };
  return invoke(L, CREATE, &r, 0);
}

static int api_stream(lua_State *L, moonarray_device device, int device_id, void **stream) {
  request r = { .device = device, .device_id = device_id, .result = stream };
  return invoke(L, STREAM, &r, 0);
}

static int api_synchronize(lua_State *L, moonarray_device device, int device_id) {
  request r = { .device = device, .device_id = device_id };
  return invoke(L, SYNCHRONIZE, &r, 0);
}

static int api_to_dlpack(lua_State *L, int index, int versioned, void **managed) {
  request r = { .versioned = versioned, .result = managed };
  return invoke(L, TO_DLPACK, &r, index);
}

static int api_from_dlpack(lua_State *L, void *managed, int versioned) {
  request r = { .managed = managed, .versioned = versioned };
  return invoke(L, FROM_DLPACK, &r, 0);
}

static int api_identity(lua_State *L, int device_id, moonarray_identity *identity) {
  request r = { .device_id = device_id, .identity = identity };
  return invoke(L, IDENTITY, &r, 0);
}

static int api_external_memory(lua_State *L, const moonarray_external *external) {
  request r = { .external = external };
  return invoke(L, MEMORY, &r, 0);
}

static int api_external_semaphore(lua_State *L, const moonarray_external *external) {
  request r = { .external = external };
  return invoke(L, SEMAPHORE, &r, 0);
}

static int api_external_array(lua_State *L, int index, uint64_t offset, const moonarray_tensor *tensor) {
  request r = { .tensor = (moonarray_tensor *)(uintptr_t)tensor, .value = offset };
  return invoke(L, ARRAY, &r, index);
}

static int api_external_wait(lua_State *L, int index, uint64_t value) {
  request r = { .value = value };
  return invoke(L, WAIT, &r, index);
}

static int api_external_signal(lua_State *L, int index, uint64_t value) {
  request r = { .value = value };
  return invoke(L, SIGNAL, &r, index);
}

static const moonarray_api table = { MOONARRAY_ABI_VERSION,
                                     sizeof table,
                                     MA_VERSION,
                                     api_message,
                                     api_is_array,
                                     api_get,
                                     api_push,
                                     api_create,
                                     api_stream,
                                     api_synchronize,
                                     api_to_dlpack,
                                     api_from_dlpack,
                                     api_identity,
                                     api_external_memory,
                                     api_external_semaphore,
                                     api_external_array,
                                     api_external_wait,
                                     api_external_signal };

/* core.api: the table that moonarray_get_api reads. */
void ma_open_api(lua_State *L) {
  for (int k = 0; k < NCALL; k++) {
    lua_pushlightuserdata(L, &keys[k]);
    ma_lua_pushclosure(L, calls[k].signature, false, calls[k].run, 0);
    lua_rawset(L, LUA_REGISTRYINDEX);
  }
  lua_pushlightuserdata(L, (void *)(uintptr_t)&table);
  ma_lua_file(L, "core.api");
}
