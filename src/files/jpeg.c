/* jpeg.c: images as JPEG by libturbojpeg. Of its interface only functions that versions 1.4 to 3 share are called. */
#include "files/jpeg.h"
#include "files/png.h"
#include "system/system.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* turbojpeg.h's numbers */
enum { PIXELS_RGB = 0, PIXELS_GREY = 6 };
enum { SAMPLED_444 = 0, SAMPLED_420 = 2, SAMPLED_GREY = 3 };

/* No image has more samples for each byte: a block of 64 takes two bits at least, a progressive one somewhat less. */
#define MOST_SAMPLES 4096

static struct {
  void *(*init_decompress)(void), *(*init_compress)(void);
  int (*destroy)(void *handle);
  int (*decompress)(void *handle, const unsigned char *bytes, unsigned long nbytes, unsigned char *to, int width,
                    int pitch, int height, int format, int flags);
  int (*compress)(void *handle, const unsigned char *from, int width, int pitch, int height, int format,
                  unsigned char **bytes, unsigned long *nbytes, int sampled, int quality, int flags);
  void (*free)(unsigned char *bytes);
  char *(*error)(void);
} tj;

static bool is_open;
static pthread_once_t open_once = PTHREAD_ONCE_INIT;

static void open_library(void) {
  static const char *const files[MA_NSYSTEM][2] = { { "libturbojpeg.so.0", "libturbojpeg.so" },
                                                    { "turbojpeg.dll", "libturbojpeg.dll" } };
  void *library = dlopen(files[ma_system.id][0], RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen(files[ma_system.id][1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  const struct {
    void *to;
    const char *name;
  } symbols[] = {
    { &tj.init_decompress, "tjInitDecompress" },
    { &tj.init_compress, "tjInitCompress" },
    { &tj.destroy, "tjDestroy" },
    { &tj.decompress, "tjDecompress2" },
    { &tj.compress, "tjCompress2" },
    { &tj.free, "tjFree" },
    { &tj.error, "tjGetErrorStr" },
  };
  for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++)
    if (!(*(void **)symbols[k].to = dlsym(library, symbols[k].name))) return;
  is_open = true;
}

static ma_status need_library(void) {
  pthread_once(&open_once, open_library);
  if (is_open) return MA_OK;
  return ma_fail(MA_ERR_LIBRARY, "JPEG needs libturbojpeg, which is not found; apt-get install libturbojpeg0 (Debian) "
                                 "or libturbojpeg (Ubuntu)");
}

static ma_status damaged(const char *what) { return ma_fail(MA_ERR_IO, "the JPEG is damaged: %.100s", what); }

/* ==== Reading ==================================================================================================== */

static int get16(const uint8_t *p) { return p[0] << 8 | p[1]; }

/* The frame's head: a segment of one of the markers C0 to CF, of which three are something else. It says what the
** pixels are; libturbojpeg's own look at it refuses samplings that it can read. */
static ma_status find_frame(const uint8_t *bytes, size_t nbytes, const uint8_t **frame) {
  size_t at = 2;
  while (at + 4 <= nbytes && bytes[at] == 0xff) {
    int marker = bytes[at + 1];
    if (marker == 0xff || marker == 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      at += marker == 0xff ? 1 : 2; /* filling, and markers without a segment */
      continue;
    }
    if (marker == 0xd9 || marker == 0xda) break;
    size_t length = (size_t)get16(bytes + at + 2);
    if (length < 2 || length > nbytes - at - 2) return damaged("a segment is longer than the file");
    if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc) {
      *frame = bytes + at + 1;
      return length < 8 ? damaged("its head is too short") : MA_OK;
    }
    at += 2 + length;
  }
  return damaged("it has no picture");
}

ma_status ma_jpeg_scan(ma_jpeg *jpeg, const void *bytes, size_t nbytes, int64_t most) {
  const uint8_t *frame = NULL;
  *jpeg = (ma_jpeg){ 0 };
  MA_TRY(need_library());
  if (nbytes > UINT32_MAX) return ma_fail(MA_ERR_IO, "a JPEG of %zu bytes", nbytes);
  MA_TRY(find_frame(bytes, nbytes, &frame));
  int kind = frame[0], bits = frame[3], channels = frame[8];
  jpeg->height = get16(frame + 4);
  jpeg->width = get16(frame + 6);
  if (kind > 0xc2 && kind != 0xc9 && kind != 0xca)
    return ma_fail(MA_ERR_IO, "a JPEG that is lossless or hierarchical; baseline and progressive ones are read");
  if (bits != 8) return ma_fail(MA_ERR_IO, "a JPEG of %d bits a sample; those of 8 bits are read", bits);
  if (channels == 4) return ma_fail(MA_ERR_IO, "a JPEG of four colours for print (CMYK); grey, RGB and YCbCr are read");
  if (channels != 1 && channels != 3)
    return ma_fail(MA_ERR_IO, "a JPEG of %d colours; grey, RGB and YCbCr are read", channels);
  if (jpeg->width < 1 || jpeg->height < 1) return damaged("it has no pixels");
  jpeg->channels = channels;
  if (jpeg->width > most / jpeg->height) return ma_image_too_large(jpeg->width, jpeg->height, most);
  size_t size = (size_t)jpeg->width * (size_t)channels * (size_t)jpeg->height;
  if (size / MOST_SAMPLES > nbytes)
    return ma_fail(MA_ERR_IO, "the JPEG is damaged: %zu bytes are too few for its %d x %d pixels", nbytes, jpeg->width,
                   jpeg->height);
  return MA_OK;
}

ma_status ma_jpeg_read(const ma_jpeg *jpeg, const void *bytes, size_t nbytes) {
  void *handle = tj.init_decompress();
  if (!handle) return ma_fail(MA_ERR_LIBRARY, "libturbojpeg: %.100s", tj.error());
  int code = tj.decompress(handle, bytes, (unsigned long)nbytes, jpeg->samples, jpeg->width,
                           jpeg->width * jpeg->channels, jpeg->height, jpeg->channels == 1 ? PIXELS_GREY : PIXELS_RGB,
                           0);
  ma_status status = code == 0 ? MA_OK : damaged(tj.error());
  tj.destroy(handle);
  return status;
}

/* ==== Writing ==================================================================================================== */

ma_status ma_jpeg_write(const ma_jpeg *jpeg, int quality, bool full, void **bytes, size_t *nbytes) {
  unsigned char *out = NULL;
  unsigned long size = 0;
  *bytes = NULL;
  MA_TRY(need_library());
  void *handle = tj.init_compress();
  if (!handle) return ma_fail(MA_ERR_LIBRARY, "libturbojpeg: %.100s", tj.error());
  bool grey = jpeg->channels == 1;
  int code = tj.compress(handle, jpeg->samples, jpeg->width, jpeg->width * jpeg->channels, jpeg->height,
                         grey ? PIXELS_GREY : PIXELS_RGB, &out, &size,
                         grey   ? SAMPLED_GREY
                         : full ? SAMPLED_444
                                : SAMPLED_420,
                         quality, 0);
  ma_status status = code == 0 ? MA_OK : ma_fail(MA_ERR_LIBRARY, "libturbojpeg: %.100s", tj.error());
  tj.destroy(handle);
  if (status != MA_OK && out) tj.free(out);
  if (status != MA_OK) return status;
  *bytes = out;
  *nbytes = size;
  return MA_OK;
}

void ma_jpeg_free(void *bytes) {
  if (bytes) tj.free(bytes);
}
