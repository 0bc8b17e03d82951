/* label.c: connected components on a GPU, floods of them, and the boxes around labels: launches of
** kernels/ndimage/label.cuh. */
#include "cuda/ndimage/morphology.h"

#include <string.h>

/* Everything that the texts depend on; compared as bytes. */
typedef struct variant {
  uint8_t ndim, wide;
} variant;

/* The same structs are in kernels/ndimage/label.cuh. */
typedef struct labels {
  ma_cuda_picture m;
  const void *from;
  void *parent;
  const int32_t *links;
  int64_t nlink, chunks, size;
  int32_t joined;
  uint64_t *found;
  int64_t *count;
  const void *seed;
  void *to;
  uint32_t dry;
} labels;

typedef struct boxes {
  ma_cuda_picture m;
  const void *labels;
  int64_t chunks, size, count;
  int64_t *boxes;
} boxes;

static void print_label(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_ctext_add(text, "#define NDIM %d\n#define WIDE %d\ntypedef %s label;\n", v->ndim, v->wide,
               v->wide ? "long long" : "int");
  ma_ctext_put(text, ma_embedded("image.cuh"));
  ma_ctext_put(text, ma_embedded("label.cuh"));
}

static const ma_cuda_family components = {
  "components", { "label_begin", "label_join", "label_flatten", "label_count" }, print_label, NULL
};
static const ma_cuda_family endings = {
  "labels", { "label_number", "label_finish", "flood_mark", "flood_finish" }, print_label, NULL
};
static const ma_cuda_family boxes_family = { "boxes", { "boxes_begin", "boxes_widen" }, print_label, NULL };

ma_status ma_cuda_label_source(int ndim, bool wide, char **source) {
  variant v = { (uint8_t)ndim, wide };
  return ma_cuda_source(&components, &v, source);
}

static unsigned grid_of(const ma_stream *stream, int64_t n, int64_t per_block) {
  int64_t blocks = (n + per_block - 1) / per_block, most = (int64_t)ma_cuda_state(stream)->sm_count * 64;
  return (unsigned)(blocks < most ? blocks : most);
}

static labels work_of(const ma_label *l) {
  labels w = { .m = ma_cuda_picture_of(&l->image),
               .from = l->from,
               .links = l->links,
               .nlink = l->nlink,
               .joined = l->joined,
               .count = l->count,
               .seed = l->seed,
               .to = l->to,
               .dry = l->inverted };
  w.chunks = (w.m.n + 31) / 32;
  w.size = w.m.n * w.m.rows;
  return w;
}

/* Makes each element point to the root of its component. */
static ma_status find_components(ma_stream *stream, const CUfunction *entry, labels *w, int64_t item) {
  int64_t tiles = (w->size + MA_LABEL_TILE - 1) / MA_LABEL_TILE;
  void *list[] = { w };
  if (tiles > INT32_MAX)
    return ma_fail(MA_ERR_VALUE, "%lld elements; too many for labels on a GPU", (long long)w->size);
  int64_t patches = (w->m.rows + MA_LABEL_PATCH - 1) / MA_LABEL_PATCH * w->chunks;
  MA_TRY(ma_cuda_launch(stream, entry[0], grid_of(stream, patches, 1), MA_THREADS, 0, list, "label_begin",
                        w->size * (1 + item)));
  MA_TRY(ma_cuda_launch(stream, entry[1], grid_of(stream, patches, MA_THREADS / 32), MA_THREADS, 0, list, "label_join",
                        w->size * (1 + item)));
  return ma_cuda_launch(stream, entry[2], (unsigned)tiles, MA_THREADS, 0, list, "label_flatten", w->size * 2 * item);
}

static ma_status kernels_of(ma_stream *stream, const ma_cuda_family *family, const ma_picture *image, ma_dtype dtype,
                            const CUfunction **entry) {
  variant v = { (uint8_t)image->ndim, dtype == MA_INT64 };
  return ma_cuda_kernel(ma_cuda_state(stream), family, &v, sizeof v, &v, entry);
}

ma_status ma_cuda_morphology_label(ma_stream *stream, const ma_label *l) {
  labels w = work_of(l);
  const CUfunction *entry, *end;
  int64_t item = ma_dtypes[l->dtype].itemsize, tiles = (w.size + MA_LABEL_TILE - 1) / MA_LABEL_TILE;
  ma_buffer *memory = NULL;
  void *list[] = { &w };
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(kernels_of(stream, &components, &l->image, l->dtype, &entry));
  MA_TRY(kernels_of(stream, &endings, &l->image, l->dtype, &end));
  MA_TRY(ma_cuda_scratch(stream, (size_t)(tiles + 1) * sizeof(uint64_t), &memory));
  w.found = memory->ptr;
  w.parent = l->to;
  ma_status status = find_components(stream, entry, &w, item);
  if (status == MA_OK) status = ma_cuda_launch(stream, entry[3], 1, MA_THREADS, 0, list, "label_count", 0);
  if (status == MA_OK)
    status = ma_cuda_launch(stream, end[0], (unsigned)tiles, MA_THREADS, 0, list, "label_number", w.size * item);
  if (status == MA_OK)
    status = ma_cuda_launch(stream, end[1], grid_of(stream, w.size, MA_THREADS), MA_THREADS, 0, list, "label_finish",
                            w.size * 2 * item);
  ma_buffer_release(memory);
  return status;
}

ma_status ma_cuda_morphology_flood(ma_stream *stream, const ma_label *l) {
  labels w = work_of(l);
  const CUfunction *entry, *end;
  int64_t item = ma_dtypes[l->dtype].itemsize;
  ma_buffer *memory = NULL;
  void *list[] = { &w };
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(kernels_of(stream, &components, &l->image, l->dtype, &entry));
  MA_TRY(kernels_of(stream, &endings, &l->image, l->dtype, &end));
  MA_TRY(ma_cuda_scratch(stream, (size_t)(w.size * item), &memory));
  w.parent = memory->ptr;
  ma_status status = find_components(stream, entry, &w, item);
  unsigned grid = grid_of(stream, w.size, MA_THREADS);
  if (status == MA_OK)
    status = ma_cuda_launch(stream, end[2], grid, MA_THREADS, 0, list, "flood_mark", w.size * (1 + item));
  if (status == MA_OK) status = ma_cuda_launch(stream, end[3], grid, MA_THREADS, 0, list, "flood", w.size * (2 + item));
  ma_buffer_release(memory);
  return status;
}

ma_status ma_cuda_morphology_boxes(ma_stream *stream, const ma_boxes *b) {
  boxes w = { .m = ma_cuda_picture_of(&b->image), .labels = b->labels, .count = b->count, .boxes = b->boxes };
  const CUfunction *entry;
  void *list[] = { &w };
  w.chunks = (w.m.n + 31) / 32;
  w.size = w.m.n * w.m.rows;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(kernels_of(stream, &boxes_family, &b->image, b->dtype, &entry));
  MA_TRY(ma_cuda_launch(stream, entry[0], grid_of(stream, w.count * b->image.ndim, MA_THREADS), MA_THREADS, 0, list,
                        "boxes_begin", 0));
  return ma_cuda_launch(stream, entry[1], grid_of(stream, w.m.rows * w.chunks, MA_THREADS / 32), MA_THREADS, 0, list,
                        "boxes", w.size * ma_dtypes[b->dtype].itemsize);
}
