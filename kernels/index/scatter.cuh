/* scatter.cuh: writes picked elements by STORE(place, value): a plain store, an atomic operation of the hardware, or
** swap_N if SWAP == N bytes. */

/* Combines old and new by `combine(old, value)` atomically. */
#if SWAP == 4
static __device__ __forceinline__ void swap_4(char *place, item value) {
  unsigned *word = (unsigned *)place, old = *(volatile unsigned *)word, seen;
  do {
    union {
      unsigned bits;
      item v;
    } x;
    x.bits = seen = old;
    x.v = combine(x.v, value);
    if (x.bits == seen) return;
    old = atomicCAS(word, seen, x.bits);
  } while (old != seen);
}
#endif

#if SWAP == 8
static __device__ __forceinline__ void swap_8(char *place, item value) {
  unsigned long long *word = (unsigned long long *)place, old = *(volatile unsigned long long *)word, seen;
  do {
    union {
      unsigned long long bits;
      item v;
    } x;
    x.bits = seen = old;
    x.v = combine(x.v, value);
    if (x.bits == seen) return;
    old = atomicCAS(word, seen, x.bits);
  } while (old != seen);
}
#endif

#if SWAP == 1 || SWAP == 2
/* Combines one or two bytes, by exchanging the word around them. */
static __device__ __forceinline__ void swap_1(char *place, item value) {
  unsigned *word = (unsigned *)((unsigned long long)place & ~3ull), old = *(volatile unsigned *)word, seen;
  unsigned shift = ((unsigned)(unsigned long long)place & 3) * 8, mask = (sizeof(item) == 1 ? 0xffu : 0xffffu) << shift;
  do {
    seen = old;
    unsigned next = (seen & ~mask) | (((unsigned)combine((item)((seen & mask) >> shift), value) << shift) & mask);
    if (next == seen) return;
    old = atomicCAS(word, seen, next);
  } while (old != seen);
}
#endif

#if SWAP == 16
/* For 16 bytes, which some architectures cannot exchange: takes one of many locks, by address. */
static __device__ int swap_locks[4096];

static __device__ void swap_16(char *place, item value) {
  int *lock = &swap_locks[((unsigned long long)place >> 4) * 2654435761ull % 4096];
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      volatile double *p = (volatile double *)place;
      item old;
      ((double *)&old)[0] = p[0];
      ((double *)&old)[1] = p[1];
      old = combine(old, value);
      p[0] = ((double *)&old)[0];
      p[1] = ((double *)&old)[1];
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
#endif

MA_KERNEL scatter(const picks g) {
  /* The loads come before the first store, since the compiler may not move them across it. */
  picked p[PICKS];
  item value[PICKS];
  const u4 first = blockIdx.x * (PICKS * PICK_THREADS) + threadIdx.x;
#pragma unroll
  for (int j = 0; j < PICKS; j++) ask(g, first + j * PICK_THREADS, p[j]);
#pragma unroll
  for (int j = 0; j < PICKS; j++)
    if (p[j].there) value[j] = *(const item *)p[j].side;
  locate(g, p);
#pragma unroll
  for (int j = 0; j < PICKS; j++)
    if (p[j].inside) STORE(p[j].place, value[j]);
}
