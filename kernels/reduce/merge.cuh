/* merge.cuh: the second kernel of a reduction, behind reduce.cuh: merges the partial results of spans. */

/* Merges the partial results of one result. Each warp merges 32 neighbours, and then what the warps gave. */
MA_KERNEL __launch_bounds__(1024) merge(const params p) {
  __shared__ red_acc part[RED_SPANS / 32 + RED_SPANS / 1024];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  int n = (int)partials(p);
  const red_acc *from = (const red_acc *)p.partial + (u8)blockIdx.x * n;
  red_acc *to = part;
#pragma unroll 1
  for (;;) {
    red_acc next = from[warp * 32 + lane < n ? warp * 32 + lane : 0];
#pragma unroll 1
    for (int i = warp * 32; i < n; i += warps * 32) {
      red_acc a = next;
      next = from[i + warps * 32 + lane < n ? i + warps * 32 + lane : 0];
      a = warp_tree(a, n - i);
      if (lane == 0) {
        if (n <= 32) put_result(p, blockIdx.x, a);
        else to[i / 32] = a;
      }
    }
    if (n <= 32) return;
    __syncthreads();
    from = to;
    n = (n + 31) / 32;
    to += n;
  }
}
