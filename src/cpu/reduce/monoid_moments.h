/* monoid_moments.h: var and std without a mask. The parts of partial results are stored in planes (all numbers, then
** all sums of squares, then all means), so that leaves and pairs are vectors. The results have reduce.h's form. */
typedef struct {
  double *number, *squares, *mean, *imaginary;
} ROW(planes);

static inline __attribute__((always_inline)) ROW(planes) ROW(planes_at)(void *at, int n) {
  double *number = at;
  return (ROW(planes)){ number, number + n, number + 2 * n, number + 3 * n };
}

/* Computes leaves first .. last-1, each of `count` values row[j][i], j < count. The caller sets how many values each
** has. All callers use this one function, because its eight loops are long. */
CLONES static __attribute__((noinline)) void ROW(leaves)(ROW(planes) p, const void *const *row, int count, int first,
                                                         int last) {
  const ROW(value) * v[RED_LEAF];
  double *restrict squares = p.squares, *restrict mean = p.mean, *restrict imaginary = p.imaginary;
  for (int j = 0; j < RED_LEAF; j++) v[j] = row[j < count ? j : 0];
  const ROW(value) *restrict v0 = v[0], *restrict v1 = v[1], *restrict v2 = v[2], *restrict v3 = v[3];
  const ROW(value) *restrict v4 = v[4], *restrict v5 = v[5], *restrict v6 = v[6], *restrict v7 = v[7];
#if IS_COMPLEX
#define PUT imaginary[i] = a.im;
#else
#define PUT (void)imaginary;
#endif
#define LEAVES(k)                                                                                         \
  case k:                                                                                                 \
    INDEPENDENT                                                                                           \
    for (int i = first; i < last; i++) {                                                                  \
      ROW(acc) a = ROW(leaf)(v0[i], v1[i], v2[i], v3[i], v4[i], v5[i], v6[i], v7[i], (1u << (k)) - 1, 0); \
      squares[i] = a.m2;                                                                                  \
      mean[i] = a.re;                                                                                     \
      PUT                                                                                                 \
    }                                                                                                     \
    break;
  switch (count) { LEAVES(1) LEAVES(2) LEAVES(3) LEAVES(4) LEAVES(5) LEAVES(6) LEAVES(7) LEAVES(8) }
#undef LEAVES
#undef PUT
}

/* Merges t[i] = x[i * step] with y[i * step] behind it. `an` and `bn` are their numbers of values; `f` is 0.5 if those
** are equal. */
#if IS_COMPLEX
#define MERGE(t, i, x, y, k, an, f)                                                \
  {                                                                                \
    double d = (y).mean[k] - (x).mean[k], e = (y).imaginary[k] - (x).imaginary[k], \
           s = (x).squares[k] + (y).squares[k];                                    \
    (t).mean[i] = (x).mean[k] + d * (f);                                           \
    d = d * d + e * e;                                                             \
    (t).imaginary[i] = (x).imaginary[k] + e * (f);                                 \
    (t).squares[i] = s + d * ((an) * (f));                                         \
  }
#else
#define MERGE(t, i, x, y, k, an, f)                                            \
  {                                                                            \
    double d = (y).mean[k] - (x).mean[k], s = (x).squares[k] + (y).squares[k]; \
    (t).mean[i] = (x).mean[k] + d * (f);                                       \
    d = d * d;                                                                 \
    (t).squares[i] = s + d * ((an) * (f));                                     \
  }
#endif

/* Merges pairs of n neighbours. A single last one moves up unchanged. A neighbour never has more values than the one
** before it. */
static inline __attribute__((always_inline)) void ROW(pairs)(ROW(planes) t, ROW(planes) x, int n) {
  ROW(planes) y = { x.number + 1, x.squares + 1, x.mean + 1, x.imaginary + 1 };
  int half = n / 2;
  if (x.number[0] == x.number[2 * half - 1]) {
    const double number = x.number[0], both = number + number;
    INDEPENDENT
    for (int i = 0; i < half; i++) {
      MERGE(t, i, x, y, 2 * i, number, 0.5)
      t.number[i] = both;
    }
  } else {
    INDEPENDENT
    for (int i = 0; i < half; i++) {
      double an = x.number[2 * i], bn = y.number[2 * i], f = an == bn ? 0.5 : bn / (an + bn);
      MERGE(t, i, x, y, 2 * i, an, f)
      t.number[i] = an + bn;
    }
  }
  if (n & 1) {
    t.number[half] = x.number[n - 1];
    t.squares[half] = x.squares[n - 1];
    t.mean[half] = x.mean[n - 1];
    if (IS_COMPLEX) t.imaginary[half] = x.imaginary[n - 1];
  }
}

static inline __attribute__((always_inline)) ROW(acc) ROW(moments_at)(ROW(planes) p, double number, int i) {
#if IS_COMPLEX
  return (ROW(acc)){ number, p.squares[i], p.mean[i], p.imaginary[i] };
#else
  return (ROW(acc)){ number, p.squares[i], p.mean[i] };
#endif
}

CLONES static void ROW(total)(void *to, const void *values, const uint8_t *mask, int n, int64_t r, const void *sofar) {
  double room[2][4 * RED_LEAVES];
  ROW(planes) from = ROW(planes_at)(room[0], RED_LEAVES), pairs = ROW(planes_at)(room[1], RED_LEAVES);
  const void *row[RED_LEAF];
  int whole = n / RED_LEAVES, rest = n % RED_LEAVES, nleaf = whole ? RED_LEAVES : rest;
  for (int j = 0; j < RED_LEAF; j++) row[j] = (const ROW(value) *)values + j * RED_LEAVES;
  if (rest) ROW(leaves)(from, row, whole + 1, 0, rest);
  if (whole) ROW(leaves)(from, row, whole, rest, RED_LEAVES);
  for (int l = 0; l < nleaf; l++) from.number[l] = whole + (l < rest);
  for (; nleaf > 1; nleaf = (nleaf + 1) / 2) {
    ROW(planes) swap = from;
    ROW(pairs)(pairs, from, nleaf);
    from = pairs;
    pairs = swap;
  }
  *(ROW(acc) *)to = ROW(moments_at)(from, from.number[0], 0);
}

/* Folds columns. All have the same number of elements, so only the first column's number is kept. */
CLONES static void ROW(column)(void *to, const void *const *values, const uint8_t *const *mask, unsigned live, int n,
                               int64_t r) {
  ROW(planes) p = ROW(planes_at)(to, n);
  int count = __builtin_popcount(live);
  ROW(leaves)(p, values, count, 0, n);
  p.number[0] = count;
}

CLONES static void ROW(join)(void *to, const void *x, const void *y, int n) {
  ROW(planes) t = ROW(planes_at)(to, n), a = ROW(planes_at)((void *)x, n), b = ROW(planes_at)((void *)y, n);
  const double an = a.number[0], bn = b.number[0], f = an == bn ? 0.5 : bn / (an + bn);
  INDEPENDENT
  for (int i = 0; i < n; i++) MERGE(t, i, a, b, i, an, f)
  t.number[0] = an + bn;
}
#undef MERGE

static void ROW(unfold)(void *to, const void *from, int n) {
  ROW(planes) p = ROW(planes_at)((void *)from, n);
  for (int i = 0; i < n; i++) ((ROW(acc) *)to)[i] = ROW(moments_at)(p, p.number[0], i);
}
