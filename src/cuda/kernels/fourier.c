/*
** fourier.c: Fourier transforms by a kernel of our own, where cuFFT is not: lengths whose prime factors are 2, 3, 5 and
** 7, as one pass over lines that fit in shared memory, or as two of which the first turns its results. A transform of
** several axes takes them one after another; a real one has its reals, or half of its terms, where lines are read or
** written.
*/
#include "cuda/cuda.h"
#include "cuda/kernels/fourier.h"
#include "tuning.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { COMPLEX, REAL, HALF }; /* what lies in an array; half of the terms of a real transform */
#define SINGLE 4096           /* the longest line in shared memory, of complex64 */
#define DOUBLE 2432           /* and of complex128: 7^4 fits */
#define SHIFT 11              /* bits of a place in the first of two tables of turns */
#define MOST_STAGES 12
#define MOST_ROWS 256 /* lines of a block */
#define THREADS 512

/* The same structs are in kernels/signal/fourier.cuh. */
typedef struct stage {
  uint32_t radix, stride;
  ma_cuda_divisor across, before;
} stage;
typedef struct steps {
  int64_t outer, group, inner, element;
} steps;
typedef struct pass {
  const void *from;
  void *to;
  CUdeviceptr roots, low, high;
  int64_t lines, groups, inners, length, keep;
  steps in, out;
  ma_cuda_divisor n, rows;
  uint32_t source, target, inverse, along_in, along_out, nstage;
  stage stages[MOST_STAGES];
} pass;

typedef enum where { FROM, TO, WORK } where;

struct ma_fourier {
  CUdeviceptr tables;
  int64_t ntable, work; /* numbers */
  int dtype, npass;
  struct {
    pass pass;
    where from, to;
    int64_t roots, low, high; /* places in the tables; -1: none */
  } passes[2 * MA_FFT_MAX_RANK];
};

static void print_fourier(ma_ctext *text, const void *what) {
  const bool single = *(const uint8_t *)what == MA_COMPLEX64;
  ma_ctext_add(text,
               "typedef %s real;\n#define MOST %d\n#define SHIFT %d\n#define MOST_STAGES %d\n#define MOST_ROWS %d\n"
               "#define THREADS %d\nenum { COMPLEX, REAL, HALF };\n",
               single ? "float" : "double", single ? SINGLE : DOUBLE, SHIFT, MOST_STAGES, MOST_ROWS, THREADS);
  ma_ctext_put(text, ma_embedded("fourier.cuh"));
}

static const ma_cuda_family family = { "fourier", { "transform_lines" }, print_fourier, NULL };

ma_status ma_cuda_fourier_source(ma_dtype dtype, char **source) {
  uint8_t what = (uint8_t)dtype;
  return ma_cuda_source(&family, &what, source);
}

static int64_t most_of(int dtype) { return dtype == MA_COMPLEX64 ? SINGLE : DOUBLE; }

/* ---- Lengths ---- */

static bool is_smooth(int64_t n) {
  static const int primes[] = { 2, 3, 5, 7 };
  for (int k = 0; k < 4; k++)
    while (n % primes[k] == 0) n /= primes[k];
  return n == 1;
}

/* The length of the first of two passes, near the root of n; n: one pass is enough; 0: there is no way. */
static int64_t divide(int64_t n, int64_t most) {
  if (!is_smooth(n)) return 0;
  if (n <= most) return n;
  if (n > most * most) return 0;
  int64_t first = most;
  while (first * first > n) first--;
  for (; first > 1 && n / first <= most; first--)
    if (n % first == 0) return first;
  return 0;
}

static uint32_t radix_of(int64_t n) {
  for (uint32_t r = 3; r <= 7; r += 2)
    if (n % r == 0) return r;
  return n % 2 ? 1 : n == 2 ? 2 : n == 4 || n == 16 ? 4 : n % 8 == 0 ? 8 : 4;
}

static void make_stages(pass *p, int64_t n) {
  p->n = ma_cuda_divide((uint32_t)n);
  p->nstage = 0;
  for (int64_t rest = n, before = 1; rest > 1;) {
    uint32_t r = radix_of(rest);
    rest /= r;
    p->stages[p->nstage++] = (stage){ r, (uint32_t)rest, ma_cuda_divide((uint32_t)(n / r)),
                                      ma_cuda_divide((uint32_t)before) };
    before *= r;
  }
}

/* ---- Passes ---- */

/* An axis that is transformed: `inner` numbers lie between its neighbours, `lines` lines of all axes before it. */
typedef struct axis {
  int64_t n, outer, inner, in_row, out_row; /* numbers, or reals, of a line with what is inner */
  uint32_t source, target, inverse;
  int64_t keep;
  where from, to;
} axis;

/* As many lines for a block as fit, but no more than leave work for all of a GPU, and four for whole sectors. */
static int64_t rows_of(int64_t n, int64_t lines, int64_t most) {
  int64_t rows = most / n, wanted = lines / TUNE_FULL_BLOCKS;
  if (wanted < 4) wanted = 4;
  if (rows > wanted) rows = wanted;
  return rows > MOST_ROWS ? MOST_ROWS : rows;
}

static void add_pass(ma_fourier *f, pass p, int64_t n, where from, where to, int64_t roots, int64_t low, int64_t high) {
  make_stages(&p, n);
  p.rows = ma_cuda_divide((uint32_t)rows_of(n, p.lines, most_of(f->dtype)));
  p.along_in = p.in.element == 1;
  p.along_out = p.out.element == 1;
  f->passes[f->npass].pass = p;
  f->passes[f->npass].from = from;
  f->passes[f->npass].to = to;
  f->passes[f->npass].roots = roots;
  f->passes[f->npass].low = low;
  f->passes[f->npass++].high = high;
}

static int64_t take_table(ma_fourier *f, int64_t n) {
  int64_t at = f->ntable;
  f->ntable += n;
  return at;
}

static int64_t tables_above(int64_t n) { return ((n - 1) >> SHIFT) + 1; }

static void add_axis(ma_fourier *f, const axis *a, int64_t first) {
  const int64_t n = a->n, second = n / first, inner = a->inner;
  pass p = { .length = n, .keep = a->keep, .source = a->source, .target = a->target, .inverse = a->inverse };
  p.inners = inner;
  p.in = (steps){ a->in_row, inner, 1, second * inner };
  if (second == 1) {
    p.lines = a->outer * inner;
    p.groups = 1;
    p.in.group = 0;
    p.out = (steps){ a->out_row, 0, 1, inner };
    add_pass(f, p, n, a->from, a->to, take_table(f, n), -1, -1);
    return;
  }
  if (f->work < a->outer * n * inner) f->work = a->outer * n * inner;
  p.target = COMPLEX;
  p.keep = 0;
  p.lines = a->outer * second * inner;
  p.groups = second;
  p.out = (steps){ n * inner, inner, 1, second * inner };
  int64_t roots = take_table(f, first), low = take_table(f, (int64_t)1 << SHIFT);
  add_pass(f, p, first, a->from, WORK, roots, low, take_table(f, tables_above(n)));
  p.source = COMPLEX;
  p.target = a->target;
  p.keep = a->keep;
  p.lines = a->outer * first * inner;
  p.groups = first;
  p.in = (steps){ n * inner, second * inner, 1, inner };
  p.out = (steps){ a->out_row, inner, 1, first * inner };
  add_pass(f, p, second, WORK, a->to, take_table(f, second), -1, -1);
}

static ma_status refuse(const ma_fft *fft, int64_t n) {
  ma_fail_prefix(MA_ERR_LIBRARY,
                 "%" PRId64 " %s elements to transform without cuFFT; a length with factors of 2, 3, 5 and 7 is "
                 "wanted, as the product of two of at most %d: ",
                 n, ma_dtypes[fft->dtype].name, (int)most_of(fft->dtype));
  return ma_lack();
}

static ma_status add_axes(ma_fourier *f, const ma_fft *fft) {
  const bool to_complex = fft->kind == MA_FFT_TO_COMPLEX, to_real = fft->kind == MA_FFT_TO_REAL;
  const int last = fft->rank - 1;
  const int64_t half = fft->n[last] / 2 + 1, width = to_complex || to_real ? half : fft->n[last];
  for (int turn = 0; turn <= last; turn++) {
    /* The axis of reals comes first where they are read, and last where they are written. */
    const int d = to_real ? turn : last - turn;
    axis a = { .n = fft->n[d], .outer = fft->batch, .inner = 1 };
    for (int k = 0; k < d; k++) a.outer *= fft->n[k];
    for (int k = d + 1; k <= last; k++) a.inner *= k == last ? width : fft->n[k];
    a.inverse = to_real || (!to_complex && fft->inverse);
    a.in_row = a.out_row = a.n * a.inner;
    a.from = to_real || turn == 0 ? FROM : TO;
    a.to = to_real && d < last ? FROM : TO;
    if (d == last && to_complex) {
      a.source = REAL;
      a.out_row = a.keep = half;
    }
    if (d == last && to_real) {
      a.source = HALF;
      a.target = REAL;
      a.in_row = half;
    }
    int64_t first = divide(a.n, most_of(f->dtype));
    if (first == 0) return refuse(fft, a.n);
    add_axis(f, &a, first);
  }
  return MA_OK;
}

/* ---- Tables ---- */

static void put(void *table, int dtype, int64_t at, int64_t k, int64_t n) {
  const long double turn = 6.283185307179586476925286766559005768L * (long double)k / (long double)n;
  const double re = (double)cosl(turn), im = (double)-sinl(turn);
  if (dtype == MA_COMPLEX64) ((ma_c64 *)table)[at] = (ma_c64){ (float)re, (float)im };
  else ((ma_c128 *)table)[at] = (ma_c128){ re, im };
}

static void fill_tables(const ma_fourier *f, void *table) {
  for (int k = 0; k < f->npass; k++) {
    const int64_t n = f->passes[k].pass.n.extent, length = f->passes[k].pass.length, one = 1;
    for (int64_t i = 0; i < n; i++) put(table, f->dtype, f->passes[k].roots + i, i, n);
    if (f->passes[k].low < 0) continue;
    for (int64_t i = 0; i < one << SHIFT; i++) put(table, f->dtype, f->passes[k].low + i, i, length);
    for (int64_t i = 0; i < tables_above(length); i++) put(table, f->dtype, f->passes[k].high + i, i << SHIFT, length);
  }
}

static ma_status send_tables(ma_fourier *f) {
  const size_t item = ma_dtypes[f->dtype].itemsize, nbytes = (size_t)f->ntable * item;
  void *table = malloc(nbytes);
  if (!table) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a plan");
  fill_tables(f, table);
  CUresult result = ma_cu.cuMemAlloc(&f->tables, nbytes);
  if (result != CUDA_SUCCESS) {
    free(table);
    return ma_cuda_fail(MA_CU_cuMemAlloc, result);
  }
  result = ma_cu.cuMemcpyHtoDAsync(f->tables, table, nbytes, NULL);
  if (result == CUDA_SUCCESS) result = ma_cu.cuStreamSynchronize(NULL);
  free(table);
  if (result != CUDA_SUCCESS) return ma_cuda_fail(MA_CU_cuMemcpyHtoDAsync, result);
  for (int k = 0; k < f->npass; k++) {
    f->passes[k].pass.roots = f->tables + (size_t)f->passes[k].roots * item;
    if (f->passes[k].low < 0) continue;
    f->passes[k].pass.low = f->tables + (size_t)f->passes[k].low * item;
    f->passes[k].pass.high = f->tables + (size_t)f->passes[k].high * item;
  }
  return MA_OK;
}

/* ---- Plans ---- */

ma_status ma_cuda_fourier_new(ma_device *device, const ma_fft *fft, ma_fourier **made) {
  MA_TRY(ma_cuda_enter(device));
  ma_fourier *f = calloc(1, sizeof *f);
  if (!f) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a plan");
  f->dtype = fft->dtype;
  ma_status status = add_axes(f, fft);
  if (status == MA_OK) status = send_tables(f);
  if (status != MA_OK) ma_cuda_fourier_free(f, true);
  else *made = f;
  return status;
}

void ma_cuda_fourier_free(ma_fourier *f, bool there) {
  ma_cuda_send_all(false); /* what waits for a frame's end may read them */
  if (there && f->tables) ma_cu.cuMemFree(f->tables);
  free(f);
}

ma_status ma_cuda_fourier_run(ma_stream *stream, ma_fourier *f, void *from, void *to) {
  const size_t item = ma_dtypes[f->dtype].itemsize;
  const uint8_t dtype = (uint8_t)f->dtype;
  const CUfunction *entry;
  ma_buffer *work = NULL;
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &dtype, sizeof dtype, &dtype, &entry));
  if (f->work) MA_TRY(ma_cuda_scratch(stream, (size_t)f->work * item, &work));
  ma_status status = MA_OK;
  for (int k = 0; k < f->npass && status == MA_OK; k++) {
    pass p = f->passes[k].pass;
    void *const places[] = { [FROM] = from, [TO] = to, [WORK] = work ? work->ptr : NULL };
    p.from = places[f->passes[k].from];
    p.to = places[f->passes[k].to];
    const int64_t blocks = (p.lines + p.rows.extent - 1) / p.rows.extent;
    if (blocks > INT32_MAX) status = ma_fail(MA_ERR_VALUE, "%" PRId64 " lines to transform", p.lines);
    else
      status = ma_cuda_launch(stream, entry[0], (unsigned)blocks, THREADS, 0, (void *[]){ &p }, "fft",
                              p.lines * p.n.extent * 2 * (int64_t)item);
  }
  if (work) ma_buffer_release(work);
  return status;
}
