/*
** texture.c: the objects of ma.cuda.texture that hold something of the device: CUDA arrays, texture objects and surface
** objects. lua/moonarray/device/texture.lua makes their descriptors and checks them. The attributes of an object are in
** its environment, a table of that file.
*/
#include "bind/device/texture.h"

#include <string.h>

typedef struct image {
  uint64_t magic;
  ma_buffer *buffer; /* NULL: freed */
  ma_texels texels;
} image;

typedef struct object {
  uint64_t magic;
  ma_texture_object texture;
} object;

static const ma_class image_class, object_class;

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

/* Pushes an object whose fields are in the table of that slot. */
static void *push_object(lua_State *L, const ma_class *class, int fields) {
  void *made = ma_lua_newobject(L, class);
  lua_pushvalue(L, fields);
  lua_setfenv(L, -2);
  return made;
}

/* ==== CUDA arrays ================================================================================================= */

static image *check_image(lua_State *L, int index) {
  image *i = ma_lua_toclass(L, index, &image_class);
  if (!i) ma_lua_fail(L, "%s in place of the CUDA array; write array:method()", ma_lua_describe(L, index));
  if (!i->buffer) ma_lua_fail(L, "a CUDA array that was freed");
  return i;
}

/* core.texture_image(texels, fields, flags), on the current device */
static int new_image(lua_State *L) {
  ma_texels texels = texels_of(L, 1);
  ma_device *device = ma_lua_stream(L)->device;
  image *i = push_object(L, &image_class, 2);
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

static void release_image(void *of) {
  image *i = of;
  if (i->buffer) ma_buffer_release(i->buffer);
  i->buffer = NULL;
}

/* ==== Texture and surface objects ================================================================================= */

const ma_texture_object *ma_lua_totexture(lua_State *L, int index) {
  const object *o = ma_lua_toclass(L, index, &object_class);
  if (o && !o->texture.buffer) ma_lua_fail(L, "a texture or surface object that was freed");
  return o ? &o->texture : NULL;
}

/* core.texture_object(description, fields, source): source is a CUDA array or an array. */
static int new_object(lua_State *L) {
  double address[3], border[4];
  image *i = ma_lua_toclass(L, 3, &image_class);
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
  ma_texture_object *made = &((object *)push_object(L, &object_class, 2))->texture;
  MA_LUA_TRY(L, ma_texture_new(made, &t, i ? i->buffer : NULL, array, stream));
  return 1;
}

static void release_object(void *of) { ma_texture_release(&((object *)of)->texture); }

/* core.texture_free(object): of either type; harmless if called twice. */
static int free_object(lua_State *L) {
  image *i = ma_lua_toclass(L, 1, &image_class);
  object *o = ma_lua_toclass(L, 1, &object_class);
  if (i) release_image(i);
  if (o) release_object(o);
  return 0;
}

/* core.texture_fields(object): the attributes, and which type it is, "image" or "object"; nothing for another value. */
static int fields_of(lua_State *L) {
  bool is_image = ma_lua_toclass(L, 1, &image_class) != NULL;
  if (!is_image && !ma_lua_toclass(L, 1, &object_class)) return 0;
  lua_getfenv(L, 1);
  lua_pushstring(L, is_image ? "image" : "object");
  return 2;
}

/* ==== Attributes ================================================================================================== */

/* The buffer at that place of the object. */
static const ma_buffer *buffer_of(lua_State *L, const void *of, size_t place) {
  const ma_buffer *buffer = *(ma_buffer *const *)(const void *)((const char *)of + place);
  if (!buffer) ma_lua_fail(L, "an object that was freed");
  return buffer;
}

static void push_ptr(lua_State *L, void *of, size_t place) {
  lua_pushnumber(L, (lua_Number)(uintptr_t)buffer_of(L, of, place)->ptr);
}

static void push_device(lua_State *L, void *of, size_t place) {
  lua_pushstring(L, buffer_of(L, of, place)->device->name);
}

static void push_text(lua_State *L, void *of) {
  lua_getfenv(L, 1);
  lua_getfield(L, -1, "text");
}

#define ATTRIBUTES(place)                                                           \
  {                                                                                 \
    { "ptr", push_ptr, place }, { "device", push_device, place }, { NULL, NULL, 0 } \
  }
static const ma_attribute image_attributes[] = ATTRIBUTES(offsetof(image, buffer));
static const ma_attribute object_attributes[] = ATTRIBUTES(offsetof(object, texture.buffer));

static const ma_class image_class = { .name = "cuda.texture",
                                      .word = "array",
                                      .title = "moonarray CUDA array",
                                      .magic = 0x6d61637564616172u,
                                      .size = sizeof(image),
                                      .attributes = image_attributes,
                                      .has_fields = true,
                                      .text = push_text,
                                      .release = release_image };
static const ma_class object_class = { .name = "cuda.texture",
                                       .word = "object",
                                       .title = "moonarray texture object",
                                       .magic = 0x6d61746578747572u,
                                       .size = sizeof(object),
                                       .attributes = object_attributes,
                                       .has_fields = true,
                                       .text = push_text,
                                       .release = release_object };

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
  ma_lua_filemethods(L, &image_class, "core.cuda_array_methods");
  ma_lua_filemethods(L, &object_class, "core.texture_methods");
  ma_lua_register(L, functions);
  ma_lua_registerplain(L, plain);
}
