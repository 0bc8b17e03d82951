/* reset.c: makes a device usable again after a kernel that faulted (lost.c). What was in its context is lost. */
#include "cuda/cuda.h"

#include <stdio.h>

/* The reset frees the driver's objects. Objects of the library that refer to them are dropped without a call to the
** driver. */
static void forget(ma_device *device) {
  ma_cuda_device *d = device->state;
  ma_cuda_kernels_forget(d);
  ma_cuda_staging_forget(d);
  ma_cuda_peek_forget(d);
  const ma_device *other;
  for (int k = 0; (other = ma_cuda_registered(k)); k++) ma_cuda_peer_forget(other); /* enabling twice is harmless */
  ma_cuda_trail_clear(device, NULL);
  d->report = NULL;
}

/* A reset keeps the retained reference. The context is retained again, to get one without an error. */
static ma_status restart(ma_device *device) {
  ma_cuda_device *d = device->state;
  MA_CU(cuCtxSetCurrent, NULL);
  CUresult result = ma_cu.cuDevicePrimaryCtxReset(d->ordinal);
  ma_cu.cuDevicePrimaryCtxRelease(d->ordinal);
  MA_TRY(ma_cuda_start(d, device->id));
  MA_CU(cuCtxSynchronize);
  if (result != CUDA_SUCCESS)
    ma_trace("mem", "cuDevicePrimaryCtxReset gave error %d; the context works all the same", result);
  return MA_OK;
}

ma_status ma_cuda_device_reset(ma_device *device) {
  ma_cuda_device *d = device->state;
  ma_cuda_send_all(true);
  forget(device);
  ma_cuda_note_reset(true);
  ma_status status = restart(device);
  ma_cuda_note_reset(false);
  if (status == MA_OK) {
    d->cause[0] = 0;
    __atomic_store_n(&d->lost, 0, __ATOMIC_RELEASE);
    return MA_OK;
  }
  snprintf(d->why, sizeof d->why, "device %s: %s%sthe reset was refused: %.200s; the process must be restarted",
           device->name, d->cause, *d->cause ? "; " : "", ma_message());
  __atomic_store_n(&d->lost, 1, __ATOMIC_RELEASE);
  return ma_fail(MA_ERR_DEVICE, "%s", d->why);
}
