/*
** drawn.c: draws of random numbers that wait. A draw is an instruction of a pending program: the key and the number of
** the draw are scalars, and the elements that are wanted are an input without memory, the places (program.h). What uses
** the draw takes it in as it takes in any pending program. So the numbers are made where they are read, and an array of
** them exists only if somebody reads it, or where a kernel cannot make them. Which numbers they are does not depend on
** it: the generator moved on when the draw was asked for.
*/
#include "backend/backend.h"
#include "backend/random.h"
#include "memory/graph.h"
#include "program/operands.h"
#include "run/run.h"
#include "run/pending.h"

#include <string.h>

static const struct {
  ma_random_kind kind;
  ma_opcode op;
} drawn[] = { { MA_RANDOM_uniform, MA_DO_draw_uniform }, { MA_RANDOM_normal, MA_DO_draw_normal } };

#define NKIND (int)(sizeof drawn / sizeof *drawn)

/* ==== Recording =================================================================================================== */

/* Whether its memory may be exchanged for none, since nobody has an address in it. */
static bool is_free(const ma_buffer *buffer, const ma_device *device) {
  return buffer->device == device && buffer->movable && !buffer->pending && !buffer->readers &&
         buffer->generation == __atomic_load_n(&device->generation, __ATOMIC_ACQUIRE);
}

/* The same while a function is recorded: then the array gets another buffer, which only it may have. */
static bool is_fresh(const ma_buffer *buffer, const ma_stream *stream) {
  const ma_deferral *d = ma_deferral_current;
  return d && d->on && d->recording == stream->capture && ma_capture_is_fresh(stream->capture, buffer) &&
         __atomic_load_n(&buffer->refs, __ATOMIC_RELAXED) == 2; /* the array's and the graph's */
}

static bool may_wait(const ma_late_draw *draw, const ma_array *array, const ma_stream *stream) {
  return (array->dtype == MA_FLOAT32 || array->dtype == MA_FLOAT64) &&
         (draw->kind == MA_RANDOM_uniform || draw->kind == MA_RANDOM_normal) && array->size > 0 &&
         !ma_defer_is_small(stream, array->size) && (ma_is_host(stream->device) || !ma_gpu_is_bare()) &&
         (stream->capture ? draw->cell && is_fresh(array->buffer, stream)
                          : !draw->cell && ma_is_deferring() && is_free(array->buffer, stream->device)) &&
         array->offset == 0 && ma_hazard_covers(array) && ma_operand_is_packed(array, array->ndim, array->shape);
}

static int combine(ma_program *program, ma_opcode op, ma_dtype dtype, int x, int y) {
  const int pair[] = { x, y };
  return ma_program_emit(program, op, dtype, pair);
}

static int add_scalar(ma_joined *j, ma_dtype dtype, ma_value value) {
  j->scalar[j->program.nscalar] = value;
  return ma_program_scalar(&j->program, dtype);
}

static ma_value number(double x, ma_dtype dtype) {
  return (ma_value){ .c = { dtype == MA_FLOAT32 ? (float)x : x, 0 } };
}

/* Scales as the backends do: low + (high - low) x, below high; or mean + deviation x. */
static int scale(ma_joined *j, const ma_late_draw *draw, ma_dtype dtype, int reg) {
  bool uniform = draw->kind == MA_RANDOM_uniform;
  double first = draw->param[0], by = uniform ? draw->param[1] - first : draw->param[1];
  if (first == 0 && draw->param[1] == 1) return reg;
  reg = combine(&j->program, MA_DO_product, dtype, add_scalar(j, dtype, number(by, dtype)), reg);
  reg = combine(&j->program, MA_DO_sum, dtype, add_scalar(j, dtype, number(first, dtype)), reg);
  if (!uniform) return reg;
  return combine(&j->program, MA_DO_lesser_of, dtype, reg, add_scalar(j, dtype, number(draw->param[2], dtype)));
}

static int add_input(ma_joined *j, ma_dtype dtype, ma_buffer *buffer, int64_t offset, const int64_t *step, int ndim) {
  int k = ma_program_input(&j->program, dtype);
  j->reading[k].buffer = buffer;
  j->reading[k].offset = offset;
  memcpy(j->step + k * ndim, step, (size_t)ndim * sizeof *step);
  return k;
}

/* The key and the number of the draw: scalars, or what the cell has at each launch. */
static void add_source(ma_joined *j, const ma_late_draw *draw, int ndim, int *args) {
  static const int64_t still[MA_MAX_NDIM];
  if (!draw->cell) {
    args[1] = add_scalar(j, MA_INT64, (ma_value){ .u = draw->key });
    args[2] = add_scalar(j, MA_INT64, (ma_value){ .u = draw->draw });
    return;
  }
  args[1] = add_input(j, MA_INT64, draw->cell, offsetof(ma_random_cell, key), still, ndim);
  int first = add_input(j, MA_UINT32, draw->cell, offsetof(ma_random_cell, draw), still, ndim);
  first = ma_program_cast(&j->program, first, MA_INT64);
  args[2] = combine(&j->program, MA_DO_sum, MA_INT64, first, add_scalar(j, MA_INT64, (ma_value){ .u = draw->draw }));
}

static void describe(ma_joined *j, const ma_late_draw *draw, const ma_array *array, ma_buffer *places) {
  ma_program *p = &j->program;
  ma_dtype dtype = (ma_dtype)array->dtype;
  int k = 0, ndim = array->ndim, args[3];
  ma_program_clear(p);
  while (k < NKIND - 1 && drawn[k].kind != draw->kind) k++;
  args[0] = add_input(j, dtype, places, 0, array->stride, ndim);
  add_source(j, draw, ndim, args);
  ma_program_output(p, scale(j, draw, dtype, ma_program_emit(p, drawn[k].op, dtype, args)));
  j->bound = (ma_bound){ .ndim = (uint8_t)ndim,
                         .ninput = p->ninput,
                         .nscalar = p->nscalar,
                         .ncode = p->ncode,
                         .reading = j->reading,
                         .step = j->step,
                         .scalar = j->scalar,
                         .code = p->code };
  memcpy(j->bound.input_dtype, p->input_dtype, p->ninput);
  memcpy(j->bound.scalar_dtype, p->scalar_dtype, p->nscalar);
  memcpy(j->shape, array->shape, (size_t)ndim * sizeof *j->shape);
  j->size = array->size;
}

/* Gives a fresh array of a recorded function a buffer without memory. */
static ma_status bare(ma_array *array) {
  ma_buffer *fresh;
  MA_TRY(ma_handle_bare(array->buffer->device, array->buffer->nbytes, &fresh));
  ma_buffer_release(array->buffer);
  array->buffer = fresh;
  return MA_OK;
}

ma_status ma_drawn_defer(const ma_late_draw *draw, ma_array *array, ma_stream *stream, bool *waits) {
  ma_joined joined;
  ma_buffer *places;
  *waits = may_wait(draw, array, stream);
  if (!*waits) return MA_OK;
  if (stream->capture) MA_TRY(bare(array));
  MA_TRY(ma_handle_bare(stream->device, 0, &places));
  places->ptr = (void *)MA_PLACES;
  places->marks.writer = stream; /* on which nothing is to be waited for */
  describe(&joined, draw, array, places);
  ma_status status = ma_pending_update(&joined, draw, array, stream);
  ma_buffer_release(places);
  return status;
}

/* ==== Arrays of draws ============================================================================================= */

static ma_status fill(ma_random *r, ma_buffer *cell, ma_buffer *block, ma_stream *stream) {
  if (cell) MA_TRY(ma_buffer_use(cell, stream, false));
  MA_TRY(ma_buffer_use(block, stream, true));
  r->job.cell = cell ? cell->ptr : NULL;
  r->job.data = block->ptr;
  return stream->device->backend->random.draw(stream, r);
}

ma_status ma_drawn_fill(const ma_pending *p, ma_buffer *block, ma_stream *stream) {
  ma_random r = { .kind = (ma_random_kind)p->draw.kind, .dtype = (ma_dtype)p->dtype };
  r.job.key = p->draw.key;
  r.job.draw = p->draw.draw;
  r.job.n = p->size;
  memcpy(r.job.param, p->draw.param, sizeof r.job.param);
  return fill(&r, p->draw.cell, block, stream);
}

/* The last place of an array of places. */
static int64_t last_place(const ma_array *places) {
  int64_t at = places->offset;
  for (int d = 0; d < places->ndim; d++)
    if (places->stride[d] > 0) at += places->stride[d] * (places->shape[d] - 1);
  return at / ma_dtypes[places->dtype].itemsize;
}

/* Makes the array of which an input is the places, up to the last one that is wanted. */
static ma_status make(const ma_instr *instr, const ma_array *const *input, const ma_program *program,
                      const ma_value *scalar, ma_stream *stream, ma_array *made) {
  const ma_array *places = input[instr->arg[0]];
  ma_random r = { .dtype = (ma_dtype)places->dtype };
  int k = 0;
  while (k < NKIND - 1 && (int)drawn[k].op != instr->op) k++;
  r.kind = drawn[k].kind;
  ma_buffer *cell = NULL;
  if (instr->arg[1] < MA_REG_SCALAR) { /* as add_source wrote it */
    const ma_instr *sum = &program->code[instr->arg[2] - MA_REG_CODE];
    cell = input[instr->arg[1]]->buffer;
    r.job.draw = (uint32_t)scalar[sum->arg[1] - MA_REG_SCALAR].u;
  } else {
    r.job.key = scalar[instr->arg[1] - MA_REG_SCALAR].u;
    r.job.draw = (uint32_t)scalar[instr->arg[2] - MA_REG_SCALAR].u;
  }
  r.job.param[1] = 1;
  r.job.n = last_place(places) + 1;
  ma_buffer *numbers;
  MA_TRY(ma_handle_new(stream->device, (size_t)r.job.n * ma_dtypes[r.dtype].itemsize, &numbers));
  *made = *places;
  made->buffer = numbers;
  ma_status status = fill(&r, cell, made->buffer, stream);
  if (status != MA_OK) ma_array_release(made);
  return status;
}

ma_status ma_drawn_settle(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                          ma_stream *stream, ma_program *settled, const ma_array **array, ma_array *made) {
  ma_status status = MA_OK;
  ma_program_clone(settled, program);
  settled->notes = NULL;
  for (int k = 0; k < program->ninput; k++) {
    array[k] = input[k];
    made[k].buffer = NULL;
  }
  for (int k = 0; k < program->ncode && status == MA_OK; k++) {
    ma_instr *instr = &settled->code[k];
    if (!ma_op_draws(instr->op)) continue;
    int from = instr->arg[0];
    if (!made[from].buffer) status = make(instr, input, program, scalar, stream, &made[from]);
    if (status != MA_OK) break;
    array[from] = &made[from];
    *instr = (ma_instr){ .op = MA_COPY, .dtype = instr->dtype, .result = instr->result, .arg = { (uint8_t)from } };
  }
  for (int k = 0; k < program->ninput && status != MA_OK; k++) ma_array_release(&made[k]);
  return status;
}
