/*
** sort_row.h: the loops of rows.h for one dtype. rows.c includes it with SUFFIX, ITEM (an element in memory), KEY (its
** number by kernels/sort/order.h), LESS(a, b) and PART(key, rest), 64 bits or less of a key. REAL: elements have
** numbers that convert back.
*/
#define NAME_(what, suffix) what##_##suffix
#define NAME2(what, suffix) NAME_(what, suffix)
#define NAME(what) NAME2(what, SUFFIX)
#define ORDER(x) NAME(ma_order)(x)
#define UNORDER(key) NAME(ma_unorder)(key)

#ifdef REAL
FOR_AVX512 static bool NAME(numbers)(const void *from, int64_t n, void *to) {
  const ITEM *restrict x = from;
  KEY *restrict key = to, odd = 0;
  for (int64_t i = 0; i < n; i++) {
    key[i] = ORDER(x[i]);
    odd |= (KEY)(ITEM)(UNORDER(key[i]) ^ x[i]);
  }
  return odd != 0;
}

FOR_AVX512 static void NAME(elements)(const void *numbers, int64_t n, void *to) {
  const KEY *key = numbers;
  ITEM *x = to;
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < n; i++) x[i] = UNORDER(key[i]);
}

/* The first element from i on that has the number `wanted`; n if none has. Most blocks of elements have none. */
static int64_t NAME(find)(const ITEM *x, int64_t i, int64_t n, KEY wanted) {
  for (; i < n && ORDER(x[i]) != wanted; i++)
    for (int any = 0; !any && i % 64 == 63 && i + 64 < n; i += any ? 0 : 64)
      for (int k = 1; k <= 64; k++) any |= ORDER(x[i + k]) == wanted;
  return i;
}

static void NAME(restore)(const void *from, void *to, int64_t n) {
  const KEY shared[] = { ORDER((ITEM)0), ORDER((ITEM) ~(ITEM)0) };
  for (int k = 0; k < 2; k++) {
    int64_t i = NAME(find)(to, 0, n, shared[k]), j = NAME(find)(from, 0, n, shared[k]);
    while (i < n && j < n) {
      ((ITEM *)to)[i] = ((const ITEM *)from)[j];
      i = NAME(find)(to, i + 1, n, shared[k]);
      j = NAME(find)(from, j + 1, n, shared[k]);
    }
  }
}
#elif !defined(WIDE)
FOR_AVX512 static bool NAME(numbers)(const void *from, int64_t n, void *to) {
  const ITEM *restrict x = from;
  KEY *restrict key = to;
  for (int64_t i = 0; i < n; i++) key[i] = ORDER(x[i]);
  return false;
}
#endif

FOR_AVX512 static void NAME(span)(const void *from, int64_t n, bool rest, uint64_t two[2]) {
  const ITEM *restrict x = from;
  uint64_t least = PART(ORDER(x[0]), rest), greatest = least;
  for (int64_t i = 0; i < n; i++) {
    KEY key = ORDER(x[i]);
    uint64_t part = PART(key, rest);
    least = part < least ? part : least;
    greatest = part > greatest ? part : greatest;
  }
  two[0] = least;
  two[1] = greatest;
}

FOR_AVX512 static void NAME(places)(const void *from, int64_t n, bool rest, uint64_t low, int shift, int bits,
                                    int64_t first, uint64_t *restrict to) {
  const ITEM *restrict x = from;
  for (int64_t i = 0; i < n; i++) {
    KEY key = ORDER(x[i]);
    to[i] = (PART(key, rest) - low) >> shift << bits | (uint64_t)(first + i);
  }
}

static void NAME(gather)(const void *from, const int64_t *positions, int64_t n, void *to) {
  const ITEM *x = from;
  for (int64_t i = 0; i < n; i++) ((ITEM *)to)[i] = x[positions[i] - 1];
}

/* Which way the row is sorted, if it is. In a row of random order it ends soon. */
FOR_AVX512 static int NAME(way)(const void *from, int64_t n) {
  const ITEM *restrict x = from;
  int up = 1, down = 1;
  for (int64_t first = 0; first < n - 1 && (up || down); first += 128) {
    int64_t end = first + 128 < n - 1 ? first + 128 : n - 1;
    int m = (int)(end - first), falls = 0;
    KEY key[129];
    for (int i = 0; i <= m; i++) key[i] = ORDER(x[first + i]);
    for (int i = 0; i < m; i++) falls += LESS(key[i + 1], key[i]);
    up &= falls == 0;
    down &= falls == m;
  }
  return up ? 1 : -down;
}

static void NAME(reverse)(const void *from, void *to, int64_t n) {
  const ITEM *x = from;
  ITEM *y = to;
  for (int64_t i = 0, k = n - 1; i <= k; i++, k--) {
    ITEM first = x[i], last = x[k];
    y[i] = last;
    y[k] = first;
  }
}

/* The 1-based positions at which values would be inserted. With `right` they are behind equal elements. */
static void NAME(search)(const void *sorted, int64_t n, const int64_t *sorter, const void *values, int64_t count,
                         bool right, int64_t *positions) {
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

#ifdef REAL
static void NAME(extremes)(const void *from, int64_t n, void *two) {
  uint64_t span[2];
  NAME(span)(from, n, false, span);
  ((ITEM *)two)[0] = UNORDER((KEY)span[0]);
  ((ITEM *)two)[1] = UNORDER((KEY)span[1]);
}
#endif

/* Marks the changes among elements first .. last - 1. */
static void NAME(changes)(const void *sorted, int64_t first, int64_t last, bool equal_nan, uint8_t *mask) {
  const ITEM *x = sorted;
  KEY before = ORDER(x[first ? first - 1 : 0]);
  for (int64_t i = first; i < last; i++) {
    KEY key = ORDER(x[i]);
    bool is_nan = NAME(ma_order_nan)(key);
    mask[i] = i == 0 || (is_nan ? !equal_nan || !NAME(ma_order_nan)(before) : LESS(before, key));
    before = key;
  }
}

#undef NAME
#undef NAME2
#undef NAME_
#undef ORDER
#undef UNORDER
#undef SUFFIX
#undef ITEM
#undef KEY
