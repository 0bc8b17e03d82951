/* slots.h: the slots of the group `filter` on the CPU. */
#ifndef MA_CPU_NDIMAGE_SLOTS_H
#define MA_CPU_NDIMAGE_SLOTS_H

#include "backend/filter.h"

#pragma GCC visibility push(hidden)

ma_status ma_cpu_window(ma_stream *stream, const ma_window *window);
ma_status ma_cpu_line(ma_stream *stream, const ma_line_filter *line);
ma_status ma_cpu_spline(ma_stream *stream, const ma_spline_filter *spline);
ma_status ma_cpu_transform(ma_stream *stream, const ma_transform *transform);

#pragma GCC visibility pop
#endif
