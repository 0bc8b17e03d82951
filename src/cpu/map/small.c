/*
** small.c: programs over a few packed elements, for which a plan (block.c) would cost more than the work, and single
** operations, which need no program (direct.h). An instruction runs over up to a block at once, and the last one writes
** the result directly. Elements behind the last whole lane are computed in a lane that overlaps it; fewer than a lane
** are padded.
*/
#include "backend/direct.h"
#include "base/inject.h"
#include "cpu/cpu.h"
#include "cpu/map/copy.h"
#include "cpu/reduce/monoid.h"
#include "cpu/map/wider.h"
#include "cpu/submit.h"

#include <string.h>

#define MOST 8192   /* elements */
#define PIECE 256   /* elements at a time if there is a scalar, which is repeated that often */
#define ARENA 32768 /* bytes for everything that is not in an array */

typedef struct small {
  const ma_program *program;
  int width; /* elements for which the arena has room */
  ma_loop *loop[MA_MAX_CODE];
  char *place[MA_MAX_REGS]; /* of scalars and instructions */
} small;

static bool is_packed(const ma_map *map, int k, int size) {
  return map->space.stride[k][0] == size && ((uintptr_t)map->data[k] & (uintptr_t)((size < 8 ? size : 8) - 1)) == 0;
}

/* Finds the loops; false if something must be converted between memory and register, or needs no loop. */
static bool choose_loops(small *s, const ma_map *map) {
  const ma_program *program = map->program;
  int last = program->ncode - 1;
  if (last < 0 || program->noutput != 1 || program->output[0] != MA_REG_CODE + last) return false;
  for (int j = 0; j < program->ninput; j++) {
    ma_dtype dtype = (ma_dtype)program->input_dtype[j];
    if (ma_cpu_load(dtype) != NULL || !is_packed(map, j + 1, ma_dtypes[dtype].itemsize)) return false;
  }
  for (int k = 0; k <= last; k++) {
    const ma_instr *instr = &program->code[k];
    s->loop[k] = instr->op == MA_OP_cast ? ma_cpu_cast((ma_dtype)instr->dtype, (ma_dtype)instr->result)
                                         : ma_cpu_loop((ma_opcode)instr->op, (ma_dtype)instr->dtype);
    if (s->loop[k] == NULL || ma_cpu_round((ma_dtype)instr->result) != NULL) return false;
  }
  ma_dtype dtype = (ma_dtype)program->code[last].result;
  return ma_cpu_store(dtype) == NULL && is_packed(map, 0, ma_dtypes[dtype].itemsize);
}

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

/* Divides the arena and fills in the scalars; false if it is too small. */
static bool lay_out(small *s, const ma_map *map, char *arena) {
  const ma_program *program = map->program;
  size_t used = 0;
  for (int j = 0; j < program->nscalar; j++) {
    char value[16];
    int size = ma_dtypes[program->scalar_dtype[j]].regsize;
    if (ma_cpu_load((ma_dtype)program->scalar_dtype[j]) != NULL) return false;
    s->place[MA_REG_SCALAR + j] = arena + used;
    used += ((size_t)size * (size_t)s->width + MA_ALIGN - 1) / MA_ALIGN * MA_ALIGN;
    if (used > ARENA) return false;
    ma_value_store(value, (ma_dtype)program->scalar_dtype[j], map->scalar[j]);
    repeat(s->place[MA_REG_SCALAR + j], value, size, s->width);
  }
  for (int k = 0; k < program->ncode - 1; k++) {
    s->place[MA_REG_CODE + k] = arena + used;
    used += ((size_t)ma_dtypes[program->code[k].result].regsize * (size_t)s->width + MA_ALIGN - 1) / MA_ALIGN *
            MA_ALIGN;
    if (used > ARENA) return false;
  }
  return true;
}

/* Runs n whole lanes, at most the width. */
static void run(const small *s, const char *const *input, char *result, int n) {
  const ma_program *program = s->program;
  const void *arg[MA_MAX_ARITY] = { NULL };
  for (int k = 0; k < program->ncode; k++) {
    const ma_instr *instr = &program->code[k];
    for (int i = 0; i < ma_ops[instr->op].nin; i++)
      arg[i] = instr->arg[i] < MA_REG_SCALAR ? input[instr->arg[i]] : s->place[instr->arg[i]];
    s->loop[k](k == program->ncode - 1 ? result : s->place[MA_REG_CODE + k], arg[0], arg[1], arg[2], arg[3], n);
  }
}

/* Writes a lane over results that exist; overlapping elements get the same bits. */
static inline void put_lane(char *to, const char *lane, int size) {
  for (int k = 0; k < size; k++) memcpy(to + k * MA_LANE, lane + k * MA_LANE, MA_LANE);
}

/* For few bytes memcpy has too much overhead. */
static inline void copy_few(char *to, const char *from, int nbytes) {
  int k = 0;
  for (; k + 8 <= nbytes; k += 8) memcpy(to + k, from + k, 8);
  for (; k < nbytes; k++) to[k] = from[k];
}

static inline void pad(char *to, const char *from, int size, int n) {
  for (int k = 0; k < size; k++) memset(to + k * MA_LANE, 0, MA_LANE);
  copy_few(to, from, n * size);
}

static void run_padded(const small *s, const char *const *input, char *result, int size, int n) {
  _Alignas(MA_ALIGN) char padded[MA_MAX_INPUTS + 1][MA_LANE * 16];
  const char *from[MA_MAX_INPUTS];
  for (int j = 0; j < s->program->ninput; j++) {
    pad(padded[j], input[j], ma_dtypes[s->program->input_dtype[j]].itemsize, n);
    from[j] = padded[j];
  }
  run(s, from, padded[MA_MAX_INPUTS], MA_LANE);
  copy_few(result, padded[MA_MAX_INPUTS], n * size);
}

bool ma_cpu_small(const ma_map *map) {
  _Alignas(MA_ALIGN) char arena[ARENA], last[MA_LANE * 16];
  const ma_program *program = map->program;
  small s;
  int64_t n = map->space.shape[0];
  if (map->space.ndim != 1 || n > MOST || __atomic_load_n(&ma_takes_long_way, __ATOMIC_RELAXED) ||
      !choose_loops(&s, map))
    return false;
  int part = program->nscalar ? PIECE : MA_BLOCK, whole = (int)n / MA_LANE * MA_LANE;
  s.program = program;
  s.width = whole >= part ? part : whole ? whole : MA_LANE;
  if (!lay_out(&s, map, arena)) return false;
  const char *input[MA_MAX_INPUTS];
  char *result = map->data[0];
  int size = ma_dtypes[program->code[program->ncode - 1].result].itemsize;
  for (int j = 0; j < program->ninput; j++) input[j] = map->data[j + 1];
  if (!whole) {
    run_padded(&s, input, result, size, (int)n);
    return true;
  }
  if (n > whole) { /* before any write, which may be in the memory of an input */
    const char *from[MA_MAX_INPUTS];
    for (int j = 0; j < program->ninput; j++)
      from[j] = input[j] + (n - MA_LANE) * ma_dtypes[program->input_dtype[j]].itemsize;
    run(&s, from, last, MA_LANE);
  }
  for (int left = whole; left > 0; left -= part) {
    part = left > s.width ? s.width : left;
    run(&s, input, result, part);
    for (int j = 0; j < program->ninput; j++) input[j] += part * ma_dtypes[program->input_dtype[j]].itemsize;
    result += part * size;
  }
  if (n > whole) put_lane(result - (MA_LANE - (n - whole)) * size, last, size);
  return true;
}

/* ==== One operation ============================================================================================== */

static bool is_aligned(const void *address, int size) {
  return ((uintptr_t)address & (uintptr_t)((size < 8 ? size : 8) - 1)) == 0;
}

/* Operands of one operation: arrays advance, a scalar's block stays. */
typedef struct operands {
  const char *at[MA_DIRECT_ARITY];
  int step[MA_DIRECT_ARITY];
} operands;

static inline void run_direct(ma_loop *loop, const operands *o, int64_t first, char *to, int n) {
  loop(to, o->at[0] + first * o->step[0], o->at[1] + first * o->step[1], NULL, NULL, n);
}

static void run_direct_padded(ma_loop *loop, operands o, char *to, int size, int n) {
  _Alignas(MA_ALIGN) char padded[MA_DIRECT_ARITY + 1][MA_LANE * 16];
  for (int k = 0; k < MA_DIRECT_ARITY; k++) {
    if (!o.step[k]) continue;
    pad(padded[k], o.at[k], o.step[k], n);
    o.at[k] = padded[k];
  }
  run_direct(loop, &o, 0, padded[MA_DIRECT_ARITY], MA_LANE);
  copy_few(to, padded[MA_DIRECT_ARITY], n * size);
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

/* For numbers among the operands, for less than a lane, and for in-place operations with a rest behind the last
** lane. */
static void apply_slowly(ma_loop *loop, const ma_direct *d, int nin, int whole, int size, int from_size) {
  _Alignas(MA_ALIGN) char last[MA_LANE * 16], value[16];
  int n = d->n, piece = whole;
  char *to = d->to;
  operands o = { { NULL, NULL }, { 0, 0 } };
  for (int k = 0; k < nin; k++) {
    o.at[k] = d->from[k];
    o.step[k] = from_size;
    if (d->from[k]) continue;
    piece = whole > MA_BLOCK ? MA_BLOCK : whole;
    ma_value_store(value, d->loop, d->scalar[k]);
    o.at[k] = spread_scalar(value, from_size, piece ? piece : MA_LANE);
    o.step[k] = 0;
  }
  if (!whole) {
    run_direct_padded(loop, o, to, size, n);
    return;
  }
  if (n > whole) run_direct(loop, &o, n - MA_LANE, last, MA_LANE); /* before any write */
  for (int first = 0; first < whole; first += piece)
    run_direct(loop, &o, first, to + first * size, whole - first < piece ? whole - first : piece);
  if (n > whole) put_lane(to + (n - MA_LANE) * size, last, size);
}

static bool copies(const ma_direct *d) { return d->op == MA_OP_cast && d->loop == d->result; }

static ma_loop *loop_of(const ma_direct *d) {
  return d->op == MA_OP_cast ? ma_cpu_cast(d->loop, d->result) : ma_cpu_loop(d->op, d->loop);
}

static bool applies(const ma_direct *d) {
  int size = ma_dtypes[d->result].itemsize, from_size = ma_dtypes[d->loop].itemsize;
  return (copies(d) || loop_of(d)) && is_aligned(d->to, size) && is_aligned(d->from[0], from_size) &&
         (ma_ops[d->op].nin == 1 || is_aligned(d->from[1], from_size));
}

static ma_status apply_packed(const ma_direct *d) {
  ma_loop *loop = loop_of(d);
  const char *x = d->from[0], *y = d->from[1];
  char *to = d->to;
  int n = d->n, nin = ma_ops[d->op].nin, whole = n & -MA_LANE, size = ma_dtypes[d->result].itemsize,
      from_size = ma_dtypes[d->loop].itemsize;
  if (nin == 1) y = x;
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "element-wise work"));
  if (x && y && whole && (n == whole || (x != to && y != to))) {
    loop(to, x, y, NULL, NULL, whole);
    if (n > whole)
      loop(to + (n - MA_LANE) * size, x + (n - MA_LANE) * from_size, y + (n - MA_LANE) * from_size, NULL, NULL,
           MA_LANE);
  } else {
    apply_slowly(loop, d, nin, whole, size, from_size);
  }
  return MA_OK;
}

/* Packs operand k; a bool that is not 0 becomes 1. */
static void pack(const ma_direct *d, int k, char *to) {
  int size = ma_dtypes[d->loop].itemsize, last = d->ndim - 1;
  const char *from = d->from[k];
  const int64_t *shape = d->shape, *step = d->stride[k];
  char *at = to;
  if (d->loop == MA_BOOL && d->ndim == 1 && step[0] == 1) {
    ma_copy_truths(to, from, d->n);
    return;
  }
  if (d->ndim == 1) {
    ma_gather_row(to, from, step[0], size, d->n);
  } else {
    int64_t planes = d->ndim == 3 ? shape[0] : 1, far = d->ndim == 3 ? step[0] : 0;
    for (int64_t i = 0; i < planes; i++, from += far, at += shape[last - 1] * shape[last] * size)
      ma_gather_tile(at, from, step[last - 1], step[last], (int)shape[last - 1], (int)shape[last], size);
  }
  if (d->loop == MA_BOOL) ma_copy_truths(to, to, d->n);
}

static ma_status apply_apart(const ma_direct *d) {
  _Alignas(MA_ALIGN) char packed[MA_DIRECT_ARITY][MA_DIRECT_APART];
  ma_direct there = *d;
  for (int k = 0; k < ma_ops[d->op].nin; k++) {
    if (!d->from[k] || !d->apart[k]) continue;
    pack(d, k, packed[k]);
    there.from[k] = packed[k];
  }
  return apply_packed(&there);
}

#define FILL(T) \
  for (int i = 0; i < n; i++) ((T *)to)[i] = *(const T *)value

/* Writes one element n times. */
WIDEST static void fill(void *to, const void *value, int size, int n) {
  switch (size) {
  case 1: memset(to, *(const uint8_t *)value, (size_t)n); break;
  case 2: FILL(uint16_t); break;
  case 4: FILL(uint32_t); break;
  case 8: FILL(uint64_t); break;
  default: FILL(ma_c128);
  }
}

static ma_status copy(const ma_direct *d) {
  int size = ma_dtypes[d->loop].itemsize;
  _Alignas(16) char value[16];
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "element-wise work"));
  if (!d->from[0]) {
    ma_value_store(value, d->loop, d->scalar[0]);
    fill(d->to, value, size, d->n);
  } else if (d->apart[0]) {
    pack(d, 0, d->to);
  } else {
    memcpy(d->to, d->from[0], (size_t)d->n * (size_t)size);
  }
  return MA_OK;
}

static ma_status apply(ma_stream *stream, const void *job) {
  const ma_direct *d = job;
  if (copies(d)) return copy(d);
  return d->apart[0] || d->apart[1] ? apply_apart(d) : apply_packed(d);
}

/* Whether elements must be packed or cast before they are reduced. */
static bool prepares(const ma_direct *d) { return d->apart[0] || d->loop != d->folded; }

/* Casts and packs the elements of a reduction. */
static ma_direct preparation(const ma_direct *d, void *to) {
  ma_direct cast = *d;
  cast.reduces = false;
  cast.op = MA_OP_cast;
  cast.result = d->folded;
  cast.to = to;
  return cast;
}

/* Whether all elements are in one span. */
static bool reduces(const ma_direct *d) {
  size_t value = ma_cpu_monoid(d->reduce, d->folded, false)->value;
  if (d->n > red_span(1, d->n) * RED_CHUNK) return false;
  if (!prepares(d)) return (uintptr_t)d->from[0] % (value < 8 ? value : 8) == 0;
  ma_direct cast = preparation(d, NULL);
  return d->n * (int)value <= MA_DIRECT_APART && applies(&cast);
}

/* Does what reduce.c does for the rows of a job. */
static ma_status reduce(ma_stream *stream, const void *job) {
  _Alignas(MA_ALIGN) char packed[MA_DIRECT_APART];
  const ma_direct *d = job;
  const ma_monoid *monoid = ma_cpu_monoid(d->reduce, d->folded, false);
  char total[MA_MAX_PARTIAL], chunk[MA_MAX_PARTIAL], out[sizeof(ma_c128)];
  const char *from = d->from[0];
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a reduction"));
  if (prepares(d)) {
    ma_direct cast = preparation(d, packed);
    MA_TRY(apply(stream, &cast));
    from = packed;
  }
  for (int r = 0; r < d->n; r += RED_CHUNK) {
    const char *values = from + (size_t)r * monoid->value;
    int n = d->n - r < RED_CHUNK ? d->n - r : RED_CHUNK;
    monoid->total(r ? chunk : total, values, NULL, n, r, r ? total : NULL);
    if (r) monoid->merge(total, total, chunk, 1);
  }
  ma_finish finish = { d->n, 0, d->result, d->reduce == MA_REDUCE_std, false };
  monoid->finish(out, total, 1, &finish);
  memcpy(d->to, out, ma_dtypes[d->result].itemsize); /* this dtype has the same form in memory and in a register */
  return MA_OK;
}

static const char *direct_name(const void *job) {
  const ma_direct *d = job;
  if (d->reduces) return ma_reduces[d->reduce].name;
  return !copies(d) ? ma_ops[d->op].name : d->from[0] ? ma_ops[MA_OP_copy].name : "fill";
}

static int64_t direct_bytes(const void *job) {
  const ma_direct *d = job;
  int64_t from = ma_dtypes[d->loop].itemsize,
          each = (d->reduces ? 0 : ma_dtypes[d->result].itemsize) + (d->from[0] ? from : 0);
  if (!d->reduces && ma_ops[d->op].nin > 1 && d->from[1] && d->from[1] != d->from[0]) each += from;
  return d->n * each;
}

/* A stream that records gets a program instead, which a graph can keep. */
ma_status ma_cpu_direct(ma_stream *stream, const ma_direct *d, bool *ran) {
  static const ma_task mapping = { .name_of = direct_name, .run = apply, .bytes = direct_bytes };
  static const ma_task reducing = { .name_of = direct_name, .run = reduce, .bytes = direct_bytes };
  *ran = !stream->capture && (d->reduces ? reduces(d) : applies(d));
  return *ran ? ma_cpu_submit(stream, d->reduces ? &reducing : &mapping, d, sizeof *d) : MA_OK;
}
