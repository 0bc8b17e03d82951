/*
** recurrence.cuh: a recursive filter over long rows, in parallel. The text before it defines X, the elements; T, double
** or ma_c128; ORDER, the number of states; SECTIONS, 0 or the number of sections; THREADS of a block and ITEMS of a
** thread, powers of two, and LOG_ITEMS, LOG_THREADS. number.cuh and recurrence.h precede it.
**
** Each thread filters its elements as if the state before them were 0. Then states are added up: the state behind two
** stretches is that of the second, plus that of the first taken over as many zeros, which is a product with a power of
** the filter's matrix. With the right states before them the elements are filtered again. Long rows take three
** launches: `ends` gives each tile's state from zero, `starts` adds them up along the row, `filter` does the rest.
*/
#define MA_ADD(x, y) plus(x, y)
#define MA_SUB(x, y) minus(x, y)
#define MA_MUL(x, y) times(x, y)
#define TILE (THREADS * ITEMS)
#define PLACE(e) ((e) + (e) / ITEMS)
#define TILE_BYTES ((TILE + THREADS) * sizeof(X))
#define STATE_BYTES (THREADS * ORDER * sizeof(T))
#if SECTIONS
#define NCOEFFICIENT (5 * SECTIONS)
#define STEP(x, z, c) MA_SECTIONS_STEP(T, x, z, c, SECTIONS)
#else
#define NCOEFFICIENT (2 * ORDER + 1)
#define STEP(x, z, c) MA_FILTER_STEP(T, x, z, c, ORDER)
#endif

/* By how many elements of a thread, and how many terms of a product with a matrix, loops are unrolled: by all for few
** states. More for many takes the compiler seconds. COST is that of a term, a complex one being four. */
#define COST (ORDER * (int)(sizeof(T) / 8) * (int)(sizeof(T) / 8))
#define ELEMENTS (COST <= 4 ? ITEMS : COST <= 8 ? 4 : COST <= 16 ? 2 : 1)
#define TERMS (COST <= 8 ? ORDER : COST <= 16 ? 4 : COST <= 32 ? 2 : 1)

struct params {
  const X *from;
  X *to;
  const T *coefficients, *powers, *start;
  T *end, *states; /* states: of the tiles, if a row has more than one */
  i8 n, tiles;
  int log_share; /* starts: log2 of the tiles that a thread adds up */
};

struct state {
  T z[ORDER];
};

/* Adds to s the state t, taken over 2^level zeros. */
static __device__ __forceinline__ void add_over(const params &p, int level, const T *t, state &s) {
  const T *matrix = p.powers + (i8)level * (ORDER * ORDER);
#pragma unroll(TERMS)
  for (int j = 0; j < ORDER; j++)
#pragma unroll
    for (int i = 0; i < ORDER; i++) s.z[i] = plus(s.z[i], times(matrix[i * ORDER + j], t[j]));
}

static __device__ __forceinline__ state zero() {
  state s;
#pragma unroll
  for (int i = 0; i < ORDER; i++) s.z[i] = nothing<T>();
  return s;
}

/* Adds up the states of the block's threads, each of which stands for 2^level elements. They end in `all`, which has
** room for one a thread. */
static __device__ __forceinline__ void add_up(const params &p, int level, state &s, T *all) {
  const int t = threadIdx.x;
  for (int d = 0; d <= LOG_THREADS; d++) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ORDER; i++) all[t * ORDER + i] = s.z[i];
    __syncthreads();
    if (d < LOG_THREADS && t >= 1 << d) add_over(p, level + d, all + (t - (1 << d)) * ORDER, s);
  }
}

/* Reads the tile that begins at `first`. Each thread gets its elements, and zeros behind the row's end. */
static __device__ __forceinline__ void read_tile(const X *from, i8 left, X *tile, X *own) {
  for (int k = 0; k < ITEMS; k++) {
    const int e = k * THREADS + threadIdx.x;
    tile[PLACE(e)] = e < left ? from[e] : nothing<X>();
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; k++) own[k] = tile[PLACE(threadIdx.x * ITEMS + k)];
}

static __device__ __forceinline__ state state_behind(const X *own, const T *c) {
  state s = zero();
#pragma unroll(ELEMENTS)
  for (int k = 0; k < ITEMS; k++) {
    T x = widen(own[k]);
    STEP(x, s.z, c);
  }
  return s;
}

static __device__ __forceinline__ void read_coefficients(const params &p, T *c) {
#pragma unroll
  for (int k = 0; k < NCOEFFICIENT; k++) c[k] = p.coefficients[k];
}

#define SHARED_BYTES (TILE_BYTES > STATE_BYTES ? TILE_BYTES : STATE_BYTES)

MA_KERNEL __launch_bounds__(THREADS) ends(const params p) {
  __align__(16) __shared__ char shared[SHARED_BYTES];
  const i8 row = blockIdx.x / p.tiles, tile = blockIdx.x % p.tiles;
  X own[ITEMS];
  T c[NCOEFFICIENT];
  read_coefficients(p, c);
  read_tile(p.from + row * p.n + tile * TILE, p.n - tile * TILE, (X *)shared, own);
  state s = state_behind(own, c);
  add_up(p, LOG_ITEMS, s, (T *)shared);
  if (threadIdx.x == THREADS - 1)
#pragma unroll
    for (int i = 0; i < ORDER; i++) p.states[(row * p.tiles + tile) * ORDER + i] = s.z[i];
}

/* A block a row: from the state that each tile alone leaves behind it becomes the state before each tile. */
MA_KERNEL __launch_bounds__(THREADS) starts(const params p) {
  __align__(16) __shared__ char shared[STATE_BYTES];
  const i8 row = blockIdx.x, share = (i8)1 << p.log_share, first = threadIdx.x * share;
  const int level = LOG_ITEMS + LOG_THREADS;
  T *states = p.states + row * p.tiles * ORDER;
  state before = zero();
  if (threadIdx.x == 0 && p.start)
#pragma unroll
    for (int i = 0; i < ORDER; i++) before.z[i] = p.start[row * ORDER + i];
  state s = before;
  for (i8 k = first; k < first + share; k++) {
    state next = zero();
    if (k < p.tiles)
#pragma unroll
      for (int i = 0; i < ORDER; i++) next.z[i] = states[k * ORDER + i];
    add_over(p, level, s.z, next);
    s = next;
  }
  T *all = (T *)shared;
  add_up(p, level + p.log_share, s, all);
  if (threadIdx.x > 0)
#pragma unroll
    for (int i = 0; i < ORDER; i++) before.z[i] = all[(threadIdx.x - 1) * ORDER + i];
  for (i8 k = first; k < first + share && k < p.tiles; k++) {
    state next;
#pragma unroll
    for (int i = 0; i < ORDER; i++) {
      next.z[i] = states[k * ORDER + i];
      states[k * ORDER + i] = before.z[i];
    }
    add_over(p, level, before.z, next);
    before = next;
  }
}

MA_KERNEL __launch_bounds__(THREADS) filter(const params p) {
  __align__(16) __shared__ char shared[SHARED_BYTES];
  const i8 row = blockIdx.x / p.tiles, tile = blockIdx.x % p.tiles, left = p.n - tile * TILE;
  const T *before = p.tiles > 1 ? p.states + (row * p.tiles + tile) * ORDER : p.start ? p.start + row * ORDER : 0;
  X own[ITEMS], *elements = (X *)shared;
  T c[NCOEFFICIENT], *all = (T *)shared;
  read_coefficients(p, c);
  read_tile(p.from + row * p.n + tile * TILE, left, elements, own);
  state s = state_behind(own, c);
  if (threadIdx.x == 0 && before) add_over(p, LOG_ITEMS, before, s);
  add_up(p, LOG_ITEMS, s, all);
  s = zero();
#pragma unroll
  for (int i = 0; i < ORDER; i++) {
    if (threadIdx.x > 0) s.z[i] = all[(threadIdx.x - 1) * ORDER + i];
    else if (before) s.z[i] = before[i];
  }
  __syncthreads();
  const i8 mine = left - threadIdx.x * ITEMS;
#pragma unroll(ELEMENTS)
  for (int k = 0; k < ITEMS; k++) {
    T x = widen(own[k]);
    STEP(x, s.z, c);
    narrow(x, &own[k]);
    if (p.end && k + 1 == mine)
#pragma unroll
      for (int i = 0; i < ORDER; i++) p.end[row * ORDER + i] = s.z[i];
  }
#pragma unroll
  for (int k = 0; k < ITEMS; k++) elements[PLACE(threadIdx.x * ITEMS + k)] = own[k];
  __syncthreads();
  X *to = p.to + row * p.n + tile * TILE;
  for (int k = 0; k < ITEMS; k++) {
    const int e = k * THREADS + threadIdx.x;
    if (e < left) to[e] = elements[PLACE(e)];
  }
}
