/*
** params.h: what the kernels of sparse matrices are given, as C11 and as CUDA C++. Before it stand the types of
** positions and of values, which are `void` on the host:
**   PARAM_INDEX, PARAM_VALUE
** What is void on both sides has a type that the kernel knows. Positions count from 1.
*/

/* The long rows of a matrix, in chunks (csr_long.cuh). */
typedef struct long_list {
  uint32_t *count;           /* chunks in the list */
  struct long_chunk *chunks; /* room for `capacity` */
  uint32_t *done;            /* at a row's first chunk, for each strip of columns: its chunks that are done */
  void *sums;                /* what each chunk gave */
  int64_t capacity;
} long_list;

/* csr_product.cuh; the list's sums are of reg */
typedef struct product_params {
  const PARAM_INDEX *indptr, *indices, *order;
  const PARAM_VALUE *data, *x;
  PARAM_VALUE *y;
  int64_t rows, columns, nnz, width;
  long_list list;
} product_params;

/* csr_striped.cuh */
typedef struct striped_params {
  const int64_t *offsets, *places;
  const PARAM_VALUE *data, *x;
  PARAM_VALUE *y;
  int64_t rows, columns, count, length, width;
} striped_params;

/* coo_sampled.cuh */
typedef struct sampled_params {
  const PARAM_INDEX *row, *column;
  const PARAM_VALUE *x, *y;
  PARAM_VALUE *to;
  int64_t rows, columns, nnz, inner;
} sampled_params;

/* csr_extreme.cuh; the list's sums are of best */
typedef struct extreme_params {
  const PARAM_INDEX *indptr, *indices, *order;
  const PARAM_VALUE *data;
  PARAM_VALUE *to;
  int64_t *at; /* columns */
  int64_t rows, columns, nnz;
  long_list list;
} extreme_params;

/* csr_look.cuh */
typedef struct look_params {
  const PARAM_INDEX *indptr, *indices;
  const PARAM_VALUE *data;
  const int64_t *row, *column; /* of n entries that are looked for */
  void *to; /* elements of the diagonal; places; whether a row falls, and whether it holds a column twice */
  int64_t rows, nnz, n, shift; /* n: elements of the diagonal */
} look_params;

/* csr_solve.cuh */
typedef struct solve_params {
  const PARAM_INDEX *indptr, *indices;
  const PARAM_VALUE *data;
  PARAM_VALUE *x, *done; /* done: of csr_solve_short: x where a row is done, else all bits are set */
  uint32_t *ready; /* for each row: 1 when its part of x is there; before them the next row to take, and a bad row */
  int32_t *info;
  int64_t rows, nnz, width;
} solve_params;

/* csr_order.cuh */
typedef struct order_params {
  const PARAM_INDEX *indptr, *row, *column, *from_row;
  const PARAM_VALUE *data;
  const void *keys;
  const int64_t *order; /* where each sorted entry was */
  PARAM_INDEX *to_indptr, *to_indices;
  PARAM_VALUE *to_data;
  void *to_keys;
  int64_t *counts; /* of each block: entries that are the first of their place; later those before the block */
  int64_t rows, columns, nnz, parts;
  int64_t before; /* entries of the result before those of this call */
  uint32_t shift;
} order_params;

/* csr_multiply.cuh */
typedef struct multiply_params {
  const PARAM_INDEX *a_row, *a_indices, *b_indptr, *b_indices;
  const PARAM_VALUE *a_data, *b_data;
  const uint8_t *classes;    /* of the rows of A, or NULL */
  int64_t *counts, *offsets; /* offsets: for each entry of A the products before it, plus 1 */
  void *to_keys;
  PARAM_VALUE *to_data;
  int64_t a_nnz, b_rows, b_columns, b_nnz, from, to, first_row, all;
  uint32_t shift, only; /* only: the class that is made */
} multiply_params;

/* csr_classes.cuh */
typedef struct short_params {
  const PARAM_INDEX *a_indptr, *a_indices, *b_indptr, *b_indices;
  const PARAM_VALUE *a_data, *b_data;
  uint32_t *counts;                              /* rows of each class */
  uint8_t *classes;                              /* of each row */
  PARAM_INDEX *list;                             /* the rows of class BLOCKED, in any order */
  const PARAM_INDEX *long_indptr, *long_indices; /* the rows of the last class, as a matrix of as many rows */
  const PARAM_VALUE *long_data;
  PARAM_INDEX *to_indptr, *to_indices;
  PARAM_VALUE *to_data;
  int64_t rows, a_nnz, b_rows, b_columns, b_nnz, long_nnz;
  uint32_t from, to; /* the classes of rows that a launch takes */
} short_params;

/* csr_combine.cuh; values and to_data are of the result's dtype */
typedef struct combine_params {
  const PARAM_INDEX *a_indptr, *a_indices, *b_indptr, *b_indices;
  const PARAM_VALUE *a_data, *b_data;
  PARAM_INDEX *columns; /* of the list */
  void *values;
  uint32_t *kept, *before; /* for each 32 entries of the list: which stay, and how many stay before them in the part */
  int64_t *counts, *alone;
  PARAM_INDEX *to_indptr, *to_indices;
  void *to_data;
  int64_t rows, a_nnz, b_nnz;
} combine_params;
