/*
** nonzero.cuh: the positions of true elements, in order: count by tile, sum the counts before each tile, write.
*/

#define TRUE_THREADS 256
#define TRUE_TILE (TRUE_THREADS * 16)

/* Bit 7 of each byte of the result says whether that byte of the word is not zero. */
static __device__ __forceinline__ unsigned true_bytes(unsigned w) { return (((w & 0x7f7f7f7fu) + 0x7f7f7f7fu) | w) & 0x80808080u; }

/* A thread's 16 elements from i as 16 bits. */
static __device__ __forceinline__ unsigned true_bits(const u1 *mask, long long n, long long i) {
  unsigned bits = 0;
  if (i + 16 <= n && ((unsigned long long)(mask + i) & 15) == 0) {
    uint4 v = *(const uint4 *)(mask + i);
    unsigned w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; k++) bits |= (((true_bytes(w[k]) >> 7) * 0x10204080u) >> 28) << (4 * k);
  } else {
    for (int k = 0; k < 16; k++)
      if (i + k < n && mask[i + k]) bits |= 1u << k;
  }
  return bits;
}

/* Sum of `value` over the threads before this one; *total over all. Every thread of the block comes here. */
static __device__ __forceinline__ unsigned sum_before(unsigned value, unsigned *total) {
  __shared__ unsigned warp_sum[32];
  unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, sum = value;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    unsigned other = __shfl_up_sync(0xffffffffu, sum, step);
    if (lane >= step) sum += other;
  }
  if (lane == 31) warp_sum[warp] = sum;
  __syncthreads();
  unsigned before = 0, all = 0;
  for (unsigned k = 0; k < blockDim.x / 32; k++) {
    if (k < warp) before += warp_sum[k];
    all += warp_sum[k];
  }
  __syncthreads();
  *total = all;
  return before + sum - value;
}

MA_KERNEL count_true(const u1 *mask, long long n, long long *tile) {
  unsigned total, bits = true_bits(mask, n, (long long)blockIdx.x * TRUE_TILE + threadIdx.x * 16);
  sum_before(__popc(bits), &total);
  if (threadIdx.x == 0) tile[blockIdx.x] = total;
}

/* One block: tile[t] becomes the sum before tile t, tile[ntile] the sum of all. */
MA_KERNEL sum_tiles(long long *tile, long long ntile) {
  long long done = 0;
  for (long long first = 0; first < ntile; first += blockDim.x) {
    long long t = first + threadIdx.x;
    unsigned total, mine = t < ntile ? (unsigned)tile[t] : 0, before = sum_before(mine, &total);
    if (t < ntile) tile[t] = done + before;
    done += total;
  }
  if (threadIdx.x == 0) tile[ntile] = done;
}

MA_KERNEL write_true(const u1 *mask, long long n, const long long *tile, long long *positions) {
  long long i = (long long)blockIdx.x * TRUE_TILE + threadIdx.x * 16;
  unsigned total, bits = true_bits(mask, n, i);
  long long at = tile[blockIdx.x] + sum_before(__popc(bits), &total);
  for (; bits; bits &= bits - 1) positions[at++] = i + __ffs(bits);
}
