/*
** betainc.h: the incomplete beta function and its inverse, and the distributions of beta, binomial, F and Student. As
** in Boost (ibeta) after A. R. DiDonato and A. H. Morris ("Algorithm 708", 1992): the continued fraction on the side
** where it converges, the power series for small b. The power of x and 1 - x in front is taken about its maximum, as
** in C. Loader ("Fast and accurate computation of binomial probabilities", 2000). The inverse is Newton's steps on the
** logarithm.
*/
/* (r exp(-d / a))^a with r = 1 + d / a, which is given too, because near 0 it has digits that d / a lacks. */
MA_SP double ma_sp_beta_power(double a, double d, double r) {
  double t = d / a;
  if (fabs(t) < 0.5) return exp(a * ma_sp_log1pmx(t));
  return t > 700 ? 0 : pow(r * exp(-t), a);
}

/* y^b where y = 1 - x. */
MA_SP double ma_sp_beta_rest(double b, double x, double y) { return x < 0.5 ? exp(b * log1p(-x)) : pow(y, b); }

/* x^a y^b / beta(a, b) for a < 10 <= b, with gamma(a + b) / gamma(b) by Stirling's series. */
MA_SP_APART double ma_sp_beta_lopsided(double a, double b, double x, double y) {
  double t = a / b, rest = (t < 0.5 ? b * ma_sp_log1pmx(t) : b * log1p(t) - a) - 0.5 * log1p(t);
  double s = ma_sp_stirling(a + b) - ma_sp_stirling(b);
  return pow(x * (a + b), a) * ma_sp_beta_rest(b, x, y) * exp(rest + s) * ma_sp_rgamma(a);
}

/* x^a y^b / beta(a, b) with y = 1 - x. */
MA_SP_APART double ma_sp_beta_prefix(double a, double b, double x, double y) {
  if (a < 10 && b < 10)
    return pow(x, a) * ma_sp_beta_rest(b, x, y) * (ma_sp_rgamma(a) * ma_sp_gamma(a + b) * ma_sp_rgamma(b));
  if (a < 10) return ma_sp_beta_lopsided(a, b, x, y);
  if (b < 10) return ma_sp_beta_lopsided(b, a, y, x);
  double n = a + b, d = x * b - y * a, s = ma_sp_stirling(n) - ma_sp_stirling(a) - ma_sp_stirling(b);
  return ma_sp_beta_power(a, d, x * (n / a)) * ma_sp_beta_power(b, -d, y * (n / b)) * exp(s) * 0.39894228040143267794 *
         sqrt(a) * sqrt(b / n);
}

/* The continued fraction of DiDonato and Morris, by the recurrence of numerators and denominators; x is at most about
** a / (a + b), where its terms are positive. */
MA_SP_APART double ma_sp_beta_fraction(double a, double b, double x, double y) {
  double tilt = a * y - b * x + 1, p2 = 1, q2 = 0, p1 = a * tilt / (a + 1), q1 = 1, value = 1 / p1;
  for (int m = 1; m < 10000; m++) {
    double u = a + 2 * m - 1, n = (a + m - 1) / u * ((a + b + m - 1) / u) * (m * (b - m) * x) * x;
    double d = m + m * (b - m) * x / u + (a + m) * (tilt + m * (2 - x)) / (u + 2);
    double p = d * p1 + n * p2, q = d * q1 + n * q2, next = q / p;
    int done = fabs(next - value) <= MA_SP_EPS * fabs(next);
    value = next;
    if (done) break;
    double scale = fabs(p) > 1e100 ? 1e-100 : 1;
    p2 = p1 * scale;
    q2 = q1 * scale;
    p1 = p * scale;
    q1 = q * scale;
  }
  return ma_sp_beta_prefix(a, b, x, y) * value;
}

/* The power series in x, for b up to 1. */
MA_SP_APART double ma_sp_beta_series(double a, double b, double x, double y) {
  double term = 1, sum = 1 / a;
  for (int k = 1; k < 5000; k++) {
    term *= (k - b) * x / k;
    sum += term / (a + k);
    if (term < 0.1 * MA_SP_EPS * sum * (a + k) * y) break;
  }
  return ma_sp_beta_prefix(a, b, x, y) * sum / (y < 1 ? pow(y, b) : 1);
}

/* I_x(a, b) and its complement for positive a, b and 0 < x < 1; the smaller one has all its digits. */
MA_SP_APART void ma_sp_beta_parts(double a, double b, double x, double y, double *p, double *q) {
  if (x * (a + b + 2) < a + 1) {
    *p = ma_sp_beta_fraction(a, b, x, y);
    *q = 1 - *p;
    if (*q < 0.1 && a <= 1 && x > 0.01) *q = ma_sp_beta_series(b, a, y, x);
  } else {
    *q = ma_sp_beta_fraction(b, a, y, x);
    *p = 1 - *q;
    if (*p < 0.1 && b <= 1 && y > 0.01) *p = ma_sp_beta_series(a, b, x, y);
  }
}

MA_SP double ma_sp_betainc_of(double a, double b, double x, double y) {
  double p, q;
  if (!(a >= 0 && b >= 0 && x >= 0 && y >= 0)) return MA_SP_NAN;
  if ((a == 0 && b == 0) || (!ma_sp_finite(a) && !ma_sp_finite(b))) return MA_SP_NAN;
  if (a == 0 || !ma_sp_finite(b)) return x > 0 ? 1 : 0;
  if (b == 0 || !ma_sp_finite(a)) return y > 0 ? 0 : 1;
  if (x == 0) return 0;
  if (y == 0) return 1;
  ma_sp_beta_parts(a, b, x, y, &p, &q);
  return p;
}
MA_SP double ma_sp_betainc(double a, double b, double x) { return ma_sp_betainc_of(a, b, x, 1 - x); }
MA_SP double ma_sp_betaincc(double a, double b, double x) { return ma_sp_betainc_of(b, a, 1 - x, x); }

/* ==== The inverse ================================================================================================= */

/* x / y of I_x(a, b) == goal. Steps are in log(x / y), which loses no digits at either end, within what is known. */
MA_SP_APART double ma_sp_beta_solve(double a, double b, double goal) {
  double low = 0, high = MA_SP_INF, p, q;
  int by_upper = goal > 0.9;
  double wanted = by_upper ? 1 - goal : goal, mean = a / b, r = mean;
  double start = exp((log(goal) + log(a) + ma_sp_betaln(a, b)) / a); /* I_x is x^a / (a beta(a, b)) near 0 */
  double end = exp((log(1 - goal) + log(b) + ma_sp_betaln(a, b)) / b);
  if (start < 0.1 * a / (a + b)) r = start / (1 - start);
  else if (end < 0.1 * b / (a + b)) r = (1 - end) / end;
  if (!(r > 1e-300)) return r;
  if (r > 1e300) return r;
  for (int k = 0; k < 100; k++) {
    double y = 1 / (1 + r), x = r > 1 ? 1 / (1 + 1 / r) : r * y, step;
    ma_sp_beta_parts(a, b, x, y, &p, &q);
    double value = by_upper ? q : p, slope = ma_sp_beta_prefix(a, b, x, y);
    if (value == wanted) break;
    if (by_upper ? value > wanted : value < wanted) low = r;
    else high = r;
    if (value > 0.1 * wanted && value < 10 * wanted)
      step = log1p((value - wanted) / wanted) * value / slope * (by_upper ? 1 : -1);
    else step = value > 0 ? (log(value) - log(wanted)) * value / slope * (by_upper ? 1 : -1) : MA_SP_NAN;
    double next = fabs(step) < 1e-3 ? r + r * expm1(step) : r * exp(step);
    if (fabs(step) < 1e-10) return next; /* the next step would be its square */
    if (!(next > low && next < high))
      next = low == 0 ? 0.1 * high : high == MA_SP_INF ? 10 * low : sqrt(low) * sqrt(high);
    r = next;
  }
  return r;
}

/* x / (1 - x), with the ends. */
MA_SP double ma_sp_betaincinv_ratio(double a, double b, double p) {
  if (!(a > 0 && b > 0 && p >= 0 && p <= 1)) return MA_SP_NAN;
  if (p == 0) return 0;
  if (p == 1) return MA_SP_INF;
  return ma_sp_beta_solve(a, b, p);
}
MA_SP double ma_sp_betaincinv(double a, double b, double p) {
  double r = ma_sp_betaincinv_ratio(a, b, p);
  return r > 1 ? 1 / (1 + 1 / r) : r / (1 + r);
}

/* ==== Distributions =============================================================================================== */

MA_SP double ma_sp_bdtr(double k, double n, double p) {
  k = floor(k);
  if (!(k >= 0 && n >= k && p >= 0 && p <= 1)) return MA_SP_NAN;
  return k == n ? 1 : ma_sp_betainc_of(n - k, k + 1, 1 - p, p);
}
MA_SP double ma_sp_bdtrc(double k, double n, double p) {
  k = floor(k);
  if (!(n >= k && p >= 0 && p <= 1)) return MA_SP_NAN;
  return k < 0 ? 1 : k == n ? 0 : ma_sp_betainc_of(k + 1, n - k, p, 1 - p);
}
MA_SP double ma_sp_bdtri(double k, double n, double y) {
  k = floor(k);
  if (!(k >= 0 && n > k && y >= 0 && y <= 1)) return MA_SP_NAN;
  return 1 / (1 + ma_sp_betaincinv_ratio(n - k, k + 1, y));
}
MA_SP double ma_sp_nbdtr(double k, double n, double p) {
  k = floor(k);
  return k >= 0 && p >= 0 && p <= 1 ? ma_sp_betainc_of(n, k + 1, p, 1 - p) : MA_SP_NAN;
}
MA_SP double ma_sp_nbdtrc(double k, double n, double p) {
  k = floor(k);
  return k >= 0 && p >= 0 && p <= 1 ? ma_sp_betainc_of(k + 1, n, 1 - p, p) : MA_SP_NAN;
}
MA_SP double ma_sp_nbdtri(double k, double n, double y) {
  k = floor(k);
  return k >= 0 ? ma_sp_betaincinv(n, k + 1, y) : MA_SP_NAN;
}
MA_SP double ma_sp_fdtr(double m, double n, double x) {
  if (!(m > 0 && n > 0 && x >= 0)) return MA_SP_NAN;
  if (!ma_sp_finite(x)) return 1;
  return ma_sp_betainc_of(0.5 * m, 0.5 * n, m * x / (n + m * x), n / (n + m * x));
}
MA_SP double ma_sp_fdtrc(double m, double n, double x) {
  if (!(m > 0 && n > 0 && x >= 0)) return MA_SP_NAN;
  if (!ma_sp_finite(x)) return 0;
  return ma_sp_betainc_of(0.5 * n, 0.5 * m, n / (n + m * x), m * x / (n + m * x));
}
MA_SP double ma_sp_fdtri(double m, double n, double p) {
  if (!(p > 0 && p <= 1)) return MA_SP_NAN;
  return n / m * ma_sp_betaincinv_ratio(0.5 * m, 0.5 * n, p);
}
MA_SP double ma_sp_stdtr(double v, double t) {
  if (!(v > 0) || t != t) return MA_SP_NAN;
  if (!ma_sp_finite(t)) return t > 0 ? 1 : 0;
  double s = t * t, p = 0.5 * ma_sp_betainc_of(0.5 * v, 0.5, v / (v + s), s / (v + s));
  return t > 0 ? 1 - p : p;
}
