/*
** rows.cuh: row programs on a GPU (backend/row_program.h): parameters, addresses and accesses of the kernel that
** src/cuda/rows/rows.c prints behind it. A warp holds a chunk of a row in registers, from one read of memory to the
** one write of the result: 4 elements at j * 128 + 4 * lane, for j < J. A block has all chunks of a row, or a warp has
** a short row; then every warp merges the chunks alike. OPERANDS, KEPT and FOLDS are the numbers of operands, of the
** axes of rows, and of reductions.
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
