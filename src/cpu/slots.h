/* slots.h: slots of the backend's table that slots.c submits and other files compute. */
#ifndef MA_CPU_SLOTS_H
#define MA_CPU_SLOTS_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

struct ma_random;
struct ma_rows;

ma_status ma_cpu_submit_map(ma_stream *stream, const ma_map *map);
ma_status ma_cpu_submit_reduce(ma_stream *stream, const ma_reduction *reduction);
ma_status ma_cpu_submit_scan(ma_stream *stream, const ma_scan *scan);
ma_status ma_cpu_submit_rows(ma_stream *stream, const struct ma_rows *rows, bool *ran);
ma_status ma_cpu_submit_gather(ma_stream *stream, const ma_gather *gather);
ma_status ma_cpu_submit_scatter(ma_stream *stream, const ma_gather *scatter);
ma_status ma_cpu_submit_nonzero(ma_stream *stream, const void *mask, int64_t n, ma_array *positions);
ma_status ma_cpu_submit_select(ma_stream *stream, const void *mask, const void *from, int64_t n, ma_dtype dtype,
                               ma_array *result);
ma_status ma_cpu_submit_stencil(ma_stream *stream, const ma_stencil *stencil); /* in stencil/stencil.c */
ma_status ma_cpu_submit_random(ma_stream *stream, const struct ma_random *random);
ma_status ma_cpu_submit_launch(ma_stream *stream, const ma_kernel *kernel, const ma_launch *launch);
ma_status ma_cpu_submit_copy(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind);
ma_status ma_cpu_submit_nothing(ma_stream *stream);

#pragma GCC visibility pop
#endif
