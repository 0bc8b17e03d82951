/*
** tally.cuh: how often each of the numbers 0 .. places - 1 occurs, or the sum of its weights. The text before it
** defines WEIGHTED as 0 or 1, and SHARED_BYTES.
*/
#if WEIGHTED
typedef double sum_type;
#else
typedef u4 sum_type;
#endif
#define LOADS 4

struct tally {
  const i8 *numbers;
  const double *weights;
  u8 n;
  u4 places, copies;
  void *sums; /* double, or 64-bit counts */
};

static __device__ __forceinline__ void add_to_all(const tally &t, u8 place, sum_type sum) {
#if WEIGHTED
  atomicAdd((double *)t.sums + place, sum);
#else
  atomicAdd((unsigned long long *)t.sums + place, (unsigned long long)sum);
#endif
}

/* Calls f(number, weight) for all elements. The lanes of a warp call it together, with the number -1 behind the end. A
** thread has several loads under way at once. */
template <class F> static __device__ __forceinline__ void each(const tally &t, F f) {
  const u8 step = (u8)gridDim.x * blockDim.x, rounds = (t.n + LOADS * step - 1) / (LOADS * step);
  u8 i = (u8)blockIdx.x * blockDim.x + threadIdx.x;
  for (u8 round = 0; round < rounds; round++, i += LOADS * step) {
    i8 number[LOADS];
    sum_type weight[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
      const u8 at = i + k * step;
      number[k] = at < t.n ? t.numbers[at] : -1;
#if WEIGHTED
      weight[k] = at < t.n ? t.weights[at] : 0;
#else
      weight[k] = 1;
#endif
    }
#pragma unroll
    for (int k = 0; k < LOADS; k++) f(number[k], weight[k]);
  }
}

/* If all numbers of a warp are the same, the sum of its weights is added once, so that equal neighbours do not wait for
** each other. */
template <class F> static __device__ __forceinline__ void together(i8 number, sum_type weight, F add) {
  const u4 first = __shfl_sync(~0u, (u4)number, 0);
  if (__all_sync(~0u, (u4)number == first && number >= 0)) {
#pragma unroll
    for (int by = 16; by > 0; by /= 2) weight += __shfl_down_sync(~0u, weight, by);
    if (threadIdx.x % 32 == 0) add((u8)number, weight);
  } else if (number >= 0) add((u8)number, weight);
}

/* Adds up in several copies in the block's shared memory, so that lanes of a warp seldom collide. The copies are added
** to the sums of all blocks at the end. */
MA_KERNEL __launch_bounds__(512) tally_shared(const tally t) {
  __shared__ sum_type shared_sums[SHARED_BYTES / sizeof(sum_type)];
  const u4 all = t.places * t.copies;
  sum_type *own = shared_sums + threadIdx.x % t.copies;
  for (u4 k = threadIdx.x; k < all; k += blockDim.x) shared_sums[k] = 0;
  __syncthreads();
  each(t, [&](i8 number, sum_type weight) {
    together(number, weight, [&](u8 place, sum_type sum) { atomicAdd(own + place * t.copies, sum); });
  });
  __syncthreads();
  for (u4 k = threadIdx.x; k < t.places; k += blockDim.x) {
    sum_type sum = 0;
    for (u4 c = 0; c < t.copies; c++) sum += shared_sums[k * t.copies + (c + k) % t.copies];
    if (sum != 0) add_to_all(t, k, sum);
  }
}

/* Adds up in global memory, for more places than a block has room for. */
MA_KERNEL __launch_bounds__(512) tally_global(const tally t) {
  each(t, [&](i8 number, sum_type weight) {
    together(number, weight, [&](u8 place, sum_type sum) { add_to_all(t, place, sum); });
  });
}
