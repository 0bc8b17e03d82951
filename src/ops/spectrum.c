/* spectrum.c: singular values and eigenvalues of arrays. */
#include "ops/ops.h"
#include "ops/matrices.h"

static ma_dtype complex_of(ma_dtype dtype) {
  return dtype == MA_FLOAT32 || dtype == MA_COMPLEX64 ? MA_COMPLEX64 : MA_COMPLEX128;
}

/* Prepares matrices for routines that never end, or crash, on NaN and infinity. A matrix with such elements is replaced
** by zeros, and its info records that. */
static ma_status finite_matrices(const ma_array *a, ma_array *finite, ma_stream *stream) {
  ma_program program;
  ma_dtype dtype = (ma_dtype)a->dtype;
  ma_program_clear(&program);
  int x = ma_program_input(&program, dtype);
  ma_program_output(&program, ma_program_emit(&program, MA_DO_is_finite, dtype, (int[]){ x }));
  ma_reduce_options options = { .axes = 3u << (a->ndim - 2), .keepdims = true, .dtype = MA_NDTYPE };
  return ma_reduce_run(MA_REDUCE_all, &program, &a, NULL, &options, finite, stream);
}

/* A copy in Fortran's order with zeros for the matrices that are not finite, in one pass. */
static ma_status copy_finite(ma_array *copy, const ma_array *a, ma_dtype dtype, const ma_array *finite,
                             ma_stream *stream) {
  ma_program program;
  ma_program_clear(&program);
  int c = ma_program_cast(&program, ma_program_input(&program, (ma_dtype)finite->dtype), MA_BOOL);
  int x = ma_program_cast(&program, ma_program_input(&program, (ma_dtype)a->dtype), dtype),
      zero = ma_program_scalar(&program, dtype);
  ma_program_output(&program, ma_program_emit(&program, MA_DO_choose, dtype, (int[]){ c, x, zero }));
  ma_value scalar = ma_value_cast((ma_value){ .i = 0 }, MA_INT64, dtype);
  MA_TRY(ma_matrices_new(copy, a, dtype, ma_rows_of(a), ma_columns_of(a)));
  ma_status status = ma_program_run(&program, (const ma_array *const[]){ finite, a }, &scalar, &copy, stream);
  if (status != MA_OK) ma_array_release(copy);
  return status;
}

/* A finite copy that the routine destroys, the infos, and a flag for each matrix that was finite. */
typedef struct work {
  ma_array copy, finite, info;
  ma_matrices m;
  void *infos;
} work;

static void work_close(work *w) { MA_RELEASE(&w->copy, &w->finite, &w->info); }

/* Opens the work of a call. If it fails, nothing is left. `copy` may be the caller's result, which the caller then
** owns. */
static ma_status work_open(work *w, ma_array *copy, const ma_array *a, ma_dtype dtype, ma_stream *stream) {
  w->copy = w->finite = w->info = MA_NO_ARRAY;
  ma_status status = finite_matrices(a, &w->finite, stream);
  if (status == MA_OK) status = copy_finite(copy, a, dtype, &w->finite, stream);
  if (status == MA_OK) status = ma_matrices_info(&w->info, a, stream);
  if (status == MA_OK) status = ma_matrices_take(copy, stream, true, &w->m);
  if (status == MA_OK) status = ma_matrices_pointer(&w->info, stream, &w->infos);
  if (status != MA_OK) work_close(w);
  return status;
}

static ma_status work_conclude(work *w, bool check, const char *failure, int n, ma_array *const *result,
                               unsigned vectors, ma_stream *stream) {
  MA_TRY(ma_matrices_keep(&w->info, &w->finite, false, (ma_value){ .i = MA_NOT_FINITE }, MA_INT64, stream));
  return ma_matrices_conclude(&w->info, check, failure, n, result, vectors, stream);
}

ma_status ma_linalg_svd(ma_array *u, ma_array *s, ma_array *vh, const ma_array *a, char job, bool check,
                        ma_stream *stream) {
  const ma_linalg_slots *table;
  work w;
  ma_matrices mu = { .data = NULL }, mv = { .data = NULL };
  void *values;
  ma_dtype dtype = ma_linalg_dtype((ma_dtype)a->dtype);
  int64_t rows = ma_rows_of(a), columns = ma_columns_of(a), k = ma_least(rows, columns);
  MA_TRY(ma_matrices_table(a, stream, &table));
  MA_NEED_SLOT(table, svd, a);
  ma_status status = ma_matrices_vectors(s, a, ma_dtype_real(dtype), k);
  if (status == MA_OK && u) status = ma_matrices_new(u, a, dtype, rows, job == 'A' ? rows : k);
  if (status == MA_OK && vh) status = ma_matrices_new(vh, a, dtype, job == 'A' ? columns : k, columns);
  if (status == MA_OK && !a->size) {
    if (u) status = ma_matrices_identity(u, stream);
    if (status == MA_OK && vh) status = ma_matrices_identity(vh, stream);
  } else if (status == MA_OK) {
    status = work_open(&w, &w.copy, a, dtype, stream);
    if (status == MA_OK) {
      status = ma_matrices_pointer(s, stream, &values);
      if (status == MA_OK && u) status = ma_matrices_take(u, stream, true, &mu);
      if (status == MA_OK && vh) status = ma_matrices_take(vh, stream, true, &mv);
      if (status == MA_OK) status = table->svd(stream, dtype, job, &w.m, values, &mu, &mv, w.infos);
      if (status == MA_OK)
        status = work_conclude(&w, check, "has an SVD that did not converge", 3, (ma_array *[]){ s, u, vh }, 1, stream);
      work_close(&w);
    }
  }
  if (status != MA_OK) MA_RELEASE(u, s, vh);
  return status;
}

ma_status ma_linalg_eigh(ma_array *values, ma_array *v, const ma_array *a, bool lower, bool check, ma_stream *stream) {
  const ma_linalg_slots *table;
  work w;
  void *p;
  ma_dtype dtype = ma_linalg_dtype((ma_dtype)a->dtype);
  MA_TRY(ma_matrices_table(a, stream, &table));
  MA_NEED_SLOT(table, eigh, a);
  MA_TRY(ma_matrices_vectors(values, a, ma_dtype_real(dtype), ma_rows_of(a)));
  if (!a->size) {
    ma_status status = v ? ma_matrices_new(v, a, dtype, ma_rows_of(a), ma_rows_of(a)) : MA_OK;
    if (status != MA_OK) ma_array_release(values);
    return status;
  }
  ma_status status = work_open(&w, v ? v : &w.copy, a, dtype, stream);
  if (status == MA_OK) {
    status = ma_matrices_pointer(values, stream, &p);
    if (status == MA_OK) status = table->eigh(stream, dtype, v != NULL, lower, &w.m, p, w.infos);
    if (status == MA_OK)
      status = work_conclude(&w, check, "has eigenvalues that did not converge", 2, (ma_array *[]){ values, v }, 1,
                             stream);
    work_close(&w);
  }
  if (status != MA_OK) MA_RELEASE(values, v);
  return status;
}

ma_status ma_linalg_eig(ma_array *values, ma_array *v, const ma_array *a, bool check, ma_stream *stream) {
  const ma_linalg_slots *table;
  work w;
  void *p;
  ma_matrices mv = { .data = NULL };
  ma_dtype dtype = ma_linalg_dtype((ma_dtype)a->dtype);
  MA_TRY(ma_matrices_table(a, stream, &table));
  MA_NEED_SLOT(table, eig, a);
  ma_status status = ma_matrices_vectors(values, a, complex_of(dtype), ma_rows_of(a));
  if (status == MA_OK && v) status = ma_matrices_new(v, a, complex_of(dtype), ma_rows_of(a), ma_rows_of(a));
  if (status == MA_OK && a->size) {
    status = work_open(&w, &w.copy, a, dtype, stream);
    if (status == MA_OK) {
      status = ma_matrices_pointer(values, stream, &p);
      if (status == MA_OK && v) status = ma_matrices_take(v, stream, true, &mv);
      if (status == MA_OK) status = table->eig(stream, dtype, &w.m, p, &mv, w.infos);
      if (status == MA_OK)
        status = work_conclude(&w, check, "has eigenvalues that did not converge", 2, (ma_array *[]){ values, v }, 1,
                               stream);
      work_close(&w);
    }
  }
  if (status != MA_OK) MA_RELEASE(values, v);
  return status;
}
