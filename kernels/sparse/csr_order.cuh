/*
** csr_order.cuh: the order of entries: rows of entries, keys that sort them, what is done behind a sort. It stands
** behind csr.cuh. A key is (row - 1) << shift | (column - 1); the text before defines `key`, u4 or u8. Positions that
** a sort made count from 1.
*/
#define PER_THREAD 8
#define PART (THREADS * PER_THREAD)

static __device__ __forceinline__ key key_at(const order_params &p, i8 k) { return ((const key *)p.keys)[k]; }

/* Replaces a position that a user spoiled by the nearest one that exists. */
static __device__ __forceinline__ i8 within(i8 at, i8 n) { return at < 1 ? 1 : at > n ? n : at; }

/* ==== Rows of entries ============================================================================================= */

/* Calls f(k, row) for the entries from `first` up to `end`, by all blocks together. A warp takes neighbouring entries,
** so rows of any length take as long. It holds the ends of 32 rows, among which each entry is searched. */
template <class I, class F>
static __device__ __forceinline__ void each_row(const I *indptr, i8 rows, i8 nnz, i8 first, i8 end, F f) {
  const int lane = threadIdx.x % 32;
  first += ((i8)blockIdx.x * THREADS + threadIdx.x) / 32 * 32 * PER_THREAD;
  if (first >= end) return;
  const int n = end - first < 32 * PER_THREAD ? (int)(end - first) : 32 * PER_THREAD;
  i8 row = count_rows(0, rows, [&](i8 at) { return row_end(indptr, at, nnz) <= first; });
  for (int done = 0; done < n; row += 32) {
    const i8 to = row + lane < rows ? row_end(indptr, row + lane, nnz) - first : n;
    const int mine = to < n ? (int)to : n, last = __shfl_sync(WHOLE, mine, 31);
    if (last <= done) { /* rows without entries */
      row = count_rows(row + 32, rows, [&](i8 at) { return row_end(indptr, at, nnz) <= first + done; }) - 32;
      continue;
    }
    for (int k = done / 32 * 32 + lane; k - lane < last; k += 32) {
      int at = 0; /* the first of these rows that ends behind entry k */
#pragma unroll
      for (int step = 16; step > 0; step /= 2)
        if (__shfl_sync(WHOLE, mine, at + step - 1) <= k) at += step;
      if (k < done || k >= last) continue;
      f(first + k, row + at < rows ? row + at : rows - 1); /* an indptr that a user spoiled may end before they do */
    }
    done = last;
  }
}

MA_KERNEL __launch_bounds__(THREADS) csr_expand(const order_params p) {
  each_row(p.indptr, p.rows, p.nnz, 0, p.nnz, [&](i8 k, i8 row) { p.to_indices[k] = (idx)(row + 1); });
}

MA_KERNEL __launch_bounds__(THREADS) csr_keys(const order_params p) {
  each_row(p.indptr, p.rows, p.nnz, 0, p.nnz, [&](i8 k, i8 row) {
    ((key *)p.to_keys)[k] = (key)row << p.shift | (key)(within(p.column[k], p.columns) - 1);
  });
}

MA_KERNEL __launch_bounds__(THREADS) coo_keys(const order_params p) {
  const i8 k = (i8)blockIdx.x * THREADS + threadIdx.x;
  if (k >= p.nnz) return;
  ((key *)p.to_keys)[k] = (key)(within(p.row[k], p.rows) - 1) << p.shift | (key)(within(p.column[k], p.columns) - 1);
}

/* ==== Behind a sort =============================================================================================== */

/* Writes `value` for the rows behind `before` up to `last`: those whose entries begin with this entry. The whole warp
** writes long runs of empty rows, so all its threads call this. */
static __device__ __forceinline__ void begin_rows(idx *indptr, i8 before, i8 last, i8 value, bool there) {
  const i8 n = there ? last - before : 0;
  if (n <= 32)
    for (i8 r = before + 1; r <= before + n; r++) indptr[r] = (idx)value;
  u4 many = __ballot_sync(WHOLE, n > 32);
  while (many) {
    const int from = __ffs((int)many) - 1;
    many &= many - 1;
    const i8 first = take_from(before, from), end = take_from(last, from), v = take_from(value, from);
    for (i8 r = first + 1 + threadIdx.x % 32; r <= end; r += 32) indptr[r] = (idx)v;
  }
}

/* Makes the transpose, after a sort of the columns. from_row has the row of each entry. */
MA_KERNEL __launch_bounds__(THREADS) csr_turn(const order_params p) {
  const i8 k = (i8)blockIdx.x * THREADS + threadIdx.x;
  const bool there = k < p.nnz;
  i8 column = 0, before = 0;
  if (there) {
    const i8 from = within(p.order[k], p.nnz) - 1;
    p.to_indices[k] = p.from_row[from];
    p.to_data[k] = p.data[from];
    column = within((i8)p.column[k], p.columns);
    before = k == 0 ? 0 : within((i8)p.column[k - 1], p.columns);
  }
  begin_rows(p.to_indptr - 1, before, column, k + 1, there);
  begin_rows(p.to_indptr - 1, column, p.columns + 1, k + 2, k == p.nnz - 1);
}

/* Makes the sorted columns of each row, after a sort of the keys. */
MA_KERNEL __launch_bounds__(THREADS) csr_unkey(const order_params p) {
  const i8 k = (i8)blockIdx.x * THREADS + threadIdx.x;
  if (k >= p.nnz) return;
  p.to_indices[k] = (idx)(key_at(p, k) & (((key)1 << p.shift) - 1)) + 1;
  p.to_data[k] = p.data[within(p.order[k], p.nnz) - 1];
}

/* ==== COO to CSR: behind a sort of the keys ======================================================================= */

/* The sum of `mine` over the threads before this one, and over the block. */
template <class T> static __device__ __forceinline__ T sum_before(T mine, T *all) {
  __shared__ T sums[THREADS / 32];
  const u4 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T sum = mine;
#pragma unroll
  for (u4 o = 1; o < 32; o *= 2) {
    const T other = take_up(sum, (int)o);
    if (lane >= o) sum += other;
  }
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  T before = 0, total = 0;
  for (u4 w = 0; w < THREADS / 32; w++) {
    if (w < warp) before += sums[w];
    total += sums[w];
  }
  __syncthreads();
  *all = total;
  return before + sum - mine;
}

/* Whether entry k is the first one of its place. */
static __device__ __forceinline__ bool is_first(const order_params &p, i8 k) {
  return k < p.nnz && (k == 0 || key_at(p, k) != key_at(p, k - 1));
}

MA_KERNEL __launch_bounds__(THREADS) coo_count(const order_params p) {
  u4 n = 0, all;
  const i8 first = (i8)blockIdx.x * PART + threadIdx.x;
#pragma unroll
  for (int i = 0; i < PER_THREAD; i++) n += is_first(p, first + i * THREADS);
  sum_before(n, &all);
  if (threadIdx.x == 0) p.counts[blockIdx.x] = all;
}

/* Replaces counts by the number of firsts before each part. The last one becomes the number of all. One block. */
MA_KERNEL __launch_bounds__(THREADS) coo_offsets(const order_params p) {
  i8 carry = 0, all, n[PER_THREAD];
  for (i8 base = 0; base < p.parts; base += PART) {
    const i8 k = base + threadIdx.x * PER_THREAD;
    i8 mine = 0;
#pragma unroll
    for (int i = 0; i < PER_THREAD; i++) {
      n[i] = k + i < p.parts ? p.counts[k + i] : 0;
      mine += n[i];
    }
    i8 before = carry + sum_before(mine, &all);
#pragma unroll
    for (int i = 0; i < PER_THREAD; i++) {
      if (k + i < p.parts) p.counts[k + i] = before;
      before += n[i];
    }
    carry += all;
  }
  if (threadIdx.x == 0) p.counts[p.parts] = carry;
}

/* Adds up the entries of each place in their order. A thread takes neighbouring ones of its warp's entries in turn. */
MA_KERNEL __launch_bounds__(THREADS) coo_add(const order_params p) {
  __shared__ u4 firsts[THREADS / 32];
  const u4 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const key mask = ((key)1 << p.shift) - 1;
  i8 slot = p.counts[blockIdx.x];
  for (int i = 0; i < PER_THREAD; i++) {
    const i8 k = (i8)blockIdx.x * PART + i * THREADS + threadIdx.x;
    const bool first = is_first(p, k);
    const u4 votes = __ballot_sync(WHOLE, first);
    if (lane == 0) firsts[warp] = (u4)__popc(votes);
    __syncthreads();
    i8 at = slot + __popc(votes & ((1u << lane) - 1));
    for (u4 w = 0; w < THREADS / 32; w++) {
      if (w < warp) at += firsts[w];
      slot += firsts[w];
    }
    __syncthreads();
    i8 row = 0, before = 0;
    if (first) {
      const key place = key_at(p, k);
      reg sum = dt::load(p.data[within(p.order[k], p.nnz) - 1]);
      for (i8 j = k + 1; j < p.nnz && key_at(p, j) == place; j++)
        sum = plus(sum, dt::load(p.data[within(p.order[j], p.nnz) - 1]));
      p.to_indices[at] = (idx)(place & mask) + 1;
      p.to_data[at] = dt::store(sum);
      row = (i8)(place >> p.shift) + 1;
      before = k == 0 ? 0 : (i8)(key_at(p, k - 1) >> p.shift) + 1;
    }
    begin_rows(p.to_indptr - 1, before, row, p.before + at + 1, first);
    const bool last = first && at == p.counts[p.parts] - 1; /* the rows behind it are empty */
    begin_rows(p.to_indptr - 1, row, p.rows + 1, p.before + at + 2, last);
  }
}
