/* png.h: images as PNG (ISO/IEC 15948). What is read is not trusted: a damaged image gives an error. */
#ifndef MOONARRAY_PNG_H
#define MOONARRAY_PNG_H

#include "files/files.h"

#pragma GCC visibility push(hidden)

typedef struct ma_png {
  int64_t height, width;
  int channels;            /* 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA */
  int depth;               /* bits of a sample: 8 or 16 */
  int npalette;            /* 0, or the colours of a palette: samples are places in it, from 0 */
  uint8_t palette[256][4]; /* RGBA */
  uint8_t *samples;        /* rows of samples, the caller's memory; 16 bits are in the machine's order */
} ma_png;

typedef struct ma_png_reader ma_png_reader; /* the packed data of an image that is read */

/* Reads all but the samples: height, width, channels and depth. Samples of fewer than 8 bits will be of 8, a palette's
** places its colours, and a transparent colour an alpha channel. More than `most` pixels are refused before anything is
** allocated. */
ma_status ma_png_scan(ma_png *png, ma_source *source, int64_t most, ma_png_reader **reader);
ma_status ma_png_read(ma_png_reader *reader); /* fills png->samples, which the caller set after the scan */
void ma_png_end(ma_png_reader *reader);       /* NULL is harmless */
ma_status ma_image_too_large(int64_t width, int64_t height, int64_t most); /* the error */
/* A palette needs 1 channel of 8 bits. */
ma_status ma_png_write(const ma_png *png, ma_sink *sink);
int64_t ma_png_room(const ma_png *png); /* no PNG of it is longer */

/* What a row's filter (0 to 4) subtracts from a byte, by the bytes of the pixels to the left, above, and above left. */
uint8_t ma_png_predict(int filter, int left, int up, int corner);
void ma_png_adler(uint32_t sums[2], const uint8_t *bytes, size_t n); /* Adler-32, which begins as { 1, 0 } */

#pragma GCC visibility pop
#endif
