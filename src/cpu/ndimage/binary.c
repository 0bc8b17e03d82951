/*
** binary.c: binary dilation and erosion on the CPU. An erosion is the dilation of what is false. A step adds, for each
** run of the structure, a shifted row to the row of the result; a long run is added by doubling, in log2(length)
** shifts. From the third step on, rows are left alone if nothing in their reach changed in the step before. Steps
** without end continue from the elements that the first one changed, one neighbour at a time.
*/
#include "cpu/cpu.h"
#include "cpu/ndimage/morphology.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

typedef struct step {
  const ma_binary *b;
  const uint8_t *from;
  uint8_t *to;
  int64_t n, pieces;      /* elements and pieces of a row */
  int64_t longest;        /* distances of the longest run */
  uint8_t flip, border;   /* what is false, and what lies beyond the edges, as 0 or 1 in the dilation */
  const uint8_t *touched; /* by row: changed in the step before; NULL: not known */
  uint8_t *touches;       /* by row: changes in this step */
  bool fresh;             /* `to` does not have the values of two steps before */
  int changed;            /* atomic: whether anything changed */
  int differs;            /* atomic: whether anything differs from two steps before */
} step;

/* Elements first .. last - 1 of a row; `acc` is theirs. */
typedef struct piece {
  int64_t first, last;
  uint8_t *acc;
} piece;

static int64_t at_least(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

static void add_shifted(const step *s, const piece *p, const uint8_t *row, int64_t distance) {
  int64_t lo = at_most(at_least(p->first, -distance), p->last), hi = at_least(at_most(p->last, s->n - distance), lo);
  uint8_t *acc = p->acc - p->first, flip = s->flip;
  const uint8_t *x = row + distance;
  if (s->border) {
    memset(acc + p->first, 1, (size_t)(lo - p->first));
    memset(acc + hi, 1, (size_t)(p->last - hi));
  }
  for (int64_t i = lo; i < hi; i++) acc[i] |= (x[i] != 0) ^ flip;
}

/* Adds a run of distances; `room` has the elements of a piece and of the longest run. */
static void add_run(const step *s, const piece *p, const uint8_t *row, int64_t first, int64_t last, uint8_t *room) {
  int64_t wanted = last - first + 1, have = 1, n = p->last - p->first, left = n + wanted - 1;
  if (wanted <= TUNE_BINARY_SHORT) {
    for (int64_t distance = first; distance <= last; distance++) add_shifted(s, p, row, distance);
    return;
  }
  memset(room, 0, (size_t)left);
  piece wide = { p->first, p->first + left, room };
  add_shifted(s, &wide, row, first);
  for (; have * 2 <= wanted; have *= 2) {
    left -= have;
    for (int64_t i = 0; i < left; i++) room[i] |= room[i + have];
  }
  const uint8_t *rest = room + wanted - have;
  for (int64_t i = 0; i < n; i++) p->acc[i] |= room[i] | rest[i];
}

/* Adds all runs to a piece. */
static void add_runs(const step *s, const piece *p, const int64_t *place, uint8_t *room) {
  int width = s->b->image.ndim + 1;
  memset(p->acc, 0, (size_t)(p->last - p->first));
  for (int64_t k = 0; k < s->b->nrun; k++) {
    const int32_t *run = s->b->runs + k * width;
    int64_t other = ma_picture_other(&s->b->image, place, run);
    if (other >= 0) add_run(s, p, s->from + other * s->n, run[width - 2], run[width - 1], room);
    else if (s->border) {
      memset(p->acc, 1, (size_t)(p->last - p->first));
      return;
    }
  }
}

/* Writes a piece's new values from what was added up; returns whether any differs from the old one. */
static bool settle(const step *s, const piece *p, int64_t row, const uint8_t *before, bool *differs) {
  const uint8_t *old = s->from + row * s->n + p->first, *mask = s->b->mask;
  uint8_t *to = s->to + row * s->n + p->first, changed = 0, other = 0, flip = s->flip;
  size_t n = (size_t)(p->last - p->first);
  if (mask) {
    mask += row * s->n + p->first;
    for (size_t i = 0; i < n; i++) p->acc[i] = mask[i] ? p->acc[i] ^ flip : old[i] != 0;
  } else if (flip)
    for (size_t i = 0; i < n; i++) p->acc[i] ^= 1;
  for (size_t i = 0; i < n; i++) changed |= p->acc[i] ^ (old[i] != 0);
  if (before)
    for (size_t i = 0; i < n; i++) other |= p->acc[i] ^ before[i];
  memcpy(to, p->acc, n);
  *differs = other;
  return changed;
}

/* Whether anything in reach of a row changed in the step before. */
static bool is_reached(const step *s, const int64_t *place, int64_t row) {
  if (s->touched[row]) return true;
  for (int64_t k = 0; k < s->b->nrun; k++) {
    int64_t other = ma_picture_other(&s->b->image, place, s->b->runs + k * (s->b->image.ndim + 1));
    if (other >= 0 && s->touched[other]) return true;
  }
  return false;
}

static ma_status step_range(void *context, int64_t from, int64_t to) {
  step *s = context;
  int64_t place[MA_MAX_NDIM], width = at_most(TUNE_BINARY_PIECE, s->n);
  uint8_t *room = malloc((size_t)(2 * width + s->longest));
  if (!room) return ma_fail(MA_ERR_MEMORY, "out of memory for a step of morphology");
  for (int64_t k = from; k < to; k++) {
    int64_t row = k / s->pieces, first = k % s->pieces * TUNE_BINARY_PIECE;
    piece p = { first, at_most(first + TUNE_BINARY_PIECE, s->n), room };
    int64_t at = row * s->n + first;
    bool differs = false;
    ma_picture_place(&s->b->image, row, place);
    if (s->touched && !is_reached(s, place, row)) {
      if (s->fresh) memcpy(s->to + at, s->from + at, (size_t)(p.last - p.first));
      continue;
    }
    add_runs(s, &p, place, room + width);
    if (settle(s, &p, row, s->fresh ? NULL : s->to + at, &differs)) {
      __atomic_store_n(&s->touches[row], 1, __ATOMIC_RELAXED);
      __atomic_store_n(&s->changed, 1, __ATOMIC_RELAXED);
    }
    if (differs) __atomic_store_n(&s->differs, 1, __ATOMIC_RELAXED);
  }
  free(room);
  return MA_OK;
}

static ma_status run_step(step *s, int64_t rows) {
  int64_t grain = TUNE_THREAD_STEPS / at_most(TUNE_BINARY_PIECE, s->n);
  memset(s->touches, 0, (size_t)rows);
  s->changed = s->differs = 0;
  return ma_cpu_parallel(rows * s->pieces, grain, step_range, s);
}

/* ==== Steps without end ========================================================================================== */

typedef struct stack {
  int64_t *at, n, room;
} stack;

static ma_status push(stack *list, int64_t at) {
  if (list->n == list->room) {
    int64_t room = list->room ? 2 * list->room : 4096, *more = realloc(list->at, (size_t)room * sizeof *more);
    if (!more) return ma_fail(MA_ERR_MEMORY, "out of memory for %lld elements of morphology", (long long)room);
    list->at = more;
    list->room = room;
  }
  list->at[list->n++] = at;
  return MA_OK;
}

/* Makes true what reaches the element at `at`, and lists it. */
static ma_status spread_from(const ma_binary *b, uint8_t *to, int64_t at, stack *list) {
  int64_t place[MA_MAX_NDIM], n = ma_picture_row(&b->image), column = at % n;
  int32_t back[MA_MAX_NDIM];
  int width = b->image.ndim + 1;
  const uint8_t *mask = b->mask;
  ma_picture_place(&b->image, at / n, place);
  for (int64_t k = 0; k < b->nrun; k++) {
    const int32_t *run = b->runs + k * width;
    for (int d = 0; d < b->image.ndim - 1; d++) back[d] = -run[d];
    int64_t row = ma_picture_other(&b->image, place, back);
    if (row < 0) continue;
    int64_t lo = at_least(column - run[width - 1], 0), hi = at_most(column - run[width - 2], n - 1);
    for (int64_t i = row * n + lo; i <= row * n + hi; i++) {
      if ((to[i] != 0) != b->erode || (mask && !mask[i])) continue;
      to[i] = !b->erode;
      MA_TRY(push(list, i));
    }
  }
  return MA_OK;
}

/* Continues from what the first step changed. */
static ma_status spread(const ma_binary *b) {
  const uint8_t *from = b->from;
  uint8_t *to = b->to;
  int64_t size = ma_picture_size(&b->image);
  stack list = { 0 };
  ma_status status = MA_OK;
  for (int64_t i = 0; i < size && status == MA_OK; i++)
    if (to[i] != (from[i] != 0)) status = push(&list, i);
  while (list.n > 0 && status == MA_OK) status = spread_from(b, to, list.at[--list.n], &list);
  free(list.at);
  return status;
}

/* ==== The slot =================================================================================================== */

/* Steps alternate between two memories. `touched` has two bytes a row. */
static ma_status run_steps(step *s, uint8_t *other, uint8_t *touched, int64_t rows) {
  const ma_binary *b = s->b;
  uint8_t *memory[2] = { b->to, other };
  bool ends = b->iterations >= 1;
  int64_t size = rows * s->n;
  int flip = ends && !(b->iterations & 1); /* so that the last step ends in the result */
  for (int64_t k = 0; !ends || k < b->iterations; k++) {
    s->to = memory[(k & 1) ^ flip];
    s->fresh = k < 2;
    s->touched = k > 0 ? touched + (k & 1) * rows : NULL;
    s->touches = touched + !(k & 1) * rows;
    MA_TRY(run_step(s, rows));
    s->from = s->to;
    if (!s->changed) break;
    if (ends && k >= 2 && !s->differs) return MA_OK; /* back and forth: either memory has what its last step gives */
    if (!ends && k >= 2 && !s->differs)
      return ma_fail(MA_ERR_VALUE,
                     "steps that go back and forth between two images; wanted a number of iterations, or a "
                     "structure whose centre is true");
    if (!ends && b->centred) return spread(b);
  }
  if (s->from != b->to) memcpy(b->to, s->from, (size_t)size);
  return MA_OK;
}

static ma_status binary_now(ma_stream *stream, const void *job) {
  const ma_binary *b = job;
  int64_t rows = ma_picture_rows(&b->image), n = ma_picture_row(&b->image), size = rows * n;
  bool repeats = b->iterations > 1 || (b->iterations < 1 && !b->centred);
  step s = {
    .b = b, .from = b->from, .n = n, .pieces = (n + TUNE_BINARY_PIECE - 1) / TUNE_BINARY_PIECE, .flip = b->erode
  };
  s.border = b->border ^ b->erode;
  for (int64_t k = 0; k < b->nrun; k++) {
    const int32_t *run = b->runs + k * (b->image.ndim + 1) + b->image.ndim - 1;
    s.longest = at_least(s.longest, (int64_t)run[1] - run[0] + 1);
  }
  ma_buffer *memory = NULL;
  MA_TRY(ma_buffer_new(stream->device, (size_t)(2 * rows + (repeats ? size : 0)), &memory));
  uint8_t *touched = memory->ptr;
  ma_status status = run_steps(&s, touched + 2 * rows, touched, rows);
  ma_buffer_release(memory);
  return status;
}

static int64_t binary_bytes(const void *job) {
  const ma_binary *b = job;
  return ma_picture_size(&b->image) * (b->mask ? 3 : 2);
}

MA_CPU_SLOT(ma_cpu_morphology_binary, ma_binary, .name = "binary_dilation", .run = binary_now, .bytes = binary_bytes)
