/*
** csr_solve.cuh: x = A^-1 x of a triangular matrix, behind csr.cuh, in one launch and without looking at the matrix
** before: a warp takes the next row in the order of the substitution, waits until the rows that it needs are done, and
** marks its own. A warp waits only for rows that were taken earlier, by warps that already run. The text before
** defines LOWER and UNIT.
*/
struct solve_params {
  const idx *indptr, *indices;
  const mem *data;
  mem *x;
  u4 *ready; /* for each row: 1 when its part of x is there; before them the next row to take, and a bad row */
  int *info;
  i8 rows, nnz, width;
};

static __device__ __forceinline__ float quotient(float a, float b) { return a / b; }
static __device__ __forceinline__ double quotient(double a, double b) { return a / b; }
template <class C> static __device__ __forceinline__ C quotient(C a, C b) { return ma_cdivide(a, b); }
static __device__ __forceinline__ float opposite(float a) { return -a; }
static __device__ __forceinline__ double opposite(double a) { return -a; }
template <class C> static __device__ __forceinline__ C opposite(C a) {
  a.re = -a.re;
  a.im = -a.im;
  return a;
}

static __device__ __forceinline__ bool is_zero(float a) { return a == 0; }
static __device__ __forceinline__ bool is_zero(double a) { return a == 0; }
template <class C> static __device__ __forceinline__ bool is_zero(C a) { return a.re == 0 && a.im == 0; }

static __device__ __forceinline__ bool is_before(i8 column, i8 row) { return LOWER ? column < row : column > row; }

MA_KERNEL __launch_bounds__(THREADS) csr_solve(const solve_params p) {
  const int lane = threadIdx.x % 32;
  u4 *ready = p.ready + 2;
  u4 turn = 0;
  if (lane == 0) turn = atomicAdd(p.ready, 1u);
  turn = __shfl_sync(WHOLE, turn, 0);
  if (turn >= p.rows) return;
  const i8 row = LOWER ? (i8)turn : p.rows - 1 - turn;
  const i8 begin = row_end(p.indptr, row - 1, p.nnz), end = row_end(p.indptr, row, p.nnz);
  reg sum = reg(), diagonal = reg();
  for (i8 base = begin; base < end; base += 32) {
    const i8 k = base + lane;
    const bool there = k < end;
    const i8 column = there ? (i8)p.indices[k] - 1 : row;
    const reg value = there ? dt::load(p.data[k]) : reg();
    const bool needs = there && column >= 0 && column < p.rows && is_before(column, row);
    bool done;
    do done = !needs || *(volatile u4 *)(ready + column) != 0;
    while (!__all_sync(WHOLE, done));
    __threadfence();
    if (needs && p.width == 1) sum = add_product(value, fresh(p.x + column), sum);
    if (there && column == row) diagonal = value;
  }
#pragma unroll
  for (int o = 16; o > 0; o /= 2) diagonal = plus(diagonal, take_xor(diagonal, o));
  if (!UNIT && lane == 0 && is_zero(diagonal)) atomicMin((u4 *)p.ready + 1, (u4)row);
  if (p.width == 1) {
#pragma unroll
    for (int o = 16; o > 0; o /= 2) sum = plus(sum, take_xor(sum, o));
    if (lane == 0) {
      const reg rest = plus(dt::load(p.x[row]), opposite(sum));
      p.x[row] = dt::store(UNIT ? rest : quotient(rest, diagonal));
    }
  } else
    for (i8 c = lane; c < p.width; c += 32) {
      reg rest = dt::load(p.x[row * p.width + c]);
      for (i8 k = begin; k < end; k++) {
        const i8 column = (i8)p.indices[k] - 1;
        if (column < 0 || column >= p.rows || !is_before(column, row)) continue;
        rest = add_product(opposite(dt::load(p.data[k])), fresh(p.x + column * p.width + c), rest);
      }
      p.x[row * p.width + c] = dt::store(UNIT ? rest : quotient(rest, diagonal));
    }
  __threadfence();
  __syncwarp();
  if (lane == 0) *(volatile u4 *)(ready + row) = 1;
}

MA_KERNEL csr_singular(const solve_params p) {
  const u4 bad = p.ready[1];
  *p.info = bad == WHOLE ? 0 : (int)bad + 1;
}
