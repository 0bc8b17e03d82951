/*
** factors.h: factors of sparse matrices, on the host. Matrices are compressed by columns with positions from 0 on.
** run.c checks the matrix that a caller gives; all others are made here.
*/
#ifndef MOONARRAY_FACTORS_H
#define MOONARRAY_FACTORS_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

/* n columns of positions in m rows, in any order. If a column has a position twice, the last one counts. */
typedef struct ma_pattern {
  int32_t m, n;
  int64_t *start;    /* n + 1 */
  int32_t *row;      /* start[n] */
  const void *value; /* of the entries */
} ma_pattern;

typedef enum ma_order_kind {
  MA_ORDER_AUTO,    /* SUM for patterns that are nearly symmetric with a full diagonal, else PRODUCT */
  MA_ORDER_NATURAL, /* as they are */
  MA_ORDER_SUM,     /* least degree in the pattern of A + A^T */
  MA_ORDER_PRODUCT, /* least degree in the pattern of A^T A */
  MA_NORDER
} ma_order_kind;

/* order.c: order[k] is the column that is eliminated as number k. *symmetric says that pivots on the diagonal keep the
** factors sparse. */
ma_status ma_order_columns(const ma_pattern *a, ma_order_kind kind, int32_t *order, bool *symmetric);
/* degree.c: the same for a symmetric pattern without diagonal. `list` has room for `room` entries, at least start[n],
** and is overwritten; so is start. */
ma_status ma_order_least_degree(int32_t n, int64_t *start, int32_t *list, int64_t room, int32_t *order);

/* The factors of a matrix: P A Q = L U, exactly or nearly. */
typedef struct ma_factors {
  int32_t n;
  bool is_complex; /* values are double, or pairs of double */
  int64_t *lstart, *ustart;
  /* In the order of pivots; a column of L has its diagonal of 1 first, a column of U has its diagonal last. */
  int32_t *lrow, *urow;
  double *lvalue, *uvalue;
  int32_t *place;   /* place[i]: number of the pivot in row i */
  int32_t *column;  /* column[k]: column of pivot k */
  int32_t singular; /* number of the first pivot that is 0, from 1 on; 0: none */
} ma_factors;

typedef struct ma_factor_options {
  double threshold; /* a diagonal element is the pivot if it is at least this part of the largest in its column */
  bool incomplete;
  double drop; /* of incomplete factors: a value below this part of its column is left out */
  double fill; /* of incomplete factors: at most this many times the entries of A are kept, column by column */
} ma_factor_options;

ma_status ma_factor(const ma_pattern *a, bool is_complex, const int32_t *order, const ma_factor_options *options,
                    ma_factors *factors);
void ma_factors_free(ma_factors *factors);

#pragma GCC visibility pop
#endif
