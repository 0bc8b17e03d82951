/*
** sparse.h: the slots of sparse matrices, and what their files share.
**
** Special ways beside the general loops, and how many times slower an operation is without them: one thread, float64,
** 10^5 entries, the mean of random rows, bands, rows of a power law and rows of 64 entries.
**   vector_loops.h   pairs of short rows of one length            bands 1.4 to 1.6, others 1.0
**   product_loops.h  a vector times the transpose                 1.7
**   formats_loops.h  blocks times a vector                        3.3
**   order_loops.h    up to 32 entries sorted by their ranks       1.4
**   order_loops.h    places that are fetched ahead                1.7
**   look.c           steps between entries, counted for all rows  2.5
**   made.h           a piece that has its rows to itself          1.8
*/
#ifndef MA_CPU_SPARSE_H
#define MA_CPU_SPARSE_H

#include "cpu/cpu.h"
#include "backend/sparse.h"

#pragma GCC visibility push(hidden)

/* ---- look.c ---- */

/* Whether the rows of a matrix, whose ends were checked, are sorted, and hold no column twice too. */
ma_status ma_cpu_sparse_sorted(const ma_sparse *a, bool *sorted, bool *canonical);

/* ---- order.c ---- */

/* Sorts the rows of a matrix in place; entries of the same column stay in their order. */
ma_status ma_cpu_sparse_sort_rows(const ma_sparse *a);
/* The number of parts into which `n` entries are divided, of which each has a result of its own of `results` elements:
** by the shape alone, so that sums do not depend on threads. */
int64_t ma_cpu_sparse_partials(int64_t n, int64_t results);

/* ---- vector.c ---- */

/* The rows and entries at the steps begin .. end - 1 of a walk (below); rows row .. stop - 1 begin there. A row that
** began before has its sum in `carry`. */
typedef void ma_sparse_part(const ma_sparse_product *p, int64_t begin, int64_t end, int64_t row, int64_t stop,
                            void *carry);
/* For p->width 1. */
ma_sparse_part *ma_cpu_sparse_vector(ma_dtype index, ma_dtype dtype);

/* ---- formats.c ---- */

/* Products of the kinds other than ROWS. */
ma_status ma_cpu_sparse_formats(const ma_sparse_product *product);
/* to[k] += from[k] for n values. */
void ma_cpu_sparse_add(ma_dtype dtype, void *to, const void *from, int64_t n);

/* ---- check.c ---- */

/* Fails unless the ends of the rows ascend from 1 to at most nnz + 1. */
ma_status ma_cpu_sparse_check_rows(const ma_sparse *a);
ma_status ma_cpu_sparse_falls(void); /* the failure of the next */
/* Fails unless rows first .. last - 1 do not end before they begin. */
ma_status ma_cpu_sparse_ascend(const ma_sparse *a, int64_t first, int64_t last);
/* Fails unless the ends of all rows are within the entries; their order is left to ma_cpu_sparse_ascend. */
ma_status ma_cpu_sparse_check_ends(const ma_sparse *a);
/* Fails unless the columns of the entries first .. last - 1 are in 1 .. columns. */
ma_status ma_cpu_sparse_columns(const ma_sparse *a, int64_t first, int64_t last);
/* Both, for all rows and entries, on all threads: what follows needs no checks of its own. */
ma_status ma_cpu_sparse_check(const ma_sparse *a);
/* Fails unless n positions are in 1 .. extent. */
ma_status ma_cpu_sparse_inside(ma_dtype index, const void *positions, int64_t n, int64_t extent, const char *what);
/*
** A walk over a matrix has one step for each row and one for each entry: row r, from 0, is at step indptr[r] - 1 + r,
** and its entries are behind it. Equal numbers of steps are equal work, whatever the lengths of the rows.
*/
/* The first row whose step is `step` or later. */
int64_t ma_cpu_sparse_row_at(const ma_sparse *a, int64_t step);
/* Calls fn for ranges of steps; the rows of a range are those that begin in it. */
ma_status ma_cpu_sparse_by_rows(const ma_sparse *a, int64_t grain, ma_range_function *fn, void *context);
int64_t ma_cpu_sparse_bytes(const ma_sparse *a); /* of the arrays */

/* Makes the arrays of a result of `rows` rows and `nnz` entries of `each` values; indptr begins with 1. */
ma_status ma_cpu_sparse_room(ma_stream *stream, ma_dtype index, ma_dtype dtype, int64_t rows, int64_t nnz, int64_t each,
                             ma_csr_arrays *result, ma_csr_room *room);
void ma_cpu_sparse_drop(ma_csr_arrays *result);
/* indptr of rows with left[r] entries. */
void ma_cpu_sparse_ends(ma_dtype index, int64_t rows, const int64_t *left, void *indptr);

/* The bytes of a part of scratch memory, so that the part behind it is aligned for any type. */
static inline size_t ma_cpu_aligned(size_t nbytes) { return (nbytes + 15) & ~(size_t)15; }

/* The arithmetic of values: bool, integers by width, float32, float64, complex64, complex128; -1: none. */
#define MA_NSPARSE_VALUE 9
static inline int ma_sparse_value(ma_dtype dtype) {
  switch (dtype) {
  case MA_BOOL: return 0;
  case MA_INT8:
  case MA_UINT8: return 1;
  case MA_INT16:
  case MA_UINT16: return 2;
  case MA_INT32:
  case MA_UINT32: return 3;
  case MA_INT64:
  case MA_UINT64: return 4;
  case MA_FLOAT32: return 5;
  case MA_FLOAT64: return 6;
  case MA_COMPLEX64: return 7;
  case MA_COMPLEX128: return 8;
  default: return -1;
  }
}

/* Position k of an index array, from 1. */
static inline int64_t ma_sparse_at(ma_dtype index, const void *positions, int64_t k) {
  return index == MA_INT32 ? ((const int32_t *)positions)[k] : ((const int64_t *)positions)[k];
}
/* Where row r begins, from 0; that of a->rows is where the entries end. */
static inline int64_t ma_sparse_begin(const ma_sparse *a, int64_t r) {
  return ma_sparse_at(a->index, a->indptr, r) - 1;
}
/* The row of each of a matrix's two tables of loops, [index][value]. */
#define MA_SPARSE_LOOP(table, a) ((table)[(a)->index == MA_INT64][ma_sparse_value((a)->dtype)])

#pragma GCC visibility pop
#endif
