/*
** small.c: programs over a few elements, for which a plan (block.c) would cost more than the work. An instruction runs
** over up to a block at once, and the last one writes the result directly. Elements behind the last whole lane are
** computed in a lane that overlaps it; fewer than a lane are padded. Operands that are not packed are packed first.
** The loops of a program that is kept (run/kept.h) are found once.
*/
#include "base/inject.h"
#include "cpu/cpu.h"
#include "cpu/map/copy.h"

#include <stdlib.h>
#include <string.h>

#define MOST 8192   /* elements */
#define NDIM 3      /* axes of operands that are packed first */
#define APART 16384 /* bytes of such an operand, at most */
#define PIECE 256   /* elements at a time where several instructions read a number, which is repeated so often */
#define ARENA 65536 /* bytes for everything that is not in an array */

/* ==== What is known of a program ================================================================================= */

typedef struct form {
  bool suits; /* elements have the same form in memory and in a register, but for bools */
  /* One instruction over one or two operands: arrays that are not loaded, and at most one number. */
  bool plain;
  uint8_t x, y, mask, x_mask, y_mask; /* the operands' places in the map, 0: the number; bits of unaligned addresses */
  uint8_t size, x_step, y_step;       /* bytes of an element of the result, and of the operands; 0: the number */
  bool bools;                         /* it copies them */
  uint32_t loaded;                    /* the inputs of bools that an instruction reads as numbers, by bit */
  ma_loop *loop[MA_MAX_CODE];
} form;

static bool choose_loops(form *f, const ma_program *program, uint32_t truths) {
  for (int k = 0; k < program->ncode; k++) {
    const ma_instr *instr = &program->code[k];
    bool unloaded = false;
    for (int i = 0; i < ma_ops[instr->op].nin; i++)
      unloaded |= instr->arg[i] < MA_REG_SCALAR && truths >> instr->arg[i] & 1;
    f->loop[k] = instr->op == MA_CAST ? ma_cpu_cast((ma_dtype)instr->dtype, (ma_dtype)instr->result)
                 : unloaded           ? ma_cpu_truths((ma_opcode)instr->op, (ma_dtype)instr->dtype)
                                      : NULL;
    if (instr->op != MA_CAST && !f->loop[k]) f->loop[k] = ma_cpu_loop((ma_opcode)instr->op, (ma_dtype)instr->dtype);
    if (!f->loop[k] || ma_cpu_round((ma_dtype)instr->result)) return false;
  }
  return true;
}

static bool find_loops(form *f, const ma_program *program) {
  int last = program->ncode - 1;
  if (program->body || program->noutput != 1) return false;
  if (last < 0) return program->ninput + program->nscalar == 1; /* a copy or a fill */
  if (program->output[0] != MA_REG_CODE + last || ma_cpu_store((ma_dtype)program->code[last].result)) return false;
  for (int j = 0; j < program->ninput; j++) {
    if (program->input_dtype[j] == MA_BOOL) f->loaded |= 1u << j;
    else if (ma_cpu_load((ma_dtype)program->input_dtype[j])) return false;
  }
  for (int j = 0; j < program->nscalar; j++)
    if (ma_cpu_load((ma_dtype)program->scalar_dtype[j])) return false;
  uint32_t truths = f->loaded ? ma_plan_truths(program) : 0;
  f->loaded &= ~truths;
  return choose_loops(f, program, truths);
}

static void find_plain(int k, const ma_program *program, uint8_t *place, uint8_t *step, uint8_t *mask) {
  int reg = program->code[0].arg[k];
  *place = *step = *mask = 0;
  if (reg >= MA_REG_SCALAR) return;
  *place = (uint8_t)(reg + 1);
  *step = ma_dtypes[program->input_dtype[reg]].itemsize;
  *mask = (uint8_t)((*step < 8 ? *step : 8) - 1);
}

static void find_out(form *f, const ma_program *program) {
  int nin = program->ncode == 1 ? ma_ops[program->code[0].op].nin : 0;
  f->loaded = 0;
  f->bools = program->ninput && program->input_dtype[0] == MA_BOOL;
  f->suits = find_loops(f, program);
  f->size = ma_dtypes[ma_program_dtype(program, program->output[0])].itemsize;
  f->mask = (uint8_t)((f->size < 8 ? f->size : 8) - 1);
  f->plain = f->suits && (nin == 1 || nin == 2) && program->ninput && program->nscalar < 2 && !f->loaded;
  if (!f->plain) return;
  find_plain(0, program, &f->x, &f->x_step, &f->x_mask);
  find_plain(nin - 1, program, &f->y, &f->y_step, &f->y_mask);
}

/* The form of the program, which is noted if the program is kept. `here` has room for it. */
static const form *form_of(const ma_program *program, form *here) {
  form *known = program->notes ? __atomic_load_n((form **)program->notes, __ATOMIC_ACQUIRE) : NULL, *none = NULL;
  if (__builtin_expect(known != NULL, 1)) return known;
  find_out(here, program);
  if (!program->notes || !(known = malloc(sizeof *known))) return here;
  *known = *here;
  if (__atomic_compare_exchange_n((form **)program->notes, &none, known, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return known;
  free(known); /* another thread was first */
  return none;
}

/* ==== Elements =================================================================================================== */

/* Writes `value` n times, and fills up a multiple of MA_ALIGN bytes. */
static void repeat(char *to, const void *value, int size, int n) {
  static const uint64_t copies[9] = {
    [1] = UINT64_C(0x0101010101010101), [2] = UINT64_C(0x0001000100010001), [4] = UINT64_C(0x0000000100000001), [8] = 1
  };
  uint64_t word[2] = { 0, 0 };
  memcpy(word, value, (size_t)size);
  if (size <= 8) word[0] = word[1] = word[0] * copies[size];
  for (int k = 0; k < n * size; k += MA_ALIGN)
    for (int i = 0; i < MA_ALIGN; i += 16) memcpy(to + k + i, word, 16);
}

/* Writes a lane over results that exist; overlapping elements get the same bits. */
static inline void put_lane(char *to, const char *lane, int size) {
  for (int k = 0; k < size; k++) memcpy(to + k * MA_LANE, lane + k * MA_LANE, MA_LANE);
}

/* For few bytes memcpy has too much overhead. Pieces may overlap. */
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

/* Elements behind the n, fewer than a lane, become 0. */
static inline void pad(char *to, const char *from, int size, int n) {
  for (int k = n * size & -MA_LANE; k < size * MA_LANE; k += MA_LANE) memset(to + k, 0, MA_LANE);
  copy_few(to, from, n * size);
}

/* The last number that this thread used, repeated over a block. Most numbers come again, and writing small pieces of
** a block that left the caches prevents the processor from prefetching. */
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

/* ==== A run ====================================================================================================== */

typedef struct small {
  const ma_program *program;
  const form *form;
  int n, size;                      /* elements; bytes of one of the result */
  const char *input[MA_MAX_INPUTS]; /* packed */
  char *result;
  char *arena; /* what is left of it */
  size_t left;
} small;

/* Takes memory for n elements of the arena; NULL: there is too little. */
static inline char *take(small *s, int n, int size) {
  size_t nbytes = ((size_t)n * (size_t)size + MA_ALIGN - 1) / MA_ALIGN * MA_ALIGN;
  char *memory = s->arena;
  if (nbytes > s->left) return NULL;
  s->arena += nbytes;
  s->left -= nbytes;
  return memory;
}

static inline bool is_packed(const ma_space *space, int k, int64_t size) {
  for (int d = space->ndim - 1; d >= 0; size *= space->shape[d--])
    if (space->stride[k][d] != size && space->shape[d] != 1) return false;
  return true;
}

static inline bool is_aligned(const void *address, int size) {
  return ((uintptr_t)address & (uintptr_t)((size < 8 ? size : 8) - 1)) == 0;
}

/* Packs operand k; a bool that is not 0 becomes 1. */
static void pack(const ma_map *map, int k, ma_dtype dtype, int n, char *to) {
  const ma_space *space = &map->space;
  int size = ma_dtypes[dtype].itemsize, last = space->ndim - 1;
  const char *from = map->data[k];
  const int64_t *shape = space->shape, *step = space->stride[k];
  char *at = to;
  if (dtype == MA_BOOL && space->ndim == 1 && step[0] == 1) {
    ma_copy_truths(to, from, n);
    return;
  }
  if (space->ndim == 1) {
    ma_gather_row(to, from, step[0], size, n);
  } else {
    int64_t planes = space->ndim == 3 ? shape[0] : 1, far = space->ndim == 3 ? step[0] : 0;
    for (int64_t i = 0; i < planes; i++, from += far, at += shape[last - 1] * shape[last] * size)
      ma_gather_tile(at, from, step[last - 1], step[last], (int)shape[last - 1], (int)shape[last], size);
  }
  if (dtype == MA_BOOL) ma_copy_truths(to, to, n);
}

/* Finds the inputs, those that lie apart packed; false: they have no room, or the result is not packed. */
static bool find_operands(small *s, const ma_map *map) {
  const ma_program *program = s->program;
  s->result = map->data[0];
  if (!is_packed(&map->space, 0, s->size) || !is_aligned(s->result, s->size)) return false;
  for (int j = 0; j < program->ninput; j++) {
    ma_dtype dtype = (ma_dtype)program->input_dtype[j];
    int size = ma_dtypes[dtype].itemsize;
    s->input[j] = map->data[j + 1];
    if (!is_aligned(s->input[j], size)) return false;
    if (is_packed(&map->space, j + 1, size) && !(s->form->loaded >> j & 1)) continue;
    char *packed = s->n * size <= APART ? take(s, s->n, size) : NULL;
    if (!packed) return false;
    pack(map, j + 1, dtype, s->n, packed);
    s->input[j] = packed;
  }
  return true;
}

/* A copy or a fill. */
static bool run_none(const form *f, const ma_map *map, int n) {
  _Alignas(16) char value[16];
  const ma_program *program = map->program;
  int size = f->size;
  char *to = map->data[0];
  if (!is_packed(&map->space, 0, size) || !is_aligned(to, size)) return false;
  if (!program->ninput) {
    ma_value_store(value, (ma_dtype)program->scalar_dtype[0], map->scalar[0]);
    ma_fill_row(to, value, size, n);
  } else if (program->input_dtype[0] == MA_BOOL || !is_packed(&map->space, 1, size)) {
    if (to == map->data[1]) return false;
    pack(map, 1, (ma_dtype)program->input_dtype[0], n, to);
  } else if (to != map->data[1]) {
    memcpy(to, map->data[1], (size_t)n * (size_t)size);
  }
  return true;
}

/* ---- One instruction ---- */

/* Its operands: arrays advance, a scalar's block stays. */
typedef struct operands {
  const char *at[MA_MAX_ARITY];
  int step[MA_MAX_ARITY];
} operands;

static inline void run_part(ma_loop *loop, const operands *o, int64_t first, char *to, int n) {
  loop(to, o->at[0] + first * o->step[0], o->at[1] + first * o->step[1], o->at[2] + first * o->step[2],
       o->at[3] + first * o->step[3], n);
}

static void run_padded(ma_loop *loop, const small *s, operands *o) {
  _Alignas(MA_ALIGN) char padded[MA_MAX_ARITY + 1][MA_LANE * 16];
  for (int k = 0; k < MA_MAX_ARITY; k++) {
    if (!o->step[k]) continue;
    pad(padded[k], o->at[k], o->step[k], s->n);
    o->at[k] = padded[k];
  }
  run_part(loop, o, 0, padded[MA_MAX_ARITY], MA_LANE);
  copy_few(s->result, padded[MA_MAX_ARITY], s->n * s->size);
}

/* Repeats the scalars over `piece` elements; false: there is no room. */
static bool put_scalars(small *s, const ma_map *map, operands *o, int piece) {
  const ma_instr *instr = &s->program->code[0];
  for (int k = 0; k < ma_ops[instr->op].nin; k++) {
    _Alignas(16) char value[16];
    int j = instr->arg[k] - MA_REG_SCALAR;
    if (j < 0) continue;
    int size = ma_dtypes[s->program->scalar_dtype[j]].regsize;
    ma_value_store(value, (ma_dtype)s->program->scalar_dtype[j], map->scalar[j]);
    if (j == 0) {
      o->at[k] = spread_scalar(value, size, piece);
      continue;
    }
    char *block = take(s, piece, size);
    if (!block) return false;
    repeat(block, value, size, piece);
    o->at[k] = block;
  }
  return true;
}

static bool run_one(small *s, const ma_map *map) {
  const ma_instr *instr = &s->program->code[0];
  ma_loop *loop = s->form->loop[0];
  int n = s->n, whole = n & -MA_LANE, piece = whole, size = s->size;
  char *to = s->result;
  bool over = false;
  operands o = { { NULL }, { 0 } };
  for (int k = 0; k < ma_ops[instr->op].nin; k++) {
    if (instr->arg[k] >= MA_REG_SCALAR) continue;
    o.at[k] = s->input[instr->arg[k]];
    o.step[k] = ma_dtypes[s->program->input_dtype[instr->arg[k]]].itemsize;
    over |= o.at[k] == to;
  }
  if (s->program->nscalar) {
    if (piece > MA_BLOCK) piece = MA_BLOCK;
    if (!put_scalars(s, map, &o, piece ? piece : MA_LANE)) return false;
  }
  if (!whole) {
    run_padded(loop, s, &o);
    return true;
  }
  _Alignas(MA_ALIGN) char last[MA_LANE * 16];
  bool before = n > whole && over; /* the last lane is computed before any write */
  if (before) run_part(loop, &o, n - MA_LANE, last, MA_LANE);
  for (int first = 0; first < whole; first += piece)
    run_part(loop, &o, first, to + first * size, whole - first < piece ? whole - first : piece);
  if (before) put_lane(to + (n - MA_LANE) * size, last, size);
  else if (n > whole) run_part(loop, &o, n - MA_LANE, to + (n - MA_LANE) * size, MA_LANE);
  return true;
}

/* ---- Several instructions ---- */

typedef struct places {
  char *of[MA_MAX_REGS]; /* scalars and instructions */
} places;

/* Divides the arena and fills in the scalars; false if it is too small. */
static bool lay_out(small *s, const ma_map *map, places *p, int width) {
  const ma_program *program = s->program;
  for (int j = 0; j < program->nscalar; j++) {
    _Alignas(16) char value[16];
    int size = ma_dtypes[program->scalar_dtype[j]].regsize;
    char *place = p->of[MA_REG_SCALAR + j] = take(s, width, size);
    if (!place) return false;
    ma_value_store(value, (ma_dtype)program->scalar_dtype[j], map->scalar[j]);
    repeat(place, value, size, width);
  }
  for (int k = 0; k < program->ncode - 1; k++)
    if (!(p->of[MA_REG_CODE + k] = take(s, width, ma_dtypes[program->code[k].result].regsize))) return false;
  return true;
}

/* Runs n whole lanes, at most the width. */
static void run_lanes(const small *s, const places *p, const char *const *input, char *result, int n) {
  const ma_program *program = s->program;
  const void *arg[MA_MAX_ARITY] = { NULL };
  for (int k = 0; k < program->ncode; k++) {
    const ma_instr *instr = &program->code[k];
    for (int i = 0; i < ma_ops[instr->op].nin; i++)
      arg[i] = instr->arg[i] < MA_REG_SCALAR ? input[instr->arg[i]] : p->of[instr->arg[i]];
    s->form->loop[k](k == program->ncode - 1 ? result : p->of[MA_REG_CODE + k], arg[0], arg[1], arg[2], arg[3], n);
  }
}

static void run_few(const small *s, const places *p) {
  _Alignas(MA_ALIGN) char padded[MA_MAX_INPUTS + 1][MA_LANE * 16];
  const char *from[MA_MAX_INPUTS];
  for (int j = 0; j < s->program->ninput; j++) {
    pad(padded[j], s->input[j], ma_dtypes[s->program->input_dtype[j]].itemsize, s->n);
    from[j] = padded[j];
  }
  run_lanes(s, p, from, padded[MA_MAX_INPUTS], MA_LANE);
  copy_few(s->result, padded[MA_MAX_INPUTS], s->n * s->size);
}

static bool run_several(small *s, const ma_map *map) {
  _Alignas(MA_ALIGN) char last[MA_LANE * 16];
  const ma_program *program = s->program;
  int n = s->n, part = program->nscalar ? PIECE : MA_BLOCK, whole = n & -MA_LANE,
      width = whole >= part ? part
              : whole       ? whole
                            : MA_LANE;
  const char *from[MA_MAX_INPUTS];
  char *result = s->result;
  places p;
  if (!lay_out(s, map, &p, width)) return false;
  if (!whole) {
    run_few(s, &p);
    return true;
  }
  if (n > whole) { /* before any write, which may be in the memory of an input */
    for (int j = 0; j < program->ninput; j++)
      from[j] = s->input[j] + (n - MA_LANE) * ma_dtypes[program->input_dtype[j]].itemsize;
    run_lanes(s, &p, from, last, MA_LANE);
  }
  for (int left = whole; left > 0; left -= part) {
    part = left > width ? width : left;
    run_lanes(s, &p, s->input, result, part);
    for (int j = 0; j < program->ninput; j++) s->input[j] += part * ma_dtypes[program->input_dtype[j]].itemsize;
    result += part * s->size;
  }
  if (n > whole) put_lane(result - (MA_LANE - (n - whole)) * s->size, last, s->size);
  return true;
}

/* Fewer than a lane. */
static __attribute__((noinline)) void run_short(const form *f, char *to, const char *x, const char *y, int n) {
  _Alignas(MA_ALIGN) char padded[3][MA_LANE * 16];
  const char *from[2] = { x, y };
  if (f->x_step) pad(padded[0], x, f->x_step, n), from[0] = padded[0];
  if (y == x) from[1] = from[0];
  else if (f->y_step) pad(padded[1], y, f->y_step, n), from[1] = padded[1];
  f->loop[0](padded[2], from[0], from[1], NULL, NULL, MA_LANE);
  copy_few(to, padded[2], n * f->size);
}

/* The number among the operands, repeated over n elements. */
static __attribute__((noinline)) const char *put_number(const ma_map *map, int n) {
  _Alignas(16) char value[16];
  ma_dtype dtype = (ma_dtype)map->program->scalar_dtype[0];
  ma_value_store(value, dtype, map->scalar[0]);
  return spread_scalar(value, ma_dtypes[dtype].regsize, n);
}

static inline bool suits_plain(const ma_map *map, int k, int size, int mask) {
  return map->space.stride[k][0] == size && ((uintptr_t)map->data[k] & (uintptr_t)mask) == 0;
}

/* Whether one instruction ran over packed arrays and at most one number. */
static inline bool run_plain(const form *f, const ma_map *map) {
  _Alignas(MA_ALIGN) char last[MA_LANE * 16];
  int n = (int)map->space.shape[0], whole = n & -MA_LANE, rest = n - MA_LANE, piece = whole;
  char *to = map->data[0];
  if (!suits_plain(map, 0, f->size, f->mask) || (f->x && !suits_plain(map, f->x, f->x_step, f->x_mask)) ||
      (f->y && !suits_plain(map, f->y, f->y_step, f->y_mask)))
    return false;
  const char *x = map->data[f->x], *y = map->data[f->y];
  if (map->program->nscalar) {
    piece = whole > MA_BLOCK ? MA_BLOCK : whole;
    const char *number = put_number(map, piece ? piece : MA_LANE);
    if (!f->x) x = number;
    else y = number;
  }
  if (!whole) {
    run_short(f, to, x, y, n);
    return true;
  }
  bool before = n > whole && (x == to || y == to); /* the last lane is computed before any write */
  char *end = before ? last : to + rest * f->size;
  if (before) f->loop[0](end, x + rest * f->x_step, y + rest * f->y_step, NULL, NULL, MA_LANE);
  f->loop[0](to, x, y, NULL, NULL, piece);
  for (int at = piece; at < whole; at += piece)
    f->loop[0](to + at * f->size, x + at * f->x_step, y + at * f->y_step, NULL, NULL,
               whole - at < piece ? whole - at : piece);
  if (before) put_lane(to + rest * f->size, last, f->size);
  else if (n > whole) f->loop[0](end, x + rest * f->x_step, y + rest * f->y_step, NULL, NULL, MA_LANE);
  return true;
}

static __attribute__((noinline)) bool run_any(const form *f, const ma_map *map, int n) {
  _Alignas(MA_ALIGN) char arena[ARENA];
  small s;
  s.program = map->program;
  s.form = f;
  s.n = n;
  s.size = f->size;
  s.arena = arena;
  s.left = ARENA;
  return find_operands(&s, map) && (s.program->ncode == 1 ? run_one(&s, map) : run_several(&s, map));
}

/* Programs that are not plain, or not kept yet. */
static __attribute__((noinline)) bool run_other(const ma_map *map) {
  form here;
  int64_t n = map->space.shape[0];
  for (int d = 1; d < map->space.ndim && n <= MOST; d++) n *= map->space.shape[d];
  if (n > MOST || map->space.ndim > NDIM || __atomic_load_n(&ma_takes_long_way, __ATOMIC_RELAXED)) return false;
  const form *f = form_of(map->program, &here);
  if (!f->suits) return false;
  return map->program->ncode ? run_any(f, map, (int)n) : run_none(f, map, (int)n);
}

/* Whether a packed copy or a fill ran. */
static inline bool run_move(const form *f, const ma_map *map) {
  if (!suits_plain(map, 0, f->size, f->mask)) return false;
  if (map->program->ninput) {
    if (f->bools || map->data[0] == map->data[1] || map->space.stride[1][0] != f->size) return false;
    memcpy(map->data[0], map->data[1], (size_t)map->space.shape[0] * f->size);
    return true;
  }
  _Alignas(16) char value[16];
  ma_value_store(value, (ma_dtype)map->program->scalar_dtype[0], map->scalar[0]);
  ma_fill_row(map->data[0], value, f->size, (int)map->space.shape[0]);
  return true;
}

bool ma_cpu_small(const ma_map *map) {
  const ma_program *program = map->program;
  const form *f = program->notes ? __atomic_load_n((form **)program->notes, __ATOMIC_ACQUIRE) : NULL;
  if (f && map->space.ndim == 1 && map->space.shape[0] <= MOST &&
      (f->plain ? run_plain(f, map) : !program->ncode && run_move(f, map)))
    return true;
  return run_other(map);
}
