/* program.h: building, checking and printing programs; the table of reductions. */
#ifndef MOONARRAY_PROGRAM_PROGRAM_H
#define MOONARRAY_PROGRAM_PROGRAM_H

#include "array/array.h"
#include "program/op.h"

#include <stddef.h>
#include <string.h>

#pragma GCC visibility push(hidden)

/* ==== program.c: building and printing ============================================================================ */

void ma_program_clear(ma_program *program);
int ma_program_input(ma_program *program, ma_dtype dtype); /* returns the register */
int ma_program_scalar(ma_program *program, ma_dtype dtype);
/* Adds an instruction whose operands exist, or finds an equal one; returns its register. -1: there is no room. */
int ma_program_add(ma_program *program, ma_instr instr);
int ma_program_cast(ma_program *program, int reg, ma_dtype to); /* the register itself if it has that dtype */
/* Adds an operation. The args must have the dtypes of its signature. */
int ma_program_emit(ma_program *program, ma_opcode op, ma_dtype loop, const int *args);
void ma_program_output(ma_program *program, int reg);
static inline ma_dtype ma_program_dtype(const ma_program *program, int reg) {
  if (reg >= MA_REG_CODE) return (ma_dtype)program->code[reg - MA_REG_CODE].result;
  return (ma_dtype)(reg < MA_REG_SCALAR ? program->input_dtype[reg] : program->scalar_dtype[reg - MA_REG_SCALAR]);
}
/* Draws: where the addresses of places begin, which no memory has. */
#define MA_PLACES ((uintptr_t)1 << 60)
/* The inputs that are places, by bit. */
static inline uint32_t ma_program_places(const ma_program *program) {
  uint32_t found = 0;
  for (int k = 0; k < program->ncode; k++)
    if (ma_op_draws(program->code[k].op)) found |= UINT32_C(1) << program->code[k].arg[0];
  return found;
}
/* The place that an address stands for, and those of its steps. */
static inline int64_t ma_place_at(const void *address, int itemsize) {
  return (int64_t)((uintptr_t)address - MA_PLACES) / itemsize;
}
/* The bytes of a program that mean something, and a copy of them. */
static inline size_t ma_program_bytes(const ma_program *program) {
  int n = program->body ? program->noutput : program->ncode;
  return offsetof(ma_program, code) + (size_t)n * sizeof *program->code;
}
static inline void ma_program_clone(ma_program *to, const ma_program *from) {
  memcpy(to, from, ma_program_bytes(from));
}
/* Writes canonical bytes for comparing and hashing, at most sizeof(ma_program). Returns their number. */
size_t ma_program_key(const ma_program *program, uint8_t *bytes);
ma_status ma_program_check(const ma_program *program); /* checks registers, dtypes and bounds */
/* Given results (with a buffer) may have another dtype than the program computes: `chosen` is then `cast`, the program
** with casts at its end. */
ma_status ma_program_cast_results(const ma_program *program, ma_array *const *result, ma_program *cast,
                                  const ma_program **chosen);
const char *ma_program_name(const ma_program *program); /* of its last operation */
void ma_program_print(const ma_program *program, char *text, size_t size);

/* ==== reductions.c: the table of reductions ======================================================================= */

#define MA_REDF_EMPTY 1 /* flags; kernels/reduce/reduce.def explains them */
#define MA_REDF_TRUTH 2
#define MA_REDF_POSITION 4
#define MA_REDF_SCAN 8
#define MA_REDF_INTEGER 16
#define MA_REDF_FLOAT 32
#define MA_REDF_INITIAL 64

typedef enum ma_reduce_result {
  MA_RESULT_SAME,
  MA_RESULT_SUM,
  MA_RESULT_MEAN,
  MA_RESULT_REAL,
  MA_RESULT_BOOL,
  MA_RESULT_INT64
} ma_reduce_result;

typedef struct ma_reduce_info {
  const char *name;
  const char *monoid; /* its name in kernels/reduce/reduce.h */
  const char *doc;
  uint8_t result; /* ma_reduce_result */
  uint8_t flags;  /* MA_REDF_... */
  uint16_t op;    /* ma_opcode, or MA_OP_NONE */
  double empty;   /* value of an empty axis */
} ma_reduce_info;
extern const ma_reduce_info ma_reduces[MA_NREDUCE];

ma_dtype ma_reduce_dtype(ma_reduce_op op, ma_dtype from); /* NumPy's result dtype */
/* Finds the reduction that folds with a binary operation. */
bool ma_reduce_of_op(ma_opcode op, ma_reduce_op *reduce);

/* ==== Arguments of operations ===================================================================================== */

/* One argument of an operation: an array, or a scalar. */
typedef struct ma_arg {
  const ma_array *array; /* NULL: a scalar */
  ma_value value;        /* by kind of `dtype` */
  ma_dtype dtype;        /* for a weak scalar int64, float64 or complex128 */
  ma_weak weak;
} ma_arg;

/* ==== validate.c: MOONARRAY_VALIDATE ============================================================================== */

/* Runs the map on its device and on the CPU, and fails if the results differ. */
ma_status ma_validate_map(ma_stream *stream, const ma_map *map);

#pragma GCC visibility pop
#endif
