/*
** partial.c: reductions of an array whose parts several processes have. Each process reduces its part to partial
** results, which it does not round. They move as bytes, and are merged in one order everywhere and rounded once, so
** every process gets the same bits.
*/
#include "ops/reduce.h"

/* ma_reducing.run of a part. */
static ma_status reduce_part(const ma_reducing *r, const ma_program *program, const ma_array *const *input,
                             const ma_value *scalar, bool *ran) {
  const ma_backend *backend = r->stream->device->backend;
  int64_t kept[MA_MAX_NDIM + 1], count;
  ma_terms o;
  MA_TRY(ma_reduce_begin(r, program, input, &o));
  int n = ma_reduce_kept(r->options, o.ndim, o.shape, kept, &count);
  if (n == MA_MAX_NDIM) return ma_fail(MA_ERR_VALUE, "%d axes that stay; at most %d", n, MA_MAX_NDIM - 1);
  o.t.result = MA_NDTYPE;
  kept[n++] = (int64_t)backend->reduce.partial(&(ma_reduction){ .op = r->op, .program = o.program });
  MA_TRY(ma_array_new(r->result, r->stream->device, MA_UINT8, n, kept));
  if (r->result->size == 0 || count == 0) return MA_OK;
  ma_status status = ma_reduce_settled(r, &o, input, scalar, NULL, r->result, ran);
  if (status != MA_OK || (ran && !*ran)) ma_array_release(r->result);
  return status;
}

ma_status ma_reduce_part(ma_reduce_op op, const ma_array *part, const ma_array *where, bool leave_out,
                         const ma_reduce_options *options, ma_array *result, ma_stream *stream) {
  const ma_reducing r = { op, options, result, stream, reduce_part };
  const ma_array *const input[] = { part, where };
  ma_program program;
  ma_reduce_source(&program, NULL, (ma_dtype)part->dtype, leave_out ? MA_NAN_LEAVE_OUT : MA_NAN_KEEP, where != NULL);
  return ma_reduce_over(&r, &program, input, NULL, "a reduction");
}

ma_status ma_reduce_merge(ma_reduce_op op, ma_dtype dtype, bool leave_out, bool masked,
                          const ma_reduce_options *options, ma_array *parts, int64_t count, ma_array *result,
                          ma_stream *stream) {
  const ma_reducing r = { op, options, result, stream, NULL };
  const ma_backend *backend = stream->device->backend;
  ma_program program;
  ma_terms o;
  void *from, *to;
  ma_reduce_source(&program, NULL, dtype, leave_out ? MA_NAN_LEAVE_OUT : MA_NAN_KEEP, masked);
  MA_TRY(ma_reduce_type(&r, &program, &o));
  const ma_reduction how = {
    .op = op, .program = o.program, .result = o.t.result, .count = count, .param = options->ddof
  };
  int last = parts->ndim - 1;
  if (last < 1 || parts->shape[0] < 1 || !ma_array_is_contiguous(parts) ||
      (size_t)parts->shape[last] != backend->reduce.partial(&how))
    return ma_fail(MA_ERR_VALUE, "parts that are not those of this reduction");
  MA_TRY(ma_array_write(parts, stream, &from));
  MA_TRY(ma_array_new(result, stream->device, o.t.result, last - 1, parts->shape + 1));
  ma_status status = ma_array_write(result, stream, &to);
  if (status == MA_OK && result->size > 0)
    status = backend->reduce.merge(stream, &how, from, (int)parts->shape[0], result->size, to);
  if (status != MA_OK) ma_array_release(result);
  return status;
}
