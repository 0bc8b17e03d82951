/* tiles.cuh: products of matrices, c = a b, by tiles in shared memory. Printed before it: `dt`, the dtype; ROWS and
** COLUMNS, what a thread of SIDE x SIDE has of a tile of c; DEPTH, how much of k a tile of a or b has; A_ALONG and
** B_ALONG, whether elements that are neighbours in memory are so along k. A sum takes its products in order, by
** multiply-adds that round once, so the size of a tile changes no bit; those of integers, which come without a sign,
** wrap. A long k of few tiles is divided into parts. */
typedef dt::mem mem;
typedef dt::reg reg;
#define SIDE MA_TILE_SIDE
#define THREADS (SIDE * SIDE)
#define EACH (16 / (int)sizeof(mem)) /* elements of one access to memory */

/* An operand: its edge is what c has of it, rows of a or columns of b. */
struct operand {
  const mem *at;
  i8 edge, edge_step, k_step, depth_step, batch_step; /* depth_step: DEPTH times k_step */
  u4 whole;                                           /* each access of EACH elements is aligned */
};
struct product {
  mem *c;
  reg *partial; /* of parts of k, if there are several */
  operand a, b;
  i8 row, column, batch_step, k;
  u4 down, across, parts, part, whole;
};

static __device__ __forceinline__ void add_product(float &sum, float a, float b) { sum = __fmaf_rn(a, b, sum); }
static __device__ __forceinline__ void add_product(double &sum, double a, double b) { sum = __fma_rn(a, b, sum); }
static __device__ __forceinline__ void add_product(ma_c64 &sum, ma_c64 a, ma_c64 b) {
  sum.re = __fmaf_rn(-a.im, b.im, __fmaf_rn(a.re, b.re, sum.re));
  sum.im = __fmaf_rn(a.im, b.re, __fmaf_rn(a.re, b.im, sum.im));
}
static __device__ __forceinline__ void add_product(ma_c128 &sum, ma_c128 a, ma_c128 b) {
  sum.re = __fma_rn(-a.im, b.im, __fma_rn(a.re, b.re, sum.re));
  sum.im = __fma_rn(a.im, b.re, __fma_rn(a.re, b.im, sum.im));
}
static __device__ __forceinline__ void add_product(u4 &sum, u4 a, u4 b) { sum += a * b; }
static __device__ __forceinline__ void add_product(u8 &sum, u8 a, u8 b) { sum += a * b; }
static __device__ __forceinline__ u4 plus(u4 x, u4 y) { return x + y; }
static __device__ __forceinline__ u8 plus(u8 x, u8 y) { return x + y; }
static __device__ __forceinline__ float plus(float x, float y) { return x + y; }
static __device__ __forceinline__ double plus(double x, double y) { return x + y; }
static __device__ __forceinline__ ma_c64 plus(ma_c64 x, ma_c64 y) { return ma_cadd(x, y); }
static __device__ __forceinline__ ma_c128 plus(ma_c128 x, ma_c128 y) { return ma_cadd(x, y); }

/* The tiles of an operand: a thread holds some packs of the next one while its block computes with this one. */
template <int EDGE, bool ALONG> struct tiles {
  static const int PACKS = EDGE * DEPTH / EACH, HELD = (PACKS + THREADS - 1) / THREADS, WIDTH
  = EDGE + 16 / sizeof(reg);
  typedef reg shared[DEPTH][WIDTH];
  const mem *at[HELD];
  int room[HELD]; /* elements up to the end of the edge, along it; else whether the row is one */
  pack<mem, EACH> held[HELD];

  static __device__ __forceinline__ int edge_of(int p) {
    int index = threadIdx.x + p * THREADS;
    return ALONG ? index / (DEPTH / EACH) : index % (EDGE / EACH) * EACH;
  }
  static __device__ __forceinline__ int k_of(int p) {
    int index = threadIdx.x + p * THREADS;
    return ALONG ? index % (DEPTH / EACH) * EACH : index / (EDGE / EACH);
  }
  static __device__ __forceinline__ bool has(int p) {
    return PACKS % THREADS == 0 || threadIdx.x + p * THREADS < PACKS;
  }

  __device__ __forceinline__ void begin(const operand &x, i8 batch, i8 edge, i8 k) {
#pragma unroll
    for (int p = 0; p < HELD; p++) {
      i8 e = edge + edge_of(p);
      at[p] = x.at + batch * x.batch_step + e * x.edge_step + (k + k_of(p)) * x.k_step;
      room[p] = x.edge - e > EACH ? EACH : (int)(x.edge - e);
    }
  }
  /* Takes the next tile, of which k has `left`; what is outside is 0. */
  __device__ __forceinline__ void load(const operand &x, int left) {
#pragma unroll
    for (int p = 0; p < HELD; p++) {
      if (!has(p)) continue;
      int n = ALONG ? (room[p] > 0 ? left - k_of(p) : 0) : (k_of(p) < left ? room[p] : 0);
      if (x.whole && n >= EACH) held[p].load_all((const char *)at[p]);
      else {
#pragma unroll
        for (int v = 0; v < EACH; v++) {
          held[p].v[v] = mem();
          if (v < n) held[p].v[v] = at[p][v];
        }
      }
      at[p] += ALONG ? DEPTH : x.depth_step;
    }
  }
  __device__ __forceinline__ void store(shared &to) const {
#pragma unroll
    for (int p = 0; p < HELD; p++) {
      if (!has(p)) continue;
      int e = edge_of(p), k = k_of(p);
#pragma unroll
      for (int v = 0; v < EACH; v++) to[ALONG ? k + v : k][ALONG ? e : e + v] = dt::load(held[p].v[v]);
    }
  }
};

/* N elements of a thread along an edge of a tile: packs of W that are SIDE packs apart, so that a warp reads
** neighbours. */
template <int N> struct strip {
  static const int FIT = 16 / (int)sizeof(reg), W = N < FIT ? N : FIT;
  static __device__ __forceinline__ int place(int thread, int i) { return i / W * (W * SIDE) + thread * W + i % W; }
  static __device__ __forceinline__ void load(reg *to, const reg *from, int thread) {
#pragma unroll
    for (int i = 0; i < N; i += W) {
      pack<reg, W> p;
      p.load_all((const char *)(from + place(thread, i)));
#pragma unroll
      for (int v = 0; v < W; v++) to[i + v] = p.v[v];
    }
  }
};

typedef tiles<ROWS * SIDE, A_ALONG> a_tiles;
typedef tiles<COLUMNS * SIDE, B_ALONG> b_tiles;

static __device__ __forceinline__ void accumulate(reg (&sum)[ROWS][COLUMNS], const a_tiles::shared &a,
                                                  const b_tiles::shared &b, int ty, int tx) {
#pragma unroll
  for (int k = 0; k < DEPTH; k++) {
    reg x[ROWS], y[COLUMNS];
    strip<ROWS>::load(x, a[k], ty);
    strip<COLUMNS>::load(y, b[k], tx);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) add_product(sum[i][j], x[i], y[j]);
  }
}

/* Writes a row of what a thread has. */
template <class T> struct writer {
  static __device__ __forceinline__ T from(reg x) { return dt::store(x); }
};
struct as_is {
  static __device__ __forceinline__ reg from(reg x) { return x; }
};
template <class T, class CAST>
static __device__ __forceinline__ void write(T *to, i8 step, bool whole, const reg *sum, int tx, i8 room) {
  const int W = strip<COLUMNS>::W;
#pragma unroll
  for (int j = 0; j < COLUMNS; j += W) {
    int place = strip<COLUMNS>::place(tx, j);
    pack<T, W> p;
#pragma unroll
    for (int v = 0; v < W; v++) p.v[v] = CAST::from(sum[j + v]);
    if (whole && place + W <= room) p.store_all((char *)(to + place));
    else {
#pragma unroll
      for (int v = 0; v < W; v++)
        if (place + v < room) to[(place + v) * step] = p.v[v];
    }
  }
}

MA_KERNEL __launch_bounds__(THREADS, 2) multiply_tiles(const product p) {
  __align__(16) __shared__ a_tiles::shared a[2];
  __align__(16) __shared__ b_tiles::shared b[2];
  /* Blocks that run together share rows of a and columns of b: they take eight tiles down before the next across. */
  const u4 tile = blockIdx.x % (p.down * p.across), above = blockIdx.x / (p.down * p.across);
  const u4 part = above % p.parts, batch = above / p.parts;
  const u4 first = tile / (8 * p.across) * 8, height = min(p.down - first, 8u), rest = tile % (8 * p.across);
  const i8 row = (i8)(first + rest % height) * (ROWS * SIDE), column = (i8)(rest / height) * (COLUMNS * SIDE);
  /* A warp has four rows of eight threads. */
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int ty = warp / 2 * 4 + lane / 8, tx = warp % 2 * 8 + lane % 8;

  const i8 k = (i8)part * p.part;
  int left = (int)min((i8)p.part, p.k - k);
  a_tiles next_a;
  b_tiles next_b;
  next_a.begin(p.a, batch, row, k);
  next_b.begin(p.b, batch, column, k);
  next_a.load(p.a, left);
  next_b.load(p.b, left);
  next_a.store(a[0]);
  next_b.store(b[0]);
  __syncthreads();
  reg sum[ROWS][COLUMNS];
#pragma unroll
  for (int i = 0; i < ROWS; i++)
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) sum[i][j] = reg();
  for (int turn = 0;; turn ^= 1) {
    left -= DEPTH;
    if (left > 0) {
      next_a.load(p.a, left);
      next_b.load(p.b, left);
    }
    accumulate(sum, a[turn], b[turn], ty, tx);
    if (left <= 0) break;
    next_a.store(a[turn ^ 1]);
    next_b.store(b[turn ^ 1]);
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    const i8 r = row + strip<ROWS>::place(ty, i);
    if (r >= p.a.edge) continue;
    if (p.parts > 1)
      write<reg, as_is>(p.partial + (((i8)batch * p.parts + part) * p.a.edge + r) * p.b.edge + column, 1, false, sum[i],
                        tx, p.b.edge - column);
    else
      write<mem, writer<mem>>(p.c + batch * p.batch_step + r * p.row + column * p.column, p.column, p.whole, sum[i], tx,
                              p.b.edge - column);
  }
}

/* Adds the parts of k in their order; a thread for each element of c. */
MA_KERNEL __launch_bounds__(MA_THREADS) add_parts(const product p, const u8 total) {
  const u8 t = (u8)blockIdx.x * MA_THREADS + threadIdx.x, size = (u8)(p.a.edge * p.b.edge);
  if (t >= total) return;
  const u8 batch = t / size, at = t % size;
  const reg *from = p.partial + batch * p.parts * size + at;
  reg sum = from[0];
  for (u4 part = 1; part < p.parts; part++) sum = plus(sum, from[part * size]);
  p.c[(i8)batch * p.batch_step + (i8)(at / p.b.edge) * p.row + (i8)(at % p.b.edge) * p.column] = dt::store(sum);
}
