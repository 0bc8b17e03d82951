/*
** banded.cuh: a banded system with many right sides, factored without exchanges of rows. LOWER and UPPER are the
** numbers of diagonals below and above; row i of `bands` has the elements of columns i - LOWER .. i + UPPER.
*/
#define WIDTH (LOWER + 1 + UPPER)

/* One warp. The rows that a step changes are in shared memory, in a ring; the next row is loaded a step ahead. */
MA_KERNEL factor_bands(double *bands, i8 n) {
  __shared__ double ring[LOWER + 1][WIDTH];
  int lane = threadIdx.x;
  for (int at = lane; at < (LOWER + 1) * WIDTH; at += 32) ring[at / WIDTH][at % WIDTH] = n > at / WIDTH
  ? bands[at] : 0;
  __syncwarp();
  for (i8 i = 0; i < n; i++) {
    double(*row)[WIDTH] = ring;
    int top = (int)(i % (LOWER + 1));
    double next = 0;
    if (lane < WIDTH && i + LOWER + 1 < n) next = bands[(i + LOWER + 1) * WIDTH + lane];
    for (int at = lane; at < LOWER * UPPER; at += 32) {
      int r = at / (UPPER + !UPPER) + 1, c = at % (UPPER + !UPPER) + 1;
      double *to = row[(top + r) % (LOWER + 1)] + LOWER - r;
      to[c] -= to[0] / row[top][LOWER] * row[top][LOWER + c];
    }
    __syncwarp();
    if (lane < LOWER) row[(top + lane + 1) % (LOWER + 1)][LOWER - lane - 1] /= row[top][LOWER];
    for (int at = lane; at < WIDTH; at += 32) bands[i * WIDTH + at] = row[top][at];
    __syncwarp();
    for (int at = lane; at < WIDTH; at += 32)
      row[top][at] = i + LOWER + 1 < n ? (at == lane ? next : bands[(i + LOWER + 1) * WIDTH + at]) : 0;
    __syncwarp();
  }
}

/* A thread solves one right side, a column of b. The elements that a step needs are in registers. */
MA_KERNEL solve_bands(const double *bands, double *b, i8 n, i8 columns) {
  i8 column = (i8)blockIdx.x * blockDim.x + threadIdx.x;
  double last[LOWER > UPPER ? LOWER : UPPER > 0 ? UPPER : 1];
  if (column >= columns) return;
  b += column;
#pragma unroll
  for (int r = 0; r < LOWER; r++) last[r] = 0;
  for (i8 i = 0; i < n; i++) {
    double x = b[i * columns];
#pragma unroll
    for (int r = 0; r < LOWER; r++) x -= i > r ? bands[i * WIDTH + LOWER - 1 - r] * last[r] : 0;
#pragma unroll
    for (int r = LOWER - 1; r > 0; r--) last[r] = last[r - 1];
    if (LOWER > 0) last[0] = x;
    b[i * columns] = x;
  }
#pragma unroll
  for (int c = 0; c < UPPER; c++) last[c] = 0;
  for (i8 i = n - 1; i >= 0; i--) {
    double x = b[i * columns];
#pragma unroll
    for (int c = 0; c < UPPER; c++) x -= i + c + 1 < n ? bands[i * WIDTH + LOWER + 1 + c] * last[c] : 0;
    x /= bands[i * WIDTH + LOWER];
#pragma unroll
    for (int c = UPPER - 1; c > 0; c--) last[c] = last[c - 1];
    if (UPPER > 0) last[0] = x;
    b[i * columns] = x;
  }
}
