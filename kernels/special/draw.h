/*
** draw.h: elements of draws of random numbers, for kernels that make them where they are read. The text of random.h and
** element.h (kernels/random) stands before it. On the CPU, src/cpu/random/drawn.c makes many elements at once.
*/
/* An operand that is places: element first + next. n neighbours, one behind the other from next = 0 on, have one
** `first`, which is a multiple of n. They share a block of words, so all of them are made with the first and kept. */
struct ma_place {
  long long at; /* an address; rows keep it here */
  unsigned long long first;
  unsigned next, n;
  bool fresh; /* it is the first; else it has been made */
  float f[4];
  double d[2];
};

/* Sets the place of neighbour i from an address on, of elements of SIZE bytes; addresses begin at 2^60, as MA_PLACES
** says. The address is that of a multiple of N elements, at most 16 / SIZE. */
template <int SIZE, int N>
static __device__ __forceinline__ ma_place &ma_drawn_place(ma_place &p, long long address, int i) {
  const unsigned long long from = (unsigned long long)address & 0x0fffffffffffffffull;
  p.first = (from / (SIZE * N) + i / N) * N;
  p.next = (unsigned)(i % N);
  p.n = N;
  p.fresh = p.next == 0;
  return p;
}

/* The same where one element is read for a group. */
template <int SIZE> static __device__ __forceinline__ ma_place &ma_drawn_still(ma_place &p, long long address, int i) {
  ma_drawn_place<SIZE, 1>(p, address, 0);
  p.fresh = i == 0;
  return p;
}

static __device__ __forceinline__ ma_words ma_drawn_words(const ma_place &p, unsigned per_block, long long key,
                                                          long long draw) {
  return ma_philox((uint64_t)key, p.first / per_block, 0, (uint32_t)draw);
}

/* The first operand is of the dtype in which they are made. */
static __device__ __forceinline__ float ma_drawn_uniform(float, ma_place &p, long long key, long long draw) {
  if (p.fresh) {
    const ma_words w = ma_drawn_words(p, 4, key, draw);
    const unsigned lane = (unsigned)p.first & 3;
#pragma unroll
    for (unsigned k = 0; k < 4; k++)
      if (k < p.n) p.f[k] = ma_lane_uniform_f(w, lane | k, 24);
  }
  return p.f[p.next];
}

static __device__ __forceinline__ double ma_drawn_uniform(double, ma_place &p, long long key, long long draw) {
  if (p.fresh) {
    const ma_words w = ma_drawn_words(p, 2, key, draw);
    const unsigned lane = (unsigned)p.first & 1;
    p.d[0] = ma_lane_uniform_d(w, lane);
    if (p.n == 2) p.d[1] = ma_lane_uniform_d(w, 1);
  }
  return p.d[p.next];
}

static __device__ __forceinline__ float ma_drawn_normal(float, ma_place &p, long long key, long long draw) {
  if (p.fresh) {
    const ma_words w = ma_drawn_words(p, 4, key, draw);
    const bool high = p.first & 2;
    ma_normals_f(high ? w.z : w.x, high ? w.w : w.y, &p.f[0], &p.f[1]);
    if (p.n == 1 && p.first & 1) p.f[0] = p.f[1];
    if (p.n == 4) ma_normals_f(w.z, w.w, &p.f[2], &p.f[3]);
  }
  return p.f[p.next];
}

static __device__ __forceinline__ double ma_drawn_normal(double, ma_place &p, long long key, long long draw) {
  if (p.fresh) {
    ma_normals_d(ma_drawn_words(p, 2, key, draw), &p.d[0], &p.d[1]);
    if (p.n == 1 && p.first & 1) p.d[0] = p.d[1];
  }
  return p.d[p.next];
}
