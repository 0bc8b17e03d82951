/*
** join.cuh: one array of several, put beside each other in each row of the result. The text before it defines `item`,
** what a thread moves at once, PARTS, and TILE: the items that a block of join_narrow holds.
*/
struct join {
  const item *from[PARTS];
  u4 start[PARTS + 1]; /* where a part begins in a row, in items */
  u4 count, total;     /* parts; items */
  divisor width;       /* of a row, in items */
  u8 pitch;            /* from row to row in the result, in bytes */
  char *to;
};

MA_KERNEL __launch_bounds__(MA_THREADS) join_parts(const join j) {
  const u4 first = blockIdx.x * (MA_THREADS * MA_JOIN_EACH) + threadIdx.x;
  item value[MA_JOIN_EACH];
  char *place[MA_JOIN_EACH];
#pragma unroll
  for (int k = 0; k < MA_JOIN_EACH; k++) {
    const u4 i = first + k * MA_THREADS;
    place[k] = 0;
    if (i >= j.total) continue;
    u4 at, row = divmod(i, j.width, at), lo = 0, hi = j.count;
    while (hi - lo > 1) {
      const u4 middle = (lo + hi) / 2;
      if (at < j.start[middle]) hi = middle;
      else lo = middle;
    }
    const u4 start = j.start[lo], chunk = j.start[lo + 1] - start;
    value[k] = j.from[lo][(u8)row * chunk + (at - start)];
    place[k] = j.to + row * j.pitch + (u8)at * sizeof(item);
  }
#pragma unroll
  for (int k = 0; k < MA_JOIN_EACH; k++)
    if (place[k]) *(item *)place[k] = value[k];
}

/*
** For parts of a few items a row. In join_parts, a warp would search the tables for 32 places. The tables lie in
** constant memory, which serves one address after the other. So here a warp takes one part: it reads the part's items
** of `rows` rows in the order of memory and puts them into a tile, and the block writes whole rows from the tile.
*/
#define DEEP 8 /* reads that a thread begins before it waits for one */
#define WARPS 8
MA_KERNEL __launch_bounds__(32 * WARPS) join_narrow(const join j, const u4 rows) {
  __shared__ item tile[TILE];
  const u4 width = j.width.extent, pitch = width | 1, first = blockIdx.x * rows,
           left = divide(j.total, j.width) - first, here = left < rows ? left : rows, lane = threadIdx.x % 32,
           shares = j.count < WARPS ? WARPS / j.count : 1;
  for (u4 unit = threadIdx.x / 32; unit < j.count * shares; unit += WARPS) {
    const u4 share = unit / j.count, part = unit - share * j.count;
    const u4 start = j.start[part], chunk = j.start[part + 1] - start, items = here * chunk;
    const item *from = j.from[part] + (u8)first * chunk;
    for (u4 i = share * (32 * DEEP) + lane; i < items; i += shares * (32 * DEEP)) {
      item value[DEEP];
#pragma unroll
      for (int k = 0; k < DEEP; k++)
        if (i + k * 32 < items) value[k] = from[i + k * 32];
#pragma unroll
      for (int k = 0; k < DEEP; k++) {
        const u4 row = (i + k * 32) / chunk;
        if (i + k * 32 < items) tile[row * pitch + start + (i + k * 32 - row * chunk)] = value[k];
      }
    }
  }
  __syncthreads();
  char *to = j.to + first * j.pitch;
#pragma unroll 4
  for (u4 i = threadIdx.x; i < here * width; i += 32 * WARPS) {
    u4 at, row = divmod(i, j.width, at);
    *(item *)(to + row * j.pitch + (u8)at * sizeof(item)) = tile[row * pitch + at];
  }
}
