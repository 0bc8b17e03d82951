/*
** csr_solve.cuh: x = A^-1 x of a triangular matrix, behind csr.cuh, in one launch and without looking at the matrix
** before: a warp takes the next row in the order of the substitution, waits until the rows that it needs are done, and
** marks its own. It waits only for rows that were taken earlier, by warps that already run. Of short rows a thread
** takes each, so that 32 times as many are under way: where neighbouring rows need each other, only rows far away can
** be solved at the same time. The text before defines LOWER and UNIT.
*/
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

/* Elements of `done`. A value marks itself as done, since no published value has all bits set. */
template <class W, class T> union marked {
  W w;
  T v;
};
template <class W, class T> static __device__ __forceinline__ bool take_done(const T *p, T *v) {
  marked<W, T> x;
  x.w = *(volatile const W *)p;
  *v = x.v;
  return x.w != ~(W)0;
}
template <class W, class T> static __device__ __forceinline__ void give_done(T *p, T v) {
  marked<W, T> x;
  x.v = v;
  *(volatile W *)p = x.w == ~(W)0 ? x.w >> 1 : x.w; /* a NaN with other bits */
}
static __device__ __forceinline__ bool is_done(const float *p, float *v) { return take_done<u4>(p, v); }
static __device__ __forceinline__ bool is_done(const double *p, double *v) { return take_done<u8>(p, v); }
template <class C> static __device__ __forceinline__ bool is_done(const C *p, C *v) {
  return is_done(&p->re, &v->re) && is_done(&p->im, &v->im);
}
static __device__ __forceinline__ void publish(float *p, float v) { give_done<u4>(p, v); }
static __device__ __forceinline__ void publish(double *p, double v) { give_done<u8>(p, v); }
template <class C> static __device__ __forceinline__ void publish(C *p, C v) {
  publish(&p->re, v.re);
  publish(&p->im, v.im);
}

/* Solves for one right side, a thread a row. The threads of a warp stay together: each tries one entry of its row in
** turn, because its row may wait for another thread's. */
MA_KERNEL __launch_bounds__(THREADS) csr_solve_short(const solve_params p) {
  __shared__ u4 block;
  if (threadIdx.x == 0) block = atomicAdd(p.ready, 1u);
  __syncthreads();
  const i8 turn = (i8)block * THREADS + threadIdx.x, row = LOWER ? turn : p.rows - 1 - turn;
  const int step = LOWER ? 1 : -1; /* entries of rows that were taken first come first */
  bool busy = turn < p.rows;
  i8 left = 0, ahead = 0, k = 0, column = -1, next_column = -1;
  reg value = reg(), next_value = reg(), diagonal = reg(), rest = reg();
  if (busy) {
    const i8 begin = row_end(p.indptr, row - 1, p.nnz), end = row_end(p.indptr, row, p.nnz);
    k = LOWER ? begin : end - 1;
    left = ahead = end - begin;
    rest = dt::load(p.x[row]);
  }
  /* Entries are fetched ahead, so that a row that waits for another one need not wait for them too. */
  const auto fetch = [&](i8 &of_column, reg &of_value) {
    if (ahead < 1) return;
    of_column = (i8)p.indices[k] - 1;
    of_value = dt::load(p.data[k]);
    k += step;
    ahead--;
  };
  fetch(column, value);
  fetch(next_column, next_value);
  do {
    if (left > 0) {
      reg known = reg();
      const bool needs = column >= 0 && column < p.rows && is_before(column, row);
      if (!needs || is_done(p.done + column, &known)) {
        if (needs) rest = add_product(opposite(value), known, rest);
        else if (column == row) diagonal = value;
        column = next_column;
        value = next_value;
        left--;
        fetch(next_column, next_value);
      }
    }
    if (busy && left < 1) {
      if (!UNIT && is_zero(diagonal)) atomicMin((u4 *)p.ready + 1, (u4)row);
      if (!UNIT) rest = quotient(rest, diagonal);
      publish(p.done + row, rest);
      p.x[row] = dt::store(rest);
      busy = false;
    }
  } while (__any_sync(WHOLE, busy));
}

MA_KERNEL csr_singular(const solve_params p) {
  const u4 bad = p.ready[1];
  *p.info = bad == WHOLE ? 0 : (int)bad + 1;
}
