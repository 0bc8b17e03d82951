/* sequence.c: numbers in arithmetic progression. */
#include "backend/sequence.h"
#include "cpu/cpu.h"
#include "cpu/submit.h"
#include "tuning.h"

#define GROUP 8 /* elements that the compiler makes vectors of */
#define WRITE(type, number, by, at_group, element)                \
  {                                                               \
    type *to = memory;                                            \
    number offset[GROUP];                                         \
    int64_t i = first;                                            \
    for (int k = 0; k < GROUP; k++) offset[k] = (number)k * (by); \
    for (; i + GROUP <= last; i += GROUP, to += GROUP) {          \
      const number at = at_group;                                 \
      for (int k = 0; k < GROUP; k++) to[k] = (type)(element);    \
    }                                                             \
    for (const int k = 0; i < last; i++) {                        \
      const number at = at_group;                                 \
      *to++ = (type)(element);                                    \
    }                                                             \
    return true;                                                  \
  }

/* Writes elements first .. last-1 if they are of a frequent dtype. A place below 2^53 is exact as a double, and so is
** the sum. */
static bool write_plain(const ma_sequence *s, ma_dtype dtype, void *memory, int64_t first, int64_t last) {
  const uint64_t begin = (uint64_t)s->first, stride = (uint64_t)s->stride;
  const double start = s->start, step = s->step;
  if (s->whole) switch (dtype) {
    case MA_INT64: WRITE(int64_t, uint64_t, stride, begin + (uint64_t)i * stride, at + offset[k])
    case MA_INT32: WRITE(int32_t, uint32_t, (uint32_t)stride, (uint32_t)(begin + (uint64_t)i * stride), at + offset[k])
    default: return false;
    }
  switch (dtype) {
  case MA_FLOAT64: WRITE(double, double, 1, (double)i, start + (at + offset[k]) * step)
  case MA_FLOAT32: WRITE(float, double, 1, (double)i, start + (at + offset[k]) * step)
  default: return false;
  }
}

/* Writes elements in blocks: makes the numbers, casts them, and stores them. */
static void write_cast(const ma_sequence *s, char *to, int64_t first, int64_t last) {
  _Alignas(MA_ALIGN) char number[MA_BLOCK * sizeof(int64_t)], value[MA_BLOCK * sizeof(ma_c128)];
  ma_dtype from = s->whole ? MA_INT64 : MA_FLOAT64;
  ma_loop *cast = ma_cpu_cast(from, s->dtype);
  int size = ma_dtypes[s->dtype].itemsize;
  for (int64_t i = first, n; i < last; i += n) {
    n = last - i < MA_BLOCK ? last - i : MA_BLOCK;
    int lanes = (int)(n + MA_LANE - 1) / MA_LANE * MA_LANE;
    write_plain(s, from, number, i, i + lanes);
    if (cast) cast(value, number, NULL, NULL, NULL, lanes);
    ma_block_store(to + (i - first) * size, size, cast ? value : number, s->dtype, (int)n);
  }
}

static ma_status write_part(void *context, int64_t first, int64_t last) {
  const ma_sequence *s = context;
  char *to = (char *)s->to + first * ma_dtypes[s->dtype].itemsize;
  if (!write_plain(s, s->dtype, to, first, last)) write_cast(s, to, first, last);
  return MA_OK;
}

static ma_status sequence_now(ma_stream *stream, const void *job) {
  ma_sequence s = *(const ma_sequence *)job;
  MA_TRY(ma_cpu_parallel(s.n, TUNE_THREAD_ELEMENTS, write_part, &s));
  if (!s.closed) return MA_OK;
  ma_sequence end = {
    .start = s.last, .dtype = s.dtype, .n = 1, .to = (char *)s.to + (s.n - 1) * ma_dtypes[s.dtype].itemsize
  };
  return write_part(&end, 0, 1);
}

static int64_t sequence_bytes(const void *job) {
  const ma_sequence *s = job;
  return s->n * ma_dtypes[s->dtype].itemsize;
}

MA_CPU_SLOT(ma_cpu_map_sequence, ma_sequence, .name = "sequence", .run = sequence_now, .bytes = sequence_bytes)
