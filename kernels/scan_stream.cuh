/*
** scan_stream.cuh: scan.cuh's walk BLOCKS where elements are used as they lie in memory and results lie alike. A block has SLOTS tiles
** under way in shared memory: one is being read, by copies that no register waits for; of the next one the total is computed and
** published; LAG rounds later it is finished by what is before it. That is found by two warps of their own, the scouts: what they ask
** for was published rounds ago, so they seldom wait, and blocks need not go in step. Tiles are numbered by a ticket. A block comes to its own
** in their order, and what it does up to the tile's total waits only for tiles of lower numbers: so the lowest tile that is not done never
** waits for ever, however few blocks run at once.
*/
#define LAG (SLOTS - 2)
#define RING 16
#define CHUNK (16 / (int)sizeof(value))          /* elements of one access */
#define STRIP_CHUNKS (SCAN_STRIP / CHUNK)
#define SEGMENT_CHUNKS (SCAN_SEGMENT / CHUNK)

union chunk { uint4 raw; value x[CHUNK]; };
struct slot { uint4 chunk[8][SEGMENT_CHUNKS]; };

/* Where a chunk of a segment lies, so that neither neighbours nor the chunks of eight strips meet in a bank. */
static __device__ __forceinline__ int spot(int c) { return c ^ (c >> 3 & 7); }

static __device__ __forceinline__ void copy_chunk(uint4 *to, const char *from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("{ .reg .u64 t; .reg .u32 s; cvta.to.shared.u64 t, %0; cvt.u32.u64 s, t; cp.async.cg.shared.global [s], [%1], 16; }" ::"l"(to), "l"(from) : "memory");
#else
  *to = *(const uint4 *)from;
#endif
}
static __device__ __forceinline__ void end_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/* All copies of this thread have landed but those begun after the last but one end_copies. */
static __device__ __forceinline__ void await_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
  __syncwarp();
}

/* The segment of the thread's warp in a tile: n elements of a row from r on. */
struct part { u8 row, r; int n; };

static __device__ __forceinline__ part part_of(const params &p, u4 number) {
  part f;
  f.row = split(number, p.span, f.r);
  f.r = f.r * SCAN_TILE + (threadIdx.x >> 5) * SCAN_SEGMENT;
  f.n = f.r >= p.count ? 0 : p.count - f.r < SCAN_SEGMENT ? (int)(p.count - f.r) : SCAN_SEGMENT;
  return f;
}

static __device__ __forceinline__ void read_tile(const params &p, u4 number, slot &s) {
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (number < p.kept * p.span) {
    const part f = part_of(p, number);
    const char *from = p.p0 + kept_at(p, f.row).o0 + f.r * sizeof(value);
    if (f.n == SCAN_SEGMENT) {
#pragma unroll
      for (int j = 0; j < SEGMENT_CHUNKS; j += 32) copy_chunk(&s.chunk[warp][spot(j + lane)], from + (j + lane) * 16);
    } else
      for (int c = lane; c < SEGMENT_CHUNKS; c += 32) {
        chunk some;
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
          some.x[i] = red_none();
          if (c * CHUNK + i < f.n) some.x[i] = ((const value *)from)[c * CHUNK + i];
        }
        s.chunk[warp][spot(c)] = some.raw;
      }
  }
  end_copies();
}

static __device__ __forceinline__ void take_chunks(const slot &s, value *v) {
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
#pragma unroll
  for (int i = 0; i < STRIP_CHUNKS; i++) {
    chunk some;
    some.raw = s.chunk[warp][spot(lane * STRIP_CHUNKS + i)];
#pragma unroll
    for (int k = 0; k < CHUNK; k++) v[i * CHUNK + k] = some.x[k];
  }
}

static __device__ __forceinline__ void write_tile(const params &p, u4 number, slot &s, const value *v) {
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const part f = part_of(p, number);
#pragma unroll
  for (int i = 0; i < STRIP_CHUNKS; i++) {
    chunk some;
#pragma unroll
    for (int k = 0; k < CHUNK; k++) some.x[k] = v[i * CHUNK + k];
    s.chunk[warp][spot(lane * STRIP_CHUNKS + i)] = some.raw;
  }
  __syncwarp();
  char *to = place_of(p, f.row) + f.r * sizeof(value);
  if (f.n == SCAN_SEGMENT) {
#pragma unroll
    for (int j = 0; j < SEGMENT_CHUNKS; j += 32) *(uint4 *)(to + (j + lane) * 16) = s.chunk[warp][spot(j + lane)];
  } else
    for (int c = lane; c < SEGMENT_CHUNKS; c += 32) {
      chunk some;
      some.raw = s.chunk[warp][spot(c)];
#pragma unroll
      for (int i = 0; i < CHUNK; i++)
        if (c * CHUNK + i < f.n) ((value *)to)[c * CHUNK + i] = some.x[i];
    }
  __syncwarp();                                      /* the slot is read into again */
}

/* The same as fold_lanes; only as many as there are, since the scouts' registers are those of all. */
static __device__ __forceinline__ red_acc fold_few(red_acc mine, int n) {
  red_acc a = identity();
  for (int k = 0; k < n; k += 4) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const red_acc x = of_lane(mine, k + i);
      if (k + i < n) a = red_merge(a, x);
    }
  }
  return a;
}

/* By a warp: the fold of n published cells from the first one on, but for the last of 32; lanes get the cells of their numbers too. */
static __device__ __forceinline__ red_acc fold_cells(const board &cells, u8 first, int n, seen &mine) {
  const int lane = threadIdx.x & 31;
  mine = nothing();
  mine.ready = lane >= n;
  do
    if (!mine.ready) mine = cells.look(first + lane);
  while (__any_sync(WHOLE, !mine.ready));
  return fold_few(mine.a, n < SCAN_RADIX ? n : SCAN_RADIX - 1);
}

extern __shared__ uint4 stream_room[];

MA_KERNEL __launch_bounds__(320, STREAM_BLOCKS) scan(const params p) {
  enum { GROUP_TILES = SCAN_RADIX * SCAN_RADIX };
  __shared__ red_acc segment[2][8], folds[2][3];     /* of alternate rounds; folds: before the group, the super, the tile */
  __shared__ u4 ring[RING];                          /* the tiles of rounds */
  slot *slots = (slot *)stream_room;
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const u8 all = p.kept * p.span;
  if (threadIdx.x < RING) ring[threadIdx.x] = WHOLE;
  __syncthreads();
  if (threadIdx.x == 0) {
    ring[0] = atomicAdd((u4 *)p.status, 1u);
    ring[1] = atomicAdd((u4 *)p.status, 1u);
  }
  __syncthreads();
  red_acc waiting[LAG + 1];                          /* in their tiles, before the thread's strips */
  seen super = nothing();                            /* by the second scout: of the group that it saw last */
  red_acc group_fold = identity();
  u8 group_seen = ~(u8)0;
  super.ready = false;
  if (warp < 8) read_tile(p, ring[0], slots[0]);
  for (u4 round = 0;; round++) {
    const u4 next = ring[round % RING], now = ring[(round - LAG) % RING];
    const int side = round & 1;
    bool more = next < all;
#pragma unroll
    for (int k = 1; k <= LAG; k++) more = more || ring[(round - k) % RING] < all;
    if (!more) break;
    u8 t;
    before in;
    if (warp < 8) {
      read_tile(p, ring[(round + 1) % RING], slots[(round + 1) % SLOTS]);
      await_copies();
      if (next < all) {
        value v[SCAN_STRIP];
        red_acc total;
        take_chunks(slots[round % SLOTS], v);
        in = warp_fold(strip_total(v), &total);
        if (lane == 0) segment[side][warp] = total;
      }
    } else if (warp == 8) {
      u4 number = 0;
      if (lane == 0) number = atomicAdd((u4 *)p.status, 1u);
      const u4 last = ring[(round - 1) % RING];
      seen mine;
      if (last < all) {
        const boards b = boards_of(p, split(last, p.span, t));
        if (t % SCAN_RADIX == SCAN_RADIX - 1) {
          const red_acc others = fold_cells(b.tiles, t - (SCAN_RADIX - 1), SCAN_RADIX, mine);
          const red_acc whole = red_merge(others, of_lane(mine.a, SCAN_RADIX - 1));
          if (lane == 0) b.supers.publish(t / SCAN_RADIX, whole);
        }
      }
      if (now < all) {
        const boards b = boards_of(p, split(now, p.span, t));
        const red_acc fold = fold_cells(b.tiles, t - t % SCAN_RADIX, (int)(t % SCAN_RADIX), mine);
        if (lane == 0) folds[side][2] = fold;
      }
      if (lane == 0) ring[(round + 2) % RING] = number;
    } else {
      const u4 ends = ring[(round - (LAG < 2 ? LAG : 2)) % RING];
      if (ends < all) {
        const boards b = boards_of(p, split(ends, p.span, t));
        if (t % GROUP_TILES == GROUP_TILES - 1) {
          const u8 group = t / GROUP_TILES;
          seen mine, front;
          const red_acc others = fold_cells(b.supers, group * SCAN_RADIX, SCAN_RADIX, mine), whole = of_lane(mine.a, SCAN_RADIX - 1);
          const red_acc before_group = fold_cells(b.groups, group ? group - 1 : 0, group ? 1 : 0, front);
          if (lane == 0) b.groups.publish(group, red_merge(before_group, red_merge(others, whole)));
        }
      }
      if (now < all) {
        const u8 row = split(now, p.span, t), supers = t / SCAN_RADIX, group = supers / SCAN_RADIX;
        const boards b = boards_of(p, row);
        const int n = (int)(supers % SCAN_RADIX);
        seen of_group = nothing();
        const bool fresh = group_seen != ((row << 32) | group);
        if (fresh) super.ready = false;
        of_group.ready = !fresh || lane || !group;
        do {
          if (lane < n && !super.ready) super = b.supers.look(supers - n + lane);
          if (!of_group.ready) of_group = b.groups.look(group - 1);
        } while (__any_sync(WHOLE, (lane < n && !super.ready) || !of_group.ready));
        if (fresh) group_fold = group ? red_merge(identity(), of_lane(of_group.a, 0)) : identity();
        group_seen = (row << 32) | group;
        const red_acc super_fold = fold_few(super.a, n);
        if (lane == 0) {
          folds[side][0] = group_fold;
          folds[side][1] = super_fold;
        }
      }
    }
    __syncthreads();
    if (warp >= 8) continue;
#pragma unroll
    for (int k = LAG; k > 0; k--) waiting[k] = waiting[k - 1];
    if (next < all) {
      red_acc earlier = identity();
      for (int k = 0; k < warp; k++) earlier = red_merge(earlier, segment[side][k]);
      waiting[0] = red_merge(earlier, red_merge(in.octets, in.strips));
      if (warp == 0) {
        red_acc total = identity();
        for (int k = 0; k < 8; k++) total = red_merge(total, segment[side][k]);
        const u8 row = split(next, p.span, t);
        if (lane == 0) publish_tile(p, row, t, total);
      }
    }
    if (now < all) {
      value v[SCAN_STRIP];
      slot &s = slots[(round - LAG) % SLOTS];
      take_chunks(s, v);
      run_strip(v, red_merge(red_merge(folds[side][0], red_merge(folds[side][1], folds[side][2])), waiting[LAG]));
      write_tile(p, now, s, v);
    }
  }
}
