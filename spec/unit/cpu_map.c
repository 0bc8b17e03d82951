/*
** cpu_map.c: random programs over random layouts through ma_cpu_map, against the same programs run element by element.
** The two share the loops and nothing else: blocks, tails, tiles, gathers, register places and results written in place
** are on trial.
*/
#include "ops/ops.h"
#include "cpu/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;
static int below(int n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (int)((seed >> 33) % (uint64_t)n);
}

#define NTYPE 9
static const ma_dtype types[NTYPE] = { MA_BOOL,     MA_INT8,    MA_INT32,   MA_UINT16,    MA_FLOAT16,
                                       MA_BFLOAT16, MA_FLOAT32, MA_FLOAT64, MA_COMPLEX128 };

/* An operand: its elements in C order and an array somewhere in memory that holds them. */
typedef struct operand {
  ma_dtype dtype;
  char *values, *memory;
  size_t room;
  char *first;
  int64_t stride[MA_MAX_NDIM];
} operand;

static int ndim;
static int64_t shape[MA_MAX_NDIM], size;

static void choose_shape(void) {
  static const int extents[] = { 1, 2, 3, 5, 8, 15, 16, 17, 31, 64, 100, 250, 1024, 1025, 2500 };
  ndim = 1 + below(4);
  size = 1;
  for (int d = 0; d < ndim; d++) {
    shape[d] = extents[below(sizeof extents / sizeof *extents)];
    while (size * shape[d] > 120000) shape[d] = (shape[d] + 1) / 2;
    size *= shape[d];
  }
}

/* Contiguous, with axes in any order, with gaps, backwards, or (inputs) broadcast along some axes; sometimes at an odd
** address. */
static void choose_layout(operand *o, ma_dtype dtype, bool input) {
  int item = ma_dtypes[dtype].itemsize, order[MA_MAX_NDIM], odd = below(4) == 0 ? 1 : 0;
  int64_t step = item * (below(4) == 0 ? 2 : 1), low = 0, high = 0;
  o->dtype = dtype;
  for (int d = 0; d < ndim; d++) order[d] = d;
  if (below(3) == 0)
    for (int d = ndim - 1; d > 0; d--) {
      int e = below(d + 1), swap = order[d];
      order[d] = order[e];
      order[e] = swap;
    }
  for (int k = ndim - 1; k >= 0; k--) {
    int d = order[k];
    o->stride[d] = input && below(5) == 0 ? 0 : below(6) == 0 ? -step : step;
    *(o->stride[d] < 0 ? &low : &high) += o->stride[d] * (shape[d] - 1);
    step *= shape[d] + (below(5) == 0 ? 3 : 0);
  }
  o->room = (size_t)(high - low + item + odd);
  o->memory = malloc(o->room);
  memset(o->memory, 0xa5, o->room);
  o->first = o->memory + odd - low;
  o->values = malloc((size_t)(size * item));
}

static char *element(const operand *o, int64_t at) {
  char *address = o->first;
  for (int d = ndim - 1; d >= 0; d--) {
    address += at % shape[d] * o->stride[d];
    at /= shape[d];
  }
  return address;
}

static void fill(operand *o) {
  int item = ma_dtypes[o->dtype].itemsize;
  ma_kind kind = ma_dtypes[o->dtype].kind;
  for (int64_t i = 0; i < size; i++) {
    ma_value value = { .c = { 0, 0 } };
    int v = below(kind == MA_KIND_BOOL ? 2 : 19) - (kind == MA_KIND_SIGNED || kind >= MA_KIND_FLOAT ? 9 : 0);
    if (kind == MA_KIND_BOOL || kind == MA_KIND_UNSIGNED) value.u = (uint64_t)v;
    else if (kind == MA_KIND_SIGNED) value.i = v;
    else value.c = (ma_c128){ v * 0.25, kind == MA_KIND_COMPLEX ? 1 - v : 0 };
    ma_c128 aligned;
    ma_value_store(&aligned, o->dtype, value);
    memcpy(element(o, i), &aligned, (size_t)item);
  }
  /* broadcasts have settled */
  for (int64_t i = 0; i < size; i++) memcpy(o->values + i * item, element(o, i), (size_t)item);
}

/* The program for element `at`, one loop of a whole lane for each instruction. */
static void run_one(const ma_program *program, const ma_value *scalar, const operand *input, int64_t at,
                    char (*result)[16]) {
  static _Alignas(MA_ALIGN) char reg[MA_MAX_REGS][16 * MA_LANE], memory[16 * MA_LANE];
  for (int r = 0; r < MA_REG_CODE; r++) {
    bool scalars = r >= MA_REG_SCALAR;
    if (scalars ? r - MA_REG_SCALAR >= program->nscalar : r >= program->ninput) continue;
    ma_dtype dtype = ma_program_dtype(program, r);
    int item = ma_dtypes[dtype].itemsize;
    memset(memory, 0, sizeof memory);
    if (scalars) ma_value_store(memory, dtype, scalar[r - MA_REG_SCALAR]);
    else memcpy(memory, input[r].values + at * item, (size_t)item);
    if (ma_cpu_load(dtype) != NULL) ma_cpu_load(dtype)(reg[r], memory, NULL, NULL, NULL, MA_LANE);
    else memcpy(reg[r], memory, sizeof memory);
  }
  for (int k = 0; k < program->ncode; k++) {
    const ma_instr *code = &program->code[k];
    ma_loop *loop = code->op == MA_OP_cast ? ma_cpu_cast((ma_dtype)code->dtype, (ma_dtype)code->result)
                                           : ma_cpu_loop((ma_opcode)code->op, (ma_dtype)code->dtype);
    char *r = reg[MA_REG_CODE + k];
    loop(r, reg[code->arg[0]], reg[code->arg[1]], reg[code->arg[2]], reg[code->arg[3]], MA_LANE);
    if (ma_cpu_round((ma_dtype)code->result) != NULL)
      ma_cpu_round((ma_dtype)code->result)(r, r, NULL, NULL, NULL, MA_LANE);
  }
  for (int j = 0; j < program->noutput; j++) {
    ma_dtype dtype = ma_program_dtype(program, program->output[j]);
    if (ma_cpu_store(dtype) != NULL) ma_cpu_store(dtype)(memory, reg[program->output[j]], NULL, NULL, NULL, MA_LANE);
    else memcpy(memory, reg[program->output[j]], sizeof memory);
    memcpy(result[j], memory, ma_dtypes[dtype].itemsize);
  }
}

static void choose_program(ma_program *program, ma_value *scalar) {
  static const ma_opcode ops[] = { MA_OP_add,  MA_OP_multiply, MA_OP_maximum,  MA_OP_equal,
                                   MA_OP_copy, MA_OP_where,    MA_OP_absolute, MA_OP_cast };
  int regs[MA_MAX_REGS], nreg = 0, ncode = below(9);
  ma_dtype dtype = types[below(NTYPE)];
  ma_program_clear(program);
  for (int k = 1 + below(3); k > 0; k--)
    regs[nreg++] = ma_program_input(program, below(4) == 0 ? types[below(NTYPE)] : dtype);
  if (below(2)) {
    scalar[0] = ma_dtypes[dtype].kind < MA_KIND_FLOAT ? (ma_value){ .u = 1 } : (ma_value){ .c = { 1.5, 0 } };
    regs[nreg++] = ma_program_scalar(program, dtype);
  }
  while (program->ncode < ncode) {
    ma_opcode op = ops[below(sizeof ops / sizeof *ops)];
    int x = regs[below(nreg)], args[MA_MAX_ARITY] = { 0 };
    ma_dtype loop = ma_program_dtype(program, x);
    if (op == MA_OP_cast) {
      int r = ma_program_cast(program, x, types[below(NTYPE)]);
      if (r != x) regs[nreg++] = r;
      continue;
    }
    for (int k = 0; k < ma_ops[op].nin; k++)
      args[k] = ma_program_cast(program, k == 0 && op != MA_OP_where ? x : regs[below(nreg)],
                                ma_sig_dtype((ma_sig)ma_ops[op].in[k], loop));
    regs[nreg++] = ma_program_emit(program, op, loop, args);
  }
  for (int k = 1 + below(3); k > 0; k--) ma_program_output(program, k == 1 ? regs[nreg - 1] : regs[below(nreg)]);
}

static bool try_once(void) {
  static char expected[MA_MAX_OUTPUTS][16];
  ma_program program;
  ma_value scalar[MA_MAX_SCALARS];
  operand input[MA_MAX_INPUTS], output[MA_MAX_OUTPUTS];
  ma_map map = { .program = &program };
  bool right = true;
  choose_shape();
  choose_program(&program, scalar);
  memcpy(map.scalar, scalar, sizeof scalar);
  for (int j = 0; j < program.ninput; j++) {
    choose_layout(&input[j], (ma_dtype)program.input_dtype[j], true);
    fill(&input[j]);
  }
  /* An output may be an input's own memory, element for element. */
  int owner[MA_MAX_OUTPUTS];
  for (int j = 0; j < program.noutput; j++) {
    ma_dtype dtype = ma_program_dtype(&program, program.output[j]);
    owner[j] = -1;
    int k = below(program.ninput);
    bool taken = input[k].dtype != dtype || below(2);
    for (int i = 0; i < j; i++) taken |= owner[i] == k;
    for (int d = 0; d < ndim; d++) taken |= input[k].stride[d] == 0 && shape[d] > 1;
    if (!taken) {
      owner[j] = k;
      output[j] = input[k];
    } else choose_layout(&output[j], dtype, false);
  }
  map.space.ndim = ndim;
  map.space.noperand = program.noutput + program.ninput;
  memcpy(map.space.shape, shape, sizeof shape);
  for (int k = 0; k < map.space.noperand; k++) {
    const operand *o = k < program.noutput ? &output[k] : &input[k - program.noutput];
    map.data[k] = o->first;
    memcpy(map.space.stride[k], o->stride, sizeof o->stride);
  }
  if (ma_cpu_map(NULL, &map) != MA_OK) right = false;
  for (int64_t i = 0; i < size && right; i += 1 + below(size > 5000 ? 40 : 3)) {
    run_one(&program, scalar, input, i, expected);
    for (int j = 0; j < program.noutput; j++)
      right &= memcmp(expected[j], element(&output[j], i), ma_dtypes[output[j].dtype].itemsize) == 0;
  }
  for (int j = 0; j < program.noutput; j++)
    if (owner[j] < 0) {
      free(output[j].memory);
      free(output[j].values);
    }
  for (int j = 0; j < program.ninput; j++) {
    free(input[j].memory);
    free(input[j].values);
  }
  return right;
}

int main(int argc, char **argv) {
  int passed = 0, failed = 0, count = argc > 2 ? atoi(argv[2]) : 500;
  uint64_t start = argc > 1 ? strtoull(argv[1], NULL, 10) : 20;
  for (int k = 0; k < count; k++) {
    seed = start + (uint64_t)k;
    if (try_once()) passed++;
    else {
      failed++;
      printf("seed %llu: differs\n", (unsigned long long)(start + (uint64_t)k));
    }
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
