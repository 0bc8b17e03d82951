/* linalg.h: products and factorisations of arrays. backend/linalg.h has the types that cross to a backend. */
#ifndef MOONARRAY_OPS_LINALG_H
#define MOONARRAY_OPS_LINALG_H

#include "ops/ops.h"
#include "backend/linalg.h"

#pragma GCC visibility push(hidden)

/* product.c: a @ b as NumPy's matmul: over the last two axes, with the other axes broadcast. Either may be a vector.
** A result whose buffer is NULL is made. */
ma_status ma_matmul_run(const ma_array *a, const ma_array *b, ma_array *result, ma_stream *stream);

/*
** Arrays of matrices (batch..., rows, columns). cholesky, solve, inv, eigh and eig need square matrices, which the
** caller checks. Results are new, of the dtype of ma_linalg_dtype, with matrices in Fortran's order. On failure they
** have no buffer. With `check` the call waits and fails if the algorithm failed for a matrix; else the results of that
** matrix are NaN.
*/

ma_dtype ma_linalg_dtype(ma_dtype dtype); /* float64 for integers and bool; float32 for 16-bit floats */
/* Elements above the diagonal are undefined. */
ma_status ma_linalg_cholesky(ma_array *l, const ma_array *a, bool check, ma_stream *stream);
/* Does not fail for a singular matrix. */
ma_status ma_linalg_lu(ma_array *lu, ma_array *pivot, const ma_array *a, ma_stream *stream);
ma_status ma_linalg_lu_solve(ma_array *x, const ma_array *lu, const ma_array *pivot, char trans, const ma_array *b,
                             ma_stream *stream);
ma_status ma_linalg_solve(ma_array *x, const ma_array *a, const ma_array *b, bool check, ma_stream *stream);
ma_status ma_linalg_inv(ma_array *x, const ma_array *a, bool check, ma_stream *stream);
ma_status ma_linalg_triangular_solve(ma_array *x, const ma_array *a, const ma_array *b, bool lower, char trans,
                                     bool unit, bool check, ma_stream *stream);
/* h has room for `columns` columns of Q. */
ma_status ma_linalg_qr(ma_array *h, ma_array *tau, const ma_array *a, int64_t columns, ma_stream *stream);
/* Cuts h to its columns and replaces it by Q. */
ma_status ma_linalg_qr_form(ma_array *h, const ma_array *tau, ma_stream *stream);
ma_status ma_linalg_qr_apply(ma_array *x, const ma_array *h, const ma_array *tau, const ma_array *b,
                             ma_stream *stream); /* Q^H b */
/* job 'N': only s (u and vh are NULL), 'S': thin, 'A': full. */
ma_status ma_linalg_svd(ma_array *u, ma_array *s, ma_array *vh, const ma_array *a, char job, bool check,
                        ma_stream *stream);
ma_status ma_linalg_eigh(ma_array *values, ma_array *v, const ma_array *a, bool lower, bool check,
                         ma_stream *stream); /* v NULL: eigenvalues only */
/* x of a banded system without exchanges of rows: row i of `bands` has the elements of columns i - lower on. b is a
** matrix; all float64. banded.c. */
ma_status ma_linalg_banded(ma_array *x, const ma_array *bands, int64_t lower, const ma_array *b, ma_stream *stream);
ma_status ma_linalg_eig(ma_array *values, ma_array *v, const ma_array *a, bool check, ma_stream *stream);

#pragma GCC visibility pop
#endif
