/*
** zeta.h: Hurwitz's and Riemann's zeta functions by the Euler-Maclaurin sum, as in Cephes (zeta), with the reflection
** of Riemann's function below 0; the polygamma functions by Hurwitz's.
*/
/* B_2k / (2k)! */
MA_SP_TABLE double ma_sp_zeta_b[12] = { 0.08333333333333333,    -0.001388888888888889,   3.306878306878307e-05,
                                        -8.267195767195768e-07, 2.08767569878681e-08,    -5.284190138687493e-10,
                                        1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15,
                                        -2.174868698558062e-16, 5.5090028283602295e-18,  -1.3954464685812522e-19 };

/* The sum of ((q + k) / unit)^-x over k >= 0, continued to x < 1. Whole terms are added until q + k is large beside x.
** The caller knows x - 1, perhaps better than x. */
MA_SP_APART double ma_sp_zeta_sum_of(double x, double less, double q, double unit) {
  double sum = 0, a = q, most = x < 1 ? x + 7 : x + 10;
  /* Where q is so large that adding 1 does not change it, but terms still matter, the sum is that of a geometric
  ** series. */
  if (q + 1 == q && q < most) return q > 0 ? pow(q / unit, -x) / -expm1(-x / q) : MA_SP_INF;
  for (; a < most; a += 1) {
    double term = pow(a / unit, -x);
    /* A term is infinite. Of the two terms beside the pole at 0 the nearer one decides. Where both are equally far,
    ** they cancel if x is odd, as do all pairs around them. */
    if (!ma_sp_finite(term)) {
      if (a > 0 || -a < a + 1) return term;
      if (-a > a + 1 || !ma_sp_odd(x)) return MA_SP_INF;
      sum = 0, a = -q;
      continue;
    }
    sum += term;
    if (a > 0 && fabs(term) * (a / less + 1) <= 0.1 * MA_SP_EPS * fabs(sum) && x > 2) return sum;
  }
  double power = pow(a / unit, -x), factor = x, step = power / a;
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

MA_SP double ma_sp_zeta_sum(double x, double less, double q) { return ma_sp_zeta_sum_of(x, less, q, 1); }

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
  /* The terms below 0, mirrored, are the difference of two sums above 0, so no loop walks from q up to 0. */
  double part = q - floor(q), below = ma_sp_zeta_sum(x, x - 1, 1 - part) - ma_sp_zeta_sum(x, x - 1, 1 - q);
  return ma_sp_zeta_sum(x, x - 1, part) + (ma_sp_odd(x) ? -below : below);
}

/*
** zeta(x) - 1 for x >= 0: up to 4 a polynomial of x - 1 for (x - 1) zeta(x), which is entire; up to 22 polynomials for
** 2^x (zeta(x) - 1), which falls to 1; above that few terms of the sum are left.
*/
MA_SP_TABLE double ma_sp_zeta_near[18] = { -6.311432308345935e-18, 1.8547949353932385e-16,  -2.2674634522385373e-15,
                                           4.139556662708333e-15,  3.4932671722449504e-13,  -6.768071485812232e-12,
                                           5.6583118475896326e-11, 9.478281092385995e-11,   -8.733216630562142e-09,
                                           1.0462094495144765e-07, -3.316240916423432e-07,  -6.611031810080519e-06,
                                           9.68904193946271e-05,   -0.00034230573671746947, -0.0048451815964361674,
                                           0.07281584548367676,    0.5772156649015329,      1.0 };
MA_SP_TABLE double ma_sp_zeta_middle[27] = { 9.907076217525135e-20,   -5.151174117399311e-19,  -1.346402014698799e-18,
                                             6.195732509245459e-18,   4.428999206043182e-17,   -2.2186213824900048e-16,
                                             3.597066137607352e-16,   -2.2057541736084695e-15, 1.8269976106957515e-14,
                                             -9.895078186974598e-14,  5.14409580478642e-13,    -2.8362382532436174e-12,
                                             1.5699892748078966e-11,  -8.632758595708987e-11,  4.745661621658943e-10,
                                             -2.6101627525118386e-09, 1.435624973756777e-08,   -7.895777621479163e-08,
                                             4.342398181175226e-07,   -2.388269971310925e-06,  1.3144435482697192e-05,
                                             -7.250144163812904e-05,  0.00040006044019211273,  -0.00216066875187596,
                                             0.010626048886502757,    -0.04070372596283436,    1.0866500128541055 };
MA_SP_TABLE double ma_sp_zeta_far[26] = { -5.572194273295617e-30,  7.651035703296598e-29,   4.20863853830595e-28,
                                          -4.970643468381416e-27,  -1.1380460426823782e-25, 1.518651616137486e-24,
                                          -8.874668642418775e-24,  1.3753105338422534e-22,  -2.5940752689777863e-21,
                                          3.7238896583106514e-20,  -5.214905730825428e-19,  7.567891095291056e-18,
                                          -1.0994448618913148e-16, 1.5901159755931639e-15,  -2.3025277416176882e-14,
                                          3.355012806728011e-13,   -4.943412803232506e-12,  7.357490550076491e-11,
                                          -1.089015447098158e-09,  1.5513871251590253e-08,  -2.0336921105411902e-07,
                                          2.33026120287317e-06,    -2.2010635506268138e-05, 0.0001587685800843929,
                                          -0.0007716593165510164,  1.00188690192789 };
MA_SP double ma_sp_zetac_above(double x) {
  if (x <= 4) return ma_sp_poly(x - 1, ma_sp_zeta_near, 18) / (x - 1) - 1;
  if (x <= 9) return exp2(-x) * ma_sp_poly(x - 6.5, ma_sp_zeta_middle, 27);
  return x <= 22 ? exp2(-x) * ma_sp_poly(x - 15.5, ma_sp_zeta_far, 26) : ma_sp_zeta_sum(x, x - 1, 2);
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
  return x < -1e-17 ? ma_sp_zeta_reflected(x) - 1 : ma_sp_zetac_above(x);
}

MA_SP double ma_sp_riemann_zeta(double x) {
  if (x == -MA_SP_INF) return MA_SP_NAN;
  return x < -1e-17 ? ma_sp_zeta_reflected(x) : 1 + ma_sp_zetac(x);
}

/* The derivative of order n of the digamma function. */
MA_SP_APART double ma_sp_polygamma(double n, double x) {
  if (n != n || x != x || n < 0 || !ma_sp_whole(n)) return MA_SP_NAN;
  if (n == 0) return ma_sp_digamma(x);
  double value;
  if (n >= 10 && x > 0 && ma_sp_finite(x) && ma_sp_finite(n)) /* n! / x^n may be in range where n! and x^n are not */
    value = 2.50662827463100050242 * sqrt(n) * pow(n / (2.71828182845904523536 * x), n) * exp(ma_sp_stirling(n)) / x *
            ma_sp_zeta_sum_of(n + 1, n, x, x);
  else value = ma_sp_gamma(n + 1) * ma_sp_zeta(n + 1, x);
  return ma_sp_odd(n) ? value : -value;
}
