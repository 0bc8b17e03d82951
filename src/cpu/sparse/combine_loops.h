/* combine_loops.h: the loops of combine.c for one index type and one kind of value (each.h). */

/* The rows of a and b that meet: where they are and end, and where the pairs go. */
typedef struct NAME(pair) {
  const I *a_index, *b_index;
  const T *a_value, *b_value;
  int64_t j, j_end, k, k_end;
  int n; /* of the block */
} NAME(pair);

static inline __attribute__((always_inline)) bool NAME(both)(const NAME(pair) * p) {
  return p->j < p->j_end && p->k < p->k_end;
}

/* The pair of least column of two rows that both go on. */
static inline __attribute__((always_inline)) void NAME(step)(NAME(pair) * p, meeting *m) {
  int64_t c = p->a_index[p->j], d = p->b_index[p->k];
  m->column[p->n] = c < d ? c : d;
  ((T *)(void *)m->x)[p->n] = KEEP(p->a_value[p->j], c <= d);
  ((T *)(void *)m->y)[p->n++] = KEEP(p->b_value[p->k], d <= c);
  p->j += c <= d;
  p->k += d <= c;
}

/* What is left of two rows that began in step; there is room for it. */
static inline __attribute__((always_inline)) void NAME(rest)(NAME(pair) * p, meeting *m) {
  T *x = (T *)(void *)m->x, *y = (T *)(void *)m->y;
  while (NAME(both)(p)) NAME(step)(p, m);
  for (; p->j < p->j_end; p->j++, p->n++) {
    m->column[p->n] = p->a_index[p->j];
    x[p->n] = p->a_value[p->j];
    y[p->n] = ZERO;
  }
  for (; p->k < p->k_end; p->k++, p->n++) {
    m->column[p->n] = p->b_index[p->k];
    x[p->n] = ZERO;
    y[p->n] = p->b_value[p->k];
  }
}

/* Rows r and r + 1, for which the block has room, in turn: a step of a row waits for the one before it, but not
** for the other row's. The second row begins where the first could end at most, and then moves up to it. */
static inline __attribute__((always_inline)) void NAME(two)(const ma_sparse *a, const ma_sparse *b, int64_t r,
                                                            meeting *m) {
  const I *a_ptr = (const I *)a->indptr + r, *b_ptr = (const I *)b->indptr + r;
  NAME(pair)
  p = { a->indices, b->indices, a->data, b->data, a_ptr[0] - 1, a_ptr[1] - 1, b_ptr[0] - 1, b_ptr[1] - 1, m->n };
  NAME(pair) q = p;
  q.j = p.j_end;
  q.j_end = a_ptr[2] - 1;
  q.k = p.k_end;
  q.k_end = b_ptr[2] - 1;
  q.n = m->n + (int)(p.j_end - p.j + p.k_end - p.k);
  int begin = q.n;
  while (NAME(both)(&p) && NAME(both)(&q)) {
    NAME(step)(&p, m);
    NAME(step)(&q, m);
  }
  NAME(rest)(&p, m);
  NAME(rest)(&q, m);
  T *x = (T *)(void *)m->x, *y = (T *)(void *)m->y;
  if (p.n < begin)
    for (int at = begin; at < q.n; at++) {
      m->column[p.n + at - begin] = m->column[at];
      x[p.n + at - begin] = x[at];
      y[p.n + at - begin] = y[at];
    }
  m->row_end[m->nrow++] = p.n;
  m->row_end[m->nrow++] = m->n = p.n + q.n - begin;
}

/* Walks along rows first .. last - 1 of both matrices, and flushes each block that is full. */
static void NAME(walk)(const ma_sparse *a, const ma_sparse *b, int64_t first, int64_t last, meeting *m) {
  const I *a_ptr = a->indptr, *a_index = a->indices, *b_ptr = b->indptr, *b_index = b->indices;
  const T *a_value = a->data, *b_value = b->data;
  T *x = (T *)(void *)m->x, *y = (T *)(void *)m->y;
  for (int64_t r = first; r < last; r++) {
    if (r + 1 < last) {
      int64_t most = (int64_t)a_ptr[r + 2] - a_ptr[r] + b_ptr[r + 2] - b_ptr[r];
      if (most <= MA_BLOCK / 4) {
        if (most + m->n > MA_BLOCK || m->nrow + 2 > MA_BLOCK) m->flush(m);
        NAME(two)(a, b, r++, m);
        if (m->nrow == MA_BLOCK) m->flush(m);
        continue;
      }
    }
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
