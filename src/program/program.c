/* program.c: builds, checks, compares and prints programs. moonarray.h describes ma_program. */
#include "program/splice.h"

#include <stdio.h>

_Static_assert(sizeof(ma_instr) == 8,
               "an instruction is eight bytes without padding, because programs are compared as bytes");
_Static_assert(MA_NOP <= UINT16_MAX, "an opcode is two bytes");
_Static_assert(MA_MAX_REGS <= 255, "a register's number is a byte");

#define HEAD_SIZE offsetof(ma_program, code)

void ma_program_clear(ma_program *program) { memset(program, 0, HEAD_SIZE); }

int ma_program_input(ma_program *program, ma_dtype dtype) {
  program->input_dtype[program->ninput] = (uint8_t)dtype;
  return program->ninput++;
}

int ma_program_scalar(ma_program *program, ma_dtype dtype) {
  program->scalar_dtype[program->nscalar] = (uint8_t)dtype;
  return MA_REG_SCALAR + program->nscalar++;
}

int ma_program_add(ma_program *program, ma_instr instr) {
  return ma_code_add(program->code, &program->ncode, instr, true);
}

int ma_program_cast(ma_program *program, int reg, ma_dtype to) {
  ma_dtype from = ma_program_dtype(program, reg);
  ma_instr cast = ma_instr_cast(from, to);
  cast.arg[0] = (uint8_t)reg;
  return from == to ? reg : ma_program_add(program, cast);
}

int ma_program_emit(ma_program *program, ma_opcode op, ma_dtype loop, const int *args) {
  ma_instr instr = ma_instr_of(op, loop);
  for (int k = 0; k < ma_ops[op].nin; k++) instr.arg[k] = (uint8_t)args[k];
  return ma_program_add(program, instr);
}

void ma_program_output(ma_program *program, int reg) { program->output[program->noutput++] = (uint8_t)reg; }

size_t ma_program_key(const ma_program *program, uint8_t *bytes) {
  uint8_t *at = bytes;
  memcpy(at, program, 4); /* the four counts */
  at += 4;
  memcpy(at, program->output, program->noutput);
  at += program->noutput;
  memcpy(at, program->input_dtype, program->ninput);
  at += program->ninput;
  memcpy(at, program->scalar_dtype, program->nscalar);
  at += program->nscalar;
  memcpy(at, program->code, program->ncode * sizeof(ma_instr));
  at += program->ncode * sizeof(ma_instr);
  if (program->body) { /* there are no instructions */
    memcpy(at, &program->body, sizeof program->body);
    at += sizeof program->body;
    for (int k = 0; k < program->noutput; k++) *at++ = (uint8_t)program->code[k].result;
  }
  return (size_t)(at - bytes);
}

/* ==== Checking =================================================================================================== */

static bool is_defined(const ma_program *program, int reg, int ncode) {
  if (reg < MA_REG_SCALAR) return reg < program->ninput;
  if (reg < MA_REG_CODE) return reg - MA_REG_SCALAR < program->nscalar;
  return reg - MA_REG_CODE < ncode;
}

static ma_status check_instr(const ma_program *program, int k) {
  const ma_instr *instr = &program->code[k];
  if (instr->op >= MA_NOP || instr->dtype >= MA_NDTYPE || instr->result >= MA_NDTYPE)
    return ma_fail(MA_ERR_INTERNAL, "instruction %d: operation %d, dtypes %d and %d; one is unknown", k, instr->op,
                   instr->dtype, instr->result);
  const ma_op_info *info = &ma_ops[instr->op];
  bool cast = instr->op == MA_CAST;
  if (!cast && !info->body[ma_dtypes[instr->dtype].kind])
    return ma_fail(MA_ERR_INTERNAL, "instruction %d: %s has no loop for %s", k, info->name,
                   ma_dtypes[instr->dtype].name);
  if (!cast && instr->result != ma_sig_dtype((ma_sig)info->out, (ma_dtype)instr->dtype))
    return ma_fail(MA_ERR_INTERNAL, "instruction %d: %s gives another dtype than %s", k, info->name,
                   ma_dtypes[instr->result].name);
  for (int a = 0; a < info->nin; a++) {
    if (!is_defined(program, instr->arg[a], k))
      return ma_fail(MA_ERR_INTERNAL, "instruction %d: register %d is not defined yet", k, instr->arg[a]);
    ma_dtype wanted = cast ? (ma_dtype)instr->dtype : ma_sig_dtype((ma_sig)info->in[a], (ma_dtype)instr->dtype);
    if (ma_program_dtype(program, instr->arg[a]) != wanted)
      return ma_fail(MA_ERR_INTERNAL, "instruction %d: operand %d of %s is not %s", k, a, info->name,
                     ma_dtypes[wanted].name);
  }
  return MA_OK;
}

ma_status ma_program_check(const ma_program *program) {
  if (!ma_program_fits(program->ninput, program->nscalar, program->ncode) || program->noutput > MA_MAX_OUTPUTS)
    return ma_fail(MA_ERR_INTERNAL,
                   "a program of %d inputs, %d scalars, %d instructions and %d outputs; the most are %d, %d, %d and %d",
                   program->ninput, program->nscalar, program->ncode, program->noutput, MA_MAX_INPUTS, MA_MAX_SCALARS,
                   MA_MAX_CODE, MA_MAX_OUTPUTS);
  for (int k = 0; k < program->ncode; k++) MA_TRY(check_instr(program, k));
  for (int k = 0; k < program->noutput; k++)
    if (!is_defined(program, program->output[k], program->ncode))
      return ma_fail(MA_ERR_INTERNAL, "output %d: register %d is not defined", k, program->output[k]);
  return MA_OK;
}

/* ==== Printing =================================================================================================== */

static void print_reg(const ma_program *program, int reg, char text[16]) {
  if (reg < MA_REG_SCALAR) snprintf(text, 16, "a%d", reg);
  else if (reg < MA_REG_CODE) snprintf(text, 16, "s%d", reg - MA_REG_SCALAR);
  else snprintf(text, 16, "r%d", reg - MA_REG_CODE);
}

static void put(char **at, char *end, const char *head, const char *name, const char *tail) {
  int n = snprintf(*at, (size_t)(end - *at), "%s%s%s", head, name, tail);
  *at += n < end - *at ? n : end - *at - 1;
}

const char *ma_program_name(const ma_program *program) {
  return program->ncode ? ma_ops[program->code[program->ncode - 1].op].name : program->ninput ? "copy" : "fill";
}

void ma_program_print(const ma_program *program, char *text, size_t size) {
  char reg[16], *at = text, *end = text + size;
  *text = '\0';
  for (int k = 0; k < program->ninput + program->nscalar; k++) {
    int r = k < program->ninput ? k : MA_REG_SCALAR + k - program->ninput;
    print_reg(program, r, reg);
    put(&at, end, k ? ", " : "", reg, ": ");
    put(&at, end, "", ma_dtypes[ma_program_dtype(program, r)].name, "");
  }
  put(&at, end, "", "", "\n");
  for (int k = 0; k < program->ncode; k++) {
    const ma_instr *instr = &program->code[k];
    print_reg(program, MA_REG_CODE + k, reg);
    put(&at, end, "  ", reg, " = ");
    put(&at, end, "", ma_ops[instr->op].name, ".");
    put(&at, end, "", ma_dtypes[instr->dtype].name, instr->op == MA_CAST ? "." : "");
    if (instr->op == MA_CAST) put(&at, end, "", ma_dtypes[instr->result].name, "");
    for (int a = 0; a < ma_ops[instr->op].nin; a++) {
      print_reg(program, instr->arg[a], reg);
      put(&at, end, a ? ", " : " ", reg, "");
    }
    put(&at, end, "", "", "\n");
  }
  for (int k = 0; k < program->noutput; k++) {
    print_reg(program, program->output[k], reg);
    put(&at, end, k ? ", " : "  return ", reg, "");
  }
  put(&at, end, "", "", "\n");
}

ma_status ma_program_cast_results(const ma_program *program, ma_array *const *result, ma_program *cast,
                                  const ma_program **chosen) {
  *chosen = program;
  for (int k = 0; k < program->noutput; k++) {
    ma_dtype computed = ma_program_dtype(program, program->output[k]), wanted = (ma_dtype)result[k]->dtype;
    if (!result[k]->buffer || computed == wanted) continue;
    if (!ma_dtype_can_cast(computed, wanted, true))
      return ma_fail(MA_ERR_TYPE, "result %d of dtype %s; out of dtype %s cannot take it by same_kind casting", k + 1,
                     ma_dtypes[computed].name, ma_dtypes[wanted].name);
    if (*chosen == program) ma_program_clone(cast, program);
    cast->notes = NULL;
    *chosen = cast;
    if (program->body) { /* it converts what its text gives (print.c) */
      cast->code[k].result = (uint8_t)wanted;
      continue;
    }
    int reg = ma_program_cast(cast, cast->output[k], wanted);
    if (reg < 0)
      return ma_fail(MA_ERR_VALUE, "%d instructions and a cast to out's dtype %s; at most %d", MA_MAX_CODE,
                     ma_dtypes[wanted].name, MA_MAX_CODE);
    cast->output[k] = (uint8_t)reg;
  }
  return MA_OK;
}
