/*
** fold.cuh: how the kernels of reductions, scans and compact reach their operands. The text before this file, which
** src/cuda/kernels/fold.c prints, has the program or the user's body, the type `value`, the dtype `result`, and lists.
** A list calls X once for each entry, and passes `t` on:
**   FOLD_INPUTS(X, t)       X(i, dtype, access, t) for input i. ALL: neighbours are read in one access; STILL: those of
**                           a row are the same element; else EACH
**   FOLD_WALKED(X, t)       X(i, t) for each input, and for the index of a body
**   FOLD_INDEX(X, t)        X(i, t) for the index of a body alone
**   FOLD_KEPT(X, t)         X(d, t) for the kept axes, the outermost first; FOLD_REDUCED(X, t) for the reduced axes
**   FOLD_KEPT_INNER(X)      X(d) for the kept axes but 0, the innermost first; FOLD_REDUCED_INNER(X) likewise
**   FOLD_KEPT_OUTER(X), FOLD_REDUCED_OUTER(X)   X(0), if there is such an axis
** It also has these macros:
**   FOLD_ROW_STEP(i), FOLD_COLUMN_STEP(i)   the stride of input i along a row, and from one result to its neighbour
**   FOLD_MASKED     1 if the program has a second output, which says whether the element takes part
**   FOLD_CROSSES    1 if four elements of a row may lie on two rows of an inner reduced axis
**   FOLD_FETCHES    0; 1 for `fetch`; 2 for the function that reads neighbours too
**   FOLD_LAST_STEP  the statements from the red_out `o` to a register of the result
**   BODY            defined if the user wrote the reduction; FOLD_PARAMS declares the parameters that only it has
*/
#define FOLD_FUNCTION static __device__ __forceinline__
#define FOLD_UNROLL _Pragma("unroll")

#ifdef FOLD_LAST_STEP
FOLD_FUNCTION result::reg last_step(red_out o) { FOLD_LAST_STEP }
#endif

/* ==== Parameters and offsets ==== */

#define FOLD_ADDRESS(i, t) const char *p##i;
#define FOLD_KEPT_EXTENT(d, t) \
  u8 ke##d;                    \
  i8 ko##d;
#define FOLD_REDUCED_EXTENT(d, t) u8 re##d;
#define FOLD_KEPT_STRIDE(d, i) i8 k##i##_##d;
#define FOLD_REDUCED_STRIDE(d, i) i8 r##i##_##d;
#define FOLD_STRIDES(i, t) FOLD_KEPT(FOLD_KEPT_STRIDE, i) FOLD_REDUCED(FOLD_REDUCED_STRIDE, i)

struct params {
  scalars s;
  char *out, *partial;
  FOLD_WALKED(FOLD_ADDRESS, 0)
  u8 count, kept, span, nspan, run, flags;
  i8 step;
  char *status;
  double param;
  u8 first[2];
  FOLD_KEPT(FOLD_KEPT_EXTENT, 0)
  FOLD_REDUCED(FOLD_REDUCED_EXTENT, 0)
  FOLD_WALKED(FOLD_STRIDES, 0)
#ifdef BODY
  FOLD_PARAMS
#else
  __device__ __forceinline__ value initial() const {
    union {
      value v;
      u8 w[2];
    } u;
    u.w[0] = first[0];
    u.w[1] = first[1];
    return u.v;
  }
#endif
};

#define FOLD_OFFSET(i, t) i8 o##i;
struct offsets {
  FOLD_WALKED(FOLD_OFFSET, 0)
};

#define FOLD_START(i, t) f.o##i = 0;

/* Where result n begins in each operand. */
#define FOLD_KEPT_MOVE(i, d) f.o##i += (i8)x * p.k##i##_##d;
#define FOLD_KEPT_SPLIT(d)  \
  n = split(n, p.ke##d, x); \
  FOLD_WALKED(FOLD_KEPT_MOVE, d)
#define FOLD_KEPT_LAST(d) \
  x = n;                  \
  FOLD_WALKED(FOLD_KEPT_MOVE, d)
FOLD_FUNCTION offsets kept_at(const params &p, u8 n) {
  offsets f;
  u8 x;
  FOLD_WALKED(FOLD_START, 0)
  FOLD_KEPT_INNER(FOLD_KEPT_SPLIT)
  FOLD_KEPT_OUTER(FOLD_KEPT_LAST)
  return f;
}

/* The offsets of reduced element n from the start of its result. */
#define FOLD_REDUCED_MOVE(i, d) f.o##i += (i8)x * p.r##i##_##d;
#define FOLD_REDUCED_SPLIT(d) \
  n = split(n, p.re##d, x);   \
  FOLD_WALKED(FOLD_REDUCED_MOVE, d)
#define FOLD_REDUCED_LAST(d) \
  x = n;                     \
  FOLD_WALKED(FOLD_REDUCED_MOVE, d)
FOLD_FUNCTION offsets reduced_at(const params &p, u8 n) {
  offsets f;
  u8 x;
  FOLD_WALKED(FOLD_START, 0)
  FOLD_REDUCED_INNER(FOLD_REDUCED_SPLIT)
  FOLD_REDUCED_OUTER(FOLD_REDUCED_LAST)
  return f;
}

#ifdef BODY
FOLD_FUNCTION ma_extra ma_extra_of(const params &p);
#else
/* The address of result n. */
#define FOLD_PLACE_SPLIT(d) \
  n = split(n, p.ke##d, x); \
  at += (i8)x * p.ko##d;
FOLD_FUNCTION char *place_of(const params &p, u8 n) {
  char *at = p.out;
  u8 x;
  FOLD_KEPT_INNER(FOLD_PLACE_SPLIT)
  return at + (i8)n * p.ko0;
}
#endif

/* ==== Elements ==== */

/* FOLD_RUN runs the program on the loaded c0, c1 ...; `at` selects an element of these, `to` one of x and m. A body
** gets its own types, and the index of its element, which lies step(i) behind that of the first element. */
#ifdef BODY
#define FOLD_VALUE(i, type, access, at) , us_##type::load(c##i at)
#define FOLD_INDEX_OF(i, step) , (ptrdiff_t)(p.p##i + b.o##i + f.o##i) step(i)
#define FOLD_RUN(at, to, step) \
  x to = ma_hold(ma_user_map(ma_extra_of(p) FOLD_INPUTS(FOLD_VALUE, at) FOLD_INDEX(FOLD_INDEX_OF, step)));
#else
#define FOLD_VALUE(i, type, access, at) , dt_##type::load(c##i at)
#if FOLD_MASKED
#define FOLD_RUN(at, to, step)                           \
  program(p.s FOLD_INPUTS(FOLD_VALUE, at), x to, alive); \
  m to = alive;
#else
#define FOLD_RUN(at, to, step) program(p.s FOLD_INPUTS(FOLD_VALUE, at), x to);
#endif
#endif
#if FOLD_MASKED
#define FOLD_ALIVE u1 alive;
#else
#define FOLD_ALIVE
#endif
#define FOLD_STAY(i)
#define FOLD_STEP_OF_ROW(i) +k *FOLD_ROW_STEP(i)
#define FOLD_STEP_OF_COLUMN(i) +k *FOLD_COLUMN_STEP(i)

#define FOLD_LOAD(i, type, access, t) const dt_##type::mem c##i = *(const dt_##type::mem *)(p.p##i + b.o##i + f.o##i);
#define FOLD_PLACE(i, type, count)  \
  pack<dt_##type::mem, count> c##i; \
  const char *q##i = p.p##i + b.o##i + f.o##i;

#if FOLD_FETCHES
/* Element r of the result at b. */
FOLD_FUNCTION void fetch(const params &p, const offsets &b, u8 r, value &x, bool &m) {
  const offsets f = reduced_at(p, r);
  FOLD_INPUTS(FOLD_LOAD, 0)
  FOLD_ALIVE
  FOLD_RUN(, , FOLD_STAY)
}
#endif

#if FOLD_FETCHES == 2 && defined COLUMNS
/* Element r of n <= COLS neighbouring results. */
#define FOLD_COLUMN_EACH(i, type)                                                          \
  {                                                                                        \
    FOLD_UNROLL                                                                            \
    for (int k = 0; k < COLS; k++)                                                         \
      c##i.v[k] = *(const dt_##type::mem *)(q##i + (k < n ? k : 0) * FOLD_COLUMN_STEP(i)); \
  }
#if COLS > 1
#define FOLD_COLUMN_ALL(i, type)      \
  if (n == COLS) c##i.load_all(q##i); \
  else FOLD_COLUMN_EACH(i, type)
#else
#define FOLD_COLUMN_ALL(i, type) c##i.load_all(q##i);
#endif
#define FOLD_COLUMN(i, type, access, t) FOLD_PLACE(i, type, COLS) FOLD_COLUMN_##access(i, type)
FOLD_FUNCTION void fetch_columns(const params &p, const offsets &b, u8 r, int n, value *x, bool *m) {
  const offsets f = reduced_at(p, r);
  FOLD_INPUTS(FOLD_COLUMN, 0)
  FOLD_ALIVE
#pragma unroll
  for (int k = 0; k < COLS; k++) { FOLD_RUN(.v[k], [k], FOLD_STEP_OF_COLUMN) }
}

#elif FOLD_FETCHES == 2 && FOLD_CROSSES
/* Reads elements r .. r + 3 where they lie on several rows. Divisions find the place of the first one, and steps lead
** to the others. */
#define FOLD_CROSS_MOVE(i, d) f.o##i += (i8)x##d * p.r##i##_##d;
#define FOLD_CROSS_SPLIT(d)    \
  u8 x##d;                     \
  r = split(r, p.re##d, x##d); \
  FOLD_WALKED(FOLD_CROSS_MOVE, d)
#define FOLD_CROSS_LAST(d) \
  u8 x##d = r;             \
  FOLD_WALKED(FOLD_CROSS_MOVE, d)
#define FOLD_CROSS_ON(i, d) f.o##i += p.r##i##_##d;
#define FOLD_CROSS_BACK(i, d) f.o##i -= (i8)p.re##d * p.r##i##_##d;
#define FOLD_CROSS_OPEN(d)      \
  FOLD_WALKED(FOLD_CROSS_ON, d) \
  if (++x##d == p.re##d) {      \
    x##d = 0;                   \
  FOLD_WALKED(FOLD_CROSS_BACK, d)
#define FOLD_CROSS_OUTER(d) FOLD_WALKED(FOLD_CROSS_ON, d)
#define FOLD_CROSS_CLOSE(d) }
FOLD_FUNCTION void fetch_row(const params &p, const offsets &b, u8 r, value *x, bool *m) {
  offsets f;
  FOLD_WALKED(FOLD_START, 0)
  FOLD_REDUCED_INNER(FOLD_CROSS_SPLIT)
  FOLD_REDUCED_OUTER(FOLD_CROSS_LAST)
#pragma unroll
  for (int k = 0; k < 4; k++) {
    FOLD_INPUTS(FOLD_LOAD, 0)
    FOLD_ALIVE
    FOLD_RUN(, [k], FOLD_STAY)
    FOLD_REDUCED_INNER(FOLD_CROSS_OPEN)
    FOLD_REDUCED_OUTER(FOLD_CROSS_OUTER)
    FOLD_REDUCED_INNER(FOLD_CROSS_CLOSE)
  }
}

#elif FOLD_FETCHES == 2
/* Elements r .. r + 3. */
#define FOLD_ROW_EACH(i, type)                                                                      \
  {                                                                                                 \
    FOLD_UNROLL                                                                                     \
    for (int k = 0; k < 4; k++) c##i.v[k] = *(const dt_##type::mem *)(q##i + k * FOLD_ROW_STEP(i)); \
  }
#define FOLD_ROW_ALL(i, type) c##i.load_all(q##i);
#define FOLD_ROW_STILL(i, type)                    \
  {                                                \
    c##i.v[0] = *(const dt_##type::mem *)q##i;     \
    c##i.v[1] = c##i.v[2] = c##i.v[3] = c##i.v[0]; \
  }
#define FOLD_ROW(i, type, access, t) FOLD_PLACE(i, type, 4) FOLD_ROW_##access(i, type)
FOLD_FUNCTION void fetch_row(const params &p, const offsets &b, u8 r, value *x, bool *m) {
  const offsets f = reduced_at(p, r);
  FOLD_INPUTS(FOLD_ROW, 0)
  FOLD_ALIVE
#pragma unroll
  for (int k = 0; k < 4; k++) { FOLD_RUN(.v[k], [k], FOLD_STEP_OF_ROW) }
}
#endif

#ifdef COMPACT
/* fetch_row in two steps, for n <= 4 elements: the kernel has other work between the loads and the program. */
#define FOLD_FIELD(i, type, access, t) pack<dt_##type::mem, 4> c##i;
struct loaded {
  FOLD_INPUTS(FOLD_FIELD, 0)
};
#define FOLD_LOAD_CROSSING(i, type, access, t) c.c##i.v[k] = *(const dt_##type::mem *)(p.p##i + b.o##i + f.o##i);
#define FOLD_LOAD_STEP(i, type) c.c##i.v[k] = *(const dt_##type::mem *)(q##i + k * FOLD_ROW_STEP(i));
#define FOLD_LOAD_ALL(i, type) \
  if (n == 4) c.c##i.load_all(q##i);
#define FOLD_LOAD_EACH(i, type)                         \
  if (n == 4) {                                         \
    FOLD_UNROLL                                         \
    for (int k = 0; k < 4; k++) FOLD_LOAD_STEP(i, type) \
  }
#define FOLD_LOAD_ROW(i, type, access, t)      \
  const char *q##i = p.p##i + b.o##i + f.o##i; \
  FOLD_LOAD_##access(i, type) else {           \
    FOLD_UNROLL                                \
    for (int k = 0; k < 3; k++)                \
      if (k < n) FOLD_LOAD_STEP(i, type)       \
  }
FOLD_FUNCTION void load_row(const params &p, const offsets &b, u8 r, int n, loaded &c) {
  offsets f = reduced_at(p, r);
#if FOLD_CROSSES
#pragma unroll
  for (int k = 0; k < 4; k++) {
    if (k >= n) break;
    f = reduced_at(p, r + k);
    FOLD_INPUTS(FOLD_LOAD_CROSSING, 0)
  }
#else
  FOLD_INPUTS(FOLD_LOAD_ROW, 0)
#endif
}

#define FOLD_REFERENCE(i, type, access, t) const pack<dt_##type::mem, 4> &c##i = c.c##i;
FOLD_FUNCTION void run_row(const params &p, const loaded &c, value *x, bool *m) {
  FOLD_INPUTS(FOLD_REFERENCE, 0)
  FOLD_ALIVE
#pragma unroll
  for (int k = 0; k < 4; k++) { FOLD_RUN(.v[k], [k], FOLD_STAY) }
}
#endif
