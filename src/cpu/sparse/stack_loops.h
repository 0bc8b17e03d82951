/* stack_loops.h: the loops of stack.c for one index type and one kind of value (each.h). */

/* The entries begin .. end - 1 of a piece to place `at` and those behind it. */
static inline void NAME(copy)(const ma_sparse_piece *p, int64_t begin, int64_t end, int64_t at, const ma_csr_room *to) {
  const I *restrict index = (const I *)p->a.indices + begin;
  const T *restrict value = (const T *)p->a.data + begin;
  I *restrict to_index = (I *)to->indices + at;
  T *restrict to_value = (T *)to->data + at;
  uint64_t left = (uint64_t)p->left;
  for (int64_t k = 0; k < end - begin; k++) {
    to_index[k] = (I)((uint64_t)index[k] + left);
    to_value[k] = value[k];
  }
}

/* The same for many entries: memcpy need not read the memory that it writes. */
static void NAME(whole)(const ma_sparse_piece *p, int64_t begin, int64_t end, int64_t at, const ma_csr_room *to) {
  I *to_index = (I *)to->indices + at;
  const I *index = (const I *)p->a.indices + begin;
  uint64_t left = (uint64_t)p->left;
  memcpy((T *)to->data + at, (const T *)p->a.data + begin, (size_t)(end - begin) * sizeof(T));
  if (!left) memcpy(to_index, index, (size_t)(end - begin) * sizeof(I));
  else
    for (int64_t k = 0; k < end - begin; k++) to_index[k] = (I)((uint64_t)index[k] + left);
}

/* Rows first .. last - 1 of n pieces beside each other, from place `at` on. */
static void NAME(beside)(const ma_sparse_piece *p, int64_t n, int64_t first, int64_t last, int64_t at,
                         const ma_csr_room *to) {
  if (n == 1) {
    const I *indptr = p->a.indptr;
    NAME(whole)(p, (int64_t)indptr[first] - 1, (int64_t)indptr[last] - 1, at, to);
    return;
  }
  for (int64_t r = first; r < last; r++)
    for (int64_t j = 0; j < n; j++) {
      const I *indptr = p[j].a.indptr;
      int64_t begin = (int64_t)indptr[r] - 1, end = (int64_t)indptr[r + 1] - 1;
      NAME(copy)(p + j, begin, end, at, to);
      at += end - begin;
    }
}

/* Rows first .. last - 1 of the Kronecker product, with their ends. */
static void NAME(kron)(const ma_csr *a, const ma_csr *b, int64_t first, int64_t last, const ma_csr_room *to) {
  const I *a_ptr = a->indptr, *a_index = a->indices, *b_ptr = b->indptr, *b_index = b->indices;
  const T *a_value = a->data, *b_value = b->data;
  I *to_ptr = to->indptr, *to_index = to->indices;
  T *to_value = to->data;
  for (int64_t row = first; row < last; row++) {
    int64_t i = row / b->rows, r = row % b->rows;
    int64_t j = (int64_t)a_ptr[i] - 1, j_end = (int64_t)a_ptr[i + 1] - 1;
    int64_t begin = (int64_t)b_ptr[r] - 1, length = (int64_t)b_ptr[r + 1] - 1 - begin;
    int64_t at = j * b->nnz + (j_end - j) * begin;
    to_ptr[row] = (I)(at + 1);
    for (; j < j_end; j++, at += length) {
      uint64_t left = ((uint64_t)a_index[j] - 1) * (uint64_t)b->columns;
      T v = a_value[j];
      for (int64_t k = 0; k < length; k++) {
        to_index[at + k] = (I)((uint64_t)b_index[begin + k] + left);
        to_value[at + k] = MUL(v, b_value[begin + k]);
      }
    }
  }
}
