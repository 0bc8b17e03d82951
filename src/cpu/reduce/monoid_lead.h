/*
** monoid_lead.h: min, max, argmin and argmax that find the value first, for ordered numbers: the best value does not
** depend on the tree, and its first position is found fast. monoid_loops.h includes it, and handles NaN and zeros of
** two signs.
*/
#if IS_ARG /* min or max, which comes before, has the same loops */
#define LEADER(name) PASTE3(ORDER, TYPE, 0, name)
#else
#define LEADER(name) ROW(name)
/* Folds `count` rows of `width` values. Afterwards lane[j] has the best of column j, and lane[0] the best of all. Gives
** true if there is a NaN. */
#define LEAD(width, count)                                                                                      \
  static inline __attribute__((always_inline)) bool ROW(lead_##width##_##count)(ROW(value) *restrict lane,      \
                                                                                const ROW(value) *const *row) { \
    const ROW(value) *x0 = row[0] LEAD_##count(NAME);                                                           \
    ROW(mask) any = 0;                                                                                          \
    for (int l = 0; l < width; l++) {                                                                           \
      ROW(value) best = x0[l];                                                                                  \
      ROW(mask) bad = best != best;                                                                             \
      LEAD_##count(TAKE) lane[l] = best;                                                                        \
      any |= bad;                                                                                               \
    }                                                                                                           \
    return any;                                                                                                 \
  }
#define NAME(j) , *x##j = row[j]
#define TAKE(j)                                 \
  best = BEATS(x##j[l], best) ? x##j[l] : best; \
  bad |= x##j[l] != x##j[l];
#define LEAD_2(f) f(1)
#define LEAD_4(f) f(1) f(2) f(3)
#define LEAD_8(f) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
LEAD(8, 4)
LEAD(32, 4)
LEAD(128, 2)
LEAD(128, 4)
LEAD(128, 8)
#undef TAKE
#if IS_FLOAT
#define UNORDERED(x, y) __builtin_isunordered(x, y)
#else
#define UNORDERED(x, y) 0
#endif
#define LONG (sizeof(ROW(value)) > 2 ? 16 : 32) /* elements in a row */
/* One comparison finds a NaN in either of two values. */
#define TAKE(j)                                   \
  x = v[j * LONG + l], y = v[(j + 1) * LONG + l]; \
  bad |= UNORDERED(x, y);                         \
  x = BEATS(y, x) ? y : x;                        \
  best = BEATS(x, best) ? x : best;

/* The same for n >= 1024 values. They are read in the order of memory, so that the processor fetches ahead. */
static inline __attribute__((always_inline)) bool ROW(lead_long)(ROW(value) *restrict lane,
                                                                 const ROW(value) *restrict values, int n) {
  ROW(mask) any = 0;
  for (int l = 0; l < LONG; l++) lane[l] = values[l];
  for (int i = 0; i < n; i += RED_LEAF * LONG) {
    const ROW(value) *restrict v = values + (i < n - RED_LEAF * LONG ? i : n - RED_LEAF * LONG);
    for (int l = 0; l < LONG; l++) {
      ROW(value) best = lane[l], x, y;
      ROW(mask) bad = 0;
      TAKE(0) TAKE(2) TAKE(4) TAKE(6) lane[l] = best;
      any |= bad;
    }
  }
  return any;
}
#undef LEAD
#undef NAME
#undef TAKE
#undef UNORDERED
#undef LEAD_2
#undef LEAD_4
#undef LEAD_8

/* The best of n >= 8 values. Returns false if there is a NaN. Values are repeated to fill up the last row. */
CLONES static __attribute__((noinline)) bool ROW(lead)(ROW(value) * to, const ROW(value) * v, int n) {
  ROW(value) lane[RED_LEAVES];
  int shift = n < 32 ? 3 : n < 128 ? 5 : 7, width = 1 << shift;
  bool bad;
  if (n >= RED_CHUNK) {
    bad = ROW(lead_long)(lane, v, n);
    width = LONG;
  } else {
    const ROW(value) * row[RED_LEAF];
    int count = (n + width - 1) >> shift;
    for (int j = 0; j < RED_LEAF; j++) row[j] = v + (j < count - 1 ? j * width : n - width);
    bad = width == 8    ? ROW(lead_8_4)(lane, row)
          : width == 32 ? ROW(lead_32_4)(lane, row)
          : count <= 2  ? ROW(lead_128_2)(lane, row)
          : count <= 4  ? ROW(lead_128_4)(lane, row)
                        : ROW(lead_128_8)(lane, row);
  }
  if (bad) return false;
#define FOLD(n) \
  for (int l = 0; l < n; l++) lane[l] = BEATS(lane[l + n], lane[l]) ? lane[l + n] : lane[l];
  if (width == 128) { FOLD(64) }
  if (width >= 64) { FOLD(32) }
  if (width >= 32) { FOLD(16) }
  if (width >= 16) { FOLD(8) }
  FOLD(4)
  FOLD(2)
  FOLD(1)
#undef FOLD
#undef LONG
  *to = lane[0];
  return true;
}
#endif

#if IS_ARG
#define WIDTH (32 / (int)sizeof(ROW(value)))
typedef ROW(value) ROW(lanes) __attribute__((vector_size(32)));
typedef ROW(value) ROW(packed) __attribute__((vector_size(32), aligned(sizeof(ROW(value))), may_alias));
typedef ROW(mask) ROW(truths) __attribute__((vector_size(32)));
#define SAME(i) ((ROW(truths))((ROW(lanes)) * (const ROW(packed) *)(v + (i)) == t))

static inline __attribute__((always_inline)) bool ROW(any_of)(const ROW(truths) * m) {
  uint64_t word[4];
  memcpy(word, m, sizeof word);
  return (word[0] | word[1] | word[2] | word[3]) != 0;
}

/* The place of the first of n values that equals `best`, of which there is one. */
static inline __attribute__((always_inline)) int ROW(find)(const ROW(value) * v, int n, ROW(value) best) {
  const ROW(lanes) t = best - (ROW(lanes)){ 0 };
  ROW(truths) found;
  int i = 0;
  for (; i + 4 * WIDTH <= n; i += 4 * WIDTH) {
    found = SAME(i)
    | SAME(i + WIDTH)
    | SAME(i + 2 * WIDTH)
    | SAME(i + 3 * WIDTH);
    if (ROW(any_of)(&found)) break;
  }
  for (; i + WIDTH <= n; i += WIDTH) {
    found = SAME(i);
    if (ROW(any_of)(&found)) break;
  }
  while (BEATS(best, v[i])) i++;
  return i;
}

/* Folds n values without NaN. Most chunks do not beat the result before them, and need no positions. */
static inline __attribute__((always_inline)) bool ROW(skip)(ROW(acc) * to, const ROW(value) * v, int n, int64_t r,
                                                            const ROW(acc) * sofar) {
  ROW(value) best;
  if (n < 8 || !LEADER(lead)(&best, v, n)) return false;
  bool needed = !sofar || BEATS(best, sofar->v); /* an earlier NaN wins too */
  int at = needed ? ROW(find)(v, n, best) : 0;
  to->v = needed ? v[at] : best;
  to->r = r + at;
  return true;
}
#undef WIDTH
#undef SAME
#else
/* Folds n values without NaN. Equal values have the same bits, except zeros, for which the tree decides. */
static inline __attribute__((always_inline)) bool ROW(skip)(ROW(acc) * to, const ROW(value) * v, int n, int64_t r,
                                                            const ROW(acc) * sofar) {
  if (n < 8 || !LEADER(lead)(to, v, n)) return false;
#if IS_FLOAT
  const ROW(mask) negative = (ROW(mask))((uint64_t)1 << (8 * sizeof(ROW(mask)) - 1));
  ROW(mask) any = 0, bits;
  if (*to != 0) return true;
  for (int i = 0; i < n; i++) {
    memcpy(&bits, &v[i], sizeof bits);
    any |= bits == negative;
  }
  return !any;
#else
  return true;
#endif
}
#endif
#undef LEADER
