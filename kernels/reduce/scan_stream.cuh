/*
** scan_stream.cuh: scan.cuh's walk BLOCKS for elements that are used as they are in memory, with results of the same
** layout. A block has SLOTS tiles in flight in shared memory. One is being read, by copies that use no registers. Of
** the next one the total is computed and published. LAG rounds later a tile is finished with the fold before it, which
** scouts find. Scouts are warps of their own: one folds tiles, one supers and groups, one publishes those. The results
** that they read were published rounds ago, so they seldom wait, and blocks need not run in step. Tiles are numbered by
** a ticket. A block takes its own in order, and up to a tile's total it waits only for tiles of lower numbers. So the
** lowest unfinished tile never waits for ever, however few blocks run at once.
*/
#define LAG (SLOTS - 2)
#define SUPER_DUE (LAG - 2) /* rounds after which a scout waits for a super or a group, before its block needs them */
#define GROUP_DUE (LAG - 1)
#define RING 16
#define GROUP_TILES (SCAN_RADIX * SCAN_RADIX)
#define CHUNK (16 / (int)sizeof(value)) /* elements in one access */
#define STRIP_CHUNKS (SCAN_STRIP / CHUNK)
#define SEGMENT_CHUNKS (SCAN_SEGMENT / CHUNK)

union chunk {
  uint4 raw;
  value x[CHUNK];
};
struct slot {
  uint4 chunk[8][SEGMENT_CHUNKS];
};

/* The place of a chunk of a segment in shared memory, such that neither neighbours nor the chunks of eight strips share
** a bank. */
static __device__ __forceinline__ int spot(int c) { return c ^ (c >> 3 & 7); }

static __device__ __forceinline__ void copy_chunk(uint4 *to, const char *from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("{ .reg .u64 t; .reg .u32 s; cvta.to.shared.u64 t, %0; cvt.u32.u64 s, t; cp.async.cg.shared.global [s], "
               "[%1], 16; }" ::"l"(to),
               "l"(from)
               : "memory");
#else
  *to = *(const uint4 *)from;
#endif
}
static __device__ __forceinline__ void end_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/* Waits for this thread's copies, but not for those that were begun after the last end_copies but one. */
static __device__ __forceinline__ void await_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
  __syncwarp();
}

/* A tile: its number, its row, its index in the row. */
struct place {
  u4 number, row, t;
};

static __device__ __forceinline__ place place_of_ticket(const params &p, u4 number) {
  u8 t;
  place at = { number, 0, number };
  if (p.kept > 1) {
    at.row = (u4)split(number, p.span, t);
    at.t = (u4)t;
  }
  return at;
}

/* The segment of the thread's warp in a tile: n elements of a row from r on. */
struct part {
  u8 row, r;
  int n;
};

static __device__ __forceinline__ part part_of(const params &p, const place &at) {
  part f;
  f.row = at.row;
  f.r = (u8)at.t * SCAN_TILE + (threadIdx.x >> 5) * SCAN_SEGMENT;
  f.n = f.r >= p.count ? 0 : p.count - f.r < SCAN_SEGMENT ? (int)(p.count - f.r) : SCAN_SEGMENT;
  return f;
}

static __device__ __forceinline__ void read_tile(const params &p, const place &at, slot &s) {
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (at.number < p.kept * p.span) {
    const part f = part_of(p, at);
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

static __device__ __forceinline__ void write_tile(const params &p, const place &at, slot &s, const value *v) {
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const part f = part_of(p, at);
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
  __syncwarp(); /* before the slot is reused */
}

/* Folds n lanes as fold_lanes does, but in a loop: the registers of the scouts are taken from all warps. */
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

static __device__ __forceinline__ void look_at(const board &cells, u8 i, seen &s) {
  if (!s.ready) s = cells.look(i);
}

/* The folds before a tile: of the tiles in its super, and of what is before its super and its group. For the scouts. */
static __device__ __forceinline__ void fold_tiles(const params &p, const place &at, red_acc *fold) {
  const int lane = threadIdx.x & 31, n = (int)(at.t % SCAN_RADIX);
  const board tiles = board_at(p, at.row * p.span);
  seen mine = nothing();
  mine.ready = lane >= n;
  do look_at(tiles, at.t - n + lane, mine);
  while (__any_sync(WHOLE, !mine.ready));
  const red_acc a = fold_few(mine.a, n);
  if (lane == 0) *fold = a;
}

static __device__ __forceinline__ void fold_supers(const params &p, const place &at, red_acc *fold) {
  const u8 super = at.t / SCAN_RADIX, group = super / SCAN_RADIX;
  const int lane = threadIdx.x & 31, n = (int)(super % SCAN_RADIX);
  const boards b = boards_of(p, at.row);
  seen mine = nothing(), front = nothing();
  mine.ready = lane >= n;
  front.ready = lane || !group;
  do {
    look_at(b.supers, super - n + lane, mine);
    look_at(b.groups, group - 1, front);
  } while (__any_sync(WHOLE, !mine.ready || !front.ready));
  const red_acc a = fold_few(mine.a, n), before_group = group ? red_merge(identity(), of_lane(front.a, 0)) : identity();
  if (lane == 0) {
    fold[0] = before_group;
    fold[1] = a;
  }
}

/* A super or a group that a scout is to publish. It looks at the parts once a round, and waits for them only when the
** super is due. */
struct duty {
  u4 row, t, age;
  bool any;
  seen mine, front;
};

static __device__ __forceinline__ duty duty_of(const place &at) {
  duty d = { at.row, at.t, 0, true, nothing(), nothing() };
  d.mine.ready = false;
  d.front.ready = (threadIdx.x & 31) || at.t / GROUP_TILES == 0;
  return d;
}

static __device__ __forceinline__ void publish_super(const params &p, duty &d, bool due) {
  const int lane = threadIdx.x & 31;
  const boards b = boards_of(p, d.row);
  do {
    look_at(b.tiles, d.t - (SCAN_RADIX - 1) + lane, d.mine);
    d.any = __any_sync(WHOLE, !d.mine.ready);
  } while (d.any && due);
  if (d.any) return;
  const red_acc whole = red_merge(fold_few(d.mine.a, SCAN_RADIX - 1), of_lane(d.mine.a, SCAN_RADIX - 1));
  if (lane == 0) b.supers.publish(d.t / SCAN_RADIX, whole);
}

static __device__ __forceinline__ void publish_group(const params &p, duty &d, bool due) {
  const int lane = threadIdx.x & 31;
  const u8 group = d.t / GROUP_TILES;
  const boards b = boards_of(p, d.row);
  do {
    look_at(b.supers, group * SCAN_RADIX + lane, d.mine);
    look_at(b.groups, group - 1, d.front);
    d.any = __any_sync(WHOLE, !d.mine.ready || !d.front.ready);
  } while (d.any && due);
  if (d.any) return;
  const red_acc others = fold_few(d.mine.a, SCAN_RADIX - 1), last = of_lane(d.mine.a, SCAN_RADIX - 1);
  const red_acc front = group ? red_merge(identity(), of_lane(d.front.a, 0)) : identity();
  if (lane == 0) b.groups.publish(group, red_merge(front, red_merge(others, last)));
}

/* Publishes what is due, in the round after that of `last`. For the third scout. */
static __device__ __forceinline__ void publish_duties(const params &p, const place &last, u4 all, duty &super,
                                                      duty &group) {
  if (group.any) publish_group(p, group, ++group.age >= GROUP_DUE);
  if (super.any) publish_super(p, super, ++super.age >= SUPER_DUE);
  if (last.number >= all || last.t % SCAN_RADIX != SCAN_RADIX - 1) return;
  if (super.any) publish_super(p, super, true);
  super = duty_of(last);
  publish_super(p, super, SUPER_DUE == 0);
  if (last.t % GROUP_TILES != GROUP_TILES - 1) return;
  if (group.any) publish_group(p, group, true);
  group = duty_of(last);
}

extern __shared__ uint4 stream_room[];

MA_KERNEL __launch_bounds__(STREAM_THREADS, STREAM_BLOCKS) scan(const params p) {
  /* for alternate rounds; folds: before the group, the super, the tile */
  __shared__ red_acc segment[2][8], folds[2][3];
  __shared__ place ring[RING]; /* the tiles of recent rounds */
  slot *slots = (slot *)stream_room;
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const u4 all = (u4)(p.kept * p.span);
  if (threadIdx.x < RING) ring[threadIdx.x].number = WHOLE;
  __syncthreads();
  if (threadIdx.x == 0) {
    ring[0] = place_of_ticket(p, atomicAdd((u4 *)p.status, 1u));
    ring[1] = place_of_ticket(p, atomicAdd((u4 *)p.status, 1u));
  }
  __syncthreads();
  red_acc waiting[LAG + 1]; /* in their tiles, before the thread's strips */
  duty super, group;
  super.any = group.any = false;
  if (warp < 8) read_tile(p, ring[0], slots[0]);
  for (u4 round = 0;; round++) {
    const place next = ring[round % RING], now = ring[(round - LAG) % RING];
    const int side = round & 1;
    bool more = next.number < all;
#pragma unroll
    for (int k = 1; k <= LAG; k++) more = more || ring[(round - k) % RING].number < all;
    if (!more) break;
    before in;
    if (warp < 8) {
      read_tile(p, ring[(round + 1) % RING], slots[(round + 1) % SLOTS]);
      await_copies();
      if (next.number < all) {
        value v[SCAN_STRIP];
        red_acc total;
        take_chunks(slots[round % SLOTS], v);
        in = warp_fold(strip_total(v), &total);
        if (lane == 0) segment[side][warp] = total;
      }
    } else if (warp == 8) {
      u4 number = 0;
      if (lane == 0) number = atomicAdd((u4 *)p.status, 1u);
      if (now.number < all) fold_tiles(p, now, &folds[side][2]);
      if (lane == 0) ring[(round + 2) % RING] = place_of_ticket(p, number);
    } else if (warp == 9) {
      if (now.number < all) fold_supers(p, now, folds[side]);
    } else publish_duties(p, ring[(round - 1) % RING], all, super, group);
    __syncthreads();
    if (warp >= 8) continue;
#pragma unroll
    for (int k = LAG; k > 0; k--) waiting[k] = waiting[k - 1];
    if (next.number < all) {
      red_acc earlier = identity();
      for (int k = 0; k < warp; k++) earlier = red_merge(earlier, segment[side][k]);
      waiting[0] = red_merge(earlier, red_merge(in.octets, in.strips));
      if (warp == 0) {
        red_acc total = identity();
        for (int k = 0; k < 8; k++) total = red_merge(total, segment[side][k]);
        if (lane == 0) board_at(p, next.number).publish(0, total);
      }
    }
    if (now.number < all) {
      value v[SCAN_STRIP];
      slot &s = slots[(round - LAG) % SLOTS];
      take_chunks(s, v);
      run_strip(v, red_merge(red_merge(folds[side][0], red_merge(folds[side][1], folds[side][2])), waiting[LAG]));
      write_tile(p, now, s, v);
    }
  }
}
