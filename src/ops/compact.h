/* compact.h: the elements that a mask keeps, in one pass of the backend's slot `select` or `compact`. */
#ifndef MOONARRAY_COMPACT_H
#define MOONARRAY_COMPACT_H

#include "ops/ops.h"

#pragma GCC visibility push(hidden)

/* The elements of `base` where the mask is true, in C order. Both have one shape, of size > 0, and one device, which
** has a slot for it; `base` is contiguous. Waits. */
ma_status ma_compact_select(ma_array *result, const ma_array *base, const ma_array *where, ma_stream *stream);

#pragma GCC visibility pop
#endif
