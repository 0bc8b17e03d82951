/* fused.c: makes the programs of a traced function from its tape, and runs them. See trace.h. */
#include "program/splice.h"
#include "ops/ops.h"
#include "kernel/trace.h"

#include <math.h>
#include <string.h>

/* ==== From the tape to programs ================================================================================= */

int ma_fused_parts(int nresult, const ma_operand *result) {
  int nrun = 0;
  bool maps = false;
  for (int k = 0; k < nresult; k++) {
    maps |= result[k].kind != MA_TRACED_REDUCE;
    nrun += result[k].kind == MA_TRACED_REDUCE;
  }
  return nrun + maps;
}

/* Whether a cast of one scalar of a constant gives the other one exactly. */
static bool gives_scalar(const ma_number *number, ma_dtype from, ma_dtype to) {
  ma_arg scalar = { .value = number->value, .dtype = (ma_dtype)number->dtype, .weak = (ma_weak)number->weak };
  ma_value first, wanted;
  if (number->kind != MA_NUMBER_CONSTANT || ma_dtypes[from].kind == MA_KIND_COMPLEX ||
      ma_dtypes[to].kind == MA_KIND_COMPLEX)
    return false;
  if (ma_tape_convert(&scalar, from, &first) != MA_OK || ma_tape_convert(&scalar, to, &wanted) != MA_OK) return false;
  ma_value made = ma_value_cast(first, from, to);
  if (ma_dtypes[to].kind != MA_KIND_FLOAT) return made.i == wanted.i;
  return made.c.re == wanted.c.re && !signbit(made.c.re) == !signbit(wanted.c.re);
}

/* An earlier scalar of the constant that scalar k is, from which a cast makes it; -1: there is none. */
static int earlier_scalar(const ma_tape *tape, const bool *live, int k) {
  const ma_node *node = &tape->node[k];
  for (int j = 0; j < k; j++) {
    const ma_node *old = &tape->node[j];
    if (live[j] && old->kind == MA_NODE_SCALAR && old->instr.arg[0] == node->instr.arg[0] &&
        gives_scalar(&tape->number[node->instr.arg[0]], (ma_dtype)old->instr.result, (ma_dtype)node->instr.result))
      return j;
  }
  return -1;
}

/* *casts: whether constants that are used in several dtypes have to be one scalar. */
static ma_status check_limits(const ma_tape *tape, const bool *live, bool *casts) {
  int count[3] = { 0, 0, 0 }, ncast = 0;
  for (int k = 0; k < tape->nnode; k++)
    if (live[k]) count[tape->node[k].kind]++;
  *casts = count[MA_NODE_SCALAR] > MA_MAX_SCALARS;
  for (int k = 0; k < tape->nnode && *casts; k++)
    if (live[k] && tape->node[k].kind == MA_NODE_SCALAR) ncast += earlier_scalar(tape, live, k) >= 0;
  if (ma_program_fits(count[MA_NODE_INPUT], count[MA_NODE_SCALAR] - ncast, count[MA_NODE_CODE] + ncast)) return MA_OK;
  return ma_fail(MA_ERR_VALUE, "%d instructions over %d arrays and %d scalars; a program has at most %d, %d and %d",
                 count[MA_NODE_CODE], count[MA_NODE_INPUT], count[MA_NODE_SCALAR], MA_MAX_CODE, MA_MAX_INPUTS,
                 MA_MAX_SCALARS);
}

static ma_status emit_node(const ma_tape *tape, const ma_node *node, ma_fused_part *run, const uint8_t *reg,
                           int *made) {
  ma_program *program = &run->program;
  ma_dtype dtype = (ma_dtype)node->instr.result;
  int from = node->instr.arg[0];
  switch (node->kind) {
  case MA_NODE_INPUT:
    run->input[program->ninput] = (uint8_t)from;
    *made = ma_program_input(program, dtype);
    return MA_OK;
  case MA_NODE_SCALAR: {
    const ma_number *number = &tape->number[from];
    ma_arg scalar = { .value = number->value, .dtype = (ma_dtype)number->dtype, .weak = (ma_weak)number->weak };
    int place = program->nscalar;
    run->number[place] = (uint8_t)from;
    if (number->kind != MA_NUMBER_CONSTANT) run->varies |= (uint16_t)(1u << place);
    *made = ma_program_scalar(program, dtype);
    return ma_tape_convert(&scalar, dtype, &run->scalar[place]);
  }
  default: *made = ma_program_add(program, ma_instr_renamed(&node->instr, reg)); return MA_OK;
  }
}

/* Makes the program of some nodes, in the order in which they were recorded. */
static ma_status make_program(const ma_tape *tape, int n, const uint8_t *node, ma_fused_part *run) {
  bool live[MA_MAX_TRACE_NODES] = { false };
  uint8_t reg[MA_MAX_TRACE_NODES];
  int made;
  bool casts;
  for (int k = 0; k < n; k++) live[node[k]] = true;
  for (int k = tape->nnode - 1; k >= 0; k--)
    if (live[k] && tape->node[k].kind == MA_NODE_CODE)
      for (int a = 0; a < ma_ops[tape->node[k].instr.op].nin; a++) live[tape->node[k].instr.arg[a]] = true;
  MA_TRY(check_limits(tape, live, &casts));
  ma_program_clear(&run->program);
  run->varies = 0;
  for (int k = 0; k < tape->nnode; k++) {
    if (!live[k]) continue;
    int from = casts && tape->node[k].kind == MA_NODE_SCALAR ? earlier_scalar(tape, live, k) : -1;
    if (from >= 0) made = ma_program_cast(&run->program, reg[from], (ma_dtype)tape->node[k].instr.result);
    else MA_TRY(emit_node(tape, &tape->node[k], run, reg, &made));
    reg[k] = (uint8_t)made;
  }
  for (int k = 0; k < n; k++) {
    ma_program_output(&run->program, reg[node[k]]);
    run->arrays[k] = tape->node[node[k]].arrays;
    run->mixed |= run->arrays[k] != run->arrays[0];
  }
  return ma_program_check(&run->program);
}

static ma_status make_map(ma_tape *tape, int nresult, const ma_operand *result, ma_fused_part *run) {
  uint8_t node[MA_MAX_TRACE_RESULTS] = { 0 };
  int n = 0, place[MA_MAX_TRACE_RESULTS];
  for (int k = 0; k < nresult; k++) {
    ma_operand operand = result[k];
    if (operand.kind == MA_TRACED_REDUCE) continue;
    MA_TRY(ma_tape_result(tape, &operand));
    node[n] = operand.id;
    place[n++] = k;
  }
  if (n > MA_MAX_OUTPUTS) return ma_fail(MA_ERR_VALUE, "%d element-wise results; at most %d", n, MA_MAX_OUTPUTS);
  for (int k = 0; k < n; k++) run->result[k] = (uint8_t)place[k];
  run->reduce = -1;
  run->mixed = false;
  return make_program(tape, n, node, run);
}

ma_status ma_fused_make(ma_tape *tape, int nresult, const ma_operand *result, ma_fused *plan) {
  int nrun = 0;
  bool maps = false;
  for (int k = 0; k < nresult; k++) {
    maps |= result[k].kind != MA_TRACED_REDUCE;
    if (result[k].kind != MA_TRACED_REDUCE) continue;
    ma_fused_part *run = &plan->run[nrun++];
    const ma_traced_reduce *reduce = &tape->reduce[result[k].id];
    uint8_t node[2] = { reduce->node, reduce->mask };
    run->reduce = reduce->op;
    run->options = *reduce;
    run->mixed = false;
    run->result[0] = (uint8_t)k;
    MA_TRY(make_program(tape, reduce->mask == 255 ? 1 : 2, node, run));
    run->mixed = false; /* the mask is broadcast with the values */
  }
  if (maps) /* last, because `out` may be an argument */
    MA_TRY(make_map(tape, nresult, result, &plan->run[nrun++]));
  plan->nrun = (uint8_t)nrun;
  plan->nresult = (uint8_t)nresult;
  plan->nnumber = (uint8_t)tape->nnumber;
  plan->nguard = (uint8_t)tape->nguard;
  plan->varies = tape->nguard > 0;
  for (int k = 0; k < nrun; k++) plan->varies |= plan->run[k].varies != 0;
  memcpy(plan->number, tape->number, (size_t)tape->nnumber * sizeof *tape->number);
  memcpy(plan->guard, tape->guard, (size_t)tape->nguard * sizeof *tape->guard);
  return MA_OK;
}

/* ==== Running ==================================================================================================== */

/* The results of one launch must have one shape. */
static ma_status check_shapes(const ma_fused_part *run, const ma_arg *argument) {
  int ndim[MA_MAX_OUTPUTS];
  int64_t shape[MA_MAX_OUTPUTS][MA_MAX_NDIM];
  for (int k = 0; k < run->program.noutput; k++) {
    ndim[k] = 0;
    for (int a = 0; a < MA_MAX_TRACE_ARGS; a++)
      if (run->arrays[k] >> a & 1)
        MA_TRY(ma_shape_broadcast(&ndim[k], shape[k], argument[a].array->ndim, argument[a].array->shape));
    if (ndim[k] == ndim[0] && !memcmp(shape[k], shape[0], (size_t)ndim[0] * sizeof **shape)) continue;
    char one[256], other[256];
    return ma_fail(MA_ERR_VALUE,
                   "results %d and %d of shapes %s and %s; element-wise results of a fused function have one shape",
                   run->result[0] + 1, run->result[k] + 1, ma_shape_print(ndim[0], shape[0], one, sizeof one),
                   ma_shape_print(ndim[k], shape[k], other, sizeof other));
  }
  return MA_OK;
}

static ma_status run_map(const ma_fused_part *run, const ma_arg *argument, const ma_array *const *input,
                         const ma_value *scalar, ma_array *const *all, ma_stream *stream) {
  ma_array *result[MA_MAX_OUTPUTS];
  ma_program cast;
  const ma_program *program;
  if (run->mixed) MA_TRY(check_shapes(run, argument));
  for (int k = 0; k < run->program.noutput; k++) result[k] = all[run->result[k]];
  MA_TRY(ma_program_cast_results(&run->program, result, &cast, &program));
  return ma_program_run(program, input, scalar, result, stream);
}

static ma_status run_reduce(const ma_fused_part *run, const ma_array *const *input, const ma_value *scalar,
                            ma_array *result, ma_stream *stream) {
  const ma_traced_reduce *r = &run->options;
  ma_reduce_options options = { .keepdims = r->keepdims,
                                .dtype = (ma_dtype)r->dtype,
                                .ddof = r->ddof,
                                .initial = r->has_initial ? &r->initial : NULL,
                                .initial_dtype = (ma_dtype)r->initial_dtype,
                                .initial_weak = (ma_weak)r->initial_weak };
  int ndim = 0, axis;
  for (int k = 0; k < run->program.ninput; k++)
    if (input[k]->ndim > ndim) ndim = input[k]->ndim;
  if (r->naxis == 255) options.axes = (1u << ndim) - 1;
  for (int k = 0; k < r->naxis && r->naxis != 255; k++) {
    MA_TRY(ma_shape_axis(r->axis[k], ndim, &axis));
    if (options.axes >> axis & 1) return ma_fail(MA_ERR_VALUE, "axis names axis %d twice; each axis once", axis + 1);
    options.axes |= 1u << axis;
  }
  return ma_reduce_run((ma_reduce_op)run->reduce, &run->program, input, scalar, &options, result, stream);
}

/* A given result may be an argument only if no later run reads that argument. */
static ma_status check_overlaps(const ma_fused *plan, const ma_arg *argument, ma_array *const *result) {
  for (int r = 0; r + 1 < plan->nrun; r++) {
    const ma_array *out = result[plan->run[r].result[0]];
    for (int later = r + 1; later < plan->nrun && out->buffer; later++)
      for (int k = 0; k < plan->run[later].program.ninput; k++)
        if (ma_array_overlaps(out, argument[plan->run[later].input[k]].array))
          return ma_fail(
            MA_ERR_VALUE,
            "an out that shares memory with an argument which other results are made from; one of its own");
  }
  return MA_OK;
}

ma_status ma_fused_run(const ma_fused *plan, const ma_arg *argument, const ma_arg *number, ma_array *const *result,
                       ma_stream *stream) {
  MA_TRY(check_overlaps(plan, argument, result));
  for (int r = 0; r < plan->nrun; r++) {
    const ma_fused_part *run = &plan->run[r];
    const ma_array *input[MA_MAX_INPUTS];
    ma_value varied[MA_MAX_SCALARS];
    const ma_value *scalar = run->scalar;
    for (int k = 0; k < run->program.ninput; k++) input[k] = argument[run->input[k]].array;
    if (run->varies) {
      for (int k = 0; k < run->program.nscalar; k++) {
        varied[k] = run->scalar[k];
        if (run->varies >> k & 1)
          MA_TRY(ma_tape_convert(&number[run->number[k]], (ma_dtype)run->program.scalar_dtype[k], &varied[k]));
      }
      scalar = varied;
    }
    if (run->reduce < 0) MA_TRY(run_map(run, argument, input, scalar, result, stream));
    else MA_TRY(run_reduce(run, input, scalar, result[run->result[0]], stream));
  }
  return MA_OK;
}
