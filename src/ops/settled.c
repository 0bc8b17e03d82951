/*
** settled.c: reductions and scans of operands in memory: dtypes, shapes and axes. The backend gets one ma_reduction or
** ma_scan with as few axes as possible. kernels/reduce/reduce.h has the arithmetic.
*/
#include "compile/compile.h"
#include "ops/reduce.h"
#include "program/arrange.h"
#include "program/loop.h"
#include "program/operands.h"
#include "run/pending.h"
#include "run/run.h"
#include "run/substitute.h"

#include <string.h>

/* ==== Dtypes ===================================================================================================== */

static ma_status find_types(ma_reduce_op op, ma_dtype from, ma_dtype dtype, const ma_array *out, ma_reduce_dtypes *t) {
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

/* ==== Operands ==================================================================================================== */

ma_status ma_reduce_type(const ma_reducing *r, const ma_program *program, ma_terms *o) {
  ma_dtype from = ma_program_dtype(program, program->output[0]);
  o->program = program;
  MA_TRY(find_types(r->op, from, r->options->dtype, r->result, &o->t));
  if (from == o->t.loop && o->t.first == MA_NDTYPE) return MA_OK;
  ma_program_clone(&o->cast, program);
  o->cast.notes = NULL;
  o->program = &o->cast;
  int reg = program->output[0];
  if (o->t.first != MA_NDTYPE) reg = ma_program_cast(&o->cast, reg, o->t.first);
  if (reg >= 0) reg = ma_program_cast(&o->cast, reg, o->t.loop);
  if (reg < 0)
    return ma_fail(MA_ERR_VALUE, "a program of %d instructions; a reduction that casts takes at most %d", MA_MAX_CODE,
                   MA_MAX_CODE - 1);
  o->cast.output[0] = (uint8_t)reg;
  return MA_OK;
}

ma_status ma_reduce_begin(const ma_reducing *r, const ma_program *program, const ma_array *const *input, ma_terms *o) {
  o->device = NULL;
  MA_TRY(ma_operands_shape(program->ninput, input, 0, NULL, &o->ndim, o->shape));
  MA_TRY(ma_operands_device(program->ninput, input, 1, &r->result, &o->device));
  return ma_reduce_type(r, program, o);
}

int ma_reduce_kept(const ma_reduce_options *options, int ndim, const int64_t *shape, int64_t *kept, int64_t *count) {
  int n = 0;
  *count = 1;
  for (int d = 0; d < ndim; d++) {
    bool reduced = options->axes >> d & 1;
    if (reduced) *count *= shape[d];
    if (!reduced || options->keepdims) kept[n++] = reduced ? 1 : shape[d];
  }
  return n;
}

/* The stream for the work, which is done where the operands are. */
static ma_stream *stream_of(const ma_reducing *r, const ma_terms *o) {
  return o->device == r->stream->device ? r->stream : ma_device_null_stream(o->device);
}

/* Makes *result, or checks it. *target is the array that the backend writes: the result, or a temporary. */
static ma_status prepare_result(const ma_terms *o, const ma_array *const *input, int ndim, const int64_t *shape,
                                ma_array *result, ma_array *made, ma_array **target) {
  const ma_reduce_dtypes *t = &o->t;
  bool detour = t->declared != t->result;
  *target = result;
  made->buffer = NULL;
  if (!result->buffer) {
    MA_TRY(ma_array_new(result, o->device, t->declared, ndim, shape));
  } else {
    if (!ma_array_has_shape(result, ndim, shape)) {
      char has[256], wants[256];
      return ma_fail(MA_ERR_VALUE, "out of shape %s; the result has shape %s",
                     ma_shape_print(result->ndim, result->shape, has, sizeof has),
                     ma_shape_print(ndim, shape, wants, sizeof wants));
    }
    MA_TRY(ma_array_check_writable(result));
    detour = detour || result->dtype != t->result;
    for (int k = 0; k < o->program->ninput && !detour; k++) detour = ma_array_overlaps(result, input[k]);
  }
  if (!detour) return MA_OK;
  *target = made;
  return ma_array_new(made, o->device, t->result, ndim, shape);
}

static ma_status finish_result(ma_status status, ma_array *result, bool fresh, ma_array *made, ma_stream *stream) {
  if (status == MA_OK && made->buffer) status = ma_array_assign(result, made, stream);
  ma_array_release(made);
  if (status != MA_OK && fresh) ma_array_release(result);
  return status;
}

/* ==== The iteration space ======================================================================================== */

/* Fills the steps of the inputs over the broadcast shape; the caller fills those of the result. */
static ma_status read_inputs(ma_space *all, const ma_terms *o, const ma_array *const *input, ma_stream *stream,
                             void **data) {
  int n = o->program->ninput;
  all->ndim = o->ndim;
  all->noperand = n + 1;
  memcpy(all->shape, o->shape, (size_t)o->ndim * sizeof *o->shape);
  for (int k = 0; k < n; k++) ma_operands_strides(input[k], o->ndim, o->shape, all->stride[k + 1]);
  for (int k = 0; k < n; k++) MA_TRY(ma_array_read(input[k], stream, (const void **)&data[k + 1]));
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
static ma_status fill_empty(ma_reduce_op op, const ma_reduce_dtypes *t, const ma_value *initial, ma_array *target,
                            ma_stream *stream) {
  if (initial) return ma_array_fill(target, *initial, t->loop, stream);
  ma_value value = { .c = { ma_reduces[op].empty, 0 } };
  if (value.c.re != value.c.re) value.c.im = value.c.re;
  if (t->result == MA_INT64 || t->result == MA_UINT64 || ma_dtypes[t->result].kind < MA_KIND_FLOAT) {
    value.i = (int64_t)value.c.re;
    return ma_array_fill(target, value, MA_INT64, stream);
  }
  return ma_array_fill(target, value, MA_COMPLEX128, stream);
}

static ma_status check_initial(ma_reduce_op op, const ma_reduce_options *options) {
  if (options->initial && !(ma_reduces[op].flags & MA_REDF_INITIAL))
    return ma_fail(MA_ERR_VALUE, "an initial value; %s takes none", ma_reduces[op].name);
  return MA_OK;
}

/* Converts the initial value to the loop dtype; a whole Lua number that does not fit is an error. */
static ma_status place_initial(const ma_reduce_options *options, ma_dtype loop, ma_value *value) {
  if (!options->initial) return MA_OK;
  if (ma_weak_is_whole(options->initial_weak))
    return ma_value_weak(*options->initial, options->initial_weak, loop, value);
  *value = ma_value_cast(*options->initial, options->initial_dtype, loop);
  return MA_OK;
}

/* Whether elements that follow each other in C order are far apart in memory while another reduced axis is short, as
** in the sum of a whole transpose. The order of the sum may not change, so the elements are first copied into C
** order, which is faster than walking them in place. */
static bool is_scattered(const ma_terms *o, const ma_array *const *input, uint32_t axes, int64_t count) {
  int64_t stride[MA_MAX_INPUTS][MA_MAX_NDIM], last = -1, least = INT64_MAX;
  if (count < 32768) return false;
  for (int k = 0; k < o->program->ninput; k++) ma_operands_strides(input[k], o->ndim, o->shape, stride[k]);
  for (int d = 0; d < o->ndim; d++) {
    if (!(axes >> d & 1) || o->shape[d] < 2) continue;
    int64_t nearest = INT64_MAX; /* the shortest step of an input that moves */
    for (int k = 0; k < o->program->ninput; k++) {
      int64_t step = ma_magnitude(stride[k][d]);
      if (step && step < nearest) nearest = step;
    }
    if (nearest == INT64_MAX) continue;
    last = nearest;
    if (o->shape[d] >= 16 && nearest < least) least = nearest;
  }
  return least <= 16 && last >= 8 * least;
}

ma_status ma_reduce_gathered(const ma_reducing *r, const ma_terms *o, const ma_array *const *input,
                             const ma_value *scalar, const ma_value *initial, ma_array *target, bool ready) {
  ma_array array[2] = { { .buffer = NULL }, { .buffer = NULL } }, *made[2] = { &array[0], &array[1] };
  const ma_array *values[2] = { &array[0], &array[1] };
  ma_program program;
  ma_terms plain = *o;
  ma_status status = MA_OK;
  ma_program_clear(&program);
  plain.program = &program;
  for (int k = 0; k < o->program->noutput && status == MA_OK; k++) {
    ma_dtype dtype = ma_program_dtype(o->program, o->program->output[k]);
    ma_program_output(&program, ma_program_input(&program, dtype));
    status = ma_array_new(made[k], r->stream->device, dtype, o->ndim, o->shape);
  }
  if (status == MA_OK)
    status = (ready ? ma_program_run_ready : ma_program_run)(o->program, input, scalar, made, r->stream);
  if (status == MA_OK) status = ma_reduce_settled(r, &plain, values, NULL, initial, target, NULL);
  for (int k = 0; k < 2; k++) ma_array_release(made[k]);
  return status;
}

ma_status ma_reduce_settled(const ma_reducing *r, const ma_terms *o, const ma_array *const *input,
                            const ma_value *scalar, const ma_value *initial, ma_array *target, bool *ran) {
  const ma_backend *backend = r->stream->device->backend;
  uint32_t axes = r->options->axes;
  ma_reduction how;
  ma_space all;
  int at = 0;
  how.op = r->op;
  how.program = o->program;
  how.result = o->t.result;
  how.param = r->options->ddof;
  how.starts = NULL;
  how.has_initial = initial != NULL;
  if (initial) how.initial = *initial;
  how.count = 1;
  for (int d = 0; d < o->ndim; d++) how.count *= axes >> d & 1 ? o->shape[d] : 1;
  if (is_scattered(o, input, axes, how.count))
    return ma_reduce_gathered(r, o, input, scalar, initial, target, ran != NULL);
  for (int k = 0; k < o->program->nscalar; k++) how.scalar[k] = scalar[k];
  MA_TRY(read_inputs(&all, o, input, r->stream, how.data));
  MA_TRY(ma_array_write(target, r->stream, &how.data[0]));
  for (int d = 0; d < o->ndim; d++) {
    bool reduced = axes >> d & 1;
    all.stride[0][d] = reduced ? 0 : target->stride[at];
    at += !reduced || r->options->keepdims;
  }
  ma_reduce_arrange(&how, &all, 1, axes);
  ma_status status = ran && backend->reduce.attempt ? backend->reduce.attempt(r->stream, &how, ran)
                                                    : backend->reduce.run(r->stream, &how);
  if (__builtin_expect(status != MA_ERR_LACK, 1)) {
    if (ran && *ran && o->program->ncode > 0) MA_FIGURE(fused, 1); /* what is gathered counts its own runs */
    return status;
  }
  if (o->program->ncode == 0) return ma_substitute_reduction(r->stream, &how);
  ma_lack_forget();
  return ma_reduce_gathered(r, o, input, scalar, initial, target, ran != NULL);
}

ma_status ma_reduce_in_memory(const ma_reducing *given, const ma_program *program, const ma_array *const *input,
                              const ma_value *scalar, bool *ran) {
  ma_reducing r = *given;
  const ma_reduce_options *options = r.options;
  ma_terms o;
  ma_array made, *target;
  ma_value initial;
  int64_t kept[MA_MAX_NDIM], count;
  bool fresh = !r.result->buffer, ready = true;
  MA_TRY(check_initial(r.op, options));
  MA_TRY(ma_reduce_begin(&r, program, input, &o));
  MA_TRY(place_initial(options, o.t.loop, &initial));
  int nresult = ma_reduce_kept(options, o.ndim, o.shape, kept, &count);
  r.stream = stream_of(&r, &o);
  MA_TRY(ma_reduce_check_positions(r.op, options->dtype, count));
  if (count == 0) MA_TRY(check_empty(r.op, options));
  bool yields = !ran && program->ncode > 0 && !program->body && ma_compile_yields();
  const ma_value *first = options->initial ? &initial : NULL;
  ma_status status = prepare_result(&o, input, nresult, kept, r.result, &made, &target);
  if (status == MA_OK && target->size > 0)
    status = count ? ma_reduce_settled(&r, &o, input, scalar, first, target, yields ? &ready : ran)
                   : fill_empty(r.op, &o.t, first, target, r.stream);
  if (status == MA_OK && !ready) status = ma_reduce_gathered(&r, &o, input, scalar, first, target, true);
  if (status != MA_OK || !ran || *ran) return finish_result(status, r.result, fresh, &made, r.stream);
  ma_array_release(&made);
  if (fresh) ma_array_release(r.result);
  return MA_OK;
}

/* ==== Segments ================================================================================================== */

ma_status ma_reduce_segments(ma_reduce_op op, const ma_array *rows, const ma_array *starts, ma_dtype dtype,
                             ma_array *result, ma_stream *stream) {
  const ma_reduce_options options = { .axes = 2, .dtype = dtype };
  const ma_reducing r = { op, &options, result, stream, NULL };
  ma_reduction how = { .op = op, .nkept = 2, .count = rows->shape[1] };
  ma_program program;
  ma_terms o;
  ma_array made, *target;
  const int64_t shape[2] = { rows->shape[0], starts->shape[0] };
  if (ma_array_device(starts) != ma_array_device(rows))
    return ma_device_apart(ma_array_device(rows), ma_array_device(starts));
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_input(&program, (ma_dtype)rows->dtype));
  MA_TRY(ma_reduce_begin(&r, &program, &rows, &o));
  how.program = o.program;
  how.result = o.t.result;
  ma_status status = prepare_result(&o, &rows, 2, shape, result, &made, &target);
  if (status == MA_OK && target->size > 0) {
    how.space = (ma_space){ .ndim = 3, .noperand = 2, .shape = { shape[0], shape[1], rows->shape[1] } };
    for (int d = 0; d < 2; d++) how.space.stride[0][d] = target->stride[d];
    how.space.stride[1][0] = rows->stride[0];
    how.space.stride[1][2] = rows->stride[1];
    status = ma_array_read(rows, stream, (const void **)&how.data[1]);
    if (status == MA_OK) status = ma_array_read(starts, stream, (const void **)&how.starts);
    if (status == MA_OK) status = ma_array_write(target, stream, &how.data[0]);
    if (status == MA_OK) status = stream->device->backend->reduce.run(stream, &how);
    if (status == MA_ERR_LACK) status = ma_substitute_reduction(stream, &how);
  }
  return finish_result(status, result, true, &made, stream);
}

/* ==== Scans ====================================================================================================== */

static ma_status run_scan(const ma_reducing *r, const ma_terms *o, const ma_array *const *input, const ma_value *scalar,
                          ma_array *target, ma_stream *stream) {
  ma_scan scan;
  ma_space all;
  scan.op = r->op;
  scan.program = o->program;
  scan.result = o->t.result;
  for (int k = 0; k < o->program->nscalar; k++) scan.scalar[k] = scalar[k];
  MA_TRY(read_inputs(&all, o, input, stream, scan.data));
  MA_TRY(ma_array_write(target, stream, &scan.data[0]));
  memcpy(all.stride[0], target->stride, (size_t)o->ndim * sizeof *target->stride);
  ma_scan_arrange(&scan, &all, __builtin_ctz(r->options->axes));
  ma_status status = stream->device->backend->reduce.scan(stream, &scan);
  return status == MA_ERR_LACK ? ma_substitute_scan(stream, &scan) : status;
}

ma_status ma_scan_in_memory(const ma_reducing *r, const ma_program *program, const ma_array *const *input,
                            const ma_value *scalar, bool *ran) {
  ma_terms o;
  ma_array made, *target;
  bool fresh = !r->result->buffer;
  MA_TRY(ma_reduce_begin(r, program, input, &o));
  if (ran) *ran = !o.device->backend->map.attempt; /* which compiles no kernels */
  if (ran && !*ran) return MA_OK;
  ma_stream *stream = stream_of(r, &o);
  ma_status status = prepare_result(&o, input, o.ndim, o.shape, r->result, &made, &target);
  if (status == MA_OK && target->size > 0) status = run_scan(r, &o, input, scalar, target, stream);
  if (ran && o.program->ncode > 0) MA_FIGURE(fused, 1);
  return finish_result(status, r->result, fresh, &made, stream);
}
