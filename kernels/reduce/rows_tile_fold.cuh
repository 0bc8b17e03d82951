/* rows_tile_fold.cuh: one reduction of the rows of a tile, in a namespace of its own (rows_tile.cuh). The text before
** it has the instance of reduce.h, FOLD_LAST_STEP and warp_tree.cuh. */
#define ROWS_FN static __device__ __forceinline__

ROWS_FN result::reg last_step(red_out o) { FOLD_LAST_STEP }

/* Leaf l of the row that begins at x's element `at`. FULL: it has all LEAF elements. */
template <bool FULL> ROWS_FN red_acc leaf_of(const value *x, int at, int l, int count) {
  value v[LEAF];
  u4 live = 1;
  v[0] = x[cell(at + l)];
#pragma unroll
  for (int j = 1; j < LEAF; j++) {
    v[j] = v[0];
    if (!FULL && l + 128 * j >= count) continue;
    v[j] = x[cell(at + l + 128 * j)];
    live |= 1u << j;
  }
  return red_leaf(v[0], v[LEAF > 1 ? 1 : 0], v[LEAF > 2 ? 2 : 0], v[LEAF > 3 ? 3 : 0], v[0], v[0], v[0], v[0], live, l);
}

/* The subtree over the leaves from `first` on, LEAVES of them or as many as there are. */
template <bool FULL> ROWS_FN red_acc subtree(const value *x, int at, int first, int leaves, int count) {
  red_acc s[3], a; /* s[b]: a complete subtree of 2^b leaves that waits for its neighbour */
#pragma unroll
  for (int i = 0; i < LEAVES; i++) {
    if (!FULL && first + i >= leaves) continue;
    red_acc c = leaf_of<FULL>(x, at, first + i, count);
    if (i & 1) c = red_merge(s[0], c);
    if ((i & 3) == 3) c = red_merge(s[1], c);
    if ((i & 7) == 7) c = red_merge(s[2], c);
    a = c;
    if (!(i & 1)) s[0] = c;
    else if (!(i & 2)) s[1] = c;
    else if (!(i & 4)) s[2] = c;
  }
  if (FULL || first + LEAVES <= leaves) return a;
  const int m = leaves - first;
  bool any = false;
#pragma unroll
  for (int b = 0; b < 3 && 1 << b < LEAVES; b++) {
    if (!(m >> b & 1)) continue;
    a = any ? red_merge(s[b], a) : s[b];
    any = true;
  }
  return a;
}

/* Reduces the rows of a tile into w and, one `stride` after another, into memory. */
ROWS_FN void fold_rows(const value *x, int rows, int count, double param, result::reg *w, char *to, i8 stride) {
  const int lane = threadIdx.x & 31, leaves = count < 128 ? count : 128, parts = (leaves + LEAVES - 1) / LEAVES;
#pragma unroll 1
  for (int u = threadIdx.x; u - lane < rows * LANES; u += blockDim.x) {
    const int part = u % LANES, row = u / LANES < rows ? u / LANES : 0, first = part < parts ? part * LEAVES : 0;
    red_acc a;
    if (RED_COUNTED && first + LEAVES + 128 * (LEAF - 1) <= count) a = subtree<true>(x, row * count, first, leaves, count);
    else a = subtree<false>(x, row * count, first, leaves, count);
#pragma unroll
    for (int d = 1; d < LANES; d *= 2) {
      red_acc b = shift_down<0>(a, d);
      if (part + d < parts) a = red_merge(a, b);
    }
    if (part || u / LANES >= rows) continue;
    const result::mem m = result::store(last_step(red_final(a, (red_i64)count, param)));
    w[row] = result::load(m);
    *(result::mem *)(to + (i8)row * stride) = m;
  }
}
#undef FOLD_LAST_STEP
