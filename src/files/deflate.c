/*
** deflate.c: compresses by deflate (RFC 1951), for .npz files, images and bundles. zlib does it where the machine has
** it; else the compressor below: matches found by hash chains, written with the fixed codes, or stored where that is
** less.
*/
#include "ops/ops.h"
#include "files/files.h"
#include "system/system.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 32768
#define BLOCK 32768 /* bytes of a block; at most 65535, so that it can be stored */
#define HASHES 32768
#define CHAIN 32 /* matches tried at a position */
#define LEAST 3
#define MOST 258

typedef struct z_stream { /* zlib's layout, unchanged since 1.0 */
  const uint8_t *next_in;
  unsigned avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *msg;
  void *state;
  void *(*zalloc)(void *, unsigned, unsigned);
  void (*zfree)(void *, void *);
  void *opaque;
  int data_type;
  unsigned long adler, reserved;
} z_stream;

enum { Z_NO_FLUSH = 0, Z_FINISH = 4, Z_OK = 0, Z_STREAM_END = 1, Z_BUF_ERROR = -5, Z_DEFLATED = 8 };

struct ma_deflate {
  int (*run)(z_stream *, int); /* zlib's; NULL: the compressor of this file */
  int (*end)(z_stream *);
  int (*prepare)(z_stream *, const uint8_t *, unsigned); /* gives it a dictionary */
  z_stream z;
  uint8_t in[WINDOW + BLOCK]; /* bytes before the block, then the block */
  int before, length;         /* bytes of each */
  int64_t base;               /* place of in[0] in the whole input */
  int64_t head[HASHES];       /* the last place of each hash, plus 1 */
  int64_t chain[WINDOW];      /* the place before it, plus 1, by place modulo WINDOW */
  uint64_t bits;
  int nbits;
  size_t used; /* bytes of `out` */
  uint8_t out[1 << 16];
};

/* ==== zlib ==== */

static bool open_zlib(ma_deflate *d) {
  static const char *const files[MA_NSYSTEM][2] = { { "libz.so.1", "libz.so" }, { "zlib1.dll", "libz.dll" } };
  void *library = dlopen(files[ma_system.id][0], RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen(files[ma_system.id][1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  int (*init)(z_stream *, int, int, int, int, int, const char *, int);
  *(void **)&init = dlsym(library, "deflateInit2_");
  *(void **)&d->run = dlsym(library, "deflate");
  *(void **)&d->end = dlsym(library, "deflateEnd");
  *(void **)&d->prepare = dlsym(library, "deflateSetDictionary");
  /* -15: raw deflate data, as in a zip, with a window of 32 KiB */
  return init && d->run && d->end && d->prepare &&
         init(&d->z, 6, Z_DEFLATED, -15, 8, 0, "1.2.11", (int)sizeof(z_stream)) == Z_OK;
}

static ma_status zlib_write(ma_deflate *d, ma_sink *sink, const uint8_t *bytes, size_t nbytes, int flush) {
  z_stream *z = &d->z;
  do {
    unsigned part = nbytes > (1u << 30) ? 1u << 30 : (unsigned)nbytes;
    z->next_in = bytes;
    z->avail_in = part;
    do {
      z->next_out = d->out;
      z->avail_out = sizeof d->out;
      int code = d->run(z, flush);
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return ma_fail(MA_ERR_LIBRARY, "zlib's deflate gave the code %d", code);
      MA_TRY(ma_sink_raw(sink, d->out, sizeof d->out - z->avail_out));
    } while (z->avail_out == 0);
    bytes += part;
    nbytes -= part;
  } while (nbytes > 0);
  return MA_OK;
}

/* ==== Codes ==== */

/* Appends n <= 24 bits, the lowest first. A block's bits always fit into `out`: a literal has 9 bits at most, and a
** match fewer for each of its bytes. */
static void put_bits(ma_deflate *d, uint32_t value, int n) {
  d->bits |= (uint64_t)value << d->nbits;
  for (d->nbits += n; d->nbits >= 8; d->nbits -= 8) {
    d->out[d->used++] = (uint8_t)d->bits;
    d->bits >>= 8;
  }
}

/* Appends a prefix code, whose bits come highest first. */
static void put_code(ma_deflate *d, uint32_t code, int n) {
  uint32_t reversed = 0;
  for (int k = 0; k < n; k++) reversed |= (code >> k & 1) << (n - 1 - k);
  put_bits(d, reversed, n);
}

/* A literal, a length's symbol or the end of the block (256), in the fixed code. */
static void put_symbol(ma_deflate *d, int symbol) {
  if (symbol < 144) put_code(d, (uint32_t)symbol + 0x30, 8);
  else if (symbol < 256) put_code(d, (uint32_t)symbol - 144 + 0x190, 9);
  else if (symbol < 280) put_code(d, (uint32_t)symbol - 256, 7);
  else put_code(d, (uint32_t)symbol - 280 + 0xc0, 8);
}

/* Lengths and distances are written as a symbol and extra bits. Beyond the first 2 * step of them, each step symbols
** take one extra bit more. */
static void put_graded(ma_deflate *d, int value, int step, int first, int symbol_bits) {
  int extra = 0;
  while ((value >> extra) >= 2 * step) extra++;
  int symbol = extra * step + (value >> extra);
  if (symbol_bits) put_code(d, (uint32_t)symbol, symbol_bits);
  else put_symbol(d, first + symbol);
  put_bits(d, (uint32_t)value & ((1u << extra) - 1), extra);
}

static void put_match(ma_deflate *d, int length, int64_t distance) {
  if (length == MOST) put_symbol(d, 285);
  else put_graded(d, length - LEAST, 4, 257, 0);
  put_graded(d, (int)distance - 1, 2, 0, 5);
}

/* ==== Matches ==== */

static uint32_t hash_of(const uint8_t *p) {
  uint32_t value = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
  return value * 2654435761u >> 17;
}

/* The longest earlier match of the bytes from `at` on, of at most `most` bytes; 0: none. Enters the position. */
static int find_match(ma_deflate *d, int at, int most, int64_t *distance) {
  if (most < LEAST) return 0;
  int64_t place = d->base + at, *head = &d->head[hash_of(d->in + at)], next = *head - 1;
  int best = LEAST - 1;
  for (int tries = 0; tries < CHAIN && next >= d->base && place - next <= WINDOW; tries++) {
    const uint8_t *there = d->in + (next - d->base), *here = d->in + at;
    int n = 0;
    while (n < most && there[n] == here[n]) n++;
    if (n > best) {
      best = n;
      *distance = place - next;
    }
    int64_t older = d->chain[next % WINDOW] - 1;
    if (n == most || older >= next) break; /* a slot of the chain that was used anew is no older place */
    next = older;
  }
  d->chain[place % WINDOW] = *head;
  *head = place + 1;
  return best >= LEAST ? best : 0;
}

static void enter(ma_deflate *d, int at, int end) {
  if (end - at < LEAST) return;
  int64_t place = d->base + at, *head = &d->head[hash_of(d->in + at)];
  d->chain[place % WINDOW] = *head;
  *head = place + 1;
}

static void encode(ma_deflate *d, bool last) {
  put_bits(d, last, 1);
  put_bits(d, 1, 2); /* fixed codes */
  for (int at = d->before, end = d->before + d->length; at < end;) {
    int64_t distance = 0;
    int most = end - at < MOST ? end - at : MOST, length = find_match(d, at, most, &distance);
    if (length == 0) {
      put_symbol(d, d->in[at++]);
      continue;
    }
    put_match(d, length, distance);
    for (int k = 1; k < length; k++) enter(d, at + k, end);
    at += length;
  }
  put_symbol(d, 256);
}

static void store(ma_deflate *d, bool last) {
  put_bits(d, last, 3);
  if (d->nbits) put_bits(d, 0, 8 - d->nbits);
  put_bits(d, (uint32_t)d->length, 16);
  put_bits(d, (uint32_t)~d->length & 0xffff, 16);
  memcpy(d->out + d->used, d->in + d->before, (size_t)d->length);
  d->used += (size_t)d->length;
}

/* Writes the block, by codes or stored, and keeps its end for the matches of the next one. */
static ma_status end_block(ma_deflate *d, ma_sink *sink, bool last) {
  uint64_t bits = d->bits;
  int nbits = d->nbits;
  encode(d, last);
  if (d->used > (size_t)d->length + 4) {
    d->bits = bits;
    d->nbits = nbits;
    d->used = 0;
    store(d, last);
  }
  if (last && d->nbits) put_bits(d, 0, 8 - d->nbits);
  MA_TRY(ma_sink_raw(sink, d->out, d->used));
  d->used = 0;
  int all = d->before + d->length, drop = all > WINDOW ? all - WINDOW : 0;
  memmove(d->in, d->in + drop, (size_t)(all - drop));
  d->base += drop;
  d->before = all - drop;
  d->length = 0;
  return MA_OK;
}

static ma_status own_write(ma_deflate *d, ma_sink *sink, const uint8_t *bytes, size_t nbytes) {
  while (nbytes > 0) {
    if (d->length == BLOCK) MA_TRY(end_block(d, sink, false));
    size_t room = (size_t)(BLOCK - d->length), n = nbytes < room ? nbytes : room;
    memcpy(d->in + d->before + d->length, bytes, n);
    d->length += (int)n;
    bytes += n;
    nbytes -= n;
  }
  return MA_OK;
}

/* ==== Both ==== */

ma_status ma_deflate_new(ma_deflate **deflate) {
  ma_deflate *d = *deflate = calloc(1, sizeof *d);
  if (!d) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes to compress with", sizeof *d);
  if (!ma_config_int(MA_CONFIG_ZLIB) || !open_zlib(d)) d->run = NULL;
  return MA_OK;
}

ma_status ma_deflate_dictionary(ma_deflate *d, const void *bytes, size_t nbytes) {
  size_t skip = nbytes > WINDOW ? nbytes - WINDOW : 0, n = nbytes - skip;
  if (d->run) {
    int code = d->prepare(&d->z, (const uint8_t *)bytes + skip, (unsigned)n);
    return code == Z_OK ? MA_OK : ma_fail(MA_ERR_LIBRARY, "zlib's deflateSetDictionary gave the code %d", code);
  }
  memcpy(d->in, (const uint8_t *)bytes + skip, n);
  d->before = (int)n;
  for (int at = 0; at < d->before; at++) enter(d, at, d->before);
  return MA_OK;
}

ma_status ma_deflate_write(ma_deflate *d, ma_sink *sink, const uint8_t *bytes, size_t nbytes) {
  return d->run ? zlib_write(d, sink, bytes, nbytes, Z_NO_FLUSH) : own_write(d, sink, bytes, nbytes);
}

ma_status ma_deflate_finish(ma_deflate *d, ma_sink *sink) {
  return d->run ? zlib_write(d, sink, NULL, 0, Z_FINISH) : end_block(d, sink, true);
}

void ma_deflate_free(ma_deflate *d) {
  if (!d) return;
  if (d->run) d->end(&d->z);
  free(d);
}
