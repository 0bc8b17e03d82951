/* cross_fold.cuh: one reduction of a row program that crosses, in the namespace of rows_fold.cuh, which is before
** it. */

/* The tree over N leaves from leaf l of a chunk on. The chunk has n elements, at least l + 1, and leaf l begins with
** element r of the row. FULL says that no element of the leaves is missing. */
template <int N, bool FULL> struct group_tree {
  ROWS_FN red_acc of(const value (*x)[J], i8 r, int l, int n) {
    const red_acc a = group_tree<N / 2, FULL>::of(x, r, l, n);
    if (!FULL && l + N / 2 >= n) return a;
    return red_merge(a, group_tree<N / 2, FULL>::of(x + N / 2, r + N / 2, l + N / 2, n));
  }
};
template <bool FULL> struct group_tree<1, FULL> {
  ROWS_FN red_acc of(const value (*x)[J], i8 r, int l, int n) {
    u4 live = (1u << (FULL ? J : 1)) - 1;
#pragma unroll
    for (int j = 1; j < J; j++)
      if (!FULL) live |= (u4)(j * RED_LEAVES + l < n) << j;
    return red_leaf(x[0][0], x[0][J > 1 ? 1 : 0], x[0][J > 2 ? 2 : 0], x[0][J > 3 ? 3 : 0], x[0][J > 4 ? 4 : 0],
                    x[0][J > 5 ? 5 : 0], x[0][J > 6 ? 6 : 0], x[0][J > 7 ? 7 : 0], live, r);
  }
};

typedef red_acc tile_accs[ROWS][COLUMNS];

/* Merges group g of a chunk with the complete subtrees before it. The last group becomes the chunk's total. Subtrees of
** groups of one element a leaf are merged often, and stay in registers. Others are in local memory: the registers are
** better used by more results. */
ROWS_FN void push(tile_accs *level, tile_accs &a, int g, bool last) {
#if J > 1
  int k = 0;
#pragma unroll 1
  for (; k < LEVELS && (last || g >> k & 1); k++)
    if (g >> k & 1) { EACH_ROW EACH_COLUMN a[r][c] = red_merge(level[k][r][c], a[r][c]); }
  if (!last) { EACH_ROW EACH_COLUMN level[k][r][c] = a[r][c]; }
#else
  bool carry = true;
#pragma unroll
  for (int k = 0; k < LEVELS; k++) {
    if (!carry) continue;
    if (g >> k & 1) {
      EACH_ROW EACH_COLUMN a[r][c] = red_merge(level[k][r][c], a[r][c]);
    } else if (!last) {
      EACH_ROW EACH_COLUMN level[k][r][c] = a[r][c];
      carry = false;
    }
  }
#endif
}
