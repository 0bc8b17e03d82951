/*
** draws.h: distributions of random.def for which each element has words of its own, in double, as C11 and as CUDA C++.
** Each is ma_draw_<name>(job, s, a, b, c) with up to three parameters; a parameter out of range gives NaN. A rejection
** continues with the next attempt, so an element depends on no other. Methods: Marsaglia and Tsang (gamma), Best and
** Fisher (von Mises), Hoermann (Poisson, binomial), Stadlober (hypergeometric), Kemp (log series), Devroye (Zipf).
*/
#ifndef MOONARRAY_DRAWS_H
#define MOONARRAY_DRAWS_H

#include "random.h"

#define MA_PI 3.14159265358979323846
#define MA_NAN (ma_from_bits8(0x7ff8000000000000u))

#include "draws/functions.h"

/* ==== One element's words ======================================================================================== */

typedef struct ma_draws {
  uint64_t key, block;
  uint32_t attempt, draw;
  ma_words words;
  int left;   /* the second half of `words` is unused */
  int spared; /* `spare` holds a normal number */
  double spare;
  ma_words first;     /* of the first attempt, which are made for many elements at once */
#ifdef MA_FIRST_WORDS /* the CPU does more so */
  ma_words second;
  int normals; /* `normal` has the normal numbers of these words */
  double normal[2];
  int once;   /* see below; `second` has the words of the next attempt, and `next_normal` their normal numbers */
  int failed; /* the draw must be repeated without `once` */
  double next_normal[2];
#endif
} ma_draws;

/* Gamma numbers that are tried once, without branches: for a shape above, of or below 1. */
#define MA_ABOVE 1
#define MA_ONE 2
#define MA_BELOW 3
#ifdef MA_FIRST_WORDS
#define MA_ONCE(s) (s)->once
#define MA_FAILS(s, condition) (s)->failed |= (condition)
#else
#define MA_ONCE(s) 0
#define MA_FAILS(s, condition) (void)0
#endif
#define MA_WANTS(s, condition)               \
  if (MA_ONCE(s)) MA_FAILS(s, !(condition)); \
  else if (!(condition)) return MA_NAN;

MA_FN ma_draws ma_draws_of(const ma_random_job *job, uint64_t element) {
  ma_draws s;
  s.key = job->key;
  s.block = element;
  s.attempt = 0;
  s.draw = job->draw;
  s.left = s.spared = 0;
  s.spare = 0;
  s.words.x = s.words.y = s.words.z = s.words.w = 0;
  s.first = s.words;
#ifdef MA_FIRST_WORDS
  s.second = s.words;
  s.normals = s.once = s.failed = 0;
  s.normal[0] = s.normal[1] = s.next_normal[0] = s.next_normal[1] = 0;
#endif
  return s;
}

MA_FN ma_words ma_next_words(ma_draws *s) {
  if (s->attempt == 0) {
    s->attempt = 1;
    return s->first;
  }
#ifdef MA_FIRST_WORDS
  if (s->once) {
    s->failed |= s->attempt++ > 1;
    return s->second;
  }
#endif
  return ma_philox_far(s->key, s->block, s->attempt++, s->draw);
}

/* In [0, 1). */
MA_FN double ma_next(ma_draws *s) {
  if (s->left) {
    s->left = 0;
    return ma_uniform_d(s->words.z, s->words.w);
  }
  s->words = ma_next_words(s);
  s->left = 1;
  return ma_uniform_d(s->words.x, s->words.y);
}

MA_FN double ma_next_open(ma_draws *s) { return ma_next(s) + 0x1p-54; } /* in (0, 1] */

MA_FAR ma_c128 ma_normals_far(ma_words w) {
  ma_c128 two;
  ma_normals_d(w, &two.re, &two.im);
  return two;
}

MA_FN double ma_next_normal(ma_draws *s) {
  if (s->spared) {
    s->spared = 0;
    return s->spare;
  }
#ifdef MA_FIRST_WORDS
  if (s->attempt == 0 && s->normals) {
    s->attempt = 1;
    s->spare = s->normal[1];
    s->spared = 1;
    return s->normal[0];
  }
  if (s->once) {
    s->failed |= s->attempt++ > 1;
    s->spare = s->next_normal[1];
    s->spared = 1;
    return s->next_normal[0];
  }
#endif
  ma_c128 two = ma_normals_far(ma_next_words(s));
  s->spare = two.im;
  s->spared = 1;
  return two.re;
}

MA_FN double ma_next_exponential(ma_draws *s) { return -ma_log_d(1 - ma_next(s)); }

#ifdef MA_FIRST_WORDS
MA_FN double ma_try_gamma(ma_draws *s, double shape) {
  double boost = 1;
  if (s->once == MA_ONE) {
    s->failed |= shape != 1;
    return ma_next_exponential(s);
  }
  s->failed |= s->once == MA_ABOVE ? !(shape > 1) : !((shape > 0) & (shape < 1));
  if (s->once == MA_BELOW) {
    boost = ma_plain_exp(ma_plain_log(ma_next_open(s)) / shape);
    shape = shape + 1;
  }
  double d = shape - 1.0 / 3, c = 1 / ma_sqrt(9 * d), x = ma_next_normal(s), v = 1 + c * x, u = ma_next_open(s);
  s->failed |= !((v > 0) & (u < 1 - 0.0331 * (x * x) * (x * x)));
  return boost * (d * (v * v * v));
}
#endif

MA_FN double ma_next_gamma(ma_draws *s, double shape) {
#ifdef MA_FIRST_WORDS
  if (s->once) return ma_try_gamma(s, shape);
#endif
  if (!(shape >= 0)) return MA_NAN;
  if (shape == 0) return 0;
  if (shape == 1) return ma_next_exponential(s);
  double boost = 1;
  if (shape < 1) {
    boost = ma_own_exp(ma_own_log(ma_next_open(s)) / shape);
    shape = shape + 1;
  }
  double d = shape - 1.0 / 3, c = 1 / ma_sqrt(9 * d);
  for (;;) {
    double x = ma_next_normal(s), v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    double u = ma_next_open(s);
    if (u < 1 - 0.0331 * (x * x) * (x * x) || ma_own_log(u) < 0.5 * x * x + d * (1 - v + ma_own_log(v)))
      return boost * (d * v);
  }
}

/* ==== Counts ===================================================================================================== */

/* Poisson numbers of a mean: below 10 by the product of uniform numbers that falls to exp(-mean), else by Hoermann's
** rejection. An attempt takes two uniform numbers. */
typedef struct ma_poisson {
  double lam, limit, product, count; /* below 10 */
  double a, b, vr;                   /* else */
} ma_poisson;

/* An attempt, and what it takes to test it. */
typedef struct ma_poisson_attempt {
  double k, us, v;
} ma_poisson_attempt;

enum { MA_REFUSED, MA_TAKEN, MA_UNSURE };

MA_FN ma_poisson ma_poisson_of(double lam) {
  ma_poisson p = { lam, 0, 1, 0, 0, 0, 0 };
  if (lam < 10) {
    p.limit = ma_own_exp(-lam);
    return p;
  }
  p.b = 0.931 + 2.53 * ma_sqrt(lam);
  p.a = -0.059 + 0.02483 * p.b;
  p.vr = 0.9277 - 3.6224 / (p.b - 2);
  return p;
}

MA_FN int ma_poisson_try(ma_poisson *p, double first, double second, ma_poisson_attempt *t) {
  if (p->lam < 10) {
    t->k = p->count;
    p->product = p->product * first;
    if (!(p->product > p->limit)) return MA_TAKEN;
    t->k = p->count + 1;
    p->product = p->product * second;
    p->count = p->count + 2;
    return p->product > p->limit ? MA_REFUSED : MA_TAKEN;
  }
  double u = first - 0.5;
  t->v = second + 0x1p-54;
  t->us = 0.5 - ma_absolute(u);
  t->k = ma_floor((2 * p->a / t->us + p->b) * u + p->lam + 0.43);
  if (t->us >= 0.07 && t->v <= p->vr) return MA_TAKEN;
  return !(t->k >= 0) || t->us <= 0 || (t->us < 0.013 && t->v > t->us) ? MA_REFUSED : MA_UNSURE;
}

MA_FN int ma_poisson_test(const ma_poisson *p, const ma_poisson_attempt *t) {
  double inverse = 1.1239 + 1.1328 / (p->b - 3.4);
  return ma_log_far(t->v) + ma_log_far(inverse) - ma_log_far(p->a / (t->us * t->us) + p->b) <=
         t->k * ma_log_far(p->lam) - p->lam - ma_own_loggamma(t->k + 1);
}

MA_FAR double ma_next_poisson(ma_draws *s, double lam) {
  if (!(lam >= 0)) return MA_NAN;
  if (lam == 0) return 0;
  ma_poisson p = ma_poisson_of(lam);
  ma_poisson_attempt t;
  if (lam < 10) {
    do {
      p.product = p.product * ma_next(s);
      p.count = p.count + 1;
    } while (p.product > p.limit);
    return p.count - 1;
  }
  for (;;) {
    double first = ma_next(s);
    int judged = ma_poisson_try(&p, first, ma_next(s), &t);
    if (judged == MA_TAKEN || (judged == MA_UNSURE && ma_poisson_test(&p, &t))) return t.k;
  }
}

MA_FN double ma_binomial_bound(double n, double p) {
  double bound = n * p + 10 * ma_sqrt(n * p * (1 - p) + 1);
  return bound > n ? n : bound;
}

MA_FN double ma_binomial_small(ma_draws *s, double n, double p) {
  double q = 1 - p, first = ma_own_exp(n * ma_own_log1p(-p)), bound = ma_binomial_bound(n, p);
  for (;;) {
    double u = ma_next(s), term = first, k = 0;
    while (u > term && k <= bound) {
      k = k + 1;
      u = u - term;
      term = (n - k + 1) * p * term / (k * q);
    }
    if (k <= bound) return k;
  }
}

MA_FN double ma_binomial_large(ma_draws *s, double n, double p) {
  double spq = ma_sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * spq, a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5;
  double vr = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * spq, lpq = ma_own_log(p / (1 - p)), m = ma_floor((n + 1) * p);
  double h = ma_own_loggamma(m + 1) + ma_own_loggamma(n - m + 1);
  for (;;) {
    double u = ma_next(s) - 0.5, v = ma_next_open(s), us = 0.5 - ma_absolute(u), k = ma_floor((2 * a / us + b) * u + c);
    if (!(k >= 0 && k <= n)) continue;
    if (us >= 0.07 && v <= vr) return k;
    v = ma_own_log(v * alpha / (a / (us * us) + b));
    if (v <= h - ma_own_loggamma(k + 1) - ma_own_loggamma(n - k + 1) + (k - m) * lpq) return k;
  }
}

MA_FN double ma_draw_binomial(const ma_random_job *job, ma_draws *s, double n, double p, double c) {
  if (!(n >= 0 && n <= 9.2e18 && p >= 0 && p <= 1)) return MA_NAN;
  if (n == 0 || p == 0) return 0;
  if (p == 1) return n;
  double small = p <= 0.5 ? p : 1 - p,
         k = n * small < 10 ? ma_binomial_small(s, n, small) : ma_binomial_large(s, n, small);
  return p <= 0.5 ? k : n - k;
}

MA_FN double ma_draw_poisson(const ma_random_job *job, ma_draws *s, double lam, double b, double c) {
  if (!(lam > 0 && lam < 10)) return ma_next_poisson(s, lam);
  /* The same product in registers. No word of this draw was used before, and none will be after. */
  ma_poisson p = ma_poisson_of(lam);
  ma_poisson_attempt t;
  ma_words w = s->first;
  for (uint32_t attempt = 1; !ma_poisson_try(&p, ma_uniform_d(w.x, w.y), ma_uniform_d(w.z, w.w), &t); attempt++)
    w = ma_philox(s->key, s->block, attempt, s->draw);
  return t.k;
}

MA_FN double ma_draw_negative_binomial(const ma_random_job *job, ma_draws *s, double n, double p, double c) {
  if (!(n > 0 && p > 0 && p <= 1)) return MA_NAN;
  return p == 1 ? 0 : ma_next_poisson(s, ma_next_gamma(s, n) * ((1 - p) / p));
}

MA_FN double ma_draw_geometric(const ma_random_job *job, ma_draws *s, double p, double b, double c) {
  double k = ma_ceil(ma_next_exponential(s) / -ma_plain_log1p(-p));
  return ma_choose((p > 0) & (p <= 1), ma_choose((k < 1) | (p == 1), 1, k), MA_NAN);
}

MA_FN double ma_hypergeometric_weight(double z, double less, double more, double m) {
  return ma_own_loggamma(z + 1) + ma_own_loggamma(less - z + 1) + ma_own_loggamma(m - z + 1) +
         ma_own_loggamma(more - m + z + 1);
}

/* A small sample is drawn one element after the other, a large one by a ratio of uniforms. */
MA_FN double ma_draw_hypergeometric(const ma_random_job *job, ma_draws *s, double good, double bad, double sample) {
  double all = good + bad;
  if (!(good >= 0 && good <= 999999999 && bad >= 0 && bad <= 999999999 && sample >= 0 && sample <= all)) return MA_NAN;
  if (sample == 0 || good == 0) return 0;
  if (bad == 0) return sample;
  double less = good < bad ? good : bad, more = good < bad ? bad : good,
         m = sample < all - sample ? sample : all - sample, z;
  if (m <= 10) {
    double rest = all, wanted = less;
    for (double k = 0; k < m; k = k + 1, rest = rest - 1)
      if (ma_next(s) * rest < wanted) wanted = wanted - 1;
    z = less - wanted;
  } else {
    double p = less / all, middle = m * p + 0.5,
           width = 1.7155277699214135 * ma_sqrt((all - m) * m * p * (1 - p) / (all - 1) + 0.5) + 0.8989161620588988;
    double mode = ma_floor((m + 1) * (less + 1) / (all + 2)), weight = ma_hypergeometric_weight(mode, less, more, m);
    double most = (m < less ? m : less) + 1, far = ma_floor(middle + 16 * width);
    if (far < most) most = far;
    for (;;) {
      double x = ma_next_open(s), y = ma_next(s), w = middle + width * (y - 0.5) / x;
      if (w < 0 || w >= most) continue;
      z = ma_floor(w);
      double t = weight - ma_hypergeometric_weight(z, less, more, m);
      if (x * (4 - x) - 3 <= t) break;
      if (x * (x - t) >= 1) continue;
      if (2 * ma_own_log(x) <= t) break;
    }
  }
  if (good > bad) z = m - z;
  return m < sample ? good - z : z;
}

MA_FN double ma_draw_logseries(const ma_random_job *job, ma_draws *s, double p, double b, double c) {
  if (!(p >= 0 && p < 1)) return MA_NAN;
  double r = ma_own_log1p(-p);
  for (;;) {
    double v = ma_next_open(s);
    if (v >= p) return 1;
    double q = -ma_own_expm1(r * ma_next(s));
    if (v <= q * q) {
      double k = ma_floor(1 + ma_own_log(v) / ma_own_log(q));
      if (!(k >= 1)) continue;
      return k;
    }
    return v >= q ? 1 : 2;
  }
}

/* A parameter near 1 makes almost all values of the envelope exceed 2^63. So u is drawn from the part below that, as
** its distance from 1. */
MA_FN double ma_zipf_near_one(ma_draws *s, double less) {
  double room = -ma_own_expm1(-less * 43.668272375276554), base = ma_own_expm1(less * 6.93147180559945309417e-01);
  for (;;) {
    double d = room * ma_next(s), v = ma_next(s), x = ma_floor(ma_own_exp(-ma_own_log1p(-d) / less));
    if (!(x >= 1 && x < 0x1p63)) continue;
    double t = ma_own_expm1(less * ma_own_log1p(1 / x));
    if (v * x * t / base <= (t + 1) / (base + 1)) return x;
  }
}

MA_FN double ma_draw_zipf(const ma_random_job *job, ma_draws *s, double a, double b, double c) {
  if (!(a > 1)) return MA_NAN;
  if (a >= 1025) return 1;
  double less = a - 1, base = ma_own_exp(less * 6.93147180559945309417e-01);
  if (less < 0.01) return ma_zipf_near_one(s, less);
  for (;;) {
    double u = 1 - ma_next(s), v = ma_next(s), x = ma_floor(ma_own_exp(-ma_own_log(u) / less));
    if (!(x >= 1 && x < 0x1p63)) continue;
    double t = ma_own_exp(less * ma_own_log1p(1 / x));
    if (v * x * (t - 1) / (base - 1) <= t / base) return x;
  }
}

/* ==== Continuous ================================================================================================= */

#define MA_DRAW(name) MA_FN double ma_draw_##name(const ma_random_job *job, ma_draws *s, double a, double b, double c)
#define MA_SCALE(x) \
  if (!((x) >= 0)) return MA_NAN;

MA_DRAW(standard_exponential)
{ return ma_next_exponential(s); }
MA_DRAW(exponential)
{ MA_SCALE(a) return a * ma_next_exponential(s); }
MA_DRAW(standard_gamma)
{ return ma_next_gamma(s, a); }
MA_DRAW(gamma)
{ MA_WANTS(s, b >= 0) return b * ma_next_gamma(s, a); }
MA_DRAW(chisquare)
{ MA_WANTS(s, a > 0) return 2 * ma_next_gamma(s, a / 2); }

MA_DRAW(beta)
{
  MA_WANTS(s, (a > 0) & (b > 0))
  if (MA_ONCE(s) || a > 1 || b > 1) {
    double x = ma_next_gamma(s, a), y = ma_next_gamma(s, b);
    return x / (x + y);
  }
  /* The logarithms below would not be finite. */
  if (a < 1e-290 && b < 1e-290) return ma_next(s) < a / (a + b) ? 1 : 0;
  for (;;) { /* Johnk's method with logarithms, because both powers may underflow */
    double u = ma_own_log(ma_next_open(s)) / a, v = ma_own_log(ma_next_open(s)) / b, most = u > v ? u : v;
    double x = ma_own_exp(u - most), y = ma_own_exp(v - most);
    if (most + ma_own_log(x + y) <= 0) return x / (x + y);
  }
}

MA_FN double ma_next_noncentral(ma_draws *s, double df, double nonc) {
  MA_WANTS(s, (df > 0) & (nonc >= 0))
  MA_FAILS(s, !((df > 1) & (nonc > 0)));
  if (!MA_ONCE(s) && nonc == 0) return 2 * ma_next_gamma(s, df / 2);
  if (MA_ONCE(s) || df > 1) {
    double chi = 2 * ma_next_gamma(s, (df - 1) / 2), x = ma_next_normal(s) + ma_sqrt(nonc);
    return chi + x * x;
  }
  return 2 * ma_next_gamma(s, df / 2 + ma_next_poisson(s, nonc / 2));
}

MA_DRAW(noncentral_chisquare)
{ return ma_next_noncentral(s, a, b); }

MA_DRAW(f)
{
  MA_WANTS(s, (a > 0) & (b > 0))
  double x = ma_next_gamma(s, a / 2), y = ma_next_gamma(s, b / 2);
  return x * b / (y * a);
}

MA_DRAW(noncentral_f)
{
  MA_WANTS(s, b > 0)
  double x = ma_next_noncentral(s, a, c), y = 2 * ma_next_gamma(s, b / 2);
  return x * b / (y * a);
}

MA_DRAW(standard_t)
{
  MA_WANTS(s, a > 0)
  double x = ma_next_normal(s);
  return x * ma_sqrt(a / 2) / ma_sqrt(ma_next_gamma(s, a / 2));
}

MA_DRAW(standard_cauchy)
{
  double x = ma_next_normal(s);
  return x / ma_next_normal(s);
}

MA_DRAW(laplace)
{
  MA_SCALE(b)
  double u = ma_next_open(s);
  return u > 0.5 ? a - b * ma_plain_log(2 - (u + u)) : a + b * ma_plain_log(u + u);
}

MA_DRAW(logistic)
{
  MA_SCALE(b)
  double u = ma_next_open(s);
  return a + b * (ma_plain_log(u) - ma_plain_log1p(-u));
}

MA_DRAW(lognormal)
{ MA_SCALE(b) return ma_plain_exp(a + b * ma_next_normal(s)); }
MA_DRAW(gumbel)
{ MA_SCALE(b) return a - b * ma_plain_log(-ma_plain_log(ma_next_open(s))); }
MA_DRAW(weibull)
{ MA_SCALE(a) return ma_choose(a == 0, 0, ma_plain_pow(ma_next_exponential(s), 1 / a)); }
MA_DRAW(pareto)
{ return ma_choose(a > 0, ma_plain_expm1(ma_next_exponential(s) / a), MA_NAN); }
MA_DRAW(power)
{ return ma_choose(a > 0, ma_plain_pow(-ma_plain_expm1(-ma_next_exponential(s)), 1 / a), MA_NAN); }
MA_DRAW(rayleigh)
{ MA_SCALE(a) return a * ma_sqrt(2 * ma_next_exponential(s)); }

MA_DRAW(wald)
{
  if (!(a > 0 && b > 0)) return MA_NAN;
  double z = ma_next_normal(s), y = a * z * z, ratio = a / (2 * b), x = a + ratio * (y - ma_sqrt(4 * b * y + y * y));
  return ma_next(s) <= a / (a + x) ? x : a * a / x;
}

MA_DRAW(triangular)
{
  if (!(a <= b && b <= c && a < c)) return MA_NAN;
  double base = c - a, left = b - a, u = ma_next(s);
  double x = u <= left / base ? a + ma_sqrt(u * left * base) : c - ma_sqrt((1 - u) * (c - b) * base);
  return x < c ? x : c; /* rounding of a + (c - a) may exceed c */
}

/* An angle in [-pi, pi]. */
MA_DRAW(vonmises)
{
  double turn, f, sign;
  MA_SCALE(b)
  if (b < 1e-8) turn = MA_PI * (2 * ma_next(s) - 1);
  else if (b > 1e6) turn = ma_next_normal(s) / ma_sqrt(b);
  else {
    double r = 1 + ma_sqrt(1 + 4 * b * b), rho = (r - ma_sqrt(2 * r)) / (2 * b),
           t = b < 1e-5 ? 1 / b + b : (1 + rho * rho) / (2 * rho);
    for (;;) {
      double u = MA_PI * ma_next(s), v = ma_next_open(s), z, y;
      z = u <= MA_PI / 4 ? ma_cos_d(u) : u <= 3 * MA_PI / 4 ? -ma_sin_d(u - MA_PI / 2) : -ma_cos_d(MA_PI - u);
      f = (1 + t * z) / (t + z);
      y = b * (t - f);
      if (y * (2 - y) - v >= 0 || ma_own_log(y / v) + 1 - y >= 0) break;
    }
    f = f > 1 ? 1 : f < -1 ? -1 : f;
    sign = ma_next(s) < 0.5 ? -1 : 1;
    turn = sign * (f == -1 ? MA_PI : 2 * ma_own_arctan(ma_sqrt((1 - f) / (1 + f))));
  }
  turn = turn + a;
  return turn - 2 * MA_PI * ma_rint(turn / (2 * MA_PI));
}

/* ==== Integers ==================================================================================================== */

/* One of the integers a .. a + b, as the bits of 64-bit integers, which a and b are too. It uses the word as
** ma_bounded64 does. */
MA_DRAW(between)
{
  uint64_t span = ma_bits8(b) + 1, word = ma_word64(ma_next_words(s), 0), threshold;
  if (span == 0) return ma_from_bits8(ma_bits8(a) + word);
  if (word * span < span) {
    threshold = (0 - span) % span;
    while (word * span < threshold && s->attempt < MA_RANDOM_ATTEMPTS) word = ma_word64(ma_next_words(s), 0);
  }
  return ma_from_bits8(ma_bits8(a) + ma_high64(word, span));
}

/* ==== Positions ================================================================================================== */

/* A bijection of 0 .. 2^bits - 1 by a Feistel network whose halves are mixed as in Philox (Mitchell, Stokes, Frank
** and Holmes: Bandwidth-optimal random shuffling for GPUs). A result that is not below count is mapped again until
** it is. */
MA_DRAW(permutation)
{
  uint64_t v = s->block;
  uint32_t left_bits = job->bits / 2, right_bits = job->bits - left_bits, left_mask = (1u << left_bits) - 1,
           right_mask = (1u << right_bits) - 1;
  do {
    uint32_t left = (uint32_t)(v >> right_bits), right = (uint32_t)v & right_mask;
    for (int k = 0; k < MA_RANDOM_ROUNDS; k++) {
      uint64_t m = 0xD2B74407B1CE6E93u * (uint64_t)left;
      uint32_t low = (uint32_t)m << (right_bits - left_bits) | right >> left_bits;
      left = ((uint32_t)(m >> 32) ^ job->round[k] ^ right) & left_mask;
      right = low & right_mask;
    }
    v = (uint64_t)left << right_bits | right;
  } while (v >= (uint64_t)job->count);
  return (double)(v + 1);
}

/* The 1-based position of the first entry of the table above a uniform number of its range. */
MA_DRAW(choice)
{
  double u = ma_next(s) * job->table[job->count - 1];
  int64_t low = 0;
  for (int64_t left = job->count; left > 1; left -= left / 2) /* as many steps for every element */
    low += job->table[low + left / 2 - 1] > u ? 0 : left / 2;
  return (double)(low + 1);
}

#endif
