/*
** lanes.cuh: row programs of rows of at most 128 elements, behind rows.cuh. LANES lanes have a row, a power of two,
** with SEAT neighbours each, in PACKS of four. A warp has HIGH rows beside each other, and DEEP of these one behind the
** other: so its accesses are to neighbours, and a lane has elements of DEEP rows. The parts of these are merged at
** once: of two parts, a lane gives one to its neighbour for a part of the other. So each lane ends up with MINE of the
** results, which it alone finishes. FULL_LANES: each lane has all elements. WHOLE_ROWS: it has all or none.
** src/cuda/rows/lanes.c prints the kernels.
*/
#define HIGH (32 / LANES)
#define SEAT (4 * PACKS)
#define DEEP (J / PACKS)
#define MINE (DEEP > LANES ? DEEP / LANES : 1)
#define EACH_ROW _Pragma("unroll") for (int j = 0; j < DEEP; j++)
#define EACH_MINE _Pragma("unroll") for (int k = 0; k < MINE; k++)

/* The row that has number `at` of the warp's, or the first one, where no such row exists. */
static __device__ __forceinline__ row warp_row(const params &p, u8 row0, int at, int high) {
  return row_at(p, row0 + (u4)(at < high ? at : 0));
}

/* What the lane that finishes row j computed for it. */
template <class T> static __device__ __forceinline__ T told(const T *mine, int j) {
  cell<T> c;
  c.w[0] = 0;
  c.t = mine[j / LANES];
#pragma unroll
  for (int i = 0; i < (int)(sizeof c / 4); i++)
    c.w[i] = __shfl_sync(0xffffffffu, c.w[i], (int)((threadIdx.x & 31) / LANES * LANES) + j % LANES);
  return c.t;
}

/* Writes a lane's elements of a row, of which n exist. */
template <bool WIDE, class M>
static __device__ __forceinline__ void put_own(const pack<M, 4> *c, char *at, i8 step, int n) {
#pragma unroll
  for (int k = 0; k < PACKS; k++) {
    if (!WIDE || !WHOLE_ROWS) put<WIDE>(c[k], at + k * 4 * step, step, n - k * 4, false);
    else if (n > 0) c[k].store_all(at + k * 4 * step);
  }
}

/* The same for rows that follow one another in memory but may begin between two wide accesses: the lanes give their
** elements to `room`, at `at`, and the warp writes the n elements of its HIGH rows. `room` has one place more for each
** four elements, so that neighbours of different lanes lie in different banks. */
static __device__ __forceinline__ int place(int k) { return k + k / 4; }

template <class M>
static __device__ __forceinline__ void put_rows(const pack<M, 4> *c, char *to, int n, char *room, int at, int own) {
  const int lane = threadIdx.x & 31;
  __syncwarp();
#pragma unroll
  for (int k = 0; k < SEAT; k++)
    if (k < own) ((M *)room)[place(at + k)] = c[k / 4].v[k % 4];
  __syncwarp();
#pragma unroll
  for (int k = 0; k < SEAT; k++)
    if (k * 32 + lane < n) ((M *)to)[k * 32 + lane] = ((const M *)room)[place(k * 32) + place(lane)];
}
