/*
** backend.c: the CPU as a backend. One device, plain memory, and streams that are always idle, since every call
** computes before it returns.
*/
#include "backends.h"
#include "base/inject.h"
#include "cpu/cpu.h"
#include "cpu/submit.h"
#include "cpu/kernel/fiber.h"
#include "system/system.h"
#include "memory/graph.h"
#include "tuning.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Large blocks ask for large pages. A walk across rows touches one page for each element, which is more than the
** processor's table of small pages holds. */
#define HUGE_PAGE ((size_t)2 << 20)

int ma_cpu_device_count(void) { return 1; }

ma_status ma_cpu_device_open(ma_device *device) {
  device->state = NULL;
  return MA_OK;
}

ma_status ma_cpu_memory_alloc(ma_device *device, size_t nbytes, void **ptr) {
  bool huge = nbytes >= TUNE_HUGE_BYTES;
  if (nbytes == 0) nbytes = 1;
  if (posix_memalign(ptr, huge ? HUGE_PAGE : MA_ALIGN, nbytes) != 0) {
    *ptr = NULL;
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes on the CPU", nbytes);
  }
#ifdef MADV_HUGEPAGE
  if (huge) madvise(*ptr, nbytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
  return MA_OK;
}

void ma_cpu_memory_free(ma_device *device, void *ptr) { free(ptr); }

typedef struct copy_job {
  void *to;
  const void *from;
  size_t nbytes;
} copy_job;

static ma_status run_copy(ma_stream *stream, const void *job) {
  const copy_job *j = job;
  MA_TRY(ma_inject(MA_INJECT_COPY, "a copy"));
  ma_move_bytes(j->to, j->from, j->nbytes);
  return MA_OK;
}

static int64_t bytes_copy(const void *job) { return 2 * (int64_t)((const copy_job *)job)->nbytes; }

/* Copies. If the bytes are the host's, a graph keeps them as a constant, and copies them within the device. */
ma_status ma_cpu_memory_copy(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind) {
  static const ma_task within = { .name = "copy bytes", .run = run_copy, .bytes = bytes_copy };
  static const ma_task to_host = { .name = "copy bytes", .run = run_copy, .bytes = bytes_copy, .refused = "" };
  if (__builtin_expect(stream->capture && kind == MA_COPY_TO_DEVICE, 0))
    return ma_capture_constant(stream, to, from, nbytes);
  return ma_cpu_submit(stream, kind == MA_COPY_TO_HOST ? &to_host : &within, &(copy_job){ to, from, nbytes },
                       sizeof(copy_job));
}

static ma_status run_nothing(ma_stream *stream, const void *job) { return MA_OK; }

ma_status ma_cpu_stream_nothing(ma_stream *stream) {
  static const ma_task task = { .name = "nothing", .run = run_nothing };
  return ma_cpu_submit(stream, &task, "", 1);
}

ma_status ma_cpu_info_describe(ma_device *device, size_t *free_bytes, size_t *total_bytes, char *description,
                               size_t size) {
  long page = sysconf(_SC_PAGESIZE), total = sysconf(_SC_PHYS_PAGES), available = -1;
#ifdef _SC_AVPHYS_PAGES
  available = sysconf(_SC_AVPHYS_PAGES);
#endif
  *total_bytes = total > 0 ? (size_t)total * (size_t)page : 0;
  *free_bytes = available > 0 ? (size_t)available * (size_t)page : 0;
  uint64_t features;
  if (size > 0) ma_system_processor(description, size, &features);
  return MA_OK;
}

/* The names are those of a GPU's attributes where the CPU has the same thing, so that code which sizes its work by them
** runs here. */
bool ma_cpu_info_attribute(ma_device *device, int k, const char **name, int64_t *value) {
  static const struct {
    const char *name;
    int which, fixed;
  } attributes[] = {
    /* which -1: `fixed` */
    { "MultiProcessorCount", _SC_NPROCESSORS_ONLN, 0 },
    { "MaxThreadsPerBlock", -1, MA_CPU_BLOCK_THREADS },
    { "MaxBlockDimX", -1, 1024 },
    { "MaxBlockDimY", -1, 1024 },
    { "MaxBlockDimZ", -1, 64 },
    { "MaxThreadsPerMultiProcessor", -1, MA_CPU_BLOCK_THREADS },
    { "WarpSize", -1, 32 },
    { "MaxSharedMemoryPerBlock", -1, 48 << 10 },
    { "UnifiedAddressing", -1, 1 },
    { "Integrated", -1, 1 },
    { "ConcurrentKernels", -1, 0 },
#ifdef _SC_LEVEL1_DCACHE_SIZE
    { "L1CacheSize", _SC_LEVEL1_DCACHE_SIZE, 0 },
    { "L2CacheSize", _SC_LEVEL2_CACHE_SIZE, 0 },
    { "L3CacheSize", _SC_LEVEL3_CACHE_SIZE, 0 },
    { "CacheLineSize", _SC_LEVEL1_DCACHE_LINESIZE, 0 },
#endif
    { "PageSize", _SC_PAGESIZE, 0 },
  };
  if (k >= (int)(sizeof attributes / sizeof *attributes)) return false;
  *name = attributes[k].name;
  *value = attributes[k].which < 0 ? attributes[k].fixed : sysconf(attributes[k].which);
  return true;
}

ma_status ma_cpu_device_synchronize(ma_device *device) { return MA_OK; }

ma_status ma_cpu_stream_synchronize(ma_stream *stream) { return ma_capture_refuse(stream); }

ma_status ma_cpu_stream_done(ma_stream *stream, bool *done) {
  *done = true;
  return ma_capture_refuse(stream);
}

/* What is for other backends is 0. */
#define ALL(slot) slot
#define HOST(slot) slot
#define DEVICE(slot) 0
const ma_backend ma_cpu_backend = {
  .name = "cpu", .is_host = true,
/* clang-format off */
#define SLOTS(group) .group = {
#define SLOT(group, who, result, slot, parameters) .slot = who(ma_cpu_##group##_##slot),
#define SLOT_DATA(group, who, type, slot) .slot = who(ma_cpu_##group##_##slot),
#define SLOT_FLAG(group, who, flag) .flag = who(true),
#define END_SLOTS(group) },
#include "backend/slots.def"
  /* clang-format on */
};
