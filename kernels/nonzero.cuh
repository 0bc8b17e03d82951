/*
** nonzero.cuh: the positions of true elements, in order, or the elements of another array that stand there (then `item` is their
** type and ITEM is defined): count by tile, four tiles a block, sum the counts before each block, write.
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

/* Four tiles a block, whose loads are under way at once. block[b] is the block's count; bits 16 t .. 16 t + 15 of in[b] are the number
** before tile t of the block. */
MA_KERNEL __launch_bounds__(TRUE_THREADS) count_true(const u1 *mask, long long n, long long *block, u8 *in) {
  __shared__ unsigned warp_sum[2][TRUE_THREADS / 32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned bits[4];
#pragma unroll
  for (int k = 0; k < 4; k++) bits[k] = true_bits(mask, n, ((long long)blockIdx.x * 4 + k) * TRUE_TILE + threadIdx.x * 16);
  unsigned low = __popc(bits[0]) | __popc(bits[1]) << 16, high = __popc(bits[2]) | __popc(bits[3]) << 16;
#pragma unroll
  for (int step = 16; step; step /= 2) {
    low += __shfl_xor_sync(0xffffffffu, low, step);
    high += __shfl_xor_sync(0xffffffffu, high, step);
  }
  if (lane == 0) { warp_sum[0][warp] = low; warp_sum[1][warp] = high; }
  __syncthreads();
  if (threadIdx.x) return;
  low = high = 0;
#pragma unroll
  for (int k = 0; k < TRUE_THREADS / 32; k++) { low += warp_sum[0][k]; high += warp_sum[1][k]; }
  const unsigned one = low & 0xffffu, two = one + (low >> 16), three = two + (high & 0xffffu);
  in[blockIdx.x] = (u8)one << 16 | (u8)two << 32 | (u8)three << 48;
  block[blockIdx.x] = three + (high >> 16);
}

/* One block of 1024: block[b] becomes the sum before block b, block[nblock] the sum of all. A thread has 8 neighbours at a time; 8192
** blocks hold fewer than 2^32 elements. */
MA_KERNEL __launch_bounds__(1024) sum_blocks(long long *block, long long nblock) {
  long long done = 0;
  for (long long first = 0; first < nblock; first += 8192) {
    const long long b = first + threadIdx.x * 8;
    unsigned mine[8], total, own = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) mine[k] = b + k < nblock ? (unsigned)block[b + k] : 0;
#pragma unroll
    for (int k = 0; k < 8; k++) own += mine[k];
    long long before = done + sum_before(own, &total);
#pragma unroll
    for (int k = 0; k < 8; k++) {
      if (b + k < nblock) block[b + k] = before;
      before += mine[k];
    }
    done += total;
  }
  if (threadIdx.x == 0) block[nblock] = done;
}

static __device__ __forceinline__ long long sum_before_tile(const long long *block, const u8 *in) {
  const unsigned t = blockIdx.x;
  return block[t / 4] + (long long)(in[t / 4] >> t % 4 * 16 & 0xffffu);
}

/* The places of the tile's true elements, counted from its first, into shared memory, so that neighbouring threads write neighbours;
** returns how many. */
static __device__ __forceinline__ unsigned list_true(const u1 *mask, long long n, u2 *list) {
  unsigned total, bits = true_bits(mask, n, (long long)blockIdx.x * TRUE_TILE + threadIdx.x * 16);
  unsigned at = sum_before(__popc(bits), &total);
  for (; bits; bits &= bits - 1) list[at++] = (u2)(threadIdx.x * 16 + __ffs(bits) - 1);
  __syncthreads();
  return total;
}

#ifdef ITEM
MA_KERNEL __launch_bounds__(TRUE_THREADS) select_true(const u1 *mask, long long n, const long long *block, const u8 *in, const item *from, item *to) {
  __shared__ u2 list[TRUE_TILE];
  const unsigned total = list_true(mask, n, list);
  from += (long long)blockIdx.x * TRUE_TILE;
  to += sum_before_tile(block, in);
#pragma unroll 4
  for (unsigned k = threadIdx.x; k < total; k += TRUE_THREADS) to[k] = from[list[k]];
}
#else
MA_KERNEL __launch_bounds__(TRUE_THREADS) write_true(const u1 *mask, long long n, const long long *block, const u8 *in, long long *positions) {
  __shared__ u2 list[TRUE_TILE];
  const unsigned total = list_true(mask, n, list);
  const long long first = (long long)blockIdx.x * TRUE_TILE + 1;
  positions += sum_before_tile(block, in);
#pragma unroll 4
  for (unsigned k = threadIdx.x; k < total; k += TRUE_THREADS) positions[k] = first + list[k];
}
#endif
