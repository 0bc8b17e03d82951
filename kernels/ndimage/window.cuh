/*
** window.cuh: a filter over places at any distances; a thread makes one result. The text before it has edge.h and
**   image, result, T, CUT   as for along.cuh
**   NDIM               axes; those that no place lies beyond are joined
**   NTAP               places, whose distances are in the parameters; 0: any number, in memory
**   OP                 0 the sum of weights times elements, 1 the least, 2 the greatest, 3 the element of a rank
**   WEIGHTS            1 and 2: weights are added to the elements
**   KEY, ENCODE, DECODE, BITS   3: the order of elements as unsigned numbers, and back; their bits
**   NETWORK(v)         3, and NTAP is not 0: puts the element of the rank into RANKED(v)
**   BIG                2^31 elements and more
**   NINE               3: the middle of 3 x 3 neighbours; a thread makes four results of a row, which share columns
*/

#if BIG
typedef i8 place;
#else
typedef i4 place;
#endif

struct window {
  const void *from;
  void *to;
  i8 total, rank;
  i8 shape[NDIM], low[NDIM], high[NDIM]; /* positions low .. high - 1 have all their places inside the image */
  i4 mode[NDIM];
  i4 ntap;
  double cval;
#if NTAP
  T weight[NTAP];
  place step[NTAP]; /* distances in elements */
  short offset[NTAP][NDIM];
#else
  const double *weight;
  const i8 *step;
  const i4 *offset;
#endif
};

#if NTAP
#define COUNT NTAP
#define OFFSET(k, d) p.offset[k][d]
#else
#define COUNT p.ntap
#define OFFSET(k, d) p.offset[(k)*NDIM + (d)]
#endif

struct spot {
  place at[NDIM], index;
  bool inside;
};

/* Not inlined, since few places lie beyond the edges. */
static __device__ __noinline__ i8 beyond(i8 at, i8 n, int mode) { return ma_edge_place(at, n, mode); }

static __device__ __forceinline__ T element(const window &p, const spot &s, int k) {
  const image::mem *from = (const image::mem *)p.from;
  if (s.inside) return (T)image::load(from[s.index + (place)p.step[k]]);
  i8 index = 0;
  bool out = false;
#pragma unroll
  for (int d = 0; d < NDIM; d++) {
    const i8 at = (i8)s.at[d] + OFFSET(k, d), n = p.shape[d];
    const i8 q = at >= 0 && at < n ? at : beyond(at, n, p.mode[d]);
    out |= q < 0;
    index = index * p.shape[d] + q;
  }
  return out ? (T)p.cval : (T)image::load(from[index]);
}

#if OP == 3
#if NTAP
static __device__ __forceinline__ T ranked(const window &p, const spot &s) {
  KEY v[NTAP];
#pragma unroll
  for (int k = 0; k < NTAP; k++) v[k] = ENCODE(element(p, s, k));
  NETWORK(v)
  return DECODE(RANKED(v));
}
#else
/* The key of rank `rank`: the greatest number that no more than `rank` keys are below, found bit by bit. */
static __device__ T ranked(const window &p, const spot &s) {
  KEY found = 0;
  for (int b = BITS - 1; b >= 0; b--) {
    const KEY next = found | (KEY)1 << b;
    i8 below = 0;
    for (int k = 0; k < COUNT; k++) below += (KEY)ENCODE(element(p, s, k)) < next;
    if (below <= p.rank) found = next;
  }
  return DECODE(found);
}
#endif
#endif

#if NINE
struct alignas(4 * sizeof(image::mem) > 16 ? 16 : 4 * sizeof(image::mem)) four_read {
  image::mem v[4];
};
struct alignas(4 * sizeof(result::mem) > 16 ? 16 : 4 * sizeof(result::mem)) four_written {
  result::mem v[4];
};

static __device__ __forceinline__ KEY lesser(KEY a, KEY b) { return a < b ? a : b; }
static __device__ __forceinline__ KEY greater(KEY a, KEY b) { return a < b ? b : a; }
static __device__ __forceinline__ KEY middle(KEY a, KEY b, KEY c) {
  return greater(lesser(a, b), lesser(greater(a, b), c));
}

/* The middle of nine elements in three sorted columns is the middle of three: the greatest of the columns' least, the
** middle of their middles, and the least of their greatest. */
static __device__ __forceinline__ void four_middles(const window &p, place index, bool wide) {
  KEY least[6], mid[6], most[6], v[3][6];
  four_written r;
#pragma unroll
  for (int row = 0; row < 3; row++) {
    const image::mem *from = (const image::mem *)p.from + (index + p.step[3 * row]);
    four_read f;
    if (wide) f = *(const four_read *)(from + 1);
    else {
#pragma unroll
      for (int c = 0; c < 4; c++) f.v[c] = from[c + 1];
    }
    v[row][0] = ENCODE((T)image::load(from[0]));
    v[row][5] = ENCODE((T)image::load(from[5]));
#pragma unroll
    for (int c = 0; c < 4; c++) v[row][c + 1] = ENCODE((T)image::load(f.v[c]));
  }
#pragma unroll
  for (int c = 0; c < 6; c++) {
    const KEY a = lesser(v[0][c], v[1][c]), b = greater(v[0][c], v[1][c]), d = lesser(b, v[2][c]);
    most[c] = greater(b, v[2][c]);
    mid[c] = greater(a, d);
    least[c] = lesser(a, d);
  }
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const KEY low = greater(greater(least[c], least[c + 1]), least[c + 2]);
    const KEY high = lesser(lesser(most[c], most[c + 1]), most[c + 2]);
    r.v[c] = CUT((T)DECODE(middle(low, middle(mid[c], mid[c + 1], mid[c + 2]), high)));
  }
  result::mem *to = (result::mem *)p.to + index;
  if (wide) *(four_written *)to = r;
  else {
#pragma unroll
    for (int c = 0; c < 4; c++) to[c] = r.v[c];
  }
}

MA_KERNEL __launch_bounds__(MA_THREADS) window_filter(const window p) {
  const i8 t = (i8)blockIdx.x * MA_THREADS + threadIdx.x;
  if (t >= p.total) return;
  const place width = (place)p.shape[1], groups = (width + 3) / 4, row = (place)t / groups,
              first = ((place)t - row * groups) * 4;
  const bool inside = row >= p.low[0] && row < p.high[0];
  if (inside && first >= p.low[1] && first + 3 < p.high[1]) {
    const bool wide = width % 4 == 0 && p.step[1] % 4 == 0 && (u8)p.from % sizeof(four_read) == 0 &&
                      (u8)p.to % sizeof(four_written) == 0;
    four_middles(p, row * width + first, wide);
    return;
  }
  for (place c = first; c < first + 4 && c < width; c++) {
    spot s;
    s.at[0] = row;
    s.at[1] = c;
    s.index = row * width + c;
    s.inside = inside && c >= p.low[1] && c < p.high[1];
    ((result::mem *)p.to)[s.index] = CUT(ranked(p, s));
  }
}
#else
MA_KERNEL __launch_bounds__(MA_THREADS) window_filter(const window p) {
  const i8 t = (i8)blockIdx.x * MA_THREADS + threadIdx.x;
  if (t >= p.total) return;
  spot s;
  place rest = (place)t;
  s.index = rest;
  s.inside = true;
#pragma unroll
  for (int d = NDIM - 1; d > 0; d--) {
    const place above = rest / (place)p.shape[d];
    s.at[d] = rest - above * (place)p.shape[d];
    rest = above;
  }
  s.at[0] = rest;
#pragma unroll
  for (int d = 0; d < NDIM; d++) s.inside = s.inside && s.at[d] >= p.low[d] && s.at[d] < p.high[d];
  T r;
#if OP == 0
  r = 0;
#pragma unroll
  for (int k = 0; k < COUNT; k++) r += element(p, s, k) * (T)p.weight[k];
#elif OP == 3
  r = ranked(p, s);
#else
#if WEIGHTS
#define VALUE(k) (element(p, s, k) + (T)p.weight[k])
#else
#define VALUE(k) element(p, s, k)
#endif
  r = VALUE(0);
#pragma unroll
  for (int k = 1; k < COUNT; k++) {
    const T v = VALUE(k);
    r = (OP == 1 ? r <= v : r >= v) || r != r ? r : v;
  }
#endif
  ((result::mem *)p.to)[s.index] = CUT(r);
}
#endif
