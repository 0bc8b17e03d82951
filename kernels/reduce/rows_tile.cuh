/*
** rows_tile.cuh: short rows. A block has a tile of whole rows. A thread has 4 elements of it for each j < J, wherever
** rows begin, so memory is read and written in whole lines. What is reduced passes through shared memory, where a
** thread takes 8 neighbouring leaves of a row's tree, and then one merges those of a row (rows_tile_fold.cuh).
*/
struct quad {
  int at, row, rest; /* of the first element: its number in the tile, its row, its number in the row */
  int cell[4];       /* the elements' places in shared memory; CELLS: not in the tile */
};

/*
** Every 8 elements of a row have 9 places, so that subtrees of neighbouring threads lie in different banks; row behind
** row. `inverse` is 2^22 / count, rounded up: exact for tiles of 2048 elements and rows of 3 to 127.
*/
static __device__ __forceinline__ quad quad_at(int at, int n, int count, u4 inverse) {
  quad q;
  const int k = at < 0 || at >= n ? 0 : at, cells = (count + 7) / 8 * 9;
  q.at = at;
  q.row = (int)((u4)k * inverse >> 22);
  q.rest = (at >= n ? 0 : at) - q.row * count;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const bool next = q.rest + i >= count;
    const int rest = q.rest + i - (next ? count : 0);
    q.cell[i] = (u4)(at + i) < (u4)n ? (q.row + next) * cells + rest + (rest >> 3) : CELLS;
  }
  return q;
}

/* Rows that follow one another; `first` is the address of element 0 of the tile. */
template <bool WIDE, class M>
static __device__ __forceinline__ void take_flat(pack<M, 4> &c, const char *first, const quad &q, int n) {
  if (WIDE && q.at >= 0 && q.at + 4 <= n) {
    c.load_all(first + (i8)q.at * (i8)sizeof(M));
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    c.v[i] = M();
    if ((u4)(q.at + i) < (u4)n) c.v[i] = *(const M *)(first + (i8)(q.at + i) * (i8)sizeof(M));
  }
}

template <bool WIDE, class M>
static __device__ __forceinline__ void put_flat(const pack<M, 4> &c, char *first, const quad &q, int n) {
  if (WIDE && q.at >= 0 && q.at + 4 <= n) {
    c.store_all(first + (i8)q.at * (i8)sizeof(M));
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
    if ((u4)(q.at + i) < (u4)n) *(M *)(first + (i8)(q.at + i) * (i8)sizeof(M)) = c.v[i];
}

/* The address of element i of a quad, of rows anywhere. */
static __device__ __forceinline__ i8 offset_of(const quad &q, int i, int count, i8 stride, i8 step) {
  const bool next = q.rest + i >= count;
  return (i8)(q.row + next) * stride + (i8)(q.rest + i - (next ? count : 0)) * step;
}

template <class M>
static __device__ __forceinline__ void take_any(pack<M, 4> &c, const char *first, const quad &q, int n, int count,
                                                i8 stride, i8 step) {
#pragma unroll
  for (int i = 0; i < 4; i++) {
    c.v[i] = M();
    if ((u4)(q.at + i) < (u4)n) c.v[i] = *(const M *)(first + offset_of(q, i, count, stride, step));
  }
}

template <class M>
static __device__ __forceinline__ void put_any(const pack<M, 4> &c, char *first, const quad &q, int n, int count,
                                               i8 stride, i8 step) {
#pragma unroll
  for (int i = 0; i < 4; i++)
    if ((u4)(q.at + i) < (u4)n) *(M *)(first + offset_of(q, i, count, stride, step)) = c.v[i];
}

/* Lays the values of a tile down to be reduced. */
template <class T> static __device__ __forceinline__ void lay(T *to, const T (*x)[4], const quad *q) {
  EACH_J EACH_I to[q[j].cell[i]] = x[j][i];
}
