/*
** pick.c: indices with arrays. Integer arrays and masks become a gather or a scatter: one iteration space over the
** result, in which every operand, index arrays included, is a pointer with strides. A mask becomes positions first,
** which waits for the device, because the shape of the result depends on it. Storing one value under a mask needs no
** positions. Positions that a pending program gives are computed where they are read.
*/
#include "memory/wait.h"
#include "ops/ops.h"
#include "ops/compact.h"
#include "array/index.h"
#include "run/pending.h"

#include <string.h>

/* A prepared index; release it with pick_close. */
typedef struct pick {
  ma_indexed indexed;
  int nindex;
  ma_array index[MA_MAX_INDEX]; /* integer positions; each holds a reference */
  int64_t extent[MA_MAX_INDEX], step[MA_MAX_INDEX];
  uint8_t axis[MA_MAX_INDEX]; /* 1-based */
  bool distinct;
  int ndim; /* of the result */
  int64_t shape[MA_MAX_NDIM];
  int first, nblock; /* the axes of the index arrays in the result: first .. first + nblock - 1 */
} pick;

static void pick_close(pick *p) {
  for (int k = 0; k < p->nindex; k++) ma_array_release(&p->index[k]);
  p->nindex = 0;
}

static ma_status pick_add(pick *p, const ma_array *index, int64_t extent, int64_t step, int axis) {
  if (p->nindex == MA_MAX_INDEX)
    return ma_fail(MA_ERR_INDEX, "more than %d index arrays; that is the most an index has", MA_MAX_INDEX);
  int k = p->nindex++;
  ma_array_view(&p->index[k], index);
  p->extent[k] = extent;
  p->step[k] = step;
  p->axis[k] = (uint8_t)(axis + 1);
  return MA_OK;
}

/* Merges neighbouring axes into one and gives its step; false if their strides do not allow it. */
static bool merge_axes(int n, const int64_t *shape, const int64_t *stride, int64_t *step) {
  int64_t next = 0;
  *step = 0;
  for (int d = n - 1, found = 0; d >= 0; d--) {
    if (shape[d] == 1) continue;
    if (!found++) *step = stride[d];
    else if (stride[d] != next) return false;
    next = stride[d] * shape[d];
  }
  return true;
}

/* Fails unless the mask fits the base. As in NumPy, a mask without elements picks nothing, and its extents of 0 fit
** any axis. */
static ma_status mask_fits(const ma_array *mask, const ma_array *base, int axis) {
  bool fits = true;
  for (int d = 0; d < mask->ndim; d++) fits = fits && (mask->shape[d] == 0 || mask->shape[d] == base->shape[axis + d]);
  if (fits) return MA_OK;
  char found[200], wanted[200];
  return ma_fail(MA_ERR_INDEX, "a mask of shape %s; the axes that it covers have shape %s",
                 ma_shape_print(mask->ndim, mask->shape, found, sizeof found),
                 ma_shape_print(mask->ndim, base->shape + axis, wanted, sizeof wanted));
}

/* Converts a mask to positions: one index array if the axes can be merged, else one for each axis. */
static ma_status pick_mask(pick *p, const ma_array *base, const ma_array *mask, int axis, ma_stream *stream) {
  MA_TRY(mask_fits(mask, base, axis));
  ma_array flat = { 0 };
  MA_TRY(ma_index_nonzero(&flat, mask, stream));
  const int64_t *shape = base->shape + axis;
  int64_t step;
  ma_status status = MA_OK;
  if (merge_axes(mask->ndim, shape, base->stride + axis, &step)) {
    status = pick_add(p, &flat, mask->size, step, axis);
  } else {
    for (int d = 0; d < mask->ndim && status == MA_OK; d++) {
      ma_array along = { 0 };
      status = ma_index_unravel(&along, &flat, mask->ndim, shape, d, stream);
      if (status == MA_OK) status = pick_add(p, &along, shape[d], base->stride[axis + d], axis + d);
      ma_array_release(&along);
    }
  }
  ma_array_release(&flat);
  return status;
}

static ma_status pick_array(pick *p, const ma_array *base, const ma_array *index, int axis, ma_stream *stream) {
  if (ma_array_device(index) != ma_array_device(base))
    return ma_device_apart(ma_array_device(base), ma_array_device(index));
  if (index->dtype == MA_BOOL) return pick_mask(p, base, index, axis, stream);
  ma_kind kind = ma_dtypes[index->dtype].kind;
  if (kind != MA_KIND_SIGNED && kind != MA_KIND_UNSIGNED)
    return ma_fail(MA_ERR_TYPE, "an index of dtype %s; positions are integers (idx:astype(\"int64\")), a mask is bool",
                   ma_dtypes[index->dtype].name);
  return pick_add(p, index, base->shape[axis], base->stride[axis], axis);
}

/* Computes the shape of the index arrays and of the result. In the result they stand at indexed.place among the kept
** axes. */
static ma_status pick_shape(pick *p) {
  int nblock = 0;
  int64_t block[MA_MAX_NDIM];
  for (int k = 0; k < p->nindex; k++)
    if (ma_shape_broadcast(&nblock, block, p->index[k].ndim, p->index[k].shape) != MA_OK)
      return ma_fail_prefix(MA_ERR_INDEX, "index arrays that do not go together: ");
  if (p->indexed.ndim + nblock > MA_MAX_NDIM)
    return ma_fail(MA_ERR_INDEX, "an index that makes %d axes; %d is the most an array has", p->indexed.ndim + nblock,
                   MA_MAX_NDIM);
  p->first = p->indexed.place;
  p->nblock = nblock;
  p->ndim = p->indexed.ndim + nblock;
  for (int d = 0; d < p->ndim; d++)
    p->shape[d] = d < p->first            ? p->indexed.shape[d]
                  : d < p->first + nblock ? block[d - p->first]
                                          : p->indexed.shape[d - nblock];
  return MA_OK;
}

static ma_status pick_open(pick *p, const ma_array *base, const ma_item *item, int nitem, ma_stream *stream) {
  p->nindex = 0;
  MA_TRY(ma_index_start(&p->indexed, base, item, nitem));
  p->distinct = p->indexed.npicked == 1 && p->indexed.picked[0].array->dtype == MA_BOOL;
  ma_status status = MA_OK;
  for (int k = 0; k < p->indexed.npicked && status == MA_OK; k++)
    status = pick_array(p, base, p->indexed.picked[k].array, p->indexed.picked[k].axis, stream);
  if (status == MA_OK) status = pick_shape(p);
  if (status != MA_OK) pick_close(p);
  return status;
}

/* Prepares an index as take_along_axis has it: the result keeps every axis, and the index arrays run over all of
** them. */
static ma_status along_open(pick *p, const ma_array *base, const ma_array *index, int axis) {
  p->nindex = 0;
  if (index->ndim != base->ndim)
    return ma_fail(MA_ERR_VALUE, "an index of %d axes; the array has %d, and both need the same number", index->ndim,
                   base->ndim);
  if (index->dtype == MA_BOOL) return ma_fail(MA_ERR_TYPE, "an index of dtype bool; positions are integers");
  int ndim = 0;
  int64_t kept[MA_MAX_NDIM], other[MA_MAX_NDIM];
  memcpy(kept, base->shape, sizeof kept);
  memcpy(other, index->shape, sizeof other);
  kept[axis] = other[axis] = 1;
  MA_TRY(ma_shape_broadcast(&ndim, p->shape, base->ndim, kept));
  MA_TRY(ma_shape_broadcast(&ndim, p->shape, base->ndim, other));
  p->shape[axis] = index->shape[axis];
  p->ndim = p->nblock = p->indexed.ndim = base->ndim;
  p->first = 0;
  p->distinct = false;
  p->indexed.offset = base->offset;
  for (int d = 0; d < base->ndim; d++) {
    p->indexed.shape[d] = p->shape[d];
    p->indexed.stride[d] = d == axis || base->shape[d] == 1 ? 0 : base->stride[d];
  }
  p->indexed.place = -1; /* tells pick_launch that index axes and kept axes are the same */
  return pick_array(p, base, index, axis, NULL);
}

/* Fills `g`, but not its addresses. `side` has the result's shape. term[] are the index arrays, or the arrays from
** which the only index array is computed, which have its shape. */
static void pick_space(const pick *p, const ma_array *base, const ma_array *side, int nterm,
                       const ma_array *const *term, ma_gather *g) {
  int64_t flip[MA_MAX_OPERANDS] = { 0 };
  g->nindex = p->nindex;
  g->dtype = (ma_dtype)base->dtype;
  g->distinct = p->distinct;
  g->space.ndim = p->ndim;
  g->space.noperand = 2 + nterm;
  for (int d = 0; d < p->ndim; d++) {
    bool in_block = d >= p->first && d < p->first + p->nblock;
    g->space.shape[d] = p->shape[d];
    g->space.stride[0][d] = side->stride[d];
    g->space.stride[1][d] = p->indexed.place < 0 ? p->indexed.stride[d]
                            : in_block           ? 0
                                                 : p->indexed.stride[d < p->first ? d : d - p->nblock];
    for (int k = 0; k < nterm; k++) {
      int e = d - p->first - (p->nblock - term[k]->ndim);
      g->space.stride[2 + k][d] = !in_block || e < 0 || term[k]->shape[e] == 1 ? 0 : term[k]->stride[e];
    }
  }
  for (int k = 0; k < p->nindex; k++) {
    g->index_dtype[k] = p->index[k].dtype;
    g->extent[k] = p->extent[k];
    g->step[k] = p->step[k];
    g->axis[k] = p->axis[k];
  }
  ma_space_collapse(&g->space, false, flip);
}

/* The addresses of all operands. */
static ma_status pick_data(ma_gather *g, void *side, void *array, int nterm, const ma_array *const *term,
                           ma_stream *stream) {
  g->data[0] = side;
  g->data[1] = array;
  for (int k = 0; k < nterm; k++) MA_TRY(ma_array_read(term[k], stream, (const void **)&g->data[2 + k]));
  return MA_OK;
}

/* Runs the pick. */
static ma_status pick_launch(const pick *p, const ma_array *base, void *array, const ma_array *side, void *side_address,
                             bool write, int op, ma_index_mode mode, ma_stream *stream) {
  if (side->size == 0) return MA_OK;
  ma_gather g; /* it has 3 kB, of which most is not used, so it is not cleared */
  const ma_array *term[MA_MAX_INDEX];
  g.mode = mode;
  g.op = op;
  for (int k = 0; k < p->nindex; k++) term[k] = &p->index[k];
  pick_space(p, base, side, p->nindex, term, &g);
  MA_TRY(pick_data(&g, side_address, array, p->nindex, term, stream));
  const ma_backend *backend = ma_array_device(base)->backend;
  return write ? backend->index.scatter(stream, &g) : backend->index.gather(stream, &g);
}

#define MOST_TERMS 4 /* arrays from which a position is computed where it is read */

/* Reads at positions whose program has not run. The kernel computes each once, and they are never stored. *ran becomes
** false if they must be computed first. */
static ma_status pick_joined(const pick *p, const ma_array *base, void *from, ma_array *result, void *to,
                             ma_index_mode mode, bool *ran, ma_stream *stream) {
  const ma_array *index = &p->index[0], *term[MA_MAX_INPUTS];
  const ma_backend *backend = ma_array_device(base)->backend;
  *ran = false;
  if (!backend->index.gather_by || p->nindex != 1 || index->size != result->size || result->size == 0 ||
      !index->buffer->pending || ma_array_folds(index))
    return MA_OK;
  ma_joined joined;
  ma_array array[MA_MAX_INPUTS];
  ma_program program;
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_input(&program, (ma_dtype)index->dtype));
  MA_TRY(ma_joined_make(&joined, &program, &index, NULL, index->ndim, index->shape));
  int nterm = joined.program.ninput;
  if (joined.ntaken == 0 || nterm == 0 || nterm > MOST_TERMS || ma_program_places(&joined.program)) return MA_OK;
  ma_joined_arrays(&joined, array, term);
  ma_joined_absorb(&joined);
  ma_gather g;
  g.mode = mode;
  g.op = -1;
  pick_space(p, base, result, nterm, term, &g);
  ma_status status = pick_data(&g, to, from, nterm, term, stream);
  if (status == MA_OK) status = backend->index.gather_by(stream, &g, &joined.program, joined.scalar, ran);
  if (status != MA_OK || !*ran) ma_joined_restore(&joined);
  return status;
}

/* Whether a given array can have the result at once. A host that refuses a position leaves it as it was. */
static bool serves(const ma_array *given, const pick *p, const ma_array *base, ma_index_mode mode) {
  if (!given->buffer || !ma_array_serves(given, ma_array_device(base), (ma_dtype)base->dtype, p->ndim, p->shape) ||
      ma_array_overlaps(given, base) || (mode == MA_MODE_RAISE && ma_is_host(ma_array_device(base))))
    return false;
  for (int k = 0; k < p->nindex; k++)
    if (ma_array_overlaps(given, &p->index[k])) return false;
  return true;
}

static ma_status pick_read(const pick *p, const ma_array *base, ma_array *result, ma_index_mode mode,
                           ma_stream *stream) {
  bool ran = false;
  ma_array view;
  const void *from;
  void *to;
  if (!serves(result, p, base, mode)) {
    ma_array_release(result);
    MA_TRY(ma_array_new(result, ma_array_device(base), (ma_dtype)base->dtype, p->ndim, p->shape));
  }
  ma_index_close(&p->indexed, base, &view);
  ma_status status = ma_array_read(&view, stream, &from);
  if (status == MA_OK) status = ma_array_write(result, stream, &to);
  if (status == MA_OK) status = pick_joined(p, base, (void *)from, result, to, mode, &ran, stream);
  if (status == MA_OK && !ran) status = pick_launch(p, base, (void *)from, result, to, false, -1, mode, stream);
  ma_array_release(&view);
  if (status != MA_OK) ma_array_release(result);
  return status;
}

/* Copies index arrays that share memory with the target: writing would change them. */
static ma_status pick_detach(pick *p, const ma_array *base, ma_stream *stream) {
  for (int k = 0; k < p->nindex; k++) {
    if (!ma_array_overlaps(&p->index[k], base)) continue;
    ma_array copy;
    MA_TRY(ma_array_copy(&copy, &p->index[k], (ma_dtype)p->index[k].dtype, stream));
    ma_array_release(&p->index[k]);
    p->index[k] = copy;
  }
  return MA_OK;
}

/* ==== Stored values =============================================================================================== */

/* Converts a scalar to `dtype`. A whole Lua number that does not fit an integer dtype is an error, as in an
** expression. */
static ma_status cast_scalar(const ma_arg *arg, ma_dtype dtype, ma_value *value) {
  if (arg->weak == MA_WEAK_COMPLEX && ma_dtypes[dtype].kind != MA_KIND_COMPLEX)
    return ma_fail(MA_ERR_TYPE, "a complex number; an array of dtype %s takes real ones", ma_dtypes[dtype].name);
  if (ma_weak_is_whole(arg->weak) && dtype != MA_BOOL) return ma_value_weak(arg->value, arg->weak, dtype, value);
  *value = ma_value_cast(arg->value, arg->dtype, dtype);
  return MA_OK;
}

/* Makes the value an array of the base's dtype on its device, which shares no memory with it. It may have any shape. */
static ma_status value_array(const ma_array *base, const ma_arg *arg, ma_stream *stream, ma_array *out) {
  ma_device *device = ma_array_device(base);
  if (!arg->array) {
    ma_value value;
    MA_TRY(cast_scalar(arg, (ma_dtype)base->dtype, &value));
    MA_TRY(ma_array_new(out, device, (ma_dtype)base->dtype, 0, NULL));
    ma_status status = ma_array_fill(out, value, (ma_dtype)base->dtype, stream);
    if (status != MA_OK) ma_array_release(out);
    return status;
  }
  bool same = arg->array->dtype == base->dtype;
  if (ma_array_device(arg->array) != device) {
    MA_TRY(ma_array_to(out, arg->array, device, stream));
    if (same) return MA_OK;
    ma_array moved = *out;
    ma_status status = ma_array_copy(out, &moved, (ma_dtype)base->dtype, stream);
    ma_array_release(&moved);
    return status;
  }
  if (!same || ma_array_overlaps(arg->array, base))
    return ma_array_copy(out, arg->array, (ma_dtype)base->dtype, stream);
  ma_array_view(out, arg->array);
  return MA_OK;
}

/* Drops leading axes of extent 1 that the target does not have, as NumPy does when it stores. */
static void drop_leading(ma_array *array, int ndim) {
  int drop = 0;
  while (array->ndim - drop > ndim && array->shape[drop] == 1) drop++;
  if (drop == 0) return;
  array->ndim = (uint8_t)(array->ndim - drop);
  memmove(array->shape, array->shape + drop, sizeof(int64_t) * array->ndim);
  memmove(array->stride, array->stride + drop, sizeof(int64_t) * array->ndim);
}

/* Writes `value` at the picked places. It is released in every case. */
static ma_status pick_write(const pick *p, ma_array *base, ma_array *value, int op, ma_index_mode mode,
                            ma_stream *stream) {
  ma_array view, side = { 0 };
  const void *from;
  void *to;
  drop_leading(value, p->ndim);
  ma_status status = ma_array_broadcast(&side, value, p->ndim, p->shape);
  ma_array_release(value);
  if (status != MA_OK) return ma_fail_prefix(status, "values for the picked places: ");
  ma_index_close(&p->indexed, base, &view);
  status = ma_array_read(&side, stream, &from);
  if (status == MA_OK) status = ma_array_write(&view, stream, &to);
  if (status == MA_OK) status = pick_launch(p, base, to, &side, (void *)from, true, op, mode, stream);
  ma_array_release(&view);
  ma_array_release(&side);
  return status;
}

/* Checks that an operation on an element and a value returns the array's dtype. */
static ma_status check_op(int op, const ma_array *base, const ma_arg *arg) {
  const ma_op_info *info = &ma_ops[op];
  ma_dtype loop = (ma_dtype)base->dtype;
  const char *name = ma_dtypes[loop].name;
  bool same = info->nin <= 2 && ma_sig_dtype((ma_sig)info->out, loop) == loop;
  for (int k = 0; k < info->nin && same; k++) same = ma_sig_dtype((ma_sig)info->in[k], loop) == loop;
  bool wide = (info->flags & MA_OPF_TRUE_DIVIDE && ma_dtypes[loop].kind < MA_KIND_FLOAT) ||
              (info->flags & MA_OPF_DOUBLE && loop != MA_FLOAT64 && loop != MA_COMPLEX128);
  if (!same || wide || !info->body[ma_dtypes[loop].kind])
    return ma_fail(
      MA_ERR_TYPE,
      "%s at positions of a %s array; wanted an operation of one or two operands that gives that dtype back",
      info->name, name);
  if (info->nin == 1) return MA_OK;
  if (!arg) return ma_fail(MA_ERR_VALUE, "%s without a second operand; it needs one", info->name);
  ma_dtype dtype = arg->array               ? (ma_dtype)arg->array->dtype
                   : arg->weak != MA_STRONG ? ma_dtype_promote_weak(loop, arg->weak)
                                            : arg->dtype;
  if (!ma_dtype_can_cast(dtype, loop, true))
    return ma_fail(MA_ERR_TYPE, "%s values for a %s array; casting them would lose their kind (use astype)",
                   ma_dtypes[dtype].name, name);
  return MA_OK;
}

/* a[mask] = v for a v that has no axis along the mask. This is a select, which does not wait. `value` is released. */
static ma_status set_masked(ma_array *base, const ma_array *mask, ma_array *value, int op, ma_stream *stream) {
  ma_item item[1 + MA_MAX_NDIM] = { { .kind = MA_ITEM_REST } };
  ma_array wide = { 0 };
  int nitem = 1;
  for (; nitem <= base->ndim - mask->ndim; nitem++) item[nitem].kind = MA_ITEM_NEWAXIS;
  ma_status status = ma_index_view(&wide, mask, item, nitem);
  if (status == MA_OK) {
    ma_dtype dtype = (ma_dtype)base->dtype;
    ma_opcode code = op < 0 ? MA_DO_choose : (ma_opcode)op;
    ma_arg arg[3] = { { .array = base, .dtype = dtype }, { .array = value, .dtype = dtype } };
    if (op < 0) arg[2] = arg[0], arg[0] = (ma_arg){ .array = &wide, .dtype = MA_BOOL };
    status = ma_ufunc_apply(&code, 1, arg, op < 0 ? MA_NDTYPE : dtype, op < 0 ? NULL : &wide, (ma_array *[]){ base },
                            stream);
  }
  ma_array_release(&wide);
  ma_array_release(value);
  return status;
}

/* Writes by an index without arrays: an assignment to a view, or an operation on it. */
static ma_status set_view(ma_array *base, const ma_item *item, int nitem, const ma_arg *arg, int op,
                          ma_stream *stream) {
  ma_array view, value = { 0 };
  MA_TRY(ma_index_view(&view, base, item, nitem));
  ma_status status;
  if (op < 0 && !arg->array) {
    ma_value scalar;
    void *address;
    status = cast_scalar(arg, (ma_dtype)base->dtype, &scalar);
    /* A short path for Lua loops that store single elements. */
    if (status == MA_OK && view.size == 1 && ma_array_device(base) == ma_device_cpu()) {
      status = ma_array_write(&view, NULL, &address);
      if (status == MA_OK) ma_value_store(address, (ma_dtype)base->dtype, scalar);
    } else if (status == MA_OK) status = ma_array_fill(&view, scalar, (ma_dtype)base->dtype, stream);
  } else if (op < 0) {
    ma_array_view(&value, arg->array);
    drop_leading(&value, view.ndim);
    status = ma_array_assign(&view, &value, stream);
  } else {
    ma_opcode code = (ma_opcode)op;
    ma_arg args[2] = { { .array = &view, .dtype = (ma_dtype)base->dtype } };
    status = arg ? value_array(base, arg, stream, &value) : MA_OK;
    args[1] = (ma_arg){ .array = &value, .dtype = (ma_dtype)base->dtype };
    if (status == MA_OK)
      status = ma_ufunc_apply(&code, 1, args, (ma_dtype)base->dtype, NULL, (ma_array *[]){ &view }, stream);
  }
  ma_array_release(&value);
  ma_array_release(&view);
  return status;
}

static bool has_array(const ma_item *item, int nitem) {
  for (int k = 0; k < nitem; k++)
    if (item[k].kind == MA_ITEM_ARRAY) return true;
  return false;
}

/* Whether a[mask] can be done in one pass without positions: the mask covers all of `a`, and the device has the
** slot. */
static bool may_select(const ma_array *base, const ma_item *item, int nitem) {
  return nitem == 1 && item->array->dtype == MA_BOOL && item->array->ndim == base->ndim && item->array->size > 0 &&
         base->size > 0 && ma_array_is_contiguous(base) && ma_array_device(base) == ma_array_device(item->array) &&
         (ma_array_device(base)->backend->index.compact || ma_array_device(base)->backend->index.select);
}

/* ==== Functions for other files =================================================================================== */

ma_status ma_index_get(ma_array *result, const ma_array *base, const ma_item *item, int nitem, ma_index_mode mode,
                       ma_stream *stream) {
  if (!has_array(item, nitem)) return ma_index_view(result, base, item, nitem);
  if (may_select(base, item, nitem)) {
    MA_TRY(mask_fits(item->array, base, 0));
    return ma_compact_select(result, base, item->array, stream);
  }
  pick p;
  MA_TRY(pick_open(&p, base, item, nitem, stream));
  ma_status status = pick_read(&p, base, result, mode, stream);
  pick_close(&p);
  return status;
}

ma_status ma_index_set(ma_array *base, const ma_item *item, int nitem, const ma_arg *arg, int op, ma_index_mode mode,
                       ma_stream *stream) {
  if (base->readonly) return ma_fail(MA_ERR_VALUE, "a read-only array; copy() makes one that may be written");
  if (op >= 0) MA_TRY(check_op(op, base, arg));
  if (!has_array(item, nitem)) return set_view(base, item, nitem, arg, op, stream);
  ma_array value = { 0 };
  ma_arg nothing = { .dtype = MA_INT64, .weak = MA_WEAK_INT }; /* the value of a unary operation, which is not read */
  MA_TRY(value_array(base, arg ? arg : &nothing, stream, &value));
  const ma_array *mask = nitem == 1 && item->array->dtype == MA_BOOL ? item->array : NULL;
  if (mask && mask->size > 0 && mask->ndim <= base->ndim && value.ndim <= base->ndim - mask->ndim &&
      ma_array_device(mask) == ma_array_device(base)) {
    ma_status fits = mask_fits(mask, base, 0);
    if (fits == MA_OK) return set_masked(base, mask, &value, op, stream);
    ma_array_release(&value);
    return fits;
  }
  pick p;
  ma_status status = pick_open(&p, base, item, nitem, stream);
  if (status != MA_OK) {
    ma_array_release(&value);
    return status;
  }
  status = pick_detach(&p, base, stream);
  if (status == MA_OK) status = pick_write(&p, base, &value, op, mode, stream);
  else ma_array_release(&value);
  pick_close(&p);
  return status;
}

ma_status ma_index_get_along(ma_array *result, const ma_array *base, const ma_array *index, int axis,
                             ma_index_mode mode, ma_stream *stream) {
  pick p;
  MA_TRY(along_open(&p, base, index, axis));
  ma_status status = pick_read(&p, base, result, mode, stream);
  pick_close(&p);
  return status;
}

ma_status ma_index_set_along(ma_array *base, const ma_array *index, int axis, const ma_arg *arg, ma_stream *stream) {
  if (base->readonly) return ma_fail(MA_ERR_VALUE, "a read-only array; copy() makes one that may be written");
  pick p;
  ma_array value = { 0 };
  MA_TRY(along_open(&p, base, index, axis));
  ma_status status = pick_detach(&p, base, stream);
  if (status == MA_OK) status = value_array(base, arg, stream, &value);
  if (status == MA_OK) status = pick_write(&p, base, &value, -1, MA_MODE_RAISE, stream);
  pick_close(&p);
  return status;
}

ma_status ma_index_unravel(ma_array *result, const ma_array *positions, int ndim, const int64_t *shape, int axis,
                           ma_stream *stream) {
  ma_program program;
  ma_value scalar[MA_MAX_SCALARS] = { { .i = 1 }, { .i = 1 }, { .i = shape[axis] }, { .i = 0 } };
  for (int d = axis + 1; d < ndim; d++) scalar[1].i *= shape[d];
  ma_program_clear(&program);
  int x = ma_program_cast(&program, ma_program_input(&program, (ma_dtype)positions->dtype), MA_INT64), constant[4];
  for (int k = 0; k < 4; k++) constant[k] = ma_program_scalar(&program, MA_INT64);
  int below = ma_program_emit(&program, MA_DO_is_less, MA_INT64, (int[MA_MAX_ARITY]){ x, constant[3] });
  below = ma_program_cast(&program, below, MA_INT64); /* the position before 1 is -1 */
  x = ma_program_emit(&program, MA_DO_difference, MA_INT64, (int[MA_MAX_ARITY]){ x, constant[0] });
  x = ma_program_emit(&program, MA_DO_sum, MA_INT64, (int[MA_MAX_ARITY]){ x, below });
  x = ma_program_emit(&program, MA_DO_whole_quotient, MA_INT64, (int[MA_MAX_ARITY]){ x, constant[1] });
  x = ma_program_emit(&program, MA_DO_rest, MA_INT64, (int[MA_MAX_ARITY]){ x, constant[2] });
  x = ma_program_emit(&program, MA_DO_sum, MA_INT64, (int[MA_MAX_ARITY]){ x, constant[0] });
  ma_program_output(&program, x);
  return ma_program_run(&program, &positions, scalar, &result, stream);
}

ma_status ma_index_ravel(ma_array *result, const ma_array *before, const ma_array *positions, int64_t extent,
                         ma_index_mode mode, ma_stream *stream) {
  const ma_array *input[2] = { positions, before };
  ma_program program;
  ma_value scalar[MA_MAX_SCALARS] = { { .i = 1 }, { .i = extent }, { .i = 0 }, { .i = extent - 1 } };
  ma_program_clear(&program);
  int x = ma_program_cast(&program, ma_program_input(&program, (ma_dtype)positions->dtype), MA_INT64), constant[4];
  int y = before ? ma_program_input(&program, MA_INT64) : 0;
  for (int k = 0; k < 4; k++) constant[k] = ma_program_scalar(&program, MA_INT64);
  int below = ma_program_emit(&program, MA_DO_is_less, MA_INT64, (int[MA_MAX_ARITY]){ x, constant[2] });
  x = ma_program_emit(&program, MA_DO_difference, MA_INT64, (int[MA_MAX_ARITY]){ x, constant[0] });
  if (mode == MA_MODE_RAISE)
    x = ma_program_emit(&program, MA_DO_sum, MA_INT64,
                        (int[MA_MAX_ARITY]){ x, ma_program_cast(&program, below, MA_INT64) });
  if (mode == MA_MODE_CLIP)
    x = ma_program_emit(&program, MA_DO_within, MA_INT64, (int[MA_MAX_ARITY]){ x, constant[2], constant[3] });
  else x = ma_program_emit(&program, MA_DO_rest, MA_INT64, (int[MA_MAX_ARITY]){ x, constant[1] });
  if (before) {
    y = ma_program_emit(&program, MA_DO_difference, MA_INT64, (int[MA_MAX_ARITY]){ y, constant[0] });
    y = ma_program_emit(&program, MA_DO_product, MA_INT64, (int[MA_MAX_ARITY]){ y, constant[1] });
    x = ma_program_emit(&program, MA_DO_sum, MA_INT64, (int[MA_MAX_ARITY]){ x, y });
  }
  x = ma_program_emit(&program, MA_DO_sum, MA_INT64, (int[MA_MAX_ARITY]){ x, constant[0] });
  ma_program_output(&program, x);
  return ma_program_run(&program, input, scalar, &result, stream);
}

ma_status ma_index_from_host(ma_array *array, ma_device *device, const int64_t *positions, int ndim,
                             const int64_t *shape, ma_stream *stream) {
  void *address;
  MA_TRY(ma_array_new(array, device, MA_INT64, ndim, shape));
  if (array->size == 0) return MA_OK;
  ma_status status = ma_array_write(array, stream, &address);
  if (status == MA_OK)
    status = device->backend->memory.copy(stream, address, positions, (size_t)array->size * sizeof *positions,
                                          MA_COPY_TO_DEVICE);
  if (status != MA_OK) ma_array_release(array);
  return status;
}
