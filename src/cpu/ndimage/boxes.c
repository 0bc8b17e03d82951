/* boxes.c: the least box around each label, on the CPU. Neighbours in a row with the same label are looked at together.
** Each thread has boxes of its own, unless they would take more memory than the labels. */
#include "cpu/cpu.h"
#include "cpu/ndimage/morphology.h"
#include "cpu/submit.h"

#include <string.h>

typedef struct boxes {
  const ma_boxes *b;
  int64_t n, rows, chunk;
  int64_t *boxes; /* of each chunk in turn */
} boxes;

static void empty_boxes(int64_t *boxes, int64_t count, int ndim) {
  for (int64_t k = 0; k < count * ndim; k++) {
    boxes[2 * k] = INT64_MAX;
    boxes[2 * k + 1] = 0;
  }
}

/* Widens a side of a box. It has no branches, because the processor cannot foretell which label comes next. */
static inline void widen(int64_t *side, int64_t first, int64_t last) {
  side[0] = first < side[0] ? first : side[0];
  side[1] = last > side[1] ? last : side[1];
}

static inline int64_t label_at(const void *labels, bool narrow, int64_t i) {
  return narrow ? ((const int32_t *)labels)[i] : ((const int64_t *)labels)[i];
}

static inline __attribute__((always_inline)) void box_row(const boxes *w, int64_t row, int64_t *boxes, bool narrow) {
  int64_t place[MA_MAX_NDIM], at = row * w->n, count = w->b->count;
  int ndim = w->b->image.ndim;
  const void *labels = w->b->labels;
  ma_picture_place(&w->b->image, row, place);
  for (int64_t i = 0; i < w->n;) {
    int64_t first = i, label = label_at(labels, narrow, at + i);
    do i++;
    while (i < w->n && label_at(labels, narrow, at + i) == label);
    if (label < 1 || label > count) continue;
    int64_t *box = boxes + (label - 1) * 2 * ndim;
    for (int d = 0; d < ndim - 1; d++) widen(box + 2 * d, place[d] + 1, place[d] + 1);
    widen(box + 2 * (ndim - 1), first + 1, i);
  }
}

static ma_status box_chunks(void *context, int64_t from, int64_t to) {
  const boxes *w = context;
  int64_t words = w->b->count * 2 * w->b->image.ndim;
  for (int64_t c = from; c < to; c++) {
    int64_t last = (c + 1) * w->chunk < w->rows ? (c + 1) * w->chunk : w->rows;
    empty_boxes(w->boxes + c * words, w->b->count, w->b->image.ndim);
    if (w->b->dtype == MA_INT32)
      for (int64_t row = c * w->chunk; row < last; row++) box_row(w, row, w->boxes + c * words, true);
    else
      for (int64_t row = c * w->chunk; row < last; row++) box_row(w, row, w->boxes + c * words, false);
  }
  return MA_OK;
}

static ma_status boxes_now(ma_stream *stream, const void *job) {
  const ma_boxes *b = job;
  boxes w = { .b = b, .n = ma_picture_row(&b->image), .rows = ma_picture_rows(&b->image), .boxes = b->boxes };
  int64_t words = b->count * 2 * b->image.ndim, chunks = ma_cpu_threads();
  if (chunks > w.rows) chunks = w.rows;
  if (chunks * words * 2 > w.n * w.rows) chunks = 1;
  w.chunk = (w.rows + chunks - 1) / chunks;
  ma_buffer *memory = NULL;
  if (chunks > 1) MA_TRY(ma_buffer_new(stream->device, (size_t)(chunks * words) * sizeof *w.boxes, &memory));
  if (memory) w.boxes = memory->ptr;
  chunks = (w.rows + w.chunk - 1) / w.chunk;
  ma_status status = ma_cpu_parallel(chunks, 1, box_chunks, &w);
  if (memory && status == MA_OK) {
    memcpy(b->boxes, w.boxes, (size_t)words * sizeof *w.boxes);
    for (int64_t k = words; k < chunks * words; k += 2) widen(b->boxes + k % words, w.boxes[k], w.boxes[k + 1]);
  }
  ma_buffer_release(memory);
  return status;
}

static int64_t boxes_bytes(const void *job) {
  const ma_boxes *b = job;
  return ma_picture_size(&b->image) * ma_dtypes[b->dtype].itemsize;
}

MA_CPU_SLOT(ma_cpu_morphology_boxes, ma_boxes, .name = "boxes", .run = boxes_now, .bytes = boxes_bytes)
