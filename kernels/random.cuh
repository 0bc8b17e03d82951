/*
** random.cuh: a draw of random numbers. The text before it defines D, the dtype's traits, and either V, elements of a block, with
** FILL(job, block, words, v), or DRAW(job, s, a, b, c) with TO, the cast from double.
*/
#ifdef V
MA_KERNEL draw_random(const ma_random_job job) {
  u8 nblock = ((u8)job.n + V - 1) / V, step = (u8)gridDim.x * blockDim.x;
  bool aligned = (u8)job.data % (sizeof(D::mem) * V < 16 ? sizeof(D::mem) * V : 16) == 0;
  for (u8 k = (u8)blockIdx.x * blockDim.x + threadIdx.x; k < nblock; k += step) {
    ma_words w = ma_philox(job.key, k, 0, job.draw);
    pack<D::mem, V> to;
    char *at = (char *)job.data + k * (V * sizeof(D::mem));
    FILL(job, k, w, to.v);
    if (aligned && k * V + V <= (u8)job.n) to.store_all(at);
    else to.store_some(at, sizeof(D::mem), (int)(job.n - (i8)k * V < V ? job.n - (i8)k * V : V));
  }
}
#else
static __device__ __forceinline__ double parameter(const ma_random_job &job, int k, u8 i) { return job.array[k] ? job.array[k][i] : job.param[k]; }

MA_KERNEL draw_random(const ma_random_job job) {
  u8 step = (u8)gridDim.x * blockDim.x;
  for (u8 i = (u8)blockIdx.x * blockDim.x + threadIdx.x; i < (u8)job.n; i += step) {
    ma_draws s = ma_draws_of(&job, i);
    ((D::mem *)job.data)[i] = D::store(TO(DRAW(&job, &s, parameter(job, 0, i), parameter(job, 1, i), parameter(job, 2, i))));
  }
}
#endif
