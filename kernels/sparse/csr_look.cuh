/* csr_look.cuh: what is read of a CSR matrix, behind csr_order.cuh: a diagonal, the places of entries, their order. */
#define LANES 2   /* threads that look for an element of a diagonal */
#define SHARE 256 /* entries of a row that they look at */
#define PIECE (16 / (int)sizeof(idx))

/* 16 bytes of positions: those of the entries at, at + 1 ..., where `at` is a multiple of PIECE. A position that is not
** in the row is 0. */
struct __align__(16) piece {
  idx column[PIECE];
};

static __device__ __forceinline__ piece piece_of(const look_params &p, i8 at, i8 begin, i8 end) {
  if (at + PIECE <= p.nnz && at < end && (size_t)p.indices % sizeof(piece) == 0)
    return *(const piece *)(p.indices + at);
  piece some;
#pragma unroll
  for (int k = 0; k < PIECE; k++) some.column[k] = at + k >= begin && at + k < end ? get(p.indices + at + k) : (idx)0;
  return some;
}

/* The sum of the entries of a piece that are in a column. */
static __device__ __forceinline__ reg sum_piece(const look_params &p, const piece &some, i8 at, i8 begin, i8 end,
                                                idx column, reg sum) {
#pragma unroll
  for (int k = 0; k < PIECE; k++)
    if (some.column[k] == column && at + k >= begin && at + k < end) sum = plus(sum, dt::load(get(p.data + at + k)));
  return sum;
}

/* The sum of the entries of a row that are in a column, by STEP threads. Each asks for ASK pieces before it looks at
** one. */
template <int STEP, int ASK>
static __device__ __forceinline__ reg sum_column(const look_params &p, i8 begin, i8 end, idx column) {
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

/* Elements of a diagonal. A few threads take a row. What the row has beyond some entries is taken by the whole warp. */
MA_KERNEL __launch_bounds__(THREADS) csr_diagonal(const look_params p) {
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
  if (there && lane == 0) ((mem *)p.to)[i] = dt::store(sum);
}

/* For each pair of positions in sorted rows, its entry, from 1, or 0 if there is none. */
MA_KERNEL __launch_bounds__(THREADS) csr_places(const look_params p) {
  const i8 k = (i8)blockIdx.x * THREADS + threadIdx.x;
  if (k >= p.n) return;
  const i8 row = p.row[k] - 1, column = p.column[k];
  i8 found = 0;
  if (row >= 0 && row < p.rows) {
    const i8 end = row_end(p.indptr, row, p.nnz);
    i8 low = row_end(p.indptr, row - 1, p.nnz), high = end;
    while (low < high) {
      const i8 middle = low + (high - low) / 2;
      if ((i8)get(p.indices + middle) < column) low = middle + 1;
      else high = middle;
    }
    if (low < end && (i8)get(p.indices + low) == column) found = low + 1;
  }
  ((i8 *)p.to)[k] = found;
}

MA_KERNEL __launch_bounds__(THREADS) csr_look(const look_params p) {
  bool falls = false, stays = false;
  each_row(p.indptr, p.rows, p.nnz, 0, p.nnz, [&](i8 k, i8 row) {
    if (k + 1 >= row_end(p.indptr, row, p.nnz)) return;
    falls |= p.indices[k + 1] < p.indices[k];
    stays |= p.indices[k + 1] == p.indices[k];
  });
  if (falls) ((u4 *)p.to)[0] = 1;
  if (stays) ((u4 *)p.to)[1] = 1;
}
