/* bessel.h: i0, which NumPy has too; its kin are in kernels/special. In double the Chebyshev series of Cephes, for 0
** .. 8 and above 8. In float minimax polynomials of x^2 and of 1 / x over the same ranges: exp(x) is needed above 8
** only, and comes in two factors, since it overflows before i0 does. */
MA_FN float ma_i0_near_f4(float z) {
  const float c[10] = { 5.71662073e-17f, 5.81440473e-15f, 2.6342999e-12f, 4.62346716e-10f, 6.80051073e-08f,
                        6.77931166e-06f, 0.000434043846f, 0.0156249488f,  0.25000006f,     1.0f };
  float y = c[0];
  for (int k = 1; k < 10; k++) y = ma_fma_f4(y, z, c[k]);
  return y;
}
MA_FN float ma_i0_far_f4(float x) {
  const float c[6] = { 0.388065696f, -0.0138787236f, 0.0337878801f, 0.0278986935f, 0.0498695858f, 0.398942292f };
  float r = 1.0f / x, y = c[0];
  for (int k = 1; k < 6; k++) y = ma_fma_f4(y, r, c[k]);
  return y / sqrtf(x);
}
MA_FN float MA_NAME(ma_i0, f4)(float x) {
  float t = fabsf(x), half;
  if (!(t > 8.0f)) return ma_i0_near_f4(t * t);
  half = expf(0.5f * t);
  return t < 200.0f ? half * ma_i0_far_f4(t) * half : t * half; /* overflow to infinity */
}

/* exp(-x) i0(x) for x >= 0, by Clenshaw's rule. From 8 on it is sqrt(x) exp(-x) i0(x). The highest term comes first,
** and the constant is doubled. */
MA_FN double ma_i0_series(double x) {
  const double near[30] = { -4.4153416464793395e-18, 3.3307945188222384e-17,  -2.431279846547955e-16,
                            1.715391285555133e-15,   -1.1685332877993451e-14, 7.676185498604936e-14,
                            -4.856446783111929e-13,  2.95505266312964e-12,    -1.726826291441556e-11,
                            9.675809035373237e-11,   -5.189795601635263e-10,  2.6598237246823866e-09,
                            -1.300025009986248e-08,  6.046995022541919e-08,   -2.670793853940612e-07,
                            1.1173875391201037e-06,  -4.4167383584587505e-06, 1.6448448070728896e-05,
                            -5.754195010082104e-05,  0.00018850288509584165,  -0.0005763755745385824,
                            0.0016394756169413357,   -0.004324309995050576,   0.010546460394594998,
                            -0.02373741480589947,    0.04930528423967071,     -0.09490109704804764,
                            0.17162090152220877,     -0.3046826723431984,     0.6767952744094761 };
  const double far[30] = { 0,
                           0,
                           0,
                           0,
                           0,
                           -7.233180487874754e-18,
                           -4.830504485944182e-18,
                           4.46562142029676e-17,
                           3.461222867697461e-17,
                           -2.8276239805165836e-16,
                           -3.425485619677219e-16,
                           1.7725601330565263e-15,
                           3.8116806693526224e-15,
                           -9.554846698828307e-15,
                           -4.150569347287222e-14,
                           1.54008621752141e-14,
                           3.8527783827421426e-13,
                           7.180124451383666e-13,
                           -1.7941785315068062e-12,
                           -1.3215811840447713e-11,
                           -3.1499165279632416e-11,
                           1.1889147107846439e-11,
                           4.94060238822497e-10,
                           3.3962320257083865e-09,
                           2.266668990498178e-08,
                           2.0489185894690638e-07,
                           2.8913705208347567e-06,
                           6.889758346916825e-05,
                           0.0033691164782556943,
                           0.8044904110141088 };
  const double *c = x > 8 ? far : near;
  double t = x > 8 ? 32 / x - 2 : x / 2 - 2, s = t * t - 2, o0 = 0, o1 = 0, e0 = 0, e1 = 0, e2 = 0;
  for (int i = x > 8 ? 4 : 0; i < 30; i += 2) { /* terms of odd and of even degree, which do not wait for each other */
    double odd = s * o0 + (c[i] - o1);
    o1 = o0;
    o0 = odd;
    e2 = e1;
    e1 = e0;
    e0 = s * e1 + (c[i + 1] - e2);
  }
  return 0.5 * (e0 - e2) + 0.5 * t * (o0 - o1);
}
MA_FN double MA_NAME(ma_i0, f8)(double x) {
  x = fabs(x);
  double series = exp(x) * ma_i0_series(x);
  return x > 8 ? series / sqrt(x) : series;
}
