/* few.c: the way `few` of ways.def. All elements of a small array are reduced to one by a kept program, without the
** steps in which reduce.c arranges any reduction. All other cases, and all errors, are left to it. The results have the
** same bits. */
#include "base/inject.h"
#include "run/kept.h"
#include "run/look.h"
#include "run/run.h"
#include "run/substitute.h"

#include <string.h>

/* The dtype in which the reduction combines elements; MA_NDTYPE: it takes none of this dtype, has another one for its
** result, or takes several reductions. */
static ma_dtype find_folded(ma_reduce_op op, ma_dtype t) {
  const ma_reduce_info *info = &ma_reduces[op];
  ma_kind kind = ma_dtypes[t].kind;
  if (op == MA_REDUCE_logaddexp || ma_dtypes[t].itemsize != ma_dtypes[t].regsize ||
      (info->flags & MA_REDF_INTEGER && kind >= MA_KIND_FLOAT) ||
      (info->flags & MA_REDF_FLOAT && kind == MA_KIND_COMPLEX))
    return MA_NDTYPE;
  if (info->flags & MA_REDF_TRUTH) return MA_BOOL;
  if (info->flags & MA_REDF_POSITION || (info->result == MA_RESULT_REAL && kind == MA_KIND_COMPLEX)) return t;
  return ma_reduce_dtype(op, t);
}

static inline ma_dtype folded_dtype(ma_reduce_op op, ma_dtype t) {
  static uint8_t known[MA_NREDUCE][MA_NDTYPE]; /* one more than the answer */
  uint8_t answer = __atomic_load_n(&known[op][t], __ATOMIC_RELAXED);
  if (__builtin_expect(!answer, 0))
    __atomic_store_n(&known[op][t], answer = (uint8_t)(find_folded(op, t) + 1), __ATOMIC_RELAXED);
  return (ma_dtype)(answer - 1);
}

/* The axes of the elements in C order, which decides among equals, behind one for the result. */
static void arrange(ma_space *space, const ma_array *array) {
  space->ndim = array->ndim;
  space->noperand = 1;
  memcpy(space->shape, array->shape, array->ndim * sizeof *array->shape);
  memcpy(space->stride[0], array->stride, array->ndim * sizeof *array->stride);
  ma_space_collapse(space, false, NULL);
  for (int d = space->ndim; d > 0; d--) {
    space->shape[d] = space->shape[d - 1];
    space->stride[1][d] = space->stride[0][d - 1];
    space->stride[0][d] = 0;
  }
  space->ndim++;
}

static ma_status run(ma_reduction *how, const ma_array *array, ma_array *result, ma_stream *stream) {
  static const ma_look one = { .size = 1 };
  MA_TRY(ma_handle_new(stream->device, ma_dtypes[how->result].itemsize, &result->buffer));
  ma_look_describe(result, &one, how->result);
  ma_status status = ma_buffer_use(array->buffer, stream, false);
  if (status == MA_OK) status = ma_buffer_use(result->buffer, stream, true);
  how->data[0] = result->buffer->ptr;
  how->data[1] = (char *)array->buffer->ptr + array->offset;
  if (status == MA_OK) status = stream->device->backend->reduce.run(stream, how);
  if (__builtin_expect(status == MA_ERR_LACK, 0)) status = ma_substitute_reduction(stream, how);
  if (status != MA_OK) ma_array_release(result);
  return status;
}

ma_status ma_reduce_few(ma_reduce_op op, const ma_array *array, ma_array *result, ma_stream *stream, bool *ran) {
  ma_program own;
  ma_reduction how;
  ma_dtype t = (ma_dtype)array->dtype, folded = folded_dtype(op, t);
  uint32_t facts = MA_FACT_MADE | MA_FACT_ONE | MA_FACT_REDUCED | (array->buffer->pending ? MA_FACT_WAITS : 0) |
                   (array->buffer->device == stream->device ? 0 : MA_FACT_AWAY) |
                   (ma_defer_is_small(stream, array->size) ? MA_FACT_SMALL : 0);
  *ran = array->size && array->ndim && array->ndim < MA_MAX_NDIM && folded != MA_NDTYPE &&
         ma_way_of(facts) == MA_WAY_few && !__atomic_load_n(&ma_takes_long_way, __ATOMIC_RELAXED);
  if (!*ran) return MA_OK;
  if (ma_ways_are_traced()) ma_way_print(MA_WAY_few, ma_reduces[op].name, array->size);
  how.op = op;
  how.program = ma_kept_cast(t, folded, &own);
  how.result = ma_reduce_dtype(op, folded);
  how.nkept = 1;
  how.count = array->size;
  how.param = 0;
  how.has_initial = false;
  how.starts = NULL;
  how.space.ndim = 2;
  how.space.shape[1] = array->size;
  how.space.stride[1][1] = ma_dtypes[t].itemsize;
  how.space.stride[0][1] = 0;
  if (!ma_array_is_contiguous(array)) arrange(&how.space, array);
  how.space.noperand = 2;
  how.space.shape[0] = 1;
  how.space.stride[0][0] = how.space.stride[1][0] = 0;
  return run(&how, array, result, stream);
}
