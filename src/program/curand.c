/*
** curand.c: cuRAND's generators. One of each type is kept for each device and reset for each draw, so that a draw
** depends only on the seed and its number. The first draw uses the seed itself, later draws a seed made from both.
** Sobol sequences continue at an offset.
*/
#include "program/generators.h"
#include "base/fork.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  int type;
  bool quasi;
} types[] = {
  { "xorwow", 101, false },  { "mrg32k3a", 121, false },         { "mtgp32", 141, false },
  { "mt19937", 142, false }, { "sobol32", 201, true },           { "scrambled_sobol32", 202, true },
  { "sobol64", 203, true },  { "scrambled_sobol64", 204, true },
};

typedef struct kept {
  struct kept *next;
  const ma_device *device;
  int type;
  uint32_t generation;
  bool seeded;
  uint64_t seed;
  void *generator;
} kept;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)
static kept *all;

bool ma_curand_find(const char *name, int *type, bool *quasi) {
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (!strcmp(types[k].name, name)) {
      *type = types[k].type;
      *quasi = types[k].quasi;
      return true;
    }
  return false;
}

static ma_status fail(const char *call, int status, int64_t n) {
  const char *name = status == 102   ? "CURAND_STATUS_ALLOCATION_FAILED"
                     : status == 103 ? "CURAND_STATUS_TYPE_ERROR"
                     : status == 104 ? "CURAND_STATUS_OUT_OF_RANGE"
                     : status == 105 ? "CURAND_STATUS_LENGTH_NOT_MULTIPLE"
                     : status == 201 ? "CURAND_STATUS_LAUNCH_FAILURE"
                     : status == 203 ? "CURAND_STATUS_INITIALIZATION_FAILED"
                                     : "an error of cuRAND";
  return status == 102
           ? ma_fail(MA_ERR_MEMORY, "%s: %s (%d): out of memory, for %" PRId64 " numbers", call, name, status, n)
           : ma_fail(MA_ERR_LIBRARY, "%s: %s (%d), for %" PRId64 " numbers", call, name, status, n);
}

#define CURAND(name, call)                                  \
  do {                                                      \
    int status_ = (call);                                   \
    if (status_ != 0) return fail(name, status_, r->job.n); \
  } while (0)

static ma_status find_locked(const ma_device *device, int type, const ma_curand_api *api, int64_t n, kept **found) {
  uint32_t generation = __atomic_load_n(&device->generation, __ATOMIC_ACQUIRE);
  kept *k = all;
  while (k && (k->device != device || k->type != type)) k = k->next;
  if (k && k->generation == generation) {
    *found = k;
    return MA_OK;
  }
  /* After a reset of the device a new generator replaces the lost one. */
  kept *made = k ? k : malloc(sizeof *made);
  if (!made) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a generator");
  void *generator = NULL;
  int status = api->create(&generator, type);
  if (status != 0) {
    if (!k) free(made);
    return fail("curandCreateGenerator", status, n);
  }
  *made = (kept){
    .next = k ? k->next : all, .device = device, .type = type, .generation = generation, .generator = generator
  };
  if (!k) all = made;
  *found = made;
  return MA_OK;
}

#define MTGP32 141

/* On a GPU, a seed does not take MTGP32 back to its beginning, so a new generator is made. */
static ma_status renew(kept *k, const ma_curand_api *api, int64_t n) {
  void *generator = NULL;
  int status = api->create(&generator, k->type);
  if (status != 0) return fail("curandCreateGenerator", status, n);
  api->destroy(k->generator);
  k->generator = generator;
  k->seeded = false;
  return MA_OK;
}

static ma_status run_locked(ma_stream *stream, const ma_random *r, const ma_curand_api *api) {
  kept *k = NULL;
  uint64_t key = r->job.key;
  size_t n = (size_t)r->job.n;
  bool is_double = r->dtype == MA_FLOAT64;
  MA_TRY(find_locked(stream->device, r->curand, api, r->job.n, &k));
  if (k->type == MTGP32 && k->seeded) MA_TRY(renew(k, api, r->job.n));
  void *g = k->generator;
  if (api->stream) CURAND("curandSetStream", api->stream(g, stream->handle));
  if (r->curand > 200) CURAND("curandSetGeneratorOffset", api->offset(g, r->job.draw));
  else {
    if (r->job.draw > 0) key = ma_word64(ma_philox(key, 0, UINT32_MAX - 1, r->job.draw), 0);
    if (k->seeded && k->seed == key) /* with the same seed again, cuRAND would continue where it was */
      CURAND("curandSetPseudoRandomGeneratorSeed", api->seed(g, ~key));
    k->seeded = true;
    k->seed = key;
    CURAND("curandSetPseudoRandomGeneratorSeed", api->seed(g, key));
    if (r->curand < 140) CURAND("curandSetGeneratorOffset", api->offset(g, 0));
  }
  if (r->kind == MA_RANDOM_uniform && is_double)
    CURAND("curandGenerateUniformDouble", api->uniform_double(g, r->job.data, n));
  else if (r->kind == MA_RANDOM_uniform) CURAND("curandGenerateUniform", api->uniform(g, r->job.data, n));
  else if (is_double) CURAND("curandGenerateNormalDouble", api->normal_double(g, r->job.data, n, 0, 1));
  else CURAND("curandGenerateNormal", api->normal(g, r->job.data, n, 0, 1));
  return MA_OK;
}

ma_status ma_curand_run(ma_stream *stream, const ma_random *random, const ma_curand_api *api) {
  pthread_mutex_lock(&lock);
  ma_status status = run_locked(stream, random, api);
  pthread_mutex_unlock(&lock);
  return status;
}
