/*
** integrals.h: exponential, sine, cosine and hyperbolic integrals: power series, and continued fractions by Lentz's
** algorithm, as in Cephes (expn) and in W. J. Cody and H. C. Thacher ("Rational Chebyshev approximations for the
** exponential integral", 1968) with other limits between them.
*/
#define MA_SP_EULER 0.57721566490153286061

/* e^x E_n(x) for x >= 1: the continued fraction from its end, which gathers no errors; it converges like
** exp(-4 sqrt(k x)). */
MA_SP double ma_sp_expn_fraction(double n, double x) {
  double rest = 0;
  for (double k = floor(100 / x) + 8; k > 0; k--) rest = -k * (n - 1 + k) / (x + n + 2 * k + rest);
  return 1 / (x + n + rest);
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

/* Sum of x^k / (k k!) over k = 1, 2 ... */
MA_SP_APART double ma_sp_exponential_sum(double x) {
  double sum = 0, term = 1;
  for (int k = 1; k < 300; k++) {
    term *= x / k;
    sum += term / k;
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
  return MA_SP_EULER + log(x) + ma_sp_exponential_sum(x);
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
** Stegun, 5.2): polynomials of t f and t^2 g, computed with mpmath, of 1 / t up to 8 and up to 24, and of 1 / t^2
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
MA_SP_TABLE double ma_sp_sici_f_near[16] = { 7.813334492762251e-13,   -3.194191523004495e-12,  7.31165226912086e-12,
                                             -4.7622954396314124e-12, -1.3400898260071152e-10, 1.3852536564214511e-09,
                                             -9.312541670482669e-09,  4.8635216547767685e-08,  -1.838524725445866e-07,
                                             1.8108959848024604e-07,  5.190742372642153e-06,   -6.501302542789842e-05,
                                             0.00047970155091879785,  -0.0015441761440062815,  -0.028596716847277704,
                                             0.9464912480103463 };
MA_SP_TABLE double ma_sp_sici_g_near[17] = { -1.346929241833586e-12,  4.917802009511766e-12,  -8.309280392521646e-12,
                                             -5.250546072319302e-12,  2.175579793382977e-10,  -1.8165201512824448e-09,
                                             1.0819007370497166e-08,  -5.154173861688065e-08, 1.862772853593914e-07,
                                             -3.035843588585067e-07,  -2.593274624633702e-06, 3.4404068874757464e-05,
                                             -0.00024720399154417786, 0.0011386498983848887,  -0.00031521447375085644,
                                             -0.06645849055858939,    0.8607010974685133 };
MA_SP_TABLE double ma_sp_sici_f[16] = { -1.3031764676702253e-12, 5.67511871902117e-12,    -1.1215072591567191e-11,
                                        -8.197632915967591e-12,  2.4804592505026097e-10,  -1.5852947320595236e-09,
                                        6.0447936498126635e-09,  -7.412562274601583e-09,  -9.922458540287517e-08,
                                        9.742117050051306e-07,   -4.3421336324400585e-06, -4.606165311484191e-06,
                                        0.0002763881248487684,   -0.002289219563489215,   -0.012073132817189854,
                                        0.9870883480756537 };
MA_SP_TABLE double ma_sp_sici_g[17] = { 3.3894963846035944e-12,  -1.5375791979125186e-11, 3.396569665489079e-11,
                                        -1.7270302411942393e-11, -3.8097902396220903e-10, 2.806498689199952e-09,
                                        -1.1993718625482198e-08, 2.872322143614254e-08,   4.209811670421641e-08,
                                        -9.123906219588291e-07,  5.43033673910523e-06,    -1.4362262681949815e-05,
                                        -6.64521627873869e-05,   0.001068703177015481,    -0.005209329941378073,
                                        -0.03330314388833924,    0.962942082441274 };
MA_SP_TABLE double ma_sp_sici_f_far[11] = { 3.527939156419316e-14,  -1.9491602975628874e-13, 1.1531619152018288e-12,
                                            -8.910769519650853e-12, 8.371328313940568e-11,   -9.993785084976052e-10,
                                            1.6215562690617084e-08, -3.940227524098566e-07,  1.6793651583408746e-05,
                                            -0.001701271304555352,  0.9982815237121602 };
MA_SP_TABLE double ma_sp_sici_g_far[12] = { -1.312186852759407e-13, 5.994962809579286e-13,   -2.7076508205218495e-12,
                                            1.641334864207068e-11,  -1.1543043259415224e-10, 9.632745083888542e-10,
                                            -9.988539098000681e-09, 1.3594635644281155e-07,  -2.6284347714463645e-06,
                                            8.160412139430115e-05,  -0.005036639307332392,   0.9948789811030496 };

MA_SP_APART void ma_sp_sici_far(double t, double *f, double *g) {
  double x, r = 1 / t;
  if (t <= 8) {
    x = 16 * r - 3;
    *f = ma_sp_poly(x, ma_sp_sici_f_near, 16) * r;
    *g = ma_sp_poly(x, ma_sp_sici_g_near, 17) * (r * r);
  } else if (t <= 24) {
    x = 24 * r - 2;
    *f = ma_sp_poly(x, ma_sp_sici_f, 16) * r;
    *g = ma_sp_poly(x, ma_sp_sici_g, 17) * (r * r);
  } else {
    x = 1152 * r * r - 1;
    *f = ma_sp_poly(x, ma_sp_sici_f_far, 11) * r;
    *g = ma_sp_poly(x, ma_sp_sici_g_far, 12) * r * r;
  }
}

/* Si(x). The caller gives the sine and the cosine of |x|, which are read only beyond 4. */
MA_SP double ma_sp_si_by(double x, double sine, double cosine) {
  double t = fabs(x), f, g;
  if (t <= 4) return x * ma_sp_poly(x * x, ma_sp_si_near, 20);
  if (!(t <= 1e300)) return x != x ? x : copysign(MA_SP_PI / 2, x);
  ma_sp_sici_far(t, &f, &g);
  return copysign(MA_SP_PI / 2 - (f * cosine + g * sine), x);
}

MA_SP double ma_sp_ci_by(double x, double sine, double cosine) {
  double t = fabs(x), f, g;
  if (t <= 4) return x == 0 ? -MA_SP_INF : MA_SP_EULER + log(t) + x * x * ma_sp_poly(x * x, ma_sp_ci_near, 19);
  if (!(t <= 1e300)) return x != x ? x : x > 0 ? 0 : MA_SP_NAN;
  ma_sp_sici_far(t, &f, &g);
  return f * sine - g * cosine;
}

MA_SP double ma_sp_si(double x) {
  double t = fabs(x);
  return t > 4 ? ma_sp_si_by(x, sin(t), cos(t)) : ma_sp_si_by(x, 0, 1);
}

MA_SP double ma_sp_ci(double x) {
  double t = fabs(x);
  return t > 4 ? ma_sp_ci_by(x, sin(t), cos(t)) : ma_sp_ci_by(x, 0, 1);
}

/*
** Hyperbolic sine and cosine integrals: up to 8 the power series, whose terms are of one sign; up to 18 polynomials of
** x exp(-x) Shi(x) and x exp(-x) Chi(x) by 1 / x; beyond, where both are Ei(x) / 2, one more. Computed with mpmath.
*/
MA_SP_TABLE double ma_sp_shi_near[20] = {
  1.257043527311165e-48,  1.9636378862575867e-45, 2.7650265596091116e-42, 3.489798672961197e-39,  3.922984005011348e-36,
  3.8999872022233505e-33, 3.401366616220572e-30,  2.5787801137537893e-27, 1.6818131176655147e-24, 9.32044812542441e-22,
  4.326650129802279e-19,  1.6537983849091297e-16, 5.0981091545465446e-14, 1.2353110643708935e-11, 2.27746439867652e-09,
  3.0619243582206544e-07, 2.834467120181406e-05,  0.0016666666666666668,  0.05555555555555555,    1.0
};
MA_SP_TABLE double ma_sp_chi_near[20] = {
  3.0640435978209645e-50, 5.031482118527058e-47,  7.467278517462879e-44,  9.962228045650476e-41, 1.1876221108921073e-37,
  1.2566625429386353e-34, 1.1713890132392279e-31, 9.53690870471076e-29,   6.715573212900493e-26, 4.0439960874775335e-23,
  2.0551588116560825e-20, 8.677337204770125e-18,  2.9871733327421158e-15, 8.193389712664089e-13, 1.7397297489890083e-10,
  2.755731922398589e-08,  3.1001984126984127e-06, 0.0002314814814814815,  0.010416666666666666,  0.25
};
MA_SP_TABLE double ma_sp_shi_middle[22] = { 1.9282183341830253e-11, -5.009495987478361e-11,  -4.7668599818357046e-11,
                                            3.9451892846537796e-10, -8.872291859017713e-10,  7.658837686417595e-10,
                                            3.310626746069297e-09,  -1.741750177235419e-08,  3.427040171003024e-08,
                                            1.8040199954225392e-08, -3.0550880725039893e-07, 7.278146986353186e-07,
                                            3.9374059965425453e-07, -6.368917477979286e-06,  9.267420512658399e-06,
                                            3.5716712967453754e-05, -0.00010280597877958995, -0.00029376367538037717,
                                            0.0004722296851424715,  0.0043164225698040515,   0.029311386162342763,
                                            0.557181105611198 };
MA_SP_TABLE double ma_sp_chi_middle[22] = { 1.928248798986675e-11,  -5.008941042395654e-11,  -4.768419692824509e-11,
                                            3.944779265008869e-10,  -8.870314266198441e-10,  7.658989773736935e-10,
                                            3.3091139756913633e-09, -1.7415542160790297e-08, 3.4279789392316864e-08,
                                            1.8017236573634678e-08, -3.05572850068927e-07,   7.279959772885528e-07,
                                            3.943702281590229e-07,  -6.369589264641891e-06,  9.260601313361457e-06,
                                            3.569934356621512e-05,  -0.00010283173129081248, -0.0002937888793960042,
                                            0.00047221301585530164, 0.004316415333806019,    0.029311384288062212,
                                            0.5571811053905096 };
MA_SP_TABLE double ma_sp_chi_far[27] = { 3.336152012457392e-10,   -5.654165725323934e-10, -2.6696415789546822e-09,
                                         4.360758944117797e-09,   1.0129943269795267e-08, -1.562186096224126e-08,
                                         -2.4992991697493567e-08, 3.469942500061502e-08,  4.7358164380609615e-08,
                                         -5.288059996766399e-08,  -7.788107215929765e-08, 5.206867446038627e-08,
                                         1.1645873213579502e-07,  -3.161903309976297e-09, -1.349602153998621e-07,
                                         -1.1820672706705758e-07, 9.887299848871242e-09,  1.4432859762104976e-07,
                                         2.6111949120922927e-07,  4.5787866277701253e-07, 1.075287446162085e-06,
                                         3.5877339046711187e-06,  1.6648318130292387e-05, 0.00010789148058622663,
                                         0.0010207532218059544,   0.015659837717094192,   0.5147331382204884 };

/* The hyperbolic integrals beyond 8. exp(x) is taken in two factors, since the result is still finite where exp(x)
** overflows. */
MA_SP double ma_sp_shichi_far(double x, const double *middle) {
  double r = 1 / x, y = x <= 18 ? ma_sp_poly(28.8 * r - 2.6, middle, 22) : ma_sp_poly(36 * r - 1, ma_sp_chi_far, 27);
  double half = exp(0.5 * x);
  return half * (y * r) * half;
}

MA_SP double ma_sp_shi(double x) {
  double t = fabs(x);
  if (t <= 8) return x * ma_sp_poly(x * x, ma_sp_shi_near, 20);
  if (!(t < 740)) return x != x ? x : copysign(MA_SP_INF, x);
  return copysign(ma_sp_shichi_far(t, ma_sp_shi_middle), x);
}

MA_SP double ma_sp_chi(double x) {
  double t = fabs(x);
  if (t <= 8) return t == 0 ? -MA_SP_INF : MA_SP_EULER + log(t) + x * x * ma_sp_poly(x * x, ma_sp_chi_near, 20);
  if (!(t < 740)) return x != x ? x : MA_SP_INF;
  return ma_sp_shichi_far(t, ma_sp_chi_middle);
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
