/* transform_loop.h: the loops of transform.c for one dtype. Defined before: T, NAMED(name). */

/* One value at a place of any number of axes. */
static T NAMED(value)(const plan *p, const double *place) {
  const ma_transform *t = p->t;
  const T *from = t->from;
  int64_t at[MA_SPLINE_MOST], offset[MOST_POINTS];
  double w[MA_SPLINE_MOST];
  T weight[MOST_POINTS], sum = 0;
  int n = 1, last = t->ndim - 1, taps = t->order + 1;
  offset[0] = 0;
  weight[0] = 1;
  for (int d = 0; d < last; d++) { /* the points over all axes but the last */
    if (!ma_spline_place(place[d] + t->pad, t->shape[d], t->order, t->mode, at, w)) return (T)t->cval;
    for (int k = n - 1; k >= 0; k--)
      for (int m = taps - 1; m >= 0; m--) {
        offset[k * taps + m] = offset[k] == OUTSIDE || at[m] < 0 ? OUTSIDE : offset[k] + at[m] * p->stride[d];
        weight[k * taps + m] = weight[k] * (T)w[m];
      }
    n *= taps;
  }
  if (!ma_spline_place(place[last] + t->pad, t->shape[last], t->order, t->mode, at, w)) return (T)t->cval;
  for (int k = 0; k < n; k++) {
    T part = 0;
    for (int m = 0; m < taps; m++)
      part += (T)w[m] * (offset[k] == OUTSIDE || at[m] < 0 ? (T)t->cval : from[offset[k] + at[m]]);
    sum += weight[k] * part;
  }
  return sum;
}

/* The weights of a place that is far enough from the edges, as most are, and the first element that they belong to; -1
** for other places. */
static inline __attribute__((always_inline)) int64_t NAMED(inside)(double x, int64_t n, int order, double *weight) {
  if (!(x >= 0 && x <= (double)(n - 1))) return -1;
  int64_t middle = (int64_t)(order & 1 ? x : x + 0.5), start = middle - order / 2;
  if (start < 0 || start + order >= n) return -1;
  if (order) ma_spline_weights(x - (double)middle, order, weight);
  else weight[0] = 1;
  return start;
}

/* One value of an image of two axes. */
static inline __attribute__((always_inline)) T NAMED(value_of_two)(const plan *p, const double *place, int order) {
  const ma_transform *t = p->t;
  double u[MA_SPLINE_MOST], v[MA_SPLINE_MOST];
  int64_t i = NAMED(inside)(place[0] + t->pad, t->shape[0], order, u);
  int64_t j = NAMED(inside)(place[1] + t->pad, t->shape[1], order, v);
  if (i < 0 || j < 0) return NAMED(value)(p, place);
  const T *row = (const T *)t->from + i * t->shape[1] + j;
  T sum = 0;
  for (int k = 0; k <= order; k++, row += t->shape[1]) {
    T part = 0;
    for (int m = 0; m <= order; m++) part += (T)v[m] * row[m];
    sum += (T)u[k] * part;
  }
  return sum;
}

static T NAMED(fast_value)(const plan *p, const double *place) {
  switch (p->t->order) {
  case 0: return NAMED(value_of_two)(p, place, 0);
  case 1: return NAMED(value_of_two)(p, place, 1);
  case 2: return NAMED(value_of_two)(p, place, 2);
  case 3: return NAMED(value_of_two)(p, place, 3);
  case 4: return NAMED(value_of_two)(p, place, 4);
  default: return NAMED(value_of_two)(p, place, 5);
  }
}

static void NAMED(values)(const plan *p, T *to, int64_t first, int64_t n) {
  const ma_transform *t = p->t;
  double place[MA_TRANSFORM_MOST_AXES];
  int64_t at[MA_TRANSFORM_MOST_AXES] = { 0 }, rest = first;
  for (int d = t->out_ndim - 1; d >= 0; d--) {
    at[d] = rest % t->out_shape[d];
    rest /= t->out_shape[d];
  }
  for (int64_t i = 0; i < n; i++) {
    if (t->coordinates)
      for (int d = 0; d < t->ndim; d++)
        place[d] = (t->coordinate_dtype == MA_FLOAT32 ? ((const float *)t->coordinates)[d * p->count + first + i]
                                                      : ((const double *)t->coordinates)[d * p->count + first + i]) -
                   1;
    else
      for (int d = 0; d < t->ndim; d++) {
        place[d] = t->shift[d];
        for (int k = 0; k < t->out_ndim; k++) place[d] += (double)at[k] * t->matrix[d][k];
      }
    to[i] = t->ndim == 2 ? NAMED(fast_value)(p, place) : NAMED(value)(p, place);
    for (int d = t->out_ndim - 1; d >= 0 && ++at[d] == t->out_shape[d]; d--) at[d] = 0;
  }
}

/* Values for a diagonal matrix: the rows of the image are put together first, then the points along the last axis. */
static void NAMED(row)(const plan *p, T *to, T *row, T *constant, const void **rows, double *weights,
                       const int64_t *at) {
  const ma_transform *t = p->t;
  const T *from = t->from;
  int last = t->ndim - 1, taps = t->order + 1, n = 1;
  int64_t width = t->shape[last];
  rows[0] = from;
  weights[0] = 1;
  for (int d = 0; d < last; d++) {
    const point *q = &p->table[d][at[d]];
    if (!q->inside) {
      for (int64_t i = 0; i < t->out_shape[last]; i++) to[i] = (T)t->cval;
      return;
    }
    for (int k = n - 1; k >= 0; k--)
      for (int m = taps - 1; m >= 0; m--) {
        rows[k * taps + m] = !rows[k] || q->at[m] < 0 ? NULL : (const T *)rows[k] + q->at[m] * p->stride[d];
        weights[k * taps + m] = weights[k] * q->weight[m];
      }
    n *= taps;
  }
  for (int k = 0; k < n; k++)
    if (!rows[k]) rows[k] = constant;
  if (n > 1) p->combine(row, &(ma_taps){ .n = n, .row = rows, .weight = weights }, width);
  const T *line = n > 1 ? row : rows[0];
  const point *table = p->table[last];
  for (int64_t i = 0; i < t->out_shape[last]; i++) {
    const point *q = &table[i];
    T sum = 0;
    if (!q->inside) sum = (T)t->cval;
    else
      for (int m = 0; m < taps; m++) sum += (T)q->weight[m] * (q->at[m] < 0 ? (T)t->cval : line[q->at[m]]);
    to[i] = sum;
  }
}

#undef T
#undef NAMED
