/*
** csr_short.cuh: the rows of A B that come from few products. LANES (8, 16 or 32) threads take a row: they make its
** products, EACH of them a thread, sort them by column in registers, and add up those of a column in their order. No
** product is written to memory. It stands behind csr_classes.cuh. The text before defines LANES and EACH, and
**   typedef tag        u4 or u8: a column and, below it, the number of a product in its row
*/
#define PLACES (LANES * EACH)
#define SHORT_THREADS (EACH <= 4 ? 256 : 128)

/* The lane of this warp that is lane `at` of this thread's group. */
static __device__ __forceinline__ int in_group(int at) { return (int)(threadIdx.x % 32) / LANES * LANES + at; }

/* Makes the products of row r, or none if r < 0. t[e] is the tag of product e LANES + lane, or has all bits set if
** there is none. Returns their number. All threads of a warp call it. */
template <bool VALUES>
static __device__ __forceinline__ int make_products(const short_params &p, i8 r, tag *t, reg *values) {
  const int lane = threadIdx.x % LANES;
  i8 first = 0, end = 0;
  int done = 0;
  if (r >= 0) {
    first = row_end(p.a_indptr, r - 1, p.a_nnz);
    end = row_end(p.a_indptr, r, p.a_nnz);
  }
#pragma unroll
  for (int e = 0; e < EACH; e++) t[e] = ~(tag)0;
  while (__any_sync(WHOLE, first < end)) {
    i8 begin = 0;
    const int mine = first + lane < end ? (int)row_of(p, (i8)p.a_indices[first + lane] - 1, &begin) : 0;
    int sum = mine;
#pragma unroll
    for (int o = 1; o < LANES; o *= 2) {
      const int other = __shfl_up_sync(WHOLE, sum, (u4)o, LANES);
      if (lane >= o) sum += other;
    }
    const int all = __shfl_sync(WHOLE, sum, LANES - 1, LANES);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      const int place = e * LANES + lane - done; /* among the products of these entries of A */
      const bool there = place >= 0 && place < all;
      if (EACH > 1 && !__any_sync(WHOLE, there)) continue;
      int at = 0; /* the first entry whose products end behind this one */
#pragma unroll
      for (int step = LANES / 2; step > 0; step /= 2)
        if (__shfl_sync(WHOLE, sum, at + step - 1, LANES) <= place) at += step;
      const int before = __shfl_sync(WHOLE, sum - mine, at, LANES);
      const i8 b = (i8)take_from((idx)begin, in_group(at)) + (place - before);
      if (there) {
        t[e] = (tag)(within((i8)get(p.b_indices + b), p.b_columns) - 1) * PLACES + (tag)(e * LANES + lane);
        if (VALUES) {
          const reg left = dt::load(get(p.a_data + first + at)), right = dt::load(get(p.b_data + b));
          values[e * LANES + lane] = add_product(left, right, reg());
        }
      }
    }
    done += all;
    first += LANES;
  }
  return done;
}

/* Sorts the tags of a group by bitonic merges. Element e LANES + lane is in t[e]. */
static __device__ __forceinline__ void sort_tags(tag *t) {
  const int lane = threadIdx.x % LANES;
#pragma unroll
  for (int k = 2; k <= PLACES; k *= 2)
#pragma unroll
    for (int j = k / 2; j > 0; j /= 2)
#pragma unroll
      for (int e = 0; e < EACH; e++) {
        if (j < LANES) {
          const tag other = take_xor(t[e], j);
          const bool least = ((lane & j) == 0) == (((e * LANES + lane) & k) == 0);
          t[e] = (other < t[e]) == least ? other : t[e];
        } else if ((e & j / LANES) == 0) {
          const tag low = t[e], high = t[e + j / LANES];
          const bool turn = (high < low) == (((e * LANES) & k) == 0);
          t[e] = turn ? high : low;
          t[e + j / LANES] = turn ? low : high;
        }
      }
}

/* Whether a thread's sorted tag e is the first of its column. Returns the votes of the group. */
static __device__ __forceinline__ u4 vote(const tag *t, int e, bool *head) {
  const int lane = threadIdx.x % LANES;
  tag before = take_up(t[e], 1);
  if (e > 0) {
    const tag last = take_from(t[e > 0 ? e - 1 : 0], in_group(LANES - 1));
    if (lane == 0) before = last;
  }
  *head = t[e] != ~(tag)0 && ((e == 0 && lane == 0) || before / PLACES != t[e] / PLACES);
  return __ballot_sync(WHOLE, *head) >> in_group(0) & (WHOLE >> (32 - LANES));
}

/* The row of this thread's group, or -1 if this launch has none for it. */
static __device__ __forceinline__ i8 row_here(const short_params &p) {
  const i8 r = ((i8)blockIdx.x * SHORT_THREADS + threadIdx.x) / LANES;
  return r < p.rows && p.classes[r] >= p.from && p.classes[r] <= p.to ? r : -1;
}

/* Counts: indptr[r + 1] becomes the number of different columns in row r. */
MA_KERNEL __launch_bounds__(SHORT_THREADS) short_count(const short_params p) {
  const i8 r = row_here(p);
  tag t[EACH];
  bool head;
  int n = 0;
  if (!__any_sync(WHOLE, r >= 0)) return;
  make_products<false>(p, r, t, (reg *)0);
  sort_tags(t);
#pragma unroll
  for (int e = 0; e < EACH; e++) n += __popc(vote(t, e, &head));
  if (r >= 0 && threadIdx.x % LANES == 0) p.to_indptr[r + 1] = (idx)n;
}

MA_KERNEL __launch_bounds__(SHORT_THREADS) short_fill(const short_params p) {
  __align__(16) __shared__ u1 room[SHORT_THREADS * EACH * sizeof(reg)];
  __shared__ u2 orders[SHORT_THREADS * EACH];
  const int lane = threadIdx.x % LANES;
  const i8 r = row_here(p);
  reg *values = (reg *)room + threadIdx.x / LANES * PLACES;
  u2 *order = orders + threadIdx.x / LANES * PLACES;
  tag t[EACH];
  u4 votes[EACH], heads = 0;
  if (!__any_sync(WHOLE, r >= 0)) return;
  const int n = make_products<true>(p, r, t, values);
  sort_tags(t);
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    bool head;
    votes[e] = vote(t, e, &head);
    heads |= (u4)head << e;
    order[e * LANES + lane] = (u2)((u4)t[e] % PLACES | (head ? HEAD : 0));
  }
  __syncwarp();
  if (r < 0) return;
  i8 to = (i8)p.to_indptr[r] - 1;
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    if (heads >> e & 1) {
      reg sum = values[(u4)t[e] % PLACES];
      for (int k = e * LANES + lane + 1; k < n && !(order[k] & HEAD); k++) sum = plus(sum, values[order[k]]);
      const i8 at = to + __popc(votes[e] & ((1u << lane) - 1));
      p.to_indices[at] = (idx)(t[e] / PLACES) + 1;
      p.to_data[at] = dt::store(sum);
    }
    to += __popc(votes[e]);
  }
}
