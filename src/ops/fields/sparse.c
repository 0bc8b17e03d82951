/* sparse.c: sparse matrices: checks of their arrays, memory for results, and the way to the backend. */
#include "ops/fields/sparse.h"

#include <inttypes.h>
#include <string.h>

void ma_sparse_release(ma_csr_arrays *arrays) {
  ma_array_release(&arrays->indptr);
  ma_array_release(&arrays->indices);
  ma_array_release(&arrays->data);
}

static ma_status missing(const ma_device *device, const char *what) {
  return ma_fail(MA_ERR_DEVICE, "%s of sparse matrices on %s; that device has none yet", what, device->name);
}

/* ==== Operands =================================================================================================== */

bool ma_sparse_is_vector(const ma_array *a, int64_t size) {
  return a->ndim == 1 && a->size == size && ma_array_is_contiguous(a);
}

ma_status ma_sparse_check_index(const ma_array *a, const ma_array *like, int64_t size, const char *what) {
  if (a->dtype != MA_INT32 && a->dtype != MA_INT64)
    return ma_fail(MA_ERR_TYPE, "%s of dtype %s; wanted int32 or int64", what, ma_dtypes[a->dtype].name);
  if (a->dtype != like->dtype)
    return ma_fail(MA_ERR_TYPE, "%s of dtype %s beside %s; wanted one dtype", what, ma_dtypes[a->dtype].name,
                   ma_dtypes[like->dtype].name);
  if (!ma_sparse_is_vector(a, size))
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " elements in %s; wanted a contiguous vector of %" PRId64, a->size, what,
                   size);
  return MA_OK;
}

bool ma_sparse_is_taken(ma_dtype dtype) { return dtype != MA_FLOAT16 && dtype != MA_BFLOAT16; }

ma_status ma_sparse_csr_of(const ma_csr_parts *parts, int64_t first, ma_stream *stream, ma_csr *a) {
  const ma_array *data = parts->data;
  *a = (ma_csr){ .dtype = (ma_dtype)data->dtype,
                 .index = (ma_dtype)parts->indices->dtype,
                 .rows = parts->rows,
                 .columns = parts->columns,
                 .nnz = data->size,
                 .longest = parts->longest };
  if (a->rows < 0 || a->columns < 0)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " rows and %" PRId64 " columns; wanted none that is negative", a->rows,
                   a->columns);
  if (!ma_sparse_is_taken(a->dtype))
    return ma_fail(MA_ERR_TYPE, "a sparse matrix of %s; wanted bool, integers, float32, float64 or complex",
                   ma_dtypes[a->dtype].name);
  if (!ma_sparse_is_vector(data, data->size))
    return ma_fail(MA_ERR_VALUE, "data of %d axes; wanted a contiguous vector", data->ndim);
  MA_TRY(ma_sparse_check_index(parts->indices, parts->indices, a->nnz, "indices"));
  MA_TRY(ma_sparse_check_index(parts->indptr, parts->indices, first, "indptr"));
  MA_TRY(ma_array_read(parts->indptr, stream, &a->indptr));
  MA_TRY(ma_array_read(parts->indices, stream, &a->indices));
  return ma_array_read(data, stream, &a->data);
}

ma_status ma_sparse_one_kind(const ma_csr *a, const ma_csr *b) {
  if (a->dtype != b->dtype || a->index != b->index)
    return ma_fail(MA_ERR_TYPE, "matrices of %s and %s, with %s and %s; wanted one dtype of each",
                   ma_dtypes[a->dtype].name, ma_dtypes[b->dtype].name, ma_dtypes[a->index].name,
                   ma_dtypes[b->index].name);
  return MA_OK;
}

/* ==== Products =================================================================================================== */

static ma_status check_product(const ma_csr_parts *a, bool transposed, const ma_array *x, const ma_array *y) {
  int64_t inner = transposed ? a->rows : a->columns, outer = transposed ? a->columns : a->rows;
  if (x->ndim < 1 || x->ndim > 2 || x->shape[0] != inner)
    return ma_fail(MA_ERR_VALUE,
                   "%" PRId64 " columns of the sparse operand and %" PRId64 " rows of the other; wanted "
                   "as many",
                   inner, x->ndim ? x->shape[0] : 0);
  if (x->dtype != a->data->dtype || !ma_array_is_contiguous(x))
    return ma_fail(MA_ERR_TYPE, "an operand of %s; wanted a contiguous one of %s", ma_dtypes[x->dtype].name,
                   ma_dtypes[a->data->dtype].name);
  if (!y->buffer) return MA_OK;
  if (y->ndim != x->ndim || y->shape[0] != outer || (y->ndim == 2 && y->shape[1] != x->shape[1]) ||
      y->dtype != x->dtype || !ma_array_is_contiguous(y) || ma_array_device(y) != ma_array_device(x))
    return ma_fail(MA_ERR_VALUE, "out has another shape, dtype or layout than the result; wanted a contiguous array "
                                 "like it");
  if (ma_array_overlaps(x, y)) return ma_fail(MA_ERR_VALUE, "out is the operand; wanted other memory");
  return MA_OK;
}

static ma_status read_order(const ma_csr_parts *parts, ma_stream *stream, ma_csr *a) {
  if (ma_array_device(parts->order)->backend == ma_device_cpu()->backend)
    return ma_fail(MA_ERR_VALUE, "values in another order on the CPU; a GPU takes them");
  MA_TRY(ma_sparse_check_index(parts->order, parts->indices, a->nnz, "order"));
  return ma_array_read(parts->order, stream, &a->order);
}

ma_status ma_sparse_product_run(const ma_csr_parts *a, bool transposed, const ma_array *x, ma_array *y,
                                ma_stream *stream) {
  ma_device *device = ma_array_device(x);
  bool made = !y->buffer;
  if (!device->backend->sparse.product) return missing(device, "products");
  MA_TRY(check_product(a, transposed, x, y));
  int64_t shape[2] = { transposed ? a->columns : a->rows, x->ndim == 2 ? x->shape[1] : 1 };
  ma_sparse_product job = { .transposed = transposed, .width = shape[1] };
  if (made) MA_TRY(ma_array_new(y, device, (ma_dtype)x->dtype, x->ndim, shape));
  ma_status status = ma_sparse_csr_of(a, a->rows + 1, stream, &job.a);
  if (status == MA_OK && a->order) status = read_order(a, stream, &job.a);
  if (status == MA_OK) status = ma_array_read(x, stream, &job.x);
  if (status == MA_OK) status = ma_array_write(y, stream, &job.y);
  if (status == MA_OK && y->size > 0) status = device->backend->sparse.product(stream, &job);
  if (status != MA_OK && made) ma_array_release(y);
  return status;
}

ma_status ma_sparse_sums_run(const ma_csr_parts *a, ma_array *y, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_sparse_product job = { .width = 1, .x = NULL };
  if (!device->backend->sparse.product) return missing(device, "sums");
  MA_TRY(ma_array_new(y, device, (ma_dtype)a->data->dtype, 1, &a->rows));
  ma_status status = ma_sparse_csr_of(a, a->rows + 1, stream, &job.a);
  if (status == MA_OK && a->order) status = read_order(a, stream, &job.a);
  if (status == MA_OK) status = ma_array_write(y, stream, &job.y);
  if (status == MA_OK && y->size > 0) status = device->backend->sparse.product(stream, &job);
  if (status != MA_OK) ma_array_release(y);
  return status;
}

ma_status ma_sparse_writes(const ma_array *array, ma_stream *stream, bool *known, uintptr_t *buffer, uint32_t *writes) {
  const void *at;
  MA_TRY(ma_array_read(array, stream, &at)); /* a program that waits may write it */
  *known = array->buffer->movable;
  *buffer = (uintptr_t)array->buffer;
  *writes = __atomic_load_n(&array->buffer->writes, __ATOMIC_RELAXED);
  return MA_OK;
}

ma_status ma_sparse_multiply_run(const ma_csr_parts *a, const ma_csr_parts *b, ma_csr_arrays *result, bool *sorted,
                                 ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr left, right;
  ma_sparse_clear(result);
  if (!device->backend->sparse.multiply) return missing(device, "products");
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &left));
  MA_TRY(ma_sparse_csr_of(b, b->rows + 1, stream, &right));
  MA_TRY(ma_sparse_one_kind(&left, &right));
  if (left.columns != right.rows)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " columns and %" PRId64 " rows; wanted as many", left.columns, right.rows);
  return device->backend->sparse.multiply(stream, &left, &right, result, sorted);
}

/* ==== Element by element ========================================================================================= */

static ma_status find_op(const char *name, ma_opcode *op) {
  for (int k = 0; k < MA_NOP; k++)
    if (!strcmp(ma_ops[k].name, name) && ma_ops[k].nin == 2) {
      *op = (ma_opcode)k;
      return MA_OK;
    }
  return ma_fail(MA_ERR_VALUE, "the operation %s; wanted one of two operands", name);
}

ma_status ma_sparse_combine_run(const ma_csr_parts *a, const ma_csr_parts *b, const char *op, ma_csr_arrays *result,
                                ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_sparse_combine job;
  ma_sparse_clear(result);
  if (!device->backend->sparse.combine) return missing(device, "operations on two");
  MA_TRY(find_op(op, &job.op));
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &job.a));
  MA_TRY(ma_sparse_csr_of(b, b->rows + 1, stream, &job.b));
  MA_TRY(ma_sparse_one_kind(&job.a, &job.b));
  if (job.a.rows != job.b.rows || job.a.columns != job.b.columns)
    return ma_fail(MA_ERR_VALUE, "matrices of two shapes; wanted one");
  job.result = ma_sig_dtype((ma_sig)ma_ops[job.op].out, job.a.dtype);
  if (!ma_sparse_is_taken(job.result)) return ma_fail(MA_ERR_TYPE, "a result of %s", ma_dtypes[job.result].name);
  return device->backend->sparse.combine(stream, &job, result);
}

ma_status ma_sparse_extreme_run(const ma_csr_parts *a, const char *op, bool positions, ma_array *to,
                                ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_sparse_extreme job = { .to = NULL, .at = NULL };
  void *room;
  to->buffer = NULL;
  if (!device->backend->sparse.extreme) return MA_OK;
  MA_TRY(find_op(op, &job.op));
  if (!ma_op_is_extreme(job.op))
    return ma_fail(MA_ERR_VALUE, "the operation %s; wanted maximum, minimum, fmax or fmin", op);
  if (a->rows < 1 || a->columns < 1)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " rows and %" PRId64 " columns; wanted at least one of each", a->rows,
                   a->columns);
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &job.a));
  if (a->order) MA_TRY(read_order(a, stream, &job.a));
  MA_TRY(ma_array_new(to, device, positions ? MA_INT64 : job.a.dtype, 1, &a->rows));
  ma_status status = ma_array_write(to, stream, &room);
  if (positions) job.at = room;
  else job.to = room;
  if (status == MA_OK) status = device->backend->sparse.extreme(stream, &job);
  if (status != MA_OK) ma_array_release(to);
  return status;
}

/* ==== Formats ==================================================================================================== */

ma_coo ma_sparse_entries_of(const ma_csr *a) {
  return (ma_coo){ .dtype = a->dtype,
                   .index = a->index,
                   .rows = a->rows,
                   .columns = a->columns,
                   .nnz = a->nnz,
                   .row = a->indptr,
                   .column = a->indices,
                   .data = a->data };
}

ma_status ma_sparse_compress_run(const ma_csr_parts *a, ma_csr_arrays *result, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr csr;
  ma_sparse_clear(result);
  if (!device->backend->sparse.compress) return missing(device, "conversion");
  MA_TRY(ma_sparse_csr_of(a, a->data->size, stream, &csr));
  ma_coo job = ma_sparse_entries_of(&csr);
  return device->backend->sparse.compress(stream, &job, result);
}

ma_status ma_sparse_make_room(ma_csr_arrays *arrays, const ma_csr *a, int64_t rows, ma_device *device,
                              ma_stream *stream, ma_csr_room *room) {
  int64_t ends = rows + 1;
  ma_status status = MA_OK;
  if (rows >= 0) {
    status = ma_array_new(&arrays->indptr, device, a->index, 1, &ends);
    if (status == MA_OK) status = ma_array_write(&arrays->indptr, stream, &room->indptr);
  }
  if (status == MA_OK) status = ma_array_new(&arrays->indices, device, a->index, 1, &a->nnz);
  if (status == MA_OK) status = ma_array_new(&arrays->data, device, a->dtype, 1, &a->nnz);
  if (status == MA_OK) status = ma_array_write(&arrays->indices, stream, &room->indices);
  if (status == MA_OK) status = ma_array_write(&arrays->data, stream, &room->data);
  return status;
}

ma_status ma_sparse_transpose_run(const ma_csr_parts *a, ma_csr_arrays *result, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr csr;
  ma_csr_room room;
  ma_sparse_clear(result);
  if (!device->backend->sparse.transpose) return missing(device, "conversion");
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &csr));
  ma_status status = ma_sparse_make_room(result, &csr, csr.columns, device, stream, &room);
  if (status == MA_OK) status = device->backend->sparse.transpose(stream, &csr, &room);
  if (status != MA_OK) ma_sparse_release(result);
  return status;
}

ma_status ma_sparse_sort_run(const ma_csr_parts *a, ma_csr_arrays *result, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr csr;
  ma_csr_room room = { .indptr = NULL };
  ma_sparse_clear(result);
  if (!device->backend->sparse.sort) return missing(device, "sorting");
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &csr));
  ma_status status = ma_sparse_make_room(result, &csr, -1, device, stream, &room);
  if (status == MA_OK && csr.nnz > 0) status = device->backend->sparse.sort(stream, &csr, &room);
  if (status != MA_OK) ma_sparse_release(result);
  return status;
}

ma_status ma_sparse_select_run(const ma_csr_parts *a, const ma_array *mask, ma_csr_arrays *result, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr csr;
  const void *chosen;
  ma_sparse_clear(result);
  if (!device->backend->sparse.select) return MA_OK;
  if (mask->dtype != MA_BOOL || !ma_sparse_is_vector(mask, a->data->size))
    return ma_fail(MA_ERR_VALUE, "a mask of %" PRId64 " elements; wanted %" PRId64 " bools", mask->size, a->data->size);
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &csr));
  MA_TRY(ma_array_read(mask, stream, &chosen));
  return device->backend->sparse.select(stream, &csr, chosen, result);
}

ma_status ma_sparse_diagonal_run(const ma_csr_parts *a, int64_t shift, int64_t n, ma_array *to, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr csr;
  void *room;
  to->buffer = NULL;
  if (!device->backend->sparse.diagonal) return missing(device, "diagonals");
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &csr));
  int64_t row = shift < 0 ? -shift : 0, column = shift > 0 ? shift : 0;
  if (n < 0 || row > csr.rows - n || column > csr.columns - n)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " elements on diagonal %" PRId64 "; it has fewer", n, shift);
  MA_TRY(ma_array_new(to, device, csr.dtype, 1, &n));
  ma_status status = ma_array_write(to, stream, &room);
  if (status == MA_OK && n > 0) status = device->backend->sparse.diagonal(stream, &csr, shift, n, room);
  if (status != MA_OK) ma_array_release(to);
  return status;
}

ma_status ma_sparse_rows_run(const ma_csr_parts *a, const ma_array *list, ma_csr_arrays *result, int64_t *wrong,
                             ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr csr;
  const void *rows;
  ma_sparse_clear(result);
  if (!device->backend->sparse.rows) return missing(device, "rows");
  if (list->dtype != MA_INT64 || !ma_sparse_is_vector(list, list->size))
    return ma_fail(MA_ERR_TYPE, "rows of %s; wanted a contiguous vector of int64", ma_dtypes[list->dtype].name);
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &csr));
  MA_TRY(ma_array_read(list, stream, &rows));
  return device->backend->sparse.rows(stream, &csr, rows, list->size, result, wrong);
}

ma_status ma_sparse_expand_run(const ma_csr_parts *a, int64_t nnz, ma_array *row, ma_stream *stream) {
  ma_device *device = ma_array_device(a->indptr);
  ma_csr csr = { .index = (ma_dtype)a->indptr->dtype, .rows = a->rows, .columns = a->columns, .nnz = nnz };
  void *to = NULL;
  row->buffer = NULL;
  if (!device->backend->sparse.expand) return missing(device, "conversion");
  MA_TRY(ma_sparse_check_index(a->indptr, a->indptr, a->rows + 1, "indptr"));
  MA_TRY(ma_array_read(a->indptr, stream, &csr.indptr));
  MA_TRY(ma_array_new(row, device, csr.index, 1, &nnz));
  ma_status status = ma_array_write(row, stream, &to);
  if (status == MA_OK && nnz > 0) status = device->backend->sparse.expand(stream, &csr, to);
  if (status != MA_OK) ma_array_release(row);
  return status;
}

/* ==== Triangles ================================================================================================== */

ma_status ma_sparse_triangle_run(const ma_csr_parts *a, bool lower, bool unit, bool transposed, ma_array *x,
                                 ma_array *info, ma_stream *stream) {
  ma_device *device = ma_array_device(x);
  ma_sparse_triangle job = { .lower = lower, .unit = unit, .transposed = transposed };
  void *flag = NULL;
  info->buffer = NULL;
  if (!device->backend->sparse.triangle) return missing(device, "triangular systems");
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &job.a));
  if (ma_dtypes[job.a.dtype].kind < MA_KIND_FLOAT || x->dtype != a->data->dtype)
    return ma_fail(MA_ERR_TYPE, "a system of %s and %s; wanted one dtype, float or complex",
                   ma_dtypes[job.a.dtype].name, ma_dtypes[x->dtype].name);
  if (job.a.rows != job.a.columns || x->ndim < 1 || x->ndim > 2 || x->shape[0] != job.a.rows ||
      !ma_array_is_contiguous(x))
    return ma_fail(MA_ERR_VALUE,
                   "%" PRId64 " rows, %" PRId64 " columns and a right side of %" PRId64 "; wanted as many", job.a.rows,
                   job.a.columns, x->ndim ? x->shape[0] : 0);
  job.width = x->ndim == 2 ? x->shape[1] : 1;
  MA_TRY(ma_array_write(x, stream, &job.x));
  MA_TRY(ma_array_new(info, device, MA_INT32, 0, NULL));
  ma_status status = ma_array_write(info, stream, &flag);
  job.info = flag;
  if (status == MA_OK) status = device->backend->sparse.triangle(stream, &job);
  if (status != MA_OK) ma_array_release(info);
  return status;
}
