/* tree.c: queries of a k-d tree, by kernels/spatial/tree.h. */
#include "cpu/cpu.h"
#include "cpu/map/wider.h"
#include "backend/spatial.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <math.h>
#include <stdlib.h>

#define LANES 8 /* places of a leaf side by side */
#define GROUP 8 /* queries that go down the tree together, at most */
#define TREE_LEVELS MA_TREE_LEVELS
#define TREE_FN static inline
#define TREE_INF INFINITY

#define T float
#define TREE(name) name##_f4
#define ABS fabsf
#define SQRT sqrtf
#define POW powf
#include "kernels/spatial/tree.h"
#include "cpu/spatial/within_loop.h"
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
#include "cpu/spatial/within_loop.h"

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
  return ma_cpu_parallel(((const ma_nearest *)job)->count, TUNE_THREAD_SEARCHES, nearest_range, (void *)job);
}

static int64_t nearest_bytes(const void *job) {
  const ma_nearest *q = job;
  return q->count * (q->tree.axes * ma_dtypes[q->tree.dtype].itemsize + q->k * (8 + ma_dtypes[q->tree.dtype].itemsize));
}

MA_CPU_SLOT(ma_cpu_spatial_nearest, ma_nearest, .name = "nearest", .run = nearest_now, .bytes = nearest_bytes)

/* ==== Points within a distance =================================================================================== */

typedef struct within_job {
  const ma_within *q;
  int32_t *order; /* the order in which queries are taken, so that neighbours follow one another; NULL: as they are */
} within_job;

/* The order of queries by cells, which have about a group of queries each. NULL if there are few, if they are in the
** tree's order already, or if there is no memory. */
static int32_t *within_order(const ma_within *q) {
  int32_t axes = q->tree.axes < 3 ? q->tree.axes : 3;
  if (q->later || q->count < 4 * GROUP || q->count > INT32_MAX / 2) return NULL;
  int32_t side = (int32_t)ceil(pow((double)q->count / GROUP, 1.0 / axes)), cells = 1;
  for (int32_t c = 0; c < axes; c++) cells *= side;
  int32_t *order = malloc((size_t)q->count * 4), *cell = malloc((size_t)q->count * 4);
  int32_t *starts = calloc((size_t)cells + 1, 4);
  if (order && cell && starts) {
    if (q->tree.dtype == MA_FLOAT32) within_cells_f4(q->queries, q->count, q->tree.axes, axes, side, cell);
    else within_cells_f8(q->queries, q->count, q->tree.axes, axes, side, cell);
    for (int64_t i = 0; i < q->count; i++) starts[cell[i] + 1]++;
    for (int32_t c = 0; c < cells; c++) starts[c + 1] += starts[c];
    for (int64_t i = 0; i < q->count; i++) order[starts[cell[i]]++] = (int32_t)i;
  } else {
    free(order);
    order = NULL;
  }
  free(cell);
  free(starts);
  return order;
}

static ma_status within_range(void *context, int64_t first, int64_t last) {
  const within_job *job = context;
  const ma_within *q = job->q;
  tree_f4 t4 = tree_of_f4(&q->tree);
  tree_f8 t8 = tree_of_f8(&q->tree);
  void *scratch = malloc((size_t)q->tree.axes * (GROUP + 2) * sizeof(double));
  if (!scratch) return ma_fail(MA_ERR_MEMORY, "out of memory for points of %d axes", q->tree.axes);
  if (q->tree.dtype == MA_FLOAT32) within_some_f4(q, &t4, job->order, first, last, scratch);
  else within_some_f8(q, &t8, job->order, first, last, scratch);
  free(scratch);
  return MA_OK;
}

static ma_status within_now(ma_stream *stream, const void *task) {
  within_job job = { task, within_order(task) };
  ma_status status = ma_cpu_parallel(job.q->count, TUNE_THREAD_SEARCHES, within_range, &job);
  free(job.order);
  return status;
}

static int64_t within_bytes(const void *job) {
  const ma_within *q = job;
  return q->count * ((q->tree.axes + 1) * ma_dtypes[q->tree.dtype].itemsize + 8);
}

MA_CPU_SLOT(ma_cpu_spatial_within, ma_within, .name = "within", .run = within_now, .bytes = within_bytes)
