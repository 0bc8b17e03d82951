/* sparse_formats.c: sparse matrices: places, order, other formats and matrices made of others, by slots that a device
** may lack. Then there is no result, and array code does the work. */
#include "ops/fields/sparse.h"

#include <inttypes.h>

ma_status ma_sparse_places_run(const ma_csr_parts *a, const ma_array *row, const ma_array *column, ma_array *to,
                               ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr csr;
  const void *rows, *columns;
  void *room;
  to->buffer = NULL;
  if (!device->backend->sparse.places) return MA_OK;
  if (row->dtype != MA_INT64 || column->dtype != MA_INT64 || !ma_sparse_is_vector(row, row->size) ||
      !ma_sparse_is_vector(column, row->size))
    return ma_fail(MA_ERR_TYPE, "positions of %s and %s; wanted two contiguous vectors of int64",
                   ma_dtypes[row->dtype].name, ma_dtypes[column->dtype].name);
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &csr));
  MA_TRY(ma_array_read(row, stream, &rows));
  MA_TRY(ma_array_read(column, stream, &columns));
  MA_TRY(ma_array_new(to, device, MA_INT64, 1, &row->size));
  ma_status status = ma_array_write(to, stream, &room);
  if (status == MA_OK && to->size > 0)
    status = device->backend->sparse.places(stream, &csr, rows, columns, to->size, room);
  if (status != MA_OK) ma_array_release(to);
  return status;
}

ma_status ma_sparse_look_run(const ma_csr_parts *a, bool *known, bool *sorted, bool *canonical, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr csr;
  *known = device->backend->sparse.look != NULL;
  if (!*known) return MA_OK;
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &csr));
  return device->backend->sparse.look(stream, &csr, sorted, canonical);
}

/* The matrix of blocks for a backend. */
static ma_status bsr_of(const ma_csr_parts *parts, ma_stream *stream, ma_bsr *b) {
  const ma_array *data = parts->data;
  if (data->ndim != 3 || !ma_array_is_contiguous(data))
    return ma_fail(MA_ERR_VALUE, "blocks of %d axes; wanted a contiguous array of three", data->ndim);
  *b = (ma_bsr){ .a = { .dtype = (ma_dtype)data->dtype,
                        .index = (ma_dtype)parts->indices->dtype,
                        .rows = parts->rows,
                        .columns = parts->columns,
                        .nnz = data->shape[0] },
                 .height = data->shape[1],
                 .width = data->shape[2] };
  if (!ma_sparse_is_taken(b->a.dtype) || b->height < 1 || b->width < 1)
    return ma_fail(MA_ERR_TYPE, "blocks of %s, %" PRId64 " x %" PRId64, ma_dtypes[b->a.dtype].name, b->height,
                   b->width);
  MA_TRY(ma_sparse_check_index(parts->indices, parts->indices, b->a.nnz, "indices"));
  MA_TRY(ma_sparse_check_index(parts->indptr, parts->indices, b->a.rows + 1, "indptr"));
  MA_TRY(ma_array_read(parts->indptr, stream, &b->a.indptr));
  MA_TRY(ma_array_read(parts->indices, stream, &b->a.indices));
  return ma_array_read(data, stream, &b->a.data);
}

ma_status ma_sparse_unblock_run(const ma_csr_parts *a, ma_csr_arrays *result, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_bsr job;
  ma_csr_room room;
  ma_sparse_clear(result);
  if (!device->backend->sparse.unblock || a->rows == 0) return MA_OK;
  MA_TRY(bsr_of(a, stream, &job));
  ma_csr whole = { .dtype = job.a.dtype, .index = job.a.index, .nnz = a->data->size };
  if (whole.index == MA_INT32 && (whole.nnz >= INT32_MAX || job.a.columns * job.width >= INT32_MAX)) return MA_OK;
  ma_status status = ma_sparse_make_room(result, &whole, job.a.rows * job.height, device, stream, &room);
  if (status == MA_OK) status = device->backend->sparse.unblock(stream, &job, &room);
  if (status != MA_OK) ma_sparse_release(result);
  return status;
}

/* Of a product with a vector or a matrix x. */
typedef struct product {
  int64_t n; /* columns of x */
  const void *from;
  void *to;
} product;

/* Makes y of `rows` rows for a product with x, which must have `columns`. */
static ma_status open_product(product *p, const ma_array *x, ma_dtype dtype, int64_t rows, int64_t columns, ma_array *y,
                              ma_stream *stream) {
  if (x->ndim < 1 || x->ndim > 2 || x->shape[0] != columns || x->dtype != dtype || !ma_array_is_contiguous(x))
    return ma_fail(MA_ERR_VALUE,
                   "an operand that does not fit; wanted a contiguous one of the dtype and %" PRId64 " rows", columns);
  p->n = x->ndim == 2 ? x->shape[1] : 1;
  MA_TRY(ma_array_new(y, ma_array_device(x), dtype, x->ndim, (int64_t[]){ rows, p->n }));
  ma_status status = ma_array_read(x, stream, &p->from);
  if (status == MA_OK) status = ma_array_write(y, stream, &p->to);
  if (status != MA_OK) ma_array_release(y);
  return status;
}

ma_status ma_sparse_blocks_run(const ma_csr_parts *a, const ma_array *x, ma_array *y, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_bsr job;
  product p;
  y->buffer = NULL;
  if (!device->backend->sparse.blocks) return MA_OK;
  MA_TRY(bsr_of(a, stream, &job));
  MA_TRY(open_product(&p, x, job.a.dtype, job.a.rows * job.height, job.a.columns * job.width, y, stream));
  ma_status status = y->size ? device->backend->sparse.blocks(stream, &job, p.n, p.from, p.to) : MA_OK;
  if (status != MA_OK) ma_array_release(y);
  return status;
}

static ma_status read_diagonals(ma_dia *d, const ma_array *data, ma_stream *stream) {
  if (data->ndim != 2 || data->shape[0] != d->count || !ma_array_is_contiguous(data) ||
      !ma_sparse_is_taken((ma_dtype)data->dtype))
    return ma_fail(MA_ERR_VALUE, "diagonals of %d axes of %s; wanted a contiguous matrix", data->ndim,
                   ma_dtypes[data->dtype].name);
  d->dtype = (ma_dtype)data->dtype;
  d->length = data->shape[1];
  return ma_array_read(data, stream, &d->data);
}

ma_status ma_sparse_stripes_run(ma_dia *d, const ma_array *data, ma_dtype index, ma_csr_arrays *result,
                                ma_stream *stream) {
  ma_device *device = ma_array_device(data);
  ma_sparse_clear(result);
  if (!device->backend->sparse.stripes) return MA_OK;
  MA_TRY(read_diagonals(d, data, stream));
  return device->backend->sparse.stripes(stream, d, index, result);
}

ma_status ma_sparse_striped_run(ma_dia *d, const ma_array *data, const ma_array *x, ma_array *y, ma_stream *stream) {
  ma_device *device = ma_array_device(data);
  product p;
  y->buffer = NULL;
  if (!device->backend->sparse.striped) return MA_OK;
  MA_TRY(read_diagonals(d, data, stream));
  MA_TRY(open_product(&p, x, d->dtype, d->rows, d->columns, y, stream));
  ma_status status = y->size ? device->backend->sparse.striped(stream, d, p.n, p.from, p.to) : MA_OK;
  if (status != MA_OK) ma_array_release(y);
  return status;
}

ma_status ma_sparse_entries_run(const ma_csr_parts *a, const ma_array *x, ma_array *y, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr csr;
  product p;
  y->buffer = NULL;
  if (!device->backend->sparse.entries) return MA_OK;
  MA_TRY(ma_sparse_csr_of(a, a->data->size, stream, &csr));
  ma_coo job = ma_sparse_entries_of(&csr);
  MA_TRY(open_product(&p, x, csr.dtype, csr.rows, csr.columns, y, stream));
  ma_status status = y->size ? device->backend->sparse.entries(stream, &job, p.n, p.from, p.to) : MA_OK;
  if (status != MA_OK) ma_array_release(y);
  return status;
}

static bool is_matrix(const ma_array *x) { return x->ndim == 2 && ma_array_is_contiguous(x); }

ma_status ma_sparse_sampled_run(const ma_array *row, const ma_array *column, const ma_array *x, const ma_array *y,
                                ma_array *to, ma_stream *stream) {
  ma_device *device = ma_array_device(x);
  ma_coo a = { .dtype = (ma_dtype)x->dtype, .index = (ma_dtype)row->dtype, .nnz = row->size };
  const void *left, *right;
  void *room = NULL;
  to->buffer = NULL;
  if (!device->backend->sparse.sampled) return MA_OK;
  if (!is_matrix(x) || !is_matrix(y) || x->dtype != y->dtype || x->shape[1] != y->shape[1] ||
      !ma_sparse_is_taken(a.dtype))
    return ma_fail(MA_ERR_VALUE,
                   "operands that do not fit; wanted contiguous matrices of one dtype and as many columns");
  a.rows = x->shape[0];
  a.columns = y->shape[0];
  MA_TRY(ma_sparse_check_index(row, row, a.nnz, "row"));
  MA_TRY(ma_sparse_check_index(column, row, a.nnz, "column"));
  MA_TRY(ma_array_read(row, stream, &a.row));
  MA_TRY(ma_array_read(column, stream, &a.column));
  MA_TRY(ma_array_read(x, stream, &left));
  MA_TRY(ma_array_read(y, stream, &right));
  MA_TRY(ma_array_new(to, device, a.dtype, 1, &a.nnz));
  ma_status status = ma_array_write(to, stream, &room);
  if (status == MA_OK && a.nnz > 0)
    status = device->backend->sparse.sampled(stream, &a, x->shape[1], left, right, room);
  if (status != MA_OK) ma_array_release(to);
  return status;
}

/* ==== Matrices made of others ==================================================================================== */

ma_status ma_sparse_drop_run(const ma_csr_parts *a, bool *known, ma_csr_arrays *result, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr csr;
  ma_sparse_clear(result);
  *known = device->backend->sparse.select != NULL;
  if (!*known) return MA_OK;
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &csr));
  return device->backend->sparse.select(stream, &csr, NULL, result);
}

ma_status ma_sparse_block_run(const ma_csr_parts *a, int64_t height, int64_t width, ma_csr_arrays *result,
                              ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr csr;
  ma_sparse_clear(result);
  if (!device->backend->sparse.block) return MA_OK;
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &csr));
  if (height < 1 || width < 1 || csr.rows % height || csr.columns % width)
    return ma_fail(MA_ERR_VALUE,
                   "blocks of %" PRId64 " x %" PRId64 " in %" PRId64 " rows and %" PRId64 " columns; wanted a size "
                   "that divides them",
                   height, width, csr.rows, csr.columns);
  return device->backend->sparse.block(stream, &csr, height, width, result);
}

/* Checks that the pieces fill the rows as ma_sparse_stack says. */
static ma_status check_pieces(const ma_sparse_stack *s) {
  int64_t top = 0, left = 0, height = 0;
  for (int64_t k = 0; k < s->count; k++) {
    const ma_sparse_piece *p = s->pieces + k;
    MA_TRY(ma_sparse_one_kind(&s->pieces->a, &p->a));
    if (p->top != top || k == 0) {
      top += height;
      height = p->a.rows;
      left = 0;
    }
    if (p->top != top || p->a.rows != height || p->left < left || p->left > s->columns - p->a.columns)
      return ma_fail(MA_ERR_VALUE, "piece %" PRId64 " of a sparse matrix is out of place", k + 1);
    left = p->left + p->a.columns;
  }
  if (s->count < 1 || top + height != s->rows)
    return ma_fail(MA_ERR_VALUE, "pieces of %" PRId64 " rows; wanted %" PRId64, top + height, s->rows);
  return MA_OK;
}

ma_status ma_sparse_stack_run(const ma_csr_parts *parts, ma_sparse_piece *pieces, ma_sparse_stack *stack,
                              ma_csr_arrays *result, ma_stream *stream) {
  ma_device *device = ma_array_device(parts->data);
  ma_sparse_clear(result);
  if (!device->backend->sparse.stack) return MA_OK;
  for (int64_t k = 0; k < stack->count; k++)
    MA_TRY(ma_sparse_csr_of(parts + k, parts[k].rows + 1, stream, &pieces[k].a));
  stack->pieces = pieces;
  MA_TRY(check_pieces(stack));
  return device->backend->sparse.stack(stream, stack, result);
}

ma_status ma_sparse_kron_run(const ma_csr_parts *a, const ma_csr_parts *b, ma_csr_arrays *result, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr left, right;
  ma_csr_room room;
  int64_t rows, columns;
  ma_sparse_clear(result);
  if (!device->backend->sparse.kron) return MA_OK;
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &left));
  MA_TRY(ma_sparse_csr_of(b, b->rows + 1, stream, &right));
  MA_TRY(ma_sparse_one_kind(&left, &right));
  ma_csr whole = { .dtype = left.dtype, .index = left.index };
  int64_t most = left.index == MA_INT32 ? INT32_MAX - 1 : INT64_MAX - 1;
  if (__builtin_mul_overflow(left.rows, right.rows, &rows) ||
      __builtin_mul_overflow(left.columns, right.columns, &columns) ||
      __builtin_mul_overflow(left.nnz, right.nnz, &whole.nnz) || rows > most || columns > most || whole.nnz > most)
    return ma_fail(MA_ERR_VALUE, "a Kronecker product that is too large for positions of %s",
                   ma_dtypes[left.index].name);
  ma_status status = ma_sparse_make_room(result, &whole, rows, device, stream, &room);
  if (status == MA_OK) status = device->backend->sparse.kron(stream, &left, &right, &room);
  if (status != MA_OK) ma_sparse_release(result);
  return status;
}

ma_status ma_sparse_unite_run(const ma_csr_parts *a, ma_csr_arrays *result, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr csr;
  ma_sparse_clear(result);
  if (!device->backend->sparse.unite) return MA_OK;
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &csr));
  return device->backend->sparse.unite(stream, &csr, result);
}

ma_status ma_sparse_put_run(const ma_csr_parts *a, const ma_csr_parts *b, ma_csr_arrays *result, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_csr old, given;
  ma_sparse_clear(result);
  if (!device->backend->sparse.put) return MA_OK;
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &old));
  MA_TRY(ma_sparse_csr_of(b, b->rows + 1, stream, &given));
  MA_TRY(ma_sparse_one_kind(&old, &given));
  if (old.rows != given.rows || old.columns != given.columns)
    return ma_fail(MA_ERR_VALUE, "matrices of two shapes; wanted one");
  return device->backend->sparse.put(stream, &old, &given, result);
}

ma_status ma_sparse_columns_run(const ma_csr_parts *a, const ma_array *list, ma_sparse_columns *job,
                                ma_csr_arrays *result, int64_t *wrong, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  const void *at = NULL;
  ma_sparse_clear(result);
  if (!device->backend->sparse.columns) return MA_OK;
  MA_TRY(ma_sparse_csr_of(a, a->rows + 1, stream, &job->a));
  if (list) {
    if (list->dtype != MA_INT64 || !ma_sparse_is_vector(list, list->size))
      return ma_fail(MA_ERR_TYPE, "columns of %s; wanted a contiguous vector of int64", ma_dtypes[list->dtype].name);
    MA_TRY(ma_array_read(list, stream, &at));
    job->list = at;
    job->count = list->size;
    if (job->a.index == MA_INT32 && job->count >= INT32_MAX)
      return ma_fail(MA_ERR_VALUE, "%" PRId64 " columns with int32 indices; wanted int64 indices", job->count);
  } else if (job->first < 1 || job->step < 1 || job->count < 1 || job->first > job->a.columns ||
             (job->count - 1) > (job->a.columns - job->first) / job->step) {
    return ma_fail(MA_ERR_VALUE, "columns that a sparse matrix does not have");
  }
  return device->backend->sparse.columns(stream, job, result, wrong);
}
