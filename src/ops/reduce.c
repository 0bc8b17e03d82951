/*
** reduce.c: reductions and scans of arrays: dtypes, shapes and axes. The backend gets one ma_reduction or ma_scan with
** as few axes as possible. kernels/reduce/reduce.h has the arithmetic. waiting.c has what pending operands need.
*/
#include "ops/reduce.h"
#include "program/arrange.h"
#include "program/loop.h"
#include "program/operands.h"
#include "run/step.h"

#include <math.h>
#include <string.h>

/* ==== Dtypes ===================================================================================================== */

ma_status ma_reduce_types(ma_reduce_op op, ma_dtype from, ma_dtype dtype, const ma_array *out, ma_reduce_dtypes *t) {
  const ma_reduce_info *info = &ma_reduces[op];
  ma_dtype asked = dtype;
  /* as NumPy: a sum is computed in the dtype of out */
  if (info->result == MA_RESULT_SUM && asked == MA_NDTYPE && out->buffer) asked = (ma_dtype)out->dtype;
  if (info->flags & MA_REDF_TRUTH && asked != MA_NDTYPE && asked != MA_BOOL)
    return ma_fail(MA_ERR_TYPE, "dtype %s; %s gives bool", ma_dtypes[asked].name, info->name);
  if (info->flags & MA_REDF_TRUTH) t->loop = MA_BOOL;
  else if (info->flags & MA_REDF_POSITION) t->loop = from;
  else if (asked != MA_NDTYPE) t->loop = asked;
  else
    t->loop = info->result == MA_RESULT_REAL && ma_dtypes[from].kind == MA_KIND_COMPLEX ? from
                                                                                        : ma_reduce_dtype(op, from);
  if (asked == t->loop && info->result == MA_RESULT_REAL && !ma_dtype_can_cast(from, asked, true))
    return ma_fail(MA_ERR_TYPE, "elements of dtype %s; %s cannot take them by same_kind casting", ma_dtypes[from].name,
                   ma_dtypes[asked].name);
  if (info->result >= MA_RESULT_MEAN && info->result <= MA_RESULT_REAL && ma_dtypes[t->loop].kind < MA_KIND_FLOAT)
    return ma_fail(MA_ERR_TYPE, "dtype %s; %s needs a float or complex one", ma_dtypes[t->loop].name, info->name);
  if (info->flags & MA_REDF_INTEGER && ma_dtypes[t->loop].kind >= MA_KIND_FLOAT)
    return ma_fail(MA_ERR_TYPE, "dtype %s; %s is defined for integers and bool; " MA_TABLE_OF_INTEGERS,
                   ma_dtypes[t->loop].name, info->name);
  if (info->flags & MA_REDF_FLOAT && ma_dtypes[t->loop].kind == MA_KIND_COMPLEX)
    return ma_fail(MA_ERR_TYPE, "dtype %s; %s is defined for real numbers", ma_dtypes[t->loop].name, info->name);
  t->declared = info->result == MA_RESULT_SUM ? t->loop : ma_reduce_dtype(op, t->loop);
  if (info->flags & MA_REDF_POSITION && asked != MA_NDTYPE) t->declared = asked;
  t->first = info->result == MA_RESULT_SUM && t->loop == MA_BOOL ? MA_BOOL : MA_NDTYPE; /* 0.5 counts as true */
  if (info->result == MA_RESULT_SUM) /* a narrow sum is the low part of a wide one, so there are only 64-bit loops */
    t->loop = ma_reduce_dtype(op, t->loop);
  t->result = ma_reduce_dtype(op, t->loop);
  if (out->buffer && !ma_dtype_can_cast(t->declared, (ma_dtype)out->dtype, true))
    return ma_fail(MA_ERR_TYPE, "a result of dtype %s; out of dtype %s cannot take it by same_kind casting",
                   ma_dtypes[t->declared].name, ma_dtypes[out->dtype].name);
  return MA_OK;
}

ma_status ma_reduce_check_positions(ma_reduce_op op, ma_dtype dtype, int64_t count) {
  if (!(ma_reduces[op].flags & MA_REDF_POSITION) || dtype == MA_NDTYPE) return MA_OK;
  ma_kind kind = ma_dtypes[dtype].kind;
  if (kind != MA_KIND_SIGNED && kind != MA_KIND_UNSIGNED)
    return ma_fail(MA_ERR_TYPE, "dtype %s; positions are integers", ma_dtypes[dtype].name);
  int bits = (int)ma_dtypes[dtype].itemsize * 8 - (kind == MA_KIND_SIGNED);
  if (bits < 63 && count >> bits)
    return ma_fail(MA_ERR_VALUE, "positions up to %lld; dtype %s does not hold them", (long long)count,
                   ma_dtypes[dtype].name);
  return MA_OK;
}

/* ==== Shapes and devices ========================================================================================= */

ma_status ma_reduce_shape(const ma_program *program, const ma_array *const *input, const ma_array *out, int *ndim,
                          int64_t *shape, ma_device **device) {
  *ndim = 0;
  *device = NULL;
  for (int k = 0; k < program->ninput; k++) {
    MA_TRY(ma_shape_broadcast(ndim, shape, input[k]->ndim, input[k]->shape));
    ma_device *its = input[k]->buffer->device;
    if (!*device) *device = its;
    MA_TRY(ma_device_meet(*device, its));
  }
  return out->buffer ? ma_device_meet(*device, out->buffer->device) : MA_OK;
}

static int64_t broadcast_stride(const ma_array *array, int ndim, int d, int64_t extent) {
  int own = d - (ndim - array->ndim);
  return own >= 0 && array->shape[own] == extent ? array->stride[own] : 0;
}

/* Makes *result, or checks it. *target is the array that the backend writes: the result or a temporary. */
static ma_status prepare_result(const ma_program *program, const ma_array *const *input, ma_device *device,
                                const ma_reduce_dtypes *t, int ndim, const int64_t *shape, ma_array *result,
                                ma_array *made, ma_array **target) {
  bool detour = t->declared != t->result;
  *target = result;
  made->buffer = NULL;
  if (!result->buffer) {
    MA_TRY(ma_array_new(result, device, t->declared, ndim, shape));
  } else {
    if (!ma_array_has_shape(result, ndim, shape)) {
      char has[256], wants[256];
      return ma_fail(MA_ERR_VALUE, "out of shape %s; the result has shape %s",
                     ma_shape_print(result->ndim, result->shape, has, sizeof has),
                     ma_shape_print(ndim, shape, wants, sizeof wants));
    }
    MA_TRY(ma_array_check_writable(result));
    detour = detour || result->dtype != t->result;
    for (int k = 0; k < program->ninput && !detour; k++) detour = ma_array_overlaps(result, input[k]);
  }
  if (!detour) return MA_OK;
  *target = made;
  return ma_array_new(made, device, t->result, ndim, shape);
}

static ma_status finish_result(ma_status status, ma_array *result, bool fresh, ma_array *made, ma_stream *stream) {
  if (status == MA_OK && made->buffer) status = ma_array_assign(result, made, stream);
  ma_array_release(made);
  if (status != MA_OK && fresh) ma_array_release(result);
  return status;
}

/* ==== The iteration space ======================================================================================== */

/* Fills the steps of the inputs over the broadcast shape; the caller fills those of the result. */
static ma_status read_inputs(ma_space *all, const ma_program *program, const ma_array *const *input, int ndim,
                             const int64_t *shape, ma_stream *stream, void **data) {
  all->ndim = ndim;
  all->noperand = program->ninput + 1;
  for (int d = 0; d < ndim; d++) {
    all->shape[d] = shape[d];
    for (int k = 0; k < program->ninput; k++) all->stride[k + 1][d] = broadcast_stride(input[k], ndim, d, shape[d]);
  }
  for (int k = 0; k < program->ninput; k++) MA_TRY(ma_array_read(input[k], stream, (const void **)&data[k + 1]));
  return MA_OK;
}

/* ==== Reductions ================================================================================================= */

/* Fails if a reduction of no elements has no result. */
static ma_status check_empty(ma_reduce_op op, const ma_reduce_options *options) {
  if (options->initial) return MA_OK;
  if (ma_reduces[op].flags & MA_REDF_POSITION)
    return ma_fail(MA_ERR_VALUE, "attempt to get %s of an empty sequence", ma_reduces[op].name);
  if (!(ma_reduces[op].flags & MA_REDF_EMPTY))
    return ma_fail(MA_ERR_VALUE, "zero-size array to reduction operation %s which has no identity",
                   ma_reduces[op].name);
  return MA_OK;
}

/* Fills the target with the value of a reduction of no elements. */
static ma_status fill_empty(ma_reduce_op op, const ma_reduce_dtypes *t, const ma_reduce_options *options,
                            ma_array *target, ma_stream *stream) {
  static const struct {
    ma_reduce_op op;
    double value;
  } identities[] = {
    { MA_REDUCE_prod, 1 },         { MA_REDUCE_all, 1 },   { MA_REDUCE_mean, NAN },
    { MA_REDUCE_var, NAN },        { MA_REDUCE_std, NAN }, { MA_REDUCE_logaddexp, -INFINITY },
    { MA_REDUCE_bitwise_and, -1 },
  };
  if (options->initial) return ma_array_fill(target, *options->initial, t->loop, stream);
  ma_value value = { .c = { 0, 0 } };
  for (size_t k = 0; k < sizeof identities / sizeof *identities; k++)
    if (identities[k].op == op) value.c.re = identities[k].value;
  if (value.c.re != value.c.re) value.c.im = value.c.re;
  if (t->result == MA_INT64 || t->result == MA_UINT64 || ma_dtypes[t->result].kind < MA_KIND_FLOAT) {
    value.i = (int64_t)value.c.re;
    return ma_array_fill(target, value, MA_INT64, stream);
  }
  return ma_array_fill(target, value, MA_COMPLEX128, stream);
}

static ma_status check_initial(ma_reduce_op op, const ma_reduce_options *options) {
  bool refused = ma_reduces[op].flags & MA_REDF_POSITION || op == MA_REDUCE_mean || op == MA_REDUCE_var ||
                 op == MA_REDUCE_std || op == MA_REDUCE_count_nonzero;
  if (options->initial && refused) return ma_fail(MA_ERR_VALUE, "an initial value; %s takes none", ma_reduces[op].name);
  return MA_OK;
}

/* Converts the initial value to the loop dtype; a whole Lua number that does not fit is an error. */
static ma_status place_initial(const ma_reduce_options *options, ma_dtype loop, ma_reduce_options *placed,
                               ma_value *value) {
  *placed = *options;
  if (!options->initial) return MA_OK;
  placed->initial = value;
  if (ma_weak_is_whole(options->initial_weak))
    return ma_value_weak(*options->initial, options->initial_weak, loop, value);
  *value = ma_value_cast(*options->initial, options->initial_dtype, loop);
  return MA_OK;
}

ma_status ma_reduce_cast(const ma_program *program, const ma_reduce_dtypes *t, ma_program *cast) {
  size_t used = offsetof(ma_program, code) + program->ncode * sizeof(ma_instr);
  memcpy(cast, program, used);
  cast->notes = NULL;
  int reg = program->output[0];
  if (t->first != MA_NDTYPE) reg = ma_program_cast(cast, reg, t->first);
  if (reg >= 0) reg = ma_program_cast(cast, reg, t->loop);
  if (reg < 0)
    return ma_fail(MA_ERR_VALUE, "a program of %d instructions; a reduction that casts takes at most %d", MA_MAX_CODE,
                   MA_MAX_CODE - 1);
  cast->output[0] = (uint8_t)reg;
  return MA_OK;
}

/* `ran`: NULL, or set to false if the kernel is not compiled yet; then nothing was done. */
static ma_status run_reduction(ma_reduction *reduction, uint32_t axes, const ma_array *const *input, int ndim,
                               const int64_t *shape, ma_array *target, bool keepdims, bool *ran, ma_stream *stream) {
  ma_space all;
  int at = 0;
  MA_TRY(read_inputs(&all, reduction->program, input, ndim, shape, stream, reduction->data));
  MA_TRY(ma_array_write(target, stream, &reduction->data[0]));
  for (int d = 0; d < ndim; d++) {
    bool reduced = axes >> d & 1;
    all.stride[0][d] = reduced ? 0 : target->stride[at];
    at += !reduced || keepdims;
  }
  ma_reduce_arrange(reduction, &all, 1, axes);
  if (ran && stream->device->backend->reduce.attempt)
    return stream->device->backend->reduce.attempt(stream, reduction, ran);
  return stream->device->backend->reduce.run(stream, reduction);
}

/* Whether elements that follow each other in C order are far apart in memory while another reduced axis is short, as
** in the sum of a whole transpose. The order of the sum may not change, so the elements are first copied into C
** order, which is faster than walking them in place. */
static bool is_scattered(const ma_program *program, const ma_array *const *input, uint32_t axes, int ndim,
                         const int64_t *shape, int64_t count) {
  int64_t last = -1, least = INT64_MAX;
  if (count < 32768) return false;
  for (int d = 0; d < ndim; d++) {
    if (!(axes >> d & 1) || shape[d] < 2) continue;
    int64_t nearest = INT64_MAX; /* the shortest step of an input that moves */
    for (int k = 0; k < program->ninput; k++) {
      int64_t step = ma_magnitude(broadcast_stride(input[k], ndim, d, shape[d]));
      if (step && step < nearest) nearest = step;
    }
    if (nearest == INT64_MAX) continue;
    last = nearest;
    if (shape[d] >= 16 && nearest < least) least = nearest;
  }
  return least <= 16 && last >= 8 * least;
}

/* The outputs of the program as contiguous arrays, and a program that reads them. */
typedef struct gathered {
  ma_array array[2];
  ma_program program;
  const ma_array *input[2];
} gathered;

static ma_status gather_outputs(gathered *g, const ma_program *program, const ma_array *const *input,
                                const ma_value *scalar, int ndim, const int64_t *shape, bool deferred,
                                ma_device *device, ma_stream *stream) {
  ma_array *result[2] = { &g->array[0], &g->array[1] };
  ma_status status = MA_OK;
  ma_program_clear(&g->program);
  for (int k = 0; k < program->noutput; k++) g->array[k].buffer = NULL;
  for (int k = 0; k < program->noutput && status == MA_OK; k++) {
    ma_dtype dtype = ma_program_dtype(program, program->output[k]);
    g->input[k] = result[k];
    ma_program_output(&g->program, ma_program_input(&g->program, dtype));
    status = ma_array_new(result[k], device, dtype, ndim, shape);
  }
  if (status != MA_OK) return status;
  return (deferred ? ma_program_run_ready : ma_program_run)(program, input, scalar, result, stream);
}

static void release_outputs(gathered *g) {
  for (int k = 0; k < g->program.noutput; k++) ma_array_release(&g->array[k]);
}

/* Over elements that are first copied into C order; what is left is a plain reduction. */
static ma_status reduce_gathered(const ma_reduction *reduction, const ma_array *const *input, const ma_value *scalar,
                                 uint32_t axes, bool keepdims, int ndim, const int64_t *shape, ma_array *target,
                                 bool deferred, ma_stream *stream) {
  gathered g;
  ma_reduction plain = *reduction;
  plain.program = &g.program;
  ma_status status = gather_outputs(&g, reduction->program, input, scalar, ndim, shape, deferred, stream->device,
                                    stream);
  if (status == MA_OK) status = run_reduction(&plain, axes, g.input, ndim, shape, target, keepdims, NULL, stream);
  release_outputs(&g);
  return status;
}

ma_status ma_reduce_settled(ma_reduction *reduction, const ma_array *const *input, const ma_value *scalar,
                            uint32_t axes, bool keepdims, int ndim, const int64_t *shape, ma_array *target, bool *ran,
                            ma_stream *stream) {
  reduction->starts = NULL;
  reduction->count = 1;
  for (int d = 0; d < ndim; d++) reduction->count *= axes >> d & 1 ? shape[d] : 1;
  if (is_scattered(reduction->program, input, axes, ndim, shape, reduction->count))
    return reduce_gathered(reduction, input, scalar, axes, keepdims, ndim, shape, target, ran != NULL, stream);
  for (int k = 0; k < reduction->program->nscalar; k++) reduction->scalar[k] = scalar[k];
  return run_reduction(reduction, axes, input, ndim, shape, target, keepdims, ran, stream);
}

ma_status ma_reduce_in_memory(ma_reduce_op op, const ma_program *program, const ma_array *const *input,
                              const ma_value *scalar, const ma_reduce_options *options, ma_array *result, bool *ran,
                              ma_stream *stream) {
  ma_reduction reduction;
  ma_program cast;
  ma_device *device;
  ma_array made, *target;
  ma_reduce_dtypes t;
  ma_reduce_options placed;
  ma_value initial;
  int ndim, nresult = 0;
  int64_t shape[MA_MAX_NDIM], kept[MA_MAX_NDIM], count = 1;
  bool fresh = !result->buffer;
  MA_TRY(ma_reduce_shape(program, input, result, &ndim, shape, &device));
  MA_TRY(check_initial(op, options));
  MA_TRY(ma_reduce_types(op, ma_program_dtype(program, program->output[0]), options->dtype, result, &t));
  MA_TRY(place_initial(options, t.loop, &placed, &initial));
  options = &placed;
  if (ma_program_dtype(program, program->output[0]) != t.loop || t.first != MA_NDTYPE) {
    MA_TRY(ma_reduce_cast(program, &t, &cast));
    program = &cast;
  }
  for (int d = 0; d < ndim; d++) {
    bool reduced = options->axes >> d & 1;
    if (reduced) count *= shape[d];
    if (!reduced || options->keepdims) kept[nresult++] = reduced ? 1 : shape[d];
  }
  if (device != stream->device) stream = ma_device_null_stream(device);
  MA_TRY(ma_reduce_check_positions(op, options->dtype, count));
  if (count == 0) MA_TRY(check_empty(op, options));
  ma_status status = prepare_result(program, input, device, &t, nresult, kept, result, &made, &target);
  if (status == MA_OK && target->size > 0) {
    if (count == 0) {
      status = fill_empty(op, &t, options, target, stream);
    } else {
      reduction.op = op;
      reduction.program = program;
      reduction.result = t.result;
      reduction.param = options->ddof;
      reduction.has_initial = options->initial != NULL;
      if (options->initial) reduction.initial = initial;
      status = ma_reduce_settled(&reduction, input, scalar, options->axes, options->keepdims, ndim, shape, target, ran,
                                 stream);
    }
  }
  if (status != MA_OK || !ran || *ran) return finish_result(status, result, fresh, &made, stream);
  ma_array_release(&made);
  if (fresh) ma_array_release(result);
  return MA_OK;
}

/* ==== Segments ================================================================================================== */

ma_status ma_reduce_segments(ma_reduce_op op, const ma_array *rows, const ma_array *starts, ma_dtype dtype,
                             ma_array *result, ma_stream *stream) {
  ma_reduction r = { .op = op, .nkept = 2, .count = rows->shape[1] };
  ma_program program, cast;
  ma_array made, *target;
  ma_reduce_dtypes t;
  const int64_t shape[2] = { rows->shape[0], starts->shape[0] };
  if (ma_array_device(starts) != ma_array_device(rows))
    return ma_device_apart(ma_array_device(rows), ma_array_device(starts));
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_input(&program, (ma_dtype)rows->dtype));
  MA_TRY(ma_reduce_types(op, (ma_dtype)rows->dtype, dtype, result, &t));
  r.program = &program;
  r.result = t.result;
  if ((ma_dtype)rows->dtype != t.loop || t.first != MA_NDTYPE) {
    MA_TRY(ma_reduce_cast(&program, &t, &cast));
    r.program = &cast;
  }
  MA_TRY(prepare_result(&program, &rows, ma_array_device(rows), &t, 2, shape, result, &made, &target));
  ma_status status = MA_OK;
  if (target->size > 0) {
    r.space = (ma_space){ .ndim = 3, .noperand = 2, .shape = { shape[0], shape[1], rows->shape[1] } };
    for (int d = 0; d < 2; d++) r.space.stride[0][d] = target->stride[d];
    r.space.stride[1][0] = rows->stride[0];
    r.space.stride[1][2] = rows->stride[1];
    status = ma_array_read(rows, stream, (const void **)&r.data[1]);
    if (status == MA_OK) status = ma_array_read(starts, stream, (const void **)&r.starts);
    if (status == MA_OK) status = ma_array_write(target, stream, &r.data[0]);
    if (status == MA_OK) status = stream->device->backend->reduce.run(stream, &r);
  }
  return finish_result(status, result, true, &made, stream);
}

/* ==== Scans ====================================================================================================== */

static ma_status run_scan(ma_scan *scan, int axis, const ma_array *const *input, int ndim, const int64_t *shape,
                          ma_array *target, ma_stream *stream) {
  ma_space all;
  MA_TRY(read_inputs(&all, scan->program, input, ndim, shape, stream, scan->data));
  MA_TRY(ma_array_write(target, stream, &scan->data[0]));
  for (int d = 0; d < ndim; d++) all.stride[0][d] = target->stride[d];
  ma_scan_arrange(scan, &all, axis);
  return stream->device->backend->reduce.scan(stream, scan);
}

static ma_status run_scan_over(ma_reduce_op op, const ma_program *program, const ma_array *const *input,
                               const ma_value *scalar, int axis, ma_dtype dtype, ma_array *result, ma_stream *stream) {
  ma_scan scan;
  ma_program cast;
  ma_device *device;
  ma_array made, *target;
  ma_reduce_dtypes t;
  int ndim;
  int64_t shape[MA_MAX_NDIM];
  bool fresh = !result->buffer;
  if (!(ma_reduces[op].flags & MA_REDF_SCAN))
    return ma_fail(MA_ERR_VALUE, "%s; there is no running form of it", ma_reduces[op].name);
  MA_TRY(ma_reduce_shape(program, input, result, &ndim, shape, &device));
  MA_TRY(ma_reduce_types(op, ma_program_dtype(program, program->output[0]), dtype, result, &t));
  if (ma_program_dtype(program, program->output[0]) != t.loop || t.first != MA_NDTYPE) {
    MA_TRY(ma_reduce_cast(program, &t, &cast));
    program = &cast;
  }
  if (device != stream->device) stream = ma_device_null_stream(device);
  ma_status status = prepare_result(program, input, device, &t, ndim, shape, result, &made, &target);
  if (status == MA_OK && target->size > 0) {
    scan.op = op;
    scan.program = program;
    scan.result = t.result;
    for (int k = 0; k < program->nscalar; k++) scan.scalar[k] = scalar[k];
    status = run_scan(&scan, axis, input, ndim, shape, target, stream);
  }
  return finish_result(status, result, fresh, &made, stream);
}

/* As for reductions (waiting.c). A scan cannot run in another way while its kernel is compiled, so this is only for
** backends that compile none. */
static ma_status scan_joined(ma_reduce_op op, const ma_program *program, const ma_array *const *input,
                             const ma_value *scalar, int axis, ma_dtype dtype, ma_array *result, bool *ran,
                             ma_stream *stream) {
  ma_joined joined;
  ma_array array[MA_MAX_INPUTS];
  const ma_array *term[MA_MAX_INPUTS];
  ma_device *device;
  int64_t shape[MA_MAX_NDIM];
  int ndim;
  *ran = false;
  MA_TRY(ma_reduce_shape(program, input, result, &ndim, shape, &device));
  if (device->backend->map.attempt) return MA_OK;
  MA_TRY(ma_program_settle_results(1, &result, false));
  MA_TRY(ma_joined_make(&joined, program, input, scalar, ndim, shape));
  if (joined.size == 0 || !ma_reduce_is_worth(&joined)) return MA_OK;
  ma_joined_arrays(&joined, array, term);
  ma_joined_absorb(&joined);
  *ran = true;
  ma_status status = run_scan_over(op, &joined.program, term, joined.scalar, axis, dtype, result, stream);
  if (status != MA_OK) ma_joined_restore(&joined);
  return status;
}

ma_status ma_scan_run(ma_reduce_op op, const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                      int axis, ma_dtype dtype, ma_array *result, ma_stream *stream) {
  if (ma_reduce_any_pending(program, input)) {
    bool ran;
    MA_TRY(scan_joined(op, program, input, scalar, axis, dtype, result, &ran, stream));
    if (ran) return MA_OK;
    MA_TRY(ma_reduce_evaluate(program, input, "a scan"));
  }
  return run_scan_over(op, program, input, scalar, axis, dtype, result, stream);
}
