/*
** stencil.cuh: a program over the neighbours of each position. The axes are t, m and x. A thread computes `width`
** elements along x, and marches along m: it keeps what it has read of the rows around it, so that memory is read once.
** Neighbours along x and t come from the first cache, where other threads of the block have just read them.
**
** Inputs that read one field at one distance along t are a line: a range of rows along m, and of elements along x. The
** text before this file, which src/cuda/kernels/stencil_text.c prints, has the program, and lists:
**   ST_FIELDS(X)   X(f, dtype)
**   ST_LINES(X)    X(n, f, dtype, WALK, dt, low, rows, left, elements): line n of field f is at t + dt, its rows begin
**     at m + low, its elements at x + left. WALK is how the field lies along x: VECTOR, ELEMENT, STRIDED, or STILL for
**     one element that does not move, or UNIFORM, NORMAL and WHOLE for draws, which are made where they are read
**   ST_RESULTS(X)  X(k, dtype, WALK, f, fdtype): f is the field that the result keeps at the edges if ST_LEAVE
**   ST_ARGUMENTS   the program's inputs for element k of step u
**   ST_REACHED(X)  X(k, f): f is the k-th field that the program reaches (reach.h); ST_REACH is how many there are
** and the macros
**   ST_WIDTH, ST_STEPS    elements of a thread; rows that it reads ahead, and then computes
**   ST_BLOCK, ST_ACROSS   threads in a block, and along x
**   ST_ALONG_T            1 if the block's other threads are along t, 0 if they take the next parts of m
**   ST_EDGE_T, ST_EDGE_M, ST_EDGE_X   how the axes continue
**   ST_LOW_T, ST_HIGH_T ...   how far reads go before and behind a position
**   ST_OPEN               1 if all elements that positions read may be read, wherever they are: no rule is asked
**   ST_DEEP               1 if m is the fields' first axis, and t their second
**   ST_DRAWS              1 if there are draws
**   ST_LEAVE              1 if positions that lack a neighbour keep the field's element
**   ST_NARROW             1 if rows are so short that many warps have an end of one: their neighbours along x are then
**                         looked up in every warp, which takes fewer instructions than the general way in those
*/
enum { WALK_VECTOR, WALK_ELEMENT, WALK_STRIDED, WALK_STILL, WALK_UNIFORM, WALK_NORMAL, WALK_WHOLE };

#define ST_FIELD_VALUE(f, type) uint4 v##f;
#define ST_FIELD_PLACE(f, type) \
  const char *p##f;             \
  i8 t##f, m##f, x##f;
#define ST_RESULT_PLACE(k, type, walk, f, ftype) \
  char *q##k;                                    \
  i8 rt##k, rm##k, rx##k;

struct params {
  scalars s;
  ST_FIELDS(ST_FIELD_VALUE)
  ST_FIELDS(ST_FIELD_PLACE)
  ST_RESULTS(ST_RESULT_PLACE)
  i4 nt, nm, nx, part; /* part: rows along m for a thread */
  u4 blocks_x, blocks_t;
};

/* Called where a position is outside an axis. That is seldom, so it is not inlined: the code of a division each time
** would not be worth it. */
template <int EDGE> static __device__ __noinline__ i4 place_outside(i4 p, i4 n) {
  return (i4)ma_edge_place(p, n, EDGE);
}
template <int EDGE> static __device__ __forceinline__ i4 place(i4 p, i4 n) {
  if (ST_OPEN || (u4)p < (u4)n) return p;
  if (EDGE == MA_EDGE_CONSTANT) return -1;
  if (EDGE == MA_EDGE_NEAREST) return p < 0 ? 0 : n - 1;
  return place_outside<EDGE>(p, n);
}

/* Whether elements LEFT ... LEFT + N - 1 hold the whole vector at b * ST_WIDTH, or that vector is the thread's own. */
template <int LEFT, int N> static __device__ __forceinline__ constexpr bool is_vector(int b) {
  return b == 0 ? LEFT < ST_WIDTH && LEFT + N > 0
                : !ST_NARROW && b * ST_WIDTH >= LEFT && (b + 1) * ST_WIDTH <= LEFT + N;
}

/* Reads elements x + LEFT ... of the row at `row`. The thread's own elements are inside. Without ST_NARROW all are. */
template <class D, int WALK, int LEFT, int N>
static __device__ __forceinline__ void read_inside(typename D::reg (&to)[N], const char *row, i8 step, i4 x, i4 nx,
                                                   const uint4 &value) {
  typedef typename D::mem mem;
  if (WALK == WALK_STILL) {
#pragma unroll
    for (int k = 0; k < N; k++) to[k] = D::load(*(const mem *)row);
    return;
  }
  const i8 each = WALK == WALK_STRIDED ? step : (i8)sizeof(mem);
  const char *from = row + (i8)x * each;
  /* vectors that are needed whole, and the thread's own */
  const int first = LEFT < 0 ? -((-LEFT) / ST_WIDTH) : LEFT / ST_WIDTH, vectors = N / ST_WIDTH + 2;
  pack<mem, ST_WIDTH> v[vectors];
#pragma unroll
  for (int b = 0; b < vectors; b++)
    if (WALK == WALK_VECTOR && is_vector<LEFT, N>(first + b))
      v[b].load_all(from + (first + b) * ST_WIDTH * (int)sizeof(mem));
#pragma unroll
  for (int k = 0; k < N; k++) {
    const int i = LEFT + k, b = (i - first * ST_WIDTH) / ST_WIDTH;
    if (WALK == WALK_VECTOR && i >= first * ST_WIDTH && is_vector<LEFT, N>(first + b))
      to[k] = D::load(v[b].v[(i - first * ST_WIDTH) & (ST_WIDTH - 1)]);
    else if (ST_NARROW && (i < 0 || i >= ST_WIDTH)) {
      const i4 at = place<ST_EDGE_X>(x + i, nx);
      to[k] = D::load(ST_EDGE_X == MA_EDGE_CONSTANT && at < 0 ? *(const mem *)&value : *(const mem *)(row + at * each));
    } else to[k] = D::load(*(const mem *)(from + i * each));
  }
}

/* The same where elements may lie outside. If `row` is NULL, all of them do. */
template <class D, int WALK, int LEFT, int N>
static __device__ __forceinline__ void read_outside(typename D::reg (&to)[N], const char *row, i8 step, i4 x, i4 nx,
                                                    const uint4 &value) {
  typedef typename D::mem mem;
  const bool inside = ST_OPEN || (x + LEFT >= 0 && x + LEFT + N <= nx);
  if (row && (WALK == WALK_STILL || (inside && x + ST_WIDTH <= nx))) {
    read_inside<D, WALK, LEFT, N>(to, row, step, x, nx, value);
    return;
  }
#pragma unroll
  for (int k = 0; k < N; k++) {
    const i4 at = row ? place<ST_EDGE_X>(x + LEFT + k, nx) : -1;
    /* with ST_OPEN, the last element that a row's last position reads is the end of what may be read */
    const bool none = ST_OPEN ? at >= nx + LEFT + N - ST_WIDTH : at < 0;
    to[k] = D::load(none ? *(const mem *)&value : *(const mem *)(row + at * step));
  }
}

/* ==== Draws ==== */

#if ST_DRAWS
template <class D> struct drawn_bits { static const int value = 24; };
template <> struct drawn_bits<dt_f2> { static const int value = 11; };
template <> struct drawn_bits<dt_bf> { static const int value = 8; };

/* An element of a draw. Its field has the place of the draw's cell in a graph, and the bounds of whole numbers. */
template <class D, int WALK>
static __device__ __forceinline__ typename D::reg drawn(const char *cell, const uint4 &v, i8 from, i8 to, u8 element) {
  typedef typename D::reg reg;
  const ma_drawing d = ma_drawing_of(v.x, v.y, v.z, (const ma_random_cell *)cell, element);
  if (WALK == WALK_WHOLE) return (reg)ma_element_integer(d, v.w, from, to);
  if (WALK == WALK_UNIFORM && sizeof(reg) == 8) return (reg)ma_element_uniform_d(d, v.w);
  if (WALK == WALK_UNIFORM) return (reg)ma_element_uniform_f(d, v.w, drawn_bits<D>::value);
  if (sizeof(reg) == 8) return (reg)ma_element_normal_d(d, v.w);
  return D::load(D::store((reg)ma_element_normal_f(d, v.w)));
}
#endif

/* ==== Lines ==== */

#define ST_LINE_DECLARE(n, f, type, walk, t, low, rows, left, elements) \
  dt_##type::reg l##n[rows + ST_STEPS - 1][elements];
#define ST_LINE_READ(row, n, f, type, walk, dt, at, left, elements) \
  ST_READ_##walk(row, n, f, type, walk, dt, at, left, elements)
#define ST_READ_VECTOR ST_READ_MEMORY
#define ST_READ_ELEMENT ST_READ_MEMORY
#define ST_READ_STRIDED ST_READ_MEMORY
#define ST_READ_STILL ST_READ_MEMORY
#define ST_READ_UNIFORM ST_READ_DRAW
#define ST_READ_NORMAL ST_READ_DRAW
#define ST_READ_WHOLE ST_READ_DRAW
#define ST_READ_DRAW(row, n, f, type, walk, dt, at, left, elements)                            \
  {                                                                                            \
    const u8 row_number = ST_DEEP ? (u8)(at) * (u8)p.nt + (u8)t : (u8)t * (u8)p.nm + (u8)(at); \
    const u8 first = row_number * (u8)p.nx + (u8)x;                                            \
    _Pragma("unroll") for (int k = 0; k < elements; k++)                                       \
      l##n[row][k] = drawn<dt_##type, WALK_##walk>(p.p##f, p.v##f, p.t##f, p.m##f, first + k); \
  }
#define ST_READ_MEMORY(row, n, f, type, walk, dt, at, left, elements)                                                \
  if (!EDGE)                                                                                                         \
    read_inside<dt_##type, WALK_##walk, left>(l##n[row], p.p##f + (i8)(t + (dt)) * p.t##f + (i8)(at)*p.m##f, p.x##f, \
                                              x, p.nx, p.v##f);                                                      \
  else {                                                                                                             \
    const i4 on_t = place<ST_EDGE_T>(t + (dt), p.nt), on_m = place<ST_EDGE_M>(at, p.nm);                             \
    read_outside<dt_##type, WALK_##walk, left>(                                                                      \
      l##n[row], !ST_OPEN && (on_t | on_m) < 0 ? (const char *)0 : p.p##f + (i8)on_t * p.t##f + (i8)on_m * p.m##f,   \
      p.x##f, x, p.nx, p.v##f);                                                                                      \
  }
/* The rows that a line needs before its first step, the row that step u adds, and what the next steps still need. */
#define ST_LINE_BEGIN(n, f, type, walk, dt, low, rows, left, elements)  \
  _Pragma("unroll") for (int r = 0; r < rows - 1; r++) {                \
    ST_LINE_READ(r, n, f, type, walk, dt, m0 + low + r, left, elements) \
  }
#define ST_LINE_NEXT(n, f, type, walk, dt, low, rows, left, elements) \
  ST_LINE_READ(rows - 1 + u, n, f, type, walk, dt, m + u + low + rows - 1, left, elements)
#define ST_LINE_SHIFT(n, f, type, walk, dt, low, rows, left, elements)                       \
  _Pragma("unroll") for (int r = 0; r < rows - 1; r++) {                                     \
    _Pragma("unroll") for (int k = 0; k < elements; k++) l##n[r][k] = l##n[r + ST_STEPS][k]; \
  }

/* ==== Results ==== */

#define ST_RESULT_PACK(k, type, walk, f, ftype) pack<dt_##type::mem, ST_WIDTH> c##k;
#define ST_RESULT_DECLARE(n, type, walk, f, ftype) dt_##type::reg o##n;
#define ST_RESULT_ARGUMENT(n, type, walk, f, ftype) , o##n
#define ST_RESULT_KEEP(n, type, walk, f, ftype) c##n.v[k] = dt_##type::store(o##n);
#define ST_RESULT_LEAVE(n, type, walk, f, ftype)                                                     \
  o##n = ma_to_##type##_from<dt_##ftype, dt_##type>(p.p##f + (i8)t * p.t##f + (i8)(m + u) * p.m##f + \
                                                    (i8)(x + k) * p.x##f);
#define ST_RESULT_STORE(k, type, walk, f, ftype)                                           \
  {                                                                                        \
    char *to = p.q##k + (i8)t * p.rt##k + (i8)(m + u) * p.rm##k + (i8)x * p.rx##k;         \
    if (WALK_##walk == WALK_VECTOR && (!EDGE || x + ST_WIDTH <= p.nx)) c##k.store_all(to); \
    else {                                                                                 \
      _Pragma("unroll") for (int i = 0; i < ST_WIDTH; i++) if (!EDGE || x + i < p.nx) *    \
        (dt_##type::mem *)(to + i * p.rx##k) = c##k.v[i];                                  \
    }                                                                                      \
  }

/* ==== Reads at offsets that the program computes ==== */

#if ST_REACH
#if ST_DEEP
#define ST_AXES(t, m, x) m, t, x
#else
#define ST_AXES(t, m, x) t, m, x
#endif
#define ST_REACH_FIELD(k, f) { p.p##f, (const char *)&p.v##f, { ST_AXES(p.t##f, p.m##f, p.x##f) } },
#define ST_REACH_DECLARE                                           \
  const ma_reach_field reached[] = { ST_REACHED(ST_REACH_FIELD) }; \
  const ma_reach_frame frame = { { ST_AXES(p.nt, p.nm, p.nx) }, { ST_AXES(ST_EDGE_T, ST_EDGE_M, ST_EDGE_X) }, reached };
#define ST_REACH_AT const ma_reach reach = { &frame, { ST_AXES(t, m + u, x + k) } };
#define ST_REACH_ARGUMENT , reach
#else
#define ST_REACH_DECLARE
#define ST_REACH_AT
#define ST_REACH_ARGUMENT
#endif

/* ==== The march ==== */

/* EDGE says that something the warp reads or writes may be outside an axis. With ST_NARROW, neighbours along x do not
** count for it. */

template <bool EDGE> static __device__ __forceinline__ void march(const params &p, i4 t, i4 m0, i4 m1, i4 x) {
  ST_REACH_DECLARE
  ST_LINES(ST_LINE_DECLARE)
  ST_LINES(ST_LINE_BEGIN)
#pragma unroll 1
  for (i4 m = m0; m < m1; m += ST_STEPS) {
#pragma unroll
    for (int u = 0; u < ST_STEPS; u++)
      if (!EDGE || m + u < m1) { ST_LINES(ST_LINE_NEXT) }
#pragma unroll
    for (int u = 0; u < ST_STEPS; u++) {
      if (EDGE && m + u >= m1) continue;
      ST_RESULTS(ST_RESULT_PACK)
#pragma unroll
      for (int k = 0; k < ST_WIDTH; k++) {
        ST_RESULTS(ST_RESULT_DECLARE)
        ST_REACH_AT
#if ST_LEAVE
        if (EDGE && (t < ST_LOW_T || t >= p.nt - ST_HIGH_T || m + u < ST_LOW_M || m + u >= p.nm - ST_HIGH_M ||
                     x + k < ST_LOW_X || x + k >= p.nx - ST_HIGH_X)) {
          if (x + k >= p.nx) continue;
          ST_RESULTS(ST_RESULT_LEAVE)
        } else
#endif
          program(p.s ST_ARGUMENTS ST_REACH_ARGUMENT ST_RESULTS(ST_RESULT_ARGUMENT));
        ST_RESULTS(ST_RESULT_KEEP)
      }
      ST_RESULTS(ST_RESULT_STORE)
    }
    ST_LINES(ST_LINE_SHIFT)
  }
}

MA_KERNEL __launch_bounds__(ST_BLOCK) stencil(const params p) {
  const i4 warp = ST_ACROSS < 32 ? 32 / ST_ACROSS : 1,
           wide = ST_ACROSS < 32 ? ST_ACROSS : 32; /* a warp's rows, threads */
  u4 b = blockIdx.x;
  const i4 column = threadIdx.x % ST_ACROSS, row = threadIdx.x / ST_ACROSS, bx = b % p.blocks_x;
  b /= p.blocks_x;
  const i4 bt = b % p.blocks_t, bm = b / p.blocks_t;
  const i4 x = (bx * ST_ACROSS + column) * ST_WIDTH, rows = ST_BLOCK / ST_ACROSS;
  const i4 t = ST_ALONG_T ? bt * rows + row : 0, m0 = (ST_ALONG_T ? bm : bm * rows + row) * p.part;
  if (x >= p.nx || t >= p.nt || m0 >= p.nm) return;
  const i4 m1 = m0 + p.part < p.nm ? m0 + p.part : p.nm;
  /* what the whole warp computes */
  const i4 x0 = x - column % wide * ST_WIDTH, x1 = x0 + wide * ST_WIDTH, skip = row % warp;
  const i4 t0 = ST_ALONG_T ? t - skip : t, t1 = ST_ALONG_T ? t0 + warp : t + 1;
  const i4 a0 = ST_ALONG_T ? m0 : m0 - skip * p.part, a1 = ST_ALONG_T ? m0 + p.part : a0 + warp * p.part;
  if (x0 < (ST_NARROW ? 0 : ST_LOW_X) || x1 + (ST_NARROW ? 0 : ST_HIGH_X) > p.nx || t0 < ST_LOW_T ||
      t1 + ST_HIGH_T > p.nt || a0 < ST_LOW_M || a1 + ST_HIGH_M > p.nm)
    march<true>(p, t, m0, m1, x);
  else march<false>(p, t, m0, m1, x);
}
