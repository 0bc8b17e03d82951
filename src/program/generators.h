/*
** generators.h: cuRAND's generators through its host interface, which is the same for memory of a GPU
** (src/cuda/library/curand.c) and of the host (src/cpu/library/curand.c). A backend gives the functions; curand.c keeps
** the generators.
*/
#ifndef MOONARRAY_GENERATORS_H
#define MOONARRAY_GENERATORS_H

#include "backend/random.h"

#pragma GCC visibility push(hidden)

/* The functions return cuRAND's statuses. */
typedef struct ma_curand_api {
  int (*create)(void **generator, int type);
  int (*destroy)(void *generator);
  int (*seed)(void *generator, unsigned long long seed);
  int (*offset)(void *generator, unsigned long long offset);
  int (*stream)(void *generator, void *stream); /* called with NULL for a host generator */
  int (*uniform)(void *generator, float *to, size_t n);
  int (*uniform_double)(void *generator, double *to, size_t n);
  int (*normal)(void *generator, float *to, size_t n, float mean, float deviation);
  int (*normal_double)(void *generator, double *to, size_t n, double mean, double deviation);
} ma_curand_api;

/* Fills as `random`, whose `curand` is set, describes. */
ma_status ma_curand_run(ma_stream *stream, const ma_random *random, const ma_curand_api *api);
bool ma_curand_find(const char *name, int *type, bool *quasi); /* "xorwow", "sobol64" ... */

ma_status ma_cpu_curand(ma_stream *stream, const ma_random *random);
ma_status ma_cuda_curand(ma_stream *stream, const ma_random *random);

#pragma GCC visibility pop
#endif
