/*
** cholesky.cuh: a = l l^H for many matrices of at most 32 rows, in Fortran's order; what is above the diagonals is not
** touched. A matrix has N threads, a power of two; the identity fills up missing rows. Each thread holds a row in
** registers, so that a step takes one shuffle for each column that is left, and no shared memory. It stands behind
** small.cuh. The text before that also defines N, and THREADS of a block.
*/
struct params {
  char *a;
  int *info;          /* for each matrix: 0, or the 1-based step whose pivot was not above 0 */
  i8 count, step, ld; /* in elements */
  int n;
};

#if COMPLEX
static __device__ __forceinline__ real real_of(T x) { return x.re; }
static __device__ __forceinline__ T over(T x, real d) {
  x.re /= d;
  x.im /= d;
  return x;
}
static __device__ __forceinline__ T less(T a, T l, T u) { /* a - l conj(u) */
  T z;
  z.re = fma(-l.im, u.im, fma(-l.re, u.re, a.re));
  z.im = fma(l.re, u.im, fma(-l.im, u.re, a.im));
  return z;
}
#else
static __device__ __forceinline__ real real_of(T x) { return x; }
static __device__ __forceinline__ T over(T x, real d) { return x / d; }
static __device__ __forceinline__ T less(T a, T l, T u) { return fma(-l, u, a); }
#endif

MA_KERNEL __launch_bounds__(THREADS) cholesky(const params p) {
  const int lane = threadIdx.x & 31, row = lane & (N - 1), base = lane & ~(N - 1);
  i8 matrix = (i8)blockIdx.x * (THREADS / N) + threadIdx.x / N;
  const bool mine = matrix < p.count;
  if (!mine) matrix = p.count - 1; /* such a thread computes another matrix, since the shuffles need it */
  T *a = (T *)p.a + matrix * p.step, v[N];
  int failed = 0;

#pragma unroll
  for (int j = 0; j < N; j++) v[j] = j <= row && row < p.n ? a[row + j * p.ld] : from_real(row == j);
    /* What a thread has behind its diagonal is computed too, and read by nobody. */
#pragma unroll
  for (int k = 0; k < N; k++) {
    const real pivot = real_of(of_lane(v[k], base | k)), root = sqrt(pivot);
    if (!(pivot > 0) && !failed) failed = k + 1;
    v[k] = row == k ? from_real(root) : over(v[k], root);
#pragma unroll
    for (int j = k + 1; j < N; j++) v[j] = less(v[j], v[k], of_lane(v[k], base | j));
  }
  if (!mine) return;
  if (row == 0) p.info[matrix] = failed;
#pragma unroll
  for (int j = 0; j < N; j++)
    if (j <= row && row < p.n) a[row + j * p.ld] = v[j];
}
