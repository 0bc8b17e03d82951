/*
** cpu_cuda_math.h: CUDA's frequent functions of bits and numbers, on a CPU. It follows cpu_cuda.h. The rarer families
** have files of their own, which follow this one if a kernel's text names one of their functions
** (src/cpu/kernel/header.c). spec/kernel/intrinsics_spec.lua compares all of them with the bits of a GPU.
*/

/* ==== Bits ======================================================================================================= */

template <class To, class From> static inline To ma_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "as many bytes");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
static inline int __float_as_int(float x) { return ma_as<int>(x); }
static inline unsigned __float_as_uint(float x) { return ma_as<unsigned>(x); }
static inline float __int_as_float(int x) { return ma_as<float>(x); }
static inline float __uint_as_float(unsigned x) { return ma_as<float>(x); }
static inline long long __double_as_longlong(double x) { return ma_as<long long>(x); }
static inline double __longlong_as_double(long long x) { return ma_as<double>(x); }
static inline int __double2hiint(double x) { return (int)(ma_as<uint64_t>(x) >> 32); }
static inline int __double2loint(double x) { return (int)(uint32_t)ma_as<uint64_t>(x); }
static inline double __hiloint2double(int hi, int lo) {
  return ma_as<double>((uint64_t)(uint32_t)hi << 32 | (uint32_t)lo);
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline unsigned long long __brevll(unsigned long long x) {
  x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
  x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
  return __builtin_bswap64(x);
}
static inline unsigned __brev(unsigned x) { return (unsigned)(__brevll(x) >> 32); }
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  uint64_t all = (uint64_t)b << 32 | a;
  unsigned r = 0;
  for (int k = 0; k < 4; k++) r |= ((unsigned)(all >> 8 * (s >> 4 * k & 7)) & 255) << 8 * k;
  return r;
}
static inline uint64_t ma_joined(unsigned lo, unsigned hi) { return (uint64_t)hi << 32 | lo; }
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) {
  return (unsigned)(ma_joined(lo, hi) << (s & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) {
  return (unsigned)(ma_joined(lo, hi) >> (s & 31));
}
static inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned s) {
  return (unsigned)(ma_joined(lo, hi) << (s < 32 ? s : 32) >> 32);
}
static inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned s) {
  return (unsigned)(ma_joined(lo, hi) >> (s < 32 ? s : 32));
}

/* ==== Integers ==================================================================================================== */

static inline int ma_low24(int x) { return (int)((unsigned)x << 8) >> 8; }
static inline int __mul24(int a, int b) { return (int)((unsigned)ma_low24(a) * (unsigned)ma_low24(b)); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline unsigned __sad(int a, int b, unsigned c) {
  return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a);
}
static inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
static inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
static inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
static inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
static inline unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }

/* Adds products of bytes with bytes, or of 16-bit halves with bytes, in 32 bits. */
template <class A, class B, class C> static inline C ma_dot(unsigned a, unsigned b, C c) {
  unsigned sum = (unsigned)c;
  for (unsigned k = 0; k < 4 / sizeof(A); k++) sum += (unsigned)(A)(a >> k * 8 * sizeof(A)) * (unsigned)(B)(b >> k * 8);
  return (C)sum;
}
#define MA_DOT(name, A, B, C, avector, bvector, shift)                                                  \
  static inline C name(C a, C b, C c) { return ma_dot<A, B, C>((unsigned)a, (unsigned)b >> shift, c); } \
  static inline C name(avector a, bvector b, C c) { return name(ma_as<C>(a), ma_as<C>(b), c); }
MA_DOT(__dp4a, signed char, signed char, int, char4, char4, 0)
MA_DOT(__dp4a, unsigned char, unsigned char, unsigned, uchar4, uchar4, 0)
MA_DOT(__dp2a_lo, short, signed char, int, short2, char4, 0)
MA_DOT(__dp2a_lo, unsigned short, unsigned char, unsigned, ushort2, uchar4, 0)
MA_DOT(__dp2a_hi, short, signed char, int, short2, char4, 16)
MA_DOT(__dp2a_hi, unsigned short, unsigned char, unsigned, ushort2, uchar4, 16)
#undef MA_DOT

/* ==== Minimum and maximum ========================================================================================= */

/* Of real numbers: a number is preferred to NaN, and -0 is less than 0. */
template <class T> struct ma_is_real {
  enum { value = 0 };
};
template <> struct ma_is_real<float> {
  enum { value = 1 };
};
template <> struct ma_is_real<double> {
  enum { value = 1 };
};
template <class T> static inline T ma_smaller(T a, T b) {
  if constexpr (ma_is_real<T>::value) return b != b || a < b || (a == b && __builtin_signbit(a)) ? a : b;
  else return b < a ? b : a;
}
template <class T> static inline T ma_larger(T a, T b) {
  if constexpr (ma_is_real<T>::value) return b != b || a > b || (a == b && !__builtin_signbit(a)) ? a : b;
  else return a < b ? b : a;
}
/* As CUDA does, the unary plus turns lvalues into values and small integers into int. */
#define MA_CHOICE(name, choose)                                                             \
  template <class A, class B> static inline auto name(A a, B b)->decltype(true ? +a : +b) { \
    typedef decltype(true ? +a : +b) T;                                                     \
    return choose<T>((T)a, (T)b);                                                           \
  }
MA_CHOICE(min, ma_smaller)
MA_CHOICE(max, ma_larger)
MA_CHOICE(ma_cuda_fmin, ma_smaller)
MA_CHOICE(ma_cuda_fmax, ma_larger)
#undef MA_CHOICE
#define MA_CHOICE(name, T, choose) \
  static inline T name(T a, T b) { return choose<T>(a, b); }
MA_CHOICE(umin, unsigned, ma_smaller)
MA_CHOICE(llmin, long long, ma_smaller)
MA_CHOICE(ullmin, unsigned long long, ma_smaller)
MA_CHOICE(umax, unsigned, ma_larger)
MA_CHOICE(llmax, long long, ma_larger)
MA_CHOICE(ullmax, unsigned long long, ma_larger)
MA_CHOICE(ma_cuda_fminf, float, ma_smaller)
MA_CHOICE(ma_cuda_fmaxf, float, ma_larger)
#undef MA_CHOICE

/* ==== Mathematics: most of it is overloads of <math.h> ============================================================ */

/* Each function gets an overload for float and one in double for integers. Integers are recognised by their operator
** %. */
#define MA_OVERLOADS(name, of_float, of_double)             \
  static inline float name(float x) { return of_float(x); } \
  template <class T, class = decltype(T() % 1)> static inline double name(T x) { return of_double((double)x); }

static inline float ma_cuda_rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double ma_cuda_rsqrt(double x) { return 1 / sqrt(x); }
MA_OVERLOADS(ma_cuda_rsqrt, ma_cuda_rsqrtf, ma_cuda_rsqrt)
static inline float rcbrtf(float x) { return 1 / cbrtf(x); }
static inline double rcbrt(double x) { return 1 / cbrt(x); }
MA_OVERLOADS(rcbrt, rcbrtf, rcbrt)
MA_OVERLOADS(exp10, exp10f, exp10)
MA_OVERLOADS(j0, j0f, j0)
MA_OVERLOADS(j1, j1f, j1)
MA_OVERLOADS(y0, y0f, y0)
MA_OVERLOADS(y1, y1f, y1)
static inline float jn(int n, float x) { return jnf(n, x); }
static inline float yn(int n, float x) { return ynf(n, x); }
/* The sine and cosine of an angle in half turns: the nearest quarter turn is taken exactly, and the rest goes to sin
** and cos. A sine of 0 has the sign of x, and a cosine of 0 has none. */
static inline void sincospi(double x, double *s, double *c) {
  if (x - x != 0) {
    *s = *c = x - x;
    return;
  }
  double r = fmod(x, 2.0), q = rint(2 * r), t = (r - q / 2) * 3.14159265358979323846, a = sin(t), b = cos(t);
  int k = (int)q & 3;
  *s = x == trunc(x) ? x * 0 : k == 0 ? a : k == 1 ? b : k == 2 ? -a : -b;
  *c = k == 0 ? b : k == 1 ? 0 - a : k == 2 ? -b : a + 0;
}
static inline double ma_cuda_sinpi(double x) {
  double s, c;
  sincospi(x, &s, &c);
  return s;
}
static inline double ma_cuda_cospi(double x) {
  double s, c;
  sincospi(x, &s, &c);
  return c;
}
static inline float ma_cuda_sinpif(float x) { return (float)ma_cuda_sinpi((double)x); }
static inline float ma_cuda_cospif(float x) { return (float)ma_cuda_cospi((double)x); }
MA_OVERLOADS(ma_cuda_sinpi, ma_cuda_sinpif, ma_cuda_sinpi)
MA_OVERLOADS(ma_cuda_cospi, ma_cuda_cospif, ma_cuda_cospi)
static inline void sincospif(float x, float *s, float *c) {
  double a, b;
  sincospi((double)x, &a, &b);
  *s = (float)a;
  *c = (float)b;
}
static inline void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
/* musl's acosh treats numbers far below -1 as if they were in its range. */
static inline float ma_cuda_acoshf(float x) { return x < 1 ? __builtin_nanf("") : acoshf(x); }
static inline double ma_cuda_acosh(double x) { return x < 1 ? __builtin_nan("") : acosh(x); }
MA_OVERLOADS(ma_cuda_acosh, ma_cuda_acoshf, ma_cuda_acosh)
/* Gives the least int for 0 and NaN. C libraries differ there. */
static inline int ma_cuda_ilogbf(float x) { return x == x && x != 0 ? ilogbf(x) : (int)0x80000000; }
static inline int ma_cuda_ilogb(double x) { return x == x && x != 0 ? ilogb(x) : (int)0x80000000; }
static inline int ma_cuda_ilogb(float x) { return ma_cuda_ilogbf(x); }
template <class T, class = decltype(T() % 1)> static inline int ma_cuda_ilogb(T x) { return ma_cuda_ilogb((double)x); }
static inline void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
static inline float fdividef(float x, float y) { return x / y; }
static inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }

/* A C library has some of these names with other results (fmax may return either zero), and its later versions have
** more (sinpi: glibc 2.41, rsqrt: 2.42). These macros select the functions above. They replace only calls. */
namespace std {
using ::ma_cuda_acosh;
using ::ma_cuda_acoshf;
using ::ma_cuda_fmax;
using ::ma_cuda_fmaxf;
using ::ma_cuda_fmin;
using ::ma_cuda_fminf;
using ::ma_cuda_ilogb;
using ::ma_cuda_ilogbf;
}  // namespace std
#define fmin(...) ma_cuda_fmin(__VA_ARGS__)
#define fmax(...) ma_cuda_fmax(__VA_ARGS__)
#define fminf(...) ma_cuda_fminf(__VA_ARGS__)
#define fmaxf(...) ma_cuda_fmaxf(__VA_ARGS__)
#define acosh(...) ma_cuda_acosh(__VA_ARGS__)
#define acoshf(...) ma_cuda_acoshf(__VA_ARGS__)
#define ilogb(...) ma_cuda_ilogb(__VA_ARGS__)
#define ilogbf(...) ma_cuda_ilogbf(__VA_ARGS__)
#define sinpi(...) ma_cuda_sinpi(__VA_ARGS__)
#define cospi(...) ma_cuda_cospi(__VA_ARGS__)
#define sinpif(...) ma_cuda_sinpif(__VA_ARGS__)
#define cospif(...) ma_cuda_cospif(__VA_ARGS__)
#define rsqrt(...) ma_cuda_rsqrt(__VA_ARGS__)
#define rsqrtf(...) ma_cuda_rsqrtf(__VA_ARGS__)

/* On a CPU the fast functions are the exact ones. */
#define __fdividef(x, y) fdividef(x, y)
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __tanhf(x) tanhf(x)
#define __sincosf(x, s, c) sincosf(x, s, c)
