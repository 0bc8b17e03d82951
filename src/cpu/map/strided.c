/* strided.c: moves elements between any layout and packed blocks. Elements are bytes of width 1, 2, 4, 8 or 16; each
** width has its own functions. */
#include "cpu/cpu.h"
#include "cpu/map/wider.h"
#include "tuning.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef uint64_t bytes16 __attribute__((vector_size(16)));

/* Copies rows of `nbytes` whose beginnings are so many bytes apart. A call for each would cost more than the copy. */
static void copy_whole_rows(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t nbytes,
                            int64_t nrow) {
/* Rows of `part` bytes to twice as many, by two copies that overlap. */
#define ENDS(part)                                              \
  for (; nrow > 0; nrow--, to += to_step, from += from_step) {  \
    memcpy(to, from, part);                                     \
    memcpy(to + nbytes - (part), from + nbytes - (part), part); \
  }
  if (nbytes >= 64)
    for (; nrow > 0; nrow--, to += to_step, from += from_step) memcpy(to, from, (size_t)nbytes);
  else if (nbytes >= 32) ENDS(32)
  else if (nbytes >= 16) ENDS(16)
  else if (nbytes >= 8) ENDS(8)
  else if (nbytes >= 4) ENDS(4)
  else if (nbytes >= 2) ENDS(2)
  else ENDS(1)
#undef ENDS
}

/* The same, for `nbytes` in all of rows of `row`, of which the first begins at its byte `column`. */
static void copy_rows(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t row, int64_t column,
                      int64_t nbytes) {
  if (column > 0) {
    int64_t part = row - column < nbytes ? row - column : nbytes;
    memcpy(to, from, (size_t)part);
    to += to_step - column;
    from += from_step - column;
    nbytes -= part;
  }
  int64_t nrow = nbytes / row, rest = nbytes - nrow * row;
  copy_whole_rows(to, to_step, from, from_step, row, nrow);
  if (rest > 0) memcpy(to + nrow * to_step, from + nrow * from_step, (size_t)rest);
}

/* The functions for one width. Those called rows_ take n elements of rows of n1, beginning in column c; s1 and s0 are
** the steps along a row and between rows. Memory may be unaligned: an element has alignment 1. For constant steps the
** compiler makes vectors and shuffles, if the index is as wide as an address. */
#define WIDTH(bits, type)                                                                                           \
  typedef type element##bits __attribute__((aligned(1), may_alias));                                                \
  FOR_AVX512 static void spread_##bits(void *restrict packed, const void *restrict from, int n) {                   \
    element##bits *to = packed, value = *(const element##bits *)from;                                               \
    for (int64_t i = 0; i < n; i++) to[i] = value;                                                                  \
  }                                                                                                                 \
  FOR_AVX512 static void thin_##bits(void *restrict packed, const void *restrict from, int n) {                     \
    element##bits *to = packed;                                                                                     \
    const element##bits *f = from;                                                                                  \
    for (int64_t i = 0; i < n; i++) to[i] = f[2 * i];                                                               \
  }                                                                                                                 \
  FOR_AVX512 static void turn_##bits(void *restrict packed, const void *restrict from, int n) {                     \
    element##bits *to = packed;                                                                                     \
    const element##bits *f = from;                                                                                  \
    for (int64_t i = 0; i < n; i++) to[i] = f[-i];                                                                  \
  }                                                                                                                 \
  static void gather_##bits(void *packed, const char *from, int64_t stride, int n) {                                \
    element##bits *to = packed;                                                                                     \
    int i = 0;                                                                                                      \
    if (stride == 0) return spread_##bits(packed, from, n);                                                         \
    if (stride == 2 * (int64_t)sizeof(type)) return thin_##bits(packed, from, n);                                   \
    if (stride == -(int64_t)sizeof(type)) return turn_##bits(packed, from, n);                                      \
    for (; i + 4 <= n; i += 4, from += 4 * stride) {                                                                \
      to[i] = *(const element##bits *)from;                                                                         \
      to[i + 1] = *(const element##bits *)(from + stride);                                                          \
      to[i + 2] = *(const element##bits *)(from + 2 * stride);                                                      \
      to[i + 3] = *(const element##bits *)(from + 3 * stride);                                                      \
    }                                                                                                               \
    for (; i < n; i++, from += stride) to[i] = *(const element##bits *)from;                                        \
  }                                                                                                                 \
  static void scatter_##bits(char *to, int64_t stride, const void *packed, int n) {                                 \
    const element##bits *from = packed;                                                                             \
    for (int i = 0; i < n; i++) *(element##bits *)(to + i * stride) = from[i];                                      \
  }                                                                                                                 \
  static void gather_rows_##bits(void *packed, const char *from, int64_t s0, int64_t s1, int64_t n1, int64_t c,     \
                                 int n) {                                                                           \
    element##bits *to = packed;                                                                                     \
    while (n > 0) {                                                                                                 \
      if (s1 == 0 && c == 0) { /* each element is repeated: runs of stores that overlap the next element's */       \
        for (; n >= n1 + 8; n -= (int)n1, to += n1, from += s0) {                                                   \
          element##bits value = *(const element##bits *)from;                                                       \
          for (int64_t i = 0; i < n1; i += 8)                                                                       \
            for (int k = 0; k < 8; k++) to[i + k] = value;                                                          \
        }                                                                                                           \
      }                                                                                                             \
      int64_t m = n1 - c < n ? n1 - c : n;                                                                          \
      for (int64_t i = 0; i < m; i++) to[i] = *(const element##bits *)(from + i * s1);                              \
      to += m;                                                                                                      \
      n -= (int)m;                                                                                                  \
      from += s0 - c * s1;                                                                                          \
      c = 0;                                                                                                        \
    }                                                                                                               \
  }                                                                                                                 \
  static void scatter_rows_##bits(char *to, int64_t s0, int64_t s1, int64_t n1, int64_t c, const void *packed,      \
                                  int n) {                                                                          \
    const element##bits *from = packed;                                                                             \
    while (n > 0) {                                                                                                 \
      int64_t m = n1 - c < n ? n1 - c : n;                                                                          \
      for (int64_t i = 0; i < m; i++) *(element##bits *)(to + i * s1) = from[i];                                    \
      from += m;                                                                                                    \
      n -= (int)m;                                                                                                  \
      to += s0 - c * s1;                                                                                            \
      c = 0;                                                                                                        \
    }                                                                                                               \
  }                                                                                                                 \
  static void gather_tile_##bits(char *to, int64_t row, const char *from, int64_t s0, int64_t s1, int n0, int n1) { \
    for (int j = 0; j < n1; j++, from += s1, to += sizeof(type))                                                    \
      for (int i = 0; i < n0; i++) *(element##bits *)(to + i * row) = *(const element##bits *)(from + i * s0);      \
  }
WIDTH(8, uint8_t)
WIDTH(16, uint16_t)
WIDTH(32, uint32_t)
WIDTH(64, uint64_t)
WIDTH(128, bytes16)

typedef struct width_functions {
  void (*gather)(void *packed, const char *from, int64_t stride, int n);
  void (*scatter)(char *to, int64_t stride, const void *packed, int n);
  void (*gather_rows)(void *packed, const char *from, int64_t s0, int64_t s1, int64_t n1, int64_t c, int n);
  void (*scatter_rows)(char *to, int64_t s0, int64_t s1, int64_t n1, int64_t c, const void *packed, int n);
  void (*gather_tile)(char *to, int64_t row, const char *from, int64_t s0, int64_t s1, int n0, int n1);
} width_functions;

#define FUNCTIONS(bytes, bits) \
  [bytes] = { gather_##bits, scatter_##bits, gather_rows_##bits, scatter_rows_##bits, gather_tile_##bits }
static const width_functions widths[17] = { FUNCTIONS(1, 8), FUNCTIONS(2, 16), FUNCTIONS(4, 32), FUNCTIONS(8, 64),
                                            FUNCTIONS(16, 128) };

#define SLOW_PAGE 4096 /* distances are compared by their last 12 bits */
#define SLOW_BEHIND 64 /* bytes */

void ma_move_bytes(void *to, const void *from, size_t nbytes) {
  typedef int64_t vector __attribute__((vector_size(16), aligned(1), may_alias));
  size_t distance = (uintptr_t)to - (uintptr_t)from, behind = distance % SLOW_PAGE;
  if (nbytes < TUNE_STRIDED_SLOW || behind == 0 || behind >= SLOW_BEHIND || distance < nbytes) {
    memmove(to, from, nbytes);
    return;
  }
  char *t = to;
  const char *f = from;
  for (; nbytes >= 64; t += 64, f += 64, nbytes -= 64) {
    const vector *x = (const vector *)f;
    vector a = x[0], b = x[1], c = x[2], d = x[3], *y = (vector *)t;
    y[0] = a, y[1] = b, y[2] = c, y[3] = d;
  }
  memmove(t, f, nbytes);
}

void ma_gather_row(void *packed, const void *from, int64_t stride, int size, int n) {
  if (stride == size) ma_move_bytes(packed, from, (size_t)n * (size_t)size);
  else widths[size].gather(packed, from, stride, n);
}

void ma_scatter_row(void *to, int64_t stride, const void *packed, int size, int n) {
  if (stride == size) ma_move_bytes(to, packed, (size_t)n * (size_t)size);
  else widths[size].scatter(to, stride, packed, n);
}

/* One array moves half of what two and more do, as TUNE_STREAM_BYTES was measured with. What repeats, as a row of gains
** does, stays in the caches. */
bool ma_cpu_streams(int64_t nbytes, const ma_space *space, int first, int n) {
  int narray = 0;
  if (nbytes < TUNE_STREAM_BYTES / 2) return false;
  for (int k = first; k < first + n; k++) {
    bool moves = true;
    for (int d = 0; d < space->ndim; d++) moves &= space->stride[k][d] != 0 || space->shape[d] == 1;
    narray += moves;
  }
  return narray <= 1 || nbytes >= TUNE_STREAM_BYTES;
}

void ma_stream_bytes(void *to, const void *from, size_t nbytes) {
#ifdef __SSE2__
  char *t = to;
  const char *f = from;
  size_t head = -(uintptr_t)t & (MA_ALIGN - 1);
  if (head > nbytes) head = nbytes;
  memcpy(t, f, head);
  for (t += head, f += head, nbytes -= head; nbytes >= 64; t += 64, f += 64, nbytes -= 64)
    for (int i = 0; i < 64; i += 16) _mm_stream_si128((__m128i *)(t + i), _mm_loadu_si128((const __m128i *)(f + i)));
  memcpy(t, f, nbytes);
#else
  memcpy(to, from, nbytes);
#endif
}

void ma_stream_end(void) {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

void ma_gather_tile_to(char *to, int64_t row, const char *from, int64_t s0, int64_t s1, int n0, int n1, int size) {
  int64_t last = n0 - 1;
  bool turns = s1 != size && s1 != 0 && s0 != 0 && n0 > 1;
  if (turns && s0 == size) ma_transpose_tile(to, row, from, s1, n0, n1, size);
  else if (turns && s0 == -size) /* backwards: its rows are written from the last one up */
    ma_transpose_tile(to + last * row, -row, from + last * s0, s1, n0, n1, size);
  else if (turns) widths[size].gather_tile(to, row, from, s0, s1, n0, n1);
  else if (s1 == size) copy_whole_rows(to, row, from, s0, (int64_t)n1 * size, n0);
  else if (n1 < TUNE_STRIDED_ROW && row == (int64_t)n1 * size)
    widths[size].gather_rows(to, from, s0, s1, n1, 0, n0 * n1);
  else
    for (int i = 0; i < n0; i++) ma_gather_row(to + i * row, from + i * s0, s1, size, n1);
}

void ma_gather_tile(void *packed, const void *from, int64_t s0, int64_t s1, int n0, int n1, int size) {
  ma_gather_tile_to(packed, (int64_t)n1 * size, from, s0, s1, n0, n1, size);
}

void ma_scatter_tile(void *to, int64_t s0, int64_t s1, const void *packed, int n0, int n1, int size) {
  for (int i = 0; i < n0; i++)
    ma_scatter_row((char *)to + i * s0, s1, (const char *)packed + (size_t)i * (size_t)n1 * (size_t)size, size, n1);
}

void ma_walk_init(ma_walk *walk, const ma_space *space, int axis, int operand, const void *data, int64_t first) {
  const int64_t *stride = space->stride[operand];
  int last = 0;
  walk->shape[0] = space->shape[axis];
  walk->stride[0] = stride[axis];
  for (int d = axis + 1; d < space->ndim; d++) {
    int64_t extent = space->shape[d];
    if (walk->stride[last] == stride[d] * extent) walk->shape[last] *= extent;
    else walk->shape[++last] = extent;
    walk->stride[last] = stride[d];
  }
  walk->ndim = last + 1;
  walk->address = (char *)data;
  for (int d = last; d >= 0; d--) {
    int64_t extent = walk->shape[d];
    walk->at[d] = d == 0 ? first : first % extent;
    walk->address += walk->at[d] * walk->stride[d];
    first /= extent;
  }
}

/* Advances by n elements, which end at or before the end of the two last axes. */
static void walk_on(ma_walk *walk, int64_t n) {
  int d = walk->ndim - 1;
  int64_t to = walk->at[d] + n, rows = to / walk->shape[d], column = to - rows * walk->shape[d];
  walk->address += (column - walk->at[d]) * walk->stride[d];
  walk->at[d] = column;
  for (d--; d >= 0 && rows > 0; d--) {
    walk->address += rows * walk->stride[d];
    walk->at[d] += rows;
    rows = 0;
    if (walk->at[d] == walk->shape[d]) {
      walk->address -= walk->shape[d] * walk->stride[d];
      walk->at[d] = 0;
      rows = 1;
    }
  }
}

/* The number of the next n elements that are before the end of the two last axes. */
static int walk_reach(const ma_walk *walk, int n) {
  int d = walk->ndim - 1;
  int64_t left = walk->shape[d] - walk->at[d];
  if (d > 0) left += (walk->shape[d - 1] - walk->at[d - 1] - 1) * walk->shape[d];
  return left < n ? (int)left : n;
}

/* Repeats elements that have a period of `period`: copies the first ones to the rest of n. */
static void repeat(char *packed, int size, int64_t period, int64_t filled, int n) {
  while (filled < n) {
    int64_t m = filled / period * period;
    if (m > n - filled) m = n - filled;
    memcpy(packed + filled * size, packed + (filled - (filled / period * period)) * size, (size_t)m * (size_t)size);
    filled += m;
  }
}

void ma_walk_gather(ma_walk *walk, void *packed, int size, int n) {
  int d = walk->ndim - 1;
  char *to = packed;
  while (n > 0) {
    int m = walk_reach(walk, n);
    int64_t n1 = walk->shape[d], c = walk->at[d], s1 = walk->stride[d], s0 = d > 0 ? walk->stride[d - 1] : 0;
    if (s0 == 0 && m > (s1 == size ? 16 : 2) * n1) {
      widths[size].gather_rows(to, walk->address, s0, s1, n1, c, (int)n1);
      repeat(to, size, n1, n1, m);
    } else if (m > n1 - c && s1 == size) copy_rows(to, n1 * size, walk->address, s0, n1 * size, c * size, m * size);
    else if (m > n1 - c && n1 < TUNE_STRIDED_ROW) widths[size].gather_rows(to, walk->address, s0, s1, n1, c, m);
    else {
      if (m > n1 - c) m = (int)(n1 - c);
      ma_gather_row(to, walk->address, s1, size, m);
    }
    walk_on(walk, m);
    to += (int64_t)m * size;
    n -= m;
  }
}

void ma_walk_scatter(ma_walk *walk, const void *packed, int size, int n) {
  int d = walk->ndim - 1;
  const char *from = packed;
  while (n > 0) {
    int m = walk_reach(walk, n);
    int64_t n1 = walk->shape[d], c = walk->at[d], s1 = walk->stride[d], s0 = d > 0 ? walk->stride[d - 1] : 0;
    if (m > n1 - c && s1 == size) copy_rows(walk->address, s0, from, n1 * size, n1 * size, c * size, m * size);
    else if (m > n1 - c && n1 < TUNE_STRIDED_ROW) widths[size].scatter_rows(walk->address, s0, s1, n1, c, from, m);
    else {
      if (m > n1 - c) m = (int)(n1 - c);
      ma_scatter_row(walk->address, s1, from, size, m);
    }
    walk_on(walk, m);
    from += (int64_t)m * size;
    n -= m;
  }
}
