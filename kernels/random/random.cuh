/*
** random.cuh: a draw of random numbers. The text before it defines D, the dtype's traits, V, how many elements share a
** block of words, UNROLL and TO, the cast from double. The text behind it is the body of FILL, which makes the elements
** of a block. With VARIED, parameters may be arrays. With ATTEMPTS, how many blocks a multiprocessor has at a time, the
** elements are Poisson numbers. With IN_GRAPH, seed and position are read from device memory, where each launch of the
** graph finds new ones.
*/
#ifdef IN_GRAPH
#define MA_PLACE(job) const ma_random_job job = ma_random_placed(given);
#else
#define MA_PLACE(job) const ma_random_job &job = given;
#endif

static __device__ __forceinline__ double parameter(const ma_random_job &job, int k, u8 i) {
#ifdef VARIED
  if (job.array[k]) return job.array[k][i];
#endif
  return job.param[k];
}

#ifndef ATTEMPTS
#define FILL \
  static __device__ __forceinline__ void fill(const ma_random_job &job, u8 block, const ma_words &w, D::mem *v)
FILL;

#if V == 4
/* Stores the elements of a block in 32 bytes, where all lanes of a warp do. Two lanes exchange halves, so that each
** access of theirs is 32 bytes in a row: accesses that fill half of so many take twice the time. */
static __device__ __forceinline__ void store_pairs(pack<D::mem, V> &to, char *here) {
  bool odd = threadIdx.x & 1;
  pack<D::mem, V / 2> first, second;
#pragma unroll
  for (int k = 0; k < V / 2; k++) {
    D::mem other = __shfl_xor_sync(~0u, odd ? to.v[k] : to.v[V / 2 + k], 1);
    first.v[k] = odd ? other : to.v[k];
    second.v[k] = odd ? to.v[V / 2 + k] : other;
  }
  here += odd ? -16 : 0;
  first.store_all(here);
  second.store_all(here + 32);
}
#else
#define store_pairs(to, here) to.store_all(here)
#endif

/* Fills the blocks of a thread, which all have the same lower 16 bits in their numbers: up to 65536 threads take rows
** of that many blocks in turn. The grid is a multiple of 256, or less than 256. UNROLL rows at a time share their
** constants in registers. In the first `whole` rows every lane has a block. */
static __device__ __forceinline__ void fill_rows(const ma_random_job &job, u4 lane, u4 rows, u4 whole, bool aligned) {
  u4 step = (gridDim.x + 255) >> 8;
  ma_near_part near = ma_philox_near(job.key, lane, job.attempt);
  char *at = (char *)job.data + lane * (V * sizeof(D::mem));
#pragma unroll UNROLL
  for (u4 row = blockIdx.x >> 8; row < rows; row += step) {
    pack<D::mem, V> to;
    char *here = at + (u8)row * (65536 * V * sizeof(D::mem));
    fill(job, (u8)row << 16 | lane, ma_philox_rest(job.key, near, ma_philox_away(job.key, row, job.draw)), to.v);
    if (!aligned) to.store_some(here, sizeof(D::mem), V);
    else if (sizeof to == 32 && row < whole) store_pairs(to, here);
    else to.store_all(here);
  }
}

MA_KERNEL draw_random(const ma_random_job given) {
  MA_PLACE(job)
  u4 lane = (blockIdx.x & 255) * blockDim.x + threadIdx.x;
  u8 whole = (u8)job.n / V;
  u4 rows = lane < whole ? (u4)((whole - lane + 65535) >> 16) : 0;
  if ((u8)job.data % (sizeof(D::mem) * V < 16 ? sizeof(D::mem) * V : 16) == 0)
    fill_rows(job, lane, rows, (u4)(whole >> 16), true);
  else fill_rows(job, lane, rows, 0, false);
  if (whole * V < (u8)job.n && blockIdx.x == 0 && threadIdx.x == 0) {
    pack<D::mem, V> to;
    fill(job, whole, ma_philox(job.key, whole, job.attempt, job.draw), to.v);
    to.store_some((char *)job.data + whole * (V * sizeof(D::mem)), sizeof(D::mem), (int)(job.n - (i8)(whole * V)));
  }
}
#else
/* A number takes as many attempts as it needs. So that a warp need not wait for the last of 32 numbers, its lanes go on
** to the warp's next numbers by themselves. But what few lanes need waits until more need it: a next number until
** FEW_IDLE do, and an attempt that takes logarithms to judge until FEW_TESTED do. */
enum { IDLE, DRAWING, TESTED };

struct counting {
  ma_poisson poisson;
  ma_poisson_attempt last;
  u8 element;
  u4 attempt;
  int state;
};

static __device__ __forceinline__ void finish(const ma_random_job &job, counting &c, double count) {
  ((D::mem *)job.data)[c.element] = D::store(TO(count));
  c.state = IDLE;
}

static __device__ __forceinline__ void begin(const ma_random_job &job, counting &c) {
  double lam = parameter(job, 0, c.element);
  c.attempt = 0;
  c.state = DRAWING;
  if (!(lam > 0)) finish(job, c, lam == 0 ? 0 : MA_NAN);
  else c.poisson = ma_poisson_of(lam);
}

static __device__ __forceinline__ void attempt(const ma_random_job &job, counting &c) {
  ma_words w = ma_philox(job.key, c.element, c.attempt++, job.draw);
  int judged = ma_poisson_try(&c.poisson, ma_uniform_d(w.x, w.y), ma_uniform_d(w.z, w.w), &c.last);
  if (judged == MA_TAKEN) finish(job, c, c.last.k);
  else if (judged == MA_UNSURE) c.state = TESTED;
}

static __device__ __forceinline__ void test(const ma_random_job &job, counting &c) {
  c.state = DRAWING;
  if (ma_poisson_test(&c.poisson, &c.last)) finish(job, c, c.last.k);
}

MA_KERNEL __launch_bounds__(256, ATTEMPTS) draw_random(const ma_random_job given) {
  MA_PLACE(job)
  u8 warp = ((u8)blockIdx.x * blockDim.x + threadIdx.x) >> 5, warps = (u8)gridDim.x * blockDim.x >> 5;
  u8 each = ((u8)job.n + warps - 1) / warps, next = warp * each, end = next + each < (u8)job.n ? next + each : job.n;
  u4 below = (1u << (threadIdx.x & 31)) - 1;
  counting c;
  c.state = IDLE;
  for (;;) {
    u4 idle = __ballot_sync(~0u, c.state == IDLE), drawing = __ballot_sync(~0u, c.state == DRAWING);
    if (next < end && (__popc(idle) >= FEW_IDLE || !drawing)) {
      if (c.state == IDLE) {
        c.element = next + __popc(idle & below);
        if (c.element < end) begin(job, c);
      }
      next += __popc(idle);
      drawing = __ballot_sync(~0u, c.state == DRAWING);
    }
    u4 tested = __ballot_sync(~0u, c.state == TESTED);
    if (__popc(tested) >= FEW_TESTED || (tested && !drawing)) {
      if (c.state == TESTED) test(job, c);
    } else if (!drawing && next >= end) return;
    if (c.state == DRAWING) attempt(job, c);
  }
}
#endif
