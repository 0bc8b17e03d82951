/*
** emulate.hpp: enough of CUDA for a kernel's text to run on the CPU, one block after another: threads are fibers, a barrier or a
** shuffle lets the others of the block or warp come up. Slow and deterministic; for emulate.c.
*/
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define MA_INTEGER_TYPES
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __global__
#define __shared__ static
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__

struct uint2 { unsigned x, y; } __attribute__((aligned(8)));
struct uint4 { unsigned x, y, z, w; } __attribute__((aligned(16)));
struct dim { unsigned x; };
static dim threadIdx, blockIdx, blockDim, gridDim;

static float __uint_as_float(unsigned u) { float f; memcpy(&f, &u, 4); return f; }
static unsigned __float_as_uint(float f) { unsigned u; memcpy(&u, &f, 4); return u; }
static float __int_as_float(int u) { float f; memcpy(&f, &u, 4); return f; }
static double __longlong_as_double(long long u) { double f; memcpy(&f, &u, 8); return f; }
static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static int atomicCAS(int *p, int old, int value) { int was = *p; if (was == old) *p = value; return was; }
template <class T> static T atomicAdd(T *p, T x) { T was = *p; *p += x; return was; }
static int __popc(unsigned x) { return __builtin_popcount(x); }
static int __clz(unsigned x) { return x ? __builtin_clz(x) : 32; }
static void __threadfence() {}
static void __threadfence_system() {}
static void __nanosleep(unsigned) {}

static float emulate_half(unsigned short h) {
  int e = h >> 10 & 31, m = h & 1023;
  float f = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpf((float)(m + 1024), e - 25) : ldexpf((float)m, -24);
  return h & 0x8000 ? -f : f;
}

static unsigned short emulate_to_half(float f) {
  unsigned short sign = (unsigned short)(__float_as_uint(f) >> 16 & 0x8000);
  float x = fabsf(f);
  if (f != f) return sign | 0x7e00;
  if (x >= 65520) return sign | 0x7c00;
  if (x < ldexpf(1, -14)) return (unsigned short)(sign | (unsigned short)rintf(ldexpf(x, 24)));
  int e;
  float m = frexpf(x, &e);
  return (unsigned short)(sign | (((e + 14) << 10) + (unsigned short)((int)rintf(ldexpf(m, 11)) - 1024)));
}

/* ---- Fibers ---- */

enum { MOST = 1024, STACK = 256 * 1024 };
struct fiber { ucontext_t context; bool done; int waits; };      /* waits: 0 runs, 1 at the block's barrier, 2 at its warp's */
static fiber fibers[MOST];
static ucontext_t scheduler;
static char *stacks;
static unsigned current;
static unsigned exchange[MOST];

static void pause_fiber(int why) { fibers[current].waits = why; swapcontext(&fibers[current].context, &scheduler); threadIdx.x = current; }
static void __syncthreads() { pause_fiber(1); }
static void __syncwarp(unsigned = ~0u) { pause_fiber(2); }
static unsigned read_lane(unsigned x, unsigned lane) {
  unsigned warp = current & ~31u;
  exchange[current] = x;
  pause_fiber(2);
  unsigned got = lane < 32 && warp + lane < blockDim.x ? exchange[warp + lane] : x;
  pause_fiber(2);
  return got;
}
static unsigned __shfl_down_sync(unsigned, unsigned x, int d) { return read_lane(x, (current & 31) + d); }
static unsigned __shfl_up_sync(unsigned, unsigned x, int d) { return read_lane(x, (current & 31) - d); }
static unsigned __shfl_sync(unsigned, unsigned x, int lane) { return read_lane(x, lane & 31); }

static unsigned __shfl_xor_sync(unsigned, unsigned x, int mask) { return read_lane(x, (current & 31) ^ mask); }
template <class T> static T __shfl_xor_sync(unsigned, T x, int mask) {
  union { T t; unsigned w[sizeof(T) / 4]; } u = { x };
  for (unsigned &w : u.w) w = read_lane(w, (current & 31) ^ mask);
  return u.t;
}
static unsigned __ballot_sync(unsigned, int x) {
  unsigned all = 0;
  for (int lane = 0; lane < 32; lane++) all |= (unsigned)(read_lane(x != 0, lane) != 0) << lane;
  return all;
}
static int __all_sync(unsigned, int x) { return __ballot_sync(~0u, x) == ~0u; }

static int __any_sync(unsigned, int x) {
  unsigned any = 0;
  for (int lane = 0; lane < 32; lane++) any |= read_lane(x != 0, lane);
  return any != 0;
}
template <class T> static T __ldcv(const T *p) { return *p; }
template <class T> static void __stcg(T *p, T v) { *p = v; }

static void (*body)(void *);
static void *argument;
static void start_fiber() { body(argument); fibers[current].done = true; }

/* Lets go those whose group (of `size` threads) waits as a whole for the same. */
static bool release(unsigned n, unsigned size, int why) {
  bool any = false;
  for (unsigned first = 0; first < n; first += size) {
    unsigned here = 0, alive = 0;
    for (unsigned t = first; t < first + size && t < n; t++) alive += !fibers[t].done, here += !fibers[t].done && fibers[t].waits == why;
    if (!alive || here != alive) continue;
    for (unsigned t = first; t < first + size && t < n; t++) fibers[t].waits = 0;
    any = true;
  }
  return any;
}

static void run_block(unsigned n) {
  if (!stacks) stacks = (char *)malloc((size_t)MOST * STACK);
  for (unsigned t = 0; t < n; t++) {
    getcontext(&fibers[t].context);
    fibers[t].context.uc_stack.ss_sp = stacks + (size_t)t * STACK;
    fibers[t].context.uc_stack.ss_size = STACK;
    fibers[t].context.uc_link = &scheduler;
    fibers[t].done = false;
    fibers[t].waits = 0;
    makecontext(&fibers[t].context, start_fiber, 0);
  }
  for (bool alive = true; alive;) {
    alive = false;
    for (unsigned t = 0; t < n; t++) {
      while (!fibers[t].done && !fibers[t].waits) {
        current = threadIdx.x = t;
        swapcontext(&scheduler, &fibers[t].context);
      }
      alive |= !fibers[t].done;
    }
    if (alive && !release(n, 32, 2) && !release(n, n, 1)) {
      fprintf(stderr, "a block whose threads wait for different things\n");
      abort();
    }
  }
}

static void run_grid(unsigned grid, unsigned block, void (*kernel)(void *), void *parameters) {
  body = kernel;
  argument = parameters;
  gridDim.x = grid;
  blockDim.x = block;
  for (unsigned b = 0; b < grid; b++) {
    blockIdx.x = b;
    run_block(block);
  }
}
