/*
** label.cuh: connected components by label equivalence (Komura; Playne and Hawick): each element points to one before
** it of its component, or to itself, and elements that touch are joined by an atomic minimum at their roots: first
** those of a patch, in shared memory, then those on both sides of the patches' edges. Then the roots are numbered in
** their order. `label` is the type of the pointers, int or long long. The text before it has image.cuh.
**
** A pointer is an offset from 0. False elements have NOTHING in its place. A number below NOTHING marks a root that has
** its number: the root of the kth component has -1 - k.
*/
#define WHOLE 0xffffffffu
#define NOTHING ((label)-1)

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
  u4 dry; /* what a flood does not enter: 0, or 1 */
};

static __device__ __forceinline__ bool is_true(const labels &w, place i) { return !w.from || w.from[i] != 0; }

template <class P> static __device__ __forceinline__ P root_of(const volatile P *parent, P i) {
  for (P up = parent[i]; up != i; up = parent[i]) i = up;
  return i;
}

static __device__ __forceinline__ int lower(int *at, int value) { return atomicMin(at, value); }
static __device__ __forceinline__ long long lower(long long *at, long long value) { return atomicMin(at, value); }

/* Joins the components of two elements, and shortens their ways to the root. */
template <class P> static __device__ void join(P *parent, P a, P b) {
  const P from_a = a, from_b = b;
  for (;;) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a == b) break;
    if (a < b) {
      const P other = a;
      a = b;
      b = other;
    }
    const P before = lower(parent + a, b);
    if (before == a) break;
    a = before;
  }
  if (b < from_a) lower(parent + from_a, b);
  if (b < from_b) lower(parent + from_b, b);
}

/* Where a patch lies. Patches are counted along the columns first. */
struct patch {
  place row0, column0, first; /* first: the offset of its first element */
  int rows, columns;
};

static __device__ __forceinline__ patch patch_of(const labels &w, place k) {
  patch p;
  const place above = (u8)k >> 32 ? k / w.chunks : (place)((u4)k / (u4)w.chunks);
  p.row0 = above * MA_LABEL_PATCH;
  p.column0 = (k - above * w.chunks) * 32;
  p.first = p.row0 * w.m.n + p.column0;
  p.rows = w.m.rows - p.row0 < MA_LABEL_PATCH ? (int)(w.m.rows - p.row0) : MA_LABEL_PATCH;
  p.columns = w.m.n - p.column0 < 32 ? (int)(w.m.n - p.column0) : 32;
  return p;
}

static __device__ __forceinline__ place patches(const labels &w) {
  return (w.m.rows + MA_LABEL_PATCH - 1) / MA_LABEL_PATCH * w.chunks;
}

/*
** The columns of a row that are to be joined with what a link reaches in another row: below them, and before and behind
** that. `mine` and `over` have the true elements of both rows. Where neighbours in a row are joined anyway, a column is
** left out if its neighbour joins the same two runs.
*/
static __device__ __forceinline__ u4 joins(const labels &w, int reach, int side, u4 mine, u4 over) {
  const u4 both = mine & over, lone = w.joined && reach == 7 ? ~over : ~0u;
  const u4 left = w.joined && reach == 7 ? ~(mine << 1) : ~0u, right = w.joined && reach == 7 ? ~(mine >> 1) : ~0u;
  if (!(reach & (side == 0 ? 2 : side < 0 ? 1 : 4))) return 0;
  if (side == 0) return w.joined ? both & ~(both << 1) : both;
  return side < 0 ? mine & over << 1 & lone & left : mine & over >> 1 & lone & right;
}

/*
** Lets each element point to the first one of its component in its patch. A patch has 32 rows, which are counted
** through all axes, and 32 columns. Where neighbours in a row are joined, a run begins as one component. A lane finds
** the joins of a row as bits. The joins of all rows are listed then, so that every thread of the block has one to do.
*/
MA_KERNEL __launch_bounds__(MA_THREADS) label_begin(const labels w) {
  __shared__ int parent[MA_LABEL_PATCH * 32];
  __shared__ u4 bits[MA_LABEL_PATCH]; /* of the true elements of a row */
  __shared__ unsigned short list[MA_LABEL_PATCH * 32], other[MA_LABEL_PATCH * 32];
  __shared__ int listed;
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  for (place k = blockIdx.x; k < patches(w); k += gridDim.x) {
    const patch p = patch_of(w, k);
    for (int r = warp; r < MA_LABEL_PATCH; r += 8) {
      const bool on = r < p.rows && lane < p.columns && is_true(w, p.first + r * w.m.n + lane);
      const u4 all = __ballot_sync(WHOLE, on), gaps = ~all & ((1u << lane) - 1);
      const int begin = !w.joined ? lane : gaps ? 32 - __clz(gaps) : 0;
      parent[r * 32 + lane] = on ? r * 32 + begin : -1;
      if (lane == 0) bits[r] = all;
    }
    for (place l = 0; l < w.nlink; l++) {
      const i4 *link = w.links + l * NDIM;
#pragma unroll 1
      for (int side = -1; side <= 1; side++) {
        if (!(link[NDIM - 1] & (side == 0 ? 2 : side < 0 ? 1 : 4))) continue;
        __syncthreads();
        if (warp == 0) {
          place at[NDIM];
          place_of(w.m, p.row0 + lane, at);
          const place row = lane < p.rows ? other_row(w.m, at, link) - p.row0 : -1;
          u4 todo = row >= 0 ? joins(w, link[NDIM - 1], side, bits[lane], bits[row & (MA_LABEL_PATCH - 1)]) : 0;
          int before = __popc(todo), all = before;
          for (int d = 1; d < 32; d *= 2) {
            const int up = __shfl_up_sync(WHOLE, all, d);
            if (lane >= d) all += up;
          }
          before = all - before;
          for (; todo; todo &= todo - 1, before++) {
            const int c = __ffs(todo) - 1;
            list[before] = (unsigned short)(lane * 32 + c);
            other[before] = (unsigned short)((int)row * 32 + c + side);
          }
          if (lane == 31) listed = all;
        }
        __syncthreads();
        for (int q = threadIdx.x; q < listed; q += MA_THREADS) join(parent, (int)list[q], (int)other[q]);
      }
    }
    __syncthreads();
    for (int r = warp; r < p.rows; r += 8) {
      if (lane >= p.columns) continue;
      label to = NOTHING;
      if (bits[r] >> lane & 1) {
        const int root = root_of(parent, r * 32 + lane);
        to = (label)(p.first + root / 32 * w.m.n + root % 32);
      }
      w.parent[p.first + r * w.m.n + lane] = to;
    }
    __syncthreads();
  }
}

/* Whether the element at a column of a row is true; false beyond the row's ends. */
static __device__ __forceinline__ bool true_at(const labels &w, place row, place column) {
  return column >= 0 && column < w.m.n && is_true(w, row * w.m.n + column);
}

/* Joins an element of a row with what a link reaches beyond its patch. `out` says that the other row belongs to another
** patch. Otherwise only the columns beyond the patch's are joined. */
static __device__ __forceinline__ void join_across(const labels &w, place row, place column, place other, int reach,
                                                   bool out) {
  const int lane = (int)(column & 31);
  if (!true_at(w, row, column)) return;
  const bool all = w.joined && reach == 7;
  const bool left = w.joined && true_at(w, row, column - 1), right = all && true_at(w, row, column + 1);
  const bool below = true_at(w, other, column), before = (out || lane == 0) && true_at(w, other, column - 1),
             behind = (out || lane == 31) && true_at(w, other, column + 1);
  const label me = (label)(row * w.m.n + column), up = (label)(other * w.m.n + column);
  if (out && reach & 2 && below && !(left && before)) join(w.parent, me, up);
  if (reach & 1 && before && !(all && (below || left))) join(w.parent, me, up - 1);
  if (reach & 4 && behind && !(all && (below || right))) join(w.parent, me, up + 1);
}

/* Joins what touches across the edges of patches. A warp does one patch: first each lane has a row, for its first and
** last column; then each lane has a column, for the rows that have links out of the patch. */
MA_KERNEL __launch_bounds__(MA_THREADS) label_join(const labels w) {
  const int lane = threadIdx.x & 31;
  const place step = (place)gridDim.x * 8;
  for (place k = (place)blockIdx.x * 8 + threadIdx.x / 32; k < patches(w); k += step) {
    const patch p = patch_of(w, k);
    const place mine = p.row0 + lane;
    place at[NDIM];
    place_of(w.m, mine, at);
    if (w.joined && lane < p.rows && p.column0 > 0 && true_at(w, mine, p.column0) && true_at(w, mine, p.column0 - 1))
      join(w.parent, (label)(mine * w.m.n + p.column0), (label)(mine * w.m.n + p.column0 - 1));
    for (place l = 0; l < w.nlink; l++) {
      const i4 *link = w.links + l * NDIM;
      const int reach = link[NDIM - 1];
      const place other = lane < p.rows ? other_row(w.m, at, link) : -1;
      const bool out = other >= 0 && other < p.row0;
      if (other >= 0 && !out && reach & 1) join_across(w, mine, p.column0, other, reach, false);
      if (other >= 0 && !out && reach & 4) join_across(w, mine, p.column0 + 31, other, reach, false);
      for (u4 rows = __ballot_sync(WHOLE, out); rows; rows &= rows - 1) {
        const int r = __ffs(rows) - 1;
        const place beyond = __shfl_sync(WHOLE, other, r);
        join_across(w, p.row0 + r, p.column0 + lane, beyond, reach, true);
      }
    }
  }
}

/* The sum of x over a block's threads. */
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

/* Lets each element point to its root, and also the element that it pointed to, since many share that one. A block
** counts the roots of a tile. */
MA_KERNEL __launch_bounds__(MA_THREADS) label_flatten(const labels w) {
  const place first = (place)blockIdx.x * MA_LABEL_TILE;
  u4 roots = 0;
  for (int k = 0; k < MA_LABEL_TILE; k += MA_THREADS) {
    const place i = first + k + threadIdx.x;
    if (i >= w.size || w.parent[i] == NOTHING) continue;
    const label up = w.parent[i], root = root_of(w.parent, up);
    if (root == (label)i) roots++;
    else {
      w.parent[i] = root;
      if (up != root) w.parent[up] = root;
    }
  }
  if (!w.found) return;
  const u4 sum = block_sum(roots);
  if (threadIdx.x == 0) w.found[blockIdx.x] = sum;
}

/* One block replaces the tiles' counts by the number of roots before each tile. */
MA_KERNEL __launch_bounds__(MA_THREADS) label_count(const labels w) {
  __shared__ unsigned long long sums[MA_THREADS];
  const place tiles = (w.size + MA_LABEL_TILE - 1) / MA_LABEL_TILE;
  unsigned long long before = 0;
  for (place first = 0; first < tiles; first += MA_THREADS) {
    const place t = first + threadIdx.x;
    const unsigned long long mine = t < tiles ? w.found[t] : 0;
    __syncthreads();
    sums[threadIdx.x] = mine;
    for (int d = 1; d < MA_THREADS; d *= 2) {
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
MA_KERNEL __launch_bounds__(MA_THREADS) label_number(const labels w) {
  __shared__ u4 sums[8];
  const place first = (place)blockIdx.x * MA_LABEL_TILE;
  unsigned long long next = w.found[blockIdx.x];
  if (next == w.found[blockIdx.x + 1]) return;
  for (int k = 0; k < MA_LABEL_TILE; k += MA_THREADS) {
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

/* Replaces pointers by numbers. A root that holds a number above 0 was replaced by another thread before. */
MA_KERNEL __launch_bounds__(MA_THREADS) label_finish(const labels w) {
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

/* Marks the roots of the components that have a seed: they get -2. */
MA_KERNEL __launch_bounds__(MA_THREADS) flood_mark(const labels w) {
  const place step = (place)gridDim.x * blockDim.x;
  for (place i = (place)blockIdx.x * blockDim.x + threadIdx.x; i < w.size; i += step) {
    if ((u4)(w.seed[i] != 0) == w.dry) continue;
    const label v = w.parent[i];
    if (v == NOTHING) continue;
    const label root = v >= 0 ? v : (label)i;
    if (((const volatile label *)w.parent)[root] != -2) w.parent[root] = -2;
  }
}

MA_KERNEL __launch_bounds__(MA_THREADS) flood_finish(const labels w) {
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

MA_KERNEL __launch_bounds__(MA_THREADS) boxes_begin(const boxes b) {
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

#define EACH_WARP(w)                                                                        \
  const place step = (place)gridDim.x * (blockDim.x / 32), warps = (w).m.rows * (w).chunks; \
  for (place warp = (place)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; warp < warps; warp += step)

/* Widens the box of a label by the first and the last element of each of its runs in a warp. */
MA_KERNEL __launch_bounds__(MA_THREADS) boxes_widen(const boxes b) {
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
