/*
** recurrence.c: recursive filters on the CPU. A recurrence waits for the result before it, so eight stretches run side
** by side: eight rows, or stretches of STRETCH elements of one row. Then each stretch runs twice: from a state of 0, to
** find the state behind it, and when these are added up, from the right state.
*/
#include "cpu/cpu.h"
#include "cpu/map/wider.h"
#include "backend/signal.h"
#include "cpu/submit.h"
#include "kernels/scalar.h"
#include "kernels/signal/recurrence.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 8
#define LOG_STRETCH 10
#define STRETCH ((int64_t)1 << LOG_STRETCH)

typedef double lanes __attribute__((vector_size(WIDTH * sizeof(double))));

#define PLUS(x, y) ((x) + (y))
#define MINUS(x, y) ((x) - (y))
#define PRODUCT(x, y) ((x) * (y))

#define SUFFIX f4
#define X float
#define T double
#define LANES
#define WIDEN(x) ((double)(x))
#define NARROW(x) ((float)(x))
#define ONE_ADD PLUS
#define ONE_SUB MINUS
#define ONE_MUL PRODUCT
#include "cpu/signal/recurrence_loops.h"
#define SUFFIX f8
#define X double
#define T double
#define LANES
#define WIDEN(x) (x)
#define NARROW(x) (x)
#define ONE_ADD PLUS
#define ONE_SUB MINUS
#define ONE_MUL PRODUCT
#include "cpu/signal/recurrence_loops.h"
#define SUFFIX c8
#define X ma_c64
#define T ma_c128
#define WIDEN(x) ma_make_c128((x).re, (x).im)
#define NARROW(x) ma_make_c64((float)(x).re, (float)(x).im)
#define ONE_ADD ma_cadd
#define ONE_SUB ma_csubtract
#define ONE_MUL ma_cmultiply
#include "cpu/signal/recurrence_loops.h"
#define SUFFIX c16
#define X ma_c128
#define T ma_c128
#define WIDEN(x) (x)
#define NARROW(x) (x)
#define ONE_ADD ma_cadd
#define ONE_SUB ma_csubtract
#define ONE_MUL ma_cmultiply
#include "cpu/signal/recurrence_loops.h"

static const struct {
  void (*one)(const ma_recurrence *r, const void *given, void *result, void *state, int64_t n);
  void (*eight)(const ma_recurrence *r, const void *const *given, void *const *result, lanes *z, int64_t n,
                bool writes);
} loops[MA_NDTYPE] = { [MA_FLOAT32] = { one_f4, eight_f4 },
                       [MA_FLOAT64] = { one_f8, eight_f8 },
                       [MA_COMPLEX64] = { one_c8, NULL },
                       [MA_COMPLEX128] = { one_c16, NULL } };

/* The stretches of all rows, in order. Each has a state: first the one before the stretch, and when it has run the one
** behind it. */
typedef struct pass {
  const ma_recurrence *r;
  int64_t stretches, length; /* of a row; the last one may be shorter */
  char *states;
  size_t size; /* bytes of a state */
  bool writes;
} pass;

static int64_t locate(const pass *p, int64_t k, int64_t *at) {
  int64_t row = k / p->stretches, first = k % p->stretches * p->length, left = p->r->n - first;
  *at = row * p->r->n + first;
  return left < p->length ? left : p->length;
}

static void run_one(const pass *p, int64_t k, int64_t skip) {
  int64_t at, n = locate(p, k, &at);
  size_t item = ma_dtypes[p->r->dtype].itemsize;
  const char *from = (const char *)p->r->from + (size_t)(at + skip) * item;
  char *to = (char *)p->r->to + (size_t)(at + skip) * item;
  loops[p->r->dtype].one(p->r, from, p->writes ? to : NULL, p->states + (size_t)k * p->size, n - skip);
}

/* Runs eight stretches as far as the shortest of them goes, then each of the others to its end. */
static void run_eight(const pass *p, int64_t first, lanes *z) {
  const void *from[WIDTH];
  void *to[WIDTH];
  int64_t least = p->length;
  size_t item = ma_dtypes[p->r->dtype].itemsize;
  double *state = (double *)(void *)p->states + first * p->r->order;
  for (int k = 0; k < WIDTH; k++) {
    int64_t at, n = locate(p, first + k, &at);
    from[k] = (const char *)p->r->from + (size_t)at * item;
    to[k] = (char *)p->r->to + (size_t)at * item;
    if (n < least) least = n;
    for (int i = 0; i < p->r->order; i++) z[i][k] = state[k * p->r->order + i];
  }
  loops[p->r->dtype].eight(p->r, from, to, z, least, p->writes);
  for (int k = 0; k < WIDTH; k++)
    for (int i = 0; i < p->r->order; i++) state[k * p->r->order + i] = z[i][k];
  for (int k = 0; k < WIDTH; k++) run_one(p, first + k, least);
}

static ma_status run_groups(void *context, int64_t begin, int64_t end) {
  const pass *p = context;
  int64_t all = p->r->rows * p->stretches;
  bool side_by_side = loops[p->r->dtype].eight != NULL;
  lanes *z = NULL;
  if (side_by_side && posix_memalign((void **)&z, sizeof(lanes), sizeof(lanes) * (size_t)p->r->order) != 0)
    return ma_fail(MA_ERR_MEMORY, "out of memory for the states of a filter");
  for (int64_t g = begin; g < end; g++) {
    int64_t first = g * WIDTH;
    if (side_by_side && first + WIDTH <= all) run_eight(p, first, z);
    else
      for (int64_t k = first; k < first + WIDTH && k < all; k++) run_one(p, k, 0);
  }
  free(z);
  return MA_OK;
}

static ma_status run_pass(const pass *p) {
  int64_t groups = (p->r->rows * p->stretches + WIDTH - 1) / WIDTH
  , grain = TUNE_THREAD_FAR / (WIDTH * p->length) + 1;
  return ma_cpu_parallel(groups, grain, run_groups, (void *)p);
}

/* Turns the states behind stretches that began with 0 into the states before them. Only real numbers have such
** stretches. */
static void add_up(const pass *p) {
  const ma_recurrence *r = p->r;
  int n = r->order;
  const double *matrix = (const double *)r->powers + (int64_t)LOG_STRETCH * n * n;
  double *states = (double *)(void *)p->states, carry[2][n];
  for (int64_t row = 0; row < r->rows; row++) {
    const double *start = r->start ? (const double *)r->start + row * n : NULL;
    for (int i = 0; i < n; i++) carry[0][i] = start ? start[i] : 0;
    for (int64_t k = 0; k < p->stretches; k++) {
      double *own = states + (row * p->stretches + k) * n;
      for (int i = 0; i < n; i++) {
        double sum = own[i];
        for (int j = 0; j < n; j++) sum += matrix[i * n + j] * carry[0][j];
        carry[1][i] = sum;
      }
      for (int i = 0; i < n; i++) {
        own[i] = carry[0][i];
        carry[0][i] = carry[1][i];
      }
    }
  }
}

static ma_status run(ma_stream *stream, const void *job) {
  const ma_recurrence *r = job;
  bool is_complex = ma_dtypes[r->dtype].kind == MA_KIND_COMPLEX, cut = !is_complex && r->n >= WIDTH
  *STRETCH && r->rows < WIDTH
  &&r->order <= 64;
  pass p = { .r = r, .stretches = cut ? (r->n + STRETCH - 1) >> LOG_STRETCH : 1, .length = cut ? STRETCH : r->n };
  p.size = (size_t)r->order * (is_complex ? sizeof(ma_c128) : sizeof(double));
  size_t room = (size_t)(r->rows * p.stretches) * p.size;
  ma_status status = MA_OK;
  p.states = calloc(1, room);
  if (!p.states) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for the states of a filter", room);
  if (cut) {
    status = run_pass(&p);
    add_up(&p);
  } else if (r->start) memcpy(p.states, r->start, room);
  p.writes = true;
  if (status == MA_OK) status = run_pass(&p);
  for (int64_t row = 0; row < r->rows && r->end; row++)
    memcpy((char *)r->end + (size_t)row * p.size, p.states + (size_t)((row + 1) * p.stretches - 1) * p.size, p.size);
  free(p.states);
  return status;
}

static int64_t bytes(const void *job) {
  const ma_recurrence *r = job;
  return 2 * r->rows * r->n * ma_dtypes[r->dtype].itemsize;
}

MA_CPU_SLOT(ma_cpu_signal_recurrence, ma_recurrence, .name = "recurrence", .run = run, .bytes = bytes)
