/*
** reduce.h: the reductions' monoids and their tree, as C11 and as CUDA C++, so that both devices give the same bits.
**
** The tree. The reduced elements, numbered r = 0 .. N-1 in C order, are cut into chunks of 1024. Leaf l (0 .. 127) of a
** chunk holds its elements l, l + 128, ... l + 7 * 128, combined in that order; the leaves are merged by the balanced
** binary tree in their order (l with l + 1, then pairs of pairs; what is missing at the end is skipped). Chunks are
** merged one after the other within a span of red_span(kept, N) chunks, and the spans of one result by the balanced
** tree in their order again. Nothing of it depends on strides, vector width, threads or the program in front, so equal
** values give equal bits. The 128 leaves are the lanes of a row-wise walk: a warp takes 16 bytes a thread, a CPU adds
** eight vectors. A walk down columns takes the leaves one by one and keeps a stack of the subtrees that are complete.
**
** Scans follow a tree of their own, of nested folds, each from its first to its last part: 16 elements are a strip, 8
** strips an octet, 4 octets a segment, 8 segments a tile, 32 tiles a super, 32 supers a group, and groups follow one
** another. With the fold of what comes before an element on each level, it is  (group + (super + tile)) + (segment +
** (octet + strip)) + own strip.
**
** Included with RED_MONOID undefined it gives the constants alone; then, once for each monoid and type, with
**   RED(name)     the name to give to a type or function of this instance
**   RED_MONOID    RED_sum, RED_prod ...
**   RED_CLASS     RED_INT (bool too), RED_FLOAT, RED_COMPLEX
**   RED_V, RED_W  the type of a value (a register's), and of its sums: int64, uint64, double, complex128
**   RED_LOW, RED_HIGH   least and greatest RED_V (min, max, arg)
**   RED_MASKED    1: any element may be left out; 0: bit 0 of `live` is set, and only the last leaves are not full
** it defines, and then undefines those,
**   RED(acc)      a partial result
**   RED(out)      the result, before its last rounding
**   RED(none)()   the value that changes nothing (not for arg, moments)
**   RED(leaf)(x0 .. x7, live, r)   a leaf: bit j of live says that x_j, element r + 128 * j, takes part
**   RED(merge)(a, b)               a's elements come before b's
**   RED(final)(a, count, param)    the result
** and three macros that stay until the next instance:
**   RED_ORDERLESS 1: merging in whatever order gives the same bits
**   RED_COUNTED   1: a partial result begins with the number of its elements, a double
**   RED_LONG      1: merging and leaves are long pieces of code
*/
#ifndef MOONARRAY_REDUCE_H
#define MOONARRAY_REDUCE_H

#define RED_CHUNK 1024
#define RED_LEAVES 128
#define RED_LEAF 8      /* elements in a leaf */
#define RED_SPANS 16384 /* spans of a result, at most */

#define SCAN_STRIP 16 /* elements */
#define SCAN_OCTET 128
#define SCAN_SEGMENT 512
#define SCAN_TILE 4096
#define SCAN_RADIX 32 /* tiles in a super, supers in a group */

#define RED_INT 0
#define RED_FLOAT 1
#define RED_COMPLEX 2

#define RED_sum 1
#define RED_prod 2
#define RED_min 3
#define RED_max 4
#define RED_fmin 5
#define RED_fmax 6
#define RED_argmin 7
#define RED_argmax 8
#define RED_any 9
#define RED_all 10
#define RED_count 11
#define RED_mean 12
#define RED_moments 13
#define RED_logaddexp 14
#define RED_band 15
#define RED_bor 16
#define RED_bxor 17
#define RED_user 18 /* RED_USER(a, b), a function of the user's */

#ifdef __cplusplus
#define RED_FN static __device__ __forceinline__
typedef long long red_i64;
#else
#define RED_FN static inline __attribute__((always_inline, unused))
typedef int64_t red_i64;
#endif

/* How many chunks a span has. Few results are split, so that many threads work; many results are not. A span has at
** least 4, so that there are few partial results. */
RED_FN red_i64 red_span(red_i64 kept, red_i64 count) {
  red_i64 chunks = (count + RED_CHUNK - 1) / RED_CHUNK;
  red_i64 want = kept < RED_SPANS ? (RED_SPANS + kept - 1) / kept : 1;
  red_i64 span = (chunks + want - 1) / want;
  return span < 4 ? 4 : span;
}

#ifdef __cplusplus
/* Returns b or a without a branch, since branches over structs take the compiler long. */
template <class T> RED_FN T red_pick(bool second, T a, T b) { return second ? b : a; }
template <class T> RED_FN T red_pick_parts(bool second, T a, T b) {
  T c;
  c.re = second ? b.re : a.re;
  c.im = second ? b.im : a.im;
  return c;
}
RED_FN ma_c64 red_pick(bool second, ma_c64 a, ma_c64 b) { return red_pick_parts(second, a, b); }
RED_FN ma_c128 red_pick(bool second, ma_c128 a, ma_c128 b) { return red_pick_parts(second, a, b); }
#endif

#define RED_EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#define RED_LIVE(j) (live >> j & 1)
#define RED_LEAF_PARAMETERS V x0, V x1, V x2, V x3, V x4, V x5, V x6, V x7, unsigned live, red_i64 r

#endif

#ifdef RED_MONOID
#undef RED_ORDERLESS
#undef RED_COUNTED
#undef RED_LONG
#if RED_MONOID == RED_argmin || RED_MONOID == RED_argmax ||                                                 \
  (RED_CLASS == RED_INT && RED_MONOID != RED_user && RED_MONOID != RED_mean && RED_MONOID != RED_moments && \
   RED_MONOID != RED_logaddexp)
#define RED_ORDERLESS 1 /* a number: the macros that it depends on are undefined behind the instance */
#else
#define RED_ORDERLESS 0
#endif
#if RED_MONOID == RED_moments
#define RED_COUNTED 1
#else
#define RED_COUNTED 0
#endif
#if RED_MONOID == RED_logaddexp
#define RED_LONG 1
#else
#define RED_LONG 0
#endif
#define V RED_V
#define W RED_W

/* RED_AND, RED_OR, RED_PICK(second, a, b) and RED_TAKE(condition, t, x). On a GPU structs are chosen without branches,
** which would take its compiler long. Elsewhere each is written as compilers make the faster code of it. Positions are
** chosen by red_pick for every dtype. */
#if defined __cplusplus && RED_CLASS == RED_COMPLEX
#define RED_AND &
#define RED_OR |
#define RED_PICK(second, a, b) red_pick(second, a, b)
#define RED_TAKE(condition, t, x) t = red_pick(condition, t, x);
#else
#define RED_AND &&
#define RED_OR ||
#define RED_PICK(second, a, b) ((second) ? (b) : (a))
#define RED_TAKE(condition, t, x) \
  if (condition) t = x;
#endif
#if RED_CLASS == RED_COMPLEX
#define RED_NAN(x) (((x).re != (x).re) RED_OR((x).im != (x).im))
#define RED_LT(x, y) (((x).re < (y).re) RED_OR(((x).re == (y).re) RED_AND((x).im < (y).im)))
#elif RED_CLASS == RED_FLOAT
#define RED_NAN(x) ((x) != (x))
#define RED_LT(x, y) ((x) < (y))
#else
#define RED_NAN(x) 0
#define RED_LT(x, y) ((x) < (y))
#endif

/* Whether x < y, or b is NaN; not if a is NaN. x and y are a and b in some order. On a GPU one comparison is "less or
** unordered". */
#if defined __cplusplus && RED_CLASS == RED_FLOAT
#define RED_PASSES(x, y, b, a) (((a) == (a)) & !((x) >= (y)))
#else
#define RED_PASSES(x, y, b, a) (!RED_NAN(a) RED_AND(RED_LT(x, y) RED_OR RED_NAN(b)))
#endif

/* ---- sum and mean: at most 8 terms in the value's own type, then in W. -0 is the neutral element of addition. ---- */
#if RED_MONOID == RED_sum || RED_MONOID == RED_mean
#if RED_CLASS == RED_COMPLEX
RED_FN V RED(plus)(V a, V b) {
  a.re += b.re;
  a.im += b.im;
  return a;
}
RED_FN W RED(wide)(V a) {
  W w;
  w.re = a.re;
  w.im = a.im;
  return w;
}
RED_FN W RED(add)(W a, W b) {
  a.re += b.re;
  a.im += b.im;
  return a;
}
/* Divides by n + 0i, as NumPy does: a part that is not finite reaches the other part. */
RED_FN W RED(over)(W a, double n) {
  W q;
  q.re = (a.re + a.im * 0.0) / n;
  q.im = (a.im - a.re * 0.0) / n;
  return q;
}
RED_FN V RED(none)(void) {
  V v;
  v.re = v.im = -0.0f;
  return v;
}
#define RED_POSITIVE(w) (w).re += 0.0, (w).im += 0.0
#else
RED_FN V RED(plus)(V a, V b) { return a + b; }
RED_FN W RED(wide)(V a) { return (W)a; }
RED_FN W RED(add)(W a, W b) { return a + b; }
RED_FN W RED(over)(W a, double n) { return (W)(a / n); }
RED_FN V RED(none)(void) { return (V)-0.0f; }
#define RED_POSITIVE(w) (w) += 0
#endif
RED_FN W RED(terms)(RED_LEAF_PARAMETERS) {
  V t = RED_MASKED && !(live & 1) ? RED(none)() : x0;
#define RED_STEP(j) RED_TAKE((j) && RED_LIVE(j), t, RED(plus)(t, x##j))
  RED_EACH(RED_STEP)
#undef RED_STEP
  return RED(wide)(t);
}
#if RED_MONOID == RED_mean && RED_MASKED
typedef struct {
  W s;
  double n;
} RED(acc);
RED_FN RED(acc) RED(leaf)(RED_LEAF_PARAMETERS) {
  RED(acc) a;
  a.s = RED(terms)(x0, x1, x2, x3, x4, x5, x6, x7, live, r);
  a.n = 0;
#define RED_STEP(j) a.n += RED_LIVE(j);
  RED_EACH(RED_STEP)
#undef RED_STEP
  return a;
}
RED_FN RED(acc) RED(merge)(RED(acc) a, RED(acc) b) {
  a.s = RED(add)(a.s, b.s);
  a.n += b.n;
  return a;
}
typedef W RED(out);
RED_FN W RED(final)(RED(acc) a, red_i64 count, double param) { return RED(over)(a.s, a.n); }
#else
typedef W RED(acc), RED(out);
RED_FN W RED(leaf)(RED_LEAF_PARAMETERS) { return RED(terms)(x0, x1, x2, x3, x4, x5, x6, x7, live, r); }
RED_FN W RED(merge)(W a, W b) { return RED(add)(a, b); }
RED_FN W RED(final)(W a, red_i64 count, double param) {
#if RED_MONOID == RED_mean
  return RED(over)(a, (double)count);
#else
  if (RED_MASKED) RED_POSITIVE(a); /* an empty sum is +0 */
  return a;
#endif
}
#endif
#undef RED_POSITIVE

/* ---- prod: in W from the start, because 8 factors may overflow although the product with others does not --------- */
#elif RED_MONOID == RED_prod
typedef W RED(acc), RED(out);
#if RED_CLASS == RED_COMPLEX
/* 1 changes nothing, even infinities, so it replaces missing values. */
RED_FN W RED(merge)(W a, W b) {
  W c;
#ifndef __cplusplus
  if (b.re == 1 && b.im == 0) return a;
  if (a.re == 1 && a.im == 0) return b;
#endif
  c.re = a.re * b.re - a.im * b.im;
  c.im = a.re * b.im + a.im * b.re;
#ifdef __cplusplus
  c = red_pick((a.re == 1) & (a.im == 0), c, b);
  c = red_pick((b.re == 1) & (b.im == 0), c, a);
#endif
  return c;
}
RED_FN W RED(wide)(V a) {
  W w;
  w.re = a.re;
  w.im = a.im;
  return w;
}
RED_FN W RED(one)(void) {
  W w;
  w.re = 1;
  w.im = 0;
  return w;
}
#else
RED_FN W RED(merge)(W a, W b) { return a * b; }
RED_FN W RED(wide)(V a) { return (W)a; }
RED_FN W RED(one)(void) { return 1; }
#endif
RED_FN W RED(leaf)(RED_LEAF_PARAMETERS) {
  W t = RED_MASKED && !(live & 1) ? RED(one)() : RED(wide)(x0);
#define RED_STEP(j) RED_TAKE((j) && RED_LIVE(j), t, RED(merge)(t, RED(wide)(x##j)))
  RED_EACH(RED_STEP)
#undef RED_STEP
  return t;
}
RED_FN V RED(none)(void) {
  V v;
#if RED_CLASS == RED_COMPLEX
  v.re = 1, v.im = 0;
#else
  v = 1;
#endif
  return v;
}
RED_FN W RED(final)(W a, red_i64 count, double param) { return a; }

/* ---- min, max, fmin, fmax, bitwise: one value; the earlier leaf wins a tie ---- */
#elif RED_MONOID == RED_min || RED_MONOID == RED_max || RED_MONOID == RED_fmin || RED_MONOID == RED_fmax || \
  RED_MONOID == RED_band || RED_MONOID == RED_bor || RED_MONOID == RED_bxor || RED_MONOID == RED_any ||     \
  RED_MONOID == RED_all
typedef V RED(acc), RED(out);
RED_FN V RED(merge)(V a, V b) {
#if RED_MONOID == RED_min
  return RED_PICK(RED_PASSES(b, a, b, a), a, b);
#elif RED_MONOID == RED_max
  return RED_PICK(RED_PASSES(a, b, b, a), a, b);
#elif RED_MONOID == RED_fmin
  return RED_PICK(RED_NAN(a) RED_OR RED_LT(b, a), a, b);
#elif RED_MONOID == RED_fmax
  return RED_PICK(RED_NAN(a) RED_OR RED_LT(a, b), a, b);
#elif RED_MONOID == RED_band || RED_MONOID == RED_all
  return (V)(a & b);
#elif RED_MONOID == RED_bor || RED_MONOID == RED_any
  return (V)(a | b);
#else
  return (V)(a ^ b);
#endif
}
RED_FN V RED(none)(void) {
#if (RED_MONOID == RED_fmin || RED_MONOID == RED_fmax) && RED_CLASS == RED_FLOAT
  return RED_HIGH - RED_HIGH; /* NaN, which any other value replaces */
#elif (RED_MONOID == RED_fmin || RED_MONOID == RED_fmax) && RED_CLASS == RED_COMPLEX
  V v = RED_HIGH;
  v.re -= v.re;
  return v;
#elif RED_MONOID == RED_min || RED_MONOID == RED_fmin
  return RED_HIGH;
#elif RED_MONOID == RED_max || RED_MONOID == RED_fmax
  return RED_LOW;
#elif RED_MONOID == RED_band
  return (V)-1;
#else
  return RED_MONOID == RED_all;
#endif
}
RED_FN V RED(leaf)(RED_LEAF_PARAMETERS) {
  V t = RED_MASKED && !(live & 1) ? RED(none)() : x0;
#define RED_STEP(j) RED_TAKE((j) && RED_LIVE(j), t, RED(merge)(t, x##j))
  RED_EACH(RED_STEP)
#undef RED_STEP
  return t;
}
RED_FN V RED(final)(V a, red_i64 count, double param) { return a; }

/* ---- count of true values ---- */
#elif RED_MONOID == RED_count
typedef red_i64 RED(acc), RED(out);
RED_FN V RED(none)(void) { return 0; }
RED_FN red_i64 RED(leaf)(RED_LEAF_PARAMETERS) {
  V t = 0; /* at most 8 */
#define RED_STEP(j) \
  if (RED_LIVE(j)) t = (V)(t + x##j);
  RED_EACH(RED_STEP)
#undef RED_STEP
  return t;
}
RED_FN red_i64 RED(merge)(red_i64 a, red_i64 b) { return a + b; }
RED_FN red_i64 RED(final)(red_i64 a, red_i64 count, double param) { return a; }

/* ---- argmin, argmax: the value and its number, the lower one of equals; -1 if there is none ---------------------- */
#elif RED_MONOID == RED_argmin || RED_MONOID == RED_argmax
#ifndef RED_POSITION /* a narrower type suffices for fewer elements */
#define RED_POSITION red_i64
#endif
typedef struct {
  V v;
  RED_POSITION r;
} RED(acc);
typedef red_i64 RED(out);
#if RED_MONOID == RED_argmin
#define RED_BETTER(b, a) RED_PASSES(b, a, b, a)
#define RED_NONE RED_HIGH
#else
#define RED_BETTER(b, a) RED_PASSES(a, b, b, a)
#define RED_NONE RED_LOW
#endif
RED_FN RED(acc) RED(leaf)(RED_LEAF_PARAMETERS) {
  RED(acc) a;
  int k = RED_MASKED ? -1 : 0;
#if RED_MASKED
  a.v = RED_NONE;
#define RED_WINS(j) (RED_LIVE(j) RED_AND((k < 0) RED_OR RED_BETTER(x##j, a.v)))
#else
  a.v = x0;
#define RED_WINS(j) ((j) && (RED_LIVE(j) RED_AND RED_BETTER(x##j, a.v)))
#endif
#if defined __cplusplus && (!RED_MASKED || RED_CLASS == RED_COMPLEX)
#define RED_STEP(j)                  \
  {                                  \
    const bool wins = RED_WINS(j);   \
    a.v = red_pick(wins, a.v, x##j); \
    k = wins ? j : k;                \
  }
#else
#define RED_STEP(j)  \
  if (RED_WINS(j)) { \
    a.v = x##j;      \
    k = j;           \
  }
#endif
  RED_EACH(RED_STEP)
#undef RED_STEP
#undef RED_WINS
  a.r = k < 0 ? -1 : (RED_POSITION)(r + k * RED_LEAVES);
  return a;
}
RED_FN RED(acc) RED(merge)(RED(acc) a, RED(acc) b) {
#ifdef __cplusplus
  bool later = RED_BETTER(b.v, a.v) | ((b.r < a.r) & !RED_BETTER(a.v, b.v));
  if (RED_MASKED) later = (b.r >= 0) & ((a.r < 0) | later);
  a.v = red_pick(later, a.v, b.v);
  a.r = later ? b.r : a.r;
  return a;
#else
#if RED_MASKED
  if (b.r < 0) return a;
  if (a.r < 0) return b;
#endif
  if (RED_BETTER(b.v, a.v)) return b;
  return b.r < a.r && !RED_BETTER(a.v, b.v) ? b : a;
#endif
}
RED_FN red_i64 RED(final)(RED(acc) a, red_i64 count, double param) { return (red_i64)a.r + 1; }
#undef RED_BETTER
#undef RED_NONE

/* ---- var, std: number, mean, sum of squared distances from it; merged by the method of Chan, Golub and LeVeque --- */
#elif RED_MONOID == RED_moments
#if RED_CLASS == RED_COMPLEX
typedef struct {
  double n, m2, re, im;
} RED(acc);
#else
typedef struct {
  double n, m2, re;
} RED(acc);
#endif
typedef double RED(out);
#define RED_STEP(j) double x##j,
RED_FN double RED(mean)(RED_EACH(RED_STEP) unsigned live, double n) {
#undef RED_STEP
  double s = 0;
#define RED_STEP(j) \
  if (RED_LIVE(j)) s += x##j;
  RED_EACH(RED_STEP)
#undef RED_STEP
  return n == 8 ? s * 0.125 : n == 0 ? 0 : s / n;
}
#define RED_STEP(j) double x##j,
RED_FN double RED(squares)(RED_EACH(RED_STEP) unsigned live, double mean) {
#undef RED_STEP
  double s = 0;
#define RED_STEP(j) \
  if (RED_LIVE(j)) s += (x##j - mean) * (x##j - mean);
  RED_EACH(RED_STEP)
#undef RED_STEP
  return s;
}
RED_FN RED(acc) RED(leaf)(RED_LEAF_PARAMETERS) {
  RED(acc) a;
  a.n = 0;
#define RED_STEP(j) a.n += RED_LIVE(j);
  RED_EACH(RED_STEP)
#undef RED_STEP
#if RED_CLASS == RED_COMPLEX
#define RED_STEP(j) x##j.re,
  a.re = RED(mean)(RED_EACH(RED_STEP) live, a.n);
  a.m2 = RED(squares)(RED_EACH(RED_STEP) live, a.re);
#undef RED_STEP
#define RED_STEP(j) x##j.im,
  a.im = RED(mean)(RED_EACH(RED_STEP) live, a.n);
  a.m2 += RED(squares)(RED_EACH(RED_STEP) live, a.im);
#undef RED_STEP
#else
#define RED_STEP(j) x##j,
  a.re = RED(mean)(RED_EACH(RED_STEP) live, a.n);
  a.m2 = RED(squares)(RED_EACH(RED_STEP) live, a.re);
#undef RED_STEP
#endif
  return a;
}
RED_FN RED(acc) RED(merge)(RED(acc) a, RED(acc) b) {
  RED(acc) c;
  double f, d;
#if RED_MASKED
  if (b.n == 0) return a;
  if (a.n == 0) return b;
#endif
  c.n = a.n + b.n;
  f = a.n == b.n ? 0.5 : b.n / c.n; /* 0.5 is the result of the division, but faster */
  d = b.re - a.re;
  c.re = a.re + d * f;
#if RED_CLASS == RED_COMPLEX
  c.im = b.im - a.im;
  d = d * d + c.im * c.im;
  c.im = a.im + c.im * f;
#else
  d = d * d;
#endif
  c.m2 = a.m2 + b.m2 + d * (a.n * f);
  return c;
}
/* The variance; for std the caller takes the root. */
RED_FN double RED(final)(RED(acc) a, red_i64 count, double ddof) {
  double n = a.n - ddof;
  return a.m2 / (n > 0 ? n : 0);
}

/* ---- logaddexp: the greatest, and the sum of exponentials relative to it, without its own 1, beside which a small
** term would be lost. No elements have a rest of -1. The exponentials are those of scalar/exponential.h. ---- */
#elif RED_MONOID == RED_logaddexp
typedef struct {
  double top, rest;
} RED(acc);
typedef double RED(out);
RED_FN V RED(none)(void) { return RED_LOW; }
/* e^(x - top) for x <= top, 1 where both are the same infinity */
RED_FN double RED(scale)(double x, double top) {
  double e = sizeof(V) == 4 ? red_exp_8_short(x - top) : red_exp_8(x - top);
  return x == top ? 1 : e;
}
RED_FN RED(acc) RED(leaf)(RED_LEAF_PARAMETERS) {
  RED(acc) a;
  V top = RED_LOW, tops = -1;
  double rest = 0;
#define RED_STEP(j) top = RED_LIVE(j) && (x##j > top || RED_NAN(x##j)) ? x##j : top;
  RED_EACH(RED_STEP)
#undef RED_STEP
#define RED_STEP(j)                                                                                \
  if (RED_LIVE(j)) {                                                                               \
    V e = sizeof(V) == 4 ? (V)red_exp_4((float)(x##j - top)) : (V)red_exp_8((double)(x##j - top)); \
    tops += x##j == top;                                                                           \
    rest += x##j == top ? 0 : e;                                                                   \
  }
  RED_EACH(RED_STEP)
#undef RED_STEP
  a.top = top;
  a.rest = rest + tops;
  return a;
}
RED_FN RED(acc) RED(merge)(RED(acc) a, RED(acc) b) {
  RED(acc) c;
  c.top = b.top > a.top || RED_NAN(b.top) ? b.top : a.top;
  int first = a.top == c.top;
  double most = first ? a.rest : b.rest, least = first ? b.rest : a.rest;
  c.rest = most + (least + 1) * RED(scale)(first ? b.top : a.top, c.top);
  return c;
}
RED_FN double RED(final)(RED(acc) a, red_i64 count, double param) { return a.top + log1p(a.rest); }

/* ---- the user's reduction ---- */
#elif RED_MONOID == RED_user
typedef V RED(acc), RED(out);
RED_FN V RED(merge)(V a, V b) { return RED_USER(a, b); }
RED_FN V RED(leaf)(RED_LEAF_PARAMETERS) {
  V t = x0;
#define RED_STEP(j) \
  if ((j) && RED_LIVE(j)) t = RED_USER(t, x##j);
  RED_EACH(RED_STEP)
#undef RED_STEP
  return t;
}
RED_FN V RED(final)(V a, red_i64 count, double param) { return a; }
#endif

#undef RED_AND
#undef RED_OR
#undef RED_PICK
#undef RED_TAKE
#undef RED_NAN
#undef RED_LT
#undef V
#undef W
#undef RED
#undef RED_MONOID
#undef RED_CLASS
#undef RED_V
#undef RED_W
#undef RED_LOW
#undef RED_HIGH
#undef RED_MASKED
#endif
