/*
** random.h: draws of random numbers: the types that cross to a backend. The caller (lua/moonarray/random/init.lua) has
** the generator, which is a seed and the number of draws so far. A draw is a function of the seed, the number of the
** draw and the element alone.
*/
#ifndef MOONARRAY_RANDOM_H
#define MOONARRAY_RANDOM_H

#include "backend/drawn.h"
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
  bool block;  /* one block of random words serves several neighbouring elements */
  bool single; /* floats of at most 32 bits are made in float */
  bool tried;  /* or are tried once in float */
} ma_random_info;
extern const ma_random_info ma_randoms[MA_NRANDOM];

/* Fills job.n elements of one dtype, contiguous at job.data; n > 0. uniform and normal have float dtypes, integers
** an integer dtype. */
typedef struct ma_random {
  ma_random_kind kind;
  ma_dtype dtype;
  /* In a graph: the generator; job.draw then counts from the first draw of the launch. NULL: job.key and job.draw
  ** are used. */
  struct ma_capture_source *source;
  /* 0, or the type of a cuRAND generator (generators.h), which draws uniform and normal in float32 and float64. */
  int curand;
  ma_random_job job;
} ma_random;

void ma_random_of(const ma_drawn *drawn, ma_random *random); /* as one of a whole array */

ma_status ma_cuda_random_source(const ma_random *random, char **source); /* text of the kernel; the caller frees it */

/* Elements that share a block of random words: 4, or 2 with 64-bit words; 1 where each has words of its own. */
int ma_random_per_block(const ma_random *random);
bool ma_random_is_single(const ma_random *random); /* of ma_single_<name>, in float */
bool ma_random_is_tried(const ma_random *random);  /* by ma_tried_<name>, in float */
/* Whether it is uniform in [0, 1), or normal with mean 0 and standard deviation 1. */
bool ma_random_is_standard(const ma_random *random);
/* Sets the bounds of integers in a job: `span` values from `low` on; 0 stands for 2^64. */
void ma_random_bounds(ma_random_job *job, int64_t low, uint64_t span);
bool ma_random_find(const char *name, ma_random_kind *kind);

#pragma GCC visibility pop
#endif
