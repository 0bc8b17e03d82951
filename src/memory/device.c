/*
** device.c: the devices of the process. They are made at the first use, never at load, and live until the process ends.
*/
#include "base/fork.h"
#include "base/number.h"
#include "memory/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_DEVICE)
static ma_device cpu, gpus[MA_MAX_GPUS];
static bool gpu_open[MA_MAX_GPUS];
static int ngpu = -1;     /* -1: not yet counted */
static char why_not[512]; /* why the default is not a GPU */
static ma_device *chosen;
int ma_doors = MA_DOOR_BARE;
static int nrecording;

static const ma_backend *host_backend, *gpu_backend;

void ma_door_set(ma_door door, bool on) {
  if (on) __atomic_fetch_or(&ma_doors, door, __ATOMIC_RELAXED);
  else __atomic_fetch_and(&ma_doors, ~(int)door, __ATOMIC_RELAXED);
}

void ma_door_record(int by) {
  pthread_mutex_lock(&lock);
  nrecording += by;
  ma_door_set(MA_DOOR_RECORDS, nrecording > 0);
  pthread_mutex_unlock(&lock);
}

void ma_device_set_backends(const ma_backend *host, const ma_backend *gpu) {
  host_backend = host;
  gpu_backend = gpu;
}

const ma_backend *ma_backend_find(const char *name) {
  return !strcmp(name, host_backend->name) ? host_backend : !strcmp(name, gpu_backend->name) ? gpu_backend : NULL;
}

static pthread_once_t cpu_once = PTHREAD_ONCE_INIT;

/* Opens the CPU, which always exists. If its pool cannot be made, `pool` stays NULL, and every allocation fails with
** that reason. */
static void open_cpu(void) {
  cpu.backend = host_backend;
  ma_device_null_stream(&cpu)->device = &cpu;
  memcpy(cpu.name, "cpu", 4);
  if (host_backend->device.open(&cpu) == MA_OK && ma_pool_new(&cpu, &cpu.pool) != MA_OK) cpu.pool = NULL;
}

ma_device *ma_device_cpu(void) {
  pthread_once(&cpu_once, open_cpu);
  return &cpu;
}

static int count_gpus_locked(void) {
  if (ngpu < 0) {
    ma_fail(MA_OK, "no GPU was found");
    ngpu = gpu_backend->device.count();
    if (ngpu > MA_MAX_GPUS) ngpu = MA_MAX_GPUS;
    if (ngpu == 0) snprintf(why_not, sizeof why_not, "%s", ma_message());
  }
  return ngpu;
}

/* Sets the limit of a device's pool by MOONARRAY_GPU_MEMORY_LIMIT: bytes, or a percentage of the device. */
static ma_status limit_pool(ma_device *device) {
  const char *text = ma_config_string(MA_CONFIG_GPU_MEMORY_LIMIT);
  if (!*text) return MA_OK;
  char *end;
  double number = ma_strtod(text, &end);
  bool percentage = *end == '%';
  if (end == text || end[percentage] != '\0' || !(number >= 0 && number <= (percentage ? 100 : 0x1p62)))
    return ma_fail(MA_ERR_VALUE, "%s is \"%s\"; a number of bytes or a percentage up to 100%% is wanted",
                   ma_config_name(MA_CONFIG_GPU_MEMORY_LIMIT), text);
  if (percentage) {
    size_t free_bytes, total;
    char description[128];
    MA_TRY(device->backend->info.describe(device, &free_bytes, &total, description, sizeof description));
    number = number / 100 * (double)total;
  }
  ma_pool_set_limit(device->pool, (size_t)number);
  return MA_OK;
}

static ma_status open_gpu_locked(int id, ma_device **device) {
  int count = count_gpus_locked();
  if (id < 0 || id >= count) {
    if (count == 0) return ma_fail(MA_ERR_DEVICE, "no device cuda:%d; %s", id, why_not);
    return ma_fail(MA_ERR_DEVICE, "no device cuda:%d; devices are cuda:0 to cuda:%d", id, count - 1);
  }
  ma_device *gpu = &gpus[id];
  if (!gpu_open[id]) {
    gpu->backend = gpu_backend;
    gpu->id = id;
    snprintf(gpu->name, sizeof gpu->name, "cuda:%d", id);
    MA_TRY(gpu_backend->device.open(gpu));
    if (!gpu->pool) MA_TRY(ma_pool_new(gpu, &gpu->pool));
    MA_TRY(limit_pool(gpu));
    ma_device_null_stream(gpu)->device = gpu;
    gpu_open[id] = true;
  }
  *device = gpu;
  return MA_OK;
}

static ma_status get_locked(const char *name, ma_device **device) {
  if (!strcmp(name, "cpu")) {
    *device = ma_device_cpu();
    return MA_OK;
  }
  if (!strcmp(name, "cuda")) return open_gpu_locked(0, device);
  char *end;
  if (!strncmp(name, "cuda:", 5) && name[5] >= '0' && name[5] <= '9') {
    long id = strtol(name + 5, &end, 10);
    if (*end == '\0' && id < MA_MAX_GPUS) return open_gpu_locked((int)id, device);
  }
  return ma_fail(MA_ERR_DEVICE, "no device \"%s\"; devices are \"cpu\", \"cuda\" and \"cuda:0\", \"cuda:1\" ...", name);
}

ma_status ma_device_get(const char *name, ma_device **device) {
  pthread_mutex_lock(&lock);
  ma_status status = get_locked(name, device);
  pthread_mutex_unlock(&lock);
  return status;
}

static ma_status choose_locked(void) {
  const char *wanted = ma_config_string(MA_CONFIG_DEVICE);
  if (*wanted) {
    ma_status status = get_locked(wanted, &chosen);
    if (status == MA_OK && chosen == &cpu)
      snprintf(why_not, sizeof why_not, "%s=%s", ma_config_name(MA_CONFIG_DEVICE), wanted);
    return status == MA_OK ? status : ma_fail_prefix(status, "%s=%s: ", ma_config_name(MA_CONFIG_DEVICE), wanted);
  }
  ma_device *gpu;
  if (count_gpus_locked() > 0) {
    if (gpu_backend->device.ready(0) == MA_OK && open_gpu_locked(0, &gpu) == MA_OK) {
      chosen = gpu;
      return MA_OK;
    }
    snprintf(why_not, sizeof why_not, "%s", ma_message());
    fprintf(stderr, "moonarray: the GPU is not used: %s (%s=cpu: none is wanted)\n", why_not,
            ma_config_name(MA_CONFIG_DEVICE));
  }
  chosen = ma_device_cpu();
  return MA_OK;
}

ma_status ma_device_default(ma_device **device) {
  pthread_mutex_lock(&lock);
  ma_status status = MA_OK;
  if (!chosen) {
    bool opened = false;
    status = choose_locked();
    for (int id = 0; id < MA_MAX_GPUS; id++) opened |= gpu_open[id];
    if (!opened) ma_door_set(MA_DOOR_BARE, false);
  }
  *device = chosen;
  pthread_mutex_unlock(&lock);
  return status;
}

int ma_device_count(const char *backend) {
  if (!strcmp(backend, "cpu")) return 1;
  pthread_mutex_lock(&lock);
  int n = count_gpus_locked();
  pthread_mutex_unlock(&lock);
  return n;
}

const char *ma_device_why_not(void) { return why_not; }

bool ma_device_reaches(ma_device *device, ma_device *of) {
  bool can = false;
  if (device == of) return true;
  return device->backend == of->backend && device->backend->device.peer &&
         device->backend->device.peer(device, of, true, &can) == MA_OK && can;
}

ma_status ma_device_apart(const ma_device *device, const ma_device *other) {
  return ma_fail(MA_ERR_DEVICE, "arrays on %s and %s; operands and out must be on one device: x:to(\"%s\") copies one",
                 device->name, other->name, device->name);
}

ma_status ma_device_meet(ma_device *device, ma_device *of) {
  return ma_device_reaches(device, of) ? MA_OK : ma_device_apart(device, of);
}
