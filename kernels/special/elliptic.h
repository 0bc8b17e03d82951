/*
** elliptic.h: complete elliptic integrals by the arithmetic-geometric mean, incomplete ones by B. C. Carlson's
** duplication ("Numerical computation of real or complex elliptic integrals", 1995), as Boost's ellint_rf and ellint_rd
** have them; Jacobi's functions by Cephes (ellpj), the descending Landen transformation.
*/
MA_SP_APART double ma_sp_agm(double a, double b) {
  for (int k = 0; k < 30 && fabs(a - b) > 1e-8 * a; k++) {
    double m = 0.5 * (a + b);
    b = sqrt(a * b);
    a = m;
  }
  return 0.5 * (a + b); /* the next mean is as exact as a double */
}

MA_SP double ma_sp_ellipkm1(double p) {
  if (p < 0 || p != p) return MA_SP_NAN;
  if (p == 0) return MA_SP_INF;
  if (!ma_sp_finite(p)) return 0;
  return MA_SP_PI / 2 / ma_sp_agm(1, sqrt(p));
}
MA_SP double ma_sp_ellipk(double m) { return ma_sp_ellipkm1(1 - m); }

MA_SP_APART double ma_sp_ellipe(double m) {
  if (!(m < 1)) return m == 1 ? 1 : MA_SP_NAN;
  if (!ma_sp_finite(m)) return MA_SP_INF;
  double a = 1, b = sqrt(1 - m), sum = 0.5 * m, power = 0.5;
  for (int k = 0; k < 30 && fabs(a - b) > 1e-17 * a; k++) {
    double c = 0.5 * (a - b), t = 0.5 * (a + b);
    b = sqrt(a * b);
    a = t;
    power *= 2;
    sum += power * c * c;
    if (fabs(c) < 1e-9 * a) break;
  }
  return MA_SP_PI / (a + b) * (1 - sum);
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

/* phi less a whole number of pi, whose number is *turns. */
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

/* sn, cn, dn or the amplitude: `part` 0 to 3. */
MA_SP_APART double ma_sp_ellipj(double u, double m, int part) {
  if (!(m >= 0 && m <= 1) || u != u) return MA_SP_NAN;
  double sn, cn, dn, phi;
  if (m < 1e-9) {
    double s = sin(u), c = cos(u), d = 0.25 * m * (u - s * c);
    sn = s - d * c;
    cn = c + d * s;
    phi = u - d;
    dn = 1 - 0.5 * m * s * s;
  } else if (m >= 0.9999999999) {
    double d = 0.25 * (1 - m), h = cosh(u), t = tanh(u), over = 1 / h, both = h * sinh(u);
    sn = t + d * (both - u) / (h * h);
    phi = 2 * atan(exp(u)) - MA_SP_PI / 2 + d * (both - u) / h;
    cn = over - d * t * over * (both - u);
    dn = over + d * t * over * (both + u);
  } else {
    double a[9], c[9], b = sqrt(1 - m), power = 1;
    int n = 0;
    a[0] = 1;
    c[0] = sqrt(m);
    while (n < 8 && fabs(c[n] / a[n]) > MA_SP_EPS) {
      double mean = a[n];
      n++;
      c[n] = 0.5 * (mean - b);
      a[n] = 0.5 * (mean + b);
      b = sqrt(mean * b);
      power *= 2;
    }
    phi = power * a[n] * u;
    for (; n > 0; n--) {
      double t = c[n] * sin(phi) / a[n];
      phi = 0.5 * (asin(t) + phi);
    }
    sn = sin(phi);
    cn = cos(phi);
    dn = sqrt(1 - m + m * cn * cn);
  }
  return part == 0 ? sn : part == 1 ? cn : part == 2 ? dn : phi;
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
