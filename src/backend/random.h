/*
** random.h: draws of random numbers: what crosses to a backend. The generator itself, a seed and how many draws were
** taken, is the caller's (lua/moonarray/random/init.lua); a draw is a function of the seed, its number and the element
** alone.
*/
#ifndef MOONARRAY_RANDOM_H
#define MOONARRAY_RANDOM_H

#include "moonarray.h"
#include "kernels/random/random.h"

#pragma GCC visibility push(hidden)

typedef enum ma_random_kind {
#define RANDOM(name, nparam, form, doc) MA_RANDOM_##name,
#include "backend/random.def"
#undef RANDOM
  MA_NRANDOM
} ma_random_kind;

typedef struct ma_random_info {
  const char *name;
  uint8_t nparam;
  bool block; /* a block of words is spread over neighbouring elements */
} ma_random_info;
extern const ma_random_info ma_randoms[MA_NRANDOM];

/* job.n elements of one dtype, contiguous at job.data; n > 0. uniform and normal have float dtypes, integers others. */
typedef struct ma_random {
  ma_random_kind kind;
  ma_dtype dtype;
  /* in a graph: its generator; job.draw counts from the launch's first draw. NULL: job.key and job.draw are meant */
  struct ma_capture_source *source;
  /* 0, or the type of a generator of cuRAND: generators.h. Then uniform and normal, into float32 or float64 */
  int curand;
  ma_random_job job;
} ma_random;

ma_status ma_cpu_random(ma_stream *stream, const ma_random *random);
ma_status ma_cuda_random(ma_stream *stream, const ma_random *random);
ma_status ma_cuda_random_source(const ma_random *random, char **source); /* the kernel's text; the caller frees it */

/* Elements of a block: 4, or 2 of 64-bit words. */
int ma_random_per_block(const ma_random *random);
/* Uniform in [0, 1) or normal of mean 0 and standard deviation 1: neither scaled nor moved. */
bool ma_random_is_standard(const ma_random *random);
/* Bounds of integers into a job: `span` of them from `low` on, 0 for 2^64. */
void ma_random_bounds(ma_random_job *job, int64_t low, uint64_t span);
bool ma_random_find(const char *name, ma_random_kind *kind);

#pragma GCC visibility pop
#endif
