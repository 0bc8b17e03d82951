/*
** label.cuh: connected components by label equivalence (Komura; Playne and Hawick): each element points to one before
** it of its component, or to itself, and elements that touch are joined by an atomic minimum at their roots. Then the
** roots are numbered in their order. `label` is the type of the pointers, int or long long. The text before it has
** image.cuh.
**
** A pointer is an offset from 0. NOTHING stands at false elements; a number below it is a root's own: the root of the
** kth component has -1 - k.
*/
#define WHOLE 0xffffffffu
#define NOTHING ((label)-1)
#define TILE 4096 /* elements that a block counts and numbers */

struct labels {
  image m;
  const u1 *from; /* NULL: all elements are true */
  label *parent;
  const i4 *links;           /* NDIM numbers each */
  place nlink, chunks, size; /* chunks: warps of a row */
  int joined;
  unsigned long long *found; /* by tile: roots, then those before it */
  long long *count;
  const u1 *seed;
  u1 *to;
  u4 dry; /* what is not flooded: 0, or 1 */
};

static __device__ __forceinline__ bool is_true(const labels &w, place i) { return !w.from || w.from[i] != 0; }

static __device__ __forceinline__ label root_of(const labels &w, label i) {
  const volatile label *parent = w.parent;
  for (label up = parent[i]; up != i; up = parent[i]) i = up;
  return i;
}

static __device__ __forceinline__ label lower(label *at, label value) {
#if WIDE
  return (label)atomicMin((long long *)at, (long long)value);
#else
  return atomicMin(at, value);
#endif
}

/* Joins the components of two elements, and shortens their ways to the root. */
static __device__ void join(const labels &w, label a, label b) {
  const label from_a = a, from_b = b;
  for (;;) {
    a = root_of(w, a);
    b = root_of(w, b);
    if (a == b) break;
    if (a < b) {
      const label other = a;
      a = b;
      b = other;
    }
    const label before = lower(w.parent + a, b);
    if (before == a) break;
    a = before;
  }
  if (b < from_a) lower(w.parent + from_a, b);
  if (b < from_b) lower(w.parent + from_b, b);
}

/* The element of this lane, a warp having 32 neighbours of a row; false if it has none. */
struct spot {
  place row, column, i;
  bool inside;
};

static __device__ __forceinline__ spot spot_of(const labels &w, place warp) {
  spot s;
  s.row = (u8)warp >> 32 ? warp / w.chunks : (place)((u4)warp / (u4)w.chunks);
  s.column = (warp - s.row * w.chunks) * 32 + (threadIdx.x & 31);
  s.i = s.row * w.m.n + s.column;
  s.inside = s.column < w.m.n;
  return s;
}

#define EACH_WARP(w)                                                                        \
  const place step = (place)gridDim.x * (blockDim.x / 32), warps = (w).m.rows * (w).chunks; \
  for (place warp = (place)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; warp < warps; warp += step)

/* Each element points to the first one of its run in the warp. */
MA_KERNEL __launch_bounds__(256) label_begin(const labels w) {
  const int lane = threadIdx.x & 31;
  EACH_WARP(w) {
    const spot s = spot_of(w, warp);
    const bool on = s.inside && is_true(w, s.i);
    const u4 gaps = ~__ballot_sync(WHOLE, on) & ((1u << lane) - 1);
    const int first = !w.joined ? lane : gaps ? 32 - __clz(gaps) : 0;
    if (s.inside) w.parent[s.i] = on ? (label)(s.i - lane + first) : NOTHING;
  }
}

/*
** Joins what touches. Where neighbours in a row are joined anyway, an element is left out whose neighbour joins the
** same two runs.
*/
MA_KERNEL __launch_bounds__(256) label_join(const labels w) {
  EACH_WARP(w) {
    const spot s = spot_of(w, warp);
    if (!s.inside || !is_true(w, s.i)) continue;
    const place n = w.m.n, c = s.column;
    const bool left = w.joined && c > 0 && is_true(w, s.i - 1), right = w.joined && c + 1 < n && is_true(w, s.i + 1);
    if (left && (threadIdx.x & 31) == 0) join(w, (label)s.i, (label)(s.i - 1));
    place at[NDIM];
    place_of(w.m, s.row, at);
    for (place k = 0; k < w.nlink; k++) {
      const i4 *link = w.links + k * NDIM;
      const place other = other_row(w.m, at, link);
      if (other < 0) continue;
      const place up = other * n + c;
      const int reach = link[NDIM - 1];
      const bool before = c > 0 && is_true(w, up - 1), below = is_true(w, up), behind = c + 1 < n && is_true(w, up + 1);
      if (w.joined && reach == 7) {
        if (below) {
          if (!(left && before)) join(w, (label)s.i, (label)up);
        } else {
          if (before && !left) join(w, (label)s.i, (label)(up - 1));
          if (behind && !right) join(w, (label)s.i, (label)(up + 1));
        }
        continue;
      }
      if (reach & 2 && below && !(w.joined && left && before)) join(w, (label)s.i, (label)up);
      if (reach & 1 && before) join(w, (label)s.i, (label)(up - 1));
      if (reach & 4 && behind) join(w, (label)s.i, (label)(up + 1));
    }
  }
}

/* The sum of a block of 256. */
static __device__ __forceinline__ u4 block_sum(u4 x) {
  __shared__ u4 sums[8];
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(WHOLE, x, d);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) sums[threadIdx.x / 32] = x;
  __syncthreads();
  u4 sum = 0;
  for (int k = 0; k < 8; k++) sum += sums[k];
  return sum;
}

/* Each element points to its root; a block counts the roots of a tile. */
MA_KERNEL __launch_bounds__(256) label_flatten(const labels w) {
  const place first = (place)blockIdx.x * TILE;
  u4 roots = 0;
  for (int k = 0; k < TILE; k += 256) {
    const place i = first + k + threadIdx.x;
    if (i >= w.size || w.parent[i] == NOTHING) continue;
    const label root = root_of(w, (label)i);
    if (root == (label)i) roots++;
    else w.parent[i] = root;
  }
  if (!w.found) return;
  const u4 sum = block_sum(roots);
  if (threadIdx.x == 0) w.found[blockIdx.x] = sum;
}

/* One block replaces the tiles' counts by the number of roots before each tile. */
MA_KERNEL __launch_bounds__(256) label_count(const labels w) {
  __shared__ unsigned long long sums[256];
  const place tiles = (w.size + TILE - 1) / TILE;
  unsigned long long before = 0;
  for (place first = 0; first < tiles; first += 256) {
    const place t = first + threadIdx.x;
    const unsigned long long mine = t < tiles ? w.found[t] : 0;
    __syncthreads();
    sums[threadIdx.x] = mine;
    for (int d = 1; d < 256; d *= 2) {
      __syncthreads();
      const unsigned long long other = threadIdx.x >= (u4)d ? sums[threadIdx.x - d] : 0;
      __syncthreads();
      sums[threadIdx.x] += other;
    }
    __syncthreads();
    if (t < tiles) w.found[t] = before + sums[threadIdx.x] - mine;
    before += sums[255];
  }
  if (threadIdx.x == 0) {
    *w.count = (long long)before;
    w.found[tiles] = before;
  }
}

/* Gives each root its number. */
MA_KERNEL __launch_bounds__(256) label_number(const labels w) {
  __shared__ u4 sums[8];
  const place first = (place)blockIdx.x * TILE;
  unsigned long long next = w.found[blockIdx.x];
  if (next == w.found[blockIdx.x + 1]) return;
  for (int k = 0; k < TILE; k += 256) {
    const place i = first + k + threadIdx.x;
    const bool is_root = i < w.size && w.parent[i] == (label)i;
    const u4 lanes = __ballot_sync(WHOLE, is_root), lane = threadIdx.x & 31;
    __syncthreads();
    if (lane == 0) sums[threadIdx.x / 32] = __popc(lanes);
    __syncthreads();
    u4 before = __popc(lanes & ((1u << lane) - 1)), all = 0;
    for (u4 v = 0; v < 8; v++) {
      if (v < threadIdx.x / 32) before += sums[v];
      all += sums[v];
    }
    if (is_root) w.parent[i] = (label)(-2 - (label)(next + before));
    next += all;
  }
}

/* Replaces pointers by numbers. A root that another thread has replaced already is a number above 0. */
MA_KERNEL __launch_bounds__(256) label_finish(const labels w) {
  const place step = (place)gridDim.x * blockDim.x;
  for (place i = (place)blockIdx.x * blockDim.x + threadIdx.x; i < w.size; i += step) {
    label v = w.parent[i];
    if (v >= 0) {
      v = ((const volatile label *)w.parent)[v];
      if (v > 0) v = -1 - v;
    }
    w.parent[i] = -1 - v;
  }
}

/* Marks the roots of elements that have a seed: -2 stands in their place. */
MA_KERNEL __launch_bounds__(256) flood_mark(const labels w) {
  const place step = (place)gridDim.x * blockDim.x;
  for (place i = (place)blockIdx.x * blockDim.x + threadIdx.x; i < w.size; i += step) {
    if ((u4)(w.seed[i] != 0) == w.dry) continue;
    const label v = w.parent[i];
    if (v == NOTHING) continue;
    const label root = v >= 0 ? v : (label)i;
    if (((const volatile label *)w.parent)[root] != -2) w.parent[root] = -2;
  }
}

MA_KERNEL __launch_bounds__(256) flood_finish(const labels w) {
  const place step = (place)gridDim.x * blockDim.x;
  for (place i = (place)blockIdx.x * blockDim.x + threadIdx.x; i < w.size; i += step) {
    const label v = w.parent[i];
    const bool wet = v == -2 || (v >= 0 && w.parent[v] == -2);
    w.to[i] = (u1)(v == NOTHING ? w.seed[i] != 0 : wet ? !w.dry : w.dry);
  }
}

/* ==== Boxes around labels ========================================================================================= */

struct boxes {
  image m;
  const label *labels;
  place chunks, size, count;
  long long *boxes;
};

MA_KERNEL __launch_bounds__(256) boxes_begin(const boxes b) {
  const place step = (place)gridDim.x * blockDim.x, all = b.count * NDIM;
  for (place k = (place)blockIdx.x * blockDim.x + threadIdx.x; k < all; k += step) {
    b.boxes[2 * k] = 0x7fffffffffffffffll;
    b.boxes[2 * k + 1] = 0;
  }
}

static __device__ __forceinline__ void widen(long long *side, long long first, long long last) {
  if (first < ((volatile long long *)side)[0]) atomicMin(side, first);
  if (last > ((volatile long long *)side)[1]) atomicMax(side + 1, last);
}

/* The first and the last element of each run of a label in a warp widen its box. */
MA_KERNEL __launch_bounds__(256) boxes_widen(const boxes b) {
  const int lane = threadIdx.x & 31;
  EACH_WARP(b) {
    const place row = (u8)warp >> 32 ? warp / b.chunks : (place)((u4)warp / (u4)b.chunks),
                column = (warp - row * b.chunks) * 32 + lane, i = row * b.m.n + column;
    if (column >= b.m.n) continue;
    const label v = b.labels[i];
    if (v < 1 || v > b.count) continue;
    const bool first = lane == 0 || column == 0 || b.labels[i - 1] != v,
               last = lane == 31 || column + 1 == b.m.n || b.labels[i + 1] != v;
    if (!first && !last) continue;
    long long *box = b.boxes + ((place)v - 1) * 2 * NDIM;
    place at[NDIM];
    widen(box + 2 * (NDIM - 1), column + 1, column + 1);
    if (!first) continue;
    place_of(b.m, row, at);
#pragma unroll
    for (int d = 0; d < NDIM - 1; d++) widen(box + 2 * d, at[d] + 1, at[d] + 1);
  }
}
