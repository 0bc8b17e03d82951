/*
** gather.cuh: elements picked by integer arrays, and the positions of true elements. src/cuda/gather.c prints the variant in
** front: NDIM axes, NINDEX index arrays, MODE (ma_index_mode), the type `item` that is moved, POSITION(k, p) which loads a
** position of index array k; GATHER, or SCATTER and STORE(place, value), which may be a swap_N with SWAP its N.
*/

/* The result's space; operand 0 is the picked side, 1 the array, 2.. the index arrays. gather.c packs the same bytes. */
struct picks {
  long long stride[2 + NINDEX][NDIM], extent[NINDEX], step[NINDEX];
  char *data[2 + NINDEX];
  fault_record *fault;
  divisor shape[NDIM];
  int axis[NINDEX], function;
  u4 count;
};

/* Pick i: its place on the picked side and in the array; false, and recorded, if a position is outside. */
static __device__ __forceinline__ bool locate(const picks &g, u4 i, char *&side, char *&place) {
  long long at[2 + NINDEX];
#pragma unroll
  for (int k = 0; k < 2 + NINDEX; k++) at[k] = 0;
#pragma unroll
  for (int d = NDIM - 1; d >= 0; d--) {
    u4 rest = i;
    if (d > 0) i = divmod(i, g.shape[d], rest);
#pragma unroll
    for (int k = 0; k < 2 + NINDEX; k++) at[k] += rest * g.stride[k][d];
  }
  bool inside = true;
  side = g.data[0] + at[0];
#pragma unroll
  for (int k = 0; k < NINDEX; k++) {
    long long position = POSITION(k, g.data[2 + k] + at[2 + k]), extent = g.extent[k], offset;
    if (MODE == 1 && extent > 0) {
      offset = (position - 1) % extent;
      if (offset < 0) offset += extent;
    } else if (MODE == 2 && extent > 0) {
      offset = position < 1 ? 0 : position > extent ? extent - 1 : position - 1;
    } else {
      offset = position < 0 ? position + extent : position - 1;
      if ((unsigned long long)offset >= (unsigned long long)extent) {
        record_fault(g.fault, g.function, g.axis[k], position, extent);
        inside = false;
      }
    }
    at[1] += offset * g.step[k];
  }
  place = g.data[1] + at[1];
  return inside;
}

/* Four picks a thread, so that four chains of loads are under way. */
#define PICKS 4
#define PICK_THREADS 256

#ifdef GATHER
MA_KERNEL gather(const picks g) {
  char *side[PICKS], *place[PICKS];
  bool there[PICKS], inside[PICKS];
  item value[PICKS];
  u4 first = blockIdx.x * (PICKS * PICK_THREADS) + threadIdx.x;
#pragma unroll
  for (int j = 0; j < PICKS; j++) {
    u4 i = first + j * PICK_THREADS;
    there[j] = i < g.count;
    inside[j] = there[j] && locate(g, i, side[j], place[j]);
  }
#pragma unroll
  for (int j = 0; j < PICKS; j++) {
    value[j] = item();
    if (inside[j]) value[j] = *(const item *)place[j];
  }
#pragma unroll
  for (int j = 0; j < PICKS; j++)
    if (there[j]) *(item *)side[j] = value[j];
}
#endif

#ifdef SCATTER
/* Old and new combined by `combine(old, value)` in one step that no other thread can come between. */
#if SWAP == 4
static __device__ __forceinline__ void swap_4(char *place, item value) {
  unsigned *word = (unsigned *)place, old = *(volatile unsigned *)word, seen;
  do {
    union { unsigned bits; item v; } x;
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
    union { unsigned long long bits; item v; } x;
    x.bits = seen = old;
    x.v = combine(x.v, value);
    if (x.bits == seen) return;
    old = atomicCAS(word, seen, x.bits);
  } while (old != seen);
}
#endif

#if SWAP == 1 || SWAP == 2
/* Of one or two bytes: the word around them is exchanged. */
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
/* Of 16 bytes, which no exchange takes on every architecture: one of many locks, by address. */
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
  u4 first = blockIdx.x * (PICKS * PICK_THREADS) + threadIdx.x;
#pragma unroll
  for (int j = 0; j < PICKS; j++) {
    char *side, *place;
    u4 i = first + j * PICK_THREADS;
    if (i < g.count && locate(g, i, side, place)) STORE(place, *(const item *)side);
  }
}
#endif
