/* product.cuh: products of small matrices, c = a b, with a thread for each element of c. `item` is float or double;
** sums are in double. */
struct product {
  item *c;
  const item *a, *b;
  u4 m, n, k, total;
  i8 row[3], column[3], step[3];
};

MA_KERNEL __launch_bounds__(MA_THREADS) multiply(const product p) {
  const u4 t = blockIdx.x * MA_THREADS + threadIdx.x;
  if (t >= p.total) return;
  const u4 j = t % p.n, above = t / p.n, i = above % p.m, batch = above / p.m;
  const item *a = p.a + batch * p.step[1] + i * p.row[1], *b = p.b + batch * p.step[2] + j * p.column[2];
  double sum = 0;
#pragma unroll 8
  for (u4 k = 0; k < p.k; k++) sum += (double)a[k * p.column[1]] * (double)b[k * p.row[2]];
  p.c[batch * p.step[0] + i * p.row[0] + j * p.column[0]] = (item)sum;
}
