/*
** columns.cuh: row programs whose rows lie down columns of memory, behind rows.cuh: neighbours in memory are elements
** of neighbouring rows. A block has COLUMNS neighbouring rows, here called columns: a thread of number tx has elements
** of column tx, and TALL threads share a column, or its chunk. src/cuda/rows/columns.c prints the kernels:
**   of at most 128 elements    a thread has 4 * J elements that follow one another
**   of up to 16384             a thread has 4 leaves of a chunk: 4 elements at j * 128 + 4 * ty, for j < J. A block has
**                              OWN chunks of its columns. CLUSTER blocks, which run at the same time and can write to
**                              each other's shared memory, have all chunks.
**   of any number, reductions of one stage: a block walks the chunks of a span, or of all of them. Its threads take a
**                              chunk in ROUNDS, each with 4 leaves.
** SHARE: threads of a warp that have the same column. ALL: no thread has an element that does not exist. WHOLE_SHORT:
** the same of short columns that exist. A lane's part of the tree goes through shared memory to the warp or thread that
** merges them.
*/
#ifndef CLUSTER_SHARED /* a pretended GPU has its own */
#define CLUSTER_SHARED(T, name, n) __shared__ T name[n]
#if CLUSTER > 1
/* A barrier for the blocks of a cluster. What a block wrote to another's memory before cluster_arrive is there when
** cluster_wait returns. cluster_begin only says that this block runs. The assembler of CUDA 11.8 has no word for the
** order of memory: its barriers always release and acquire. */
#if __CUDACC_VER_MAJOR__ >= 12
#define CLUSTER_BARRIER(step, order) asm volatile("barrier.cluster." step order ".aligned;" ::: "memory")
#else
#define CLUSTER_BARRIER(step, order) asm volatile("barrier.cluster." step ".aligned;" ::: "memory")
#endif
static __device__ __forceinline__ void cluster_begin() { CLUSTER_BARRIER("arrive", ".relaxed"); }
static __device__ __forceinline__ void cluster_arrive() { CLUSTER_BARRIER("arrive", ".release"); }
static __device__ __forceinline__ void cluster_wait() { CLUSTER_BARRIER("wait", ".acquire"); }

/* Writes 4 bytes to the shared memory of block `rank`, at the place that `own` has in this block's. */
static __device__ __forceinline__ void cluster_put(u4 *own, u4 rank, u4 x) {
  u8 at;
  u4 there;
  asm volatile("cvta.to.shared.u64 %0, %1;" : "=l"(at) : "l"((u8)own));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((u4)at), "r"(rank));
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(x) : "memory");
}
#else
static __device__ __forceinline__ void cluster_begin() {}
static __device__ __forceinline__ void cluster_arrive() {}
static __device__ __forceinline__ void cluster_wait() { __syncthreads(); }
static __device__ __forceinline__ void cluster_put(u4 *own, u4 rank, u4 x) { *own = x; }
#endif
#endif

/* A thread's elements of a column: N times four that follow one another, from `at` on, in steps of GAP elements. n
** elements are left of the column or of its chunk. In place of an element that does not exist, the last one is read,
** which does exist, also where n is less than 1. */
template <int N, class M>
static __device__ __forceinline__ void take_down(pack<M, 4> *c, const char *at, int step, int n) {
#pragma unroll
  for (int j = 0; j < N; j++)
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int k = j * GAP + i;
      c[j].v[i] = *(const M *)(at + (i8)(ALL || WHOLE_SHORT || k < n ? k : n - 1) * step);
    }
}

template <int N, class M>
static __device__ __forceinline__ void put_down(const pack<M, 4> *c, char *at, int step, int n) {
#pragma unroll
  for (int j = 0; j < N; j++)
#pragma unroll
    for (int i = 0; i < 4; i++)
      if (ALL || j * GAP + i < n) *(M *)(at + (i8)(j * GAP + i) * step) = c[j].v[i];
}

/* Copies a value of lane 0 to the shared memory of each block of the cluster, at the place that `to` has in this
** block's. */
template <class T> static __device__ __forceinline__ void tell(cell<T> *to, const T &x, bool exists) {
  cell<T> c;
  c.w[0] = 0;
  c.t = x;
  const u4 lane = threadIdx.x & 31;
#pragma unroll
  for (int i = 0; i < (int)(sizeof c / 4); i++) {
    const u4 w = __shfl_sync(0xffffffffu, c.w[i], 0);
    if (lane < CLUSTER && exists) cluster_put(&to->w[i], lane, w);
  }
}
