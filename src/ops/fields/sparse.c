/* sparse.c: sparse matrices: checks of their arrays, memory for results, and the way to the backend. */
#include "ops/fields/sparse.h"
#include "memory/graph.h"

#include <inttypes.h>
#include <string.h>

static void release_parts(ma_csr_arrays *arrays) {
  ma_array_release(&arrays->indptr);
  ma_array_release(&arrays->indices);
  ma_array_release(&arrays->data);
}

/* ==== Operands =================================================================================================== */

static bool is_vector(const ma_array *a, int64_t size) {
  return a->ndim == 1 && a->size == size && ma_array_is_contiguous(a);
}

static ma_status check_index(const ma_array *a, const ma_array *like, int64_t size, const char *what) {
  if (a->dtype != MA_INT32 && a->dtype != MA_INT64)
    return ma_fail(MA_ERR_TYPE, "%s of dtype %s; wanted int32 or int64", what, ma_dtypes[a->dtype].name);
  if (a->dtype != like->dtype)
    return ma_fail(MA_ERR_TYPE, "%s of dtype %s beside %s; wanted one dtype", what, ma_dtypes[a->dtype].name,
                   ma_dtypes[like->dtype].name);
  if (!is_vector(a, size))
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " elements in %s; wanted a contiguous vector of %" PRId64, a->size, what,
                   size);
  return MA_OK;
}

static bool is_taken(ma_dtype dtype) { return dtype != MA_FLOAT16 && dtype != MA_BFLOAT16; }

static ma_status open_data(const ma_array *data, int ndim, const char *wanted) {
  if (!is_taken((ma_dtype)data->dtype))
    return ma_fail(MA_ERR_TYPE, "a sparse matrix of %s; wanted bool, integers, float32, float64 or complex",
                   ma_dtypes[data->dtype].name);
  if (data->ndim != ndim || !ma_array_is_contiguous(data))
    return ma_fail(MA_ERR_VALUE, "data of %d axes; wanted a contiguous %s", data->ndim, wanted);
  return MA_OK;
}

/* Describes the matrix to a backend. */
static ma_status open_parts(const ma_sparse_parts *parts, ma_stream *stream, ma_sparse *a) {
  const ma_array *data = parts->data;
  bool blocks = parts->kind == MA_SPARSE_BLOCKS, diagonals = parts->kind == MA_SPARSE_DIAGONALS;
  *a = (ma_sparse){ .kind = parts->kind,
                    .dtype = (ma_dtype)data->dtype,
                    .index = diagonals ? MA_INT32 : (ma_dtype)parts->indices->dtype,
                    .rows = parts->rows,
                    .columns = parts->columns,
                    .longest = parts->longest,
                    .offsets = parts->offsets,
                    .places = parts->places };
  if (a->rows < 0 || a->columns < 0)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " rows and %" PRId64 " columns; wanted none that is negative", a->rows,
                   a->columns);
  MA_TRY(open_data(data, blocks ? 3 : diagonals ? 2 : 1, blocks ? "array of three" : diagonals ? "matrix" : "vector"));
  a->nnz = blocks || diagonals ? data->shape[0] : data->size;
  if (diagonals) {
    a->length = data->shape[1];
    if (a->nnz != parts->noffset)
      return ma_fail(MA_ERR_VALUE, "%" PRId64 " diagonals and %" PRId64 " offsets; wanted as many", a->nnz,
                     parts->noffset);
    return ma_array_read(data, stream, &a->data);
  }
  if (blocks) {
    a->height = data->shape[1];
    a->width = data->shape[2];
    if (a->height < 1 || a->width < 1 || a->rows % a->height || a->columns % a->width)
      return ma_fail(MA_ERR_VALUE, "blocks of %" PRId64 " x %" PRId64 " in %" PRId64 " rows and %" PRId64 " columns",
                     a->height, a->width, a->rows, a->columns);
    a->rows /= a->height;
    a->columns /= a->width;
  }
  MA_TRY(check_index(parts->indices, parts->indices, a->nnz, "indices"));
  MA_TRY(check_index(parts->indptr, parts->indices, parts->kind == MA_SPARSE_ENTRIES ? a->nnz : a->rows + 1, "indptr"));
  MA_TRY(ma_array_read(parts->indptr, stream, &a->indptr));
  MA_TRY(ma_array_read(parts->indices, stream, &a->indices));
  return ma_array_read(data, stream, &a->data);
}

/* The same for a matrix that must be by rows. */
static ma_status open_rows(const ma_sparse_parts *parts, ma_stream *stream, ma_sparse *a) {
  if (parts->kind != MA_SPARSE_ROWS) return ma_fail(MA_ERR_VALUE, "a sparse matrix that is not by rows or columns");
  return open_parts(parts, stream, a);
}

static ma_status check_alike(const ma_sparse *a, const ma_sparse *b) {
  if (a->dtype != b->dtype || a->index != b->index)
    return ma_fail(MA_ERR_TYPE, "matrices of %s and %s, with %s and %s; wanted one dtype of each",
                   ma_dtypes[a->dtype].name, ma_dtypes[b->dtype].name, ma_dtypes[a->index].name,
                   ma_dtypes[b->index].name);
  return MA_OK;
}

/* ==== Products =================================================================================================== */

static ma_status check_product(const ma_sparse_parts *a, bool transposed, const ma_array *x, const ma_array *y) {
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

/* Values in their order, for the CPU. */
static ma_status take_in_order(const ma_sparse_parts *parts, ma_sparse *a, ma_array *taken) {
  size_t itemsize = ma_dtypes[a->dtype].itemsize;
  const void *order;
  MA_TRY(ma_array_read(parts->order, NULL, &order));
  MA_TRY(ma_array_new(taken, ma_device_cpu(), a->dtype, 1, &a->nnz));
  char *to = taken->buffer->ptr;
  for (int64_t k = 0; k < a->nnz; k++) {
    int64_t at = a->index == MA_INT32 ? ((const int32_t *)order)[k] : ((const int64_t *)order)[k];
    if (at < 1 || at > parts->data->size) return ma_fail(MA_ERR_VALUE, "order has %" PRId64 "; wanted a place", at);
    memcpy(to + (size_t)k * itemsize, (const char *)a->data + (size_t)(at - 1) * itemsize, itemsize);
  }
  a->data = to;
  return MA_OK;
}

/* On the CPU, which stands in where a GPU lacks a kernel, `taken` gets the values; the caller releases it. */
static ma_status read_order(const ma_sparse_parts *parts, ma_stream *stream, ma_sparse *a, ma_array *taken) {
  MA_TRY(check_index(parts->order, parts->indices, a->nnz, "order"));
  if (!ma_is_host(ma_array_device(parts->order))) return ma_array_read(parts->order, stream, &a->order);
  MA_TRY(ma_capture_refuse_work(stream, "values in another order"));
  return take_in_order(parts, a, taken);
}

ma_status ma_sparse_product_run(const ma_sparse_parts *a, bool transposed, const ma_array *x, ma_array *y,
                                ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  bool made = !y->buffer;
  ma_array taken = { .buffer = NULL };
  ma_sparse_product job = { .transposed = transposed, .width = x && x->ndim == 2 ? x->shape[1] : 1 };
  if (transposed && (!x || a->kind != MA_SPARSE_ROWS))
    return ma_fail(MA_ERR_VALUE, "a transposed matrix that is not by rows, or without an operand");
  if (x) MA_TRY(check_product(a, transposed, x, y));
  int64_t shape[2] = { transposed ? a->columns : a->rows, job.width };
  if (made) MA_TRY(ma_array_new(y, device, (ma_dtype)a->data->dtype, x ? x->ndim : 1, shape));
  ma_status status = x ? open_parts(a, stream, &job.a) : open_rows(a, stream, &job.a);
  if (status == MA_OK && a->order) status = read_order(a, stream, &job.a, &taken);
  if (status == MA_OK && x) status = ma_array_read(x, stream, &job.x);
  if (status == MA_OK) status = ma_array_write(y, stream, &job.y);
  if (status == MA_OK && y->size > 0) status = device->backend->sparse.product(stream, &job);
  if (taken.buffer) ma_array_release(&taken);
  if (status != MA_OK && made) ma_array_release(y);
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

ma_status ma_sparse_multiply_run(const ma_sparse_parts *a, const ma_sparse_parts *b, ma_csr_arrays *result,
                                 bool *sorted, ma_stream *stream) {
  ma_sparse left, right;
  ma_sparse_clear(result);
  MA_TRY(open_rows(a, stream, &left));
  MA_TRY(open_rows(b, stream, &right));
  MA_TRY(check_alike(&left, &right));
  if (left.columns != right.rows)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " columns and %" PRId64 " rows; wanted as many", left.columns, right.rows);
  return ma_array_device(a->data)->backend->sparse.multiply(stream, &left, &right, result, sorted);
}

/* ==== Element by element ========================================================================================= */

static ma_status find_op(const char *name, ma_opcode *op) {
  *op = ma_op_named(name);
  if (*op != MA_NOP && ma_ops[*op].nin == 2) return MA_OK;
  return ma_fail(MA_ERR_VALUE, "the operation %s; wanted one of two operands", name);
}

ma_status ma_sparse_combine_run(const ma_sparse_parts *a, const ma_sparse_parts *b, const char *op,
                                ma_csr_arrays *result, ma_stream *stream) {
  ma_sparse_combine job;
  ma_sparse_clear(result);
  MA_TRY(find_op(op, &job.op));
  MA_TRY(open_rows(a, stream, &job.a));
  MA_TRY(open_rows(b, stream, &job.b));
  MA_TRY(check_alike(&job.a, &job.b));
  if (job.a.rows != job.b.rows || job.a.columns != job.b.columns)
    return ma_fail(MA_ERR_VALUE, "matrices of two shapes; wanted one");
  job.result = ma_sig_dtype((ma_sig)ma_ops[job.op].out, job.a.dtype);
  if (!is_taken(job.result)) return ma_fail(MA_ERR_TYPE, "a result of %s", ma_dtypes[job.result].name);
  return ma_array_device(a->data)->backend->sparse.combine(stream, &job, result);
}

ma_status ma_sparse_extreme_run(const ma_sparse_parts *a, const char *op, bool positions, ma_array *to,
                                ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_sparse_extreme job = { .to = NULL, .at = NULL };
  ma_array taken = { .buffer = NULL };
  void *room = NULL;
  to->buffer = NULL;
  MA_TRY(find_op(op, &job.op));
  if (!ma_op_is_extreme(job.op))
    return ma_fail(MA_ERR_VALUE, "the operation %s; wanted maximum, minimum, fmax or fmin", op);
  if (a->rows < 1 || a->columns < 1)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " rows and %" PRId64 " columns; wanted at least one of each", a->rows,
                   a->columns);
  MA_TRY(open_rows(a, stream, &job.a));
  ma_status status = a->order ? read_order(a, stream, &job.a, &taken) : MA_OK;
  if (status == MA_OK) status = ma_array_new(to, device, positions ? MA_INT64 : job.a.dtype, 1, &a->rows);
  if (status == MA_OK) status = ma_array_write(to, stream, &room);
  if (positions) job.at = room;
  else job.to = room;
  if (status == MA_OK) status = device->backend->sparse.extreme(stream, &job);
  if (taken.buffer) ma_array_release(&taken);
  if (status != MA_OK && to->buffer) ma_array_release(to);
  return status;
}

/* ==== Order ====================================================================================================== */

ma_status ma_sparse_order_run(const ma_sparse_parts *a, bool sum, ma_csr_arrays *result, ma_stream *stream) {
  ma_sparse job;
  ma_sparse_clear(result);
  MA_TRY(a->kind == MA_SPARSE_ENTRIES ? open_parts(a, stream, &job) : open_rows(a, stream, &job));
  return ma_array_device(a->data)->backend->sparse.order(stream, &job, sum || job.kind == MA_SPARSE_ENTRIES, result);
}

ma_status ma_sparse_transpose_run(const ma_sparse_parts *a, ma_csr_arrays *result, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  int64_t ends = a->columns + 1;
  ma_sparse job;
  ma_csr_room to;
  ma_sparse_clear(result);
  MA_TRY(open_rows(a, stream, &job));
  ma_status status = ma_array_new(&result->indptr, device, job.index, 1, &ends);
  if (status == MA_OK) status = ma_array_new(&result->indices, device, job.index, 1, &job.nnz);
  if (status == MA_OK) status = ma_array_new(&result->data, device, job.dtype, 1, &job.nnz);
  if (status == MA_OK) status = ma_array_write(&result->indptr, stream, &to.indptr);
  if (status == MA_OK) status = ma_array_write(&result->indices, stream, &to.indices);
  if (status == MA_OK) status = ma_array_write(&result->data, stream, &to.data);
  if (status == MA_OK) status = device->backend->sparse.transpose(stream, &job, &to);
  if (status != MA_OK) release_parts(result);
  return status;
}

/* ==== What is read of a matrix =================================================================================== */

/* Makes a vector that a call fills. */
static ma_status make_vector(ma_array *to, ma_device *device, ma_dtype dtype, int64_t n, ma_stream *stream, void **at) {
  MA_TRY(ma_array_new(to, device, dtype, 1, &n));
  ma_status status = ma_array_write(to, stream, at);
  if (status != MA_OK) ma_array_release(to);
  return status;
}

ma_status ma_sparse_expand_run(const ma_sparse_parts *a, ma_array *row, ma_stream *stream) {
  ma_device *device = ma_array_device(a->indptr);
  bool blocks = a->kind == MA_SPARSE_BLOCKS;
  int64_t rows = blocks ? a->rows / a->data->shape[1] : a->rows, nnz = blocks ? a->data->shape[0] : a->data->size;
  ma_sparse job = { .index = (ma_dtype)a->indptr->dtype, .rows = rows, .columns = a->columns, .nnz = nnz };
  void *to = NULL;
  row->buffer = NULL;
  MA_TRY(check_index(a->indptr, a->indptr, rows + 1, "indptr"));
  MA_TRY(ma_array_read(a->indptr, stream, &job.indptr));
  MA_TRY(make_vector(row, device, job.index, nnz, stream, &to));
  ma_status status = nnz > 0 ? device->backend->sparse.expand(stream, &job, to) : MA_OK;
  if (status != MA_OK) ma_array_release(row);
  return status;
}

ma_status ma_sparse_places_run(const ma_sparse_parts *a, const ma_array *row, const ma_array *column, ma_array *to,
                               ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_sparse job;
  const void *rows, *columns;
  void *room;
  to->buffer = NULL;
  if (row->dtype != MA_INT64 || column->dtype != MA_INT64 || !is_vector(row, row->size) ||
      !is_vector(column, row->size))
    return ma_fail(MA_ERR_TYPE, "positions of %s and %s; wanted two contiguous vectors of int64",
                   ma_dtypes[row->dtype].name, ma_dtypes[column->dtype].name);
  MA_TRY(open_rows(a, stream, &job));
  MA_TRY(ma_array_read(row, stream, &rows));
  MA_TRY(ma_array_read(column, stream, &columns));
  MA_TRY(make_vector(to, device, MA_INT64, row->size, stream, &room));
  ma_status status = to->size ? device->backend->sparse.places(stream, &job, rows, columns, to->size, room) : MA_OK;
  if (status != MA_OK) ma_array_release(to);
  return status;
}

ma_status ma_sparse_look_run(const ma_sparse_parts *a, bool *sorted, bool *canonical, ma_stream *stream) {
  ma_sparse job;
  MA_TRY(a->kind == MA_SPARSE_BLOCKS ? open_parts(a, stream, &job) : open_rows(a, stream, &job));
  return ma_array_device(a->data)->backend->sparse.look(stream, &job, sorted, canonical);
}

ma_status ma_sparse_diagonal_run(const ma_sparse_parts *a, int64_t shift, int64_t n, ma_array *to, ma_stream *stream) {
  ma_device *device = ma_array_device(a->data);
  ma_sparse job;
  void *room;
  to->buffer = NULL;
  MA_TRY(open_rows(a, stream, &job));
  int64_t row = shift < 0 ? -shift : 0, column = shift > 0 ? shift : 0;
  if (n < 0 || row > job.rows - n || column > job.columns - n)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " elements on diagonal %" PRId64 "; it has fewer", n, shift);
  MA_TRY(make_vector(to, device, job.dtype, n, stream, &room));
  ma_status status = n > 0 ? device->backend->sparse.diagonal(stream, &job, shift, n, room) : MA_OK;
  if (status != MA_OK) ma_array_release(to);
  return status;
}

static bool is_matrix(const ma_array *x) { return x->ndim == 2 && ma_array_is_contiguous(x); }

ma_status ma_sparse_sampled_run(const ma_array *row, const ma_array *column, const ma_array *x, const ma_array *y,
                                ma_array *to, ma_stream *stream) {
  ma_device *device = ma_array_device(x);
  ma_sparse a = { .kind = MA_SPARSE_ENTRIES, .dtype = x->dtype, .index = row->dtype, .nnz = row->size };
  const void *left, *right;
  void *room = NULL;
  to->buffer = NULL;
  if (!is_matrix(x) || !is_matrix(y) || x->dtype != y->dtype || x->shape[1] != y->shape[1] ||
      !is_taken((ma_dtype)a.dtype))
    return ma_fail(MA_ERR_VALUE,
                   "operands that do not fit; wanted contiguous matrices of one dtype and as many columns");
  a.rows = x->shape[0];
  a.columns = y->shape[0];
  MA_TRY(check_index(row, row, a.nnz, "row"));
  MA_TRY(check_index(column, row, a.nnz, "column"));
  MA_TRY(ma_array_read(row, stream, &a.indptr));
  MA_TRY(ma_array_read(column, stream, &a.indices));
  MA_TRY(ma_array_read(x, stream, &left));
  MA_TRY(ma_array_read(y, stream, &right));
  MA_TRY(make_vector(to, device, (ma_dtype)a.dtype, a.nnz, stream, &room));
  ma_status status = a.nnz > 0 ? device->backend->sparse.sampled(stream, &a, x->shape[1], left, right, room) : MA_OK;
  if (status != MA_OK) ma_array_release(to);
  return status;
}

/* ==== Matrices made of others ==================================================================================== */

/* Checks that the pieces fill the rows, as ma_sparse_stack says. */
static ma_status check_pieces(const ma_sparse_make *m) {
  int64_t top = 0, left = 0, height = 0;
  for (int64_t k = 0; k < m->npiece; k++) {
    const ma_sparse_piece *p = m->pieces + k;
    MA_TRY(check_alike(&m->pieces->a, &p->a));
    if (p->top != top || k == 0) {
      top += height;
      height = p->a.rows;
      left = 0;
    }
    if (p->top != top || p->a.rows != height || p->left < left || p->left > m->columns - p->a.columns)
      return ma_fail(MA_ERR_VALUE, "piece %" PRId64 " of a sparse matrix is out of place", k + 1);
    left = p->left + p->a.columns;
  }
  if (m->npiece < 1 || top + height != m->rows)
    return ma_fail(MA_ERR_VALUE, "pieces of %" PRId64 " rows; wanted %" PRId64, top + height, m->rows);
  return MA_OK;
}

static ma_status check_kron(ma_sparse_make *m) {
  int64_t nnz, most = m->a.index == MA_INT32 ? INT32_MAX - 1 : INT64_MAX - 1;
  if (!__builtin_mul_overflow(m->a.rows, m->b.rows, &m->rows) &&
      !__builtin_mul_overflow(m->a.columns, m->b.columns, &m->columns) &&
      !__builtin_mul_overflow(m->a.nnz, m->b.nnz, &nnz) && m->rows <= most && m->columns <= most && nnz <= most)
    return MA_OK;
  return ma_fail(MA_ERR_VALUE, "a Kronecker product that is too large for positions of %s", ma_dtypes[m->a.index].name);
}

/* Reads the list or the mask. */
static ma_status open_chosen(ma_sparse_make *m, const ma_array *chosen, ma_stream *stream) {
  const void *at;
  if (m->kind == MA_MAKE_MASKED) {
    if (chosen->dtype != MA_BOOL || !is_vector(chosen, m->a.nnz))
      return ma_fail(MA_ERR_VALUE, "a mask of %" PRId64 " elements; wanted %" PRId64 " bools", chosen->size, m->a.nnz);
  } else if (chosen->dtype != MA_INT64 || !is_vector(chosen, chosen->size))
    return ma_fail(MA_ERR_TYPE, "%s of %s; wanted a contiguous vector of int64",
                   m->kind == MA_MAKE_ROWS ? "rows" : "columns", ma_dtypes[chosen->dtype].name);
  MA_TRY(ma_array_read(chosen, stream, &at));
  if (m->kind == MA_MAKE_MASKED) m->mask = at;
  else m->list = at;
  m->nlist = chosen->size;
  return MA_OK;
}

/* Checks what the kind asks for, and fills in the extents of the result. */
static ma_status check_make(ma_sparse_make *m) {
  ma_sparse *a = &m->a;
  m->rows = a->rows;
  switch (m->kind) {
  case MA_MAKE_ROWS: m->rows = m->nlist; break;
  case MA_MAKE_COLUMNS:
    m->columns = m->nlist;
    if (a->index == MA_INT32 && m->nlist >= INT32_MAX)
      return ma_fail(MA_ERR_VALUE, "%" PRId64 " columns with int32 indices; wanted int64 indices", m->nlist);
    break;
  case MA_MAKE_RANGE:
    if (m->first < 1 || m->step < 1 || m->columns < 1 || m->first > a->columns ||
        m->columns - 1 > (a->columns - m->first) / m->step)
      return ma_fail(MA_ERR_VALUE, "columns that a sparse matrix does not have");
    break;
  case MA_MAKE_PUT:
    if (a->rows != m->b.rows || a->columns != m->b.columns)
      return ma_fail(MA_ERR_VALUE, "matrices of two shapes; wanted one");
    break;
  case MA_MAKE_KRON: return check_kron(m);
  case MA_MAKE_UNBLOCK: m->rows = a->rows * a->height; break;
  case MA_MAKE_BLOCK:
    if (m->height < 1 || m->width < 1 || a->rows % m->height || a->columns % m->width)
      return ma_fail(MA_ERR_VALUE,
                     "blocks of %" PRId64 " x %" PRId64 " in %" PRId64 " rows and %" PRId64
                     " columns; wanted a size that divides them",
                     m->height, m->width, a->rows, a->columns);
    m->rows = a->rows / m->height;
    break;
  default: break;
  }
  return MA_OK;
}

ma_status ma_sparse_make_run(const ma_sparse_parts *a, const ma_sparse_parts *b, const ma_array *chosen,
                             ma_sparse_make *m, ma_csr_arrays *result, int64_t *wrong, ma_stream *stream) {
  ma_dtype index = (ma_dtype)m->a.index;
  bool formats = m->kind == MA_MAKE_UNBLOCK || m->kind == MA_MAKE_STRIPES;
  ma_sparse_clear(result);
  MA_TRY(formats ? open_parts(a, stream, &m->a) : open_rows(a, stream, &m->a));
  if (formats && m->a.kind != (m->kind == MA_MAKE_UNBLOCK ? MA_SPARSE_BLOCKS : MA_SPARSE_DIAGONALS))
    return ma_fail(MA_ERR_VALUE, "a sparse matrix that is not in blocks or diagonals");
  if (m->kind == MA_MAKE_STRIPES) m->a.index = index;
  if (b) MA_TRY(open_rows(b, stream, &m->b));
  if (b) MA_TRY(check_alike(&m->a, &m->b));
  if (chosen) MA_TRY(open_chosen(m, chosen, stream));
  MA_TRY(check_make(m));
  return ma_array_device(a->data)->backend->sparse.make(stream, m, result, wrong);
}

ma_status ma_sparse_stack_run(const ma_sparse_parts *parts, ma_sparse_piece *pieces, ma_sparse_make *m,
                              ma_csr_arrays *result, ma_stream *stream) {
  int64_t wrong;
  ma_sparse_clear(result);
  for (int64_t k = 0; k < m->npiece; k++) MA_TRY(open_rows(parts + k, stream, &pieces[k].a));
  m->kind = MA_MAKE_STACK;
  m->pieces = pieces;
  MA_TRY(check_pieces(m));
  m->a = pieces->a;
  return ma_array_device(parts->data)->backend->sparse.make(stream, m, result, &wrong);
}

/* ==== Triangles ================================================================================================== */

ma_status ma_sparse_triangle_run(const ma_sparse_parts *a, bool lower, bool unit, bool transposed, ma_array *x,
                                 ma_array *info, ma_stream *stream) {
  ma_device *device = ma_array_device(x);
  ma_sparse_triangle job = { .lower = lower, .unit = unit, .transposed = transposed };
  void *flag = NULL;
  info->buffer = NULL;
  MA_TRY(open_rows(a, stream, &job.a));
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
