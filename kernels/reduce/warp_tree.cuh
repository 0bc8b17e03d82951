/* warp_tree.cuh: the tree of reduce.h over the lanes of a warp. The text before it has an instance of reduce.h and
** MASKED. It may stand several times in a text, each in a namespace. */
#undef HEAD
#undef WHOLE
#define WHOLE 0xffffffffu

/* Shifts all words but the first HEAD, which are the same in all lanes. */
template <int HEAD, class T> static __device__ __forceinline__ T shift_down(T x, int d) {
  union {
    T t;
    u4 w[(sizeof(T) + 3) / 4];
  } u;
  u.w[0] = 0;
  u.t = x;
#pragma unroll
  for (int i = HEAD; i < (int)((sizeof(T) + 3) / 4); i++) u.w[i] = __shfl_down_sync(WHOLE, u.w[i], d);
  return u.t;
}

/* The tree over the first n lanes of a warp, which all have the same n; lane 0 gets the result. It runs at most once a
** span, so it is a loop. */
static __device__ __forceinline__ red_acc warp_tree(red_acc a, int n) {
  const int lane = threadIdx.x & 31;
#pragma unroll 1
  for (int d = 1; d < 32 && d < n; d *= 2) {
    red_acc b = shift_down<0>(a, d);
    if (lane + d < n) a = red_merge(a, b);
  }
  return a;
}

/* The same over a whole warp. */
static __device__ __forceinline__ red_acc lanes_tree(red_acc a) {
#pragma unroll
  for (int d = 1; d < 32; d *= 2) a = red_merge(a, shift_down<0>(a, d));
  return a;
}

/* The same over the lanes of a full chunk, which all have the same number of elements. */
static __device__ __forceinline__ red_acc full_tree(red_acc a) {
#if RED_COUNTED && !MASKED
#define HEAD 2 /* words of the number of elements, which is the same in all lanes, so that the compiler knows it */
#else
#define HEAD 0
#endif
#pragma unroll
  for (int d = 1; d < 32; d *= 2) a = red_merge(a, shift_down<HEAD>(a, d));
  return a;
}
