/*
** gather.c: elements picked by integer arrays. For a block of picks, positions are converted to byte offsets, one plain
** loop for each index array. Then elements are moved by size, whatever their dtype, or combined (combine.c).
*/
#include "base/fork.h"
#include "base/inject.h"
#include "cpu/index/index.h"
#include "cpu/submit.h"
#include "cpu/map/wider.h"
#include "tuning.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ==== Positions to offsets ======================================================================================== */

/* The picks of a gather or scatter. They are numbered in C order of the space. Each moves `element` bytes; an inner
** axis without an index may be merged into it. */
typedef struct picks {
  const ma_gather *g;
  int ndim;           /* walked axes of the space */
  int64_t element;    /* bytes moved by a pick */
  int64_t count, row; /* picks; picks along the last walked axis */
  bool alike;         /* all rows pick the same positions */
  ma_fault *fault;
} picks;

#define LOADER(name, type, clean)                                                 \
  typedef type source_##name MA_UNALIGNED;                                        \
  static void load_##name(int64_t *to, const char *from, int64_t stride, int n) { \
    for (int i = 0; i < n; i++) {                                                 \
      type position = *(const source_##name *)(from + i * stride);                \
      to[i] = clean;                                                              \
    }                                                                             \
  }
LOADER(i1, int8_t, position)
LOADER(i2, int16_t, position)
LOADER(i4, int32_t, position)
LOADER(i8, int64_t, position)
LOADER(u1, uint8_t, position)
LOADER(u2, uint16_t, position)
LOADER(u4, uint32_t, position)
LOADER(u8, uint64_t, position > INT64_MAX ? INT64_MAX : (int64_t)position)

static void (*const loaders[MA_NDTYPE])(int64_t *, const char *, int64_t, int) = {
  [MA_INT8] = load_i1,  [MA_INT16] = load_i2,  [MA_INT32] = load_i4,  [MA_INT64] = load_i8,
  [MA_UINT8] = load_u1, [MA_UINT16] = load_u2, [MA_UINT32] = load_u4, [MA_UINT64] = load_u8,
};

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(first, MA_FORK_LEAF)

static void note_fault(const picks *p, int k, int64_t position) {
  pthread_mutex_lock(&first);
  if (!p->fault->set) {
    p->fault->set = true;
    p->fault->position = position;
    p->fault->extent = p->g->extent[k];
    p->fault->axis = p->g->axis[k];
    snprintf(p->fault->function, sizeof p->fault->function, "%s", ma_cpu_function());
  }
  pthread_mutex_unlock(&first);
}

static int64_t remainder_of(int64_t x, int64_t n) { return (x % n + n) % n; }

static int64_t offset_of(int64_t position, int64_t extent) { return position < 0 ? position + extent : position - 1; }

/* Adds index k's part to the offsets of n picks. `holes` says that some are MA_OUTSIDE already. Returns whether some
** are afterwards. */
static bool add_offsets(const picks *p, int k, const int64_t *position, int64_t *offset, int n, bool holes) {
  const int64_t extent = p->g->extent[k], step = p->g->step[k];
  const ma_index_mode mode = extent > 0 ? p->g->mode : MA_MODE_RAISE;
  bool bad = holes;
  if (mode == MA_MODE_RAISE)
    for (int i = 0; i < n; i++) bad |= (uint64_t)offset_of(position[i], extent) >= (uint64_t)extent;
  if (!bad && mode == MA_MODE_RAISE) {
    for (int i = 0; i < n; i++) offset[i] += offset_of(position[i], extent) * step;
    return false;
  }
  for (int i = 0; i < n; i++) {
    int64_t at = position[i];
    if (mode == MA_MODE_WRAP) at = remainder_of(at - 1, extent);
    else if (mode == MA_MODE_CLIP) at = at < 1 ? 0 : at > extent ? extent - 1 : at - 1;
    else at = offset_of(at, extent);
    bool inside = (uint64_t)at < (uint64_t)extent;
    if (!inside) note_fault(p, k, position[i]);
    offset[i] = inside && offset[i] != MA_OUTSIDE ? offset[i] + at * step : MA_OUTSIDE;
  }
  return bad;
}

/* The offsets of n picks by one index array, for a step of 1 << shift, in one pass without branches. `each` is what a
** pick adds to the offset. Returns whether a position is outside; then the offsets mean nothing. */
FOR_AVX512 static bool plain_offsets(const int64_t *restrict position, int64_t extent, int shift, int64_t start,
                                     int64_t each, int64_t *restrict offset, int n) {
  int64_t bad = 0; /* negative: some are outside */
  for (int i = 0; i < n; i++) {
    int64_t at = (int64_t)((uint64_t)position[i] - 1);
    at += at < 0 ? extent + 1 : 0;
    bad |= at | (extent - 1 - at);
    offset[i] = (int64_t)((uint64_t)at << shift) + start + i * each;
  }
  return bad < 0;
}

/* The shift by which a step multiplies, or -1 if the step is no power of two. */
static int shift_of(int64_t step) {
  return step > 0 && (step & (step - 1)) == 0 ? __builtin_ctzll((uint64_t)step) : -1;
}

/* Computes offsets in the array for `n` picks from `i` on along the last walked axis, with operands at `data`;
** returns whether some are MA_OUTSIDE. */
static bool row_offsets(const picks *p, char *const *data, int64_t i, int64_t *offset, int n) {
  const ma_gather *g = p->g;
  int64_t position[MA_BLOCK], step = g->space.stride[1][p->ndim - 1];
  bool holes = false;
  for (int k = 0; k < g->nindex; k++) {
    int64_t stride = g->space.stride[2 + k][p->ndim - 1];
    const char *from = data[2 + k] + i * stride;
    bool ready = g->index_dtype[k] == MA_INT64 && stride == sizeof *position && (uintptr_t)from % sizeof *position == 0;
    if (!ready) loaders[g->index_dtype[k]](position, from, stride, n);
    const int64_t *at = ready ? (const int64_t *)(const void *)from : position;
    int shift = shift_of(g->step[k]);
    if (k == 0) {
      if (shift >= 0 && g->mode == MA_MODE_RAISE && !plain_offsets(at, g->extent[k], shift, i * step, step, offset, n))
        continue;
      for (int j = 0; j < n; j++) offset[j] = (i + j) * step;
    }
    holes = add_offsets(p, k, at, offset, n, holes);
  }
  return holes;
}

/* ==== Moving ====================================================================================================== */

typedef uint8_t moved_1 MA_UNALIGNED;
typedef uint16_t moved_2 MA_UNALIGNED;
typedef uint32_t moved_4 MA_UNALIGNED;
typedef uint64_t moved_8 MA_UNALIGNED;
typedef struct __attribute__((packed, may_alias)) moved_16 {
  uint64_t low, high;
} moved_16;

#define MOVERS(size)                                                                                                  \
  static void take_##size(char *side, int64_t stride, const char *array, const int64_t *offset, int n, bool holes) {  \
    if (!holes && stride == size) {                                                                                   \
      moved_##size *to = (moved_##size *)side;                                                                        \
      for (int i = 0; i < n; i++) to[i] = *(const moved_##size *)(array + offset[i]);                                 \
      return;                                                                                                         \
    }                                                                                                                 \
    for (int i = 0; i < n; i++)                                                                                       \
      *(moved_##size *)(side + i * stride) = offset[i] == MA_OUTSIDE ? (moved_##size)ZERO_##size                      \
                                                                     : *(const moved_##size *)(array + offset[i]);    \
  }                                                                                                                   \
  static void put_##size(const char *side, int64_t stride, char *array, const int64_t *offset, int n, bool holes) {   \
    if (!holes && stride == size) {                                                                                   \
      const moved_##size *from = (const moved_##size *)side;                                                          \
      for (int i = 0; i < n; i++) *(moved_##size *)(array + offset[i]) = from[i];                                     \
      return;                                                                                                         \
    }                                                                                                                 \
    for (int i = 0; i < n; i++)                                                                                       \
      if (offset[i] != MA_OUTSIDE) *(moved_##size *)(array + offset[i]) = *(const moved_##size *)(side + i * stride); \
  }
#define ZERO_1 0
#define ZERO_2 0
#define ZERO_4 0
#define ZERO_8 0
#define ZERO_16 \
  { 0 }
MOVERS(1)
MOVERS(2)
MOVERS(4)
MOVERS(8)
MOVERS(16)

typedef void take_function(char *side, int64_t stride, const char *array, const int64_t *offset, int n, bool holes);
static take_function *const takers[17] = { [1] = take_1, [2] = take_2, [4] = take_4, [8] = take_8, [16] = take_16 };
static ma_put_loop *const putters[17] = { [1] = put_1, [2] = put_2, [4] = put_4, [8] = put_8, [16] = put_16 };

static void take_bytes(char *side, int64_t stride, const char *array, const int64_t *offset, int n, size_t element) {
  for (int i = 0; i < n; i++) {
    if (offset[i] == MA_OUTSIDE) memset(side + i * stride, 0, element);
    else memcpy(side + i * stride, array + offset[i], element);
  }
}

static void put_bytes(const char *side, int64_t stride, char *array, const int64_t *offset, int n, size_t element) {
  for (int i = 0; i < n; i++)
    if (offset[i] != MA_OUTSIDE) memcpy(array + offset[i], side + i * stride, element);
}

/* ==== The walk ==================================================================================================== */

/* Gathers, stores or combines a block of n picks at their offsets; the first is at `side`. */
static ma_status run_block(const picks *p, char *side, char *array, const int64_t *offset, int n, bool holes,
                           bool write) {
  const ma_gather *g = p->g;
  int64_t stride = g->space.stride[0][p->ndim - 1];
  bool sized = p->element <= 16 && takers[p->element];
  if (!write) {
    if (sized) takers[p->element](side, stride, array, offset, n, holes);
    else take_bytes(side, stride, array, offset, n, (size_t)p->element);
  } else if (g->op >= 0) {
    return ma_cpu_combine(g, side, stride, array, offset, n, holes);
  } else if (sized) putters[p->element](side, stride, array, offset, n, holes);
  else put_bytes(side, stride, array, offset, n, (size_t)p->element);
  return MA_OK;
}

/* Runs n picks of a row from the ith on, in blocks. */
static ma_status run_row(const picks *p, char *const *data, int64_t i, int64_t n, bool write) {
  int64_t offset[MA_BLOCK], stride = p->g->space.stride[0][p->ndim - 1];
  for (int64_t end = i + n; i < end; i += MA_BLOCK) {
    int m = end - i < MA_BLOCK ? (int)(end - i) : MA_BLOCK;
    bool holes = row_offsets(p, data, i, offset, m);
    MA_TRY(run_block(p, data[0] + i * stride, data[1], offset, m, holes, write));
  }
  return MA_OK;
}

/* Runs picks first .. last-1 in C order; an odometer counts the outer axes, and blocks run along the last. */
static ma_status run_picks(const picks *p, int64_t first, int64_t last, bool write) {
  const ma_space *space = &p->g->space;
  int64_t at[MA_MAX_NDIM], left = first;
  char *data[2 + MA_MAX_INDEX];
  int64_t kept[TUNE_GATHER_KEPT], stride = space->stride[0][p->ndim - 1];
  bool keeps = p->alike && last - first > p->row, holes = false;
  for (int d = p->ndim - 1; d >= 0; d--) {
    at[d] = left % space->shape[d];
    left /= space->shape[d];
  }
  for (int k = 0; k < space->noperand; k++) {
    data[k] = p->g->data[k];
    for (int d = 0; d < p->ndim - 1; d++) data[k] += at[d] * space->stride[k][d];
  }
  for (int64_t i = 0; keeps && i < p->row; i += MA_BLOCK)
    holes |= row_offsets(p, data, i, kept + i, p->row - i < MA_BLOCK ? (int)(p->row - i) : MA_BLOCK);
  while (first < last) {
    int64_t i = at[p->ndim - 1], n = p->row - i;
    if (n > last - first) n = last - first;
    MA_TRY(keeps ? run_block(p, data[0] + i * stride, data[1], kept + i, (int)n, holes, write)
                 : run_row(p, data, i, n, write));
    first += n;
    at[p->ndim - 1] = 0;
    for (int d = p->ndim - 2; d >= 0; d--) {
      bool carry = ++at[d] == space->shape[d];
      for (int k = 0; k < space->noperand; k++) data[k] += (carry ? 1 - space->shape[d] : 1) * space->stride[k][d];
      if (!carry) break;
      at[d] = 0;
    }
  }
  return MA_OK;
}

static ma_status gather_range(void *context, int64_t first, int64_t last) {
  return run_picks(context, first, last, false);
}
static ma_status scatter_range(void *context, int64_t first, int64_t last) {
  return run_picks(context, first, last, true);
}

/* Prepares the picks. If a last axis without an index is contiguous on both sides, it is moved as one element. */
static void open_picks(picks *p, const ma_gather *g, int op) {
  const ma_space *space = &g->space;
  int64_t itemsize = ma_dtypes[g->dtype].itemsize;
  int last = space->ndim - 1;
  bool joined = op < 0 && last > 0 && space->stride[0][last] == itemsize && space->stride[1][last] == itemsize;
  for (int k = 0; k < g->nindex && joined; k++) joined = space->stride[2 + k][last] == 0;
  p->g = g;
  p->fault = ma_cpu_thread_fault();
  p->ndim = joined ? last : space->ndim;
  p->element = joined ? itemsize * space->shape[last] : itemsize;
  p->row = space->shape[p->ndim - 1];
  p->count = 1;
  for (int d = 0; d < p->ndim; d++) p->count *= space->shape[d];
  p->alike = p->row <= TUNE_GATHER_KEPT;
  for (int k = 0; k < g->nindex; k++)
    for (int d = 0; d < p->ndim - 1; d++) p->alike &= space->stride[2 + k][d] == 0;
}

static int64_t grain_of(const picks *p) { return (int64_t)TUNE_THREAD_FAR * 8 / (p->element + 8); }

static ma_status run_gather(ma_stream *stream, const void *job) {
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a gather"));
  picks p;
  open_picks(&p, job, -1);
  return ma_cpu_parallel(p.count, grain_of(&p), gather_range, &p);
}

/* Writes the picked elements. Unless they are `distinct`, the order of writes matters: of equal positions the last one
** stays, and operations are applied in turn. */
static ma_status run_scatter(ma_stream *stream, const void *job) {
  const ma_gather *scatter = job;
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a scatter"));
  picks p;
  open_picks(&p, scatter, scatter->op);
  if (scatter->distinct) return ma_cpu_parallel(p.count, grain_of(&p), scatter_range, &p);
  return scatter_range(&p, 0, p.count);
}

/* The bytes of a gather. The picked elements count twice, as they are read and written, and the positions once. */
static int64_t bytes_gather(const void *job) {
  const ma_gather *gather = job;
  int64_t bytes = 2 * ma_cpu_operand_bytes(&gather->space, 0, gather->dtype);
  for (int k = 0; k < gather->nindex; k++)
    bytes += ma_cpu_operand_bytes(&gather->space, 2 + k, (ma_dtype)gather->index_dtype[k]);
  return bytes;
}

MA_CPU_SLOT(ma_cpu_index_gather, ma_gather, .name = "gather", .run = run_gather, .bytes = bytes_gather)

MA_CPU_SLOT(ma_cpu_index_scatter, ma_gather, .name = "scatter", .run = run_scatter, .bytes = bytes_gather)
