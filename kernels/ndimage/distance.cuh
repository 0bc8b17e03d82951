/*
** distance.cuh: exact Euclidean distances: along the rows by a warp for each row, then along each axis before by a thread
** for each line (distance.h). The text before it has image.cuh and distance.h.
*/
#define WHOLE 0xffffffffu

struct distances {
  image m;
  const u1 *from;
  double *squares;
  long long *places;      /* may be NULL */
  double spacing;         /* along the axis */
  place inner, n, lines;  /* elements behind an element of the axis; elements of a line; lines */
  double *height, *begin; /* room for the envelopes of all threads, which lie side by side */
  long long *own;
  int *at;
  int root; /* the last pass */
};

/* A scan forwards notes the nearest place on the left, and one backwards the nearer of both sides. */
MA_KERNEL __launch_bounds__(256) distance_rows(const distances w) {
  const place warps = (place)gridDim.x * (blockDim.x / 32), n = w.m.n;
  const int lane = threadIdx.x & 31;
  for (place row = (place)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; row < w.m.rows; row += warps) {
    const place base = row * n;
    place carry = -1;
    for (place first = 0; first < n; first += 32) {
      const place i = first + lane;
      const u4 all = __ballot_sync(WHOLE, i < n && w.from[base + i] == 0);
      const u4 mine = all & (u4)((2ull << lane) - 1);
      const place near = mine ? first + 31 - __clz(mine) : carry;
      if (i < n) w.squares[base + i] = (double)near;
      if (all) carry = first + 31 - __clz(all);
    }
    carry = -1;
    for (place first = (n - 1) / 32 * 32; first >= 0; first -= 32) {
      const place i = first + lane;
      const u4 all = __ballot_sync(WHOLE, i < n && w.from[base + i] == 0);
      const u4 mine = all >> lane;
      const place behind = mine ? i + __popc((mine & (0u - mine)) - 1) : carry;
      if (i < n) {
        const place before = (place)w.squares[base + i];
        const place near = before < 0 || (behind >= 0 && behind - i < i - before) ? behind : before;
        const double apart = (double)(near > i ? near - i : i - near) * w.spacing;
        w.squares[base + i] = near < 0 ? 1e300 * 1e300 : w.root ? sqrt(apart * apart) : apart * apart;
        if (w.places) w.places[base + i] = near < 0 ? -1 : base + near;
      }
      if (all) carry = first + __popc((all & (0u - all)) - 1);
    }
  }
}

MA_KERNEL __launch_bounds__(64) distance_lines(const distances w) {
  const place threads = (place)gridDim.x * blockDim.x, t = (place)blockIdx.x * blockDim.x + threadIdx.x;
  const ma_envelope e = { w.height + t, w.begin + t, w.places ? w.own + t : 0, w.at + t, threads };
  for (place l = t; l < w.lines; l += threads) {
    const place outer = l / w.inner, first = outer * w.inner * w.n + (l - outer * w.inner);
    const ma_distance_line line = { w.squares + first, w.places ? w.places + first : 0, w.inner, (int)w.n, w.spacing };
    ma_distance_along(&e, &line);
    if (w.root)
      for (place y = 0; y < w.n; y++) line.square[y * w.inner] = sqrt(line.square[y * w.inner]);
  }
}
