/*
** trace.h: turns array code into programs (ma.fuse). The function runs over stand-ins, and each operation becomes a
** node of an ma_tape. When the function returns, an ma_fused keeps what its results need: one ma_program for all
** element-wise results, one for each reduction, and the argument for each operand. A tape may be larger than a
** program; only the nodes that a result needs must fit.
**
** Numbers are not nodes. A number that is an argument stays a parameter. Arithmetic and operations on numbers alone are
** done on the host at each call, as without ma.fuse. If the form of an operation depends on the value of a number
** (x ^ 2 is a square), a guard states the values for which the plan is valid.
*/
#ifndef MOONARRAY_TRACE_H
#define MOONARRAY_TRACE_H

#include "ops/fields/stencil.h"
#include "ops/ops.h"

#pragma GCC visibility push(hidden)

#define MA_MAX_TRACE_ARGS 30
#define MA_MAX_TRACE_NODES 250
#define MA_MAX_TRACE_NUMBERS 48
#define MA_MAX_TRACE_GUARDS 48
#define MA_MAX_TRACE_RESULTS 8

typedef enum ma_node_kind { MA_NODE_INPUT, MA_NODE_SCALAR, MA_NODE_CODE } ma_node_kind;

typedef struct ma_node {
  uint8_t kind;
  /* Its operands are nodes. For an input or a scalar, `result` is the dtype and arg[0] the argument or the number. */
  ma_instr instr;
  uint32_t arrays; /* bit k: the shape depends on array argument k */
} ma_node;

/* MA_NUMBER_OUTSIDE: an argument whose kind of number is not a part of the call's; MA_NUMBER_DERIVED: by Lua's
** arithmetic; MA_NUMBER_FUNCTION: by an operation. */
typedef enum ma_number_kind {
  MA_NUMBER_CONSTANT,
  MA_NUMBER_ARGUMENT,
  MA_NUMBER_OUTSIDE,
  MA_NUMBER_DERIVED,
  MA_NUMBER_FUNCTION
} ma_number_kind;

/* A scalar with its value during the trace. The last two kinds are computed from earlier numbers. */
typedef struct ma_number {
  uint16_t op; /* ma_opcode */
  uint8_t kind;
  uint8_t from[MA_MAX_ARITY]; /* numbers; from[0]: for an argument, its place */
  uint8_t dtype, weak;
  bool plain; /* a Lua number, which can take part in arithmetic on the host */
  ma_value value;
} ma_number;

typedef enum ma_guard_kind { MA_GUARD_WEAK, MA_GUARD_FIT, MA_GUARD_ZERO, MA_GUARD_EXPONENT } ma_guard_kind;
typedef struct ma_guard {
  uint8_t kind, number, dtype, expected;
} ma_guard;

/* A reduction at the end of a function. The axes are kept as written: their number is known only at a call. */
typedef struct ma_traced_reduce {
  uint8_t op, node, mask, naxis; /* mask: 255 without one; naxis: 255 for all */
  bool keepdims, has_initial;
  uint8_t dtype, initial_dtype, initial_weak;
  double ddof;
  ma_value initial;
  int64_t axis[MA_MAX_NDIM];
} ma_traced_reduce;

typedef struct ma_tape {
  int nnode, nnumber, nguard, nreduce;
  bool uses_ndim;                  /* the function asked for the number of axes */
  ma_dtype first;                  /* of the first field, which constants take; MA_NDTYPE: there is none */
  bool full;                       /* more was recorded than it holds: the function may be C++ (fuse.c) */
  uint8_t ndim[MA_MAX_TRACE_ARGS]; /* of array arguments */
  ma_node node[MA_MAX_TRACE_NODES];
  ma_number number[MA_MAX_TRACE_NUMBERS];
  ma_guard guard[MA_MAX_TRACE_GUARDS];
  ma_traced_reduce reduce[MA_MAX_TRACE_RESULTS];
} ma_tape;

/* A traced value; `id` is an index of nodes, numbers or reductions. */
typedef enum ma_traced_kind { MA_TRACED_NODE, MA_TRACED_NUMBER, MA_TRACED_REDUCE } ma_traced_kind;
typedef struct ma_operand {
  uint8_t kind, id;
} ma_operand;

void ma_tape_clear(ma_tape *tape);
ma_status ma_tape_input(ma_tape *tape, int argument, ma_dtype dtype, int ndim, ma_operand *made);
/* A scalar. argument -1: a constant; equal constants share a number. */
ma_status ma_tape_number(ma_tape *tape, int argument, const ma_arg *scalar, bool plain, ma_operand *made);
/* A Lua number that a call takes from outside of its arguments. */
ma_status ma_tape_outside(ma_tape *tape, int argument, const ma_arg *scalar, ma_operand *made);
/* Arithmetic on two plain numbers, `a op b` or -a, as in Lua. */
ma_status ma_tape_arithmetic(ma_tape *tape, ma_opcode op, ma_operand a, ma_operand b, ma_operand *made);
/* Adds nodes for the instructions of ma_ufunc_apply. where: NULL or a node. */
ma_status ma_tape_apply(ma_tape *tape, const ma_opcode *ops, int nout, const ma_operand *operand, ma_dtype dtype,
                        const ma_operand *where, ma_operand *made);
ma_status ma_tape_cast(ma_tape *tape, ma_operand operand, ma_dtype dtype, ma_operand *made);
/* Sets *dtype to that of constants, if all operands are such numbers; the plan then depends on their kind. */
ma_status ma_tape_constants(ma_tape *tape, int n, const ma_operand *operand, ma_dtype *dtype);
ma_status ma_tape_reduce(ma_tape *tape, const ma_traced_reduce *reduce, ma_operand *made);
ma_status ma_tape_result(ma_tape *tape, ma_operand *operand); /* an element-wise result as a node */
/* Converts a number to a scalar of a program. A number that does not fit is an error, as it is without ma.fuse. */
ma_status ma_tape_convert(const ma_arg *number, ma_dtype to, ma_value *value);
#define MA_USES_NUMBER (1u << MA_MAX_TRACE_ARGS)
/* A comparison that no result uses: a node, or MA_MAX_TRACE_NODES and a number; -1: there is none. *uses: bit k,
** results use array argument k; MA_USES_NUMBER, they use a number that is an argument. */
int ma_tape_unused(const ma_tape *tape, int nresult, const ma_operand *result, uint32_t *uses);
bool ma_tape_computes(const ma_tape *tape); /* whether there is anything but arguments and constants */
ma_dtype ma_tape_dtype(const ma_tape *tape, ma_operand operand);
int ma_tape_ndim(ma_tape *tape, ma_operand operand); /* also sets uses_ndim */

/* One launch: all element-wise results, or one reduction. */
typedef struct ma_fused_part {
  ma_program program;
  uint8_t input[MA_MAX_INPUTS];   /* index of the argument */
  uint8_t number[MA_MAX_SCALARS]; /* index of the number, if bit k of `varies` is set */
  uint16_t varies;
  uint8_t result[MA_MAX_OUTPUTS]; /* index of the function's result */
  ma_value scalar[MA_MAX_SCALARS];
  int reduce; /* -1: element-wise */
  ma_traced_reduce options;
} ma_fused_part;

/* The plan that a trace becomes: plain bytes, but for `leaves`. */
typedef struct ma_fused {
  uint8_t nnumber, nguard, nresult, nrun;
  bool varies;             /* a number is not a constant */
  ma_stencil_plan *leaves; /* the last part with its draws made where they are read; NULL: it has none */
  ma_number number[MA_MAX_TRACE_NUMBERS];
  ma_guard guard[MA_MAX_TRACE_GUARDS];
  ma_fused_part run[];
} ma_fused;

int ma_fused_parts(int nresult, const ma_operand *result); /* number of launches in the plan of these results */
ma_status ma_fused_make(ma_tape *tape, int nresult, const ma_operand *result, ma_fused *plan);
/* Sets the plan's leaves, in the memory that is given. Arguments draw .. draw + ndraw - 1 are draws. */
void ma_fused_leaves(ma_fused *plan, int draw, int ndraw, ma_stencil_plan *leaves);
/* Computes the numbers of a call from its arguments. False: there is an error, which a new trace will raise. */
bool ma_fused_numbers(const ma_fused *plan, const ma_arg *argument, ma_arg *number);
bool ma_fused_holds(const ma_fused *plan, const ma_arg *number); /* whether the guards accept these numbers */
bool ma_fused_fits(const ma_fused *plan, const ma_arg *number);  /* whether the programs can have them as scalars */
/* What a call gives to a plan. */
typedef struct ma_fused_call {
  const ma_arg *argument, *number;
  uint32_t given; /* bit k: argument k is an array. Draws have the shape that these have together. */
  int draw, ndraw;
  const ma_drawn *drawn;
} ma_fused_call;

/* Runs all parts. A result whose buffer is NULL is made. Element-wise results have the shape of all arrays that are
** given, but of those that reductions alone read. */
ma_status ma_fused_run(const ma_fused *plan, const ma_fused_call *call, ma_array *const *result, ma_stream *stream);
/* Runs the last part, its draws made where they are read, over arrays that have this shape together. *done: whether it
** could. */
ma_status ma_fused_run_leaves(const ma_fused *plan, const ma_fused_call *call, int ndim, const int64_t *shape,
                              const ma_value *scalar, ma_array *const *result, ma_stream *stream, bool *done);

#pragma GCC visibility pop
#endif
