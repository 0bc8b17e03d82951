/* partial.c: partial results that several processes have of one reduction. */
#include "cpu/reduce/monoid.h"
#include "cpu/submit.h"
#include "tuning.h"

static const ma_monoid *monoid_of(const ma_reduction *how) {
  const ma_program *program = how->program;
  return ma_cpu_monoid(how->op, ma_program_dtype(program, program->output[0]), program->noutput > 1);
}

size_t ma_cpu_reduce_partial(const ma_reduction *how) { return monoid_of(how)->partial; }

typedef struct merging {
  const ma_monoid *monoid;
  ma_finish finish;
  ma_dtype dtype;
  char *parts, *result;
  int nparts;
  int64_t n;
} merging;

static ma_status merge_range(void *context, int64_t first, int64_t last) {
  const merging *m = context;
  _Alignas(MA_ALIGN) char out[MA_BLOCK * sizeof(ma_c128)];
  int64_t itemsize = ma_dtypes[m->dtype].itemsize, size = m->monoid->partial;
  for (; first < last; first += MA_BLOCK) {
    int block = last - first < MA_BLOCK ? (int)(last - first) : MA_BLOCK;
    char *total = m->parts + first * size;
    for (int k = 1; k < m->nparts; k++) m->monoid->merge(total, total, m->parts + (k * m->n + first) * size, block);
    m->monoid->finish(out, total, block, &m->finish);
    ma_block_store(m->result + first * itemsize, itemsize, out, m->dtype, block);
  }
  return MA_OK;
}

static ma_status merge_now(ma_stream *stream, const void *job) {
  return ma_cpu_parallel(((const merging *)job)->n, TUNE_THREAD_ELEMENTS, merge_range, (void *)job);
}

static int64_t merge_bytes(const void *job) {
  const merging *m = job;
  return m->n * (m->nparts * (int64_t)m->monoid->partial + ma_dtypes[m->dtype].itemsize);
}

ma_status ma_cpu_reduce_merge(ma_stream *stream, const ma_reduction *how, void *parts, int nparts, int64_t n,
                              void *result) {
  static const ma_task task = { .name = "merge parts", .run = merge_now, .bytes = merge_bytes };
  merging m = { .monoid = monoid_of(how),
                .finish = { how->count, how->param, how->result, how->op == MA_REDUCE_std, how->program->noutput > 1 },
                .dtype = how->result,
                .parts = parts,
                .result = result,
                .nparts = nparts,
                .n = n };
  return ma_cpu_submit(stream, &task, &m, sizeof m);
}
