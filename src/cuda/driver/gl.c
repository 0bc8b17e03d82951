/* gl.c: OpenGL's buffers and images through the driver. Its functions are optional: a driver without graphics lacks
** them. */
#include "backend/gl.h"
#include "cuda/cuda.h"

static ma_status need_gl(const ma_device *device) {
  if (!ma_cu.cuGraphicsGLRegisterBuffer || !ma_cu.cuGraphicsGLRegisterImage || !ma_cu.cuGraphicsUnregisterResource ||
      !ma_cu.cuGraphicsMapResources || !ma_cu.cuGraphicsUnmapResources || !ma_cu.cuGraphicsResourceGetMappedPointer ||
      !ma_cu.cuGraphicsSubResourceGetMappedArray || !ma_cu.cuArrayGetDescriptor || !ma_cu.cuMemcpy2DAsync)
    return ma_fail(MA_ERR_LIBRARY,
                   "the driver's libcuda.so.1 has no functions for OpenGL; one with graphics is wanted");
  return ma_cuda_enter(device);
}

/* The driver's error for a missing context depends on its version. */
static ma_status registered(ma_cuda_symbol symbol, CUresult result, uint32_t id) {
  if (result == CUDA_SUCCESS) return MA_OK;
  ma_cuda_fail(symbol, result);
  return ma_fail_prefix(
    MA_ERR_DEVICE,
    "OpenGL's name %u was not taken; wanted a live object of the OpenGL context that is current on this thread, "
    "on the same GPU: ",
    id);
}

ma_status ma_cuda_gl_register_buffer(ma_device *device, uint32_t id, uint32_t flags, void **resource) {
  CUgraphicsResource made = NULL;
  MA_TRY(need_gl(device));
  MA_TRY(registered(MA_CU_cuGraphicsGLRegisterBuffer, ma_cu.cuGraphicsGLRegisterBuffer(&made, id, flags), id));
  *resource = made;
  return MA_OK;
}

ma_status ma_cuda_gl_register_image(ma_device *device, uint32_t id, uint32_t target, uint32_t flags, void **resource) {
  CUgraphicsResource made = NULL;
  MA_TRY(need_gl(device));
  MA_TRY(registered(MA_CU_cuGraphicsGLRegisterImage, ma_cu.cuGraphicsGLRegisterImage(&made, id, target, flags), id));
  *resource = made;
  return MA_OK;
}

ma_status ma_cuda_gl_unregister(ma_device *device, void *resource) {
  MA_TRY(need_gl(device));
  MA_CU(cuGraphicsUnregisterResource, resource);
  return MA_OK;
}

ma_status ma_cuda_gl_map(ma_stream *stream, void *resource) {
  CUgraphicsResource r = resource;
  MA_TRY(need_gl(stream->device));
  MA_CU(cuGraphicsMapResources, 1, &r, ma_cuda_queue(stream));
  return MA_OK;
}

ma_status ma_cuda_gl_unmap(ma_stream *stream, void *resource) {
  CUgraphicsResource r = resource;
  MA_TRY(need_gl(stream->device));
  MA_CU(cuGraphicsUnmapResources, 1, &r, ma_cuda_queue(stream));
  return MA_OK;
}

ma_status ma_cuda_gl_pointer(ma_device *device, void *resource, void **ptr, size_t *nbytes) {
  CUdeviceptr address = 0;
  MA_TRY(need_gl(device));
  MA_CU(cuGraphicsResourceGetMappedPointer, &address, nbytes, resource);
  *ptr = (void *)(uintptr_t)address;
  return MA_OK;
}

static const struct {
  int format;
  ma_dtype dtype;
} formats[] = { { CU_AD_FORMAT_UNSIGNED_INT8, MA_UINT8 },   { CU_AD_FORMAT_UNSIGNED_INT16, MA_UINT16 },
                { CU_AD_FORMAT_UNSIGNED_INT32, MA_UINT32 }, { CU_AD_FORMAT_SIGNED_INT8, MA_INT8 },
                { CU_AD_FORMAT_SIGNED_INT16, MA_INT16 },    { CU_AD_FORMAT_SIGNED_INT32, MA_INT32 },
                { CU_AD_FORMAT_HALF, MA_FLOAT16 },          { CU_AD_FORMAT_FLOAT, MA_FLOAT32 } };

ma_status ma_cuda_gl_image(ma_device *device, void *resource, int layer, int level, ma_gl_image *result) {
  CUarray array = NULL;
  CUDA_ARRAY_DESCRIPTOR descriptor;
  MA_TRY(need_gl(device));
  MA_CU(cuGraphicsSubResourceGetMappedArray, &array, resource, (unsigned)layer, (unsigned)level);
  MA_CU(cuArrayGetDescriptor, &descriptor, array);
  for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
    if (formats[k].format != descriptor.Format) continue;
    *result = (ma_gl_image){ array, (int64_t)descriptor.Width, (int64_t)descriptor.Height, (int)descriptor.NumChannels,
                             formats[k].dtype };
    if (result->height == 0) result->height = 1;
    return MA_OK;
  }
  return ma_fail(MA_ERR_TYPE, "an image of the format 0x%x; wanted 8, 16 or 32-bit integers, or 16 or 32-bit floats",
                 (unsigned)descriptor.Format);
}

ma_status ma_cuda_gl_copy(ma_stream *stream, const ma_gl_image *picture, void *memory, bool to_image) {
  size_t width = (size_t)picture->width * (size_t)picture->channels * ma_dtypes[picture->dtype].itemsize;
  CUDA_MEMCPY2D c = { .WidthInBytes = width, .Height = (size_t)picture->height };
  MA_TRY(need_gl(stream->device));
  if (to_image) {
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE, c.srcDevice = (CUdeviceptr)(uintptr_t)memory, c.srcPitch = width;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = picture->handle;
  } else {
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY, c.srcArray = picture->handle;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE, c.dstDevice = (CUdeviceptr)(uintptr_t)memory, c.dstPitch = width;
  }
  MA_CU(cuMemcpy2DAsync, &c, ma_cuda_queue(stream));
  return MA_OK;
}

_Static_assert(MA_GL_READ_ONLY == CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY &&
                 MA_GL_WRITE_DISCARD == CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD &&
                 MA_GL_SURFACE == CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST,
               "the flags are the driver's");
