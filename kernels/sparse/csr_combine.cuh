/*
** csr_combine.cuh: an operation on two matrices, entry by entry, behind csr_order.cuh and the operation's program().
** The entries of both are merged into one list, where an entry of the second that meets one of the first, and a result
** that is zero, have the column 0; the others are then moved together. Where an operation gives something only for
** pairs of entries, the list is that of the first matrix. The text before defines dt_to, the dtype of results, and MET:
** 1 for such an operation.
*/
/* Writes which entries of this block's part stay, by 32. All threads call. */
static __device__ __forceinline__ void put_words(const combine_params &p, const u4 *words) {
  __syncthreads();
  if (threadIdx.x >= PART / 32) return;
  u4 n = 0;
  for (u4 w = 0; w < threadIdx.x; w++) n += (u4)__popc(words[w]);
  const u4 word = words[threadIdx.x];
  p.kept[(i8)blockIdx.x * (PART / 32) + threadIdx.x] = word;
  p.before[(i8)blockIdx.x * (PART / 32) + threadIdx.x] = n;
  if (threadIdx.x == PART / 32 - 1) p.counts[blockIdx.x] = n + (u4)__popc(word);
}

/* The first of the entries low .. high - 1 whose column is not below `column`, or if `above` is greater than it. */
static __device__ __forceinline__ i8 find_column(const idx *indices, i8 low, i8 high, idx column, bool above) {
  while (low < high) {
    const i8 middle = (low + high) / 2;
    if (indices[middle] < column || (above && indices[middle] == column)) low = middle + 1;
    else high = middle;
  }
  return low;
}

#if !MET
static __device__ __forceinline__ void merge(const combine_params &p, i8 at, idx column, reg x, reg y) {
  dt_to::reg z;
  scalars none;
  program(none, x, y, z);
  p.columns[at] = is_some(z) ? column : 0;
  ((dt_to::mem *)p.values)[at] = dt_to::store(z);
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
  put_words(p, words);
}

#else
/* ==== Where both have an entry: op(x, 0) and op(0, y) are 0 for nearly all x and y =============================== */

#define SPAN 512 /* entries of the second matrix that a warp holds */

/* The same for a few entries in shared memory, without `above`. */
static __device__ __forceinline__ int find_near(const idx *indices, int low, int high, idx column) {
  while (low < high) {
    const int middle = (low + high) / 2;
    if (indices[middle] < column) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Whether a pair gives something, which is then written to values[k]. */
static __device__ __forceinline__ bool keeps(const combine_params &p, i8 k, reg x, reg y) {
  dt_to::reg z;
  scalars none;
  program(none, x, y, z);
  if (!is_some(z)) return false;
  ((dt_to::mem *)p.values)[k] = dt_to::store(z);
  return true;
}

static __device__ __forceinline__ bool is_alone(reg y) {
  dt_to::reg z;
  scalars none;
  program(none, reg(), y, z);
  return is_some(z);
}

/* Finds which of this warp's 32 * PER_THREAD entries of the first matrix stay. The rows of the second matrix that they
** may meet lie together. If these fit, they are loaded at once and searched in shared memory. */
static __device__ __forceinline__ void meet(const combine_params &p, i8 first, int n, idx *span, u4 *words) {
  const int lane = threadIdx.x % 32;
  i8 row = count_rows(0, p.rows, [&](i8 at) { return row_end(p.a_indptr, at, p.a_nnz) <= first; });
  for (int done = 0; done < n; row += 32) {
    const i8 to = row + lane < p.rows ? row_end(p.a_indptr, row + lane, p.a_nnz) - first : n;
    const int mine = to < n ? (int)to : n, last = __shfl_sync(WHOLE, mine, 31);
    if (last <= done) { /* rows without entries */
      row = count_rows(row + 32, p.rows, [&](i8 at) { return row_end(p.a_indptr, at, p.a_nnz) <= first + done; }) - 32;
      continue;
    }
    const i8 b_row = row + lane < p.rows ? row + lane : p.rows - 1;
    const i8 b_end = row_end(p.b_indptr, b_row, p.b_nnz), b_first = row_end(p.b_indptr, row - 1, p.b_nnz);
    const int filled = __popc(__ballot_sync(WHOLE, mine < last)); /* rows that end before the last entry */
    const i8 b_last = take_from(b_end, filled < 31 ? filled : 31);
    const bool fits = b_last - b_first <= SPAN;
    if (fits)
      for (int j = lane; j < b_last - b_first; j += 32) span[j] = get(p.b_indices + b_first + j);
    __syncwarp();
    for (int k = done / 32 * 32 + lane; k - lane < last; k += 32) {
      int at = 0; /* the first of these rows that ends behind entry k */
#pragma unroll
      for (int step = 16; step > 0; step /= 2)
        if (__shfl_sync(WHOLE, mine, at + step - 1) <= k) at += step;
      const i8 before = take_from(b_end, at > 0 ? at - 1 : 0), end = take_from(b_end, at);
      const i8 begin = at > 0 ? before : b_first;
      bool stays = false;
      if (k >= done && k < last) {
        const idx column = get(p.a_indices + first + k);
        const mem x = get(p.a_data + first + k);
        i8 found;
        bool meets;
        /* an indptr that a user spoiled need not ascend */
        if (fits && begin >= b_first && begin <= end && end <= b_last) {
          const int high = (int)(end - b_first), low = find_near(span, (int)(begin - b_first), high, column);
          meets = low < high && span[low] == column;
          found = b_first + low;
        } else {
          found = find_column(p.b_indices, begin, end, column, false);
          meets = found < end && p.b_indices[found] == column;
        }
        stays = keeps(p, first + k, dt::load(x), meets ? dt::load(get(p.b_data + found)) : reg());
      }
      const u4 word = __ballot_sync(WHOLE, stays);
      if (lane == 0) words[k / 32] |= word;
    }
    __syncwarp();
    done = last;
  }
}

/* After this kernel the list, which is then counted and moved, has only entries of the first matrix. *p.alone becomes 1
** if an entry of the second, an infinity for example, gives something by itself: then the list is of no use. */
MA_KERNEL __launch_bounds__(THREADS) combine_meet(const combine_params p) {
  __shared__ u4 words[PART / 32];
  __shared__ idx spans[THREADS / 32][SPAN];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const i8 first = (i8)blockIdx.x * PART + warp * (32 * PER_THREAD);
  u4 *own = words + warp * PER_THREAD;
  if (lane < PER_THREAD) own[lane] = 0;
  __syncwarp();
  if (first < p.a_nnz) {
    const i8 left = p.a_nnz - first;
    meet(p, first, left < 32 * PER_THREAD ? (int)left : 32 * PER_THREAD, spans[warp], own);
  }
  bool some = false;
#pragma unroll
  for (int u = 0; u < PER_THREAD; u++) {
    const i8 k = first + u * 32 + lane;
    if (k < p.b_nnz) some |= is_alone(dt::load(get(p.b_data + k)));
  }
  if (__any_sync(WHOLE, some))
    each_row(p.b_indptr, p.rows, p.b_nnz, 0, p.b_nnz, [&](i8 k, i8 row) {
      if (!is_alone(dt::load(p.b_data[k]))) return;
      const i8 end = row_end(p.a_indptr, row, p.a_nnz);
      const idx column = p.b_indices[k];
      const i8 at = find_column(p.a_indices, row_end(p.a_indptr, row - 1, p.a_nnz), end, column, false);
      if (at >= end || p.a_indices[at] != column) *p.alone = 1;
    });
  if ((i8)blockIdx.x * PART < p.a_nnz) put_words(p, words);
}

#endif
/* ==== The entries that stay ======================================================================================= */

/* How many stay before entry k of the list. */
static __device__ __forceinline__ i8 kept_before(const combine_params &p, i8 k) {
  return p.counts[k / PART] + p.before[k / 32] + (u4)__popc(p.kept[k / 32] & ((1u << k % 32) - 1));
}

/* Moves entries. A warp takes PER_THREAD words. Where many entries move, a thread has 4 loads in flight. */
MA_KERNEL __launch_bounds__(THREADS) combine_move(const combine_params p) {
  const int lane = threadIdx.x % 32;
  const i8 all = p.a_nnz + p.b_nnz, first = ((i8)blockIdx.x * THREADS + threadIdx.x) / 32 * PER_THREAD;
  const u4 mine = lane < PER_THREAD && (first + lane) * 32 < all ? p.kept[first + lane] : 0;
  if (!__any_sync(WHOLE, mine)) return;
#pragma unroll
  for (int i = 0; i < PER_THREAD; i += 4) {
    idx column[4];
    dt_to::mem value[4];
    i8 at[4];
#pragma unroll
    for (int u = 0; u < 4; u++) {
      const i8 k = (first + i + u) * 32 + lane;
      at[u] = -1;
      if (!(__shfl_sync(WHOLE, mine, i + u) >> lane & 1)) continue;
      at[u] = kept_before(p, k);
      column[u] = p.columns[k];
      value[u] = ((const dt_to::mem *)p.values)[k];
    }
#pragma unroll
    for (int u = 0; u < 4; u++) {
      if (at[u] < 0) continue;
      p.to_indices[at[u]] = column[u];
      ((dt_to::mem *)p.to_data)[at[u]] = value[u];
    }
  }
}

/* Writes the ends of rows. The number of all entries stands in `counts` behind that of the last part. */
MA_KERNEL __launch_bounds__(THREADS) combine_rows(const combine_params p) {
  const i8 r = (i8)blockIdx.x * THREADS + threadIdx.x, all = p.a_nnz + p.b_nnz;
  if (r > p.rows) return;
  const i8 k = row_end(p.a_indptr, r - 1, p.a_nnz) + row_end(p.b_indptr, r - 1, p.b_nnz);
  p.to_indptr[r] = (idx)(k < all ? kept_before(p, k) : p.counts[(all + PART - 1) / PART]) + 1;
}
