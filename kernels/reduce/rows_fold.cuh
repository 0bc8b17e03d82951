/* rows_fold.cuh: one reduction of a row program, in a namespace of its own (rows.cuh). The text before it has the
** instance of reduce.h, FOLD_LAST_STEP and warp_tree.cuh. */
#define ROWS_FN static __device__ __forceinline__

ROWS_FN result::reg last_step(red_out o) { FOLD_LAST_STEP }

/* Folds the four leaves from element `first` of a chunk on. x[j][i] is element j * 128 + first + i. The chunk has n
** elements, at least 128 * SURE, and begins with element r of the row. */
template <int N, int SURE> ROWS_FN red_acc leaves(const value (*x)[4], int first, i8 r, int n) {
  const int count = SURE || n >= 128 ? 128 : n;
  red_acc a, pair;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    if (!SURE && first + i >= count) continue;
    u4 live = (1u << SURE) - 1;
#pragma unroll
    for (int j = SURE; j < N; j++) live |= (u4)(j * 128 + first + i < n) << j;
    red_acc c = red_leaf(x[0][i], x[N > 1 ? 1 : 0][i], x[N > 2 ? 2 : 0][i], x[N > 3 ? 3 : 0][i], x[N > 4 ? 4 : 0][i],
                         x[N > 5 ? 5 : 0][i], x[N > 6 ? 6 : 0][i], x[N > 7 ? 7 : 0][i], live, r + first + i);
    if (i & 1) c = red_merge(a, c);
    if (i == 1) pair = c;
    a = c;
  }
  return SURE || first + 2 < count ? red_merge(pair, a) : a;
}

/* Folds a chunk whose leaves are in the lanes of a warp. Lane 0 gets the result. */
template <int N, int SURE> ROWS_FN red_acc chunk_of(const value (*x)[4], i8 r, int n) {
  const red_acc a = leaves<N, SURE>(x, (threadIdx.x & 31) * 4, r, n);
  if (SURE == N) return full_tree(a);
  return SURE ? lanes_tree(a) : warp_tree(a, ((n < 128 ? n : 128) + 3) / 4);
}

/* Folds a chunk of a row. WHOLE_CHUNKS says that the row is known to consist of whole chunks. */
template <bool WHOLE_CHUNKS, int N, int SURE> ROWS_FN red_acc chunk(const value (*x)[4], i8 r, int n) {
  if (WHOLE_CHUNKS || (N == 8 && SURE == 0 && n == RED_CHUNK)) return chunk_of<N, N>(x, r, n);
  return chunk_of<N, SURE>(x, r, n);
}

/* The tree over N leaves of one element each. All of them exist, or m do; the first is element r of the row. The case
** of all is apart, because the compiler then knows how many elements each part has, and need not divide to merge
** moments. */
template <int N> struct subtree {
  ROWS_FN red_acc full(const value *x, i8 r) {
    return red_merge(subtree<N / 2>::full(x, r), subtree<N / 2>::full(x + N / 2, r + N / 2));
  }
  ROWS_FN red_acc part(const value *x, i8 r, int m) {
    if (m >= N) return full(x, r);
    if (m <= N / 2) return subtree<N / 2>::part(x, r, m);
    return red_merge(subtree<N / 2>::full(x, r), subtree<N / 2>::part(x + N / 2, r + N / 2, m - N / 2));
  }
};

template <> struct subtree<1> {
  ROWS_FN red_acc full(const value *x, i8 r) { return red_leaf(x[0], x[0], x[0], x[0], x[0], x[0], x[0], x[0], 1u, r); }
  ROWS_FN red_acc part(const value *x, i8 r, int m) { return full(x, r); }
};

ROWS_FN result::mem rounded(red_acc a, i8 count, double param) {
  return result::store(last_step(red_final(a, (red_i64)count, param)));
}

/* Rounds lane 0's result to its dtype, and gives it to all lanes. */
ROWS_FN result::reg finish(red_acc a, i8 count, double param) {
  union {
    result::mem m;
    u4 w[(sizeof(result::mem) + 3) / 4];
  } u;
  u.w[0] = 0;
  u.m = rounded(a, count, param);
#pragma unroll
  for (int i = 0; i < (int)((sizeof(result::mem) + 3) / 4); i++) u.w[i] = __shfl_sync(WHOLE, u.w[i], 0);
  return result::load(u.m);
}

/* Merges the chunks of a row, `span` of them in each span. Every warp does it alike. */
ROWS_FN result::reg finish_row(const cell<red_acc> *part, int chunks, int span, i8 count, double param) {
  const int first = (threadIdx.x & 31) * span;
  red_acc a = part[0].t;
  if (first < chunks) {
    a = part[first].t;
#pragma unroll 1
    for (int i = first + 1; i < first + span && i < chunks; i++) a = red_merge(a, part[i].t);
  }
  return finish(warp_tree(a, (chunks + span - 1) / span), count, param);
}

/* Merges the n spans of a row, by a block. `room` is for RED_SPANS / 32 partial results, and for RED_SPANS / 1024
** more. */
ROWS_FN void finish_spans(const red_acc *from, int n, red_acc *room, char *to, i8 count, double param) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
#pragma unroll 1
  for (;;) {
#pragma unroll 1
    for (int i = warp * 32; i < n; i += warps * 32) {
      red_acc a = warp_tree(from[i + lane < n ? i + lane : i], n - i);
      if (n <= 32) {
        const result::reg total = finish(a, count, param);
        if (lane == 0) *(result::mem *)to = result::store(total);
      } else if (lane == 0) room[i / 32] = a;
    }
    __syncthreads();
    if (n <= 32) return;
    from = room;
    n = (n + 31) / 32;
    room += n;
  }
}
#undef FOLD_LAST_STEP
