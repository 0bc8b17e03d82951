/* csr_units.cuh: what made.h asks for, behind csr.cuh. The text before defines LANES. Ends of rows that a user spoiled
** stay within the matrix. */
#define I idx
#define T mem
#define NAME(f) f
#define MADE_FN static __device__ __forceinline__
#define MADE_LONG MADE_FN
#define BEGIN(a, r) row_end((const idx *)(a).indptr, (r)-1, (a).nnz)
#define SPAN(a, r, s) span_of(a, r, s)
#define TIMES(x, y) dt::store(times(dt::load(x), dt::load(y)))
#define SOME(x) is_some(dt::load(x))
#define ZERO mem()
#define LANE ((int)threadIdx.x % LANES)
#define MOVE(to, from, n) move(to, from, n)

template <class A> static __device__ __forceinline__ i8 span_of(const A &a, i8 r, i8 s) {
  const i8 n = BEGIN(a, s) - BEGIN(a, r);
  return n < 0 ? 0 : n;
}
template <class V> static __device__ __forceinline__ void move(V *to, const V *from, i8 n) {
  for (i8 k = LANE; k < n; k += LANES) to[k] = from[k];
}
