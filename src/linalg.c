/*
** linalg.c: brings arrays into the form that LAPACK and cuSOLVER take, and tells what failed. Results lie in Fortran's order, as the
** libraries leave them: each is the transposed view of an array in C order. What a function does to matrices without elements is
** decided here, so that backends never see one.
*/
#include "linalg.h"

#include "graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_FINITE (-1000)             /* an info of ours */

static const ma_array no_array = { .buffer = NULL };

static void release_all(int n, ma_array *const *array)
{
  for (int k = 0; k < n; k++)
    if (array[k])
      ma_array_release(array[k]);
}
#define RELEASE(...) release_all(sizeof (ma_array *[]){ __VA_ARGS__ } / sizeof (ma_array *), (ma_array *[]){ __VA_ARGS__ })

static ma_status table_of(const ma_array *a, ma_stream *stream, const ma_linalg_table **table)
{
  ma_device *device = ma_array_device(a);
  if (device->backend == &ma_cpu_backend)                /* cuSOLVER's can be recorded */
    MA_TRY(ma_capture_refuse_work(stream, "a factorisation"));
  *table = device->backend->linalg;
  return *table ? MA_OK : ma_fail(MA_ERR_LIBRARY, "no linear algebra on %s; x:to(\"cpu\") moves an array", device->name);
}

#define NEED(table, slot, a) \
  do { if (!(table)->slot) return ma_fail(MA_ERR_LIBRARY, "no %s on %s; x:to(\"cpu\") moves an array", #slot, ma_array_device(a)->name); } while (0)

ma_dtype ma_linalg_dtype(ma_dtype dtype)
{
  if (ma_dtypes[dtype].kind < MA_KIND_FLOAT)
    return MA_FLOAT64;
  return dtype == MA_FLOAT16 || dtype == MA_BFLOAT16 ? MA_FLOAT32 : dtype;
}

static ma_dtype complex_of(ma_dtype dtype) { return dtype == MA_FLOAT32 || dtype == MA_COMPLEX64 ? MA_COMPLEX64 : MA_COMPLEX128; }

static int64_t rows_of(const ma_array *a) { return a->shape[a->ndim - 2]; }
static int64_t columns_of(const ma_array *a) { return a->shape[a->ndim - 1]; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ==== Layouts ====================================================================================================== */

static void swap_last(ma_array *a)
{
  int i = a->ndim - 2, j = a->ndim - 1;
  int64_t shape = a->shape[i], stride = a->stride[i];
  a->shape[i] = a->shape[j], a->stride[i] = a->stride[j];
  a->shape[j] = shape, a->stride[j] = stride;
}

/* A new array (batch..., rows, columns) whose matrices lie in Fortran's order; the batch is that of `model`, which has matrices too. */
static ma_status new_matrices(ma_array *array, const ma_array *model, ma_dtype dtype, int64_t rows, int64_t columns)
{
  int64_t shape[MA_MAX_NDIM];
  memcpy(shape, model->shape, model->ndim * sizeof *shape);
  shape[model->ndim - 2] = columns;
  shape[model->ndim - 1] = rows;
  MA_TRY(ma_array_new(array, ma_array_device(model), dtype, model->ndim, shape));
  swap_last(array);
  return MA_OK;
}

/* A new array (batch..., n), C order. */
static ma_status new_vectors(ma_array *array, const ma_array *model, ma_dtype dtype, int64_t n)
{
  int64_t shape[MA_MAX_NDIM];
  memcpy(shape, model->shape, model->ndim * sizeof *shape);
  shape[model->ndim - 2] = n;
  return ma_array_new(array, ma_array_device(model), dtype, model->ndim - 1, shape);
}

/* One int32 a matrix, of shape (batch..., 1, 1), 0 at first. */
static ma_status new_info(ma_array *info, const ma_array *model, ma_stream *stream)
{
  MA_TRY(new_matrices(info, model, MA_INT32, 1, 1));
  ma_status status = info->size ? ma_array_fill(info, (ma_value){ .i = 0 }, MA_INT64, stream) : MA_OK;
  if (status != MA_OK)
    ma_array_release(info);
  return status;
}

/* Does it lie as ma_matrices wants it? Fills all but the address. */
static bool is_fortran(const ma_array *a, ma_matrices *m)
{
  int64_t item = ma_dtypes[a->dtype].itemsize, step = a->stride[a->ndim - 1];
  m->rows = rows_of(a), m->columns = columns_of(a), m->count = 1;
  if (m->rows > 1 && a->stride[a->ndim - 2] != item)
    return false;
  if (m->columns > 1 && (step < m->rows * item || step % item))
    return false;
  m->ld = m->columns > 1 ? step / item : m->rows;
  m->step = m->ld * m->columns;
  for (int d = a->ndim - 3; d >= 0; d--) {
    if (a->shape[d] == 1)
      continue;
    if (m->count == 1) {
      if (a->stride[d] % item || a->stride[d] < m->ld * m->columns * item)
        return false;
      m->step = a->stride[d] / item;
    } else if (a->stride[d] != m->step * m->count * item) {
      return false;
    }
    m->count *= a->shape[d];
  }
  return true;
}

static ma_status take(const ma_array *a, ma_stream *stream, bool write, ma_matrices *m)
{
  if (!is_fortran(a, m))
    return ma_fail(MA_ERR_INTERNAL, "matrices that do not lie in Fortran's order");
  const void *data;
  if (write)
    return ma_array_write((ma_array *)a, stream, &m->data);
  MA_TRY(ma_array_read(a, stream, &data));
  m->data = (void *)data;
  return MA_OK;
}

/* A copy in Fortran's order, broadcast to the batch of `model` (NULL: its own). */
static ma_status copy_matrices(ma_array *copy, const ma_array *a, ma_dtype dtype, const ma_array *model, ma_stream *stream)
{
  MA_TRY(new_matrices(copy, model ? model : a, dtype, rows_of(a), columns_of(a)));
  ma_status status = copy->size ? ma_array_assign(copy, a, stream) : MA_OK;
  if (status != MA_OK)
    ma_array_release(copy);
  return status;
}

/* Some routines never end, or crash, on NaN and infinity: such matrices become zeros, and their info says what was there. */
static ma_status finite_matrices(const ma_array *a, ma_array *finite, ma_stream *stream)
{
  ma_program program;
  ma_dtype dtype = (ma_dtype)a->dtype;
  ma_program_clear(&program);
  int x = ma_program_input(&program, dtype);
  ma_program_output(&program, ma_program_emit(&program, MA_OP_isfinite, dtype, (int[]){ x }));
  ma_reduce_options options = { .axes = 3u << (a->ndim - 2), .keepdims = true, .dtype = MA_NDTYPE };
  return ma_reduce_run(MA_REDUCE_all, &program, &a, NULL, &options, finite, stream);
}

/* A copy in Fortran's order with zeros in place of the matrices that are not finite: one pass. */
static ma_status copy_finite(ma_array *copy, const ma_array *a, ma_dtype dtype, const ma_array *finite, ma_stream *stream)
{
  ma_program program;
  ma_program_clear(&program);
  int c = ma_program_cast(&program, ma_program_input(&program, (ma_dtype)finite->dtype), MA_BOOL);
  int x = ma_program_cast(&program, ma_program_input(&program, (ma_dtype)a->dtype), dtype), zero = ma_program_scalar(&program, dtype);
  ma_program_output(&program, ma_program_emit(&program, MA_OP_where, dtype, (int[]){ c, x, zero }));
  ma_value scalar = ma_value_cast((ma_value){ .i = 0 }, MA_INT64, dtype);
  MA_TRY(new_matrices(copy, a, dtype, rows_of(a), columns_of(a)));
  ma_status status = ma_program_run(&program, (const ma_array *const[]){ finite, a }, &scalar, &copy, stream);
  if (status != MA_OK)
    ma_array_release(copy);
  return status;
}

/* result = condition ? result : other, the condition broadcast. */
static ma_status keep_where(ma_array *result, const ma_array *condition, bool negate, ma_value other, ma_dtype other_dtype, ma_stream *stream)
{
  ma_program program;
  ma_dtype dtype = (ma_dtype)result->dtype;
  ma_program_clear(&program);
  int c = ma_program_cast(&program, ma_program_input(&program, (ma_dtype)condition->dtype), MA_BOOL), x = ma_program_input(&program, dtype);
  int y = ma_program_scalar(&program, dtype);
  int args[] = { c, negate ? y : x, negate ? x : y };
  ma_program_output(&program, ma_program_emit(&program, MA_OP_where, dtype, args));
  ma_value scalar = ma_value_cast(other, other_dtype, dtype);
  return ma_program_run(&program, (const ma_array *const[]){ condition, result }, &scalar, &result, stream);
}

static ma_status fill_identity(ma_array *a, ma_stream *stream)
{
  if (!a->size)
    return MA_OK;
  MA_TRY(ma_array_fill(a, (ma_value){ .i = 0 }, MA_INT64, stream));
  ma_array diagonal;
  ma_array_view(&diagonal, a);
  int d = --diagonal.ndim;
  int64_t n = least(rows_of(a), columns_of(a));
  diagonal.stride[d - 1] += diagonal.stride[d];
  diagonal.size = n ? a->size / (rows_of(a) * columns_of(a)) * n : 0;
  diagonal.shape[d - 1] = n;
  ma_status status = ma_array_fill(&diagonal, (ma_value){ .i = 1 }, MA_INT64, stream);
  ma_array_release(&diagonal);
  return status;
}

/* ==== What failed ================================================================================================== */

static ma_status tell(const ma_array *info, int64_t k, int32_t value, const char *failure)
{
  char which[64];
  if (info->ndim == 2)
    snprintf(which, sizeof which, "the matrix");
  else
    snprintf(which, sizeof which, "matrix %" PRId64 " of the batch", k + 1);
  if (value == NOT_FINITE)
    return ma_fail(MA_ERR_VALUE, "%s has elements that are not finite; {check = false} gives NaN for it", which);
  if (value < 0)
    return ma_fail(MA_ERR_LIBRARY, "%s: argument %d refused by the library", which, -value);
  return ma_fail(MA_ERR_VALUE, "%s %s", which, failure);
}

static ma_status check_info(const ma_array *info, const char *failure, ma_stream *stream)
{
  ma_device *device = ma_array_device(info);
  size_t nbytes = (size_t)info->size * sizeof(int32_t);
  if (stream->capture)
    return ma_fail(MA_ERR_VALUE, "a check of the result, which waits, while a graph is recorded; {check = false}");
  const void *source;
  MA_TRY(ma_array_read(info, stream, &source));
  int32_t *host = malloc(nbytes);
  if (!host)
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes", nbytes);
  ma_status status = device->backend->copy(stream, host, source, nbytes, MA_COPY_TO_HOST);
  for (int64_t k = 0; status == MA_OK && k < info->size; k++)
    if (host[k])
      status = tell(info, k, host[k], failure);
  free(host);
  return status;
}

/* The infos as an error, or as NaN in the results: `vectors` are bits of those of shape (batch..., n). */
static ma_status conclude(const ma_array *info, bool check, const char *failure, int n, ma_array *const *result, unsigned vectors, ma_stream *stream)
{
  if (check)
    return check_info(info, failure, stream);
  ma_array flat = *info;               /* no reference of its own */
  flat.ndim--;
  for (int k = 0; k < n; k++)
    if (result[k] && result[k]->buffer)
      MA_TRY(keep_where(result[k], vectors >> k & 1 ? &flat : info, true, (ma_value){ .c = { NAN, NAN } }, MA_COMPLEX128, stream));
  return MA_OK;
}

static ma_status pointer_to(const ma_array *array, ma_stream *stream, void **address) { return ma_array_write((ma_array *)array, stream, address); }

/* ==== Cholesky ===================================================================================================== */

ma_status ma_linalg_cholesky(ma_array *l, const ma_array *a, bool check, ma_stream *stream)
{
  const ma_linalg_table *table;
  ma_array info = no_array;
  ma_matrices m;
  void *infos;
  MA_TRY(table_of(a, stream, &table));
  NEED(table, cholesky, a);
  MA_TRY(copy_matrices(l, a, ma_linalg_dtype((ma_dtype)a->dtype), NULL, stream));
  if (!l->size)
    return MA_OK;
  ma_status status = new_info(&info, l, stream);
  if (status == MA_OK) status = take(l, stream, true, &m);
  if (status == MA_OK) status = pointer_to(&info, stream, &infos);
  if (status == MA_OK) status = table->cholesky(stream, (ma_dtype)l->dtype, &m, infos);
  if (status == MA_OK) status = conclude(&info, check, "is not positive definite", 1, (ma_array *[]){ l }, 0, stream);
  ma_array_release(&info);
  if (status != MA_OK)
    ma_array_release(l);
  return status;
}

/* ==== LU and what is solved by it ================================================================================== */

static ma_status factor_lu(ma_array *lu, ma_array *pivot, ma_array *info, const ma_array *a, ma_dtype dtype, ma_stream *stream)
{
  const ma_linalg_table *table;
  ma_matrices m;
  void *pivots, *infos;
  MA_TRY(table_of(a, stream, &table));
  NEED(table, lu, a);
  MA_TRY(copy_matrices(lu, a, dtype, NULL, stream));
  ma_status status = new_vectors(pivot, a, MA_INT64, least(rows_of(a), columns_of(a)));
  if (status == MA_OK) status = new_info(info, a, stream);
  if (status == MA_OK && lu->size) {
    status = take(lu, stream, true, &m);
    if (status == MA_OK) status = pointer_to(pivot, stream, &pivots);
    if (status == MA_OK) status = pointer_to(info, stream, &infos);
    if (status == MA_OK) status = table->lu(stream, dtype, &m, pivots, infos);
  }
  if (status != MA_OK)
    RELEASE(lu, pivot, info);
  return status;
}

ma_status ma_linalg_lu(ma_array *lu, ma_array *pivot, const ma_array *a, ma_stream *stream)
{
  ma_array info = no_array;
  ma_status status = factor_lu(lu, pivot, &info, a, ma_linalg_dtype((ma_dtype)a->dtype), stream);
  ma_array_release(&info);
  return status;
}

/* An array of no elements that has the broadcast batch of a and b, for its shape alone. */
static ma_status common_batch(ma_array *shape, const ma_array *a, const ma_array *b)
{
  *shape = *b;
  int64_t batch[MA_MAX_NDIM];
  int ndim = 0;
  MA_TRY(ma_shape_broadcast(&ndim, batch, a->ndim - 2, a->shape));
  MA_TRY(ma_shape_broadcast(&ndim, batch, b->ndim - 2, b->shape));
  if (ndim + 2 > MA_MAX_NDIM)
    return ma_fail(MA_ERR_VALUE, "%d axes; at most %d", ndim + 2, MA_MAX_NDIM);
  memcpy(shape->shape, batch, ndim * sizeof *batch);
  shape->shape[ndim] = rows_of(b);
  shape->shape[ndim + 1] = columns_of(b);
  shape->ndim = ndim + 2;
  return MA_OK;
}

static int64_t batch_count(const ma_array *a)
{
  int64_t n = 1;
  for (int d = 0; d < a->ndim - 2; d++)
    n *= a->shape[d];
  return n;
}

static ma_status check_right(const ma_array *a, const ma_array *b)
{
  char one[96], two[96];
  if (rows_of(a) != rows_of(b))
    return ma_fail(MA_ERR_VALUE, "matrices %s and right sides %s; as many rows", ma_shape_print(a->ndim, a->shape, one, sizeof one),
                   ma_shape_print(b->ndim, b->shape, two, sizeof two));
  return MA_OK;
}

/* The right sides of all matrices as those of one, where there is one: they lie behind each other. */
static void fold_columns(const ma_matrices *a, ma_matrices *b)
{
  if (a->count == 1 && b->count > 1) {
    b->columns *= b->count;
    b->step *= b->count;
    b->count = 1;
  }
}

ma_status ma_linalg_lu_solve(ma_array *x, const ma_array *lu, const ma_array *pivot, char trans, const ma_array *b, ma_stream *stream)
{
  const ma_linalg_table *table;
  ma_array model, factors = no_array, pivots = no_array;
  ma_matrices ma, mb;
  void *p;
  ma_dtype dtype = ma_dtype_promote(ma_linalg_dtype((ma_dtype)lu->dtype), ma_linalg_dtype((ma_dtype)b->dtype));
  MA_TRY(table_of(lu, stream, &table));
  NEED(table, lu_solve, lu);
  MA_TRY(check_right(lu, b));
  MA_TRY(common_batch(&model, lu, b));
  MA_TRY(copy_matrices(x, b, dtype, &model, stream));
  if (!x->size)
    return MA_OK;
  bool one = batch_count(lu) == 1, whole = batch_count(lu) == batch_count(x);
  ma_array shape = model;
  ma_status status;
  if ((one || whole) && lu->dtype == dtype && is_fortran(lu, &ma)) {
    ma_array_view(&factors, lu);
    status = MA_OK;
  } else {
    shape.shape[shape.ndim - 1] = rows_of(lu);
    status = copy_matrices(&factors, lu, dtype, one ? NULL : &shape, stream);
  }
  if (status == MA_OK) {               /* in C order, one list a matrix of factors */
    status = new_vectors(&pivots, &factors, MA_INT64, rows_of(lu));
    if (status == MA_OK) status = ma_array_assign(&pivots, pivot, stream);
  }
  if (status == MA_OK) status = take(&factors, stream, false, &ma);
  if (status == MA_OK) status = take(x, stream, true, &mb);
  if (status == MA_OK) status = pointer_to(&pivots, stream, &p);
  if (status == MA_OK) {
    fold_columns(&ma, &mb);
    status = table->lu_solve(stream, dtype, trans, &ma, p, &mb);
  }
  RELEASE(&factors, &pivots);
  if (status != MA_OK)
    ma_array_release(x);
  return status;
}

/* The three operands' batches as one axis; false where that cannot be. Not for one matrix with many batches of right sides: it is factored once. */
static bool small_systems(ma_linalg_systems *s, const ma_array *x, const ma_array *a, const ma_array *b)
{
  const ma_array *const operand[] = { x, a, b };
  ma_space space = { .ndim = x->ndim - 2, .noperand = 3 };
  int64_t flip[MA_MAX_OPERANDS];
  if (batch_count(a) != batch_count(x))
    return false;
  for (int k = 0; k < 3; k++) {
    const ma_array *o = operand[k];
    int lead = x->ndim - o->ndim;
    for (int d = 0; d < space.ndim; d++)
      space.stride[k][d] = d >= lead && o->shape[d - lead] != 1 ? o->stride[d - lead] : 0;
    s->row[k] = o->stride[o->ndim - 2];
    s->column[k] = o->stride[o->ndim - 1];
  }
  memcpy(space.shape, x->shape, (size_t)space.ndim * sizeof *x->shape);
  ma_space_collapse(&space, false, flip);
  s->count = space.shape[0];
  for (int k = 0; k < 3; k++)
    s->step[k] = space.stride[k][0];
  return space.ndim == 1;
}

/* *done: they were small enough, and lay so that they could be taken; else nothing happened. */
static ma_status solve_small(ma_array *x, const ma_array *a, const ma_array *b, ma_dtype dtype, bool check, bool *done, ma_stream *stream)
{
  const ma_linalg_table *table;
  ma_array model, info = no_array;
  ma_linalg_systems s = { .dtype = dtype, .rows = rows_of(a), .right = columns_of(b) };
  const void *from[2];
  void *infos;
  *done = false;
  MA_TRY(table_of(a, stream, &table));
  if (!table->solve || s.rows > MA_LINALG_SMALL || s.right > INT32_MAX || a->dtype != dtype || b->dtype != dtype || !a->size || !b->size)
    return MA_OK;
  MA_TRY(common_batch(&model, a, b));
  MA_TRY(new_matrices(x, &model, dtype, s.rows, s.right));
  if (!small_systems(&s, x, a, b)) {
    ma_array_release(x);
    return MA_OK;
  }
  *done = true;
  ma_status status = new_matrices(&info, &model, MA_INT32, 1, 1);
  if (status == MA_OK) status = ma_array_read(a, stream, &from[0]);
  if (status == MA_OK) status = ma_array_read(b, stream, &from[1]);
  if (status == MA_OK) status = pointer_to(x, stream, &s.data[0]);
  if (status == MA_OK) status = pointer_to(&info, stream, &infos);
  if (status == MA_OK) {
    s.data[1] = (void *)from[0], s.data[2] = (void *)from[1];
    s.info = infos;
    status = table->solve(stream, &s);
  }
  if (status == MA_OK) status = conclude(&info, check, "is singular", 1, &x, 0, stream);
  ma_array_release(&info);
  if (status != MA_OK)
    ma_array_release(x);
  return status;
}

ma_status ma_linalg_solve(ma_array *x, const ma_array *a, const ma_array *b, bool check, ma_stream *stream)
{
  ma_array lu = no_array, pivot = no_array, info = no_array;
  ma_dtype dtype = ma_dtype_promote(ma_linalg_dtype((ma_dtype)a->dtype), ma_linalg_dtype((ma_dtype)b->dtype));
  bool done;
  MA_TRY(check_right(a, b));
  MA_TRY(solve_small(x, a, b, dtype, check, &done, stream));
  if (done)
    return MA_OK;
  ma_array turned;
  bool turn = batch_count(a) == 1 && ma_array_device(a)->backend->linalg->solves_turned;
  ma_array_view(&turned, a);
  if (turn)
    swap_last(&turned);
  ma_status status = factor_lu(&lu, &pivot, &info, &turned, dtype, stream);
  ma_array_release(&turned);
  if (status != MA_OK)
    return status;
  status = ma_linalg_lu_solve(x, &lu, &pivot, turn ? 'T' : 'N', b, stream);
  if (status == MA_OK && lu.size && (check || x->size)) {
    status = conclude(&info, check, "is singular", 1, &x, 0, stream);
    if (status != MA_OK)
      ma_array_release(x);
  }
  RELEASE(&lu, &pivot, &info);
  return status;
}

/* ==== Triangles ==================================================================================================== */

/* info = is there a 0 on the diagonal? */
static ma_status diagonal_info(ma_array *info, const ma_array *a, ma_stream *stream)
{
  ma_array diagonal, any = no_array;
  ma_program program;
  ma_dtype dtype = (ma_dtype)a->dtype;
  ma_array_view(&diagonal, a);
  int d = --diagonal.ndim;
  diagonal.stride[d - 1] += diagonal.stride[d];
  diagonal.size = batch_count(a) * rows_of(a);
  ma_program_clear(&program);
  int x = ma_program_input(&program, dtype);
  ma_program_output(&program, ma_program_emit(&program, MA_OP_logical_not, dtype, (int[]){ x }));
  const ma_array *input = &diagonal;
  ma_reduce_options options = { .axes = 1u << (d - 1), .keepdims = true, .dtype = MA_NDTYPE };
  ma_status status = ma_reduce_run(MA_REDUCE_any, &program, &input, NULL, &options, &any, stream);
  ma_array_release(&diagonal);
  if (status != MA_OK)
    return status;
  status = new_info(info, a, stream);
  if (status == MA_OK) {
    ma_array flat = *info;             /* no reference of its own */
    flat.ndim--;
    status = ma_array_assign(&flat, &any, stream);
    if (status != MA_OK)
      ma_array_release(info);
  }
  ma_array_release(&any);
  return status;
}

/* The triangle as the library takes it: as it lies, as the transposed of what lies there, or copied. */
static ma_status take_triangle(ma_array *triangle, const ma_array *a, ma_dtype dtype, const ma_array *model, bool *lower, char *trans, ma_stream *stream)
{
  ma_matrices m;
  bool as_is = batch_count(a) == 1 || batch_count(a) == batch_count(model);
  if (as_is && a->dtype == dtype) {
    ma_array_view(triangle, a);
    if (is_fortran(triangle, &m))
      return MA_OK;
    swap_last(triangle);
    if (is_fortran(triangle, &m) && (*trans != 'C' || ma_dtypes[dtype].kind == MA_KIND_FLOAT)) {
      *lower = !*lower;
      *trans = *trans == 'N' ? 'T' : 'N';
      return MA_OK;
    }
    ma_array_release(triangle);
  }
  return copy_matrices(triangle, a, dtype, batch_count(a) == 1 ? NULL : model, stream);
}

ma_status ma_linalg_triangular_solve(ma_array *x, const ma_array *a, const ma_array *b, bool lower, char trans, bool unit, bool check, ma_stream *stream)
{
  const ma_linalg_table *table;
  ma_array model, shape, triangle = no_array, info = no_array;
  ma_matrices ma, mb;
  ma_dtype dtype = ma_dtype_promote(ma_linalg_dtype((ma_dtype)a->dtype), ma_linalg_dtype((ma_dtype)b->dtype));
  MA_TRY(table_of(a, stream, &table));
  NEED(table, triangular_solve, a);
  MA_TRY(check_right(a, b));
  MA_TRY(common_batch(&model, a, b));
  MA_TRY(copy_matrices(x, b, dtype, &model, stream));
  if (!x->size)
    return MA_OK;
  shape = model;
  shape.shape[shape.ndim - 1] = rows_of(a);
  ma_status status = take_triangle(&triangle, a, dtype, &shape, &lower, &trans, stream);
  if (status == MA_OK && !unit) status = diagonal_info(&info, a, stream);
  if (status == MA_OK) status = take(&triangle, stream, false, &ma);
  if (status == MA_OK) status = take(x, stream, true, &mb);
  if (status == MA_OK) {
    fold_columns(&ma, &mb);
    status = table->triangular_solve(stream, dtype, lower, trans, unit, &ma, &mb);
  }
  if (status == MA_OK && !unit) status = conclude(&info, check, "is singular", 1, &x, 0, stream);
  RELEASE(&triangle, &info);
  if (status != MA_OK)
    ma_array_release(x);
  return status;
}

/* ==== QR =========================================================================================================== */

/* h: (batch..., rows, at least `columns`), whose first columns are R and the reflectors below it. */
ma_status ma_linalg_qr(ma_array *h, ma_array *tau, const ma_array *a, int64_t columns, ma_stream *stream)
{
  const ma_linalg_table *table;
  ma_array info = no_array, part = no_array;
  ma_matrices m;
  void *taus, *infos;
  ma_dtype dtype = ma_linalg_dtype((ma_dtype)a->dtype);
  MA_TRY(table_of(a, stream, &table));
  NEED(table, qr, a);
  MA_TRY(new_matrices(h, a, dtype, rows_of(a), columns > columns_of(a) ? columns : columns_of(a)));
  ma_status status = new_vectors(tau, a, dtype, least(rows_of(a), columns_of(a)));
  if (status == MA_OK && a->size) {
    ma_array_view(&part, h);
    part.shape[part.ndim - 1] = columns_of(a);
    part.size = a->size;
    status = ma_array_assign(&part, a, stream);
    if (status == MA_OK) status = new_info(&info, a, stream);
    if (status == MA_OK) status = take(&part, stream, true, &m);
    if (status == MA_OK) status = pointer_to(tau, stream, &taus);
    if (status == MA_OK) status = pointer_to(&info, stream, &infos);
    if (status == MA_OK) status = table->qr(stream, dtype, &m, taus, infos);
  }
  RELEASE(&info, &part);
  if (status != MA_OK)
    RELEASE(h, tau);
  return status;
}

/* Replaces what ma_linalg_qr left, cut to the columns that are wanted, by the first columns of Q. */
ma_status ma_linalg_qr_form(ma_array *h, const ma_array *tau, ma_stream *stream)
{
  const ma_linalg_table *table;
  ma_array info = no_array;
  ma_matrices m;
  void *taus, *infos;
  MA_TRY(table_of(h, stream, &table));
  NEED(table, qr_form, h);
  if (!h->size)
    return MA_OK;
  if (!tau->size)
    return fill_identity(h, stream);
  ma_status status = new_info(&info, h, stream);
  if (status == MA_OK) status = take(h, stream, true, &m);
  if (status == MA_OK) status = pointer_to(tau, stream, &taus);
  if (status == MA_OK) status = pointer_to(&info, stream, &infos);
  if (status == MA_OK) status = table->qr_form(stream, (ma_dtype)h->dtype, &m, tau->shape[tau->ndim - 1], taus, infos);
  ma_array_release(&info);
  return status;
}

/* x = Q^H b for the reflectors that ma_linalg_qr left; one batch for all. */
ma_status ma_linalg_qr_apply(ma_array *x, const ma_array *h, const ma_array *tau, const ma_array *b, ma_stream *stream)
{
  const ma_linalg_table *table;
  ma_array info = no_array;
  ma_matrices mh, mb;
  void *taus, *infos;
  MA_TRY(table_of(h, stream, &table));
  NEED(table, qr_apply, h);
  MA_TRY(check_right(h, b));
  MA_TRY(copy_matrices(x, b, (ma_dtype)h->dtype, NULL, stream));
  if (!x->size || !h->size)
    return MA_OK;
  ma_status status = new_info(&info, h, stream);
  if (status == MA_OK) status = take(h, stream, false, &mh);
  if (status == MA_OK) status = take(x, stream, true, &mb);
  if (status == MA_OK && mh.count != mb.count) status = ma_fail(MA_ERR_INTERNAL, "reflectors and right sides of two batches");
  if (status == MA_OK) status = pointer_to(tau, stream, &taus);
  if (status == MA_OK) status = pointer_to(&info, stream, &infos);
  if (status == MA_OK) status = table->qr_apply(stream, (ma_dtype)h->dtype, 'C', &mh, tau->shape[tau->ndim - 1], taus, &mb, infos);
  ma_array_release(&info);
  if (status != MA_OK)
    ma_array_release(x);
  return status;
}

/* ==== SVD and eigenvalues ========================================================================================== */

/* A finite copy to be destroyed, the infos, and what says which matrices were finite. */
typedef struct work { ma_array copy, finite, info; ma_matrices m; void *infos; } work;

static void work_close(work *w) { RELEASE(&w->copy, &w->finite, &w->info); }

/* On failure nothing is left. `copy` may be the caller's own result: then it is not the work's. */
static ma_status work_open(work *w, ma_array *copy, const ma_array *a, ma_dtype dtype, ma_stream *stream)
{
  w->copy = w->finite = w->info = no_array;
  ma_status status = finite_matrices(a, &w->finite, stream);
  if (status == MA_OK) status = copy_finite(copy, a, dtype, &w->finite, stream);
  if (status == MA_OK) status = new_info(&w->info, a, stream);
  if (status == MA_OK) status = take(copy, stream, true, &w->m);
  if (status == MA_OK) status = pointer_to(&w->info, stream, &w->infos);
  if (status != MA_OK)
    work_close(w);
  return status;
}

static ma_status work_conclude(work *w, bool check, const char *failure, int n, ma_array *const *result, unsigned vectors, ma_stream *stream)
{
  MA_TRY(keep_where(&w->info, &w->finite, false, (ma_value){ .i = NOT_FINITE }, MA_INT64, stream));
  return conclude(&w->info, check, failure, n, result, vectors, stream);
}

/* job 'N': s alone (u and vh NULL), 'S': thin, 'A': full. */
ma_status ma_linalg_svd(ma_array *u, ma_array *s, ma_array *vh, const ma_array *a, char job, bool check, ma_stream *stream)
{
  const ma_linalg_table *table;
  work w;
  ma_matrices mu = { .data = NULL }, mv = { .data = NULL };
  void *values;
  ma_dtype dtype = ma_linalg_dtype((ma_dtype)a->dtype);
  int64_t rows = rows_of(a), columns = columns_of(a), k = least(rows, columns);
  MA_TRY(table_of(a, stream, &table));
  NEED(table, svd, a);
  ma_status status = new_vectors(s, a, ma_dtype_real(dtype), k);
  if (status == MA_OK && u) status = new_matrices(u, a, dtype, rows, job == 'A' ? rows : k);
  if (status == MA_OK && vh) status = new_matrices(vh, a, dtype, job == 'A' ? columns : k, columns);
  if (status == MA_OK && !a->size) {
    if (u) status = fill_identity(u, stream);
    if (status == MA_OK && vh) status = fill_identity(vh, stream);
  } else if (status == MA_OK) {
    status = work_open(&w, &w.copy, a, dtype, stream);
    if (status == MA_OK) {
      status = pointer_to(s, stream, &values);
      if (status == MA_OK && u) status = take(u, stream, true, &mu);
      if (status == MA_OK && vh) status = take(vh, stream, true, &mv);
      if (status == MA_OK) status = table->svd(stream, dtype, job, &w.m, values, &mu, &mv, w.infos);
      if (status == MA_OK) status = work_conclude(&w, check, "has an SVD that did not converge", 3, (ma_array *[]){ s, u, vh }, 1, stream);
      work_close(&w);
    }
  }
  if (status != MA_OK)
    RELEASE(u, s, vh);
  return status;
}

/* v NULL: values alone. */
ma_status ma_linalg_eigh(ma_array *values, ma_array *v, const ma_array *a, bool lower, bool check, ma_stream *stream)
{
  const ma_linalg_table *table;
  work w;
  void *p;
  ma_dtype dtype = ma_linalg_dtype((ma_dtype)a->dtype);
  MA_TRY(table_of(a, stream, &table));
  NEED(table, eigh, a);
  MA_TRY(new_vectors(values, a, ma_dtype_real(dtype), rows_of(a)));
  if (!a->size) {
    ma_status status = v ? new_matrices(v, a, dtype, rows_of(a), rows_of(a)) : MA_OK;
    if (status != MA_OK)
      ma_array_release(values);
    return status;
  }
  ma_status status = work_open(&w, v ? v : &w.copy, a, dtype, stream);
  if (status == MA_OK) {
    status = pointer_to(values, stream, &p);
    if (status == MA_OK) status = table->eigh(stream, dtype, v != NULL, lower, &w.m, p, w.infos);
    if (status == MA_OK) status = work_conclude(&w, check, "has eigenvalues that did not converge", 2, (ma_array *[]){ values, v }, 1, stream);
    work_close(&w);
  }
  if (status != MA_OK)
    RELEASE(values, v);
  return status;
}

ma_status ma_linalg_eig(ma_array *values, ma_array *v, const ma_array *a, bool check, ma_stream *stream)
{
  const ma_linalg_table *table;
  work w;
  void *p;
  ma_matrices mv = { .data = NULL };
  ma_dtype dtype = ma_linalg_dtype((ma_dtype)a->dtype);
  MA_TRY(table_of(a, stream, &table));
  NEED(table, eig, a);
  ma_status status = new_vectors(values, a, complex_of(dtype), rows_of(a));
  if (status == MA_OK && v) status = new_matrices(v, a, complex_of(dtype), rows_of(a), rows_of(a));
  if (status == MA_OK && a->size) {
    status = work_open(&w, &w.copy, a, dtype, stream);
    if (status == MA_OK) {
      status = pointer_to(values, stream, &p);
      if (status == MA_OK && v) status = take(v, stream, true, &mv);
      if (status == MA_OK) status = table->eig(stream, dtype, &w.m, p, &mv, w.infos);
      if (status == MA_OK) status = work_conclude(&w, check, "has eigenvalues that did not converge", 2, (ma_array *[]){ values, v }, 1, stream);
      work_close(&w);
    }
  }
  if (status != MA_OK)
    RELEASE(values, v);
  return status;
}
