/* direct.c: recognises an operation on small arrays of one dtype and shape, packed or of packed rows, and runs it
** without a program.
** All other cases, and all errors, are left to ufunc.c and reduce.c. The results have the same bits. */
#include "defer/defer.h"
#include "defer/direct.h"
#include "program/operands.h"
#include "defer/pending.h"

/* Whether the op has one or two operands of the loop dtype `t`, and t has the same form in memory and in a register. */
static bool find_plain_loop(ma_opcode op, ma_dtype t) {
  const ma_op_info *info = &ma_ops[op];
  ma_kind kind = ma_dtypes[t].kind;
  if (info->nin < 1 || info->nin > MA_DIRECT_ARITY || info->in[0] != MA_SIG_T ||
      (info->nin == 2 && info->in[1] != MA_SIG_T))
    return false;
  if (kind == MA_KIND_BOOL || ma_dtypes[t].itemsize != ma_dtypes[t].regsize || !info->body[kind] ||
      info->flags & MA_OPF_DOUBLE)
    return false;
  return kind >= MA_KIND_FLOAT ||
         (info->body[MA_KIND_SIGNED] && !(info->flags & MA_OPF_TRUE_DIVIDE) && op != MA_OP_power);
}

enum { UNKNOWN, PLAIN, OTHER };

/* The answer is cached without a lock: every thread would write the same value. */
static inline bool has_plain_loop(ma_opcode op, ma_dtype t) {
  static uint8_t known[MA_NOP][MA_NDTYPE];
  uint8_t answer = __atomic_load_n(&known[op][t], __ATOMIC_RELAXED);
  if (__builtin_expect(answer == UNKNOWN, 0))
    __atomic_store_n(&known[op][t], answer = find_plain_loop(op, t) ? PLAIN : OTHER, __ATOMIC_RELAXED);
  return answer == PLAIN;
}

/* Whether arrays of this size are computed directly on the stream's device. Not while uses are watched. */
static bool takes_size(const ma_stream *stream, int64_t size) {
  return stream->device->backend->map.direct && size > 0 && size <= MA_DIRECT_MOST &&
         size < __atomic_load_n(&ma_defer_from, __ATOMIC_RELAXED) &&
         !__atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED);
}

static inline bool is_there(const ma_array *array, const ma_stream *stream) {
  return !array->buffer->pending && array->buffer->device == stream->device;
}

/* Whether a Lua number takes the array's dtype and fits it. */
static bool read_scalar(const ma_arg *arg, ma_opcode op, ma_dtype t, ma_value *value) {
  return arg->weak != MA_STRONG && op != MA_OP_power && ma_dtype_promote_weak(t, arg->weak) == t &&
         ma_value_weak(arg->value, arg->weak, t, value) == MA_OK;
}

/* Whether a given result can be written in place: that must not change an input, or an array that a pending program
** reads. */
static bool takes_result(const ma_array *result, const ma_direct *d, const ma_arg *arg, int nin, const ma_array *first,
                         const ma_stream *stream) {
  if (result->readonly || result->dtype != d->result || result->buffer->readers || !is_there(result, stream) ||
      !ma_operand_is_packed(result, first->ndim, first->shape))
    return false;
  for (int k = 0; k < nin; k++)
    if (arg[k].array && ma_array_overlaps(result, arg[k].array) && !ma_operands_same(result, arg[k].array))
      return false;
  return true;
}

/* Whether the array, which is not packed, has packed rows that are worth copying. */
static bool has_rows(ma_direct *d, int k, const ma_array *array, const ma_array *first) {
  int64_t size = ma_dtypes[array->dtype].itemsize;
  if (first->ndim != 2 || array->ndim != 2 || array->shape[0] != first->shape[0] ||
      array->shape[1] != first->shape[1] || array->stride[1] != size)
    return false;
  if (first->shape[1] * size < MA_DIRECT_ROW || first->size * size > MA_DIRECT_ROWS ||
      array->stride[0] < first->shape[1] * size)
    return false;
  d->width = (int)first->shape[1];
  d->step[k] = array->stride[0];
  return true;
}

/* Makes a packed array whose size is known to be small. */
static inline ma_status make(ma_array *result, ma_device *device, ma_dtype dtype, int ndim, int64_t size) {
  MA_TRY(ma_handle_new(device, (size_t)(size * ma_dtypes[dtype].itemsize), &result->buffer));
  result->magic = MA_ARRAY_MAGIC;
  result->dtype = (uint8_t)dtype;
  result->ndim = (uint8_t)ndim;
  result->readonly = 0;
  result->is_view = 0;
  result->size = size;
  result->offset = 0;
  return MA_OK;
}

static ma_status make_like(ma_array *result, const ma_array *first, ma_dtype dtype) {
  int64_t step = ma_dtypes[dtype].itemsize;
  MA_TRY(make(result, first->buffer->device, dtype, first->ndim, first->size));
  for (int d = first->ndim - 1; d >= 0; d--) {
    result->shape[d] = first->shape[d];
    result->stride[d] = step;
    step *= first->shape[d];
  }
  return MA_OK;
}

static inline ma_status run(ma_direct *d, const ma_arg *arg, int nin, ma_array *result, ma_stream *stream, bool *ran) {
  for (int k = 0; k < nin; k++) {
    d->from[k] = NULL;
    if (!arg[k].array) continue;
    MA_TRY(ma_buffer_use(arg[k].array->buffer, stream, false));
    d->from[k] = (const char *)arg[k].array->buffer->ptr + arg[k].array->offset;
  }
  MA_TRY(ma_buffer_use(result->buffer, stream, true));
  d->to = (char *)result->buffer->ptr + result->offset;
  return stream->device->backend->map.direct(stream, d, ran);
}

ma_status ma_direct_apply(ma_opcode op, const ma_arg *arg, ma_array *result, ma_stream *stream, bool *ran) {
  const ma_array *first = arg[0].array;
  ma_direct d;
  int nin = ma_ops[op].nin;
  *ran = false;
  if (!first && nin == 2) first = arg[1].array;
  if (!first || !takes_size(stream, first->size)) return MA_OK;
  ma_dtype t = (ma_dtype)first->dtype;
  if (!has_plain_loop(op, t)) return MA_OK;
  d.width = 0;
  for (int k = 0; k < nin; k++) {
    const ma_array *array = arg[k].array;
    d.step[k] = 0;
    if (array ? array->dtype != t || !is_there(array, stream) ||
                  (!ma_operand_is_packed(array, first->ndim, first->shape) && !has_rows(&d, k, array, first))
              : !read_scalar(&arg[k], op, t, &d.scalar[k]))
      return MA_OK;
  }
  d.reduces = false;
  d.op = op;
  d.loop = t;
  d.result = ma_sig_dtype((ma_sig)ma_ops[op].out, t);
  d.n = (int)first->size;
  bool fresh = !result->buffer;
  if (fresh) MA_TRY(make_like(result, first, d.result));
  else if (!takes_result(result, &d, arg, nin, first, stream)) return MA_OK;
  ma_status status = run(&d, arg, nin, result, stream, ran);
  if (fresh && (status != MA_OK || !*ran)) ma_array_release(result);
  return status;
}

/* Whether elements have the same form in memory and in a register. */
static bool is_plain(ma_dtype t) { return t != MA_BOOL && ma_dtypes[t].itemsize == ma_dtypes[t].regsize; }

ma_status ma_direct_cast(const ma_array *array, ma_dtype dtype, ma_array *result, ma_stream *stream, bool *ran) {
  *ran = false;
  if (!takes_size(stream, array->size) || !is_plain((ma_dtype)array->dtype) || !is_plain(dtype) ||
      !is_there(array, stream) || !ma_array_is_contiguous(array))
    return MA_OK;
  ma_arg arg;
  ma_direct d;
  arg.array = array;
  d.reduces = false;
  d.op = MA_OP_cast;
  d.loop = (ma_dtype)array->dtype;
  d.result = dtype;
  d.n = (int)array->size;
  d.width = 0;
  MA_TRY(make_like(result, array, dtype));
  ma_status status = run(&d, &arg, 1, result, stream, ran);
  if (status != MA_OK || !*ran) ma_array_release(result);
  return status;
}

/* Whether the reduction combines elements in their own dtype, which is also that of the result. */
static bool find_plain_reduction(ma_reduce_op op, ma_dtype t) {
  const ma_reduce_info *info = &ma_reduces[op];
  ma_kind kind = ma_dtypes[t].kind;
  if (kind == MA_KIND_BOOL || ma_dtypes[t].itemsize != ma_dtypes[t].regsize || info->flags & MA_REDF_TRUTH)
    return false;
  if ((info->flags & MA_REDF_INTEGER && kind >= MA_KIND_FLOAT) ||
      (info->flags & MA_REDF_FLOAT && kind == MA_KIND_COMPLEX))
    return false;
  return info->flags & MA_REDF_POSITION || (info->result == MA_RESULT_REAL && kind == MA_KIND_COMPLEX) ||
         ma_reduce_dtype(op, t) == t;
}

static inline bool has_plain_reduction(ma_reduce_op op, ma_dtype t) {
  static uint8_t known[MA_NREDUCE][MA_NDTYPE];
  uint8_t answer = __atomic_load_n(&known[op][t], __ATOMIC_RELAXED);
  if (__builtin_expect(answer == UNKNOWN, 0))
    __atomic_store_n(&known[op][t], answer = find_plain_reduction(op, t) ? PLAIN : OTHER, __ATOMIC_RELAXED);
  return answer == PLAIN;
}

ma_status ma_direct_reduce(ma_reduce_op op, const ma_array *array, ma_array *result, ma_stream *stream, bool *ran) {
  ma_dtype t = (ma_dtype)array->dtype;
  *ran = false;
  if (!takes_size(stream, array->size) || !array->ndim || !has_plain_reduction(op, t) || !is_there(array, stream) ||
      !ma_array_is_contiguous(array))
    return MA_OK;
  ma_arg arg;
  ma_direct d;
  arg.array = array;
  d.reduces = true;
  d.reduce = op;
  d.loop = t;
  d.result = ma_reduce_dtype(op, t);
  d.n = (int)array->size;
  d.width = 0;
  MA_TRY(make(result, stream->device, d.result, 0, 1));
  ma_status status = run(&d, &arg, 1, result, stream, ran);
  if (status != MA_OK || !*ran) ma_array_release(result);
  return status;
}
