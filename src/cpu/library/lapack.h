/* lapack.h: the factorisations by LAPACK, slots of the backend's table; slots.def says what each does. */
#ifndef MOONARRAY_CPU_LAPACK_H
#define MOONARRAY_CPU_LAPACK_H

#include "backend/linalg.h"

#pragma GCC visibility push(hidden)

ma_status ma_lapack_cholesky(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int32_t *info);
ma_status ma_lapack_lu(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int64_t *pivot, int32_t *info);
ma_status ma_lapack_lu_solve(ma_stream *stream, ma_dtype dtype, char trans, const ma_matrices *a, const int64_t *pivot,
                             const ma_matrices *b);
ma_status ma_lapack_qr(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, void *tau, int32_t *info);
ma_status ma_lapack_qr_form(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int64_t k, const void *tau,
                            int32_t *info);
ma_status ma_lapack_qr_apply(ma_stream *stream, ma_dtype dtype, char trans, const ma_matrices *a, int64_t k,
                             const void *tau, const ma_matrices *b, int32_t *info);
ma_status ma_lapack_triangular_solve(ma_stream *stream, ma_dtype dtype, bool lower, char trans, bool unit,
                                     const ma_matrices *a, const ma_matrices *b);
ma_status ma_lapack_svd(ma_stream *stream, ma_dtype dtype, char job, const ma_matrices *a, void *s,
                        const ma_matrices *u, const ma_matrices *vh, int32_t *info);
ma_status ma_lapack_eigh(ma_stream *stream, ma_dtype dtype, bool vectors, bool lower, const ma_matrices *a, void *w,
                         int32_t *info);
ma_status ma_lapack_eig(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, void *w, const ma_matrices *v,
                        int32_t *info);

#pragma GCC visibility pop
#endif
