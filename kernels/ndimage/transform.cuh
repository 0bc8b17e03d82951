/*
** transform.cuh: values of a spline at places of an image. The text before it has edge.h, spline.h and
**   T                  float or double: of the image and of sums
**   result, CUT        traits of the result's dtype; a double as its element
**   NDIM, OUT_NDIM     axes of the image and of the result
**   ORDER, MODE        of the spline; the rule beyond the edges
**   BIG                2^31 elements of the image and more
**   KIND               0: coordinates, of dtype COORDINATE; 1: a matrix; 2: a diagonal matrix
**   EACH               values that a thread makes
**   TILED              1 for a diagonal matrix and a result that is not narrow: a place along an axis depends on the
**                      position along that axis alone, so a block computes the weights of a tile's rows and columns
**                      once
*/
#define PLAIN (!BIG && ORDER & 1) /* places whose elements are all inside the image get a shorter way */
#if PLAIN
#define SELDOM __noinline__
#else
#define SELDOM __forceinline__
#endif

#if BIG
typedef i8 offset;
#else
typedef i4 offset;
#endif

struct transform {
  const T *from;
  void *to;
#if KIND == 0
  const COORDINATE *coordinates;
#else
  double matrix[NDIM][KIND == 1 ? OUT_NDIM : 1], shift[NDIM], before[NDIM];
#endif
  i8 total, shape[NDIM], out_shape[OUT_NDIM];
  double cval, pad;
};

/* What a value takes along each axis: elements, by their distances from the first one, and their weights. */
struct taps {
  offset at[NDIM][ORDER + 1];
  T weight[NDIM][ORDER + 1];
};

template <int D> struct over {
  static __device__ __forceinline__ T sum(const transform &p, const taps &s, offset base, bool out) {
    T r = 0;
#pragma unroll
    for (int k = 0; k <= ORDER; k++) {
      const bool beyond = MODE == MA_EDGE_GRID_CONSTANT && s.at[D][k] < 0;
      r += s.weight[D][k] * over<D + 1>::sum(p, s, beyond ? base : base + s.at[D][k], out || beyond);
    }
    return r;
  }
};
template <> struct over<NDIM> {
  static __device__ __forceinline__ T sum(const transform &p, const taps &, offset base, bool out) {
    return MODE == MA_EDGE_GRID_CONSTANT && out ? (T)p.cval : p.from[base];
  }
};

/* A coordinate, split into its whole part and the rest. The split is as exact as that of a double. A GPU's slowest
** instructions are the conversions between double and whole numbers. So 1.5 * 2^52 is added instead, and the lowest
** bits of the sum are the nearest whole number. For coordinates from 1 on, the coordinate less 1 is exact in float;
** those below 1 are beyond the first element. */
#if KIND == 0
typedef COORDINATE coordinate;
#else
typedef double coordinate;
#endif

static __device__ __forceinline__ double split(double x, int *whole) {
  const double nearest = x + 6755399441055744.0, r = x - (nearest - 6755399441055744.0);
  const int k = (int)(u4)__double_as_longlong(nearest);
  *whole = r < 0 ? k - 1 : k;
  return r < 0 ? r + 1 : r;
}
static __device__ __forceinline__ float split(float x, int *whole) {
  *whole = (int)x;
  return x - (float)*whole;
}
static __device__ __forceinline__ double real_of(i8 at) {
  if (at >= 0x7fffffff) return (double)at;
  return __longlong_as_double(0x4330000000000000ll + at) - 4503599627370496.0;
}

/* The distance in elements between neighbours along axis d. */
static __device__ __forceinline__ offset stride_of(const transform &p, int d) {
  offset stride = 1;
#pragma unroll
  for (int k = NDIM - 1; k > d; k--) stride *= (offset)p.shape[k];
  return stride;
}

/* What an axis takes at a place whose elements are all inside the image, for odd orders: the distance of its first
** element from the image's first, and the weights of it and its neighbours. At any other place the distance is -1. */
struct __align__(16) run {
  offset start;
  T weight[ORDER + 1];
};

static __device__ __forceinline__ void set_run(const transform &p, int d, coordinate place, run &r) {
  int start;
  ma_spline_real weight[MA_SPLINE_MOST];
  bool plain = PLAIN && p.pad == 0 && place >= 0 && place < (coordinate)(int)p.shape[d];
  const coordinate rest = split(place, &start);
  start -= ORDER / 2;
  plain = plain && start >= 0 && start + ORDER < (int)p.shape[d];
  ma_spline_weights((ma_spline_real)rest, ORDER, weight);
  r.start = plain ? (offset)start * stride_of(p, d) : (offset)-1;
#pragma unroll
  for (int k = 0; k <= ORDER; k++) r.weight[k] = (T)weight[k];
}

template <int D> struct plain_over {
  static __device__ __forceinline__ T sum(const transform &p, const run (&of)[NDIM], const T *from) {
    const offset stride = stride_of(p, D);
    T r = 0;
#pragma unroll
    for (int k = 0; k <= ORDER; k++) r += of[D].weight[k] * plain_over<D + 1>::sum(p, of, from + k * stride);
    return r;
  }
};
template <> struct plain_over<NDIM> {
  static __device__ __forceinline__ T sum(const transform &, const run (&)[NDIM], const T *from) { return *from; }
};

/* Whether an image has places with plain runs at all. Then all runs may be read from its first element on. */
static __device__ __forceinline__ bool has_plain(const transform &p) {
  bool has = PLAIN;
#pragma unroll
  for (int d = 0; d < NDIM; d++) has = has && p.shape[d] > ORDER;
  return has;
}

/* The value at a place. *plain tells whether its runs are plain; if not, the value means nothing. */
static __device__ __forceinline__ T plain_value(const transform &p, const run (&of)[NDIM], bool *plain) {
  offset start = 0;
  *plain = true;
#pragma unroll
  for (int d = 0; d < NDIM; d++) {
    *plain = *plain && of[d].start >= 0;
    start += of[d].start;
  }
  return plain_over<0>::sum(p, of, p.from + (*plain ? start : 0));
}

/* The value at any place. */
static __device__ SELDOM T any_value(const transform &p, const double (&place)[NDIM]) {
  taps s;
  bool inside = true;
#pragma unroll
  for (int d = 0; d < NDIM; d++) {
    int64_t position[MA_SPLINE_MOST];
    ma_spline_real weight[MA_SPLINE_MOST];
    inside = inside && ma_spline_place(place[d] + p.pad, p.shape[d], ORDER, MODE, position, weight);
    offset stride = 1;
#pragma unroll
    for (int k = d + 1; k < NDIM; k++) stride *= (offset)p.shape[k];
#pragma unroll
    for (int k = 0; k <= ORDER; k++) {
      s.at[d][k] = !inside ? 0 : position[k] < 0 ? (offset)-1 : (offset)position[k] * stride;
      s.weight[d][k] = inside ? (T)weight[k] : (T)0;
    }
  }
  return inside ? over<0>::sum(p, s, 0, false) : (T)p.cval;
}

static __device__ __forceinline__ void keep(const transform &p, i8 t, T value) {
  ((result::mem *)p.to)[t] = CUT((double)value);
}

#if KIND == 2
static __device__ __forceinline__ double place_on(const transform &p, int d, i8 at) {
  return (real_of(at) + p.before[d]) * p.matrix[d][0] + p.shift[d];
}
#endif

#if !TILED

/* The places of value t. */
static __device__ __forceinline__ void places(const transform &p, i8 t, coordinate (&place)[NDIM]) {
#if KIND == 0
#pragma unroll
  for (int d = 0; d < NDIM; d++) place[d] = p.coordinates[d * p.total + t] - (coordinate)1;
#else
  i8 at[OUT_NDIM], rest = t;
#pragma unroll
  for (int d = OUT_NDIM - 1; d > 0; d--) {
    const i8 above = p.total < 0x7fffffff ? (i8)((u4)rest / (u4)p.out_shape[d]) : rest / p.out_shape[d];
    at[d] = rest - above * p.out_shape[d];
    rest = above;
  }
  at[0] = rest;
#pragma unroll
  for (int d = 0; d < NDIM; d++) {
#if KIND == 2
    place[d] = place_on(p, d, at[d]);
#else
    place[d] = p.shift[d];
#pragma unroll
    for (int k = 0; k < OUT_NDIM; k++) place[d] += real_of(at[k]) * p.matrix[d][k];
#endif
  }
#endif
}

/* A thread's values lie a block apart. It reads all their coordinates before the image, and all their elements before
** it sums. */
MA_KERNEL __launch_bounds__(MA_THREADS) transform_image(const __grid_constant__ transform p) {
  const i8 first = (i8)blockIdx.x * (MA_THREADS * EACH) + threadIdx.x;
  coordinate place[EACH][NDIM];
  T value[EACH];
  run of[EACH][NDIM];
  bool plain[EACH] = {};
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const i8 t = first + e * MA_THREADS;
    places(p, t < p.total ? t : p.total - 1, place[e]);
  }
#pragma unroll
  for (int e = 0; e < EACH; e++)
#pragma unroll
    for (int d = 0; d < NDIM; d++) set_run(p, d, place[e][d], of[e][d]);
  if (has_plain(p))
#pragma unroll
    for (int e = 0; e < EACH; e++) value[e] = plain_value(p, of[e], &plain[e]);
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const i8 t = first + e * MA_THREADS;
    if (t >= p.total) return;
    if (!plain[e]) {
      double exact[NDIM];
#pragma unroll
      for (int d = 0; d < NDIM; d++) {
#if KIND == 0
        exact[d] = (double)p.coordinates[d * p.total + t] - 1;
#else
        exact[d] = place[e][d];
#endif
      }
      value[e] = any_value(p, exact);
    }
    keep(p, t, value[e]);
  }
}

#else

#define HIGH (MA_THREADS / MA_TRANSFORM_WIDE * EACH) /* its rows */

static __device__ __forceinline__ void set_axis(const transform &p, int d, i8 at, run &r) {
  set_run(p, d, place_on(p, d, at), r);
}

/* The positions of a plane along the axes before the last two. */
static __device__ __forceinline__ void positions(const transform &p, u4 plane, i8 (&at)[NDIM]) {
#pragma unroll
  for (int d = NDIM - 3; d >= 0; d--) {
    const u4 extent = (u4)p.out_shape[d], above = plane / extent;
    at[d] = (i8)(plane - above * extent);
    plane = above;
  }
}

#define AHEAD 2 /* rows of an image that are read before they are wanted */

/* Values of EACH rows below each other in one column. Each takes the same rows of the image as the value above it, or
** rows one further. A row of the image is summed along its run once, and the sum serves all the values that contain
** it. */
static __device__ __forceinline__ void put_shared(const transform &p, const run &across, const run *down,
                                                  result::mem *to) {
  const offset stride = stride_of(p, NDIM - 2), last = down[EACH - 1].start + ORDER * stride + across.start;
  offset start = down[0].start, at = start + across.start;
  T read[ORDER + 1 + AHEAD][ORDER + 1], sum[ORDER + 1];
#pragma unroll
  for (int k = 0; k <= ORDER + AHEAD; k++) {
#pragma unroll
    for (int j = 0; j <= ORDER; j++) read[k][j] = p.from[at + j];
    at = at + stride < last ? at + stride : last;
  }
  const auto along = [&](const T(&row)[ORDER + 1]) {
    T r = 0;
#pragma unroll
    for (int j = 0; j <= ORDER; j++) r += across.weight[j] * row[j];
    return r;
  };
#pragma unroll
  for (int k = 0; k <= ORDER; k++) sum[k] = along(read[k]);
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const run mine = down[e];
    if (mine.start != start) {
      start = mine.start;
#pragma unroll
      for (int k = 0; k < ORDER; k++) sum[k] = sum[k + 1];
      sum[ORDER] = along(read[ORDER + 1]);
#pragma unroll
      for (int j = 0; j <= ORDER; j++) {
#pragma unroll
        for (int k = ORDER + 1; k < ORDER + AHEAD; k++) read[k][j] = read[k + 1][j];
        read[ORDER + AHEAD][j] = p.from[at + j];
      }
      at = at + stride < last ? at + stride : last;
    }
    T r = 0;
#pragma unroll
    for (int k = 0; k <= ORDER; k++) r += mine.weight[k] * sum[k];
    *to = CUT((double)r);
    to += (u4)p.out_shape[NDIM - 1];
  }
}

/* Whether put_shared can make a column's values where the runs along the columns are plain. All threads of a warp call
** it. */
static __device__ __forceinline__ bool can_share(const transform &p, const run *down) {
  const int e = threadIdx.x % MA_TRANSFORM_WIDE;
  bool fits = NDIM == 2 && has_plain(p);
  if (fits && e < EACH) {
    const offset step = e > 0 ? down[e].start - down[e - 1].start : 0;
    fits = down[e].start >= 0 && (step == 0 || step == stride_of(p, NDIM - 2));
  }
  return __all_sync(~0u, fits);
}

/* A block has HIGH rows, along the axis before the last one, by as many columns as lanes, and a thread EACH rows that
** follow each other. With six blocks a multiprocessor has more reads under way than with five, which is what the
** compiler's choice of registers would allow. */
#define BLOCKS (ORDER == 1 && NDIM == 2 && sizeof(T) == 4 ? 6 : 0)

MA_KERNEL __launch_bounds__(MA_THREADS, BLOCKS) transform_image(const __grid_constant__ transform p) {
  __shared__ run across[MA_TRANSFORM_WIDE], down[HIGH], outer[NDIM];
  const int lane = threadIdx.x % MA_TRANSFORM_WIDE, warp = threadIdx.x / MA_TRANSFORM_WIDE;
  const u4 columns = (u4)p.out_shape[NDIM - 1], rows = (u4)p.out_shape[NDIM - 2];
  const u4 wide = (columns + MA_TRANSFORM_WIDE - 1) / MA_TRANSFORM_WIDE, high = (rows + HIGH - 1) / HIGH;
  const u4 above = blockIdx.x / wide, plane = NDIM > 2 ? above / high : 0;
  const u4 column0 = (blockIdx.x - above * wide) * MA_TRANSFORM_WIDE, row0 = (above - plane * high) * HIGH,
           row = row0 + warp * EACH;
  i8 at[NDIM];
  if (warp == 0) set_axis(p, NDIM - 1, column0 + lane, across[lane]);
  for (int r = threadIdx.x - MA_TRANSFORM_WIDE; r >= 0 && r < HIGH; r += MA_THREADS - MA_TRANSFORM_WIDE)
    set_axis(p, NDIM - 2, row0 + r, down[r]);
  if (NDIM > 2) positions(p, plane, at);
  if (NDIM > 2 && threadIdx.x == MA_THREADS - 1)
    for (int d = 0; d < NDIM - 2; d++) set_axis(p, d, at[d], outer[d]);
  __syncthreads();
  const run *const mine = down + warp * EACH;
  const bool shares = row + EACH <= rows && can_share(p, mine);
  if (column0 + lane >= columns || row >= rows) return;
  const u4 count = rows - row < EACH ? rows - row : EACH;
  run of[NDIM];
#pragma unroll
  for (int d = 0; d < NDIM - 2; d++) of[d] = outer[d];
  of[NDIM - 1] = across[lane];
  const i8 first = ((i8)plane * rows + row) * columns + column0 + lane;
  result::mem *to = (result::mem *)p.to + first;
  if (shares && of[NDIM - 1].start >= 0) {
    put_shared(p, of[NDIM - 1], mine, to);
    return;
  }
  T value[EACH];
  bool plain[EACH] = {};
  u4 left = 0; /* a bit for each value that is not plain, to be done after */
  if (has_plain(p))
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      of[NDIM - 2] = mine[e];
      value[e] = plain_value(p, of, &plain[e]);
    }
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    if (e < count && plain[e]) *to = CUT((double)value[e]);
    else if (e < count) left |= 1u << e;
    to += columns;
  }
#pragma unroll 1
  for (int e = 0; left >> e; e++) {
    double place[NDIM];
    if (!(left >> e & 1)) continue;
    at[NDIM - 2] = row + e;
    at[NDIM - 1] = column0 + lane;
#pragma unroll
    for (int d = 0; d < NDIM; d++) place[d] = place_on(p, d, at[d]);
    keep(p, first + (i8)e * columns, any_value(p, place));
  }
}

#endif
