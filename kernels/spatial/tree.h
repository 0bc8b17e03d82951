/*
** tree.h: queries of a k-d tree, for C11 and CUDA C++. The points are in leaves of `leaf` points each, 2^levels of
** them, and node k has the children 2 k and 2 k + 1; node 1 is the root, and the leaves are the last level. Each has a
** box: its least coordinates, then its greatest. Inside a leaf the coordinates of one axis lie side by side. Places
** without a point have position 0.
** Who includes this defines T (float or double), TREE(name), TREE_FN, and what metrics.h asks for.
** Distances are sums of powers until the end: |d|^p for a finite p, which is not the root yet.
*/
#ifndef TREE_NAMES
#define TREE_NAMES
#define tree_struct TREE(tree)
#define tree_more TREE(more)
#define tree_power TREE(power)
#define tree_root TREE(root)
#define tree_gap TREE(gap)
#define tree_distance TREE(distance)
#define tree_nearest TREE(nearest)
#endif

typedef struct tree_struct {
  const T *points; /* of leaf l, axis c, place j: [(l * axes + c) * leaf + j] */
  const T *boxes;  /* of node k: [k * 2 * axes] */
  const int64_t *positions;
  int32_t axes, levels, leaf;
  int32_t form; /* 1: p is 1, 2: p is 2, 0: p is infinite, 3: another */
  T p;
} tree_struct;

/* The sum with the difference d >= 0 along one more axis. */
TREE_FN T tree_more(int32_t form, T p, T sum, T d) {
  if (form == 2) return sum + d * d;
  if (form == 1) return sum + d;
  if (form == 0) return d > sum ? d : sum;
  return sum + POW(d, p);
}

/* The power of a distance, and back. */
TREE_FN T tree_power(int32_t form, T p, T d) { return form == 2 ? d * d : form == 3 ? POW(d, p) : d; }
TREE_FN T tree_root(int32_t form, T p, T s) { return form == 2 ? SQRT(s) : form == 3 ? POW(s, 1 / p) : s; }

/* The least distance of x to the box of a node. */
TREE_FN T tree_gap(const tree_struct *t, int32_t node, const T *x) {
  const T *low = t->boxes + (int64_t)node * 2 * t->axes, *high = low + t->axes;
  T sum = 0;
  for (int32_t c = 0; c < t->axes; c++) {
    T below = low[c] - x[c], above = x[c] - high[c], d = below > above ? below : above;
    sum = tree_more(t->form, t->p, sum, d > 0 ? d : 0);
  }
  return sum;
}

/* The distance of x to the point at a place of a leaf. */
TREE_FN T tree_distance(const tree_struct *t, int64_t leaf, int32_t place, const T *x) {
  const T *at = t->points + leaf * t->axes * t->leaf + place;
  T sum = 0;
  for (int32_t c = 0; c < t->axes; c++) sum = tree_more(t->form, t->p, sum, ABS(x[c] - at[(int64_t)c * t->leaf]));
  return sum;
}

/* The k nearest points of x within `bound`, a power, in ascending order: distances[0 .. k-1] and found_at[0 .. k-1].
** Where fewer are found, the rest have an infinite distance and the position `none`. A node is left out if its gap
** times `slack` reaches the k-th distance. The stack has room for every depth. */
TREE_FN void tree_nearest(const tree_struct *t, const T *x, int64_t k, T bound, T slack, int64_t none, T *distances,
                          int64_t *found_at) {
  int32_t nodes[2 * TREE_LEVELS], n = 0;
  T gaps[2 * TREE_LEVELS], worst = bound, infinite = TREE_INF;
  int64_t found = 0;
  nodes[n] = 1;
  gaps[n++] = tree_gap(t, 1, x) * slack;
  while (n > 0) {
    int32_t node = nodes[--n];
    if (gaps[n] >= worst) continue;
    while (node < 1 << t->levels) { /* down to the nearer child, while the other one waits on the stack */
      int32_t near = 2 * node, far = 2 * node + 1;
      T a = tree_gap(t, near, x) * slack, b = tree_gap(t, far, x) * slack;
      if (b < a) {
        T swap = a;
        a = b;
        b = swap;
        far = near;
        near = 2 * node + 1;
      }
      if (b < worst) {
        nodes[n] = far;
        gaps[n++] = b;
      }
      node = a < worst ? near : 0;
      if (!node) break;
    }
    if (!node) continue;
    int64_t leaf = node - ((int64_t)1 << t->levels);
    for (int32_t j = 0; j < t->leaf; j++) {
      int64_t who = t->positions[leaf * t->leaf + j];
      if (!who) continue;
      T d = tree_distance(t, leaf, j, x);
      if (!(d < worst)) continue;
      int64_t at = found < k ? found++ : k - 1;
      while (at > 0 && distances[at - 1] > d) {
        distances[at] = distances[at - 1];
        found_at[at] = found_at[at - 1];
        at--;
      }
      distances[at] = d;
      found_at[at] = who;
      if (found == k) worst = distances[k - 1] < bound ? distances[k - 1] : bound;
    }
  }
  for (int64_t i = 0; i < found; i++) distances[i] = tree_root(t->form, t->p, distances[i]);
  for (int64_t i = found; i < k; i++) {
    distances[i] = infinite;
    found_at[i] = none;
  }
}
