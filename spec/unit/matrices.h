/*
** matrices.h: batches of matrices on a device and on the host, random or given, arithmetic on the host, and what came
** out of a check. For the unit that is one file with it.
*/
#include "ops/ops.h"
#include "backend/linalg.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef double complex z;

static int passed, failed;
static ma_device *device;
static ma_stream *stream;
static const ma_linalg_slots *table;
static const ma_dtype dtypes[4] = { MA_FLOAT32, MA_FLOAT64, MA_COMPLEX64, MA_COMPLEX128 };

static bool is_complex(ma_dtype t) { return ma_dtypes[t].kind == MA_KIND_COMPLEX; }
static bool is_double(ma_dtype t) { return t == MA_FLOAT64 || t == MA_COMPLEX128; }
static double eps_of(ma_dtype t) { return is_double(t) ? DBL_EPSILON : FLT_EPSILON; }
static ma_dtype complex_of(ma_dtype t) { return is_double(t) ? MA_COMPLEX128 : MA_COMPLEX64; }

/* ==== What came out of a check ==================================================================================== */

static void verdict(bool ok, const char *what, ma_dtype t, int64_t rows, int64_t columns, int64_t count, double value) {
  passed += ok;
  failed += !ok;
  if (!ok)
    printf("FAILED %-30s %-10s %lld of %lld x %lld: %.3g\n", what, ma_dtypes[t].name, (long long)count, (long long)rows,
           (long long)columns, value);
}

static bool call_ok(ma_status status, const char *what, ma_dtype t, int64_t rows, int64_t columns, int64_t count) {
  if (status != MA_OK) {
    verdict(false, what, t, rows, columns, count, NAN);
    printf("       %s\n", ma_message());
  }
  return status == MA_OK;
}

/* ==== Random numbers, memory ====================================================================================== */

static uint64_t seed = 20261121;
static double unit(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}
static z random_of(ma_dtype t) {
  double re = unit(), im = is_complex(t) ? unit() : 0;
  return is_double(t) ? re + im * I : (double)(float)re + (double)(float)im * I;
}

static void die(const char *what) {
  printf("%s: %s\n", what, ma_message());
  exit(1);
}

static ma_buffer *block(size_t nbytes) {
  ma_buffer *buffer;
  if (ma_buffer_new(device, nbytes ? nbytes : 1, &buffer) != MA_OK || ma_buffer_use(buffer, stream, true) != MA_OK)
    die("memory");
  return buffer;
}

static void put(void *to, const void *from, size_t nbytes) {
  if (device->backend->memory.copy(stream, to, from, nbytes, MA_COPY_TO_DEVICE) != MA_OK) die("copy");
}
static void get(void *to, const void *from, size_t nbytes) {
  if (device->backend->memory.copy(stream, to, from, nbytes, MA_COPY_TO_HOST) != MA_OK) die("copy");
}

static void store(ma_dtype t, char *at, z x) {
  double d[2] = { creal(x), cimag(x) };
  float f[2] = { (float)d[0], (float)d[1] };
  memcpy(at, is_double(t) ? (void *)d : f, ma_dtypes[t].itemsize);
}
static z load(ma_dtype t, const char *at) {
  double d[2] = { 0, 0 };
  float f[2] = { 0, 0 };
  memcpy(is_double(t) ? (void *)d : f, at, ma_dtypes[t].itemsize);
  return is_double(t) ? d[0] + d[1] * I : f[0] + f[1] * I;
}

/* A batch on the device and, as complex numbers, on the host: element (i, j) of matrix b at i + j rows + b rows
** columns. */
typedef struct batch {
  ma_matrices m;
  ma_dtype dtype;
  ma_buffer *buffer;
  z *host;
} batch;

#define AT(b, k, i, j) ((b)->host[(i) + (j) * (b)->m.rows + (k) * (b)->m.rows * (b)->m.columns])

static batch batch_new(ma_dtype t, int64_t rows, int64_t columns, int64_t count, int64_t pad) {
  batch b = { .m = { .rows = rows, .columns = columns, .ld = rows + pad, .count = count }, .dtype = t };
  b.m.step = b.m.ld * columns + pad * 3;
  b.buffer = block((size_t)(b.m.step * count) * ma_dtypes[t].itemsize);
  b.m.data = b.buffer->ptr;
  b.host = calloc((size_t)(rows * columns * count) + 1, sizeof *b.host);
  return b;
}
static void batch_free(batch *b) {
  ma_buffer_release(b->buffer);
  free(b->host);
}
static void batch_move(batch *b, bool up) {
  size_t item = ma_dtypes[b->dtype].itemsize, nbytes = (size_t)(b->m.step * b->m.count) * item;
  char *bytes = malloc(nbytes);
  if (up) memset(bytes, 0xff, nbytes); /* NaN between the matrices */
  else get(bytes, b->m.data, nbytes);
  for (int64_t k = 0; k < b->m.count; k++)
    for (int64_t j = 0; j < b->m.columns; j++)
      for (int64_t i = 0; i < b->m.rows; i++) {
        char *at = bytes + (size_t)(i + j * b->m.ld + k * b->m.step) * item;
        if (up) store(b->dtype, at, AT(b, k, i, j));
        else AT(b, k, i, j) = load(b->dtype, at);
      }
  if (up) put(b->m.data, bytes, nbytes);
  free(bytes);
}
static void batch_random(batch *b) {
  for (int64_t i = 0; i < b->m.rows * b->m.columns * b->m.count; i++) b->host[i] = random_of(b->dtype);
}
static z *host_copy(const batch *b) {
  size_t nbytes = (size_t)(b->m.rows * b->m.columns * b->m.count) * sizeof(z);
  return memcpy(malloc(nbytes + 1), b->host, nbytes);
}

/* Reals: s and w of the real types. */
static double *reals(ma_dtype t, const void *ptr, int64_t n) {
  ma_dtype real = ma_dtype_real(t);
  char *bytes = malloc((size_t)n * ma_dtypes[real].itemsize);
  double *values = malloc((size_t)n * sizeof *values);
  get(bytes, ptr, (size_t)n * ma_dtypes[real].itemsize);
  for (int64_t i = 0; i < n; i++) values[i] = creal(load(real, bytes + (size_t)i * ma_dtypes[real].itemsize));
  free(bytes);
  return values;
}

/* One int32 a matrix, 0 at first as the core gives it. */
static ma_buffer *infos_new(int64_t count) {
  ma_buffer *b = block((size_t)count * 4);
  void *zeros = calloc((size_t)count, 4);
  put(b->ptr, zeros, (size_t)count * 4);
  free(zeros);
  return b;
}
static int32_t *infos_get(ma_buffer *b, int64_t count) {
  int32_t *info = malloc((size_t)count * 4);
  get(info, b->ptr, (size_t)count * 4);
  return info;
}
static bool all_zero(ma_buffer *b, int64_t count) {
  int32_t *info = infos_get(b, count);
  bool ok = true;
  for (int64_t i = 0; i < count; i++) ok = ok && info[i] == 0;
  free(info);
  return ok;
}

/* ==== Arithmetic on the host: m x k times k x n, columns behind each other ======================================== */

static z *product(const z *a, const z *b, int64_t m, int64_t k, int64_t n) {
  z *c = calloc((size_t)(m * n) + 1, sizeof *c);
  for (int64_t j = 0; j < n; j++)
    for (int64_t p = 0; p < k; p++) {
      double re = creal(b[p + j * k]), im = cimag(b[p + j * k]);
      const double *x = (const double *)(a + p * m);
      double *y = (double *)(c + j * m);
      for (int64_t i = 0; i < m; i++) {
        y[2 * i] += re * x[2 * i] - im * x[2 * i + 1];
        y[2 * i + 1] += re * x[2 * i + 1] + im * x[2 * i];
      }
    }
  return c;
}
static z *turned(const z *a, int64_t m, int64_t n, char trans) {
  z *c = malloc((size_t)(m * n) * sizeof *c + 1);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++)
      if (trans == 'N') c[i + j * m] = a[i + j * m];
      else c[j + i * n] = trans == 'C' ? conj(a[i + j * m]) : a[i + j * m];
  return c;
}
static double norm(const z *a, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += creal(a[i]) * creal(a[i]) + cimag(a[i]) * cimag(a[i]);
  return sqrt(sum);
}
static double distance(const z *a, const z *b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += creal(a[i] - b[i]) * creal(a[i] - b[i]) + cimag(a[i] - b[i]) * cimag(a[i] - b[i]);
  return sqrt(sum);
}
/* |Q^H Q - 1| */
static double defect(const z *q, int64_t m, int64_t n) {
  z *h = turned(q, m, n, 'C'), *g = product(h, q, n, m, n);
  for (int64_t i = 0; i < n; i++) g[i + i * n] -= 1;
  double d = norm(g, n * n);
  free(h);
  free(g);
  return d;
}
/* An error in units of eps times the largest extent; 30 is allowed for. */
static void bound(double error, double scale, const char *what, const batch *b) {
  int64_t n = b->m.rows > b->m.columns ? b->m.rows : b->m.columns;
  double ratio = error / (eps_of(b->dtype) * (double)n * (scale > 0 ? scale : 1));
  verdict(ratio <= 30, what, b->dtype, b->m.rows, b->m.columns, b->m.count, ratio);
}
