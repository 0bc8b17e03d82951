/*
** systems.c: factors and solutions of matrices of at most MA_LINALG_SMALL rows and columns, where a call of LAPACK
** takes longer than its work. A vector holds one element of several matrices, so all steps of the elimination are steps
** on vectors, whatever the extents; a few matrices are factored one by one (systems_one.h). The bits of a matrix do not
** depend on the others.
*/
#include "cpu/library/systems.h"

#include "cpu/cpu.h"
#include "cpu/map/wider.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VECTOR 64 /* bytes */
#define RIGHT 8   /* columns of the right side at once */

#define NAME(x) x##_f4
#define X float
#define INDEX int32_t
#define COMPLEX 0
#include "cpu/library/systems_loops.h"
#define NAME(x) x##_f8
#define X double
#define INDEX int64_t
#define COMPLEX 0
#include "cpu/library/systems_loops.h"
#define NAME(x) x##_c8
#define X float
#define INDEX int32_t
#define COMPLEX 1
#include "cpu/library/systems_loops.h"
#define NAME(x) x##_c16
#define X double
#define INDEX int64_t
#define COMPLEX 1
#include "cpu/library/systems_loops.h"

#define ONE(x) one_##x##_f4
#define X float
#include "cpu/library/systems_one.h"
#define ONE(x) one_##x##_f8
#define X double
#include "cpu/library/systems_one.h"

typedef struct loops {
  int lanes, cell; /* matrices in a vector, bytes of a cell */
  void (*solve)(const ma_linalg_systems *s, int64_t first, int live, void *memory);
  void (*lu)(const ma_matrices *a, int64_t *positions, int32_t *info, int64_t first, int live, void *memory);
  /* for one matrix; NULL: as the others */
  void (*solve_one)(const ma_linalg_systems *s, int64_t k, void *memory);
  void (*lu_one)(const ma_matrices *a, int64_t *positions, int32_t *info, int64_t k, void *memory);
  size_t room; /* bytes for these two */
} loops;

static const loops *loops_of(ma_dtype dtype) {
  static const loops all[] = { { 16, sizeof(cell_f4), solve_f4, lu_f4, one_solve_f4, one_lu_f4, sizeof(one_room_f4) },
                               { 8, sizeof(cell_f8), solve_f8, lu_f8, one_solve_f8, one_lu_f8, sizeof(one_room_f8) },
                               { 16, sizeof(cell_c8), solve_c8, lu_c8, NULL, NULL, 0 },
                               { 8, sizeof(cell_c16), solve_c16, lu_c16, NULL, NULL, 0 } };
  return &all[dtype == MA_FLOAT32 ? 0 : dtype == MA_FLOAT64 ? 1 : dtype == MA_COMPLEX64 ? 2 : 3];
}

/* Solutions, or factors if `a` is there. */
typedef struct job {
  const loops *loop;
  const ma_linalg_systems *systems;
  const ma_matrices *a;
  int64_t *pivot, count;
  int32_t *info;
  size_t cells;
} job;

static void run_few(const job *j, int64_t first, int live, void *memory) {
  for (int64_t k = first; k < first + live; k++)
    if (j->a) j->loop->lu_one(j->a, j->pivot, j->info, k, memory);
    else j->loop->solve_one(j->systems, k, memory);
}

static ma_status run_range(void *context, int64_t from, int64_t to) {
  const job *j = context;
  size_t size = j->cells * (size_t)j->loop->cell;
  if (size < j->loop->room) size = j->loop->room;
  void *memory = aligned_alloc(VECTOR, size);
  if (!memory) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for small matrices", size);
  for (int64_t i = from; i < to; i++) {
    int64_t first = i * j->loop->lanes;
    int live = j->count - first < j->loop->lanes ? (int)(j->count - first) : j->loop->lanes;
    if (live <= TUNE_SYSTEMS_FEW && j->loop->lu_one) run_few(j, first, live, memory);
    else if (j->a) j->loop->lu(j->a, j->pivot, j->info, first, live, memory);
    else j->loop->solve(j->systems, first, live, memory);
  }
  free(memory);
  return MA_OK;
}

/* Runs a job on as many threads as have about ten microseconds of work each. */
static ma_status run(job *j, double work) {
  int64_t groups = (j->count + j->loop->lanes - 1) / j->loop->lanes;
  return ma_cpu_parallel(groups, (int64_t)(4e3 / work) + 1, run_range, j);
}

static ma_status solve_now(ma_stream *stream, const void *given) {
  const ma_linalg_systems *s = given;
  double n = (double)s->rows;
  job j = { .loop = loops_of(s->dtype), .systems = s, .count = s->count };
  j.cells = (size_t)(s->rows * (s->rows + RIGHT));
  return run(&j, n * n * (n / 3 + (double)s->right));
}

static int64_t solve_bytes(const void *given) {
  const ma_linalg_systems *s = given;
  return s->count * s->rows * (s->rows + 2 * s->right) * ma_dtypes[s->dtype].itemsize;
}

MA_CPU_SLOT(ma_cpu_linalg_solve, ma_linalg_systems, .name = "solve", .run = solve_now, .bytes = solve_bytes)

ma_status ma_cpu_small_lu(ma_dtype dtype, const ma_matrices *a, int64_t *pivot, int32_t *info) {
  double m = (double)a->rows, n = (double)a->columns;
  job j = { .loop = loops_of(dtype), .a = a, .pivot = pivot, .info = info, .count = a->count };
  j.cells = (size_t)(a->rows * a->columns);
  return run(&j, m * n * (m < n ? m : n) / 3);
}
