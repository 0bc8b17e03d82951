/*
** reduce.cuh: the walks of a reduction on a GPU, along the tree of reduce.h. The text before it
** (src/cuda/kernels/reduce.c) has the instance of reduce.h, warp_tree.cuh, the program, `struct params`, and
**   value                            the type of the program's output; result, the dtype of the result
**   offsets, kept_at(p, k)           the start of result k in each input; place_of(p, k): its address
**   fetch(p, b, r, x, m)             element r of the result at b; m: whether it takes part
**   fetch_row(p, b, r, x, m)         elements r .. r+3 (ROWS)
**   fetch_columns(p, b, r, n, x, m)  element r of n neighbouring results
** One of ROWS, COLUMNS (with TX and COLS) and THREADS selects the walk of a kernel:
**   ROWS     a warp takes a span of one result, a chunk at a time: thread t has the leaves 4t .. 4t+3. A multiprocessor
**     must fit ROW_BLOCKS blocks of 512 threads. TAIL leaves of an incomplete chunk are computed at once.
**     With SEGMENTS it takes one segment of a row; p.status has the starts of the segments.
**   COLUMNS  TX threads in a row have COLS results each; 512 / TX threads share the leaves of a chunk, in order. A
**     multiprocessor must fit COLUMN_BLOCKS blocks.
**   THREADS  a thread reduces a result of at most 128 elements
** PARTIAL: the results are partial ones, which are not rounded. INITIAL: p.initial() takes part in each result.
** SHORT: a result has less than a chunk of elements, and so one span; else merge.cuh follows. BODY: the user wrote the
** reduction; finish(p, k, a) writes result k, and IDENTITY, if there is one, is the value of reducing nothing.
*/
/* Merges leaves as they arrive: level k holds a complete subtree of 2^k if bit k of the number of leaves is set. */
template <int LEVELS> struct stack {
  red_acc level[LEVELS];
  /* Pushes a complete subtree of 2^FROM leaves from l on, whose carries stay below level TO. */
  template <int FROM = 0, int TO = LEVELS> __device__ __forceinline__ void push(int l, red_acc a) {
    bool carry = true;
#pragma unroll
    for (int k = FROM; k < TO; k++)
      if (carry) {
        if (l >> k & 1) a = red_merge(level[k], a);
        else {
          level[k] = a;
          carry = false;
        }
      }
  }
  __device__ __forceinline__ red_acc total(int n) const {
    red_acc a = level[0];
    bool any = false;
#pragma unroll
    for (int k = 0; k < LEVELS; k++)
      if (n >> k & 1) {
        a = any ? red_merge(level[k], a) : level[k];
        any = true;
      }
    return a;
  }
};

static __device__ __forceinline__ red_acc single(value x, u4 live, i8 r) {
  return red_leaf(x, x, x, x, x, x, x, x, live, r);
}

static __device__ __forceinline__ void put_result(const params &p, u8 k, red_acc a) {
#ifdef BODY
  finish(p, k, a);
#elif PARTIAL
  *(red_acc *)place_of(p, k) = a;
#else
#if INITIAL
  a = red_merge(single(p.initial(), 1u, -1), a);
#endif
  *(result::mem *)place_of(p, k) = result::store(last_step(red_final(a, (red_i64)p.count, p.param)));
#endif
}

static __device__ __forceinline__ void put_total(const params &p, u8 k, u8 s, red_acc a) {
  if (p.nspan == 1) put_result(p, k, a);
  else ((red_acc *)p.partial)[k * p.nspan + s] = a;
}

/* Set if blocks of rows have merged their 8 spans into one partial result. The 8 spans begin at a multiple of 8, so
** they are a subtree. */
#define GROUPED(p) ((p).flags & 4)
static __device__ __forceinline__ u8 partials(const params &p) { return GROUPED(p) ? (p.nspan + 7) / 8 : p.nspan; }

#if MASKED
#define LIVE(x, m) ((u4)(m))
#else
#define LIVE(x, m) 1u
#endif

#ifdef ROWS
/* Folds the n elements of an incomplete chunk. */
static __device__ __forceinline__ red_acc part_chunk(const params &p, const offsets &b, u8 r, int n) {
  const int first = (threadIdx.x & 31) * 4, leaves = n < 128 ? n : 128;
  red_acc a, pair;
#pragma unroll TAIL
  for (int i = 0; i < 4 && first + i < leaves; i++) {
    value x[8];
    u4 live = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) {
      const int e = j * 128 + first + i;
      bool m = true;
      if (e < n) {
        fetch(p, b, r + e, x[j], m);
        live |= LIVE(x, m) << j;
      } else x[j] = x[0];
    }
    red_acc c = red_leaf(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], live, (i8)(r + first + i));
    if (i & 1) c = red_merge(a, c);
    if (i == 1) pair = c;
    a = c;
  }
  if (first + 2 < leaves) a = red_merge(pair, a);
  return warp_tree(a, (leaves + 3) / 4);
}

#if SHORT
MA_KERNEL __launch_bounds__(512, ROW_BLOCKS) reduce(const params p) {
  const u8 k = (u8)blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (k >= p.kept) return;
  red_acc a = part_chunk(p, kept_at(p, k), 0, (int)p.count);
  if ((threadIdx.x & 31) == 0) put_result(p, k, a);
}
#else
#if !RED_LONG
/* Folds a lane's four leaves of a full chunk. */
static __device__ __forceinline__ red_acc lane_of_chunk(const params &p, const offsets &b, u8 r) {
  const int lane = threadIdx.x & 31;
  value x[8][4];
  bool m[8][4];
  red_acc a[4];
#pragma unroll
  for (int j = 0; j < 8; j++) fetch_row(p, b, r + j * 128 + lane * 4, x[j], m[j]);
#pragma unroll
  for (int i = 0; i < 4; i++) {
    u4 live = 255;
#if MASKED
    live = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) live |= (u4)m[j][i] << j;
#endif
    a[i] = red_leaf(x[0][i], x[1][i], x[2][i], x[3][i], x[4][i], x[5][i], x[6][i], x[7][i], live,
                    (i8)(r + lane * 4 + i));
  }
  return red_merge(red_merge(a[0], a[1]), red_merge(a[2], a[3]));
}
#endif

static __device__ __forceinline__ red_acc row_span(const params &p, const offsets &b, u8 first, u8 end) {
  red_acc total;
  u8 r = first;
#if !RED_LONG
  for (; r + RED_CHUNK <= end; r += RED_CHUNK) {
    red_acc a = lane_of_chunk(p, b, r);
#if !RED_ORDERLESS
    a = full_tree(a);
#endif
    total = r == first ? a : red_merge(total, a);
  }
#if RED_ORDERLESS
  if (r > first) total = warp_tree(total, 32);
#endif
#endif
#pragma unroll 1
  for (; r < end; r += RED_CHUNK) { /* the long code is here once, and serves full chunks too */
    red_acc a = part_chunk(p, b, r, end - r < RED_CHUNK ? (int)(end - r) : RED_CHUNK);
    total = r == first ? a : red_merge(total, a);
  }
  return total;
}

#if SEGMENTS
#define SEGMENT_MOVE(i, t) b.o##i += f.o##i;
MA_KERNEL __launch_bounds__(512, ROW_BLOCKS) reduce(const params p) {
  const u8 k = (u8)blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (k >= p.kept) return;
  const i8 *starts = (const i8 *)p.status, n = (i8)p.count;
  u8 s;
  split(k, p.run, s);
  i8 first = starts[s] - 1, stop = s + 1 < p.run ? starts[s + 1] - 1 : n;
  first = first < 0 ? 0 : first >= n ? n - 1 : first;
  stop = stop > n ? n : stop;
  offsets b = kept_at(p, k);
  const offsets f = reduced_at(p, (u8)first);
  FOLD_WALKED(SEGMENT_MOVE, 0)
  red_acc a = row_span(p, b, 0, stop > first ? (u8)(stop - first) : 1);
  if ((threadIdx.x & 31) == 0) put_result(p, k, a);
}
#else
MA_KERNEL __launch_bounds__(512, ROW_BLOCKS) reduce(const params p) {
  __shared__ red_acc part[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  const bool together = p.flags & 1; /* a block has all spans of a result */
  u8 s = warp, k = blockIdx.x;
  red_acc a;
  if (!together) k = split(k * warps + warp, p.nspan, s);
  if (k < p.kept) {
    const offsets b = kept_at(p, k);
#pragma unroll 1
    for (u8 t = s; t < p.nspan; t += together ? warps : p.nspan) {
      const u8 first = t * p.span;
      a = row_span(p, b, first, first + p.span < p.count ? first + p.span : p.count);
      if (lane == 0) part[together ? t : warp] = a;
    }
  }
  if (together || GROUPED(p)) {
    __syncthreads();
    if (warp) return;
    const int left = (int)(p.nspan - s);
    a = warp_tree(part[lane], together || left < 8 ? left : 8);
  }
  if (lane || k >= p.kept) return;
  if (together || p.nspan == 1) put_result(p, k, a);
  else ((red_acc *)p.partial)[k * partials(p) + (GROUPED(p) ? s / 8 : s)] = a;
}
#endif
#endif
#endif

#ifdef COLUMNS
#define TY (512 / TX)
#define OWN (128 / TY) /* leaves of a thread, at most 8 */
#define OWN_LEVELS (OWN == 8 ? 4 : OWN == 4 ? 3 : OWN)

/* Folds leaf `leaf` of the chunk at r, which is this thread's l-th leaf. FULL says that no element of the chunk and no
** column is missing. */
template <bool FULL>
static __device__ __forceinline__ void column_leaf(const params &p, const offsets &b, u8 r, int leaf, int size, int n,
                                                   int l, stack<OWN_LEVELS> *done) {
  value x[8][COLS];
  u4 live[COLS];
#pragma unroll
  for (int i = 0; i < COLS; i++) live[i] = FULL && !MASKED ? 255 : 0;
#pragma unroll
  for (int j = 0; j < 8; j++)
    if (FULL || leaf + j * 128 < size) {
      bool m[COLS];
      fetch_columns(p, b, r + leaf + j * 128, FULL ? COLS : n, x[j], m);
      if (!FULL || MASKED)
#pragma unroll
        for (int i = 0; i < COLS; i++) live[i] |= LIVE(x, m[i]) << j;
    } else
#pragma unroll
      for (int i = 0; i < COLS; i++) x[j][i] = x[0][i];
#pragma unroll
  for (int i = 0; i < COLS; i++)
    done[i].push(
      l, red_leaf(x[0][i], x[1][i], x[2][i], x[3][i], x[4][i], x[5][i], x[6][i], x[7][i], live[i], (i8)(r + leaf)));
}

MA_KERNEL __launch_bounds__(512, COLUMN_BLOCKS) reduce(const params p) {
  __shared__ red_acc part[TY][TX * COLS];
  const int tx = threadIdx.x % TX, ty = threadIdx.x / TX;
  u8 s, block, c, q = split(blockIdx.x, (p.run + TX * COLS - 1) / (TX * COLS), block);
  q = split(q, p.nspan, s);
  c = (block * TX + tx) * COLS;
  const int n = c >= p.run ? 0 : p.run - c < COLS ? (int)(p.run - c) : COLS;
  const u8 k = q * p.run + (n ? c : 0), first = s * p.span, end = first + p.span < p.count ? first + p.span : p.count;
  const offsets b = kept_at(p, k);
  red_acc total[COLS];
  for (u8 r = first; r < end; r += RED_CHUNK) {
    const int size = end - r < RED_CHUNK ? (int)(end - r) : RED_CHUNK, leaves = size < 128 ? size : 128;
    const int subtrees = (leaves + OWN - 1) / OWN, mine = leaves - ty * OWN < OWN ? leaves - ty * OWN : OWN;
    stack<OWN_LEVELS> done[COLS];
    red_acc a[COLS];
    if (n == COLS && size == RED_CHUNK) {
#pragma unroll 1
      for (int l = 0; l < OWN; l++) column_leaf<true>(p, b, r, ty * OWN + l, size, n, l, done);
    } else if (n > 0) {
#pragma unroll 1
      for (int l = 0; l < mine; l++) column_leaf<false>(p, b, r, ty * OWN + l, size, n, l, done);
    }
    if (n > 0 && mine > 0)
#pragma unroll
      for (int i = 0; i < COLS; i++) part[ty][tx * COLS + i] = a[i] = done[i].total(mine);
    for (int d = 1; d < TY; d *= 2) {
      __syncthreads();
      if (n > 0 && ty % (2 * d) == 0 && ty + d < subtrees)
#pragma unroll
        for (int i = 0; i < COLS; i++) part[ty][tx * COLS + i] = a[i] = red_merge(a[i], part[ty + d][tx * COLS + i]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < COLS; i++) total[i] = r == first ? a[i] : red_merge(total[i], a[i]);
  }
  if (ty == 0)
#pragma unroll
    for (int i = 0; i < COLS; i++)
      if (i < n) put_total(p, k + i, s, total[i]);
}
#endif

#ifdef THREADS
MA_KERNEL reduce(const params p) {
  const u8 k = (u8)blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= p.kept) return;
#ifdef IDENTITY
  if (p.count == 0) {
    put_result(p, k, IDENTITY);
    return;
  }
#endif
  const offsets b = kept_at(p, k);
  const int n = (int)p.count;
  stack<8> done;
  int r = 0;
#pragma unroll 1
  for (; r + 4 <= n; r += 4) {
    value x[4];
    bool m[4] = { true, true, true, true };
#pragma unroll
    for (int i = 0; i < 4; i++) fetch(p, b, r + i, x[i], m[i]);
    done.push<2>(r, red_merge(red_merge(single(x[0], LIVE(x, m[0]), r), single(x[1], LIVE(x, m[1]), r + 1)),
                              red_merge(single(x[2], LIVE(x, m[2]), r + 2), single(x[3], LIVE(x, m[3]), r + 3))));
  }
#pragma unroll 1
  for (; r < n; r++) { /* at most three are left */
    value x;
    bool m = true;
    fetch(p, b, r, x, m);
    done.push<0, 2>(r, single(x, LIVE(x, m), r));
  }
  put_result(p, k, done.total(n));
}
#endif
