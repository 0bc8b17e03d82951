/* texture.h: images, textures and surfaces, whose life follows the work that uses them. */
#ifndef MOONARRAY_OPS_TEXTURE_H
#define MOONARRAY_OPS_TEXTURE_H

#include "array/array.h"

#pragma GCC visibility push(hidden)

/* An image is a buffer whose address is the backend's handle. It is freed when the last reference is dropped and the
** work that used it is done; nobody waits for that. */
ma_status ma_image_new(ma_device *device, const ma_texels *texels, unsigned flags, ma_buffer **image);
/* Copies between the image and a contiguous array of its dtype with as many elements, on the same device. */
ma_status ma_image_copy(ma_buffer *image, const ma_texels *texels, ma_array *array, bool to_image, ma_stream *stream);

/* A texture or surface object: a buffer whose address is the object's number. It keeps the image, or the array over
** whose memory it is. */
typedef struct ma_texture_object {
  ma_buffer *buffer, *image; /* image: NULL if the texels are an array's */
  ma_array array;            /* array.buffer: NULL if the texels are an image's */
  bool surface;
} ma_texture_object;

/* Makes the object over `image`, or over `array`, whose address becomes fixed; the other is NULL. texture->memory is
** set here. */
ma_status ma_texture_new(ma_texture_object *object, ma_texture *texture, ma_buffer *image, const ma_array *array,
                         ma_stream *stream);
void ma_texture_release(ma_texture_object *object); /* harmless if called twice */
/* For a launch on `stream`: puts it in order with other work on the texels, and gives the number. */
ma_status ma_texture_use(const ma_texture_object *object, ma_stream *stream, uint64_t *number);

#pragma GCC visibility pop
#endif
