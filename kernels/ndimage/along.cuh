/*
** along.cuh: a filter over W neighbours along one axis. The text before it has edge.h and
**   image, result      traits (dt_f4 ...) of the dtypes in memory;  CUT(x): a double as an element of the result
**   T                  the dtype of the arithmetic
**   W, R               neighbours; results of a thread, which keeps R + W - 1 elements in registers
**   OP                 0 the sum of weights times elements, 1 the least, 2 the greatest, 4 the mean
**   MEAN(sum)          the sum divided by W
**   SYMMETRY           of the weights, 1 or -1: pairs from both ends; 0: in order, or with LAST_FIRST the last one
**                      first
**   MODE, BIG          the rule beyond the edges; BIG: 2^31 elements and more
** `columns` is for an axis with others behind it: neighbouring threads take neighbouring lines. `rows` is for the last
** axis: a block takes MA_THREADS * R results of one line, by way of shared memory.
*/
#define TILE (MA_THREADS * R)

#if BIG
typedef u8 place;
#else
typedef u4 place;
#endif

struct along {
  const void *from;
  void *to;
  u8 n, inner, pieces, threads; /* pieces of R results (columns), or tiles (rows), of a line */
  i8 before;
  double cval;
  T weight[W];
};

/* Not inlined, since few elements lie beyond the edges. */
static __device__ __noinline__ i8 beyond(i8 at, i8 n) { return ma_edge_place(at, n, MODE); }

static __device__ __forceinline__ T element(const along &p, place line, i8 at, place step) {
  const i8 q = at >= 0 && at < (i8)p.n ? at : beyond(at, (i8)p.n);
  return q < 0 ? (T)p.cval : (T)image::load(((const image::mem *)p.from)[line + (place)q * step]);
}

static __device__ __forceinline__ result::mem make(const along &p, const T *v) {
#if OP == 0
  T sum;
#if SYMMETRY
  sum = v[W / 2] * p.weight[W / 2];
#pragma unroll
  for (int k = 0; k < W / 2; k++) sum += (SYMMETRY > 0 ? v[k] + v[W - 1 - k] : v[k] - v[W - 1 - k]) * p.weight[k];
#elif LAST_FIRST
  sum = v[W - 1] * p.weight[0];
#pragma unroll
  for (int k = 0; k < W - 1; k++) sum += v[k] * p.weight[k + 1];
#else
  sum = 0;
#pragma unroll
  for (int k = 0; k < W; k++) sum += v[k] * p.weight[k];
#endif
  return CUT((double)sum);
#elif OP == 4
  T sum = v[0];
#pragma unroll
  for (int k = 1; k < W; k++) sum += v[k];
  return CUT(MEAN(sum));
#else
  T best = v[0];
#pragma unroll
  for (int k = 1; k < W; k++) best = (OP == 1 ? best <= v[k] : best >= v[k]) || best != best ? best : v[k];
  return CUT(best);
#endif
}

MA_KERNEL __launch_bounds__(MA_THREADS) columns(const along p) {
  const u8 t = (u8)blockIdx.x * MA_THREADS + threadIdx.x;
  if (t >= p.threads) return;
  const place inner = (place)p.inner, above = (place)t / inner, pieces = (place)p.pieces;
  const place outer = above / pieces, piece = above - outer * pieces;
  const place line = outer * (place)p.n * inner + ((place)t - above * inner);
  const i8 first = (i8)piece * R, from = first - p.before;
  T v[W + R - 1];
  if (from >= 0 && from + W + R - 1 <= (i8)p.n) {
    const image::mem *x = (const image::mem *)p.from + line + (place)from * inner;
#pragma unroll
    for (int k = 0; k < W + R - 1; k++) v[k] = (T)image::load(x[(place)k * inner]);
  } else {
#pragma unroll
    for (int k = 0; k < W + R - 1; k++) v[k] = element(p, line, from + k, inner);
  }
  result::mem *to = (result::mem *)p.to + line + (place)first * inner;
#pragma unroll
  for (int r = 0; r < R; r++)
    if (first + r < (i8)p.n) to[(place)r * inner] = make(p, v + r);
}

#define KEPT ((W + R - 1 + R - 1) / R) /* packs of R elements that a thread reads */
MA_KERNEL __launch_bounds__(MA_THREADS) rows(const along p) {
  __shared__ pack<T, R> tile[MA_THREADS + KEPT];
  const u8 row = blockIdx.x / p.pieces;
  const place line = (place)row * (place)p.n;
  const i8 first = (i8)(blockIdx.x - row * p.pieces) * TILE, from = first - p.before;
  T *shared = tile[0].v;
  if (from >= 0 && from + TILE + W - 1 <= (i8)p.n) {
    const image::mem *x = (const image::mem *)p.from + line + (place)from;
    for (int k = threadIdx.x; k < TILE + W - 1; k += MA_THREADS) shared[k] = (T)image::load(x[k]);
  } else {
    for (int k = threadIdx.x; k < TILE + W - 1; k += MA_THREADS)
      if (from + k < (i8)p.n + W) shared[k] = element(p, line, from + k, 1);
  }
  __syncthreads();
  const i8 mine = first + (i8)threadIdx.x * R;
  if (mine >= (i8)p.n) return;
  pack<T, R> kept[KEPT];
#pragma unroll
  for (int k = 0; k < KEPT; k++) kept[k] = tile[threadIdx.x + k];
  T v[KEPT * R];
#pragma unroll
  for (int k = 0; k < KEPT * R; k++) v[k] = kept[k / R].v[k % R];
  pack<result::mem, R> made;
#pragma unroll
  for (int r = 0; r < R; r++) made.v[r] = make(p, v + r);
  char *to = (char *)((result::mem *)p.to + line + (place)mine);
  if (p.n % R == 0 && (u8)p.to % (R * sizeof(result::mem)) == 0) made.store_all(to);
  else made.store_some(to, (int)sizeof(result::mem), (int)((i8)p.n - mine < R ? (i8)p.n - mine : R));
}
