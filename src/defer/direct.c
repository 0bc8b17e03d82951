/* direct.c: recognises an operation on small arrays of one dtype, and runs it without a program. Operands that are not
** packed, or are broadcast, are packed first (backend/direct.h).
** All other cases, and all errors, are left to ufunc.c and reduce.c. The results have the same bits. */
#include "defer/defer.h"
#include "base/inject.h"
#include "defer/direct.h"
#include "array/layout.h"
#include "program/loop.h"
#include "program/operands.h"
#include "defer/pending.h"

#include <string.h>

/* Whether the op has one or two operands of the loop dtype `t`, and t has the same form in memory and in a register. */
static bool find_plain_loop(ma_opcode op, ma_dtype t) {
  const ma_op_info *info = &ma_ops[op];
  ma_kind kind = ma_dtypes[t].kind;
  if (info->nin < 1 || info->nin > MA_DIRECT_ARITY || info->in[0] != MA_SIG_T ||
      (info->nin == 2 && info->in[1] != MA_SIG_T))
    return false;
  if (ma_dtypes[t].itemsize != ma_dtypes[t].regsize || !info->body[kind] || info->flags & MA_OPF_DOUBLE) return false;
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
  return stream->device->backend->map.direct && !__atomic_load_n(&ma_takes_long_way, __ATOMIC_RELAXED) && size > 0 &&
         size <= MA_DIRECT_MOST && size < __atomic_load_n(&ma_defer_from, __ATOMIC_RELAXED) &&
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
static bool takes_result(const ma_array *result, const ma_direct *d, const ma_arg *arg, int nin, int ndim,
                         const int64_t *shape, const ma_stream *stream) {
  if (result->readonly || result->dtype != d->result || result->buffer->readers || !is_there(result, stream) ||
      !ma_operand_is_packed(result, ndim, shape))
    return false;
  for (int k = 0; k < nin; k++)
    if (arg[k].array && ma_array_overlaps(result, arg[k].array) && !ma_operands_same(result, arg[k].array))
      return false;
  return true;
}

/* ==== Operands that are not packed ================================================================================ */

static inline bool copies(const ma_direct *d) { return d->op == MA_OP_cast && d->loop == d->result; }

/* Steps of up to two arrays over a shape, whose axes are in the order of the result's elements. */
typedef struct walk {
  int ndim, narray;
  int64_t shape[MA_MAX_NDIM], step[MA_DIRECT_ARITY][MA_MAX_NDIM];
} walk;

/* Adds an axis further in; it is merged with the one before where the steps allow it. */
static void walk_axis(walk *w, int64_t extent, const int64_t *step) {
  int last = w->ndim - 1;
  bool joins = last >= 0;
  if (extent == 1) return;
  for (int k = 0; k < w->narray; k++) joins = joins && w->step[k][last] == step[k] * extent;
  if (joins) w->shape[last] *= extent;
  else w->shape[last = w->ndim++] = extent;
  for (int k = 0; k < w->narray; k++) w->step[k][last] = step[k];
}

static bool is_packed_walk(const walk *w, int k, int64_t size) {
  for (int d = w->ndim - 1; d >= 0; size *= w->shape[d--])
    if (w->step[k][d] != size) return false;
  return true;
}

/* Says which operands are apart, and where their elements are. `axes`: the order of the result's axes. False if there
** are too many axes or bytes. */
static bool arrange(ma_direct *d, const ma_arg *arg, int nin, int ndim, const int64_t *shape, const int *axes) {
  int64_t stride[MA_DIRECT_ARITY][MA_MAX_NDIM], step[MA_DIRECT_ARITY] = { 0, 0 };
  int size = ma_dtypes[d->loop].itemsize;
  walk w = { .ndim = 0, .narray = 0 };
  const ma_array *array[MA_DIRECT_ARITY];
  int of[MA_DIRECT_ARITY];
  for (int k = 0; k < nin; k++) {
    if (!arg[k].array) continue;
    ma_operands_strides(arg[k].array, ndim, shape, stride[w.narray]);
    of[w.narray] = k;
    array[w.narray++] = arg[k].array;
  }
  for (int at = 0; at < ndim; at++) {
    for (int k = 0; k < w.narray; k++) step[k] = stride[k][axes[at]];
    walk_axis(&w, shape[axes[at]], step);
  }
  if (!w.ndim) { /* one element */
    w.shape[w.ndim++] = 1;
    for (int k = 0; k < w.narray; k++) w.step[k][0] = size;
  }
  if (w.ndim > MA_DIRECT_NDIM) return false;
  bool any = false;
  for (int k = 0; k < w.narray; k++) {
    d->apart[of[k]] = array[k]->dtype == MA_BOOL || !is_packed_walk(&w, k, size);
    any |= d->apart[of[k]];
    for (int e = 0; e < w.ndim; e++) d->stride[of[k]][e] = w.step[k][e];
  }
  d->ndim = w.ndim;
  for (int e = 0; e < w.ndim; e++) d->shape[e] = w.shape[e];
  return !any || d->n * size <= MA_DIRECT_APART || copies(d);
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

static inline void begin(ma_direct *d, ma_opcode op, ma_dtype loop, ma_dtype result, int64_t n) {
  d->reduces = false;
  d->op = op;
  d->loop = loop;
  d->result = result;
  d->n = (int)n;
  d->apart[0] = d->apart[1] = false;
}

/* Runs `d` into the result, which this has made if it is `fresh`. */
static ma_status run_into(ma_direct *d, const ma_arg *arg, int nin, ma_array *result, bool fresh, ma_stream *stream,
                          bool *ran) {
  ma_status status = run(d, arg, nin, result, stream, ran);
  if (fresh && (status != MA_OK || !*ran)) ma_array_release(result);
  return status;
}

/* The broadcast shape of the arrays; false if there is none, for which ufunc.c has the error. */
static bool broadcast(const ma_arg *arg, int nin, int *ndim, int64_t *shape) {
  *ndim = 0;
  for (int k = 0; k < nin; k++) {
    const ma_array *array = arg[k].array;
    if (!array) continue;
    for (; *ndim < array->ndim; ++*ndim) {
      for (int d = *ndim; d > 0; d--) shape[d] = shape[d - 1];
      shape[0] = 1;
    }
    for (int d = 1; d <= array->ndim; d++) {
      int64_t extent = array->shape[array->ndim - d], *at = &shape[*ndim - d];
      if (*at == 1) *at = extent;
      else if (extent != 1 && extent != *at) return false;
    }
  }
  return true;
}

/* Operands of several shapes, or apart. */
static ma_status apply_apart(ma_direct *d, const ma_arg *arg, int nin, ma_array *result, ma_stream *stream, bool *ran) {
  int64_t shape[MA_MAX_NDIM], size = 1;
  int ndim, axes[MA_MAX_NDIM], narray = 0;
  bool fresh = !result->buffer;
  const ma_array *array[MA_DIRECT_ARITY];
  for (int k = 0; k < nin; k++)
    if (arg[k].array) array[narray++] = arg[k].array;
  if (!broadcast(arg, nin, &ndim, shape)) return MA_OK;
  for (int k = 0; k < ndim; k++) size *= shape[k] <= MA_DIRECT_MOST ? shape[k] : 0; /* the other extents are small */
  if (!takes_size(stream, size)) return MA_OK;
  d->n = (int)size;
  const ma_array *model = fresh ? ma_operands_model(narray, array, ndim, shape) : NULL;
  ma_order_axes(MA_ORDER_K, model, ndim, axes);
  if (!arrange(d, arg, nin, ndim, shape, axes)) return MA_OK;
  if (!fresh && !takes_result(result, d, arg, nin, ndim, shape, stream)) return MA_OK;
  if (fresh) {
    MA_TRY(make(result, stream->device, d->result, ndim, size));
    memcpy(result->shape, shape, (size_t)ndim * sizeof *shape);
    ma_array_lay_out(result, axes);
  }
  return run_into(d, arg, nin, result, fresh, stream, ran);
}

/* x ^ 2 and the like, where an operation on x alone gives the result; it is of x's dtype. */
static inline ma_opcode cheaper(ma_opcode op, const ma_arg *arg) {
  if (__builtin_expect(op != MA_OP_power, 1) || !arg[0].array || arg[1].array) return op;
  ma_dtype t = (ma_dtype)arg[0].array->dtype;
  bool real = arg[1].weak == MA_WEAK_FLOAT && ma_dtypes[t].kind >= MA_KIND_FLOAT;
  return t != MA_BOOL && (real || arg[1].weak == MA_WEAK_INT) ? ma_loop_cheaper(op, arg, t) : op;
}

ma_status ma_direct_apply(ma_opcode op, const ma_arg *arg, ma_array *result, ma_stream *stream, bool *ran) {
  const ma_array *first = arg[0].array;
  ma_direct d;
  op = cheaper(op, arg);
  int nin = ma_ops[op].nin;
  *ran = false;
  if (!first && nin == 2) first = arg[1].array;
  if (!first || !takes_size(stream, first->size)) return MA_OK;
  ma_dtype t = (ma_dtype)first->dtype;
  if (!has_plain_loop(op, t)) return MA_OK;
  bool packed = t != MA_BOOL;
  for (int k = 0; k < nin; k++) {
    const ma_array *array = arg[k].array;
    if (array ? array->dtype != t || !is_there(array, stream) : !read_scalar(&arg[k], op, t, &d.scalar[k]))
      return MA_OK;
    packed = packed && (!array || ma_operand_is_packed(array, first->ndim, first->shape));
  }
  begin(&d, op, t, ma_sig_dtype((ma_sig)ma_ops[op].out, t), first->size);
  if (!packed) return apply_apart(&d, arg, nin, result, stream, ran);
  bool fresh = !result->buffer;
  if (fresh) MA_TRY(make_like(result, first, d.result));
  else if (!takes_result(result, &d, arg, nin, first->ndim, first->shape, stream)) return MA_OK;
  return run_into(&d, arg, nin, result, fresh, stream, ran);
}

/* Whether elements have the same form in memory and in a register. */
static bool is_plain(ma_dtype t) { return ma_dtypes[t].itemsize == ma_dtypes[t].regsize; }

static bool is_in_order(const ma_array *array, const int *axes) {
  for (int d = 0; d < array->ndim; d++)
    if (axes[d] != d) return false;
  return ma_array_is_contiguous(array);
}

ma_status ma_direct_cast(const ma_array *array, ma_dtype dtype, const int *axes, ma_array *result, ma_stream *stream,
                         bool *ran) {
  *ran = false;
  if (!takes_size(stream, array->size) || !is_there(array, stream) ||
      (array->dtype != dtype && (!is_plain((ma_dtype)array->dtype) || !is_plain(dtype))))
    return MA_OK;
  ma_arg arg;
  ma_direct d;
  arg.array = array;
  begin(&d, MA_OP_cast, (ma_dtype)array->dtype, dtype, array->size);
  if (array->dtype != MA_BOOL && is_in_order(array, axes)) {
    MA_TRY(make_like(result, array, dtype));
    return run_into(&d, &arg, 1, result, true, stream, ran);
  }
  if (!arrange(&d, &arg, 1, array->ndim, array->shape, axes)) return MA_OK;
  MA_TRY(make(result, stream->device, dtype, array->ndim, array->size));
  memcpy(result->shape, array->shape, array->ndim * sizeof *array->shape);
  ma_array_lay_out(result, axes);
  return run_into(&d, &arg, 1, result, true, stream, ran);
}

ma_status ma_direct_fill(ma_array *to, ma_value value, ma_stream *stream, bool *ran) {
  *ran = false;
  if (!takes_size(stream, to->size) || to->readonly || to->buffer->readers || !is_there(to, stream) ||
      !ma_array_is_contiguous(to))
    return MA_OK;
  ma_arg arg = { .array = NULL };
  ma_direct d;
  begin(&d, MA_OP_cast, (ma_dtype)to->dtype, (ma_dtype)to->dtype, to->size);
  d.scalar[0] = value;
  return run_into(&d, &arg, 1, to, false, stream, ran);
}

/* The dtype in which the reduction combines elements; MA_NDTYPE: it takes none of this dtype, or has another one for
** its result. */
static ma_dtype find_folded(ma_reduce_op op, ma_dtype t) {
  const ma_reduce_info *info = &ma_reduces[op];
  ma_kind kind = ma_dtypes[t].kind;
  if (!is_plain(t) || (info->flags & MA_REDF_INTEGER && kind >= MA_KIND_FLOAT) ||
      (info->flags & MA_REDF_FLOAT && kind == MA_KIND_COMPLEX))
    return MA_NDTYPE;
  if (info->flags & MA_REDF_TRUTH) return MA_BOOL;
  if (info->flags & MA_REDF_POSITION || (info->result == MA_RESULT_REAL && kind == MA_KIND_COMPLEX)) return t;
  return ma_reduce_dtype(op, t);
}

static inline ma_dtype folded_dtype(ma_reduce_op op, ma_dtype t) {
  static uint8_t known[MA_NREDUCE][MA_NDTYPE]; /* one more than the answer */
  uint8_t answer = __atomic_load_n(&known[op][t], __ATOMIC_RELAXED);
  if (__builtin_expect(answer == UNKNOWN, 0))
    __atomic_store_n(&known[op][t], answer = (uint8_t)(find_folded(op, t) + 1), __ATOMIC_RELAXED);
  return (ma_dtype)(answer - 1);
}

ma_status ma_direct_reduce(ma_reduce_op op, const ma_array *array, ma_array *result, ma_stream *stream, bool *ran) {
  ma_dtype t = (ma_dtype)array->dtype, folded;
  *ran = false;
  if (!takes_size(stream, array->size) || !array->ndim || !is_there(array, stream) ||
      (folded = folded_dtype(op, t)) == MA_NDTYPE)
    return MA_OK;
  ma_arg arg;
  ma_direct d;
  arg.array = array;
  begin(&d, MA_OP_cast, t, ma_reduce_dtype(op, folded), array->size);
  d.reduces = true;
  d.reduce = op;
  d.folded = folded;
  if (t == MA_BOOL || !ma_array_is_contiguous(array)) {
    int axes[MA_MAX_NDIM];
    ma_order_axes(MA_ORDER_C, NULL, array->ndim, axes);
    if (!arrange(&d, &arg, 1, array->ndim, array->shape, axes)) return MA_OK;
  }
  MA_TRY(make(result, stream->device, d.result, 0, 1));
  return run_into(&d, &arg, 1, result, true, stream, ran);
}
