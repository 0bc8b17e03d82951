/*
** delaunay.c: Delaunay triangulations by the algorithm of Bowyer and Watson: a point takes the place of all triangles
** in whose circles it lies. Beyond each edge of the hull stands a triangle with a vertex at infinity, 0, so that a
** point outside is no special case. The predicates are exact, so a cavity is star-shaped, unless differences of
** coordinates leave float64's range: then the bounds below end the search. Points are inserted along the rows of a
** grid, to and fro, so that the walk to each is short.
*/
#include "ops/fields/delaunay.h"

#include "array/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Triangle t, from 1 on, has the vertices v[3 t .. 3 t + 2], counterclockwise; n[3 t .. 3 t + 2] are the triangles
** across the edges that lie opposite to them. */
typedef struct mesh {
  ma_point *p;                   /* of vertex k: p[k] */
  int32_t *v, *n, *mark, *idle;  /* mark: the point for which a triangle was last found bad; idle: a stack */
  int32_t *bad, *edges, *starts; /* edges: two vertices and the triangle beyond; starts: a new triangle by vertex */
  int32_t *order, *twins;
  int32_t slots, count, nidle, ntwin;
} mesh;

static const int next[3] = { 1, 2, 0 }, other[3] = { 2, 0, 1 };

/* ==== The order of points ======================================================================================== */

static int32_t cell_of(double x, double low, double scale, int32_t cells) {
  double at = floor((x - low) * scale);
  return at > 0 ? at < cells ? (int32_t)at : cells - 1 : 0;
}

/* Sorts the points by cells of a grid. `cell` has room for n numbers, `starts` for n + 1. */
static void order_points(const ma_point *p, int32_t n, int32_t *order, int32_t *cell, int32_t *starts) {
  double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
  for (int32_t k = 1; k <= n; k++) {
    x0 = fmin(x0, p[k].x), x1 = fmax(x1, p[k].x);
    y0 = fmin(y0, p[k].y), y1 = fmax(y1, p[k].y);
  }
  int32_t cells = (int32_t)fmax(1, floor(sqrt(n / 2.0)));
  double sx = cells / fmax(x1 - x0, 1e-300), sy = cells / fmax(y1 - y0, 1e-300);
  memset(starts, 0, (size_t)(cells * cells + 1) * sizeof *starts);
  for (int32_t k = 1; k <= n; k++) {
    int32_t row = cell_of(p[k].y, y0, sy, cells), column = cell_of(p[k].x, x0, sx, cells);
    cell[k - 1] = row * cells + (row % 2 ? cells - 1 - column : column);
    starts[cell[k - 1] + 1]++;
  }
  for (int32_t c = 0; c < cells * cells; c++) starts[c + 1] += starts[c];
  for (int32_t k = 1; k <= n; k++) order[starts[cell[k - 1]]++] = k;
}

static void exchange(int32_t *a, int32_t *b) {
  int32_t kept = *a;
  *a = *b;
  *b = kept;
}

/* Finds three points that are not on one line, puts them first, and makes their triangle and the three around it.
** Returns false if there are no such points. */
static bool begin(mesh *m, int32_t n) {
  const ma_point *p = m->p;
  int32_t *order = m->order, second = 0, third = 0;
  ma_point a = p[order[0]];
  for (int32_t k = 1; k < n && !third; k++) {
    ma_point at = p[order[k]];
    if (!second) {
      if (at.x != a.x || at.y != a.y) second = k;
    } else if (ma_orient(a, p[order[second]], at) != 0) third = k;
  }
  if (!third) return false;
  exchange(order + 1, order + second);
  exchange(order + 2, order + third);
  int32_t i = order[0], j = order[1], k = order[2];
  if (ma_orient(p[i], p[j], p[k]) < 0) exchange(&j, &k);
  const int32_t v[12] = { i, j, k, k, j, 0, i, k, 0, j, i, 0 }, across[12] = { 2, 3, 4, 4, 3, 1, 2, 4, 1, 3, 2, 1 };
  memcpy(m->v + 3, v, sizeof v);
  memcpy(m->n + 3, across, sizeof across);
  m->count = 4;
  return true;
}

/* ==== Inserting ================================================================================================== */

static bool endless(const int32_t *v) { return v[0] == 0 || v[1] == 0 || v[2] == 0; }

/* Whether a point is inside a triangle's circle. For a triangle with a vertex at infinity the circle is the half plane
** beyond its edge, with the inside of the edge. */
static bool holds(const mesh *m, int32_t t, ma_point at) {
  const int32_t *v = m->v + 3 * t;
  const ma_point *p = m->p;
  if (!endless(v)) return ma_circle(p[v[0]], p[v[1]], p[v[2]], at) > 0;
  int k = v[0] == 0 ? 0 : v[1] == 0 ? 1 : 2;
  ma_point a = p[v[next[k]]], b = p[v[other[k]]];
  double side = ma_orient(a, b, at);
  if (side != 0) return side > 0;
  return (a.x - at.x) * (b.x - at.x) + (a.y - at.y) * (b.y - at.y) < 0;
}

/* Walks from triangle t to the one that has a point in it. Beyond the hull this is a triangle with a vertex at
** infinity. Returns 0 if the walk would not end. */
static int32_t locate(const mesh *m, int32_t t, ma_point at) {
  int32_t from = 0, steps = 0;
  for (int k = 0; k < 3; k++)
    if (m->v[3 * t + k] == 0) {
      t = m->n[3 * t + k];
      break;
    }
  for (bool moved = true; moved && !endless(m->v + 3 * t);) {
    const int32_t *v = m->v + 3 * t;
    if (steps++ > m->slots) return 0;
    moved = false;
    for (int k = 0; k < 3 && !moved; k++) {
      int32_t across = m->n[3 * t + k];
      if (across == from || ma_orient(m->p[v[next[k]]], m->p[v[other[k]]], at) >= 0) continue;
      from = t;
      t = across;
      moved = true;
    }
  }
  return t;
}

/* Marks the triangles in whose circles the point lies as bad, from t on. Returns how many edges are around them. */
static int32_t find_cavity(mesh *m, int32_t t, int32_t point, int32_t *nbad) {
  int32_t nedge = 0, n = 1;
  m->bad[0] = t;
  m->mark[t] = point;
  for (int32_t at = 0; at < n; at++) {
    int32_t base = 3 * m->bad[at];
    for (int k = 0; k < 3; k++) {
      int32_t across = m->n[base + k];
      if (m->mark[across] == point) continue;
      if (holds(m, across, m->p[point])) {
        m->mark[across] = point;
        m->bad[n++] = across;
        continue;
      }
      if (nedge > m->slots) return -1;
      int32_t *edge = m->edges + 3 * nedge++;
      edge[0] = m->v[base + next[k]];
      edge[1] = m->v[base + other[k]];
      edge[2] = across;
    }
  }
  *nbad = n;
  return nedge;
}

/* Puts a point in the place of the triangles in whose circles it lies. Returns one of the new triangles, or the one
** with an equal point, which is noted; 0 if float64 cannot tell the coordinates apart. */
static int32_t insert(mesh *m, int32_t t, int32_t point) {
  ma_point at = m->p[point];
  int32_t nbad = 0, made = 0;
  t = locate(m, t, at);
  for (int k = 0; k < 3 && t; k++) {
    int32_t v = m->v[3 * t + k];
    if (v == 0 || m->p[v].x != at.x || m->p[v].y != at.y) continue;
    m->twins[2 * m->ntwin] = point;
    m->twins[2 * m->ntwin++ + 1] = v;
    return t;
  }
  int32_t nedge = t ? find_cavity(m, t, point, &nbad) : -1;
  if (nedge < 0 || nbad > m->slots - m->nidle) return 0;
  for (int32_t k = 0; k < nbad; k++) m->idle[m->nidle++] = m->bad[k];
  if (nedge > m->nidle + m->slots - m->count) return 0;
  for (int32_t k = 0; k < nedge; k++) {
    const int32_t *edge = m->edges + 3 * k;
    int32_t new = m->nidle > 0 ? m->idle[--m->nidle] : ++m->count, across = edge[2];
    int32_t *v = m->v + 3 * new, *far = m->v + 3 * across;
    v[0] = edge[0], v[1] = edge[1], v[2] = point;
    m->n[3 * new + 2] = across;
    for (int j = 0; j < 3; j++)
      if (far[next[j]] == edge[1] && far[other[j]] == edge[0]) m->n[3 * across + j] = new;
    m->starts[edge[0]] = made = new;
    m->mark[new] = 0;
  }
  for (int32_t k = 0; k < nedge; k++) {
    int32_t here = m->starts[m->edges[3 * k]], there = m->starts[m->edges[3 * k + 1]];
    m->n[3 * here] = there;
    m->n[3 * there + 1] = here;
  }
  return made;
}

/* ==== The result ================================================================================================= */

static ma_status put_rows(ma_array *to, int64_t rows, int64_t columns, int32_t **at) {
  int64_t shape[2] = { rows, columns };
  void *memory = NULL;
  MA_TRY(ma_array_new(to, ma_device_cpu(), MA_INT32, 2, shape));
  MA_TRY(ma_array_write(to, NULL, &memory));
  *at = memory;
  return MA_OK;
}

/* Writes the triangles without a vertex at infinity. */
static ma_status put_finite(mesh *m, ma_array *corners, ma_array *across) {
  int32_t *named = m->mark, count = 0, *v, *n;
  for (int32_t t = 1; t <= m->count; t++) named[t] = endless(m->v + 3 * t) ? 0 : 1;
  for (int32_t k = 0; k < m->nidle; k++) named[m->idle[k]] = 0;
  for (int32_t t = 1; t <= m->count; t++)
    if (named[t]) named[t] = ++count;
  MA_TRY(put_rows(corners, count, 3, &v));
  MA_TRY(put_rows(across, count, 3, &n));
  for (int32_t t = 1; t <= m->count; t++)
    for (int k = 0; k < 3 && named[t]; k++) *v++ = m->v[3 * t + k], *n++ = named[m->n[3 * t + k]];
  return MA_OK;
}

static ma_status triangulate(mesh *m, int32_t n, ma_array *corners, ma_array *across, ma_array *twins) {
  int32_t t = 1, *to;
  order_points(m->p, n, m->order, m->bad, m->idle);
  if (n > 2 && begin(m, n))
    for (int32_t k = 3; k < n && t; k++) t = insert(m, t, m->order[k]);
  if (!t) return ma_fail(MA_ERR_VALUE, "coordinates whose products leave the range of float64; wanted scaled ones");
  MA_TRY(put_finite(m, corners, across));
  MA_TRY(put_rows(twins, m->ntwin, 2, &to));
  if (m->ntwin) memcpy(to, m->twins, (size_t)m->ntwin * 2 * sizeof *to);
  return MA_OK;
}

ma_status ma_delaunay(const ma_point *points, int64_t n, ma_array *corners, ma_array *across, ma_array *twins) {
  if (n > INT32_MAX / 64) return ma_fail(MA_ERR_VALUE, "%lld points; wanted 2^25 at most", (long long)n);
  size_t slots = (size_t)(2 * n + 8), all = slots + 1;
  /* v, n and edges have 3 numbers for each triangle; mark, idle and bad have one. starts and order have one for each
  ** point, twins two. */
  int32_t *memory = calloc(12 * all + 4 * (size_t)(n + 1), sizeof *memory);
  mesh m = { .p = malloc((size_t)(n + 1) * sizeof *m.p), .slots = (int32_t)slots, .v = memory };
  ma_status status = MA_OK;
  if (!memory || !m.p) {
    status = ma_fail(MA_ERR_MEMORY, "out of memory for the triangles of %lld points", (long long)n);
  } else {
    m.n = m.v + 3 * all;
    m.edges = m.n + 3 * all;
    m.mark = m.edges + 3 * all;
    m.idle = m.mark + all;
    m.bad = m.idle + all;
    m.starts = m.bad + all;
    m.order = m.starts + n + 1;
    m.twins = m.order + n + 1;
    m.p[0] = (ma_point){ 0, 0 };
    if (n) memcpy(m.p + 1, points, (size_t)n * sizeof *points);
    status = triangulate(&m, (int32_t)n, corners, across, twins);
  }
  free(memory);
  free(m.p);
  return status;
}
