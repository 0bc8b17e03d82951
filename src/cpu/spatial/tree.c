/* tree.c: queries of a k-d tree, by kernels/spatial/tree.h. */
#include "cpu/cpu.h"
#include "cpu/map/wider.h"
#include "cpu/spatial/spatial.h"
#include "cpu/submit.h"

#include <math.h>

#define TREE_LEVELS MA_TREE_LEVELS
#define TREE_FN static inline
#define TREE_INF INFINITY

#define T float
#define TREE(name) name##_f4
#define ABS fabsf
#define SQRT sqrtf
#define POW powf
#include "kernels/spatial/tree.h"
#undef T
#undef TREE
#undef ABS
#undef SQRT
#undef POW
#define T double
#define TREE(name) name##_f8
#define ABS fabs
#define SQRT sqrt
#define POW pow
#include "kernels/spatial/tree.h"

static tree_f4 tree_of_f4(const ma_tree *t) {
  return (tree_f4){ t->points, t->boxes, t->positions, t->axes, t->levels, t->leaf, ma_tree_form(t->p), (float)t->p };
}

static tree_f8 tree_of_f8(const ma_tree *t) {
  return (tree_f8){ t->points, t->boxes, t->positions, t->axes, t->levels, t->leaf, ma_tree_form(t->p), t->p };
}

/* ==== The nearest points ========================================================================================= */

static ma_status nearest_range(void *context, int64_t first, int64_t last) {
  const ma_nearest *q = context;
  int32_t axes = q->tree.axes;
  int64_t k = q->k;
  if (q->tree.dtype == MA_FLOAT32) {
    tree_f4 t = tree_of_f4(&q->tree);
    float bound = power_f4(t.form, t.p, (float)q->bound), slack = power_f4(t.form, t.p, (float)(1 + q->eps));
    for (int64_t i = first; i < last; i++)
      nearest_f4(&t, (const float *)q->queries + i * axes, k, bound, slack, q->none, (float *)q->distances + i * k,
                 q->found + i * k);
  } else {
    tree_f8 t = tree_of_f8(&q->tree);
    double bound = power_f8(t.form, t.p, q->bound), slack = power_f8(t.form, t.p, 1 + q->eps);
    for (int64_t i = first; i < last; i++)
      nearest_f8(&t, (const double *)q->queries + i * axes, k, bound, slack, q->none, (double *)q->distances + i * k,
                 q->found + i * k);
  }
  return MA_OK;
}

static ma_status nearest_now(ma_stream *stream, const void *job) {
  return ma_cpu_parallel(((const ma_nearest *)job)->count, 64, nearest_range, (void *)job);
}

static int64_t nearest_bytes(const void *job) {
  const ma_nearest *q = job;
  return q->count * (q->tree.axes * ma_dtypes[q->tree.dtype].itemsize + q->k * (8 + ma_dtypes[q->tree.dtype].itemsize));
}

ma_status ma_cpu_nearest(ma_stream *stream, const ma_nearest *query) {
  static const ma_task task = { .name = "nearest", .run = nearest_now, .bytes = nearest_bytes };
  return ma_cpu_submit(stream, &task, query, sizeof *query);
}

/* ==== Points within a distance =================================================================================== */

static ma_status within_range(void *context, int64_t first, int64_t last) {
  const ma_within *q = context;
  int32_t axes = q->tree.axes;
  tree_f4 t4 = tree_of_f4(&q->tree);
  tree_f8 t8 = tree_of_f8(&q->tree);
  for (int64_t i = first; i < last; i++) {
    int64_t *to = q->found ? q->found + q->offsets[i] : NULL, n, after = q->later ? i : -1;
    if (q->tree.dtype == MA_FLOAT32)
      n = within_f4(&t4, (const float *)q->queries + i * axes, power_f4(t4.form, t4.p, ((const float *)q->radii)[i]),
                    after, to);
    else
      n = within_f8(&t8, (const double *)q->queries + i * axes, power_f8(t8.form, t8.p, ((const double *)q->radii)[i]),
                    after, to);
    if (!to) q->counts[i] = n;
  }
  return MA_OK;
}

static ma_status within_now(ma_stream *stream, const void *job) {
  return ma_cpu_parallel(((const ma_within *)job)->count, 64, within_range, (void *)job);
}

static int64_t within_bytes(const void *job) {
  const ma_within *q = job;
  return q->count * ((q->tree.axes + 1) * ma_dtypes[q->tree.dtype].itemsize + 8);
}

ma_status ma_cpu_within(ma_stream *stream, const ma_within *query) {
  static const ma_task task = { .name = "within", .run = within_now, .bytes = within_bytes };
  return ma_cpu_submit(stream, &task, query, sizeof *query);
}
