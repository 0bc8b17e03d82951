/* graph.h: the slots for graphs in the backend's table (graph.c). */
#ifndef MA_CPU_GRAPH_H
#define MA_CPU_GRAPH_H

#include "cpu/cpu.h"

#pragma GCC visibility push(hidden)

ma_status ma_cpu_capture_begin(ma_stream *stream, void **handle);
ma_status ma_cpu_capture_end(ma_stream *stream, void *handle, bool keep);
ma_status ma_cpu_graph_launch(ma_stream *stream, void *handle);
ma_status ma_cpu_graph_dot(ma_device *device, void *handle, unsigned flags, char **text);
void ma_cpu_graph_free(ma_device *device, void *handle);

#pragma GCC visibility pop
#endif
