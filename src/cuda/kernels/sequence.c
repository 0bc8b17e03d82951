/* sequence.c: numbers in arithmetic progression on a GPU. */
#include "backend/sequence.h"
#include "cuda/cuda.h"

typedef struct variant {
  uint8_t whole, dtype;
} variant;

static void print_sequence(ma_ctext *text, const void *what) {
  const variant *v = what;
  const char *suffix = ma_cuda_suffix((ma_dtype)v->dtype);
  ma_ctext_add(text, "typedef dt_%s D;\n#define TO(x) ma_to_%s(x)\n#define WHOLE %d\n", suffix, suffix, v->whole);
  ma_ctext_put(text, ma_embedded("sequence.cuh"));
}

static const ma_cuda_family family = { "sequence", { "write_sequence" }, print_sequence, NULL };

ma_status ma_cuda_map_sequence(ma_stream *stream, const ma_sequence *s) {
  const CUfunction *entry;
  variant v = { s->whole, (uint8_t)s->dtype };
  int size = ma_dtypes[s->dtype].itemsize, each = size < 16 ? 16 / size : 1;
  struct {
    union {
      int64_t whole;
      double part;
    } start, step, last;
    int64_t n, closed;
    void *to;
  } job = { .last.part = s->last, .n = s->n, .closed = s->closed, .to = s->to };
  if (s->whole) job.start.whole = s->first, job.step.whole = s->stride;
  else job.start.part = s->start, job.step.part = s->step;
  int64_t blocks = (s->n + each * MA_THREADS - 1) / (each * MA_THREADS);
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  return ma_cuda_launch(stream, entry[0], (unsigned)blocks, MA_THREADS, 0, (void *[]){ &job }, "sequence", s->n * size);
}

ma_status ma_cuda_sequence_source(bool whole, ma_dtype dtype, char **source) {
  variant v = { whole, (uint8_t)dtype };
  return ma_cuda_source(&family, &v, source);
}
