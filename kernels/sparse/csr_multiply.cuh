/*
** csr_multiply.cuh: all products of an entry of A with an entry of B, as entries of A B with keys, behind
** csr_order.cuh. Sorting them and adding up those of one place gives A B. If there are classes, only rows of one class
** are made; the others are left empty.
*/
/* The products of entry k of A: the entries of a row of B, from `begin` on. */
static __device__ __forceinline__ i8 products_of(const multiply_params &p, i8 k, i8 *begin) {
  const i8 row = (i8)p.a_indices[k] - 1;
  *begin = 0;
  if (row < 0 || row >= p.b_rows || (p.classes && p.classes[p.a_row[k] - 1] != p.only)) return 0;
  *begin = row_end(p.b_indptr, row - 1, p.b_nnz);
  const i8 n = row_end(p.b_indptr, row, p.b_nnz) - *begin;
  return n < 0 ? 0 : n;
}

MA_KERNEL __launch_bounds__(THREADS) multiply_count(const multiply_params p) {
  i8 n = 0, begin, all;
#pragma unroll
  for (int i = 0; i < PER_THREAD; i++) {
    const i8 k = (i8)blockIdx.x * PART + i * THREADS + threadIdx.x;
    if (k < p.a_nnz) n += products_of(p, k, &begin);
  }
  sum_before(n, &all);
  if (threadIdx.x == 0) p.counts[blockIdx.x] = all;
}

MA_KERNEL __launch_bounds__(THREADS) multiply_offsets(const multiply_params p) {
  i8 before = p.counts[blockIdx.x], begin, all;
  for (int i = 0; i < PER_THREAD; i++) {
    const i8 k = (i8)blockIdx.x * PART + i * THREADS + threadIdx.x;
    const i8 at = before + sum_before(k < p.a_nnz ? products_of(p, k, &begin) : (i8)0, &all);
    if (k < p.a_nnz) p.offsets[k] = at + 1;
    if (k == p.a_nnz - 1) p.offsets[p.a_nnz] = p.all + 1;
    before += all;
  }
}

MA_KERNEL __launch_bounds__(THREADS) multiply_expand(const multiply_params p) {
  each_row(p.offsets, p.a_nnz, p.all, p.from, p.to, [&](i8 t, i8 k) {
    i8 begin = 0;
    products_of(p, k, &begin);
    const i8 b = begin + (t - (p.offsets[k] - 1));
    const i8 at = t - p.from;
    ((key *)p.to_keys)[at] = (key)(p.a_row[k] - 1 - p.first_row) << p.shift |
                             (key)(within(p.b_indices[b], p.b_columns) - 1);
    p.to_data[at] = dt::store(add_product(dt::load(p.a_data[k]), dt::load(p.b_data[b]), reg()));
  });
}
