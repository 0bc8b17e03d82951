/* look_loops.h: the loop of look.c for one index type and one kind of value (each.h). */

/* Elements first .. last - 1 of a diagonal. Each is the sum of the entries there. */
static void NAME(diagonal)(const ma_sparse *a, int64_t shift, int64_t first, int64_t last, void *to) {
  const I *indptr = a->indptr, *indices = a->indices;
  const T *data = a->data;
  T *y = to;
  for (int64_t i = first; i < last; i++) {
    int64_t row = shift < 0 ? i - shift : i, end = (int64_t)indptr[row + 1] - 1;
    I column = (I)(row + shift + 1);
    T sum = ZERO;
#pragma GCC unroll 4
    for (int64_t k = (int64_t)indptr[row] - 1; k < end; k++)
      if (indices[k] == column) sum = ADD(sum, data[k]);
    y[i] = sum;
  }
}
