/* split.cuh: numbers of rows and elements into positions on axes. */

/* Returns n / extent. A division of 32 bits takes less time than one of 64. */
static __device__ __forceinline__ u8 split(u8 n, u8 extent, u8 &rest) {
  if ((n | extent) >> 32 == 0) {
    const u4 q = (u4)n / (u4)extent;
    rest = (u4)n - q * (u4)extent;
    return q;
  }
  const u8 q = n / extent;
  rest = n - q * extent;
  return q;
}
