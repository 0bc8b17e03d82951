/* splice.c: takes one program into another: renumbers its registers, and reuses equal terms. */
#include "program/splice.h"

/* A draw that is taken in again gets its key and its number from the scalars of the first time, so that it is the same
** instruction: the places belong to one draw. Sets reg[] for these scalars; else it stays MA_MAX_REGS. */
static __attribute__((noinline)) void find_draws(const ma_bound *to, int ncode, const ma_instr *code, uint8_t *reg) {
  for (int k = 0; k < ncode; k++)
    for (int j = 0; j < to->ncode && ma_op_draws(code[k].op); j++) {
      const ma_instr *own = &code[k], *known = &to->code[j];
      if (known->op != own->op || known->dtype != own->dtype || known->arg[0] != reg[own->arg[0]]) continue;
      for (int a = 1; a < ma_ops[own->op].nin; a++)
        if (own->arg[a] >= MA_REG_SCALAR && own->arg[a] < MA_REG_CODE) reg[own->arg[a]] = known->arg[a];
    }
}

static inline bool draws(int ncode, const ma_instr *code) {
  bool any = false;
  for (int k = 0; k < ncode; k++) any |= ma_op_draws(code[k].op);
  return any;
}

bool ma_splice_code(ma_bound *to, int nscalar, const uint8_t *scalar_dtype, const ma_value *scalar, int ncode,
                    const ma_instr *code, uint8_t *reg, bool grow) {
  bool known = to->ncode > 0 && nscalar > 1 && __builtin_expect(draws(ncode, code), 0);
  for (int k = 0; k < nscalar; k++) reg[MA_REG_SCALAR + k] = MA_MAX_REGS;
  if (known) find_draws(to, ncode, code, reg);
  for (int k = 0; k < nscalar; k++) {
    if (reg[MA_REG_SCALAR + k] != MA_MAX_REGS) continue;
    int r = ma_bound_scalar(to, scalar_dtype[k], scalar[k], grow);
    if (r < 0) return false;
    reg[MA_REG_SCALAR + k] = (uint8_t)r;
  }
  for (int k = 0; k < ncode; k++) {
    int r = ma_code_add(to->code, &to->ncode, ma_instr_renamed(&code[k], reg), grow);
    if (r < 0) return false;
    reg[MA_REG_CODE + k] = (uint8_t)r;
  }
  return true;
}

/* Copies a program into an empty one, where registers keep their numbers. */
static inline void copy(ma_bound *to, const ma_bound *from, uint8_t *reg) {
  int ninput = from->ninput, nscalar = from->nscalar, ncode = from->ncode, nstep = ninput * from->ndim;
  ma_reading *reading = to->reading;
  const ma_reading *other = from->reading;
  int64_t *step = to->step;
  const int64_t *other_step = from->step;
  ma_instr *code = to->code;
  const ma_instr *other_code = from->code;
  memcpy(to->input_dtype, from->input_dtype, sizeof to->input_dtype);
  memcpy(to->scalar_dtype, from->scalar_dtype, sizeof to->scalar_dtype);
  for (int k = 0; k < ninput; k++) {
    reading[k].buffer = other[k].buffer;
    reading[k].offset = other[k].offset;
    reg[k] = (uint8_t)k;
  }
  for (int k = 0; k < nstep; k++) step[k] = other_step[k];
  for (int k = 0; k < nscalar; k++) {
    to->scalar[k] = from->scalar[k];
    reg[MA_REG_SCALAR + k] = (uint8_t)(MA_REG_SCALAR + k);
  }
  for (int k = 0; k < ncode; k++) {
    code[k] = other_code[k];
    reg[MA_REG_CODE + k] = (uint8_t)(MA_REG_CODE + k);
  }
  to->ninput = (uint8_t)ninput;
  to->nscalar = (uint8_t)nscalar;
  to->ncode = (uint8_t)ncode;
}

bool ma_splice(ma_bound *to, const ma_bound *from, uint8_t *reg, bool grow) {
  if (grow && to->ninput + to->nscalar + to->ncode == 0 && to->merges == from->merges) {
    copy(to, from, reg);
    return true;
  }
  for (int k = 0; k < from->ninput; k++) {
    const ma_reading *reading = &from->reading[k];
    int r = ma_bound_input(to, reading->buffer, reading->offset, from->input_dtype[k], from->step + k * from->ndim,
                           grow);
    if (r < 0) return false;
    reg[k] = (uint8_t)r;
  }
  return ma_splice_code(to, from->nscalar, from->scalar_dtype, from->scalar, from->ncode, from->code, reg, grow);
}

void ma_bound_program(const ma_bound *bound, ma_program *program) {
  program->ninput = bound->ninput;
  program->nscalar = bound->nscalar;
  program->ncode = bound->ncode;
  memcpy(program->input_dtype, bound->input_dtype, sizeof program->input_dtype);
  memcpy(program->scalar_dtype, bound->scalar_dtype, sizeof program->scalar_dtype);
  memmove(program->code, bound->code, bound->ncode * sizeof *bound->code);
}
