/*
** texture.c: the objects of ma.cuda.texture that hold something of the device: CUDA arrays, texture objects and surface
** objects. lua/moonarray/device/texture.lua makes their descriptors and checks them. The attributes of an object are in
** its environment, a table of that file.
*/
#include "bind/device/texture.h"

#include <string.h>

#define IMAGE_METATABLE "moonarray.texture.image"
#define OBJECT_METATABLE "moonarray.texture.object"

typedef struct image {
  ma_buffer *buffer; /* NULL: freed */
  ma_texels texels;
} image;

/* ==== Fields of a table that the Lua layer made =================================================================== */

static int64_t integer_of(lua_State *L, int index, const char *field) {
  lua_getfield(L, index, field);
  int64_t value = (int64_t)lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

static bool flag_of(lua_State *L, int index, const char *field) {
  lua_getfield(L, index, field);
  bool value = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return value;
}

/* The numbers of a list; those that it lacks are 0. */
static void numbers_of(lua_State *L, int index, const char *field, double *to, int n) {
  lua_getfield(L, index, field);
  for (int k = 0; k < n; k++) {
    lua_rawgeti(L, -1, k + 1);
    to[k] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static ma_texels texels_of(lua_State *L, int index) {
  ma_texels t = { .ndim = (int)integer_of(L, index, "ndim"), .channels = (int)integer_of(L, index, "channels") };
  double extent[3];
  numbers_of(L, index, "extent", extent, 3);
  for (int axis = 0; axis < 3; axis++) t.extent[axis] = axis < t.ndim ? (int64_t)extent[axis] : 1;
  lua_getfield(L, index, "dtype");
  t.dtype = ma_lua_checkdtype(L, lua_gettop(L), MA_FLOAT32);
  lua_pop(L, 1);
  return t;
}

static void *push_object(lua_State *L, size_t size, const char *metatable, int fields) {
  void *object = lua_newuserdata(L, size);
  memset(object, 0, size);
  lua_getfield(L, LUA_REGISTRYINDEX, metatable);
  lua_setmetatable(L, -2);
  lua_pushvalue(L, fields);
  lua_setfenv(L, -2);
  return object;
}

/* ==== CUDA arrays ================================================================================================= */

static image *check_image(lua_State *L, int index) {
  image *i = ma_lua_toobject(L, index, IMAGE_METATABLE);
  if (!i) ma_lua_fail(L, "%s in place of the CUDA array; write array:method()", ma_lua_describe(L, index));
  if (!i->buffer) ma_lua_fail(L, "a CUDA array that was freed");
  return i;
}

/* core.texture_image(texels, fields, flags), on the current device */
static int new_image(lua_State *L) {
  ma_texels texels = texels_of(L, 1);
  ma_device *device = ma_lua_stream(L)->device;
  image *i = push_object(L, sizeof *i, IMAGE_METATABLE, 2);
  i->texels = texels;
  MA_LUA_TRY(L, ma_image_new(device, &texels, (unsigned)lua_tonumber(L, 3), &i->buffer));
  return 1;
}

/* core.texture_copy(image, array, to_image): the array is contiguous, of the image's device and dtype. */
static int copy_image(lua_State *L) {
  image *i = check_image(L, 1);
  ma_array *array = ma_lua_checkarray(L, 2);
  ma_stream *stream = ma_lua_stream_of(L, i->buffer->device);
  if (ma_array_device(array) != i->buffer->device)
    return ma_lua_fail(L, "an array on %s; wanted one on %s", ma_array_device(array)->name, i->buffer->device->name);
  MA_LUA_TRY(L, ma_image_copy(i->buffer, &i->texels, array, lua_toboolean(L, 3), stream));
  return 0;
}

static int image_gc(lua_State *L) {
  image *i = ma_lua_toobject(L, 1, IMAGE_METATABLE);
  if (i && i->buffer) ma_buffer_release(i->buffer);
  if (i) i->buffer = NULL;
  return 0;
}

/* ==== Texture and surface objects ================================================================================= */

const ma_texture_object *ma_lua_totexture(lua_State *L, int index) {
  const ma_texture_object *object = ma_lua_toobject(L, index, OBJECT_METATABLE);
  if (object && !object->buffer) ma_lua_fail(L, "a texture or surface object that was freed");
  return object;
}

/* core.texture_object(description, fields, source): source is a CUDA array or an array. */
static int new_object(lua_State *L) {
  double address[3], border[4];
  image *i = ma_lua_toobject(L, 3, IMAGE_METATABLE);
  if (i) check_image(L, 3);
  const ma_array *array = i ? NULL : ma_lua_checkarray(L, 3);
  ma_texture t = { .kind = (ma_texture_kind)integer_of(L, 1, "kind"),
                   .texels = i ? i->texels : texels_of(L, 1),
                   .surface = flag_of(L, 1, "surface"),
                   .pitch = integer_of(L, 1, "pitch"),
                   .linear_filter = flag_of(L, 1, "linear_filter"),
                   .normalized_float = flag_of(L, 1, "normalized_float"),
                   .normalized = flag_of(L, 1, "normalized"),
                   .srgb = flag_of(L, 1, "srgb"),
                   .anisotropy = (unsigned)integer_of(L, 1, "anisotropy") };
  numbers_of(L, 1, "address", address, 3);
  numbers_of(L, 1, "border", border, 4);
  for (int k = 0; k < 3; k++) t.address[k] = (int)address[k];
  for (int k = 0; k < 4; k++) t.border[k] = (float)border[k];
  ma_stream *stream = ma_lua_stream_of(L, i ? i->buffer->device : ma_array_device(array));
  ma_texture_object *object = push_object(L, sizeof *object, OBJECT_METATABLE, 2);
  MA_LUA_TRY(L, ma_texture_new(object, &t, i ? i->buffer : NULL, array, stream));
  return 1;
}

static int object_gc(lua_State *L) {
  ma_texture_object *object = ma_lua_toobject(L, 1, OBJECT_METATABLE);
  if (object) ma_texture_release(object);
  return 0;
}

/* core.texture_free(object): of either type; harmless if called twice. */
static int free_object(lua_State *L) {
  image_gc(L);
  return object_gc(L);
}

/* core.texture_fields(object): the attributes, and which type it is, "image" or "object"; nothing for another value. */
static int fields_of(lua_State *L) {
  bool is_image = ma_lua_toobject(L, 1, IMAGE_METATABLE) != NULL;
  if (!is_image && !ma_lua_toobject(L, 1, OBJECT_METATABLE)) return 0;
  lua_getfenv(L, 1);
  lua_pushstring(L, is_image ? "image" : "object");
  return 2;
}

/* ==== Attributes ================================================================================================== */

static int push_attribute(lua_State *L, const ma_buffer *buffer) {
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(3));
  if (!lua_isnil(L, -1)) return 1;
  lua_getfenv(L, 1);
  lua_getfield(L, -1, key);
  if (!lua_isnil(L, -1)) return 1;
  if (!buffer && (!strcmp(key, "ptr") || !strcmp(key, "device"))) ma_lua_fail(L, "an object that was freed");
  if (buffer && !strcmp(key, "ptr")) lua_pushnumber(L, (lua_Number)(uintptr_t)buffer->ptr);
  else if (buffer && !strcmp(key, "device")) lua_pushstring(L, buffer->device->name);
  else {
    lua_pushvalue(L, lua_upvalueindex(3));
    return ma_lua_unknown(L, "cuda.texture", "attribute", key, lua_gettop(L));
  }
  return 1;
}

static int image_index(lua_State *L) {
  const image *i = ma_lua_toobject(L, 1, IMAGE_METATABLE);
  return push_attribute(L, i ? i->buffer : NULL);
}

static int object_index(lua_State *L) {
  const ma_texture_object *object = ma_lua_toobject(L, 1, OBJECT_METATABLE);
  return push_attribute(L, object ? object->buffer : NULL);
}

static int push_text(lua_State *L) {
  if (!ma_lua_toobject(L, 1, IMAGE_METATABLE) && !ma_lua_toobject(L, 1, OBJECT_METATABLE)) {
    lua_pushliteral(L, "<texture>");
    return 1;
  }
  lua_getfenv(L, 1);
  lua_getfield(L, -1, "text");
  return 1;
}

static void set_metatable(lua_State *L, const char *name, const ma_object_type *type, const char *methods) {
  lua_newtable(L);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  ma_lua_file(L, methods);
  ma_lua_settype(L, type);
  lua_setfield(L, LUA_REGISTRYINDEX, name);
}

static const ma_function functions[] = {
  { "core.texture_image(texels, fields, flags)", new_image, NULL },
  { "core.texture_copy(image, array, to_image)", copy_image, NULL },
  { "core.texture_object(description, fields, source)", new_object, NULL },
  { NULL, NULL, NULL },
};

static const ma_function plain[] = { { "core.texture_free(object)", free_object, NULL },
                                     { "core.texture_fields(object)", fields_of, NULL },
                                     { NULL, NULL, NULL } };

void ma_open_texture(lua_State *L) {
  static const ma_object_type image_type = { "moonarray CUDA array", ":CUDAarray(array, key)", image_index, push_text,
                                             image_gc };
  static const ma_object_type object_type = { "moonarray texture object", ":TextureObject(object, key)", object_index,
                                              push_text, object_gc };
  set_metatable(L, IMAGE_METATABLE, &image_type, "core.cuda_array_methods");
  set_metatable(L, OBJECT_METATABLE, &object_type, "core.texture_methods");
  ma_lua_register(L, functions);
  ma_lua_registerplain(L, plain);
}
