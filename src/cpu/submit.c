/* submit.c: records, refuses or runs work; and prints it under MOONARRAY_DEBUG=2, with its name, time and bytes a
** second, or notes it on a timeline. */
#include "base/number.h"
#include "compile/body.h"
#include "cpu/submit.h"
#include "memory/graph.h"

#include <string.h>

/* Prints a line. Its columns are those of the GPU's lines (src/cuda/driver/launch.c); where those have the grid, these
** have "cpu". */
static void report(const char *name, double ms, int64_t nbytes) {
  char speed[32] = "";
  if (nbytes > 0 && ms > 0) ma_print(speed, sizeof speed, " %8.1f GB/s", (double)nbytes / ms * 1e-6);
  ma_print_error("moonarray: %-24s %15s %10.4f ms%s\n", name, "cpu", ms, speed);
}

ma_status ma_cpu_run(ma_stream *stream, const ma_task *task, const void *job) {
  ma_observe watch = ma_observe_now();
  if (watch < MA_OBSERVE_PRINT) return task->run(stream, job);
  int64_t began = ma_nanoseconds();
  ma_status status = task->run(stream, job);
  int64_t ended = ma_nanoseconds(), nbytes = status == MA_OK && task->bytes ? task->bytes(job) : 0;
  const char *name = task->name_of ? task->name_of(job) : task->name;
  if (watch == MA_OBSERVE_PRINT) report(name, (double)(ended - began) * 1e-6, nbytes);
  else
    ma_timeline_note(
      &(ma_timespan){ .kind = MA_TRACK_WORK, .name = name, .began = began, .ended = ended, .nbytes = nbytes });
  return status;
}

ma_status ma_cpu_submit_slowly(ma_stream *stream, const ma_task *task, const void *job, size_t size) {
  if (!stream->capture) return ma_cpu_run(stream, task, job);
  if (!task->refused) return ma_cpu_record(stream, task, job, size);
  return *task->refused ? ma_capture_refuse_work(stream, task->refused) : ma_capture_refuse(stream);
}

/* ==== What tasks say of programs ================================================================================== */

int64_t ma_cpu_operand_bytes(const ma_space *space, int operand, ma_dtype dtype) {
  int64_t bytes = ma_dtypes[dtype].itemsize;
  for (int d = 0; d < space->ndim; d++)
    if (space->stride[operand][d]) bytes *= space->shape[d];
  return bytes;
}

int64_t ma_cpu_program_bytes(const ma_program *program, const ma_space *space, int first, bool results) {
  int64_t bytes = 0;
  for (int k = 0; results && k < first && k < program->noutput; k++)
    bytes += ma_cpu_operand_bytes(space, k, ma_program_dtype(program, program->output[k]));
  for (int k = 0; k < program->ninput; k++)
    bytes += ma_cpu_operand_bytes(space, first + k, (ma_dtype)program->input_dtype[k]);
  return bytes;
}

const char *ma_cpu_program_name(const ma_program *program) {
  return program->body ? ma_body_get(program->body)->name : ma_program_name(program);
}

const ma_raw *ma_cpu_copy_raw(ma_raw *to, const ma_raw *from, const ma_program *program) {
  int n = 0;
  const ma_body *body = program->body && from ? ma_body_get(program->body) : NULL;
  for (int k = 0; body && k < body->nparam; k++) n += body->param[k].role == MA_PARAM_RAW;
  if (n) memcpy(to, from, (size_t)n * sizeof *to);
  return n ? to : NULL;
}
