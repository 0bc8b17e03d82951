/*
** solve.cuh: x = a^-1 b for many matrices of at most 32 rows. As many threads as a matrix has rows, N (a power of two: what is missing is
** filled up by the identity), work on it, each on one row in registers: Gaussian elimination with partial pivoting, where
** rows change places once, at the end. Around it are: real, T (real, or a pair of them where COMPLEX is 1), N, and THREADS a block.
*/
struct params {
  char *x;
  const char *a, *b;
  int *info;                           /* one a matrix: 0, or the step, from 1, that found no pivot but 0 */
  i8 count;
  i8 x_step, x_row, x_column, a_step, a_row, a_column, b_step, b_row, b_column;       /* bytes */
  int n, right;                        /* rows; columns of b */
  int by_columns;                      /* a's columns are the axis that lies close together */
};

#if COMPLEX
struct T { real re, im; };
static __device__ __forceinline__ T from_real(real x) { T z; z.re = x; z.im = 0; return z; }
static __device__ __forceinline__ real size_of(T x) { return fabs(x.re) + fabs(x.im); }
static __device__ __forceinline__ T less(T a, T l, T u) {          /* a - l u */
  T z;
  z.re = fma(l.im, u.im, fma(-l.re, u.re, a.re));
  z.im = fma(-l.im, u.re, fma(-l.re, u.im, a.im));
  return z;
}
static __device__ __forceinline__ T over(T a, T b) {               /* Smith's */
  T z;
  if (fabs(b.re) >= fabs(b.im)) {
    real r = b.im / b.re, d = b.re + b.im * r;
    z.re = (a.re + a.im * r) / d;
    z.im = (a.im - a.re * r) / d;
  } else {
    real r = b.re / b.im, d = b.re * r + b.im;
    z.re = (a.re * r + a.im) / d;
    z.im = (a.im * r - a.re) / d;
  }
  return z;
}
#else
typedef real T;
static __device__ __forceinline__ T from_real(real x) { return x; }
static __device__ __forceinline__ real size_of(T x) { return fabs(x); }
static __device__ __forceinline__ T less(T a, T l, T u) { return fma(-l, u, a); }
static __device__ __forceinline__ T over(T a, T b) { return a / b; }
#endif

template <class V> static __device__ __forceinline__ V of_lane(V x, int lane) {
  union { V v; unsigned w[sizeof(V) / 4]; } u;
  u.v = x;
#pragma unroll
  for (int k = 0; k < (int)(sizeof(V) / 4); k++) u.w[k] = __shfl_sync(0xffffffffu, u.w[k], lane);
  return u.v;
}

#define COLUMNS 4                      /* right sides at once: they hide each other's waits */

MA_KERNEL solve(const params p) {
  __shared__ T tiles[THREADS / N][N][N + 1];
  __shared__ int places[THREADS / N][N];
  const int lane = threadIdx.x & 31, base = lane & ~(N - 1), row = lane & (N - 1), group = threadIdx.x / N;
  const real infinity = (real)1 / (real)0;
  i8 matrix = (i8)blockIdx.x * (THREADS / N) + group;
  const bool mine = matrix < p.count;
  if (!mine) matrix = p.count - 1;     /* works along, for the shuffles */
  const char *a = p.a + matrix * p.a_step, *b = p.b + matrix * p.b_step;
  char *x = p.x + matrix * p.x_step;
  T (*tile)[N + 1] = tiles[group];
  T v[N];

#pragma unroll
  for (int k = 0; k < N; k++) {        /* neighbours read neighbours */
    int i = p.by_columns ? row : k, j = p.by_columns ? k : row;
    tile[i][j] = i < p.n && j < p.n ? *(const T *)(a + i * p.a_row + j * p.a_column) : from_real(i == j);
  }
  __syncwarp();
#pragma unroll
  for (int k = 0; k < N; k++) v[k] = tile[row][k];

  int place = -1, failed = 0;          /* place: where the row ends up */
#pragma unroll
  for (int k = 0; k < N; k++) {
    real best = place < 0 ? size_of(v[k]) : (real)-1;
    int at = row;
    if (best != best) best = infinity;                     /* NaN spreads as a pivot */
#pragma unroll
    for (int d = N / 2; d > 0; d /= 2) {
      real other = of_lane(best, base | (row ^ d));
      int other_at = of_lane(at, base | (row ^ d));
      if (other > best || (other == best && other_at < at)) { best = other; at = other_at; }
    }
    T pivot = of_lane(v[k], base | at);
    if (row == at) place = k;
    if (best == 0 && !failed) failed = k + 1;
    bool below = place < 0;
    T factor = below && best != 0 ? over(v[k], pivot) : from_real(0);
    if (below) v[k] = factor;
#pragma unroll
    for (int j = k + 1; j < N; j++) {
      T u = of_lane(v[j], base | at);
      if (below) v[j] = less(v[j], factor, u);
    }
  }

  __syncwarp();
#pragma unroll
  for (int k = 0; k < N; k++) tile[place][k] = v[k];
  places[group][place] = row;
  __syncwarp();
  T diagonal = from_real(1);
#pragma unroll
  for (int k = 0; k < N; k++) {
    v[k] = tile[row][k];
    if (k == row) diagonal = v[k];
  }
  const int source = places[group][row];
  if (mine && row == 0) p.info[matrix] = failed;

  for (int first = 0; first < p.right; first += COLUMNS) {
    T r[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      r[c] = source < p.n && first + c < p.right ? *(const T *)(b + source * p.b_row + (first + c) * p.b_column) : from_real(0);
#pragma unroll
    for (int k = 0; k < N; k++)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) {
        T y = of_lane(r[c], base | k);
        if (row > k) r[c] = less(r[c], v[k], y);
      }
#pragma unroll
    for (int k = N - 1; k >= 0; k--)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) {
        if (row == k) r[c] = over(r[c], diagonal);
        T y = of_lane(r[c], base | k);
        if (row < k) r[c] = less(r[c], v[k], y);
      }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      if (mine && row < p.n && first + c < p.right) *(T *)(x + row * p.x_row + (first + c) * p.x_column) = r[c];
  }
}
