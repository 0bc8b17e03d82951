/* combine_loops.h: the loops of combine.c for one index type and one kind of value (each.h). */

/* Walks along rows first .. last - 1 of both matrices, and flushes each block that is full. */
static void NAME(walk)(const ma_sparse *a, const ma_sparse *b, int64_t first, int64_t last, meeting *m) {
  const I *a_ptr = a->indptr, *a_index = a->indices, *b_ptr = b->indptr, *b_index = b->indices;
  const T *a_value = a->data, *b_value = b->data;
  T *x = (T *)(void *)m->x, *y = (T *)(void *)m->y;
  for (int64_t r = first; r < last; r++) {
    int64_t j = (int64_t)a_ptr[r] - 1, j_end = (int64_t)a_ptr[r + 1] - 1, k = (int64_t)b_ptr[r] - 1,
            k_end = (int64_t)b_ptr[r + 1] - 1;
    while (j < j_end || k < k_end) {
      int n = m->n;
      for (; n < MA_BLOCK && j < j_end && k < k_end; n++) {
        int64_t c = a_index[j], d = b_index[k];
        m->column[n] = c < d ? c : d;
        x[n] = KEEP(a_value[j], c <= d);
        y[n] = KEEP(b_value[k], d <= c);
        j += c <= d;
        k += d <= c;
      }
      for (; n < MA_BLOCK && j < j_end && k == k_end; n++, j++) {
        m->column[n] = a_index[j];
        x[n] = a_value[j];
        y[n] = ZERO;
      }
      for (; n < MA_BLOCK && k < k_end && j == j_end; n++, k++) {
        m->column[n] = b_index[k];
        x[n] = ZERO;
        y[n] = b_value[k];
      }
      m->n = n;
      if (n == MA_BLOCK) m->flush(m);
    }
    m->row_end[m->nrow++] = m->n;
    if (m->nrow == MA_BLOCK) m->flush(m);
  }
}

/* Keeps the entries of a block that are not zero. T is the kind of the result. */
static void NAME(flush)(meeting *m) {
  const T *value = (const T *)(const void *)m->z;
  const T zero = ZERO;
  I *index = (I *)m->to_index + m->count;
  T *to = (T *)(void *)m->to_data + m->count;
  int64_t n = 0;
  int k = 0;
  if (m->n) m->loop(m->z, m->x, m->y, NULL, NULL, (m->n + MA_LANE - 1) / MA_LANE * MA_LANE);
  for (int row = 0; row <= m->nrow; row++) {
    for (int end = row < m->nrow ? m->row_end[row] : m->n; k < end; k++) {
      index[n] = (I)m->column[k];
      to[n] = value[k];
      n += DIFFERS(value[k], zero);
    }
    if (row == m->nrow) break;
    m->left[m->row++] = m->count + n - m->row_begin;
    m->row_begin = m->count + n;
  }
  m->count += n;
  m->n = m->nrow = 0;
}
