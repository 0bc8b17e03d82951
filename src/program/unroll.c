/* unroll.c: a reduction of a few elements as an elementwise program. */
#include "program/unroll.h"
#include "program/splice.h"

static bool find_op(const ma_reduction *r, ma_dtype value, ma_opcode *op, ma_dtype *wide) {
  ma_kind kind = ma_dtypes[value].kind;
  *op = (ma_opcode)ma_reduces[r->op == MA_REDUCE_mean ? MA_REDUCE_sum : r->op].op;
  *wide = kind == MA_KIND_FLOAT ? MA_FLOAT64 : kind == MA_KIND_COMPLEX ? MA_COMPLEX128 : value;
  if (kind == MA_KIND_COMPLEX) return r->op == MA_REDUCE_sum;
  if (r->op == MA_REDUCE_mean) return kind == MA_KIND_FLOAT;
  return (r->op == MA_REDUCE_sum || r->op == MA_REDUCE_prod) &&
         (kind == MA_KIND_FLOAT || value == MA_INT64 || value == MA_UINT64);
}

static int combine(ma_program *program, ma_opcode op, ma_dtype loop, int x, int y) {
  const int pair[] = { x, y };
  return ma_program_emit(program, op, loop, pair);
}

/* Lets operand k of the map have the kept axes of operand `from` of the reduction. */
static void place(const ma_reduction *r, ma_map *map, int k, int from, int64_t offset) {
  for (int d = 0; d < r->nkept; d++) map->space.stride[k][d] = r->space.stride[from][d];
  map->data[k] = (char *)r->data[from] + offset;
}

/* Adds the program of element e, and returns the register of its value. What does not change along the axis is added
** once. */
static int add_element(const ma_reduction *r, ma_program *program, ma_map *map, int64_t e, uint8_t *reg) {
  const ma_program *p = r->program;
  for (int k = 0; k < p->ninput; k++) {
    int64_t step = r->space.stride[k + 1][r->nkept];
    if (e > 0 && step == 0) continue;
    place(r, map, program->ninput + 1, k + 1, e * step);
    reg[k] = (uint8_t)ma_program_input(program, (ma_dtype)p->input_dtype[k]);
  }
  for (int k = 0; k < p->ncode; k++)
    reg[MA_REG_CODE + k] = (uint8_t)ma_program_add(program, ma_instr_renamed(&p->code[k], reg));
  return reg[p->output[0]];
}

bool ma_reduction_unroll(const ma_reduction *r, ma_program *program, ma_map *map) {
  const ma_program *p = r->program;
  const int n = (int)r->count;
  uint8_t reg[MA_MAX_REGS];
  int term[MA_MAX_INPUTS];
  int64_t flip[MA_MAX_OPERANDS];
  ma_opcode op;
  ma_dtype wide;
  if (p->body || p->noutput != 1 || r->has_initial || r->starts || r->result == MA_NDTYPE) return false;
  if (r->space.ndim != r->nkept + 1 || r->count < 2 || r->count > MA_MAX_INPUTS) return false;
  if (!ma_program_fits(p->ninput * n, p->nscalar + 1, (p->ncode + 2) * n + 2)) return false;
  if (!find_op(r, ma_program_dtype(p, p->output[0]), &op, &wide)) return false;
  ma_program_clear(program);
  map->program = program;
  map->space.ndim = r->nkept;
  memcpy(map->space.shape, r->space.shape, (size_t)r->nkept * sizeof *map->space.shape);
  place(r, map, 0, 0, 0);
  for (int k = 0; k < p->nscalar; k++) {
    reg[MA_REG_SCALAR + k] = (uint8_t)ma_program_scalar(program, (ma_dtype)p->scalar_dtype[k]);
    map->scalar[k] = r->scalar[k];
  }
  for (int e = 0; e < n; e++) term[e] = ma_program_cast(program, add_element(r, program, map, e, reg), wide);
  for (int step = 1; step < n; step *= 2)
    for (int e = 0; e + step < n; e += 2 * step) term[e] = combine(program, op, wide, term[e], term[e + step]);
  if (r->op == MA_REDUCE_mean) {
    map->scalar[program->nscalar] = (ma_value){ .c = { (double)n, 0 } };
    term[0] = combine(program, MA_DO_quotient, wide, term[0], ma_program_scalar(program, wide));
  }
  ma_program_output(program, ma_program_cast(program, term[0], r->result));
  map->space.noperand = program->ninput + 1;
  ma_space_collapse(&map->space, true, flip);
  for (int k = 0; k < map->space.noperand; k++) map->data[k] = (char *)map->data[k] + flip[k];
  return true;
}
