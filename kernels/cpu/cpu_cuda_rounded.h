/*
** cpu_cuda_rounded.h: arithmetic and conversions with a given rounding, on a CPU: __fadd_rz, __dmul_ru, __float2int_rd
** ...
**
** The processor's rounding mode is not changed: that is slow, and compilers move arithmetic across the change. Instead
** the result is computed to nearest, together with its error. The error is that of the sum, or the result is known in a
** wider type that is exact, or so wide that no other result lies between. If the nearest result is on the wrong side,
** its neighbour is taken.
*/

#if defined(__SIZEOF_FLOAT128__)
typedef __float128 ma_quadruple;
#else
typedef long double ma_quadruple; /* 113 bits, if the compiler has no other type */
#endif
template <class T> struct ma_wide;
template <> struct ma_wide<float> {
  typedef double type;
  static float most() { return FLT_MAX; }
};
template <> struct ma_wide<double> {
  typedef ma_quadruple type;
  static double most() { return DBL_MAX; }
};
static inline float ma_next(float x, float to) { return nextafterf(x, to); }
static inline double ma_next(double x, double to) { return nextafter(x, to); }

enum { MA_RN, MA_RZ, MA_RU, MA_RD };

/* r + e as a T, where e is less than the last bit of r, so that only its sign counts. */
template <int mode, class T, class W> static inline T ma_rounded(W r, W e) {
  T f = (T)r;
  if (mode == MA_RN || r - r != 0) return f;
  bool up = mode == MA_RU || (mode == MA_RZ && r < 0), above = (W)f > r || ((W)f == r && e < 0),
       below = (W)f < r || ((W)f == r && e > 0);
  if (up && below) return ma_next(f, (T)INFINITY);
  if (!up && above) return ma_next(f, (T)-INFINITY);
  return f;
}
/* x + y; a sum of 0 has the sign that the mode demands. */
template <int mode, class T, class W> static inline T ma_sum(W x, W y, W most) {
  W r = x + y, part = r - x, e = (x - (r - part)) + (y - part);
  if (mode == MA_RN || x - x != 0 || y - y != 0) return (T)r;
  if (r - r != 0) return ma_rounded<mode, T, W>(r > 0 ? most : -most, r);
  if (r == 0 && e == 0 && mode == MA_RD && !(x == 0 && y == 0 && !__builtin_signbit((T)x) && !__builtin_signbit((T)y)))
    return -(T)0;
  return ma_rounded<mode, T, W>(r, e);
}
template <int mode, class T> static inline T ma_add(T x, T y) { return ma_sum<mode, T, T>(x, y, ma_wide<T>::most()); }
template <int mode, class T> static inline T ma_mul(T x, T y) {
  typedef typename ma_wide<T>::type W;
  return mode == MA_RN ? x * y : ma_rounded<mode, T, W>((W)x * (W)y, 0);
}
template <int mode, class T> static inline T ma_div(T x, T y) {
  typedef typename ma_wide<T>::type W;
  return mode == MA_RN || y == 0 ? x / y : ma_rounded<mode, T, W>((W)x / (W)y, 0);
}
template <int mode, class T> static inline T ma_fma(T x, T y, T z) {
  typedef typename ma_wide<T>::type W;
  return mode == MA_RN ? (T)fma(x, y, z) : ma_sum<mode, T, W>((W)x * (W)y, (W)z, 0);
}
template <int mode> static inline float ma_root(float x) {
  return mode == MA_RN ? sqrtf(x) : ma_rounded<mode, float, double>(sqrt((double)x), 0);
}
template <int mode> static inline double ma_root(double x) {
  double r = sqrt(x);
  if (mode == MA_RN || r - r != 0 || x == 0) return r;
  /* Scaled so that the error of r * r does not underflow. */
  double scale = x < 1e-200 ? 0x1p600 : 1, half = x < 1e-200 ? 0x1p300 : 1, s = r * half;
  return ma_rounded<mode, double, double>(r, fma(-s, s, x * scale));
}

#define MA_ARITHMETIC(mode, MODE, letter, T, fma_)                                 \
  static inline T __##letter##add_##mode(T x, T y) { return ma_add<MODE>(x, y); }  \
  static inline T __##letter##sub_##mode(T x, T y) { return ma_add<MODE>(x, -y); } \
  static inline T __##letter##mul_##mode(T x, T y) { return ma_mul<MODE>(x, y); }  \
  static inline T __##letter##div_##mode(T x, T y) { return ma_div<MODE>(x, y); }  \
  static inline T __##letter##rcp_##mode(T x) { return ma_div<MODE>((T)1, x); }    \
  static inline T __##letter##sqrt_##mode(T x) { return ma_root<MODE>(x); }        \
  static inline T fma_##_##mode(T x, T y, T z) { return ma_fma<MODE>(x, y, z); }

/* Conversions to integers stop at the ends of the range. NaN gives 0 for conversions from float to 32 bits, and a word
** with only its highest bit set for the others. */
template <class To, class From> static inline To ma_convert(From x) {
  const To high = (To)-1 < 0 ? (To)(((unsigned long long)1 << (8 * sizeof(To) - 1)) - 1) : (To)-1,
           low = (To)-1 < 0 ? -high - 1 : 0;
  if (x != x) return sizeof(From) == 4 && sizeof(To) == 4 ? (To)0 : (To)((unsigned long long)1 << (8 * sizeof(To) - 1));
  return x <= (From)low ? low : x >= (From)high ? high : (To)x;
}
#define MA_TO_INTEGER(mode, round, from, F, to, T) \
  static inline T __##from##2##to##_##mode(F x) { return ma_convert<T>(round(x)); }
#define MA_TO_INTEGERS(mode, round, from, F)          \
  MA_TO_INTEGER(mode, round, from, F, int, int)       \
  MA_TO_INTEGER(mode, round, from, F, uint, unsigned) \
  MA_TO_INTEGER(mode, round, from, F, ll, long long)  \
  MA_TO_INTEGER(mode, round, from, F, ull, unsigned long long)
#define MA_FROM_INTEGER(mode, MODE, from, F, to, T, W) \
  static inline T __##from##2##to##_##mode(F x) { return MODE == MA_RN ? (T)x : ma_rounded<MODE, T, W>((W)x, 0); }

#define MA_MODE(mode, MODE, round)                                                                        \
  MA_ARITHMETIC(mode, MODE, f, float, __fmaf)                                                             \
  MA_ARITHMETIC(mode, MODE, d, double, __fma)                                                             \
  MA_TO_INTEGERS(mode, round, float, float)                                                               \
  MA_TO_INTEGERS(mode, round, double, double) MA_FROM_INTEGER(mode, MODE, int, int, float, float, double) \
  MA_FROM_INTEGER(mode, MODE, uint, unsigned, float, float, double)                                       \
  MA_FROM_INTEGER(mode, MODE, ll, long long, float, float, long double)                                   \
  MA_FROM_INTEGER(mode, MODE, ull, unsigned long long, float, float, long double)                         \
  MA_FROM_INTEGER(mode, MODE, ll, long long, double, double, long double)                                 \
  MA_FROM_INTEGER(mode, MODE, ull, unsigned long long, double, double, long double)                       \
  static inline float __double2float_##mode(double x) { return ma_rounded<MODE, float, double>(x, 0); }
MA_MODE(rn, MA_RN, rint)
MA_MODE(rz, MA_RZ, trunc)
MA_MODE(ru, MA_RU, ceil)
MA_MODE(rd, MA_RD, floor)
#undef MA_MODE
#undef MA_ARITHMETIC
#undef MA_TO_INTEGER
#undef MA_TO_INTEGERS
#undef MA_FROM_INTEGER

static inline float __frsqrt_rn(float x) { return (float)(1 / sqrtl((long double)x)); }
static inline double __int2double_rn(int x) { return x; }
static inline double __uint2double_rn(unsigned x) { return x; }
