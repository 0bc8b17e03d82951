/* reset.c: a device is made usable again after a kernel that faulted; what its memory held is lost. */
#include "base/fork.h"
#include "memory/graph.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one reset at a time */
MA_FORK_GUARD(lock, MA_FORK_DEVICE)

ma_status ma_device_reset(ma_device *device) {
  if (!device->backend->device.reset) /* the CPU: its own work cannot break it */
    return MA_OK;
  ma_capture_drop_device(device, "its device was reset");
  pthread_mutex_lock(&lock);
  ma_status status = device->backend->device.reset(device);
  if (status == MA_OK) {
    __atomic_add_fetch(&device->generation, 1, __ATOMIC_ACQ_REL);
    ma_pool_forget(device);
    ma_buffer_lose_wrapped(device);
    status = ma_stream_renew_all(device);
  }
  pthread_mutex_unlock(&lock);
  return status;
}
