/* texture.c: CUDA arrays, and texture and surface objects over them or over linear memory. */
#include "backend/texture.h"
#include "cuda/cuda.h"

static int format_of(ma_dtype dtype) {
  switch (dtype) {
  case MA_UINT8: return CU_AD_FORMAT_UNSIGNED_INT8;
  case MA_UINT16: return CU_AD_FORMAT_UNSIGNED_INT16;
  case MA_UINT32: return CU_AD_FORMAT_UNSIGNED_INT32;
  case MA_INT8: return CU_AD_FORMAT_SIGNED_INT8;
  case MA_INT16: return CU_AD_FORMAT_SIGNED_INT16;
  case MA_INT32: return CU_AD_FORMAT_SIGNED_INT32;
  case MA_FLOAT16: return CU_AD_FORMAT_HALF;
  default: return CU_AD_FORMAT_FLOAT;
  }
}

ma_status ma_cuda_texture_image_new(ma_device *device, const ma_texels *texels, unsigned flags, void **image) {
  CUarray made = NULL;
  CUDA_ARRAY3D_DESCRIPTOR d = { .Width = (size_t)texels->extent[0],
                                .Height = texels->ndim > 1 ? (size_t)texels->extent[1] : 0,
                                .Depth = texels->ndim > 2 ? (size_t)texels->extent[2] : 0,
                                .Format = format_of(texels->dtype),
                                .NumChannels = (unsigned)texels->channels,
                                .Flags = flags };
  MA_TRY(ma_cuda_enter(device));
  MA_CU(cuArray3DCreate, &made, &d);
  *image = made;
  return MA_OK;
}

void ma_cuda_texture_image_free(ma_device *device, void *image) {
  if (ma_cuda_enter(device) == MA_OK) ma_cu.cuArrayDestroy(image);
}

ma_status ma_cuda_texture_copy(ma_stream *stream, const ma_texels *texels, void *image, void *memory, bool to_image) {
  size_t width = (size_t)texels->extent[0] * (size_t)texels->channels * ma_dtypes[texels->dtype].itemsize;
  CUDA_MEMCPY3D c = { .WidthInBytes = width, .Height = (size_t)texels->extent[1], .Depth = (size_t)texels->extent[2] };
  CUdeviceptr address = (CUdeviceptr)(uintptr_t)memory;
  MA_TRY(ma_cuda_enter(stream->device));
  if (to_image) {
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE, c.srcDevice = address, c.srcPitch = width, c.srcHeight = c.Height;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = image;
  } else {
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY, c.srcArray = image;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE, c.dstDevice = address, c.dstPitch = width, c.dstHeight = c.Height;
  }
  MA_CU(cuMemcpy3DAsync, &c, ma_cuda_queue(stream));
  return MA_OK;
}

static CUDA_RESOURCE_DESC resource_of(const ma_texture *t) {
  const ma_texels *texels = &t->texels;
  CUDA_RESOURCE_DESC d = { 0 };
  size_t texel = (size_t)texels->channels * ma_dtypes[texels->dtype].itemsize;
  if (t->kind == MA_TEXTURE_IMAGE) {
    d.resType = CU_RESOURCE_TYPE_ARRAY;
    d.res.array.hArray = t->memory;
  } else if (t->kind == MA_TEXTURE_LINEAR) {
    d.resType = CU_RESOURCE_TYPE_LINEAR;
    d.res.linear.devPtr = (CUdeviceptr)(uintptr_t)t->memory;
    d.res.linear.format = format_of(texels->dtype);
    d.res.linear.numChannels = (unsigned)texels->channels;
    d.res.linear.sizeInBytes = (size_t)texels->extent[0] * texel;
  } else {
    d.resType = CU_RESOURCE_TYPE_PITCH2D;
    d.res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)t->memory;
    d.res.pitch2D.format = format_of(texels->dtype);
    d.res.pitch2D.numChannels = (unsigned)texels->channels;
    d.res.pitch2D.width = (size_t)texels->extent[0];
    d.res.pitch2D.height = (size_t)texels->extent[1];
    d.res.pitch2D.pitchInBytes = (size_t)t->pitch;
  }
  return d;
}

ma_status ma_cuda_texture_open(ma_device *device, const ma_texture *t, uint64_t *object) {
  CUDA_RESOURCE_DESC resource = resource_of(t);
  unsigned long long made = 0;
  MA_TRY(ma_cuda_enter(device));
  if (t->surface) {
    MA_CU(cuSurfObjectCreate, &made, &resource);
    *object = made;
    return MA_OK;
  }
  bool whole = ma_dtypes[t->texels.dtype].kind != MA_KIND_FLOAT;
  CUDA_TEXTURE_DESC d = { .filterMode = t->linear_filter ? CU_TR_FILTER_MODE_LINEAR : 0,
                          .flags = (whole && !t->normalized_float ? CU_TRSF_READ_AS_INTEGER : 0u) |
                                   (t->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
                                   (t->srgb ? CU_TRSF_SRGB : 0u),
                          .maxAnisotropy = t->anisotropy };
  /* Images repeat only along normalised coordinates. An image of one axis is read as the middle one of three rows, and
  ** the outer two would be the border. So beyond the image's own axes the mode is clamp. */
  for (int k = 0; k < 3; k++) {
    bool taken = k < t->texels.ndim && (t->normalized || t->address[k] == CU_TR_ADDRESS_MODE_BORDER);
    d.addressMode[k] = taken ? t->address[k] : CU_TR_ADDRESS_MODE_CLAMP;
  }
  for (int k = 0; k < 4; k++) d.borderColor[k] = t->border[k];
  MA_CU(cuTexObjectCreate, &made, &resource, &d, NULL);
  *object = made;
  return MA_OK;
}

void ma_cuda_texture_close(ma_device *device, bool surface, uint64_t object) {
  if (ma_cuda_enter(device) != MA_OK) return;
  if (surface) ma_cu.cuSurfObjectDestroy(object);
  else ma_cu.cuTexObjectDestroy(object);
}
