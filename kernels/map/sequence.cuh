/*
** sequence.cuh: numbers in arithmetic progression. The text before it has D, the dtype of the elements, TO(x), the cast
** to it, and WHOLE: the numbers are i8, else double.
*/
#if WHOLE
typedef i8 number;
#else
typedef double number;
#endif

struct sequence {
  number start, step, last;
  i8 n, closed; /* closed: the last element is `last` */
  char *to;
};

/* How many neighbours a thread writes: as many as one access holds. The array is aligned to that. */
#define EACH (sizeof(D::mem) < 16 ? 16 / (int)sizeof(D::mem) : 1)
MA_KERNEL __launch_bounds__(MA_THREADS) write_sequence(const sequence s) {
  const i8 first = ((i8)blockIdx.x * MA_THREADS + threadIdx.x) * EACH;
  if (first >= s.n) return;
  pack<D::mem, EACH> c;
#pragma unroll
  for (int k = 0; k < EACH; k++) {
#if WHOLE
    c.v[k] = D::store(TO((i8)((u8)s.start + (u8)(first + k) * (u8)s.step)));
#else
    c.v[k] = D::store(TO(s.closed && first + k == s.n - 1 ? s.last : s.start + (double)(first + k) * s.step));
#endif
  }
  char *const to = s.to + first * (int)sizeof(D::mem);
  if (first + EACH <= s.n) c.store_all(to);
  else c.store_some(to, (int)sizeof(D::mem), (int)(s.n - first));
}
