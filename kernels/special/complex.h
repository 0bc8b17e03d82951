/*
** complex.h: special functions of complex numbers: log-gamma by D. E. G. Hare ("Computing the principal branch of
** log-Gamma", 1997), Lambert's W by Halley's steps (R. M. Corless and others, "On the Lambert W function", 1996).
*/
#ifdef __cplusplus
MA_SP ma_c128 ma_sp_wide(ma_c64 z) { return ma_make_c128(z.re, z.im); }
MA_SP ma_c128 ma_sp_wide(ma_c128 z) { return z; }
MA_SP ma_c64 ma_sp_like(ma_c64, ma_c128 z) { return ma_make_c64((float)z.re, (float)z.im); }
MA_SP ma_c128 ma_sp_like(ma_c128, ma_c128 z) { return z; }
#else
MA_SP ma_c128 ma_sp_wide_c8(ma_c64 z) { return ma_make_c128(z.re, z.im); }
MA_SP ma_c128 ma_sp_wide_c16(ma_c128 z) { return z; }
MA_SP ma_c64 ma_sp_like_c8(ma_c128 z) { return ma_make_c64((float)z.re, (float)z.im); }
MA_SP ma_c128 ma_sp_like_c16(ma_c128 z) { return z; }
#define ma_sp_wide(z) _Generic((z), ma_c64 : ma_sp_wide_c8, ma_c128 : ma_sp_wide_c16)(z)
#define ma_sp_like(x, z) _Generic((x), ma_c64 : ma_sp_like_c8, ma_c128 : ma_sp_like_c16)(z)
#endif

MA_SP ma_c128 ma_sp_zadd(ma_c128 a, ma_c128 b) { return ma_make_c128(a.re + b.re, a.im + b.im); }
MA_SP ma_c128 ma_sp_zsub(ma_c128 a, ma_c128 b) { return ma_make_c128(a.re - b.re, a.im - b.im); }
MA_SP ma_c128 ma_sp_zmul(ma_c128 a, ma_c128 b) {
  return ma_make_c128(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
MA_SP ma_c128 ma_sp_zdiv(ma_c128 a, ma_c128 b) {
  if (fabs(b.re) >= fabs(b.im)) {
    double r = b.im / b.re, d = b.re + b.im * r;
    return ma_make_c128((a.re + a.im * r) / d, (a.im - a.re * r) / d);
  }
  double r = b.re / b.im, d = b.re * r + b.im;
  return ma_make_c128((a.re * r + a.im) / d, (a.im * r - a.re) / d);
}
MA_SP ma_c128 ma_sp_zscale(ma_c128 a, double s) { return ma_make_c128(a.re * s, a.im * s); }
MA_SP_APART ma_c128 ma_sp_zexp(ma_c128 a) {
  double e = exp(a.re);
  return a.im == 0 ? ma_make_c128(e, a.im) : ma_make_c128(e * cos(a.im), e * sin(a.im));
}
/* log(a). Where |a| is near 1, log1p of |a|^2 - 1 keeps the digits. */
MA_SP_APART ma_c128 ma_sp_zlog(ma_c128 a) {
  double h = hypot(a.re, a.im), u = fabs(a.re), v = fabs(a.im), big = u > v ? u : v, small = u > v ? v : u, l;
  l = h > 0.5 && h < 2 ? 0.5 * log1p((big - 1) * (big + 1) + small * small) : log(h);
  return ma_make_c128(l, atan2(a.im, a.re));
}

/* ==== Gamma ======================================================================================================= */

MA_SP_APART ma_c128 ma_sp_zstirling(ma_c128 z) {
  const double c[8] = { -2.955065359477124183e-2,  6.4102564102564102564e-3, -1.9175269175269175269e-3,
                        8.4175084175084175084e-4,  -5.952380952380952381e-4, 7.9365079365079365079e-4,
                        -2.7777777777777777778e-3, 8.3333333333333333333e-2 };
  ma_c128 r = ma_sp_zdiv(ma_make_c128(1, 0), z), rr = ma_sp_zmul(r, r), s = ma_make_c128(c[0], 0);
  for (int k = 1; k < 8; k++) {
    s = ma_sp_zmul(s, rr);
    s.re += c[k];
  }
  ma_c128 main = ma_sp_zmul(ma_make_c128(z.re - 0.5, z.im), ma_sp_zlog(z));
  main.re += 0.91893853320467274178 - z.re;
  main.im -= z.im;
  return ma_sp_zadd(main, ma_sp_zmul(r, s));
}

/* log(sin(pi z)), in logarithms of the factors where sin(pi z) overflows. */
MA_SP ma_c128 ma_sp_zlog_sinpi(ma_c128 z) {
  double t = MA_SP_PI * z.im, s = ma_sp_sinpi(z.re), c = ma_sp_cospi(z.re);
  if (fabs(t) < 100) return ma_sp_zlog(ma_make_c128(s * cosh(t), c * sinh(t)));
  return ma_make_c128(fabs(t) - 0.69314718055994530942, atan2(copysign(c, t > 0 ? c : -c), s));
}

/* log-gamma for z.re >= 0.1. */
MA_SP_APART ma_c128 ma_sp_zloggamma_right(ma_c128 z) {
  if (z.re > 7 || fabs(z.im) > 7) return ma_sp_zstirling(z);
  ma_c128 shift = z;
  int flips = 0, below = 0, conjugate = z.im < 0;
  if (conjugate) z.im = -z.im;
  shift.im = z.im;
  for (z.re += 1; z.re <= 7; z.re += 1) {
    shift = ma_sp_zmul(shift, z);
    int negative = shift.im < 0;
    if (negative && !below) flips++;
    below = negative;
  }
  ma_c128 r = ma_sp_zsub(ma_sp_zstirling(z), ma_sp_zlog(shift));
  r.im -= flips * 2 * MA_SP_PI;
  if (conjugate) r.im = -r.im;
  return r;
}

MA_SP_APART ma_c128 ma_sp_zloggamma(ma_c128 z) {
  if (z.im == 0 && z.re > 0) return ma_make_c128(ma_sp_lgamma(z.re), z.im);
  if (z.re != z.re || z.im != z.im || (z.im == 0 && ma_sp_whole(z.re))) return ma_make_c128(MA_SP_NAN, MA_SP_NAN);
  if (z.re >= 0.1) return ma_sp_zloggamma_right(z);
  double turn = copysign(2 * MA_SP_PI, z.im) * floor(0.5 * z.re + 0.25);
  ma_c128 l = ma_sp_zlog_sinpi(z), g = ma_make_c128(1 - z.re, -z.im);
  g = g.im == 0 ? ma_make_c128(ma_sp_lgamma(g.re), g.im) : ma_sp_zloggamma_right(g);
  return ma_make_c128(1.14472988584940017414 - l.re - g.re, turn - l.im - g.im);
}
/* Close to the pole at 0 the logarithm is large: a step of the recurrence leads away from it. */
MA_SP int ma_sp_at_zero(ma_c128 z) { return fabs(z.re) < 0.5 && fabs(z.im) < 0.5; }
MA_SP ma_c128 ma_sp_zgamma(ma_c128 z) {
  if (z.im == 0) return ma_make_c128(ma_sp_gamma(z.re), z.im);
  if (ma_sp_at_zero(z)) return ma_sp_zdiv(ma_sp_zexp(ma_sp_zloggamma(ma_make_c128(1 + z.re, z.im))), z);
  return ma_sp_zexp(ma_sp_zloggamma(z));
}
MA_SP ma_c128 ma_sp_zrgamma(ma_c128 z) {
  if (z.im == 0) return ma_make_c128(ma_sp_rgamma(z.re), -z.im);
  if (ma_sp_at_zero(z))
    return ma_sp_zmul(z, ma_sp_zexp(ma_sp_zscale(ma_sp_zloggamma(ma_make_c128(1 + z.re, z.im)), -1)));
  return ma_sp_zexp(ma_sp_zscale(ma_sp_zloggamma(z), -1));
}

/* -pi cot(pi z) below 1 / 2, upwards by the recurrence, then the asymptotic series; as of real numbers. */
MA_SP_APART ma_c128 ma_sp_zdigamma(ma_c128 z) {
  if (z.im == 0) return ma_make_c128(ma_sp_digamma(z.re), z.im);
  ma_c128 w = ma_make_c128(0, 0), one = ma_make_c128(1, 0), r, s;
  if (z.re < 0.5) {
    double t = 2 * MA_SP_PI * z.im, a = ma_sp_sinpi(z.re), b = ma_sp_cospi(z.re), h = sinh(0.5 * t);
    if (fabs(t) > 80) w.im = copysign(MA_SP_PI, t);
    else w = ma_sp_zscale(ma_make_c128(-a * b, sinh(t) * 0.5), MA_SP_PI / (a * a + h * h));
    z = ma_make_c128(1 - z.re, -z.im);
  }
  for (; hypot(z.re, z.im) < 10; z.re += 1) w = ma_sp_zsub(w, ma_sp_zdiv(one, z));
  r = ma_sp_zdiv(one, z);
  s = ma_sp_zmul(r, r);
  ma_c128 sum = ma_make_c128(ma_sp_digamma_terms[0], 0);
  for (int k = 1; k < 8; k++) {
    sum = ma_sp_zmul(sum, s);
    sum.re += ma_sp_digamma_terms[k];
  }
  w = ma_sp_zadd(w, ma_sp_zsub(ma_sp_zlog(z), ma_sp_zadd(ma_sp_zscale(r, 0.5), ma_sp_zmul(s, sum))));
  return w;
}

/* ==== Lambert's W ================================================================================================= */

MA_SP ma_c128 ma_sp_lambertw_start(ma_c128 z, double k) {
  if (k == 0 && hypot(z.re + 0.36787944117144232, z.im) < 0.3) { /* at the branch point */
    ma_c128 t = ma_make_c128(2 * (2.71828182845904523536 * z.re + 1), 2 * 2.71828182845904523536 * z.im), p;
    double h = hypot(t.re, t.im), re = sqrt(0.5 * (h + fabs(t.re))), im = re == 0 ? 0 : 0.5 * fabs(t.im) / re;
    p = t.re >= 0 ? ma_make_c128(re, copysign(im, t.im)) : ma_make_c128(im, copysign(re, t.im));
    ma_c128 s = ma_make_c128(11.0 / 72 * p.re - 1.0 / 3, 11.0 / 72 * p.im);
    s = ma_sp_zmul(s, p);
    s.re += 1;
    s = ma_sp_zmul(s, p);
    s.re -= 1;
    return s;
  }
  if (k == 0 && z.re > -1 && z.re < 1.5 && fabs(z.im) < 1 &&
      -2.5 * fabs(z.im) - 0.2 < z.re) { /* Pade's quotient at 0 */
    ma_c128 n = ma_make_c128(12.85106382978723404255 * z.re + 12.34042553191489361902, 12.85106382978723404255 * z.im);
    ma_c128 d = ma_make_c128(32.5319148936170212766 * z.re + 14.34042553191489361702, 32.5319148936170212766 * z.im);
    n = ma_sp_zmul(n, z);
    d = ma_sp_zmul(d, z);
    n.re += 1;
    d.re += 1;
    return ma_sp_zdiv(ma_sp_zmul(z, n), d);
  }
  if (k == -1 && z.im == 0 && z.re < 0 && z.re >= -0.36787944117144232) return ma_make_c128(log(-z.re), 0);
  ma_c128 w = ma_sp_zlog(z);
  w.im += 2 * MA_SP_PI * k;
  return ma_sp_zsub(w, ma_sp_zlog(w));
}

/* W where it is real, from the start w by Halley's steps as below. */
MA_SP_APART double ma_sp_lambertw_of_real(double z, double w) {
  for (int n = 0; n < 50; n++) {
    double e = exp(-fabs(w)), f = w >= 0 ? w - z * e : w * e - z, slope = w >= 0 ? w + 1 : e * (w + 1);
    if (f == 0 || w == -1) break;
    double step = f / (slope - (w + 2) * f / (2 * (w + 1)));
    w -= step;
    if (fabs(step) <= 1e-10 * fabs(w)) break; /* the next step would be its cube */
  }
  return w;
}

MA_SP_APART ma_c128 ma_sp_lambertw(ma_c128 z, double k) {
  if (z.re != z.re || z.im != z.im) return ma_make_c128(MA_SP_NAN, MA_SP_NAN);
  if (z.re == 0 && z.im == 0) return k == 0 ? z : ma_make_c128(-MA_SP_INF, 0);
  if (z.re == MA_SP_INF) return ma_make_c128(z.re, z.im + 2 * MA_SP_PI * k);
  if (z.re == -MA_SP_INF) return ma_make_c128(MA_SP_INF, z.im + 2 * MA_SP_PI * k + MA_SP_PI);
  ma_c128 w = ma_sp_lambertw_start(z, k);
  if (z.im == 0 && ((k == 0 && z.re > -0.36) || (k == -1 && z.re > -0.36 && z.re < 0)))
    return ma_make_c128(ma_sp_lambertw_of_real(z.re, w.re), z.im);
  for (int n = 0; n < 50; n++) { /* w - z exp(-w), or the same times exp(w): whichever cannot overflow */
    ma_c128 e = ma_sp_zexp(w.re >= 0 ? ma_sp_zscale(w, -1) : w), f, slope;
    ma_c128 w1 = ma_make_c128(w.re + 1, w.im), w2 = ma_make_c128(w.re + 2, w.im);
    if (w.re >= 0) {
      f = ma_sp_zsub(w, ma_sp_zmul(z, e));
      slope = w1;
    } else {
      f = ma_sp_zsub(ma_sp_zmul(w, e), z);
      slope = ma_sp_zmul(e, w1);
    }
    if ((f.re == 0 && f.im == 0) || (w1.re == 0 && w1.im == 0)) break;
    ma_c128 step = ma_sp_zdiv(f, ma_sp_zsub(slope, ma_sp_zdiv(ma_sp_zmul(w2, f), ma_sp_zscale(w1, 2))));
    w = ma_sp_zsub(w, step);
    if (hypot(step.re, step.im) <= 1e-10 * hypot(w.re, w.im)) break; /* the next step would be its cube */
  }
  return w;
}
