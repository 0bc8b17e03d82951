/*
** random.cuh: a draw of random numbers. The text before it defines D, the dtype's traits, and either V, the elements of
** a block, with FILL(job, block, words, v), or DRAW(job, s, a, b, c) with TO, the cast from double. With IN_GRAPH, seed
** and position are read from device memory, where each launch of the graph finds new ones.
*/
#ifdef IN_GRAPH
#define MA_PLACE(job) const ma_random_job job = ma_random_placed(given);
#else
#define MA_PLACE(job) const ma_random_job &job = given;
#endif

#ifdef V
/* Fills the blocks of a thread, which all have the same lower 16 bits in their numbers: up to 65536 threads take rows
** of that many blocks in turn. The grid is a multiple of 256, or less than 256. UNROLL rows at a time share their
** constants in registers. */
static __device__ __forceinline__ void fill_rows(const ma_random_job &job, u4 lane, u4 rows, bool aligned) {
  u4 step = (gridDim.x + 255) >> 8;
  ma_near_part near = ma_philox_near(job.key, lane, job.attempt);
  char *at = (char *)job.data + lane * (V * sizeof(D::mem));
#pragma unroll UNROLL
  for (u4 row = blockIdx.x >> 8; row < rows; row += step) {
    pack<D::mem, V> to;
    char *here = at + (u8)row * (65536 * V * sizeof(D::mem));
    FILL(job, (u8)row << 16 | lane, ma_philox_rest(job.key, near, ma_philox_away(job.key, row, job.draw)), to.v);
    if (aligned) to.store_all(here);
    else to.store_some(here, sizeof(D::mem), V);
  }
}

MA_KERNEL draw_random(const ma_random_job given) {
  MA_PLACE(job)
  u4 lane = (blockIdx.x & 255) * blockDim.x + threadIdx.x;
  u8 whole = (u8)job.n / V;
  u4 rows = lane < whole ? (u4)((whole - lane + 65535) >> 16) : 0;
  if ((u8)job.data % (sizeof(D::mem) * V < 16 ? sizeof(D::mem) * V : 16) == 0) fill_rows(job, lane, rows, true);
  else fill_rows(job, lane, rows, false);
  if (whole * V < (u8)job.n && blockIdx.x == 0 && threadIdx.x == 0) {
    pack<D::mem, V> to;
    FILL(job, whole, ma_philox(job.key, whole, job.attempt, job.draw), to.v);
    to.store_some((char *)job.data + whole * (V * sizeof(D::mem)), sizeof(D::mem), (int)(job.n - (i8)(whole * V)));
  }
}
#else
static __device__ __forceinline__ double parameter(const ma_random_job &job, int k, u8 i) {
  return job.array[k] ? job.array[k][i] : job.param[k];
}

MA_KERNEL draw_random(const ma_random_job given) {
  MA_PLACE(job)
  u8 step = (u8)gridDim.x * blockDim.x;
  for (u8 i = (u8)blockIdx.x * blockDim.x + threadIdx.x; i < (u8)job.n; i += step) {
    ma_draws s = ma_draws_of(&job, i);
    ((D::mem *)job.data)[i] = D::store(
      TO(DRAW(&job, &s, parameter(job, 0, i), parameter(job, 1, i), parameter(job, 2, i))));
  }
}
#endif
