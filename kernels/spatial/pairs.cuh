/*
** pairs.cuh: the distances of all pairs of rows of x and y. A block of 256 threads has 64 x 64 pairs, a thread 4 x 4.
** Components come through shared memory, DEPTH at a time, and rows and components that are not there are zeros, which
** add nothing to any metric. The text before it defines T, WEIGHTED, TRIANGLE, STEP and FINISH from metrics.h,
** and UNROLL, which is small where a step is long.
*/
#define TILE 64
#define EACH 4
#define DEPTH 16
#define PITCH (TILE + 4) /* keeps four elements aligned, and spreads columns over the banks */
#define THREADS 256

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

struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) four {
  T v[EACH];
};

static __device__ __forceinline__ void load(T (&to)[DEPTH][PITCH], const T *from, i8 first, i8 rows, i8 k, i8 c0) {
#pragma unroll
  for (int q = 0; q < TILE * DEPTH / THREADS; q++) {
    int at = threadIdx.x + q * THREADS, c = at % DEPTH, row = at / DEPTH;
    to[c][row] = first + row < rows && c0 + c < k ? from[(first + row) * k + c0 + c] : (T)0;
  }
}

MA_KERNEL __launch_bounds__(THREADS) pairs(params a) {
  __align__(16) __shared__ T xs[DEPTH][PITCH];
  __align__(16) __shared__ T ys[DEPTH][PITCH];
  i8 row0 = (i8)(blockIdx.x / a.columns) * TILE, column0 = (i8)(blockIdx.x % a.columns) * TILE;
  int tx = threadIdx.x % 16 * EACH, ty = threadIdx.x / 16 * EACH;
  T p = a.p, n = WEIGHTED ? (T)0 : (T)a.k;
  T s_of[EACH][EACH] = {}, t_of[EACH][EACH] = {}, u_of[EACH][EACH] = {};
  if (TRIANGLE && column0 + TILE <= row0 + 1) return;
  for (i8 c0 = 0; c0 < a.k; c0 += DEPTH) {
    if (c0 > 0) __syncthreads();
    load(xs, a.x, row0, a.m, a.k, c0);
    load(ys, a.y, column0, a.n, a.k, c0);
    __syncthreads();
#pragma unroll UNROLL
    for (int c = 0; c < DEPTH; c++) {
      T w = 1;
      if (WEIGHTED) {
        w = c0 + c < a.k ? a.weights[c0 + c] : (T)0;
        n += w;
      }
      four xv = *(const four *)&xs[c][ty], yv = *(const four *)&ys[c][tx];
#pragma unroll
      for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) {
          T x = xv.v[i], y = yv.v[j], s = s_of[i][j], t = t_of[i][j], u = u_of[i][j];
          STEP s_of[i][j] = s;
          t_of[i][j] = t;
          u_of[i][j] = u;
        }
    }
  }
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    i8 row = row0 + ty + i, column = column0 + tx;
    if (row >= a.m) return;
    four result;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      T s = s_of[i][j], t = t_of[i][j], u = u_of[i][j];
      result.v[j] = FINISH;
    }
    T *to = a.to + (TRIANGLE ? row * a.n - row * (row + 1) / 2 - row - 1 : row * a.n) + column;
    if (!TRIANGLE && a.n % EACH == 0) {
      if (column < a.n) *(four *)to = result;
    } else {
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (column + j < a.n && (!TRIANGLE || column + j > row)) to[j] = result.v[j];
    }
  }
}
