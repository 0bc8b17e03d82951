/* watch.h: the backend's operations, looked at under MOONARRAY_DEBUG=2. */
#ifndef MOONARRAY_CPU_WATCH_H
#define MOONARRAY_CPU_WATCH_H

#include "../moonarray.h"

#pragma GCC visibility push(hidden)

ma_status ma_cpu_watch_map(ma_stream *stream, const ma_map *map);
ma_status ma_cpu_watch_reduce(ma_stream *stream, const ma_reduction *reduction);
ma_status ma_cpu_watch_scan(ma_stream *stream, const ma_scan *scan);
ma_status ma_cpu_watch_gather(ma_stream *stream, const ma_gather *gather);
ma_status ma_cpu_watch_scatter(ma_stream *stream, const ma_gather *scatter);
ma_status ma_cpu_watch_nonzero(ma_stream *stream, const void *mask, int64_t n, ma_array *positions);
ma_status ma_cpu_watch_launch(ma_stream *stream, const ma_kernel *kernel, const ma_launch *launch);
double ma_cpu_watch_begin(void);       /* the time, or 0 where nobody looks */
void ma_cpu_watch_end(double began, const char *name, int64_t nbytes);

#pragma GCC visibility pop
#endif
