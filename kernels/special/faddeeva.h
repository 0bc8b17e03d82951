/*
** faddeeva.h: Faddeeva's function w(z) = exp(-z^2) erfc(-iz) and what is made of it: the error functions and the normal
** distribution of complex numbers, Dawson's integral, erfi; and the exponential integrals of complex numbers. w is the
** trapezoidal rule with the residues of its poles (M. Al Azah and S. N. Chandler-Wilde, "Computation of the complex
** error function using modified trapezoidal rules", 2021), whose relative error is 2e-15 in the whole quadrant.
*/
#define MA_SP_W_STEP 0.51166335397324427 /* sqrt(pi / 12) */
/* exp(-t^2) for t = 0.5, 1.5 ... 11.5 and for t = 1, 2 ... 11 steps. */
MA_SP_TABLE double ma_sp_w_middle[12] = { 0.9366460212365959,     0.55485491015985344,    0.1947095780852903,
                                          0.04047614460380574,    0.0049844231324685864,  0.00036360898638930446,
                                          1.5712969017800481e-05, 4.0224054215648138e-07, 6.0998249159121596e-09,
                                          5.4796502397575273e-11, 2.9160317551794992e-13, 9.192541525134372e-16 };
MA_SP_TABLE double ma_sp_w_whole[11] = { 0.76966541249323983,    0.35091980717841098,    0.094780224842154856,
                                         0.01516461986454657,    0.0014373060804075317,  8.0699517570304602e-05,
                                         2.6840867930967431e-06, 5.2884221169441576e-08, 6.1724788652243099e-10,
                                         4.2677311354552244e-12, 1.7479879405655014e-14 };

/* exp(-z^2) w, where neither factor need be in range; the exponent's real part is a product, which cancels nothing. */
MA_SP_APART ma_c128 ma_sp_gauss_times(ma_c128 z, ma_c128 w) {
  double half = exp(0.5 * ((z.im - z.re) * (z.im + z.re))), angle = -2 * z.re * z.im;
  ma_c128 r = ma_sp_zscale(angle == 0 ? w : ma_sp_zmul(ma_make_c128(cos(angle), sin(angle)), w), half);
  return ma_sp_zscale(r, half);
}

/* w(z) for x >= 0 and y >= 0. There are two rules with different nodes; close to a node of one the other is taken. */
MA_SP_APART ma_c128 ma_sp_w_quadrant(ma_c128 z) {
  double x = z.re, y = z.im, place = x / MA_SP_W_STEP;
  if (x > 1e8 || y > 1e8) return ma_sp_zdiv(ma_make_c128(0, 0.56418958354775628695), z);
  place -= floor(place);
  int shifted = !(y < x && place >= 0.25 && place <= 0.75);
  ma_c128 square = ma_make_c128((x - y) * (x + y), 2 * x * y), sum = ma_make_c128(0, 0);
  for (int k = 11; k >= 0; k--) {
    double t = MA_SP_W_STEP * (shifted ? k + 0.5 : k + 1);
    if (!shifted && k == 11) continue;
    /* 1 / (z^2 - t^2), whose real part is a product of small numbers where z is near t */
    ma_c128 d = ma_make_c128((x - t) * (x + t) - y * y, square.im);
    sum = ma_sp_zadd(sum, ma_sp_zdiv(ma_make_c128(shifted ? ma_sp_w_middle[k] : ma_sp_w_whole[k], 0), d));
  }
  ma_c128 w = ma_sp_zmul(ma_make_c128(-2 * MA_SP_W_STEP / MA_SP_PI * y, 2 * MA_SP_W_STEP / MA_SP_PI * x), sum);
  if (!shifted) w = ma_sp_zadd(w, ma_sp_zdiv(ma_make_c128(0, MA_SP_W_STEP / MA_SP_PI), z));
  if (y >= MA_SP_PI / MA_SP_W_STEP) return w; /* the part of the residues is below exp(-75) */
  double grow = exp(2 * MA_SP_PI / MA_SP_W_STEP * y), angle = -2 * MA_SP_PI / MA_SP_W_STEP * x;
  ma_c128 turn = ma_make_c128(grow * cos(angle), grow * sin(angle));
  turn = shifted ? ma_make_c128(1 + turn.re, turn.im) : ma_make_c128(1 - turn.re, -turn.im);
  return ma_sp_zadd(w, ma_sp_gauss_times(z, ma_sp_zdiv(ma_make_c128(2, 0), turn)));
}

MA_SP_APART ma_c128 ma_sp_wofz(ma_c128 z) {
  if (z.re != z.re || z.im != z.im) return ma_make_c128(MA_SP_NAN, MA_SP_NAN);
  if (z.re == 0) return ma_make_c128(ma_sp_erfcx(z.im), 0);
  ma_c128 w = ma_sp_w_quadrant(ma_make_c128(fabs(z.re), fabs(z.im)));
  w.im = copysign(1.0, z.re) * w.im; /* w of -conj(z) is conj(w) */
  if (z.im >= 0) return w;
  ma_c128 two = ma_sp_gauss_times(z, ma_make_c128(2, 0)); /* w(z) = 2 exp(-z^2) - w(-z), and w has w(-z) conjugated */
  return ma_make_c128(two.re - w.re, two.im + w.im);
}

/* sum of sign^n z^(2n + 1) / (n! (2n + 1)) for |z| up to 1: erf and erfi but for their factor. */
MA_SP_APART ma_c128 ma_sp_erf_series(ma_c128 z, double sign) {
  ma_c128 square = ma_sp_zscale(ma_sp_zmul(z, z), sign), sum = ma_make_c128(0, 0), term = z;
  for (int n = 0; n < 22; n++) {
    sum = ma_sp_zadd(sum, ma_sp_zscale(term, 1.0 / (2 * n + 1)));
    term = ma_sp_zscale(ma_sp_zmul(term, square), 1.0 / (n + 1));
  }
  return ma_sp_zscale(sum, 1.12837916709551257390);
}
MA_SP int ma_sp_in_disc(ma_c128 z) { return fabs(z.re) < 1 && fabs(z.im) < 1 && z.re * z.re + z.im * z.im < 1; }
MA_SP ma_c128 ma_sp_times_i(ma_c128 z) { return ma_make_c128(-z.im, z.re); }
MA_SP ma_c128 ma_sp_minus(ma_c128 z) { return ma_make_c128(-z.re, -z.im); }

/* ==== Of real numbers ============================================================================================= */

/* Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x. */
MA_SP_APART double ma_sp_dawsn(double x) {
  double t = fabs(x);
  if (!(t <= 1e8)) return x != x ? x : 0.5 / x;
  if (t >= 1) return copysign(0.88622692545275801365 * ma_sp_w_quadrant(ma_make_c128(t, 0)).im, x);
  double term = x, sum = 0, square = x * x;
  for (int n = 1; n < 30; n++) {
    sum += term;
    term *= -2 * square / (2 * n + 1);
  }
  return sum;
}
MA_SP_APART double ma_sp_erfi(double x) {
  double t = fabs(x);
  if (t < 1) return ma_sp_erf_series(ma_make_c128(x, 0), 1).re;
  if (!(t < 27)) return x != x ? x : copysign(MA_SP_INF, x);
  double high = (double)(float)x, low = x - high, half = exp(0.5 * high * high); /* as in erfcx */
  return half * (1.12837916709551257390 * exp(low * (x + high)) * ma_sp_dawsn(x)) * half;
}

/* ==== Of complex numbers ========================================================================================== */

MA_SP ma_c128 ma_sp_zerfcx(ma_c128 z) {
  if (z.im == 0) return ma_make_c128(ma_sp_erfcx(z.re), -z.im);
  return ma_sp_wofz(ma_sp_times_i(z));
}
MA_SP_APART ma_c128 ma_sp_zerf(ma_c128 z) {
  if (z.im == 0) return ma_make_c128(erf(z.re), z.im);
  if (z.re == 0) return ma_make_c128(z.re, ma_sp_erfi(z.im));
  if (ma_sp_in_disc(z)) return ma_sp_erf_series(z, -1);
  ma_c128 t = z.re < 0 ? ma_sp_minus(z) : z, c = ma_sp_gauss_times(t, ma_sp_zerfcx(t));
  return z.re < 0 ? ma_make_c128(c.re - 1, c.im) : ma_make_c128(1 - c.re, -c.im);
}
MA_SP_APART ma_c128 ma_sp_zerfc(ma_c128 z) {
  if (z.im == 0) return ma_make_c128(erfc(z.re), -z.im);
  ma_c128 t = z.re < 0 ? ma_sp_minus(z) : z;
  if (ma_sp_in_disc(z) || z.re == 0) {
    t = ma_sp_zerf(z);
    return ma_make_c128(1 - t.re, -t.im);
  }
  t = ma_sp_gauss_times(t, ma_sp_zerfcx(t));
  return z.re < 0 ? ma_make_c128(2 - t.re, -t.im) : t;
}
/* -i erf(iz) */
MA_SP ma_c128 ma_sp_zerfi(ma_c128 z) {
  ma_c128 e = ma_sp_zerf(ma_sp_times_i(z));
  return ma_make_c128(e.im, -e.re);
}
/* i sqrt(pi) / 2 (exp(-z^2) - w(z)), an odd function */
MA_SP_APART ma_c128 ma_sp_zdawsn(ma_c128 z) {
  if (z.im == 0) return ma_make_c128(ma_sp_dawsn(z.re), z.im);
  if (ma_sp_in_disc(z)) return ma_sp_zscale(ma_sp_gauss_times(z, ma_sp_erf_series(z, 1)), 0.88622692545275801365);
  ma_c128 t = z.im < 0 ? ma_sp_minus(z) : z;
  ma_c128 d = ma_sp_zsub(ma_sp_gauss_times(t, ma_make_c128(1, 0)), ma_sp_wofz(t));
  d = ma_sp_zscale(ma_sp_times_i(d), 0.88622692545275801365);
  return z.im < 0 ? ma_sp_minus(d) : d;
}
MA_SP ma_c128 ma_sp_zndtr(ma_c128 z) {
  return ma_sp_zscale(ma_sp_zerfc(ma_sp_zscale(z, -0.70710678118654752440)), 0.5);
}
/* log(ndtr(z)) on the principal branch: log(exp(-z^2)) and the logarithm of erfcx are added, and the angle is brought
** back into -pi .. pi. */
MA_SP_APART ma_c128 ma_sp_zlog_ndtr(ma_c128 z) {
  ma_c128 t = ma_sp_zscale(z, -0.70710678118654752440), w;
  if (z.im == 0) return ma_make_c128(ma_sp_log_ndtr(z.re), z.im);
  if (z.re > 0) { /* log(1 - v) for a small v */
    w = ma_sp_zscale(ma_sp_zerfc(ma_sp_minus(t)), -0.5);
    if (hypot(w.re, w.im) < 0.5)
      return ma_make_c128(0.5 * log1p(2 * w.re + w.re * w.re + w.im * w.im), atan2(w.im, 1 + w.re));
  }
  w = ma_sp_zlog(ma_sp_zerfcx(t));
  double angle = fmod(-2 * t.re * t.im, 2 * MA_SP_PI) + w.im;
  angle -= 2 * MA_SP_PI * floor(angle / (2 * MA_SP_PI) + 0.5);
  return ma_make_c128((t.im - t.re) * (t.im + t.re) + w.re - 0.69314718055994530942, angle);
}

/* ==== Exponential integrals ======================================================================================= */

/* E1(z): beside the negative axis by the power series, from |z| = 40 on by the asymptotic series, else by the continued
** fraction from its end, whose k-th terms fall like exp(-4 sqrt(k) re(sqrt(z))). */
MA_SP_APART ma_c128 ma_sp_zexp1(ma_c128 z) {
  double size = hypot(z.re, z.im), span = 0.5 * (size + z.re); /* re(sqrt(z))^2 */
  if (!ma_sp_finite(size)) return z.re == MA_SP_INF ? ma_make_c128(0, 0) : ma_make_c128(MA_SP_NAN, MA_SP_NAN);
  if (z.im == 0 && z.re >= 0) return ma_make_c128(ma_sp_exp1(z.re), -z.im);
  ma_c128 sum = ma_make_c128(0, 0), term = ma_make_c128(1, 0), one = term;
  if (span < 1 && size < 40) {
    for (int k = 1; k < 200; k++) {
      term = ma_sp_zscale(ma_sp_zmul(term, z), -1.0 / k);
      sum = ma_sp_zsub(sum, ma_sp_zscale(term, 1.0 / k));
      if (k > size && fabs(term.re) + fabs(term.im) < 0.1 * MA_SP_EPS * (fabs(sum.re) + fabs(sum.im))) break;
    }
    ma_c128 l = ma_sp_zlog(z);
    return ma_make_c128(sum.re - MA_SP_EULER - l.re, sum.im - l.im);
  }
  ma_c128 inverse = ma_sp_zdiv(one, z);
  if (span < 1) {
    sum = one;
    for (int k = 1; k < 40; k++) sum = ma_sp_zadd(sum, term = ma_sp_zscale(ma_sp_zmul(term, inverse), -k));
    sum = ma_sp_zmul(sum, inverse);
  } else {
    for (double k = floor(90 / span) + 8; k > 0; k--)
      sum = ma_sp_zdiv(ma_make_c128(-k * k, 0), ma_make_c128(z.re + 1 + 2 * k + sum.re, z.im + sum.im));
    sum = ma_sp_zdiv(one, ma_make_c128(z.re + 1 + sum.re, z.im + sum.im));
  }
  double half = exp(-0.5 * z.re);
  return ma_sp_zscale(ma_sp_zmul(ma_make_c128(half * cos(z.im), -half * sin(z.im)), sum), half);
}
/* -E1(-z), on the branch that is real on the axis */
MA_SP_APART ma_c128 ma_sp_zexpi(ma_c128 z) {
  if (z.im == 0) return ma_make_c128(ma_sp_expi(z.re), z.im);
  ma_c128 e = ma_sp_zexp1(ma_sp_minus(z));
  return ma_make_c128(-e.re, copysign(MA_SP_PI, z.im) - e.im);
}
