/*
** loops_faster.h: loops of floats for which the compiler makes slow code from ops.def, written out. They give the same
** bits. The includer defines TYPE, SUFFIX and TARGET as for loops_make.h, whose loops are the fallback; MASK (an
** integer as wide as TYPE), FUSED (multiply and add), MOST_QUOTIENT and MOST_DIVISOR. For exp: |x| < EXP_TAME is left
** to the vector form; further out to EXP_LEAST, where all is 0 or infinite, x * EXP_PART is raised in EXP_WIDE, and
** EXP_JOINED makes the result of that. For log: the bits of the least normal number, of infinity and of all but the
** sign, and minus the logarithm of the least subnormal number.
*/

/* minimum(maximum(x, low), high), for which the compiler makes branches of logical operators. */
static void GLUE(faster_clip, SUFFIX, TARGET)(LOOP_PARAMETERS) {
  const TYPE *xs = x_, *ys = y_, *zs = z_;
  TYPE *r = r_;
  EACH_ELEMENT {
    TYPE x = xs[i], y = ys[i], z = zs[i], above = ((x >= y) | (x != x)) ? x : y;
    r[i] = ((above <= z) | (above != above)) ? above : z;
  }
}

/* `decimals` is usually one number, so the power of ten is computed once. */
static void GLUE(faster_round, SUFFIX, TARGET)(LOOP_PARAMETERS) {
  const TYPE *xs = x_;
  const int64_t *ys = y_;
  TYPE *r = r_;
  int64_t decimals = ys[0], differs = 0;
  EACH_ELEMENT { differs |= ys[i] ^ decimals; }
  TYPE f = (TYPE)ma_power_of_ten(decimals < 0 ? -decimals : decimals);
  if (differs || f - f != 0) {
    GLUE(round, SUFFIX, TARGET)(r_, x_, y_, z_, w_, n);
  } else if (decimals == 0) {
    EACH_ELEMENT { r[i] = ma_rint(xs[i]); }
  } else if (decimals < 0) {
    EACH_ELEMENT { r[i] = ma_rint(xs[i] / f) * f; }
  } else {
    EACH_ELEMENT {
      TYPE x = xs[i], scaled = x * f, rounded = ma_rint(scaled) / f;
      r[i] = scaled - scaled != 0 ? x : rounded;
    }
  }
}

#if JOIN(FUSES, TARGET)
/* fmod for a finite y and a quotient below MOST_QUOTIENT. Rounding makes the quotient too large by one at most; then
** x - q y, which is exact, has the opposite sign. */
static inline __attribute__((always_inline)) TYPE GLUE(whole_rest, SUFFIX, TARGET)(TYPE x, TYPE y) {
  TYPE m = FUSED(-ma_trunc(x / y), y, x), back = m + ma_copysign(y, x);
  m = (m < 0) != (x < 0) && m != 0 ? back : m;
  return m == 0 ? ma_copysign((TYPE)0, x) : m;
}

static inline __attribute__((always_inline)) TYPE GLUE(of_fmod, SUFFIX, TARGET)(TYPE x, TYPE y, TYPE m) {
  (void)x, (void)y;
  return m;
}

static inline __attribute__((always_inline)) TYPE GLUE(of_remainder, SUFFIX, TARGET)(TYPE x, TYPE y, TYPE m) {
  (void)x;
  TYPE other = m + y, zero = ma_copysign((TYPE)0, y);
  m = (y < 0) != (m < 0) ? (m == 0 ? m : other) : m;
  return m == 0 ? zero : m;
}

static inline __attribute__((always_inline)) TYPE GLUE(of_floor_divide, SUFFIX, TARGET)(TYPE x, TYPE y, TYPE m) {
  TYPE q = (x - m) / y, zero = ma_copysign((TYPE)0, x / y);
  q = m != 0 && (y < 0) != (m < 0) ? q - 1 : q;
  TYPE whole = ma_floor(q);
  whole = q - whole > (TYPE)0.5 ? whole + 1 : whole;
  return q == 0 ? zero : whole;
}

#define IS_TAME(x, y) (ma_absolute((x) / (y)) < MOST_QUOTIENT && ma_absolute(y) <= MOST_DIVISOR)
#define DIVISION(name)                                                                             \
  static void GLUE(faster_##name, SUFFIX, TARGET)(LOOP_PARAMETERS) {                               \
    const TYPE *xs = x_, *ys = y_;                                                                 \
    TYPE *r = r_;                                                                                  \
    for (int i = 0; i < n; i += MA_LANE) {                                                         \
      TYPE result[MA_LANE];                                                                        \
      MASK wild[MA_LANE], any = 0;                                                                 \
      for (int k = 0; k < MA_LANE; k++) {                                                          \
        TYPE x = xs[i + k], y = ys[i + k];                                                         \
        result[k] = GLUE(of_##name, SUFFIX, TARGET)(x, y, GLUE(whole_rest, SUFFIX, TARGET)(x, y)); \
        wild[k] = !IS_TAME(x, y);                                                                  \
      }                                                                                            \
      for (int k = 0; k < MA_LANE; k++) any |= wild[k];                                            \
      for (int k = 0; k < MA_LANE && any; k++)                                                     \
        if (wild[k]) result[k] = ma_##name(xs[i + k], ys[i + k]);                                  \
      memcpy(r + i, result, sizeof result);                                                        \
    }                                                                                              \
  }
DIVISION(fmod)
DIVISION(remainder)
DIVISION(floor_divide)
#undef DIVISION
#undef IS_TAME
#endif

/* exp and log: the C library's vector forms call the scalar function for each lane that holds an infinity, NaN, a zero
** or a number whose result is one. Here such lanes get a tame number, and their result is made without a call. A result
** depends on its own operand alone, so neighbours do not change it. */
#define WILD_BLOCK (16 * MA_LANE)

static void GLUE(faster_exp, SUFFIX, TARGET)(LOOP_PARAMETERS) {
  const TYPE *xs = x_;
  TYPE *r = r_, tame[WILD_BLOCK];
  for (; n > 0; n -= WILD_BLOCK, xs += WILD_BLOCK, r += WILD_BLOCK) {
    int m = n < WILD_BLOCK ? n : WILD_BLOCK;
    MASK wild = 0, ordinary = 0, near = 0; /* whether any element is so; near: wild, but no infinity or NaN follows */
    for (int i = 0; i < m; i++) {
      TYPE size = ma_absolute(xs[i]);
      bool is_tame = size < EXP_TAME;
      wild |= !is_tame;
      ordinary |= is_tame;
      near |= !is_tame & (size < EXP_LEAST);
      tame[i] = is_tame ? xs[i] : 0;
    }
    if (!wild) {
      GLUE(exp, SUFFIX, TARGET)(r, xs, NULL, NULL, NULL, m);
      continue;
    }
    if (ordinary) GLUE(exp, SUFFIX, TARGET)(tame, tame, NULL, NULL, NULL, m);
    if (!near) {
      for (int i = 0; i < m; i++) {
        TYPE x = xs[i], other = x > 0 ? (TYPE)INFINITY : 0;
        other = x == x ? other : x + x;
        r[i] = ma_absolute(x) < EXP_TAME ? tame[i] : other;
      }
      continue;
    }
    EXP_WIDE far[WILD_BLOCK];
    for (int i = 0; i < m; i++) {
      TYPE x = xs[i];
      far[i] = (EXP_WIDE)(x > -EXP_LEAST ? x < EXP_LEAST ? x : EXP_LEAST : -EXP_LEAST) * EXP_PART;
    }
    for (int i = 0; i < m; i++) far[i] = ma_exp(far[i]);
    for (int i = 0; i < m; i++) {
      TYPE x = xs[i], other = EXP_JOINED(far[i]);
      other = x == x ? other : x + x;
      r[i] = ma_absolute(x) < EXP_TAME ? tame[i] : other;
    }
  }
}

static void GLUE(faster_log, SUFFIX, TARGET)(LOOP_PARAMETERS) {
  const TYPE *xs = x_;
  TYPE *r = r_, tame[WILD_BLOCK];
  for (; n > 0; n -= WILD_BLOCK, xs += WILD_BLOCK, r += WILD_BLOCK) {
    int m = n < WILD_BLOCK ? n : WILD_BLOCK;
    MASK wild = 0, special = 0, bits[WILD_BLOCK]; /* special: the result is an infinity or NaN */
    memcpy(bits, xs, (size_t)m * sizeof *xs);
    for (int i = 0; i < m; i++) {
      wild |= bits[i] < LOG_LEAST || bits[i] >= LOG_INFINITE;
      special |= bits[i] <= 0 || bits[i] >= LOG_INFINITE;
    }
    if (!wild) {
      GLUE(log, SUFFIX, TARGET)(r, xs, NULL, NULL, NULL, m);
      continue;
    }
    /* A subnormal number is its bits times a power of two. The logarithm of the bits is at most a fifth of that of the
    ** power, so its error is a fraction of a unit in the last place of their difference. */
    for (int i = 0; i < m; i++) {
      TYPE whole = bits[i] > 0 ? (TYPE)bits[i] : 1;
      tame[i] = bits[i] >= LOG_INFINITE ? 1 : bits[i] < LOG_LEAST ? whole : xs[i];
    }
    GLUE(log, SUFFIX, TARGET)(tame, tame, NULL, NULL, NULL, m);
    for (int i = 0; i < m; i++) tame[i] = bits[i] < LOG_LEAST ? (TYPE)((double)tame[i] - LOG_UNIT) : tame[i];
    if (!special) {
      memcpy(r, tame, (size_t)m * sizeof *r);
      continue;
    }
    for (int i = 0; i < m; i++) {
      MASK b = bits[i], magnitude = b & LOG_MAGNITUDE;
      TYPE x = xs[i], none = (x - x) / (x - x), infinite = b == LOG_INFINITE ? x : none;
      TYPE other = magnitude == 0 ? -(TYPE)INFINITY : infinite;
      r[i] = b <= 0 || b >= LOG_INFINITE ? other : tame[i];
    }
  }
}

#undef WILD_BLOCK
#undef EXP_TAME
#undef EXP_WIDE
#undef EXP_PART
#undef EXP_LEAST
#undef EXP_JOINED
#undef LOG_LEAST
#undef LOG_INFINITE
#undef LOG_MAGNITUDE
#undef LOG_UNIT
#undef MASK
#undef FUSED
#undef MOST_QUOTIENT
#undef MOST_DIVISOR
