/* paths.c: shortest paths. */
#include "ops/csgraph/csgraph.h"
#include "base/threads.h"
#include "tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)
#define WIDTH 4 /* children of a place of the heap */

/* The nodes that were reached but not left yet, the nearest first. */
typedef struct heap {
  int32_t *node, count;
  int32_t *place; /* of each node; NONE: not reached, count of nodes: left */
  double *length;
} heap;

static void move_up(heap *h, int32_t at, int32_t v) {
  while (at > 0) {
    int32_t up = (at - 1) / WIDTH;
    if (!(h->length[v] < h->length[h->node[up]])) break;
    h->node[at] = h->node[up];
    h->place[h->node[at]] = at;
    at = up;
  }
  h->node[at] = v;
  h->place[v] = at;
}

static int32_t take_nearest(heap *h) {
  int32_t first = h->node[0], v = h->node[--h->count], at = 0;
  for (;;) {
    int32_t child = WIDTH
    *at + 1, best = child;
    if (child >= h->count) break;
    for (int32_t c = child + 1; c < child + WIDTH && c < h->count; c++)
      if (h->length[h->node[c]] < h->length[h->node[best]]) best = c;
    if (!(h->length[h->node[best]] < h->length[v])) break;
    h->node[at] = h->node[best];
    h->place[h->node[at]] = at;
    at = best;
  }
  h->node[at] = v;
  h->place[v] = at;
  return first;
}

typedef struct search {
  const ma_paths *paths;
  /* For Johnson's algorithm: an edge from u to v is longer by height[u] - height[v]; NULL: it is not. */
  const double *height;
} search;

static void reach(heap *h, int32_t v, double length) {
  bool is_new = h->place[v] == NONE;
  h->length[v] = length;
  move_up(h, is_new ? h->count++ : h->place[v], v);
}

/* Dijkstra's search from all nodes that are in the heap. The lengths of all others are infinite at first. */
static void dijkstra(const search *s, heap *h, int32_t *before, int32_t *source) {
  const ma_pattern *g = s->paths->edges;
  const double *value = g->value, *height = s->height;
  while (h->count > 0) {
    int32_t v = take_nearest(h);
    h->place[v] = g->n;
    for (int64_t k = g->start[v]; k < g->start[v + 1]; k++) {
      int32_t to = g->row[k];
      if (h->place[to] == g->n) continue;
      double edge = value ? value[k] : 1;
      if (height) edge = fmax(0, edge + height[v] - height[to]); /* only rounding makes it negative */
      double length = h->length[v] + edge;
      if (!(length < h->length[to]) || length > s->paths->limit) continue;
      reach(h, to, length);
      if (before) before[to] = v;
      if (source) source[to] = source[v];
    }
  }
}

static ma_status from_nodes(void *context, int64_t first, int64_t last) {
  const search *s = context;
  const ma_paths *p = s->paths;
  int32_t n = p->edges->n;
  size_t each = (size_t)n + 1;
  heap h = { .node = malloc(each * sizeof *h.node), .place = malloc(each * sizeof *h.place) };
  ma_status status = h.node && h.place ? MA_OK : ma_fail(MA_ERR_MEMORY, "out of memory: paths of %d nodes", n);
  for (int64_t k = first; k < last && status == MA_OK; k++) {
    h.length = p->length + k * n;
    h.count = 0;
    for (int32_t v = 0; v < n; v++) {
      h.length[v] = INFINITY;
      h.place[v] = NONE;
    }
    for (int64_t i = k; i < (p->nearest ? p->count : k + 1); i++) {
      if (h.place[p->from[i]] == NONE) reach(&h, p->from[i], 0);
      if (p->source) p->source[p->from[i]] = p->from[i];
    }
    dijkstra(s, &h, p->before ? p->before + k * n : NULL, p->source);
    if (s->height)
      for (int32_t v = 0; v < n; v++) h.length[v] += s->height[v] - s->height[p->from[k]];
  }
  free(h.node);
  free(h.place);
  return status;
}

/* Shortens lengths edge by edge until none changes. Returns false if there is a cycle of negative length. `wait` and
** `is_in` are a ring of the nodes whose length changed, with n + 1 places each. */
static bool relax(const ma_pattern *g, double *length, int32_t *before, int32_t *ring, int32_t *passes) {
  const double *value = g->value;
  int32_t n = g->n, room = n + 1, first = 0, last = 0;
  memset(passes, 0, (size_t)room * sizeof *passes);
  for (int32_t v = 0; v < n; v++) {
    if (length[v] == INFINITY) continue;
    ring[last++] = v;
    passes[v] = 1;
  }
  last %= room;
  while (first != last) {
    int32_t v = ring[first];
    first = (first + 1) % room;
    passes[v] = -passes[v]; /* it has left the ring */
    for (int64_t k = g->start[v]; k < g->start[v + 1]; k++) {
      int32_t to = g->row[k];
      double sum = length[v] + (value ? value[k] : 1);
      if (!(sum < length[to])) continue;
      length[to] = sum;
      if (before) before[to] = v;
      if (passes[to] > 0) continue;
      if (-passes[to] > n) return false;
      passes[to] = 1 - passes[to];
      ring[last] = to;
      last = (last + 1) % room;
    }
  }
  return true;
}

static ma_status bellman_ford(const ma_paths *p, double *height) {
  int32_t n = p->edges->n;
  size_t each = (size_t)n + 1;
  int32_t *ring = malloc(each * 2 * sizeof *ring);
  ma_status status = ring ? MA_OK : ma_fail(MA_ERR_MEMORY, "out of memory: paths of %d nodes", n);
  for (int64_t k = 0; k < (height ? 1 : p->count) && status == MA_OK; k++) {
    double *length = height ? height : p->length + k * n;
    for (int32_t v = 0; v < n; v++) length[v] = height ? 0 : INFINITY;
    if (!height) length[p->from[k]] = 0;
    if (!relax(p->edges, length, height || !p->before ? NULL : p->before + k * n, ring, ring + each))
      status = ma_fail(MA_ERR_VALUE, "a cycle of negative length; there are no shortest paths");
  }
  free(ring);
  return status;
}

ma_status ma_csgraph_paths(ma_paths *p) {
  int64_t n = p->edges->n, rows = p->nearest ? 1 : p->count;
  search s = { .paths = p };
  if (p->before)
    for (int64_t k = 0; k < rows * n; k++) p->before[k] = NONE;
  if (p->source)
    for (int64_t k = 0; k < n; k++) p->source[k] = NONE;
  if (n == 0 || p->count == 0) return MA_OK;
  if (p->method == MA_PATH_BELLMAN_FORD) return bellman_ford(p, NULL);
  double *height = NULL;
  ma_status status = MA_OK;
  if (p->method == MA_PATH_JOHNSON) {
    height = malloc((size_t)n * sizeof *height);
    status = height ? bellman_ford(p, height)
                    : ma_fail(MA_ERR_MEMORY, "out of memory: paths of %lld nodes", (long long)n);
  }
  s.height = height;
  if (status == MA_OK) status = ma_cpu_parallel(rows, 1 + TUNE_THREAD_SLOW / n, from_nodes, &s);
  free(height);
  return status;
}

/* ==== Between all nodes ========================================================================================== */

typedef struct all_paths {
  int32_t n, by;
  double *length;
  int32_t *before;
} all_paths;

static ma_status through(void *context, int64_t first, int64_t last) {
  const all_paths *p = context;
  int64_t n = p->n;
  const double *restrict middle = p->length + p->by * n;
  const int32_t *last_before = p->before ? p->before + p->by * n : NULL;
  for (int64_t i = first; i < last; i++) {
    double to = p->length[i * n + p->by];
    if (to == INFINITY || i == p->by) continue;
    double *restrict row = p->length + i * n;
    if (!last_before) {
      for (int64_t j = 0; j < n; j++) {
        double way = to + middle[j];
        row[j] = way < row[j] ? way : row[j];
      }
      continue;
    }
    int32_t *before = p->before + i * n;
    for (int64_t j = 0; j < n; j++) {
      if (!(to + middle[j] < row[j])) continue;
      row[j] = to + middle[j];
      before[j] = last_before[j];
    }
  }
  return MA_OK;
}

ma_status ma_csgraph_all_paths(int32_t n, double *length, int32_t *before) {
  all_paths p = { .n = n, .length = length, .before = before };
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < n; j++)
      if (before) before[i * n + j] = i != j && length[i * n + j] < INFINITY ? (int32_t)i : NONE;
    if (length[i * n + i] > 0) length[i * n + i] = 0;
  }
  for (p.by = 0; p.by < n; p.by++) MA_TRY(ma_cpu_parallel(n, 1 + TUNE_THREAD_ELEMENTS / n, through, &p));
  for (int64_t i = 0; i < n; i++)
    if (length[i * n + i] < 0) return ma_fail(MA_ERR_VALUE, "a cycle of negative length; there are no shortest paths");
  return MA_OK;
}
