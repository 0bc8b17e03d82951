/* images.c: images as PNG, in uint8 or uint16, and as JPEG, in uint8. lua/moonarray/image has the user's functions. */
#include "memory/wait.h"
#include "bind/files/files.h"
#include "files/jpeg.h"
#include "files/png.h"

#include <string.h>

#define MOST_PIXELS 65500 /* of a side of a JPEG; libjpeg's limit */

/* ==== Writing ==== */

/* The palette: nil, or a (n, 3) or (n, 4) array of uint8. */
static void check_palette(lua_State *L, int index, ma_png *png) {
  if (lua_isnil(L, index)) return;
  ma_array *array = ma_lua_checkarray(L, index);
  if (array->dtype != MA_UINT8 || array->ndim != 2 || array->shape[0] < 1 || array->shape[0] > 256 ||
      (array->shape[1] != 3 && array->shape[1] != 4))
    ma_lua_fail(L, "the palette is %s; wanted a (n, 3) or (n, 4) array of uint8 with n from 1 to 256",
                ma_lua_describe(L, index));
  if (png->channels != 1 || png->depth != 8)
    ma_lua_fail(L, "a palette for an image that is not (height, width) of uint8");
  const char *bytes = ma_lua_pushhost(L, array);
  png->npalette = (int)array->shape[0];
  for (int k = 0; k < png->npalette; k++) {
    png->palette[k][3] = 255;
    memcpy(png->palette[k], bytes + k * array->shape[1], (size_t)array->shape[1]);
  }
}

/* Fills `png` with the array's pixels on the host, which stay on the stack. */
static void check_image(lua_State *L, int index, int palette, ma_png *png) {
  ma_array *array = ma_lua_checkarray(L, index);
  *png = (ma_png){ .depth = array->dtype == MA_UINT16 ? 16 : 8 };
  bool image = array->ndim == 2 || (array->ndim == 3 && array->shape[2] >= 1 && array->shape[2] <= 4);
  if (!image || (array->dtype != MA_UINT8 && array->dtype != MA_UINT16))
    ma_lua_fail(L, "the image is %s; wanted (height, width) or (height, width, 1 to 4) of uint8 or uint16",
                ma_lua_describe(L, index));
  if (array->size == 0 || array->shape[0] > INT32_MAX || array->shape[1] > INT32_MAX)
    ma_lua_fail(L, "an image of %lld x %lld pixels; wanted 1 to %d of each", (long long)array->shape[0],
                (long long)array->shape[1], INT32_MAX);
  png->height = array->shape[0];
  png->width = array->shape[1];
  png->channels = array->ndim == 2 ? 1 : (int)array->shape[2];
  check_palette(L, palette, png);
  png->samples = (uint8_t *)ma_lua_pushhost(L, array);
}

static int png_write(lua_State *L) {
  enum { FILE_ = 1, ARRAY, COLORS };
  ma_png png;
  check_image(L, ARRAY, COLORS, &png);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  ma_output *out = ma_lua_openoutput(L, FILE_, s, NULL);
  ma_sink sink;
  ma_sink_output(&sink, out);
  ma_lua_closewritten(L, FILE_, s, ma_png_write(&png, &sink));
  return 0;
}

static int png_encode(lua_State *L) {
  enum { ARRAY = 1, COLORS };
  ma_png png;
  check_image(L, ARRAY, COLORS, &png);
  size_t room = (size_t)ma_png_room(&png);
  void *bytes = lua_newuserdata(L, room);
  ma_sink sink;
  ma_sink_memory(&sink, bytes, room);
  ma_lua_check(L, ma_png_write(&png, &sink));
  lua_pushlstring(L, bytes, (size_t)sink.written);
  return 1;
}

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

/* ==== Reading ==== */

/* Slots: bytes, max_pixels, device?. */
static int decode(lua_State *L, bool is_png) {
  enum { BYTES = 1, MOST, DEVICE };
  ma_lua_checkstring(L, BYTES);
  int64_t most = ma_lua_checkint(L, MOST, "max_pixels");
  ma_device *device = ma_lua_optdevice(L, DEVICE);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  size_t nbytes;
  const char *bytes = lua_tolstring(L, BYTES, &nbytes);
  ma_source source;
  ma_png png = { .depth = 8 };
  ma_jpeg jpeg;
  ma_source_memory(&source, bytes, nbytes);
  if (is_png) {
    ma_lua_check(L, ma_png_scan(&png, &source, most, &s->png));
  } else {
    ma_lua_check(L, ma_jpeg_scan(&jpeg, bytes, nbytes, most));
    png.height = jpeg.height, png.width = jpeg.width, png.channels = jpeg.channels;
  }
  int64_t shape[] = { png.height, png.width, png.channels };
  void *samples;
  ma_array *array = ma_lua_pushfilled(L, png.depth == 16 ? MA_UINT16 : MA_UINT8, png.channels == 1 ? 2 : 3, shape,
                                      &samples);
  png.samples = jpeg.samples = samples;
  ma_lua_endfilled(L, s, is_png ? ma_png_read(s->png) : ma_jpeg_read(&jpeg, bytes, nbytes), array, device);
  return 1;
}

static int png_decode(lua_State *L) { return decode(L, true); }
static int jpeg_decode(lua_State *L) { return decode(L, false); }

/* The checksum of a chunk, for the chunks of animations. */
static int crc32_of(lua_State *L) {
  enum { BYTES = 1 };
  ma_lua_checkstring(L, BYTES);
  size_t nbytes;
  const char *bytes = lua_tolstring(L, BYTES, &nbytes);
  lua_pushnumber(L, ma_crc32(0, bytes, nbytes));
  return 1;
}

static const ma_function functions[] = {
  { "core.png_write(file, image, palette?)", png_write, NULL },
  { "core.png_encode(image, palette?)", png_encode, NULL },
  { "core.png_decode(bytes, max_pixels, device?)", png_decode, NULL },
  { "core.jpeg_encode(image, quality, full?)", jpeg_encode, NULL },
  { "core.jpeg_decode(bytes, max_pixels, device?)", jpeg_decode, NULL },
  { "core.crc32(bytes)", crc32_of, NULL },
  { NULL, NULL, NULL },
};

void ma_open_images(lua_State *L) { ma_lua_register(L, functions); }
