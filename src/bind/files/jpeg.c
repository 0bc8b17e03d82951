/* jpeg.c: images in uint8 as JPEG. lua/moonarray/image has the user's functions. */
#include "bind/files/files.h"
#include "files/jpeg.h"

#define MOST_PIXELS 65500 /* of a side; libjpeg's limit */

/* core.jpeg_encode(image, quality, full): the bytes of a JPEG; the image is (height, width) or (height, width, 3). */
static int jpeg_encode(lua_State *L) {
  enum { IMAGE = 1, QUALITY, FULL };
  ma_array *array = ma_lua_checkarray(L, IMAGE);
  int quality = (int)ma_lua_checkint(L, QUALITY, "quality");
  bool image = array->ndim == 2 || (array->ndim == 3 && (array->shape[2] == 1 || array->shape[2] == 3));
  if (!image || array->dtype != MA_UINT8)
    ma_lua_fail(L, "the image is %s; wanted (height, width) or (height, width, 1 or 3) of uint8",
                ma_lua_describe(L, IMAGE));
  if (array->size == 0 || array->shape[0] > MOST_PIXELS || array->shape[1] > MOST_PIXELS)
    ma_lua_fail(L, "an image of %lld x %lld pixels; a JPEG has 1 to %d of each", (long long)array->shape[0],
                (long long)array->shape[1], MOST_PIXELS);
  ma_jpeg jpeg = { .height = (int)array->shape[0],
                   .width = (int)array->shape[1],
                   .channels = array->ndim == 3 ? (int)array->shape[2] : 1 };
  jpeg.samples = (uint8_t *)ma_lua_pushhost(L, array);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  void *bytes;
  size_t nbytes;
  ma_lua_check(L, ma_jpeg_write(&jpeg, quality, lua_toboolean(L, FULL), &bytes, &nbytes));
  s->jpeg = bytes;
  lua_pushlstring(L, bytes, nbytes);
  ma_lua_endscratch(s);
  return 1;
}

static int jpeg_decode(lua_State *L) {
  enum { BYTES = 1, MOST, DEVICE };
  ma_lua_checkstring(L, BYTES);
  int64_t most = ma_lua_checkint(L, MOST, "max_pixels");
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  size_t nbytes;
  const char *bytes = lua_tolstring(L, BYTES, &nbytes);
  ma_jpeg jpeg;
  ma_lua_check(L, ma_jpeg_scan(&jpeg, bytes, nbytes, most));
  int64_t shape[] = { jpeg.height, jpeg.width, jpeg.channels };
  void *samples;
  ma_array *array = ma_lua_pushfilled(L, MA_UINT8, jpeg.channels == 1 ? 2 : 3, shape, &samples);
  jpeg.samples = samples;
  ma_lua_endfilled(L, s, ma_jpeg_read(&jpeg, bytes, nbytes), array, device);
  return 1;
}

static const ma_function functions[] = {
  { "core.jpeg_encode(image, quality, full?)", jpeg_encode, NULL },
  { "core.jpeg_decode(bytes, max_pixels, device?)", jpeg_decode, NULL },
  { NULL, NULL, NULL },
};

void ma_open_jpeg(lua_State *L) { ma_lua_register(L, functions); }
