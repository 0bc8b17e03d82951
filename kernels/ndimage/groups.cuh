/*
** groups.cuh: sums over the elements of each label. The neighbours in a warp that have one label are added first; then
** one of them adds to the sum of the block, in shared memory, or to the result. The text before it has
**   LABEL, ITEM     types of labels and values
**   TERM            COUNT, VALUE, SQUARE or MOMENT
*/
#define WHOLE 0xffffffffu
#define SHARED 2048 /* labels whose sums a block has room for */
#define COUNT 0
#define VALUE 1
#define SQUARE 2
#define MOMENT 3

struct groups {
  const LABEL *labels;
  const ITEM *values;
  const double *centres;
  double *sums;
  long long n, first, count, inner, extent;
};

static __device__ __forceinline__ double term_of(const groups &g, long long i, long long own) {
#if TERM == COUNT
  return 1;
#elif TERM == VALUE
  return (double)g.values[i];
#elif TERM == SQUARE
  const double off = (double)g.values[i] - g.centres[own];
  return off * off;
#else
  return (double)g.values[i] * (double)(i / g.inner % g.extent);
#endif
}

MA_KERNEL __launch_bounds__(MA_THREADS) groups_add(const groups g) {
  __shared__ double own_sums[SHARED];
  const bool shared = g.count <= SHARED;
  const int lane = threadIdx.x & 31;
  if (shared) {
    for (int k = threadIdx.x; k < g.count; k += MA_THREADS) own_sums[k] = 0;
    __syncthreads();
  }
  double *to = shared ? own_sums : g.sums;
  const long long step = (long long)gridDim.x * MA_THREADS, whole = (g.n + 31) / 32 * 32;
  for (long long i = (long long)blockIdx.x * MA_THREADS + threadIdx.x; i < whole; i += step) {
    long long own = i < g.n ? (long long)((u8)g.labels[i] - (u8)g.first) : -1;
    if ((u8)own >= (u8)g.count) own = -1;
    double sum = own >= 0 ? term_of(g, i, own) : 0;
    const long long before = __shfl_up_sync(WHOLE, own, 1);
    const u4 heads = __ballot_sync(WHOLE, lane == 0 || before != own);
    const u4 later = lane == 31 ? 0 : heads >> (lane + 1);
    const int last = later ? lane + __popc((later & (0u - later)) - 1) : 31;
    for (int d = 1; d < 32; d *= 2) {
      const double other = __shfl_down_sync(WHOLE, sum, d);
      if (lane + d <= last) sum += other;
    }
    if (own >= 0 && heads >> lane & 1) atomicAdd(to + own, sum);
  }
  if (!shared) return;
  __syncthreads();
  for (int k = threadIdx.x; k < g.count; k += MA_THREADS)
    if (own_sums[k] != 0) atomicAdd(g.sums + k, own_sums[k]);
}
