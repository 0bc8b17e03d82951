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

/* At a = -n: finite where b is a whole number of at most n. */
MA_SP double ma_sp_beta_pole(double a, double b, int logarithm) {
  if (!ma_sp_whole(b) || 1 - a - b <= 0) return MA_SP_INF;
  double u = 1 - a - b, v = b, value = ma_sp_gamma(u) * ma_sp_gamma(v) * ma_sp_rgamma(u + v);
  if (logarithm) return log(fabs(value));
  return ma_sp_odd(b) ? -value : value;
}

MA_SP_APART double ma_sp_betaln(double a, double b) {
  if (a != a || b != b) return MA_SP_NAN;
  if (a <= 0 && ma_sp_whole(a)) return ma_sp_beta_pole(a, b, 1);
  if (b <= 0 && ma_sp_whole(b)) return ma_sp_beta_pole(b, a, 1);
  if (a < b) {
    double t = a;
    a = b;
    b = t;
  }
  if (b > 0 && a >= 10) return ma_sp_lbeta_large(a, b);
  if (fabs(a) < 100 && fabs(b) < 100 && fabs(a + b) < 100 && (a > 1e-100 || a < -1e-100) && (b > 1e-100 || b < -1e-100))
    return log(fabs(ma_sp_gamma(a) * (ma_sp_gamma(b) * ma_sp_rgamma(a + b))));
  if (a >= 10 && a + b >= 10) return ma_sp_lgamma(b) - ma_sp_lgamma_rise(a, b);
  return ma_sp_lgamma(a) + ma_sp_lgamma(b) - ma_sp_lgamma(a + b);
}

MA_SP_APART double ma_sp_beta(double a, double b) {
  if (a != a || b != b) return MA_SP_NAN;
  if (a <= 0 && ma_sp_whole(a)) return ma_sp_beta_pole(a, b, 0);
  if (b <= 0 && ma_sp_whole(b)) return ma_sp_beta_pole(b, a, 0);
  if (a < b) {
    double t = a;
    a = b;
    b = t;
  }
  if (b > 0 && a >= 10) {
    if (b >= 10) return exp(ma_sp_lbeta_large(a, b));
    return ma_sp_gamma(b) * exp(-ma_sp_lgamma_rise(a, b));
  }
  if (fabs(a) < 100 && fabs(b) < 100 && fabs(a + b) < 100) {
    double x = ma_sp_gamma(a), y = ma_sp_gamma(b), z = ma_sp_rgamma(a + b);
    return fabs(x) > fabs(y) ? x * z * y : y * z * x;
  }
  double sign = ma_sp_gammasgn(a) * ma_sp_gammasgn(b) * ma_sp_gammasgn(a + b);
  if (a >= 10 && a + b >= 10) return sign * exp(ma_sp_lgamma(b) - ma_sp_lgamma_rise(a, b));
  return sign * exp(ma_sp_lgamma(a) + ma_sp_lgamma(b) - ma_sp_lgamma(a + b));
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
  if (r <= 0 && ma_sp_whole(r) && !(a <= 0 && ma_sp_whole(a))) return MA_SP_INF;
  if (a >= 10 && r >= 10) return exp(ma_sp_lgamma_rise(a, m));
  if (a <= 0 && ma_sp_whole(a)) {
    if (!(r <= 0 && ma_sp_whole(r))) return 0;
    double p = exp(ma_sp_lgamma(1 - a) - ma_sp_lgamma(1 - r)); /* a quotient of factorials */
    return ma_sp_odd(m) ? -p : p;
  }
  if (fabs(a) < 170 && fabs(r) < 170) return ma_sp_gamma(r) * ma_sp_rgamma(a);
  return exp(ma_sp_lgamma(r) - ma_sp_lgamma(a)) * ma_sp_gammasgn(r) * ma_sp_gammasgn(a);
}

MA_SP_APART double ma_sp_binom(double n, double k) {
  if (n != n || k != k || (n < 0 && ma_sp_whole(n))) return MA_SP_NAN;
  if (ma_sp_whole(k)) {
    if (ma_sp_whole(n) && n > 0 && k > n / 2) k = n - k;
    if (k >= 0 && k < 30) {
      double p = 1;
      for (double i = 1; i <= k; i++) p = p * (n - k + i) / i;
      return p;
    }
    if (k < 0 && ma_sp_whole(n)) return 0;
  }
  if (n >= 1e10 * k && k > 0) return exp(-ma_sp_betaln(1 + n - k, 1 + k) - log(n + 1));
  if (fabs(k) > 1e8 * fabs(n)) {
    if (k < 0 && ma_sp_whole(k)) return 0;
    double t = fabs(k), size = ma_sp_gamma(1 + n) * (1 / t + n / (2 * t * t)) / (MA_SP_PI * pow(t, n));
    if (k < 0) return size * ma_sp_sinpi(k);
    double whole = floor(k);
    return size * ma_sp_sinpi(k - whole - n) * (ma_sp_odd(whole) ? -1 : 1);
  }
  if (fabs(n) < 20 && fabs(k) < 20 && fabs(n - k) < 20)
    return ma_sp_gamma(1 + n) * ma_sp_rgamma(1 + k) * ma_sp_rgamma(1 + n - k);
  return 1 / (n + 1) / ma_sp_beta(1 + n - k, 1 + k);
}
