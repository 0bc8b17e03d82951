/* select_loops.h: the loops of select.c for one index type and one kind of value (each.h). */

/* Copies the entries of the rows row .. stop - 1 that are `chosen` to place `at` and those behind it, with `column` as
** their position, and writes the ends of the rows. */
#define PICKER(name, chosen, column)                                                                 \
  static void NAME(pick_##name)(const work *w, int64_t row, int64_t stop, int64_t at, int64_t end) { \
    const I *indptr = w->a->indptr, *index = w->a->indices;                                          \
    const T *value = w->a->data, zero = ZERO;                                                        \
    I *to_ptr = w->to.indptr, *to_index = w->to.indices;                                             \
    T *to_value = w->to.data;                                                                        \
    (void)zero;                                                                                      \
    for (; row < stop; row++) {                                                                      \
      int64_t last = (int64_t)indptr[row + 1] - 1;                                                   \
      /* What is written behind the end is not kept. */                                              \
      for (int64_t k = (int64_t)indptr[row] - 1; k < last && at < end; k++) {                        \
        to_index[at] = (I)(column);                                                                  \
        to_value[at] = value[k];                                                                     \
        at += (chosen);                                                                              \
      }                                                                                              \
      to_ptr[row + 1] = (I)(at + 1);                                                                 \
    }                                                                                                \
  }

PICKER(masked, MASKED, index[k])
PICKER(full, DIFFERS(value[k], zero), index[k])
PICKER(between, BETWEEN, (uint64_t)index[k] - w->low + 1)
PICKER(stepped, STEPPED, ((uint64_t)index[k] - w->low) / w->step + 1)
#undef PICKER

/* Columns by a list. The first place of a column is written before it is known that there is one: a branch would be
** mispredicted. */
static void NAME(pick_listed)(const work *w, int64_t row, int64_t stop, int64_t at, int64_t end) {
  const I *indptr = w->a->indptr, *index = w->a->indices;
  const T *value = w->a->data;
  I *to_ptr = w->to.indptr, *to_index = w->to.indices;
  T *to_value = w->to.data;
  for (; row < stop; row++) {
    for (int64_t k = (int64_t)indptr[row] - 1; k < (int64_t)indptr[row + 1] - 1 && at < end; k++) {
      int64_t p = w->ends[(int64_t)index[k] - 1], last = w->ends[index[k]];
      to_index[at] = (I)w->places[p];
      to_value[at] = value[k];
      at += p < last;
      for (p++; p < last && at < end; p++) {
        to_index[at] = (I)w->places[p];
        to_value[at++] = value[k];
      }
    }
    to_ptr[row + 1] = (I)(at + 1);
  }
}
