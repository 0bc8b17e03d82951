/* texture.h: textures, surfaces and the images that they read, for the group texture of slots.def. */
#ifndef MOONARRAY_TEXTURE_H
#define MOONARRAY_TEXTURE_H

#include "moonarray.h"

/* Texels: one to three axes of points with 1, 2 or 4 channels. */
typedef struct ma_texels {
  int ndim;
  int64_t extent[3]; /* along x, which runs fastest, y and z; 1 beyond ndim */
  int channels;
  ma_dtype dtype; /* of a channel */
} ma_texels;

typedef enum ma_texture_kind { MA_TEXTURE_IMAGE, MA_TEXTURE_LINEAR, MA_TEXTURE_PITCH2D } ma_texture_kind;

/* A texture object, or a surface object over an image, before it is made. */
typedef struct ma_texture {
  ma_texture_kind kind;
  ma_texels texels;
  bool surface;   /* of the fields below only `memory` counts */
  void *memory;   /* the image's handle, or the address of the first texel */
  int64_t pitch;  /* MA_TEXTURE_PITCH2D: bytes from a row to the next */
  int address[3]; /* CUDA's address modes, along x, y and z */
  bool linear_filter, normalized_float, normalized, srgb;
  unsigned anisotropy;
  float border[4];
} ma_texture;

#endif
