/*
** texture.c: images, textures and surfaces. The driver frees an image or an object at once, even if a kernel still
** reads it. So what is released waits for its streams (ma_leaving in memory.h).
*/
#include "ops/fields/texture.h"
#include "run/pending.h"
#include "memory/graph.h"
#include "memory/handle.h"

#include <stdlib.h>

/* What the backend holds for a buffer of this file. */
typedef struct held {
  ma_leaving leaving; /* first; once it is released */
  ma_device *device;
  uint64_t handle;
  enum { IMAGE, TEXTURE, SURFACE } what;
  uint32_t generation;
  ma_buffer *kept; /* for an object: a reference on its texels */
} held;

/* ==== Freeing ===================================================================================================== */

static void destroy(ma_leaving *leaving) {
  held *h = (held *)leaving;
  const ma_backend *backend = h->device->backend;
  if (h->generation == __atomic_load_n(&h->device->generation, __ATOMIC_RELAXED)) { /* a reset destroyed older ones */
    if (h->what == IMAGE) backend->texture.image_free(h->device, (void *)(uintptr_t)h->handle);
    else backend->texture.close(h->device, h->what == SURFACE, h->handle);
  }
  if (h->kept) ma_buffer_release(h->kept);
  free(h);
}

static void release(ma_buffer *buffer) {
  held *h = buffer->owner;
  h->leaving = (ma_leaving){ .marks = buffer->marks, .free = destroy };
  ma_buffer_free_header(buffer);
  ma_leaving_add(&h->leaving);
}

/* ==== Making ====================================================================================================== */

/* Makes a buffer of `made`. If it cannot, `made` is destroyed. */
static ma_status wrap(const held *made, size_t nbytes, ma_buffer **buffer) {
  held *h = malloc(sizeof *h);
  if (h) {
    *h = *made;
    if (ma_buffer_wrap(h->device, (void *)(uintptr_t)h->handle, nbytes, release, h, buffer) == MA_OK) return MA_OK;
    destroy(&h->leaving);
    return MA_ERR_MEMORY;
  }
  if (made->what == IMAGE) made->device->backend->texture.image_free(made->device, (void *)(uintptr_t)made->handle);
  else made->device->backend->texture.close(made->device, made->what == SURFACE, made->handle);
  if (made->kept) ma_buffer_release(made->kept);
  return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes of host memory for a texture", sizeof *h);
}

static int64_t count_of(const ma_texels *t) { return t->extent[0] * t->extent[1] * t->extent[2] * t->channels; }

ma_status ma_image_new(ma_device *device, const ma_texels *texels, unsigned flags, ma_buffer **image) {
  void *handle;
  int64_t shape[4] = { texels->extent[2], texels->extent[1], texels->extent[0], texels->channels }, size;
  ma_leaving_sweep();
  MA_TRY(ma_shape_size(4, shape, ma_dtypes[texels->dtype].itemsize, &size));
  MA_TRY(device->backend->texture.image_new(device, texels, flags, &handle));
  held h = { .device = device,
             .handle = (uint64_t)(uintptr_t)handle,
             .what = IMAGE,
             .generation = __atomic_load_n(&device->generation, __ATOMIC_RELAXED) };
  return wrap(&h, (size_t)size * ma_dtypes[texels->dtype].itemsize, image);
}

ma_status ma_image_copy(ma_buffer *image, const ma_texels *texels, ma_array *array, bool to_image, ma_stream *stream) {
  void *address;
  const void *from;
  if (array->size != count_of(texels) || array->dtype != texels->dtype || !ma_array_is_contiguous(array))
    return ma_fail(MA_ERR_VALUE, "an array of another layout than the image's; wanted %lld elements of %s",
                   (long long)count_of(texels), ma_dtypes[texels->dtype].name);
  if (to_image) {
    MA_TRY(ma_array_read(array, stream, &from));
    address = (void *)(uintptr_t)from;
  } else MA_TRY(ma_array_write(array, stream, &address));
  MA_TRY(ma_buffer_use(image, stream, to_image));
  return image->device->backend->texture.copy(stream, texels, image->ptr, address, to_image);
}

/* A GPU reads texels of linear memory only from a multiple of this address. A small block of a pool need not have such
** an address, but a block of ALIGNED_BLOCK bytes or more has one. */
#define ALIGNMENT 512
#define ALIGNED_BLOCK 2048

static bool is_aligned(const ma_array *array, const void *address) {
  return ma_is_host(ma_array_device(array)) || (uintptr_t)address % ALIGNMENT == 0;
}

/* Exchanges the buffer's memory for an aligned block with the same bytes. */
static ma_status move_aligned(ma_buffer *buffer, ma_stream *stream) {
  ma_buffer *block, *other;
  MA_TRY(ma_buffer_new(buffer->device, buffer->nbytes > ALIGNED_BLOCK ? buffer->nbytes : ALIGNED_BLOCK, &block));
  ma_status status = ma_handle_bare(buffer->device, buffer->nbytes, &other);
  if (status != MA_OK) {
    ma_buffer_release(block);
    return status;
  }
  ma_handle_fill(other, block);
  status = ma_buffer_use(buffer, stream, false);
  if (status == MA_OK) status = ma_buffer_use(other, stream, true);
  if (status == MA_OK)
    status = buffer->device->backend->memory.copy(stream, other->ptr, buffer->ptr, buffer->nbytes, MA_COPY_WITHIN);
  if (status == MA_OK) ma_handle_exchange(buffer, other);
  ma_buffer_release(other);
  return status;
}

/* Makes the texels' address stay what it is. */
static ma_status fix_memory(ma_texture *texture, const ma_array *array, ma_stream *stream) {
  const void *address;
  MA_TRY(ma_array_read(array, stream, &address));
  if (!is_aligned(array, address) && array->buffer->movable && array->offset == 0 && !stream->capture)
    MA_TRY(move_aligned(array->buffer, stream));
  MA_TRY(ma_hazard_expose(array->buffer, stream));
  MA_TRY(ma_array_read(array, stream, &address));
  texture->memory = (void *)(uintptr_t)address;
  if (is_aligned(array, address)) return MA_OK;
  return ma_fail(MA_ERR_VALUE, "texels at the address %p; wanted a multiple of %d, as an array's copy has", address,
                 ALIGNMENT);
}

ma_status ma_texture_new(ma_texture_object *object, ma_texture *texture, ma_buffer *image, const ma_array *array,
                         ma_stream *stream) {
  ma_device *device = image ? image->device : ma_array_device(array);
  held h = { .device = device,
             .what = texture->surface ? SURFACE : TEXTURE,
             .generation = __atomic_load_n(&device->generation, __ATOMIC_RELAXED) };
  ma_leaving_sweep();
  if (image) MA_TRY(ma_buffer_check(image));
  if (image) texture->memory = image->ptr;
  else MA_TRY(fix_memory(texture, array, stream));
  MA_TRY(device->backend->texture.open(device, texture, &h.handle));
  h.kept = image ? image : array->buffer;
  ma_buffer_retain(h.kept);
  MA_TRY(wrap(&h, 0, &object->buffer));
  object->surface = texture->surface;
  object->image = image;
  if (image) ma_buffer_retain(image);
  else ma_array_view(&object->array, array);
  return MA_OK;
}

void ma_texture_release(ma_texture_object *object) {
  if (object->buffer) ma_buffer_release(object->buffer);
  if (object->image) ma_buffer_release(object->image);
  ma_array_release(&object->array);
  object->buffer = object->image = NULL;
}

ma_status ma_texture_use(const ma_texture_object *object, ma_stream *stream, uint64_t *number) {
  const void *address;
  if (object->image) MA_TRY(ma_buffer_use(object->image, stream, object->surface));
  else MA_TRY(ma_array_read(&object->array, stream, &address));
  MA_TRY(ma_buffer_use(object->buffer, stream, false));
  *number = (uint64_t)(uintptr_t)object->buffer->ptr;
  return MA_OK;
}
