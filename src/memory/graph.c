/* graph.c: graphs, which graph.h describes: what a capture adds of its own, and launches. */
#include "memory/graph.h"
#include "backend/random.h"

#include <stdlib.h>

/* ==== Constants ================================================================================================== */

/* Copies the bytes into device memory now, on a separate stream; each launch copies them from there. */
static ma_status upload(ma_capture *c, const void *from, size_t nbytes, ma_buffer **constant) {
  ma_stream *side = NULL;
  MA_TRY(ma_stream_open(c->device, MA_STREAM_NON_BLOCKING, 0, &side));
  c->elsewhere = true;
  ma_status status = ma_buffer_new(c->device, nbytes, constant);
  c->elsewhere = false;
  if (status == MA_OK) {
    status = ma_buffer_use(*constant, side, true);
    if (status == MA_OK)
      status = c->device->backend->memory.copy(side, (*constant)->ptr, from, nbytes, MA_COPY_TO_DEVICE);
    if (status != MA_OK) ma_buffer_release(*constant);
  }
  ma_stream_close(side);
  return status;
}

ma_status ma_capture_constant(ma_stream *stream, void *to, const void *from, size_t nbytes) {
  ma_capture *c = stream->capture;
  ma_buffer *constant = NULL;
  MA_TRY(upload(c, from, nbytes, &constant));
  ma_status status = ma_capture_use_of(c, constant, false);
  if (status == MA_OK) status = c->device->backend->memory.copy(stream, to, constant->ptr, nbytes, MA_COPY_WITHIN);
  ma_buffer_release(constant);
  return status;
}

/* ==== Random numbers ============================================================================================= */

ma_status ma_capture_source_new(ma_capture *c) {
  ma_capture_source **end = &c->source, *s = calloc(1, sizeof *s);
  if (!s) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a graph");
  c->elsewhere = true;
  ma_status status = ma_buffer_new(c->device, sizeof(ma_random_cell), &s->cell);
  c->elsewhere = false;
  if (status == MA_OK && (status = ma_capture_use_of(c, s->cell, false)) != MA_OK) ma_buffer_release(s->cell);
  if (status != MA_OK) {
    free(s);
    return status;
  }
  while (*end) end = &(*end)->next;
  *end = s;
  return MA_OK;
}

ma_capture_source *ma_capture_source_get(const ma_capture *c, int n) {
  ma_capture_source *s = c->source;
  while (s && --n > 0) s = s->next;
  return s;
}

static ma_status place(const ma_capture_source *s, ma_stream *stream) {
  ma_random_cell cell = { .key = s->key, .draw = s->draw };
  MA_TRY(ma_buffer_use(s->cell, stream, true));
  return stream->device->backend->memory.copy(stream, s->cell->ptr, &cell, sizeof cell, MA_COPY_TO_DEVICE);
}

/* ==== Graphs ===================================================================================================== */

static ma_status check_ready(const ma_capture *graph) {
  return graph->ready ? MA_OK
                      : ma_fail(MA_ERR_VALUE, "a graph that was freed or not ended; there is nothing to launch");
}

static ma_status check_launch(const ma_capture *graph, ma_stream *stream) {
  MA_TRY(check_ready(graph));
  if (stream->device != graph->device)
    return ma_fail(MA_ERR_DEVICE, "a stream of %s; the graph is of %s", stream->device->name, graph->device->name);
  return stream->capture ? ma_capture_refuse(stream) : MA_OK;
}

ma_status ma_capture_upload(ma_capture *graph, ma_stream *stream) {
  const ma_backend *backend = graph->device->backend;
  MA_TRY(check_launch(graph, stream));
  return backend->graph.upload ? backend->graph.upload(stream, graph->handle) : MA_OK;
}

ma_status ma_capture_dot(ma_capture *graph, unsigned flags, char **text) {
  MA_TRY(check_ready(graph));
  return graph->device->backend->graph.dot(graph->device, graph->handle, flags, text);
}

ma_status ma_capture_launch(ma_capture *graph, ma_stream *stream) {
  MA_TRY(check_launch(graph, stream));
  for (int k = 0; k < graph->nuse; k++) MA_TRY(ma_buffer_use(graph->use[k].buffer, stream, graph->use[k].written));
  for (const ma_capture_source *s = graph->source; s; s = s->next) MA_TRY(place(s, stream));
  return graph->device->backend->graph.launch(stream, graph->handle);
}
