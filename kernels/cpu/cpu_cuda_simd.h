/* cpu_cuda_simd.h: operations on two halves or four bytes of a word, on a CPU: __vadd2, __vmaxs4, __viaddmax_s16x2
** ... */

/* Applies f to each lane of type L. */
template <class L, class F> static inline unsigned ma_lanes(unsigned a, unsigned b, unsigned c, F f) {
  const unsigned bits = 8 * sizeof(L), all = (1u << bits) - 1;
  unsigned r = 0;
  for (unsigned k = 0; k < 32; k += bits)
    r |= ((unsigned)f((int)(L)(a >> k), (int)(L)(b >> k), (int)(L)(c >> k)) & all) << k;
  return r;
}
template <class L> static inline int ma_kept_within(int x) {
  const int bits = 8 * (int)sizeof(L), high = (L)-1 < 0 ? (1 << (bits - 1)) - 1 : (1 << bits) - 1,
            low = (L)-1 < 0 ? -high - 1 : 0;
  return x < low ? low : x > high ? high : x;
}
static inline int ma_distance(int x, int y) { return x < y ? y - x : x - y; }
static inline int ma_of_two(int x, int y, bool first) { return first ? x : y; }

#define MA_LANES(name, L_, value)                               \
  static inline unsigned name(unsigned a, unsigned b) {         \
    return ma_lanes<L_>(a, b, 0, [](int x, int y, int) -> int { \
      typedef L_ L;                                             \
      (void)(L)y;                                               \
      return value;                                             \
    });                                                         \
  }
#define MA_LANES_OF_ONE(name, L_, value)                      \
  static inline unsigned name(unsigned a) {                   \
    return ma_lanes<L_>(a, 0, 0, [](int x, int, int) -> int { \
      typedef L_ L;                                           \
      (void)(L)x;                                             \
      return value;                                           \
    });                                                       \
  }
#define MA_SIGNED(name, value) MA_LANES(__v##name##2, short, value) MA_LANES(__v##name##4, signed char, value)
#define MA_UNSIGNED(name, value) \
  MA_LANES(__v##name##2, unsigned short, value) MA_LANES(__v##name##4, unsigned char, value)
#define MA_SIGNED_OF_ONE(name, value) \
  MA_LANES_OF_ONE(__v##name##2, short, value) MA_LANES_OF_ONE(__v##name##4, signed char, value)
MA_SIGNED_OF_ONE(abs, x < 0 ? -x : x)
MA_SIGNED_OF_ONE(absss, ma_kept_within<L>(x < 0 ? -x : x))
MA_SIGNED_OF_ONE(neg, -x)
MA_SIGNED_OF_ONE(negss, ma_kept_within<L>(-x))
MA_UNSIGNED(add, x + y)
MA_SIGNED(addss, ma_kept_within<L>(x + y))
MA_UNSIGNED(addus, ma_kept_within<L>(x + y))
MA_UNSIGNED(sub, x - y)
MA_SIGNED(subss, ma_kept_within<L>(x - y))
MA_UNSIGNED(subus, ma_kept_within<L>(x - y))
MA_SIGNED(avgs, (x + y + (x + y >= 0)) >> 1)
MA_UNSIGNED(avgu, (x + y + 1) >> 1)
MA_UNSIGNED(haddu, (x + y) >> 1)
MA_SIGNED(maxs, ma_of_two(x, y, x > y))
MA_UNSIGNED(maxu, ma_of_two(x, y, x > y))
MA_SIGNED(mins, ma_of_two(x, y, x < y))
MA_UNSIGNED(minu, ma_of_two(x, y, x < y))
MA_SIGNED(absdiffs, ma_distance(x, y))
MA_UNSIGNED(absdiffu, ma_distance(x, y))
#define MA_COMPARE(kind, name, op) MA_##kind(cmp##name, -(x op y)) MA_##kind(set##name, x op y)
MA_COMPARE(UNSIGNED, eq, ==)
MA_COMPARE(UNSIGNED, ne, !=)
MA_COMPARE(SIGNED, ges, >=)
MA_COMPARE(SIGNED, gts, >)
MA_COMPARE(SIGNED, les, <=)
MA_COMPARE(SIGNED, lts, <)
MA_COMPARE(UNSIGNED, geu, >=)
MA_COMPARE(UNSIGNED, gtu, >)
MA_COMPARE(UNSIGNED, leu, <=)
MA_COMPARE(UNSIGNED, ltu, <)
#undef MA_COMPARE

/* Sums of absolute differences. */
#define MA_DISTANCES(name, L)                                                                                \
  static inline unsigned name(unsigned a, unsigned b) {                                                      \
    unsigned sum = 0;                                                                                        \
    for (unsigned k = 0; k < 32; k += 8 * sizeof(L)) sum += (unsigned)ma_distance((L)(a >> k), (L)(b >> k)); \
    return sum;                                                                                              \
  }
MA_DISTANCES(__vsads2, short)
MA_DISTANCES(__vsads4, signed char)
MA_DISTANCES(__vsadu2, unsigned short)
MA_DISTANCES(__vsadu4, unsigned char)
#undef MA_DISTANCES

/* ==== Minimum and maximum: of three, of a sum, and with the choice ================================================ */

template <class T> static inline T ma_added(T a, T b) { return (T)((unsigned)a + (unsigned)b); }
template <class T> static inline T ma_max(T a, T b) { return a > b ? a : b; }
template <class T> static inline T ma_min(T a, T b) { return a < b ? a : b; }
#define MA_WORDS(kind, T, choose, m)                                                   \
  static inline T __vi##m##3_##kind(T a, T b, T c) { return choose(choose(a, b), c); } \
  static inline T __viadd##m##_##kind(T a, T b, T c) { return choose(ma_added(a, b), c); }
#define MA_WORDS_RELU(kind, T, choose, m)                                                                   \
  static inline T __vi##m##_##kind##_relu(T a, T b) { return ma_max<T>(choose(a, b), 0); }                  \
  static inline T __vi##m##3_##kind##_relu(T a, T b, T c) { return ma_max<T>(choose(choose(a, b), c), 0); } \
  static inline T __viadd##m##_##kind##_relu(T a, T b, T c) { return ma_max<T>(choose(ma_added(a, b), c), 0); }
#define MA_THREE(name, L_, value)                                   \
  static inline unsigned name(unsigned a, unsigned b, unsigned c) { \
    return ma_lanes<L_>(a, b, c, [](int x, int y, int z) -> int {   \
      typedef L_ L;                                                 \
      (void)(L)z;                                                   \
      return value;                                                 \
    });                                                             \
  }
#define MA_HALVES(kind, L, choose, m)                     \
  MA_THREE(__vi##m##3_##kind, L, choose(choose(x, y), z)) \
  MA_THREE(__viadd##m##_##kind, L, choose((int)(L)(x + y), z))
#define MA_HALVES_RELU(kind, L, choose, m)                                  \
  MA_LANES(__vi##m##_##kind##_relu, L, ma_max(choose(x, y), 0))             \
  MA_THREE(__vi##m##3_##kind##_relu, L, ma_max(choose(choose(x, y), z), 0)) \
  MA_THREE(__viadd##m##_##kind##_relu, L, ma_max(choose((int)(L)(x + y), z), 0))
#define MA_WHICH(kind, T, choose, m, op)                     \
  static inline T __vib##m##_##kind(T a, T b, bool *first) { \
    *first = a op b;                                         \
    return choose(a, b);                                     \
  }
#define MA_WHICH_HALVES(kind, L, choose, m, op)                                             \
  static inline unsigned __vib##m##_##kind(unsigned a, unsigned b, bool *high, bool *low) { \
    *high = (L)(a >> 16) op(L)(b >> 16);                                                    \
    *low = (L)a op(L) b;                                                                    \
    return ma_lanes<L>(a, b, 0, [](int x, int y, int) -> int { return choose(x, y); });     \
  }
#define MA_BOTH(choose, m, op)                \
  MA_WORDS(s32, int, choose, m)               \
  MA_WORDS(u32, unsigned, choose, m)          \
  MA_WORDS_RELU(s32, int, choose, m)          \
  MA_HALVES(s16x2, short, choose, m)          \
  MA_HALVES(u16x2, unsigned short, choose, m) \
  MA_HALVES_RELU(s16x2, short, choose, m)     \
  MA_WHICH(s32, int, choose, m, op)           \
  MA_WHICH(u32, unsigned, choose, m, op)      \
  MA_WHICH_HALVES(s16x2, short, choose, m, op) MA_WHICH_HALVES(u16x2, unsigned short, choose, m, op)
MA_BOTH(ma_max, max, >=)
MA_BOTH(ma_min, min, <=)
#undef MA_BOTH
#undef MA_WORDS
#undef MA_WORDS_RELU
#undef MA_THREE
#undef MA_HALVES
#undef MA_HALVES_RELU
#undef MA_WHICH
#undef MA_WHICH_HALVES
#undef MA_LANES
#undef MA_LANES_OF_ONE
#undef MA_SIGNED
#undef MA_UNSIGNED
#undef MA_SIGNED_OF_ONE
