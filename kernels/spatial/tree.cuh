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

/* Counts the points within `bound`, a power of the distance, at places behind `after` (-1: at all places). Their
** positions go to `position` unless it is NULL. */
TREE_FN i8 tree_within(const tree_struct *t, const T *x, T bound, i8 after, i8 *position) {
  i4 nodes[2 * TREE_LEVELS], n = 0;
  int8_t below[2 * TREE_LEVELS]; /* levels below the node */
  i8 found = 0, leaves = (i8)1 << t->levels;
  below[n] = (int8_t)t->levels;
  nodes[n++] = 1;
  while (n > 0) {
    i4 node = nodes[--n], under = below[n];
    if ((((i8)(node + 1) << under) - leaves) * t->leaf <= after + 1) continue;
    if (!(tree_gap(t, node, x) <= bound)) continue;
    if (under > 0) {
      below[n] = (int8_t)(under - 1);
      nodes[n++] = 2 * node + 1;
      below[n] = (int8_t)(under - 1);
      nodes[n++] = 2 * node;
      continue;
    }
    i8 leaf = node - leaves, first = after + 1 - leaf * t->leaf;
    for (i4 j = first > 0 ? (i4)first : 0; j < t->leaf; j++) {
      i8 who = t->positions[leaf * t->leaf + j];
      if (!who || !(tree_distance(t, leaf, j, x) <= bound)) continue;
      if (position) position[found] = who;
      found++;
    }
  }
  return found;
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
