/* peaks.cuh: a thread for each peak. kernels/signal/peaks.h is before this text. */
struct params {
  i8 n, count, window;
  double part;
  const double *x;
  const i8 *peaks;
  double *prominence;
  i8 *left, *right;
  double *width, *height, *left_at, *right_at;
};

MA_KERNEL prominences(const params p) {
  i8 k = (i8)blockIdx.x * blockDim.x + threadIdx.x, left, right;
  if (k >= p.count) return;
  p.prominence[k] = ma_peak_prominence(p.x, p.n, p.peaks[k] - 1, p.window, &left, &right);
  p.left[k] = left + 1;
  p.right[k] = right + 1;
}

MA_KERNEL widths(const params p) {
  i8 k = (i8)blockIdx.x * blockDim.x + threadIdx.x;
  double from, to;
  if (k >= p.count) return;
  const i8 peak = p.peaks[k] - 1;
  const double height = p.x[peak] - p.prominence[k] * p.part;
  ma_peak_width(p.x, p.n, peak, height, p.left[k] - 1, p.right[k] - 1, &from, &to);
  p.height[k] = height;
  p.left_at[k] = from + 1;
  p.right_at[k] = to + 1;
  p.width[k] = to - from;
}
