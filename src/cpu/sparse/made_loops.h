/* made_loops.h: the texts of kernels/sparse/made.h for one index type and one kind of value (each.h). */
#define MADE_FN static
#define MADE_LONG FOR_AVX2 static
#define BEGIN(a, r) ((int64_t)((const I *)(a).indptr)[r] - 1)
#define SPAN(a, r, s) (BEGIN(a, s) - BEGIN(a, r))
#define TIMES(x, y) MUL(x, y)
#define SOME(x) DIFFERS(x, ZERO)
#define LANE 0
#define LANES 1
#define MOVE(to, from, n) memcpy(to, from, (size_t)(n) * sizeof *(to))
#include "kernels/sparse/made.h"

/* Counts the entries of columns by a list. A GPU takes them as rows of the transpose. */
static int64_t NAME(count_columns)(const ma_sparse_make *m, int64_t first, int64_t last) {
  const I *index = m->a.indices;
  int64_t n = 0, stop = BEGIN(m->a, last);
  for (int64_t k = BEGIN(m->a, first); k < stop; k++) n += m->ends[index[k]] - m->ends[(int64_t)index[k] - 1];
  return n;
}

/* Writes columns by a list. The first place of a column is written before it is known whether there is one, because a
** branch would be mispredicted. */
static bool NAME(fill_columns)(const ma_sparse_make *m, int64_t first, int64_t last, int64_t at, int64_t end) {
  const I *index = m->a.indices;
  const T *value = m->a.data;
  I *to_ptr = m->to_indptr, *to_index = m->to_indices;
  T *to_value = m->to_data;
  for (int64_t row = first; row < last; row++) {
    int64_t stop = BEGIN(m->a, row + 1);
    for (int64_t k = BEGIN(m->a, row); k < stop && at < end; k++) {
      int64_t p = m->ends[(int64_t)index[k] - 1], p_end = m->ends[index[k]];
      to_index[at] = (I)m->places[p];
      to_value[at] = value[k];
      at += p < p_end;
      for (p++; p < p_end && at < end; p++) {
        to_index[at] = (I)m->places[p];
        to_value[at++] = value[k];
      }
    }
    to_ptr[row + 1] = (I)(at + 1);
  }
  return true;
}

#undef MADE_FN
#undef MADE_LONG
#undef BEGIN
#undef SPAN
#undef TIMES
#undef SOME
#undef LANE
#undef LANES
#undef MOVE
