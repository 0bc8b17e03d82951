/* gl.h: OpenGL's buffers and images, for the group gl of slots.def. */
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

#endif
