/* external.c: memory and semaphores of other interfaces through the driver. Its functions are optional. */
#include "backend/external.h"
#include "cuda/cuda.h"
#include "base/inject.h"
#include "system/system.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* CUDA's numbers of the types. */
static const struct {
  int memory, semaphore;
} numbers[MA_NEXTERNAL] = {
  [MA_EXTERNAL_OPAQUE_FD] = { CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD },
  [MA_EXTERNAL_OPAQUE_WIN32] = { CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32,
                                 CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32 },
  [MA_EXTERNAL_D3D12_RESOURCE] = { CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE, 0 },
  [MA_EXTERNAL_D3D12_FENCE] = { 0, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE },
  [MA_EXTERNAL_TIMELINE_FD] = { 0, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD },
  [MA_EXTERNAL_TIMELINE_WIN32] = { 0, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32 },
};

static ma_status need_external(const ma_device *device) {
  if (!ma_cu.cuImportExternalMemory || !ma_cu.cuExternalMemoryGetMappedBuffer || !ma_cu.cuDestroyExternalMemory ||
      !ma_cu.cuImportExternalSemaphore || !ma_cu.cuSignalExternalSemaphoresAsync ||
      !ma_cu.cuWaitExternalSemaphoresAsync || !ma_cu.cuDestroyExternalSemaphore)
    return ma_fail(MA_ERR_LIBRARY, "the driver has no functions for external memory; one from CUDA 11.2 on is wanted");
  return ma_cuda_enter(device);
}

/* The driver takes a file descriptor over if it takes the handle; it is given a duplicate. It leaves a HANDLE alone. */
static ma_status lend(const ma_external *external, ma_cuda_handle *handle) {
  if (ma_external_types[external->type].windows) {
    handle->win32.handle = external->handle;
    return MA_OK;
  }
  handle->fd = ma_system_duplicate(external->fd);
  if (handle->fd >= 0) return MA_OK;
  return ma_fail(MA_ERR_VALUE, "the descriptor %d, which cannot be duplicated: %s; wanted an open one", external->fd,
                 strerror(errno));
}

static ma_status not_taken(ma_cuda_symbol symbol, CUresult result, const ma_external *external,
                           const ma_cuda_handle *handle, const char *wanted) {
  const ma_external_facts *type = &ma_external_types[external->type];
  if (!type->windows) close(handle->fd);
  ma_status status = ma_cuda_fail(symbol, result);
  return ma_fail_prefix(status, "the handle of type %s was not taken; wanted %s: ", type->name, wanted);
}

static ma_status map(CUexternalMemory memory, uint64_t size, void **address) {
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC all = { .size = size };
  CUdeviceptr ptr = 0;
  MA_TRY(ma_inject(MA_INJECT_QUEUE, "a mapping of external memory"));
  MA_CU(cuExternalMemoryGetMappedBuffer, &ptr, memory, &all);
  *address = (void *)(uintptr_t)ptr;
  return MA_OK;
}

ma_status ma_cuda_external_open_memory(ma_device *device, const ma_external *external, void **handle, void **address) {
  CUexternalMemory made = NULL;
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC d = { .type = numbers[external->type].memory,
                                         .size = external->size,
                                         /* the driver wants every resource of Direct3D to be called so */
                                         .flags = external->dedicated || external->type == MA_EXTERNAL_D3D12_RESOURCE
                                                    ? CUDA_EXTERNAL_MEMORY_DEDICATED
                                                    : 0 };
  MA_TRY(need_external(device));
  MA_TRY(lend(external, &d.handle));
  CUresult result = ma_cu.cuImportExternalMemory(&made, &d);
  if (result != CUDA_SUCCESS)
    return not_taken(MA_CU_cuImportExternalMemory, result, external, &d.handle,
                     "memory that was exported on the same GPU, with the size of its whole allocation");
  ma_status status = map(made, external->size, address);
  if (status != MA_OK) ma_cu.cuDestroyExternalMemory(made);
  else *handle = made;
  return status;
}

void ma_cuda_external_close_memory(ma_device *device, void *handle, void *address) {
  if (ma_cuda_enter(device) != MA_OK) return;
  ma_cu.cuMemFree((CUdeviceptr)(uintptr_t)address);
  ma_cu.cuDestroyExternalMemory(handle);
}

ma_status ma_cuda_external_open_semaphore(ma_device *device, const ma_external *external, void **handle) {
  CUexternalSemaphore made = NULL;
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC d = { .type = numbers[external->type].semaphore };
  MA_TRY(need_external(device));
  MA_TRY(lend(external, &d.handle));
  CUresult result = ma_cu.cuImportExternalSemaphore(&made, &d);
  if (result != CUDA_SUCCESS)
    return not_taken(MA_CU_cuImportExternalSemaphore, result, external, &d.handle,
                     "a semaphore of that type that was exported on the same GPU");
  *handle = made;
  return MA_OK;
}

void ma_cuda_external_close_semaphore(ma_device *device, void *handle) {
  if (ma_cuda_enter(device) == MA_OK) ma_cu.cuDestroyExternalSemaphore(handle);
}

ma_status ma_cuda_external_wait(ma_stream *stream, void *handle, uint64_t value) {
  CUexternalSemaphore semaphore = handle;
  CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS how = { .value = value };
  MA_TRY(ma_cuda_enter(stream->device));
  MA_CU(cuWaitExternalSemaphoresAsync, &semaphore, &how, 1, ma_cuda_queue(stream));
  return MA_OK;
}

ma_status ma_cuda_external_signal(ma_stream *stream, void *handle, uint64_t value) {
  CUexternalSemaphore semaphore = handle;
  CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS how = { .value = value };
  MA_TRY(ma_cuda_enter(stream->device));
  MA_CU(cuSignalExternalSemaphoresAsync, &semaphore, &how, 1, ma_cuda_queue(stream));
  return MA_OK;
}
