/*
** compact.cuh: the elements that a mask of the program keeps, in order, or their positions. The text before it is that
** of src/cuda/kernels/fold.c, with the program's value and its mask; and
**   PLACES          1: there is no value, and the result is the 1-based positions
**   place           an unsigned type for the positions of all elements, and two bits
**   THREADS, ITEMS  threads of a block, and elements of each: a tile
**   MIN_BLOCKS      blocks of a multiprocessor, which limits registers
**   SUPER           tiles whose offsets are found together, at most 128
**   WINDOW          supers that a warp reads in one step, four a lane: 128
** A tile is read twice, the second time from the cache. First its kept elements are counted. p.nspan tiles later they
** are selected, when their offset has long been found. Everything is written once.
*/
#define WHOLE 0xffffffffu
#define WARPS (THREADS / 32)
#define TILE (THREADS * ITEMS)
#define ROWS (ITEMS / 4)

/* The word of a super: the number of its kept elements (PARTIAL), or of these and all before it (COMPLETE). The word
** of a tile: the number of its kept elements (PARTIAL), later of all before it (COMPLETE). Count and mark are one
** word, so no fence is needed. */
#define PARTIAL ((place)1 << (8 * sizeof(place) - 2))
#define COMPLETE ((place)1 << (8 * sizeof(place) - 1))
#define COUNTED (PARTIAL - 1)

struct board {
  u4 ticket, unused[3];
  place words[1]; /* first p.flags words of supers, then those of tiles */
};

static __device__ __forceinline__ place word_now(const place *at) { return *(const volatile place *)at; }

/* Reads four words, each atomically. */
static __device__ __forceinline__ void look(const place *at, place *w) {
  if (sizeof(place) == 4) {
    const uint4 q = load_now(at);
    w[0] = q.x;
    w[1] = q.y;
    w[2] = q.z;
    w[3] = q.w;
    return;
  }
#pragma unroll
  for (int k = 0; k < 4; k++) w[k] = word_now(at + k);
}

/* Sums over a warp: of all lanes, and of the lanes up to each. */
template <class T> static __device__ __forceinline__ T add_up(T sum) {
#pragma unroll
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(WHOLE, sum, step);
  return sum;
}

static __device__ __forceinline__ u4 add_up(u4 sum) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(WHOLE, sum);
#else
  return add_up<u4>(sum);
#endif
}

template <class T> static __device__ __forceinline__ T run_up(T sum) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const T other = __shfl_up_sync(WHOLE, sum, step);
    if ((threadIdx.x & 31) >= step) sum += other;
  }
  return sum;
}

/* The number of kept elements in all earlier supers. It waits until they are published. For a warp. */
static __device__ __forceinline__ place look_back(const place *supers, u4 super) {
  const int lane = threadIdx.x & 31;
  place sum = 0;
  bool complete = super == 0;
  for (u4 window = (super - 1) / WINDOW; !complete; window--) {
    const u4 first = window * WINDOW + lane * 4;
    place w[4];
    int top; /* the last lane with a complete count; -1: none */
    for (;;) {
      bool ready = true, whole = false;
      look(supers + first, w);
#pragma unroll
      for (int k = 3; k >= 0; k--) {
        if (first + k >= super || whole) {
          w[k] = 0;
          continue;
        }
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
    complete = top >= 0;
  }
  return add_up(sum);
}

/* Waits until all tiles of a super are published, publishes the super, and publishes the count before each of its
** tiles. For a warp; `tile` is the super's last tile. */
static __device__ __forceinline__ void find_places(place *supers, place *tiles, u4 tile) {
  const u4 lane = threadIdx.x & 31, super = tile / SUPER, first = super * SUPER + lane * 4;
  place w[4], own, upto, before;
  bool ready = true;
  do {
#pragma unroll
    for (int k = 0; k < 4; k++) w[k] = 0;
    if (lane < SUPER / 4 && first <= tile) {
      look(tiles + first, w);
      ready = true;
#pragma unroll
      for (int k = 0; k < 4; k++) ready = ready && (w[k] || first + k > tile);
    }
  } while (!__all_sync(WHOLE, ready));
  own = (w[0] & COUNTED) + (w[1] & COUNTED) + (w[2] & COUNTED) + (w[3] & COUNTED);
  upto = run_up(own);
  if (lane == 31) __stcg(supers + super, (super ? PARTIAL : COMPLETE) | upto);
  before = look_back(supers, super);
  if (lane == 31 && super) __stcg(supers + super, COMPLETE | (before + upto));
  before += upto - own;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    if (lane < SUPER / 4 && first + k <= tile) __stcg(tiles + first + k, COMPLETE | before);
    before += w[k] & COUNTED;
  }
}

#if PLACES
typedef u2 item; /* the position in the tile */
#else
typedef result::mem item;
#endif

/* Loads a thread's elements: a warp has neighbours, in rows of 128. Elements behind the end become zeros. */
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
    c[j] = loaded();
    if (at < p.count) load_row(p, b, at, p.count - at < 4 ? (int)(p.count - at) : 4, c[j]);
  }
}

/* Which elements of a tile are kept: bit 4 * j + k is element k of row j. */
static __device__ __forceinline__ u4 run_tile(const params &p, u8 tile, const loaded *c, value (*x)[4]) {
  const u8 first = tile * TILE + (threadIdx.x >> 5) * 32 * ITEMS, r = first + (threadIdx.x & 31) * 4;
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
      flags |= (u4)m[k] << (j * 4 + k);
    }
  }
  if (first + ROWS * 128 <= p.count) return flags;
#pragma unroll
  for (int i = 0; i < ITEMS; i++)
    if (r + i / 4 * 128 + i % 4 >= p.count) flags &= ~(1u << i);
  return flags;
}

struct room {
  item kept[TILE]; /* the kept elements of a tile, contiguous */
  u4 sums[WARPS], ticket;
  place before;
};

/* How many bits 4 * j + k of the flags are set, in a byte for each row j: in this lane, in all lanes up to it, and in
** the warp. At most 128. */
struct counts {
  u4 own, upto, all;
};

static __device__ __forceinline__ counts count_rows(u4 flags) {
  counts c;
  c.own = 0;
#pragma unroll
  for (int j = 0; j < ROWS; j++) c.own |= __popc(flags >> (j * 4) & 15) << (j * 8);
  c.upto = run_up(c.own);
  c.all = __shfl_sync(WHOLE, c.upto, 31);
  return c;
}

/* Moves kept elements to `kept`, where those of the warp begin at `at`. */
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

static __device__ __forceinline__ void store_tile(const params &p, const item *kept, u4 tile, place before, u4 total) {
#if PLACES
  i8 *to = (i8 *)p.out + before + threadIdx.x;
  const i8 first = (i8)tile * TILE + 1;
#pragma unroll 4
  for (u4 k = threadIdx.x; k < total; k += THREADS, to += THREADS) *to = first + kept[k];
#else
  item *to = (item *)p.out + before + threadIdx.x;
#pragma unroll 4
  for (u4 k = threadIdx.x; k < total; k += THREADS, to += THREADS) *to = kept[k];
#endif
}

/* Counts a tile's kept elements. All threads call it. */
static __device__ __forceinline__ void count_tile(const params &p, room &s, place *supers, place *tiles, u4 tile) {
  loaded c[ROWS];
  value x[ROWS][4];
  load_tile(p, tile, c);
  u4 sum = add_up((u4)__popc(run_tile(p, tile, c, x)));
  if ((threadIdx.x & 31) == 0) s.sums[threadIdx.x >> 5] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = add_up(threadIdx.x < WARPS ? s.sums[threadIdx.x] : 0);
  if (threadIdx.x == 0) __stcg(tiles + tile, PARTIAL | (place)sum);
  if (tile % SUPER == SUPER - 1 || tile == (u4)p.span - 1) find_places(supers, tiles, tile);
}

/* Selects a tile's kept elements. All threads call it. */
static __device__ __forceinline__ void select_tile(const params &p, room &s, const place *tiles, u4 tile) {
  const u4 warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  loaded c[ROWS];
  value x[ROWS][4];
  place before = COMPLETE;
  load_tile(p, tile, c);
  if (threadIdx.x == 0 && p.span > 1) before = word_now(tiles + tile);
  const u4 flags = run_tile(p, tile, c, x);
  const counts n = count_rows(flags);
  if (lane == 0) s.sums[warp] = (n.all & 255) + (n.all >> 8 & 255) + (n.all >> 16 & 255) + (n.all >> 24);
  if (threadIdx.x == 0) {
    while (!(before & COMPLETE)) before = word_now(tiles + tile);
    s.before = before & COUNTED;
  }
  __syncthreads();
  before = s.before;
  const u4 sums = lane < WARPS ? s.sums[lane] : 0, total = add_up(sums), at = add_up(lane < warp ? sums : 0);
  if (threadIdx.x == 0 && tile == (u4)p.span - 1 && p.status) { /* the host waits for this number of kept elements */
    *(volatile u8 *)(p.status + MARK_BYTES) = before + total;
    __threadfence_system();
    *(volatile u8 *)p.status = p.run;
  }
  pack_tile(s.kept, at, n, flags, x);
  __syncthreads();
  store_tile(p, s.kept, tile, before, total);
}

/*
** The block with ticket t counts tile t, then selects tile t - p.nspan. A block publishes the tile that it counts
** before it waits, and it waits only for tiles of lower tickets, whose blocks run or ran. These are the tiles of its
** super and the earlier supers, if its tile is the last of a super; and the last tile of the super of the tile that it
** selects, because p.nspan is at least SUPER, or all tiles. So no block waits for ever, however few run at once.
*/
MA_KERNEL __launch_bounds__(THREADS, MIN_BLOCKS) compact(const params p) {
  __shared__ room s;
  board *all = (board *)p.partial;
  place *supers = all->words, *tiles = supers + p.flags;
  const u4 ahead = (u4)p.nspan;
  u4 ticket = 0;
  if (p.span > 1) { /* a single tile needs no board */
    if (threadIdx.x == 0) s.ticket = atomicAdd(&all->ticket, 1u);
    __syncthreads();
    ticket = s.ticket;
    if (ticket < p.span) count_tile(p, s, supers, tiles, ticket);
    if (ticket < ahead) return;
    ticket -= ahead;
    __syncthreads();
  }
  select_tile(p, s, tiles, ticket);
}

/* Adds the number of kept elements to *p.partial, for results whose size must be known first. */
MA_KERNEL __launch_bounds__(THREADS, MIN_BLOCKS) count_kept(const params p) {
  u4 sum = 0;
  for (u8 tile = blockIdx.x; tile < p.span; tile += gridDim.x) {
    loaded c[ROWS];
    value x[ROWS][4];
    load_tile(p, tile, c);
    sum += __popc(run_tile(p, tile, c, x));
  }
  sum = add_up(sum);
  if ((threadIdx.x & 31) == 0 && sum) atomicAdd((unsigned long long *)p.partial, (unsigned long long)sum);
}
