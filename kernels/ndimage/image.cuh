/* image.cuh: images of NDIM axes, for the kernels of morphology. A row is the elements along the last axis. */
typedef long long place;

struct image {
  place n, rows;   /* elements of a row, and rows */
  place shape[16]; /* of the axes before the last one */
};

/* The offsets of a row along the axes before the last one. */
static __device__ __forceinline__ void place_of(const image &m, place row, place *at) {
#pragma unroll
  for (int d = NDIM - 2; d >= 0; d--) {
    if (d == 0) at[0] = row;
    else if ((u8)row >> 32) {
      at[d] = row % m.shape[d];
      row /= m.shape[d];
    } else {
      const u4 extent = (u4)m.shape[d], q = (u4)row / extent;
      at[d] = (u4)row - q * extent;
      row = q;
    }
  }
}

/* The row at the given distances from the row at `at`, or -1 if it is beyond the edges. */
static __device__ __forceinline__ place other_row(const image &m, const place *at, const i4 *distance) {
  place row = 0;
  bool inside = true;
#pragma unroll
  for (int d = 0; d < NDIM - 1; d++) {
    const place x = at[d] + distance[d];
    inside = inside && x >= 0 && x < m.shape[d];
    row = row * m.shape[d] + x;
  }
  return inside ? row : -1;
}
