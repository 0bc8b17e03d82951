/*
** member.c: which elements are among others. The others become numbers (rows.h), which are bits of a range, or where
** that would be larger, entries of a hash table. NaN is among nothing.
*/
#include "cpu/map/wider.h"
#include "cpu/sort/rows.h"
#include "backend/sort.h"
#include "cpu/cpu.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <stdlib.h>

#define BLOCK 256 /* elements that become numbers at once */

typedef struct set {
  const ma_member *job;
  const ma_sort_loops *loops;
  bool has_nan, has_last; /* has_last: the greatest number, which marks free entries, is in the set */
  uint64_t nan;           /* its number */
  uint64_t low, span;     /* of the bits */
  uint64_t *bits;         /* NULL: a table */
  void *table;
  uint64_t mask;
  int shift;
} set;

#define KEY uint32_t
#define OF_KEY(name) name##_of_4
#include "cpu/sort/member.h"
#define KEY uint64_t
#define OF_KEY(name) name##_of_8
#include "cpu/sort/member.h"

/* Chooses bits or a table, and makes it, empty. */
static ma_status open_set(set *s, int width) {
  const ma_member *job = s->job;
  uint64_t two[2];
  s->loops->span(job->keys, job->nkey, false, two);
  int log = bits_of((uint64_t)job->nkey) + 1;
  size_t bytes = (size_t)width << log;
  s->low = two[0];
  s->span = two[1] - two[0];
  s->mask = (UINT64_C(1) << log) - 1;
  s->shift = 64 - log;
  if (s->span / 8 < bytes) {
    s->bits = calloc((size_t)(s->span / 64 + 1), sizeof *s->bits);
  } else {
    s->table = malloc(bytes);
    if (s->table) memset(s->table, 0xff, bytes);
  }
  return s->bits || s->table ? MA_OK : ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for a set", bytes);
}

static ma_status member_range(void *context, int64_t first, int64_t last) {
  const set *s = context;
  const ma_member *job = s->job;
  int size = ma_dtypes[job->dtype].itemsize;
  const char *from = (const char *)job->from + first * size;
  if (size == 8) look_of_8(s, from, last - first, size, job->invert, job->mask + first);
  else look_of_4(s, from, last - first, size, job->invert, job->mask + first);
  return MA_OK;
}

static ma_status member_now(ma_stream *stream, const void *context) {
  const ma_member *job = context;
  int size = ma_dtypes[job->dtype].itemsize;
  uint64_t ones = UINT64_MAX;
  set s = { .job = job, .loops = &ma_sort_loops_of[job->dtype] };
  s.has_nan = ma_dtypes[job->dtype].kind == MA_KIND_FLOAT;
  if (s.has_nan) s.loops->numbers(&ones, 1, &s.nan);
  ma_status status = open_set(&s, size == 8 ? 8 : 4);
  if (status == MA_OK) {
    if (size == 8) fill_of_8(&s, job->keys, job->nkey, size);
    else fill_of_4(&s, job->keys, job->nkey, size);
    status = ma_cpu_parallel(job->n, TUNE_THREAD_FAR, member_range, &s);
  }
  free(s.bits);
  free(s.table);
  return status;
}

static int64_t member_bytes(const void *context) {
  const ma_member *job = context;
  return (job->n + job->nkey) * ma_dtypes[job->dtype].itemsize + job->n;
}

MA_CPU_SLOT(ma_cpu_sort_member, ma_member, .name = "member", .run = member_now, .bytes = member_bytes)
