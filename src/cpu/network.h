/*
** network.h: the sorting network of network.c for one width of number and one instruction set: included with NAME(what), NUMBER, LANES (numbers
** of a vector), MIN(a, b) and MAX(a, b). BIAS, if set, turns an unsigned number into the signed one that is compared.
**
** Bitonic merges in which every exchange puts the lesser number first: a half is turned round before it meets the other. Vectors behind the
** last one would hold the greatest numbers and stay where they are, so exchanges with them are left out.
*/
#define VECTOR NAME(vector)
#define INLINE static inline __attribute__((always_inline))
typedef NUMBER VECTOR __attribute__((vector_size(LANES * sizeof(NUMBER))));

#if LANES == 16
#define LANES_OF(f, c) f(0, c), f(1, c), f(2, c), f(3, c), f(4, c), f(5, c), f(6, c), f(7, c), \
  f(8, c), f(9, c), f(10, c), f(11, c), f(12, c), f(13, c), f(14, c), f(15, c)
#elif LANES == 8
#define LANES_OF(f, c) f(0, c), f(1, c), f(2, c), f(3, c), f(4, c), f(5, c), f(6, c), f(7, c)
#else
#define LANES_OF(f, c) f(0, c), f(1, c), f(2, c), f(3, c)
#endif
#define PARTNER(i, c) ((i) ^ (c)) % LANES
#define CHOICE(i, bit) ((i) & (bit) ? (i) + LANES : (i))
#ifdef __clang__
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (VECTOR){ __VA_ARGS__ })
#endif
#define EXCHANGE(x, y) do { VECTOR least_ = MIN(x, y); y = MAX(x, y); x = least_; } while (0)
#define TURN(x) PICK(x, x, LANES_OF(PARTNER, LANES - 1))
/* Lane i with lane i ^ c, of which that without `bit` is the first. */
#define EXCHANGE_LANES(x, c, bit) do { \
    VECTOR other_ = PICK(x, x, LANES_OF(PARTNER, c)); \
    x = PICK(MIN(x, other_), MAX(x, other_), LANES_OF(CHOICE, bit)); \
  } while (0)

INLINE VECTOR NAME(sort_vector)(VECTOR x)
{
  EXCHANGE_LANES(x, 1, 1);
  EXCHANGE_LANES(x, 3, 2); EXCHANGE_LANES(x, 1, 1);
#if LANES > 4
  EXCHANGE_LANES(x, 7, 4); EXCHANGE_LANES(x, 2, 2); EXCHANGE_LANES(x, 1, 1);
#endif
#if LANES > 8
  EXCHANGE_LANES(x, 15, 8); EXCHANGE_LANES(x, 4, 4); EXCHANGE_LANES(x, 2, 2); EXCHANGE_LANES(x, 1, 1);
#endif
  return x;
}

/* The end of a merge. */
INLINE VECTOR NAME(settle)(VECTOR x)
{
#if LANES > 8
  EXCHANGE_LANES(x, 8, 8);
#endif
#if LANES > 4
  EXCHANGE_LANES(x, 4, 4);
#endif
  EXCHANGE_LANES(x, 2, 2); EXCHANGE_LANES(x, 1, 1);
  return x;
}

INLINE void NAME(sort_four)(VECTOR *v)
{
  VECTOR a = NAME(sort_vector)(v[0]), b = NAME(sort_vector)(v[1]), c = NAME(sort_vector)(v[2]), d = NAME(sort_vector)(v[3]);
  b = TURN(b); EXCHANGE(a, b); b = TURN(b);
  d = TURN(d); EXCHANGE(c, d); d = TURN(d);
  a = NAME(settle)(a); b = NAME(settle)(b); c = NAME(settle)(c); d = NAME(settle)(d);
  c = TURN(c); d = TURN(d); EXCHANGE(a, d); EXCHANGE(b, c); c = TURN(c); d = TURN(d);
  EXCHANGE(a, b); EXCHANGE(c, d);
  v[0] = NAME(settle)(a); v[1] = NAME(settle)(b); v[2] = NAME(settle)(c); v[3] = NAME(settle)(d);
}

/* The first step of merging runs of k / 2 vectors: each element of one with its mirror in the other. */
INLINE void NAME(mirror)(VECTOR *v, int k, int n)
{
  for (int first = 0; first < n; first += k)
    for (int i = k / 2 - 1; i >= 0 && first + k - 1 - i < n; i--) {
      VECTOR a = v[first + i], b = TURN(v[first + k - 1 - i]);
      EXCHANGE(a, b);
      v[first + i] = a;
      v[first + k - 1 - i] = TURN(b);
    }
}

INLINE void NAME(step)(VECTOR *v, int k, int n)
{
  for (int first = 0; first < n; first += 2 * k)
    for (int i = first; i < first + k && i + k < n; i++) EXCHANGE(v[i], v[i + k]);
}

/* Steps over k vectors and k / 2. */
INLINE void NAME(two_steps)(VECTOR *v, int k, int n)
{
  int half = k / 2, first = 0;
  for (; first + 2 * k <= n; first += 2 * k)
    for (int i = first; i < first + half; i++) {
      VECTOR a = v[i], b = v[i + half], c = v[i + k], d = v[i + k + half];
      EXCHANGE(a, c); EXCHANGE(b, d);
      EXCHANGE(a, b); EXCHANGE(c, d);
      v[i] = a; v[i + half] = b; v[i + k] = c; v[i + k + half] = d;
    }
  NAME(step)(v + first, k, n - first);
  NAME(step)(v + first, half, n - first);
}

/* Those over two vectors and one, and within. */
INLINE void NAME(last_steps)(VECTOR *v, int n)
{
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    VECTOR a = v[i], b = v[i + 1], c = v[i + 2], d = v[i + 3];
    EXCHANGE(a, c); EXCHANGE(b, d);
    EXCHANGE(a, b); EXCHANGE(c, d);
    v[i] = NAME(settle)(a); v[i + 1] = NAME(settle)(b); v[i + 2] = NAME(settle)(c); v[i + 3] = NAME(settle)(d);
  }
  if (i + 2 < n) EXCHANGE(v[i], v[i + 2]);
  if (i + 1 < n) EXCHANGE(v[i], v[i + 1]);
  for (; i < n; i++) v[i] = NAME(settle)(v[i]);
}

/* `count` is a multiple of MA_NETWORK_PAD, which LANES divides. */
static void NAME(sort)(void *numbers, int count)
{
  VECTOR *v = numbers, rest[4];
  int n = count / LANES, i = 0;
#ifdef BIAS
  for (int k = 0; k < n; k++) v[k] ^= BIAS;
#endif
  for (; i + 4 <= n; i += 4) NAME(sort_four)(v + i);
  if (i < n) {
    for (int k = 0; k < 4; k++) rest[k] = v[i + k < n ? i + k : n - 1];
    for (int k = n - i; k < 4; k++) rest[k] = (VECTOR){ 0 } + GREATEST;
    NAME(sort_four)(rest);
    for (int k = 0; i + k < n; k++) v[i + k] = rest[k];
  }
  for (int k = 8; k / 2 < n; k *= 2) {
    int j = k / 4;
    NAME(mirror)(v, k, n);
    for (; j >= 8; j /= 4) NAME(two_steps)(v, j, n);
    if (j == 4) NAME(step)(v, 4, n);
    NAME(last_steps)(v, n);
  }
#ifdef BIAS
  for (int k = 0; k < n; k++) v[k] ^= BIAS;
#endif
}

#undef VECTOR
#undef INLINE
#undef LANES_OF
#undef PARTNER
#undef CHOICE
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
#undef GREATEST
