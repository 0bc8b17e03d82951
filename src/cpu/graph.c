/* graph.c: graphs on the CPU. While a stream records, its tasks (submit.h) are copied with everything that they
** point to except arrays' memory, and they run at each launch. */
#include "cpu/cpu.h"
#include "memory/graph.h"
#include "cpu/submit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct node {
  struct node *next;
  const ma_task *task;
  char function[32]; /* for a fault */
  _Alignas(16) char job[];
} node;

typedef struct graph {
  node *first, **last;
} graph;

ma_status ma_cpu_record(ma_stream *stream, const ma_task *task, const void *job, size_t size) {
  graph *g = stream->capture->handle;
  node *made = malloc(sizeof *made + (task->size ? task->size(job) : size));
  if (!made) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a graph");
  made->next = NULL;
  made->task = task;
  snprintf(made->function, sizeof made->function, "%s", ma_cpu_function());
  if (task->copy) task->copy(made->job, job);
  else memcpy(made->job, job, size);
  *g->last = made;
  g->last = &made->next;
  return MA_OK;
}

ma_status ma_cpu_graph_begin(ma_stream *stream, void **handle) {
  graph *g = malloc(sizeof *g);
  if (!g) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a graph");
  g->first = NULL;
  g->last = &g->first;
  *handle = g;
  return MA_OK;
}

ma_status ma_cpu_graph_end(ma_stream *stream, void *handle, bool keep) { return MA_OK; }

ma_status ma_cpu_graph_launch(ma_stream *stream, void *handle) {
  const graph *g = handle;
  ma_status status = MA_OK;
  for (const node *n = g->first; n && status == MA_OK; n = n->next) {
    ma_cpu_name_function(n->function);
    status = ma_cpu_run(stream, n->task, n->job);
  }
  ma_cpu_name_function("launch");
  return status;
}

/* The graph as text: a chain, because the CPU does one thing after another. */
ma_status ma_cpu_graph_dot(ma_device *device, void *handle, unsigned flags, char **text) {
  const graph *g = handle;
  ma_ctext dot = { 0 };
  int k = 0;
  ma_ctext_put(&dot, "digraph dot {\nsubgraph cluster_0 {\nlabel=\"graph_0\" graph[style=\"dashed\"];\n");
  for (const node *n = g->first; n; n = n->next, k++) {
    ma_ctext_add(&dot, "\"graph_0_node_%d\"[shape=\"rectangle\" label=\"%d\\n%s\"];\n", k, k,
                 n->task->name_of ? n->task->name_of(n->job) : n->task->name);
    if (k) ma_ctext_add(&dot, "\"graph_0_node_%d\" -> \"graph_0_node_%d\";\n", k - 1, k);
  }
  ma_ctext_put(&dot, "}\n}\n");
  *text = dot.bytes; /* the caller frees it */
  return dot.failed ? ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for the text of a graph") : MA_OK;
}

void ma_cpu_graph_free(ma_device *device, void *handle) {
  graph *g = handle;
  for (node *n = g->first, *next; n; n = next) {
    next = n->next;
    free(n);
  }
  free(g);
}
