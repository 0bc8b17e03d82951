/*
** numbers.c: sorts unsigned numbers, of which equal ones are the same. A short row takes a network (network.c). A long
** one is divided into buckets by the leading bits of the range of its numbers, by threads, so that each bucket is a
** short row; if a sample says that some buckets would be much too large, by finer bits, of which each bucket has as
** many as have its part of the sample. Numbers of few bits are counted, and then written as often as they are there.
**
** If few places matter, a row is divided instead by two numbers between which a place is almost surely, as a sorted
** sample of the row says (Floyd and Rivest), and what is between them is a row again.
*/
#include "cpu/sort/rows.h"

#include "cpu/map/wider.h"
#include "tuning.h"

#include <math.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LINE 64

typedef struct lines {    /* of one chunk in a division: a bucket's numbers are written a cache line at a time, around
                          ** the caches, which cannot hold a thousand buckets at once */
  char *line;             /* LINE bytes for each bucket */
  uint64_t *next, *first; /* by bucket; numbers are counted from the cache line in which the result begins */
} lines;

static inline void put_line(char *to, const char *line) {
#ifdef __SSE2__
  for (int k = 0; k < LINE; k += 16)
    _mm_stream_si128((__m128i *)(void *)(to + k), _mm_load_si128((const __m128i *)(const void *)(line + k)));
#else
  memcpy(to, line, LINE);
#endif
}

#define NAME(what) what##_narrow
#define NUMBER uint32_t
#include "cpu/sort/numbers.h"
#define NAME(what) what##_wide
#define NUMBER uint64_t
#include "cpu/sort/numbers.h"

FOR_AVX512 static void widen(const uint32_t *restrict from, int64_t n, uint64_t low, uint64_t *restrict to) {
  for (int64_t i = 0; i < n; i++) to[i] = low + from[i];
}

typedef struct loops {
  void (*span)(const void *, int64_t, uint64_t[2]);
  bool (*in_order)(const void *, int64_t);
  void (*digits)(const void *, int64_t, uint64_t, int, uint32_t *);
  void (*sample)(const void *, int64_t, int, uint64_t *, void *);
  void (*move)(const lines *, const void *, void *, int, const uint32_t *);
  void (*move_rest)(const lines *, void *, uint32_t);
  void (*fill)(void *, int64_t, uint64_t);
} loops;

static const loops loops_of[] = {
  { span_narrow, in_order_narrow, digits_narrow, sample_narrow, move_narrow, move_rest_narrow, fill_narrow },
  { span_wide, in_order_wide, digits_wide, sample_wide, move_wide, move_rest_wide, fill_wide },
};

typedef struct sorter {
  const loops *loops;
  const ma_network *network;
  int size, threads;
  const int64_t *place;
  int nplace;
} sorter;

static int least_int(int64_t a, int64_t b) { return (int)(a < b ? a : b); }
static uint64_t number_at(int size, const void *numbers, int64_t k) {
  return size == 4 ? ((const uint32_t *)numbers)[k] : ((const uint64_t *)numbers)[k];
}

/* ==== Short rows ================================================================================================== */

/* Sorts a few numbers in place. They are aligned, with room behind them. */
static void sort_here(const sorter *s, void *x, int64_t n) {
  int pad = s->network->pad, padded = (int)((n + pad - 1) / pad * pad);
  memset((char *)x + n * s->size, 0xff, (size_t)((padded - n) * s->size));
  s->network->sort(x, padded);
}

static ma_status sort_short(const sorter *s, char *x, int64_t n) {
  _Alignas(MA_ALIGN) uint64_t few[2 * TUNE_SORT_STACK];
  ma_buffer *memory = NULL;
  if (n < 2) return MA_OK;
  size_t nbytes = (size_t)(n * s->size);
  if (nbytes + MA_SORT_PAD * 8 > sizeof few) MA_TRY(ma_buffer_new(ma_device_cpu(), nbytes + MA_SORT_PAD * 8, &memory));
  void *at = memory ? memory->ptr : few;
  memcpy(at, x, nbytes);
  sort_here(s, at, n);
  memcpy(x, at, nbytes);
  if (memory) ma_buffer_release(memory);
  return MA_OK;
}

/* ==== Buckets ===================================================================================================== */

typedef struct division {
  const sorter *s;
  char *x, *y; /* from, to */
  int64_t n, chunk;
  int nchunk, shift;
  uint32_t nbucket;
  uint64_t span[TUNE_SORT_CHUNKS][2]; /* by chunk; finally [0] is that of all */
  uint16_t *bucket;                   /* of each digit; NULL: the digit itself */
  uint64_t *counts;                   /* by chunk and bucket: numbers, then the place of the first one */
  uint64_t *first;                    /* by bucket, with one more at the end */
  int64_t unit;                       /* buckets that begin within this many numbers are one thread's at a time */
  int64_t large;                      /* numbers of a bucket that all threads divide together */
} division;

static int64_t chunk_size(const division *d, int64_t c) {
  return d->n - c * d->chunk < d->chunk ? d->n - c * d->chunk : d->chunk;
}
static char *chunk_at(const division *d, int64_t c) { return d->x + c * d->chunk * d->s->size; }
static uint64_t *counts_of(const division *d, int64_t c) { return d->counts + (size_t)c * d->nbucket; }

static ma_status span_chunks(void *context, int64_t first, int64_t last) {
  division *d = context;
  for (int64_t c = first; c < last; c++) d->s->loops->span(chunk_at(d, c), chunk_size(d, c), d->span[c]);
  return MA_OK;
}

static void buckets_of(const division *d, const char *from, int m, uint32_t *buckets) {
  d->s->loops->digits(from, m, d->span[0][0], d->shift, buckets);
  for (int i = 0; d->bucket && i < m; i++) buckets[i] = d->bucket[buckets[i]];
}

static ma_status count_chunks(void *context, int64_t first, int64_t last) {
  const division *d = context;
  uint32_t buckets[TUNE_SORT_BLOCK];
  for (int64_t c = first; c < last; c++) {
    uint64_t *count = counts_of(d, c);
    memset(count, 0, d->nbucket * sizeof *count);
    for (int64_t n = chunk_size(d, c), at = 0; at < n; at += TUNE_SORT_BLOCK) {
      int m = least_int(n - at, TUNE_SORT_BLOCK);
      buckets_of(d, chunk_at(d, c) + at * d->s->size, m, buckets);
      for (int i = 0; i < m; i++) count[buckets[i]]++;
    }
  }
  return MA_OK;
}

/* Computes the place of each chunk's first number of each bucket. */
static void place_chunks(const division *d) {
  uint64_t next = 0;
  for (uint32_t b = 0; b < d->nbucket; b++) {
    d->first[b] = next;
    for (int c = 0; c < d->nchunk; c++) {
      uint64_t *at = counts_of(d, c) + b, count = *at;
      *at = next;
      next += count;
    }
  }
  d->first[d->nbucket] = next;
}

static ma_status move_chunks(void *context, int64_t first, int64_t last) {
  const division *d = context;
  uint32_t buckets[TUNE_SORT_BLOCK];
  size_t before = (uintptr_t)d->y % LINE / (size_t)d->s->size;
  char *memory = aligned_alloc(LINE, (size_t)d->nbucket * LINE), *y = d->y - before * (size_t)d->s->size;
  uint64_t *starts = malloc(d->nbucket * sizeof *starts);
  ma_status status = memory && starts ? MA_OK
                                      : ma_fail(MA_ERR_MEMORY, "out of memory: lines of %u buckets", d->nbucket);
  for (int64_t c = first; c < last && status == MA_OK; c++) {
    lines l = { memory, counts_of(d, c), starts };
    for (uint32_t b = 0; b < d->nbucket; b++) starts[b] = l.next[b] += before;
    for (int64_t n = chunk_size(d, c), at = 0; at < n; at += TUNE_SORT_BLOCK) {
      int m = least_int(n - at, TUNE_SORT_BLOCK);
      const char *from = chunk_at(d, c) + at * d->s->size;
      buckets_of(d, from, m, buckets);
      d->s->loops->move(&l, from, y, m, buckets);
    }
    d->s->loops->move_rest(&l, y, d->nbucket);
  }
#ifdef __SSE2__
  _mm_sfence();
#endif
  free(memory);
  free(starts);
  return status;
}

static bool is_long(const sorter *s, int64_t n);
static ma_status divide(const sorter *s, char *x, char *y, int64_t n);

/* Sorts a bucket. If all its numbers are equal, it only fills it. Where numbers carry places, equal elements are in
** order already. */
static ma_status sort_bucket(const division *d, const sorter *s, uint32_t b) {
  int64_t at = (int64_t)d->first[b] * s->size, n = (int64_t)(d->first[b + 1] - d->first[b]);
  if (d->shift == 0 && !d->bucket) s->loops->fill(d->y + at, n, d->span[0][0] + b);
  else if (s->loops->in_order(d->y + at, n)) return MA_OK;
  else if (!is_long(s, n)) return sort_short(s, d->y + at, n);
  else {
    MA_TRY(divide(s, d->y + at, d->x + at, n));
    memcpy(d->y + at, d->x + at, (size_t)(n * s->size));
  }
  return MA_OK;
}

static bool is_large(const division *d, uint32_t b) { return (int64_t)(d->first[b + 1] - d->first[b]) > d->large; }

/* The first bucket that begins at `place` or behind it. */
static uint32_t bucket_at(const division *d, int64_t place) {
  uint32_t lo = 0, hi = d->nbucket;
  while (lo < hi) {
    uint32_t middle = (lo + hi) / 2;
    if ((int64_t)d->first[middle] < place) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}

static ma_status sort_units(void *context, int64_t first, int64_t last) {
  const division *d = context;
  sorter alone = *d->s;
  alone.threads = 1;
  for (uint32_t b = bucket_at(d, first * d->unit), end = bucket_at(d, last * d->unit); b < end; b++)
    if (!is_large(d, b)) MA_TRY(sort_bucket(d, &alone, b));
  return MA_OK;
}

/* Chooses the leading bits of the range of all numbers. */
static void choose_digit(division *d) {
  uint64_t(*span)[2] = d->span;
  for (int c = 1; c < d->nchunk; c++) {
    if (span[c][0] < span[0][0]) span[0][0] = span[c][0];
    if (span[c][1] > span[0][1]) span[0][1] = span[c][1];
  }
  int bits = bits_of(span[0][1] - span[0][0]),
      wanted = least_int(bits_of((uint64_t)d->n) - TUNE_SORT_BUCKET_BITS, TUNE_SORT_BUCKETS_BITS);
  if (wanted < 1) wanted = 1; /* two buckets at least: the least and the greatest number part */
  bool counted = bits <= TUNE_SORT_COUNTED_BITS && INT64_C(2) << bits <= d->n;
  d->shift = bits > wanted && !counted ? bits - wanted : 0;
  d->nbucket = 1u << (bits - d->shift);
}

/* Counts a sample by digits that are finer than the buckets. Returns whether some buckets would be much too large. */
static bool count_sample(const division *d, uint16_t *count) {
  uint64_t numbers[TUNE_SORT_BLOCK], chance = (uint64_t)d->n;
  uint32_t digits[TUNE_SORT_BLOCK], most = 0;
  for (int64_t left = (int64_t)d->nbucket * TUNE_SORT_SAMPLES; left > 0; left -= TUNE_SORT_BLOCK) {
    int m = least_int(left, TUNE_SORT_BLOCK);
    d->s->loops->sample(d->x, d->n, m, &chance, numbers);
    d->s->loops->digits(numbers, m, d->span[0][0], d->shift - TUNE_SORT_FINER_BITS, digits);
    for (int i = 0; i < m; i++) count[digits[i]]++;
  }
  for (uint32_t b = 0; b < d->nbucket; b++) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 1u << TUNE_SORT_FINER_BITS; k++) sum += count[(b << TUNE_SORT_FINER_BITS) + k];
    most = sum > most ? sum : most;
  }
  return most > TUNE_SORT_UNEVEN * TUNE_SORT_SAMPLES;
}

/* Chooses the buckets where numbers are not spread evenly over their range, as floats, which share few exponents. A
** bucket gets as many neighbouring finer digits as hold its part of a sample. A digit that holds more gets a bucket by
** itself, so not all numbers come into one bucket. */
static ma_status choose_buckets(division *d) {
  if (d->shift < TUNE_SORT_FINER_BITS) return MA_OK;
  uint32_t ndigit = d->nbucket << TUNE_SORT_FINER_BITS, b = 0, sum = 0;
  uint16_t *count = calloc(ndigit, sizeof *count);
  if (!count) return ma_fail(MA_ERR_MEMORY, "out of memory: %u digits", ndigit);
  if (!count_sample(d, count)) {
    free(count);
    return MA_OK;
  }
  for (uint32_t k = 0; k < ndigit; k++) {
    uint32_t here = count[k];
    if (sum + here > TUNE_SORT_SAMPLES && k > 0) b++, sum = 0;
    sum += here;
    count[k] = (uint16_t)b;
  }
  d->bucket = count;
  d->nbucket = b + 1;
  d->shift -= TUNE_SORT_FINER_BITS;
  return MA_OK;
}

static ma_status run_division(division *d) {
  bool counted = d->shift == 0 && !d->bucket;
  MA_TRY(ma_cpu_parallel(d->nchunk, 1, count_chunks, d));
  place_chunks(d);
  if (!counted) MA_TRY(ma_cpu_parallel(d->nchunk, 1, move_chunks, d));
  for (uint32_t b = 0; b < d->nbucket; b++)
    if (is_large(d, b)) MA_TRY(sort_bucket(d, d->s, b));
  return ma_cpu_parallel((d->n + d->unit - 1) / d->unit, 1, sort_units, d);
}

/* Sorts n numbers at x into y, by buckets. What was at x is overwritten. */
static ma_status divide(const sorter *s, char *x, char *y, int64_t n) {
  int nchunk = s->threads > 1 ? least_int(n / TUNE_THREAD_STEPS, least_int(s->threads * 4, TUNE_SORT_CHUNKS)) : 1;
  division d = { .s = s, .x = x, .y = y, .n = n, .nchunk = nchunk < 1 ? 1 : nchunk };
  d.chunk = (n + d.nchunk - 1) / d.nchunk;
  d.unit = n / (s->threads * 8) + 1;
  d.large = n / s->threads > TUNE_THREAD_STEPS ? n / s->threads : TUNE_THREAD_STEPS;
  MA_TRY(ma_cpu_parallel(d.nchunk, 1, span_chunks, &d));
  choose_digit(&d);
  ma_status status = choose_buckets(&d);
  if (status == MA_OK) {
    d.counts = malloc(((size_t)d.nbucket * ((size_t)d.nchunk + 1) + 1) * sizeof *d.counts);
    if (!d.counts) status = ma_fail(MA_ERR_MEMORY, "out of memory: counts of %u buckets", d.nbucket);
    else {
      d.first = d.counts + (size_t)d.nbucket * (size_t)d.nchunk;
      status = run_division(&d);
    }
  }
  free(d.counts);
  free(d.bucket);
  return status;
}

/* Rows whose numbers lie on the stack have no room for buckets. */
static bool is_long(const sorter *s, int64_t n) {
  return n > TUNE_SORT_STACK && (n > s->network->most || (s->threads > 1 && n / 2 >= TUNE_THREAD_STEPS));
}

/* ==== Near places ================================================================================================= */

/* Whether any of the places `first` to `end` - 1 matters. *near is the one that is nearest to the middle. */
static bool any_place(const sorter *s, int64_t first, int64_t end, int64_t *near) {
  int64_t middle = first + (end - first) / 2, best = INT64_MAX;
  for (int k = 0; k < s->nplace; k++)
    if (s->place[k] >= first && s->place[k] < end && llabs(s->place[k] - middle) < llabs(best - middle))
      best = s->place[k];
  *near = best;
  return best != INT64_MAX;
}

uint64_t ma_cpu_sort_between(int size, void *sample, int64_t n, int64_t first, int64_t last, uint64_t two[2]) {
  const ma_network *network = ma_cpu_network(size);
  int count = ma_sort_sample(n), beside = 2 * (int)sqrt(count);
  int64_t rank[] = { (int64_t)((double)first / (double)n * count), (int64_t)((double)last / (double)n * count) };
  network->sort(sample, count);
  two[0] = rank[0] < beside ? 0 : number_at(size, sample, rank[0] - beside);
  two[1] = rank[1] + beside >= count ? UINT64_MAX >> (64 - 8 * size) : number_at(size, sample, rank[1] + beside);
  return number_at(size, sample, rank[0]);
}

/* Chooses two numbers of a row in which one place matters, between which that place's number almost surely is. */
static uint64_t choose_numbers(const sorter *s, const void *x, int64_t n, int64_t at, uint64_t two[2]) {
  _Alignas(MA_ALIGN) uint64_t sample[TUNE_SORT_SAMPLE];
  uint64_t chance = (uint64_t)n;
  s->loops->sample(x, n, ma_sort_sample(n), &chance, sample);
  return ma_cpu_sort_between(s->size, sample, n, at, at, two);
}

/* Puts the numbers below the first of two, those between them, and those above the second behind each other. Returns
** where those between begin and end. */
static void split(const sorter *s, char *x, char *room, int64_t n, const uint64_t two[2], int64_t ends[2]) {
  int64_t count[3];
  char *above = room + (n + MA_SORT_PAD) * s->size;
  s->network->split(x, n, two, (void *[]){ x, room, above }, count);
  ends[0] = count[0];
  ends[1] = count[0] + count[1];
  memcpy(x + ends[0] * s->size, room, (size_t)(count[1] * s->size));
  memcpy(x + ends[1] * s->size, above, (size_t)(count[2] * s->size));
}

/* Sorts n numbers at x, whose places are those from `base` on, but only as far as places matter. */
static ma_status part(const sorter *s, char *x, char *room, int64_t base, int64_t n) {
  int64_t near, ends[2];
  uint64_t two[2];
  while (any_place(s, base, base + n, &near)) {
    if (n <= TUNE_SORT_STACK / 4) return sort_short(s, x, n);
    uint64_t one = choose_numbers(s, x, n, near - base, two);
    split(s, x, room, n, two, ends);
    if (ends[1] - ends[0] == n && two[0] < two[1]) {
      two[0] = two[1] = one;
      split(s, x, room, n, two, ends);
    }
    MA_TRY(part(s, x, room, base, ends[0]));
    MA_TRY(part(s, x + ends[1] * s->size, room, base + ends[1], n - ends[1]));
    if (two[0] == two[1]) return MA_OK;
    x += ends[0] * s->size;
    base += ends[0];
    n = ends[1] - ends[0];
  }
  return MA_OK;
}

/* ==== Any row ===================================================================================================== */

/* Whether the first numbers suggest that all have so few bits that counting them is faster. */
static bool is_counted(const sorter *s, const void *x, int64_t n) {
  uint64_t span[2];
  if (n <= TUNE_SORT_STACK) return false;
  s->loops->span(x, TUNE_SORT_STACK / 2, span);
  return bits_of(span[1] - span[0]) < bits_of((uint64_t)n) - 1;
}

static ma_status sort_as_they_are(ma_numbers *x, int threads) {
  sorter s = { &loops_of[x->size == 8], ma_cpu_network(x->size), x->size, threads, x->place, x->nplace };
  if (x->room && x->nplace > 0) return part(&s, x->at, x->room, 0, x->n);
  if (!is_long(&s, x->n) && !is_counted(&s, x->at, x->n)) {
    sort_here(&s, x->at, x->n);
    return MA_OK;
  }
  void *sorted = x->room;
  MA_TRY(divide(&s, x->at, x->room, x->n));
  x->room = x->at;
  x->at = sorted;
  return MA_OK;
}

/* Whether all numbers are less than 2^32 above the least one. */
static bool is_narrow(const ma_numbers *x, uint64_t *low) {
  uint64_t span[2] = { 0, 0 };
  for (int64_t n = x->n < 128 ? x->n : 128; span[1] - span[0] <= UINT32_MAX; n = x->n) {
    span_wide(x->at, n, span);
    if (n == x->n) break;
  }
  *low = span[0];
  return span[1] - span[0] <= UINT32_MAX;
}

/* Sorts numbers of 64 bits as numbers of 32, less the least one. */
static ma_status sort_narrow_ones(ma_numbers *x, uint64_t low, int threads) {
  _Alignas(MA_ALIGN) uint32_t few[TUNE_SORT_STACK + MA_SORT_PAD];
  void *narrow = x->n <= TUNE_SORT_STACK ? few
                                         : (void *)(((uintptr_t)x->room + MA_ALIGN - 1) & ~(uintptr_t)(MA_ALIGN - 1));
  ma_numbers y = { 4, x->n, narrow, x->at, x->place, x->nplace };
  digits_wide(x->at, x->n, low, 0, narrow);
  MA_TRY(sort_as_they_are(&y, threads));
  if (y.at != narrow) x->at = x->room, x->room = y.at; /* x has at least TUNE_SORT_STACK numbers */
  widen(y.at, x->n, low, x->at);
  return MA_OK;
}

ma_status ma_cpu_sort_numbers(ma_numbers *x, int threads) {
  uint64_t low;
  return x->size == 8 && x->nplace == 0 && is_narrow(x, &low) ? sort_narrow_ones(x, low, threads)
                                                              : sort_as_they_are(x, threads);
}
