/* multiply_loops.h: the loop of multiply.c for one index type and one kind of value (each.h). */

/* Appends rows first .. last - 1 of the product to what `to` has. `seen` and `sums` have an element for each column of
** b; seen[c] is the last row, from 1, that used column c. */
static ma_status NAME(rows)(const ma_sparse *a, const ma_sparse *b, int64_t first, int64_t last, void *seen_,
                            void *sums, piece *to, int64_t *left) {
  const I *a_ptr = a->indptr, *a_index = a->indices, *b_ptr = b->indptr, *b_index = b->indices;
  const T *a_value = a->data, *b_value = b->data;
  I *seen = seen_;
  T *sum = sums;
  for (int64_t r = first; r < last; r++) {
    int64_t most = 0, n = 0;
    for (int64_t k = (int64_t)a_ptr[r] - 1; k < (int64_t)a_ptr[r + 1] - 1; k++) {
      int64_t row = (int64_t)a_index[k] - 1;
      most += (int64_t)b_ptr[row + 1] - (int64_t)b_ptr[row];
    }
    if (most > b->columns) most = b->columns;
    MA_TRY(piece_grow(to, most, sizeof(I), sizeof(T)));
    I *index = (I *)to->indices + to->n;
    T *value = (T *)(void *)to->data + to->n;
    for (int64_t k = (int64_t)a_ptr[r] - 1; k < (int64_t)a_ptr[r + 1] - 1; k++) {
      int64_t row = (int64_t)a_index[k] - 1;
      T v = a_value[k];
      for (int64_t j = (int64_t)b_ptr[row] - 1; j < (int64_t)b_ptr[row + 1] - 1; j++) {
        I c = b_index[j];
        T term = MUL(v, b_value[j]);
        if (seen[c - 1] == (I)(r + 1)) {
          sum[c - 1] = ADD(sum[c - 1], term);
        } else {
          seen[c - 1] = (I)(r + 1);
          sum[c - 1] = term;
          index[n++] = c;
        }
      }
    }
    for (int64_t k = 0; k < n; k++) value[k] = sum[index[k] - 1];
    to->n += n;
    left[r] = n;
  }
  return MA_OK;
}
