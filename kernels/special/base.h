/*
** base.h: what the families of special functions share. A family is a header of this folder that C11 and CUDA C++ both
** compile. Every function computes in double, with the C library's mathematics, so both devices follow the same steps.
** An operand of float32 is computed in double too, unless the function has a form in float, f_f4: its error is less
** than 4 eps as well, and a GPU has far fewer units for double. ma_sp_of(f, x) in special.def is the form for x. A
** kernel's text has base.h and only those families that its operations name (families.def). MA_SP_APART marks long
** functions: on a GPU they are called and not inlined, because a kernel that has a dozen copies of them takes a minute
** to compile.
*/
#ifdef __cplusplus
#define MA_SP static __device__
#define MA_SP_APART static __device__ __noinline__
#define MA_SP_TABLE static __device__ const
#define MA_SP_INF __longlong_as_double(0x7ff0000000000000ll)
#define MA_SP_NAN __longlong_as_double(0x7ff8000000000000ll)
#else
#define MA_SP static __attribute__((unused))
#define MA_SP_APART MA_SP
#define MA_SP_TABLE static const __attribute__((unused))
#define MA_SP_INF ((double)INFINITY)
#define MA_SP_NAN ((double)NAN)
#endif
#define ma_sp_of(f, x) (sizeof(x) == sizeof(float) ? f##_f4((float)(x)) : f(x))
#define ma_sp_of2(f, x, y) (sizeof(x) == sizeof(float) ? f##_f4((float)(x), (float)(y)) : f(x, y))
#define MA_SP_EPS 1.1102230246251565e-16 /* half of a unit in the last place of 1 */
/* The relative error at which a series ends, for those functions whose series take most of the time. An operand of
** float32 needs fewer terms. */
#define ma_sp_eps(x) (sizeof(x) == sizeof(float) ? 1e-9 : MA_SP_EPS)
#define MA_SP_PI 3.14159265358979323846
/* The most steps of a recurrence in the order. An order that needs more gives NaN, so that no kernel runs without
** end. */
#define MA_SP_MOST_STEPS 1e5

/* A polynomial by Horner's rule, the highest power first. */
MA_SP double ma_sp_poly(double x, const double *c, int n) {
  double y = c[0];
  for (int k = 1; k < n; k++) y = ma_fma_f8(y, x, c[k]);
  return y;
}
MA_SP float ma_sp_poly_f4(float x, const float *c, int n) {
  float y = c[0];
  for (int k = 1; k < n; k++) y = ma_fma_f4(y, x, c[k]);
  return y;
}

/* 1 / x for x up to 2^126, and 1 / sqrt(x), for callers that an error of 2 units does not harm. A GPU takes one
** instruction for it instead of ten. */
#if defined(__cplusplus) && !defined(MOONARRAY_CPU)
#define ma_sp_inverse_f4(x) __fdividef(1.0f, x)
#define ma_sp_inverse_root_f4(x) rsqrtf(x)
#else
#define ma_sp_inverse_f4(x) (1.0f / (x))
#define ma_sp_inverse_root_f4(x) (1.0f / sqrtf(x))
#endif

/* The same polynomial with a leading coefficient of 1, which is not in the table. */
MA_SP double ma_sp_poly1(double x, const double *c, int n) {
  double y = x + c[0];
  for (int k = 1; k < n; k++) y = ma_fma_f8(y, x, c[k]);
  return y;
}

/* A Chebyshev series by Clenshaw's rule, as Cephes writes it. The coefficient of the highest term comes first, the
** constant is doubled, and x is in -2 .. 2. */
MA_SP double ma_sp_chebyshev(double x, const double *c, int n) {
  double b0 = c[0], b1 = 0, b2 = 0;
  for (int k = 1; k < n; k++) {
    b2 = b1;
    b1 = b0;
    b0 = ma_fma_f8(x, b1, c[k] - b2);
  }
  return 0.5 * (b0 - b2);
}

MA_SP int ma_sp_finite(double x) { return x - x == 0; }
MA_SP int ma_sp_whole(double x) { return x == floor(x); }
/* Whether a whole number is odd; all beyond 2^53 are even. */
MA_SP int ma_sp_odd(double x) { return fmod(x, 2) != 0; }

/* sin(pi x), exact at whole numbers. */
MA_SP double ma_sp_sinpi(double x) {
  double r = fmod(fabs(x), 2), s = x < 0 ? -1 : 1;
  if (r >= 1) {
    r -= 1;
    s = -s;
  }
  if (r > 0.5) r = 1 - r;
  return s * sin(MA_SP_PI * r);
}
MA_SP double ma_sp_cospi(double x) {
  double r = fmod(fabs(x), 2), s = 1;
  if (r > 1) r = 2 - r;
  if (r > 0.5) {
    r = 1 - r;
    s = -1;
  }
  return r > 0.25 ? s * sin(MA_SP_PI * (0.5 - r)) : s * cos(MA_SP_PI * r);
}

/* 1 / 35, 1 / 33 ... 1 / 3. */
MA_SP_TABLE double ma_sp_odd_inverses[17] = { 0.02857142857142857,  0.030303030303030304,
                                              0.03225806451612903,  0.034482758620689655,
                                              0.037037037037037035, 0.04,
                                              0.043478260869565216, 0.047619047619047616,
                                              0.05263157894736842,  0.058823529411764705,
                                              0.06666666666666667,  0.07692307692307693,
                                              0.09090909090909091,  0.1111111111111111,
                                              0.14285714285714285,  0.2,
                                              0.3333333333333333 };
/* log(1 + x) - x without cancellation: below 0.5 by the series of log((1 + s) / (1 - s)) with s = x / (2 + x). */
MA_SP_APART double ma_sp_log1pmx(double x) {
  if (!(fabs(x) < 0.5)) return log1p(x) - x;
  double s = x / (2 + x), q = s * s;
  return s * (2 * q * ma_sp_poly(q, ma_sp_odd_inverses, 17) - x);
}
