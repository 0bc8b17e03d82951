/*
** random.cuh: a draw of random numbers. The text before it defines D, the dtype's traits, V, how many elements share a
** block of words, UNROLL and TO, the cast from double. The text behind it is the body of FILL, which makes the elements
** of a block. Without V, counting.cuh or trying.cuh follows. With VARIED, parameters may be arrays. With IN_GRAPH, seed
** and position are read from device memory, where each launch of the graph finds new ones.
*/
#ifdef IN_GRAPH
#define MA_PLACE(job) const ma_random_job job = ma_random_placed(given);
#else
#define MA_PLACE(job) const ma_random_job &job = given;
#endif

static __device__ __forceinline__ double parameter(const ma_random_job &job, int k, u8 i) {
#ifdef VARIED
  if (job.array[k]) return job.array[k][i];
#endif
  return job.param[k];
}

#ifdef V
#define FILL \
  static __device__ __forceinline__ void fill(const ma_random_job &job, u8 block, const ma_words &w, D::mem *v)
FILL;

#if V == 4
/* Stores the elements of a block in 32 bytes, where all lanes of a warp do. Two lanes exchange halves, so that each
** access of theirs is 32 bytes in a row: accesses that fill half of so many take twice the time. */
static __device__ __forceinline__ void store_pairs(pack<D::mem, V> &to, char *here) {
  bool odd = threadIdx.x & 1;
  pack<D::mem, V / 2> first, second;
#pragma unroll
  for (int k = 0; k < V / 2; k++) {
    D::mem other = __shfl_xor_sync(~0u, odd ? to.v[k] : to.v[V / 2 + k], 1);
    first.v[k] = odd ? other : to.v[k];
    second.v[k] = odd ? to.v[V / 2 + k] : other;
  }
  here += odd ? -16 : 0;
  first.store_all(here);
  second.store_all(here + 32);
}
#else
#define store_pairs(to, here) to.store_all(here)
#endif

/* Fills the blocks of a thread, which all have the same lower 16 bits in their numbers: up to 65536 threads take rows
** of that many blocks in turn. The grid is a multiple of 256, or less than 256. UNROLL rows at a time share their
** constants in registers. In the first `whole` rows every lane has a block. */
static __device__ __forceinline__ void fill_rows(const ma_random_job &job, u4 lane, u4 rows, u4 whole, bool aligned) {
  u4 step = (gridDim.x + 255) >> 8;
  ma_near_part near = ma_philox_near(job.key, lane, job.attempt);
  char *at = (char *)job.data + lane * (V * sizeof(D::mem));
#pragma unroll UNROLL
  for (u4 row = blockIdx.x >> 8; row < rows; row += step) {
    pack<D::mem, V> to;
    char *here = at + (u8)row * (65536 * V * sizeof(D::mem));
    fill(job, (u8)row << 16 | lane, ma_philox_rest(job.key, near, ma_philox_away(job.key, row, job.draw)), to.v);
    if (!aligned) to.store_some(here, sizeof(D::mem), V);
    else if (sizeof to == 32 && row < whole) store_pairs(to, here);
    else to.store_all(here);
  }
}

MA_KERNEL draw_random(const ma_random_job given) {
  MA_PLACE(job)
  u4 lane = (blockIdx.x & 255) * blockDim.x + threadIdx.x;
  u8 whole = (u8)job.n / V;
  u4 rows = lane < whole ? (u4)((whole - lane + 65535) >> 16) : 0;
  if ((u8)job.data % (sizeof(D::mem) * V < 16 ? sizeof(D::mem) * V : 16) == 0)
    fill_rows(job, lane, rows, (u4)(whole >> 16), true);
  else fill_rows(job, lane, rows, 0, false);
  if (whole * V < (u8)job.n && blockIdx.x == 0 && threadIdx.x == 0) {
    pack<D::mem, V> to;
    fill(job, whole, ma_philox(job.key, whole, job.attempt, job.draw), to.v);
    to.store_some((char *)job.data + whole * (V * sizeof(D::mem)), sizeof(D::mem), (int)(job.n - (i8)(whole * V)));
  }
}
#endif
