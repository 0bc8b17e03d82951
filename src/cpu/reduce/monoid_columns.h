/* monoid_columns.h: loops over many neighbouring columns at once: leaves of a row's values, and positions, which
** need no leaves. monoid_loops.h includes it. */
#if IS_ARG && !MASKED /* `settle` merges columns; only spans come here */
static void ROW(merge_all)(void *to, const void *x, const void *y, int n) {
  ROW(acc) *c = to;
  const ROW(acc) *a = x, *b = y;
  for (int i = 0; i < n; i++) {
    c[i] = ROW(merge)(a[i], b[i]);
    SCALAR_LOOP;
  }
}
#else
CLONES static void ROW(merge_all)(void *to, const void *x, const void *y, int n) {
  ROW(acc) *c = to;
  const ROW(acc) *a = x, *b = y;
  INDEPENDENT
  for (int i = 0; i < n; i++) c[i] = ROW(merge)(a[i], b[i]);
}
#endif

#if !FOLDED
/* Rows of one leaf of many columns. Adding a few rows that change nothing is faster than leaving out missing ones. */
#define PADS (BLANKS && !(IS(prod) && IS_COMPLEX))
#define LEAF(live) ROW(leaf)(v0[i], v1[i], v2[i], v3[i], v4[i], v5[i], v6[i], v7[i], live, r)

#if IS_ARG && !MASKED
#define ONE_LOOP 1 /* `follow` replaces it but for single values */
static
#else
#define ONE_LOOP 0
CLONES static
#endif
  void
  ROW(column)(void *to, const void *const *values, const uint8_t *const *mask, unsigned live, int n, int64_t r) {
  const ROW(value) *restrict v0 = values[0], *restrict v1 = values[1], *restrict v2 = values[2],
                             *restrict v3 = values[3];
  const ROW(value) *restrict v4 = values[4], *restrict v5 = values[5], *restrict v6 = values[6],
                             *restrict v7 = values[7];
  ROW(acc) *restrict a = to;
#if PADS
  const ROW(value) * full[RED_LEAF];
  ROW(value) none[IDEMPOTENT ? 1 : MA_BLOCK];
  int nrow = __builtin_popcount(live);
#if IDEMPOTENT /* a leaf of one value is that value, and a leaf of two is the two merged */
  if (live == 1) {
    memmove(a, v0, (size_t)n * sizeof *a);
    return;
  }
  if (live == 3) {
    ROW(merge_all)(to, v0, v1, n);
    return;
  }
#else
  if (live == 1) {
    INDEPENDENT
    for (int i = 0; i < n; i++) a[i] = LEAF(1u);
    return;
  }
  if (live == 3) {
    INDEPENDENT
    for (int i = 0; i < n; i++) a[i] = LEAF(3u);
    return;
  }
#endif
  if (nrow != 4 && nrow != 8) { /* missing rows are replaced by one that changes nothing */
    for (int i = 0; i < n && !IDEMPOTENT; i++) none[i] = NONE;
    for (int j = 0; j < RED_LEAF; j++) full[j] = j < nrow ? values[j] : IDEMPOTENT ? values[nrow - 1] : none;
    v3 = full[3], v4 = full[4], v5 = full[5], v6 = full[6], v7 = full[7];
  }
  if (nrow <= 4) {
    INDEPENDENT
    for (int i = 0; i < n; i++) a[i] = LEAF(15u);
    return;
  }
  live = 255;
#endif
#if !MASKED && !ONE_LOOP
  if (live == 255) {
    INDEPENDENT
    for (int i = 0; i < n; i++) a[i] = LEAF(255u);
    return;
  }
#endif
#if !PADS
  if (live == 1 && BLANKS) {
    INDEPENDENT
    for (int i = 0; i < n; i++) a[i] = LEAF(1u);
    return;
  }
  for (int i = 0; i < n; i++) {
    unsigned alive = live;
    for (int j = 0; j < RED_LEAF && MASKED; j++) alive &= ~(!mask[j][i] * (1u << j));
    a[i] = LEAF(alive);
    SCALAR_LOOP;
  }
#endif
}
#undef LEAF
#undef ONE_LOOP
#endif

#if BLANKS
#if LEADS && IS_FLOAT
#define BEST(x, y) (BEATS(y, x) ? (y) : (x))
#define APART(x, y) __builtin_isunordered(x, y)
/* The best of 8 rows. Returns false if there is a NaN, or a zero whose sign depends on the order of merging. */
static inline __attribute__((always_inline)) bool ROW(lead_rows)(ROW(acc) *restrict a, const ROW(value) *const *v,
                                                                 int n) {
  const ROW(value) *restrict v0 = v[0], *restrict v1 = v[1], *restrict v2 = v[2], *restrict v3 = v[3];
  const ROW(value) *restrict v4 = v[4], *restrict v5 = v[5], *restrict v6 = v[6], *restrict v7 = v[7];
  ROW(mask) any = 0;
  for (int i = 0; i < n; i++) {
    ROW(value) x = BEST(v0[i], v1[i]), y = BEST(v2[i], v3[i]), z = BEST(v4[i], v5[i]), w = BEST(v6[i], v7[i]);
    ROW(mask) bad = APART(v0[i], v1[i]) | APART(v2[i], v3[i]) | APART(v4[i], v5[i]) | APART(v6[i], v7[i]);
    x = BEST(x, y), z = BEST(z, w);
    a[i] = x = BEST(x, z);
    any |= bad | (x == 0);
  }
  return !any;
}
#undef BEST
#undef APART
#endif

/* Leaves of one value need no pass over memory for each pair of them. */
#if WHOLE_TREE && !IS_COMPLEX
WIDEST static
#else
CLONES static
#endif
  void
  ROW(singles)(void *to, const void *const *values, int count, int n) {
  const ROW(value) *restrict v0 = values[0], *restrict v1 = values[1], *restrict v2 = values[2],
                             *restrict v3 = values[3];
  const ROW(value) *restrict v4 = values[4], *restrict v5 = values[5], *restrict v6 = values[6],
                             *restrict v7 = values[7];
  ROW(acc) *restrict a = to;
#if LEADS && IS_FLOAT
  if (count == 8 && ROW(lead_rows)(a, (const ROW(value) *const *)values, n)) return;
#endif
#define PAIR(j, k) ROW(merge)(SINGLE(v##j[i]), SINGLE(v##k[i]))
  if (count == 2) {
    INDEPENDENT
    for (int i = 0; i < n; i++) a[i] = PAIR(0, 1);
  } else if (count == 4) {
    INDEPENDENT
    for (int i = 0; i < n; i++) a[i] = ROW(merge)(PAIR(0, 1), PAIR(2, 3));
  } else {
    INDEPENDENT
    for (int i = 0; i < n; i++)
      a[i] = ROW(merge)(ROW(merge)(PAIR(0, 1), PAIR(2, 3)), ROW(merge)(PAIR(4, 5), PAIR(6, 7)));
  }
#undef PAIR
}
#endif

#if IS_ARG && !MASKED
/* Room behind n values, but not a whole page away from them: a store at that distance would wait for a load of the
** other. */
static inline __attribute__((always_inline)) ROW(mask) * ROW(places)(void *room, int n) {
  return (ROW(mask) *)((char *)room + ((size_t)n * sizeof(ROW(value)) + 320) / 64 * 64);
}

/* Keeps the best value of each column so far, and its row. */
CLONES static void ROW(follow)(void *room, const void *values, int n, int k) {
  ROW(value) *restrict best = room;
  ROW(mask) *restrict at = ROW(places)(room, n);
  const ROW(value) *restrict v = values;
  if (k == 0) {
    memcpy(best, v, (size_t)n * sizeof *best);
    memset(at, 0, (size_t)n * sizeof *at);
    return;
  }
  INDEPENDENT
  for (int i = 0; i < n; i++) {
#if IS_COMPLEX
    ROW(acc) t = ROW(merge)((ROW(acc)){ best[i], 0 }, (ROW(acc)){ v[i], 1 });
    best[i] = t.v;
    at[i] = t.r ? k : at[i];
#else
    ROW(value) x = v[i], t = best[i];
    ROW(mask) better = (ROW(mask)) - (BEATS(x, t) | (IS_FLOAT && (x != x) & (t == t))), xs, ts;
    memcpy(&xs, &x, sizeof xs);
    memcpy(&ts, &t, sizeof ts);
    ts ^= (ts ^ xs) & better; /* a conditional expression would become a branch before the store */
    memcpy(&best[i], &ts, sizeof ts);
    at[i] ^= (at[i] ^ (ROW(mask))k) & better;
#endif
  }
}

static void ROW(settle)(void *to, const void *room, int n, int64_t r, bool first) {
  ROW(acc) *a = to;
  const ROW(value) *best = room;
  const ROW(mask) *at = ROW(places)((void *)room, n);
  for (int i = 0; i < n; i++) {
    ROW(acc) t = { best[i], r + at[i] };
    a[i] = first ? t : ROW(merge)(a[i], t);
  }
}
#endif
