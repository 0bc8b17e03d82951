/* rows_tile_fold.cuh: one reduction of the rows of a tile, in a namespace of its own (rows_tile.cuh). The text before
** it has the instance of reduce.h and FOLD_LAST_STEP. */
#define ROWS_FN static __device__ __forceinline__

ROWS_FN result::reg last_step(red_out o) { FOLD_LAST_STEP }

/* The subtree over m of 8 leaves, of which the first one is leaf l and begins at x[0]. FULL: it has 8 leaves of LEAF
** elements. */
template <bool FULL> ROWS_FN red_acc subtree(const value *x, int l, int m, int count) {
  red_acc s[3], a; /* s[b]: a complete subtree of 2^b leaves that waits for its neighbour */
#pragma unroll
  for (int i = 0; i < 8; i++) {
    if (!FULL && i >= m) continue;
    value v[4];
    u4 live = 1;
    v[0] = x[i];
#pragma unroll
    for (int j = 1; j < LEAF; j++) {
      v[j] = v[0];
      if (!FULL && l + i + 128 * j >= count) continue;
      v[j] = x[i + 144 * j];
      live |= 1u << j;
    }
    red_acc c = red_leaf(v[0], v[LEAF > 1 ? 1 : 0], v[LEAF > 2 ? 2 : 0], v[LEAF > 3 ? 3 : 0], v[0], v[0], v[0], v[0],
                         live, l + i);
    if (i & 1) c = red_merge(s[0], c);
    if ((i & 3) == 3) c = red_merge(s[1], c);
    if (i == 7) c = red_merge(s[2], c);
    a = c;
    if (!(i & 1)) s[0] = c;
    else if (!(i & 2)) s[1] = c;
    else if (!(i & 4)) s[2] = c;
  }
  if (FULL || m >= 8) return a;
  bool any = false;
#pragma unroll
  for (int b = 0; b < 3; b++) {
    if (!(m >> b & 1)) continue;
    a = any ? red_merge(s[b], a) : s[b];
    any = true;
  }
  return a;
}

/* Subtrees of the rows of a tile: first all full ones, then the others, so that the threads of a warp do the same. */
ROWS_FN void fold_parts(const value *x, int rows, int count, red_acc *to) {
  const int leaves = count < 128 ? count : 128, parts = (leaves + 7) / 8, full = (count - 128 * (LEAF - 1)) / 8;
  const int cells = (count + 7) / 8 * 9, rest = parts - full;
#pragma unroll 1
  for (int u = threadIdx.x; u < rows * full; u += blockDim.x) {
    const int row = u / full, part = u - row * full;
    to[row * parts + part] = subtree<true>(x + row * cells + part * 9, part * 8, 8, count);
  }
#pragma unroll 1
  for (int u = threadIdx.x; u < rows * rest; u += blockDim.x) {
    const int row = LEAF == 1 ? u : u / rest, part = full + (LEAF == 1 ? 0 : u - row * rest), m = leaves - part * 8;
    to[row * parts + part] = subtree<false>(x + row * cells + part * 9, part * 8, m < 8 ? m : 8, count);
  }
}

/* Merges the subtrees of each row, in w and, one `stride` after another, in memory. Warp `first` begins. */
ROWS_FN void fold_rows(const red_acc *from, int rows, int count, double param, int first, result::reg *w, char *to,
                       i8 stride) {
  const int leaves = count < 128 ? count : 128, parts = (leaves + 7) / 8;
#pragma unroll 1
  for (int row = (int)(threadIdx.x + blockDim.x - first * 32) % (int)blockDim.x; row < rows; row += blockDim.x) {
    const red_acc *p = from + row * parts;
    red_acc s[4], a;
    a = p[0];
#pragma unroll
    for (int i = 0; i < PARTS; i++) {
      if (i >= parts) continue;
      red_acc c = p[i];
      if (i & 1) c = red_merge(s[0], c);
      if ((i & 3) == 3) c = red_merge(s[1], c);
      if ((i & 7) == 7) c = red_merge(s[2], c);
      if (i == 15) c = red_merge(s[3], c);
      a = c;
      if (!(i & 1)) s[0] = c;
      else if (!(i & 2)) s[1] = c;
      else if (!(i & 4)) s[2] = c;
      else s[3] = c;
    }
    if (PARTS > 1 && parts & (parts - 1)) {
      bool any = false;
#pragma unroll
      for (int b = 0; b < 4; b++) {
        if (!(parts >> b & 1)) continue;
        a = any ? red_merge(s[b], a) : s[b];
        any = true;
      }
    }
    const result::mem m = result::store(last_step(red_final(a, (red_i64)count, param)));
    w[row] = result::load(m);
    *(result::mem *)(to + (i8)row * stride) = m;
  }
}
#undef FOLD_LAST_STEP
