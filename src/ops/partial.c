/*
** partial.c: reductions of an array whose parts several processes have. Each process reduces its part to partial
** results, which it does not round. They move as bytes, and are merged in one order everywhere and rounded once, so
** every process gets the same bits.
*/
#include "ops/reduce.h"
#include "program/operands.h"

/* The program in front of the reduction: the array, and a mask of the elements that count. `masked`: a second input
** says which do; with `leave_out` NaN does not. */
static void make_source(ma_program *program, ma_dtype dtype, bool leave_out, bool masked) {
  ma_program_clear(program);
  int x = ma_program_input(program, dtype), mask = masked ? ma_program_input(program, MA_BOOL) : -1;
  ma_program_output(program, x);
  if (leave_out && ma_dtypes[dtype].kind >= MA_KIND_FLOAT) {
    int isnan = ma_program_emit(program, MA_DO_is_nan, dtype, &x);
    int both[2] = { ma_program_emit(program, MA_DO_not, MA_BOOL, &isnan), mask };
    mask = masked ? ma_program_emit(program, MA_DO_both, MA_BOOL, both) : both[0];
  }
  if (mask >= 0) ma_program_output(program, mask);
}

/* The types of the reduction, and its program with the cast to them. */
static ma_status prepare(ma_reduce_op op, const ma_program *program, const ma_reduce_options *options,
                         ma_reduce_dtypes *t, ma_program *cast, ma_reduction *how) {
  const ma_array none = { .buffer = NULL };
  ma_dtype from = ma_program_dtype(program, program->output[0]);
  MA_TRY(ma_reduce_types(op, from, options->dtype, &none, t));
  *how = (ma_reduction){ .op = op, .program = program, .result = MA_NDTYPE, .param = options->ddof };
  if (from == t->loop && t->first == MA_NDTYPE) return MA_OK;
  MA_TRY(ma_reduce_cast(program, t, cast));
  how->program = cast;
  return MA_OK;
}

static ma_status reduce(ma_reduce_op op, const ma_program *program, const ma_array *const *input,
                        const ma_value *scalar, const ma_reduce_options *options, int ndim, const int64_t *shape,
                        ma_array *result, ma_stream *stream) {
  ma_reduce_dtypes t;
  ma_program cast;
  ma_reduction how;
  int64_t kept[MA_MAX_NDIM + 1], count = 1;
  int n = 0;
  MA_TRY(prepare(op, program, options, &t, &cast, &how));
  for (int d = 0; d < ndim; d++) {
    bool reduced = options->axes >> d & 1;
    if (reduced) count *= shape[d];
    if (!reduced || options->keepdims) kept[n++] = reduced ? 1 : shape[d];
  }
  if (n == MA_MAX_NDIM) return ma_fail(MA_ERR_VALUE, "%d axes that stay; at most %d", n, MA_MAX_NDIM - 1);
  kept[n++] = (int64_t)stream->device->backend->reduce.partial(&how);
  MA_TRY(ma_array_new(result, stream->device, MA_UINT8, n, kept));
  if (result->size == 0 || count == 0) return MA_OK;
  ma_status status = ma_reduce_settled(&how, input, scalar, options->axes, options->keepdims, ndim, shape, result, NULL,
                                       stream);
  if (status != MA_OK) ma_array_release(result);
  return status;
}

/* With the program of a pending operand taken in; *ran is false if it must be evaluated first. */
static ma_status reduce_joined(ma_reduce_op op, const ma_program *program, const ma_array *const *input,
                               const ma_reduce_options *options, ma_array *result, bool *ran, ma_stream *stream) {
  ma_joined joined;
  ma_array array[MA_MAX_INPUTS];
  const ma_array *term[MA_MAX_INPUTS];
  *ran = false;
  MA_TRY(ma_joined_make(&joined, program, input, NULL, input[0]->ndim, input[0]->shape));
  if (joined.size == 0 || !ma_reduce_is_worth(&joined)) return MA_OK;
  ma_joined_arrays(&joined, array, term);
  ma_joined_absorb(&joined);
  *ran = true;
  ma_status status = reduce(op, &joined.program, term, joined.scalar, options, input[0]->ndim, input[0]->shape, result,
                            stream);
  if (status != MA_OK) ma_joined_restore(&joined);
  return status;
}

ma_status ma_reduce_part(ma_reduce_op op, const ma_array *part, const ma_array *where, bool leave_out,
                         const ma_reduce_options *options, ma_array *result, ma_stream *stream) {
  ma_program program;
  const ma_array *const input[] = { part, where };
  make_source(&program, (ma_dtype)part->dtype, leave_out, where != NULL);
  if (ma_reduce_any_pending(&program, input)) {
    bool ran;
    MA_TRY(reduce_joined(op, &program, input, options, result, &ran, stream));
    if (ran) return MA_OK;
    MA_TRY(ma_reduce_evaluate(&program, input, "a reduction"));
  }
  return reduce(op, &program, input, NULL, options, part->ndim, part->shape, result, stream);
}

ma_status ma_reduce_merge(ma_reduce_op op, ma_dtype dtype, bool leave_out, bool masked,
                          const ma_reduce_options *options, ma_array *parts, int64_t count, ma_array *result,
                          ma_stream *stream) {
  ma_reduce_dtypes t;
  ma_program program, cast;
  ma_reduction how;
  void *from, *to;
  const ma_backend *backend = stream->device->backend;
  make_source(&program, dtype, leave_out, masked);
  MA_TRY(prepare(op, &program, options, &t, &cast, &how));
  int last = parts->ndim - 1;
  if (last < 1 || parts->shape[0] < 1 || !ma_array_is_contiguous(parts) ||
      (size_t)parts->shape[last] != backend->reduce.partial(&how))
    return ma_fail(MA_ERR_VALUE, "parts that are not those of this reduction");
  how.result = t.result;
  how.count = count;
  MA_TRY(ma_array_write(parts, stream, &from));
  MA_TRY(ma_array_new(result, stream->device, t.result, last - 1, parts->shape + 1));
  ma_status status = ma_array_write(result, stream, &to);
  if (status == MA_OK && result->size > 0)
    status = backend->reduce.merge(stream, &how, from, (int)parts->shape[0], result->size, to);
  if (status != MA_OK) ma_array_release(result);
  return status;
}
