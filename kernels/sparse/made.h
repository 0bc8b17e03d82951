/*
** made.h: what a sparse matrix is, and matrices that are made of others, as C11 and as CUDA C++, so that both devices
** follow one text. src/backend/sparse.h says what the parts of a matrix hold.
**
** A matrix is made in two passes over its units: rows, or rows of blocks. NAME(count_KIND)(m, first, last) gives the
** number of entries of the units first .. last - 1; of MA_MAKE_BLOCK the number of blocks. NAME(fill_KIND)(m, first,
** last, at, end) writes these entries, which lie at the places at .. end - 1, and where each of their rows ends; it is
** false if the matrix was not what it should be. The CPU calls both for many units, a GPU for one. Fills that only copy
** can be shared by LANES threads, of which this one is number LANE.
**
** Included with I undefined it gives the structs alone; else for one type of positions and one of values, with
**   I, T, NAME(f)       the types, and f's name for them
**   MADE_FN, MADE_LONG  how a function begins; one that looks at all entries
**   BEGIN(a, r)         where row r of a matrix begins, from 0; r may be the number of rows
**   SPAN(a, r, s)       the entries of rows r .. s - 1, never fewer than none
**   TIMES(x, y), SOME(x), ZERO   arithmetic: a product, whether it is not 0, 0
**   LANE, LANES, MOVE(to, from, n)   the threads that share a unit; how they copy n elements
*/
#ifndef MOONARRAY_SPARSE_MADE_H
#define MOONARRAY_SPARSE_MADE_H

typedef struct ma_sparse {
  int32_t kind, dtype, index; /* ma_sparse_kind; dtypes of the values, and of indptr and indices */
  int64_t rows, columns, nnz;
  const void *indptr, *indices, *data;
  int64_t longest;                 /* entries of the longest row; 0: not known */
  const void *order;               /* of ROWS on a GPU: entry k has the value data[order[k] - 1]; NULL: its own */
  int64_t height, width;           /* of BLOCKS */
  int64_t length;                  /* of DIAGONALS: elements of a row of data */
  const int64_t *offsets, *places; /* of DIAGONALS, in host memory: the diagonals, and their rows of data */
} ma_sparse;

/* A matrix that is put into another, with its first row and column at `top` and `left`, from 0. */
typedef struct ma_sparse_piece {
  ma_sparse a;
  int64_t top, left;
} ma_sparse_piece;

enum {
  MA_MAKE_ROWS,    /* a's rows of `list` */
  MA_MAKE_MASKED,  /* a's entries where `mask` is not 0 */
  MA_MAKE_FULL,    /* a's entries that are not 0; no result if all are */
  MA_MAKE_RANGE,   /* a's columns first, first + step ..., `columns` of them */
  MA_MAKE_COLUMNS, /* a's columns of `list`; with `sort` the rows are sorted, as they are in `a` */
  MA_MAKE_PUT,     /* a with b's entries in place of its own; an entry of b that is 0 takes a's away */
  MA_MAKE_STACK,   /* the pieces beside and below each other */
  MA_MAKE_KRON,    /* the Kronecker product of a and b */
  MA_MAKE_UNBLOCK, /* a, of BLOCKS, by rows, with the zeros in the blocks */
  MA_MAKE_STRIPES, /* a, of DIAGONALS in ascending order, by rows, without zeros */
  MA_MAKE_BLOCK,   /* the blocks of height * width of a that have entries */
  MA_NMAKE
};

typedef struct ma_sparse_make {
  int32_t kind;
  ma_sparse a, b;        /* of ROWS unless it is said above; of PUT and BLOCK sorted and without duplicates */
  int64_t rows, columns; /* of the result; of BLOCK in blocks */
  const uint8_t *mask;   /* a->nnz bytes */
  const int64_t *list;   /* `nlist` positions, from 1, or negative from the end */
  int64_t nlist, first, step;
  bool sort;
  int64_t height, width; /* of BLOCK */
  /* By rows of blocks from the top, in each from the left. The pieces of a row of blocks have as many rows, and rows
  ** of blocks follow each other without a gap. */
  const ma_sparse_piece *pieces;
  int64_t npiece;
  /* What a backend fills in: the arrays of the result; a number for each of its rows, or of BLOCK for each of a's; of
  ** COLUMNS the places of column c in the list: places[ends[c]] .. places[ends[c + 1] - 1]. */
  void *to_indptr, *to_indices, *to_data;
  int64_t *next;
  const int64_t *ends, *places;
} ma_sparse_make;

#endif

#ifdef I
#define TO_PTR ((I *)m->to_indptr)
#define TO_INDEX ((I *)m->to_indices)
#define TO_DATA ((T *)m->to_data)
#define INDEX(a) ((const I *)(a).indices)
#define DATA(a) ((const T *)(a).data)

/* ---- Rows of a list ---- */

/* The row, from 0, of element k of the list; -1 if there is none. */
MADE_FN int64_t NAME(listed)(const ma_sparse_make *m, int64_t k) {
  int64_t at = m->list[k], row = at < 0 ? m->a.rows + at : at - 1;
  return row >= 0 && row < m->a.rows ? row : -1;
}

MADE_FN int64_t NAME(count_rows)(const ma_sparse_make *m, int64_t first, int64_t last) {
  int64_t n = 0;
  for (int64_t k = first; k < last; k++) {
    int64_t row = NAME(listed)(m, k);
    n += row < 0 ? 0 : SPAN(m->a, row, row + 1);
  }
  return n;
}

MADE_FN bool NAME(fill_rows)(const ma_sparse_make *m, int64_t first, int64_t last, int64_t at, int64_t end) {
  for (int64_t k = first; k < last; k++) {
    int64_t row = NAME(listed)(m, k), from = BEGIN(m->a, row), n = SPAN(m->a, row, row + 1);
    MOVE(TO_INDEX + at, INDEX(m->a) + from, n);
    MOVE(TO_DATA + at, DATA(m->a) + from, n);
    at += n;
    TO_PTR[k + 1] = (I)(at + 1);
  }
  return true;
}

/* ---- Some entries, and the columns that they get ---- */

#define AWAY ((uint64_t)index[k] - (uint64_t)m->first) /* of an entry from the first column that is taken */
#define IN_RANGE (AWAY < span && (step == 1 || AWAY % step == 0))

/* Entries are written before it is known whether they are chosen. What lies behind the end is not kept. */
#define SELECTION(kind, chosen, column)                                                                           \
  MADE_LONG int64_t NAME(count_##kind)(const ma_sparse_make *m, int64_t first, int64_t last) {                    \
    const I *index = INDEX(m->a);                                                                                 \
    const T *value = DATA(m->a);                                                                                  \
    const uint64_t step = (uint64_t)m->step, span = (uint64_t)(m->columns - 1) * step + 1;                        \
    int64_t n = 0, stop = BEGIN(m->a, last);                                                                      \
    (void)index, (void)value, (void)span;                                                                         \
    for (int64_t k = BEGIN(m->a, first); k < stop; k++) n += (chosen);                                            \
    return n;                                                                                                     \
  }                                                                                                               \
  MADE_FN bool NAME(fill_##kind)(const ma_sparse_make *m, int64_t first, int64_t last, int64_t at, int64_t end) { \
    const I *index = INDEX(m->a);                                                                                 \
    const T *value = DATA(m->a);                                                                                  \
    const uint64_t step = (uint64_t)m->step, span = (uint64_t)(m->columns - 1) * step + 1;                        \
    I *to_ptr = TO_PTR, *to_index = TO_INDEX;                                                                     \
    T *to_value = TO_DATA;                                                                                        \
    (void)span;                                                                                                   \
    for (int64_t k = BEGIN(m->a, first); first < last; first++) {                                                 \
      int64_t stop = BEGIN(m->a, first + 1);                                                                      \
      for (; k < stop && at < end; k++) {                                                                         \
        to_index[at] = (I)(column);                                                                               \
        to_value[at] = value[k];                                                                                  \
        at += (chosen);                                                                                           \
      }                                                                                                           \
      to_ptr[first + 1] = (I)(at + 1);                                                                            \
      k = stop;                                                                                                   \
    }                                                                                                             \
    return true;                                                                                                  \
  }
SELECTION(masked, m->mask[k] != 0, index[k])
SELECTION(full, SOME(value[k]), index[k])
SELECTION(range, IN_RANGE, (step == 1 ? AWAY : AWAY / step) + 1)
#undef SELECTION
#undef IN_RANGE
#undef AWAY

/* ---- Entries that are written ---- */

/* Row r of `a` with the entries of b in place of its own, from place `at` on. If `write` is false the entries are only
** counted. Returns how many there are. */
MADE_FN int64_t NAME(put_row)(const ma_sparse_make *m, int64_t r, int64_t at, int64_t end, bool write) {
  const I *a_index = INDEX(m->a), *b_index = INDEX(m->b);
  int64_t j = BEGIN(m->a, r), j_end = BEGIN(m->a, r + 1), k = BEGIN(m->b, r), k_end = BEGIN(m->b, r + 1), n = 0;
  while (j < j_end || k < k_end) {
    bool given = k < k_end && (j >= j_end || b_index[k] <= a_index[j]), stays = !given || SOME(DATA(m->b)[k]);
    if (stays && write && at + n < end) {
      TO_INDEX[at + n] = given ? b_index[k] : a_index[j];
      TO_DATA[at + n] = given ? DATA(m->b)[k] : DATA(m->a)[j];
    }
    n += stays;
    j += !given || (j < j_end && a_index[j] == b_index[k]);
    k += given;
  }
  return n;
}

/* The first of the rows first .. last - 1 into which something is written, or `last`. */
MADE_FN int64_t NAME(next_put)(const ma_sparse_make *m, int64_t first, int64_t last) {
  while (first < last && BEGIN(m->b, first + 1) <= BEGIN(m->b, first)) first++;
  return first;
}

MADE_FN int64_t NAME(count_put)(const ma_sparse_make *m, int64_t first, int64_t last) {
  int64_t n = 0;
  while (first < last) {
    int64_t stop = NAME(next_put)(m, first, last);
    n += SPAN(m->a, first, stop);
    if (stop < last) n += NAME(put_row)(m, stop, 0, 0, false);
    first = stop + 1;
  }
  return n;
}

MADE_FN bool NAME(fill_put)(const ma_sparse_make *m, int64_t first, int64_t last, int64_t at, int64_t end) {
  while (first < last) {
    int64_t stop = NAME(next_put)(m, first, last), from = BEGIN(m->a, first), n = SPAN(m->a, first, stop);
    MOVE(TO_INDEX + at, INDEX(m->a) + from, n);
    MOVE(TO_DATA + at, DATA(m->a) + from, n);
    for (; first < stop; first++) TO_PTR[first + 1] = (I)(at + (BEGIN(m->a, first + 1) - from) + 1);
    at += n;
    if (stop < last) {
      at += NAME(put_row)(m, stop, at, end, true);
      TO_PTR[stop + 1] = (I)(at + 1);
    }
    first = stop + 1;
  }
  return true;
}

/* ---- Beside and below each other ---- */

/* The first piece of the row of blocks that has a row. */
MADE_FN int64_t NAME(band)(const ma_sparse_make *m, int64_t row) {
  int64_t low = 0, high = m->npiece;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (m->pieces[middle].top + m->pieces[middle].a.rows <= row) low = middle + 1;
    else high = middle;
  }
  return low;
}

MADE_FN int64_t NAME(count_stack)(const ma_sparse_make *m, int64_t first, int64_t last) {
  int64_t n = 0;
  for (int64_t k = NAME(band)(m, first); k < m->npiece && m->pieces[k].top < last; k++) {
    const ma_sparse_piece *p = m->pieces + k;
    int64_t low = first > p->top ? first - p->top : 0, high = last - p->top < p->a.rows ? last - p->top : p->a.rows;
    n += SPAN(p->a, low, high);
  }
  return n;
}

/* Copies n entries of a piece, from `begin` on, to place `at` and those behind it. */
MADE_FN void NAME(copy_piece)(const ma_sparse_make *m, const ma_sparse_piece *p, int64_t begin, int64_t n, int64_t at) {
  const I *__restrict__ index = INDEX(p->a) + begin;
  const T *__restrict__ value = DATA(p->a) + begin;
  I *__restrict__ to_index = TO_INDEX + at;
  T *__restrict__ to_value = TO_DATA + at;
  uint64_t left = (uint64_t)p->left;
  for (int64_t k = LANE; k < n; k += LANES) {
    to_index[k] = (I)((uint64_t)index[k] + left);
    to_value[k] = value[k];
  }
}

MADE_FN bool NAME(fill_stack)(const ma_sparse_make *m, int64_t first, int64_t last, int64_t at, int64_t end) {
  for (int64_t k = NAME(band)(m, first), n = 1; first < last && k < m->npiece; k += n) {
    const ma_sparse_piece *p = m->pieces + k;
    int64_t top = p->top, stop = last < top + p->a.rows ? last : top + p->a.rows;
    for (n = 1; k + n < m->npiece && p[n].top == top; n++) {}
    if (n == 1) { /* rows that follow each other in the piece too */
      int64_t begin = BEGIN(p->a, first - top), all = SPAN(p->a, first - top, stop - top);
      const I *__restrict__ index = INDEX(p->a) + begin;
      I *__restrict__ to_index = TO_INDEX + at;
      MOVE(TO_DATA + at, DATA(p->a) + begin, all);
      if (!p->left) MOVE(to_index, index, all);
      else
        for (int64_t e = LANE; e < all; e += LANES) to_index[e] = (I)((uint64_t)index[e] + (uint64_t)p->left);
      for (; first < stop; first++) TO_PTR[first + 1] = (I)(at + (BEGIN(p->a, first + 1 - top) - begin) + 1);
      at += all;
      continue;
    }
    for (; first < stop; first++) {
      for (int64_t j = 0; j < n; j++) {
        int64_t n_here = SPAN(p[j].a, first - top, first - top + 1);
        NAME(copy_piece)(m, p + j, BEGIN(p[j].a, first - top), n_here, at);
        at += n_here;
      }
      TO_PTR[first + 1] = (I)(at + 1);
    }
  }
  return true;
}

/* ---- Kronecker products ---- */

MADE_FN int64_t NAME(count_kron)(const ma_sparse_make *m, int64_t first, int64_t last) {
  int64_t n = 0;
  for (int64_t row = first; row < last; row++) {
    int64_t i = row / m->b.rows, r = row % m->b.rows;
    n += SPAN(m->a, i, i + 1) * SPAN(m->b, r, r + 1);
  }
  return n;
}

MADE_FN bool NAME(fill_kron)(const ma_sparse_make *m, int64_t first, int64_t last, int64_t at, int64_t end) {
  for (int64_t row = first; row < last; row++) {
    int64_t i = row / m->b.rows, r = row % m->b.rows, begin = BEGIN(m->b, r), n = SPAN(m->b, r, r + 1);
    int64_t stop = BEGIN(m->a, i + 1);
    for (int64_t j = BEGIN(m->a, i); j < stop; j++, at += n) {
      uint64_t left = ((uint64_t)INDEX(m->a)[j] - 1) * (uint64_t)m->b.columns;
      T v = DATA(m->a)[j];
      for (int64_t k = LANE; k < n; k += LANES) {
        TO_INDEX[at + k] = (I)((uint64_t)INDEX(m->b)[begin + k] + left);
        TO_DATA[at + k] = TIMES(v, DATA(m->b)[begin + k]);
      }
    }
    TO_PTR[row + 1] = (I)(at + 1);
  }
  return true;
}

/* ---- Blocks ---- */

MADE_FN int64_t NAME(count_unblock)(const ma_sparse_make *m, int64_t first, int64_t last) {
  return SPAN(m->a, first, last) * m->a.height * m->a.width;
}

MADE_FN bool NAME(fill_unblock)(const ma_sparse_make *m, int64_t first, int64_t last, int64_t at, int64_t end) {
  int64_t height = m->a.height, width = m->a.width;
  for (int64_t r = first; r < last; r++) {
    int64_t begin = BEGIN(m->a, r), n = SPAN(m->a, r, r + 1);
    for (int64_t i = 0; i < height; i++) {
      for (int64_t k = LANE; k < n; k += LANES) {
        const T *from = DATA(m->a) + ((begin + k) * height + i) * width;
        int64_t column = ((int64_t)INDEX(m->a)[begin + k] - 1) * width + 1;
        for (int64_t j = 0; j < width; j++) {
          TO_INDEX[at + k * width + j] = (I)(column + j);
          TO_DATA[at + k * width + j] = from[j];
        }
      }
      at += n * width;
      TO_PTR[r * height + i + 1] = (I)(at + 1);
    }
  }
  return true;
}

/* Counts the blocks of unit r, or with `write` writes them from place `at` on. Returns -1 if a row is not sorted. */
MADE_FN int64_t NAME(block_row)(const ma_sparse_make *m, int64_t r, int64_t at, int64_t end, bool write) {
  const I *index = INDEX(m->a);
  int64_t height = m->height, width = m->width, n = 0, *place = m->next + r * height;
  for (int64_t i = 0; i < height; i++) place[i] = BEGIN(m->a, r * height + i);
  const int64_t none = 0x7fffffffffffffff;
  for (;; n++) {
    int64_t least = none;
    for (int64_t i = 0; i < height; i++)
      if (place[i] < BEGIN(m->a, r * height + i + 1) && index[place[i]] < least) least = index[place[i]];
    if (least == none) return n;
    int64_t block = (least - 1) / width, begin = block * width;
    if (write && at + n >= end) return -1;
    T *out = write ? TO_DATA + (at + n) * height * width : (T *)0;
    if (write) {
      TO_INDEX[at + n] = (I)(block + 1);
      for (int64_t c = 0; c < height * width; c++) out[c] = ZERO;
    }
    for (int64_t i = 0; i < height; i++) {
      int64_t stop = BEGIN(m->a, r * height + i + 1);
      for (; place[i] < stop && index[place[i]] <= begin + width; place[i]++) {
        if (!write) continue;
        if (index[place[i]] <= begin) return -1;
        out[i * width + index[place[i]] - begin - 1] = DATA(m->a)[place[i]];
      }
    }
  }
}

MADE_FN int64_t NAME(count_block)(const ma_sparse_make *m, int64_t first, int64_t last) {
  int64_t n = 0;
  for (int64_t r = first; r < last; r++) n += NAME(block_row)(m, r, 0, 0, false);
  return n;
}

MADE_FN bool NAME(fill_block)(const ma_sparse_make *m, int64_t first, int64_t last, int64_t at, int64_t end) {
  for (int64_t r = first; r < last; r++) {
    int64_t n = NAME(block_row)(m, r, at, end, true);
    if (n < 0) return false;
    at += n;
    TO_PTR[r + 1] = (I)(at + 1);
  }
  return true;
}

/* ---- Diagonals ---- */

/* The rows begin .. end - 1, among first .. last - 1, in which diagonal k lies, and its elements there. Returns false
** if it lies in none. */
MADE_FN bool NAME(within)(const ma_sparse *d, int64_t k, int64_t first, int64_t last, int64_t *begin, int64_t *end,
                          const T **data) {
  int64_t shift = d->offsets[k], width = d->columns < d->length ? d->columns : d->length;
  *begin = first > -shift ? first : -shift;
  *end = last < width - shift ? last : width - shift;
  if (*begin >= *end) return false;
  *data = (const T *)d->data + d->places[k] * d->length + (*begin + shift);
  return true;
}

/* Counts: m->next becomes the number of entries of each row. */
MADE_FN int64_t NAME(count_stripes)(const ma_sparse_make *m, int64_t first, int64_t last) {
  const T *data;
  int64_t begin, end, n = 0, *next = m->next;
  for (int64_t r = first; r < last; r++) next[r] = 0;
  for (int64_t k = 0; k < m->a.nnz; k++)
    if (NAME(within)(&m->a, k, first, last, &begin, &end, &data))
      for (int64_t i = 0; i < end - begin; i++) next[begin + i] += SOME(data[i]);
  for (int64_t r = first; r < last; r++) n += next[r];
  return n;
}

/* Writes entries. m->next has, for each row, the place of its next entry. */
MADE_FN bool NAME(fill_stripes)(const ma_sparse_make *m, int64_t first, int64_t last, int64_t at, int64_t stop) {
  const T *data;
  int64_t begin, end;
  for (int64_t r = first; r < last; r++) {
    int64_t n = m->next[r];
    m->next[r] = at;
    at += n;
    TO_PTR[r + 1] = (I)(at + 1);
  }
  for (int64_t k = 0; k < m->a.nnz; k++) {
    if (!NAME(within)(&m->a, k, first, last, &begin, &end, &data)) continue;
    const T *__restrict__ from = data;
    I *__restrict__ index = TO_INDEX;
    T *__restrict__ value = TO_DATA;
    int64_t *__restrict__ place = m->next + begin, column = begin + m->a.offsets[k] + 1;
    for (int64_t i = 0; i < end - begin; i++) {
      int64_t to = place[i];
      if (!SOME(from[i]) || to >= stop) continue;
      index[to] = (I)(column + i);
      value[to] = from[i];
      place[i] = to + 1;
    }
  }
  return true;
}

#undef TO_PTR
#undef TO_INDEX
#undef TO_DATA
#undef INDEX
#undef DATA
#endif
