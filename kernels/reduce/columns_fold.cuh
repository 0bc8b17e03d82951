/* columns_fold.cuh: one reduction of a row program down columns, in the namespace of rows_fold.cuh, which is before
** it. */

/* Folds a thread's four leaves of a chunk and merges them with those of the warp's other threads in the column. The
** chunk begins with element r and has n elements. The first of these threads gets the result. */
template <bool WHOLE_CHUNKS, int N, int SURE> ROWS_FN red_acc column_part(const value (*x)[4], int ty, i8 r, int n) {
  const bool full = WHOLE_CHUNKS || (N == 8 && SURE == 0 && n == RED_CHUNK);
#if RED_COUNTED
  constexpr int head = WHOLE_CHUNKS ? 2 : 0; /* words of the number of elements, which is the same in all lanes */
#else
  constexpr int head = 0;
#endif
  const int live = ((n < 128 ? n : 128) + 3) / 4;
  red_acc a = full ? leaves<N, N>(x, ty * 4, r, n) : leaves<N, SURE>(x, ty * 4, r, n);
#pragma unroll
  for (int d = 1; d < SHARE; d *= 2) {
    const red_acc b = shift_down<head>(a, d * COLUMNS);
    if (full || SURE || ty + d < live) a = red_merge(a, b);
  }
  return a;
}

/* Merges the parts of a column's chunk, which begin at `part`. Lane 0 gets the result. */
ROWS_FN red_acc column_chunk(const cell<red_acc> *part, int n) {
  const int threads = ((n < 128 ? n : 128) + 3) / 4;
  return warp_tree(part[(threadIdx.x & 31) % COLUMNS * PITCH].t, (threads + SHARE - 1) / SHARE);
}

/* The tree over m of N parts, which are COLUMNS places apart. */
template <int N> struct column_tree {
  ROWS_FN red_acc of(const cell<red_acc> *part, int m) {
    const red_acc a = column_tree<N / 2>::of(part, m);
    return m > N / 2 ? red_merge(a, column_tree<N / 2>::of(part + N / 2 * COLUMNS, m - N / 2)) : a;
  }
};
template <> struct column_tree<1> {
  ROWS_FN red_acc of(const cell<red_acc> *part, int m) { return part->t; }
};
