/* fault.c: reads the records that kernels fill when a position is out of range. cuda.h has their structs. */
#include "memory/graph.h"
#include "base/owner.h"
#include "cuda/cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define MAX_FUNCTIONS (1 << MA_OWNER_BITS)
static char function_names[MAX_FUNCTIONS][32] = { "a kernel" }; /* names of the numbers in records; never shrinks */
static int nfunction = 1;
static pthread_mutex_t function_lock = PTHREAD_MUTEX_INITIALIZER;
static __thread char current_function[32];
static __thread int current_number; /* number of current_function; 0: not looked up yet */
static __thread uint32_t current_owner;

void ma_cuda_fault_set_function(ma_stream *stream, uint32_t owner, const char *function) {
  current_owner = owner;
  if (strncmp(current_function, function, sizeof current_function - 1) == 0) return;
  snprintf(current_function, sizeof current_function, "%s", function);
  current_number = 0;
}

static int function_number(const char *name) {
  if (!*name) return 0;
  pthread_mutex_lock(&function_lock);
  int k = 1;
  while (k < nfunction && strcmp(function_names[k], name)) k++;
  if (k == nfunction && nfunction < MAX_FUNCTIONS)
    snprintf(function_names[nfunction++], sizeof *function_names, "%s", name);
  pthread_mutex_unlock(&function_lock);
  return k < MAX_FUNCTIONS ? k : 0;
}

CUdeviceptr ma_cuda_fault_of(const ma_cuda_device *d, int32_t *function) {
  if (!current_number) current_number = function_number(current_function);
  *function = (int32_t)(current_owner - MA_OWNER_SLOT(current_owner)) | current_number;
  return d->fault + MA_OWNER_SLOT(current_owner) * sizeof(ma_cuda_fault_entry);
}

void *ma_cuda_fault_record(const ma_stream *stream, int32_t *function) {
  return (void *)(uintptr_t)ma_cuda_fault_of(ma_cuda_state(stream), function);
}

/* Takes a report and clears it. No kernel writes to a report that is ready, and only one thread reads it, under the
** lock. So no later report is cleared unread. */
static ma_status take_report_locked(ma_cuda_device *d, uint32_t slot, ma_stream *stream, ma_cuda_fault_report *report) {
  ma_cuda_fault_report *from = &d->report[slot];
  report->ready = __atomic_load_n(&from->ready, __ATOMIC_ACQUIRE);
  if (!report->ready) return MA_OK;
  *report = *from;
  MA_TRY(ma_cuda_enter(stream->device));
  __atomic_store_n(&from->ready, 0, __ATOMIC_RELEASE);
  CUresult result = ma_cu.cuMemsetD8Async(d->fault + slot * sizeof(ma_cuda_fault_entry), 0, sizeof(int32_t),
                                          stream->ended ? NULL : ma_cuda_queue(stream));
  if (result == CUDA_SUCCESS) return MA_OK;
  __atomic_store_n(&from->ready, 1, __ATOMIC_RELEASE); /* it is still claimed, so this restores the record */
  return ma_cuda_fail(MA_CU_cuMemsetD8Async, result);
}

/* Whether the fault is of this owner. A state that was closed may have had the same record; its faults are dropped. */
static bool is_of(const ma_cuda_fault_report *report, uint32_t owner) {
  return (uint32_t)report->function >> MA_OWNER_BITS == owner >> MA_OWNER_BITS;
}

ma_status ma_cuda_fault_take(ma_stream *stream, uint32_t owner, ma_fault *fault) {
  static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;
  ma_cuda_device *d = ma_cuda_state(stream);
  ma_cuda_fault_report report = { .ready = 0 };
  uint32_t slot = MA_OWNER_SLOT(owner);
  if (__atomic_load_n(&stream->capture, __ATOMIC_RELAXED)) return ma_capture_refuse(stream);
  memset(fault, 0, sizeof *fault);
  MA_TRY(ma_cuda_check_fork()); /* a child has none of the driver's memory */
  MA_TRY(ma_cuda_comm_lost());
  /* a device without a record is one whose reset failed */
  if (!d->report || !__atomic_load_n(&d->report[slot].ready, __ATOMIC_ACQUIRE)) return MA_OK;
  pthread_mutex_lock(&reading);
  ma_status status = take_report_locked(d, slot, stream, &report);
  pthread_mutex_unlock(&reading);
  if (status != MA_OK || !report.ready || !is_of(&report, owner)) return status;
  fault->set = true;
  fault->position = report.position;
  fault->extent = report.extent;
  fault->axis = report.axis;
  fault->line = report.line;
  memcpy(fault->function, function_names[report.function & (MAX_FUNCTIONS - 1)], sizeof fault->function);
  return MA_OK;
}
