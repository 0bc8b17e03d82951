/*
** device.c: devices and their contexts.
**
** The primary context is retained and never released: at exit the driver may be gone before the last finaliser runs.
*/
#include "cuda/driver/worker.h"
#include "memory/graph.h"
#include "base/owner.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Contexts ---- */

static bool forked; /* true in the child of a process that had used the driver, which does not work over a fork */
static void note_fork(void) {
  forked = true;
  /* Stops deferral, so that the operator itself fails, and not a later reader of its result. */
  __atomic_add_fetch(&ma_uses_watched, 1, __ATOMIC_RELAXED);
}
static void watch_forks(void) { pthread_atfork(NULL, NULL, note_fork); }

/* Opens and initialises the driver. */
static ma_status need_driver(bool *quiet) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  MA_TRY(ma_cuda_need_driver(quiet));
  pthread_once(&once, watch_forks);
  return MA_OK;
}

static ma_status fail_forked(void) {
  return ma_fail(MA_ERR_DEVICE,
                 "this process was forked from one that used the GPU; CUDA must be used first after the fork");
}

ma_status ma_cuda_check_fork(void) { return forked ? fail_forked() : MA_OK; }

ma_status ma_cuda_enter(const ma_device *device) {
  const ma_cuda_device *d = device->state;
  CUcontext current = NULL;
  if (__builtin_expect(forked, 0)) return fail_forked();
  if (__builtin_expect(__atomic_load_n(&d->lost, __ATOMIC_ACQUIRE), 0)) return ma_fail(MA_ERR_DEVICE, "%s", d->why);
  MA_CU(cuCtxGetCurrent, &current);
  if (current != d->context) MA_CU(cuCtxSetCurrent, d->context);
  return MA_OK;
}

static int usable_devices(void) {
  int count = 0;
  bool quiet = false;
  ma_status status = need_driver(&quiet);
  if (status == MA_OK) {
    CUresult result = ma_cu.cuDeviceGetCount(&count);
    if (result != CUDA_SUCCESS) status = ma_cuda_fail(MA_CU_cuDeviceGetCount, result);
    quiet = result == CUDA_SUCCESS && count == 0;
    if (quiet) status = ma_fail(MA_ERR_DEVICE, "the driver finds no CUDA device");
  }
  if (status == MA_OK) return count;
  if (!quiet) fprintf(stderr, "moonarray: the GPU cannot be used: %s\n", ma_message());
  return 0;
}

int ma_cuda_device_count(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static int known = -1;
  static char why[512];
  if (forked) {
    fail_forked();
    return 0;
  }
  pthread_mutex_lock(&lock);
  if (known < 0) {
    known = usable_devices();
    if (known == 0) snprintf(why, sizeof why, "%s", ma_message());
  }
  pthread_mutex_unlock(&lock);
  if (known == 0) ma_fail(MA_ERR_DEVICE, "%s", why);
  return known;
}

static ma_status read_attributes(ma_cuda_device *d, int id) {
  int major, minor;
  MA_CU(cuDeviceGet, &d->ordinal, id);
  const struct {
    int *value;
    CUdevice_attribute which;
  } wanted[] = { { &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR },
                 { &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR },
                 { &d->sm_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT },
                 { &d->max_threads_per_sm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR },
                 { &d->max_shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN },
                 { &d->cache_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE } };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    MA_CU(cuDeviceGetAttribute, wanted[i].value, wanted[i].which, d->ordinal);
  d->arch = major * 10 + minor;
  return MA_OK;
}

ma_status ma_cuda_device_ready(int id) {
  ma_cuda_device card;
  if (ma_cuda_find_nvrtc() == MA_OK) return MA_OK;
  MA_TRY(need_driver(NULL));
  MA_TRY(read_attributes(&card, id));
  return ma_cuda_has_image(card.arch) ? MA_OK : ma_cuda_need_compiler(NULL, card.arch);
}

/* Allocates all records. When it returns, kernels on any stream may use them. */
static ma_status make_fault_record(ma_cuda_device *d) {
  ma_cuda_fault_entry record[MA_OWNERS];
  MA_CU(cuMemHostAlloc, (void **)&d->report, MA_OWNERS * sizeof *d->report,
        MA_CUDA_HOST_PORTABLE | MA_CUDA_HOST_MAPPED);
  memset(d->report, 0, MA_OWNERS * sizeof *d->report);
  for (int k = 0; k < MA_OWNERS; k++) record[k] = (ma_cuda_fault_entry){ .report = &d->report[k] };
  MA_CU(cuMemAlloc, &d->fault, sizeof record);
  MA_CU(cuMemcpyHtoDAsync, d->fault, record, sizeof record, NULL);
  MA_CU(cuStreamSynchronize, NULL);
  return MA_OK;
}

ma_status ma_cuda_start(ma_cuda_device *d, int id) {
  MA_TRY(read_attributes(d, id));
  MA_CU(cuDevicePrimaryCtxRetain, &d->context, d->ordinal);
  MA_CU(cuCtxSetCurrent, d->context);
  return make_fault_record(d);
}

ma_status ma_cuda_device_open(ma_device *device) {
  if (forked) return fail_forked();
  MA_TRY(need_driver(NULL));
  ma_cuda_device *d = calloc(1, sizeof *d);
  if (!d) return ma_fail(MA_ERR_MEMORY, "out of memory for the state of %s", device->name);
  ma_status status = ma_cuda_start(d, device->id);
  if (status != MA_OK) {
    free(d);
    return status;
  }
  device->state = d;
  ma_door_set(MA_DOOR_BARE, ma_cuda_find_nvrtc() != MA_OK);
  ma_cuda_register(device);
  if (ma_config_int(MA_CONFIG_DEBUG) >= 1)
    fprintf(stderr, "moonarray: %s: compute capability %d.%d, %d multiprocessors\n", device->name, d->arch / 10,
            d->arch % 10, d->sm_count);
  return MA_OK;
}

ma_status ma_cuda_info_describe(ma_device *device, size_t *free_bytes, size_t *total_bytes, char *description,
                                size_t size) {
  MA_TRY(ma_cuda_enter(device));
  MA_CU(cuMemGetInfo, free_bytes, total_bytes);
  if (description && size) MA_CU(cuDeviceGetName, description, (int)size, ((ma_cuda_device *)device->state)->ordinal);
  return MA_OK;
}

static const struct {
  const char *name;
  CUdevice_attribute which;
} attributes[] = {
#define ATTRIBUTE(name, driver, value) { #name, value },
#include "cuda/driver/attributes.def"
};

bool ma_cuda_info_attribute(ma_device *device, int k, const char **name, int64_t *value) {
  const ma_cuda_device *d = device->state;
  int got = -1;
  if (k >= (int)(sizeof attributes / sizeof *attributes)) return false;
  if (ma_cu.cuDeviceGetAttribute(&got, attributes[k].which, d->ordinal) != CUDA_SUCCESS) got = -1;
  *name = attributes[k].name;
  *value = got;
  return true;
}

ma_status ma_cuda_info_pci_bus_id(ma_device *device, char *text, size_t size) {
  MA_CU(cuDeviceGetPCIBusId, text, (int)size, ((ma_cuda_device *)device->state)->ordinal);
  return MA_OK;
}

/* Most drivers have no LUID: an error of that call says no more. */
ma_status ma_cuda_info_identity(ma_device *device, ma_identity *identity) {
  const ma_cuda_device *d = device->state;
  unsigned nodes;
  CUuuid uuid;
  *identity = (ma_identity){ 0 };
  if (ma_cu.cuDeviceGetUuid) {
    MA_CU(cuDeviceGetUuid, &uuid, d->ordinal);
    memcpy(identity->uuid, uuid.bytes, sizeof identity->uuid);
    identity->has_uuid = true;
  }
  identity->has_luid = ma_cu.cuDeviceGetLuid &&
                       ma_cu.cuDeviceGetLuid((char *)identity->luid, &nodes, d->ordinal) == CUDA_SUCCESS;
  return MA_OK;
}

ma_status ma_cuda_info_versions(int *driver, int *compiler) {
  MA_TRY(ma_cuda_need_driver(NULL));
  MA_CU(cuDriverGetVersion, driver);
  *compiler = ma_cuda_need_nvrtc() == MA_OK ? ma_cuda_nvrtc_version() : 0;
  return MA_OK;
}

ma_status ma_cuda_stream_synchronize(ma_stream *stream) {
  if (__atomic_load_n(&stream->capture, __ATOMIC_RELAXED)) return ma_capture_refuse(stream);
  MA_TRY(ma_wait_check(false));
  MA_TRY(ma_cuda_enter(stream->device));
  int64_t began = ma_timeline_begin();
  if (stream->ended) MA_CU(cuEventSynchronize, stream->tail); /* the owner may have destroyed the stream by now */
  else MA_CU(cuStreamSynchronize, ma_cuda_queue(stream));
  ma_timeline_end(MA_TRACK_WAIT, began, "stream", 0);
  ma_cuda_trail_clear(stream->device, stream);
  return MA_OK;
}

ma_status ma_cuda_device_synchronize(ma_device *device) {
  MA_TRY(ma_wait_check(false));
  ma_cuda_send_all(false);
  MA_TRY(ma_cuda_enter(device));
  int64_t began = ma_timeline_begin();
  MA_CU(cuCtxSynchronize);
  ma_timeline_end(MA_TRACK_WAIT, began, "device", 0);
  ma_cuda_trail_clear(device, NULL);
  return MA_OK;
}

ma_status ma_cuda_stream_done(ma_stream *stream, bool *done) {
  if (stream->capture) return ma_capture_refuse(stream);
  MA_TRY(ma_cuda_enter(stream->device));
  /* the owner may have destroyed a stream that has ended */
  CUresult result = stream->ended ? ma_cu.cuEventQuery(stream->tail) : ma_cu.cuStreamQuery(ma_cuda_queue(stream));
  *done = result == CUDA_SUCCESS;
  return *done || result == CUDA_ERROR_NOT_READY
           ? MA_OK
           : ma_cuda_fail(stream->ended ? MA_CU_cuEventQuery : MA_CU_cuStreamQuery, result);
}

ma_status ma_cuda_device_profile(ma_device *device, bool on) {
  MA_TRY(ma_cuda_enter(device));
  if (on && ma_cu.cuProfilerStart) MA_CU(cuProfilerStart);
  if (!on && ma_cu.cuProfilerStop) MA_CU(cuProfilerStop);
  return MA_OK;
}
