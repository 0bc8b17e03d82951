/* jpeg.c: images as JPEG by libturbojpeg. Of its interface only functions that versions 1.4 to 3 share are called. */
#include "files/jpeg.h"
#include "system/system.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* turbojpeg.h's numbers */
enum { PIXELS_RGB = 0, PIXELS_GREY = 6 };
enum { SAMPLED_444 = 0, SAMPLED_420 = 2, SAMPLED_GREY = 3 };
enum { COLOURS_RGB, COLOURS_YCC, COLOURS_GREY };

/* No image has more samples for each byte: a block of 64 takes two bits at least, a progressive one somewhat less. */
#define MOST_SAMPLES 4096

static struct {
  void *(*init_decompress)(void), *(*init_compress)(void);
  int (*destroy)(void *handle);
  int (*header)(void *handle, const unsigned char *bytes, unsigned long nbytes, int *width, int *height, int *sampled,
                int *colours);
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
    { &tj.header, "tjDecompressHeader3" },
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

static ma_status damaged(void) { return ma_fail(MA_ERR_IO, "the JPEG is damaged: %.100s", tj.error()); }

static ma_status read_image(void *handle, ma_jpeg *jpeg, const void *bytes, size_t nbytes) {
  int sampled = -1, colours = -1;
  if (tj.header(handle, bytes, (unsigned long)nbytes, &jpeg->width, &jpeg->height, &sampled, &colours) != 0)
    return damaged();
  if (jpeg->width < 1 || jpeg->height < 1) return ma_fail(MA_ERR_IO, "the JPEG is damaged: it has tables alone");
  if (colours > COLOURS_GREY)
    return ma_fail(MA_ERR_IO, "a JPEG of four colours for print (CMYK); grey, RGB and YCbCr are read");
  jpeg->channels = colours == COLOURS_GREY ? 1 : 3;
  size_t row = (size_t)jpeg->width * (size_t)jpeg->channels, size = row * (size_t)jpeg->height;
  if (size / MOST_SAMPLES > nbytes)
    return ma_fail(MA_ERR_IO, "the JPEG is damaged: %zu bytes are too few for its %d x %d pixels", nbytes, jpeg->width,
                   jpeg->height);
  jpeg->samples = malloc(size);
  if (!jpeg->samples) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for a JPEG", size);
  int format = jpeg->channels == 1 ? PIXELS_GREY : PIXELS_RGB;
  if (tj.decompress(handle, bytes, (unsigned long)nbytes, jpeg->samples, jpeg->width, (int)row, jpeg->height, format,
                    0) == 0)
    return MA_OK;
  free(jpeg->samples);
  jpeg->samples = NULL;
  return damaged();
}

ma_status ma_jpeg_read(ma_jpeg *jpeg, const void *bytes, size_t nbytes) {
  *jpeg = (ma_jpeg){ 0 };
  MA_TRY(need_library());
  if (nbytes > UINT32_MAX) return ma_fail(MA_ERR_IO, "a JPEG of %zu bytes", nbytes);
  void *handle = tj.init_decompress();
  if (!handle) return ma_fail(MA_ERR_LIBRARY, "libturbojpeg: %.100s", tj.error());
  ma_status status = read_image(handle, jpeg, bytes, nbytes);
  tj.destroy(handle);
  return status;
}

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
