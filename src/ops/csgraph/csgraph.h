/*
** csgraph.h: searches and trees of graphs, on the host. A graph is a square ma_pattern: `row` from start[v] on has the
** nodes that edges from v lead to, and `value` is the edges' lengths as double, or NULL: all are 1. Nodes count from 0.
*/
#ifndef MOONARRAY_CSGRAPH_H
#define MOONARRAY_CSGRAPH_H

#include "ops/factors/factors.h"

#pragma GCC visibility push(hidden)

/* Every edge in both directions: a node's own edges, then those that lead to it. Free it by ma_graph_free. */
ma_status ma_graph_both(const ma_pattern *g, ma_pattern *both);
void ma_graph_free(ma_pattern *g);

/* The root of node v, where up[v] is a node nearer to it; the way is shortened. */
static inline int32_t ma_graph_root(int32_t *up, int32_t v) {
  while (up[v] != v) {
    up[v] = up[up[v]];
    v = up[v];
  }
  return v;
}

/* components.c: label[v] counts components from 0 on, in the order of their first nodes; of strong components in the
** order in which a search leaves them. */
ma_status ma_graph_components(const ma_pattern *g, bool strong, int32_t *label, int32_t *count);

/* orders.c: the nodes that are reached from `from`, in the order of the search, and the node that each was reached
** from, -1 for all others. */
ma_status ma_graph_search(const ma_pattern *g, int32_t from, bool depth_first, int32_t *order, int32_t *before,
                          int32_t *count);
/* Reversed Cuthill-McKee of a symmetric pattern. */
ma_status ma_graph_narrow(const ma_pattern *g, int32_t *order);
/* match.c: the column that each row is matched with, -1: none; g may be rectangular: its `n` rows in `m` columns. */
ma_status ma_graph_match(const ma_pattern *g, int32_t *column);
/* tree.c: marks the edges of a tree (or several) of least length; `order` has the edges by length, from 1 on. */
ma_status ma_graph_tree(const ma_pattern *g, const int64_t *order, bool *is_kept);

typedef enum ma_path_method { MA_PATH_DIJKSTRA, MA_PATH_BELLMAN_FORD, MA_PATH_JOHNSON, MA_NPATH } ma_path_method;

/* paths.c: shortest paths from each of `count` nodes: rows of n lengths, infinite where there is no path, and the node
** before each on it (-1: none; NULL: not wanted). `nearest`: one row, the paths from the nearest of all sources, and
** source[v], -1 for nodes out of reach. */
typedef struct ma_paths {
  const ma_pattern *graph;
  ma_path_method method;
  const int32_t *from;
  int64_t count;
  double limit; /* longer paths do not count */
  bool nearest;
  double *length;
  int32_t *before, *source;
} ma_paths;
ma_status ma_graph_paths(ma_paths *paths);
/* All paths between n nodes: length is n x n with the edges, infinite where there is none, and becomes the paths. */
ma_status ma_graph_all_paths(int32_t n, double *length, int32_t *before);

#pragma GCC visibility pop
#endif
