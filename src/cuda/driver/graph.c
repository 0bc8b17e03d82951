/*
** graph.c: graphs of the driver. Captures use the relaxed mode: src/memory/graph.c decides what may run meanwhile,
** before the driver sees it. The stricter modes would refuse calls that are needed: for memory, modules, and waits for
** other streams.
*/
#include "base/inject.h"
#include "cuda/distributed/nccl.h"
#include "compile/cache.h"
#include "memory/graph.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct graph {
  CUgraphExec exec;
  CUgraph recorded;    /* for debug_dot_str */
  uint32_t generation; /* of the device; a reset ends it */
  bool collective;     /* it has calls of NCCL */
} graph;

/* Begins a capture. The tail is recorded first: other streams wait for work before it, and must not become a part of
** the capture. */
static ma_status begin(ma_stream *stream) {
  MA_TRY(ma_cuda_stream_end(stream));
  MA_CU(cuStreamBeginCapture, ma_cuda_queue(stream), CU_STREAM_CAPTURE_MODE_RELAXED);
  return MA_OK;
}

ma_status ma_cuda_graph_begin(ma_stream *stream, void **handle) {
  graph *g = calloc(1, sizeof *g);
  if (!g) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a graph");
  g->generation = stream->device->generation;
  ma_status status = begin(stream);
  if (status != MA_OK) free(g);
  else *handle = g;
  return status;
}

ma_status ma_cuda_graph_end(ma_stream *stream, void *handle, bool keep) {
  graph *g = handle;
  MA_TRY(ma_cuda_enter(stream->device));
  g->collective = ma_cuda_comm_recorded(stream);
  MA_CU(cuStreamEndCapture, ma_cuda_queue(stream), &g->recorded);
  CUresult result = keep ? ma_cu.cuGraphInstantiate(&g->exec, g->recorded, 0) : CUDA_SUCCESS;
  /* Otherwise the first launch would upload it. */
  if (keep && result == CUDA_SUCCESS && ma_cu.cuGraphUpload) ma_cu.cuGraphUpload(g->exec, ma_cuda_queue(stream));
  return result == CUDA_SUCCESS ? MA_OK : ma_cuda_fail(MA_CU_cuGraphInstantiate, result);
}

static ma_status enter(ma_device *device, const graph *g) {
  MA_TRY(ma_cuda_enter(device));
  return g->generation == device->generation
           ? MA_OK
           : ma_fail(MA_ERR_DEVICE, "a graph from before the reset of %s; record it again", device->name);
}

ma_status ma_cuda_graph_upload(ma_stream *stream, void *handle) {
  const graph *g = handle;
  MA_TRY(enter(stream->device, g));
  if (ma_cu.cuGraphUpload) MA_CU(cuGraphUpload, g->exec, ma_cuda_queue(stream));
  return MA_OK;
}

/* Whether the text ends with the closing brace of the graph. The driver does not say when its file could not be
** written. */
static bool is_whole(const char *text) {
  size_t n = strlen(text);
  while (n > 0 && isspace((unsigned char)text[n - 1])) n--;
  return n > 0 && text[n - 1] == '}';
}

/* All of a file, and a zero behind it. */
static ma_status read_text(const char *path, char **text) {
  long size = -1;
  bool whole = false;
  FILE *file = fopen(path, "re");
  if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  *text = size < 0 ? NULL : malloc((size_t)size + 1);
  if (*text) {
    rewind(file);
    size_t got = fread(*text, 1, (size_t)size, file);
    (*text)[got] = '\0';
    whole = got == (size_t)size && is_whole(*text);
  }
  if (file) fclose(file);
  if (*text && whole) return MA_OK;
  if (*text) {
    free(*text);
    *text = NULL;
    return ma_fail(MA_ERR_IO, "the text of a graph is not whole: the disk may be full");
  }
  return size < 0 ? ma_fail(MA_ERR_IO, "the text of a graph cannot be read: %s", strerror(errno))
                  : ma_fail(MA_ERR_MEMORY, "out of memory: %ld bytes for the text of a graph", size);
}

/* The text of the graph. The driver can only write it to a path, so it goes through a file. */
ma_status ma_cuda_graph_dot(ma_device *device, void *handle, unsigned flags, char **text) {
  const graph *g = handle;
  const char *place[MA_WORK_PLACES];
  char folder[PATH_MAX], path[PATH_MAX + 16];
  bool made = false;
  MA_TRY(enter(device, g));
  if (!ma_cu.cuGraphDebugDotPrint) return ma_fail(MA_ERR_LIBRARY, "this driver describes no graphs");
  for (int i = 0, n = ma_work_places(place); i < n && !made; i++) made = ma_work_make(place[i], folder);
  if (!made) return ma_fail(MA_ERR_IO, "no temporary file for the text of a graph: %s", strerror(errno));
  snprintf(path, sizeof path, "%s/graph.dot", folder);
  CUresult result = ma_cu.cuGraphDebugDotPrint(g->recorded, path, flags);
  ma_status status = result == CUDA_SUCCESS ? read_text(path, text) : ma_cuda_fail(MA_CU_cuGraphDebugDotPrint, result);
  ma_work_remove(folder);
  return status;
}

ma_status ma_cuda_graph_launch(ma_stream *stream, void *handle) {
  const graph *g = handle;
  MA_TRY(enter(stream->device, g));
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a graph"));
  if (g->collective) MA_TRY(ma_cuda_comm_graph_enter(stream));
  ma_cuda_trail_note(stream, "a graph", true);
  ma_cuda_span span = ma_cuda_span_begin(stream);
  CUresult result = ma_cu.cuGraphLaunch(g->exec, ma_cuda_queue(stream));
  ma_cuda_span_end(stream, MA_TRACK_STREAM, span, "graph", 0);
  if (g->collective) ma_cuda_comm_graph_note(stream);
  return result == CUDA_SUCCESS ? MA_OK : ma_cuda_fail(MA_CU_cuGraphLaunch, result);
}

/* Frees a graph. If it still runs, the driver destroys it afterwards. */
void ma_cuda_graph_free(ma_device *device, void *handle) {
  graph *g = handle;
  if (g->generation == device->generation && ma_cuda_enter(device) == MA_OK) {
    if (g->exec) ma_cu.cuGraphExecDestroy(g->exec);
    if (g->recorded) ma_cu.cuGraphDestroy(g->recorded);
  }
  free(g);
}
