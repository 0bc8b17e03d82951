/*
** blocks.cuh: the least, the greatest or the mean of many neighbours along one axis, in a time that does not depend on
** their number. A line, with its continuation beyond the edges, is cut into blocks of `size` elements. For each element
** `run_blocks` notes two values: the one of all elements from the block's begin to it, and the one of all from it to
** the block's end. A window then is the end of one block together with the begin of the next. The text before this has
** what along.cuh asks for, but not W and R.
*/

struct blocks {
  const void *from;
  void *to;
  T *begin, *end; /* outer x (n + size - 1) x inner */
  i8 outer, n, inner, size, before, total;
  double cval;
};

static __device__ __forceinline__ T combine(T a, T b) {
#if OP == 4
  return a + b;
#else
  return (OP == 1 ? a <= b : a >= b) || a != a ? a : b;
#endif
}

static __device__ __forceinline__ T element(const blocks &p, i8 outer, i8 k, i8 inner) {
  const i8 q = ma_edge_place(k - p.before, p.n, MODE);
  return q < 0 ? (T)p.cval : (T)image::load(((const image::mem *)p.from)[(outer * p.n + q) * p.inner + inner]);
}

/* A thread for each block of each line. */
MA_KERNEL __launch_bounds__(MA_THREADS) run_blocks(const blocks p) {
  const i8 t = (i8)blockIdx.x * MA_THREADS + threadIdx.x, m = p.n + p.size - 1, count = (m + p.size - 1) / p.size;
  if (t >= p.outer * count * p.inner) return;
  const i8 inner = t % p.inner, above = t / p.inner, outer = above / count, first = above % count * p.size;
  const i8 last = first + p.size < m ? first + p.size : m;
  T v = element(p, outer, first, inner);
  p.begin[(outer * m + first) * p.inner + inner] = v;
  for (i8 k = first + 1; k < last; k++) {
    v = combine(v, element(p, outer, k, inner));
    p.begin[(outer * m + k) * p.inner + inner] = v;
  }
  v = element(p, outer, last - 1, inner);
  p.end[(outer * m + last - 1) * p.inner + inner] = v;
  for (i8 k = last - 2; k >= first; k--) {
    v = combine(element(p, outer, k, inner), v);
    p.end[(outer * m + k) * p.inner + inner] = v;
  }
}

MA_KERNEL __launch_bounds__(MA_THREADS) join_blocks(const blocks p) {
  const i8 t = (i8)blockIdx.x * MA_THREADS + threadIdx.x, m = p.n + p.size - 1;
  if (t >= p.total) return;
  const i8 inner = t % p.inner, above = t / p.inner, i = above % p.n, at = (above / p.n * m + i) * p.inner + inner;
  T v = p.end[at];
  if (i % p.size != 0) v = combine(v, p.begin[at + (p.size - 1) * p.inner]);
#if OP == 4
  v /= (T)p.size;
#endif
  ((result::mem *)p.to)[t] = CUT(v);
}
