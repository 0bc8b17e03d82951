/*
** integrals.h: exponential, sine, cosine and hyperbolic integrals: power series, and continued fractions by Lentz's
** algorithm, as in Cephes (expn) and in W. J. Cody and H. C. Thacher ("Rational Chebyshev approximations for the
** exponential integral", 1968) with other limits between them.
*/
#define MA_SP_EULER 0.57721566490153286061

/* e^x E_n(x) for x >= 1: the continued fraction. */
MA_SP double ma_sp_expn_fraction(double n, double x) {
  double b = x + n, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 500; k++) {
    double a = -k * (n - 1 + k);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    h *= c * d;
    if (fabs(c * d - 1) < MA_SP_EPS) break;
  }
  return h;
}

MA_SP_APART double ma_sp_exp1(double x) {
  if (!(x > 0)) return x == 0 ? MA_SP_INF : x != x ? x : MA_SP_NAN;
  if (x > 1) return x > 745 ? 0 : exp(-x) * ma_sp_expn_fraction(1, x);
  double sum = 0, term = 1;
  for (int k = 1; k < 30; k++) {
    term *= -x / k;
    sum -= term / k;
    if (fabs(term) < MA_SP_EPS * 0.1) break;
  }
  return sum - MA_SP_EULER - log(x);
}

/* Sum of x^k / (k k!) over k = 1, 2 ... ; with `odd` 1 or 0 only over odd or even k, else -1. */
MA_SP_APART double ma_sp_exponential_sum(double x, int odd) {
  double sum = 0, term = 1;
  for (int k = 1; k < 300; k++) {
    term *= x / k;
    if (odd < 0 || (k & 1) == odd) sum += term / k;
    if (term < MA_SP_EPS * 0.1 * sum && k > x) break;
  }
  return sum;
}

/* x e^-x Ei(x) for x > 40: the asymptotic series. */
MA_SP double ma_sp_expi_series(double x) {
  double sum = 1, term = 1;
  for (int k = 1; k < 60; k++) {
    double next = term * k / x;
    if (next > term || next < MA_SP_EPS * 0.1) break;
    sum += term = next;
  }
  return sum;
}

MA_SP_APART double ma_sp_expi(double x) {
  if (x != x) return x;
  if (x < 0) return x < -745 ? -0.0 : -ma_sp_exp1(-x);
  if (x == 0) return -MA_SP_INF;
  if (x > 740) return MA_SP_INF;
  if (x > 40) return exp(x - 30) * (ma_sp_expi_series(x) / x) * exp(30.0);
  return MA_SP_EULER + log(x) + ma_sp_exponential_sum(x, -1);
}

MA_SP_APART double ma_sp_expn(double n, double x) {
  if (n != n || x != x || n < 0 || x < 0) return MA_SP_NAN;
  n = floor(n);
  if (x > 745) return 0;
  if (x == 0) return n < 2 ? MA_SP_INF : 1 / (n - 1);
  if (n == 0) return exp(-x) / x;
  if (n == 1) return ma_sp_exp1(x);
  if (x >= 1) return exp(-x) * ma_sp_expn_fraction(n, x);
  double sum = 1 / (n - 1), term = 1; /* the power series */
  for (int k = 1; k < 40; k++) {
    term *= -x / k;
    if (k != n - 1) sum -= term / (k - n + 1);
    else {
      double psi = -MA_SP_EULER;
      for (int j = 1; j < n; j++) psi += 1.0 / j;
      sum += term * (psi - log(x));
    }
    if (fabs(term) < MA_SP_EPS * 0.01 * fabs(sum)) break;
  }
  return sum;
}

/* ==== Sine and cosine integrals ================================================================================== */

/* From 4 on: the continued fraction of E1(i t); Ci(t) and Si(t) - pi / 2. */
MA_SP_APART void ma_sp_sici_fraction(double t, double *si, double *ci) {
  double br = 1, bi = t, cr = 1e300, ci_ = 0, n = br * br + bi * bi, dr = br / n, di = -bi / n, hr = dr, hi = di;
  for (int k = 1; k < 200; k++) {
    double a = -(double)k * k;
    br += 2;
    dr = a * dr + br;
    di = a * di + bi;
    n = dr * dr + di * di;
    dr /= n;
    di = -di / n;
    n = cr * cr + ci_ * ci_;
    double qr = n > 1e200 ? 0 : a * cr / n, qi = n > 1e200 ? 0 : -a * ci_ / n;
    cr = br + qr;
    ci_ = bi + qi;
    double er = cr * dr - ci_ * di, ei = cr * di + ci_ * dr, r = hr * er - hi * ei;
    hi = hr * ei + hi * er;
    hr = r;
    if (fabs(er - 1) + fabs(ei) < 2 * MA_SP_EPS) break;
  }
  double c = cos(t), s = -sin(t);
  *ci = -(hr * c - hi * s);
  *si = hr * s + hi * c;
}

MA_SP double ma_sp_si(double x) {
  double t = fabs(x), si, ci;
  if (x != x) return x;
  if (t > 1e300) return copysign(MA_SP_PI / 2, x);
  if (t > 4) {
    ma_sp_sici_fraction(t, &si, &ci);
    return copysign(MA_SP_PI / 2 + si, x);
  }
  double sum = x, term = x;
  for (int k = 3; k < 50; k += 2) {
    term *= -x * x / (k * (k - 1));
    sum += term / k;
  }
  return sum;
}

MA_SP double ma_sp_ci(double x) {
  double t = fabs(x), si, ci;
  if (x != x) return x;
  if (t > 1e300) return x > 0 ? 0 : MA_SP_NAN;
  if (x == 0) return -MA_SP_INF;
  if (t > 4) {
    ma_sp_sici_fraction(t, &si, &ci);
    return ci;
  }
  double sum = 0, term = 1;
  for (int k = 2; k < 50; k += 2) {
    term *= -x * x / (k * (k - 1));
    sum += term / k;
  }
  return MA_SP_EULER + log(t) + sum;
}

MA_SP double ma_sp_shi(double x) {
  double t = fabs(x);
  if (x != x) return x;
  if (t > 740) return copysign(MA_SP_INF, x);
  return copysign(t > 40 ? 0.5 * ma_sp_expi(t) : t < 1e-8 ? t : ma_sp_exponential_sum(t, 1), x);
}

MA_SP double ma_sp_chi(double x) {
  double t = fabs(x);
  if (x != x) return x;
  if (x == 0) return -MA_SP_INF;
  if (t > 40) return 0.5 * ma_sp_expi(t);
  return MA_SP_EULER + log(t) + (t < 1e-9 ? 0 : ma_sp_exponential_sum(t, 0));
}
