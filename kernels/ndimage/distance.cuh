/*
** distance.cuh: exact Euclidean distances. The first pass goes along the rows, a warp for each row. Then a pass goes
** along each of the axes before. There each element looks at its neighbours in the line, which is enough unless all
** places are far away. The lines in which that is not enough are done again, a thread for each, by distance.h. The text
** before this has image.cuh and distance.h.
*/
#define REACH 40
#define WHOLE 0xffffffffu

struct distances {
  image m;
  const u1 *from;
  double *squares;
  long long *places;  /* may be NULL */
  double *to_squares; /* of the pass along an axis */
  long long *to_places;
  u1 *marks;              /* by line */
  double spacing;         /* along the axis */
  place inner, n, lines;  /* elements behind an element of the axis; elements of a line; lines */
  double *height, *begin; /* room for the envelopes of all threads, which lie side by side */
  long long *own;
  int *at;
  int root; /* the last pass */
};

/* A scan forwards notes the nearest place on the left. A scan backwards then notes the nearer of both sides. */
MA_KERNEL __launch_bounds__(MA_THREADS) distance_rows(const distances w) {
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

/*
** Looks for each element's nearest place along the axis, as far as REACH elements. If a nearer place may lie further
** away, the line is marked.
*/
MA_KERNEL __launch_bounds__(MA_THREADS) distance_near(const distances w) {
  const place step = (place)gridDim.x * blockDim.x, size = w.lines * w.n;
  for (place i = (place)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += step) {
    const place row = i / w.inner, y = row % w.n;
    double best = w.squares[i];
    place from = i;
    int k = 1;
    for (; k <= REACH; k++) {
      const double apart = k * w.spacing, far = apart * apart;
      if (!(far < best)) break;
      const double before = y >= k ? w.squares[i - k * w.inner] + far : best;
      if (before < best) best = before, from = i - k * w.inner;
      const double behind = y + k < w.n ? w.squares[i + k * w.inner] + far : best;
      if (behind < best) best = behind, from = i + k * w.inner;
    }
    const double beyond = k * w.spacing;
    if (k > REACH && beyond * beyond < best && w.n > REACH) w.marks[row / w.n * w.inner + i % w.inner] = 1;
    w.to_squares[i] = w.root ? sqrt(best) : best;
    if (w.places) w.to_places[i] = w.places[from];
  }
}

/* Does the marked lines again, by their envelopes. */
MA_KERNEL __launch_bounds__(64) distance_lines(const distances w) {
  const place threads = (place)gridDim.x * blockDim.x, t = (place)blockIdx.x * blockDim.x + threadIdx.x;
  const ma_envelope e = { w.height + t, w.begin + t, w.places ? w.own + t : 0, w.at + t, threads };
  for (place l = t; l < w.lines; l += threads) {
    if (!w.marks[l]) continue;
    const place outer = l / w.inner, first = outer * w.inner * w.n + (l - outer * w.inner);
    const ma_distance_line line = { w.squares + first,
                                    w.places ? w.places + first : 0,
                                    w.to_squares + first,
                                    w.places ? w.to_places + first : 0,
                                    w.inner,
                                    (int)w.n,
                                    w.spacing };
    ma_distance_along(&e, &line);
    if (w.root)
      for (place y = 0; y < w.n; y++) line.to_square[y * w.inner] = sqrt(line.to_square[y * w.inner]);
  }
}
