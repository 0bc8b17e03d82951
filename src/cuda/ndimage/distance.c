/* distance.c: exact Euclidean distances on a GPU: launches of kernels/ndimage/distance.cuh. */
#include "cuda/ndimage/morphology.h"
#include "tuning.h"

#define LINE_THREADS 64

/* The same struct is in kernels/ndimage/distance.cuh. */
typedef struct distances {
  ma_cuda_picture m;
  const void *from;
  double *squares;
  int64_t *places;
  double *to_squares;
  int64_t *to_places;
  uint8_t *marks;
  double spacing;
  int64_t inner, n, lines;
  double *height, *begin;
  int64_t *own;
  int32_t *at;
  int32_t root;
} distances;

static void print_distance(ma_ctext *text, const void *what) {
  ma_ctext_add(text, "#define NDIM %d\n", *(const uint8_t *)what);
  ma_ctext_put(text, ma_embedded("image.cuh"));
  ma_ctext_put(text, ma_embedded("distance.h"));
  ma_ctext_put(text, ma_embedded("distance.cuh"));
}

static const ma_cuda_family family = {
  "distance", { "distance_rows", "distance_near", "distance_lines" }, print_distance, NULL
};

ma_status ma_cuda_distance_source(char **source) {
  uint8_t ndim = 1;
  return ma_cuda_source(&family, &ndim, source);
}

/* Gives each of the threads room for an envelope of n parabolas, and each line a mark, which is 0. */
static ma_status make_room(ma_stream *stream, distances *w, int64_t threads, ma_buffer **memory) {
  size_t count = (size_t)(threads * w->n);
  MA_TRY(ma_cuda_scratch(stream, count * (w->places ? 28 : 20) + (size_t)w->lines, memory));
  w->height = (*memory)->ptr;
  w->begin = w->height + count;
  w->own = w->places ? (int64_t *)(void *)(w->begin + count) : NULL;
  w->at = (int32_t *)(void *)(w->begin + count * (w->places ? 2 : 1));
  w->marks = (uint8_t *)(void *)(w->at + count);
  CUresult result = ma_cu.cuMemsetD8Async((CUdeviceptr)(uintptr_t)w->marks, 0, (size_t)w->lines, ma_cuda_queue(stream));
  if (result == CUDA_SUCCESS) return MA_OK;
  ma_buffer_release(*memory);
  return ma_cuda_fail(MA_CU_cuMemsetD8Async, result);
}

static ma_status run_axis(ma_stream *stream, const CUfunction *entry, const ma_distance *d, distances *w, int axis) {
  int64_t size = w->m.n * w->m.rows, near = (size + MA_THREADS - 1) / MA_THREADS;
  ma_buffer *memory = NULL;
  w->n = d->image.shape[axis];
  w->lines = size / w->n;
  w->spacing = d->sampling[axis];
  w->root = axis == 0 && d->rooted;
  int64_t blocks = (w->lines + LINE_THREADS - 1) / LINE_THREADS,
          most = (int64_t)TUNE_MIB(TUNE_DISTANCE_ROOM) / (28 * LINE_THREADS * w->n) + 1;
  if (blocks > most) blocks = most;
  MA_TRY(make_room(stream, w, blocks * LINE_THREADS, &memory));
  ma_status status = ma_cuda_launch(stream, entry[1], (unsigned)(near < INT32_MAX ? near : INT32_MAX), MA_THREADS, 0,
                                    (void *[]){ w }, "distance_near", size * (w->places ? 32 : 16));
  if (status == MA_OK)
    status = ma_cuda_launch(stream, entry[2], (unsigned)blocks, LINE_THREADS, 0, (void *[]){ w }, "distance_lines", 0);
  ma_buffer_release(memory);
  return status;
}

/* A pass reads one memory and writes the other; the last one writes the result. */
static void exchange(distances *w) {
  double *squares = w->squares;
  int64_t *places = w->places;
  w->squares = w->to_squares;
  w->places = w->to_places;
  w->to_squares = squares;
  w->to_places = places;
}

static ma_status run_axes(ma_stream *stream, const CUfunction *entry, const ma_distance *d, distances *w) {
  int last = d->image.ndim - 1;
  int64_t blocks = (w->m.rows + MA_THREADS / 32 - 1) / (MA_THREADS / 32);
  w->spacing = d->sampling[last];
  w->root = last == 0 && d->rooted;
  if (last & 1) exchange(w);
  MA_TRY(ma_cuda_launch(stream, entry[0], (unsigned)(blocks < INT32_MAX ? blocks : INT32_MAX), MA_THREADS, 0,
                        (void *[]){ w }, "distance_rows", w->m.rows * w->m.n * (d->places ? 18 : 10)));
  w->inner = 1;
  for (int axis = last - 1; axis >= 0; axis--) {
    w->inner *= d->image.shape[axis + 1];
    MA_TRY(run_axis(stream, entry, d, w, axis));
    exchange(w);
  }
  return MA_OK;
}

ma_status ma_cuda_morphology_distance(ma_stream *stream, const ma_distance *d) {
  uint8_t v = 1; /* no kernel looks at the axes before the last one */
  const CUfunction *entry;
  ma_buffer *other = NULL;
  distances w = { .m = ma_cuda_picture_of(&d->image), .from = d->from, .squares = d->squares, .places = d->places };
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  if (d->image.ndim > 1) {
    size_t size = (size_t)(w.m.n * w.m.rows);
    MA_TRY(ma_cuda_scratch(stream, size * (d->places ? 16 : 8), &other));
    w.to_squares = other->ptr;
    w.to_places = d->places ? (int64_t *)(void *)(w.to_squares + size) : NULL;
  }
  ma_status status = run_axes(stream, entry, d, &w);
  ma_buffer_release(other);
  return status;
}
