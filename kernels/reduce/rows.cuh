/*
** rows.cuh: row programs on a GPU (backend/row_program.h): parameters, addresses and accesses of the kernel that
** src/cuda/rows/rows.c prints behind it. A warp holds a chunk of a row in registers, from one read of memory to the
** one write of the result: 4 elements at j * 128 + 4 * lane, for j < J. A block has all chunks of a row, or a warp has
** a short row; then every warp merges the chunks alike. A row of up to 128 elements is in LANES lanes of a warp, each
** with 4 * J neighbours, so that a warp has 32 / LANES rows. OPERANDS, KEPT and FOLDS are the numbers of operands, of
** the axes of rows, and of reductions.
*/
struct params {
  scalars s;
  char *at[OPERANDS];
  i8 step[OPERANDS]; /* along the row */
  i8 stride[OPERANDS][KEPT];
  u8 extent[KEPT];
  u8 kept, count, span, nspan; /* span: chunks */
  char *partial[FOLDS];
  double param[FOLDS];
};

struct row {
  char *at[OPERANDS];
};

static __device__ __forceinline__ row row_at(const params &p, u8 k) {
  row r;
#pragma unroll
  for (int o = 0; o < OPERANDS; o++) r.at[o] = p.at[o];
#pragma unroll
  for (int d = KEPT - 1; d >= 0; d--) {
    u8 x = k;
    if (d) k = split(k, p.extent[d], x);
#pragma unroll
    for (int o = 0; o < OPERANDS; o++) r.at[o] += (i8)x * p.stride[o][d];
  }
  return r;
}

/* A value in whole words of shared memory. */
template <class T> union cell {
  T t;
  u4 w[(sizeof(T) + 3) / 4];
};

/* Four elements, of which n exist; `all` says that four do. */
template <bool WIDE, class M>
static __device__ __forceinline__ void take(pack<M, 4> &c, const char *at, i8 step, int n, bool all) {
  if (WIDE && (all || n >= 4)) {
    c.load_all(at);
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    c.v[i] = M();
    if (all || i < n) c.v[i] = *(const M *)(at + i * step);
  }
}

template <bool WIDE, class M>
static __device__ __forceinline__ void put(const pack<M, 4> &c, char *at, i8 step, int n, bool all) {
  if (WIDE && (all || n >= 4)) {
    c.store_all(at);
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
    if (all || i < n) *(M *)(at + i * step) = c.v[i];
}

/* The same for rows whose elements follow one another, but may begin between two wide accesses. A warp takes neighbours
** at once: of the 128 elements at `at`, n exist. Then lanes trade them through `room`, so that each has its own
** four. */
template <class M> static __device__ __forceinline__ void take_near(pack<M, 4> &c, const char *at, int n) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    c.v[i] = M();
    if (i * 32 + lane < n) c.v[i] = ((const M *)at)[i * 32 + lane];
  }
}

template <class M> static __device__ __forceinline__ void trade(pack<M, 4> &c, char *room) {
  const int lane = threadIdx.x & 31;
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 4; i++) ((M *)room)[i * 32 + lane] = c.v[i];
  __syncwarp();
  c.load_all(room + lane * 4 * (int)sizeof(M));
}

template <class M> static __device__ __forceinline__ void put_near(const pack<M, 4> &c, char *at, int n, char *room) {
  const int lane = threadIdx.x & 31;
  __syncwarp();
  c.store_all(room + lane * 4 * (int)sizeof(M));
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 4; i++)
    if (i * 32 + lane < n) ((M *)at)[i * 32 + lane] = ((const M *)room)[i * 32 + lane];
}

/* The same for the rows of a warp's groups of lanes, which follow one another. The warp takes 128 * N elements, and a
** lane gets 4 * N neighbours, from number `at` on. `room` has one place more for each 4 * N elements, so that
** neighbours of different lanes lie in different banks. */
template <int N> static __device__ __forceinline__ int place(int k) { return k + k / (4 * N); }

template <int N, class M> static __device__ __forceinline__ void trade_rows(pack<M, 4> *c, char *room, int at) {
  const int lane = threadIdx.x & 31;
  __syncwarp();
#pragma unroll
  for (int k = 0; k < 4 * N; k++) ((M *)room)[place<N>(k * 32) + place<N>(lane)] = c[k / 4].v[k % 4];
  __syncwarp();
#pragma unroll
  for (int k = 0; k < 4 * N; k++) c[k / 4].v[k % 4] = ((const M *)room)[place<N>(at + k)];
}

/* Writes the elements of a warp's rows. n are left from number `at` on, and each lane has those in `own`. */
template <int N, class M>
static __device__ __forceinline__ void put_rows(const pack<M, 4> *c, char *to, int n, char *room, int at, int own) {
  const int lane = threadIdx.x & 31;
  __syncwarp();
#pragma unroll
  for (int k = 0; k < 4 * N; k++)
    if (k < own) ((M *)room)[place<N>(at + k)] = c[k / 4].v[k % 4];
  __syncwarp();
#pragma unroll
  for (int k = 0; k < 4 * N; k++)
    if (k * 32 + lane < n) ((M *)to)[k * 32 + lane] = ((const M *)room)[place<N>(k * 32) + place<N>(lane)];
}
