/* morphology.c: binary morphology and labels of arrays. A backend takes contiguous images. */
#include "ops/fields/morphology.h"

#include <inttypes.h>

static ma_status slots_of(const ma_array *a, const ma_morphology_slots **slots) {
  const ma_device *device = ma_array_device(a);
  *slots = &device->backend->morphology;
  return (*slots)->binary ? MA_OK : ma_fail(MA_ERR_DEVICE, "morphology on %s; that device has none", device->name);
}

static ma_picture image_of(const ma_array *a) {
  ma_picture image = { .ndim = a->ndim };
  for (int d = 0; d < a->ndim; d++) image.shape[d] = a->shape[d];
  return image;
}

static ma_status check_image(const ma_array *a, bool is_bool) {
  if (a->ndim < 1) return ma_fail(MA_ERR_VALUE, "an image without axes; one axis at least is wanted");
  if (is_bool && a->dtype != MA_BOOL)
    return ma_fail(MA_ERR_TYPE, "%s elements; bool is wanted", ma_dtypes[a->dtype].name);
  return MA_OK;
}

static ma_status check_structure(const ma_array *a, const ma_array *image, int width) {
  if (a->dtype != MA_INT32 || a->ndim != 2 || a->shape[1] != width || !ma_array_is_contiguous(a))
    return ma_fail(MA_ERR_VALUE, "a structure of %d axes, %s; rows of %d int32 are wanted", a->ndim,
                   ma_dtypes[a->dtype].name, width);
  return ma_device_meet(ma_array_device(image), ma_array_device(a));
}

static ma_status check_mask(const ma_array *mask, const ma_array *image) {
  if (!mask) return MA_OK;
  MA_TRY(check_image(mask, true));
  if (!ma_array_has_shape(mask, image->ndim, image->shape))
    return ma_fail(MA_ERR_VALUE, "a mask of another shape; the image's is wanted");
  return ma_device_meet(ma_array_device(image), ma_array_device(mask));
}

/* The address of an operand's elements in C order. `pack` holds them if they had to be copied. A NULL operand has
** none. */
static ma_status read_packed(const ma_array *from, ma_array *pack, const void **address, ma_stream *stream) {
  *address = NULL;
  if (!from) return MA_OK;
  MA_TRY(ma_array_packed(pack, from, (ma_dtype)from->dtype, stream));
  return ma_array_read(pack, stream, address);
}

ma_status ma_binary_run(const ma_array *from, const ma_array *mask, const ma_array *runs,
                        const ma_binary_options *options, ma_array *to, ma_stream *stream) {
  ma_array image = { .buffer = NULL }, limits = { .buffer = NULL };
  const ma_morphology_slots *slots;
  const void *runs_at = NULL;
  to->buffer = NULL;
  MA_TRY(slots_of(from, &slots));
  MA_TRY(check_image(from, true));
  MA_TRY(check_mask(mask, from));
  MA_TRY(check_structure(runs, from, from->ndim + 1));
  MA_TRY(ma_array_new(to, ma_array_device(from), MA_BOOL, from->ndim, from->shape));
  if (from->size == 0) return MA_OK;
  ma_binary work = { .image = image_of(from),
                     .nrun = runs->shape[0],
                     .erode = options->erode,
                     .border = options->border,
                     .centred = options->centred,
                     .iterations = options->iterations };
  ma_status status = read_packed(from, &image, &work.from, stream);
  if (status == MA_OK) status = read_packed(mask, &limits, &work.mask, stream);
  if (status == MA_OK) status = ma_array_read(runs, stream, &runs_at);
  if (status == MA_OK) status = ma_array_write(to, stream, &work.to);
  work.runs = runs_at;
  if (status == MA_OK) status = slots->binary(stream, &work);
  ma_array_release(&image);
  ma_array_release(&limits);
  if (status != MA_OK) ma_array_release(to);
  return status;
}

ma_status ma_label_run(const ma_array *from, const ma_array *links, bool joined, ma_dtype dtype, ma_array *to,
                       ma_array *count, ma_stream *stream) {
  ma_array image = { .buffer = NULL };
  const ma_morphology_slots *slots;
  const void *links_at = NULL;
  void *count_at = NULL;
  to->buffer = count->buffer = NULL;
  MA_TRY(slots_of(from, &slots));
  MA_TRY(check_image(from, true));
  MA_TRY(check_structure(links, from, from->ndim));
  if (dtype != MA_INT32 && dtype != MA_INT64)
    return ma_fail(MA_ERR_TYPE, "labels of %s; int32 or int64 is wanted", ma_dtypes[dtype].name);
  if (dtype == MA_INT32 && from->size >= INT32_MAX - 1)
    return ma_fail(MA_ERR_VALUE, "int32 labels of %" PRId64 " elements; int64 is wanted", from->size);
  MA_TRY(ma_array_new(to, ma_array_device(from), dtype, from->ndim, from->shape));
  ma_status status = ma_array_new(count, ma_array_device(from), MA_INT64, 0, NULL);
  if (status == MA_OK && from->size == 0) return ma_array_fill(count, (ma_value){ .i = 0 }, MA_INT64, stream);
  ma_label work = { .image = image_of(from), .nlink = links->shape[0], .joined = joined, .dtype = dtype };
  if (status == MA_OK) status = read_packed(from, &image, &work.from, stream);
  if (status == MA_OK) status = ma_array_read(links, stream, &links_at);
  if (status == MA_OK) status = ma_array_write(to, stream, &work.to);
  if (status == MA_OK) status = ma_array_write(count, stream, &count_at);
  work.links = links_at;
  work.count = count_at;
  if (status == MA_OK) status = slots->label(stream, &work);
  ma_array_release(&image);
  if (status == MA_OK) return MA_OK;
  ma_array_release(to);
  ma_array_release(count);
  return status;
}

ma_status ma_flood_run(const ma_array *seed, const ma_array *mask, const ma_array *links, bool joined, bool inverted,
                       ma_array *to, ma_stream *stream) {
  ma_array seeds = { .buffer = NULL }, limits = { .buffer = NULL };
  const ma_morphology_slots *slots;
  const void *links_at = NULL;
  to->buffer = NULL;
  MA_TRY(slots_of(seed, &slots));
  MA_TRY(check_image(seed, true));
  MA_TRY(check_mask(mask, seed));
  MA_TRY(check_structure(links, seed, seed->ndim));
  MA_TRY(ma_array_new(to, ma_array_device(seed), MA_BOOL, seed->ndim, seed->shape));
  if (seed->size == 0) return MA_OK;
  ma_label work = {
    .image = image_of(seed), .nlink = links->shape[0], .joined = joined, .dtype = MA_INT32, .inverted = inverted
  };
  if (seed->size >= INT32_MAX - 1) work.dtype = MA_INT64;
  ma_status status = read_packed(seed, &seeds, &work.seed, stream);
  if (status == MA_OK) status = read_packed(mask, &limits, &work.from, stream);
  if (status == MA_OK) status = ma_array_read(links, stream, &links_at);
  if (status == MA_OK) status = ma_array_write(to, stream, &work.to);
  work.links = links_at;
  if (status == MA_OK) status = slots->flood(stream, &work);
  ma_array_release(&seeds);
  ma_array_release(&limits);
  if (status != MA_OK) ma_array_release(to);
  return status;
}

ma_status ma_boxes_run(const ma_array *labels, int64_t count, ma_array *boxes, ma_stream *stream) {
  ma_array image = { .buffer = NULL };
  const ma_morphology_slots *slots;
  void *to = NULL;
  boxes->buffer = NULL;
  MA_TRY(slots_of(labels, &slots));
  MA_TRY(check_image(labels, false));
  if (labels->dtype != MA_INT32 && labels->dtype != MA_INT64)
    return ma_fail(MA_ERR_TYPE, "labels of %s; int32 or int64 is wanted", ma_dtypes[labels->dtype].name);
  if (count < 0) return ma_fail(MA_ERR_VALUE, "%" PRId64 " labels; 0 at least is wanted", count);
  MA_TRY(ma_array_new(boxes, ma_array_device(labels), MA_INT64, 3, (int64_t[]){ count, labels->ndim, 2 }));
  if (count == 0) return MA_OK;
  if (labels->size == 0) {
    ma_status filled = ma_array_fill(boxes, (ma_value){ .i = 0 }, MA_INT64, stream);
    if (filled != MA_OK) ma_array_release(boxes);
    return filled;
  }
  ma_boxes work = { .image = image_of(labels), .dtype = (ma_dtype)labels->dtype, .count = count };
  ma_status status = read_packed(labels, &image, &work.labels, stream);
  if (status == MA_OK) status = ma_array_write(boxes, stream, &to);
  work.boxes = to;
  if (status == MA_OK) status = slots->boxes(stream, &work);
  ma_array_release(&image);
  if (status != MA_OK) ma_array_release(boxes);
  return status;
}

ma_status ma_distance_run(const ma_array *from, const double *sampling, ma_array *distances, ma_array *places,
                          ma_stream *stream) {
  ma_array image = { .buffer = NULL };
  const ma_morphology_slots *slots;
  void *squares_at = NULL, *places_at = NULL;
  ma_device *device = ma_array_device(from);
  distances->buffer = NULL;
  if (places) places->buffer = NULL;
  MA_TRY(slots_of(from, &slots));
  MA_TRY(check_image(from, true));
  ma_distance work = { .image = image_of(from), .rooted = true };
  for (int d = 0; d < from->ndim; d++) {
    work.sampling[d] = sampling[d];
    if (!(sampling[d] > 0) || sampling[d] - sampling[d] != 0)
      return ma_fail(MA_ERR_VALUE, "sampling %g; a finite number above 0 is wanted", sampling[d]);
    if (from->shape[d] > INT32_MAX)
      return ma_fail(MA_ERR_VALUE, "%" PRId64 " elements along axis %d; fewer than 2^31", from->shape[d], d + 1);
  }
  MA_TRY(ma_array_new(distances, device, MA_FLOAT64, from->ndim, from->shape));
  ma_status status = places ? ma_array_new(places, device, MA_INT64, from->ndim, from->shape) : MA_OK;
  if (status == MA_OK && from->size == 0) return MA_OK;
  if (status == MA_OK) status = read_packed(from, &image, &work.from, stream);
  if (status == MA_OK) status = ma_array_write(distances, stream, &squares_at);
  if (status == MA_OK && places) status = ma_array_write(places, stream, &places_at);
  work.squares = squares_at;
  work.places = places_at;
  if (status == MA_OK) status = slots->distance(stream, &work);
  ma_array_release(&image);
  if (status == MA_OK) return MA_OK;
  ma_array_release(distances);
  if (places) ma_array_release(places);
  return status;
}

/* Checks the arguments of ma_groups_run that depend on the labels. */
static ma_status check_groups(const ma_array *labels, const ma_array *values, const ma_array *centres, int64_t count) {
  if (labels->dtype != MA_INT32 && labels->dtype != MA_INT64)
    return ma_fail(MA_ERR_TYPE, "labels of %s; int32 or int64 is wanted", ma_dtypes[labels->dtype].name);
  if (values && values->dtype != MA_FLOAT32 && values->dtype != MA_FLOAT64)
    return ma_fail(MA_ERR_TYPE, "values of %s; float32 or float64 is wanted", ma_dtypes[values->dtype].name);
  if (values && values->size != labels->size)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " values and %" PRId64 " labels; as many of both are wanted", values->size,
                   labels->size);
  if (centres && (centres->dtype != MA_FLOAT64 || centres->size != count || !values))
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " centres of %s; a float64 for each label is wanted", centres->size,
                   ma_dtypes[centres->dtype].name);
  if (values) MA_TRY(ma_device_meet(ma_array_device(labels), ma_array_device(values)));
  if (centres) MA_TRY(ma_device_meet(ma_array_device(labels), ma_array_device(centres)));
  return count >= 0 ? MA_OK : ma_fail(MA_ERR_VALUE, "%" PRId64 " labels; 0 at least is wanted", count);
}

ma_status ma_groups_run(const ma_array *labels, const ma_array *values, const ma_array *centres,
                        const ma_group_options *options, ma_array *sums, ma_stream *stream) {
  ma_array own = { .buffer = NULL }, items = { .buffer = NULL }, middles = { .buffer = NULL };
  const ma_morphology_slots *slots;
  const void *centres_at = NULL;
  void *to = NULL;
  sums->buffer = NULL;
  MA_TRY(slots_of(labels, &slots));
  MA_TRY(check_groups(labels, values, centres, options->count));
  if (options->inner < 0 || (options->inner > 0 && (options->extent < 1 || !values)))
    return ma_fail(MA_ERR_VALUE, "moments along an axis of %" PRId64 " elements; one at least, with values, is wanted",
                   options->extent);
  MA_TRY(ma_array_new(sums, ma_array_device(labels), MA_FLOAT64, 1, &options->count));
  if (options->count == 0) return MA_OK;
  if (labels->size == 0) {
    ma_status filled = ma_array_fill(sums, (ma_value){ .u = 0 }, MA_FLOAT64, stream);
    if (filled != MA_OK) ma_array_release(sums);
    return filled;
  }
  ma_groups work = { .n = labels->size,
                     .first = options->first,
                     .count = options->count,
                     .label_dtype = (ma_dtype)labels->dtype,
                     .dtype = values ? (ma_dtype)values->dtype : MA_FLOAT64,
                     .inner = options->inner,
                     .extent = options->extent };
  ma_status status = read_packed(labels, &own, &work.labels, stream);
  if (status == MA_OK) status = read_packed(values, &items, &work.values, stream);
  if (status == MA_OK) status = read_packed(centres, &middles, &centres_at, stream);
  if (status == MA_OK) status = ma_array_write(sums, stream, &to);
  work.centres = centres_at;
  work.sums = to;
  if (status == MA_OK) status = slots->groups(stream, &work);
  ma_array_release(&own);
  ma_array_release(&items);
  ma_array_release(&middles);
  if (status != MA_OK) ma_array_release(sums);
  return status;
}
