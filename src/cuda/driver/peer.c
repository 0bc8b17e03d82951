/* peer.c: pairs of GPUs. If the driver offers peer access, a kernel uses the other GPU's memory directly; access is
** enabled at the first use. Otherwise the driver copies through the host. */
#include "base/inject.h"
#include "cuda/cuda.h"

enum { UNKNOWN, CANNOT, CAN, ENABLED };

static ma_status find_out(const ma_cuda_device *d, const ma_cuda_device *of, uint8_t *state) {
  int can = 0;
  MA_CU(cuDeviceCanAccessPeer, &can, d->ordinal, of->ordinal);
  *state = can ? CAN : CANNOT;
  return MA_OK;
}

/* Gives the context of `device` access to all memory of the other one, also to later allocations. */
static ma_status enable_access(const ma_device *device, const ma_cuda_device *of) {
  MA_TRY(ma_cuda_enter(device));
  CUresult result = ma_cu.cuCtxEnablePeerAccess(of->context, 0);
  return result == CUDA_SUCCESS || result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
           ? MA_OK
           : ma_cuda_fail(MA_CU_cuCtxEnablePeerAccess, result);
}

ma_status ma_cuda_device_peer(ma_device *device, ma_device *of, bool enable, bool *can) {
  ma_cuda_device *d = device->state;
  const ma_cuda_device *other = of->state;
  uint8_t state = __atomic_load_n(&d->peer[of->id], __ATOMIC_ACQUIRE), before = state;
  *can = false;
  if (state == UNKNOWN) MA_TRY(find_out(d, other, &state));
  if (state == CAN && enable) {
    MA_TRY(enable_access(device, other));
    state = ENABLED;
  }
  if (state != before) __atomic_store_n(&d->peer[of->id], state, __ATOMIC_RELEASE);
  *can = state >= CAN;
  return MA_OK;
}

void ma_cuda_peer_forget(const ma_device *device) {
  ma_cuda_device *d = device->state;
  for (int id = 0; id < MA_CUDA_MAX_DEVICES; id++)
    if (d->peer[id] == ENABLED) d->peer[id] = CAN;
}

/* Copies over the link between the two GPUs, or without peer access through the host. If neither works, the error
** says why. */
ma_status ma_cuda_memory_copy_between(ma_stream *stream, ma_device *device, void *to, ma_device *origin,
                                      const void *from, size_t nbytes) {
  const ma_cuda_device *d = device->state, *o = origin->state;
  bool can;
  if (nbytes == 0) return MA_OK;
  MA_TRY(ma_inject(MA_INJECT_COPY, "a copy between GPUs"));
  ma_cuda_device_peer(stream->device, stream->device == device ? origin : device, true, &can);
  MA_TRY(ma_cuda_enter(stream->device));
  MA_CU(cuMemcpyPeerAsync, (CUdeviceptr)(uintptr_t)to, d->context, (CUdeviceptr)(uintptr_t)from, o->context, nbytes,
        ma_cuda_queue(stream));
  return MA_OK;
}
