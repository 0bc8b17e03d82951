/* pool.c: sources of memory for a GPU's pools besides cuMemAlloc: managed memory, host memory that the GPU accesses
** directly, and the driver's own pools, which allocate and free in the order of a stream. */
#include "memory/pool.h"
#include "cuda/cuda.h"

/* Ignores the error of a driver that is gone at exit, as memory.c does. */
static void check_free(const char *call, CUresult result, const void *ptr) {
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_DEINITIALIZED && result != CUDA_ERROR_CONTEXT_IS_DESTROYED)
    ma_trace("mem", "%s of %p gave error %d", call, ptr, result);
}

static ma_status need_attribute(ma_device *device, CUdevice_attribute attribute, const char *what) {
  int value = 0;
  MA_TRY(ma_cuda_enter(device));
  MA_CU(cuDeviceGetAttribute, &value, attribute, ((ma_cuda_device *)device->state)->ordinal);
  return value ? MA_OK : ma_fail(MA_ERR_DEVICE, "%s has no %s", device->name, what);
}

/* ---- Managed memory ---- */

static ma_status managed_open(ma_device *device, void **state) {
  return need_attribute(device, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, "managed memory");
}

static ma_status managed_alloc(ma_device *device, void *state, ma_stream *stream, size_t nbytes, void **ptr) {
  CUdeviceptr address = 0;
  MA_TRY(ma_cuda_enter(device));
  MA_CU(cuMemAllocManaged, &address, nbytes, CU_MEM_ATTACH_GLOBAL);
  *ptr = (void *)(uintptr_t)address;
  return MA_OK;
}

static void managed_free(ma_device *device, void *state, ma_stream *stream, void *ptr) {
  ma_cuda_memory_free(device, ptr);
}

/* ---- Pinned memory: the process's own pages, which survive a reset of the device --------------------------------- */

static ma_status pinned_alloc(ma_device *device, void *state, ma_stream *stream, size_t nbytes, void **ptr) {
  return ma_cuda_host_alloc(device, nbytes, ptr);
}

static void pinned_free(ma_device *device, void *state, ma_stream *stream, void *ptr) {
  ma_leave(device, ptr, ma_cuda_host_free);
}

/* ---- The driver's pools ---- */

/* Opens a pool of the driver to every GPU that may have access, because peer.c's access does not cover such a pool. */
static void open_to_peers(CUmemoryPool pool, CUdevice own) {
  int count = 0;
  if (!ma_cu.cuMemPoolSetAccess || ma_cu.cuDeviceGetCount(&count) != CUDA_SUCCESS) return;
  for (int id = 0; id < count; id++) {
    CUdevice other;
    int can = 0;
    if (ma_cu.cuDeviceGet(&other, id) != CUDA_SUCCESS || other == own) continue;
    if (ma_cu.cuDeviceCanAccessPeer(&can, other, own) != CUDA_SUCCESS || !can) continue;
    ma_cu.cuMemPoolSetAccess(
      pool, &(CUmemAccessDesc){ CU_MEM_LOCATION_TYPE_DEVICE, other, CU_MEM_ACCESS_FLAGS_PROT_READWRITE }, 1);
  }
}

static ma_status async_open(ma_device *device, void **state) {
  CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .locationType = CU_MEM_LOCATION_TYPE_DEVICE };
  CUmemoryPool pool = NULL;
  uint64_t keep = UINT64_MAX;
  if (!ma_cu.cuMemPoolCreate || !ma_cu.cuMemAllocFromPoolAsync)
    return ma_fail(MA_ERR_DEVICE, "this driver has no pools of its own; CUDA 11.2 or newer is wanted");
  MA_TRY(need_attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, "pools of the driver's own"));
  props.locationId = ((ma_cuda_device *)device->state)->ordinal;
  MA_CU(cuMemPoolCreate, &pool, &props);
  *state = pool;
  CUresult result = ma_cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
  if (result == CUDA_SUCCESS) {
    open_to_peers(pool, props.locationId);
    return MA_OK;
  }
  ma_cu.cuMemPoolDestroy(pool);
  return ma_cuda_fail(MA_CU_cuMemPoolSetAttribute, result);
}

static void async_close(ma_device *device, void *state) {
  if (ma_cuda_enter(device) == MA_OK) check_free("cuMemPoolDestroy", ma_cu.cuMemPoolDestroy(state), state);
}

static ma_status async_alloc(ma_device *device, void *state, ma_stream *stream, size_t nbytes, void **ptr) {
  CUdeviceptr address = 0;
  MA_TRY(ma_cuda_enter(device));
  MA_CU(cuMemAllocFromPoolAsync, &address, nbytes, state, ma_cuda_queue(stream));
  *ptr = (void *)(uintptr_t)address;
  return MA_OK;
}

static void async_free(ma_device *device, void *state, ma_stream *stream, void *ptr) {
  if (ma_cuda_enter(device) == MA_OK)
    check_free("cuMemFreeAsync", ma_cu.cuMemFreeAsync((CUdeviceptr)(uintptr_t)ptr, ma_cuda_queue(stream)), ptr);
}

/* Gives idle memory back. Memory that a stream has yet to free stays. */
static void async_trim(ma_device *device, void *state) {
  if (ma_cuda_enter(device) == MA_OK) check_free("cuMemPoolTrimTo", ma_cu.cuMemPoolTrimTo(state, 0), state);
}

static const ma_pool_memory managed = { .open = managed_open, .alloc = managed_alloc, .free = managed_free };
static const ma_pool_memory pinned = { .alloc = pinned_alloc, .free = pinned_free };
static const ma_pool_memory async = { .uncached = true,
                                      .open = async_open,
                                      .close = async_close,
                                      .alloc = async_alloc,
                                      .free = async_free,
                                      .trim = async_trim };

const ma_pool_memory *const ma_cuda_memory_kinds[MA_NMEMORY] = {
  [MA_MEMORY_MANAGED] = &managed,
  [MA_MEMORY_PINNED] = &pinned,
  [MA_MEMORY_ASYNC] = &async,
};
