/*
** pretend.h: CUDA C++ as plain C++, so that the kernels run on a machine without a GPU (driver.c). It stands in front
** of every kernel's text.
**
** A block's threads run one after the other where the kernel never waits; else each has a stack of its own and is
** switched away from at __syncthreads and at the operations of a warp. Blocks run in order, those of a cluster
** together. Fresh shared memory is not cleared.
*/
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MA_INTEGER_TYPES
#define __device__
#define __global__ pretend_global /* a mark in the preprocessed text, where driver.c looks for kernels */
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) alignas(n)
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __shared__ static
#define __constant__ __attribute__((used))
#define __restrict__

struct pretend_dim {
  unsigned x, y, z;
};
static pretend_dim threadIdx, blockIdx, blockDim, gridDim;
static const int warpSize = 32;
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
#define PRETEND_VECTORS(name, T)                               \
  struct name##1 {                                             \
    T x;                                                       \
  };                                                           \
  struct alignas(2 * sizeof(T)) name##2 {                      \
    T x, y;                                                    \
  };                                                           \
  struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) name##4 { \
    T x, y, z, w;                                              \
  };
PRETEND_VECTORS(char, signed char)
PRETEND_VECTORS(uchar, unsigned char)
PRETEND_VECTORS(short, short)
PRETEND_VECTORS(ushort, unsigned short)
PRETEND_VECTORS(int, int)
PRETEND_VECTORS(long, long)
PRETEND_VECTORS(ulong, unsigned long)
PRETEND_VECTORS(longlong, long long)
PRETEND_VECTORS(ulonglong, unsigned long long)
struct uint1 {
  unsigned x;
};
struct float1 {
  float x;
};
static inline void ma_stop(const char *) { abort(); }
#include "../../kernels/cpu/cpu_cuda_texture.h" /* the objects are those of the CPU */

/* ---- Threads that wait ---- */
#include "stacks.h"

enum { RUNS, AT_BLOCK, AT_WARP, AT_CLUSTER, ENDED };
enum { MOST_THREADS = PRETEND_CLUSTER * 1024 };
struct pretend_thread {
  pretend_place place;
  char *stack;
  int state;
  unsigned turn;
};
static pretend_thread threads[MOST_THREADS];
static pretend_place scheduler;
static unsigned current, pretend_count, pretend_block, pretend_first; /* count: of all blocks that run together */
static uint64_t exchange[MOST_THREADS / 32][2][32][2]; /* by warp, turn, lane: what a thread shows to its warp */

static void pretend_wait(int state) {
  threads[current].state = state;
  unsigned me = current;
  pretend_switch(&threads[me].place, &scheduler);
}
static inline void __syncthreads() { pretend_wait(AT_BLOCK); }
static inline void __syncwarp(unsigned = ~0u) { pretend_wait(AT_WARP); }
static inline int __syncthreads_or(int x) {
  static int seen[2];
  static unsigned turn;
  unsigned t = turn & 1;
  if (x) seen[t] = 1;
  __syncthreads();
  int r = seen[t];
  __syncthreads();
  seen[t] = 0;
  return r;
}

template <class T> static T pretend_swap(T value, int from) {
  static_assert(sizeof(T) <= 16, "too large for a warp's exchange");
  unsigned warp = current / 32, turn = threads[current].turn++ & 1;
  memcpy(exchange[warp][turn][current % 32], &value, sizeof value);
  pretend_wait(AT_WARP);
  if (from >= 0 && warp * 32 + (unsigned)from < pretend_count) memcpy(&value, exchange[warp][turn][from], sizeof value);
  return value;
}
template <class T> static T __shfl_sync(unsigned, T v, int lane, int width = 32) {
  int me = current % 32;
  return pretend_swap(v, (me & ~(width - 1)) + (lane & (width - 1)));
}
template <class T> static T __shfl_up_sync(unsigned, T v, unsigned by, int width = 32) {
  int me = current % 32;
  return pretend_swap(v, (me & (width - 1)) >= (int)by ? me - (int)by : me);
}
template <class T> static T __shfl_down_sync(unsigned, T v, unsigned by, int width = 32) {
  int me = current % 32;
  return pretend_swap(v, (me & (width - 1)) + (int)by < width ? me + (int)by : me);
}
template <class T> static T __shfl_xor_sync(unsigned, T v, int mask, int width = 32) {
  return pretend_swap(v, (int)(current % 32) ^ mask);
}
static unsigned __ballot_sync(unsigned, int x) {
  unsigned warp = current / 32, turn = threads[current].turn++ & 1, bits = 0;
  exchange[warp][turn][current % 32][0] = x != 0;
  pretend_wait(AT_WARP);
  for (unsigned lane = 0; lane < 32 && warp * 32 + lane < pretend_count; lane++)
    bits |= (unsigned)(exchange[warp][turn][lane][0] & 1) << lane;
  return bits;
}
static inline int __any_sync(unsigned m, int x) { return __ballot_sync(m, x) != 0; }
static inline int __all_sync(unsigned m, int x) { return __ballot_sync(m, !x) == 0; }

/* ---- Clusters: shared memory of their own, at one place in a room for each block ---- */

#if PRETEND_CLUSTER > 1
enum { CLUSTER_ROOM = 49152 };
alignas(16) static char pretend_rooms[PRETEND_CLUSTER][CLUSTER_ROOM];
static size_t pretend_room(size_t bytes) {
  static size_t used;
  size_t at = used;
  used += (bytes + 15) / 16 * 16;
  if (used > CLUSTER_ROOM) abort();
  return at;
}
#define CLUSTER_SHARED(T, name, n)                               \
  static const size_t name##_at = pretend_room(sizeof(T) * (n)); \
  T *const name = (T *)(pretend_rooms[blockIdx.x % PRETEND_CLUSTER] + name##_at)
static inline void cluster_begin() {}
static inline void cluster_arrive() {}
static inline void cluster_wait() { pretend_wait(AT_CLUSTER); }
static inline void cluster_put(unsigned *own, unsigned rank, unsigned x) {
  *(unsigned *)((char *)own + ((int)rank - (int)(blockIdx.x % PRETEND_CLUSTER)) * (long)CLUSTER_ROOM) = x;
}
#endif

/* ---- What the kernels call ---- */

static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline unsigned __float_as_uint(float x) {
  unsigned u;
  memcpy(&u, &x, 4);
  return u;
}
static inline float __uint_as_float(unsigned u) {
  float x;
  memcpy(&x, &u, 4);
  return x;
}
static inline int __float_as_int(float x) {
  int u;
  memcpy(&u, &x, 4);
  return u;
}
static inline float __int_as_float(int u) {
  float x;
  memcpy(&x, &u, 4);
  return x;
}
static inline long long __double_as_longlong(double x) {
  long long u;
  memcpy(&u, &x, 8);
  return u;
}
static inline double __longlong_as_double(long long u) {
  double x;
  memcpy(&x, &u, 8);
  return x;
}
static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}
template <class T> static T __ldg(const T *p) { return *p; }
template <class T> static T __ldcg(const T *p) { return *p; }
template <class T> static T __ldcv(const T *p) { return *p; }
template <class T> static void __stcg(T *p, T v) { *p = v; }
template <class T> static T __ldcs(const T *p) { return *p; }
template <class T> static void __stcs(T *p, T v) { *p = v; }
template <class T> static T min(T a, T b) { return a < b ? a : b; }
template <class T> static T max(T a, T b) { return a > b ? a : b; }
static inline float __fdividef(float x, float y) { return x / y; }
static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
template <class T> struct same_as { typedef T type; };
#define ATOMIC(name, value)                                             \
  template <class T> static T name(T *p, typename same_as<T>::type v) { \
    T old = *p;                                                         \
    *p = value;                                                         \
    return old;                                                         \
  }
ATOMIC(atomicAdd, old + v)
ATOMIC(atomicExch, v)
ATOMIC(atomicMin, v < old ? v : old)
ATOMIC(atomicMax, v > old ? v : old)
ATOMIC(atomicAnd, old &v)
ATOMIC(atomicOr, old | v)
ATOMIC(atomicXor, old ^ v)
template <class T> static T atomicCAS(T *p, typename same_as<T>::type expected, typename same_as<T>::type v) {
  T old = *p;
  if (old == expected) *p = v;
  return old;
}

static inline float pretend_from_half(unsigned short h) {
  float x = ldexpf((float)(h & 0x3ff) + (h & 0x7c00 ? 1024 : 0), ((h >> 10 & 31) ? (h >> 10 & 31) : 1) - 25);
  if ((h & 0x7c00) == 0x7c00) x = h & 0x3ff ? NAN : INFINITY;
  return h & 0x8000 ? -x : x;
}
static inline unsigned short pretend_to_half(float x) {
  unsigned sign = __float_as_uint(x) >> 16 & 0x8000;
  if (x != x) return 0x7fff;
  double a = fabs((double)x);
  if (a >= 65520) return (unsigned short)(sign | 0x7c00);
  int e = a < 0x1p-14 ? -14 : ilogb(a);
  unsigned m = (unsigned)nearbyint(ldexp(a, 10 - e)); /* 11 bits, or 12 after a carry, which adds up rightly */
  return (unsigned short)(sign | (a < 0x1p-14 ? m : ((unsigned)(e + 14) << 10) + m));
}

/* ---- Launching ---- */

template <class... A> struct pretend_call {
  void (*kernel)(A...);
  void **parameters;
  template <int... I> struct list {};
  template <int N, int... I> struct count : count<N - 1, N - 1, I...> {};
  template <int... I> struct count<0, I...> { typedef list<I...> type; };
  template <int... I> void call(list<I...>) { kernel(*(typename std_decay<A>::type *)parameters[I]...); }
  template <class T> struct std_decay { typedef T type; };
  template <class T> struct std_decay<const T> { typedef T type; };
  void operator()() { call(typename count<(int)sizeof...(A)>::type()); }
};
static void (*pretend_run)(void *);
static void *pretend_what;
template <class C> static void pretend_invoke(void *what) { (*(C *)what)(); }

static void pretend_enter() {
  pretend_run(pretend_what);
  threads[current].state = ENDED;
  pretend_switch(&threads[current].place, &scheduler);
}

static void pretend_seat(unsigned t) {
  current = t;
  if (PRETEND_CLUSTER > 1) {
    blockIdx.x = pretend_first + t / pretend_block;
    t %= pretend_block;
  }
  threadIdx.x = t % blockDim.x;
  threadIdx.y = t / blockDim.x % blockDim.y;
  threadIdx.z = t / blockDim.x / blockDim.y;
}

/* Lets go those that all wait for the same. */
static void pretend_release(unsigned first, unsigned end, int state) {
  for (unsigned t = first; t < end; t++)
    if (threads[t].state != state && threads[t].state != ENDED) return;
  for (unsigned t = first; t < end; t++)
    if (threads[t].state == state) threads[t].state = RUNS;
}

/* Lets threads go on as far as they can; those of a block, or of a warp, that all wait are let go together. */
static void pretend_block_waiting() {
  for (unsigned t = 0; t < pretend_count; t++) {
    pretend_thread *p = &threads[t];
    if (!p->stack) p->stack = (char *)malloc(PRETEND_STACK);
    pretend_begin(&p->place, p->stack, pretend_enter);
    p->state = RUNS;
    p->turn = 0;
  }
  for (;;) {
    unsigned ended = 0;
    for (unsigned t = 0; t < pretend_count; t++) {
      if (threads[t].state == RUNS) {
        pretend_seat(t);
        pretend_switch(&scheduler, &threads[t].place);
      }
    }
    for (unsigned w = 0; w < pretend_count; w += 32) {
      unsigned waiting = 0, size = pretend_count - w < 32 ? pretend_count - w : 32;
      for (unsigned t = w; t < w + size; t++) waiting += threads[t].state == AT_WARP || threads[t].state == ENDED;
      for (unsigned t = w; t < w + size; t++) {
        if (waiting == size && threads[t].state == AT_WARP) threads[t].state = RUNS;
        ended += threads[t].state == ENDED;
      }
    }
    if (ended == pretend_count) return;
    for (unsigned b = 0; b < pretend_count; b += pretend_block) pretend_release(b, b + pretend_block, AT_BLOCK);
    pretend_release(0, pretend_count, AT_CLUSTER);
  }
}

/* Without a grid: the sizes of the parameters, and 0, into `parameters`. */
template <class... A>
static void pretend_launch(void (*kernel)(A...), const unsigned *grid, const unsigned *block, void **parameters) {
  if (!grid) {
    const size_t sizes[] = { sizeof(A)..., 0 };
    memcpy((void *)parameters, sizes, sizeof sizes);
    return;
  }
  pretend_call<A...> call = { kernel, parameters };
  gridDim = { grid[0], grid[1], grid[2] };
  blockDim = { block[0], block[1], block[2] };
  pretend_block = block[0] * block[1] * block[2];
  pretend_count = pretend_block * PRETEND_CLUSTER;
  pretend_run = pretend_invoke<pretend_call<A...>>;
  pretend_what = &call;
  for (blockIdx.z = 0; blockIdx.z < grid[2]; blockIdx.z++)
    for (blockIdx.y = 0; blockIdx.y < grid[1]; blockIdx.y++)
      for (pretend_first = 0; pretend_first < grid[0]; pretend_first += PRETEND_CLUSTER) {
        blockIdx.x = pretend_first;
        if (PRETEND_WAITS) pretend_block_waiting();
        else
          for (unsigned t = 0; t < pretend_count; t++) {
            pretend_seat(t);
            call();
          }
      }
}
