/*
** csr_short.cuh: A B where each row of the result comes from at most 32 products of entries of at most 32 of A: a warp
** takes a row, a thread each product, and all compare their columns. It stands behind csr_order.cuh.
*/
struct short_params {
  const idx *a_indptr, *a_indices, *b_indptr, *b_indices;
  const mem *a_data, *b_data;
  i8 *counts; /* [0]: the most products or entries of A in a row */
  idx *to_indptr, *to_indices;
  mem *to_data;
  i8 rows, a_nnz, b_rows, b_columns, b_nnz;
};

/* The entries of row `row` of B, from *begin on; none if there is no such row. */
static __device__ __forceinline__ i8 row_of(const short_params &p, i8 row, i8 *begin) {
  *begin = 0;
  if (row < 0 || row >= p.b_rows) return 0;
  *begin = row_end(p.b_indptr, row - 1, p.b_nnz);
  const i8 n = row_end(p.b_indptr, row, p.b_nnz) - *begin;
  return n < 0 ? 0 : n;
}

/* counts[0] becomes the largest number of products, or of entries of A, that a row has. */
MA_KERNEL __launch_bounds__(THREADS) short_most(const short_params p) {
  const i8 r = (i8)blockIdx.x * THREADS + threadIdx.x;
  i8 most = 0, begin;
  if (r < p.rows) {
    const i8 first = row_end(p.a_indptr, r - 1, p.a_nnz), end = row_end(p.a_indptr, r, p.a_nnz);
    most = end - first;
    i8 n = 0;
    for (i8 k = first; k < end && n <= 32 && most <= 32; k++) n += row_of(p, (i8)p.a_indices[k] - 1, &begin);
    if (n > most) most = n;
  }
#pragma unroll
  for (int o = 16; o > 0; o /= 2) {
    const i8 other = take_xor(most, o);
    if (other > most) most = other;
  }
  if (threadIdx.x % 32 == 0 && most > 0) atomicMax((u8 *)p.counts, (u8)most);
}

/* This thread's product of the warp's row: its place in A and in B, and its column from 1; 0: it has none. */
static __device__ __forceinline__ idx product_at(const short_params &p, i8 r, i8 *a, i8 *b) {
  const int lane = threadIdx.x % 32;
  const i8 first = row_end(p.a_indptr, r - 1, p.a_nnz), end = row_end(p.a_indptr, r, p.a_nnz);
  i8 begin = 0;
  const int mine = first + lane < end ? (int)row_of(p, (i8)p.a_indices[first + lane] - 1, &begin) : 0;
  int sum = mine;
#pragma unroll
  for (u4 o = 1; o < 32; o *= 2) {
    const int other = __shfl_up_sync(WHOLE, sum, o);
    if (lane >= (int)o) sum += other;
  }
  /* The first entry whose products end behind this one. */
  int at = 0;
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    if (__shfl_sync(WHOLE, sum, at + step - 1) <= lane) at += step;
  const int before = __shfl_sync(WHOLE, sum - mine, at & 31), all = __shfl_sync(WHOLE, sum, 31);
  const i8 start = take_from(begin, at & 31);
  *a = first + at;
  *b = start + (lane - before);
  return lane < all ? (idx)within((i8)p.b_indices[*b], p.b_columns) : 0;
}

/* Whether no lane before this one has its column. */
static __device__ __forceinline__ bool is_first(idx column, int lane) {
  bool first = column != 0;
#pragma unroll 8
  for (int j = 0; j < 31; j++) {
    const idx other = take_from(column, j);
    if (j < lane && other == column) first = false;
  }
  return first;
}

/* indptr[r + 1] becomes the number of different columns in row r, and indptr[0] becomes 1. */
MA_KERNEL __launch_bounds__(THREADS) short_count(const short_params p) {
  const i8 r = ((i8)blockIdx.x * THREADS + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (r >= p.rows) return;
  i8 a, b;
  const idx column = product_at(p, r, &a, &b);
  const bool first = is_first(column, lane);
  const u4 votes = __ballot_sync(WHOLE, first);
  if (lane == 0) p.to_indptr[r + 1] = (idx)__popc(votes);
  if (r == 0 && lane == 0) p.to_indptr[0] = 1;
}

MA_KERNEL __launch_bounds__(THREADS) short_fill(const short_params p) {
  const i8 r = ((i8)blockIdx.x * THREADS + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (r >= p.rows) return;
  i8 a, b;
  const idx column = product_at(p, r, &a, &b);
  reg value = reg();
  if (column) value = add_product(dt::load(p.a_data[a]), dt::load(p.b_data[b]), reg());
  const bool first = is_first(column, lane);
  const u4 votes = __ballot_sync(WHOLE, first);
  reg sum = reg();
  int place = 0;
#pragma unroll 8
  for (int j = 0; j < 32; j++) {
    const idx other = take_from(column, j);
    const reg more = take_from(value, j);
    if (other == column) sum = plus(sum, more);
    if ((votes >> j & 1) && other < column) place++;
  }
  if (!first) return;
  const i8 to = (i8)p.to_indptr[r] - 1 + place;
  p.to_indices[to] = column;
  p.to_data[to] = dt::store(sum);
}
