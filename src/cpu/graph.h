/* graph.h: the backend's functions that record when the stream does (graph.c). */
#ifndef MA_CPU_GRAPH_H
#define MA_CPU_GRAPH_H

#include "cpu.h"
#include "kernel.h"

#pragma GCC visibility push(hidden)

ma_status ma_cpu_capture_begin(ma_stream *stream, void **handle);
ma_status ma_cpu_capture_end(ma_stream *stream, void *handle, bool keep);
ma_status ma_cpu_graph_launch(ma_stream *stream, void *handle);
void ma_cpu_graph_free(ma_device *device, void *handle);

/* run(stream, job), or a copy of the job for each launch: its pointers are to arrays' memory alone. */
ma_status ma_cpu_record(ma_stream *stream, ma_status (*run)(ma_stream *stream, const void *job), const void *job, size_t size);
ma_status ma_cpu_record_map(ma_stream *stream, const ma_map *map);
ma_status ma_cpu_record_reduce(ma_stream *stream, const ma_reduction *reduction);
ma_status ma_cpu_record_scan(ma_stream *stream, const ma_scan *scan);
ma_status ma_cpu_record_gather(ma_stream *stream, const ma_gather *gather);
ma_status ma_cpu_record_scatter(ma_stream *stream, const ma_gather *scatter);
ma_status ma_cpu_record_nonzero(ma_stream *stream, const void *mask, int64_t n, ma_array *positions);
ma_status ma_cpu_record_copy(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind);
struct ma_fft;
ma_status ma_cpu_record_fft(ma_stream *stream, const struct ma_fft *fft, void *plan, const void *from, void *to);
struct ma_random;
ma_status ma_cpu_record_random(ma_stream *stream, const struct ma_random *random);
ma_status ma_cpu_record_launch(ma_stream *stream, const ma_kernel *kernel, const ma_launch *launch);

#pragma GCC visibility pop
#endif
