/*
** watch.c: MOONARRAY_DEBUG=2 on the CPU: what each operation was, how long it took and how many bytes a second it moved. The
** backend's table points here; without the switch a call goes straight on.
*/
#include "cpu.h"
#include "kernel.h"
#include "watch.h"

#include <stdio.h>
#include <time.h>

static bool watched(void)
{
  static int mode;                     /* every thread would write the same */
  int known = __atomic_load_n(&mode, __ATOMIC_RELAXED);
  if (__builtin_expect(known == 0, 0)) {
    known = ma_config_int(MA_CONFIG_DEBUG) >= 2 ? 2 : 1;
    __atomic_store_n(&mode, known, __ATOMIC_RELAXED);
  }
  return known == 2;
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The columns are those of the GPU's lines (src/cuda/launch.c), where these have the grid. nbytes 0: unknown. */
static ma_status report(ma_status status, const char *name, double began, int64_t nbytes)
{
  double ms = now() - began;
  char speed[32] = "";
  if (nbytes > 0 && ms > 0) snprintf(speed, sizeof speed, " %8.1f GB/s", (double)nbytes / ms * 1e-6);
  fprintf(stderr, "moonarray: %-24s %15s %10.4f ms%s\n", name, "cpu", ms, speed);
  return status;
}

/* Bytes that one operand of the space has, each counted once. */
static int64_t operand_bytes(const ma_space *space, int operand, ma_dtype dtype)
{
  int64_t bytes = ma_dtypes[dtype].itemsize;
  for (int d = 0; d < space->ndim; d++)
    if (space->stride[operand][d]) bytes *= space->shape[d];
  return bytes;
}

/* Of a program's operands in a space that begins with `first` results; these are counted with `results`. */
static int64_t program_bytes(const ma_program *program, const ma_space *space, int first, bool results)
{
  int64_t bytes = 0;
  for (int k = 0; results && k < first && k < program->noutput; k++)
    bytes += operand_bytes(space, k, ma_program_dtype(program, program->output[k]));
  for (int k = 0; k < program->ninput; k++) bytes += operand_bytes(space, first + k, (ma_dtype)program->input_dtype[k]);
  return bytes;
}

static const char *program_name(const ma_program *program)
{
  if (program->body) return ma_body_get(program->body)->name;
  return program->ncode ? ma_ops[program->code[program->ncode - 1].op].name : program->ninput ? "copy" : "fill";
}

ma_status ma_cpu_watch_map(ma_stream *stream, const ma_map *map)
{
  if (!watched()) return ma_cpu_map(stream, map);
  double began = now();
  return report(ma_cpu_map(stream, map), program_name(map->program), began, program_bytes(map->program, &map->space, map->program->noutput, true));
}

ma_status ma_cpu_watch_reduce(ma_stream *stream, const ma_reduction *r)
{
  if (!watched()) return ma_cpu_reduce(stream, r);
  double began = now();
  const ma_program *program = r->program;
  const char *name = program->body ? program_name(program) : ma_reduces[r->op].name;
  return report(ma_cpu_reduce(stream, r), name, began, program_bytes(program, &r->space, program->body ? program->noutput : 1, false));
}

ma_status ma_cpu_watch_scan(ma_stream *stream, const ma_scan *scan)
{
  if (!watched()) return ma_cpu_scan(stream, scan);
  double began = now();
  const char *name = scan->op == MA_REDUCE_prod ? "cumprod" : "cumsum";
  return report(ma_cpu_scan(stream, scan), name, began, program_bytes(scan->program, &scan->space, 1, true));
}

/* The picked side twice, read and written, and the positions. */
static int64_t gather_bytes(const ma_gather *gather)
{
  int64_t bytes = 2 * operand_bytes(&gather->space, 0, gather->dtype);
  for (int k = 0; k < gather->nindex; k++) bytes += operand_bytes(&gather->space, 2 + k, (ma_dtype)gather->index_dtype[k]);
  return bytes;
}

ma_status ma_cpu_watch_gather(ma_stream *stream, const ma_gather *gather)
{
  if (!watched()) return ma_cpu_gather(stream, gather);
  double began = now();
  return report(ma_cpu_gather(stream, gather), "gather", began, gather_bytes(gather));
}

ma_status ma_cpu_watch_scatter(ma_stream *stream, const ma_gather *scatter)
{
  if (!watched()) return ma_cpu_scatter(stream, scatter);
  double began = now();
  return report(ma_cpu_scatter(stream, scatter), "scatter", began, gather_bytes(scatter));
}

ma_status ma_cpu_watch_nonzero(ma_stream *stream, const void *mask, int64_t n, ma_array *positions)
{
  if (!watched()) return ma_cpu_nonzero(stream, mask, n, positions);
  double began = now();
  ma_status status = ma_cpu_nonzero(stream, mask, n, positions);
  return report(status, "nonzero", began, status == MA_OK ? n + 8 * positions->size : 0);
}

ma_status ma_cpu_watch_launch(ma_stream *stream, const ma_kernel *kernel, const ma_launch *launch)
{
  if (!watched()) return ma_cpu_launch(stream, kernel, launch);
  double began = now();
  return report(ma_cpu_launch(stream, kernel, launch), kernel->name, began, 0);
}

double ma_cpu_watch_begin(void)
{
  return watched() ? now() : 0;
}

void ma_cpu_watch_end(double began, const char *name, int64_t nbytes)
{
  if (began > 0) report(MA_OK, name, began, nbytes);
}
