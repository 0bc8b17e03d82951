/* random.c: random numbers on the CPU, the same as on a GPU (kernels/random/random.h). Words are made for a group of
** blocks at a time, in vectorised loops. The distributions of kernels/random/draws.h are called for each element. */
#include "program/generators.h"
#include "backend/random.h"
#include "cpu/cpu.h"
#include "cpu/submit.h"
#include "tuning.h"
#define MA_FIRST_WORDS
#include "kernels/random/draws.h"
#include "kernels/random/tried.h"
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#define LANES 64          /* blocks in a group */
#define GROUP (4 * LANES) /* elements in a group, at most */
#define STEP 16           /* blocks of a group that are made at once, at least */

/* How many products of 32-bit numbers an instruction set makes at once. With 0 it is left to the compiler. */
#define PRODUCTS_base 0
#define PRODUCTS_avx2 4
#define PRODUCTS_avx512 8

/* The bits of a uniform number. The dtype holds each such number exactly. */
static inline int uniform_bits(ma_dtype dtype) { return dtype == MA_FLOAT16 ? 11 : dtype == MA_BFLOAT16 ? 8 : 24; }

/* How many blocks of a group are made where so many are wanted. */
static inline int lanes_for(int64_t wanted) { return wanted < LANES ? (int)(wanted + STEP - 1) / STEP * STEP : LANES; }

typedef void group_function(const ma_random *r, uint64_t block, int lanes, void *to);
/* The words of first attempts, and their two normal numbers if these are wanted. Those of element e are at e %
** LANES. */
typedef struct first_words {
  uint32_t w[4][LANES];
  double z[2][LANES];
  uint32_t next[4][LANES]; /* of second attempts, if these are wanted, and their normal numbers */
  double next_z[2][LANES];
} first_words;
/* Draws n elements of one group of LANES. */
typedef void draw_function(const ma_random_job *job, uint64_t element, const double *p, const first_words *first,
                           double *restrict to, int n);

/* Draws LANES elements in one attempt each. An element whose attempt failed is NaN. */
typedef void attempt_function(const ma_random_job *job, uint64_t element, const double (*p)[LANES],
                              const first_words *first, double *restrict to);

/* Draws one element of each of so many blocks in float, with the parameters at [j][k]. */
typedef void single_function(const uint32_t (*w)[LANES], const double (*p)[LANES], int lanes, float *restrict to);

/* Whether the first thing that a distribution with these parameters draws is a normal number. */
static inline __attribute__((always_inline)) bool begins_normal(ma_random_kind kind, const double *p) {
  switch (kind) {
  case MA_RANDOM_standard_gamma:
  case MA_RANDOM_gamma:
  case MA_RANDOM_negative_binomial: return p[0] > 1;
  case MA_RANDOM_chisquare:
  case MA_RANDOM_f: return p[0] > 2;
  case MA_RANDOM_noncentral_chisquare: return p[0] > 3;
  case MA_RANDOM_beta: return p[0] > 1 && p[1] > 0;
  case MA_RANDOM_standard_t:
  case MA_RANDOM_standard_cauchy:
  case MA_RANDOM_lognormal:
  case MA_RANDOM_wald: return true;
  default: return false;
  }
}

/* The draws as functions of one instruction set. */
typedef struct draw_set {
  group_function *group;
  void (*permute)(const ma_random_job *job, uint64_t *v, int n);
  void (*exponential)(const ma_random_job *job, uint64_t element, int lanes, double *to);
  void (*prepare)(const ma_random_job *job, uint64_t element, bool normals, int how, first_words *first, int lanes);
  draw_function *draw[MA_NRANDOM];
  attempt_function *attempt[MA_NRANDOM][4]; /* by MA_ABOVE, MA_ONE, MA_BELOW */
  single_function *single[MA_NRANDOM];
  attempt_function *tried[MA_NRANDOM]; /* in float */
} draw_set;

static const draw_set *choose_set(void);

#include "cpu/map/loops.h"

#define GLUE_(a, b, c) a##_##b##_##c
#define GLUE(a, b, c) GLUE_(a, b, c)
#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define TARGET base
#include "cpu/random/random_loops.h"
#undef TARGET
#ifdef MA_MANY_TARGETS
#define TARGET_avx2
#include "cpu/map/target.h"
#define TARGET avx2
#include "cpu/random/random_loops.h"
#undef TARGET
#define TARGET_end
#include "cpu/map/target.h"
#define TARGET_avx512
#include "cpu/map/target.h"
#define TARGET avx512
#include "cpu/random/random_loops.h"
#undef TARGET
#define TARGET_end
#include "cpu/map/target.h"
#endif

static const draw_set *choose_set(void) {
#ifdef MA_MANY_TARGETS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return &set_of_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &set_of_avx2;
#endif
  return &set_of_base;
}

/* ==== Blocks ===================================================================================================== */

typedef struct work {
  const ma_random *random;
  group_function *fill;
} work;

#define STORE_INTEGERS(T) \
  for (int i = 0; i < n; i++) ((T *)to)[i] = (T)((uint64_t)low + from[i])

static void store_u4(void *to, int size, int64_t low, const uint32_t *from, int n) {
  switch (size) {
  case 1: STORE_INTEGERS(uint8_t); break;
  case 2: STORE_INTEGERS(uint16_t); break;
  case 4: STORE_INTEGERS(uint32_t); break;
  default: STORE_INTEGERS(uint64_t);
  }
}

static void store_group(const ma_random *r, void *to, const void *values, int n) {
  if (r->kind != MA_RANDOM_integers) ma_block_store(to, ma_dtypes[r->dtype].itemsize, values, r->dtype, n);
  else if (ma_random_per_block(r) == 4) store_u4(to, ma_dtypes[r->dtype].itemsize, r->job.low, values, n);
  else {
    const uint64_t *from = values;
    int64_t low = r->job.low;
    STORE_INTEGERS(uint64_t);
  }
}

static ma_status run_groups(void *context, int64_t first, int64_t last) {
  const work *w = context;
  const ma_random *r = w->random;
  int per_block = ma_random_per_block(r), size = ma_dtypes[r->dtype].itemsize;
  int64_t per_group = (int64_t)LANES * per_block;
  _Alignas(MA_ALIGN) char values[GROUP * sizeof(double)];
  for (int64_t g = first; g < last; g++) {
    int64_t at = g * per_group, n = r->job.n - at < per_group ? r->job.n - at : per_group;
    w->fill(r, (uint64_t)(g * LANES), lanes_for((n + per_block - 1) / per_block), values);
    store_group(r, (char *)r->job.data + at * size, values, (int)n);
  }
  return MA_OK;
}

void ma_cpu_drawn(const ma_drawn *drawn, int64_t first, int64_t n, void *to) {
  ma_random r;
  _Alignas(MA_ALIGN) char values[GROUP * sizeof(double)];
  ma_random_of(drawn, &r);
  if (drawn->cell) r.job = ma_random_placed(r.job);
  group_function *fill = choose_set()->group;
  int per_block = ma_random_per_block(&r), size = ma_dtypes[r.dtype].itemsize;
  char *at = to;
  while (n > 0) { /* up to the end of a group; its blocks are made from a multiple of STEP on */
    int64_t block = first / per_block / STEP * STEP, skip = first - block * per_block;
    int rest = LANES - (int)(block % LANES), wanted = lanes_for((skip + n + per_block - 1) / per_block);
    int lanes = wanted < rest ? wanted : rest;
    int64_t m = (int64_t)lanes * per_block - skip;
    if (m > n) m = n;
    fill(&r, (uint64_t)block, lanes, values);
    store_group(&r, at, values + skip * (16 / per_block), (int)m);
    at += m * size;
    first += m;
    n -= m;
  }
}

/* ==== Draws ====================================================================================================== */

static void store_draws(const ma_random *r, int64_t at, double *values, int n) {
  _Alignas(MA_ALIGN) double registers[GROUP];
  ma_loop *cast = ma_cpu_cast(MA_FLOAT64, r->dtype);
  int size = ma_dtypes[r->dtype].itemsize;
  if (cast) cast(registers, values, NULL, NULL, NULL, (n + MA_LANE - 1) / MA_LANE * MA_LANE);
  ma_block_store((char *)r->job.data + at * size, size, cast ? registers : values, r->dtype, n);
}

/* Draws exponential numbers of one scale in vectorised loops, with the bits that run_draws gives. */
static ma_status run_exponential(void *context, int64_t first, int64_t last) {
  const ma_random *r = context;
  bool scaled = r->kind == MA_RANDOM_exponential;
  double scale = r->job.param[0];
  _Alignas(MA_ALIGN) double values[GROUP];
  for (int64_t at = first; at < last; at += GROUP) {
    int n = (int)(last - at < GROUP ? last - at : GROUP), whole = (n + MA_LANE - 1) / MA_LANE * MA_LANE;
    for (int k = 0; k < n; k += LANES)
      choose_set()->exponential(&r->job, (uint64_t)(at + k), lanes_for(n - k), values + k);
    for (int i = 0; i < whole && scaled; i++) values[i] = scale * values[i];
    store_draws(r, at, values, n);
  }
  return MA_OK;
}

/* How a distribution is drawn in one attempt, or 0 if it is not. `same` says that all elements have the same
** parameters. */
static int attempt_of(ma_random_kind kind, const double *p, bool same) {
  double least = p[0], other = INFINITY;
  switch (kind) {
  case MA_RANDOM_standard_gamma:
  case MA_RANDOM_gamma: break;
  case MA_RANDOM_chisquare:
  case MA_RANDOM_standard_t: least = p[0] / 2; break;
  case MA_RANDOM_noncentral_chisquare: least = (p[0] - 1) / 2; break;
  case MA_RANDOM_f: least = p[0] / 2, other = p[1] / 2; break;
  case MA_RANDOM_beta: other = p[1]; break;
  case MA_RANDOM_poisson: return p[0] > 0 && p[0] < 10 ? MA_ABOVE : 0;
  case MA_RANDOM_binomial:
    return same && p[0] > 0 && p[1] > 0 && p[1] < 1 && p[0] * (p[1] <= 0.5 ? p[1] : 1 - p[1]) < 10 ? MA_ABOVE : 0;
  default: return 0;
  }
  least = other < least ? other : least;
  return least > 1 ? MA_ABOVE : least == 1 ? MA_ONE : least > 0 ? MA_BELOW : 0;
}

static bool may_try(ma_random_kind kind, const double *p) {
  switch (kind) {
#define BLOCK(name)
#define DRAW(name)
#define PLAIN(name)
#define SINGLE(name)
#define GAMMA(name)      \
  case MA_RANDOM_##name: \
    return ma_may_##name(p[0], p[1], p[2]);
#define RANDOM(name, nparam, form, doc) form(name)
#include "backend/random.def"
#undef RANDOM
#undef BLOCK
#undef DRAW
#undef PLAIN
#undef SINGLE
#undef GAMMA
  default: return false;
  }
}

/* Draws n elements of the same parameters. */
static void draw_same(const ma_random *r, uint64_t element, const double (*p)[LANES], double *to, int n) {
  const draw_set *set = choose_set();
  const double *param = r->job.param;
  int how = attempt_of(r->kind, param, true);
  attempt_function *attempt = set->attempt[r->kind][how];
  first_words first;
  set->prepare(&r->job, element, begins_normal(r->kind, param), attempt ? how : 0, &first,
               attempt ? LANES : lanes_for(n));
  if (!attempt) {
    set->draw[r->kind](&r->job, element, param, &first, to, n);
    return;
  }
  attempt(&r->job, element, p, &first, to);
  for (int i = 0; i < n; i++)
    if (to[i] != to[i]) set->draw[r->kind](&r->job, element + (uint64_t)i, param, &first, to + i, 1);
}

/* Draws n elements, each with parameters of its own. */
static void draw_varied(const ma_random *r, uint64_t element, const double (*p)[LANES], double *to, int n) {
  const ma_random_job *job = &r->job;
  const draw_set *set = choose_set();
  first_words first;
  bool normals = false;
  int how = 0;
#define PARAMETERS(i) ((const double[3]){ p[0][i], p[1][i], p[2][i] })
  for (int i = 0; i < n; i++) {
    int one = attempt_of(r->kind, PARAMETERS(i), false);
    normals |= begins_normal(r->kind, PARAMETERS(i));
    if (i == 0 || one == MA_ABOVE) how = one;
  }
  attempt_function *attempt = n < TUNE_RANDOM_FEW ? NULL : set->attempt[r->kind][how];
  if (n >= TUNE_RANDOM_FEW)
    set->prepare(job, element, normals, attempt ? how : 0, &first, attempt ? LANES : lanes_for(n));
  if (attempt) attempt(job, element, p, &first, to);
  for (int i = 0; i < n; i++) {
    if (attempt && to[i] == to[i]) continue;
    if (n < TUNE_RANDOM_FEW) set->prepare(job, element + (uint64_t)i, normals, 0, &first, 1);
    set->draw[r->kind](job, element + (uint64_t)i, PARAMETERS(i), &first, to + i, 1);
  }
}

/* Tries LANES elements in float, if any of them may be, and draws those of n that fail. */
static bool draw_tried(const ma_random *r, uint64_t element, const double (*p)[LANES], double *to, int n) {
  const draw_set *set = choose_set();
  first_words first;
  int i = 0;
  while (i < n && !may_try(r->kind, PARAMETERS(i))) i++;
  if (i == n) return false;
  set->prepare(&r->job, element, false, MA_ABOVE, &first, LANES);
  set->tried[r->kind](&r->job, element, p, &first, to);
  for (i = 0; i < n; i++) {
    if (to[i] == to[i]) continue;
    set->prepare(&r->job, element + (uint64_t)i, begins_normal(r->kind, PARAMETERS(i)), 0, &first, 1);
    set->draw[r->kind](&r->job, element + (uint64_t)i, PARAMETERS(i), &first, to + i, 1);
  }
  return true;
}
#undef PARAMETERS

/* Parameters of LANES elements. Those behind n are others', which change nothing. */
static void read_parameters(const ma_random_job *job, int64_t element, double (*p)[LANES], int n) {
  for (int k = 0; k < 3; k++) {
    const double *from = job->array[k] ? job->array[k] + element : NULL;
    if (from) memcpy(p[k], from, (size_t)n * sizeof *from);
    for (int i = from ? n : 0; i < LANES; i++) p[k][i] = from ? from[0] : job->param[k];
  }
}

static ma_status run_draws(void *context, int64_t first, int64_t last) {
  const ma_random *r = context;
  const ma_random_job *job = &r->job;
  bool varies = job->array[0] || job->array[1] || job->array[2], tried = ma_random_is_tried(r);
  _Alignas(MA_ALIGN) double values[GROUP];
  double p[3][LANES];
  for (int64_t at = first; at < last; at += GROUP) {
    int n = (int)(last - at < GROUP ? last - at : GROUP);
    /* These are cast together with the last elements. */
    for (int k = n; k < GROUP && k < n + MA_LANE; k++) values[k] = 0;
    for (int done = 0; done < n; done += LANES) {
      int count = n - done < LANES ? n - done : LANES;
      uint64_t element = (uint64_t)(at + done);
      const double(*of)[LANES] = (const double(*)[LANES])p;
      if (varies || at + done == first) read_parameters(job, at + done, p, count);
      if (tried && draw_tried(r, element, of, values + done, count)) continue;
      if (varies || count < TUNE_RANDOM_FEW) draw_varied(r, element, of, values + done, count);
      else draw_same(r, element, of, values + done, count);
    }
    store_draws(r, at, values, n);
  }
  return MA_OK;
}

/* Draws positions in a random order. Many are drawn at once, because each is a long chain of dependent steps. */
static ma_status run_permutation(void *context, int64_t first, int64_t last) {
  const ma_random *r = context;
  uint64_t v[GROUP];
  int size = ma_dtypes[r->dtype].itemsize;
  for (int64_t at = first; at < last; at += GROUP) {
    int n = (int)(last - at < GROUP ? last - at : GROUP);
    for (int i = 0; i < n; i++) v[i] = (uint64_t)(at + i);
    choose_set()->permute(&r->job, v, n);
    for (int i = 0; i < n; i++) v[i]++;
    ma_block_store((char *)r->job.data + at * size, size, v, MA_INT64, n);
  }
  return MA_OK;
}

static ma_status draw(ma_stream *stream, const ma_random *random) {
  if (random->curand) return ma_cpu_curand(stream, random);
  if (random->kind == MA_RANDOM_permutation && random->dtype == MA_INT64)
    return ma_cpu_parallel(random->job.n, GROUP, run_permutation, (void *)(uintptr_t)random);
  bool single = ma_random_is_single(random);
  if (!single && ((random->kind == MA_RANDOM_exponential && !random->job.array[0] && random->job.param[0] >= 0) ||
                  random->kind == MA_RANDOM_standard_exponential))
    return ma_cpu_parallel(random->job.n, GROUP, run_exponential, (void *)(uintptr_t)random);
  if (!single && !ma_randoms[random->kind].block)
    return ma_cpu_parallel(random->job.n, GROUP, run_draws, (void *)(uintptr_t)random);
  int64_t per_group = (int64_t)LANES * ma_random_per_block(random);
  work w = { random, choose_set()->group };
  return ma_cpu_parallel((random->job.n + per_group - 1) / per_group, TUNE_THREAD_SLOW / per_group, run_groups, &w);
}

/* Draws random numbers. In a graph, the launch has written the seed and the position. */
static ma_status run_random(ma_stream *stream, const void *job) {
  ma_random r = *(const ma_random *)job;
  if (r.job.cell) r.job = ma_random_placed(r.job);
  return draw(stream, &r);
}

static const char *name_random(const void *job) { return ma_randoms[((const ma_random *)job)->kind].name; }

static int64_t bytes_random(const void *job) {
  const ma_random *r = job;
  return r->job.n * ma_dtypes[r->dtype].itemsize;
}

MA_CPU_SLOT(ma_cpu_random_draw, ma_random, .name_of = name_random, .run = run_random, .bytes = bytes_random)
