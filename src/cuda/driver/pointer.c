/* pointer.c: checks a foreign address by asking the driver. */
#include "cuda/cuda.h"

#include <inttypes.h>

static ma_status check_kind(const ma_cuda_device *d, const ma_device *device, CUdeviceptr p) {
  unsigned type = 0, managed = 0;
  int ordinal = -1;
  CUresult result = ma_cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p);
  if (result == CUDA_ERROR_INVALID_VALUE)
    return ma_fail(MA_ERR_VALUE, "the address 0x%llx, which is no memory that CUDA knows; wanted memory of %s", p,
                   device->name);
  if (result != CUDA_SUCCESS) return ma_cuda_fail(MA_CU_cuPointerGetAttribute, result);
  if (ma_cu.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p) == CUDA_SUCCESS && managed)
    return MA_OK;
  if (type == CU_MEMORYTYPE_HOST)
    return ma_fail(
      MA_ERR_VALUE,
      "the address 0x%llx, which is page-locked memory of the host; wanted memory of %s, or device = 'cpu'", p,
      device->name);
  MA_CU(cuPointerGetAttribute, &ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p);
  if (ordinal != d->ordinal)
    return ma_fail(MA_ERR_DEVICE,
                   "the address 0x%llx, which is memory of cuda:%d; wanted memory of %s, or device = 'cuda:%d'", p,
                   ordinal, device->name, ordinal);
  return MA_OK;
}

/* Refuses memory outside its allocation. Some kinds of memory do not report their range; they are accepted. */
static ma_status check_range(CUdeviceptr p, size_t nbytes) {
  CUdeviceptr start = 0;
  size_t size = 0;
  if (ma_cu.cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p) != CUDA_SUCCESS ||
      ma_cu.cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p) != CUDA_SUCCESS || !size)
    return MA_OK;
  uint64_t left = p >= start && p - start < size ? size - (p - start) : 0;
  if (nbytes <= left) return MA_OK;
  return ma_fail(MA_ERR_VALUE, "%zu bytes from 0x%llx on; the memory there ends after %" PRIu64, nbytes, p, left);
}

ma_status ma_cuda_memory_check(ma_device *device, const void *ptr, size_t nbytes) {
  CUdeviceptr p = (CUdeviceptr)(uintptr_t)ptr;
  MA_TRY(ma_cuda_enter(device));
  MA_TRY(check_kind(device->state, device, p));
  return check_range(p, nbytes);
}
