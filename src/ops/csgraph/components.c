/* components.c: parts of a graph that hang together; a graph with each edge in both directions. */
#include "ops/csgraph/csgraph.h"

#include <stdlib.h>
#include <string.h>

void ma_csgraph_free(ma_pattern *g) {
  free(g->start);
  free(g->row);
  free((void *)g->value);
  *g = (ma_pattern){ 0 };
}

ma_status ma_csgraph_both(const ma_pattern *g, ma_pattern *both) {
  int32_t n = g->n;
  int64_t nnz = g->start[n];
  const double *value = g->value;
  double *length = value ? malloc((size_t)(2 * nnz + 1) * sizeof *length) : NULL;
  *both = (ma_pattern){ .m = n, .n = n, .value = length };
  both->start = calloc((size_t)n + 2, sizeof *both->start);
  both->row = malloc((size_t)(2 * nnz + 1) * sizeof *both->row);
  if (!both->start || !both->row || (value && !length)) {
    ma_csgraph_free(both);
    return ma_fail(MA_ERR_MEMORY, "out of memory: a graph of %lld edges", (long long)nnz);
  }
  int64_t *at = both->start + 1;
  for (int64_t k = 0; k < nnz; k++) at[g->row[k] + 1]++;
  for (int32_t v = 0; v < n; v++) at[v + 1] += at[v] + (g->start[v + 1] - g->start[v]);
  /* at[v] is where the edges of v begin; once they are written it is where they end */
  for (int32_t v = 0; v < n; v++) {
    for (int64_t k = g->start[v]; k < g->start[v + 1]; k++) {
      if (length) length[at[v]] = value[k];
      both->row[at[v]++] = g->row[k];
    }
  }
  for (int32_t v = 0; v < n; v++) {
    for (int64_t k = g->start[v]; k < g->start[v + 1]; k++) {
      int32_t to = g->row[k];
      if (length) length[at[to]] = value[k];
      both->row[at[to]++] = v;
    }
  }
  return MA_OK;
}

/* Weak components, by a tree of nodes for each. The root is the component's first node. */
static void weak(const ma_pattern *g, int32_t *up, int32_t *label, int32_t *count) {
  for (int32_t v = 0; v < g->n; v++) up[v] = v;
  for (int32_t v = 0; v < g->n; v++) {
    for (int64_t k = g->start[v]; k < g->start[v + 1]; k++) {
      int32_t a = ma_csgraph_root(up, v), b = ma_csgraph_root(up, g->row[k]);
      if (a < b) up[b] = a;
      else up[a] = b;
    }
  }
  *count = 0;
  for (int32_t v = 0; v < g->n; v++) {
    int32_t root = ma_csgraph_root(up, v);
    label[v] = root == v ? (*count)++ : label[root];
  }
}

/* Strong components, by Tarjan's algorithm without recursion. A node's last edge is followed first, as in SciPy. */
static void strong(const ma_pattern *g, int32_t *work, int64_t *edge, int32_t *label, int32_t *count) {
  int32_t n = g->n, *number = work, *low = work + n, *path = work + 2 * (size_t)n, *open = work + 3 * (size_t)n;
  int32_t nopen = 0, next = 1;
  *count = 0;
  memset(number, 0, (size_t)n * sizeof *number);
  for (int32_t v = 0; v < n; v++) label[v] = -1;
  for (int32_t root = 0; root < n; root++) {
    if (number[root]) continue;
    int32_t depth = 0;
    path[0] = open[nopen++] = root;
    number[root] = low[root] = next++;
    edge[0] = g->start[root + 1];
    while (depth >= 0) {
      int32_t v = path[depth];
      if (edge[depth] > g->start[v]) {
        int32_t to = g->row[--edge[depth]];
        if (!number[to]) {
          path[++depth] = open[nopen++] = to;
          number[to] = low[to] = next++;
          edge[depth] = g->start[to + 1];
        } else if (label[to] < 0 && number[to] < low[v]) {
          low[v] = number[to];
        }
        continue;
      }
      if (low[v] == number[v]) {
        int32_t out;
        do label[out = open[--nopen]] = *count;
        while (out != v);
        (*count)++;
      }
      if (--depth >= 0 && low[v] < low[path[depth]]) low[path[depth]] = low[v];
    }
  }
}

ma_status ma_csgraph_components(const ma_pattern *g, bool is_strong, int32_t *label, int32_t *count) {
  size_t n = (size_t)g->n + 1;
  int32_t *work = malloc(n * 4 * sizeof *work);
  int64_t *edge = malloc(n * sizeof *edge);
  ma_status status = MA_OK;
  if (!work || !edge) status = ma_fail(MA_ERR_MEMORY, "out of memory: components of %d nodes", g->n);
  else if (is_strong) strong(g, work, edge, label, count);
  else weak(g, work, label, count);
  free(work);
  free(edge);
  return status;
}
