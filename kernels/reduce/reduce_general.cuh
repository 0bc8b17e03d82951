/*
** reduce_general.cuh: the general form of a reduction: elements of any dtype of a list, any strides, kept and reduced
** axes. It runs where the exact form is compiled nowhere, and follows the same tree (reduce.h), so that it gives the
** same bits. The text before it has the instance of reduce.h, FOLD_LAST_STEP, general.cuh, and VALUE, the dtype of a
** value.
*/

/* reduce_general.c has the same struct. Kept axes come first. */
struct params {
  char *in, *out, *partial;
  u8 kept, count, span, nspan; /* results; elements of one; chunks of a span; spans of a result */
  double param;
  i4 dtype, nkept, naxis, unused;
  u8 extent[GENERAL_NDIM];
  i8 in_stride[GENERAL_NDIM], out_stride[GENERAL_NDIM];
};

/* Bytes to number k over axes from .. to - 1. */
#define REDUCE_OFFSET(name, stride)                                                    \
  static __device__ __forceinline__ i8 name(const params &p, int from, int to, u8 k) { \
    i8 at = 0;                                                                         \
    _Pragma("unroll 1") for (int d = to - 1; d >= from; d--) {                         \
      u8 x = k;                                                                        \
      if (d > from) k = split(k, p.extent[d], x);                                      \
      at += (i8)x * p.stride[d];                                                       \
    }                                                                                  \
    return at;                                                                         \
  }
REDUCE_OFFSET(in_at, in_stride)
REDUCE_OFFSET(out_at, out_stride)

static __device__ __forceinline__ result::reg last_step(red_out o) { FOLD_LAST_STEP }

static __device__ __forceinline__ void put_result(const params &p, u8 k, red_acc a) {
  *(result::mem *)(p.out +
                   out_at(p, 0, p.nkept, k)) = result::store(last_step(red_final(a, (red_i64)p.count, p.param)));
}

/* Thread l folds leaf l of the n elements from `first` on. */
static __device__ __forceinline__ red_acc leaf_of(const params &p, const char *row, u8 first, int n, int l) {
  value x[RED_LEAF];
  u4 live = 0;
#pragma unroll
  for (int j = 0; j < RED_LEAF; j++) {
    const int e = j * RED_LEAVES + l;
    x[j] = x[0];
    if (e >= n) continue;
    x[j] = GENERAL_PASTE(load_, VALUE)(row + in_at(p, p.nkept, p.naxis, first + e), p.dtype);
    live |= 1u << j;
  }
  return red_leaf(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], live, (red_i64)(first + l));
}

/* A block folds a span of a result. */
MA_KERNEL __launch_bounds__(RED_LEAVES) reduce(const params p) {
  __shared__ red_acc part[RED_LEAVES];
  const int l = threadIdx.x;
#pragma unroll 1
  for (u8 unit = blockIdx.x; unit < p.kept * p.nspan; unit += gridDim.x) {
    u8 s;
    const u8 k = split(unit, p.nspan, s);
    const char *row = p.in + in_at(p, 0, p.nkept, k);
    const u8 begin = s * p.span * RED_CHUNK, behind = begin + p.span * RED_CHUNK;
    const u8 end = behind < p.count ? behind : p.count;
    red_acc total;
#pragma unroll 1
    for (u8 first = begin; first < end; first += RED_CHUNK) {
      const int n = end - first < RED_CHUNK ? (int)(end - first) : RED_CHUNK, leaves = n < RED_LEAVES ? n : RED_LEAVES;
      if (l < leaves) part[l] = leaf_of(p, row, first, n, l);
      __syncthreads();
#pragma unroll 1
      for (int d = 1; d < leaves; d *= 2) {
        if (l % (2 * d) == 0 && l + d < leaves) part[l] = red_merge(part[l], part[l + d]);
        __syncthreads();
      }
      if (l == 0) total = first == begin ? part[0] : red_merge(total, part[0]);
      __syncthreads();
    }
    if (l) continue;
    if (p.nspan == 1) put_result(p, k, total);
    else ((red_acc *)p.partial)[unit] = total;
  }
}

/* A block merges the spans of a result. */
#define MERGE_BLOCK 256
MA_KERNEL __launch_bounds__(MERGE_BLOCK) merge(const params p) {
#pragma unroll 1
  for (u8 k = blockIdx.x; k < p.kept; k += gridDim.x) {
    red_acc *part = (red_acc *)p.partial + k * p.nspan;
    const int n = (int)p.nspan;
#pragma unroll 1
    for (int d = 1; d < n; d *= 2) {
#pragma unroll 1
      for (int i = threadIdx.x * 2 * d; i + d < n; i += MERGE_BLOCK * 2 * d) part[i] = red_merge(part[i], part[i + d]);
      __syncthreads();
    }
    if (threadIdx.x == 0) put_result(p, k, part[0]);
  }
}
