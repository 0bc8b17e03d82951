/*
** csr.cuh: what the kernels of sparse matrices share. The text before it has
**   typedef dt         the dtype of the values
**   idx, uidx          the integer of indptr and indices, and the unsigned one of its width
**   OR                 1: the values are booleans, whose sum is `or`
** Positions count from 1. A position outside of a matrix stands for no entry: the user may have written one.
*/
#define WHOLE 0xffffffffu
#define THREADS 256

typedef dt::mem mem;
typedef dt::reg reg;
#define PARAM_INDEX idx
#define PARAM_VALUE mem

static __device__ __forceinline__ float plus(float a, float b) { return a + b; }
static __device__ __forceinline__ double plus(double a, double b) { return a + b; }
static __device__ __forceinline__ ma_c64 plus(ma_c64 a, ma_c64 b) { return ma_make_c64(a.re + b.re, a.im + b.im); }
static __device__ __forceinline__ ma_c128 plus(ma_c128 a, ma_c128 b) { return ma_make_c128(a.re + b.re, a.im + b.im); }
static __device__ __forceinline__ float add_product(float a, float b, float c) { return __fmaf_rn(a, b, c); }
static __device__ __forceinline__ double add_product(double a, double b, double c) { return __fma_rn(a, b, c); }
static __device__ __forceinline__ ma_c64 add_product(ma_c64 a, ma_c64 b, ma_c64 c) {
  return ma_make_c64(__fmaf_rn(-a.im, b.im, __fmaf_rn(a.re, b.re, c.re)),
                     __fmaf_rn(a.im, b.re, __fmaf_rn(a.re, b.im, c.im)));
}
static __device__ __forceinline__ ma_c128 add_product(ma_c128 a, ma_c128 b, ma_c128 c) {
  return ma_make_c128(__fma_rn(-a.im, b.im, __fma_rn(a.re, b.re, c.re)),
                      __fma_rn(a.im, b.re, __fma_rn(a.re, b.im, c.im)));
}
static __device__ __forceinline__ float times(float a, float b) { return a * b; }
static __device__ __forceinline__ double times(double a, double b) { return a * b; }
static __device__ __forceinline__ ma_c64 times(ma_c64 a, ma_c64 b) {
  return ma_make_c64(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
static __device__ __forceinline__ ma_c128 times(ma_c128 a, ma_c128 b) {
  return ma_make_c128(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
template <class T> static __device__ __forceinline__ T times(T a, T b) {
#if OR
  return a & b;
#else
  return ma_int_multiply(a, b);
#endif
}
#if OR
template <class T> static __device__ __forceinline__ T plus(T a, T b) { return a | b; }
template <class T> static __device__ __forceinline__ T add_product(T a, T b, T c) { return (a & b) | c; }
#else
template <class T> static __device__ __forceinline__ T plus(T a, T b) { return ma_int_add(a, b); }
template <class T> static __device__ __forceinline__ T add_product(T a, T b, T c) {
  return ma_int_add(ma_int_multiply(a, b), c);
}
#endif

template <class T> static __device__ __forceinline__ bool is_some(T x) { return x != 0; }
static __device__ __forceinline__ bool is_some(ma_c64 x) { return x.re != 0 || x.im != 0; }
static __device__ __forceinline__ bool is_some(ma_c128 x) { return x.re != 0 || x.im != 0; }

/* A value as the words that a warp can exchange. */
template <class T> union exchanged {
  T v;
  u4 w[(sizeof(T) + 3) / 4];
  __device__ __forceinline__ exchanged() : w() {}
};
#define TAKE(name, shuffle)                                                  \
  template <class T> static __device__ __forceinline__ T name(T v, int by) { \
    exchanged<T> x;                                                          \
    x.v = v;                                                                 \
    _Pragma("unroll") for (u4 & w : x.w) w = shuffle(WHOLE, w, by);          \
    return x.v;                                                              \
  }
TAKE(take_xor, __shfl_xor_sync)
TAKE(take_up, __shfl_up_sync)
TAKE(take_from, __shfl_sync)

/* Reads memory that no kernel writes, through the read-only cache. */
template <class T> static __device__ __forceinline__ T get(const T *p) { return __ldg(p); }
static __device__ __forceinline__ ma_c64 get(const ma_c64 *p) { return ma_make_c64(__ldg(&p->re), __ldg(&p->im)); }
static __device__ __forceinline__ ma_c128 get(const ma_c128 *p) { return ma_make_c128(__ldg(&p->re), __ldg(&p->im)); }

/* Reads past the first cache, which does not see what other multiprocessors write. */
template <class T> static __device__ __forceinline__ T fresh(const T *p) { return __ldcg(p); }
static __device__ __forceinline__ ma_c64 fresh(const ma_c64 *p) { return ma_make_c64(__ldcg(&p->re), __ldcg(&p->im)); }
static __device__ __forceinline__ ma_c128 fresh(const ma_c128 *p) {
  return ma_make_c128(__ldcg(&p->re), __ldcg(&p->im));
}

/* Where the entries of row r (from 0) end, from 0; r = -1: where those of row 0 begin. Never outside of the matrix. */
template <class I> static __device__ __forceinline__ i8 row_end(const I *indptr, i8 r, i8 nnz) {
  const i8 end = (i8)indptr[r + 1] - 1;
  return end < 0 ? 0 : end > nnz ? nnz : end;
}

/* The number of rows from the first on for which f(row) holds. Behind a row for which it does not hold, it holds for
** none. The whole warp searches, each lane at one of 32 rows. */
template <class F> static __device__ __forceinline__ i8 count_rows(i8 low, i8 high, F f) {
  while (low < high) {
    const i8 step = (high - low + 31) / 32, at = low + (threadIdx.x % 32 + 1) * step - 1;
    const int n = __popc(__ballot_sync(WHOLE, at < high && f(at)));
    const i8 last = low + (n + 1) * step - 1;
    low += n * step;
    if (low > high) low = high;
    if (n < 32 && last < high) high = last;
  }
  return low;
}
