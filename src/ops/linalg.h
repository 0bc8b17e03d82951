/* linalg.h: products and factorisations over arrays. backend/linalg.h has the forms that cross to a backend. */
#ifndef MOONARRAY_OPS_LINALG_H
#define MOONARRAY_OPS_LINALG_H

#include "ops/ops.h"
#include "backend/linalg.h"

#pragma GCC visibility push(hidden)

/* product.c: a @ b as NumPy's matmul takes it: the last two axes, the others broadcast; a vector in front or behind. A
** result whose buffer is NULL is made. */
ma_status ma_matmul_run(const ma_array *a, const ma_array *b, ma_array *result, ma_stream *stream);

/*
** Arrays of matrices (batch..., rows, columns); those given to cholesky, solve, eigh and the like are square, which the
** caller checks. Results are new, in the dtype of ma_linalg_dtype, their matrices in Fortran's order; on failure they
** hold nothing. `check`: a matrix that failed is an error, for which the call waits; else its results are NaN.
*/
ma_dtype ma_linalg_dtype(ma_dtype dtype); /* integers and bool: float64; 16-bit floats: float32 */
/* above the diagonal: anything */
ma_status ma_linalg_cholesky(ma_array *l, const ma_array *a, bool check, ma_stream *stream);
/* a singular matrix has one too */
ma_status ma_linalg_lu(ma_array *lu, ma_array *pivot, const ma_array *a, ma_stream *stream);
ma_status ma_linalg_lu_solve(ma_array *x, const ma_array *lu, const ma_array *pivot, char trans, const ma_array *b,
                             ma_stream *stream);
ma_status ma_linalg_solve(ma_array *x, const ma_array *a, const ma_array *b, bool check, ma_stream *stream);
ma_status ma_linalg_inv(ma_array *x, const ma_array *a, bool check, ma_stream *stream);
ma_status ma_linalg_triangular_solve(ma_array *x, const ma_array *a, const ma_array *b, bool lower, char trans,
                                     bool unit, bool check, ma_stream *stream);
/* room for `columns` of Q */
ma_status ma_linalg_qr(ma_array *h, ma_array *tau, const ma_array *a, int64_t columns, ma_stream *stream);
/* h, cut to columns of Q, becomes them */
ma_status ma_linalg_qr_form(ma_array *h, const ma_array *tau, ma_stream *stream);
ma_status ma_linalg_qr_apply(ma_array *x, const ma_array *h, const ma_array *tau, const ma_array *b,
                             ma_stream *stream); /* Q^H b */
/* job 'N': s alone (u and vh NULL), 'S': thin, 'A': full */
ma_status ma_linalg_svd(ma_array *u, ma_array *s, ma_array *vh, const ma_array *a, char job, bool check,
                        ma_stream *stream);
ma_status ma_linalg_eigh(ma_array *values, ma_array *v, const ma_array *a, bool lower, bool check,
                         ma_stream *stream); /* v NULL: values alone */
ma_status ma_linalg_eig(ma_array *values, ma_array *v, const ma_array *a, bool check, ma_stream *stream);

#pragma GCC visibility pop
#endif
