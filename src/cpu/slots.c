/* slots.c: the slots of the backend's main table as tasks (submit.h): their names, the bytes that they move, and how
** a graph keeps them. Slots for sorting, linear algebra and Fourier transforms are in the files that compute them. */
#include "compile/body.h"
#include "program/program.h"

#include "memory/graph.h"
#include "base/inject.h"
#include "backend/random.h"
#include "backend/row_program.h"
#include "cpu/cpu.h"
#include "cpu/kernel/kernel.h"
#include "cpu/submit.h"

#include <string.h>

/* ==== Programs =================================================================================================== */

/* The bytes of one operand of the space. Each element counts once. */
static int64_t operand_bytes(const ma_space *space, int operand, ma_dtype dtype) {
  int64_t bytes = ma_dtypes[dtype].itemsize;
  for (int d = 0; d < space->ndim; d++)
    if (space->stride[operand][d]) bytes *= space->shape[d];
  return bytes;
}

/* The bytes of a program's operands, in a space that begins with `first` results. Those count only if `results`. */
static int64_t program_bytes(const ma_program *program, const ma_space *space, int first, bool results) {
  int64_t bytes = 0;
  for (int k = 0; results && k < first && k < program->noutput; k++)
    bytes += operand_bytes(space, k, ma_program_dtype(program, program->output[k]));
  for (int k = 0; k < program->ninput; k++) bytes += operand_bytes(space, first + k, (ma_dtype)program->input_dtype[k]);
  return bytes;
}

static const char *program_name(const ma_program *program) {
  if (program->body) return ma_body_get(program->body)->name;
  return program->ncode ? ma_ops[program->code[program->ncode - 1].op].name : program->ninput ? "copy" : "fill";
}

static const ma_raw *copy_raw(ma_raw *to, const ma_raw *from, const ma_program *program) {
  int n = 0;
  const ma_body *body = program->body && from ? ma_body_get(program->body) : NULL;
  for (int k = 0; body && k < body->nparam; k++) n += body->param[k].role == MA_PARAM_RAW;
  if (n) memcpy(to, from, (size_t)n * sizeof *to);
  return n ? to : NULL;
}

typedef struct kept_map {
  ma_map map;
  ma_program program;
  ma_raw raw[MA_MAX_RAW];
} kept_map;

static ma_status run_map(ma_stream *stream, const void *job) { return ma_cpu_map(stream, job); }
static const char *name_map(const void *job) { return program_name(((const ma_map *)job)->program); }
static size_t size_map(const void *job) { return sizeof(kept_map); }

static int64_t bytes_map(const void *job) {
  const ma_map *map = job;
  return program_bytes(map->program, &map->space, map->program->noutput, true);
}

static void copy_map(void *to, const void *job) {
  kept_map *kept = to;
  kept->map = *(const ma_map *)job;
  ma_program_clone(&kept->program, kept->map.program);
  kept->map.program = &kept->program;
  kept->map.raw = copy_raw(kept->raw, kept->map.raw, kept->map.program);
}

MA_CPU_SLOT(map, run, ma_map, .name_of = name_map, .run = run_map, .bytes = bytes_map, .size = size_map,
            .copy = copy_map)

typedef struct kept_reduction {
  ma_reduction reduction;
  ma_program program;
  ma_raw raw[MA_MAX_RAW];
} kept_reduction;

static ma_status run_reduce(ma_stream *stream, const void *job) { return ma_cpu_reduce(stream, job); }
static size_t size_reduce(const void *job) { return sizeof(kept_reduction); }

static const char *name_reduce(const void *job) {
  const ma_reduction *r = job;
  return r->program->body ? program_name(r->program) : ma_reduces[r->op].name;
}

static int64_t bytes_reduce(const void *job) {
  const ma_reduction *r = job;
  return program_bytes(r->program, &r->space, r->program->body ? r->program->noutput : 1, false);
}

static void copy_reduce(void *to, const void *job) {
  kept_reduction *kept = to;
  kept->reduction = *(const ma_reduction *)job;
  ma_program_clone(&kept->program, kept->reduction.program);
  kept->reduction.program = &kept->program;
  kept->reduction.raw = copy_raw(kept->raw, kept->reduction.raw, kept->reduction.program);
}

MA_CPU_SLOT(reduce, run, ma_reduction, .name_of = name_reduce, .run = run_reduce, .bytes = bytes_reduce,
            .size = size_reduce, .copy = copy_reduce)

typedef struct kept_scan {
  ma_scan scan;
  ma_program program;
} kept_scan;

static ma_status run_scan(ma_stream *stream, const void *job) { return ma_cpu_scan(stream, job); }
static const char *name_scan(const void *job) {
  return ((const ma_scan *)job)->op == MA_REDUCE_prod ? "cumprod" : "cumsum";
}
static size_t size_scan(const void *job) { return sizeof(kept_scan); }

static int64_t bytes_scan(const void *job) {
  const ma_scan *scan = job;
  return program_bytes(scan->program, &scan->space, 1, true);
}

static void copy_scan(void *to, const void *job) {
  kept_scan *kept = to;
  kept->scan = *(const ma_scan *)job;
  ma_program_clone(&kept->program, kept->scan.program);
  kept->scan.program = &kept->program;
}

MA_CPU_SLOT(reduce, scan, ma_scan, .name_of = name_scan, .run = run_scan, .bytes = bytes_scan, .size = size_scan,
            .copy = copy_scan)

static ma_status run_row_program(ma_stream *stream, const void *job) { return ma_cpu_row_program(stream, job); }

static int64_t bytes_row_program(const void *job) {
  const ma_row_program *program = job;
  int64_t bytes = program->writes ? operand_bytes(&program->space, program->nfold, (ma_dtype)program->result) : 0;
  for (int k = 0; k < program->narray; k++)
    bytes += operand_bytes(&program->space, program->nfold + program->writes + k, (ma_dtype)program->array[k]);
  return bytes;
}

ma_status ma_cpu_reduce_row_program(ma_stream *stream, const ma_row_program *program, bool *ran) {
  static const ma_task task = { .name = "row program", .run = run_row_program, .bytes = bytes_row_program };
  *ran = ma_cpu_row_program_suits(program);
  return *ran ? ma_cpu_submit(stream, &task, program, sizeof *program) : MA_OK;
}

/* ==== Positions ================================================================================================== */

static ma_status run_gather(ma_stream *stream, const void *job) { return ma_cpu_gather(stream, job); }
static ma_status run_scatter(ma_stream *stream, const void *job) { return ma_cpu_scatter(stream, job); }

/* The bytes of a gather. The picked elements count twice, as they are read and written, and the positions once. */
static int64_t bytes_gather(const void *job) {
  const ma_gather *gather = job;
  int64_t bytes = 2 * operand_bytes(&gather->space, 0, gather->dtype);
  for (int k = 0; k < gather->nindex; k++)
    bytes += operand_bytes(&gather->space, 2 + k, (ma_dtype)gather->index_dtype[k]);
  return bytes;
}

MA_CPU_SLOT(index, gather, ma_gather, .name = "gather", .run = run_gather, .bytes = bytes_gather)

MA_CPU_SLOT(index, scatter, ma_gather, .name = "scatter", .run = run_scatter, .bytes = bytes_gather)

typedef struct nonzero_job {
  const void *mask;
  int64_t n;
  ma_array *positions;
} nonzero_job;

static ma_status run_nonzero(ma_stream *stream, const void *job) {
  const nonzero_job *j = job;
  return ma_cpu_nonzero(stream, j->mask, j->n, j->positions);
}

static int64_t bytes_nonzero(const void *job) {
  const nonzero_job *j = job;
  return j->n + 8 * j->positions->size;
}

ma_status ma_cpu_index_nonzero(ma_stream *stream, const void *mask, int64_t n, ma_array *positions) {
  static const ma_task task = { .name = "nonzero", .run = run_nonzero, .bytes = bytes_nonzero, .refused = "" };
  return ma_cpu_submit(stream, &task, &(nonzero_job){ mask, n, positions }, sizeof(nonzero_job));
}

typedef struct select_job {
  const void *mask, *from;
  int64_t n;
  ma_dtype dtype;
  ma_array *result;
} select_job;

static ma_status run_select(ma_stream *stream, const void *job) {
  const select_job *j = job;
  return ma_cpu_select(stream, j->mask, j->from, j->n, j->dtype, j->result);
}

static int64_t bytes_select(const void *job) {
  const select_job *j = job;
  return j->n + 2 * j->result->size * ma_dtypes[j->dtype].itemsize;
}

ma_status ma_cpu_index_select(ma_stream *stream, const void *mask, const void *from, int64_t n, ma_dtype dtype,
                              ma_array *result) {
  static const ma_task task = { .name = "select", .run = run_select, .bytes = bytes_select, .refused = "" };
  return ma_cpu_submit(stream, &task, &(select_job){ mask, from, n, dtype, result }, sizeof(select_job));
}

/* ==== Random numbers ============================================================================================= */

/* Draws random numbers. In a graph, the launch has written the seed and the position. */
static ma_status run_random(ma_stream *stream, const void *job) {
  ma_random r = *(const ma_random *)job;
  if (r.source) r.job = ma_random_placed(r.job);
  return ma_cpu_random(stream, &r);
}

static const char *name_random(const void *job) { return ma_randoms[((const ma_random *)job)->kind].name; }

static int64_t bytes_random(const void *job) {
  const ma_random *r = job;
  return r->job.n * ma_dtypes[r->dtype].itemsize;
}

MA_CPU_SLOT(random, draw, ma_random, .name_of = name_random, .run = run_random, .bytes = bytes_random)

/* ==== Kernels that the user wrote ================================================================================= */

typedef struct launch_job {
  const ma_kernel *kernel;
  const ma_launch *launch;
} launch_job;
typedef struct kept_launch {
  launch_job job;
  ma_kernel kernel;
  ma_launch launch;
  _Alignas(16) char bytes[];
} kept_launch;

static ma_status run_launch(ma_stream *stream, const void *job) {
  const launch_job *j = job;
  return ma_cpu_launch(stream, j->kernel, j->launch);
}

static const char *name_launch(const void *job) { return ((const launch_job *)job)->kernel->name; }

/* The size of an argument behind the job. Each begins at a multiple of 16. */
static size_t argument_size(const ma_kernel *kernel, int k) { return (kernel->param_size[k] + 15u) / 16 * 16; }

static size_t size_launch(const void *job) {
  const launch_job *j = job;
  size_t size = sizeof(kept_launch);
  for (int k = 0; k < j->launch->nargument; k++) size += argument_size(j->kernel, k);
  return size;
}

static void copy_launch(void *to, const void *job) {
  const launch_job *j = job;
  kept_launch *kept = to;
  kept->kernel = *j->kernel;
  kept->launch = *j->launch;
  kept->job = (launch_job){ &kept->kernel, &kept->launch };
  char *at = kept->bytes;
  for (int k = 0; k < kept->launch.nargument; k++) {
    memcpy(at, j->launch->argument[k], kept->kernel.param_size[k]);
    kept->launch.argument[k] = at;
    at += argument_size(&kept->kernel, k);
  }
}

ma_status ma_cpu_module_launch(ma_stream *stream, const ma_kernel *kernel, const ma_launch *launch) {
  static const ma_task task = { .name_of = name_launch, .run = run_launch, .size = size_launch, .copy = copy_launch };
  return ma_cpu_submit(stream, &task, &(launch_job){ kernel, launch }, sizeof(launch_job));
}

/* ==== Copies ===================================================================================================== */

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
