/*
** pairs.cuh: the distances of all pairs of rows of x and y. A block of THREADS has HIGH x WIDE pairs, a thread GROUPS x
** GROUPS groups of 4 x 4. Components come through shared memory, DEPTH at a time, and rows and components that are not
** there are zeros, which add nothing to any metric. The text before it defines T, WEIGHTED, TRIANGLE, STEP and FINISH
** from metrics.h, GROUPS, THREADS, and UNROLL, which is small where a step is long.
*/
#define EACH (4 * GROUPS)
#define DOWN (THREADS / 16 * 4) /* rows between a thread's groups */
#define ALONG (16 * 4)          /* columns between them */
#define HIGH (DOWN * GROUPS)
#define WIDE (ALONG * GROUPS)
#define DEPTH 16
#define PITCH(tile) ((tile) + 4) /* keeps four elements aligned, and spreads columns over the banks */

#define ABS(v) fabs(v)
#define SQRT(v) sqrt(v)
#define LOG(v) log(v)
#define POW(v, e) pow(v, e)
#define MADD(a, b, c) fma(a, b, c)
#define MOST1(c) ((c) > 1 ? (T)1 : (c) < -1 ? (T)-1 : (c))

struct params {
  const T *x, *y, *weights;
  T *to;
  i8 m, n, k, columns; /* columns: of tiles */
  T p;
};

typedef pack<T, 4> four;

/* Of `left` components of rows that are k long. `wide`: rows begin at multiples of four elements and have a multiple of
** four, so four are read at once. */
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

/* Where element e of a thread's EACH lies in a tile, from the thread's first. */
static __device__ __forceinline__ constexpr int spread(int e, int apart) { return e / 4 * apart + e % 4; }

/* 128 registers suffice for 64 sums, and let eight blocks compute, read and write beside each other. Without the bound
** the compiler reads so far ahead that it takes 255. */
#define BLOCKS (GROUPS == 2 ? 8 : 1)

MA_KERNEL __launch_bounds__(THREADS, BLOCKS) pairs(params a) {
  __align__(16) __shared__ T xs[DEPTH][PITCH(HIGH)];
  __align__(16) __shared__ T ys[DEPTH][PITCH(WIDE)];
  i8 row0 = (i8)(blockIdx.x / a.columns) * HIGH, column0 = (i8)(blockIdx.x % a.columns) * WIDE;
  int tx = threadIdx.x % 16 * 4, ty = threadIdx.x / 16 * 4;
  const bool wide = a.k % 4 == 0 && ((u8)a.x | (u8)a.y) % sizeof(four) == 0;
  T p = a.p, n = WEIGHTED ? (T)0 : (T)a.k;
  T s_of[EACH][EACH] = {}, t_of[EACH][EACH] = {}, u_of[EACH][EACH] = {};
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
      T xv[EACH], yv[EACH];
#pragma unroll
      for (int g = 0; g < GROUPS; g++) {
        four xf, yf;
        xf.load_all((const char *)&xs[c][ty + spread(4 * g, DOWN)]);
        yf.load_all((const char *)&ys[c][tx + spread(4 * g, ALONG)]);
#pragma unroll
        for (int j = 0; j < 4; j++) {
          xv[4 * g + j] = xf.v[j];
          yv[4 * g + j] = yf.v[j];
        }
      }
#pragma unroll
      for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) {
          T x = xv[i], y = yv[j], s = s_of[i][j], t = t_of[i][j], u = u_of[i][j];
          STEP s_of[i][j] = s;
          t_of[i][j] = t;
          u_of[i][j] = u;
        }
    }
  }
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    const i8 row = row0 + ty + spread(i, DOWN);
    if (row >= a.m) return;
    T *const to_row = a.to + (TRIANGLE ? row * a.n - row * (row + 1) / 2 - row - 1 : row * a.n);
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      const i8 column = column0 + tx + spread(4 * g, ALONG);
      four result;
#pragma unroll
      for (int j = 0; j < 4; j++) {
        T s = s_of[i][4 * g + j], t = t_of[i][4 * g + j], u = u_of[i][4 * g + j];
        result.v[j] = FINISH;
      }
      T *to = to_row + column;
      if (!TRIANGLE && a.n % 4 == 0) {
        if (column < a.n) result.store_all((char *)to);
      } else {
#pragma unroll
        for (int j = 0; j < 4; j++)
          if (column + j < a.n && (!TRIANGLE || column + j > row)) to[j] = result.v[j];
      }
    }
  }
}
