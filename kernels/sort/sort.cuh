/*
** sort.cuh: stable radix sorts, from the lowest digit of 8 bits up. The text before it has order.h, sort_job.h and
**   item               an element in memory
**   encode, decode     conversion to the form that passes move, and back
**   digit<S>(x, p)     digit p < KEY_PASSES of that form, by order.h; S false: no element is special
**   is_special(x)      whether the form is of -0 or NaN, whose plain number is not in order
**   SPECIAL            1: the dtype has such elements
**   THREADS, ITEMS     threads of a block, and elements of each: a tile
**   MIN_BLOCKS         blocks of a multiprocessor, which limits registers; COUNT_BLOCKS: those of sort_count
**   LOOK               tiles that a look-back reads at once; as many rows in front of a board's first may be read
**   BIG                2^30 elements and more
**   WITH_INDEX         the original place of each element is moved with it
**   ROWS               digits from KEY_PASSES on are those of the element's row (needs WITH_INDEX)
** One of LONG and SHORT is defined: LONG sorts whole arrays, SHORT as many rows as fit into a block's shared memory.
*/
#define WHOLE 0xffffffffu
#define RADIX 256
#define WARPS (THREADS / 32)
#define TILE (THREADS * ITEMS)

#if BIG
typedef u8 place; /* the place of an element */
#define PARTIAL ((place)1 << 62)
#define COMPLETE ((place)1 << 63)
#else
typedef u4 place;
#define PARTIAL 0x40000000u
#define COMPLETE 0x80000000u
#endif
#define COUNTED (PARTIAL - 1)

#ifdef __CUDACC_RTC__
/* Written in fewer instructions than the compiler finds. */
static __device__ __forceinline__ u4 vote(u4 d, int bit) {
  u4 lanes;
  asm volatile("{ .reg .pred p; and.b32 %0, %1, %2; setp.ne.u32 p, %0, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; @!p "
               "not.b32 %0, %0; }"
               : "=r"(lanes)
               : "r"(d), "r"(1u << bit));
  return lanes;
}
static __device__ __forceinline__ u4 and3(u4 a, u4 b, u4 c) {
  u4 r;
  asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}
#else
static __device__ __forceinline__ u4 vote(u4 d, int bit) {
  const u4 lanes = __ballot_sync(WHOLE, d >> bit & 1);
  return d >> bit & 1 ? lanes : ~lanes;
}
static __device__ __forceinline__ u4 and3(u4 a, u4 b, u4 c) { return a & b & c; }
#endif

/* The lanes with the same digit as this one. */
static __device__ __forceinline__ u4 same_digit(u4 d) {
  u4 v[8];
#pragma unroll
  for (int b = 0; b < 8; b++) v[b] = vote(d, b);
  return and3(and3(and3(v[0], v[1], v[2]), v[3], v[4]), v[5], v[6]) & v[7];
}

/* Replaces the digits of a warp's elements by their places in the tile. `counters` has, for each digit, the place of
** the warp's next element with it. */
static __device__ __forceinline__ void rank(u4 *counters, u4 *d) {
  const u4 up_to_me = WHOLE >> (31 - (threadIdx.x & 31)), before_me = up_to_me >> 1;
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const u4 same = same_digit(d[i]), at = counters[d[i]] + __popc(same & before_me);
    __syncwarp();
    if ((same & ~up_to_me) == 0) counters[d[i]] = at + 1;
    __syncwarp();
    d[i] = at;
  }
}

/* Called by all threads. Thread t < RADIX gives a count and gets the sum of the counts before it. Other threads may
** give anything. */
static __device__ __forceinline__ u4 sum_before(u4 count, u4 *sums) {
  const u4 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  u4 sum = count;
  if (warp < RADIX / 32) {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const u4 other = __shfl_up_sync(WHOLE, sum, step);
      if (lane >= (u4)step) sum += other;
    }
    if (lane == 31) sums[warp] = sum;
  }
  __syncthreads();
  u4 before = 0;
  if (warp < RADIX / 32)
    for (u4 w = 0; w < warp; w++) before += sums[w];
  return before + sum - count;
}

static __device__ __forceinline__ void clear(u4 (*counters)[RADIX]) {
  for (int k = threadIdx.x; k < WARPS * RADIX; k += THREADS) counters[0][k] = 0;
}

/* The count of a digit in each warp, and the total. */
static __device__ __forceinline__ u4 sum_warps(u4 (*counters)[RADIX], u4 d, u4 *by_warp) {
  u4 total = 0;
#pragma unroll
  for (int w = 0; w < WARPS; w++) total += by_warp[w] = counters[w][d];
  return total;
}

/* Replaces each warp's counters by the places of its first element of each digit; `first` has those of the tile's first
** elements. */
static __device__ __forceinline__ void place_warps(u4 (*counters)[RADIX], u4 d, const u4 *by_warp, u4 first) {
#pragma unroll
  for (int w = 0; w < WARPS; w++) {
    counters[w][d] = first;
    first += by_warp[w];
  }
}

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define COUNTER_BYTES (WARPS * RADIX * 4)

#ifdef LONG
/* ==== One array ================================================================================================== */

static __device__ __forceinline__ u4 row_digit(const ma_sort_job &job, place index, u4 p) {
  return (u4)(index / (place)job.row >> (p - KEY_PASSES) * 8) & 255;
}

/* Replaces counts by sums of earlier ones, and plans the passes that move something. For one block: a warp takes a pass
** after another, a lane neighbouring digits. What other blocks wrote is read past the block's own cache. */
static __device__ __forceinline__ void plan(const ma_sort_job &job, u4 *idle) {
  enum { EACH = RADIX / 32 };
  const u4 t = threadIdx.x, lane = t & 31;
  for (u4 p = t >> 5; p < job.npass; p += 256 / 32) {
    volatile u8 *count = (volatile u8 *)job.count + p * RADIX + lane * EACH;
    u8 mine[EACH], sum = 0;
    bool all = false;
#pragma unroll
    for (int k = 0; k < EACH; k++) mine[k] = count[k];
#pragma unroll
    for (int k = 0; k < EACH; k++) sum += mine[k], all |= mine[k] == job.n;
    u8 before = sum;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const u8 other = __shfl_up_sync(WHOLE, before, step);
      if (lane >= (u4)step) before += other;
    }
    before -= sum;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      count[k] = before;
      before += mine[k];
    }
    all = __any_sync(WHOLE, all);
    if (lane == 0) idle[p] = all;
  }
  __syncthreads();
  if (t) return;
  const u4 special = *(volatile u4 *)job.special;
  u4 left = 0, seen = 0, source = 0, index_source = 0;
  for (u4 p = 0; p < job.npass; p++) left += !idle[p];
  const u4 flip = job.in_place && left & 1; /* else the first pass would overwrite what it reads */
  for (u4 p = 0; p < job.npass; p++) {
    ma_sort_pass pass;
    pass.active = !idle[p];
    if (pass.active) left--;
    pass.first = seen == 0;
    pass.last = left == 0;
    pass.source = source;
    pass.target = (left ^ flip) & 1 ? 2 : 1;
    pass.index_source = index_source;
    pass.index_target = left & 1 ? 0 : 1;
    pass.board = seen & 1;
    pass.special = special;
    job.pass[p] = pass;
    if (!pass.active) continue;
    source = pass.target;
    index_source = pass.index_target;
    seen++;
  }
  ma_sort_pass end; /* for finish */
  end.active = seen;
  end.first = end.last = 0;
  end.source = source;
  end.target = end.index_source = end.index_target = end.board = end.special = 0;
  job.pass[job.npass] = end;
}

/* Counts the keys with each digit, for all passes in one reading. The last block that is done makes the plan. */
#define LOADS 4
MA_KERNEL __launch_bounds__(256, COUNT_BLOCKS) sort_count(const ma_sort_job job) {
  enum { V = 16 / sizeof(item) };
  bool special = false;
  __shared__ u4 bins[MOST_PASSES][RADIX], idle[MOST_PASSES], last;
  const char *from = (const char *)job.from;
  const bool wide = ((u8)from & 15) == 0;
  const u8 step = (u8)gridDim.x * 256 * V;
  for (int p = 0; p < MOST_PASSES; p++) bins[p][threadIdx.x] = 0;
  __syncthreads();
  for (u8 first = ((u8)blockIdx.x * 256 + threadIdx.x) * V; first < job.n; first += LOADS * step) {
    pack<item, V> x[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
      const u8 i = first + k * step;
      if (i >= job.n) continue;
      if (wide && i + V <= job.n) x[k].load_all(from + i * sizeof(item));
      else x[k].load_some(from + i * sizeof(item), sizeof(item), job.n - i < V ? (int)(job.n - i) : V);
    }
#pragma unroll
    for (int k = 0; k < LOADS; k++)
#pragma unroll
      for (int v = 0; v < V; v++) {
        const u8 i = first + k * step + v;
        if (i >= job.n) continue;
        const item e = encode(x[k].v[v]);
#pragma unroll
        for (int p = 0; p < KEY_PASSES; p++) atomicAdd(&bins[p][digit<SPECIAL>(e, p)], 1u);
        if (SPECIAL) special |= is_special(e);
        if (ROWS)
          for (u4 p = KEY_PASSES; p < job.npass; p++) atomicAdd(&bins[p][row_digit(job, (place)i, p)], 1u);
      }
  }
  if (SPECIAL && special) *job.special = 1;
  __syncthreads();
  for (u4 p = 0; p < job.npass; p++) {
    const u4 c = bins[p][threadIdx.x];
    if (c) atomicAdd((unsigned long long *)job.count + p * RADIX + threadIdx.x, (unsigned long long)c);
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(job.special + 1, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  plan(job, idle);
}

/* The keys of memory `which`. It does not index the job's arrays by a variable, because the compiler would copy the
** whole job to local memory then. */
static __device__ __forceinline__ char *keys_of(const ma_sort_job &job, u4 which) {
  char *at = (char *)job.from;
  if (which == 1) at = (char *)job.to;
  if (which == 2) at = (char *)job.scratch;
  return at;
}
static __device__ __forceinline__ place *board_of(const ma_sort_job &job, u4 which) {
  return (place *)(which ? job.board[1] : job.board[0]);
}
static __device__ __forceinline__ place *index_of(const ma_sort_job &job, u4 which) {
  return (place *)(which ? job.index[1] : job.index[0]);
}

/* Moves elements from shared memory, where they are sorted by digit, to their places. FULL: the tile is full; LAST:
** this is the last pass. */
template <bool S, bool FULL, bool LAST>
static __device__ __forceinline__ void put_keys(place *where, const item *items, const place *base, item *to, u4 p,
                                                u4 n, bool stores) {
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const u4 k = threadIdx.x + i * THREADS;
    if (!FULL && k >= n) continue;
    const item y = items[k];
    const place at = base[digit<S>(y, p)] + k;
    if (WITH_INDEX) where[i] = at;
    if (!WITH_INDEX || stores) to[at] = LAST ? decode(y) : y;
  }
}

/* Returns x, and keeps the compiler from knowing that it is x. */
static __device__ __forceinline__ u4 hide(u4 x) {
#ifdef __CUDACC_RTC__
  asm volatile("" : "+r"(x));
#endif
  return x;
}

/* An item that comes last in every pass. */
static __device__ __forceinline__ item filler() {
  union {
    item x;
    unsigned char bytes[sizeof(item)];
  } u;
#pragma unroll
  for (int k = 0; k < (int)sizeof(item); k++) u.bytes[k] = 255;
  return u.x;
}

/* The sum of a digit's counts in earlier tiles, by what they have published: a tile's own count, or the sum with all
** tiles before it. */
static __device__ __forceinline__ place look_back(const volatile place *board) {
  place earlier = 0;
  for (;;) {
    place seen[LOOK];
#pragma unroll
    for (int k = 0; k < LOOK; k++) seen[k] = board[-(k + 1) * RADIX];
#pragma unroll
    for (int k = 0; k < LOOK; k++) {
      while (seen[k] == 0) seen[k] = board[-(k + 1) * RADIX];
      earlier += seen[k] & COUNTED;
      if (seen[k] & COMPLETE) return earlier;
    }
    board -= LOOK * RADIX;
  }
}

/*
** One digit, in one reading and one writing. A block takes the next tile by a ticket, so the blocks of earlier tiles
** run or ran. It counts its digits, publishes the counts, finds the places of its elements in the tile, and moves them
** there in shared memory. Meanwhile it finds the sum of the counts of earlier tiles by a look-back at published values:
** a tile's own counts (PARTIAL) or the sum with all before it (COMPLETE). A count and its mark are one word, so no
** fence is needed.
*/
template <bool S>
static __device__ __forceinline__ void run_pass(const ma_sort_job &job, const ma_sort_pass &pass, place tile,
                                                unsigned char *room, place *base, u4 *sums) {
  u4(*counters)[RADIX] = (u4(*)[RADIX])room;
  item *items = (item *)room;
  const u4 p = job.at, warp = threadIdx.x >> 5, t = threadIdx.x;
  const place first = tile * TILE;
  const u4 n = job.n - first < TILE ? (u4)(job.n - first) : TILE, mine = warp * 32 * ITEMS + (t & 31);
  const item *from = (const item *)keys_of(job, pass.source) + first;
  item x[ITEMS];
  u4 d[ITEMS];
  if (n == TILE) {
#pragma unroll
    for (int i = 0; i < ITEMS; i++) x[i] = from[mine + i * 32];
  } else {
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
      x[i] = filler();
      if (mine + i * 32 < n) x[i] = from[mine + i * 32];
    }
  }
  if (pass.first) {
#pragma unroll
    for (int i = 0; i < ITEMS; i++) x[i] = encode(x[i]);
    if (n < TILE) {
#pragma unroll
      for (int i = 0; i < ITEMS; i++)
        if (mine + i * 32 >= n) x[i] = filler();
    }
  }
#pragma unroll
  for (int i = 0; i < ITEMS; i++) d[i] = digit<S>(x[i], p);
#if ROWS
  const place *index_from = index_of(job, pass.index_source) + first;
  if (p >= KEY_PASSES) {
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
      d[i] = RADIX - 1;
      if (mine + i * 32 < n) d[i] = row_digit(job, pass.first ? first + mine + i * 32 : index_from[mine + i * 32], p);
    }
  }
#endif
#pragma unroll
  for (int i = 0; i < ITEMS; i++) atomicAdd(&counters[warp][d[i]], 1u);
  __syncthreads();
  u4 count = 0, by_warp[WARPS];
  volatile place *board = board_of(job, pass.board) + (u8)tile * RADIX + t;
  if (t < RADIX) {
    count = sum_warps(counters, t, by_warp);
    *board = (tile ? PARTIAL : COMPLETE) | count;
    board_of(job, !pass.board)[(u8)tile * RADIX + t] = 0; /* for the next pass */
  }
  const u4 before = sum_before(count, sums);
  if (t < RADIX) place_warps(counters, t, by_warp, before);
  __syncthreads();
#if !ROWS
  const u4 again = hide(p); /* so that the compiler does not keep digits in registers until here */
#pragma unroll
  for (int i = 0; i < ITEMS; i++) d[i] = digit<S>(x[i], again);
#endif
  rank(counters[warp], d);
  __syncthreads(); /* the elements reuse the room of the counters */
#pragma unroll
  for (int i = 0; i < ITEMS; i++) items[d[i]] = x[i];
  if (t < RADIX) {
    place earlier = 0;
    if (tile) {
      earlier = look_back(board);
      *board = COMPLETE | (earlier + count);
    }
    base[t] = (place)job.count[p * RADIX + t] + earlier - before;
  }
  __syncthreads();
  item *to = (item *)keys_of(job, pass.target);
  const bool stores = job.keep || !pass.last;
  place where[ITEMS];
#if ROWS
  if (p < KEY_PASSES)
#endif
  {
    if (n < TILE && pass.last) put_keys<S, false, true>(where, items, base, to, p, n, stores);
    else if (n < TILE) put_keys<S, false, false>(where, items, base, to, p, n, stores);
    else if (pass.last) put_keys<S, true, true>(where, items, base, to, p, n, stores);
    else put_keys<S, true, false>(where, items, base, to, p, n, stores);
  }
#if WITH_INDEX
  place *indices = (place *)room;
  place index[ITEMS];
  const place *index_source = index_of(job, pass.index_source) + first;
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    index[i] = first + mine + i * 32;
    if (!pass.first && mine + i * 32 < n) index[i] = index_source[mine + i * 32];
  }
#if ROWS
  item kept[ITEMS]; /* the digit of a row depends only on the index */
  if (p >= KEY_PASSES) {
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
      if (t + i * THREADS < n) kept[i] = items[t + i * THREADS];
  }
#endif
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; i++) indices[d[i]] = index[i];
  __syncthreads();
  place *index_to = index_of(job, pass.index_target);
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const u4 k = t + i * THREADS;
    if (k >= n) continue;
    const place y = indices[k];
#if ROWS
    if (p >= KEY_PASSES) {
      where[i] = base[row_digit(job, y, p)] + k;
      if (stores) to[where[i]] = pass.last ? decode(kept[i]) : kept[i];
    }
#endif
    if (pass.last) {
      if (job.positions) job.positions[where[i]] = (i8)(ROWS ? y % (place)job.row : y) + 1;
    } else index_to[where[i]] = y;
  }
#endif
}

/* What no pass has done: nothing had to move, or the last pass could not write to the result. */
static __device__ __forceinline__ void finish(const ma_sort_job &job, u4 threads) {
  const ma_sort_pass end = job.pass[job.npass];
  const bool moves = job.keep && keys_of(job, end.source) != (char *)job.to, counts = job.positions && end.active == 0;
  if (!moves && !counts) return;
  const item *from = (const item *)keys_of(job, end.source);
  for (u8 i = (u8)blockIdx.x * threads + threadIdx.x; i < job.n; i += (u8)gridDim.x * threads) {
    if (moves) ((item *)job.to)[i] = from[i];
    if (counts) job.positions[i] = (i8)(i % job.row) + 1;
  }
}

MA_KERNEL __launch_bounds__(THREADS, MIN_BLOCKS) sort_pass(const ma_sort_job job) {
  __align__(16)
    __shared__ unsigned char room[LARGER(COUNTER_BYTES, TILE * LARGER(sizeof(item), WITH_INDEX * sizeof(place)))];
  __shared__ place base[RADIX];
  __shared__ u4 sums[RADIX / 32], ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(job.ticket + job.at, 1u);
  const ma_sort_pass pass = job.pass[job.at];
  if (!pass.active) {
    if (job.at + 1 == job.npass && job.pass[job.npass].active == 0) finish(job, THREADS);
    return;
  }
  clear((u4(*)[RADIX])room);
  __syncthreads();
  if (SPECIAL && pass.special) run_pass<SPECIAL>(job, pass, ticket, room, base, sums);
  else run_pass<false>(job, pass, ticket, room, base, sums);
}

/* For sorts in place whose last pass could not write to the result. */
MA_KERNEL __launch_bounds__(256) sort_finish(const ma_sort_job job) { finish(job, 256); }
#endif

#ifdef SHORT
/* ==== Rows =============================================================================================== */

/* A block sorts neighbouring rows together. The last passes sort by row, so that each row is contiguous in its place
** again. */
MA_KERNEL __launch_bounds__(THREADS) sort_rows(const ma_sort_rows_job job) {
  __align__(16) __shared__ unsigned char room[LARGER(COUNTER_BYTES, TILE * sizeof(item))];
  __shared__ u2 indices[WITH_INDEX ? TILE : 1];
  __shared__ u4 sums[RADIX / 32], idle;
  u4(*counters)[RADIX] = (u4(*)[RADIX])room;
  item *items = (item *)room;
  const u4 warp = threadIdx.x >> 5, t = threadIdx.x, mine = warp * 32 * ITEMS + (t & 31);
  const u8 first = (u8)blockIdx.x * job.per_block,
           rows = job.rows - first < job.per_block ? job.rows - first : job.per_block;
  const u8 start = first * job.row;
  const u4 n = (u4)rows * job.row;
  const item *from = (const item *)job.from + start;
  item x[ITEMS];
  u4 d[ITEMS], index[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    index[i] = mine + i * 32;
    if (index[i] < n) x[i] = encode(from[index[i]]);
  }
  for (u4 p = 0; p < job.npass; p++) {
    clear(counters);
    if (t == 0) idle = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
      d[i] = RADIX - 1;
      if (mine + i * 32 < n)
        d[i] = p < KEY_PASSES ? digit<SPECIAL>(x[i], p) : index[i] / job.row >> (p - KEY_PASSES) * 8 & 255;
      atomicAdd(&counters[warp][d[i]], 1u);
    }
    __syncthreads();
    u4 count = 0, by_warp[WARPS];
    if (t < RADIX) {
      count = sum_warps(counters, t, by_warp);
      if (count == TILE) idle = 1;
    }
    const u4 before = sum_before(count, sums);
    const bool skip = idle;
    if (t < RADIX) place_warps(counters, t, by_warp, before);
    __syncthreads();
    if (skip) continue;
    rank(counters[warp], d);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
      items[d[i]] = x[i];
      if (WITH_INDEX) indices[d[i]] = (u2)index[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
      x[i] = items[mine + i * 32];
      if (WITH_INDEX) index[i] = indices[mine + i * 32];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const u4 k = mine + i * 32;
    if (k >= n) continue;
    if (job.to) ((item *)job.to)[start + k] = decode(x[i]);
    if (job.positions) job.positions[start + k] = (i8)(index[i] % job.row) + 1;
  }
}
#endif
