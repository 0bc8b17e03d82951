/* delaunay.h: triangulations of points in the plane, and the triangles of further points, on the host. */
#ifndef MOONARRAY_OPS_DELAUNAY_H
#define MOONARRAY_OPS_DELAUNAY_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

typedef struct ma_point {
  double x, y;
} ma_point;

/* Above 0 if a, b and c lie counterclockwise, below 0 if clockwise, 0 on one line. */
double ma_orient(ma_point a, ma_point b, ma_point c);
/* Above 0 if d lies inside of the circle through a, b and c, which lie counterclockwise; 0 on it. */
double ma_circle(ma_point a, ma_point b, ma_point c, ma_point d);

/* Triangulates n finite points, on the CPU. Makes three int32 arrays: the triangles' corners (count, 3),
** counterclockwise; the triangle across the edge opposite to each corner, 0 beyond the hull; and the points that equal
** another one, with that (twins, 2). Positions count from 1. All are empty if the points lie on one line. */
ma_status ma_delaunay(const ma_point *points, int64_t n, ma_array *corners, ma_array *across, ma_array *twins);

typedef struct ma_box {
  ma_point low, size;
} ma_box;

/* A triangulation on the host, as ma_delaunay makes it, and a grid of ncell by ncell cells over its points: of each a
** triangle near it. */
typedef struct ma_triangles {
  const ma_point *points;
  const int32_t *corners, *across, *cells;
  int64_t npoint;
  int32_t count, ncell;
  ma_box box;
} ma_triangles;

/* Makes the grid of a triangulation: the box of its points, and an int32 array (ncell, ncell). */
ma_status ma_triangles_cells(const ma_triangles *m, ma_box *box, ma_array *to);
/* Makes two arrays on the CPU: int32, the triangle of each query, or 0; and float64 (3, count), the barycentric
** coordinates in it, or zeros. Queries are contiguous and may be NaN. */
ma_status ma_triangles_locate(const ma_triangles *m, const ma_point *queries, int64_t count, ma_array *found,
                              ma_array *weights);

#pragma GCC visibility pop
#endif
