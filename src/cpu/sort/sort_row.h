/*
** sort_row.h: the loops of a sort for one dtype. sort.c includes it with SUFFIX, ITEM (an element in memory), KEY (its
** number by kernels/sort/order.h), ORDER(x), LESS(a, b), DIGIT(key, d), which is the d-th 8 bits of a key, LEAD(key),
** its leading bits as a LEADING, and for real numbers UNORDER(key), which converts back to an element. BY_KEY(name) and
** BY_SIZE(name) are loops over keys that all dtypes of such keys share (sort_keys.h).
*/
#ifndef CLONES /* sort.c defines it for the commonest dtypes */
#define CLONES WIDER
#endif
#define NAME_(what, suffix) what##_##suffix
#define NAME(what, suffix) NAME_(what, suffix)

typedef struct NAME(entry, SUFFIX) {
  KEY key;
  uint32_t at;
} NAME(entry, SUFFIX);

/* Computes the place of each of `count` <= RUN elements: the number of elements before it, without branches. */
static inline __attribute__((always_inline)) void NAME(rank, SUFFIX)(const ITEM *x, int count, KEY *key, int *place) {
  for (int i = 0; i < count; i++) {
    key[i] = ORDER(x[i]);
    place[i] = i;
    for (int k = 0; k < i; k++) {
      int before = LESS(key[i], key[k]);
      place[i] -= before;
      place[k] += before;
    }
  }
}

/* Sorts at most RUN elements. */
static void NAME(tiny, SUFFIX)(const void *from, ITEM *to, int64_t *positions, int n) {
  ITEM x[RUN];
  KEY key[RUN];
  int place[RUN];
  memcpy(x, from, (size_t)n * sizeof(ITEM));
  NAME(rank, SUFFIX)(x, n, key, place);
  for (int i = 0; to && i < n; i++) to[place[i]] = x[i];
  for (int i = 0; positions && i < n; i++) positions[place[i]] = i + 1;
}

/* Selects by arithmetic, because a conditional would become an unpredictable branch. */
#define EITHER(first, second, is_second) (first)[((second) - (first)) & -(ptrdiff_t)(is_second)]

/* Merges runs of n elements: the lesser half from the front and the greater half from the end at once, so that
** neither reaches the end of a run. */
static void NAME(merge_even, SUFFIX)(const NAME(entry, SUFFIX) * a, int n, NAME(entry, SUFFIX) * to) {
  const NAME(entry, SUFFIX) *b = a + n, *a_end = b - 1, *b_end = b + n - 1;
  for (int k = 0; k < n; k++) {
    int second = LESS(b->key, a->key), first = LESS(b_end->key, a_end->key);
    to[k] = EITHER(a, b, second);
    to[2 * n - 1 - k] = EITHER(b_end, a_end, first);
    a += 1 - second;
    b += second;
    a_end -= first;
    b_end -= 1 - first;
  }
}

static void NAME(merge, SUFFIX)(const NAME(entry, SUFFIX) * a, const NAME(entry, SUFFIX) * middle,
                                const NAME(entry, SUFFIX) * end, NAME(entry, SUFFIX) * to) {
  const NAME(entry, SUFFIX) *b = middle;
  while (a < middle && b < end) {
    int second = LESS(b->key, a->key);
    *to++ = EITHER(a, b, second);
    a += 1 - second;
    b += second;
  }
  while (a < middle) *to++ = *a++;
  while (b < end) *to++ = *b++;
}
#undef EITHER

/* Sorts a row of at most MA_SORT_SMALL elements: runs of RUN elements, then merges. */
static void NAME(small, SUFFIX)(const void *from, void *to, int64_t *positions, int n) {
  NAME(entry, SUFFIX) room[2][MA_SORT_SMALL], *a = room[0], *b = room[1];
  ITEM items[MA_SORT_SMALL];
  KEY key[RUN];
  int place[RUN];
  if (n <= RUN) {
    NAME(tiny, SUFFIX)(from, to, positions, n);
    return;
  }
  memcpy(items, from, (size_t)n * sizeof(ITEM));
  for (int first = 0; first < n; first += RUN) {
    int count = n - first < RUN ? n - first : RUN;
    if (count == RUN) NAME(rank, SUFFIX)(items + first, RUN, key, place);
    else NAME(rank, SUFFIX)(items + first, count, key, place);
    for (int i = 0; i < count; i++) a[first + place[i]] = (NAME(entry, SUFFIX)){ key[i], (uint32_t)(first + i) };
  }
  for (int run = RUN; run < n; run *= 2) {
    int first = 0;
    for (; first + 2 * run <= n; first += 2 * run) NAME(merge_even, SUFFIX)(a + first, run, b + first);
    NAME(merge, SUFFIX)(a + first, a + (first + run < n ? first + run : n), a + n, b + first);
    NAME(entry, SUFFIX) *swap = a;
    a = b;
    b = swap;
  }
  for (int i = 0; to && i < n; i++) ((ITEM *)to)[i] = items[a[i].at];
  for (int i = 0; positions && i < n; i++) positions[i] = (int64_t)a[i].at + 1;
}

/* The range of the numbers: see ma_sort_loops. */
#ifdef WIDE
CLONES static void NAME(span, SUFFIX)(const void *from, int64_t n, uint64_t two[2]) {
  const ITEM *restrict x = from;
  LEADING key[MA_SORT_BLOCK], least = LEAD(ORDER(x[0]))
  , greatest = least;
  /* Two loops, each of which the compiler vectorises. */
  for (; n > 0; n -= MA_SORT_BLOCK, x += MA_SORT_BLOCK) {
    int m = n < MA_SORT_BLOCK ? (int)n : MA_SORT_BLOCK;
    for (int i = 0; i < m; i++) key[i] = LEAD(ORDER(x[i]));
    for (int i = 0; i < m; i++) {
      least = key[i] < least ? key[i] : least;
      greatest = key[i] > greatest ? key[i] : greatest;
    }
  }
  two[0] = least;
  two[1] = greatest;
}
#else
CLONES static void NAME(keys, SUFFIX)(const void *from, int64_t n, void *to) {
  const ITEM *restrict x = from;
  KEY *restrict key = to;
  for (int64_t i = 0; i < n; i++) key[i] = ORDER(x[i]);
}

static void NAME(span, SUFFIX)(const void *from, int64_t n, uint64_t two[2]) {
  BY_KEY(span)(NAME(keys, SUFFIX), sizeof(ITEM), from, n, two);
}

static void NAME(search_keys, SUFFIX)(const void *keys, int64_t n, const void *values, int64_t count, bool right,
                                      int64_t *positions) {
  BY_KEY(search_keys)(NAME(keys, SUFFIX), sizeof(ITEM), keys, n, values, count, right, positions);
}
#endif

#ifndef WIDE
CLONES static void NAME(digits, SUFFIX)(const void *from, int n, uint64_t low, int shift, uint32_t mask,
                                        uint32_t *restrict digits) {
  const ITEM *restrict x = from;
  for (int i = 0; i < n; i++) digits[i] = (uint32_t)((ORDER(x[i]) - (KEY)low) >> shift) & mask;
}
#endif

/* ==== For networks: see ma_sort_loops ============================================================================= */

#ifdef UNORDER
#define ODD(x, key) (ITEM)(UNORDER(key) ^ (x))
#else
#define ODD(x, key) 0
#endif

CLONES static bool NAME(narrow, SUFFIX)(const void *from, int n, uint64_t low, int bits, uint32_t *restrict numbers) {
  const ITEM *restrict x = from;
  uint32_t mask = (1u << bits) - 1;
  LEADING odd = 0;
  for (int i = 0; i < n; i++) {
    KEY key = ORDER(x[i]);
    odd |= ODD(x[i], key);
    numbers[i] = (uint32_t)(LEAD(key) - (LEADING)low) << bits | ((uint32_t)i & mask);
  }
  return odd != 0;
}

CLONES static bool NAME(wide, SUFFIX)(const void *from, int n, uint64_t low, int shift, int bits,
                                      uint64_t *restrict numbers) {
  const ITEM *restrict x = from;
  uint64_t mask = (UINT64_C(1) << bits) - 1;
  LEADING odd = 0;
  for (int i = 0; i < n; i++) {
    KEY key = ORDER(x[i]);
    odd |= ODD(x[i], key);
    numbers[i] = ((uint64_t)LEAD(key) - low) >> shift << bits | ((uint64_t)i & mask);
  }
  return odd != 0;
}

#ifdef UNORDER
CLONES static void NAME(from_narrow, SUFFIX)(const uint32_t *restrict numbers, int n, uint64_t low, void *to) {
  ITEM *restrict x = to;
  for (int i = 0; i < n; i++) x[i] = UNORDER((KEY)(numbers[i] + (KEY)low));
}

CLONES static void NAME(from_wide, SUFFIX)(const uint64_t *restrict numbers, int n, uint64_t low, void *to) {
  ITEM *restrict x = to;
  for (int i = 0; i < n; i++) x[i] = UNORDER((KEY)(numbers[i] + low));
}

/* -0 and +0 share a number; so do all NaNs, and all bytes of true. */
static void NAME(shared, SUFFIX)(const void *from, int n, void *zeros, void *lasts, int counts[3]) {
  BY_SIZE(shared)
  (NAME(keys, SUFFIX), ORDER((ITEM)0), ORDER((ITEM) ~(ITEM)0), from, n, zeros, lasts, counts);
}
#endif

static bool NAME(settle, SUFFIX)(const void *from, uint32_t *places, int n) {
  const ITEM *x = from;
  KEY greatest = ORDER(x[places[0]]);
  int left = 2 * n;
  for (int i = 1; i < n; i++) {
    uint32_t place = places[i];
    KEY key = ORDER(x[place]);
    if (!LESS(key, greatest)) {
      greatest = key;
      continue;
    }
    int k = i;
    for (; k > 0 && left > 0 && LESS(key, ORDER(x[places[k - 1]])); k--, left--) places[k] = places[k - 1];
    if (left == 0) return false;
    places[k] = place;
  }
  return true;
}

static void NAME(gather, SUFFIX)(const void *from, const uint32_t *places, int n, void *to) {
  const ITEM *x = from;
  for (int i = 0; i < n; i++) ((ITEM *)to)[i] = x[places[i]];
}
#undef ODD

/* ==== Rows that are in order already ============================================================================== */

/* 1: no element is less than the one before it; -1: each is; 0: neither. Ends soon where the order is by chance. */
static int NAME(way, SUFFIX)(const void *from, int64_t n) {
  const ITEM *restrict x = from;
  int up = 1, down = 1;
  for (int64_t first = 0; first < n - 1 && (up || down); first += 128) {
    int64_t end = first + 128 < n - 1 ? first + 128 : n - 1;
    int falls = 0, stays = 0;
    for (int64_t i = first; i < end; i++) {
      KEY key = ORDER(x[i]), next = ORDER(x[i + 1]);
      falls |= LESS(next, key);
      stays |= !LESS(next, key);
    }
    up &= !falls;
    down &= !stays;
  }
  return up ? 1 : -down;
}

static void NAME(reverse, SUFFIX)(const void *from, void *to, int64_t n) {
  const ITEM *x = from;
  ITEM *r = to;
  for (int64_t i = 0, k = n - 1; i <= k; i++, k--) {
    ITEM first = x[i], last = x[k];
    r[i] = last;
    r[k] = first;
  }
}

/* ==== By digits ================================================================================================== */

/* Counts the elements with each digit, for all digits. */
static void NAME(count_all, SUFFIX)(const void *from, int64_t n, uint32_t (*count)[RADIX]) {
  const ITEM *x = from;
  for (int64_t i = 0; i < n; i++) {
    KEY key = ORDER(x[i]);
    for (int d = 0; d < (int)sizeof(ITEM); d++) count[d][DIGIT(key, d)]++;
  }
}

static void NAME(count, SUFFIX)(const void *from, int64_t n, int d, uint32_t *count) {
  const ITEM *x = from;
  for (int64_t i = 0; i < n; i++) {
    KEY key = ORDER(x[i]);
    count[DIGIT(key, d)]++;
  }
}

/* Moves each element to the next place of its digit. */
static void NAME(move, SUFFIX)(const void *from, void *to, int64_t n, int d, int64_t *next) {
  const ITEM *x = from;
  for (int64_t i = 0; i < n; i++) {
    KEY key = ORDER(x[i]);
    ((ITEM *)to)[next[DIGIT(key, d)]++] = x[i];
  }
}

/* The same with positions; `first` is that of x[0] if there are none yet. */
static void NAME(move_both, SUFFIX)(const void *from, void *to, const int64_t *at, int64_t *at_to, int64_t first,
                                    int64_t n, int d, int64_t *next) {
  const ITEM *x = from;
  for (int64_t i = 0; i < n; i++) {
    KEY key = ORDER(x[i]);
    int64_t k = next[DIGIT(key, d)]++;
    ((ITEM *)to)[k] = x[i];
    at_to[k] = at ? at[i] : first + i;
  }
}

/* 1-based positions at which values are inserted; with `right` behind equal elements. */
static void NAME(search, SUFFIX)(const void *sorted, int64_t n, const int64_t *sorter, const void *values,
                                 int64_t count, bool right, int64_t *positions) {
  const ITEM *s = sorted, *x = values;
  for (int64_t i = 0; i < count; i++) {
    KEY key = ORDER(x[i]);
    int64_t lo = 0, size = n;
    while (size > 0) {
      int64_t half = size / 2, k = lo + half, at = k;
      if (sorter) {
        at = sorter[k] < 0 ? n + sorter[k] : sorter[k] - 1;
        if (at < 0 || at >= n) at = 0;
      }
      KEY other = ORDER(s[at]);
      bool before = right ? !LESS(key, other) : LESS(other, key);
      lo = before ? k + 1 : lo;
      size = before ? size - half - 1 : half;
    }
    positions[i] = lo + 1;
  }
}

#ifdef UNORDER
static void NAME(extremes, SUFFIX)(const void *from, int64_t n, void *two) {
  uint64_t span[2];
  NAME(span, SUFFIX)(from, n, span);
  ((ITEM *)two)[0] = UNORDER((KEY)span[0]);
  ((ITEM *)two)[1] = UNORDER((KEY)span[1]);
}
#undef UNORDER
#endif

/* For elements first .. last - 1. */
static void NAME(changes, SUFFIX)(const void *sorted, int64_t first, int64_t last, bool equal_nan, uint8_t *mask) {
  const ITEM *x = sorted;
  KEY before = ORDER(x[first ? first - 1 : 0]);
  for (int64_t i = first; i < last; i++) {
    KEY key = ORDER(x[i]);
    bool is_nan = NAME(ma_order_nan, SUFFIX)(key);
    mask[i] = i == 0 || (is_nan ? !equal_nan || !NAME(ma_order_nan, SUFFIX)(before) : LESS(before, key));
    before = key;
  }
}

#undef CLONES
#undef NAME
#undef NAME_
#undef SUFFIX
#undef ITEM
#undef KEY
