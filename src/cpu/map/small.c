/*
** small.c: runs over a few elements. The last loop writes the result directly. Elements behind the last whole lane are
** computed in a lane that overlaps it; fewer than a lane are padded. Operands of one instruction that are not packed
** are packed first. Other runs, and larger ones, go block by block (map.c).
*/
#include "cpu/cpu.h"
#include "cpu/map/copy.h"
#include "cpu/map/ready.h"
#include "tuning.h"

#include <string.h>

#define NDIM 3      /* axes of operands that are packed first */
#define APART 16384 /* bytes of such an operand, at most */
#define ARENA 65536 /* bytes of the registers of several instructions, at most */

_Static_assert(TUNE_SMALL_PIECE % MA_LANE == 0, "a piece has whole lanes");

/* ==== Elements =================================================================================================== */

/* Writes `value` n times, and fills up a multiple of MA_ALIGN bytes. */
static void repeat(char *to, const void *value, int size, int n) {
  uint64_t word[2] = { 0, 0 };
  memcpy(word, value, (size_t)size);
  ma_repeat_value(word, size);
  for (int k = 0; k < n * size; k += MA_ALIGN)
    for (int i = 0; i < MA_ALIGN; i += 16) memcpy(to + k + i, word, 16);
}

/* Writes a lane over results that exist already. The elements that it overlaps get the same bits again. */
static inline void put_lane(char *to, const char *lane, int size) {
  for (int k = 0; k < size; k++) memcpy(to + k * MA_LANE, lane + k * MA_LANE, MA_LANE);
}

/* Copies a few bytes, for which memcpy has too much overhead. Pieces may overlap. */
static inline void copy_few(char *to, const char *from, int nbytes) {
  if (nbytes >= 16) {
    for (int k = 0; k < nbytes - 16; k += 16) memcpy(to + k, from + k, 16);
    memcpy(to + nbytes - 16, from + nbytes - 16, 16);
  } else if (nbytes >= 8) {
    memcpy(to, from, 8);
    memcpy(to + nbytes - 8, from + nbytes - 8, 8);
  } else if (nbytes >= 4) {
    memcpy(to, from, 4);
    memcpy(to + nbytes - 4, from + nbytes - 4, 4);
  } else {
    for (int k = 0; k < nbytes; k++) to[k] = from[k];
  }
}

/* Copies a lane of which only n elements exist. The others become 0. */
static inline void pad(char *to, const char *from, int size, int n) {
  for (int k = n * size & -MA_LANE; k < size * MA_LANE; k += MA_LANE) memset(to + k, 0, MA_LANE);
  copy_few(to, from, n * size);
}

/* The number that this thread used last, repeated over a block. Most numbers come again. Besides, writing small pieces
** of a block that has left the caches keeps the processor from fetching ahead. */
static _Thread_local struct {
  _Alignas(MA_ALIGN) char block[MA_BLOCK * 16], value[16];
  int size, n;
} spread;

static const char *spread_scalar(const char *value, int size, int n) {
  if (spread.size != size || spread.n < n || memcmp(spread.value, value, (size_t)size) != 0) {
    repeat(spread.block, value, size, n);
    memcpy(spread.value, value, (size_t)size);
    spread.size = size;
    spread.n = n;
  }
  return spread.block;
}

static inline bool is_packed(const ma_space *space, int k, int64_t size) {
  for (int d = space->ndim - 1; d >= 0; size *= space->shape[d--])
    if (space->stride[k][d] != size && space->shape[d] != 1) return false;
  return true;
}

static inline bool is_aligned(const void *address, int size) {
  return ((uintptr_t)address & (uintptr_t)((size < 8 ? size : 8) - 1)) == 0;
}

/* ==== One instruction ============================================================================================ */

/* Fewer than a lane. */
static __attribute__((noinline)) void run_short(const ma_ready *r, char *to, const char *x, const char *y, int n) {
  _Alignas(MA_ALIGN) char padded[3][MA_LANE * 16];
  const char *from[2] = { x, y };
  if (r->x.step) pad(padded[0], x, r->x.step, n), from[0] = padded[0];
  if (y == x) from[1] = from[0];
  else if (r->y.step) pad(padded[1], y, r->y.step, n), from[1] = padded[1];
  r->loop(padded[2], from[0], from[1], NULL, NULL, MA_LANE);
  copy_few(to, padded[2], n * r->to.step);
}

/* The number among the operands, repeated over n elements. */
static __attribute__((noinline)) const char *put_number(const ma_map *map, int n) {
  _Alignas(16) char value[16];
  ma_dtype dtype = (ma_dtype)map->program->scalar_dtype[0];
  ma_value_store(value, dtype, map->scalar[0]);
  return spread_scalar(value, ma_dtypes[dtype].regsize, n);
}

/* Runs over n packed elements of the arrays. */
static inline __attribute__((always_inline)) void run_packed(const ma_ready *r, const ma_map *map, const char *x,
                                                             const char *y, int n) {
  _Alignas(MA_ALIGN) char last[MA_LANE * 16];
  int whole = n & -MA_LANE, rest = n - MA_LANE, piece = whole, size = r->to.step;
  char *to = map->data[0];
  if (map->program->nscalar) {
    bool once = r->plan.once & 1;
    piece = whole > MA_BLOCK && !once ? MA_BLOCK : whole;
    const char *number = put_number(map, piece && !once ? piece : MA_LANE);
    if (!r->x.step) x = number;
    else y = number;
  }
  if (!whole) {
    run_short(r, to, x, y, n);
    return;
  }
  bool before = n > whole && (x == to || y == to); /* the last lane is computed before any write */
  char *end = before ? last : to + rest * size;
  if (before) r->loop(end, x + rest * r->x.step, y + rest * r->y.step, NULL, NULL, MA_LANE);
  r->loop(to, x, y, NULL, NULL, piece);
  for (int at = piece; at < whole; at += piece)
    r->loop(to + at * size, x + at * r->x.step, y + at * r->y.step, NULL, NULL,
            whole - at < piece ? whole - at : piece);
  if (before) put_lane(to + rest * size, last, size);
  else if (n > whole) r->loop(end, x + rest * r->x.step, y + rest * r->y.step, NULL, NULL, MA_LANE);
}

/* ==== Several instructions ======================================================================================= */

/* Runs n elements, whole lanes, from `first` on. */
static void run_lanes(ma_block *block, char *const *from, int first, char *to, int n) {
  const ma_plan *plan = block->plan;
  for (int j = 0; j < plan->program->ninput; j++) block->reg[j] = from[j] + first * plan->size[j];
  block->where[plan->output[0]] = to;
  ma_block_steps(block, n);
}

static void run_few(ma_block *block, const ma_map *map, int n, int size) {
  _Alignas(MA_ALIGN) char padded[MA_MAX_INPUTS + 1][MA_LANE * 16];
  char *from[MA_MAX_INPUTS];
  for (int j = 0; j < map->program->ninput; j++) {
    from[j] = padded[j];
    pad(from[j], map->data[j + 1], block->plan->size[j], n);
  }
  run_lanes(block, from, 0, padded[MA_MAX_INPUTS], MA_LANE);
  copy_few(map->data[0], padded[MA_MAX_INPUTS], n * size);
}

/* Whether all operands lie as loops read and write them. */
static bool suits_all(const ma_ready *r, const ma_map *map) {
  for (int k = 0; k < map->space.noperand; k++) {
    int size = k ? r->plan.size[k - 1] : r->to.step;
    if (map->space.stride[k][0] != size || !is_aligned(map->data[k], size)) return false;
  }
  return true;
}

static __attribute__((noinline)) bool run_several(const ma_ready *r, const ma_map *map, int n) {
  _Alignas(MA_ALIGN) char memory[ARENA], last[MA_LANE * 16];
  int whole = n & -MA_LANE, piece = map->program->nscalar ? TUNE_SMALL_PIECE : MA_BLOCK, size = r->to.step;
  char *const *from = (char *const *)map->data + 1, *to = map->data[0];
  ma_block block;
  if (!suits_all(r, map) || r->plan.arena > sizeof memory ||
      ma_block_open_for(&block, &r->plan, map->scalar, n < piece ? n : piece, memory, sizeof memory) != MA_OK)
    return false;
  if (piece > r->plan.width) piece = r->plan.width;
  if (!whole) run_few(&block, map, n, size);
  /* the last lane before any write, which may be in the memory of an input */
  else if (n > whole) run_lanes(&block, from, n - MA_LANE, last, MA_LANE);
  for (int at = 0; at < whole; at += piece)
    run_lanes(&block, from, at, to + at * size, whole - at < piece ? whole - at : piece);
  if (whole && n > whole) put_lane(to + (n - MA_LANE) * size, last, size);
  return true;
}

/* ==== Operands that are not packed =============================================================================== */

/* Packs operand k; a bool that is not 0 becomes 1. */
static void pack(const ma_map *map, int k, ma_dtype dtype, int n, char *to) {
  const ma_space *space = &map->space;
  int size = ma_dtypes[dtype].itemsize;
  const char *from = map->data[k];
  const int64_t *shape = space->shape, *step = space->stride[k];
  if (dtype == MA_BOOL && space->ndim == 1 && step[0] == 1) {
    ma_copy_truths(to, from, n);
    return;
  }
  if (space->ndim == 1) {
    ma_gather_row(to, from, step[0], size, n);
  } else if (space->ndim == 2) {
    ma_gather_tile(to, from, step[0], step[1], (int)shape[0], (int)shape[1], size);
  } else {
    int64_t tile = shape[1] * shape[2] * size;
    for (int64_t i = 0; i < shape[0]; i++)
      ma_gather_tile(to + i * tile, from + i * step[0], step[1], step[2], (int)shape[1], (int)shape[2], size);
  }
  if (dtype == MA_BOOL) ma_copy_truths(to, to, n);
}

/* The elements of an operand, packed in `room` if they are not; NULL: they have no room. */
static const char *packed(const ma_map *map, const ma_ready_operand *o, int n, char *room) {
  if (!o->step || (!o->loaded && is_packed(&map->space, o->place, o->unit))) return map->data[o->place];
  if (n * o->step > APART) return NULL;
  pack(map, o->place, (ma_dtype)map->program->input_dtype[o->place - 1], n, room);
  return room;
}

/* Whether the address of operand k is a multiple of what the loop needs. */
static inline bool lies_aligned(const ma_map *map, int k, const ma_ready_operand *o) {
  return ((uintptr_t)map->data[k] & o->mask) == 0;
}

static bool run_apart(const ma_ready *r, const ma_map *map, int n) {
  _Alignas(MA_ALIGN) char room[2][APART];
  if (!is_packed(&map->space, 0, r->to.step)) return false;
  if (!lies_aligned(map, r->to.place, &r->to) || !lies_aligned(map, r->x.place, &r->x) ||
      !lies_aligned(map, r->y.place, &r->y))
    return false;
  const char *x = packed(map, &r->x, n, room[0]);
  const char *y = r->y.place == r->x.place ? x : packed(map, &r->y, n, room[1]);
  if (!x || !y) return false;
  run_packed(r, map, x, y, n);
  return true;
}

/* Whether operand k lies as the loop reads and writes it. */
static inline bool suits(const ma_map *map, int k, const ma_ready_operand *o) {
  return map->space.stride[k][0] == o->unit && lies_aligned(map, k, o);
}

static __attribute__((noinline)) bool fill(const ma_ready *r, const ma_map *map, int n) {
  _Alignas(16) char value[16] = { 0 };
  ma_value_store(value, (ma_dtype)map->program->scalar_dtype[0], map->scalar[0]);
  ma_fill_row(map->data[0], value, r->to.step, n);
  return true;
}

static __attribute__((noinline)) bool copy(const ma_ready *r, const ma_map *map, int n) {
  const ma_space *space = &map->space;
  char *to = map->data[0];
  const char *from = map->data[1];
  if (r->x.loaded || !(space->ndim == 1 ? space->stride[1][0] == r->x.unit : is_packed(space, 1, r->x.unit))) {
    if (to == from) return false;
    pack(map, 1, (ma_dtype)map->program->input_dtype[0], n, to);
  } else if (to != from) {
    memcpy(to, from, (size_t)n * r->to.step);
  }
  return true;
}

/* A copy or a fill. */
static bool move(const ma_ready *r, const ma_map *map, int n) {
  if (map->space.ndim == 1) {
    if (!suits(map, 0, &r->to)) return false;
  } else if (!is_packed(&map->space, 0, r->to.step) || !is_aligned(map->data[0], r->to.step)) {
    return false;
  }
  return map->program->ninput ? copy(r, map, n) : fill(r, map, n);
}

/* The number of elements; 0: they are many, or have many axes. */
static inline int count(const ma_space *space) {
  int64_t n = space->shape[0];
  if (space->ndim != 1) {
    for (int d = 1; d < space->ndim && n <= TUNE_SMALL_MOST; d++) n *= space->shape[d];
    if (space->ndim > NDIM) return 0;
  }
  return n > TUNE_SMALL_MOST ? 0 : (int)n;
}

static __attribute__((noinline)) bool run_operations(const ma_ready *r, const ma_map *map, int n) {
  if (map->space.ndim == 1) {
    if (r->quick && suits(map, 0, &r->to) && suits(map, r->x.place, &r->x) && suits(map, r->y.place, &r->y)) {
      run_packed(r, map, map->data[r->x.place], map->data[r->y.place], n);
      return true;
    }
    if (r->several) return run_several(r, map, n);
  }
  return r->plain && run_apart(r, map, n);
}

bool ma_cpu_small(const ma_ready *r, const ma_map *map) {
  int n = count(&map->space);
  return n && (r->moves ? move(r, map, n) : run_operations(r, map, n));
}
