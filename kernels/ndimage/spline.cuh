/*
** spline.cuh: the recursive filter that turns elements into coefficients of a spline, one pole at a time: forwards into
** `between`, and backwards into the array again. A line is cut into pieces. The filter forgets, so a piece begins
** `warm` elements early with any state. The text before it has edge.h, spline.h and
**   T       float or double
**   MODE    MIRROR, REFLECT or GRID_WRAP
**   ROWS    lines lie along the last axis: a warp takes 32 lines and turns tiles of them in shared memory; `between`
**           has the lines beside each other
*/
#define THREADS (ROWS ? 32 : 128)
#define CHUNK 32
#define SOME 8 /* elements that are read before one of them is needed, since stores hold back later loads */

struct spline {
  T *data, *between;
  i8 outer, n, inner, lines, piece, pieces, warm;
  double z, gain, power; /* power: the pole to the power of n, of n - 1 for MIRROR */
};

static __device__ __forceinline__ double magnitude(double x) { return x < 0 ? -x : x; }

/* The first value of a line, whose elements are `step` apart. */
static __device__ T begin(const spline &p, const T *c, i8 step) {
  const i8 n = p.n, count = MODE == MA_EDGE_MIRROR ? n - 1 : n;
  const T *end = c + (n - 1) * step;
  const double gain = p.gain, first = (T)(c[0] * (T)gain);
  double sum = first, power = p.z;
  if (MODE != MA_EDGE_GRID_WRAP) sum += p.power * ((double)*end * gain);
  for (i8 i = 1; i < count && magnitude(power) > 1e-20; i++, power *= p.z) {
    if (MODE == MA_EDGE_GRID_WRAP) sum += power * ((double)end[-(i - 1) * step] * gain);
    else sum += power * ((double)c[i * step] * gain + p.power * ((double)end[-i * step] * gain));
  }
  if (MODE == MA_EDGE_GRID_WRAP) return (T)(sum / (1 - p.power));
  if (MODE == MA_EDGE_MIRROR) return (T)(sum / (1 - p.power * p.power));
  return (T)(sum * (p.z / (1 - p.power * p.power)) + first);
}

/* The last value on the way back. */
static __device__ T turn(const spline &p, const T *c, i8 step) {
  const i8 n = p.n;
  const double last = c[(n - 1) * step], z = p.z;
  if (MODE == MA_EDGE_MIRROR) return (T)((z * (double)c[(n - 2) * step] + last) * z / (z * z - 1));
  if (MODE == MA_EDGE_REFLECT) return (T)(last * (z / (z - 1)));
  double sum = last, power = z;
  for (i8 i = 0; i < n - 1 && magnitude(power) > 1e-20; i++, power *= z) sum += power * (double)c[i * step];
  return (T)(sum * (z / (p.power - 1)));
}

#if !ROWS

/* A thread for a piece of a line; neighbouring threads have neighbouring lines. */
MA_KERNEL __launch_bounds__(THREADS) forwards(const spline p) {
  const i8 t = (i8)blockIdx.x * THREADS + threadIdx.x;
  if (t >= p.lines * p.pieces) return;
  const i8 inner = t % p.inner, above = t / p.inner, piece = above % p.pieces;
  const i8 line = above / p.pieces * p.n * p.inner + inner, step = p.inner;
  const T *c = p.data + line, z = (T)p.z, gain = (T)p.gain;
  T *to = p.between + line, state;
  i8 i = piece * p.piece, last = i + p.piece < p.n ? i + p.piece : p.n;
  if (piece == 0) {
    state = begin(p, c, step);
    to[0] = state;
    i = 1;
  } else {
    state = 0;
#pragma unroll 8
    for (i8 k = i - p.warm; k < i; k++) state = c[k * step] * gain + z * state;
  }
  for (T some[SOME]; i < last; i += SOME) {
#pragma unroll
    for (int k = 0; k < SOME; k++)
      if (i + k < last) some[k] = c[(i + k) * step];
#pragma unroll
    for (int k = 0; k < SOME; k++)
      if (i + k < last) to[(i + k) * step] = state = some[k] * gain + z * state;
  }
}

MA_KERNEL __launch_bounds__(THREADS) backwards(const spline p) {
  const i8 t = (i8)blockIdx.x * THREADS + threadIdx.x;
  if (t >= p.lines * p.pieces) return;
  const i8 inner = t % p.inner, above = t / p.inner, piece = above % p.pieces;
  const i8 line = above / p.pieces * p.n * p.inner + inner, step = p.inner;
  const T *c = p.between + line, z = (T)p.z;
  T *to = p.data + line, state;
  const i8 first = piece * p.piece;
  i8 i = first + p.piece < p.n ? first + p.piece : p.n, warm = i + p.warm;
  if (warm >= p.n) {
    state = turn(p, c, step);
    if (i == p.n) to[--i * step] = state;
    else
      for (i8 k = p.n - 2; k >= i; k--) state = z * (state - c[k * step]);
  } else {
    state = 0;
#pragma unroll 8
    for (i8 k = warm - 1; k >= i; k--) state = z * (state - c[k * step]);
  }
  T some[SOME];
  for (i--; i >= first; i -= SOME) {
#pragma unroll
    for (int k = 0; k < SOME; k++)
      if (i - k >= first) some[k] = c[(i - k) * step];
#pragma unroll
    for (int k = 0; k < SOME; k++)
      if (i - k >= first) to[(i - k) * step] = state = z * (state - some[k]);
  }
}

#else

/* A warp for a piece of 32 lines; line k of a tile belongs to lane k. */
MA_KERNEL __launch_bounds__(THREADS) forwards(const spline p) {
  __shared__ T tile[CHUNK][CHUNK + 1];
  const i8 group = blockIdx.x / p.pieces, piece = blockIdx.x % p.pieces, line0 = group * CHUNK, lane = threadIdx.x;
  const i8 line = line0 + lane, first = piece * p.piece, last = first + p.piece < p.n ? first + p.piece : p.n;
  const bool mine = line < p.lines;
  const T z = (T)p.z, gain = (T)p.gain;
  T state = 0;
  for (i8 at = piece == 0 ? 0 : first - p.warm; at < last; at += CHUNK) {
    __syncwarp();
#pragma unroll 16
    for (int r = 0; r < CHUNK; r++)
      if (at + lane < last && line0 + r < p.lines) tile[r][lane] = p.data[(line0 + r) * p.n + at + lane];
    __syncwarp();
    if (mine)
      for (int k = 0; k < CHUNK && at + k < last; k++) {
        if (at + k == 0) state = begin(p, p.data + line * p.n, 1);
        else state = tile[lane][k] * gain + z * state;
        if (at + k >= first) p.between[(at + k) * p.lines + line] = state;
      }
  }
}

MA_KERNEL __launch_bounds__(THREADS) backwards(const spline p) {
  __shared__ T tile[CHUNK][CHUNK + 1];
  const i8 group = blockIdx.x / p.pieces, piece = blockIdx.x % p.pieces, line0 = group * CHUNK, lane = threadIdx.x;
  const i8 line = line0 + lane, first = piece * p.piece, last = first + p.piece < p.n ? first + p.piece : p.n;
  const bool mine = line < p.lines;
  const T z = (T)p.z;
  i8 i = last + p.warm < p.n ? last + p.warm : p.n;
  T state = 0;
  if (mine) {
    if (i == p.n) {
      state = turn(p, p.between + line, p.lines);
      i--;
    }
    for (i8 k = i - 1; k >= last; k--) state = z * (state - p.between[k * p.lines + line]);
  }
  /* Lanes agree on the steps, since all lines have the same length. */
  for (i8 at = last; at > first; at -= CHUNK) {
    const i8 low = at - CHUNK > first ? at - CHUNK : first;
    __syncwarp();
    T some[SOME];
    for (i8 i0 = at - 1; mine && i0 >= low; i0 -= SOME) {
#pragma unroll
      for (int k = 0; k < SOME; k++)
        if (i0 - k >= low) some[k] = p.between[(i0 - k) * p.lines + line];
#pragma unroll
      for (int k = 0; k < SOME; k++)
        if (i0 - k >= low) {
          if (i0 - k < p.n - 1) state = z * (state - some[k]);
          tile[lane][i0 - k - low] = state;
        }
    }
    __syncwarp();
#pragma unroll 16
    for (int r = 0; r < CHUNK; r++)
      if (low + lane < at && line0 + r < p.lines) p.data[(line0 + r) * p.n + low + lane] = tile[r][lane];
  }
}

#endif
