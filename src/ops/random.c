/* random.c: fills arrays with random numbers: the part that both backends share. */
#include "ops/ops.h"
#include "ops/random.h"
#include "memory/graph.h"
#include "run/pending.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Prepares a bijection of 0 .. count - 1, which is the same on both devices. */
static void make_bijection(ma_random_job *job, int64_t count) {
  job->count = count;
  job->bits = 4;
  while (job->bits < 62 && INT64_C(1) << job->bits < count) job->bits++;
  ma_random_rounds(job);
}

/* The greatest number of a float dtype below `high`. */
static double last_below(ma_dtype dtype, double high) {
  if (dtype == MA_FLOAT64) return nextafter(high, -INFINITY);
  float f = (float)high;
  if (dtype == MA_FLOAT16) f = ma_round_f16(f);
  if (dtype == MA_BFLOAT16) f = ma_round_bf16(f);
  if (f < high) return f;
  return dtype == MA_FLOAT16    ? ma_nextafter_f16(f, -INFINITY)
         : dtype == MA_BFLOAT16 ? ma_nextafter_bf16(f, -INFINITY)
                                : nextafterf(f, -INFINITY);
}

/* Prepares numbers from param[0] to below param[1]. param[2] gets the greatest such number, because rounding may give
** param[1]. */
static ma_status bound_uniform(ma_random *r) {
  double low = r->job.param[0], high = r->job.param[1],
         most = r->dtype == MA_FLOAT16    ? 65504
                : r->dtype == MA_BFLOAT16 ? 0x1.fep127
                                          : FLT_MAX;
  bool holds = r->dtype == MA_FLOAT64 ? isfinite(high - low) : low >= -most && high <= most && high - low <= FLT_MAX;
  if (!holds)
    return ma_fail(MA_ERR_VALUE, "low is %.14g and high %.14g; wanted a range that %s holds", low, high,
                   ma_dtypes[r->dtype].name);
  r->job.param[2] = low < high ? last_below(r->dtype, high) : high;
  return MA_OK;
}

/* Checks the dtype, and settles what depends on it. */
static ma_status settle(ma_random *r) {
  ma_kind kind = ma_dtypes[r->dtype].kind;
  if (r->curand && r->dtype != MA_FLOAT32 && r->dtype != MA_FLOAT64)
    return ma_fail(MA_ERR_TYPE, "dtype %s; cuRAND makes float32 and float64", ma_dtypes[r->dtype].name);
  bool real = kind == MA_KIND_FLOAT;
  if (kind == MA_KIND_COMPLEX || (ma_randoms[r->kind].block && real == (r->kind == MA_RANDOM_integers)))
    return ma_fail(MA_ERR_TYPE, "dtype %s; wanted %s", ma_dtypes[r->dtype].name,
                   r->kind == MA_RANDOM_integers ? "an integer dtype or bool" : "a float dtype");
  return r->kind == MA_RANDOM_uniform && !r->curand ? bound_uniform(r) : MA_OK;
}

static ma_status check_one_each(const ma_array *array, ma_dtype dtype, int64_t n, ma_device *device, const char *what) {
  if (array->dtype == dtype && ma_array_is_contiguous(array) && (n < 0 || array->size == n) &&
      ma_array_device(array) == device)
    return MA_OK;
  return ma_fail(MA_ERR_VALUE, "%s of %" PRId64 " %s on %s; wanted contiguous %s elements, one for each number, on %s",
                 what, array->size, ma_dtypes[array->dtype].name, ma_array_device(array)->name, ma_dtypes[dtype].name,
                 device->name);
}

static ma_status fill(ma_random *r, const ma_array *const *param, const ma_array *table, ma_array *out,
                      ma_stream *stream) {
  const void *from;
  for (int k = 0; k < 3; k++) {
    r->job.array[k] = NULL;
    if (!param || !param[k]) continue;
    MA_TRY(ma_array_read(param[k], stream, &from));
    r->job.array[k] = from;
  }
  if (table) {
    MA_TRY(ma_array_read(table, stream, &from));
    r->job.table = from;
    r->job.count = table->size;
  }
  if (r->source) {
    MA_TRY(ma_buffer_use(r->source->cell, stream, false));
    r->job.cell = r->source->cell->ptr;
  }
  MA_TRY(ma_array_write(out, stream, &r->job.data));
  return stream->device->backend->random.draw(stream, r);
}

/* Lets a draw wait for what uses it, if it may. */
static ma_status defer(const ma_random *r, const ma_array *const *param, ma_array *out, ma_stream *stream,
                       bool *waits) {
  ma_late_draw draw = { .kind = (uint8_t)r->kind, .key = r->job.key, .draw = r->job.draw };
  *waits = false;
  if (r->source) draw.cell = r->source->cell;
  if (r->curand || r->job.attempt || (param && (param[0] || param[1]))) return MA_OK;
  memcpy(draw.param, r->job.param, sizeof draw.param);
  return ma_drawn_defer(&draw, out, stream, waits);
}

static ma_status draw(const ma_random *random, const ma_array *const *param, const ma_array *table, ma_array *out,
                      bool later, ma_stream *stream) {
  ma_random r = *random;
  ma_device *device = ma_array_device(out);
  ma_array packed;
  bool waits = false, bits = r.kind == MA_RANDOM_between; /* 64-bit integers are passed as the bits of float64 */
  ma_dtype of_param = bits ? (ma_dtype)out->dtype : MA_FLOAT64;
  r.dtype = bits ? MA_FLOAT64 : (ma_dtype)out->dtype;
  r.job.n = out->size;
  if (bits && out->dtype != MA_INT64 && out->dtype != MA_UINT64)
    return ma_fail(MA_ERR_TYPE, "dtype %s; wanted int64 or uint64", ma_dtypes[out->dtype].name);
  MA_TRY(settle(&r));
  MA_TRY(ma_array_check_writable(out));
  for (int k = 0; k < 3; k++)
    if (param && param[k]) MA_TRY(check_one_each(param[k], of_param, out->size, device, "parameters"));
  if (table) MA_TRY(check_one_each(table, MA_FLOAT64, -1, device, "weights"));
  if (!r.source || r.curand) MA_TRY(ma_capture_refuse_work(stream, "a draw by cuRAND"));
  if (out->size == 0) return MA_OK;
  if (later && !table) MA_TRY(defer(&r, param, out, stream, &waits));
  if (waits) return MA_OK;
  if (ma_array_is_contiguous(out)) return fill(&r, param, table, out, stream);
  MA_TRY(ma_array_new(&packed, device, (ma_dtype)out->dtype, out->ndim, out->shape));
  ma_status status = fill(&r, param, table, &packed, stream);
  if (status == MA_OK) status = ma_array_assign(out, &packed, stream);
  ma_array_release(&packed);
  return status;
}

ma_status ma_random_fill(const ma_random *random, ma_array *out, ma_stream *stream) {
  return draw(random, NULL, NULL, out, false, stream);
}

ma_status ma_random_draw(const ma_random *random, const ma_array *const *param, const ma_array *table, ma_array *out,
                         ma_stream *stream) {
  return draw(random, param, table, out, true, stream);
}

ma_status ma_random_number(ma_random *random, ma_dtype dtype, ma_value *value) {
  _Alignas(16) char element[16];
  ma_device *cpu = ma_device_cpu();
  random->dtype = dtype;
  random->job.n = 1;
  random->job.data = element;
  MA_TRY(settle(random));
  MA_TRY(cpu->backend->random.draw(ma_device_null_stream(cpu), random));
  *value = ma_value_load(element, dtype);
  return MA_OK;
}

/* ==== Permutations =============================================================================================== */

#define FEW 4096 /* up to this many positions are shuffled on the host, one by one: every order is equally likely */

/* Shuffles as Fisher and Yates do: position i is swapped with one of 0 .. i. */
static ma_status shuffle_few(const ma_random_job *key, int64_t count, ma_array *out, ma_stream *stream) {
  ma_random_job job = *key;
  int64_t order[FEW];
  ma_array whole;
  ma_words words = { 0, 0, 0, 0 }; /* of a block, which two positions share */
  for (int64_t i = 0; i < count; i++) {
    uint64_t block = (uint64_t)i / 2, span = (uint64_t)i + 1, j;
    if (i % 2 == 0) words = ma_philox(job.key, block, 0, job.draw);
    uint64_t word = ma_word64(words, (int)(i % 2));
    if (word * span >= span) { /* the threshold of ma_bounded64 is below span, and computing it takes a division */
      j = ma_high64(word, span);
    } else {
      ma_random_bounds(&job, 0, span);
      j = ma_bounded64(&job, word, block, (int)(i % 2));
    }
    order[i] = order[j];
    order[j] = i + 1;
  }
  MA_TRY(ma_index_from_host(&whole, stream->device, order, 1, &out->size, stream));
  ma_status status = ma_array_assign(out, &whole, stream);
  ma_array_release(&whole);
  return status;
}

/* A random permutation. In a graph the host has no values to shuffle, so the bijection is used, whose rounds are made
** from the cell. */
ma_status ma_random_permute(const ma_random *random, int64_t count, ma_array *out, ma_stream *stream) {
  ma_random r = { .kind = MA_RANDOM_permutation,
                  .source = random->source,
                  .job = { .key = random->job.key, .draw = random->job.draw } };
  if (out->ndim != 1 || out->size > count)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " of %" PRId64 " positions; wanted no more than there are, on one axis",
                   out->size, count);
  if (count <= FEW && !r.source) return out->size == 0 ? MA_OK : shuffle_few(&r.job, count, out, stream);
  make_bijection(&r.job, count);
  return ma_random_fill(&r, out, stream);
}
