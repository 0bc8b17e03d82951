/*
** beta.h: quotients of gamma functions: the beta function, Pochhammer's symbol, binomials. Differences of log-gammas
** are taken by their Stirling series term by term, as A. R. DiDonato and A. H. Morris do ("Algorithm 708", 1992), so
** that nothing cancels.
*/

/* lgamma(x) - ((x - 0.5) log(x) - x + log(2 pi) / 2) for any x > 0. */
MA_SP double ma_sp_stirling_any(double x) {
  if (x >= 10) return ma_sp_stirling(x);
  return ma_sp_lgamma(x) - ((x - 0.5) * log(x) - x + 0.91893853320467274178);
}

/* lgamma(a + b) - lgamma(a) for a >= 10 and a + b >= 10. */
MA_SP_APART double ma_sp_lgamma_rise(double a, double b) {
  return (a - 0.5) * log1p(b / a) + b * (log(a + b) - 1) + (ma_sp_stirling(a + b) - ma_sp_stirling(a));
}

/* log(beta(a, b)) for positive a and b, of which b is the smaller and a at least 10. */
MA_SP_APART double ma_sp_lbeta_large(double a, double b) {
  if (b < 10) return ma_sp_lgamma(b) - ma_sp_lgamma_rise(a, b);
  double s = ma_sp_stirling(a) + ma_sp_stirling(b) - ma_sp_stirling(a + b);
  return -(a - 0.5) * log1p(b / a) - b * log1p(a / b) - 0.5 * log(b) + 0.91893853320467274178 + s;
}

/* Whether the gamma functions of the beta function are all in range. */
MA_SP int ma_sp_beta_is_near(double a, double b) { return fabs(a) < 100 && fabs(b) < 100 && fabs(a + b) < 100; }

/* log(beta(a, b)) for 0 < b <= a */
MA_SP_APART double ma_sp_betaln_positive(double a, double b) {
  if (!ma_sp_finite(a)) return -MA_SP_INF;
  if (b < 1e-100) return (a < 1 ? log1p(b / a) : 0) - log(b); /* 1 / a + 1 / b beside a difference of digammas */
  if (a >= 10) return ma_sp_lbeta_large(a, b);
  return log(ma_sp_gamma(a) * (ma_sp_gamma(b) * ma_sp_rgamma(a + b)));
}
MA_SP double ma_sp_betaln_any(double a, double b) {
  return a < b ? ma_sp_betaln_positive(b, a) : ma_sp_betaln_positive(a, b);
}

/* log(|beta(a, b) / factor|) for b <= a and b < 0, where neither is a pole. The gamma functions of negative numbers are
** reflected. */
MA_SP_APART double ma_sp_beta_reflected(double a, double b, double *factor) {
  double s = ma_sp_sinpi(b), n = a + b;
  if (n <= 0 && ma_sp_whole(n)) *factor = 0;
  else if (a < 0) *factor = MA_SP_PI * (ma_sp_cospi(a) / ma_sp_sinpi(a) + ma_sp_cospi(b) / s) / (1 - n);
  else *factor = n > 0 ? MA_SP_PI / (s * a) : ma_sp_sinpi(a) * ma_sp_cospi(b) / s + ma_sp_cospi(a);
  if (a < 0) return -ma_sp_betaln_any(1 - a, 1 - b);
  return n > 0 ? -ma_sp_betaln_any(n, 1 - b) : ma_sp_betaln_any(a, 1 - n);
}

/* log(|beta(a, b)|) at the pole a = -n: finite where b is a whole number of at most n. */
MA_SP double ma_sp_betaln_pole(double a, double b) {
  double u = 1 - a - b;
  return ma_sp_whole(b) && b > 0 && u > 0 ? ma_sp_betaln_any(u, b) : MA_SP_INF;
}

MA_SP_APART double ma_sp_betaln(double a, double b) {
  double factor;
  if (!(a > -MA_SP_INF && b > -MA_SP_INF)) return MA_SP_NAN;
  if (a <= 0 && ma_sp_whole(a)) return ma_sp_betaln_pole(a, b);
  if (b <= 0 && ma_sp_whole(b)) return ma_sp_betaln_pole(b, a);
  if (a < b) {
    double t = a;
    a = b;
    b = t;
  }
  if (b > 0) return ma_sp_betaln_positive(a, b);
  if (!ma_sp_finite(a)) return MA_SP_INF;
  if (fabs(b) < 1e-100 || fabs(a) < 1e-100)
    return log(fabs(1 + (fabs(a) < fabs(b) ? a / b : b / a))) - log(fabs(a) < fabs(b) ? fabs(a) : fabs(b));
  if (ma_sp_beta_is_near(a, b)) return log(fabs(ma_sp_gamma(a) * (ma_sp_gamma(b) * ma_sp_rgamma(a + b))));
  double rest = ma_sp_beta_reflected(a, b, &factor);
  return log(fabs(factor)) + rest;
}

MA_SP double ma_sp_beta_pole(double a, double b) {
  double value = exp(ma_sp_betaln_pole(a, b));
  if (a == 0) return copysign(value, b == 0 ? copysign(1.0, a) + copysign(1.0, b) : a); /* 1 / a, and 1 / a + 1 / b */
  return value < MA_SP_INF && ma_sp_odd(b) ? -value : value;
}

MA_SP_APART double ma_sp_beta(double a, double b) {
  double factor;
  if (!(a > -MA_SP_INF && b > -MA_SP_INF)) return MA_SP_NAN;
  if (a <= 0 && ma_sp_whole(a)) return ma_sp_beta_pole(a, b);
  if (b <= 0 && ma_sp_whole(b)) return ma_sp_beta_pole(b, a);
  if (a < b) {
    double t = a;
    a = b;
    b = t;
  }
  if (!ma_sp_finite(a)) return b > 0 ? 0 : ma_sp_gammasgn(b) * MA_SP_INF;
  if (b > 0 && a >= 10) {
    if (b >= 10) return exp(ma_sp_lbeta_large(a, b));
    return ma_sp_gamma(b) * exp(-ma_sp_lgamma_rise(a, b));
  }
  if (ma_sp_beta_is_near(a, b)) {
    double x = ma_sp_gamma(a), y = ma_sp_gamma(b), z = ma_sp_rgamma(a + b);
    return fabs(x) > fabs(y) ? x * z * y : y * z * x;
  }
  double rest = ma_sp_beta_reflected(a, b, &factor);
  return factor == 0 ? 0 : factor * exp(rest);
}

/* gamma(a + m) / gamma(a) at the pole a = -n: 0, unless m is a whole number of at most n. */
MA_SP double ma_sp_poch_pole(double a, double m) {
  double r = a + m;
  if (r > 0 || !ma_sp_whole(m)) return 0;
  double p = exp(ma_sp_lgamma(1 - a) - ma_sp_lgamma(1 - r)); /* a quotient of factorials */
  return ma_sp_odd(m) ? -p : p;
}

/* gamma(a + m) / gamma(a) */
MA_SP_APART double ma_sp_poch(double a, double m) {
  if (a != a || m != m) return MA_SP_NAN;
  if (m == 0) return 1;
  double r = a + m;
  if (ma_sp_whole(m) && fabs(m) <= 30) {
    double p = 1;
    for (double k = 0; k < m; k++) p *= a + k;
    for (double k = 1; k <= -m; k++) p /= a - k;
    return p;
  }
  if (!ma_sp_finite(r)) return r > 0 && a > 0 ? (a == MA_SP_INF && m < 0 ? 0 : r) : MA_SP_NAN;
  if (a <= 0 && ma_sp_whole(a)) return ma_sp_poch_pole(a, m);
  if (a >= 10 && r >= 10) return exp(ma_sp_lgamma_rise(a, m));
  if (r <= 0 && ma_sp_whole(r) && ma_sp_whole(a)) return MA_SP_INF;
  if (r < -170) { /* by reflection; r may be rounded to a whole number */
    double s = ma_sp_sinpi(a) * ma_sp_cospi(m) + ma_sp_cospi(a) * ma_sp_sinpi(m);
    if (s == 0) return MA_SP_INF;
    return MA_SP_PI / s * exp(-ma_sp_lgamma(1 - r) - ma_sp_lgamma(a)) * ma_sp_gammasgn(a);
  }
  if (r <= 0 && ma_sp_whole(r)) return MA_SP_INF;
  if (fabs(a) < 170 && fabs(r) < 170) return ma_sp_gamma(r) * ma_sp_rgamma(a);
  return exp(ma_sp_lgamma(r) - ma_sp_lgamma(a)) * ma_sp_gammasgn(r) * ma_sp_gammasgn(a);
}

/* gamma(n + 1) sin(pi angle) / pi gamma(t) / gamma(t + n + 1) for t >= 10 and t + n + 1 >= 10, where sin(pi angle) is
** given. */
MA_SP_APART double ma_sp_binom_far(double n, double t, double s) {
  double rise = ma_sp_lgamma_rise(t, n + 1);
  if (fabs(n) < 20) return ma_sp_gamma(n + 1) * (s / MA_SP_PI) * exp(-rise);
  return ma_sp_gammasgn(n + 1) * (s / MA_SP_PI) * exp(ma_sp_lgamma(n + 1) - rise);
}

MA_SP_APART double ma_sp_binom(double n, double k) {
  if (n != n || k != k || (n < 0 && ma_sp_whole(n))) return MA_SP_NAN;
  if (fabs(k) == MA_SP_INF) return n > -1 && n < MA_SP_INF ? 0 : MA_SP_NAN;
  if (ma_sp_whole(k)) {
    if (ma_sp_whole(n) && n > 0 && k > n / 2) k = n - k;
    if (k >= 0 && k < 30) {
      double p = 1;
      for (double i = 1; i <= k; i++) p = p * (n - k + i) / i;
      return p;
    }
    if (k < 0) return 0;
  }
  if (n >= 1e10 * k && k > 0) return exp(-ma_sp_betaln(1 + n - k, 1 + k) - log(n + 1));
  if (k <= -10 && n + 1 - k >= 10) return ma_sp_binom_far(n, -k, ma_sp_sinpi(-k));
  if (k - n >= 10 && k >= 9)
    return ma_sp_binom_far(n, k - n, ma_sp_sinpi(k) * ma_sp_cospi(n) - ma_sp_cospi(k) * ma_sp_sinpi(n));
  if (fabs(n) < 20 && fabs(k) < 20 && fabs(n - k) < 20)
    return ma_sp_gamma(1 + n) * ma_sp_rgamma(1 + k) * ma_sp_rgamma(1 + n - k);
  return 1 / (n + 1) / ma_sp_beta(1 + n - k, 1 + k);
}
