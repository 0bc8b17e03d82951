/*
** inflate.c: decompresses deflate (RFC 1951), which .npz files of savez_compressed, PNG images and bundles use. It is
** implemented here so that reading needs no library. Every code and length is checked, because the bytes are not
** trusted.
**
** Between two calls the state is at the end of a symbol: the bytes of a symbol go to the window first, and the caller
** gets them from there. Where enough input and room are left, symbols are decoded by a loop that writes to the caller's
** memory alone and copies from it; the window gets the last bytes afterwards.
*/
#include "bundle/inflate.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW (1 << 15)
#define FAST 10 /* codes up to this length are decoded by one table look-up */
#define LONGEST 15

/* A prefix code: a table for the short codes, counts and sorted symbols (canonical decoding) for the long ones. */
typedef struct code {
  uint16_t fast[1 << FAST]; /* length in the low 4 bits, symbol above; 0: a longer code, or none */
  uint16_t count[LONGEST + 1];
  uint16_t symbol[288];
} code;

enum { HEADER, STORED, SYMBOLS, DONE };

struct ma_inflate {
  ma_inflate_feed *feed; /* of the read in progress */
  void *from;
  int state;
  bool last;                /* this block is the last */
  uint32_t stored;          /* bytes left of a stored block */
  uint32_t match, distance; /* the rest of a copy in progress */
  uint64_t bits;
  int nbits;
  size_t at, end;   /* the unread part of `in` */
  uint32_t head;    /* next position in the window */
  int64_t produced; /* bytes so far, which limits the distance of a copy */
  code literal, offset;
  uint8_t in[1 << 14];
  uint8_t window[WINDOW];
};

static ma_status damaged(const char *what) { return ma_fail(MA_ERR_IO, "the compressed data are damaged: %s", what); }

/* ==== Bits ==== */

/* Reads at least `n` (<= 48) bits into z->bits. */
static ma_status need(ma_inflate *z, int n) {
  while (z->nbits < n) {
    if (z->at == z->end) {
      z->at = 0;
      MA_TRY(z->feed(z->from, z->in, sizeof z->in, &z->end));
      if (z->end == 0) return damaged("they end early");
    }
    z->bits |= (uint64_t)z->in[z->at++] << z->nbits;
    z->nbits += 8;
  }
  return MA_OK;
}

static uint32_t drop(ma_inflate *z, int n) {
  uint32_t value = (uint32_t)(z->bits & ((1ull << n) - 1));
  z->bits >>= n;
  z->nbits -= n;
  return value;
}

/* ==== Codes ==== */

static uint32_t reversed(uint32_t value, int n) {
  uint32_t r = 0;
  for (int i = 0; i < n; i++) r |= (value >> i & 1) << (n - 1 - i);
  return r;
}

/* Builds a code from the lengths of n symbols. A code of one symbol or none may be incomplete; others may not. */
static ma_status build(code *c, const uint8_t *length, int n) {
  uint16_t start[LONGEST + 2] = { 0 }, next[LONGEST + 2];
  int used = 0;
  memset(c, 0, sizeof *c);
  for (int i = 0; i < n; i++) c->count[length[i]]++;
  used = n - c->count[0];
  c->count[0] = 0;
  int left = 1;
  for (int l = 1; l <= LONGEST; l++) {
    left = left * 2 - c->count[l];
    if (left < 0) return damaged("a code has too many symbols");
  }
  if (left > 0 && used > 1) return damaged("a code is incomplete");
  uint32_t first = 0;
  for (int l = 1; l <= LONGEST; l++) {
    start[l + 1] = (uint16_t)(start[l] + c->count[l]);
    next[l] = (uint16_t)first;
    first = (first + c->count[l]) << 1;
  }
  for (int i = 0; i < n; i++) {
    int l = length[i];
    if (l == 0) continue;
    c->symbol[start[l]++] = (uint16_t)i;
    uint32_t bits = next[l]++;
    if (l > FAST) continue;
    for (uint32_t at = reversed(bits, l); at < 1u << FAST; at += 1u << l) c->fast[at] = (uint16_t)(i << 4 | l);
  }
  return MA_OK;
}

static ma_status decode(ma_inflate *z, const code *c, int *symbol) {
  /* Near the end of the input fewer bits than the longest code may be left, so bits are read as needed. */
  if (z->nbits < LONGEST && z->end - z->at >= 2) MA_TRY(need(z, LONGEST));
  uint32_t entry = c->fast[z->bits & ((1u << FAST) - 1)];
  if (entry && (int)(entry & 15) <= z->nbits) {
    drop(z, (int)(entry & 15));
    *symbol = (int)(entry >> 4);
    return MA_OK;
  }
  int value = 0, first = 0, index = 0;
  for (int l = 1; l <= LONGEST; l++) {
    MA_TRY(need(z, l));
    value |= (int)(z->bits >> (l - 1) & 1);
    if (value - c->count[l] < first) {
      drop(z, l);
      *symbol = c->symbol[index + value - first];
      return MA_OK;
    }
    index += c->count[l];
    first = (first + c->count[l]) << 1;
    value <<= 1;
  }
  return damaged("an unknown code");
}

static ma_status fixed_codes(ma_inflate *z) {
  uint8_t length[288];
  for (int i = 0; i < 288; i++) length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  MA_TRY(build(&z->literal, length, 288));
  memset(length, 5, 32);
  return build(&z->offset, length, 32);
}

static ma_status dynamic_codes(ma_inflate *z) {
  static const uint8_t order[19] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
  uint8_t length[288 + 32] = { 0 };
  MA_TRY(need(z, 14));
  int nliteral = (int)drop(z, 5) + 257, noffset = (int)drop(z, 5) + 1, nlength = (int)drop(z, 4) + 4;
  if (nliteral > 286) return damaged("too many codes");
  for (int i = 0; i < nlength; i++) {
    MA_TRY(need(z, 3));
    length[order[i]] = (uint8_t)drop(z, 3);
  }
  MA_TRY(build(&z->literal, length, 19));
  memset(length, 0, sizeof length);
  for (int i = 0; i < nliteral + noffset;) {
    int symbol;
    MA_TRY(decode(z, &z->literal, &symbol));
    if (symbol < 16) {
      length[i++] = (uint8_t)symbol;
      continue;
    }
    static const uint8_t extra[3] = { 2, 3, 7 }, base[3] = { 3, 3, 11 };
    uint8_t value = 0;
    if (symbol == 16) {
      if (i == 0) return damaged("a length repeats nothing");
      value = length[i - 1];
    }
    MA_TRY(need(z, extra[symbol - 16]));
    int repeat = base[symbol - 16] + (int)drop(z, extra[symbol - 16]);
    if (i + repeat > nliteral + noffset) return damaged("too many lengths");
    while (repeat-- > 0) length[i++] = value;
  }
  if (length[256] == 0) return damaged("no end of block");
  uint8_t offset[32] = { 0 };
  memcpy(offset, length + nliteral, (size_t)noffset);
  MA_TRY(build(&z->literal, length, nliteral));
  return build(&z->offset, offset, noffset);
}

/* ==== Blocks ==== */

static ma_status begin_block(ma_inflate *z) {
  if (z->last) {
    z->state = DONE;
    return MA_OK;
  }
  MA_TRY(need(z, 3));
  z->last = drop(z, 1);
  switch (drop(z, 2)) {
  case 0:
    drop(z, z->nbits & 7);
    MA_TRY(need(z, 32));
    z->stored = drop(z, 16);
    if ((drop(z, 16) ^ z->stored) != 0xffff) return damaged("a stored block's length");
    z->state = STORED;
    return MA_OK;
  case 1: z->state = SYMBOLS; return fixed_codes(z);
  case 2: z->state = SYMBOLS; return dynamic_codes(z);
  default: return damaged("an unknown kind of block");
  }
}

static void give(ma_inflate *z, uint8_t byte, uint8_t *to) {
  z->window[z->head] = byte;
  z->head = (z->head + 1) & (WINDOW - 1);
  z->produced++;
  *to = byte;
}

/* Lengths and distances of copies: the least one of a symbol, and how many more bits say which. */
static const uint16_t lbase[29] = { 3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
static const uint8_t lextra[29] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
static const uint16_t dbase[30] = { 1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                    33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                    1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577 };

static int more_distance(int symbol) { return symbol < 2 ? 0 : symbol / 2 - 1; }

/* Reads the length and distance of a copy, after its length symbol. */
static ma_status begin_match(ma_inflate *z, int symbol) {
  symbol -= 257;
  if (symbol >= 29) return damaged("an unknown length");
  MA_TRY(need(z, lextra[symbol]));
  z->match = lbase[symbol] + drop(z, lextra[symbol]);
  MA_TRY(decode(z, &z->offset, &symbol));
  if (symbol >= 30) return damaged("an unknown distance");
  int extra = more_distance(symbol);
  MA_TRY(need(z, extra));
  z->distance = dbase[symbol] + drop(z, extra);
  if ((int64_t)z->distance > z->produced) return damaged("a distance reaches before the start");
  return MA_OK;
}

/* ==== Symbols, where input and room are plenty ==== */

#define SYMBOL_BITS 48       /* the longest symbol with its copy: 15 + 5 + 15 + 13 */
#define SYMBOL_IN 8          /* bytes of input that one symbol and its copy may need */
#define SYMBOL_OUT (258 + 8) /* and room, with what a copy of eights writes too far */

/* Notes n bytes that the caller's memory got. */
static void note(ma_inflate *z, const uint8_t *bytes, size_t n) {
  z->produced += (int64_t)n;
  size_t skip = n > WINDOW ? n - WINDOW : 0;
  for (size_t at = skip, part; at < n; at += part) {
    size_t head = z->head, room = WINDOW - head;
    part = n - at < room ? n - at : room;
    memcpy(z->window + head, bytes + at, part);
    z->head = (uint32_t)(head + part) & (WINDOW - 1);
  }
}

/* The input as a loop has it: bits that are read, and how many of them count. */
typedef struct input {
  uint64_t bits;
  int nbits;
  const uint8_t *at;
} input;

/* Reads to 56 bits at least. Those beyond `nbits` are right too: they are read again. */
static inline void refill(input *in) {
  uint64_t next;
  memcpy(&next, in->at, sizeof next);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  next = __builtin_bswap64(next);
#endif
  in->bits |= next << in->nbits;
  in->at += (63 - in->nbits) >> 3;
  in->nbits |= 56;
}

static inline uint32_t take(input *in, int n) {
  uint32_t value = (uint32_t)(in->bits & ((1ull << n) - 1));
  in->bits >>= n;
  in->nbits -= n;
  return value;
}

/* A symbol whose bits are there. Returns -1 if no code has them. */
static inline int symbol_of(input *in, const code *c) {
  uint32_t entry = c->fast[in->bits & ((1u << FAST) - 1)];
  if (__builtin_expect(entry != 0, 1)) {
    take(in, (int)(entry & 15));
    return (int)(entry >> 4);
  }
  int value = 0, first = 0, index = 0;
  for (int l = 1; l <= LONGEST; l++) {
    value |= (int)(in->bits >> (l - 1) & 1);
    if (value - c->count[l] < first) {
      take(in, l);
      return c->symbol[index + value - first];
    }
    index += c->count[l];
    first = (first + c->count[l]) << 1;
    value <<= 1;
  }
  return -1;
}

/* Copies to `to` what lies so far before it, and up to 7 bytes more. */
static inline void copy_back(uint8_t *to, size_t distance, size_t length) {
  const uint8_t *from = to - distance;
  if (distance == 1) memset(to, *from, length);
  else if (distance >= 8)
    for (size_t k = 0; k < length; k += 8) memcpy(to + k, from + k, 8);
  else
    for (size_t k = 0; k < length; k++) to[k] = from[k];
}

/* Writes symbols behind the bytes that this call has written from `start` on, until the block ends, or input or room
** may not be enough for another one. */
static ma_status run_symbols(ma_inflate *z, const uint8_t *start, uint8_t **next, const uint8_t *stop) {
  uint8_t *begin = *next, *to = begin;
  const uint8_t *last = z->in + z->end - SYMBOL_IN;
  input in = { z->bits, z->nbits, z->in + z->at };
  const char *fault = NULL;
  while (in.at <= last && stop - to >= SYMBOL_OUT) {
    if (in.nbits < SYMBOL_BITS) refill(&in);
    int symbol = symbol_of(&in, &z->literal);
    if (symbol >= 0 && symbol < 256) {
      *to++ = (uint8_t)symbol;
      continue;
    }
    if (symbol == 256) {
      z->state = HEADER;
      break;
    }
    symbol -= 257;
    if (symbol < 0 || symbol >= 29) {
      fault = symbol < 0 ? "an unknown code" : "an unknown length";
      break;
    }
    size_t length = lbase[symbol] + take(&in, lextra[symbol]);
    symbol = symbol_of(&in, &z->offset);
    if (symbol < 0 || symbol >= 30) {
      fault = symbol < 0 ? "an unknown code" : "an unknown distance";
      break;
    }
    size_t distance = dbase[symbol] + take(&in, more_distance(symbol)), here = (size_t)(to - start);
    if ((int64_t)distance > z->produced + (to - begin)) {
      fault = "a distance reaches before the start";
      break;
    }
    if (distance > here) {
      uint32_t from = z->head - (uint32_t)(begin - start) - (uint32_t)(distance - here);
      for (; length > 0 && distance > here; here++, length--) *to++ = z->window[from++ & (WINDOW - 1)];
    }
    copy_back(to, distance, length);
    to += length;
  }
  z->bits = in.bits & ((1ull << in.nbits) - 1);
  z->nbits = in.nbits;
  z->at = (size_t)(in.at - z->in);
  note(z, begin, (size_t)(to - begin));
  *next = to;
  return fault ? damaged(fault) : MA_OK;
}

void ma_inflate_dictionary(ma_inflate *z, const void *bytes, size_t nbytes) {
  size_t skip = nbytes > WINDOW ? nbytes - WINDOW : 0, n = nbytes - skip;
  memcpy(z->window, (const uint8_t *)bytes + skip, n);
  z->head = (uint32_t)(n & (WINDOW - 1));
  z->produced = (int64_t)n;
}

/* Bytes of a stored block: first those among the bits that were read, then of the input, many at once. */
static ma_status read_stored(ma_inflate *z, uint8_t **next, const uint8_t *stop) {
  while (z->stored > 0 && *next < stop) {
    if (z->nbits == 0 && z->at < z->end) {
      size_t n = z->end - z->at, room = (size_t)(stop - *next);
      n = n < z->stored ? n : z->stored;
      n = n < room ? n : room;
      memcpy(*next, z->in + z->at, n);
      note(z, *next, n);
      z->at += n;
      z->stored -= (uint32_t)n;
      *next += n;
      continue;
    }
    MA_TRY(need(z, 8));
    give(z, (uint8_t)drop(z, 8), (*next)++);
    z->stored--;
  }
  return MA_OK;
}

ma_status ma_inflate_read(ma_inflate *z, ma_inflate_feed *feed, void *from, uint8_t *to, size_t nbytes, size_t *got) {
  uint8_t *start = to, *stop = to + nbytes;
  z->feed = feed;
  z->from = from;
  while (to < stop && z->state != DONE) {
    if (z->match > 0) {
      for (; z->match > 0 && to < stop; z->match--) give(z, z->window[(z->head - z->distance) & (WINDOW - 1)], to++);
    } else if (z->state == HEADER) {
      MA_TRY(begin_block(z));
    } else if (z->state == STORED) {
      MA_TRY(read_stored(z, &to, stop));
      if (z->stored == 0) z->state = HEADER;
    } else if (z->end - z->at >= SYMBOL_IN && stop - to >= SYMBOL_OUT) {
      MA_TRY(run_symbols(z, start, &to, stop));
    } else {
      int symbol;
      MA_TRY(decode(z, &z->literal, &symbol));
      if (symbol < 256) give(z, (uint8_t)symbol, to++);
      else if (symbol == 256) z->state = HEADER;
      else MA_TRY(begin_match(z, symbol));
    }
  }
  *got = (size_t)(to - start);
  return MA_OK;
}

ma_status ma_inflate_new(ma_inflate **inflate) {
  *inflate = malloc(sizeof **inflate);
  if (!*inflate) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for inflating", sizeof **inflate);
  memset(*inflate, 0, sizeof **inflate);
  return MA_OK;
}

void ma_inflate_free(ma_inflate *inflate) { free(inflate); }
