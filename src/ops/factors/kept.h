/* kept.h: factors of a sparse matrix that its device computes and keeps. */
#ifndef MOONARRAY_FACTORS_KEPT_H
#define MOONARRAY_FACTORS_KEPT_H

#include "ops/fields/sparse.h"

#pragma GCC visibility push(hidden)

typedef struct ma_kept_factors ma_kept_factors;

/* Whether the device computes factors. */
bool ma_kept_factors_there(ma_device *device);
/* Factorises `a`, which is square, with sorted rows and no column twice. Its arrays are not written any more. *made
** stays NULL if the host is to factorise. */
ma_status ma_kept_factors_new(const ma_sparse_parts *a, ma_stream *stream, ma_kept_factors **made);
/* x = a^-1 b for each row of b, which is contiguous, has two axes and a's dtype. x is made. */
ma_status ma_kept_factors_solve(ma_kept_factors *f, const ma_array *b, ma_array *x, ma_stream *stream);
void ma_kept_factors_free(ma_kept_factors *f);

#pragma GCC visibility pop
#endif
