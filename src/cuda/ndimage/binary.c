/*
** binary.c: binary dilation and erosion on a GPU: a launch for each step. Each step notes whether it changed anything;
** a launch after one that did not returns at once, and the host looks after TUNE_BINARY_BATCH steps only.
*/
#include "cuda/ndimage/morphology.h"
#include "memory/graph.h"
#include "tuning.h"

/* The same struct is in kernels/ndimage/binary.cuh. */
typedef struct step {
  ma_cuda_picture m;
  const void *from, *mask;
  void *to;
  const int32_t *runs;
  int64_t nrun, chunks;
  uint32_t flip, border;
  int32_t *changed;
  int64_t turn;
  int32_t fresh;
} step;

static void print_binary(ma_ctext *text, const void *what) {
  ma_ctext_add(text, "#define NDIM %d\n", *(const uint8_t *)what);
  ma_ctext_put(text, ma_embedded("image.cuh"));
  ma_ctext_put(text, ma_embedded("binary.cuh"));
}

static const ma_cuda_family family = { "binary", { "binary_step" }, print_binary, NULL };

ma_status ma_cuda_binary_source(int ndim, char **source) {
  uint8_t v = (uint8_t)ndim;
  return ma_cuda_source(&family, &v, source);
}

/* Launches step k. Steps write to the result and to the other memory in turn. */
static ma_status launch(ma_stream *stream, CUfunction entry, const ma_binary *b, step *s, void *other, int64_t k) {
  int64_t threads = s->m.rows * s->chunks, blocks = (threads + MA_THREADS - 1) / MA_THREADS;
  bool flip = b->iterations >= 1 && !(b->iterations & 1); /* with it, the last step writes to the result */
  s->to = (k & 1) ^ flip ? other : b->to;
  s->turn = k % TUNE_BINARY_BATCH;
  s->fresh = k < 2;
  MA_TRY(ma_cuda_launch(stream, entry, (unsigned)(blocks < INT32_MAX ? blocks : INT32_MAX), MA_THREADS, 0,
                        (void *[]){ s }, "binary_dilation", s->m.rows * s->m.n * (b->mask ? 3 : 2)));
  s->from = s->to;
  return MA_OK;
}

/* Whether the last step of a batch changed anything; waits. */
static ma_status look(ma_stream *stream, const ma_binary *b, const step *s, bool *changed) {
  int32_t last[2];
  MA_TRY(stream->device->backend->memory.copy(stream, last, s->changed + 2 * (TUNE_BINARY_BATCH - 1), sizeof last,
                                              MA_COPY_TO_HOST));
  *changed = last[0] && last[1]; /* with steps back and forth, each memory has what its last step gave */
  if (b->iterations < 1 && last[0] && !last[1])
    return ma_fail(MA_ERR_VALUE, "steps that go back and forth between two images; wanted a number of iterations, or a "
                                 "structure whose centre is true");
  return MA_OK;
}

static ma_status run_steps(ma_stream *stream, CUfunction entry, const ma_binary *b, step *s, void *other) {
  bool ends = b->iterations >= 1, changed = true;
  for (int64_t k = 0; (!ends || k < b->iterations) && changed; k++) {
    if (s->changed && k % TUNE_BINARY_BATCH == 0) {
      CUresult result = ma_cu.cuMemsetD8Async((CUdeviceptr)(uintptr_t)s->changed, 0,
                                              2 * TUNE_BINARY_BATCH * sizeof(int32_t), ma_cuda_queue(stream));
      if (result != CUDA_SUCCESS) return ma_cuda_fail(MA_CU_cuMemsetD8Async, result);
    }
    MA_TRY(launch(stream, entry, b, s, other, k));
    if (k % TUNE_BINARY_BATCH == TUNE_BINARY_BATCH - 1 && (!ends || k + 1 < b->iterations) && !stream->capture)
      MA_TRY(look(stream, b, s, &changed));
  }
  return MA_OK;
}

ma_status ma_cuda_morphology_binary(ma_stream *stream, const ma_binary *b) {
  uint8_t v = (uint8_t)b->image.ndim;
  const CUfunction *entry;
  ma_buffer *memory = NULL;
  MA_TRY(ma_cuda_enter(stream->device));
  if (b->iterations < 1) MA_TRY(ma_capture_refuse_work(stream, "morphology until nothing changes"));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  step s = { .m = ma_cuda_picture_of(&b->image),
             .from = b->from,
             .mask = b->mask,
             .runs = b->runs,
             .nrun = b->nrun,
             .flip = b->erode ? 0x01010101u : 0,
             .border = b->border ^ b->erode ? 0x01010101u : 0 };
  s.chunks = (s.m.n + MA_BINARY_EACH - 1) / MA_BINARY_EACH;
  if (b->iterations == 1) return launch(stream, entry[0], b, &s, NULL, 0);
  size_t size = ((size_t)(s.m.rows * s.m.n) + 255) & ~(size_t)255;
  MA_TRY(ma_cuda_scratch(stream, size + 2 * TUNE_BINARY_BATCH * sizeof(int32_t), &memory));
  if (b->iterations != 2) s.changed = (int32_t *)(void *)((char *)memory->ptr + size);
  ma_status status = run_steps(stream, entry[0], b, &s, memory->ptr);
  ma_buffer_release(memory);
  return status;
}
