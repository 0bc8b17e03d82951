/* fft.h: Fourier transforms over the last axes of arrays, and the cache of plans. */
#ifndef MOONARRAY_OPS_FFT_H
#define MOONARRAY_OPS_FFT_H

#include "ops/ops.h"
#include "backend/fft.h"

#pragma GCC visibility push(hidden)

/*
** Transforms the last `rank` axes of an array into a new, contiguous one. `last` is the length of the result's last
** axis where it becomes real. `from` has the dtype of its side: complex, or the float of the same precision.
*/
ma_status ma_fft_run(const ma_array *from, ma_fft_kind kind, bool inverse, int rank, int64_t last, ma_array *result,
                     ma_stream *stream);

/* The same, complex to complex, of float16 elements: the last axis holds real and imaginary parts, and is none of the
** `rank`. */
ma_status ma_fft_run_half(const ma_array *from, bool inverse, int rank, ma_array *result, ma_stream *stream);

/* The cache: least recently used plans go first; those in use stay until they are free. */
typedef struct ma_fft_cache_stats {
  int64_t size, limit, hits, misses;
} ma_fft_cache_stats;
void ma_fft_cache_statistics(ma_fft_cache_stats *stats);
void ma_fft_cache_limit(int64_t plans);
void ma_fft_cache_clear(void);

#pragma GCC visibility pop
#endif
