/*
** predicates.c: signs of determinants of points in the plane, always right: J. R. Shewchuk, "Adaptive precision
** floating-point arithmetic and fast robust geometric predicates", 1997. A sum in doubles whose error cannot change its
** sign is taken as it is; else the determinant is computed exactly, as a sum of doubles that do not overlap.
*/
#include "ops/fields/delaunay.h"

#include <math.h>

#define EPS 0x1p-53
#define ORIENT_BOUND ((3 + 16 * EPS) * EPS)
#define CIRCLE_BOUND ((10 + 96 * EPS) * EPS)
#define WHOLE 0x1p52 /* sums of whole numbers below it are exact, as those of a grid */

/* ==== Exact sums: the least part first, without zeros ============================================================ */

#define MINOR 16              /* parts of a sum of two products of two parts each */
#define LIFT (2 * MINOR * 16) /* parts of a product of two such sums */

/* Adds a number to a sum of n parts. Returns how many parts the sum has then. */
static int grow(double *e, int n, double b) {
  double q = b;
  int kept = 0;
  for (int k = 0; k < n; k++) {
    double x = e[k], sum = q + x, v = sum - q, rest = (q - (sum - v)) + (x - v);
    if (rest != 0) e[kept++] = rest;
    q = sum;
  }
  if (q != 0) e[kept++] = q;
  return kept;
}

/* What rounding took from a product. */
static double product_rest(double a, double b, double high) {
  double c = 0x1p27 * a + a, ah = c - (c - a), al = a - ah;
  c = 0x1p27 * b + b;
  double bh = c - (c - b), bl = b - bh;
  return al * bl - (((high - ah * bh) - al * bh) - ah * bl);
}

/* Adds the product of two sums, multiplied by `sign`. */
static int add_product(double *to, int n, const double *e, int ne, const double *f, int nf, double sign) {
  for (int i = 0; i < ne; i++)
    for (int j = 0; j < nf; j++) {
      double high = e[i] * f[j], low = product_rest(e[i], f[j], high);
      if (low != 0) n = grow(to, n, sign * low);
      if (high != 0) n = grow(to, n, sign * high);
    }
  return n;
}

static int difference(double *to, double a, double b) {
  double x = a - b, v = a - x, rest = (a - (x + v)) + (v - b);
  int n = 0;
  if (rest != 0) to[n++] = rest;
  if (x != 0) to[n++] = x;
  return n;
}

typedef struct vector {
  double x[2], y[2];
  int nx, ny;
} vector;

static vector between(ma_point a, ma_point b) {
  vector d;
  d.nx = difference(d.x, a.x, b.x);
  d.ny = difference(d.y, a.y, b.y);
  return d;
}

static int minor_of(double *to, const vector *a, const vector *b) {
  int n = add_product(to, 0, a->x, a->nx, b->y, b->ny, 1);
  return add_product(to, n, a->y, a->ny, b->x, b->nx, -1);
}

/* Adds |a|^2 times the minor of b and c. */
static int lift(double *to, int n, const vector *a, const vector *b, const vector *c) {
  double square[MINOR], minor[MINOR];
  int ns = add_product(square, 0, a->x, a->nx, a->x, a->nx, 1);
  ns = add_product(square, ns, a->y, a->ny, a->y, a->ny, 1);
  int nm = minor_of(minor, b, c);
  return add_product(to, n, square, ns, minor, nm, 1);
}

/* ==== Signs ====================================================================================================== */

double ma_orient(ma_point a, ma_point b, ma_point c) {
  double left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x), det = left - right, exact[MINOR];
  if (fabs(det) > ORIENT_BOUND * (fabs(left) + fabs(right))) return det;
  vector p = between(a, c), q = between(b, c);
  int n = minor_of(exact, &p, &q);
  return n ? exact[n - 1] : 0;
}

static bool whole(ma_point p) { return p.x == floor(p.x) && p.y == floor(p.y) && fabs(p.x) + fabs(p.y) < WHOLE; }

double ma_circle(ma_point a, ma_point b, ma_point c, ma_point d) {
  double adx = a.x - d.x, ady = a.y - d.y, bdx = b.x - d.x, bdy = b.y - d.y, cdx = c.x - d.x, cdy = c.y - d.y;
  double la = adx * adx + ady * ady, lb = bdx * bdx + bdy * bdy, lc = cdx * cdx + cdy * cdy;
  double p = bdx * cdy, q = cdx * bdy, r = cdx * ady, s = adx * cdy, t = adx * bdy, u = bdx * ady;
  double det = la * (p - q) + lb * (r - s) + lc * (t - u);
  double most = (fabs(p) + fabs(q)) * la + (fabs(r) + fabs(s)) * lb + (fabs(t) + fabs(u)) * lc;
  if (fabs(det) > CIRCLE_BOUND * most) return det;
  if (most < WHOLE && whole(a) && whole(b) && whole(c) && whole(d)) return det;
  vector e = between(a, d), f = between(b, d), g = between(c, d);
  double exact[3 * LIFT];
  int n = lift(exact, 0, &e, &f, &g);
  n = lift(exact, n, &f, &g, &e);
  n = lift(exact, n, &g, &e, &f);
  return n ? exact[n - 1] : 0;
}
