/* matrices.h: arrays as matrices of LAPACK, and their infos, for linalg.c and spectrum.c. */
#ifndef MOONARRAY_MATRICES_H
#define MOONARRAY_MATRICES_H

#include "ops/linalg.h"

#pragma GCC visibility push(hidden)

#define MA_NOT_FINITE (-1000) /* an info that LAPACK does not use: the matrix has NaN or infinity */
#define MA_NO_ARRAY ((ma_array){ .buffer = NULL })

void ma_arrays_release(int n, ma_array *const *array); /* skips NULL */
#define MA_RELEASE(...) \
  ma_arrays_release(sizeof(ma_array *[]){ __VA_ARGS__ } / sizeof(ma_array *), (ma_array *[]){ __VA_ARGS__ })

ma_status ma_matrices_table(const ma_array *a, ma_stream *stream, const ma_linalg_slots **table);
#define MA_NEED_SLOT(table, slot, a)                                                                                \
  do {                                                                                                              \
    if (!(table)->slot)                                                                                             \
      return ma_fail(MA_ERR_LIBRARY, "no %s on %s; x:to(\"cpu\") moves an array", #slot, ma_array_device(a)->name); \
  } while (0)

static inline int64_t ma_rows_of(const ma_array *a) { return a->shape[a->ndim - 2]; }
static inline int64_t ma_columns_of(const ma_array *a) { return a->shape[a->ndim - 1]; }
static inline int64_t ma_least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t ma_batch_of(const ma_array *a) {
  int64_t n = 1;
  for (int d = 0; d < a->ndim - 2; d++) n *= a->shape[d];
  return n;
}

void ma_matrices_swap(ma_array *a); /* swaps the last two axes */
/* A new array (batch..., rows, columns) with matrices in Fortran's order, and with the batch of `model`, which is an
** array of matrices too. */
ma_status ma_matrices_new(ma_array *array, const ma_array *model, ma_dtype dtype, int64_t rows, int64_t columns);
/* (batch..., n) in C order. */
ma_status ma_matrices_vectors(ma_array *array, const ma_array *model, ma_dtype dtype, int64_t n);
/* One int32 for each matrix, (batch..., 1, 1), initially 0. */
ma_status ma_matrices_info(ma_array *info, const ma_array *model, ma_stream *stream);
/* A copy in Fortran's order, broadcast to the batch of `model` (NULL: its own). */
ma_status ma_matrices_copy(ma_array *copy, const ma_array *a, ma_dtype dtype, const ma_array *model, ma_stream *stream);
ma_status ma_matrices_identity(ma_array *a, ma_stream *stream);
/* result = condition ? result : other, with the condition broadcast. */
ma_status ma_matrices_keep(ma_array *result, const ma_array *condition, bool negate, ma_value other,
                           ma_dtype other_dtype, ma_stream *stream);

/* Whether the array is in the layout of ma_matrices. Fills all of `m` but the address. */
bool ma_matrices_is_fortran(const ma_array *a, ma_matrices *m);
ma_status ma_matrices_take(const ma_array *a, ma_stream *stream, bool write, ma_matrices *m);
static inline ma_status ma_matrices_pointer(const ma_array *array, ma_stream *stream, void **address) {
  return ma_array_write((ma_array *)array, stream, address);
}

/* Turns infos into an error, or into NaN in the results. Bit k of `vectors`: result k has the shape (batch..., n). */
ma_status ma_matrices_conclude(const ma_array *info, bool check, const char *failure, int n, ma_array *const *result,
                               unsigned vectors, ma_stream *stream);

#pragma GCC visibility pop
#endif
