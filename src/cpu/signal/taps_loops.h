/* taps_loops.h: sums of products of elements X, included once for each dtype by taps.c, with SUFFIX, ADD and TIMES;
** RESAMPLES: upfirdn too. Sums are formed for a block of results at a time, which the compiler vectorises. */
#define NAME2(a, b) a##_##b
#define NAME1(a, b) NAME2(a, b)
#define NAME(a) NAME1(a, SUFFIX)

/* to[c] += sum over j of taps[j] * from[c + j], for c below n <= MA_BLOCK */
FOR_AVX512 static void NAME(add_taps)(X *restrict to, const X *restrict from, const X *taps, int64_t ntap, int64_t n) {
  int64_t j = 0;
  for (; j + 4 <= ntap; j += 4) {
    const X a = taps[j], b = taps[j + 1], c = taps[j + 2], d = taps[j + 3];
    const X *x = from + j;
    for (int64_t k = 0; k < n; k++)
      to[k] = ADD(ADD(ADD(ADD(to[k], TIMES(a, x[k])), TIMES(b, x[k + 1])), TIMES(c, x[k + 2])), TIMES(d, x[k + 3]));
  }
  for (; j < ntap; j++) {
    const X a = taps[j], *x = from + j;
    for (int64_t k = 0; k < n; k++) to[k] = ADD(to[k], TIMES(a, x[k]));
  }
}

/* The same for sums `begin` .. end - 1. A tap that would meet an element outside the n of the row is left out. */
static void NAME(add_some)(X *to, const X *row, int64_t n, int64_t c, const X *taps, int64_t ntap, int begin, int end) {
  for (int64_t j = 0; j < ntap && begin < end; j++) {
    int lo = (int)within(-c - j, begin, end), hi = (int)within(n - c - j, lo, end);
    if (lo < hi) NAME(add_taps)(to + lo, row + c + lo + j, taps + j, 1, hi - lo);
  }
}

/* sums[k] += sum over j of taps[j] * row[c + k + j] for k below n, of the elements that are in the row of `columns`. */
static void NAME(add_row)(X *sums, const X *row, int64_t columns, int64_t c, const X *taps, int64_t ntap, int n) {
  const int lo = (int)within(-c, 0, n), hi = (int)within(columns - ntap + 1 - c, lo, n); /* all taps inside */
  NAME(add_some)(sums, row, columns, c, taps, ntap, 0, lo);
  if (lo < hi) NAME(add_taps)(sums + lo, row + c + lo, taps, ntap, hi - lo);
  NAME(add_some)(sums, row, columns, c, taps, ntap, hi, n);
}

static void NAME(correlate)(const ma_correlate *p, int64_t row, int64_t first, int n) {
  const X *from = (const X *)p->from + row * p->columns, *taps = p->taps;
  X sums[MA_BLOCK];
  memset(sums, 0, sizeof(X) * (size_t)n);
  for (int64_t i = 0; i < p->tap_rows; i++, from += p->columns, taps += p->tap_columns)
    NAME(add_row)(sums, from, p->columns, first - p->before, taps, p->tap_columns, n);
  memcpy((X *)p->to + row * p->to_columns + first, sums, sizeof(X) * (size_t)n);
}

#ifdef RESAMPLES
/* The sum of n products, in eight sums, so that none waits for the one before it. */
static inline __attribute__((always_inline)) X NAME(dot)(const X *tap, const X *x, int64_t n) {
  X sum[8];
  int64_t k = 0;
  memset(sum, 0, sizeof sum);
  for (; k + 8 <= n; k += 8)
    for (int j = 0; j < 8; j++) sum[j] = ADD(sum[j], TIMES(tap[k + j], x[k + j]));
  for (; k < n; k++) sum[k & 7] = ADD(sum[k & 7], TIMES(tap[k], x[k]));
  return ADD(ADD(ADD(sum[0], sum[4]), ADD(sum[1], sum[5])), ADD(ADD(sum[2], sum[6]), ADD(sum[3], sum[7])));
}

/* Row p of `phase` has the taps p, p + up ... in reverse, `length` of them, with zeros in front of missing ones. */
FOR_AVX512 static void NAME(upfirdn)(const ma_upfirdn *p, const void *phase, int64_t length, int64_t row, int64_t first,
                                     int n) {
  const X *from = (const X *)p->from + row * p->n;
  X *to = (X *)p->to + row * p->count + first;
  int64_t top = (p->first + first) * p->down / p->up, part = (p->first + first) * p->down % p->up;
  const int64_t step = p->down / p->up, rest = p->down % p->up;
  for (int k = 0; k < n; k++) {
    /* elements top - length + 1 .. top, without those outside the row */
    int64_t lo = top - length + 1, skip = lo < 0 ? -lo : 0, end = top < p->n ? top : p->n - 1;
    const X *taps = (const X *)phase + part * length;
    if (end < lo + skip) memset(&to[k], 0, sizeof(X));
    else to[k] = NAME(dot)(taps + skip, from + lo + skip, end - lo - skip + 1);
    top += step;
    part += rest;
    if (part >= p->up) {
      part -= p->up;
      top++;
    }
  }
}

static void NAME(phases)(const ma_upfirdn *p, void *phase, int64_t length) {
  const X *tap = p->tap;
  X *to = phase;
  for (int64_t part = 0; part < p->up; part++)
    for (int64_t k = 0; k < length; k++) {
      int64_t at = part + k * p->up;
      if (at < p->taps) to[part * length + length - 1 - k] = tap[at];
    }
}
#endif

#undef NAME
#undef NAME1
#undef NAME2
#undef SUFFIX
#undef X
#undef ADD
#undef TIMES
#undef RESAMPLES
