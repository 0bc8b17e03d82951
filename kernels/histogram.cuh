/*
** histogram.cuh: counting by bins, searching, the least and greatest element, where sorted ones change. The text before this one has order.h and
**   item               an element as it lies in memory
**   ORDER(x)           its number by order.h, KEY the number's type, LESS(a, b) their order, IS_NAN(a), and for EXTREMES UNORDER(key), back to an element
** and for HISTOGRAM
**   edge               float or double, as which values are compared: AS_EDGE(x)
*/
#ifdef HISTOGRAM
struct histogram { const item *values; const edge *edges; u8 n; u4 bins, uniform, copies; long long *counts; };

/* The last edge that is not above x, of which edges[0] <= x < edges[bins] is known. */
static __device__ __forceinline__ u4 find_bin(const edge *edges, u4 bins, edge x) {
  u4 lo = 0, hi = bins;
  while (hi - lo > 1) {
    const u4 middle = lo + (hi - lo) / 2;
    if (x < edges[middle]) hi = middle;
    else lo = middle;
  }
  return lo;
}

/* From the bin that arithmetic gives, to the one that the edges say. */
static __device__ __noinline__ u4 settle(const edge *edges, u4 bins, edge x, u4 k) {
  while (k > 0 && x < edges[k]) k--;
  while (k < bins - 1 && x >= edges[k + 1]) k++;
  return k;
}

/* What is the same for all values. Where t, a value's place in bins, is further than `doubt` from a whole number, the edges agree. */
struct bins { edge low, high, scale, doubt; u4 n, last; bool guess; };

static __device__ __forceinline__ bins bins_of(const histogram &h) {
  const edge epsilon = sizeof(edge) == 4 ? (edge)0x1p-23 : (edge)0x1p-52;
  bins b;
  b.n = h.bins;
  b.last = h.bins - 1;
  b.low = h.edges[0];
  b.high = h.edges[h.bins];
  b.scale = (edge)h.bins / (b.high - b.low);
  const edge most = b.low < 0 ? (b.high > -b.low ? b.high : -b.low) : b.high;
  b.doubt = 8 * epsilon * ((edge)h.bins + most * b.scale);
  b.guess = h.uniform && b.scale - b.scale == 0 && b.doubt < (edge)0.5;
  return b;
}

static __device__ __forceinline__ u4 bin_of(const bins &b, const edge *edges, edge x) {
  if (x == b.high) return b.last;
  if (!b.guess) return find_bin(edges, b.n, x);
  const edge t = (x - b.low) * b.scale;
  u4 k = (u4)t;
  const edge part = t - (edge)k;
  if (part > b.doubt && part < 1 - b.doubt && k <= b.last) return k;
  return settle(edges, b.n, x, k > b.last ? b.last : k);
}

struct ends { const item *two; edge *edges; u4 bins; };

/* In NumPy's order of operations; the same as in src/cpu/histogram.c. */
MA_KERNEL __launch_bounds__(256) spread_edges(const ends e) {
  edge start = AS_EDGE(e.two[0]), stop = AS_EDGE(e.two[1]);
  if (start == stop) start -= (edge)0.5, stop += (edge)0.5;
  const edge delta = stop - start, step = delta / (edge)e.bins;
  for (u4 k = blockIdx.x * 256 + threadIdx.x; k <= e.bins; k += gridDim.x * 256)
    e.edges[k] = k == e.bins ? stop : (step == 0 ? (edge)k / (edge)e.bins * delta : (edge)k * step) + start;
}

#define LOADS 4
template <class F> static __device__ __forceinline__ void each(const histogram &h, F f) {
  enum { V = 16 / sizeof(item) };
  const char *from = (const char *)h.values;
  const bool wide = ((u8)from & 15) == 0;
  const u8 step = (u8)gridDim.x * blockDim.x * V;
  for (u8 first = ((u8)blockIdx.x * blockDim.x + threadIdx.x) * V; first < h.n; first += LOADS * step) {
    pack<item, V> x[LOADS];
    if (wide && first + (LOADS - 1) * step + V <= h.n) {
#pragma unroll
      for (int k = 0; k < LOADS; k++) x[k].load_all(from + (first + k * step) * sizeof(item));
#pragma unroll
      for (int k = 0; k < LOADS; k++)
#pragma unroll
        for (int v = 0; v < V; v++) f(x[k].v[v]);
      continue;
    }
    for (int k = 0; k < LOADS; k++)
      for (int v = 0; v < V; v++) {
        const u8 i = first + k * step + v;
        if (i < h.n) f(h.values[i]);
      }
  }
}

/* Bins of the block, several copies of them, so that lanes of a warp seldom meet; added to those of all at the end. */
MA_KERNEL __launch_bounds__(512, 3) count_shared(const histogram h) {
  __shared__ u4 shared_bins[SHARED_BINS];
  const bins b = bins_of(h);
  const u4 all = h.bins * h.copies;
  u4 *own = shared_bins + threadIdx.x % h.copies;
  for (u4 k = threadIdx.x; k < all; k += blockDim.x) shared_bins[k] = 0;
  __syncthreads();
  each(h, [&](item m) {
    const edge x = AS_EDGE(m);
    if (x >= b.low && x <= b.high) atomicAdd(own + bin_of(b, h.edges, x) * h.copies, 1u);
  });
  __syncthreads();
  for (u4 k = threadIdx.x; k < h.bins; k += blockDim.x) {
    u4 sum = 0;
    for (u4 c = 0; c < h.copies; c++) sum += shared_bins[k * h.copies + (c + k) % h.copies];
    if (sum) atomicAdd((unsigned long long *)h.counts + k, (unsigned long long)sum);
  }
}

/* More bins than a block has room for. */
MA_KERNEL __launch_bounds__(512, 3) count_global(const histogram h) {
  const bins b = bins_of(h);
  each(h, [&](item m) {
    const edge x = AS_EDGE(m);
    if (x >= b.low && x <= b.high) atomicAdd((unsigned long long *)h.counts + bin_of(b, h.edges, x), 1ull);
  });
}
#endif

#ifdef SEARCH
struct search { const item *sorted; const item *values; const long long *sorter; long long n, count; long long *positions; int right; };

MA_KERNEL __launch_bounds__(256) search_sorted(const search s) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < s.count; i += step) {
    const KEY key = ORDER(s.values[i]);
    long long lo = 0, size = s.n;
    while (size > 0) {
      const long long half = size / 2;
      long long at = lo + half;
      if (s.sorter) {
        at = s.sorter[at];
        at = at < 0 ? s.n + at : at - 1;
        if (at < 0 || at >= s.n) at = 0;
      }
      const KEY other = ORDER(s.sorted[at]);
      const bool before = s.right ? !LESS(key, other) : LESS(other, key);
      if (before) lo += half + 1;
      size = before ? size - half - 1 : half;
    }
    s.positions[i] = lo + 1;
  }
}
#endif

#ifdef EXTREMES
struct extremes { const item *from; u8 n; KEY *partial; item *two; };

static __device__ __forceinline__ void fold_block(KEY &low, KEY &high) {
  __shared__ KEY lows[256], highs[256];
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
MA_KERNEL __launch_bounds__(256) find_extremes(const extremes e) {
  enum { V = 16 / sizeof(item) };
  const char *from = (const char *)e.from;
  const bool wide = ((u8)from & 15) == 0;
  const u8 step = (u8)gridDim.x * 256 * V;
  KEY low = ~(KEY)0, high = 0;
  for (u8 first = ((u8)blockIdx.x * 256 + threadIdx.x) * V; first < e.n; first += LOADS * step) {
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

/* One block over what find_extremes left, `n` pairs. */
MA_KERNEL __launch_bounds__(256) end_extremes(const extremes e) {
  KEY low = ~(KEY)0, high = 0;
  for (u8 i = threadIdx.x; i < e.n; i += 256) {
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
struct changes { const item *sorted; u8 n; u1 *mask; int equal_nan; };

/* A thread takes 16 elements, whose answers it writes at once. */
MA_KERNEL __launch_bounds__(256) find_changes(const changes c) {
  const u8 step = (u8)gridDim.x * 256 * 16;
  for (u8 first = ((u8)blockIdx.x * 256 + threadIdx.x) * 16; first < c.n; first += step) {
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
