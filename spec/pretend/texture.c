/* texture.c: CUDA arrays, textures and surfaces of the pretended driver. An object is what the CPU backend's kernels
** read (kernels/cpu/cpu_cuda_texture.h), and pretend.h has their functions. */
#include "cuda/cuda.h"
#include "kernels/cpu/cpu_cuda_texture.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define PASS(name, parameters) EXPORT CUresult name parameters

struct CUarray_st {
  CUDA_ARRAY3D_DESCRIPTOR shape;
  size_t texel, pitch, slice; /* bytes */
  char *data;
};

static const struct {
  int format, type, bytes;
} formats[] = { { CU_AD_FORMAT_UNSIGNED_INT8, MA_TEXEL_U8, 1 },   { CU_AD_FORMAT_UNSIGNED_INT16, MA_TEXEL_U16, 2 },
                { CU_AD_FORMAT_UNSIGNED_INT32, MA_TEXEL_U32, 4 }, { CU_AD_FORMAT_SIGNED_INT8, MA_TEXEL_I8, 1 },
                { CU_AD_FORMAT_SIGNED_INT16, MA_TEXEL_I16, 2 },   { CU_AD_FORMAT_SIGNED_INT32, MA_TEXEL_I32, 4 },
                { CU_AD_FORMAT_HALF, MA_TEXEL_F16, 2 },           { CU_AD_FORMAT_FLOAT, MA_TEXEL_F32, 4 } };

static int find_format(int format) {
  int k = 0;
  while (formats[k].format != format) k++;
  return k;
}

PASS(cuArray3DCreate_v2, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *d))
{
  struct CUarray_st *a = malloc(sizeof *a);
  a->shape = *d;
  a->texel = (size_t)formats[find_format(d->Format)].bytes * d->NumChannels;
  a->pitch = d->Width * a->texel + 64; /* rows are apart, so that no copy works by chance */
  a->slice = a->pitch * (d->Height ? d->Height : 1) + 128;
  a->data = malloc(a->slice * (d->Depth ? d->Depth : 1));
  memset(a->data, 0xee, a->slice * (d->Depth ? d->Depth : 1));
  *array = a;
  return 0;
}
PASS(cuArrayDestroy, (CUarray array))
{
  free(array->data);
  free(array);
  return 0;
}
PASS(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *c, CUstream s))
{
  bool in = c->dstMemoryType == CU_MEMORYTYPE_ARRAY;
  CUarray a = in ? c->dstArray : c->srcArray;
  char *linear = (char *)(uintptr_t)(in ? c->srcDevice : c->dstDevice);
  size_t pitch = in ? c->srcPitch : c->dstPitch, height = in ? c->srcHeight : c->dstHeight;
  if (c->WidthInBytes > a->pitch) return CUDA_ERROR_INVALID_VALUE;
  for (size_t z = 0; z < c->Depth; z++)
    for (size_t y = 0; y < c->Height; y++) {
      char *row = a->data + z * a->slice + y * a->pitch, *at = linear + (z * height + y) * pitch;
      memcpy(in ? row : at, in ? at : row, c->WidthInBytes);
    }
  return 0;
}

/* ==== Objects ==================================================================================================== */

/* Texels in linear memory begin at a multiple of 512, as a GPU wants it. */
static bool is_aligned(const CUDA_RESOURCE_DESC *r) {
  return r->resType == CU_RESOURCE_TYPE_ARRAY ||
         (r->resType == CU_RESOURCE_TYPE_LINEAR ? r->res.linear.devPtr : r->res.pitch2D.devPtr) % 512 == 0;
}

static struct ma_cpu_texture *new_object(const CUDA_RESOURCE_DESC *r) {
  struct ma_cpu_texture *t = calloc(1, sizeof *t);
  CUarray a = r->res.array.hArray;
  int format = r->resType == CU_RESOURCE_TYPE_ARRAY    ? a->shape.Format
               : r->resType == CU_RESOURCE_TYPE_LINEAR ? r->res.linear.format
                                                       : r->res.pitch2D.format;
  unsigned channels = r->resType == CU_RESOURCE_TYPE_ARRAY    ? a->shape.NumChannels
                      : r->resType == CU_RESOURCE_TYPE_LINEAR ? r->res.linear.numChannels
                                                              : r->res.pitch2D.numChannels;
  int k = find_format(format);
  t->type = formats[k].type;
  t->channels = (int)channels;
  t->step[0] = formats[k].bytes * (int)channels;
  t->extent[1] = t->extent[2] = t->ndim = 1;
  if (r->resType == CU_RESOURCE_TYPE_ARRAY) {
    t->data = a->data;
    t->ndim = a->shape.Depth ? 3 : a->shape.Height ? 2 : 1;
    t->extent[0] = (long long)a->shape.Width;
    if (t->ndim > 1) t->extent[1] = (long long)a->shape.Height;
    if (t->ndim > 2) t->extent[2] = (long long)a->shape.Depth;
    t->step[1] = (long long)a->pitch;
    t->step[2] = (long long)a->slice;
  } else if (r->resType == CU_RESOURCE_TYPE_LINEAR) {
    t->data = (char *)(uintptr_t)r->res.linear.devPtr;
    t->extent[0] = (long long)r->res.linear.sizeInBytes / t->step[0];
    t->linear_memory = 1;
  } else {
    t->data = (char *)(uintptr_t)r->res.pitch2D.devPtr;
    t->ndim = 2;
    t->extent[0] = (long long)r->res.pitch2D.width;
    t->extent[1] = (long long)r->res.pitch2D.height;
    t->step[1] = (long long)r->res.pitch2D.pitchInBytes;
  }
  return t;
}

PASS(cuTexObjectCreate, (CUtexObject * object, const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *d,
                         const CUDA_RESOURCE_VIEW_DESC *view))
{
  if (!is_aligned(r)) return CUDA_ERROR_INVALID_VALUE;
  struct ma_cpu_texture *t = new_object(r);
  bool whole = t->type < MA_TEXEL_F16, integer = (d->flags & CU_TRSF_READ_AS_INTEGER) != 0;
  bool linear = d->filterMode == CU_TR_FILTER_MODE_LINEAR;
  if (linear && whole && integer) return CUDA_ERROR_INVALID_VALUE;
  for (int axis = 0; axis < 3; axis++)
    if (!(d->flags & CU_TRSF_NORMALIZED_COORDINATES) && d->addressMode[axis] != MA_TEXEL_CLAMP &&
        d->addressMode[axis] != MA_TEXEL_BORDER)
      return CUDA_ERROR_INVALID_VALUE;
  t->normalized = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  t->srgb = (d->flags & CU_TRSF_SRGB) != 0;
  t->normalized_float = whole && !integer;
  t->linear_filter = linear;
  for (int axis = 0; axis < 3; axis++) t->address[axis] = d->addressMode[axis];
  memcpy(t->border, d->borderColor, sizeof t->border);
  *object = (uintptr_t)t;
  return 0;
}
PASS(cuTexObjectDestroy, (CUtexObject object))
{
  free((void *)(uintptr_t)object);
  return 0;
}
PASS(cuSurfObjectCreate, (CUsurfObject * object, const CUDA_RESOURCE_DESC *r))
{
  if (r->resType != CU_RESOURCE_TYPE_ARRAY || !(r->res.array.hArray->shape.Flags & CUDA_ARRAY3D_SURFACE_LDST))
    return CUDA_ERROR_INVALID_VALUE;
  struct ma_cpu_texture *t = new_object(r);
  t->surface = 1;
  *object = (uintptr_t)t;
  return 0;
}
PASS(cuSurfObjectDestroy, (CUsurfObject object))
{
  free((void *)(uintptr_t)object);
  return 0;
}
