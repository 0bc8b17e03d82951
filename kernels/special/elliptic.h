/*
** elliptic.h: complete elliptic integrals by polynomials beside a logarithm, incomplete ones by B. C. Carlson's
** duplication ("Numerical computation of real or complex elliptic integrals", 1995), as Boost's ellint_rf and ellint_rd
** have them; Jacobi's functions by Cephes (ellpj), the descending Landen transformation.
*/
/*
** Complete integrals of 0 < p <= 1, p = 1 - m: P(p) - log(p) Q(p), and P(p) - p log(p) Q(p) for the second kind, as
** Hastings and Cephes (ellpk, ellpe) have them; coefficients computed with mpmath. From p > 1 to 1 / p lead the
** transformations of the parameter.
*/
MA_SP_TABLE double ma_sp_ellipk_p[11] = { 0.0001111703306291155, 0.0019742422687717815, 0.0074831932203158315,
                                          0.010056884279330741,  0.007333712871325243,  0.006339543541016287,
                                          0.008805956800485253,  0.014938521643195757,  0.030885150433406096,
                                          0.09657359028652956,   1.386294361119891 };
MA_SP_TABLE double ma_sp_ellipk_q[11] = { 2.3403717154796536e-05,
                                          0.0007724882445523193,
                                          0.005336870268383927,
                                          0.01469648631026867,
                                          0.023532296688937675,
                                          0.03005131719075419,
                                          0.03737269189235746,
                                          0.04882792601550489,
                                          0.07031249903258084,
                                          0.1249999999992118,
                                          0.5 };
MA_SP_TABLE double ma_sp_ellipe_p[11] = { 0.00016394126761587707,
                                          0.00262357466428353,
                                          0.008860337634283727,
                                          0.010651784898300954,
                                          0.007612741268738522,
                                          0.007535439874942954,
                                          0.011564451309492891,
                                          0.02183168150585446,
                                          0.05680519381101199,
                                          0.4431471805603717,
                                          1.0 };
MA_SP_TABLE double ma_sp_ellipe_q[10] = { 3.513351326336546e-05, 0.001063436578792178, 0.0067281261161609325,
                                          0.01716442535546706,   0.026302735250179107, 0.033504805888214924,
                                          0.04271941150194526,   0.058593689199507505, 0.09374999983995441,
                                          0.24999999999995715 };

MA_SP double ma_sp_ellipkm1(double p) {
  if (!(p > 0)) return p == 0 ? MA_SP_INF : MA_SP_NAN;
  if (!ma_sp_finite(p)) return 0;
  double q = p > 1 ? 1 / p : p, y = ma_sp_poly(q, ma_sp_ellipk_p, 11) - log(q) * ma_sp_poly(q, ma_sp_ellipk_q, 11);
  return p > 1 ? y * sqrt(q) : y;
}
MA_SP double ma_sp_ellipk(double m) { return ma_sp_ellipkm1(1 - m); }

MA_SP double ma_sp_ellipe(double m) {
  if (!(m < 1)) return m == 1 ? 1 : MA_SP_NAN;
  if (!ma_sp_finite(m)) return MA_SP_INF;
  double p = 1 - m, q = p > 1 ? 1 / p : p;
  double y = ma_sp_poly(q, ma_sp_ellipe_p, 11) - q * log(q) * ma_sp_poly(q, ma_sp_ellipe_q, 10);
  return p > 1 ? y * sqrt(p) : y;
}

/* Carlson's R_F(x, y, z). */
MA_SP_APART double ma_sp_carlson_f(double x, double y, double z) {
  double a0 = (x + y + z) / 3, a = a0, f = 1, q = fmax(fabs(a0 - x), fmax(fabs(a0 - y), fabs(a0 - z))) * 400;
  double x0 = x, y0 = y;
  for (int k = 0; k < 100 && f * q > fabs(a); k++) {
    double l = sqrt(x) * sqrt(y) + sqrt(x) * sqrt(z) + sqrt(y) * sqrt(z);
    x = 0.25 * (x + l);
    y = 0.25 * (y + l);
    z = 0.25 * (z + l);
    a = 0.25 * (a + l);
    f *= 0.25;
  }
  double dx = (a0 - x0) * f / a, dy = (a0 - y0) * f / a, dz = -dx - dy, e2 = dx * dy - dz * dz, e3 = dx * dy * dz;
  return (1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44) / sqrt(a);
}

/* Carlson's R_D(x, y, z). */
MA_SP_APART double ma_sp_carlson_d(double x, double y, double z) {
  double a0 = (x + y + 3 * z) / 5, a = a0, f = 1, sum = 0;
  double q = fmax(fabs(a0 - x), fmax(fabs(a0 - y), fabs(a0 - z))) * 600, x0 = x, y0 = y;
  for (int k = 0; k < 100 && f * q > fabs(a); k++) {
    double l = sqrt(x) * sqrt(y) + sqrt(x) * sqrt(z) + sqrt(y) * sqrt(z);
    sum += f / (sqrt(z) * (z + l));
    x = 0.25 * (x + l);
    y = 0.25 * (y + l);
    z = 0.25 * (z + l);
    a = 0.25 * (a + l);
    f *= 0.25;
  }
  double dx = (a0 - x0) * f / a, dy = (a0 - y0) * f / a, dz = -(dx + dy) / 3, p = dx * dy, zz = dz * dz;
  double e2 = p - 6 * zz, e3 = (3 * p - 8 * zz) * dz, e4 = 3 * (p - zz) * zz, e5 = p * zz * dz;
  double series = 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 + 3 * e5 / 26;
  return 3 * sum + f * series / (a * sqrt(a));
}

/* phi minus the nearest multiple of pi; *turns is how many times pi was taken. */
MA_SP double ma_sp_turn(double phi, double *turns) {
  double n = rint(phi / MA_SP_PI);
  *turns = n;
  return (phi - n * 3.141592653589793) - n * 1.2246467991473532e-16;
}

MA_SP_APART double ma_sp_ellipkinc(double phi, double m) {
  if (phi != phi || m != m || m > 1) return MA_SP_NAN;
  if (!ma_sp_finite(phi)) return ma_sp_finite(m) ? phi : MA_SP_NAN;
  if (!ma_sp_finite(m)) return 0;
  if (m == 1 && fabs(phi) >= MA_SP_PI / 2) return MA_SP_INF;
  double turns, r = ma_sp_turn(phi, &turns), s = sin(r), c = cos(r);
  double f = s * ma_sp_carlson_f(c * c, c * c + (1 - m) * s * s, 1);
  return turns == 0 ? f : f + 2 * turns * ma_sp_ellipk(m);
}

MA_SP_APART double ma_sp_ellipeinc(double phi, double m) {
  if (phi != phi || m != m || m > 1) return MA_SP_NAN;
  if (!ma_sp_finite(phi)) return phi;
  if (!ma_sp_finite(m)) return phi == 0 ? 0 : copysign(MA_SP_INF, phi);
  double turns, r = ma_sp_turn(phi, &turns), s = sin(r), c = cos(r), q = c * c + (1 - m) * s * s;
  double e = s * ma_sp_carlson_f(c * c, q, 1);
  if (s != 0) e -= m * s * s * s / 3 * ma_sp_carlson_d(c * c, q, 1);
  return turns == 0 ? e : e + 2 * turns * ma_sp_ellipe(m);
}

/* Where 1 - m is so small that Jacobi's functions are hyperbolic ones and a first correction. */
#define MA_SP_ELLIPJ_END 0.9999999999

/* The amplitude of Jacobi's functions. */
MA_SP_APART double ma_sp_ellipj_amplitude(double u, double m) {
  if (!(m >= 0 && m <= 1) || u != u) return MA_SP_NAN;
  if (m < 1e-9) return u - 0.25 * m * (u - sin(u) * cos(u));
  if (m >= MA_SP_ELLIPJ_END) {
    double h = cosh(u);
    return 2 * atan(exp(u)) - MA_SP_PI / 2 + 0.25 * (1 - m) * (h * sinh(u) - u) / h;
  }
  double a[9], c[9], b = sqrt(1 - m), power = 1;
  int n = 0;
  a[0] = 1;
  c[0] = sqrt(m);
  while (n < 8 && fabs(c[n]) > MA_SP_EPS * a[n]) {
    double mean = a[n];
    n++;
    c[n] = 0.5 * (mean - b);
    a[n] = 0.5 * (mean + b);
    b = sqrt(mean * b);
    power *= 2;
  }
  double phi = power * a[n] * u;
  for (; n > 0; n--) phi = 0.5 * (asin(c[n] * sin(phi) / a[n]) + phi);
  return phi;
}

/* sn, cn and dn by the amplitude, which is NaN for a parameter beyond 0 .. 1. dn is the root of 1 - m + m cos^2, a sum
** of two positive terms, so nothing cancels. */
MA_SP double ma_sp_ellipj_sn(double phi, double u, double m) {
  if (!(m >= MA_SP_ELLIPJ_END && m <= 1)) return sin(phi);
  double h = cosh(u);
  return tanh(u) + 0.25 * (1 - m) * (h * sinh(u) - u) / (h * h);
}
MA_SP double ma_sp_ellipj_cn(double phi, double u, double m) {
  if (!(m >= MA_SP_ELLIPJ_END && m <= 1)) return cos(phi);
  double h = cosh(u);
  return 1 / h - 0.25 * (1 - m) * tanh(u) * (h * sinh(u) - u) / h;
}
MA_SP double ma_sp_ellipj_dn(double phi, double u, double m) {
  if (m >= MA_SP_ELLIPJ_END && m <= 1) {
    double h = cosh(u);
    return 1 / h + 0.25 * (1 - m) * tanh(u) * (h * sinh(u) + u) / h;
  }
  double c = cos(phi);
  return sqrt(1 - m + m * c * c);
}

/* ==== In float ==================================================================================================== */

/* Polynomials of p = 1 - m beside log(p), by C. Hastings ("Approximations for digital computers", 1955) for the first
** kind, fitted anew for the second. From p to 1 / p, where p > 1, lead the transformations of the parameter. */
MA_SP_TABLE float ma_sp_ellipk_a[5] = { 0.0145119621f, 0.0374256372f, 0.035900924f, 0.0966634452f, 1.38629436f };
MA_SP_TABLE float ma_sp_ellipk_b[5] = { 0.00441787008f, 0.0332835540f, 0.0688024884f, 0.124985933f, 0.5f };
MA_SP_TABLE float ma_sp_ellipe_a[6] = {
  0.0078054117f, 0.0306950416f, 0.0315916166f, 0.0575511716f, 0.443153083f, 1.0f
};
MA_SP_TABLE float ma_sp_ellipe_b[5] = { 0.0021772359f, 0.0220478792f, 0.0543464422f, 0.0935677662f, 0.249999151f };
MA_SP float ma_sp_ellipkm1_f4(float p) {
  if (!(p > 0 && p < (float)MA_SP_INF)) return (float)(p == 0 ? MA_SP_INF : p > 0 ? 0 : MA_SP_NAN);
  float q = p > 1.0f ? 1.0f / p : p,
        y = ma_sp_poly_f4(q, ma_sp_ellipk_a, 5) - logf(q) * ma_sp_poly_f4(q, ma_sp_ellipk_b, 5);
  return p > 1.0f ? y * sqrtf(q) : y;
}
MA_SP float ma_sp_ellipk_f4(float m) { return ma_sp_ellipkm1_f4(1.0f - m); }
MA_SP float ma_sp_ellipe_f4(float m) {
  if (!(m < 1.0f)) return (float)(m == 1.0f ? 1.0 : MA_SP_NAN);
  if (!(m > -(float)MA_SP_INF)) return (float)MA_SP_INF;
  float p = 1.0f - m, q = p > 1.0f ? 1.0f / p : p;
  float y = ma_sp_poly_f4(q, ma_sp_ellipe_a, 6) - q * logf(q) * ma_sp_poly_f4(q, ma_sp_ellipe_b, 5);
  return p > 1.0f ? y * sqrtf(p) : y;
}
