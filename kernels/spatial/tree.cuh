/*
** tree.cuh: queries of a k-d tree, a thread each, by tree.h, which stands before it. The text before that defines T,
** AXES and TREE_LEVELS.
*/
struct nearest_params {
  tree_struct t;
  const T *queries;
  T *distances;
  i8 *found;
  i8 count, k, none;
  T bound, slack;
};

MA_KERNEL find_nearest(nearest_params a) {
  i8 i = (i8)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= a.count) return;
  tree_nearest(&a.t, a.queries + i * a.t.axes, a.k, tree_power(a.t.form, a.t.p, a.bound),
               tree_power(a.t.form, a.t.p, a.slack), a.none, a.distances + i * a.k, a.found + i * a.k);
}

struct within_params {
  tree_struct t;
  const T *queries, *radii;
  i8 *counts, *found;
  const i8 *offsets;
  i8 count;
  i4 later;
};

MA_KERNEL find_within(within_params a) {
  i8 i = (i8)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= a.count) return;
  i8 n = tree_within(&a.t, a.queries + i * a.t.axes, tree_power(a.t.form, a.t.p, a.radii[i]), a.later ? i : -1,
                     a.found ? a.found + a.offsets[i] : (i8 *)0);
  if (!a.found) a.counts[i] = n;
}
