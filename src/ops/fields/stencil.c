/* stencil.c: stencils over arrays: checks the results, and describes fields and results to the backend. */
#include "ops/fields/stencil.h"
#include "memory/graph.h"
#include "run/substitute.h"
#include "kernels/ndimage/edge.h"

#include <string.h>

/* Puts `lead` axes of extent 1 in front of the caller's. */
static void add_axes(ma_stencil_plan *plan, int lead) {
  for (int d = MA_STENCIL_NDIM - 1; d >= 0; d--) {
    plan->edge[d] = d < lead || plan->leave ? MA_EDGE_NEAREST : plan->edge[d - lead];
    for (int j = 0; j < plan->program.ninput; j++)
      plan->read[j].offset[d] = d < lead ? 0 : plan->read[j].offset[d - lead];
  }
}

static void find_reach(ma_stencil_plan *plan) {
  memset(plan->low, 0, sizeof plan->low);
  memset(plan->high, 0, sizeof plan->high);
  for (int j = 0; j < plan->program.ninput; j++)
    for (int d = 0; d < MA_STENCIL_NDIM; d++) {
      int32_t offset = plan->read[j].offset[d];
      if (-offset > plan->low[d]) plan->low[d] = -offset;
      if (offset > plan->high[d]) plan->high[d] = offset;
    }
}

/* Numbers the fields that the backend gets: those that are read, and those that are kept at the edges, which come
** first. */
static void number_fields(ma_stencil_plan *plan) {
  uint8_t place[MA_STENCIL_FIELDS];
  memset(place, 255, sizeof place);
  plan->nused = 0;
  for (int k = 0; k < plan->program.noutput && plan->leave; k++) {
    place[k] = plan->nused;
    plan->used[plan->nused++] = (uint8_t)k;
  }
  memset(plan->outside, 0, sizeof plan->outside);
  for (int j = 0; j < plan->program.ninput; j++) {
    int f = plan->read[j].field;
    if (place[f] == 255) {
      place[f] = plan->nused;
      plan->used[plan->nused++] = (uint8_t)f;
    }
    plan->read[j].field = place[f];
    plan->outside[place[f]] = ma_value_cast((ma_value){ .c = { plan->value, 0 } }, MA_FLOAT64,
                                            (ma_dtype)plan->program.input_dtype[j]);
  }
  for (int k = 0; k < plan->nreach; k++) plan->reach[k] = place[plan->reach[k]];
}

void ma_stencil_settle(ma_stencil_plan *plan) {
  static uint64_t nplan; /* atomic */
  plan->id = __atomic_add_fetch(&nplan, 1, __ATOMIC_RELAXED);
  add_axes(plan, MA_STENCIL_NDIM - plan->ndim);
  find_reach(plan);
  number_fields(plan);
}

static bool is_drawn(const ma_stencil_plan *plan, int f) {
  return f >= plan->nfield && plan->drawn >> (f - plan->nfield) & 1;
}

static ma_status check_result(const ma_stencil_plan *plan, const ma_array *const *field, const ma_array *out, int k) {
  char has[256], wants[256];
  MA_TRY(ma_array_check_writable(out));
  if (!ma_array_has_shape(out, field[0]->ndim, field[0]->shape))
    return ma_fail(MA_ERR_VALUE, "out %d has shape %s; wanted %s, as the fields", k + 1,
                   ma_shape_print(out->ndim, out->shape, has, sizeof has),
                   ma_shape_print(field[0]->ndim, field[0]->shape, wants, sizeof wants));
  if (ma_array_device(out) != ma_array_device(field[0]))
    return ma_fail(MA_ERR_VALUE, "out %d is on %s; wanted %s, as the fields", k + 1, ma_array_device(out)->name,
                   ma_array_device(field[0])->name);
  for (int f = 0; f < plan->nfield + plan->narray; f++)
    if (!is_drawn(plan, f) && ma_array_overlaps(out, field[f]))
      return ma_fail(MA_ERR_VALUE,
                     "out %d shares memory with field %d; wanted memory of its own, as neighbours are still read",
                     k + 1, f + 1);
  return MA_OK;
}

static ma_status check_results(const ma_stencil_plan *plan, const ma_array *const *field, ma_array *const *result) {
  for (int k = 0; k < plan->program.noutput; k++) {
    if (!result[k]->buffer) continue;
    MA_TRY(check_result(plan, field, result[k], k));
    for (int i = 0; i < k; i++)
      if (result[i]->buffer && ma_array_overlaps(result[i], result[k]))
        return ma_fail(MA_ERR_VALUE, "out %d shares memory with out %d; wanted memory of its own", k + 1, i + 1);
  }
  return MA_OK;
}

/* Describes an array of the caller as field `to`. */
static ma_status describe_field(ma_stencil_field *to, const ma_stencil_plan *plan, const ma_array *array,
                                ma_stream *stream) {
  const void *address;
  int lead = MA_STENCIL_NDIM - plan->ndim;
  MA_TRY(ma_array_read(array, stream, &address));
  to->data = address;
  to->dtype = (ma_dtype)array->dtype;
  for (int d = 0; d < MA_STENCIL_NDIM; d++) to->stride[d] = array->ndim && d >= lead ? array->stride[d - lead] : 0;
  return MA_OK;
}

/* Describes a draw as field `to` of a stencil that has its shape. */
static ma_status describe_draw(ma_stencil_field *to, const ma_stencil *s, const ma_drawn *drawn, ma_stream *stream) {
  to->data = NULL;
  to->dtype = drawn->dtype;
  to->stride[2] = ma_dtypes[to->dtype].itemsize;
  for (int d = 1; d >= 0; d--) to->stride[d] = to->stride[d + 1] * s->shape[d + 1];
  to->drawn = *drawn;
  if (!drawn->source) return MA_OK;
  to->drawn.cell = drawn->source->cell->ptr;
  return ma_buffer_use(drawn->source->cell, stream, false);
}

/* The backend's struct, with leading axes of extent 1. */
static ma_status describe(ma_stencil *s, const ma_stencil_plan *plan, const ma_array *const *field,
                          const ma_drawn *drawn, ma_array *const *result, ma_stream *stream) {
  int lead = MA_STENCIL_NDIM - plan->ndim;
  s->id = plan->id;
  s->compile = plan->compile;
  s->leave = plan->leave;
  s->open = false;
  s->nfield = plan->nused;
  s->nreach = plan->nreach;
  memcpy(s->reach, plan->reach, sizeof s->reach);
  for (int d = 0; d < MA_STENCIL_NDIM; d++) s->shape[d] = d < lead ? 1 : field[0]->shape[d - lead];
  memcpy(s->edge, plan->edge, sizeof s->edge);
  memcpy(s->low, plan->low, sizeof s->low);
  memcpy(s->high, plan->high, sizeof s->high);
  memcpy(s->read, plan->read, plan->program.ninput * sizeof *s->read);
  memcpy(s->scalar, plan->scalar, plan->program.nscalar * sizeof *s->scalar);
  for (int k = 0; k < plan->nused; k++) {
    int f = plan->used[k];
    if (is_drawn(plan, f)) MA_TRY(describe_draw(&s->field[k], s, &drawn[f - plan->nfield], stream));
    else MA_TRY(describe_field(&s->field[k], plan, field[f], stream));
    s->field[k].outside = plan->outside[k];
  }
  for (int k = 0; k < plan->program.noutput; k++) {
    void *address;
    MA_TRY(ma_array_write(result[k], stream, &address));
    s->result[k].data = address;
    for (int d = 0; d < MA_STENCIL_NDIM; d++) s->result[k].stride[d] = d < lead ? 0 : result[k]->stride[d - lead];
  }
  return MA_OK;
}

static ma_status make_results(const ma_stencil_plan *plan, const ma_array *model, ma_array *const *result,
                              uint32_t *made) {
  const ma_program *program = &plan->program;
  for (int k = 0; k < program->noutput; k++) {
    if (result[k]->buffer) continue;
    MA_TRY(ma_array_new(result[k], ma_array_device(model), ma_program_dtype(program, program->output[k]), model->ndim,
                        model->shape));
    *made |= 1u << k;
  }
  return MA_OK;
}

ma_status ma_stencil_run(const ma_stencil_plan *plan, const ma_array *const *field, const ma_drawn *drawn,
                         ma_array *const *result, bool yields, ma_stream *stream) {
  ma_stencil s;
  ma_program cast;
  uint32_t made = 0;
  ma_status status;
  for (int f = plan->nfield; f < plan->nfield + plan->narray; f++)
    if (!is_drawn(plan, f)) MA_TRY(ma_device_meet(ma_array_device(field[0]), ma_array_device(field[f])));
  MA_TRY(check_results(plan, field, result));
  MA_TRY(ma_program_cast_results(&plan->program, result, &cast, &s.program));
  if ((status = make_results(plan, field[0], result, &made)) != MA_OK) goto failed;
  if (field[0]->size == 0) return MA_OK;
  if ((status = describe(&s, plan, field, drawn, result, stream)) != MA_OK) goto failed;
  s.yields = yields;
  status = stream->device->backend->stencil.run(stream, &s);
  if (status == MA_ERR_LACK && plan->alone && !s.program->body) status = ma_substitute_stencil(stream, &s);
  if (status == MA_OK) return MA_OK;
failed:
  for (int k = 0; k < plan->program.noutput; k++)
    if (made >> k & 1) ma_array_release(result[k]);
  return status;
}
