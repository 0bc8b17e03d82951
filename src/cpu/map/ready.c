/* ready.c: prepares programs for maps. */
#include "base/inject.h"
#include "cpu/map/ready.h"
#include "tuning.h"

#include <stdlib.h>

/* Elements of a register; more where one instruction has scalars, which are repeated in it. */
static int64_t choose_width(const ma_program *program) {
  int64_t width = MA_BLOCK, widest = 1;
  for (int j = 0; j < program->nscalar; j++)
    if (ma_dtypes[program->scalar_dtype[j]].regsize > widest) widest = ma_dtypes[program->scalar_dtype[j]].regsize;
  if (program->ncode != 1 || program->nscalar == 0 || TUNE_MAP_SCALAR / widest <= width) return width;
  return TUNE_MAP_SCALAR / widest;
}

/* An output that is the result of a step is written directly to memory, if memory has the register type and no later
** step reads an input, which may be the same memory. */
static void find_direct(ma_ready *ready) {
  const ma_plan *plan = &ready->plan;
  const ma_program *program = plan->program;
  for (int j = 0; j < program->noutput; j++) {
    int at = plan->nstep;
    ready->direct[j] = false;
    if (plan->output[j] < MA_REG_CODE || ma_cpu_store(ma_program_dtype(program, plan->output[j])) != NULL) continue;
    for (int k = 0; k < plan->nstep; k++)
      if (plan->step[k].result == plan->output[j]) at = k;
    bool safe = at < plan->nstep;
    for (int k = at + 1; k < plan->nstep; k++)
      for (int i = 0; i < plan->step[k].nin; i++) safe &= plan->step[k].arg[i] >= MA_REG_SCALAR;
    for (int i = 0; i < program->noutput; i++)
      if (i != j && (plan->output[i] < MA_REG_SCALAR || plan->output[i] == plan->output[j])) safe = false;
    ready->direct[j] = safe;
  }
}

/* Results that no other step reads are rounded as they are stored, unless they are stored as float32. */
static void skip_rounds(ma_plan *plan) {
  bool read[MA_MAX_REGS] = { false };
  for (int k = 0; k < plan->nstep; k++)
    for (int i = 0; i < plan->step[k].nin; i++) read[plan->step[k].arg[i]] = true;
  for (int j = 0; j < plan->program->noutput; j++)
    if (!ma_cpu_store(ma_program_dtype(plan->program, plan->program->output[j]))) read[plan->output[j]] = true;
  for (int k = 0; k < plan->nstep; k++)
    if (!read[plan->step[k].result]) plan->step[k].round = NULL;
}

/* ==== Few elements =============================================================================================== */

static uint8_t mask_of(int size) { return (uint8_t)((size < 8 ? size : 8) - 1); }

/* Describes what a register holds for the loop; false: it has another form than in memory. */
static bool find_operand(const ma_ready *ready, int reg, ma_ready_operand *o) {
  const ma_program *program = ready->plan.program;
  if (reg >= MA_REG_SCALAR) {
    *o = ready->to;
    o->step = 0;
    return !ma_cpu_load((ma_dtype)program->scalar_dtype[reg - MA_REG_SCALAR]);
  }
  ma_dtype dtype = (ma_dtype)program->input_dtype[reg];
  int size = ma_dtypes[dtype].itemsize;
  bool loaded = ready->plan.load[reg] != NULL;
  *o = (ma_ready_operand){ (uint8_t)(reg + 1), (uint8_t)size, (uint8_t)size, mask_of(size), loaded };
  return !loaded || dtype == MA_BOOL; /* of a bool only the bytes differ */
}

static void find_few(ma_ready *ready) {
  const ma_plan *plan = &ready->plan;
  const ma_program *program = plan->program;
  int size = ma_dtypes[ma_program_dtype(program, program->output[0])].itemsize;
  ready->to = ready->x = ready->y = (ma_ready_operand){ 0, (uint8_t)size, (uint8_t)size, mask_of(size), false };
  ready->plain = ready->several = ready->moves = false;
  if (program->noutput != 1 || plan->places) return;
  ready->moves = !program->ncode && program->ninput + program->nscalar == 1;
  if (ready->moves && program->ninput) {
    find_operand(ready, 0, &ready->x);
    ready->x.loaded = program->input_dtype[0] == MA_BOOL; /* others are copied as bytes */
  }
  if (!plan->nstep || !ready->direct[0]) return;
  const ma_step *last = &plan->step[plan->nstep - 1];
  if (plan->output[0] != last->result) return;
  if (plan->nstep == 1 && !last->round && last->nin <= 2 && program->ninput && program->nscalar <= 1) {
    ready->loop = last->loop;
    ready->plain = find_operand(ready, last->arg[0], &ready->x) &&
                   find_operand(ready, last->arg[last->nin - 1], &ready->y);
  }
  ready->several = !ready->plain;
  for (int j = 0; j < program->ninput; j++) ready->several = ready->several && !plan->load[j];
}

/* ==== Finding ==================================================================================================== */

static void make(ma_ready *ready, const ma_program *program, int64_t width, uint32_t repeated) {
  ma_plan_make(&ready->plan, program, NULL, width, repeated);
  ready->halves = ma_cpu_has_halves(program);
  find_direct(ready);
  skip_rounds(&ready->plan);
  find_few(ready);
  ready->quick = ready->plain && !ready->x.loaded && !ready->y.loaded;
}

/* With a copy of the program: the caller may be a graph whose own ends before. */
static ma_ready *new_ready(const ma_program *program) {
  size_t size = offsetof(ma_ready, plan.step) + program->ncode * sizeof(ma_step);
  ma_ready *made = malloc(size + ma_program_bytes(program));
  if (!made) return NULL;
  ma_program *copy = (ma_program *)((char *)made + size);
  ma_program_clone(copy, program);
  made->plan.program = copy;
  return made;
}

const ma_ready *ma_cpu_ready(const ma_program *program, int64_t n, uint32_t repeated, ma_ready *here) {
  int64_t width = choose_width(program);
  ma_ready *known = program->notes && !repeated ? new_ready(program) : NULL, *none = NULL;
  if (!known) {
    make(here, program, n < width ? n : width, repeated);
    if (__atomic_load_n(&ma_takes_long_way, __ATOMIC_RELAXED))
      here->plain = here->several = here->moves = here->quick = false;
    return here;
  }
  make(known, known->plan.program, width, 0);
  if (__atomic_compare_exchange_n((ma_ready **)program->notes, &none, known, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return known;
  free(known); /* another thread was first */
  return none;
}
