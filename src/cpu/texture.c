/* texture.c: images, textures and surfaces on the CPU. An image is C-order memory. An object is the address of the
** struct that kernels/cpu/cpu_cuda_texture.h reads. */
#include "cpu/cpu.h"
#include "cpu/submit.h"
#include "kernels/cpu/cpu_cuda_texture.h"

#include <stdlib.h>
#include <string.h>

static size_t texel_bytes(const ma_texels *t) { return (size_t)t->channels * ma_dtypes[t->dtype].itemsize; }

static size_t image_bytes(const ma_texels *t) {
  return texel_bytes(t) * (size_t)(t->extent[0] * t->extent[1] * t->extent[2]);
}

ma_status ma_cpu_texture_image_new(ma_device *device, const ma_texels *texels, unsigned flags, void **image) {
  *image = calloc(1, image_bytes(texels));
  return *image ? MA_OK : ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for an image", image_bytes(texels));
}

void ma_cpu_texture_image_free(ma_device *device, void *image) { free(image); }

/* ==== Copies ====================================================================================================== */

typedef struct copy_job {
  void *to;
  const void *from;
  size_t nbytes;
} copy_job;

static ma_status copy_now(ma_stream *stream, const void *given) {
  const copy_job *j = given;
  memcpy(j->to, j->from, j->nbytes);
  return MA_OK;
}

static int64_t copy_bytes(const void *given) { return 2 * (int64_t)((const copy_job *)given)->nbytes; }

ma_status ma_cpu_texture_copy(ma_stream *stream, const ma_texels *texels, void *image, void *memory, bool to_image) {
  static const ma_task task = { .name = "copy image", .run = copy_now, .bytes = copy_bytes };
  copy_job job = { to_image ? image : memory, to_image ? memory : image, image_bytes(texels) };
  return ma_cpu_submit(stream, &task, &job, sizeof job);
}

/* ==== Objects ===================================================================================================== */

static const int types[MA_NDTYPE] = {
  [MA_INT8] = MA_TEXEL_I8,   [MA_UINT8] = MA_TEXEL_U8,   [MA_INT16] = MA_TEXEL_I16,   [MA_UINT16] = MA_TEXEL_U16,
  [MA_INT32] = MA_TEXEL_I32, [MA_UINT32] = MA_TEXEL_U32, [MA_FLOAT16] = MA_TEXEL_F16, [MA_FLOAT32] = MA_TEXEL_F32,
};

ma_status ma_cpu_texture_open(ma_device *device, const ma_texture *texture, uint64_t *object) {
  const ma_texels *texels = &texture->texels;
  struct ma_cpu_texture *t = calloc(1, sizeof *t);
  if (!t) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for a texture", sizeof *t);
  t->data = texture->memory;
  t->ndim = texels->ndim;
  t->channels = texels->channels;
  t->type = types[texels->dtype];
  t->surface = texture->surface;
  t->linear_memory = texture->kind == MA_TEXTURE_LINEAR;
  t->linear_filter = texture->linear_filter;
  t->normalized_float = texture->normalized_float;
  t->normalized = texture->normalized;
  t->srgb = texture->srgb;
  long long step = (long long)texel_bytes(texels);
  for (int axis = 0; axis < 3; axis++) {
    /* texels beyond the ends can be repeated only where coordinates are normalized */
    bool whole = texture->normalized || texture->address[axis] == MA_TEXEL_BORDER;
    t->address[axis] = whole ? texture->address[axis] : MA_TEXEL_CLAMP;
    t->extent[axis] = texels->extent[axis];
    t->step[axis] = axis == 1 && texture->kind == MA_TEXTURE_PITCH2D ? texture->pitch : step;
    step = t->step[axis] * t->extent[axis];
  }
  memcpy(t->border, texture->border, sizeof t->border);
  *object = (uint64_t)(uintptr_t)t;
  return MA_OK;
}

void ma_cpu_texture_close(ma_device *device, bool surface, uint64_t object) { free((void *)(uintptr_t)object); }
