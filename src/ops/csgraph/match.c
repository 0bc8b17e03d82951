/* match.c: matchings of rows and columns (Hopcroft and Karp), and trees of least length (Kruskal). */
#include "ops/csgraph/csgraph.h"

#include <stdlib.h>
#include <string.h>

#define NONE (-1)

typedef struct matching {
  const ma_pattern *g;
  int32_t *column, *row; /* partners of rows and of columns */
  int32_t *level;        /* of a row in the present search */
  int32_t *queue;        /* rows of the search; also the path to a free column */
  int64_t *edge;         /* the next edge to try, for each row */
} matching;

/* Matches each row with its first free column. */
static void match_greedily(matching *m) {
  for (int32_t v = 0; v < m->g->n; v++) {
    for (int64_t k = m->g->start[v]; k < m->g->start[v + 1] && m->column[v] == NONE; k++) {
      int32_t c = m->g->row[k];
      if (m->row[c] != NONE) continue;
      m->row[c] = v;
      m->column[v] = c;
    }
  }
}

/* Numbers rows by their distance from rows without a partner. Returns whether it saw a column without one. */
static bool find_levels(matching *m) {
  const ma_pattern *g = m->g;
  int32_t count = 0;
  bool found = false;
  for (int32_t v = 0; v < g->n; v++) {
    m->level[v] = NONE;
    m->edge[v] = g->start[v];
    if (m->column[v] != NONE) continue;
    m->level[v] = 0;
    m->queue[count++] = v;
  }
  for (int32_t at = 0; at < count; at++) {
    int32_t v = m->queue[at];
    for (int64_t k = g->start[v]; k < g->start[v + 1]; k++) {
      int32_t next = m->row[g->row[k]];
      if (next == NONE) {
        found = true;
      } else if (m->level[next] == NONE) {
        m->level[next] = m->level[v] + 1;
        m->queue[count++] = next;
      }
    }
  }
  return found;
}

/* Goes down the levels from row `from` to a free column, and exchanges the partners on the way. */
static void augment(matching *m, int32_t from) {
  const ma_pattern *g = m->g;
  int32_t depth = 0, *path = m->queue;
  path[0] = from;
  while (depth >= 0) {
    int32_t v = path[depth];
    if (m->edge[v] == g->start[v + 1]) {
      m->level[v] = NONE; /* this row leads nowhere */
      depth--;
      if (depth >= 0) m->edge[path[depth]]++;
      continue;
    }
    int32_t next = m->row[g->row[m->edge[v]]];
    if (next == NONE) {
      for (; depth >= 0; depth--) {
        int32_t row = path[depth], column = g->row[m->edge[row]++];
        m->column[row] = column;
        m->row[column] = row;
        m->level[row] = NONE;
      }
      return;
    }
    if (m->level[next] == m->level[v] + 1) path[++depth] = next;
    else m->edge[v]++;
  }
}

ma_status ma_csgraph_match(const ma_pattern *g, int32_t *column) {
  size_t n = (size_t)g->n + 1;
  int32_t *work = malloc((n * 2 + (size_t)g->m + 1) * sizeof *work);
  matching m = { .g = g, .column = column, .edge = malloc(n * sizeof *m.edge) };
  if (!work || !m.edge) {
    free(work);
    free(m.edge);
    return ma_fail(MA_ERR_MEMORY, "out of memory: a matching of %d rows", g->n);
  }
  m.level = work;
  m.queue = work + n;
  m.row = work + 2 * n;
  for (int32_t v = 0; v < g->n; v++) column[v] = NONE;
  for (int32_t c = 0; c < g->m; c++) m.row[c] = NONE;
  match_greedily(&m);
  while (find_levels(&m))
    for (int32_t v = 0; v < g->n; v++)
      if (m.column[v] == NONE) augment(&m, v);
  free(work);
  free(m.edge);
  return MA_OK;
}

ma_status ma_csgraph_tree(const ma_pattern *g, const int64_t *order, bool *is_kept) {
  int64_t nnz = g->start[g->n];
  int32_t *up = malloc(((size_t)g->n + 1) * sizeof *up), *weight = malloc(((size_t)g->n + 1) * sizeof *weight);
  int32_t *from = malloc((size_t)(nnz + 1) * sizeof *from), left = g->n - 1;
  ma_status status = MA_OK;
  if (!up || !weight || !from) {
    status = ma_fail(MA_ERR_MEMORY, "out of memory: a tree of %d nodes", g->n);
    goto done;
  }
  memset(is_kept, 0, (size_t)nnz);
  for (int32_t v = 0; v < g->n; v++) {
    up[v] = v;
    weight[v] = 1;
    for (int64_t k = g->start[v]; k < g->start[v + 1]; k++) from[k] = v;
  }
  for (int64_t at = 0; at < nnz && left > 0; at++) {
    int64_t k = order[at] - 1;
    if (k < 0 || k >= nnz) {
      status = ma_fail(MA_ERR_INDEX, "edge %lld of %lld", (long long)order[at], (long long)nnz);
      goto done;
    }
    int32_t a = ma_csgraph_root(up, from[k]), b = ma_csgraph_root(up, g->row[k]);
    if (a == b) continue;
    if (weight[a] < weight[b]) {
      int32_t c = a;
      a = b;
      b = c;
    }
    up[b] = a;
    weight[a] += weight[b];
    is_kept[k] = true;
    left--;
  }
done:
  free(up);
  free(weight);
  free(from);
  return status;
}
