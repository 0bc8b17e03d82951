/*
** gammainc.h: the incomplete gamma functions and their inverses, and the distributions of gamma, chi square and
** Poisson. As in Boost (gamma_incomplete) after A. R. DiDonato and A. H. Morris ("Computation of the incomplete gamma
** function ratios and their inverse", 1986): the power series, Legendre's continued fraction, N. M. Temme's uniform
** expansion for large a near x, and a series of the complement for small arguments. `eps` is the relative error at
** which series end: ma_sp_eps(x).
*/
/* Coefficients of Temme's expansion, 16 for each power of 1 / a. */
MA_SP_TABLE double ma_sp_temme[128] = {
  -0.3333333333333333,     0.08333333333333333,     -0.014814814814814815,   0.0011574074074074073,
  0.0003527336860670194,   -0.0001787551440329218,  3.919263178522438e-05,   -2.1854485106799924e-06,
  -1.85406221071516e-06,   8.296711340953087e-07,   -1.7665952736826078e-07, 6.707853543401498e-09,
  1.0261809784240309e-08,  -4.382036018453353e-09,  9.14769958223679e-10,    -2.551419399494625e-11,
  -0.001851851851851852,   -0.003472222222222222,   0.0026455026455026454,   -0.0009902263374485596,
  0.00020576131687242798,  -4.018775720164609e-07,  -1.8098550334489977e-05, 7.64916091608111e-06,
  -1.6120900894563446e-06, 4.647127802807434e-09,   1.378633446915721e-07,   -5.752545603517705e-08,
  1.1951628599778148e-08,  -1.7543241719747647e-11, -1.0091543710600413e-09, 4.162792991842583e-10,
  0.004133597883597883,    -0.0026813271604938273,  0.0007716049382716049,   2.0093878600823047e-06,
  -0.00010736653226365161, 5.2923448829120125e-05,  -1.2760635188618728e-05, 3.423578734096138e-08,
  1.3721957309062932e-06,  -6.298992138380055e-07,  1.4280614206064242e-07,  -2.0477098421990866e-10,
  -1.409252991086752e-08,  6.228974084922022e-09,   -1.3670488396617112e-09, 9.428356159014678e-13,
  0.0006494341563786008,   0.00022947209362139917,  -0.0004691894943952557,  0.00026772063206283885,
  -7.561801671883977e-05,  -2.396505113867297e-07,  1.1082654115347302e-05,  -5.6749528269915965e-06,
  1.4230900732435883e-06,  -2.7861080291528143e-11, -1.6958404091930278e-07, 8.099464905388083e-08,
  -1.9111168485973655e-08, 2.3928620439808118e-12,  2.0620131815488797e-09,  -9.460496661855133e-10,
  -0.0008618882909167117,  0.0007840392217200666,   -0.0002990724803031902,  -1.4638452578843418e-06,
  6.641498215465122e-05,   -3.968365047179435e-05,  1.1375726970678419e-05,  2.507497226237533e-10,
  -1.6954149536558305e-06, 8.907507532205309e-07,   -2.292934834000805e-07,  2.956794137544049e-11,
  2.8865829742708783e-08,  -1.4189739437803219e-08, 3.4463580499464896e-09,  -2.3024517174528067e-13,
  -0.00033679855336635813, -6.972813758365858e-05,  0.0002772753244959392,   -0.00019932570516188847,
  6.797780477937208e-05,   1.419062920643967e-07,   -1.3594048189768693e-05, 8.018470256334202e-06,
  -2.291481176508095e-06,  -3.252473551298454e-10,  3.4652846491085265e-07,  -1.8447187191171344e-07,
  4.8240967037894184e-08,  -1.7989466721743514e-14, -6.306194500013523e-09,  3.162417628774568e-09,
  0.0005313079364639922,   -0.0005921664373536939,  0.0002708782096718045,   7.902353232660328e-07,
  -8.153969367561969e-05,  5.61168275310625e-05,    -1.8329116582843375e-05, -3.0796134506033047e-09,
  3.465155368803609e-06,   -2.0291327396058603e-06, 5.788792863149004e-07,   2.338630673826657e-13,
  -8.828600746330484e-08,  4.7435958880408125e-08,  -1.2545415020710382e-08, 8.649648858010293e-14,
  0.00034436760689237765,  5.171790908260592e-05,   -0.00033493161081142234, 0.0002812695154763237,
  -0.00010976582244684731, -1.2741009095484485e-07, 2.7744451511563645e-05,  -1.8263488805711332e-05,
  5.7876949497350525e-06,  4.93875893393627e-10,    -1.0595367014026043e-06, 6.166714376110408e-07,
  -1.7562973359060463e-07, -1.297447328701544e-12,  2.695423606288966e-08,   -1.4578352908731272e-08
};
/* x^a exp(-x) / gamma(a + 1) */
MA_SP_APART double ma_sp_gamma_prefix(double a, double x) {
  if (a < 10) {
    if (x < 700) return pow(x, a) * exp(-x) * ma_sp_rgamma(a + 1);
    double half = exp(-0.5 * x); /* exp(-x) is subnormal before the product is */
    return half > 0 ? pow(x, a) * half * ma_sp_rgamma(a + 1) * half : 0;
  }
  double s = 2.50662827463100050242 * sqrt(a) * exp(ma_sp_stirling(a)), mu = (x - a) / a;
  if (fabs(mu) < 0.5) return exp(a * ma_sp_log1pmx(mu)) / s;
  double r = x / a, e = exp(-mu);
  return e > 0 ? pow(r * e, a) / s : 0;
}

/* gammainc(a, x) by its power series. `front` is ma_sp_gamma_prefix(a, x), here and below. */
MA_SP_APART double ma_sp_gamma_series(double a, double x, double front, double eps) {
  double term = 1, sum = 1;
  for (int k = 1; k < 3000 && term > 0.1 * eps * sum; k++) sum += term *= x / (a + k);
  return sum * front;
}

/* gammaincc(a, x) by Legendre's continued fraction. Numerators and denominators are computed by their recurrence, which
** gathers fewer rounding errors than products of quotients. */
MA_SP_APART double ma_sp_gamma_fraction(double a, double x, double front, double eps) {
  if (front == 0) return 0; /* the squares of a large x overflow */
  double y = 1 - a, z = x + y + 1, c = 0, p2 = 1, q2 = x, p1 = x + 1, q1 = z * x, value = p1 / q1;
  for (int k = 0; k < 3000; k++) {
    c += 1;
    y += 1;
    z += 2;
    double t = y * c, p = p1 * z - p2 * t, q = q1 * z - q2 * t, next = p / q;
    /* The test p * q1 against p1 * q would keep NVRTC busy for minutes. */
    int done = fabs(next - value) <= eps * fabs(next);
    value = next;
    if (done) break;
    p2 = p1;
    p1 = p;
    q2 = q1;
    q1 = q;
    if (fabs(p) > 1e100) {
      p2 *= 1e-100;
      p1 *= 1e-100;
      q2 *= 1e-100;
      q1 *= 1e-100;
    }
  }
  return value * a * front;
}

/* gammaincc(a, x) for x up to 1.1 and small a. */
MA_SP_APART double ma_sp_gamma_complement(double a, double x, double eps) {
  double term = 1, sum = 0, l = log(x);
  for (int k = 1; k < 60; k++) {
    term *= -x / k;
    sum += term / (a + k);
    if (fabs(term) < 0.1 * eps * fabs(sum)) break;
  }
  return -expm1(a * l - ma_sp_lgamma1p_of(a)) - a * exp(a * l - ma_sp_lgamma1p_of(a)) * sum;
}

/* Temme's expansion. `side` is 1 for gammaincc and -1 for gammainc. */
MA_SP_APART double ma_sp_gamma_temme(double a, double x, double side) {
  double mu = (x - a) / a, eta = copysign(sqrt(-2 * ma_sp_log1pmx(mu)), mu), sum = 0;
  for (int k = 7; k >= 0; k--) {
    double c = 0;
    for (int n = 15; n >= 0; n--) c = c * eta + ma_sp_temme[16 * k + n];
    sum = sum / a + c;
  }
  return 0.5 * erfc(side * eta * sqrt(0.5 * a)) +
         side * exp(-0.5 * a * eta * eta) * sum / (2.50662827463100050242 * sqrt(a));
}

/* Both sides of positive finite a and x; the smaller one has all its digits. */
MA_SP_APART void ma_sp_gamma_parts(double a, double x, double front, double eps, double *p, double *q) {
  if (a > 200 && fabs(x - a) < 0.3 * a) {
    *p = ma_sp_gamma_temme(a, x, -1);
    *q = ma_sp_gamma_temme(a, x, 1);
  } else if (x <= 0.5 ? -0.4 / log(x) >= a : x <= 1.1 && x * 1.1 >= a) {
    *q = ma_sp_gamma_complement(a, x, eps);
    *p = 1 - *q;
  } else if (x <= 1.1 || x < a) {
    *p = ma_sp_gamma_series(a, x, front, eps);
    *q = 1 - *p;
  } else {
    *q = ma_sp_gamma_fraction(a, x, front, eps);
    *p = 1 - *q;
  }
}

MA_SP double ma_sp_gammainc(double a, double x, double eps) {
  double p, q;
  if (!(a >= 0 && x >= 0)) return MA_SP_NAN;
  if (a == 0) return x > 0 ? 1 : MA_SP_NAN;
  if (x == 0) return 0;
  if (!ma_sp_finite(a)) return ma_sp_finite(x) ? 0 : MA_SP_NAN;
  if (!ma_sp_finite(x)) return 1;
  ma_sp_gamma_parts(a, x, ma_sp_gamma_prefix(a, x), eps, &p, &q);
  return p;
}

MA_SP double ma_sp_gammaincc(double a, double x, double eps) {
  double p, q;
  if (!(a >= 0 && x >= 0)) return MA_SP_NAN;
  if (a == 0) return x > 0 ? 0 : MA_SP_NAN;
  if (x == 0) return 1;
  if (!ma_sp_finite(a)) return ma_sp_finite(x) ? 1 : MA_SP_NAN;
  if (!ma_sp_finite(x)) return 0;
  ma_sp_gamma_parts(a, x, ma_sp_gamma_prefix(a, x), eps, &p, &q);
  return q;
}

/* ==== Inverses ==================================================================================================== */

/* The x of gammainc(a, x) == goal, or of gammaincc(a, x) == goal if `upper`. The steps are in log(x), between the
** bounds known so far, by Halley's method (1694) for the logarithm of the function. The error of the last one is about
** the cube of the one before. */
MA_SP_APART double ma_sp_gamma_solve(double a, double goal, int upper, double eps) {
  double low = 0, high = MA_SP_INF, x, lower = upper ? 1 - goal : goal, p, q;
  int by_upper = upper ? goal < 0.9 : goal > 0.9; /* whether the steps compare gammaincc */
  double wanted = upper == by_upper ? goal : 1 - goal;
  double small = exp(((upper ? log1p(-goal) : log(goal)) + ma_sp_lgamma1p_of(a)) / a);
  if (a < 1) x = wanted < 0.2 * a && by_upper ? -log(wanted) + (a - 1) * log(1 - log(wanted)) : small;
  else {
    double t = sqrt(-2 * log(lower < 0.5 ? lower
                             : upper     ? goal
                                         : 1 - goal)),
           z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    double s = 1 / (9 * a), cube = 1 - s + (lower < 0.5 ? -z : z) * sqrt(s);
    x = cube > 0.2 ? a * cube * cube * cube : small;
  }
  if (x == 0 || lower == 0) return lower == 0 && !upper ? 0 : x;
  if (!(x > 1e-307)) return x;
  for (int k = 0; k < 80; k++) {
    double front = ma_sp_gamma_prefix(a, x), slope = a * front, sign = by_upper ? -1 : 1, step;
    ma_sp_gamma_parts(a, x, front, eps, &p, &q);
    double value = by_upper ? q : p;
    int below = by_upper ? value > wanted : value < wanted;
    if (value == wanted) break;
    if (below) low = x;
    else high = x;
    if (value > 0.1 * wanted && value < 10 * wanted) step = -sign * log1p((value - wanted) / wanted) * value / slope;
    else if (value > 0) step = sign * (log(wanted) - log(value)) * value / slope;
    else step = MA_SP_NAN;
    double curve = 0.5 * (a - x - sign * slope / value), turn = 1 + step * curve;
    if (turn > 0.5 && turn < 2) step /= turn;
    double next = x * exp(step), rest = fabs(step * step * step) * (1 + 4 * curve * curve + x);
    if (fabs(step) < 1e-3) next = x + x * expm1(step);
    if (rest < 0.1 * eps && fabs(step) < 0.01) return next;
    if (!(next > low && next < high))
      next = high < MA_SP_INF ? (low > 0 ? sqrt(low) * sqrt(high) : 0.1 * high) : 4 * low;
    x = next;
  }
  return x;
}

MA_SP double ma_sp_gammaincinv(double a, double p, double eps) {
  if (!(a >= 0 && p >= 0 && p <= 1)) return MA_SP_NAN;
  if (p == 0) return 0;
  if (p == 1) return MA_SP_INF;
  if (a == 0 || a == MA_SP_INF) return MA_SP_NAN;
  return ma_sp_gamma_solve(a, p, 0, eps);
}
MA_SP double ma_sp_gammainccinv(double a, double q, double eps) {
  if (!(a >= 0 && q >= 0 && q <= 1)) return MA_SP_NAN;
  if (q == 1) return 0;
  if (q == 0) return MA_SP_INF;
  if (a == 0 || a == MA_SP_INF) return MA_SP_NAN;
  return ma_sp_gamma_solve(a, q, 1, eps);
}

/* ==== Distributions =============================================================================================== */

MA_SP double ma_sp_pdtr(double k, double m, double eps) {
  if (!(k >= 0 && m >= 0)) return MA_SP_NAN;
  return m == 0 ? 1 : ma_sp_gammaincc(floor(k) + 1, m, eps);
}
MA_SP double ma_sp_pdtrc(double k, double m, double eps) {
  if (!(k >= 0 && m >= 0)) return MA_SP_NAN;
  return m == 0 ? 0 : ma_sp_gammainc(floor(k) + 1, m, eps);
}
MA_SP double ma_sp_pdtri(double k, double y, double eps) {
  return k >= 0 && y >= 0 && y < 1 ? ma_sp_gammainccinv(floor(k) + 1, y, eps) : MA_SP_NAN;
}
MA_SP double ma_sp_chdtr(double v, double x, double eps) { return ma_sp_gammainc(0.5 * v, 0.5 * x, eps); }
MA_SP double ma_sp_chdtrc(double v, double x, double eps) { return ma_sp_gammaincc(0.5 * v, 0.5 * x, eps); }
MA_SP double ma_sp_chdtri(double v, double p, double eps) { return 2 * ma_sp_gammainccinv(0.5 * v, p, eps); }
MA_SP double ma_sp_gdtr(double a, double b, double x, double eps) {
  return x < 0 ? MA_SP_NAN : ma_sp_gammainc(b, a * x, eps);
}
MA_SP double ma_sp_gdtrc(double a, double b, double x, double eps) {
  return x < 0 ? MA_SP_NAN : ma_sp_gammaincc(b, a * x, eps);
}
