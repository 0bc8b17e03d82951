/*
** network.h: the sorting network of network.c for one width of number and one instruction set. It is included with
** NAME(what), NUMBER, LANES (numbers in a vector), MIN(a, b) and MAX(a, b). BIAS, if set, converts an unsigned number
** to the signed one that is compared. Where the processor has them: LESS(x, y), a mask of the lanes in which x < y, and
** PACK(mask, x), which moves these lanes to the front. Without LANES it is for any processor, and sorts by digits.
**
** These are bitonic merges in which every exchange puts the lesser number first, so one half is reversed before it
** meets the other. Vectors behind the last one would hold the greatest numbers and stay in place, so exchanges with
** them are left out.
*/
#ifdef LANES
#define VECTOR NAME(vector)
#define BLOCK (TUNE_SORT_CACHE / (int)sizeof(VECTOR)) /* vectors that are sorted before they are merged with others */
#define INLINE static inline __attribute__((always_inline))
typedef NUMBER VECTOR __attribute__((vector_size(LANES * sizeof(NUMBER))));
typedef NUMBER NAME(loose) __attribute__((vector_size(LANES * sizeof(NUMBER)), aligned(sizeof(NUMBER)), may_alias));

/* LANES_OF: an expression for each lane; COLUMN: exchanges that sort a column of vectors; PAIRS: vectors that are
** `d` apart. */
/* clang-format off */
#if LANES == 16
#define LANES_OF(f, c) f(0, c), f(1, c), f(2, c), f(3, c), f(4, c), f(5, c), f(6, c), f(7, c), \
  f(8, c), f(9, c), f(10, c), f(11, c), f(12, c), f(13, c), f(14, c), f(15, c)
#define COLUMN(E) \
  E(0, 13) E(1, 12) E(2, 15) E(3, 14) E(4, 8) E(5, 6) E(7, 11) E(9, 10) \
  E(0, 5) E(1, 7) E(2, 9) E(3, 4) E(6, 13) E(8, 14) E(10, 15) E(11, 12) \
  E(0, 1) E(2, 3) E(4, 5) E(6, 8) E(7, 9) E(10, 11) E(12, 13) E(14, 15) \
  E(0, 2) E(1, 3) E(4, 10) E(5, 11) E(6, 7) E(8, 9) E(12, 14) E(13, 15) \
  E(1, 2) E(3, 12) E(4, 6) E(5, 7) E(8, 10) E(9, 11) E(13, 14) \
  E(1, 4) E(2, 6) E(5, 8) E(7, 10) E(9, 13) E(11, 14) \
  E(2, 4) E(3, 6) E(9, 12) E(11, 13) \
  E(3, 5) E(6, 8) E(7, 9) E(10, 12) \
  E(3, 4) E(5, 6) E(7, 8) E(9, 10) E(11, 12) \
  E(6, 7) E(8, 9)
#define PAIRS(S) \
  S(0, 8) S(1, 8) S(2, 8) S(3, 8) S(4, 8) S(5, 8) S(6, 8) S(7, 8) \
  S(0, 4) S(1, 4) S(2, 4) S(3, 4) S(8, 4) S(9, 4) S(10, 4) S(11, 4) \
  S(0, 2) S(1, 2) S(4, 2) S(5, 2) S(8, 2) S(9, 2) S(12, 2) S(13, 2) \
  S(0, 1) S(2, 1) S(4, 1) S(6, 1) S(8, 1) S(10, 1) S(12, 1) S(14, 1)
#elif LANES == 8
#define LANES_OF(f, c) f(0, c), f(1, c), f(2, c), f(3, c), f(4, c), f(5, c), f(6, c), f(7, c)
#define COLUMN(E) \
  E(0, 2) E(1, 3) E(4, 6) E(5, 7) \
  E(0, 4) E(1, 5) E(2, 6) E(3, 7) \
  E(0, 1) E(2, 3) E(4, 5) E(6, 7) \
  E(2, 4) E(3, 5) \
  E(1, 4) E(3, 6) \
  E(1, 2) E(3, 4) E(5, 6)
#define PAIRS(S) S(0, 4) S(1, 4) S(2, 4) S(3, 4) S(0, 2) S(1, 2) S(4, 2) S(5, 2) S(0, 1) S(2, 1) S(4, 1) S(6, 1)
#else
#define LANES_OF(f, c) f(0, c), f(1, c), f(2, c), f(3, c)
#define COLUMN(E) E(0, 1) E(2, 3) E(0, 2) E(1, 3) E(1, 2)
#define PAIRS(S) S(0, 2) S(1, 2) S(0, 1) S(2, 1)
#endif
/* clang-format on */
#define PARTNER(i, c) ((i) ^ (c)) % LANES
#define CHOICE(i, bit) ((i) & (bit) ? (i) + LANES : (i))
#define FIRST(i, d) ((i) & (d) ? ((i) ^ (d)) + LANES : (i))
#define SECOND(i, d) ((i) & (d) ? (i) + LANES : (i) ^ (d))
#ifdef __clang__
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (VECTOR){ __VA_ARGS__ })
#endif
#define EXCHANGE(x, y)         \
  do {                         \
    VECTOR least_ = MIN(x, y); \
    y = MAX(x, y);             \
    x = least_;                \
  } while (0)
#define TURN(x) PICK(x, x, LANES_OF(PARTNER, LANES - 1))
/* Exchanges lane i with lane i ^ c, so that the lane without `bit` gets the lesser number. */
#define EXCHANGE_LANES(x, c, bit)                                    \
  do {                                                               \
    VECTOR other_ = PICK(x, x, LANES_OF(PARTNER, c));                \
    x = PICK(MIN(x, other_), MAX(x, other_), LANES_OF(CHOICE, bit)); \
  } while (0)

INLINE VECTOR NAME(sort_vector)(VECTOR x) {
  EXCHANGE_LANES(x, 1, 1);
  EXCHANGE_LANES(x, 3, 2);
  EXCHANGE_LANES(x, 1, 1);
#if LANES > 4
  EXCHANGE_LANES(x, 7, 4);
  EXCHANGE_LANES(x, 2, 2);
  EXCHANGE_LANES(x, 1, 1);
#endif
#if LANES > 8
  EXCHANGE_LANES(x, 15, 8);
  EXCHANGE_LANES(x, 4, 4);
  EXCHANGE_LANES(x, 2, 2);
  EXCHANGE_LANES(x, 1, 1);
#endif
  return x;
}

/* The last steps of a merge: those within a vector. */
INLINE VECTOR NAME(settle)(VECTOR x) {
#if LANES > 8
  EXCHANGE_LANES(x, 8, 8);
#endif
#if LANES > 4
  EXCHANGE_LANES(x, 4, 4);
#endif
  EXCHANGE_LANES(x, 2, 2);
  EXCHANGE_LANES(x, 1, 1);
  return x;
}

/* Sorts each of LANES vectors: sorts their columns and transposes them. */
INLINE void NAME(sort_square)(VECTOR *at) {
  VECTOR v[LANES];
  for (int i = 0; i < LANES; i++) v[i] = at[i];
#define SORT(i, k) EXCHANGE(v[i], v[k]);
#define SWAP(i, d)                                         \
  do {                                                     \
    VECTOR first_ = v[i], second_ = v[i + d];              \
    v[i] = PICK(first_, second_, LANES_OF(FIRST, d));      \
    v[i + d] = PICK(first_, second_, LANES_OF(SECOND, d)); \
  } while (0);
  COLUMN(SORT)
  PAIRS(SWAP)
#undef SORT
#undef SWAP
  for (int i = 0; i < LANES; i++) at[i] = v[i];
}

INLINE void NAME(merge_four)(VECTOR *v) {
  VECTOR a = v[0], b = v[1], c = v[2], d = v[3];
  b = TURN(b);
  EXCHANGE(a, b);
  b = TURN(b);
  d = TURN(d);
  EXCHANGE(c, d);
  d = TURN(d);
  a = NAME(settle)(a);
  b = NAME(settle)(b);
  c = NAME(settle)(c);
  d = NAME(settle)(d);
  c = TURN(c);
  d = TURN(d);
  EXCHANGE(a, d);
  EXCHANGE(b, c);
  c = TURN(c);
  d = TURN(d);
  EXCHANGE(a, b);
  EXCHANGE(c, d);
  v[0] = NAME(settle)(a);
  v[1] = NAME(settle)(b);
  v[2] = NAME(settle)(c);
  v[3] = NAME(settle)(d);
}

/* The first step of merging runs of k / 2 vectors. It compares each element of a run with its mirror in the other
** run. */
INLINE void NAME(mirror)(VECTOR *v, int k, int n) {
  for (int first = 0; first < n; first += k)
    for (int i = k / 2 - 1; i >= 0 && first + k - 1 - i < n; i--) {
      VECTOR a = v[first + i], b = TURN(v[first + k - 1 - i]);
      EXCHANGE(a, b);
      v[first + i] = a;
      v[first + k - 1 - i] = TURN(b);
    }
}

INLINE void NAME(step)(VECTOR *v, int k, int n) {
  for (int first = 0; first < n; first += 2 * k)
    for (int i = first; i < first + k && i + k < n; i++) EXCHANGE(v[i], v[i + k]);
}

/* The steps over distances of k vectors and of k / 2. */
INLINE void NAME(two_steps)(VECTOR *v, int k, int n) {
  int half = k / 2, first = 0;
  for (; first + 2 * k <= n; first += 2 * k)
    for (int i = first; i < first + half; i++) {
      VECTOR a = v[i], b = v[i + half], c = v[i + k], d = v[i + k + half];
      EXCHANGE(a, c);
      EXCHANGE(b, d);
      EXCHANGE(a, b);
      EXCHANGE(c, d);
      v[i] = a;
      v[i + half] = b;
      v[i + k] = c;
      v[i + k + half] = d;
    }
  NAME(step)(v + first, k, n - first);
  NAME(step)(v + first, half, n - first);
}

/* The steps over distances of two vectors and of one, and within vectors. */
INLINE void NAME(last_steps)(VECTOR *v, int n) {
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    VECTOR a = v[i], b = v[i + 1], c = v[i + 2], d = v[i + 3];
    EXCHANGE(a, c);
    EXCHANGE(b, d);
    EXCHANGE(a, b);
    EXCHANGE(c, d);
    v[i] = NAME(settle)(a);
    v[i + 1] = NAME(settle)(b);
    v[i + 2] = NAME(settle)(c);
    v[i + 3] = NAME(settle)(d);
  }
  if (i + 2 < n) EXCHANGE(v[i], v[i + 2]);
  if (i + 1 < n) EXCHANGE(v[i], v[i + 1]);
  for (; i < n; i++) v[i] = NAME(settle)(v[i]);
}

/* Merges 2 or 3 vectors, each sorted. */
INLINE void NAME(merge_few)(VECTOR *v, int n) {
  VECTOR a = v[0], b = TURN(v[1]), c;
  EXCHANGE(a, b);
  a = NAME(settle)(a);
  b = NAME(settle)(b);
  if (n > 2) {
    c = TURN(v[2]);
    EXCHANGE(b, c);
    EXCHANGE(a, b);
    a = NAME(settle)(a);
    b = NAME(settle)(b);
    v[2] = NAME(settle)(c);
  }
  v[0] = a;
  v[1] = b;
}

/* The steps of a merge over distances of k vectors and less. */
INLINE void NAME(merge_steps)(VECTOR *v, int k, int n) {
  for (; k >= 8; k /= 4) NAME(two_steps)(v, k, n);
  if (k == 4) NAME(step)(v, 4, n);
  NAME(last_steps)(v, n);
}

static void NAME(sort_block)(VECTOR *v, int n) {
  int i = 0;
  for (; i + LANES <= n; i += LANES) NAME(sort_square)(v + i);
  for (; i < n; i++) v[i] = NAME(sort_vector)(v[i]);
  for (i = 0; i + 4 <= n; i += 4) NAME(merge_four)(v + i);
  if (i + 1 < n) NAME(merge_few)(v + i, n - i);
  for (int k = 8; k / 2 < n; k *= 2) {
    NAME(mirror)(v, k, n);
    NAME(merge_steps)(v, k / 4, n);
  }
}

/* Merges into runs of k vectors. Steps over more than a block go over everything. The others go block by block, in the
** nearest cache. */
static void NAME(merge_blocks)(VECTOR *v, int k, int n) {
  int j = k / 4;
  NAME(mirror)(v, k, n);
  for (; j >= 2 * BLOCK; j /= 4) NAME(two_steps)(v, j, n);
  for (; j >= BLOCK; j /= 2) NAME(step)(v, j, n);
  for (int i = 0; i < n; i += BLOCK) NAME(merge_steps)(v + i, j, n - i < BLOCK ? n - i : BLOCK);
}

static void NAME(sort)(void *numbers, int count) {
  VECTOR *v = numbers;
  int n = count / LANES;
#ifdef BIAS
  for (int k = 0; k < n; k++) v[k] ^= BIAS;
#endif
  for (int i = 0; i < n; i += BLOCK) NAME(sort_block)(v + i, n - i < BLOCK ? n - i : BLOCK);
  for (int k = 2 * BLOCK; k / 2 < n; k *= 2) NAME(merge_blocks)(v, k, n);
#ifdef BIAS
  for (int k = 0; k < n; k++) v[k] ^= BIAS;
#endif
}
#else

/* Sorts by digits of 8 bits, from the lowest up. A digit that all numbers share is skipped. */
static void NAME(sort)(void *numbers, int n) {
  NUMBER room[TUNE_SORT_PLAIN], *x = numbers, *y = room;
  for (int i = 1; i < n && n <= TUNE_SORT_INSERT; i++) {
    NUMBER number = x[i];
    int k = i;
    for (; k > 0 && number < x[k - 1]; k--) x[k] = x[k - 1];
    x[k] = number;
  }
  for (int shift = 0; n > TUNE_SORT_INSERT && shift < 8 * (int)sizeof(NUMBER); shift += 8) {
    int count[256] = { 0 }, next = 0;
    for (int i = 0; i < n; i++) count[x[i] >> shift & 255]++;
    if (count[x[0] >> shift & 255] == n) continue;
    for (int k = 0; k < 256; k++) {
      int here = count[k];
      count[k] = next;
      next += here;
    }
    for (int i = 0; i < n; i++) y[count[x[i] >> shift & 255]++] = x[i];
    NUMBER *swap = x;
    x = y;
    y = swap;
  }
  if (x == room) memcpy(numbers, room, (size_t)n * sizeof *x);
}
#endif

/* Splits numbers by two of them. Stores write whole vectors. If to[0] is where the numbers lie, they overwrite only
** numbers that were read. */
static void NAME(split)(const void *numbers, int64_t n, const uint64_t two[2], void *const to[3], int64_t count[3]) {
  const NUMBER *x = numbers;
  NUMBER *below = to[0], *between = to[1], *above = to[2];
  int64_t i = 0;
#ifdef PACK
  const VECTOR low = (VECTOR){ 0 } + (NUMBER)two[0], high = (VECTOR){ 0 } + (NUMBER)two[1];
  for (; i + LANES <= n; i += LANES) {
    VECTOR v = *(const NAME(loose) *)(x + i);
    uint32_t less = LESS(v, low), more = LESS(high, v);
    int nless = __builtin_popcount(less), nmore = __builtin_popcount(more);
    *(NAME(loose) *)below = PACK(less, v);
    *(NAME(loose) *)between = PACK(~(less | more), v);
    *(NAME(loose) *)above = PACK(more, v);
    below += nless;
    between += LANES - nless - nmore;
    above += nmore;
  }
#endif
  for (; i < n; i++) {
    NUMBER v = x[i];
    int less = (uint64_t)v<two[0], more = (uint64_t)v> two[1]; /* NUMBER may be signed */
    *below = *between = *above = v;
    below += less;
    between += 1 - less - more;
    above += more;
  }
  count[0] = below - (NUMBER *)to[0];
  count[1] = between - (NUMBER *)to[1];
  count[2] = above - (NUMBER *)to[2];
}

#undef VECTOR
#undef BLOCK
#undef INLINE
#undef LANES_OF
#undef PARTNER
#undef CHOICE
#undef FIRST
#undef SECOND
#undef COLUMN
#undef PAIRS
#undef PICK
#undef EXCHANGE
#undef TURN
#undef EXCHANGE_LANES
#undef NAME
#undef NUMBER
#undef LANES
#undef MIN
#undef MAX
#undef BIAS
#undef LESS
#undef PACK
