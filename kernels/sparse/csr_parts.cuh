/* csr_parts.cuh: a diagonal, and rows in the order of a list, of a CSR matrix, behind csr_order.cuh. */
#define LANES 2   /* threads that look for an element of a diagonal */
#define SHARE 256 /* entries of a row that they look at */
#define PIECE (16 / (int)sizeof(idx))

struct parts_params {
  const idx *indptr, *indices;
  const mem *data;
  const i8 *list; /* positions of rows: from 1, or negative from the end */
  u8 *wrong;      /* the first place in the list, from 0, of a position that no row has */
  idx *to_indptr, *to_indices;
  mem *to_data;
  i8 rows, nnz, n, shift; /* n: elements of the diagonal; of the list; at last entries of its rows */
};

/* 16 bytes of positions: those of entries at, at + 1 ..., where at is a multiple of PIECE; 0 for what is not in a row.
*/
struct __align__(16) piece {
  idx column[PIECE];
};

static __device__ __forceinline__ piece piece_of(const parts_params &p, i8 at, i8 begin, i8 end) {
  if (at + PIECE <= p.nnz && at < end && (size_t)p.indices % sizeof(piece) == 0)
    return *(const piece *)(p.indices + at);
  piece some;
#pragma unroll
  for (int k = 0; k < PIECE; k++) some.column[k] = at + k >= begin && at + k < end ? get(p.indices + at + k) : (idx)0;
  return some;
}

/* What the entries of a piece that are in a column add. */
static __device__ __forceinline__ reg sum_piece(const parts_params &p, const piece &some, i8 at, i8 begin, i8 end,
                                                idx column, reg sum) {
#pragma unroll
  for (int k = 0; k < PIECE; k++)
    if (some.column[k] == column && at + k >= begin && at + k < end) sum = plus(sum, dt::load(get(p.data + at + k)));
  return sum;
}

/* The sum of the entries of a row that are in a column, by STEP threads, of which each asks for ASK pieces before it
** looks at one. */
template <int STEP, int ASK>
static __device__ __forceinline__ reg sum_column(const parts_params &p, i8 begin, i8 end, idx column) {
  reg sum = reg();
  for (i8 at = begin / PIECE * PIECE + threadIdx.x % STEP * PIECE; at < end; at += ASK * STEP * PIECE) {
    piece some[ASK];
#pragma unroll
    for (int k = 0; k < ASK; k++) some[k] = piece_of(p, at + k * STEP * PIECE, begin, end);
#pragma unroll
    for (int k = 0; k < ASK; k++) sum = sum_piece(p, some[k], at + k * STEP * PIECE, begin, end, column, sum);
  }
#pragma unroll
  for (int o = STEP / 2; o > 0; o /= 2) sum = plus(sum, take_xor(sum, o));
  return sum;
}

/* Some threads take a row; what a row has beyond some entries the whole warp takes. */
MA_KERNEL __launch_bounds__(THREADS) csr_diagonal(const parts_params p) {
  const i8 i = ((i8)blockIdx.x * THREADS + threadIdx.x) / LANES;
  const int lane = threadIdx.x % LANES;
  const i8 row = p.shift < 0 ? i - p.shift : i, column = row + p.shift + 1;
  const bool there = i < p.n;
  const i8 begin = there ? row_end(p.indptr, row - 1, p.nnz) : 0, end = there ? row_end(p.indptr, row, p.nnz) : 0;
  const i8 rest = end - begin > SHARE ? begin + SHARE : end;
  reg sum = sum_column<LANES, 3>(p, begin, rest, (idx)column);
  u4 many = __ballot_sync(WHOLE, rest < end && lane == 0);
  while (many) {
    const int from = __ffs((int)many) - 1;
    many &= many - 1;
    const reg more = sum_column<32, 2>(p, take_from(rest, from), take_from(end, from), (idx)take_from(column, from));
    if (threadIdx.x % 32 == from) sum = plus(sum, more);
  }
  if (there && lane == 0) p.to_data[i] = dt::store(sum);
}

/* The row, from 0, of element k of the list; -1 if there is none. */
static __device__ __forceinline__ i8 listed_row(const parts_params &p, i8 k) {
  const i8 at = p.list[k], row = at < 0 ? p.rows + at : at - 1;
  return row >= 0 && row < p.rows ? row : -1;
}

/* indptr[k + 1] becomes the length of row k of the result. */
MA_KERNEL __launch_bounds__(THREADS) list_count(const parts_params p) {
  const i8 k = (i8)blockIdx.x * THREADS + threadIdx.x;
  if (k >= p.n) return;
  const i8 row = listed_row(p, k);
  i8 n = 0;
  if (row < 0) atomicMin(p.wrong, (u8)k);
  else n = row_end(p.indptr, row, p.nnz) - row_end(p.indptr, row - 1, p.nnz);
  p.to_indptr[k + 1] = (idx)(n < 0 ? 0 : n);
  if (k == 0) p.to_indptr[0] = 1;
}

/* p.n: the rows of the result, p.nnz: its entries. */
MA_KERNEL __launch_bounds__(THREADS) list_copy(const parts_params p, i8 from_nnz) {
  each_row(p.to_indptr, p.n, p.nnz, 0, p.nnz, [&](i8 k, i8 row) {
    const i8 from = row_end(p.indptr, listed_row(p, row) - 1, from_nnz) + (k - (p.to_indptr[row] - 1));
    p.to_indices[k] = p.indices[from];
    p.to_data[k] = p.data[from];
  });
}
