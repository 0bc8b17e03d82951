/*
** bessel.h: Bessel functions of the first and second kind by Cephes (j0, j1, yn): rational functions up to 5, above it
** the modulus and phase of Hankel's expansion; the recurrence in the order; spherical functions of the second kind by
** their recurrence.
*/
MA_SP_TABLE double ma_sp_j0_pp[7] = { 0.0007969367292973471,
                                      0.08283523921074408,
                                      1.239533716464143,
                                      5.447250030587687,
                                      8.74716500199817,
                                      5.303240382353949,
                                      1.0 };
MA_SP_TABLE double ma_sp_j0_pq[7] = { 0.0009244088105588637,
                                      0.08562884743544745,
                                      1.2535274390105895,
                                      5.470977403304171,
                                      8.761908832370695,
                                      5.306052882353947,
                                      1.0 };
MA_SP_TABLE double ma_sp_j0_qp[8] = { -0.011366383889846916, -1.2825271867050931, -19.553954425773597,
                                      -93.20601521237683,    -177.68116798048806, -147.07750515495118,
                                      -51.41053267665993,    -6.050143506007285 };
MA_SP_TABLE double ma_sp_j0_qq[7] = { 64.3178256118178,  856.4300259769806,  3882.4018360540163, 7240.467741956525,
                                      5930.727011873169, 2062.0933166032783, 242.0057402402914 };
MA_SP_TABLE double ma_sp_j0_yp[8] = { 15592.436785523574,     -14663929.59039716,     5435264770.518765,
                                      -982136065717.9115,     87590639439536.7,       -3466283033847297.0,
                                      4.4273326857256984e+16, -1.8495080043698668e+16 };
MA_SP_TABLE double ma_sp_j0_yq[7] = { 1041.2835366425984, 626107.330137135,   268919633.39381415,    86400248710.3935,
                                      20297961275010.555, 3171577528429750.5, 2.5059625617265306e+17 };
MA_SP_TABLE double ma_sp_j0_rp[4] = { -4794432209.782018, 1956174919465.5657, -249248344360967.72, 9708622510473064.0 };
MA_SP_TABLE double ma_sp_j0_rq[8] = { 499.563147152651,       173785.4016763747,     48440965.83399621,
                                      11185553704.535683,     2112775201154.892,     310518229857422.56,
                                      3.1812195594320496e+16, 1.7108629408104315e+18 };
MA_SP_TABLE double ma_sp_j1_rp[4] = { -899971225.7055594, 452228297998.19403, -72749424522181.83, 3682957328638529.0 };
MA_SP_TABLE double ma_sp_j1_rq[8] = { 620.8364781180543,     256987.25675774884,   83514679.14319493,
                                      22151159547.97925,     4749141220799.914,    784369607876235.9,
                                      8.952223361846274e+16, 5.322786203326801e+18 };
MA_SP_TABLE double ma_sp_j1_pp[7] = { 0.0007621256162081731,
                                      0.07313970569409176,
                                      1.1271960812968493,
                                      5.112079511468076,
                                      8.424045901417724,
                                      5.214515986823615,
                                      1.0 };
MA_SP_TABLE double ma_sp_j1_pq[7] = { 0.0005713231280725487,
                                      0.06884559087544954,
                                      1.105142326340617,
                                      5.073863861286015,
                                      8.399855543276042,
                                      5.209828486823619,
                                      1.0 };
MA_SP_TABLE double ma_sp_j1_qp[8] = { 0.05108625947501766, 4.982138729512334, 75.82382841325453,  366.7796093601508,
                                      710.8563049989261,   597.4896124006136, 211.68875710057213, 25.207020585802372 };
MA_SP_TABLE double ma_sp_j1_qq[7] = { 74.23732770356752, 1056.4488603826283, 4986.410583376536, 9562.318924047562,
                                      7997.041604473507, 2826.1927851763908, 336.0936078106983 };
MA_SP_TABLE double ma_sp_j1_yp[6] = { 1263204747.9017804,  -647355876379.1603,    114509511541823.73,
                                      -8127702555013251.0, 2.024394757135949e+17, -7.788771962659501e+17 };
MA_SP_TABLE double ma_sp_j1_yq[8] = { 594.3015923461282,     235564.09294306856,    73481194.44597217,
                                      18760131610.870617,    3882312774962.3857,    620557727146953.8,
                                      6.871410873553005e+16, 3.9727060811656064e+18 };

/* sqrt(2 / (pi x)) (p cos(angle) - w q sin(angle)), or the same with sin and cos exchanged, for x > 5. */
MA_SP double ma_sp_hankel(double x, double angle, const double *pp, const double *pq, const double *qp,
                          const double *qq, int second) {
  double w = 5 / x, z = w * w, p = ma_sp_poly(z, pp, 7) / ma_sp_poly(z, pq, 7),
         q = ma_sp_poly(z, qp, 8) / ma_sp_poly1(z, qq, 7), c = cos(x - angle), s = sin(x - angle);
  return (second ? p * s + w * q * c : p * c - w * q * s) * 0.79788456080286535588 / sqrt(x);
}

/* The value for |x| >= 1e300, where a rounding of x changes more than the function's size. There is none at infinity,
** as in SciPy. */
MA_SP double ma_sp_bessel_end(double x) { return ma_sp_finite(x) ? 0 : MA_SP_NAN; }

MA_SP double ma_sp_j0(double x) {
  x = fabs(x);
  if (!(x <= 1e300)) return ma_sp_bessel_end(x);
  if (x > 5) return ma_sp_hankel(x, MA_SP_PI / 4, ma_sp_j0_pp, ma_sp_j0_pq, ma_sp_j0_qp, ma_sp_j0_qq, 0);
  double z = x * x;
  if (x < 1e-5) return 1 - z / 4;
  return (z - 5.78318596294678452118) * (z - 30.4712623436620863991) * ma_sp_poly(z, ma_sp_j0_rp, 4) /
         ma_sp_poly1(z, ma_sp_j0_rq, 8);
}

MA_SP double ma_sp_y0(double x) {
  if (!(x <= 1e300)) return ma_sp_bessel_end(x);
  if (x > 5) return ma_sp_hankel(x, MA_SP_PI / 4, ma_sp_j0_pp, ma_sp_j0_pq, ma_sp_j0_qp, ma_sp_j0_qq, 1);
  if (!(x > 0)) return x == 0 ? -MA_SP_INF : MA_SP_NAN;
  double z = x * x;
  return ma_sp_poly(z, ma_sp_j0_yp, 8) / ma_sp_poly1(z, ma_sp_j0_yq, 7) + 2 / MA_SP_PI * log(x) * ma_sp_j0(x);
}

MA_SP double ma_sp_j1(double x) {
  double t = fabs(x);
  if (!(t <= 1e300)) return ma_sp_bessel_end(x);
  if (t > 5)
    return copysign(1.0, x) * ma_sp_hankel(t, 3 * MA_SP_PI / 4, ma_sp_j1_pp, ma_sp_j1_pq, ma_sp_j1_qp, ma_sp_j1_qq, 0);
  double z = x * x;
  return ma_sp_poly(z, ma_sp_j1_rp, 4) / ma_sp_poly1(z, ma_sp_j1_rq, 8) * (z - 14.6819706421238932572) *
         (z - 49.2184563216946036703) * x;
}

MA_SP double ma_sp_y1(double x) {
  if (!(x <= 1e300)) return ma_sp_bessel_end(x);
  if (x > 5) return ma_sp_hankel(x, 3 * MA_SP_PI / 4, ma_sp_j1_pp, ma_sp_j1_pq, ma_sp_j1_qp, ma_sp_j1_qq, 1);
  if (!(x > 0)) return x == 0 ? -MA_SP_INF : MA_SP_NAN;
  double z = x * x;
  return x * (ma_sp_poly(z, ma_sp_j1_yp, 6) / ma_sp_poly1(z, ma_sp_j1_yq, 8)) +
         2 / MA_SP_PI * (ma_sp_j1(x) * log(x) - 1 / x);
}

MA_SP double ma_sp_yn(double n, double x) {
  if (n != n || x != x) return MA_SP_NAN;
  n = trunc(n);
  double sign = 1;
  if (n < 0) {
    n = -n;
    if (ma_sp_odd(n)) sign = -1;
  }
  if (n == 0) return sign * ma_sp_y0(x);
  if (n == 1) return sign * ma_sp_y1(x);
  if (!(x > 0)) return x == 0 ? -MA_SP_INF * sign : MA_SP_NAN;
  if (x > 1e300) return ma_sp_bessel_end(x);
  double before = ma_sp_y0(x), y = ma_sp_y1(x);
  for (double k = 1; k < n && ma_sp_finite(y); k++) {
    if (k > MA_SP_MOST_STEPS) return MA_SP_NAN;
    double next = 2 * k / x * y - before;
    before = y;
    y = next;
  }
  return sign * y;
}

/* ==== Spherical functions ========================================================================================= */

MA_SP double ma_sp_spherical_yn(double n, double x) {
  if (n != n || x != x) return MA_SP_NAN;
  n = trunc(n);
  if (n < 0) return MA_SP_NAN;
  double sign = 1;
  if (x < 0) {
    sign = ma_sp_odd(n) ? 1 : -1;
    x = -x;
  }
  if (!ma_sp_finite(x)) return 0;
  if (x == 0) return -MA_SP_INF;
  double before = -cos(x) / x;
  if (n == 0) return sign * before;
  double y = (before - sin(x)) / x;
  for (double k = 1; k < n; k++) {
    if (k > MA_SP_MOST_STEPS) return MA_SP_NAN;
    double next = (2 * k + 1) / x * y - before;
    if (!ma_sp_finite(next)) return -sign * MA_SP_INF; /* it overflows only close to 0 */
    before = y;
    y = next;
  }
  return sign * y;
}

MA_SP double ma_sp_spherical_yn_derivative(double n, double x) {
  if (n == 0) return -ma_sp_spherical_yn(1, x);
  double y = ma_sp_spherical_yn(n, x);
  if (fabs(y) == MA_SP_INF) return x < 0 && ma_sp_odd(n) ? -MA_SP_INF : MA_SP_INF; /* it rises from -infinity at 0 */
  return ma_sp_spherical_yn(n - 1, x) - (n + 1) / x * y;
}

/* ==== In float ==================================================================================================== */

/*
** Up to 4 minimax polynomials of x^2 - 8, for the second kind beside the logarithm's part and the pole. Above 4 the
** sums of Hankel's expansion: sqrt(x) j0(x) = p (cos(x) + sin(x)) - q / x (sin(x) - cos(x)) with minimax polynomials p
** and q of 1 / x^2, and so on. The angle's quarter of pi is in the sums, because x - pi / 4 would lose digits of a
** large x.
*/
MA_SP_TABLE float ma_sp_j0_near[8] = { -1.86838457e-12f, 3.5298714e-10f, -4.8185651e-08f, 4.48060155e-06f,
                                       -0.000255922001f, 0.00749262655f, -0.0707449988f,  -0.196548089f };
MA_SP_TABLE float ma_sp_y0_near[8] = { 3.18382126e-12f, -5.67109137e-10f, 7.17679569e-08f, -6.02046748e-06f,
                                       0.000293743156f, -0.00630776817f,  0.00636596093f,  0.558383942f };
MA_SP_TABLE float ma_sp_j0_p[6] = { -5.67266417f,  1.63682961f,    -0.283995837f,
                                    0.0628223792f, -0.0396675244f, 0.564189553f };
MA_SP_TABLE float ma_sp_j0_q[5] = { -2.0112772f, 0.593094468f, -0.120590702f, 0.0412533656f, -0.0705235153f };
MA_SP_TABLE float ma_sp_j1_near[8] = { -1.18432892e-13f, 2.61521759e-11f, -4.22447632e-09f, 4.81856944e-07f,
                                       -3.58451143e-05f, 0.00153553206f,  -0.0299705043f,   0.141489998f };
MA_SP_TABLE float ma_sp_y1_near[8] = { 2.0679438e-13f,  -4.333588e-11f, 6.55107035e-09f, -6.85132989e-07f,
                                       4.50514381e-05f, -0.0015746312f, 0.0189584941f,   0.0824863464f };
MA_SP_TABLE float ma_sp_j1_p[6] = {
  6.48928213f, -1.89351606f, 0.33812511f, -0.0808459967f, 0.0661136582f, 0.564189613f
};
MA_SP_TABLE float ma_sp_j1_q[5] = { 2.32508492f, -0.696739912f, 0.148106635f, -0.0577733442f, 0.211570889f };

/* For x > 4. p goes with cos(x) + sin(x) and q with cos(x) - sin(x); `turned` exchanges the two, with the signs of
** order 1. */
MA_SP float ma_sp_hankel_f4(float x, const float *p, const float *q, int turned) {
  if (!(x < (float)MA_SP_INF)) return (float)MA_SP_NAN;
  float root = ma_sp_inverse_root_f4(x), r = root * root, z = r * r, c = cosf(x), s = sinf(x);
  float a = turned ? s - c : c + s, b = turned ? c + s : c - s;
  return root * (a * ma_sp_poly_f4(z, p, 6) + r * (b * ma_sp_poly_f4(z, q, 5)));
}
MA_SP float ma_sp_j0_f4(float x) {
  float t = fabsf(x);
  if (!(t <= 4.0f)) return ma_sp_hankel_f4(t, ma_sp_j0_p, ma_sp_j0_q, 0);
  return ma_sp_poly_f4(t * t - 8.0f, ma_sp_j0_near, 8);
}
MA_SP float ma_sp_j1_f4(float x) {
  float t = fabsf(x);
  if (!(t <= 4.0f)) return copysignf(1.0f, x) * ma_sp_hankel_f4(t, ma_sp_j1_p, ma_sp_j1_q, 1);
  return x * ma_sp_poly_f4(t * t - 8.0f, ma_sp_j1_near, 8);
}
MA_SP float ma_sp_y0_f4(float x) {
  if (!(x <= 4.0f)) return ma_sp_hankel_f4(x, ma_sp_j0_p, ma_sp_j0_q, 1);
  if (!(x > 0)) return (float)(x == 0 ? -MA_SP_INF : MA_SP_NAN);
  float u = x * x - 8.0f;
  return ma_sp_poly_f4(u, ma_sp_y0_near, 8) + 0.636619747f * logf(x) * ma_sp_poly_f4(u, ma_sp_j0_near, 8);
}
MA_SP float ma_sp_y1_f4(float x) {
  if (!(x <= 4.0f)) return -ma_sp_hankel_f4(x, ma_sp_j1_p, ma_sp_j1_q, 0);
  if (!(x > 0)) return (float)(x == 0 ? -MA_SP_INF : MA_SP_NAN);
  float u = x * x - 8.0f;
  return x * (ma_sp_poly_f4(u, ma_sp_y1_near, 8) + 0.636619747f * logf(x) * ma_sp_poly_f4(u, ma_sp_j1_near, 8)) -
         0.636619747f / x;
}
