/*
** join.cuh: one array of several, put beside each other in each row of the result. The text before it defines `item`,
** what a thread moves at once, and PARTS.
*/
struct join {
  const item *from[PARTS];
  u4 start[PARTS + 1]; /* where a part begins in a row, in items */
  u4 count, total;     /* parts; items */
  divisor width;       /* of a row, in items */
  u8 pitch;            /* from row to row in the result, in bytes */
  char *to;
};

#define EACH 4
MA_KERNEL __launch_bounds__(256) join_parts(const join j) {
  const u4 first = blockIdx.x * (256 * EACH) + threadIdx.x;
  item value[EACH];
  char *place[EACH];
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    const u4 i = first + k * 256;
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
  for (int k = 0; k < EACH; k++)
    if (place[k]) *(item *)place[k] = value[k];
}
