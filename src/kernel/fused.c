/* fused.c: makes the programs of a traced function from its tape, and runs them. See trace.h. */
#include "compile/compile.h"
#include "program/splice.h"
#include "ops/ops.h"
#include "ops/random.h"
#include "kernel/trace.h"
#include "run/substitute.h"

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
  for (int k = 0; k < n; k++) ma_program_output(&run->program, reg[node[k]]);
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
    run->result[0] = (uint8_t)k;
    MA_TRY(make_program(tape, reduce->mask == 255 ? 1 : 2, node, run));
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

typedef struct fused_run {
  const ma_fused_call *call;
  int ndim; /* of draws */
  int64_t shape[MA_MAX_NDIM];
  ma_array made[MA_MAX_TRACE_ARGS]; /* draws as arrays, as soon as one is wanted */
  ma_stream *stream;
} fused_run;

/* The number of the draw that argument k is; -1: it is none. */
static int draw_of(const ma_fused_call *call, int k) {
  return k >= call->draw && k < call->draw + call->ndraw ? k - call->draw : -1;
}

static ma_status broadcast_all(const ma_fused_call *call, uint32_t arrays, int *ndim, int64_t *shape) {
  *ndim = 0;
  for (int k = 0; k < MA_MAX_TRACE_ARGS; k++)
    if (arrays >> k & 1)
      MA_TRY(ma_shape_broadcast(ndim, shape, call->argument[k].array->ndim, call->argument[k].array->shape));
  return MA_OK;
}

/* The arguments that a part reads, a bit each. */
static uint32_t inputs_of(const ma_fused_part *part) {
  uint32_t inputs = 0;
  for (int k = 0; k < part->program.ninput; k++) inputs |= UINT32_C(1) << part->input[k];
  return inputs;
}

/* Fills a new array with a draw: on the CPU where a GPU lacks the kernel, which gives the same numbers. */
static ma_status make_draw(const ma_drawn *drawn, ma_array *made, ma_stream *stream) {
  ma_random random;
  ma_array host;
  ma_random_of(drawn, &random);
  ma_status status = ma_random_fill(&random, made, stream);
  if (status != MA_ERR_LACK) return status;
  MA_TRY(ma_substitute_begin(stream, "a draw", drawn->dtype));
  MA_TRY(ma_array_new(&host, ma_device_cpu(), drawn->dtype, made->ndim, made->shape));
  status = ma_random_fill(&random, &host, ma_device_null_stream(ma_device_cpu()));
  if (status == MA_OK) status = ma_array_assign(made, &host, stream);
  ma_array_release(&host);
  return status;
}

/* The arrays that a part reads. Draws that are among them are made. */
static ma_status gather_inputs(fused_run *r, const ma_fused_part *part, const ma_array **input) {
  for (int k = 0; k < part->program.ninput; k++) {
    int place = part->input[k], draw = draw_of(r->call, place);
    input[k] = draw < 0 ? r->call->argument[place].array : &r->made[draw];
    if (draw < 0 || input[k]->buffer) continue;
    const ma_drawn *drawn = &r->call->drawn[draw];
    MA_TRY(ma_array_new(&r->made[draw], r->stream->device, drawn->dtype, r->ndim, r->shape));
    MA_TRY(make_draw(drawn, &r->made[draw], r->stream));
  }
  return MA_OK;
}

/* Makes the element-wise results that the part would give a smaller shape, since it does not read all arrays. */
static ma_status widen_results(const fused_run *r, const ma_fused *plan, const ma_fused_part *part,
                               const ma_array *const *input, ma_array *const *result) {
  uint32_t reduced = 0, wanted = r->call->given;
  int ndim = 0, all;
  int64_t shape[MA_MAX_NDIM], full[MA_MAX_NDIM];
  for (int k = 0; k + 1 < plan->nrun; k++) reduced |= inputs_of(&plan->run[k]);
  wanted &= ~(reduced & ~inputs_of(part));
  if (!(wanted & ~inputs_of(part))) return MA_OK;
  for (int k = 0; k < part->program.ninput; k++)
    MA_TRY(ma_shape_broadcast(&ndim, shape, input[k]->ndim, input[k]->shape));
  MA_TRY(broadcast_all(r->call, wanted, &all, full));
  MA_TRY(ma_shape_broadcast(&all, full, ndim, shape));
  if (ndim == all && !memcmp(shape, full, (size_t)ndim * sizeof *shape)) return MA_OK;
  for (int k = 0; k < part->program.noutput; k++)
    if (!result[k]->buffer)
      MA_TRY(ma_array_new(result[k], r->stream->device, ma_program_dtype(&part->program, part->program.output[k]), all,
                          full));
  return MA_OK;
}

static ma_status run_map(fused_run *r, const ma_fused *plan, const ma_value *scalar, ma_array *const *all) {
  const ma_fused_part *part = &plan->run[plan->nrun - 1];
  const ma_array *input[MA_MAX_INPUTS];
  ma_array *result[MA_MAX_OUTPUTS];
  ma_program cast;
  const ma_program *program;
  bool done = false;
  for (int k = 0; k < part->program.noutput; k++) result[k] = all[part->result[k]];
  if (plan->leaves) MA_TRY(ma_fused_run_leaves(plan, r->call, r->ndim, r->shape, scalar, result, r->stream, &done));
  if (done) return MA_OK;
  MA_TRY(gather_inputs(r, part, input));
  MA_TRY(widen_results(r, plan, part, input, result));
  MA_TRY(ma_program_cast_results(&part->program, result, &cast, &program));
  return (ma_compile_yields() ? ma_program_run_ready : ma_program_run)(program, input, scalar, result, r->stream);
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
static ma_status check_overlaps(const ma_fused *plan, const ma_fused_call *call, ma_array *const *result) {
  for (int r = 0; r + 1 < plan->nrun; r++) {
    const ma_array *out = result[plan->run[r].result[0]];
    for (int later = r + 1; later < plan->nrun && out->buffer; later++)
      for (int k = 0; k < plan->run[later].program.ninput; k++) {
        int place = plan->run[later].input[k];
        if (draw_of(call, place) < 0 && ma_array_overlaps(out, call->argument[place].array))
          return ma_fail(
            MA_ERR_VALUE,
            "an out that shares memory with an argument which other results are made from; one of its own");
      }
  }
  return MA_OK;
}

/* The scalars of a part: *scalar is `varied` if some are no constants. */
static ma_status find_scalars(const ma_fused_part *part, const ma_arg *number, ma_value *varied,
                              const ma_value **scalar) {
  *scalar = part->varies ? varied : part->scalar;
  for (int k = 0; k < part->program.nscalar && part->varies; k++) {
    varied[k] = part->scalar[k];
    if (part->varies >> k & 1)
      MA_TRY(ma_tape_convert(&number[part->number[k]], (ma_dtype)part->program.scalar_dtype[k], &varied[k]));
  }
  return MA_OK;
}

static ma_status run_part(fused_run *r, const ma_fused *plan, int k, ma_array *const *result) {
  const ma_fused_part *part = &plan->run[k];
  const ma_array *input[MA_MAX_INPUTS];
  ma_value varied[MA_MAX_SCALARS];
  const ma_value *scalar;
  MA_TRY(find_scalars(part, r->call->number, varied, &scalar));
  if (part->reduce < 0) return run_map(r, plan, scalar, result);
  MA_TRY(gather_inputs(r, part, input));
  return run_reduce(part, input, scalar, result[part->result[0]], r->stream);
}

ma_status ma_fused_run(const ma_fused *plan, const ma_fused_call *call, ma_array *const *result, ma_stream *stream) {
  fused_run r;
  r.call = call;
  r.stream = stream;
  r.ndim = 0;
  for (int k = 0; k < call->ndraw; k++) r.made[k].buffer = NULL;
  ma_status status = check_overlaps(plan, call, result);
  if (status == MA_OK && call->ndraw) status = broadcast_all(call, call->given, &r.ndim, r.shape);
  for (int k = 0; k < plan->nrun && status == MA_OK; k++) status = run_part(&r, plan, k, result);
  for (int k = 0; k < call->ndraw; k++) ma_array_release(&r.made[k]);
  return status;
}
