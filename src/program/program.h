/* program.h: programs as they are built, checked and printed; the tables of operations and reductions. */
#ifndef MOONARRAY_PROGRAM_PROGRAM_H
#define MOONARRAY_PROGRAM_PROGRAM_H

#include "array/array.h"

#pragma GCC visibility push(hidden)

/* ==== program.c: building and looking ============================================================================= */

void ma_program_clear(ma_program *program);
int ma_program_input(ma_program *program, ma_dtype dtype); /* returns the register */
int ma_program_scalar(ma_program *program, ma_dtype dtype);
/* An instruction over registers that are there, or the register of an equal one; -1: there is no room. */
int ma_program_add(ma_program *program, ma_instr instr);
int ma_program_cast(ma_program *program, int reg, ma_dtype to); /* the same register if it has that dtype */
/* args already cast to the signature */
int ma_program_emit(ma_program *program, ma_opcode op, ma_dtype loop, const int *args);
void ma_program_output(ma_program *program, int reg);
ma_dtype ma_program_dtype(const ma_program *program, int reg);
size_t ma_program_key(const ma_program *program, uint8_t *bytes); /* canonical bytes, at most sizeof(ma_program) */
ma_status ma_program_check(const ma_program *program);            /* registers, dtypes, bounds */
void ma_program_print(const ma_program *program, char *text, size_t size);

/* ==== reductions.c: the table of reductions ======================================================================= */

#define MA_REDF_EMPTY 1 /* reduce.def has the meanings */
#define MA_REDF_TRUTH 2
#define MA_REDF_POSITION 4
#define MA_REDF_SCAN 8
#define MA_REDF_INTEGER 16
#define MA_REDF_FLOAT 32

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
  const char *monoid; /* of kernels/reduce/reduce.h */
  const char *doc;
  uint8_t result; /* ma_reduce_result */
  uint8_t flags;  /* MA_REDF_... */
} ma_reduce_info;
extern const ma_reduce_info ma_reduces[MA_NREDUCE];

ma_dtype ma_reduce_dtype(ma_reduce_op op, ma_dtype from); /* NumPy's result dtype */
/* the reduction that folds a binary operation, if there is one */
bool ma_reduce_of_op(ma_opcode op, ma_reduce_op *reduce);

/* ==== Arguments of operations ===================================================================================== */

/* One argument of an operation: an array, or a scalar. */
typedef struct ma_arg {
  const ma_array *array; /* NULL: a scalar */
  ma_value value;        /* by kind of `dtype` */
  ma_dtype dtype;        /* of a strong scalar; of a weak one, int64, float64 or complex128 */
  ma_weak weak;
} ma_arg;

/* ==== validate.c: MOONARRAY_VALIDATE ============================================================================== */

/* runs it there and on the CPU; an error if they differ */
ma_status ma_validate_map(ma_stream *stream, const ma_map *map);

#pragma GCC visibility pop
#endif
