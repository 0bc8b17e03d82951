/* png_read.c: reads PNG of every kind: 1 to 16 bits, palettes, transparent colours, interlaced. */
#include "files/png.h"

#include <stdlib.h>
#include <string.h>

#define RATIO 1032 /* deflate's largest */

struct ma_png_reader {
  ma_png *png;
  int64_t most;    /* pixels that the caller takes */
  int bits, color; /* of a sample in the file; the colour type */
  int samples;     /* of a pixel in the file */
  bool interlaced;
  bool has_clear; /* a transparent colour, for grey and RGB */
  uint16_t clear[3];
  uint8_t *packed; /* the data of all IDAT chunks */
  size_t npacked;
  ma_source data;   /* inflates them */
  uint32_t sums[2]; /* Adler-32 so far */
};
typedef ma_png_reader reader;

static ma_status damaged(const char *what) { return ma_fail(MA_ERR_IO, "the PNG is damaged: %s", what); }

ma_status ma_image_too_large(int64_t width, int64_t height, int64_t most) {
  return ma_fail(MA_ERR_VALUE, "an image of %lld x %lld pixels; at most %lld are read, unless max_pixels allows more",
                 (long long)width, (long long)height, (long long)most);
}

static uint32_t get32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* ==== Chunks ==== */

static ma_status read_header(reader *r, const uint8_t *data, size_t nbytes) {
  static const uint8_t samples_of[7] = { 1, 0, 3, 1, 2, 0, 4 };
  static const uint32_t depths_of[7] = { 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 16,
                                         0,
                                         1 << 8 | 1 << 16,
                                         1 << 1 | 1 << 2 | 1 << 4 | 1 << 8,
                                         1 << 8 | 1 << 16,
                                         0,
                                         1 << 8 | 1 << 16 };
  if (nbytes != 13) return damaged("its header has another size");
  r->png->width = get32(data);
  r->png->height = get32(data + 4);
  r->bits = data[8];
  r->color = data[9];
  if (r->png->width == 0 || r->png->height == 0 || r->png->width > INT32_MAX || r->png->height > INT32_MAX)
    return damaged("it has no pixels, or too many");
  if (r->png->width > r->most / r->png->height) return ma_image_too_large(r->png->width, r->png->height, r->most);
  if (r->color > 6 || r->bits > 16 || !(depths_of[r->color] >> r->bits & 1)) return damaged("a colour type of no kind");
  if (data[10] || data[11] || data[12] > 1) return damaged("a compression, filter or interlacing of no kind");
  r->samples = samples_of[r->color];
  r->interlaced = data[12];
  return MA_OK;
}

static ma_status read_palette(reader *r, const uint8_t *data, size_t nbytes) {
  if (nbytes == 0 || nbytes > 768 || nbytes % 3) return damaged("its palette has another size");
  r->png->npalette = (int)(nbytes / 3);
  for (int k = 0; k < r->png->npalette; k++) {
    memcpy(r->png->palette[k], data + 3 * k, 3);
    r->png->palette[k][3] = 255;
  }
  return MA_OK;
}

static ma_status read_transparency(reader *r, const uint8_t *data, size_t nbytes) {
  if (r->color == 3) {
    if (nbytes > (size_t)r->png->npalette) return damaged("more transparent colours than its palette has");
    for (size_t k = 0; k < nbytes; k++) r->png->palette[k][3] = data[k];
  } else if (r->color == 0 || r->color == 2) {
    if (nbytes != 2 * (size_t)r->samples) return damaged("its transparent colour has another size");
    for (int k = 0; k < r->samples; k++) r->clear[k] = (uint16_t)(data[2 * k] << 8 | data[2 * k + 1]);
  }
  r->has_clear = nbytes > 0;
  return MA_OK;
}

static ma_status add_data(reader *r, const uint8_t *data, size_t nbytes) {
  uint8_t *larger = realloc(r->packed, r->npacked + nbytes + 1);
  if (!larger) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes of a PNG", r->npacked + nbytes);
  memcpy(larger + r->npacked, data, nbytes);
  r->packed = larger;
  r->npacked += nbytes;
  return MA_OK;
}

static ma_status use_chunk(reader *r, const char *name, const uint8_t *data, size_t nbytes) {
  bool begun = r->bits != 0;
  if (memcmp(name, "IHDR", 4) == 0) return begun ? damaged("two headers") : read_header(r, data, nbytes);
  if (!begun) return damaged("its header is missing");
  if (memcmp(name, "IDAT", 4) == 0) return add_data(r, data, nbytes);
  if (memcmp(name, "PLTE", 4) == 0 && r->color == 3) return read_palette(r, data, nbytes);
  if (memcmp(name, "tRNS", 4) == 0) return read_transparency(r, data, nbytes);
  if (name[0] >= 'A' && name[0] <= 'Z' && memcmp(name, "PLTE", 4) != 0) return damaged("a chunk of no known kind");
  return MA_OK;
}

/* Reads chunks up to IEND. A chunk is no longer than what is left of the file. */
static ma_status read_chunks(reader *r, ma_source *source) {
  for (;;) {
    uint8_t head[8], tail[4];
    MA_TRY(ma_source_exact(source, head, sizeof head, "a chunk's head"));
    uint32_t nbytes = get32(head);
    if ((int64_t)nbytes > source->left) return damaged("a chunk is longer than the file");
    uint8_t *data = malloc((size_t)nbytes + 1);
    if (!data) return ma_fail(MA_ERR_MEMORY, "out of memory: %u bytes of a PNG", (unsigned)nbytes);
    ma_status status = ma_source_exact(source, data, nbytes, "a chunk");
    if (status == MA_OK) status = ma_source_exact(source, tail, sizeof tail, "a checksum");
    if (status == MA_OK && get32(tail) != ma_crc32(ma_crc32(0, head + 4, 4), data, nbytes))
      status = damaged("a checksum differs");
    bool end = memcmp(head + 4, "IEND", 4) == 0;
    if (status == MA_OK && !end) status = use_chunk(r, (const char *)head + 4, data, nbytes);
    free(data);
    if (status != MA_OK || end) return status;
  }
}

/* ==== Rows ==== */

/* Reads a row of n bytes behind its filter's number and takes the filter back. */
static ma_status read_row(reader *r, uint8_t *row, const uint8_t *above, size_t n, size_t pixel) {
  uint8_t filter;
  MA_TRY(ma_source_exact(&r->data, &filter, 1, "the image"));
  MA_TRY(ma_source_exact(&r->data, row, n, "the image"));
  ma_png_adler(r->sums, &filter, 1);
  ma_png_adler(r->sums, row, n);
  if (filter > 4) return damaged("a row's filter of no kind");
  for (size_t i = 0; i < n && filter; i++) {
    int left = i < pixel ? 0 : row[i - pixel], corner = i < pixel ? 0 : above[i - pixel];
    row[i] = (uint8_t)(row[i] + ma_png_predict(filter, left, above[i], corner));
  }
  return MA_OK;
}

/* The kth sample of a row, as it is in the file. */
static unsigned sample_of(const reader *r, const uint8_t *row, int64_t k) {
  if (r->bits == 8) return row[k];
  if (r->bits == 16) return (unsigned)row[2 * k] << 8 | row[2 * k + 1];
  int64_t bit = k * r->bits;
  return row[bit / 8] >> (8 - r->bits - bit % 8) & ((1u << r->bits) - 1);
}

static void put_sample(const ma_png *png, int64_t place, unsigned value) {
  uint16_t wide = (uint16_t)value;
  if (png->depth == 16) memcpy(png->samples + 2 * place, &wide, 2);
  else png->samples[place] = (uint8_t)value;
}

/* Writes the xth pixel of a row to the image's pixel `to`. */
static ma_status put_pixel(reader *r, const uint8_t *row, int64_t x, int64_t to) {
  const ma_png *png = r->png;
  int64_t place = to * png->channels;
  if (r->color == 3) {
    unsigned k = sample_of(r, row, x);
    if (k >= (unsigned)png->npalette) return damaged("a colour outside its palette");
    memcpy(png->samples + place, png->palette[k], (size_t)png->channels);
    return MA_OK;
  }
  bool clear = r->has_clear;
  for (int c = 0; c < r->samples; c++) {
    unsigned value = sample_of(r, row, x * r->samples + c);
    clear = clear && value == r->clear[c];
    put_sample(png, place + c, r->bits < 8 ? value * (255 / ((1u << r->bits) - 1)) : value);
  }
  if (r->has_clear) put_sample(png, place + r->samples, clear ? 0 : png->depth == 16 ? 65535 : 255);
  return MA_OK;
}

/* Reads the pixels from (x, y) in steps of (dx, dy). `rows` has room for two whole rows. */
static ma_status read_pass(reader *r, uint8_t *rows, size_t room, int x, int y, int dx, int dy) {
  int64_t width = (r->png->width - x + dx - 1) / dx, height = (r->png->height - y + dy - 1) / dy;
  if (width <= 0 || height <= 0) return MA_OK;
  size_t n = (size_t)((width * r->samples * r->bits + 7) / 8);
  size_t pixel = (size_t)(r->samples * r->bits < 8 ? 1 : r->samples * r->bits / 8);
  uint8_t *row = rows, *above = rows + room;
  memset(above, 0, n);
  for (int64_t i = 0; i < height; i++) {
    MA_TRY(read_row(r, row, above, n, pixel));
    for (int64_t k = 0; k < width; k++) MA_TRY(put_pixel(r, row, k, (y + i * dy) * r->png->width + x + k * dx));
    uint8_t *swap = row;
    row = above;
    above = swap;
  }
  return MA_OK;
}

static ma_status read_passes(reader *r, uint8_t *rows, size_t room) {
  static const uint8_t adam7[7][4] = { { 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 },
                                       { 0, 2, 2, 4 }, { 1, 0, 2, 2 }, { 0, 1, 1, 2 } };
  if (!r->interlaced) return read_pass(r, rows, room, 0, 0, 1, 1);
  for (int k = 0; k < 7; k++) MA_TRY(read_pass(r, rows, room, adam7[k][0], adam7[k][1], adam7[k][2], adam7[k][3]));
  return MA_OK;
}

/* ==== The image ==== */

static size_t row_bytes(const reader *r) { return (size_t)((r->png->width * r->samples * r->bits + 7) / 8); }

static ma_status check_zlib(const reader *r) {
  const uint8_t *p = r->packed;
  if (r->npacked < 6 || (p[0] & 15) != 8 || (p[0] * 256 + p[1]) % 31 || p[1] & 32)
    return damaged("its data are not zlib's");
  return MA_OK;
}

/* Says what the samples will be. There may be no more than the data can give, so that a short file cannot ask for
** much. */
static ma_status plan_samples(const reader *r) {
  ma_png *png = r->png;
  if (r->color == 3 && png->npalette == 0) return damaged("its palette is missing");
  png->channels = r->color == 3 ? 3 + r->has_clear : r->samples + r->has_clear;
  png->depth = r->bits == 16 ? 16 : 8;
  if ((double)png->height * (double)(row_bytes(r) + 1) > (double)r->npacked * RATIO + 1000)
    return damaged("its data are too short for its size");
  return MA_OK;
}

ma_status ma_png_read(reader *r) {
  size_t room = row_bytes(r), got;
  uint8_t more;
  ma_source_memory(&r->data, r->packed + 2, r->npacked - 6);
  MA_TRY(ma_inflate_new(&r->data.inflate));
  uint8_t *rows = malloc(2 * room);
  if (!rows) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for rows", 2 * room);
  r->sums[0] = 1;
  ma_status status = read_passes(r, rows, room);
  free(rows);
  if (status == MA_OK) status = ma_source_read(&r->data, &more, 1, &got);
  if (status == MA_OK && got) status = damaged("it has more data than pixels");
  if (status == MA_OK && get32(r->packed + r->npacked - 4) != (r->sums[1] << 16 | r->sums[0]))
    status = damaged("the checksum of its pixels differs");
  return status;
}

void ma_png_end(reader *r) {
  if (!r) return;
  ma_source_close(&r->data);
  free(r->packed);
  free(r);
}

static ma_status scan(reader *r, ma_source *source) {
  uint8_t signature[8];
  MA_TRY(ma_source_exact(source, signature, sizeof signature, "the signature"));
  if (memcmp(signature, "\x89PNG\r\n\x1a\n", 8) != 0) return ma_fail(MA_ERR_IO, "the file is no PNG");
  MA_TRY(read_chunks(r, source));
  if (r->bits == 0) return damaged("it is empty");
  MA_TRY(check_zlib(r));
  return plan_samples(r);
}

ma_status ma_png_scan(ma_png *png, ma_source *source, int64_t most, reader **to) {
  reader *r = calloc(1, sizeof *r);
  *to = NULL;
  if (!r) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for a reader", sizeof *r);
  *png = (ma_png){ 0 };
  r->png = png;
  r->most = most;
  ma_status status = scan(r, source);
  if (status == MA_OK) *to = r;
  else ma_png_end(r);
  return status;
}
