/*
** stages.c: divides the instructions of a row program into stages. An instruction belongs to the stage behind all
** reductions that it depends on. A later stage computes it again, unless that is costly: then its values are held. What
** does not change along a row is computed once for the row, in the head of the stage that reads it.
*/
#include "program/stages.h"
#include "program/splice.h"

#include <string.h>

typedef struct stager {
  const ma_unstaged *all;
  ma_row_program *program;
  uint8_t level[MA_MAX_REGS]; /* the first stage that can compute the register */
  bool flat[MA_MAX_REGS], costly[MA_MAX_REGS];
  uint8_t array[MA_MAX_INPUTS];                     /* the number of the array that an input is */
  uint8_t held[MA_MAX_HELD];                        /* registers */
  uint8_t place[MA_MAX_REGS], at_head[MA_MAX_REGS]; /* of the stage that is made: where registers are in its programs */
  int stage;
} stager;

/* ==== What is known of registers ================================================================================= */

static void look_at_inputs(stager *s, int from, int to) {
  for (int k = from; k < to; k++) {
    int fold = s->all->fold[k];
    s->level[k] = fold < 0 ? 0 : (uint8_t)(s->level[s->all->value[fold]] + 1);
    s->flat[k] = fold >= 0 || s->all->flat[k];
  }
}

static void look(stager *s) {
  const ma_program *p = s->all->program;
  memset(s->level, 0, sizeof s->level);
  memset(s->costly, 0, sizeof s->costly);
  for (int k = 0; k < MA_MAX_REGS; k++) s->flat[k] = true; /* scalars */
  look_at_inputs(s, 0, p->ninput);
  for (int k = 0; k < p->ncode; k++) {
    const ma_instr *instr = &p->code[k];
    int reg = MA_REG_CODE + k;
    look_at_inputs(s, 0, p->ninput); /* the reductions whose value is known by now */
    s->costly[reg] = !ma_op_is_light(instr->op);
    for (int a = 0; a < ma_ops[instr->op].nin; a++) {
      int arg = instr->arg[a];
      if (s->level[arg] > s->level[reg]) s->level[reg] = s->level[arg];
      s->flat[reg] = s->flat[reg] && s->flat[arg];
      s->costly[reg] = s->costly[reg] || (s->costly[arg] && !s->flat[arg]);
    }
  }
  look_at_inputs(s, 0, p->ninput);
}

/* ==== The programs of a stage ==================================================================================== */

#define NONE 255

static int add_source(ma_row_part *to, ma_dtype dtype, ma_row_kind kind, int index) {
  int n = to->program.ninput;
  if (n == MA_MAX_INPUTS) return NONE;
  to->from[n] = (ma_row_source){ (uint8_t)kind, (uint8_t)index };
  return ma_program_input(&to->program, dtype);
}

static int add_instr(stager *s, ma_row_part *to, uint8_t *place, int reg,
                     int (*arg_of)(stager *s, ma_row_stage *stage, int reg), ma_row_stage *stage) {
  ma_instr instr = s->all->program->code[reg - MA_REG_CODE];
  for (int a = 0; a < ma_ops[instr.op].nin; a++) {
    int arg = arg_of(s, stage, instr.arg[a]);
    if (arg == NONE) return NONE;
    instr.arg[a] = (uint8_t)arg;
  }
  int r = ma_program_add(&to->program, instr);
  return r < 0 ? NONE : (place[reg] = (uint8_t)r);
}

/* The register in the head, or NONE if there is no room. */
static int head_of(stager *s, ma_row_stage *stage, int reg) {
  ma_dtype dtype = ma_program_dtype(s->all->program, reg);
  if (reg >= MA_REG_SCALAR && reg < MA_REG_CODE) return reg;
  if (s->at_head[reg] != NONE) return s->at_head[reg];
  if (reg >= MA_REG_CODE) return add_instr(s, &stage->head, s->at_head, reg, head_of, stage);
  /* cppcheck-suppress arrayIndexOutOfBoundsCond */ /* neither a scalar nor an instruction */
  int fold = s->all->fold[reg];
  int r = fold < 0 ? add_source(&stage->head, dtype, MA_FROM_INPUT, s->array[reg])
                   : add_source(&stage->head, dtype, MA_FROM_FOLD, fold);
  return s->at_head[reg] = (uint8_t)r;
}

/* Gives the body a value of the row as an input. */
static int flat_of(stager *s, ma_row_stage *stage, int reg) {
  ma_dtype dtype = ma_program_dtype(s->all->program, reg);
  ma_program *head = &stage->head.program;
  if (reg < MA_REG_SCALAR && s->all->fold[reg] >= 0)
    return add_source(&stage->body, dtype, MA_FROM_FOLD, s->all->fold[reg]);
  int r = head_of(s, stage, reg);
  if (r == NONE || head->noutput == MA_MAX_OUTPUTS) return NONE;
  ma_program_output(head, r);
  return add_source(&stage->body, dtype, MA_FROM_HEAD, head->noutput - 1);
}

/* The number of the held row with the register's values, or -1 if they are to be computed again. */
static int held_as(stager *s, int reg) {
  ma_row_program *program = s->program;
  if (s->level[reg] == s->stage || !s->costly[reg]) return -1;
  for (int k = 0; k < program->nheld; k++)
    if (s->held[k] == reg) return k;
  if (program->nheld == MA_MAX_HELD) return -1;
  program->held[program->nheld] = (uint8_t)ma_program_dtype(s->all->program, reg);
  s->held[program->nheld] = (uint8_t)reg;
  return program->nheld++;
}

/* The register in the body. */
static int body_of(stager *s, ma_row_stage *stage, int reg) {
  ma_dtype dtype = ma_program_dtype(s->all->program, reg);
  int held, r;
  if (reg >= MA_REG_SCALAR && reg < MA_REG_CODE) return reg;
  if (s->place[reg] != NONE) return s->place[reg];
  if (s->flat[reg]) r = flat_of(s, stage, reg);
  else if (reg < MA_REG_SCALAR) r = add_source(&stage->body, dtype, MA_FROM_INPUT, s->array[reg]);
  else if ((held = held_as(s, reg)) >= 0) r = add_source(&stage->body, dtype, MA_FROM_HELD, held);
  else r = add_instr(s, &stage->body, s->place, reg, body_of, stage);
  return s->place[reg] = (uint8_t)r;
}

/* The output of the body with the register's values, or NONE if there is no room. */
static int output_of(stager *s, ma_row_stage *stage, int reg) {
  ma_program *body = &stage->body.program;
  int r = s->flat[reg] ? NONE : body_of(s, stage, reg);
  if (r == NONE) return NONE;
  for (int k = 0; k < body->noutput; k++)
    if (body->output[k] == r) return k;
  if (body->noutput == MA_MAX_OUTPUTS) return NONE;
  ma_program_output(body, r);
  return body->noutput - 1;
}

static void begin(const stager *s, ma_row_part *to) {
  const ma_program *p = s->all->program;
  ma_program_clear(&to->program);
  for (int k = 0; k < p->nscalar; k++) ma_program_scalar(&to->program, (ma_dtype)p->scalar_dtype[k]);
}

static ma_row_stage *begin_stage(stager *s, int t) {
  ma_row_stage *stage = &s->program->stage[t];
  s->stage = t;
  memset(s->place, NONE, sizeof s->place);
  memset(s->at_head, NONE, sizeof s->at_head);
  memset(stage->held, MA_NOWHERE, sizeof stage->held);
  stage->result = MA_NOWHERE;
  begin(s, &stage->head);
  begin(s, &stage->body);
  return stage;
}

static bool make_stage(stager *s, int t) {
  ma_row_program *program = s->program;
  ma_row_stage *stage = begin_stage(s, t);
  for (int k = 0; k < program->nfold; k++) {
    if (s->level[s->all->value[k]] != t) continue;
    int output = output_of(s, stage, s->all->value[k]);
    if (output == NONE) return false;
    program->fold[k].stage = (uint8_t)t;
    program->fold[k].output = (uint8_t)output;
  }
  for (int k = 0; k < program->nheld; k++) {
    if (s->level[s->held[k]] != t) continue;
    if ((stage->held[k] = (uint8_t)output_of(s, stage, s->held[k])) == NONE) return false;
  }
  if (!ma_row_program_fills(program) || t != program->nstage - 1) return true;
  return (stage->result = (uint8_t)output_of(s, stage, s->all->output)) != NONE;
}

/* Makes the head that computes one number for a row. */
static bool make_end(stager *s) {
  ma_row_stage *stage = begin_stage(s, s->program->nstage);
  int r = s->flat[s->all->output] ? head_of(s, stage, s->all->output) : NONE;
  if (r != NONE) ma_program_output(&stage->head.program, r);
  return r != NONE;
}

bool ma_stages_make(const ma_unstaged *all, ma_row_program *program) {
  stager s = { .all = all, .program = program };
  int last = 0;
  program->nfold = all->nfold;
  program->nheld = program->narray = 0;
  program->writes = all->output >= 0;
  program->ends = all->ends;
  for (int k = 0; k < all->program->ninput; k++) {
    if (all->fold[k] >= 0) continue;
    s.array[k] = (uint8_t)program->narray;
    program->array[program->narray++] = all->program->input_dtype[k];
  }
  look(&s);
  for (int k = 0; k < all->nfold; k++)
    if (s.level[all->value[k]] > last) last = s.level[all->value[k]];
  if (all->output >= 0) {
    program->result = (uint8_t)ma_program_dtype(all->program, all->output);
    if (!all->ends && s.level[all->output] < last) return false; /* a reduction that the result does not need */
    if (!all->ends) last = s.level[all->output];
  }
  program->nstage = last + 1;
  if (program->nstage > MA_MAX_STAGES) return false;
  for (int t = last; t >= 0; t--) /* the last stage comes first: a later stage says what an earlier one must hold */
    if (!make_stage(&s, t)) return false;
  return !all->ends || make_end(&s);
}

bool ma_rows_lie_along(const ma_row_program *program, int axis) {
  for (int k = program->nfold + program->writes; k < program->space.noperand; k++) {
    int64_t along = ma_magnitude(program->space.stride[k][axis]);
    for (int d = 0; d <= program->nkept; d++) {
      int64_t step = ma_magnitude(program->space.stride[k][d]);
      if (along && step && step < along && program->space.shape[d] > 1) return false;
    }
  }
  return true;
}
