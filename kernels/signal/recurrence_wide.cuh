/*
** recurrence_wide.cuh: a filter of many states: a block for each row takes one element after the other, and its threads
** share the states, which lie in two halves of the memory `states` that change places at each element. X and T as in
** recurrence.cuh.
*/
struct params {
  const X *from;
  X *to;
  const T *coefficients, *start;
  T *end, *states;
  i8 n;
  int order;
};

MA_KERNEL filter_wide(const params p) {
  const i8 row = blockIdx.x;
  const T *c = p.coefficients;
  T *now = p.states + row * 2 * p.order, *next = now + p.order;
  const X *from = p.from + row * p.n;
  X *to = p.to + row * p.n;
  for (int k = threadIdx.x; k < p.order; k += blockDim.x) now[k] = p.start ? p.start[row * p.order + k] : nothing<T>();
  __syncthreads();
  for (i8 i = 0; i < p.n; i++) {
    const T x = widen(from[i]), y = plus(times(c[0], x), now[0]);
    for (int k = threadIdx.x; k < p.order; k += blockDim.x) {
      T z = minus(times(c[2 * k + 1], x), times(c[2 * k + 2], y));
      next[k] = k + 1 < p.order ? plus(z, now[k + 1]) : z;
    }
    if (threadIdx.x == 0) narrow(y, &to[i]);
    __syncthreads();
    T *other = now;
    now = next;
    next = other;
  }
  if (p.end)
    for (int k = threadIdx.x; k < p.order; k += blockDim.x) p.end[row * p.order + k] = now[k];
}
