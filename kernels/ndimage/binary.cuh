/*
** binary.cuh: a step of binary dilation. An erosion is a dilation of the false elements. A thread computes 16
** neighbours of a row, as four words. A neighbour word at a distance that is no multiple of 4 is put together from the
** two aligned words that hold it. The text before this has image.cuh.
*/
struct step {
  image m;
  const u1 *from, *mask;
  u1 *to;
  const i4 *runs;     /* NDIM + 1 numbers each */
  place nrun, chunks; /* chunks: threads of a row */
  u4 flip, border;    /* 0x01010101 or 0: what is false, and what lies beyond the edges, in the dilation */
  i4 *changed;        /* by step; NULL: nobody wants to know */
  place turn;         /* of this step */
  int fresh;          /* `to` does not hold the values of two steps before */
};

#define WORDS (MA_BINARY_EACH / 4)

/* 1 in each byte that is not 0. */
static __device__ __forceinline__ u4 truth(u4 x) { return (((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x) >> 7 & 0x01010101u; }

/* A word whose bytes are 1 from the place `from` on, counted from its first byte. */
static __device__ __forceinline__ u4 behind(place from) {
  return from <= 0 ? 0x01010101u : from > 3 ? 0 : 0x01010101u << 8 * (int)from;
}

/* Adds the elements first .. first + 15 of a row of n to acc. Elements beyond the row's ends are `border`. */
static __device__ __forceinline__ void add_words(u4 *acc, const u1 *row, place n, place first, u4 flip, u4 border) {
  if (first >= 0 && first + MA_BINARY_EACH <= n) {
    const u8 address = (u8)(row + first);
    const u4 *words = (const u4 *)(address & ~(u8)3);
    const int shift = (int)(address & 3) * 8;
    u4 low = words[0];
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
      if (shift == 0) {
        acc[k] |= truth(low) ^ flip;
        if (k < WORDS - 1) low = words[k + 1];
        continue;
      }
      const u4 high = words[k + 1];
      acc[k] |= truth(low >> shift | high << (32 - shift)) ^ flip;
      low = high;
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < WORDS; k++) {
    u4 word = 0;
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const place at = first + 4 * k + b;
      const u4 value = at >= 0 && at < n ? (u4)(row[at] != 0) ^ (flip & 1) : border & 1;
      word |= value << 8 * b;
    }
    acc[k] |= word;
  }
}

static __device__ __forceinline__ void add_runs(const step &s, place row, place first, u4 *acc) {
  place at[NDIM];
  place_of(s.m, row, at);
  for (place k = 0; k < s.nrun; k++) {
    const i4 *run = s.runs + k * (NDIM + 1);
    const place other = other_row(s.m, at, run);
    if (other >= 0) {
      const int last = run[NDIM];
      for (int d = run[NDIM - 1]; d <= last; d++)
        add_words(acc, s.from + other * s.m.n, s.m.n, first + d, s.flip, s.border);
    } else {
#pragma unroll
      for (int w = 0; w < WORDS; w++) acc[w] |= s.border;
    }
    u4 all = acc[0];
#pragma unroll
    for (int w = 1; w < WORDS; w++) all &= acc[w];
    if (all == 0x01010101u) return;
  }
}

MA_KERNEL __launch_bounds__(MA_THREADS) binary_step(const step s) {
  /* The step before changed nothing, and both memories have the result. */
  if (s.turn > 1 && s.changed && !s.changed[2 * s.turn - 2]) return;
  const place total = s.m.rows * s.chunks, stride = (place)gridDim.x * blockDim.x;
  bool changed = false, differs = false;
  for (place t = (place)blockIdx.x * blockDim.x + threadIdx.x; t < total; t += stride) {
    const place row = s.chunks == 1     ? t
                      : (u8)total >> 32 ? t / s.chunks
                                        : (place)((u4)t / (u4)s.chunks),
                first = (t - row * s.chunks) * MA_BINARY_EACH, base = row * s.m.n + first;
    const int n = s.m.n - first < MA_BINARY_EACH ? (int)(s.m.n - first) : MA_BINARY_EACH;
    u4 acc[WORDS] = { 0, 0, 0, 0 };
    add_runs(s, row, first, acc);
    pack<u1, MA_BINARY_EACH> out;
    const bool wide = n == MA_BINARY_EACH && ((u8)(s.to + base) & 15) == 0;
#pragma unroll
    for (int k = 0; k < MA_BINARY_EACH; k++) {
      out.v[k] = (u1)((acc[k / 4] >> 8 * (k & 3) ^ s.flip) & 1);
      if (k >= n || (!s.mask && !s.changed)) continue;
      const u1 old = s.from[base + k] != 0;
      if (s.mask && !s.mask[base + k]) out.v[k] = old;
      changed = changed || out.v[k] != old;
      if (s.changed && !s.fresh) differs = differs || out.v[k] != s.to[base + k];
    }
    if (wide) out.store_all((char *)s.to + base);
    else out.store_some((char *)s.to + base, 1, n);
  }
  if (s.changed && changed) s.changed[2 * s.turn] = 1;
  if (s.changed && (differs || (changed && s.fresh))) s.changed[2 * s.turn + 1] = 1;
}
