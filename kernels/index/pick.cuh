/*
** pick.cuh: addresses of the elements that integer arrays pick; gather.cuh or scatter.cuh follows.
** src/cuda/kernels/gather.c prints the variant in front: NDIM axes, NINDEX index arrays, MODE (ma_index_mode), the type
** `item` that is moved, POSITION(k, g, at), which gives a position of index array k. It reads NTERM operands: the index
** arrays, or what a program computes the positions from (BY). PICKS and PICK_THREADS: picks of a thread, threads.
*/

/* The result's space. Operand 0 is the picked side, 1 the array, 2 and on what gives the positions.
** src/cuda/kernels/gather.c packs the same bytes. */
struct picks {
#if BY
  scalars s;
#endif
  long long stride[2 + NTERM][NDIM], extent[NINDEX], step[NINDEX];
  char *data[2 + NTERM];
  fault_record *fault;
  divisor shape[NDIM];
  int axis[NINDEX], function;
  u4 count;
};

/* One of a thread's PICKS picks, which are PICK_THREADS apart. Their loads are all under way at once: no check comes
** before the last position is asked for. A check could make a call, and a call, even if it is hardly ever made, would
** keep the loads behind it waiting. */
struct picked {
  char *side, *place; /* the addresses on the picked side and in the array */
  long long position[NINDEX];
  bool there, inside; /* whether there is such a pick, and whether its positions are in the array */
};

template <class T> static __device__ __forceinline__ long long as_position(T made) { return (long long)made; }
static __device__ __forceinline__ long long as_position(u8 made) {
  return made >> 63 ? 0x7fffffffffffffffll : (long long)made;
}

/* Begins to read the positions of pick i. */
static __device__ __forceinline__ void ask(const picks &g, u4 i, picked &p) {
  long long at[2 + NTERM];
  p.there = i < g.count;
#pragma unroll
  for (int k = 0; k < 2 + NTERM; k++) at[k] = 0;
#pragma unroll
  for (int d = NDIM - 1; d >= 0; d--) {
    u4 rest = i;
    if (d > 0) i = divmod(i, g.shape[d], rest);
#pragma unroll
    for (int k = 0; k < 2 + NTERM; k++) at[k] += rest * g.stride[k][d];
  }
  p.side = g.data[0] + at[0];
  p.place = g.data[1] + at[1];
#pragma unroll
  for (int k = 0; k < NINDEX; k++) {
    p.position[k] = 1;
    if (p.there) p.position[k] = POSITION(k, g, at);
  }
}

/* The offset of a position along an axis, from 0. A position is outside if its offset as an unsigned number is not
** below the extent. */
static __device__ __forceinline__ long long offset_of(long long position, long long extent) {
  long long offset;
  if (MODE == 1 && extent > 0) {
    offset = (position - 1) % extent;
    return offset < 0 ? offset + extent : offset;
  }
  if (MODE == 2 && extent > 0) return position < 1 ? 0 : position > extent ? extent - 1 : position - 1;
  return position < 0 ? position + extent : position - 1;
}

static __device__ __forceinline__ bool is_inside(long long offset, long long extent) {
  return (unsigned long long)offset < (unsigned long long)extent;
}

/* Finds the places of all picks of a thread. One that is outside is recorded. */
static __device__ __forceinline__ void locate(const picks &g, picked *p) {
  bool all = true;
#pragma unroll
  for (int j = 0; j < PICKS; j++) {
    p[j].inside = p[j].there;
#pragma unroll
    for (int k = 0; k < NINDEX; k++) {
      const long long offset = offset_of(p[j].position[k], g.extent[k]);
      p[j].inside = p[j].inside && is_inside(offset, g.extent[k]);
      p[j].place += offset * g.step[k];
    }
    all = all && p[j].inside == p[j].there;
  }
  if (all) return;
#pragma unroll
  for (int j = 0; j < PICKS; j++)
#pragma unroll
    for (int k = 0; k < NINDEX; k++)
      if (p[j].there && !is_inside(offset_of(p[j].position[k], g.extent[k]), g.extent[k])) {
        record_fault(g.fault, g.function, 0, g.axis[k], p[j].position[k], g.extent[k]);
        return;
      }
}
