/*
** within_loop.h: the points within a distance of queries, for one type. Queries that lie together go down the tree
** together, as one box; a leaf's places are taken side by side. Defined before it: what kernels/spatial/tree.h asks
** for, which is included.
*/
#define group_struct TREE(group)
#define within_some TREE(within_some)
#define within_apart TREE(within_apart)
#define within_leaf TREE(within_leaf)
#define within_down TREE(within_down)
#define within_form TREE(within_form)
#define within_box TREE(within_box)
#define within_cells TREE(within_cells)

/* Queries that follow one another. If `place` is not negative, query q is the point at place `place` + q, and only
** points behind that place count. */
typedef struct group_struct {
  const T *queries, *low, *high; /* low, high: their box */
  T bounds[GROUP], most;         /* powers of their distances, and the greatest */
  int64_t place, n[GROUP];       /* n: points found */
  int64_t *to[GROUP];            /* their positions; NULL: they are only counted */
  int32_t count;
} group_struct;

/* The least distance between two boxes. As it is rounded, it is never more than tree_distance gives for two points in
** them. */
static inline __attribute__((always_inline)) T within_apart(const tree_struct *t, int32_t form, int32_t node,
                                                            const T *least, const T *greatest) {
  const T *low = t->boxes + (int64_t)node * 2 * t->axes, *high = low + t->axes;
  T sum = 0;
  for (int32_t c = 0; c < t->axes; c++) {
    T below = low[c] - greatest[c], above = least[c] - high[c], d = below > above ? below : above;
    sum = tree_more(form, t->p, sum, d > 0 ? d : 0);
  }
  return sum;
}

/* Compares places first .. first + lanes - 1 of a leaf with each query. */
static inline __attribute__((always_inline)) void within_leaf(const tree_struct *t, group_struct *g, int32_t form,
                                                              int64_t leaf, int32_t first, int32_t lanes) {
  int64_t place = leaf * t->leaf + first;
  const int64_t *who = t->positions + place;
  for (int32_t q = 0; q < g->count; q++) {
    const T *x = g->queries + (int64_t)q * t->axes, *at = t->points + leaf * t->axes * t->leaf + first;
    T d[LANES], bound = g->bounds[q];
    int64_t behind = g->place < 0 ? -1 : g->place + q - place, hit[LANES], hits = 0;
    for (int32_t j = 0; j < lanes; j++) d[j] = 0;
    for (int32_t c = 0; c < t->axes; c++, at += t->leaf)
      for (int32_t j = 0; j < lanes; j++) d[j] = tree_more(form, t->p, d[j], ABS(x[c] - at[j]));
    for (int32_t j = 0; j < lanes; j++) hit[j] = (d[j] <= bound) & (who[j] != 0) & (j > behind);
    for (int32_t j = 0; j < lanes; j++) hits += hit[j];
    if (hits > 0 && g->to[q])
      for (int32_t j = 0, k = 0; j < lanes; j++)
        if (hit[j]) g->to[q][g->n[q] + k++] = who[j];
    g->n[q] += hits;
  }
}

static inline __attribute__((always_inline)) void within_form(const tree_struct *t, group_struct *g, int32_t form) {
  int32_t nodes[2 * TREE_LEVELS], n = 0;
  int8_t below[2 * TREE_LEVELS]; /* levels below the node */
  int64_t leaves = (int64_t)1 << t->levels;
  below[n] = (int8_t)t->levels;
  nodes[n++] = 1;
  while (n > 0) {
    int32_t node = nodes[--n], under = below[n];
    if ((((int64_t)(node + 1) << under) - leaves) * t->leaf <= g->place + 1) continue;
    if (!(within_apart(t, form, node, g->low, g->high) <= g->most)) continue;
    if (under > 0) {
      below[n] = (int8_t)(under - 1);
      nodes[n++] = 2 * node + 1;
      below[n] = (int8_t)(under - 1);
      nodes[n++] = 2 * node;
      continue;
    }
    int32_t j = 0;
    for (; j + LANES <= t->leaf; j += LANES) within_leaf(t, g, form, node - leaves, j, LANES);
    for (; j < t->leaf; j++) within_leaf(t, g, form, node - leaves, j, 1);
  }
}

FOR_AVX512 static void within_down(const tree_struct *t, group_struct *g) {
  if (t->form == 2) within_form(t, g, 2);
  else within_form(t, g, t->form);
}

/* The box of a group's queries, in low and high. Returns false if they do not lie together: such a box is so large that
** it meets many leaves to which none of the queries is near. */
static bool within_box(const tree_struct *t, const group_struct *g, T radius, T *low, T *high) {
  const T *root = t->boxes + (int64_t)2 * t->axes;
  T wide = 0, all = 0;
  for (int32_t c = 0; c < t->axes; c++) {
    low[c] = TREE_INF, high[c] = -TREE_INF;
    for (int32_t q = 0; q < g->count; q++) {
      T x = g->queries[(int64_t)q * t->axes + c];
      low[c] = x < low[c] ? x : low[c];
      high[c] = x > high[c] ? x : high[c];
    }
    wide += high[c] - low[c];
    all += root[t->axes + c] - root[c];
  }
  return wide <= all * (T)exp2(1 - (double)t->levels / t->axes) + (T)t->axes * radius;
}

/* The cell of each query in a grid over the hull of all, with `side` cells along each of the first `axes` axes. Cells
** are numbered to and fro, so that consecutive ones touch. */
static void within_cells(const T *x, int64_t count, int32_t stride, int32_t axes, int32_t side, int32_t *cell) {
  for (int64_t i = 0; i < count; i++) cell[i] = 0;
  for (int32_t c = 0; c < axes; c++) {
    T low = TREE_INF, high = -TREE_INF;
    for (int64_t i = 0; i < count; i++) {
      T at = x[i * stride + c];
      low = at < low ? at : low;
      high = at > high ? at : high;
    }
    T scale = high > low ? (T)side / (high - low) : 0;
    for (int64_t i = 0; i < count; i++) {
      T at = (x[i * stride + c] - low) * scale;
      int32_t place = at > 0 ? at < (T)side ? (int32_t)at : side - 1 : 0; /* 0 for NaN */
      cell[i] = cell[i] * side + (cell[i] % 2 ? side - 1 - place : place);
    }
  }
}

/* Runs queries first .. last - 1 of `order`, or of the job if there is no order. `scratch` has room for a box and a
** group's queries. */
static void within_some(const ma_within *job, const tree_struct *t, const int32_t *order, int64_t first, int64_t last,
                        T *scratch) {
  const T *radii = job->radii, *queries = job->queries;
  int32_t axes = t->axes;
  T *low = scratch, *high = low + axes, *copies = high + axes;
  for (int64_t i = first, next; i < last; i = next) {
    group_struct g = { .place = job->later ? i : -1, .most = -1 };
    int64_t who[GROUP];
    T radius = 0;
    next = i - i % GROUP + GROUP < last ? i - i % GROUP + GROUP : last;
    g.count = (int32_t)(next - i);
    for (int32_t q = 0; q < g.count; q++) {
      who[q] = order ? order[i + q] : i + q;
      radius = radii[who[q]] > radius ? radii[who[q]] : radius;
      for (int32_t c = 0; order && c < axes; c++) copies[q * axes + c] = queries[who[q] * axes + c];
    }
    g.queries = order ? copies : queries + i * axes;
    if (!within_box(t, &g, radius, low, high)) g.count = 1, next = i + 1;
    for (int32_t q = 0; q < g.count; q++) {
      g.bounds[q] = tree_power(t->form, t->p, radii[who[q]]);
      g.most = g.bounds[q] > g.most ? g.bounds[q] : g.most;
      g.to[q] = job->found ? job->found + job->offsets[who[q]] : NULL;
    }
    g.low = g.count > 1 ? low : g.queries;
    g.high = g.count > 1 ? high : g.queries;
    within_down(t, &g);
    if (!job->found)
      for (int32_t q = 0; q < g.count; q++) job->counts[who[q]] = g.n[q];
  }
}

#undef group_struct
#undef within_some
#undef within_apart
#undef within_leaf
#undef within_down
#undef within_form
#undef within_box
#undef within_cells
