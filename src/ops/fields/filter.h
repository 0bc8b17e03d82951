/* filter.h: filters and interpolation of images, for lua/moonarray/ndimage. */
#ifndef MOONARRAY_OPS_FILTER_H
#define MOONARRAY_OPS_FILTER_H

#include "ops/ops.h"
#include "backend/filter.h"

#pragma GCC visibility push(hidden)

/* Each fills dtypes, shapes and addresses of the struct that is given and runs it. `to` is contiguous, has the shape of
** the result and overlaps nothing else. Elements are real. An empty result is left as it is. */
ma_status ma_filter_window(const ma_array *from, ma_array *to, ma_window *window, ma_stream *stream);
ma_status ma_filter_line(const ma_array *from, ma_array *to, int axis, ma_line_filter *line, ma_stream *stream);
ma_status ma_filter_spline(ma_array *data, int axis, ma_spline_filter *spline, ma_stream *stream); /* in place */
ma_status ma_filter_transform(const ma_array *from, const ma_array *coordinates, ma_array *to, ma_transform *transform,
                              ma_stream *stream);

#pragma GCC visibility pop
#endif
