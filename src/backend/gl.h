/* gl.h: OpenGL's buffers and images, as a backend offers them (ma_backend.gl; NULL: not at all). Every function
** needs the GL context on the calling thread. */
#ifndef MOONARRAY_GL_H
#define MOONARRAY_GL_H

#include "moonarray.h"

#define MA_GL_READ_ONLY 1
#define MA_GL_WRITE_DISCARD 2
#define MA_GL_SURFACE 4

/* One level and layer of a mapped image. */
typedef struct ma_gl_image {
  void *handle; /* valid until the resource is unmapped */
  int64_t width, height;
  int channels;
  ma_dtype dtype;
} ma_gl_image;

typedef struct ma_gl {
  ma_status (*register_buffer)(ma_device *device, uint32_t id, uint32_t flags, void **resource);
  ma_status (*register_image)(ma_device *device, uint32_t id, uint32_t target, uint32_t flags, void **resource);
  ma_status (*unregister)(ma_device *device, void *resource);
  /* map: work that is queued on the stream afterwards waits for OpenGL's earlier work. unmap: OpenGL's later work
  ** waits for the stream's. */
  ma_status (*map)(ma_stream *stream, void *resource);
  ma_status (*unmap)(ma_stream *stream, void *resource);
  ma_status (*pointer)(ma_device *device, void *resource, void **ptr, size_t *nbytes);
  ma_status (*image)(ma_device *device, void *resource, int layer, int level, ma_gl_image *image);
  /* Copies the rows of the image to or from C-order device memory. */
  ma_status (*copy)(ma_stream *stream, const ma_gl_image *image, void *memory, bool to_image);
} ma_gl;

#endif
