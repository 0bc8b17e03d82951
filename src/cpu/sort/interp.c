/*
** interp.c: values of a piecewise linear function. Neighbouring places are usually near each other: the search starts
** where the one before ended. Where that fails too often, a group is searched at once, in the same steps and without
** branches.
*/
#include "cpu/cpu.h"
#include "cpu/map/wider.h"
#include "backend/sort.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <stdlib.h>

typedef struct work {
  const ma_interp *job;
  const double *slope; /* between points, or NULL: computed for each place */
} work;

static double slope_at(const ma_interp *j, int64_t k) {
  return (j->value[k + 1] - j->value[k]) / (j->at[k + 1] - j->at[k]);
}

/* The value where the line from point k gives NaN. It is on the line from the point behind it, or the value of both
** points if they are equal. */
static double from_behind(const ma_interp *j, int64_t k, double slope, double x) {
  double result = slope * (x - j->at[k + 1]) + j->value[k + 1];
  return result != result && j->value[k] == j->value[k + 1] ? j->value[k] : result;
}

/* For each place, the number of points that are not above it. All searches take the same steps, without branches. */
FOR_AVX512 static void find_groups(const double *restrict at, int64_t count, const double *restrict x, int n,
                                   int64_t *restrict below) {
  for (int i = 0; i < n; i++) below[i] = 0;
  for (int64_t size = count; size > 0; size /= 2) {
    int64_t half = size / 2, step = size - half;
    for (int i = 0; i < n; i++) below[i] += -(int64_t)(at[below[i] + half] <= x[i]) & step;
  }
}

/* The same, beginning at the result of the place before, which is `k` for the first. Returns for how many places that
** was not near enough. */
static int find_near(const ma_interp *j, const double *x, int n, int64_t *below, int64_t *before) {
  const double *at = j->at;
  int64_t k = *before;
  int misses = 0;
  for (int i = 0; i < n; i++) {
    double wanted = x[i];
    int steps = 0;
    while (steps < TUNE_INTERP_NEAR && k < j->n && at[k] <= wanted) k++, steps++;
    while (steps < TUNE_INTERP_NEAR && k > 0 && !(at[k - 1] <= wanted)) k--, steps++;
    if (steps == TUNE_INTERP_NEAR) {
      int64_t lo = 0, hi = j->n;
      while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (at[middle] <= wanted) lo = middle + 1;
        else hi = middle;
      }
      k = lo;
      misses++;
    }
    below[i] = k;
  }
  *before = k;
  return misses;
}

static void finish_block(const work *w, const double *x, int n, const int64_t *below, double *to) {
  const ma_interp *j = w->job;
  int64_t last = j->n - 1;
  double left = j->given[0] ? j->end[0] : j->value[0], right = j->given[1] ? j->end[1] : j->value[last];
  for (int i = 0; i < n; i++) {
    int64_t k = below[i] > 0 ? below[i] - 1 : 0;
    double slope = k >= last ? 0 : w->slope ? w->slope[k] : slope_at(j, k);
    double result = slope * (x[i] - j->at[k]) + j->value[k];
    result = k >= last || x[i] == j->at[k] ? j->value[k] : result; /* where 0 * inf would be NaN */
    if (__builtin_expect(result != result, 0) && k < last && x[i] != j->at[k]) result = from_behind(j, k, slope, x[i]);
    result = x[i] < j->at[0] ? left : x[i] > j->at[last] ? right : result;
    to[i] = x[i] == x[i] ? result : x[i];
  }
}

static ma_status interp_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  const ma_interp *j = w->job;
  int64_t below[TUNE_SORT_BLOCK], before = 0;
  int far = 0;
  for (int64_t i = first; i < last; i += TUNE_SORT_BLOCK) {
    int n = last - i < TUNE_SORT_BLOCK ? (int)(last - i) : TUNE_SORT_BLOCK;
    if (far > 0) {
      find_groups(j->at, j->n, j->x + i, n, below);
      before = below[n - 1];
      far--;
    } else if (find_near(j, j->x + i, n, below, &before) > TUNE_INTERP_MISSES) far = TUNE_INTERP_FAR;
    finish_block(w, j->x + i, n, below, j->result + i);
  }
  return MA_OK;
}

static ma_status interp_now(ma_stream *stream, const void *job) {
  const ma_interp *j = job;
  double *slope = NULL;
  work w = { j, NULL };
  if (j->count >= j->n && j->n > 1 && (slope = malloc((size_t)j->n * sizeof *slope)) != NULL) {
    for (int64_t k = 0; k < j->n - 1; k++) slope[k] = slope_at(j, k);
    w.slope = slope;
  }
  ma_status status = ma_cpu_parallel(j->count, 8 * TUNE_SORT_BLOCK, interp_range, &w);
  free(slope);
  return status;
}

static int64_t interp_bytes(const void *job) {
  const ma_interp *j = job;
  return 16 * (j->count + j->n);
}

MA_CPU_SLOT(ma_cpu_sort_interp, ma_interp, .name = "interp", .run = interp_now, .bytes = interp_bytes)
