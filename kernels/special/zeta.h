/*
** zeta.h: Hurwitz's and Riemann's zeta functions by the Euler-Maclaurin sum, as in Cephes (zeta), with the reflection
** of Riemann's function below 0; the polygamma functions by Hurwitz's.
*/
/* B_2k / (2k)! */
MA_SP_TABLE double ma_sp_zeta_b[12] = { 0.08333333333333333,    -0.001388888888888889,   3.306878306878307e-05,
                                        -8.267195767195768e-07, 2.08767569878681e-08,    -5.284190138687493e-10,
                                        1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15,
                                        -2.174868698558062e-16, 5.5090028283602295e-18,  -1.3954464685812522e-19 };

/* The sum of (q + k)^-x over k >= 0, continued to x < 1. Whole terms are added until q + k is large beside x. The
** caller knows x - 1, perhaps better than x. */
MA_SP_APART double ma_sp_zeta_sum(double x, double less, double q) {
  double sum = 0, a = q, most = x < 1 ? x + 7 : x + 10;
  for (; a < most; a += 1) {
    double term = pow(a, -x);
    sum += term;
    if (a > 0 && fabs(term) * (a / less + 1) <= 0.1 * MA_SP_EPS * fabs(sum) && x > 2) return sum;
  }
  double power = pow(a, -x), factor = x, step = power / a;
  sum += power * (a / less + 0.5);
  for (int k = 0; k < 12; k++) {
    double term = ma_sp_zeta_b[k] * factor * step;
    sum += term;
    if (fabs(term) < 0.1 * MA_SP_EPS * fabs(sum)) break;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2);
    step /= a * a;
  }
  return sum;
}

MA_SP double ma_sp_zeta(double x, double q) {
  if (x != x || q != q || x < 1) return MA_SP_NAN;
  if (x == 1) return MA_SP_INF;
  if (q <= 0) {
    if (ma_sp_whole(q)) return MA_SP_INF;
    if (!ma_sp_whole(x)) return MA_SP_NAN;
  }
  if (!ma_sp_finite(q)) return q > 0 ? 0 : MA_SP_NAN;
  if (q > 1e8) return (1 / (x - 1) + 1 / (2 * q)) * pow(q, 1 - x);
  if (!ma_sp_finite(x)) return q > 1 ? 0 : q == 1 ? 1 : MA_SP_INF;
  if (q > -1000) return ma_sp_zeta_sum(x, x - 1, q);
  /* The terms below 0, mirrored, are those of two sums above it: no walk from q up to 0. */
  double part = q - floor(q), below = ma_sp_zeta_sum(x, x - 1, 1 - part) - ma_sp_zeta_sum(x, x - 1, 1 - q);
  return ma_sp_zeta_sum(x, x - 1, part) + (ma_sp_odd(x) ? -below : below);
}

/* zeta(x) for x < 0: 2 (2 pi)^(x - 1) sin(pi x / 2) gamma(1 - x) zeta(1 - x). */
MA_SP_APART double ma_sp_zeta_reflected(double x) {
  double w = 1 - x, s = ma_sp_sinpi(0.5 * x), z = 1 + ma_sp_zeta_sum(w, -x, 2);
  if (s == 0) return 0;
  if (w < 33) return 2 * s * z * ma_sp_gamma(w) * pow(2 * MA_SP_PI, -w);
  double half = pow(w / 17.0794684453471341309, 0.5 * w); /* 2 pi e */
  return 2 * s * z * 2.50662827463100050242 / sqrt(w) * half * exp(ma_sp_stirling(w)) * half;
}

MA_SP double ma_sp_zetac(double x) {
  if (x != x) return x;
  if (x == 1) return MA_SP_INF;
  if (x > 1100) return 0;
  if (x == -MA_SP_INF) return MA_SP_NAN;
  return x < 0 ? ma_sp_zeta_reflected(x) - 1 : ma_sp_zeta_sum(x, x - 1, 2);
}

MA_SP double ma_sp_riemann_zeta(double x) {
  if (x == -MA_SP_INF) return MA_SP_NAN;
  return x < 0 ? ma_sp_zeta_reflected(x) : 1 + ma_sp_zetac(x);
}

/* The derivative of order n of the digamma function. */
MA_SP_APART double ma_sp_polygamma(double n, double x) {
  if (n != n || x != x || n < 0 || !ma_sp_whole(n)) return MA_SP_NAN;
  if (n == 0) return ma_sp_digamma(x);
  double value = ma_sp_gamma(n + 1) * ma_sp_zeta(n + 1, x);
  return ma_sp_odd(n) ? value : -value;
}
