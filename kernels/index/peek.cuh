/* peek.cuh: writes up to 4096 bytes to mapped host memory, and then a mark. */
struct params {
  const char *from;
  char *to;
  volatile unsigned long long *mark;
  unsigned long long turn;
  u4 n;
};

MA_KERNEL __launch_bounds__(MA_THREADS) peek(const params p) {
  /* If the source is aligned, it reads sixteen bytes at a time, else words. The host's side is always aligned. */
  const u4 wide = ((unsigned long long)p.from & 15) ? 0 : p.n / 16,
           words = ((unsigned long long)p.from & 3) ? 0 : p.n / 4;
  for (u4 i = threadIdx.x; i < wide; i += blockDim.x) ((uint4 *)p.to)[i] = ((const uint4 *)p.from)[i];
  for (u4 i = wide * 4 + threadIdx.x; i < words; i += blockDim.x) ((u4 *)p.to)[i] = ((const u4 *)p.from)[i];
  for (u4 i = words * 4 + threadIdx.x; i < p.n; i += blockDim.x) p.to[i] = p.from[i];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *p.mark = p.turn;
}
