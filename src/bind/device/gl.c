/*
** gl.c: objects for OpenGL's buffers and images. A buffer is mapped as an array, until unmap takes it back. An image
** has a layout of OpenGL's own, so it is copied from and to arrays. All of it needs the OpenGL context on the calling
** thread.
*/
#include "backend/gl.h"
#include "bind/array/foreign.h"

#include <string.h>

typedef struct resource {
  uint64_t magic;
  ma_device *device;
  void *handle;      /* the backend's handle; NULL: unregistered */
  ma_buffer *memory; /* buffer of the mapped array while that lives (a watch: foreign.h) */
  ma_stream *stream; /* the stream on which it was mapped; NULL: not mapped */
  uint32_t id, flags;
  uint32_t generation; /* of the device; a reset ends the registration */
  bool is_image;
} resource;

static const ma_class resource_class;

static bool is_lost(const resource *r) {
  return r->generation != __atomic_load_n(&r->device->generation, __ATOMIC_RELAXED);
}

static resource *find_resource(lua_State *L) {
  resource *r = ma_lua_self(L, &resource_class);
  if (!r->handle) ma_lua_fail(L, "a resource that was unregistered; register it again");
  return r;
}

static resource *check_resource(lua_State *L) {
  resource *r = find_resource(L);
  if (is_lost(r)) ma_lua_fail(L, "a resource from before the reset of %s; register it again", r->device->name);
  return r;
}

static resource *check_kind(lua_State *L, bool is_image) {
  resource *r = check_resource(L);
  if (r->is_image != is_image)
    ma_lua_fail(L, "%s",
                is_image ? "a buffer; read and write are for images: map it"
                         : "an image; it has no address: resource:read() and resource:write(array)");
  return r;
}

/* ==== Registering ================================================================================================ */

static uint32_t check_name(lua_State *L, int index) {
  int64_t id = ma_lua_checkint(L, index, "id");
  if (id <= 0 || id > UINT32_MAX) ma_lua_fail(L, "id %lld; wanted OpenGL's name of an object, from 1", (long long)id);
  return (uint32_t)id;
}

typedef struct named {
  const char *name;
  uint32_t value;
} named;
static const named all_flags[] = { { "none", 0 },
                                   { "read_only", MA_GL_READ_ONLY },
                                   { "write_discard", MA_GL_WRITE_DISCARD },
                                   { "surface", MA_GL_SURFACE },
                                   { NULL, 0 } };
static const named all_targets[] = { { "texture_2d", 0x0DE1 },       { "texture_rectangle", 0x84F5 },
                                     { "texture_cube_map", 0x8513 }, { "texture_2d_array", 0x8C1A },
                                     { "renderbuffer", 0x8D41 },     { NULL, 0 } };

static uint32_t check_named(lua_State *L, int index, const named *list, uint32_t fallback) {
  if (lua_isnil(L, index)) return fallback;
  const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
  double number = lua_type(L, index) == LUA_TNUMBER ? lua_tonumber(L, index) : -1;
  for (const named *n = list; n->name; n++)
    if (text ? !strcmp(text, n->name) : number == n->value) return n->value;
  lua_pushstring(L, "");
  for (const named *n = list; n->name; n++) {
    lua_pushfstring(L, "%s'%s'", n == list ? "" : n[1].name ? ", " : " or ", n->name);
    lua_concat(L, 2);
  }
  ma_lua_fail(L, "%s is %s; wanted %s", ma_lua_argname(L, index), ma_lua_describe(L, index), lua_tostring(L, -1));
  return 0;
}

/* The GPU that is meant: OpenGL's memory never belongs to the CPU device. */
static ma_device *check_device(lua_State *L, int index) {
  ma_device *device = lua_isnil(L, index) ? ma_lua_device(L) : ma_lua_optdevice(L, index);
  if (device->backend->gl.register_buffer) return device;
  if (ma_device_count("cuda") < 1)
    ma_lua_fail(L, "no GPU: %s; OpenGL's memory is mapped by CUDA's driver", ma_device_why_not());
  ma_lua_fail(L, "the device %s; OpenGL's memory is mapped on a GPU: device = 'cuda:0'", device->name);
  return NULL;
}

static resource *push_resource(lua_State *L, ma_device *device, uint32_t id, uint32_t flags, bool is_image) {
  resource *r = ma_lua_newobject(L, &resource_class);
  r->device = device;
  r->id = id;
  r->flags = flags;
  r->generation = device->generation;
  r->is_image = is_image;
  return r;
}

static int gl_register_buffer(lua_State *L) {
  uint32_t id = check_name(L, 1), flags = check_named(L, 2, all_flags, 0);
  ma_device *device = check_device(L, 3);
  resource *r = push_resource(L, device, id, flags, false);
  ma_lua_check(L, device->backend->gl.register_buffer(device, id, flags, &r->handle));
  return 1;
}

static int gl_register_image(lua_State *L) {
  uint32_t id = check_name(L, 1), target = check_named(L, 2, all_targets, all_targets[0].value),
           flags = check_named(L, 3, all_flags, 0);
  ma_device *device = check_device(L, 4);
  resource *r = push_resource(L, device, id, flags, true);
  ma_lua_check(L, device->backend->gl.register_image(device, id, target, flags, &r->handle));
  return 1;
}

/* ==== Mapping ==================================================================================================== */

static void map(lua_State *L, resource *r) {
  ma_stream *stream = ma_lua_stream_of(L, r->device);
  ma_lua_check(L, r->device->backend->gl.map(stream, r->handle));
  r->stream = stream;
}

/* OpenGL's next work waits for the stream, and the stream waits for all others that used the array. */
static ma_status unmap(resource *r) {
  ma_stream *stream = r->stream;
  if (!stream) return MA_OK;
  ma_status status = r->memory ? ma_lua_withdraw(&r->memory, stream) : MA_OK;
  if (is_lost(r)) { /* the driver no longer knows it */
    r->stream = NULL;
    return MA_OK;
  }
  ma_status after = r->device->backend->gl.unmap(stream, r->handle);
  r->stream = NULL;
  return status != MA_OK ? status : after;
}

/* Calls the function in slot 4 with the array on top, unmaps, and returns the function's results. */
static int map_call(lua_State *L, resource *r) {
  int base = lua_gettop(L) - 1;
  lua_pushvalue(L, 4);
  lua_insert(L, -2);
  int failed = lua_pcall(L, 1, LUA_MULTRET, 0);
  ma_status status = unmap(r);
  if (failed) return lua_error(L);
  ma_lua_check(L, status);
  return lua_gettop(L) - base;
}

static void push_mapped(lua_State *L, resource *r) {
  void *address = NULL;
  size_t nbytes = 0;
  ma_foreign f = {
    .device = r->device, .known = true, .readonly = (r->flags & MA_GL_READ_ONLY) != 0, .stream = r->stream
  };
  ma_lua_check(L, r->device->backend->gl.pointer(r->device, r->handle, &address, &nbytes));
  f.address = address;
  f.dtype = ma_lua_checkdtype(L, 3, MA_FLOAT32);
  int64_t itemsize = ma_dtypes[f.dtype].itemsize, size;
  char text[256];
  if (lua_isnil(L, 2)) {
    f.ndim = 1;
    f.shape[0] = (int64_t)nbytes / itemsize;
  } else {
    f.ndim = ma_lua_checkshape(L, 2, f.shape);
  }
  ma_lua_check(L, ma_shape_size(f.ndim, f.shape, (size_t)itemsize, &size));
  if (size * itemsize > (int64_t)nbytes)
    ma_lua_fail(L, "%s of %s takes %lld bytes; OpenGL's buffer %u has %lld",
                ma_shape_print(f.ndim, f.shape, text, sizeof text), ma_dtypes[f.dtype].name, (long long)size * itemsize,
                (unsigned)r->id, (long long)nbytes);
  ma_lua_pushforeign(L, &f, 1, &r->memory);
}

static int protected_push(lua_State *L) {
  push_mapped(L, ma_lua_toclass(L, 1, &resource_class));
  return 1;
}

/* map(resource, shape?, dtype?, fn?). After an error it unmaps again. */
static int resource_map(lua_State *L) {
  resource *r = check_kind(L, false);
  if (r->stream) return ma_lua_fail(L, "a buffer that is mapped; unmap it first");
  if (!lua_isnil(L, 4) && !lua_isfunction(L, 4))
    return ma_lua_fail(L, "fn is %s; wanted a function of the mapped array", ma_lua_describe(L, 4));
  map(L, r);
  ma_lua_pushclosure(L, ":map(resource, shape?, dtype?, fn?)", false, protected_push, 0);
  for (int k = 1; k <= 3; k++) lua_pushvalue(L, k);
  if (lua_pcall(L, 3, 1, 0)) {
    unmap(r);
    return lua_error(L);
  }
  return lua_isnil(L, 4) ? 1 : map_call(L, r);
}

static int resource_unmap(lua_State *L) {
  resource *r = check_resource(L);
  if (!r->stream) return ma_lua_fail(L, "a resource that is not mapped; wanted one after map");
  ma_lua_check(L, unmap(r));
  return 0;
}

static int resource_unregister(lua_State *L) {
  resource *r = find_resource(L);
  ma_status status = unmap(r);
  void *handle = r->handle;
  r->handle = NULL;
  ma_lua_check(L, status);
  if (is_lost(r)) return 0;
  ma_lua_check(L, r->device->backend->gl.unregister(r->device, handle));
  return 0;
}

static void release(void *of) {
  resource *r = of;
  if (!r->handle) return;
  unmap(r);
  if (!is_lost(r)) r->device->backend->gl.unregister(r->device, r->handle);
  r->handle = NULL;
}

/* ==== Images ===================================================================================================== */

/* Finds the layer and level of the mapped picture. */
static ma_status find_picture(const resource *r, int64_t layer, int64_t level, ma_gl_image *picture) {
  return r->device->backend->gl.image(r->device, r->handle, (int)layer, (int)level, picture);
}

static int64_t check_place(lua_State *L, int index, const char *what, int64_t first) {
  int64_t place = lua_isnil(L, index) ? first : ma_lua_checkint(L, index, what);
  if (place < first || place > 65535)
    ma_lua_fail(L, "%s %lld; wanted %lld or more", what, (long long)place, (long long)first);
  return place - first;
}

static int picture_shape(const ma_gl_image *picture, int64_t *shape) {
  shape[0] = picture->height;
  shape[1] = picture->width;
  shape[2] = picture->channels;
  return picture->channels == 1 ? 2 : 3;
}

/* Inside a mapping. Slots as for read and write. Pushes an array, or writes the one in slot 2. */
static int protected_read(lua_State *L) {
  const resource *r = ma_lua_toclass(L, 1, &resource_class);
  ma_gl_image picture;
  int64_t shape[3];
  void *address;
  ma_stream *stream = ma_lua_stream_of(L, r->device);
  ma_lua_check(L, find_picture(r, check_place(L, 2, "layer", 1), check_place(L, 3, "level", 0), &picture));
  int ndim = picture_shape(&picture, shape);
  ma_array *array = ma_lua_pushnew(L, r->device, picture.dtype, ndim, shape);
  MA_LUA_TRY(L, ma_array_write(array, stream, &address));
  ma_lua_check(L, r->device->backend->gl.copy(stream, &picture, address, false));
  return 1;
}

static void check_picture(lua_State *L, const ma_array *array, const ma_gl_image *picture) {
  int64_t shape[3];
  char found[256], wanted[256];
  int ndim = picture_shape(picture, shape);
  bool fits = array->ndim == ndim || (array->ndim == 3 && ndim == 2 && array->shape[2] == 1);
  for (int d = 0; fits && d < ndim; d++) fits = array->shape[d] == shape[d];
  if (fits && array->dtype == picture->dtype) return;
  ma_lua_fail(L, "a %s array %s; the image takes %s %s", ma_dtypes[array->dtype].name,
              ma_shape_print(array->ndim, array->shape, found, sizeof found), ma_dtypes[picture->dtype].name,
              ma_shape_print(ndim, shape, wanted, sizeof wanted));
}

static int protected_write(lua_State *L) {
  const resource *r = ma_lua_toclass(L, 1, &resource_class);
  ma_gl_image picture;
  const void *address;
  ma_stream *stream = ma_lua_stream_of(L, r->device);
  const ma_array *array = ma_lua_checkarray(L, 2);
  ma_lua_check(L, find_picture(r, check_place(L, 3, "layer", 1), check_place(L, 4, "level", 0), &picture));
  check_picture(L, array, &picture);
  if (ma_array_device(array) != r->device) {
    ma_lua_pushon(L, array, r->device);
    array = ma_lua_toarray(L, -1);
  }
  if (!ma_array_is_contiguous(array)) array = ma_lua_pushcopy(L, array, (ma_dtype)array->dtype);
  MA_LUA_TRY(L, ma_array_read(array, stream, &address));
  ma_lua_check(L, r->device->backend->gl.copy(stream, &picture, (void *)(uintptr_t)address, true));
  return 0;
}

/* Maps, runs the closure on top with the first n slots, and unmaps. */
static int while_mapped(lua_State *L, resource *r, int n, int nresult) {
  for (int k = 1; k <= n; k++) lua_pushvalue(L, k);
  map(L, r);
  int failed = lua_pcall(L, n, nresult, 0);
  ma_status status = unmap(r);
  if (failed) return lua_error(L);
  ma_lua_check(L, status);
  return nresult;
}

static int resource_read(lua_State *L) {
  resource *r = check_kind(L, true);
  ma_lua_pushclosure(L, ":read(resource, layer?, level?)", false, protected_read, 0);
  return while_mapped(L, r, 3, 1);
}

static int resource_write(lua_State *L) {
  resource *r = check_kind(L, true);
  ma_lua_checkarray(L, 2);
  if (r->flags & MA_GL_READ_ONLY)
    return ma_lua_fail(L, "an image that was registered as read_only; wanted other flags");
  ma_lua_pushclosure(L, ":write(resource, array, layer?, level?)", false, protected_write, 0);
  return while_mapped(L, r, 4, 0);
}

/* ==== The object ================================================================================================= */

static void push_id(lua_State *L, void *of, size_t place) { lua_pushnumber(L, ((const resource *)of)->id); }

/* Whether the pointer at that place is set. */
static void push_whether(lua_State *L, void *of, size_t place) {
  lua_pushboolean(L, *(void **)(void *)((char *)of + place) != NULL);
}

static void push_text(lua_State *L, void *of) {
  const resource *r = of;
  lua_pushfstring(L, "<OpenGL %s %d, %s>", r->is_image ? "image" : "buffer", (int)r->id, r->device->name);
}

//> = gl_resource | - | A buffer or an image of OpenGL.
static const ma_attribute attributes[] = {
  { "id", push_id, 0 },                                        //> . id: integer | OpenGL's name
  { "device", ma_push_device, offsetof(resource, device) },    //> . device: string | the GPU
  { "mapped", push_whether, offsetof(resource, stream) },      //> . mapped: boolean | whether CUDA has it
  { "registered", push_whether, offsetof(resource, handle) },  //> . registered: boolean | whether it is registered
  { NULL, NULL, 0 },
};
static const ma_method methods[] = {
  //> :map(shape?: integer|integer[], dtype?: dtype, fn?: function) -> array | An array over its memory until unmap.
  //> gl gl_resource:map gl_resource:unmap: local resource = ma.cuda.gl.register_buffer(buffer)
  //>   resource:map({256, 256}, "float32"):fill(0)
  //>   resource:unmap()
  //> = It prints nothing: what the program draws of the buffer next is zeros.
  { ":map(resource, shape?, dtype?, fn?)", resource_map },
  //> :unmap() | Gives it back to OpenGL.
  { ":unmap(resource)", resource_unmap },
  //> :unregister() | Ends it.
  //> gl gl_resource:unregister: local resource = ma.cuda.gl.register_buffer(buffer)
  //>   resource:unregister()
  //>   return resource.registered
  //> > false
  { ":unregister(resource)", resource_unregister },
  //> :read(layer?: integer, level?: integer) -> array | A copy of an image.
  //> gl gl_resource:read gl_resource:write: local resource = ma.cuda.gl.register_image(texture)
  //>   resource:write(resource:read())
  //> = It prints nothing: the texture has the same texels again.
  { ":read(resource; layer?, level?)", resource_read },
  //> :write(array: array, layer?: integer, level?: integer) | Writes an image.
  { ":write(resource, array; layer?, level?)", resource_write },
  { NULL, NULL },
};

static const ma_class resource_class = { .name = "cuda.gl",
                                         .word = "resource",
                                         .title = "moonarray OpenGL resource",
                                         .magic = 0x6d61676c72657366u,
                                         .size = sizeof(resource),
                                         .methods = methods,
                                         .attributes = attributes,
                                         .text = push_text,
                                         .release = release };

static const ma_function functions[] = {
  //> gl cuda.gl.register_buffer: ma.cuda.gl.register_buffer(buffer):map({256, 256}, "float32").shape
  //> > (256, 256)
  { "cuda.gl.register_buffer(id: integer; flags?: string, device?: string) -> gl_resource", gl_register_buffer,
    "OpenGL's buffer of that name as a resource: resource:map(shape, dtype) is an array over its memory until "
    "resource:unmap(). flags: 'read_only', "
    "'write_discard'." },
  //> gl cuda.gl.register_image: ma.cuda.gl.register_image(texture):read()
  //> = It prints the texels of the texture.
  { "cuda.gl.register_image(id: integer, target?: integer|string; flags?: string, device?: string) -> gl_resource",
    gl_register_image,
    "OpenGL's texture or renderbuffer as a resource: resource:read() copies it to an array (height, width, channels), "
    "resource:write(array) from one. "
    "target: 'texture_2d' unless it is another." },
  { NULL, NULL, NULL },
};

void ma_open_gl(lua_State *L) { ma_lua_register(L, functions); }
