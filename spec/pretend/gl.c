/* gl.c: OpenGL's side of the pretended driver. The names 1 to 8 are buffers of 4096 bytes, and images of 8 by 4: odd
** ones have four uint8 a pixel, even ones one float. */
#include "cuda/cuda.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define PASS(name, parameters) EXPORT CUresult name parameters

struct CUarray_st {
  CUDA_ARRAY_DESCRIPTOR shape;
  char *data;
  size_t pitch;
};
static struct CUgraphicsResource_st {
  _Alignas(512) char data[4096];
  bool registered, mapped, image;
  struct CUarray_st array;
} things[2][9];

static CUresult register_thing(CUgraphicsResource *r, unsigned id, bool image) {
  if (id < 1 || id > 8 || things[image][id].registered) return CUDA_ERROR_INVALID_VALUE;
  *r = &things[image][id];
  (*r)->registered = true;
  (*r)->image = image;
  (*r)->array.shape = (CUDA_ARRAY_DESCRIPTOR){ 8, 4, id % 2 ? CU_AD_FORMAT_UNSIGNED_INT8 : CU_AD_FORMAT_FLOAT,
                                               id % 2 ? 4 : 1 };
  (*r)->array.data = (*r)->data;
  (*r)->array.pitch = 64;
  return 0;
}
static CUresult set_mapped(CUgraphicsResource r, bool on) {
  if (!r->registered || r->mapped == on) return CUDA_ERROR_INVALID_VALUE;
  r->mapped = on;
  return 0;
}
PASS(cuGraphicsGLRegisterBuffer, (CUgraphicsResource * r, unsigned id, unsigned flags))
{ return register_thing(r, id, false); }
PASS(cuGraphicsGLRegisterImage, (CUgraphicsResource * r, unsigned id, unsigned target, unsigned flags))
{ return register_thing(r, id, true); }
PASS(cuGraphicsUnregisterResource, (CUgraphicsResource r))
{
  if (!r->registered || r->mapped) return CUDA_ERROR_INVALID_VALUE;
  r->registered = false;
  return 0;
}
PASS(cuGraphicsMapResources, (unsigned n, CUgraphicsResource *r, CUstream s))
{ return set_mapped(*r, true); }
PASS(cuGraphicsUnmapResources, (unsigned n, CUgraphicsResource *r, CUstream s))
{ return set_mapped(*r, false); }
PASS(cuGraphicsResourceGetMappedPointer_v2, (CUdeviceptr * p, size_t *nbytes, CUgraphicsResource r))
{
  *p = (CUdeviceptr)(uintptr_t)r->data;
  *nbytes = sizeof r->data;
  return r->mapped && !r->image ? 0 : CUDA_ERROR_INVALID_VALUE;
}
PASS(cuGraphicsSubResourceGetMappedArray, (CUarray * array, CUgraphicsResource r, unsigned layer, unsigned level))
{
  *array = &r->array;
  return r->mapped && r->image && layer == 0 && level == 0 ? 0 : CUDA_ERROR_INVALID_VALUE;
}
PASS(cuArrayGetDescriptor_v2, (CUDA_ARRAY_DESCRIPTOR * d, CUarray array))
{
  *d = array->shape;
  return 0;
}
PASS(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *c, CUstream s))
{
  bool in = c->dstMemoryType == CU_MEMORYTYPE_ARRAY;
  for (size_t y = 0; y < c->Height; y++) {
    char *row = (in ? c->dstArray : c->srcArray)->data + y * (in ? c->dstArray : c->srcArray)->pitch;
    char *linear = (char *)(uintptr_t)(in ? c->srcDevice : c->dstDevice) + y * (in ? c->srcPitch : c->dstPitch);
    memcpy(in ? row : linear, in ? linear : row, c->WidthInBytes);
  }
  return 0;
}
