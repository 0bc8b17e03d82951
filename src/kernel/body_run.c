/* body_run.c: runs an elementwise body over arrays: broadcasts the inputs, makes the outputs, adds an index if the
** text uses it, and passes a map to the backend. */
#include "ops/ops.h"
#include "compile/body.h"
#include "compile/prepare.h"
#include "kernel/body_run.h"
#include "program/operands.h"

#include <string.h>

/* The arrays of a run, by place. */
typedef struct run {
  const ma_body_call *call;
  const ma_program *program;
  int ninput, nraw, noutput, ndim;
  const ma_array *input[MA_MAX_INPUTS];
  ma_array *output[MA_MAX_OUTPUTS], *raw[MA_MAX_RAW];
  const ma_param *raw_param[MA_MAX_RAW], *output_param[MA_MAX_OUTPUTS];
  int64_t shape[MA_MAX_NDIM];
  ma_array made[MA_MAX_OUTPUTS], *target[MA_MAX_OUTPUTS];
  ma_array *fresh[MA_MAX_PARAMS]; /* made here, and released on failure */
  int nfresh;
  bool detour[MA_MAX_OUTPUTS];
} run;

static void sort_arrays(run *r) {
  const ma_body *body = r->call->body;
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *p = &body->param[k];
    ma_array *array = r->call->array[k];
    switch (p->role) {
    case MA_PARAM_INPUT: r->input[p->place] = array, r->ninput++; break;
    case MA_PARAM_OUTPUT: r->output[p->place] = array, r->output_param[p->place] = p, r->noutput++; break;
    case MA_PARAM_RAW: r->raw[p->place] = array, r->raw_param[p->place] = p, r->nraw++; break;
    default: break;
    }
  }
}

static ma_status find_device(const run *r, ma_device **device) {
  MA_TRY(ma_operands_device(r->ninput, r->input, r->noutput, r->output, device));
  return ma_operands_device(0, NULL, r->nraw, r->raw, device);
}

static ma_status find_shape(run *r) {
  const ma_body_call *call = r->call;
  bool any = r->ninput > 0;
  for (int k = 0; k < r->noutput; k++) any |= r->output[k]->buffer != NULL;
  if (call->size >= 0 && any && r->ninput > 0)
    return ma_fail(MA_ERR_VALUE,
                   "size with array arguments that are not raw; their shape says how many elements there are");
  if (call->size >= 0) {
    r->ndim = 1;
    r->shape[0] = call->size;
    for (int k = 0; k < r->noutput; k++)
      if (r->output[k]->buffer && r->output[k]->size != call->size)
        return ma_fail(MA_ERR_VALUE, "%s has %lld elements; size says %lld", r->output_param[k]->name,
                       (long long)r->output[k]->size, (long long)call->size);
    return any ? ma_operands_shape(0, NULL, r->noutput, r->output, &r->ndim, r->shape) : MA_OK;
  }
  if (!any && r->nraw > 0)
    return ma_fail(MA_ERR_VALUE, "all array arguments are raw; wanted size, which says how many elements there are");
  return ma_operands_shape(r->ninput, r->input, r->noutput, r->output, &r->ndim, r->shape);
}

/* Whether output k must be written to a temporary, because an input, a raw array or another output may overlap it. */
static bool needs_detour(const run *r, int k) {
  const ma_array *out = r->output[k];
  for (int j = 0; j < r->ninput; j++)
    if (ma_array_overlaps(out, r->input[j]) && !ma_operands_same(out, r->input[j])) return true;
  for (int j = 0; j < r->nraw; j++)
    if (!r->raw_param[j]->is_output && ma_array_overlaps(out, r->raw[j])) return true;
  for (int j = 0; j < r->noutput; j++)
    if (j != k && r->output[j]->buffer && ma_array_overlaps(out, r->output[j])) return true;
  return false;
}

static ma_status make_fresh(run *r, ma_array *array, ma_device *device, ma_dtype dtype, const ma_array *model) {
  MA_TRY(ma_operands_new(array, device, dtype, r->ndim, r->shape, model));
  r->fresh[r->nfresh++] = array;
  return MA_OK;
}

static ma_status make_outputs(run *r, ma_device *device, ma_stream *stream) {
  const ma_array *model = NULL;
  for (int k = 0; k < r->ninput && !model; k++)
    if (ma_array_has_shape(r->input[k], r->ndim, r->shape)) model = r->input[k];
  if (model && ma_array_is_contiguous(model)) model = NULL;
  for (int k = 0; k < r->noutput; k++) {
    ma_array *out = r->target[k] = r->output[k];
    ma_dtype dtype = (ma_dtype)r->output_param[k]->dtype;
    if (!out->buffer) MA_TRY(make_fresh(r, out, device, dtype, model));
    else if (out->readonly) MA_TRY(ma_array_check_writable(out));
    else if (needs_detour(r, k)) {
      if (r->output_param[k]->is_read) MA_TRY(ma_array_copy(&r->made[k], out, dtype, stream));
      else MA_TRY(ma_array_new(&r->made[k], device, dtype, r->ndim, r->shape));
      r->detour[k] = true;
      r->target[k] = &r->made[k];
    }
  }
  for (int k = 0; k < r->nraw; k++)
    if (!r->raw[k]->buffer) { /* the body may write only some elements: the others are 0 */
      MA_TRY(make_fresh(r, r->raw[k], device, (ma_dtype)r->raw_param[k]->dtype, NULL));
      if (r->raw[k]->size > 0)
        MA_TRY(ma_array_fill(r->raw[k], (ma_value){ .c = { 0, 0 } }, (ma_dtype)r->raw_param[k]->dtype, stream));
    }
  return MA_OK;
}

static ma_status describe_raw(const run *r, ma_stream *stream, ma_raw *raw) {
  for (int k = 0; k < r->nraw; k++) {
    ma_array *array = r->raw[k];
    if (r->raw_param[k]->is_output) MA_TRY(ma_array_write(array, stream, &raw[k].data));
    else MA_TRY(ma_array_read(array, stream, (const void **)&raw[k].data));
    raw[k].ndim = array->ndim;
    raw[k].size = array->size;
    memcpy(raw[k].shape, array->shape, array->ndim * sizeof *array->shape);
    memcpy(raw[k].stride, array->stride, array->ndim * sizeof *array->stride);
  }
  return MA_OK;
}

static ma_status launch(run *r, ma_stream *stream) {
  ma_map map;
  ma_raw raw[MA_MAX_RAW];
  int64_t flip[MA_MAX_OPERANDS];
  int nreal = r->noutput + r->ninput;
  bool index = r->call->body->uses_index || nreal == 0; /* a space needs at least one operand */
  map.program = r->program;
  map.space.ndim = r->ndim;
  map.space.noperand = nreal + index;
  map.raw = raw;
  map.total = 1;
  map.block_size = r->call->block_size;
  memcpy(map.scalar, r->call->scalar, r->program->nscalar * sizeof *map.scalar);
  memcpy(map.space.shape, r->shape, (size_t)r->ndim * sizeof *r->shape);
  for (int d = 0; d < r->ndim; d++) map.total *= r->shape[d];
  if (map.total == 0) return MA_OK;
  MA_TRY(describe_raw(r, stream, raw));
  for (int k = 0; k < nreal; k++) {
    const ma_array *array = k < r->noutput ? r->target[k] : r->input[k - r->noutput];
    if (k < r->noutput) MA_TRY(ma_array_write(r->target[k], stream, &map.data[k]));
    else MA_TRY(ma_array_read(array, stream, (const void **)&map.data[k]));
    ma_operands_strides(array, r->ndim, r->shape, map.space.stride[k]);
  }
  if (index) {
    ma_shape_contiguous(r->ndim, r->shape, 1, map.space.stride[nreal]);
    map.data[nreal] = NULL;
  }
  ma_space_collapse(&map.space, true, flip);
  for (int k = 0; k < map.space.noperand; k++) map.data[k] = (void *)((uintptr_t)map.data[k] + (uintptr_t)flip[k]);
  ma_prepare_work();
  return ma_prepare_worked(stream->device->backend->map.run(stream, &map));
}

ma_status ma_body_run(const ma_body_call *call, ma_stream *stream) {
  run r;
  r.call = call;
  r.ninput = r.nraw = r.noutput = r.nfresh = 0;
  memset(r.detour, 0, sizeof r.detour);
  r.program = call->program;
  ma_device *device = NULL;
  sort_arrays(&r);
  MA_TRY(find_device(&r, &device));
  MA_TRY(find_shape(&r));
  if (!device) device = stream->device;
  else if (device != stream->device) stream = ma_device_null_stream(device);
  ma_status status = make_outputs(&r, device, stream);
  if (status == MA_OK) status = launch(&r, stream);
  for (int k = 0; k < r.noutput; k++) {
    if (!r.detour[k]) continue;
    if (status == MA_OK) status = ma_array_assign(r.output[k], &r.made[k], stream);
    ma_array_release(&r.made[k]);
  }
  if (status != MA_OK)
    for (int k = 0; k < r.nfresh; k++) ma_array_release(r.fresh[k]);
  return status;
}
