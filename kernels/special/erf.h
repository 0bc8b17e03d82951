/*
** erf.h: the error function, the normal distribution, and their inverses. erf and erfc are the C library's. erfcx
** scales erfc below 12 and takes the asymptotic series above; the inverses are the rational functions of Cephes
** (ndtri).
*/

MA_SP double ma_sp_erf(double x) { return erf(x); }
MA_SP double ma_sp_erfc(double x) { return erfc(x); }

/* exp(x * x) * erfc(x), corrected for the rounding of x * x; from 12 on a series in 1 / x. */
MA_SP double ma_sp_erfcx(double x) {
  if (x < 12) {
    if (x < -26.7) return MA_SP_INF;
    double high = (double)(float)x, low = x - high; /* high * high is exact */
    return exp(high * high) * (exp(low * (x + high)) * erfc(x));
  }
  double t = 1 / (2 * x * x), term = 1, sum = 1;
  for (int k = 1; k < 14; k++) sum += term *= -(2 * k - 1) * t;
  return 0.56418958354775628695 / x * sum;
}

MA_SP_TABLE double ma_sp_ndtri_p0[5] = { -59.96335010141079, 98.00107541859997, -56.67628574690703, 13.931260938727968,
                                         -1.2391658386738125 };
MA_SP_TABLE double ma_sp_ndtri_q0[8] = { 1.9544885833814176, 4.676279128988815,  86.36024213908905, -225.46268785411937,
                                         200.26021238006066, -82.03722561683334, 15.90562251262117, -1.1833162112133 };
MA_SP_TABLE double ma_sp_ndtri_p1[9] = { 4.0554489230596245,  31.525109459989388,   57.16281922464213,
                                         44.08050738932008,   14.684956192885803,   2.1866330685079025,
                                         -0.1402560791713545, -0.03504246268278482, -0.0008574567851546854 };
MA_SP_TABLE double ma_sp_ndtri_q1[8] = { 15.779988325646675,   45.39076351288792,     41.3172038254672,
                                         15.04253856929075,    2.504649462083094,     -0.14218292285478779,
                                         -0.03808064076915783, -0.0009332594808954574 };
MA_SP_TABLE double ma_sp_ndtri_p2[9] = { 3.2377489177694603,     6.915228890689842,      3.9388102529247444,
                                         1.3330346081580755,     0.20148538954917908,    0.012371663481782003,
                                         0.00030158155350823543, 2.6580697468673755e-06, 6.239745391849833e-09 };
MA_SP_TABLE double ma_sp_ndtri_q2[8] = { 6.02427039364742,       3.6798356385616087,   1.3770209948908132,
                                         0.21623699359449663,    0.013420400608854318, 0.00032801446468212774,
                                         2.8924786474538068e-06, 6.790194080099813e-09 };

/* sqrt(2) erfinv(2 y) for |y| up to 0.5 - exp(-2). */
MA_SP double ma_sp_ndtri_middle(double y) {
  double z = y * y;
  return 2.50662827463100050242 * (y + y * (z * ma_sp_poly(z, ma_sp_ndtri_p0, 5) / ma_sp_poly1(z, ma_sp_ndtri_q0, 8)));
}
/* The x > 0 whose upper tail has the probability p <= exp(-2), by log(p). */
MA_SP double ma_sp_ndtri_tail_of(double l) {
  double x = sqrt(-2 * l), z = 1 / x, s;
  if (x < 8) s = z * ma_sp_poly(z, ma_sp_ndtri_p1, 9) / ma_sp_poly1(z, ma_sp_ndtri_q1, 8);
  else s = z * ma_sp_poly(z, ma_sp_ndtri_p2, 9) / ma_sp_poly1(z, ma_sp_ndtri_q2, 8);
  return x - log(x) / x - s;
}
MA_SP double ma_sp_ndtri_tail(double p) { return ma_sp_ndtri_tail_of(log(p)); }
#define MA_SP_TAIL 0.13533528323661269189 /* exp(-2) */

MA_SP double ma_sp_ndtri(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -MA_SP_INF : p == 1 ? MA_SP_INF : MA_SP_NAN;
  if (p <= MA_SP_TAIL) return -ma_sp_ndtri_tail(p);
  if (p > 1 - MA_SP_TAIL) return ma_sp_ndtri_tail(1 - p);
  return ma_sp_ndtri_middle(p - 0.5);
}
MA_SP double ma_sp_erfinv(double y) {
  double size = fabs(y);
  if (!(size < 1)) return size == 1 ? copysign(MA_SP_INF, y) : MA_SP_NAN;
  double p = 0.5 * (1 - size), x = p > MA_SP_TAIL ? ma_sp_ndtri_middle(0.5 * size) : ma_sp_ndtri_tail(p);
  return copysign(x * 0.70710678118654752440, y);
}
MA_SP double ma_sp_erfcinv(double y) {
  if (!(y > 0 && y < 2)) return y == 0 ? MA_SP_INF : y == 2 ? -MA_SP_INF : MA_SP_NAN;
  double p = 0.5 * y, x;
  if (p < 1e-300) x = ma_sp_ndtri_tail_of(log(y) - 0.69314718055994530942); /* the half may have lost digits */
  else if (p <= MA_SP_TAIL) x = ma_sp_ndtri_tail(p);
  else x = p > 1 - MA_SP_TAIL ? -ma_sp_ndtri_tail(1 - p) : ma_sp_ndtri_middle(0.5 * (1 - y));
  return x * 0.70710678118654752440;
}

MA_SP double ma_sp_ndtr(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
MA_SP double ma_sp_log_ndtr(double x) {
  double t = x * 0.70710678118654752440;
  if (x < -1) return log(0.5 * ma_sp_erfcx(-t)) - 0.5 * x * x;
  return log1p(-0.5 * erfc(t));
}

/* ==== In float ==================================================================================================== */

/*
** Minimax polynomials: of x^2 for erf up to 1, of 1 / (x + 2) for exp(x^2) erfc(x) from 1 on. The error of exp(-x * x)
** by the rounding of x * x is one of x. The inverses are a factor of y that is a function of -log(1 - y^2), as Giles
** has it ("Approximating the erfinv function", 2012), fitted anew down to the least probability of a float.
*/
MA_SP_TABLE float ma_sp_erf_near[7] = { 7.85385782e-05f, -0.000801019254f, 0.00518832775f, -0.026853811f,
                                        0.112835854f,    -0.37612626f,     1.12837911f };
MA_SP_TABLE float ma_sp_erfc_far[8] = { 9.13085079f, -20.4831295f, 11.6004353f,  0.67567414f,
                                        2.28150845f, 1.10235345f,  0.565396428f, -2.35256575e-05f };
MA_SP float ma_sp_erf_near_f4(float x) { return x * ma_sp_poly_f4(x * x, ma_sp_erf_near, 7); }
MA_SP float ma_sp_erfc_far_f4(float x) { return expf(-x * x) * ma_sp_poly_f4(1.0f / (x + 2.0f), ma_sp_erfc_far, 8); }
MA_SP float ma_sp_erf_f4(float x) {
  float t = fabsf(x);
  if (!(t >= 1.0f)) return ma_sp_erf_near_f4(x);
  return copysignf(t < 4.0f ? 1.0f - ma_sp_erfc_far_f4(t) : 1.0f, x);
}
MA_SP float ma_sp_erfc_f4(float x) {
  float t = fabsf(x), tail;
  if (!(t >= 1.0f)) return 1.0f - ma_sp_erf_near_f4(x);
  tail = t < 11.0f ? ma_sp_erfc_far_f4(t) : 0.0f;
  return x < 0 ? 2.0f - tail : tail;
}
MA_SP float ma_sp_ndtr_f4(float x) { return 0.5f * ma_sp_erfc_f4(-0.707106769f * x); }

/* exp(x * x) erfc(x) for x >= 0: a minimax polynomial of s = 1 / (x + 2). At infinity s is 0. */
MA_SP_TABLE float ma_sp_erfcx_near[11] = { 86.7507019f, -236.427826f, 248.952866f, -114.442116f,
                                           16.2725887f, -3.66388965f, 2.9761374f,  2.80602145f,
                                           1.97504497f, 1.12837541f,  0.564189613f };
MA_SP float ma_sp_erfcx_above_f4(float x) {
  float s = 1.0f / (x + 2.0f);
  return s * ma_sp_poly_f4(s, ma_sp_erfcx_near, 11);
}
MA_SP float ma_sp_erfcx_f4(float x) {
  if (x < 0 && x > -1.0f) return expf(x * x) * (1.0f - ma_sp_erf_near_f4(x));
  float y = ma_sp_erfcx_above_f4(fabsf(x));
  return x < 0 ? 2.0f * expf(x * x) - y : y;
}
MA_SP float ma_sp_log_ndtr_f4(float x) {
  if (fabsf(x) < 1.0f) return log1pf(0.5f * ma_sp_erf_near_f4(0.707106769f * x) - 0.5f);
  float square = -0.5f * x * x, tail = 0.5f * ma_sp_erfcx_above_f4(0.707106769f * fabsf(x));
  return x < 0 ? square + logf(tail) : log1pf(-expf(square) * tail);
}

/* erfinv(y) / y for w = -log(1 - y^2) */
MA_SP_TABLE float ma_sp_erfinv_near[10] = { -8.76589024e-09f, 2.32702586e-08f, 4.6586419e-07f,  -3.46311572e-06f,
                                            -4.96213534e-06f, 0.000218345813f, -0.00125274365f, -0.00417738827f,
                                            0.24664028f,      1.50140941f };
MA_SP_TABLE float ma_sp_erfinv_middle[9] = { -0.000194450273f, -9.03298132e-05f, 0.00134467077f,
                                             -0.00266040023f,  0.00376421236f,   -0.00527027017f,
                                             0.00705190748f,   1.00371695f,      2.95832014f };
MA_SP_TABLE float ma_sp_erfinv_far[9] = { 1.63536296e-08f,  -9.47339416e-08f, 2.29013793e-07f,
                                          -1.29388684e-06f, 6.44198462e-06f,  5.38149743e-06f,
                                          -0.000513296633f, 1.0085963f,       6.86901999f };
MA_SP float ma_sp_erfinv_factor_f4(float w) {
  if (w < 5.0f) return ma_sp_poly_f4(w - 2.5f, ma_sp_erfinv_near, 10);
  float s = sqrtf(w);
  return s < 4.0f ? ma_sp_poly_f4(s - 3.125f, ma_sp_erfinv_middle, 9) : ma_sp_poly_f4(s - 7.0f, ma_sp_erfinv_far, 9);
}
MA_SP float ma_sp_ndtri_f4(float p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -(float)MA_SP_INF : p == 1 ? (float)MA_SP_INF : (float)MA_SP_NAN;
  return 1.41421354f * ((p + p - 1.0f) * ma_sp_erfinv_factor_f4(-logf(4.0f * p * (1.0f - p))));
}
MA_SP float ma_sp_erfinv_f4(float y) {
  if (!(fabsf(y) < 1)) return fabsf(y) == 1 ? copysignf((float)MA_SP_INF, y) : (float)MA_SP_NAN;
  return y * ma_sp_erfinv_factor_f4(-logf((1.0f - y) * (1.0f + y)));
}
MA_SP float ma_sp_erfcinv_f4(float y) {
  if (!(y > 0 && y < 2)) return (float)(y == 0 ? MA_SP_INF : y == 2 ? -MA_SP_INF : MA_SP_NAN);
  return (1.0f - y) * ma_sp_erfinv_factor_f4(-logf(y * (2.0f - y)));
}
