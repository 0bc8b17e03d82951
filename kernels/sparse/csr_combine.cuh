/*
** csr_combine.cuh: an operation on two matrices, entry by entry, behind csr_order.cuh and the operation's program().
** The entries of both are merged into one list, where an entry of the second that meets one of the first, and a result
** that is zero, have the column 0; the others are then moved together. The text before defines dt_to, the dtype of
** results.
*/
struct combine_params {
  const idx *a_indptr, *a_indices, *b_indptr, *b_indices;
  const mem *a_data, *b_data;
  idx *columns; /* of the merged list */
  dt_to::mem *values;
  u4 *kept, *before; /* for each 32 merged entries: which stay, and how many stay before them in the part */
  i8 *counts;
  idx *to_indptr, *to_indices;
  dt_to::mem *to_data;
  i8 rows, a_nnz, b_nnz;
};

template <class T> static __device__ __forceinline__ bool is_some(T x) { return x != 0; }
static __device__ __forceinline__ bool is_some(ma_c64 x) { return x.re != 0 || x.im != 0; }
static __device__ __forceinline__ bool is_some(ma_c128 x) { return x.re != 0 || x.im != 0; }

static __device__ __forceinline__ void merge(const combine_params &p, i8 at, idx column, reg x, reg y) {
  dt_to::reg z;
  scalars none;
  program(none, x, y, z);
  p.columns[at] = is_some(z) ? column : 0;
  p.values[at] = dt_to::store(z);
}

/* The first of the entries low .. high - 1 whose column is not below `column`, or with `above` is above it. */
static __device__ __forceinline__ i8 find_column(const idx *indices, i8 low, i8 high, idx column, bool above) {
  while (low < high) {
    const i8 middle = (low + high) / 2;
    if (indices[middle] < column || (above && indices[middle] == column)) low = middle + 1;
    else high = middle;
  }
  return low;
}

MA_KERNEL __launch_bounds__(THREADS) combine_merge(const combine_params p) {
  each_row(p.a_indptr, p.rows, p.a_nnz, 0, p.a_nnz, [&](i8 k, i8 row) {
    const i8 end = row_end(p.b_indptr, row, p.b_nnz);
    const idx column = p.a_indices[k];
    const i8 at = find_column(p.b_indices, row_end(p.b_indptr, row - 1, p.b_nnz), end, column, false);
    const bool meets = at < end && p.b_indices[at] == column;
    merge(p, k + at, column, dt::load(p.a_data[k]), meets ? dt::load(p.b_data[at]) : reg());
  });
  each_row(p.b_indptr, p.rows, p.b_nnz, 0, p.b_nnz, [&](i8 k, i8 row) {
    const i8 begin = row_end(p.a_indptr, row - 1, p.a_nnz);
    const idx column = p.b_indices[k];
    const i8 at = find_column(p.a_indices, begin, row_end(p.a_indptr, row, p.a_nnz), column, true);
    if (at > begin && p.a_indices[at - 1] == column) p.columns[k + at] = 0;
    else merge(p, k + at, column, reg(), dt::load(p.b_data[k]));
  });
}

MA_KERNEL __launch_bounds__(THREADS) combine_count(const combine_params p) {
  __shared__ u4 words[PART / 32];
  const i8 all = p.a_nnz + p.b_nnz, first = (i8)blockIdx.x * PART;
#pragma unroll
  for (int i = 0; i < PER_THREAD; i++) {
    const i8 k = first + i * THREADS + threadIdx.x;
    const u4 word = __ballot_sync(WHOLE, k < all && p.columns[k] != 0);
    if (threadIdx.x % 32 == 0) words[i * (THREADS / 32) + threadIdx.x / 32] = word;
  }
  __syncthreads();
  if (threadIdx.x < PART / 32) {
    u4 n = 0;
    for (u4 w = 0; w < threadIdx.x; w++) n += (u4)__popc(words[w]);
    const u4 word = words[threadIdx.x];
    p.kept[(i8)blockIdx.x * (PART / 32) + threadIdx.x] = word;
    p.before[(i8)blockIdx.x * (PART / 32) + threadIdx.x] = n;
    if (threadIdx.x == PART / 32 - 1) p.counts[blockIdx.x] = n + (u4)__popc(word);
  }
}

/* How many stay before merged entry k. */
static __device__ __forceinline__ i8 kept_before(const combine_params &p, i8 k) {
  return p.counts[k / PART] + p.before[k / 32] + (u4)__popc(p.kept[k / 32] & ((1u << k % 32) - 1));
}

MA_KERNEL __launch_bounds__(THREADS) combine_move(const combine_params p) {
  const i8 k = (i8)blockIdx.x * THREADS + threadIdx.x;
  if (k >= p.a_nnz + p.b_nnz || !(p.kept[k / 32] >> k % 32 & 1)) return;
  const i8 at = kept_before(p, k);
  p.to_indices[at] = p.columns[k];
  p.to_data[at] = p.values[k];
}

/* counts has the number of all behind that of the last part. */
MA_KERNEL __launch_bounds__(THREADS) combine_rows(const combine_params p) {
  const i8 r = (i8)blockIdx.x * THREADS + threadIdx.x, all = p.a_nnz + p.b_nnz;
  if (r > p.rows) return;
  const i8 k = row_end(p.a_indptr, r - 1, p.a_nnz) + row_end(p.b_indptr, r - 1, p.b_nnz);
  p.to_indptr[r] = (idx)(k < all ? kept_before(p, k) : p.counts[(all + PART - 1) / PART]) + 1;
}
