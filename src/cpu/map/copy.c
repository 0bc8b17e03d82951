/* copy.c: programs that change nothing, which most of reshaping, joining and slicing becomes. Elements are moved as
** bytes from row to row, without blocks. If neighbours are along another axis than in the result, map.c uses tiles. */
#include "cpu/map/copy.h"
#include "cpu/map/wider.h"
#include "tuning.h"

#include <stdint.h>
#include <string.h>

typedef struct copy {
  const ma_space *space;
  char *const *data;
  int size;
  bool bools;            /* one that is not 0 is written as 1 */
  bool streamed;         /* results larger than the caches are written around them */
  int64_t span, per_row; /* elements of a piece; pieces of a row */
} copy;

void ma_copy_truths(char *to, const char *from, int n) {
  int whole = n & -MA_LANE;
  if (whole) ma_cpu_load(MA_BOOL)(to, from, NULL, NULL, NULL, whole);
  for (int i = whole; i < n; i++) to[i] = from[i] != 0;
}

typedef uint64_t vector __attribute__((vector_size(32), aligned(1), may_alias));

/* Writes `part` bytes of the pattern at both ends, where they may overlap. A part has whole elements. */
#define ENDS(part) (memcpy(to, pattern, part), memcpy(to + nbytes - (part), pattern, part))

FOR_AVX512 static void fill_row(char *to, const char *pattern, size_t nbytes) {
  if (nbytes < 32) {
    if (nbytes >= 16) ENDS(16);
    else if (nbytes >= 8) ENDS(8);
    else if (nbytes >= 4) ENDS(4);
    else if (nbytes >= 2) ENDS(2);
    else *to = *pattern;
    return;
  }
  const vector all = *(const vector *)pattern;
  char *end = to + nbytes - 32, *pairs = to + (nbytes & -(size_t)64);
  for (; to < pairs; to += 64) {
    *(vector *)to = all;
    *(vector *)(to + 32) = all;
  }
  if (to < end) *(vector *)to = all;
  *(vector *)end = all;
}

void ma_fill_row(void *to, const void *value, int size, int n) {
  uint64_t word[2];
  memcpy(word, value, sizeof word);
  ma_repeat_value(word, size);
  const uint64_t pattern[4] = { word[0], word[1], word[0], word[1] };
  fill_row(to, (const char *)pattern, (size_t)n * (size_t)size);
}

static void copy_bools(char *to, const char *from, int64_t step, int n) {
  if (step != 1) {
    ma_gather_row(to, from, step, 1, n);
    from = to;
  }
  ma_copy_truths(to, from, n);
}

/* Copies n elements, at most TUNE_COPY_PIECE bytes. */
static void copy_piece(const copy *c, char *to, int64_t to_step, const char *from, int64_t from_step, int n) {
  char packed[TUNE_COPY_PIECE];
  if (to_step == c->size) {
    if (c->streamed) ma_stream_bytes(to, from, (size_t)n * (size_t)c->size);
    else if (c->bools) copy_bools(to, from, from_step, n);
    else ma_gather_row(to, from, from_step, c->size, n);
    return;
  }
  if (from_step != c->size || c->bools) {
    if (c->bools) copy_bools(packed, from, from_step, n);
    else ma_gather_row(packed, from, from_step, c->size, n);
    from = packed;
  }
  ma_scatter_row(to, to_step, from, c->size, n);
}

/* Copies pieces first .. last-1 in C order; an odometer counts the outer axes. */
static ma_status copy_rows(void *context, int64_t first, int64_t last) {
  const copy *c = context;
  const ma_space *space = c->space;
  int d = space->ndim - 1;
  int64_t at[MA_MAX_NDIM], row = first / c->per_row, piece = first % c->per_row, inner = space->shape[d];
  int64_t to_step = space->stride[0][d], from_step = space->stride[1][d];
  char *to = c->data[0];
  const char *from = c->data[1];
  for (int e = d - 1; e >= 0; e--) {
    at[e] = row % space->shape[e];
    row /= space->shape[e];
    to += at[e] * space->stride[0][e];
    from += at[e] * space->stride[1][e];
  }
  for (; first < last; first++) {
    int64_t i = piece * c->span, n = inner - i < c->span ? inner - i : c->span;
    copy_piece(c, to + i * to_step, to_step, from + i * from_step, from_step, (int)n);
    if (++piece < c->per_row) continue;
    piece = 0;
    for (int e = d - 1; e >= 0; e--) {
      bool carry = ++at[e] == space->shape[e];
      int64_t steps = carry ? 1 - space->shape[e] : 1;
      to += steps * space->stride[0][e];
      from += steps * space->stride[1][e];
      if (!carry) break;
      at[e] = 0;
    }
  }
  if (c->streamed) ma_stream_end();
  return MA_OK;
}

/* ==== Each element several times ================================================================================= */

#define REPEAT(type, times)                             \
  for (int64_t i = first; i < last; i++, to += times) { \
    type x = *(const type *)(from + i * step);          \
    for (int64_t k = 0; k < times; k++) to[k] = x;      \
  }

#define REPEATS(bits, type)                                                                            \
  static void repeat_##bits(void *result, const char *from, int64_t step, int64_t first, int64_t last, \
                            int64_t times) {                                                           \
    type *to = (type *)result + first * times;                                                         \
    switch (times) {                                                                                   \
    case 2: REPEAT(type, 2) break;                                                                     \
    case 3: REPEAT(type, 3) break;                                                                     \
    case 4: REPEAT(type, 4) break;                                                                     \
    default: REPEAT(type, times)                                                                       \
    }                                                                                                  \
  }
REPEATS(8, uint8_t)
REPEATS(16, uint16_t)
REPEATS(32, uint32_t)
REPEATS(64, uint64_t)

static ma_status copy_repeats(void *context, int64_t first, int64_t last) {
  static void (*const repeat[9])(void *, const char *, int64_t, int64_t, int64_t,
                                 int64_t) = { [1] = repeat_8, [2] = repeat_16, [4] = repeat_32, [8] = repeat_64 };
  const copy *c = context;
  const ma_space *space = c->space;
  repeat[c->size](c->data[0], c->data[1], space->stride[1][0], first, last, space->shape[1]);
  return MA_OK;
}

/* Whether rows are read in the order of memory. If not, reading takes all the time. Writes through the caches overlap
** with it, but writes around them do not. */
static bool runs_forward(const copy *c) {
  const ma_space *s = c->space;
  int d = s->ndim - 1;
  return !c->bools && s->stride[1][d] == c->size && (d == 0 || s->stride[1][d - 1] > 0);
}

/* Whether the result is contiguous and has each element of one axis several times. */
static bool repeats(const copy *c) {
  const ma_space *s = c->space;
  return s->ndim == 2 && s->stride[1][1] == 0 && s->stride[0][1] == c->size &&
         s->stride[0][0] == s->shape[1] * c->size && c->size <= 8 && !c->bools &&
         ((uintptr_t)c->data[0] | (uintptr_t)c->data[1] | (uintptr_t)s->stride[1][0]) % (uintptr_t)c->size == 0;
}

bool ma_cpu_copies(const ma_program *program) {
  return program->ncode == 0 && program->body == 0 && program->noutput == 1 && program->ninput == 1 &&
         program->output[0] == 0;
}

bool ma_cpu_copy(const ma_map *map, bool streamed, ma_status *status) {
  const ma_space *space = &map->space;
  ma_dtype dtype = (ma_dtype)map->program->input_dtype[0];
  int size = ma_dtypes[dtype].itemsize;
  int64_t inner = space->shape[space->ndim - 1], rows = 1;
  copy c = { .space = space,
             .data = (char *const *)map->data,
             .size = size,
             .bools = dtype == MA_BOOL,
             .span = TUNE_COPY_PIECE / size };
  c.streamed = streamed && runs_forward(&c);
  if (inner < TUNE_COPY_ROW && space->ndim > 1) {
    if (!repeats(&c)) return false;
    *status = ma_cpu_parallel(space->shape[0], TUNE_THREAD_BYTES / (inner * size) + 1, copy_repeats, &c);
    return true;
  }
  for (int d = 0; d < space->ndim - 1; d++) rows *= space->shape[d];
  c.per_row = (inner + c.span - 1) / c.span;
  int64_t bytes = (inner < c.span ? inner : c.span) * size; /* of a piece */
  *status = ma_cpu_parallel(rows * c.per_row, (TUNE_THREAD_BYTES + bytes - 1) / bytes, copy_rows, &c);
  return true;
}
