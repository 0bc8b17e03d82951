/*
** coo_sampled.cuh: the elements of x y^T at the places of entries, behind csr.cuh. LANES neighbouring threads take an
** entry, VEC elements of each operand at a time.
*/
MA_KERNEL __launch_bounds__(THREADS) coo_sampled(const sampled_params p) {
  const i8 k = ((i8)blockIdx.x * THREADS + threadIdx.x) / LANES;
  const bool there = k < p.nnz;
  const i8 row = there ? (i8)get(p.row + k) - 1 : -1, column = there ? (i8)get(p.column + k) - 1 : -1;
  reg sum = reg();
  if (row >= 0 && row < p.rows && column >= 0 && column < p.columns) {
    const mem *x = p.x + row * p.inner, *y = p.y + column * p.inner;
#pragma unroll 2
    for (i8 at = threadIdx.x % LANES * VEC; at < p.inner; at += LANES * VEC) {
      pack<mem, VEC> left, right;
      left.load_all((const char *)(x + at));
      right.load_all((const char *)(y + at));
#pragma unroll
      for (int v = 0; v < VEC; v++) sum = add_product(dt::load(left.v[v]), dt::load(right.v[v]), sum);
    }
  }
#pragma unroll
  for (int o = LANES / 2; o > 0; o /= 2) sum = plus(sum, take_xor(sum, o));
  if (there && threadIdx.x % LANES == 0) p.to[k] = dt::store(sum);
}
