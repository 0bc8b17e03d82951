/*
** legendre.h: associated Legendre functions by the recurrence in the degree, as S. Zhang and J. Jin (lpmv), and their
** normalised form for spherical harmonics; Wright's generalised Bessel function by its series, whose terms have one
** sign.
*/
/* P_v0^m(x) for a degree v0 < m + 1, whole or not, by the hypergeometric series in (1 - x) / 2. */
MA_SP_APART double ma_sp_legendre_series(double m, double v, double x) {
  double t = 0.5 * (1 - x), term = 1, sum = 1;
  for (int k = 0; k < 5000; k++) {
    term *= (m - v + k) * (v + m + 1 + k) / ((m + 1 + k) * (k + 1)) * t;
    sum += term;
    if (fabs(term) < 0.1 * MA_SP_EPS * fabs(sum)) break;
  }
  double front = 1; /* gamma(v + m + 1) / (2^m m! gamma(v - m + 1)) */
  for (double k = 1; k <= m; k++) front *= (v + k) * (v - k + 1) / (2 * k);
  return sum * front * pow((1 - x) * (1 + x), 0.5 * m) * (ma_sp_odd(m) ? -1 : 1);
}

MA_SP_APART double ma_sp_lpmv(double m, double v, double x) {
  if (m != m || v != v || !(fabs(x) <= 1) || !ma_sp_whole(m)) return MA_SP_NAN;
  if (v < 0) v = -v - 1;
  if (ma_sp_whole(v) && fabs(m) > v) return 0;
  if (fabs(m) > MA_SP_MOST_STEPS || v > MA_SP_MOST_STEPS) return MA_SP_NAN;
  if (m < 0) {
    double scale = 1; /* gamma(v + m + 1) / gamma(v - m + 1) */
    for (double k = m + 1; k <= -m; k++) scale /= v + k;
    return ma_sp_lpmv(-m, v, x) * scale * (ma_sp_odd(m) ? -1 : 1);
  }
  if (fabs(x) == 1) {
    if (m > 0) return m > v && ma_sp_whole(v) ? 0 : m > 0 && x == 1 ? 0 : ma_sp_whole(v) ? 0 : MA_SP_INF;
    return x == 1 ? 1 : ma_sp_whole(v) ? (ma_sp_odd(v) ? -1 : 1) : MA_SP_INF;
  }
  double before, value, degree;
  if (ma_sp_whole(v)) {
    double front = 1, root = sqrt((1 - x) * (1 + x));
    for (double k = 1; k <= m; k++) front *= -(2 * k - 1) * root;
    before = 0;
    value = front;
    degree = m;
  } else {
    degree = v - floor(v) + m;
    if (degree > v) degree = v;
    before = ma_sp_legendre_series(m, degree - 1, x);
    value = ma_sp_legendre_series(m, degree, x);
  }
  for (double n = degree + 1; n < v + 0.5; n++) {
    double next = ((2 * n - 1) * x * value - (n + m - 1) * before) / (n - m);
    before = value;
    value = next;
  }
  return value;
}

/* The real part of a spherical harmonic's factor: sqrt((2n + 1) / (4 pi) (n - m)! / (n + m)!) P_n^m(cos(angle)). */
MA_SP_APART double ma_sp_harmonic(double m, double n, double angle) {
  if (m != m || n != n || angle != angle || n < 0 || fabs(m) > n) return n >= 0 && fabs(m) > n ? 0 : MA_SP_NAN;
  if (n > MA_SP_MOST_STEPS) return MA_SP_NAN;
  double order = fabs(m), x = cos(angle), s = sin(angle), value = 0.28209479177387814347, before = 0;
  for (double k = 1; k <= order; k++) value *= -s * sqrt((2 * k + 1) / (2 * k));
  for (double k = order + 1; k <= n; k++) {
    double c = sqrt((4 * k * k - 1) / (k * k - order * order));
    double d = k > order + 1 ? sqrt(((k - 1) * (k - 1) - order * order) / (4 * (k - 1) * (k - 1) - 1)) : 0;
    double next = c * (x * value - d * before);
    before = value;
    value = next;
  }
  return m < 0 && ma_sp_odd(order) ? -value : value;
}

/* The sum of x^k / (k! gamma(a k + b)). */
MA_SP_APART double ma_sp_wright_bessel(double a, double b, double x) {
  if (!(a >= 0 && b >= 0 && x >= 0)) return MA_SP_NAN;
  if (x == 0) return ma_sp_rgamma(b);
  if (!ma_sp_finite(a) || !ma_sp_finite(b)) return MA_SP_NAN;
  if (!ma_sp_finite(x)) return MA_SP_INF;
  if (a == 0) return exp(x) * ma_sp_rgamma(b);
  double sum = 0, power = 1, l = log(x), last = 0;
  for (int k = 0; k < 20000; k++) {
    double z = a * k + b, term;
    if (k > 0) power *= x / k;
    if (z < 150 && power < 1e250 && power > 1e-300) term = power * ma_sp_rgamma(z);
    else term = exp(k * l - ma_sp_lgamma(k + 1.0) - ma_sp_lgamma(z));
    sum += term;
    if (term < last && term < 0.01 * MA_SP_EPS * sum) break;
    last = term;
  }
  return sum;
}
