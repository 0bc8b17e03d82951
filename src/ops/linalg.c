/* linalg.c: Cholesky, LU, triangular systems and QR on arrays. Results for matrices without elements are made here,
** so backends never get one. */
#include "ops/ops.h"
#include "ops/matrices.h"

#include <string.h>

/* ==== Cholesky ==================================================================================================== */

/* Writes zeros above the diagonals of matrices on the CPU. On a GPU the copy before writes them, or a kernel
** afterwards. */
static void clear_above(const ma_matrices *m, ma_dtype dtype) {
  size_t size = ma_dtypes[dtype].itemsize;
  for (int64_t k = 0; k < m->count; k++)
    for (int64_t j = 1; j < m->columns; j++)
      memset((char *)m->data + (size_t)(k * m->step + j * m->ld) * size, 0, (size_t)(j < m->rows ? j : m->rows) * size);
}

ma_status ma_linalg_cholesky(ma_array *l, const ma_array *a, bool check, ma_stream *stream) {
  const ma_linalg_slots *table;
  ma_array info = MA_NO_ARRAY;
  ma_matrices m;
  void *infos;
  MA_TRY(ma_matrices_table(a, stream, &table));
  MA_NEED_SLOT(table, cholesky, a);
  MA_TRY(ma_matrices_copy(l, a, ma_linalg_dtype((ma_dtype)a->dtype), NULL, stream));
  if (!l->size) return MA_OK;
  ma_status status = ma_matrices_info(&info, l, stream);
  if (status == MA_OK) status = ma_matrices_take(l, stream, true, &m);
  if (status == MA_OK) status = ma_matrices_pointer(&info, stream, &infos);
  if (status == MA_OK) status = table->cholesky(stream, (ma_dtype)l->dtype, &m, infos);
  if (status == MA_OK)
    status = ma_matrices_conclude(&info, check, "is not positive definite", 1, (ma_array *[]){ l }, 0, stream);
  /* Also where there are NaNs. */
  if (status == MA_OK && ma_is_host(ma_array_device(l))) clear_above(&m, (ma_dtype)l->dtype);
  ma_array_release(&info);
  if (status != MA_OK) ma_array_release(l);
  return status;
}

/* ==== LU and its uses ============================================================================================= */

static ma_status factor_lu(ma_array *lu, ma_array *pivot, ma_array *info, const ma_array *a, ma_dtype dtype,
                           ma_stream *stream) {
  const ma_linalg_slots *table;
  ma_matrices m;
  void *pivots, *infos;
  MA_TRY(ma_matrices_table(a, stream, &table));
  MA_NEED_SLOT(table, lu, a);
  MA_TRY(ma_matrices_copy(lu, a, dtype, NULL, stream));
  ma_status status = ma_matrices_vectors(pivot, a, MA_INT64, ma_least(ma_rows_of(a), ma_columns_of(a)));
  if (status == MA_OK) status = ma_matrices_info(info, a, stream);
  if (status == MA_OK && lu->size) {
    status = ma_matrices_take(lu, stream, true, &m);
    if (status == MA_OK) status = ma_matrices_pointer(pivot, stream, &pivots);
    if (status == MA_OK) status = ma_matrices_pointer(info, stream, &infos);
    if (status == MA_OK) status = table->lu(stream, dtype, &m, pivots, infos);
  }
  if (status != MA_OK) MA_RELEASE(lu, pivot, info);
  return status;
}

ma_status ma_linalg_lu(ma_array *lu, ma_array *pivot, const ma_array *a, ma_stream *stream) {
  ma_array info = MA_NO_ARRAY;
  ma_status status = factor_lu(lu, pivot, &info, a, ma_linalg_dtype((ma_dtype)a->dtype), stream);
  ma_array_release(&info);
  return status;
}

/* Makes an array without elements whose shape is the broadcast batch of a and b. Only its shape is used. */
static ma_status common_batch(ma_array *shape, const ma_array *a, const ma_array *b) {
  *shape = *b;
  int64_t batch[MA_MAX_NDIM];
  int ndim = 0;
  MA_TRY(ma_shape_broadcast(&ndim, batch, a->ndim - 2, a->shape));
  MA_TRY(ma_shape_broadcast(&ndim, batch, b->ndim - 2, b->shape));
  if (ndim + 2 > MA_MAX_NDIM) return ma_fail(MA_ERR_VALUE, "%d axes; at most %d", ndim + 2, MA_MAX_NDIM);
  memcpy(shape->shape, batch, ndim * sizeof *batch);
  shape->shape[ndim] = ma_rows_of(b);
  shape->shape[ndim + 1] = ma_columns_of(b);
  shape->ndim = ndim + 2;
  return MA_OK;
}

static ma_status check_right(const ma_array *a, const ma_array *b) {
  char one[96], two[96];
  if (ma_rows_of(a) != ma_rows_of(b))
    return ma_fail(MA_ERR_VALUE, "matrices %s and right sides %s; as many rows",
                   ma_shape_print(a->ndim, a->shape, one, sizeof one),
                   ma_shape_print(b->ndim, b->shape, two, sizeof two));
  return MA_OK;
}

/* Makes the right sides of a batch one matrix, if they belong to one matrix and are contiguous. */
static void fold_columns(const ma_matrices *a, ma_matrices *b) {
  if (a->count == 1 && b->count > 1) {
    b->columns *= b->count;
    b->step *= b->count;
    b->count = 1;
  }
}

ma_status ma_linalg_lu_solve(ma_array *x, const ma_array *lu, const ma_array *pivot, char trans, const ma_array *b,
                             ma_stream *stream) {
  const ma_linalg_slots *table;
  ma_array model, factors = MA_NO_ARRAY, pivots = MA_NO_ARRAY;
  ma_matrices ma, mb;
  void *p;
  ma_dtype dtype = ma_dtype_promote(ma_linalg_dtype((ma_dtype)lu->dtype), ma_linalg_dtype((ma_dtype)b->dtype));
  MA_TRY(ma_matrices_table(lu, stream, &table));
  MA_NEED_SLOT(table, lu_solve, lu);
  MA_TRY(check_right(lu, b));
  MA_TRY(common_batch(&model, lu, b));
  MA_TRY(ma_matrices_copy(x, b, dtype, &model, stream));
  if (!x->size) return MA_OK;
  bool one = ma_batch_of(lu) == 1, whole = ma_batch_of(lu) == ma_batch_of(x);
  ma_array shape = model;
  ma_status status;
  if ((one || whole) && lu->dtype == dtype && ma_matrices_is_fortran(lu, &ma)) {
    ma_array_view(&factors, lu);
    status = MA_OK;
  } else {
    shape.shape[shape.ndim - 1] = ma_rows_of(lu);
    status = ma_matrices_copy(&factors, lu, dtype, one ? NULL : &shape, stream);
  }
  if (status == MA_OK) { /* in C order, one list for each matrix of factors */
    status = ma_matrices_vectors(&pivots, &factors, MA_INT64, ma_rows_of(lu));
    if (status == MA_OK) status = ma_array_assign(&pivots, pivot, stream);
  }
  if (status == MA_OK) status = ma_matrices_take(&factors, stream, false, &ma);
  if (status == MA_OK) status = ma_matrices_take(x, stream, true, &mb);
  if (status == MA_OK) status = ma_matrices_pointer(&pivots, stream, &p);
  if (status == MA_OK) {
    fold_columns(&ma, &mb);
    status = table->lu_solve(stream, dtype, trans, &ma, p, &mb);
  }
  MA_RELEASE(&factors, &pivots);
  if (status != MA_OK) ma_array_release(x);
  return status;
}

/* Merges the batches of the three operands into one axis. Returns false if they do not merge, or if the systems are not
** small: one matrix with many right sides is factored once. */
static bool small_systems(ma_linalg_systems *s, const ma_array *x, const ma_array *a, const ma_array *b) {
  const ma_array *const operand[] = { x, a, b };
  ma_space space; /* not cleared */
  int64_t flip[MA_MAX_OPERANDS];
  if (ma_batch_of(a) != ma_batch_of(x)) return false;
  space.ndim = x->ndim - 2;
  space.noperand = 3;
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
  for (int k = 0; k < 3; k++) s->step[k] = space.stride[k][0];
  return space.ndim == 1;
}

/* Solves systems that are small and have a layout that the slot takes. Otherwise *done is false, and nothing was
** done. */
static ma_status solve_small(ma_array *x, const ma_array *a, const ma_array *b, ma_dtype dtype, bool check, bool *done,
                             ma_stream *stream) {
  const ma_linalg_slots *table;
  ma_array model, info = MA_NO_ARRAY;
  ma_linalg_systems s = { .dtype = dtype, .rows = ma_rows_of(a), .right = ma_columns_of(b) };
  const void *from[2];
  void *infos;
  *done = false;
  MA_TRY(ma_matrices_table(a, stream, &table));
  if (!table->solve || s.rows > MA_LINALG_SMALL || s.right > INT32_MAX || !a->size || !b->size) return MA_OK;
  if (a->dtype != dtype || b->dtype != dtype) {
    bool left = a->dtype != dtype;
    ma_array cast;
    MA_TRY(ma_matrices_copy(&cast, left ? a : b, dtype, NULL, stream));
    ma_status status = solve_small(x, left ? &cast : a, left ? b : &cast, dtype, check, done, stream);
    ma_array_release(&cast);
    return status;
  }
  MA_TRY(common_batch(&model, a, b));
  MA_TRY(ma_matrices_new(x, &model, dtype, s.rows, s.right));
  if (!small_systems(&s, x, a, b)) {
    ma_array_release(x);
    return MA_OK;
  }
  *done = true;
  ma_status status = ma_matrices_new(&info, &model, MA_INT32, 1, 1);
  if (status == MA_OK) status = ma_array_read(a, stream, &from[0]);
  if (status == MA_OK) status = ma_array_read(b, stream, &from[1]);
  if (status == MA_OK) status = ma_matrices_pointer(x, stream, &s.data[0]);
  if (status == MA_OK) status = ma_matrices_pointer(&info, stream, &infos);
  if (status == MA_OK) {
    s.data[1] = (void *)from[0], s.data[2] = (void *)from[1];
    s.info = infos;
    status = table->solve(stream, &s);
  }
  if (status == MA_OK) status = ma_matrices_conclude(&info, check, "is singular", 1, &x, 0, stream);
  ma_array_release(&info);
  if (status != MA_OK) ma_array_release(x);
  return status;
}

ma_status ma_linalg_solve(ma_array *x, const ma_array *a, const ma_array *b, bool check, ma_stream *stream) {
  ma_array lu = MA_NO_ARRAY, pivot = MA_NO_ARRAY, info = MA_NO_ARRAY;
  ma_dtype dtype = ma_dtype_promote(ma_linalg_dtype((ma_dtype)a->dtype), ma_linalg_dtype((ma_dtype)b->dtype));
  bool done;
  MA_TRY(check_right(a, b));
  MA_TRY(solve_small(x, a, b, dtype, check, &done, stream));
  if (done) return MA_OK;
  ma_array turned;
  bool turn = ma_batch_of(a) == 1 && ma_array_device(a)->backend->linalg.solves_turned;
  ma_array_view(&turned, a);
  if (turn) ma_matrices_swap(&turned);
  ma_status status = factor_lu(&lu, &pivot, &info, &turned, dtype, stream);
  ma_array_release(&turned);
  if (status != MA_OK) return status;
  status = ma_linalg_lu_solve(x, &lu, &pivot, turn ? 'T' : 'N', b, stream);
  if (status == MA_OK && lu.size && (check || x->size)) {
    status = ma_matrices_conclude(&info, check, "is singular", 1, &x, 0, stream);
    if (status != MA_OK) ma_array_release(x);
  }
  MA_RELEASE(&lu, &pivot, &info);
  return status;
}

static ma_status inv_large(ma_array *x, const ma_array *a, bool check, const ma_linalg_slots *table,
                           ma_stream *stream) {
  ma_array lu = MA_NO_ARRAY, info = MA_NO_ARRAY;
  ma_matrices ma, mx;
  void *infos;
  ma_dtype dtype = ma_linalg_dtype((ma_dtype)a->dtype);
  ma_status status = ma_matrices_copy(&lu, a, dtype, NULL, stream);
  if (status == MA_OK) status = ma_matrices_new(x, a, dtype, ma_rows_of(a), ma_rows_of(a));
  if (status == MA_OK) status = ma_matrices_info(&info, a, stream);
  if (status == MA_OK) status = ma_matrices_take(&lu, stream, true, &ma);
  if (status == MA_OK) status = ma_matrices_take(x, stream, true, &mx);
  if (status == MA_OK) status = ma_matrices_pointer(&info, stream, &infos);
  if (status == MA_OK) status = table->inv(stream, dtype, &ma, &mx, infos);
  if (status == MA_OK) status = ma_matrices_conclude(&info, check, "is singular", 1, &x, 0, stream);
  MA_RELEASE(&lu, &info);
  if (status != MA_OK) ma_array_release(x);
  return status;
}

ma_status ma_linalg_inv(ma_array *x, const ma_array *a, bool check, ma_stream *stream) {
  const ma_linalg_slots *table;
  ma_array one;
  int64_t n = ma_rows_of(a);
  MA_TRY(ma_matrices_table(a, stream, &table));
  if (table->inv && n > MA_LINALG_SMALL && ma_batch_of(a) == 1) return inv_large(x, a, check, table, stream);
  MA_TRY(ma_array_new(&one, ma_array_device(a), ma_linalg_dtype((ma_dtype)a->dtype), 2, (int64_t[]){ n, n }));
  ma_status status = ma_matrices_identity(&one, stream);
  if (status == MA_OK) status = ma_linalg_solve(x, a, &one, check, stream);
  ma_array_release(&one);
  return status;
}

/* ==== Triangular systems ========================================================================================== */

/* Sets info to 1 where the diagonal has a 0. */
static ma_status diagonal_info(ma_array *info, const ma_array *a, ma_stream *stream) {
  ma_array diagonal, any = MA_NO_ARRAY;
  ma_program program;
  ma_dtype dtype = (ma_dtype)a->dtype;
  ma_array_view(&diagonal, a);
  int d = --diagonal.ndim;
  diagonal.stride[d - 1] += diagonal.stride[d];
  diagonal.size = ma_batch_of(a) * ma_rows_of(a);
  ma_program_clear(&program);
  int x = ma_program_input(&program, dtype);
  ma_program_output(&program, ma_program_emit(&program, MA_DO_not, dtype, (int[]){ x }));
  const ma_array *input = &diagonal;
  ma_reduce_options options = { .axes = 1u << (d - 1), .keepdims = true, .dtype = MA_NDTYPE };
  ma_status status = ma_reduce_run(MA_REDUCE_any, &program, &input, NULL, &options, &any, stream);
  ma_array_release(&diagonal);
  if (status != MA_OK) return status;
  status = ma_matrices_info(info, a, stream);
  if (status == MA_OK) {
    ma_array flat = *info; /* shares the reference */
    flat.ndim--;
    status = ma_array_assign(&flat, &any, stream);
    if (status != MA_OK) ma_array_release(info);
  }
  ma_array_release(&any);
  return status;
}

/* Brings the triangle into the library's form: as it is, as a transpose, or as a copy. */
static ma_status take_triangle(ma_array *triangle, const ma_array *a, ma_dtype dtype, const ma_array *model,
                               bool *lower, char *trans, ma_stream *stream) {
  ma_matrices m;
  bool as_is = ma_batch_of(a) == 1 || ma_batch_of(a) == ma_batch_of(model);
  if (as_is && a->dtype == dtype) {
    ma_array_view(triangle, a);
    if (ma_matrices_is_fortran(triangle, &m)) return MA_OK;
    ma_matrices_swap(triangle);
    if (ma_matrices_is_fortran(triangle, &m) && (*trans != 'C' || ma_dtypes[dtype].kind == MA_KIND_FLOAT)) {
      *lower = !*lower;
      *trans = *trans == 'N' ? 'T' : 'N';
      return MA_OK;
    }
    ma_array_release(triangle);
  }
  return ma_matrices_copy(triangle, a, dtype, ma_batch_of(a) == 1 ? NULL : model, stream);
}

ma_status ma_linalg_triangular_solve(ma_array *x, const ma_array *a, const ma_array *b, bool lower, char trans,
                                     bool unit, bool check, ma_stream *stream) {
  const ma_linalg_slots *table;
  ma_array model, shape, triangle = MA_NO_ARRAY, info = MA_NO_ARRAY;
  ma_matrices ma, mb;
  ma_dtype dtype = ma_dtype_promote(ma_linalg_dtype((ma_dtype)a->dtype), ma_linalg_dtype((ma_dtype)b->dtype));
  MA_TRY(ma_matrices_table(a, stream, &table));
  MA_NEED_SLOT(table, triangular_solve, a);
  MA_TRY(check_right(a, b));
  MA_TRY(common_batch(&model, a, b));
  MA_TRY(ma_matrices_copy(x, b, dtype, &model, stream));
  if (!x->size) return MA_OK;
  shape = model;
  shape.shape[shape.ndim - 1] = ma_rows_of(a);
  ma_status status = take_triangle(&triangle, a, dtype, &shape, &lower, &trans, stream);
  if (status == MA_OK && !unit) status = diagonal_info(&info, a, stream);
  if (status == MA_OK) status = ma_matrices_take(&triangle, stream, false, &ma);
  if (status == MA_OK) status = ma_matrices_take(x, stream, true, &mb);
  if (status == MA_OK) {
    fold_columns(&ma, &mb);
    status = table->triangular_solve(stream, dtype, lower, trans, unit, &ma, &mb);
  }
  if (status == MA_OK && !unit) status = ma_matrices_conclude(&info, check, "is singular", 1, &x, 0, stream);
  MA_RELEASE(&triangle, &info);
  if (status != MA_OK) ma_array_release(x);
  return status;
}

/* ==== QR ========================================================================================================== */

/* h: (batch..., rows, at least `columns`); its first columns are R and the reflectors below it. */
ma_status ma_linalg_qr(ma_array *h, ma_array *tau, const ma_array *a, int64_t columns, ma_stream *stream) {
  const ma_linalg_slots *table;
  ma_array info = MA_NO_ARRAY, part = MA_NO_ARRAY;
  ma_matrices m;
  void *taus, *infos;
  ma_dtype dtype = ma_linalg_dtype((ma_dtype)a->dtype);
  MA_TRY(ma_matrices_table(a, stream, &table));
  MA_NEED_SLOT(table, qr, a);
  MA_TRY(ma_matrices_new(h, a, dtype, ma_rows_of(a), columns > ma_columns_of(a) ? columns : ma_columns_of(a)));
  ma_status status = ma_matrices_vectors(tau, a, dtype, ma_least(ma_rows_of(a), ma_columns_of(a)));
  if (status == MA_OK && a->size) {
    ma_array_view(&part, h);
    part.shape[part.ndim - 1] = ma_columns_of(a);
    part.size = a->size;
    status = ma_array_assign(&part, a, stream);
    if (status == MA_OK) status = ma_matrices_info(&info, a, stream);
    if (status == MA_OK) status = ma_matrices_take(&part, stream, true, &m);
    if (status == MA_OK) status = ma_matrices_pointer(tau, stream, &taus);
    if (status == MA_OK) status = ma_matrices_pointer(&info, stream, &infos);
    if (status == MA_OK) status = table->qr(stream, dtype, &m, taus, infos);
  }
  MA_RELEASE(&info, &part);
  if (status != MA_OK) MA_RELEASE(h, tau);
  return status;
}

/* Replaces the output of ma_linalg_qr, cut to the columns that are wanted, by the first columns of Q. */
ma_status ma_linalg_qr_form(ma_array *h, const ma_array *tau, ma_stream *stream) {
  const ma_linalg_slots *table;
  ma_array info = MA_NO_ARRAY;
  ma_matrices m;
  void *taus, *infos;
  MA_TRY(ma_matrices_table(h, stream, &table));
  MA_NEED_SLOT(table, qr_form, h);
  if (!h->size) return MA_OK;
  if (!tau->size) return ma_matrices_identity(h, stream);
  ma_status status = ma_matrices_info(&info, h, stream);
  if (status == MA_OK) status = ma_matrices_take(h, stream, true, &m);
  if (status == MA_OK) status = ma_matrices_pointer(tau, stream, &taus);
  if (status == MA_OK) status = ma_matrices_pointer(&info, stream, &infos);
  if (status == MA_OK) status = table->qr_form(stream, (ma_dtype)h->dtype, &m, tau->shape[tau->ndim - 1], taus, infos);
  ma_array_release(&info);
  return status;
}

/* x = Q^H b for the reflectors of ma_linalg_qr; all have one batch. */
ma_status ma_linalg_qr_apply(ma_array *x, const ma_array *h, const ma_array *tau, const ma_array *b,
                             ma_stream *stream) {
  const ma_linalg_slots *table;
  ma_array info = MA_NO_ARRAY;
  ma_matrices mh, mb;
  void *taus, *infos;
  MA_TRY(ma_matrices_table(h, stream, &table));
  MA_NEED_SLOT(table, qr_apply, h);
  MA_TRY(check_right(h, b));
  MA_TRY(ma_matrices_copy(x, b, (ma_dtype)h->dtype, NULL, stream));
  if (!x->size || !h->size) return MA_OK;
  ma_status status = ma_matrices_info(&info, h, stream);
  if (status == MA_OK) status = ma_matrices_take(h, stream, false, &mh);
  if (status == MA_OK) status = ma_matrices_take(x, stream, true, &mb);
  if (status == MA_OK && mh.count != mb.count)
    status = ma_fail(MA_ERR_INTERNAL, "reflectors and right sides of two batches");
  if (status == MA_OK) status = ma_matrices_pointer(tau, stream, &taus);
  if (status == MA_OK) status = ma_matrices_pointer(&info, stream, &infos);
  if (status == MA_OK)
    status = table->qr_apply(stream, (ma_dtype)h->dtype, 'C', &mh, tau->shape[tau->ndim - 1], taus, &mb, infos);
  ma_array_release(&info);
  if (status != MA_OK) ma_array_release(x);
  return status;
}
