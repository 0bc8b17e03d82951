/* triangle.c: triangular systems, a thread for each few columns of the right side. */
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"

#include <math.h>

typedef int64_t solve_function(const ma_sparse_triangle *t, int64_t first, int64_t last);

/* Smith's division, which neither overflows nor underflows where the quotient does not. */
#define COMPLEX_DIV(name, type, real, magnitude)                     \
  static inline type name(type a, type b) {                          \
    if (magnitude(b.re) >= magnitude(b.im)) {                        \
      real r = b.im / b.re, d = b.re + b.im * r;                     \
      return (type){ (a.re + a.im * r) / d, (a.im - a.re * r) / d }; \
    }                                                                \
    real r = b.re / b.im, d = b.re * r + b.im;                       \
    return (type){ (a.re * r + a.im) / d, (a.im * r - a.re) / d };   \
  }
COMPLEX_DIV(sparse_div_c8, ma_c64, float, fabsf)
COMPLEX_DIV(sparse_div_c16, ma_c128, double, fabs)

#define EACH_FLOAT
#define EACH "cpu/sparse/triangle_loops.h"
#include "cpu/sparse/each.h"

static solve_function *const solve_of[2][MA_NSPARSE_VALUE] = FLOAT_NAMES(solve);

typedef struct work {
  const ma_sparse_triangle *t;
  solve_function *solve;
} work;

static ma_status solve_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  int64_t wrong = w->solve(w->t, first, last);
  if (wrong) __atomic_store_n(w->t->info, (int32_t)(wrong < INT32_MAX ? wrong : INT32_MAX), __ATOMIC_RELAXED);
  return MA_OK;
}

static ma_status triangle_now(ma_stream *stream, const void *job) {
  const ma_sparse_triangle *t = job;
  work w = { t, solve_of[t->a.index == MA_INT64][ma_sparse_value(t->a.dtype)] };
  *t->info = 0;
  MA_TRY(ma_cpu_sparse_check(&t->a));
  return ma_cpu_parallel(t->width, 8, solve_range, &w);
}

static int64_t triangle_bytes(const void *job) {
  const ma_sparse_triangle *t = job;
  return ma_cpu_sparse_bytes(&t->a) + 2 * t->a.rows * t->width * ma_dtypes[t->a.dtype].itemsize;
}

MA_CPU_SLOT(ma_cpu_sparse_triangle, ma_sparse_triangle, .name = "sparse triangle", .run = triangle_now,
            .bytes = triangle_bytes)
