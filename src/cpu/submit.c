/* submit.c: records, refuses or runs work; and prints it under MOONARRAY_DEBUG=2, with its name, time and bytes a
** second. */
#include "base/number.h"
#include "cpu/submit.h"
#include "memory/graph.h"

#include <stdio.h>
#include <time.h>

int ma_cpu_watching;

static bool watched(void) {
  int known = __atomic_load_n(&ma_cpu_watching, __ATOMIC_RELAXED);
  if (__builtin_expect(known == 0, 0)) {
    known = ma_config_int(MA_CONFIG_DEBUG) >= 2 ? 2 : 1; /* every thread would write the same value */
    __atomic_store_n(&ma_cpu_watching, known, __ATOMIC_RELAXED);
  }
  return known == 2;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Prints a line. Its columns are those of the GPU's lines (src/cuda/driver/launch.c); where those have the grid, these
** have "cpu". */
static void report(const char *name, double ms, int64_t nbytes) {
  char speed[32] = "";
  if (nbytes > 0 && ms > 0) ma_print(speed, sizeof speed, " %8.1f GB/s", (double)nbytes / ms * 1e-6);
  ma_print_error("moonarray: %-24s %15s %10.4f ms%s\n", name, "cpu", ms, speed);
}

ma_status ma_cpu_run(ma_stream *stream, const ma_task *task, const void *job) {
  if (!watched()) return task->run(stream, job);
  double began = now();
  ma_status status = task->run(stream, job);
  double ms = now() - began;
  report(task->name_of ? task->name_of(job) : task->name, ms, status == MA_OK && task->bytes ? task->bytes(job) : 0);
  return status;
}

ma_status ma_cpu_submit_slowly(ma_stream *stream, const ma_task *task, const void *job, size_t size) {
  if (!stream->capture) return ma_cpu_run(stream, task, job);
  if (!task->refused) return ma_cpu_record(stream, task, job, size);
  return *task->refused ? ma_capture_refuse_work(stream, task->refused) : ma_capture_refuse(stream);
}
