/* interpolate.cuh: values of splines and grids. A thread computes one point, or one number of a result. bspline.h and
** regular.h are before this text. It is specialised by DEGREE, the degree of a spline, or by AXES, the number of axes
** of a grid. */
#ifdef DEGREE
struct params {
  i8 n, m, count, shift, lower, width;
  const double *t, *x, *rows;
  double *to;
  i8 *first;
  double *basis, *bands;
  i4 degree, nu;
};

MA_KERNEL spline_values(const params p) {
  const i8 e = (i8)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= p.m * p.count) return;
  const i8 i = e / p.count, c = e % p.count;
  double h[DEGREE + 1][1], sum = 0;
  int64_t cell;
  ma_bspline_cells(p.t, p.n, DEGREE, p.x + i, &cell);
  ma_bspline_values(p.t, DEGREE, p.nu, &cell, p.x + i, h);
  for (int r = 0; r <= DEGREE; r++) {
    const double term = p.rows[(cell - DEGREE + r) * p.count + c] * h[r][0];
    sum = r ? sum + term : term;
  }
  p.to[e] = sum;
}

MA_KERNEL spline_basis(const params p) {
  const i8 i = (i8)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.m) return;
  double h[DEGREE + 1][1];
  int64_t cell;
  ma_bspline_cells(p.t, p.n, DEGREE, p.x + i, &cell);
  ma_bspline_values(p.t, DEGREE, p.nu, &cell, p.x + i, h);
  if (p.first) {
    p.first[i] = cell - DEGREE + 1;
    for (int r = 0; r <= DEGREE; r++) p.basis[r * p.m + i] = h[r][0];
    return;
  }
  double *row = p.bands + i * p.width;
  const i8 at = cell - DEGREE - i - p.shift + p.lower;
  for (i8 d = 0; d < p.width; d++) row[d] = 0;
  for (int r = 0; r <= DEGREE; r++)
    if (at + r >= 0 && at + r < p.width) row[at + r] = h[r][0];
}
#endif

#ifdef AXES
struct params {
  i8 n, count;
  const double *points, *rows;
  double *to;
  u1 *outside;
  double fill;
  struct {
    const double *x;
    i8 n, stride;
  } axis[16];
  i4 axes;
  u1 nearest, fills, is_complex;
};

MA_KERNEL regular_grid(const params p) {
  const i8 e = (i8)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= p.n * p.count) return;
  const i8 i = e / p.count, c = e % p.count;
  int64_t place[AXES], at = c;
  double part[AXES], sum = 0;
  int flags = 0;
#pragma unroll
  for (int k = 0; k < AXES; k++)
    ma_regular_place(p.axis[k].x, p.axis[k].n, p.points + i * AXES + k, place + k, part + k, &flags);
  if (p.nearest) {
#pragma unroll
    for (int k = 0; k < AXES; k++) at += (place[k] + (part[k] > 0.5)) * p.axis[k].stride * p.count;
    sum = p.rows[at];
  } else
    for (int corner = 0; corner < 1 << AXES; corner++) {
      double weight = 1;
      bool there = true;
      at = c;
#pragma unroll
      for (int k = 0; k < AXES; k++) {
        const int up = corner >> (AXES - 1 - k) & 1;
        there = there && !(up && p.axis[k].n == 1);
        weight *= up ? part[k] : 1 - part[k];
        at += (place[k] + up) * p.axis[k].stride * p.count;
      }
      if (!there) continue;
      const double term = p.rows[at] * weight;
      sum = corner ? sum + term : term;
    }
  if (p.fills && flags & 1) sum = p.is_complex && c % 2 ? 0 : p.fill;
  if (flags & 2) sum = p.is_complex && c % 2 ? 0 : __longlong_as_double(0x7ff8000000000000LL);
  p.to[e] = sum;
  if (c == 0 && p.outside) p.outside[i] = flags & 1;
}
#endif
