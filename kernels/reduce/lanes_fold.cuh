/* lanes_fold.cuh: one reduction of a row program of short rows, in the namespace of rows_fold.cuh, which is before
** it. */

/* Folds a lane's elements of a row, of which n exist. The first is element r of the row. */
ROWS_FN red_acc own(const value *x, int r, int n) {
  return WHOLE_ROWS ? subtree<SEAT>::full(x, r) : subtree<SEAT>::part(x, r, n);
}

/* Merges the parts of the lanes that have a row, of DEEP rows at once. Afterwards the lane in place `seat` of a row's
** has rows seat, seat + LANES ..., less than DEEP. The row has `count` elements. */
ROWS_FN void rows_tree(red_acc *a, int seat, int count) {
#if RED_COUNTED
  constexpr int head = FULL_LANES ? 2 : 0; /* words of the number of elements, which is the same in all lanes */
#else
  constexpr int head = 0;
#endif
#pragma unroll
  for (int d = 1; d < LANES; d *= 2) {
    const bool later = seat & d, both = FULL_LANES || ((seat & -2 * d) + d) * SEAT < count;
    if (d < DEEP) {
#pragma unroll
      for (int k = 0; k < DEEP / (2 * d); k++) {
        cell<red_acc> first, second;
        first.w[0] = second.w[0] = 0;
        first.t = a[2 * k];
        second.t = a[2 * k + 1];
#pragma unroll
        for (int i = head; i < (int)(sizeof first / 4); i++) {
          const u4 own = later ? second.w[i] : first.w[i], other = later ? first.w[i] : second.w[i];
          const u4 got = __shfl_xor_sync(WHOLE, other, d);
          first.w[i] = later ? got : own;
          second.w[i] = later ? own : got;
        }
        a[k] = both ? red_merge(first.t, second.t) : first.t;
      }
    } else {
      const red_acc b = shift_down<head>(a[0], d);
      if (both) a[0] = red_merge(a[0], b);
    }
  }
}
