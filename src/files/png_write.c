/* png_write.c: writes PNG. Each row gets the filter whose differences are the smallest. */
#include "files/png.h"

#include <stdlib.h>
#include <string.h>

enum { GREY, RGB = 2, PALETTE, GREY_ALPHA, RGBA = 6 };

static const uint8_t color_of[] = { 0, GREY, GREY_ALPHA, RGB, RGBA };

static uint8_t *put32(uint8_t *p, uint32_t value) {
  for (int k = 0; k < 4; k++) *p++ = (uint8_t)(value >> (24 - 8 * k));
  return p;
}

static ma_status write_chunk(ma_sink *sink, const char *name, const uint8_t *data, size_t nbytes) {
  uint8_t head[8], tail[4];
  memcpy(put32(head, (uint32_t)nbytes), name, 4);
  put32(tail, ma_crc32(ma_crc32(0, head + 4, 4), data, nbytes));
  MA_TRY(ma_sink_write(sink, head, sizeof head));
  MA_TRY(ma_sink_write(sink, data, nbytes));
  return ma_sink_write(sink, tail, sizeof tail);
}

/* ==== Rows ==== */

static size_t row_bytes(const ma_png *png) { return (size_t)png->width * (size_t)(png->channels * png->depth / 8); }

/* A row's bytes as a file has them: 16-bit samples with the high byte first. */
static void load_row(const ma_png *png, int64_t y, uint8_t *row) {
  size_t n = row_bytes(png);
  const uint8_t *from = png->samples + (size_t)y * n;
  if (png->depth == 8) {
    memcpy(row, from, n);
    return;
  }
  for (size_t i = 0; i < n; i += 2) {
    uint16_t value;
    memcpy(&value, from + i, 2);
    row[i] = (uint8_t)(value >> 8);
    row[i + 1] = (uint8_t)value;
  }
}

uint8_t ma_png_predict(int filter, int left, int up, int corner) {
  if (filter == 0) return 0;
  if (filter == 1) return (uint8_t)left;
  if (filter == 2) return (uint8_t)up;
  if (filter == 3) return (uint8_t)((left + up) / 2);
  int a = abs(up - corner), b = abs(left - corner), c = abs(left + up - 2 * corner);
  return (uint8_t)(a <= b && a <= c ? left : b <= c ? up : corner);
}

/* Filters `row` into `out`, behind the filter's number; returns the sum of the magnitudes of what is written. */
static uint64_t filter_row(int filter, const uint8_t *row, const uint8_t *above, size_t n, size_t pixel, uint8_t *out) {
  uint64_t sum = 0;
  *out++ = (uint8_t)filter;
  for (size_t i = 0; i < n; i++) {
    int left = i < pixel ? 0 : row[i - pixel], corner = i < pixel ? 0 : above[i - pixel];
    out[i] = (uint8_t)(row[i] - ma_png_predict(filter, left, above[i], corner));
    sum += (uint64_t)abs((int8_t)out[i]);
  }
  return sum;
}

void ma_png_adler(uint32_t sums[2], const uint8_t *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) {
    sums[0] += bytes[i];
    sums[1] += sums[0];
    if (i % 5000 != 4999 && i + 1 < n) continue; /* before the sums overflow */
    sums[0] %= 65521;
    sums[1] %= 65521;
  }
}

/* Writes all rows, filtered and compressed, to `sink`. `work` has room for four rows, each one byte longer. */
static ma_status write_rows(const ma_png *png, ma_sink *sink, uint8_t *work) {
  size_t n = row_bytes(png), pixel = (size_t)(png->channels * png->depth / 8);
  uint8_t *row = work, *above = work + n + 1, *best = above + n + 1, *tried = best + n + 1, tail[4];
  uint32_t sums[2] = { 1, 0 };
  memset(above, 0, n);
  for (int64_t y = 0; y < png->height; y++) {
    load_row(png, y, row);
    uint64_t least = filter_row(0, row, above, n, pixel, best);
    for (int filter = 1; filter <= 4 && !png->npalette; filter++) {
      uint64_t sum = filter_row(filter, row, above, n, pixel, tried);
      if (sum >= least) continue;
      uint8_t *swap = best;
      best = tried;
      tried = swap;
      least = sum;
    }
    ma_png_adler(sums, best, n + 1);
    MA_TRY(ma_deflate_write(sink->deflate, sink, best, n + 1));
    uint8_t *swap = above;
    above = row;
    row = swap;
  }
  MA_TRY(ma_deflate_finish(sink->deflate, sink));
  put32(tail, sums[1] << 16 | sums[0]);
  return ma_sink_raw(sink, tail, sizeof tail);
}

/* ==== Chunks ==== */

/* The most bytes of the compressed rows: what cannot be compressed is stored, in blocks with a head. */
static size_t packed_room(const ma_png *png) {
  size_t raw = (size_t)png->height * (row_bytes(png) + 1);
  return raw + raw / 1000 + 1000;
}

int64_t ma_png_room(const ma_png *png) { return (int64_t)packed_room(png) + 4096; }

static ma_status write_data(const ma_png *png, ma_sink *sink) {
  size_t room = packed_room(png);
  uint8_t *packed = malloc(room), *work = malloc(4 * (row_bytes(png) + 1));
  ma_sink memory = { 0 };
  ma_status status = packed && work ? MA_OK : ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for a PNG", room);
  if (status == MA_OK) {
    ma_sink_memory(&memory, packed, room);
    status = ma_sink_write(&memory, "\x78\x9c", 2); /* zlib's head: deflate with a window of 32 KiB */
  }
  if (status == MA_OK) status = ma_sink_compress(&memory);
  if (status == MA_OK) status = write_rows(png, &memory, work);
  for (int64_t at = 0, n; at < memory.written && status == MA_OK; at += n) {
    n = memory.written - at < 1 << 30 ? memory.written - at : 1 << 30;
    status = write_chunk(sink, "IDAT", packed + at, (size_t)n);
  }
  ma_sink_close(&memory);
  free(packed);
  free(work);
  return status;
}

static ma_status write_palette(const ma_png *png, ma_sink *sink) {
  uint8_t colors[768] = { 0 }, alpha[256];
  int ntransparent = 0;
  for (int k = 0; k < png->npalette; k++) {
    memcpy(colors + 3 * k, png->palette[k], 3);
    alpha[k] = png->palette[k][3];
    if (alpha[k] != 255) ntransparent = k + 1;
  }
  MA_TRY(write_chunk(sink, "PLTE", colors, 3 * (size_t)png->npalette));
  return ntransparent ? write_chunk(sink, "tRNS", alpha, (size_t)ntransparent) : MA_OK;
}

ma_status ma_png_write(const ma_png *png, ma_sink *sink) {
  uint8_t header[13];
  put32(put32(header, (uint32_t)png->width), (uint32_t)png->height);
  header[8] = (uint8_t)png->depth;
  header[9] = png->npalette ? PALETTE : color_of[png->channels];
  memset(header + 10, 0, 3);
  MA_TRY(ma_sink_write(sink, "\x89PNG\r\n\x1a\n", 8));
  MA_TRY(write_chunk(sink, "IHDR", header, sizeof header));
  if (png->npalette) MA_TRY(write_palette(png, sink));
  MA_TRY(write_data(png, sink));
  return write_chunk(sink, "IEND", header, 0);
}
