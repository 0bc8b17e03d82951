/*
** compact.cuh: the elements of which a program says so, side by side and in order, or their places. The text before this one is that
** of src/cuda/fold.c, with the program's value and, as its mask, what is kept; and
**   PLACES          1: there is no value, and the places from 1 on are the result
**   place           an unsigned type for the places of all elements and two bits
**   THREADS, ITEMS  threads of a block, and elements of each: a tile
**   MIN_BLOCKS      of a multiprocessor, which bounds registers
**   WINDOW          tiles that a warp looks at in one step, four a lane: 128
** Everything is read once and written once. A block takes tiles by tickets, so that those before run or ran already, tells of each how many
** are kept of it, and finds where these go by looking back at what was told of the tiles before.
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

/* By a warp: how many are kept of the tiles of a window that are before `tile`, or rather of those from the last one with a COMPLETE count on;
** then *complete. Waits until they have told. */
static __device__ __forceinline__ place look_back(const place *tiles, u4 tile, u4 window, bool *complete) {
  const int lane = threadIdx.x & 31;
  const u4 first = window * WINDOW + lane * 4;
  place w[4], sum = 0;
  int top;                             /* the last lane with a complete count; -1: none has one */
  for (;;) {
    bool ready = true, whole = false;
    look(tiles + first, w);
#pragma unroll
    for (int k = 3; k >= 0; k--) {
      if (first + k >= tile || whole) { w[k] = 0; continue; }
      ready = ready && w[k];
      whole = w[k] & COMPLETE;
    }
    const u4 found = __ballot_sync(WHOLE, whole && ready);
    top = found ? 31 - __clz(found) : -1;
    if (__all_sync(WHOLE, ready || lane < top)) break;
  }
  if (lane >= top) {
#pragma unroll
    for (int k = 0; k < 4; k++) sum += w[k] & COUNTED;
  }
#pragma unroll
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(WHOLE, sum, step);
  *complete = top >= 0;
  return sum;
}

#if PLACES
typedef u2 item;                       /* the place in the tile */
#else
typedef result::mem item;
#endif

/* A thread's elements: its warp has neighbours, in rows of 128. What is not there is loaded as anything. */
static __device__ __forceinline__ void load_tile(const params &p, u8 tile, loaded *c) {
  const offsets b = kept_at(p, 0);
  const u8 first = tile * TILE + (threadIdx.x >> 5) * 32 * ITEMS, r = first + (threadIdx.x & 31) * 4;
  if (first + ROWS * 128 <= p.count) {
#pragma unroll
    for (int j = 0; j < ROWS; j++) load_row(p, b, r + j * 128, 4, c[j]);
    return;
  }
#pragma unroll
  for (int j = 0; j < ROWS; j++) {
    const u8 at = r + j * 128;
    if (at < p.count) load_row(p, b, at, p.count - at < 4 ? (int)(p.count - at) : 4, c[j]);
  }
}

/* Bit 4 * j + k of the result: element k of row j is kept. */
static __device__ __forceinline__ u4 run_tile(const params &p, u8 tile, const loaded *c, value (*x)[4]) {
  const u8 first = tile * TILE + (threadIdx.x >> 5) * 32 * ITEMS, r = first + (threadIdx.x & 31) * 4;
  const bool whole = first + ROWS * 128 <= p.count;
  u4 flags = 0;
#pragma unroll
  for (int j = 0; j < ROWS; j++) {
    bool m[4];
    run_row(p, c[j], x[j], m);
#pragma unroll
    for (int k = 0; k < 4; k++) {
#if PLACES
      m[k] = x[j][k] != 0;
#endif
      flags |= (u4)(m[k] && (whole || r + j * 128 + k < p.count)) << (j * 4 + k);
    }
  }
  return flags;
}

struct room {
  item kept[2][TILE];                  /* what is kept of two tiles, side by side */
  u4 sums[WARPS], next;
  place seen[WARPS];                   /* what the warps found when they looked back */
};

/* Bit 4 * j + k of the flags as counts: a byte a row, how many of it this lane keeps, all up to it, and the warp; 128 at most. */
struct counts { u4 own, upto, all; };

static __device__ __forceinline__ counts count_rows(u4 flags) {
  const u4 lane = threadIdx.x & 31;
  counts c;
  c.own = 0;
#pragma unroll
  for (int j = 0; j < ROWS; j++) c.own |= __popc(flags >> (j * 4) & 15) << (j * 8);
  c.upto = c.own;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const u4 other = __shfl_up_sync(WHOLE, c.upto, step);
    if (lane >= step) c.upto += other;
  }
  c.all = __shfl_sync(WHOLE, c.upto, 31);
  return c;
}

/* What is kept goes to `kept`, where that of the warp begins at `at`. */
static __device__ __forceinline__ void pack_tile(item *kept, u4 at, const counts &c, u4 flags, const value (*x)[4]) {
#pragma unroll
  for (int j = 0; j < ROWS; j++) {
    u4 to = at + ((c.upto - c.own) >> (j * 8) & 255);
#pragma unroll
    for (int k = 0; k < 4; k++)
      if (flags >> (j * 4 + k) & 1) {
#if PLACES
        kept[to++] = (item)((threadIdx.x >> 5) * 32 * ITEMS + j * 128 + (threadIdx.x & 31) * 4 + k);
#else
        kept[to++] = result::store(x[j][k]);
#endif
      }
    at += c.all >> (j * 8) & 255;
  }
}

/* How many are kept of the tiles before this one, as the warps found them; false: they have to look further back. */
static __device__ __forceinline__ bool sum_seen(const room &s, place &before) {
#pragma unroll
  for (int w = 0; w < WARPS; w++) {
    before += s.seen[w] & COUNTED;
    if (s.seen[w] & COMPLETE) return true;
  }
  return false;
}

/* By all: the same, looking. What was written to shared memory before is seen by all after it. */
static __device__ __forceinline__ place find_place(room &s, const place *tiles, u4 tile) {
  const int warp = threadIdx.x >> 5;
  place before = 0;
  for (int window = (int)((tile + WINDOW - 1) / WINDOW) - 1 - warp;; window -= WARPS) {
    bool complete = true;
    place sum = 0;
    if (window >= 0) sum = look_back(tiles, tile, window, &complete);
    if ((threadIdx.x & 31) == 0) s.seen[warp] = sum | (complete ? COMPLETE : 0);
    __syncthreads();
    if (sum_seen(s, before)) return before;
    __syncthreads();
  }
}

static __device__ __forceinline__ void store_tile(const params &p, const item *kept, u4 tile, place before, u4 total) {
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

/*
** Three tiles are under way in a block: one is loaded, one is counted, told of and packed, and only then is the place of the one before it
** asked for, when all that it depends on has been told of. A block waits for tiles of lower numbers alone, and tells of its own in their
** order, so that the lowest one that is not done never waits for ever.
*/
MA_KERNEL __launch_bounds__(THREADS, MIN_BLOCKS) compact(const params p) {
  __shared__ room s;
  board *all = (board *)p.partial;
  const u4 warp = threadIdx.x >> 5, none = WHOLE;
  const bool single = p.span == 1;     /* needs no board */
  loaded c[ROWS];
  u4 now = none, next = 0, total = 0, side = 0;
  if (!single) {
    if (threadIdx.x == 0) s.next = atomicAdd(&all->ticket, 1u);
    __syncthreads();
    next = s.next;
  }
  if (next < p.span) load_tile(p, next, c);
  while (now != none || next < p.span) {
    const bool more = next < p.span;
    u4 after = none, at = 0, sum = 0, flags = 0;
    counts n;
    value x[ROWS][4];
    if (threadIdx.x == 0 && more && !single) after = atomicAdd(&all->ticket, 1u);
    if (more) {
      flags = run_tile(p, next, c, x);
      n = count_rows(flags);
      if ((threadIdx.x & 31) == 0) s.sums[warp] = (n.all & 255) + (n.all >> 8 & 255) + (n.all >> 16 & 255) + (n.all >> 24);
    }
    if (threadIdx.x == 0) s.next = after;
    __syncthreads();
    after = s.next;
    if (more) {
#pragma unroll
      for (u4 w = 0; w < WARPS; w++) {
        if (w < warp) at += s.sums[w];
        sum += s.sums[w];
      }
      if (threadIdx.x == 0 && !single) __stcg(all->tile + next, (next ? PARTIAL : COMPLETE) | (place)sum);
      pack_tile(s.kept[side ^ 1], at, n, flags, x);
      if (after < p.span) load_tile(p, after, c);
    }
    if (now != none) {
      const place before = find_place(s, all->tile, now);
      if (threadIdx.x == 0) {
        if (now) __stcg(all->tile + now, COMPLETE | (before + total));
        if (now == (u4)p.span - 1 && p.status) {         /* the host waits for how many there are */
          *(volatile u8 *)(p.status + MARK_BYTES) = before + total;
          __threadfence_system();
          *(volatile u8 *)p.status = p.run;
        }
      }
      store_tile(p, s.kept[side], now, before, total);
    }
    else __syncthreads();              /* nobody writes to the room before all have read */
    now = more ? next : none;
    next = after;
    total = sum;
    side ^= 1;
  }
}

/* How many there are, added to what p.partial points to: for results whose room must be known first. */
MA_KERNEL __launch_bounds__(THREADS, MIN_BLOCKS) count_kept(const params p) {
  u4 sum = 0;
  for (u8 tile = blockIdx.x; tile < p.span; tile += gridDim.x) {
    loaded c[ROWS];
    value x[ROWS][4];
    load_tile(p, tile, c);
    sum += __popc(run_tile(p, tile, c, x));
  }
#pragma unroll
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(WHOLE, sum, step);
  if ((threadIdx.x & 31) == 0 && sum) atomicAdd((unsigned long long *)p.partial, (unsigned long long)sum);
}
