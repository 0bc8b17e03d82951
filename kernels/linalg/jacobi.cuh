/*
** jacobi.cuh: singular values and vectors of many matrices of up to MOST rows, one for each block, by one-sided Jacobi
** rotations (Hestenes) in shared memory. At the end W = A V has orthogonal columns: their lengths are the values, and
** normalised they are U. The text before it defines real, T (real, or a pair of reals if COMPLEX is 1), EPSILON, and
** MOST.
*/
struct params {
  const char *a;
  char *s, *u, *vh;
  int *info;                                     /* for each matrix: 0, or 1 if the columns did not become orthogonal */
  i8 a_ld, a_step, u_ld, u_step, vh_ld, vh_step; /* elements */
  int rows, columns;                             /* of W, which is A, or its adjoint if `wide`: rows >= columns */
  int w_ld, v_ld;                                /* in shared memory */
  int wide, left; /* left: columns of W's U that are wanted: none, `columns`, or `rows` */
};

#if COMPLEX
struct T {
  real re, im;
};
static __device__ __forceinline__ T make(real re, real im) {
  T z;
  z.re = re;
  z.im = im;
  return z;
}
static __device__ __forceinline__ T conj_of(T x) { return make(x.re, -x.im); }
static __device__ __forceinline__ T times(T x, real r) { return make(x.re * r, x.im * r); }
static __device__ __forceinline__ real square(T x, real sum) { return fma(x.re, x.re, fma(x.im, x.im, sum)); }
static __device__ __forceinline__ real largest(T x) { return fmax(fabs(x.re), fabs(x.im)); }
/* sum + a b, and sum + conj(a) b. */
static __device__ __forceinline__ T add_product(T a, T b, T sum) {
  return make(fma(a.re, b.re, fma(-a.im, b.im, sum.re)), fma(a.re, b.im, fma(a.im, b.re, sum.im)));
}
static __device__ __forceinline__ T add_inner(T a, T b, T sum) { return add_product(conj_of(a), b, sum); }
#else
typedef real T;
static __device__ __forceinline__ T make(real re, real im) { return re; }
static __device__ __forceinline__ T conj_of(T x) { return x; }
static __device__ __forceinline__ T times(T x, real r) { return x * r; }
static __device__ __forceinline__ real square(T x, real sum) { return fma(x, x, sum); }
static __device__ __forceinline__ real largest(T x) { return fabs(x); }
static __device__ __forceinline__ T add_product(T a, T b, T sum) { return fma(a, b, sum); }
static __device__ __forceinline__ T add_inner(T a, T b, T sum) { return fma(a, b, sum); }
#endif

#define LANES 8 /* threads for one pair of columns, or for one column */
#define SWEEPS 60

static __device__ __forceinline__ real of_group(real x) {
#pragma unroll
  for (int d = LANES / 2; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}
#if COMPLEX
static __device__ __forceinline__ T of_group(T x) { return make(of_group(x.re), of_group(x.im)); }
#endif

extern __shared__ T tile[];
__shared__ real lengths[MOST], weight[MOST], parts[32];
__shared__ int place[MOST];
__shared__ T coefficient[MOST], column[MOST];

/* The sum or the maximum over the block. */
static __device__ real of_block(real x, bool sum) {
  __syncthreads();
  for (int d = 16; d > 0; d /= 2) {
    real other = __shfl_xor_sync(0xffffffffu, x, d);
    x = sum ? x + other : fmax(x, other);
  }
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  x = parts[0];
  for (int k = 1; k < (int)blockDim.x / 32; k++) x = sum ? x + parts[k] : fmax(x, parts[k]);
  return x;
}

/* Applies to two columns the rotation that makes them orthogonal, and takes the phase of their product from the
** second. */
static __device__ __forceinline__ void turn(T *x, T *y, int n, real c, real s, T phase) {
  for (int i = threadIdx.x % LANES; i < n; i += LANES) {
    T a = x[i], b = add_product(phase, y[i], make(0, 0));
    x[i] = add_product(make(-s, 0), b, times(a, c));
    y[i] = add_product(make(s, 0), a, times(b, c));
  }
}

/* Rotates all pairs of columns once, in rounds of disjoint pairs like a tournament. Returns whether one was rotated. */
static __device__ bool sweep(const params &p, T *w, T *v, real least) {
  const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES, groups = blockDim.x / LANES;
  const int n = p.columns, seats = (n + 1) & ~1, others = seats - 1;
  const real tolerance = EPSILON * EPSILON * (real)p.rows;
  int turned = 0;
  for (int round = 0; round < others; round++) {
    for (int first = 0; first < seats / 2; first += groups) { /* whole warps stay in the loop, for the shuffles */
      int k = first + group, i = k == 0 ? others : (round + k) % others,
          j = k == 0 ? round : (round + others - k) % others;
      bool there = k < seats / 2 && i < n && j < n;
      T *x = w + (there ? i : 0) * p.w_ld, *y = w + (there ? j : 0) * p.w_ld;
      real xx = 0, yy = 0;
      T xy = make(0, 0);
      for (int r = lane; there && r < p.rows; r += LANES) {
        T a = x[r], b = y[r];
        xx = square(a, xx);
        yy = square(b, yy);
        xy = add_inner(a, b, xy);
      }
      xx = of_group(xx);
      yy = of_group(yy);
      xy = of_group(xy);
      real size = square(xy, 0);
      if (there && xx > least && yy > least && size > tolerance * xx * yy) {
        size = sqrt(size);
        real zeta = (yy - xx) / (2 * size), t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta)),
             c = 1 / sqrt(1 + t * t);
        T phase = times(conj_of(xy), 1 / size);
        turn(x, y, p.rows, c, c * t, phase);
        if (p.left) turn(v + i * p.v_ld, v + j * p.v_ld, n, c, c * t, phase);
        turned = 1;
      }
    }
    __syncthreads();
  }
  return __syncthreads_or(turned);
}

/* Element i of column j of U before the end. It lies in W's shared memory, or for the columns that complete() makes in
** the result. */
static __device__ __forceinline__ T of_u(const params &p, const T *w, int i, int j) {
  if (j < p.columns) return w[i + j * p.w_ld];
  if (!p.wide) return ((const T *)p.u)[blockIdx.x * p.u_step + i + j * p.u_ld];
  return conj_of(((const T *)p.vh)[blockIdx.x * p.vh_step + j + i * p.vh_ld]);
}

static __device__ __forceinline__ void to_u(const params &p, int i, int j, T x) {
  if (p.wide) ((T *)p.vh)[blockIdx.x * p.vh_step + j + i * p.vh_ld] = conj_of(x);
  else ((T *)p.u)[blockIdx.x * p.u_step + i + j * p.u_ld] = x;
}

/* Makes a column that is orthogonal to the existing ones. It begins with the unit vector that they cover least. A
** length of -1 marks a column that does not exist yet. */
static __device__ void complete(const params &p, T *w, int target, int end) {
  const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES, groups = blockDim.x / LANES;
  __syncthreads();
  for (int i = threadIdx.x; i < p.rows; i += blockDim.x) {
    real sum = 0;
    for (int j = 0; j < end; j++)
      if (j >= p.columns || lengths[j] >= 0) sum = square(of_u(p, w, i, j), sum);
    weight[i] = sum;
  }
  __syncthreads();
  int at = 0;
  for (int i = 1; i < p.rows; i++)
    if (weight[i] < weight[at]) at = i;
  for (int i = threadIdx.x; i < p.rows; i += blockDim.x) column[i] = make(i == at, 0);
  for (int pass = 0; pass < 3; pass++) {
    __syncthreads();
    for (int first = 0; first < end; first += groups) {
      int j = first + group;
      T sum = make(0, 0);
      bool there = j < end && (j >= p.columns || lengths[j] >= 0);
      for (int i = lane; there && i < p.rows; i += LANES) sum = add_inner(of_u(p, w, i, j), column[i], sum);
      sum = of_group(sum);
      if (j < end && lane == 0) coefficient[j] = there ? times(sum, -1) : make(0, 0);
    }
    __syncthreads();
    real size = 0;
    for (int i = threadIdx.x; i < p.rows; i += blockDim.x) {
      T x = column[i];
      for (int j = 0; j < end; j++)
        if (j >= p.columns || lengths[j] >= 0) x = add_product(of_u(p, w, i, j), coefficient[j], x);
      column[i] = x;
      size = square(x, size);
    }
    size = 1 / sqrt(of_block(size, true));
    for (int i = threadIdx.x; i < p.rows; i += blockDim.x) column[i] = times(column[i], size);
  }
  for (int i = threadIdx.x; i < p.rows; i += blockDim.x)
    if (target < p.columns) w[i + target * p.w_ld] = column[i];
    else to_u(p, i, target, column[i]);
  __syncthreads();
}

MA_KERNEL __launch_bounds__(4 * MOST) jacobi(const params p) {
  T *w = tile, *v = tile + p.columns * p.w_ld;
  const T *a = (const T *)p.a + blockIdx.x * p.a_step;
  const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES, groups = blockDim.x / LANES, n = p.columns;

  real most = 0;
  for (int e = threadIdx.x; e < p.rows * n; e += blockDim.x) { /* in memory order */
    int i = p.wide ? e / n : e % p.rows, j = p.wide ? e % n : e / p.rows;
    T x = p.wide ? conj_of(a[j + i * p.a_ld]) : a[i + j * p.a_ld];
    w[i + j * p.w_ld] = x;
    most = fmax(most, largest(x));
  }
  most = of_block(most, false);
  int exponent = 0; /* W is scaled by a power of two, so that no square overflows or underflows */
  frexp(most, &exponent);
  exponent = max(exponent, sizeof(real) == 8 ? -1000 : -120);
  real sum = 0;
  for (int e = threadIdx.x; e < p.rows * n; e += blockDim.x) {
    T *x = &w[e % p.rows + e / p.rows * p.w_ld];
    *x = times(*x, ldexp((real)1, -exponent));
    sum = square(*x, sum);
  }
  for (int e = threadIdx.x; p.left && e < n * n; e += blockDim.x) v[e % n + e / n * p.v_ld] = make(e % n == e / n, 0);
  /* A column whose squared length is below this counts as 0. */
  real least = 16 * EPSILON * EPSILON * of_block(sum, true);

  int done = 0;
  while (done < SWEEPS && sweep(p, w, v, least)) done++;
  if (threadIdx.x == 0) p.info[blockIdx.x] = done == SWEEPS;
  for (int first = 0; first < n; first += groups) {
    int j = first + group;
    real size = 0;
    for (int i = lane; j < n && i < p.rows; i += LANES) size = square(w[i + j * p.w_ld], size);
    size = of_group(size);
    if (j < n && lane == 0) lengths[j] = sqrt(size);
  }
  __syncthreads();
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    int above = 0;
    for (int k = 0; k < n; k++) above += lengths[k] > lengths[j] || (lengths[k] == lengths[j] && k < j);
    place[j] = above;
    ((real *)p.s)[blockIdx.x * (i8)n + above] = ldexp(lengths[j], exponent);
  }
  if (!p.left) return;
  __syncthreads();

  for (int e = threadIdx.x; e < p.rows * n; e += blockDim.x) {
    real size = lengths[e / p.rows];
    T *x = &w[e % p.rows + e / p.rows * p.w_ld];
    if (size * size > least) *x = times(*x, 1 / size);
  }
  __syncthreads();
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    if (!(lengths[j] * lengths[j] > least)) lengths[j] = -1;
  __syncthreads();
  for (int j = 0; j < n; j++)
    if (lengths[j] < 0) {
      complete(p, w, j, n);
      if (threadIdx.x == 0) lengths[j] = 0;
      __syncthreads();
    }
  for (int j = n; j < p.left; j++) complete(p, w, j, j);

  for (int e = threadIdx.x; e < p.rows * n; e += blockDim.x) {
    int i = p.wide ? e / n : e % p.rows, j = p.wide ? e % n : e / p.rows;
    to_u(p, i, place[j], w[i + j * p.w_ld]);
  }
  for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
    int i = p.wide ? e % n : e / n, j = p.wide ? e / n : e % n;
    T x = v[i + j * p.v_ld];
    if (p.wide) ((T *)p.u)[blockIdx.x * p.u_step + i + place[j] * p.u_ld] = x;
    else ((T *)p.vh)[blockIdx.x * p.vh_step + place[j] + i * p.vh_ld] = conj_of(x);
  }
}
