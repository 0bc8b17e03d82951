/*
** pick.cuh: addresses of the elements that integer arrays pick; gather.cuh or scatter.cuh follows.
** src/cuda/kernels/gather.c prints the variant in front: NDIM axes, NINDEX index arrays, MODE (ma_index_mode), the type
** `item` that is moved, POSITION(k, p), which loads a position of index array k.
*/

/* The result's space. Operand 0 is the picked side, 1 the array, 2 and on the index arrays.
** src/cuda/kernels/gather.c packs the same bytes. */
struct picks {
  long long stride[2 + NINDEX][NDIM], extent[NINDEX], step[NINDEX];
  char *data[2 + NINDEX];
  fault_record *fault;
  divisor shape[NDIM];
  int axis[NINDEX], function;
  u4 count;
};

/* The addresses of pick i on the picked side and in the array. If a position is outside, it is recorded and the
** result is false. */
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
        record_fault(g.fault, g.function, 0, g.axis[k], position, extent);
        inside = false;
      }
    }
    at[1] += offset * g.step[k];
  }
  place = g.data[1] + at[1];
  return inside;
}

/* Four picks for each thread, so that four chains of loads overlap. */
#define PICKS 4
#define PICK_THREADS 256
