/* cpu_cuda_special.h: CUDA's special functions that C libraries lack, on a CPU: inverses of erf and erfc, the normal
** distribution, modified Bessel functions, and lengths of vectors without overflow or underflow. */

/* ==== The error function, its scaled complement, and inverses ==================================================== */

/* exp(x * x) * erfc(x), corrected for the rounding of x * x; from 12 on a series in 1 / x. */
static inline double erfcx(double x) {
  if (x < 12) {
    double s = x * x, rest = fma(x, x, -s), e = exp(s);
    return e - e != 0 ? x - x != 0 && x != x ? x : e : e * erfc(x) * (1 + rest);
  }
  double t = 1 / (2 * x * x), term = 1, sum = 1;
  for (int k = 1; k < 12; k++) sum += term *= -(2 * k - 1) * t;
  return 0.56418958354775628695 / x * sum;
}

/* Newton's steps from Giles's approximation. Near -1 and 1 they use erfc, because erf is flat there. */
static inline double erfinv(double y) {
  double size = fabs(y);
  if (!(size < 1)) return size == 1 ? copysign(INFINITY, y) : (double)NAN;
  if (size < 1e-8) return y * 0.88622692545275801365 + y * (y * y) * 0.23201366653465449;
  double w = -log((1 - size) * (1 + size)),
         x = w < 5 ? 1.50140941 + (w - 2.5) * (0.246640727 + (w - 2.5) * -0.00417768164)
                   : 2.83297682 + (sqrt(w) - 3) * (1.00167406 + (sqrt(w) - 3) * 0.00943887047);
  x *= size;
  for (int k = 0; k < 4; k++) {
    double off = size < 0.5 ? erf(x) - size : (1 - size) - erfc(x), step = off / (1.12837916709551257390 * exp(-x * x));
    x -= step / (1 + x * step);
  }
  return copysign(x, y);
}

/* Small y are solved in logarithms, because erfc(x) underflows before x is large. */
static inline double erfcinv(double y) {
  if (!(y > 0 && y < 2)) return y == 0 ? INFINITY : y == 2 ? -INFINITY : (double)NAN;
  if (y >= 0.25) return y > 1.75 ? -erfcinv(2 - y) : erfinv(1 - y);
  double goal = log(y), x = sqrt(-goal);
  for (int k = 0; k < 6; k++) {
    double e = erfcx(x), off = log(e) - x * x - goal;
    x += off * e * 0.88622692545275801365;
  }
  return x;
}

/* erfc of -x / sqrt(2). The rounding error of that argument is corrected, because the result magnifies it by the square
** of the argument. */
static inline double normcdf(double x) {
  double high = -x * 0.70710678118654752440, low = fma(-x, 0.70710678118654752440, -high) - x * -4.8336466567264567e-17,
         r = erfc(high);
  if (x - x != 0 || fabs(x) > 40) return r / 2;
  return (r - 1.12837916709551257390 * exp(-high * high) * low) / 2;
}
static inline double normcdfinv(double p) { return -1.41421356237309504880 * erfcinv(2 * p); }

/* ==== Modified Bessel functions ================================================================================== */

/* The power series, whose terms all have one sign. From 30 on the series in 1 / x is taken, which is exact to the last
** bit there. */
static inline double ma_bessel(double x, int order) {
  long double z = fabs(x), sum = 1, term = 1, m = 4 * order;
  if (x != x) return x;
  if (z > 720) return x < 0 && order ? -INFINITY : INFINITY;
  if (z < 30) {
    for (int k = 1; k < 120 && term > sum * 1e-21L; k++) sum += term *= z * z / 4 / ((long double)k * (k + order));
    return (double)(order ? sum * x / 2 : sum);
  }
  for (int k = 1; k < 40 && fabsl(term) > 1e-21L; k++)
    sum += term *= ((2.0L * k - 1) * (2.0L * k - 1) - m) / (8 * k * z);
  sum *= expl(z) / sqrtl(6.283185307179586476925286766559L * z);
  return (double)(x < 0 && order ? -sum : sum);
}
static inline double cyl_bessel_i0(double x) { return ma_bessel(x, 0); }
static inline double cyl_bessel_i1(double x) { return ma_bessel(x, 1); }

#define MA_SPECIAL(name)                                                  \
  static inline float name##f(float x) { return (float)name((double)x); } \
  MA_OVERLOADS(name, name##f, name)
MA_SPECIAL(erfcx)
MA_SPECIAL(erfinv)
MA_SPECIAL(erfcinv)
MA_SPECIAL(normcdf)
MA_SPECIAL(normcdfinv)
MA_SPECIAL(cyl_bessel_i0)
MA_SPECIAL(cyl_bessel_i1)
#undef MA_SPECIAL

/* ==== Lengths ==================================================================================================== */

/* An infinite part makes the length infinite, whatever the others are. The squares of all doubles fit long double. */
template <class T> static inline long double ma_length(int n, const T *x) {
  long double sum = 0;
  for (int k = 0; k < n; k++) {
    if (x[k] == x[k] && x[k] - x[k] != 0) return INFINITY;
    sum += (long double)x[k] * x[k];
  }
  return sqrtl(sum);
}
static inline double norm(int n, const double *x) { return (double)ma_length(n, x); }
static inline double rnorm(int n, const double *x) { return (double)(1 / ma_length(n, x)); }
static inline float normf(int n, const float *x) { return (float)ma_length(n, x); }
static inline float rnormf(int n, const float *x) { return (float)(1 / ma_length(n, x)); }
static inline double rhypot(double a, double b) {
  const double v[] = { a, b };
  return rnorm(2, v);
}
static inline float rhypotf(float a, float b) {
  const float v[] = { a, b };
  return rnormf(2, v);
}
#define MA_LENGTHS(T, end, kind)                      \
  static inline T kind##3d##end(T a, T b, T c) {      \
    const T v[] = { a, b, c };                        \
    return kind##end(3, v);                           \
  }                                                   \
  static inline T kind##4d##end(T a, T b, T c, T d) { \
    const T v[] = { a, b, c, d };                     \
    return kind##end(4, v);                           \
  }
MA_LENGTHS(double, , norm)
MA_LENGTHS(double, , rnorm)
MA_LENGTHS(float, f, norm)
MA_LENGTHS(float, f, rnorm)
#undef MA_LENGTHS
