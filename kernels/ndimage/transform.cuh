/*
** transform.cuh: values of a spline at places of an image; a thread makes one. The text before it has edge.h, spline.h
** and
**   T                  float or double: of the image and of sums
**   result, CUT        traits of the result's dtype; a double as its element
**   NDIM, OUT_NDIM     axes of the image and of the result
**   ORDER, MODE        of the spline; the rule beyond the edges
**   BIG                2^31 elements of the image and more
**   KIND               0: coordinates, of dtype COORDINATE; 1: a matrix; 2: a diagonal matrix
*/
#define THREADS 256

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

/* The taps of a place all of whose elements are inside the image along every axis, for odd orders; false for any other
** place. */
static __device__ __forceinline__ bool plain_taps(const transform &p, const coordinate *place, taps &s) {
  bool plain = !BIG && ORDER & 1;
  offset stride[NDIM];
  stride[NDIM - 1] = 1;
#pragma unroll
  for (int d = NDIM - 1; d > 0; d--) stride[d - 1] = stride[d] * (offset)p.shape[d];
#pragma unroll
  for (int d = 0; d < NDIM; d++) {
    int start;
    ma_spline_real weight[MA_SPLINE_MOST];
    plain = plain && place[d] >= 0 && place[d] < (coordinate)(int)p.shape[d];
    const coordinate rest = split(place[d], &start);
    start -= ORDER / 2;
    plain = plain && start >= 0 && start + ORDER < (int)p.shape[d];
    ma_spline_weights((ma_spline_real)rest, ORDER, weight);
#pragma unroll
    for (int k = 0; k <= ORDER; k++) {
      s.at[d][k] = (offset)(start + k) * stride[d];
      s.weight[d][k] = (T)weight[k];
    }
  }
  return plain;
}

MA_KERNEL __launch_bounds__(THREADS) transform_image(const transform p) {
  const i8 t = (i8)blockIdx.x * THREADS + threadIdx.x;
  if (t >= p.total) return;
  coordinate place[NDIM];
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
    place[d] = (real_of(at[d]) + p.before[d]) * p.matrix[d][0] + p.shift[d];
#else
    place[d] = p.shift[d];
#pragma unroll
    for (int k = 0; k < OUT_NDIM; k++) place[d] += real_of(at[k]) * p.matrix[d][k];
#endif
  }
#endif
  taps s;
  if (p.pad == 0 && plain_taps(p, place, s)) {
    ((result::mem *)p.to)[t] = CUT((double)over<0>::sum(p, s, 0, false));
    return;
  }
#if KIND == 0
  double exact[NDIM];
#pragma unroll
  for (int d = 0; d < NDIM; d++) exact[d] = (double)p.coordinates[d * p.total + t] - 1;
#else
  const double *exact = place;
#endif
  bool inside = true;
#pragma unroll
  for (int d = 0; d < NDIM; d++) {
    int64_t position[MA_SPLINE_MOST];
    ma_spline_real weight[MA_SPLINE_MOST];
    inside = inside && ma_spline_place(exact[d] + p.pad, p.shape[d], ORDER, MODE, position, weight);
    offset stride = 1;
#pragma unroll
    for (int k = d + 1; k < NDIM; k++) stride *= (offset)p.shape[k];
#pragma unroll
    for (int k = 0; k <= ORDER; k++) {
      s.at[d][k] = !inside ? 0 : position[k] < 0 ? (offset)-1 : (offset)position[k] * stride;
      s.weight[d][k] = inside ? (T)weight[k] : (T)0;
    }
  }
  const T value = inside ? over<0>::sum(p, s, 0, false) : (T)p.cval;
  ((result::mem *)p.to)[t] = CUT((double)value);
}
