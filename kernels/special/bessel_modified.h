/*
** bessel_modified.h: modified Bessel functions of orders 0 and 1 by the Chebyshev series of Cephes (i0, i1, k0, k1), of
** which kernels/scalar/bessel.h has that of i0.
*/
MA_SP_TABLE double ma_sp_i1_a[29] = { 2.7779141127610464e-18,  -2.111421214358166e-17,  1.5536319577362005e-16,
                                      -1.1055969477353862e-15, 7.600684294735408e-15,   -5.042185504727912e-14,
                                      3.223793365945575e-13,   -1.9839743977649436e-12, 1.1736186298890901e-11,
                                      -6.663489723502027e-11,  3.625590281552117e-10,   -1.8872497517228294e-09,
                                      9.381537386495773e-09,   -4.445059128796328e-08,  2.0032947535521353e-07,
                                      -8.568720264695455e-07,  3.4702513081376785e-06,  -1.3273163656039436e-05,
                                      4.781565107550054e-05,   -0.00016176081582589674, 0.0005122859561685758,
                                      -0.0015135724506312532,  0.004156422944312888,    -0.010564084894626197,
                                      0.024726449030626516,    -0.05294598120809499,    0.1026436586898471,
                                      -0.17641651835783406,    0.25258718644363365 };
MA_SP_TABLE double ma_sp_i1_b[25] = { 7.517296310842105e-18,   4.414348323071708e-18,   -4.6503053684893586e-17,
                                      -3.209525921993424e-17,  2.96262899764595e-16,    3.3082023109209285e-16,
                                      -1.8803547755107825e-15, -3.8144030724370075e-15, 1.0420276984128802e-14,
                                      4.272440016711951e-14,   -2.1015418427726643e-14, -4.0835511110921974e-13,
                                      -7.198551776245908e-13,  2.0356285441470896e-12,  1.4125807436613782e-11,
                                      3.2526035830154884e-11,  -1.8974958123505413e-11, -5.589743462196584e-10,
                                      -3.835380385964237e-09,  -2.6314688468895196e-08, -2.512236237870209e-07,
                                      -3.882564808877691e-06,  -0.00011058893876262371, -0.009761097491361469,
                                      0.7785762350182801 };
MA_SP_TABLE double ma_sp_k0_a[10] = { 1.374465435613523e-16, 4.25981614279661e-14,   1.0349695257633842e-11,
                                      1.904516377220209e-09, 2.5347910790261494e-07, 2.286212103119452e-05,
                                      0.001264615411446926,  0.0359799365153615,     0.3442898999246285,
                                      -0.5353273932339028 };
MA_SP_TABLE double ma_sp_k0_b[25] = { 5.300433772686263e-18,   -1.6475804301524212e-17, 5.2103915050390274e-17,
                                      -1.678231096805412e-16,  5.512055978524319e-16,   -1.848593377343779e-15,
                                      6.3400764774050706e-15,  -2.2275133269916698e-14, 8.032890775363575e-14,
                                      -2.9800969231727303e-13, 1.140340588208475e-12,   -4.514597883373944e-12,
                                      1.8559491149547177e-11,  -7.957489244477107e-11,  3.577397281400301e-10,
                                      -1.69753450938906e-09,   8.574034017414225e-09,   -4.660489897687948e-08,
                                      2.766813639445015e-07,   -1.8317555227191195e-06, 1.39498137188765e-05,
                                      -0.00012849549581627802, 0.0015698838857300533,   -0.0314481013119645,
                                      2.4403030820659555 };
MA_SP_TABLE double ma_sp_k1_a[11] = { -7.023863479386288e-18,  -2.427449850519366e-15, -6.666901694199329e-13,
                                      -1.4114883926335278e-10, -2.213387630734726e-08, -2.4334061415659684e-06,
                                      -0.0001730288957513052,  -0.006975723859639864,  -0.12261118082265715,
                                      -0.3531559607765449,     1.5253002273389478 };
MA_SP_TABLE double ma_sp_k1_b[25] = { -5.756744483665017e-18,  1.7940508731475592e-17,  -5.689462558442859e-17,
                                      1.838093544366639e-16,   -6.057047248373319e-16,  2.038703165624334e-15,
                                      -7.019837090418314e-15,  2.4771544244813043e-14,  -8.976705182324994e-14,
                                      3.3484196660784293e-13,  -1.2891739609510289e-12, 5.13963967348173e-12,
                                      -2.1299678384275683e-11, 9.218315187605006e-11,   -4.1903547593418965e-10,
                                      2.015049755197033e-09,   -1.0345762465678097e-08, 5.7410841254500495e-08,
                                      -3.5019606030878126e-07, 2.406484947837217e-06,   -1.936197974166083e-05,
                                      0.00019521551847135162,  -0.002857816859622779,   0.10392373657681724,
                                      2.7206261904844427 };

MA_SP double ma_sp_i0e(double x) {
  x = fabs(x);
  if (x <= 8) return ma_i0_series(x);
  return ma_sp_finite(x) ? ma_i0_series(x) / sqrt(x) : x != x ? x : 0;
}
MA_SP double ma_sp_i1e(double x) {
  double t = fabs(x);
  if (t <= 8) return ma_sp_chebyshev(t / 2 - 2, ma_sp_i1_a, 29) * x;
  return ma_sp_finite(x) ? copysign(ma_sp_chebyshev(32 / t - 2, ma_sp_i1_b, 25) / sqrt(t), x) : x != x ? x : 0;
}
/* exp(x) overflows before the function does, so it is taken in two factors. There is no value at infinity, as NumPy's
** i0 has none. */
MA_SP double ma_sp_i1(double x) {
  double t = fabs(x), half = exp(0.5 * t);
  if (!(t <= 720)) return t < MA_SP_INF ? copysign(MA_SP_INF, x) : MA_SP_NAN;
  return t > 700 ? half * ma_sp_i1e(x) * half : exp(t) * ma_sp_i1e(x);
}

/* log(x / 2). Half of a subnormal x would lose digits. */
MA_SP double ma_sp_log_half(double x) { return x < 1e-300 ? log(x) - 0.69314718055994530942 : log(0.5 * x); }
MA_SP double ma_sp_k0_near(double x) {
  return ma_sp_chebyshev(x * x - 2, ma_sp_k0_a, 10) - ma_sp_log_half(x) * exp(x) * ma_sp_i0e(x);
}
MA_SP double ma_sp_k1_near(double x) {
  return ma_sp_log_half(x) * ma_sp_i1(x) + ma_sp_chebyshev(x * x - 2, ma_sp_k1_a, 11) / x;
}
MA_SP double ma_sp_k0e(double x) {
  if (!(x > 0)) return x == 0 ? MA_SP_INF : MA_SP_NAN;
  return x <= 2 ? ma_sp_k0_near(x) * exp(x) : ma_sp_chebyshev(8 / x - 2, ma_sp_k0_b, 25) / sqrt(x);
}
MA_SP double ma_sp_k1e(double x) {
  if (!(x > 0)) return x == 0 ? MA_SP_INF : MA_SP_NAN;
  return x <= 2 ? ma_sp_k1_near(x) * exp(x) : ma_sp_chebyshev(8 / x - 2, ma_sp_k1_b, 25) / sqrt(x);
}
MA_SP double ma_sp_k0(double x) { return x > 0 && x <= 2 ? ma_sp_k0_near(x) : exp(-x) * ma_sp_k0e(x); }
MA_SP double ma_sp_k1(double x) { return x > 0 && x <= 2 ? ma_sp_k1_near(x) : exp(-x) * ma_sp_k1e(x); }

/* ==== In float, as kernels/scalar/bessel.h has i0 ================================================================= */

MA_SP float ma_sp_i0e_f4(float x) {
  float t = fabsf(x);
  if (t <= 8.0f) return expf(-t) * ma_i0_near_f4(t * t);
  return x - x == 0 ? ma_i0_far_f4(t) : x != x ? x : 0;
}
MA_SP_TABLE float ma_sp_i1_near[10] = {
  2.75069441e-18f, 3.50396222e-16f, 1.61787969e-13f, 3.31825435e-11f, 5.66211433e-09f,
  6.78021479e-07f, 5.42545786e-05f, 0.00260416279f,  0.0625000075f,   0.5f
};
MA_SP_TABLE float ma_sp_i1_far[6] = { -0.452484727f,  0.00972906128f, -0.0461592898f,
                                      -0.0465756506f, -0.149605453f,  0.398942292f };
MA_SP float ma_sp_i1_near_f4(float z) { return ma_sp_poly_f4(z, ma_sp_i1_near, 10); }
MA_SP float ma_sp_i1_far_f4(float x) { return ma_sp_poly_f4(1.0f / x, ma_sp_i1_far, 6) / sqrtf(x); }
MA_SP float ma_sp_i1e_f4(float x) {
  float t = fabsf(x);
  if (t <= 8.0f) return expf(-t) * (x * ma_sp_i1_near_f4(t * t));
  return x - x == 0 ? copysignf(ma_sp_i1_far_f4(t), x) : x != x ? x : 0;
}
MA_SP float ma_sp_i1_f4(float x) {
  float t = fabsf(x), half;
  if (!(t > 8.0f)) return x * ma_sp_i1_near_f4(t * t);
  if (!(t < (float)MA_SP_INF)) return (float)MA_SP_NAN;
  half = expf(0.5f * t);
  return copysignf(t < 200.0f ? half * ma_sp_i1_far_f4(t) * half : (float)MA_SP_INF, x);
}

/* Up to 1 the value is a polynomial of z = x^2 beside the part with the logarithm. Above 1 it is a polynomial of 1 /
** x. */
MA_SP_TABLE float ma_sp_i0_low[6] = {
  7.36947854e-08f, 6.754879e-06f, 0.000434083777f, 0.0156249469f, 0.25000003f, 1.0f
};
MA_SP_TABLE float ma_sp_k0_low[6] = { 1.27316099e-07f, 1.01576443e-05f, 0.000545317424f,
                                      0.014418372f,    0.105696134f,    -0.577215672f };
MA_SP_TABLE float ma_sp_k0_far[10] = { -0.00856139883f, 0.0458057858f,  -0.108509071f, 0.152962983f,  -0.148983583f,
                                       0.116084494f,    -0.0889316574f, 0.0879409015f, -0.156659514f, 1.25331414f };
MA_SP_TABLE float ma_sp_i1_low[6] = {
  6.06919537e-09f, 6.76266325e-07f, 5.42574417e-05f, 0.00260416302f, 0.0625f, 0.5f
};
MA_SP_TABLE float ma_sp_k1_low[6] = { -1.10547536e-08f, -1.08405766e-06f, -7.49442479e-05f,
                                      -0.00283709331f,  -0.0420490317f,   0.0386078358f };
MA_SP_TABLE float ma_sp_k1_far[10] = { 0.0104508791f, -0.0561005287f, 0.133587494f,  -0.189989895f, 0.188151628f,
                                       -0.151693791f, 0.125100628f,   -0.146654159f, 0.469987094f,  1.25331414f };
MA_SP float ma_sp_k0_near_f4(float x) {
  float z = x * x;
  return ma_sp_poly_f4(z, ma_sp_k0_low, 6) - logf(0.5f * x) * ma_sp_poly_f4(z, ma_sp_i0_low, 6);
}
MA_SP float ma_sp_k1_near_f4(float x) {
  float z = x * x;
  return 1.0f / x + x * (logf(0.5f * x) * ma_sp_poly_f4(z, ma_sp_i1_low, 6) + ma_sp_poly_f4(z, ma_sp_k1_low, 6));
}
MA_SP float ma_sp_k0_far_f4(float x) { return ma_sp_poly_f4(ma_sp_inverse_f4(x), ma_sp_k0_far, 10) / sqrtf(x); }
MA_SP float ma_sp_k1_far_f4(float x) { return ma_sp_poly_f4(ma_sp_inverse_f4(x), ma_sp_k1_far, 10) / sqrtf(x); }
MA_SP float ma_sp_k0_f4(float x) {
  if (!(x > 0)) return (float)(x == 0 ? MA_SP_INF : MA_SP_NAN);
  return x <= 1.0f ? ma_sp_k0_near_f4(x) : expf(-x) * ma_sp_k0_far_f4(x);
}
MA_SP float ma_sp_k1_f4(float x) {
  if (!(x > 0)) return (float)(x == 0 ? MA_SP_INF : MA_SP_NAN);
  return x <= 1.0f ? ma_sp_k1_near_f4(x) : expf(-x) * ma_sp_k1_far_f4(x);
}
MA_SP float ma_sp_k0e_f4(float x) {
  if (!(x > 0)) return (float)(x == 0 ? MA_SP_INF : MA_SP_NAN);
  return x <= 1.0f ? expf(x) * ma_sp_k0_near_f4(x) : ma_sp_k0_far_f4(x);
}
MA_SP float ma_sp_k1e_f4(float x) {
  if (!(x > 0)) return (float)(x == 0 ? MA_SP_INF : MA_SP_NAN);
  return x <= 1.0f ? expf(x) * ma_sp_k1_near_f4(x) : ma_sp_k1_far_f4(x);
}
