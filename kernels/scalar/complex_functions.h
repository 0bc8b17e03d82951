/* complex_functions.h: functions of complex numbers, computed in double and rounded once for complex64. Special
** values are those of C11, annex G. */
#ifdef __cplusplus
#define MA_BIG inline __device__
#else
#define MA_BIG static inline __attribute__((unused))
#endif
#define MA_LN2 0.693147180559945309417
#define MA_PI_2 1.570796326794896619231
#define MA_EPSILON 0x1p-52

#define MA_CFUNCTION(name) \
  MA_FN ma_c64 MA_NAME(name, c8)(ma_c64 x) { return ma_to_c8(MA_NAME(name, c16)(ma_to_c16(x))); }

/* The product of an infinite factor with cis(y), where zeros stay zeros, as in exp(inf) * cis(y). */
MA_FN ma_c128 ma_cis_times(double factor, double y) { return ma_make_c128(factor * cos(y), factor * sin(y)); }

#ifndef MA_NO_COMPLEX_FUNCTIONS /* defined by a text that calls none of the functions below */
MA_BIG ma_c128 MA_NAME(ma_cexp, c16)(ma_c128 z) {
  double x = z.re, y = z.im;
  if (y == 0) return ma_make_c128(exp(x), y);
  if (x == 0) return ma_cis_times(1, y);
  if (y - y != 0) {
    if (x - x != 0 && x == x) return x > 0 ? ma_make_c128(x, y - y) : ma_make_c128(0, copysign(0.0, y));
    return ma_make_c128(y - y, y - y);
  }
  if (x > 709) { /* exp(x) may overflow where its product with a small cosine does not */
    ma_c128 half = ma_cis_times(exp(x * 0.5), y);
    return ma_make_c128(half.re * exp(x * 0.5), half.im * exp(x * 0.5));
  }
  return ma_cis_times(exp(x), y);
}
MA_CFUNCTION(ma_cexp)

MA_BIG ma_c128 MA_NAME(ma_cexp2, c16)(ma_c128 z) {
  return MA_NAME(ma_cexp, c16)(ma_make_c128(z.re * MA_LN2, z.im * MA_LN2));
}
MA_CFUNCTION(ma_cexp2)

/* At infinities the array API standard applies: the limit of exp(z) - 1, if there is one. */
MA_BIG ma_c128 MA_NAME(ma_cexpm1, c16)(ma_c128 z) {
  if (z.im == 0) return ma_make_c128(expm1(z.re), z.im);
  if (z.re - z.re != 0 || z.im - z.im != 0) {
    z = MA_NAME(ma_cexp, c16)(z);
    return ma_make_c128(z.re - 1, z.im);
  }
  double s = sin(z.im * 0.5);
  return ma_make_c128(expm1(z.re) * cos(z.im) - 2 * s * s, exp(z.re) * sin(z.im));
}
MA_CFUNCTION(ma_cexpm1)

/* x^2 = high + low, exactly. */
MA_FN double ma_square_exactly(double x, double *low) {
  double t = x * 134217729.0, h = t - (t - x), l = x - h, square = x * x;
  *low = ((h * h - square) + 2 * h * l) + l * l;
  return square;
}
/* log(sqrt(x^2 + y^2)). */
MA_BIG double ma_log_hypot(double x, double y) {
  double a = fabs(x), b = fabs(y);
  if (a < b) {
    double t = a;
    a = b;
    b = t;
  }
  if (a - a != 0 || b != b) return log(hypot(x, y));
  if (a > 0x1p1022) return log(hypot(a * 0.5, b * 0.5)) + MA_LN2;
  if (a < 0x1p-1000) return log(hypot(a * 0x1p100, b * 0x1p100)) - 100 * MA_LN2;
  if (a < 0.5 || a > 2) return log(hypot(a, b));
  double la, lb, sa = ma_square_exactly(a, &la), sb = 0;
  if (b > 0x1p-500) sb = ma_square_exactly(b, &lb);
  else lb = 0;
  if (sa + sb < 0.5 || sa + sb > 3) return log(hypot(a, b));
  /* Near |z| = 1 the result is the logarithm of a small difference from 1. */
  double p = sa - 1, s = p + sb, t = s - p, low = (p - (s - t)) + (sb - t);
  return 0.5 * log1p(s + (low + (la + lb)));
}
MA_BIG ma_c128 MA_NAME(ma_clog, c16)(ma_c128 z) { return ma_make_c128(ma_log_hypot(z.re, z.im), atan2(z.im, z.re)); }
MA_CFUNCTION(ma_clog)

MA_BIG ma_c128 MA_NAME(ma_clog2, c16)(ma_c128 z) {
  z = MA_NAME(ma_clog, c16)(z);
  return ma_make_c128(z.re * 1.442695040888963407360, z.im * 1.442695040888963407360);
}
MA_CFUNCTION(ma_clog2)
MA_BIG ma_c128 MA_NAME(ma_clog10, c16)(ma_c128 z) {
  z = MA_NAME(ma_clog, c16)(z);
  return ma_make_c128(z.re * 0.434294481903251827651, z.im * 0.434294481903251827651);
}
MA_CFUNCTION(ma_clog10)
MA_BIG ma_c128 MA_NAME(ma_clog1p, c16)(ma_c128 z) {
  double re = fabs(z.re) < 0.5 && fabs(z.im) < 0.5 ? 0.5 * log1p(z.re * (2 + z.re) + z.im * z.im)
                                                   : ma_log_hypot(z.re + 1, z.im);
  return ma_make_c128(re, atan2(z.im, z.re + 1));
}
MA_CFUNCTION(ma_clog1p)

MA_BIG ma_c128 MA_NAME(ma_csqrt, c16)(ma_c128 z) {
  double x = z.re, y = z.im, scale = 1;
  if (x == 0 && y == 0) return ma_make_c128(0, y);
  if (y == y && y - y != 0) return ma_make_c128(fabs(y), y);
  if (x != x) return ma_make_c128(x, x);
  if (x - x != 0)
    return x > 0 ? ma_make_c128(x, y == y ? copysign(0.0, y) : y) : ma_make_c128(y == y ? 0 : y, copysign(x, y));
  if (y != y) return ma_make_c128(y, y);
  if (fabs(x) > 0x1p1020 || fabs(y) > 0x1p1020) {
    x *= 0x1p-4;
    y *= 0x1p-4;
    scale = 0x1p2;
  } else if (fabs(x) < 0x1p-960 && fabs(y) < 0x1p-960) {
    x *= 0x1p108;
    y *= 0x1p108;
    scale = 0x1p-54;
  }
  double t = sqrt((fabs(x) + hypot(x, y)) * 0.5);
  return x >= 0 ? ma_make_c128(t * scale, y / (2 * t) * scale)
                : ma_make_c128(fabs(y) / (2 * t) * scale, copysign(t, y) * scale);
}
MA_CFUNCTION(ma_csqrt)

MA_BIG ma_c128 MA_NAME(ma_cpower, c16)(ma_c128 x, ma_c128 y) {
  if (y.re == 0 && y.im == 0) return ma_make_c128(1, 0);
  if (x.re == 0 && x.im == 0) {
    if (y.re > 0) return ma_make_c128(0, 0);
    double nan = x.re / x.re;
    return ma_make_c128(nan, nan);
  }
  if (y.im == 0 && y.re == rint(y.re) && fabs(y.re) < 100) {
    ma_c128 p = ma_make_c128(1, 0), base = x;
    int n = (int)fabs(y.re);
    if (n == 1 && y.re > 0) return x;
    for (; n > 0; n >>= 1) {
      if (n & 1) p = ma_cmultiply(p, base);
      base = ma_csquare(base);
    }
    return y.re < 0 ? ma_cdivide(ma_make_c128(1, 0), p) : p;
  }
  return MA_NAME(ma_cexp, c16)(ma_cmultiply(y, MA_NAME(ma_clog, c16)(x)));
}
MA_FN ma_c64 MA_NAME(ma_cpower, c8)(ma_c64 x, ma_c64 y) {
  return ma_to_c8(MA_NAME(ma_cpower, c16)(ma_to_c16(x), ma_to_c16(y)));
}

MA_BIG ma_c128 MA_NAME(ma_csinh, c16)(ma_c128 z) {
  double x = z.re, y = z.im;
  if (y == 0) return ma_make_c128(sinh(x), y);
  if (y - y != 0) return ma_make_c128(x == 0 ? x : x == x && x - x != 0 ? fabs(x) : y - y, y - y);
  if (fabs(x) > 709) {
    double h = exp(fabs(x) * 0.5);
    return ma_make_c128(copysign(0.5, x) * h * cos(y) * h, 0.5 * h * sin(y) * h);
  }
  return ma_make_c128(sinh(x) * cos(y), cosh(x) * sin(y));
}
MA_CFUNCTION(ma_csinh)
MA_BIG ma_c128 MA_NAME(ma_ccosh, c16)(ma_c128 z) {
  double x = z.re, y = z.im;
  if (y == 0) return ma_make_c128(cosh(x), copysign(0.0, x) * y);
  if (y - y != 0) return ma_make_c128(x == x && x - x != 0 ? fabs(x) : y - y, x == 0 ? 0 : y - y);
  if (fabs(x) > 709) {
    double h = exp(fabs(x) * 0.5);
    return ma_make_c128(0.5 * h * cos(y) * h, copysign(0.5, x) * h * sin(y) * h);
  }
  return ma_make_c128(cosh(x) * cos(y), sinh(x) * sin(y));
}
MA_CFUNCTION(ma_ccosh)
MA_BIG ma_c128 MA_NAME(ma_ctanh, c16)(ma_c128 z) {
  double x = z.re, y = z.im;
  if (x != x) return ma_make_c128(x, y == 0 ? y : x);
  if (x - x != 0) return ma_make_c128(copysign(1.0, x), copysign(0.0, y - y != 0 ? y : sin(y) * cos(y)));
  if (y - y != 0) return ma_make_c128(x == 0 ? x : y - y, y - y);
  if (fabs(x) >= 22) {
    double e = exp(-fabs(x));
    return ma_make_c128(copysign(1.0, x), 4 * sin(y) * cos(y) * e * e);
  }
  double t = tan(y), beta = 1 + t * t, s = sinh(x), rho = sqrt(1 + s * s), below = 1 + beta * s * s;
  return ma_make_c128(beta * rho * s / below, t / below);
}
MA_CFUNCTION(ma_ctanh)

/* f(z) = -i * fh(iz): exchanges the parts of z, calls fh, and exchanges the parts of the result. */
#define MA_CTURNED(name, hyperbolic)                                \
  MA_BIG ma_c128 MA_NAME(name, c16)(ma_c128 z) {                    \
    ma_c128 w = MA_NAME(hyperbolic, c16)(ma_make_c128(z.im, z.re)); \
    return ma_make_c128(w.im, w.re);                                \
  }                                                                 \
  MA_CFUNCTION(name)
MA_CTURNED(ma_csin, ma_csinh)
MA_CTURNED(ma_ctan, ma_ctanh)
MA_BIG ma_c128 MA_NAME(ma_ccos, c16)(ma_c128 z) { return MA_NAME(ma_ccosh, c16)(ma_make_c128(-z.im, z.re)); }
MA_CFUNCTION(ma_ccos)

/*
** Inverse functions by the method of Hull, Fairgrieve and Tang (1997). With r and s the distances of x + iy from i and
** -i, and a = (r + s) / 2, asinh has the real part log(a + sqrt(a^2 - 1)) and the imaginary part asin(y / a), each
** computed without cancellation. (ma_half_excess is (hypot(a, b) - b) / 2.)
*/
typedef struct ma_ellipse {
  double log_a, sine, adjacent, opposite;
  int by_sine;
} ma_ellipse;
MA_FN double ma_half_excess(double a, double b, double h) {
  return b < 0 ? (h - b) / 2 : b == 0 ? a / 2 : a * a / (h + b) / 2;
}
MA_BIG ma_ellipse ma_ellipse_of(double x, double y) {
  ma_ellipse e;
  double r = hypot(x, y + 1), s = hypot(x, y - 1), a = (r + s) / 2;
  if (a < 1) a = 1;
  if (a >= 10) e.log_a = log(a + sqrt(a * a - 1));
  else if (y == 1 && x < MA_EPSILON * MA_EPSILON / 128) e.log_a = sqrt(x);
  else if (x >= MA_EPSILON * fabs(y - 1)) {
    double excess = ma_half_excess(x, 1 + y, r) + ma_half_excess(x, 1 - y, s);
    e.log_a = log1p(excess + sqrt(excess * (a + 1)));
  } else if (y < 1) e.log_a = x / sqrt((1 - y) * (1 + y));
  else e.log_a = log1p((y - 1) + sqrt((y - 1) * (y + 1)));
  e.opposite = y;
  e.sine = y / a;
  e.adjacent = 0;
  e.by_sine = 0;
  if (y < 0x1p-509) {
    e.adjacent = a * (2 / MA_EPSILON);
    e.opposite = y * (2 / MA_EPSILON);
  } else if (e.sine <= 0.6417) e.by_sine = 1;
  else if (y == 1 && x < MA_EPSILON / 128) e.adjacent = sqrt(x) * sqrt((a + y) / 2);
  else if (x >= MA_EPSILON * fabs(y - 1)) {
    double rest = ma_half_excess(x, y + 1, r) + ma_half_excess(x, y - 1, s);
    e.adjacent = sqrt(rest * (a + y));
  } else if (y > 1) {
    e.adjacent = x * (4 / MA_EPSILON / MA_EPSILON) * y / sqrt((y + 1) * (y - 1));
    e.opposite = y * (4 / MA_EPSILON / MA_EPSILON);
  } else e.adjacent = sqrt((1 - y) * (1 + y));
  return e;
}
MA_BIG ma_c128 MA_NAME(ma_carcsinh, c16)(ma_c128 z) {
  double x = z.re, y = z.im, ax = fabs(x), ay = fabs(y);
  if (x != x || y != y) {
    if (x == x && x - x != 0) return ma_make_c128(x, y);
    if (y == y && y - y != 0) return ma_make_c128(fabs(y), x);
    return ma_make_c128(x + y, y == 0 ? y : x + y);
  }
  if (ax > 1 / MA_EPSILON || ay > 1 / MA_EPSILON)
    return ma_make_c128(copysign(ma_log_hypot(x, y) + MA_LN2, x), copysign(atan2(ay, ax), y));
  if (ax < 0x1p-27 && ay < 0x1p-27) return z;
  ma_ellipse e = ma_ellipse_of(ax, ay);
  return ma_make_c128(copysign(e.log_a, x), copysign(e.by_sine ? asin(e.sine) : atan2(e.opposite, e.adjacent), y));
}
MA_CFUNCTION(ma_carcsinh)
MA_BIG ma_c128 MA_NAME(ma_carcsin, c16)(ma_c128 z) {
  ma_c128 w = MA_NAME(ma_carcsinh, c16)(ma_make_c128(z.im, z.re));
  return ma_make_c128(w.im, w.re);
}
MA_CFUNCTION(ma_carcsin)
MA_BIG ma_c128 MA_NAME(ma_carccos, c16)(ma_c128 z) {
  double x = z.re, y = z.im, ax = fabs(x), ay = fabs(y), re, im;
  if (x != x || y != y) {
    if (x == x && x - x != 0) return ma_make_c128(y, -fabs(x));
    if (y == y && y - y != 0) return ma_make_c128(x, -y);
    return ma_make_c128(x == 0 ? MA_PI_2 : x + y, x + y);
  }
  if (ax > 1 / MA_EPSILON || ay > 1 / MA_EPSILON) {
    re = fabs(atan2(y, x));
    im = ma_log_hypot(x, y) + MA_LN2;
  } else if (x == 1 && y == 0) return ma_make_c128(0, -y);
  else if (ax < 0x1p-27 && ay < 0x1p-27) return ma_make_c128(MA_PI_2 - (x - 6.123233995736766036e-17), -y);
  else {
    ma_ellipse e = ma_ellipse_of(ay, ax);
    re = e.by_sine ? acos(copysign(e.sine, x)) : atan2(e.adjacent, copysign(e.opposite, x));
    im = e.log_a;
  }
  return ma_make_c128(re, copysign(1.0, y) > 0 ? -im : im);
}
MA_CFUNCTION(ma_carccos)
MA_BIG ma_c128 MA_NAME(ma_carccosh, c16)(ma_c128 z) {
  ma_c128 w = MA_NAME(ma_carccos, c16)(z);
  if (w.re != w.re && w.im != w.im) return ma_make_c128(w.im, w.re);
  if (w.re != w.re) return ma_make_c128(fabs(w.im), w.re);
  if (w.im != w.im) return ma_make_c128(w.im, w.re);
  return ma_make_c128(fabs(w.im), copysign(w.re, z.im));
}
MA_CFUNCTION(ma_carccosh)
MA_BIG ma_c128 MA_NAME(ma_carctanh, c16)(ma_c128 z) {
  double x = z.re, y = z.im, ax = fabs(x), ay = fabs(y), re, im;
  if (y == 0 && ax <= 1) return ma_make_c128(atanh(x), y);
  if (x == 0) return ma_make_c128(x, atan(y));
  if (x != x || y != y) {
    if (x == x && x - x != 0) return ma_make_c128(copysign(0.0, x), y);
    if (y == y && y - y != 0) return ma_make_c128(copysign(0.0, x), copysign(MA_PI_2, y));
    return ma_make_c128(x + y, x + y);
  }
  if (ax > 1 / MA_EPSILON || ay > 1 / MA_EPSILON) {
    if (ax - ax != 0 || ay - ay != 0) re = 0;
    else re = ax > ay ? 1 / (ax + ay * (ay / ax)) : ax / ay / (ax * (ax / ay) + ay);
    return ma_make_c128(copysign(re, x), copysign(MA_PI_2, y));
  }
  if (ax < 0x1p-27 && ay < 0x1p-27) return z;
  re = ax == 1 && ay < MA_EPSILON ? (MA_LN2 - log(ay)) / 2
                                  : log1p(4 * ax / ((ax - 1) * (ax - 1) + (ay < 0x1p-511 ? 0 : ay * ay))) / 4;
  im = ax == 1 ? atan2(2.0, -ay) / 2 : atan2(2.0 * ay, (1 - ax) * (1 + ax) - (ay < MA_EPSILON ? 0 : ay * ay)) / 2;
  return ma_make_c128(copysign(re, x), copysign(im, y));
}
MA_CFUNCTION(ma_carctanh)
MA_BIG ma_c128 MA_NAME(ma_carctan, c16)(ma_c128 z) {
  ma_c128 w = MA_NAME(ma_carctanh, c16)(ma_make_c128(z.im, z.re));
  return ma_make_c128(w.im, w.re);
}
MA_CFUNCTION(ma_carctan)

MA_BIG ma_c128 MA_NAME(ma_csinc, c16)(ma_c128 z) {
  if (z.re == 0 && z.im == 0) return ma_make_c128(1, 0);
  ma_c128 y = ma_make_c128(z.re * (2 * MA_PI_2), z.im * (2 * MA_PI_2));
  return ma_cdivide(MA_NAME(ma_csin, c16)(y), y);
}
MA_CFUNCTION(ma_csinc)
#endif

#undef MA_CFUNCTION
#undef MA_CTURNED
