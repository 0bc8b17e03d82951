/*
** parts.c: divides a long row in which one place matters by two numbers between which it is almost surely, as a sorted
** sample of the row says (Floyd and Rivest). So nearly all elements are moved once, and looked at no more.
*/
#include "cpu/sort/buckets.h"

#include <math.h>
#include <string.h>

#define SAMPLES 4096
#define BESIDE 128  /* samples between the place and each of the two numbers: 4 standard deviations */
#define CHUNK 65536 /* elements in a chunk, at least */
#define MOST_CHUNKS 64

typedef struct row {
  const ma_sort_loops *loops;
  const ma_number_sort *by;
  const char *from;
  char *room, *to;
  int64_t n, chunk;
  uint64_t low, high;
  int64_t counts[MOST_CHUNKS][2];
  ma_parts parts[MOST_CHUNKS];
} row;

static void numbers_of(const row *r, const char *from, int n, void *numbers) {
  if (r->by->size == 4) r->loops->narrow(from, n, 0, 0, numbers);
  else r->loops->wide(from, n, 0, 0, 0, numbers);
}

static uint64_t number_at(const row *r, const void *numbers, int64_t k) {
  return r->by->size == 4 ? ((const uint32_t *)numbers)[k] : ((const uint64_t *)numbers)[k];
}

/* Chooses the two numbers from elements all over the row. */
static void choose(row *r, int64_t at) {
  _Alignas(64) uint64_t numbers[SAMPLES];
  uint64_t elements[SAMPLES], chance = (uint64_t)r->n;
  size_t size = (size_t)r->by->size;
  ma_sample(r->from, size, r->n, SAMPLES, &chance, elements);
  numbers_of(r, (const char *)elements, SAMPLES, numbers);
  r->by->sort(numbers, SAMPLES, 0);
  int64_t rank = (int64_t)((double)at / (double)r->n * SAMPLES);
  r->low = rank < BESIDE ? 0 : number_at(r, numbers, rank - BESIDE);
  r->high = rank + BESIDE >= SAMPLES ? UINT64_MAX >> (64 - 8 * size) : number_at(r, numbers, rank + BESIDE);
}

static ma_status count_chunks(void *context, int64_t first, int64_t last) {
  row *r = context;
  _Alignas(64) uint64_t numbers[MA_SORT_BLOCK];
  for (int64_t c = first; c < last; c++) {
    r->counts[c][0] = r->counts[c][1] = 0;
    for (int64_t i = c * r->chunk, end = i + r->chunk < r->n ? i + r->chunk : r->n; i < end; i += MA_SORT_BLOCK) {
      int m = end - i < MA_SORT_BLOCK ? (int)(end - i) : MA_SORT_BLOCK;
      numbers_of(r, r->from + i * r->by->size, m, numbers);
      r->by->count(numbers, m, r->low, r->high, r->counts[c]);
    }
  }
  return MA_OK;
}

static ma_status split_chunks(void *context, int64_t first, int64_t last) {
  row *r = context;
  _Alignas(64) uint64_t numbers[MA_SORT_BLOCK];
  for (int64_t c = first; c < last; c++)
    for (int64_t i = c * r->chunk, end = i + r->chunk < r->n ? i + r->chunk : r->n; i < end; i += MA_SORT_BLOCK) {
      int m = end - i < MA_SORT_BLOCK ? (int)(end - i) : MA_SORT_BLOCK;
      numbers_of(r, r->from + i * r->by->size, m, numbers);
      r->by->split(numbers, r->from + i * r->by->size, m, r->low, r->high, &r->parts[c]);
    }
  return MA_OK;
}

/* One chunk needs no counts. */
static ma_status split(row *r, int nchunk) {
  char *below = r->to, *above = r->to + r->n * r->by->size;
  if (nchunk > 1) MA_TRY(ma_cpu_parallel(nchunk, 1, count_chunks, r));
  for (int c = 0; c < nchunk; c++) {
    r->parts[c] = (ma_parts){ below, r->room + c * r->chunk * r->by->size, above };
    below += r->counts[c][0] * r->by->size;
    above -= r->counts[c][1] * r->by->size;
  }
  return ma_cpu_parallel(nchunk, 1, split_chunks, r);
}

static const ma_number_sort *number_sort(int size) {
  const ma_network *network = ma_cpu_network();
  const ma_number_sort *by = !network ? NULL : size == 4 ? &network->narrow : size == 8 ? &network->wide : NULL;
  return by && by->split ? by : NULL;
}

bool ma_cpu_sort_parts(const ma_sort_loops *loops, int size, int threads, const void *from, void *room, void *to,
                       int64_t n, int64_t at, int64_t sizes[3]) {
  const ma_number_sort *by = number_sort(size);
  if (!by) return false;
  row r = { .loops = loops, .by = by, .from = from, .room = room, .to = to, .n = n };
  int64_t nchunk = threads > 1 ? n / CHUNK : 1;
  nchunk = nchunk < 1 ? 1 : nchunk > 4 * threads ? 4 * threads : nchunk;
  nchunk = nchunk > MOST_CHUNKS ? MOST_CHUNKS : nchunk;
  r.chunk = (n + nchunk - 1) / nchunk;
  choose(&r, at);
  if (split(&r, (int)nchunk) != MA_OK) return false;
  char *middle = r.parts[nchunk - 1].below;
  sizes[0] = (middle - r.to) / size;
  sizes[2] = (r.to + n * size - (char *)r.parts[nchunk - 1].above) / size;
  sizes[1] = n - sizes[0] - sizes[2];
  for (int64_t c = 0; c < nchunk; c++) {
    char *start = r.room + c * r.chunk * size;
    size_t nbytes = (size_t)((char *)r.parts[c].middle - start);
    memcpy(middle, start, nbytes);
    middle += nbytes;
  }
  return true;
}

/* Of turned elements the one that a stable sort puts last: the first of the greatest. */
static int64_t find_last(const row *r) {
  _Alignas(64) uint64_t numbers[MA_SORT_BLOCK];
  uint64_t span[2];
  int64_t i = 0;
  r->loops->span(r->from, r->n, span);
  for (; i < r->n; i += MA_SORT_BLOCK) {
    int m = r->n - i < MA_SORT_BLOCK ? (int)(r->n - i) : MA_SORT_BLOCK;
    int64_t counts[2] = { 0, 0 };
    numbers_of(r, r->from + i * r->by->size, m, numbers);
    r->by->count(numbers, m, span[1], span[1], counts);
    if (counts[0] == m) continue;
    for (int k = 0; k < m; k++)
      if (number_at(r, numbers, k) == span[1]) return i + k;
  }
  return r->n - 1;
}

#define SWAPS(T)                                                              \
  for (int64_t k = 0; k < swaps; k++) {                                       \
    T *x = (T *)elements + first + k, t = *x, *y = (T *)elements + n - 1 - k; \
    *x = *y;                                                                  \
    *y = t;                                                                   \
  }

void ma_cpu_sort_turned(const ma_sort_loops *loops, int size, void *elements, int64_t n, bool only_last) {
  row r = { .loops = loops, .by = number_sort(size), .from = elements, .n = n };
  int64_t first = only_last ? find_last(&r) : 0, swaps = only_last ? 1 : n / 2;
  if (size == 4) SWAPS(uint32_t)
  else SWAPS(uint64_t)
}
