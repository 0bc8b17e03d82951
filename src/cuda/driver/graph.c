/*
** graph.c: graphs of the driver. Captures use the relaxed mode: src/memory/graph.c decides what may run meanwhile,
** before the driver sees it. The stricter modes would refuse calls that are needed: for memory, modules, and waits for
** other streams.
*/
#include "base/inject.h"
#include "cuda/cuda.h"
#include "memory/graph.h"

#include <stdlib.h>

typedef struct graph {
  CUgraphExec exec;
  uint32_t generation; /* of the device; a reset ends it */
} graph;

/* Records the tail first: other streams wait for earlier work, and must not become part of the capture. */
static ma_status begin(ma_stream *stream) {
  MA_TRY(ma_cuda_stream_end(stream));
  MA_CU(cuStreamBeginCapture, stream->handle, CU_STREAM_CAPTURE_MODE_RELAXED);
  return MA_OK;
}

ma_status ma_cuda_capture_begin(ma_stream *stream, void **handle) {
  graph *g = calloc(1, sizeof *g);
  if (!g) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a graph");
  g->generation = stream->device->generation;
  ma_status status = begin(stream);
  if (status != MA_OK) free(g);
  else *handle = g;
  return status;
}

ma_status ma_cuda_capture_end(ma_stream *stream, void *handle, bool keep) {
  graph *g = handle;
  CUgraph recorded = NULL;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_CU(cuStreamEndCapture, stream->handle, &recorded);
  CUresult result = keep ? ma_cu.cuGraphInstantiate(&g->exec, recorded, 0) : CUDA_SUCCESS;
  if (recorded) ma_cu.cuGraphDestroy(recorded);
  /* Otherwise the first launch would upload it. */
  if (keep && result == CUDA_SUCCESS && ma_cu.cuGraphUpload) ma_cu.cuGraphUpload(g->exec, stream->handle);
  return result == CUDA_SUCCESS ? MA_OK : ma_cuda_fail(MA_CU_cuGraphInstantiate, result);
}

ma_status ma_cuda_graph_launch(ma_stream *stream, void *handle) {
  const graph *g = handle;
  MA_TRY(ma_cuda_enter(stream->device));
  if (g->generation != stream->device->generation)
    return ma_fail(MA_ERR_DEVICE, "a graph from before the reset of %s; record it again", stream->device->name);
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a graph"));
  ma_cuda_trail_note(stream, "a graph", true);
  MA_CU(cuGraphLaunch, g->exec, stream->handle);
  return MA_OK;
}

/* If the graph still runs, the driver destroys it afterwards. */
void ma_cuda_graph_free(ma_device *device, void *handle) {
  graph *g = handle;
  if (g->exec && g->generation == device->generation && ma_cuda_enter(device) == MA_OK)
    ma_cu.cuGraphExecDestroy(g->exec);
  free(g);
}
