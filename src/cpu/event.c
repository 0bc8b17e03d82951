/* event.c: events of the CPU. Work is done when a call returns, so an event is a time of the clock. */
#include "memory/wait.h"
#include "cpu/cpu.h"
#include "memory/graph.h"

#include <stdlib.h>
#include <time.h>

ma_status ma_cpu_event_create(ma_device *device, uint32_t flags, void **event) {
  *event = calloc(1, sizeof(struct timespec));
  return *event ? MA_OK : ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for an event");
}

void ma_cpu_event_free(ma_device *device, void *event) { free(event); }

ma_status ma_cpu_event_record(ma_stream *stream, void *event) {
  MA_TRY(ma_capture_refuse(stream));
  clock_gettime(CLOCK_MONOTONIC, event);
  return MA_OK;
}

ma_status ma_cpu_event_elapsed(ma_device *device, void *start, void *end, double *milliseconds) {
  MA_TRY(ma_wait_check(true));
  const struct timespec *a = start, *b = end;
  *milliseconds = (double)(b->tv_sec - a->tv_sec) * 1e3 + (double)(b->tv_nsec - a->tv_nsec) * 1e-6;
  return MA_OK;
}

ma_status ma_cpu_event_synchronize(ma_device *device, void *event) { return ma_wait_check(true); }

ma_status ma_cpu_event_wait(ma_stream *stream, void *event) { return MA_OK; }

ma_status ma_cpu_event_done(ma_device *device, void *event, bool *done) {
  *done = true;
  return MA_OK;
}
