/*
** csgraph.h: searches and trees of graphs, on the host. A graph is a square ma_pattern: `row` from start[v] on has the
** nodes that edges from v lead to, and `value` is the edges' lengths as double, or NULL: all are 1. Nodes count from 0.
*/
#ifndef MOONARRAY_CSGRAPH_H
#define MOONARRAY_CSGRAPH_H

#include "ops/factors/factors.h"

#pragma GCC visibility push(hidden)

/* Makes the graph with every edge in both directions: a node's own edges come first, then those that lead to it. It is
** freed by ma_csgraph_free. */
ma_status ma_csgraph_both(const ma_pattern *g, ma_pattern *both);
void ma_csgraph_free(ma_pattern *g);

/* The root of node v, where up[v] is a node nearer to the root. The way is shortened for later calls. */
static inline int32_t ma_csgraph_root(int32_t *up, int32_t v) {
  while (up[v] != v) {
    up[v] = up[up[v]];
    v = up[v];
  }
  return v;
}

/* components.c: label[v] is the number of v's component, from 0 on. Components are numbered in the order of their first
** nodes; strong ones in the order in which a search leaves them. */
ma_status ma_csgraph_components(const ma_pattern *g, bool strong, int32_t *label, int32_t *count);

/* orders.c: the nodes that can be reached from `from`, in the order of the search. For each also the node from which it
** was reached; -1 for all others. */
ma_status ma_csgraph_search(const ma_pattern *g, int32_t from, bool depth_first, int32_t *order, int32_t *before,
                            int32_t *count);
/* The order of reversed Cuthill-McKee, for a symmetric pattern. */
ma_status ma_csgraph_narrow(const ma_pattern *g, int32_t *order);
/* match.c: the column with which each row is matched, or -1. g may be rectangular: it has `n` rows in `m` columns. */
ma_status ma_csgraph_match(const ma_pattern *g, int32_t *column);
/* tree.c: marks the edges of a tree of least length, or of several trees. `order` has the edges by their lengths, from
** 1 on. */
ma_status ma_csgraph_tree(const ma_pattern *g, const int64_t *order, bool *is_kept);

typedef enum ma_path_method { MA_PATH_DIJKSTRA, MA_PATH_BELLMAN_FORD, MA_PATH_JOHNSON, MA_NPATH } ma_path_method;

/* paths.c: shortest paths from each of `count` nodes. A row has n lengths, infinite where there is no path, and for
** each node the node before it on the path (-1: none; NULL: not wanted). With `nearest` there is one row, of paths from
** the nearest of all sources, and source[v] is that source, or -1 for nodes that none reaches. */
typedef struct ma_paths {
  const ma_pattern *edges;
  ma_path_method method;
  const int32_t *from;
  int64_t count;
  double limit; /* longer paths do not count */
  bool nearest;
  double *length;
  int32_t *before, *source;
} ma_paths;
ma_status ma_csgraph_paths(ma_paths *paths);
/* All paths between n nodes. `length` is n x n: at first the edges, infinite where there is none, and at the end the
** paths. */
ma_status ma_csgraph_all_paths(int32_t n, double *length, int32_t *before);

#pragma GCC visibility pop
#endif
