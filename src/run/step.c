/*
** step.c: runs a program one operation at a time. Compiling a kernel takes longer than a frame of a game, so a new
** expression runs like this until its own kernel is ready. The bits are the same, because a register holds the same
** value as memory.
*/
#include "run/run.h"
#include "program/operands.h"
#include "run/look.h"
#include "run/step.h"

#include <limits.h>

#define NEVER (-1)
#define AT_END INT_MAX /* as a last use: a result needs the value */

typedef struct stepper {
  const ma_program *program;
  const ma_value *scalar;
  ma_array *const *result;
  ma_device *device;
  ma_stream *stream;
  bool needed[MA_MAX_REGS], is_output[MA_MAX_REGS];
  bool inlined[MA_MAX_CODE]; /* its reader runs it too: casts, and an operation under a cast that is a result */
  int last[MA_MAX_REGS];     /* the last step that reads the register; steps are numbered like their registers */
  /* The array with its elements: an input, a temporary or a result; NULL: a scalar, or not made yet. */
  const ma_array *value[MA_MAX_REGS];
  ma_array made[MA_MAX_REGS]; /* temporaries, including those for copies of inputs and scalars */
} stepper;

/* ==== Which instructions are steps ================================================================================ */

static void find_needed(stepper *s, int *nreader) {
  const ma_program *p = s->program;
  memset(nreader, 0, MA_MAX_REGS * sizeof *nreader);
  for (int k = 0; k < p->noutput; k++) {
    s->needed[p->output[k]] = s->is_output[p->output[k]] = true;
    nreader[p->output[k]]++;
  }
  for (int i = p->ncode - 1; i >= 0; i--)
    for (int a = 0; s->needed[MA_REG_CODE + i] && a < ma_ops[p->code[i].op].nin; a++) {
      s->needed[p->code[i].arg[a]] = true;
      nreader[p->code[i].arg[a]]++;
    }
}

static void choose_steps(stepper *s) {
  const ma_program *p = s->program;
  int nreader[MA_MAX_REGS];
  find_needed(s, nreader);
  for (int i = 0; i < p->ncode; i++) {
    const ma_instr *instr = &p->code[i];
    bool cast = instr->op == MA_CAST, output = s->is_output[MA_REG_CODE + i];
    int under = instr->arg[0] - MA_REG_CODE;
    s->inlined[i] = cast && !output;
    if (cast && output && under >= 0 && nreader[instr->arg[0]] == 1) s->inlined[under] = true;
  }
}

static bool is_step(const stepper *s, int reg) {
  /* cppcheck-suppress arrayIndexOutOfBoundsCond */ /* ncode is at most MA_MAX_CODE */
  return reg < MA_REG_CODE ? s->is_output[reg] : s->needed[reg] && !s->inlined[reg - MA_REG_CODE];
}

/* Notes which registers the step `at` reads to compute register `reg`. */
static void note_reads(stepper *s, int reg, int at) {
  if (reg < MA_REG_CODE || (reg != at && !s->inlined[reg - MA_REG_CODE])) {
    s->last[reg] = at;
    return;
  }
  const ma_instr *instr = &s->program->code[reg - MA_REG_CODE];
  for (int a = 0; a < ma_ops[instr->op].nin; a++) note_reads(s, instr->arg[a], at);
}

static void plan(stepper *s, const ma_program *program) {
  memset(s, 0, offsetof(stepper, value));
  s->program = program;
  choose_steps(s);
  for (int k = 0; k < MA_REG_CODE + program->ncode; k++) {
    s->last[k] = NEVER;
    s->value[k] = NULL;
    s->made[k].buffer = NULL;
  }
  for (int r = 0; r < MA_REG_CODE + program->ncode; r++)
    if (is_step(s, r)) note_reads(s, r, r);
}

/* ==== Results ==================================================================================================== */

/* Whether the step of output k may write into the given array. It may not if a later step reads that memory, or if
** two results overlap. ma_program_run handles what the step itself reads. */
static bool is_direct(const stepper *s, const ma_array *const *input, int k, bool fresh) {
  const ma_program *p = s->program;
  if (fresh) return true;
  for (int j = 0; j < p->ninput; j++)
    if (s->last[j] > p->output[k] && ma_array_overlaps(s->result[k], input[j])) return false;
  for (int j = 0; j < p->noutput; j++)
    if (j != k && ma_array_overlaps(s->result[k], s->result[j])) return false;
  return true;
}

/* New results have the layout that one run over all inputs would give them. */
static ma_status make_results(stepper *s, const ma_array *const *input, bool *fresh) {
  const ma_program *p = s->program;
  int64_t shape[MA_MAX_NDIM];
  int ndim;
  MA_TRY(ma_operands_shape(p->ninput, input, p->noutput, s->result, &ndim, shape));
  const ma_array *model = ma_operands_model(p->ninput, input, ndim, shape);
  for (int k = 0; k < p->noutput; k++) {
    if (s->result[k]->buffer) {
      MA_TRY(ma_array_check_writable(s->result[k]));
      continue;
    }
    MA_TRY(ma_operands_new(s->result[k], s->device, ma_program_dtype(p, p->output[k]), ndim, shape, model));
    fresh[k] = true;
  }
  return MA_OK;
}

/* Results that no step writes are copied from their register's array after all steps. */
static void choose_targets(stepper *s, const ma_array *const *input, const bool *fresh, bool *direct) {
  const ma_program *p = s->program;
  for (int k = 0; k < p->noutput; k++) {
    int r = p->output[k];
    direct[k] = !s->value[r] && is_direct(s, input, k, fresh[k]);
    if (direct[k]) s->value[r] = s->result[k];
  }
  for (int k = 0; k < p->noutput; k++)
    if (!direct[k]) s->last[p->output[k]] = AT_END;
}

/* ==== Steps ====================================================================================================== */

/* Adds the instructions for register `reg` to the program of step `at`; returns their register. */
static int add(stepper *s, ma_call *step, const ma_array *const *input, int reg, int at) {
  const ma_program *p = s->program;
  if (reg < MA_REG_SCALAR) return ma_call_input(step, input[reg]);
  if (reg < MA_REG_CODE)
    return ma_call_scalar(step, (ma_dtype)p->scalar_dtype[reg - MA_REG_SCALAR], s->scalar[reg - MA_REG_SCALAR]);
  if (reg != at && !s->inlined[reg - MA_REG_CODE]) return ma_call_input(step, s->value[reg]);
  ma_instr instr = p->code[reg - MA_REG_CODE];
  for (int a = 0; a < ma_ops[instr.op].nin; a++) instr.arg[a] = (uint8_t)add(s, step, input, instr.arg[a], at);
  return ma_program_add(&step->program, instr);
}

/* Makes a temporary for the value of a step. It has the shape of the step's operands. */
static ma_status make_temporary(stepper *s, const ma_call *step, int reg) {
  ma_array *made = &s->made[reg];
  int64_t shape[MA_MAX_NDIM];
  int ndim, n = step->program.ninput;
  MA_TRY(ma_operands_shape(n, step->input, 0, NULL, &ndim, shape));
  const ma_array *model = ma_operands_model(n, step->input, ndim, shape);
  MA_TRY(ma_operands_new(made, s->device, ma_program_dtype(s->program, reg), ndim, shape, model));
  s->value[reg] = made;
  return MA_OK;
}

static ma_status run_step(stepper *s, const ma_array *const *input, int reg) {
  ma_call step;
  ma_program_clear(&step.program);
  ma_program_output(&step.program, add(s, &step, input, reg, reg));
  if (!s->value[reg]) MA_TRY(make_temporary(s, &step, reg));
  /* Both kinds may be written: those made here, and those that the caller gave. */
  ma_array *result = (ma_array *)s->value[reg];
  return ma_program_run(&step.program, step.input, step.scalar, &result, s->stream);
}

static void release_dead(stepper *s, int at) {
  for (int r = 0; r <= at; r++)
    if (s->made[r].buffer && s->last[r] <= at) ma_array_release(&s->made[r]);
}

static ma_status run_all(stepper *s, const ma_array *const *input, const bool *direct) {
  const ma_program *p = s->program;
  for (int r = 0; r < MA_REG_CODE + p->ncode; r++) {
    if (!is_step(s, r)) continue;
    MA_TRY(run_step(s, input, r));
    release_dead(s, r);
  }
  for (int k = 0; k < p->noutput; k++)
    if (!direct[k]) MA_TRY(ma_program_copy(s->result[k], s->value[p->output[k]], s->stream));
  return MA_OK;
}

/* Draws become arrays first. */
static ma_status step_drawn(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                            ma_array *const *result, ma_stream *stream) {
  ma_program settled;
  const ma_array *array[MA_MAX_INPUTS];
  ma_array made[MA_MAX_INPUTS];
  MA_TRY(ma_drawn_settle(program, input, scalar, stream, &settled, array, made));
  ma_status status = ma_program_step(&settled, array, scalar, result, stream);
  for (int k = 0; k < program->ninput; k++) ma_array_release(&made[k]);
  return status;
}

ma_status ma_program_step(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                          ma_array *const *result, ma_stream *stream) {
  stepper s;
  bool fresh[MA_MAX_OUTPUTS] = { false }, direct[MA_MAX_OUTPUTS];
  if (program->body) return ma_program_run(program, input, scalar, result, stream);
  if (__builtin_expect(ma_program_places(program) != 0, 0)) return step_drawn(program, input, scalar, result, stream);
  plan(&s, program);
  s.scalar = scalar;
  s.result = result;
  MA_TRY(ma_operands_device(program->ninput, input, program->noutput, result, &s.device));
  if (!s.device) s.device = stream->device;
  s.stream = s.device == stream->device ? stream : ma_device_null_stream(s.device);
  ma_status status = make_results(&s, input, fresh);
  if (status == MA_OK && result[0]->size > 0) {
    choose_targets(&s, input, fresh, direct);
    status = run_all(&s, input, direct);
  }
  for (int r = 0; r < MA_REG_CODE + program->ncode; r++) ma_array_release(&s.made[r]);
  for (int k = 0; k < program->noutput; k++)
    if (fresh[k] && status != MA_OK) ma_array_release(result[k]);
  return status;
}
