/*
** taps.cuh: sums of products with few weights. The text before it defines X, the elements; kernels/signal/number.cuh
** precedes it too. The taps are the same for all threads of a warp, and elements are shared through the first cache.
*/

struct image {
  const X *from, *taps;
  X *to;
  i8 columns, tap_rows, tap_columns, to_rows, to_columns, across;
};

/* A block has 32 columns, and a thread so many sums below each other, which share elements. */
MA_KERNEL correlate(const image p) {
  const i8 c = (i8)(blockIdx.x % p.across) * 32 + threadIdx.x % 32;
  const i8 r = ((i8)(blockIdx.x / p.across) * 8 + threadIdx.x / 32) * MA_TAPS_SPAN;
  if (c >= p.to_columns || r >= p.to_rows) return;
  X sum[MA_TAPS_SPAN];
#pragma unroll
  for (int k = 0; k < MA_TAPS_SPAN; k++) sum[k] = nothing<X>();
  const i8 last = p.to_rows - r < MA_TAPS_SPAN ? p.to_rows - r : MA_TAPS_SPAN;
  for (i8 j = 0; j < p.tap_columns; j++)
    for (i8 i = 0; i < p.tap_rows + last - 1; i++) {
      const X x = p.from[(r + i) * p.columns + c + j];
#pragma unroll
      for (int k = 0; k < MA_TAPS_SPAN; k++)
        if (i >= k && i - k < p.tap_rows && k < last)
          sum[k] = plus(sum[k], times(p.taps[(i - k) * p.tap_columns + j], x));
    }
#pragma unroll
  for (int k = 0; k < MA_TAPS_SPAN; k++)
    if (k < last) p.to[(r + k) * p.to_columns + c] = sum[k];
}

/* Taps of one row: a thread has MA_TAPS_SPAN sums of one row, MA_THREADS apart. */
MA_KERNEL correlate_rows(const image p) {
  const i8 r = blockIdx.x / p.across;
  const i8 c = (i8)(blockIdx.x % p.across) * (MA_THREADS * MA_TAPS_SPAN) + threadIdx.x;
  const X *from = p.from + r * p.columns;
  X sum[MA_TAPS_SPAN];
#pragma unroll
  for (int k = 0; k < MA_TAPS_SPAN; k++) sum[k] = nothing<X>();
  for (i8 j = 0; j < p.tap_columns; j++) {
    const X tap = p.taps[j];
#pragma unroll
    for (int k = 0; k < MA_TAPS_SPAN; k++)
      if (c + k * MA_THREADS < p.to_columns) sum[k] = plus(sum[k], times(tap, from[c + k * MA_THREADS + j]));
  }
#pragma unroll
  for (int k = 0; k < MA_TAPS_SPAN; k++)
    if (c + k * MA_THREADS < p.to_columns) p.to[r * p.to_columns + c + k * MA_THREADS] = sum[k];
}

struct resampling {
  const X *from, *tap;
  X *to;
  i8 n, taps, up, down, first, count, total;
};

/* A thread for each kept element. Only every `up`-th tap meets an element; the others meet zeros between elements. */
MA_KERNEL upfirdn(const resampling p) {
  const i8 at = (i8)blockIdx.x * MA_THREADS + threadIdx.x;
  if (at >= p.total) return;
  const i8 row = at / p.count, place = (p.first + at % p.count) * p.down;
  const i8 top = place / p.up, phase = place - top * p.up;
  const X *from = p.from + row * p.n + top;
  i8 k = top >= p.n ? top - p.n + 1 : 0;
  X sum = nothing<X>();
  for (i8 tap = phase + k * p.up; tap < p.taps && k <= top; tap += p.up, k++)
    sum = plus(sum, times(p.tap[tap], from[-k]));
  p.to[at] = sum;
}
