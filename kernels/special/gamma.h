/*
** gamma.h: the gamma function and its kin by Cephes (gamma, lgam, rgamma): rational functions on 2 .. 3 with the
** recurrence up to 33 or 13, Stirling's series above, reflection below; the digamma function by its asymptotic series;
** log-gamma of complex numbers by D. E. G. Hare ("Computing the principal branch of log-Gamma", 1997).
*/
MA_SP_TABLE double ma_sp_gamma_p[7] = { 0.00016011952247675185,
                                        0.0011913514700658638,
                                        0.010421379756176158,
                                        0.04763678004571372,
                                        0.20744822764843598,
                                        0.4942148268014971,
                                        1.0 };
MA_SP_TABLE double ma_sp_gamma_q[8] = { -2.3158187332412014e-05, 0.0005396055804933034,
                                        -0.004456419138517973,   0.011813978522206043,
                                        0.035823639860549865,    -0.23459179571824335,
                                        0.0714304917030273,      1.0 };
MA_SP_TABLE double ma_sp_lgamma_b[6] = { -1378.2515256912086, -38801.631513463784, -331612.9927388712,
                                         -1162370.974927623,  -1721737.0082083966, -853555.6642457654 };
MA_SP_TABLE double ma_sp_lgamma_c[6] = { -351.81570143652345, -17064.210665188115, -220528.59055385445,
                                         -1139334.4436798252, -2532523.0717758294, -2018891.4143353277 };
MA_SP_TABLE double ma_sp_rgamma_r[16] = { 3.1317345823123e-17,    -6.70718606477908e-16,   2.2003907817225954e-15,
                                          2.4769163034825414e-13, -6.600741004112952e-12,  5.13850186324227e-11,
                                          1.0896538645441867e-09, -3.3396463068683694e-08, 2.6897599644059546e-07,
                                          2.960011775188017e-06,  -8.048141249784711e-05,  0.0004166091387096889,
                                          0.005065798640286087,   -0.06419254361091582,    -0.004985587286840036,
                                          0.12754601561052395 };

/* lgamma(x) - ((x - 0.5) log(x) - x + log(2 pi) / 2) from 10 on: B_2k / (2k (2k - 1) x^(2k - 1)). */
MA_SP_TABLE double ma_sp_stirling_series[8] = { -3617.0 / 122400, 1.0 / 156,  -691.0 / 360360, 1.0 / 1188,
                                                -1.0 / 1680,      1.0 / 1260, -1.0 / 360,      1.0 / 12 };
MA_SP double ma_sp_stirling(double x) { return ma_sp_poly(1 / (x * x), ma_sp_stirling_series, 8) / x; }

/* x^(x - 1/2) e^-x sqrt(2 pi) and so on, in two factors, because the power alone overflows. */
MA_SP_APART double ma_sp_gamma_large(double x) {
  double half = pow(x, 0.5 * x - 0.25);
  return 2.50662827463100050242 * half * exp(-x) * half * exp(ma_sp_stirling(x));
}

MA_SP_APART double ma_sp_gamma(double x) {
  if (!ma_sp_finite(x)) return x > 0 ? x : MA_SP_NAN;
  if (x == 0) return copysign(MA_SP_INF, x);
  if (x < 0 && ma_sp_whole(x)) return MA_SP_NAN;
  if (x > 171.7) return MA_SP_INF;
  if (x > 33) return ma_sp_gamma_large(x);
  if (x < -33) {
    if (x < -190) return ma_sp_odd(floor(x)) ? -0.0 : 0.0;
    /* Pi / (x sin(pi x) gamma(-x)), one factor after the other. */
    double s = ma_sp_sinpi(x), half = pow(-x, -0.5 * x - 0.25);
    return -MA_SP_PI / (x * s) / (2.50662827463100050242 * exp(ma_sp_stirling(-x))) / half * exp(-x) / half;
  }
  double z = 1;
  while (x >= 3) {
    x -= 1;
    z *= x;
  }
  while (x < 2) {
    if (fabs(x) < 1e-9) return z / ((1 + 0.57721566490153286061 * x) * x);
    z /= x;
    x += 1;
  }
  x -= 2;
  return z * ma_sp_poly(x, ma_sp_gamma_p, 7) / ma_sp_poly(x, ma_sp_gamma_q, 8);
}

/* log(|gamma(x)|), which falls without bound between the poles */
MA_SP_APART double ma_sp_lgamma(double x) {
  if (!ma_sp_finite(x)) return x;
  if (x <= 0 && ma_sp_whole(x)) return MA_SP_INF;
  if (fabs(x) < 1e-300) return -log(fabs(x)); /* 1 / x overflows */
  if (x < -34) {
    double w = (-x - 0.5) * log(-x) + x + 0.91893853320467274178 + ma_sp_stirling(-x);
    return 1.14472988584940017414 - log(-x * fabs(ma_sp_sinpi(x))) - w;
  }
  if (x < 13) {
    double z = 1, u = x;
    int p = 0;
    while (u >= 3) {
      u = x + --p;
      z *= u;
    }
    while (u < 2) {
      z /= u;
      u = x + ++p;
    }
    double t = x + (p - 2);
    return log(fabs(z)) + t * ma_sp_poly(t, ma_sp_lgamma_b, 6) / ma_sp_poly1(t, ma_sp_lgamma_c, 6);
  }
  if (x > 1e17) return x * (log(x) - 1);
  return (x - 0.5) * log(x) - x + 0.91893853320467274178 + ma_sp_stirling(x);
}

/* (-1)^k zeta(k) / k for k = 23 .. 2, and -gamma: log(gamma(1 + x)) / x. */
MA_SP_TABLE double ma_sp_lgamma1p[23] = {
  -0.04347826605304026, 0.04545455629320467,   -0.047619070330142226, 0.05000004769810169,  -0.05263167937961666,
  0.055555767627403614, -0.058823978658684585, 0.06250095514121304,   -0.06666870588242046, 0.07143294629536133,
  -0.0769325164113522,  0.083353840546109,     -0.09095401714582904,  0.1000994575127818,   -0.11133426586956469,
  0.12550966952474304,  -0.1440498967688461,   0.1695571769974082,    -0.20738555102867398, 0.27058080842778454,
  -0.40068563438653143, 0.8224670334241132,    -0.5772156649015329
};

MA_SP double ma_sp_lgamma1p_of(double x) {
  return fabs(x) < 0.2 ? x * ma_sp_poly(x, ma_sp_lgamma1p, 23) : ma_sp_lgamma(1 + x);
}

MA_SP double ma_sp_gammasgn(double x) {
  if (x > 0 || x != x) return x != x ? x : 1;
  if (x == 0) return copysign(1.0, x);
  if (ma_sp_whole(x)) return MA_SP_NAN; /* infinite x are whole too */
  return ma_sp_odd(floor(x)) ? -1 : 1;
}

MA_SP double ma_sp_loggamma(double x) { return x < 0 ? MA_SP_NAN : ma_sp_lgamma(x); }

MA_SP_APART double ma_sp_rgamma(double x) {
  if (!ma_sp_finite(x)) return x != x ? x : 0;
  if (fabs(x) < 1e-300) return x;
  if (x < 0 && ma_sp_whole(x)) return 0;
  if (x > 33) {
    if (x > 190) return 0;
    double half = pow(x, 0.25 - 0.5 * x);
    return half * exp(x) * half / (2.50662827463100050242 * exp(ma_sp_stirling(x)));
  }
  if (x < -33) {
    if (x < -171.7) return ma_sp_odd(floor(x)) ? -MA_SP_INF : MA_SP_INF;
    return -ma_sp_sinpi(x) / MA_SP_PI * x * ma_sp_gamma_large(-x);
  }
  double z = 1, w = x;
  while (w > 1) {
    w -= 1;
    z *= w;
  }
  while (w < 0) {
    z /= w;
    w += 1;
  }
  return w == 1 ? 1 / z : w == 0 ? 0 : w * (1 + ma_sp_chebyshev(4 * w - 2, ma_sp_rgamma_r, 16)) / z;
}

/* x is raised to 8 or more by the recurrence, then the asymptotic series follows. Near the zero at 1.46 the error stays
** small beside the specs' bound, which is not relative to the value. */
MA_SP_TABLE double ma_sp_digamma_terms[8] = { -3617.0 / 8160, 1.0 / 12,  -691.0 / 32760, 1.0 / 132,
                                              -1.0 / 240,     1.0 / 252, -1.0 / 120,     1.0 / 12 };
MA_SP_APART double ma_sp_digamma(double x) {
  if (!ma_sp_finite(x)) return x > 0 ? x : MA_SP_NAN;
  if (x == 0) return copysign(MA_SP_INF, -x);
  double w = 0;
  if (x < 0) {
    if (ma_sp_whole(x)) return MA_SP_NAN;
    double r = fmod(-x, 1.0); /* -pi cot(pi x) */
    if (r > 0.5) r -= 1;
    w = MA_SP_PI / tan(MA_SP_PI * r);
    x = 1 - x;
  }
  if (x < 8) { /* eight steps by four divisions, which do not wait for each other */
    w -= ((2 * x + 1) / (x * (x + 1)) + (2 * x + 5) / ((x + 2) * (x + 3))) +
         ((2 * x + 9) / ((x + 4) * (x + 5)) + (2 * x + 13) / ((x + 6) * (x + 7)));
    x += 8;
  }
  double r = 1 / (x * x);
  return w + log(x) - 0.5 / x - r * ma_sp_poly(r, ma_sp_digamma_terms, 8);
}

/* ==== In float ==================================================================================================== */

/* Polynomials are minimax ones: of r^2 for sin(pi r) / r and for pi cot(pi r) r / (1 / 4 - r^2), where r is the
** distance to the nearest whole number, which is exact. */
MA_SP_TABLE float ma_sp_sinpi_near[5] = { 0.0775604025f, -0.598242104f, 2.55006981f, -5.16770983f, 3.14159274f };
MA_SP_TABLE float ma_sp_cotpi_near[6] = { 5.40757084f, 1.92229819f, 2.76129794f, 2.69926f, 2.84060192f, 3.99999976f };
MA_SP float ma_sp_sinpi_f4(float x) { /* |sin(pi x)| */
  float r = x - rintf(x);
  return fabsf(r) * ma_sp_poly_f4(r * r, ma_sp_sinpi_near, 5);
}

/* For x > 0: Stirling's series from 3 on, a minimax quotient over (x - 1) (x - 2) down to 0.5, below that of x + 1. */
MA_SP_TABLE float ma_sp_stirling_f4[4] = { -0.000595238118f, 0.000793650805f, -0.00277777785f, 0.0833333358f };
MA_SP_TABLE float ma_sp_lgamma_p[5] = { -0.0126916654f, 0.437091023f, 9.02027225f, 12.2634306f, 2.0206852f };
MA_SP_TABLE float ma_sp_lgamma_q[4] = { 5.31133366f, 21.4190521f, 13.3786612f, 1.0f };
MA_SP float ma_sp_lgamma_above_f4(float x) {
  if (x >= 3.0f) {
    float l = logf(x), r = ma_sp_inverse_f4(x);
    return x * (l - 1.0f) - 0.5f * l + 0.918938518f + r * ma_sp_poly_f4(r * r, ma_sp_stirling_f4, 4);
  }
  float t = x < 0.5f ? x + 1.0f : x;
  float y = (t - 1.0f) * (t - 2.0f) * (ma_sp_poly_f4(t, ma_sp_lgamma_p, 5) / ma_sp_poly_f4(t, ma_sp_lgamma_q, 4));
  return x < 0.5f ? y - logf(x) : y;
}

/* Near the extreme at -2.61 log-gamma is close to 0, and the terms of a reflection would cancel. A polynomial of the
** distance to the extreme gives it there. */
MA_SP_TABLE float ma_sp_lgamma_extreme[7] = { 282.384125f, -113.185257f, 50.7545166f, -19.9572639f,
                                              12.8058224f, -4.25708055f, 5.42416286f };
MA_SP float ma_sp_lgamma_f4(float x) {
  if (!(x - x == 0)) return x;
  if (x <= 0 && x == floorf(x)) return (float)MA_SP_INF;
  float u = x + 2.61072087f, y = ma_sp_lgamma_above_f4(x > 0 ? x : x > -1.0f ? 1.0f + x : -x);
  if (x > 0) return y;
  if (fabsf(u) < 0.1f) {
    u -= 4.43488367e-09f;
    return u * u * ma_sp_poly_f4(u, ma_sp_lgamma_extreme, 7) - 0.118629991f;
  }
  return x > -1.0f ? y - logf(-x) : 1.14472985f - logf(-x * ma_sp_sinpi_f4(x)) - y;
}

/* The digamma function as in double, by the series from 4 on. Four steps of the recurrence are one quotient. */
MA_SP_TABLE float ma_sp_digamma_series[4] = { 0.00416666688f, -0.0039682542f, 0.00833333377f, -0.0833333358f };
MA_SP float ma_sp_digamma_f4(float x) {
  float w = 0, r, q;
  if (!(x - x == 0)) return x > 0 ? x : (float)MA_SP_NAN;
  if (x == 0) return copysignf((float)MA_SP_INF, -x);
  if (x < 0) {
    r = rintf(x) - x;
    if (r == 0) return (float)MA_SP_NAN;
    w = (0.5f - r) * (0.5f + r) * ma_sp_poly_f4(r * r, ma_sp_cotpi_near, 6) / r;
    x = 1.0f - x;
  }
  if (x < 4.0f) {
    float p = x * (x + 3.0f); /* x (x + 3), and (x + 1) (x + 2) is 2 more */
    w -= (2.0f * x + 3.0f) * (2.0f * p + 2.0f) / (p * (p + 2.0f));
    x += 4.0f;
  }
  r = ma_sp_inverse_f4(x);
  q = r * r;
  return w + (logf(x) - 0.5f * r + q * ma_sp_poly_f4(q, ma_sp_digamma_series, 4));
}
MA_SP float ma_sp_loggamma_f4(float x) { return x < 0 ? (float)MA_SP_NAN : ma_sp_lgamma_f4(x); }

/*
** A minimax polynomial on 1 .. 2 and the recurrence from -3 up to 15, whose products are exact for whole numbers; above
** it Stirling's series, in double below -3, where the errors of a reflection add up.
*/
MA_SP_TABLE float ma_sp_gamma_near[11] = { 0.0168468002f, -0.107982263f, 0.32046181f,  -0.598967493f,
                                           0.824727416f,  -0.932863951f, 0.972423613f, -0.906425595f,
                                           0.988993883f,  -0.577214241f, 1.0f };
MA_SP float ma_sp_gamma_f4(float x) {
  float over = 1.0f, under = 1.0f;
  if (x <= 0 && x == floorf(x)) return x == 0 ? copysignf((float)MA_SP_INF, x) : (float)MA_SP_NAN;
  if (x >= 35.0401f) return (float)MA_SP_INF;
  if (x >= 15.0f) return fminf(expf(ma_sp_lgamma_above_f4(x)), 3.40282347e38f);
  if (x < -3.0f) return (float)ma_sp_gamma(x);
  while (x >= 2.0f) over *= x -= 1.0f;
  while (x < 1.0f) {
    under *= x;
    x += 1.0f;
  }
  return over * ma_sp_poly_f4(x - 1.0f, ma_sp_gamma_near, 11) / under;
}
