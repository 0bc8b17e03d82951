/*
** trace.h: from array code to programs (ma.fuse). While a function runs over stand-ins, each operation becomes a node
** of an ma_graph; when it returns, an ma_fused keeps what its results need: one ma_program for all element-wise
** results, one for each reduction, and which argument goes where. The graph is wider than a program: only what a result
** needs has to fit.
**
** Numbers are apart from nodes. A number given as an argument stays a parameter, and arithmetic of numbers alone is
** done on the host at each call, as Lua would have done it. Where an operation's form depends on a number's value (x ^
** 2 is a square), a guard says which values the plan is good for.
*/
#ifndef MOONARRAY_TRACE_H
#define MOONARRAY_TRACE_H

#include "ops/ops.h"

#pragma GCC visibility push(hidden)

#define MA_MAX_TRACE_ARGS 24
#define MA_MAX_TRACE_NODES 250
#define MA_MAX_TRACE_NUMBERS 48
#define MA_MAX_TRACE_GUARDS 48
#define MA_MAX_TRACE_RESULTS 8

typedef enum ma_node_kind { MA_NODE_INPUT, MA_NODE_SCALAR, MA_NODE_CODE } ma_node_kind;

typedef struct ma_node {
  uint8_t kind;
  /* over nodes; of an input and a scalar the dtype as `result`, and its argument or its number as arg[0] */
  ma_instr instr;
  uint32_t arrays; /* bit k: array argument k has a say in the shape */
} ma_node;

typedef enum ma_number_kind { MA_NUMBER_CONSTANT, MA_NUMBER_ARGUMENT, MA_NUMBER_DERIVED } ma_number_kind;

/* A scalar with the value that it has while the function is traced. Derived ones are made of a and b, which come
** before. */
typedef struct ma_number {
  uint8_t kind, op, a, b; /* of an argument: a is its place */
  uint8_t dtype, weak;
  bool plain; /* a number of Lua's own: it can take part in arithmetic on the host */
  ma_value value;
} ma_number;

typedef enum ma_guard_kind { MA_GUARD_WEAK, MA_GUARD_FIT, MA_GUARD_ZERO, MA_GUARD_EXPONENT } ma_guard_kind;
typedef struct ma_guard {
  uint8_t kind, number, dtype, expected;
} ma_guard;

/* A reduction at the end of a function. The axes are kept as written: how many there are is known at a call. */
typedef struct ma_traced_reduce {
  uint8_t op, node, mask, naxis; /* mask: 255 without one; naxis: 255 for all */
  bool keepdims, has_initial;
  uint8_t dtype, initial_dtype, initial_weak;
  double ddof;
  ma_value initial;
  int64_t axis[MA_MAX_NDIM];
} ma_traced_reduce;

typedef struct ma_graph {
  int nnode, nnumber, nguard, nreduce;
  bool uses_ndim;                  /* the function asked for a number of axes */
  uint8_t ndim[MA_MAX_TRACE_ARGS]; /* of array arguments */
  ma_node node[MA_MAX_TRACE_NODES];
  ma_number number[MA_MAX_TRACE_NUMBERS];
  ma_guard guard[MA_MAX_TRACE_GUARDS];
  ma_traced_reduce reduce[MA_MAX_TRACE_RESULTS];
} ma_graph;

/* What a traced value is: `id` counts nodes, numbers or reductions. */
typedef enum ma_traced_kind { MA_TRACED_NODE, MA_TRACED_NUMBER, MA_TRACED_REDUCE } ma_traced_kind;
typedef struct ma_operand {
  uint8_t kind, id;
} ma_operand;

void ma_graph_clear(ma_graph *graph);
ma_status ma_graph_input(ma_graph *graph, int argument, ma_dtype dtype, int ndim, ma_operand *made);
/* A scalar; argument -1: a constant, which is shared with its equals. */
ma_status ma_graph_number(ma_graph *graph, int argument, const ma_arg *scalar, bool plain, ma_operand *made);
/* Arithmetic of two plain numbers, `a op b` or -a, as Lua does it. */
ma_status ma_graph_arithmetic(ma_graph *graph, ma_opcode op, ma_operand a, ma_operand b, ma_operand *made);
/* The nodes that ma_ufunc_apply's instructions would be. where: NULL or a node. */
ma_status ma_graph_apply(ma_graph *graph, const ma_opcode *ops, int nout, const ma_operand *operand, ma_dtype dtype,
                         const ma_operand *where, ma_operand *made);
ma_status ma_graph_cast(ma_graph *graph, ma_operand operand, ma_dtype dtype, ma_operand *made);
ma_status ma_graph_reduce(ma_graph *graph, const ma_traced_reduce *reduce, ma_operand *made);
ma_status ma_graph_result(ma_graph *graph, ma_operand *operand); /* an element-wise result as a node */
/* A number as a scalar of a program; one that does not fit is an error, as it would be unfused. */
ma_status ma_graph_convert(const ma_arg *number, ma_dtype to, ma_value *value);
ma_dtype ma_graph_dtype(const ma_graph *graph, ma_operand operand);
int ma_graph_ndim(ma_graph *graph, ma_operand operand); /* and remembers that it was asked for */

/* One launch: the element-wise results together, or one reduction. */
typedef struct ma_fused_part {
  ma_program program;
  uint8_t input[MA_MAX_INPUTS];   /* which argument */
  uint8_t number[MA_MAX_SCALARS]; /* which number, where bit k of `varies` is set */
  uint8_t varies;
  bool mixed;                     /* its results depend on different arguments: their shapes are compared at each run */
  uint8_t result[MA_MAX_OUTPUTS]; /* which result of the function */
  uint32_t arrays[MA_MAX_OUTPUTS];
  ma_value scalar[MA_MAX_SCALARS];
  int reduce; /* -1: element-wise */
  ma_traced_reduce options;
} ma_fused_part;

/* What is left of a trace: plain bytes. */
typedef struct ma_fused {
  uint8_t nnumber, nguard, nresult, nrun;
  bool varies; /* some number is not a constant */
  ma_number number[MA_MAX_TRACE_NUMBERS];
  ma_guard guard[MA_MAX_TRACE_GUARDS];
  ma_fused_part run[];
} ma_fused;

int ma_fused_parts(int nresult, const ma_operand *result); /* how many runs the plan of these results has */
ma_status ma_fused_make(ma_graph *graph, int nresult, const ma_operand *result, ma_fused *plan);
/* The numbers of a call, from its arguments. */
void ma_fused_numbers(const ma_fused *plan, const ma_arg *argument, ma_arg *number);
bool ma_fused_holds(const ma_fused *plan, const ma_arg *number); /* do the guards let these numbers pass? */
/* Runs all; results whose buffer is NULL are made. */
ma_status ma_fused_run(const ma_fused *plan, const ma_arg *argument, const ma_arg *number, ma_array *const *result,
                       ma_stream *stream);

#pragma GCC visibility pop
#endif
