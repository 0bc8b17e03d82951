/* halves.c: programs over 16-bit floats that change at most the sign, as integers of their bits: nothing is converted
** or rounded, and a copy stays a copy. Without it negative and abs take 2.1 times as long at 20,000 elements, and 2.7
** times at a million (float16, one thread, AVX-512). */
#include "cpu/map/ready.h"

#include <stddef.h>
#include <string.h>

static bool is_half(int dtype) { return dtype == MA_FLOAT16 || dtype == MA_BFLOAT16; }

/* Whether an instruction's result follows from the bits alone. */
static bool has_form(const ma_instr *instr) {
  uint16_t mask;
  return is_half(instr->dtype) &&
         (ma_op_is_move(instr->op, instr->dtype) || ma_op_of_bits(instr->op, &mask) != MA_CAST);
}

bool ma_cpu_has_halves(const ma_program *program) {
  bool halves = false;
  for (int j = 0; j < program->ninput; j++) {
    halves |= is_half(program->input_dtype[j]);
    if (!is_half(program->input_dtype[j]) && program->input_dtype[j] != MA_BOOL) return false;
  }
  for (int k = 0; k < program->ncode; k++)
    if (!has_form(&program->code[k])) return false;
  return halves && !program->body;
}

/* The number of a scalar of this value, or -1 if there are too many. */
static int constant(ma_program *program, ma_map *map, uint16_t value) {
  int j = program->nscalar;
  if (j == MA_MAX_SCALARS) return -1;
  program->scalar_dtype[j] = MA_UINT16;
  map->scalar[j] = (ma_value){ .u = value };
  program->nscalar++;
  return MA_REG_SCALAR + j;
}

static bool translate(ma_program *bits, ma_map *map, const ma_program *program) {
  uint8_t now[MA_MAX_REGS]; /* where a register's bits are */
  for (int r = 0; r < MA_REG_CODE; r++) now[r] = (uint8_t)r;
  for (int k = 0; k < program->ncode; k++) {
    const ma_instr *instr = &program->code[k];
    uint16_t mask;
    ma_opcode op = ma_op_of_bits(instr->op, &mask);
    now[MA_REG_CODE + k] = now[instr->arg[0]];
    if (op == MA_CAST) continue;
    ma_instr *to = &bits->code[bits->ncode];
    *to = (ma_instr){ .op = (uint16_t)op, .dtype = MA_UINT16, .result = MA_UINT16 };
    for (int i = 0; i < ma_ops[instr->op].nin; i++) to->arg[i] = now[instr->arg[i]];
    if (mask) {
      int j = constant(bits, map, mask);
      if (j < 0) return false;
      to->arg[1] = (uint8_t)j;
    }
    now[MA_REG_CODE + k] = (uint8_t)(MA_REG_CODE + bits->ncode++);
  }
  for (int j = 0; j < bits->noutput; j++) bits->output[j] = now[program->output[j]];
  return true;
}

bool ma_cpu_halves(const ma_map *map, ma_map *as_bits, ma_program *bits) {
  const ma_program *program = map->program;
  memcpy(bits, program, offsetof(ma_program, code));
  ma_space_copy(&as_bits->space, &map->space);
  memcpy(as_bits->data, map->data, (size_t)map->space.noperand * sizeof *map->data);
  memcpy(as_bits->scalar, map->scalar, program->nscalar * sizeof *map->scalar);
  as_bits->program = bits;
  bits->notes = NULL;
  bits->ncode = 0;
  for (int j = 0; j < bits->ninput; j++)
    if (is_half(bits->input_dtype[j])) bits->input_dtype[j] = MA_UINT16;
  for (int j = 0; j < bits->nscalar; j++) {
    uint16_t u = 0;
    if (!is_half(bits->scalar_dtype[j])) continue;
    ma_value_store(&u, (ma_dtype)bits->scalar_dtype[j], map->scalar[j]);
    bits->scalar_dtype[j] = MA_UINT16;
    as_bits->scalar[j] = (ma_value){ .u = u };
  }
  return translate(bits, as_bits, program);
}
