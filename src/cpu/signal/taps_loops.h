/* taps_loops.h: sums of products of elements X, included once for each dtype by taps.c, with SUFFIX, ADD and TIMES.
** PLAIN: sums are formed for a block of results at a time, which the compiler vectorises. */
#define NAME2(a, b) a##_##b
#define NAME1(a, b) NAME2(a, b)
#define NAME(a) NAME1(a, SUFFIX)

/* to[c] += sum over j of taps[j] * from[c + j], for c below n <= BLOCK */
WIDEST static void NAME(add_taps)(X *to, const X *from, const X *taps, int64_t ntap, int n) {
  int64_t j = 0;
  for (; j + 4 <= ntap; j += 4) {
    const X a = taps[j], b = taps[j + 1], c = taps[j + 2], d = taps[j + 3];
    const X *x = from + j;
    for (int k = 0; k < n; k++)
      to[k] = ADD(ADD(ADD(ADD(to[k], TIMES(a, x[k])), TIMES(b, x[k + 1])), TIMES(c, x[k + 2])), TIMES(d, x[k + 3]));
  }
  for (; j < ntap; j++) {
    const X a = taps[j], *x = from + j;
    for (int k = 0; k < n; k++) to[k] = ADD(to[k], TIMES(a, x[k]));
  }
}

static void NAME(correlate)(const ma_correlate *p, int64_t row, int64_t first, int n) {
  const X *from = p->from, *taps = p->taps;
  X *to = (X *)p->to + row * (p->columns - p->tap_columns + 1) + first, sum[BLOCK];
  memset(sum, 0, sizeof(X) * (size_t)n);
  for (int64_t i = 0; i < p->tap_rows; i++)
    NAME(add_taps)(sum, from + (row + i) * p->columns + first, taps + i * p->tap_columns, p->tap_columns, n);
  memcpy(to, sum, sizeof(X) * (size_t)n);
}

/* The sum of tap[0], tap[up] ... times x[0], x[-1] ..., of n terms. Four sums: none waits for the one before it. */
static inline X NAME(dot)(const X *tap, int64_t up, const X *x, int64_t n) {
  X sum[4];
  int64_t k = 0;
  memset(sum, 0, sizeof sum);
  for (; k + 4 <= n; k += 4)
    for (int j = 0; j < 4; j++) sum[j] = ADD(sum[j], TIMES(tap[(k + j) * up], x[-k - j]));
  for (; k < n; k++) sum[0] = ADD(sum[0], TIMES(tap[k * up], x[-k]));
  return ADD(ADD(sum[0], sum[1]), ADD(sum[2], sum[3]));
}

static void NAME(upfirdn)(const ma_upfirdn *p, int64_t row, int64_t first, int n) {
  const X *from = (const X *)p->from + row * p->n, *tap = p->tap;
  X *to = (X *)p->to + row * p->count + first;
  for (int k = 0; k < n; k++) {
    int64_t place = (p->first + first + k) * p->down, top = place / p->up, phase = place - top * p->up;
    int64_t skip = top >= p->n ? top - p->n + 1 : 0, last = phase < p->taps ? (p->taps - 1 - phase) / p->up : -1;
    if (last > top) last = top;
    if (last < skip) memset(&to[k], 0, sizeof(X));
    else to[k] = NAME(dot)(tap + phase + skip * p->up, p->up, from + top - skip, last - skip + 1);
  }
}

#undef NAME
#undef NAME1
#undef NAME2
#undef SUFFIX
#undef X
#undef ADD
#undef TIMES
