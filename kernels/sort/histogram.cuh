/*
** histogram.cuh: counts in bins, searches, the least and greatest element, and changes between sorted elements. The
** text before it has order.h and
**   item         an element in memory
**   ORDER(x)     its number by order.h; KEY the type of the number, LESS(a, b) the order, IS_NAN(a)
**   UNORDER(key) for EXTREMES: converts back to an element
**   edge         for HISTOGRAM: float or double, in which values are compared; AS_EDGE(x) converts
*/
#ifdef HISTOGRAM
struct histogram {
  const item *values;
  const edge *edges;
  u8 n;
  u4 bins, uniform, copies;
  long long *counts;
};

/* The last edge that is not above x, where edges[0] <= x < edges[bins]. */
static __device__ __forceinline__ u4 find_bin(const edge *edges, u4 bins, edge x) {
  u4 lo = 0, hi = bins;
  while (hi - lo > 1) {
    const u4 middle = lo + (hi - lo) / 2;
    if (x < edges[middle]) hi = middle;
    else lo = middle;
  }
  return lo;
}

/* What is the same for all values. With evenly spaced edges, arithmetic gives the bin of a value that is more than
** `doubt` bins away from an edge. x * scale + shift is the value's place less a half, and adding and subtracting ROUND
** rounds it to the bin's number. */
struct bins {
  edge low, high, scale, shift, near;
  u4 n, last;
  bool even;
};

#define ROUND (sizeof(edge) == 4 ? (edge)0x1.8p23 : (edge)0x1.8p52)
static __device__ __forceinline__ u4 low_word(float x) { return __float_as_uint(x); }
static __device__ __forceinline__ u4 low_word(double x) { return (u4)__double_as_longlong(x); }
static __device__ __forceinline__ float fused(float x, float y, float z) { return __fmaf_rn(x, y, z); }
static __device__ __forceinline__ float magnitude(float x) { return fabsf(x); }
static __device__ __forceinline__ double magnitude(double x) { return fabs(x); }
static __device__ __forceinline__ double fused(double x, double y, double z) { return __fma_rn(x, y, z); }

static __device__ __forceinline__ bins bins_of(const histogram &h) {
  const edge epsilon = sizeof(edge) == 4 ? (edge)0x1p-23 : (edge)0x1p-52;
  bins b;
  b.n = h.bins;
  b.last = h.bins - 1;
  b.low = h.edges[0];
  b.high = h.edges[h.bins];
  b.scale = (edge)h.bins / (b.high - b.low);
  b.shift = -b.low * b.scale - (edge)0.5;
  const edge most = b.low < 0 ? (b.high > -b.low ? b.high : -b.low) : b.high;
  b.near = (edge)0.5 - 8 * epsilon * ((edge)h.bins + most * b.scale);
  b.even = h.uniform && b.scale - b.scale == 0 && b.near > 0 && h.bins <= 1u << 21;
  return b;
}

/* Whether arithmetic gives the bin k of x for certain. */
static __device__ __forceinline__ bool guess(const bins &b, edge x, u4 &k) {
  const edge t = fused(x, b.scale, b.shift), up = t + ROUND, off = t - (up - ROUND);
  k = low_word(up) - low_word(ROUND);
  return magnitude(off) < b.near && k < b.n;
}

/* Corrects the bin that arithmetic gives by comparing with the edges, for low <= x <= high. */
static __device__ __noinline__ u4 settle(const edge *edges, edge low, edge scale, u4 last, edge x) {
  u4 k = (u4)((x - low) * scale);
  if (k > last) k = last;
  while (k > 0 && x < edges[k]) k--;
  while (k < last && x >= edges[k + 1]) k++;
  return k;
}

struct ends {
  const item *two;
  edge *edges;
  u4 bins;
};

/* Makes evenly spaced edges in NumPy's order of operations, as src/cpu/sort/histogram.c does. */
MA_KERNEL __launch_bounds__(MA_THREADS) spread_edges(const ends e) {
  edge start = AS_EDGE(e.two[0]), stop = AS_EDGE(e.two[1]);
  if (start == stop) start -= (edge)0.5, stop += (edge)0.5;
  const edge delta = stop - start, step = delta / (edge)e.bins;
  for (u4 k = blockIdx.x * MA_THREADS + threadIdx.x; k <= e.bins; k += gridDim.x * MA_THREADS)
    e.edges[k] = k == e.bins ? stop : (step == 0 ? (edge)k / (edge)e.bins * delta : (edge)k * step) + start;
}

/* Calls f with V neighbouring elements, or fewer, at a time, from the end on. If the elements were just read for their
** extremes, the last ones are still in the cache. */
#define LOADS 4
#define V (16 / (int)sizeof(item))
template <class F> static __device__ __forceinline__ void each(const histogram &h, F f) {
  const char *from = (const char *)h.values;
  const bool wide = ((u8)from & 15) == 0;
  const u8 step = (u8)gridDim.x * blockDim.x * V, mine = ((u8)blockIdx.x * blockDim.x + threadIdx.x) * V;
  for (u8 sweep = (h.n + LOADS * step - 1) / (LOADS * step); sweep-- > 0;) {
    const u8 first = sweep * LOADS * step + mine;
    pack<item, V> m[LOADS];
    edge x[V];
    if (wide && first + (LOADS - 1) * step + V <= h.n) {
#pragma unroll
      for (int k = 0; k < LOADS; k++) m[k].load_all(from + (first + k * step) * sizeof(item));
#pragma unroll
      for (int k = 0; k < LOADS; k++) {
#pragma unroll
        for (int v = 0; v < V; v++) x[v] = AS_EDGE(m[k].v[v]);
        f(x, V);
      }
      continue;
    }
    for (int k = 0; k < LOADS; k++) {
      const u8 i = first + k * step;
      if (i >= h.n) continue;
      const int n = h.n - i < V ? (int)(h.n - i) : V;
#pragma unroll
      for (int v = 0; v < V; v++) x[v] = AS_EDGE(h.values[v < n ? i + v : i]);
      f(x, n);
    }
  }
}

/* Calls f with the bin of each value, or with h.bins for a value without a bin. The values whose bin arithmetic gives
** come first, without a branch. */
template <class F> static __device__ __forceinline__ void each_bin(const histogram &h, F f) {
  const bins b = bins_of(h);
  if (b.even)
    each(h, [&](const edge *x, int n) {
      bool plain[V], all = true;
#pragma unroll
      for (int v = 0; v < V; v++) {
        u4 k;
        plain[v] = guess(b, x[v], k);
        all = all && plain[v];
        f(plain[v] && v < n ? k : b.n);
      }
      if (all) return;
#pragma unroll
      for (int v = 0; v < V; v++)
        if (!plain[v] && v < n && x[v] >= b.low && x[v] <= b.high) f(settle(h.edges, b.low, b.scale, b.last, x[v]));
    });
  else
    each(h, [&](const edge *x, int n) {
#pragma unroll
      for (int v = 0; v < V; v++)
        if (v < n && x[v] >= b.low && x[v] <= b.high) f(x[v] == b.high ? b.last : find_bin(h.edges, b.n, x[v]));
    });
}

/* Counts in several copies of the bins in the block's shared memory, so that lanes of a warp seldom collide. The copies
** are added to the global bins at the end. */
MA_KERNEL __launch_bounds__(512, 3) count_shared(const histogram h) {
  __shared__ u4 shared_bins[SHARED_BINS + 32];
  const u4 all = h.bins * h.copies;
  u4 *own = shared_bins + threadIdx.x % h.copies;
  for (u4 k = threadIdx.x; k < all; k += blockDim.x) shared_bins[k] = 0;
  __syncthreads();
  each_bin(h, [&](u4 k) { atomicAdd(own + k * h.copies, 1u); });
  __syncthreads();
  for (u4 k = threadIdx.x; k < h.bins; k += blockDim.x) {
    u4 sum = 0;
    for (u4 c = 0; c < h.copies; c++) sum += shared_bins[k * h.copies + (c + k) % h.copies];
    if (sum) atomicAdd((unsigned long long *)h.counts + k, (unsigned long long)sum);
  }
}

/* Counts in global memory, for more bins than a block has room for. */
MA_KERNEL __launch_bounds__(512, 3) count_global(const histogram h) {
  each_bin(h, [&](u4 k) {
    if (k < h.bins) atomicAdd((unsigned long long *)h.counts + k, 1ull);
  });
}
#undef V
#endif

#ifdef SEARCH
struct search {
  const item *sorted;
  const item *values;
  const long long *sorter;
  long long n, count;
  long long *positions;
  int right;
};

static __device__ __forceinline__ KEY key_at(const search &s, u8 at) {
  if (s.sorter) {
    const long long place = s.sorter[at];
    at = place < 0 ? s.n + place : place - 1;
    if ((long long)at < 0 || (long long)at >= s.n) at = 0;
  }
  return ORDER(s.sorted[at]);
}

/* A thread searches for EACH values at once. All searches halve the same number of elements, so their reads are under
** way together. */
template <class PLACE, int EACH> static __device__ __forceinline__ void search_all(const search &s) {
  const long long step = (long long)gridDim.x * blockDim.x, last = s.count - 1;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i <= last; i += step * EACH) {
    KEY key[EACH];
    PLACE lo[EACH], size = (PLACE)s.n;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      key[k] = ORDER(s.values[i + k * step < last ? i + k * step : last]);
      lo[k] = 0;
    }
#pragma unroll 1
    while (size > 0) {
      const PLACE half = size - size / 2; /* the last element is looked at by itself */
      KEY other[EACH];
#pragma unroll
      for (int k = 0; k < EACH; k++) other[k] = key_at(s, lo[k] + half - 1);
#pragma unroll
      for (int k = 0; k < EACH; k++)
        if (s.right ? !LESS(key[k], other[k]) : LESS(other[k], key[k])) lo[k] += half;
      size -= half;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
      if (i + k * step <= last) s.positions[i + k * step] = (long long)lo[k] + 1;
  }
}

MA_KERNEL __launch_bounds__(MA_THREADS) search_sorted(const search s) {
  if (s.n >> 31) search_all<u8, 1>(s);
  else if (s.count <= (long long)gridDim.x * blockDim.x) search_all<u4, 1>(s);
  else search_all<u4, 4>(s);
}
#endif

#ifdef EXTREMES
struct extremes {
  const item *from;
  u8 n;
  KEY *partial;
  item *two;
};

static __device__ __forceinline__ void fold_block(KEY &low, KEY &high) {
  __shared__ KEY lows[MA_THREADS], highs[MA_THREADS];
  const int t = threadIdx.x;
  lows[t] = low;
  highs[t] = high;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) {
      lows[t] = min(lows[t], lows[t + step]);
      highs[t] = max(highs[t], highs[t + step]);
    }
    __syncthreads();
  }
  low = lows[0];
  high = highs[0];
}

#define LOADS 4
MA_KERNEL __launch_bounds__(MA_THREADS) find_extremes(const extremes e) {
  enum { V = 16 / sizeof(item) };
  const char *from = (const char *)e.from;
  const bool wide = ((u8)from & 15) == 0;
  const u8 step = (u8)gridDim.x * MA_THREADS * V;
  KEY low = ~(KEY)0, high = 0;
  for (u8 first = ((u8)blockIdx.x * MA_THREADS + threadIdx.x) * V; first < e.n; first += LOADS * step) {
    if (wide && first + (LOADS - 1) * step + V <= e.n) {
      pack<item, V> x[LOADS];
#pragma unroll
      for (int k = 0; k < LOADS; k++) x[k].load_all(from + (first + k * step) * sizeof(item));
#pragma unroll
      for (int k = 0; k < LOADS; k++)
#pragma unroll
        for (int v = 0; v < V; v++) {
          const KEY key = ORDER(x[k].v[v]);
          low = min(low, key);
          high = max(high, key);
        }
      continue;
    }
    for (int k = 0; k < LOADS; k++)
      for (int v = 0; v < V; v++) {
        const u8 i = first + k * step + v;
        if (i >= e.n) continue;
        const KEY key = ORDER(e.from[i]);
        low = min(low, key);
        high = max(high, key);
      }
  }
  fold_block(low, high);
  if (threadIdx.x == 0) {
    e.partial[2 * blockIdx.x] = low;
    e.partial[2 * blockIdx.x + 1] = high;
  }
}

/* Reduces the `n` pairs of find_extremes, in one block. */
MA_KERNEL __launch_bounds__(MA_THREADS) end_extremes(const extremes e) {
  KEY low = ~(KEY)0, high = 0;
  for (u8 i = threadIdx.x; i < e.n; i += MA_THREADS) {
    low = min(low, e.partial[2 * i]);
    high = max(high, e.partial[2 * i + 1]);
  }
  fold_block(low, high);
  if (threadIdx.x == 0) {
    e.two[0] = UNORDER(low);
    e.two[1] = UNORDER(high);
  }
}
#endif

#ifdef CHANGES
struct changes {
  const item *sorted;
  u8 n;
  u1 *mask;
  int equal_nan;
};

/* A thread takes 16 elements, and writes their results together. */
MA_KERNEL __launch_bounds__(MA_THREADS) find_changes(const changes c) {
  const u8 step = (u8)gridDim.x * MA_THREADS * 16;
  for (u8 first = ((u8)blockIdx.x * MA_THREADS + threadIdx.x) * 16; first < c.n; first += step) {
    const int n = c.n - first < 16 ? (int)(c.n - first) : 16;
    pack<item, 16> x;
    pack<u1, 16> answer;
    if (n == 16 && ((u8)c.sorted & 15) == 0) x.load_all((const char *)(c.sorted + first));
    else x.load_some((const char *)(c.sorted + first), sizeof(item), n);
    KEY before = ORDER(c.sorted[first ? first - 1 : 0]);
#pragma unroll
    for (int k = 0; k < 16; k++) {
      answer.v[k] = 0;
      if (k >= n) continue;
      const KEY key = ORDER(x.v[k]);
      const bool changed = IS_NAN(key) ? !c.equal_nan || !IS_NAN(before) : LESS(before, key);
      answer.v[k] = changed || first + k == 0;
      before = key;
    }
    if (n == 16) answer.store_all((char *)c.mask + first);
    else answer.store_some((char *)c.mask + first, 1, n);
  }
}
#endif
