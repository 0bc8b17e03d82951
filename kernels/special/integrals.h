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

/* ==== In float ==================================================================================================== */

/*
** Minimax polynomials: of E1(x) + log(x) up to 1, of (x + 1) exp(x) E1(x) by 1 / (x + 1) above; of (Ei(x) - log(x) -
** gamma) exp(-x / 2) / x by x - 4 up to 8, of x exp(-x) Ei(x) by 1 / x above.
*/
MA_SP_TABLE float ma_sp_e1_near[7] = { -0.000149925865f, 0.00155923679f, -0.0103430115f, 0.0555289201f,
                                       -0.249995306f,    0.999999702f,   -0.577215672f };
MA_SP_TABLE float ma_sp_e1_far[10] = { -18.9238319f, 51.680275f,   -60.512207f, 41.704998f,      -18.9791107f,
                                       6.84090948f,  -1.87700558f, 0.99612397f, 5.08852863e-05f, 0.999999881f };
MA_SP_TABLE float ma_sp_ei_near[10] = { -9.45301684e-11f, 4.8672808e-09f,  -2.4599629e-08f, 1.33859146e-06f,
                                        -3.9993879e-06f,  0.000239154208f, -0.00022765249f, 0.0210183691f,
                                        0.00504170498f,   0.597754478f };
MA_SP_TABLE float ma_sp_ei_far[9] = { 2665489.75f, -1317925.75f, 245242.0f,    -21990.3848f, 1102.43408f,
                                      -22.641264f, 2.38933015f,  0.997695029f, 1.00000405f };
MA_SP float ma_sp_exp1_f4(float x) {
  if (!(x > 0)) return (float)(x == 0 ? MA_SP_INF : x != x ? x : MA_SP_NAN);
  if (x <= 1.0f) return ma_sp_poly_f4(x, ma_sp_e1_near, 7) - logf(x);
  float s = 1.0f / (x + 1.0f);
  return expf(-x) * (s * ma_sp_poly_f4(s, ma_sp_e1_far, 10));
}
MA_SP float ma_sp_expi_f4(float x) {
  if (!(x > 0)) return x == 0 ? -(float)MA_SP_INF : -ma_sp_exp1_f4(-x);
  float half = expf(0.5f * x);
  if (x <= 8.0f) return x * half * ma_sp_poly_f4(x - 4.0f, ma_sp_ei_near, 10) + (logf(x) + 0.577215672f);
  float r = 1.0f / x;
  return x < 200.0f ? half * (r * ma_sp_poly_f4(r, ma_sp_ei_far, 9)) * half : (float)MA_SP_INF;
}
