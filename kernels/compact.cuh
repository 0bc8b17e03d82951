/*
** compact.cuh: the elements of which a program says so, side by side and in order, or their places. The text before this one is that
** of src/cuda/fold.c, with the program's value and, as its mask, what is kept; and
**   PLACES          1: there is no value, and the places from 1 on are the result
**   place           an unsigned type for the places of all elements and two bits
**   THREADS, ITEMS  threads of a block, and elements of each: a tile
**   MIN_BLOCKS      of a multiprocessor, which bounds registers
**   WINDOW          tiles that a warp looks at in one step, four a lane: 128
** Everything is read once and written once. A block takes a tile by a ticket, so that those before it run or ran already; publishes
** how many are kept of it, and by the time these lie side by side in shared memory it knows from the tiles before where they go.
*/
#define WHOLE 0xffffffffu
#define WARPS (THREADS / 32)
#define TILE (THREADS * ITEMS)
#define ROWS (ITEMS / 4)

/* What a tile publishes: how many are kept of it (PARTIAL), or of it and of all before it (COMPLETE). Count and mark are one word, so no fence is needed. */
#define PARTIAL ((place)1 << (8 * sizeof(place) - 2))
#define COMPLETE ((place)1 << (8 * sizeof(place) - 1))
#define COUNTED (PARTIAL - 1)

struct board {
  u4 ticket, unused[3];
  place tile[1];
};

/* The words of four tiles. */
static __device__ __forceinline__ void look(const place *at, place *w) {
  union { place w[4]; uint4 raw[sizeof(place) / 4]; } u;
#pragma unroll
  for (int i = 0; i < (int)sizeof(place) / 4; i++) u.raw[i] = load_now((const uint4 *)at + i);
#pragma unroll
  for (int k = 0; k < 4; k++) w[k] = u.w[k];
}

/* By a warp: how many are kept of the tiles before this one. */
static __device__ __forceinline__ place look_back(const place *tiles, u4 tile) {
  const int lane = threadIdx.x & 31;
  place sum = 0;
  for (u4 window = (tile - 1) / WINDOW;; window--) {
    const u4 first = window * WINDOW + lane * 4;
    place w[4];
    int top;                           /* the last lane with a complete count; -1: none has one */
    for (;;) {
      bool ready = true, complete = false;
      look(tiles + first, w);
#pragma unroll
      for (int k = 3; k >= 0; k--) {
        if (first + k >= tile || complete) { w[k] = 0; continue; }
        ready = ready && w[k];
        complete = w[k] & COMPLETE;
      }
      const u4 found = __ballot_sync(WHOLE, complete && ready);
      top = found ? 31 - __clz(found) : -1;
      if (__all_sync(WHOLE, ready || lane < top)) break;
    }
    if (lane >= top) {
#pragma unroll
      for (int k = 0; k < 4; k++) sum += w[k] & COUNTED;
    }
    if (top >= 0) break;
  }
#pragma unroll
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(WHOLE, sum, step);
  return sum;
}

#if PLACES
typedef u2 item;                       /* the place in the tile */
#else
typedef result::mem item;
#endif

/* A thread's elements: its warp has neighbours from `first` on, in rows of 128. Bit 4 * j + k of the result: element k of row j is kept. */
static __device__ __forceinline__ u4 read_tile(const params &p, u8 first, value (*x)[4]) {
  const offsets b = kept_at(p, 0);
  const u8 r = first + (threadIdx.x & 31) * 4;
  bool m[ROWS][4];
  u4 flags = 0;
  if (first + ROWS * 128 <= p.count) {
#pragma unroll
    for (int j = 0; j < ROWS; j++) fetch_row(p, b, r + j * 128, x[j], m[j]);
  } else {
#pragma unroll
    for (int j = 0; j < ROWS; j++)
#pragma unroll
      for (int k = 0; k < 4; k++) {
        m[j][k] = false;
        if (PLACES) x[j][k] = value();
        if (r + j * 128 + k < p.count) fetch(p, b, r + j * 128 + k, x[j][k], m[j][k]);
      }
  }
#pragma unroll
  for (int j = 0; j < ROWS; j++)
#pragma unroll
    for (int k = 0; k < 4; k++)
#if PLACES
      flags |= (u4)(x[j][k] != 0) << (j * 4 + k);
#else
      flags |= (u4)m[j][k] << (j * 4 + k);
#endif
  return flags;
}

MA_KERNEL __launch_bounds__(THREADS, MIN_BLOCKS) compact(const params p) {
  __shared__ item kept[TILE];
  __shared__ u4 sums[WARPS];
  __shared__ place before;
  __shared__ u4 ticket;
  board *all = (board *)p.partial;
  const u4 warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  u4 tile = 0;                         /* a single one needs no board */
  if (p.span > 1) {
    if (threadIdx.x == 0) ticket = atomicAdd(&all->ticket, 1u);
    __syncthreads();
    tile = ticket;
  }
  value x[ROWS][4];
  const u4 flags = read_tile(p, (u8)tile * TILE + warp * 32 * ITEMS, x);

  /* A byte a row: how many this lane and those before it keep of it, 128 at most. */
  u4 own = 0, upto;
#pragma unroll
  for (int j = 0; j < ROWS; j++) own |= __popc(flags >> (j * 4) & 15) << (j * 8);
  upto = own;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const u4 other = __shfl_up_sync(WHOLE, upto, step);
    if (lane >= step) upto += other;
  }
  const u4 rows = __shfl_sync(WHOLE, upto, 31);
  if (lane == 0) sums[warp] = (rows & 255) + (rows >> 8 & 255) + (rows >> 16 & 255) + (rows >> 24);
  __syncthreads();
  u4 at = 0, total = 0;
#pragma unroll
  for (u4 w = 0; w < WARPS; w++) {
    if (w < warp) at += sums[w];
    total += sums[w];
  }
  if (threadIdx.x == 0 && p.span > 1) __stcg(all->tile + tile, (tile ? PARTIAL : COMPLETE) | (place)total);
#pragma unroll
  for (int j = 0; j < ROWS; j++) {
    u4 to = at + ((upto - own) >> (j * 8) & 255);
#pragma unroll
    for (int k = 0; k < 4; k++)
      if (flags >> (j * 4 + k) & 1) {
#if PLACES
        kept[to++] = (item)(warp * 32 * ITEMS + j * 128 + lane * 4 + k);
#else
        kept[to++] = result::store(x[j][k]);
#endif
      }
    at += rows >> (j * 8) & 255;
  }
  if (warp == 0) {
    const place sum = tile ? look_back(all->tile, tile) : 0;
    if (lane == 0) {
      if (tile) __stcg(all->tile + tile, COMPLETE | (sum + total));
      before = sum;
      if (tile == (u4)p.span - 1 && p.status) {          /* the host waits for how many there are */
        *(volatile u8 *)(p.status + MARK_BYTES) = sum + total;
        __threadfence_system();
        *(volatile u8 *)p.status = p.run;
      }
    }
  }
  __syncthreads();
#if PLACES
  i8 *to = (i8 *)p.out + before;
  const i8 first = (i8)tile * TILE + 1;
#pragma unroll 4
  for (u4 k = threadIdx.x; k < total; k += THREADS) to[k] = first + kept[k];
#else
  item *to = (item *)p.out + before;
#pragma unroll 4
  for (u4 k = threadIdx.x; k < total; k += THREADS) to[k] = kept[k];
#endif
}

/* How many there are, added to what p.partial points to: for results whose room must be known first. */
MA_KERNEL __launch_bounds__(THREADS, MIN_BLOCKS) count_kept(const params p) {
  u4 sum = 0;
  for (u8 tile = blockIdx.x; tile < p.span; tile += gridDim.x) {
    value x[ROWS][4];
    sum += __popc(read_tile(p, tile * TILE + (threadIdx.x >> 5) * 32 * ITEMS, x));
  }
#pragma unroll
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(WHOLE, sum, step);
  if ((threadIdx.x & 31) == 0 && sum) atomicAdd((unsigned long long *)p.partial, (unsigned long long)sum);
}
