/* interp.cuh: values of a piecewise linear function. */
struct interp {
  const double *x, *at, *value;
  double end[2];
  i8 n, count;
  double *result;
  i4 given[2];
};

#define NEAR 2048 /* points that a block keeps in shared memory */
#define EACH 2    /* places of a thread, whose searches overlap */

MA_KERNEL __launch_bounds__(MA_THREADS) interpolate(const interp j) {
  __shared__ double near_points[NEAR];
  const i8 step = (i8)gridDim.x * blockDim.x, last = j.n - 1;
  const double *at = j.at;
  if (j.n <= NEAR) {
    for (int k = threadIdx.x; k < j.n; k += blockDim.x) near_points[k] = j.at[k];
    at = near_points;
  }
  __syncthreads();
  const double lowest = j.at[0], highest = j.at[last];
  const double left = j.given[0] ? j.end[0] : j.value[0], right = j.given[1] ? j.end[1] : j.value[last];
  for (i8 i = (i8)blockIdx.x * blockDim.x + threadIdx.x; i < j.count; i += EACH * step) {
    double x[EACH];
    i8 lo[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      x[k] = i + k * step < j.count ? j.x[i + k * step] : 0;
      lo[k] = 0;
    }
    for (i8 size = j.n; size > 0;) { /* all searches take the same steps */
      const i8 half = size / 2;
#pragma unroll
      for (int k = 0; k < EACH; k++)
        if (at[lo[k] + half] <= x[k]) lo[k] += size - half;
      size = half;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      if (i + k * step >= j.count) continue;
      const i8 p = lo[k] > 0 ? lo[k] - 1 : 0;
      const double x0 = j.at[p], y0 = j.value[p];
      double result = y0;
      if (p < last && x[k] != x0) {
        const double x1 = j.at[p + 1], y1 = j.value[p + 1], slope = (y1 - y0) / (x1 - x0);
        result = slope * (x[k] - x0) + y0;
        if (result != result) { /* computed from the point behind, or the value of both points if they are equal */
          result = slope * (x[k] - x1) + y1;
          if (result != result && y0 == y1) result = y0;
        }
      }
      j.result[i + k * step] = x[k] == x[k] ? (x[k] < lowest ? left : x[k] > highest ? right : result) : x[k];
    }
  }
}
