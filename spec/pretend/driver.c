/*
** driver.c: a pretended libcuda.so.1, beside a pretended libnvrtc.so.13 (nvrtc.c), so that the CUDA backend's own code
** and the kernels' texts run where there is no GPU: device memory is host memory, a kernel is compiled by the machine's
** C++ compiler, and its threads run one after the other. It finds wrong indices, wrong parameters and wrong results; it
** says nothing of speed, races or what only a GPU refuses.
**
**   make test-pretend
**
** PRETEND_DEVICES=N shows N of them, PRETEND_PEERS=0 without access to each other's memory. PRETEND_FAULT=N makes the
** Nth wait after a kernel answer CUDA_ERROR_ILLEGAL_ADDRESS, and every call after it, until the device is reset; with
** PRETEND_REVIVE=0 a reset does not help, as with most real drivers. Using what belongs to one device's context, or to
** a context that was reset, in another is an error, as it is to the driver. PRETEND_UNITS, PRETEND_THREADS and
** PRETEND_KIB are figures of the card: multiprocessors, threads of each, kibibytes of caches and of shared memory. With
** PRETEND_IDLE=1 nothing is compiled, kernels do nothing, and memory begins as zeros: a program runs in a moment, with
** results that mean nothing, to record which kernels it asks for (scripts/kernels). PRETEND_DELAY=N and
** PRETEND_DELAY_MS=N make work seem to take time (delay.c); then a look that finds work done counts as a wait of
** PRETEND_FAULT. With PRETEND_LATE=1 nvrtc.c makes PTX of a kernel's text as it is, which is compiled here when a
** program asks for the kernel.
*/
#include "cuda/cuda.h"
#include "delay.h"
#include "external.h"
#include "graph.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define PASS(name, parameters) EXPORT CUresult name parameters

#define MOST_DEVICES 16
struct CUctx_st {
  int device, generation, sick, launched;
  long long end; /* of the null stream's work */
};
struct CUstream_st {
  struct CUctx_st *context;
  int generation;
  struct CUgraph_st *records;
  unsigned flags;
  int priority;
  long long end; /* of its work */
};
struct CUevent_st {
  struct CUctx_st *context;
  int generation;
  long long end; /* of the work before it */
  double at;     /* ms: when it was recorded, and kernels had run */
};
static struct CUctx_st contexts[MOST_DEVICES];
static __thread CUcontext now;

static int from_environment(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text && *text ? atoi(text) : otherwise;
}

/* The Nth wait after a kernel finds that it went wrong. */
static CUresult wait_here(void) {
  static int waits;
  if (now && now->launched && ++waits == from_environment("PRETEND_FAULT", 0)) now->sick = 1;
  return now && now->sick ? CUDA_ERROR_ILLEGAL_ADDRESS : 0;
}

/* Is the context well, and does the stream (NULL: its own) or event belong to it as it is now? */
static CUresult check_now(const struct CUctx_st *context, int generation) {
  if (!now) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (now->sick) return CUDA_ERROR_ILLEGAL_ADDRESS;
  return context == now && generation == now->generation ? 0 : CUDA_ERROR_INVALID_VALUE;
}
static CUresult check_stream(CUstream s) {
  return s ? check_now(s->context, s->generation) : check_now(now, now ? now->generation : 0);
}
/* The end of a stream's work, and work that is added to it. */
static long long *end_of(CUstream s) { return s ? &s->end : &now->end; }
static long long add_work(CUstream s) { return *end_of(s) = delay_end(*end_of(s)); }

/* Whether work is done, as an answer of the driver. */
static CUresult look(long long end) {
  if (!delay_look(end)) return CUDA_ERROR_NOT_READY;
  return delay_is_on() ? wait_here() : 0;
}
#define WELL(s)                       \
  do {                                \
    CUresult well_ = check_stream(s); \
    if (well_) return well_;          \
  } while (0)

/* ---- Graphs: a stream that records queues what it is given ---- */

#define NOT_NOW 900 /* CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED */
#define INVALIDATED 901
static int nrecording;
static bool spoiled; /* somebody waited for the whole context meanwhile, as the real driver does not allow */
#define IDLE(s)                              \
  do {                                       \
    WELL(s);                                 \
    if ((s) && (s)->records) return NOT_NOW; \
  } while (0)
/* For nccl.c: what a recording has to call in each launch of its graph, and once when the graph goes. False: the stream
** does not record. */
__attribute__((visibility("default"))) bool pretend_record(CUstream s, void (*call)(void *), void (*drop)(void *),
                                                           void *data);
bool pretend_record(CUstream s, void (*call)(void *), void (*drop)(void *), void *data) {
  return s && s->records && pretend_queue(s->records, (work){ .call = call, .drop = drop, .data = data }) == 0;
}
PASS(cuStreamBeginCapture_v2, (CUstream s, CUstreamCaptureMode mode))
{
  WELL(s);
  if (!s || s->records) return NOT_NOW;
  s->records = pretend_graph();
  __atomic_fetch_add(&nrecording, 1, __ATOMIC_RELAXED);
  return 0;
}
PASS(cuStreamEndCapture, (CUstream s, CUgraph *graph))
{
  *graph = s->records;
  s->records = NULL;
  if (!*graph) return NOT_NOW;
  __atomic_fetch_sub(&nrecording, 1, __ATOMIC_RELAXED);
  return __atomic_exchange_n(&spoiled, false, __ATOMIC_RELAXED) ? INVALIDATED : 0;
}
PASS(cuGraphUpload, (CUgraphExec exec, CUstream s))
{
  WELL(s);
  return s && s->records ? NOT_NOW : 0;
}
PASS(cuGraphLaunch, (CUgraphExec exec, CUstream s))
{
  WELL(s);
  if (s && s->records) return NOT_NOW;
  add_work(s);
  pretend_run((CUgraph)exec);
  return 0;
}

/* ---- Devices, memory, order: all at once ---- */

PASS(cuInit, (unsigned flags))
{ return 0; }
PASS(cuDriverGetVersion, (int *version))
{
  *version = 13000;
  return 0;
}
PASS(cuGetErrorName, (CUresult error, const char **name))
{
  *name = error == 2                            ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                                : "CUDA_ERROR_PRETENDED";
  return 0;
}
PASS(cuGetErrorString, (CUresult error, const char **text))
{
  *text = "pretended";
  return 0;
}
PASS(cuDeviceGetCount, (int *count))
{
  int n = from_environment("PRETEND_DEVICES", 1);
  *count = n < 1 ? 1 : n > MOST_DEVICES ? MOST_DEVICES : n;
  return 0;
}
PASS(cuDeviceGet, (CUdevice * device, int ordinal))
{
  *device = ordinal;
  return 0;
}
PASS(cuDeviceGetName, (char *name, int size, CUdevice device))
{
  snprintf(name, (size_t)size, "a pretended GPU");
  return 0;
}
PASS(cuDeviceGetAttribute, (int *value, CUdevice_attribute which, CUdevice device))
{
  *value = which == 1                                                    ? 1024
           : which == 10                                                 ? 32
           : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR       ? 9
           : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR       ? 9
           : which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT           ? from_environment("PRETEND_UNITS", 4)
           : which == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR ? from_environment("PRETEND_THREADS", 2048)
                                                                         : from_environment("PRETEND_KIB", 227) << 10;
  return 0;
}
PASS(cuDeviceGetPCIBusId, (char *text, int size, CUdevice device))
{
  snprintf(text, (size_t)size, "0000:%02x:00.0", device + 1);
  return 0;
}
PASS(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice of))
{
  *can = device != of && from_environment("PRETEND_PEERS", 1);
  return 0;
}
PASS(cuDevicePrimaryCtxRetain, (CUcontext * c, CUdevice device))
{
  contexts[device].device = device;
  *c = &contexts[device];
  return 0;
}
PASS(cuDevicePrimaryCtxRelease_v2, (CUdevice device))
{ return 0; }
PASS(cuDevicePrimaryCtxReset_v2, (CUdevice device))
{
  contexts[device].sick &= !from_environment("PRETEND_REVIVE", 1);
  contexts[device].generation++;
  return 0;
}
PASS(cuCtxSynchronize, (void))
{
  if (__atomic_load_n(&nrecording, __ATOMIC_RELAXED) > 0) {
    __atomic_store_n(&spoiled, true, __ATOMIC_RELAXED);
    return NOT_NOW;
  }
  delay_wait_all();
  return now ? wait_here() : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}
PASS(cuCtxEnablePeerAccess, (CUcontext of, unsigned flags))
{ return now && of != now ? 0 : CUDA_ERROR_INVALID_VALUE; }
PASS(cuCtxGetCurrent, (CUcontext * c))
{
  *c = now;
  return 0;
}
PASS(cuCtxSetCurrent, (CUcontext c))
{
  now = c;
  return 0;
}
/* Device memory that there is, so that an address can be asked about. */
static struct {
  char *ptr;
  size_t nbytes;
  CUcontext context;
} blocks[4096];
static pthread_mutex_t block_lock = PTHREAD_MUTEX_INITIALIZER;

static void note_block(const void *old, void *ptr, size_t nbytes) {
  pthread_mutex_lock(&block_lock);
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
    if (blocks[k].ptr != old) continue;
    blocks[k].ptr = ptr;
    blocks[k].nbytes = nbytes;
    blocks[k].context = now;
    break;
  }
  pthread_mutex_unlock(&block_lock);
}

#define TOTAL ((size_t)4 << 30)
PASS(cuMemGetInfo_v2, (size_t * free_bytes, size_t *total_bytes))
{
  size_t used = 0;
  pthread_mutex_lock(&block_lock);
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
    used += blocks[k].ptr && blocks[k].context == now ? blocks[k].nbytes : 0;
  pthread_mutex_unlock(&block_lock);
  *free_bytes = used < TOTAL ? TOTAL - used : 0;
  *total_bytes = TOTAL;
  return 0;
}

static bool find_block(CUdeviceptr p, CUdeviceptr *start, size_t *nbytes, CUcontext *of) {
  bool found = false;
  pthread_mutex_lock(&block_lock);
  for (size_t k = 0; !found && k < sizeof blocks / sizeof *blocks; k++) {
    *start = (CUdeviceptr)(uintptr_t)blocks[k].ptr;
    *nbytes = blocks[k].nbytes;
    *of = blocks[k].context;
    found = *start && p >= *start && p - *start < *nbytes;
  }
  pthread_mutex_unlock(&block_lock);
  return found;
}

PASS(cuMemAlloc_v2, (CUdeviceptr * ptr, size_t nbytes))
{
  void *p = NULL;
  WELL(NULL);
  if (nbytes > (size_t)4 << 30 || posix_memalign(&p, 512, nbytes ? nbytes : 1)) return CUDA_ERROR_OUT_OF_MEMORY;
  memset(p, from_environment("PRETEND_IDLE", 0) ? 0 : 0xcd, nbytes); /* nothing may count on zeros */
  note_block(NULL, p, nbytes);
  *ptr = (CUdeviceptr)(uintptr_t)p;
  return 0;
}
PASS(cuMemFree_v2, (CUdeviceptr ptr))
{
  note_block((void *)(uintptr_t)ptr, NULL, 0);
  if (!external_unmap((void *)(uintptr_t)ptr)) free((void *)(uintptr_t)ptr);
  return 0;
}
PASS(cuMemAllocManaged, (CUdeviceptr * ptr, size_t nbytes, unsigned flags))
{ return cuMemAlloc_v2(ptr, nbytes); }
PASS(cuMemHostAlloc, (void **ptr, size_t nbytes, unsigned flags))
{
  *ptr = from_environment("PRETEND_IDLE", 0) ? calloc(1, nbytes) : malloc(nbytes);
  return *ptr ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}
PASS(cuMemFreeHost, (void *ptr))
{
  delay_wait_all();
  free(ptr);
  return 0;
}
/* Pinned memory: what is registered. */
static struct {
  char *ptr;
  size_t nbytes;
} pinned[64];
PASS(cuMemHostRegister_v2, (void *ptr, size_t nbytes, unsigned flags))
{
  int i = 0;
  while (i < 64 && pinned[i].ptr) i++;
  if (i == 64) return CUDA_ERROR_OUT_OF_MEMORY;
  pinned[i].ptr = ptr;
  pinned[i].nbytes = nbytes;
  return 0;
}
PASS(cuMemHostUnregister, (void *ptr))
{
  delay_wait_all();
  for (int i = 0; i < 64; i++)
    if (pinned[i].ptr == ptr) {
      pinned[i].ptr = NULL;
      return 0;
    }
  return CUDA_ERROR_INVALID_VALUE;
}
PASS(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t n, CUstream s))
{
  IDLE(s);
  add_work(s);
  memcpy((void *)(uintptr_t)to, from, n);
  return 0;
}
PASS(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t n, CUstream s))
{
  IDLE(s);
  delay_copy(to, (void *)(uintptr_t)from, n, add_work(s));
  return 0;
}
PASS(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s))
{
  WELL(s);
  if (s && s->records) return pretend_queue(s->records, (work){ .to = to, .from = from, .n = n });
  add_work(s);
  memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, n);
  return 0;
}
PASS(cuMemcpyPeerAsync, (CUdeviceptr to, CUcontext device, CUdeviceptr from, CUcontext origin, size_t n, CUstream s))
{
  IDLE(s);
  if (device == origin || (now != device && now != origin)) return CUDA_ERROR_INVALID_VALUE;
  add_work(s);
  memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, n);
  return 0;
}
PASS(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t n))
{
  WELL(NULL);
  delay_wait(now->end);
  memcpy(to, (void *)(uintptr_t)from, n);
  return 0;
}
static CUresult fill_on(CUstream s, CUdeviceptr to, unsigned value, unsigned bytes, size_t n) {
  work w = { .to = to, .value = value, .bytes = bytes, .n = n };
  WELL(s);
  if (to % bytes) return CUDA_ERROR_INVALID_VALUE;
  if (s && s->records) return pretend_queue(s->records, w);
  add_work(s);
  pretend_fill(&w);
  return 0;
}
PASS(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t n, CUstream s))
{ return fill_on(s, to, value, 1, n); }
PASS(cuMemsetD16Async, (CUdeviceptr to, unsigned short value, size_t n, CUstream s))
{ return fill_on(s, to, value, 2, n); }
PASS(cuMemsetD32Async, (CUdeviceptr to, unsigned value, size_t n, CUstream s))
{ return fill_on(s, to, value, 4, n); }
PASS(cuPointerGetAttribute, (void *value, CUpointer_attribute which, CUdeviceptr ptr))
{
  char *p = (char *)(uintptr_t)ptr;
  for (int i = 0; i < 64; i++)
    if (pinned[i].ptr && p >= pinned[i].ptr && p < pinned[i].ptr + pinned[i].nbytes) {
      *(unsigned *)value = which == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ? CU_MEMORYTYPE_HOST : 0;
      return 0;
    }
  CUdeviceptr start;
  size_t nbytes;
  CUcontext of;
  if (!find_block(ptr, &start, &nbytes, &of)) return CUDA_ERROR_INVALID_VALUE;
  if (which == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) *(unsigned *)value = CU_MEMORYTYPE_DEVICE;
  else if (which == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) *(int *)value = of->device;
  else if (which == CU_POINTER_ATTRIBUTE_IS_MANAGED) *(int *)value = 0;
  else if (which == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) *(CUdeviceptr *)value = start;
  else if (which == CU_POINTER_ATTRIBUTE_RANGE_SIZE) *(size_t *)value = nbytes;
  else return CUDA_ERROR_INVALID_VALUE;
  return 0;
}
PASS(cuStreamSynchronize, (CUstream s))
{
  IDLE(s);
  delay_wait(*end_of(s));
  return wait_here();
}
PASS(cuStreamQuery, (CUstream s))
{
  IDLE(s);
  return look(*end_of(s));
}
PASS(cuStreamCreateWithPriority, (CUstream * s, unsigned flags, int priority))
{
  WELL(NULL);
  *s = malloc(sizeof **s);
  **s = (struct CUstream_st){ now, now->generation, NULL, flags, priority, 0 };
  return 0;
}
PASS(cuStreamWaitEvent, (CUstream s, CUevent event, unsigned flags))
{
  IDLE(s);
  if (*end_of(s) < event->end) *end_of(s) = event->end;
  return event->generation == event->context->generation ? 0 : CUDA_ERROR_INVALID_VALUE;
}
PASS(cuStreamGetPriority, (CUstream s, int *priority))
{
  *priority = s->priority;
  return 0;
}
PASS(cuStreamGetFlags, (CUstream s, unsigned *flags))
{
  *flags = s->flags;
  return 0;
}
PASS(cuStreamGetCtx, (CUstream s, CUcontext *c))
{
  *c = s ? s->context : now;
  return 0;
}
PASS(cuCtxGetStreamPriorityRange, (int *least, int *greatest))
{
  *least = 0;
  *greatest = -5;
  return 0;
}
PASS(cuEventCreate, (CUevent * event, unsigned flags))
{
  WELL(NULL);
  *event = malloc(sizeof **event);
  **event = (struct CUevent_st){ now, now->generation, 0, 0 };
  return 0;
}
PASS(cuEventDestroy_v2, (CUevent event))
{
  free(event);
  return 0;
}
EXPORT long pretend_event_records; /* for specs */
PASS(cuEventRecord, (CUevent event, CUstream s))
{
  pretend_event_records++;
  IDLE(s);
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  event->end = *end_of(s);
  event->at = (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
  return check_now(event->context, event->generation);
}
PASS(cuEventQuery, (CUevent event))
{
  CUresult result = check_now(event->context, event->generation);
  return result ? result : look(event->end);
}
PASS(cuEventSynchronize, (CUevent event))
{
  CUresult result = check_now(event->context, event->generation);
  delay_wait(event->end);
  return result ? result : wait_here();
}
PASS(cuEventElapsedTime, (float *ms, CUevent start, CUevent end))
{
  *ms = (float)(end->at - start->at);
  return 0;
}

/* ---- Modules: an image is a shared library ---- */

/* All kernels share these, but for what a spec sets last. */
static int attributes[16] = { [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = 1024,
                              [CU_FUNC_ATTRIBUTE_NUM_REGS] = 32,
                              [CU_FUNC_ATTRIBUTE_PTX_VERSION] = 99,
                              [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = 99,
                              [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = 49152,
                              [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = -1 };
PASS(cuFuncGetAttribute, (int *value, CUfunction_attribute which, CUfunction function))
{
  *value = attributes[which];
  return 0;
}
PASS(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute which, int value))
{
  attributes[which] = value;
  return 0;
}
PASS(cuFuncGetParamInfo, (CUfunction function, size_t index, size_t *offset, size_t *size))
{
  size_t sizes[65] = { 0 };
  ((launcher *)(void *)function)(NULL, NULL, (void **)sizes);
  *offset = 0;
  *size = index < 65 ? sizes[index] : 0;
  for (size_t k = 0; k < index && *size; k++) *offset += (sizes[k] + 15) / 16 * 16;
  return *size ? 0 : CUDA_ERROR_INVALID_VALUE;
}
PASS(cuLaunchKernel, (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, CUstream s, void **parameters, void **extra))
{
  unsigned grid[] = { gx, gy, gz }, block[] = { bx, by, bz };
  if (bx * by * bz > 1024) return CUDA_ERROR_INVALID_VALUE;
  WELL(s);
  if (s && s->records) return pretend_queue_launch(s->records, (launcher *)(void *)function, grid, block, parameters);
  now->launched = 1;
  add_work(s);
  pretend_run_now((launcher *)(void *)function, grid, block, parameters);
  return 0;
}

PASS(cuLaunchCooperativeKernel, (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                 unsigned bz, unsigned shared, CUstream s, void **parameters))
{ return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, s, parameters, NULL); }
