/*
** erf.h: the error function, the normal distribution, and their inverses. erf and erfc are the C library's. erfcx
** scales erfc below 12 and takes the asymptotic series above; the inverses are Newton steps from M. Giles'
** approximation ("Approximating the erfinv function", 2010).
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

MA_SP double ma_sp_erfinv(double y) {
  double size = fabs(y);
  if (!(size < 1)) return size == 1 ? copysign(MA_SP_INF, y) : MA_SP_NAN;
  if (size < 1e-8) return y * 0.88622692545275801365;
  double w = -log((1 - size) * (1 + size)), x;
  if (w < 5) x = 1.50140941 + (w - 2.5) * (0.246640727 + (w - 2.5) * -0.00417768164);
  else x = 2.83297682 + (sqrt(w) - 3) * (1.00167406 + (sqrt(w) - 3) * 0.00943887047);
  x *= size;
  for (int k = 0; k < 4; k++) { /* near the ends through erfc, because erf is flat there */
    double off = size < 0.5 ? erf(x) - size : (1 - size) - erfc(x), step = off / (1.12837916709551257390 * exp(-x * x));
    x -= step / (1 + x * step);
  }
  return copysign(x, y);
}

/* Small y are solved through logarithms, because erfc(x) underflows before x is large. */
MA_SP double ma_sp_erfcinv(double y) {
  if (!(y > 0 && y < 2)) return y == 0 ? MA_SP_INF : y == 2 ? -MA_SP_INF : MA_SP_NAN;
  if (y >= 0.25) return y > 1.75 ? -ma_sp_erfcinv(2 - y) : ma_sp_erfinv(1 - y);
  double goal = log(y), x = sqrt(-goal);
  for (int k = 0; k < 6; k++) {
    double e = ma_sp_erfcx(x), off = log(e) - x * x - goal;
    x += off * e * 0.88622692545275801365;
  }
  return x;
}

MA_SP double ma_sp_ndtr(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
MA_SP double ma_sp_ndtri(double p) { return -1.41421356237309504880 * ma_sp_erfcinv(2 * p); }
MA_SP double ma_sp_log_ndtr(double x) {
  double t = x * 0.70710678118654752440;
  if (x < -1) return log(0.5 * ma_sp_erfcx(-t)) - 0.5 * x * x;
  return log1p(-0.5 * erfc(t));
}
