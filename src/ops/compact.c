/* compact.c: elements that a mask keeps, and their positions. The backend gets one ma_reduction over all axes in C
** order. A pending mask is taken into its program, so a[a:gt(0)] reads a once and writes no mask. */
#include "memory/wait.h"
#include "program/arrange.h"
#include "ops/compact.h"
#include "run/pending.h"

/* Whether neighbours in C order are adjacent in memory for every operand that moves. */
static bool is_near(const ma_reduction *what) {
  const ma_space *space = &what->space;
  int last = space->ndim - 1;
  for (int k = 1; k < space->noperand; k++)
    if (space->shape[last] > 1 && space->stride[k][last] != 0 &&
        space->stride[k][last] != ma_dtypes[what->program->input_dtype[k - 1]].itemsize)
      return false;
  return true;
}

/* Selects from operands of one shape that are in memory. If `ran` is not NULL, it becomes false where nothing was
** done. */
static ma_status compact(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_dtype dtype, ma_array *result, bool *ran, ma_stream *stream) {
  ma_reduction what;
  ma_space all;
  all.ndim = input[0]->ndim;
  all.noperand = 1 + program->ninput;
  what.program = program;
  what.result = dtype;
  what.count = input[0]->size;
  what.data[0] = NULL;
  for (int d = 0; d < all.ndim; d++) {
    all.shape[d] = input[0]->shape[d];
    all.stride[0][d] = 0;
    for (int k = 0; k < program->ninput; k++) all.stride[k + 1][d] = input[k]->stride[d];
  }
  for (int k = 0; k < program->ninput; k++) MA_TRY(ma_array_read(input[k], stream, (const void **)&what.data[k + 1]));
  for (int k = 0; k < program->nscalar; k++) what.scalar[k] = scalar[k];
  ma_reduce_arrange(&what, &all, 1, (1u << all.ndim) - 1);
  if (ran && (*ran = is_near(&what)) == false) return MA_OK;
  MA_TRY(ma_wait_check(ma_is_host(stream->device)));
  return stream->device->backend->index.compact(stream, &what, result, ran);
}

/* Makes an array of `dtype` of the elements of the program's first output for which the second, a bool, is true. If the
** program has one bool output, it makes the 1-based positions at which that is true. Operands have the same shape, of
** size > 0, and are in C order. Waits. */
static ma_status compact_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                             ma_dtype dtype, ma_array *result, ma_stream *stream) {
  return compact(program, input, scalar, dtype, result, NULL, stream);
}

/* The same with the pending programs of the operands taken in. *ran becomes false if it is better to compute these
** first. */
static ma_status compact_joined(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                                ma_dtype dtype, ma_array *result, bool *ran, ma_stream *stream) {
  ma_joined joined;
  ma_array array[MA_MAX_INPUTS];
  const ma_array *term[MA_MAX_INPUTS];
  bool pending = false;
  *ran = false;
  for (int k = 0; k < program->ninput; k++) pending |= input[k]->buffer->pending != NULL;
  if (!pending) return MA_OK;
  MA_TRY(ma_joined_make(&joined, program, input, scalar, input[0]->ndim, input[0]->shape));
  if (joined.ntaken == 0 || joined.program.ninput == 0 || ma_program_places(&joined.program)) return MA_OK;
  ma_joined_arrays(&joined, array, term);
  ma_joined_absorb(&joined);
  ma_status status = compact(&joined.program, term, joined.scalar, dtype, result, ran, stream);
  if (status != MA_OK || !*ran) ma_joined_restore(&joined);
  return status;
}

/* Makes contiguous bools that tell where `base` is not 0. */
static ma_status flat_mask(ma_array *mask, const ma_array *base, ma_stream *stream) {
  if (base->dtype == MA_BOOL) return ma_array_packed(mask, base, MA_BOOL, stream);
  ma_opcode code = MA_DO_is_nonzero;
  ma_arg args[2] = { { .array = base, .dtype = (ma_dtype)base->dtype }, { .dtype = MA_INT64, .weak = MA_WEAK_INT } };
  ma_array made = { 0 };
  MA_TRY(ma_ufunc_apply(&code, 1, args, MA_NDTYPE, NULL, (ma_array *[]){ &made }, stream));
  *mask = made;
  if (ma_array_is_contiguous(mask)) return MA_OK;
  ma_status status = ma_array_copy(mask, &made, MA_BOOL, stream);
  ma_array_release(&made);
  return status;
}

/* The dtype in which elements are moved unchanged: registers of some dtypes do not keep every bit pattern of memory. */
static ma_dtype carrier(ma_dtype dtype) {
  return dtype == MA_BOOL ? MA_UINT8 : dtype == MA_FLOAT16 || dtype == MA_BFLOAT16 ? MA_UINT16 : dtype;
}

/* Selects by the backend's slot, if it has one. Both operands lie in memory. */
static ma_status select_at_once(ma_array *result, const ma_array *base, const ma_array *where, ma_stream *stream) {
  const ma_backend *backend = ma_array_device(base)->backend;
  const void *from, *mask;
  ma_array flat;
  MA_TRY(ma_wait_check_array(base));
  MA_TRY(flat_mask(&flat, where, stream));
  ma_status status = ma_array_read(base, stream, &from);
  if (status == MA_OK) status = ma_array_read(&flat, stream, &mask);
  if (status == MA_OK) status = backend->index.select(stream, mask, from, base->size, (ma_dtype)base->dtype, result);
  ma_array_release(&flat);
  return status;
}

ma_status ma_compact_select(ma_array *result, const ma_array *base, const ma_array *where, ma_stream *stream) {
  ma_dtype dtype = (ma_dtype)base->dtype;
  ma_array mask, items = *base;
  const ma_array *input[2] = { &items, where };
  ma_program program;
  bool ran;
  if (ma_array_device(base)->backend->index.select) return select_at_once(result, base, where, stream);
  items.dtype = (uint8_t)carrier(dtype);
  if (items.dtype != dtype) MA_TRY(ma_pending_evaluate(base->buffer, "its elements are selected"));
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_input(&program, (ma_dtype)items.dtype));
  ma_program_output(&program, ma_program_input(&program, MA_BOOL));
  MA_TRY(compact_joined(&program, input, NULL, dtype, result, &ran, stream));
  if (ran) return MA_OK;
  MA_TRY(flat_mask(&mask, where, stream));
  input[1] = &mask;
  ma_status status = compact_run(&program, input, NULL, dtype, result, stream);
  ma_array_release(&mask);
  return status;
}

/* The positions at which `base` is not 0, by the backend's slot in one pass. */
static ma_status nonzero_at_once(ma_array *positions, const ma_array *base, ma_stream *stream) {
  const ma_value zero = { .c = { 0, 0 } };
  const ma_array *input = base;
  ma_array mask;
  ma_program program;
  bool ran;
  ma_program_clear(&program);
  int x = ma_program_input(&program, (ma_dtype)base->dtype);
  if (base->dtype != MA_BOOL)
    x = ma_program_emit(&program, MA_DO_is_nonzero, (ma_dtype)base->dtype,
                        (int[MA_MAX_ARITY]){ x, ma_program_scalar(&program, (ma_dtype)base->dtype) });
  ma_program_output(&program, x);
  MA_TRY(compact_joined(&program, &input, &zero, MA_INT64, positions, &ran, stream));
  if (ran) return MA_OK;
  if (ma_array_is_contiguous(base)) return compact_run(&program, &input, &zero, MA_INT64, positions, stream);
  MA_TRY(flat_mask(&mask, base, stream));
  input = &mask;
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_input(&program, MA_BOOL));
  ma_status status = compact_run(&program, &input, NULL, MA_INT64, positions, stream);
  ma_array_release(&mask);
  return status;
}

ma_status ma_index_nonzero(ma_array *positions, const ma_array *base, ma_stream *stream) {
  ma_array mask;
  const void *address;
  ma_device *device = ma_array_device(base);
  if (base->size == 0) return ma_array_new(positions, device, MA_INT64, 1, (int64_t[]){ 0 });
  MA_TRY(ma_wait_check_array(base)); /* the device must say how many there are */
  if (device->backend->index.compact) return nonzero_at_once(positions, base, stream);
  if (!device->backend->index.nonzero)
    return ma_fail(MA_ERR_DEVICE, "nonzero on %s; that device has none", device->name);
  MA_TRY(flat_mask(&mask, base, stream));
  ma_status status = ma_array_read(&mask, stream, &address);
  if (status == MA_OK) status = device->backend->index.nonzero(stream, address, mask.size, positions);
  ma_array_release(&mask);
  return status;
}
