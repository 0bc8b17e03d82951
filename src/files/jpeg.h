/* jpeg.h: images as JPEG by libturbojpeg, which is opened at the first use. */
#ifndef MOONARRAY_JPEG_H
#define MOONARRAY_JPEG_H

#include "files/files.h"

#pragma GCC visibility push(hidden)

typedef struct ma_jpeg {
  int width, height, channels; /* 1 grey, 3 RGB */
  uint8_t *samples;            /* rows of pixels, the caller's memory */
} ma_jpeg;

/* Reads all but the pixels. More than `most` of them are refused. A damaged image is an error. */
ma_status ma_jpeg_scan(ma_jpeg *jpeg, const void *bytes, size_t nbytes, int64_t most);
ma_status ma_jpeg_read(const ma_jpeg *jpeg, const void *bytes, size_t nbytes); /* fills jpeg->samples, after a scan */
/* Sets *bytes, which ma_jpeg_free frees. `quality` is 1 to 100; with `full` colours have a sample for each pixel. */
ma_status ma_jpeg_write(const ma_jpeg *jpeg, int quality, bool full, void **bytes, size_t *nbytes);
void ma_jpeg_free(void *bytes); /* NULL is harmless */

#pragma GCC visibility pop
#endif
