/*
** locate.c: which triangle a point lies in. The search walks over the edges that have the point on their outer side. In
** a Delaunay triangulation such a walk ends, since the signs are exact. It begins at a triangle near the point's cell
** of a grid, or at the triangle of the query before, if that is nearer. Every BATCH queries it forgets the query
** before, so that results do not depend on threads.
*/
#include "array/array.h"
#include "base/threads.h"
#include "ops/fields/delaunay.h"

#include <math.h>

#define BATCH 256                 /* queries that may begin where the one before ended */
#define TOLERANCE (100 * 0x1p-52) /* of a point beyond the hull, in barycentric coordinates */

static const int next[3] = { 1, 2, 0 }, other[3] = { 2, 0, 1 };

/* ==== Cells ====================================================================================================== */

static int32_t along(double x, double low, double scale, int32_t cells) {
  double at = (x - low) * scale;
  return at > 0 ? at < cells ? (int32_t)at : cells - 1 : 0;
}

static int32_t cell_of(const ma_box *box, int32_t cells, ma_point p) {
  return along(p.y, box->low.y, cells / box->size.y, cells) * cells +
         along(p.x, box->low.x, cells / box->size.x, cells);
}

ma_status ma_triangles_cells(const ma_triangles *m, ma_box *box, ma_array *to) {
  int32_t cells = (int32_t)fmax(1, floor(sqrt((double)m->npoint / 2))), last = 1;
  ma_point low = { INFINITY, INFINITY }, high = { -INFINITY, -INFINITY };
  for (int64_t k = 0; k < m->npoint; k++) {
    low.x = fmin(low.x, m->points[k].x), high.x = fmax(high.x, m->points[k].x);
    low.y = fmin(low.y, m->points[k].y), high.y = fmax(high.y, m->points[k].y);
  }
  *box = (ma_box){ low, { fmax(high.x - low.x, 0x1p-1022), fmax(high.y - low.y, 0x1p-1022) } };
  void *memory = NULL;
  MA_TRY(ma_array_new(to, ma_device_cpu(), MA_INT32, 2, (int64_t[]){ cells, cells }));
  MA_TRY(ma_array_write(to, NULL, &memory));
  int32_t *first = memory;
  for (int64_t k = 0; k < (int64_t)cells * cells; k++) first[k] = 0;
  for (int32_t t = 1; t <= m->count; t++) {
    int64_t p = (int64_t)m->corners[3 * (int64_t)t - 3] - 1;
    if (p >= 0 && p < m->npoint) first[cell_of(box, cells, m->points[p])] = t;
  }
  for (int64_t k = 0; k < (int64_t)cells * cells; k++) last = first[k] = first[k] ? first[k] : last;
  return MA_OK;
}

/* ==== The walk =================================================================================================== */

/* The corners of triangle t; false if one is no point, which the caller may have written there. */
static bool corners_of(const ma_triangles *m, int32_t t, ma_point *p) {
  if (t < 1 || t > m->count) return false;
  for (int k = 0; k < 3; k++) {
    int64_t at = (int64_t)m->corners[3 * (int64_t)t - 3 + k] - 1;
    if (at < 0 || at >= m->npoint) return false;
    p[k] = m->points[at];
  }
  return true;
}

/* The triangle of a point, from triangle t on, and the weights of its corners, which add up to 1; or 0. Weights are the
** parts of the triangle's area, so none of a point inside is negative. */
static int32_t walk(const ma_triangles *m, int32_t t, ma_point at, double weights[3]) {
  ma_point p[3];
  for (int32_t steps = 0; steps <= m->count && corners_of(m, t, p); steps++) {
    double side[3], least = 0;
    int32_t to = 0;
    for (int k = 0; k < 3; k++) side[k] = ma_orient(p[next[k]], p[other[k]], at);
    double area = side[0] + side[1] + side[2];
    for (int k = 0; k < 3; k++) {
      if (side[k] >= least) continue;
      int32_t across = m->across[3 * (int64_t)t - 3 + k];
      if (across) to = across, least = side[k];
      else if (!(side[k] >= -TOLERANCE * area)) return 0;
    }
    if (to) {
      t = to;
      continue;
    }
    if (!(area > 0)) return 0;
    for (int k = 0; k < 3; k++) weights[k] = side[k] / area;
    return t;
  }
  return 0;
}

/* Whether a point may be inside: it is neither NaN nor far beyond the points' box. */
static bool near_box(const ma_box *box, ma_point at) {
  double x = (at.x - box->low.x) / box->size.x, y = (at.y - box->low.y) / box->size.y;
  return x >= -1e-9 && x <= 1 + 1e-9 && y >= -1e-9 && y <= 1 + 1e-9;
}

/* ==== Many points ================================================================================================ */

typedef struct search {
  const ma_triangles *m;
  const ma_point *queries;
  int64_t count;
  int32_t *found;
  double *weights; /* (3, count) */
} search;

static double apart(const ma_triangles *m, int32_t t, ma_point at) {
  ma_point p[3];
  if (!corners_of(m, t, p)) return INFINITY;
  return fabs(p[0].x - at.x) / m->box.size.x + fabs(p[0].y - at.y) / m->box.size.y;
}

static ma_status search_range(void *context, int64_t first, int64_t last) {
  const search *job = context;
  const ma_triangles *m = job->m;
  int32_t before = 0;
  for (int64_t k = first; k < last; k++) {
    ma_point at = job->queries[k];
    double weights[3] = { 0, 0, 0 };
    int32_t found = 0;
    if (k % BATCH == 0) before = 0;
    if (near_box(&m->box, at)) {
      int32_t from = m->cells[cell_of(&m->box, m->ncell, at)];
      if (before && apart(m, before, at) <= apart(m, from, at)) from = before;
      found = walk(m, from, at, weights);
      if (found) before = found;
    }
    job->found[k] = found;
    for (int c = 0; c < 3; c++) job->weights[c * job->count + k] = weights[c];
  }
  return MA_OK;
}

ma_status ma_triangles_locate(const ma_triangles *m, const ma_point *queries, int64_t count, ma_array *found,
                              ma_array *weights) {
  search job = { .m = m, .queries = queries, .count = count };
  void *memory = NULL;
  MA_TRY(ma_array_new(found, ma_device_cpu(), MA_INT32, 1, &count));
  MA_TRY(ma_array_new(weights, ma_device_cpu(), MA_FLOAT64, 2, (int64_t[]){ 3, count }));
  MA_TRY(ma_array_write(found, NULL, &memory));
  job.found = memory;
  MA_TRY(ma_array_write(weights, NULL, &memory));
  job.weights = memory;
  return ma_cpu_parallel(count, BATCH, search_range, &job);
}
