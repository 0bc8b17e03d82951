/* orders.c: orders of the nodes of a graph by searches. */
#include "ops/csgraph/csgraph.h"

#include <stdlib.h>
#include <string.h>

static int32_t breadth_first(const ma_pattern *g, int32_t from, uint8_t *restrict is_new, int32_t *restrict order,
                             int32_t *restrict before) {
  const int64_t *start = g->start;
  const int32_t *row = g->row;
  int32_t n = g->n, count = 1;
  order[0] = from;
  is_new[from] = 0;
  for (int32_t at = 0; at < count && count < n; at++) {
    int32_t v = order[at];
    int64_t end = start[v + 1];
    for (int64_t k = start[v]; k < end; k++) {
      int32_t to = row[k];
      if (!is_new[to]) continue;
      is_new[to] = 0;
      before[to] = v;
      order[count++] = to;
    }
  }
  return count;
}

/* A depth-first search. `edge` is where it goes on when it comes back to a node of its path. */
static int32_t depth_first(const ma_pattern *g, int32_t from, uint8_t *restrict is_new, int32_t *restrict path,
                           int64_t *restrict edge, int32_t *restrict order, int32_t *restrict before) {
  const int64_t *start = g->start;
  const int32_t *row = g->row;
  int32_t n = g->n, count = 1, depth = 0, v = from;
  int64_t k = start[v], end = start[v + 1];
  order[0] = from;
  is_new[from] = 0;
  while (count < n) {
    while (k < end && !is_new[row[k]]) k++;
    if (k < end) {
      path[depth] = v;
      edge[depth++] = k + 1;
      int32_t to = row[k];
      is_new[to] = 0;
      before[to] = v;
      order[count++] = v = to;
      k = start[v];
    } else if (depth-- > 0) {
      v = path[depth];
      k = edge[depth];
    } else {
      break;
    }
    end = start[v + 1];
  }
  return count;
}

ma_status ma_csgraph_search(const ma_pattern *g, int32_t from, bool depth, int32_t *order, int32_t *before,
                            int32_t *count) {
  size_t n = (size_t)g->n + 1;
  uint8_t *is_new = malloc(n);
  int32_t *path = depth ? malloc(n * sizeof *path) : NULL;
  int64_t *edge = depth ? malloc(n * sizeof *edge) : NULL;
  ma_status status = MA_OK;
  if (!is_new || (depth && (!path || !edge))) {
    status = ma_fail(MA_ERR_MEMORY, "out of memory: a search of %d nodes", g->n);
  } else {
    memset(is_new, 1, n);
    for (int32_t v = 0; v < g->n; v++) before[v] = -1;
    *count = depth ? depth_first(g, from, is_new, path, edge, order, before)
                   : breadth_first(g, from, is_new, order, before);
  }
  free(is_new);
  free(path);
  free(edge);
  return status;
}

/* Counts the edges of each node. An edge to the node itself counts twice, as in SciPy. */
static void count_edges(const ma_pattern *g, int32_t *degree) {
  for (int32_t v = 0; v < g->n; v++) {
    degree[v] = (int32_t)(g->start[v + 1] - g->start[v]);
    for (int64_t k = g->start[v]; k < g->start[v + 1]; k++) {
      if (g->row[k] != v) continue;
      degree[v]++;
      break;
    }
  }
}

/* Sorts the nodes by their degrees; those of one degree keep their order. `first` has n + 2 places. */
static void sort_by_degree(int32_t n, const int32_t *degree, int32_t *first, int32_t *seed) {
  memset(first, 0, ((size_t)n + 2) * sizeof *first);
  for (int32_t v = 0; v < n; v++) first[(degree[v] > n ? n : degree[v]) + 1]++;
  for (int32_t d = 0; d <= n; d++) first[d + 1] += first[d];
  for (int32_t v = 0; v < n; v++) seed[first[degree[v] > n ? n : degree[v]]++] = v;
}

/* Sorts a node's new neighbours, stably. They are mostly few; a long list is merged from halves. */
static void sort_few(int32_t *node, int32_t n, const int32_t *degree, int32_t *room) {
  if (n <= 24) {
    for (int32_t i = 1; i < n; i++) {
      int32_t v = node[i], j = i;
      for (; j > 0 && degree[node[j - 1]] > degree[v]; j--) node[j] = node[j - 1];
      node[j] = v;
    }
    return;
  }
  int32_t half = n / 2, i = 0, j = half, to = 0;
  sort_few(node, half, degree, room);
  sort_few(node + half, n - half, degree, room);
  memcpy(room, node, (size_t)half * sizeof *node);
  while (i < half) node[to++] = j < n && degree[node[j]] < degree[room[i]] ? node[j++] : room[i++];
}

ma_status ma_csgraph_narrow(const ma_pattern *g, int32_t *order) {
  int32_t n = g->n, count = 0;
  size_t each = (size_t)n + 2;
  int32_t *degree = malloc(each * 3 * sizeof *degree);
  bool *seen = calloc(each, sizeof *seen);
  if (!degree || !seen) {
    free(degree);
    free(seen);
    return ma_fail(MA_ERR_MEMORY, "out of memory: an order of %d nodes", n);
  }
  int32_t *seed = degree + each, *room = seed + each;
  count_edges(g, degree);
  sort_by_degree(n, degree, room, seed);
  for (int32_t s = 0; s < n; s++) {
    if (seen[seed[s]]) continue;
    int32_t at = count;
    seen[seed[s]] = true;
    order[count++] = seed[s];
    for (; at < count; at++) {
      int32_t v = order[at], old = count;
      for (int64_t k = g->start[v]; k < g->start[v + 1]; k++) {
        int32_t to = g->row[k];
        if (seen[to]) continue;
        seen[to] = true;
        order[count++] = to;
      }
      sort_few(order + old, count - old, degree, room);
    }
  }
  for (int32_t i = 0; i < n / 2; i++) {
    int32_t v = order[i];
    order[i] = order[n - 1 - i];
    order[n - 1 - i] = v;
  }
  free(degree);
  free(seen);
  return MA_OK;
}
