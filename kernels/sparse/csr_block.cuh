/*
** csr_block.cuh: the rows of A B of class BLOCKED, behind csr_classes.cuh: a block takes a row. Its threads make the
** products, EACH of them a thread, sort them by column, and add up those of a column in their order, as csr_short.cuh
** does. Place i of the sorted order is element i % EACH of thread i / EACH. The text before has
**   typedef tag        u4 or u8: a column and, below it, the number of a product in its row
*/
#define NUMBERS 4096 /* of products in a tag */

/* The memory of a block. `more` is for values or tags, whichever are written last. */
template <class MORE> struct block_room {
  u4 ends[THREADS];  /* products of A's next entries, up to each */
  idx rows[THREADS]; /* where their rows of B begin */
  MORE more;
};

union value_room {
  tag tags[MOST_BLOCKED];
  __align__(16) u1 values[MOST_BLOCKED * sizeof(reg)];
};

/* The number of products of A's entry first + threadIdx.x, or 0 if that is at `end` or behind it. */
static __device__ __forceinline__ u4 products_here(const short_params &p, i8 first, i8 end, i8 *begin) {
  *begin = 0;
  if (first + threadIdx.x >= end) return 0;
  const i8 n = row_of(p, (i8)p.a_indices[first + threadIdx.x] - 1, begin);
  return (u4)(n < NUMBERS ? n : NUMBERS);
}

static __device__ __forceinline__ u4 products_of(const short_params &p, i8 r) {
  const i8 end = row_end(p.a_indptr, r, p.a_nnz);
  u4 n = 0, all;
  i8 begin;
  for (i8 first = row_end(p.a_indptr, r - 1, p.a_nnz); first < end; first += THREADS) {
    sum_before(products_here(p, first, end, &begin), &all);
    n += all;
  }
  return n;
}

/* Makes the products of row r: number e THREADS + threadIdx.x is t[e], all bits of which are set if there is none. */
template <int EACH, bool VALUES>
static __device__ __forceinline__ void make_block(const short_params &p, i8 r, tag *t, reg *values, u4 *ends,
                                                  idx *rows) {
  i8 first = row_end(p.a_indptr, r - 1, p.a_nnz);
  const i8 end = row_end(p.a_indptr, r, p.a_nnz);
  int done = 0;
#pragma unroll
  for (int e = 0; e < EACH; e++) t[e] = ~(tag)0;
  for (; first < end && done < EACH * THREADS; first += THREADS) {
    i8 begin;
    u4 all;
    const u4 mine = products_here(p, first, end, &begin);
    ends[threadIdx.x] = mine + sum_before(mine, &all);
    rows[threadIdx.x] = (idx)begin;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      const u4 place = (u4)(e * THREADS + (int)threadIdx.x - done); /* among the products of these entries */
      if (place >= all) continue;
      int at = 0; /* the entry from which it comes: the first one that ends behind it */
#pragma unroll
      for (int step = THREADS / 2; step > 0; step /= 2)
        if (ends[at + step - 1] <= place) at += step;
      const i8 b = (i8)rows[at] + (place - (at ? ends[at - 1] : 0));
      t[e] = (tag)(within((i8)get(p.b_indices + b), p.b_columns) - 1) * NUMBERS + (tag)(e * THREADS + (int)threadIdx.x);
      if (VALUES) values[e] = add_product(dt::load(get(p.a_data + first + at)), dt::load(get(p.b_data + b)), reg());
    }
    done += (int)all;
  }
}

/* Sorts the tags of a block by bitonic merges. Near places are exchanged within a thread, farther ones within a warp,
** others through `room`. */
template <int EACH> static __device__ __forceinline__ void sort_block(tag *t, tag *room) {
  const int me = (int)threadIdx.x;
  for (int k = 2; k <= EACH * THREADS; k *= 2) {
    const bool up = (me * EACH & k) == 0; /* where k >= EACH */
    int j = k / 2;
    for (; j >= 32 * EACH; j /= 2) {
      const bool least = ((me & j / EACH) == 0) == up;
      __syncthreads();
#pragma unroll
      for (int e = 0; e < EACH; e++) room[e * THREADS + me] = t[e];
      __syncthreads();
#pragma unroll
      for (int e = 0; e < EACH; e++) {
        const tag other = room[e * THREADS + (me ^ j / EACH)];
        t[e] = (other < t[e]) == least ? other : t[e];
      }
    }
    for (; j >= EACH; j /= 2) {
      const bool least = ((me & j / EACH) == 0) == up;
#pragma unroll
      for (int e = 0; e < EACH; e++) {
        const tag other = take_xor(t[e], j / EACH);
        t[e] = (other < t[e]) == least ? other : t[e];
      }
    }
#pragma unroll
    for (int near = EACH / 2; near > 0; near /= 2) {
      if (near > j) continue;
#pragma unroll
      for (int e = 0; e < EACH; e++) {
        if (e & near) continue;
        const tag low = t[e], high = t[e + near];
        const bool turn = (high < low) == (k < EACH ? (e & k) == 0 : up);
        t[e] = turn ? high : low;
        t[e + near] = turn ? low : high;
      }
    }
  }
}

/* Bit e says whether the tag of element e is the first of its column. All threads call it. */
template <int EACH> static __device__ __forceinline__ u4 heads_of(const tag *t, tag *room) {
  u4 heads = 0;
  __syncthreads();
  room[threadIdx.x] = t[EACH - 1];
  __syncthreads();
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const bool first = e == 0 && threadIdx.x == 0;
    const tag before = e > 0 ? t[e > 0 ? e - 1 : 0] : first ? 0 : room[threadIdx.x - 1];
    heads |= (u4)(t[e] != ~(tag)0 && (first || before / NUMBERS != t[e] / NUMBERS)) << e;
  }
  return heads;
}

template <int EACH, class ROOM>
static __device__ __forceinline__ void count_block(const short_params &p, i8 r, ROOM &s) {
  tag t[EACH];
  u4 all;
  make_block<EACH, false>(p, r, t, (reg *)0, s.ends, s.rows);
  sort_block<EACH>(t, s.more);
  sum_before((u4)__popc(heads_of<EACH>(t, s.more)), &all);
  if (threadIdx.x == 0) p.to_indptr[r + 1] = (idx)all;
}

/* Counts: indptr[r + 1] becomes the number of different columns in row r. */
MA_KERNEL __launch_bounds__(THREADS) block_count(const short_params p) {
  __shared__ block_room<tag[MOST_BLOCKED]> s;
  const i8 r = (i8)p.list[blockIdx.x];
  const u4 n = products_of(p, r);
  if (n <= 4 * THREADS) count_block<4>(p, r, s);
  else if (n <= 8 * THREADS) count_block<8>(p, r, s);
  else count_block<MOST_BLOCKED / THREADS>(p, r, s);
}

/* Makes the rows. The values stay in the threads until the tags are sorted. Then the numbers in the tags tell where
** they are. */
template <int EACH, class ROOM>
static __device__ __forceinline__ void fill_block(const short_params &p, i8 r, u4 n, ROOM &s, u2 *orders) {
  tag t[EACH];
  reg v[EACH];
  u4 all;
  reg *values = (reg *)s.more.values;
  make_block<EACH, true>(p, r, t, v, s.ends, s.rows);
  sort_block<EACH>(t, s.more.tags);
  const u4 heads = heads_of<EACH>(t, s.more.tags);
  i8 to = (i8)p.to_indptr[r] - 1 + sum_before((u4)__popc(heads), &all);
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const u4 number = (u4)(e * THREADS + (int)threadIdx.x);
    if (number < n) values[number] = v[e];
    orders[number] = (u2)((u4)t[e] % NUMBERS | (heads >> e & 1 ? HEAD : 0));
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    if (!(heads >> e & 1)) continue;
    reg sum = values[(u4)t[e] % NUMBERS];
    for (u4 k = threadIdx.x * EACH + e + 1; k < n; k++) {
      const u4 next = orders[k % EACH * THREADS + k / EACH];
      if (next & HEAD) break;
      sum = plus(sum, values[next]);
    }
    p.to_indices[to] = (idx)(t[e] / NUMBERS) + 1;
    p.to_data[to++] = dt::store(sum);
  }
}

MA_KERNEL __launch_bounds__(THREADS) block_fill(const short_params p) {
  __shared__ block_room<value_room> s;
  __shared__ u2 orders[MOST_BLOCKED];
  const i8 r = (i8)p.list[blockIdx.x];
  const u4 n = products_of(p, r);
  if (n <= 4 * THREADS) fill_block<4>(p, r, n, s, orders);
  else if (n <= 8 * THREADS) fill_block<8>(p, r, n, s, orders);
  else fill_block<MOST_BLOCKED / THREADS>(p, r, n, s, orders);
}
