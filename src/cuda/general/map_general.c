/*
** map_general.c: the general form of elementwise kernels: one operation, with casts before and behind it. Its text
** depends on the operation and its loop dtype alone. What else differs between exact forms is a parameter of the
** launch: dtypes and strides of operands, the number of axes, which operands are scalars. It serves where the exact
** form is compiled nowhere, and gives the same bits.
*/
#include "cuda/general/general.h"
#include "cuda/kernels/map.h"

#include <string.h>

#define BLOCK 256

/* ==== The operation of a program ==== */

typedef struct single {
  uint16_t op;               /* MA_COPY if there are casts alone */
  uint8_t loop;              /* the dtype in which it computes */
  uint8_t reg[MA_MAX_ARITY]; /* inputs and scalars of the program, which are its operands */
} single;

/* The input or scalar behind a register, with or without a cast; -1: it is computed. */
static int behind(const ma_program *p, int reg) {
  if (reg >= MA_REG_CODE && p->code[reg - MA_REG_CODE].op == MA_CAST) reg = p->code[reg - MA_REG_CODE].arg[0];
  return reg < MA_REG_CODE && ma_general_has(ma_program_dtype(p, reg)) ? reg : -1;
}

/* Whether the program is one operation, and which. */
static bool find_single(const ma_program *p, single *s) {
  if (p->body || p->noutput != 1 || !ma_general_has(ma_program_dtype(p, p->output[0]))) return false;
  int reg = p->output[0], k = reg - MA_REG_CODE;
  if (k >= 0 && p->code[k].op == MA_CAST && p->code[k].arg[0] >= MA_REG_CODE) reg = p->code[k].arg[0];
  *s = (single){ .op = MA_COPY, .loop = (uint8_t)ma_program_dtype(p, reg) };
  bool computes = reg >= MA_REG_CODE && p->code[reg - MA_REG_CODE].op != MA_CAST;
  if (computes) {
    const ma_instr *i = &p->code[reg - MA_REG_CODE];
    s->op = i->op;
    s->loop = i->dtype;
    if (ma_op_draws(s->op)) return false;
  }
  for (int a = 0; a < ma_ops[s->op].nin; a++) {
    int from = behind(p, computes ? p->code[reg - MA_REG_CODE].arg[a] : reg);
    if (from < 0 || !ma_general_has(ma_sig_dtype((ma_sig)ma_ops[s->op].in[a], (ma_dtype)s->loop))) return false;
    s->reg[a] = (uint8_t)from;
  }
  return ma_general_has((ma_dtype)s->loop) &&
         ma_general_has(ma_sig_dtype((ma_sig)ma_ops[s->op].out, (ma_dtype)s->loop));
}

/* ==== The text ==== */

static ma_dtype operand_dtype(const single *s, int a) {
  return ma_sig_dtype((ma_sig)ma_ops[s->op].in[a], (ma_dtype)s->loop);
}

static void print_general(ma_ctext *text, const void *what) {
  const single *s = what;
  ma_program p;
  int arg[MA_MAX_ARITY];
  ma_program_clear(&p);
  for (int a = 0; a < ma_ops[s->op].nin; a++) arg[a] = ma_program_input(&p, operand_dtype(s, a));
  ma_program_output(&p, s->op == MA_COPY ? arg[0] : ma_program_emit(&p, (ma_opcode)s->op, (ma_dtype)s->loop, arg));
  ma_print_program(text, &p);
  uint32_t registers = 0;
  for (int k = 0; k < p.noutput + p.ninput; k++) registers |= 1u << ma_map_operand_dtype(&p, k);
  ma_general_print(text, registers, false);
  ma_ctext_add(text, "#define MAP_BLOCK %d\n#define MAP_INPUTS(X)", BLOCK);
  for (int k = 0; k < p.ninput; k++) ma_ctext_add(text, " X(%d, %s)", k, ma_cuda_suffix((ma_dtype)p.input_dtype[k]));
  ma_ctext_add(text, "\n#define MAP_RESULT %s\n", ma_cuda_suffix(ma_program_dtype(&p, p.output[0])));
  ma_ctext_put(text, ma_embedded("map_general.cuh"));
}

static const ma_cuda_family family = { "map_general", { "map" }, print_general, NULL };

/* ==== The launch ==== */

/* The structs of map_general.cuh. */
typedef struct operand {
  char *p;
  uint64_t bits;
  int32_t dtype, stride[MA_MAX_NDIM];
} operand;

typedef struct params {
  uint32_t n, naxis;
  ma_cuda_divisor extent[MA_MAX_NDIM];
  operand operand[1 + MA_MAX_ARITY]; /* the result, then the inputs */
} params;

static void set_operand(operand *to, const ma_map_part *part, int k) {
  to->p = part->data[k];
  to->dtype = (int32_t)ma_map_operand_dtype(part->map->program, k);
  for (int d = 0; d < part->space->ndim; d++) to->stride[d] = (int32_t)part->space->stride[k][d];
}

static void set_params(params *to, const ma_map_part *part, const single *s) {
  const ma_program *program = part->map->program;
  memset(to, 0, sizeof *to);
  to->n = 1;
  to->naxis = (uint32_t)part->space->ndim;
  for (int d = 0; d < part->space->ndim; d++) {
    to->n *= (uint32_t)part->space->shape[d];
    to->extent[d] = ma_cuda_divide((uint32_t)part->space->shape[d]);
  }
  set_operand(&to->operand[0], part, 0);
  for (int a = 0; a < ma_ops[s->op].nin; a++) {
    int reg = s->reg[a];
    operand *o = &to->operand[1 + a];
    if (reg < MA_REG_SCALAR) set_operand(o, part, program->noutput + reg);
    else {
      ma_value value = part->map->scalar[reg - MA_REG_SCALAR];
      ma_dtype wanted = operand_dtype(s, a);
      ma_value_store(&o->bits, wanted, ma_value_cast(value, ma_program_dtype(program, reg), wanted));
    }
  }
}

ma_status ma_map_run_general(ma_stream *stream, const ma_map_part *part, bool *taken) {
  const CUfunction *function = NULL;
  single s;
  params params;
  *taken = false;
  if (!find_single(part->map->program, &s)) return MA_OK;
  MA_TRY(ma_cuda_kernel_general(ma_cuda_state(stream), &family, &s, offsetof(single, reg), &s, &function));
  if (!function) return MA_OK;
  *taken = true;
  if (part->checks) return MA_OK;
  set_params(&params, part, &s);
  void *list[] = { &params };
  return ma_cuda_launch(stream, *function, (params.n + BLOCK - 1) / BLOCK, BLOCK, 0, list,
                        ma_program_name(part->map->program), ma_cuda_times() ? ma_map_bytes(part) : 0);
}
