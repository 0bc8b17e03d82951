/* graph.c: graphs of the pretended driver: lists of launches, fills and copies. */
#include "graph.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define PASS(name, parameters) EXPORT CUresult name parameters

/* A kernel's image has one set of threads and one shared memory, whichever thread of the host launches it. */
static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER;
void pretend_run_now(launcher *function, const unsigned *grid, const unsigned *block, void **parameters) {
  pthread_mutex_lock(&launching);
  function(grid, block, parameters);
  pthread_mutex_unlock(&launching);
}

void pretend_fill(const work *w) {
  char *to = (char *)(uintptr_t)w->to;
  for (size_t i = 0; i < w->n; i++) memcpy(to + i * w->bytes, &w->value, w->bytes);
}

CUgraph pretend_graph(void) {
  CUgraph made = calloc(1, sizeof *made);
  made->last = &made->first;
  return made;
}

CUresult pretend_queue(CUgraph graph, work w) {
  work *made = malloc(sizeof *made);
  *made = w;
  *graph->last = made;
  graph->last = &made->next;
  return 0;
}

/* Copies parameters; a launcher without a grid gives their sizes. */
static CUresult take(work *w, void **parameters) {
  size_t size[65];
  w->function(NULL, NULL, (void **)size);
  for (int i = 0; size[i]; i++) {
    if (!w->parameters[i] && posix_memalign(&w->parameters[i], 64, size[i])) return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(w->parameters[i], parameters[i], size[i]);
  }
  return 0;
}

CUresult pretend_queue_launch(CUgraph graph, launcher *function, const unsigned *grid, const unsigned *block,
                              void **parameters) {
  work w = { .function = function };
  memcpy(w.grid, grid, sizeof w.grid);
  memcpy(w.block, block, sizeof w.block);
  CUresult result = take(&w, parameters);
  return result ? result : pretend_queue(graph, w);
}

void pretend_run(CUgraph graph) {
  for (work *w = graph->first; w; w = w->next)
    if (w->function) pretend_run_now(w->function, w->grid, w->block, w->parameters);
    else if (w->call) w->call(w->data);
    else if (w->from) memmove((void *)(uintptr_t)w->to, (void *)(uintptr_t)w->from, w->n);
    else pretend_fill(w);
}

PASS(cuGraphCreate, (CUgraph * graph, unsigned flags))
{
  *graph = pretend_graph();
  return 0;
}
/* The order of a list is the only one that there is here. A node is its work. */
PASS(cuGraphAddKernelNode_v2,
     (CUgraphNode * node, CUgraph graph, const CUgraphNode *before, size_t nbefore, const CUDA_KERNEL_NODE_PARAMS *p))
{
  const unsigned grid[] = { p->gridDimX, p->gridDimY, p->gridDimZ };
  const unsigned block[] = { p->blockDimX, p->blockDimY, p->blockDimZ };
  if (block[0] * block[1] * block[2] > 1024) return CUDA_ERROR_INVALID_VALUE;
  if (nbefore ? !before || (work *)*before == NULL : graph->first != NULL) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = pretend_queue_launch(graph, (launcher *)(void *)p->func, grid, block, p->kernelParams);
  work *last = graph->first;
  while (last->next) last = last->next;
  *node = (CUgraphNode)(void *)last;
  return result;
}
PASS(cuGraphExecKernelNodeSetParams_v2, (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p))
{
  for (work *w = ((CUgraph)exec)->first; w; w = w->next)
    if (w == (work *)(void *)node && w->function == (launcher *)(void *)p->func) return take(w, p->kernelParams);
  return CUDA_ERROR_INVALID_VALUE;
}
PASS(cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags))
{
  CUgraph made = calloc(1, sizeof *made);
  *made = *graph;
  graph->first = NULL; /* taken over: a graph here is instantiated once */
  *exec = (CUgraphExec)made;
  return 0;
}
PASS(cuGraphDestroy, (CUgraph graph))
{
  for (work *w = graph->first, *next; w; w = next) {
    next = w->next;
    for (int i = 0; w->parameters[i]; i++) free(w->parameters[i]);
    if (w->drop) w->drop(w->data);
    free(w);
  }
  free(graph);
  return 0;
}
PASS(cuGraphDebugDotPrint, (CUgraph graph, const char *path, unsigned flags))
{
  FILE *f = fopen(path, "w");
  if (!f) return CUDA_ERROR_INVALID_VALUE;
  fputs("digraph dot {\n}\n", f);
  fclose(f);
  return 0;
}
PASS(cuGraphExecDestroy, (CUgraphExec exec))
{ return cuGraphDestroy((CUgraph)exec); }
