/*
** elementary.h: functions of exponentials, logarithms and degrees; entropies and losses. They are closed forms,
** arranged so that nothing cancels.
*/
MA_SP double ma_sp_expit(double x) {
  if (x < -700) return exp(x);
  return 1 / (1 + exp(-x));
}
MA_SP float ma_sp_expit_f4(float x) { return x < -80.0f ? expf(x) : 1.0f / (1.0f + expf(-x)); }
MA_SP double ma_sp_log_expit(double x) { return x < 0 ? x - log1p(exp(x)) : -log1p(exp(-x)); }
/* log(p / (1 - p)). Near 1/2 the quotient is near 1, so its difference from 1 goes to log1p. */
MA_SP double ma_sp_logit(double p) {
  if (p < 0.3 || p > 0.65) return log(p / (1 - p));
  double s = 2 * (p - 0.5);
  return log1p(s) - log1p(-s);
}
MA_SP double ma_sp_exprel(double x) {
  if (fabs(x) < 1e-16) return 1;
  if (x > 717) return MA_SP_INF;
  if (x > 700) return exp(x - 20) / x * exp(20.0); /* exp(x) overflows before the quotient */
  return expm1(x) / x;
}
MA_SP double ma_sp_exp10(double x) { return pow(10.0, x); }

MA_SP double ma_sp_xlogy(double x, double y) { return x == 0 && y == y ? 0 : x * log(y); }
MA_SP double ma_sp_xlog1py(double x, double y) { return x == 0 && y == y ? 0 : x * log1p(y); }

/* ==== Box and Cox's transformation ================================================================================ */

MA_SP double ma_sp_boxcox_of_log(double l, double lambda) {
  if (fabs(lambda) < 1e-19) return l;
  return lambda * l == 0 ? l : expm1(lambda * l) / lambda;
}
MA_SP double ma_sp_boxcox(double x, double lambda) { return ma_sp_boxcox_of_log(log(x), lambda); }
MA_SP double ma_sp_boxcox1p(double x, double lambda) { return ma_sp_boxcox_of_log(log1p(x), lambda); }
/* log(1 + lambda x) / lambda */
MA_SP double ma_sp_inv_boxcox_log(double x, double lambda) {
  double u = lambda * x;
  if (lambda == 0 || fabs(u) < 1e-154) return x;
  return (u < MA_SP_INF ? log1p(u) : log(fabs(lambda)) + log(fabs(x))) / lambda;
}
MA_SP double ma_sp_inv_boxcox(double x, double lambda) { return exp(ma_sp_inv_boxcox_log(x, lambda)); }
MA_SP double ma_sp_inv_boxcox1p(double x, double lambda) { return expm1(ma_sp_inv_boxcox_log(x, lambda)); }

/* ==== Degrees ===================================================================================================== */

MA_SP double ma_sp_cosm1(double x) {
  double s = sin(0.5 * x);
  return -2 * s * s;
}
/* The sine of r degrees for 0 <= r <= 90, from the nearer end. */
MA_SP double ma_sp_sine_of(double r) { return r > 45 ? cos((90 - r) * (MA_SP_PI / 180)) : sin(r * (MA_SP_PI / 180)); }
MA_SP double ma_sp_sindg(double x) {
  if (!ma_sp_finite(x)) return MA_SP_NAN;
  double r = fmod(fabs(x), 360), s = x < 0 ? -1 : 1;
  if (r >= 180) {
    r -= 180;
    s = -s;
  }
  return s * ma_sp_sine_of(r > 90 ? 180 - r : r);
}
MA_SP double ma_sp_cosdg(double x) {
  if (!ma_sp_finite(x)) return MA_SP_NAN;
  double r = fmod(fabs(x), 360);
  if (r > 180) r = 360 - r;
  return r > 90 ? -ma_sp_sine_of(r - 90) : ma_sp_sine_of(90 - r);
}
/* tan of 0 <= r < 180 degrees, and cot if `over`. */
MA_SP double ma_sp_tangent_of(double x, int over) {
  if (!ma_sp_finite(x)) return MA_SP_NAN;
  double r = fmod(fabs(x), 180), s = x < 0 ? -1 : 1;
  if (r > 90) {
    r = 180 - r;
    s = -s;
  }
  if (r == 0) return over ? MA_SP_INF : 0;
  if (r == 45) return s;
  if (r == 90) return over ? 0 : MA_SP_INF;
  double t = tan((r > 45 ? 90 - r : r) * (MA_SP_PI / 180)); /* from the nearer end */
  return (r > 45) == over ? s * t : s / t;
}
MA_SP double ma_sp_tandg(double x) { return ma_sp_tangent_of(x, 0); }
MA_SP double ma_sp_cotdg(double x) { return ma_sp_tangent_of(x, 1); }
MA_SP double ma_sp_radian(double d, double m, double s) {
  if (fabs(d) > 1e300) return d * (MA_SP_PI / 180);
  return ((s + (m + d * 60) * 60) * 4.84813681109535993590e-6);
}

/* ==== Entropies and losses ======================================================================================== */

MA_SP double ma_sp_entr(double x) { return x > 0 ? -x * log(x) : x == 0 ? 0 : x != x ? x : -MA_SP_INF; }
/* x log(x / y) where the quotient may be too large or too small for a double. */
MA_SP double ma_sp_xlog_ratio(double x, double y) {
  double r = x / y;
  return x * (r > 1e-300 && r < 1e300 ? log(r) : log(x) - log(y));
}
MA_SP double ma_sp_rel_entr(double x, double y) {
  if (x != x || y != y) return MA_SP_NAN;
  if (x > 0 && y > 0) return ma_sp_xlog_ratio(x, y);
  return x == 0 && y >= 0 ? 0 : MA_SP_INF;
}
MA_SP double ma_sp_kl_div(double x, double y) {
  if (x != x || y != y) return MA_SP_NAN;
  if (x > 0 && y > 0) {
    double d = (y - x) / x;
    return fabs(d) < 0.5 ? -x * ma_sp_log1pmx(d) : ma_sp_xlog_ratio(x, y) - x + y;
  }
  return x == 0 && y >= 0 ? y : MA_SP_INF;
}
MA_SP double ma_sp_huber(double delta, double r) {
  if (delta < 0) return MA_SP_INF;
  return fabs(r) <= delta ? 0.5 * r * r : delta * (fabs(r) - 0.5 * delta);
}
MA_SP double ma_sp_pseudo_huber(double delta, double r) {
  if (delta < 0) return MA_SP_INF;
  if (delta == 0 || r == 0) return r != r ? r : 0;
  double v = r / delta;
  if (fabs(v) > 1e8) return delta * (fabs(r) - delta);
  return r * (r / (1 + sqrt(1 + v * v)));
}

/* ==== In float ==================================================================================================== */

MA_SP float ma_sp_log_expit_f4(float x) {
  float l = log1pf(expf(-fabsf(x)));
  return x < 0 ? x - l : -l;
}
/* exp10, computed in double, so that powers of whole x are exact. */
MA_SP float ma_sp_exp10_f4(float x) { return (float)exp(2.302585092994045684 * x); }
/* log(p / (1 - p)). The rounding of 1 - p does no more harm than a rounding of p. */
MA_SP float ma_sp_logit_f4(float p) { return logf(p / (1.0f - p)); }
MA_SP float ma_sp_exprel_f4(float x) {
  if (!(x < 88.0f)) return x < 100.0f ? expf(x - 20.0f) / x * 485165195.0f : x + (float)MA_SP_INF;
  return x == 0 ? 1.0f : expm1f(x) / x;
}
MA_SP float ma_sp_xlogy_f4(float x, float y) { return x == 0 && y == y ? 0 : x * logf(y); }
MA_SP float ma_sp_xlog1py_f4(float x, float y) { return x == 0 && y == y ? 0 : x * log1pf(y); }
MA_SP float ma_sp_entr_f4(float x) { return x > 0 ? -x * logf(x) : x == 0 ? 0 : x != x ? x : -(float)MA_SP_INF; }
MA_SP float ma_sp_rel_entr_f4(float x, float y) {
  if (x != x || y != y) return (float)MA_SP_NAN;
  if (!(x > 0 && y > 0)) return x == 0 && y >= 0 ? 0 : (float)MA_SP_INF;
  float r = x / y;
  return x * (r > 1e-35f && r < 1e35f ? logf(r) : logf(x) - logf(y));
}
MA_SP float ma_sp_huber_f4(float delta, float r) {
  if (delta < 0) return (float)MA_SP_INF;
  return fabsf(r) <= delta ? 0.5f * r * r : delta * (fabsf(r) - 0.5f * delta);
}
