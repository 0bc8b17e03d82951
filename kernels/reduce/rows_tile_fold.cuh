/* rows_tile_fold.cuh: one reduction of the rows of a tile, in a namespace of its own (rows_tile.cuh). The text before
** it has the instance of reduce.h and FOLD_LAST_STEP. */
#define ROWS_FN static __device__ __forceinline__

ROWS_FN result::reg last_step(red_out o) { FOLD_LAST_STEP }

/* The subtree over m of 8 leaves, of which the first one is leaf l, at x[0]. A leaf has one element, because rows are
** shorter than 128. FULL: m is 8. */
template <bool FULL> ROWS_FN red_acc subtree(const value *x, int l, int m) {
  red_acc s[3], a; /* s[b]: a complete subtree of 2^b leaves that waits for its neighbour */
#pragma unroll
  for (int i = 0; i < 8; i++) {
    if (!FULL && i >= m) continue;
    red_acc c = red_leaf(x[i], x[i], x[i], x[i], x[i], x[i], x[i], x[i], 1u, l + i);
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

/* Subtrees of the rows of a tile: first all full ones, then the last ones that are not, so that the threads of a warp
** do the same. */
ROWS_FN void fold_parts(const value *x, int rows, int count, red_acc *to) {
  const int parts = (count + 7) / 8, full = count / 8, cells = parts * 9;
#pragma unroll 1
  for (int u = threadIdx.x; u < rows * full; u += blockDim.x) {
    const int row = u / full, part = u - row * full;
    to[row * parts + part] = subtree<true>(x + row * cells + part * 9, part * 8, 8);
  }
  if (full == parts) return;
#pragma unroll 1
  for (int row = threadIdx.x; row < rows; row += blockDim.x)
    to[row * parts + full] = subtree<false>(x + row * cells + full * 9, full * 8, count - full * 8);
}

/* Merges the subtrees of each row, in w and, one `stride` after another, in memory. Warp `first` begins. */
ROWS_FN void fold_rows(const red_acc *from, int rows, int count, double param, int first, result::reg *w, char *to,
                       i8 stride) {
  const int parts = (count + 7) / 8;
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
