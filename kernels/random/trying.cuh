/*
** trying.cuh: a draw of numbers that are tried once (tried.h), behind random.cuh, of MAY, TRY and DRAW, which are
** ma_may_<name>, ma_tried_<name> and ma_draw_<name>. Few fail. They wait until a warp has a whole one of them, so that
** the others do not wait for each of them.
*/
#define PARAMETERS(job, i) parameter(job, 0, i), parameter(job, 1, i), parameter(job, 2, i)

static __device__ __forceinline__ void redraw(const ma_random_job &job, u8 element) {
  ma_draws s = ma_draws_of(&job, element);
  s.first = ma_philox_far(job.key, element, 0, job.draw);
  ((D::mem *)job.data)[element] = D::store(TO(DRAW(&job, &s, PARAMETERS(job, element))));
}

/* Whether it failed. */
static __device__ __forceinline__ bool attempt(const ma_random_job &job, u8 element, ma_tries &t) {
  if (!MAY(PARAMETERS(job, element))) return true;
  D::reg x = TRY(&t, PARAMETERS(job, element));
  if (!t.failed) ((D::mem *)job.data)[element] = D::store(x);
  return t.failed;
}

MA_KERNEL __launch_bounds__(MA_THREADS) draw_random(const ma_random_job given) {
  MA_PLACE(job)
  __shared__ u8 waiting[MA_THREADS / 32][64];
  u8 *queue = waiting[threadIdx.x >> 5];
  u4 lane = (blockIdx.x & 255) * blockDim.x + threadIdx.x, own = threadIdx.x & 31, below = (1u << own) - 1, n = 0;
  ma_near_part near = ma_philox_near(job.key, lane, 0), second = ma_philox_near(job.key, lane, 1);
  u8 row = blockIdx.x >> 8, step = (gridDim.x + 255) >> 8, rows = ((u8)job.n + 65535) >> 16;
  while (row < rows || n > 0) {
    if (row < rows) {
      u8 element = row << 16 | lane;
      ma_away_part away = ma_philox_away(job.key, (u4)row, job.draw);
      ma_tries t = { ma_philox_rest(job.key, near, away), ma_philox_rest(job.key, second, away), 0 };
      bool fails = element < (u8)job.n && attempt(job, element, t);
      u4 failed = __ballot_sync(~0u, fails);
      if (fails) queue[n + __popc(failed & below)] = element;
      n += __popc(failed);
      row += step;
    }
    __syncwarp();
    if (n < 32 && row < rows) continue;
    u4 taken = n < 32 ? n : 32;
    n -= taken;
    if (own < taken) redraw(job, queue[n + own]);
    __syncwarp();
  }
}
