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
#define THREADS 256
#define PLAIN (!BIG && ORDER & 1) /* places whose elements are all inside the image have a way of their own */
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

/* What the axes take: elements, by their distance from the first one, and weights. */
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

/* A coordinate, and its whole part and the rest: exact, as of doubles. Conversions between double and whole numbers
** are a GPU's slowest instructions, so sums with 1.5 * 2^52, whose lowest bits are the nearest whole number, take
** their place. A coordinate in float less 1 is exact from 1 on; those below 1 are beyond the first element. */
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

/* The taps along axis d of a place all of whose elements are inside the image there, for odd orders; false for any
** other place, with taps that may be read. */
static __device__ __forceinline__ bool plain_taps(const transform &p, int d, coordinate place, offset (&at)[ORDER + 1],
                                                  T (&of)[ORDER + 1]) {
  int start;
  ma_spline_real weight[MA_SPLINE_MOST];
  bool plain = PLAIN && p.pad == 0 && place >= 0 && place < (coordinate)(int)p.shape[d];
  const coordinate rest = split(place, &start);
  offset stride = 1;
#pragma unroll
  for (int k = NDIM - 1; k > d; k--) stride *= (offset)p.shape[k];
  start -= ORDER / 2;
  plain = plain && start >= 0 && start + ORDER < (int)p.shape[d];
  ma_spline_weights((ma_spline_real)rest, ORDER, weight);
#pragma unroll
  for (int k = 0; k <= ORDER; k++) {
    at[k] = plain ? (offset)(start + k) * stride : 0;
    of[k] = (T)weight[k];
  }
  return plain;
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

/* A thread's values lie THREADS apart; all their coordinates are read before the image is, and all their elements
** before a sum is made. */
MA_KERNEL __launch_bounds__(THREADS) transform_image(const __grid_constant__ transform p) {
  const i8 first = (i8)blockIdx.x * (THREADS * EACH) + threadIdx.x;
  coordinate place[EACH][NDIM];
  T value[EACH];
  taps s[EACH];
  bool plain[EACH];
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const i8 t = first + e * THREADS;
    places(p, t < p.total ? t : p.total - 1, place[e]);
  }
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    plain[e] = true;
#pragma unroll
    for (int d = 0; d < NDIM; d++) plain[e] = plain_taps(p, d, place[e][d], s[e].at[d], s[e].weight[d]) && plain[e];
  }
#pragma unroll
  for (int e = 0; e < EACH; e++) value[e] = PLAIN ? over<0>::sum(p, s[e], 0, false) : (T)0;
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const i8 t = first + e * THREADS;
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

#define SIDE 32 /* of a tile: its rows, and its columns, a lane each */

/* The taps of one position along an axis, and whether they are the plain ones. */
struct mark {
  offset at[ORDER + 1];
  T weight[ORDER + 1];
  double place;
  bool plain;
};

static __device__ __forceinline__ void set_mark(const transform &p, int d, i8 at, mark &m) {
  m.place = place_on(p, d, at);
  m.plain = plain_taps(p, d, m.place, m.at, m.weight);
}

/* A block has SIDE rows, along the axis before the last one, by SIDE columns; a thread EACH = 4 of them. */
MA_KERNEL __launch_bounds__(THREADS) transform_image(const __grid_constant__ transform p) {
  __shared__ mark marks[2][SIDE], outer[NDIM];
  const int lane = threadIdx.x % SIDE, warp = threadIdx.x / SIDE;
  const i8 columns = p.out_shape[NDIM - 1], rows = NDIM > 1 ? p.out_shape[NDIM > 1 ? NDIM - 2 : 0] : 1;
  const i8 wide = (columns + SIDE - 1) / SIDE, high = (rows + SIDE - 1) / SIDE;
  const u4 above = blockIdx.x / (u4)wide, planes = above / (u4)high;
  const i8 column0 = (i8)(blockIdx.x - above * (u4)wide) * SIDE, row0 = (i8)(above - planes * (u4)high) * SIDE;
  if (warp == 0) set_mark(p, NDIM - 1, column0 + lane, marks[0][lane]);
  if (NDIM > 1 && warp == 1) set_mark(p, NDIM > 1 ? NDIM - 2 : 0, row0 + lane, marks[1][lane]);
  if (NDIM > 2 && threadIdx.x == 2 * SIDE) {
    u4 rest = planes;
#pragma unroll
    for (int d = NDIM - 3; d >= 0; d--) {
      const u4 extent = (u4)p.out_shape[d], up = rest / extent;
      set_mark(p, d, (i8)(rest - up * extent), outer[d]);
      rest = up;
    }
  }
  __syncthreads();
  if (column0 + lane >= columns) return;
  T value[EACH];
  bool plain[EACH];
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const int r = warp + e * (THREADS / SIDE);
    taps s;
    plain[e] = true;
#pragma unroll
    for (int d = 0; d < NDIM; d++) {
      const mark &m = d == NDIM - 1 ? marks[0][lane] : d == NDIM - 2 ? marks[1][r] : outer[d];
      plain[e] = plain[e] && m.plain;
#pragma unroll
      for (int k = 0; k <= ORDER; k++) {
        s.at[d][k] = m.at[k];
        s.weight[d][k] = m.weight[k];
      }
    }
    value[e] = PLAIN ? over<0>::sum(p, s, 0, false) : (T)0;
  }
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const i8 r = warp + e * (THREADS / SIDE);
    if (row0 + r >= rows) return;
    if (!plain[e]) {
      double place[NDIM];
#pragma unroll
      for (int d = 0; d < NDIM; d++)
        place[d] = d == NDIM - 1 ? marks[0][lane].place : d == NDIM - 2 ? marks[1][r].place : outer[d].place;
      value[e] = any_value(p, place);
    }
    keep(p, ((i8)planes * rows + row0 + r) * columns + column0 + lane, value[e]);
  }
}

#endif
