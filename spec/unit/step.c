/*
** step.c: random programs over random arrays, run in one go and one operation at a time: the same bits, the same layout
** of new results, and no memory left. Results are made, given, written over an input, laid across one, or over each
** other.
*/
#include "ops/ops.h"
#include "run/step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;
static int below(int n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (int)((seed >> 33) % (uint64_t)n);
}

static ma_stream *stream;
static int failures;
#define CHECK(what)                            \
  do {                                         \
    if ((what) != MA_OK) {                     \
      printf("%s: %s\n", #what, ma_message()); \
      exit(1);                                 \
    }                                          \
  } while (0)

/* ==== Arrays ===================================================================================================== */

static void fill(const ma_array *base) {
  char *at = base->buffer->ptr;
  int item = ma_dtypes[base->dtype].itemsize;
  ma_kind kind = ma_dtypes[base->dtype].kind;
  for (size_t k = 0; k < base->buffer->nbytes / (size_t)item; k++) {
    ma_value value = { .c = { 0, 0 } };
    int v = below(40) - 20;
    if (kind == MA_KIND_BOOL) value.u = (uint64_t)(v & 1);
    else if (kind < MA_KIND_FLOAT) value.i = below(8) ? v : (int64_t)seed;
    else value.c = (ma_c128){ below(9) ? v * 0.37 : v * 1e30, kind == MA_KIND_COMPLEX ? 1 - v : 0 };
    if (kind == MA_KIND_UNSIGNED)
      value.u = (uint64_t)value.i & (ma_dtypes[base->dtype].itemsize == 8 ? ~0ull : (1ull << 8 * item) - 1);
    ma_c128 aligned;
    ma_value_store(&aligned, (ma_dtype)base->dtype, value);
    memcpy(at + k * (size_t)item, &aligned, (size_t)item);
  }
}

static int ndim;
static int64_t shape[MA_MAX_NDIM];

/* An array of `shape`, or one that is broadcast to it; contiguous, with its axes in another order, backwards, or every
** second element. */
static void make_array(ma_array *view, ma_dtype dtype, bool whole) {
  ma_array base;
  int64_t extent[MA_MAX_NDIM], step[MA_MAX_NDIM];
  int first = whole || below(4) ? 0 : below(ndim + 1), n = ndim - first, order[MA_MAX_NDIM];
  for (int d = 0; d < n; d++) {
    extent[d] = !whole && below(6) == 0 ? 1 : shape[first + d];
    order[d] = d;
  }
  if (below(3) == 0)
    for (int d = n - 1; d > 0; d--) {
      int e = below(d + 1), swap = order[d];
      order[d] = order[e];
      order[e] = swap;
    }
  int64_t total = below(4) == 0 ? 2 : 1, size = 1;
  for (int k = n - 1; k >= 0; k--) {
    step[order[k]] = total * ma_dtypes[dtype].itemsize;
    total *= extent[order[k]];
    size *= extent[order[k]];
  }
  CHECK(ma_array_new(&base, ma_device_cpu(), dtype, 1, &total));
  fill(&base);
  *view = base;
  view->ndim = (uint8_t)n;
  view->size = size;
  for (int d = 0; d < n; d++) {
    bool back = below(6) == 0 && size > 0;
    view->shape[d] = extent[d];
    view->stride[d] = back ? -step[d] : step[d];
    view->offset += back ? step[d] * (extent[d] - 1) : 0;
  }
}

/* ==== Programs =================================================================================================== */

static const ma_dtype types[] = { MA_BOOL,    MA_INT8,     MA_INT32,   MA_INT64,   MA_UINT8,     MA_UINT16,
                                  MA_FLOAT16, MA_BFLOAT16, MA_FLOAT32, MA_FLOAT64, MA_COMPLEX64, MA_COMPLEX128 };
static ma_dtype any_type(void) { return types[below(sizeof types / sizeof *types)]; }

/* A register of the dtype, made by a cast if need be. */
static int pick(ma_program *p, const int *reg, int nreg, ma_dtype wanted) {
  for (int tries = 0; tries < 4; tries++) {
    int r = reg[below(nreg)];
    if (ma_program_dtype(p, r) == wanted) return r;
  }
  return ma_program_cast(p, reg[below(nreg)], wanted);
}

static void make_program(ma_program *p, ma_value *scalar) {
  int reg[2 * MA_MAX_REGS], nreg = 0, ncode = below(MA_MAX_CODE - MA_MAX_ARITY), near = any_type();
  ma_program_clear(p);
  for (int k = below(6); k >= 0; k--) reg[nreg++] = ma_program_input(p, below(3) ? (ma_dtype)near : any_type());
  for (int k = below(3); k > 0; k--) {
    ma_dtype dtype = below(3) ? (ma_dtype)near : any_type();
    ma_kind kind = ma_dtypes[dtype].kind;
    scalar[p->nscalar] = kind < MA_KIND_FLOAT ? (ma_value){ .u = (uint64_t)below(2) }
                                              : (ma_value){ .c = { below(9) - 4.5, 0 } };
    reg[nreg++] = ma_program_scalar(p, dtype);
  }
  for (int tries = 0; p->ncode < ncode && tries < 2000; tries++) {
    ma_opcode op = (ma_opcode)below(MA_NOP);
    ma_dtype loop = below(4) ? ma_program_dtype(p, reg[below(nreg)]) : any_type();
    const ma_op_info *info = &ma_ops[op];
    int args[MA_MAX_ARITY];
    if (ma_op_draws(op)) continue; /* its first operand is no array */
    if (op == MA_OP_cast) {
      int made = ma_program_cast(p, reg[below(nreg)], loop);
      if (made >= MA_REG_CODE) reg[nreg++] = made;
      continue;
    }
    if (!info->body[ma_dtypes[loop].kind] || p->ncode + info->nin >= MA_MAX_CODE) continue;
    for (int a = 0; a < info->nin; a++) args[a] = pick(p, reg, nreg, ma_sig_dtype((ma_sig)info->in[a], loop));
    reg[nreg++] = ma_program_emit(p, op, loop, args);
  }
  for (int k = below(MA_MAX_OUTPUTS); k >= 0; k--) {
    int r = below(3) ? reg[nreg - 1 - below(nreg < 3 ? nreg : 3)] : reg[below(nreg)];
    ma_program_output(p, below(4) || p->ncode == MA_MAX_CODE ? r : ma_program_cast(p, r, any_type()));
  }
}

/* ==== One comparison ============================================================================================= */

typedef struct trial {
  ma_array input[MA_MAX_INPUTS], result[MA_MAX_OUTPUTS];
} trial;

/* Sometimes a view of an input, shifted or not, or of another result: what a write may meet. */
static void make_result(trial *t, const ma_program *p, int k) {
  ma_array *made = &t->result[k];
  ma_dtype dtype = ma_program_dtype(p, p->output[k]);
  made->buffer = NULL;
  if (below(3) == 0) return;
  for (int j = 0; j < p->ninput + k && below(2); j++) {
    const ma_array *from = j < p->ninput ? &t->input[j] : &t->result[j - p->ninput];
    bool same = from->buffer && from->dtype == dtype && from->ndim == ndim &&
                !memcmp(from->shape, shape, (size_t)ndim * sizeof *shape);
    if (!same) continue;
    ma_array_view(made, from);
    if (below(2)) { /* backwards: the same memory, another order */
      int d = below(ndim);
      made->offset += made->stride[d] * (made->shape[d] - 1);
      made->stride[d] = -made->stride[d];
    }
    return;
  }
  make_array(made, dtype, true);
}

static void copy_memory(trial *to, const trial *from, const ma_program *p) {
  const ma_array *old[MA_MAX_INPUTS + MA_MAX_OUTPUTS];
  ma_array *made[MA_MAX_INPUTS + MA_MAX_OUTPUTS];
  int n = 0;
  for (int k = 0; k < p->ninput + p->noutput; k++) {
    const ma_array *source = k < p->ninput ? &from->input[k] : &from->result[k - p->ninput];
    ma_array *target = k < p->ninput ? &to->input[k] : &to->result[k - p->ninput];
    *target = *source;
    if (!source->buffer) continue;
    int j = 0;
    while (j < n && old[j]->buffer != source->buffer) j++;
    if (j < n) {
      target->buffer = made[j]->buffer;
      ma_buffer_retain(target->buffer);
      continue;
    }
    CHECK(ma_buffer_new(ma_device_cpu(), source->buffer->nbytes, &target->buffer));
    memcpy(target->buffer->ptr, source->buffer->ptr, source->buffer->nbytes);
    old[n] = source;
    made[n++] = target;
  }
}

static void release(trial *t, const ma_program *p) {
  for (int k = 0; k < p->ninput; k++) ma_array_release(&t->input[k]);
  for (int k = 0; k < p->noutput; k++) ma_array_release(&t->result[k]);
}

/* Whether the bits are equal, or both are NaN, whose sign functions leave open. */
static bool same_value(const char *a, const char *b, ma_dtype dtype) {
  ma_c128 x, y;
  int size = ma_dtypes[dtype].itemsize;
  if (!memcmp(a, b, (size_t)size)) return true;
  if (ma_dtypes[dtype].kind < MA_KIND_FLOAT) return false;
  x = ma_value_load(a, dtype).c;
  y = ma_value_load(b, dtype).c;
  bool real = !memcmp(&x.re, &y.re, sizeof x.re) || (x.re != x.re && y.re != y.re);
  bool imag = ma_dtypes[dtype].kind == MA_KIND_FLOAT || !memcmp(&x.im, &y.im, sizeof x.im) ||
              (x.im != x.im && y.im != y.im);
  return real && imag;
}

static bool same_elements(const ma_array *a, const ma_array *b, bool fresh) {
  ma_array x, y;
  if (a->dtype != b->dtype || a->ndim != b->ndim ||
      (fresh && memcmp(a->stride, b->stride, a->ndim * sizeof *a->stride)))
    return false;
  CHECK(ma_array_copy(&x, a, (ma_dtype)a->dtype, stream));
  CHECK(ma_array_copy(&y, b, (ma_dtype)b->dtype, stream));
  bool same = true;
  for (int64_t k = 0; k < x.size && same; k++) {
    int64_t at = k * ma_dtypes[x.dtype].itemsize;
    same = same_value((const char *)x.buffer->ptr + at, (const char *)y.buffer->ptr + at, (ma_dtype)x.dtype);
  }
  ma_array_release(&x);
  ma_array_release(&y);
  return same;
}

static void run_both(const ma_program *p, const ma_value *scalar, trial *one, trial *other) {
  const ma_array *a[MA_MAX_INPUTS], *b[MA_MAX_INPUTS];
  ma_array *r[MA_MAX_OUTPUTS], *q[MA_MAX_OUTPUTS];
  bool fresh[MA_MAX_OUTPUTS];
  for (int k = 0; k < p->ninput; k++) {
    a[k] = &one->input[k];
    b[k] = &other->input[k];
  }
  for (int k = 0; k < p->noutput; k++) {
    r[k] = &one->result[k];
    q[k] = &other->result[k];
    fresh[k] = !r[k]->buffer;
  }
  ma_status first = ma_program_run(p, a, scalar, r, stream), second = ma_program_step(p, b, scalar, q, stream);
  bool right = first == second;
  for (int k = 0; k < p->noutput && first == MA_OK && right; k++) right = same_elements(r[k], q[k], fresh[k]);
  if (!right) {
    char text[16384];
    ma_program_print(p, text, sizeof text);
    printf("differs:\n%s", text);
    failures++;
  }
}

static void try_once(void) {
  static const int extents[] = { 0, 1, 2, 3, 5, 8, 17, 40, 1030 };
  ma_program program;
  ma_value scalar[MA_MAX_SCALARS];
  trial one, other;
  int64_t size = 1;
  ndim = 1 + below(3);
  for (int d = 0; d < ndim; d++) {
    shape[d] = extents[below(30) ? 1 + below(8) : 0];
    if (size * shape[d] > 5000) shape[d] = 2;
    size *= shape[d];
  }
  make_program(&program, scalar);
  CHECK(ma_program_check(&program));
  for (int k = 0; k < program.ninput; k++) make_array(&one.input[k], (ma_dtype)program.input_dtype[k], below(2));
  for (int k = 0; k < program.noutput; k++) make_result(&one, &program, k);
  copy_memory(&other, &one, &program);
  run_both(&program, scalar, &one, &other);
  release(&one, &program);
  release(&other, &program);
}

/* A chain of sums holds two temporaries at once, however long it is. */
static void try_peak(void) {
  ma_program program;
  ma_array x, y = { .buffer = NULL }, *result = &y;
  const ma_array *input = &x;
  int64_t n = 1 << 18;
  ma_pool_stats before, after;
  ma_program_clear(&program);
  int reg = ma_program_input(&program, MA_FLOAT32);
  for (int k = 0; k < 20; k++) reg = ma_program_emit(&program, MA_OP_add, MA_FLOAT32, (int[]){ reg, 0, 0, 0 });
  ma_program_output(&program, reg);
  CHECK(ma_array_new(&x, ma_device_cpu(), MA_FLOAT32, 1, &n));
  fill(&x);
  ma_pool_reset_peak(ma_device_cpu()->pool);
  ma_pool_statistics(ma_device_cpu()->pool, &before);
  CHECK(ma_program_step(&program, &input, NULL, &result, stream));
  ma_pool_statistics(ma_device_cpu()->pool, &after);
  if (after.peak_bytes - before.used_bytes > 3 * 4 * (size_t)n + (1 << 16)) {
    printf("a chain of 20 sums holds %zu bytes at once\n", after.peak_bytes - before.used_bytes);
    failures++;
  }
  ma_array_release(&x);
  ma_array_release(&y);
}

int main(int argc, char **argv) {
  uint64_t start = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  int count = argc > 2 ? atoi(argv[2]) : 3000;
  stream = ma_device_null_stream(ma_device_cpu());
  for (int k = 0; k < count; k++) {
    int before = failures;
    seed = start + (uint64_t)k;
    for (int j = 0; j < 4; j++) below(2);
    try_once();
    if (failures > before) printf("seed %llu\n", (unsigned long long)(start + (uint64_t)k));
  }
  try_peak();
  if (ma_buffer_live() != 0) {
    printf("%lld buffers left\n", (long long)ma_buffer_live());
    failures++;
  }
  printf("%d passed, %d failed\n", count - failures, failures);
  return failures != 0;
}
