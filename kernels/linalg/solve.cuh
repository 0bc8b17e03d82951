/*
** solve.cuh: x = a^-1 b for many matrices of at most 32 rows. A matrix has N threads, a power of two; the identity
** fills up missing rows. Each thread holds a row in registers. The method is Gaussian elimination with partial
** pivoting, in which no row moves. It stands behind small.cuh. The text before that also defines N, and THREADS of a
** block.
*/
struct params {
  char *x;
  const char *a, *b;
  int *info; /* for each matrix: 0, or the 1-based step whose pivots were all 0 */
  i8 count;
  i8 x_step, x_row, x_column, a_step, a_row, a_column, b_step, b_row, b_column; /* bytes */
  int n, right;                                                                 /* rows; columns of b */
  int by_columns;                                                               /* a is contiguous along its columns */
};

#if COMPLEX
static __device__ __forceinline__ real size_of(T x) { return fabs(x.re) + fabs(x.im); }
static __device__ __forceinline__ T less(T a, T l, T u) { /* a - l u */
  T z;
  z.re = fma(l.im, u.im, fma(-l.re, u.re, a.re));
  z.im = fma(-l.im, u.re, fma(-l.re, u.im, a.im));
  return z;
}
static __device__ __forceinline__ T over(T a, T b) { /* Smith's algorithm */
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
static __device__ __forceinline__ real size_of(T x) { return fabs(x); }
static __device__ __forceinline__ T less(T a, T l, T u) { return fma(-l, u, a); }
static __device__ __forceinline__ T over(T a, T b) { return a / b; }
#endif

#define COLUMNS 4 /* right sides at once, which hide each other's latency */
#define STEPS (N < 8 ? N : 8)

/* The state of a thread: the first lane of its matrix, its row, the row's final place (-1: not known yet), and the
** failed step. */
struct state {
  int base, row, place, failed;
};

/* Takes STEPS steps of the elimination, from column k on. v[0] is that column's element of the row, and the later
** columns follow. Registers have no addresses, so a row shifts by one in each step until it is the pivot's row; then it
** stays. W is how many columns are left at first. Eliminated elements go to the row's place in `tile`. */
template <int W> static __device__ __forceinline__ void eliminate(T (&v)[N], T *tile, state &s, int k) {
#pragma unroll 1
  for (int end = k + STEPS; k < end; k++) {
    real best = s.place < 0 ? size_of(v[0]) : (real)-1;
    int at = s.row;
    if (best != best) best = (real)1 / (real)0; /* NaN spreads as a pivot */
#pragma unroll 1
    for (int d = N / 2; d > 0; d /= 2) {
      real other = of_lane(best, s.base | (s.row ^ d));
      int other_at = of_lane(at, s.base | (s.row ^ d));
      if (other > best || (other == best && other_at < at)) {
        best = other;
        at = other_at;
      }
    }
    T pivot = of_lane(v[0], s.base | at);
    if (s.row == at) s.place = k;
    if (best == 0 && !s.failed) s.failed = k + 1;
    bool below = s.place < 0;
    T factor = below && best != 0 ? over(v[0], pivot) : from_real(0);
    if (below) tile[k] = factor;
#pragma unroll
    for (int j = 1; j < W; j++) {
      T u = of_lane(v[j], s.base | at);
      if (below) v[j - 1] = less(v[j], factor, u);
    }
  }
}

MA_KERNEL solve(const params p) {
  __shared__ T tiles[THREADS / N][N][N + 1];
  __shared__ int places[THREADS / N][N];
  const int lane = threadIdx.x & 31, row = lane & (N - 1), group = threadIdx.x / N;
  state s = { lane & ~(N - 1), row, -1, 0 };
  i8 matrix = (i8)blockIdx.x * (THREADS / N) + group;
  const bool mine = matrix < p.count;
  if (!mine) matrix = p.count - 1; /* such a thread computes another matrix, since the shuffles need it */
  const char *a = p.a + matrix * p.a_step, *b = p.b + matrix * p.b_step;
  char *x = p.x + matrix * p.x_step;
  T(*tile)[N + 1] = tiles[group];
  T v[N];

#pragma unroll 8
  for (int k = 0; k < N; k++) { /* neighbouring threads read neighbouring elements */
    int i = p.by_columns ? row : k, j = p.by_columns ? k : row;
    tile[i][j] = i < p.n && j < p.n ? *(const T *)(a + i * p.a_row + j * p.a_column) : from_real(i == j);
  }
  __syncwarp();
#pragma unroll
  for (int k = 0; k < N; k++) v[k] = tile[row][k];
  eliminate<N>(v, tile[row], s, 0);
#if N > 8
  eliminate<N - 8>(v, tile[row], s, 8);
#endif
#if N > 16
  eliminate<N - 16>(v, tile[row], s, 16);
  eliminate<N - 24>(v, tile[row], s, 24);
#endif
#pragma unroll
  for (int k = 0; k < N; k++)
    if (s.place + k < N) tile[row][s.place + k] = v[k];
  places[group][s.place] = row;
  __syncwarp();
  const int source = places[group][row]; /* from here on a thread has the row whose final place is its own */
  const T *lu = tile[source], diagonal = lu[row];
  if (mine && row == 0) p.info[matrix] = s.failed;

  for (int first = 0; first < p.right; first += COLUMNS) {
    T r[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      r[c] = source < p.n && first + c < p.right ? *(const T *)(b + source * p.b_row + (first + c) * p.b_column)
                                                 : from_real(0);
#pragma unroll 2
    for (int k = 0; k < N; k++) {
      T l = lu[k];
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) {
        T y = of_lane(r[c], s.base | k);
        if (row > k) r[c] = less(r[c], l, y);
      }
    }
#pragma unroll 2
    for (int k = N - 1; k >= 0; k--) {
      T u = lu[k];
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) {
        if (row == k) r[c] = over(r[c], diagonal);
        T y = of_lane(r[c], s.base | k);
        if (row < k) r[c] = less(r[c], u, y);
      }
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      if (mine && row < p.n && first + c < p.right) *(T *)(x + row * p.x_row + (first + c) * p.x_column) = r[c];
  }
}
