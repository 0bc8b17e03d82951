/* monoid_loops.h: the loops of one monoid and register type. monoid_types.h includes it with MONOID, TYPE and MASKED
** defined. It defines the table `MONOID_TYPE_MASKED_loops`, and undefines TYPE. */
#define PASTE4(a, b, c, d) a##_##b##_##c##_##d
#define PASTE3(a, b, c, d) PASTE4(a, b, c, d)
#define PASTE2(a, b) a##b
#define PASTE1(a, b) PASTE2(a, b)
#define ROW(name) PASTE3(MONOID, TYPE, MASKED, name)
#define RED(name) ROW(name)
#define RED_MONOID PASTE1(RED_, MONOID)
#define RED_MASKED MASKED
#define IS(name) (PASTE1(RED_, MONOID) == RED_##name)
#define IS_ARG (IS(argmin) || IS(argmax))
#define RED_CLASS PASTE1(CLASS_, TYPE)
#define IS_COMPLEX (PASTE1(CLASS_, TYPE) == RED_COMPLEX)
#define IS_FLOAT (PASTE1(CLASS_, TYPE) == RED_FLOAT)
#define RED_V PASTE1(value_, TYPE)
#define RED_W PASTE1(wide_, TYPE)
#if IS_COMPLEX
#define RED_LOW ((RED_V){ -INFINITY, -INFINITY })
#define RED_HIGH ((RED_V){ INFINITY, INFINITY })
#elif IS_FLOAT
#define RED_LOW (-(RED_V)INFINITY)
#define RED_HIGH ((RED_V)INFINITY)
#else
#define RED_HIGH ((RED_V)(UINT64_MAX >> (64 - 8 * sizeof(RED_V) + ((RED_V)-1 < 1))))
#define RED_LOW ((RED_V)~RED_HIGH)
#endif
/* Loops that gain from wider vectors are compiled for several instruction sets. */
#if MASKED || (IS_COMPLEX && !IS(sum) && !IS(mean)) || IS(logaddexp) || IS(prod)
#define CLONES
#else
#define CLONES WIDER
#endif
/* Whether there is a value that changes nothing. It then replaces missing values, so that every leaf is full. */
#if !MASKED && !IS_ARG && !IS(moments) && !IS(logaddexp)
#define BLANKS 1
#define NONE ROW(none)()
#else
#define BLANKS 0
#define NONE v[0]
#endif
/* Whether an element may be counted twice. */
#define IDEMPOTENT (IS(min) || IS(max) || IS(fmin) || IS(fmax) || IS(any) || IS(all) || IS(band) || IS(bor))
/* Whether a chunk's total does not depend on the tree. For min and max it does, because of signed zeros. */
#if !MASKED && (IS_ARG || RED_CLASS == RED_INT) && !IS(moments) && !IS(mean) && !IS(logaddexp)
#define ONE_BY_ONE 1
#else
#define ONE_BY_ONE 0
#endif
typedef RED_V ROW(value);
typedef PASTE1(mask_, TYPE) ROW(mask);
#if (IS_ARG || IS(min) || IS(max)) && !MASKED && !IS_COMPLEX
#define LEADS 1
#else
#define LEADS 0
#endif
#include "kernels/reduce/reduce.h"
#if IS(count)
typedef uint16_t ROW(term); /* an index in a chunk: at most 1024 */
#else
typedef ROW(acc) ROW(term);
#endif

#if BLANKS && !ONE_BY_ONE && (IS(sum) || IS(mean))
/* A level of the tree for a fixed number of leaves. The last leaves may be such as change nothing. */
#define LEVEL(n) \
  for (int i = 0; i < n; i++) room[i] = ROW(merge)(x[2 * i], x[2 * i + 1]);
#define TREE(count, half)                                                 \
  static inline __attribute__((always_inline)) ROW(acc)                   \
    ROW(tree_of_##count)(ROW(acc) *restrict x, ROW(acc) *restrict room) { \
    LEVEL(half)                                                           \
    return ROW(tree_of_##half)(room, x);                                  \
  }
static inline __attribute__((always_inline)) ROW(acc) ROW(tree_of_8)(ROW(acc) *restrict x, ROW(acc) *restrict room) {
  return ROW(merge)(ROW(merge)(ROW(merge)(x[0], x[1]), ROW(merge)(x[2], x[3])),
                    ROW(merge)(ROW(merge)(x[4], x[5]), ROW(merge)(x[6], x[7])));
}
TREE(16, 8)
TREE(32, 16)
TREE(64, 32)
TREE(128, 64)
#undef TREE
#undef LEVEL
#define WHOLE_TREE 1
#else
#define WHOLE_TREE 0
#endif

#if ONE_BY_ONE /* for a few spans alone */
#define SEVERAL SCALAR_LOOP
static
#else
#define SEVERAL
CLONES static
#endif
  const void *
  ROW(tree)(void *x, void *room, int n) {
  ROW(acc) *from = x, *to = room;
  while (n > 1) {
    const ROW(acc) *restrict a = from;
    ROW(acc) *restrict b = to;
    for (int i = 0; i < n / 2; i++) {
      b[i] = ROW(merge)(a[2 * i], a[2 * i + 1]);
      SEVERAL;
    }
    if (n & 1) b[n / 2] = a[n - 1];
    n = (n + 1) / 2;
    ROW(acc) *swap = from;
    from = to;
    to = swap;
  }
  return from;
}
#undef SEVERAL

#if LEADS
#include "cpu/reduce/monoid_lead.h"

CLONES static bool ROW(whole)(void *to, const void *values, int n, int64_t r, const void *sofar) {
  return ROW(skip)(to, values, n, r, sofar);
}
#endif

/* Leaf l of the chunk at v; rows are 128 apart. */
#define LEAF(l, live) \
  ROW(leaf)(v[l], v[l + 128], v[l + 256], v[l + 384], v[l + 512], v[l + 640], v[l + 768], v[l + 896], live, r + l)

#if IS(moments) && !MASKED
#include "cpu/reduce/monoid_moments.h"
#define FOLDED 1
#else
#define FOLDED 0
#endif

#if BLANKS && !ONE_BY_ONE
/* fmin and fmax of only NaN return the NaN that replaced missing values. So it must always replace the same ones. */
#define SHOWS (IS(fmin) || IS(fmax))

/* Makes the leaves of n values. The missing values are in the last rows. A tree of fewer leaves needs no others. */
static inline __attribute__((always_inline)) void ROW(short_leaves)(ROW(acc) *restrict a,
                                                                    const ROW(value) *restrict values, int n) {
  ROW(value) edge[RED_LEAVES], none[RED_LEAVES];
  const ROW(value) * row[RED_LEAF];
  int nrow = n / RED_LEAVES, rest = n % RED_LEAVES, count = SHOWS ? RED_LEAF : nrow + (rest > 0);
  int width = SHOWS || n > 64 ? 128 : n > 32 ? 64 : n > 16 ? 32 : 16;
  if (rest) {
    memcpy(edge, values + nrow * RED_LEAVES, (size_t)rest * sizeof *edge);
    for (int l = rest; l < width; l++) edge[l] = NONE;
  }
  if (count > 2)
    for (int l = 0; l < RED_LEAVES; l++) none[l] = NONE;
  for (int j = 0; j < RED_LEAF; j++) row[j] = j < nrow ? values + j * RED_LEAVES : j == nrow && rest ? edge : none;
  const ROW(value) *v0 = row[0], *v1 = row[1], *v2 = row[2], *v3 = row[3], *v4 = row[4], *v5 = row[5], *v6 = row[6],
                   *v7 = row[7];
#define LEAVES(live) a[l] = ROW(leaf)(v0[l], v1[l], v2[l], v3[l], v4[l], v5[l], v6[l], v7[l], live, 0);
#define ONE a[l] = ROW(leaf)(v0[l], v0[l], v0[l], v0[l], v0[l], v0[l], v0[l], v0[l], 1u, 0);
  if (width < RED_LEAVES)
    for (int l = 0; l < width; l++)
      ONE else if (count == 1) for (int l = 0; l < RED_LEAVES; l++)
        ONE else if (count == 2) for (int l = 0; l < RED_LEAVES; l++)
          LEAVES(3u) else if (count <= 4) for (int l = 0; l < RED_LEAVES; l++)
            LEAVES(15u) else for (int l = 0; l < RED_LEAVES; l++) LEAVES(255u)
#undef LEAVES
#undef ONE
#undef SHOWS
}
#endif

#if ONE_BY_ONE
CLONES static void ROW(total)(void *to, const void *values, const uint8_t *mask, int n, int64_t r, const void *sofar) {
  const ROW(value) *restrict v = values;
#if LEADS
  if (ROW(skip)(to, v, n, r, sofar)) return;
#endif
#if IS_ARG
  ROW(acc) t = { v[0], r };
  for (int i = 1; i < n; i++) {
    t = ROW(merge)(t, (ROW(acc)){ v[i], r + i });
    SCALAR_LOOP;
  }
  *(ROW(acc) *)to = t;
#else
  ROW(term) t = NONE;
#if LEADS /* only a few values come here */
  for (int i = 0; i < n; i++) {
    t = (ROW(term))ROW(merge)(t, v[i]);
    SCALAR_LOOP;
  }
#else
  ROW(term) lane[RED_LEAVES];
  if (n == RED_CHUNK) {
    for (int l = 0; l < RED_LEAVES; l++) lane[l] = (ROW(term))LEAF(l, 255u);
#define FOLD(n) \
  for (int l = 0; l < n; l++) lane[l] = (ROW(term))ROW(merge)(lane[l], lane[l + n]);
    FOLD(64)
    FOLD(32)
    FOLD(16)
    FOLD(8)
    FOLD(4)
    FOLD(2)
    FOLD(1)
#undef FOLD
    t = lane[0];
  } else {
    int i = 0;
#if IS(prod)
    const int quarter = n / 4; /* multiplications are slow, but those that do not depend on each other overlap */
    ROW(term) t1 = t, t2 = t, t3 = t;
    for (; i < quarter; i++) {
      t = ROW(merge)(t, v[i]);
      t1 = ROW(merge)(t1, v[quarter + i]);
      t2 = ROW(merge)(t2, v[2 * quarter + i]);
      t3 = ROW(merge)(t3, v[3 * quarter + i]);
    }
    t = ROW(merge)(ROW(merge)(t, t1), ROW(merge)(t2, t3));
    i = 4 * quarter;
#endif
#if IS(count) /* in 16 bits from the first step on */
    for (; i < n; i++) t = (ROW(term))(t + v[i]);
#else
    for (; i < n; i++) t = (ROW(term))ROW(merge)(t, v[i]);
#endif
  }
#endif
  *(ROW(acc) *)to = t;
#endif
}
#elif !FOLDED
CLONES static void ROW(total)(void *to, const void *values, const uint8_t *mask, int n, int64_t r, const void *sofar) {
#if !BLANKS
  ROW(value) pad[RED_CHUNK];
#endif
  ROW(acc) leaf[RED_LEAVES], room[RED_LEAVES / 2];
  ROW(acc) *restrict a = leaf;
  const ROW(value) *restrict v = values;
#if !WHOLE_TREE
  int nleaf = n < RED_LEAVES ? n : RED_LEAVES;
#endif
#if LEADS
  if (ROW(skip)(to, v, n, r, sofar)) return;
#endif
#if (IS(fmin) || IS(fmax)) && !IS_COMPLEX /* the tree decides which of two zeros of different signs is the result */
  if (n >= 8 && PASTE3(ORDER, TYPE, 0, lead)(to, v, n) && *(ROW(acc) *)to != 0) return;
#endif
#if BLANKS
  if (n < RED_CHUNK) ROW(short_leaves)(a, v, n);
  else
    for (int l = 0; l < RED_LEAVES; l++) a[l] = LEAF(l, 255u);
#else
  if (n < RED_CHUNK) {
    memcpy(pad, values, (size_t)n * sizeof *pad);
    for (int i = n; i < RED_CHUNK; i++) pad[i] = NONE;
    v = pad;
  }
  if (n == RED_CHUNK && !MASKED)
    for (int l = 0; l < RED_LEAVES; l++) a[l] = LEAF(l, 255u);
  else
    for (int l = 0; l < nleaf; l++) {
      unsigned live = 0;
      for (int j = 0; j * RED_LEAVES + l < n; j++) live |= (MASKED ? (unsigned)mask[j * RED_LEAVES + l] : 1u) << j;
      a[l] = LEAF(l, live);
      SCALAR_LOOP;
    }
#endif
#if WHOLE_TREE
  *(ROW(acc) *)to = n <= 16   ? ROW(tree_of_16)(leaf, room)
                    : n <= 32 ? ROW(tree_of_32)(leaf, room)
                    : n <= 64 ? ROW(tree_of_64)(leaf, room)
                              : ROW(tree_of_128)(leaf, room);
#else
  memcpy(to, ROW(tree)(leaf, room, nleaf), sizeof *leaf);
#endif
}
#endif
#undef LEAF

#define SINGLE(x) ROW(leaf)(x, x, x, x, x, x, x, x, 1u, 0)
#include "cpu/reduce/monoid_columns.h"

#if BLANKS
#if !IS(mean) && !IS(count) /* these have no scan */
#define SCANS 1
static void ROW(identity)(void *to) { *(ROW(acc) *)to = SINGLE(ROW(none)()); }

#if ONE_BY_ONE
/* Four running totals at a time wait for one total of those before. */
static void ROW(segment)(void *to, void *total, const void *values, int n, const void *base, const void *before) {
  const ROW(value) *restrict v = values, *end = v + n;
  ROW(acc) *restrict out = to;
  ROW(acc) t = SINGLE(ROW(none)());
  if (out) {
    const ROW(acc) start = ROW(merge)(*(const ROW(acc) *)base, *(const ROW(acc) *)before);
    for (; end - v >= 4; v += 4, out += 4) {
      ROW(acc) a = v[0], b = ROW(merge)(a, v[1]), c = ROW(merge)(b, v[2]), d = ROW(merge)(c, v[3]);
      const ROW(acc) offset = ROW(merge)(start, t);
      out[0] = ROW(merge)(offset, a);
      out[1] = ROW(merge)(offset, b);
      out[2] = ROW(merge)(offset, c);
      out[3] = ROW(merge)(offset, d);
      t = ROW(merge)(t, d);
    }
    for (; v < end; v++, out++) {
      t = ROW(merge)(t, *v);
      *out = ROW(merge)(start, t);
    }
  }
  for (; v < end; v++) t = ROW(merge)(t, *v);
  *(ROW(acc) *)total = t;
}
#else
/* Scans eight strips side by side, which hides the time that one waits. local[e] is the total of its strip up to
** element e. */
static inline __attribute__((always_inline)) void ROW(strips)(ROW(acc) *restrict local, const ROW(value) *restrict v) {
  ROW(acc) t[8];
  for (int s = 0; s < 8; s++) local[s * SCAN_STRIP] = t[s] = SINGLE(v[s * SCAN_STRIP]);
  for (int i = 1; i < SCAN_STRIP; i++) {
#define STEP(s) local[s * SCAN_STRIP + i] = t[s] = ROW(merge)(t[s], SINGLE(v[s * SCAN_STRIP + i]));
    STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
#undef STEP
  }
}

#if IS(sum) || IS(prod) || IS(min) || IS(max)
CLONES
#else /* fmax.accumulate and the like: short code, which is soon compiled */
__attribute__((cold))
#endif
static void ROW(segment)(void *to, void *total, const void *values, int n, const void *base, const void *before) {
  ROW(value) pad[SCAN_SEGMENT];
  ROW(acc) local[SCAN_OCTET], octets, strips, offset;
  ROW(acc) *restrict out = to;
  const ROW(value) *v = values;
  if (n < SCAN_SEGMENT) {
    memcpy(pad, values, (size_t)n * sizeof *pad);
    for (int i = n; i < SCAN_SEGMENT; i++) pad[i] = ROW(none)();
    v = pad;
  }
  octets = SINGLE(ROW(none)());
  for (int e = 0; e < n; e += SCAN_OCTET) {
    ROW(strips)(local, v + e);
    strips = SINGLE(ROW(none)());
    for (int s = 0; s < SCAN_OCTET; s += SCAN_STRIP) {
      if (out) {
        offset = ROW(merge)(*(const ROW(acc) *)base, ROW(merge)(*(const ROW(acc) *)before, ROW(merge)(octets, strips)));
        for (int i = 0; i < SCAN_STRIP; i++) out[e + s + i] = ROW(merge)(offset, local[s + i]);
      }
      strips = ROW(merge)(strips, local[s + SCAN_STRIP - 1]);
    }
    octets = ROW(merge)(octets, strips);
  }
  *(ROW(acc) *)total = octets;
}
#endif
#else
#define SCANS 0
#endif

CLONES static void ROW(blank)(void *to, const void *values, const uint8_t *restrict mask, int n) {
  ROW(value) *restrict c = to;
  const ROW(value) none = ROW(none)(), *restrict v = values;
  for (int i = 0; i < n; i++) {
    const ROW(value) x = v[i]; /* always read, so that nothing branches */
    c[i] = mask[i] ? x : none;
  }
}
#endif

static void ROW(finish)(void *to, const void *x, int n, const ma_finish *finish) {
  const ROW(acc) *restrict a = x;
#define OUT(i) ROW(final)(a[i], finish->count, finish->param)
#if IS_COMPLEX && !IS(moments) && !IS_ARG
  for (int i = 0; i < n; i++) {
    ROW(out) out = OUT(i);
    if (IS(sum) && finish->masked) out.re += 0.0, out.im += 0.0;
    if (finish->result == MA_COMPLEX64) ((ma_c64 *)to)[i] = (ma_c64){ (float)out.re, (float)out.im };
    else ((ma_c128 *)to)[i] = (ma_c128){ out.re, out.im };
  }
#elif IS(moments) || IS(logaddexp) || ((IS(sum) || IS(prod) || IS(mean)) && IS_FLOAT)
  float *restrict narrow = to;
  double *restrict wide = to;
  const double zero = IS(sum) && finish->masked ? 0.0 : -0.0; /* an empty sum is +0 */
  if (IS(moments) && finish->root) {
    for (int i = 0; i < n; i++) {
      double value = sqrt(OUT(i));
      if (finish->result == MA_FLOAT64) wide[i] = value;
      else narrow[i] = finish->result == MA_FLOAT32 ? (float)value : ma_narrow(value);
    }
  } else if (finish->result == MA_FLOAT64) {
    for (int i = 0; i < n; i++) wide[i] = OUT(i) + zero;
  } else if (finish->result == MA_FLOAT32) {
    for (int i = 0; i < n; i++) narrow[i] = (float)(OUT(i) + zero);
  } else {
    for (int i = 0; i < n; i++) narrow[i] = ma_narrow(OUT(i) + zero);
  }
#else
  for (int i = 0; i < n; i++) ((ROW(out) *)to)[i] = OUT(i);
#endif
#undef OUT
}

static const ma_monoid ROW(loops) = { sizeof(ROW(acc)),
                                      sizeof(ROW(value)),
                                      MASKED,
                                      ROW(total),
#if LEADS
                                      ROW(whole),
#else
                                      NULL,
#endif
                                      ROW(column),
#if BLANKS
                                      ROW(singles),
#else
                                      NULL,
#endif
                                      ROW(merge_all),
                                      ROW(tree),
#if BLANKS
                                      ROW(blank),
#else
                                      NULL,
#endif
#if BLANKS && SCANS
                                      ROW(segment),
                                      ROW(identity),
#else
                                      NULL,
                                      NULL,
#endif
                                      ROW(finish),
#if IS_ARG && !MASKED
                                      ROW(follow),
                                      ROW(settle),
#else
                                      NULL,
                                      NULL,
#endif
#if FOLDED
                                      ROW(join),
                                      ROW(unfold),
#else
                                      ROW(merge_all),
                                      NULL,
#endif
                                      IS_ARG || WHOLE_TREE   ? 24
                                      : LEADS || ONE_BY_ONE  ? 16
                                      : IS(fmin) || IS(fmax) ? 128
                                                             : 48,
#if BLANKS && SCANS
                                      sizeof(ROW(acc)) == sizeof(ROW(value)),
                                      ONE_BY_ONE
#else
                                      false,
                                      false
#endif
};
_Static_assert(sizeof(ROW(acc)) <= MA_MAX_PARTIAL, "a partial result fits its room");

#undef SINGLE
#undef PASTE4
#undef PASTE3
#undef PASTE2
#undef PASTE1
#undef ROW
#undef IS
#undef TYPE
#undef IS_ARG
#undef IS_COMPLEX
#undef IS_FLOAT
#undef CLONES
#undef LEADS
#undef BLANKS
#undef PADS
#undef SCANS
#undef WHOLE_TREE
#undef FOLDED
#undef ONE_BY_ONE
#undef IDEMPOTENT
#undef NONE
