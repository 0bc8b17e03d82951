/* block.c: the interpreter of programs. Each instruction is a vectorised loop over a block; cpu.h explains the
** terms. */
#include "cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

/* ---- plans ---- */

/* Free places in the arena by element size (1 << class). */
typedef struct places {
  int count[5];
  uint32_t free[5][MA_MAX_REGS];
  uint32_t end, width;
} places;

static int size_class(int size) { return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4; }

static void places_begin(places *p, uint32_t width) {
  memset(p->count, 0, sizeof p->count);
  p->end = 0;
  p->width = width;
}

/* Not inline, or gcc warns: it does not see that an empty list is not read. */
static __attribute__((noinline)) uint32_t places_take(places *p, int size) {
  int c = size_class(size);
  if (p->count[c] > 0) return p->free[c][--p->count[c]];
  uint32_t place = p->end;
  p->end += (p->width * (uint32_t)size + MA_ALIGN - 1) / MA_ALIGN * MA_ALIGN;
  return place;
}

static void places_give(places *p, int size, uint32_t place) {
  int c = size_class(size);
  p->free[c][p->count[c]++] = place;
}

/* Whether the instruction leaves the bytes of a register unchanged. */
static bool changes_nothing(const ma_instr *instr) {
  ma_dtype from = (ma_dtype)instr->dtype, to = (ma_dtype)instr->result;
  if (instr->op != MA_CAST) return ma_op_is_move(instr->op, instr->dtype);
  return from == to || (to == MA_FLOAT32 && (from == MA_FLOAT16 || from == MA_BFLOAT16)) ||
         (from == MA_BOOL && to == MA_UINT8);
}

static void plan_register(ma_plan *plan, places *p, int reg, ma_dtype dtype) {
  plan->size[reg] = ma_dtypes[dtype].regsize;
  plan->place[reg] = places_take(p, plan->size[reg]);
}

static bool is_scalar(int reg) { return reg >= MA_REG_SCALAR && reg < MA_REG_CODE; }

/* Whether the instruction reads operand k as a truth, so that a bool may lie there as in memory. */
static bool reads_truth(const ma_instr *instr, int k) {
  return ma_cpu_truths((ma_opcode)instr->op, (ma_dtype)instr->dtype) || ma_ops[instr->op].in[k] == MA_SIG_BOOL;
}

/* The inputs that are bools and need not be loaded, by bit. */
static uint32_t find_truths(const ma_program *program) {
  uint32_t found = 0;
  for (int j = 0; j < program->ninput; j++)
    if (program->input_dtype[j] == MA_BOOL) found |= 1u << j;
  for (int k = 0; found && k < program->ncode; k++)
    for (int i = 0; i < ma_ops[program->code[k].op].nin; i++)
      if (program->code[k].arg[i] < MA_REG_SCALAR && !reads_truth(&program->code[k], i))
        found &= ~(1u << program->code[k].arg[i]);
  for (int j = 0; found && j < program->noutput; j++)
    if (program->output[j] < MA_REG_SCALAR) found &= ~(1u << program->output[j]);
  return found;
}

/* Takes a loop that reads a scalar once, if the step has one operand of that kind; else its scalars are no longer of
** those that are read once. */
static void plan_scalars(ma_plan *plan, ma_step *step, const ma_instr *instr) {
  bool first = is_scalar(step->arg[0]), second = step->nin > 1 && is_scalar(step->arg[1]);
  ma_loop *loop = NULL;
  if (instr->op != MA_CAST && step->nin == 2 && first != second)
    loop = ma_cpu_single((ma_opcode)instr->op, (ma_dtype)instr->dtype, second);
  if (loop) step->loop = loop;
  for (int j = 0; j < step->nin && !loop; j++)
    if (is_scalar(step->arg[j])) plan->once &= ~(1u << (step->arg[j] - MA_REG_SCALAR));
}

/* Writes the steps. same[r] is the register for which r stands, and last[r] the last step that reads r. */
static void plan_steps(ma_plan *plan, uint32_t truth, uint8_t *same, int16_t *last) {
  const ma_program *program = plan->program;
  for (int k = 0; k < program->ncode; k++) {
    const ma_instr *instr = &program->code[k];
    int reg = MA_REG_CODE + k;
    if (changes_nothing(instr)) {
      same[reg] = same[instr->arg[0]];
      continue;
    }
    ma_step *step = &plan->step[plan->nstep];
    same[reg] = (uint8_t)reg;
    last[reg] = (int16_t)plan->nstep;
    step->result = (uint8_t)reg;
    step->nin = ma_ops[instr->op].nin;
    bool unloaded = false;
    for (int j = 0; j < step->nin; j++) {
      step->arg[j] = same[instr->arg[j]];
      last[step->arg[j]] = (int16_t)plan->nstep;
      unloaded |= step->arg[j] < MA_REG_SCALAR && truth >> step->arg[j] & 1;
    }
    if (instr->op == MA_CAST) {
      step->loop = ma_cpu_cast((ma_dtype)instr->dtype, (ma_dtype)instr->result);
      step->round = NULL;
    } else {
      step->loop = unloaded ? ma_cpu_truths((ma_opcode)instr->op, (ma_dtype)instr->dtype) : NULL;
      if (ma_op_draws(instr->op)) step->loop = ma_cpu_draw_loop((ma_opcode)instr->op, (ma_dtype)instr->dtype);
      if (!step->loop) step->loop = ma_cpu_loop((ma_opcode)instr->op, (ma_dtype)instr->dtype);
      step->round = ma_cpu_round((ma_dtype)instr->result);
    }
    plan_scalars(plan, step, instr);
    plan->size[reg] = ma_dtypes[instr->result].regsize;
    plan->nstep++;
  }
}

/* Gives each result a place, which is free again after its last reader. A result may take the place of an operand that
** nobody reads any more. */
static void plan_places(ma_plan *plan, places *p, const int16_t *last) {
  for (int k = 0; k < plan->nstep; k++) {
    const ma_step *step = &plan->step[k];
    for (int j = 0; j < step->nin; j++) {
      int arg = step->arg[j];
      bool again = false;
      for (int i = 0; i < j; i++) again |= step->arg[i] == arg;
      bool shares = arg < MA_REG_SCALAR ? !(plan->repeated >> arg & 1) : arg >= MA_REG_CODE;
      if (last[arg] == k && !again && shares) places_give(p, plan->size[arg], plan->place[arg]);
    }
    plan->place[step->result] = places_take(p, plan->size[step->result]);
    /* no step reads this result */
    if (last[step->result] == k) places_give(p, plan->size[step->result], plan->place[step->result]);
  }
}

void ma_plan_make(ma_plan *plan, const ma_program *program, const ma_value *scalar, int64_t width, uint32_t repeated) {
  uint8_t same[MA_MAX_REGS];
  int16_t last[MA_MAX_REGS];
  places p;
  plan->program = program;
  plan->scalar = scalar;
  plan->nstep = 0;
  plan->repeated = repeated;
  plan->single = 0;
  plan->once = UINT32_MAX;
  plan->width = (int)(width + MA_LANE - 1) / MA_LANE * MA_LANE;
  places_begin(&p, (uint32_t)plan->width);
  bool loads = false;
  plan->places = ma_program_places(program);
  uint32_t truth = find_truths(program);
  for (int j = 0; j < program->ninput; j++) {
    plan_register(plan, &p, j, plan->places >> j & 1 ? MA_INT64 : (ma_dtype)program->input_dtype[j]);
    plan->load[j] = truth >> j & 1 ? NULL : ma_cpu_load((ma_dtype)program->input_dtype[j]);
    loads |= plan->load[j] != NULL;
    plan->copied[j] = false;
    same[j] = (uint8_t)j;
    last[j] = -1;
  }
  for (int j = 0; j < program->nscalar; j++) {
    int reg = MA_REG_SCALAR + j;
    plan_register(plan, &p, reg, (ma_dtype)program->scalar_dtype[j]);
    same[reg] = (uint8_t)reg;
  }
  plan_steps(plan, truth, same, last);
  for (int j = 0; j < program->noutput; j++) {
    int reg = same[program->output[j]];
    plan->output[j] = (uint8_t)reg;
    last[reg] = INT16_MAX;
    if (is_scalar(reg)) plan->once &= ~(1u << (reg - MA_REG_SCALAR));
    if (reg < MA_REG_SCALAR) plan->copied[reg] = program->noutput > 1;
  }
  plan_places(plan, &p, last);
  plan->scratch = p.end;
  plan->arena = p.end + (loads ? p.width * 2 : 0);
}

/* The loops of the steps that read register `reg`, as one value, or false. */
static bool find_single(const ma_plan *plan, int reg, ma_loop **loop) {
  for (int j = 0; j < plan->program->noutput; j++)
    if (plan->output[j] == reg) return false;
  for (int k = 0; k < plan->nstep; k++) {
    const ma_step *step = &plan->step[k];
    const ma_instr *instr = &plan->program->code[step->result - MA_REG_CODE];
    bool first = step->arg[0] == reg, second = step->nin > 1 && step->arg[1] == reg;
    loop[k] = step->loop;
    if (step->nin > 2 && (step->arg[2] == reg || (step->nin > 3 && step->arg[3] == reg))) return false;
    if (!first && !second) continue;
    int other = step->arg[first];
    if (step->nin != 2 || first == second || is_scalar(other)) return false;
    if (other < MA_REG_SCALAR && plan->single >> other & 1) return false;
    loop[k] = ma_cpu_single((ma_opcode)instr->op, (ma_dtype)instr->dtype, second);
    if (!loop[k]) return false;
  }
  return true;
}

void ma_plan_single(ma_plan *plan, uint32_t one) {
  ma_loop *loop[MA_MAX_CODE];
  for (int j = 0; one >> j; j++) {
    if (!(one >> j & 1) || plan->load[j] || plan->places >> j & 1 || !find_single(plan, j, loop)) continue;
    plan->single |= 1u << j;
    for (int k = 0; k < plan->nstep; k++) plan->step[k].loop = loop[k];
  }
}

ma_status ma_plan_init(ma_plan *plan, const ma_program *program, const ma_value *scalar) {
  ma_plan_make(plan, program, scalar, MA_BLOCK, 0);
  return MA_OK;
}

/* ---- blocks ---- */

static int lanes(int n) { return (n + MA_LANE - 1) / MA_LANE * MA_LANE; }

/* Repeats one register value. */
static void spread(char *to, ma_dtype dtype, ma_value value, int n) {
  ma_value_store(to, dtype, value);
  int size = ma_dtypes[dtype].regsize;
  if (dtype == MA_FLOAT16 || dtype == MA_BFLOAT16) {
    char padded[MA_LANE * 2] = { to[0], to[1] };
    _Alignas(MA_ALIGN) char wide[MA_LANE * sizeof(float)];
    ma_cpu_load(dtype)(wide, padded, NULL, NULL, NULL, MA_LANE);
    memcpy(to, wide, sizeof(float));
  }
  ma_gather_row(to + size, memcpy((char[16]){ 0 }, to, (size_t)size), 0, size, n - 1);
}

ma_status ma_block_open_for(ma_block *block, const ma_plan *plan, const ma_value *scalar, int64_t n, void *memory,
                            size_t size) {
  const ma_program *program = plan->program;
  void *owned = NULL;
  if (plan->arena > size) {
    if (posix_memalign(&owned, MA_ALIGN, plan->arena) != 0)
      return ma_fail(MA_ERR_MEMORY, "out of memory: %u bytes for the blocks of a program", plan->arena);
    memory = owned;
  }
  block->plan = plan;
  block->owned = owned;
  block->arena = memory;
  block->reg[0] = NULL;
  for (int j = 0; j < program->ninput; j++) block->value[j] = NULL;
  for (int j = 0; j < program->nscalar; j++) {
    int reg = MA_REG_SCALAR + j;
    char *place = block->arena + plan->place[reg];
    int filled = plan->once >> j & 1 ? MA_LANE : n < plan->width ? lanes((int)n) : plan->width;
    spread(place, (ma_dtype)program->scalar_dtype[j], scalar[j], filled);
    block->reg[reg] = place;
  }
  for (int k = 0; k < plan->nstep; k++) {
    int reg = plan->step[k].result;
    block->where[reg] = block->arena + plan->place[reg];
  }
  return MA_OK;
}

ma_status ma_block_open_in(ma_block *block, const ma_plan *plan, void *memory, size_t size) {
  return ma_block_open_for(block, plan, plan->scalar, plan->width, memory, size);
}

ma_status ma_block_open(ma_block *block, const ma_plan *plan) { return ma_block_open_in(block, plan, NULL, 0); }

void ma_block_close(ma_block *block) {
  free(block->owned);
  block->owned = NULL;
}

/* Converts n packed elements in memory form to register j, and pads it with zeros to whole lanes. */
static void take_packed(ma_block *block, int j, char *packed, int n) {
  const ma_plan *plan = block->plan;
  int size = ma_dtypes[plan->program->input_dtype[j]].itemsize, whole = lanes(n);
  memset(packed + (size_t)n * (size_t)size, 0, (size_t)(whole - n) * (size_t)size);
  block->reg[j] = block->arena + plan->place[j];
  block->value[j] = NULL;
  if (plan->load[j] != NULL) plan->load[j](block->arena + plan->place[j], packed, NULL, NULL, NULL, whole);
}

static char *packed_room(const ma_block *block, int j) {
  return block->arena + (block->plan->load[j] != NULL ? block->plan->scratch : block->plan->place[j]);
}

/* Fills the register of a repeated input, unless it has that value already. */
static void take_repeated(ma_block *block, int j, const char *from, int size, int n) {
  block->reg[j] = block->arena + block->plan->place[j];
  if (block->value[j] == from && n <= block->count[j]) return;
  char *packed = packed_room(block, j);
  ma_gather_row(packed, from, 0, size, lanes(n));
  take_packed(block, j, packed, lanes(n));
  block->value[j] = from;
  block->count[j] = lanes(n);
}

static int64_t *place_register(ma_block *block, int j) {
  block->reg[j] = block->arena + block->plan->place[j];
  block->value[j] = NULL;
  return (int64_t *)(block->arena + block->plan->place[j]);
}

/* The places of elements first .. first + n - 1 in C order, over several rows. */
static void take_places(ma_block *block, int j, const ma_space *space, int axis, int k, const char *from, int64_t first,
                        int n) {
  int size = ma_dtypes[block->plan->program->input_dtype[j]].itemsize, inner = space->ndim - 1, whole = lanes(n);
  int64_t *to = place_register(block, j), step = space->stride[k][inner] / size;
  for (int done = 0; done < n;) {
    int64_t rest = (first + done) / space->shape[inner], column = (first + done) % space->shape[inner],
            place = ma_place_at(from, size) + column * step, left = space->shape[inner] - column;
    int m = left < n - done ? (int)left : n - done;
    int64_t *at = to + done;
    for (int d = inner - 1; d >= axis; d--, rest /= space->shape[d + 1])
      place += (d > axis ? rest % space->shape[d] : rest) * (space->stride[k][d] / size);
    for (int i = 0; i < m; i++) at[i] = place + i * step;
    done += m;
  }
  for (int i = n; i < whole; i++) to[i] = to[n - 1];
}

static void take_row(ma_block *block, int j, const char *from, int64_t stride, int n) {
  const ma_plan *plan = block->plan;
  int size = ma_dtypes[plan->program->input_dtype[j]].itemsize;
  if (plan->single >> j & 1) {
    block->reg[j] = from;
    return;
  }
  if (__builtin_expect(plan->places >> j & 1, 0)) {
    int64_t *to = place_register(block, j);
    to[0] = ma_place_at(from, size);
    to[1] = stride / size;
    to[2] = MA_IN_STEP;
    return;
  }
  if (stride == 0 && plan->repeated >> j & 1) {
    take_repeated(block, j, from, size, n);
    return;
  }
  bool plain = stride == size && ((uintptr_t)from & (uintptr_t)((size < 8 ? size : 8) - 1)) == 0 &&
               (n % MA_LANE == 0 || plan->nstep == 0);
  if (plain && plan->load[j] == NULL && !plan->copied[j]) block->reg[j] = from;
  else if (plain && plan->load[j] != NULL && n % MA_LANE == 0) {
    block->reg[j] = block->arena + plan->place[j];
    plan->load[j](block->arena + plan->place[j], from, NULL, NULL, NULL, n);
  } else {
    char *packed = packed_room(block, j);
    ma_gather_row(packed, from, stride, size, n);
    take_packed(block, j, packed, n);
  }
}

void ma_block_steps(ma_block *block, int n) {
  const ma_plan *plan = block->plan;
  for (int k = 0; k < plan->nstep; k++) {
    const ma_step *step = &plan->step[k];
    void *result = block->where[step->result];
    const void *x = block->reg[step->arg[0]], *y = NULL, *z = NULL, *w = NULL;
    if (step->nin > 1) y = block->reg[step->arg[1]];
    if (step->nin > 2) z = block->reg[step->arg[2]];
    if (step->nin > 3) w = block->reg[step->arg[3]];
    step->loop(result, x, y, z, w, n);
    if (step->round != NULL) step->round(result, result, NULL, NULL, NULL, n);
    block->reg[step->result] = result;
  }
}

static void run_steps(ma_block *block, int n, const void **out) {
  ma_block_steps(block, lanes(n));
  for (int j = 0; j < block->plan->program->noutput; j++) out[j] = block->reg[block->plan->output[j]];
}

void ma_block_row(ma_block *block, const void *const *data, const int64_t *stride, int n,
                  const void *out[MA_MAX_OUTPUTS]) {
  for (int j = 0; j < block->plan->program->ninput; j++) take_row(block, j, data[j], stride[j], n);
  run_steps(block, n, out);
}

void ma_block_tile(ma_block *block, const void *const *data, const int64_t *s0, const int64_t *s1, int n0, int n1,
                   const void *out[MA_MAX_OUTPUTS]) {
  for (int j = 0; j < block->plan->program->ninput; j++) {
    if (s0[j] == s1[j] * n1) {
      take_row(block, j, data[j], s1[j], n0 * n1);
      continue;
    }
    if (block->plan->places >> j & 1) {
      const ma_space tile = { .ndim = 2, .shape = { n0, n1 }, .stride = { { s0[j], s1[j] } } };
      take_places(block, j, &tile, 0, 0, data[j], 0, n0 * n1);
      continue;
    }
    char *packed = packed_room(block, j);
    ma_gather_tile(packed, data[j], s0[j], s1[j], n0, n1, ma_dtypes[block->plan->program->input_dtype[j]].itemsize);
    take_packed(block, j, packed, n0 * n1);
  }
  run_steps(block, n0 * n1, out);
}

/* Whether operand k has one step along all axes from `axis` on. */
static bool is_linear(const ma_space *space, int axis, int k) {
  for (int d = space->ndim - 1; d > axis; d--)
    if (space->stride[k][d - 1] != space->stride[k][d] * space->shape[d]) return false;
  return true;
}

void ma_block_run(ma_block *block, const ma_space *space, int axis, int input, void *const *data, int64_t first, int n,
                  const void *out[MA_MAX_OUTPUTS]) {
  int inner = space->ndim - 1;
  bool in_row = inner == axis || first % space->shape[inner] + n <= space->shape[inner];
  for (int j = 0; j < block->plan->program->ninput; j++) {
    int k = input + j;
    ma_walk walk;
    if (in_row && inner == axis)
      take_row(block, j, (const char *)data[k] + first * space->stride[k][inner], space->stride[k][inner], n);
    else if (is_linear(space, axis, k))
      take_row(block, j, (const char *)data[k] + first * space->stride[k][inner], space->stride[k][inner], n);
    else if (block->plan->places >> j & 1) take_places(block, j, space, axis, k, data[k], first, n);
    else {
      ma_walk_init(&walk, space, axis, k, data[k], first);
      if (in_row) take_row(block, j, walk.address, space->stride[k][inner], n);
      else {
        char *packed = packed_room(block, j);
        ma_walk_gather(&walk, packed, ma_dtypes[block->plan->program->input_dtype[j]].itemsize, n);
        take_packed(block, j, packed, n);
      }
    }
  }
  run_steps(block, n, out);
}

void ma_block_store(void *to, int64_t stride, const void *values, ma_dtype dtype, int n) {
  ma_loop *store = ma_cpu_store(dtype);
  int size = ma_dtypes[dtype].itemsize;
  if (store == NULL) {
    if (values != to || stride != size) ma_scatter_row(to, stride, values, size, n);
    return;
  }
  _Alignas(MA_ALIGN) float padded[MA_LANE];
  _Alignas(MA_ALIGN) uint16_t packed[MA_BLOCK];
  int whole = n / MA_LANE * MA_LANE, rest = n - whole;
  bool direct = stride == size && (uintptr_t)to % (uintptr_t)size == 0;
  store(direct ? to : packed, values, NULL, NULL, NULL, whole);
  if (rest > 0) {
    memset(padded, 0, sizeof padded);
    memcpy(padded, (const float *)values + whole, (size_t)rest * sizeof(float));
    store(packed + whole, padded, NULL, NULL, NULL, MA_LANE);
  }
  int done = direct ? whole : 0;
  if (n > done) ma_scatter_row((char *)to + done * stride, stride, packed + done, size, n - done);
}
