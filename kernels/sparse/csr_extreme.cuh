/*
** csr_extreme.cuh: the extreme of each row of a CSR matrix that holds no column twice, behind csr_long.cuh and the
** program() of maximum, minimum, fmax or fmin. LANES (1 .. 32) neighbouring threads take a row. The first of equal
** elements and the first NaN is taken, so an extreme has its entry beside it: the result does not depend on the order
** in which threads meet. If ARG is 1, the result is its column, which needs sorted rows.
*/
struct best {
  reg v;
  i8 at; /* the entry, from 0; -1: none */
};

static __device__ __forceinline__ reg of_two(reg x, reg y) {
  reg z;
  scalars none;
  program(none, x, y, z);
  return z;
}

/* Whether two values have the same bits. */
static __device__ __forceinline__ bool is_same(reg x, reg y) {
  exchanged<reg> a, b;
  bool same = true;
  a.v = x;
  b.v = y;
#pragma unroll
  for (u4 w = 0; w < sizeof a.w / sizeof *a.w; w++) same &= a.w[w] == b.w[w];
  return same;
}

/* The better of two, of which the first has the earlier entry. */
static __device__ __forceinline__ best better(best a, best b) {
  if (a.at < 0) return b;
  if (b.at < 0) return a;
  const reg z = of_two(a.v, b.v);
  return best{ z, is_same(z, a.v) ? a.at : b.at };
}

/* The best of LANES threads, for all of them. */
template <int N> static __device__ __forceinline__ best best_of(best mine) {
#pragma unroll
  for (int o = N / 2; o > 0; o /= 2) {
    const best other = { take_xor(mine.v, o), take_xor(mine.at, o) };
    mine = mine.at < other.at ? better(mine, other) : better(other, mine);
  }
  return mine;
}

/* The best of the entries at, at + STEP ... below end. */
template <int STEP, int UNROLL>
static __device__ __forceinline__ best of_entries(const extreme_params &p, i8 at, i8 end) {
  best found = { reg(), -1 };
  for (; at < end; at += UNROLL * STEP) {
    mem value[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
      if (at + u * STEP < end) value[u] = value_of(p.data, p.order, at + u * STEP);
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
      if (at + u * STEP < end) found = better(found, best{ dt::load(value[u]), at + u * STEP });
  }
  return found;
}

#if ARG
/* The first column, from 1, for which a row has no entry. */
static __device__ __forceinline__ i8 first_free(const extreme_params &p, i8 begin, i8 end) {
  i8 low = begin, high = end;
  while (low < high) {
    const i8 middle = (low + high) / 2;
    if ((i8)get(p.indices + middle) <= middle - begin + 1) low = middle + 1;
    else high = middle;
  }
  return low - begin + 1;
}
#endif

/* Writes the result of a row. An element that is not stored takes part as a 0. */
static __device__ __forceinline__ void put(const extreme_params &p, i8 row, i8 begin, i8 end, best found) {
  const bool zeros = end - begin < p.columns;
  const reg whole = found.at < 0 ? reg() : zeros ? of_two(found.v, reg()) : found.v;
#if ARG
  i8 column = found.at < 0 || !is_same(whole, found.v) ? p.columns + 1 : (i8)get(p.indices + found.at);
  if (zeros && !is_some(whole)) {
    const i8 free = first_free(p, begin, end);
    if (free < column) column = free;
  }
  p.at[row] = column;
#else
  p.to[row] = dt::store(whole);
#endif
}

MA_KERNEL __launch_bounds__(THREADS) csr_extreme(const extreme_params p) {
  const i8 r = ((i8)blockIdx.x * THREADS + threadIdx.x) / LANES;
  const int lane = threadIdx.x % LANES;
  best found = { reg(), -1 };
  i8 begin = 0, end = 0;
  bool is_long = false;
  if (r < p.rows) {
    begin = row_end(p.indptr, r - 1, p.nnz);
    end = row_end(p.indptr, r, p.nnz);
    is_long = LIST && end - begin > LIMIT;
    if (!is_long) found = of_entries<LANES, 4>(p, begin + lane, end);
    else if (lane == 0) list_row(p.list, r, end - begin, 1);
  }
  found = best_of<LANES>(found);
  if (r < p.rows && lane == 0 && !is_long) put(p, r, begin, end, found);
}

#if LIST
MA_KERNEL __launch_bounds__(THREADS) csr_extreme_long(const extreme_params p) {
  const int lane = threadIdx.x % 32;
  const i8 n = listed(p.list);
  best *of_chunk = (best *)p.list.sums;
  for (i8 k = ((i8)blockIdx.x * THREADS + threadIdx.x) / 32; k < n; k += (i8)gridDim.x * (THREADS / 32)) {
    i8 begin, end;
    u4 all = 0;
    const long_chunk c = chunk_at(p.list, p.indptr, p.nnz, k, &begin, &end, &all);
    if (c.row < 0) continue;
    best found = best_of<32>(of_entries<32, 8>(p, begin + lane, end));
    if (all > 1) {
      if (lane == 0) of_chunk[k] = found;
      if (!is_last(p.list.done + c.first, all)) continue;
      found.at = -1;
      for (u4 j = lane; j < all; j += 32) {
        const best *from = of_chunk + c.first + j;
        found = better(found, best{ fresh(&from->v), fresh(&from->at) });
      }
      found = best_of<32>(found);
    }
    if (lane == 0) put(p, c.row, row_end(p.indptr, c.row - 1, p.nnz), row_end(p.indptr, c.row, p.nnz), found);
  }
}
#endif
