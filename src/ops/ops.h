/* ops.h: operations on arrays: copies, ufuncs, reductions, picks by position. Linear algebra, transforms, sorts and
** random numbers have headers of their own. */
#ifndef MOONARRAY_OPS_OPS_H
#define MOONARRAY_OPS_OPS_H

#include "array/layout.h"
#include "run/run.h"

#pragma GCC visibility push(hidden)

/* ==== copy.c: copies ============================================================================================== */

/* `shape` may hold one -1. *view is a view if the strides allow it, else a contiguous copy. */
ma_status ma_array_reshape(ma_array *view, const ma_array *base, int ndim, const int64_t *shape, ma_stream *stream);
/* Copies with a cast and broadcasts `from`. The arrays may overlap and may be on different devices. */
ma_status ma_array_assign(ma_array *to, const ma_array *from, ma_stream *stream);
ma_status ma_array_fill(ma_array *to, ma_value value, ma_dtype dtype, ma_stream *stream);
/* Writes numbers in arithmetic progression to all of a contiguous array; fills in what the sequence says of it. */
ma_status ma_array_fill_sequence(ma_array *to, ma_sequence *sequence, ma_stream *stream);
/* A contiguous copy on the same device. */
ma_status ma_array_copy(ma_array *copy, const ma_array *from, ma_dtype dtype, ma_stream *stream);
ma_status ma_array_packed(ma_array *pack, const ma_array *from, ma_dtype dtype, ma_stream *stream); /* or a view */
ma_status ma_array_copy_in(ma_array *copy, const ma_array *from, ma_dtype dtype, ma_order order, ma_stream *stream);
/* A contiguous copy in which axis d is times[d] times as long: each element so often after itself, or all of them. */
ma_status ma_array_repeat(ma_array *copy, const ma_array *base, const int64_t *times, bool each, ma_stream *stream);
/* A contiguous copy on `device`. */
ma_status ma_array_to(ma_array *copy, const ma_array *from, ma_device *device, ma_stream *stream);
ma_status ma_array_item(const ma_array *array, ma_stream *stream, ma_value *value); /* size 1; waits */
/* Queues a copy of a GPU's array into `host`, or with `upload` from `host`, and returns. `host` is a contiguous CPU
** array of the same dtype and shape in pinned memory. A later ma_array_read or ma_array_write of `host` waits for
** the copy. */
ma_status ma_array_queue_copy(ma_array *array, ma_array *host, bool upload, ma_stream *stream);

/* ==== ufunc.c: operations on arrays =============================================================================== */

/* result[k] = ops[k](arg ...) over the broadcast shape, in one pass. A result whose buffer is NULL is made; a given
** one must have the broadcast shape and take the dtype by same_kind casting. `where` (bool, broadcast) may be NULL. */
ma_status ma_ufunc_apply(const ma_opcode *ops, int nout, const ma_arg *arg, ma_dtype dtype, const ma_array *where,
                         ma_array *const *result, ma_stream *stream);
/* Fails for an integer raised to a negative power. If the exponents are an array, this reads them and waits. */
ma_status ma_ufunc_exponent(ma_opcode op, const ma_arg *arg, ma_dtype loop, ma_stream *stream);
/* The results of operations on Lua values alone, with their dtypes: one element, which the CPU's loops compute at once.
** A Lua number (bit k of `plain`) is float64, an integer of the FFI int64, a boolean bool, a complex scalar complex128.
** A whole Lua number is int64 beside an integer of the FFI, and for an operation that has loops for integers alone.
** MA_WEAK_NUMBERS: numbers are weak, as beside arrays, since an operand is an element with a dtype. */
#define MA_WEAK_NUMBERS UINT32_MAX
ma_status ma_ufunc_numbers(const ma_opcode *ops, int nout, const ma_arg *arg, uint32_t plain, ma_value *result,
                           ma_dtype *dtype);
void ma_arg_widen(ma_arg *arg); /* a whole number as float64 */
/* As ma_ufunc_apply, for one operation with one result and no options. */
ma_status ma_ufunc_operator(ma_opcode op, const ma_arg *arg, ma_array *result, ma_stream *stream);

/* ==== reduce.c: reductions over arrays ============================================================================ */

typedef struct ma_reduce_options {
  uint32_t axes;           /* bit d: axis d (0-based) of the broadcast shape is reduced */
  bool keepdims;           /* reduced axes stay, of extent 1 */
  bool folds;              /* as a ufunc folds: logaddexp by its monoid, as segments do */
  ma_dtype dtype;          /* elements are cast to it first; MA_NDTYPE: NumPy's choice */
  double ddof;             /* var and std divide by count - ddof */
  const ma_value *initial; /* of dtype initial_dtype; NULL: none */
  ma_dtype initial_dtype;
  ma_weak initial_weak;
} ma_reduce_options;

/* Reduces axes of the program's output over the broadcast inputs. A second output, of bool, selects the elements. A
** result whose buffer is NULL is made; a given one must have the right shape and take the dtype by same_kind
** casting. */
ma_status ma_reduce_run(ma_reduce_op op, const ma_program *program, const ma_array *const *input,
                        const ma_value *scalar, const ma_reduce_options *options, ma_array *result, ma_stream *stream);
typedef enum ma_nan { MA_NAN_KEEP, MA_NAN_AS_0, MA_NAN_AS_1, MA_NAN_LEAVE_OUT } ma_nan; /* of dtypes that have NaN */

/* The program in front of a reduction: the elements, and if some do not count, a mask of those that do. `masked`: a
** second input says which do. It may have one scalar. */
void ma_reduce_source(ma_program *program, ma_value *scalar, ma_dtype dtype, ma_nan nan, bool masked);
/* As ma_reduce_run over the elements of `a` where `where` (NULL: everywhere) is true. */
ma_status ma_reduce_array(ma_reduce_op op, const ma_array *a, const ma_array *where, ma_nan nan,
                          const ma_reduce_options *options, ma_array *result, ma_stream *stream);
ma_status ma_reduce_all(ma_reduce_op op, const ma_array *a, ma_array *result, ma_stream *stream); /* to one element */
/* Running sum or product of the program's output along one axis; the result has the inputs' broadcast shape. */
ma_status ma_scan_run(ma_reduce_op op, const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                      int axis, ma_dtype dtype, ma_array *result, ma_stream *stream);
ma_status ma_scan_array(ma_reduce_op op, const ma_array *a, ma_nan nan, int axis, ma_dtype dtype, ma_array *result,
                        ma_stream *stream);

/* ==== settled.c =================================================================================================== */

/* Reduces segments of each row of a matrix: segment k begins at the 1-based position starts[k] and ends before
** starts[k + 1]; it has one element if that is not further on. `starts` is a contiguous int64 vector, the rows are not
** empty, and `result`, a matrix with a column for each segment, is made. */
ma_status ma_reduce_segments(ma_reduce_op op, const ma_array *rows, const ma_array *starts, ma_dtype dtype,
                             ma_array *result, ma_stream *stream);

/* ==== steps.c: what takes several steps ========================================================================== */

/* Whether ma_reduce_in_steps is to be called in place of ma_reduce_array. The last step makes the result: none may be
** given. */
bool ma_reduce_is_stepwise(ma_reduce_op op, const ma_array *a, ma_nan nan, const ma_reduce_options *options);
ma_status ma_reduce_in_steps(ma_reduce_op op, const ma_array *a, const ma_array *where, ma_nan nan,
                             const ma_reduce_options *options, ma_array *result, ma_stream *stream);
ma_status ma_reduce_range(const ma_array *a, const ma_reduce_options *options, ma_array *result, ma_stream *stream);
ma_status ma_reduce_norm(const ma_array *a, ma_array *result, ma_stream *stream); /* of all elements, which are real */
/* Folds an operation along an axis from its first position to its last: into one position without that axis, or
** `running`, with all that came before each. The result is made. */
ma_status ma_fold_run(ma_opcode op, const ma_array *a, int axis, ma_dtype dtype, bool running, ma_array *result,
                      ma_stream *stream);
ma_status ma_fold_check(ma_opcode op); /* fails if it cannot be folded */
ma_status ma_fold_loop(ma_opcode op, const ma_array *a, ma_dtype dtype, ma_dtype *loop); /* the dtype it is folded in */
/* The values at x of the polynomial p, a vector with the highest power first. Of one float dtype, on the CPU. */
ma_status ma_horner(const ma_array *p, const ma_array *x, ma_array *result, ma_stream *stream);

/* ==== partial.c: reductions of an array whose parts several processes have ======================================== */

/* One process's part of a reduction, not rounded: a new array of bytes with the axes that are kept and one more, the
** bytes of a partial result; without elements they are not written. options: axes, keepdims and dtype. `where`: bools
** of the part's shape that say which elements count, or NULL; with `leave_out` NaN does not. */
ma_status ma_reduce_part(ma_reduce_op op, const ma_array *part, const ma_array *where, bool leave_out,
                         const ma_reduce_options *options, ma_array *result, ma_stream *stream);
/* Merges parts, which lie behind each other along the first axis of `parts` and are overwritten, in their order, and
** rounds once. dtype: that of the elements; masked: the parts were made with a `where`; options: dtype and ddof; count:
** elements of all parts for each result. Fails if `parts` has another number of bytes. `result` is made. */
ma_status ma_reduce_merge(ma_reduce_op op, ma_dtype dtype, bool leave_out, bool masked,
                          const ma_reduce_options *options, ma_array *parts, int64_t count, ma_array *result,
                          ma_stream *stream);

/* ==== pick.c: elements by position ================================================================================ */

/* Reads by index: a view if no item is an array, else a copy. Masks wait for the device, because the shape depends
** on them. If `result` is a view, of memory that may have the copy, it has that memory where this is possible. */
ma_status ma_index_get(ma_array *result, const ma_array *base, const ma_item *item, int nitem, ma_index_mode mode,
                       ma_stream *stream);
/* Writes by index. `value` is broadcast, cast and moved to the array's device. `op` is -1, or an ma_opcode that is
** applied to the old element and the value each time that a position occurs. For a unary `op`, `value` may be NULL. */
ma_status ma_index_set(ma_array *base, const ma_item *item, int nitem, const ma_arg *value, int op, ma_index_mode mode,
                       ma_stream *stream);
/* take_along_axis and put_along_axis: `index` runs along `axis` and is broadcast with the array over the other axes. */
ma_status ma_index_get_along(ma_array *result, const ma_array *base, const ma_array *index, int axis,
                             ma_index_mode mode, ma_stream *stream);
ma_status ma_index_set_along(ma_array *base, const ma_array *index, int axis, const ma_arg *value, ma_stream *stream);
/* 1-based C-order positions of the non-zero elements, as int64 with one axis. Waits. */
/* Puts arrays of one shape but for an axis of `result` beside each other along it, or arrays that lack the axis. The
** result is new. *ran is false if nothing was done, because one copy for each part is as good. */
ma_status ma_join_run(const ma_array *result, int axis, int n, ma_array *const *part, bool *ran, ma_stream *stream);
ma_status ma_index_nonzero(ma_array *positions, const ma_array *base, ma_stream *stream);
/* Converts C-order positions in an array of `shape` to positions along `axis`, without a check. */
ma_status ma_index_unravel(ma_array *result, const ma_array *positions, int ndim, const int64_t *shape, int axis,
                           ma_stream *stream);
/* The inverse, called for each axis, outermost first. `before` is the position over the axes before this one, NULL
** for the first. */
ma_status ma_index_ravel(ma_array *result, const ma_array *before, const ma_array *positions, int64_t extent,
                         ma_index_mode mode, ma_stream *stream);
/* An int64 array from numbers of the host. */
ma_status ma_index_from_host(ma_array *array, ma_device *device, const int64_t *positions, int ndim,
                             const int64_t *shape, ma_stream *stream);

#pragma GCC visibility pop
#endif
