/* fourier.cuh: Fourier transforms of lines of numbers in shared memory, where cuFFT is not: lengths whose prime factors
** are 2, 3, 5 and 7. Printed before it: `real`, the type of the parts; MOST, the longest line; MOST_ROWS, the
** most lines of a block; SHIFT, the bits of the first table of turns; what lies in an array. A line lies anywhere in an
** array: its elements are `element` apart, and lines are counted over three axes, inner, group and outer. A long
** transform of n1 n2 elements is two passes over lines: of n1 elements, times exp(-2 pi i g k / n), then of n2, where
** the group g is the place of the first pass's line. The inverse is the conjugate of the transform of conjugates. */
struct __align__(2 * sizeof(real)) number {
  real re, im;
};
#define PAD (sizeof(real) == 4 ? 4 : 3) /* a gap each 128 bytes */

struct stage {
  u4 radix, stride;
  divisor across, before; /* butterflies of a line; the product of the radices before */
};
struct steps {
  i8 outer, group, inner, element;
};
struct pass {
  const void *from;
  void *to;
  const number *roots, *low, *high; /* exp(-2 pi i k / n) of a line; of the whole, in two parts */
  i8 lines, groups, inners, length, keep;
  steps in, out;
  divisor n, rows;
  u4 source, target, inverse, along_in, along_out, nstage;
  stage stages[MOST_STAGES];
};

static __device__ __forceinline__ float add_product(float a, float b, float c) { return __fmaf_rn(a, b, c); }
static __device__ __forceinline__ double add_product(double a, double b, double c) { return __fma_rn(a, b, c); }
static __device__ __forceinline__ number make(real re, real im) {
  number z;
  z.re = re;
  z.im = im;
  return z;
}
static __device__ __forceinline__ number plus(number a, number b) { return make(a.re + b.re, a.im + b.im); }
static __device__ __forceinline__ number minus(number a, number b) { return make(a.re - b.re, a.im - b.im); }
static __device__ __forceinline__ number times(number a, number b) {
  return make(add_product(-a.im, b.im, a.re * b.re), add_product(a.im, b.re, a.re * b.im));
}
static __device__ __forceinline__ number turned(number a) { return make(a.im, -a.re); } /* times -i */

/* ---- Transforms of R numbers ---- */

/* Of an odd R, by sums and differences of what lies opposite. */
template <int R> struct small {
  static __device__ __forceinline__ void run(number *v) {
    const int H = R / 2;
    const real c[3] = { R == 3   ? (real)-0.5
                        : R == 5 ? (real)0.30901699437494742410
                                 : (real)0.62348980185873353053,
                        R == 5 ? (real)-0.80901699437494742410 : (real)-0.22252093395631440429,
                        (real)-0.90096886790241912624 };
    const real s[3] = { R == 3   ? (real)0.86602540378443864676
                        : R == 5 ? (real)0.95105651629515357212
                                 : (real)0.78183148246802980871,
                        R == 5 ? (real)0.58778525229247312917 : (real)0.97492791218182360702,
                        (real)0.43388373911755812048 };
    number sum[H], difference[H], first = v[0];
#pragma unroll
    for (int k = 0; k < H; k++) {
      sum[k] = plus(v[k + 1], v[R - 1 - k]);
      difference[k] = minus(v[k + 1], v[R - 1 - k]);
      v[0] = plus(v[0], sum[k]);
    }
#pragma unroll
    for (int m = 1; m <= H; m++) {
      number x = first, y = make(0, 0);
#pragma unroll
      for (int k = 1; k <= H; k++) {
        const int at = m * k % R, near = at <= H ? at - 1 : R - at - 1;
        const real sine = at <= H ? s[near] : -s[near];
        x = make(add_product(c[near], sum[k - 1].re, x.re), add_product(c[near], sum[k - 1].im, x.im));
        y = make(add_product(sine, difference[k - 1].re, y.re), add_product(sine, difference[k - 1].im, y.im));
      }
      v[m] = plus(x, turned(y));
      v[R - m] = minus(x, turned(y));
    }
  }
};
template <> struct small<2> {
  static __device__ __forceinline__ void run(number *v) {
    number a = v[0];
    v[0] = plus(a, v[1]);
    v[1] = minus(a, v[1]);
  }
};
template <> struct small<4> {
  static __device__ __forceinline__ void run(number *v) {
    number a = plus(v[0], v[2]), b = minus(v[0], v[2]), c = plus(v[1], v[3]), d = turned(minus(v[1], v[3]));
    v[0] = plus(a, c);
    v[1] = plus(b, d);
    v[2] = minus(a, c);
    v[3] = minus(b, d);
  }
};
template <> struct small<8> {
  static __device__ __forceinline__ void run(number *v) {
    const real h = (real)0.70710678118654752440;
    number even[4] = { v[0], v[2], v[4], v[6] }, odd[4] = { v[1], v[3], v[5], v[7] };
    small<4>::run(even);
    small<4>::run(odd);
    odd[1] = make(h * (odd[1].re + odd[1].im), h * (odd[1].im - odd[1].re));
    odd[2] = turned(odd[2]);
    odd[3] = make(h * (odd[3].im - odd[3].re), -h * (odd[3].re + odd[3].im));
#pragma unroll
    for (int k = 0; k < 4; k++) {
      v[k] = plus(even[k], odd[k]);
      v[k + 4] = minus(even[k], odd[k]);
    }
  }
};

/* ---- A line ---- */

static __device__ __forceinline__ u4 place(u4 at) { return at + (at >> PAD); }

/* One stage for all lines of a block, by Stockham: butterfly j of a line reads elements that are n / R apart, and
** writes them behind each other in the order of the result. */
template <int R> static __device__ __forceinline__ void butterflies(number *line, const pass &p, const stage &s) {
  const int HELD = (MOST / R + THREADS - 1) / THREADS;
  const u4 count = s.across.extent * p.rows.extent;
  number v[HELD][R];
#pragma unroll
  for (int h = 0; h < HELD; h++) {
    const u4 b = threadIdx.x + h * THREADS;
    if (b >= count) continue;
    u4 j, k;
    const u4 row = divmod(b, s.across, j);
    divmod(j, s.before, k);
#pragma unroll
    for (int i = 0; i < R; i++) v[h][i] = line[place(row * p.n.extent + j + i * s.across.extent)];
    if (s.before.extent > 1) {
#pragma unroll
      for (int i = 1; i < R; i++) v[h][i] = times(v[h][i], p.roots[i * k * s.stride]);
    }
    small<R>::run(v[h]);
  }
  __syncthreads();
#pragma unroll
  for (int h = 0; h < HELD; h++) {
    const u4 b = threadIdx.x + h * THREADS;
    if (b >= count) continue;
    u4 j, k;
    const u4 row = divmod(b, s.across, j), above = divmod(j, s.before, k);
    const u4 to = row * p.n.extent + above * s.before.extent * R + k;
#pragma unroll
    for (int i = 0; i < R; i++) line[place(to + i * s.before.extent)] = v[h][i];
  }
  __syncthreads();
}

/* Those of one radix. A choice among all in one loop would be compiled to code that merges them, with the registers of
** all. */
template <int R> static __device__ __forceinline__ void stages_of(number *line, const pass &p, u4 &k) {
#pragma unroll 1
  for (; k < p.nstage && p.stages[k].radix == R; k++) butterflies<R>(line, p, p.stages[k]);
}

static __device__ __forceinline__ number read(const pass &p, i8 base, u4 group, u4 e) {
  const i8 at = base + e * p.in.element;
  if (p.source == COMPLEX) return ((const number *)p.from)[at];
  if (p.source == REAL) return make(((const real *)p.from)[at], 0);
  /* Half of the numbers are there; the others are their conjugates. */
  const i8 j = e * p.in.element + group * p.in.group;
  const bool other = 2 * j > p.length;
  number x = ((const number *)p.from)[base + (other ? p.length - j : j)];
  if (other) x.im = -x.im;
  if (j == 0 || 2 * j == p.length) x.im = 0;
  return x;
}

static __device__ __forceinline__ void write(const pass &p, i8 base, u4 group, u4 e, number x) {
  if (p.low) {
    const u4 turn = group * e;
    x = times(x, times(p.low[turn & ((1 << SHIFT) - 1)], p.high[turn >> SHIFT]));
  }
  if (p.inverse) x.im = -x.im;
  const i8 at = base + e * p.out.element;
  if (p.target == REAL) ((real *)p.to)[at] = x.re;
  else if (!p.keep || e * p.out.element + group * p.out.group < p.keep) ((number *)p.to)[at] = x;
}

MA_KERNEL __launch_bounds__(THREADS, 2) transform_lines(const pass p) {
  __shared__ number line[MOST + (MOST >> PAD)];
  __shared__ i8 from[MOST_ROWS], to[MOST_ROWS];
  __shared__ u4 group[MOST_ROWS];
  const i8 first = (i8)blockIdx.x * p.rows.extent;
  const u4 rows = (u4)min((i8)p.rows.extent, p.lines - first), count = p.n.extent * p.rows.extent;
  if (threadIdx.x < rows) {
    const i8 l = first + threadIdx.x, i = l % p.inners, g = l / p.inners % p.groups, o = l / p.inners / p.groups;
    from[threadIdx.x] = o * p.in.outer + (p.source == HALF ? 0 : g * p.in.group + i * p.in.inner);
    to[threadIdx.x] = o * p.out.outer + g * p.out.group + i * p.out.inner;
    group[threadIdx.x] = (u4)g;
  }
  __syncthreads();
  /* Neighbours of a warp are neighbours in memory: along a line, or across lines. */
  for (u4 x = threadIdx.x; x < count; x += THREADS) {
    u4 rest;
    const u4 q = divmod(x, p.along_in ? p.n : p.rows, rest), row = p.along_in ? q : rest, e = p.along_in ? rest : q;
    if (row >= rows) continue;
    number v = read(p, from[row], group[row], e);
    if (p.inverse) v.im = -v.im;
    line[place(row * p.n.extent + e)] = v;
  }
  __syncthreads();
  u4 k = 0;
  stages_of<3>(line, p, k);
  stages_of<5>(line, p, k);
  stages_of<7>(line, p, k);
  stages_of<8>(line, p, k);
  stages_of<4>(line, p, k);
  stages_of<2>(line, p, k);
  for (u4 x = threadIdx.x; x < count; x += THREADS) {
    u4 rest;
    const u4 q = divmod(x, p.along_out ? p.n : p.rows, rest), row = p.along_out ? q : rest, e = p.along_out ? rest : q;
    if (row < rows) write(p, to[row], group[row], e, line[place(row * p.n.extent + e)]);
  }
}
