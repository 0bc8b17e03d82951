/*
** cross.cuh: row programs that cross, behind rows.cuh: along one of two axes of the results, DOWN and ACROSS, each
** array repeats, as in the distances of all pairs. A block has a tile of HIGH x WIDE results, a thread has ROWS x
** COLUMNS of these. Elements come through shared memory, so those of an array are read once for a tile, not once for a
** result. A stage of a chunk is there at a time: GROUPS groups of LEAVES neighbouring leaves, each with J elements in
** EACH slots. A thread folds a group of each of its results, and merges it with the subtrees of groups before it, of
** which at most LEVELS are complete. TX threads are beside each other. src/cuda/rows/cross.c prints these numbers and
** the kernel.
*/
#define CROSS_THREADS 256
#define TY (CROSS_THREADS / TX)
#define HIGH (TY * ROWS)
#define WIDE (TX * COLUMNS)
#define SLOTS (LEAVES * EACH)
#define STAGE (GROUPS * LEAVES)                                             /* leaves */
#define PITCH(T) (STAGE * EACH + (sizeof(T) < 4 ? 4 : 16 / (int)sizeof(T))) /* spreads rows over the banks */
#define EACH_ROW _Pragma("unroll") for (int r = 0; r < ROWS; r++)
#define EACH_COLUMN _Pragma("unroll") for (int c = 0; c < COLUMNS; c++)
#define EACH_LEAF _Pragma("unroll") for (int i = 0; i < LEAVES; i++)

/* A tile, or a span of its rows. */
struct tile {
  char *at[OPERANDS]; /* of its first result */
  int high, wide;     /* results that exist */
  u8 k, down, across; /* the number of the first one, and steps to the numbers of its neighbours */
  u8 begin, end, s;   /* elements of the rows; the span */
};

static __device__ __forceinline__ tile tile_of(const params &p) {
  tile t;
  u8 n = blockIdx.x, row, column, weight = 1;
  n = split(n, (p.extent[ACROSS] + WIDE - 1) / WIDE, column);
  n = split(n, (p.extent[DOWN] + HIGH - 1) / HIGH, row);
  n = split(n, p.nspan, t.s);
  row *= HIGH;
  column *= WIDE;
  t.high = (int)(p.extent[DOWN] - row < HIGH ? p.extent[DOWN] - row : HIGH);
  t.wide = (int)(p.extent[ACROSS] - column < WIDE ? p.extent[ACROSS] - column : WIDE);
  t.begin = t.s * p.span * RED_CHUNK;
  t.end = t.begin + p.span * RED_CHUNK < p.count ? t.begin + p.span * RED_CHUNK : p.count;
#pragma unroll
  for (int o = 0; o < OPERANDS; o++) t.at[o] = p.at[o];
  t.k = 0;
#pragma unroll
  for (int d = KEPT - 1; d >= 0; d--) {
    u8 x = d == ACROSS ? column : row;
    if (d == ACROSS) t.across = weight;
    else if (d == DOWN) t.down = weight;
    else n = split(n, p.extent[d], x);
    t.k += x * weight;
    weight *= p.extent[d];
#pragma unroll
    for (int o = 0; o < OPERANDS; o++) t.at[o] += (i8)x * p.stride[o][d];
  }
  return t;
}

/* Reads a stage of an array for EDGE neighbours, of which `edge` exist. The stage begins with leaf l of a chunk. The
** chunk begins with the element at `from` and has n elements. In place of one that does not exist, the last one is
** read. NEAR says that elements of a row are nearer to each other than neighbours are. */
template <class D, int EDGE, bool NEAR>
static __device__ __forceinline__ void fill(typename D::reg (*to)[PITCH(typename D::reg)], const char *from, i8 side,
                                            i8 step, int edge, int l, int n) {
#pragma unroll
  for (int q = 0; q < (EDGE * STAGE + CROSS_THREADS - 1) / CROSS_THREADS; q++) {
    const int u = q * CROSS_THREADS + threadIdx.x, i = NEAR ? u % STAGE : u / EDGE, e = NEAR ? u / STAGE : u % EDGE;
    if (EDGE * STAGE % CROSS_THREADS && u >= EDGE * STAGE) break;
    const char *row = from + (e < edge ? e : edge - 1) * side;
#pragma unroll
    for (int j = 0; j < J; j++) {
      const int k = j * RED_LEAVES + l + i;
      to[e][i * EACH + j] = D::load(*(const typename D::mem *)(row + (k < n ? k : n - 1) * step));
    }
  }
}

/* Takes a group of one neighbour. */
template <class T> static __device__ __forceinline__ void take_group(T (&to)[SLOTS], const T *from) {
  constexpr int W = sizeof(T) < 4 || SLOTS * sizeof(T) % 16 ? 1 : 16 / (int)sizeof(T);
#pragma unroll
  for (int k = 0; k < SLOTS; k += W) {
    pack<T, W> p;
    if (W == 1) p.v[0] = from[k];
    else p.load_all((const char *)(from + k));
#pragma unroll
    for (int i = 0; i < W; i++) to[k + i] = p.v[i];
  }
}
