/* core.c: the parts of the core that have no Lua name: collapsing, casts of single values, the pool, programs. */
#include "ops/ops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

#define CHECK(condition)                                     \
  do {                                                       \
    if (condition) passed++;                                 \
    else {                                                   \
      failed++;                                              \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    }                                                        \
  } while (0)

static uint32_t seed = 12345;
static int random_below(int n) { return (int)((seed = seed * 1664525u + 1013904223u) >> 8) % n; }

/* ==== Collapsing: the collapsed space visits the same tuples of addresses ======================================== */

static int64_t visit(const ma_space *space, const int64_t *flip, int64_t *sum) {
  int64_t index[MA_MAX_NDIM] = { 0 }, count = 0;
  for (int d = 0; d < space->ndim; d++)
    if (space->shape[d] == 0) return 0;
  *sum = 0;
  for (;;) {
    uint64_t hash = 1469598103934665603u;
    for (int k = 0; k < space->noperand; k++) {
      int64_t address = flip ? flip[k] : 0;
      for (int d = 0; d < space->ndim; d++) address += index[d] * space->stride[k][d];
      hash = (hash ^ (uint64_t)address) * 1099511628211u;
    }
    *sum += (int64_t)(hash >> 8); /* an unordered sum: collapsing may change the order of visits */
    count++;
    int d = space->ndim - 1;
    while (d >= 0 && ++index[d] == space->shape[d]) index[d--] = 0;
    if (d < 0) return count;
  }
}

static void test_collapse(void) {
  for (int trial = 0; trial < 2000; trial++) {
    ma_space space = { .ndim = random_below(5), .noperand = 1 + random_below(3) }, before;
    for (int d = 0; d < space.ndim; d++) space.shape[d] = 1 + random_below(4);
    for (int k = 0; k < space.noperand; k++) {
      int64_t step = 4;
      for (int at = 0; at < space.ndim; at++) {
        int d = random_below(2) ? at : space.ndim - 1 - at;
        space.stride[k][d] = random_below(5) ? (random_below(4) ? step : -step) : 0;
        step *= space.shape[d];
      }
    }
    before = space;
    bool sort = random_below(2);
    int64_t flip[MA_MAX_OPERANDS] = { 0 }, was = 0, is = 0;
    int64_t nbefore = visit(&before, NULL, &was);
    ma_space_collapse(&space, sort, sort ? flip : NULL);
    int64_t nafter = visit(&space, flip, &is);
    if (nbefore != nafter || was != is || space.ndim < 1)
      printf("trial %d: collapsing changed what is visited\n", trial);
    CHECK(nbefore == nafter && was == is && space.ndim >= 1);
  }
  ma_space flat = { .ndim = 3, .noperand = 2, .shape = { 2, 3, 4 }, .stride = { { 48, 16, 4 }, { 48, 16, 4 } } };
  int64_t flip[MA_MAX_OPERANDS];
  ma_space_collapse(&flat, true, flip);
  CHECK(flat.ndim == 1 && flat.shape[0] == 24 && flat.stride[0][0] == 4);
  ma_space fortran = { .ndim = 2, .noperand = 2, .shape = { 3, 4 }, .stride = { { 4, 12 }, { 4, 12 } } };
  ma_space_collapse(&fortran, true, flip);
  CHECK(fortran.ndim == 1 && fortran.shape[0] == 12);
}

/* ==== Single values =============================================================================================== */

static void test_values(void) {
  ma_value v, f = { .c = { 300.7, 0 } };
  CHECK(ma_value_cast(f, MA_FLOAT64, MA_UINT8).u == 255);
  CHECK(ma_value_cast(f, MA_FLOAT64, MA_INT8).i == 127);
  CHECK(ma_value_cast((ma_value){ .c = { -1e300, 0 } }, MA_FLOAT64, MA_INT64).i == INT64_MIN);
  CHECK(ma_value_cast((ma_value){ .c = { 1e300, 0 } }, MA_FLOAT64, MA_UINT64).u == UINT64_MAX);
  CHECK(ma_value_cast((ma_value){ .c = { NAN, 0 } }, MA_FLOAT64, MA_INT32).i == 0);
  CHECK(ma_value_cast((ma_value){ .i = 300 }, MA_INT64, MA_INT8).i == 44);
  CHECK(ma_value_cast((ma_value){ .i = -1 }, MA_INT64, MA_UINT16).u == 65535);
  CHECK(ma_value_cast((ma_value){ .c = { 0.1, 0 } }, MA_FLOAT64, MA_FLOAT32).c.re == (double)0.1f);
  CHECK(ma_value_cast((ma_value){ .c = { 65520, 0 } }, MA_FLOAT64, MA_FLOAT16).c.re == INFINITY);
  CHECK(ma_value_weak((ma_value){ .i = 300 }, MA_WEAK_INT, MA_UINT8, &v) == MA_ERR_VALUE);
  CHECK(ma_value_weak((ma_value){ .i = -1 }, MA_WEAK_INT, MA_UINT64, &v) == MA_ERR_VALUE);
  CHECK(ma_value_weak((ma_value){ .i = 255 }, MA_WEAK_INT, MA_UINT8, &v) == MA_OK && v.u == 255);
  for (int k = 0; k < MA_NDTYPE; k++) {
    unsigned char memory[16];
    ma_value one = ma_value_cast((ma_value){ .i = 1 }, MA_INT64, (ma_dtype)k);
    ma_value_store(memory, (ma_dtype)k, one);
    ma_value back = ma_value_load(memory, (ma_dtype)k);
    CHECK(ma_value_cast(back, (ma_dtype)k, MA_INT64).i == 1);
  }
}

/* ==== The pool ==================================================================================================== */

static void test_pool(void) {
  enum { N = 64, STEPS = 4000 };
  ma_device *cpu = ma_device_cpu();
  ma_buffer *held[N] = { NULL };
  ma_pool_free_all(cpu->pool);
  for (int step = 0; step < STEPS; step++) {
    int k = random_below(N);
    if (held[k]) {
      const unsigned char *bytes = held[k]->ptr;
      size_t n = held[k]->nbytes;
      CHECK(n == 0 || (bytes[0] == (unsigned char)k && bytes[n - 1] == (unsigned char)k));
      ma_buffer_release(held[k]);
      held[k] = NULL;
    } else {
      size_t n = (size_t)random_below(random_below(20) ? 5000 : 3000000);
      CHECK(ma_buffer_new(cpu, n, &held[k]) == MA_OK && held[k]->nbytes == n && (uintptr_t)held[k]->ptr % 64 == 0);
      memset(held[k]->ptr, k, n);
    }
  }
  for (int k = 0; k < N; k++) ma_buffer_release(held[k]);
  ma_pool_stats stats;
  ma_pool_statistics(cpu->pool, &stats);
  CHECK(stats.used_bytes == 0 && ma_buffer_live() == 0);
  ma_pool_free_all(cpu->pool);
  ma_pool_statistics(cpu->pool, &stats);
  CHECK(stats.total_bytes == 0 && stats.n_free_blocks == 0);
  ma_pool_set_limit(cpu->pool, 4 << 20);
  ma_buffer *big = NULL;
  CHECK(ma_buffer_new(cpu, 8 << 20, &big) == MA_ERR_MEMORY && strstr(ma_message(), "out of memory"));
  ma_pool_set_limit(cpu->pool, 0);
}

/* ==== Programs and arrays ========================================================================================= */

static void test_program(void) {
  ma_program p;
  ma_program_clear(&p);
  int a = ma_program_input(&p, MA_FLOAT32), s = ma_program_scalar(&p, MA_FLOAT32);
  int product = ma_program_emit(&p, MA_OP_multiply, MA_FLOAT32, (int[]){ a, s });
  ma_program_output(&p, ma_program_cast(&p, product, MA_FLOAT64));
  CHECK(ma_program_check(&p) == MA_OK);
  char text[512];
  ma_program_print(&p, text, sizeof text);
  CHECK(!strcmp(
    text, "a0: float32, s0: float32\n  r0 = multiply.float32 a0, s0\n  r1 = cast.float32.float64 r0\n  return r1\n"));
  p.code[1].arg[0] = MA_REG_CODE + 1;
  CHECK(ma_program_check(&p) == MA_ERR_INTERNAL); /* reads itself */
}

static void test_arrays(void) {
  ma_device *cpu = ma_device_cpu();
  ma_stream *stream = ma_device_null_stream(cpu);
  ma_array a = { 0 }, t = { 0 }, r = { 0 }, sum = { 0 };
  CHECK(ma_array_new(&a, cpu, MA_FLOAT64, 2, (int64_t[]){ 3, 4 }) == MA_OK);
  double *x = a.buffer->ptr;
  for (int k = 0; k < 12; k++) x[k] = k;
  CHECK(ma_array_transpose(&t, &a, NULL) == MA_OK && t.shape[0] == 4 && t.stride[0] == 8);
  CHECK(ma_array_reshape(&r, &t, 1, (int64_t[]){ -1 }, stream) == MA_OK && r.size == 12 &&
        ((double *)r.buffer->ptr)[1] == 4);
  ma_array_release(&r);
  CHECK(ma_array_reshape(&r, &a, 3, (int64_t[]){ 3, 2, 2 }, stream) == MA_OK && r.buffer == a.buffer);
  ma_array_release(&r);
  CHECK(ma_array_reshape(&r, &a, 1, (int64_t[]){ 5 }, stream) == MA_ERR_VALUE && r.buffer == NULL);
  /* a[1:] = a[:-1] overlaps with a shift: as if through a copy. */
  ma_array to, from;
  ma_array_view(&to, &a);
  ma_array_view(&from, &a);
  to.shape[0] = from.shape[0] = 2;
  to.size = from.size = 8;
  to.offset = 32;
  CHECK(ma_array_assign(&to, &from, stream) == MA_OK && x[4] == 0 && x[8] == 4 && x[11] == 7);
  ma_array_release(&to);
  ma_array_release(&from);
  ma_arg args[2] = { { .array = &t }, { .value = { .c = { 0.5, 0 } }, .dtype = MA_FLOAT64, .weak = MA_WEAK_FLOAT } };
  ma_array *out = &sum;
  CHECK(ma_ufunc_apply((ma_opcode[]){ MA_OP_add }, 1, args, MA_NDTYPE, NULL, &out, stream) == MA_OK);
  CHECK(sum.shape[0] == 4 && sum.stride[0] == 8); /* lies as its transposed operand does */
  ma_array_release(&sum);
  ma_array_release(&t);
  ma_array_release(&a);
  CHECK(ma_buffer_live() == 0);
  CHECK(ma_array_new(&a, cpu, MA_FLOAT64, 2, (int64_t[]){ 1 << 30, INT64_C(1) << 40 }) == MA_ERR_VALUE);
}

int main(void) {
  test_collapse();
  test_values();
  test_pool();
  test_program();
  test_arrays();
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
