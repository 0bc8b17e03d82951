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

/* ==== Sine and cosine integrals ==================================================================================
** To 4 the power series. Above, Si(t) = pi / 2 - f cos(t) - g sin(t) and Ci(t) = f sin(t) - g cos(t) (Abramowitz and
** Stegun, 5.2): Chebyshev series of t f and t^2 g, computed with mpmath, by 1 / t up to 8 and up to 24, and by 1 / t^2
** beyond.
*/
MA_SP_TABLE double ma_sp_si_near[20] = {
  -1.257043527311165e-48,  1.9636378862575867e-45, -2.7650265596091116e-42, 3.489798672961197e-39,
  -3.922984005011348e-36,  3.8999872022233505e-33, -3.401366616220572e-30,  2.5787801137537893e-27,
  -1.6818131176655147e-24, 9.32044812542441e-22,   -4.326650129802279e-19,  1.6537983849091297e-16,
  -5.0981091545465446e-14, 1.2353110643708935e-11, -2.27746439867652e-09,   3.0619243582206544e-07,
  -2.834467120181406e-05,  0.0016666666666666668,  -0.05555555555555555,    1.0
};
MA_SP_TABLE double ma_sp_ci_near[19] = { -5.031482118527058e-47,
                                         7.467278517462879e-44,
                                         -9.962228045650476e-41,
                                         1.1876221108921073e-37,
                                         -1.2566625429386353e-34,
                                         1.1713890132392279e-31,
                                         -9.53690870471076e-29,
                                         6.715573212900493e-26,
                                         -4.0439960874775335e-23,
                                         2.0551588116560825e-20,
                                         -8.677337204770125e-18,
                                         2.9871733327421158e-15,
                                         -8.193389712664089e-13,
                                         1.7397297489890083e-10,
                                         -2.755731922398589e-08,
                                         3.1001984126984127e-06,
                                         -0.0002314814814814815,
                                         0.010416666666666666,
                                         -0.25 };
MA_SP_TABLE double ma_sp_sici_f_near[16] = { 4.768880915992585e-17,  -3.899159573980096e-16,  2.500403492164723e-15,
                                             -7.78416297370466e-15,  -1.0265489449725927e-13, 2.6421871207333374e-12,
                                             -3.76557315442645e-11,  4.067229629362949e-10,   -3.2067110490690106e-09,
                                             8.819599915810802e-09,  3.029827842244046e-07,   -8.081712187981541e-06,
                                             0.00012148407180044161, -0.0008044878559027043,  -0.028233801655034252,
                                             1.8913897005643163 };
MA_SP_TABLE double ma_sp_sici_g_near[17] = { -4.110501836650348e-17, 3.0015881405711464e-16,  -1.6719967480292956e-15,
                                             3.2205106111693903e-15, 8.709644953648439e-14,   -1.7590931155567007e-12,
                                             2.2290305948073337e-11, -2.2081173025917405e-10, 1.6731671530710441e-09,
                                             -6.653043754223222e-09, -6.842443675659774e-08,  2.109508992266979e-06,
                                             -3.134340385035312e-05, 0.000295296634819374,    -0.00028233881571446156,
                                             -0.0655831928024807,    1.7209000639624936 };
MA_SP_TABLE double ma_sp_sici_f[16] = { -7.953957932557527e-17, 6.927635155055139e-16,   -3.931148521809213e-15,
                                        5.695938769827394e-15,  1.982859800376775e-13,   -3.081270299009753e-12,
                                        2.6027272244598236e-11, -8.888544611573692e-11,  -1.325440746198904e-09,
                                        2.984131094561844e-08,  -2.8134822017796725e-07, -3.950996151463708e-07,
                                        6.770961584758851e-05,  -0.0011464600969679753,  -0.011868606738645815,
                                        1.971884626010822 };
MA_SP_TABLE double ma_sp_sici_g[18] = { -5.817725398982302e-18, 1.0343922072154524e-16,  -9.384638659134025e-16,
                                        5.801230736487447e-15,  -1.8293340413491662e-14, -1.1556536268826382e-13,
                                        2.5873696987286427e-12, -2.5222300203669636e-11, 1.4159213998469764e-10,
                                        8.405905286914674e-11,  -1.309804992735333e-08,  1.7123869665581875e-07,
                                        -9.929485527775076e-07, -7.282017227907287e-06,  0.00026239852811452277,
                                        -0.0026353322168062104, -0.03251107649322573,    1.9206284067424646 };
MA_SP_TABLE double ma_sp_sici_f_far[12] = { -7.046279692350958e-18, 6.890506164881477e-17,  -7.613907412355029e-16,
                                            9.698128079002435e-15,  -1.460832904156641e-13, 2.6912134455807385e-12,
                                            -6.346318226399661e-11, 2.0429020996921224e-09, -9.882098168944055e-08,
                                            8.404973332629555e-06,  -0.0017015674512002395, 1.9965798532905445 };
MA_SP_TABLE double ma_sp_sici_g_far[13] = { 1.5489062521531224e-17,  -1.2814324733978583e-16, 1.1708911737459543e-15,
                                            -1.1986336738401119e-14, 1.3993819800363673e-13,  -1.9058392370462885e-12,
                                            3.118085278009968e-11,   -6.37310804222475e-10,   1.7177639452630658e-08,
                                            -6.602689176756084e-07,  4.087049283702496e-05,   -0.005038616940765805,
                                            1.9898396688985787 };

MA_SP_APART void ma_sp_sici_far(double t, double *f, double *g) {
  double x;
  if (t <= 8) {
    x = 32 / t - 6;
    *f = ma_sp_chebyshev(x, ma_sp_sici_f_near, 16) / t;
    *g = ma_sp_chebyshev(x, ma_sp_sici_g_near, 17) / (t * t);
  } else if (t <= 24) {
    x = 48 / t - 4;
    *f = ma_sp_chebyshev(x, ma_sp_sici_f, 16) / t;
    *g = ma_sp_chebyshev(x, ma_sp_sici_g, 18) / (t * t);
  } else {
    x = 2304 / t / t - 2;
    *f = ma_sp_chebyshev(x, ma_sp_sici_f_far, 12) / t;
    *g = ma_sp_chebyshev(x, ma_sp_sici_g_far, 13) / t / t;
  }
}

MA_SP double ma_sp_si(double x) {
  double t = fabs(x), f, g;
  if (x != x) return x;
  if (t > 1e300) return copysign(MA_SP_PI / 2, x);
  if (t <= 4) return x * ma_sp_poly(x * x, ma_sp_si_near, 20);
  ma_sp_sici_far(t, &f, &g);
  return copysign(MA_SP_PI / 2 - (f * cos(t) + g * sin(t)), x);
}

MA_SP double ma_sp_ci(double x) {
  double t = fabs(x), f, g;
  if (x != x) return x;
  if (t > 1e300) return x > 0 ? 0 : MA_SP_NAN;
  if (x == 0) return -MA_SP_INF;
  if (t <= 4) return MA_SP_EULER + log(t) + x * x * ma_sp_poly(x * x, ma_sp_ci_near, 19);
  ma_sp_sici_far(t, &f, &g);
  return f * sin(t) - g * cos(t);
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
