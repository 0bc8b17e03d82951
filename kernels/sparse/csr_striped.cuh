/* csr_striped.cuh: y = A x of a matrix by diagonals, behind csr.cuh: a thread takes an element of y, and adds the
** diagonals in their order. */
MA_KERNEL __launch_bounds__(THREADS) csr_striped(const striped_params p) {
  const i8 e = (i8)blockIdx.x * THREADS + threadIdx.x, row = e / p.width;
  const i8 columns = p.columns < p.length ? p.columns : p.length;
  reg sum = reg();
  if (row >= p.rows) return;
  for (i8 k = 0; k < p.count; k++) {
    const i8 column = row + p.offsets[k];
    if (column < 0 || column >= columns) continue;
    const reg value = dt::load(get(p.data + p.places[k] * p.length + column));
    sum = plus(sum, times(value, dt::load(get(p.x + column * p.width + e % p.width))));
  }
  p.y[e] = dt::store(sum);
}
