/* delaunay.h: triangulations of points in the plane, on the host. */
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

#pragma GCC visibility pop
#endif
