/*
** csr_product.cuh: y = A x for a CSR matrix A and a vector or matrix x, behind csr_long.cuh. The text before
** defines ONES, 1 if x is a vector of ones that is not read, and one of
**   BY_ROWS    LANES (1 .. 32) neighbouring threads take a row: x is a vector
**   STREAM     the same, but a block first multiplies the entries of all its rows as they lie in memory, TILE at a time
**   WIDE       a warp takes a row: x has several columns, VEC of which are loaded at once by each of LANES threads
*/
static __device__ __forceinline__ reg *sums_of(const product_params &p) { return (reg *)p.list.sums; }

#if defined(BY_ROWS) || defined(STREAM)
/* The element of x at a column. Columns count from 1. */
static __device__ __forceinline__ reg element(const product_params &p, idx column) {
  const uidx at = (uidx)column - 1;
  return at < (uidx)p.columns ? dt::load(get(p.x + at)) : reg();
}

/* The column of entry k; not read if ONES is 1, which stands for a vector x of ones. */
static __device__ __forceinline__ idx column_of(const product_params &p, i8 k) {
#if ONES
  return 0;
#else
  return get(p.indices + k);
#endif
}

static __device__ __forceinline__ reg add_term(const product_params &p, mem value, idx column, reg sum) {
#if ONES
  return plus(dt::load(value), sum);
#else
  return add_product(dt::load(value), element(p, column), sum);
#endif
}
#endif

#ifdef STREAM
#define ITEMS 6
#define TILE (THREADS * ITEMS)

/* Multiplies with loads as wide as a warp, however long the rows are. The sums are then taken from shared memory. */
MA_KERNEL __launch_bounds__(THREADS) csr_stream(const product_params p) {
  __align__(16) __shared__ u1 room[TILE * sizeof(reg)];
  reg *products = (reg *)room;
  const i8 first = (i8)blockIdx.x * (THREADS / LANES), r = first + threadIdx.x / LANES;
  const i8 last = first + THREADS / LANES < p.rows ? first + THREADS / LANES : p.rows;
  const i8 from = row_end(p.indptr, first - 1, p.nnz), to = row_end(p.indptr, last - 1, p.nnz);
  const i8 begin = r < p.rows ? row_end(p.indptr, r - 1, p.nnz) : to,
           end = r < p.rows ? row_end(p.indptr, r, p.nnz) : to;
  const int lane = threadIdx.x % LANES;
  reg sum = reg();
  for (i8 base = from; base < to; base += TILE) {
    const int n = (int)(to - base < TILE ? to - base : TILE);
    idx column[ITEMS];
    mem value[ITEMS];
    if (base > from) __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const int j = k * THREADS + threadIdx.x;
      if (j < n) {
        column[k] = column_of(p, base + j);
        value[k] = value_of(p.data, p.order, base + j);
      }
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const int j = k * THREADS + threadIdx.x;
      if (j < n) products[j] = add_term(p, value[k], column[k], reg());
    }
    __syncthreads();
    const int low = begin > base ? (begin - base < n ? (int)(begin - base) : n) : 0;
    const int high = end > base ? (end - base < n ? (int)(end - base) : n) : 0;
#pragma unroll 4
    for (int j = low + lane; j < high; j += LANES) sum = plus(sum, products[j]);
  }
#pragma unroll
  for (int o = LANES / 2; o > 0; o /= 2) sum = plus(sum, take_xor(sum, o));
  if (r < p.rows && lane == 0) p.y[r] = dt::store(sum);
}
#endif

#ifdef BY_ROWS
/* The sum over the entries at, at + STEP ... below end. */
template <int STEP, int UNROLL>
static __device__ __forceinline__ reg sum_entries(const product_params &p, i8 at, i8 end) {
  reg sum = reg();
  for (; at < end; at += UNROLL * STEP) {
    idx column[UNROLL];
    mem value[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
      if (at + u * STEP < end) {
        column[u] = column_of(p, at + u * STEP);
        value[u] = value_of(p.data, p.order, at + u * STEP);
      }
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
      if (at + u * STEP < end) sum = add_term(p, value[u], column[u], sum);
  }
  return sum;
}

MA_KERNEL __launch_bounds__(THREADS) csr_rows(const product_params p) {
  const i8 r = ((i8)blockIdx.x * THREADS + threadIdx.x) / LANES;
  const int lane = threadIdx.x % LANES;
  reg sum = reg();
  bool is_long = false;
  if (r < p.rows) {
    const i8 begin = row_end(p.indptr, r - 1, p.nnz), end = row_end(p.indptr, r, p.nnz);
    is_long = LIST && end - begin > LIMIT;
    if (!is_long) sum = sum_entries<LANES, 4>(p, begin + lane, end);
    else if (lane == 0) list_row(p.list, r, end - begin, 1);
  }
#pragma unroll
  for (int o = LANES / 2; o > 0; o /= 2) sum = plus(sum, take_xor(sum, o));
  if (r < p.rows && lane == 0 && !is_long) p.y[r] = dt::store(sum);
}

#if LIST
MA_KERNEL __launch_bounds__(THREADS) csr_long(const product_params p) {
  const int lane = threadIdx.x % 32;
  const i8 n = listed(p.list);
  for (i8 k = ((i8)blockIdx.x * THREADS + threadIdx.x) / 32; k < n; k += (i8)gridDim.x * (THREADS / 32)) {
    i8 begin, end;
    u4 all = 0;
    const long_chunk c = chunk_at(p.list, p.indptr, p.nnz, k, &begin, &end, &all);
    if (c.row < 0) continue;
    reg sum = sum_entries<32, 8>(p, begin + lane, end);
#pragma unroll
    for (int o = 16; o > 0; o /= 2) sum = plus(sum, take_xor(sum, o));
    if (all > 1) {
      if (lane == 0) sums_of(p)[k] = sum;
      if (!is_last(p.list.done + c.first, all)) continue;
      sum = reg();
#pragma unroll 4
      for (u4 j = lane; j < all; j += 32) sum = plus(sum, fresh(sums_of(p) + c.first + j));
#pragma unroll
      for (int o = 16; o > 0; o /= 2) sum = plus(sum, take_xor(sum, o));
    }
    if (lane == 0) p.y[c.row] = dt::store(sum);
  }
}
#endif
#endif

#ifdef WIDE
#define PARTS (32 / LANES) /* entries that a warp takes at once */
#define UNROLL 4

/* The sums of the entries begin .. end - 1 in this thread's columns. Every thread of a strip gets them all. */
static __device__ __forceinline__ void sum_wide(const product_params &p, i8 begin, i8 end, i8 column, reg *sum) {
  const int lane = threadIdx.x % 32, part = lane / LANES;
  const bool there = column < p.width;
#pragma unroll
  for (int v = 0; v < VEC; v++) sum[v] = reg();
  for (i8 base = begin; base < end; base += 32) {
    const int n = (int)(end - base < 32 ? end - base : 32);
    idx own = 0;
    mem own_value = mem();
    if (lane < n) {
      own = get(p.indices + base + lane);
      own_value = value_of(p.data, p.order, base + lane);
    }
    for (int e = 0; e < n; e += UNROLL * PARTS) {
      pack<mem, VEC> x[UNROLL];
      reg value[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; u++) {
        const int k = e + u * PARTS + part;
        const uidx at = (uidx)take_from(own, k & 31) - 1;
        const bool is_in = k < n && at < (uidx)p.columns && there;
        value[u] = dt::load(take_from(own_value, k & 31));
        if (is_in) x[u].load_all((const char *)(p.x + (i8)at * p.width + column));
        else {
          value[u] = reg();
#pragma unroll
          for (int v = 0; v < VEC; v++) x[u].v[v] = mem();
        }
      }
#pragma unroll
      for (int u = 0; u < UNROLL; u++)
#pragma unroll
        for (int v = 0; v < VEC; v++) sum[v] = add_product(value[u], dt::load(x[u].v[v]), sum[v]);
    }
  }
#pragma unroll
  for (int v = 0; v < VEC; v++)
#pragma unroll
    for (int o = 16; o >= LANES; o /= 2) sum[v] = plus(sum[v], take_xor(sum[v], o));
}

static __device__ __forceinline__ void put_wide(const product_params &p, i8 row, i8 column, const reg *sum) {
  if (threadIdx.x % 32 >= LANES || column >= p.width) return;
  pack<mem, VEC> y;
#pragma unroll
  for (int v = 0; v < VEC; v++) y.v[v] = dt::store(sum[v]);
  y.store_all((char *)(p.y + row * p.width + column));
}

static __device__ __forceinline__ i8 first_column() { return ((i8)blockIdx.y * LANES + threadIdx.x % LANES) * VEC; }

MA_KERNEL __launch_bounds__(THREADS) csr_wide(const product_params p) {
  const i8 r = (i8)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
  if (r >= p.rows) return;
  const i8 begin = row_end(p.indptr, r - 1, p.nnz), end = row_end(p.indptr, r, p.nnz), column = first_column();
  if (LIST && end - begin > LIMIT) {
    if (blockIdx.y == 0 && threadIdx.x % 32 == 0) list_row(p.list, r, end - begin, gridDim.y);
    return;
  }
  reg sum[VEC];
  sum_wide(p, begin, end, column, sum);
  put_wide(p, r, column, sum);
}

#if LIST
MA_KERNEL __launch_bounds__(THREADS) csr_wide_long(const product_params p) {
  const i8 n = listed(p.list), column = first_column();
  const bool mine = threadIdx.x % 32 < LANES && column < p.width;
  for (i8 k = ((i8)blockIdx.x * THREADS + threadIdx.x) / 32; k < n; k += (i8)gridDim.x * (THREADS / 32)) {
    i8 begin, end;
    u4 all = 0;
    reg sum[VEC];
    const long_chunk c = chunk_at(p.list, p.indptr, p.nnz, k, &begin, &end, &all);
    if (c.row < 0) continue;
    sum_wide(p, begin, end, column, sum);
    if (all > 1) {
#pragma unroll
      for (int v = 0; v < VEC; v++)
        if (mine) sums_of(p)[k * p.width + column + v] = sum[v];
      if (!is_last(p.list.done + (i8)c.first * gridDim.y + blockIdx.y, all)) continue;
#pragma unroll
      for (int v = 0; v < VEC; v++) {
        reg whole = reg();
        if (mine)
#pragma unroll 4
          for (u4 j = 0; j < all; j++)
            whole = plus(whole, fresh(sums_of(p) + ((i8)c.first + j) * p.width + column + v));
        sum[v] = whole;
      }
    }
    put_wide(p, c.row, column, sum);
  }
}
#endif
#endif
