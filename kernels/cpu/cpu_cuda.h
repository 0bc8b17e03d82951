/*
** cpu_cuda.h: CUDA C++ on a CPU. The text precedes a source that g++ or clang++ compiles as C++17. The library includes
** its first part as C, for the functions that both sides call.
**
** One thread of the system runs a block, so everything that a block owns is thread_local: threadIdx and the like, and
** __shared__. In a kernel, threadIdx and the like are locals, which the rewriter adds, so that a compiler sees a loop
** over threads and can vectorise it. Operations of several threads (barriers, shuffles, votes) call the library, which
** runs the other threads until they reach the operation (src/cpu/kernel/fiber.c). MOONARRAY_CPU is defined,
** __CUDA_ARCH__ is not.
*/
#ifndef MA_CPU_CUDA_H
#define MA_CPU_CUDA_H

enum ma_cpu_warp_op {
  MA_WARP_SYNC,
  MA_WARP_SHUFFLE,
  MA_WARP_BALLOT,
  MA_WARP_MATCH,
  MA_WARP_ADD,
  MA_WARP_MIN,
  MA_WARP_MAX,
  MA_WARP_UMIN,
  MA_WARP_UMAX,
  MA_WARP_AND,
  MA_WARP_OR,
  MA_WARP_XOR
};

/* A running block. A function returns when the threads that it waits for have arrived. */
struct ma_cpu_block {
  unsigned grid[3], block[3], index[3];
  void *shared; /* dynamic shared memory */
  void **argument;
  /* Barrier of the block: returns the number of threads that arrived, times 2^32, plus the number that gave a
  ** nonzero value. */
  unsigned long long (*barrier)(struct ma_cpu_block *, int value);
  /* An operation of the lanes of `mask`; `source` is the lane that a shuffle reads. */
  unsigned long long (*warp)(struct ma_cpu_block *, int op, unsigned mask, unsigned long long value, int source);
  void (*stop)(struct ma_cpu_block *, const char *message); /* ends the launch with an error; does not return */
  /* Notes the launch's first position outside an array, in `faults`, like ma_fault. */
  void (*fault)(struct ma_cpu_block *, const char *function, int line, int axis, long long position, long long extent);
  void *faults;
  /* of a cooperative launch: waits until all blocks have come; NULL in another one */
  void (*meet)(struct ma_cpu_block *);
  void *meeting;
};

/* The contents of a module: two lists, which its function ma_cpu_tables returns. */
struct ma_cpu_entry {
  const char *name;
  /* Of a module that does not wait: runs the blocks from `first` to before `last`, and their threads, one by one. */
  void (*blocks)(struct ma_cpu_block *, long long first, long long last);
  /* Of a module that waits: runs one thread. */
  void (*thread)(struct ma_cpu_block *, unsigned number);
  int nparam;
  const unsigned *size; /* bytes of each parameter */
  const struct ma_cpu_entry *next;
};
struct ma_cpu_global {
  const char *name;
  void *address;
  unsigned long long size;
  const struct ma_cpu_global *next;
};
typedef void ma_cpu_tables_function(const struct ma_cpu_entry **entries, const struct ma_cpu_global **globals);

#ifdef __cplusplus
#define MOONARRAY_CPU 1
#define MA_INTEGER_TYPES

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC visibility push(hidden) /* hidden functions can be inlined, and other modules do not share them */

#define __global__ __attribute__((always_inline))
#define __device__
#define __constant__
#define __managed__
#define __host__
#define __grid_constant__
#define __shared__ static thread_local
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __builtin_align__(n) __align__(n)

/* ==== Vector types =============================================================================================== */

#define MA_VECTORS(name, T, align2, align4)                                   \
  struct name##1 {                                                            \
    T x;                                                                      \
  };                                                                          \
  struct alignas(align2) name##2 {                                            \
    T x, y;                                                                   \
  };                                                                          \
  struct name##3 {                                                            \
    T x, y, z;                                                                \
  };                                                                          \
  struct alignas(align4) name##4 {                                            \
    T x, y, z, w;                                                             \
  };                                                                          \
  static inline name##1 make_##name##1(T x) { return { x }; }                 \
  static inline name##2 make_##name##2(T x, T y) { return { x, y }; }         \
  static inline name##3 make_##name##3(T x, T y, T z) { return { x, y, z }; } \
  static inline name##4 make_##name##4(T x, T y, T z, T w) { return { x, y, z, w }; }
MA_VECTORS(char, signed char, 2, 4)
MA_VECTORS(uchar, unsigned char, 2, 4)
MA_VECTORS(short, short, 4, 8)
MA_VECTORS(ushort, unsigned short, 4, 8)
MA_VECTORS(int, int, 8, 16)
MA_VECTORS(uint, unsigned, 8, 16)
MA_VECTORS(long, long, 2 * sizeof(long), 16) /* of 32 bits on Windows */
MA_VECTORS(ulong, unsigned long, 2 * sizeof(long), 16)
MA_VECTORS(longlong, long long, 16, 16)
MA_VECTORS(ulonglong, unsigned long long, 16, 16)
MA_VECTORS(float, float, 8, 16)
MA_VECTORS(double, double, 16, 16)
#undef MA_VECTORS

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
  constexpr dim3(uint3 a) : x(a.x), y(a.y), z(a.z) {}
  constexpr operator uint3() const { return { x, y, z }; }
};

/* ==== The place of a thread ======================================================================================= */

static thread_local uint3 threadIdx, blockIdx;
static thread_local dim3 blockDim, gridDim;

/* The same for a kernel, which has it as its first parameter, and as locals around its body. */
struct ma_indices {
  uint3 ma_thread, ma_block; /* names that no macro of the user has */
  dim3 ma_threads, ma_blocks;
  bool ma_fits; /* what a kernel of MA_FITS may rely on */
  long long ma_turn;
};
[[maybe_unused]] static const ma_indices ma_here = {}; /* of a kernel that was given none */
#define MA_INDICES const ma_indices &ma_here
#define MA_INDEX_LOCALS                                             \
  uint3 threadIdx = ma_here.ma_thread, blockIdx = ma_here.ma_block; \
  dim3 blockDim = ma_here.ma_threads, gridDim = ma_here.ma_blocks;  \
  (void)threadIdx, (void)blockIdx, (void)blockDim, (void)gridDim;   \
  {
#define MA_INDEX_END }
#ifdef MA_READS_THREAD /* a function other than a kernel reads threadIdx */
#define MA_SET_THREAD(t) (void)(threadIdx = (t))
#else
#define MA_SET_THREAD(t) (void)0
#endif
[[maybe_unused]] static constexpr int warpSize = 32;
static thread_local ma_cpu_block *ma_block;
static thread_local void *ma_dynamic_shared;

/* Sets a pointer at file scope to dynamic shared memory when a block begins. */
struct ma_dynamic_hook {
  void (*set)();
  ma_dynamic_hook *next;
  inline explicit ma_dynamic_hook(void (*s)());
};
static ma_dynamic_hook *ma_dynamic_hooks;
ma_dynamic_hook::ma_dynamic_hook(void (*s)()) : set(s), next(ma_dynamic_hooks) { ma_dynamic_hooks = this; }

/* ==== Barriers, shuffles, votes =================================================================================== */

/* Other threads run meanwhile and change threadIdx and the like, so each thread saves its own. */
static inline unsigned long long ma_barrier(int value) {
  uint3 me = threadIdx;
  unsigned long long r = ma_block->barrier(ma_block, value);
  threadIdx = me;
  return r;
}
static inline unsigned long long ma_warp(int op, unsigned mask, unsigned long long value, int source) {
  uint3 me = threadIdx;
  unsigned long long r = ma_block->warp(ma_block, op, mask, value, source);
  threadIdx = me;
  return r;
}
static inline int ma_lane() {
  return (int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31);
}

static inline void __syncthreads() { ma_barrier(0); }
static inline int __syncthreads_count(int x) { return (int)(unsigned)ma_barrier(x != 0); }
static inline int __syncthreads_or(int x) { return (unsigned)ma_barrier(x != 0) != 0; }
static inline int __syncthreads_and(int x) { return (unsigned)ma_barrier(x == 0) == 0; }
static inline void __syncwarp(unsigned mask = 0xffffffffu) { ma_warp(MA_WARP_SYNC, mask, 0, 0); }

template <class T> static inline T ma_shuffle(unsigned mask, T v, int source) {
  static_assert(sizeof(T) <= 8, "a shuffle takes at most 8 bytes");
  unsigned long long bits = 0;
  memcpy(&bits, &v, sizeof v);
  bits = ma_warp(MA_WARP_SHUFFLE, mask, bits, source);
  memcpy(&v, &bits, sizeof v);
  return v;
}
template <class T> static inline T __shfl_sync(unsigned mask, T v, int lane, int width = 32) {
  return ma_shuffle(mask, v, (ma_lane() & ~(width - 1)) | (lane & (width - 1)));
}
template <class T> static inline T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32) {
  int me = ma_lane(), from = me - (int)by;
  return ma_shuffle(mask, v, from < (me & ~(width - 1)) ? me : from);
}
template <class T> static inline T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32) {
  int me = ma_lane(), from = me + (int)by;
  return ma_shuffle(mask, v, from > (me | (width - 1)) ? me : from);
}
template <class T> static inline T __shfl_xor_sync(unsigned mask, T v, int with, int width = 32) {
  int me = ma_lane(), from = me ^ with;
  return ma_shuffle(mask, v, from > (me | (width - 1)) ? me : from);
}
static inline unsigned __ballot_sync(unsigned mask, int x) {
  return (unsigned)ma_warp(MA_WARP_BALLOT, mask, x != 0, 0);
}
static inline int __any_sync(unsigned mask, int x) { return __ballot_sync(mask, x) != 0; }
static inline int __all_sync(unsigned mask, int x) { return __ballot_sync(mask, !x) == 0; }
template <class T> static inline unsigned __match_any_sync(unsigned mask, T v) {
  unsigned long long bits = 0;
  memcpy(&bits, &v, sizeof v);
  return (unsigned)ma_warp(MA_WARP_MATCH, mask, bits, 0);
}
template <class T> static inline unsigned __match_all_sync(unsigned mask, T v, int *all) {
  unsigned same = __match_any_sync(mask, v), here = __ballot_sync(mask, 1);
  *all = same == here;
  return *all ? same : 0;
}
#define MA_REDUCE(name, signed_op, unsigned_op)                                                          \
  static inline int name(unsigned mask, int x) { return (int)ma_warp(signed_op, mask, (unsigned)x, 0); } \
  static inline unsigned name(unsigned mask, unsigned x) { return (unsigned)ma_warp(unsigned_op, mask, x, 0); }
MA_REDUCE(__reduce_add_sync, MA_WARP_ADD, MA_WARP_ADD)
MA_REDUCE(__reduce_min_sync, MA_WARP_MIN, MA_WARP_UMIN)
MA_REDUCE(__reduce_max_sync, MA_WARP_MAX, MA_WARP_UMAX)
MA_REDUCE(__reduce_and_sync, MA_WARP_AND, MA_WARP_AND)
MA_REDUCE(__reduce_or_sync, MA_WARP_OR, MA_WARP_OR)
MA_REDUCE(__reduce_xor_sync, MA_WARP_XOR, MA_WARP_XOR)
#undef MA_REDUCE

static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() {}
static inline void __threadfence_system() { __threadfence(); }

[[noreturn]] static inline void ma_stop(const char *message) {
  ma_block->stop(ma_block, message);
  __builtin_unreachable();
}
/* Called by one thread of each block. */
static inline void ma_meet() {
  if (ma_block->meet) ma_block->meet(ma_block);
  else if (gridDim.x > 1 || gridDim.y > 1 || gridDim.z > 1) ma_stop("blocks wait for each other in a plain launch");
}
/* Notes a position outside an array. `b` is NULL where the thread has a block of its own. */
static inline void ma_note_fault(ma_cpu_block *b, const char *function, int line, int axis, long long position,
                                 long long extent) {
  if (!b) b = ma_block;
  b->fault(b, function, line, axis, position, extent);
}
static inline void __trap() { ma_stop("__trap() was called"); }
static inline void __brkpt() {}
static inline void __nanosleep(unsigned) {}
static inline void ma_assert_fail(const char *what, const char *file, int line, const char *function, uint3 b,
                                  uint3 t) {
  char text[400];
  snprintf(text, sizeof text, "%s:%d: %s: block: [%u,%u,%u], thread: [%u,%u,%u]: assertion `%s` failed", file, line,
           function, b.x, b.y, b.z, t.x, t.y, t.z, what);
  ma_stop(text);
}
#undef assert
#ifdef NDEBUG
#define assert(x) ((void)0)
#else
#define assert(x) ((x) ? (void)0 : ma_assert_fail(#x, __FILE__, __LINE__, __func__, blockIdx, threadIdx))
#endif

/* ==== Atomics, because blocks run on several threads ============================================================== */

template <class T> struct ma_same { typedef T type; };
template <int N> struct ma_word;
template <> struct ma_word<2> { typedef unsigned short type; };
template <> struct ma_word<4> { typedef unsigned type; };
template <> struct ma_word<8> { typedef unsigned long long type; };

template <class T, class F> static inline T ma_update(T *p, F f) {
  typedef typename ma_word<sizeof(T)>::type word;
  word seen = __atomic_load_n((word *)p, __ATOMIC_RELAXED), next;
  T old, made;
  do {
    memcpy(&old, &seen, sizeof old);
    made = f(old);
    memcpy(&next, &made, sizeof next);
  } while (!__atomic_compare_exchange_n((word *)p, &seen, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}
#define MA_ATOMIC(name, value)                                                                              \
  template <class T> static inline T name(T *p, typename ma_same<T>::type v) {                              \
    return ma_update(p, [&](T old) -> T { return value; });                                                 \
  }                                                                                                         \
  template <class T> static inline T name##_block(T *p, typename ma_same<T>::type v) { return name(p, v); } \
  template <class T> static inline T name##_system(T *p, typename ma_same<T>::type v) { return name(p, v); }
MA_ATOMIC(atomicAdd, (T)(old + v))
MA_ATOMIC(atomicSub, (T)(old - v))
MA_ATOMIC(atomicExch, ((void)old, v))
MA_ATOMIC(atomicMin, v < old ? v : old)
MA_ATOMIC(atomicMax, v > old ? v : old)
MA_ATOMIC(atomicInc, old >= v ? (T)0 : (T)(old + 1))
MA_ATOMIC(atomicDec, old == 0 || old > v ? v : (T)(old - 1))
MA_ATOMIC(atomicAnd, (T)(old &v))
MA_ATOMIC(atomicOr, (T)(old | v))
MA_ATOMIC(atomicXor, (T)(old ^ v))
#undef MA_ATOMIC
/* Integers have single instructions for these operations. */
#define MA_ATOMIC_FAST(T)                                                                     \
  static inline T atomicAdd(T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); } \
  static inline T atomicSub(T *p, T v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); } \
  static inline T atomicExch(T *p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }
MA_ATOMIC_FAST(int)
MA_ATOMIC_FAST(unsigned)
MA_ATOMIC_FAST(unsigned long long)
#undef MA_ATOMIC_FAST
template <class T> static inline T atomicCAS(T *p, typename ma_same<T>::type expected, typename ma_same<T>::type v) {
  typedef typename ma_word<sizeof(T)>::type word;
  word seen, next;
  memcpy(&seen, &expected, sizeof seen);
  memcpy(&next, &v, sizeof next);
  __atomic_compare_exchange_n((word *)p, &seen, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  T old;
  memcpy(&old, &seen, sizeof old);
  return old;
}
#define MA_SCOPED(name)                                                                                            \
  template <class T> static inline T name(T *p, typename ma_same<T>::type expected, typename ma_same<T>::type v) { \
    return atomicCAS(p, expected, v);                                                                              \
  }
MA_SCOPED(atomicCAS_block)
MA_SCOPED(atomicCAS_system)
#undef MA_SCOPED

/* ==== Memory ===================================================================================================== */

#define MA_LOAD(name) \
  template <class T> static inline T name(const T *p) { return *p; }
MA_LOAD(__ldg)
MA_LOAD(__ldcg)
MA_LOAD(__ldca)
MA_LOAD(__ldcs)
MA_LOAD(__ldlu)
MA_LOAD(__ldcv)
#undef MA_LOAD
#define MA_STORE(name) \
  template <class T> static inline void name(T *p, typename ma_same<T>::type v) { *p = v; }
MA_STORE(__stwb)
MA_STORE(__stcg)
MA_STORE(__stcs)
MA_STORE(__stwt)
#undef MA_STORE

/* ==== Clocks ===================================================================================================== */

static inline long long clock64() {
#if defined(__x86_64__)
  return (long long)__builtin_ia32_rdtsc();
#else
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
#endif
}
static inline unsigned long long __globaltimer() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
}

/* ==== Calling a kernel, for the tables at the end of a module ===================================================== */

template <int... I> struct ma_list {};
template <int N, int... I> struct ma_count : ma_count<N - 1, N - 1, I...> {};
template <int... I> struct ma_count<0, I...> { typedef ma_list<I...> type; };
template <class T> struct ma_plain { typedef T type; };
template <class T> struct ma_plain<const T> { typedef T type; };
/* Reads an argument of a kernel, which need not be aligned. */
template <class T> struct ma_value_of { alignas(T) unsigned char bytes[sizeof(T)]; };
template <int I, class T> struct ma_argument : ma_value_of<T> {
  void take(void **a) { memcpy(this->bytes, a[I], sizeof(T)); }
  const T &value() const { return *(const T *)this->bytes; }
};
template <class L, class... A> struct ma_arguments;
template <int... I, class... A>
struct ma_arguments<ma_list<I...>, A...> : ma_argument<I, typename ma_plain<A>::type>... {
  explicit ma_arguments(void **a) {
    (void)a;
    int unused[] = { 0, (this->ma_argument<I, typename ma_plain<A>::type>::take(a), 0)... };
    (void)unused;
  }
  template <class F> void call(F f) const { f(this->ma_argument<I, typename ma_plain<A>::type>::value()...); }
};

static inline void ma_enter_block(ma_indices &here, uint3 block) {
  here.ma_block = blockIdx = block;
  for (ma_dynamic_hook *h = ma_dynamic_hooks; h; h = h->next) h->set();
}

static inline void ma_enter(ma_cpu_block *b, ma_indices &here) {
  ma_block = b;
  ma_dynamic_shared = b->shared;
  blockDim = here.ma_threads = dim3(b->block[0], b->block[1], b->block[2]);
  gridDim = here.ma_blocks = dim3(b->grid[0], b->grid[1], b->grid[2]);
}

/* An exception that leaves a kernel ends the launch: the callers are C and cannot handle it. */
template <class C> static inline void ma_guarded(const C &run) {
#ifdef __cpp_exceptions
  try {
    run();
    return;
  } catch (...) {}
  ma_stop("an exception left the kernel; a GPU has none");
#else
  run();
#endif
}

#define MA_INLINE __attribute__((always_inline))

/* MA_FITS(kernel, fits) in front of a kernel: before each row of threads, fits(indices, arguments...) says whether
** ma_here.ma_fits is set in them, and in which threads the kernel does something then. A kernel that is a loop may run
** one turn of it in all threads of all blocks, ma_here.ma_turn, before the next: `more` says whether the row has one.
** Where ma_fits is not set, the kernel is called thread by thread. */
struct ma_row {
  bool fits, more;
  long long first, last; /* threads from `first` to before `last` */
};
template <auto f> struct ma_fits_of {
  enum { asks = 0 };
  template <class... A> static MA_INLINE inline ma_row ask(const ma_indices &here, const A &...) {
    return { true, false, 0, here.ma_threads.x };
  }
};
#define MA_FITS(kernel, fits)                                                                  \
  template <> struct ma_fits_of<kernel> {                                                      \
    enum { asks = 1 };                                                                         \
    template <class... A> static MA_INLINE inline ma_row ask(const ma_indices &here, A... v) { \
      return fits(here, v...);                                                                 \
    }                                                                                          \
  }

/* Runs the threads of a row of a block, x from 0 on. The first form is of kernels that are given their indices. */
template <class F, F f> struct ma_row_of;
template <class... A, void (*f)(const ma_indices &, A...)> struct ma_row_of<void (*)(const ma_indices &, A...), f> {
  typedef ma_arguments<typename ma_count<(int)sizeof...(A)>::type, A...> arguments;
  static MA_INLINE inline void one(const ma_indices &here, A... v) {
    MA_SET_THREAD(here.ma_thread);
    f(here, v...);
  }
  /* The arguments are locals of the loop, so that no store of the kernel can change them. */
  static MA_INLINE inline void all(ma_indices here, ma_row row, A... v) {
    unsigned first = (unsigned)row.first, last = row.first < row.last ? (unsigned)row.last : first;
    for (unsigned x = first; x < last; x++) {
      here.ma_thread.x = x;
      one(here, v...);
    }
  }
  static __attribute__((noinline)) void all_apart(ma_indices here, A... v) {
    void (*apart)(const ma_indices &, A...) = f;
    __asm__("" : "+r"(apart)); /* not another copy of the kernel */
    for (here.ma_thread.x = 0; here.ma_thread.x < here.ma_threads.x; here.ma_thread.x++) {
      MA_SET_THREAD(here.ma_thread);
      apart(here, v...);
    }
  }
  /* Returns whether the row has another turn. */
  static MA_INLINE inline bool run(ma_indices here, A... v) {
    ma_row row = ma_fits_of<f>::ask(here, v...);
    /* A compiler that knows these ranges sees that `int i = blockIdx.x * blockDim.x + threadIdx.x` never wraps. */
    if (here.ma_block.x >= 1u << 21 || here.ma_threads.x > 1u << 10 || !row.fits) {
      if (here.ma_turn == 0) all_apart(here, v...);
      return false;
    }
    here.ma_fits = ma_fits_of<f>::asks;
    all(here, row, v...);
    return row.more;
  }
};
template <class... A, void (*f)(A...)> struct ma_row_of<void (*)(A...), f> {
  typedef ma_arguments<typename ma_count<(int)sizeof...(A)>::type, A...> arguments;
  static MA_INLINE inline void one(const ma_indices &here, A... v) {
    threadIdx = here.ma_thread;
    f(v...);
  }
  static bool run(ma_indices here, A... v) {
    for (here.ma_thread.x = 0; here.ma_thread.x < here.ma_threads.x; here.ma_thread.x++) one(here, v...);
    return false;
  }
};

template <class L> struct ma_sizes_of;
template <class L, class... A> struct ma_sizes_of<ma_arguments<L, A...>> {
  enum { nparam = (int)sizeof...(A) };
  static const unsigned *sizes() {
    static const unsigned s[] = { (unsigned)sizeof(A)..., 0 };
    return s;
  }
};

template <class F, F f> struct ma_kernel_of : ma_sizes_of<typename ma_row_of<F, f>::arguments> {
  typedef typename ma_row_of<F, f>::arguments arguments;
  static void blocks(ma_cpu_block *b, long long first, long long last) {
    const arguments a(b->argument);
    ma_indices here = {};
    ma_enter(b, here);
    ma_guarded([&] {
      for (bool more = true; more; here.ma_turn++) more = turn(b, a, here, first, last);
    });
  }
  /* Returns whether some row has another turn. */
  static MA_INLINE inline bool turn(ma_cpu_block *b, const arguments &a, ma_indices here, long long first,
                                    long long last) {
    bool more = false;
    unsigned long long line = (unsigned long long)first / b->grid[0];
    uint3 block = { (unsigned)((unsigned long long)first % b->grid[0]), (unsigned)(line % b->grid[1]),
                    (unsigned)(line / b->grid[1]) };
    for (long long k = first; k < last; k++) {
      ma_enter_block(here, block);
      for (here.ma_thread.z = 0; here.ma_thread.z < here.ma_threads.z; here.ma_thread.z++)
        for (here.ma_thread.y = 0; here.ma_thread.y < here.ma_threads.y; here.ma_thread.y++)
          a.call([&](const auto &...v) MA_INLINE { more |= ma_row_of<F, f>::run(here, v...); });
      if (++block.x < b->grid[0]) continue;
      block.x = 0;
      if (++block.y < b->grid[1]) continue;
      block.y = 0;
      block.z++;
    }
    return more;
  }
  static void thread(ma_cpu_block *b, unsigned t) {
    const arguments a(b->argument);
    ma_indices here = {};
    ma_enter(b, here);
    ma_enter_block(here, { b->index[0], b->index[1], b->index[2] });
    here.ma_thread = threadIdx = { t % b->block[0], t / b->block[0] % b->block[1], t / b->block[0] / b->block[1] };
    ma_guarded([&] { a.call([&](const auto &...v) MA_INLINE { ma_row_of<F, f>::one(here, v...); }); });
  }
};
template <class... A> static constexpr void (*ma_pointer(void (*f)(A...)))(A...) { return f; }

/* Each declaration is followed by an object that adds it to a list, so that #if applies to both. */
static const ma_cpu_entry *ma_entries;
static const ma_cpu_global *ma_globals;
struct ma_kernel_row {
  ma_cpu_entry entry;
  explicit ma_kernel_row(const ma_cpu_entry &e) : entry(e) {
    entry.next = ma_entries;
    ma_entries = &entry;
  }
};
struct ma_global_row {
  ma_cpu_global global;
  ma_global_row(const char *name, const volatile void *address, unsigned long long size)
      : global{ name, (void *)address, size, ma_globals } {
    ma_globals = &global;
  }
};
/* The kernel is the last parameter, because its name may have commas. */
template <class F, F f> static ma_cpu_entry ma_entry_of(const char *name) {
  typedef ma_kernel_of<F, f> of;
#ifdef MA_WAITS
  return ma_cpu_entry{ name, 0, of::thread, of::nparam, of::sizes(), 0 };
#else
  return ma_cpu_entry{ name, of::blocks, 0, of::nparam, of::sizes(), 0 };
#endif
}
#define MA_KERNEL_ENTRY(name, ...) ma_entry_of<decltype(ma_pointer(__VA_ARGS__)), (__VA_ARGS__)>(name)
extern "C" __attribute__((visibility("default"), used)) inline void ma_cpu_tables(const ma_cpu_entry **entries,
                                                                                  const ma_cpu_global **globals) {
  *entries = ma_entries;
  *globals = ma_globals;
}
#pragma GCC visibility pop

#endif
#endif
