/*
** argpartition.c: positions that put one element of a row where a sort would. The row's values are parted first; then
** its elements are compared with the one at that place: two passes over the row, whose chunks threads share. What is
** below comes first, then what is equal, then what is above, each in the order of the row.
*/
#include "cpu/sort/buckets.h"

#define CHUNK 16384 /* elements in a chunk, at least */
#define MOST_CHUNKS 64

typedef struct argpartition {
  const ma_sort_loops *loops;
  int size;
  const char *from;
  int64_t *positions;
  int64_t n, chunk;
  uint64_t pivot;                /* the number of the element at the place */
  int64_t count[MOST_CHUNKS][2]; /* elements of a chunk below and not above */
  int64_t next[MOST_CHUNKS][3];  /* where its next position below, equal and above goes */
} argpartition;

/* Counts a block's numbers below the pivot, and not above it. */
#define COUNT(name, T)                                         \
  static void name(const T *x, int m, T pivot, int count[2]) { \
    int below = 0, upto = 0;                                   \
    for (int i = 0; i < m; i++) below += x[i] < pivot;         \
    for (int i = 0; i < m; i++) upto += x[i] <= pivot;         \
    count[0] = below;                                          \
    count[1] = upto;                                           \
  }
COUNT(count_narrow, uint32_t)
COUNT(count_wide, uint64_t)
#undef COUNT

/* Writes the positions of a block whose first element has position `at`: those below the pivot to part[0], those above
** to part[2], and the others, if `equal`, to part[1]. A part has room for one more. */
#define DIVIDE(name, T)                                                         \
  static void name(const T *restrict x, int m, T pivot, bool equal, int64_t at, \
                   int64_t(*restrict part)[MA_SORT_BLOCK + 1]) {                \
    int below = 0, above = 0, same = 0;                                         \
    for (int i = 0; i < m; i++) {                                               \
      part[0][below] = part[2][above] = at + i;                                 \
      below += x[i] < pivot;                                                    \
      above += x[i] > pivot;                                                    \
    }                                                                           \
    for (int i = 0; equal && i < m; i++) {                                      \
      part[1][same] = at + i;                                                   \
      same += x[i] == pivot;                                                    \
    }                                                                           \
  }
DIVIDE(divide_narrow, uint32_t)
DIVIDE(divide_wide, uint64_t)
#undef DIVIDE

typedef struct block {
  _Alignas(MA_ALIGN) uint64_t numbers[MA_SORT_BLOCK];
  int m, count[2];
} block;

static void read_block(const argpartition *s, int64_t i, int64_t end, block *b) {
  const char *x = s->from + i * s->size;
  b->m = end - i < MA_SORT_BLOCK ? (int)(end - i) : MA_SORT_BLOCK;
  if (s->size < 8) {
    s->loops->narrow(x, b->m, 0, 0, (uint32_t *)b->numbers);
    count_narrow((const uint32_t *)b->numbers, b->m, (uint32_t)s->pivot, b->count);
  } else {
    s->loops->wide(x, b->m, 0, 0, 0, b->numbers);
    count_wide(b->numbers, b->m, s->pivot, b->count);
  }
}

static ma_status count_chunks(void *context, int64_t first, int64_t last) {
  argpartition *s = context;
  block b;
  for (int64_t c = first; c < last; c++) {
    int64_t end = (c + 1) * s->chunk < s->n ? (c + 1) * s->chunk : s->n, below = 0, upto = 0;
    for (int64_t i = c * s->chunk; i < end; i += MA_SORT_BLOCK) {
      read_block(s, i, end, &b);
      below += b.count[0];
      upto += b.count[1];
    }
    s->count[c][0] = below;
    s->count[c][1] = upto;
  }
  return MA_OK;
}

/* Computes where the chunks' positions go. */
static void place_chunks(argpartition *s, int nchunk) {
  int64_t below = 0, upto = 0, i = 0;
  for (int c = 0; c < nchunk; c++) below += s->count[c][0], upto += s->count[c][1];
  int64_t next[3] = { 0, below, upto };
  for (int c = 0; c < nchunk; c++, i += s->chunk) {
    int64_t n = s->n - i < s->chunk ? s->n - i : s->chunk;
    memcpy(s->next[c], next, sizeof next);
    next[0] += s->count[c][0];
    next[1] += s->count[c][1] - s->count[c][0];
    next[2] += n - s->count[c][1];
  }
}

static ma_status divide_chunks(void *context, int64_t first, int64_t last) {
  argpartition *s = context;
  block b;
  int64_t part[3][MA_SORT_BLOCK + 1];
  for (int64_t c = first; c < last; c++) {
    int64_t end = (c + 1) * s->chunk < s->n ? (c + 1) * s->chunk : s->n, *next = s->next[c];
    for (int64_t i = c * s->chunk; i < end; i += MA_SORT_BLOCK) {
      read_block(s, i, end, &b);
      bool equal = b.count[1] > b.count[0];
      if (s->size < 8) divide_narrow((const uint32_t *)b.numbers, b.m, (uint32_t)s->pivot, equal, i + 1, part);
      else divide_wide(b.numbers, b.m, s->pivot, equal, i + 1, part);
      int n[3] = { b.count[0], b.count[1] - b.count[0], b.m - b.count[1] };
      for (int k = 0; k < 3; k++) {
        memcpy(s->positions + next[k], part[k], (size_t)n[k] * sizeof **part);
        next[k] += n[k];
      }
    }
  }
  return MA_OK;
}

ma_status ma_cpu_argpartition(const ma_sort_loops *loops, int size, int threads, const void *from, const void *kth,
                              int64_t *positions, int64_t n) {
  argpartition s = { .loops = loops, .size = size, .from = from, .positions = positions, .n = n };
  int64_t nchunk = threads > 1 ? n / CHUNK : 1;
  uint32_t narrow;
  if (nchunk > MOST_CHUNKS) nchunk = MOST_CHUNKS;
  if (nchunk < 1) nchunk = 1;
  s.chunk = (n + nchunk - 1) / nchunk;
  if (size < 8) loops->narrow(kth, 1, 0, 0, &narrow), s.pivot = narrow;
  else loops->wide(kth, 1, 0, 0, 0, &s.pivot);
  MA_TRY(ma_cpu_parallel(nchunk, 1, count_chunks, &s));
  place_chunks(&s, (int)nchunk);
  return ma_cpu_parallel(nchunk, 1, divide_chunks, &s);
}
