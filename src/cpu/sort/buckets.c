/*
** buckets.c: sorts a long row of values. Threads divide it once by the leading bits of the range of its numbers, so
** that each bucket fits a processor's cache. There one thread sorts it by a network (short.c), or by digits from the
** lowest up. A bucket that is too large is divided again by the leading bits of its own range. Every step is stable. If
** few places matter, the row is divided around each of them instead (parts.c).
**
** A division collects a cache line for each bucket, and writes it around the caches when it is full: a processor's
** caches and page tables cannot hold a thousand buckets at once.
*/
#include "cpu/sort/buckets.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define FEW 32             /* elements that are merged */
#define CACHED (512 << 10) /* bytes of a bucket that is sorted by digits */
#define BUCKET_BITS 11     /* log2 of the elements that a bucket should have */
#define MOST_BITS 11       /* bits of a digit, at most */
#define FINER 5            /* log2 of the finer digits in a bucket */
#define SAMPLES 8          /* elements of a sample for each bucket */
#define UNEVEN 16          /* times the elements that a bucket should have; one with more is too large */
#define CHUNK 65536        /* elements in a chunk of a division, at least */
#define MOST_CHUNKS 64
#define MOST_PLACES 8 /* that matter in a row that is divided around them */
#define LINE 64

/* ==== Loops by size of an element ================================================================================ */

typedef struct lines {    /* of one chunk in a division */
  char *line;             /* LINE bytes for each bucket */
  uint32_t *next, *first; /* by bucket; elements are counted from the cache line in which the result begins */
} lines;

static inline void put_line(char *to, const char *line) {
#ifdef __SSE2__
  for (int k = 0; k < LINE; k += 16)
    _mm_stream_si128((__m128i *)(void *)(to + k), _mm_load_si128((const __m128i *)(const void *)(line + k)));
#else
  memcpy(to, line, LINE);
#endif
}

#define LOOPS(size, T)                                                                                             \
  /* Moves each element to the next place of its digit. */                                                         \
  static void move_##size(const void *from, void *to, int n, const uint32_t *digits, uint32_t *next) {             \
    const T *x = from;                                                                                             \
    for (int i = 0; i < n; i++) ((T *)to)[next[digits[i]]++] = x[i];                                               \
  }                                                                                                                \
  /* The same through lines. A full line waits for the bucket's next element: reading it at once would be slow. */ \
  static void collect_##size(const lines *l, const void *from, void *to, int n, const uint32_t *digits) {          \
    const uint32_t per = LINE / size;                                                                              \
    uint32_t *next = l->next;                                                                                      \
    const T *x = from;                                                                                             \
    for (int i = 0; i < n; i++) {                                                                                  \
      uint32_t b = digits[i], at = next[b]++;                                                                      \
      T *line = (T *)(void *)(l->line + (size_t)b * LINE);                                                         \
      if (__builtin_expect(at % per == 0, 0)) {                                                                    \
        if (at >= l->first[b] + per) put_line((char *)((T *)to + (at - per)), (const char *)line);                 \
        else                                                                                                       \
          for (uint32_t k = l->first[b]; k < at; k++) ((T *)to)[k] = line[k % per];                                \
      }                                                                                                            \
      line[at % per] = x[i];                                                                                       \
    }                                                                                                              \
  }                                                                                                                \
  static void put_rest_##size(const lines *l, void *to, uint32_t nbucket) {                                        \
    const uint32_t per = LINE / size;                                                                              \
    for (uint32_t b = 0; b < nbucket; b++) {                                                                       \
      const T *rest = (const void *)(l->line + (size_t)b * LINE);                                                  \
      uint32_t k = l->next[b] > l->first[b] ? (l->next[b] - 1) / per * per : l->next[b];                           \
      for (k = k < l->first[b] ? l->first[b] : k; k < l->next[b]; k++) ((T *)to)[k] = rest[k % per];               \
    }                                                                                                              \
  }
LOOPS(1, uint8_t)
LOOPS(2, uint16_t)
LOOPS(4, uint32_t)
LOOPS(8, uint64_t)
#undef LOOPS

typedef struct moves {
  void (*move)(const void *, void *, int, const uint32_t *, uint32_t *);
  void (*collect)(const lines *, const void *, void *, int, const uint32_t *);
  void (*put_rest)(const lines *, void *, uint32_t);
} moves;

static const moves moves_of[9] = {
  [1] = { move_1, collect_1, put_rest_1 },
  [2] = { move_2, collect_2, put_rest_2 },
  [4] = { move_4, collect_4, put_rest_4 },
  [8] = { move_8, collect_8, put_rest_8 },
};

typedef struct sorter {
  const ma_sort_loops *loops;
  int size, threads;
  const ma_places *places;
  bool selects; /* only some places matter, and networks can select */
} sorter;

/* ==== In the cache ================================================================================================ */

#define MOST_COUNTS (6 << MOST_BITS) /* for all digits of a number */

static int least_int(int64_t a, int64_t b) { return (int)(a < b ? a : b); }

/* Sorts n elements at x by digits, with as much room at y; returns the place of the result: x or y. */
static char *sort_by_digits(const sorter *s, char *x, char *y, int64_t n) {
  uint32_t counts[MOST_COUNTS], digits[MA_SORT_BLOCK];
  uint64_t span[2];
  s->loops->span(x, n, span);
  int bits = bits_of(span[1] - span[0]), most = least_int(bits_of((uint64_t)n), MOST_BITS);
  if (bits == 0) return x;
  int npass = (bits + most - 1) / most, per = (bits + npass - 1) / npass;
  uint32_t mask = (1u << per) - 1;
  memset(counts, 0, ((size_t)npass << per) * sizeof *counts);
  for (int64_t at = 0; at < n; at += MA_SORT_BLOCK) {
    int m = least_int(n - at, MA_SORT_BLOCK);
    for (int p = 0; p < npass; p++) {
      uint32_t *count = counts + (p << per);
      s->loops->digits(x + at * s->size, m, span[0], p * per, mask, digits);
      for (int i = 0; i < m; i++) count[digits[i]]++;
    }
  }
  for (int p = 0; p < npass; p++) {
    uint32_t *next = counts + (p << per), sum = 0;
    s->loops->digits(x, 1, span[0], p * per, mask, digits);
    if (next[digits[0]] == n) continue; /* all elements have this digit */
    for (uint32_t k = 0; k <= mask; k++) {
      uint32_t count = next[k];
      next[k] = sum;
      sum += count;
    }
    for (int64_t at = 0; at < n; at += MA_SORT_BLOCK) {
      int m = least_int(n - at, MA_SORT_BLOCK);
      s->loops->digits(x + at * s->size, m, span[0], p * per, mask, digits);
      moves_of[s->size].move(x + at * s->size, y, m, digits, next);
    }
    char *swap = x;
    x = y;
    y = swap;
  }
  return x;
}

static ma_status divide(const sorter *s, const char *from, char *x, char *y, int64_t base, int64_t n, bool into_y);
static bool trim(const sorter *s, const char *from, char *room, char *to, int64_t base, int64_t n, ma_status *status);

/* Whether few places of many matter, so that most elements are only moved aside. */
static bool is_trimmed(const sorter *s, int64_t n) {
  return s->selects && s->places->n <= MOST_PLACES && n > MA_NETWORK_MOST;
}

/* Sorts n elements at x, of the places from `base` on; the result goes to y or stays at x, and the other is
** overwritten. */
static ma_status sort_bucket(const sorter *s, char *x, char *y, int64_t base, int64_t n, bool into_y) {
  char *to = into_y ? y : x;
  if (!ma_places_any(s->places, base, base + n)) {
    if (into_y) memcpy(y, x, (size_t)(n * s->size));
    return MA_OK;
  }
  if (n <= FEW) {
    if (n > 0) s->loops->small(x, to, NULL, (int)n);
    return MA_OK;
  }
  ma_status status;
  if (is_trimmed(s, n) && trim(s, x, x, y, base, n, &status)) {
    if (!into_y) memcpy(x, y, (size_t)(n * s->size));
    return status;
  }
  bool fits = n * s->size <= CACHED;
  if ((fits || s->selects) && ma_cpu_sort_short(s->loops, s->size, x, to, NULL, n, s->places, base)) return MA_OK;
  if (!fits) return divide(s, x, y, x, base, n, !into_y);
  char *at = sort_by_digits(s, x, y, n);
  if (at != to) memcpy(to, at, (size_t)(n * s->size));
  return MA_OK;
}

/* ==== Dividing ==================================================================================================== */

typedef struct division {
  const sorter *s;
  const char *from;
  char *x, *y;            /* the buckets; room of the same size */
  int64_t base, n, chunk; /* base: place of the first element */
  int nchunk, shift;
  uint32_t mask, nbucket;
  uint16_t *bucket;    /* of each digit; NULL: the digit itself */
  uint64_t (*span)[2]; /* by chunk; finally [0] is that of all */
  uint32_t *counts;    /* by chunk and bucket: first the number of elements, then the place of the first one */
  uint32_t *first;     /* by bucket, with one more at the end */
  int64_t unit;        /* buckets that begin within this many elements belong to one thread at a time */
  int64_t large;       /* elements of a bucket that all threads divide together */
  bool into_y;
} division;

static int64_t chunk_size(const division *d, int64_t c) {
  return d->n - c * d->chunk < d->chunk ? d->n - c * d->chunk : d->chunk;
}
static const char *chunk_at(const division *d, int64_t c) { return d->from + c * d->chunk * d->s->size; }
static uint32_t *counts_of(const division *d, int64_t c) { return d->counts + (size_t)c * d->nbucket; }

static ma_status span_chunks(void *context, int64_t first, int64_t last) {
  const division *d = context;
  for (int64_t c = first; c < last; c++) d->s->loops->span(chunk_at(d, c), chunk_size(d, c), d->span[c]);
  return MA_OK;
}

static void buckets_of(const division *d, const char *from, int m, uint32_t *buckets) {
  d->s->loops->digits(from, m, d->span[0][0], d->shift, d->mask, buckets);
  for (int i = 0; d->bucket && i < m; i++) buckets[i] = d->bucket[buckets[i]];
}

static ma_status count_chunks(void *context, int64_t first, int64_t last) {
  const division *d = context;
  uint32_t digits[MA_SORT_BLOCK];
  for (int64_t c = first; c < last; c++) {
    uint32_t *count = counts_of(d, c);
    memset(count, 0, d->nbucket * sizeof *count);
    for (int64_t n = chunk_size(d, c), at = 0; at < n; at += MA_SORT_BLOCK) {
      int m = least_int(n - at, MA_SORT_BLOCK);
      buckets_of(d, chunk_at(d, c) + at * d->s->size, m, digits);
      for (int i = 0; i < m; i++) count[digits[i]]++;
    }
  }
  return MA_OK;
}

/* Computes the place of each chunk's first element of each bucket. */
static void place_chunks(const division *d) {
  uint32_t next = 0;
  for (uint32_t b = 0; b < d->nbucket; b++) {
    d->first[b] = next;
    for (int c = 0; c < d->nchunk; c++) {
      uint32_t *at = counts_of(d, c) + b, count = *at;
      *at = next;
      next += count;
    }
  }
  d->first[d->nbucket] = next;
}

static ma_status move_chunks(void *context, int64_t first, int64_t last) {
  const division *d = context;
  const moves *moves = &moves_of[d->s->size];
  uint32_t digits[MA_SORT_BLOCK], before = (uint32_t)((uintptr_t)d->x % LINE / (size_t)d->s->size);
  char *memory = aligned_alloc(LINE, (size_t)d->nbucket * LINE), *x = d->x - (size_t)before * (size_t)d->s->size;
  uint32_t *starts = malloc(d->nbucket * sizeof *starts);
  ma_status status = memory && starts ? MA_OK
                                      : ma_fail(MA_ERR_MEMORY, "out of memory: lines of %u buckets", d->nbucket);
  for (int64_t c = first; c < last && status == MA_OK; c++) {
    lines l = { memory, counts_of(d, c), starts };
    for (uint32_t b = 0; b < d->nbucket; b++) starts[b] = l.next[b] += before;
    for (int64_t n = chunk_size(d, c), at = 0; at < n; at += MA_SORT_BLOCK) {
      int m = least_int(n - at, MA_SORT_BLOCK);
      const char *from = chunk_at(d, c) + at * d->s->size;
      buckets_of(d, from, m, digits);
      moves->collect(&l, from, x, m, digits);
    }
    moves->put_rest(&l, x, d->nbucket);
  }
#ifdef __SSE2__
  _mm_sfence();
#endif
  free(memory);
  free(starts);
  return status;
}

static ma_status sort_one(const division *d, const sorter *s, uint32_t b) {
  int64_t at = (int64_t)d->first[b] * s->size;
  return sort_bucket(s, d->x + at, d->y + at, d->base + d->first[b], d->first[b + 1] - d->first[b], d->into_y);
}

static bool is_large(const division *d, uint32_t b) { return d->first[b + 1] - d->first[b] > d->large; }

/* The first bucket that begins at or behind `element`. */
static uint32_t bucket_at(const division *d, int64_t element) {
  uint32_t lo = 0, hi = d->nbucket;
  while (lo < hi) {
    uint32_t middle = (lo + hi) / 2;
    if (d->first[middle] < element) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}

static ma_status sort_units(void *context, int64_t first, int64_t last) {
  const division *d = context;
  sorter alone = *d->s;
  alone.threads = 1;
  for (uint32_t b = bucket_at(d, first * d->unit), end = bucket_at(d, last * d->unit); b < end; b++)
    if (!is_large(d, b)) MA_TRY(sort_one(d, &alone, b));
  return MA_OK;
}

/* Chooses the leading bits of the range of all numbers; false if all are equal. */
static bool choose_digit(division *d) {
  uint64_t(*span)[2] = d->span;
  for (int c = 1; c < d->nchunk; c++) {
    if (span[c][0] < span[0][0]) span[0][0] = span[c][0];
    if (span[c][1] > span[0][1]) span[0][1] = span[c][1];
  }
  int bits = bits_of(span[0][1] - span[0][0]), wanted = bits_of((uint64_t)d->n) - BUCKET_BITS;
  wanted = wanted > MOST_BITS ? MOST_BITS : wanted;
  d->shift = bits > wanted ? bits - wanted : 0;
  d->nbucket = 1u << (bits - d->shift);
  d->mask = d->nbucket - 1;
  return bits > 0;
}

/* Counts a sample by digits that are finer than the buckets. Returns whether some buckets would be much too large. */
static bool count_sample(const division *d, uint16_t *count) {
  uint64_t elements[MA_SORT_BLOCK], chance = (uint64_t)d->n;
  uint32_t digits[MA_SORT_BLOCK], most = 0;
  for (uint32_t left = d->nbucket * SAMPLES; left > 0;) {
    int m = least_int(left, MA_SORT_BLOCK);
    ma_sample(d->from, (size_t)d->s->size, d->n, m, &chance, elements);
    d->s->loops->digits(elements, m, d->span[0][0], d->shift - FINER, (d->nbucket << FINER) - 1, digits);
    for (int i = 0; i < m; i++) count[digits[i]]++;
    left -= (uint32_t)m;
  }
  for (uint32_t b = 0; b < d->nbucket; b++) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 1u << FINER; k++) sum += count[(b << FINER) + k];
    most = sum > most ? sum : most;
  }
  return most > UNEVEN * SAMPLES;
}

/* Floats, for one, share few exponents. If numbers are not spread evenly over their range, makes each bucket of so many
** neighbouring finer digits that it has its part of a sample. One with more is a single digit: so not all elements come
** into one bucket. */
static ma_status choose_buckets(division *d) {
  if (d->shift < FINER) return MA_OK;
  uint32_t ndigit = d->nbucket << FINER;
  d->bucket = calloc(ndigit, sizeof *d->bucket);
  if (!d->bucket) return ma_fail(MA_ERR_MEMORY, "out of memory: %u digits", ndigit);
  if (!count_sample(d, d->bucket)) {
    free(d->bucket);
    d->bucket = NULL;
    return MA_OK;
  }
  uint32_t b = 0, sum = 0;
  for (uint32_t k = 0; k < ndigit; k++) {
    uint32_t count = d->bucket[k];
    if (sum + count > SAMPLES && k > 0) b++, sum = 0;
    sum += count;
    d->bucket[k] = (uint16_t)b;
  }
  d->nbucket = b + 1;
  d->shift -= FINER;
  d->mask = ndigit - 1;
  return MA_OK;
}

static ma_status run_division(division *d) {
  MA_TRY(ma_cpu_parallel(d->nchunk, 1, count_chunks, d));
  place_chunks(d);
  MA_TRY(ma_cpu_parallel(d->nchunk, 1, move_chunks, d));
  for (uint32_t b = 0; b < d->nbucket; b++)
    if (is_large(d, b)) MA_TRY(sort_one(d, d->s, b));
  return ma_cpu_parallel((d->n + d->unit - 1) / d->unit, 1, sort_units, d);
}

/* Divides n elements at `from` into buckets at x, with as much room at y; one of the two may be `from`. The result
** goes to y or stays at x. */
static ma_status divide(const sorter *s, const char *from, char *x, char *y, int64_t base, int64_t n, bool into_y) {
  uint64_t span[MOST_CHUNKS][2];
  int nchunk = s->threads > 1 ? least_int(n / CHUNK, s->threads * 4) : 1;
  nchunk = nchunk < 1 ? 1 : nchunk > MOST_CHUNKS ? MOST_CHUNKS : nchunk;
  division d = { .s = s,
                 .from = from,
                 .x = x,
                 .y = y,
                 .base = base,
                 .n = n,
                 .chunk = (n + nchunk - 1) / nchunk,
                 .nchunk = nchunk,
                 .span = span,
                 .into_y = into_y };
  d.unit = n / (s->threads * 8) + 1;
  d.large = n / s->threads > CACHED / s->size ? n / s->threads : CACHED / s->size;
  MA_TRY(ma_cpu_parallel(nchunk, 1, span_chunks, &d));
  if (!choose_digit(&d)) {
    if (from != (into_y ? y : x)) memcpy(into_y ? y : x, from, (size_t)(n * s->size));
    return MA_OK;
  }
  MA_TRY(choose_buckets(&d));
  d.counts = malloc(((size_t)d.nbucket * ((size_t)nchunk + 1) + 1) * sizeof *d.counts);
  ma_status status = MA_OK;
  if (!d.counts) status = ma_fail(MA_ERR_MEMORY, "out of memory: counts of %u buckets", d.nbucket);
  else {
    d.first = d.counts + (size_t)d.nbucket * (size_t)nchunk;
    status = run_division(&d);
  }
  free(d.counts);
  free(d.bucket);
  return status;
}

/* The place that matters nearest to the middle, of those from `base` on. */
static int64_t middle_place(const ma_places *places, int64_t base, int64_t n) {
  int64_t middle = base + n / 2, best = places->place[0];
  for (int k = 1; k < places->n; k++)
    if (llabs(places->place[k] - middle) < llabs(best - middle)) best = places->place[k];
  return best - base;
}

/* Moves what is before and behind a place that matters aside, and sorts what is left; the result goes to `to`. `room`
** may be `from`. Returns false and writes nothing if it cannot. */
static bool trim(const sorter *s, const char *from, char *room, char *to, int64_t base, int64_t n, ma_status *status) {
  int64_t sizes[3], at = 0;
  if (!ma_cpu_sort_parts(s->loops, s->size, s->threads, from, room, to, n, middle_place(s->places, base, n), sizes))
    return false;
  *status = MA_OK;
  for (int k = 0; k < 3 && *status == MA_OK; at += sizes[k++]) {
    char *x = to + at * s->size, *y = room + at * s->size;
    if (k == 2 && ma_places_any(s->places, base + at, base + n)) {
      bool only_last = !ma_places_any(s->places, base + at, base + n - 1);
      ma_cpu_sort_turned(s->loops, s->size, x, sizes[k], only_last);
      if (only_last) break;
    }
    if (k == 1 && sizes[k] > n / 2) *status = divide(s, x, y, x, base + at, sizes[k], true);
    else *status = sort_bucket(s, x, y, base + at, sizes[k], false);
  }
  return true;
}

ma_status ma_cpu_sort_buckets(const ma_sort_loops *loops, int size, int threads, const void *from, void *to,
                              void *scratch, int64_t n, const ma_places *places) {
  const ma_network *network = ma_cpu_network();
  sorter s = { loops, size, threads, places, places->n > 0 && network && network->wide.select };
  ma_status status;
  if (is_trimmed(&s, n) && to != from && trim(&s, from, scratch, to, 0, n, &status)) return status;
  bool stays = places->n > 0 && to != from; /* few buckets are moved again */
  if (n * size > CACHED || (threads > 1 && n >= 2 * CHUNK))
    return divide(&s, from, stays ? to : scratch, stays ? scratch : to, 0, n, !stays);
  if (to != from) memcpy(to, from, (size_t)(n * size));
  return sort_bucket(&s, to, scratch, 0, n, false);
}
