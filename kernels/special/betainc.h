/*
** betainc.h: the incomplete beta function and its inverse, and the distributions of beta, binomial, F and Student. As
** in Boost (ibeta) after A. R. DiDonato and A. H. Morris ("Algorithm 708", 1992): the continued fraction on the side
** where it converges, the power series for small b. The power of x and 1 - x in front is taken about its maximum, as
** in C. Loader ("Fast and accurate computation of binomial probabilities", 2000). `eps` is the relative error at which
** series end: ma_sp_eps(x).
*/
/* (r exp(-d / a))^a with r = 1 + d / a. r is given beside d, because near r = 0 it has digits that 1 + d / a lacks. */
MA_SP double ma_sp_beta_power(double a, double d, double r) {
  double t = d / a;
  if (fabs(t) < 0.5) return exp(a * ma_sp_log1pmx(t));
  return t > 700 ? 0 : pow(r * exp(-t), a);
}

/* y^b where y = 1 - x, by the one of x and y that is more exact. */
MA_SP double ma_sp_beta_rest(double b, double x, double y) { return x < 0.5 ? exp(b * log1p(-x)) : pow(y, b); }

/* x^a y^b / beta(a, b) for a < 10 <= b, with gamma(a + b) / gamma(b) by Stirling's series. */
MA_SP_APART double ma_sp_beta_lopsided(double a, double b, double x, double y) {
  double t = a / b, rest = (t < 0.5 ? b * ma_sp_log1pmx(t) : b * log1p(t) - a) - 0.5 * log1p(t);
  double s = ma_sp_stirling(a + b) - ma_sp_stirling(b);
  double power = ma_sp_beta_rest(b, x, y);
  return power > 0 ? pow(x * (a + b), a) * power * exp(rest + s) * ma_sp_rgamma(a) : 0;
}

/* x^a y^b / beta(a, b) with y = 1 - x. */
MA_SP_APART double ma_sp_beta_prefix(double a, double b, double x, double y) {
  if (a + b < 1e-19) return a / (a + b) * b;
  if (a < 10 && b < 10)
    return pow(x, a) * ma_sp_beta_rest(b, x, y) * (ma_sp_rgamma(a) * ma_sp_gamma(a + b) * ma_sp_rgamma(b));
  if (a < 10) return ma_sp_beta_lopsided(a, b, x, y);
  if (b < 10) return ma_sp_beta_lopsided(b, a, y, x);
  double n = a + b, d = x * b - y * a, s = ma_sp_stirling(n) - ma_sp_stirling(a) - ma_sp_stirling(b);
  return ma_sp_beta_power(a, d, x * (n / a)) * ma_sp_beta_power(b, -d, y * (n / b)) * exp(s) * 0.39894228040143267794 *
         sqrt(a) * sqrt(b / n);
}

/* The continued fraction of DiDonato and Morris, by the recurrence of numerators and denominators, divided by a, which
** may be tiny; x is at most about a / (a + b), where its terms are positive. Both are scaled where squares of large
** parameters would overflow. `front` is the power in front, `eps` where the steps end. */
MA_SP_APART double ma_sp_beta_fraction(double a, double b, double x, double y, double front, double eps) {
  double tilt = a * y - b * x + 1, scale = tilt > 1e100 ? 1 / tilt : 1, p2 = 1, q2 = 0, p1 = tilt * scale / (a + 1),
         q1 = scale;
  double before = 1 / (a + 1), factor = 1;
  for (int m = 1; m < 10000; m++) {
    double behind = 1 / (a + 2 * m + 1), more = m * (b - m) * x * scale;
    double n = factor * before * ((a + b + (m - 1)) * before * x) * more * scale;
    double d = m * scale + more * before + (a + m) * behind * ((tilt + m * (2 - x)) * scale);
    double p = d * p1 + n * p2, q = d * q1 + n * q2, now = q * p1;
    int done = fabs(now - q1 * p) <= eps * fabs(now);
    double less = fabs(p) > 1e100 ? 1e-100 : fabs(p) < 1e-100 ? 1e100 : 1;
    p2 = p1 * less;
    q2 = q1 * less;
    p1 = p * less;
    q1 = q * less;
    before = behind;
    factor = a + m;
    if (done) break;
  }
  return front / a * (q1 / p1);
}

/* The power series in x, for b up to 1. */
MA_SP_APART double ma_sp_beta_series(double a, double b, double x, double y, double front, double eps) {
  double term = 1, sum = 1 / a;
  for (int k = 1; k < 5000; k++) {
    term *= (k - b) * x / k;
    sum += term / (a + k);
    if (term < 0.1 * eps * sum * (a + k) * y) break;
  }
  return front * sum / (y < 1 ? pow(y, b) : 1);
}

/* lgamma(b + a) - lgamma(b) for 0 < a <= 1 and b > 0, with all digits of a small difference: steps up to 10, then the
** difference of Stirling's series by the divided difference of its polynomial in 1 / b. */
MA_SP_APART double ma_sp_lgamma_step(double b, double a) {
  double sum = 0, c = 0, slope = 0;
  for (; b < 10; b += 1) sum -= log1p(a / b);
  double r = 1 / b, s = 1 / (a + b);
  for (int k = 0; k < 8; k++) { /* the polynomial has odd powers alone */
    slope = slope * s + c;
    c = c * r + ma_sp_stirling_series[k];
    slope = slope * s + c;
    c *= r;
  }
  return sum + (b - 0.5) * log1p(a / b) + a * (log(a + b) - 1) - slope * a * r * s;
}

/* The complement for a up to 1 and small x: 1 - x^a gamma(a + b) / (gamma(a + 1) gamma(b)) (1 + a sum), as that of the
** incomplete gamma function. */
MA_SP_APART double ma_sp_beta_complement(double a, double b, double x, double eps) {
  double term = 1, sum = 0, l = a * log(x) + ma_sp_lgamma_step(b, a) - ma_sp_lgamma1p_of(a);
  for (int k = 1; k < 500; k++) {
    term *= (k - b) / k * x;
    sum += term / (a + k);
    if (fabs(term) < 0.1 * eps * fabs(sum)) break;
  }
  return -expm1(l) - exp(l) * a * sum;
}

/* 1 - I_x(a, b) for a up to 1, where it is small. The fraction, which gives I_x, would lose its digits. */
MA_SP double ma_sp_beta_rest_of(double a, double b, double x, double y, double front, double eps) {
  return x > 0.1 ? ma_sp_beta_series(b, a, y, x, front, eps) : ma_sp_beta_complement(a, b, x, eps);
}

/* I_x(a, b) and its complement for two large parameters, where the fraction takes too many steps: the first terms of N.
** M. Temme's uniform expansion ("The uniform asymptotic expansion of a class of integrals", 1982). From 1e8 on the
** first term that is left out is below 1e-13, which is less than a rounding of the arguments changes. */
#define MA_SP_BETA_LARGE 1e8
MA_SP_APART void ma_sp_beta_large(double a, double b, double x, double y, double *p, double *q) {
  double r = a + b, u = a / r, v = b / r, d = x * v - y * u, s = sqrt(u * v);
  double eta = copysign(sqrt(-2 * (u * ma_sp_log1pmx(d / u) + v * ma_sp_log1pmx(-d / v))), d), t = eta * sqrt(r);
  double c = fabs(t) > 1e-3 ? 1 / eta - s / d : (v - u) / (3 * s);
  double rest = exp(-0.5 * t * t) * c * 0.39894228040143267794 / sqrt(r);
  *p = 0.5 * erfc(-t * 0.70710678118654752440) + rest;
  *q = 0.5 * erfc(t * 0.70710678118654752440) - rest;
}

/* I_x(a, b) and its complement for positive a, b and 0 < x < 1; the smaller one has all its digits. `front` is
** ma_sp_beta_prefix(a, b, x, y), which is the same with both pairs exchanged. */
MA_SP_APART void ma_sp_beta_parts(double a, double b, double x, double y, double front, double eps, double *p,
                                  double *q) {
  if (a + b < 1e-19 || (front == 0 && (a < 1e-290 || b < 1e-290))) { /* x^a and y^b are 1 */
    *p = b / (a + b);
    *q = a / (a + b);
  } else if (a + b == MA_SP_INF || front == 0) {
    *p = x * 0.5 < (0.5 * a + 0.5) / (0.5 * a + 0.5 * b + 1) * 0.5 ? 0 : 1;
    *q = 1 - *p;
  } else if (a > MA_SP_BETA_LARGE && b > MA_SP_BETA_LARGE) {
    ma_sp_beta_large(a, b, x, y, p, q);
  } else if (x * (a + b + 2) < a + 1) {
    *p = ma_sp_beta_fraction(a, b, x, y, front, eps);
    *q = 1 - *p;
    if (*q < 0.1 && a <= 1) {
      *q = ma_sp_beta_rest_of(a, b, x, y, front, eps);
      *p = 1 - *q;
    }
  } else {
    *q = ma_sp_beta_fraction(b, a, y, x, front, eps);
    *p = 1 - *q;
    if (*p < 0.1 && b <= 1) {
      *p = ma_sp_beta_rest_of(b, a, y, x, front, eps);
      *q = 1 - *p;
    }
  }
}

MA_SP double ma_sp_betainc_of(double a, double b, double x, double y, double eps) {
  double p, q;
  if (!(a >= 0 && b >= 0 && x >= 0 && y >= 0)) return MA_SP_NAN;
  if ((a == 0 && b == 0) || (!ma_sp_finite(a) && !ma_sp_finite(b))) return MA_SP_NAN;
  if (a == 0 || !ma_sp_finite(b)) return x > 0 ? 1 : 0;
  if (b == 0 || !ma_sp_finite(a)) return y > 0 ? 0 : 1;
  if (x == 0) return 0;
  if (y == 0) return 1;
  ma_sp_beta_parts(a, b, x, y, ma_sp_beta_prefix(a, b, x, y), eps, &p, &q);
  return p;
}
MA_SP double ma_sp_betainc(double a, double b, double x, double eps) { return ma_sp_betainc_of(a, b, x, 1 - x, eps); }
MA_SP double ma_sp_betaincc(double a, double b, double x, double eps) { return ma_sp_betainc_of(b, a, 1 - x, x, eps); }

/* ==== The inverse ================================================================================================= */

/* log(x / y) of the place where I_x(a, b) is about p, for a and b above 1 (Abramowitz and Stegun, 26.5.22). */
MA_SP double ma_sp_beta_place(double a, double b, double p) {
  double t = sqrt(-2 * log(p < 0.5 ? p : 1 - p));
  double z = t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)), s = p < 0.5 ? z : -z;
  double l = (s * s - 3) / 6, ia = 1 / (2 * a - 1), ib = 1 / (2 * b - 1), h = 2 / (ia + ib);
  double w = s * sqrt(l + h > 0 ? l + h : 0) / h - (ib - ia) * (l + 0.8333333333333333 - 2 / (3 * h));
  return log(a / b) - 2 * w;
}

/* x / y of I_x(a, b) == goal. The steps are in log(x / y), which loses no digits at either end, and stay between the
** bounds known so far. They are Halley's (1694) for the logarithm of I_x, so the error of the last one is about the
** cube of the one before. */
MA_SP_APART double ma_sp_beta_solve(double a, double b, double goal, double eps) {
  double low = 0, high = MA_SP_INF, p, q, whole = ma_sp_betaln(a, b);
  int by_upper = goal > 0.9;
  double wanted = by_upper ? 1 - goal : goal, mean = a / b, r = mean, sign = by_upper ? -1 : 1;
  double start = exp((log(goal) + log(a) + whole) / a); /* I_x is x^a / (a beta(a, b)) near 0 */
  double end = exp((log(1 - goal) + log(b) + whole) / b);
  if (start < 0.1 * a / (a + b)) r = start / (1 - start);
  else if (end < 0.1 * b / (a + b)) r = (1 - end) / end;
  else if (a > 1 && b > 1) r = exp(ma_sp_beta_place(a, b, goal));
  if (!(r > 1e-300)) return r;
  if (r > 1e300) return r;
  for (int k = 0; k < 100; k++) {
    double y = 1 / (1 + r), x = r > 1 ? 1 / (1 + 1 / r) : r * y, slope = ma_sp_beta_prefix(a, b, x, y), step;
    ma_sp_beta_parts(a, b, x, y, slope, eps, &p, &q);
    double value = by_upper ? q : p, bend = a * y - b * x;
    if (value == wanted) break;
    if (by_upper ? value > wanted : value < wanted) low = r;
    else high = r;
    if (value > 0.1 * wanted && value < 10 * wanted) step = -sign * log1p((value - wanted) / wanted) * value / slope;
    else step = value > 0 ? sign * (log(wanted) - log(value)) * value / slope : MA_SP_NAN;
    double curve = 0.5 * (bend - sign * slope / value), turn = 1 + step * curve;
    if (turn > 0.5 && turn < 2) step /= turn;
    double next = fabs(step) < 1e-3 ? r + r * expm1(step) : r * exp(step);
    double rest = fabs(step * step * step) * (1 + 4 * curve * curve + (a + b) * x * y);
    if (rest < 0.1 * eps && fabs(step) < 0.01) return next;
    if (!(next > low && next < high))
      next = low == 0 ? 0.1 * high : high == MA_SP_INF ? 10 * low : sqrt(low) * sqrt(high);
    r = next;
  }
  return r;
}

/* x / (1 - x), with the ends. */
MA_SP double ma_sp_betaincinv_ratio(double a, double b, double p, double eps) {
  if (!(a > 0 && b > 0 && a < MA_SP_INF && b < MA_SP_INF && p >= 0 && p <= 1)) return MA_SP_NAN;
  if (p == 0) return 0;
  if (p == 1) return MA_SP_INF;
  return ma_sp_beta_solve(a, b, p, eps);
}
MA_SP double ma_sp_betaincinv(double a, double b, double p, double eps) {
  double r = ma_sp_betaincinv_ratio(a, b, p, eps);
  return r > 1 ? 1 / (1 + 1 / r) : r / (1 + r);
}

/* ==== Distributions =============================================================================================== */

MA_SP double ma_sp_bdtr(double k, double n, double p, double eps) {
  k = floor(k);
  if (!(k >= 0 && n >= k && p >= 0 && p <= 1)) return MA_SP_NAN;
  return k == n ? 1 : ma_sp_betainc_of(n - k, k + 1, 1 - p, p, eps);
}
MA_SP double ma_sp_bdtrc(double k, double n, double p, double eps) {
  k = floor(k);
  if (!(n >= k && p >= 0 && p <= 1)) return MA_SP_NAN;
  return k < 0 ? 1 : k == n ? 0 : ma_sp_betainc_of(k + 1, n - k, p, 1 - p, eps);
}
MA_SP double ma_sp_bdtri(double k, double n, double y, double eps) {
  k = floor(k);
  if (!(k >= 0 && n > k && y >= 0 && y <= 1)) return MA_SP_NAN;
  return 1 / (1 + ma_sp_betaincinv_ratio(n - k, k + 1, y, eps));
}
MA_SP double ma_sp_nbdtr(double k, double n, double p, double eps) {
  k = floor(k);
  return k >= 0 && p >= 0 && p <= 1 ? ma_sp_betainc_of(n, k + 1, p, 1 - p, eps) : MA_SP_NAN;
}
MA_SP double ma_sp_nbdtrc(double k, double n, double p, double eps) {
  k = floor(k);
  return k >= 0 && p >= 0 && p <= 1 ? ma_sp_betainc_of(k + 1, n, 1 - p, p, eps) : MA_SP_NAN;
}
MA_SP double ma_sp_nbdtri(double k, double n, double y, double eps) {
  k = floor(k);
  return k >= 0 ? ma_sp_betaincinv(n, k + 1, y, eps) : MA_SP_NAN;
}
/* I_x(a, b) and its complement for x / (1 - x) = u v / w of positive finite numbers, of any size. */
MA_SP_APART void ma_sp_beta_of_quotient(double a, double b, double u, double v, double w, double eps, double *p,
                                        double *q) {
  double r = u * v, l = log(u) + log(v) - log(w);
  /* The first term of the series at the nearer end is enough. */
  if ((l < -600 && b < 1e200) || (l > 600 && a < 1e200)) {
    double c = l < 0 ? a : b, rest = -c * fabs(l) - ma_sp_betaln(a, b) - log(c);
    double near = exp(rest), other = -expm1(rest);
    *p = l < 0 ? near : other;
    *q = l < 0 ? other : near;
    return;
  }
  int far = !(r > 1e-290 && r < 1e290 && w < 1e290 && w > 1e-290); /* then r is r / w, and w is 1 */
  r = far ? (u > v ? u / w * v : v / w * u) : r;
  w = far ? 1 : w;
  double x = r / (w + r), y = w / (w + r);
  ma_sp_beta_parts(a, b, x, y, ma_sp_beta_prefix(a, b, x, y), eps, p, q);
}

/* The F distribution: with infinitely many degrees of freedom on one side it is one of chi square. */
MA_SP_APART double ma_sp_f_side(double m, double n, double x, int upper, double eps) {
  double p, q;
  if (!(m > 0 && n > 0 && x >= 0)) return MA_SP_NAN;
  if (x == 0) return upper;
  if (!ma_sp_finite(x)) return !upper;
  if (!ma_sp_finite(m) && !ma_sp_finite(n)) return x == 1 ? 0.5 : (x > 1) != upper;
  if (!ma_sp_finite(n))
    return upper ? ma_sp_gammaincc(0.5 * m, 0.5 * m * x, eps) : ma_sp_gammainc(0.5 * m, 0.5 * m * x, eps);
  if (!ma_sp_finite(m))
    return upper ? ma_sp_gammainc(0.5 * n, 0.5 * n / x, eps) : ma_sp_gammaincc(0.5 * n, 0.5 * n / x, eps);
  ma_sp_beta_of_quotient(0.5 * m, 0.5 * n, m, x, n, eps, &p, &q);
  return upper ? q : p;
}
MA_SP double ma_sp_fdtr(double m, double n, double x, double eps) { return ma_sp_f_side(m, n, x, 0, eps); }
MA_SP double ma_sp_fdtrc(double m, double n, double x, double eps) { return ma_sp_f_side(m, n, x, 1, eps); }
MA_SP double ma_sp_fdtri(double m, double n, double p, double eps) {
  double r = ma_sp_betaincinv_ratio(0.5 * m, 0.5 * n, p, eps);
  return r == 0 ? 0 : n / m * r;
}
MA_SP double ma_sp_stdtr(double v, double t, double eps) {
  double p, q;
  if (!(v > 0) || t != t) return MA_SP_NAN;
  if (!ma_sp_finite(t)) return t > 0 ? 1 : 0;
  if (t == 0) return 0.5;
  if (v > 1e100) return 0.5 * erfc(-t * 0.70710678118654752440);
  ma_sp_beta_of_quotient(0.5, 0.5 * v, fabs(t), fabs(t), v, eps, &p, &q);
  return t > 0 ? 1 - 0.5 * q : 0.5 * q;
}
