/*
** small.cuh: elements of small matrices whose rows are in the registers of a group of lanes, for solve.cuh and
** cholesky.cuh behind it. The text before it defines real, and COMPLEX, which says whether T is a pair of these.
*/
#if COMPLEX
struct T {
  real re, im;
};
static __device__ __forceinline__ T from_real(real x) {
  T z;
  z.re = x;
  z.im = 0;
  return z;
}
#else
typedef real T;
static __device__ __forceinline__ T from_real(real x) { return x; }
#endif

template <class V> static __device__ __forceinline__ V of_lane(V x, int lane) {
  union {
    V v;
    unsigned w[sizeof(V) / 4];
  } u;
  u.v = x;
#pragma unroll
  for (int k = 0; k < (int)(sizeof(V) / 4); k++) u.w[k] = __shfl_sync(0xffffffffu, u.w[k], lane);
  return u.v;
}
