/*
** pairs.cuh: the distances of all pairs of rows of x and y. A block of THREADS has HIGH x WIDE pairs, a thread GROUPS
** groups of 4 x 4 beside each other. Components come through shared memory, DEPTH at a time, and rows and components
** that are not there are zeros, which add nothing to any metric. The text before it defines T, WEIGHTED, TRIANGLE, STEP
** and FINISH from metrics.h, GROUPS, THREADS, and UNROLL, which is small where a step is long.
*/
#define ROWS 4 /* of a thread */
#define COLUMNS (4 * GROUPS)
#define HIGH (THREADS / 16 * ROWS)
#define WIDE (MA_PAIRS_ALONG * GROUPS)
#define DEPTH 16
#define PITCH(tile) ((tile) + 4) /* keeps four elements aligned, and spreads columns over the banks */

#define ABS(v) fabs(v)
#define SQRT(v) root<EXACT>(v, odd)
#define LOG(v) log(v)
#define POW(v, e) pow(v, e)
#define MADD(a, b, c) fma(a, b, c)
#define MOST1(c) ((c) > 1 ? (T)1 : (c) < -1 ? (T)-1 : (c))

/* The square root of float32, rounded to nearest. sqrtf tests for each number whether its short form is right, and the
** test takes as long as the form. Here a thread takes the short form for all its numbers and notes in `odd` whether it
** was wrong for one. Then the thread computes them all again. */
template <bool EXACT> static __device__ __forceinline__ double root(double v, bool &odd) { return sqrt(v); }
template <bool EXACT> static __device__ __forceinline__ float root(float v, bool &odd) {
#ifdef __CUDA_ARCH__
  if (!EXACT) {
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
    odd |= __float_as_uint(v) - 0x0d000000u > 0x727fffffu; /* below 2^-101, infinite, or NaN */
    float y = v * r;
    return fmaf(fmaf(-y, y, v), 0.5f * r, y);
  }
#endif
  return sqrtf(v);
}

struct params {
  const T *x, *y, *weights;
  T *to;
  i8 m, n, k, columns; /* columns: of tiles */
  T p;
};

typedef pack<T, 4> four;

/* Loads a tile: `left` components of rows that have k each. `wide` says that rows begin at multiples of four elements
** and that `left` is a multiple of four, so four elements are read at once. */
template <int TILE>
static __device__ __forceinline__ void load(T (&to)[DEPTH][PITCH(TILE)], const T *from, i8 rows, i8 k, i8 left,
                                            bool wide) {
  const int most = rows < TILE ? (int)rows : TILE;
  if (wide) {
    const int c = threadIdx.x % (DEPTH / 4) * 4;
#pragma unroll
    for (int q = 0; q < TILE * DEPTH / 4 / THREADS; q++) {
      const int row = threadIdx.x / (DEPTH / 4) + q * (THREADS / (DEPTH / 4));
      four f = {};
      if (row < most && c < left) f.load_all((const char *)(from + row * k + c));
#pragma unroll
      for (int j = 0; j < 4; j++) to[c + j][row] = f.v[j];
    }
    return;
  }
  const int c = threadIdx.x % DEPTH;
#pragma unroll
  for (int q = 0; q < TILE * DEPTH / THREADS; q++) {
    const int row = threadIdx.x / DEPTH + q * (THREADS / DEPTH);
    to[c][row] = row < most && c < left ? from[row * k + c] : (T)0;
  }
}

/* The place in a tile of column e of a thread's columns, from the thread's first one. */
static __device__ __forceinline__ constexpr int spread(int e) { return e / 4 * MA_PAIRS_ALONG + e % 4; }

/* Turns the sums of row i of a thread's pairs into distances. */
template <bool EXACT>
static __device__ __forceinline__ void finish(T (&to)[COLUMNS], const T (&s_of)[COLUMNS], const T (&t_of)[COLUMNS],
                                              const T (&u_of)[COLUMNS], T n, T p, bool &odd) {
#pragma unroll
  for (int j = 0; j < COLUMNS; j++) {
    T s = s_of[j], t = t_of[j], u = u_of[j];
    to[j] = FINISH;
  }
}

/* The bound gives a thread 64 registers, which suffice for 32 sums (the longest metrics spill a few words). Then 1024
** threads of a multiprocessor compute, read and write beside each other. Without it the compiler reads so far ahead
** that it takes more registers. */
#define BLOCKS (GROUPS == 2 ? 1024 / THREADS : 1)

MA_KERNEL __launch_bounds__(THREADS, BLOCKS) pairs(params a) {
  __align__(16) __shared__ T xs[DEPTH][PITCH(HIGH)];
  __align__(16) __shared__ T ys[DEPTH][PITCH(WIDE)];
  i8 row0 = (i8)(blockIdx.x / a.columns) * HIGH, column0 = (i8)(blockIdx.x % a.columns) * WIDE;
  int tx = threadIdx.x % 16 * 4, ty = threadIdx.x / 16 * 4;
  const bool wide = a.k % 4 == 0 && ((u8)a.x | (u8)a.y) % sizeof(four) == 0;
  T p = a.p, n = WEIGHTED ? (T)0 : (T)a.k;
  T s_of[ROWS][COLUMNS] = {}, t_of[ROWS][COLUMNS] = {}, u_of[ROWS][COLUMNS] = {};
  bool odd = false;
  [[maybe_unused]] constexpr bool EXACT = true; /* in a step */
  if (TRIANGLE && column0 + WIDE <= row0 + 1) return;
  for (i8 c0 = 0; c0 < a.k; c0 += DEPTH) {
    if (c0 > 0) __syncthreads();
    load<HIGH>(xs, a.x + row0 * a.k + c0, a.m - row0, a.k, a.k - c0, wide);
    load<WIDE>(ys, a.y + column0 * a.k + c0, a.n - column0, a.k, a.k - c0, wide);
    __syncthreads();
#pragma unroll UNROLL
    for (int c = 0; c < DEPTH; c++) {
      T w = 1;
      if (WEIGHTED) {
        w = c0 + c < a.k ? a.weights[c0 + c] : (T)0;
        n += w;
      }
      four xf;
      T yv[COLUMNS];
      xf.load_all((const char *)&xs[c][ty]);
#pragma unroll
      for (int g = 0; g < GROUPS; g++) {
        four yf;
        yf.load_all((const char *)&ys[c][tx + MA_PAIRS_ALONG * g]);
#pragma unroll
        for (int j = 0; j < 4; j++) yv[4 * g + j] = yf.v[j];
      }
#pragma unroll
      for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) {
          T x = xf.v[i], y = yv[j], s = s_of[i][j], t = t_of[i][j], u = u_of[i][j];
          STEP s_of[i][j] = s;
          t_of[i][j] = t;
          u_of[i][j] = u;
        }
    }
  }
  T *const first = a.to + (row0 + ty) * a.n + column0 + tx;
  T distance[COLUMNS];
  if (!TRIANGLE && a.n % 4 == 0 && row0 + HIGH <= a.m && column0 + WIDE <= a.n) {
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      finish<false>(distance, s_of[i], t_of[i], u_of[i], n, p, odd);
#pragma unroll
      for (int g = 0; g < GROUPS; g++) {
        four result;
#pragma unroll
        for (int j = 0; j < 4; j++) result.v[j] = distance[4 * g + j];
        result.store_all((char *)(first + i * a.n + MA_PAIRS_ALONG * g));
      }
    }
    if (!odd) return;
  }
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    const i8 row = row0 + ty + i;
    if (row >= a.m) return;
    T *const to = a.to + (TRIANGLE ? row * a.n - row * (row + 1) / 2 - row - 1 : row * a.n);
    finish<true>(distance, s_of[i], t_of[i], u_of[i], n, p, odd);
#pragma unroll
    for (int e = 0; e < COLUMNS; e++) {
      const i8 column = column0 + tx + spread(e);
      if (column < a.n && (!TRIANGLE || column > row)) to[column] = distance[e];
    }
  }
}
