/*
** scan.cuh: running totals on a GPU, along the scans' tree of reduce.h. The text before it is that of reduce.cuh, with
**   WIDE_OUT                  four running totals are written in one access
** One of BLOCKS, WARPS and THREADS selects the walk of a kernel:
**   BLOCKS   a block scans a tile, and gets the fold of earlier tiles through p.status; with STREAM the kernel is that
**     of scan_stream.cuh
**   WARPS    a warp scans a row of at most a segment
**   THREADS  a thread scans a row; neighbours scan neighbouring rows
**
** The look-back. Each tile publishes its total at once, each 32nd tile that of its super, and each 1024th the total of
** everything up to there. A tile folds at most 31 tiles, 31 supers and one group. So the numbers that are added, and
** their order, depend only on positions. Tiles are numbered by an atomic ticket, so a tile waits only for blocks that
** already run.
*/
#define WHOLE 0xffffffffu

/* Writes n <= 4 running totals from element r on of the row at `at`. */
static __device__ __forceinline__ void put_row(const params &p, char *at, u8 r, int n, const value *x) {
  char *q = at + (i8)r * p.step;
#if WIDE_OUT
  if (n == 4) {
    pack<result::mem, 4> c;
#pragma unroll
    for (int k = 0; k < 4; k++) c.v[k] = result::store(x[k]);
    c.store_all(q);
    return;
  }
#endif
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (k < n) *(result::mem *)(q + k * p.step) = result::store(x[k]);
}

static __device__ __forceinline__ red_acc single(value x) { return red_leaf(x, x, x, x, x, x, x, x, 1u, 0); }
static __device__ __forceinline__ red_acc identity() { return single(red_none()); }
static __device__ __forceinline__ value finished(red_acc a) { return last_step(red_final(a, 1, 0.0)); }

/* A partial result as words, for shuffles and for memory that other blocks write. */
struct cell {
  u4 w[(sizeof(red_acc) + 3) / 4];
};
#define CELL_WORDS ((int)((sizeof(red_acc) + 3) / 4))

static __device__ __forceinline__ cell to_cell(red_acc a) {
  union {
    red_acc a;
    cell c;
  } u;
  u.c.w[0] = 0;
  u.a = a;
  return u.c;
}

static __device__ __forceinline__ red_acc from_cell(const cell &c) {
  union {
    red_acc a;
    cell c;
  } u;
  u.c = c;
  return u.a;
}

static __device__ __forceinline__ red_acc of_lane(red_acc a, int lane) {
  cell c = to_cell(a);
#pragma unroll
  for (int i = 0; i < CELL_WORDS; i++) c.w[i] = __shfl_sync(WHOLE, c.w[i], lane);
  return from_cell(c);
}

/* The folds of lower lanes: of the strips in the lane's octet, and of the octets in the segment. *total is that of the
** whole segment. */
struct before {
  red_acc strips, octets;
};

static __device__ __forceinline__ before warp_fold(red_acc strip, red_acc *total) {
  const int lane = threadIdx.x & 31;
  before b;
  b.strips = b.octets = identity();
#pragma unroll
  for (int k = 0; k < 7; k++) {
    red_acc x = of_lane(strip, (lane & ~7) + k);
    if ((lane & 7) > k) b.strips = red_merge(b.strips, x);
  }
  red_acc octet = red_merge(b.strips, strip);
#pragma unroll
  for (int k = 0; k < 3; k++) {
    red_acc x = of_lane(octet, k * 8 + 7);
    if (lane >> 3 > k) b.octets = red_merge(b.octets, x);
  }
  *total = of_lane(red_merge(b.octets, octet), 31);
  return b;
}

#ifndef THREADS
/* Values cross a warp through shared memory: memory is accessed contiguously, and each thread gets a strip. */
#define STAGED (sizeof(value) <= 8)
#define SLOT(e) ((e) + ((e) >> 4))
struct stage {
  value x[STAGED ? SLOT(SCAN_SEGMENT) : 1];
};

static __device__ __forceinline__ void take_strip(const stage &s, value *v) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int i = 0; i < SCAN_STRIP; i++) v[i] = s.x[SLOT(lane * SCAN_STRIP + i)];
}

static __device__ __forceinline__ void load_strip(const params &p, const offsets &b, stage &s, u8 r, int n, value *v) {
  const int lane = threadIdx.x & 31;
  bool m[4];
  if (!STAGED) {
#pragma unroll
    for (int i = 0; i < SCAN_STRIP; i++) {
      v[i] = red_none();
      if (lane * SCAN_STRIP + i < n) fetch(p, b, r + lane * SCAN_STRIP + i, v[i], m[0]);
    }
    return;
  }
  value x[4][4];
  if (n == SCAN_SEGMENT) {
#pragma unroll
    for (int j = 0; j < 4; j++) fetch_row(p, b, r + j * 128 + lane * 4, x[j], m);
  } else {
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        x[j][i] = red_none();
        if (j * 128 + lane * 4 + i < n) fetch(p, b, r + j * 128 + lane * 4 + i, x[j][i], m[0]);
      }
  }
#pragma unroll
  for (int j = 0; j < 4; j++)
#pragma unroll
    for (int i = 0; i < 4; i++) s.x[SLOT(j * 128 + lane * 4 + i)] = x[j][i];
  __syncwarp();
  take_strip(s, v);
}

static __device__ __forceinline__ void store_strip(const params &p, char *at, stage &s, u8 r, int n, const value *v) {
  const int lane = threadIdx.x & 31;
  if (!STAGED) {
#pragma unroll
    for (int i = 0; i < SCAN_STRIP; i++)
      if (lane * SCAN_STRIP + i < n) put_row(p, at, r + lane * SCAN_STRIP + i, 1, v + i);
    return;
  }
#pragma unroll
  for (int i = 0; i < SCAN_STRIP; i++) s.x[SLOT(lane * SCAN_STRIP + i)] = v[i];
  __syncwarp();
#pragma unroll
  for (int j = 0; j < 4; j++) {
    const int e = j * 128 + lane * 4, left = n - e < 4 ? n - e : 4;
    value x[4];
#pragma unroll
    for (int i = 0; i < 4; i++) x[i] = s.x[SLOT(e + i)];
    if (left > 0) put_row(p, at, r + e, left, x);
  }
}

static __device__ __forceinline__ red_acc strip_total(const value *v) {
  red_acc own = single(v[0]);
#pragma unroll
  for (int i = 1; i < SCAN_STRIP; i++) own = red_merge(own, single(v[i]));
  return own;
}

static __device__ __forceinline__ void run_strip(value *v, red_acc offset) {
  red_acc own;
#pragma unroll
  for (int i = 0; i < SCAN_STRIP; i++) {
    own = i ? red_merge(own, single(v[i])) : single(v[0]);
    v[i] = finished(red_merge(offset, own));
  }
}
#endif

#ifdef BLOCKS
/* Cells of all tiles, then of all supers, then of all groups. A cell of at most 8 bytes is written with its flag in
** one 16-byte access; the flag of a larger one is separate and written after it. */
#define PACKED (sizeof(red_acc) <= 8)

struct seen {
  red_acc a;
  bool ready;
};

struct board {
  char *cells;
  volatile u4 *flags;
  __device__ __forceinline__ void publish(u8 i, red_acc a) const {
    cell c = to_cell(a);
    if (PACKED) {
      uint4 w;
      w.x = c.w[0];
      w.y = CELL_WORDS > 1 ? c.w[CELL_WORDS - 1] : 0;
      w.z = 0;
      w.w = 1;
      __stcg((uint4 *)cells + i, w);
      return;
    }
    volatile cell *to = (volatile cell *)cells + i;
#pragma unroll
    for (int k = 0; k < CELL_WORDS; k++) to->w[k] = c.w[k];
    __threadfence();
    flags[i] = 1;
  }
  __device__ __forceinline__ seen look(u8 i) const {
    seen s;
    cell c;
    if (PACKED) {
      const uint4 w = load_now((const uint4 *)cells + i);
      c.w[0] = w.x;
      if (CELL_WORDS > 1) c.w[CELL_WORDS - 1] = w.y;
      s.ready = w.w != 0;
    } else {
      s.ready = flags[i] != 0;
      __threadfence();
      volatile const cell *from = (volatile const cell *)cells + i;
#pragma unroll
      for (int k = 0; k < CELL_WORDS; k++) c.w[k] = from->w[k];
    }
    s.a = from_cell(c);
    return s;
  }
};

static __device__ __forceinline__ seen nothing() {
  seen s;
  s.a = identity();
  s.ready = true;
  return s;
}

/* Folds n lanes. The shuffles do not depend on each other; only the merges wait for each other. */
static __device__ __forceinline__ red_acc fold_lanes(red_acc mine, int n) {
  red_acc a = identity();
#pragma unroll
  for (int k = 0; k < SCAN_RADIX - 1; k++) {
    const red_acc x = of_lane(mine, k);
    if (k < n) a = red_merge(a, x);
  }
  return a;
}

/* Results that a row's tiles, supers and groups published. */
struct boards {
  board tiles, supers, groups;
};

static __device__ __forceinline__ board board_at(const params &p, u8 at) {
  const board b = { p.partial + at * (PACKED ? 16 : sizeof(cell)), (volatile u4 *)p.status + 4 + at };
  return b;
}

static __device__ __forceinline__ boards boards_of(const params &p, u8 row) {
  const u8 supers = (p.span + SCAN_RADIX - 1) / SCAN_RADIX, groups = (supers + SCAN_RADIX - 1) / SCAN_RADIX;
  const boards b = { board_at(p, row * p.span), board_at(p, p.kept * p.span + row * supers),
                     board_at(p, p.kept * (p.span + supers) + row * groups) };
  return b;
}

static __device__ __forceinline__ void publish_tile(const params &p, u8 row, u8 t, red_acc total) {
  board_at(p, row * p.span).publish(t, total);
}

/* The fold of all tiles before tile t of a row. For the first warp. `total` is the tile's own, which it publishes. All
** loads are issued at once. A super is published as soon as its tiles are, without waiting for earlier supers. */
static __device__ __forceinline__ red_acc look_back(const params &p, u8 row, u8 t, red_acc total) {
  const u8 super = t / SCAN_RADIX, group = super / SCAN_RADIX;
  const int in_super = (int)(t % SCAN_RADIX), in_group = (int)(super % SCAN_RADIX), lane = threadIdx.x & 31;
  const boards b = boards_of(p, row);
  seen of_tile = nothing(), of_super = nothing(), of_group = nothing();
  if (lane < in_super) of_tile.ready = false;
  if (lane < in_group) of_super.ready = false;
  if (lane == 0 && group) of_group.ready = false;
  do {
    if (!of_tile.ready) of_tile = b.tiles.look(super * SCAN_RADIX + lane);
    if (!of_super.ready) of_super = b.supers.look(group * SCAN_RADIX + lane);
    if (!of_group.ready) of_group = b.groups.look(group - 1);
  } while (__any_sync(WHOLE, !of_tile.ready));
  const red_acc tile_fold = fold_lanes(of_tile.a, in_super), whole = red_merge(tile_fold, total);
  if (lane == 0 && in_super == SCAN_RADIX - 1) b.supers.publish(super, whole);
  while (__any_sync(WHOLE, !of_super.ready || !of_group.ready)) {
    if (!of_super.ready) of_super = b.supers.look(group * SCAN_RADIX + lane);
    if (!of_group.ready) of_group = b.groups.look(group - 1);
  }
  const red_acc super_fold = fold_lanes(of_super.a, in_group);
  const red_acc group_fold = group ? red_merge(identity(), of_lane(of_group.a, 0)) : identity();
  if (lane == 0 && in_super == SCAN_RADIX - 1 && in_group == SCAN_RADIX - 1)
    b.groups.publish(group, red_merge(group_fold, red_merge(super_fold, whole)));
  return red_merge(group_fold, red_merge(super_fold, tile_fold));
}

#ifndef STREAM
/* A tile in flight: its elements are in the block's stages, or in `v` if they do not fit there. */
struct flight {
  u8 row, t, r;
  int n;                 /* for the warp's segment */
  red_acc total, before; /* of the tile, for the first warp; in the tile, before the thread's strip */
};

/* Takes the next tile and publishes its total. Returns false if there is none. */
static __device__ __forceinline__ bool begin_tile(const params &p, stage *stages, red_acc *segment, u4 *ticket,
                                                  flight &f, value *v) {
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  u8 number = blockIdx.x;
  if (p.span > 1) {
    if (threadIdx.x == 0) *ticket = atomicAdd((u4 *)p.status, 1u);
    __syncthreads();
    number = *ticket;
  }
  if (number >= p.kept * p.span) return false;
  f.row = split(number, p.span, f.t);
  f.r = f.t * SCAN_TILE + warp * SCAN_SEGMENT;
  f.n = f.r >= p.count ? 0 : p.count - f.r < SCAN_SEGMENT ? (int)(p.count - f.r) : SCAN_SEGMENT;
  load_strip(p, kept_at(p, f.row), stages[warp], f.r, f.n, v);
  red_acc total, earlier = identity();
  const before in = warp_fold(strip_total(v), &total);
  if (lane == 0) segment[warp] = total;
  __syncthreads();
  for (int k = 0; k < warp; k++) earlier = red_merge(earlier, segment[k]);
  f.before = red_merge(earlier, red_merge(in.octets, in.strips));
  if (warp) return true;
  f.total = identity();
  for (int k = 0; k < 8; k++) f.total = red_merge(f.total, segment[k]);
  if (p.span > 1 && lane == 0) publish_tile(p, f.row, f.t, f.total);
  return true;
}

/*
** A block takes tile after tile. If two fit into shared memory, it loads the next one before it waits for the fold
** before the present one, so twice as much is in flight. It waits only for tiles of lower numbers, and takes its own in
** order. So the lowest unfinished tile never waits for ever.
*/
#define PIPED (sizeof(value) <= 4)

MA_KERNEL __launch_bounds__(MA_THREADS, PACKED ? (PIPED ? 5 : 4) : 1) scan(const params p) {
  __shared__ stage stages[PIPED ? 2 : 1][8];
  __shared__ red_acc segment[8], base;
  __shared__ u4 ticket;
  const int warp = threadIdx.x >> 5;
  value v[SCAN_STRIP];
  flight now, next;
  int side = 0;
  bool more = begin_tile(p, stages[0], segment, &ticket, now, v);
  while (more) {
    more = PIPED && p.span > 1 && begin_tile(p, stages[PIPED ? side ^ 1 : 0], segment, &ticket, next, v);
    if (warp == 0) {
      const red_acc b = p.span > 1 ? look_back(p, now.row, now.t, now.total) : identity();
      if ((threadIdx.x & 31) == 0) base = b;
    }
    __syncthreads();
    if (STAGED) take_strip(stages[side][warp], v);
    run_strip(v, red_merge(base, now.before));
    store_strip(p, place_of(p, now.row), stages[side][warp], now.r, now.n, v);
    if (!PIPED && p.span > 1) {
      __syncthreads();
      more = begin_tile(p, stages[0], segment, &ticket, now, v);
    } else {
      now = next;
      side ^= PIPED;
    }
  }
}
#endif
#endif

#ifdef WARPS
MA_KERNEL __launch_bounds__(MA_THREADS) scan(const params p) {
  __shared__ stage stages[8];
  const int warp = threadIdx.x >> 5;
  const u8 row = (u8)blockIdx.x * 8 + warp;
  if (row >= p.kept) return;
  value v[SCAN_STRIP];
  red_acc total;
  load_strip(p, kept_at(p, row), stages[warp], 0, (int)p.count, v);
  const before in = warp_fold(strip_total(v), &total);
  run_strip(v, red_merge(in.octets, in.strips));
  store_strip(p, place_of(p, row), stages[warp], 0, (int)p.count, v);
}
#endif

#ifdef THREADS
MA_KERNEL scan(const params p) {
  const u8 row = (u8)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= p.kept) return;
  const offsets b = kept_at(p, row);
  char *at = place_of(p, row);
  red_acc strips = identity(), octets = strips, segments = strips, tiles = strips, supers = strips, groups = strips;
  for (u8 r = 0; r < p.count; r += SCAN_STRIP) {
    const int n = p.count - r < SCAN_STRIP ? (int)(p.count - r) : SCAN_STRIP;
    const red_acc offset = red_merge(red_merge(groups, red_merge(supers, tiles)),
                                     red_merge(segments, red_merge(octets, strips)));
    value v[SCAN_STRIP];
    bool m;
#pragma unroll
    for (int i = 0; i < SCAN_STRIP; i++) {
      v[i] = red_none();
      if (i < n) fetch(p, b, r + i, v[i], m);
    }
    red_acc own = single(v[0]);
#pragma unroll
    for (int i = 0; i < SCAN_STRIP; i++) {
      if (i) own = red_merge(own, single(v[i]));
      const value x = finished(red_merge(offset, own));
      if (i < n) put_row(p, at, r + i, 1, &x);
    }
    const u8 end = r + SCAN_STRIP;
    strips = red_merge(strips, own);
    if (end % SCAN_OCTET == 0) {
      octets = red_merge(octets, strips);
      strips = identity();
    }
    if (end % SCAN_SEGMENT == 0) {
      segments = red_merge(segments, octets);
      octets = identity();
    }
    if (end % SCAN_TILE == 0) {
      tiles = red_merge(tiles, segments);
      segments = identity();
    }
    if (end % ((u8)SCAN_TILE * SCAN_RADIX) == 0) {
      supers = red_merge(supers, tiles);
      tiles = identity();
    }
    if (end % ((u8)SCAN_TILE * SCAN_RADIX * SCAN_RADIX) == 0) {
      groups = red_merge(groups, supers);
      supers = identity();
    }
  }
}
#endif
