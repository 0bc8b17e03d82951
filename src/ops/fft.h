/* fft.h: Fourier transforms over the last axes of arrays, and the cache of plans. */
#ifndef MOONARRAY_OPS_FFT_H
#define MOONARRAY_OPS_FFT_H

#include "ops/ops.h"
#include "backend/fft.h"

#pragma GCC visibility push(hidden)

/* Transforms the last `rank` axes of an array into a new contiguous array. `last` is the length of the last axis of
** a real result. `from` has the dtype of its side of the transform: complex, or the float of the same precision. */
ma_status ma_fft_run(const ma_array *from, ma_fft_kind kind, bool inverse, int rank, int64_t last, ma_array *result,
                     ma_stream *stream);

/* The plan of such a transform of arrays like `like`, whose elements are not read. It stays in the cache, whatever the
** cache's limit, until ma_fft_let_go. */
ma_status ma_fft_keep(const ma_array *like, ma_fft_kind kind, bool inverse, int rank, int64_t last, void **plan,
                      ma_stream *stream);
void ma_fft_let_go(void *plan);

/* A cosine or sine transform of type 1 to 4 (4: of even length) along the last axis of float32 or float64, times
** `scale`. *done is false, and nothing is made, on a device that has none. */
ma_status ma_fft_cosine(const ma_array *from, int type, bool sine, double scale, double first, ma_array *result,
                        bool *done, ma_stream *stream);

/* ma_fft_run for complex float16. The last axis holds the real and imaginary parts and is not among the `rank` axes. */
ma_status ma_fft_run_half(const ma_array *from, bool inverse, int rank, ma_array *result, ma_stream *stream);

/* The cache of plans. The least recently used plan is freed first; a plan in use is kept until its run ends. */
typedef struct ma_fft_cache_stats {
  int64_t size, limit, hits, misses;
} ma_fft_cache_stats;
void ma_fft_cache_statistics(ma_fft_cache_stats *stats);
void ma_fft_cache_limit(int64_t plans);
void ma_fft_cache_clear(void);

#pragma GCC visibility pop
#endif
