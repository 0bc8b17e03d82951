/* recurrence_loops.h: stretches of elements X through a filter, included once for each dtype by recurrence.c: with
** SUFFIX; T, the number that computes; and LANES if eight stretches run side by side. */
#define NAME2(a, b) a##_##b
#define NAME1(a, b) NAME2(a, b)
#define NAME(a) NAME1(a, SUFFIX)

#define MA_ADD ONE_ADD
#define MA_SUB ONE_SUB
#define MA_MUL ONE_MUL
/* Runs one stretch with its state in registers. */
#define ALONE(STEP, M, N)             \
  do {                                \
    T own[M];                         \
    memcpy(own, z, sizeof own);       \
    for (int64_t i = 0; i < n; i++) { \
      T x = WIDEN(from[i]);           \
      STEP(T, x, own, c, N);          \
      if (to) to[i] = NARROW(x);      \
    }                                 \
    memcpy(z, own, sizeof own);       \
  } while (0)

/* Runs one stretch. z is the state before it, and afterwards the one behind it. If `to` is NULL, only the state is
** wanted. */
static void NAME(one)(const ma_recurrence *r, const void *given, void *result, void *state, int64_t n) {
  const X *from = given;
  const T *restrict c = r->coefficients;
  X *restrict to = result;
  T *z = state;
  if (!r->sections && r->order == 1) ALONE(MA_FILTER_STEP, 1, 1);
  else if (!r->sections && r->order == 2) ALONE(MA_FILTER_STEP, 2, 2);
  else if (!r->sections && r->order == 4) ALONE(MA_FILTER_STEP, 4, 4);
  else if (r->sections == 1) ALONE(MA_SECTIONS_STEP, 2, 1);
  else if (r->sections == 2) ALONE(MA_SECTIONS_STEP, 4, 2);
  else
    for (int64_t i = 0; i < n; i++) {
      T x = WIDEN(from[i]);
      if (r->sections) MA_SECTIONS_STEP(T, x, z, c, r->sections);
      else MA_FILTER_STEP(T, x, z, c, r->order);
      if (to) to[i] = NARROW(x);
    }
}
#undef ALONE
#undef MA_ADD
#undef MA_SUB
#undef MA_MUL

#ifdef LANES
#define MA_ADD(x, y) ((x) + (y))
#define MA_SUB(x, y) ((x) - (y))
#define MA_MUL(x, y) ((x) * (y))
#define SIDE_BY_SIDE(STEP, M, N)                            \
  do {                                                      \
    lanes own[M];                                           \
    memcpy(own, z, sizeof own);                             \
    for (int64_t i = 0; i < n; i++) {                       \
      lanes x;                                              \
      for (int k = 0; k < WIDTH; k++) x[k] = from[k][i];    \
      STEP(lanes, x, own, c, N);                            \
      if (writes)                                           \
        for (int k = 0; k < WIDTH; k++) to[k][i] = (X)x[k]; \
    }                                                       \
    memcpy(z, own, sizeof own);                             \
  } while (0)

/* Runs eight stretches. z has the eight values of each state beside each other. */
FOR_AVX512 static void NAME(eight)(const ma_recurrence *r, const void *const *given, void *const *result, lanes *z,
                                   int64_t n, bool writes) {
  const X *from[WIDTH];
  const double *c = r->coefficients;
  X *to[WIDTH];
  for (int k = 0; k < WIDTH; k++) {
    from[k] = given[k];
    to[k] = result[k];
  }
  if (r->sections == 1) SIDE_BY_SIDE(MA_SECTIONS_STEP, 2, 1);
  else if (r->sections == 2) SIDE_BY_SIDE(MA_SECTIONS_STEP, 4, 2);
  else if (r->sections == 4) SIDE_BY_SIDE(MA_SECTIONS_STEP, 8, 4);
  else if (!r->sections && r->order == 1) SIDE_BY_SIDE(MA_FILTER_STEP, 1, 1);
  else if (!r->sections && r->order == 2) SIDE_BY_SIDE(MA_FILTER_STEP, 2, 2);
  else if (!r->sections && r->order == 4) SIDE_BY_SIDE(MA_FILTER_STEP, 4, 4);
  else
    for (int64_t i = 0; i < n; i++) {
      lanes x;
      for (int k = 0; k < WIDTH; k++) x[k] = from[k][i];
      if (r->sections) MA_SECTIONS_STEP(lanes, x, z, c, r->sections);
      else MA_FILTER_STEP(lanes, x, z, c, r->order);
      if (writes)
        for (int k = 0; k < WIDTH; k++) to[k][i] = (X)x[k];
    }
}
#undef SIDE_BY_SIDE
#undef MA_ADD
#undef MA_SUB
#undef MA_MUL
#undef LANES
#endif

#undef NAME
#undef NAME1
#undef NAME2
#undef SUFFIX
#undef X
#undef T
#undef WIDEN
#undef NARROW
#undef ONE_ADD
#undef ONE_SUB
#undef ONE_MUL
