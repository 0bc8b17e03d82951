/*
** csr_product.cuh: y = A x for a CSR matrix A and a vector or matrix x, behind csr.cuh. The text before it defines
** one of
**   BY_ROWS    LANES (1 .. 32) neighbouring threads take a row: for rows of about the same length
**   BALANCED   each block takes TILE rows and entries, counted together: for rows of any length
**   WIDE       a warp takes a row: x has several columns, VEC of which are loaded at once by each of LANES threads
*/
struct product_params {
  const idx *indptr, *indices;
  const mem *data, *x;
  mem *y;
  i8 rows, columns, nnz, width;
  i8 *carry_row; /* BALANCED: for each block the row that it leaves unfinished, and its sum there */
  reg *carry;
  i8 tiles;
};

/* x's element at a column that counts from 1. */
static __device__ __forceinline__ reg element(const product_params &p, idx column) {
  const uidx at = (uidx)column - 1;
  return at < (uidx)p.columns ? dt::load(get(p.x + at)) : reg();
}

#ifdef BY_ROWS
#define UNROLL 4
MA_KERNEL __launch_bounds__(THREADS) csr_rows(const product_params p) {
  const i8 r = ((i8)blockIdx.x * THREADS + threadIdx.x) / LANES;
  reg sum = reg();
  if (r < p.rows) {
    const i8 end = row_end(p.indptr, r, p.nnz);
    for (i8 at = row_end(p.indptr, r - 1, p.nnz) + threadIdx.x % LANES; at < end; at += UNROLL * LANES) {
      idx column[UNROLL];
      mem value[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; u++)
        if (at + u * LANES < end) {
          column[u] = get(p.indices + at + u * LANES);
          value[u] = get(p.data + at + u * LANES);
        }
#pragma unroll
      for (int u = 0; u < UNROLL; u++)
        if (at + u * LANES < end) sum = add_product(dt::load(value[u]), element(p, column[u]), sum);
    }
  }
#pragma unroll
  for (int o = LANES / 2; o > 0; o /= 2) sum = plus(sum, take_xor(sum, o));
  if (r < p.rows && threadIdx.x % LANES == 0) p.y[r] = dt::store(sum);
}
#endif

#ifdef BALANCED
/* ITEMS is odd, so that the threads' items lie in different banks. */
#define TILE (THREADS * ITEMS)

/* The rows that end among the first `items` rows and entries, where a row's end comes behind its entries. */
static __device__ i8 rows_before(const product_params &p, i8 items) {
  return count_rows(items > p.nnz ? items - p.nnz : 0, items < p.rows ? items : p.rows,
                    [&](i8 at) { return row_end(p.indptr, at, p.nnz) <= items - 1 - at; });
}

/* A row's sum that another thread may have begun: `ends` says whether the row begins here. */
struct part {
  reg sum;
  u4 ends;
};
static __device__ __forceinline__ part behind(const part &a, const part &b) {
  part c;
  c.sum = b.ends ? b.sum : plus(a.sum, b.sum);
  c.ends = a.ends | b.ends;
  return c;
}

MA_KERNEL __launch_bounds__(THREADS) csr_merge(const product_params p) {
  __shared__ room_of<reg, TILE> room;
  __shared__ u2 ends[TILE];
  __shared__ i8 corner[2];
  __shared__ room_of<reg, THREADS / 32> room_of_warps;
  __shared__ u4 ends_of_warps[THREADS / 32];
  reg *products = room.at(), *sums = room_of_warps.at();
  const i8 all = p.rows + p.nnz, first = (i8)blockIdx.x * TILE, items = all - first < TILE ? all - first : TILE;
  const u4 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp < 2) {
    const i8 rows = rows_before(p, first + warp * items);
    if (lane == 0) corner[warp] = rows;
  }
  __syncthreads();
  const i8 row = corner[0], entry = first - row;
  const int nrow = corner[1] < row ? 0 : corner[1] - row < items ? (int)(corner[1] - row) : (int)items;
  const int nentry = (int)items - nrow;
  {
    idx column[ITEMS];
    mem value[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const int j = k * THREADS + threadIdx.x;
      if (j < nentry) {
        column[k] = get(p.indices + entry + j);
        value[k] = get(p.data + entry + j);
      }
    }
    for (int i = threadIdx.x; i < nrow; i += THREADS) ends[i] = (u2)(row_end(p.indptr, row + i, p.nnz) - entry);
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const int j = k * THREADS + threadIdx.x;
      if (j < nentry) products[j] = add_product(dt::load(value[k]), element(p, column[k]), reg());
    }
  }
  __syncthreads();
  const int mine = min((int)threadIdx.x * ITEMS, (int)items), last = min(mine + ITEMS, (int)items);
  int i = max(0, mine - nentry), high = min(mine, nrow);
  while (i < high) {
    const int middle = (i + high) / 2;
    if (ends[middle] <= mine - 1 - middle) i = middle + 1;
    else high = middle;
  }
  reg head = reg();
  part now = { reg(), 0 };
  int j = mine - i, head_row = -1;
  for (int k = mine; k < last; k++) {
    if (i < nrow && (j >= nentry || ends[i] <= j)) {
      if (head_row < 0) {
        head_row = i;
        head = now.sum;
      } else p.y[row + i] = dt::store(now.sum);
      now.sum = reg();
      now.ends = 1;
      i++;
    } else now.sum = plus(now.sum, products[j++]);
  }
  part all_mine = now;
#pragma unroll
  for (u4 o = 1; o < 32; o *= 2) {
    part other;
    other.sum = take_up(all_mine.sum, o);
    other.ends = take_up(all_mine.ends, o);
    if (lane >= o) all_mine = behind(other, all_mine);
  }
  if (lane == 31) {
    sums[warp] = all_mine.sum;
    ends_of_warps[warp] = all_mine.ends;
  }
  part before;
  before.sum = take_up(all_mine.sum, 1);
  before.ends = take_up(all_mine.ends, 1);
  if (lane == 0) before = part{ reg(), 0 };
  __syncthreads();
  part earlier = { reg(), 0 };
  for (u4 w = 0; w < warp; w++) earlier = behind(earlier, part{ sums[w], ends_of_warps[w] });
  if (head_row >= 0) p.y[row + head_row] = dt::store(plus(behind(earlier, before).sum, head));
  if (threadIdx.x == THREADS - 1) {
    p.carry_row[blockIdx.x] = row + nrow;
    p.carry[blockIdx.x] = behind(earlier, all_mine).sum;
  }
}

/* Adds what blocks left of a row that a later block ended, in the order of the blocks. */
MA_KERNEL __launch_bounds__(THREADS) csr_carry(const product_params p) {
  const i8 t = (i8)blockIdx.x * THREADS + threadIdx.x, none = -1;
  const u4 lane = threadIdx.x % 32;
  const i8 row = t < p.tiles ? p.carry_row[t] : none;
  const i8 previous = t > 0 && t < p.tiles ? p.carry_row[t - 1] : none,
           next = t + 1 < p.tiles ? p.carry_row[t + 1] : none;
  const bool first = row >= 0 && row < p.rows && row != previous;
  if (first && row != next) p.y[row] = dt::store(plus(p.carry[t], dt::load(p.y[row])));
  u4 longer = __ballot_sync(WHOLE, first && row == next);
  while (longer) {
    const int from = __ffs((int)longer) - 1;
    longer &= longer - 1;
    const i8 start = take_from(t, from), of = take_from(row, from);
    reg sum = reg();
    for (i8 k = start + lane; k < p.tiles && p.carry_row[k] == of; k += 32) sum = plus(sum, p.carry[k]);
#pragma unroll
    for (int o = 16; o > 0; o /= 2) sum = plus(sum, take_xor(sum, o));
    if (lane == 0) p.y[of] = dt::store(plus(sum, dt::load(p.y[of])));
  }
}
#endif

#ifdef WIDE
#define PARTS (32 / LANES) /* entries that a warp takes at once */
#define UNROLL 4
MA_KERNEL __launch_bounds__(THREADS) csr_wide(const product_params p) {
  const i8 r = (i8)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32, part = lane / LANES;
  const i8 column = ((i8)blockIdx.y * LANES + lane % LANES) * VEC;
  if (r >= p.rows) return;
  const i8 begin = row_end(p.indptr, r - 1, p.nnz), end = row_end(p.indptr, r, p.nnz);
  const bool there = column < p.width;
  reg sum[VEC];
#pragma unroll
  for (int v = 0; v < VEC; v++) sum[v] = reg();
  for (i8 base = begin; base < end; base += 32) {
    const int n = (int)(end - base < 32 ? end - base : 32);
    idx own = 0;
    mem own_value = mem();
    if (lane < n) {
      own = get(p.indices + base + lane);
      own_value = get(p.data + base + lane);
    }
    for (int e = 0; e < n; e += UNROLL * PARTS) {
      pack<mem, VEC> x[UNROLL];
      reg value[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; u++) {
        const int k = e + u * PARTS + part;
        const uidx at = (uidx)take_from(own, k & 31) - 1;
        value[u] = dt::load(take_from(own_value, k & 31));
        if (k < n && at < (uidx)p.columns && there) x[u].load_all((const char *)(p.x + (i8)at * p.width + column));
        else value[u] = reg();
        if (!(k < n && at < (uidx)p.columns && there))
#pragma unroll
          for (int v = 0; v < VEC; v++) x[u].v[v] = mem();
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
  if (part || !there) return;
  pack<mem, VEC> y;
#pragma unroll
  for (int v = 0; v < VEC; v++) y.v[v] = dt::store(sum[v]);
  y.store_all((char *)(p.y + r * p.width + column));
}
#endif
