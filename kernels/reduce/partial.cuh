/*
** partial.cuh: merges the partial results that several processes have of each result, in their order, and rounds once.
** The text before it (src/cuda/kernels/partial.c) has the instance of reduce.h and FOLD_LAST_STEP.
*/
struct params {
  const char *from;
  char *out;
  u8 n, nparts; /* results; partial results of each, n apart */
  i8 count;
  double param;
};

static __device__ __forceinline__ result::reg last_step(red_out o){ FOLD_LAST_STEP }

MA_KERNEL merge_parts(const params p) {
  const u8 k = (u8)blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= p.n) return;
  const red_acc *const part = (const red_acc *)p.from + k;
  red_acc a = part[0];
#pragma unroll 1
  for (u8 j = 1; j < p.nparts; j++) a = red_merge(a, part[j * p.n]);
  ((result::mem *)p.out)[k] = result::store(last_step(red_final(a, p.count, p.param)));
}
